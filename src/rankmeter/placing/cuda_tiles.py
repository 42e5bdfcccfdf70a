"""Fused CUDA kernels: multiply, compare and count in registers; no score ever reaches memory.

Each float32 number, scaled by a power of two, is split into two float16 halves. Exact: three products of halves (low x
high, high x low, high x high, added in that order) give scores with a small error bound; items surely above the
threshold are counted, those within the bound are noted as bits and decided by the definition of a score. Fast: one
product of the high halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl

HALF_UNIT = 2.0**-11
"""The largest relative error of rounding to float16, which keeps 11 bits."""
SUM_UNIT = 2.0**-23
"""How much one addition of a matrix unit may err, relative to the absolute sum so far: 24 bits kept, truncated."""
BLOCK_Q, BLOCK_V = 128, 64
WORD = 32
WIDEST = 128
"""The widest vectors whose tiles fit into the shared memory of a multiprocessor as a whole."""
STRIP = 64
"""Wider vectors are multiplied in strips of so many numbers; each strip is a product of its own."""
WORDS_PER_ROW = 512
ROWS_AT_ONCE = 1 << 16
STRETCHES = 8
"""Into how many stretches the items are cut, so that small batches of queries fill the chip too."""
SAMPLE = 1024


def split_error(width: int) -> float:
    """How far three products of halves can be from the score, over the product of the norms.

    With x = h + l + r, |l| <= u |x| and |r| <= u^2 |x|, what the three products leave out is at most (3 + 3 u) u^2 of
    the sum of absolute products. The two small products are added first, so their 2 n additions err relative to a sum
    that is 2 u of the whole; the n additions of the large product err relative to the whole.

    Wide vectors go in strips, each summed from 0: the n additions are those of one strip, relative to the absolute sum
    of that strip, and these add up to the whole. Then the strips are added, in float32 rounded to nearest: for each at
    most half a unit of the absolute sum so far. So the bound hardly grows with the width.
    """
    left_out = 3.1 * HALF_UNIT**2
    return 1.01 * (left_out + _added(width) * (1 + 2 * 2.1 * HALF_UNIT))


def half_error(width: int) -> float:
    """The same for the one product of high halves."""
    return 1.01 * (2.01 * HALF_UNIT + _added(width))


def _added(width: int) -> float:
    """How much the additions of one score err, over the sum of absolute products.

    One unit more for the threshold and the edge of its band, each rounded to float32.
    """
    if width <= WIDEST:
        return (width + 1) * SUM_UNIT
    return (STRIP + triton.cdiv(width, STRIP) / 2 + 1) * SUM_UNIT


@triton.jit
def _in_strips(
    high_rows, low_rows, high_tiles, low_tiles, start_q, start, one,
    WIDTH: tl.constexpr, BK: tl.constexpr, BQ: tl.constexpr, BV: tl.constexpr, THREE: tl.constexpr,
):  # fmt: skip
    """The scores of one tile of wide vectors: a product for each strip, summed from 0, then added.

    ``one`` is 1.0, which the compiler does not know: it would make one long sum of all strips, whose error is larger
    than that of short sums added up.
    """
    scores = tl.zeros([BQ, BV], tl.float32)
    for strip in tl.range(0, WIDTH, BK):
        a_high = high_rows.load([start_q, strip])
        b_high = high_tiles.load([start, strip])
        if THREE:
            part = tl.dot(low_rows.load([start_q, strip]), b_high.T)
            part = tl.dot(a_high, low_tiles.load([start, strip]).T, part)
            part = tl.dot(a_high, b_high.T, part)
        else:
            part = tl.dot(a_high, b_high.T)
        scores += part * one
    return scores


@triton.jit
def _count(
    q_high, q_low, v_high, v_low, wanted, reach, v_norm, above, band, noted, words, items, per_program, capacity, rows,
    one, WIDTH: tl.constexpr, BK: tl.constexpr, BQ: tl.constexpr, BV: tl.constexpr, MODE: tl.constexpr,
):  # fmt: skip
    """Count one block of rows (a query and its threshold) against a stretch of the items.

    MODE 0: above the threshold. MODE 1: above the raised threshold, and how many are between it and the lowered one.
    MODE 2: the same from three products, the ones between noted as words of 32 bits.
    """
    start_q = tl.program_id(0) * BQ
    first = tl.program_id(1) * per_program
    last = tl.minimum(first + per_program, items)
    row = start_q + tl.arange(0, BQ)
    inside = row < rows
    high_tiles = tl.make_tensor_descriptor(v_high, [items, WIDTH], [WIDTH, 1], [BV, BK])
    high_rows = tl.make_tensor_descriptor(q_high, [rows, WIDTH], [WIDTH, 1], [BQ, BK])
    low_tiles, low_rows = high_tiles, high_rows
    a_high = high_rows.load([start_q, 0])
    if MODE == 2:
        low_tiles = tl.make_tensor_descriptor(v_low, [items, WIDTH], [WIDTH, 1], [BV, BK])
        low_rows = tl.make_tensor_descriptor(q_low, [rows, WIDTH], [WIDTH, 1], [BQ, BK])
        a_low = low_rows.load([start_q, 0])
        bit = (1 << (tl.arange(0, BV) % 32)).to(tl.int32)
        word = tl.arange(0, BV // 32)
    limit = tl.load(wanted + row, mask=inside, other=float("inf"))
    margin = tl.load(reach + row, mask=inside, other=0.0)
    counted = tl.zeros([BQ], tl.int32)
    between = tl.zeros([BQ], tl.int32)
    for start in tl.range(first, last, BV):
        if WIDTH == BK:
            b_high = high_tiles.load([start, 0])
            if MODE == 2:
                b_low = low_tiles.load([start, 0])
                scores = tl.dot(a_low, b_high.T)
                scores = tl.dot(a_high, b_low.T, scores)
                scores = tl.dot(a_high, b_high.T, scores)
            else:
                scores = tl.dot(a_high, b_high.T)
        else:
            scores = _in_strips(
                high_rows, low_rows, high_tiles, low_tiles, start_q, start, one, WIDTH, BK, BQ, BV, MODE == 2
            )
        if start + BV > last:
            scores = tl.where((start + tl.arange(0, BV))[None, :] < last, scores, float("-inf"))
        # A difference is negative where the score is above: its sign bit is the count.
        if MODE == 0:
            counted += tl.sum(((limit[:, None] - scores).to(tl.uint32, bitcast=True) >> 31).to(tl.int32), axis=1)
        else:
            spread = margin * tl.load(v_norm + start // BV)
            over = ((limit + spread)[:, None] - scores).to(tl.int32, bitcast=True)
            under = ((limit - spread)[:, None] - scores).to(tl.int32, bitcast=True)
            counted += tl.sum((over.to(tl.uint32, bitcast=True) >> 31).to(tl.int32), axis=1)
            if MODE == 1:
                between += tl.sum(((under ^ over).to(tl.uint32, bitcast=True) >> 31).to(tl.int32), axis=1)
            else:
                near = ((under ^ over) >> 31) & bit[None, :]
                found = tl.sum(tl.reshape(near, [BQ, BV // 32, 32]), axis=2)
                key = row[:, None] + tl.zeros([BQ, BV // 32], tl.int32)
                some = (found != 0) & inside[:, None]
                place = tl.atomic_add(noted + key, 1, mask=some, sem="relaxed")
                slot = words + (key.to(tl.int64) * capacity + place) * 2
                fits = some & (place < capacity)
                tl.store(slot, (start // 32 + word)[None, :] + tl.zeros([BQ, BV // 32], tl.int32), mask=fits)
                tl.store(slot + 1, found, mask=fits)
    tl.atomic_add(above + row, counted, mask=inside, sem="relaxed")
    if MODE == 1:
        tl.atomic_add(band + row, between, mask=inside, sem="relaxed")


@triton.jit
def _own(q_high, v_high, item, scores, rows, one, WIDTH: tl.constexpr, BK: tl.constexpr, BQ: tl.constexpr):
    """The score of each row's own item, by the same matrix instructions as the counting."""
    row = tl.program_id(0) * BQ + tl.arange(0, BQ)
    inside = row < rows
    own = tl.load(item + row, mask=inside, other=0)
    place = tl.arange(0, BQ)
    value = tl.zeros([BQ], tl.float32)
    for strip in tl.range(0, WIDTH, BK):
        width = strip + tl.arange(0, BK)
        a = tl.load(q_high + row[:, None] * WIDTH + width[None, :], mask=inside[:, None], other=0.0)
        b = tl.load(v_high + own[:, None] * WIDTH + width[None, :], mask=inside[:, None], other=0.0)
        value += tl.sum(tl.where(place[:, None] == place[None, :], tl.dot(a, b.T), 0.0), axis=1) * one
    tl.store(scores + row, value, mask=inside)


@triton.jit
def _pairs(q, v, query, item, scores, total, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """The score of each pair by its definition: a float64 sum in index order of exact products."""
    pair = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = pair < total
    left = tl.load(query + pair, mask=inside, other=0).to(tl.int64) * WIDTH
    right = tl.load(item + pair, mask=inside, other=0).to(tl.int64) * WIDTH
    value = tl.zeros([BLOCK], tl.float64)
    for place in range(WIDTH):
        a = tl.load(q + left + place, mask=inside, other=0.0).to(tl.float64)
        b = tl.load(v + right + place, mask=inside, other=0.0).to(tl.float64)
        value += a * b
    tl.store(scores + pair, value, mask=inside)


def pair_scores(left: Any, right: Any, query: Any, item: Any) -> Any:
    """(n,) float64: the score of each (query, item) pair by its definition."""
    scores = torch.empty(len(query), dtype=torch.float64, device=left.device)
    if len(query):
        grid = (triton.cdiv(len(query), 128),)
        _pairs[grid](left, right, query, item, scores, len(query), WIDTH=left.shape[1], BLOCK=128, num_warps=4)
    return scores


@dataclass(frozen=True, slots=True)
class Halves:
    """Vectors scaled by a power of two and split into two float16 tensors, padded to a width matrix units take."""

    high: Any
    low: Any
    scale: float
    norm: Any
    """(n,) float64: the lengths of the scaled vectors."""

    @classmethod
    def of(cls, vectors: Any) -> Halves:
        """Split; the largest number becomes about 2^13, so that no sum overflows and no low half is lost."""
        largest = float(vectors.abs().max())
        scale = 2.0 ** (13 - torch.frexp(torch.tensor(largest or 1.0)).exponent.item())
        width = max(16, triton.next_power_of_2(vectors.shape[1]))
        if width > WIDEST:
            width = triton.cdiv(vectors.shape[1], STRIP) * STRIP
        scaled = torch.nn.functional.pad(vectors * scale, (0, width - vectors.shape[1]))
        high = scaled.half()
        norm = torch.linalg.vector_norm(scaled, dim=1, dtype=torch.float64)
        return cls(high.contiguous(), (scaled - high.float()).half().contiguous(), scale, norm)

    @property
    def strip(self) -> int:
        """How many numbers of a vector are multiplied at once."""
        width: int = self.high.shape[1]
        return width if width <= WIDEST else STRIP

    def rows(self, some: Any) -> Halves:
        """The same for some of the vectors."""
        return Halves(self.high[some].contiguous(), self.low[some].contiguous(), self.scale, self.norm[some])

    def longest(self) -> Any:
        """The length of the longest vector of each tile of items."""
        tiles = triton.cdiv(len(self.norm), BLOCK_V)
        padded = torch.nn.functional.pad(self.norm, (0, tiles * BLOCK_V - len(self.norm)))
        return padded.view(tiles, BLOCK_V).amax(dim=1).float() * 1.0001


def launch(mode: int, rows: Halves, items: Halves, wanted: Any, error: float) -> tuple[Any, Any, Any, Any]:
    """Run the kernel for rows with one threshold each; returns counts above, between, words noted, and the words."""
    triton.set_allocator(lambda size, _align, _stream: torch.empty(size, device=wanted.device, dtype=torch.int8))
    count, total = len(wanted), len(items.norm)
    empty = torch.zeros(count, dtype=torch.int32, device=wanted.device)
    above, band, noted = empty, empty.clone(), empty.clone()
    slots = count * WORDS_PER_ROW * 2 if mode == 2 else 2
    words = torch.empty(slots, dtype=torch.int32, device=wanted.device)
    reach = (rows.norm * error).float() * 1.0001
    per_program = triton.cdiv(triton.cdiv(total, BLOCK_V), STRETCHES) * BLOCK_V
    _count[(triton.cdiv(count, BLOCK_Q), STRETCHES)](
        rows.high, rows.low, items.high, items.low, wanted, reach, items.longest(), above, band, noted, words, total,
        per_program, WORDS_PER_ROW, count, 1.0, WIDTH=rows.high.shape[1], BK=rows.strip, BQ=BLOCK_Q, BV=BLOCK_V,
        MODE=mode, num_warps=8, num_stages=3 if mode == 2 else 4,
    )  # fmt: skip
    return above, band, noted, words


def count_exact(rows: Halves, items: Halves, threshold: Any, width: int) -> tuple[Any, Any, Any, Any]:
    """For each row the items surely above, then the doubtful pairs (row, item), then the rows with too many of them."""
    wanted = (threshold * (rows.scale * items.scale)).float()
    above, _, noted, words = launch(2, rows, items, wanted, split_error(width))
    crowded = noted > WORDS_PER_ROW
    kept = torch.where(crowded, 0, noted).long()
    row = torch.repeat_interleave(torch.arange(len(kept), device=kept.device), kept)
    place = torch.arange(len(row), device=kept.device) - torch.repeat_interleave(kept.cumsum(0) - kept, kept)
    found = words.view(-1, 2)[row * WORDS_PER_ROW + place]
    pair_rows, pair_items = _bits(row, found[:, 0].long() * WORD, found[:, 1])
    return above, pair_rows, pair_items, crowded


def _bits(row: Any, first: Any, bits: Any) -> tuple[Any, Any]:
    """The pairs that the bits of some words stand for; most words have one bit."""
    rows, items = [], []
    while len(row):
        lowest = bits & -bits
        # The exponent of a power of two is its number; as float64 it is exact, the sign bit's word included.
        number = torch.frexp(lowest.double().abs()).exponent - 1
        rows.append(row)
        items.append(first + number)
        bits = bits ^ lowest
        more = bits != 0
        row, first, bits = row[more], first[more], bits[more]
    if not rows:
        nothing = torch.empty(0, dtype=torch.int64, device=first.device)
        return nothing, nothing
    return torch.cat(rows), torch.cat(items)


def count_fast(rows: Halves, items: Halves, own: Any, width: int) -> tuple[Any, int]:
    """For each row the items above its own one in one low-precision pass, and about how many ranks are in doubt."""
    wanted = torch.empty(len(own), dtype=torch.float32, device=own.device)
    grid = (triton.cdiv(len(own), BLOCK_Q),)
    sizes = {"WIDTH": rows.high.shape[1], "BK": rows.strip, "BQ": BLOCK_Q}
    _own[grid](rows.high, items.high, own.int(), wanted, len(own), 1.0, **sizes, num_warps=8)
    above = launch(0, rows, items, wanted, 0.0)[0]
    some = torch.linspace(0, len(own) - 1, min(SAMPLE, len(own)), device=own.device).long()
    band = launch(1, rows.rows(some), items, wanted[some].contiguous(), half_error(width))[1]
    return above, round(float((band > 1).float().mean()) * len(own))
