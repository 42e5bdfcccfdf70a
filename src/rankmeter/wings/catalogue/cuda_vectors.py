"""Vectors ranked on a CUDA device: counts and best items, in blocks that fit its memory.

Ranks add up over blocks of items, so that items too many for the device stay in main memory and pass through it block
by block; counts are kept for all judged items at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import torch

from rankmeter.errors import InputError
from rankmeter.placing.placements import Ints
from rankmeter.wings.catalogue import cuda_tiles as kernels
from rankmeter.wings.catalogue.pair_counts import AskedPairs, CountedPairs, Excluded, host
from rankmeter.wings.catalogue.products import LEAST, exact_scores, float32_error
from rankmeter.wings.catalogue.vectors import (
    Precision,
    array_of,
    check_again,
    check_bias,
    check_widths,
    chosen_checks,
    not_finite,
    refuse_zero_vectors,
)

T = TypeVar("T")
WORD_BYTES = 1 << 30
"""Memory for the words that doubtful items are noted in."""
SAMPLE_CELLS = 1 << 28
"""Scores of a sample of the items that are held at once, to find what the best ones must reach."""
PAIRS_AT_ONCE = 1 << 23
ROWS_AT_ONCE = 1 << 16
FEWEST_WORDS = 64
SAMPLED_ROWS = 256
"""Judged items from which the number of uncertain ranks is estimated for ``fast``."""


@dataclass(frozen=True, slots=True)
class CudaVectors:
    """Query vectors on a device; item vectors there too, or in main memory."""

    left: Any
    right: Any
    device: str
    block: int
    """How many items are on the device at once, as float32."""
    lengths: Any = None
    """(items,) what each item is divided by, for cosines; None leaves them as they are."""

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.left), len(self.right)

    def native(self, values: Any) -> Any:
        return torch.as_tensor(values, device=self.device)

    def memory(self, precision: Precision) -> int:
        width: int = self.left.shape[1]
        copied = 4 if self.made_in_blocks else 0
        halves = 2 if precision == "fast" else 4
        rows = min(self.block, len(self.right)) + len(self.left)
        return (copied + halves) * width * rows + WORD_BYTES + 40 * PAIRS_AT_ONCE

    @property
    def made_in_blocks(self) -> bool:
        """Whether the items that are ranked are copies: from main memory, of another type, or divided."""
        return bool(self.right.device != self.left.device or self.right.dtype != torch.float32) or (
            self.lengths is not None
        )

    def items(self, chosen: Any) -> Any:
        """Some items on the device, float32."""
        items = self.right[chosen].to(self.device).float()
        return items if self.lengths is None else _divided(items, self.lengths[chosen].to(self.device))

    def blocks(self) -> Iterator[tuple[int, Any]]:
        """Items on the device, each block with the number of its first item."""
        for first in range(0, len(self.right), self.block):
            yield first, self.items(slice(first, first + self.block))

    def capacity(self) -> int:
        """Words of doubtful items for each judged one, several times as many as usual; doubt grows with the width."""
        width: int = self.left.shape[1]
        return max(FEWEST_WORDS, min(self.block, len(self.right)) * width >> 18)

    def count(self, asked: AskedPairs, precision: Precision) -> CountedPairs:
        if not len(asked.owner):
            nothing = np.empty(0, np.int64)
            return CountedPairs(np.empty(0), nothing, nothing, nothing, nothing)
        return self._fitting(lambda vectors: _Count.of(vectors, asked).run(precision))

    def top(self, rows: Ints, k: int, excluded: Excluded) -> Ints:
        return self.best(rows, k, excluded)[0]

    def best(self, rows: Ints, k: int, excluded: Excluded, order: Any = None) -> tuple[Ints, Any]:
        """(rows, k) the best items and their scores; among equal ones the lower ``order``, by default the earlier."""
        return self._fitting(lambda vectors: _Best(vectors, rows, k, excluded, order).run())

    def _fitting(self, work: Callable[[CudaVectors], T]) -> T:
        """Work with as many items at once as planned, or half of that as often as memory runs out."""
        block = min(self.block, len(self.right))
        while True:
            try:
                return work(replace(self, block=block))
            except torch.OutOfMemoryError as error:
                if block <= 1024:
                    raise InputError.of("catalogue.no_device_memory") from error
                block //= 2


@dataclass(slots=True)
class _Count:
    """Judged items being placed."""

    vectors: CudaVectors
    asked: AskedPairs
    query: Any
    own: Any
    threshold: Any
    """(r,) float64 scores of the judged items."""
    counts: Any
    """(5, r) items above, tied, earlier, with a higher id, and scores recomputed."""
    taken: Any
    """(5, r) the same of the excluded items."""
    keys: Any = None

    @classmethod
    def of(cls, vectors: CudaVectors, asked: AskedPairs) -> _Count:
        """Score the judged items by the definition."""
        query, own = vectors.native(asked.owner), vectors.native(asked.item)
        threshold = torch.empty(len(own), dtype=torch.float64, device=query.device)
        for base, items in vectors.blocks():
            mine = ((own >= base) & (own < base + len(items))).nonzero().squeeze(1)
            threshold[mine] = kernels.pair_scores(vectors.left, items, query[mine], own[mine] - base)
        counts, taken = torch.zeros((2, 5, len(own)), dtype=torch.int32, device=query.device)
        return cls(vectors, asked, query, own, threshold, counts, taken)

    def run(self, precision: Precision) -> CountedPairs:
        """Pass all blocks of items, and for each all judged items."""
        rows, band = torch.arange(len(self.own), device=self.own.device), torch.zeros_like(self.own)
        step = max(128, WORD_BYTES // (8 * self.vectors.capacity()))
        checks = rows[:0] if precision == "fast" else self.vectors.native(chosen_checks(host(self.threshold)))
        again = torch.zeros((5, len(checks)), dtype=torch.int32, device=rows.device)
        parts = [rows[first : first + step] for first in range(0, len(rows), step)]
        done, every = 0, len(rows) * -(-self.vectors.shape[1] // self.vectors.block)
        for base, vectors in self.vectors.blocks():
            block = _Block(base, vectors)
            for part in parts:
                if precision == "exact":
                    self._exact(block, part)
                else:
                    self._fast(block, part, band)
                self._take_off(block, part)
                done += len(part)
                self.asked.told(done / every)
            if precision == "exact":
                again += self._by_definition(block, checks)
        if precision == "exact":
            check_again(host(self.counts[:2, checks]), host(again[:2]), host(checks))
            above, tied, earlier, higher, _ = host((self.counts - self.taken).long())
            return CountedPairs(host(self.threshold), above, tied, higher, earlier, int(self.counts[4].sum()))
        above = host((self.counts[0] - self.taken[0]).long().clamp(min=0))
        nothing = np.zeros_like(above)
        sampled = band[_spread_rows(len(rows), rows.device)]
        uncertain = round(float((sampled > 1).float().mean()) * len(rows))
        return CountedPairs(host(self.threshold), above, nothing + 1, nothing, nothing, 0, uncertain)

    def _exact(self, block: _Block, rows: Any) -> None:
        """Items surely above by fast arithmetic, the doubtful ones by definition, and crowded rows as a whole."""
        items, queries = block.items(3), kernels.Halves.of(self.vectors.left[self.query[rows]], 3)
        limits = queries.limits(self.threshold[rows], items)
        compared = kernels.compare(kernels.NOTED, queries, items, limits, self.vectors.capacity())
        crowded = compared.noted > self.vectors.capacity()
        settled = self._settled(block, rows, compared.words, torch.where(crowded, 0, compared.noted))
        settled[0] += torch.where(crowded, 0, compared.above)
        self.counts[:, rows] += settled
        rows = rows[crowded]
        if len(rows):
            self.counts[:, rows] += self._by_definition(block, rows)

    def _fast(self, block: _Block, rows: Any, band: Any) -> None:
        """One product, compared with the same product of each row's own item."""
        items, queries = block.items(1), kernels.Halves.of(self.vectors.left[self.query[rows]], 1)
        own = self.vectors.items(self.own[rows].to(self.vectors.right.device))
        limits = kernels.own_limits(queries, kernels.Halves.of(own, 1), items)
        self.counts[0, rows] += kernels.compare(kernels.ABOVE, queries, items, limits).above
        sampled = _spread_rows(len(self.own), rows.device)
        place = sampled[(sampled >= rows[0]) & (sampled <= rows[-1])] - rows[0]
        if len(place):
            band[rows[place]] += kernels.compare(kernels.BETWEEN, queries[place], items, limits[place]).band

    def _by_definition(self, block: _Block, rows: Any) -> Any:
        """(5, n) the counts of some rows with every score of a block by its definition."""
        counts = torch.zeros((5, len(rows)), dtype=torch.int32, device=rows.device)
        number = torch.arange(len(block.vectors), device=rows.device)
        step = max(1, PAIRS_AT_ONCE // len(number))
        for first in range(0, len(rows), step):
            some = rows[first : first + step]
            query = self.query[some].repeat_interleave(len(number))
            scores = kernels.pair_scores(self.vectors.left, block.vectors, query, number.repeat(len(some)))
            scores, own = scores.view(len(some), -1), self.own[some][:, None]
            equal = (scores == self.threshold[some][:, None]) & (number + block.base != own)
            here = ((own >= block.base) & (own < block.base + len(number))).squeeze(1)
            mine = counts[:, first : first + step]
            mine[0] = (scores > self.threshold[some][:, None]).sum(dim=1)
            mine[1] = equal.sum(dim=1) + here
            mine[2] = (equal & (number + block.base < own)).sum(dim=1)
            if bool(equal.any()):
                keys = self.loaded_keys()
                mine[3] = (equal & (keys[number + block.base] > keys[own])).sum(dim=1)
            mine[4] = len(number)
        return counts

    def loaded_keys(self) -> Any:
        """(items,) numbers that sort as the ids do as text; asked for only where items tie."""
        if self.keys is None:
            self.keys = self.vectors.native(self.asked.text_order())
        return self.keys

    def _take_off(self, block: _Block, rows: Any) -> None:
        """Count the excluded items of a block."""
        if not len(self.asked.excluded.keys):
            return
        first, last = int(rows[0]), int(rows[-1]) + 1
        row, item = self.asked.excluded.beside(self.asked.owner[first:last])
        item = item - block.base
        inside = (item >= 0) & (item < len(block.vectors))
        row, item = row[inside], item[inside]
        if len(row):
            words = torch.stack([item // kernels.WORD, 1 << (item % kernels.WORD)], dim=1).int()
            self.taken[:, rows] += self._settled(block, rows, words, listed=row)

    def _settled(self, block: _Block, rows: Any, words: Any, noted: Any = None, listed: Any = None) -> Any:
        """(5, n) the counts of noted items by definition; ids are compared only where other items tie."""
        counts = torch.zeros((5, len(rows)), dtype=torch.int32, device=rows.device)
        case = kernels.Case(self.vectors.left, block.vectors, block.base, self.query[rows], self.own[rows],
                            self.threshold[rows])  # fmt: skip
        kernels.settle(case, counts, words, noted, listed)
        # A judged item ties with itself where it is in the block; it is never among its own excluded items.
        itself = (case.own >= block.base) & (case.own < block.base + len(block.vectors)) & (listed is None)
        ties = counts[1] > itself
        if bool(ties.any()):
            kernels.settle(case, counts, words, noted, listed, active=ties.int(), keys=self.loaded_keys())
        return counts


@dataclass(frozen=True, slots=True)
class _Block:
    """Items on the device, split when they are asked for."""

    base: int
    vectors: Any
    split: dict[int, kernels.TiledItems] = field(default_factory=dict)

    def items(self, products: int) -> kernels.TiledItems:
        if products not in self.split:
            self.split[products] = kernels.TiledItems.of(self.vectors, products)
        return self.split[products]


@dataclass(slots=True)
class _Best:
    """The best items of some queries.

    A sample of the items tells what the k best surely reach; one product finds all items that may reach it, a few
    hundred of a million, and these are scored by the definition.
    """

    vectors: CudaVectors
    rows: Ints
    k: int
    excluded: Excluded
    order: Any = None
    """(items,) which comes first of equal scores; None is the order of the catalogue."""

    def run(self) -> tuple[Ints, Any]:
        """(rows, k) the best items and their scores."""
        if self.order is not None:
            self.order = self.vectors.native(self.order)
        rows = self.vectors.native(self.rows)
        item = torch.full((len(rows), self.k), -1, dtype=torch.int64, device=rows.device)
        score = torch.full((len(rows), self.k), -torch.inf, dtype=torch.float64, device=rows.device)
        for base, vectors in self.vectors.blocks():
            block, capacity = _Block(base, vectors), max(FEWEST_WORDS, len(vectors) // 256)
            stride = max(1, min(capacity // (8 * self.k), len(vectors) // 4096))
            sample = _Sample.of(vectors, stride)
            step = max(16, min(WORD_BYTES // (8 * capacity), SAMPLE_CELLS * stride // len(vectors)))
            for first in range(0, len(rows), step):
                some = slice(first, first + step)
                found = self._candidates(block, sample, rows[some], self.rows[some], score[some, -1], capacity)
                item[some], score[some] = self._merged(found, item[some], score[some])
        return host(item), host(score)

    def _candidates(
        self, block: _Block, sample: _Sample, rows: Any, queries: Ints, bound: Any, capacity: int
    ) -> tuple[Any, Any, Any]:
        """Items that may be among the best, with their scores: place among the rows, item, score."""
        left = self.vectors.left[rows]
        row, item = (self.vectors.native(pairs) for pairs in self.excluded.beside(queries))
        item = item - block.base
        inside = (item >= 0) & (item < len(block.vectors))
        hidden = row[inside] * len(block.vectors) + item[inside]
        limit = torch.maximum(bound, sample.reached(left, self.k, row[inside], item[inside]))
        halves, items = kernels.Halves.of(left, 1), block.items(1)
        compared = kernels.compare(kernels.NOT_BELOW, halves, items, halves.limits(limit, items), capacity)
        crowded = compared.noted > capacity
        row, item = kernels.noted_pairs(compared.words, torch.where(crowded, 0, compared.noted))
        pairs = [(row, item, kernels.pair_scores(left, block.vectors, row, item))]
        pairs += [self._whole_row(block, left, place, hidden) for place in crowded.nonzero().squeeze(1).tolist()]
        row, item, score = (torch.cat(columns) for columns in zip(*pairs, strict=True))
        open_ = ~torch.isin(row * len(block.vectors) + item, hidden)
        return row[open_], item[open_] + block.base, score[open_]

    def _whole_row(self, block: _Block, left: Any, row: int, hidden: Any) -> tuple[Any, Any, Any]:
        """The best items of a query that too many may be among, from all scores by definition."""
        item = torch.arange(len(block.vectors), device=left.device)
        owner = torch.full_like(item, row)
        score = kernels.pair_scores(left, block.vectors, owner, item)
        score = torch.where(torch.isin(owner * len(item) + item, hidden), -torch.inf, score)
        best = score >= score.topk(min(self.k, len(score)))[0][-1]
        return owner[best], item[best], score[best]

    def _merged(self, found: tuple[Any, Any, Any], item: Any, score: Any) -> tuple[Any, Any]:
        """The k best of each row out of those of earlier blocks and of this one."""
        before = (item >= 0).nonzero()
        row = torch.cat([before[:, 0], found[0]])
        items, scores = torch.cat([item[item >= 0], found[1]]), torch.cat([score[item >= 0], found[2]])
        order = (items if self.order is None else self.order[items]).argsort()
        order = order[scores[order].argsort(descending=True, stable=True)]
        order = order[row[order].argsort(stable=True)]
        row, items, scores = row[order], items[order], scores[order]
        sizes = torch.bincount(row, minlength=len(item))
        place = torch.arange(len(row), device=row.device) - (sizes.cumsum(0) - sizes)[row]
        best = place < self.k
        item, score = torch.full_like(item, -1), torch.full_like(score, -torch.inf)
        item[row[best], place[best]], score[row[best], place[best]] = items[best], scores[best]
        return item, score


@dataclass(frozen=True, slots=True)
class _Sample:
    """Every so many-th item of a block, in plain float32 and scaled as one."""

    vectors: Any
    stride: int
    exponent: int
    longest: Any

    @classmethod
    def of(cls, vectors: Any, stride: int) -> _Sample:
        chosen = vectors[::stride]
        exponent = -torch.frexp(chosen.abs().amax()).exponent
        scaled = _times_power(chosen, exponent)
        return cls(scaled, stride, int(exponent), torch.linalg.vector_norm(scaled, dim=1, dtype=torch.float64).amax())

    def reached(self, left: Any, k: int, row: Any, item: Any) -> Any:
        """(n,) what at least k items surely score for each query, some pairs left out; -inf where there are fewer."""
        if len(self.vectors) < k:
            return torch.full((len(left),), -torch.inf, dtype=torch.float64, device=left.device)
        exponent = -torch.frexp(left.abs().amax(dim=1)).exponent
        scaled = _times_power(left, exponent[:, None])
        with _plain_float32():
            scores = scaled @ self.vectors.T
        sampled = item % self.stride == 0
        scores[row[sampled], item[sampled] // self.stride] = -torch.inf
        norm = torch.linalg.vector_norm(scaled, dim=1, dtype=torch.float64)
        margin = float32_error(left.shape[1]) * norm * self.longest + LEAST
        kth = scores.topk(k, dim=1)[0][:, -1].double()
        return (kth - margin) * torch.exp2(-(exponent + self.exponent).double())


def _times_power(vectors: Any, exponent: Any) -> Any:
    """Vectors times 2^exponent, in two steps: 2^149 is no float32 number."""
    half = exponent // 2
    return vectors * torch.exp2(half.float()) * torch.exp2((exponent - half).float())


def _spread_rows(count: int, device: Any) -> Any:
    """The rows that uncertainty is estimated from."""
    return torch.linspace(0, count - 1, min(SAMPLED_ROWS, count), device=device, dtype=torch.float64).long()


class _plain_float32:
    """Matrix products in float32 proper: the error bound does not hold for TF32, which a caller may have allowed."""

    def __enter__(self) -> None:
        self._before = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = False

    def __exit__(self, *_: object) -> None:
        torch.backends.cuda.matmul.allow_tf32 = self._before


def cuda_vectors(left: Any, right: Any, *, bias: Any, similarity: str, device: str) -> CudaVectors:
    """Check vectors and bring them to the device; items that leave no room for their halves stay in main memory.

    Items on the device keep their type: those of half precision become float32 block by block.
    """
    first, second = (_matrix(values, what) for values, what in ((left, "query_vectors"), (right, "item_vectors")))
    check_widths(first.shape[1], second.shape[1])
    first = first.to(device).float()
    width = first.shape[1] + (bias is not None)
    if second.device.type != "cpu" or 10 * width * len(second) <= _room(device):
        second = second.to(device)
    lengths = None
    if similarity == "cosine":
        first = _divided(first, _exact_lengths(first, "query_vectors"))
        lengths = _exact_lengths(second, "item_vectors")
    if bias is not None:
        column = torch.from_numpy(array_of(np.reshape(host(bias), (-1, 1)), "bias")).to(second.device)
        check_bias(len(column), len(second))
        first = torch.hstack([first, torch.ones((len(first), 1), device=first.device)])
        if lengths is not None:
            second, lengths = _divided(second.float(), lengths), None
        second = torch.hstack([second.float(), column])
    whole = CudaVectors(first, second, device, len(second), lengths)
    block = _room(device) // (width * (8 if whole.made_in_blocks else 4))
    return replace(whole, block=max(1024, min(len(second), block)))


def _room(device: str) -> int:
    """Bytes of the device that are left for items."""
    return _free_memory(device) - WORD_BYTES - SAMPLE_CELLS * 4


def _free_memory(device: str) -> int:
    """Bytes that this process can still take on the device."""
    kept = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return int(0.9 * (torch.cuda.mem_get_info(device)[0] + kept))


def _matrix(values: Any, what: str) -> Any:
    """A matrix of float32 or half precision where it is, checked."""
    if not hasattr(values, "detach") or values.device.type == "cpu":
        return torch.from_numpy(array_of(values, what))
    if values.is_complex() or values.ndim != 2 or not values.numel():
        array_of(values[:1], what)  # which says what is wrong
    half = values.dtype in (torch.float16, torch.bfloat16)
    matrix = (values.detach() if half else values.detach().float()).contiguous()
    # A sum is not finite where a number is not; where it only overflows, the numbers themselves are looked at.
    if not bool(torch.isfinite(matrix.sum(dim=1, dtype=torch.float32 if half else torch.float64)).all()):
        raise not_finite(what, (~torch.isfinite(matrix).all(dim=1)).nonzero().squeeze(1).tolist())
    return matrix


def _exact_lengths(vectors: Any, what: str) -> Any:
    """(n,) float64: the lengths of vectors, as ``vectors.unit`` finds them, to the last bit."""
    lengths = torch.empty(len(vectors), dtype=torch.float64, device=vectors.device)
    for first in range(0, len(vectors), ROWS_AT_ONCE):
        some = vectors[first : first + ROWS_AT_ONCE].float()
        every = torch.arange(len(some), device=some.device)
        if some.device.type == "cpu":
            squares = torch.from_numpy(exact_scores(some.numpy(), some.numpy(), every.numpy(), every.numpy()))
        else:
            squares = kernels.pair_scores(some, some, every, every)
        lengths[first : first + ROWS_AT_ONCE] = squares.sqrt()
    refuse_zero_vectors(host(lengths), what)
    return lengths


def _divided(vectors: Any, lengths: Any) -> Any:
    """Vectors divided by their lengths, in float64, as float32."""
    divided = torch.empty_like(vectors)
    for first in range(0, len(vectors), ROWS_AT_ONCE):
        some = slice(first, first + ROWS_AT_ONCE)
        divided[some] = (vectors[some].double() / lengths[some, None]).float()
    return divided
