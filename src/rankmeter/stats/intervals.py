"""Confidence intervals by the BCa bootstrap over queries (Efron 1987)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.parts import GEOMETRIC_FLOOR, Values
from rankmeter.errors import InputError
from rankmeter.placing.placements import Floats

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
    if not 0 < level < 1:
        raise InputError(f"level={level} is not possible; a level is between 0 and 1, as in 0.95.")
    if resamples < 100:
        raise InputError(f"resamples={resamples} is too few; use at least 100.")
    top, bottom = _sample(values, aggregate)
    if len(top) < 2:
        raise InputError(f"there is no interval: {len(top)} query counts for this measure, and it takes at least two.")
    observed = float(_statistic(top.mean(), bottom.mean(), aggregate))
    drawn = _resampled(top, bottom, aggregate, resamples, seed)
    low, high = _bca(observed, drawn, _jackknife(top, bottom, aggregate), level)
    return Interval(low, high, level, "BCa bootstrap over queries", resamples, seed, len(top))


def _sample(values: Values, aggregate: str) -> tuple[Floats, Floats]:
    """Per query what is averaged above and below the line."""
    kept = values.counted
    if aggregate == "pooled":
        return values.numerator[kept], values.denominator[kept]
    value = values.value[kept]
    if aggregate == "geometric":
        value = np.log(np.maximum(value, GEOMETRIC_FLOOR))
    elif aggregate == "sum":
        value = value * len(value)
    return value, np.ones(len(value))


def _statistic(top: Floats | float, bottom: Floats | float, aggregate: str) -> Floats:
    quotient = np.asarray(top) / bottom
    return np.exp(quotient) if aggregate == "geometric" else quotient


def _resampled(top: Floats, bottom: Floats, aggregate: str, resamples: int, seed: int) -> Floats:
    random = np.random.default_rng(seed)
    step = max(1, BLOCK_CELLS // len(top))
    drawn = []
    for first in range(0, resamples, step):
        chosen = random.integers(0, len(top), (min(step, resamples - first), len(top)))
        if aggregate == "median":
            drawn.append(np.median(top[chosen], axis=1))
        else:
            below = bottom[chosen].mean(axis=1) if aggregate == "pooled" else 1.0
            drawn.append(_statistic(top[chosen].mean(axis=1), below, aggregate))
    return np.concatenate(drawn)


def _jackknife(top: Floats, bottom: Floats, aggregate: str) -> Floats:
    """The value with each query left out in turn."""
    if aggregate == "median":
        return _median_left_out(np.sort(top))
    return _statistic(top.sum() - top, bottom.sum() - bottom, aggregate)


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

    below = (np.count_nonzero(drawn < observed) + 0.5 * np.count_nonzero(drawn == observed)) / len(drawn)
    if drawn.min() == drawn.max() or math.isnan(observed):
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
