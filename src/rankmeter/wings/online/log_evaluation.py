"""The verb: count a log once and say what every measure is, with intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Unpack

import numpy as np

from rankmeter.errors import InputError, MeasureError, examples
from rankmeter.inputs.columns import fold
from rankmeter.measures import into_measures
from rankmeter.stats.student import t_quantile
from rankmeter.wings.online.contrasts import group_values
from rankmeter.wings.online.event_columns import EVENT_NAMES
from rankmeter.wings.online.events import Events, read_events
from rankmeter.wings.online.log import MOMENTS_PER_HOUR
from rankmeter.wings.online.log_results import Bin, Finding, OnlineEvaluation, PositionRate
from rankmeter.wings.online.measures import ClickThroughRate, OnlineMeasure, SessionMeasure
from rankmeter.wings.online.questions import (
    KINDS_SAID,
    WINDOWS,
    Counting,
    ExperimentPlan,
    Question,
    Unit,
    kinds_needed,
    with_companions,
)
from rankmeter.wings.online.sums import denominator, numerator
from rankmeter.wings.online.tallies import LENGTHS, Counted, count
from rankmeter.wording import Said, kinds, said

ENOUGH_TO_SEE = 5.0
"""From this many users expected in two variants on, their absence shows that users were assigned."""
DEFAULT_MEASURES = ("CTR", "CVR", "SessionDuration")
_COUNTS = ("users", "impressions", "clicks", "conversions", "other", "sessions", "sessions of no length",
           "engaged sessions", "users with impression", "users with click", "users with conversion")  # fmt: skip


FINDINGS: Mapping[str, str] = {
    "events without user": "events",
    "events without readable time": "events",
    "times without a time zone": "events",
    "events dated before the rest": "events",
    "events dated after the rest": "events",
    "duplicates": "events",
    "repeated impressions": "impressions",
    "repeated clicks": "clicks",
    "orphan clicks": "clicks",
    "clicks before their impression": "clicks",
    "clicks at another position": "clicks",
    "out of order": "events",
    "events of unknown type": "events",
    "suspected bots": "users",
    "events of suspected bots": "events",
    "positions that are not whole": "events",
    "impressions without position": "impressions",
    "refunds": "conversions",
    "conversions without a readable value": "conversions",
    "conversions without a click to credit": "conversions",
    "clicks younger than the window": "clicks",
    "events without session id": "events",
    "sessions of one event": "sessions",
    "sessions of no length": "sessions",
    "sessions cut at the maximum length": "sessions",
    "units in several variants": "units",
    "units without variant": "units",
    "units in several segments": "units",
    "units without segment": "units",
    "events before the start": "events",
}
"""Each kind of finding, in the order of the report, and what its count is a share of."""
_FOUND, _RULES = kinds("found_{}", FINDINGS), kinds("rule_{}", FINDINGS)
_DROPPED = kinds("rule_{}_dropped", ("suspected bots", "events of suspected bots"))


def evaluate(
    events: object,
    measures: object = DEFAULT_MEASURES,
    *,
    by: str | None = None,
    unit: Unit = "user",
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
    **settings: Unpack[Counting],
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
        What was randomised, or what is independent: ``user``, ``session``, ``request``, ``hour`` or ``day``. Intervals
        are about it.
    columns, types, format
        As for :func:`rankmeter.online.read_events`.
    settings
        ``level``, ``resamples``, ``seed``, ``bots``, ``crossed``: see :class:`.questions.Counting`.

    Examples
    --------
    >>> import rankmeter as rm
    >>> log = [{"time": 0, "user": "u", "item": i, "type": "impression"} for i in "abcd"]
    >>> log += [{"time": 5, "user": "u", "item": "b", "type": "click"}]
    >>> rm.online.evaluate(log, "CTR")["CTR"]
    0.25
    """
    plan = ExperimentPlan.of(settings, Counting)
    chosen = into_online(measures)
    log, role = _grouped(events, by, columns, types, format)
    question = Question(with_companions(chosen, unit), unit=unit, by=(role,) if role else (), plan=plan)
    counted, notes = counted_by_unit(log, question)
    groups = {label: sums for label, sums in sorted(counted.groups.items()) if sums.n or not role}
    if not groups and (crossed := counted.found["units in several variants"]):
        raise InputError.of(
            "online.nobody_in_groups", source=log.source, unit=counted.question.unit, by=by, crossed=crossed
        )
    return OnlineEvaluation(
        by=by or "",
        estimates={
            " ".join(label): group_values(
                sums, question.measures, plan.look(), counted.located.get(label), counted.resampled.get(label)
            )
            for label, sums in groups.items()
        },
        sums={" ".join(label): sums for label, sums in groups.items()},
        **described(log, counted, notes),
    )


def counted_by_unit(log: Events, question: Question) -> tuple[Counted, list[Said]]:
    """Count, by users where the log shows that users were assigned and not the smaller units that were asked for."""
    counted = count(log, question)
    crossed, expected = counted.found["users in several variants"], counted.tally.expected_crossed
    if expected < ENOUGH_TO_SEE or crossed > expected / 2:
        return counted, []
    note = said("unit_is_user", unit=question.unit, crossed=crossed, expected=expected,
                several=counted.found["users with several units"])  # fmt: skip
    return count(log, replace(question, unit="user")), [note]


def described(log: Events, counted: Counted, notes: Sequence[Said]) -> dict[str, Any]:
    """What every result of a log carries beside its numbers."""
    question = counted.question
    capped = [said("winsorised", measure=str(measure), cap=cap) for measure, cap in counted.caps.items()]
    windows = [said("windows_are_units", unit=question.unit)] if question.unit in WINDOWS else []
    return {
        "source": log.source,
        "unit": question.unit,
        "measures": question.measures,
        "findings": findings(log, counted),
        "notes": (*notes_of(log, counted), *windows, *capped, *notes),
        "counts": _counts(counted),
        "positions": position_rates(counted, level=question.plan.level),
        "lengths": tuple(
            Bin(float(end), int(n)) for end, n in zip([*LENGTHS, np.inf], counted.tally.lengths, strict=True)
        ),
    }


def _counts(counted: Counted) -> dict[str, int]:
    """How much of everything there is: from the start on, where there is one."""
    found = counted.found
    events = counted.seen.rows - found["events before the start"]
    counts = {name: int(found[name]) for name in _COUNTS}
    return {"events": events, **counts, "users": int(found["users of the experiment"])}


def into_online(measures: object) -> list[OnlineMeasure]:
    """The measures that were asked for; those that need judgments are refused."""
    chosen: list[Any] = into_measures(measures)
    if others := [str(measure) for measure in chosen if not isinstance(measure, OnlineMeasure)]:
        raise MeasureError.of("online.needs_judgments", others=others)
    return chosen


def _grouped(
    events: object, by: str | None, columns: Mapping[str, str] | None, types: Any, format: str | None
) -> tuple[Events, str]:
    """The log and the role of what divides its units."""
    if by is not None and not isinstance(by, str):
        raise InputError.of("online.by_not_a_name", by=by)
    if by in (None, "variant", "segment"):
        return read_events(events, columns=columns, types=types, format=format), by or ""
    check_divides(events, by, columns, ("variant", "segment"))
    if isinstance(events, Events):
        return events, "variant" if events.columns.get("variant") == by else "segment"
    log = read_events(events, columns={**(columns or {}), "segment": by}, types=types, format=format)
    # A column that is the variant is treated as one, so that a user in two of them is noticed.
    return log, "variant" if log.columns.get("variant") == by else "segment"


def check_divides(events: object, by: str, columns: Mapping[str, str] | None, roles: Sequence[str]) -> None:
    """Refuse a column that cannot divide units.

    To divide by the position or the item would take that column away from what it is for, and a log that has been read
    has the columns that it was read with.
    """
    if isinstance(events, Events):
        if not any(by in (role, events.columns.get(role)) for role in roles):
            raise InputError.of("online.read_without_column", by=by)
        return
    usual = next((role for role, names in EVENT_NAMES.items() if fold(by) in map(fold, names)), "segment")
    if usual not in roles and usual not in (columns or {}):
        raise InputError.of("online.by_of_event", by=by, role=usual)


def findings(events: Events, counted: Counted) -> tuple[Finding, ...]:
    """Everything odd that occurred, in the order of :data:`FINDINGS`."""
    seen, question = counted.seen, counted.question
    counts = counted.found + seen.found
    unknown = {word: n for word, n in seen.types.items() if word.casefold() not in events.kinds}
    counts["events of unknown type"] = sum(unknown.values())
    if not any(isinstance(measure, SessionMeasure) for measure in question.measures):
        counts["sessions of one event"] = 0
    listed = []
    paid = counts["conversions"] + counts["refunds"]
    wholes = Counter({**counts, "events": seen.rows, "conversions": paid})
    for name, whole in FINDINGS.items():
        if counts[name]:
            share = counts[name] / max(wholes[whole], 1)
            listed.append(Finding(said(_FOUND[name]), counts[name], share, _rule(name, question, unknown)))
    return tuple(listed)


def _rule(name: str, question: Question, unknown: Mapping[str, int]) -> Said:
    """What was done about a finding, as the question asked for it."""
    if name == "events of unknown type":
        words = [f"'{word}'" for word in sorted(unknown, key=lambda word: (-unknown[word], word))]
        return said(_RULES[name], words=examples(words))
    if name in _DROPPED:
        limit = {"limit": MOMENTS_PER_HOUR} if name == "suspected bots" else {}
        return said((_DROPPED if question.plan.bots == "drop" else _RULES)[name], **limit)
    if name == "units in several variants" and question.plan.crossed == "first":
        return said("rule_units_in_several_variants_first")
    if name == "events without session id":
        rules = {getattr(measure, "sessions", None) for measure in question.measures}
        if "id" in rules and "auto" not in rules:
            return said("rule_events_without_session_id_only")
    return said(_RULES[name])


def notes_of(log: Events, counted: Counted) -> tuple[Said, ...]:
    """What was decided about the log as a whole."""
    notes = list(log.notes)
    seen = counted.seen
    if log.layout != "plain":
        notes.append(said("layout_is", name="OpenSearch UBI" if log.layout == "ubi" else "Google Analytics 4"))
    if log.columns.get("item", "").startswith("items."):
        notes.append(said("items_are_events"))
    if seen.span is not None:
        notes.append(said("log_span", first=_moment_shown(seen.span[0]), last=_moment_shown(seen.span[1])))
    if seen.lowest_position == 0:
        notes.append(said("positions_from_zero"))
    if unused := [*_groups_unread(log, counted), *log.unused]:
        notes.append(said("columns_unread", names=examples(unused, shown=12)))
    if not log.has("request"):
        notes.append(said("no_request"))
    if not log.has("session"):
        notes.append(said("no_session_id"))
    return (*notes, *_notes_of_kinds(counted))


def _groups_unread(log: Events, counted: Counted) -> list[str]:
    """The columns that divide units, where nobody asked for groups."""
    roles = ("variant", "segment")
    return [log.columns[role] for role in roles if role in log.columns and role not in counted.question.by]


def _notes_of_kinds(counted: Counted) -> list[Said]:
    """What a log without some kind of event, or of clicked things alone, cannot tell."""
    notes = []
    for measure in counted.question.measures:
        missing = [kind for kind in kinds_needed(measure) if not counted.found[f"{kind}s"]]
        if missing:
            notes.append(said("log_without_kind", measure=str(measure), kind=said(KINDS_SAID[missing[0]])))
        elif isinstance(measure, ClickThroughRate) and all(
            0 < sums.mean(numerator(measure)) == sums.mean(denominator(measure)) for sums in counted.groups.values()
        ):
            notes.append(said("log_of_the_clicked", measure=str(measure)))
    return notes


def _moment_shown(time: int) -> str:
    try:
        return datetime.fromtimestamp(time / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{time} us"


def position_rates(counted: Counted, *, level: float) -> tuple[PositionRate, ...]:
    """The click-through rate at each position, with intervals by the delta method over users."""
    users = int(counted.found["users of the experiment"])
    half_of = t_quantile(level, users - 1) if users > 1 else math.nan
    rates = []
    for place, (shown, clicked, shown_2, clicked_2, both) in enumerate(counted.tally.positions.tolist(), start=1):
        if shown == 0:
            continue
        rate = clicked / shown
        # The linearised values have mean 0, so the plain squares lose nothing.
        spread = (clicked_2 - 2 * rate * both + rate**2 * shown_2) / max(users - 1, 1) * users
        half = half_of * math.sqrt(max(spread, 0.0)) / shown
        low = math.nan if math.isnan(half) else max(0.0, rate - half)
        rates.append(PositionRate(place, int(shown), int(clicked), rate, low, rate + half))
    return tuple(rates)
