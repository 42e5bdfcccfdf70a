"""From the sums of variants to effects: each measure against the control, corrected, guarded, by day."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, TypeVar

import numpy as np

from rankmeter.errors import InputError
from rankmeter.measures import parse
from rankmeter.measures.online import OnlineMeasure
from rankmeter.online.contrasts import Adjusted, change, cuped, difference, stratified
from rankmeter.online.log_evaluation import values_of
from rankmeter.online.questions import ExperimentPlan
from rankmeter.online.sums import BEFORE, Sums, denominator, numerator, quotients
from rankmeter.online.tallies import Counted, Label, add_to
from rankmeter.online.trial import Day, Decision, Effect, NoveltyEffect, Role
from rankmeter.placing.placements import Floats
from rankmeter.stats.corrections import Correction, corrected
from rankmeter.stats.estimates import Estimate, GroupValue, Lift, Look, compare, detectable
from rankmeter.stats.resampling import middle, two_sided
from rankmeter.wording import said

Key = TypeVar("Key", bound=Hashable)


@dataclass
class Contrast:
    """Variants to be compared with a control: their sums, and whatever else is known of them."""

    groups: Mapping[str, Sums]
    control: str
    plan: ExperimentPlan
    resampled: Mapping[str, Floats] = field(default_factory=dict)
    covariates: Sequence[str] = ()
    located: Mapping[str, Mapping[OnlineMeasure, GroupValue]] = field(default_factory=dict)
    """The quantiles and trimmed means of each variant."""
    strata: Sequence[Mapping[str, Sums]] = ()
    """The sums of each stratum by variant, where units are weighted by their stratum."""

    def values(self, variant: str, measures: Sequence[OnlineMeasure]) -> dict[OnlineMeasure, Estimate]:
        """The value of each measure in one variant."""
        located, resampled = self.located.get(variant, {}), self.resampled.get(variant)
        return values_of(self.groups[variant], measures, self.plan.level, located, resampled)

    def effects(self, measures: Sequence[OnlineMeasure], segment: str = "") -> tuple[Effect, ...]:
        """Each measure of each variant against the control, not yet corrected."""
        base = self.values(self.control, measures)
        effects = []
        for variant in [name for name in self.groups if name != self.control]:
            values = self.values(variant, measures)
            for measure in measures:
                plain, adjusted = self.difference(variant, measure)
                test = adjusted.difference if adjusted is not None else plain
                chance, loss = math.nan, math.nan
                if self.plan.prior is not None and measure.direction:
                    chance, loss = test.chance_to_win(self.plan.prior, measure.direction)
                effects.append(
                    Effect(measure, variant, self.control, segment, base[measure], values[measure], plain, adjusted,
                           least=math.nan, p_corrected=math.nan, chance=chance, loss=loss)
                )  # fmt: skip
        effects.sort(key=lambda effect: measures.index(effect.measure))
        return tuple(effects)

    def difference(self, variant: str, measure: OnlineMeasure) -> tuple[Lift, Adjusted | None]:
        """The difference of a variant from the control, plain and adjusted."""
        base, sums, look = self.groups[self.control], self.groups[variant], self.plan.look()
        if measure.is_located:
            sides = (self.located[name][measure] for name in (self.control, variant))
            return compare(*sides, look=look, method=said("method_by_unit")), None
        plain = difference(base, sums, measure, look=look)
        if self.strata:
            pairs = [(part.get(self.control, Sums.empty(base.names)), part.get(variant, Sums.empty(base.names)))
                     for part in self.strata]  # fmt: skip
            adjusted = stratified(pairs, measure, look=look)
        else:
            adjusted = cuped(base, sums, measure, covariates=self.covariates, look=look) if sums.n else None
        if self.control in self.resampled and variant in self.resampled:
            drawn = self.resampled[self.control], self.resampled[variant], base, measure, look
            plain = resampled_difference(plain, *drawn)
            if adjusted is not None:
                theta = adjusted.coefficients.get("before", 0.0)
                adjusted = replace(adjusted, difference=resampled_difference(adjusted.difference, *drawn, theta))
        return plain, adjusted


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
    if math.isnan(lift.p):  # one unit, or units that are all alike, are alike in every resample too
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


def corrected_effects(effects: Sequence[Effect], plan: ExperimentPlan) -> tuple[Effect, ...]:
    """Effects with p-values corrected for how many there are, and what could be found after that."""
    p = corrected_p({place: effect.p for place, effect in enumerate(effects)}, plan.correction)
    asked = 1 if plan.correction == "none" else len(effects)
    least = [
        detectable(effect.difference.variance, level=plan.level, power=plan.power, looks_at=asked) for effect in effects
    ]
    return tuple(replace(effect, p_corrected=p[place], least=least[place]) for place, effect in enumerate(effects))


def decided(effects: Sequence[Effect], plan: ExperimentPlan) -> tuple[Effect, ...]:
    """Effects in their roles, each family corrected on its own: primary measures, guardrails, diagnostics.

    Guardrails must all hold, so that a false verdict needs one that is wrong: their margins are corrected for the
    number of variants only. Without roles all effects are one family.
    """
    primary, margins = {parse(text) for text in plan.primary}, {parse(t): m for t, m in plan.guardrails.items()}
    for measure in [*primary, *margins]:
        if not getattr(measure, "direction", 1):
            raise InputError.of("online.no_direction", measure=measure, name=type(measure).name)
        if measure in primary and measure in margins:
            raise InputError.of("online.primary_and_guardrail", measure=measure)
    variants = len({effect.variant for effect in effects})
    placed = []
    for effect in effects:
        role: Role = ""
        if effect.measure in margins:
            p = effect.test.within_margin_p(margins[effect.measure], effect.measure.direction)
            effect = replace(effect, margin=margins[effect.measure], p_margin=min(1.0, p * variants))
            role = "guardrail"
        elif primary or margins:
            role = "primary" if effect.measure in primary else "diagnostic"
        placed.append(replace(effect, role=role))
    families = {
        role: iter(corrected_effects([effect for effect in placed if effect.role == role], plan))
        for role in {effect.role for effect in placed}
    }
    return tuple(next(families[effect.role]) for effect in placed)


def decisions(effects: Sequence[Effect], plan: ExperimentPlan, *, is_sound: bool) -> tuple[Decision, ...]:
    """A verdict for each variant, where the plan names what decides."""
    if not plan.primary and not plan.guardrails:
        return ()
    variants = dict.fromkeys(effect.variant for effect in effects)
    return tuple(
        Decision.of(name, [effect for effect in effects if effect.variant == name], is_sound=is_sound)
        for name in variants
    )


def by_variant(groups: Mapping[Label, Any]) -> dict[str, Any]:
    """What was counted by variant and segment, by variant alone."""
    merged: dict[str, Any] = {}
    for (variant, *_), part in sorted(groups.items()):
        add_to(merged, variant, part)
    return merged


def by_segment(groups: Mapping[Label, Any]) -> dict[str, dict[str, Any]]:
    """What was counted by variant and segment: for each segment (or stratum) that of its variants."""
    nested: dict[str, dict[str, Any]] = {}
    for (variant, segment), part in sorted(groups.items()):
        nested.setdefault(segment, {})[variant] = part
    return nested


def days_of(counted: Counted, measures: Sequence[OnlineMeasure], control: str, plan: ExperimentPlan) -> tuple[Day, ...]:
    """Each day's own difference, and that of everything up to its end with an interval that holds on all days."""
    numbers = sorted({number for _, number, _ in counted.days})
    look = plan.look().always()
    rows = []
    for measure in [measure for measure in measures if not measure.is_located]:
        for number in numbers:
            daily, cumulative = (
                by_variant({label: sums for (label, day, kind), sums in counted.days.items()
                            if day == number and kind == name})
                for name in ("daily", "cumulative")
            )  # fmt: skip
            for variant in [name for name in cumulative if name != control]:
                empty = Sums.empty(cumulative[variant].names)
                alone = difference(daily.get(control, empty), daily.get(variant, empty), measure, look=Look(plan.level))
                so_far = difference(cumulative.get(control, empty), cumulative[variant], measure, look=look)
                day = (date(1970, 1, 1) + timedelta(days=number)).isoformat()
                rows.append(Day(day, measure, variant, so_far.absolute.units, alone.absolute, so_far.absolute))
    return tuple(rows)


def novelty_of(
    counted: Counted, measures: Sequence[OnlineMeasure], control: str, plan: ExperimentPlan
) -> tuple[NoveltyEffect, ...]:
    """Whether the effect of the second half of the days is that of the first."""
    groups = by_variant(counted.halves)
    changes = {
        (measure, variant): compare(change(groups[control], measure), change(groups[variant], measure),
                                    look=Look(plan.level), method=said("method_halves"))
        for measure in measures if not measure.is_located
        for variant in groups if variant != control and control in groups
    }  # fmt: skip
    p = corrected_p({key: lift.p for key, lift in changes.items()}, plan.correction)
    return tuple(NoveltyEffect(*key, lift.absolute, lift.p, p[key]) for key, lift in changes.items())
