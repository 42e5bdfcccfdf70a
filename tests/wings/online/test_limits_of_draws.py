"""Units that are drawn again, weights of logs, and lists whose chances are fitted: against plain counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

import rankmeter as rm
from rankmeter.wings.online.counterfactual import _weights
from rankmeter.wings.online.heavy_units import Redrawn, _normal


@pytest.mark.parametrize("first", [0.0, 0.01, 1.0, 25.0])
@pytest.mark.parametrize("second", [0.04, 9.0])
@pytest.mark.parametrize("together", [-0.9, 0.0, 0.5])
def test_drawn_numbers_vary_as_stated(first, second, together) -> None:
    """Also where a variance is below 1."""
    shared = together * math.sqrt(first * second)
    stated = np.array([[first, shared], [shared, second]])
    drawn = _normal(np.random.default_rng(3), stated, 200_000)
    assert np.cov(drawn.T) == pytest.approx(stated, rel=0.03, abs=0.01 * max(first, second))
    assert drawn.mean(axis=0) == pytest.approx([0, 0], abs=0.03 * math.sqrt(max(first, second)))


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("draws", [4, 19, 20, 99])
def test_an_interval_holds_the_shifts_that_the_test_does_not_reject(level, draws) -> None:
    """Denominators are all alike, so that each drawn gap falls by a known share of a shift that is taken out."""
    random = np.random.default_rng(draws)
    into = np.column_stack([random.normal(5, 1, draws), np.full(draws, 5.0), random.normal(5, 1, draws),
                            np.full(draws, 5.0)])  # fmt: skip
    redrawn = Redrawn((10.0, 10.0, 13.0, 10.0), into)
    low, high = redrawn.interval(level)
    assert low < 0.3 < high

    def p(shift: float) -> float:
        """Of the treated units each loses the shift."""
        x, y, treated_x, treated_y = redrawn.observed
        moved = Redrawn((x, y, treated_x - shift * treated_y, treated_y),
                        into - shift * into[:, [3]] * np.array([0, 0, 1, 0]))  # fmt: skip
        return moved.p()

    fewest = math.floor((1 - level) * (draws + 1) + 1e-9)
    step = 1e-6
    for end, outward in ((low, -1), (high, 1)):
        assert p(end - outward * step) * (draws + 1) > max(fewest, 1)
        assert p(end + outward * step) * (draws + 1) <= max(fewest, 1)


@pytest.mark.parametrize(("a", "b"), [([1, 2, 3], [4, 5, 6]), ([1, 2, 3], [2, 3, 1]), ([1, 2, 3, 4], [3, 1, 5, 6])])
def test_chances_of_lists_are_fair_and_tell_as_much_as_they_can(a, b) -> None:
    """No other chances that are fair to users who click at random favour one ranking less by what one click says."""
    lists = rm.online.optimised_lists(a, b)
    gaps = np.array([one.credits for one in lists])
    lean = [sum(gap / place for place, gap in enumerate(row, 1)) ** 2 for row in gaps]
    chances = np.array([one.probability for one in lists])
    assert chances.sum() == pytest.approx(1)
    assert np.cumsum(gaps, axis=1).T @ chances == pytest.approx(np.zeros(gaps.shape[1]), abs=1e-9)
    fair = np.vstack([np.ones(len(lists)), np.cumsum(gaps, axis=1).T])
    least = optimize.linprog(lean, A_eq=fair, b_eq=[1.0, *[0.0] * gaps.shape[1]], bounds=(0, 1)).fun
    assert float(lean @ chances) == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("places", [1, 2, 3])
@pytest.mark.parametrize("unsupported", [None, 0.25])
def test_weights_are_described_by_the_worst_place(places, unsupported) -> None:
    random = np.random.default_rng(places)
    weights = random.exponential(0.8, (50, places)) * (random.random((50, places)) < 0.7)
    weights[7, places - 1] = 30.0
    found = _weights(weights, unsupported, np.arange(50))
    assert (found.rows, found.largest) == (50, 30.0)
    assert found.mean == pytest.approx(weights.mean())
    assert found.unused == pytest.approx((weights == 0).mean())
    assert found.effective == pytest.approx(min(w.sum() ** 2 / (w**2).sum() for w in weights.T))
    assert found.share == pytest.approx(max(w.max() / w.sum() for w in weights.T))
    assert found.unsupported == (max(0.0, 1 - found.mean) if unsupported is None else unsupported)
    assert found.mean_error == pytest.approx(weights.mean(axis=1).std(ddof=1) / math.sqrt(50))


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("direction", [1, -1])
def test_a_margin_is_taken_off_the_control(margin, direction) -> None:
    """As if what the treated units earned were divided by the share that may be left."""
    random = np.random.default_rng(4)
    into = random.normal(5, 1, (99, 4))
    redrawn = Redrawn((10.0, 10.0, 9.0, 10.0), into)
    kept = 1 - direction * margin
    moved = Redrawn((10.0, 10.0, 9.0 / kept, 10.0), into * np.array([1, 1, 1 / kept, 1]))
    observed, gaps, _ = moved._gaps()
    expected = (1 + (direction * gaps >= direction * observed).sum()) / 100
    assert redrawn.within_margin_p(margin, direction) == pytest.approx(expected)


def test_a_margin_that_leaves_nothing_has_no_p_value() -> None:
    into = np.full((9, 4), 5.0)
    for margin in (1.0, 1.5):
        assert math.isnan(Redrawn((10.0, 10.0, 9.0, 10.0), into).within_margin_p(margin, 1))
    assert math.isfinite(Redrawn((10.0, 10.0, 9.0, 10.0), into).within_margin_p(0.99, 1))
