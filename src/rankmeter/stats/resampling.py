"""Resampling as matrix products: random signs for permutations, random counts for the bootstrap.

Signs and counts are drawn once and multiplied with all systems and measures at once. Systems are flipped, not pairs:
the sum of the flipped differences of two systems is the difference of their flipped sums, S(a - b) = Sa - Sb. Products
are in float64: in float32 p-values move in the fifth digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rankmeter.errors import InputError, check_whole
from rankmeter.placing.placements import Floats
from rankmeter.wording import Said, said

BLOCK_CELLS = 2_500_000
"""How many signs are held at once: blocks that fit the cache are faster."""
COUNTED_CELLS = 500_000
"""How many counts of drawn units are held at once: fewer, as they are written in random order."""

Step = Callable[[int], None]
"""Called after each block with the number of resamples done."""


def is_exact(units: int, permutations: int) -> bool:
    """Whether there are so few patterns of signs that all of them are tried instead of random ones."""
    return units < 63 and 2**units <= permutations


def share_of(extreme: Any, tried: int, *, exact: bool) -> Any:
    """The p-values of counts: how many of the patterns tried are as extreme as what was observed.

    Where patterns are drawn, the observed one counts as one of them, so that no p-value is 0 (Phipson & Smyth 2010).
    """
    return extreme / tried if exact else (extreme + 1) / (tried + 1)


def flipped_sums(rows: Floats, permutations: int, seed: int, step: Step | None = None) -> Iterator[Floats]:
    """Blocks of ``(r, b)``: the sums of ``(r, n)`` rows whose signs were flipped at random, alike in each row.

    Where there are no more than ``permutations`` patterns of signs, each of them comes once.
    """
    units = rows.shape[1]
    total = rows.sum(axis=1, keepdims=True)
    done = 0
    for bits in _all_bits(units) if is_exact(units, permutations) else _random_bits(units, permutations, seed):
        # Signs are 2 * bit - 1, so the flipped sum is twice the sum where the bit is set, less the sum of all.
        sums = rows @ bits.T.astype(np.float64)
        sums *= 2.0
        sums -= total
        yield sums
        done += len(bits)
        if step is not None:
            step(done)


def _random_bits(units: int, permutations: int, seed: int) -> Iterator[np.ndarray]:
    random = np.random.default_rng(seed)
    width = -(-units // 8)
    rows = min(permutations, max(64, min(BLOCK_CELLS // max(units, 1), 8192)))
    for first in range(0, permutations, rows):
        drawn = random.integers(0, 256, (min(rows, permutations - first), width), dtype=np.uint8)
        yield np.unpackbits(drawn, axis=1, count=units)


def _all_bits(units: int) -> Iterator[np.ndarray]:
    numbers = np.arange(2**units, dtype=np.int64)
    for first in range(0, len(numbers), 1 << 14):
        part = numbers[first : first + (1 << 14), None]
        yield ((part >> np.arange(units)) & 1).astype(np.uint8)


def resampled_sums(columns: Floats, resamples: int, seed: int, step: Step | None = None) -> Floats:
    """``(resamples, c)``: the sums of ``(n, c)`` columns over rows drawn with replacement, the same for each column."""
    units = len(columns)
    random = np.random.default_rng(seed)
    rows = max(1, min(BLOCK_CELLS // max(units, 1), 8192, resamples))
    few = max(1, min(COUNTED_CELLS // max(units, 1), rows))
    sums = np.empty((resamples, columns.shape[1]))
    counts = np.empty((rows, units))
    for first in range(0, resamples, rows):
        size = min(rows, resamples - first)
        # Counted a few rows at a time, multiplied many at a time: small products lose time to the threads.
        for start in range(0, size, few):
            taken = min(few, size - start)
            drawn = random.integers(0, units, (taken, units))
            drawn += np.arange(0, taken * units, units)[:, None]
            counted = np.bincount(drawn.ravel(), minlength=taken * units)
            counts[start : start + taken] = counted.reshape(taken, units)
        sums[first : first + size] = counts[:size] @ columns
        if step is not None:
            step(first + size)
    return sums


def middle(drawn: Floats, level: float) -> tuple[float, float]:
    """The interval that holds the middle part of the draws.

    Of B draws the k-th smallest has a share of k / (B + 1) below it (Weibull's definition of a quantile). The more
    usual (k - 1) / (B - 1) makes intervals of few draws too short: with 100 draws a test at 5% alarms in 7%.

    Examples
    --------
    >>> import numpy as np
    >>> [round(end, 6) for end in middle(np.arange(1.0, 40.0), 0.95)]
    [1.0, 39.0]
    """
    if not len(drawn):
        return math.nan, math.nan
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="weibull")
    return float(low), float(high)


def least_draws(level: float) -> int:
    """The fewest draws of which one lies outside the interval on each side.

    >>> least_draws(0.95)
    39
    """
    return math.ceil(round(2 / (1 - level), 9)) - 1


def check_draws(resamples: object, level: float, *, without: Said | None = None) -> None:
    """Refuse too few resamples for any to lie outside the interval; 0 asks for no interval."""
    least = least_draws(level)
    if 0 < check_whole("resamples", resamples) < least:
        raise InputError.of(
            "stats.few_resamples",
            resamples=resamples,
            level=level,
            least=least,
            without=without or said("online.no_interval"),
        )


def two_sided(drawn: Floats) -> float:
    """The p-value of "the value is 0": twice the smaller share of draws on either side of 0."""
    if not len(drawn):
        return math.nan
    smaller = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    return min(1.0, 2 * (int(smaller) + 1) / (len(drawn) + 1))
