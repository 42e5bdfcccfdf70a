"""Fused CUDA kernels: multiply, compare and count in registers; no score ever reaches memory.

Each vector is scaled by a power of two of its own and split into two float16 halves. One product of the high halves, or
three of both, gives scores with an error bound; items surely above the limit are counted, those within the bound are
noted as bits and decided by the definition of a score. ``exact`` takes three products: one leaves so many items in
doubt that to note them takes longer than two more products. ``fast`` takes one, and so does the search for the best.

Why the exact way is exact
--------------------------
Let u = 2^-11, what rounding to float16 may change of a number. A vector x is scaled so that its largest number lies in
[2^13, 2^14), then x = h + l + r with h = float16(x) and l = float16(x - h); both differences are exact in float32.

1. *What the halves leave out.* One product: q.v - hq.hv = dq.v + hq.dv with d = x - h, by Cauchy-Schwarz at most
   |dq| |v| + (1 + u) |q| |dv|; |d| is measured for each vector. Three products: a number of 2^-14 and more gives
   |l| <= u |x| and |r| <= u^2 |x|; a smaller one may lose at most 2^-25, the step of the smallest float16 numbers. So
   |r| <= u^2 |x| + 2^-25 sqrt(n), and since |x| >= 2^7 the second term is at most 2^-10 sqrt(n) of the first. What
   q.v - (lq.hv + hq.lv + hq.hv) = lq.lv + rq.v + (hq + lq).rv leaves out is at most (3.1 + 2^-8 sqrt(n)) u^2 |q| |v|
   for every width under 2^17. All of it is relative to the vectors' own lengths, whatever these are: that is why each
   vector has a scale of its own. Items whose scales are within `ALIKE` powers of two share the longest one's: their
   largest number is then 2^7 at least.
2. *What the additions lose.* A matrix instruction adds 16 products to the sum so far: exact products, aligned to the
   largest, cut off at 24 bits or later, in groups of four or more terms. Each term then errs by at most 2^-23 of
   the largest magnitude involved, and so does the sum of a group: at most 20 such units for 16 products. Where a device
   is seen to keep two bits more and to add all 16 at once (`units`), it is 17 / 4 + 1 < 6 units. The sum after strip s
   is at most |q up to s| |v up to s| (Cauchy-Schwarz again), so the additions of all strips lose at most
   2^-23 (units / 16) BK sum_s |q up to s| |v up to s|.
3. *Small first.* Of three products lq.hv and hq.lv are summed first. Their sums stay below 2.1 u |q| |v|, and they
   stand in the sum from then on: 3 n additions relative to that.
4. *All of it at once.* For any k > 0, |dq| |v| + |q| |dv| + a |q| |v| + b sum_s |q_s| |v_s| is at most R(q) R(v) with
   R(x)^2 = |dx|^2 / k + (k + a) |x|^2 + b sum_s |x_s|^2 (Cauchy-Schwarz a third time, over these terms). R is a
   weighted length, computed once for each vector (`Halves.reach`).
5. *The comparison.* Scores are compared in units of the longest item: s f against t, f = 2^(own exponent - largest), a
   power of two. Where f is below 2^-126 it counts as 0, and R(v) f is kept at 2^-60 or more, which is far more than
   such a score or the underflow of t can be. t is rounded to float32, and so is t +- R(q) R(v): each by 2^-24 |t|,
   which matters only where |t| is at most 2 |q| |v| f, hence three units in `a`; a larger |t| decides by its sign.

R(q) is kept at 2^-60 or more as well: all scores of a query of zeros are 0, equal to the threshold, in doubt, and
decided by the definition.

Two looks
---------
To note single items costs registers that the products need. Where vectors are narrow and of about equal lengths, a
first look only counts, with the widest bound of each tile, and lists the rows that have an item in doubt there; it
counts nothing for those. A second look takes these rows and tiles alone, a few in a hundred, and notes their items.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

HALF_UNIT = 2.0**-11
"""The largest relative error of rounding to float16, which keeps 11 bits."""
SUM_UNIT = 2.0**-23
"""How much one term of a matrix unit's sum may err, relative to the largest term: 24 bits kept, the rest cut off."""
UNITS, FEWER_UNITS = 20, 6
"""Such errors for 16 products: on any device, and on one that keeps two more bits."""
ABOVE, BETWEEN, NOTED, NOT_BELOW, LISTED = 0, 1, 2, 3, 4
WORD = 32
LEAST_REACH = 2.0**-60
ALIKE = 6
"""How many powers of two apart the scales of items may be to share one."""
EVEN = 1.5
"""How many times wider the bounds of the first look may be, on average."""
LOST = 2.0**-12.4
"""About what rounding to float16 takes of a vector; k above. Any number is right, this one makes the bound tight."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """How the work is cut for one width."""

    resident: bool = False
    """Whether a block of queries stays on its multiprocessor while the items stream past: for narrow vectors, where it
    is a tenth to a fifth faster. Otherwise a tiled product, whose last step counts."""
    queries: int = 128
    items: int = 256
    strip: int = 64
    """Numbers of a vector that are multiplied at once; all of them where the queries are resident."""
    group: int = 16
    """Tiled: blocks of queries that pass the same items together. Resident: stretches that the items are cut into."""
    warps: int = 8
    stages: int = 3
    looks: int = 1
    """Two where few rows of a tile have an item in doubt: doubt grows with the width."""


def tiling(width: int, products: int) -> Tiling:
    """The fastest cut of some 100 tried on an H200."""
    padded = max(16, triton.next_power_of_2(width))
    if padded <= 64 and products == 3:
        return Tiling(resident=True, items=128, strip=padded, group=8, warps=4, stages=2, looks=2)
    if padded <= 64:
        return Tiling(resident=True, queries=256, items=128, strip=padded, group=4, stages=4)
    if padded == 128 and products == 1:
        return Tiling(resident=True, queries=256, items=128, strip=padded, group=4)
    if 192 < width <= 256 and products == 1:
        return Tiling(resident=True, items=64, strip=padded, group=4)
    return Tiling(looks=2 if products == 3 and width <= 256 else 1)


@triton.jit
def _either(left, right):
    return left | right


@triton.jit
def _note(bits, start, row, inside, noted, words, capacity, BQ: tl.constexpr, BV: tl.constexpr):
    """Note the words of a tile that hold a bit, each with the number of its first item."""
    key = row[:, None] + tl.zeros([BQ, BV // 32], tl.int32)
    some = (bits != 0) & inside[:, None]
    place = tl.atomic_add(noted + key, 1, mask=some, sem="relaxed")
    slot = words + (key.to(tl.int64) * capacity + place) * 2
    fits = some & (place < capacity)
    word = (start // 32 + tl.arange(0, BV // 32))[None, :] + tl.zeros([BQ, BV // 32], tl.int32)
    tl.store(slot, word, mask=fits)
    tl.store(slot + 1, bits, mask=fits)


@triton.jit
def _compare(
    scores, start, total, row, inside, limit, margin, factor, reach, noted, words, capacity,
    BQ: tl.constexpr, BV: tl.constexpr, SCALED: tl.constexpr, MODE: tl.constexpr,
):  # fmt: skip
    """Compare one tile of scores with a limit for each row: how many are surely above, how many between.

    MODE 0 compares plainly. 1 counts what the error bound leaves in doubt too. 2 notes it, as words of 32 bits for 32
    items. 3 notes all that is not surely below. 4 lists the rows that have an item in doubt, and counts nothing for
    them; ``reach`` is then that of each tile.
    """
    column = start + tl.arange(0, BV)
    known = column < total
    if SCALED:
        scores = scores * tl.load(factor + column, mask=known, other=0.0)[None, :]
    between = tl.zeros([BQ], tl.int32)
    lowest = limit
    # A difference is negative on the far side: its sign bit is the count.
    if MODE == 0:
        higher = tl.sum(((limit[:, None] - scores).to(tl.uint32, bitcast=True) >> 31).to(tl.int32), axis=1)
    elif MODE == 4:
        spread = margin * tl.load(reach + start // BV)
        lowest = limit + spread
        surely = lowest[:, None] - scores
        hardly = (limit - spread)[:, None] - scores
        higher = tl.sum((surely.to(tl.uint32, bitcast=True) >> 31).to(tl.int32), axis=1)
        # The signs differ where a score lies between.
        between = tl.reduce(surely.to(tl.int32, bitcast=True) ^ hardly.to(tl.int32, bitcast=True), 1, _either)
    else:
        apart = scores - limit[:, None]
        spread = margin[:, None] * tl.load(reach + column, mask=known, other=0.0)[None, :]
        if MODE == 3:
            near = apart >= -spread
            higher = tl.zeros([BQ], tl.int32)
        else:
            higher = tl.sum(((spread - apart).to(tl.uint32, bitcast=True) >> 31).to(tl.int32), axis=1)
            near = tl.abs(apart) <= spread
        if MODE == 1:
            between = tl.sum((near & known[None, :]).to(tl.int32), axis=1)
        else:
            bit = tl.where(known, 1 << (tl.arange(0, BV) % 32), 0).to(tl.int32)
            bits = tl.sum(tl.reshape(tl.where(near, bit[None, :], 0), [BQ, BV // 32, 32]), axis=2)
            _note(bits, start, row, inside, noted, words, capacity, BQ, BV)
    # Columns behind the last item score 0: they were counted where the limit is negative.
    beyond = tl.maximum(start + BV - total, 0)
    higher = higher - tl.where(lowest < 0, beyond, 0)
    if MODE == 4:
        listed = (between < 0) & inside
        higher = tl.where(listed, 0, higher)
        tile = start // BV + tl.zeros([BQ], tl.int64)
        place = tl.atomic_add(noted + tile, 1, mask=listed, sem="relaxed")
        tl.store(words + tile * capacity + place, row, mask=listed & (place < capacity))
    return higher, between


@triton.jit
def _resident(
    rows, items, limits, margins, factor, reach, above, band, noted, words, count, total, stretch, capacity,
    WIDTH: tl.constexpr, BQ: tl.constexpr, BV: tl.constexpr, THREE: tl.constexpr, SCALED: tl.constexpr,
    MODE: tl.constexpr,
):  # fmt: skip
    """Count one block of rows (a query and its limit) against a stretch of the items; the rows are read once."""
    start_q = tl.program_id(0) * BQ
    first = tl.program_id(1) * stretch
    last = tl.minimum(first + stretch, total)
    row = start_q + tl.arange(0, BQ)
    inside = row < count
    if THREE:
        a_low = rows.load([start_q, 0])
        a_high = rows.load([start_q, WIDTH])
    else:
        a_high = rows.load([start_q, 0])
    limit = tl.load(limits + row, mask=inside, other=float("inf"))
    margin = tl.load(margins + row, mask=inside, other=0.0)
    counted = tl.zeros([BQ], tl.int32)
    doubtful = tl.zeros([BQ], tl.int32)
    for start in tl.range(first, last, BV):
        b_high = items.load([start, 0])
        if THREE:
            b_low = items.load([start, WIDTH])
            scores = tl.dot(a_low, b_high.T)
            scores = tl.dot(a_high, b_low.T, scores)
            scores = tl.dot(a_high, b_high.T, scores)
        else:
            scores = tl.dot(a_high, b_high.T)
        higher, between = _compare(
            scores, start, total, row, inside, limit, margin, factor, reach, noted, words, capacity,
            BQ, BV, SCALED, MODE,
        )  # fmt: skip
        counted += higher
        doubtful += between
    tl.atomic_add(above + row, counted, mask=inside, sem="relaxed")
    if MODE == 1:
        tl.atomic_add(band + row, doubtful, mask=inside, sem="relaxed")


@triton.jit
def _tiled(
    rows, items, limits, margins, factor, reach, above, band, noted, words, count, total, capacity,
    WIDTH: tl.constexpr, BK: tl.constexpr, BQ: tl.constexpr, BV: tl.constexpr, GROUP: tl.constexpr,
    THREE: tl.constexpr, SCALED: tl.constexpr, MODE: tl.constexpr,
):  # fmt: skip
    """Count tiles of rows x items, each a product over the whole width in one sum.

    Queries are stored as (low, high) and items as (high, low), so that the three products are one, three times as wide:
    low x high, high x low, high x high.
    """
    blocks_q = tl.cdiv(count, BQ)
    blocks_v = tl.cdiv(total, BV)
    LENGTH: tl.constexpr = 3 * WIDTH if THREE else WIDTH
    # One long loop over tiles and strips: while one tile is compared, the next one is being read.
    for tile in tl.range(tl.program_id(0), blocks_q * blocks_v, tl.num_programs(0), flatten=True):
        # Some blocks of rows take the same items in turn, which then are in the cache.
        group = tile // (GROUP * blocks_v)
        members = tl.minimum(blocks_q - group * GROUP, GROUP)
        place = tile % (GROUP * blocks_v)
        start_q = (group * GROUP + place % members) * BQ
        start = (place // members) * BV
        scores = tl.zeros([BQ, BV], tl.float32)
        for strip in tl.range(0, LENGTH, BK):
            last = strip // (2 * WIDTH) * WIDTH if THREE else 0
            a = rows.load([start_q, strip - last])
            b = items.load([start, strip - 2 * last])
            scores = tl.dot(a, b.T, scores)
        row = start_q + tl.arange(0, BQ)
        inside = row < count
        limit = tl.load(limits + row, mask=inside, other=float("inf"))
        margin = tl.load(margins + row, mask=inside, other=0.0)
        higher, between = _compare(
            scores, start, total, row, inside, limit, margin, factor, reach, noted, words, capacity,
            BQ, BV, SCALED, MODE,
        )  # fmt: skip
        if MODE != 3:
            tl.atomic_add(above + row, higher, mask=inside, sem="relaxed")
        if MODE == 1:
            tl.atomic_add(band + row, between, mask=inside, sem="relaxed")


@triton.jit
def _second_look(
    rows, items, limits, margins, factor, reach, above, listed, sizes, noted, words, total, room, capacity,
    WIDTH: tl.constexpr, BK: tl.constexpr, BQ: tl.constexpr, BV: tl.constexpr, SCALED: tl.constexpr,
):  # fmt: skip
    """Count the rows that were listed for a tile, and note the items in doubt."""
    tile = tl.program_id(0)
    start = tile * BV
    size = tl.load(sizes + tile)
    for first in tl.range(0, size, BQ):
        place = first + tl.arange(0, BQ)
        inside = place < size
        row = tl.load(listed + tile.to(tl.int64) * room + place, mask=inside, other=0)
        at = rows + row[:, None].to(tl.int64) * (2 * WIDTH) + tl.arange(0, BK)[None, :]
        scores = tl.zeros([BQ, BV], tl.float32)
        for strip in tl.range(0, 3 * WIDTH, BK):
            last = strip // (2 * WIDTH) * WIDTH
            a = tl.load(at + strip - last, mask=inside[:, None], other=0.0)
            b = items.load([start, strip - 2 * last])
            scores = tl.dot(a, b.T, scores)
        limit = tl.load(limits + row, mask=inside, other=float("inf"))
        margin = tl.load(margins + row, mask=inside, other=0.0)
        higher, _ = _compare(
            scores, start, total, row, inside, limit, margin, factor, reach, noted, words, capacity, BQ, BV, SCALED, 2
        )
        tl.atomic_add(above + row, higher, mask=inside, sem="relaxed")


@triton.jit
def _split(
    vectors, exponents, halves, reach, count, width, lost, plain, added,
    WIDTH: tl.constexpr, BK: tl.constexpr, BR: tl.constexpr, SPLIT: tl.constexpr, HIGH_FIRST: tl.constexpr,
):  # fmt: skip
    """Scale vectors by 2^exponent, split them, and weigh their lengths; see the top of the module."""
    row = (tl.program_id(0) * BR + tl.arange(0, BR)).to(tl.int64)
    inside = row < count
    exponent = tl.load(exponents + row, mask=inside, other=0)
    # In two steps: 2^162, which the smallest float32 number needs, is no float32 number itself.
    one = (((exponent // 2) + 127) << 23).to(tl.float32, bitcast=True)
    other = (((exponent - exponent // 2) + 127) << 23).to(tl.float32, bitcast=True)
    total = tl.zeros([BR], tl.float32)
    HALVES: tl.constexpr = 2 if SPLIT else 1
    for strip in tl.range(0, WIDTH, BK):
        column = strip + tl.arange(0, BK)
        cells = inside[:, None] & (column < width)[None, :]
        x = tl.load(vectors + row[:, None] * width + column[None, :], mask=cells, other=0.0)
        x = x * one[:, None] * other[:, None]
        high = x.to(tl.float16)
        at = halves + row[:, None] * (HALVES * WIDTH) + column[None, :]
        tl.store(at if HIGH_FIRST else at + (HALVES - 1) * WIDTH, high, mask=inside[:, None])
        rest = x - high.to(tl.float32)
        if SPLIT:
            tl.store(at + WIDTH if HIGH_FIRST else at, rest.to(tl.float16), mask=inside[:, None])
        # The strip's numbers are part of the sum after it and after every later strip.
        total += tl.sum(rest * rest, axis=1) * lost + tl.sum(x * x, axis=1) * (plain + added * (WIDTH - strip))
    tl.store(reach + row, tl.sqrt(total), mask=inside)


@triton.jit
def _own(rows, items, scores, count, WIDTH: tl.constexpr, BK: tl.constexpr, BQ: tl.constexpr):
    """The product of each row with its own item, by the same matrix instructions as the counting."""
    row = tl.program_id(0) * BQ + tl.arange(0, BQ)
    inside = row < count
    value = tl.zeros([BQ, BQ], tl.float32)
    for strip in tl.range(0, WIDTH, BK):
        at = row[:, None].to(tl.int64) * WIDTH + (strip + tl.arange(0, BK))[None, :]
        a = tl.load(rows + at, mask=inside[:, None], other=0.0)
        b = tl.load(items + at, mask=inside[:, None], other=0.0)
        value = tl.dot(a, b.T, value)
    place = tl.arange(0, BQ)
    tl.store(scores + row, tl.sum(tl.where(place[:, None] == place[None, :], value, 0.0), axis=1), mask=inside)


@triton.jit
def _definition(q, v, left, right, inside, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """The score of each pair by its definition: a float64 sum in index order of exact products."""
    value = tl.zeros([BLOCK], tl.float64)
    for first in tl.range(0, WIDTH, 8, loop_unroll_factor=4):  # more reads on their way at once
        column = first + tl.arange(0, 8)
        cells = inside[:, None] & (column < WIDTH)[None, :]
        a = tl.load(q + left[:, None] * WIDTH + column[None, :], mask=cells, other=0.0).to(tl.float64)
        b = tl.load(v + right[:, None] * WIDTH + column[None, :], mask=cells, other=0.0).to(tl.float64)
        # Eight columns apart, then added in their order.
        even, odd = tl.split(tl.reshape(a * b, [BLOCK, 2, 2, 2]))
        even_0, even_1 = tl.split(even)
        odd_0, odd_1 = tl.split(odd)
        p0, p4 = tl.split(even_0)
        p2, p6 = tl.split(even_1)
        p1, p5 = tl.split(odd_0)
        p3, p7 = tl.split(odd_1)
        value = (((((((value + p0) + p1) + p2) + p3) + p4) + p5) + p6) + p7
    return value


@triton.jit
def _pairs(q, v, query, item, scores, count, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """The scores of a list of pairs."""
    pair = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = pair < count
    left = tl.load(query + pair, mask=inside, other=0).to(tl.int64)
    right = tl.load(item + pair, mask=inside, other=0).to(tl.int64)
    tl.store(scores + pair, _definition(q, v, left, right, inside, WIDTH, BLOCK), mask=inside)


@triton.jit
def _settle(
    q, v, query, own, threshold, active, entry_row, words, noted, keys, above, tied, earlier, higher, seen,
    count, capacity, base,
    WIDTH: tl.constexpr, BLOCK: tl.constexpr, LISTED: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    """Decide items by the definition of a score and add them to the counts of their row.

    LISTED: entries are words, each with its row. Otherwise the words noted for each row, one program per row and block.
    KEYS: only count the ties whose key is higher. ``base`` is the number of the first item that ``v`` holds.
    """
    if LISTED:
        entry = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        inside = entry < count
        row = tl.load(entry_row + entry, mask=inside, other=0).to(tl.int64)
    else:
        one = tl.program_id(0).to(tl.int64)
        place = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = place < tl.load(noted + one)
        entry = one * capacity + place
        row = one + tl.zeros([BLOCK], tl.int64)
    inside = inside & (tl.load(active + row, mask=inside, other=0) != 0)
    if tl.max(inside.to(tl.int32), axis=0) != 0:
        left = tl.load(query + row, mask=inside, other=0).to(tl.int64)
        mine = tl.load(own + row, mask=inside, other=0).to(tl.int64)
        wanted = tl.load(threshold + row, mask=inside, other=0.0)
        start = tl.load(words + entry * 2, mask=inside, other=0).to(tl.int64) * 32
        bits = tl.load(words + entry * 2 + 1, mask=inside, other=0)
        while tl.max((bits != 0).to(tl.int32), axis=0) != 0:
            some = bits != 0
            lowest = bits & -bits
            # The exponent of a power of two is its place, that of the sign bit included.
            power = lowest.to(tl.uint32, bitcast=True).to(tl.float32).to(tl.int32, bitcast=True)
            item = start + ((power >> 23) - 127).to(tl.int64)
            item = tl.where(some, item, 0)
            score = _definition(q, v, left, item, some, WIDTH, BLOCK)
            equal = some & (score == wanted)
            if KEYS:
                key = tl.load(keys + base + item, mask=equal, other=0)
                beyond = equal & (key > tl.load(keys + mine, mask=equal, other=0))
                tl.atomic_add(higher + row, tl.full([BLOCK], 1, tl.int32), mask=beyond, sem="relaxed")
            else:
                step = tl.full([BLOCK], 1, tl.int32)
                tl.atomic_add(above + row, step, mask=some & (score > wanted), sem="relaxed")
                tl.atomic_add(tied + row, step, mask=equal, sem="relaxed")
                tl.atomic_add(earlier + row, step, mask=equal & (base + item < mine), sem="relaxed")
                tl.atomic_add(seen + row, step, mask=some, sem="relaxed")
            bits = bits ^ lowest


def pair_scores(left: Any, right: Any, query: Any, item: Any) -> Any:
    """(n,) float64: the score of each (query, item) pair by its definition."""
    scores = torch.empty(len(query), dtype=torch.float64, device=left.device)
    if len(query):
        grid = (triton.cdiv(len(query), 128),)
        _pairs[grid](left, right, query, item, scores, len(query), WIDTH=left.shape[1], BLOCK=128, num_warps=4)
    return scores


@dataclass(frozen=True, slots=True)
class Case:
    """Judged items, and the block of items that they are placed among."""

    queries: Any
    items: Any
    base: int
    """The number of the block's first item."""
    query: Any
    own: Any
    threshold: Any


def settle(case: Case, counts: Any, words: Any, noted: Any, listed: Any, active: Any = None, keys: Any = None) -> None:
    """Add noted items to the counts of their judged items, by definition.

    ``words`` are (rows, capacity, 2) with ``noted`` of each row, or (n, 2) with the row of each in ``listed``. With
    ``keys`` the rows that are active have their ties of higher key counted, nothing else.
    """
    active = torch.ones_like(case.query, dtype=torch.int32) if active is None else active
    if listed is None:
        capacity, count = words.shape[1], 0
        most = int(torch.where(active != 0, noted, 0).max())
        grid = (len(noted), triton.cdiv(most, 64))
    else:
        capacity, count, most = 0, len(listed), len(listed)
        grid = (triton.cdiv(count, 64),)
    if most:
        above, tied, earlier, higher, seen = counts
        _settle[grid](
            case.queries, case.items, case.query, case.own, case.threshold, active,
            active if listed is None else listed, words, active if noted is None else noted,
            active if keys is None else keys, above, tied, earlier, higher, seen, count, capacity, case.base,
            WIDTH=case.queries.shape[1], BLOCK=64, LISTED=listed is not None, KEYS=keys is not None, num_warps=2,
        )  # fmt: skip


def noted_pairs(words: Any, noted: Any) -> tuple[Any, Any]:
    """The pairs (row, item) that noted words stand for; most words have one bit."""
    noted = noted.long()
    row = torch.arange(len(noted), device=noted.device).repeat_interleave(noted)
    place = torch.arange(len(row), device=noted.device) - (noted.cumsum(0) - noted)[row]
    entry = words[row, place]
    first, bits = entry[:, 0].long() * WORD, entry[:, 1]
    rows, items = [row[:0]], [row[:0]]
    while len(row):
        lowest = bits & -bits
        # The exponent of a power of two is its number; as float64 it is exact, the sign bit's word included.
        rows.append(row)
        items.append(first + torch.frexp(lowest.double().abs()).exponent - 1)
        bits = bits ^ lowest
        more = bits != 0
        row, first, bits = row[more], first[more], bits[more]
    return torch.cat(rows), torch.cat(items)


@triton.jit
def _sums(left, right, sums):
    """64 x 64 sums of 32 products."""
    row, column = tl.arange(0, 64), tl.arange(0, 32)
    a = tl.load(left + row[:, None] * 32 + column[None, :])
    b = tl.load(right + row[:, None] * 32 + column[None, :])
    tl.store(sums + row[:, None] * 64 + row[None, :], tl.dot(a, b.T))


@functools.cache
def units(device: Any) -> int:
    """How many units a sum of 16 products errs by at most on this device, by what it does with small terms beside 1.

    Each row adds four terms of 2^-25, or two of 2^-24, to a 1 that came 16 products before or after: neighbours,
    which a unit that keeps 24 bits cuts off, and distant ones, which one that adds in smaller groups cuts off. A device
    that gives 1 +- 2^-23 for all of them keeps them.
    """
    if device.type != "cuda":
        return UNITS
    left, right = torch.zeros((2, 64, 32), dtype=torch.float16)
    right[:] = 2.0**-12
    expected = torch.ones(64)
    for row in range(64):
        first, sign = row % 16, 1 - 2 * (row // 16 % 2)
        places = [(first + step * (1 if row < 32 else 4)) % 16 for step in range(4)]
        terms = dict.fromkeys(places, 2.0 ** (-13)) if row < 48 else {first: 2.0**-12, (first + 8) % 16: 2.0**-12}
        small, large = (16, 0) if row % 2 else (0, 16)
        for place, value in terms.items():
            left[row, small + place] = sign * value
        left[row, large + first] = 2.0**12
        expected[row] += sign * 2.0**-23
    sums = torch.empty((64, 64), device=device)
    _sums[(1,)](left.to(device), right.to(device), sums, num_warps=4)
    return FEWER_UNITS if bool((sums.cpu() == expected[:, None]).all()) else UNITS


def error_weights(width: int, products: int, device: Any) -> tuple[float, float, float]:
    """The weights of what rounding lost, of the length, and of the length up to each number, in a vector's reach."""
    added = SUM_UNIT * units(device) / 16
    # Three units for the comparison, the definition's own error, and a hundredth for the rounding of the reach itself.
    plain = 3 * SUM_UNIT + width * 2.0**-52
    if products == 1:
        return 1.01 / LOST, 1.01 * (LOST + plain), 1.01 * added
    plain += (3.1 + 2.0**-8 * width**0.5) * HALF_UNIT**2
    return 0.0, 1.01 * (plain + 3 * width * added * 2.1 * HALF_UNIT), 1.01 * added


def own_exponents(vectors: Any) -> tuple[Any, Any]:
    """(n,) int32: the power of two that brings the largest number of each vector to 2^13; and whether there is one."""
    largest = torch.linalg.vector_norm(vectors, float("inf"), dim=1)
    return torch.where(largest > 0, 14 - torch.frexp(largest).exponent, 0).int(), largest > 0


@dataclass(frozen=True, slots=True)
class Halves:
    """Vectors as float16 halves, padded to a width that matrix units take."""

    halves: Any
    """(n, width) the high halves for one product; (n, 2 width) both for three."""
    exponent: Any
    """(n,) int32: each vector was multiplied by this power of two."""
    reach: Any
    """(n,) float32: the weighted lengths whose product bounds the error of a score."""
    cut: Tiling
    products: int

    @classmethod
    def of(cls, vectors: Any, products: int, exponent: Any = None, *, high_first: bool = False) -> Halves:
        """Split float32 vectors; ``high_first`` is how items are stored."""
        count, width = vectors.shape
        exponent = own_exponents(vectors)[0] if exponent is None else exponent
        cut = tiling(width, products)
        padded = triton.cdiv(width, cut.strip) * cut.strip
        both = products == 3
        halves = torch.empty((count, padded * (2 if both else 1)), dtype=torch.float16, device=vectors.device)
        reach = torch.empty(count, dtype=torch.float32, device=vectors.device)
        weights = error_weights(padded, products, vectors.device)
        _split[(triton.cdiv(count, 16),)](
            vectors, exponent, halves, reach, count, width, *weights, WIDTH=padded, BK=cut.strip, BR=16, SPLIT=both,
            HIGH_FIRST=high_first, num_warps=4,
        )  # fmt: skip
        return cls(halves, exponent, reach, cut, products)

    @property
    def width(self) -> int:
        """The padded width."""
        padded: int = self.halves.shape[1] // (2 if self.products == 3 else 1)
        return padded

    def limits(self, threshold: Any, items: TiledItems) -> Any:
        """(n,) float32: thresholds of scores of these vectors in the unit that items are compared in."""
        scaled = threshold * torch.exp2((self.exponent - items.unit).double())
        return scaled.float().clamp(min=-3e38)

    def __getitem__(self, chosen: Any) -> Halves:
        """Some of the vectors."""
        return Halves(self.halves[chosen], self.exponent[chosen], self.reach[chosen], self.cut, self.products)


@dataclass(frozen=True, slots=True)
class TiledItems:
    """Item halves, ready to be compared with: in units of the longest vector."""

    halves: Halves
    unit: int
    """Scores are compared after multiplication by 2^(exponent of the query - unit)."""
    factor: Any
    """(n,) float32: what brings each item's scores to that unit."""
    scaled: bool
    """Whether any of these is not 1."""
    reach: Any
    """(n,) float32: the items' part of the error bound in that unit."""
    widest: Any
    """(tiles,) the largest of each tile, where this is not much more than the others; else None."""

    @classmethod
    def of(cls, vectors: Any, products: int) -> TiledItems:
        """Split the vectors of items."""
        exponent, some = own_exponents(vectors)
        # Vectors of zeros have the exponent 0, which may be anything: their scores are 0.
        least, most = (int(bound) for bound in torch.stack([
            torch.where(some, exponent, 1 << 20).min(), torch.where(some, exponent, -(1 << 20)).max()
        ]).tolist())  # fmt: skip
        least = min(least, most)  # a catalogue of zeros has neither
        scaled = most - least > ALIKE
        exponent = torch.where(some, exponent if scaled else least, 0).int()
        halves = Halves.of(vectors, products, exponent, high_first=True)
        behind = torch.where(some, exponent - least, 0)
        factor = torch.where(behind > 126, 0.0, torch.exp2(-behind.clamp(max=126).double()).float())
        reach = torch.clamp(halves.reach * factor * 1.001, min=LEAST_REACH)
        return cls(halves, -least, factor, scaled, reach, None if scaled else _widest(reach, halves.cut))


def _widest(reach: Any, cut: Tiling) -> Any:
    """The largest reach of each tile, or None."""
    if cut.looks < 2:
        return None
    tiles = torch.nn.functional.pad(reach, (0, -len(reach) % cut.items)).view(-1, cut.items)
    widest = tiles.amax(dim=1)
    return widest if float((widest.repeat_interleave(cut.items)[: len(reach)] / reach).mean()) <= EVEN else None


@dataclass(frozen=True, slots=True)
class Compared:
    """What one run of the kernel found for each row."""

    above: Any
    band: Any
    """How many items are in doubt; only where they are counted."""
    noted: Any
    """How many words were noted, those that found no room included."""
    words: Any
    """(rows, capacity, 2): the number of a word, for 32 items, and its bits."""


def compare(mode: int, rows: Halves, items: TiledItems, limits: Any, capacity: int = 1) -> Compared:
    """Run the kernel for rows with one limit each."""
    count = len(limits)
    above, band, noted = torch.zeros((3, count), dtype=torch.int32, device=limits.device)
    words = torch.empty((count, capacity, 2), dtype=torch.int32, device=limits.device)
    compared = Compared(above, band, noted, words)
    margins = torch.clamp(rows.reach * 1.001, min=LEAST_REACH)
    if mode != NOTED or items.widest is None or not _in_two_looks(compared, rows, items, limits, margins):
        _look(mode, compared, rows, items, limits, margins, items.reach)
    return compared


def _look(
    mode: int, compared: Compared, rows: Halves, items: TiledItems, limits: Any, margins: Any, reach: Any
) -> None:  # fmt: skip
    """All rows against all items."""
    count, total, cut = len(limits), len(items.factor), rows.cut
    left = TensorDescriptor.from_tensor(rows.halves, [cut.queries, cut.strip])
    right = TensorDescriptor.from_tensor(items.halves.halves, [cut.items, cut.strip])
    made = (compared.above, compared.band, compared.noted, compared.words)
    given = (left, right, limits, margins, items.factor, reach, *made)
    capacity = compared.words.shape[1]
    sizes = {"WIDTH": rows.width, "BQ": cut.queries, "BV": cut.items, "THREE": rows.products == 3,
             "SCALED": items.scaled, "MODE": mode}  # fmt: skip
    options = {"num_warps": cut.warps, "num_stages": cut.stages}
    blocks, tiles = triton.cdiv(count, cut.queries), triton.cdiv(total, cut.items)
    if cut.resident:
        # Few rows still fill the chip: their items are cut into more stretches.
        group = max(cut.group, triton.cdiv(2 * _multiprocessors(limits.device), blocks))
        stretch = triton.cdiv(tiles, group) * cut.items
        _resident[(blocks, group)](*given, count, total, stretch, capacity, **sizes, **options)
    else:
        programs = min(blocks * tiles, _multiprocessors(limits.device))
        _tiled[(programs,)](*given, count, total, capacity, **sizes, BK=cut.strip, GROUP=cut.group, **options)


def _in_two_looks(compared: Compared, rows: Halves, items: TiledItems, limits: Any, margins: Any) -> bool:
    """Note items in two looks; False, and nothing done, where too many rows of a tile are in doubt for that."""
    room, cut, total = max(64, len(limits) // 8), rows.cut, len(items.factor)
    listed = torch.empty((len(items.widest), room), dtype=torch.int32, device=limits.device)
    sizes = torch.zeros(len(listed), dtype=torch.int32, device=limits.device)
    first = Compared(compared.above, compared.band, sizes, listed)
    _look(LISTED, first, rows, items, limits, margins, items.widest)
    if int(sizes.max()) > room:
        compared.above.zero_()
        return False
    right = TensorDescriptor.from_tensor(items.halves.halves, [cut.items, cut.strip])
    _second_look[(len(listed),)](
        rows.halves, right, limits, margins, items.factor, items.reach, compared.above, listed, sizes, compared.noted,
        compared.words, total, room, compared.words.shape[1],
        WIDTH=rows.width, BK=cut.strip, BQ=cut.queries, BV=cut.items, SCALED=items.scaled, num_warps=cut.warps,
        num_stages=2,
    )  # fmt: skip
    return True


def own_limits(rows: Halves, own: Halves, items: TiledItems) -> Any:
    """(n,) float32: the low-precision scores of each row's own item, in the unit that items are compared in."""
    scores = torch.empty(len(rows.reach), dtype=torch.float32, device=rows.reach.device)
    _own[(triton.cdiv(len(scores), 64),)](
        rows.halves, own.halves, scores, len(scores), WIDTH=rows.width, BK=rows.cut.strip, BQ=64, num_warps=4
    )
    return (scores.double() * torch.exp2((-own.exponent - items.unit).double())).float()


def _multiprocessors(device: Any) -> int:
    if device.type != "cuda":  # Triton's interpreter
        return 2
    return int(torch.cuda.get_device_properties(device).multi_processor_count)
