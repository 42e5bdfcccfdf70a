"""From events to what each unit adds above and below the line of each measure, and from there to sums.

One pass over the log serves every measure. A partition of whole users is sorted once; a measure is then two arrays with
a number per unit, and a partition is a few sums.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, with_hint
from rankmeter.measures.online import EngagedSessions, OnlineMeasure, SessionDuration, SessionMeasure
from rankmeter.online.bootstrap import Resampled
from rankmeter.online.contributions import amounts, is_engaged, is_per_user, parts
from rankmeter.online.equal_rows import changes
from rankmeter.online.events import CLICK, CONVERSION, IMPRESSION, Events
from rankmeter.online.locations import located
from rankmeter.online.log import Bools, Floats, Ints, Log
from rankmeter.online.partitions import MOST_LABELS, Partitions, Seen
from rankmeter.online.questions import (
    ALL,
    LENGTHS,
    NO_SEGMENT,
    POSITIONS,
    WINDOWS,
    Counted,
    Label,
    Question,
    Unit,
    check_answerable,
)
from rankmeter.online.sums import BEFORE, Sums, above, below

MOST_DAYS = 400
"""A longer log is not an experiment day by day."""

_DEFAULT_SESSIONS = SessionDuration()
_DEFAULT_ENGAGED = EngagedSessions()


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
                drop_bots=question.plan.bots == "drop",
            )
            if len(log):
                _count_partition(log, question, counted, number)
    if question.unit in WINDOWS:
        _sum_windows(counted, question)
    elif counted.kept:
        _locate(counted, question)
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
    tables = [_table(log, question, unit, units)]
    if before is not None:
        tables.append(_of_users(before, log, question, idle=True))
    if question.covariates:
        tables.append(_covariates(whole, log, question))
    table = np.hstack(tables)
    group, labels = _groups_of(log, question, unit, units, counted)
    if question.unit in WINDOWS:
        counted.kept.append((_window_ids(log, question.unit), table, *_labels_of_windows(log, question, unit, units)))
    else:
        _add_groups(table, group, labels, question, counted, number)
        _keep_values(log, question, counted, (table, group, labels, unit))
    if question.days:
        _count_days(log, question, counted, group, labels)
    _describe(log, counted, question)
    counted.found += whole.found + (log.found if log is not whole else Counter())


def _add_groups(
    table: Floats, group: Ints, labels: list[Label], question: Question, counted: Counted, number: int
) -> None:
    """Add the units of a partition, or of all windows, to the sums of their groups."""
    plan = question.plan
    for code, label in enumerate(labels):
        rows = table[group == code]
        _add(counted.groups, label, Sums.of_rows(question.names, rows))
        if plan.resamples:
            _add(counted.resampled, label, Resampled.of_rows(rows, plan.resamples, (plan.seed, number, code)))


def _add(totals: dict[Any, Any], key: Any, part: Any) -> None:
    totals[key] = totals[key] + part if key in totals else part


def _table(log: Log, question: Question, unit: Ints, units: int) -> Floats:
    """(units, columns) what each unit adds above and below the line of each measure."""
    made = [part for one in question.summed for part in parts(one, log, unit, units)]
    return np.column_stack(made) if made else np.zeros((units, 0))


def _of_users(other: Log, log: Log, question: Question, *, idle: bool) -> Floats:
    """(users, columns) the same of the same users in another part of the log.

    Who is not there did nothing. Where a measure is about users and ``idle`` ones count, that is a 0 of theirs;
    otherwise it is no part of any quotient.
    """
    row = [part for one in question.summed for part in (0.0, float(idle and is_per_user(one)))]
    table = np.tile(row, (log.users, 1))
    if len(other):
        earlier = _table(other, question, other.user, other.users)
        _, place, other_place = np.intersect1d(log.user_ids, other.user_ids, assume_unique=True, return_indices=True)
        table[place] = earlier[other_place]
    return table


def _covariates(whole: Log, log: Log, question: Question) -> Floats:
    """(users, 2 x covariates) the first known value of each user, and whether there is one; where not, 0."""
    table = np.zeros((log.users, 2 * len(question.covariates)))
    _, place, whole_place = np.intersect1d(log.user_ids, whole.user_ids, assume_unique=True, return_indices=True)
    for number in range(len(question.covariates)):
        column = whole.column(f"covariate {number}")
        rows = np.flatnonzero(~np.isnan(column))[::-1]
        first = np.zeros((whole.users, 2))
        first[whole.user[rows]] = np.column_stack([column[rows], np.ones(len(rows))])
        table[place, 2 * number : 2 * number + 2] = first[whole_place]
    return table


def _window_ids(log: Log, unit: Unit) -> Ints:
    return np.unique(log.time // WINDOWS[unit])


def _labels_of_windows(log: Log, question: Question, unit: Ints, units: int) -> tuple[Ints, Ints]:
    """(windows,) the lowest and the highest code of the variants seen in each window, by these users."""
    if not question.by:
        return np.zeros(units, np.int64), np.zeros(units, np.int64)
    label = log.column(question.by[0]).astype(np.int64)
    lowest, highest = np.full(units, MOST_LABELS), np.full(units, -1)
    known = label >= 0
    np.minimum.at(lowest, unit[known], label[known])
    np.maximum.at(highest, unit[known], label[known])
    return lowest, highest


def _sum_windows(counted: Counted, question: Question) -> None:
    """Put together the windows of time, which all partitions have a part of."""
    ids = np.concatenate([ids for ids, *_ in counted.kept])
    codes, where = np.unique(ids, return_inverse=True)
    table = np.zeros((len(codes), counted.kept[0][1].shape[1]))
    np.add.at(table, where, np.vstack([rows for _, rows, *_ in counted.kept]))
    words = counted.seen.labels[question.by[0]] if question.by else [ALL]
    labels: list[Label] = [(word,) for word in words]
    lowest, highest = np.full(len(codes), len(labels)), np.full(len(codes), -1)
    for ends, reached, of_partition in ((np.minimum, lowest, 2), (np.maximum, highest, 3)):
        ends.at(reached, where, np.concatenate([kept[of_partition] for kept in counted.kept]))
    crossed = (lowest != highest) & (highest >= 0)
    counted.found["units in several variants"] = int(crossed.sum())
    counted.found["units without variant"] = int((highest < 0).sum())
    mine = np.where((highest < 0) | (crossed & (question.plan.crossed == "drop")), -1, lowest)
    _add_groups(table, mine, labels, question, counted, 0)


def _keep_values(log: Log, question: Question, counted: Counted, units: tuple[Any, ...]) -> None:
    """Keep the values of units for measures that are not sums."""
    table, group, labels, unit = units
    kept: dict[OnlineMeasure, Any] = {}
    for measure in question.measures:
        if getattr(measure, "winsor", None) is not None:
            kept[measure] = table[:, [place for place, name in enumerate(question.names) if _is_of(name, measure)]]
        elif measure.is_located:
            values, home = amounts(measure, log, unit)
            kept[measure] = values, home
    if kept:
        counted.kept.append((kept, group, labels))


def _is_of(name: str, measure: OnlineMeasure) -> bool:
    return name.removesuffix(BEFORE) in (above(measure), below(measure))


def _locate(counted: Counted, question: Question) -> None:
    """Cap the totals of users at their quantile, and find quantiles and trimmed means, from all values together."""
    labels = counted.kept[0][2]
    groups = [group for _, group, _ in counted.kept]
    for measure in counted.kept[0][0]:
        made = [kept[measure] for kept, *_ in counted.kept]
        if not measure.is_located:
            table = np.vstack(made)
            names = tuple(name for name in question.names if _is_of(name, measure))
            for column in range(0, len(names), 2):  # now, and before
                cap = float(np.quantile(table[:, column], measure.winsor))
                table[:, column] = np.minimum(table[:, column], cap)
                counted.caps.setdefault(measure, cap)
            for code, label in enumerate(labels):
                capped = Sums.of_rows(names, table[np.concatenate(groups) == code])
                counted.groups[label] = counted.groups[label].with_columns(capped)
            continue
        offsets = np.cumsum([0, *(len(group) for group in groups[:-1])])
        values = np.concatenate([values for values, _ in made])
        home = np.concatenate([home + offset for (_, home), offset in zip(made, offsets, strict=True)])
        of_value = np.concatenate(groups)[home]
        for code, label in enumerate(labels):
            mine = of_value == code
            counted.located.setdefault(label, {})[measure] = located(measure, values[mine], home[mine])


def _count_days(log: Log, question: Question, counted: Counted, group: Ints, labels: list[Label]) -> None:
    """Each day on its own, everything up to its end, and the second half of the days beside the first."""
    first, last = (int(moment or 0) // WINDOWS["day"] for moment in (counted.seen.first_time, counted.seen.last_time))
    first = max(first, (question.start or 0) // WINDOWS["day"]) if question.start is not None else first
    if last - first >= MOST_DAYS:
        raise InputError(f"the log has {last - first + 1:,} days; day by day at most {MOST_DAYS} can be shown.")
    day = log.time // WINDOWS["day"]
    order = np.argsort(log.user_ids)
    ids = log.user_ids[order]
    for number in range(first, last + 1):
        for name, rows in (("daily", day == number), ("cumulative", day <= number)):
            part = Log.part(log, rows)
            if len(part):
                table = _table(part, question, part.user, part.users)
                mine = group[order[np.searchsorted(ids, part.user_ids)]]
                for code, label in enumerate(labels):
                    names = question.names[: table.shape[1]]
                    _add(counted.days, (label, number, name), Sums.of_rows(names, table[mine == code]))
    early = day < first + (last + 1 - first) / 2
    if last > first:
        halves = [_of_users(Log.part(log, rows), log, question, idle=False) for rows in (~early, early)]
        plain = question.names[: halves[0].shape[1]]
        names = (*plain, *(name + BEFORE for name in plain))
        for code, label in enumerate(labels):
            _add(counted.halves, label, Sums.of_rows(names, np.hstack(halves)[group == code]))


def units_of(log: Log, unit: Unit) -> tuple[Ints, int]:
    """(n,) the unit of each event, -1 where it has none; and how many units there are."""
    if unit == "user":
        return log.user, log.users
    if unit in WINDOWS:
        ids, of_event = np.unique(log.time // WINDOWS[unit], return_inverse=True)
        return of_event, len(ids)
    if unit == "session":
        table = log.sessions(_DEFAULT_SESSIONS)
        return table.of_event, len(table.user)
    return log.requests()


def _groups_of(log: Log, question: Question, unit: Ints, units: int, counted: Counted) -> tuple[Ints, list[Label]]:
    """(units,) the group of each unit, -1 for one that belongs to none; and the label of each group."""
    code = np.zeros(units, np.int64)
    labels: list[Label] = [()]
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
    if role == "variant":
        if question.unit in ("session", "request"):
            _compare_with_users(log, unit, found, counted)
        if question.plan.crossed == "drop":
            found[several] = -1
    return found


def _compare_with_users(log: Log, unit: Ints, variant: Ints, counted: Counted) -> None:
    """Count the users with several units, those of them in several variants, and how many would be by chance."""
    rows = np.flatnonzero(changes(unit) & (unit >= 0))
    mine, first = np.unique(unit[rows], return_index=True)
    user, variant = log.user[rows[first]], variant[mine]
    user, variant = user[variant >= 0], variant[variant >= 0]
    if not len(user):
        return
    shares = np.bincount(variant) / len(variant)
    units = np.bincount(user, minlength=log.users)
    pairs = np.unique(user * len(shares) + variant)
    counted.found["users with several units"] += int((units > 1).sum())
    counted.found["users in several variants"] += int((np.bincount(pairs // len(shares)) > 1).sum())
    counted.expected_crossed += float((1 - (shares[:, None] ** units[units > 1]).sum(axis=0)).sum())


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
