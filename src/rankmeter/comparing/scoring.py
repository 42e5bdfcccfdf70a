"""The value of each system and the difference of each pair, with all that is known about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankmeter.comparing.lining_up import LinedUp
from rankmeter.comparing.records import Difference, Score, Settings, units_said
from rankmeter.comparing.statistics import Statistics
from rankmeter.comparing.systems import Measured
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import Measure
from rankmeter.stats.effects import effect
from rankmeter.stats.equivalence import equivalence
from rankmeter.stats.intervals import Interval
from rankmeter.stats.paired import Pair, spread_of, without_noise, without_spread
from rankmeter.stats.power import minimum_detectable
from rankmeter.stats.samples import Sample
from rankmeter.wording import Said, said


def score_of(
    measure: Measure,
    name: str,
    measured: Mapping[str, Measured],
    lined_up: LinedUp,
    statistics: Statistics,
    reasons: Mapping[Measure, Said],
    settings: Settings,
) -> Score:
    """The value of one system under one measure."""
    one, place = measured[name], list(measured).index(name)
    value, own = lined_up.means[measure][place], one.evaluation.means[measure]
    is_own = value == own or math.isnan(own)
    bounds = one.unjudged.get(measure, "")
    bands, apart = statistics.bands.get(measure), statistics.separation.get(measure)
    band = bands.systems[place] if bands else _interval_of_whole(one.evaluation, measure, settings)
    if settings.unit == "run" and len(one.runs) == 1:
        band = None  # one run does not say how much runs vary
    reason: str = reasons.get(measure, "")
    if math.isnan(value):
        reason = said(_why_undefined(one.evaluation, measure))
    return Score(
        measure=measure,
        system=name,
        value=value,
        interval=band,
        queries=one.evaluation.counted(measure) if is_own else int(lined_up.paired[measure].sum()),
        rank=int(apart.rank[place]) if apart else None,
        rank_low=int(apart.rank_low[place]) if apart else None,
        rank_high=int(apart.rank_high[place]) if apart else None,
        in_best=bool(apart.in_best[place]) if apart else None,
        tie_bounds=one.evaluation.tie_bounds.get(measure) if is_own else None,
        unjudged=bounds if isinstance(bounds, UnjudgedBounds) else None,
        unjudged_reason="" if isinstance(bounds, UnjudgedBounds) else bounds,
        run_values=tuple(run.means[measure] for run in one.runs) if len(one.runs) > 1 else (),
        reason=reason,
    )


def _interval_of_whole(ev: Evaluation, measure: Measure, settings: Settings) -> Interval | None:
    """The interval of a measure of all lists, which is tested against nothing but may be drawn again."""
    if measure.aggregate != "whole" or settings.unit != "query" or not ev.has_interval(measure):
        return None
    return ev.interval(measure, level=settings.level, resamples=settings.resamples, seed=settings.seed)


def _why_undefined(ev: Evaluation, measure: Measure) -> str:
    if measure.aggregate == "whole":
        return "no_value"
    return "value_undefined" if ev.counted(measure) else "no_query_counts"


def difference_of(
    measure: Measure,
    couple: int,
    names: list[str],
    lined_up: LinedUp,
    samples: Mapping[Measure, Sample],
    statistics: Statistics,
    margins: Mapping[Measure, float],
    reasons: Mapping[Measure, Said],
    settings: Settings,
) -> Difference:
    """One pair under one measure."""
    left, right = statistics.couples[couple]
    if measure not in samples:
        value = lined_up.means[measure][left] - lined_up.means[measure][right]
        return Difference(
            measure=measure,
            system=names[left],
            other=names[right],
            difference=value,
            interval=None,
            p=None,
            p_corrected=None,
            significant=False,
            effect=None,
            equivalence=None,
            detectable=None,
            units=int(lined_up.paired[measure].sum()),
            reason=reasons[measure],
        )
    one = samples[measure]
    linear = one.on_scale()
    moved = linear[left] - linear[right]
    detectable = None
    if one.units > 1:
        spread, alpha = spread_of(moved), settings.alpha_of_one
        detectable = minimum_detectable(spread, one.units, alpha=alpha, power=settings.power)
    same_way = measure.higher_is_better
    reason: str = said("nothing_beyond_one") if one.units == 1 else ""
    if without_spread(moved):
        replaced = measure in margins or (settings.test == "t" and without_noise(moved).any())
        kind = "no_spread" if replaced else "nothing_to_plan_by"
        reason = said(kind, count=one.units, units=units_said(settings.unit))
    chances = float(statistics.p[measure][couple]), float(statistics.corrected[measure][couple])
    interval = statistics.bands[measure].pairs[couple]
    return replace(
        tested_difference(measure, one, (left, right), names, chances, interval, settings.alpha),
        equivalence=equivalence(moved, margins[measure], higher_is_better=same_way) if measure in margins else None,
        detectable=detectable,
        reason=reason,
    )


def tested_difference(
    measure: Measure,
    one: Sample,
    pair: Pair,
    names: Sequence[str],
    chances: tuple[float, float],
    interval: Interval | None,
    alpha: float,
) -> Difference:
    """One pair in one sample, with its p-value alone and corrected; nothing is planned from it."""
    left, right = pair
    values, per_unit = one.values(), one.per_unit()
    return Difference(
        measure=measure,
        system=names[left],
        other=names[right],
        difference=_no_noise(float(values[left] - values[right])),
        interval=interval,
        p=chances[0],
        p_corrected=chances[1],
        significant=chances[1] < alpha,
        effect=effect(per_unit[left] - per_unit[right], higher_is_better=measure.higher_is_better),
        equivalence=None,
        detectable=None,
        units=one.units,
    )


def _no_noise(value: float) -> float:
    return 0.0 if abs(value) < 1e-15 else value
