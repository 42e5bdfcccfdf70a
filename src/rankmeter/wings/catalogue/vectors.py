"""Vectors that can be ranked, in main memory or on a CUDA device, and the best items of each query, tile by tile.

Both give the same ranks to the last one, because a score has one definition and fast arithmetic is trusted only
outside its error bound. Of the best items, those of equal score stand in the order of the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, RankmeterError, examples, load_library
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.catalogue.pair_counts import AskedPairs, CountedPairs, Excluded, PairTally, host
from rankmeter.wings.catalogue.products import Products, Vectors, exact_scores

Precision = Literal["exact", "fast"]
CHECKED = 4
"""Ranks of each call that are counted again by the definition alone."""


def chosen_checks(threshold: Floats) -> Ints:
    """Which ranks are counted again: those of the scores next to 0, where too coarse a scale shows first, and others.

    Which others changes with the data, and is the same for the same data.
    """
    if not len(threshold):  # a device without a judged item, or all of them excluded
        return np.empty(0, np.int64)
    few = min(CHECKED // 2, len(threshold))
    smallest = np.argpartition(np.abs(threshold), few - 1)[:few]
    others = np.random.default_rng(len(threshold)).integers(0, len(threshold), CHECKED - len(smallest))
    return np.unique(np.concatenate([smallest, others]))


def check_again(counted: Ints, again: Ints, rows: Ints) -> None:
    """Refuse ranks that differ from those counted by the definition alone: then an error bound was not one."""
    if (counted != again).any():
        wrong = int((counted != again).any(axis=0).argmax())
        raise RankmeterError(
            f"the self-check failed: judged item {int(rows[wrong]):,} has {int(again[0, wrong]):,} items above it by "
            f"definition, but {int(counted[0, wrong]):,} were counted. No rank is returned; please report this."
        )


@dataclass(frozen=True, slots=True)
class NumpyVectors:
    """Vectors in memory, multiplied tile by tile."""

    left: Vectors
    right: Vectors
    device: str = "cpu"

    @property
    def shape(self) -> tuple[int, int]:
        """How many queries and items."""
        return len(self.left), len(self.right)

    def native(self, values: Any) -> Any:
        """An array or tensor, brought to where the ranking is done."""
        return host(values)

    def memory(self, precision: Precision) -> int:  # noqa: ARG002 (there is one here)
        """About how many bytes ranking takes beside what was given."""
        return self.left.nbytes + self.right.nbytes + (1 << 26)

    def scores(self, query: Ints, item: Ints) -> Floats:
        """The score of each pair by its definition."""
        return exact_scores(self.left, self.right, query, item)

    def count(self, asked: AskedPairs, precision: Precision) -> CountedPairs:
        """Place the judged items."""
        if precision == "fast":
            raise InputError.of("catalogue.fast_in_memory")
        tally = PairTally(asked, self.scores(asked.owner, asked.item))
        for row, item in Products.of(self.left, self.right).undecided(
            asked.owner, tally.threshold, tally.above, asked.told
        ):
            tally.recomputed += len(row)
            tally.add(row, item, self.scores(asked.owner[row], item))
        self._check(tally)
        return tally.counted(self.scores)

    def _check(self, tally: PairTally) -> None:
        """Count some ranks again, fewer where that would take longer than a twentieth of the products."""
        rows = chosen_checks(tally.threshold)[: max(1, len(tally.threshold) // 512)]
        every = np.arange(len(self.right))
        again = np.empty((2, len(rows)), np.int64)
        for place, row in enumerate(rows):
            scores = self.scores(np.full(len(every), tally.asked.owner[row]), every)
            wanted = tally.threshold[row]
            again[:, place] = np.count_nonzero(scores > wanted), np.count_nonzero(scores == wanted)
        check_again(np.stack([tally.above[rows], tally.tied[rows]]), again, rows)

    def top(self, rows: Ints, k: int, excluded: Excluded) -> Ints:
        """(len(rows), k) the rows of the best items, best first; -1 where there are fewer."""
        tile_best = partial(self._tile_best, Products.of(self.left, self.right))
        return top_items(tile_best, len(self.right), rows, k, excluded)

    def _tile_best(
        self, products: Products, block: Ints, some: slice, bound: Floats, k: int, hidden: tuple[Ints, Ints]
    ) -> tuple[Ints, Ints, Floats]:
        """`TileBest`, from float32 products."""
        tile = products.tile(block, some)
        tile.scores[hidden] = -np.inf
        bound = np.ldexp(bound, tile.unit)
        kth = kth_best(tile.scores, k) if np.isneginf(bound).any() else bound
        # What a fast score must reach where the true one may be among the k best: k others are surely that high.
        lowest = np.maximum(bound, kth - tile.margin) - tile.margin
        row, column = np.nonzero(tile.scores >= np.nextafter(lowest.astype(np.float32), np.float32(-np.inf))[:, None])
        item = column + some.start
        return row, item, self.scores(block[row], item)


def kth_best(scores: Vectors, k: int) -> Floats:
    """(b,) a score that at least k of each row reach, hardly below the k-th highest; -inf where there are fewer.

    Columns are dealt to some times k blocks, of which only the highest scores are put in order: k of these reach the
    k-th highest of them.
    """
    width = max(1, scores.shape[1] // (BLOCKS * k))
    blocks = scores.shape[1] // width
    if blocks < k:
        return np.full(len(scores), -np.inf)
    highest = scores[:, : width * blocks].reshape(len(scores), width, blocks).max(axis=1)
    return np.partition(highest, blocks - k, axis=1)[:, blocks - k].astype(np.float64)


def arrays_of(left: Any, right: Any, bias: Any, similarity: str) -> tuple[Vectors, Vectors]:
    """Both sides as arrays of one width, of unit length for cosines, the bias in a column of its own."""
    first, second = array_of(left, "query_vectors"), array_of(right, "item_vectors")
    check_widths(first.shape[1], second.shape[1])
    if similarity == "cosine":
        first, second = unit(first, "query_vectors"), unit(second, "item_vectors")
    if bias is not None:
        column = array_of(np.reshape(host(bias), (-1, 1)), "bias")
        check_bias(len(column), len(second))
        first, second = np.hstack([first, np.ones((len(first), 1), np.float32)]), np.hstack([second, column])
    return first, second


def load_torch() -> Any:
    """torch, or how to get it."""
    return load_library("torch")


def array_of(values: Any, what: str) -> Vectors:
    """A float32 matrix in main memory, checked."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.numpy() if values.is_complex() else values.float().numpy()
    if getattr(getattr(values, "dtype", None), "kind", "") == "c":
        raise InputError.of("catalogue.complex_vectors", what=what)
    try:
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and said below
            matrix = np.ascontiguousarray(values, np.float32)
    except (TypeError, ValueError) as error:
        raise InputError.of("catalogue.no_vectors", what=what, error=error) from error
    if matrix.ndim != 2 or not matrix.size:
        raise InputError.of("catalogue.vectors_of_shape", what=what, shape=str(matrix.shape))
    wrong = np.flatnonzero(~np.isfinite(matrix).all(axis=1)).tolist()
    if wrong:
        raise not_finite(what, wrong)
    return matrix


def not_finite(what: str, wrong: list[int]) -> InputError:
    """What is said of vectors that have no order."""
    rows = "1 row" if len(wrong) == 1 else f"{len(wrong):,} rows"
    return InputError.of("catalogue.vectors_not_finite", what=what, rows=rows, listed=examples(wrong))


def check_widths(left: int, right: int) -> None:
    """Refuse vectors of different width."""
    if left != right:
        raise InputError.of("catalogue.widths_differ", left=left, right=right)


def check_bias(values: int, items: int) -> None:
    """Refuse a bias that does not fit the items."""
    if values != items:
        raise InputError.of("catalogue.bias_of_items", values=values, items=items)


def unit(vectors: Vectors, what: str) -> Vectors:
    """The vectors divided by their length, rounded to float32: what ``cosine`` multiplies.

    The length is the root of a vector's score with itself, which has the same bits on every device.
    """
    every = np.arange(len(vectors))
    lengths = np.sqrt(exact_scores(vectors, vectors, every, every))
    refuse_zero_vectors(lengths, what)
    return (vectors / lengths[:, None]).astype(np.float32)


def refuse_zero_vectors(lengths: Floats, what: str) -> None:
    """Refuse vectors that have no cosine."""
    if not lengths.all():
        rows = np.flatnonzero(lengths == 0).tolist()
        raise InputError.of("catalogue.zero_vectors", what=what, listed=examples(rows))


QUERIES_AT_ONCE = 1024
BLOCKS = 4
"""Into how many blocks columns are dealt for each of the best that is looked for."""
ITEMS_AT_ONCE = 8192


TileBest = Callable[[Ints, slice, Floats, int, tuple[Ints, Ints]], tuple[Ints, Ints, Floats]]
"""From a block of queries, a tile of items, a bound for each query, k and hidden cells (place in the block, place in
the tile; they do not count towards the k best) to items that may be among the k best: place in the block, item, score.

Every item of the tile that scores at least its bound and belongs to the k best of the tile is there; others may be.
Where every query has a bound, it is enough: the k best of the tile need not be found."""


def top_items(tile_best: TileBest, items: int, rows: Ints, k: int, excluded: Excluded) -> Ints:
    """(len(rows), k) the rows of the best items, best first; -1 where there are fewer."""
    best = np.full((len(rows), k), -1, np.int64)
    for first in range(0, len(rows), QUERIES_AT_ONCE):
        block = rows[first : first + QUERIES_AT_ONCE]
        best[first : first + QUERIES_AT_ONCE] = _block_top(tile_best, items, block, k, excluded)
    return best


def _block_top(tile_best: TileBest, items: int, block: Ints, k: int, excluded: Excluded) -> Ints:
    best = _Best(k, len(block))
    owner, item = excluded.beside(block)
    for start in range(0, items, ITEMS_AT_ONCE):
        tile = slice(start, min(start + ITEMS_AT_ONCE, items))
        inside = (item >= tile.start) & (item < tile.stop)
        row, column, score = tile_best(block, tile, best.bound, k, (owner[inside], item[inside] - start))
        open_ = ~excluded.holds(block[row], column)
        best.add(row[open_], column[open_], score[open_])
    return best.table()


class _Best:
    """The best items so far, and those that wait to be compared with them."""

    def __init__(self, k: int, queries: int) -> None:
        self.k, self.bound = k, np.full(queries, -np.inf)
        """(b,) a score that the k-th best item reaches; -inf before there are k."""
        self.waiting: list[tuple[Ints, Ints, Floats]] = []
        self.count = 0

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

    def table(self) -> Ints:
        """(b, k) the items."""
        self.merge()
        row, item, _ = self.waiting[0]
        best = np.full((len(self.bound), self.k), -1, np.int64)
        best[row, np.arange(len(row)) - np.searchsorted(row, row)] = item
        return best
