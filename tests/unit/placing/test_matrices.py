"""The best grades of the rows of a matrix, counted or sorted, are those that sorting by hand gives."""

from __future__ import annotations

import numpy as np
import pytest

from rankmeter.measures.base import ANY_POSITIVE
from rankmeter.placing.matrices import MOST_LEVELS, ROWS_AT_ONCE, at_least, place_arrays
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


@pytest.mark.parametrize(
    "lowest", [-np.inf, -1.0, -1e-45, 0.0, ANY_POSITIVE, 1e-45, 0.1, 1.0, 16777217.0, 1e300, np.inf]
)
@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "int64", "uint8"])
def test_what_is_at_least_a_grade_does_not_depend_on_the_type(kind, lowest) -> None:
    values = np.array([0, 1, 2, 100], kind)
    if values.dtype.kind == "f":
        info = np.finfo(kind)
        small = info.smallest_subnormal
        rounded = np.array([-1, -0.0, small, -small, 0.1, info.max, np.inf, -np.inf], kind)
        values = np.append(values, rounded)
        with np.errstate(over="ignore"):
            near = [np.nextafter(values, values.dtype.type(end)) for end in (-np.inf, np.inf)]
        values = np.concatenate([values, *near])
    assert at_least(values, lowest).tolist() == [float(value) >= lowest for value in values]


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int16", "uint8"])
def test_only_what_is_relevant_is_placed_whatever_the_type_of_the_grades(kind) -> None:
    random = np.random.default_rng(5)
    grades = random.choice(4, (30, 50), p=[0.7, 0.1, 0.1, 0.1]).astype(kind)
    placements = place_arrays(grades, random.random(grades.shape), Plan(lowest_grade=ANY_POSITIVE))
    assert len(placements.query) == len(placements.best) == np.count_nonzero(grades)
