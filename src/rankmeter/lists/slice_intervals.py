"""Whether slices differ: Student's t over queries, as for a whole, and permutations for gaps.

A slice has the interval that its queries alone would have. Two slices are compared as two groups of queries (Welch),
less the covariance of queries that are in both. Measures of all lists together are not means over queries: their
intervals come from resamples, as that of the whole does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmeter.arithmetic.slates import values_from_sums
from rankmeter.arithmetic.slates.fairness import gap_between
from rankmeter.errors import InputError, MeasureError, check_level, check_whole
from rankmeter.lists.slice_samples import PartsSample, SumSample
from rankmeter.measures import Measure
from rankmeter.measures.grammar import compared_by
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.intervals import FEWEST_RESAMPLES, Interval, by_method, value_ends
from rankmeter.stats.resampling import Sample, on_value_scale, resampled_sums
from rankmeter.stats.student import Contrasts
from rankmeter.wording import said

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation

MOST_DRAWS = 200_000_000
"""How many queries are drawn in total; with very many queries there are fewer resamples, as the result says."""


@dataclass(frozen=True, slots=True)
class SliceContrast:
    """The difference of two slices."""

    value: float
    low: float
    """NaN where one of the two has fewer than two queries, or where neither has any spread."""
    high: float
    level: float
    resamples: int
    """0 where the interval is computed."""
    seed: int
    method: str = field(default_factory=lambda: by_method("t"))


@dataclass(frozen=True, slots=True)
class Gap(SliceContrast):
    """How far apart slices are, and how far apart chance alone puts them."""

    method: str = field(default_factory=lambda: said("interval_of_gap"))
    null_mean: float = math.nan
    """The mean gap when the slices are dealt out at random."""
    null_high: float = math.nan
    """The quantile of such gaps at the level."""
    p_value: float = math.nan
    """How often chance makes a gap as large."""


@dataclass(frozen=True, slots=True)
class Spread:
    """One slice: the interval of its value, and how it differs from all other slices together."""

    low: float
    high: float
    rest: SliceContrast
    """The value minus that of the rest."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of the queries, with what each adds to numerator and denominator."""

    inside: Bools
    """(n,)."""
    sample: Sample
    """Of one system; the queries inside are its units."""

    @property
    def value(self) -> float:
        return float(self.sample.values()[0]) if self.sample.units else float(self.sample.rule.nothing)

    def ends(self, level: float) -> tuple[float, float]:
        """The interval of the value, from these queries alone."""
        if self.sample.units < 2:
            return math.nan, math.nan
        low, high, _ = value_ends(self.sample, level)
        return float(low[0]), float(high[0])

    def shares(self) -> Floats:
        """(n,) the contribution of each query to the standard error, whose square is the sum of their squares."""
        shares = np.zeros(len(self.inside))
        linear, units = self.sample.linear()[0], self.sample.units
        shares[self.inside] = (linear - linear.mean()) / math.sqrt(units * (units - 1))
        return shares

    def minus(self, other: _Part, level: float, seed: int) -> SliceContrast:
        """The difference from other queries."""
        difference = self.value - other.value
        nothing = SliceContrast(difference, math.nan, math.nan, level, 0, seed)
        if min(self.sample.units, other.sample.units) < 2:
            return nothing
        apart = Contrasts.separate((self.sample.linear()[0], other.sample.linear()[0]), [(0, 1)])
        together = np.flatnonzero(self.inside & other.inside)
        if len(together):  # queries in both vary together
            common = 2 * float(self.shares()[together] @ other.shares()[together])
            apart = replace(apart, error=np.sqrt(np.maximum(apart.error**2 - common, 0.0)))
        low, high = (float(end[0]) for end in apart.ends(level, tested=False))
        if self.sample.rule.logs:
            low, high = (float(on_value_scale(end, self.value, other.value)) for end in (low, high))
        return SliceContrast(difference, low, high, level, 0, seed)


def spreads(
    samples: Mapping[Measure, PartsSample | SumSample], *, level: float = 0.95, resamples: int = 1999, seed: int = 0
) -> dict[Measure, tuple[Spread, ...]]:
    """For each measure and slice the intervals of its value and of its difference from the rest."""
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    return {
        measure: tuple(_within_bounds(spread, measure) for spread in _spreads(sample, level, resamples, seed))
        for measure, sample in samples.items()
    }


def _within_bounds(spread: Spread, measure: Measure) -> Spread:
    """The interval of a value cut to the values that are possible, as that of all queries is."""
    if measure.aggregate == "sum" or math.isnan(spread.low):
        return spread
    low, high = measure.bounds
    return replace(spread, low=max(spread.low, low), high=min(spread.high, high))


def _spreads(sample: PartsSample | SumSample, level: float, resamples: int, seed: int) -> list[Spread]:
    slices = len(sample.members())
    if isinstance(sample, SumSample):
        drawn = _drawn(sample, level, resamples, seed)
        pairs = [(place, slices + place) for place in range(slices)]
        return [Spread(*drawn.ends(place), drawn.contrast(*pair)) for place, pair in enumerate(pairs)]
    times = sample.inside.sum(axis=0)
    rests = replace(
        sample, top=sample.top.sum(axis=0) - sample.top, bottom=sample.bottom.sum(axis=0) - sample.bottom,
        inside=times > sample.inside,
    )  # fmt: skip
    both = [(_part_at(sample, place), _part_at(rests, place)) for place in range(slices)]
    return [Spread(*part.ends(level), part.minus(rest, level, seed)) for part, rest in both]


def _part_at(sample: PartsSample, place: int) -> _Part:
    inside = sample.inside[place]
    return _Part(inside, Sample(sample.top[place][None, inside], sample.bottom[place][None, inside], sample.rule))


def slice_difference(
    sample: PartsSample | SumSample, one: int, other: int, *, level: float, resamples: int, seed: int
) -> SliceContrast:
    """The value of one slice minus that of another."""
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    if not sample.used().any():
        raise InputError.of("stats.no_query_in_slices")
    if isinstance(sample, SumSample):
        return _drawn(sample, level, resamples, seed).contrast(one, other)
    return _part_at(sample, one).minus(_part_at(sample, other), level, seed)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The values of slices, and of the rest of each, observed and from resampled queries."""

    observed: Floats
    again: Floats
    members: Ints
    """(2 slices,) how many queries the slices and their rests have."""
    level: float
    seed: int

    def ends(self, place: int, other: int | None = None) -> tuple[float, float]:
        values = self.again[:, place] - (0.0 if other is None else self.again[:, other])
        # A single query has no spread.
        if self.members[[place, place if other is None else other]].min() < 2 or np.isnan(values).all():
            return math.nan, math.nan
        return middle_of(values, self.level)

    def contrast(self, place: int, other: int) -> SliceContrast:
        return SliceContrast(
            float(self.observed[place] - self.observed[other]), *self.ends(place, other), self.level,
            len(self.again), self.seed, by_method("percentile"),
        )  # fmt: skip


def _drawn(sample: SumSample, level: float, resamples: int, seed: int) -> _Drawn:
    used, members = sample.used(), sample.members()
    columns = sample.columns()[used]
    again = drawn_again(columns, resamples, seed) if len(columns) else np.zeros((0, columns.shape[1]))
    both = np.concatenate([members, members.sum() - members])
    return _Drawn(sample.statistic(columns.sum(axis=0)), sample.statistic(again), both, level, seed)


def drawn_again(columns: Floats, resamples: int, seed: int) -> Floats:
    """The sums of columns over queries drawn again; fewer times where there are very many queries."""
    return resampled_sums(columns, max(min(resamples, MOST_DRAWS // max(len(columns), 1)), 100), seed)


def middle_of(values: Floats, level: float) -> tuple[float, float]:
    """The interval that holds the middle part of resampled values; NaN is left out."""
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def gap_test(sample: PartsSample, *, gap: str, level: float, resamples: int, seed: int) -> Gap:
    """The gap between the slices that hold a query, its interval and its null distribution."""
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    used = np.flatnonzero(sample.inside.any(axis=1))
    if len(used) < 2:
        raise InputError.of("stats.gap_of_one")
    parts = [_part_at(sample, int(place)) for place in used]
    value = float(gap_between(np.array([part.value for part in parts]), gap))
    members = [np.flatnonzero(part.inside) for part in parts]
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.full(len(inside), place) for place, inside in enumerate(members)])
    everyone = np.concatenate(members)
    flat = sample.top[used].sum(axis=0), sample.bottom[used].sum(axis=0)
    means = np.empty((resamples, len(used)))
    for number in range(resamples):
        dealt = rng.permutation(everyone)
        top, bottom = (np.bincount(group, weights=part[dealt], minlength=len(used)) for part in flat)
        means[number] = sample.rule.value(top, bottom)
    null = gap_between(means, gap)
    above_chance = (1 + int((null >= value - 1e-12).sum())) / (1 + resamples)
    return Gap(
        value, *_gap_ends(parts, gap, level), level, resamples, seed, null_mean=float(null.mean()),
        null_high=float(np.quantile(null, level)), p_value=above_chance,
    )  # fmt: skip


def _gap_ends(parts: Sequence[_Part], gap: str, level: float) -> tuple[float, float]:
    """The ends of the gap if all differences lie in their intervals, which hold together at the level.

    Percentiles of resampled gaps would not do: noise drives slices apart, so that they never include a gap of 0.
    """
    pairs = [(a, b) for b in range(len(parts)) for a in range(b)]
    each = [parts[a].minus(parts[b], 1 - (1 - level) / len(pairs), 0) for a, b in pairs]
    low, high = (np.array([getattr(contrast, end) for contrast in each]) for end in ("low", "high"))
    if np.isnan(low).any():
        return math.nan, math.nan
    smallest, largest = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(abs(low), abs(high))), np.maximum(-low, high)
    ends = [float(sizes.mean() if gap == "mad" else sizes.max()) for sizes in (smallest, largest)]
    return ends[0], ends[1]


def whole_interval(ev: Evaluation, measure: Measure, *, level: float, resamples: int, seed: int) -> Interval:
    """The percentile interval by the bootstrap over queries."""
    if measure.compares_slices:
        return _gap_interval(ev, measure, level=level, resamples=resamples, seed=seed)
    whole = ev.wholes.get(measure)
    if whole is None or whole.parts is None or whole.constants is None:
        why = measure.why_no_interval()
        raise MeasureError.of("stats.measure_without_interval", measure=measure, why_no_interval=why)
    values = values_from_sums(drawn_again(whole.parts, resamples, seed), whole.constants, measure)
    return Interval(*middle_of(values, level), level, by_method("percentile"), len(values), seed, len(whole.parts))


def _gap_interval(ev: Evaluation, measure: Measure, *, level: float, resamples: int, seed: int) -> Interval:
    cut = next((slices for slices in ev.slices.values() if slices.kind == "query"), None)
    if cut is None:
        raise MeasureError.of("stats.segments_not_known", measure=measure)
    kind: Literal["mad", "range"] = getattr(measure, "gap", "mad")
    gap = cut.gap(compared_by(measure), gap=kind, level=level, resamples=min(resamples, 1999), seed=seed)
    return Interval(gap.low, gap.high, level, said("interval_of_gap"), 0, seed, ev.counted(measure))
