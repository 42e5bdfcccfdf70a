"""The first k items of every query as a table, from every kind of run, under a stated tie rule.

A run is cut block by block: the best k of a union are among the best k of its parts, so a file larger than memory, or
one that comes back to a query later, gives the same lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import ids
from rankmeter.inputs.shards import all_queries, joined_runs
from rankmeter.inputs.tables import Run, RunTable
from rankmeter.late import pl
from rankmeter.placing.joins import without_repeated
from rankmeter.placing.matching import ROWS_AT_ONCE, Keys, encode, heads_of, item_keys, pair_keys
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import as_rows, expand, group_rows, offsets_of, unsorted_segments

FEW_PLACES = 64
"""Up to how many places the items of lists are compared with each other, rather than hashed."""
FEW_RANKS = 1 << 16
"""Up to how many different whole scores are sorted by counting."""


@dataclass(frozen=True, slots=True)
class Lists:
    """The first items of n queries, best first, one query after another."""

    queries: pl.Series
    """(n,) the queries of the run, in the order of first appearance."""
    offsets: Ints
    """(n + 1,) where each query's items start."""
    item: pl.Series
    """Ids of the items, in this order unless ``rows`` is given."""
    rows: Ints | None
    """Which of ``item`` stands at each place, where text was not moved: to move its numbers takes a tenth."""
    tied: Bools
    """Whether each item has the score of the next one of its query, which may stand behind the cut."""

    def numbered(self, number: Callable[[pl.Series], Ints]) -> Ints:
        """The number of the item at each place, once its ids were given numbers."""
        return number(self.item) if self.rows is None else number(self.item)[self.rows]

    def tied_at(self, k: int | None, *, within: bool) -> int:
        """In how many lists a tie decides which items are the first k or, ``within``, in which order they stand."""
        if k is None and not within:
            return 0
        rows = np.flatnonzero(self.tied)
        query = np.searchsorted(self.offsets, rows, side="right") - 1
        place = rows - self.offsets[query]
        matters = slice(None) if k is None else (place < k) if within else (place == k - 1)
        return len(np.unique(query[matters]))


def first_items(run: Run, *, k: int | None, ties: str, duplicates: str) -> Lists:
    """The first ``k`` items (all, if None) of every query of a run."""
    if run.matrix is not None:
        return _first(_best_cells(run.matrix, k, run.source), k, ties, "counted")
    if run.is_streamed and duplicates == "counted":  # else the same pair may stand in two blocks
        return _of_blocks(run.blocks(), k, ties)
    return _first(run.run_table(k if duplicates == "counted" else None), k, ties, duplicates)


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
        else [replace(block, item=block.query.clear(), score=block.score.clear()) for block in run.blocks()]
    )
    table, queries = joined_runs(blocks), all_queries(blocks)
    if queries is None:
        grouped = _grouped(table)
        return grouped.queries, grouped.sizes
    return queries, np.bincount(encode(table.query, queries)[1], minlength=len(queries)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Which rows belong to which query."""

    queries: pl.Series
    """(n,) in the order of first appearance."""
    offsets: Ints
    """(n + 1,) where each query starts, once the rows are grouped."""
    scattered: Ints | None
    """The number of each row's query; None where the rows stand grouped already."""

    @property
    def sizes(self) -> Ints:
        """(n,) how many rows each query has, at least one."""
        return np.diff(self.offsets)

    @property
    def code(self) -> Ints:
        """The number of each row's query."""
        return np.repeat(np.arange(len(self.queries)), self.sizes) if self.scattered is None else self.scattered


def _grouped(run: RunTable) -> _Grouped:
    """Find the rows of each query, once for each run."""
    grouped: _Grouped = run.once("grouped", lambda: _group(run.query))
    return grouped


def _group(query: pl.Series) -> _Grouped:
    """Find the rows of each query; grouped rows, which are usual, are told by their heads."""
    if not len(query):
        return _Grouped(query, np.zeros(1, np.int64), None)
    changes = heads_of(query)
    rising = query.dtype != pl.String and bool((query.to_numpy()[1:] >= query.to_numpy()[:-1]).all())
    # With nearly as many heads as rows the rows are in no order, or lists are so short that numbering costs no more.
    if rising or 2 * np.count_nonzero(changes) <= len(query):
        starts = np.flatnonzero(changes)
        heads = query.gather(pl.Series(starts))
        if rising or heads.n_unique() == len(heads):
            return _Grouped(heads, np.append(starts, len(query)), None)
    queries, code = encode(query)
    sizes = np.bincount(code, minlength=len(queries)).astype(np.int64)
    return _Grouped(queries, offsets_of(sizes), code)


def _of_blocks(blocks: Iterator[RunTable], k: int | None, ties: str) -> Lists:
    """Cut each block, then their union."""
    deeper = None if k is None else k + 1  # so that a tie across the cut is seen
    cut = [_rows(block, deeper, ties) for block in blocks]
    return _first(joined_runs(cut), k, ties, "counted")


def _best_cells(matrix: npt.NDArray[Any], k: int | None, source: str) -> RunTable:
    """The cells of a matrix that can be among the first k: all that are not below the k-th best of their row."""
    scores = matrix.astype(np.float64, copy=False)
    if k is not None and k < scores.shape[1]:
        bound = -np.partition(-scores, k - 1, axis=1)[:, k - 1]
        query, item = np.nonzero(scores >= bound[:, None])
    else:
        query, item = (one.ravel() for one in np.indices(scores.shape))
    return RunTable(pl.Series(query), pl.Series(item), pl.Series(scores[query, item]), source)


def _first(run: RunTable, k: int | None, ties: str, duplicates: str) -> Lists:
    """The first k rows of every query, in order; repeated items are refused or dropped, as asked."""
    grouped = _grouped(run)
    offsets, sizes = grouped.offsets, grouped.sizes
    longest = int(sizes.max(initial=0))
    depth = longest if k is None else min(k, longest)
    # Numbers are put in order themselves; of text in no order the numbers of the ids, or the rows.
    known, keys = run.item, None
    if run.item.dtype != pl.String:
        items = run.item.to_numpy()
    elif grouped.scattered is None or depth < longest:
        items, keys = np.arange(len(run.item)), item_keys(run.item)
    else:
        known, items = encode(run.item)
    ordered, tied = _ordered(items, run, grouped, ties)
    if duplicates != "counted":
        in_order = ordered.view(np.uint64) if keys is None else keys if ordered is items else keys[ordered]
        if _repeated_in_lists(in_order, offsets):
            pairs = pair_keys(grouped.code, items.view(np.uint64) if keys is None else keys)
            lengths = sizes if grouped.scattered is None else None
            keep = without_repeated(run, pairs, grouped.code, lengths, duplicates)
            if keep is not None:
                return _first(_take(run, keep), k, ties, "counted")
    if depth < longest:
        sizes = np.minimum(sizes, depth)
        places = expand(offsets[:-1], sizes)
        ordered, tied, offsets = ordered[places], tied[places], offsets_of(sizes)
    if run.item.dtype != pl.String or depth < longest:
        item = pl.Series(ordered) if keys is None else run.item.gather(ordered)
        return Lists(grouped.queries, offsets, item, None, tied)
    return Lists(grouped.queries, offsets, known, None if known is run.item and ordered is items else ordered, tied)


def _repeated_in_lists(keys: Keys, offsets: Ints) -> bool:
    """Whether a list may hold an item twice, without hashing pairs where lists are of moderate length.

    Every place is compared with all behind it, in blocks of lists that fit the cache. Half of a key will do, as what is
    alike is looked at in full later.
    """
    width = int(np.diff(offsets).max(initial=0))
    if width > FEW_PLACES:
        return True
    behind = ~np.arange(width, dtype=np.uint32)  # behind the end of a list stand numbers that are unlike each other
    at_once = max(1, 2 * ROWS_AT_ONCE // max(width, 1))
    for first in range(0, len(offsets) - 1, at_once):
        part = offsets[first : first + at_once + 1]
        halves = keys[part[0] : part[-1]].astype(np.uint32)
        places = np.ascontiguousarray(as_rows(halves, np.diff(part), width, behind).T)
        if any((places[step:] == places[:-step]).any() for step in range(1, width)):
            return True
    return False


def _take(run: RunTable, rows: Ints) -> RunTable:
    at = pl.Series(rows)
    return replace(run, query=run.query.gather(at), item=run.item.gather(at), score=run.score.gather(at))


def _rows(run: RunTable, k: int | None, ties: str) -> RunTable:
    """The rows that are among the first k of their query, in the order in which they were given."""
    grouped = _grouped(run)
    if k is None or not (grouped.sizes > k).any():
        return run
    rows, _ = _ordered(np.arange(len(run.item)), run, grouped, ties)
    return _take(run, np.sort(rows[expand(grouped.offsets[:-1], np.minimum(grouped.sizes, k))]))


def _ordered(items: npt.NDArray[Any], run: RunTable, grouped: _Grouped, ties: str) -> tuple[npt.NDArray[Any], Bools]:
    """The items by query and rank, and which have the score of the next one; itself where they stand so already."""
    scores: Floats = run.score.to_numpy()
    order: Ints | None = None
    if grouped.scattered is not None:
        ordered = _by_ranks(items, scores, grouped.scattered, grouped.offsets)
        if ordered is not None:
            return ordered, np.zeros(len(items), np.bool_)
        order = _by_scores(scores, grouped.scattered, len(grouped.queries))
    elif len(unsorted_segments(scores, grouped.offsets)):
        order = _by_scores(scores, grouped.code, len(grouped.queries))
    tied = _tied(scores if order is None else scores[order], grouped.offsets)
    if ties != "input" and tied.any():
        order = _ties_broken(run, tied, order, ties)
    return items if order is None else items[order], tied


def _by_ranks(items: npt.NDArray[Any], scores: Floats, code: Ints, offsets: Ints) -> npt.NDArray[Any] | None:
    """The items by query and rank where the ranks of every list are 1 to its length, else None; nothing is sorted.

    An item of rank r stands r - 1 places behind the start of its list, so never before it: where every place is taken,
    no rank stands twice and none is beyond the length of its list. In blocks, so that no more memory is asked for.
    """
    if not len(scores) or scores.max() != -1.0 or scores.min() < -len(scores):
        return None
    ordered, free = np.empty_like(items), np.ones(len(items), np.bool_)
    for first in range(0, len(items), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        rank = (-scores[rows]).astype(np.int64)
        place = offsets[code[rows]] + rank - 1
        if (rank != -scores[rows]).any() or place.max() >= len(items):
            return None
        ordered[place] = items[rows]
        free[place] = False
    return None if free.any() else ordered


def _by_scores(scores: Floats, code: Ints, groups: int) -> Ints:
    """The rows by query and falling score, equal ones as they were given."""
    low = float(scores.min())
    if float(scores.max()) - low < FEW_RANKS and (scores == np.trunc(scores)).all():
        falling = group_rows((scores.max() - scores).astype(np.int64), FEW_RANKS)
    else:
        falling = np.argsort(-scores, kind="stable")
    return np.asarray(falling[group_rows(code[falling], groups)])


def _tied(scores: Floats, offsets: Ints) -> Bools:
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
