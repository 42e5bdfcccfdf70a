"""Keys that fit into one number together, just fit, and do not fit are sorted alike."""

from __future__ import annotations

import numpy as np
import pytest

from rankmeter.placing.segments import order_by


@pytest.mark.parametrize("bits", [(3, 3), (31, 31), (32, 30), (31, 32), (32, 32), (62, 2), (20, 21, 21), (30, 30, 30)])
@pytest.mark.parametrize("low", [0, -5])
def test_keys_of_any_size_are_sorted_one_after_another(bits, low) -> None:
    random = np.random.default_rng(sum(bits))
    keys = []
    for width in bits:
        key = random.choice([0, 1, 2, (1 << width) - 2, (1 << width) - 1], 400) + low
        keys.append(key.astype(np.int64))
    expected = sorted(range(400), key=lambda row: tuple(int(key[row]) for key in keys))
    assert order_by(*keys).tolist() == expected
