"""Rates of few events, drawn towards the rates of the others: Gamma priors for clicks over what was examined.

Clicks of an item are Poisson with mean ``rate x evidence``; rates vary between items as Gamma(shape, 1 / strength), so
that counts are negative binomial. Clicks of a number of showings are binomial; rates vary as Beta. The prior that makes
the counts most likely is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankmeter.late import optimize, special
from rankmeter.placing.placements import Floats

FEWEST = 20
"""With fewer rates there is too little to tell how much they vary."""


@dataclass(frozen=True, slots=True)
class GammaPrior:
    """How rates vary: Gamma with this shape and this strength (the evidence that the prior is worth)."""

    shape: float
    strength: float

    def mean(self, clicks: Floats, evidence: Floats) -> Floats:
        """The rate of each item after its own clicks."""
        return np.asarray((clicks + self.shape) / (evidence + self.strength))

    def interval(self, clicks: Floats, evidence: Floats, level: float) -> tuple[Floats, Floats]:
        """Between which rates each item is."""
        tail, scale = (1 - level) / 2, 1 / (evidence + self.strength)
        return tuple(special.gammaincinv(clicks + self.shape, end) * scale for end in (tail, 1 - tail))


@dataclass(frozen=True, slots=True)
class BetaPrior:
    """How shares vary: Beta, worth this many clicks and this many showings without one."""

    clicks: float
    misses: float

    def mean(self, clicks: Floats, evidence: Floats) -> Floats:
        """The rate of each item after its own clicks."""
        return np.asarray((clicks + self.clicks) / (evidence + self.clicks + self.misses))

    def interval(self, clicks: Floats, evidence: Floats, level: float) -> tuple[Floats, Floats]:
        """Between which rates each item is."""
        tail, missed = (1 - level) / 2, evidence - clicks + self.misses
        return tuple(special.betaincinv(clicks + self.clicks, missed, end) for end in (tail, 1 - tail))


Prior = GammaPrior | BetaPrior


def has_enough(clicks: Floats) -> bool:
    """Whether a prior can be told from these counts: there are enough of them, and a click."""
    return len(clicks) >= FEWEST and clicks.sum() > 0


def gamma_prior(clicks: Floats, evidence: Floats) -> GammaPrior | None:
    """The prior under which the counts are most likely; None where it is stronger than all evidence together.

    Examples
    --------
    >>> clicks, evidence = [0, 1, 2, 3, 5, 8, 12, 20.0], [6.5, 9, 12, 30, 22, 41, 40, 52.5]
    >>> prior = gamma_prior(np.array(clicks), np.array(evidence))
    >>> round(prior.shape, 3), round(prior.strength, 2)
    (12.881, 57.03)
    """

    def likely(shape: float, strength: float) -> Floats:
        terms = special.gammaln(clicks + shape) - special.gammaln(shape) + shape * np.log(strength)
        return np.asarray(terms - (clicks + shape) * np.log(evidence + strength))

    mean = float(np.mean(evidence))
    shape, strength = _most_likely(likely, clicks.sum() / evidence.sum() * mean, mean)
    return GammaPrior(shape, strength) if strength <= evidence.sum() else None


def beta_prior(clicks: Floats, shown: Floats) -> BetaPrior | None:
    """The prior under which shares of clicks among showings are most likely; None as for :func:`gamma_prior`.

    >>> clicks, shown = [0, 1, 2, 3, 5, 8, 12, 20.0], [10, 12, 20, 40, 40, 50, 60, 60.0]
    >>> prior = beta_prior(np.array(clicks), np.array(shown))
    >>> round(prior.clicks, 3), round(prior.misses, 2)
    (4.544, 24.42)
    """

    def likely(yes: float, no: float) -> Floats:
        return np.asarray(special.betaln(clicks + yes, shown - clicks + no) - special.betaln(yes, no))

    common, mean = clicks.sum() / shown.sum(), float(np.mean(shown))
    yes, no = _most_likely(likely, max(common * mean, 1e-3), max((1 - common) * mean, 1e-3))
    return BetaPrior(yes, no) if yes + no <= shown.sum() else None


def _most_likely(likely: Callable[[float, float], Floats], *start: float) -> tuple[float, float]:
    """The two numbers above 0 under which the counts are most likely, from the logarithm of how likely each is."""
    options = {"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000}
    with np.errstate(all="ignore"):
        best = optimize.minimize(
            lambda logs: -float(likely(*np.exp(logs)).sum()), np.log(start), method="Nelder-Mead", options=options
        )
        first, second = np.exp(best.x)
    return float(first), float(second)


def garwood(clicks: Floats, evidence: Floats, level: float) -> tuple[Floats, Floats]:
    """The exact interval of a Poisson rate; it covers at least as often as it promises."""
    tail = (1 - level) / 2
    low = np.where(clicks > 0, special.gammaincinv(clicks, tail), 0.0) / evidence
    high = special.gammaincinv(clicks + 1, 1 - tail) / evidence
    return np.nan_to_num(low), high


def clopper_pearson(clicks: Floats, shown: Floats, level: float) -> tuple[Floats, Floats]:
    """The exact interval of a share; it covers at least as often as it promises."""
    tail = (1 - level) / 2
    low = np.where(clicks > 0, special.betaincinv(clicks, shown - clicks + 1, tail), 0.0)
    high = np.where(clicks < shown, special.betaincinv(clicks + 1, shown - clicks, 1 - tail), 1.0)
    return np.nan_to_num(low), np.nan_to_num(high, nan=1.0)
