"""Quantiles."""

from __future__ import annotations

import pytest
from scipy.special import stdtrit

from rankmeter.stats.student import t_quantile


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("freedom", [9_999, 10_000, 12_345.6, 1e9])
def test_the_quantile_of_many_units_is_scipys(level, freedom):
    assert t_quantile(level, freedom) == pytest.approx(stdtrit(freedom, (1 + level) / 2), rel=1e-14)
