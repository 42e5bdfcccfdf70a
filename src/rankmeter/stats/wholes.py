"""Intervals of measures that have one value for all lists: queries are drawn again where that says something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmeter.arithmetic.slates import values_from_sums
from rankmeter.errors import MeasureError
from rankmeter.evaluating.reasons import why_no_interval
from rankmeter.measures import Measure
from rankmeter.stats.intervals import Interval
from rankmeter.stats.resampling import resampled_sums
from rankmeter.stats.slice_intervals import MOST_DRAWS

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation


def whole_interval(ev: Evaluation, measure: Measure, *, level: float, resamples: int, seed: int) -> Interval:
    """The percentile interval by the bootstrap over queries."""
    if measure.compares_slices:
        return _gap_interval(ev, measure, level=level, resamples=resamples, seed=seed)
    whole = ev.wholes.get(measure)
    if whole is None or whole.parts is None or whole.constants is None:
        raise MeasureError.of(
            "stats.measure_without_interval", measure=measure, why_no_interval=why_no_interval(measure)
        )
    n = len(whole.parts)
    resamples = max(min(resamples, MOST_DRAWS // max(n, 1)), 100)
    drawn = values_from_sums(resampled_sums(whole.parts, resamples, seed), whole.constants, measure)
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, "percentile bootstrap over queries", resamples, seed, n)


def _gap_interval(ev: Evaluation, measure: Measure, *, level: float, resamples: int, seed: int) -> Interval:
    from rankmeter.lists.listing import compared_by

    cut = next((slices for slices in ev.slices.values() if slices.kind == "query"), None)
    if cut is None:
        raise MeasureError.of("stats.segments_not_known", measure=measure)
    kind: Literal["mad", "range"] = getattr(measure, "gap", "mad")
    gap = cut.gap(compared_by(measure), gap=kind, level=level, resamples=min(resamples, 1999), seed=seed)
    method = "simultaneous t intervals of all pairs of segments"
    return Interval(gap.low, gap.high, level, method, 0, seed, ev.counted(measure))
