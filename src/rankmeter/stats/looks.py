"""When an experiment is looked at, and what each look costs.

One look at the end is decided by Student's t. Who looks as often as they like uses a confidence sequence, whose
p-value is that of a mixture sequential probability ratio test (Johari and others 2017; Waudby-Smith and others 2021).
Who plans a few looks spends the error that is allowed among them (Lan and DeMets 1983).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_level
from rankmeter.late import special
from rankmeter.stats.student import t_quantile

Rule = Literal["once", "always-valid", "obrien-fleming", "pocock"]
RULES: tuple[Rule, ...] = get_args(Rule)

TUNED_FOR = 5000
"""At how many units the always-valid interval is narrowest; the choice of GrowthBook."""
TUNED_AT = 0.05
"""The error for which it is."""
POINTS = 400
"""How finely the paths that have not crossed a boundary are integrated, on each side of 0."""


@dataclass(frozen=True, slots=True)
class Look:
    """The look at hand: how large a standardised difference must be, and how rare one of that size is."""

    level: float = 0.95
    rule: Rule = "once"
    shares: tuple[float, ...] = (1.0,)
    """For planned looks: which share of the planned units there was at each look so far, the last one being now."""

    def __post_init__(self) -> None:
        check_level(self.level)
        grows = all(low < high for low, high in zip((0.0, *self.shares), self.shares, strict=False))
        if not grows or not self.shares or self.shares[-1] > 1:
            raise InputError.of("stats.looks_not_growing", looks=list(self.shares))

    def quantile(self, freedom: float, units: int) -> float:
        """How many standard errors the interval reaches to either side."""
        if self.rule == "once":
            return t_quantile(self.level, freedom)
        if self.rule == "always-valid":
            _, grown = _mixture(units)
            return math.sqrt(2 * (grown + 1) / grown * math.log(math.sqrt(grown + 1) / (1 - self.level)))
        bound = boundaries(self.shares, 1 - self.level, self.rule)[-1]
        return float(special.stdtrit(freedom, special.ndtr(bound))) if math.isfinite(freedom) else bound

    def p(self, statistic: float, freedom: float, units: int) -> float:
        """The p-value of a standardised difference, at this look."""
        nominal = float(2 * special.stdtr(freedom, -abs(statistic)))
        if self.rule == "once" or math.isnan(nominal):
            return nominal
        if self.rule == "always-valid":
            _, grown = _mixture(units)
            return min(1.0, math.sqrt(grown + 1) * math.exp(-(statistic**2) * grown / (2 * (grown + 1))))
        low, high = 1e-12, 1.0
        if len(self.shares) == 1 and self.shares[0] == 1:
            return nominal
        for _ in range(40):  # the smallest error at which this look would have decided
            middle = math.sqrt(low * high)
            decided = replace(self, level=1 - middle).quantile(freedom, units) <= abs(statistic)
            low, high = (low, middle) if decided else (middle, high)
        return high

    def always(self) -> Look:
        """The look of somebody who looks as often as they like."""
        return replace(self, rule="always-valid")


ONCE = Look()
"""One look at the end, at the usual level."""


def _mixture(units: int) -> tuple[float, float]:
    """The scale of the mixture, and units times its square."""
    log = -2 * math.log(TUNED_AT)
    rho = math.sqrt((log + math.log(log + 1)) / TUNED_FOR)
    return rho, max(units, 1) * rho**2


def spent(share: float, error: float, rule: Rule) -> float:
    """How much of the error is spent when a share of the units is there (Lan and DeMets 1983)."""
    normal = NormalDist()
    if rule == "pocock":
        return error * math.log(1 + (math.e - 1) * share)
    return 4 * (1 - normal.cdf(normal.inv_cdf(1 - error / 4) / math.sqrt(share)))


def boundaries(shares: tuple[float, ...], error: float, rule: Rule) -> list[float]:
    """The bound of each look, in standard errors, two-sided (Armitage, McPherson and Rowe 1969).

    Examples
    --------
    >>> [round(bound, 2) for bound in boundaries((0.2, 0.4, 0.6, 0.8, 1.0), 0.05, "obrien-fleming")]
    [4.88, 3.36, 2.68, 2.29, 2.03]
    """
    bounds, before, earlier = [], 0.0, 0.0
    grid, mass = np.zeros(1), np.ones(1)  # where paths stand that have not crossed: before the first look at 0
    for share in shares:
        gone = max(spent(share, error, rule) - before, 1e-15)
        before += gone
        step = share - earlier
        low, high = 0.0, 12.0
        for _ in range(60):
            middle = (low + high) / 2
            edge = middle * math.sqrt(share)
            outside = special.ndtr((-edge - grid) / math.sqrt(step)) + special.ndtr((grid - edge) / math.sqrt(step))
            low, high = (middle, high) if outside @ mass > gone else (low, middle)
        bounds.append(high)
        edge = high * math.sqrt(share)
        wider = np.linspace(-edge, edge, 2 * POINTS + 1)
        density = np.exp(-((wider[:, None] - grid) ** 2) / (2 * step)) @ mass / math.sqrt(2 * math.pi * step)
        widths = np.full(len(wider), wider[1] - wider[0])
        widths[[0, -1]] /= 2  # the trapezoidal rule
        grid, mass, earlier = wider, density * widths, share
    return bounds
