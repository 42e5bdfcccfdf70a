"""Interactions of any kind, as arrays: who took what, when, how much, in which session.

Ids become codes in the order of the ids, and ids that are written as whole numbers are numbers, so that the same rows
give the same arrays by every way in. All columns of the input stay where they are and are fetched when a part is.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rankmeter.errors import EmptyInputError, InputError, reason_of
from rankmeter.frozen import dataclass
from rankmeter.inputs.attributes import find_roles
from rankmeter.inputs.cells import RawColumn, is_missing
from rankmeter.inputs.checked_tables import id_column
from rankmeter.inputs.columns import USUAL_NAMES, check_doubled
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.formats import check_format, recognise
from rankmeter.inputs.frames import OpenedFrame, as_frame, is_frame, kind_of_frame, scan
from rankmeter.inputs.reading import Origin
from rankmeter.inputs.shards import Files, files_of_path
from rankmeter.late import Late, pl, polars_faults
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.protocol.clock import Clock, read_times
from rankmeter.wording import chinese

ROLES: Mapping[str, tuple[str, ...]] = {
    "user": (
        *("user", "user_id", "uid", "userid", "customer_id", "visitor_id", "client_id", "member_id", "reviewer_id"),
        *chinese.EVENT_COLUMNS["user"],
    ),
    "item": (*USUAL_NAMES["item"], *("business_id", "object_id", "content_id", "sku")),
    "time": (
        *("time", "timestamp", "ts", "event_time", "event_timestamp", "datetime", "date_time", "created_at", "date"),
        *("unix_time", "unixtime", "day", *chinese.EVENT_COLUMNS["time"]),
    ),
    "rating": ("rating", "ratings", "stars", "score", "weight", "label", "评分"),
    "session": ("session", "session_id", "sessionid", "sid", "visit_id", *chinese.EVENT_COLUMNS["session"]),
}
"""The usual names of each column, the most usual first."""
MOVIELENS = ("user", "item", "rating", "time")
"""The columns of a text of four fields without a header, as MovieLens has them."""


@dataclass(frozen=True, slots=True)
class CodedIds:
    """Ids as whole numbers from 0, in the order of the ids."""

    codes: Ints
    count: int
    """One more than the largest code can be; not every code need occur."""
    first: int = 0
    """The id of code 0, where ids are numbers without large gaps."""
    ids: pl.Series | None = None
    """The ids by code, where they are anything else."""

    def id_of(self, codes: Any) -> list[Any]:
        """The ids of some codes."""
        listed = np.asarray(codes)
        return [int(code) + self.first for code in listed] if self.ids is None else self.ids.gather(listed).to_list()

    def take(self, rows: Any) -> CodedIds:
        """The ids of some rows."""
        return replace(self, codes=self.codes[rows])


class Interactions:
    """A table of interactions, ready to be split; each column is coded when it is first looked at."""

    def __init__(
        self, rows: int, user: Late[CodedIds], item: Late[CodedIds], when: Late[tuple[Ints, Clock] | None],
        rating: Late[Floats | None], session: Late[CodedIds | None],
    ) -> None:  # fmt: skip
        self._rows, self._user, self._item, self._when, self._rating, self._session = (
            rows, user, item, when, rating, session,
        )  # fmt: skip

    def __len__(self) -> int:
        return self._rows

    @property
    def user(self) -> CodedIds:
        """Who."""
        return self._user.value

    @property
    def item(self) -> CodedIds:
        """What."""
        return self._item.value

    @property
    def time(self) -> Ints | None:
        """When, if that is known."""
        when = self._when.value
        return None if when is None else when[0]

    @property
    def clock(self) -> Clock | None:
        """What the times mean."""
        when = self._when.value
        return None if when is None else when[1]

    @property
    def rating(self) -> Floats | None:
        """How it was rated, if that is known."""
        return self._rating.value

    @property
    def session(self) -> CodedIds | None:
        """In which session, if that is known."""
        return self._session.value

    def take(self, rows: Any) -> Interactions:
        """Some rows, in the given order."""

        def when() -> tuple[Ints, Clock] | None:
            return None if self.time is None or self.clock is None else (self.time[rows], self.clock)

        return Interactions(
            len(rows),
            Late(lambda: self.user.take(rows)),
            Late(lambda: self.item.take(rows)),
            Late(when),
            Late(lambda: None if self.rating is None else self.rating[rows]),
            Late(lambda: None if self.session is None else self.session.take(rows)),
        )

    @property
    def times(self) -> Ints:
        """When each was; refuses to go on without."""
        if self.time is None:
            raise InputError.of("protocol.time_needed")
        return self.time

    @property
    def known_clock(self) -> Clock:
        """What the times mean; refuses to go on without."""
        if self.clock is None:
            raise InputError.of("protocol.time_needed")
        return self.clock


@dataclass(frozen=True, slots=True)
class Origins:
    """Where interactions came from."""

    source: str
    columns: Mapping[str, str]
    """The column of each role."""
    frame: pl.DataFrame | pl.LazyFrame
    """All rows and columns as they are, in memory or not."""
    files: tuple[str, ...] = ()


def read_interactions(
    data: object, *, columns: Mapping[str, str] | None = None, format: str | None = None
) -> tuple[Interactions, Origins]:
    """Read interactions from a frame of any library, a mapping of columns, or files."""
    check_format(format)
    frame: pl.DataFrame | pl.LazyFrame
    if isinstance(data, (str, os.PathLike, Files)):
        frame, source, files = _open_path(data, format)
    else:
        frame, source = _open_frame(data)
        files = ()
    lazy = frame.lazy()
    try:
        names = lazy.collect_schema().names()
    except polars_faults() as error:
        raise InputError.of("protocol.not_read", source=source, reason=reason_of(error)) from error
    roles = find_roles(names, ROLES, columns or {}, source, needed=("user", "item"))
    try:
        chosen = lazy.select(list(dict.fromkeys(roles.values()))).collect(engine="streaming")
    except polars_faults() as error:
        for file in files:
            _refuse_ragged(file, format)
        raise InputError.of("protocol.not_read", source=source, reason=reason_of(error)) from error
    if not chosen.height:
        raise EmptyInputError.of("protocol.no_rows", source=source)
    table = _coded(chosen, roles, source)
    for role in ("user", "item"):
        column = chosen[roles[role]]
        if column.null_count() or column.dtype.is_float():
            getattr(table, role)  # refuses what is missing now, though the strategy may never look at it
    return table, Origins(source, roles, frame, files)


def _coded(table: pl.DataFrame, roles: Mapping[str, str], source: str) -> Interactions:
    origin = Origin(source)

    def ids(role: str) -> CodedIds:
        return code(_ids(table[roles[role]], role, origin))

    def when() -> tuple[Ints, Clock] | None:
        return read_times(table[roles["time"]], source, roles["time"]) if "time" in roles else None

    return Interactions(
        table.height,
        Late(lambda: ids("user")),
        Late(lambda: ids("item")),
        Late(when),
        Late(lambda: _ratings(table[roles["rating"]]) if "rating" in roles else None),
        Late(lambda: ids("session") if "session" in roles else None),
    )


def _ids(column: pl.Series, role: str, origin: Origin) -> pl.Series:
    if column.dtype.is_float() and not column.null_count():  # pandas makes floats of whole numbers
        whole = column.cast(pl.Int64, strict=False)
        column = whole if not whole.null_count() and (whole == column).all() else column
    return id_column(column, role, origin)


def code(ids: pl.Series) -> CodedIds:
    """Ids as whole numbers, in their order.

    >>> code(pl.Series(["b", "a", "b"])).codes.tolist(), code(pl.Series(["-1", "-2"])).codes.tolist()
    ([1, 0, 1], [1, 0])
    """
    if ids.dtype == pl.String and (numbers := _as_numbers(ids)) is not None:
        ids = numbers
    if ids.dtype != pl.String:
        values = ids.to_numpy()
        low, high = int(values.min()), int(values.max())
        if low >= 0 and high < max(4 * len(ids), 1 << 16):
            return CodedIds(values.astype(np.int64, copy=False), high + 1)
        if high - low < max(4 * len(ids), 1 << 16):
            return CodedIds((values - values.dtype.type(low)).astype(np.int64, copy=False), high - low + 1, low)
        distinct = ids.unique().sort()
        return CodedIds(np.searchsorted(distinct.to_numpy(), values), len(distinct), ids=distinct)
    distinct = ids.unique().sort()
    codes = ids.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
    return CodedIds(codes, len(distinct), ids=distinct)


def _as_numbers(ids: pl.Series) -> pl.Series | None:
    """Ids of text as numbers, where each is a number as it is usually written: 7, not 007."""
    numbers = ids.cast(pl.Int64, strict=False)
    if numbers.null_count():
        return None
    is_usual = ids.str.len_bytes().sum() == numbers.cast(pl.String).str.len_bytes().sum()
    return numbers if is_usual else None


def _ratings(column: pl.Series) -> Floats | None:
    numbers = column.cast(pl.Float64, strict=False)
    return numbers.to_numpy() if not numbers.null_count() else numbers.fill_null(float("nan")).to_numpy()


def _open_frame(data: object) -> tuple[pl.DataFrame | pl.LazyFrame, str]:
    if isinstance(data, (pl.DataFrame, pl.LazyFrame)):
        return data, f"interactions ({kind_of_frame(data)})"
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], Mapping):
        data = {name: [row.get(name) for row in data] for name in dict.fromkeys(name for row in data for name in row)}
    if isinstance(data, Mapping) and data and all(isinstance(column, (list, tuple)) for column in data.values()):
        return _of_lists(data), "interactions (dict)"
    frame: Any = data if is_frame(data) else as_frame(data, "judgments")
    if frame is None:
        raise InputError.of("protocol.not_interactions", type=type(data).__name__)
    opened = OpenedFrame(frame, source := f"interactions ({kind_of_frame(frame)})")
    check_doubled(opened.names, source)
    if len(set(opened.names)) < len(opened.names):
        doubled = next(name for at, name in enumerate(opened.names) if name in opened.names[:at])
        raise InputError.of("inputs.doubled_column", source=source, column=doubled)
    taken = opened.take({name: name for name in opened.names})
    return pl.DataFrame([_series(name, column, source) for name, column in taken.items()]), source


def _of_lists(data: Mapping[Any, list[Any] | tuple[Any, ...]]) -> pl.DataFrame:
    """Columns that are lists."""
    if len({len(column) for column in data.values()}) > 1:
        lengths = [f"{name} {len(column):,}" for name, column in data.items()]
        raise InputError.of("protocol.uneven_columns", lengths=lengths)
    return pl.DataFrame([_series(str(name), list(column), "interactions (dict)") for name, column in data.items()])


def _series(name: str, column: RawColumn, source: str) -> pl.Series:
    """A column of any library; moments of different zones in UTC, those with and without one are not put in order."""
    if isinstance(column, pl.Series) and column.dtype != pl.Object:
        return column.alias(name)
    values = [None if is_missing(value) else value for value in column]
    zoned = {value.tzinfo is not None for value in values if isinstance(value, datetime)}
    if len(zoned) > 1:
        raise InputError.of("protocol.mixed_zones", source=source, column=name)
    if zoned == {True}:
        values = [value.astimezone(UTC) if isinstance(value, datetime) else value for value in values]
    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, [None if value is None else str(value) for value in values])


def _open_path(path: str | os.PathLike[str] | Files, format: str | None) -> tuple[pl.LazyFrame, str, tuple[str, ...]]:
    files = path if isinstance(path, Files) else files_of_path(os.fspath(path))
    with files.reading():
        frames = [_open_interactions(file, format) for file in files.paths]
    return (frames[0] if len(frames) == 1 else pl.concat(frames)), files.source, files.paths


def _open_interactions(path: str, format: str | None) -> pl.LazyFrame:
    with open_source(path) as source:
        if not source.head.strip():
            raise EmptyInputError.of("inputs.empty", source=source.name)
        kind = format or (
            "movielens" if b"::" in source.head.partition(b"\n")[0] else recognise(source.head, source.name)
        )
        content: Any = source.content()
    try:
        return _scanned(content, kind, source.head, source.name)
    except polars_faults() as error:
        raise InputError.of("protocol.not_read", source=path, reason=reason_of(error)) from error


def _scanned(content: Any, kind: str, head: bytes, name: str) -> pl.LazyFrame:
    """A file as a table; ids stay text, so that 007 and 7 are two users."""
    if kind in ("parquet", "ipc"):
        return scan(content, kind, name)
    if kind in ("json", "jsonl"):
        return pl.scan_ndjson(content, infer_schema_length=10_000) if kind == "jsonl" else pl.read_json(content).lazy()
    if kind == "movielens":
        text = content if isinstance(content, bytes) else content.read_bytes()
        return _headless(text.replace(b"::", b"\t"), "\t")
    if kind in ("qrels", "trec"):
        return _headless(content, "\t" if b"\t" in head.partition(b"\n")[0] else " ")
    return pl.scan_csv(content, separator="\t" if kind == "tsv" else ",", infer_schema=False)


def _refuse_ragged(path: str, format: str | None) -> None:
    """Name the first row of separated values with more fields than the header has."""
    with open_source(path) as source:
        kind = format or recognise(source.head, source.name)
        if kind not in ("csv", "tsv"):
            return
        content: Any = source.content()
    data = content if isinstance(content, bytes) else content.read_bytes()
    lines = csv.reader(io.StringIO(data.decode("utf-8-sig", "replace")), delimiter="\t" if kind == "tsv" else ",")
    width = len(next(lines))
    for row in lines:
        if len(row) > width:
            raise InputError.of("protocol.ragged", source=path, line=lines.line_num, count=len(row), width=width)


def _headless(content: Any, separator: str) -> pl.LazyFrame:
    return pl.scan_csv(content, separator=separator, has_header=False, new_columns=list(MOVIELENS), infer_schema=False)


def distinct_rows(first: Sequence[int] | Ints, second: Ints, count: int) -> Ints:
    """One number for each pair of codes."""
    return np.asarray(first) * count + second
