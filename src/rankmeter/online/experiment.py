"""Experiments: what changed between variants, how sure that is, and whether the experiment can be trusted at all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, NotFoundError, check_level, did_you_mean, examples, with_hint
from rankmeter.measures import parse
from rankmeter.measures.online import ConversionRate, Conversions, OnlineMeasure
from rankmeter.online.bootstrap import Resampled, middle, two_sided
from rankmeter.online.checks import findings
from rankmeter.online.counting import NO_SEGMENT, Counted, Question, Unit, count, with_companions
from rankmeter.online.evaluation import (
    DEFAULT_MEASURES,
    check_settings,
    check_unit,
    counts_of,
    into_online,
    lengths_of,
    notes_of,
    position_rates,
)
from rankmeter.online.events import Events, read_events
from rankmeter.online.inference import Difference, Estimate, cuped, difference, estimate, minimum_detectable
from rankmeter.online.proportions import sample_ratio
from rankmeter.online.settings import check_choice, check_number
from rankmeter.online.sums import BEFORE, Sums, above, below, is_sums
from rankmeter.online.trial import Effect, Experiment, SampleRatio
from rankmeter.stats.corrections import CORRECTIONS, Correction, corrected
from rankmeter.wording import Said, said

MISMATCH = 0.001
"""Below this p-value the sample ratio is taken as broken; smaller than 0.05 because the check is made every day."""

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
    level: float = 0.95,
    power: float = 0.8,
    correction: Correction = "holm",
    resamples: int = 0,
    seed: int = 0,
    bots: Literal["keep", "drop"] = "keep",
    crossed: Literal["drop", "first"] = "drop",
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
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
        What was randomised.
    start
        When the experiment began. Earlier events then serve as what the same users did before, and differences are
        adjusted by it (CUPED).
    segments
        A column whose values are looked at one by one, as an exploration corrected on its own.
    level, power
        Of the intervals and of the smallest difference that could have been found.
    correction
        For the number of differences looked at: ``holm``, ``hochberg``, ``bonferroni``, ``bh``, ``by`` or ``none``.
    resamples, seed
        With resamples, intervals and p-values come from resampled units instead of the delta method.
    bots, crossed, columns, types, format
        As for :func:`rankmeter.online.evaluate`.

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
    >>> found = rm.online.experiment(log, ["CTR"])
    >>> effect = found.effect("CTR")
    >>> round(effect.difference.value, 4), round(effect.p, 4), effect.verdict
    (0.0715, 0.0483, 'better')
    """
    check_settings(level=level, resamples=resamples, seed=seed, bots=bots, crossed=crossed)
    check_level(power, "power")
    check_choice("correction", correction, list(CORRECTIONS))
    if segments is not None and not isinstance(segments, str):
        raise InputError(
            with_hint(f"segments={segments!r} is not possible; it names one column.", "segments='country'")
        )
    settings = {"level": level, "power": power, "correction": correction}
    if is_sums(data):
        _refuse_events_only(start=start, segments=segments, resamples=resamples or None)
        return _from_sums(data, measures, control, ratios, unit, settings)  # type: ignore[arg-type]
    if segments is not None and not isinstance(data, Events):
        columns = {**(columns or {}), "segment": segments}
    log = read_events(data, columns=columns, types=types, format=format)
    chosen = with_companions(into_online(DEFAULT_MEASURES if measures is None else measures))
    by = ("variant", "segment") if segments is not None else ("variant",)
    moment = None if start is None else _moment(start)
    if moment is not None and unit != "user":
        raise InputError("start= looks at what the same users did before, so the unit must be the user.")
    question = Question(chosen, unit=check_unit(unit), by=by, start=moment, bots=bots, crossed=crossed,
                        resamples=resamples, seed=seed)  # fmt: skip
    counted = count(log, question)
    groups = _variants(counted.groups)
    resampled = _variants(counted.resampled)
    _check_anyone_left(counted, groups, moment, log)
    base = _control(control, list(groups))
    made = _effects(groups, resampled, chosen, base, settings)
    return Experiment(
        source=log.source,
        unit=unit,
        control=base,
        measures=chosen,
        values=_values(groups, resampled, chosen, level),
        ratio=_check_ratio(groups, ratios),
        effects=made,
        segments=_by_segment(counted, chosen, base, settings) if segments is not None else (),
        segment=segments or "",
        correction=correction,
        level=level,
        sums=groups,
        findings=findings(log, counted, question),
        notes=(*notes_of(log, counted), *_warnings(made, log)),
        counts=counts_of(counted),
        positions=position_rates(counted, level=level),
        lengths=lengths_of(counted),
    )


def _from_sums(
    groups: Mapping[str, Sums],
    measures: object,
    control: str | None,
    ratios: Mapping[str, float] | None,
    unit: Unit,
    settings: Mapping[str, Any],
) -> Experiment:
    held = [name.removesuffix(" x") for name in next(iter(groups.values())).names if name.endswith(" x")]
    asked = into_online([parse(name) for name in held] if measures is None else measures)
    for measure in asked:
        for variant, sums in groups.items():
            if not (sums.has(above(measure)) and sums.has(below(measure))):
                holds = [name.removesuffix(" x") for name in sums.names if name.endswith(" x")]
                fact = f"the sums of variant {variant} do not hold {measure}; they hold {examples(holds) or 'nothing'}."
                raise InputError(with_hint(fact, "every variant needs a row for every measure"))
    base = _control(control, list(groups))
    made = _effects(groups, {}, asked, base, settings)
    return Experiment(
        source="sums",
        unit=unit,
        control=base,
        measures=tuple(asked),
        values=_values(groups, {}, asked, settings["level"]),
        ratio=_check_ratio(groups, ratios),
        effects=made,
        segments=(),
        segment="",
        correction=settings["correction"],
        level=settings["level"],
        sums=groups,
        findings=(),
        notes=_warnings(made, None),
        counts={},
        positions=(),
        lengths=(),
    )


def _refuse_events_only(**asked: object) -> None:
    """Refuse what only events can answer, so that nothing asked for is left out in silence."""
    for name, value in asked.items():
        if value is not None:
            fact = f"{name}={value} is not possible with sums: they no longer hold the events."
            raise InputError(with_hint(fact, "give the log of events instead"))


def _moment(start: str | datetime | date | float) -> int:
    """When the experiment began, in microseconds since 1970; without a time zone in UTC."""
    if isinstance(start, str):
        try:
            start = datetime.fromisoformat(start)
        except ValueError as error:
            raise InputError(
                with_hint(f"start='{start}' is no time.", "start='2026-03-01' or '2026-03-01T09:00Z'")
            ) from error
    if isinstance(start, datetime):
        aware = start if start.tzinfo else start.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1e6)
    if not isinstance(start, date):
        return round(check_number("start", start) * 1e6)
    return round(datetime(start.year, start.month, start.day, tzinfo=UTC).timestamp() * 1e6)


def _variants(groups: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """What was counted by variant and segment, by variant alone."""
    merged: dict[str, Any] = {}
    for (variant, *_), part in sorted(groups.items()):
        merged[variant] = merged[variant] + part if variant in merged else part
    return merged


def _check_anyone_left(counted: Counted, groups: Mapping[str, Sums], start: int | None, log: Events) -> None:
    """Say why nobody is left to compare, where nobody is."""
    if any(sums.n for sums in groups.values()):
        return
    if start is not None and not groups:
        fact = f"{log.source}: all of its {counted.found['events before the start']:,} events are before the start."
        raise InputError(with_hint(fact, "start= is when the experiment began; without a time zone it is taken as UTC"))
    if several := counted.found["units in several variants"]:
        fact = f"{log.source}: nobody is left to compare, since all {several:,} units were seen in several variants."
        raise InputError(with_hint(fact, "crossed='first' counts them in the first"))


def _control(stated: str | None, variants: list[str]) -> str:
    if len(variants) < 2:
        fact = f"an experiment needs two variants or more; there is {', '.join(variants) or 'none'}."
        raise InputError(with_hint(fact, "columns={'variant': 'NAME'}"))
    if stated is not None:
        if stated not in variants:
            raise NotFoundError(with_hint(f"there is no variant '{stated}'; there are {', '.join(variants)}.",
                                          did_you_mean(str(stated), variants)))  # fmt: skip
        return stated
    for usual in _CONTROLS:
        for variant in variants:
            if variant.casefold() == usual:
                return variant
    raise InputError(with_hint(f"which of {', '.join(variants)} is the control?", f"control='{variants[0]}'"))


def _check_ratio(groups: Mapping[str, Sums], ratios: Mapping[str, float] | None) -> SampleRatio:
    names = list(groups)
    if ratios is not None and not isinstance(ratios, Mapping):
        raise InputError(with_hint(f"ratios= is of type {type(ratios).__name__}; expected a mapping.",
                                   "ratios={'A': 9, 'B': 1}"))  # fmt: skip
    if ratios is not None and set(ratios) != set(names):
        raise InputError(f"ratios= is for {', '.join(map(str, ratios))}, but the variants are {', '.join(names)}.")
    meant = {name: check_number(f"the ratio of {name}", ratios[name]) if ratios else 1.0 for name in names}
    counts = {name: groups[name].n for name in names}
    p = sample_ratio([counts[name] for name in names], [meant[name] for name in names])
    return SampleRatio(counts, meant, p, p >= MISMATCH)


def _values(
    groups: Mapping[str, Sums], resampled: Mapping[str, Resampled], measures: Sequence[OnlineMeasure], level: float
) -> dict[str, dict[OnlineMeasure, Estimate]]:
    return {
        variant: {one: estimate(sums, one, level=level, resampled=resampled.get(variant)) for one in measures}
        for variant, sums in groups.items()
    }


def _effects(
    groups: Mapping[str, Sums],
    resampled: Mapping[str, Resampled],
    measures: Sequence[OnlineMeasure],
    control: str,
    settings: Mapping[str, Any],
    segment: str = "",
) -> tuple[Effect, ...]:
    level = settings["level"]
    base = groups[control]
    made = []
    for measure in measures:
        for variant, sums in groups.items():
            if variant == control:
                continue
            plain = difference(base, sums, measure, level=level)
            adjusted = cuped(base, sums, measure, level=level) if sums.n else None
            if control in resampled and variant in resampled:
                drawn = resampled[control], resampled[variant], base, measure, level
                plain = resampled_difference(plain, *drawn)
                if adjusted is not None:
                    again = resampled_difference(adjusted.difference, *drawn, adjusted.theta)
                    adjusted = replace(adjusted, difference=again)
            least = minimum_detectable(base, measure, units=base.n, other_units=max(sums.n, 1), level=level,
                                       power=settings["power"]) if base.n and sums.n else math.nan  # fmt: skip
            made.append(
                Effect(
                    measure=measure,
                    variant=variant,
                    control=control,
                    segment=segment,
                    control_value=estimate(base, measure, level=level),
                    value=estimate(sums, measure, level=level),
                    plain=plain,
                    adjusted=adjusted,
                    least=least,
                    p_corrected=math.nan,
                )
            )
    return with_corrected(made, settings["correction"])


def with_corrected(effects: Sequence[Effect], correction: Correction) -> tuple[Effect, ...]:
    """The same effects with p-values corrected for how many there are."""
    known = [place for place, one in enumerate(effects) if not math.isnan(one.p)]
    values = corrected(np.array([effects[place].p for place in known]), correction)
    found = dict(zip(known, values.tolist(), strict=True))
    return tuple(one.with_p(found.get(place, math.nan)) for place, one in enumerate(effects))


def resampled_difference(
    found: Difference,
    control: Resampled,
    treatment: Resampled,
    sums: Sums,
    measure: OnlineMeasure,
    level: float,
    theta: float = 0.0,
) -> Difference:
    """The same difference with the interval and p-value of the resamples; ``theta`` takes out what was there before."""
    if math.isnan(found.p):  # one unit, or units that are all alike, are alike in every resample too
        return found
    x, y = sums.place(above(measure)), sums.place(below(measure))
    base = control.quotients(x, y)
    gaps = treatment.quotients(x, y) - base
    if theta:
        x, y = sums.place(above(measure) + BEFORE), sums.place(below(measure) + BEFORE)
        gaps -= theta * (treatment.quotients(x, y) - control.quotients(x, y))
    base, gaps = base[~np.isnan(gaps)], gaps[~np.isnan(gaps)]
    method = f"{'CUPED, ' if theta else ''}bootstrap of units, {len(gaps)} resamples"
    spread = float(np.var(gaps)) if len(gaps) else math.nan
    absolute = Estimate(found.absolute.value, *middle(gaps, level), level, method, found.absolute.units, spread)
    relative = found.relative
    if len(gaps) and (base > 0).all():
        relative = Estimate(relative.value, *middle(gaps / base, level), level, method, relative.units,
                            relative.variance)  # fmt: skip
    return Difference(absolute, relative, two_sided(gaps), found.freedom, found.always_valid)


def _by_segment(
    counted: Counted, measures: Sequence[OnlineMeasure], control: str, settings: Mapping[str, Any]
) -> tuple[Effect, ...]:
    groups: dict[str, dict[str, Sums]] = {}
    resampled: dict[str, dict[str, Resampled]] = {}
    for (variant, segment), sums in sorted(counted.groups.items()):
        if sums.n and segment != NO_SEGMENT:
            groups.setdefault(segment, {})[variant] = sums
            if (variant, segment) in counted.resampled:
                resampled.setdefault(segment, {})[variant] = counted.resampled[variant, segment]
    made: list[Effect] = []
    for segment, variants in groups.items():
        if control in variants and len(variants) > 1:
            made += _effects(variants, resampled.get(segment, {}), measures, control, settings, segment)
    # All segments together are one family of looks.
    return with_corrected(made, settings["correction"])


def _warnings(effects: Sequence[Effect], log: Events | None) -> tuple[Said, ...]:
    """What a reader of the table must be told."""
    told = []
    rates = [one for one in effects if isinstance(one.measure, ConversionRate) and one.measure.per == "click"]
    for rate in rates:
        beside = next((one for one in effects if one.measure == Conversions() and one.variant == rate.variant), None)
        if beside is not None and rate.difference.value * beside.difference.value < 0:
            told.append(said("opposite_directions", variant=rate.variant, measure=str(rate.measure)))
    if log is not None and any(one.adjusted is not None for one in effects):
        told.append(said("adjusted_by_before"))
    return tuple(told)
