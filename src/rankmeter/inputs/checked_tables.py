"""A table, opened and checked: its rows part by part, as frames and every format give them, become judgments or a run.

Ids never pass through floats, and nothing is dropped or filled; what is wrong is named with its row or line. Rows that
hold a list each, as grouping makes them (``user, [items]``, perhaps with a list of scores or grades), become a row per
item first. Lists may be columns of lists, Python lists and arrays, or text that spells one (``[1, 2]``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import cast

import numpy as np
import numpy.typing as npt

from rankmeter.errors import EmptyInputError, InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.arrow import stored
from rankmeter.inputs.cells import (
    EXACT_WHOLE_NUMBERS,
    LOOKED_AT,
    RawColumn,
    highest,
    is_list,
    is_missing,
    is_null,
    is_number,
    is_rounded,
    is_text,
    list_of,
    merged,
    reads_as_number,
)
from rankmeter.inputs.columns import RANKING, ROLES, TIMES, Named, Role, Side, fold, say_columns
from rankmeter.inputs.ids import has_text, ids_as_text, is_id_type, is_no_time, plain_id
from rankmeter.inputs.ranks_beside import ASIDE, note_of_first_rank, notes_of_orders, orders_beside
from rankmeter.inputs.reading import GroupedQueries, Origin, Reading, read_as
from rankmeter.inputs.said_beside import notes_beside, said_beside
from rankmeter.inputs.tables import JudgmentTable, Ranks, RunTable, floats_of
from rankmeter.late import pl
from rankmeter.wording import said, spelled

Columns = Mapping[Role, RawColumn]
"""The columns of a table by role, before they are checked."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some rows of a table, before they are checked."""

    raw: Columns
    lines: Sequence[int] | None = None
    """The line of each row; None where rows have only a position."""
    first_row: int = 0
    """How many rows of the file came before these."""
    fraction: float | None = None
    """How much of the file has been read with them; None where its bytes tell it."""
    is_whole: bool = True
    """Whether these are all rows of the file."""
    unread: str = ""
    """What is said of the rest of the file where these rows are wrong."""
    exactly: Callable[[], TablePart] | None = None
    """Reads the same rows slowly and knows their lines, for where they turn out to be wrong."""


class OpenedTable(ABC):
    """A file, a frame or objects with named columns or keys."""

    names: Sequence[str]
    """The columns."""

    @abstractmethod
    def head(self, column: str) -> RawColumn | Sequence[object]:
        """The first rows of a column."""

    def find(self, side: Side, named: Named | None, source: str, format: str) -> Reading:
        """Find the columns that are needed."""
        return read_as(side, self.names, self.head, named, source, format)

    @abstractmethod
    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        """The rows, as they are stored; a part may end in the middle of a query."""


def read_opened(
    table: OpenedTable, side: Side, named: Named | None, name: str, format: str, rows_before: int = 0
) -> Iterator[tuple[JudgmentTable | RunTable, float | None]]:
    """Check a table part by part, and tell with each part how much of the file that is.

    ``rows_before`` is how many rows of the same input were in other files: where nothing but the order of the rows
    ranks them, the count goes on.
    """
    reading = table.find(side, named, name, format)
    rows = rows_before
    listed: set[object] = set()
    beside = cast("Mapping[Role, str]", {**said_beside(reading), **orders_beside(reading, named)})
    for part in table.parts({**reading.roles, **beside}):
        checked = _built(part, side, reading, rows, listed)
        rows += len(checked.query)
        yield checked, part.fraction


def _built(part: TablePart, side: Side, reading: Reading, before: int, listed: set[object]) -> JudgmentTable | RunTable:
    """A part that was checked; where it is wrong it is read again with the numbers of its lines."""
    raw: Columns = {role: column for role, column in part.raw.items() if role in ROLES}
    try:
        raw, origin = in_rows(raw, Origin(reading.source, part.lines, part.first_row, reading), listed)
    except InputError:
        if part.exactly is None:
            raise
        return _built(part.exactly(), side, reading, before, listed)
    if side == "run" and (before or not part.is_whole) and not any(role in raw for role in RANKING):
        raw = {**raw, "rank": pl.int_range(before + 1, before + len(raw["query"]) + 1, eager=True)}
    try:
        return _with_beside(_checked(raw, origin, side), part.raw, origin, is_whole=part.is_whole and not before)
    except InputError as error:
        if part.exactly is None:
            if not part.unread:
                raise
            raise InputError.of("inputs.and_the_rest", fact=error.problem, rest=part.unread) from None
    return _built(part.exactly(), side, reading, before, listed)


def _with_beside(
    table: JudgmentTable | RunTable, raw: Columns, origin: Origin, *, is_whole: bool
) -> JudgmentTable | RunTable:
    """The table, which says what columns say that it was not read from."""
    if table.reading is None:
        return table
    notes: dict[str, str] = {}
    beside: dict[str, RawColumn] = {role: column for role, column in raw.items() if role not in ROLES}
    if isinstance(table, RunTable):
        aside = [key for key in beside if key.startswith(ASIDE)]
        notes |= notes_of_orders(table, _in_same_rows({key: beside.pop(key) for key in aside}, origin))
        notes |= note_of_first_rank(table) if is_whole else {}
    notes |= notes_beside(table.reading, beside)
    reading = replace(table.reading, notes={**table.reading.notes, **notes})
    return replace(table, reading=reading) if notes else table


def _in_same_rows(columns: Mapping[str, RawColumn], origin: Origin) -> Mapping[str, RawColumn]:
    """Columns of which nothing was read, one value for each item; without those that are not lists where items are."""
    if origin.rows is None:
        return columns
    flat: dict[str, RawColumn] = {}
    for key, column in columns.items():
        with suppress(InputError):
            flat[key] = _flattened("score", {"score": column}, origin)[0]
    return flat


def whole_table(
    table: OpenedTable, side: Side, named: Named | None, name: str, format: str
) -> JudgmentTable | RunTable:
    """Check a table that comes in one part."""
    return next(read_opened(table, side, named, name, format))[0]


def whole_pairs(table: OpenedTable, named: Named | None, name: str, format: str) -> tuple[pl.Series, pl.Series]:
    """The queries and items of a table that comes in one part, checked as those of judgments; nothing else of it."""
    reading = table.find("judgments", named, name, format)
    part = next(table.parts(reading.roles))
    raw, origin = in_rows(part.raw, Origin(name, part.lines, part.first_row, reading), set())
    _check_not_empty(raw, origin)
    return _with_empty(_checked_ids("query", raw, origin), raw, origin)[0], _checked_ids("item", raw, origin)


def row_times(table: OpenedTable) -> pl.Series | None:
    """When each row was, in a column that sorts; None where no column says it, or not in a way that sorts."""
    name = next((name for usual in TIMES for name in table.names if fold(name) == usual), None)
    if name is None:
        return None
    raw = next(table.parts({"query": name})).raw["query"]
    times = pl.Series(raw, strict=False) if isinstance(raw, list) else raw
    if times.dtype != pl.String:
        return times if times.dtype.is_numeric() or times.dtype.is_temporal() else None
    numbers = times.cast(pl.Float64, strict=False)
    if numbers.null_count() == times.null_count():
        return numbers
    return times if times.str.contains(r"^\d{4}-\d\d-\d\d").all() else None


def _checked(raw: Columns, origin: Origin, side: Side) -> JudgmentTable | RunTable:
    """Check the columns of judgments or of a run.

    Judgments without grades say that every pair is relevant; a run without scores and ranks is ordered by its rows.
    """
    _check_not_empty(raw, origin)
    query, item = _checked_ids("query", raw, origin), _checked_ids("item", raw, origin)
    value: Role | None = next((role for role in ("grade", *RANKING) if role in raw), None)
    numbers = None if value is None else _numbers(value, raw, origin)
    subtopic = _checked_ids("subtopic", raw, origin).cast(pl.String).alias("subtopic") if "subtopic" in raw else None
    query, queries = _with_empty(query, raw, origin)
    reading = _read(origin, query, item)
    query, item = query.alias("query"), item.alias("item")
    if side == "judgments":
        grade = pl.Series(np.ones(len(query))) if numbers is None else floats_of(numbers)
        return JudgmentTable(query, item, grade.alias("grade"), origin.source, subtopic, queries, reading)
    ordering: pl.Series | Ranks
    if numbers is None:
        ordering = Ranks(_positions_in_query(query))
    elif value == "rank" and numbers.dtype.is_integer():
        ordering = Ranks(numbers)
    else:
        ordering = floats_of(numbers, negative=value in ("distance", "rank"))
    return RunTable(query, item, ordering, origin.source, value in ("score", "distance"), queries, reading)


def _read(origin: Origin, query: pl.Series, item: pl.Series) -> Reading | None:
    """How these rows were read, with what looks odd about their ids."""
    if origin.reading is None:
        return None
    notes = dict(origin.reading.notes)
    for role, column in (("query", query), ("item", item)):
        if column.dtype == pl.String and (padded := _id_with_spaces(column)) is not None:
            notes[f"blanks {role}"] = said("ids_with_blanks", source=origin.source, role=role, example=repr(padded))
    return replace(origin.reading, rows=len(query), notes=notes)


def _id_with_spaces(column: pl.Series) -> str | None:
    """An id with spaces around it or, among the first ones, with other white space, which takes longer to look for."""
    first = column.head(LOOKED_AT)
    for odd in (
        first.filter(first != first.str.strip_chars()),
        column.filter(column.str.starts_with(" ") | column.str.ends_with(" ")),
    ):
        if len(odd):
            return str(odd[0])
    return None


def _with_empty(query: pl.Series, raw: Columns, origin: Origin) -> tuple[pl.Series, pl.Series | None]:
    """The queries of the rows and, where some query has no row, every query; both of one type."""
    rows = raw["query"]
    if not isinstance(rows, GroupedQueries) or not rows.has_empty:
        return query, None
    of_groups = replace(origin, rows=None, lines=None)  # those are of the items, of which a group may have none
    every = _checked_ids("query", {"query": rows.groups}, of_groups).unique(maintain_order=True)
    return (query if query.dtype == every.dtype else query.cast(every.dtype)), every


def _positions_in_query(query: pl.Series) -> pl.Series:
    """The position of each row within its query, from 1."""
    stretches = query.rle().struct
    lengths = stretches.field("len").to_numpy()
    if stretches.field("value").n_unique() == len(lengths):  # each query in one stretch, as usual: much faster
        starts = np.cumsum(lengths, dtype=np.int64) - lengths
        return pl.Series(np.arange(1, len(query) + 1) - np.repeat(starts, lengths))
    position = pl.int_range(1, pl.len() + 1).over(pl.first())
    return query.to_frame().select(position).to_series()


def _check_not_empty(raw: Columns, origin: Origin) -> None:
    rows = raw["query"]
    if not len(rows) and not (isinstance(rows, GroupedQueries) and rows.groups):
        raise EmptyInputError.of("inputs.no_rows", source=origin.source)


def id_column(column: pl.Series, role: str, origin: Origin) -> pl.Series:
    """Check one column of ids: text or whole numbers, none missing."""
    return _checked_ids(cast("Role", role), {cast("Role", role): column}, origin)


def _checked_ids(role: Role, raw: Columns, origin: Origin) -> pl.Series:
    """Ids as String, Int64 or UInt64; anything that cannot be one exactly is refused."""
    column = raw[role]
    if isinstance(column, list) or column.dtype == pl.Object:
        column = _ids_of_objects(role, list(column), raw, origin)
    column = stored(column)
    if (text := ids_as_text(column)) is not None:
        column = text
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
    note = said("inputs.ids_missing", count=int(missing.sum())) if missing.any() else ""
    shown = examples(column.filter(~missing).head(3).to_list())
    return InputError.of("inputs.float_ids", source=origin.source, role=role, examples=shown, missing=note)


def _ids_of_objects(role: Role, values: list[object], raw: Columns, origin: Origin) -> pl.Series:
    """Python objects as ids: all text, all whole numbers, or, where both occur, everything as text."""
    kinds = set(map(type, values))
    surrogates = [row for row, v in enumerate(values) if isinstance(v, str) and not is_text(v)]
    if surrogates:
        fact = said("inputs.surrogate", role=role, value=spelled(values[surrogates[0]]))
        raise origin.blame(fact, surrogates, {})
    if kinds <= {str, type(None)}:
        return pl.Series(values, dtype=pl.String)
    clean = [None if is_missing(v) or (isinstance(v, np.datetime64) and is_no_time(v)) else v for v in values]
    if any(map(has_text, kinds)):
        clean = [plain_id(v) if has_text(type(v)) else v for v in clean]
    wrong = [row for row, v in enumerate(clean) if v is not None and not is_id_type(type(v))]
    if wrong:
        value = clean[wrong[0]]
        fact = said("inputs.not_an_id", role=role, value=spelled(value), type=type(value).__name__)
        raise origin.blame(fact, wrong, raw, said("inputs.ids_first"))
    if not any(isinstance(v, str) for v in clean):
        try:
            return pl.Series([None if v is None else int(v) for v in clean])  # type: ignore[call-overload]
        except (TypeError, OverflowError):  # beyond 64 bits, or a mix of negative and very large
            pass
    return pl.Series([None if v is None else str(plain_id(v)) for v in clean], dtype=pl.String)


def _numbers(role: Role, raw: Columns, origin: Origin) -> pl.Series:
    """Scores, ranks or grades, whole or Float64; none is NaN, only a score infinite, only a grade a truth value."""
    column = raw[role]
    if isinstance(column, list) or column.dtype == pl.Object:
        column = _numbers_of_objects(role, list(column), raw, origin)
    column = stored(column)
    dtype = column.dtype
    if not (dtype.is_numeric() or dtype == pl.Null or (dtype == pl.Boolean and role == "grade")):
        shown = examples(map(repr, column.head(3).to_list()))
        raise InputError.of("inputs.not_numeric", source=origin.source, role=role, type=str(dtype), examples=shown)
    if column.null_count():
        raise origin.blame(said("inputs.is_missing", role=role), column.is_null().arg_true().to_list(), raw)
    is_plain = dtype.is_integer() and dtype not in (pl.Int128, pl.UInt128)
    numbers = column if is_plain else column.cast(pl.Float64)
    if not len(column):
        return numbers.cast(pl.Float64)
    is_small = is_plain and highest(numbers.to_numpy()) < EXACT_WHOLE_NUMBERS
    if is_small:
        pass  # which most columns are: neither negative nor rounded
    elif dtype.is_integer() or dtype.is_decimal():
        _check_exact(role, column, raw, origin)
    elif (nan := numbers.is_nan()).any():
        raise origin.blame(said("inputs.is_nan", role=role), nan.arg_true().to_list(), raw)
    elif role not in ("score", "distance") and (infinite := numbers.is_infinite()).any():
        raise origin.blame(said("inputs.is_infinite", role=role), infinite.arg_true().to_list(), raw)
    if role == "rank" and not is_small:
        _check_ranks(numbers, raw, origin, are_whole=dtype.is_integer())
    return numbers


def _check_ranks(ranks: pl.Series, raw: Columns, origin: Origin, *, are_whole: bool) -> None:
    """Refuse what no rank can be: a column called rank may hold scores (ts_rank of PostgreSQL), highest first."""
    if are_whole and cast("int", ranks.min()) >= 0:
        return
    odd = ranks < 0 if are_whole else (ranks < 0) | (ranks != ranks.floor())
    if odd.any():
        rows = odd.arg_true().to_list()
        column = (origin.reading and origin.reading.columns.get("rank")) or "rank"
        hint = said("inputs.rank_may_be", higher=say_columns("score", column), lower=say_columns("distance", column))
        raise origin.blame(said("inputs.not_a_rank", value=f"{ranks[rows[0]]:g}"), rows, raw, hint)


def _check_exact(role: Role, whole: pl.Series, raw: Columns, origin: Origin) -> None:
    """Refuse numbers that float64 would round: two different scores would become a tie."""
    is_small = whole.min() > -EXACT_WHOLE_NUMBERS and whole.max() < EXACT_WHOLE_NUMBERS  # type: ignore[operator]  # there are rows
    if whole.dtype.is_decimal():
        if not is_small or whole.n_unique() != whole.cast(pl.Float64).n_unique():
            _numbers_of_objects(role, whole.to_list(), raw, origin)
    elif is_small:
        return
    elif rounded := (whole.cast(pl.Float64).cast(pl.Int128) != whole.cast(pl.Int128)).arg_true().to_list():
        raise _would_be_rounded(role, whole[rounded[0]], rounded, raw, origin)


def _would_be_rounded(role: Role, value: object, rows: Sequence[int], raw: Columns, origin: Origin) -> InputError:
    fact = said("inputs.would_be_rounded", role=role, value=str(value))
    return origin.blame(fact, rows, raw, said("inputs.make_smaller", role=role))


def _numbers_of_objects(role: Role, values: list[object], raw: Columns, origin: Origin) -> pl.Series:
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
    wrong = [
        row
        for row, v in enumerate(clean)
        if v is not None and not (is_number(v) and (role == "grade" or not isinstance(v, bool)))
    ]
    if wrong:
        value = values[wrong[0]]
        hint = said("inputs.plain_numbers") if isinstance(value, str) and reads_as_number(value) else ""
        raise origin.blame(said("inputs.not_a_number", role=role, value=spelled(value)), wrong, raw, hint)
    rounded = [row for row, v in enumerate(clean) if v is not None and is_rounded(v)]
    if rounded:
        raise _would_be_rounded(role, clean[rounded[0]], rounded, raw, origin)
    if (pair := merged(clean)) is not None:
        raise InputError.of("inputs.become_one", source=origin.source, role=role, first=pair[0], second=pair[1])
    return pl.Series([None if v is None else float(v) for v in clean], dtype=pl.Float64)  # type: ignore[arg-type]


def holds_lists(column: RawColumn) -> bool:
    """Whether the first value of a column that is there is a list."""
    if not isinstance(column, list) and column.dtype not in (pl.String, pl.Object):
        return isinstance(column.dtype, (pl.List, pl.Array))
    return is_list(next((value for value in chain(column[:1], column) if not is_missing(value)), None))


def in_rows(raw: Columns, origin: Origin, before: set[object]) -> tuple[Columns, Origin]:
    """A row per item where the items of each row are a list; everything else as it is.

    ``before`` are the queries whose lists were taken apart already, which nothing but their order ranks.
    """
    if "item" not in raw or not holds_lists(raw["item"]):
        return raw, origin
    items, sizes = _flattened("item", raw, origin)
    rows = np.repeat(np.arange(len(sizes)), sizes)
    apart: dict[Role, RawColumn] = {"item": items}
    for role, column in raw.items():
        if role == "query":
            apart[role] = GroupedQueries(list(column), sizes) if 0 in sizes else _taken(column, rows)
        elif role != "item" and holds_lists(column):
            apart[role], other = _flattened(role, raw, origin)
            if wrong := [row for row, (size, its) in enumerate(zip(sizes, other, strict=True)) if size != its]:
                fact = said("inputs.unequal_lists", role=role, count=other[wrong[0]], items=sizes[wrong[0]])
                raise origin.blame(fact, wrong, {"query": raw["query"]})
        elif role in RANKING:
            raise InputError.of("inputs.one_for_a_list", source=origin.source, role=role)
        elif role != "item":
            apart[role] = _taken(column, rows)
    if origin.reading is not None and origin.reading.order == "lists":
        _check_one_list(raw["query"], origin, before)
    lines = None if origin.lines is None else [origin.lines[row] for row in rows.tolist()]
    return apart, replace(origin, rows=rows, lines=lines)


def _taken(column: RawColumn, rows: npt.NDArray[np.intp]) -> RawColumn:
    return [column[row] for row in rows.tolist()] if isinstance(column, list) else column.gather(rows)


def _check_one_list(queries: RawColumn, origin: Origin, before: set[object]) -> None:
    """Refuse a second list of a query: nothing says which of the two comes first."""
    again = []
    for row, query in enumerate(queries):
        if query in before:
            again.append(row)
        before.add(query)
    if again:
        raise origin.blame(said("inputs.second_list"), again, {"query": queries})


def _flattened(role: Role, raw: Columns, origin: Origin) -> tuple[RawColumn, list[int]]:
    """All values of a column of lists, one after another, and how many each row has."""
    column = raw[role]
    if not isinstance(column, list) and isinstance(column.dtype, (pl.List, pl.Array)):
        column = column.arr.to_list() if isinstance(column.dtype, pl.Array) else column
        if column.null_count():
            raise origin.blame(said("inputs.is_missing", role=role), column.is_null().arg_true().to_list(), raw)
        sizes = column.list.len()
        return column.filter(sizes > 0).explode(empty_as_null=False), sizes.to_list()
    ordered = origin.reading is not None and origin.reading.order == "lists"
    lists = [None if ordered and isinstance(value, (set, frozenset)) else list_of(value) for value in column]
    wrong = [row for row, values in enumerate(lists) if values is None]
    if wrong:
        value = column[wrong[0]]
        fact = said("inputs.is_missing", role=role) if is_missing(value) else said(
            "inputs.not_a_list", role=role, value=spelled(value)
        )  # fmt: skip
        raise origin.blame(fact, wrong, raw)
    listed = cast("list[Sequence[object]]", lists)
    return list(chain.from_iterable(listed)), list(map(len, listed))
