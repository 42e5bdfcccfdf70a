r"""How sure a quotient and a difference of quotients are, from sums alone.

A measure is :math:`R = \bar x / \bar y` over units. By the delta method its variance is that of the mean of
:math:`(x - R y) / \bar y`, so everything below is about means of these linearised values: Welch's t for differences,
Fieller's interval for relative ones, regression on what was known before (CUPED), weights of strata. Units are what was
randomised; what happens inside one is never taken as independent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.measures.online import ClickThroughRate, ConversionRate, OnlineMeasure
from rankmeter.online.bootstrap import Resampled
from rankmeter.online.bootstrap import middle as middle_of
from rankmeter.online.looks import Look, t_quantile
from rankmeter.online.proportions import wilson
from rankmeter.online.sums import BEFORE, Sums, above, below

ROUNDING = 1e-12
"""A variance smaller than this share of the terms that it is the sum of is what rounding left of 0."""


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

    @classmethod
    def without_interval(cls, value: float, level: float, why: str, units: int) -> Estimate:
        """A number of which nothing says how sure it is."""
        return cls(value, math.nan, math.nan, level, why, units, math.nan)

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"value": self.value, "low": self.low, "high": self.high, "level": self.level, "method": self.method,
                "units": self.units}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Side:
    """The value of a measure in one group, and what a comparison needs to know of it."""

    value: float
    variance: float
    n: int
    plain: float = math.nan
    """The control's value as it was, where ``value`` is an adjusted one; shares are of this."""
    plain_variance: float = math.nan
    shared: float = math.nan
    """How the adjusted and the plain value vary together."""


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
        return Estimate.without_interval(math.nan, level, "no data", sums.n)
    if resampled is not None:
        drawn = resampled.ratio(sums.place(above(measure)), sums.place(below(measure)))
        # One unit drawn again and again is always itself: that says nothing about chance.
        low, high = middle_of(drawn, level) if sums.n > 1 else (math.nan, math.nan)
        return Estimate(value, low, high, level, f"bootstrap of units, {len(drawn)} resamples", sums.n, variance)
    if counts_units(measure):
        low, high = wilson(round(sums.total(above(measure))), round(sums.total(below(measure))), level=level)
        return Estimate(value, low, high, level, "Wilson", sums.n, variance)
    return of_variance(value, variance, sums.n, level, "delta method")


def of_variance(value: float, variance: float, n: int, level: float, method: str) -> Estimate:
    """A value with the interval of Student's t."""
    half = t_quantile(level, n - 1) * math.sqrt(variance) if n > 1 else math.nan
    return Estimate(value, value - half, value + half, level, method, n, variance)


@dataclass(frozen=True, slots=True)
class Difference:
    """Treatment minus control."""

    absolute: Estimate
    relative: Estimate
    """As a share of the control's value."""
    p: float
    """The p-value of no absolute difference, at the look at hand."""
    freedom: float
    always_valid: Estimate
    """An interval of the absolute difference that holds at every look at once."""
    always_valid_p: float
    base: float
    """The control's value, of which the relative difference is a share."""
    base_variance: float
    shared: float
    """How the difference and that value vary together."""

    def within_margin_p(self, margin: float, direction: int) -> float:
        """The one-sided p-value that the treatment is worse than the control by a share of ``margin`` or more."""
        from scipy.special import stdtr

        gap = direction * self.absolute.value + margin * abs(self.base)
        sign = direction * (1 if self.base >= 0 else -1)
        spread = self.absolute.variance + 2 * sign * margin * self.shared + margin**2 * self.base_variance
        if math.isnan(spread) or spread <= 0:
            return math.nan
        return float(stdtr(self.freedom, -gap / math.sqrt(spread)))

    def posterior(self, prior: float) -> tuple[float, float]:
        """The mean and deviation of the difference after the data, before which it was normal around 0.

        ``prior`` is its deviation beforehand as a share of the control; infinity stands for knowing nothing.
        """
        variance, expected = self.absolute.variance, abs(prior * self.base)
        kept = 1.0 if not expected < 1e150 else expected**2 / (expected**2 + variance) if expected else 0.0
        return kept * self.absolute.value, math.sqrt(kept * variance)

    def chance_to_win(self, prior: float, direction: int) -> tuple[float, float]:
        """How likely the treatment is the better one, and what is lost on average, as a share, by choosing it."""
        mean, deviation = self.posterior(prior)
        if not deviation > 0:
            return math.nan, math.nan
        mean, normal = direction * mean, NormalDist()
        lost = deviation * normal.pdf(mean / deviation) - mean * normal.cdf(-mean / deviation)
        return normal.cdf(mean / deviation), lost / abs(self.base) if self.base else math.nan


def difference(control: Sums, treatment: Sums, measure: OnlineMeasure, *, look: Look | None = None) -> Difference:
    """The difference of a measure between two groups of units.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmeter import CTR
    >>> names = ("CTR x", "CTR y")
    >>> a = Sums.of_rows(names, np.array([[1, 10], [1, 4], [3, 20], [0, 1], [2, 8], [0, 5], [1, 12], [1, 2]], float))
    >>> b = Sums.of_rows(names, np.array([[2, 9], [1, 6], [3, 15], [1, 3], [2, 7], [0, 2], [3, 14], [1, 4]], float))
    >>> gap = difference(a, b, CTR)
    >>> gap.absolute.value, gap.p
    (0.07150537..., 0.0482834...)
    """
    sides = (Side(*ratio(sums, measure), sums.n) for sums in (control, treatment))
    return compare(*sides, look=look or Look(), method="delta method")


def compare(control: Side, treatment: Side, *, look: Look, method: str) -> Difference:
    """The difference of two independent estimates, by Welch's t."""
    gap, spread = treatment.value - control.value, control.variance + treatment.variance
    units, level = control.n + treatment.n, look.level
    adjusted = not math.isnan(control.plain)
    base, base_variance = (control.plain, control.plain_variance) if adjusted else (control.value, control.variance)
    shared = -(control.shared if adjusted else control.variance)
    share = gap / base if base else math.nan
    # Where no unit differs from another, or a group is one unit, nothing says how far chance could have moved the gap.
    if math.isnan(gap) or math.isnan(spread) or (spread == 0 and gap != 0):
        none, relative = (Estimate.without_interval(value, level, "no data", units) for value in (gap, share))
        return Difference(none, relative, math.nan, math.nan, none, math.nan, base, base_variance, shared)
    freedom = _freedom(control, treatment)
    error = math.sqrt(spread)

    def within(shown: Look, named: str) -> Estimate:
        half = shown.quantile(freedom, units) * error
        return Estimate(gap, gap - half, gap + half, level, named, units, spread)

    deviations = gap / error if spread > 0 else 0.0
    how = "Welch's t" if look.rule == "once" else look.rule
    return Difference(
        absolute=within(look, f"{method}, {how}"),
        relative=_relative(gap, spread, base, base_variance, shared, look.quantile(freedom, units), level, units),
        p=look.p(deviations, freedom, units) if spread > 0 else 1.0,
        freedom=freedom,
        always_valid=within(look.always(), "confidence sequence"),
        always_valid_p=look.always().p(deviations, freedom, units) if spread > 0 else 1.0,
        base=base,
        base_variance=base_variance,
        shared=shared,
    )


def _relative(
    gap: float, spread: float, base: float, base_variance: float, shared: float, reach: float, level: float, units: int
) -> Estimate:
    """A difference as a share of the control, with Fieller's interval, which holds 0 where that of the gap does."""
    if base == 0:
        return Estimate.without_interval(math.nan, level, "no data: the control is 0", units)
    share = gap / base
    unsure = reach**2 * base_variance / base**2
    if not unsure < 1:
        return Estimate.without_interval(share, level, "no interval: the control may be 0", units)
    together = shared / base_variance if base_variance else 0.0
    middle = (share - unsure * together) / (1 - unsure)
    inside = spread - 2 * share * shared + share**2 * base_variance - unsure * (spread - together * shared)
    half = reach / abs(base) * math.sqrt(max(inside, 0.0)) / (1 - unsure)
    variance = max(spread - 2 * share * shared + share**2 * base_variance, 0.0) / base**2
    return Estimate(share, middle - half, middle + half, level, "Fieller", units, variance)


def _freedom(control: Side, treatment: Side) -> float:
    """Welch and Satterthwaite's degrees of freedom."""
    if control.n < 2 or treatment.n < 2:
        return math.nan
    spread = control.variance + treatment.variance
    if spread == 0:
        return float(control.n + treatment.n - 2)
    parts = (side.variance**2 / (side.n - 1) for side in (control, treatment))
    return spread**2 / sum(parts)


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A difference after what is known from elsewhere about the same units was accounted for."""

    difference: Difference
    variance_kept: float
    """The variance of the adjusted difference as a share of the plain one."""
    coefficients: Mapping[str, float]
    """By how much each thing known before moves the value; empty for strata."""


def cuped(
    control: Sums,
    treatment: Sums,
    measure: OnlineMeasure,
    *,
    covariates: Sequence[str] = (),
    pooled: Literal["as one", "within"] = "as one",
    look: Look | None = None,
) -> Adjusted | None:
    r"""The difference with less variance, by regression on what was known of the units before (Deng et al. 2013).

    Known are the linearised values of the same measure before, :math:`(x_0 - R_0 y_0) / \bar y_0`, and ``covariates``.
    One coefficient each, from both groups as if they were one (tea-tasting; gbstats for means) or from within them
    (gbstats for quotients), takes out what they explain. The relative difference is a share of the control's plain
    value. None where nothing is known before, or it never varies.
    """
    look = look or Look()
    plain = difference(control, treatment, measure, look=look)
    total = control + treatment
    lines = [_linear(sums, measure, covariates) for sums in (total, control, treatment)]
    if any(line is None for line in lines) or math.isnan(plain.p):
        return None
    (_, whole, centre, names), *sides = (line for line in lines if line is not None)
    if pooled == "within":
        freedoms = control.n - 1, treatment.n - 1
        whole = sum(side[1] * freedom for side, freedom in zip(sides, freedoms, strict=True)) / sum(freedoms)
    scale = np.sqrt(np.diag(whole)[1:])
    if not (scale > 0).any():
        return None
    scale = np.where(scale > 0, scale, 1.0)
    explained = np.linalg.lstsq(whole[1:, 1:] / np.outer(scale, scale), whole[1:, 0] / scale, rcond=1e-10)[0] / scale
    taken = np.concatenate([[1.0], -explained])
    made = []
    for (value, covariance, before, _), n in zip(sides, (control.n, treatment.n), strict=True):
        moved = float(value - explained @ (before - centre))
        spread = max(float(taken @ covariance @ taken), 0.0) / n
        made.append(Side(moved, spread, n, value, float(covariance[0, 0]) / n, float(taken @ covariance[0]) / n))
    adjusted = compare(*made, look=look, method="CUPED")
    kept = adjusted.absolute.variance / plain.absolute.variance if plain.absolute.variance else math.nan
    return Adjusted(adjusted, kept, dict(zip(names, explained.tolist(), strict=True)))


def _linear(
    sums: Sums, measure: OnlineMeasure, covariates: Sequence[str]
) -> tuple[float, Any, Any, tuple[str, ...]] | None:
    """The value, the covariance of the linearised value and what was known before, the means of that, its names."""
    x, y = above(measure), below(measure)
    value, _ = ratio(sums, measure)
    if math.isnan(value):
        return None
    has_before = sums.has(x + BEFORE) and sums.mean(y + BEFORE) > 0
    if not has_before and not covariates:
        return None
    columns = [x, y, *((x + BEFORE, y + BEFORE) if has_before else ()), *covariates]
    weights = np.zeros((1 + has_before + len(covariates), len(columns)))
    weights[0, :2] = 1 / sums.mean(y), -value / sums.mean(y)
    centre = [sums.mean(name) for name in covariates]
    if has_before:
        earlier = sums.mean(x + BEFORE) / sums.mean(y + BEFORE)
        weights[1, 2:4] = 1 / sums.mean(y + BEFORE), -earlier / sums.mean(y + BEFORE)
        centre = [earlier, *centre]
    for place in range(len(covariates)):
        weights[len(weights) - len(covariates) + place, len(columns) - len(covariates) + place] = 1.0
    covariance = weights @ sums.block(columns) @ weights.T
    return value, covariance, np.array(centre), (*(("before",) if has_before else ()), *covariates)


def stratified(
    strata: Sequence[tuple[Sums, Sums]], measure: OnlineMeasure, *, look: Look | None = None
) -> Adjusted | None:
    """The difference with each stratum weighted by its share of all units (post-stratification, Miratrix et al. 2013).

    Strata in which a group has fewer than two units are taken together; None where that does not help.
    """
    look = look or Look()
    large = [pair for pair in strata if min(sums.n for sums in pair) > 1]
    small = [pair for pair in strata if min(sums.n for sums in pair) <= 1 and pair[0].n + pair[1].n > 0]
    if small:
        rest = (_added([pair[0] for pair in small]), _added([pair[1] for pair in small]))
        large = [*large, rest] if min(rest[0].n, rest[1].n) > 1 else large
    control, treatment = (_added([pair[side] for pair in strata]) for side in (0, 1))
    plain = difference(control, treatment, measure, look=look)
    counted = sum(sums.n for pair in large for sums in pair)
    if len(large) < 2 or math.isnan(plain.p) or counted < control.n + treatment.n:
        return None
    weights = [sum(sums.n for sums in pair) / counted for pair in large]
    sides = []
    for side in zip(*large, strict=True):
        x, y = (sum(w * sums.mean(name) for w, sums in zip(weights, side, strict=True))
                for name in (above(measure), below(measure)))  # fmt: skip
        value = x / y
        line = np.array([1 / y, -value / y])
        spread = sum(
            w**2 * float(line @ sums.block([above(measure), below(measure)]) @ line) / sums.n
            for w, sums in zip(weights, side, strict=True)
        )
        sides.append(Side(value, max(spread, 0.0), sum(sums.n for sums in side)))
    adjusted = compare(*sides, look=look, method="post-stratified")
    kept = adjusted.absolute.variance / plain.absolute.variance if plain.absolute.variance else math.nan
    return Adjusted(adjusted, kept, {})


def _added(parts: Sequence[Sums]) -> Sums:
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def heterogeneity(effects: Sequence[Estimate]) -> float:
    """The p-value that several independent differences are the same one (Cochran's Q).

    Examples
    --------
    >>> same = [Estimate(0.1, 0, 0, 0.95, "", 100, 0.01), Estimate(0.1, 0, 0, 0.95, "", 100, 0.04)]
    >>> heterogeneity(same)
    1.0
    """
    from scipy.special import chdtrc

    known = [one for one in effects if one.variance > 0 and not math.isnan(one.value)]
    if len(known) < 2:
        return math.nan
    weights = np.array([1 / one.variance for one in known])
    values = np.array([one.value for one in known])
    middle = float((weights * values).sum() / weights.sum())
    return float(chdtrc(len(known) - 1, float((weights * (values - middle) ** 2).sum())))


def change(sums: Sums, measure: OnlineMeasure) -> Side:
    """How much the value of one group is above that of the same units before, over what is shared by both."""
    line = _linear(sums, measure, ())
    if line is None:
        return Side(math.nan, math.nan, sums.n)
    value, covariance, before, _ = line
    spread = covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1]
    return Side(float(value - before[0]), max(float(spread), 0.0) / sums.n, sums.n)


def minimum_detectable(
    sums: Sums, measure: OnlineMeasure, *, units: int, other_units: int, level: float = 0.95, power: float = 0.8
) -> float:
    """The smallest absolute difference that a test of this size finds with the given power.

    From the spread of one group (the control), for two groups of ``units`` and ``other_units``. NaN where no unit
    differs from another: such a group tells nothing about chance.
    """
    _, variance = ratio(sums, measure)
    each = variance * sums.n or math.nan
    return detectable(each / units + each / other_units, level=level, power=power)


def detectable(variance: float, *, level: float, power: float, looks_at: int = 1) -> float:
    """The smallest difference found with the given power, where it has this variance and is one of several looked at.

    With several differences the error of each is that share of the whole, which is what Holm's first step allows.
    """
    if not 0 < power < 1:
        raise InputError.of("online.power_range", power=power)
    normal = NormalDist()
    reach = normal.inv_cdf(1 - (1 - level) / 2 / looks_at) + normal.inv_cdf(power)
    return reach * math.sqrt(variance) if variance > 0 else math.nan


def units_needed(
    sums: Sums, measure: OnlineMeasure, *, relative: float, level: float = 0.95, power: float = 0.8
) -> int:
    """How many units each of two equal groups needs to find a relative difference of this size."""
    value, _ = ratio(sums, measure)
    if not relative or math.isnan(value) or value == 0:
        raise InputError.of("online.units_of_no_difference")
    least = minimum_detectable(sums, measure, units=1, other_units=1, level=level, power=power)
    if math.isnan(least):
        raise InputError.of("online.no_spread", measure=measure)
    return math.ceil((least / (abs(relative) * abs(value))) ** 2)
