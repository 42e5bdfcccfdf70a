"""Risk against coverage and nAUC: worked values, and that the order of the input does not matter."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmeter.wings.judging.risk_areas import area_of_risks, normalised_area, risks, separation_of

CONFIDENCE = np.array([0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])
LOSS = np.array([0.0, 0, 1, 1, 0, 0, 1, 1, 1])
TIED = np.array([0.9, 0.9, 0.5, 0.5, 0.5, 0.2, 0.2, 0.1])
VALUES = np.array([1, 0.2, 0.7, 0, 0.4, 0.3, 0, 0.1])


def test_worked_risks():
    expected = [0, 0, 0.3333, 0.5, 0.4, 0.3333, 0.4286, 0.5, 0.5556]
    assert risks(CONFIDENCE, LOSS) == pytest.approx(expected, abs=5e-5)
    assert area_of_risks(CONFIDENCE, LOSS) == pytest.approx((0.338977, 0.114815), abs=5e-7)


def test_worked_areas_of_mteb():
    values = np.array([1, 1, 0, 0.5, 1, 1, 0, 0, 0.5, 0])
    assert normalised_area(np.array([*CONFIDENCE, 0.2]), values) == pytest.approx(0.608920, abs=5e-7)
    assert normalised_area(TIED, VALUES) == pytest.approx(0.527255, abs=5e-7)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_input_does_not_matter(seed):
    order = np.random.default_rng(seed).permutation(len(TIED))
    assert normalised_area(TIED[order], VALUES[order]) == pytest.approx(normalised_area(TIED, VALUES))
    assert risks(TIED[order], VALUES[order]) == pytest.approx(risks(TIED, VALUES))


def test_the_best_order_is_one_and_a_useless_one_nothing():
    assert normalised_area(VALUES, VALUES) == pytest.approx(1)
    assert normalised_area(np.ones(8), VALUES) == pytest.approx(0)
    assert normalised_area(-VALUES, VALUES) < 0
    assert math.isnan(normalised_area(TIED, np.ones(8)))


def test_separation_is_the_share_of_pairs_in_order():
    higher, lower = np.array([0.95, 0.9, 0.8, 0.7, 0.6, 0.4]), np.array([0.85, 0.5, 0.3, -np.inf])
    assert separation_of(higher, lower) == pytest.approx(19 / 24)
    slow = np.mean([(a > b) + (a == b) / 2 for a in TIED for b in VALUES])
    assert separation_of(TIED, VALUES) == pytest.approx(slow)
    assert math.isnan(separation_of(higher, np.array([])))
