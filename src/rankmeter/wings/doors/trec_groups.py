"""Judgments of trec_eval that are not one grade for each document: preferences, and several groups of grades.

A preference (-R prefs, qrels_prefs) is a pair of documents of which the first should stand above the second. A group
states them by levels: in each of its subgroups a document is preferred to all of a lower level. Groups may contradict
each other, a group itself may not; what follows from the subgroups of one group by transitivity is a preference too.
Judged documents are numbered: those that were returned, in their order, then the others by id. So a preference of
number a to number b is fulfilled if a < b and a was returned.

Grades in groups (-R qrels_jg), say one for each judge, are measured as if every group were a query of its own,
then averaged over the groups of a query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import groupby, takewhile
from operator import add
from typing import Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.doors.trec_columns import ColumnMaker, PrintedColumn, Scores
from rankmeter.wings.doors.trec_files import (
    HIGHEST_GRADE,
    JUDGMENT_FIELDS,
    Evaluated,
    Maker,
    as_printed,
    in_words,
    judgment_rows,
    note_odd,
    only_query,
    plan,
    ranked,
    read_returned,
    trouble_of_list,
    walk,
)
from rankmeter.wings.doors.trec_measures import BY_NAME, UNDEFINED, ProgramCall, Wanted, atof, atol
from rankmeter.wings.doors.trec_unusual import merge_sorted

PREFERENCE_FIELDS = ("query", "group", "subgroup", "document", "level")
Which = Literal["all", "ret", "imp"]
"""Which preferences count: all, those of two documents that were returned, or those of which at least one was."""
LEVEL_OF_NO_GROUP = -3.0
"""The program takes it for the level before the first, and so misses a group that begins with it."""


@dataclass(frozen=True, slots=True)
class Level:
    """The level of a document in a subgroup of a group."""

    group: str
    subgroup: str
    item: str
    level: float
    number: int = -1
    """The document, counted as told above."""


def read_grouped(command: ProgramCall, *, looks_at_documents: bool) -> Evaluated:
    """Read both files; the run is ranked as the measures of these judgments rank it."""
    is_graded = command.judgments_format == "qrels_jg"
    judged = _read_levels(command, is_graded=is_graded)
    rows, tag = read_returned(command.run, command.version)
    depth = None if command.depth is None else max(command.depth, 0)
    ids: Literal["falling", "rising"] = "falling" if is_graded else "rising"
    lists = {
        query: ranked(listed, depth, command.version, ids=ids) for query, listed in rows.items() if query in judged
    }
    stops: dict[str, InputError] = {}
    queries: dict[str, Preferences] = {}
    for query in judged if looks_at_documents else ():
        trouble = trouble_of_list(query, lists.get(query), command)
        if trouble is None and not is_graded:
            try:
                queries[query] = Preferences.of_query(query, judged[query], [item for item, _ in lists.get(query, ())])
            except InputError as error:
                trouble = error
        if trouble is not None:
            stops[query] = trouble
    # Nothing is placed: what counts here is which queries are on both sides.
    returned = {query: {} if query in stops else dict(listed) for query, listed in lists.items()}
    scores = Scores.of_mappings({query: {} for query in judged}, returned, plan(command.version))
    names = [as_printed(query) for query in scores.queries]
    order, stop = walk(scores, names, command, stops if looks_at_documents else None, only_query(command))

    def grouped(call: ProgramCall) -> Maker:
        usual = ColumnMaker(scores, call)
        if is_graded:
            return GroupColumns.placed(judged, returned, command.depth, usual)
        return PreferenceColumns([queries.get(query) for query in scores.queries], usual)

    return Evaluated(scores, names, order, tag, stop, 0, is_cut=True, grouped=grouped)


def _read_levels(command: ProgramCall, *, is_graded: bool) -> dict[str, list[Level]]:
    """All lines of a file of judgments, by query."""
    source, version = command.judgments, command.version
    names = PREFERENCE_FIELDS if command.judgments_format == "prefs" else JUDGMENT_FIELDS
    judged: dict[str, list[Level]] = {}
    odd: list[str] = []
    for fields in judgment_rows(source, version, names):
        query, group, *_, item, text = fields
        level = float(atol(text)) if is_graded else atof(text)
        if version == 9 and not is_graded:
            level = _in_single_precision(level)
        if is_graded and level >= HIGHEST_GRADE:
            room = HIGHEST_GRADE
            raise InputError.of(
                "doors.grade_too_high", source=source, grade=int(level), query=in_words(query), room=room
            )
        judged.setdefault(query, []).append(Level(group, fields[2] if names is PREFERENCE_FIELDS else "", item, level))
        if not _is_plain(text, whole=is_graded):
            odd.append(f"'{in_words(text)}' as {level:g}")
    note_odd(source, "grade" if is_graded else "level", odd)
    if is_graded:
        for query, levels in judged.items():
            seen: set[tuple[str, str]] = set()
            for row in levels:
                if (row.group, row.item) in seen:
                    raise InputError.of(
                        "doors.judged_twice_in_group",
                        source=source, item=in_words(row.item), query=in_words(query), group=in_words(row.group),
                    )  # fmt: skip
                seen.add((row.group, row.item))
    return judged


def _in_single_precision(level: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(level))


def _is_plain(text: str, *, whole: bool) -> bool:
    if whole:
        return text.lstrip("+-").isdecimal()
    try:
        return float(text) == float(text) and "_" not in text
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class PreferenceCounts:
    """How many preferences there are, and how many of them the list fulfils."""

    fulfilled: int
    possible: int
    fulfilled_by_absence: int
    possible_by_absence: int
    without_either: int

    @classmethod
    def of(cls, wins: Ints, returned: int) -> PreferenceCounts:
        """Of (n, n) how often number a is preferred to number b."""
        inside = wins[:returned, :returned]
        above = int(wins[:returned, returned:].sum())
        return cls(
            fulfilled=int(np.triu(inside, 1).sum()),
            possible=int(inside.sum()),
            fulfilled_by_absence=above,
            possible_by_absence=above + int(wins[returned:, :returned].sum()),
            without_either=int(wins[returned:, returned:].sum()),
        )

    def share(self, which: Which) -> tuple[int, int]:
        """Fulfilled and possible ones."""
        if which == "ret":
            return self.fulfilled, self.possible
        fulfilled, possible = self.fulfilled + self.fulfilled_by_absence, self.possible + self.possible_by_absence
        return fulfilled, possible + (self.without_either if which == "all" else 0)


@dataclass(frozen=True, slots=True)
class PreferenceGroup:
    """The preferences of one group, and what makes two measures of them balanced."""

    wins: Ints
    """(n, n) how often number a is preferred to number b: more than once only where lines are repeated."""
    relevant: Ints
    """(n,) how often a document has a level above 0."""
    nonrelevant: Ints
    """(n,) how often one that counts as not relevant."""
    levels: Ints | None = None
    """(m, n) how often a document has each level, the highest first; None where the group has subgroups."""
    first: int = 0
    """Where its documents begin in the pool."""

    def balanced(self, which: Which, returned: int, pool: list[int]) -> tuple[int, int]:
        """Fulfilled and possible preferences, given as many documents that are not relevant as are."""
        seen = returned if which == "ret" else len(self.relevant)
        relevant, nonrelevant = int(self.relevant[:seen].sum()), int(self.nonrelevant[:seen].sum())
        fulfilled, possible = PreferenceCounts.of(self.wins, returned).share(which)
        if relevant >= nonrelevant:
            more = relevant - nonrelevant
            above = int(self.relevant[:returned].sum())
            return fulfilled + above * more, possible + int(self.relevant.sum()) * more
        if self.levels is None:
            return self._of_first_documents(which, returned, seen)
        # The first documents of the lowest level, as many as are relevant; the program looks at them beside all levels,
        # their own included, and reads on where there are fewer.
        start = self.first + int(self.levels[:-1].sum())
        lowest = pool[start : start + relevant]
        is_short = len(lowest) < relevant
        if which == "ret":
            kept = list(takewhile(lambda number: number < returned, lowest))
            is_short, lowest = is_short and len(kept) == len(lowest), kept
        if is_short:
            raise InputError.of("doors.levels_below_zero", undefined=UNDEFINED)
        chosen = np.bincount(np.array(lowest, np.int64), minlength=len(self.relevant))
        wins = _wins(self.levels[:-1]) + np.outer(self.levels.sum(axis=0), chosen)
        return PreferenceCounts.of(wins, returned).share(which)

    def _of_first_documents(self, which: Which, returned: int, seen: int) -> tuple[int, int]:
        places = np.flatnonzero(self.nonrelevant[:seen])
        most = int(self.relevant.sum())
        kept = np.ones(len(self.relevant), np.bool_)
        kept[places[most:]] = False
        if which == "ret":
            kept[returned:] = False
        return PreferenceCounts.of(self.wins[np.ix_(kept, kept)], int(kept[:returned].sum())).share(which)


@dataclass(frozen=True, slots=True)
class Preferences:
    """The preferences of all groups of a query."""

    groups: list[PreferenceGroup]
    returned: int
    """How many judged documents were returned."""
    pool: list[int]
    """The documents of all groups without subgroups, group by group, by falling level and number."""

    @classmethod
    def of_query(cls, query: str, rows: list[Level], listed: list[str]) -> Preferences:
        """Number the documents and find what each group prefers."""
        judged = {row.item for row in rows}
        found = [item for item in listed if item in judged]
        numbers = {item: number for number, item in enumerate([*found, *sorted(judged.difference(found))])}
        numbered = [replace(row, number=numbers[row.item]) for row in sorted(rows, key=lambda row: row.item)]
        groups: list[PreferenceGroup] = []
        pool: list[int] = []
        for _, some in groupby(merge_sorted(numbered, _compare), lambda row: row.group):
            members = list(some)
            if len({row.subgroup for row in members}) > 1:
                groups.append(_group_of_subgroups(query, members, len(numbers)))
            else:
                groups.append(_group_of_levels(query, members, len(numbers), len(pool)))
                pool += [row.number for row in members]
        return cls(groups, len(found), pool)

    def value(self, name: str) -> float:
        """A measure of the program."""
        _, what, *rest = name.split("_")
        which: Which = "ret" if rest[-1:] == ["ret"] else "imp" if rest[-1:] == ["imp"] else "all"
        if what == "pair":
            return self._over_pairs(which)
        if "Rnonrel" in rest:
            return self._averaged(group.balanced(which, self.returned, self.pool) for group in self.groups)
        shares = [PreferenceCounts.of(group.wins, self.returned).share(which) for group in self.groups]
        if what == "avgjg":
            return self._averaged((above, below or 1) for above, below in shares)
        fulfilled, possible = (sum(numbers) for numbers in zip(*shares, strict=True))
        if what == "num":
            return float(possible if "poss" in rest else fulfilled)
        return fulfilled / possible if possible else 0.0

    def _averaged(self, shares: Iterable[tuple[int, int]]) -> float:
        """The mean of some shares over the groups; where one is 0/0, the program gives 0."""
        with np.errstate(all="ignore"):
            total = reduce(add, (np.float64(above) / below for above, below in shares), 0.0)
        return float(total / len(self.groups)) if total > 0 else 0.0

    def _over_pairs(self, which: Which) -> float:
        """Of the preferences about two documents, the share that is fulfilled, averaged over pairs of documents."""
        wins = np.sum([group.wins for group in self.groups], axis=0)
        both = wins + wins.T
        total, pairs = 0.0, 0
        corners = [(slice(None, self.returned),) * 2, (slice(None, self.returned), slice(self.returned, None))]
        for corner in corners[: 1 if which == "ret" else 2]:
            is_pair = (np.triu(both, 1) > 0)[corner]
            shares = wins[corner][is_pair] / both[corner][is_pair]
            total = float(np.add.accumulate(np.concatenate([[total], shares]))[-1])
            pairs += len(shares)
        if which == "all":
            pairs += int((np.triu(both, 1) > 0)[self.returned :, self.returned :].sum())
        return total / pairs if pairs else 0.0


def _compare(row: Level, other: Level) -> int:
    names, others = (row.group, row.subgroup), (other.group, other.subgroup)
    if names != others:
        return -1 if names < others else 1
    return (row.level < other.level) - (row.level > other.level) or row.number - other.number


def _wins(levels: Ints) -> Ints:
    """(n, n) how often one document stands on a higher level than another, of (m, n) documents by level."""
    lower = np.flip(np.cumsum(np.flip(levels, 0), axis=0), 0) - levels
    wins: Ints = levels.T @ lower
    return wins


def _group_of_levels(query: str, members: list[Level], size: int, first: int) -> PreferenceGroup:
    """A group without subgroups: every document of a level is preferred to all of lower ones."""
    runs: list[list[Level]] = []
    for row in members:
        if not runs or runs[-1][-1].level != row.level:
            runs.append([])
        runs[-1].append(row)
    if runs[0][0].level == LEVEL_OF_NO_GROUP:
        runs.pop()
    levels = np.array([np.bincount([row.number for row in run], minlength=size) for run in runs], np.int64)
    levels = levels.reshape(len(runs), size)
    wins = _wins(levels)
    if (twice := np.flatnonzero(np.diagonal(wins))).size:
        item = next(row.item for row in members if row.number == twice[0])
        raise InputError.of("doors.two_levels", item=in_words(item), query=in_words(query))
    is_relevant = np.array([run[0].level > 0 for run in runs], np.bool_)
    return PreferenceGroup(wins, levels[is_relevant].sum(axis=0), levels[~is_relevant].sum(axis=0), levels, first)


def _group_of_subgroups(query: str, members: list[Level], size: int) -> PreferenceGroup:
    """A group with subgroups: what they prefer, and what follows from it."""
    prefers = np.zeros((size, size), np.bool_)
    level = np.full(size, -1.0)
    for place, row in enumerate(members):
        before = level[row.number]
        if (before > 0 and row.level == 0) or (before == 0 and row.level > 0):
            raise InputError.of("doors.zero_and_not", item=in_words(row.item), query=in_words(query))
        level[row.number] = row.level
        rest = takewhile(lambda other, of=row.subgroup: other.subgroup == of, members[place + 1 :])  # type: ignore[misc]
        is_lower = False
        for other in rest:
            is_lower = is_lower or other.level != row.level
            if is_lower:
                prefers[row.number, other.number] = True
    np.fill_diagonal(prefers, val=True)
    while True:
        following = prefers.astype(np.float32) @ prefers.astype(np.float32) > 0
        if (following == prefers).all():
            break
        prefers = following
    np.fill_diagonal(prefers, val=False)
    if (prefers & prefers.T).any():
        item = next(row.item for row in members if (prefers & prefers.T)[row.number].any())
        raise InputError.of("doors.circle", item=in_words(item), query=in_words(query))
    return PreferenceGroup(prefers.astype(np.int64), (level > 0).astype(np.int64), (level == 0).astype(np.int64))


@dataclass(frozen=True, slots=True)
class PreferenceColumns:
    """The columns of measures of preferences."""

    queries: list[Preferences | None]
    """None where a query is not evaluated."""
    usual: ColumnMaker

    def of(self, wanted: Wanted) -> Iterator[PrintedColumn]:
        """The columns of one measure."""
        if wanted.printed.judgments == "any":
            yield from self.usual.of(wanted)
            return
        name = wanted.printed.name
        values = np.array([0.0 if query is None else query.value(name) for query in self.queries])
        yield PrintedColumn(wanted.label, wanted.printed, values)


@dataclass(frozen=True, slots=True)
class GroupColumns:
    """The columns of measures that are averaged over groups of grades."""

    members: list[list[int]]
    """For each query, which of the placed queries are its groups, by name."""
    grouped: ColumnMaker
    usual: ColumnMaker

    @classmethod
    def placed(
        cls, judged: dict[str, list[Level]], run: Mapping[str, dict[str, float]], depth: int | None, usual: ColumnMaker
    ) -> GroupColumns:
        """Place the list of a query against each of its groups."""
        graded: dict[tuple[str, str], dict[str, float]] = {}
        for query, rows in judged.items():
            for row in sorted(rows, key=lambda row: row.group):
                graded.setdefault((query, row.group), {})[row.item] = row.level
        names = {f"{query}\0{group}": items for (query, group), items in graded.items()}
        lists = {f"{query}\0{group}": run[query] for query, group in graded if query in run}
        call = usual.call
        scores = Scores.of_mappings(names, lists, plan(call.version))
        if call.complete and call.version == 10:
            scores = scores.with_stand_ins(0 if depth == 0 else 1)
        place = {name: number for number, name in enumerate(scores.queries)}
        of_query: dict[str, list[int]] = {}
        for query, group in graded:
            of_query.setdefault(query, []).append(place[f"{query}\0{group}"])
        return cls([of_query[query] for query in usual.scores.queries], ColumnMaker(scores, call), usual)

    def of(self, wanted: Wanted) -> Iterator[PrintedColumn]:
        """The columns of one measure."""
        printed = wanted.printed
        if printed.judgments == "any":
            yield from self.usual.of(wanted)
            return
        for column in self.grouped.of(Wanted(BY_NAME[printed.metric], wanted.text)):
            values = np.array([_mean(column.values[numbers]) for numbers in self.members])
            yield PrintedColumn(f"{printed.name}{column.label.removeprefix(printed.metric)}", printed, values)


def _mean(values: Floats) -> float:
    """The mean, added up in the order of the groups."""
    return float(np.add.accumulate(values)[-1] / len(values))
