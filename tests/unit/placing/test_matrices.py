"""The best grades of the rows of a matrix, counted or sorted, are those that sorting by hand gives."""

from __future__ import annotations

import numpy as np
import pytest

from rankmeter.placing.matrices import MOST_LEVELS, ROWS_AT_ONCE, place_arrays
from rankmeter.placing.placements import Plan
from rankmeter.placing.slates import _best_cells


@pytest.mark.parametrize("kind", ["int64", "int8", "uint8", "bool", "float64", "float32"])
@pytest.mark.parametrize("levels", [1, 2, 5, MOST_LEVELS + 4])
@pytest.mark.parametrize("rows", [1, ROWS_AT_ONCE + 3])
def test_the_best_grades_are_the_highest_of_each_row(kind, levels, rows) -> None:
    random = np.random.default_rng(levels)
    grades = (random.integers(0, levels, (rows, 60)) * random.integers(0, 2, (rows, 1))).astype(kind)
    plan = Plan(depth=4, totals=False, lowest_grade=0.0)
    placements = place_arrays(grades, random.random(grades.shape), plan)
    expected = -np.sort(-grades.astype(np.float64), axis=1)[:, :4]
    assert np.array_equal(placements.best.reshape(rows, 4), expected)


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_ranks_in_a_matrix_are_those_of_counting_by_hand(decimals) -> None:
    random = np.random.default_rng(decimals)
    scores = np.round(random.random((40, 400)), decimals)
    placements = place_arrays(random.integers(0, 3, scores.shape), scores, Plan(depth=5, lowest_grade=1.0))
    row = scores[placements.query]
    assert np.array_equal(placements.above, (row > placements.score[:, None]).sum(axis=1))
    assert np.array_equal(placements.tied, (row == placements.score[:, None]).sum(axis=1))


@pytest.mark.parametrize("k", [1, 2, 5, 6, 7])
@pytest.mark.parametrize("shift", [-10.0, -0.5, 0.0, 3.0])
def test_of_a_matrix_the_cells_that_can_be_among_the_first_are_kept(shift, k) -> None:
    """Whatever the sign of the scores, and all that tie with the last."""
    scores = np.random.default_rng(k).integers(0, 4, (30, 6)) + shift
    kept = _best_cells(scores, k, "scores")
    found = set(zip(kept.query.to_list(), kept.item.to_list(), kept.score.to_list(), strict=True))
    expected = {
        (row, item, score)
        for row, line in enumerate(scores.tolist())
        for item, score in enumerate(line)
        if sum(other > score for other in line) < k
    }
    assert found == expected
