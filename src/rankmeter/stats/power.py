"""What an experiment of this size can see, and how large one must be to see a stated difference.

Both take the spread of the differences from the data and the difference from the caller, or the other way round: power
computed from the difference that was observed says nothing that the p-value does not (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from functools import lru_cache
from numbers import Real

import numpy as np

from rankmeter.errors import InputError

MOST_UNITS = 10**9


def minimum_detectable(spread: float, units: int, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """The smallest true difference that a two-sided paired t test finds with probability ``power``.

    Parameters
    ----------
    spread
        The standard deviation of the differences.
    units
        How many differences there are. With fewer than two, or without any spread, nothing can be said: None.

    Examples
    --------
    >>> round(minimum_detectable(0.2, 100), 4)
    0.0566
    """
    _check(alpha, power)
    if units < 2 or spread == 0:
        return None
    return _shift_found(units, alpha, power) * spread / math.sqrt(units)


@lru_cache(maxsize=256)
def _shift_found(units: int, alpha: float, power: float) -> float:
    """The true difference, in standard errors, that is found with the chance ``power``: the same for every spread."""
    from scipy.optimize import brentq  # scipy is loaded only for statistics

    high = 2.0
    while _power(high, units, alpha) < power:
        high *= 2
    return float(brentq(lambda shift: _power(shift, units, alpha) - power, 0.0, high))


def units_needed(spread: float, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many units a two-sided paired t test needs to find a stated true difference with probability ``power``.

    None where the differences have no spread: how much others would differ is then not known.

    Examples
    --------
    >>> units_needed(0.2, 0.05)
    128
    """
    _check(alpha, power)
    if not isinstance(difference, Real) or not 0 < difference < math.inf:
        raise InputError.of("stats.difference", difference=repr(difference))
    if spread == 0:
        return None
    size = difference / spread

    def enough(units: int) -> bool:
        return _power(size * math.sqrt(units), units, alpha) >= power

    high = 2
    while not enough(high):
        high *= 2
        if high > MOST_UNITS:
            raise InputError.of("stats.too_many_units", difference=difference, most_units=MOST_UNITS)
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _power(shift: float, units: int, alpha: float) -> float:
    """The chance that the t test rejects, the true difference being ``shift`` standard errors."""
    from scipy.special import nctdtr, stdtrit

    freedom = units - 1
    critical = stdtrit(freedom, 1 - alpha / 2)
    # The other tail matters only where power is close to alpha; scipy's noncentral t is inexact there far out.
    with np.errstate(all="ignore"):
        upper = 1.0 - nctdtr(freedom, shift, critical)
        lower = nctdtr(freedom, shift, -critical)
    return float(upper + (lower if math.isfinite(lower) else 0.0))


def _check(alpha: float, power: float) -> None:
    if not 0 < alpha < 1:
        raise InputError.of("stats.alpha", alpha=alpha)
    if not alpha < power < 1:
        raise InputError.of("stats.power", power=power)
