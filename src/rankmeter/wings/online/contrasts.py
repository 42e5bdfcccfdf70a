r"""How sure a quotient and a difference of quotients are, from sums alone.

A measure is :math:`R = \bar x / \bar y` over units. By the delta method its variance is that of the mean of
:math:`(x - R y) / \bar y`, so everything below is about means of these linearised values: Welch's t for differences,
Fieller's interval for relative ones, regression on what was known before (CUPED), weights of strata. Units are what was
randomised; what happens inside one is never taken as independent.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Literal, TypeVar

import numpy as np

from rankmeter.errors import InputError
from rankmeter.placing.placements import Floats
from rankmeter.stats.corrections import Correction, corrected
from rankmeter.stats.power import score_ends
from rankmeter.stats.resampling import middle, two_sided
from rankmeter.wings.online.estimates import (
    Estimate,
    GroupValue,
    Lift,
    compare,
    detectable,
    of_variance,
    resting_on_few,
)
from rankmeter.wings.online.heavy_units import Heaviest, Redrawn, rests_on_few
from rankmeter.wings.online.looks import ONCE, Look
from rankmeter.wings.online.measures import ClickThroughRate, ConversionRate, OnlineMeasure
from rankmeter.wings.online.sums import BEFORE, Sums, denominator, numerator, quotients
from rankmeter.wording import said

Key = TypeVar("Key", bound=Hashable)
ROUNDING = 1e-12
"""A variance smaller than this share of the terms that it is the sum of is what rounding left of 0."""


def counts_units(measure: OnlineMeasure) -> bool:
    """Whether each unit counts once, so that the measure is a plain proportion."""
    return (isinstance(measure, ClickThroughRate) and measure.per == "reach") or (
        isinstance(measure, ConversionRate) and measure.per == "user"
    )


def ratio(sums: Sums, measure: OnlineMeasure | str) -> tuple[float, float]:
    """The value of a measure and its variance by the delta method; NaN where there is no data."""
    x, y = numerator(measure), denominator(measure)
    mean_x, mean_y = sums.mean(x), sums.mean(y)
    if not sums.n or mean_y == 0:
        return math.nan, math.nan
    value = mean_x / mean_y
    terms = sums.covariance(x, x), -2 * value * sums.covariance(x, y), value * value * sums.covariance(y, y)
    spread = math.fsum(terms)
    if spread < ROUNDING * math.fsum(map(abs, terms)):
        # What rounding leaves where no unit differs from another would make any difference look certain.
        spread = 0.0
    return value, spread / (sums.n * mean_y**2)


def estimate(
    sums: Sums,
    measure: OnlineMeasure,
    *,
    look: Look = ONCE,
    resampled: Floats | None = None,
    located: GroupValue | None = None,
) -> Estimate:
    """The value of a measure with its interval: bootstrap where units were resampled, Wilson, or the delta method.

    ``located`` is the value of a quantile or a trimmed mean, which sums do not tell.
    """
    level = look.level
    if located is not None:
        if math.isnan(located.value) or math.isnan(located.variance):
            return Estimate.without_interval(located.value, level, said("method_no_data"), located.n)
        return of_variance(located.value, located.variance, located.n, level, said("method_of_quantile"), look)
    value, variance = ratio(sums, measure)
    if math.isnan(value):
        return Estimate.without_interval(math.nan, level, said("method_no_data"), sums.n)
    if rests_on_few(sums, measure) and not counts_units(measure):
        return Estimate.without_interval(value, level, said("method_heavy"), sums.n)
    if resampled is not None:
        drawn = quotients(resampled, sums.place(numerator(measure)), sums.place(denominator(measure)))
        drawn = drawn[~np.isnan(drawn)]
        # One unit drawn again and again is always itself: that says nothing about chance.
        low, high = middle(drawn, level) if sums.n > 1 else (math.nan, math.nan)
        return Estimate(value, low, high, level, said("method_bootstrap", count=len(drawn)), sums.n, variance)
    if counts_units(measure):
        count, of = (round(sums.total(side(measure))) for side in (numerator, denominator))
        low, high = score_ends(count, of, look.quantile(math.inf, sums.n))
        named = said("method_wilson")
        how = named if look.rule == "once" else said("method_and", method=named, how=look.rule)
        return Estimate(value, low, high, level, how, sums.n, variance)
    return of_variance(value, variance, sums.n, level, said("method_delta"), look)


def group_values(
    sums: Sums,
    measures: Sequence[OnlineMeasure],
    look: Look,
    located: Mapping[OnlineMeasure, GroupValue] | None,
    resampled: Floats | None,
) -> dict[OnlineMeasure, Estimate]:
    """The value of each measure in one group."""
    return {
        measure: estimate(sums, measure, look=look, resampled=resampled, located=(located or {}).get(measure))
        for measure in measures
    }


def difference(
    control: Sums,
    treatment: Sums,
    measure: OnlineMeasure,
    *,
    look: Look = ONCE,
    heaviest: Sequence[Heaviest] = (),
    seed: int = 0,
) -> Lift:
    """The difference of a measure between two groups of units.

    Where a few units carry it, it is tested by a randomisation of the units, if the heaviest of both groups are known
    and it is looked at once; else not at all.
    """
    both = control, treatment
    lift = compare(
        *(GroupValue(*ratio(sums, measure), sums.n) for sums in both), look=look, method=said("method_delta")
    )
    if not any(rests_on_few(sums, measure) for sums in both):
        return lift
    if len(heaviest) < len(both) or look.rule != "once":
        return resting_on_few(lift, None)
    return resting_on_few(lift, Redrawn.of(both, [one.of_measure[measure] for one in heaviest], measure, seed=seed))


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A difference after what is known from elsewhere about the same units was accounted for."""

    difference: Lift
    variance_kept: float
    """The variance of the adjusted difference as a share of the plain one."""
    coefficients: Mapping[str, float]
    """By how much each thing known before moves the value; empty for strata."""

    @classmethod
    def of(cls, difference: Lift, plain: Lift, coefficients: Mapping[str, float]) -> Adjusted:
        """Beside the difference as it was before the adjustment."""
        before = plain.absolute.variance
        return cls(difference, difference.absolute.variance / before if before else math.nan, coefficients)


def cuped(
    control: Sums,
    treatment: Sums,
    measure: OnlineMeasure,
    *,
    covariates: Sequence[str] = (),
    pooled: Literal["as one", "within"] = "as one",
    look: Look = ONCE,
) -> Adjusted | None:
    r"""The difference with less variance, by regression on what was known of the units before (Deng et al. 2013).

    Known are the linearised values of the same measure before, :math:`(x_0 - R_0 y_0) / \bar y_0`, and ``covariates``.
    One coefficient each, from both groups as if they were one (tea-tasting; gbstats for means) or from within them
    (gbstats for quotients), takes out what they explain. The relative difference is a share of the control's plain
    value. None where nothing is known before, or it never varies.
    """
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
    groups = []
    for (value, covariance, before, _), n in zip(sides, (control.n, treatment.n), strict=True):
        moved = float(value - explained @ (before - centre))
        spread = max(float(taken @ covariance @ taken), 0.0) / n
        groups.append(
            GroupValue(moved, spread, n, value, float(covariance[0, 0]) / n, float(taken @ covariance[0]) / n)
        )
    adjusted = compare(*groups, look=look, method=said("method_cuped"))
    return Adjusted.of(adjusted, plain, dict(zip(names, explained.tolist(), strict=True)))


def _linear(
    sums: Sums, measure: OnlineMeasure, covariates: Sequence[str]
) -> tuple[float, Any, Any, tuple[str, ...]] | None:
    """The value, the covariance of the linearised value and what was known before, the means of that, its names."""
    x, y = numerator(measure), denominator(measure)
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


def stratified(strata: Sequence[tuple[Sums, Sums]], measure: OnlineMeasure, *, look: Look = ONCE) -> Adjusted | None:
    """The difference with each stratum weighted by its share of all units (post-stratification, Miratrix et al. 2013).

    Strata in which a group has fewer than two units are taken together; None where that does not help.
    """
    large = [pair for pair in strata if min(sums.n for sums in pair) > 1]
    small = [pair for pair in strata if min(sums.n for sums in pair) <= 1 and pair[0].n + pair[1].n > 0]
    if small:
        rest = tuple(reduce(add, side) for side in zip(*small, strict=True))
        large = [*large, rest] if min(rest[0].n, rest[1].n) > 1 else large
    control, treatment = (reduce(add, side) for side in zip(*strata, strict=True))
    plain = difference(control, treatment, measure, look=look)
    counted = sum(sums.n for pair in large for sums in pair)
    if len(large) < 2 or math.isnan(plain.p) or counted < control.n + treatment.n:
        return None
    weights = [sum(sums.n for sums in pair) / counted for pair in large]
    sides = []
    for side in zip(*large, strict=True):
        x, y = (math.fsum(w * sums.mean(name) for w, sums in zip(weights, side, strict=True))
                for name in (numerator(measure), denominator(measure)))  # fmt: skip
        value = x / y
        line = np.array([1 / y, -value / y])
        spread = math.fsum(
            w**2 * float(line @ sums.block([numerator(measure), denominator(measure)]) @ line) / sums.n
            for w, sums in zip(weights, side, strict=True)
        )
        sides.append(GroupValue(value, max(spread, 0.0), sum(sums.n for sums in side)))
    return Adjusted.of(compare(*sides, look=look, method=said("method_strata")), plain, {})


def change(sums: Sums, measure: OnlineMeasure) -> GroupValue:
    """How much the value of one group is above that of the same units before, over what is shared by both."""
    line = _linear(sums, measure, ())
    if line is None or rests_on_few(sums, measure):
        return GroupValue(math.nan, math.nan, sums.n)
    value, covariance, before, _ = line
    spread = covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1]
    return GroupValue(float(value - before[0]), max(float(spread), 0.0) / sums.n, sums.n)


def resampled_difference(
    lift: Lift,
    control: Floats,
    treatment: Floats,
    sums: Sums,
    measure: OnlineMeasure,
    look: Look,
    theta: float = 0.0,
) -> Lift:
    """A difference with the interval and p-value of the resamples; ``theta`` takes out what was there before."""
    if lift.rests_on_few or math.isnan(
        lift.p
    ):  # one unit, or units that are all alike, are alike in every resample too
        return lift
    level = look.level
    x, y = sums.place(numerator(measure)), sums.place(denominator(measure))
    base = quotients(control, x, y)
    gaps = quotients(treatment, x, y) - base
    if theta:
        x, y = sums.place(numerator(measure) + BEFORE), sums.place(denominator(measure) + BEFORE)
        gaps -= theta * (quotients(treatment, x, y) - quotients(control, x, y))
    base, gaps = base[~np.isnan(gaps)], gaps[~np.isnan(gaps)]
    drawn = said("method_bootstrap", count=len(gaps))
    method = said("method_and", method=said("method_cuped"), how=drawn) if theta else drawn
    spread = float(np.var(gaps)) if len(gaps) else math.nan
    absolute = Estimate(lift.absolute.value, *middle(gaps, level), level, method, lift.absolute.units, spread)
    relative = lift.relative
    if len(gaps) and (base > 0).all():
        relative = replace(relative, low=middle(gaps / base, level)[0], high=middle(gaps / base, level)[1],
                           method=method)  # fmt: skip
    return replace(lift, absolute=absolute, relative=relative, p=two_sided(gaps))


def corrected_p(p: Mapping[Key, float], correction: Correction) -> dict[Key, float]:
    """The p-values of one family, corrected; those that are not there stay so."""
    known = [key for key in p if not math.isnan(p[key])]
    values = corrected(np.array([p[key] for key in known]), correction)
    return {**p, **dict(zip(known, values.tolist(), strict=True))}


def minimum_detectable(
    sums: Sums, measure: OnlineMeasure, *, units: int, other_units: int, level: float = 0.95, power: float = 0.8
) -> float:
    """The smallest absolute difference that a test of this size finds with the given power.

    NaN where no unit differs from another: such a group tells nothing about chance.

    Parameters
    ----------
    sums, measure
        The sums of one group (the control), whose spread is taken, and the measure.
    units, other_units
        The sizes of the two groups.
    level, power
        Of the test: 1 - level is the chance of finding a difference where there is none.
    """
    _, variance = ratio(sums, measure)
    each = variance * sums.n or math.nan
    return detectable(each / units + each / other_units, Look(level), power=power)


def units_needed(
    sums: Sums, measure: OnlineMeasure, *, relative: float, level: float = 0.95, power: float = 0.8
) -> int:
    """How many units each of two equal groups needs to find a relative difference of this size.

    Parameters
    ----------
    sums, measure, level, power
        As for :func:`rankmeter.online.minimum_detectable`.
    relative
        The difference, as a share of the group's value: 0.05 for 5 %.
    """
    value, _ = ratio(sums, measure)
    if not relative or math.isnan(value) or value == 0:
        raise InputError.of("online.units_of_no_difference")
    least = minimum_detectable(sums, measure, units=1, other_units=1, level=level, power=power)
    if math.isnan(least):
        raise InputError.of("online.no_spread", measure=measure)
    return math.ceil((least / (abs(relative) * abs(value))) ** 2)
