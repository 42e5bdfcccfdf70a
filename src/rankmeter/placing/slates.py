"""The first k items of every query as a table, from every kind of run, under a stated tie rule.

A run is cut block by block: the best k of a union are among the best k of its parts, so a file larger than memory, or
one that comes back to a query later, gives the same lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from rankmeter.inputs.ids import ids
from rankmeter.inputs.mappings import table_of_run
from rankmeter.inputs.sources import AnyRun, Dense, RankedLists, RunFile, ScoredMapping
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.placing.matching import Keys, item_keys, pair_keys
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.segments import expand, group_rows, offsets_of
from rankmeter.placing.table import encode, whole, without_repeated

FEW_PLACES = 64
"""Up to how many places the items of lists are compared with each other, rather than hashed."""
LISTS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Lists:
    """The first items of n queries, best first, one query after another."""

    queries: pl.Series
    """(n,) the queries of the run, in the order of first appearance."""
    offsets: Ints
    """(n + 1,) where each query's items start."""
    item: pl.Series
    """Ids of the items."""


def first_items(run: AnyRun, *, k: int | None, ties: str, duplicates: str) -> Lists:
    """The first ``k`` items (all, if None) of every query of a run."""
    if isinstance(run, RankedLists):
        return _cut(_distinct(_table_of_lists(run, k if duplicates == "counted" else None), duplicates), k, ties)
    if isinstance(run, Dense):
        return _cut(_best_cells(run, k), k, ties)
    if isinstance(run, RunFile):
        if duplicates != "counted":  # the same pair may stand in two blocks
            return _cut(_distinct(whole(run.blocks()), duplicates), k, ties)
        return _of_blocks(run.blocks(), k, ties)
    table = run if isinstance(run, RunTable) else table_of_run(run)
    return _cut(_distinct(table, duplicates), k, ties)


def lengths_of(run: AnyRun) -> tuple[pl.Series, Ints]:
    """The queries of a run in the order of first appearance, and how many items each has."""
    if isinstance(run, (ScoredMapping, RankedLists)):
        sizes = np.fromiter(map(len, run.data.values()), np.int64, len(run.data))
        return ids(list(run.data)), sizes
    if isinstance(run, Dense):
        return pl.Series(np.arange(len(run.values))), np.full(len(run.values), run.values.shape[1])
    if isinstance(run, RunTable) and run.queries is not None:  # some have no row
        count = run.queries.len()
        known = pl.DataFrame({"query": run.queries, "at": np.arange(count)})
        at = pl.DataFrame({"query": run.query}).join(known, on="query", how="left", maintain_order="left")["at"]
        return run.queries, np.bincount(at.to_numpy(), minlength=count).astype(np.int64)
    blocks = run.blocks() if isinstance(run, RunFile) else iter([run])
    grouped = _grouped(pl.concat([block.query for block in blocks], rechunk=True))
    return grouped.queries, grouped.sizes


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Which rows belong to which query."""

    queries: pl.Series
    """(n,) in the order of first appearance."""
    offsets: Ints
    """(n + 1,) where each query starts, in ``order``."""
    order: Ints | None
    """The rows by query; None where they stand so already."""

    @property
    def sizes(self) -> Ints:
        """(n,) how many rows each query has."""
        return np.diff(self.offsets)

    @property
    def code(self) -> Ints:
        """The number of each row's query."""
        code = np.repeat(np.arange(len(self.queries)), self.sizes)
        if self.order is None:
            return code
        scattered = np.empty_like(code)
        scattered[self.order] = code
        return scattered


def _grouped(query: pl.Series) -> _Grouped:
    """Find the rows of each query; grouped rows, which are usual, are told by their heads."""
    if not len(query):
        return _Grouped(query, np.zeros(1, np.int64), None)
    if query.dtype == pl.String:
        starts = np.flatnonzero((query != query.shift(1)).fill_null(value=True).to_numpy())
        heads = query.gather(pl.Series(starts))
        once = heads.n_unique() == len(heads)
    else:
        numbers = query.to_numpy()
        starts = np.concatenate([[0], np.flatnonzero(numbers[1:] != numbers[:-1]) + 1])
        first = numbers[starts]
        heads = pl.Series(query.name, first)
        once = bool((first[1:] > first[:-1]).all()) or heads.n_unique() == len(heads)
    if once:
        return _Grouped(heads, np.append(starts, len(query)), None)
    queries, code = encode(query)
    sizes = np.bincount(code, minlength=len(queries)).astype(np.int64)
    return _Grouped(queries, offsets_of(sizes), group_rows(code, len(queries)))


def _table_of_lists(run: RankedLists, k: int | None) -> RunTable:
    """Lists as a table, without a Python object for each row; cut beforehand where nothing behind k matters."""
    lists = [items[:k] for items in run.data.values()]
    sizes = np.fromiter(map(len, lists), np.int64, len(lists))
    rows = np.repeat(np.arange(len(lists)), sizes)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    query = ids(list(run.data)).gather(pl.Series(rows))
    item = ids(list(chain.from_iterable(lists)))
    return RunTable(query, item, pl.Series(-1.0 - place), run.source, scored=False)


def _of_blocks(blocks: Iterator[RunTable], k: int | None, ties: str) -> Lists:
    """Cut each block, then their union."""
    cut = [_rows(block, k, ties) for block in blocks]
    if len(cut) == 1:
        return _cut(cut[0], k, ties)
    return _cut(whole(iter(cut)), k, ties)


def _best_cells(run: Dense, k: int | None) -> RunTable:
    """The cells of a matrix that can be among the first k: all that are not below the k-th best of their row."""
    scores = run.values.astype(np.float64, copy=False)
    if k is not None and k < scores.shape[1]:
        bound = -np.partition(-scores, k - 1, axis=1)[:, k - 1]
        query, item = np.nonzero(scores >= bound[:, None])
    else:
        query, item = (one.ravel() for one in np.indices(scores.shape))
    return RunTable(pl.Series(query), pl.Series(item), pl.Series(scores[query, item]), run.source)


def _distinct(run: RunTable, duplicates: str) -> RunTable:
    """Refuse or drop repeated items, as asked."""
    if duplicates == "counted":
        return run
    grouped, keys = _grouped(run.query), item_keys(run.item)
    sizes = grouped.sizes if grouped.order is None else None
    if sizes is not None and not _repeated_in_rows(keys, sizes):
        return run
    keep = without_repeated(run, pair_keys(grouped.code, keys), sizes, duplicates)
    return run if keep is None else _take(run, keep)


def _repeated_in_rows(keys: Keys, sizes: Ints) -> bool:
    """Whether a list may hold an item twice; lists of one moderate length are told without hashing pairs.

    Every place is compared with the one so many places below, for all lists of a block that fits the cache at once.
    """
    width = int(sizes.max(initial=0))
    if width > FEW_PLACES or (sizes != width).any():
        return True
    lists = keys.reshape(len(sizes), width)
    for first in range(0, len(lists), LISTS_AT_ONCE):
        # Half of a key will do: where it says that two are equal, the pairs are looked at in full.
        places = np.ascontiguousarray(lists[first : first + LISTS_AT_ONCE].T.astype(np.uint32))
        if any((places[step:] == places[:-step]).any() for step in range(1, width)):
            return True
    return False


def _take(run: RunTable, rows: Ints) -> RunTable:
    at = pl.Series(rows)
    return replace(run, query=run.query.gather(at), item=run.item.gather(at), score=run.score.gather(at))


def _cut(run: RunTable, k: int | None, ties: str) -> Lists:
    """The first k rows of every query, in order."""
    grouped = _grouped(run.query)
    order, offsets, sizes = _order(run, grouped, ties), grouped.offsets, grouped.sizes
    if k is not None and (sizes > k).any():
        rows = expand(offsets[:-1], np.minimum(sizes, k))
        order = rows if order is None else order[rows]
        sizes = np.minimum(sizes, k)
    item = run.item if order is None else run.item.gather(pl.Series(order))
    return Lists(grouped.queries, offsets_of(sizes), item)


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
    order = grouped.order
    if order is not None:
        scores = scores[order]
    wrong = _out_of_order(scores, grouped.offsets, ties)
    if not len(wrong):
        return order
    sizes = grouped.sizes[wrong]
    rows = expand(grouped.offsets[wrong], sizes)
    order = np.arange(len(scores)) if order is None else order.copy()
    if ties in ("item", "item-ascending"):
        tie = _as_text_rank(run.item.gather(pl.Series(order[rows])))
        tie = -tie if ties == "item" else tie
    else:
        tie = -rows if ties == "reversed" else rows
    order[rows] = order[rows][np.lexsort((tie, -scores[rows], np.repeat(wrong, sizes)))]
    return order


def _out_of_order(scores: Floats, offsets: Ints, ties: str) -> Ints:
    """Which queries are not in falling order, or have a tie that the rule must break."""
    wrong = scores[1:] > scores[:-1] if ties == "input" else scores[1:] >= scores[:-1]
    between = offsets[1:-1] - 1
    wrong[between[(between >= 0) & (between < len(wrong))]] = False  # one query's last row and the next one's first
    return np.unique(np.searchsorted(offsets, np.flatnonzero(wrong), side="right") - 1)


def _as_text_rank(items: pl.Series) -> Ints:
    """Numbers that sort as the ids do as text, in byte order."""
    text = items.cast(pl.String) if items.dtype != pl.String else items
    return text.rank("dense").to_numpy().astype(np.int64)
