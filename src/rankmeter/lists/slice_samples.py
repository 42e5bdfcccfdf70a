"""What every query adds to the value of its slice, so that chance can be asked about it.

A sample of sums says what is added up (:meth:`SumSample.columns`) and makes of the sums the value of every slice, then
that of everything outside of it (:meth:`SumSample.statistic`); the bootstrap needs to know no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES, Aggregate
from rankmeter.arithmetic.parts import Values
from rankmeter.arithmetic.slates import Whole, values_from_sums
from rankmeter.measures import Measure
from rankmeter.placing.placements import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class PartsSample:
    """For a function of two sums, such as a mean: what every query adds to each slice; all ``(slices, n)``."""

    top: Floats
    bottom: Floats
    inside: Bools
    """Whether a query counts in a slice."""
    rule: Aggregate

    def used(self) -> Bools:
        """(n,) the queries that count in any slice."""
        return np.asarray(self.inside.any(axis=0))

    def members(self) -> Ints:
        """(slices,) how many queries count in each."""
        return np.asarray(self.inside.sum(axis=1))


@dataclass(frozen=True, slots=True)
class SumSample:
    """For a function of sums over queries, such as the exposure of a group."""

    parts: Floats
    """(n, m) what each query adds to the m sums."""
    constants: Floats
    code: Ints
    """(n,) the slice of each query."""
    slices: int
    measure: Measure

    def used(self) -> Bools:
        """(n,) the queries that count in any slice."""
        return np.asarray((self.code >= 0) & (self.code < self.slices))

    def members(self) -> Ints:
        """(slices,) how many queries count in each."""
        return np.bincount(self.code[self.used()], minlength=self.slices)

    def columns(self) -> Floats:
        """(n, slices m) the parts of each query, in the columns of its slice."""
        inside = self.code[:, None] == np.arange(self.slices)
        return np.asarray((inside[:, :, None] * self.parts[:, None, :]).reshape(len(self.parts), -1))

    def statistic(self, sums: Floats) -> Floats:
        """``(..., slices m) -> (..., 2 slices)`` the value of each slice, then of each rest."""
        own = sums.reshape(*sums.shape[:-1], self.slices, -1)
        others = np.ones((self.slices, self.slices)) - np.eye(self.slices)  # adds up all slices but one
        both = np.concatenate([own, others @ own], axis=-2)
        values = values_from_sums(both, self.constants, self.measure)
        return np.where((both != 0).any(axis=-1), values, np.nan)


def parts_sample(rows: Sequence[Values], aggregate: str) -> PartsSample | None:
    """What every query adds to each slice by its values there; None where the aggregate is not a function of sums."""
    rule = AGGREGATES[aggregate]
    if not rule.of_sums:
        return None
    inside = np.stack([values.counted for values in rows])
    top, bottom = np.zeros(inside.shape), np.zeros(inside.shape)
    for place, values in enumerate(rows):
        top[place, values.counted], bottom[place, values.counted] = rule.parts(values)
    return PartsSample(top, bottom, inside, rule)


def sum_sample(measure: Measure, whole: Whole | None, counted: Bools, code: Ints, slices: int) -> SumSample | None:
    """The sample of a measure of all lists; None where it is not a function of sums over queries."""
    if whole is None or whole.parts is None or whole.constants is None:
        return None
    every = np.zeros((len(counted), whole.parts.shape[1]))
    every[counted] = whole.parts
    return SumSample(every, whole.constants, np.where(counted, code, -1), slices, measure)
