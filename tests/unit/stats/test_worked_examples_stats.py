"""Worked examples of what rankmeter.stats computes."""

from __future__ import annotations

import numpy as np
from tests.differences import beside_zeros

from rankmeter.stats.corrections import corrected, separation
from rankmeter.stats.paired import effects, equivalences, p_value, ranks_of
from rankmeter.stats.power import minimum_detectable, units_needed
from rankmeter.stats.rank_agreement import mean_ranks, tau
from rankmeter.stats.resampling import least_draws, middle


def test_example_of_separation():
    random = np.random.default_rng(0)
    values = random.normal([[0.5], [0.49], [0.3]], 0.1, (3, 100))
    found = separation(values, level=0.95, resamples=2000, seed=0)
    assert (found.in_best.tolist(), found.rank_low.tolist(), found.rank_high.tolist()) == (
        [True, True, False],
        [1, 1, 3],
        [2, 2, 3],
    )


def test_example_of_corrected():
    assert corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist() == [0.03, 0.06, 0.06]
    assert corrected(np.array([0.01, 0.04, 0.03]), "bonferroni").tolist() == [0.03, 0.12, 0.09]


def test_example_of_p_value():
    assert p_value(np.array([0.1, 0.2, 0.1, 0.3, 0.1, 0.2]), "randomisation", permutations=1000, seed=0) == 0.03125


def test_example_of_ranks_of():
    assert ranks_of(np.array([1 / 2 - 1 / 3, 1 / 6 - 1 / 3, 0.5])).tolist() == [1.5, 1.5, 3.0]


def test_example_of_effects():
    sizes = effects(np.array([[0.5, 0.5, 0.0, -0.2]]))[0]
    assert (sizes.wins, sizes.ties, sizes.losses, round(sizes.standardised, 3), round(sizes.rank_biserial, 3)) == (
        2,
        1,
        1,
        0.562,
        0.667,
    )


def test_example_of_equivalences():
    small = np.random.default_rng(0).normal(0, 0.02, (1, 200))
    tested = equivalences(beside_zeros(small[0]), [(0, 1)], 0.01)[0]
    assert tested.no_worse < 0.001
    assert tested.equivalent < 0.001


def test_example_of_minimum_detectable():
    assert round(minimum_detectable(0.2, 100), 4) == 0.0566


def test_example_of_units_needed():
    assert units_needed(0.2, 0.05) == 128


def test_example_of_tau():
    assert float(tau(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0])).round(4)) == 0.3333


def test_example_of_mean_ranks():
    assert mean_ranks([0.3, 0.1, 0.3]).tolist() == [2.5, 1.0, 2.5]


def test_example_of_middle():
    assert [round(end, 6) for end in middle(np.arange(1.0, 40.0), 0.95)] == [1.0, 39.0]


def test_example_of_least_draws():
    assert least_draws(0.95) == 39
