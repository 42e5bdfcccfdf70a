"""What each unit adds to the numerator and to the denominator of a measure: two arrays with a number per unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.online.estimates import GroupValue, quantile_of_group, trimmed_mean
from rankmeter.wings.online.event_columns import HOUR
from rankmeter.wings.online.events import CONVERSION
from rankmeter.wings.online.log import Log, SessionTable, first_of_each
from rankmeter.wings.online.measures import (
    ClickThroughRate,
    ConversionRate,
    Conversions,
    EngagedSessions,
    OnlineMeasure,
    SessionDuration,
    SessionMeasure,
    Value,
)


def parts_by_unit(measure: OnlineMeasure, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    """What each unit adds to the numerator and to the denominator of a measure, two arrays ``(units,)``."""
    return _PARTS[type(measure)](measure, log, unit, units)


def is_per_user(measure: OnlineMeasure) -> bool:
    """Whether every unit adds 1 to the denominator, whatever it did."""
    return getattr(measure, "per", "") == "user" and isinstance(measure, (Conversions, Value, ConversionRate))


def amounts(measure: OnlineMeasure, log: Log, unit: Ints) -> tuple[Floats, Ints]:
    """The values that a quantile or a trimmed mean is taken of, and the unit of each."""
    if getattr(measure, "per", "") == "user":
        x, y = parts_by_unit(measure, log, unit, log.users)
        home = np.flatnonzero(y > 0)
        return x[home], home
    if isinstance(measure, Value):
        rows, values = _paid(measure, log)
    else:
        rows, lengths = _lengths(measure, log)  # type: ignore[arg-type]
        values = lengths / 1e6
    return values, unit[rows]


def located(measure: OnlineMeasure, values: Any, unit: Any) -> GroupValue:
    """The quantile or the trimmed mean that a measure asks for."""
    if getattr(measure, "quantile", None) is not None:
        return quantile_of_group(values, unit, measure.quantile)  # type: ignore[attr-defined]
    return trimmed_mean(values, measure.trim)  # type: ignore[attr-defined]


def total(unit: Ints, units: int, rows: Any, weights: Any = None) -> Floats:
    """(units,) how many of some events, or how much of something, each unit has."""
    at = unit[rows]
    inside = at >= 0
    if not inside.all():
        at, weights = at[inside], None if weights is None else weights[inside]
    return np.bincount(at, weights, minlength=units).astype(float)


def share(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Each unit's own ratio over 1, so that the measure is a mean of ratios; 0 over 0 where there is none."""
    has = y > 0
    return np.divide(x, y, out=np.zeros(len(x)), where=has), has.astype(float)


def _ctr(measure: ClickThroughRate, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    shown, clicked = log.impressions(measure.impressions), log.clicks(measure.clicks, measure.orphans)
    if measure.cutoff is not None:
        position = log.exposures.position
        within = (position > 0) & (position <= measure.cutoff)
        shown, clicked = shown & within, clicked & within
    if measure.per == "request":
        request, requests = log.requests
        has = [np.bincount(request[rows & (request >= 0)], minlength=requests) > 0 for rows in (clicked, shown)]
        home = unit[first_of_each(request, request >= 0, requests)]
        return total(home, units, has[0] & has[1]), total(home, units, has[1])
    x, y = total(unit, units, clicked), total(unit, units, shown)
    if measure.per == "user":
        return share(x, y)
    if measure.per == "reach":
        return ((x > 0) & (y > 0)).astype(float), (y > 0).astype(float)
    return x, y


def _cvr(measure: ConversionRate, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    bought = log.is_kind(CONVERSION)
    if measure.per == "user":
        return (total(unit, units, bought) > 0).astype(float), np.ones(units)
    if measure.per == "session":
        table = log.sessions(measure)
        of_event = table.of_event
        has = np.bincount(of_event[bought & (of_event >= 0)], minlength=len(table)) > 0
        return total(unit, units, table.begins[has]), total(unit, units, table.begins)
    rows, credited, is_credited = _credited(measure, log)
    weights = credited if measure.count == "conversions" else (credited > 0).astype(float)
    log.found["conversions without a click to credit"] = int((~is_credited).sum())
    if measure.window is not None:
        young = log.time[rows] > log.last_time - round(measure.window * HOUR)
        log.found["clicks younger than the window"] = int(young.sum())
        if measure.maturity == "mature":
            rows, weights = rows[~young], weights[~young]
    return total(unit, units, rows, weights), total(unit, units, rows)


def _credited(measure: ConversionRate, log: Log) -> tuple[Ints, Floats, Bools]:
    """The clicks that count, as rows, what each is credited with, and which conversions had a click."""
    rows, bought = np.flatnonzero(log.clicks(measure.clicks, measure.orphans)), np.flatnonzero(log.is_kind(CONVERSION))
    both = np.concatenate([rows, bought])
    group = log.user[both]
    if measure.item == "same" and log.has("item"):
        group, groups = log.numbered(both, ("item",))
        # What names no item is the same as nothing else.
        group = np.where(log.known("item")[both], group, groups + np.arange(len(both)))
    window = None if measure.window is None else round(measure.window * HOUR)
    return rows, *credit(group[: len(rows)], log.time[rows], group[len(rows) :], log.time[bought],
                         window=window, rule=measure.credit)  # fmt: skip


def credit(
    click_group: Ints, click_time: Ints, conversion_group: Ints, conversion_time: Ints, *, window: int | None, rule: str
) -> tuple[Floats, Bools]:
    """Credit each conversion to the clicks of its group (a user, or a user and an item) within a window before it.

    Gives (c,) how many conversions, or parts of one, each click is credited with, in the order of the clicks given, and
    (v,) whether a conversion found a click. The window, in microseconds, includes both ends; None is for ever. The rule
    is ``last``, ``first``, ``all`` (each gets the whole) or ``even`` (each gets an equal part).
    """
    wanted = np.flatnonzero(np.isin(click_group, conversion_group))  # few clicks have a conversion after them
    order = wanted[np.lexsort((click_time[wanted], click_group[wanted]))]
    group, time = click_group[order], click_time[order]
    high = _clicks_until(group, time, conversion_group, conversion_time, included=True)
    if window is None:
        low = np.searchsorted(group, conversion_group, side="left")
    else:
        low = _clicks_until(group, time, conversion_group, conversion_time - window, included=False)
    has_click = high > low
    low, high = low[has_click], high[has_click]
    if rule in ("last", "first"):
        low, high = (high - 1, high) if rule == "last" else (low, low + 1)
    weights = np.zeros(len(group) + 1)
    if rule == "all":
        np.add.at(weights, low, 1.0)
        np.add.at(weights, high, -1.0)
        weights = np.cumsum(weights)
    # Click by click: a running sum of parts would carry the rounding of one user's into the next.
    for size in np.unique(high - low).tolist() if rule != "all" else ():
        begins = low[high - low == size]
        np.add.at(weights, begins[:, None] + np.arange(size), 1.0 / size)
    of_click = np.zeros(len(click_group))
    of_click[order] = weights[:-1]
    return of_click, has_click


def _clicks_until(group: Ints, time: Ints, at_group: Ints, at_time: Ints, *, included: bool) -> Ints:
    """How many of the sorted clicks stand before each (group, time); those at the same time are included or not.

    Clicks and points are sorted together, so nothing can overflow as it would in one packed key.
    """
    points, clicks = len(at_group), len(group)
    # At equal times a click stands before the point when it is included, after it when not.
    side = np.concatenate([np.full(points, 1 if included else 0), np.full(clicks, 0 if included else 1)])
    order = np.lexsort((side, np.concatenate([at_time, time]), np.concatenate([at_group, group])))
    is_click = order >= points
    before = np.cumsum(is_click)
    counts = np.empty(points, np.int64)
    counts[order[~is_click]] = before[~is_click]
    return counts


def _denominators(per: str, measure: SessionMeasure, log: Log, unit: Ints, units: int) -> Floats:
    """The denominator of conversions and value."""
    if per == "user":
        return np.ones(units)
    if per == "session":
        return total(unit, units, log.sessions(measure).begins)
    if per == "conversion":
        return total(unit, units, log.is_kind(CONVERSION))
    return total(unit, units, log.impressions(getattr(measure, "impressions", "once")))


def _conversions(measure: Conversions, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    return total(unit, units, log.is_kind(CONVERSION)), _denominators(measure.per, measure, log, unit, units)


def _paid(measure: Value, log: Log) -> tuple[Ints, Floats]:
    """The events that have a value, and what each is worth."""
    paid = log.is_kind(CONVERSION)
    rows = np.flatnonzero(paid | log.known("refund") if measure.refunds == "keep" else paid)
    value = log.column("value")[rows]
    missing = np.isnan(value)
    log.found["conversions without a readable value"] = int(missing.sum())
    value = np.where(missing, 0.0, value)
    return rows, value if measure.cap is None else np.minimum(value, measure.cap)


def _value(measure: Value, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    return total(unit, units, *_paid(measure, log)), _denominators(measure.per, measure, log, unit, units)


def _duration(measure: SessionDuration, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    rows, lengths = _lengths(measure, log)
    # Whole microseconds add up exactly, in whatever order the ids of sessions stand.
    x, y = total(unit, units, rows, lengths) / 1e6, total(unit, units, rows)
    return share(x, y) if measure.per == "user" else (x, y)


def _lengths(measure: SessionDuration, log: Log) -> tuple[Ints, Floats]:
    """The first event of each session that counts, and how long the session lasted, in microseconds."""
    table = log.sessions(measure)
    lengths = table.last - table.first
    counted = lengths > 0 if measure.zeros == "drop" else slice(None)
    cap = math.inf if measure.cap is None else round(measure.cap * 1e6)
    return table.begins[counted], np.minimum(lengths[counted], cap)


def _engaged(measure: EngagedSessions, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    table = log.sessions(measure)
    engaged = is_engaged(measure, log, table)
    return total(unit, units, table.begins[engaged]), total(unit, units, table.begins)


def is_engaged(measure: EngagedSessions, log: Log, table: SessionTable) -> Bools:
    """(sessions,) which sessions are long enough, or have a conversion, or enough requests."""
    of_event, sessions = table.of_event, len(table)
    engaged: Bools = table.seconds > measure.seconds
    bought = of_event[log.is_kind(CONVERSION)]
    engaged[bought[bought >= 0]] = True
    if log.has("request"):
        # Requests are counted only where nothing else has decided.
        rows = np.flatnonzero((of_event >= 0) & log.is_of_request())
        rows = rows[~engaged[of_event[rows]]]
        session, request = of_event[rows], log.column("request")[rows]
        if measure.views == 2:  # another request than the session's first
            first = np.zeros(sessions, np.uint64)
            first[session[::-1]] = request[::-1]
            engaged[session[request != first[session]]] = True
        else:
            number, requests = log.numbered(rows, ("request",))
            pairs = np.unique(session * max(requests, 1) + number)
            engaged |= np.bincount(pairs // max(requests, 1), minlength=sessions) >= measure.views
    return engaged


_PARTS: dict[type[Any], Callable[..., tuple[Floats, Floats]]] = {
    ClickThroughRate: _ctr,
    ConversionRate: _cvr,
    Conversions: _conversions,
    Value: _value,
    SessionDuration: _duration,
    EngagedSessions: _engaged,
}
