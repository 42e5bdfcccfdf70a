"""The best items of each query out of a whole catalogue, tile by tile, by the score's definition.

Fast arithmetic only decides who cannot be among the best; the rest are scored by the definition and merged. Items of
equal score stand in the order of the catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rankmeter.placing.pair_counts import Excluded
from rankmeter.placing.placements import Floats, Ints

QUERIES_AT_ONCE = 1024
ITEMS_AT_ONCE = 8192


class Tiled(Protocol):
    """What can say which items of a tile may be among the best."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many queries and items."""
        ...

    def tile_best(
        self, block: Ints, tile: slice, bound: Floats, k: int, hidden: tuple[Ints, Ints]
    ) -> tuple[Ints, Ints, Floats]:
        """Items that may be among the k best of the queries in ``block``: place in the block, item, score.

        Every item of the tile that scores at least ``bound`` and belongs to the k best of the tile is there; others may
        be. Where every query has a bound, it is enough: the k best of the tile need not be found. ``hidden`` names
        cells (place in the block, place in the tile) that do not count towards the k best.
        """
        ...


def top_items(source: Tiled, rows: Ints, k: int, excluded: Excluded) -> Ints:
    """(len(rows), k) the rows of the best items, best first; -1 where there are fewer."""
    best = np.full((len(rows), k), -1, np.int64)
    for first in range(0, len(rows), QUERIES_AT_ONCE):
        block = rows[first : first + QUERIES_AT_ONCE]
        best[first : first + QUERIES_AT_ONCE] = _block_top(source, block, k, excluded)
    return best


def _block_top(source: Tiled, block: Ints, k: int, excluded: Excluded) -> Ints:
    best = _Best(k, np.full(len(block), -np.inf))
    owner, item = excluded.beside(block)
    for start in range(0, source.shape[1], ITEMS_AT_ONCE):
        tile = slice(start, min(start + ITEMS_AT_ONCE, source.shape[1]))
        inside = (item >= tile.start) & (item < tile.stop)
        row, column, score = source.tile_best(block, tile, best.bound, k, (owner[inside], item[inside] - start))
        open_ = ~excluded.holds(block[row], column)
        best.add(row[open_], column[open_], score[open_])
    return best.table(len(block))


@dataclass(slots=True)
class _Best:
    """The best items so far, and those that wait to be compared with them."""

    k: int
    bound: Floats
    """(b,) a score that the k-th best item reaches; -inf before there are k."""
    waiting: list[tuple[Ints, Ints, Floats]] = field(default_factory=list)
    count: int = 0

    def add(self, row: Ints, item: Ints, score: Floats) -> None:
        """Take in items; they are merged when many wait, and at once as long as a bound is missing."""
        self.waiting.append((row, item, score))
        self.count += len(row)
        if self.count > self.k * len(self.bound) or np.isneginf(self.bound).any():
            self.merge()

    def merge(self) -> None:
        """Keep the k best of each query: higher score first, then the catalogue's order."""
        row, item, score = (np.concatenate(parts) for parts in zip(*self.waiting, strict=True))
        order = np.lexsort((item, -score, row))
        row, item, score = row[order], item[order], score[order]
        place = np.arange(len(row)) - np.searchsorted(row, row)
        kept = place < self.k
        last = place == self.k - 1
        self.bound[row[last]] = score[last]
        self.waiting, self.count = [(row[kept], item[kept], score[kept])], 0

    def table(self, rows: int) -> Ints:
        """(rows, k) the items."""
        self.merge()
        row, item, _ = self.waiting[0]
        best = np.full((rows, self.k), -1, np.int64)
        best[row, np.arange(len(row)) - np.searchsorted(row, row)] = item
        return best
