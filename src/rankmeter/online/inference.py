r"""How sure a quotient and a difference of quotients are, from sums alone.

A measure is :math:`R = \bar x / \bar y` over units. By the delta method its variance is that of the mean of
:math:`(x - R y) / \bar y`, so everything below is a test of means of these linearised values: Welch's t for
differences, regression on what the same units did before (CUPED), and a confidence sequence for those who peek. Units
are what was randomised; what happens inside one is never taken as independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.measures.online import ClickThroughRate, ConversionRate, OnlineMeasure
from rankmeter.online.bootstrap import Resampled
from rankmeter.online.bootstrap import middle as middle_of
from rankmeter.online.proportions import wilson
from rankmeter.online.sums import BEFORE, Sums, above, below

PEEK_TUNED_FOR = 5000
"""At how many units the always-valid interval is narrowest (Waudby-Smith and others 2021; the choice of GrowthBook)."""

ROUNDING = 1e-12
"""A variance smaller than this share of the terms that it is the sum of is what rounding left of 0."""

MANY_UNITS = 10_000
"""From so many degrees of freedom on a short series gives the quantiles of Student's t."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty, and how that was found."""

    value: float
    low: float
    high: float
    level: float
    method: str
    units: int
    variance: float
    """The variance of the value."""

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"value": self.value, "low": self.low, "high": self.high, "level": self.level, "method": self.method,
                "units": self.units}  # fmt: skip


def counts_units(measure: OnlineMeasure) -> bool:
    """Whether each unit counts once, so that the measure is a plain proportion."""
    return (isinstance(measure, ClickThroughRate) and measure.per == "reach") or (
        isinstance(measure, ConversionRate) and measure.per == "user"
    )


def ratio(sums: Sums, measure: OnlineMeasure | str) -> tuple[float, float]:
    """The value of a measure and its variance by the delta method; NaN where there is no data."""
    x, y = above(measure), below(measure)
    mean_x, mean_y = sums.mean(x), sums.mean(y)
    if not sums.n or mean_y == 0:
        return math.nan, math.nan
    value = mean_x / mean_y
    terms = sums.covariance(x, x), -2 * value * sums.covariance(x, y), value * value * sums.covariance(y, y)
    spread = sum(terms)
    if spread < ROUNDING * sum(map(abs, terms)):
        # What rounding leaves where no unit differs from another would make any difference look certain.
        spread = 0.0
    return value, spread / (sums.n * mean_y**2)


def estimate(
    sums: Sums, measure: OnlineMeasure, *, level: float = 0.95, resampled: Resampled | None = None
) -> Estimate:
    """The value of a measure with its interval: bootstrap where units were resampled, Wilson, or the delta method."""
    value, variance = ratio(sums, measure)
    if math.isnan(value):
        return Estimate(math.nan, math.nan, math.nan, level, "no data", sums.n, math.nan)
    if resampled is not None:
        drawn = resampled.ratio(sums.place(above(measure)), sums.place(below(measure)))
        # One unit drawn again and again is always itself: that says nothing about chance.
        low, high = middle_of(drawn, level) if sums.n > 1 else (math.nan, math.nan)
        return Estimate(value, low, high, level, f"bootstrap of units, {len(drawn)} resamples", sums.n, variance)
    if counts_units(measure):
        low, high = wilson(round(sums.total(above(measure))), round(sums.total(below(measure))), level=level)
        return Estimate(value, low, high, level, "Wilson", sums.n, variance)
    half = t_quantile(level, sums.n - 1) * math.sqrt(variance) if sums.n > 1 else math.nan
    return Estimate(value, value - half, value + half, level, "delta method", sums.n, variance)


@dataclass(frozen=True, slots=True)
class Difference:
    """Treatment minus control."""

    absolute: Estimate
    relative: Estimate
    """As a share of the control's value."""
    p: float
    """The p-value of no absolute difference (Welch's t)."""
    freedom: float
    always_valid: Estimate
    """An interval of the absolute difference that holds at every look at once."""


def difference(control: Sums, treatment: Sums, measure: OnlineMeasure, *, level: float = 0.95) -> Difference:
    """The difference of a measure between two groups of units.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmeter import CTR
    >>> names = ("CTR x", "CTR y")
    >>> a = Sums.of_rows(names, np.array([[1, 10], [1, 4], [3, 20], [0, 1], [2, 8], [0, 5], [1, 12], [1, 2]], float))
    >>> b = Sums.of_rows(names, np.array([[2, 9], [1, 6], [3, 15], [1, 3], [2, 7], [0, 2], [3, 14], [1, 4]], float))
    >>> found = difference(a, b, CTR)
    >>> found.absolute.value, found.p
    (0.07150537..., 0.0482834...)
    """
    base, base_variance = ratio(control, measure)
    value, variance = ratio(treatment, measure)
    return compare(base, base_variance, control.n, value, variance, treatment.n, level=level, method="delta method")


def compare(
    base: float, base_variance: float, base_n: int, value: float, variance: float, n: int, *, level: float, method: str
) -> Difference:
    """The difference of two independent estimates, by Welch's t."""
    from scipy.special import stdtr

    gap, spread = value - base, base_variance + variance
    # Where no unit differs from another, or a group is one unit, nothing says how far chance could have moved the gap.
    if math.isnan(gap) or math.isnan(spread) or (spread == 0 and gap != 0):
        none = Estimate(gap, math.nan, math.nan, level, "no data", base_n + n, math.nan)
        share = value / base - 1 if base else math.nan
        return Difference(none, replace(none, value=share), math.nan, math.nan, none)
    freedom = _freedom(base_variance, base_n, variance, n)
    half = t_quantile(level, freedom) * math.sqrt(spread)
    absolute = Estimate(gap, gap - half, gap + half, level, f"{method}, Welch's t", base_n + n, spread)
    p = float(2 * stdtr(freedom, -abs(gap) / math.sqrt(spread))) if spread > 0 else 1.0
    return Difference(absolute, _relative(base, base_variance, value, variance, freedom, absolute), p, freedom,
                      always_valid(absolute, level))  # fmt: skip


def _relative(
    base: float, base_variance: float, value: float, variance: float, freedom: float, absolute: Estimate
) -> Estimate:
    """The relative difference with the interval of the delta method on the plain scale."""
    level, units = absolute.level, absolute.units
    if base == 0:
        return Estimate(math.nan, math.nan, math.nan, level, "no data: the control is 0", units, math.nan)
    relative = value / base - 1
    spread = variance / base**2 + base_variance * value**2 / base**4
    half = t_quantile(level, freedom) * math.sqrt(spread)
    return Estimate(relative, relative - half, relative + half, level, "delta method, relative", units, spread)


def _freedom(base_variance: float, base_n: int, variance: float, n: int) -> float:
    """Welch and Satterthwaite's degrees of freedom."""
    if base_n < 2 or n < 2:
        return math.nan
    spread = base_variance + variance
    if spread == 0:
        return float(base_n + n - 2)
    return spread**2 / (base_variance**2 / (base_n - 1) + variance**2 / (n - 1))


def always_valid(effect: Estimate, level: float, *, tuned_for: int = PEEK_TUNED_FOR) -> Estimate:
    """An asymptotic confidence sequence: the interval may be looked at as often as one likes.

    It is the price of peeking: wider than the plain interval at every single look, by about a half where it is
    narrowest.
    """
    alpha = 1 - level
    n = effect.units
    rho = math.sqrt((-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / tuned_for)
    inside = 2 * (n * rho**2 + 1) * math.log(math.sqrt(n * rho**2 + 1) / alpha) / (n * rho) ** 2
    half = math.sqrt(effect.variance * n) * math.sqrt(inside)
    method = f"confidence sequence tuned for {tuned_for:,} units"
    return Estimate(effect.value, effect.value - half, effect.value + half, level, method, n, effect.variance)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A difference after what the same units did before was accounted for."""

    difference: Difference
    variance_kept: float
    """The variance of the adjusted difference as a share of the plain one."""
    theta: float


def cuped(
    control: Sums,
    treatment: Sums,
    measure: OnlineMeasure,
    *,
    level: float = 0.95,
    theta: float | None = None,
    slope: Literal["adjusted", "plain"] = "adjusted",
) -> Adjusted | None:
    r"""The difference with less variance, by regression on the same measure before the experiment (Deng et al. 2013).

    The linearised values before, :math:`(x_0 - R_0 y_0) / \bar y_0`, explain part of the linearised values after; one
    coefficient ``theta``, pooled from both groups unless it was fixed beforehand, takes that part out. The relative
    difference is a share of the control's plain value; how much the control's own error moves it depends on the
    difference, for which the delta method takes the ``adjusted`` one, or as gbstats does the ``plain`` one. None where
    there is nothing before.
    """
    plain = difference(control, treatment, measure, level=level)
    both = [_linear(sums, measure) for sums in (control, treatment)]
    if any(one is None for one in both) or math.isnan(plain.p):
        return None
    (base, base_cov, base_before), (value, cov, before) = (one for one in both if one is not None)
    freedoms = control.n - 1, treatment.n - 1
    pooled = (base_cov * freedoms[0] + cov * freedoms[1]) / sum(freedoms)
    if not pooled[1, 1] > 0:
        return None
    theta = float(pooled[0, 1] / pooled[1, 1]) if theta is None else theta
    shared = (base_before * control.n + before * treatment.n) / (control.n + treatment.n)
    estimates = []
    for middle, covariance, earlier, n in (
        (base, base_cov, base_before, control.n),
        (value, cov, before, treatment.n),
    ):
        spread = covariance[0, 0] - 2 * theta * covariance[0, 1] + theta**2 * covariance[1, 1]
        estimates.append((float(middle - theta * (earlier - shared)), max(float(spread), 0.0) / n))
    adjusted = compare(
        estimates[0][0], estimates[0][1], control.n, estimates[1][0], estimates[1][1], treatment.n,
        level=level, method="CUPED",
    )  # fmt: skip
    kept = adjusted.absolute.variance / plain.absolute.variance if plain.absolute.variance else math.nan
    # The control's plain and adjusted values vary together, by this much.
    shares = float(base_cov[0, 0] - theta * base_cov[0, 1]) / control.n
    moved = adjusted.absolute.value if slope == "adjusted" else plain.absolute.value
    relative = _share_of_plain(adjusted, base, float(base_cov[0, 0]) / control.n, shares, moved)
    return Adjusted(replace(adjusted, relative=relative), kept, theta)


def _share_of_plain(adjusted: Difference, base: float, base_variance: float, shares: float, moved: float) -> Estimate:
    """An adjusted difference over the plain value of the control, with the interval of the delta method."""
    gap = adjusted.absolute
    if base == 0:
        return adjusted.relative
    relative = gap.value / base
    spread = gap.variance / base**2 + moved**2 * base_variance / base**4 + 2 * moved * shares / base**3
    half = t_quantile(gap.level, adjusted.freedom) * math.sqrt(max(spread, 0.0))
    return Estimate(relative, relative - half, relative + half, gap.level, "CUPED, relative", gap.units, spread)


def _linear(sums: Sums, measure: OnlineMeasure) -> tuple[float, Any, float] | None:
    """The value, the covariance of the linearised values after and before, and the value before."""
    x, y = above(measure), below(measure)
    if not sums.has(x + BEFORE) or sums.mean(y + BEFORE) == 0 or math.isnan(sums.mean(y + BEFORE)):
        return None
    value, _ = ratio(sums, measure)
    earlier = sums.mean(x + BEFORE) / sums.mean(y + BEFORE)
    weights = np.array(
        [
            [1 / sums.mean(y), -value / sums.mean(y), 0.0, 0.0],
            [0.0, 0.0, 1 / sums.mean(y + BEFORE), -earlier / sums.mean(y + BEFORE)],
        ]
    )
    covariance = weights @ sums.block([x, y, x + BEFORE, y + BEFORE]) @ weights.T
    return value, covariance, earlier


def minimum_detectable(
    sums: Sums, measure: OnlineMeasure, *, units: int, other_units: int, level: float = 0.95, power: float = 0.8
) -> float:
    """The smallest absolute difference that a test of this size finds with the given power.

    From the spread of one group (the control), for two groups of ``units`` and ``other_units``. NaN where no unit
    differs from another: such a group tells nothing about chance.
    """
    from scipy.special import ndtri

    if not 0 < power < 1:
        raise InputError(f"power={power} is not possible; a power is between 0 and 1, as in 0.8.")
    _, variance = ratio(sums, measure)
    each = variance * sums.n or math.nan
    return float((ndtri((1 + level) / 2) + ndtri(power)) * math.sqrt(each / units + each / other_units))


def units_needed(
    sums: Sums, measure: OnlineMeasure, *, relative: float, level: float = 0.95, power: float = 0.8
) -> int:
    """How many units each of two equal groups needs to find a relative difference of this size."""
    value, _ = ratio(sums, measure)
    if not relative or math.isnan(value) or value == 0:
        raise InputError("the number of units needs a relative difference other than 0 and a baseline other than 0.")
    one = minimum_detectable(sums, measure, units=1, other_units=1, level=level, power=power)
    if math.isnan(one):
        raise InputError(f"the sums of {measure} have no spread over units, so nothing says how many are needed.")
    return math.ceil((one / (abs(relative) * abs(value))) ** 2)


def t_quantile(level: float, freedom: float) -> float:
    """The two-sided quantile of Student's t.

    A log has thousands of users, and then the series in 1 / freedom (Abramowitz and Stegun 26.7.5) is exact to the last
    digits; loading scipy for it would take as long as counting millions of events.
    """
    if not 0 < level < 1:
        raise InputError(f"level={level} is not possible; a level is between 0 and 1, as in 0.95.")
    if freedom >= MANY_UNITS and level < 1 - 1e-9:
        z = NormalDist().inv_cdf((1 + level) / 2)
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + sum(term / freedom**power for power, term in enumerate(terms, 1))
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2)) if freedom > 0 else math.nan
