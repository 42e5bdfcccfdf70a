"""Differences of means with their standard errors, and what Student's t says of them.

Paired differences have the error of their own spread and n - 1 degrees of freedom; means of separate groups (runs that
share no seed) that of Welch's test. Tests, intervals and margins ask the same object, so they cannot contradict each
other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from rankmeter.errors import check_level
from rankmeter.late import special
from rankmeter.placing.placements import Bools, Floats, Ints

Alternative = Literal["two-sided", "less", "greater"]
Pair = tuple[int, int]

SAME = 1e-12
"""Values of a unit that differ by no more than this, relative to the largest value or 1, are a tie."""
BLOCK_CELLS = 1_000_000
"""How many differences are held at once."""
MANY_UNITS = 10_000
"""From this many degrees of freedom on, a short series gives the quantiles of Student's t."""


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Differences with their errors, each field ``(pairs,)``."""

    difference: Floats
    error: Floats
    """Their standard errors; 0 where there is no spread."""
    freedom: Floats
    """Degrees of freedom; 0 where there are too few units for any."""
    floor: Floats
    """The smallest two-sided p-value that signs, or exchanges, of the differences other than 0 allow."""
    floor_moved: Floats
    """The smallest p-value once something is added, so that no difference is 0."""

    @classmethod
    def paired(cls, values: Floats, pairs: Sequence[Pair]) -> Contrasts:
        """Differences of systems on the same units, from ``(systems, units)`` values."""
        blocks = [cls.of_rows(rows) for rows in differences(values, pairs)]
        return cls(*(np.concatenate([getattr(block, name) for block in blocks]) for name in cls.__slots__))

    @classmethod
    def of_rows(cls, rows: Floats) -> Contrasts:
        """Means of ``(pairs, units)`` differences, or of values that are held against 0."""
        rows = without_noise(rows)
        units = rows.shape[1]
        spread = np.zeros(len(rows)) if units < 2 else rows.std(axis=1, ddof=1)
        error = np.where(without_spread(rows), 0.0, spread / np.sqrt(max(units, 1)))
        freedom = np.full(len(rows), max(units - 1, 0), np.float64)
        moved = np.maximum(np.count_nonzero(rows, axis=1) - 1.0, 0.0)
        floors = 0.5**moved, np.full(len(rows), 0.5 ** max(units - 1, 0))
        return cls(rows.mean(axis=1), error, freedom, *floors)

    @classmethod
    def separate(cls, groups: Sequence[Floats], pairs: Sequence[Pair]) -> Contrasts:
        """Differences of groups whose members are not paired (Welch 1947); a group of one is a constant."""
        left, right = sides(pairs)
        groups = [np.sort(group) for group in groups]  # so that the order of runs changes no digit
        sizes = np.array([len(group) for group in groups])
        means = np.array([group.mean() for group in groups])
        variances = np.array([0.0 if len(g) < 2 or without_spread(g[None])[0] else g.var(ddof=1) for g in groups])
        shares = variances / sizes
        error = np.sqrt(shares[left] + shares[right])
        weights = shares**2 / np.maximum(sizes - 1, 1)
        below = weights[left] + weights[right]
        freedom = np.divide(error**4, below, out=np.zeros(len(left)), where=below > 0)
        floor = np.array([_fewest(groups[a], groups[b]) for a, b in pairs])
        return cls(gaps(means, pairs), error, freedom, floor, floor)

    @property
    def flat(self) -> Bools:
        """Which have no spread to test by."""
        return np.asarray((self.error == 0) | (self.freedom == 0))

    def spread(self, units: int) -> Floats:
        """The standard deviations of the differences, for planning; 0 where there is no spread."""
        return np.where(self.flat, 0.0, self.error * math.sqrt(units))

    def moved(self, shift: float | Floats) -> Contrasts:
        """These differences with something added."""
        gap = without_noise((self.difference + shift)[:, None])[:, 0]
        return Contrasts(gap, self.error, self.freedom, self.floor_moved, self.floor_moved)

    def p(self, alternative: Alternative = "two-sided") -> Floats:
        """p-values of "the difference is 0"; 1 where it is 0.

        None is smaller than that of n agreeing signs, 2^(1-n), where n counts the differences other than 0: two or
        three differences that happen to be close to each other would make a t test all but certain (scipy's p is 0
        where they are equal), and zeros say nothing about the direction.
        """
        flat = self.flat
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            t = np.where(flat, 0.0, self.difference / self.error)
        freedom = np.where(flat, 1.0, self.freedom)
        lower: Floats = special.stdtr(freedom, t)
        upper: Floats = special.stdtr(freedom, -t)
        chance = {"less": lower, "greater": upper, "two-sided": 2 * np.minimum(lower, upper)}[alternative]
        agrees = {"less": self.difference < 0, "greater": self.difference > 0, "two-sided": self.difference != 0}
        floor = self.floor if alternative == "two-sided" else np.where(self.floor < 1, self.floor / 2, 1.0)
        return np.maximum(np.where(flat, np.where(agrees[alternative], 0.0, 1.0), chance), floor)

    def ends(self, level: float, *, tested: bool = True) -> tuple[Floats, Floats]:
        """The ends of the intervals of what the two-sided test does not reject.

        NaN where there is no spread (equal systems differ by 0), and with too few units to reject anything; without
        ``tested``, two units are enough for an interval.
        """
        flat = self.flat
        reach = special.stdtrit(np.where(flat, 1.0, self.freedom), (1 + level) / 2) * self.error
        reach = np.where(flat, np.nan, reach)
        if tested:
            none = (self.floor_moved < 1) & (self.difference == 0)
            reach = np.where(flat & none, 0.0, np.where(self.floor >= 1 - level, np.nan, reach))
        return self.difference - reach, self.difference + reach


def differences(values: Floats, pairs: Sequence[Pair]) -> Iterator[Floats]:
    """The differences of pairs of rows, a block of ``(b, units)`` at a time; without pairs, one empty block."""
    left, right = sides(pairs)
    step = max(1, BLOCK_CELLS // max(values.shape[1], 1))
    for first in range(0, max(len(left), 1), step):
        yield values[left[first : first + step]] - values[right[first : first + step]]


def gaps(means: Floats, pairs: Sequence[Pair]) -> Floats:
    """(pairs,) the differences of two means each."""
    left, right = sides(pairs)
    return without_noise((means[left] - means[right])[:, None])[:, 0]


def skewness(values: Floats, pairs: Sequence[Pair]) -> Floats:
    """(pairs,) the skewness of the differences of each pair; 0 without a spread."""
    skews = []
    for rows in map(without_noise, differences(values, pairs)):
        centred = rows - rows.mean(axis=1, keepdims=True)
        square = (centred**2).mean(axis=1)
        cube = (centred**3).mean(axis=1)
        skews.append(np.where(without_spread(rows), 0.0, cube / np.where(square > 0, square, 1) ** 1.5))
    return np.concatenate(skews)


def _fewest(group: Floats, other: Floats) -> float:
    """The smallest p-value that exchanges between two groups allow; against a single number, that signs allow."""
    if min(len(group), len(other)) == 1:
        moved = int(np.count_nonzero(without_noise(group - other)))
        return 2.0 ** -max(moved - 1, 0)
    return min(2 / math.comb(len(group) + len(other), len(group)), 1.0)


def sides(pairs: Sequence[Pair]) -> tuple[Ints, Ints]:
    """The first and the second of each pair."""
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def without_noise(rows: Floats) -> Floats:
    """The ``(..., units)`` differences with 0 for what is only rounding error."""
    scale = np.maximum(np.abs(rows).max(axis=-1, keepdims=True, initial=0.0), 1.0)
    return np.where(np.abs(rows) <= SAME * scale, 0.0, rows)


def without_spread(rows: Floats) -> Bools:
    """Whether the differences of a row are equal up to rounding, so that a t test has nothing to divide by."""
    if rows.shape[-1] < 2:
        return np.zeros(rows.shape[:-1], np.bool_)
    largest = np.abs(rows).max(axis=-1)
    return np.asarray(np.ptp(rows, axis=-1) <= SAME * np.maximum(largest, 1.0))


def t_quantile(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's t.

    With thousands of users, as a log has, the series in 1 / freedom (Abramowitz and Stegun 26.7.5) is exact to the last
    digits, and loading scipy would take as long as counting millions of events.
    """
    check_level(level)
    if freedom >= MANY_UNITS and level < 1 - 1e-9:
        z = NormalDist().inv_cdf((1 + level) / 2)
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))
    return float(special.stdtrit(freedom, (1 + level) / 2)) if freedom > 0 else math.nan
