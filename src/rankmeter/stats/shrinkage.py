"""Rates of few events, drawn towards the rates of the others: Gamma priors for clicks over what was examined.

Clicks of an item are Poisson with mean ``rate x evidence``; rates vary between items as Gamma(shape, 1 / strength), so
that counts are negative binomial. The prior that makes the counts most likely is taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

Floats = npt.NDArray[np.float64]
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
        return tuple(stats.gamma.ppf(end, clicks + self.shape, scale=scale) for end in (tail, 1 - tail))


def gamma_prior(clicks: Floats, evidence: Floats) -> GammaPrior | None:
    """The prior under which the counts are most likely; None where there are too few, or they do not differ.

    Examples
    --------
    >>> clicks, evidence = [0, 1, 2, 3, 5, 8, 12, 20.0], [6.5, 9, 12, 30, 22, 41, 40, 52.5]
    >>> prior = gamma_prior(np.array(clicks * 3), np.array(evidence * 3))
    >>> round(prior.shape, 3), round(prior.strength, 2)
    (12.881, 57.03)
    """
    if len(clicks) < FEWEST or clicks.sum() == 0:
        return None
    return fitted_prior(clicks, evidence)


def fitted_prior(clicks: Floats, evidence: Floats) -> GammaPrior | None:
    """The most likely prior however few the counts are; None where it is stronger than all evidence together."""
    common = clicks.sum() / evidence.sum()

    def unlikely(logs: Floats) -> float:
        shape, strength = np.exp(logs)
        terms = special.gammaln(clicks + shape) - special.gammaln(shape) + shape * np.log(strength)
        return -float((terms - (clicks + shape) * np.log(evidence + strength)).sum())

    start = np.log([common * np.mean(evidence), np.mean(evidence)])
    best = optimize.minimize(
        unlikely, start, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000}
    )
    shape, strength = np.exp(best.x)
    return (
        None if not math.isfinite(strength) or strength > evidence.sum() else GammaPrior(float(shape), float(strength))
    )


def garwood(clicks: Floats, evidence: Floats, level: float) -> tuple[Floats, Floats]:
    """The exact interval of a Poisson rate; it covers at least as often as it promises."""
    tail = (1 - level) / 2
    low = np.where(clicks > 0, stats.chi2.ppf(tail, 2 * clicks), 0.0) / (2 * evidence)
    high = stats.chi2.ppf(1 - tail, 2 * clicks + 2) / (2 * evidence)
    return np.nan_to_num(low), high
