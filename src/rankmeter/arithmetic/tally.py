"""What some queries add to an aggregated value, in a form that merges exactly, whatever the partitioning.

A sum in floating point depends on the order of its terms. `math.fsum` does not: it rounds the exact sum once. So a
partition hands over its sum as a few numbers whose exact sum is the exact sum of its values (an expansion, as in
Shewchuk's adaptive arithmetic), and one more `fsum` over the numbers of all partitions rounds the same exact sum as one
`fsum` over all values would. It costs two or three passes in C, and two or three numbers for each partition.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.parts import GEOMETRIC_FLOOR, Values, exact_terms
from rankmeter.placing.placements import Floats

MERGEABLE = ("mean", "sum", "geometric", "pooled", "median", "filled")
"""The aggregates that can be put together from parts. A median needs the values themselves: eight bytes a query."""


def exact_sum(values: Floats) -> list[float]:
    """A few numbers whose exact sum is the exact sum of the values, the largest first.

    Each number is what is left after the ones before, rounded; a rest is at most half a unit in the last place of the
    number before it, so there are two or three.

    Examples
    --------
    >>> exact_sum(np.array([0.1] * 10))
    [1.0, 5.55...e-17]
    >>> math.fsum(exact_sum(np.array([1e16, 1.0, -1e16])))
    1.0
    """
    terms = exact_terms(values)
    parts: list[float] = []
    while rest := math.fsum(terms):
        parts.append(rest)
        if not math.isfinite(rest):
            break
        terms.append(-rest)
    return parts


@dataclass(frozen=True, slots=True)
class Tally:
    """What some queries add to the aggregated value of one measure."""

    queries: int
    """How many of them count."""
    above: list[float]
    """The exact sum of their values (of logarithms for a geometric mean, of numerators for a pooled value), or the
    values themselves for a median."""
    below: list[float]
    """The exact sum of their denominators, for a pooled value."""

    @classmethod
    def of(cls, values: Values, aggregate: str) -> Tally:
        """Count and add up the queries that count."""
        counted = values.counted
        queries = int(counted.sum())
        kept = values.value[counted]
        if aggregate == "pooled":
            return cls(queries, exact_sum(values.numerator[counted]), exact_sum(values.denominator[counted]))
        if aggregate == "median":
            return cls(queries, kept.tolist(), [])
        if aggregate == "filled":
            kept = np.nan_to_num(kept, nan=0.0)
        if aggregate == "geometric":
            kept = np.log(np.maximum(kept, GEOMETRIC_FLOOR))
        return cls(queries, exact_sum(kept), [])

    @classmethod
    def merged(cls, tallies: Iterable[Tally]) -> Tally:
        """The tally of all their queries together."""
        every = list(tallies)
        above = [number for tally in every for number in tally.above]
        below = [number for tally in every for number in tally.below]
        return cls(sum(tally.queries for tally in every), above, below)

    def value(self, aggregate: str) -> float:
        """The aggregated value, to the last bit what `aggregated` gives for all values at once."""
        if aggregate == "pooled":
            below = math.fsum(self.below)
            return math.fsum(self.above) / below if below else 0.0 if self.queries else math.nan
        if aggregate == "sum":
            return math.fsum(self.above)
        if not self.queries:
            return math.nan
        if aggregate == "median":
            return float(np.median(self.above))
        mean = math.fsum(self.above) / self.queries
        return math.exp(mean) if aggregate == "geometric" else mean
