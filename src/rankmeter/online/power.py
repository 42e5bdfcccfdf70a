"""How many units an experiment needs, planned from rates or effects alone, before there are any sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from rankmeter.errors import InputError
from rankmeter.online.proportions import quantile
from rankmeter.online.settings import check_number

Approximation = Literal["normal", "arcsine"]


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
    >>> round(units_for_rates(0.10, 0.12), 2), round(units_for_rates(0.10, 0.12, approximation="arcsine"), 2)
    (3840.85, 3834.6)
    """
    for rate in (base, other):
        if not 0 < check_number("a rate", rate) < 1:
            raise InputError.of("online.rate_range", rate=rate)
    if base == other:
        raise InputError.of("online.equal_rates")
    z, z_power = quantile(level), _one_sided(power)
    if approximation == "arcsine":
        effect = 2 * abs(math.asin(math.sqrt(other)) - math.asin(math.sqrt(base)))
        return _first_reaching(lambda n: _normal_power(effect * math.sqrt(n / 2), z), power, 2 * (z + z_power) ** 2
                               / effect**2)  # fmt: skip
    if approximation != "normal":
        raise InputError.of("online.approximation", approximation=approximation)
    middle = (base + other) / 2
    under_null = math.sqrt(2 * middle * (1 - middle))
    under_alternative = math.sqrt(base * (1 - base) + other * (1 - other))
    return ((z * under_null + z_power * under_alternative) / (other - base)) ** 2


def units_for_effect(effect: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """How many units each of two equal groups needs in a t-test, for a difference in standard deviations; round up.

    Examples
    --------
    >>> round(units_for_effect(0.5), 4)
    63.7656
    """
    from scipy.special import nctdtr, stdtrit

    if not check_number("the effect", effect):
        raise InputError.of("online.no_effect")
    _one_sided(power)

    def reached(n: float) -> float:
        freedom, shift = 2 * n - 2, abs(effect) * math.sqrt(n / 2)
        bound = float(stdtrit(freedom, (1 + level) / 2))
        return 1 - float(nctdtr(freedom, shift, bound)) + float(nctdtr(freedom, shift, -bound))

    return _first_reaching(reached, power, 2 * ((quantile(level) + _one_sided(power)) / effect) ** 2)


def _normal_power(shift: float, bound: float) -> float:
    """How often a normal test refuses, on either side, where its statistic is shifted."""
    from scipy.special import ndtr

    return float(ndtr(shift - bound) + ndtr(-shift - bound))


def _first_reaching(reached: Callable[[float], float], power: float, guess: float) -> float:
    """Where a growing function reaches a value, by halving."""
    low, high = 2.0, max(4.0, 4 * guess)
    if reached(low) >= power:
        return low
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return high


def _one_sided(power: float) -> float:
    from scipy.special import ndtri

    if not 0 < power < 1:
        raise InputError.of("online.power_range", power=power)
    return float(ndtri(power))
