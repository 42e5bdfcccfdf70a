"""Intervals for skewed differences against a second implementation in plain Python, and whether they hold."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from tests.differences import beside_zeros

import rankmeter as rm
from rankmeter.stats.intervals import WIDENED, intervals_of
from rankmeter.stats.paired import equivalences
from rankmeter.stats.skewed import bounded_ends

SHAPES = {
    "symmetric": lambda draw: draw.uniform(-0.5, 0.5),
    "skewed": lambda draw: 0.1 - min(draw.expovariate(10), 1.0),
    "rare losses": lambda draw: draw.uniform(0, 0.01) if draw.random() < 0.75 else draw.choice([0.1, -0.9]),
    "log-normal": lambda draw: 1.6 - draw.lognormvariate(0, 1),
}


def drawn(shape: str, units: int, seed: int = 0) -> list[float]:
    draw = random.Random(f"{shape} {units} {seed}")
    return [SHAPES[shape](draw) for _ in range(units)]


def intervals(differences: list[float], method: str, level: float = 0.95, draws: int = 999):
    sample = beside_zeros(np.array(differences), (0.0, 1.0))
    return intervals_of([sample], [(0, 1)], level=level, method=method, resamples=draws, seed=3)[0].pairs[0]


def cubic(t: float, skew: float, units: int) -> float:
    return t + skew / math.sqrt(units) * (t * t / 3 + 1 / 6) + skew**2 * t**3 / (27 * units)


def turned_back(wanted: float, skew: float, units: int) -> float:
    low, high = -1e6, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if cubic(middle, skew, units) < wanted else (low, middle)
    return low


def moments(values: list[float]) -> tuple[float, float, float]:
    """Mean, standard error and adjusted skewness, as the textbook has them."""
    units = len(values)
    mean = math.fsum(values) / units
    second, third = (math.fsum((value - mean) ** power for value in values) / units for power in (2, 3))
    skew = third / second**1.5 * math.sqrt(units * (units - 1)) / (units - 2)
    return mean, math.sqrt(second / (units - 1)), skew


def by_hand(values: list[float], level: float) -> tuple[float, float]:
    mean, error, skew = moments(values)
    reach = float(stats.t.ppf((1 + level) / 2, len(values) - 1))
    ts = [(reach, -reach), tuple(turned_back(side * reach, skew, len(values)) for side in (1, -1))]
    return min(mean - high * error for high, _ in ts), max(mean - low * error for _, low in ts)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("units", [12, 30, 101])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_interval_corrected_for_skewness_is_the_cubic_turned_back(shape, units, level):
    values = drawn(shape, units)
    found, of_t = intervals(values, "hall", level), intervals(values, "t", level)
    assert found.ends == pytest.approx(by_hand(values, level), abs=1e-9)
    assert found.low <= of_t.low < of_t.high <= found.high


@pytest.mark.parametrize("units", [12, 30, 101])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_test_of_a_margin_corrected_for_skewness_is_the_cubic_of_t(shape, units):
    values, margin = drawn(shape, units), 0.07
    found = equivalences(beside_zeros(np.array(values)), [(0, 1)], margin, interval="hall")[0]
    mean, error, skew = moments(values)
    for p, moved, tail in ((found.no_worse, mean + margin, stats.t.sf), (found.no_better, mean - margin, stats.t.cdf)):
        t = moved / error
        floor = 0.5**units
        expected = max(float(tail(one, units - 1)) for one in (t, cubic(t, skew, units)))
        assert p == pytest.approx(max(expected, floor), rel=1e-9)


@pytest.mark.parametrize("units", [1, 2, 5, 30])
@pytest.mark.parametrize("shape", ["symmetric", "skewed", "rare losses"])
def test_the_interval_of_bounded_values_weighs_them_by_random_spacings(shape, units):
    values = sorted(drawn(shape, units))
    draw, lows, highs = random.Random(5), [], []
    for _ in range(20_000):
        points = [0.0, *sorted(draw.random() for _ in range(units)), 1.0]
        weights = [right - left for left, right in pairwise(points)]
        lows.append(dot(weights, [-1.0, *values]))
        highs.append(dot(weights, [*values, 1.0]))
    found = intervals(values, "bounded", draws=20_000)
    expected = sorted(lows)[500], sorted(highs)[-501]
    assert found.ends == pytest.approx(expected, abs=0.04)
    chances = equivalences(
        beside_zeros(np.array(values), (0.0, 1.0)), [(0, 1)], 0.2, interval="bounded", draws=20_000, seed=1
    )[0]
    assert chances.no_worse == pytest.approx(sum(low <= -0.2 for low in lows) / 20_000, abs=0.02)
    assert chances.no_better == pytest.approx(sum(high >= 0.2 for high in highs) / 20_000, abs=0.02)


def dot(weights: list[float], values: list[float]) -> float:
    return math.fsum(weight * value for weight, value in zip(weights, values, strict=True))


@pytest.mark.parametrize("hits", [0, 1, 6, 10])
def test_of_zeros_and_ones_the_interval_from_bounds_is_that_of_clopper_and_pearson(hits):
    values = [1.0] * hits + [0.0] * (10 - hits)
    sample = beside_zeros(np.array(values), (0.0, 1.0))
    low, high = (float(end[0]) for end in bounded_ends(sample, None, 0.95, 40_000, 0))
    exact = stats.binomtest(hits, 10).proportion_ci(0.95, method="exact")
    assert (low, high) == pytest.approx((exact.low, exact.high), abs=0.01)


def shifted_coverage(method: str, shape: str, truth: float, units: int, trials: int = 300) -> float:
    held = 0
    for seed in range(trials):
        found = intervals(drawn(shape, units, seed), method)
        held += found is not None and found.low <= truth <= found.high
    return held / trials


def test_where_students_interval_misses_the_others_hold_better():
    truth = 1.6 - math.exp(0.5)
    of_t, corrected = (shifted_coverage(method, "log-normal", truth, 12) for method in ("t", "hall"))
    assert of_t < 0.89 < corrected
    assert shifted_coverage("t", "rare losses", 0.75 * 0.005 + 0.25 * -0.4, 10) < 0.9
    assert shifted_coverage("bounded", "rare losses", 0.75 * 0.005 + 0.25 * -0.4, 10) >= 0.95


TRUTH = {i: {"a": 1} for i in range(30)}
GOOD = {i: ["a", "b", "c"] for i in TRUTH}
POOR = {i: ["b", "c", "d", "e", "a"] if i % 10 == 0 else ["b", "a"] if i % 7 == 0 else ["a"] for i in TRUTH}


@pytest.mark.parametrize("method", sorted(WIDENED))
def test_every_way_to_ask_gives_the_same_intervals(method):
    cmp = rm.compare(TRUTH, {"good": GOOD, "poor": POOR}, ["RR", "nDCG@5"], interval=method, margin=0.3, seed=3)
    for measure in ("RR", "nDCG@5"):
        values = rm.evaluate(TRUTH, POOR, [measure]).per_query[measure]
        others = rm.evaluate(TRUTH, GOOD, [measure]).per_query[measure]
        found = cmp.difference(measure, "poor")
        expected = intervals((values - others).to_list(), method, draws=9999)
        assert found.interval.ends == pytest.approx(expected.ends, abs=1e-9)
        assert found.equivalence.no_worse < 0.05 or found.interval.low < -0.3
        alone = rm.evaluate(TRUTH, POOR, [measure]).interval(measure, method=method, seed=3)
        score = next(one for one in cmp.scores if one.system == "poor" and str(one.measure) == measure)
        assert score.interval.ends == pytest.approx(alone.ends)
        assert "Hall" in str(alone.method) if method == "hall" else "Gaffke" in str(alone.method)


def test_without_known_bounds_an_interval_from_them_is_refused_with_what_works():
    with pytest.raises(rm.InputError, match=r"no interval from bounds for DCG@5.*interval='hall'"):
        rm.compare(TRUTH, {"good": GOOD, "poor": POOR}, ["RR", "DCG@5"], interval="bounded")
    with pytest.raises(rm.InputError, match=r'no interval from bounds for DCG@5.*method="hall" \(--interval-by hall\)'):
        rm.evaluate(TRUTH, POOR, ["DCG@5"]).interval("DCG@5", method="bounded")


def test_where_nothing_varies_bounds_still_say_how_far_others_may_lie():
    same = rm.compare(TRUTH, {"good": GOOD, "same": {i: ["a"] for i in TRUTH}}, ["RR"], interval="bounded")
    low, high = same.difference("RR", "same").interval.ends
    assert -0.13 < low < -0.1
    assert 0.1 < high < 0.13


def test_notes_name_the_intervals_that_hold_better_until_these_are_used():
    made = "the intervals here are made for skewed differences"
    for method, said in ((None, "interval=hall holds better"), ("hall", made), ("bounded", made)):
        few = {i: TRUTH[i] for i in range(12)}
        runs = {"good": {i: GOOD[i] for i in few}, "poor": {i: POOR[i] for i in few}}
        for truth, lists in ((few, runs), ({i: {"a"} for i in range(100)}, None)):
            rare = {i: ["a"] if i else [f"x{n}" for n in range(99)] for i in truth}
            some = {i: ["x", "a"] if 0 < i < 20 else rare[i] for i in truth}
            systems = lists or {"good": {i: ["a"] for i in truth}, "poor": some}
            notes = rm.compare(truth, systems, ["RR"], interval=method).notes
            assert any(said in note for note in notes), (method, [*map(str, notes)])
