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
from rankmeter.placing.placements import Bools, Floats, Ints

Alternative = Literal["two-sided", "less", "greater"]
Pair = tuple[int, int]

SAME = 1e-12
"""Values of a unit that differ by no more than this, relative to the largest value or 1, are a tie."""
BLOCK_CELLS = 1_000_000
"""How many differences are held at once."""
NEAR = 1e-15
"""By how much the last factor of a fraction, or step towards a quantile, may differ from none."""
MOST_TERMS = 1000
MOST_STEPS = 60
"""Limits that are never met: a fraction needs some hundred terms at most."""


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
        lower, upper = t_tail(freedom, -t), t_tail(freedom, t)
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
        reach = t_reach(level, np.where(flat, 1.0, self.freedom)) * self.error
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
    """The two-sided quantile of Student's t; NaN without degrees of freedom.

    >>> t_quantile(0.95, 9)
    2.26215716...
    """
    return float(t_reach(level, np.array([freedom]))[0]) if freedom > 0 else math.nan


def t_reach(level: float, freedom: Floats) -> Floats:
    """The two-sided quantiles of Student's t for several degrees of freedom.

    The logarithm of the tail is concave in that of t: Newton's steps come from the right after the first one and cannot
    go astray.
    """
    wanted = (1 - check_level(level)) / 2
    t = np.full(np.shape(freedom), NormalDist().inv_cdf(1 - wanted))
    if wanted == 0.5:  # a level that rounds to none, of which the reach is 0
        return t
    for _ in range(MOST_STEPS):
        tail, slope = _tail_and_slope(freedom, t)
        step = np.log(tail / wanted) * tail / slope
        t = t * np.exp(step)
        if (np.abs(step) < NEAR).all():
            break
    return t


def t_tail(freedom: Floats | float, t: Floats | float) -> Floats:
    """The chance that Student's t with some degrees of freedom, above 0, is at least ``t``.

    Computed here since loading scipy takes longer than comparing two runs.

    >>> float(t_tail(3.0, 2.0)), float(t_tail(3.0, -2.0))
    (0.0696..., 0.9303...)
    """
    freedom, t = np.broadcast_arrays(np.asarray(freedom, np.float64), np.asarray(t, np.float64))
    upper = _tail_and_slope(freedom, np.abs(t))[0]
    return np.where(t < 0, 1.0 - upper, upper)


def _tail_and_slope(freedom: Floats, t: Floats) -> tuple[Floats, Floats]:
    """P(T >= t) for t of at least 0, and t times the density there.

    Half of an incomplete beta function: near 0 one half less a series, further out a continued fraction. All terms of
    both are positive, so that nothing cancels (DLMF 8.17.8 and 15.7.2, after 15.8.1).
    """
    half = freedom / 2
    with np.errstate(all="ignore"):  # t may be infinite, and its square
        ratio = t * t / freedom
        slope = np.exp(-half * np.log1p(ratio)) * _gamma_ratio(half) / np.sqrt(math.pi * (1 + 1 / ratio))
    tail = np.empty_like(slope)
    near = (ratio < 1) & (t < 2)
    tail[near] = 0.5 - slope[near] * _series(half[near], ratio[near])
    far = ~near
    tail[far] = slope[far] / freedom[far] * _fraction(half[far], ratio[far])
    return tail, slope


def _series(half: Floats, ratio: Floats) -> Floats:
    """P(0 < T < t) over t times the density."""
    y = ratio / (1 + ratio)
    term, total = np.ones_like(y), np.ones_like(y)
    for n in range(MOST_TERMS):
        term = term * ((half + n + 0.5) / (n + 1.5) * y)
        total += term
        if not (term > NEAR * total).any():
            break
    return total


def _fraction(half: Floats, ratio: Floats) -> Floats:
    """P(T > t) over t times the density, times the degrees of freedom, by Lentz's method."""
    inverse = 1 / ratio
    c, d, value = np.full_like(ratio, np.inf), np.ones_like(ratio), 1 + inverse
    for n in range(1, MOST_TERMS):
        m = n // 2
        above = (m + 0.5) * (half + m) if n % 2 else m * (half + m - 0.5)
        term = above / ((half + n - 1) * (half + n)) * inverse
        c, d = 1 + term / c, 1 / (1 + term * d)
        value = value * c * d
        if not (np.abs(c * d - 1) > NEAR).any():
            break
    return value


def _gamma_ratio(a: Floats) -> Floats:
    """Gamma(a + 1/2) / Gamma(a): the series of its logarithm, exact from 16 on, after as many steps towards it."""
    steps = np.ones_like(a)
    for n in range(16):
        steps = steps * ((a + n) / (a + n + 0.5))
    z = a + 16
    terms = -1 / 8, 1 / 192, -1 / 640, 17 / 14336, -31 / 18432, 691 / 180224
    series = sum(term / z ** (2 * power + 1) for power, term in enumerate(terms))
    return steps * np.sqrt(z) * np.exp(series)
