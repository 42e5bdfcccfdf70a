"""JSON and JSON lines: records with named keys, each a pair or a whole query, or one object with all queries.

Flat lines with equal keys are read by Polars with a strict schema: ids as text, scores as Float64. Everything else, and
what turns out to be wrong, is read by the json module, which knows the lines.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import cast

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import LOOKED_AT, RawColumn, as_written
from rankmeter.inputs.checked_tables import OpenedTable, TablePart, whole_table
from rankmeter.inputs.columns import (
    IDS,
    MOST_COLUMNS,
    RANKING,
    ROLES,
    VALUE_OF,
    Named,
    Role,
    Side,
    fold,
    is_usual,
    name_pairs,
)
from rankmeter.inputs.compression import ByteSource
from rankmeter.inputs.delimited import may_be_rounded
from rankmeter.inputs.export_tables import check_flat
from rankmeter.inputs.ranks_beside import ASIDE
from rankmeter.inputs.reading import UNUSED, GroupedQueries, Order, Origin, Reading, read_as
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl, polars_faults
from rankmeter.wings import is_there, table, wing_of
from rankmeter.wings.loading import load
from rankmeter.wording import Said, said

NESTED_ITEMS = frozenset({"items", "docs", "documents", "results", "ranking", "candidates"})
"""Keys under which any table by query holds all items of a query, as a list or with numbers."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A parsed JSON value, and where it stands."""

    value: object
    where: str
    query: object | None = None
    """Whose results it holds, where it stands under the id of a query."""
    line: int | None = None


def parse_json(data: bytes | str, name: str, line: int | None = None) -> object:
    """Parse JSON; a key that occurs twice in an object is an error, not the loss of a row."""

    def keep_all(pairs: list[tuple[str, object]]) -> dict[str, object]:
        parsed = dict(pairs)
        if len(parsed) < len(pairs):
            seen: set[str] = set()
            twice = dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise InputError.of("inputs.keys_twice", source=where, count=len(twice), keys=examples(twice))
        return parsed

    where = name if line is None else f"{name}:{line}"
    text = data.encode() if isinstance(data, str) else data
    try:
        return cast("object", json.loads(data, object_pairs_hook=keep_all, parse_float=as_written))
    except json.JSONDecodeError as error:
        if not text.strip():
            raise InputError.of("inputs.empty", source=where) from None
        at = f"{name}:{error.lineno if line is None else line}"
        kind = "inputs.json_is_cut" if _is_cut(error) else "inputs.not_json"
        raise InputError.of(kind, source=at, column=error.colno, reason=error.msg) from error
    except UnicodeDecodeError as error:
        at_line = (line or 1) + text[: error.start].count(b"\n")
        raise InputError.of("inputs.not_utf8", source=name, line=at_line, byte=f"0x{text[error.start]:02x}") from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a thousand levels
        raise InputError.of("inputs.unreadable_json", source=where, reason=str(error)) from error


def _is_cut(error: json.JSONDecodeError) -> bool:
    """Whether what is wrong is that the text ends, within a string or a word or between two values."""
    rest = error.doc[error.pos :].strip()
    return error.msg.startswith("Unterminated string") or any(
        word.startswith(rest) for word in ("true", "false", "null", "-")
    )


def open_json(source: ByteSource, side: Side, named: Named | None = None) -> OpenedTable:
    """Open an object by query, a list of records, or a list of lists, whose positions are the queries."""
    name = source.name
    parsed = parse_json(source.read_all(), name)
    export = _export_of(parsed, name, side, named, is_file=True)
    if export is not None:
        return export
    if isinstance(parsed, list) and parsed and all(isinstance(items, list) for items in parsed):
        return ByQuery({str(position): items for position, items in enumerate(parsed)}, name, side)
    if isinstance(parsed, list):
        return Records(parsed, name, side)
    if not isinstance(parsed, dict):
        raise InputError.of(
            "inputs.json_of_kind", source=name, json_kind=_json_kind(parsed), hint=_json_hint(VALUE_OF[side])
        )
    if name_pairs(islice(parsed, 100)):  # a table by columns has no more
        raise InputError.of(
            "inputs.json_by_columns", source=name, listed=examples(parsed), json_hint=_json_hint(VALUE_OF[side])
        )
    if not parsed:
        raise InputError.of("inputs.no_queries", source=name)
    return ByQuery(parsed, name, side)


def _export_of(parsed: object, name: str, side: Side, named: Named | None, *, is_file: bool) -> OpenedTable | None:
    export = _read_by_a_wing(placed(parsed, name), name, side, named, is_file=is_file)
    return None if isinstance(export, list) else export


def placed(parsed: object, name: str) -> list[Placed]:
    """The documents of one parsed value: those of a list, or itself."""
    values = parsed if isinstance(parsed, list) else [parsed]
    return [Placed(value, name if len(values) == 1 else f"{name}, [{at}]") for at, value in enumerate(values)]


def _read_by_a_wing(
    documents: Iterable[Placed], name: str, side: Side, named: Named | None, *, is_file: bool = True
) -> OpenedTable | list[Placed]:
    """The documents of a file as a table, where a wing knows what wrote them; else the documents themselves."""
    rest = iter(documents)
    held = list(islice(rest, 1))
    if held and is_row(held[0].value):
        return [*held, *rest]
    documents = chain(held, rest)
    for module in dict.fromkeys(table.DOCUMENTS.values()):
        if is_there(wing_of(module)):
            read = load(module, name).export_of(documents, name, side, named, is_file=is_file)
            if not isinstance(read, list):
                return cast(OpenedTable, read)
            documents = read
        elif held and (keys := [key for key in _keys(held[0].value) if table.DOCUMENTS.get(key) == module]):
            load(module, f"{name} ({examples(keys)})")  # says which wing this is
    return list(documents)


def is_row(value: object) -> bool:
    """Whether this is a row of a table: a query, an item and a number, with nothing nested."""
    if not isinstance(value, dict) or any(isinstance(inner, (list, dict)) for inner in value.values()):
        return False
    numbers = [key for key, inner in value.items() if isinstance(inner, (int, float))]
    has_ids = all(any(is_usual(role, str(key)) for key in value) for role in IDS)
    return has_ids and any(is_usual(role, str(key)) for role in (*RANKING, "grade") for key in numbers)


def _keys(value: object) -> list[str]:
    """The keys under which more than ids stands in a document, or in what it holds for its first query."""
    inner = next(iter(value.values()), None) if isinstance(value, dict) else None
    held = [pair for each in (value, inner) if isinstance(each, dict) for pair in each.items()]
    firsts = {str(key): next(iter(under), None) if isinstance(under, list) else under for key, under in held}
    return [key for key, first in firsts.items() if isinstance(first, (list, dict))]


_PLAIN = frozenset({dict, str, int, float, bool, type(None)})


def as_json(value: object, levels: int = 4) -> object:
    """What an object of a client, a retriever or a pipeline says, as JSON would have it; plain data deep down stays."""
    if isinstance(value, (list, tuple)):
        is_plain = levels < 3 and _PLAIN.issuperset(map(type, value))
        return list(value) if is_plain else [as_json(inner, levels - 1) for inner in value]
    if isinstance(value, dict):
        if levels < 1:
            return value
        return {
            key: inner if isinstance(inner, (str, int, float)) else as_json(inner, levels - 1)
            for key, inner in value.items()
        }
    if isinstance(value, (str, bytes, int, float)) or value is None:
        return value
    if isinstance(value, BaseException):  # what a batch keeps in place of an answer
        return {"error": f"{type(value).__name__}: {value}"}
    for name in ("model_dump", "to_dict", "body", "json"):
        held = getattr(value, name, None)
        if held is not None:
            content = held() if callable(held) else held
            if isinstance(content, (dict, list)):
                return content
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_json(getattr(value, one.name), levels - 1) for one in fields(value)}
    return value


def table_of_objects(data: object, side: Side, named: Named | None = None) -> RunTable | JudgmentTable | None:
    """A run or judgments from what a client, a retriever or a tool returned in Python; None for anything else.

    A response for each query (``{"q1": response}``), the documents of LangChain, LlamaIndex and Haystack for each, or
    what a file of JSON would hold: one response, or a list of records with a query.
    """
    plain = as_json(data)
    opened = _export_of(plain, side, side, named, is_file=False)
    if opened is None and isinstance(plain, list) and all(isinstance(row, dict) and name_pairs(row) for row in plain):
        opened = Records(plain, side, side)
    return None if opened is None else whole_table(opened, side, named, side, "mapping")


def open_json_lines(source: ByteSource, side: Side, named: Named | None = None) -> OpenedTable:
    """Open a record on each line; those of engines and RAG tools are read line by line."""
    name = source.name
    if not all(map(_is_flat_record, islice(filter(bytes.strip, io.BytesIO(source.head)), 2))):
        return _all_lines(source.lines(), name, side, named)
    data = source.read_all()
    if not data or data.isspace():
        raise InputError.of("inputs.empty", source=name)
    return UniformLines.of(data, name, side) or _all_lines(data.split(b"\n"), name, side, named)


def _all_lines(lines: Iterable[bytes], name: str, side: Side, named: Named | None) -> OpenedTable:
    export = _read_by_a_wing(numbered_lines(lines, name), name, side, named)
    if not isinstance(export, list):
        return export
    return Records([one.value for one in export], name, side, [cast(int, one.line) for one in export])


def numbered_lines(lines: Iterable[bytes], name: str) -> Iterator[Placed]:
    """What stands on each line that is not blank."""
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    return (Placed(parse_json(line, name, at), f"{name}:{at}", line=at) for at, line in numbered)


def _is_flat_record(line: bytes) -> bool:
    """Whether a line is a record with nothing nested in it."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and not any(isinstance(inner, (list, dict)) for inner in value.values())


class ByQuery(OpenedTable):
    """One object with all queries: lists of items, or items with numbers."""

    def __init__(self, queries: Mapping[str, object], name: str, side: Side) -> None:
        columns: dict[Role, RawColumn] = {"query": list(queries), "item": list(queries.values())}
        self._raw = _nested_columns(columns, name, VALUE_OF[side])
        order: Order | None = None if side == "judgments" else "score" if "score" in self._raw else "lists"
        self._reading = Reading(name, "json", order=order)
        self.names: Sequence[str] = list(self._raw)

    def head(self, column: str) -> RawColumn:
        return self._raw[cast(Role, column)][:LOOKED_AT]

    def find(self, *_: object) -> Reading:
        """There is nothing to find: it has no names of columns."""
        return self._reading

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:  # noqa: ARG002
        yield TablePart(self._raw)


class Records(OpenedTable):
    """Objects with named keys, each a pair or, nested, a whole query; ``lines`` are theirs, if each stands on one."""

    def __init__(self, records: Sequence[object], name: str, side: Side, lines: Sequence[int] | None = None) -> None:
        wrong = [index for index, record in enumerate(records) if not isinstance(record, dict)]
        if wrong:
            fact = said("inputs.not_an_object", kind=_json_kind(records[wrong[0]]))
            raise Origin(name, lines).blame(fact, wrong, {}, _json_hint(VALUE_OF[side]))
        if not records:
            raise InputError.of("inputs.no_records", source=name)
        self._records = cast("Sequence[Mapping[str, object]]", records)
        self._name, self._side, self._lines = name, side, lines
        self.names: Sequence[str] = list(dict.fromkeys(key for record in self._records for key in record))

    def head(self, column: str) -> list[object]:
        return [record.get(column) for record in self._records[:LOOKED_AT]]

    def find(self, side: Side, named: Named | None, source: str, format: str) -> Reading:
        """Find the keys that are needed; the items of a query may stand under a key of their own."""
        nested = _nested_key(self.names, self._records[0])
        try:
            reading = super().find(side, named, source, format)
        except InputError as error:
            if nested is None and any(isinstance(value, (list, dict)) for value in self._records[0].values()):
                raise error.changed(hint=_json_hint(VALUE_OF[self._side])) from None
            if nested is None:
                raise
            names = ["item" if key == nested else key for key in self.names]
            reading = read_as(side, names, self.head, named, source, format)
            reading = replace(reading, columns={**reading.columns, "item": nested})
        items = self._records[0].get(reading.columns["item"])
        if isinstance(items, (list, dict)):  # what counts is said there, not by the rows
            reading = replace(reading, notes={kind: note for kind, note in reading.notes.items() if kind != UNUSED})
            if reading.order == "row order":
                reading = replace(reading, order="score" if isinstance(items, dict) else "lists")
        return reading

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        raw: dict[Role, RawColumn] = {
            role: [record.get(key) for record in self._records] for role, key in columns.items()
        }
        if "item" in raw and isinstance(raw["item"][0], (list, dict)):
            yield TablePart(_nested_columns(raw, self._name, VALUE_OF[self._side]) | _beside(raw))
        else:
            yield TablePart(raw, self._lines)


class UniformLines(OpenedTable):
    """JSON lines that all have the keys of the first, none of them nested: read by Polars."""

    def __init__(self, data: bytes, name: str, side: Side, first: Mapping[str, object], lines: int) -> None:
        self._data, self._name, self._side, self._first, self._lines = data, name, side, first, lines
        self.names: Sequence[str] = list(first)

    @classmethod
    def of(cls, data: bytes, name: str, side: Side) -> UniformLines | None:
        """The lines, where they are of this kind; None otherwise."""
        number, line = next(pair for pair in enumerate(io.BytesIO(data), start=1) if pair[1].strip())
        first = parse_json(line, name, number)
        if not isinstance(first, dict) or any(isinstance(value, (list, dict)) for value in first.values()):
            return None
        if len(first) > MOST_COLUMNS:  # each key is looked for in all of the text
            return None
        lines = sum(1 for line in io.BytesIO(data) if not line.isspace())
        # Polars passes over keys that the first record does not have, and keeps one of two equal keys, without a word.
        is_uniform = data.count(b'":') == lines * len(first) and all(data.count(_key(key)) == lines for key in first)
        return cls(data, name, side, first, lines) if is_uniform else None

    @cached_property
    def _exact(self) -> OpenedTable:
        return _all_lines(self._data.split(b"\n"), self._name, self._side, None)

    @cached_property
    def _head(self) -> list[object]:
        numbered = islice(enumerate(io.BytesIO(self._data), start=1), LOOKED_AT)
        return [parse_json(line, self._name, number) for number, line in numbered if line.strip()]

    def head(self, column: str) -> list[object]:
        return [record.get(column) if isinstance(record, dict) else None for record in self._head]

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        fast = self._read_fast(columns)
        if fast is None:
            yield from self._exact.parts(columns)
        else:
            yield TablePart(fast, exactly=lambda: next(self._exact.parts(columns)))

    def _read_fast(self, columns: Mapping[Role, str]) -> dict[Role, RawColumn] | None:
        """Records whose types are those of the first; None where the exact reader must look."""
        ids, id_types = [columns[role] for role in IDS if role in columns], {str: pl.String, int: pl.Int64}
        if len(columns) < 3 or "subtopic" in columns or any(type(self._first[key]) not in id_types for key in ids):
            return None
        schema = {key: id_types[type(self._first[key])] if key in ids else pl.Float64 for key in columns.values()}
        try:
            frame = pl.read_ndjson(self._data, schema=schema)
        except polars_faults():
            return None
        for key in ids:  # Polars makes text of whatever stands in a text column
            texts = self._data.count(_key(key) + b'"') + self._data.count(_key(key) + b' "')
            if schema[key] == pl.String and texts != self._lines:
                return None
        taken = {role: frame.get_column(column) for role, column in columns.items()}
        return None if frame.height != self._lines or may_be_rounded(taken) else dict(taken)


def _key(key: str) -> bytes:
    return json.dumps(key, ensure_ascii=False).encode() + b":"


def _json_kind(value: object) -> str:
    kinds = {dict: "object", list: "list", str: "string", bool: "truth value", type(None): "null"}
    return kinds.get(type(value), "number")


def _json_hint(value: Role) -> Said:
    """What a file of judgments or of a run may look like."""
    return said("inputs.json_expected" if value == "grade" else "inputs.json_run_expected", value=value)


def _nested_key(names: Sequence[str], record: Mapping[str, object]) -> str | None:
    """Find the key under which a record holds all items of its query, if it is of that kind."""
    keys = [key for key in names if isinstance(record.get(key), (list, dict))]
    return next((key for key in keys if fold(key) in NESTED_ITEMS or is_usual("item", key)), None)


def _beside(raw: Mapping[Role, RawColumn]) -> dict[Role, RawColumn]:
    """Columns beside those that were read; numbers that stand in lists, as the scores do, one after another."""
    beside = {role: column for role, column in raw.items() if role not in ROLES}
    for role, column in beside.items():
        if role.startswith(ASIDE) and all(isinstance(listed, list) for listed in column):
            beside[role] = list(chain.from_iterable(cast("list[list[object]]", column)))
    return beside


def _nested_columns(columns: Mapping[Role, RawColumn], name: str, value: Role) -> dict[Role, RawColumn]:
    """Flatten one entry per query: a list of items, an object of numbers, or lists side by side."""
    numbers = next((role for role in columns if role in ROLES and role not in ("query", "item")), None)
    items, values = list[object](), list[object]()
    kind = type(columns["item"][0])
    beside = columns[numbers] if numbers else [None] * len(columns["query"])
    for query, group, other in zip(columns["query"], columns["item"], beside, strict=True):
        if not isinstance(group, (list, dict)) or type(group) is not kind:
            others = " where other queries hold something else" if kind in (list, dict) else ""
            raise InputError.of(
                "inputs.json_under_query",
                source=name,
                query=query,
                json_kind=_json_kind(group),
                others=others,
                hint=_json_hint(value),
            )
        items.extend(group)
        if isinstance(group, dict):
            values.extend(group.values())
        elif numbers and (not isinstance(other, list) or len(other) != len(group)):
            length = f"{len(other):,}" if isinstance(other, list) else f"a JSON {_json_kind(other)}"
            raise InputError.of(
                "inputs.not_as_many_numbers", source=name, query=query, count=len(group), numbers=numbers, length=length
            )
        elif isinstance(other, list):
            values.extend(other)
    check_flat(items, name)
    sizes = [len(cast("list[object] | dict[str, object]", group)) for group in columns["item"]]
    flat: dict[Role, RawColumn] = {"query": GroupedQueries(list(columns["query"]), sizes), "item": items}
    if kind is dict and numbers:
        raise InputError.of("inputs.two_numbers_of_items", source=name, numbers=numbers)
    if kind is dict or numbers:
        flat[numbers or value] = values
    return flat
