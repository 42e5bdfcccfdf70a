"""From events to what each unit adds above and below the line of each measure, and from there to sums.

One pass over the log serves every measure. A partition of whole users is sorted once; a measure is then two arrays with
a number per unit, and a partition is a few sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, MeasureError, with_hint
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
from rankmeter.online.adding import is_engaged, parts
from rankmeter.online.bootstrap import Resampled
from rankmeter.online.events import CLICK, CONVERSION, IMPRESSION, Events
from rankmeter.online.log import Bools, Floats, Ints, Log
from rankmeter.online.partitions import ROWS_PER_PARTITION, Partitions, Seen
from rankmeter.online.sums import BEFORE, Sums, above, below

Unit = Literal["user", "session", "request"]
UNITS: tuple[Unit, ...] = ("user", "session", "request")
ALL = ""
"""The group of everything."""
NO_SEGMENT = ""
"""The segment, beside a variant, of units that have none: they belong to the experiment all the same."""

POSITIONS = 20
"""How many positions the curve by position has."""
LENGTHS = (0.0, 1.0, 10.0, 30.0, 60.0, 180.0, 600.0, 1800.0, 3600.0)
"""Where the bins of the distribution of session lengths end, in seconds: exactly 0, up to 1, up to 10, ..."""

_DEFAULT_SESSIONS = SessionDuration()
_DEFAULT_ENGAGED = EngagedSessions()


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be counted."""

    measures: tuple[OnlineMeasure, ...]
    unit: Unit = "user"
    by: tuple[str, ...] = ()
    """The roles that divide units into groups: ``variant``, ``segment``."""
    start: int | None = None
    """When the experiment began, in microseconds: earlier events are what users did before."""
    crossed: Literal["drop", "first"] = "drop"
    """What happens to a unit that was seen in two variants."""
    bots: Literal["keep", "drop"] = "keep"
    resamples: int = 0
    seed: int = 0
    rows_per_partition: int = ROWS_PER_PARTITION

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the sums."""
        plain = [name for measure in self.measures for name in (above(measure), below(measure))]
        return (*plain, *(name + BEFORE for name in plain)) if self.start is not None else tuple(plain)

    def needed(self) -> set[str]:
        """The roles that must be read."""
        return {"request", "item", "position", "session", "value", "id", *self.by}


@dataclass
class Counted:
    """What was counted, over the whole log."""

    seen: Seen
    groups: dict[tuple[str, ...], Sums] = field(default_factory=dict)
    resampled: dict[tuple[str, ...], Resampled] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    positions: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((POSITIONS, 5)))
    """For each position the totals over users of impressions, clicks, and their squares and product."""
    lengths: Ints = field(default_factory=lambda: np.zeros(len(LENGTHS) + 1, np.int64))
    """How many sessions there are in each bin of lengths."""


def count(events: Events, question: Question) -> Counted:
    """Count a log, partition by partition."""
    check_answerable(events, question)
    with Partitions(events, question.needed(), rows_per_partition=question.rows_per_partition) as partitions:
        seen = partitions.seen
        if seen.last_time is None:
            raise InputError(_nothing_in(events, seen))
        counted = Counted(seen)
        has_impressions = any(events.kinds.get(word.casefold()) == "impression" for word in seen.types)
        for number, columns in enumerate(partitions):
            log = Log(
                columns,
                first_position=0 if seen.lowest_position == 0 else 1,
                last_time=seen.last_time,
                has_impressions=has_impressions,
                drop_bots=question.bots == "drop",
            )
            if len(log):
                _count_partition(log, question, counted, number)
    return counted


def _nothing_in(events: Events, seen: Seen) -> str:
    """Why a log has nothing to count."""
    if not seen.rows:
        return f"{events.source} is empty: it has no event with a user and a time."
    fact = (
        f"{events.source}: none of its {seen.rows:,} events has a user and a readable time "
        f"({seen.without_user:,} have no user, {seen.without_time:,} no readable time)."
    )
    return with_hint(fact, "times are datetimes, ISO text, or seconds since 1970")


def check_answerable(events: Events, question: Question) -> None:
    """Refuse what the log cannot answer, before it is read."""
    for measure in question.measures:
        needs = _needs(measure, question.unit)
        missing = [role for role in needs if not events.has(role)]
        if missing:
            if events.rows.head(1).collect().is_empty():
                raise InputError(f"{events.source} is empty: it has no event with a user and a time.")
            fact = f"{measure} needs the column of the {missing[0]}, which {events.source} does not have."
            raise InputError(with_hint(fact, f'columns={{"{missing[0]}": "NAME"}}'))
        if getattr(measure, "per", "") in ("user", "reach") and question.unit != "user":
            raise MeasureError(f"{measure} counts users, but the unit is the {question.unit}. Hint: unit='user'")
        if question.unit == "request" and not isinstance(measure, ClickThroughRate):
            raise MeasureError(f"{measure} cannot be counted by request: only clicks belong to one. Hint: unit='user'")
    for role in question.by:
        if not events.has(role):
            fact = f"{events.source} has no {role} column."
            raise InputError(with_hint(fact, f'columns={{"{role}": "NAME"}}'))


def _needs(measure: OnlineMeasure, unit: Unit) -> list[str]:
    needs = []
    if isinstance(measure, ClickThroughRate):
        needs += ["request"] if measure.per == "request" else []
        needs += ["position"] if measure.cutoff is not None else []
    if isinstance(measure, ConversionRate) and measure.per == "click" and measure.item == "same":
        needs += ["item"]
    if isinstance(measure, Value):
        needs += ["value"]
    if isinstance(measure, SessionMeasure) and measure.sessions == "id":
        needs += ["session"]
    return needs + (["request"] if unit == "request" else [])


def _count_partition(log: Log, question: Question, counted: Counted, number: int) -> None:
    before: Log | None = None
    whole = log
    if question.start is not None:
        early = whole.time < question.start
        before, log = Log.part(whole, early), Log.part(whole, ~early)
        counted.found["events before the start"] += int(early.sum())
        if not len(log):
            counted.found += whole.found
            return
    unit, units = units_of(log, question.unit)
    table = np.column_stack([part for one in question.measures for part in parts(one, log, unit, units)])
    if before is not None:
        table = np.hstack([table, _before(before, log, question)])
    group, labels = _groups_of(log, question, unit, units, counted)
    for code, label in enumerate(labels):
        rows = table[group == code]
        sums = Sums.of_rows(question.names, rows)
        counted.groups[label] = counted.groups[label] + sums if label in counted.groups else sums
        if question.resamples:
            drawn = Resampled.of_rows(rows, question.resamples, (question.seed, number, code))
            counted.resampled[label] = counted.resampled[label] + drawn if label in counted.resampled else drawn
    _describe(log, counted, question)
    counted.found += whole.found + (log.found if log is not whole else Counter())


def _before(before: Log, log: Log, question: Question) -> Floats:
    """What the units of the experiment did before it began; nothing where they were not there."""
    width = 2 * len(question.measures)
    table = np.zeros((log.users, width))
    if len(before):
        unit, units = units_of(before, "user")
        earlier = np.column_stack([part for one in question.measures for part in parts(one, before, unit, units)])
        _, place, earlier_place = np.intersect1d(log.user_ids, before.user_ids, assume_unique=True, return_indices=True)
        table[place] = earlier[earlier_place]
    return table


def units_of(log: Log, unit: Unit) -> tuple[Ints, int]:
    """(n,) the unit of each event, -1 where it has none; and how many units there are."""
    if unit == "user":
        return log.user, log.users
    if unit == "session":
        table = log.sessions(_DEFAULT_SESSIONS)
        return table.of_event, len(table.user)
    return log.requests()


def _groups_of(
    log: Log, question: Question, unit: Ints, units: int, counted: Counted
) -> tuple[Ints, list[tuple[str, ...]]]:
    """(units,) the group of each unit, -1 for one that belongs to none; and the label of each group."""
    code = np.zeros(units, np.int64)
    labels: list[tuple[str, ...]] = [()]
    for role in question.by:
        words = counted.seen.labels[role]
        found = _label_of_units(log, role, unit, units, question, counted)
        if role == "segment" and "variant" in question.by:
            found, words = np.where(found < 0, len(words), found), [*words, NO_SEGMENT]
        code = np.where((code >= 0) & (found >= 0), code * len(words) + found, -1)
        labels = [(*label, word) for label in labels for word in words]
    return code, labels if question.by else [(ALL,)]


def _label_of_units(log: Log, role: str, unit: Ints, units: int, question: Question, counted: Counted) -> Ints:
    """(units,) the variant or segment of each unit: the first that it was seen with."""
    label = log.column(role)
    rows = np.flatnonzero((label >= 0) & (unit >= 0))
    found = np.full(units, -1, np.int64)
    found[unit[rows[::-1]]] = label[rows[::-1]]
    several = np.zeros(units, np.bool_)
    several[unit[rows[label[rows] != found[unit[rows]]]]] = True
    counted.found[f"units in several {role}s"] += int(several.sum())
    counted.found[f"units without {role}"] += int((found < 0).sum())
    if role == "variant" and question.crossed == "drop":
        found[several] = -1
    return found


def _describe(log: Log, counted: Counted, question: Question) -> None:
    """What a reader wants to see beside the numbers: the funnel, the curve by position, the lengths of sessions."""
    pairs = log.exposures()
    users = log.users
    for kind, name in ((IMPRESSION, "impression"), (CLICK, "click"), (CONVERSION, "conversion")):
        has = np.bincount(log.user[log.is_kind(kind)], minlength=users) > 0
        counted.found[f"users with {name}"] += int(has.sum())
    session_measure = next((one for one in question.measures if isinstance(one, SessionMeasure)), _DEFAULT_SESSIONS)
    table = log.sessions(session_measure)
    counted.found["sessions"] += len(table.user)
    counted.found["sessions of one event"] += int((table.events == 1).sum())
    counted.found["sessions of no length"] += int((table.last == table.first).sum())
    counted.found["sessions cut at the maximum length"] += table.cut
    counted.found["engaged sessions"] += int(is_engaged(_DEFAULT_ENGAGED, log, table).sum())
    counted.lengths += np.bincount(np.searchsorted(LENGTHS, table.seconds), minlength=len(LENGTHS) + 1)
    if log.has("position"):
        shown, clicked = pairs.first_impression, log.clicks("once", "drop")
        counted.found["impressions without position"] += int((shown & (pairs.position == 0)).sum())
        counted.positions += _by_position(log.user, users, pairs.position, shown, clicked)


def _by_position(user: Ints, users: int, position: npt.NDArray[np.int32], shown: Bools, clicked: Bools) -> Floats:
    """(positions, 5) totals over users of impressions, clicks, their squares and their product."""
    near = (position > 0) & (position <= POSITIONS)
    code = user * POSITIONS + (position - 1)
    i, c = (
        np.bincount(code[rows & near], minlength=users * POSITIONS).reshape(users, POSITIONS)
        for rows in (shown, clicked)
    )
    products = [np.einsum("up,up->p", one, other) for one, other in ((i, i), (c, c), (i, c))]
    return np.column_stack([i.sum(0), c.sum(0), *products]).astype(float)


def with_companions(measures: Sequence[OnlineMeasure]) -> tuple[OnlineMeasure, ...]:
    """Conversions per user always stand beside a conversion rate: clicks come after the change that is tested."""
    found = dict.fromkeys(measures)
    if any(isinstance(one, ConversionRate) for one in measures):
        found.setdefault(Conversions())
    return tuple(found)
