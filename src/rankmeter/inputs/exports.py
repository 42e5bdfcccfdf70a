"""What search engines and RAG tools write, opened as tables: whose results each document holds, in which order.

A response of an engine does not say which query it answers. The id stands in the record around it, in a line before it,
in a file beside it (`BESIDE`), or, where a file holds one response, in the name of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import cast

from rankmeter.errors import InputError
from rankmeter.inputs.cells import LOOKED_AT, RawColumn, is_number
from rankmeter.inputs.columns import Role, fold, is_usual, say_columns
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.frames import GroupedQueries
from rankmeter.inputs.json_text import parse_json
from rankmeter.inputs.opened import TablePart
from rankmeter.inputs.reading import Reading, Side
from rankmeter.inputs.responses import (
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
    refuse_unfinished,
    shape_of,
    unwrapped,
)
from rankmeter.inputs.tables import JudgmentTable, RunTable

BESIDE = (
    *("{stem}.requests.ndjson", "{stem}.requests.jsonl", "{stem}.queries.tsv", "{stem}.queries.txt"),
    *("{stem}.queries.jsonl", "requests.ndjson", "requests.jsonl", "queries.tsv", "queries.txt", "queries.jsonl"),
)
"""Files that may name the queries of responses, in their order; the first that is there is taken."""
_SEARCHES = ("query", "knn", "retriever", "sub_searches", "rank", "ext")
"""Keys of which the body of a search has one."""


def export_of(
    documents: Sequence[object], name: str, side: Side, lines: Sequence[int] | None = None
) -> ExportedTable | None:
    """The documents of a file as a table where they are of a known shape; None where they are something else.

    ``lines`` are the lines of the documents, where each stands on one.
    """
    if len(documents) == 1 and (by_query := _by_query(documents[0], side)) is not None:
        return _from_documents(by_query, name, side, None)
    first = next((one for one in documents if _shape(one, side) is not None), None)
    if first is None or not (first is documents[0] or _is_header(documents[0]) or is_without_results(documents[0])):
        return None
    return _from_documents([(None, one) for one in documents], name, side, lines)


def _shape(document: object, side: Side) -> Shape | None:
    inner = unwrapped(document, side)
    return shape_of(document if inner is None else inner, side)


def _is_header(document: object) -> bool:
    """Whether this is a line that says whose results the next line holds."""
    return isinstance(document, Mapping) and query_of(document) is not None and not names_results(document)


def _by_query(document: object, side: Side) -> list[tuple[object, object]] | None:
    """One object with the response of each query."""
    if not isinstance(document, Mapping) or not document or shape_of(document, side) is not None:
        return None
    if all(is_without_results(value) for value in document.values()):
        return None
    known = (shape_of(value, side) is not None or is_without_results(value) for value in document.values())
    return list(document.items()) if all(known) else None


def _from_documents(
    documents: Sequence[tuple[object | None, object]], name: str, side: Side, lines: Sequence[int] | None
) -> ExportedTable:
    """What each document says, which something around it may have given a query; all must be of one shape."""
    entries: list[Entry] = []
    whole: Shape | None = None
    announced: object | None = None
    query_from = ""
    for number, (query, document) in enumerate(documents):
        where = f"{name}:{lines[number]}" if lines is not None else f"{name}, [{number}]"
        if query is not None:
            where = f"{name}, {query}"
        elif lines is None and len(documents) == 1:
            where = name
        inner = unwrapped(document, side)
        shape = shape_of(document if inner is None else inner, side)
        if shape is None and is_without_results(document):
            shape = RECORD
        if announced is not None and query_of(document) not in (None, announced) and query_key(document) == query_from:
            raise InputError.of("responses.nothing_after", source=where, query=announced)
        if shape is None and _is_header(document) and announced is None:
            announced, query_from = query_of(document), query_key(document) or ""
            continue
        whole = whole or shape
        if shape is None or whole is None or shape.kind.name != whole.kind.name:
            refuse_unfinished(inner if inner is not None else document, where)
            raise InputError.of("responses.unlike", source=where, shape=whole.kind.name if whole else "response")
        if shape.kind.side != side:
            raise InputError.of("responses.other_side", source=where, shape=shape.kind.name, side=shape.kind.side)
        known = query if query is not None else announced
        known = query_of(document) if known is None and inner is not None else known
        query_from = query_from or shape.kind.query or query_key(document) or ""
        announced = None
        about = list(shape.entries(cast(Document, document if inner is None else inner), where))
        entries += about if known is None or len(about) != 1 else [replace(about[0], query=known)]
    if announced is not None:
        raise InputError.of("responses.nothing_after", source=name, query=announced)
    return ExportedTable(cast(Shape, whole).kind, entries, name, query_from)


def run_from_responses(responses: Mapping[object, object] | Sequence[object]) -> RunTable | None:
    """A run from the responses of an engine, or from the documents of a retriever, by query; None for anything else.

    What a client returns is taken as it is: a response of elasticsearch-py, opensearch-py or pyvespa, and lists of the
    documents of LangChain, LlamaIndex and Haystack. Records with their queries may also stand in a list.
    """
    from rankmeter.inputs.opened import read_opened

    if not isinstance(responses, Mapping):
        return cast("RunTable | None", table_of_records(responses, "run"))
    documents = [(query, _as_document(query, value)) for query, value in responses.items()]
    known = (shape_of(document, "run") is not None or is_without_results(document) for _, document in documents)
    if not documents or not all(known):
        return None
    table, _ = next(read_opened(_from_documents(documents, "run", "run", None), "run", None, "run", "mapping"))
    return cast(RunTable, table)


def table_of_records(records: Sequence[object], side: Side) -> RunTable | JudgmentTable | None:
    """A run or judgments from a list of records, as a file of JSON lines would hold them; None for anything else."""
    from rankmeter.inputs.opened import read_opened

    opened = export_of([_plain(record) for record in records], side, side)
    return None if opened is None else next(read_opened(opened, side, None, side, "mapping"))[0]


def _as_document(query: object, value: object) -> object:
    """A response, or a record with the documents of a retriever; lists of anything else are not documents."""
    plain = _plain(value)
    if isinstance(plain, list) and all(map(is_document, plain)):
        return {"query_id": query, "retrieved": plain}
    return {"query_id": query, **plain} if isinstance(plain, dict) and names_results(plain) else plain


def _plain(value: object) -> object:
    """What an object of a client or a retriever says, as JSON would have it."""
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    for name in ("model_dump", "to_dict", "body", "json"):
        held = getattr(value, name, None)
        if held is not None and not isinstance(value, (dict, str, bytes)):
            made = held() if callable(held) else held
            if isinstance(made, (dict, list)):
                return made
    if isinstance(value, dict):  # what a component of a pipeline returned: its documents are objects
        return {key: _plain(inner) if isinstance(inner, list) else inner for key, inner in value.items()}
    return value


class ExportedTable:
    """The results or the judgments of some queries, taken from what a tool wrote.

    Parameters
    ----------
    kind
        What it is.
    entries
        What it says of each query.
    name
        How messages call the file.
    query_from
        The key under which the queries were found.
    unused
        Columns of a table that nothing is read from here.
    notes
        What a person should know of it.
    """

    def __init__(
        self,
        kind: Kind,
        entries: list[Entry],
        name: str,
        query_from: str,
        unused: Sequence[str] = (),
        notes: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._side, self._query, self._kind = name, kind.side, query_from, kind
        self._unused, self._notes = unused, notes or {}
        self._entries = self._named(entries)
        self._has_values = all(entry.values is not None for entry in self._entries if entry.items)
        self._value: Role = "grade" if kind.side == "judgments" else "score"
        self.names: Sequence[str] = ["query", "item", *([self._value] if self._has_values else [])]

    def _named(self, entries: list[Entry]) -> list[Entry]:
        """Every entry with its query, each query once."""
        unnamed = [entry for entry in entries if entry.query is None]
        if unnamed and len(unnamed) < len(entries):
            raise InputError.of("responses.some_named", source=self._name, count=len(unnamed), total=len(entries))
        if unnamed:
            queries = self._queries_beside(len(entries))
            entries = [replace(entry, query=query) for entry, query in zip(entries, queries, strict=True)]
        seen: set[str] = set()  # ids are compared as text: 7 and "7" are one query
        for entry in entries:
            if str(check_id(entry.query, self._name)) in seen:
                raise InputError.of("responses.twice", source=self._name, query=entry.query)
            seen.add(str(entry.query))
        return entries

    def _queries_beside(self, count: int) -> Sequence[object]:
        """The ids of the queries as a file beside this one lists them, or the name of a file with one response."""
        path = Path(self._name)
        stem = path.name.partition(".")[0]
        choices = [path.with_name(choice.format(stem=stem)) for choice in BESIDE] if path.is_file() else []
        refused: InputError | None = None
        for beside in filter(Path.is_file, choices):
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
        if count == 1 and path.is_file():
            self._query = "file name"
            return [stem]
        raise InputError.of("responses.no_queries", source=self._name, count=count)

    def head(self, column: str) -> RawColumn:
        """The first rows of a column."""
        return self._columns[cast(Role, column)][:LOOKED_AT]

    def find(self, look: Callable[[Sequence[str]], Reading]) -> Reading:
        """Scores order the items only where the caller says so: a list stands in the order in which it was returned."""
        try:
            reading = look(self.names)
        except InputError as error:
            raise self._without_columns(error) from None
        item = next((entry.item_from for entry in self._entries if entry.item_from), self._kind.item)
        keys = {"query": self._query, "item": item, "grade": self._kind.value, "score": self._kind.value}
        if self._side == "run" and "score" in reading.columns and not _names_score(look):
            self._check_falling()
            reading = replace(reading, columns={role: reading.columns[role] for role in ("query", "item")})
            reading = replace(reading, order="lists")
        elif reading.order == "row order":
            reading = replace(reading, order="lists")
        self._roles = cast("list[Role]", list(reading.columns))
        columns = {role: keys.get(role) or column for role, column in reading.columns.items()}
        return replace(reading, columns=columns, export=self._kind.name, unused=tuple(self._unused), notes=self._notes)

    def _without_columns(self, error: InputError) -> InputError:
        """What to say where a column was named: it is one of the other side, or of a part that is not read here."""
        values = error.problem.values
        if error.problem.kind != "inputs.no_such_column":
            return error
        other = "run" if self._side == "judgments" else "judgments"
        say = say_columns(f"{other}.{values['role']}", values["column"])
        return InputError.of("responses.no_columns", source=self._name, shape=self._kind.name, say=say, **{
            name: values[name] for name in ("role", "column")})  # fmt: skip

    def _check_falling(self) -> None:
        """Refuse lists whose scores rise: whether the order or the scores rank them is for the caller to say."""
        for entry in self._entries if not self._kind.as_returned else ():
            scores = [value for value in entry.values or () if is_number(value)]
            place = next((n for n, (one, after) in enumerate(pairwise(scores), start=2) if after > one), None)  # type: ignore[operator]
            if place is not None:
                raise InputError.of("responses.scores_rise", source=self._name, query=entry.query, place=place)

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:  # noqa: ARG002 (they were found here)
        """Everything at once."""
        yield TablePart({role: self._columns[role] for role in self._roles})

    @cached_property
    def _columns(self) -> dict[Role, RawColumn]:
        """Every row: the entries one after the other."""
        queries = GroupedQueries(entry.query for entry in self._entries)
        items: list[object] = []
        values: list[object] = []
        for entry in self._entries:
            queries.extend([entry.query] * len(entry.items))
            items += entry.items
            values += entry.values or []
        return {"query": queries, "item": items, self._value: values}


def _names_score(look: Callable[[Sequence[str]], Reading]) -> bool:
    """Whether the caller named the score: a table without one is then refused."""
    try:
        look(["query", "item"])
    except InputError:
        return True
    return False


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
