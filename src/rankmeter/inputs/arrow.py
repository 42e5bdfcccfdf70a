"""Arrow's memory on its way to Polars: what may be handed over as it is, and what is turned into something safe first.

Two libraries that read each other's memory are two libraries that must agree on it, in the versions that are installed;
where they do not, the process dies or, worse, reads other ids. All columns of Arrow come in here, and what is not known
to be read rightly by every version comes as Python's values. Tried with PyArrow 18 to 26 and Polars 1.39 to 2.1:

- a lone array of large lists of text is read wrongly by Polars before 1.44, as a column of a table it is not
- views of text (`VIEWS_SINCE`)
- decimals of 256 bits end in a panic; run ends, unions, views of lists and intervals are not read; maps are by some

A file that has such a column makes Polars panic, or is read to no end; its schema is looked at first.
"""

from __future__ import annotations

import base64
import io
import struct
from pathlib import Path
from typing import Any

from rankmeter.inputs.cells import RawColumn
from rankmeter.late import pl

VIEWS_SINCE = 25
"""The first PyArrow whose views of text other libraries can read.

An older one tells of short texts, which need no memory beside the views, by a pointer to nowhere, and Polars, which
follows it, takes the process with it.
"""


def shares_views() -> bool:
    """Whether views of text in PyArrow's memory can be handed to Polars."""
    import pyarrow as pa

    return int(pa.__version__.partition(".")[0]) >= VIEWS_SINCE


def column_of(given: Any) -> RawColumn:
    """An array of PyArrow, chunked or not, as a Series; as Python's values where Polars is not known to read its type.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_of(pa.array(["a", "b"])).to_list(), column_of(pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())))
    (['a', 'b'], [[('a', 1)]])
    """
    import pyarrow as pa

    if isinstance(given.type, pa.BaseExtensionType) and _is_flat(given.type.storage_type):
        given = given.cast(given.type.storage_type)
    if given.type in (pa.string_view(), pa.binary_view()) and not shares_views():
        given = given.cast(pa.large_string() if given.type == pa.string_view() else pa.large_binary())
    if not _is_read(given.type):
        return list(given.to_pylist())
    frame: Any = pl.from_arrow(pa.table([given], names=["column"]))
    return frame.to_series()  # type: ignore[no-any-return]


def stored(column: pl.Series) -> pl.Series:
    """What a column of an extension type, which newer Polars keep, is stored as: text, numbers or truth values."""
    if not isinstance(column.dtype, pl.BaseExtension):
        return column
    return column.ext.storage().cast(pl.Boolean) if column.dtype.ext_name() == "arrow.bool8" else column.ext.storage()


def table_of_stream(given: Any) -> Any:
    """What streams Arrow (a batch, a reader, a frame of a library that speaks no other language) as a PyArrow table."""
    import pyarrow as pa

    if isinstance(given, pa.RecordBatch):
        return pa.Table.from_batches([given])
    return given.read_all() if isinstance(given, pa.RecordBatchReader) else pa.table(given)


def _is_read(kind: Any) -> bool:
    """Whether every Polars reads a column of this type rightly, out of every PyArrow."""
    import pyarrow.types as known

    if known.is_dictionary(kind):
        return any(is_text(kind.value_type) for is_text in (known.is_string, known.is_large_string))
    if any(is_lists(kind) for is_lists in (known.is_list, known.is_large_list, known.is_fixed_size_list)):
        return _is_read(kind.value_type)
    if known.is_struct(kind):
        return all(_is_read(kind.field(at).type) for at in range(kind.num_fields))
    plain = known.is_integer, known.is_floating, known.is_decimal128, known.is_boolean, known.is_null, _is_flat
    return any(is_such(kind) for is_such in plain) or (known.is_temporal(kind) and not known.is_interval(kind))


def _is_flat(kind: Any) -> bool:
    """Whether this is text or bytes."""
    import pyarrow as pa
    import pyarrow.types as known

    if kind in (pa.string_view(), pa.binary_view()):
        return shares_views()
    text = known.is_string, known.is_large_string, known.is_binary, known.is_large_binary, known.is_fixed_size_binary
    return any(is_such(kind) for is_such in text)


_DECIMAL = 7
_UNREAD = {11: "interval", 14: "union", 22: "run_end_encoded", 25: "list_view", 26: "large_list_view"}
"""Types of Arrow's format that Polars does not read, by their number there."""


def unread_columns(content: bytes | Path, kind: str) -> dict[str, str]:
    """The columns of a Parquet or Arrow IPC file whose types Polars does not read, with their types."""
    if kind == "parquet":
        stored = pl.read_parquet_metadata(content if isinstance(content, Path) else io.BytesIO(content))
        start = base64.b64decode(stored.get("ARROW:schema", ""))
    else:
        with content.open("rb") if isinstance(content, Path) else io.BytesIO(content) as file:
            start = file.read(16).removeprefix(b"ARROW1\0\0")
            start += file.read(8 + int.from_bytes(start[4:8], "little"))
    data = start[8:]
    try:
        columns = _tables(data, _to(data, _field(data, _to(data, 0), 2)), 1)
        return {
            _text(data, _to(data, _field(data, column, 0))): kind for column in columns if (kind := _kind(data, column))
        }
    except (struct.error, IndexError, UnicodeDecodeError, RecursionError):
        return {}  # damaged, which the reader says


def _kind(data: bytes, column: int) -> str:
    """The type of a column, or of what its values hold, where Polars does not read it; empty for any other."""
    number = data[_field(data, column, 2)]
    if (
        number == _DECIMAL
        and (bits := _field(data, _to(data, _field(data, column, 3)), 2))
        and _whole(data, bits) == 256
    ):
        return "decimal256"
    return _UNREAD.get(number, "") or next(filter(None, (_kind(data, inner) for inner in _tables(data, column, 5))), "")


# FlatBuffers, in which Arrow writes its schemas: tables whose fields stand where another table says.


def _whole(data: bytes, place: int, form: str = "<i") -> int:
    return int(struct.unpack_from(form, data, place)[0])


def _to(data: bytes, place: int) -> int:
    """The place to which another points."""
    return place + _whole(data, place, "<I")


def _field(data: bytes, table: int, number: int) -> int:
    """Where a field of a table stands; 0 where it has its default."""
    places, at = table - _whole(data, table), 4 + 2 * number
    offset = _whole(data, places + at, "<H") if at < _whole(data, places, "<H") else 0
    return table + offset if offset else 0


def _tables(data: bytes, table: int, number: int) -> list[int]:
    """The tables that a field lists."""
    if not (place := _field(data, table, number)):
        return []
    start = _to(data, place)
    return [_to(data, start + 4 + 4 * at) for at in range(_whole(data, start, "<I"))]


def _text(data: bytes, place: int) -> str:
    return data[place + 4 : place + 4 + _whole(data, place, "<I")].decode()
