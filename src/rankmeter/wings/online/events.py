"""Events in: one row per event, from any frame or file, as one lazy table with known columns.

The columns of the table: ``time`` (microseconds since 1970, UTC), ``user``, ``type`` (the log's own word; ``kinds``
says which kind of event it stands for), and where the log has them ``session``, ``request``, ``query``, ``item``,
``position``, ``value``, ``variant``, ``segment``, ``id``. Nothing is dropped here: what is missing or wrong is counted
where the events are counted.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice, product
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from rankmeter.errors import EmptyInputError, InputError, check_choice, did_you_mean, examples, reason_of
from rankmeter.inputs.cells import LOOKED_AT, NULLS, is_missing
from rankmeter.inputs.columns import check_doubled, no_named_column
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.formats import recognise
from rankmeter.inputs.frames import OpenedFrame, is_frame, kind_of_frame, scan
from rankmeter.inputs.json_tables import parse_json
from rankmeter.inputs.shards import Files, files_of_path
from rankmeter.late import pl, polars_faults
from rankmeter.wings.loading import source_of
from rankmeter.wings.online.event_columns import (
    Times,
    at_path,
    check_names,
    find_event_columns,
    flags_set,
    times_of,
    unused_columns,
)
from rankmeter.wording import Said, chinese, said

_DIGITS = 18
"""Of the largest whole numbers that every column holds."""
_PLACES = 38
"""Of the longest decimals that a column holds."""

OTHER, IMPRESSION, CLICK, CONVERSION = range(4)
KINDS = ("other", "impression", "click", "conversion")

TYPES: dict[str, tuple[str, ...]] = {
    "impression": (
        *("impression", "impressions", "imp", "view", "viewed", "show", "shown", "display", "displayed", "served"),
        *("exposure", "item_impression", "search_result_impression", "view_item_list", "view_search_results"),
        *chinese.TYPES["impression"],
    ),
    "click": (
        *("click", "clicks", "clicked", "select", "select_item", "tap", "item_click", "result_click", "product_click"),
        *("search_result_click", *chinese.TYPES["click"]),
    ),
    "conversion": (
        *("conversion", "conversions", "converted", "purchase", "purchased", "order", "buy", "bought", "transaction"),
        *("checkout_complete", "complete_purchase", *chinese.TYPES["conversion"]),
    ),
}
"""The words that logs use for each kind of event; any other word is an event of no special kind."""

_ENDINGS = {".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_ENDINGS |= {".pq": "parquet", ".arrow": "ipc", ".ipc": "ipc", ".feather": "ipc"}

_IDS = ("user", "session", "request", "item", "id")
"""Roles whose values are told apart, and nothing else."""

FIELDS = ("session", "request", "query", "item", "position", "value", "variant", "segment", "id")


class DistantRows(Protocol):
    """The rows of a log in a cluster."""

    order: str
    """The column that says where in the log a row stood."""

    def worked(self, work: Callable[[Iterator[pl.DataFrame]], Iterable[Any]], *, dealt: bool = False) -> list[Any]:
        """What the work, done there, makes of the rows of each part; ``dealt``: all rows of a user are in one part."""


@dataclass(frozen=True, slots=True)
class Events:
    """A log, ready to be counted."""

    rows: pl.LazyFrame
    columns: Mapping[str, str]
    """Which column of the source each role was found in."""
    kinds: Mapping[str, str]
    """Which word of the log stands for which kind of event; words that are not here are ``other``."""
    layout: str
    source: str
    notes: tuple[Said, ...] = ()
    """What was decided about the log as a whole: the unit of its times, where positions begin."""
    time_unit: str = ""
    """Where times are numbers, what they count: s, ms, us or ns."""
    covariates: tuple[str, ...] = ()
    """Columns of numbers known of each user beforehand: ``covariate 0``, ``covariate 1``, ... of the rows."""
    flags: Mapping[str, str] = field(default_factory=dict)
    """Columns that nothing was read from and that say of rows that an event of this kind followed, by kind."""
    unused: tuple[str, ...] = ()
    """Columns of which nothing was read; those of known layouts are not listed."""
    elsewhere: DistantRows | None = None
    """Where the log is, if it is not here: ``rows`` are then the first ones only."""

    def has(self, role: str) -> bool:
        """Whether the log has a column for this role."""
        return role in self.columns


def read_events(
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    types: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
    covariates: Sequence[str] = (),
) -> Events:
    """Read a log of events.

    Parameters
    ----------
    source
        A frame of any library, of which one of Spark stays in the cluster; a list of records; or a file: Parquet,
        CSV, TSV, JSON, JSON lines or Arrow IPC, compressed or not; a folder or a pattern (``log/*.parquet``) of files
        of one kind; ``-`` for standard input.
    columns
        Where columns have unusual names: ``{"user": "visitor"}``; a dotted name reaches into nested records.
    types
        Which words of the log stand for which kind: ``{"conversion": ["signup", "order"]}``. They are added to the
        usual words; a word named here leaves the kind that it usually has.
    format
        ``csv``, ``tsv``, ``json``, ``jsonl``, ``parquet`` or ``ipc``, where the content cannot tell.
    covariates
        Columns of numbers that were known of each user beforehand.

    Examples
    --------
    >>> from rankmeter.online import read_events
    >>> events = read_events([{"ts": 0, "user_id": "u", "event": "click"}])
    >>> dict(events.columns)
    {'time': 'ts', 'user': 'user_id', 'type': 'event'}
    """
    if isinstance(source, Events):
        return source
    columns = check_names("columns", columns, 'columns={"user": "visitor"}')
    types = check_names("types", types, 'types={"conversion": ["signup", "order"]}')
    distant = source_of(source)
    opened = Opened(*distant.sample(source)) if distant else _open(source, format)
    frame, name = opened.frame, opened.name
    schema = frame.collect_schema()
    roles, layout = find_event_columns(schema, columns, name)
    opened.check_ids(schema, roles)
    if distant:
        frame = distant.times(source, frame, roles["time"])
    nested = (roles, dict(columns)) if layout == "ga4" else None
    flat, roles = _flat_ga4(frame, schema, *nested) if nested else (frame, roles)
    schema = flat.collect_schema()
    _check_plain(flat, schema, roles, name)
    for column in covariates:
        if column not in schema:
            raise no_named_column("covariate", column, schema.names(), name)
    try:
        times = times_of(flat, schema, roles["time"], name)
    except pl.exceptions.PolarsError as error:
        raise unreadable(name, error) from error
    arrange = Arrangement(roles, nested, times, tuple(covariates))
    elsewhere = distant.DistantRows(source, roles["user"], arrange) if distant else None
    notes = (*opened.notes, *times.notes)
    flags = flags_set(flat, schema, roles)
    kinds = kinds_of(types)
    unused = unused_columns(schema, roles, covariates, layout)
    return Events(
        arrange(frame), roles, kinds, layout, name, notes, times.unit, tuple(covariates), flags, unused, elsewhere
    )


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the columns of a log become those of :class:`Events`; it travels to where the log is."""

    found: Mapping[str, str]
    nested: tuple[Mapping[str, str], Mapping[str, str]] | None
    """For a nested export of GA4, the columns as they were before it was flat, and those that the caller named."""
    times: Times
    covariates: tuple[str, ...]

    def __call__(self, frame: pl.LazyFrame, beside: Sequence[str] = ()) -> pl.LazyFrame:
        """The columns of all roles, and some that stay as they are."""
        if self.nested is not None:
            frame, _ = _flat_ga4(frame, frame.collect_schema(), *self.nested)
        schema, roles = frame.collect_schema(), self.found
        chosen = [*self.times.columns, at_path(schema, roles["type"]).cast(pl.String).alias("type")]
        chosen += [
            _field(role, at_path(schema, roles[role]), schema.get(roles[role]))
            for role in ("user", *FIELDS)
            if role in roles
        ]
        for number, column in enumerate(self.covariates):
            known = pl.col(column).cast(pl.Float64, strict=False)
            chosen.append(pl.when(known.is_finite()).then(known).alias(f"covariate {number}"))
        return frame.select(*chosen, *beside)


def _check_plain(frame: pl.LazyFrame, schema: pl.Schema, roles: Mapping[str, str], name: str) -> None:
    """Refuse columns with several values in a row where one is meant."""
    for role in (role for role in ("user", "type", *FIELDS) if role in roles):
        dtype = frame.select(at_path(schema, roles[role])).collect_schema().dtypes()[0]
        if isinstance(dtype, (pl.List, pl.Array, pl.Object, pl.Struct)):
            raise InputError.of("online.column_not_plain", source=name, role=role, column=roles[role], dtype=str(dtype))


def open_table(source: object, name: str) -> pl.DataFrame:
    """Any frame, list of records or file as a Polars table, its columns as they are."""
    try:
        return _open(source, None).frame.collect()
    except pl.exceptions.PolarsError as error:
        raise InputError.of("online.cannot_be_read", source=name, why=reason_of(error)) from error


def kinds_of(types: Mapping[str, str | Sequence[str]] | None) -> dict[str, str]:
    """The kind that each word stands for, the caller's words over the usual ones."""
    words = {word: kind for kind, usual in TYPES.items() for word in usual}
    for kind, stated in (types or {}).items():
        check_choice("types", kind, KINDS)
        for word in [stated] if isinstance(stated, str) else stated:
            words[word.casefold()] = kind
    return words


@dataclass(frozen=True, slots=True)
class Opened:
    """A table as it is."""

    frame: pl.LazyFrame
    name: str
    """How messages call it."""
    notes: tuple[Said, ...] = ()
    """What is said of the choice of its files."""
    kind: str = ""
    """The format of its files."""
    contents: tuple[Path | bytes, ...] = ()
    """Its files; the bytes of those that are compressed or standard input."""

    def check_ids(self, schema: pl.Schema, roles: Mapping[str, str]) -> None:
        """Refuse ids that Polars would make one, as 1 and "1" under the same key of JSON lines: all becomes text."""
        if self.kind != "jsonl":
            return
        ids = {roles[role] for role in _IDS if role in roles and schema.get(roles[role]) == pl.String}
        for content, key in product(self.contents, sorted(column.rpartition(".")[2] for column in ids)):
            if (both := _number_and_text(content, json.dumps(key, ensure_ascii=False).encode())) is not None:
                raise InputError.of("online.number_and_text", source=self.name, column=key, value=both)


def _number_and_text(content: Path | bytes, key: bytes) -> str | None:
    """What stands under a key as a number, or as true or false, and as a text as well."""
    if isinstance(content, Path):
        with content.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
            return _number_and_text(mapped, key)  # type: ignore[arg-type]
    bare = re.compile(re.escape(key) + rb"\s*:\s*(-?[0-9][^,}\s]*|true|false)")
    if bare.search(content) is None:
        return None
    numbers = {_as_polars_writes(match[1]) for match in bare.finditer(content)}
    texts = re.finditer(re.escape(key) + rb'\s*:\s*"([^"\\]*)"', content)
    return next((text for match in texts if (text := match[1].decode("utf-8", "replace")) in numbers), None)


def _as_polars_writes(number: bytes) -> str:
    """A bare word of JSON as text: 1.0 is 1."""
    try:
        value = float(number)
    except ValueError:
        return number.decode("utf-8", "replace")
    return str(int(value)) if value.is_integer() else number.decode()


def _open(source: object, format: str | None) -> Opened:
    """The table as it is, lazy where that is possible."""
    if isinstance(source, (list, tuple)):
        return Opened(_records(source, "events (records)"), "events (records)")
    if isinstance(source, (str, os.PathLike)):
        return _open_all(os.fspath(source), format)
    if is_frame(source):
        name = f"events ({kind_of_frame(source)})"
        is_polars = isinstance(source, (pl.DataFrame, pl.LazyFrame))
        return Opened(source.lazy() if is_polars else _foreign(source, name), name)  # type: ignore[attr-defined]
    raise InputError.of("online.events_type", type=type(source).__name__)


def _records(records: Sequence[Any], name: str) -> pl.LazyFrame:
    kinds: dict[str, set[type]] = {}
    for record in records:
        for column, value in record.items() if isinstance(record, Mapping) else ():
            kinds.setdefault(column, set()).add(type(value))
    for column in [column for column, of_column in kinds.items() if str in of_column and len(of_column) > 1]:
        values = {(type(value := record.get(column)) is str, _text(value)) for record in records}
        for both in sorted(text for is_text, text in values if is_text and (False, text) in values)[:1]:
            raise InputError.of("online.number_and_text", source=name, column=column, value=both)
    if any(issubclass(kind, (Decimal, UUID)) or kind.__name__ in NULLS for of in kinds.values() for kind in of):
        exact = {column: _held([record.get(column) for record in records]) for column in kinds}
        records = [{column: exact[column](value) for column, value in record.items()} for record in records]
    try:
        return pl.DataFrame(records, infer_schema_length=None).lazy()
    except polars_faults(OverflowError, RuntimeError, AttributeError) as error:
        raise InputError.of("online.make_no_table", source=name, why=reason_of(error)) from error


def _text(value: object) -> str:
    """What becomes of a value in a column of texts."""
    return _as_polars_writes(json.dumps(value).encode()) if isinstance(value, (bool, int, float)) else str(value)


def _foreign(frame: object, name: str) -> pl.LazyFrame:
    columns: list[pl.Series] = []
    for column, values in OpenedFrame(frame, name).every().items():
        try:
            columns.append(
                values.alias(column) if isinstance(values, pl.Series) else pl.Series(column, map(_held(values), values))
            )
        # A column of numbers and texts, or of numbers too large.
        except polars_faults(OverflowError, RuntimeError) as error:
            hint = said("online.one_type_a_column")
            raise InputError.of("online.make_no_table", source=name, why=reason_of(error), hint=hint) from error
    return pl.LazyFrame(columns)


def _held(values: Iterable[object]) -> Callable[[object], object]:
    """How the values of a column become those of Polars: decimals as they are where a column of decimals holds all."""
    there = [value for value in values if not is_missing(value)]
    decimals = [value for value in there if isinstance(value, Decimal) and value.is_finite()]
    if not decimals or len(decimals) < len(there) or any(abs(value.adjusted()) >= _DIGITS for value in decimals):
        return _plain
    fraction = max(0, *(-int(value.as_tuple().exponent) for value in decimals))
    if max(value.adjusted() for value in decimals) + 1 + fraction > _PLACES:
        return _plain
    return lambda value: None if is_missing(value) else value


def _plain(value: object) -> object:
    """A value as Polars takes it: ids that have a text as text, decimals as numbers, nothing for what is missing."""
    if isinstance(value, Decimal):
        whole = value.is_finite() and value.adjusted() < _DIGITS and value == value.to_integral_value()
        return int(value) if whole else float("nan") if value.is_nan() else float(value)
    if isinstance(value, UUID):
        return str(value)
    return None if is_missing(value) else value


def unreadable(name: str, error: Exception) -> InputError:
    """The error for a file that turned out broken while it was read."""
    return InputError.of("online.not_read_to_its_end", source=name, why=reason_of(error))


def _open_all(path: str, format: str | None) -> Opened:
    """A file, or those of a folder or a pattern, which are of one kind."""
    known = sorted(set(_ENDINGS.values()))
    if format is not None and format not in known:
        hint = did_you_mean(format, known)
        raise InputError.of("inputs.unknown_format", format=f"{format!r}", names=known, hint=hint)
    files = files_of_path(path) if path else Files((path,))
    if files.paths == (path,):
        return _open_file(path, format)
    parts: list[Opened] = []
    empty: list[EmptyInputError] = []
    with files.reading():
        for file in files.paths:
            try:
                parts.append(_open_file(file, format))
            except EmptyInputError as error:  # as partitions of a cluster may be
                empty.append(error)
        if not parts:
            raise empty[0]
    kinds = list(dict.fromkeys(part.kind for part in parts))
    if len(kinds) > 1:
        first = [next(part.name for part in parts if part.kind == kind) for kind in kinds]
        raise InputError.of("online.files_of_several_kinds", source=path, files=examples(first))
    contents = tuple(content for part in parts for content in part.contents)
    try:
        paths = [content for content in contents if isinstance(content, Path)]
        if kinds == ["parquet"] and len(paths) == len(contents):
            # Polars reads what is said by the names of folders, too (day=1/part.parquet).
            frame = pl.scan_parquet(paths, hive_partitioning=any("=" in str(file) for file in paths))
        else:
            frame = pl.concat([part.frame for part in parts])
        frame.collect_schema()
    except polars_faults() as error:
        raise InputError.of("online.cannot_be_read", source=path, why=reason_of(error)) from error
    return Opened(frame, path, tuple(files.notes.values()), kinds[0], contents)


def _open_file(path: str, format: str | None) -> Opened:
    name = Path(path).name or path
    with open_source(path) as opened:
        if not opened.head:
            raise EmptyInputError.of("online.file_without_events", source=name)
        kind = format or _ENDINGS.get(Path(path).suffix.lower()) or recognise(opened.head, name)
        if kind in ("qrels", "run"):
            raise InputError.of("online.not_a_log", source=name)
        content: Any = opened.content()
        try:
            frame = _scan(content, kind, name)
            frame.collect_schema()
        except InputError:
            raise
        except polars_faults() as error:
            raise InputError.of("online.cannot_be_read_as", source=name, format=kind, why=reason_of(error)) from error
    return Opened(frame, name, (), kind, (content,))


def _scan(content: Path | bytes, kind: str, name: str) -> pl.LazyFrame:
    if kind in ("parquet", "ipc"):
        return scan(content, kind, name)
    if kind == "jsonl":
        _check_keys(content, name)
        return pl.scan_ndjson(content, infer_schema_length=10_000)
    if kind == "json":
        # Polars would turn whole numbers of more than 64 bits into floats.
        records: Any = parse_json(content.read_bytes() if isinstance(content, Path) else content, name)
        return _records(records if isinstance(records, list) else [records], name)
    # Ids stay text, so that 007 and 7 are two users; numbers are made where numbers are needed.
    separator = "," if kind == "csv" else "\t"
    table = pl.scan_csv(content, separator=separator, infer_schema=False)
    check_doubled(table.collect_schema().names(), name)
    return table


def _check_keys(content: Path | bytes, name: str) -> None:
    """Refuse a key that stands twice in one of the first records, of which Polars keeps one without a word."""
    with content.open("rb") if isinstance(content, Path) else io.BytesIO(content) as lines:
        for number, line in enumerate(islice(lines, LOOKED_AT), start=1):
            if line.strip():
                parse_json(line, name, number)


def _field(role: str, column: pl.Expr, dtype: pl.DataType | None) -> pl.Expr:
    if role == "position" and dtype is not None and dtype.is_integer():
        return column.alias(role)
    if role in ("position", "value"):
        column = column.cast(pl.Float64, strict=False)
    elif dtype is not None and dtype.is_float():
        column = column.fill_nan(None)
    elif dtype == pl.String:
        column = pl.when(column != "").then(column)  # an empty name counts as missing
    if role in ("variant", "segment"):
        column = column.cast(pl.String)
    return column.alias(role)


def _flat_ga4(
    frame: pl.LazyFrame, schema: pl.Schema, roles: Mapping[str, str], given: Mapping[str, str]
) -> tuple[pl.LazyFrame, dict[str, str]]:
    """Take the nested parts of a GA4 export apart: a row per item, the session id out of the parameters."""
    roles = dict(roles)
    params = schema.get("event_params")
    if "session" not in roles and isinstance(params, pl.List):
        pair = pl.col("event_params").list.eval(
            pl.when(pl.element().struct.field("key") == "ga_session_id").then(
                pl.element().struct.field("value").struct.field("int_value")
            )
        )
        frame = frame.with_columns(pair.list.drop_nulls().list.first().alias("ga_session_id"))
        roles["session"] = "ga_session_id"
    items = schema.get("items")
    if isinstance(items, pl.List) and "item" not in given:
        inner = {field.name for field in items.inner.fields} if isinstance(items.inner, pl.Struct) else set()
        # An event without items stays one row.
        frame = frame.with_columns(pl.when(pl.col("items").list.len() > 0).then(pl.col("items")))
        frame = frame.explode("items", empty_as_null=True)
        of_item = pl.col("items").struct.field
        for role, name in (("item", "item_id"), ("position", "item_list_index")):
            if name in inner and role not in given:
                frame = frame.with_columns(of_item(name).alias(f"items.{name}"))
                roles[role] = f"items.{name}"
        if "price" in inner and "value" not in given:
            paid = of_item("price").cast(pl.Float64, strict=False)
            if "quantity" in inner:
                paid = paid * of_item("quantity").cast(pl.Float64, strict=False).fill_null(1.0)
            frame = frame.with_columns(paid.alias("items.value"))
            roles["value"] = "items.value"
    return frame, roles
