"""What is resampled: for one measure, the values of all systems, gathered into units (a query, a user, a run)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES, GEOMETRIC_FLOOR, Aggregate
from rankmeter.arithmetic.parts import Values
from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.student import SAME, Contrasts, Pair, sides

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

    @classmethod
    def of_values(cls, values: Floats) -> Sample:
        """Values per unit, ``(systems, units)``, that are averaged."""
        return cls(values, np.ones_like(values), AGGREGATES["mean"])

    @classmethod
    def of_queries(cls, values: Values, unit: Ints, aggregate: str) -> Sample:
        """Gather ``(systems, queries)`` values into units, by the ``(queries,)`` number of each query's unit.

        A query counts only if it counts for every system.
        """
        rule = AGGREGATES[aggregate]
        codes = np.unique(unit[values.counted], return_inverse=True)[1]
        top, bottom = (_gathered(part, codes) for part in rule.parts(values))
        return cls(top, bottom, rule)

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

    def shifted(self, system: int, other: int | None, shift: float) -> Floats:
        """(units,) numbers whose mean is 0 where the value of a system is that of another (or 0) plus ``shift``.

        Those of a geometric mean are logarithms, so that a limit is a ratio to the other's value.
        """
        linear = self.linear()
        base = 0.0 if other is None else float(self.values()[other])
        if self.rule.logs:
            limit = math.log(max(base + shift, GEOMETRIC_FLOOR))
            shift = limit if other is None else limit - math.log(base)
        moved: Floats = linear[system] - shift
        return moved if other is None else moved - linear[other]

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
