"""The judgments as an index, whatever they came as, and what blocks of a run add up to when placed against it.

There is one index; a table and a plain text have constructors here, mappings in `rankmeter.placing.mapping`. Judgments
in columns are looked up by keys of their (query, item) pairs, those in mappings in the mappings themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankmeter.errors import InputError, RepeatedJudgmentError
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import LateIds, column_of_ids
from rankmeter.late import pl
from rankmeter.placing.matching import ColumnIds, KeyTable, pair_keys, repeated, repeated_pairs, shown_pairs
from rankmeter.placing.numbering import grouped
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Subtopics
from rankmeter.placing.segments import (
    Keys,
    Places,
    count_higher,
    expand,
    group_rows,
    is_rising,
    offsets_of,
    owners,
    sort_descending,
)
from rankmeter.placing.staircase import fits, may_repeat

if TYPE_CHECKING:
    from rankmeter.inputs.plain_trec import PlainRows
    from rankmeter.inputs.tables import JudgmentTable
    from rankmeter.inputs.text import TextIds
    from rankmeter.wording import Said

Graded = Sequence[Mapping[Any, float]]
Unreturned = Callable[[], dict[str, Any]]
Ids: TypeAlias = "ColumnIds | TextIds"
"""A column of ids: of a table, or as they stand in a text. Both have keys of 64 bits, equal where ids are."""


@dataclass(frozen=True)
class JudgmentIndex:
    """The judgments prepared for look-up: made once, used for every block of a run or for many runs."""

    queries: Any
    """(n,) every judged query, in the order of first appearance."""
    grade: Any
    """(j,) the grade of each judgment, query by query; as bytes where mappings hold small whole ones."""
    offsets: Ints
    """(n + 1,) where each query's judgments start."""
    best: Floats
    """The grades that count, highest first within each query."""
    best_offsets: Ints
    """(n + 1,) where each query's grades that count start."""
    highest: float
    """The highest grade judged anywhere, at least 0."""
    item: Any
    """(j,) the item of each, as `Ids`; None where ``graded`` holds them. In columns only what counts is kept."""
    graded: Graded = ()
    """The mapping of each query, where they came as such; what does not count is in them too."""
    keys: Keys | None = None
    """(j,) the key of each item, where every query has so few that lists are compared with them place by place."""

    @classmethod
    def of_table(cls, table: JudgmentTable, lowest: float) -> JudgmentIndex:
        """The judgments of a table, from a grade on; repeated ones are refused."""
        groups = grouped(table.query, table.queries)
        queries, code = groups.values, None if groups.mark is None else groups.code

        def refused(keys: Keys, code: Ints, item: Any) -> InputError | None:
            rows, first = repeated_pairs(keys, code, item.column)
            if not len(rows):
                return None
            again = rows[rows != first]
            pairs = shown_pairs(item.column, queries.gather(pl.Series(code[again])), again)
            return RepeatedJudgmentError.of("placing.judged_twice", source=table.source, pairs=pairs)

        return cls._of_columns(
            queries, groups.sizes, code, table.grade.to_numpy(), ColumnIds(table.item.rechunk()), lowest, refused
        )

    @classmethod
    def of_text(cls, rows: PlainRows, lowest: float) -> JudgmentIndex:
        """The judgments of a plain text; repeated ones are left to the table, which says where they stand."""
        from rankmeter.inputs.plain_trec import NotPlainError  # a mapping needs nothing of what texts need

        known: dict[str, int] = {}
        codes, lengths = stretches(rows.query, known)

        def refused(keys: Keys, *_: object) -> Exception | None:
            return NotPlainError() if len(repeated(keys)) else None

        sizes = np.bincount(codes, lengths, len(known)).astype(np.int64)
        code = None if is_rising(codes) else np.repeat(codes, lengths)
        return cls._of_columns(list(known), sizes, code, rows.value, rows.item, lowest, refused)

    @classmethod
    def _of_columns(
        cls,
        queries: Any,
        sizes: Ints,
        code: Ints | None,
        grade: Floats,
        item: Any,
        lowest: float,
        refused: Callable[[Keys, Ints, Any], Exception | None],
    ) -> JudgmentIndex:
        if code is not None:  # bring the judgments of a query together, in the order given
            order = group_rows(code, len(queries))
            item = item.take(order)
            if grade.min() != grade.max():  # as sets of relevant items have them
                grade = grade[order]
        keys, offsets = item.keys(), offsets_of(sizes)
        most = int(sizes.max(initial=0))
        # Every two places of a list are compared to tell that none is repeated: more than that are hashed sooner.
        few = fits(len(queries), most, max(most // 8, 1)) and not may_repeat(keys, offsets)
        if not few:
            code = owners(offsets)
            if (error := refused(pair_keys(code, keys), code, item)) is not None:
                raise error
        highest, kept = float(grade.max(initial=0.0)), grade >= lowest
        if not kept.all():
            grade, item, keys = grade[kept], item.take(np.flatnonzero(kept)), keys[kept]
            offsets = np.append(0, np.cumsum(kept))[offsets]
        best = sort_descending(grade, offsets)
        return cls(queries, grade, offsets, best, offsets, highest, item, keys=keys if few else None)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def most(self) -> int:
        """How many judgments a query has at most."""
        return int(np.diff(self.offsets).max(initial=0))

    def placements(
        self, returned: Ints, in_run: Bools, columns: dict[str, Any], unreturned: Unreturned | None = None
    ) -> Placements:
        """The placements of some queries, the judged ones first, from columns of the judged items that were returned.

        ``unreturned`` gives query, grade and item of the others, where they stand behind the lists.
        """
        judged, queries, offsets = len(self.offsets) - 1, len(returned), self.best_offsets
        if queries > judged:
            offsets = np.append(offsets, np.full(queries - judged, offsets[-1]))
        if unreturned is not None:
            columns = with_unreturned(columns, returned, **unreturned())
        return Placements(
            returned=returned,
            in_run=in_run,
            is_judged=np.arange(queries) < judged,
            best_offsets=offsets,
            best=self.best,
            **columns,
        )

    def some(self, chosen: Sequence[int]) -> JudgmentIndex:
        """Of judgments in mappings those of some queries, by their numbers, in this order."""
        at = np.array(chosen, np.int64)
        sizes, best_sizes = np.diff(self.offsets)[at], np.diff(self.best_offsets)[at]
        return JudgmentIndex(
            [self.queries[number] for number in chosen],
            self.grade[expand(self.offsets[at], sizes)],
            offsets_of(sizes),
            self.best[expand(self.best_offsets[at], best_sizes)],
            offsets_of(best_sizes),
            self.highest,
            None,
            [self.graded[number] for number in chosen],
        )

    @cached_property
    def code(self) -> Ints:
        """(j,) the query of each judgment, rising."""
        return owners(self.offsets)

    @cached_property
    def salted(self) -> tuple[int, Keys]:
        """Keys of the (query, item) pairs, no two alike, and the salt that makes them so."""
        salt = 0
        while len(repeated(keys := pair_keys(self.code, self.item.keys(salt), salt))):
            salt += 1
        return salt, keys

    def table_of(self, code: Ints, items: Ids) -> KeyTable:
        """Some rows of a run by the keys of their pairs, in which judgments are looked up."""
        salt = self.salted[0]
        return KeyTable.of(pair_keys(code, items.keys(salt), salt))

    def numbers_of(self, keys: Keys) -> Ints:
        """The judgment whose key each of some keys of pairs is, made with its salt; -1 where none is."""
        return KeyTable.of(self.salted[1]).numbers(keys)

    def match(self, code: Ints, heads: Ints, items: Ids, rows: KeyTable) -> tuple[Ints, Ints]:
        """Which rows are judged, rising, and the judgment of each; ``heads`` are all queries of the rows.

        Judgments are looked up among the rows, of which there are more; where rows are repeated, which a table does not
        hold, the other way round. What keys find is compared in full.
        """
        first = self.offsets
        mine = np.sort(heads[heads < len(self)])
        known = expand(first[mine], first[mine + 1] - first[mine])
        judged = self.salted[1][known]
        if rows.repeats:
            number = KeyTable.of(judged).numbers(rows.keys)
            row = np.flatnonzero(number >= 0)
            judgment = known[number[row]]
        else:
            row = rows.numbers(judged)
            there = np.flatnonzero(row >= 0)
            there = there[np.argsort(row[there], kind="stable")]
            row, judgment = row[there], known[there]
        same = items.take(row).equal(self.item.take(judgment)) & (code[row] == self.code[judgment])
        return (row, judgment) if same.all() else (row[same], judgment[same])

    def others(self, judgments: Ints) -> dict[str, Any]:
        """The query, the grade and the item of every judgment but these."""
        left = np.ones(len(self.grade), np.bool_)
        left[judgments] = False
        rows = np.flatnonzero(left)
        return {"query": self.code[rows], "grade": self.grade[rows], "items": self.item.take(rows).sort_keys()}


def stretches(queries: TextIds, known: dict[str, int]) -> tuple[Ints, Ints]:
    """The number of the query of each stretch of rows, and how many rows it has; new queries get new numbers."""
    starts = queries.changes()
    codes = [known.setdefault(query, len(known)) for query in queries.take(starts).to_list()]
    return np.array(codes, np.int64), np.diff(starts, append=len(queries))


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """What one block of whole queries adds: its queries and the places of its judged items."""

    code: Ints
    """(b,) the queries of the block; codes from the number of judged queries on are not judged."""
    returned: Ints
    """(b,) how many items each has."""
    query: Ints
    """(m,) the query of each judged item that was met, its grade, score and place."""
    grade: Floats
    score: Floats
    places: Places
    judgment: Ints | None = None
    """(m,) which judgment each is, where that is known."""


@dataclass(frozen=True, slots=True)
class PlacedRun:
    """A run that has been placed: whose lists they are, and where their judged items stand."""

    ids: pl.Series | LateIds
    """(n,) whose they are, judged queries first; ``queries`` is the same as a column."""
    placements: Placements
    scored: bool
    """False where the run has ranks only."""
    highest_grade: float
    """The highest grade judged anywhere."""
    source: str = "run"
    """How messages name it."""
    subtopics: Subtopics | None = None
    """What the grades, which are numbers of items then, lead to."""
    notes: tuple[Said, ...] = ()
    """What was noticed while it was placed."""
    unplaced: int = 0
    """How many queries of the run were not placed, since nobody judged them."""

    @property
    def queries(self) -> pl.Series:
        """(n,) the ids of the queries, judged ones first."""
        return column_of_ids(self.ids)


def assembled(
    index: JudgmentIndex, blocks: Sequence[PlacedBlock], queries: int, unreturned: Unreturned | None = None
) -> Placements:
    """Put the blocks together and the queries in order; see `JudgmentIndex.placements`."""
    returned, in_run = np.zeros(queries, np.int64), np.zeros(queries, np.bool_)
    for block in blocks:
        returned[block.code] = block.returned
        in_run[block.code] = True
    columns = {
        "query": _joined_parts([block.query for block in blocks]),
        "grade": _joined_parts([block.grade for block in blocks], np.float64),
        "score": _joined_parts([block.score for block in blocks], np.float64),
        **{name: _joined_parts([getattr(block.places, name) for block in blocks]) for name in Places._fields},
    }
    if not is_rising(columns["query"]):
        order = group_rows(columns["query"], queries)
        columns = {name: column[order] for name, column in columns.items()}
    return index.placements(returned, in_run, columns, unreturned)


def judged_placements(
    returned: Ints, grades: Floats, offsets: Ints, columns: dict[str, Any], in_run: Bools | None = None
) -> Placements:
    """The placements of queries that are all judged; ``grades`` are theirs, query by query, in any order.

    ``in_run`` says which queries the run holds; None for all of them.
    """
    every = np.ones(len(returned), np.bool_)
    return Placements(
        returned=returned,
        in_run=every if in_run is None else in_run,
        is_judged=every,
        best_offsets=offsets,
        best=sort_descending(grades, offsets),
        **columns,
    )


def _joined_parts(parts: Sequence[Any], dtype: type = np.int64) -> Any:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def with_unreturned(
    columns: dict[str, Any], returned: Ints, *, query: Ints, grade: Floats, items: pl.Series | Keys
) -> dict[str, Any]:
    """Place the judged items that were not returned behind the list, tied with each other (``candidates="appended"``).

    ``query``, ``grade`` and ``items`` are theirs, queries rising, in the order given. Such a row has ``above`` equal to
    the length of its list, which no returned item has.
    """
    if not len(query):
        return columns
    tied = np.bincount(query, minlength=len(returned))
    added = {
        "query": query,
        "grade": grade,
        "above": returned[query],
        "tied": tied[query],
        "higher_id": count_higher(query, items, np.arange(len(query))),
        "earlier": np.arange(len(query)) - np.searchsorted(query, query),
        "score": np.full(len(query), -np.inf),
    }
    joined = {name: np.concatenate([column, added[name]]) for name, column in columns.items()}
    order = group_rows(joined["query"], len(returned))
    return {name: column[order] for name, column in joined.items()}
