"""Data frames of any kind, and objects that stand for one: found columns, taken out as Polars Series.

Narwhals is the door: it knows which objects are frames and collects lazy ones. Columns then leave it at once, without
a copy where the memory layouts agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from rankmeter.errors import (
    EmptyInputError,
    InputError,
    MissingExtraError,
    RankmeterError,
    examples,
    reason_of,
    why_not_loaded,
)
from rankmeter.inputs.arrow import column_of, shares_views, table_of_stream, unread_columns
from rankmeter.inputs.cells import LOOKED_AT, RawColumn, is_list, is_number
from rankmeter.inputs.checked_tables import OpenedTable, TablePart, whole_pairs, whole_table
from rankmeter.inputs.columns import IDS, VALUE_OF, Named, Role, Side, are_columns, name_pairs
from rankmeter.inputs.tables import JudgmentTable, RunTable, in_one_piece
from rankmeter.late import pl, polars_faults
from rankmeter.wording import said


def is_frame(obj: object) -> bool:
    """Whether this is a data frame that can be read: pandas, Polars, PyArrow, DuckDB, anything Narwhals accepts.

    No library is imported to find out, except Narwhals for an object that could be a frame of some library.
    """
    if isinstance(obj, (pl.DataFrame, pl.LazyFrame)):
        return True
    if type(obj).__module__.partition(".")[0] in ("builtins", "collections", "numpy", "pathlib", "torch", "polars"):
        return False
    return _is_known(obj) or _is_stream(obj)


def _is_known(obj: object) -> bool:
    """Whether Narwhals knows what library made this frame."""
    import narwhals as nw

    kinds = nw.dependencies.is_into_dataframe, nw.dependencies.is_into_lazyframe
    return any(is_kind(obj) for is_kind in kinds)


def _is_stream(obj: object) -> bool:
    """Whether these are columns that Arrow's interface hands over."""
    return hasattr(type(obj), "__arrow_c_stream__") and hasattr(obj, "schema")


def judgments_from_frame(frame: object, *, columns: Named | None = None, source: str | None = None) -> JudgmentTable:
    """Read judgments from a frame with a row per judged pair; the parameters are those of `table_from_frame`.

    Examples
    --------
    >>> table = judgments_from_frame(pl.DataFrame({"user_id": [7, 7], "item_id": ["a", "b"], "rating": [1, 0]}))
    >>> table.grade.to_list()
    [1.0, 0.0]
    """
    return cast(JudgmentTable, table_from_frame(frame, "judgments", columns, source))


def run_from_frame(frame: object, *, columns: Named | None = None, source: str | None = None) -> RunTable:
    """Read a run from a frame with a row per returned item; the parameters are those of `table_from_frame`.

    Examples
    --------
    >>> table = run_from_frame(pl.DataFrame({"qid": [7, 7], "doc_id": ["a", "b"], "rank": [1, 2]}))
    >>> table.score.to_list(), table.scored
    ([-1.0, -2.0], False)
    """
    return cast(RunTable, table_from_frame(frame, "run", columns, source))


def table_from_frame(
    frame: object, side: Side, columns: Named | None = None, source: str | None = None
) -> JudgmentTable | RunTable:
    """Read a frame with a row per pair: any that Narwhals accepts; ``source`` is how messages call it.

    In judgments without a grade column every row is a relevant pair of grade 1; in a run a score column wins over a
    rank column, and with neither the rows of a query are in ranked order as given. ``columns`` are named by role where
    their names are not the usual ones.
    """
    source = source or f"{side} ({kind_of_frame(frame)})"
    return whole_table(OpenedFrame(frame, source), side, columns, source, "frame")


def pairs_from_frame(frame: object, columns: Named | None, source: str) -> tuple[pl.Series, pl.Series]:
    """The queries and items of a frame with a row per pair; the parameters are those of `table_from_frame`."""
    return whole_pairs(OpenedFrame(frame, source), columns, source, "frame")


def kind_of_frame(frame: object) -> str:
    """How people call this kind of frame: ``pandas DataFrame``."""
    return f"{type(frame).__module__.partition('.')[0].lstrip('_')} {type(frame).__name__}"


Name = TypeVar("Name", bound=str)
"""A role, or whatever else a column is taken out as."""


class OpenedFrame(OpenedTable):
    """The door: the names of a frame's columns, and some of those columns as Polars Series."""

    def __init__(self, frame: object, source: str) -> None:
        self._source = source
        self._is_pandas = False
        self._aliases: dict[str, str] = {}
        self._levels: dict[object, int] = {}
        # Any of a dozen libraries' frames: only Narwhals knows their types.
        self._frame: Any = frame if isinstance(frame, (pl.DataFrame, pl.LazyFrame)) else self._open(frame)
        if self._is_pandas:
            self.names = [_name_of(name) for name in (*self._levels, *self._frame.columns)]
        else:
            with self._reading():
                self.names = list(self._aliases or self._frame.collect_schema().names())

    def _open(self, frame: object) -> Any:
        import narwhals as nw

        if not is_frame(frame):
            raise InputError.of("inputs.no_frame", source=self._source, type=type(frame).__name__)
        native = nw.to_native(frame, pass_through=True) if _is_known(frame) else self._of_stream(frame)
        # pandas columns are taken by position, so that number-named and doubly named ones can be spoken of.
        self._is_pandas = nw.dependencies.is_pandas_dataframe(native)
        if self._is_pandas or nw.dependencies.is_pandas_like_dataframe(native):
            self._levels = self._named_levels(native)
            if self._levels and not self._is_pandas:
                native = native.reset_index(list(self._levels.values()))
        if type(native).__name__ == "DuckDBPyRelation":  # not every Narwhals quotes a name such as tf.idf
            self._aliases = {name: f"column{at}" for at, name in enumerate(native.columns)}
            quoted = {name: name.replace('"', '""') for name in native.columns}
            native = native.project(", ".join(f'"{quoted[name]}" as {new}' for name, new in self._aliases.items()))
        direct = self._is_pandas or isinstance(native, (pl.DataFrame, pl.LazyFrame))
        try:
            return native if direct else nw.from_native(native)
        except nw.exceptions.DuplicateError as error:
            raise InputError.of(
                "inputs.frame_refused", source=self._source, reason=str(error).replace(chr(10), " ")
            ) from error

    def _of_stream(self, stream: Any) -> Any:
        try:
            return table_of_stream(stream)
        except ModuleNotFoundError as error:
            raise self._missing("pyarrow") from error
        except ImportError as error:
            raise why_not_loaded(error, "pyarrow", '"rankmeter[arrow]"') from error

    def _missing(self, library: str) -> MissingExtraError:
        extra = {"pyarrow": '"rankmeter[arrow]"', "pandas": '"rankmeter[pandas]"'}.get(library, library)
        return MissingExtraError.of("inputs.frame_needs", source=self._source, library=library, extra=extra)

    def _named_levels(self, native: Any) -> dict[object, int]:
        """The levels of a pandas index that have a name: columns like any other, before the others."""
        named = [(name, at) for at, name in enumerate(native.index.names) if name is not None]
        names = [str(name) for name, _ in named]
        taken = {_name_of(name) for name in native.columns}
        for name in names:
            if name in taken or names.count(name) > 1:
                raise InputError.of("inputs.index_and_column", source=self._source, name=name)
        return dict(named)

    def _of_pandas(self, column: str, rows: int | None) -> RawColumn:
        """A column of a pandas frame, or the first rows of it."""
        at = self.names.index(column)
        if at >= len(self._levels):
            return _from_pandas(self._frame.iloc[:rows, at - len(self._levels)])
        level = list(self._levels.values())[at]
        return _from_pandas(self._frame.index[:rows].get_level_values(level).to_series())

    def head(self, column: str) -> RawColumn:
        return self.take({"score": column}, LOOKED_AT)["score"]

    def take(self, wanted: Mapping[Name, str], rows: int | None = None) -> dict[Name, RawColumn]:
        """Take the found columns out, or their first rows, in one collection where the frame is lazy."""
        if self._is_pandas:
            return {role: self._of_pandas(column, rows) for role, column in wanted.items()}
        wanted = {role: self._aliases.get(column, column) for role, column in wanted.items()}
        columns = list(dict.fromkeys(wanted.values()))
        chosen = self._frame.select(columns)
        chosen = chosen if rows is None else chosen.head(rows)
        if not isinstance(chosen, (pl.DataFrame, pl.LazyFrame)):
            chosen = self._leave_narwhals(chosen)
            if type(chosen).__module__.startswith("pyarrow"):
                return {role: column_of(chosen.column(columns.index(column))) for role, column in wanted.items()}
        if isinstance(chosen, pl.LazyFrame):
            with self._reading():
                chosen = chosen.collect()
        if isinstance(chosen, pl.DataFrame):
            # By place: out of Arrow, a column without a name comes with another one.
            taken = {role: chosen.to_series(columns.index(column)) for role, column in wanted.items()}
            # Numbers in one piece, which NumPy would otherwise make of them each time that it looks.
            return {role: c if c.dtype == pl.String else in_one_piece([c]) for role, c in taken.items()}
        return {role: _from_pandas(chosen[column]) for role, column in wanted.items()}

    def every(self) -> dict[str, RawColumn]:
        """All columns by name, of which no two may have the same."""
        if (doubled := next((name for name in self.names if self.names.count(name) > 1), None)) is not None:
            raise InputError.of("inputs.doubled_column", source=self._source, column=doubled)
        return self.take({name: name for name in self.names})

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        yield TablePart(self.take(columns))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A lazy frame computes when it is read, and may fail then, each library with errors of its own."""
        try:
            yield
        except (RankmeterError, MemoryError, ImportError):
            raise
        except (Exception, pl.exceptions.PanicException) as error:
            raise InputError.of("inputs.frame_not_computed", source=self._source, reason=reason_of(error)) from error

    def _leave_narwhals(self, chosen: Any) -> Any:  # a Narwhals frame in, a frame of Polars, pandas or PyArrow out
        import narwhals as nw

        try:
            if isinstance(chosen, nw.LazyFrame):
                with self._reading():
                    return chosen.collect("polars").to_native()
            if nw.dependencies.is_pandas_like_dataframe(chosen.to_native()):  # modin, cuDF
                return chosen.to_pandas()
            return chosen.to_native() if chosen.implementation.is_pyarrow() else chosen.to_polars()
        except ModuleNotFoundError as error:
            raise self._missing(error.name or "pyarrow") from error
        except ImportError as error:
            raise why_not_loaded(error, "pyarrow", '"rankmeter[arrow]"') from error


def _name_of(column: object) -> str:
    """A column as it can be named; levels of names, as grouping makes them, are put together: ``score_mean``."""
    return "_".join(str(level) for level in column if level != "") if isinstance(column, tuple) else str(column)


def _from_pandas(series: Any) -> RawColumn:  # a pandas Series, which is never imported here
    """One pandas column: NumPy memory as it is, extension types through Arrow, objects as a list."""
    is_numpy = type(series.dtype).__module__.startswith("numpy")
    if is_numpy and series.dtype.kind == "O":
        return list(series.tolist())
    if type(series.dtype).__name__ == "DatetimeTZDtype":
        # PyArrow up to 25.0.0 asks pandas for these in a way that pandas 3.1 warns of.
        return pl.Series(series.dt.tz_convert(None).to_numpy()).dt.replace_time_zone("UTC")
    try:
        if is_numpy and series.dtype.kind in "iufb":
            return pl.Series(series.to_numpy())
        if is_numpy:
            return cast("pl.Series", pl.from_pandas(series, nan_to_null=False))
        if getattr(series.dtype, "storage", "") == "pyarrow" and (text := _views_of_text(series)) is not None:
            return text
        import pyarrow as pa

        # NaN and null differ for us: from_pandas would hide which of them a score was.
        return column_of(pa.array(series, from_pandas=False))
    except (ImportError, ValueError, TypeError, NotImplementedError, OverflowError, pl.exceptions.PolarsError):
        # No PyArrow, or a type that Arrow does not know: Python objects always work.
        return list(series.tolist())


def _views_of_text(series: Any) -> pl.Series | None:
    """Text in Arrow's memory, which stays there: Arrow makes the views of it that Polars wants in a third of its time.

    None where it is no text, or where Arrow cannot: an older PyArrow, or more text than a view can point at.
    """
    import pyarrow as pa
    import pyarrow.compute

    if not shares_views():
        return None
    try:
        # Not from Arrow's own pool: the huge pages that it asks for may take the kernel longer than all else here.
        pool, text = pa.system_memory_pool(), series.array.__arrow_array__()
        if text.type not in (pa.string(), pa.large_string()):
            return None
        return pl.Series(pyarrow.compute.cast(text, "string_view", memory_pool=pool))
    except (ValueError, pa.ArrowException):
        return None


def as_frame(data: Any, side: Side) -> Any:
    """What stands for a table as a frame; None for everything else.

    - rows with names (``namedtuple``, dataclasses), such as the judgments and documents of ir_measures and ir_datasets,
      also from an iterator; structured arrays; datasets of Hugging Face
    - columns by name, ``{"query": [...], "item": [...]}``
    - values by pair, ``{(query, item): value}``, and lists of pairs, ``{query: [(item, score), ...]}``
    - a pandas Series of lists, or with the query and the item in its index
    - a sparse matrix: its rows are queries, its columns items, and what it stores their grades or scores; a row that
      stores nothing is not there
    """
    value = VALUE_OF[side]
    if isinstance(data, Mapping):
        return _frame_of_mapping(data, value)
    if isinstance(data, (list, tuple, Iterator)):
        return _frame_of_rows(data)
    if hasattr(data, "tocsr") and getattr(data, "ndim", 2) == 2:
        cells = data.tocsr().tocoo()  # which adds up what is stored twice
        return pl.DataFrame({"query": cells.row, "item": cells.col, value: cells.data})
    if names := getattr(getattr(data, "dtype", None), "names", None):
        columns = {name: data[name] for name in names}
        plain = {name: column.dtype.kind in "iufbU" for name, column in columns.items()}
        return pl.DataFrame({name: c if plain[name] else _typed_series(name, list(c)) for name, c in columns.items()})
    library = type(data).__module__.partition(".")[0]
    if library == "datasets" and hasattr(data, "to_polars"):
        return data.to_polars()
    return (
        _frame_of_series(data, value)
        if type(data).__name__ == "Series" and library in ("pandas", "modin", "cudf")
        else None
    )


def _frame_of_mapping(data: Mapping[Any, Any], value: str) -> Any:
    if are_columns(data):
        return pl.DataFrame([_typed_series(name, _objects(column)) for name, column in data.items()])
    if _is_pair(first := next(iter(data), None)) and is_number(data[first]) and all(map(_is_pair, data)):
        return _frame({"query": [q for q, _ in data], "item": [i for _, i in data], value: list(data.values())})
    lists = list(data.values())
    some = next((items for items in lists if isinstance(items, (list, tuple)) and items), ())
    if _are_pairs(some) and all(_are_pairs(items) or items in ((), []) for items in lists):
        columns = {name: [[pair[at] for pair in items] for items in lists] for at, name in enumerate(("item", value))}
        return _frame({"query": list(data), **columns})
    return None


def _is_pair(key: object) -> bool:
    return isinstance(key, tuple) and len(key) == 2


def _are_pairs(items: object) -> bool:
    """Whether these are an id and a number each."""
    return (
        isinstance(items, (list, tuple))
        and bool(items)
        and all(
            isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], (str, int))
            and is_number(pair[1]) and not isinstance(pair[1], bool)
            for pair in items
        )
    )  # fmt: skip


def _frame_of_rows(data: Sequence[Any] | Iterator[Any]) -> Any:
    first = data[0] if isinstance(data, Sequence) and data else next(iter(data), None)
    names = getattr(first, "_fields", None) or (
        [field.name for field in fields(first)] if is_dataclass(first) and not isinstance(first, type) else None
    )
    if not names or not name_pairs(names):
        return None
    rows = data if isinstance(data, Sequence) else [first, *data]
    return _frame({name: list(map(attrgetter(name), rows)) for name in names})


def _frame_of_series(data: Any, value: str) -> Any:
    levels = data.index.nlevels
    if levels > 2 or (levels == 1 and not (len(data) and is_list(data.iloc[0]))):
        return None
    names = [name or usual for name, usual in zip(data.index.names, IDS, strict=False)]
    return data.rename("item" if levels == 1 else data.name or value).rename_axis(names).reset_index()


def _frame(columns: Mapping[str, list[Any]]) -> Any:
    """Columns of Python objects, which are checked as such: no id is turned into another on the way."""
    return pl.DataFrame({name: pl.Series(name, column, dtype=pl.Object) for name, column in columns.items()})


def _objects(column: Any) -> list[Any]:
    """The values of a list or an array; of Arrow's, which holds scalars of its own, those that Python knows."""
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column)


_SERIES_TYPES = frozenset({str, int, float, bool, np.str_, np.int64, np.int32, np.float64, np.float32})


def _typed_series(name: str, column: list[Any]) -> pl.Series:
    """A column of one plain type as Polars holds it, ten times sooner read than objects, which any other column stays.

    Of different types Polars would make one: a score of true became 1.0, and pandas' missing value the text ``<NA>``.
    """
    kinds = set(map(type, column)) - {type(None)}
    if len(kinds) == 1 and kinds <= _SERIES_TYPES:
        try:
            return pl.Series(name, column)
        except (OverflowError, TypeError, UnicodeEncodeError):  # beyond 64 bits, or half of a character
            pass
    return pl.Series(name, column, dtype=pl.Object)


ROWS_AT_ONCE = 1_000_000
"""Rows in one part."""


class Columnar(OpenedFrame):
    """An opened Parquet or Arrow IPC file: its uncompressed content, or the path of an uncompressed local file.

    ``kind`` is ``parquet`` or ``ipc``; ``in_parts`` says whether the rows are given in batches.
    """

    def __init__(self, content: bytes | Path, kind: str, name: str, *, in_parts: bool) -> None:
        self._source, self._label, self._in_parts = name, "Parquet" if kind == "parquet" else "Arrow IPC", in_parts
        with self._reading():
            lazy = scan(content, kind, name)
        super().__init__(lazy, name)

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        """The needed columns alone, in batches of rows."""
        rows = 0
        with self._reading():
            total, batches = self._batches(list(columns.values()))
            for batch in batches:
                if not batch.height:
                    continue
                end = rows + batch.height
                unread = said("inputs.rows_unread", count=total - end, row=end - 1) if end < total else ""
                raw = {role: batch.get_column(column) for role, column in columns.items()}
                yield TablePart(raw, None, rows, end / total, batch.height == total, unread)
                rows = end
            if rows != total:  # a panic in a thread of Polars ends the batches without a word
                raise ValueError(f"it announces {total:,} rows and holds {rows:,}")
        if not rows:
            raise EmptyInputError.of("inputs.no_rows", source=self._source)

    def _batches(self, names: list[str]) -> tuple[int, Iterator[pl.DataFrame]]:
        """How many rows there are, and their batches."""
        chosen = self._frame.select(names)
        if not self._in_parts or not hasattr(chosen, "collect_batches"):
            whole = chosen.collect()
            return whole.height, iter([whole])
        total = self._frame.select(pl.len()).collect().item()
        return total, chosen.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True, engine="streaming")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Say that the file is damaged, in the words of who tried to read it."""
        try:
            yield
        except InputError:
            raise
        except polars_faults() as error:
            reason = reason_of(error)
            raise InputError.of("inputs.damaged", source=self._source, format=self._label, reason=reason) from error


def scan(content: bytes | Path, kind: str, name: str) -> pl.LazyFrame:
    """Open a file as it is named: brackets are no pattern, ``query=3`` in its path is no column."""
    if unread := unread_columns(content, kind):
        columns = [f"{column} ({type_name})" for column, type_name in unread.items()]
        raise InputError.of("inputs.arrow_types", source=name, columns=examples(columns), count=len(columns))
    if kind == "parquet":
        return pl.scan_parquet(content, glob=False, hive_partitioning=False)
    if isinstance(content, Path):
        with content.open("rb") as file:
            start = file.read(6)
    else:
        start = content[:6]
    if start == b"ARROW1":  # the file kind of Arrow IPC has a magic word, the stream kind has none
        return pl.scan_ipc(content, glob=False, hive_partitioning=False)
    return pl.read_ipc_stream(content).lazy()
