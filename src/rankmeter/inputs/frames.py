"""Data frames of any kind: found columns, taken out as Polars Series.

Narwhals is the door: it knows which objects are frames and collects lazy ones. Columns then leave it at once, without
a copy where the memory layouts agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from rankmeter.errors import InputError, MissingExtraError, RankmeterError, reason_of
from rankmeter.inputs.cells import LOOKED_AT, RawColumn
from rankmeter.inputs.checked_tables import OpenedTable, TablePart, whole_pairs, whole_table
from rankmeter.inputs.columns import Role
from rankmeter.inputs.reading import Side
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl


def is_frame(obj: object) -> bool:
    """Whether this is a data frame that can be read: pandas, Polars, PyArrow, DuckDB, anything Narwhals accepts.

    No library is imported to find out, except Narwhals for an object that could be a frame of some library.
    """
    if isinstance(obj, (pl.DataFrame, pl.LazyFrame)):
        return True
    if type(obj).__module__.partition(".")[0] in ("builtins", "collections", "numpy", "pathlib", "torch", "polars"):
        return False
    import narwhals as nw

    return any((nw.dependencies.is_into_dataframe(obj), nw.dependencies.is_into_lazyframe(obj)))


def judgments_from_frame(
    frame: object, *, columns: Mapping[str, str] | None = None, source: str | None = None
) -> JudgmentTable:
    """Read judgments from a frame with a row per judged pair; the parameters are those of `table_from_frame`.

    Examples
    --------
    >>> table = judgments_from_frame(pl.DataFrame({"user_id": [7, 7], "item_id": ["a", "b"], "rating": [1, 0]}))
    >>> table.grade.to_list()
    [1.0, 0.0]
    """
    return cast(JudgmentTable, table_from_frame(frame, "judgments", columns, source))


def run_from_frame(frame: object, *, columns: Mapping[str, str] | None = None, source: str | None = None) -> RunTable:
    """Read a run from a frame with a row per returned item; the parameters are those of `table_from_frame`.

    Examples
    --------
    >>> table = run_from_frame(pl.DataFrame({"qid": [7, 7], "doc_id": ["a", "b"], "rank": [1, 2]}))
    >>> table.score.to_list(), table.scored
    ([-1.0, -2.0], False)
    """
    return cast(RunTable, table_from_frame(frame, "run", columns, source))


def table_from_frame(
    frame: object, side: Side, columns: Mapping[str, str] | None = None, source: str | None = None
) -> JudgmentTable | RunTable:
    """Read a frame with a row per pair.

    Parameters
    ----------
    frame
        Any frame that Narwhals accepts. In judgments without a grade column every row is a relevant pair of grade 1; in
        a run a score column wins over a rank column, and with neither the rows of a query are in ranked order as given.
    side
        What it holds.
    columns
        Names of the columns, by role (``query``, ``item``, ``grade``, ...), where they are not the usual ones.
    source
        How messages call this input.
    """
    source = source or f"{side} ({kind_of_frame(frame)})"
    return whole_table(OpenedFrame(frame, source), side, columns, source, "frame")


def pairs_from_frame(frame: object, columns: Mapping[str, str] | None, source: str) -> tuple[pl.Series, pl.Series]:
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
        native = nw.to_native(frame, pass_through=True)
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

    def _named_levels(self, native: Any) -> dict[object, int]:
        """The levels of a pandas index that have a name: columns like any other, before the others."""
        named = [(name, at) for at, name in enumerate(native.index.names) if name is not None]
        names = [str(name) for name, _ in named]
        taken = {_name_of(name) for name in native.columns}
        for name in names:
            if name in taken or names.count(name) > 1:
                raise InputError.of("inputs.index_and_column", source=self._source, name=name)
        return dict(named)

    def _of_pandas(self, column: str, rows: int | None = None) -> RawColumn:
        """A column of a pandas frame, or the first rows of it."""
        at = self.names.index(column)
        if at >= len(self._levels):
            return _from_pandas(self._frame.iloc[:rows, at - len(self._levels)])
        level = list(self._levels.values())[at]
        return _from_pandas(self._frame.index[:rows].get_level_values(level).to_series())

    def head(self, column: str) -> RawColumn:
        if self._is_pandas:
            return self._of_pandas(column, LOOKED_AT)
        inner = self._aliases.get(column, column)
        return OpenedFrame(self._frame.head(LOOKED_AT), self._source).take({"score": inner})["score"]

    def take(self, wanted: Mapping[Name, str]) -> dict[Name, RawColumn]:
        """Take the found columns out, in one collection where the frame is lazy."""
        if self._is_pandas:
            return {role: self._of_pandas(column) for role, column in wanted.items()}
        wanted = {role: self._aliases.get(column, column) for role, column in wanted.items()}
        chosen = self._frame.select(list(wanted.values()))
        if not isinstance(chosen, (pl.DataFrame, pl.LazyFrame)):
            chosen = self._leave_narwhals(chosen)
        if isinstance(chosen, pl.LazyFrame):
            with self._reading():
                chosen = chosen.collect()
        if isinstance(chosen, pl.DataFrame):
            return {role: chosen.get_column(column) for role, column in wanted.items()}
        return {role: _from_pandas(chosen[column]) for role, column in wanted.items()}

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

    def _leave_narwhals(self, chosen: Any) -> Any:  # a Narwhals frame in, a Polars or pandas frame out
        import narwhals as nw

        try:
            if isinstance(chosen, nw.LazyFrame):
                with self._reading():
                    return chosen.collect("polars").to_native()
            if nw.dependencies.is_pandas_like_dataframe(chosen.to_native()):  # modin, cuDF
                return chosen.to_pandas()
            return chosen.to_polars()
        except ModuleNotFoundError as error:
            library = error.name or "pyarrow"
            extra = {"pyarrow": '"rankmeter[arrow]"', "pandas": '"rankmeter[pandas]"'}.get(library, library)
            raise MissingExtraError.of(
                "inputs.frame_needs", source=self._source, library=library, extra=extra
            ) from error


def _name_of(column: object) -> str:
    """A column as it can be named; levels of names, as grouping makes them, are put together: ``score_mean``."""
    return "_".join(str(level) for level in column if level != "") if isinstance(column, tuple) else str(column)


def _from_pandas(series: Any) -> RawColumn:  # a pandas Series, which is never imported here
    """One pandas column: NumPy memory as it is, extension types through Arrow, objects as a list."""
    is_numpy = type(series.dtype).__module__.startswith("numpy")
    if is_numpy and series.dtype.kind == "O":
        return list(series.tolist())
    try:
        if is_numpy and series.dtype.kind in "iufb":
            return pl.Series(series.to_numpy())
        if getattr(series.dtype, "storage", "") == "pyarrow" and (text := _views_of_text(series)) is not None:
            return text
        # NaN and null differ for us: nan_to_null would hide which of them a score was.
        return cast("pl.Series", pl.from_pandas(series, nan_to_null=False))
    except (ImportError, ValueError, TypeError, NotImplementedError, OverflowError, pl.exceptions.PolarsError):
        # No PyArrow, or a type that Arrow does not know: Python objects always work.
        return list(series.tolist())


def _views_of_text(series: Any) -> pl.Series | None:
    """Text in Arrow's memory, which stays there: Arrow makes the views of it that Polars wants in a third of its time.

    None where it cannot: an older PyArrow, or more text than a view can point at.
    """
    import pyarrow as pa
    import pyarrow.compute

    try:
        # Not from Arrow's own pool: the huge pages that it asks for may take the kernel longer than all else here.
        pool = pa.system_memory_pool()
        return pl.Series(pyarrow.compute.cast(series.array.__arrow_array__(), "string_view", memory_pool=pool))
    except (ValueError, pa.ArrowException):
        return None
