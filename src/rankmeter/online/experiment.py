"""Experiments: what changed between variants, how sure that is, and whether the experiment can be trusted at all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Unpack

from rankmeter.errors import InputError, NotFoundError, check_number, did_you_mean, examples
from rankmeter.inputs.columns import say_columns
from rankmeter.measures.online import ConversionRate, OnlineMeasure
from rankmeter.online.event_columns import check_mapping
from rankmeter.online.events import Events, read_events
from rankmeter.online.log_evaluation import DEFAULT_MEASURES, check_unit, counted_by_unit, described, into_online
from rankmeter.online.questions import (
    COMPANIONS,
    NO_SEGMENT,
    WINDOWS,
    ExperimentPlan,
    Planning,
    Question,
    Unit,
    with_companions,
)
from rankmeter.online.sums import Sums, denominator, is_sums, measures_of, numerator
from rankmeter.online.tallies import Counted
from rankmeter.online.trial import Effect, Experiment, Interaction, SampleRatio
from rankmeter.online.variant_effects import (
    Contrast,
    by_segment,
    by_variant,
    corrected_effects,
    corrected_p,
    days_of,
    decided,
    decisions,
    novelty_of,
)
from rankmeter.stats.estimates import Estimate, heterogeneity
from rankmeter.stats.power import sample_ratio
from rankmeter.wording import Option, Said, said

MISMATCH = 0.001
"""Below this p-value the sample ratio is taken as broken; smaller than 0.05 because the check is made every day."""

FEW = 100
"""With fewer units in a group than this the test of a quotient errs more often than it says."""

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
        ``resamples``, ``seed``, ``bots``, ``crossed``: see :class:`rankmeter.online.questions.Planning`.

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
    if is_sums(data):
        asked = {"start": start, "segments": segments, "resamples": plan.resamples or None, "strata": plan.strata,
                 "covariates": plan.covariates or None, "days": plan.days or None}  # fmt: skip
        for name, value in asked.items():
            if value is not None:
                raise InputError.of("online.not_with_sums", option=Option(name, value))
        return _from_sums(data, measures, control, ratios, unit, plan)  # type: ignore[arg-type]
    divided = _divided(segments, plan, unit)
    if divided is not None and not isinstance(data, Events):
        columns = {**(columns or {}), "segment": divided}
    log = read_events(data, columns=columns, types=types, format=format, covariates=plan.covariates)
    if log.covariates != plan.covariates:
        raise InputError.of("online.read_without_covariates")
    chosen = with_companions(_asked(measures, plan), check_unit(unit))
    by = ("variant", "segment") if divided is not None else ("variant",)
    moment = None if start is None else _moment(start)
    for name, wanted in (("start", moment is not None), ("covariates", plan.covariates), ("days", plan.days)):
        if wanted and unit != "user":
            raise InputError.of("online.about_users", option=Option(name))
    if divided is not None and any(measure.is_located for measure in chosen):
        raise InputError.of("online.no_quantiles_by_segment")
    counted, notes = counted_by_unit(log, Question(chosen, unit=unit, by=by, start=moment, plan=plan))
    groups = by_variant(counted.groups)
    _check_anyone_left(counted, groups, moment, log)
    base = _control(control, list(groups))
    whole = Contrast(
        groups, base, plan, by_variant(counted.resampled), counted.question.known,
        located={} if divided else {variant: sides for (variant,), sides in counted.located.items()},
        strata=list(by_segment(counted.groups).values()) if plan.strata is not None else (),
    )  # fmt: skip
    decision = _decided(whole, chosen, ratios)
    of_segments = _by_segment(counted, chosen, base, plan) if segments is not None else ()
    return Experiment(
        **decision,
        segments=of_segments,
        segment=segments or "",
        interactions=_interactions(of_segments, plan),
        days=days_of(counted, chosen, base, plan) if plan.days else (),
        novelty=novelty_of(counted, chosen, base, plan) if plan.days else (),
        **described(log, counted, [*notes, *_warnings(decision["effects"], whole, counted.question.unit)]),
    )


def _decided(whole: Contrast, measures: Sequence[OnlineMeasure], ratios: Mapping[str, float] | None) -> dict[str, Any]:
    """What every experiment holds, from a log or from sums: values, the sample ratio, effects and decisions."""
    effects = decided(whole.effects(measures), whole.plan)
    ratio = _check_ratio(whole.groups, ratios)
    return {
        "control": whole.control,
        "values": {variant: whole.values(variant, measures) for variant in whole.groups},
        "ratio": ratio,
        "effects": effects,
        "plan": whole.plan,
        "decisions": decisions(effects, whole.plan, is_sound=ratio.is_sound),
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
                holds = examples(measures_of(sums)) or said("general.none")
                raise InputError.of("online.sums_without_measure", variant=variant, measure=measure, holds=holds)
    whole = Contrast(groups, _control(control, list(groups)), plan)
    decision = _decided(whole, asked, ratios)
    notes = tuple(_warnings(decision["effects"], whole, unit))
    return Experiment(source="sums", unit=unit, measures=tuple(asked), notes=notes, **decision)


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
        hint = say_columns("variant", "NAME")
        raise InputError.of("online.one_variant", variants=variants or said("general.none"), hint=hint)
    if stated is not None:
        if stated not in variants:
            near = did_you_mean(str(stated), variants) or None
            raise NotFoundError.of("online.no_variant", stated=stated, variants=variants, hint=near)
        return stated
    usual = (variant for name in _CONTROLS for variant in variants if variant.casefold() == name)
    for control in usual:
        return control
    raise InputError.of("online.which_control", variants=variants, control=variants[0])


def _check_ratio(groups: Mapping[str, Sums], ratios: Mapping[str, float] | None) -> SampleRatio:
    names = list(groups)
    check_mapping("ratios", ratios, "ratios={'A': 9, 'B': 1}")
    if ratios is not None and set(ratios) != set(names):
        raise InputError.of("online.ratios_of_others", named=list(map(str, ratios)), names=list(names))
    meant = {name: check_number(f"the ratio of {name}", ratios[name]) if ratios else 1.0 for name in names}
    counts = {name: groups[name].n for name in names}
    p = sample_ratio([counts[name] for name in names], [meant[name] for name in names])
    return SampleRatio(counts, meant, p, p >= MISMATCH)


def _by_segment(
    counted: Counted, measures: Sequence[OnlineMeasure], control: str, plan: ExperimentPlan
) -> tuple[Effect, ...]:
    resampled = by_segment(counted.resampled)
    effects: list[Effect] = []
    for segment, variants in by_segment(counted.groups).items():
        groups = {variant: sums for variant, sums in variants.items() if sums.n}
        if segment != NO_SEGMENT and control in groups and len(groups) > 1:
            effects += Contrast(groups, control, plan, resampled.get(segment, {})).effects(measures, segment)
    # All segments together are one family of looks.
    return corrected_effects(effects, plan)


def _interactions(effects: Sequence[Effect], plan: ExperimentPlan) -> tuple[Interaction, ...]:
    """For each measure and variant whether the effects of the segments differ, corrected for how many are asked."""
    families: dict[tuple[OnlineMeasure, str], list[Estimate]] = {}
    for effect in effects:
        families.setdefault((effect.measure, effect.variant), []).append(effect.difference)
    p = {pair: heterogeneity(of_segments) for pair, of_segments in families.items()}
    after = corrected_p(p, plan.correction)
    return tuple(Interaction(*pair, len(families[pair]), p[pair], after[pair], plan.level) for pair in families)


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
    if whole.plan.prior is not None:
        warnings.append(said("prior_is", prior=whole.plan.prior))
    return warnings
