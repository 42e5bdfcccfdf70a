"""Tables of things and their columns: the items of a catalogue, the users and their segments.

Any frame, or a file (CSV, TSV, JSON, JSON lines, Parquet, Arrow IPC; compressed or not). Text files give text; what is
to be a number is turned into one where it is used, and what is not a number is named there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence, Sized
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, NotFoundError, did_you_mean, examples, reason_of
from rankmeter.inputs.cells import RawColumn, is_missing, unguarded_frame
from rankmeter.inputs.checked_tables import id_column
from rankmeter.inputs.columns import (
    Named,
    check_doubled,
    fold,
    is_usual,
    likely_columns,
    missing_columns,
    no_named_column,
    say_names,
    usual_column,
)
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.formats import recognise
from rankmeter.inputs.frames import OpenedFrame, is_frame, scan
from rankmeter.inputs.ids import ids
from rankmeter.inputs.reading import Origin
from rankmeter.late import pl, polars_faults
from rankmeter.wording import said


def table_of(data: Any, what: str, *, named: str | None = None) -> pl.DataFrame:
    """A frame, a file or a mapping as a Polars frame; ``named`` is the column of ids where the caller names it."""
    if isinstance(data, Mapping):
        try:
            return _table_of_mapping(data)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError, TypeError) as error:
            raise InputError.of("inputs.mapping_not_read_as", what=what, reason=reason_of(error)) from error
    if isinstance(data, pl.DataFrame):
        return data
    if is_frame(data):
        return pl.DataFrame({name: _plain_column(taken) for name, taken in OpenedFrame(data, what).every().items()})
    return read_table(data, what, named=named)


def name_of_table(data: object, otherwise: str = "") -> str:
    """What a table is called in sentences: its path, where it has one."""
    return str(data) if isinstance(data, (str, os.PathLike)) else otherwise or said("inputs.the_table")


def _plain_column(taken: RawColumn) -> pl.Series:
    if isinstance(taken, pl.Series):
        return taken.cast(pl.String) if isinstance(taken.dtype, (pl.Categorical, pl.Enum)) else taken
    plain = (cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in taken)
    return pl.Series([None if is_missing(cell) else cell for cell in plain], strict=False)


def read_table(path: Any, what: str, *, named: str | None = None) -> pl.DataFrame:
    """Read a file with named columns."""
    with open_source(path) as source:
        if not source.head.strip():
            raise InputError.of("inputs.empty", source=source.name)
        name = source.name
        kind = _kind(source.head, name)
        content = source.read_all()
    try:
        table = _parse_table(content, kind, name)
    except polars_faults() as error:
        raise InputError.of(
            "inputs.not_read_as", source=name, what=what, format=kind, reason=reason_of(error)
        ) from error
    return _with_header(table, named, name) if kind in ("csv", "tsv") and table.width == 1 else table


def _with_header(table: pl.DataFrame, named: str | None, source: str) -> pl.DataFrame:
    """One column of text: its first line is the header if that is a usual name or the caller's, an id if a number."""
    first = table.columns[0]
    if first == named or is_id_name(first):
        return table
    if first.strip().isdecimal():
        return pl.DataFrame({"item": [first, *table.to_series()]})
    raise InputError.of("inputs.header_or_id", source=source, first=first)


def is_id_name(name: str) -> bool:
    """Whether a column of this name usually holds ids."""
    return fold(name) == "id" or is_usual("item", name) or is_usual("query", name)


def _kind(head: bytes, name: str) -> str:
    try:
        kind = recognise(head, name)
    except InputError:
        # One column and no comma: a list of ids.
        if b"\0" in head:
            raise
        return "csv"
    if kind in ("qrels", "run"):
        return "tsv" if b"\t" in head.partition(b"\n")[0] else "csv"
    return kind


def _parse_table(content: bytes, kind: str, source: str) -> pl.DataFrame:
    if kind in ("csv", "tsv"):
        table = pl.read_csv(content, separator="," if kind == "csv" else "\t", infer_schema=False)
        check_doubled(table.columns, source)
        return unguarded_frame(table) if kind == "csv" else table
    if kind in ("parquet", "ipc"):
        return scan(content, kind, source).collect()
    if kind == "jsonl" and b"\n" in content.strip():
        return pl.read_ndjson(content, infer_schema_length=None)
    parsed = json.loads(content)
    return _table_of_mapping(parsed) if isinstance(parsed, dict) else pl.DataFrame(parsed, infer_schema_length=None)


def _table_of_mapping(data: Mapping[Any, Any]) -> pl.DataFrame:
    """``{id: {column: value}}``, ``{id: value}``, ``{column: values}``, or one row as ``{column: value}``."""
    named = [value for key, value in data.items() if isinstance(key, str) and is_id_name(key)]
    if named and not isinstance(named[0], Mapping):
        is_row = isinstance(named[0], (str, int))
        return pl.DataFrame([dict(data)] if is_row else dict(data), strict=False)
    rows = [dict(value) if isinstance(value, Mapping) else {"value": value} for value in data.values()]
    table = pl.DataFrame(rows, infer_schema_length=None, strict=False)
    return table.insert_column(0, ids(list(data)).alias("item")) if "item" not in table.columns else table


def find_column(table: pl.DataFrame, usual: Sequence[str], what: str, source: str, *, given: str | None) -> str | None:
    """The column that the caller named, or the only one with a usual name; None where there is none."""
    if given is not None:
        if given not in table.columns:
            raise no_named_column(what, given, table.columns, source)
        return given
    candidates = likely_columns(usual, table.columns)
    if len(candidates) > 1:
        names = ", ".join(candidates)
        raise InputError.of(
            "inputs.which_column", source=source, count=len(candidates), what=what, names=names, first=candidates[0]
        )
    return next(iter(candidates), None)


def find_roles(
    columns: Sequence[str], usual: Mapping[str, Sequence[str]], named: Named, source: str, *, needed: Sequence[str]
) -> dict[str, str]:
    """The column of each role that the table has: as the caller named it, or the only one with a usual name."""
    check_roles(named, list(usual))
    roles = dict(named)
    for role, column in named.items():
        if column not in columns:
            raise no_named_column(role, column, columns, source)
    for role, names in usual.items():
        if role not in roles:
            free = [name for name in columns if name not in roles.values()]
            if (likely := usual_column(role, names, free, source)) is not None:
                roles[role] = likely
    if missing := {role: usual[role] for role in needed if role not in roles}:
        raise missing_columns(missing, columns, roles.values(), source)
    return roles


def check_roles(named: Named, roles: Sequence[str]) -> None:
    """Refuse names of columns for roles that a table does not have."""
    for role in [role for role in named if role not in roles]:
        hint = did_you_mean(str(role), roles) or say_names(roles[0])
        raise InputError.of("inputs.not_a_role", word=str(role), roles=list(roles), also="", hint=hint)


def ids_of(values: Any, role: str, source: str) -> pl.Series:
    """Ids from a column, an array or any collection: text or 64-bit numbers."""
    if isinstance(values, pl.Series):
        return id_column(values, role, Origin(source))
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return id_column(pl.Series(values), role, Origin(source))
    listed = [value.item() if isinstance(value, np.generic) else value for value in values]
    if several := [value for value in listed if isinstance(value, (list, tuple, set, Mapping))]:
        raise InputError.of("inputs.many_in_an_id", source=source, listed=examples(several), role=role)
    return ids(listed)


def check_count(values: Sized, items: Sized, what: str, source: str) -> None:
    """Refuse more or fewer values than there are items."""
    if len(values) != len(items):
        raise InputError.of("inputs.other_count", source=source, what=what, count=len(values), items=len(items))


def numbers_of(values: Any, items: pl.Series, what: str, source: str) -> npt.NDArray[np.float64]:
    """A finite number for each item; those that are not are named."""
    if isinstance(values, Mapping):
        values = _by_item(values, items, what, source)
    column = _as_column(values, what, source)
    check_count(column, items, what, source)
    plain = column.str.strip_chars() if column.dtype == pl.String else column  # "a, 1": the space is no part of it
    numbers = plain.cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() | ~numbers.is_finite().fill_null(value=False)).arg_true().to_list()
    if wrong:
        shown = examples(f"{column[row]!r} (item {items[row]})" for row in wrong)
        raise InputError.of("inputs.values_not_numbers", source=source, what=what, shown=shown)
    return numbers.to_numpy().copy()


def _as_column(values: Any, what: str, source: str) -> pl.Series:
    """Numbers, or text that may be numbers; refuses what is no row of them."""
    try:
        column = values if isinstance(values, pl.Series) else pl.Series(_plain(values), strict=False)
    except (TypeError, ValueError, OverflowError):
        column = pl.Series([], dtype=pl.Object)
    if column.dtype.is_nested() or column.dtype == pl.Object:
        kind = column.dtype if isinstance(values, pl.Series) else type(values).__name__
        raise InputError.of("inputs.no_row_of_numbers", source=source, what=what, type=kind)
    return column


def _plain(values: Any) -> list[Any]:
    """The values of a list or an array; decimals as floats, since Polars holds 38 digits and no NaN."""
    return [float(value) if isinstance(value, Decimal) else value for value in np.asarray(values).tolist()]


def _by_item(values: Mapping[Any, Any], items: pl.Series, what: str, source: str) -> list[Any]:
    known = {str(key): value for key, value in values.items()}
    keys = items.cast(pl.String).to_list()
    missing = [key for key in keys if key not in known]
    if missing:
        raise InputError.of(
            "inputs.values_missing",
            source=source,
            what=what,
            listed=examples(missing),
            count=len(missing),
            items=len(keys),
        )
    return [known[key] for key in keys]


def in_order_of(values: Any, items: pl.Series, what: str, source: str) -> Any:
    """A mapping by item as a list in the order of the items; anything else as it is."""
    return _by_item(values, items, what, source) if isinstance(values, Mapping) else values


def no_such_column(name: str, columns: Sequence[str], where: str) -> NotFoundError:
    """The error for a column that is asked for and not there."""
    hint = did_you_mean(name, list(columns)) or f"there are {examples(columns, shown=12)}"
    return NotFoundError.of("inputs.column_not_there", source=where, name=name, hint=hint)
