"""From events to what each unit adds to the numerator and denominator of each measure, and from there to sums.

One pass over the log serves every measure. A partition of whole users is sorted once; a measure is then two arrays with
a number per unit, and a partition is a few sums.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.exact_sums import rounded
from rankmeter.errors import InputError
from rankmeter.placing.matching import Hashes, mixed_hashes
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import row_changes
from rankmeter.wings.online.contributions import amounts, is_engaged, is_per_user, located, parts_by_unit
from rankmeter.wings.online.estimates import GroupValue
from rankmeter.wings.online.events import CLICK, CONVERSION, IMPRESSION, Events
from rankmeter.wings.online.heavy_units import Heaviest
from rankmeter.wings.online.log import Log, first_of_each
from rankmeter.wings.online.measures import EngagedSessions, OnlineMeasure, SessionDuration, SessionMeasure
from rankmeter.wings.online.partitions import MOST_LABELS, Columns, Seen, Words, partitioned
from rankmeter.wings.online.questions import ALL, NO_SEGMENT, WINDOWS, Question, Unit, check_answerable, check_types
from rankmeter.wings.online.sums import BEFORE, Draws, Sums, Totals, denominator, numerator, totals_by

MOST_DAYS = 400
"""A longer log is not an experiment day by day."""

POSITIONS = 20
"""How many positions the curve by position has."""
LENGTHS = (0.0, 1.0, 10.0, 30.0, 60.0, 180.0, 600.0, 1800.0, 3600.0)
"""Where the bins of the distribution of session lengths end, in seconds: exactly 0, up to 1, up to 10, ..."""

_DEFAULT_SESSIONS = SessionDuration()
_DEFAULT_ENGAGED = EngagedSessions()


Label = tuple[str, ...]


@dataclass
class UserTally:
    """What was counted of some whole users, in a form that adds up exactly, whoever counted them."""

    groups: dict[Label, Totals] = field(default_factory=dict)
    heaviest: dict[Label, Heaviest] = field(default_factory=dict)
    """The units of each group that a quotient may rest on."""
    days: dict[tuple[Label, int, str], Totals] = field(default_factory=dict)
    """By group, day and whether it is the day alone (``daily``) or everything up to its end (``cumulative``)."""
    halves: dict[Label, Totals] = field(default_factory=dict)
    """The second half of the days, with the first as what was before."""
    draws: dict[Label, Draws] = field(default_factory=dict)
    windows: dict[int, npt.NDArray[Any]] = field(default_factory=dict)
    """(d,) the exact totals of what users did in each window of time."""
    variants_of_windows: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Which variants, by their codes, were seen in which window."""
    found: Counter[str] = field(default_factory=Counter)
    units_of_users: Counter[int] = field(default_factory=Counter)
    """How many users have each number of units, where units are smaller than users."""
    units_of_variants: Counter[int] = field(default_factory=Counter)
    positions: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((POSITIONS, 5)))
    """For each position the totals over users of impressions, clicks, and their squares and product."""
    lengths: Ints = field(default_factory=lambda: np.zeros(len(LENGTHS) + 1, np.int64))
    """How many sessions there are in each bin of lengths."""
    kept: list[tuple[Any, ...]] = field(default_factory=list)
    """Values of units, for what is computed from all values together."""

    def add(self, other: UserTally) -> None:
        """Add what was counted of other users."""
        for name in (part.name for part in fields(self)):
            mine, more = getattr(self, name), getattr(other, name)
            if type(mine) is dict:
                for key, part in more.items():
                    add_to(mine, key, part)
            else:
                setattr(self, name, mine + more)

    @property
    def expected_crossed(self) -> float:
        """How many users would be in several variants if units smaller than users had been assigned."""
        units = sum(self.units_of_variants.values())
        shares = [count / units for _, count in sorted(self.units_of_variants.items())]
        several = [(size, users) for size, users in sorted(self.units_of_users.items()) if size > 1]
        return math.fsum(users * (1 - math.fsum(share**size for share in shares)) for size, users in several)


def add_to(totals: dict[Any, Any], key: Any, part: Any) -> None:
    """Add a part to what has the same key."""
    totals[key] = totals[key] + part if key in totals else part


@dataclass
class Counted:
    """What was counted, over the whole log; totals are rounded once."""

    question: Question
    seen: Seen
    tally: UserTally
    groups: dict[Label, Sums]
    resampled: dict[Label, Floats]
    days: dict[tuple[Label, int, str], Sums]
    """As in `UserTally`."""
    halves: dict[Label, Sums]
    located: dict[Label, dict[OnlineMeasure, GroupValue]] = field(default_factory=dict)
    """The quantiles and trimmed means of each group."""
    heaviest: dict[Label, Heaviest] = field(default_factory=dict)
    """As in `UserTally`."""
    caps: dict[OnlineMeasure, float] = field(default_factory=dict)
    """Where the totals of users were capped, for measures that say so."""

    @property
    def found(self) -> Counter[str]:
        """How often each fact was met."""
        return self.tally.found


def count(events: Events, question: Question) -> Counted:
    """Count a log, partition by partition, here or where the log is."""
    check_answerable(events, question)
    work = partial(count_partition, question=question, kinds=events.kinds)
    with partitioned(events, question.needed()) as partitions:
        seen = partitions.seen
        if seen.span is None:
            raise _nothing_in(events, seen)
        check_types(events, seen.types, question)
        tally = UserTally()
        for part in partitions.each(work):
            tally.add(part)
    if question.unit in WINDOWS:
        _add_windows(question, seen, tally)
    names = question.names
    plain = names[: 2 * len(question.summed)]
    both = (*plain, *(name + BEFORE for name in plain))
    counted = Counted(
        question, seen, tally,
        groups={label: Sums.of(names, totals) for label, totals in tally.groups.items()},
        resampled={label: draws.resampled(question.plan.resamples) for label, draws in tally.draws.items()},
        days={key: Sums.of(plain, totals) for key, totals in tally.days.items()},
        halves={label: Sums.of(both, totals) for label, totals in tally.halves.items()},
        heaviest=tally.heaviest,
    )  # fmt: skip
    if tally.kept:
        _locate(counted)
    return counted


def _nothing_in(events: Events, seen: Seen) -> InputError:
    """Why a log has nothing to count."""
    if not seen.rows:
        return InputError.of("online.log_empty", source=events.source)
    user, time = (seen.found[f"events without {what}"] for what in ("user", "readable time"))
    return InputError.of(
        "online.no_usable_event", source=events.source, rows=seen.rows, without_user=user, without_time=time
    )


def count_partition(
    columns: Columns, seen: Seen, _words: Words, *, question: Question, kinds: Mapping[str, str]
) -> UserTally:
    """Count the events of some whole users, of a log of which ``seen`` says what holds for all of it."""
    has_impressions = any(kinds.get(word.casefold()) == "impression" for word in seen.types)
    whole = log = Log(columns, seen, has_impressions=has_impressions, drop_bots=question.plan.bots == "drop")
    tally = UserTally()
    if not len(whole):
        return tally
    before: Log | None = None
    if question.start is not None:
        early = whole.time < question.start
        before, log = whole.only(early), whole.only(~early)
        tally.found["events before the start"] += int(early.sum())
    if len(log):
        unit, units = units_of(log, question.unit)
        table = _table(log, question, unit, units)
        if before is not None:
            table = np.hstack([table, _of_users(before, log, question, idle=True)])
        if question.plan.covariates:
            table = np.hstack([table, _covariates(whole, log, len(question.plan.covariates))])
        if question.unit in WINDOWS:
            _count_windows(log, question, tally, unit, table)
        else:
            tally.found["units"] += units
            group, labels = _groups_of(log, question, unit, units, seen, tally)
            ids = _unit_ids(log, unit, units) if question.plan.resamples else None
            _add_groups(table, group, labels, ids, question, tally)
            _keep_values(log, question, tally, (table, group, labels, unit))
            if question.plan.days:
                _count_days(log, question, seen, tally, group, labels)
        _describe(log, tally, question)
    tally.found += whole.found + (log.found if log is not whole else Counter())
    # What came before the start is no part of what is described; bots are a share of all users.
    tally.found.update(log.kinds())
    tally.found["users of the experiment"] += log.users
    return tally


def _add_groups(
    table: Floats, group: Ints, labels: list[Label], ids: Hashes | None, question: Question, tally: UserTally
) -> None:
    """Add some units to the totals of their groups; those with ids are resampled too."""
    _add_rows(tally.groups, table, group, labels)
    for code, label in enumerate(labels):
        add_to(tally.heaviest, label, Heaviest.of_rows(table[group == code], question.summed))
    for code, label in enumerate(labels if ids is not None else ()):
        drawn = Draws.of_rows(table[group == code], ids[group == code], question.plan.resamples, question.plan.seed)  # type: ignore[index]
        add_to(tally.draws, label, drawn)


def _add_rows(totals: dict[Any, Totals], table: Floats, group: Ints, keys: Iterable[Any]) -> None:
    """Add the rows of each group to what has its key."""
    for code, key in enumerate(keys):
        add_to(totals, key, Totals.of_rows(table[group == code]))


def _unit_ids(log: Log, unit: Ints, units: int) -> Hashes:
    """(units,) what tells units apart, wherever they are counted: the user, and which of the user's units it is."""
    first = first_of_each(unit, unit >= 0, units)
    order = np.argsort(first, kind="stable")
    user = log.user[first[order]]
    begins = np.flatnonzero(row_changes(user))
    number = np.empty(units, np.uint64)
    number[order] = np.arange(units) - np.repeat(begins, np.diff(begins, append=units))
    return mixed_hashes(log.user_names[log.user[first]] + mixed_hashes(number))


def _table(log: Log, question: Question, unit: Ints, units: int) -> Floats:
    """(units, columns) what each unit adds to the numerator and to the denominator of each measure."""
    columns = [part for measure in question.summed for part in parts_by_unit(measure, log, unit, units)]
    return np.column_stack(columns) if columns else np.zeros((units, 0))


def _of_users(other: Log, log: Log, question: Question, *, idle: bool) -> Floats:
    """(users, columns) what the users of a log add in another part of it.

    Who is not there did nothing. Where a measure is about users and ``idle`` ones count, that is a 0 of theirs;
    otherwise it is not part of any quotient.
    """
    row = [part for measure in question.summed for part in (0.0, float(idle and is_per_user(measure)))]
    table = np.tile(row, (log.users, 1))
    if len(other):
        earlier = _table(other, question, other.user, other.users)
        _, place, other_place = np.intersect1d(log.user_ids, other.user_ids, assume_unique=True, return_indices=True)
        table[place] = earlier[other_place]
    return table


def _covariates(whole: Log, log: Log, covariates: int) -> Floats:
    """(users, 2 x covariates) the first known value of each user, and whether there is one; where not, 0."""
    table = np.zeros((log.users, 2 * covariates))
    _, place, whole_place = np.intersect1d(log.user_ids, whole.user_ids, assume_unique=True, return_indices=True)
    for number in range(covariates):
        column = whole.column(f"covariate {number}")
        rows = np.flatnonzero(~np.isnan(column))[::-1]
        first = np.zeros((whole.users, 2))
        first[whole.user[rows]] = np.column_stack([column[rows], np.ones(len(rows))])
        table[place, 2 * number : 2 * number + 2] = first[whole_place]
    return table


def _count_windows(log: Log, question: Question, tally: UserTally, unit: Ints, table: Floats) -> None:
    """Add what each user did in each window of time to the window, and which variants were seen in it."""
    numbers, window = np.unique(log.time // WINDOWS[question.unit], return_inverse=True)
    totals = totals_by(window[np.flatnonzero(row_changes(unit))], len(numbers), table)
    for number, part in zip(numbers.tolist(), totals, strict=True):
        add_to(tally.windows, number, part)
    label = log.column(question.by[0]).astype(np.int64) if question.by else np.zeros(len(log), np.int64)
    pairs = np.unique((window * MOST_LABELS + label)[label >= 0])
    codes = zip(numbers[pairs // MOST_LABELS].tolist(), (pairs % MOST_LABELS).tolist(), strict=True)
    tally.variants_of_windows.update(codes)


def _add_windows(question: Question, seen: Seen, tally: UserTally) -> None:
    """Add the windows of time, which all partitions have a part of, to the totals of their groups."""
    variants: dict[int, list[int]] = {number: [] for number in sorted(tally.windows)}
    for number, code in sorted(tally.variants_of_windows):
        variants[number].append(code)
    table = rounded(np.array([tally.windows[number] for number in variants], object))
    tally.found["units"] = len(variants)
    tally.found["units in several variants"] = sum(len(codes) > 1 for codes in variants.values())
    tally.found["units without variant"] = sum(not codes for codes in variants.values())
    most = 1 if question.plan.crossed == "drop" else MOST_LABELS
    group = np.array([codes[0] if 1 <= len(codes) <= most else -1 for codes in variants.values()])
    words = seen.labels[question.by[0]] if question.by else [ALL]
    ids = mixed_hashes(np.array(list(variants), np.int64).view(np.uint64)) if question.plan.resamples else None
    _add_groups(table, group, [(word,) for word in words], ids, question, tally)


def _keep_values(log: Log, question: Question, tally: UserTally, units: tuple[Any, ...]) -> None:
    """Keep the values of units for measures that are not sums."""
    table, group, labels, unit = units
    kept: dict[OnlineMeasure, Any] = {}
    for measure in question.measures:
        if getattr(measure, "winsor", None) is not None:
            kept[measure] = table[:, [place for place, name in enumerate(question.names) if _is_of(name, measure)]]
        elif measure.is_located:
            kept[measure] = amounts(measure, log, unit)
    if kept:
        tally.kept.append((kept, group, labels))


def _is_of(name: str, measure: OnlineMeasure) -> bool:
    return name.removesuffix(BEFORE) in (numerator(measure), denominator(measure))


def _locate(counted: Counted) -> None:
    """Cap the totals of users at their quantile, and find quantiles and trimmed means, from all values together."""
    labels = counted.tally.kept[0][2]
    groups = [group for _, group, _ in counted.tally.kept]
    for measure in counted.tally.kept[0][0]:
        values_kept = [kept[measure] for kept, *_ in counted.tally.kept]
        if not measure.is_located:
            table = np.vstack(values_kept)
            names = tuple(name for name in counted.question.names if _is_of(name, measure))
            for column in range(0, len(names), 2):  # now, and before
                cap = float(np.quantile(table[:, column], measure.winsor))
                table[:, column] = np.minimum(table[:, column], cap)
                counted.caps.setdefault(measure, cap)
            for code, label in enumerate(labels):
                capped = Sums.of_rows(names, table[np.concatenate(groups) == code])
                counted.groups[label] = counted.groups[label].with_columns(capped)
            continue
        offsets = np.cumsum([0, *(len(group) for group in groups[:-1])])
        values = np.concatenate([values for values, _ in values_kept])
        home = np.concatenate([home + offset for (_, home), offset in zip(values_kept, offsets, strict=True)])
        of_value = np.concatenate(groups)[home]
        for code, label in enumerate(labels):
            inside = of_value == code
            counted.located.setdefault(label, {})[measure] = located(measure, values[inside], home[inside])


def _count_days(log: Log, question: Question, seen: Seen, tally: UserTally, group: Ints, labels: list[Label]) -> None:
    """Each day on its own, everything up to its end, and the second half of the days beside the first."""
    first, last = (moment // WINDOWS["day"] for moment in seen.span or (0, 0))
    first = first if question.start is None else max(first, question.start // WINDOWS["day"])
    if last - first >= MOST_DAYS:
        raise InputError.of("online.too_many_days", last=last - first + 1, most_days=MOST_DAYS)
    day = log.time // WINDOWS["day"]
    order = np.argsort(log.user_ids)
    ids = log.user_ids[order]
    for number in range(first, last + 1):
        for name, rows in (("daily", day == number), ("cumulative", day <= number)):
            part = log.only(rows)
            if len(part):
                table = _table(part, question, part.user, part.users)
                of_user = group[order[np.searchsorted(ids, part.user_ids)]]
                _add_rows(tally.days, table, of_user, ((label, number, name) for label in labels))
    early = day < first + (last + 1 - first) / 2
    if last > first:
        halves = [_of_users(log.only(rows), log, question, idle=False) for rows in (~early, early)]
        _add_rows(tally.halves, np.hstack(halves), group, labels)


def units_of(log: Log, unit: Unit) -> tuple[Ints, int]:
    """(n,) the unit of each event, -1 where it has none; and how many units there are."""
    if unit == "user":
        return log.user, log.users
    if unit in WINDOWS:  # what one user did in one of them
        begins = row_changes(log.user) | row_changes(log.time // WINDOWS[unit])
        return np.cumsum(begins) - 1, int(begins.sum())
    if unit == "session":
        table = log.sessions(_DEFAULT_SESSIONS)
        return table.of_event, len(table)
    return log.requests


def _groups_of(
    log: Log, question: Question, unit: Ints, units: int, seen: Seen, tally: UserTally
) -> tuple[Ints, list[Label]]:
    """(units,) the group of each unit, -1 for one that belongs to none; and the label of each group."""
    code = np.zeros(units, np.int64)
    labels: list[Label] = [()]
    for role in question.by:
        words = seen.labels[role]
        of_unit = _label_of_units(log, role, unit, units, question, tally)
        if role == "segment" and "variant" in question.by:
            of_unit, words = np.where(of_unit < 0, len(words), of_unit), [*words, NO_SEGMENT]
        code = np.where((code >= 0) & (of_unit >= 0), code * len(words) + of_unit, -1)
        labels = [(*label, word) for label in labels for word in words]
    return code, labels if question.by else [(ALL,)]


def _label_of_units(log: Log, role: str, unit: Ints, units: int, question: Question, tally: UserTally) -> Ints:
    """(units,) the variant or segment of each unit: the first that it was seen with."""
    label = log.column(role)
    rows = np.flatnonzero((label >= 0) & (unit >= 0))
    of_unit = np.full(units, -1, np.int64)
    of_unit[unit[rows[::-1]]] = label[rows[::-1]]
    several = np.zeros(units, np.bool_)
    several[unit[rows[label[rows] != of_unit[unit[rows]]]]] = True
    tally.found[f"units in several {role}s"] += int(several.sum())
    tally.found[f"units without {role}"] += int((of_unit < 0).sum())
    if role == "variant":
        if question.unit in ("session", "request"):
            _compare_with_users(log, unit, of_unit, tally)
        if question.plan.crossed == "drop":
            of_unit[several] = -1
    return of_unit


def _compare_with_users(log: Log, unit: Ints, variant: Ints, tally: UserTally) -> None:
    """Count the users with several units, those of them in several variants, and how many would be by chance."""
    rows = np.flatnonzero(row_changes(unit) & (unit >= 0))
    ids, first = np.unique(unit[rows], return_index=True)
    user, variant = log.user[rows[first]], variant[ids]
    user, variant = user[variant >= 0], variant[variant >= 0]
    if not len(user):
        return
    units, of_variants = np.bincount(user, minlength=log.users), np.bincount(variant)
    pairs = np.unique(user * len(of_variants) + variant)
    tally.found["users with several units"] += int((units > 1).sum())
    tally.found["users in several variants"] += int((np.bincount(pairs // len(of_variants)) > 1).sum())
    tally.units_of_users.update(units.tolist())
    tally.units_of_variants.update(dict(enumerate(of_variants.tolist())))


def _describe(log: Log, tally: UserTally, question: Question) -> None:
    """What a reader wants to see beside the numbers: the funnel, the curve by position, the lengths of sessions."""
    pairs = log.exposures
    users = log.users
    for kind, name in ((IMPRESSION, "impression"), (CLICK, "click"), (CONVERSION, "conversion")):
        has = np.bincount(log.user[log.is_kind(kind)], minlength=users) > 0
        tally.found[f"users with {name}"] += int(has.sum())
    session_measure = next(
        (measure for measure in question.measures if isinstance(measure, SessionMeasure)), _DEFAULT_SESSIONS
    )
    table = log.sessions(session_measure)
    tally.found["sessions"] += len(table)
    tally.found["sessions of one event"] += int((table.events == 1).sum())
    tally.found["sessions of no length"] += int((table.last == table.first).sum())
    tally.found["sessions cut at the maximum length"] += table.cut
    tally.found["engaged sessions"] += int(is_engaged(_DEFAULT_ENGAGED, log, table).sum())
    tally.lengths += np.bincount(np.searchsorted(LENGTHS, table.seconds), minlength=len(LENGTHS) + 1)
    if log.has("position"):
        shown, clicked = pairs.first_impression, log.clicks("once", "drop")
        tally.found["impressions without position"] += int((shown & (pairs.position == 0)).sum())
        tally.positions += _by_position(log.user, users, pairs.position, shown, clicked)


def _by_position(user: Ints, users: int, position: npt.NDArray[np.int32], shown: Bools, clicked: Bools) -> Floats:
    """(positions, 5) totals over users of impressions, clicks, their squares and their product."""
    near = (position > 0) & (position <= POSITIONS)
    code = user * POSITIONS + (position - 1)
    i, c = (
        np.bincount(code[rows & near], minlength=users * POSITIONS).reshape(users, POSITIONS)
        for rows in (shown, clicked)
    )
    products = [np.einsum("up,up->p", counts, other) for counts, other in ((i, i), (c, c), (i, c))]
    return np.column_stack([i.sum(0), c.sum(0), *products]).astype(float)
