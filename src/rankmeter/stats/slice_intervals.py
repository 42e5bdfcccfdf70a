"""Whether slices differ: bootstrap over queries for differences, permutations for gaps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmeter.arithmetic.aggregates import Aggregate
from rankmeter.arithmetic.slates.fairness import gap_between
from rankmeter.errors import InputError, check_level
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.intervals import check_resamples
from rankmeter.stats.resampling import resampled_sums

if TYPE_CHECKING:
    from rankmeter.lists.samples import PartsSample, SumSample

MOST_DRAWS = 200_000_000
"""How many queries are drawn in all; with very many queries there are fewer resamples, and the result says so."""
COLUMN_CELLS = 50_000_000
"""How many numbers are drawn from at once."""


@dataclass(frozen=True, slots=True)
class SliceContrast:
    """The difference of two slices."""

    value: float
    low: float
    """NaN where one of the two has fewer than two queries."""
    high: float
    level: float
    resamples: int
    seed: int
    method: str = "percentile bootstrap over queries"


@dataclass(frozen=True, slots=True)
class Gap:
    """How far slices are apart, and how far chance alone puts them apart."""

    value: float
    low: float
    high: float
    null_mean: float
    """The mean gap when the slices are dealt out at random."""
    null_high: float
    """What such a gap stays below, with the probability of the level."""
    p_value: float
    """How often chance makes a gap as large."""
    level: float
    resamples: int
    seed: int
    method: str = "percentile bootstrap within slices; permutation of the slices"


@dataclass(frozen=True, slots=True)
class Spread:
    """One slice: the interval of its value, and how it differs from all other slices together."""

    low: float
    high: float
    rest: SliceContrast
    """The value minus that of the rest."""


def spreads(
    samples: Mapping[Measure, PartsSample | SumSample], *, level: float = 0.95, resamples: int = 1999, seed: int = 0
) -> dict[Measure, tuple[Spread, ...]]:
    """For each measure and slice the intervals of its value and of its difference from the rest, by percentiles.

    Measures that the same queries count for share the draws, so a table of many measures costs little more than one.
    """
    check_level(level)
    check_resamples(resamples)
    found: dict[Measure, tuple[Spread, ...]] = {}
    ends = [(1 - level) / 2, (1 + level) / 2]
    for some in _shared(samples):
        size = int(samples[some[0]].used().sum())
        if not size:
            nothing = SliceContrast(math.nan, math.nan, math.nan, level, 0, seed)
            for measure in some:
                found[measure] = (Spread(math.nan, math.nan, nothing),) * len(samples[measure].members())
            continue
        draws = max(min(resamples, MOST_DRAWS // size), 100)
        columns = [samples[measure].columns()[samples[measure].used()] for measure in some]
        drawn = resampled_sums(np.hstack(columns), draws, seed)
        start = 0
        for measure, one in zip(some, columns, strict=True):
            sample, width = samples[measure], one.shape[1]
            observed = sample.statistic(one.sum(axis=0))
            again = sample.statistic(drawn[:, start : start + width])
            start += width
            found[measure] = tuple(_spreads(sample.members(), observed, again, ends, (level, draws, seed)))
    return found


def _shared(samples: Mapping[Measure, PartsSample | SumSample]) -> list[list[Measure]]:
    """Measures whose queries are drawn together, in groups that fit into memory."""
    groups: dict[bytes, list[list[Measure]]] = {}
    cells: dict[bytes, int] = {}
    for measure, sample in samples.items():
        used = sample.used()
        key, need = used.tobytes(), len(used) * sample.width()
        if key not in groups or cells[key] + need > COLUMN_CELLS:
            groups.setdefault(key, []).append([])
            cells[key] = 0
        groups[key][-1].append(measure)
        cells[key] += need
    return [some for several in groups.values() for some in several]


def _spreads(
    members: Ints, observed: Floats, again: Floats, ends: list[float], how: tuple[float, int, int]
) -> Iterator[Spread]:
    slices = len(members)
    for place, inside in enumerate(members):
        outside = int(members.sum()) - inside
        own, rest = again[:, place], again[:, slices + place]
        low, high = _ends(own, ends, enough=inside >= 2)
        below, above = _ends(own - rest, ends, enough=inside >= 2 and outside >= 2)
        value = float(observed[place] - observed[slices + place])
        yield Spread(low, high, SliceContrast(value, below, above, *how))


def _ends(drawn: Floats, ends: list[float], *, enough: bool) -> tuple[float, float]:
    """The percentiles of what was drawn; one query alone varies with nothing, so it has none."""
    if not enough or np.isnan(drawn).all():
        return math.nan, math.nan
    low, high = np.nanquantile(drawn, ends)
    return float(low), float(high)


def difference(
    sample: PartsSample | SumSample, one: int, other: int, *, level: float, resamples: int, seed: int
) -> SliceContrast:
    """The value of one slice minus that of another; queries that are in both are drawn together."""
    check_level(level)
    check_resamples(resamples)
    used = sample.used()
    if not used.any():
        raise InputError("there is no interval: no query counts in any slice.")
    columns = sample.columns()[used]
    draws = max(min(resamples, MOST_DRAWS // len(columns)), 100)
    observed, again = sample.statistic(columns.sum(axis=0)), sample.statistic(resampled_sums(columns, draws, seed))
    enough = bool(sample.members()[[one, other]].min() >= 2)
    low, high = _ends(again[:, one] - again[:, other], [(1 - level) / 2, (1 + level) / 2], enough=enough)
    return SliceContrast(float(observed[one] - observed[other]), low, high, level, draws, seed)


def gap_test(sample: PartsSample, *, gap: str, level: float, resamples: int, seed: int) -> Gap:
    """The gap between the slices that hold a query, its interval and its null distribution."""
    check_level(level)
    check_resamples(resamples)
    used = sample.inside.any(axis=1)
    if used.sum() < 2:
        raise InputError("a gap needs two slices with queries that count.")
    top, bottom = sample.top[used], sample.bottom[used]
    value = float(gap_between(sample.rule.value(top.sum(axis=1), bottom.sum(axis=1)), gap))
    members = [np.flatnonzero(row) for row in sample.inside[used]]
    rng = np.random.default_rng(seed)

    def draw_within() -> Floats:
        return np.concatenate([rng.choice(inside, len(inside)) for inside in members])

    flat = top.sum(axis=0), bottom.sum(axis=0)
    group = np.concatenate([np.full(len(inside), place) for place, inside in enumerate(members)])
    everyone = np.concatenate(members)
    again = _gaps(draw_within, group, flat, sample.rule, gap, resamples)
    null = _gaps(lambda: rng.permutation(everyone), group, flat, sample.rule, gap, resamples)
    low, high = np.quantile(again, [(1 - level) / 2, (1 + level) / 2])
    above_chance = (1 + int((null >= value - 1e-12).sum())) / (1 + resamples)
    return Gap(
        value, float(low), float(high), float(null.mean()), float(np.quantile(null, level)), above_chance, level,
        resamples, seed,
    )  # fmt: skip


def _gaps(
    draw: Callable[[], Ints | Floats],
    group: Ints,
    parts: tuple[Floats, Floats],
    rule: Aggregate,
    gap: str,
    resamples: int,
) -> Floats:
    """The gap of many draws; the i-th drawn query stands in the slice of the i-th place."""
    slices = int(group.max()) + 1
    means = np.empty((resamples, slices))
    for place in range(resamples):
        chosen = draw().astype(np.int64)
        top, bottom = (np.bincount(group, weights=part[chosen], minlength=slices) for part in parts)
        means[place] = rule.value(top, bottom)
    return gap_between(means, gap)
