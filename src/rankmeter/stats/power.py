"""What an experiment of a given size can detect, and how large one must be to detect a stated difference or rate.

The spread of the differences comes from the data, the difference from the caller: power computed from the observed
difference says nothing that the p-value does not (Hoenig & Heisey 2001).

Plain proportions are for units that count once each. Clicks out of impressions are not such units when users were
randomised: use the delta method (:func:`rankmeter.online.units_needed`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_choice, check_level, check_number, check_positive, check_whole
from rankmeter.late import Late, special

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
    """
    _check(alpha, power)
    if units < 2 or spread == 0:
        return None
    return _shift_found(units, alpha, power) * spread / math.sqrt(units)


def late_detectable(spread: float, units: int, *, alpha: float, power: float) -> Late[float | None]:
    """What `minimum_detectable` gives, once somebody looks; what it refuses is refused at once."""
    _check(alpha, power)
    return Late(partial(minimum_detectable, spread, units, alpha=alpha, power=power))


@lru_cache(maxsize=256)
def _shift_found(units: int, alpha: float, power: float) -> float:
    """The true difference, in standard errors, that is found with the chance ``power``: the same for every spread."""
    return _first_reaching(lambda shift: _power(shift, units - 1, alpha), power, 0.0, 2.0)


def units_needed(spread: float, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many units a two-sided paired t test needs to find a stated true difference with probability ``power``.

    None where the differences have no spread: nothing is then known about how much others would differ.
    """
    _check(alpha, power)
    check_positive("difference", difference, 0.01)
    if spread == 0:
        return None
    check_positive("spread", spread, 0.1)
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


@lru_cache(maxsize=256)  # asked of every pair of systems
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
    z, z_power = two_sided_quantile(level), _one_sided(power)
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
    guess = max(4.0, 8 * ((two_sided_quantile(level) + _one_sided(power)) / effect) ** 2)
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


def two_sided_quantile(level: float) -> float:
    """The normal quantile of a two-sided level: 1.96 for 0.95."""
    return float(special.ndtri((1 + check_level(level)) / 2))


def wilson(count: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """The score interval of a proportion (Wilson 1927).

    Examples
    --------
    >>> from rankmeter.online import wilson
    >>> [round(end, 4) for end in wilson(81, 263)]
    [0.2553, 0.3662]
    """
    return score_ends(count, n, two_sided_quantile(level))


def score_ends(count: float, n: float, z: float) -> tuple[float, float]:
    """The score interval of a proportion that reaches so many standard errors to either side."""
    if not 0 <= count <= n or not 0 < n < math.inf:
        raise InputError.of("stats.no_proportion", count=count, n=n)
    share, weight = count / n, z * z / n
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / n + weight / (4 * n))
    return max(0.0, middle - half) if count else 0.0, min(1.0, middle + half) if count < n else 1.0


def sample_ratio(
    counts: Sequence[float], ratios: Sequence[float] | None = None, *, continuity: Literal["none", "yates"] = "none"
) -> float:
    """The p-value of the chi-square test that units were split in the intended ratios.

    ``continuity="yates"`` takes half a unit off each deviation, for two variants; some tools do.

    Examples
    --------
    >>> from rankmeter.online import sample_ratio
    >>> sample_ratio([5100, 4900])
    0.04550026...
    """
    meant = [1.0] * len(counts) if ratios is None else [float(ratio) for ratio in ratios]
    if any(not 0 <= count < math.inf for count in counts) or (len(counts) > 1 and not any(counts)):
        raise InputError.of("stats.ratio_counts", counts=list(counts))
    if len(meant) != len(counts) or len(counts) < 2 or any(not 0 < ratio < math.inf for ratio in meant):
        raise InputError.of("stats.ratio_ratios", count=len(counts), meant=meant)
    total, parts = math.fsum(counts), math.fsum(meant)
    expected = [total * ratio / parts for ratio in meant]
    if continuity == "yates" and len(counts) > 2:
        raise InputError.of("stats.yates_two", count=len(counts))
    off = 0.5 if continuity == "yates" else 0.0
    gaps = [max(abs(count - mean) - off, 0.0) for count, mean in zip(counts, expected, strict=True)]
    statistic = math.fsum(gap**2 / mean for gap, mean in zip(gaps, expected, strict=True))
    return float(special.chdtrc(len(counts) - 1, statistic))


def sign_test(a: int, b: int) -> float:
    """The two-sided p-value of "both sides are equally likely".

    Examples
    --------
    >>> from rankmeter.online import sign_test
    >>> round(sign_test(1, 9), 6)
    0.021484
    """
    a, b = check_whole("a", a), check_whole("b", b)
    return min(1.0, 2 * float(special.bdtr(min(a, b), a + b, 0.5))) if a + b else math.nan
