"""The statistics agree with scipy on the same statistic."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import stats
from tests.differences import beside_zeros
from tests.other_scipy import COUNTS_TIES, RNG

from rankmeter.arithmetic import AGGREGATES, Values
from rankmeter.errors import InputError
from rankmeter.stats.corrections import corrected
from rankmeter.stats.intervals import intervals_of
from rankmeter.stats.paired import effects, equivalences, p_value, p_values
from rankmeter.stats.power import minimum_detectable, units_needed
from rankmeter.stats.resampling import Sample


def mean_difference(a, b, axis=-1):
    return np.mean(a, axis=axis) - np.mean(b, axis=axis)


def sample_of(values) -> Sample:
    values = np.asarray(values, np.float64)
    return Sample.of_values(values)


@pytest.fixture
def values() -> np.ndarray:
    random = np.random.default_rng(5)
    return np.round(np.clip(random.normal([[0.5], [0.55], [0.45]], 0.2, (3, 40)), 0, 1), 1)  # many ties, as in P@10


def test_exact_randomisation_equals_scipy_where_all_patterns_are_tried() -> None:
    random = np.random.default_rng(3)
    a, b = random.integers(0, 10, (2, 11)) / 10  # 2048 patterns, many of them tied with the observed one
    for alternative in ("two-sided", "less", "greater"):
        expected = stats.permutation_test(
            (a, b),
            mean_difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative=alternative,
        ).pvalue
        found = p_value(a - b, "randomisation", alternative=alternative, permutations=5000, seed=0)
        assert found == pytest.approx(expected, abs=1e-15)


def test_drawn_randomisation_equals_scipy_within_the_error_of_drawing(values) -> None:
    found = p_values([sample_of(values)], [(0, 1), (0, 2), (1, 2)], "randomisation", permutations=40_000, seed=1)[0]
    for p, (left, right) in zip(found, [(0, 1), (0, 2), (1, 2)], strict=True):
        expected = stats.permutation_test(
            (values[left], values[right]), mean_difference, permutation_type="samples", vectorized=True,
            n_resamples=39_999, **{RNG: np.random.default_rng(7)},
        ).pvalue  # fmt: skip
        assert p == pytest.approx(expected, abs=5 * np.sqrt(2 * expected * (1 - expected) / 40_000) + 1e-4)


def test_systems_flipped_together_equal_pairs_flipped_alone(values) -> None:
    small = values[:, :12]
    together = p_values([sample_of(small)], [(0, 1), (1, 2)], "randomisation", permutations=5000, seed=0)[0]
    alone = [p_value(small[a] - small[b], "randomisation", permutations=5000, seed=0) for a, b in [(0, 1), (1, 2)]]
    assert together.tolist() == alone


def test_t_wilcoxon_and_sign_are_those_of_scipy(values) -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    found = {
        test: p_values([sample_of(values)], pairs, test, permutations=100, seed=0)[0]
        for test in ("t", "wilcoxon", "sign")
    }
    for column, (left, right) in enumerate(pairs):
        difference = values[left] - values[right]
        wins, losses = int((difference > 1e-12).sum()), int((difference < -1e-12).sum())
        clean = np.round(difference, 10)  # scipy takes rounding errors for differences of rank
        assert found["t"][column] == pytest.approx(stats.ttest_rel(values[left], values[right]).pvalue, rel=1e-9)
        assert not COUNTS_TIES or found["wilcoxon"][column] == pytest.approx(stats.wilcoxon(clean).pvalue, rel=1e-9)
        assert found["sign"][column] == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-12)


@pytest.mark.skipif(not COUNTS_TIES, reason="this scipy takes tied ranks for ranks without ties")
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_wilcoxon_with_few_tied_differences_tries_every_pattern_as_scipy_does(alternative) -> None:
    for d in ([0.1, 0.1, -0.1, 0.3, 0.2, 0.2], [0.5, 0.5, 0.0, 0.5, -0.25, 0.0, 0.25]):
        expected = stats.wilcoxon(np.array(d), alternative=alternative).pvalue
        found = p_value(np.array(d), "wilcoxon", alternative=alternative, permutations=100, seed=0)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("units", [1, 2, 14, 50, 51])
@pytest.mark.parametrize("digits", [1, 9])
def test_wilcoxon_is_that_of_scipy_with_and_without_ties(units, digits, alternative) -> None:
    if digits == 1 and not COUNTS_TIES:
        pytest.skip("this scipy takes tied ranks for ranks without ties")
    differences = np.random.default_rng(units).normal(0.3, 1, units).round(digits)
    expected = stats.wilcoxon(differences[differences != 0], alternative=alternative).pvalue
    found = p_value(differences, "wilcoxon", alternative=alternative, permutations=100, seed=0)
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("method", "name"), [("bca", "BCa"), ("percentile", "percentile")])
def test_bootstrap_intervals_equal_those_of_scipy_with_the_same_seed(method, name) -> None:
    values = np.random.default_rng(6).random((3, 40))
    bands = intervals_of([sample_of(values)], [(0, 1)], level=0.9, method=method, resamples=2000, seed=11)[0]
    for found, data in ((bands.systems[2], values[2]), (bands.pairs[0], values[0] - values[1])):
        expected = stats.bootstrap(
            (data,), np.mean, confidence_level=0.9, n_resamples=2000, method=name, **{RNG: np.random.default_rng(11)}
        ).confidence_interval
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_holm_and_bonferroni_by_hand_and_bh_by_scipy() -> None:
    p = np.array([0.04, 0.001, 0.03, 0.5])
    assert corrected(p, "holm").tolist() == pytest.approx([0.09, 0.004, 0.09, 0.5])
    assert corrected(p, "bonferroni").tolist() == pytest.approx([0.16, 0.004, 0.12, 1.0])
    assert corrected(p, "bh").tolist() == pytest.approx(stats.false_discovery_control(p).tolist())
    assert corrected(p, "none").tolist() == p.tolist()


def test_equivalence_is_two_one_sided_t_tests(values) -> None:
    d = values[0] - values[1]
    found = equivalences(beside_zeros(d), [(0, 1)], 0.1)[0]
    assert found.no_worse == pytest.approx(stats.ttest_1samp(d, -0.1, alternative="greater").pvalue)
    assert found.no_better == pytest.approx(stats.ttest_1samp(d, 0.1, alternative="less").pvalue)
    turned = equivalences(beside_zeros(d), [(0, 1)], 0.1, higher_is_better=False)[0]
    assert (turned.no_worse, turned.no_better) == pytest.approx((found.no_better, found.no_worse))


@pytest.mark.parametrize("units", [2, 3, 10])
def test_equal_differences_prove_no_more_than_their_signs_where_scipy_is_certain(units) -> None:
    d = np.full(units, 0.1) + np.arange(units) * 1e-17
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy: "Precision loss occurred"
        assert stats.ttest_1samp(np.full(units, 0.1), 0.0).pvalue < 1e-15
    found = {
        side: p_value(d, "t", alternative=side, permutations=0, seed=0) for side in ("two-sided", "greater", "less")
    }
    assert found == {"two-sided": 2.0 ** (1 - units), "greater": 2.0**-units, "less": 1.0}
    # The same as the randomisation test, which tries every pattern of signs.
    assert found["two-sided"] == p_value(d, "randomisation", permutations=5000, seed=0)
    same = equivalences(beside_zeros(np.zeros(units)), [(0, 1)], 0.01)[0]
    assert (same.no_worse, same.no_better, same.equivalent) == (2.0**-units,) * 3
    worse = equivalences(beside_zeros(np.full(units, -0.1)), [(0, 1)], 0.01)[0]
    assert (worse.no_worse, worse.equivalent) == (1.0, 1.0)


def test_without_spread_nothing_is_said_of_what_could_be_found() -> None:
    assert minimum_detectable(0.0, 3) is None
    assert units_needed(0.0, 0.01) is None
    for impossible in (0.0, -0.01, math.nan, math.inf):
        with pytest.raises(InputError, match="expected a number above 0"):
            units_needed(0.2, impossible)


def test_a_detectable_difference_is_found_as_often_as_promised() -> None:
    spread, units = 0.3, 40
    difference = minimum_detectable(spread, units, alpha=0.05, power=0.8)
    random = np.random.default_rng(0)
    p = stats.ttest_1samp(random.normal(difference, spread, (4000, units)), 0.0, axis=1).pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.02)
    assert units_needed(spread, difference) in (units, units + 1)  # the inverse, up to rounding to a whole number


def test_rank_biserial_is_that_of_the_wilcoxon_sums() -> None:
    d = np.array([0.3, -0.1, 0.2, 0.5, -0.4])
    ranks = stats.rankdata(np.abs(d))
    assert effects(d[None])[0].rank_biserial == pytest.approx((ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum())
    assert effects(d[None], higher_is_better=False)[0].wins == 2


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign"])
def test_no_difference_at_all_has_p_1(test) -> None:
    same = np.array([[0.1, 0.7, 0.3], [0.1, 0.7, 0.3]])
    assert p_values([sample_of(same)], [(0, 1)], test, permutations=100, seed=0)[0, 0] == 1.0


def test_rounding_is_no_difference() -> None:
    assert p_value(np.array([1e-17, -1e-17, 2e-17]), "sign", permutations=100, seed=0) == 1.0


def of_means(value: np.ndarray) -> Values:
    return Values(value, np.ones(value.shape[1], bool), value, np.ones_like(value))


def test_units_of_several_queries_are_resampled_whole() -> None:
    value = np.array([[0.2, 0.4, 0.9, 0.1], [0.3, 0.1, 0.5, 0.1]])
    made = Sample.of_queries(of_means(value), np.array([7, 7, 7, 3]), "mean")
    assert made.units == 2
    assert made.values() == pytest.approx(value.mean(axis=1))
    assert made.linear().mean(axis=1) == pytest.approx(value.mean(axis=1))
    assert made.flippable().mean(axis=1) == pytest.approx(value.mean(axis=1))
    assert sorted(made.bottom[0].tolist()) == [1.0, 3.0]


def test_the_t_test_over_clusters_has_the_cluster_robust_variance() -> None:
    random = np.random.default_rng(2)
    groups = np.repeat(np.arange(12), random.integers(1, 6, 12))
    value = random.normal(0, 1, (2, len(groups))) + np.stack([random.normal(0, 1, 12)[groups], np.zeros(len(groups))])
    made = Sample.of_queries(of_means(value), groups, "mean")
    d = value[0] - value[1]
    sums = np.bincount(groups, d - d.mean())
    # The sandwich with the usual factor G / (G - 1).
    robust = np.sqrt((sums**2).sum() * 12 / 11) / len(d)
    expected = 2 * stats.t.sf(abs(d.mean()) / robust, 11)
    assert p_values([made], [(0, 1)], "t", permutations=100, seed=0)[0, 0] == pytest.approx(expected, rel=1e-9)


def test_geometric_means_and_pooled_values_are_resampled_as_such() -> None:
    value = np.array([[0.2, 0.4, 0.9], [0.3, 0.1, 0.5]])
    top, bottom = np.array([[1.0, 2, 3], [2, 2, 2]]), np.array([[2.0, 4, 4], [4, 4, 2]])
    values, alone = Values(value, np.ones(3, bool), top, bottom), np.arange(3)
    assert Sample.of_queries(values, alone, "geometric").values() == pytest.approx(stats.gmean(value, axis=1))
    assert Sample.of_queries(values, alone, "pooled").values() == pytest.approx([0.6, 0.6])
    assert Sample.of_queries(values, alone, "sum").values() == pytest.approx(value.sum(axis=1))


def test_limits_and_margins_of_a_geometric_mean_are_on_its_own_scale() -> None:
    random = np.random.default_rng(8)
    values = np.exp(random.normal([[-1.0], [-0.9]], 0.3, (2, 60)))
    logs, ones = np.log(values), np.ones_like(values)
    one = Sample(logs, ones, AGGREGATES["geometric"])
    gmeans = stats.gmean(values, axis=1)
    assert one.on_scale().mean(axis=1) == pytest.approx(gmeans)
    # The error of the linearised difference is that of resampling it.
    moved = one.on_scale()[0] - one.on_scale()[1]
    chosen = random.integers(0, 60, (4000, 60))
    resampled = stats.gmean(values[0][chosen], axis=1) - stats.gmean(values[1][chosen], axis=1)
    assert stats.sem(moved) == pytest.approx(resampled.std(), rel=0.1)

    def p(system: int, other: int | None, shift: float) -> float:
        return p_value(one.shifted(system, other, shift), "t", alternative="less", permutations=0, seed=0)

    assert p(0, None, 0.4) == pytest.approx(stats.ttest_1samp(logs[0], np.log(0.4), alternative="less").pvalue)
    assert p(0, 1, 0.0) == pytest.approx(stats.ttest_rel(logs[0], logs[1], alternative="less").pvalue)
    ratio = np.log(1 - 0.02 / gmeans[1])
    assert p(0, 1, -0.02) == pytest.approx(stats.ttest_1samp(logs[0] - logs[1], ratio, alternative="less").pvalue)


@pytest.mark.parametrize("count", [12, 40])
def test_ranks_do_not_depend_on_rounding_errors(count) -> None:
    random = np.random.default_rng(4)
    sixths = random.permutation(np.resize([-1, 1, 2, 3, -2, 1, 4, 5], count))
    base = random.integers(0, 7, count)
    noisy = (base + sixths) / 6 - base / 6
    assert len(np.unique(np.abs(noisy))) > len(np.unique(np.abs(sixths)))  # equal sizes that are different numbers
    for alternative in ("two-sided", "less", "greater"):
        clean = p_value(sixths.astype(np.float64), "wilcoxon", alternative=alternative, permutations=0, seed=0)
        assert p_value(noisy, "wilcoxon", alternative=alternative, permutations=0, seed=0) == clean
    assert effects(noisy[None])[0].rank_biserial == effects(sixths.astype(np.float64)[None])[0].rank_biserial
