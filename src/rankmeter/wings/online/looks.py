"""What a look at an experiment costs: how large a standardised difference must be, and how rare one of that size is.

One look at the end is decided by Student's t. Who looks as often as they like uses a confidence sequence, whose
p-value is that of a mixture sequential probability ratio test (Johari and others 2017; Waudby-Smith and others 2021).
Who plans a few looks spends the error that is allowed among them (Lan and DeMets 1983). Everything that is concluded
from an experiment follows the same rule: differences, margins of guardrails, interactions, the sample ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Literal, get_args

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
RATIO_TUNED_FOR = 10_000
"""The concentration of the prior of the always-valid test of the sample ratio (Lindon and Malek 2022)."""
LEAST_ERROR = 1e-12
"""The smallest p-value of a planned look."""
POINTS = 16
"""On how many points, at least, the paths that have not crossed a boundary are integrated, on one side of 0."""


@dataclass(frozen=True, slots=True)
class Look:
    """The look at hand."""

    level: float = 0.95
    rule: Rule = "once"
    shares: tuple[float, ...] = (1.0,)
    """For planned looks: which share of the planned units there was at each look so far, the last one being now."""
    evidence: Literal["growing", "moving"] = "growing"
    """Whether a look sees all that the ones before saw, or something else, as the second half of the days so far; then
    the chances to err at planned looks are added up, which holds however the looks depend on each other."""

    def __post_init__(self) -> None:
        check_level(self.level)
        grows = all(low < high for low, high in zip((0.0, *self.shares), self.shares, strict=False))
        if not grows or not self.shares or self.shares[-1] > 1:
            raise InputError.of("online.looks_not_growing", looks=list(self.shares))

    def quantile(self, freedom: float, units: int) -> float:
        """How many standard errors the interval reaches to either side."""
        if self.rule == "once":
            return t_quantile(self.level, freedom) if math.isfinite(freedom) else normal_quantile(self.level)
        if self.rule == "always-valid":
            grown = _mixture(units)
            return math.sqrt(2 * (grown + 1) / grown * math.log(math.sqrt(grown + 1) / (1 - self.level)))
        bound = float(-special.ndtri(self._allowed(1 - self.level) / 2))
        return float(special.stdtrit(freedom, special.ndtr(bound))) if math.isfinite(freedom) else bound

    def p(self, statistic: float, freedom: float, units: int) -> float:
        """The two-sided p-value of a standardised difference, at this look."""
        nominal = float(2 * special.stdtr(freedom, -abs(statistic)))
        if self.rule == "once" or math.isnan(nominal):
            return nominal
        if self.rule == "always-valid":
            return _mixed(statistic**2, 1, units)
        return self.after_planned(nominal)

    def one_sided(self, statistic: float, freedom: float, units: int) -> float:
        """The p-value of a difference of 0 or less: half of the two-sided one, so that interval and test agree."""
        if self.rule == "once":
            return float(special.stdtr(freedom, -statistic))
        half = self.p(statistic, freedom, units) / 2
        return half if statistic > 0 else 1 - half

    def several(self, statistic: float, freedom: int, units: int) -> float:
        """The p-value of a sum of squares of so many independent standardised differences."""
        nominal = float(special.chdtrc(freedom, statistic))
        if self.rule == "once" or math.isnan(nominal):
            return nominal
        if self.rule == "always-valid":
            return _mixed(statistic, freedom, units)
        look = self if freedom == 1 else self.moving()
        return look.after_planned(nominal)

    def sample_ratio(self, counts: Sequence[int], shares: Sequence[float]) -> float:
        """The p-value of an always-valid test of the ratio in which units were split (Lindon and Malek 2022).

        One over the evidence of all other splits, weighted by a Dirichlet prior around the one that was meant, against
        that one.
        """
        n, prior = np.array(counts, float), RATIO_TUNED_FOR * np.array(shares, float) / math.fsum(shares)
        log = special.gammaln(prior.sum()) - special.gammaln(prior.sum() + n.sum())
        log += float((special.gammaln(prior + n) - special.gammaln(prior)).sum())
        log -= float((n * np.log(prior / prior.sum())).sum())
        return min(1.0, math.exp(-min(log, 700.0)))

    def always(self) -> Look:
        """The look of somebody who looks as often as they like."""
        return replace(self, rule="always-valid")

    def moving(self) -> Look:
        """The look at something that the looks before did not see."""
        return replace(self, evidence="moving")

    def after_planned(self, nominal: float) -> float:
        """The smallest error at which this planned look would have decided, of a plain two-sided p-value."""
        if len(self.shares) == 1 and self.shares[0] == 1:
            return nominal
        return _smallest(self._allowed, nominal)

    def _allowed(self, error: float) -> float:
        """The plain two-sided p-value that decides at this planned look."""
        if self.evidence == "growing":
            return float(2 * special.ndtr(-boundaries(self.shares, error, self.rule)[-1]))
        before = spent(self.shares[-2], error, self.rule) if len(self.shares) > 1 else 0.0
        return max(spent(self.shares[-1], error, self.rule) - before, 1e-15)


ONCE = Look()
"""One look at the end, at the usual level."""


def normal_quantile(level: float) -> float:
    """The normal quantile of a two-sided level."""
    return NormalDist().inv_cdf((1 + level) / 2)


def _mixture(units: int) -> float:
    """The squared scale of the mixture times the units."""
    log = -2 * math.log(TUNED_AT)
    return max(units, 1) * (log + math.log(log + 1)) / TUNED_FOR


def _mixed(squares: float, freedom: int, units: int) -> float:
    """One over the likelihood ratio of a normal mixture around 0 in so many dimensions."""
    grown = _mixture(units)
    return min(1.0, math.sqrt(grown + 1) ** freedom * math.exp(-squares * grown / (2 * (grown + 1))))


def _smallest(allowed: Callable[[float], float], nominal: float) -> float:
    """The error at which the plain p-value that is allowed, which grows with it, is ``nominal``.

    On logarithms the two are nearly proportional, so that a handful of secants is enough.
    """
    least, target = math.log(LEAST_ERROR), math.log(max(nominal, 1e-300))

    def gap(log: float) -> float:
        return math.log(max(allowed(math.exp(log)), 1e-300)) - target

    low, high = least, 0.0
    log = min(max(target, least), 0.0)
    slope, last, before = 1.0, math.nan, math.nan
    for _ in range(60):
        here = gap(log)
        if abs(here) < 1e-7 or high - low < 1e-12:
            break
        if (here < 0 and log == 0.0) or (here > 0 and log == least):
            break
        low, high = (log, high) if here < 0 else (low, log)
        if not math.isnan(last) and log != before and here != last:
            slope = (here - last) / (log - before)
        last, before = here, log
        aim = log - here / slope
        log = min(max(aim, least), 0.0) if low < aim < high or {low, high} & {least, 0.0} else (low + high) / 2
        if log in (low, high) and log not in (least, 0.0):
            log = (low + high) / 2
    return math.exp(log)


def spent(share: float, error: float, rule: Rule) -> float:
    """How much of the error is spent when a share of the units is there (Lan and DeMets 1983)."""
    normal = NormalDist()
    if rule == "pocock":
        return error * math.log(1 + (math.e - 1) * share)
    return 4 * (1 - normal.cdf(normal.inv_cdf(1 - error / 4) / math.sqrt(share)))


@lru_cache(maxsize=1024)
def boundaries(shares: tuple[float, ...], error: float, rule: Rule) -> tuple[float, ...]:
    """The bound of each look, in standard errors, two-sided (Armitage, McPherson and Rowe 1969).

    Paths that have not crossed are as likely above 0 as below: what is known of them stands on Gaussian nodes above.
    """
    bounds: list[float] = []
    before, earlier = 0.0, 0.0
    grid, mass = np.zeros(1), np.ones(1)
    for place, share in enumerate(shares):
        gone = max(spent(share, error, rule) - before, 1e-15)
        before += gone
        step, scale = math.sqrt(share - earlier), math.sqrt(share)
        edge = scale * _bound(gone, grid, mass, scale, step)
        bounds.append(edge / scale)
        if place + 1 == len(shares):
            break
        narrow = min(step, math.sqrt(shares[place + 1] - share))
        nodes, weights = _nodes(POINTS * (1 + math.ceil(min(800.0, 2 * edge / narrow) / POINTS)))
        wider = edge * nodes
        density = np.exp(-(((wider[:, None] - grid) / step) ** 2) / 2) + np.exp(
            -(((wider[:, None] + grid) / step) ** 2) / 2
        )
        grid, mass, earlier = wider, edge * weights * (density @ mass) / (step * math.sqrt(2 * math.pi)), share
        if place == 0:
            mass /= 2  # 0 is its own mirror image
    return tuple(bounds)


def _bound(gone: float, grid: Any, mass: Any, scale: float, step: float) -> float:
    """The bound, in standard errors, that a share ``gone`` of all paths crosses.

    The logarithm of that share falls ever faster as the bound grows, so that Newton's steps reach it from above.
    """
    bound = float(-special.ndtri(min(gone, 1.0) / 2))
    weight = mass if len(grid) == 1 else 2 * mass
    for _ in range(50):
        far, near = (-bound * scale - grid) / step, (grid - bound * scale) / step
        outside = float((special.ndtr(far) + special.ndtr(near)) @ weight)
        slope = float((np.exp(-(far**2) / 2) + np.exp(-(near**2) / 2)) @ weight) * scale / step / math.sqrt(2 * math.pi)
        if outside <= 0 or slope <= 0:
            bound /= 2
            continue
        moved = outside / slope * math.log(outside / gone)
        bound = max(bound + moved, bound / 4)
        if abs(moved) < 1e-10:
            break
    return bound


@lru_cache(maxsize=256)
def _nodes(count: int) -> tuple[Any, Any]:
    """Gaussian nodes between 0 and 1, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2
