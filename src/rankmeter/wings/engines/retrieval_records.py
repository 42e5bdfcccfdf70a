"""Records of retrieval-augmented generation: a query with what was retrieved, or with what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from rankmeter.errors import InputError, examples
from rankmeter.inputs.columns import IDS, Role, fold, is_usual, say_columns
from rankmeter.inputs.export_tables import Entry, Kind
from rankmeter.inputs.ids import is_id_type
from rankmeter.inputs.json_tables import NESTED_ITEMS
from rankmeter.wings.engines.documents import TAKEN, Document, Shape, query_of, value_at
from rankmeter.wings.engines.fields import ITEM_IDS, WITHIN, NamedFields
from rankmeter.wings.engines.hit_lists import Taking
from rankmeter.wings.engines.limits import highest_noted
from rankmeter.wings.engines.orders import lists_noted, numbers_beside

_ITEM_TEXTS = ("page_content", "content", "text")
_RETRIEVED = tuple(
    "retrieved_context_ids retrieved_ids retrieved_doc_ids retrieved_document_ids results hits matches points "
    "documents docs source_documents source_nodes nodes retrieved_documents retrieved_docs retrieved_nodes retrieved "
    "reranked reranked_results reranked_documents ranking candidates items objects "
    "retrievalResults retrieved_contexts retrieved_texts contexts context".split()
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


def _lists_under(document: Document, keys: Sequence[str], levels: int = 3) -> Iterator[Path]:
    """Where a record lists results, the likeliest first; some levels down where a component or a client wrote them."""
    by_class = value_at(document, "data", "Get")  # GraphQL of Weaviate, under the name of a collection
    if keys is _RETRIEVED and isinstance(by_class, Mapping):
        yield from (("data", "Get", name) for name, listed in by_class.items() if isinstance(listed, list))
        return
    for key in (*keys, *(_WRAPPING if keys is _RETRIEVED else ())):
        listed = document.get(key)
        if isinstance(listed, list) and (key in keys or not listed or isinstance(_without_score(listed[0]), Mapping)):
            yield (key,)
    for key, inner in document.items() if levels > 1 else ():
        if isinstance(inner, Mapping):
            yield from ((key, *path) for path in _lists_under(inner, keys, levels - 1))


def _list_under(document: Document, keys: Sequence[str]) -> Path | None:
    return next(_lists_under(document, keys), None)


def _named_list(document: Document, wanted: str) -> tuple[Path | None, str]:
    """The list that the caller named by its path, and the field in each result that is left of the name."""
    for path in _lists_under(document, _RETRIEVED):
        name = ".".join(path)
        if wanted == name or wanted.startswith(f"{name}."):
            return path, wanted[len(name) + 1 :]
    return None, wanted


def _refuse_several(document: Document, chosen: Path, where: str) -> None:
    """Refuse a record with two lists of results that differ: each stage of a pipeline may have left its own."""
    results = value_at(document, *chosen)
    for path in _lists_under(document, _RETRIEVED):
        rival = value_at(document, *path)
        if path == chosen or rival is results or (len(path) > 1 and len(chosen) == 1 and not _are_documents(rival)):
            continue
        if _ids_of(rival) != _ids_of(results):
            lists = [".".join(each) for each in (chosen, path)]
            raise InputError.of("engines.several_lists", source=where, lists=lists,
                                say=say_columns("run.item", f"{lists[1]}.id"))  # fmt: skip


def refuse_lists_beside(document: object, shape: str, where: str) -> None:
    """Refuse documents listed beside the response of an engine in one record, such as those that a ranker left."""
    for key in _RETRIEVED if isinstance(document, Mapping) else ():
        listed = cast(Document, document).get(key)
        if isinstance(listed, list) and (not listed or _are_documents(listed)):
            raise InputError.of("engines.several_lists", source=where, lists=[shape, key],
                                say=say_columns("run.item", f"{key}.id"))  # fmt: skip


def _are_documents(results: Sequence[object]) -> bool:
    return bool(results) and all(map(is_document, results))


def _ids_of(results: Sequence[object]) -> list[object] | int:
    """What tells two lists apart: the ids of documents, the number of anything else, such as their texts."""
    ids = [_id_within(document) if isinstance(document, Mapping) else ("", None)
           for document in map(_without_score, results)]  # fmt: skip
    return len(results) if any(key.rpartition(".")[2] in ("", *_ITEM_TEXTS) for key, _ in ids) else [i for _, i in ids]


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
    if not results and _lists_anything(document):
        return True  # another stage has results, of which the caller must say more
    # Lists of plain ids under usual names are tables with a query in each row, which have columns that can be named.
    by_column = len(path) > 1 or fold(path[0]) in NESTED_ITEMS or path[0] in _WRAPPING
    return bool(results and not isinstance(results[0], (str, int))) or not by_column


def names_results(document: Document) -> bool:
    """Whether a record has a key for what was retrieved, whatever stands there: such a line announces no other."""
    return any(key in document for key in (*_RETRIEVED, *_WRAPPING)) or _list_under(document, _RETRIEVED) is not None


def lists_documents(document: Document) -> bool:
    """Whether a record lists documents, whatever else it says."""
    path = _list_under(document, _RETRIEVED)
    return path is not None and _are_documents(value_at(document, *path))


def is_without_results(document: object) -> bool:
    """Whether this is a query for which nothing was retrieved; alone it does not say of which shape its file is."""
    path = _retrieved(document) if isinstance(document, Mapping) else None
    return path is not None and not _lists_anything(cast(Document, document))


def _lists_anything(document: Document) -> bool:
    """Whether any list of results, of any stage, holds something."""
    return any(value_at(document, *path) for path in _lists_under(document, _RETRIEVED))


def _record(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    path, field = _named_list(document, taking.wanted.item)
    if path is None:
        path = _retrieved(document) or ()  # `_is_record` looked
        _refuse_several(document, path, where)
    results, key = value_at(document, *path), ".".join(path)
    taking.note(highest_noted(document, where, results))
    holder = value_at(document, *path[:-1]) or document
    if not taking.wanted.is_in_order and taking.wanted.role is None:
        lists = numbers_beside(holder, results, where)
        taking.note(lists_noted(lists, where, query_of(document)))
        taking.unread.take(*lists.values())
    beside = holder.get("scores")
    yield taking.entry(
        query_of(document),
        results,
        where,
        key,
        lambda: _items_of(results, where, key),
        beside=("scores", beside) if isinstance(beside, list) and len(beside) == len(results) else None,
        either_way=_is_milvus(value_at(document, *path[:-1]), results),
        wanted=replace(taking.wanted, item=field),
    )


def _is_milvus(holder: Document, results: Sequence[object]) -> bool:
    """Whether a distance may be a similarity, as Milvus calls both."""
    return "code" in holder or any(isinstance(result, Mapping) and "entity" in result for result in results)


def _expectation(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    path = _list_under(document, _EXPECTED) or ()  # its shape was looked at
    expected, key = value_at(document, *path), ".".join(path)
    wanted = replace(taking.wanted, is_in_order=True)  # expected documents have no order
    yield taking.entry(query_of(document), expected, where, key, lambda: _items_of(expected, where, key), wanted=wanted)


def _items_of(results: Sequence[object], where: str, under: str) -> tuple[list[object], str]:
    """The ids of results, however a tool wraps them, or their texts where they have none; and the key they all have."""
    items: list[object] = []
    keys: list[str] = []
    for place, wrapped in enumerate(results):
        result = _without_score(wrapped)
        key, item = ("", result) if not isinstance(result, Mapping) else _id_within(result)
        at = f"{where}, {under}[{place}]"
        if item is None and isinstance(result, Mapping):
            raise InputError.of("engines.result_without_id", source=at, keys=examples(result, shown=8))
        items.append(item)
        keys.append(key)
        if key != keys[0]:
            raise InputError.of("engines.ids_of_kinds", source=at, key=key or "[]", other=keys[0] or "[]",
                                first=f"{where}, {under}[0]", say=say_columns("run.item", keys[0] or "id"))  # fmt: skip
    return items, next(iter(keys), "")


def is_document(value: object, wanted: NamedFields | None = None) -> bool:
    """Whether this is a document with an id or a text, alone or with its score; any may have what the caller named."""
    document = _without_score(value)
    is_named = wanted is not None and bool(wanted.item)
    return isinstance(document, Mapping) and (is_named or _id_within(document)[1] is not None)


def _without_score(value: object) -> object:
    """A document that may stand in a pair with its score or distance."""
    is_pair = isinstance(value, list) and len(value) == 2 and isinstance(value[1], (int, float))
    return cast("list[object]", value)[0] if is_pair else value


def _id_within(document: Document) -> tuple[str, object | None]:
    """The id of a document, or its text, and the path under which it stands."""
    inner = ((f"{key}.", document[key]) for key in WITHIN if isinstance(document.get(key), Mapping))
    layers: list[tuple[str, Document]] = [("", document), *inner]
    values = (
        (above + key, layer.get(key)) for keys in (ITEM_IDS, _ITEM_TEXTS) for above, layer in layers for key in keys
    )
    return next((pair for pair in values if is_id_type(type(pair[1])) and pair[1] != ""), ("", None))


RETRIEVED = Shape(Kind("retrieval record", "run", "", "id", "score"), _is_record, _record, frozenset(TAKEN))
EXPECTED = Shape(
    Kind("retrieval record", "judgments", "", "id"),
    lambda one: query_of(one) is not None and _list_under(one, _EXPECTED) is not None,
    _expectation,
    frozenset(IDS),
)
