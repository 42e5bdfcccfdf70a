"""A catalogue scored by a callback: ``score(queries, items)`` gives a tile, and only counts are kept of it.

Two passes over the same tiles: the first takes the scores of the judged and the excluded pairs, the second counts what
is above them. So a threshold comes from the same arithmetic as what it is compared with, whatever the model computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rankmeter.errors import InputError, RankmeterError
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.catalogue.pair_counts import AskedPairs, CountedPairs, Excluded, PairTally, each_once, host
from rankmeter.wings.catalogue.vectors import ITEMS_AT_ONCE, QUERIES_AT_ONCE, Precision, kth_best, top_items

Score = Callable[[Ints, slice], Any]
"""From the rows of some queries and a slice of the items to their scores, ``(queries, items)``, NumPy or torch."""


@dataclass(frozen=True, slots=True)
class ScoredTiles:
    """A callback, and the scores of the pairs that ranks are counted for."""

    score: Score
    rows: Ints
    """The rows of the queries that are asked for, rising."""
    shape: tuple[int, int]
    keys: Ints
    """Query and item of each known pair in one number, rising."""
    known: Floats
    device: str

    @classmethod
    def of(cls, score: Score, shape: tuple[int, int], query: Ints, item: Ints) -> ScoredTiles:
        """The first pass: the scores of some pairs, from the tiles they stand in."""
        keys = each_once(query * shape[1] + item)
        query, item = keys // shape[1], keys % shape[1]
        rows = np.unique(query)
        known, device = np.empty(len(keys)), "cpu"
        for block in _query_blocks(rows):
            mine = np.arange(*np.searchsorted(query, [block[0], block[-1] + 1]))
            for tile in _tiles(shape[1]):
                some = mine[(item[mine] >= tile.start) & (item[mine] < tile.stop)]
                if not len(some):
                    continue
                scores = tile_scores(score, block, tile)
                device = str(getattr(scores, "device", "cpu"))
                local = np.searchsorted(block, query[some])
                known[some] = _floats_on_host(scores[_like(local, scores), _like(item[some] - tile.start, scores)])
        return cls(score, rows, shape, keys, known, device)

    def scores(self, query: Ints, item: Ints) -> Floats:
        """(n,) the scores of pairs that the first pass took."""
        scores: Floats = self.known[np.searchsorted(self.keys, query * self.shape[1] + item)]
        return scores

    def native(self, values: Any) -> Any:
        """Pairs are kept in main memory."""
        return host(values)

    def memory(self, precision: Precision) -> int:  # noqa: ARG002 (a callback has one)
        """The tile of scores that the callback returns."""
        return 8 * min(QUERIES_AT_ONCE, len(self.rows)) * min(ITEMS_AT_ONCE, self.shape[1])

    def count(self, asked: AskedPairs, precision: Precision) -> CountedPairs:
        """The second pass: count what is above, and what is equal with its ids."""
        if precision == "fast":
            raise InputError.of("catalogue.fast_callback")
        owner = asked.owner
        tally = PairTally(asked, self.scores(owner, asked.item))
        for block in _query_blocks(self.rows):
            low, high = np.searchsorted(owner, [block[0], block[-1] + 1])
            if low == high:
                continue
            local = np.searchsorted(block, owner[low:high])
            for tile in _tiles(self.shape[1]):
                scores = tile_scores(self.score, block, tile)
                mine = scores[_like(local, scores)]
                wanted = _like(tally.threshold[low:high], scores)[:, None]
                tally.above[low:high] += host((mine > wanted).sum(1))
                row, column = _nonzero(mine == wanted)
                tally.add(row + low, column + tile.start, tally.threshold[row + low])
            asked.told(high / len(owner))
        if not tally.tied.all():
            raise RankmeterError(
                f"{int((tally.tied == 0).sum()):,} judged items do not tie with themselves: the ranks are not valid. "
                "A scoring callback must give the same scores each time it is asked."
            )
        return tally.counted(self.scores)

    def top(self, rows: Ints, k: int, excluded: Excluded) -> Ints:
        """The best items, from a third pass."""
        return top_items(self._tile_best, self.shape[1], rows, k, excluded)

    def _tile_best(
        self, block: Ints, tile: slice, bound: Floats, k: int, hidden: tuple[Ints, Ints]
    ) -> tuple[Ints, Ints, Floats]:
        scores = tile_scores(self.score, block, tile)
        if len(hidden[0]):
            scores = scores.clone() if hasattr(scores, "clone") else scores.copy()
            scores[_like(hidden[0], scores), _like(hidden[1], scores)] = -np.inf
        row, column, score = best_of(scores, bound, k)
        return row, column + tile.start, score


def best_of(scores: Any, bound: Floats, k: int) -> tuple[Ints, Ints, Floats]:
    """Row, column and score of all cells that may be among the k best of their row, or reach its bound.

    Scores are looked at where they are; only these cells leave the device.
    """
    lowest = np.maximum(bound, _kth_best(scores, k)) if np.isneginf(bound).any() else bound
    row, column = _nonzero(scores >= _like(lowest, scores)[:, None])
    return row, column, _floats_on_host(scores[_like(row, scores), _like(column, scores)])


def _kth_best(scores: Any, k: int) -> Floats:
    if not hasattr(scores, "topk"):
        return kth_best(scores, k)
    if scores.shape[1] < k:
        return np.full(len(scores), -np.inf)
    return _floats_on_host(scores.topk(k, dim=1)[0][:, -1])


def tile_scores(score: Score, block: Ints, tile: slice) -> Any:
    """One tile, checked."""
    scores = score(block, tile)
    shape = (len(block), tile.stop - tile.start)
    if hasattr(scores, "detach"):
        scores = scores.detach()
        scores = scores if scores.is_floating_point() else scores.double()
        wrong = bool(scores.isnan().any())
    else:
        scores = np.asarray(scores)
        scores = scores if scores.dtype.kind == "f" else scores.astype(np.float64)
        wrong = bool(np.isnan(scores).any())
    if tuple(scores.shape) != shape:
        raise InputError.of(
            "catalogue.scores_of_shape",
            shape=str(tuple(scores.shape)),
            queries=shape[0],
            items=shape[1],
            wanted=str(shape),
        )
    if wrong:
        raise InputError.of("catalogue.score_nan", first=tile.start, last=tile.stop - 1)
    return scores


def _query_blocks(rows: Ints) -> Iterator[Ints]:
    for first in range(0, len(rows), QUERIES_AT_ONCE):
        yield rows[first : first + QUERIES_AT_ONCE]


def _tiles(items: int) -> Iterator[slice]:
    for start in range(0, items, ITEMS_AT_ONCE):
        yield slice(start, min(start + ITEMS_AT_ONCE, items))


def _like(values: Any, scores: Any) -> Any:
    """Indexes, or thresholds that were scores of the same kind, where the scores are."""
    if not hasattr(scores, "detach"):
        return values if values.dtype.kind == "i" else values.astype(scores.dtype)
    import torch

    moved = torch.from_numpy(values).to(scores.device)
    return moved.to(scores.dtype) if moved.is_floating_point() else moved


def _nonzero(mask: Any) -> tuple[Ints, Ints]:
    if not hasattr(mask, "detach"):
        # In one dimension NumPy looks for what is true many times faster.
        return np.divmod(np.flatnonzero(mask), mask.shape[1])
    row, column = map(host, mask.nonzero(as_tuple=True))
    return row, column


def _floats_on_host(values: Any) -> Floats:
    floats: Floats = host(values).astype(np.float64, copy=False)
    return floats
