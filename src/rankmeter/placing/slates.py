"""The first k items of every query as a table, from every kind of run, under a stated tie rule.

A run is cut block by block: the best k of a union are among the best k of its parts, so a file larger than memory, or
one that comes back to a query later, gives the same lists.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from rankmeter.placing.matching import Keys, encode, item_keys, pair_keys
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import expand, group_rows, offsets_of

FEW_PLACES = 64
"""Up to how many places the items of lists are compared with each other, rather than hashed."""
ROWS_AT_ONCE = 1 << 15
"""How many rows are compared at once: so few that they stay near the processor."""
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
    """Ids of the items."""
    tied: Bools
    """Whether each item has the score of the next one of its query, which may stand behind the cut."""

    def tied_at(self, k: int | None, *, within: bool) -> int:
        """In how many lists a tie decides which items are the first k or, ``within``, in which order they stand."""
        place = np.arange(len(self.tied)) - np.repeat(self.offsets[:-1], np.diff(self.offsets))
        matters = self.tied if k is None else self.tied & ((place < k) if within else (place == k - 1))
        if k is None and not within:
            return 0
        return len(np.unique(np.searchsorted(self.offsets, np.flatnonzero(matters), side="right")))


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
    blocks = [replace(block, item=block.query.clear(), score=block.score.clear()) for block in run.blocks()]
    query, queries = pl.concat([block.query for block in blocks], rechunk=True), all_queries(blocks)
    if queries is None:
        grouped = _grouped(query)
        return grouped.queries, grouped.sizes
    return queries, np.bincount(encode(query, queries)[1], minlength=len(queries)).astype(np.int64)


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
        """(n,) how many rows each query has."""
        return np.diff(self.offsets)

    @property
    def code(self) -> Ints:
        """The number of each row's query."""
        return np.repeat(np.arange(len(self.queries)), self.sizes) if self.scattered is None else self.scattered


def _grouped(query: pl.Series) -> _Grouped:
    """Find the rows of each query; grouped rows, which are usual, are told by their heads."""
    if not len(query):
        return _Grouped(query, np.zeros(1, np.int64), None)
    if query.dtype == pl.String:
        starts = np.flatnonzero((query != query.shift(1)).fill_null(value=True).to_numpy())
        heads = query.gather(pl.Series(starts))
        rising = False
    else:
        numbers = query.to_numpy()
        starts = np.concatenate([[0], np.flatnonzero(numbers[1:] != numbers[:-1]) + 1])
        first = numbers[starts]
        heads = pl.Series(query.name, first)
        rising = bool((first[1:] > first[:-1]).all())
    # With nearly as many heads as rows the rows are in no order, or lists are so short that numbering costs no more.
    if rising or (2 * len(heads) <= len(query) and heads.n_unique() == len(heads)):
        return _Grouped(heads, np.append(starts, len(query)), None)
    queries, code = encode(query)
    sizes = np.bincount(code, minlength=len(queries)).astype(np.int64)
    return _Grouped(queries, offsets_of(sizes), code)


def _of_blocks(blocks: Iterator[RunTable], k: int | None, ties: str) -> Lists:
    """Cut each block, then their union."""
    deeper = None if k is None else k + 1  # so that a tie across the cut is seen
    cut = [_rows(block, deeper, ties) for block in blocks]
    return _first(cut[0] if len(cut) == 1 else joined_runs(cut), k, ties, "counted")


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
    grouped = _grouped(run.query)
    order = _order(run, grouped, ties)
    if duplicates != "counted":
        keep = _distinct(run, grouped, order, duplicates)
        if keep is not None:
            return _first(_take(run, keep), k, ties, "counted")
    offsets, sizes = grouped.offsets, grouped.sizes
    score: Floats = run.score.to_numpy() if order is None else run.score.to_numpy()[order]
    tied: Bools = np.append(score[1:] == score[:-1], np.zeros(min(len(score), 1), np.bool_))
    tied[offsets[1:][sizes > 0] - 1] = False
    if k is not None and (sizes > k).any():
        rows = expand(offsets[:-1], np.minimum(sizes, k))
        order, tied = rows if order is None else order[rows], tied[rows]
        sizes = np.minimum(sizes, k)
    item = run.item if order is None else run.item.gather(pl.Series(order))
    return Lists(grouped.queries, offsets_of(sizes), item, tied)


def _distinct(run: RunTable, grouped: _Grouped, order: Ints | None, duplicates: str) -> Ints | None:
    """The rows to keep where a list holds an item twice; None where all stay."""
    keys = item_keys(run.item)
    if not _repeated_in_lists(keys if order is None else keys[order], grouped.sizes):
        return None
    sizes = grouped.sizes if grouped.scattered is None else None
    return without_repeated(run, pair_keys(grouped.code, keys), grouped.code, sizes, duplicates)


def _repeated_in_lists(keys: Keys, sizes: Ints) -> bool:
    """Whether a list may hold an item twice, without hashing pairs where lists are of moderate length.

    Every row is compared with those up to a list's length behind it, in blocks that fit the cache; what is alike is
    then looked at in full: it may stand in two lists.
    """
    width = int(sizes.max(initial=0))
    if width > FEW_PLACES:
        return True
    if (sizes == width).all():
        return _repeated_in_rows(keys.reshape(len(sizes), width))
    halves = keys.astype(np.uint32)
    ends: Ints | None = None
    for first in range(0, len(keys), ROWS_AT_ONCE):
        block = halves[first : first + ROWS_AT_ONCE + width - 1]
        for step in range(1, min(width, len(block))):
            alike = block[step:] == block[:-step]
            if not alike.any():
                continue
            ends = np.repeat(np.cumsum(sizes), sizes) if ends is None else ends
            rows = np.flatnonzero(alike) + first
            if ((keys[rows] == keys[rows + step]) & (rows + step < ends[rows])).any():
                return True
    return False


def _repeated_in_rows(lists: Keys) -> bool:
    """The same for lists of one length, place by place: half of a key will do, as hits are looked at in full later."""
    at_once = max(1, 2 * ROWS_AT_ONCE // max(lists.shape[1], 1))
    for first in range(0, len(lists), at_once):
        places = np.ascontiguousarray(lists[first : first + at_once].T.astype(np.uint32))
        if any((places[step:] == places[:-step]).any() for step in range(1, lists.shape[1])):
            return True
    return False


def _take(run: RunTable, rows: Ints) -> RunTable:
    at = pl.Series(rows)
    return replace(run, query=run.query.gather(at), item=run.item.gather(at), score=run.score.gather(at))


def _rows(run: RunTable, k: int | None, ties: str) -> RunTable:
    """The rows that are among the first k of their query, in the order in which they were given."""
    grouped = _grouped(run.query)
    offsets, sizes = grouped.offsets, grouped.sizes
    if k is None or not (sizes > k).any():
        return run
    order = _order(run, grouped, ties)
    rows = expand(offsets[:-1], np.minimum(sizes, k))
    return _take(run, np.sort(rows if order is None else order[rows]))


def _order(run: RunTable, grouped: _Grouped, ties: str) -> Ints | None:
    """The rows by query and rank; None where they stand so already."""
    scores: Floats = run.score.to_numpy()
    order: Ints | None = None
    if grouped.scattered is not None:
        order = _by_ranks(scores, grouped.scattered, grouped.offsets)
        if order is not None:
            return order  # every rank once: there is no tie
        order = _by_scores(scores, grouped.scattered, len(grouped.queries))
    elif not _falls(scores, grouped.offsets):
        order = _by_scores(scores, grouped.code, len(grouped.queries))
    return order if ties == "input" else _ties_broken(run, scores, order, grouped.offsets, ties)


def _by_ranks(scores: Floats, code: Ints, offsets: Ints) -> Ints | None:
    """The rows by query and rank where the ranks of every list are 1 to its length, else None; nothing is sorted."""
    sizes = np.diff(offsets)
    if not len(scores) or scores.max() != -1.0 or scores.min() < -sizes.max():
        return None
    place = -1 - scores.astype(np.int64)
    if (place != -1.0 - scores).any() or (place >= sizes[code]).any():
        return None
    place += offsets[code]
    order = np.full(len(scores), -1, np.int64)
    order[place] = np.arange(len(scores))
    return None if order.min() < 0 else order  # a place that nobody has: some rank stands twice


def _by_scores(scores: Floats, code: Ints, groups: int) -> Ints:
    """The rows by query and falling score, equal ones as they were given."""
    low = float(scores.min())
    if float(scores.max()) - low < FEW_RANKS and (scores == np.trunc(scores)).all():
        falling = group_rows((scores.max() - scores).astype(np.int64), FEW_RANKS)
    else:
        falling = np.argsort(-scores, kind="stable")
    return np.asarray(falling[group_rows(code[falling], groups)])


def _within(pairs: Bools, offsets: Ints) -> Bools:
    """(n - 1,) without the pairs of one query's last row and the next one's first."""
    between = offsets[1:-1] - 1
    pairs[between[(between >= 0) & (between < len(pairs))]] = False
    return pairs


def _falls(scores: Floats, offsets: Ints) -> bool:
    """Whether no score of a list is above the one before it."""
    return not _within(scores[1:] > scores[:-1], offsets).any()


def _ties_broken(run: RunTable, scores: Floats, order: Ints | None, offsets: Ints, ties: str) -> Ints | None:
    """The order with tied rows put as the rule asks; only they are moved."""
    ordered = scores if order is None else scores[order]
    alike = _within(ordered[1:] == ordered[:-1], offsets)
    if not alike.any():
        return order
    tied = np.zeros(len(scores), np.bool_)
    tied[1:] |= alike
    tied[:-1] |= alike
    places = np.flatnonzero(tied)
    group = np.cumsum(np.append(True, ~alike)[places])  # a tie starts where a row is unlike the one before
    order = np.arange(len(scores)) if order is None else order.copy()
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
