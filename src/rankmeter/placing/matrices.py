"""Placing from matrices of queries x items: only the cells that can count are ever sorted."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError
from rankmeter.late import pl
from rankmeter.placing.indexes import judged_placements
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Plan
from rankmeter.placing.segments import offsets_of, place

Matrix = npt.NDArray[Any]
ROWS_AT_ONCE = 256
"""How many rows are looked at at a time, so that they stay in the cache."""
MOST_LEVELS = 8
"""Up to how many different grades are counted rather than sorted."""


def place_arrays(grades: Matrix, scores: Matrix, plan: Plan) -> Placements:
    """Place a matrix of scores against a matrix of grades with the same rows and columns."""
    if grades.shape != scores.shape:
        raise InputError.of("placing.arrays_differ", grades=str(grades.shape), scores=str(scores.shape))
    queries, items = scores.shape
    flat, flat_grades, sizes, item_at = scores.ravel(), grades.ravel(), np.full(queries, items), lambda at: at % items
    if (listed := _candidates(scores, plan)) is not None:
        cell = np.flatnonzero(listed)
        flat, flat_grades, item_at = flat[cell], flat_grades[cell], lambda at: cell[at] % items
        sizes = np.diff(cell.searchsorted(np.arange(queries + 1) * items))
    best, best_sizes = _best(grades, plan)
    columns = placed_columns(flat, flat_grades, sizes, item_at, plan)
    return judged_placements(np.full(queries, items), best, offsets_of(best_sizes), columns)


def placed_columns(
    scores: Matrix, grades: Matrix, sizes: Ints, item_at: Callable[[Ints], Any], plan: Plan
) -> dict[str, Any]:
    """The columns of placements of lists one after another whose items all have a grade."""
    wide, offsets = scores.astype(np.float64, copy=False), offsets_of(sizes)
    row = np.flatnonzero(at_least(grades, plan.lowest_grade))
    query, score = np.searchsorted(offsets, row, side="right") - 1, wide[row]
    places = place(wide, offsets, query, score, plan, rows=row, ids_of=lambda at: pl.Series(item_at(at)))
    return {"query": query, "grade": grades[row].astype(np.float64), "score": score, **places._asdict()}


def at_least(values: Matrix, lowest: float) -> Bools:
    """Which values are ``lowest`` or more; NumPy rounds it to their type, where the smallest number above 0 becomes 0.

    >>> (np.zeros(1, np.float32) >= 5e-324).tolist(), at_least(np.zeros(1, np.float32), 5e-324).tolist()
    ([True], [False])
    """
    if values.dtype.kind != "f":
        return np.greater_equal(values, lowest)
    with np.errstate(over="ignore"):
        rounded = values.dtype.type(lowest)
    return np.asarray(values > rounded if float(rounded) < lowest else values >= rounded)


def _candidates(scores: Matrix, plan: Plan) -> Bools | None:
    """The cells that can stand within the depth, and all that tie with them; None where every cell can.

    The columns are cut into groups; as k groups have a maximum of at least the k-th largest maximum, that is a lower
    bound of the k-th largest score, found without sorting a row. Every cell from the bound on is kept, so the ranks of
    the kept cells are exact.
    """
    queries, items = scores.shape
    groups = 0 if plan.depth is None else min(items, 4 * plan.depth)
    if plan.depth is None or plan.scores == "float32" or groups >= items // 8:
        return None
    width = items // groups
    grouped = scores[:, : groups * width].reshape(queries, width, groups)
    # Along a short axis NumPy's maximum takes three times as long as one column after another.
    one_by_one = width <= queries
    maxima = reduce(np.maximum, (grouped[:, at] for at in range(width))) if one_by_one else grouped.max(axis=1)
    # The k-th largest is partitioned as the k-th smallest of the negated: NumPy is far faster at that end.
    bound = -np.partition(-maxima.astype(np.float64, copy=False), plan.depth - 1, axis=1)[:, plan.depth - 1]
    return scores >= bound[:, None]


def _best(grades: Matrix, plan: Plan) -> tuple[Floats, Ints]:
    """Grades that count: all of them, or the best few where no total is asked for, highest first."""
    queries, items = grades.shape
    if plan.depth is not None and not plan.totals and plan.depth < items:
        few = np.concatenate(
            [np.empty(0)]
            + [_best_few(grades[first : first + ROWS_AT_ONCE], plan.depth) for first in range(0, queries, ROWS_AT_ONCE)]
        )
        return few, np.full(queries, plan.depth)
    kept = at_least(grades, plan.lowest_grade)
    sizes = np.count_nonzero(kept, axis=1).astype(np.int64)
    return grades[kept].astype(np.float64), sizes


def _best_few(grades: Matrix, depth: int) -> Floats:
    """The best grades of each row, highest first, one row after another."""
    counted = _counted(grades, depth) if grades.dtype.kind in "iub" else None
    if counted is not None:
        return counted.ravel()
    few = np.partition(-grades.astype(np.float64), depth - 1, axis=1)[:, :depth]
    return -np.sort(few, axis=1).ravel()


def _counted(grades: Matrix, depth: int) -> Floats | None:
    """The same for a few different grades, counted from the highest on; it takes a tenth of the time of a partition."""
    best = np.empty((len(grades), depth))
    filled = np.zeros(len(grades), np.int64)
    level = grades.max()
    for _ in range(MOST_LEVELS):
        np.copyto(best, float(level), where=np.arange(depth) >= filled[:, None])
        filled += np.count_nonzero(grades == level, axis=1)
        if filled.min() >= depth:
            return best
        below = grades < level
        level = grades.max(initial=grades.min(), where=below)
    return None
