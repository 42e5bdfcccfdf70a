"""Few human values and many of a machine: means and differences whose intervals hold, whatever the machine is worth.

N queries, n of them judged by people and drawn at random; y is a measure under the judgments of people, f the same
measure of the same lists under those of the machine. Of a difference of two systems, y and f are the differences. Every
estimator works along the last axis, so that a simulation of thousands of trials runs the code that users run.

    estimate = mean_n(y) + weight (mean_N(f) - mean_n(f))
    variance = (1/n - 1/N) var(y - weight f)   [+ var(y) / N]

The last term belongs to the target ``population``, the mean over all queries that could have been asked, which
rankmeter's other intervals are about; the target ``queries`` is the mean that people would have found on these N.

Sources: Cochran 1977 (regression and difference estimators); Angelopoulos et al. 2023 (PPI), Angelopoulos, Duchi &
Zrnic 2023 (PPI++); Zrnic & Candès 2024 (unequal chances); Horvitz & Thompson 1952; Hájek 1971. The
coverage of each is measured in benchmarks/judging_simulation.py, beside estimators that were weighed and not taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankmeter.late import special
from rankmeter.placing.placements import Floats

Target = Literal["population", "queries"]
TARGETS = ("population", "queries")
FEWEST = 4
"""Judged queries below which there is no estimate: two parameters and their spread need as many."""
ROUGH = 20
"""Judged queries below which intervals are rough."""
FEWEST_WRONG = 20
"""Judged queries on which the machine differs from people in another way than usual, below which a larger error than
any that was seen is reckoned with."""
USUAL = 0.02
"""Errors within this share of the largest one are the usual error."""
FEWEST_RARE = 10
"""Judged queries on the rarer side of a value of 0 and 1, or with a difference other than 0, below which intervals hold
too little."""


@dataclass(frozen=True, slots=True)
class Estimated:
    """A value and its interval; arrays where many trials were estimated at once."""

    value: Any
    low: Any
    high: Any
    error: Any
    """The standard error."""
    weight: Any = 0.0
    """How much the machine counts: 0 people only, 1 fully."""
    freedom: Any = math.inf
    """Degrees of freedom of Student's t; infinite where the normal distribution is taken."""


def estimated(value: Any, variance: Any, freedom: Any, level: float, weight: Any = 0.0) -> Estimated:
    """A value with its interval, by Student's t; by the normal distribution where ``freedom`` is None."""
    error = np.sqrt(np.maximum(variance, 0.0))
    chance = (1 + level) / 2
    reach = (special.ndtri(chance) if freedom is None else special.stdtrit(freedom, chance)) * error
    return Estimated(value, value - reach, value + reach, error, weight, math.inf if freedom is None else freedom)


def bounded_mean(values: Floats, level: float, bounds: tuple[float, float] = (0.0, 1.0)) -> tuple[float, float, float]:
    """The mean of some queries and its interval, cut off at what is possible; NaN where nothing varies.

    Values above the upper bound show that it is none.
    """
    if len(values) < 2 or np.ptp(values) == 0:
        return float(values.mean()) if len(values) else math.nan, math.nan, math.nan
    interval = people_only(values, level=level)
    highest = bounds[1] if values.max() <= bounds[1] else math.inf
    return float(values.mean()), max(float(interval.low), bounds[0]), min(float(interval.high), highest)


def people_only(
    y: Floats, total: int | None = None, *, level: float = 0.95, target: Target = "population"
) -> Estimated:
    """Student's t over the judged queries; the mean of ``total`` queries is known better, by sqrt(1 - n/N)."""
    many = y.shape[-1]
    unseen = 1.0 if target == "population" or total is None else 1 - many / total
    return estimated(y.mean(-1), unseen * y.var(-1, ddof=1) / many, many - 1, level)


def tuned(y: Floats, f: Floats, f_all: Floats, *, level: float = 0.95, target: Target = "population") -> Estimated:
    """The weight is the slope of y on f among the judged queries, never below 0: the regression estimator.

    PPI++ with the small-sample terms that it leaves out: residuals over n - 2, Student's t, and the price of an
    estimated slope. A weight of 0 gives the interval of people alone. There is no upper limit: a machine that
    compresses the scale needs a weight above 1.

    Where the machine is almost always right, few judged queries show its errors, and t would hold 15 to 90 of 100
    times: then one error more is reckoned with, as large as one can be.
    """
    many, total = y.shape[-1], f_all.shape[-1]
    own_y, own_f = y - y.mean(-1, keepdims=True), f - f.mean(-1, keepdims=True)
    square = (own_f**2).sum(-1)
    # A machine whose values differ by rounding alone says nothing.
    speaks = square > 1e-20 * np.maximum((f**2).sum(-1), 1e-300)
    with np.errstate(all="ignore"):
        slope = np.where(speaks, (own_f * own_y).sum(-1) / square, 0.0)
    used = slope > 0
    weight = np.where(used, slope, 0.0)
    shift = f_all.mean(-1) - f.mean(-1)
    rest = ((own_y - weight[..., None] * own_f) ** 2).sum(-1)
    freedom = np.where(used, many - 2, many - 1)
    with np.errstate(all="ignore"):
        leverage = np.where(used, shift**2 / square, 0.0)
    wrong = np.minimum(count_wrong(y - f), count_wrong(own_y - weight[..., None] * own_f))
    rest = rest + np.where(used & is_rare(wrong, many), largest_error(y, f, f_all) ** 2, 0.0)
    variance = rest / freedom * (1 / many - 1 / total + leverage) + spread_of_queries(y, total, target)
    return estimated(y.mean(-1) + weight * shift, variance, freedom, level, weight)


def count_wrong(errors: Floats) -> Any:
    """On how many judged queries the machine's error is not the usual one."""
    gaps = np.abs(errors - np.median(errors, axis=-1, keepdims=True))
    largest = gaps.max(-1, keepdims=True)
    return (gaps > np.maximum(USUAL * largest, 1e-9)).sum(-1)


def is_rare(wrong: Any, many: int) -> Any:
    """Whether so few errors were seen that their spread says little of how large others are."""
    return (wrong < FEWEST_WRONG) & (2 * wrong < many)


def largest_error(y: Floats, f: Floats, f_all: Floats) -> Any:
    """How wrong a machine may be: as far as its values or those of people reach, or what was seen."""
    return np.maximum(np.maximum(np.ptp(y, axis=-1), np.ptp(f_all, axis=-1)), np.abs(y - f).max(-1))


def spread_of_queries(y: Floats, total: int, target: Target) -> Any:
    """What the choice of the queries themselves adds to the variance."""
    return y.var(-1, ddof=1) / total if target == "population" else 0.0


def unequal(
    y: Floats, f: Floats, chance: Floats, f_all: Floats, *, level: float = 0.95, target: Target = "population"
) -> Estimated:
    """Queries drawn independently, each with a chance of its own: the difference estimator (Horvitz-Thompson).

    y, f and chance are those of the drawn queries; the population's spread is estimated with the same chances (Hájek).
    """
    total = f_all.shape[-1]
    error = y - f
    variance = ((1 - chance) / chance**2 * error**2).sum(-1) / total**2
    one_more = ((1 - chance) / chance**2).mean(-1) * largest_error(y, f, f_all) ** 2 / total**2
    variance = variance + np.where(is_rare(count_wrong(error), y.shape[-1]), one_more, 0.0)
    if target == "population":
        variance = variance + _weighted_spread(y, chance)[1] / total
    value = f_all.mean(-1) + (error / chance).sum(-1) / total
    return estimated(value, variance, y.shape[-1] - 1, level, 1.0)


def weighted_mean(
    y: Floats, chance: Floats, total: int, *, level: float = 0.95, target: Target = "population"
) -> Estimated:
    """What people alone say where queries were drawn with chances of their own: the ratio estimator of Hájek (1971).

    It never leaves the range of the values, and is several times more precise than a sum over the number of all
    queries. Its variance is linearised, each residual taken from the mean of the others (the jackknife): without that,
    intervals of 20 queries hold 93 of 100 times where 95 are meant.
    """
    share = 1 / chance
    size = share.sum(-1, keepdims=True)
    centre, spread = _weighted_spread(y, chance)
    residual = (y - centre[..., None]) / np.maximum(1 - share / size, 1e-12)
    variance = ((1 - chance) * (share / size * residual) ** 2).sum(-1)
    if target == "population":
        variance = variance + spread / total
    return estimated(centre, variance, y.shape[-1] - 1, level)


def _weighted_spread(y: Floats, chance: Floats) -> tuple[Any, Any]:
    """The mean and the variance of all values, by those that were drawn."""
    share = 1 / chance
    centre = (share * y).sum(-1) / share.sum(-1)
    return centre, (share * (y - centre[..., None]) ** 2).sum(-1) / share.sum(-1)


def where_lists_differ(
    y: Floats, f: Floats, f_all: Floats, total: int, *, level: float = 0.95, target: Target = "population"
) -> Estimated:
    """A difference of two systems, judged among the M of ``total`` queries on which their lists differ.

    y, f are the judged ones, f_all all M. The difference is 0 on the others, whatever is relevant.
    """
    many, differing = y.shape[-1], f_all.shape[-1]
    share = differing / total
    here = tuned(y, f, f_all, level=level, target="queries")
    variance = share**2 * here.error**2
    if target == "population":
        variance = variance + (share * (y.var(-1, ddof=1) + here.value**2) - (share * here.value) ** 2) / total
    return estimated(share * here.value, variance, np.where(here.weight > 0, many - 2, many - 1), level, here.weight)


def best_chances(size: Floats, budget: float) -> Floats:
    """Chances in proportion to ``size``, at most 1, that add up to an expected number of judgments.

    With size = |weight| x expected error of the machine the variance is least for the budget.
    """
    chance = np.zeros(size.shape)
    free = size > 0
    left = float(budget)
    while free.any() and left > 0:
        chance[free] = left * size[free] / size[free].sum()
        over = free & (chance >= 1)
        if not over.any():
            break
        chance[over] = 1.0
        free &= ~over
        left = budget - float((chance >= 1).sum())
    return chance


def judgments_needed(
    spread: float,
    correlation: float,
    total: int,
    half_width: float,
    *,
    level: float = 0.95,
    target: Target = "population",
) -> int | None:
    """The fewest of ``total`` queries that people judge for an interval of +- ``half_width``; None: none is enough.

    Spread and correlation come from a pilot. Not even all queries are enough where the population is meant and too few
    were asked: then more queries are needed, not more judgments.
    """
    many = np.arange(FEWEST, total + 1)
    used = abs(correlation) > 1 / np.sqrt(many - 2)
    rest = spread**2 * np.where(used, 1 - correlation**2, 1.0)
    price = 1 + np.where(used & (many > 4), 1 / np.maximum(many - 3, 1), 0.0)
    variance = rest * (1 / many - 1 / total) * price + (spread**2 / total if target == "population" else 0.0)
    reach = special.stdtrit(np.where(used, many - 2, many - 1), (1 + level) / 2) * np.sqrt(variance)
    enough = np.flatnonzero(reach <= half_width)
    return int(many[enough[0]]) if len(enough) else None


def people_needed(spread: float, half_width: float, *, level: float = 0.95, most: int = 1_000_000) -> int | None:
    """How many queries people alone would have to judge, drawn from as many as there are, for that interval."""
    low, high = 2, most
    half_width *= 1 + 1e-9  # the width of an interval of people alone is that of as many queries, not of one more
    if spread == 0 or not half_width > 0:
        return None
    if special.stdtrit(high - 1, (1 + level) / 2) * spread / math.sqrt(high) > half_width:
        return None
    while low < high:
        middle = (low + high) // 2
        enough = special.stdtrit(middle - 1, (1 + level) / 2) * spread / math.sqrt(middle) <= half_width
        low, high = (low, middle) if enough else (middle + 1, high)
    return low
