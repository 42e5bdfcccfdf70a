"""Products of vectors in main memory, and the definition of a score that every device keeps to.

A score is the float64 sum, in index order, of the products of the float32 inputs. Each product is exact in float64, so
the definition has one rounding per addition and no freedom: not the tiling, the batch, the BLAS or the device. Faster
arithmetic is used only where a proven bound on its error leaves no doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints

Vectors = npt.NDArray[np.float32]
PAIRS_AT_ONCE = 1 << 13
"""Few enough that the columns of the pairs' vectors stay in the cache."""
QUERIES_AT_ONCE = 1024
ITEMS_AT_ONCE = 8192
UNIT = 2.0**-24
"""The largest relative error of one float32 rounding."""
LEAST = 2.0**-100
"""More than all that underflow can take from a product of scaled vectors, up to a width of 2^20."""


def exact_scores(queries: Vectors, items: Vectors, query: Ints, item: Ints) -> Floats:
    """(n,) the score of each (query, item) pair by its definition."""
    scores = np.empty(len(query))
    for first in range(0, len(query), PAIRS_AT_ONCE):
        some = slice(first, first + PAIRS_AT_ONCE)
        left, right = queries[query[some]].astype(np.float64), items[item[some]].astype(np.float64)
        total = np.zeros(len(left))
        for column in range(left.shape[1]):
            total += left[:, column] * right[:, column]
        scores[some] = total
    return scores


def float32_error(width: int) -> float:
    """How far a float32 product of two vectors can be from the score, over the product of their norms.

    Any order of n additions with or without fused multiplication errs by at most n u / (1 - n u) times the sum of the
    absolute products, which is at most the product of the norms (Higham 2002, section 3.1).
    The score itself errs by far less; twice the bound covers both, and the norms' own rounding.
    """
    terms = width + 1
    return 2.0 * terms * UNIT / (1.0 - terms * UNIT)


def norms(vectors: Vectors) -> Floats:
    """(n,) the Euclidean length of each vector."""
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return lengths


@dataclass(frozen=True, slots=True)
class Scaled:
    """Vectors times powers of two, so that no product of two of them overflows and underflow is below ``LEAST``.

    Queries are scaled one by one, items all alike: a float32 number has room for items that are 2^-80 as long as the
    longest. Shorter ones stay in doubt and are decided by the definition.
    """

    vectors: Vectors
    exponent: Ints
    """(n,) or (1,): the powers of two."""
    norm: Floats
    """(n,) the lengths after scaling."""

    @classmethod
    def of(cls, vectors: Vectors, *, alike: bool) -> Scaled:
        largest = np.abs(vectors).max(axis=1)
        exponent = -np.frexp(largest.max(keepdims=True) if alike else largest)[1].astype(np.int64)
        # In two steps: 2^149, which the smallest float32 number needs, is no float32 number itself.
        half = exponent // 2
        scaled = np.ldexp(np.ldexp(vectors, half[:, None]), (exponent - half)[:, None])
        return cls(scaled, exponent, norms(scaled))


@dataclass(frozen=True, slots=True)
class Tile:
    """Float32 scores of a block of queries and a stretch of items, with their error bound."""

    scores: Vectors
    """(q, n) scaled scores."""
    margin: Floats
    """(q,) how far each may be from the true one."""
    unit: Ints
    """(q,) true scores times 2^unit are scaled scores."""
    start: int


@dataclass(frozen=True, slots=True)
class Products:
    """Queries and items, ready to be multiplied."""

    queries: Scaled
    items: Scaled

    @classmethod
    def of(cls, queries: Vectors, items: Vectors) -> Products:
        """Scale both sides."""
        return cls(Scaled.of(queries, alike=False), Scaled.of(items, alike=True))

    def tile(self, block: Ints | slice, some: slice) -> Tile:
        """The scores of some queries and items."""
        left, right = self.queries.vectors[block], self.items.vectors[some]
        error = float32_error(left.shape[1])
        margin = error * self.queries.norm[block] * self.items.norm[some].max() + LEAST
        return Tile(left @ right.T, margin, self.queries.exponent[block] + self.items.exponent, some.start)

    def undecided(
        self, owner: Ints, threshold: Floats, above: Ints, told: Callable[[float], object]
    ) -> Iterator[tuple[Ints, Ints]]:
        """Count into ``above`` the items surely above each threshold; yield the doubtful pairs (threshold, item).

        ``owner`` is the query of each threshold, in rising order.
        """
        for first in range(0, len(self.queries.vectors), QUERIES_AT_ONCE):
            low, high = np.searchsorted(owner, [first, first + QUERIES_AT_ONCE])
            if low == high:
                continue
            asked, local = np.unique(owner[low:high], return_inverse=True)
            for start in range(0, len(self.items.vectors), ITEMS_AT_ONCE):
                tile = self.tile(asked, slice(start, start + ITEMS_AT_ONCE))
                wanted = np.ldexp(threshold[low:high], tile.unit[local])
                upper, lower = _outward(wanted, tile.margin[local])
                mine = tile.scores if len(asked) == high - low else tile.scores[local]
                higher = trues_of_rows(mine > upper[:, None])
                above[low:high] += higher
                # Few rows of a tile have a score in doubt, and only they are searched.
                doubtful = np.flatnonzero(trues_of_rows(mine >= lower[:, None]) != higher)
                some = mine[doubtful]
                row, column = np.nonzero((some >= lower[doubtful, None]) & (some <= upper[doubtful, None]))
                yield doubtful[row] + low, column + start
            told(high / len(owner))


def trues_of_rows(table: Bools) -> Ints:
    """(n,) how many of each row are true: eight are added up at once, as the bytes of a word.

    >>> trues_of_rows(np.array([[True, False, True], [False, False, False]])).tolist()
    [2, 0]
    """
    whole = table.shape[1] // 8 * 8
    words = table[:, :whole].view(np.uint64)
    total: Ints = table[:, whole:].sum(axis=1, dtype=np.int64)
    for first in range(0, words.shape[1], 255):  # a byte holds no more
        parts = words[:, first : first + 255].sum(axis=1)
        total += parts.view(np.uint8).reshape(len(parts), 8).sum(axis=1, dtype=np.int64)
    return total


def _outward(threshold: Floats, margin: Floats) -> tuple[Vectors, Vectors]:
    """Thresholds moved apart by the margin, rounded to float32 away from each other."""
    upper = np.nextafter((threshold + margin).astype(np.float32), np.float32(np.inf))
    lower = np.nextafter((threshold - margin).astype(np.float32), np.float32(-np.inf))
    return upper, lower
