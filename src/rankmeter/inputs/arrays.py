"""Explicit constructors for arrays, since a list of lists alone means items."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, examples
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS, highest, is_rounded
from rankmeter.inputs.tables import Dense, Labelled
from rankmeter.wording import said


def arrays(values: Any) -> Dense:
    """A matrix of queries x items: grades for the judgments, scores for the run, as scikit-learn takes them.

    The two matrices share their columns: column j is the same item in both. A sparse matrix of grades is accepted.
    Queries and items are numbered from 0.

    Examples
    --------
    >>> import rankmeter as rm
    >>> y_true, y_score = [[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]
    >>> rm.evaluate(rm.arrays(y_true), rm.arrays(y_score), ["nDCG(ties=mean)"])["nDCG(ties=mean)"]
    0.6956...
    """
    if hasattr(values, "toarray"):
        values = values.toarray()
    if np.ma.isMaskedArray(values):
        raise InputError.of("inputs.masked_array")
    try:
        matrix = np.asarray(values)
        if matrix.dtype.kind in "US" or (
            matrix.dtype == object and any(isinstance(v, (str, bytes)) for v in matrix.flat)
        ):
            raise InputError.of("inputs.no_matrix", reason=said("inputs.holds_text"))
        has_truth_values = matrix.dtype.kind == "b" or (
            matrix.dtype == object and any(isinstance(v, (bool, np.bool_)) for v in matrix.flat)
        )
        if matrix.dtype.kind not in "biufcmM":
            matrix = matrix.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError.of("inputs.no_matrix", reason=str(error)) from error
    if matrix.dtype.kind in "cmM":
        raise InputError.of("inputs.no_real_matrix", type=str(matrix.dtype))
    if matrix.dtype.kind == "b":
        matrix = matrix.astype(np.int8)
    if matrix.ndim != 2:
        raise InputError.of("inputs.other_dimensions", dimensions=matrix.ndim, shape=str(matrix.shape))
    if not matrix.size:
        raise InputError.of("inputs.empty_matrix", shape=str(matrix.shape))
    if matrix.dtype.kind == "f":
        _refuse_cells(np.isnan(matrix), "inputs.cells_nan", "a value of the array")
    if matrix.dtype.itemsize >= 8:
        _refuse_cells(_cells_rounded(matrix), "inputs.cells_rounded", "a value of the array")
    return Dense(matrix, has_truth_values=has_truth_values)


def ranked_grades(lists: Any) -> Labelled:
    """Grades in ranked order, a list for each query: ``[[3, 2, 3, 0, 1]]``; the items need no names.

    Only the items of the lists are judged: R and the ideal know of no others.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.evaluate(rm.ranked_grades([[3, 2, 3, 0, 1], [0, 1]]), measures=["RR"])["RR"]
    0.75
    """
    import polars as pl  # array users may need no tables

    from rankmeter.inputs.mappings import numbers
    from rankmeter.inputs.tables import JudgmentTable, Ranks, RunTable

    try:
        given = list(lists)
        rows = [list(grades) for grades in given]
    except TypeError as error:
        raise InputError.of("inputs.no_lists_of_grades") from error
    for grades in (lists, *given):
        if isinstance(grades, (AbstractSet, Mapping)):
            raise InputError.of("inputs.grades_without_order", type=type(grades).__name__)
    if not rows:
        raise InputError.of("inputs.no_list_of_grades")
    sizes = np.array([len(grades) for grades in rows], np.int64)
    if not sizes.sum():
        raise InputError.of("inputs.empty_lists_of_grades")
    query = pl.Series(np.repeat(np.arange(len(rows)), sizes))
    place = np.arange(1, int(sizes.sum()) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = [dict(enumerate(grades, 1)) for grades in rows]
    grade = pl.Series(numbers(places, "grade", "ranked_grades()", range(len(rows))))
    item = pl.Series(place)
    queries = None if sizes.all() else pl.Series(np.arange(len(rows)))
    return Labelled(
        JudgmentTable(query, item, grade, "ranked grades", queries=queries),
        RunTable(query, item, Ranks(item), "ranked grades", scored=False, queries=queries),
    )


def refuse_infinity(values: npt.NDArray[Any], what: str) -> None:
    """Refuse an array with infinite values, naming the first cells."""
    if values.dtype.kind == "f":
        _refuse_cells(np.isinf(values), "inputs.cells_infinite", what)


def _cells_rounded(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """The cells beyond 2**53 that are other numbers as floats."""
    is_small = values.dtype == np.float64 or (values.dtype.kind in "iu" and highest(values) < EXACT_WHOLE_NUMBERS)
    if is_small or all(abs(float(end)) < EXACT_WHOLE_NUMBERS for end in (values.min(), values.max())):
        return np.zeros(1, np.bool_)
    large = np.abs(values.astype(np.float64)) >= EXACT_WHOLE_NUMBERS
    rounded = large.copy()
    rounded[large] = [is_rounded(value) for value in values[large].tolist()]
    return rounded


def _refuse_cells(chosen: npt.NDArray[np.bool_], kind: str, what: str) -> None:
    if chosen.any():
        cells = examples(f"row {row}, column {column}" for row, column in np.argwhere(chosen).tolist())
        raise InputError.of(kind, what=what, cells=cells)
