"""What is resampled: for one measure, the values of all systems, gathered into units (a query, a user, a run)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES, GEOMETRIC_FLOOR, Aggregate
from rankmeter.arithmetic.parts import Values
from rankmeter.placing.placements import Floats, Ints

UNTESTED = ("median", "whole")
"""Aggregates that have no paired test here: a median is no mean over queries, a whole has one value for all lists."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What the queries of each unit add above and below the line, as the aggregate says, for every system.

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

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.top.shape[1])

    def values(self) -> Floats:
        """(systems,) the aggregated values."""
        values: Floats = self.rule.value(self.top.sum(axis=1), self.bottom.sum(axis=1))
        return values

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
        """(systems, units) the same on the scale of the value, for margins and differences that are stated on it.

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
        """(systems, units) numbers whose mean is the same, and that two equal systems could exchange unit by unit."""
        if self.rule.totals:
            return self.top * self.units
        scaled: Floats = self.top / self.bottom.mean(axis=1, keepdims=True)
        return scaled


def sample(values: Values, unit: Ints, aggregate: str) -> Sample:
    """Gather what queries add into units.

    Parameters
    ----------
    values
        ``(systems, queries)``; those queries count that count for every system.
    unit
        (queries,) the number of the unit of each query.
    """
    rule = AGGREGATES[aggregate]
    top, bottom = rule.parts(values)
    codes = np.unique(unit[values.counted], return_inverse=True)[1]
    if len(codes) == int(codes.max(initial=-1)) + 1:
        return Sample(np.ascontiguousarray(top), np.ascontiguousarray(bottom), rule)
    return Sample(_gathered(top, codes), _gathered(bottom, codes), rule)


def _gathered(rows: Floats, codes: Ints) -> Floats:
    size = int(codes.max(initial=-1)) + 1
    return np.stack([np.bincount(codes, weights=row, minlength=size) for row in rows])
