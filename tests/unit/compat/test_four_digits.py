"""Many numbers are printed as each of them is alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmeter.compat.trec_eval import MANY, all_four_digits, four_digits


@pytest.mark.parametrize("seed", [0, 1])
def test_many_numbers_are_printed_as_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 20_001, MANY) / 20_000  # every second one lies as good as half way
    odd = np.array([0.0, -0.0, 1.0, 1.00005, 0.99995, -0.25, 17.5, math.nan, -math.nan, math.inf, 0.00005, 1e-300])
    values = np.concatenate([whole, np.nextafter(whole, 0), np.nextafter(whole, 1), rng.random(MANY), odd])
    assert all_four_digits(values) == [four_digits(float(value)) for value in values]
    finite = values[np.isfinite(values)]
    assert all_four_digits(finite) == [f"{value:6.4f}" for value in finite.tolist()]
