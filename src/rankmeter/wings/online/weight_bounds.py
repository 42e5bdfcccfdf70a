"""What can be said of a policy that was not run where its weights are heavy.

There the normal distribution does not hold, however many rows there are: a weight of 300 may stand once in the log, or
not yet. What holds is a bound that knows nothing of how weights are distributed (betting, Waudby-Smith & Ramdas 2024).
A mean of numbers that cannot be negative has a lower bound without any upper one on them; rewards lie between 0 and 1,
and the mean weight is 1, so that the mean of `weight (1 - reward)` has one too, which is an upper bound of the value
(Waudby-Smith and others 2022).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Floats

STAKES = (0.003, 0.008, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6)
"""Which shares of what there is are bet on every row, an equal part on each: small ones for many rows."""
STEPS = 60


def lower_bound(values: Floats, error: float) -> float:
    """What the mean of numbers of 0 or more is at least, but for the chance of an error.

    Who bets a share of the stake, at fair odds for a mean, on each value being above it, multiplies the stake by
    ``1 / error`` with no more than the chance ``error`` (Ville 1939): means at which that happens are too small.
    """
    distinct, counts = np.unique(values, return_counts=True)
    low, high, goal = 0.0, float(values.mean()), -math.log(error)
    if not high > 0:
        return 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        won = np.array([float(counts @ np.log1p(stake * (distinct / middle - 1))) for stake in STAKES])
        largest = float(won.max())
        reached = largest + math.log(float(np.exp(won - largest).mean())) > goal
        low, high = (middle, high) if reached else (low, middle)
        if high - low < 1e-9 * high:
            break
    return low


def value_bounds(
    weights: Floats, rewards: Floats, group: npt.NDArray[np.int64], level: float, *, against_logged: bool
) -> tuple[float, float] | None:
    """Between what the value of a policy lies, or its difference from what was logged; of (rows, positions).

    None where rewards are not between 0 and 1, since nothing then says how large others are.
    """
    if rewards.min() < 0 or rewards.max() > 1 or not len(rewards):
        return None
    places, error = float(rewards.shape[1]), (1 - level) / 2
    shift = places if against_logged else 0.0

    def least(gains: Any) -> float:
        """The lower bound of the mean over rows, whose units are independent."""
        totals = np.bincount(group, ((weights - bool(shift)) * gains).sum(axis=1) + shift)
        return lower_bound(np.maximum(totals * len(totals) / len(rewards), 0.0), error) - shift

    most = 0.0 if against_logged else places
    return least(rewards), most - least(1 - rewards)
