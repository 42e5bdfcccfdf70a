"""What an experiment of a given size can detect, and how large one must be to detect a stated difference or rate.

The spread of the differences comes from the data, the difference from the caller: power computed from the observed
difference says nothing that the p-value does not (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_choice, check_level, check_number, check_positive
from rankmeter.late import special
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
    return _first_reaching(lambda shift: _power(shift, units - 1, alpha), power, 0.0, 2.0)


def units_needed(spread: float, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many units a two-sided paired t test needs to find a stated true difference with probability ``power``.

    None where the differences have no spread: nothing is then known about how much others would differ.

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
    units = _first_reaching(lambda n: _power(size * math.sqrt(n), n - 1, alpha), power, 2.0, 4.0)
    if units > MOST_UNITS:
        raise InputError.of("stats.too_many_units", difference=difference, most_units=MOST_UNITS)
    return math.ceil(units - 1e-9)


def _power(shift: float, freedom: float, alpha: float) -> float:
    """The chance that the t test rejects, the true difference being ``shift`` standard errors."""
    critical = special.stdtrit(freedom, 1 - alpha / 2)
    # The other tail matters only where power is close to alpha; scipy's noncentral t is inexact there far out.
    with np.errstate(all="ignore"):
        upper = 1.0 - special.nctdtr(freedom, shift, critical)
        lower = special.nctdtr(freedom, shift, -critical)
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

        def reached(n: float) -> float:
            shift = effect * math.sqrt(n / 2)
            return float(special.ndtr(shift - z) + special.ndtr(-shift - z))

        return _first_reaching(reached, power, 2.0, guess)
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
    if not check_number("the effect", effect):
        raise InputError.of("stats.no_effect")
    guess = max(4.0, 8 * ((quantile(level) + _one_sided(power)) / effect) ** 2)
    return _first_reaching(lambda n: _power(abs(effect) * math.sqrt(n / 2), 2 * n - 2, 1 - level), power, 2.0, guess)


def _first_reaching(reached: Callable[[float], float], power: float, low: float, high: float) -> float:
    """Where an increasing function reaches ``power``, from ``low`` on, by bisection; ``high`` is a guess."""
    if reached(low) >= power:
        return low
    while reached(high) < power:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return high


def _one_sided(power: float) -> float:
    return float(special.ndtri(check_level(power, "power")))
