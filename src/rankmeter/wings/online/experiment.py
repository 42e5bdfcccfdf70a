"""Experiments: what changed between variants, how sure that is, and whether the experiment can be trusted at all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any, TypeVar, Unpack

from rankmeter.errors import InputError, NotFoundError, check_choice, check_number, did_you_mean, examples
from rankmeter.inputs.columns import say_names
from rankmeter.measures import parse
from rankmeter.placing.placements import Floats
from rankmeter.stats.power import sample_ratio
from rankmeter.wings.online.contrasts import (
    Adjusted,
    change,
    corrected_p,
    cuped,
    difference,
    group_values,
    resampled_difference,
    stratified,
)
from rankmeter.wings.online.estimates import Estimate, GroupValue, Lift, compare, detectable, heterogeneity
from rankmeter.wings.online.event_columns import check_mapping
from rankmeter.wings.online.events import Events, read_events
from rankmeter.wings.online.heavy_units import Heaviest, resting_note
from rankmeter.wings.online.log_evaluation import (
    DEFAULT_MEASURES,
    check_divides,
    counted_by_unit,
    described,
    into_online,
)
from rankmeter.wings.online.looks import Look
from rankmeter.wings.online.measures import ConversionRate, OnlineMeasure
from rankmeter.wings.online.questions import (
    COMPANIONS,
    NO_SEGMENT,
    UNITS,
    WINDOWS,
    ExperimentPlan,
    Planning,
    Question,
    Unit,
    with_companions,
)
from rankmeter.wings.online.sums import Sums, counts_impressions, denominator, is_sums, measures_of, numerator
from rankmeter.wings.online.tallies import Counted, Label, add_to
from rankmeter.wings.online.trial import (
    Day,
    Decision,
    Effect,
    Experiment,
    Family,
    Interaction,
    NoveltyEffect,
    Role,
    SampleRatio,
)
from rankmeter.wording import Option, Said, said

MISMATCH = 0.001
"""Below this p-value the sample ratio is taken as broken; smaller than 0.05 because the check is made every day."""

FEW = 100
"""With fewer units in a group than this the test of a quotient errs more often than it says."""

_Key = TypeVar("_Key", bound=Hashable)
_CONTROLS = ("control", "a", "baseline", "off", "0", "default", "production")


def experiment(
    data: object,
    measures: object = None,
    *,
    control: str | None = None,
    ratios: Mapping[str, float] | None = None,
    unit: Unit = "user",
    start: str | datetime | date | float | None = None,
    segments: str | None = None,
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
    **settings: Unpack[Planning],
) -> Experiment:
    """Compare variants with a control.

    Parameters
    ----------
    data
        A log with a ``variant`` column, or sums by variant (``{"A": Sums, "B": Sums}``), which is all that is needed.
    measures
        As for :func:`rankmeter.online.evaluate`; with sums, all that they hold by default.
    control
        The variant that the others are compared with. By default one called control, A, baseline, off or 0.
    ratios
        In what ratios units were meant to be split, ``{"A": 9, "B": 1}``; equally by default.
    unit
        What was randomised; ``hour`` and ``day`` are for switchback experiments. Where the log shows that users keep
        their variant, users are taken, and it is said.
    start
        When the experiment began. Earlier events then serve as what the same users did before, and differences are
        adjusted by it (CUPED).
    segments
        A column whose values are looked at one by one, as an exploration corrected on its own, with a test of whether
        the effects differ.
    columns, types, format
        As for :func:`rankmeter.online.read_events`.
    settings
        How the experiment is decided: ``level``, ``power``, ``correction``, ``primary``, ``guardrails``,
        ``sequential``, ``looks``, ``prior``, ``covariates``, ``strata``, ``days``, and as for ``evaluate``
        ``resamples``, ``seed``, ``bots``, ``crossed``: see :class:`.questions.Planning`.

    Examples
    --------
    >>> import rankmeter as rm
    >>> shown = {"A": [10, 4, 20, 1, 8, 5, 12, 2], "B": [9, 6, 15, 3, 7, 2, 14, 4]}
    >>> clicks = {"A": [1, 1, 3, 0, 2, 0, 1, 1], "B": [2, 1, 3, 1, 2, 0, 3, 1]}
    >>> log = [
    ...     {"time": n, "user": f"{v}{u}", "request": f"{v}{u}", "item": i, "type": kind, "variant": v}
    ...     for v in "AB"
    ...     for n, (kind, counts) in enumerate([("impression", shown), ("click", clicks)])
    ...     for u, count in enumerate(counts[v])
    ...     for i in range(count)
    ... ]
    >>> trial = rm.online.experiment(log, ["CTR"])
    >>> effect = trial.effect("CTR")
    >>> round(effect.difference.value, 4), round(effect.p, 4), effect.verdict
    (0.0715, 0.0483, 'better')
    """
    plan = ExperimentPlan.of(settings, Planning)
    check_choice("unit", unit, UNITS)
    if is_sums(data):
        asked = {"start": start, "segments": segments, "resamples": plan.resamples or None, "strata": plan.strata,
                 "covariates": plan.covariates or None, "days": plan.days or None}  # fmt: skip
        for name, value in asked.items():
            if value is not None:
                raise InputError.of("online.not_with_sums", option=Option(name, value))
        return _from_sums(data, measures, control, ratios, unit, plan)  # type: ignore[arg-type]
    divided = _divided(segments, plan, unit)
    if divided is not None:
        check_divides(data, divided, columns, ("segment",))
    if divided is not None and not isinstance(data, Events):
        columns = {**(columns or {}), "segment": divided}
    log = read_events(data, columns=columns, types=types, format=format, covariates=plan.covariates)
    if log.covariates != plan.covariates:
        raise InputError.of("online.read_without_covariates")
    wanted = _asked(measures, plan)
    chosen = with_companions(wanted, unit)
    by = ("variant", "segment") if divided is not None else ("variant",)
    moment = None if start is None else _moment(start)
    for name, given in (("start", moment is not None), ("covariates", plan.covariates), ("days", plan.days)):
        if given and unit != "user":
            raise InputError.of("online.about_users", option=Option(name))
    if divided is not None and any(measure.is_located for measure in chosen):
        raise InputError.of("online.no_quantiles_by_segment")
    counted, notes = counted_by_unit(log, Question(chosen, unit=unit, by=by, start=moment, plan=plan))
    groups = by_variant(counted.groups)
    _check_anyone_left(counted, groups, moment, log)
    base = _control(control, list(groups))
    whole = Contrast(
        groups, base, plan, by_variant(counted.resampled), counted.question.known,
        heaviest=by_variant(counted.heaviest),
        located={} if divided else {variant: sides for (variant,), sides in counted.located.items()},
        strata=list(by_segment(counted.groups).values()) if plan.strata is not None else (),
    )  # fmt: skip
    families = _families(wanted, chosen, plan)
    results = _results(whole, families, ratios)
    of_segments = _by_segment(counted, families, base, plan) if segments is not None else ()
    return Experiment(
        **results,
        segments=of_segments,
        segment=segments or "",
        interactions=_interactions(of_segments, families, plan),
        days=days_of(counted, chosen, base, plan) if plan.days else (),
        novelty=novelty_of(counted, families, base, plan) if plan.days else (),
        **described(log, counted, [*notes, *_warnings(results["effects"], whole, counted.question.unit)]),
    )


def _families(
    asked: Sequence[OnlineMeasure], chosen: Sequence[OnlineMeasure], plan: ExperimentPlan
) -> dict[OnlineMeasure, Family]:
    """The family of each measure: what else is asked, and what stands beside it unasked, leaves the first alone."""
    primary, guarded = {parse(text) for text in plan.primary}, {parse(text) for text in plan.guardrails}
    first = next((measure for measure in asked if not primary and measure not in guarded), None)
    families: dict[OnlineMeasure, Family] = {}
    for measure in chosen:
        if measure in guarded:
            families[measure] = "guardrail"
        elif measure in primary:
            families[measure] = "primary"
        elif measure == first:
            families[measure] = "first"
        else:
            families[measure] = "others" if measure in asked else "beside"
    return families


def _results(
    whole: Contrast, families: Mapping[OnlineMeasure, Family], ratios: Mapping[str, float] | None
) -> dict[str, Any]:
    """What every experiment holds, from a log or from sums: values, the sample ratio, effects and decisions."""
    measures, plan = list(families), whole.plan
    ratio = _check_ratio(whole.groups, ratios, plan.look())
    effects = decided(whole.effects(measures), families, plan)
    variants = dict.fromkeys(effect.variant for effect in effects if plan.primary or plan.guardrails)
    return {
        "control": whole.control,
        "values": {variant: whole.values(variant, measures) for variant in whole.groups},
        "ratio": ratio,
        "effects": effects,
        "plan": plan,
        "decisions": tuple(
            Decision.of(variant, [effect for effect in effects if effect.variant == variant], is_sound=ratio.is_sound)
            for variant in variants
        ),
        "sums": whole.groups,
    }


def _divided(segments: str | None, plan: ExperimentPlan, unit: Unit) -> str | None:
    """The column that divides units, as segments to be looked at or as strata to be weighted."""
    if segments is not None and not isinstance(segments, str):
        raise InputError.of("online.segments_not_a_name", segments=segments)
    if segments and plan.strata not in (None, segments):
        raise InputError.of("online.segments_and_strata", segments=segments, strata=plan.strata)
    divided = segments or plan.strata
    if unit in WINDOWS and divided is not None:
        raise InputError.of("online.window_of_segments", unit=unit)
    return divided


def _asked(measures: object, plan: ExperimentPlan) -> list[OnlineMeasure]:
    """The measures asked for, with those that the plan names."""
    named = [*plan.primary, *plan.guardrails]
    listed = into_online(measures if measures is not None else named or DEFAULT_MEASURES)
    return list(dict.fromkeys([*listed, *(into_online(named) if named else ())]))


def _from_sums(
    groups: Mapping[str, Sums],
    measures: object,
    control: str | None,
    ratios: Mapping[str, float] | None,
    unit: Unit,
    plan: ExperimentPlan,
) -> Experiment:
    asked = _asked(measures_of(next(iter(groups.values()))) if measures is None else measures, plan)
    for measure in asked:
        for variant, sums in groups.items():
            if not (sums.has(numerator(measure)) and sums.has(denominator(measure))):
                holds = examples(measures_of(sums)) or said("online.none_found")
                raise InputError.of("online.sums_without_measure", variant=variant, measure=measure, holds=holds)
    whole = Contrast(groups, _control(control, list(groups)), plan)
    results = _results(whole, _families(asked, asked, plan), ratios)
    notes = _warnings(results["effects"], whole, unit)
    is_counted = all(counts_impressions(groups, measure) for measure in asked)
    notes = [said("impressions_are_units"), *notes] if is_counted else notes
    told = "impression" if is_counted else unit
    return Experiment(source="sums", unit=told, measures=tuple(asked), notes=tuple(notes), **results)


def _moment(start: str | datetime | date | float) -> int:
    """When the experiment began, in microseconds since 1970; without a time zone in UTC."""
    if isinstance(start, str):
        try:
            start = datetime.fromisoformat(start)
        except ValueError as error:
            raise InputError.of("online.no_time", start=start) from error
    if isinstance(start, datetime):
        aware = start if start.tzinfo else start.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1e6)
    if not isinstance(start, date):
        return round(check_number("start", start) * 1e6)
    return round(datetime(start.year, start.month, start.day, tzinfo=UTC).timestamp() * 1e6)


def _check_anyone_left(counted: Counted, groups: Mapping[str, Sums], start: int | None, log: Events) -> None:
    """Say why nobody is left to compare, where nobody is; or why a covariate says nothing."""
    for name in log.covariates:
        if not any(sums.n and sums.mean(f"{name} known") > 0 for sums in groups.values()):
            raise InputError.of("online.covariate_no_number", source=log.source, name=name)
    if any(sums.n for sums in groups.values()):
        return
    if start is not None and not groups:
        early = counted.found["events before the start"]
        raise InputError.of("online.all_before_start", source=log.source, events_before_the_start=early)
    if several := counted.found["units in several variants"]:
        raise InputError.of("online.nobody_left", source=log.source, several=several)


def _control(stated: str | None, variants: list[str]) -> str:
    if len(variants) < 2:
        hint = say_names("variant")
        raise InputError.of("online.one_variant", variants=variants or said("online.none_found"), hint=hint)
    if stated is not None:
        if stated not in variants:
            near = did_you_mean(str(stated), variants) or None
            raise NotFoundError.of("online.no_variant", stated=stated, variants=variants, hint=near)
        return stated
    usual = (variant for name in _CONTROLS for variant in variants if variant.casefold() == name)
    for control in usual:
        return control
    raise InputError.of("online.which_control", variants=variants, control=variants[0])


def _check_ratio(groups: Mapping[str, Sums], ratios: Mapping[str, float] | None, look: Look) -> SampleRatio:
    names = list(groups)
    check_mapping("ratios", ratios, "ratios={'A': 9, 'B': 1}")
    if ratios is not None and set(ratios) != set(names):
        raise InputError.of("online.ratios_of_others", named=list(map(str, ratios)), names=list(names))
    meant = {name: check_number(f"the ratio of {name}", ratios[name]) if ratios else 1.0 for name in names}
    counts = {name: groups[name].n for name in names}
    test = sample_ratio if look.rule == "once" else look.sample_ratio
    p = test([counts[name] for name in names], [meant[name] for name in names])
    return SampleRatio(counts, meant, p, p >= MISMATCH, look.rule)


def _by_segment(
    counted: Counted, families: Mapping[OnlineMeasure, Family], control: str, plan: ExperimentPlan
) -> tuple[Effect, ...]:
    resampled, heaviest = by_segment(counted.resampled), by_segment(counted.heaviest)
    effects: list[Effect] = []
    for segment, variants in by_segment(counted.groups).items():
        groups = {variant: sums for variant, sums in variants.items() if sums.n}
        if segment != NO_SEGMENT and control in groups and len(groups) > 1:
            part = Contrast(groups, control, plan, resampled.get(segment, {}), heaviest=heaviest[segment])
            effects += part.effects([*families], segment)
    # The looks at all segments are in one family.
    return corrected_effects([replace(effect, family=families[effect.measure]) for effect in effects], plan)


def _interactions(
    effects: Sequence[Effect], families: Mapping[OnlineMeasure, Family], plan: ExperimentPlan
) -> tuple[Interaction, ...]:
    """For each measure and variant whether the effects of the segments differ, corrected within their family."""
    of_segments: dict[tuple[OnlineMeasure, str], list[Estimate]] = {}
    for effect in effects:
        of_segments.setdefault((effect.measure, effect.variant), []).append(effect.difference)
    p = {pair: heterogeneity(differences, plan.look()) for pair, differences in of_segments.items()}
    after = _corrected_within(p, {pair: families[pair[0]] for pair in p}, plan)
    return tuple(Interaction(*pair, len(of_segments[pair]), p[pair], after[pair], plan.level) for pair in p)


def _corrected_within(
    p: Mapping[_Key, float], families: Mapping[_Key, Family], plan: ExperimentPlan
) -> dict[_Key, float]:
    """The p-values, each corrected with those of its family."""
    after: dict[_Key, float] = {}
    for family in dict.fromkeys(families.values()):
        after |= corrected_p({key: each for key, each in p.items() if families[key] == family}, plan.correction)
    return after


def _warnings(effects: Sequence[Effect], whole: Contrast, unit: str) -> list[Said]:
    """What a reader of the table must be told."""
    beside = {effect.variant: effect.difference.value for effect in effects if effect.measure == COMPANIONS.get(unit)}
    warnings = [
        said("opposite_directions", variant=effect.variant, measure=str(effect.measure))
        for effect in effects
        if isinstance(effect.measure, ConversionRate) and effect.measure.per == "click"
        if effect.difference.value * beside.get(effect.variant, math.nan) < 0
    ]
    if (adjusted := next((effect.adjusted for effect in effects if effect.adjusted is not None), None)) is not None:
        kind = "adjusted_by_strata" if whole.strata else "adjusted_by_before"
        warnings.append(said(kind, names=list(adjusted.coefficients)))
    for variant, sums in whole.groups.items():
        if 0 < sums.n < FEW:
            warnings.append(said("few_units_in_a_group", variant=variant, units=sums.n, enough=FEW))
    for effect in effects:
        if effect.plain.rests_on_few:
            names, is_tested = (whole.control, effect.variant), not math.isnan(effect.p)
            warnings.append(resting_note(effect.measure, names, whole.groups, whole.heaviest, is_tested=is_tested))
    if whole.plan.prior is not None:
        warnings.append(said("prior_is", prior=whole.plan.prior))
    return warnings


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
    heaviest: Mapping[str, Heaviest] = field(default_factory=dict)
    """The units of each variant that a quotient may rest on."""
    strata: Sequence[Mapping[str, Sums]] = ()
    """The sums of each stratum by variant, where units are weighted by their stratum."""

    def values(self, variant: str, measures: Sequence[OnlineMeasure]) -> dict[OnlineMeasure, Estimate]:
        """The value of each measure in one variant."""
        located, resampled = self.located.get(variant), self.resampled.get(variant)
        return group_values(self.groups[variant], measures, self.plan.look(), located, resampled)

    def effects(self, measures: Sequence[OnlineMeasure], segment: str = "") -> tuple[Effect, ...]:
        """Each measure of each variant against the control, not yet corrected."""
        values = {variant: self.values(variant, measures) for variant in self.groups}
        effects = []
        for measure, variant in product(measures, [name for name in self.groups if name != self.control]):
            plain, adjusted = self.difference(variant, measure)
            chance, loss = math.nan, math.nan
            if self.plan.prior is not None and measure.direction:
                test = adjusted.difference if adjusted is not None else plain
                chance, loss = test.chance_to_win(self.plan.prior, measure.direction)
            effects.append(
                Effect(measure, variant, self.control, segment, values[self.control][measure], values[variant][measure],
                       plain, adjusted, least=math.nan, p_corrected=math.nan, chance=chance, loss=loss)
            )  # fmt: skip
        return tuple(effects)

    def difference(self, variant: str, measure: OnlineMeasure) -> tuple[Lift, Adjusted | None]:
        """The difference of a variant from the control, plain and adjusted."""
        base, sums, look = self.groups[self.control], self.groups[variant], self.plan.look()
        if measure.is_located:
            sides = (self.located[name][measure] for name in (self.control, variant))
            return compare(*sides, look=look, method=said("method_by_unit")), None
        heaviest = [self.heaviest[name] for name in (self.control, variant) if name in self.heaviest]
        plain = difference(base, sums, measure, look=look, heaviest=heaviest, seed=self.plan.seed)
        if plain.rests_on_few:
            return plain, None
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


def corrected_effects(effects: Sequence[Effect], plan: ExperimentPlan) -> tuple[Effect, ...]:
    """Effects with p-values corrected for how many their family has, and what could be found after that."""
    families = {place: effect.family for place, effect in enumerate(effects)}
    p = _corrected_within({place: effect.p for place, effect in enumerate(effects)}, families, plan)
    sizes = Counter(families.values())
    looks = [1 if plan.correction == "none" else sizes[effect.family] for effect in effects]
    least = [
        detectable(
            effect.difference.variance,
            plan.look(),
            power=plan.power,
            freedom=effect.test.freedom,
            units=effect.difference.units,
            looks_at=asked,
        )
        for effect, asked in zip(effects, looks, strict=True)
    ]
    return tuple(replace(effect, p_corrected=p[place], least=least[place]) for place, effect in enumerate(effects))


def decided(
    effects: Sequence[Effect], families: Mapping[OnlineMeasure, Family], plan: ExperimentPlan
) -> tuple[Effect, ...]:
    """Effects in their roles, each family corrected on its own.

    Guardrails must all hold, so that a false verdict needs one that is wrong: their margins are corrected for the
    number of variants only.
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
            effect = replace(effect, margin=margins[effect.measure], p_margin=min(1.0, p * variants),
                             p_beyond=min(1.0, (1 - p) * variants))  # fmt: skip
            role = "guardrail"
        elif primary or margins:
            role = "primary" if effect.measure in primary else "diagnostic"
        placed.append(replace(effect, role=role, family=families[effect.measure]))
    return corrected_effects(placed, plan)


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
    groups: dict[int, dict[str, dict[Label, Sums]]] = {}
    for (label, number, kind), sums in sorted(counted.days.items()):
        groups.setdefault(number, {"daily": {}, "cumulative": {}})[kind][label] = sums
    rows = []
    for measure, number in product([measure for measure in measures if not measure.is_located], sorted(groups)):
        daily, cumulative = (by_variant(part) for part in groups[number].values())
        for variant in [name for name in cumulative if name != control]:
            empty = Sums.empty(cumulative[variant].names)
            alone, so_far = (
                difference(part.get(control, empty), part.get(variant, empty), measure, look=look).absolute
                for part, look in ((daily, Look(plan.level)), (cumulative, plan.look().always()))
            )
            day = (date(1970, 1, 1) + timedelta(days=number)).isoformat()
            rows.append(Day(day, measure, variant, so_far.units, alone, so_far))
    return tuple(rows)


def novelty_of(
    counted: Counted, families: Mapping[OnlineMeasure, Family], control: str, plan: ExperimentPlan
) -> tuple[NoveltyEffect, ...]:
    """Whether the effect of the second half of the days is that of the first."""
    groups = by_variant(counted.halves)
    changes = {
        (measure, variant): compare(change(groups[control], measure), change(groups[variant], measure),
                                    look=plan.look().moving(), method=said("method_halves"))
        for measure in families if not measure.is_located
        for variant in groups if variant != control and control in groups
    }  # fmt: skip
    family = {pair: families[pair[0]] for pair in changes}
    p = _corrected_within({key: lift.p for key, lift in changes.items()}, family, plan)
    return tuple(NoveltyEffect(*key, lift.absolute, lift.p, p[key]) for key, lift in changes.items())
