"""Resampling as matrix products: random signs for permutations, random counts for the bootstrap.

Signs and counts are drawn once and multiplied with all systems and measures at a time. Systems are flipped, not pairs:
the sum of the flipped differences of two systems is the difference of their flipped sums, S(a - b) = Sa - Sb. Products
are in float64: in float32 p-values move in the fifth digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from rankmeter.errors import InputError, check_whole
from rankmeter.placing.placements import Floats
from rankmeter.wording import Said, said

BLOCK_CELLS = 2_500_000
"""How many signs are held at once: blocks that stay near the processor are faster than large ones."""
COUNTED_CELLS = 500_000
"""How many counts of drawn units are held at once; they are written to at random, so they must be nearer still."""

Step = Callable[[int], None]
"""Told after each block how many resamples are done."""


def is_exact(units: int, permutations: int) -> bool:
    """Whether all patterns of signs are no more than the permutations asked for, so that all of them are tried."""
    return units < 63 and 2**units <= permutations


def flipped_sums(rows: Floats, permutations: int, seed: int, step: Step | None = None) -> Iterator[Floats]:
    """Blocks of ``(r, b)``: the sums of r rows of n values whose signs were flipped at random, alike in each row.

    Where there are no more than ``permutations`` patterns of signs, each of them comes once.

    Parameters
    ----------
    rows
        ``(r, n)``.
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
    """``(resamples, c)``: the sums of c columns over n rows drawn with replacement, the same rows for each column.

    Parameters
    ----------
    columns
        ``(n, c)``.
    """
    units = len(columns)
    random = np.random.default_rng(seed)
    rows = max(1, min(BLOCK_CELLS // max(units, 1), 8192, resamples))
    few = max(1, min(COUNTED_CELLS // max(units, 1), rows))
    sums = np.empty((resamples, columns.shape[1]))
    counts = np.empty((rows, units))
    for first in range(0, resamples, rows):
        size = min(rows, resamples - first)
        # Counted a few rows at a time, multiplied many at a time: small products spend their time on being shared out.
        for start in range(0, size, few):
            some = min(few, size - start)
            drawn = random.integers(0, units, (some, units))
            drawn += np.arange(0, some * units, units)[:, None]
            counted = np.bincount(drawn.ravel(), minlength=some * units)
            counts[start : start + some] = counted.reshape(some, units)
        sums[first : first + size] = counts[:size] @ columns
        if step is not None:
            step(first + size)
    return sums


def middle(drawn: Floats, level: float) -> tuple[float, float]:
    """The interval that holds the middle of some draws.

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
    """The fewest draws that have one outside of the interval on each side.

    >>> least_draws(0.95)
    39
    """
    return math.ceil(round(2 / (1 - level), 9)) - 1


def check_draws(resamples: object, level: float, *, without: Said | None = None) -> None:
    """Refuse so few resamples that none lies outside of the interval; 0 is for those who want none."""
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
    """The p-value of 0: twice the share of draws on its smaller side."""
    if not len(drawn):
        return math.nan
    smaller = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    return min(1.0, 2 * (int(smaller) + 1) / (len(drawn) + 1))
