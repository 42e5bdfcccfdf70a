"""How many topics a collection needs before anything is judged (topic set size design, Sakai 2016).

What is stated is what the collection is for: the smallest difference that a test must find, among two systems or among
several, or how wide an interval may be. The spread comes from an earlier collection or a pilot.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rankmeter.errors import InputError, check_level, check_positive, check_whole
from rankmeter.late import special
from rankmeter.stats.power import MOST_UNITS, units_needed
from rankmeter.stats.student import t_quantile


def topics_needed(
    spread: float,
    *,
    difference: float | None = None,
    width: float | None = None,
    systems: int = 2,
    level: float = 0.95,
    power: float = 0.8,
) -> int:
    """How many topics to judge, so that a stated difference is found, or an interval is as narrow as stated.

    With two systems and a ``difference`` it is that of a paired t test; with more it is the largest of all true
    differences, between the best system and the worst, to be found by an analysis of variance whose other systems lie
    in the middle, the hardest case: the noncentrality is ``n d² / 2 σ²``. With a ``width`` it is that of
    the interval of a difference of two systems, on average over collections.

    Parameters
    ----------
    spread
        The standard deviation of a system's values over topics (the square root of the mean of their variances over
        systems). Differences of two systems have the variance ``2 σ²``, as of systems that are not alike:
        similar ones need fewer topics (:meth:`rankmeter.Comparison.queries_needed` knows the spread of each pair).
    difference
        The smallest true difference that is to be found.
    width
        From the low to the high end of the interval.
    systems
        Among how many the difference is to be found.
    level, power
        Of the test or interval, and the chance to find the difference.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.topics_needed(0.22, difference=0.1), rm.topics_needed(0.22, difference=0.1, systems=20)
    (78, 200)
    >>> rm.topics_needed(0.22, width=0.1)
    151
    """
    check_positive("spread", spread, 0.22)
    if (difference is None) == (width is None):
        raise InputError.of("stats.difference_or_width")
    if width is not None:
        return _for_width(check_positive("width", width, 0.1) / spread, check_level(level))
    gap, alpha = check_positive("difference", difference, 0.1), 1 - check_level(level)
    if check_whole("systems", systems, least=2) == 2:
        return units_needed(math.sqrt(2) * spread, gap, alpha=alpha, power=power) or 2
    if not alpha < power < 1:
        raise InputError.of("stats.power", power=power)
    return _first(lambda topics: _found(gap / spread, topics, systems, alpha) >= power, gap)


def _for_width(width: float, level: float) -> int:
    """For an interval so wide, in standard deviations of a value, on average over what the spread comes out as."""

    def narrow(topics: int) -> bool:
        # What a standard deviation of so few differences is on average, as a share of the true one.
        kept = math.sqrt(2 / (topics - 1)) * math.exp(special.gammaln(topics / 2) - special.gammaln((topics - 1) / 2))
        return 2 * t_quantile(level, topics - 1) * math.sqrt(2 / topics) * kept <= width

    return _first(narrow, width)


def _found(gap: float, topics: int, systems: int, alpha: float) -> float:
    """The chance that an analysis of variance finds a difference, in standard deviations, among some systems."""
    freedoms = systems - 1, systems * (topics - 1)
    critical = special.fdtri(*freedoms, 1 - alpha)
    return float(1 - special.ncfdtr(*freedoms, topics * gap**2 / 2, critical))


def _first(enough: Callable[[int], bool], stated: float) -> int:
    """The fewest topics that are enough, of two or more."""
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_UNITS:
            raise InputError.of("stats.too_many_units", difference=stated, most_units=MOST_UNITS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
