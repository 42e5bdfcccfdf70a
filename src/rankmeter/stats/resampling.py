"""What is resampled, the values of all systems gathered into units (a query, a user, a run), and how: matrix products.

Signs and counts are drawn once and multiplied with all systems and measures at once. Systems are flipped, not pairs:
the sum of the flipped differences of two systems is the difference of their flipped sums, S(a - b) = Sa - Sb. Products
are in float64: in float32 p-values move in the fifth digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES, GEOMETRIC_FLOOR, Aggregate
from rankmeter.arithmetic.parts import Values
from rankmeter.errors import InputError, check_whole
from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.student import SAME, Contrasts, Pair, sides
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


def p_values_of(extreme: Any, tried: int, *, exact: bool) -> Any:
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
    """
    if not len(drawn):
        return math.nan, math.nan
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="weibull")
    return float(low), float(high)


def least_draws(level: float) -> int:
    """The fewest draws of which one lies outside the interval on each side."""
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
            without=without or said("stats.interval_not_given"),
        )


def two_sided(drawn: Floats) -> float:
    """The p-value of "the value is 0": twice the smaller share of draws on either side of 0."""
    if not len(drawn):
        return math.nan
    smaller = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    return min(1.0, 2 * (int(smaller) + 1) / (len(drawn) + 1))


UNTESTED = ("median", "p90", "variance", "whole")
"""Aggregates that are not tested: quantiles and variances are not means over queries, a whole is one value."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the queries of each unit add to the numerator and the denominator of the aggregate, for every system.

    Every unit has a ``bottom`` above 0 for at least one system.
    """

    top: Floats
    """(systems, units)."""
    bottom: Floats
    """(systems, units)."""
    rule: Aggregate
    bounds: tuple[float, float] = (-math.inf, math.inf)
    """Between which the value of a query lies, where that is known."""

    @classmethod
    def of_values(cls, values: Floats) -> Sample:
        """Values per unit, ``(systems, units)``, that are averaged."""
        return cls(values, np.ones_like(values), AGGREGATES["mean"])

    @classmethod
    def of_queries(
        cls, values: Values, unit: Ints, aggregate: str, bounds: tuple[float, float] = (-math.inf, math.inf)
    ) -> Sample:
        """Gather ``(systems, queries)`` values into units, by the ``(queries,)`` number of each query's unit.

        A query counts only if it counts for every system.
        """
        rule = AGGREGATES[aggregate]
        codes = np.unique(unit[values.counted], return_inverse=True)[1]
        top, bottom = (_gathered(part, codes) for part in rule.parts(values))
        return cls(top, bottom, rule, bounds)

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.top.shape[1])

    @property
    def smallest_p(self) -> float:
        """The smallest two-sided p-value that this number of units allows: that of signs that all agree."""
        return float(0.5 ** max(self.units - 1, 0))

    def values(self) -> Floats:
        """(systems,) the aggregated values."""
        values: Floats = self.rule.value(self.top.sum(axis=1), self.bottom.sum(axis=1))
        return values

    def contrasts(self, pairs: Sequence[Pair]) -> Contrasts:
        """The differences of pairs on the scale on which they are tested (a geometric mean: logarithms)."""
        return Contrasts.paired(self.linear(), pairs)

    def spreads(self, pairs: Sequence[Pair]) -> Contrasts:
        """The differences of pairs on the scale of the value, for planning and for margins."""
        return Contrasts.paired(self.on_scale(), pairs)

    def alone(self) -> Contrasts:
        """The values themselves, on the scale on which they are tested."""
        return Contrasts.of_rows(self.linear())

    def back(self, ends: Floats, pairs: Sequence[Pair] | None = None) -> Floats:
        """From the scale of the test to that of the value: of values, or of differences of pairs.

        A ratio of geometric means becomes a difference by their logarithmic mean, which keeps 0 where it is.
        """
        if not self.rule.logs:
            return ends
        if pairs is None:
            return np.exp(ends)
        values = self.values()
        return on_value_scale(ends, *(values[side] for side in sides(pairs)))

    def per_unit(self) -> Floats:
        """(systems, units) the value of each unit on its own."""
        return np.divide(self.top, self.bottom, out=np.zeros_like(self.top), where=self.bottom != 0)

    def linear(self) -> Floats:
        """(systems, units) numbers whose mean is the aggregated value (a geometric mean: its logarithm).

        Where units are of one size these are the values per unit; otherwise the value linearised around its mean, whose
        variance is that of the quotient (the delta method; for means over clusters, the cluster-robust variance).
        """
        if self.rule.totals:
            return self.top * self.units
        quotient = self.top.sum(axis=1, keepdims=True) / self.bottom.sum(axis=1, keepdims=True)
        linear: Floats = quotient + (self.top - quotient * self.bottom) / self.bottom.mean(axis=1, keepdims=True)
        return linear

    @property
    def limits(self) -> tuple[float, float]:
        """Between which the linear numbers lie; infinite where it is not known, or units are of several queries."""
        if self.rule.totals or not (self.bottom == 1).all():
            return -math.inf, math.inf
        low, high = self.bounds
        return (math.log(max(low, GEOMETRIC_FLOOR)), math.log(high)) if self.rule.logs else (low, high)

    @property
    def is_bounded(self) -> bool:
        """Whether the linear numbers lie between known limits."""
        return all(map(math.isfinite, self.limits))

    def on_scale(self) -> Floats:
        """(systems, units) numbers whose mean is the value on its own scale, for margins and differences stated on it.

        A geometric mean is linearised around itself (the delta method).
        """
        linear = self.linear()
        if not self.rule.logs:
            return linear
        value = self.values()[:, None]
        moved: Floats = value * (1 + linear - np.log(value))
        return moved

    def shifted(self, system: int, other: int | None, shift: float, factor: float = 1.0) -> Floats:
        """(units,) numbers whose mean is 0 where the value of a system is that of another (or 0) plus ``shift``.

        With a factor it is so many times the value of the other, which varies with the units too. Those of a geometric
        mean are logarithms, so that a limit is a ratio to the other's value.
        """
        linear = self.linear()
        base = 0.0 if other is None else float(self.values()[other])
        if self.rule.logs:
            shift += (factor - 1) * base
            limit = math.log(max(base + shift, GEOMETRIC_FLOOR))
            shift = limit if other is None else limit - math.log(base)
        moved: Floats = linear[system] - shift
        if other is None:
            return moved
        gaps: Floats = moved - linear[other] * (1.0 if self.rule.logs else factor)
        return gaps

    def flippable(self) -> Floats:
        """(systems, units) numbers with the same mean that two equal systems could exchange unit by unit."""
        if self.rule.totals:
            return self.top * self.units
        scaled: Floats = self.top / self.bottom.mean(axis=1, keepdims=True)
        return scaled


def on_value_scale(ends: float | Floats, value: float | Floats, other: float | Floats) -> Floats:
    """Differences of logarithms as differences of two geometric means, by their logarithmic mean."""
    high, low = (np.maximum(side, GEOMETRIC_FLOOR) for side in (value, other))
    ratio = np.log(high / low)
    mean = np.where(np.abs(ratio) > SAME, (high - low) / np.where(ratio == 0, 1.0, ratio), high)
    return np.asarray(ends * mean)


@dataclass(frozen=True, slots=True)
class Groups:
    """The values of each system's runs, where the runs of one have nothing in common with those of another.

    They are compared as two groups (Welch), never run by run: which run stands beside which is arbitrary. A system with
    one run is taken as a constant.
    """

    runs: tuple[Floats, ...]

    @property
    def units(self) -> int:
        """The smallest number of runs of a system that has several."""
        return min((len(run_values) for run_values in self.runs if len(run_values) > 1), default=1)

    @property
    def smallest_p(self) -> float:
        """The smallest two-sided p-value of any two groups."""
        pairs = [(a, b) for a in range(len(self.runs)) for b in range(a)]
        return float(self.contrasts(pairs).floor.min())

    def values(self) -> Floats:
        """(systems,) the means."""
        return np.array([run_values.mean() for run_values in self.runs])

    def contrasts(self, pairs: Sequence[Pair]) -> Contrasts:
        """The differences of some pairs."""
        return Contrasts.separate(self.runs, pairs)

    spreads = contrasts

    def multiplied(self, system: int, factor: float) -> Groups:
        """The same with the runs of one system so many times as good."""
        return Groups(tuple(runs * factor if place == system else runs for place, runs in enumerate(self.runs)))

    def alone(self) -> Contrasts:
        """The means themselves."""
        nothing = np.zeros(1)
        pairs = [(place, len(self.runs)) for place in range(len(self.runs))]
        return Contrasts.separate((*self.runs, nothing), pairs)

    def back(self, ends: Floats, pairs: Sequence[Pair] | None = None) -> Floats:  # noqa: ARG002  (as of a sample)
        """Values are tested on their own scale."""
        return ends


AnySample = Sample | Groups


def by_units(samples: Sequence[AnySample]) -> dict[int, dict[int, Sample]]:
    """The paired samples, with their numbers, by how many units they have: those share what is drawn at random."""
    members: dict[int, dict[int, Sample]] = {}
    for number, drawn in enumerate(samples):
        if isinstance(drawn, Sample):
            members.setdefault(drawn.units, {})[number] = drawn
    return members


def _gathered(rows: Floats, codes: Ints) -> Floats:
    size = int(codes.max(initial=-1)) + 1
    return np.stack([np.bincount(codes, weights=row, minlength=size) for row in rows])
