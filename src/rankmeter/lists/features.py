"""What a catalogue knows of its items: feature vectors in any form, and categories as labels, text or a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.slates.data import Sets
from rankmeter.errors import InputError, examples
from rankmeter.inputs.attributes import check_count, find_column, in_order_of, numbers_of, table_of
from rankmeter.inputs.cells import is_missing
from rankmeter.inputs.frames import is_frame
from rankmeter.late import pl
from rankmeter.placing.segments import offsets_of
from rankmeter.wording import said


def feature_columns(table: pl.DataFrame, text: str, source: str) -> pl.DataFrame | pl.Series:
    """The column of vectors of that name, or the columns of numbers that ``f1+f2`` or ``f*`` names."""
    if text in table.columns:
        column = table.get_column(text)
        return column.to_frame() if is_numeric(column) else column
    names: list[str] = []
    for part in text.split("+"):
        part = part.strip()
        named = [part] if part in table.columns else [name for name in table.columns if fnmatchcase(name, part)]
        if not named:
            find_column(table, (), "features", source, given=part)
        names += named
    return table.select(list(dict.fromkeys(names)))


def is_numeric(column: pl.Series) -> bool:
    """Whether a column holds numbers, also as text, as all columns of a CSV file do."""
    if column.dtype == pl.String:
        column = column.drop_nulls().cast(pl.Float64, strict=False)
        return bool(len(column)) and not column.has_nulls()
    return column.dtype.is_numeric()


def features_of(given: Any, items: pl.Series, source: str) -> npt.NDArray[Any] | Sets | None:
    """A row of numbers for each item, dense or sparse; None where none are given."""
    if given is None:
        return None
    if hasattr(given, "tocsr"):
        csr = given.tocsr()
        _check_shape(csr.shape, items, source)
        _check_real(csr.dtype, source)
        if not csr.has_canonical_format or not csr.data.all():  # an entry in parts, or an entry of 0
            csr = csr.copy()
            csr.sum_duplicates()
            csr.eliminate_zeros()
        data = np.asarray(csr.data, np.float64)
        _check_finite(data, source)
        return Sets(csr.indptr.astype(np.int64), csr.indices.astype(np.int64), data, int(csr.shape[1]))
    given = in_order_of(given, items, "features", source)
    if isinstance(given, pl.Series) and given.dtype == pl.String:  # a text file's "0.1 0.2" or "[0.1, 0.2]"
        given = given.str.extract_all(r"[^\s,;|\[\]()]+")
    if isinstance(given, pl.DataFrame):
        columns = (numbers_of(column, items, f"features ({column.name})", source) for column in given.iter_columns())
        matrix = np.stack(list(columns), axis=1)
    elif isinstance(given, pl.Series) and isinstance(given.dtype, (pl.List, pl.Array)):
        matrix = _vectors(given, items, source)
    else:
        matrix = _rows_as_matrix(given, items, source)
    _check_shape(matrix.shape, items, source)
    _check_real(matrix.dtype, source)
    if matrix.dtype.kind == "f":
        _check_finite(matrix, source)
    return matrix


def _vectors(column: pl.Series, items: pl.Series, source: str) -> npt.NDArray[Any]:
    """A column of vectors."""
    lists = column.arr.to_list() if isinstance(column.dtype, pl.Array) else column
    _check_lengths(lists.list.len().fill_null(0).to_list(), items, source)
    flat = lists.explode(empty_as_null=True)
    numbers = flat.cast(pl.Float64, strict=False) if not flat.dtype.is_numeric() else flat
    if numbers.has_nulls():
        width = len(flat) // max(len(items), 1)
        wrong = numbers.is_null().arg_true().to_list()
        shown = examples(f"{flat[row]!r} (item {items[row // max(width, 1)]})" for row in wrong)
        raise InputError.of("lists.features_not_numbers", source=source, shown=shown)
    return numbers.to_numpy().reshape(len(column), -1)


def _check_lengths(lengths: list[int], items: pl.Series, source: str) -> None:
    if len(set(lengths)) < 2 or len(lengths) != len(items):
        return
    other = next(place for place, length in enumerate(lengths) if length != lengths[0])
    shown = ", ".join(f"{lengths[place]} (item {items[place]})" for place in (0, other))
    raise InputError.of("lists.features_lengths", source=source, shown=shown)


def _rows_as_matrix(given: Any, items: pl.Series, source: str) -> npt.NDArray[Any]:
    """A vector for each item, all of one length."""
    if isinstance(given, (list, tuple)) and all(isinstance(row, (list, tuple, np.ndarray)) for row in given):
        _check_lengths([len(row) for row in given], items, source)
    try:
        matrix = np.asarray(given)
        return matrix if matrix.dtype.kind in "biufc" else matrix.astype(np.float64)
    except (TypeError, ValueError) as error:
        named = zip(items.to_list(), given, strict=False)
        wrong = [f"{row!r} (item {item})" for item, row in named if not _is_vector(row)]
        shown = examples(wrong, shown=2) or said("lists.different_shapes")
        raise InputError.of("lists.features_no_matrix", source=source, shown=shown) from error


def _check_real(dtype: np.dtype[Any], source: str) -> None:
    if dtype.kind == "c":
        raise InputError.of("lists.features_complex", source=source)


def _is_vector(row: Any) -> bool:
    try:
        np.asarray(row, np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _check_shape(shape: tuple[int, ...], items: pl.Series, source: str) -> None:
    if len(shape) != 2 or shape[0] != len(items) or not shape[1]:
        raise InputError.of("lists.features_shape", source=source, shape=str(shape), items=len(items))


def _check_finite(values: npt.NDArray[Any], source: str) -> None:
    if not values.size:  # a sparse matrix of zeros
        return
    wrong = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
    if len(wrong):
        raise InputError.of("lists.features_not_finite", source=source, rows=examples(wrong))


def categories_of(given: Any, items: pl.Series, source: str) -> tuple[Sets | None, tuple[str, ...]]:
    """One row of categories for each item, and their names, labels in alphabetical order."""
    if given is None:
        return None, ()
    given = in_order_of(given, items, "categories", source)
    if is_frame(given):
        columns = table_of(given, "categories")
        return Sets.of(np.asarray(features_of(columns, items, source))), tuple(columns.columns)
    if hasattr(given, "__array__") and getattr(given, "ndim", 1) == 2:  # NumPy, or a tensor
        given = np.asarray(given)
    if hasattr(given, "tocsr") or (isinstance(given, np.ndarray) and given.ndim == 2):
        sets = features_of(given, items, source)
        sparse = sets if isinstance(sets, Sets) else Sets.of(np.asarray(sets))
        binary = Sets(sparse.indptr, sparse.indices, np.ones(len(sparse.indices)), sparse.columns)
        return binary, tuple(str(column) for column in range(sparse.columns))
    rows = [_labels_of_one(labels) for labels in (given.to_list() if isinstance(given, pl.Series) else given)]
    check_count(rows, items, "categories", source)
    names = sorted({label for row in rows for label in row})
    number = {name: place for place, name in enumerate(names)}
    indices = np.array([number[label] for row in rows for label in row], np.int64)
    indptr = offsets_of(np.array([len(row) for row in rows]))
    return Sets(indptr, indices, np.ones(len(indices)), len(names)), tuple(names)


def _labels_of_one(one: Any) -> list[str]:
    if is_missing(one):
        return []
    if isinstance(one, str):
        return sorted({part.strip() for part in one.split("|") if part.strip()})
    if isinstance(one, Iterable):
        return sorted({str(part) for part in one if not is_missing(part)})
    return [str(one)]
