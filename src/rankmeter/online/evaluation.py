"""The verb: count a log once and say what every measure is, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, MeasureError, check_level, check_whole, with_hint
from rankmeter.measures import into_measures
from rankmeter.measures.online import OnlineMeasure
from rankmeter.online.bootstrap import check_resamples
from rankmeter.online.checks import findings
from rankmeter.online.columns import EVENT_NAMES
from rankmeter.online.counting import LENGTHS, UNITS, Counted, Question, Unit, count, with_companions
from rankmeter.online.events import Events, read_events
from rankmeter.online.inference import estimate, t_quantile
from rankmeter.online.results import Bin, OnlineEvaluation, PositionRate
from rankmeter.online.settings import check_choice
from rankmeter.wording import Said, said

DEFAULT_MEASURES = ("CTR", "CVR", "SessionDuration")
_COUNTS = ("users", "impressions", "clicks", "conversions", "other", "sessions", "sessions of no length",
           "engaged sessions", "users with impression", "users with click", "users with conversion")  # fmt: skip


def evaluate(
    events: object,
    measures: object = DEFAULT_MEASURES,
    *,
    by: str | None = None,
    unit: Unit = "user",
    level: float = 0.95,
    resamples: int = 0,
    seed: int = 0,
    bots: Literal["keep", "drop"] = "keep",
    crossed: Literal["drop", "first"] = "drop",
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
) -> OnlineEvaluation:
    """Measure what users did, from a log of events.

    Parameters
    ----------
    events
        A row per event: a frame, a list of records, or a file; see :func:`rankmeter.online.read_events`.
    measures
        One or several, as text (``"CTR(per=request)@5"``) or values.
    by
        What divides units into groups: ``variant``, ``segment``, or a column of the log.
    unit
        What was randomised, or what is independent: ``user``, ``session`` or ``request``. Intervals are about it.
    level
        Of the intervals.
    resamples
        With a number above 0, intervals come from so many resamples of units instead of the delta method.
    seed
        Of the resampling.
    bots
        Whether users who do more in an hour than a person does are kept or dropped.
    crossed
        What happens to a unit that was seen in two variants: ``drop`` it, or count it in the ``first``.
    columns, types, format
        As for :func:`rankmeter.online.read_events`.

    Examples
    --------
    >>> import rankmeter as rm
    >>> log = [{"time": 0, "user": "u", "item": i, "type": "impression"} for i in "abcd"]
    >>> log += [{"time": 5, "user": "u", "item": "b", "type": "click"}]
    >>> rm.online.evaluate(log, "CTR")["CTR"]
    0.25
    """
    check_settings(level=level, resamples=resamples, seed=seed, bots=bots, crossed=crossed)
    chosen = into_online(measures)
    log, role = _grouped(events, by, columns, types, format)
    question = Question(with_companions(chosen), unit=check_unit(unit), by=(role,) if role else (), bots=bots,
                        crossed=crossed, resamples=resamples, seed=seed)  # fmt: skip
    counted = count(log, question)
    groups = {" ".join(label): sums for label, sums in sorted(counted.groups.items()) if sums.n or not role}
    resampled = {" ".join(label): drawn for label, drawn in counted.resampled.items()}
    return OnlineEvaluation(
        source=log.source,
        measures=question.measures,
        unit=unit,
        by=by or "",
        estimates={
            group: {one: estimate(sums, one, level=level, resampled=resampled.get(group)) for one in question.measures}
            for group, sums in groups.items()
        },
        sums=groups,
        findings=findings(log, counted, question),
        notes=notes_of(log, counted),
        counts=counts_of(counted),
        positions=position_rates(counted, level=level),
        lengths=lengths_of(counted),
    )


def check_settings(*, level: float, resamples: int, seed: int, bots: str, crossed: str) -> None:
    """Refuse settings that make no sense, before anything is read."""
    check_resamples(resamples, check_level(level), without="the delta method")
    check_whole("seed", seed)
    check_choice("bots", bots, ("keep", "drop"))
    check_choice("crossed", crossed, ("drop", "first"))


def into_online(measures: object) -> list[OnlineMeasure]:
    """The measures that were asked for; those that need judgments are refused."""
    chosen = into_measures(measures)
    online = [measure for measure in chosen if isinstance(measure, OnlineMeasure)]
    others = [str(measure) for measure in chosen if not isinstance(measure, OnlineMeasure)]
    if others:
        fact = f"{', '.join(others)}: this needs a run, and judgments to compare it with; a log of events has neither."
        hint = "rankmeter.evaluate(judgments, run, measures), or: rankmeter evaluate JUDGMENTS RUN"
        raise MeasureError(with_hint(fact, hint))
    return online


def check_unit(unit: str) -> Unit:
    """The unit, if it is one."""
    if unit not in UNITS:
        raise InputError(f"unit='{unit}' is not possible; a unit is {', '.join(UNITS[:-1])} or {UNITS[-1]}.")
    return unit


def _grouped(
    events: object, by: str | None, columns: Mapping[str, str] | None, types: Any, format: str | None
) -> tuple[Events, str]:
    """The log and the role of what divides its units."""
    if by is not None and not isinstance(by, str):
        fact = f"by={by!r} is not possible; it names one column."
        raise InputError(
            with_hint(fact, "by='variant'; experiment(..., segments='country') crosses variants with a column")
        )
    if by is None or by in ("variant", "segment") or isinstance(events, Events):
        log = read_events(events, columns=columns, types=types, format=format)
        if by is None or by in ("variant", "segment"):
            return log, by or ""
        role = next((role for role in ("variant", "segment") if log.columns.get(role) == by), None)
        if role is None:
            raise InputError(
                f"these events were read without '{by}'. Hint: read_events(log, columns={{'segment': '{by}'}})"
            )
        return log, role
    # To divide by the position or the item would take that column away from what it is for.
    role = next((role for role, names in EVENT_NAMES.items() if by in names), "segment")
    if role not in ("variant", "segment") and role not in (columns or {}):
        fact = f"'{by}' is the {role} of an event; values are divided by what is true of a unit, as its variant."
        raise InputError(with_hint(fact, "CTR@1 and the curves show positions; divide by a column such as country"))
    log = read_events(events, columns={**(columns or {}), "segment": by}, types=types, format=format)
    # A column that is the variant is treated as one, so that a user in two of them is noticed.
    return log, "variant" if log.columns.get("variant") == by else "segment"


def notes_of(log: Events, counted: Counted) -> tuple[Said, ...]:
    """What was decided about the log as a whole."""
    notes = list(log.notes)
    seen = counted.seen
    if log.layout != "plain":
        notes.append(said("layout_is", name="OpenSearch UBI" if log.layout == "ubi" else "Google Analytics 4"))
    if log.columns.get("item", "").startswith("items."):
        notes.append(said("items_are_events"))
    if seen.first_time is not None and seen.last_time is not None:
        notes.append(said("log_span", first=_moment(seen.first_time), last=_moment(seen.last_time)))
    if seen.lowest_position == 0:
        notes.append(said("positions_from_zero"))
    if not log.has("request"):
        notes.append(said("no_request"))
    if not log.has("session"):
        notes.append(said("no_session_id"))
    return tuple(notes)


def _moment(time: int) -> str:
    try:
        return datetime.fromtimestamp(time / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{time} us"


def counts_of(counted: Counted) -> dict[str, int]:
    """How much of everything there was."""
    return {"events": counted.seen.rows, **{name: int(counted.found[name]) for name in _COUNTS}}


def position_rates(counted: Counted, *, level: float) -> tuple[PositionRate, ...]:
    """The click-through rate at each position, with intervals by the delta method over users."""
    users = int(counted.found["users"])
    half_of = t_quantile(level, users - 1) if users > 1 else math.nan
    rates = []
    for place, (shown, clicked, shown_2, clicked_2, both) in enumerate(counted.positions.tolist(), start=1):
        if shown == 0:
            continue
        rate = clicked / shown
        # The linearised values have mean 0, so the plain squares lose nothing.
        spread = (clicked_2 - 2 * rate * both + rate**2 * shown_2) / max(users - 1, 1) * users
        half = half_of * math.sqrt(max(spread, 0.0)) / shown
        low = math.nan if math.isnan(half) else max(0.0, rate - half)
        rates.append(PositionRate(place, int(shown), int(clicked), rate, low, rate + half))
    return tuple(rates)


def lengths_of(counted: Counted) -> tuple[Bin, ...]:
    """The distribution of session lengths."""
    return tuple(Bin(float(end), int(n)) for end, n in zip([*LENGTHS, np.inf], counted.lengths, strict=True))
