from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from rankmeter.stats import corrections as best
from rankmeter.stats.corrections import separation, separations
from rankmeter.stats.resampling import Groups, Sample
from rankmeter.stats.student import t_quantile


def test_identical_systems_are_all_in_the_best_group() -> None:
    values = np.tile(np.random.default_rng(0).random(30), (4, 1))
    found = separation(values, level=0.95, resamples=500, seed=0)
    assert found.in_best.all()
    assert found.rank.tolist() == [1, 1, 1, 1]
    assert found.rank_low.tolist() == [1] * 4
    assert found.rank_high.tolist() == [4] * 4


def test_one_unit_separates_nothing() -> None:
    found = separation(np.array([[0.9], [0.1]]), level=0.95, resamples=500, seed=0)
    assert found.in_best.all()
    assert found.rank_high.tolist() == [2, 2]


def test_equal_differences_on_a_few_units_separate_nothing_and_on_many_do() -> None:
    """Two units that both say +0.5 are no proof, ten are: by signs, p = 2^(1 - n)."""
    for units, alone in ((2, False), (5, False), (6, True), (10, True)):
        values = np.tile([[0.9], [0.4]], (1, units))
        found = separation(values, level=0.95, resamples=200, seed=0)
        assert found.in_best.tolist() == [True, not alone]
        assert found.rank_high.tolist() == [1 if alone else 2, 2]


def test_a_clear_winner_stands_alone_and_ranks_hold_the_order() -> None:
    noise = np.random.default_rng(1).normal(0, 0.05, (3, 60))
    found = separation(noise + np.array([[0.2], [0.8], [0.5]]), level=0.95, resamples=1000, seed=0)
    assert found.in_best.tolist() == [False, True, False]
    assert found.rank_low.tolist() == found.rank_high.tolist() == [3, 1, 2]


def test_measures_together_equal_measures_alone() -> None:
    random = np.random.default_rng(2)
    several = [random.random((3, 20)), random.random((3, 25)), random.random((3, 20))]
    together = separations([Sample.of_values(one) for one in several], [1] * 3, level=0.9, resamples=400, seed=3)
    for one, values in zip(together, several, strict=True):
        alone = separation(values, level=0.9, resamples=400, seed=3)
        assert one.in_best.tolist() == alone.in_best.tolist()
        assert one.rank_high.tolist() == alone.rank_high.tolist()


def test_the_best_group_holds_the_best_system_as_often_as_promised_among_equals() -> None:
    """Five equal systems: each is the best, and each must be in the group at least 95 times of 100 (about)."""
    random = np.random.default_rng(4)
    held, trials = np.zeros(5), 400
    for _ in range(trials):
        common = random.normal(0, 1, 40)
        values = common + random.normal(0, 1, (5, 40))
        held += separation(values, level=0.95, resamples=299, seed=0).in_best
    assert held.min() / trials > 0.95 - 3 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.parametrize("below", [0, 2])
def test_of_two_equal_systems_one_is_named_the_winner_as_seldom_as_promised(below) -> None:
    """With nothing beside them, and with two systems far below, which make the question one of several."""
    random = np.random.default_rng(8)
    named, trials = 0, 400
    for _ in range(trials):
        values = random.normal(0, 1, 20) + random.normal(0, 1, (2 + below, 20))
        values[2:] -= 3.0
        named += separation(values, level=0.95, resamples=299, seed=0).in_best.sum() == 1
    assert named / trials < 0.05 + 3 * np.sqrt(0.05 * 0.95 / trials)


@pytest.mark.parametrize(("p", "alone"), [(0.06, False), (0.04, True)])
def test_two_systems_are_told_apart_where_the_two_sided_t_test_tells_them_apart(p, alone) -> None:
    noise = np.random.default_rng(9).normal(0, 1, 12)
    noise -= noise.mean()
    shift = t_quantile(1 - p, 11) * noise.std(ddof=1) / np.sqrt(12)
    paired = separation(np.stack([noise + shift, np.zeros(12)]), level=0.95, resamples=4999, seed=0)
    runs = Groups((np.full(12, 0.5) + noise / 10, np.full(12, 0.5) + noise[::-1] / 10 - _welch_shift(noise / 10, p)))
    separate = separations([runs], [1], level=0.95, resamples=10, seed=0)[0]
    assert paired.in_best.tolist() == separate.in_best.tolist() == [True, not alone]


def _welch_shift(noise, p) -> float:
    """By how much the means of two groups with this noise differ where Welch's test gives p; both have one spread."""
    return t_quantile(1 - p, 2 * (len(noise) - 1)) * noise.std(ddof=1) * np.sqrt(2 / len(noise))


@pytest.mark.parametrize("cells", [1, 7, 1000])
def test_how_many_differences_are_held_at_once_changes_nothing(monkeypatch, cells) -> None:
    values = np.random.default_rng(5).random((6, 20)) + np.linspace(0, 0.5, 6)[:, None]
    whole = separation(values, level=0.9, resamples=300, seed=1)
    monkeypatch.setattr(best, "BLOCK_CELLS", cells)
    parts = separation(values, level=0.9, resamples=300, seed=1)
    for name in ("rank", "rank_low", "rank_high", "in_best"):
        assert getattr(parts, name).tolist() == getattr(whole, name).tolist()


def test_critical_values_are_quantiles_of_the_largest_t_over_flipped_signs() -> None:
    values = np.random.default_rng(6).random((1, 4, 7))
    centred = values[0] - values[0].mean(axis=1, keepdims=True)
    largest = []
    for signs in product([-1, 1], repeat=7):
        flipped = centred * np.array(signs)
        row = []
        for system in range(4):
            gaps = [flipped[other] - flipped[system] for other in range(4) if other != system]
            row.append(max(gap.mean() / (gap.std(ddof=1) / np.sqrt(7)) for gap in gaps))
        largest.append(row)
    with_best, all_pairs = best._critical(values, 0.9, 2**7, 0)
    assert with_best[0] == pytest.approx(np.quantile(largest, 0.9, axis=0, method="higher"))
    assert all_pairs[0] == pytest.approx(np.quantile(np.max(largest, axis=1), 0.9, method="higher"))


@pytest.mark.parametrize("systems", [2, 4, 8])
@pytest.mark.parametrize("units", [2, 3, 4])
def test_a_few_units_separate_equal_systems_no_oftener_than_promised(systems: int, units: int) -> None:
    """At 95%, 20 of 400 expected; 37 has a probability of 0.0002."""
    random = np.random.default_rng([systems, units])
    apart, outside = 0, np.zeros(systems)
    for trial in range(400):
        found = separation(random.normal(size=(systems, units)), level=0.95, resamples=200, seed=trial)
        apart += bool((found.rank_high < systems).any())
        outside += ~found.in_best
    assert apart <= 37
    assert outside.max() <= 37
