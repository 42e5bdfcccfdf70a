"""What search engines and RAG tools write, opened as tables: whose results each document holds, in which order.

A response of an engine does not say which query it answers. The id stands in the record around it, in a line before it,
in a file beside it (`BESIDE`), or, where a file holds one response, in the name of the file. In Python it is the key of
a mapping.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Literal, cast

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import LOOKED_AT, RawColumn, as_written, is_number
from rankmeter.inputs.checked_tables import OpenedTable, TablePart
from rankmeter.inputs.columns import IDS, VALUE_OF, Named, Role, Side, fold, is_usual, say_columns
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.reading import GroupedQueries, Reading
from rankmeter.inputs.responses import (
    INNER,
    RECORD,
    Document,
    Entry,
    Kind,
    Shape,
    check_id,
    is_document,
    is_without_results,
    names_results,
    query_key,
    query_of,
    shape_of,
    shown,
)
from rankmeter.inputs.wholeness import refuse_incomplete
from rankmeter.late import pl


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


BESIDE = (
    *("{stem}.requests.ndjson", "{stem}.requests.jsonl", "{stem}.queries.tsv", "{stem}.queries.txt"),
    *("{stem}.queries.jsonl", "requests.ndjson", "requests.jsonl", "queries.tsv", "queries.txt", "queries.jsonl"),
)
"""Files that may name the queries of responses, in their order; the first that is there is taken."""
_SEARCHES = ("query", "knn", "retriever", "sub_searches", "rank", "ext")
"""Keys of which the body of a search has one."""
_PACKED_ROWS = 1 << 16
"""So many values of a column are kept as Python objects before they are packed."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A parsed JSON value, and where it stands."""

    value: object
    where: str
    query: object | None = None
    """Whose results it holds, where it stands under the id of a query."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class _Look:
    """What one document turned out to be.

    ============ ========================================================= =====================================
    results      of a known shape, whose entries may name their query      ``{"hits": {"hits": [...]}}``
    wrapped      the same in a record that names the query                 ``{"query_id": "q1", "response": ...}``
    nothing      a query for which nothing was retrieved                   ``{"query_id": "q1", "contexts": []}``
    announcement a query, whose results the next document holds            ``{"query_id": "q1"}``
    unknown      none of them
    ============ ========================================================= =====================================
    """

    what: Literal["results", "wrapped", "nothing", "announcement", "unknown"]
    results: object
    """The document, without the record around it."""
    shape: Shape | None
    query: object | None
    """The query that the document, or the record around it, names."""
    key: str
    """The key under which it does."""

    @classmethod
    def at(cls, value: object, side: Side) -> _Look:
        query, key = query_of(value), query_key(value) or ""
        for inner in chain.from_iterable(_within(value, levels) for levels in (1, 2)):
            if (shape := shape_of(inner, side)) is not None:
                return cls("wrapped", inner, shape, query, key)
        if (shape := shape_of(value, side)) is not None:
            return cls("results", value, shape, query, key)
        if is_without_results(value):
            return cls("nothing", value, RECORD, query, key)
        announces = query is not None and not names_results(cast(Document, value))
        return cls("announcement" if announces else "unknown", value, None, query, key)


def _within(value: object, levels: int) -> list[object]:
    """What stands in a record where the response of an engine may stand; that of an asynchronous search within it."""
    inner = [value[key] for key in INNER if key in value] if isinstance(value, Mapping) else []
    return inner if levels == 1 else [deeper for each in inner for deeper in _within(each, levels - 1)]


def export_of(
    documents: Iterable[Placed], name: str, side: Side, *, is_file: bool = True
) -> ExportedTable | list[Placed]:
    """The documents of a file as a table where they are of a known shape; else the documents themselves.

    No more than the ids and numbers of a document are kept, so that a file may be larger than memory. The first
    document of a known shape decides, before which only queries are announced, or had nothing retrieved.
    """
    rest = iter(documents)
    held: list[Placed] = []
    for document in rest:
        held.append(document)
        look = _Look.at(document.value, side)
        if look.what in ("results", "wrapped"):
            return _table_of(chain(held, rest), name, side, is_file=is_file)
        if len(held) == 1 and look.what == "unknown" and not _is_answered(document.value):
            break
    held.extend(rest)
    by_query = _by_query(held[0].value, name, side) if len(held) == 1 else None
    return held if by_query is None else _table_of(by_query, name, side, is_file=is_file)


def _is_answered(value: object) -> bool:
    """Whether a record has a query and a place for results, in which something else may stand, such as an error."""
    return isinstance(value, Mapping) and query_of(value) is not None and names_results(value)


def _by_query(whole: object, name: str, side: Side) -> list[Placed] | None:
    """What one object holds for each query, a response or documents; None where it holds something else."""
    if not isinstance(whole, Mapping):
        return None
    documents = [Placed(_as_document(query, value, side), f"{name}, {query}", query) for query, value in whole.items()]
    kinds = {_Look.at(document.value, side).what for document in documents}
    is_known = not {"results", "wrapped"}.isdisjoint(kinds) or any(
        isinstance(value, Mapping) for value in whole.values()
    )
    if not {"results", "wrapped", "nothing"}.isdisjoint(kinds):
        for document in documents:  # an error in place of a response says more than that it is not one
            refuse_incomplete(document.value, document.where, side)
    return documents if documents and is_known and kinds <= {"results", "wrapped", "nothing"} else None


def _as_document(query: object, value: object, side: Side) -> object:
    """A response, or a record with the documents of a retriever; lists of anything else are not documents."""
    plain = as_json(value)
    if side == "judgments":
        return plain
    if isinstance(plain, list) and len(plain) == 1 and isinstance(plain[0], list) and not is_document(plain[0]):
        plain = plain[0]  # Milvus searches for many queries at once, here for one
    if isinstance(plain, list) and all(map(is_document, plain)):
        return {"query_id": query, "retrieved": plain}
    return {"query_id": query, **plain} if isinstance(plain, dict) and names_results(plain) else plain


def _table_of(documents: Iterable[Placed], name: str, side: Side, *, is_file: bool) -> ExportedTable:
    """Documents one after the other as a table: all are of one shape, each may have its query from around it."""
    rows, query_from = EntryRows(), ""
    kind: Kind | None = None
    announced: object | None = None  # the query that the document before announced
    for document in documents:
        look, where = _Look.at(document.value, side), document.where
        refuse_incomplete(document.value, where, side)
        if announced is not None and look.query not in (None, announced) and look.key == query_from:
            raise InputError.of("responses.nothing_after", source=where, query=announced)
        if look.what == "announcement" and announced is None:
            announced, query_from = look.query, look.key
            continue
        kind = kind or (look.shape.kind if look.shape else None)
        if look.shape is None or kind is None or look.shape.kind.name != kind.name:
            raise InputError.of("responses.unlike", source=where, shape=kind.name if kind else "response")
        if look.shape.kind.side != side:
            raise InputError.of("responses.other_side", source=where, shape=kind.name, side=look.shape.kind.side)
        known = (document.query, announced, look.query if look.what == "wrapped" else None)
        query = next((candidate for candidate in known if candidate is not None), None)
        announced, query_from = None, query_from or kind.query or look.key
        entries = list(look.shape.entries(cast(Document, look.results), where))
        if side == "run":
            entries = list(shown(iter(entries), document.value, where))
        for entry in entries:
            rows.add(replace(entry, query=query) if query is not None and len(entries) == 1 else entry)
    if announced is not None:
        raise InputError.of("responses.nothing_after", source=name, query=announced)
    return ExportedTable(cast(Kind, kind), rows, name, query_from, is_file=is_file)


def as_json(value: object) -> object:
    """What an object of a client or a retriever says, as JSON would have it."""
    if isinstance(value, (list, tuple)):
        return [as_json(inner) for inner in value]
    for name in ("model_dump", "to_dict", "body", "json"):
        held = getattr(value, name, None)
        if held is not None and not isinstance(value, (dict, str, bytes)):
            content = held() if callable(held) else held
            if isinstance(content, (dict, list)):
                return content
    if isinstance(value, dict):  # what a component of a pipeline returned: its documents are objects
        return {key: as_json(inner) if isinstance(inner, list) else inner for key, inner in value.items()}
    return value


class EntryRows:
    """The items of many queries one after the other, in as little memory as they take."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.queries: list[object | None] = []
        self._sizes: list[int] = []
        self._items, self._values = _Packed(), _Packed()
        self.has_values = True
        self.item_from = ""
        self.rise: tuple[int, int] | None = None
        """The first entry whose numbers rise, and where they do; both count from 0."""
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """The items of one more query."""
        self.queries.append(entry.query)
        self._sizes.append(len(entry.items))
        self._items.extend(entry.items)
        self.has_values = self.has_values and (entry.values is not None or not entry.items)
        self._values.extend(entry.values or [] if self.has_values else [])
        self.item_from = self.item_from or entry.item_from
        if self.rise is None:
            values = cast("list[float]", entry.values or [])
            if not set(map(type, values)) <= {float, int}:
                values = list(filter(is_number, values))
            rises = (place for place, (before, after) in enumerate(pairwise(values), start=1) if after > before)
            self.rise = next(((len(self.queries) - 1, place) for place in rises), None)

    def columns(self, value: Role) -> dict[Role, RawColumn]:
        """Every row."""
        numbers = {value: self._values.column()} if self.has_values else {}
        return {"query": GroupedQueries(self.queries, self._sizes), "item": self._items.column(), **numbers}


class _Packed:
    """A column that grows: Python objects, packed as soon as they are many and all of one plain type."""

    def __init__(self) -> None:
        self._last: list[object] = []
        self._parts: list[RawColumn] = []

    def extend(self, values: Iterable[object]) -> None:
        self._last.extend(values)
        if len(self._last) >= _PACKED_ROWS:
            self._parts.append(self._packed())
            self._last = []

    def _packed(self) -> RawColumn:
        kinds = set(map(type, self._last))
        types: Mapping[type, type[pl.DataType]] = {str: pl.String, int: pl.Int64, float: pl.Float64}
        dtype = types.get(kinds.pop()) if len(kinds) == 1 else None
        try:
            return self._last if dtype is None else pl.Series(self._last, dtype=dtype)
        except (TypeError, ValueError, OverflowError):  # beyond 64 bits, or half a character
            return self._last

    def column(self) -> RawColumn:
        """All of it: packed where every part is of the same type, else objects as they were given."""
        parts = [*self._parts, self._packed()] if self._parts and self._last else self._parts or [self._last]
        series = [part for part in parts if isinstance(part, pl.Series)]
        if len(series) == len(parts) and len({part.dtype for part in series}) == 1:
            return pl.concat(series)
        return [value for part in parts for value in part]


class ExportedTable(OpenedTable):
    """The results or the judgments of some queries, taken from what a tool wrote.

    ``query_from`` is the key under which the queries were found; ``is_file`` says whether the name is that of a file,
    beside which another one may name the queries.
    """

    def __init__(
        self,
        kind: Kind,
        rows: EntryRows,
        name: str,
        query_from: str,
        *,
        is_file: bool = True,
        unused: Sequence[str] = (),
        notes: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._query, self._kind, self._rows = name, query_from, kind, rows
        self._path = Path(name) if is_file and Path(name).is_file() else None
        self._unused, self._notes = unused, notes or {}
        self._name_queries()
        self._value = VALUE_OF[kind.side]
        self.names: Sequence[str] = ["query", "item", *([self._value] if rows.has_values else [])]

    def _name_queries(self) -> None:
        """See that every entry has its query, and each query one entry."""
        count, unnamed = len(self._rows.queries), self._rows.queries.count(None)
        if 0 < unnamed < count:
            raise InputError.of("responses.some_named", source=self._name, count=unnamed, total=count)
        if unnamed:
            self._rows.queries = list(self._queries_beside(count))
        seen: set[str] = set()  # ids are compared as text: 7 and "7" are one query
        for query in self._rows.queries:
            if str(check_id(query, self._name)) in seen:
                raise InputError.of("responses.twice", source=self._name, query=query)
            seen.add(str(query))

    def _queries_beside(self, count: int) -> Sequence[object]:
        """The ids of the queries as a file beside this one lists them, or the name of a file with one response."""
        if self._path is None:
            raise InputError.of("responses.no_queries_given", source=self._name, count=count)
        stem = self._path.name.partition(".")[0]
        refused: InputError | None = None
        for beside in filter(Path.is_file, (self._path.with_name(choice.format(stem=stem)) for choice in BESIDE)):
            try:
                queries = ids_in_order(beside)
            except InputError as error:
                refused = refused or error  # requests without ids may stand beside a list of the queries
                continue
            if len(queries) != count:
                raise InputError.of(
                    "responses.other_count", source=self._name, count=count, file=str(beside), named=len(queries)
                )
            self._query = beside.name
            return queries
        if refused is not None:
            raise refused
        if count == 1:
            self._query = "file name"
            return [stem]
        raise InputError.of("responses.no_queries", source=self._name, count=count)

    def head(self, column: str) -> RawColumn:
        return self._columns[cast(Role, column)][:LOOKED_AT]

    def find(self, side: Side, named: Named | None, source: str, format: str) -> Reading:
        """Scores order the items only where the caller says so: a list stands in the order in which it was returned."""
        try:
            reading = super().find(side, named, source, format)
        except InputError as error:
            raise self._without_columns(error) from None
        found, order = reading.columns, reading.order
        if side == "run" and "score" in found and "score" not in (named or {}):
            if self._rows.rise is not None and not self._kind.as_returned:
                # Whether the order or the scores rank the items is for the caller to say.
                entry, place = self._rows.rise
                query = self._rows.queries[entry]
                raise InputError.of("responses.scores_rise", source=self._name, query=query, place=place + 1)
            found, order = {role: found[role] for role in IDS}, "lists"
        self._roles = cast("list[Role]", list(found))
        value = self._kind.value
        keys = {"query": self._query, "item": self._rows.item_from or self._kind.item, "grade": value, "score": value}
        return replace(
            reading,
            columns={role: keys.get(role) or column for role, column in found.items()},
            order="lists" if order == "row order" else order,
            export=self._kind.name,
            unused=tuple(self._unused),
            notes=self._notes,
        )

    def _without_columns(self, error: InputError) -> InputError:
        """What to say where a column was named: it is one of the other side, or of a part that is not read here."""
        values = error.problem.values
        if error.problem.kind != "inputs.no_such_column":
            return error
        other = "run" if self._kind.side == "judgments" else "judgments"
        say = say_columns(f"{other}.{values['role']}", values["column"])
        return InputError.of("responses.no_columns", source=self._name, shape=self._kind.name, say=say, **{
            name: values[name] for name in ("role", "column")})  # fmt: skip

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:  # noqa: ARG002 (they were found here)
        yield TablePart({role: self._columns[role] for role in self._roles})

    @cached_property
    def _columns(self) -> dict[Role, RawColumn]:
        return self._rows.columns(self._value)


def ids_in_order(path: Path) -> list[object]:
    """The ids of queries as a file lists them: JSON lines (of requests, too), or text whose first column they are."""
    with open_source(path) as source:
        text = source.read_all().decode("utf-8-sig", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not lines[0].lstrip().startswith(("{", "[")):
        rows = [line.partition("\t")[0].strip() for line in lines]
        is_header = bool(rows) and (fold(rows[0]) == "id" or is_usual("query", rows[0]))
        return list(rows[is_header:])
    requests = [parse_json(line, str(path), number) for number, line in enumerate(lines, start=1)]
    # A search in a bulk request is a line with the index and a line with the body; either may carry the id.
    heads, bodies = requests[::2], requests[1::2]
    is_bulk = len(heads) == len(bodies) and all(map(_is_body, bodies)) and not any(map(_is_body, heads))
    pairs = list(zip(heads, bodies, strict=True)) if is_bulk else [(request, request) for request in requests]
    queries = [query_of(head) if query_key(head) else query_of(body) for head, body in pairs]
    if all(query is None for query in queries):
        queries = [searched_text(body) for _, body in pairs]
    if None in queries:
        line = queries.index(None) * (2 if is_bulk else 1) + 1
        raise InputError.of("responses.request_without_id", source=f"{path}:{line}")
    return queries


def searched_text(body: object) -> str | None:
    """The one text that a search is about, which stands for an id where no request has any; None where there is none.

    Examples
    --------
    >>> searched_text({"query": {"bool": {"must": {"match": {"title": {"query": "red dress"}}}}}, "size": 10})
    'red dress'
    >>> searched_text({"query": {"bool": {"must": [{"match": {"title": "red"}}, {"match": {"brand": "acme"}}]}}})
    """
    texts = set(_texts_within(body, under=""))
    return texts.pop() if len(texts) == 1 else None


def _texts_within(part: object, under: str) -> Iterator[str]:
    for key, value in part.items() if isinstance(part, Mapping) else enumerate(part) if isinstance(part, list) else ():
        if isinstance(value, str) and (key in ("query", "query_text", "model_text") or under.startswith("match")):
            yield value
        else:
            yield from _texts_within(value, str(key))


def _is_body(line: object) -> bool:
    """Whether a line of a bulk request is a search."""
    return isinstance(line, Mapping) and any(isinstance(line.get(key), (Mapping, list)) for key in _SEARCHES)
