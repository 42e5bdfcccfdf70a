"""Worked examples of what rankmeter.online computes inside."""

from __future__ import annotations

import numpy as np
import pytest

from rankmeter.measures import CTR
from rankmeter.wings.online.contrasts import difference
from rankmeter.wings.online.contributions import credit
from rankmeter.wings.online.event_columns import of_another_unit
from rankmeter.wings.online.log import sessions_of
from rankmeter.wings.online.sums import Sums, Totals

MINUTE = 60_000_000


def test_example_of_a_difference_of_two_rates():
    rows = {
        "A": [[1, 10], [1, 4], [3, 20], [0, 1], [2, 8], [0, 5], [1, 12], [1, 2]],
        "B": [[2, 9], [1, 6], [3, 15], [1, 3], [2, 7], [0, 2], [3, 14], [1, 4]],
    }
    a, b = (Sums.of_rows(("CTR x", "CTR y"), np.array(side, float)) for side in rows.values())
    gap = difference(a, b, CTR)
    assert (gap.absolute.value, gap.p) == pytest.approx((0.07150537, 0.0482834), abs=1e-7)


def test_example_of_an_even_credit():
    one = np.zeros(1, np.int64)
    shares, has_click = credit(
        np.zeros(3, np.int64), np.array([1, 5, 9]), one, one + 6, window=None, rule="even"
    )  # fmt: skip
    assert shares.tolist() == [0.5, 0.5, 0.0]
    assert has_click.tolist() == [True]


def test_example_of_times_in_two_units():
    seconds = np.array([1_700_000_000, 1_700_000_060, 1_700_000_120_000])
    assert of_another_unit(seconds * 1_000_000, "s") == 1


def test_example_of_sessions_by_pauses_and_by_ids():
    user, time = np.zeros(4, np.int64), np.array([0, 1, 2, 9]) * MINUTE
    assert sessions_of(user, time, gap=5 * MINUTE).seconds.tolist() == [120.0, 0.0]
    named = np.array([7, 0, 7, 0], np.uint64)
    assert sessions_of(user, time, gap=5 * MINUTE, ids=(named, named > 0)).of_event.tolist() == [2, 0, 2, 1]


def test_example_of_exact_totals():
    rows = np.array([[0.1], [0.2], [0.3], [1e16], [-1e16]])
    whole, parts = Totals.of_rows(rows), Totals.of_rows(rows[3:]) + Totals.of_rows(rows[2::-1])
    assert whole.means().tolist() == parts.means().tolist() == [0.12]
