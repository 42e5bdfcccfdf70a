"""The first k items of every query as a table, from every kind of run, under a stated tie rule.

A run is cut block by block: the best k of a union are among the best k of its parts, so a file larger than memory, or
one that comes back to a query later, gives the same lists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import ids
from rankmeter.inputs.tables import Run, RunTable, all_queries, joined_runs
from rankmeter.late import pl
from rankmeter.placing.joins import without_repeated
from rankmeter.placing.matching import ROWS_AT_ONCE, item_keys, pair_keys
from rankmeter.placing.numbering import Grouping, encode, grouped
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import group_rows, later_starts, offsets_of, unsorted_segments
from rankmeter.placing.staircase import Staircase

FEW_PLACES = 64
"""Up to how many places the items of lists are compared with each other, rather than hashed."""
MOST_PLACES = 4
"""Up to how many places for each row lists may have, were all as long as the longest, to be filled by rank."""

Number: TypeAlias = "Callable[[pl.Series], Ints]"
"""Gives ids their numbers, from 0."""


@dataclass(frozen=True, slots=True)
class Lists:
    """The first items of n queries, best first."""

    queries: pl.Series
    """(n,) the queries of the run, in the order of first appearance."""
    stairs: Staircase
    """What stands at the places of their lists."""
    offsets: Ints
    """(n + 1,) where each query's rows start, were they grouped; all of them, whatever the cut."""
    tied: Bools
    """Whether each row has the score of the next one of its query, best first."""

    def tied_at(self, k: int | None, *, within: bool) -> int:
        """In how many lists a tie decides which items are the first k or, ``within``, in which order they stand."""
        if k is None and not within:
            return 0
        rows = np.flatnonzero(self.tied)
        query = np.searchsorted(self.offsets, rows, side="right") - 1
        place = rows - self.offsets[query]
        matters = slice(None) if k is None else (place < k) if within else (place == k - 1)
        return len(np.unique(query[matters]))


@dataclass(frozen=True, slots=True)
class FirstItems:
    """Rows of a run, and how the first items of every query are taken from them."""

    rows: RunTable
    k: int | None
    """How many items; None for all."""
    ties: str
    duplicates: str

    @classmethod
    def of(cls, run: Run, *, k: int | None, ties: str, duplicates: str) -> FirstItems:
        """Take the rows out of a run of any kind; of one that is streamed only those that can be among the first."""
        if run.matrix is not None:
            return cls(_best_cells(run.matrix, k, run.source), k, ties, "counted")
        if run.is_streamed and duplicates == "counted":  # else the same pair may stand in two blocks
            deeper = None if k is None else k + 1  # so that a tie across the cut is seen
            return cls(joined_runs([_rows(block, deeper, ties) for block in run.blocks()]), k, ties, duplicates)
        return cls(run.run_table(k if duplicates == "counted" else None), k, ties, duplicates)

    def lists(self, number: Number) -> Lists:
        """The first items of every query; repeated ones are refused or dropped, as asked."""
        run, groups = self.rows, _grouped(self.rows)
        longest = int(groups.sizes.max(initial=0))
        depth = longest if self.k is None else min(self.k, longest)
        # Where lists are cut, rows are put in order, and only the ids of those that stay get numbers.
        items = number(run.item) if depth == longest else np.arange(len(run.item))
        stairs, offsets, tied = _items_by_rank(items, run, groups, self.ties)
        if self.duplicates != "counted":
            keys = items.view(np.uint64) if depth == longest else item_keys(run.item)
            compared = stairs if depth == longest else replace(stairs, item=keys.take(stairs.item).astype(np.int32))
            if longest > FEW_PLACES or compared.may_repeat():
                code = groups.code
                keep = without_repeated(run, pair_keys(code, keys), code, self.duplicates)
                if keep is not None:
                    return FirstItems(_take(run, keep), self.k, self.ties, "counted").lists(number)
        if depth < longest:
            stairs = stairs.cut(depth)
            stairs = replace(stairs, item=number(run.item.gather(pl.Series(stairs.item))))
        return Lists(groups.values, stairs, offsets, tied)


def lengths_of(run: Run) -> tuple[pl.Series, Ints]:
    """The queries of a run in the order of first appearance, and how many items each has."""
    if run.mapping is not None:
        sizes = np.fromiter(map(len, run.mapping.data.values()), np.int64, len(run.mapping.data))
        return ids(list(run.mapping.data)), sizes
    if run.matrix is not None:
        return pl.Series(np.arange(len(run.matrix))), np.full(len(run.matrix), run.matrix.shape[1])
    blocks = (
        [run]
        if isinstance(run, RunTable)
        else [replace(block, item=block.query.clear(), ordering=block.query.clear()) for block in run.blocks()]
    )
    table, queries = joined_runs(blocks), all_queries(blocks)
    groups = _grouped(table) if queries is None else grouped(table.query, queries)
    return groups.values, groups.sizes


def _grouped(run: RunTable) -> Grouping:
    """Find the rows of each query, once for each run."""
    groups: Grouping = run.once("grouped", lambda: grouped(run.query))
    return groups


def _best_cells(matrix: npt.NDArray[Any], k: int | None, source: str) -> RunTable:
    """The cells of a matrix that can be among the first k: all that are not below the k-th best of their row."""
    scores = matrix.astype(np.float64, copy=False)
    if k is not None and k < scores.shape[1]:
        bound = -np.partition(-scores, k - 1, axis=1)[:, k - 1]
        query, item = np.nonzero(scores >= bound[:, None])
    else:
        query, item = (axis.ravel() for axis in np.indices(scores.shape))
    return RunTable(pl.Series(query), pl.Series(item), pl.Series(scores[query, item]), source)


def _take(run: RunTable, rows: Ints) -> RunTable:
    at = pl.Series(rows)
    return replace(run, query=run.query.gather(at), item=run.item.gather(at), ordering=run.score.gather(at))


def _rows(run: RunTable, k: int | None, ties: str) -> RunTable:
    """The rows that are among the first k of their query, in the order in which they were given."""
    groups = _grouped(run)
    if k is None or not (groups.sizes > k).any():
        return run
    stairs, _, _ = _items_by_rank(np.arange(len(run.item)), run, groups, ties)
    return _take(run, np.sort(stairs.cut(k).item))


def _items_by_rank(items: Ints, run: RunTable, groups: Grouping, ties: str) -> tuple[Staircase, Ints, Bools]:
    """The items by query and rank, where the rows of each query start, and which have the score of the next one."""
    offsets = offsets_of(groups.sizes)
    stairs = None if run.scored else _by_ranks(items, run.ranks, groups)
    if stairs is not None:
        return stairs, offsets, np.zeros(len(items), np.bool_)
    scores = run.score.to_numpy()
    order: Ints | None = None
    if groups.mark is not None or len(unsorted_segments(scores, offsets)):
        order = _by_scores(scores, groups.code, len(groups.values))
    tied = _tied_with_next(scores if order is None else scores[order], offsets)
    if ties != "input" and tied.any():
        order = _ties_broken(run, tied, order, ties)
    return Staircase.of(items if order is None else items[order], offsets), offsets, tied


def _by_ranks(items: Ints, ranks: Ints, groups: Grouping) -> Staircase | None:
    """The items by query and rank where lists stand in order, or hold every rank from 1 on; else None.

    An item of rank r stands at place r of its list. Where every place is taken, no rank stands twice. It takes a fifth
    of the time of a sort.
    """
    if groups.mark is None:
        offsets = offsets_of(groups.sizes)
        rises = ranks[1:] > ranks[:-1]
        rises[later_starts(offsets, len(ranks)) - 1] = True
        return Staircase.of(items, offsets) if rises.all() else None
    sizes, number = groups.table(groups.sizes), groups.table(np.arange(len(groups.values)))  # by mark
    mark, longest, width = groups.mark, int(sizes.max(initial=0)), len(sizes)
    if width * longest > MOST_PLACES * len(items) or ranks.max() > longest:
        return None
    # Rank 0 has a place too, of which nothing comes. Narrow: half as much is written here and there.
    places = np.full((longest + 1) * width, -1, np.int32)
    for first in range(0, len(items), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        place = ranks[rows].astype(np.int64, copy=False) * width
        place += mark[rows]
        places[place] = items[rows].astype(np.int32)
    columns = places.reshape(longest + 1, width)[1:]
    if sizes.min() == longest:
        is_full = bool(places[width:].min() >= 0)
    else:
        is_full = all(((column >= 0) == (sizes > place)).all() for place, column in enumerate(columns))
    if not is_full:
        return None
    stairs = Staircase.of_columns(cast("Ints", columns), sizes)
    return replace(stairs, lists=number[stairs.lists])


def _by_scores(scores: Floats, code: Ints, groups: int) -> Ints:
    """The rows by query and falling score, equal ones as they were given."""
    falling = np.argsort(-scores, kind="stable")
    return np.asarray(falling[group_rows(code[falling], groups)])


def _tied_with_next(scores: Floats, offsets: Ints) -> Bools:
    """Which scores, in the order of the lists, are that of the next one of their list."""
    tied = np.zeros(len(scores), np.bool_)
    np.equal(scores[1:], scores[:-1], out=tied[:-1])
    tied[offsets[1:] - 1] = False
    return tied


def _ties_broken(run: RunTable, tied: Bools, order: Ints | None, ties: str) -> Ints:
    """The order with tied rows put as the rule asks; only they are moved."""
    follows = np.append(False, tied[:-1])
    places = np.flatnonzero(tied | follows)
    group = np.cumsum(~follows[places])  # a tie starts where a row is unlike the one before
    order = np.arange(len(tied)) if order is None else order.copy()
    rows = order[places]
    if ties == "reversed":
        tie = -rows
    else:
        rank = _as_text_rank(run.item.gather(pl.Series(rows)))
        tie = -rank if ties == "item" else rank
    order[places] = rows[np.lexsort((tie, group))]
    return order


def _as_text_rank(items: pl.Series) -> Ints:
    """Numbers that sort as the ids do as text, in byte order."""
    different, number = encode(items)
    text = different.cast(pl.String) if different.dtype != pl.String else different
    return text.rank("dense").to_numpy().astype(np.int64)[number]
