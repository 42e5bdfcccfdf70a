"""Quantiles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import stdtrit

import rankmeter as rm
from rankmeter.stats.student import t_quantile
from rankmeter.wings.online.estimates import of_variance


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("freedom", [9_999, 10_000, 12_345.6, 1e9])
def test_the_quantile_of_many_units_is_scipys(level, freedom):
    assert t_quantile(level, freedom) == pytest.approx(stdtrit(freedom, (1 + level) / 2), rel=1e-14)


@pytest.mark.parametrize("value", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("users", [2, 5, 40])
@pytest.mark.parametrize("sequential", [None, "always-valid"])
def test_units_that_are_all_alike_have_no_interval_of_no_width(value, users, sequential):
    """Nothing says how others would differ: [0, 0] would miss whatever the truth is but 0."""
    rows = np.column_stack([np.full(users, value), np.ones(users)])
    names = ("Conversions x", "Conversions y")
    sums = {variant: rm.online.Sums.of_rows(names, rows) for variant in "AB"}
    options = {} if sequential is None else {"sequential": sequential}
    (effect,) = rm.online.experiment(sums, ["Conversions"], control="A", **options).effects
    for estimate in (effect.control_value, effect.difference, effect.always_valid):
        assert math.isnan(estimate.low)
        assert math.isnan(estimate.high)
    assert effect.p == 1
    assert effect.verdict == "cannot tell"


@pytest.mark.parametrize("units", [2, 5, 20])
def test_differences_that_are_alike_are_no_surer_than_as_many_equal_signs(units):
    assert of_variance(0.1, 0.0, units, 0.95, "paired t").p == 2.0 ** (1 - units)
    assert of_variance(0.1, 1e-30, units, 0.95, "paired t").p >= 2.0 ** (1 - units)
    assert of_variance(0.0, 0.0, units, 0.95, "paired t").p == 1
