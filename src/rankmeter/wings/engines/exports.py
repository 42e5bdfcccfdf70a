"""What search engines and RAG tools write, opened as tables: whose results each document holds, in which order.

A response of an engine does not say which query it answers. The id stands in the record around it, in a line before it,
in a file beside it (`query_files`), or, where a file holds one response, in the name of the file. In Python it is the
key of a mapping.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Literal, cast

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.columns import Named, Role, Side, fold, is_usual
from rankmeter.inputs.export_tables import EntryRows, ExportedTable, Kind
from rankmeter.inputs.json_tables import Placed, as_json
from rankmeter.wings.engines.documents import Document, Shape, query_key, query_of
from rankmeter.wings.engines.fields import NamedFields, fields_by_path, named_query
from rankmeter.wings.engines.hit_lists import Taking
from rankmeter.wings.engines.limits import direction_of, limits_noted
from rankmeter.wings.engines.other_queries import QueryNamed, claims_in, others_noted
from rankmeter.wings.engines.query_files import queries_beside
from rankmeter.wings.engines.responses import shown
from rankmeter.wings.engines.retrieval_records import (
    RETRIEVED,
    is_document,
    is_without_results,
    lists_documents,
    names_results,
    refuse_lists_beside,
)
from rankmeter.wings.engines.shapes import shape_of
from rankmeter.wings.engines.wholeness import refuse_incomplete

INNER = ("response", "result", "body", "_source", "search_response", "output")
"""Keys under which a record keeps the response of an engine beside the id of its query."""


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
        for inner in chain.from_iterable(_responses_within(value, levels) for levels in (1, 2)):
            if (shape := shape_of(inner, side)) is not None:
                return cls("wrapped", inner, shape, query, key)
        if (shape := shape_of(value, side)) is not None:
            return cls("results", value, shape, query, key)
        if is_without_results(value):
            return cls("nothing", value, RETRIEVED, query, key)
        announces = query is not None and not names_results(cast(Document, value))
        return cls("announcement" if announces else "unknown", value, None, query, key)


def _responses_within(value: object, levels: int) -> list[object]:
    """What stands in a record where the response of an engine may stand; that of an asynchronous search within it."""
    inner = [value[key] for key in INNER if key in value] if isinstance(value, Mapping) else []
    return inner if levels == 1 else [deeper for each in inner for deeper in _responses_within(each, levels - 1)]


def export_of(
    documents: Iterable[Placed], name: str, side: Side, named: Named | None = None, *, is_file: bool = True
) -> ExportedTable | list[Placed]:
    """The documents of a file as a table where they are of a known shape; else the documents themselves.

    No more than the ids and numbers of a document are kept, so that a file may be larger than memory. The first
    document of a known shape decides, before which only queries are announced, or had nothing retrieved. ``named`` are
    the fields that the caller named, by role.
    """
    return _opened(documents, name, side, Taking(NamedFields.of(named)), is_file=is_file)


def results_of(documents: Iterable[Placed], name: str, *, is_file: bool = True) -> list[dict[str, object]] | None:
    """What was retrieved, a row for each result: its query, its rank, and its fields by their paths; None where unread.

    A field whose last key no other has can be named by that key alone.
    """
    taking = Taking(kept=[])
    table = _opened(documents, name, "run", taking, is_file=is_file)
    if not isinstance(table, ExportedTable):
        return None
    return [
        {**fields_by_path(result), "query": query, "rank": rank}
        for query, results in zip(table.queries, taking.kept or (), strict=True)
        for rank, result in enumerate(results, start=1)
    ]


def _opened(
    documents: Iterable[Placed], name: str, side: Side, taking: Taking, *, is_file: bool
) -> ExportedTable | list[Placed]:
    rest = map(partial(_with_query, path=taking.wanted.query), documents) if taking.wanted.query else iter(documents)
    held: list[Placed] = []
    for document in rest:
        held.append(document)
        look = _Look.at(document.value, side)
        if look.what in ("results", "wrapped"):
            return _table_of(chain(held, rest), name, side, taking, is_file=is_file)
        if len(held) == 1 and look.what == "unknown" and not _is_answered(document.value):
            break
    held.extend(rest)
    if side == "run" and not is_file and _is_one_answer([document.value for document in held]):
        raise InputError.of("engines.one_answer", source=name)
    by_query = _by_query(held[0].value, name, side, taking.wanted) if len(held) == 1 else None
    if by_query is not None:
        return _table_of(by_query, name, side, taking, is_file=is_file)
    if side == "run" and held and all(map(_is_unnamed, held)):
        raise InputError.of(
            "engines.no_queries" if is_file else "engines.no_queries_given", source=name, count=len(held)
        )
    return held


def _is_one_answer(values: list[object]) -> bool:
    """Whether these are the results of one search: documents with an id or a text, and no query."""
    return bool(values) and all(is_document(value) and not _has_query(value) for value in values)


def _has_query(value: object) -> bool:
    """Whether a record names its query otherwise than by an ``id``, which is that of a document too."""
    return isinstance(value, Mapping) and any(
        fold(str(key)) != "id" and (is_usual("query", str(key)) or query_key({key: held}) is not None)
        for key, held in value.items()
    )


def _is_answered(value: object) -> bool:
    """Whether a record has a query and a place for results, in which something else may stand, such as an error."""
    return isinstance(value, Mapping) and query_of(value) is not None and names_results(value)


def _with_query(document: Placed, path: str) -> Placed:
    """A record with the id of its query where every record may have it, taken from the field that the caller named."""
    query = named_query(document.value, path, document.where)
    return replace(document, value={**cast(Document, document.value), "query_id": query})


def _is_unnamed(document: Placed) -> bool:
    """Whether these are documents that a retriever returned, or a record with them, for a query that nobody names."""
    value = document.value
    if isinstance(value, list):
        return bool(value) and all(map(is_document, value))
    if (
        not isinstance(value, Mapping)
        or query_of(value) is not None
        or any(is_usual("query", str(key)) for key in value)
    ):
        return False
    return lists_documents(value)


def _by_query(whole: object, name: str, side: Side, wanted: NamedFields) -> list[Placed] | None:
    """What one object holds for each query, a response or documents; None where it holds something else."""
    if not isinstance(whole, Mapping):
        return None
    documents = [
        Placed(_as_document(query, value, side, wanted), f"{name}, {query}", query) for query, value in whole.items()
    ]
    kinds = {_Look.at(document.value, side).what for document in documents}
    if side == "run" and kinds == {"unknown"} and all(map(_is_nested, whole.values())):
        keys = next((examples(value, shown=8) for value in whole.values() if isinstance(value, Mapping)), "")
        raise InputError.of("engines.no_results", source=f"{name}, {next(iter(whole))}", keys=keys)
    is_known = not {"results", "wrapped"}.isdisjoint(kinds) or any(
        isinstance(value, Mapping) for value in whole.values()
    )
    if not {"results", "wrapped", "nothing"}.isdisjoint(kinds):
        for document in documents:  # an error in place of a response says more than that it is not one
            refuse_incomplete(document.value, document.where, side)
    return documents if documents and is_known and kinds <= {"results", "wrapped", "nothing"} else None


def _is_nested(value: object) -> bool:
    """Whether an object holds objects, which stand under no item."""
    return isinstance(value, Mapping) and any(isinstance(inner, (Mapping, list)) for inner in value.values())


def _as_document(query: object, value: object, side: Side, wanted: NamedFields) -> object:
    """A response, or a record with the documents of a retriever; lists of anything else are not documents."""
    plain = as_json(value)
    if side == "judgments":
        return plain
    if isinstance(plain, list) and len(plain) == 1 and isinstance(plain[0], list) and not is_document(plain[0]):
        plain = plain[0]  # Milvus searches for many queries at once, here for one
    if isinstance(plain, list) and all(is_document(one, wanted) for one in plain):
        return {"query_id": query, "retrieved": plain}
    return {"query_id": query, **plain} if isinstance(plain, dict) and names_results(plain) else plain


def _check_side(shape: Shape, side: Side, document: Placed, taking: Taking) -> None:
    """Refuse what is of the other side, and a second list of results beside the response of an engine."""
    if shape.kind.side != side:
        raise InputError.of("engines.other_side", source=document.where, shape=shape.kind.name, side=shape.kind.side)
    if side == "run" and shape is not RETRIEVED and not taking.wanted.item:
        refuse_lists_beside(document.value, shape.kind.name, document.where)


def _table_of(documents: Iterable[Placed], name: str, side: Side, taking: Taking, *, is_file: bool) -> ExportedTable:
    """Documents one after the other as a table: all are of one shape, each may have its query from around it."""
    rows, query_from, claims = EntryRows(), "", list[QueryNamed]()
    takes: frozenset[Role] = frozenset()
    kind: Kind | None = None
    announced: object | None = None  # the query that the document before announced
    for document in documents:
        look, where = _Look.at(document.value, side), document.where
        refuse_incomplete(document.value, where, side)
        taking.direction = direction_of(document.value) if side == "run" else None
        if announced is not None and look.query not in (None, announced) and look.key == query_from:
            raise InputError.of("engines.nothing_after", source=where, query=announced)
        if look.what == "announcement" and announced is None:
            announced, query_from = look.query, look.key
            continue
        kind = kind or (look.shape.kind if look.shape else None)
        if look.shape is None or kind is None or look.shape.kind.name != kind.name:
            raise InputError.of("engines.unlike", source=where, shape=kind.name if kind else "response")
        _check_side(look.shape, side, document, taking)
        known = (document.query, announced, look.query if look.what == "wrapped" else None)
        query = next((candidate for candidate in known if candidate is not None), None)
        announced, query_from = None, query_from or kind.query or look.key
        takes, taking.query = look.shape.takes, query
        entries = list(look.shape.entries(cast(Document, look.results), where, taking))
        if side == "run":
            entries = list(shown(iter(entries), document.value, where, taking))
            taking.note(limits_noted(document.value, where, [item for entry in entries for item in entry.items]))
        if side == "run" and not taking.wanted.query:  # a caller who names the query has looked
            named = [query if len(entries) == 1 and query is not None else entry.query for entry in entries]
            at = len(rows.queries)
            found = claims_in(document.value, where, at, len(entries), taking.unread)
            claims += [one for one in found if str(one.value) != str(named[one.entry - at])]
        taking.unread.in_document(document.value)
        for entry in entries:
            rows.add(replace(entry, query=query) if query is not None and len(entries) == 1 else entry)
    if announced is not None:
        raise InputError.of("engines.nothing_after", source=name, query=announced)
    unnamed = rows.queries.count(None)
    if 0 < unnamed < len(rows.queries):
        raise InputError.of("engines.some_named", source=name, count=unnamed, total=len(rows.queries))
    if unnamed:
        rows.queries, query_from = queries_beside(name, unnamed, is_file=is_file)
    taking.note(others_noted(claims, rows.queries))
    taken = {role: field for role, field in taking.wanted.taken.items() if role in takes}
    return ExportedTable(
        cast(Kind, kind), rows, name, query_from, unused=taking.unread.paths, notes=taking.notes, taken=taken
    )
