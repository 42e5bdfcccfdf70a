"""Files with named columns or keys: CSV, TSV, JSON, JSON lines, Parquet, Arrow IPC.

Each text format has two readers. The fast one is Polars with a strict schema: ids as text, scores as Float64. Where it
meets anything it does not like, the exact one from the standard library reads the file again, row by row, and either
succeeds (blank lines, padded numbers) or says which lines are at fault and why.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Literal, NoReturn, TypeVar, cast, get_args

from rankmeter.errors import InputError, did_you_mean, examples, with_hint
from rankmeter.inputs.cells import LOOKED_AT, RawColumn, spells_number
from rankmeter.inputs.columns import ROLES, Role, fold, is_usual
from rankmeter.inputs.delimited import Delimited, may_be_rounded
from rankmeter.inputs.frames import GroupedQueries, Origin, judgment_table, run_table
from rankmeter.inputs.reading import Head, Order, Reading, Side, read_as
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl, polars_faults

Format = Literal["csv", "tsv", "json", "jsonl", "parquet", "ipc"]

FORMATS: tuple[Format, ...] = get_args(Format)

Find = Callable[[Sequence[str], Head], Reading]
"""From the names in a file, and the first rows of each, to the columns that are needed."""

Table = TypeVar("Table", JudgmentTable, RunTable)

_NESTED_ITEMS = frozenset({"items", "docs", "documents", "results", "ranking", "candidates"})
"""Keys that hold all items of a query in one JSON object, as a list or with numbers."""


def read_judgments(
    source: bytes | Path,
    *,
    format: str,
    name: str,
    columns: Mapping[str, str] | None = None,
) -> JudgmentTable:
    r"""Read judgments from a file or its content.

    Parameters
    ----------
    source
        The uncompressed content, or the path of an uncompressed local file.
    format
        One of ``csv``, ``tsv``, ``json``, ``jsonl``, ``parquet``, ``ipc``.
    name
        How messages call this input.
    columns
        Names of the columns, by role, where they are not the usual ones.

    Examples
    --------
    >>> table = read_judgments(b"query-id\tcorpus-id\tscore\n007\tD-4\t2\n", format="tsv", name="qrels.tsv")
    >>> table.query.to_list(), table.item.to_list(), table.grade.to_list()
    (['007'], ['D-4'], [2.0])
    """
    return _read(source, format, name, partial_find("judgments", columns, name, format), "grade", judgment_table)


def read_run(
    source: bytes | Path,
    *,
    format: str,
    name: str,
    columns: Mapping[str, str] | None = None,
) -> RunTable:
    """Read a run from a file or its content; the parameters are those of `read_judgments`.

    Examples
    --------
    >>> table = read_run(b'{"q1": {"a": 0.5, "b": 2}}', format="json", name="run.json")
    >>> table.item.to_list(), table.score.to_list()
    (['a', 'b'], [0.5, 2.0])
    """
    return _read(source, format, name, partial_find("run", columns, name, format), "score", run_table)


def partial_find(side: Side, columns: Mapping[str, str] | None, name: str, format: str) -> Find:
    """How to find the columns of one side in a file."""
    return lambda names, head: read_as(side, names, head, columns, name, format)


def _read(
    source: bytes | Path,
    kind: str,
    name: str,
    find: Find,
    value: Role,
    build: Callable[[Mapping[Role, RawColumn], Origin], Table],
) -> Table:
    """Read either kind of table; ``value`` is the role of the numbers in nested JSON."""
    if kind not in FORMATS:
        msg = f"{name}: unknown format '{kind}'; known are {', '.join(FORMATS)}."
        raise InputError(with_hint(msg, did_you_mean(kind, FORMATS)))
    if kind in ("parquet", "ipc"):
        columns, reading = _binary_columns(source, kind, name, find)
        return build(columns, Origin(name, reading=reading))
    data = source if isinstance(source, bytes) else source.read_bytes()
    if not data or data.isspace():
        raise InputError(f"{name} is empty.")
    if kind == "json":
        columns, reading = _json_columns(data, name, find, value)
        return build(columns, Origin(name, reading=reading))
    if kind == "jsonl":
        return _read_json_lines(data, name, find, value, build)
    return _read_delimited(data, "," if kind == "csv" else "\t", name, find, build)


def _binary_columns(source: bytes | Path, kind: str, name: str, find: Find) -> tuple[dict[Role, RawColumn], Reading]:
    """Only the needed columns of a file that knows its own types."""
    lazy, reading = open_binary(source, kind, name, find)
    try:
        frame = lazy.collect()
    except polars_faults() as error:
        raise_corrupt(name, kind, error)
    return {role: frame.get_column(column) for role, column in reading.roles.items()}, reading


def open_binary(source: bytes | Path, kind: str, name: str, find: Find) -> tuple[pl.LazyFrame, Reading]:
    """The needed columns of a Parquet or Arrow IPC file, not yet read, and which of them is what."""
    try:
        lazy = _scan_binary(source, kind)
        names = lazy.collect_schema().names()
    except polars_faults() as error:
        raise_corrupt(name, kind, error)

    def head(column: str) -> pl.Series:
        try:
            return lazy.select(column).head(LOOKED_AT).collect().to_series()
        except polars_faults() as error:
            raise_corrupt(name, kind, error)

    reading = find(names, head)
    return lazy.select(list(reading.columns.values())), reading


def _scan_binary(source: bytes | Path, kind: str) -> pl.LazyFrame:
    """Open a file as it is named: brackets are no pattern, ``query=3`` in its path is no column."""
    if kind == "parquet":
        return pl.scan_parquet(source, glob=False, hive_partitioning=False)
    if isinstance(source, Path):
        with source.open("rb") as file:
            start = file.read(6)
    else:
        start = source[:6]
    if start == b"ARROW1":  # the file kind of Arrow IPC has a magic word, the stream kind has none
        return pl.scan_ipc(source, glob=False, hive_partitioning=False)
    return pl.read_ipc_stream(source).lazy()


def raise_corrupt(name: str, kind: str, error: BaseException) -> NoReturn:
    """Say that a file is damaged, in the words of who tried to read it."""
    reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
    label = {"parquet": "Parquet", "ipc": "Arrow IPC"}[kind]
    raise InputError.of("inputs.damaged", source=name, format=label, reason=reason) from error


def _read_delimited(
    data: bytes, separator: str, name: str, find: Find, build: Callable[[Mapping[Role, RawColumn], Origin], Table]
) -> Table:
    """Polars first; the csv module where Polars refuses, or where a check fails and lines must be named."""
    text = Delimited(data, separator, name)
    try:
        reading = find(text.header, text.head)
    except InputError:
        has_names = any(is_usual(role, column) for role in ROLES for column in text.header)
        if has_names or not any(map(spells_number, text.header)):
            raise
        raise InputError(text.no_header) from None
    fast = text.read_fast(reading.roles)
    if fast is not None:
        try:
            return build(fast, Origin(name, reading=reading))
        except InputError:
            pass  # said again below, with line numbers
    exact, lines = text.read_exactly(reading.roles)
    return build(exact, Origin(name, lines, reading=reading))


def _json_columns(data: bytes, name: str, find: Find, value: Role) -> tuple[dict[Role, RawColumn], Reading]:
    """Read an object by query, or a list of records."""
    parsed = _parse_json(data, name)
    if isinstance(parsed, list):
        return _record_columns(parsed, name, find, value, Origin(name))
    if not isinstance(parsed, dict):
        msg = f"{name} holds a JSON {_json_kind(parsed)}."
        raise InputError(with_hint(msg, _json_hint(value)))
    few = list(parsed)[:100]  # a table by columns has no more
    if any(is_usual("query", key) for key in few) and any(is_usual("item", key) for key in few):
        msg = f"{name} looks like a table by columns ({examples(parsed)}), not like queries."
        raise InputError(with_hint(msg, f'write records: frame.to_json(orient="records"); {_json_hint(value)}'))
    if not parsed:
        raise InputError(f"{name} is empty: it has no queries.")
    columns = _nested_columns({"query": list(parsed), "item": list(parsed.values())}, name, value)
    order: Order | None = None if value == "grade" else "score" if value in columns else "lists"
    return columns, Reading(name, "json", order=order)


def _parse_json(data: bytes | str, name: str, line: int | None = None) -> object:
    """Parse JSON; a key that occurs twice in an object is an error, not the loss of a row."""

    def keep_all(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            twice = dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            msg = f"{where}: {len(twice):,} keys occur more than once in one JSON object: {examples(twice)}."
            raise InputError(with_hint(msg, "keep one value per key"))
        return made

    where = name if line is None else f"{name}:{line}"
    try:
        return cast("object", json.loads(data, object_pairs_hook=keep_all))
    except json.JSONDecodeError as error:
        at = f"{name}:{error.lineno if line is None else line}"
        msg = f"{at}: not valid JSON at column {error.colno}: {error.msg}."
        raise InputError(msg) from error
    except UnicodeDecodeError as error:
        raise InputError(with_hint(f"{where} is not UTF-8 text.", "save the file as UTF-8")) from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a thousand levels
        raise InputError(f"{where}: cannot be read as JSON: {error}.") from error


def _json_kind(value: object) -> str:
    kinds = {dict: "object", list: "list", str: "string", bool: "truth value", type(None): "null"}
    return kinds.get(type(value), "number")


def _json_hint(value: Role) -> str:
    return f'expected {{"q1": {{"a": 1}}}}, {{"q1": ["a"]}} or [{{"query": "q1", "item": "a", "{value}": 1}}]'


def _read_json_lines(
    data: bytes, name: str, find: Find, value: Role, build: Callable[[Mapping[Role, RawColumn], Origin], Table]
) -> Table:
    """Polars first; the json module for nested records, mixed types and everything that needs a line number."""
    fast = _json_lines_fast(data, name, find)
    if fast is not None:
        try:
            return build(fast[0], Origin(name, reading=fast[1]))
        except InputError:
            pass  # said again below, with line numbers
    numbered = [(number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
    lines = [number for number, _ in numbered]
    records = [_parse_json(line, name, number) for number, line in numbered]
    columns, reading = _record_columns(records, name, find, value, Origin(name, lines))
    nested = isinstance(columns["item"], _Flattened)
    return build(columns, Origin(name, None if nested else lines, reading=reading))


def _json_lines_fast(data: bytes, name: str, find: Find) -> tuple[dict[Role, RawColumn], Reading] | None:
    """Flat records whose types are those of the first; None where the exact reader must look."""
    number, line = next(pair for pair in enumerate(io.BytesIO(data), start=1) if pair[1].strip())
    first = _parse_json(line, name, number)
    if not isinstance(first, dict) or _nested_key(list(first), first) is not None:
        return None

    def head(column: str) -> list[object]:
        lines = islice((line for line in io.BytesIO(data) if line.strip()), LOOKED_AT)
        return [json.loads(line).get(column) for line in lines]

    try:
        reading = find(list(first), head)
    except (InputError, ValueError, AttributeError):
        return None  # perhaps only the first record is unlike the others
    found = reading.roles
    id_types = {str: pl.String, int: pl.Int64}
    if len(found) < 3 or any(type(first[found[role]]) not in id_types for role in ("query", "item")):
        return None
    schema = {
        column: id_types[type(first[column])] if role in ("query", "item") else pl.Float64
        for role, column in found.items()
    }
    try:
        frame = pl.read_ndjson(data, schema=schema)
    except (pl.exceptions.PolarsError, ValueError, TypeError):
        return None
    # Polars keeps one of two equal keys without a word, passes over keys that the first record does not have, and
    # makes text of whatever stands in a text column.
    if data.count(b'":') != len(frame) * len(first):
        return None
    for column in first:
        key = json.dumps(column, ensure_ascii=False).encode() + b":"
        if data.count(key) != len(frame):
            return None
        if schema.get(column) == pl.String and data.count(key + b'"') + data.count(key + b' "') != len(frame):
            return None
    taken = {role: frame.get_column(column) for role, column in found.items()}
    return None if may_be_rounded(taken) else (dict(taken), reading)


class _Flattened(list[object]):
    """Items taken out of nested records: they have no line of their own."""


def _nested_key(names: Sequence[str], record: Mapping[str, object]) -> str | None:
    """Find the key under which a record holds all items of its query, if it is of that kind."""
    keys = [key for key in names if isinstance(record.get(key), (list, dict))]
    return next((key for key in keys if fold(key) in _NESTED_ITEMS or is_usual("item", key)), None)


def _record_columns(
    records: Sequence[object], name: str, find: Find, value: Role, origin: Origin
) -> tuple[dict[Role, RawColumn], Reading]:
    """Take the columns of records, each a pair or, nested, a whole query."""
    wrong = [index for index, record in enumerate(records) if not isinstance(record, dict)]
    if wrong:
        fact = f"a JSON {_json_kind(records[wrong[0]])} where an object was expected"
        raise InputError(with_hint(origin.blame(fact, wrong, {}), _json_hint(value)))
    if not records:
        raise InputError(f"{name} is empty: it has no records.")
    mappings = cast("Sequence[Mapping[str, object]]", records)
    names = list(dict.fromkeys(key for record in mappings for key in record))
    nested = _nested_key(names, mappings[0])

    def head(key: str) -> list[object]:
        return [record.get(key) for record in mappings[:LOOKED_AT]]

    try:
        reading = find(names, head)
    except InputError:
        if nested is None:
            raise
        reading = find(["item" if key == nested else key for key in names], lambda _: [])
        reading = replace(reading, columns={**reading.columns, "item": nested})
    columns: dict[Role, RawColumn] = {
        role: [record.get(key) for record in mappings] for role, key in reading.roles.items()
    }
    if not isinstance(columns["item"][0], (list, dict)):
        return columns, reading
    flat = _nested_columns(columns, name, value)
    if reading.order == "row order":
        reading = replace(reading, order="score" if "score" in flat else "lists")
    return flat, reading


def _nested_columns(columns: Mapping[Role, RawColumn], name: str, value: Role) -> dict[Role, RawColumn]:
    """Flatten one entry per query: a list of items, an object of numbers, or lists side by side."""
    numbers = next((role for role in columns if role not in ("query", "item")), None)
    queries, items, values = GroupedQueries(columns["query"]), _Flattened(), list[object]()
    kind = type(columns["item"][0])
    beside = columns[numbers] if numbers else [None] * len(columns["query"])
    for query, group, other in zip(columns["query"], columns["item"], beside, strict=True):
        if not isinstance(group, (list, dict)) or type(group) is not kind:
            others = " where other queries hold something else" if kind in (list, dict) else ""
            msg = f"{name}: query {query} holds a JSON {_json_kind(group)}{others}."
            raise InputError(with_hint(msg, _json_hint(value)))
        queries.extend([query] * len(group))
        items.extend(group)
        if isinstance(group, dict):
            values.extend(group.values())
        elif numbers and (not isinstance(other, list) or len(other) != len(group)):
            length = f"{len(other):,}" if isinstance(other, list) else f"a JSON {_json_kind(other)}"
            raise InputError(f"{name}: query {query} has {len(group):,} items and not as many {numbers}s ({length}).")
        elif isinstance(other, list):
            values.extend(other)
    flat: dict[Role, RawColumn] = {"query": queries, "item": items}
    if kind is dict and numbers:
        raise InputError(f"{name}: the items have numbers of their own and a {numbers} beside them; keep one of them.")
    if kind is dict or numbers:
        flat[numbers or value] = values
    return flat
