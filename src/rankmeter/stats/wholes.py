"""Intervals of measures that have one value for all lists: queries are drawn again where that says something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rankmeter.arithmetic.slates import values_from_sums
from rankmeter.errors import MeasureError
from rankmeter.measures import Measure
from rankmeter.stats.intervals import Interval
from rankmeter.stats.slice_intervals import BY_DRAWING, drawn_again, middle_of

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation


def whole_interval(ev: Evaluation, measure: Measure, *, level: float, resamples: int, seed: int) -> Interval:
    """The percentile interval by the bootstrap over queries."""
    if measure.compares_slices:
        return _gap_interval(ev, measure, level=level, resamples=resamples, seed=seed)
    whole = ev.wholes.get(measure)
    if whole is None or whole.parts is None or whole.constants is None:
        why = measure.why_no_interval()
        raise MeasureError.of("stats.measure_without_interval", measure=measure, why_no_interval=why)
    values = values_from_sums(drawn_again(whole.parts, resamples, seed), whole.constants, measure)
    return Interval(*middle_of(values, level), level, BY_DRAWING, len(values), seed, len(whole.parts))


def _gap_interval(ev: Evaluation, measure: Measure, *, level: float, resamples: int, seed: int) -> Interval:
    from rankmeter.lists.listing import compared_by

    cut = next((slices for slices in ev.slices.values() if slices.kind == "query"), None)
    if cut is None:
        raise MeasureError.of("stats.segments_not_known", measure=measure)
    kind: Literal["mad", "range"] = getattr(measure, "gap", "mad")
    gap = cut.gap(compared_by(measure), gap=kind, level=level, resamples=min(resamples, 1999), seed=seed)
    method = "simultaneous t intervals of all pairs of segments"
    return Interval(gap.low, gap.high, level, method, 0, seed, ev.counted(measure))
