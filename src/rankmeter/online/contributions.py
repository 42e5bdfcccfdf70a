"""What each unit adds above and below the line of a measure: two arrays with a number per unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeter.measures.online import (
    ClickThroughRate,
    ConversionRate,
    Conversions,
    EngagedSessions,
    OnlineMeasure,
    SessionDuration,
    SessionMeasure,
    Value,
)
from rankmeter.online.events import CONVERSION, IMPRESSION
from rankmeter.online.log import Log
from rankmeter.online.partitions import IS_REFUND
from rankmeter.online.sessions import SessionTable
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.estimates import GroupValue
from rankmeter.stats.locations import quantile, trimmed_mean


def parts(measure: OnlineMeasure, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    """What each unit adds above and below the line of a measure, two arrays ``(units,)``."""
    return _PARTS[type(measure)](measure, log, unit, units)


def is_per_user(measure: OnlineMeasure) -> bool:
    """Whether a unit counts below the line whatever it did."""
    return getattr(measure, "per", "") == "user" and isinstance(measure, (Conversions, Value, ConversionRate))


def amounts(measure: OnlineMeasure, log: Log, unit: Ints) -> tuple[Floats, Ints]:
    """The values that a quantile or a trimmed mean is taken of, and the unit of each."""
    if getattr(measure, "per", "") == "user":
        x, y = parts(measure, log, unit, log.users)
        home = np.flatnonzero(y > 0)
        return x[home], home
    if isinstance(measure, Value):
        rows, values = _paid(measure, log)
    else:
        table = log.sessions(measure)  # type: ignore[arg-type]
        rows, values = table.begins, table.seconds
        if measure.zeros == "drop":  # type: ignore[attr-defined]
            rows, values = rows[values > 0], values[values > 0]
    return values, unit[rows]


def located(measure: OnlineMeasure, values: Any, unit: Any) -> GroupValue:
    """The quantile or the trimmed mean that a measure asks for."""
    if getattr(measure, "quantile", None) is not None:
        return quantile(values, unit, measure.quantile)  # type: ignore[attr-defined]
    return trimmed_mean(values, measure.trim)  # type: ignore[attr-defined]


def total(unit: Ints, units: int, rows: Any, weights: Any = None) -> Floats:
    """(units,) how many of some events, or how much of something, each unit has."""
    rows = np.flatnonzero(rows) if getattr(rows, "dtype", None) == np.bool_ else rows
    at = unit[rows]
    inside = at >= 0
    if not inside.all():
        at, weights = at[inside], None if weights is None else weights[inside]
    return np.bincount(at, weights, minlength=units).astype(float)


def share(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Each unit's own quotient above the line, and 1 below it where there is one: a mean of ratios."""
    has = y > 0
    return np.divide(x, y, out=np.zeros(len(x)), where=has), has.astype(float)


def _ctr(measure: ClickThroughRate, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    pairs = log.exposures()
    shown = pairs.first_impression if measure.impressions == "once" else log.is_kind(IMPRESSION)
    clicked = log.clicks(measure.clicks, measure.orphans)
    if measure.cutoff is not None:
        within = (pairs.position > 0) & (pairs.position <= measure.cutoff)
        shown, clicked = shown & within, clicked & within
    if measure.per == "request":
        request, requests = log.requests()
        has = [np.bincount(request[rows & (request >= 0)], minlength=requests) > 0 for rows in (clicked, shown)]
        home = np.full(requests, -1, np.int64)
        rows = np.flatnonzero(request >= 0)[::-1]
        home[request[rows]] = unit[rows]
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
        sessions = len(table.user)
        home = _home_of_sessions(log, measure, unit)
        of_event = table.of_event
        has = np.bincount(of_event[bought & (of_event >= 0)], minlength=sessions) > 0
        return total(home, units, has), total(home, units, np.arange(sessions))
    rows, given = log.credit(measure)
    weights = given.of_click if measure.count == "conversions" else (given.of_click > 0).astype(float)
    log.found["conversions without a click to credit"] = int((~given.credited).sum())
    if measure.window is not None:
        young = log.time[rows] > log.last_time - round(measure.window * 3_600_000_000)
        log.found["clicks younger than the window"] = int(young.sum())
        if measure.maturity == "mature":
            rows, weights = rows[~young], weights[~young]
    return total(unit, units, rows, weights), total(unit, units, rows)


def _home_of_sessions(log: Log, measure: SessionMeasure, unit: Ints) -> Ints:
    """(sessions,) the unit that each session belongs to: that of its first event."""
    return unit[log.sessions(measure).begins]


def _below(per: str, measure: SessionMeasure, log: Log, unit: Ints, units: int) -> Floats:
    """What counts below the line of conversions and value."""
    if per == "user":
        return np.ones(units)
    if per == "session":
        home = _home_of_sessions(log, measure, unit)
        return total(home, units, np.arange(len(home)))
    if per == "conversion":
        return total(unit, units, log.is_kind(CONVERSION))
    shown = (
        log.exposures().first_impression
        if getattr(measure, "impressions", "once") == "once"
        else log.is_kind(IMPRESSION)
    )
    return total(unit, units, shown)


def _conversions(measure: Conversions, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    return total(unit, units, log.is_kind(CONVERSION)), _below(measure.per, measure, log, unit, units)


def _paid(measure: Value, log: Log) -> tuple[Ints, Floats]:
    """The events that have a value, and what each is worth."""
    paid = log.is_kind(CONVERSION)
    rows = np.flatnonzero(paid | log.known(IS_REFUND) if measure.refunds == "keep" else paid)
    value = log.column("value")[rows]
    missing = np.isnan(value)
    log.found["conversions without a readable value"] = int(missing.sum())
    value = np.where(missing, 0.0, value)
    return rows, value if measure.cap is None else np.minimum(value, measure.cap)


def _value(measure: Value, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    return total(unit, units, *_paid(measure, log)), _below(measure.per, measure, log, unit, units)


def _duration(measure: SessionDuration, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    table = log.sessions(measure)
    home, length = _home_of_sessions(log, measure, unit), table.last - table.first
    rows = np.arange(len(length)) if measure.zeros == "keep" else np.flatnonzero(length > 0)
    length = length[rows]
    if measure.cap is not None:
        length = np.minimum(length, round(measure.cap * 1e6))
    # Whole microseconds add up exactly, in whatever order the ids of sessions stand.
    x, y = total(home, units, rows, length) / 1e6, total(home, units, rows)
    return share(x, y) if measure.per == "user" else (x, y)


def _engaged(measure: EngagedSessions, log: Log, unit: Ints, units: int) -> tuple[Floats, Floats]:
    engaged = is_engaged(measure, log, log.sessions(measure))
    home = _home_of_sessions(log, measure, unit)
    return total(home, units, engaged), total(home, units, np.arange(len(engaged)))


def is_engaged(measure: EngagedSessions, log: Log, table: SessionTable) -> Bools:
    """(sessions,) which sessions are long enough, or have a conversion, or enough requests."""
    of_event, sessions = table.of_event, len(table.user)
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
