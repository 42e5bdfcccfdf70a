"""Whether slices differ: bootstrap over queries for differences, permutations for gaps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmeter.arithmetic.slates.fairness import gap_between
from rankmeter.errors import InputError
from rankmeter.placing.placements import Floats, Ints

if TYPE_CHECKING:
    from rankmeter.lists.slices import Sample

BLOCK_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two slices."""

    value: float
    low: float
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


def _check(level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise InputError(f"level={level} is not possible; a level is between 0 and 1, as in 0.95.")
    if resamples < 100:
        raise InputError(f"resamples={resamples} is too few; use at least 100.")


def _drawn(sample: Sample, resamples: int, seed: int) -> Floats:
    """(resamples, slices) the means when queries are drawn again."""
    rng = np.random.default_rng(seed)
    used = np.flatnonzero((sample.below != 0).any(axis=0))
    if not len(used):
        raise InputError("there is no interval: no query counts in any slice.")
    above, below = sample.above[:, used].T, sample.below[:, used].T
    step = max(1, BLOCK_CELLS // len(used))
    made = []
    for first in range(0, resamples, step):
        rows = min(step, resamples - first)
        chosen = rng.integers(0, len(used), (rows, len(used)))
        chosen += np.arange(rows)[:, None] * len(used)
        weights = np.bincount(chosen.ravel(), minlength=rows * len(used)).reshape(rows, len(used)).astype(np.float64)
        made.append(_quotient(weights @ above, weights @ below))
    return np.concatenate(made)


def _quotient(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


def slice_intervals(sample: Sample, *, level: float = 0.95, resamples: int = 1999, seed: int = 0) -> Floats:
    """(slices, 2) the percentile interval of each slice's value; NaN for an empty slice."""
    _check(level, resamples)
    drawn = _drawn(sample, resamples, seed)
    ends = [(1 - level) / 2, (1 + level) / 2]
    spans = [np.nanquantile(column, ends) if not np.isnan(column).all() else [math.nan] * 2 for column in drawn.T]
    return np.array(spans)


def difference(sample: Sample, one: int, other: int, *, level: float, resamples: int, seed: int) -> Difference:
    """The value of one slice minus that of another; queries that are in both are drawn together."""
    _check(level, resamples)
    means = _quotient(sample.above.sum(axis=1), sample.below.sum(axis=1))
    drawn = _drawn(sample, resamples, seed)
    apart = drawn[:, one] - drawn[:, other]
    value = float(means[one] - means[other])
    if np.isnan(apart).all():
        return Difference(value, math.nan, math.nan, level, resamples, seed)
    low, high = np.nanquantile(apart, [(1 - level) / 2, (1 + level) / 2])
    return Difference(value, float(low), float(high), level, resamples, seed)


def gap_test(sample: Sample, *, gap: str, level: float, resamples: int, seed: int) -> Gap:
    """The gap between the slices that hold a query, its interval and its null distribution."""
    _check(level, resamples)
    used = (sample.below != 0).any(axis=1)
    if used.sum() < 2:
        raise InputError("a gap needs two slices with queries that count.")
    above, below = sample.above[used], sample.below[used]
    value = float(gap_between(_quotient(above.sum(axis=1), below.sum(axis=1)), gap))
    members = [np.flatnonzero(row != 0) for row in below]
    rng = np.random.default_rng(seed)

    def draw_within() -> Floats:
        return np.concatenate([rng.choice(inside, len(inside)) for inside in members])

    flat_above, flat_below = above.sum(axis=0), below.sum(axis=0)
    group = np.concatenate([np.full(len(inside), place) for place, inside in enumerate(members)])
    everyone = np.concatenate(members)
    again = _gaps(draw_within, group, flat_above, flat_below, gap, resamples)
    null = _gaps(lambda: rng.permutation(everyone), group, flat_above, flat_below, gap, resamples)
    low, high = np.quantile(again, [(1 - level) / 2, (1 + level) / 2])
    above_chance = (1 + int((null >= value - 1e-12).sum())) / (1 + resamples)
    return Gap(
        value, float(low), float(high), float(null.mean()), float(np.quantile(null, level)), above_chance, level,
        resamples, seed,
    )  # fmt: skip


def _gaps(
    draw: Callable[[], Ints | Floats], group: Ints, above: Floats, below: Floats, gap: str, resamples: int
) -> Floats:
    """The gap of many draws; the i-th drawn query stands in the slice of the i-th place."""
    slices = int(group.max()) + 1
    means = np.empty((resamples, slices))
    for place in range(resamples):
        chosen = draw().astype(np.int64)
        top = np.bincount(group, weights=above[chosen], minlength=slices).astype(np.float64)
        bottom = np.bincount(group, weights=below[chosen], minlength=slices).astype(np.float64)
        means[place] = _quotient(top, bottom)
    return gap_between(means, gap)
