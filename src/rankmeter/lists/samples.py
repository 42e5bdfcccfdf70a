"""What every query adds to the value of its slice, so that queries can be drawn again.

Both kinds of sample say what is added up (:meth:`columns`) and make of the sums the value of every slice, then that of
everything outside of it (:meth:`statistic`); the bootstrap needs to know no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.arithmetic.parts import Values
from rankmeter.arithmetic.slates import FROM_SUMS, Whole
from rankmeter.measures import Measure
from rankmeter.placing.placements import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Sample:
    """For a mean or a quotient of sums: what every query adds above and below the line; both ``(slices, n)``."""

    above: Floats
    below: Floats

    def used(self) -> Bools:
        """(n,) the queries that count in any slice."""
        return np.asarray((self.below != 0).any(axis=0))

    def members(self) -> Ints:
        """(slices,) how many queries count in each."""
        return np.asarray(np.count_nonzero(self.below, axis=1))

    def width(self) -> int:
        """How many columns there are."""
        return 4 * len(self.above)

    def columns(self) -> Floats:
        """(n, 4 slices) above and below the line, of each slice and of the rest."""
        rest = _others(len(self.above))
        return np.vstack([self.above, rest @ self.above, self.below, rest @ self.below]).T

    def statistic(self, sums: Floats) -> Floats:
        """``(..., 4 slices) -> (..., 2 slices)`` the value of each slice, then of each rest."""
        above, below = np.split(sums, 2, axis=-1)
        return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


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

    def width(self) -> int:
        """How many columns there are."""
        return self.slices * int(self.parts.shape[1])

    def columns(self) -> Floats:
        """(n, slices m) the parts of each query, in the columns of its slice."""
        inside = self.code[:, None] == np.arange(self.slices)
        return np.asarray((inside[:, :, None] * self.parts[:, None, :]).reshape(len(self.parts), -1))

    def statistic(self, sums: Floats) -> Floats:
        """``(..., slices m) -> (..., 2 slices)`` the value of each slice, then of each rest."""
        own = sums.reshape(*sums.shape[:-1], self.slices, -1)
        both = np.concatenate([own, _others(self.slices) @ own], axis=-2)
        found: Floats = FROM_SUMS[type(self.measure).name](both, self.constants, self.measure)
        return np.where((both != 0).any(axis=-1), found, np.nan)


def _others(slices: int) -> Floats:
    """(slices, slices) adds up all slices but one."""
    return np.ones((slices, slices)) - np.eye(slices)


def sample_of(values: Values, code: Ints, slices: int, aggregate: str) -> Sample | None:
    """What every query adds to its slice; None where the aggregate is no quotient of sums."""
    if aggregate not in ("mean", "pooled"):
        return None
    inside = values.counted & (np.arange(slices)[:, None] == code)
    return _sample(values, inside, aggregate)


def stacked_sample(rows: list[Values], aggregate: str) -> Sample | None:
    """The same where a query can be in several slices: its values in each."""
    if aggregate not in ("mean", "pooled"):
        return None
    each = [_sample(values, values.counted[None], aggregate) for values in rows]
    return Sample(np.vstack([one.above for one in each]), np.vstack([one.below for one in each]))


def _sample(values: Values, inside: Any, aggregate: str) -> Sample:
    above = values.numerator if aggregate == "pooled" else values.value
    below = values.denominator if aggregate == "pooled" else np.ones(len(above))
    return Sample(np.where(inside, above, 0.0), np.where(inside, below, 0.0))


def sum_sample(measure: Measure, whole: Whole | None, counted: Bools, code: Ints, slices: int) -> SumSample | None:
    """The sample of a measure of all lists; None where it is no function of sums over queries."""
    if whole is None or whole.parts is None or whole.constants is None:
        return None
    every = np.zeros((len(counted), whole.parts.shape[1]))
    every[counted] = whole.parts
    return SumSample(every, whole.constants, np.where(counted, code, -1), slices, measure)
