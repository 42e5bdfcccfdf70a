"""What is resampled: for one measure, the values of all systems, gathered into units (a query, a user, a run)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.parts import GEOMETRIC_FLOOR
from rankmeter.placing.placements import Bools, Floats, Ints

UNTESTED = ("median", "whole")
"""Aggregates that have no paired test here: a median is no mean over queries, a whole has one value for all lists."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Sums over units: the aggregated value of a system is the sum of its ``top`` over the sum of its ``bottom``.

    For a mean over queries ``top`` adds the values of a unit's queries and ``bottom`` counts them. For a pooled value
    they are numerators and denominators; for a geometric mean ``top`` adds logarithms. Every unit has a ``bottom``
    above 0 for at least one system.
    """

    top: Floats
    """(systems, units)."""
    bottom: Floats
    """(systems, units)."""
    aggregate: str

    @property
    def units(self) -> int:
        """How many units there are."""
        return int(self.top.shape[1])

    def values(self) -> Floats:
        """(systems,) the aggregated values."""
        return self.value_of(self.top.sum(axis=1), self.bottom.sum(axis=1))

    def value_of(self, top: Floats, bottom: Floats) -> Floats:
        """The aggregated value of summed tops and bottoms."""
        quotient = np.divide(top, bottom, out=np.zeros(np.broadcast(top, bottom).shape), where=bottom != 0)
        return np.exp(quotient) if self.aggregate == "geometric" else quotient

    def per_unit(self) -> Floats:
        """(systems, units) the value of each unit on its own."""
        return np.divide(self.top, self.bottom, out=np.zeros_like(self.top), where=self.bottom != 0)

    def linear(self) -> Floats:
        """(systems, units) numbers whose mean is the aggregated value (a geometric mean: its logarithm).

        Where units are of one size these are the values per unit; otherwise the value linearised around its mean, whose
        variance is that of the quotient (the delta method; for means over clusters, the cluster-robust variance).
        """
        quotient = self.top.sum(axis=1, keepdims=True) / self.bottom.sum(axis=1, keepdims=True)
        linear: Floats = quotient + (self.top - quotient * self.bottom) / self.bottom.mean(axis=1, keepdims=True)
        return linear

    def on_scale(self) -> Floats:
        """(systems, units) the same on the scale of the value, for margins and differences that are stated on it.

        A geometric mean is linearised around itself (the delta method).
        """
        linear = self.linear()
        if self.aggregate != "geometric":
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
        if self.aggregate == "geometric":
            limit = math.log(max(base + shift, GEOMETRIC_FLOOR))
            shift = limit if other is None else limit - math.log(base)
        moved: Floats = linear[system] - shift
        return moved if other is None else moved - linear[other]

    def flippable(self) -> Floats:
        """(systems, units) numbers whose mean is the same, and that two equal systems could exchange unit by unit."""
        scaled: Floats = self.top / self.bottom.mean(axis=1, keepdims=True)
        return scaled


def sample(value: Floats, numerator: Floats, denominator: Floats, paired: Bools, unit: Ints, aggregate: str) -> Sample:
    """Gather values per query, each ``(systems, queries)``, into units.

    Parameters
    ----------
    paired
        (queries,) which queries count for every system.
    unit
        (queries,) the number of the unit of each query.
    """
    codes = np.unique(unit[paired], return_inverse=True)[1]
    if aggregate == "pooled":
        top, bottom = numerator[:, paired], denominator[:, paired]
    else:
        top = value[:, paired]
        if aggregate == "geometric":
            top = np.log(np.maximum(top, GEOMETRIC_FLOOR))
        elif aggregate == "sum":
            top = top * paired.sum()
        bottom = np.ones_like(top)
    if len(codes) == int(codes.max(initial=-1)) + 1:
        return Sample(np.ascontiguousarray(top), np.ascontiguousarray(bottom), aggregate)
    return Sample(_gathered(top, codes), _gathered(bottom, codes), aggregate)


def _gathered(rows: Floats, codes: Ints) -> Floats:
    size = int(codes.max(initial=-1)) + 1
    return np.stack([np.bincount(codes, weights=row, minlength=size) for row in rows])
