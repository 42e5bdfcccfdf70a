"""Values with their variances, what Student's t says of them, and how two groups of units that share none differ.

A value comes with the variance of its estimate, however that was found: by the delta method from sums, by resampling,
from clusters. Differences are tested by Welch's t, relative ones have Fieller's interval; what looks before the end
cost stands in `looks`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from rankmeter.arithmetic.exact_sums import summed
from rankmeter.errors import check_level
from rankmeter.late import special
from rankmeter.stats.student import t_quantile
from rankmeter.wings.online.heavy_units import Redrawn
from rankmeter.wings.online.looks import ONCE, Look
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty, and how that was found."""

    value: float
    low: float
    high: float
    level: float
    method: Said
    units: int
    variance: float
    """The variance of the value."""

    @classmethod
    def without_interval(cls, value: float, level: float, why: Said, units: int) -> Estimate:
        """A number of which nothing says how sure it is."""
        return cls(value, math.nan, math.nan, level, why, units, math.nan)

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval."""
        return self.low > 0 or self.high < 0

    @property
    def p(self) -> float:
        """By Student's t, of a value of 0; at least 2^(1-n), the chance that n signs are equal."""
        if self.value == 0:
            return 1.0
        t = -math.inf if self.variance == 0 else -abs(self.value) / math.sqrt(self.variance)
        return max(float(2 * special.stdtr(self.units - 1, t)), 2.0 ** (1 - self.units))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"value": self.value, "low": self.low, "high": self.high, "level": self.level, "method": self.method,
                "units": self.units}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GroupValue:
    """The value of a measure in one group, and what a comparison needs to know of it."""

    value: float
    variance: float
    n: int
    plain: float = math.nan
    """The control's value as it was, where ``value`` is an adjusted one; shares are of this."""
    plain_variance: float = math.nan
    shared: float = math.nan
    """How the adjusted and the plain value vary together."""


def of_variance(
    value: float, variance: float, n: int, level: float, method: Said, look: Look | None = None
) -> Estimate:
    """A value with the interval of Student's t; with none where all units are alike, as one that holds only itself.

    With a look before the end it reaches as far as the rule of looking asks for.
    """
    reach = t_quantile(level, n - 1) if look is None or n < 2 else look.quantile(n - 1, n)
    half = reach * math.sqrt(variance) if n > 1 and variance > 0 else math.nan
    how = method if look is None or look.rule == "once" else said("method_and", method=method, how=look.rule)
    return Estimate(value, value - half, value + half, level, how, n, variance)


@dataclass(frozen=True, slots=True)
class Lift:
    """Treatment minus control."""

    absolute: Estimate
    relative: Estimate
    """As a share of the control's value."""
    p: float
    """The p-value of no absolute difference, at the look at hand."""
    freedom: float
    look: Look
    """The rule by which it is decided."""
    always_valid: Estimate
    """An interval of the absolute difference that holds at every look at once."""
    always_valid_p: float
    base: float
    """The control's value, of which the relative difference is a share."""
    base_variance: float
    shared: float
    """How the difference and that value vary together."""
    rests_on_few: bool = False
    """Whether a few heavy units carry it, so that the delta method does not hold."""
    redrawn: Redrawn | None = None
    """The draw of who sees what, repeated, where it does not and the heavy units are known."""

    def within_margin_p(self, margin: float, direction: int) -> float:
        """The one-sided p-value that the treatment is worse than the control by a share of ``margin`` or more."""
        if self.redrawn is not None:
            return self.redrawn.within_margin_p(margin, direction)
        gap = direction * self.absolute.value + margin * abs(self.base)
        sign = direction * (1 if self.base >= 0 else -1)
        spread = self.absolute.variance + 2 * sign * margin * self.shared + margin**2 * self.base_variance
        if math.isnan(spread) or spread <= 0:
            return math.nan
        return self.look.one_sided(gap / math.sqrt(spread), self.freedom, self.absolute.units)

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


def compare(control: GroupValue, treatment: GroupValue, *, look: Look, method: Said) -> Lift:
    """The difference of two independent estimates, by Welch's t."""
    gap, spread = treatment.value - control.value, control.variance + treatment.variance
    units, level = control.n + treatment.n, look.level
    adjusted = not math.isnan(control.plain)
    base, base_variance = (control.plain, control.plain_variance) if adjusted else (control.value, control.variance)
    shared = -(control.shared if adjusted else control.variance)
    share = gap / base if base else math.nan
    # Where no unit differs from another, or a group is one unit, nothing says how far chance could have moved the gap.
    if math.isnan(gap) or math.isnan(spread) or (spread == 0 and gap != 0):
        none, relative = (
            Estimate.without_interval(value, level, said("method_no_data"), units) for value in (gap, share)
        )
        return Lift(none, relative, math.nan, math.nan, look, none, math.nan, base, base_variance, shared)
    freedom = _freedom(control, treatment)
    error = math.sqrt(spread)

    def within(shown: Look, named: Said) -> Estimate:
        half = shown.quantile(freedom, units) * error if spread > 0 else math.nan
        return Estimate(gap, gap - half, gap + half, level, named, units, spread)

    deviations = gap / error if spread > 0 else 0.0
    how = said("method_welch") if look.rule == "once" else look.rule
    return Lift(
        absolute=within(look, said("method_and", method=method, how=how)),
        relative=_relative(gap, spread, base, base_variance, shared, look.quantile(freedom, units), level, units),
        p=look.p(deviations, freedom, units) if spread > 0 else 1.0,
        freedom=freedom,
        look=look,
        always_valid=within(look.always(), said("method_sequence")),
        always_valid_p=look.always().p(deviations, freedom, units) if spread > 0 else 1.0,
        base=base,
        base_variance=base_variance,
        shared=shared,
    )


def resting_on_few(lift: Lift, redrawn: Redrawn | None) -> Lift:
    """A difference that a few heavy units carry: by a randomisation test where they are known, else without one."""
    level, units = lift.absolute.level, lift.absolute.units
    gap, none = lift.absolute.value, said("method_heavy")
    absolute, relative, always = (
        Estimate.without_interval(value, level, none, units) for value in (gap, lift.relative.value, gap)
    )
    p = math.nan
    if redrawn is not None and not math.isnan(lift.p):
        low, high = redrawn.interval(level)
        p, how = redrawn.p(), said("method_redrawn", count=len(redrawn.into_control))
        if math.isfinite(low) and math.isfinite(high):
            absolute = Estimate(gap, low, high, level, how, units, math.nan)
    return replace(lift, absolute=absolute, relative=relative, p=p, always_valid=always, always_valid_p=math.nan,
                   rests_on_few=True, redrawn=redrawn)  # fmt: skip


def _relative(
    gap: float, spread: float, base: float, base_variance: float, shared: float, reach: float, level: float, units: int
) -> Estimate:
    """A difference as a share of the control, with Fieller's interval, which holds 0 where that of the gap does."""
    if base == 0:
        return Estimate.without_interval(math.nan, level, said("method_control_0"), units)
    share = gap / base
    unsure = reach**2 * base_variance / base**2
    if not unsure < 1:
        return Estimate.without_interval(share, level, said("method_control_near_0"), units)
    together = shared / base_variance if base_variance else 0.0
    middle = (share - unsure * together) / (1 - unsure)
    inside = spread - 2 * share * shared + share**2 * base_variance - unsure * (spread - together * shared)
    half = reach / abs(base) * math.sqrt(max(inside, 0.0)) / (1 - unsure)
    variance = max(spread - 2 * share * shared + share**2 * base_variance, 0.0) / base**2
    return Estimate(share, middle - half, middle + half, level, said("method_fieller"), units, variance)


def _freedom(control: GroupValue, treatment: GroupValue) -> float:
    """Welch and Satterthwaite's degrees of freedom."""
    if control.n < 2 or treatment.n < 2:
        return math.nan
    spread = control.variance + treatment.variance
    if spread == 0:
        return float(control.n + treatment.n - 2)
    parts = (side.variance**2 / (side.n - 1) for side in (control, treatment))
    return spread**2 / math.fsum(parts)


def heterogeneity(effects: Sequence[Estimate], look: Look = ONCE) -> float:
    """The p-value that several independent differences are the same one (Cochran's Q), at the look at hand."""
    known = [effect for effect in effects if effect.variance > 0 and not math.isnan(effect.value)]
    if len(known) < 2:
        return math.nan
    weights = np.array([1 / effect.variance for effect in known])
    values = np.array([effect.value for effect in known])
    middle = float((weights * values).sum() / weights.sum())
    units = sum(effect.units for effect in known)
    return look.several(float((weights * (values - middle) ** 2).sum()), len(known) - 1, units)


def detectable(
    variance: float, look: Look, *, power: float, freedom: float = math.inf, units: int = 0, looks_at: int = 1
) -> float:
    """The smallest difference found with the given power at this look, where it has this variance.

    With several differences the error of each is that share of the whole, which is what Holm's first step allows.
    """
    check_level(power, "power")
    if not variance > 0:
        return math.nan
    reach = replace(look, level=1 - (1 - look.level) / looks_at).quantile(freedom, units)
    return (reach + NormalDist().inv_cdf(power)) * math.sqrt(variance)


SIDE = 0.95
"""The level of the interval from whose width the variance of a quantile is taken."""


def quantile_of_group(values: Any, unit: Any, share: float) -> GroupValue:
    """A quantile, and its variance where the values of one unit depend on each other.

    The share of values below the quantile is a quotient over units, whose variance the delta method gives; the
    quantiles at the ends of its interval are the ends of that of the quantile (Woodruff 1952; Deng and others 2018).
    """
    n = len(np.unique(unit))
    if n < 2:
        return GroupValue(float(np.quantile(values, share)) if len(values) else math.nan, math.nan, n)
    ordered = np.sort(values)
    value = float(np.quantile(ordered, share))
    code = np.unique(unit, return_inverse=True)[1]
    below, all_of = np.bincount(code, values <= value), np.bincount(code)
    gaps = below - below.sum() / all_of.sum() * all_of
    error = math.sqrt(summed(gaps**2) * n / (n - 1)) / all_of.sum()
    reach = t_quantile(SIDE, n - 1)
    low, high = np.quantile(ordered, np.clip([share - reach * error, share + reach * error], 0, 1))
    return GroupValue(value, (float(high - low) / (2 * reach)) ** 2, n)


def trimmed_mean(values: Any, share: float) -> GroupValue:
    """The mean without a share of the values at either end, and its variance (Yuen 1974)."""
    n = len(values)
    cut = math.floor(n * share)
    left = n - 2 * cut
    if left < 2:
        return GroupValue(math.nan, math.nan, n)
    ordered = np.sort(values)
    inside = ordered[cut : n - cut]
    wins = np.clip(ordered, inside[0], inside[-1])
    return GroupValue(float(inside.mean()), float(wins.var(ddof=1)) * (n - 1) / (left * (left - 1)), left)
