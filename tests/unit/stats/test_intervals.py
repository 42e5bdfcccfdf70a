from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rankmeter as rm
from rankmeter.arithmetic.parts import Values
from rankmeter.stats.intervals import _median_left_out, bootstrap_interval


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
    expected = stats.bootstrap((draw,), np.mean, method="BCa", n_resamples=40_000, rng=3).confidence_interval
    found = bootstrap_interval(values(draw), "mean", level=0.95, resamples=40_000, seed=5)
    spread = expected.high - expected.low
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03 * spread)


def test_pooled_quotients_agree_with_scipy():
    draw = np.random.default_rng(4)
    below = draw.integers(1, 9, 70).astype(float)
    above = draw.binomial(below.astype(int), 0.4).astype(float)
    expected = stats.bootstrap(
        (above, below), lambda a, b, axis: a.mean(axis) / b.mean(axis), paired=True, n_resamples=40_000, rng=1
    ).confidence_interval
    found = bootstrap_interval(values(above / below, above, below), "pooled", level=0.95, resamples=40_000, seed=2)
    spread = expected.high - expected.low
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.03 * spread)


@pytest.mark.parametrize("size", [2, 3, 8, 9])
def test_the_median_with_one_left_out(size):
    draw = np.sort(np.random.default_rng(size).normal(size=size))
    assert _median_left_out(draw) == pytest.approx([np.median(np.delete(draw, i)) for i in range(size)])


def test_equal_values_have_an_interval_of_width_zero():
    found = bootstrap_interval(values(np.full(9, 0.5)), "mean", level=0.95, resamples=999, seed=0)
    assert (found.low, found.high) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("options", "message"), [({"level": 1.5}, "a number between 0 and 1"), ({"resamples": 5}, "at least 100")]
)
def test_bad_options_are_refused(options, message):
    given = {"level": 0.95, "resamples": 999, "seed": 0} | options
    with pytest.raises(rm.InputError, match=message):
        bootstrap_interval(values([0.1, 0.2]), "mean", **given)


def test_one_query_has_no_interval():
    with pytest.raises(rm.InputError, match="it takes at least two"):
        rm.evaluate({"q": {"a"}}, {"q": ["a"]}, "RR").interval("RR")
