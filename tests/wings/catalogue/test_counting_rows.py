"""Trues are counted eight at a time, also where a byte would be too small and where rows end within a word."""

from __future__ import annotations

import numpy as np
import pytest

from rankmeter.wings.catalogue.products import trues_of_rows


@pytest.mark.parametrize("width", [0, 1, 7, 8, 9, 255 * 8 - 1, 255 * 8, 255 * 8 + 1, 256 * 8, 510 * 8 + 5])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_every_true_is_counted(width, share):
    table = np.random.default_rng(width).random((5, width)) < share
    assert trues_of_rows(table).tolist() == [sum(row) for row in table.tolist()]
