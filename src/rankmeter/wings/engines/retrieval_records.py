"""Records of retrieval-augmented generation: a query with what was retrieved, or with what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from rankmeter.errors import InputError, examples
from rankmeter.inputs.columns import Role, fold, is_usual
from rankmeter.inputs.export_tables import Entry, Kind
from rankmeter.inputs.ids import is_id_type
from rankmeter.inputs.json_tables import NESTED_ITEMS
from rankmeter.wings.engines.documents import Document, Shape, all_or_none, query_of, value_at

_ITEM_IDS = tuple(
    "id _id id_ doc_id docid docId document_id docno item item_id pid passage_id chunk_id node_id corpus_id objectID "
    "uuid".split()
)
_WITHIN = ("node", "kwargs", "document", "metadata", "meta", "payload", "entity", "_additional")
"""Where the id of a result may stand when it does not stand on the result itself."""
_ITEM_TEXTS = ("page_content", "content", "text")
_SCORES = ("score", "_score", "relevance_score", "similarity", "@search.score", "_rankingScore")
_RETRIEVED = tuple(
    "retrieved_context_ids retrieved_ids retrieved_doc_ids retrieved_document_ids results hits matches points "
    "documents docs source_documents source_nodes nodes retrieved_documents retrieved_docs retrieved_nodes retrieved "
    "ranking candidates items objects retrievalResults retrieved_contexts retrieved_texts contexts context".split()
)
_WRAPPING = ("result", "response", "data", "value", "output")
"""Keys under which results stand where they are objects with ids; anything else may stand there too."""
_EXPECTED = tuple(
    "reference_context_ids expected_ids reference_ids relevant_ids relevant_doc_ids gold_ids ground_truth_ids "
    "relevant_docs relevant_documents expected_documents ground_truth_documents positive_ctxs reference_contexts "
    "expected_texts".split()
)
_ROW_VALUES: tuple[Role, ...] = ("score", "rank", "grade")
"""What a row of a table has beside its query and its item: such a row is no record of results."""
Path = tuple[str, ...]
"""The keys under which something stands, from the outside in."""


def _list_under(document: Document, keys: Sequence[str], levels: int = 3) -> Path | None:
    """Where a record lists results; some levels down where a component of a pipeline or a client wrote it."""
    by_class = value_at(document, "data", "Get")  # GraphQL of Weaviate, under the name of a collection
    if keys is _RETRIEVED and isinstance(by_class, Mapping) and len(by_class) == 1:
        [(name, listed)] = by_class.items()
        return ("data", "Get", name) if isinstance(listed, list) else None
    for key in (*keys, *(_WRAPPING if keys is _RETRIEVED else ())):
        listed = document.get(key)
        if isinstance(listed, list) and (key in keys or not listed or is_document(listed[0])):
            return (key,)
    within = ((key, inner) for key, inner in document.items() if levels > 1 and isinstance(inner, Mapping))
    paths = ((key, _list_under(inner, keys, levels - 1)) for key, inner in within)
    return next(((key, *path) for key, path in paths if path is not None), None)


def _retrieved(document: Document) -> Path | None:
    """Where a record with a query lists what was retrieved; None for anything else, also for a row of a table."""
    has_item = any(isinstance(value, (str, int)) and is_usual("item", str(key)) for key, value in document.items())
    numbers = [str(key) for key, value in document.items() if isinstance(value, (int, float))]
    is_row = has_item and any(is_usual(role, key) for role in _ROW_VALUES for key in numbers)
    return None if is_row or query_of(document) is None else _list_under(document, _RETRIEVED)


def _is_record(document: Document) -> bool:
    """Whether this is a query with its results: objects with ids, or ids and texts under a name that RAG tools use."""
    path = _retrieved(document)
    if path is None:
        return False
    results = value_at(document, *path)
    # Lists of plain ids under usual names are tables with a query in each row, which have columns that can be named.
    by_column = len(path) > 1 or fold(path[0]) in NESTED_ITEMS or path[0] in _WRAPPING
    return bool(results and not isinstance(results[0], (str, int))) or not by_column


def names_results(document: Document) -> bool:
    """Whether a record has a key for what was retrieved, whatever stands there: such a line announces no other."""
    return any(key in document for key in (*_RETRIEVED, *_WRAPPING))


def is_without_results(document: object) -> bool:
    """Whether this is a query for which nothing was retrieved; alone it does not say of which shape its file is."""
    path = _retrieved(document) if isinstance(document, Mapping) else None
    return path is not None and not value_at(document, *path)


def _record(document: Document, where: str) -> Iterator[Entry]:
    path = _retrieved(document) or ()  # `_is_record` looked
    results, key = value_at(document, *path), ".".join(path)
    items, item_from = _items_of(results, where, key)
    scored = (result if isinstance(result, Mapping) else {} for result in results)
    scores = [next((row[key] for key in _SCORES if row.get(key) is not None), None) for row in scored]
    beside = document.get("scores")
    if isinstance(beside, list) and len(beside) == len(items) and not any(score is not None for score in scores):
        scores = beside
    if any(score is None for score in scores) and any(score is not None for score in scores):
        place = next(place for place, score in enumerate(scores, start=1) if score is None)
        raise InputError.of("engines.some_scored", source=f"{where}, {key}", place=place)
    yield Entry(query_of(document), items, all_or_none(scores), item_from)


def _expectation(document: Document, where: str) -> Iterator[Entry]:
    path = _list_under(document, _EXPECTED) or ()  # its shape was looked at
    items, item_from = _items_of(value_at(document, *path), where, ".".join(path))
    yield Entry(query_of(document), items, item_from=item_from)


def _items_of(results: Sequence[object], where: str, under: str) -> tuple[list[object], str]:
    """The ids of results, however a tool wraps them, their texts where they have none; and where the first stands."""
    items: list[object] = []
    stands = ""
    for place, wrapped in enumerate(results):
        result = _without_score(wrapped)
        key, item = ("", result) if not isinstance(result, Mapping) else _id_within(result)
        if item is None and isinstance(result, Mapping):
            raise InputError.of(
                "engines.result_without_id", source=f"{where}, {under}[{place}]", keys=examples(result, shown=8)
            )
        items.append(item)
        stands = stands or (f"{under}.{key}" if key else under)
    return items, stands


def is_document(value: object) -> bool:
    """Whether this is a document with an id or a text, alone or with its score."""
    document = _without_score(value)
    return isinstance(document, Mapping) and _id_within(document)[1] is not None


def _without_score(value: object) -> object:
    """A document that may stand in a pair with its score or distance."""
    is_pair = isinstance(value, list) and len(value) == 2 and isinstance(value[1], (int, float))
    return cast("list[object]", value)[0] if is_pair else value


def _id_within(document: Document) -> tuple[str, object | None]:
    """The id of a document, or its text, and the key under which it stands."""
    layers = [document, *(document[key] for key in _WITHIN if isinstance(document.get(key), Mapping))]
    values = ((key, layer.get(key)) for keys in (_ITEM_IDS, _ITEM_TEXTS) for layer in layers for key in keys)
    return next((pair for pair in values if is_id_type(type(pair[1]))), ("", None))


RETRIEVED = Shape(Kind("retrieval record", "run", "", "id", "score", as_returned=False), _is_record, _record)
EXPECTED = Shape(
    Kind("retrieval record", "judgments", "", "id"),
    lambda one: query_of(one) is not None and _list_under(one, _EXPECTED) is not None,
    _expectation,
)
