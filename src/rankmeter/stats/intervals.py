"""Confidence intervals by the bootstrap over queries: BCa (Efron 1987) or percentile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.arithmetic.parts import Values
from rankmeter.errors import InputError, check_level
from rankmeter.placing.placements import Floats
from rankmeter.stats.resampling import Step, resampled_sums
from rankmeter.stats.samples import Sample

IntervalMethod = Literal["bca", "percentile"]
METHODS = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap"}

BLOCK_CELLS = 4_000_000
"""How many resampled indices are held at once."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval and how it was made."""

    low: float
    high: float
    level: float
    method: str
    resamples: int
    seed: int
    queries: int


def bootstrap_interval(values: Values, aggregate: str, *, level: float, resamples: int, seed: int) -> Interval:
    """The BCa interval of an aggregated value, resampling queries.

    The bias correction comes from the share of resampled values below the observed one, the acceleration from the
    jackknife, which for means and quotients of means needs no second resampling.
    """
    check_level(level)
    check_resamples(resamples)
    check_seed(seed)
    rule = AGGREGATES[aggregate]
    top, bottom = rule.parts(values)
    if len(top) < 2:
        raise InputError(f"there is no interval: {len(top)} query counts for this measure, and it takes at least two.")
    if np.isnan(top).any():
        raise InputError(
            "there is no interval: the value of a query is not a number, so that of all is not one either."
        )
    if not rule.of_sums:
        low, high = _bca(float(np.median(top)), _medians(top, resamples, seed), _median_left_out(np.sort(top)), level)
        return Interval(low, high, level, "BCa bootstrap over queries", resamples, seed, len(top))
    one = Sample(top[None], bottom[None], rule)
    return intervals_of([one], [], level=level, method="bca", resamples=resamples, seed=seed)[0].systems[0]


def check_resamples(resamples: int, what: str = "resamples") -> None:
    """Refuse so few resamples that an interval would be made of chance."""
    if not isinstance(resamples, Integral):
        raise InputError(f"{what}={resamples!r} is not possible; it is a whole number, as in 9999.")
    if resamples < 100:
        raise InputError(f"{what}={resamples} is too few; use at least 100.")


def check_seed(seed: int) -> None:
    """Refuse what cannot start a generator of random numbers."""
    if not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"seed={seed!r} is not possible; a seed is a whole number from 0 on.")


@dataclass(frozen=True, slots=True)
class Bands:
    """Intervals of the aggregated values of all systems under one measure, and of the differences of some pairs."""

    systems: list[Interval]
    pairs: list[Interval]


def intervals_of(
    samples: Sequence[Sample],
    pairs: Sequence[tuple[int, int]],
    *,
    level: float,
    method: IntervalMethod,
    resamples: int,
    seed: int,
    unit: str = "queries",
    step: Step | None = None,
) -> list[Bands]:
    """For each measure the intervals of every system and of the differences of ``pairs``, from the same resamples.

    Systems are resampled together, unit by unit, so that an interval of a difference knows that they are paired.
    """
    check_level(level)
    check_resamples(resamples)
    if method not in METHODS:
        raise InputError(f"interval={method!r} is not possible; interval is one of {', '.join(METHODS)}.")
    by_units: dict[int, list[int]] = {}
    for number, one in enumerate(samples):
        by_units.setdefault(one.units, []).append(number)
    bands: dict[int, Bands] = {}
    for units, members in by_units.items():
        label = (f"{METHODS[method]} over {unit}", resamples, seed, units)
        drawn = _drawn([samples[number] for number in members], resamples, seed, step)
        for number, values in zip(members, drawn, strict=True):
            bands[number] = _bands(samples[number], values, pairs, level, method, label)
    return [bands[number] for number in range(len(samples))]


def _drawn(samples: Sequence[Sample], resamples: int, seed: int, step: Step | None) -> list[Floats]:
    """For each sample ``(resamples, systems)``: the aggregated values of the resampled units."""
    columns: dict[bytes, int] = {}
    rows: list[Floats] = []

    def column(values: Floats) -> int:
        # Denominators are mostly the same for all systems and measures: each is summed once.
        key = values.tobytes()
        if key not in columns:
            columns[key] = len(rows)
            rows.append(values)
        return columns[key]

    places = [([column(v) for v in one.top], [column(v) for v in one.bottom]) for one in samples]
    sums = resampled_sums(np.ascontiguousarray(np.stack(rows).T), resamples, seed, step)
    return [one.rule.value(sums[:, top], sums[:, bottom]) for one, (top, bottom) in zip(samples, places, strict=True)]


def _bands(
    one: Sample,
    drawn: Floats,
    pairs: Sequence[tuple[int, int]],
    level: float,
    method: IntervalMethod,
    label: tuple[str, int, int, int],
) -> Bands:
    observed = one.values()
    bottom = one.bottom.sum(axis=1, keepdims=True) - one.bottom
    left_out = (
        one.rule.value(one.top.sum(axis=1, keepdims=True) - one.top, bottom) if one.units > 1 else observed[:, None]
    )

    def interval(value: float, values: Floats, jackknife: Floats) -> Interval:
        ends = _percentile(values, level) if method == "percentile" else _bca(value, values, jackknife, level)
        low, high = ends
        return Interval(low, high, level, *label)

    return Bands(
        [interval(float(observed[s]), drawn[:, s], left_out[s]) for s in range(len(observed))],
        [
            interval(float(observed[a] - observed[b]), _no_noise(drawn[:, a] - drawn[:, b]), left_out[a] - left_out[b])
            for a, b in pairs
        ],
    )


def _no_noise(differences: Floats) -> Floats:
    return np.where(np.abs(differences) <= 1e-13, 0.0, differences)


def _percentile(drawn: Floats, level: float) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _medians(values: Floats, resamples: int, seed: int) -> Floats:
    """The medians of resampled values: no function of sums, so every resample is sorted."""
    random = np.random.default_rng(seed)
    step = max(1, BLOCK_CELLS // len(values))
    sizes = [min(step, resamples - first) for first in range(0, resamples, step)]
    drawn = [np.median(values[random.integers(0, len(values), (rows, len(values)))], axis=1) for rows in sizes]
    return np.concatenate(drawn)


def _median_left_out(rising: Floats) -> Floats:
    """The median with each value left out: one of two or three numbers around the middle."""
    middle, place = len(rising) // 2, np.arange(len(rising))
    if len(rising) % 2 == 0:
        even: Floats = np.where(place < middle, rising[middle], rising[middle - 1])
        return even
    around = rising[middle - 1 : middle + 2]
    lower, both, upper = around[:2].mean(), (around[0] + around[-1]) / 2, around[1:].mean()
    left_out: Floats = np.select([place < middle, place == middle], [upper, both], lower)
    return left_out


def _bca(observed: float, drawn: Floats, left_out: Floats, level: float) -> tuple[float, float]:
    from scipy.special import ndtr, ndtri  # scipy is loaded only for statistics

    # Resampled values that differ from the observed one by rounding only are equal to it.
    slack = 1e-12 * max(abs(observed), float(np.abs(drawn).max(initial=0.0)))
    below = (np.count_nonzero(drawn < observed - slack) + np.count_nonzero(drawn <= observed + slack)) / (
        2 * len(drawn)
    )
    if math.isnan(observed) or drawn.max() - drawn.min() <= 1e-12 * max(abs(observed), 1e-300):
        return observed, observed
    bias = ndtri(min(max(below, 0.5 / len(drawn)), 1 - 0.5 / len(drawn)))
    spread = left_out.mean() - left_out
    scale = np.sum(spread**2) ** 1.5
    acceleration = np.sum(spread**3) / (6 * scale) if scale > 0 else 0.0
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + ndtri(tail)
        ends.append(ndtr(bias + shifted / (1 - acceleration * shifted)))
    low, high = np.quantile(drawn, ends)
    return float(low), float(high)
