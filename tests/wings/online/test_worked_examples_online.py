"""Worked examples of what rankmeter.online computes inside."""

from __future__ import annotations

import numpy as np
import pytest

from rankmeter.measures import CTR
from rankmeter.wings.online.click_models import beta_prior, gamma_prior
from rankmeter.wings.online.contrasts import difference
from rankmeter.wings.online.contributions import credit
from rankmeter.wings.online.estimates import heterogeneity, of_variance, quantile_of_group, trimmed_mean
from rankmeter.wings.online.event_columns import of_another_unit
from rankmeter.wings.online.log import sessions_of
from rankmeter.wings.online.looks import boundaries
from rankmeter.wings.online.sums import Sums, Totals
from rankmeter.wording import said

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


def test_example_of_gamma_prior():
    clicks, evidence = [0, 1, 2, 3, 5, 8, 12, 20.0], [6.5, 9, 12, 30, 22, 41, 40, 52.5]
    prior = gamma_prior(np.array(clicks), np.array(evidence))
    assert (round(prior.shape, 3), round(prior.strength, 2)) == (12.881, 57.03)


def test_example_of_beta_prior():
    clicks, shown = [0, 1, 2, 3, 5, 8, 12, 20.0], [10, 12, 20, 40, 40, 50, 60, 60.0]
    prior = beta_prior(np.array(clicks), np.array(shown))
    assert (round(prior.clicks, 3), round(prior.misses, 2)) == (4.544, 24.42)


def test_example_of_heterogeneity():
    same = [of_variance(0.1, variance, 100, 0.95, said("method_delta")) for variance in (0.01, 0.04)]
    assert heterogeneity(same) == 1.0


def test_example_of_boundaries():
    assert [round(bound, 2) for bound in boundaries((0.2, 0.4, 0.6, 0.8, 1.0), 0.05, "obrien-fleming")] == [
        4.88,
        3.36,
        2.68,
        2.29,
        2.03,
    ]


def test_example_of_quantile():
    side = quantile_of_group(np.arange(101.0), np.arange(101), 0.5)
    assert (side.value, side.n) == (50.0, 101)


def test_example_of_trimmed_mean():
    assert trimmed_mean(np.array([0.0, 1, 2, 3, 1000]), 0.2).value == 2.0
