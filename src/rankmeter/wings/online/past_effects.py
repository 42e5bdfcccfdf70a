"""What past experiments say of the next one: effects pulled towards those that a team usually has.

Most changes do little, so that the largest of many effects was also lucky. A normal prior is estimated from past
experiments: their mean, and how far true effects spread beyond chance. Neither is quite known, so all are weighed by
how well they explain the experiments (a flat prior on both). What comes out stands beside the plain estimate, never
instead of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rankmeter.errors import InputError, check_level, check_number, check_positive
from rankmeter.late import special
from rankmeter.placing.placements import Floats

GRID = 400
"""How many standard deviations of true effects are weighed."""
FEWEST_PAST = 8
"""With fewer past experiments nothing is known of how effects spread."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """An effect as it was measured, and what past experiments make of it."""

    plain: float
    plain_low: float
    plain_high: float
    value: float
    """Between the plain effect and what is usual, the nearer to the latter the less sure the plain one is."""
    low: float
    high: float
    chance_above_zero: float
    """How likely the effect is above 0, given the past ones."""
    kept: float
    """How much of the distance from the usual effect is kept: 1 all, 0 none."""
    usual: float
    """The mean of past effects."""
    spread: float
    """The standard deviation of true effects, without what chance adds, as far as it is known."""
    past: int
    level: float


def shrunk(effect: float, error: float, past: Sequence[tuple[float, float]], *, level: float = 0.95) -> Shrunk:
    """An effect beside what it becomes with a prior estimated from past experiments.

    Parameters
    ----------
    effect, error
        What this experiment measured, best as a share of the control, and its standard error.
    past
        The effects and standard errors of all past experiments of the kind, not of those that were shipped only: those
        would make the usual effect look large.
    level
        Of both intervals. That of the shrunk effect reckons with what is not known of the prior.

    Examples
    --------
    >>> from rankmeter.online import shrunk
    >>> past = [(0.004, 0.01), (-0.012, 0.01), (0.021, 0.01), (0.0, 0.012), (-0.006, 0.008), (0.013, 0.01)]
    >>> past += [(0.002, 0.01), (-0.018, 0.011), (0.009, 0.01), (0.001, 0.009)]
    >>> found = shrunk(0.03, 0.012, past)
    >>> found.plain, round(found.value, 4), round(found.spread, 4)
    (0.03, 0.0126, 0.0092)
    """
    own, wide = check_number("effect", effect), check_positive("error", error, 0.01)
    check_level(level)
    if len(past) < FEWEST_PAST:
        raise InputError.of("online.few_past", count=len(past), fewest=FEWEST_PAST)
    effects = np.array([check_number("a past effect", one) for one, _ in past])
    variances = np.array([check_positive("error", each, 0.01) ** 2 for _, each in past])
    spreads = np.linspace(0.0, 2 * float(np.ptp([*effects, own])) + float(np.sqrt(variances.max())), GRID)
    weights = 1 / (variances + spreads[:, None] ** 2)
    total = weights.sum(axis=1)
    usual, unsure = weights @ effects / total, 1 / total
    gaps = (weights * (effects - usual[:, None]) ** 2).sum(axis=1)
    around = wide**2 + spreads**2 + unsure
    log = (np.log(weights).sum(axis=1) - np.log(total) - gaps - np.log(around) - (own - usual) ** 2 / around) / 2
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    # With a spread the prior of this effect is normal around the usual one, which is not quite known.
    kept = (spreads**2 + unsure) / around
    middles, errors = usual + kept * (own - usual), np.sqrt(kept) * wide
    value = float(chance @ middles)
    tail, reach = (1 - level) / 2, NormalDist().inv_cdf((1 + level) / 2)

    def below(end: float) -> float:
        return float(chance @ special.ndtr((end - middles) / errors))

    low, high = (_where(below, share, middles, errors) for share in (tail, 1 - tail))
    return Shrunk(own, own - reach * wide, own + reach * wide, value, low, high, 1 - below(0.0), float(chance @ kept),
                  float(chance @ usual), float(chance @ spreads), len(past), level)  # fmt: skip


def _where(below: Callable[[float], float], share: float, middles: Floats, errors: Floats) -> float:
    """Where so large a share lies below, by bisection."""
    low, high = float((middles - 12 * errors).min()), float((middles + 12 * errors).max())
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < share else (low, middle)
    return high
