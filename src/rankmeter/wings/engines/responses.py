"""What search engines and RAG tools write, query by query: which shape a JSON document has, and what it says.

A row of `SHAPES` is one kind of document: how it is recognised, whether it is a run or judgments, and how its entries
are read. What an engine did not finish (errors, timeouts, failed shards) is refused: a number over half of the data
would look like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import is_number, number_of
from rankmeter.inputs.columns import Role, Side, fold, is_usual
from rankmeter.inputs.ids import is_id_type
from rankmeter.inputs.wholeness import is_there, refuse_incomplete, refuse_unshown

Document = Mapping[str, Any]

_IDS = tuple("queryid qid topicid questionid requestid".split())
_TEXTS = tuple("query userinput question input querytext userquery".split())
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
NESTED_ITEMS = frozenset({"items", "docs", "documents", "results", "ranking", "candidates"})
"""Keys under which any table by query holds all items of a query, as a list or with numbers."""
INNER = ("response", "result", "body", "_source", "search_response", "output")
"""Keys under which a record keeps the response of an engine beside the id of its query."""
_ASYNCHRONOUS = frozenset({"is_running", "is_partial", "expiration_time_in_millis"})
"""Keys of which the response of an asynchronous search has one."""
_ROW_VALUES: tuple[Role, ...] = ("score", "rank", "grade")
"""What a row of a table has beside its query and its item: such a row is no record of results."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a document says of one query."""

    query: object | None
    """None where the document does not say whose results these are."""
    items: list[object]
    values: list[object] | None = None
    """The score or the grade of each item; None where the order, or being listed, says all."""
    item_from: str = ""
    """The key under which the items stand, where the shape alone does not say so."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What some file is, and which of its keys became what."""

    name: str
    """How people call it."""
    side: Side
    query: str
    """Empty where each document says so itself, or nothing in it does."""
    item: str
    value: str = ""
    """What became the grade or the score."""
    as_returned: bool = True
    """Whether the order of a list is the ranking, whatever the scores are."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of document."""

    kind: Kind
    fits: Callable[[Document], bool]
    entries: Callable[[Document, str], Iterator[Entry]]
    """Reads a document; the text is the place in the file, for messages."""


def shape_of(document: object, side: Side) -> Shape | None:
    """The first shape that a parsed JSON value has; one of the side that is read, where it holds both."""
    if not isinstance(document, Mapping):
        return None
    shapes = [shape for shape in SHAPES if shape.fits(document)]
    return next((shape for shape in shapes if shape.kind.side == side), next(iter(shapes), None))


def query_of(document: object) -> object | None:
    """The id of the query that a record names, or else its text; None where there is neither.

    Examples
    --------
    >>> query_of({"query": "red dress", "query_id": "q1"}), query_of({"question": "red dress"}), query_of({"took": 3})
    ('q1', 'red dress', None)
    """
    key = query_key(document)
    if key is not None:
        return cast("object", cast(Document, document)[key])
    # What a request carries for logging: ``ext.ubi.query_id``, or the text of the user's query there.
    behaviour = _at(document, "ext", "ubi")
    return query_of(behaviour) if behaviour else None


def query_key(document: object) -> str | None:
    """The key under which a record names its query; the ``id`` of an asynchronous search is its own."""
    if not isinstance(document, Mapping):
        return None
    keys = ("id", *_TEXTS) if _ASYNCHRONOUS.isdisjoint(document) else _TEXTS
    plain = {fold(str(key)).lstrip("_"): key for key, value in document.items() if isinstance(value, (str, int))}
    return next((plain[key] for key in (*_IDS, *keys) if key in plain), None)


def _at(value: Any, *keys: str) -> Any:
    """What stands under some keys, from the outside in; None where one of them is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


# Elasticsearch and OpenSearch


def _is_search(document: Document) -> bool:
    return isinstance(_at(document, "hits", "hits"), list)


def _is_failure(document: Document) -> bool:
    """Whether this is what stands in place of a response; what it says is refused."""
    error = document.get("error")
    return is_there(error) and ("status" in document or isinstance(error, Mapping))


def _search(document: Document, where: str) -> Iterator[Entry]:
    hits: list[Any] = document["hits"]["hits"]
    yield _hits(query_of(document), hits, where, "hits.hits")


def _hits(query: object, hits: Sequence[Any], where: str, under: str) -> Entry:
    items = _each(hits, "_id", where, under, "responses.hit_without_id")
    return Entry(query, items, _complete([hit.get("_score") for hit in hits]))


def shown(entries: Iterator[Entry], document: object, where: str) -> Iterator[Entry]:
    """The entries of a response; one that found documents and lists none is refused."""
    listed = list(entries)
    if len(listed) == 1 and not listed[0].items:
        refuse_unshown(document, where)
    yield from listed


def _searches(document: Document, where: str) -> Iterator[Entry]:
    for place, response in enumerate(document["responses"]):
        at = f"{where}, responses[{place}]"
        if not isinstance(response, Mapping) or not (_is_search(response) or "error" in response):
            raise InputError.of("responses.not_a_response", source=at, key="hits.hits")
        refuse_incomplete(response, at)
        yield from shown(_search(response, at), response, at)


def _rank_eval_answer(document: Document, where: str) -> Iterator[Entry]:
    for query, detail in document["details"].items():
        at = f"{where}, details.{query}"
        hits = _of_kind(list, _at(detail, "hits"), at, "hits", "responses.not_a_response")
        rows = [hit.get("hit", hit) if isinstance(hit, Mapping) else hit for hit in hits]
        yield _hits(query, rows, at, "hits")


def _rank_eval_request(document: Document, where: str) -> Iterator[Entry]:
    for place, request in enumerate(document["requests"]):
        name, ratings = _at(request, "id"), _at(request, "ratings")
        at = f"{where}, requests[{place}]" + ("" if name is None else f" ({name})")
        if name is None or not isinstance(ratings, list):
            raise InputError.of("responses.not_a_rated_request", source=at, key="id" if name is None else "ratings")
        items = [check_id(item, at) for item in _each(ratings, "_id", at, "ratings")]
        indices: dict[object, object] = {}
        for item, rating in zip(items, ratings, strict=True):
            if indices.setdefault(item, rating.get("_index")) != rating.get("_index"):
                raise InputError.of("responses.several_indices", source=at, item=item)
        if len(indices) < len(items):
            item = next(item for place, item in enumerate(items) if item in items[:place])
            raise InputError.of("responses.rated_twice", source=at, item=item)
        yield Entry(check_id(name, at), items, _each(ratings, "rating", at, "ratings"))


def _judgment_list(document: Document, where: str) -> Iterator[Entry]:
    lists: list[Any] = document["judgmentRatings"]
    for place, query in enumerate(_each(lists, "query", where, "judgmentRatings")):
        at = f"{where}, judgmentRatings[{place}]"
        ratings = _of_kind(list, lists[place].get("ratings"), at, "ratings")
        grades = [number_of(rating) for rating in _each(ratings, "rating", at, "ratings")]
        yield Entry(query, _each(ratings, "docId", at, "ratings"), grades)


# Solr and Vespa


def _solr(document: Document, where: str) -> Iterator[Entry]:
    docs: list[Any] = document["response"]["docs"]
    items = _each(docs, "id", where, "response.docs", "responses.solr_without_id")
    parameters = _at(document, "responseHeader", "params")
    named = (query_of(document), query_of(parameters), _at(parameters, "q"))
    query = next((query for query in named if query is not None), None)
    yield Entry(query, items, _complete([doc.get("score") for doc in docs]))


def _is_vespa(document: Document) -> bool:
    root = document.get("root")
    return isinstance(root, Mapping) and any(key in root for key in ("children", "fields", "coverage", "errors"))


def _vespa(document: Document, where: str) -> Iterator[Entry]:
    root: Document = document["root"]
    items, scores = [], []
    children = _of_kind(list, root.get("children", []), where, "root.children", "responses.not_a_response")
    for place, hit in enumerate(children, start=1):
        if str(_at(hit, "id")).startswith("group:"):
            raise InputError.of("responses.grouped", source=where, place=place)
        items.append(_vespa_id(hit, where, place))
        scores.append(hit.get("relevance"))
    yield Entry(query_of(document), items, _complete(scores))


def _vespa_id(hit: object, where: str, place: int) -> object:
    """The part of a document's id that its owner chose: ``id:shop:product::B07`` is B07."""
    full = _at(hit, "fields", "documentid") or _at(hit, "id")
    if full is None or str(full).startswith("index:"):
        raise InputError.of("responses.vespa_without_id", source=where, place=place)
    text = str(full)
    return text.partition("::")[2] if text.startswith("id:") and "::" in text else full


# Chroma


def _is_chroma(document: Document) -> bool:
    ids = document.get("ids")
    is_batch = isinstance(ids, list) and bool(ids) and all(isinstance(listed, list) for listed in ids)
    return is_batch and any(key in document for key in ("distances", "metadatas", "included"))


def _chroma(document: Document, _: str) -> Iterator[Entry]:
    """A list of ids for each query that was searched for at once, nearest first."""
    for ids in document["ids"]:
        yield Entry(query_of(document), ids)


# Quepid and the Rated Ranking Evaluator


def _rated_queries(document: Document, key: str) -> bool:
    queries = document.get("queries")
    rated = isinstance(queries, list) and all(isinstance(query, Mapping) and key in query for query in queries)
    return rated and bool(queries)


def _quepid_case(document: Document, where: str) -> Iterator[Entry]:
    for place, query in enumerate(_each(document["queries"], "query", where, "queries")):
        ratings = _of_kind(Mapping, document["queries"][place]["ratings"], f"{where}, queries[{place}]", "ratings")
        yield Entry(query, list(ratings), list(ratings.values()))


def _rre_ratings(document: Document, where: str) -> Iterator[Entry]:
    for place, rated in enumerate(document["queries"]):
        at = f"{where}, queries[{place}]"
        query, relevant = _at(rated, "placeholders", "$query"), rated["relevant_documents"]
        if query is None or not isinstance(relevant, Mapping):
            raise InputError.of("responses.not_a_rated_request", source=at, key="placeholders.$query")
        items, grades = [], []
        for name, gain in relevant.items():  # {"doc": {"gain": 2}}, or {"2": ["doc", ...]}
            by_gain = gain if isinstance(gain, list) else [name]
            items.extend(by_gain)
            value = number_of(name) if isinstance(gain, list) else _key(gain, "gain", at, f"relevant_documents.{name}")
            grades.extend([value] * len(by_gain))
        yield Entry(query, items, grades)


def _quepid_book(document: Document, where: str) -> Iterator[Entry]:
    """What the judges of each pair agree on; a pair that nobody rated is not judged."""
    by_query: dict[object, dict[object, object]] = {}
    is_whole = not document.get("support_implicit_judgements")
    pairs: list[Any] = document["query_doc_pairs"]
    queries, items = (
        [check_id(value, where) for value in _each(pairs, key, where, "query_doc_pairs")]
        for key in ("query_text", "doc_id")
    )
    for query, item, pair in zip(queries, items, pairs, strict=True):
        judged = pair.get("judgements") or []
        if not isinstance(judged, list) or not all(isinstance(judgment, Mapping) for judgment in judged):
            raise InputError.of("responses.not_a_rated_request", source=f"{where}, {query}, {item}", key="judgements")
        ratings = [judgment["rating"] for judgment in judged if judgment.get("rating") is not None]
        odd = [rating for rating in ratings if not is_number(rating) or not math.isfinite(rating)]
        graded = by_query.setdefault(query, {})
        if ratings:  # what is no number is refused with the other grades
            graded[item] = odd[0] if odd else agreed_rating(list(map(float, ratings)), is_whole=is_whole)
    for query, grades in by_query.items():
        yield Entry(query, list(grades), list(grades.values()))


def agreed_rating(ratings: Sequence[float], *, is_whole: bool = True) -> float:
    """The one rating that Quepid makes of several: the mean of one or two, else the lowest of the three highest.

    Books of people's judgments have whole ratings, rounded half up; those made from clicks keep their fractions.

    Examples
    --------
    >>> agreed_rating([3, 2]), agreed_rating([0, 3, 3, 2]), agreed_rating([1, 1, 1])
    (3.0, 2.0, 1.0)
    """
    best = sorted(ratings, reverse=True)[:3]
    rating = sum(best) / len(best) if len(ratings) < 3 else best[-1]
    return float(math.floor(rating + 0.5)) if is_whole else rating


# Records of retrieval-augmented generation


Path = tuple[str, ...]
"""The keys under which something stands, from the outside in."""


def _list_under(document: Document, keys: Sequence[str], levels: int = 3) -> Path | None:
    """Where a record lists results; some levels down where a component of a pipeline or a client wrote it."""
    by_class = _at(document, "data", "Get")  # GraphQL of Weaviate, under the name of a collection
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
    results = _at(document, *path)
    # Lists of plain ids under usual names are tables with a query in each row, which have columns that can be named.
    by_column = len(path) > 1 or fold(path[0]) in NESTED_ITEMS or path[0] in _WRAPPING
    return bool(results and not isinstance(results[0], (str, int))) or not by_column


def names_results(document: Document) -> bool:
    """Whether a record has a key for what was retrieved, whatever stands there: such a line announces no other."""
    return any(key in document for key in (*_RETRIEVED, *_WRAPPING))


def is_without_results(document: object) -> bool:
    """Whether this is a query for which nothing was retrieved; alone it does not say of which shape its file is."""
    path = _retrieved(document) if isinstance(document, Mapping) else None
    return path is not None and not _at(document, *path)


def _record(document: Document, where: str) -> Iterator[Entry]:
    path = _retrieved(document) or ()  # `_is_record` looked
    results, key = _at(document, *path), ".".join(path)
    items, item_from = _items_of(results, where, key)
    scored = (result if isinstance(result, Mapping) else {} for result in results)
    scores = [next((row[key] for key in _SCORES if row.get(key) is not None), None) for row in scored]
    beside = document.get("scores")
    if isinstance(beside, list) and len(beside) == len(items) and not any(score is not None for score in scores):
        scores = beside
    if any(score is None for score in scores) and any(score is not None for score in scores):
        place = next(place for place, score in enumerate(scores, start=1) if score is None)
        raise InputError.of("responses.some_scored", source=f"{where}, {key}", place=place)
    yield Entry(query_of(document), items, _complete(scores), item_from)


def _expectation(document: Document, where: str) -> Iterator[Entry]:
    path = _list_under(document, _EXPECTED) or ()  # its shape was looked at
    items, item_from = _items_of(_at(document, *path), where, ".".join(path))
    yield Entry(query_of(document), items, item_from=item_from)


def _qa_dataset(document: Document, where: str) -> Iterator[Entry]:
    relevant: Mapping[str, Any] = document["relevant_docs"]
    for query in dict.fromkeys([*document["queries"], *relevant]):
        yield Entry(query, _of_kind(list, relevant.get(query, []), f"{where}, relevant_docs of {query}", "[]"))


def _items_of(results: Sequence[object], where: str, under: str) -> tuple[list[object], str]:
    """The ids of results, however a tool wraps them, their texts where they have none; and where the first stands."""
    items: list[object] = []
    stands = ""
    for place, wrapped in enumerate(results):
        result = _without_score(wrapped)
        key, item = ("", result) if not isinstance(result, Mapping) else _id_within(result)
        if item is None and isinstance(result, Mapping):
            raise InputError.of(
                "responses.result_without_id", source=f"{where}, {under}[{place}]", keys=examples(result, shown=8)
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


def _each(
    records: Sequence[object], key: str, where: str, under: str, kind: str = "responses.without_key"
) -> list[Any]:
    """The value of a key that each record of a list must have; ``kind`` is what is said where one has not."""
    return [_key(record, key, where, f"{under}[{place}]", kind) for place, record in enumerate(records)]


def _key(record: object, key: str, where: str, what: str, kind: str = "responses.without_key") -> Any:
    """The value of a key that must be there."""
    if not isinstance(record, (dict, Mapping)) or record.get(key) is None:  # a dict is seen at once
        keys = examples(record, shown=8) if isinstance(record, Mapping) else type(record).__name__
        raise InputError.of(kind, source=where, what=what, key=key, keys=keys)
    return record[key]


def _of_kind(kind: type, value: object, where: str, key: str, problem: str = "responses.not_a_rated_request") -> Any:
    """A value that must be a list, or an object."""
    if not isinstance(value, kind):
        raise InputError.of(problem, source=where, key=key)
    return value


def check_id(value: object, where: str) -> object:
    """An id as JSON may write it: text or a whole number."""
    if not is_id_type(type(value)):
        raise InputError.of("responses.not_an_id", source=where, value=str(value)[:80])
    return value


def _complete(values: list[object]) -> list[object] | None:
    """Numbers for every item, or none at all."""
    return None if any(value is None for value in values) or not values else values


def _holds(kind: type, *paths: tuple[str, ...]) -> Callable[[Document], bool]:
    """Whether values of a kind stand under some keys."""
    return lambda document: all(isinstance(_at(document, *path), kind) for path in paths)


RECORD = Shape(Kind("retrieval record", "run", "", "id", "score", as_returned=False), _is_record, _record)
SHAPES: tuple[Shape, ...] = (
    Shape(Kind("_msearch response", "run", "", "_id", "_score"), _holds(list, ("responses",)), _searches),
    Shape(Kind("_search response", "run", "", "_id", "_score"),
          lambda one: _is_search(one) or _is_failure(one), _search),
    Shape(Kind("_rank_eval response", "run", "details", "_id", "_score"),
          lambda one: "metric_score" in one and isinstance(one.get("details"), Mapping), _rank_eval_answer),
    Shape(Kind("Solr response", "run", "params.q", "id", "score"), _holds(list, ("response", "docs")), _solr),
    Shape(Kind("Vespa response", "run", "", "id", "relevance"), _is_vespa, _vespa),
    Shape(Kind("Chroma result", "run", "", "ids"), _is_chroma, _chroma),
    Shape(Kind("_rank_eval request", "judgments", "id", "_id", "rating"),
          _holds(list, ("requests",)), _rank_eval_request),
    Shape(Kind("OpenSearch judgment list", "judgments", "query", "docId", "rating"),
          _holds(list, ("judgmentRatings",)), _judgment_list),
    Shape(Kind("Quepid book", "judgments", "query_text", "doc_id", "rating"),
          _holds(list, ("query_doc_pairs",)), _quepid_book),
    Shape(Kind("Quepid ratings", "judgments", "query", "ratings", "ratings"),
          lambda one: _rated_queries(one, "ratings"), _quepid_case),
    Shape(Kind("RRE ratings", "judgments", "$query", "relevant_documents", "gain"),
          lambda one: _rated_queries(one, "relevant_documents"), _rre_ratings),
    Shape(Kind("LlamaIndex data set", "judgments", "queries", "relevant_docs"),
          _holds(Mapping, ("relevant_docs",), ("queries",)), _qa_dataset),
    RECORD,
    Shape(Kind("retrieval record", "judgments", "", "id"),
          lambda one: query_of(one) is not None and _list_under(one, _EXPECTED) is not None, _expectation),
)  # fmt: skip
"""Every shape, in the order in which they are tried. A record may hold what was retrieved and what was expected."""
