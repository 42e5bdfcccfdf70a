"""What can be detected, counted and split: against SciPy, at, below and above every limit, and bad among good."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rankmeter.errors import InputError
from rankmeter.online import sample_ratio, sign_test, units_for_effect, units_for_rates, wilson
from rankmeter.stats.power import MOST_UNITS, minimum_detectable, units_needed

NAN, INF = math.nan, math.inf


def refused(call, *values, **options) -> str:
    with pytest.raises(InputError) as told:
        call(*values, **options)
    return told.value.problem.kind


def power_of(difference: float, spread: float, units: float, alpha: float) -> float:
    shift, critical = difference / spread * math.sqrt(units), stats.t.ppf(1 - alpha / 2, units - 1)
    return chance_beyond(critical, units - 1, shift)


def chance_beyond(critical: float, freedom: float, shift: float) -> float:
    lower = np.nan_to_num(stats.nct.cdf(-critical, freedom, shift))  # NaN far out, where it is nothing
    return float(stats.nct.sf(critical, freedom, shift) + lower)


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.5), (0.2, 0.95)])
@pytest.mark.parametrize("units", [2, 3, 7, 60])
def test_the_least_difference_is_found_as_often_as_stated(units, alpha, power):
    for spread in (0.2, 3.0):
        least = minimum_detectable(spread, units, alpha=alpha, power=power)
        assert power_of(least, spread, units, alpha) == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize(
    ("spread", "units", "known"), [(0.0, 1, False), (0.1, 1, False), (0.0, 2, False), (0.1, 2, True), (0.1, 0, False)]
)
def test_one_unit_or_no_spread_detects_nothing(spread, units, known):
    assert (minimum_detectable(spread, units) is not None) == known


@pytest.mark.parametrize(("spread", "difference"), [(0.2, 0.1), (1.0, 0.31), (0.1, 0.4)])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9)])
def test_the_units_needed_are_the_fewest_that_have_the_power(spread, difference, alpha, power):
    units = units_needed(spread, difference, alpha=alpha, power=power)
    assert power_of(difference, spread, units, alpha) >= power - 1e-9
    assert units == 2 or power_of(difference, spread, units - 1, alpha) < power


def test_no_spread_needs_no_number_and_too_little_difference_too_many():
    assert units_needed(0.0, 0.1) is None
    least = minimum_detectable(1.0, MOST_UNITS)
    assert units_needed(1.0, least * 1.001) < MOST_UNITS
    assert refused(units_needed, 1.0, least * 0.999) == "stats.too_many_units"


@pytest.mark.parametrize("spread", [NAN, INF, -0.1])
def test_a_spread_is_a_finite_number(spread):
    assert refused(units_needed, spread, 0.1) == "general.not_positive"


@pytest.mark.parametrize("difference", [0.0, -0.1, NAN, INF])
def test_a_difference_to_detect_is_above_0(difference):
    assert refused(units_needed, 0.1, difference) == "general.not_positive"


@pytest.mark.parametrize("call", [minimum_detectable, units_needed])
@pytest.mark.parametrize(
    ("alpha", "power", "kind"),
    [
        (0.05, 0.05, "stats.power"),  # as often as by chance
        (0.05, 0.0501, ""),
        (0.05, 0.9999, ""),
        (0.05, 1.0, "stats.power"),
        (0.05, NAN, "stats.power"),
        (0.0, 0.8, "general.not_a_share"),
        (1.0, 0.8, "general.not_a_share"),
        (NAN, 0.8, "general.not_a_share"),
    ],
)
def test_the_power_lies_between_alpha_and_1(call, alpha, power, kind):
    if kind:
        assert refused(call, 0.3, 10, alpha=alpha, power=power) == kind
    else:
        assert call(0.3, 10, alpha=alpha, power=power) > 0


@pytest.mark.parametrize("approximation", ["normal", "arcsine"])
@pytest.mark.parametrize(("base", "other"), [(0.1, 0.12), (0.12, 0.1), (0.5, 0.9), (0.001, 0.999)])
def test_rates_need_as_many_units_either_way_round(base, other, approximation):
    units = units_for_rates(base, other, approximation=approximation)
    assert units == pytest.approx(units_for_rates(other, base, approximation=approximation))
    assert units > units_for_rates(base, other, approximation=approximation, power=0.7) * (approximation == "normal")
    if approximation == "arcsine" and units > 2:
        effect = 2 * abs(math.asin(math.sqrt(base)) - math.asin(math.sqrt(other)))
        z, shift = stats.norm.ppf(0.975), effect * math.sqrt(units / 2)
        assert stats.norm.cdf(shift - z) + stats.norm.cdf(-shift - z) == pytest.approx(0.8)


@pytest.mark.parametrize("bad", [0.0, 1.0, -0.1, 1.1, NAN, INF])
def test_a_bad_rate_beside_a_good_one_is_refused(bad):
    assert refused(units_for_rates, bad, 0.5) == refused(units_for_rates, 0.5, bad) == "general.not_a_share"
    assert refused(units_for_rates, 0.5, 0.5) == "stats.equal_rates"


@pytest.mark.parametrize("effect", [0.1, 0.5, 3.0])
def test_an_effect_needs_as_many_units_whichever_its_sign(effect):
    units = units_for_effect(effect)
    assert units == units_for_effect(-effect)
    critical = stats.t.ppf(0.975, 2 * units - 2)
    shift = effect * math.sqrt(units / 2)
    assert chance_beyond(critical, 2 * units - 2, shift) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("effect", "kind"), [(0.0, "stats.no_effect"), (NAN, "general.not_a_number"), (INF, "general.not_a_number")]
)
def test_an_effect_of_nothing_is_refused(effect, kind):
    assert refused(units_for_effect, effect) == kind


@pytest.mark.parametrize("n", [1, 2, 7, 300])
def test_the_ends_of_a_proportion_solve_its_score_test(n):
    z = stats.norm.ppf(0.975)
    for count in {0, 1, n // 2, n - 1, n}:
        low, high = wilson(count, n)
        share = count / n
        assert (low == 0) == (count == 0)
        assert (high == 1) == (count == n)
        for end in {low, high} - {0.0, 1.0}:
            assert abs(share - end) == pytest.approx(z * math.sqrt(end * (1 - end) / n))


@pytest.mark.parametrize(
    ("count", "n"), [(0, 0), (-1, 5), (6, 5), (0, -1), (-1, -1), (NAN, 5), (1, NAN), (1, INF), (INF, INF)]
)
def test_what_is_no_proportion_is_refused(count, n):
    assert refused(wilson, count, n) == "stats.no_proportion"


@pytest.mark.parametrize("a", range(7))
def test_the_sign_test_is_the_binomial_test(a):
    for b in range(7):
        expected = stats.binomtest(a, a + b).pvalue if a + b else NAN
        assert sign_test(a, b) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("bad", [-1, NAN, INF, 0.5, True])
def test_a_bad_count_beside_a_good_one_is_refused_by_the_sign_test(bad):
    assert refused(sign_test, bad, 2) == refused(sign_test, 2, bad) == "general.not_whole"


@pytest.mark.parametrize("counts", [[310, 98], [0, 5], [310, 98, 95], [7, 0, 0]])
def test_the_sample_ratio_is_the_chi_square_test(counts):
    ratios = [3.0, 1.0, 0.5][: len(counts)]
    assert sample_ratio(counts) == pytest.approx(stats.chisquare(counts).pvalue)
    expected = [sum(counts) * ratio / sum(ratios) for ratio in ratios]
    assert sample_ratio(counts, ratios) == pytest.approx(stats.chisquare(counts, expected).pvalue)


@pytest.mark.parametrize(("one", "other"), [(5, 5), (5, 6), (10, 30), (30, 10), (0, 1)])
def test_the_correction_takes_half_a_unit_off_and_never_more_than_there_is(one, other):
    gap = max(abs(one - other) / 2 - 0.5, 0)
    expected = stats.chi2.sf(2 * gap**2 / ((one + other) / 2), 1)
    assert sample_ratio([one, other], continuity="yates") == pytest.approx(expected)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("bad", [NAN, INF, -1])
def test_a_bad_count_or_ratio_among_good_ones_is_refused(bad, place):
    among = [*[5] * place, bad, *[5] * (2 - place)]
    assert refused(sample_ratio, among) == "stats.ratio_counts"
    assert refused(sample_ratio, [5, 5, 5], among) == "stats.ratio_ratios"
    assert refused(sample_ratio, [5, 5, 5], [*among[:place], 0, *among[place + 1 :]]) == "stats.ratio_ratios"


@pytest.mark.parametrize(
    ("counts", "ratios", "continuity", "kind"),
    [
        ([], None, "none", "stats.ratio_ratios"),
        ([5], None, "none", "stats.ratio_ratios"),
        ([5], [1], "none", "stats.ratio_ratios"),
        ([5, 5], [1], "none", "stats.ratio_ratios"),
        ([5, 5], [1, 1, 1], "none", "stats.ratio_ratios"),
        ([0, 0], None, "none", "stats.ratio_counts"),
        ([5, 5, 5], None, "yates", "stats.yates_two"),
    ],
)
def test_a_split_has_two_parts_that_hold_something(counts, ratios, continuity, kind):
    assert refused(sample_ratio, counts, ratios, continuity=continuity) == kind
