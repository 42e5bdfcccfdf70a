from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.other_scipy import RNG, T_QUANTILES

import rankmeter as rm
from rankmeter.arithmetic.parts import Values
from rankmeter.stats.intervals import INVERTS, interval_of, intervals_of
from rankmeter.stats.paired import p_values
from rankmeter.stats.resampling import Groups, Sample


def values(value, numerator=None, denominator=None) -> Values:
    ones = np.ones(len(value))
    return Values(
        np.asarray(value, float),
        np.ones(len(value), bool),
        np.asarray(value if numerator is None else numerator, float),
        ones if denominator is None else np.asarray(denominator, float),
    )


@pytest.mark.parametrize("draw", [np.random.default_rng(1).beta(0.4, 1, 80), np.random.default_rng(2).normal(size=60)])
def test_bca_agrees_with_scipy(draw):
    expected = stats.bootstrap((draw,), np.mean, method="BCa", n_resamples=40_000, **{RNG: 3}).confidence_interval
    found = interval_of(values(draw), "mean", level=0.95, method="bca", resamples=40_000, seed=5)
    spread = expected.high - expected.low
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03 * spread)


def test_pooled_quotients_agree_with_scipy():
    draw = np.random.default_rng(4)
    below = draw.integers(1, 9, 70).astype(float)
    above = draw.binomial(below.astype(int), 0.4).astype(float)
    expected = stats.bootstrap(
        (above, below), lambda a, b, axis: a.mean(axis) / b.mean(axis), paired=True, n_resamples=40_000, **{RNG: 1}
    ).confidence_interval
    found = interval_of(
        values(above / below, above, below), "pooled", level=0.95, method="bca", resamples=40_000, seed=2
    )
    spread = expected.high - expected.low
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03 * spread)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_a_mean_is_that_of_scipy(level):
    draw = np.random.default_rng(7).beta(0.4, 1, 30)
    found = interval_of(values(draw), "mean", level=level, method="t", resamples=999, seed=0)
    expected = stats.ttest_1samp(draw, 0.0).confidence_interval(level)
    assert (found.low, found.high, found.resamples) == pytest.approx((expected.low, expected.high, 0), rel=T_QUANTILES)


def test_the_interval_of_a_geometric_mean_is_that_of_its_logarithms():
    draw = np.random.default_rng(7).beta(2, 2, 30)
    found = interval_of(values(draw), "geometric", level=0.95, method="t", resamples=999, seed=0)
    expected = np.exp(stats.ttest_1samp(np.log(draw), 0.0).confidence_interval(0.95))
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=T_QUANTILES)


@pytest.mark.skipif(not hasattr(stats, "quantile_test"), reason="this scipy has no quantile_test")
@pytest.mark.parametrize("size", [6, 7, 30, 101])
def test_the_interval_of_a_median_is_that_of_the_sign_test(size):
    draw = np.sort(np.random.default_rng(size).normal(size=size))
    found = interval_of(values(draw), "median", level=0.95, method="t", resamples=999, seed=0)
    expected = stats.quantile_test(draw, q=0.0, p=0.5).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("value", "aggregate", "why"),
    [
        ([0.5] * 9, "mean", "all 9 values are equal"),
        ([0.3], "mean", "fewer than two queries"),
        ([0.1, 0.2, 0.3, 0.4, 0.5], "median", "5 values are too few"),
    ],
)
def test_where_there_is_no_interval_the_reason_is_said(value, aggregate, why):
    with pytest.raises(rm.InputError, match=f"there is no interval: {why}"):
        interval_of(values(value), aggregate, level=0.95, method="t", resamples=999, seed=0)


def lumpy(draw, size):
    """Differences as of RR: many ties, few values."""
    return draw.choice([0, 0, 0.5, -0.5, 1, 1 / 3, -1 / 6], size)


@pytest.mark.parametrize("test", ["t", "randomisation"])
@pytest.mark.parametrize("units", [2, 5, 6, 9, 14, 40])
@pytest.mark.parametrize("make", [lumpy, lambda draw, size: draw.exponential(1, size) - 0.6])
def test_an_interval_and_the_test_that_it_inverts_never_contradict(test, units, make):
    draw = np.random.default_rng(units)
    samples = [Sample.of_values(np.stack([make(draw, units), np.zeros(units)])) for _ in range(40)]
    chances = p_values(samples, [(0, 1)], test, permutations=2000, seed=3)[:, 0]
    bands = intervals_of(samples, [(0, 1)], level=0.95, method=INVERTS.get(test, "t"), resamples=2000, seed=3)
    for chance, band in zip(chances, bands, strict=True):
        interval = band.pairs[0]
        if interval is None:
            assert chance >= 0.05 or units < 2 or test == "t"
        elif abs(chance - 0.05) > (0.01 if test == "randomisation" and 2**units > 2000 else 0):
            assert (chance < 0.05) == (not interval.low <= 0 <= interval.high)


def test_the_inverted_randomisation_test_holds_what_the_test_does_not_reject():
    """Shifting the differences by either end puts the test on the edge of rejecting."""
    d = np.random.default_rng(4).normal(0.3, 1, 10)
    zeros = np.zeros(10)
    interval = intervals_of(
        [Sample.of_values(np.stack([d, zeros]))], [(0, 1)], level=0.95, method="randomisation", resamples=2000, seed=0
    )[0].pairs[0]
    for end, inward in ((interval.low, 1e-9), (interval.high, -1e-9)):
        inside, outside = (
            p_values([Sample.of_values(np.stack([d - end - step, zeros]))], [(0, 1)], "randomisation",
                     permutations=2000, seed=0)[0, 0]
            for step in (inward, -inward)
        )  # fmt: skip
        assert inside >= 0.05 > outside


def test_runs_that_share_no_seed_are_compared_as_welch_does():
    draw = np.random.default_rng(5)
    one, other, single = draw.normal(0.4, 0.1, 6), draw.normal(0.3, 0.02, 9), np.array([0.35])
    groups = Groups((one, other, single))
    pairs = [(0, 1), (0, 2)]
    found = p_values([groups], pairs, "t", permutations=999, seed=0)[0]
    expected = stats.ttest_ind(one, other, equal_var=False)
    assert found == pytest.approx([expected.pvalue, max(stats.ttest_1samp(one, 0.35).pvalue, 2**-5)], rel=1e-9)
    interval = intervals_of([groups], pairs, level=0.95, method="t", resamples=999, seed=0)[0].pairs[0]
    ends = expected.confidence_interval(0.95)
    # Quantiles of SciPy 1.11 at broken degrees of freedom are off by 4e-8.
    assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), rel=1e-7)
    reach, freedom = (interval.high - interval.low) / 2, expected.df
    error = (one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other)) ** 0.5
    assert stats.t.sf(reach / error, freedom) == pytest.approx(0.025, rel=1e-9)
    exchanged = p_values([groups], pairs, "randomisation", permutations=100_000, seed=0)[0, 0]
    exact = stats.permutation_test(
        (one, other),
        lambda a, b, axis: np.abs(stats.ttest_ind(a, b, axis=axis, equal_var=False).statistic),
        vectorized=True,
        n_resamples=np.inf,
        alternative="greater",
    )
    assert exchanged == pytest.approx(exact.pvalue, rel=1e-9)
    assert p_values([groups], pairs, "wilcoxon", permutations=999, seed=0)[0, 0] == pytest.approx(
        stats.mannwhitneyu(one, other).pvalue
    )


@pytest.mark.parametrize(
    ("options", "message"), [({"level": 1.5}, "a number between 0 and 1"), ({"resamples": 5}, "100 or more")]
)
def test_bad_options_are_refused(options, message):
    given = {"level": 0.95, "method": "t", "resamples": 999, "seed": 0} | options
    with pytest.raises(rm.InputError, match=message):
        interval_of(values([0.1, 0.2]), "mean", **given)


def test_one_query_has_no_interval():
    with pytest.raises(rm.InputError, match="fewer than two queries count"):
        rm.evaluate({"q": {"a"}}, {"q": ["a"]}, "RR").interval("RR")
