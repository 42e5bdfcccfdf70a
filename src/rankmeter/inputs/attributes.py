"""Tables of things and their columns: the items of a catalogue, the users and their segments.

Any frame, or a file (CSV, TSV, JSON, JSON lines, Parquet, Arrow IPC; compressed or not). Text files give text; what is
to be a number is turned into one where it is used, and what is not a number is named there.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, NotFoundError, did_you_mean, examples, with_hint
from rankmeter.inputs.columns import fold
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.frames import Origin, id_column, is_frame
from rankmeter.inputs.ids import ids
from rankmeter.inputs.sniffing import recognise
from rankmeter.late import pl


def table_of(data: Any, what: str) -> pl.DataFrame:
    """A frame or a file as a Polars frame."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if is_frame(data):
        return _from_any_frame(data)
    return read_table(data, what)


def _from_any_frame(frame: Any) -> pl.DataFrame:
    import narwhals as nw

    native = nw.to_native(frame, pass_through=True)
    if nw.dependencies.is_pandas_dataframe(native):
        return pl.DataFrame({str(name): _from_pandas(native.iloc[:, at]) for at, name in enumerate(native.columns)})
    opened: Any = nw.from_native(native)
    if isinstance(opened, nw.LazyFrame):
        opened = opened.collect("polars")
    made: pl.DataFrame = opened.to_polars()
    return made


def _from_pandas(column: Any) -> pl.Series:
    if getattr(column.dtype, "kind", "") in "iufb":
        return pl.Series(column.to_numpy())
    plain = [None if value is None or value != value else value for value in map(_plain, column.tolist())]  # noqa: PLR0124 (NaN)
    return pl.Series(plain, strict=False)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def read_table(path: Any, what: str) -> pl.DataFrame:
    """Read a file with named columns."""
    with open_source(path) as source:
        if not source.head.strip():
            raise InputError(f"{source.name} is empty.")
        name = source.name
        kind = _kind(source.head, name)
        content = source.read_all()
    try:
        return _parse(content, kind)
    except (pl.exceptions.PolarsError, ValueError, TypeError, json.JSONDecodeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name} cannot be read as {what} ({kind}): {reason}.") from error


def _kind(head: bytes, name: str) -> str:
    try:
        kind = recognise(head, name)
    except InputError:
        # One column and no comma: a list of ids with its header.
        if b"\0" in head:
            raise
        return "csv"
    if kind in ("qrels", "run"):
        return "tsv" if b"\t" in head.partition(b"\n")[0] else "csv"
    return kind


def _parse(content: bytes, kind: str) -> pl.DataFrame:
    if kind in ("csv", "tsv"):
        return pl.read_csv(content, separator="," if kind == "csv" else "\t", infer_schema=False)
    if kind == "parquet":
        return pl.read_parquet(content)
    if kind == "ipc":
        reader = pl.read_ipc if content[:6] == b"ARROW1" else pl.read_ipc_stream
        return reader(io.BytesIO(content))
    if kind == "jsonl":
        return pl.read_ndjson(content, infer_schema_length=None)
    parsed = json.loads(content)
    if isinstance(parsed, dict):
        parsed = [
            {"item": key, **(value if isinstance(value, dict) else {"value": value})} for key, value in parsed.items()
        ]
    return pl.DataFrame(parsed, infer_schema_length=None)


def find_column(table: pl.DataFrame, usual: Sequence[str], what: str, source: str, *, given: str | None) -> str | None:
    """The column that the caller named, or the only one with a usual name; None where there is none."""
    if given is not None:
        if given not in table.columns:
            fact = (
                f"{source} has no column '{given}', named as the {what} (found: {examples(table.columns, shown=12)})."
            )
            raise InputError(with_hint(fact, did_you_mean(given, table.columns)))
        return given
    folded = [fold(name) for name in usual]
    found = [name for name in table.columns if fold(name) in folded]
    if len(found) > 1:
        exact = [name for name in found if fold(name) == folded[0]]
        if len(exact) == 1:
            return exact[0]
        fact = f"{source} has {len(found)} columns that could be the {what}: {', '.join(found)}."
        raise InputError(with_hint(fact, f"name it: {what}='{found[0]}'"))
    return found[0] if found else None


def ids_of(values: Any, role: str, source: str) -> pl.Series:
    """Ids from a column, an array or any collection: text or 64-bit numbers."""
    if isinstance(values, pl.Series):
        return id_column(values, role, Origin(source))
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return id_column(pl.Series(values), role, Origin(source))
    return ids([value.item() if isinstance(value, np.generic) else value for value in values])


def numbers_of(values: Any, items: pl.Series, what: str, source: str) -> npt.NDArray[np.float64]:
    """A finite number for each item; those that are not are named."""
    if isinstance(values, Mapping):
        values = _by_item(values, items, what, source)
    column = values if isinstance(values, pl.Series) else pl.Series(np.asarray(values).tolist(), strict=False)
    if len(column) != len(items):
        raise InputError(f"{source}: the number of {what} is {len(column):,}, that of items {len(items):,}.")
    numbers = column.cast(pl.Float64, strict=False)
    wrong = (numbers.is_null() | ~numbers.is_finite().fill_null(value=False)).arg_true().to_list()
    if wrong:
        shown = examples(f"{column[row]!r} (item {items[row]})" for row in wrong)
        raise InputError(f"{source}: {what} that are not numbers: {shown}.")
    return numbers.to_numpy().copy()


def _by_item(values: Mapping[Any, Any], items: pl.Series, what: str, source: str) -> list[Any]:
    known = {str(key): value for key, value in values.items()}
    keys = items.cast(pl.String).to_list()
    missing = [key for key in keys if key not in known]
    if missing:
        fact = f"{source}: {what} are missing for {examples(missing)} ({len(missing):,} of {len(keys):,} items)."
        raise InputError(with_hint(fact, f"give {what} for every item of the catalogue"))
    return [known[key] for key in keys]


def in_order_of(values: Any, items: pl.Series, what: str, source: str) -> Any:
    """A mapping by item as a list in the order of the items; anything else as it is."""
    return _by_item(values, items, what, source) if isinstance(values, Mapping) else values


def no_such_column(name: str, columns: Sequence[str], where: str) -> NotFoundError:
    """The error for a column that is asked for and not there."""
    hint = did_you_mean(name, list(columns)) or f"there are {examples(columns, shown=12)}"
    return NotFoundError(with_hint(f"{where} has no column '{name}'.", hint))
