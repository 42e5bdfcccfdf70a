"""Worked examples of what rankmeter.stats computes."""

from __future__ import annotations

import numpy as np

from rankmeter.stats.corrections import corrected, separation
from rankmeter.stats.paired import effects, equivalences, p_value, ranks_of
from rankmeter.stats.power import minimum_detectable, units_needed
from rankmeter.stats.rank_agreement import mean_ranks, tau
from rankmeter.stats.resampling import least_draws, middle
from rankmeter.stats.student import Contrasts
from rankmeter.wings.online.click_models import beta_prior, gamma_prior
from rankmeter.wings.online.estimates import boundaries, heterogeneity, of_variance, quantile, trimmed_mean
from rankmeter.wording import said


def test_example_of_separation():
    random = np.random.default_rng(0)
    values = random.normal([[0.5], [0.49], [0.3]], 0.1, (3, 100))
    found = separation(values, level=0.95, resamples=2000, seed=0)
    assert (found.in_best.tolist(), found.rank_low.tolist(), found.rank_high.tolist()) == (
        [True, True, False],
        [1, 1, 3],
        [2, 2, 3],
    )


def test_example_of_gamma_prior():
    clicks, evidence = [0, 1, 2, 3, 5, 8, 12, 20.0], [6.5, 9, 12, 30, 22, 41, 40, 52.5]
    prior = gamma_prior(np.array(clicks), np.array(evidence))
    assert (round(prior.shape, 3), round(prior.strength, 2)) == (12.881, 57.03)


def test_example_of_beta_prior():
    clicks, shown = [0, 1, 2, 3, 5, 8, 12, 20.0], [10, 12, 20, 40, 40, 50, 60, 60.0]
    prior = beta_prior(np.array(clicks), np.array(shown))
    assert (round(prior.clicks, 3), round(prior.misses, 2)) == (4.544, 24.42)


def test_example_of_corrected():
    assert corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist() == [0.03, 0.06, 0.06]
    assert corrected(np.array([0.01, 0.04, 0.03]), "bonferroni").tolist() == [0.03, 0.12, 0.09]


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
    side = quantile(np.arange(101.0), np.arange(101), 0.5)
    assert (side.value, side.n) == (50.0, 101)


def test_example_of_trimmed_mean():
    assert trimmed_mean(np.array([0.0, 1, 2, 3, 1000]), 0.2).value == 2.0


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
    tested = equivalences(Contrasts.of_rows(small), 0.01)[0]
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
