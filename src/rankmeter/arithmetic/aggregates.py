"""How the values of queries become one number, stated once for evaluations, blocks, bootstraps and slices.

An aggregate states what each query adds to a numerator and a denominator (`parts`) and what the two sums are worth
(`value`). The rest follows: an evaluation adds the parts exactly, blocks and processes hand over their sums (`Tally`),
a bootstrap adds the parts of each query as often as it was drawn, a slice adds those of its queries. Medians and the
like are not functions of sums: they need the values.

Sums are exact, whatever their order and partitioning (`rankmeter.arithmetic.exact_sums`); a block hands over an
expansion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rankmeter.arithmetic.exact_sums import expansion, summed
from rankmeter.arithmetic.parts import Values
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats, Ints

GEOMETRIC_FLOOR = 1e-5
"""Values below this count as this in a geometric mean, as in trec_eval's gm_map."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One rule; see the module."""

    name: str
    pools: bool = False
    """Whether queries add their numerators and denominators, not their values."""
    fills: bool = False
    """Whether a value that is not a number counts as 0."""
    logs: bool = False
    """Whether logarithms are added, and the value is the exponential of their mean."""
    totals: bool = False
    """Whether the sum is not divided."""
    of_values: Callable[[Floats, Ints | None], float] | None = None
    """Computes the number from the values themselves, if two sums are not enough."""

    is_average: bool = True
    """Whether it is some average of the values, which tools may call by the name of the measure alone."""

    @property
    def of_sums(self) -> bool:
        """Whether two sums are enough; a median needs the values."""
        return self.of_values is None

    @property
    def nothing(self) -> float:
        """The number where no query counts."""
        return 0.0 if self.totals else math.nan

    def parts(self, values: Values) -> tuple[Floats, Floats]:
        """What each query that counts adds to numerator and denominator.

        The arrays of ``values`` are ``(..., n)``, except ``counted``, which is ``(n,)``.
        """
        if self.pools:
            return values.numerator[..., values.counted], values.denominator[..., values.counted]
        top = values.value if values.counted.all() else values.value[..., values.counted]
        if self.fills:
            top = np.nan_to_num(top, nan=0.0)
        if self.logs:
            top = np.log(np.maximum(top, GEOMETRIC_FLOOR))
        return top, np.broadcast_to(1.0, top.shape)

    def value(self, top: Any, bottom: Any) -> Any:
        """The value of the sums of the parts, numbers or arrays; 0 if the denominator is 0."""
        if self.totals:
            return top
        if isinstance(top, float):
            quotient: Any = top / bottom if bottom else 0.0
            return math.exp(quotient) if self.logs else quotient
        quotient = np.divide(top, bottom, out=np.zeros(np.broadcast(top, bottom).shape), where=bottom != 0)
        return np.exp(quotient) if self.logs else quotient


def quantile(share: float) -> Callable[[Floats, Ints | None], float]:
    """A function that computes a quantile, with linear interpolation.

    With ``times`` it is that of ``np.repeat(values, times)``, without repeating anything.
    """

    def of(values: Floats, times: Ints | None = None) -> float:
        if times is None:
            return float(np.quantile(values, share)) if share != 0.5 else float(np.median(values))
        order = np.argsort(values)  # NaN comes last
        upto = np.cumsum(times[order])
        if math.isnan(values[order[-1]]):
            return math.nan
        place = share * (int(upto[-1]) - 1)
        around = [math.floor(place), math.ceil(place)]
        low, high = map(float, values[order[np.searchsorted(upto, around, side="right")]])
        return (low + high) / 2 if share == 0.5 else low + (high - low) * (place - around[0])

    return of


def variance(values: Floats, times: Ints | None = None) -> float:
    """The mean of the squared distances from the mean (the population's, not a sample's)."""
    many = len(values) if times is None else int(times.sum())
    mean = summed(values, times) / many
    return float(summed((values - mean) ** 2, times) / many)


AGGREGATES = {
    rule.name: rule
    for rule in (
        Aggregate("mean"),
        Aggregate("geometric", logs=True),
        Aggregate("sum", totals=True),
        Aggregate("pooled", pools=True),
        Aggregate("median", of_values=quantile(0.5)),
        Aggregate("p90", of_values=quantile(0.9), is_average=False),
        Aggregate("variance", of_values=variance, is_average=False),
        Aggregate("filled", fills=True),
    )
}
"""The rules by name. Measures of all lists ("whole") have none: they are not made of values of queries."""


def aggregated(values: Values, aggregate: str, times: Ints | None = None) -> float:
    """One number for all queries that count, by the rule of this name; with ``times`` each stands for so many queries.

    Sums are exact (as in ``math.fsum``), so that no partitioning of the queries changes a digit.
    """
    rule = AGGREGATES[aggregate]
    top, bottom = rule.parts(values)
    if not len(top):
        return rule.nothing
    if times is not None:
        times = times[values.counted]
    if rule.of_values is not None:
        return rule.of_values(top, times)
    queries = len(top) if times is None else int(times.sum())
    return float(rule.value(summed(top, times), summed(bottom, times) if rule.pools else queries))


@dataclass(frozen=True, slots=True)
class Tally:
    """What a block of queries adds to the aggregated value of one measure, in a form that merges exactly."""

    queries: int
    """How many of them count."""
    above: list[float]
    """The exact sum of their numerators, as an expansion; for a median the values themselves."""
    below: list[float]
    """The exact sum of their denominators, if that is not the number of queries."""

    @classmethod
    def of(cls, values: Values, aggregate: str) -> Tally:
        """The tally of the queries that count."""
        rule = AGGREGATES[aggregate]
        top, bottom = rule.parts(values)
        above = expansion(top) if rule.of_sums else top.tolist()
        return cls(len(top), above, expansion(bottom) if rule.pools else [])

    @classmethod
    def merged(cls, tallies: Iterable[Tally]) -> Tally:
        """The tally of all their queries together."""
        together = list(tallies)
        above = [number for tally in together for number in tally.above]
        below = [number for tally in together for number in tally.below]
        return cls(sum(tally.queries for tally in together), above, below)

    def value(self, aggregate: str) -> float:
        """The aggregated value, to the last bit that of `aggregated` for all values at once."""
        rule = AGGREGATES[aggregate]
        if not self.queries:
            return rule.nothing
        if rule.of_values is not None:
            return rule.of_values(np.array(self.above), None)
        return float(rule.value(math.fsum(self.above), math.fsum(self.below) if rule.pools else self.queries))
