"""What an experiment of this size can see, and how large one must be to see a stated difference, effect or rate.

Both take the spread of the differences from the data and the difference from the caller, or the other way round: power
computed from the difference that was observed says nothing that the p-value does not (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_choice, check_level, check_number, check_positive
from rankmeter.stats.proportions import quantile

MOST_UNITS = 10**9
Approximation = Literal["normal", "arcsine"]
APPROXIMATIONS: tuple[Approximation, ...] = get_args(Approximation)


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
    return _first_reaching(lambda shift: _power(shift, units, alpha), power, 0.0, 2.0)


def units_needed(spread: float, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many units a two-sided paired t test needs to find a stated true difference with probability ``power``.

    None where the differences have no spread: how much others would differ is then not known.

    Examples
    --------
    >>> units_needed(0.2, 0.05)
    128
    """
    _check(alpha, power)
    check_positive("difference", difference, 0.01)
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
    check_level(alpha, "alpha")
    if not alpha < power < 1:
        raise InputError.of("stats.power", power=power)


def units_for_rates(
    base: float, other: float, *, level: float = 0.95, power: float = 0.8, approximation: Approximation = "normal"
) -> float:
    """How many units each of two equal groups needs to tell two rates apart; round up.

    Parameters
    ----------
    base, other
        The two shares of units, as in a reach of 10% against one of 12%.
    level, power
        Of the two-sided test.
    approximation
        ``normal``: the test with the pooled rate, the alternative with both rates; ``arcsine``: Cohen's h.

    Examples
    --------
    >>> from rankmeter.online import units_for_rates
    >>> round(units_for_rates(0.10, 0.12), 2), round(units_for_rates(0.10, 0.12, approximation="arcsine"), 2)
    (3840.85, 3834.6)
    """
    check_choice("approximation", approximation, APPROXIMATIONS)
    for rate in (base, other):
        check_level(rate, "rate")
    if base == other:
        raise InputError.of("stats.equal_rates")
    z, z_power = quantile(level), _one_sided(power)
    if approximation == "arcsine":
        effect = 2 * abs(math.asin(math.sqrt(other)) - math.asin(math.sqrt(base)))
        guess = max(4.0, 8 * ((z + z_power) / effect) ** 2)
        return _first_reaching(lambda n: _normal_power(effect * math.sqrt(n / 2), z), power, 2.0, guess)
    middle = (base + other) / 2
    under_null = math.sqrt(2 * middle * (1 - middle))
    under_alternative = math.sqrt(base * (1 - base) + other * (1 - other))
    return ((z * under_null + z_power * under_alternative) / (other - base)) ** 2


def units_for_effect(effect: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """How many units each of two equal groups needs in a t-test, for a difference in standard deviations; round up.

    Examples
    --------
    >>> from rankmeter.online import units_for_effect
    >>> round(units_for_effect(0.5), 4)
    63.7656
    """
    from scipy.special import nctdtr, stdtrit

    if not check_number("the effect", effect):
        raise InputError.of("stats.no_effect")
    _one_sided(power)

    def reached(n: float) -> float:
        freedom, shift = 2 * n - 2, abs(effect) * math.sqrt(n / 2)
        bound = float(stdtrit(freedom, (1 + level) / 2))
        return 1 - float(nctdtr(freedom, shift, bound)) + float(nctdtr(freedom, shift, -bound))

    guess = max(4.0, 8 * ((quantile(level) + _one_sided(power)) / effect) ** 2)
    return _first_reaching(reached, power, 2.0, guess)


def _normal_power(shift: float, bound: float) -> float:
    """How often a normal test refuses, on either side, where its statistic is shifted."""
    from scipy.special import ndtr

    return float(ndtr(shift - bound) + ndtr(-shift - bound))


def _first_reaching(reached: Callable[[float], float], power: float, low: float, high: float) -> float:
    """Where a growing function reaches a value from ``low`` on, by halving; ``high`` is the first guess."""
    if reached(low) >= power:
        return low
    while reached(high) < power:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return high


def _one_sided(power: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(check_level(power, "power")))
