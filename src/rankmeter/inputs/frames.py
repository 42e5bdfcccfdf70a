"""Data frames of any kind: found columns, taken out as Polars Series, checked.

Narwhals is the door: it knows which objects are frames and collects lazy ones. Columns then leave it at once, without
a copy where the memory layouts agree. Ids never pass through floats, and nothing is dropped or filled.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, cast

import numpy as np

from rankmeter.errors import EmptyInputError, InputError, MissingExtraError, RankmeterError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import (
    EXACT_WHOLE_NUMBERS,
    LOOKED_AT,
    RawColumn,
    is_missing,
    is_null,
    is_number,
    is_rounded,
    is_text,
    merged,
    reads_as_number,
)
from rankmeter.inputs.columns import Role, say_columns
from rankmeter.inputs.reading import Reading, read_as
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.wording import Said, said


class GroupedQueries(list[object]):
    """The query of each row, taken from groups of rows of which some may be empty.

    Parameters
    ----------
    groups
        The query of each group.
    sizes
        How many rows each has.
    """

    def __init__(self, groups: Sequence[object], sizes: Sequence[int]) -> None:
        super().__init__(chain.from_iterable(map(repeat, groups, sizes)))
        self.groups = list(groups)
        filled = {str(query) for query, size in zip(groups, sizes, strict=True) if size}
        self.has_empty = any(str(query) not in filled for query in self.groups)


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
    """Read judgments from a frame with a row per judged pair.

    Parameters
    ----------
    frame
        Any frame that Narwhals accepts. Without a grade column every row is a relevant pair of grade 1.
    columns
        Names of the columns, by role (``query``, ``item``, ``grade``), where they are not the usual ones.
    source
        How messages call this input.

    Examples
    --------
    >>> table = judgments_from_frame(pl.DataFrame({"user_id": [7, 7], "item_id": ["a", "b"], "rating": [1, 0]}))
    >>> table.grade.to_list()
    [1.0, 0.0]
    """
    source = source or f"judgments ({kind_of_frame(frame)})"
    taken = _Frame(frame, source)
    reading = read_as("judgments", taken.names, taken.head, columns, source, "frame")
    return judgment_table(taken.take(reading.roles), Origin(source, reading=reading))


def run_from_frame(frame: object, *, columns: Mapping[str, str] | None = None, source: str | None = None) -> RunTable:
    """Read a run from a frame with a row per returned item.

    Parameters
    ----------
    frame
        Any frame that Narwhals accepts. A score column wins over a rank column; with neither, the rows of a query are
        in ranked order as given.
    columns
        Names of the columns, by role (``query``, ``item``, ``score``, ``rank``), where they are not the usual ones.
    source
        How messages call this input.

    Examples
    --------
    >>> table = run_from_frame(pl.DataFrame({"qid": [7, 7], "doc_id": ["a", "b"], "rank": [1, 2]}))
    >>> table.score.to_list(), table.scored
    ([-1.0, -2.0], False)
    """
    source = source or f"run ({kind_of_frame(frame)})"
    taken = _Frame(frame, source)
    reading = read_as("run", taken.names, taken.head, columns, source, "frame")
    return run_table(taken.take(reading.roles), Origin(source, reading=reading))


def kind_of_frame(frame: object) -> str:
    """How people call this kind of frame: ``pandas DataFrame``."""
    return f"{type(frame).__module__.partition('.')[0].lstrip('_')} {type(frame).__name__}"


class _Frame:
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
        """The first rows of a column."""
        if self._is_pandas:
            return self._of_pandas(column, LOOKED_AT)
        inner = self._aliases.get(column, column)
        return _Frame(self._frame.head(LOOKED_AT), self._source).take({"score": inner})["score"]

    def take(self, found: Mapping[Role, str]) -> dict[Role, RawColumn]:
        """Take the found columns out, in one collection where the frame is lazy."""
        if self._is_pandas:
            return {role: self._of_pandas(column) for role, column in found.items()}
        found = {role: self._aliases.get(column, column) for role, column in found.items()}
        chosen = self._frame.select(list(found.values()))
        if not isinstance(chosen, (pl.DataFrame, pl.LazyFrame)):
            chosen = self._leave_narwhals(chosen)
        if isinstance(chosen, pl.LazyFrame):
            with self._reading():
                chosen = chosen.collect()
        if isinstance(chosen, pl.DataFrame):
            return {role: chosen.get_column(column) for role, column in found.items()}
        return {role: _from_pandas(chosen[column]) for role, column in found.items()}

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A lazy frame computes when it is read, and may fail then, each library with errors of its own."""
        try:
            yield
        except (RankmeterError, MemoryError, ImportError):
            raise
        except (Exception, pl.exceptions.PanicException) as error:
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise InputError.of("inputs.frame_not_computed", source=self._source, reason=reason.rstrip(".")) from error

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
            extra = {"pyarrow": "'rankmeter[arrow]'", "pandas": "'rankmeter[pandas]'"}.get(library, library)
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
        # NaN and null differ for us: nan_to_null would hide which of them a score was.
        return cast("pl.Series", pl.from_pandas(series, nan_to_null=False))
    except (ImportError, ValueError, TypeError, NotImplementedError, OverflowError, pl.exceptions.PolarsError):
        # No PyArrow, or a type that Arrow does not know: Python objects always work.
        return list(series.tolist())


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from, so that messages can name the row or line at fault."""

    source: str
    lines: Sequence[int] | None = None
    """The line of each row in its file; None where rows have only a position."""
    first_row: int = 0
    """How many rows came before these, where a table is read in parts."""
    reading: Reading | None = None
    """Which column became what."""

    def blame(self, fact: Said, rows: Sequence[int], raw: Mapping[Role, RawColumn], hint: str = "") -> InputError:
        """Say the fact about the first row, where it is, and which rows are like it."""
        known = {
            role: value for role in ("query", "item") if role in raw and not is_missing(value := raw[role][rows[0]])
        }
        pair = said("inputs.pair", pair=known) if known else ""
        if self.lines is None:
            places = [row + self.first_row for row in rows]
            where = said("inputs.row_pair", row=places[0], pair=known) if known else ""
            return InputError.of(
                "inputs.in_rows", source=self.source, fact=fact, count=len(rows), rows=examples(places), where=where,
                hint=hint,
            )  # fmt: skip
        numbers_ = [self.lines[row] for row in rows]
        like = said("inputs.like_this", count=len(rows), lines=examples(numbers_)) if len(rows) > 1 else ""
        return InputError.of(
            "inputs.in_line", source=self.source, line=numbers_[0], fact=fact, pair=pair, like=like, hint=hint
        )


def judgment_table(raw: Mapping[Role, RawColumn], origin: Origin) -> JudgmentTable:
    """Check the columns of judgments; without grades every pair is relevant."""
    _check_not_empty(raw, origin)
    query, item = _ids("query", raw, origin), _ids("item", raw, origin)
    if "grade" in raw:
        grade = _numbers("grade", raw, origin)
    else:
        grade = pl.repeat(1.0, len(query), dtype=pl.Float64, eager=True)
    subtopic = _ids("subtopic", raw, origin).cast(pl.String).alias("subtopic") if "subtopic" in raw else None
    query, queries = _with_empty(query, raw, origin)
    return JudgmentTable(
        query.alias("query"), item.alias("item"), grade.alias("grade"), origin.source, subtopic, queries,
        _read(origin, query, item),
    )  # fmt: skip


def run_table(raw: Mapping[Role, RawColumn], origin: Origin) -> RunTable:
    """Check the columns of a run; ranks become scores, and so does the order of rows where there are neither."""
    _check_not_empty(raw, origin)
    query, item = _ids("query", raw, origin), _ids("item", raw, origin)
    if "score" in raw:
        score = _numbers("score", raw, origin)
    else:
        lower = next((role for role in ("distance", "rank") if role in raw), None)
        falling = _positions(query) if lower is None else _numbers(cast("Role", lower), raw, origin)
        score = pl.Series(np.negative(falling.to_numpy()))
    scored = "score" in raw or "distance" in raw
    query, queries = _with_empty(query, raw, origin)
    reading = _read(origin, query, item)
    return RunTable(
        query.alias("query"), item.alias("item"), score.alias("score"), origin.source, scored, queries, reading
    )


def _read(origin: Origin, query: pl.Series, item: pl.Series) -> Reading | None:
    """How these rows were read, with what looks odd about their ids."""
    if origin.reading is None:
        return None
    notes = dict(origin.reading.notes)
    for role, column in (("query", query), ("item", item)):
        if column.dtype == pl.String and (padded := _padded(column)) is not None:
            notes[f"blanks {role}"] = said("ids_with_blanks", source=origin.source, role=role, example=repr(padded))
    return replace(origin.reading, rows=len(query), notes=notes)


def _padded(column: pl.Series) -> str | None:
    """An id with spaces around it or, among the first ones, with other white space, which takes longer to look for."""
    first = column.head(LOOKED_AT)
    for odd in (
        first.filter(first != first.str.strip_chars()),
        column.filter(column.str.starts_with(" ") | column.str.ends_with(" ")),
    ):
        if len(odd):
            return str(odd[0])
    return None


def _with_empty(query: pl.Series, raw: Mapping[Role, RawColumn], origin: Origin) -> tuple[pl.Series, pl.Series | None]:
    """The queries of the rows and, where some query has no row, every query; both of one type."""
    rows = raw["query"]
    if not isinstance(rows, GroupedQueries) or not rows.has_empty:
        return query, None
    every = _ids("query", {"query": rows.groups}, origin).unique(maintain_order=True)
    return (query if query.dtype == every.dtype else query.cast(every.dtype)), every


def _positions(query: pl.Series) -> pl.Series:
    """The position of each row within its query, from 1, as Float64."""
    stretches = query.rle().struct
    lengths = stretches.field("len").to_numpy()
    if stretches.field("value").n_unique() == len(lengths):  # each query in one stretch, as usual: much faster
        starts = np.cumsum(lengths, dtype=np.int64) - lengths
        return pl.Series(np.arange(1.0, len(query) + 1) - np.repeat(starts, lengths))
    position = pl.int_range(1, pl.len() + 1).over(pl.first())
    return query.to_frame().select(position.cast(pl.Float64)).to_series()


def _check_not_empty(raw: Mapping[Role, RawColumn], origin: Origin) -> None:
    rows = raw["query"]
    if not len(rows) and not (isinstance(rows, GroupedQueries) and rows.groups):
        raise EmptyInputError.of("inputs.no_rows", source=origin.source)


def id_column(column: pl.Series, role: str, origin: Origin) -> pl.Series:
    """Check one column of ids: text or whole numbers, none missing."""
    return _ids(cast("Role", role), {cast("Role", role): column}, origin)


def _ids(role: Role, raw: Mapping[Role, RawColumn], origin: Origin) -> pl.Series:
    """Ids as String, Int64 or UInt64; anything that cannot be one exactly is refused."""
    column = raw[role]
    if isinstance(column, list) or column.dtype == pl.Object:
        column = _ids_of_objects(role, list(column), raw, origin)
    dtype = column.dtype
    if dtype.is_float():
        raise _float_ids(role, column, origin)
    if column.null_count():
        raise origin.blame(said("inputs.is_missing", role=role), column.is_null().arg_true().to_list(), raw)
    if isinstance(dtype, pl.Decimal) and dtype.scale == 0:
        column, dtype = column.cast(pl.Int128), pl.Int128()  # DuckDB's HUGEINT
    if dtype in (pl.String, pl.Int64, pl.UInt64):
        return column
    if dtype in (pl.Int128, pl.UInt128):
        return _narrowest(column)
    if dtype.is_integer():
        return column.cast(pl.Int64)
    if isinstance(dtype, (pl.Categorical, pl.Enum)):
        return column.cast(pl.String)
    shown = examples(column.head(3).to_list())
    raise InputError.of("inputs.type_of_ids", source=origin.source, role=role, type=str(dtype), examples=shown)


def _narrowest(column: pl.Series) -> pl.Series:
    """Whole numbers of 128 bits as 64 bits where they fit, else as text."""
    for dtype in (pl.Int64, pl.UInt64):
        narrow = column.cast(dtype, strict=False)
        if not narrow.null_count():
            return narrow
    return column.cast(pl.String)


def _float_ids(role: Role, column: pl.Series, origin: Origin) -> InputError:
    missing = column.is_null() | column.is_nan()
    some = said("inputs.ids_missing", count=int(missing.sum())) if missing.any() else ""
    shown = examples(column.filter(~missing).head(3).to_list())
    return InputError.of("inputs.float_ids", source=origin.source, role=role, examples=shown, missing=some)


def _ids_of_objects(role: Role, values: list[object], raw: Mapping[Role, RawColumn], origin: Origin) -> pl.Series:
    """Python objects as ids: all text, all whole numbers, or, where both occur, everything as text."""
    kinds = set(map(type, values))
    surrogates = [row for row, v in enumerate(values) if isinstance(v, str) and not is_text(v)]
    if surrogates:
        fact = said("inputs.surrogate", role=role, value=repr(values[surrogates[0]]))
        raise origin.blame(fact, surrogates, {})
    if kinds <= {str, type(None)}:
        return pl.Series(values, dtype=pl.String)
    clean = [None if is_missing(v) else v for v in values]
    wrong = [
        row for row, v in enumerate(clean)
        if v is not None and (isinstance(v, bool) or not isinstance(v, (str, numbers.Integral)))
    ]  # fmt: skip
    if wrong:
        value = clean[wrong[0]]
        fact = said("inputs.not_an_id", role=role, value=repr(value), type=type(value).__name__)
        raise origin.blame(fact, wrong, raw, said("inputs.ids_first"))
    if not any(isinstance(v, str) for v in clean):
        try:
            return pl.Series([None if v is None else int(v) for v in clean])  # type: ignore[call-overload]
        except (TypeError, OverflowError):  # beyond 64 bits, or a mix of negative and very large
            pass
    return pl.Series([None if v is None else str(v) for v in clean], dtype=pl.String)


def _numbers(role: Role, raw: Mapping[Role, RawColumn], origin: Origin) -> pl.Series:
    """Scores, ranks or grades as Float64 without NaN; only a score may be infinite, only a grade a truth value."""
    column = raw[role]
    if isinstance(column, list) or column.dtype == pl.Object:
        column = _numbers_of_objects(role, list(column), raw, origin)
    dtype = column.dtype
    if not (dtype.is_numeric() or dtype == pl.Null or (dtype == pl.Boolean and role == "grade")):
        shown = examples(map(repr, column.head(3)))
        raise InputError.of("inputs.not_numeric", source=origin.source, role=role, type=str(dtype), examples=shown)
    if column.null_count():
        raise origin.blame(said("inputs.is_missing", role=role), column.is_null().arg_true().to_list(), raw)
    is_plain = dtype.is_integer() and dtype not in (pl.Int128, pl.UInt128)
    # NumPy asks for its memory in large pages, which for millions of rows takes a third of the time.
    floats = pl.Series(column.to_numpy().astype(np.float64)) if is_plain else column.cast(pl.Float64)
    if dtype.is_integer() or dtype.is_decimal():
        _check_exact(role, column, floats, raw, origin)
    elif (nan := floats.is_nan()).any():
        raise origin.blame(said("inputs.is_nan", role=role), nan.arg_true().to_list(), raw)
    elif role not in ("score", "distance") and (infinite := floats.is_infinite()).any():
        raise origin.blame(said("inputs.is_infinite", role=role), infinite.arg_true().to_list(), raw)
    if role == "rank":
        _check_ranks(floats, raw, origin, are_whole=dtype.is_integer())
    return floats


def _check_ranks(ranks: pl.Series, raw: Mapping[Role, RawColumn], origin: Origin, *, are_whole: bool) -> None:
    """Refuse what no rank can be: a column called rank may hold scores (ts_rank of PostgreSQL), highest first."""
    odd = ranks < 0 if are_whole else (ranks < 0) | (ranks != ranks.floor())
    if odd.any():
        rows = odd.arg_true().to_list()
        column = (origin.reading and origin.reading.columns.get("rank")) or "rank"
        hint = said("inputs.rank_may_be", higher=say_columns("score", column), lower=say_columns("distance", column))
        raise origin.blame(said("inputs.not_a_rank", value=f"{ranks[rows[0]]:g}"), rows, raw, hint)


def _check_exact(
    role: Role, whole: pl.Series, floats: pl.Series, raw: Mapping[Role, RawColumn], origin: Origin
) -> None:
    """Refuse numbers that float64 would round: two different scores would become a tie."""
    is_small = whole.min() > -EXACT_WHOLE_NUMBERS and whole.max() < EXACT_WHOLE_NUMBERS  # type: ignore[operator]  # there are rows
    if whole.dtype.is_decimal():
        if not is_small or whole.n_unique() != floats.n_unique():
            _numbers_of_objects(role, whole.to_list(), raw, origin)
    elif is_small:
        return
    elif rounded := (floats.cast(pl.Int128) != whole.cast(pl.Int128)).arg_true().to_list():
        raise _rounded(role, whole[rounded[0]], rounded, raw, origin)


def _rounded(
    role: Role, value: object, rows: Sequence[int], raw: Mapping[Role, RawColumn], origin: Origin
) -> InputError:
    fact = said("inputs.would_be_rounded", role=role, value=str(value))
    return origin.blame(fact, rows, raw, said("inputs.make_smaller", role=role))


def _numbers_of_objects(role: Role, values: list[object], raw: Mapping[Role, RawColumn], origin: Origin) -> pl.Series:
    """Python objects as numbers; text is refused even where it spells one."""
    kinds = set(map(type, values))
    if kinds <= {float, type(None)}:
        return pl.Series(values, dtype=pl.Float64)
    if kinds <= {int, type(None)}:
        try:
            return pl.Series(values)
        except (TypeError, OverflowError):  # beyond 64 bits: rounded below
            pass
    clean = [None if is_null(v) else v for v in values]
    wrong = [row for row, v in enumerate(clean) if v is not None and not _may_be(role, v)]
    if wrong:
        value = values[wrong[0]]
        hint = said("inputs.plain_numbers") if isinstance(value, str) and reads_as_number(value) else ""
        raise origin.blame(said("inputs.not_a_number", role=role, value=repr(value)), wrong, raw, hint)
    rounded = [row for row, v in enumerate(clean) if v is not None and is_rounded(v)]
    if rounded:
        raise _rounded(role, clean[rounded[0]], rounded, raw, origin)
    if (pair := merged(clean)) is not None:
        raise InputError.of("inputs.become_one", source=origin.source, role=role, first=pair[0], second=pair[1])
    return pl.Series([None if v is None else float(v) for v in clean], dtype=pl.Float64)  # type: ignore[arg-type]


def _may_be(role: Role, value: object) -> bool:
    """Whether an object can be the number of this role: not text, and truth values only for grades."""
    return is_number(value) and (role == "grade" or not isinstance(value, bool))
