"""Two orders of the same things: as scipy has them."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from rankmeter.stats.rank_agreement import mean_ranks, tau


@pytest.mark.parametrize("seed", range(8))
def test_tau_equals_scipy(seed):
    from scipy.stats import kendalltau

    draw = random.Random(seed)
    one, two = ([draw.randrange(5) for _ in range(9)] for _ in range(2))
    expected = kendalltau(one, two).statistic
    assert tau(np.array(one, float), np.array(two, float)) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_many_pairs_of_orders_at_once():
    rng = np.random.default_rng(0)
    one, two = rng.random((2, 7, 5))
    assert tau(one, two) == pytest.approx([float(tau(a, b)) for a, b in zip(one, two, strict=True)])


@pytest.mark.parametrize("shape", [(1,), (6,), (5, 1), (7, 9), (2, 3, 4), (0,), (3, 0)])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_mean_ranks_are_those_of_scipy(shape, digits):
    values = np.random.default_rng(digits).random(shape).round(digits)
    values[values > 0.9] = np.inf
    assert mean_ranks(values).tolist() == stats.rankdata(values, axis=-1).tolist()
