"""Contrasts, corrections and intervals at, below and above their limits."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import special, stats

from rankmeter.errors import InputError
from rankmeter.stats.corrections import separations
from rankmeter.stats.intervals import Interval, agreeing
from rankmeter.stats.paired import _exchanged
from rankmeter.stats.resampling import GEOMETRIC_FLOOR, Groups, check_draws, least_draws, on_value_scale
from rankmeter.stats.student import SAME, Contrasts, t_quantile, t_tail, without_noise, without_spread


@pytest.mark.parametrize("units", [1, 2, 3, 8])
@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_a_p_value_is_the_t_test_but_no_smaller_than_agreeing_signs_allow(units, zeros, alternative):
    random = np.random.default_rng(units)
    for shift in (-3.0, -0.2, 0.2, 3.0):
        row = random.normal(shift, 0.1, units)
        row[: min(zeros, units)] = 0.0
        moved = np.count_nonzero(row)
        floor = 0.5 ** max(moved - 1, 0)
        if alternative != "two-sided" and floor < 1:
            floor /= 2
        if moved == 0:
            expected = 1.0
        elif units == 1:
            expected = 1.0  # one sign says nothing
        else:
            expected = stats.ttest_1samp(row, 0, alternative=alternative).pvalue
        assert Contrasts.of_rows(row[None]).p(alternative)[0] == pytest.approx(max(expected, floor))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("value", [-0.5, 0.0, 0.5])
@pytest.mark.parametrize("units", [1, 2, 4])
def test_equal_differences_are_tested_by_their_signs(value, units, alternative):
    agrees = {"two-sided": value != 0, "less": value < 0, "greater": value > 0}[alternative]
    floor = 0.5 ** (units - 1) if value else 1.0
    if alternative != "two-sided" and floor < 1:
        floor /= 2
    found = Contrasts.of_rows(np.full((1, units), value))
    assert found.flat.all()
    assert found.p(alternative)[0] == (max(0.0, floor) if agrees else 1.0)
    assert found.spread(units).tolist() == [0.0]


@pytest.mark.parametrize("tested", [True, False])
@pytest.mark.parametrize("units", [1, 2, 5, 6, 7])
@pytest.mark.parametrize("value", [0.0, 0.3])
@pytest.mark.parametrize("has_spread", [False, True])
def test_an_interval_stands_where_its_test_can_reject(has_spread, value, units, tested):
    row = np.full(units, value)
    if has_spread:
        row = row + np.resize([0.2, -0.1], units)
    (low,), (high,) = Contrasts.of_rows(row[None]).ends(0.95, tested=tested)
    flat = not has_spread or units == 1
    too_few = 0.5 ** (np.count_nonzero(row) - 1) >= 0.05 if np.count_nonzero(row) else True
    if flat and tested and row.mean() == 0 and units > 1:
        assert (low, high) == (0.0, 0.0)
    elif flat or (tested and too_few):
        assert math.isnan(low)
        assert math.isnan(high)
    else:
        expected = stats.t.interval(0.95, units - 1, row.mean(), row.std(ddof=1) / math.sqrt(units))
        assert (low, high) == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (2, 1), (2, 2), (2, 5), (4, 4)])
@pytest.mark.parametrize("level", [(0.0, 0.0), (0.0, 0.7)])
def test_separate_groups_are_tested_as_by_welch(sizes, level):
    random = np.random.default_rng(sizes)
    groups = [random.normal(mean, 0.1, size) for size, mean in zip(sizes, level, strict=True)]
    found = Contrasts.separate(groups, [(0, 1)])
    one, other = groups
    if min(sizes) == 1:
        floor = 2.0 ** -max(int(np.count_nonzero(one - other)) - 1, 0)
    else:
        floor = min(2 / math.comb(sum(sizes), sizes[0]), 1.0)
    assert found.floor.tolist() == [floor]
    if sizes == (1, 1):
        assert found.flat.all()
        return
    constant = one if sizes[0] == 1 else other if sizes[1] == 1 else None
    if constant is None:
        expected = stats.ttest_ind(one, other, equal_var=False).pvalue
    else:
        expected = stats.ttest_1samp(other if constant is one else one, constant[0]).pvalue
    assert found.p()[0] == pytest.approx(max(expected, floor))


def test_what_differs_by_rounding_only_is_a_tie():
    for scale in (1.0, 0.01, 1000.0):
        limit = SAME * max(scale, 1.0)
        rows = np.array([[scale, limit * 0.99, -limit * 0.99, limit * 1.01]])
        assert (without_noise(rows) != 0).tolist() == [[True, False, False, True]]
        assert without_spread(np.array([[scale, scale + limit / 2], [scale, scale + limit * 3]])).tolist() == [
            True,
            False,
        ]
    assert without_spread(np.ones((2, 1))).tolist() == [False, False]


@pytest.mark.parametrize("freedom", [-1, 0, 0.5, 1, 2.5, 60, 9_999, 1e6, 1e9])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999, 1 - 1e-10])
def test_the_quantile_of_student_is_scipys(level, freedom):
    expected = stats.t.ppf((1 + level) / 2, freedom) if freedom > 0 else math.nan
    assert t_quantile(level, freedom) == pytest.approx(expected, rel=1e-9, nan_ok=True)


def test_the_tail_of_student_is_scipys():
    random = np.random.default_rng(36)
    freedom, t = np.exp(random.uniform(-3, 15, 20_000)), np.exp(random.uniform(-15, 5, 20_000))
    freedom[::2] = np.ceil(freedom[::2])
    expected = special.stdtr(freedom, -t)
    likely = expected > 1e-200
    np.testing.assert_allclose(t_tail(freedom, t)[likely], expected[likely], rtol=1e-9)
    np.testing.assert_allclose(t_tail(freedom, -t), 1 - t_tail(freedom, t), rtol=1e-15)


def test_the_tail_of_student_has_the_closed_forms_of_one_and_two_degrees_of_freedom():
    t = np.exp(np.random.default_rng(37).uniform(-20, 20, 2_000))
    root = np.sqrt(t * t + 2)
    np.testing.assert_allclose(t_tail(1.0, t), np.arctan2(1, t) / np.pi, rtol=2e-14)
    np.testing.assert_allclose(t_tail(2.0, t), 1 / (root * (root + t)), rtol=2e-14)


@pytest.mark.parametrize("freedom", [0.01, 1.0, 7.5, 1e8])
def test_the_tail_of_student_at_its_ends(freedom):
    found = t_tail(freedom, np.array([-np.inf, -0.0, 0.0, 1e-300, np.inf, np.nan]))
    np.testing.assert_array_equal(found, [1, 0.5, 0.5, 0.5, 0, np.nan])


@pytest.mark.parametrize("freedom", [0.5, 1, 3, 30.5, 1e7])
@pytest.mark.parametrize("level", [1e-6, 0.5, 0.95, 1 - 1e-12])
def test_beyond_the_quantile_of_student_lies_what_was_asked(freedom, level):
    assert t_tail(freedom, t_quantile(level, freedom)) == pytest.approx((1 - level) / 2, rel=1e-13)


@pytest.mark.parametrize("p", [0.01, 0.05, 0.3])
@pytest.mark.parametrize(
    ("low", "high"), [(-0.2, 0.1), (-0.1, 0.2), (0.0, 0.2), (-0.2, 0.0), (0.0, 0.0), (0.1, 0.2), (-0.2, -0.1)]
)
def test_an_interval_includes_0_exactly_where_its_p_value_is_not_significant(low, high, p):
    given = Interval(low, high, 0.95, "drawn", 100, 0, 10)
    found = agreeing(given, p, 0.05)
    holds = low <= 0 <= high
    if (p >= 0.05) == holds:
        assert found is given
    elif p >= 0.05:  # the nearer end is moved to 0
        assert found.ends == (min(low, 0.0), max(high, 0.0))
    else:
        assert found.ends == ((0.0, high) if abs(high) > abs(low) else (low, 0.0))
    assert agreeing(None, p, 0.05) is None


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_enough_draws_for_one_beyond_each_end(level):
    least = least_draws(level)
    assert (least + 1) * (1 - level) / 2 >= 1 - 1e-9 > least * (1 - level) / 2 - 1e-6
    for draws in (0, least, least + 1):
        check_draws(draws, level)
    for draws in (1, least - 1):
        with pytest.raises(InputError) as told:
            check_draws(draws, level)
        assert told.value.problem.kind == "stats.few_resamples"
    for bad in (-1, 0.5, math.nan, True):
        with pytest.raises(InputError) as told:
            check_draws(bad, level)
        assert told.value.problem.kind == "general.not_whole"


def test_differences_of_logarithms_become_differences_of_geometric_means():
    for value in (0.5, 1.0, 3.0):
        for other in (0.0, GEOMETRIC_FLOOR, 0.2, value * (1 - 1e-14), value, value * (1 + 1e-9), 7.0):
            gap = math.log(max(value, GEOMETRIC_FLOOR) / max(other, GEOMETRIC_FLOOR))
            mean = on_value_scale(1.0, value, other)
            assert min(value, max(other, GEOMETRIC_FLOOR)) * (1 - 1e-6) <= mean <= max(value, other) * (1 + 1e-6)
            assert on_value_scale(gap, value, other) == pytest.approx(value - max(other, GEOMETRIC_FLOOR), abs=1e-12)
            assert on_value_scale(2.0, value, other) == pytest.approx(2 * mean)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("sizes", [(8,), (1, 1), (1, 1, 1), (8, 1), (1, 8), (8, 8), (8, 8, 8)])
def test_groups_are_separated_where_there_are_two_and_runs_vary(sizes, sign):
    random = np.random.default_rng(3)
    means = [0.1, 0.9, 0.5][: len(sizes)]
    groups = Groups(tuple(random.normal(mean, 0.001, size) for mean, size in zip(means, sizes, strict=True)))
    [found] = separations([groups], [sign], level=0.95, resamples=200, seed=0)
    several = [size for size in sizes if size > 1]
    known = len(sizes) > 1 and bool(several)
    best = int(np.argmax(np.array(means) * sign))
    assert found.in_best[best]
    assert found.in_best.sum() == (1 if known else len(sizes))


def welch(one, other):
    gap = abs(np.mean(one) - np.mean(other))
    spread = np.var(one, ddof=1) / len(one) + np.var(other, ddof=1) / len(other)
    return gap / math.sqrt(spread) if spread > 1e-20 else (math.inf if gap > 1e-12 else 0.0)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (3, 2), (4, 4), (5, 3)])
@pytest.mark.parametrize("step", [0.0, 0.25, 0.5])
def test_two_groups_are_exchanged_in_every_way_and_compared_in_standard_errors(sizes, step):
    """Rounded to steps, some groups vary not at all; together with a gap that is the most extreme there is."""
    random = np.random.default_rng(sum(sizes))
    for shift in (0.0, 0.5, 3.0):
        both = random.random(sum(sizes))
        both = np.round(both / step) * step if step else both
        both[: sizes[0]] += shift
        own = welch(both[: sizes[0]], both[sizes[0] :])
        ways = [welch(both[list(one)], np.delete(both, list(one))) for one in combinations(range(len(both)), sizes[0])]
        expected = np.mean([way >= own * (1 - 1e-9) for way in ways])
        groups = both[: sizes[0]], both[sizes[0] :]
        assert _exchanged(*groups, len(ways), 0) == pytest.approx(expected)
        drawn = _exchanged(*groups, len(ways) - 1, 0)  # one too few to try them all: some are drawn
        assert 0 < drawn <= 1
        assert (drawn == 1.0) == (expected == 1.0) or expected > 0.6
