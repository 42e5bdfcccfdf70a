"""The categories of the items of a catalogue: labels, text, or a matrix of zeros and ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.slates.data import Sets
from rankmeter.errors import InputError
from rankmeter.inputs.attributes import in_order_of, table_of
from rankmeter.inputs.cells import is_missing
from rankmeter.inputs.frames import is_frame
from rankmeter.late import pl
from rankmeter.lists.features import features_of


def categories_of(given: Any, items: pl.Series, source: str) -> tuple[Sets, tuple[str, ...]]:
    """One row of categories for each item; labels in alphabetical order."""
    given = in_order_of(given, items, "categories", source)
    if is_frame(given):
        columns = table_of(given, "categories")
        return _sparse_of(np.asarray(features_of(columns, items, source))), tuple(columns.columns)
    if hasattr(given, "__array__") and getattr(given, "ndim", 1) == 2:  # NumPy, or a tensor
        given = np.asarray(given)
    if hasattr(given, "tocsr") or (isinstance(given, np.ndarray) and given.ndim == 2):
        sets = features_of(given, items, source)
        sparse = sets if isinstance(sets, Sets) else _sparse_of(np.asarray(sets))
        binary = Sets(sparse.indptr, sparse.indices, np.ones(len(sparse.indices)), sparse.columns)
        return binary, tuple(str(column) for column in range(sparse.columns))
    rows = [_labels(one) for one in (given.to_list() if isinstance(given, pl.Series) else given)]
    if len(rows) != len(items):
        raise InputError.of(
            "lists.unequal_numbers", source=source, what="categories", count=len(rows), items=len(items)
        )
    names = sorted({label for row in rows for label in row})
    number = {name: place for place, name in enumerate(names)}
    indices = np.array([number[label] for row in rows for label in row], np.int64)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Sets(indptr, indices, np.ones(len(indices)), len(names)), tuple(names)


def _labels(one: Any) -> list[str]:
    if is_missing(one):
        return []
    if isinstance(one, str):
        return sorted({part.strip() for part in one.split("|") if part.strip()})
    if isinstance(one, Iterable):
        return sorted({str(part) for part in one if not is_missing(part)})
    return [str(one)]


def _sparse_of(matrix: npt.NDArray[Any]) -> Sets:
    row, column = np.nonzero(matrix)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(matrix)))]).astype(np.int64)
    return Sets(indptr, column.astype(np.int64), np.ones(len(column)), matrix.shape[1])
