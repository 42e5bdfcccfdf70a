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
from rankmeter.inputs.cells import number_of
from rankmeter.inputs.columns import fold
from rankmeter.inputs.reading import Side

Document = Mapping[str, Any]

_IDS = tuple("queryid qid topicid questionid requestid".split())
_TEXTS = tuple("query userinput question input querytext userquery".split())
_ITEM_IDS = tuple(
    "id _id id_ doc_id docid docId document_id docno item item_id pid passage_id chunk_id node_id corpus_id".split()
)
_WITHIN = ("node", "kwargs", "document", "metadata", "meta", "payload")
"""Where the id of a result may stand when it does not stand on the result itself."""
_ITEM_TEXTS = ("page_content", "content", "text")
_SCORES = ("score", "_score", "relevance_score", "similarity")
_RETRIEVED = tuple(
    "retrieved_context_ids retrieved_ids retrieved_doc_ids retrieved_document_ids results hits matches points "
    "documents docs source_documents source_nodes nodes retrieved_documents retrieved_docs retrieved_nodes retrieved "
    "ranking candidates items retrieved_contexts retrieved_texts contexts context".split()
)
_EXPECTED = tuple(
    "reference_context_ids expected_ids reference_ids relevant_ids relevant_doc_ids gold_ids ground_truth_ids "
    "relevant_docs relevant_documents expected_documents ground_truth_documents positive_ctxs reference_contexts "
    "expected_texts".split()
)
NESTED_ITEMS = frozenset({"items", "docs", "documents", "results", "ranking", "candidates"})
"""Keys under which any table by query holds all items of a query, as a list or with numbers."""
_INNER = ("response", "result", "body", "_source", "search_response", "output")
"""Keys under which a record keeps the response of an engine beside the id of its query."""
_UNFINISHED = {"_shards": ("failed",), "_clusters": ("failed", "partial", "skipped")}
"""Counts of a response that say that a part of the index did not answer."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a document says of one query."""

    query: object | None
    """None where the document does not say whose results these are."""
    items: list[object]
    values: list[object] | None = None
    """The score or the grade of each item; None where the order, or being listed, says all."""


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
    extension = document.get("ext") if isinstance(document, Mapping) else None
    behaviour = extension.get("ubi") if isinstance(extension, Mapping) else None
    return query_of(behaviour) if behaviour else None


def query_key(document: object) -> str | None:
    """The key under which a record names its query."""
    if not isinstance(document, Mapping):
        return None
    plain = {fold(str(key)).lstrip("_"): key for key, value in document.items() if isinstance(value, (str, int))}
    return next((plain[key] for key in (*_IDS, "id", *_TEXTS) if key in plain), None)


def unwrapped(document: object, side: Side) -> Document | None:
    """A response that a record keeps beside the id of its query, as ``{"query_id": "q1", "response": {...}}``."""
    if not isinstance(document, Mapping):
        return None
    inner = (document.get(key) for key in _INNER)
    return next((one for one in inner if isinstance(one, Mapping) and shape_of(one, side) is not None), None)


# Elasticsearch and OpenSearch


def _is_search(document: Document) -> bool:
    hits = document.get("hits")
    return isinstance(hits, Mapping) and isinstance(hits.get("hits"), list)


def _is_failed_search(document: Document) -> bool:
    return "error" in document and ("status" in document or isinstance(document["error"], Mapping))


def _search(document: Document, where: str) -> Iterator[Entry]:
    refuse_unfinished(document, where)
    hits: list[Any] = document["hits"]["hits"]
    total = document["hits"].get("total")
    matched = total.get("value", 0) if isinstance(total, Mapping) else total
    if not hits and isinstance(matched, int) and matched > 0:
        raise InputError.of("responses.no_hits_shown", source=where, matched=matched)
    items = [_key(hit, "_id", where, f"hit {place}") for place, hit in enumerate(hits, start=1)]
    scores = [hit.get("_score") for hit in hits]
    yield Entry(query_of(document), items, _complete(scores))


def refuse_unfinished(document: object, where: str) -> None:
    """Refuse a response that an engine did not finish."""
    if not isinstance(document, Mapping):
        return
    if "error" in document:
        error = document["error"]
        reason = error.get("reason") or error.get("msg") or error.get("type") if isinstance(error, Mapping) else error
        raise InputError.of("responses.failed", source=where, reason=str(reason)[:200])
    for key in ("timed_out", "terminated_early"):
        if document.get(key) is True:
            raise InputError.of("responses.partial", source=where, reason=f"{key}: true")
    for key, kinds in _UNFINISHED.items():
        counts: Any = document.get(key)
        for kind in kinds if isinstance(counts, Mapping) else ():
            if isinstance(counts.get(kind), int) and counts[kind] > 0:
                reason = f"{key}.{kind}: {counts[kind]} of {counts.get('total', '?')}"
                raise InputError.of("responses.partial", source=where, reason=reason)


def _searches(document: Document, where: str) -> Iterator[Entry]:
    for place, response in enumerate(document["responses"], start=1):
        at = f"{where}, response {place}"
        if not isinstance(response, Mapping) or not (_is_search(response) or "error" in response):
            raise InputError.of("responses.not_a_response", source=at, key="hits.hits")
        yield from _search(response, at)


def _rank_eval_answer(document: Document, where: str) -> Iterator[Entry]:
    failures = document.get("failures")
    if failures:
        raise InputError.of("responses.failed", source=where, reason=f"failures: {examples(failures)}")
    for query, detail in document["details"].items():
        hits = detail.get("hits") if isinstance(detail, Mapping) else None
        if not isinstance(hits, list):
            raise InputError.of("responses.not_a_response", source=f"{where}, details of {query}", key="hits")
        rows = [hit.get("hit", hit) if isinstance(hit, Mapping) else hit for hit in hits]
        items = [_key(row, "_id", f"{where}, details of {query}", f"hit {n}") for n, row in enumerate(rows, start=1)]
        yield Entry(query, items, _complete([row.get("_score") for row in rows]))


def _rank_eval_request(document: Document, where: str) -> Iterator[Entry]:
    for place, request in enumerate(document["requests"], start=1):
        name = request.get("id") if isinstance(request, Mapping) else None
        at = f"{where}, request {place if name is None else name}"
        ratings = request.get("ratings") if isinstance(request, Mapping) else None
        if name is None or not isinstance(ratings, list):
            raise InputError.of("responses.not_a_rated_request", source=at, key="id" if name is None else "ratings")
        indices: dict[object, object] = {}
        for number, rating in enumerate(ratings, start=1):
            item = _key(rating, "_id", at, f"rating {number}")
            if indices.setdefault(item, rating.get("_index")) != rating.get("_index"):
                raise InputError.of("responses.several_indices", source=at, item=item)
        items = [rating["_id"] for rating in ratings]
        grades = [_key(rating, "rating", at, f"rating {n}") for n, rating in enumerate(ratings, start=1)]
        yield Entry(name, items, grades)


def _judgment_list(document: Document, where: str) -> Iterator[Entry]:
    for place, judged in enumerate(document["judgmentRatings"], start=1):
        at = f"{where}, judgmentRatings {place}"
        query, ratings = _key(judged, "query", where, f"judgmentRatings {place}"), judged.get("ratings")
        if not isinstance(ratings, list):
            raise InputError.of("responses.not_a_rated_request", source=at, key="ratings")
        items = [_key(rating, "docId", at, f"rating {n}") for n, rating in enumerate(ratings, start=1)]
        grades = [number_of(_key(rating, "rating", at, f"rating {n}")) for n, rating in enumerate(ratings, start=1)]
        yield Entry(query, items, grades)


# Solr and Vespa


def _is_solr(document: Document) -> bool:
    response = document.get("response")
    return isinstance(response, Mapping) and isinstance(response.get("docs"), list)


def _solr(document: Document, where: str) -> Iterator[Entry]:
    refuse_unfinished(document, where)
    header = document.get("responseHeader")
    header = header if isinstance(header, Mapping) else {}
    if header.get("partialResults") in (True, "true"):
        raise InputError.of("responses.partial", source=where, reason="partialResults: true")
    docs: list[Any] = document["response"]["docs"]
    items = []
    for place, doc in enumerate(docs, start=1):
        if not isinstance(doc, Mapping) or doc.get("id") is None:
            keys = examples(doc, shown=8) if isinstance(doc, Mapping) else type(doc).__name__
            raise InputError.of("responses.solr_without_id", source=where, place=place, keys=keys)
        items.append(doc["id"])
    if not docs and isinstance(document["response"].get("numFound"), int) and document["response"]["numFound"] > 0:
        raise InputError.of("responses.no_hits_shown", source=where, matched=document["response"]["numFound"])
    parameters = header.get("params")
    query = query_of(document)
    if query is None and isinstance(parameters, Mapping):
        query = query_of(parameters) if query_of(parameters) is not None else parameters.get("q")
    yield Entry(query, items, _complete([doc.get("score") for doc in docs]))


def _is_vespa(document: Document) -> bool:
    root = document.get("root")
    return isinstance(root, Mapping) and any(key in root for key in ("children", "fields", "coverage", "errors"))


def _vespa(document: Document, where: str) -> Iterator[Entry]:
    root: Document = document["root"]
    if root.get("errors"):
        error = root["errors"][0]
        reason = error.get("message") or error.get("summary") if isinstance(error, Mapping) else error
        raise InputError.of("responses.failed", source=where, reason=str(reason)[:200])
    coverage = root.get("coverage")
    if isinstance(coverage, Mapping) and (coverage.get("full") is False or coverage.get("degraded")):
        raise InputError.of("responses.partial", source=where, reason=f"coverage: {coverage.get('coverage')} %")
    items, scores = [], []
    for place, hit in enumerate(root.get("children", []), start=1):
        if isinstance(hit, Mapping) and str(hit.get("id", "")).startswith("group:"):
            raise InputError.of("responses.grouped", source=where, place=place)
        items.append(_vespa_id(hit, where, place))
        scores.append(hit.get("relevance"))
    yield Entry(query_of(document), items, _complete(scores))


def _vespa_id(hit: object, where: str, place: int) -> object:
    """The part of a document's id that its owner chose: ``id:shop:product::B07`` is B07."""
    fields = hit.get("fields") if isinstance(hit, Mapping) else None
    stored = fields.get("documentid") if isinstance(fields, Mapping) else None
    full = stored or (hit.get("id") if isinstance(hit, Mapping) else None)
    if full is None or str(full).startswith("index:"):
        raise InputError.of("responses.vespa_without_id", source=where, place=place)
    text = str(full)
    return text.partition("::")[2] if text.startswith("id:") and "::" in text else full


# Quepid and the Rated Ranking Evaluator


def _rated_queries(document: Document, key: str) -> bool:
    queries = document.get("queries")
    return (
        isinstance(queries, list) and bool(queries) and all(isinstance(one, Mapping) and key in one for one in queries)
    )


def _quepid_case(document: Document, where: str) -> Iterator[Entry]:
    for place, rated in enumerate(document["queries"], start=1):
        ratings = rated["ratings"]
        if not isinstance(ratings, Mapping):
            raise InputError.of("responses.not_a_rated_request", source=f"{where}, query {place}", key="ratings")
        yield Entry(_key(rated, "query", where, f"query {place}"), list(ratings), list(ratings.values()))


def _rre_ratings(document: Document, where: str) -> Iterator[Entry]:
    for place, rated in enumerate(document["queries"], start=1):
        at = f"{where}, query {place}"
        holders, relevant = rated.get("placeholders"), rated["relevant_documents"]
        query = holders.get("$query") if isinstance(holders, Mapping) else None
        if query is None or not isinstance(relevant, Mapping):
            raise InputError.of("responses.not_a_rated_request", source=at, key="placeholders.$query")
        items, grades = [], []
        for name, gain in relevant.items():  # {"doc": {"gain": 2}}, or {"2": ["doc", ...]}
            by_gain = gain if isinstance(gain, list) else [name]
            items.extend(by_gain)
            value = number_of(name) if isinstance(gain, list) else _key(gain, "gain", at, f"document {name}")
            grades.extend([value] * len(by_gain))
        yield Entry(query, items, grades)


def _quepid_book(document: Document, where: str) -> Iterator[Entry]:
    """What the judges of each pair agree on; a pair that nobody rated is not judged."""
    by_query: dict[object, dict[object, object]] = {}
    is_whole = not document.get("support_implicit_judgements")
    for place, pair in enumerate(document["query_doc_pairs"], start=1):
        query, item = (_key(pair, key, where, f"query_doc_pairs {place}") for key in ("query_text", "doc_id"))
        ratings = [judged.get("rating") for judged in pair.get("judgements", []) if isinstance(judged, Mapping)]
        rated = [float(rating) for rating in ratings if isinstance(rating, (int, float))]
        graded = by_query.setdefault(query, {})
        if rated:
            graded[item] = agreed_rating(rated, is_whole=is_whole)
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


def _list_under(document: Document, keys: Sequence[str]) -> str | None:
    """The first key under which a record lists results; one level down where a component of a pipeline wrote it."""
    for key in keys:
        if isinstance(document.get(key), list):
            return key
    for outer, inner in document.items():
        if isinstance(inner, Mapping):
            for key in keys:
                if isinstance(inner.get(key), list):
                    return f"{outer}.{key}"
    return None


def _under(document: Document, path: str) -> list[Any]:
    outer, dot, key = path.rpartition(".")
    results: list[Any] = document[outer][key] if dot else document[path]
    return results


def _is_record(document: Document) -> bool:
    """Whether this is a query with its results: objects with ids, or ids and texts under a name that RAG tools use."""
    if query_of(document) is None:
        return False
    key = _list_under(document, _RETRIEVED)
    if key is None:
        return False
    results = _under(document, key)
    usual = fold(key) in NESTED_ITEMS
    # Lists of plain ids under those names are tables with a query in each row, which have columns that can be named.
    return bool(results and not isinstance(results[0], (str, int))) or (not usual and "." not in key)


def _record(document: Document, where: str) -> Iterator[Entry]:
    key = _list_under(document, _RETRIEVED)
    assert key is not None  # noqa: S101 (`_is_record` found it)
    results = _under(document, key)
    items = [_item_of(result, f"{where}, {key}", place) for place, result in enumerate(results, start=1)]
    scores = [_score_of(result) for result in results]
    beside = document.get("scores")
    if isinstance(beside, list) and len(beside) == len(items) and not any(score is not None for score in scores):
        scores = beside
    if any(score is None for score in scores) and any(score is not None for score in scores):
        place = next(place for place, score in enumerate(scores, start=1) if score is None)
        raise InputError.of("responses.some_scored", source=f"{where}, {key}", place=place)
    yield Entry(query_of(document), items, _complete(scores))


def _is_expectation(document: Document) -> bool:
    return query_of(document) is not None and _list_under(document, _EXPECTED) is not None


def _expectation(document: Document, where: str) -> Iterator[Entry]:
    key = _list_under(document, _EXPECTED)
    assert key is not None  # noqa: S101 (`_is_expectation` found it)
    items = [_item_of(result, f"{where}, {key}", place) for place, result in enumerate(_under(document, key), start=1)]
    yield Entry(query_of(document), items)


def _is_qa_dataset(document: Document) -> bool:
    return isinstance(document.get("relevant_docs"), Mapping) and isinstance(document.get("queries"), Mapping)


def _qa_dataset(document: Document, where: str) -> Iterator[Entry]:
    relevant: Mapping[str, Any] = document["relevant_docs"]
    for query in dict.fromkeys([*document["queries"], *relevant]):
        items = relevant.get(query, [])
        if not isinstance(items, list):
            raise InputError.of("responses.not_a_rated_request", source=f"{where}, relevant_docs of {query}", key="[]")
        yield Entry(query, items)


def _item_of(result: object, where: str, place: int) -> object:
    """The id of a result, however a tool wraps it; its text where it has no id."""
    if isinstance(result, list) and len(result) == 2:  # a document with its score or distance
        result = result[0]
    if not isinstance(result, Mapping):
        return result
    item = _id_within(result)
    if item is None:
        raise InputError.of("responses.result_without_id", source=where, place=place, keys=examples(result, shown=8))
    return item


def is_document(value: object) -> bool:
    """Whether this is a document with an id or a text."""
    return isinstance(value, Mapping) and _id_within(value) is not None


def _id_within(document: Document) -> object | None:
    layers = [document, *(document[key] for key in _WITHIN if isinstance(document.get(key), Mapping))]
    values = (layer.get(key) for keys in (_ITEM_IDS, _ITEM_TEXTS) for layer in layers for key in keys)
    return next((value for value in values if isinstance(value, (str, int)) and not isinstance(value, bool)), None)


def _score_of(result: object) -> object | None:
    if not isinstance(result, Mapping):
        return None
    return next((result[key] for key in _SCORES if result.get(key) is not None), None)


def _key(record: object, key: str, where: str, what: str) -> Any:
    """The value of a key that must be there."""
    if not isinstance(record, Mapping) or record.get(key) is None:
        raise InputError.of("responses.without_key", source=where, what=what, key=key)
    return record[key]


def _complete(values: list[object]) -> list[object] | None:
    """Numbers for every item, or none at all."""
    return None if any(value is None for value in values) or not values else values


SHAPES: tuple[Shape, ...] = (
    Shape(Kind("_msearch response", "run", "", "_id", "_score"),
          lambda one: isinstance(one.get("responses"), list), _searches),
    Shape(Kind("_search response", "run", "", "_id", "_score"),
          lambda one: _is_search(one) or _is_failed_search(one), _search),
    Shape(Kind("_rank_eval response", "run", "details", "_id", "_score"),
          lambda one: "metric_score" in one and isinstance(one.get("details"), Mapping), _rank_eval_answer),
    Shape(Kind("Solr response", "run", "params.q", "id", "score"), _is_solr, _solr),
    Shape(Kind("Vespa response", "run", "", "id", "relevance"), _is_vespa, _vespa),
    Shape(Kind("_rank_eval request", "judgments", "id", "_id", "rating"),
          lambda one: isinstance(one.get("requests"), list), _rank_eval_request),
    Shape(Kind("OpenSearch judgment list", "judgments", "query", "docId", "rating"),
          lambda one: isinstance(one.get("judgmentRatings"), list), _judgment_list),
    Shape(Kind("Quepid book", "judgments", "query_text", "doc_id", "rating"),
          lambda one: isinstance(one.get("query_doc_pairs"), list), _quepid_book),
    Shape(Kind("Quepid ratings", "judgments", "query", "ratings", "ratings"),
          lambda one: _rated_queries(one, "ratings"), _quepid_case),
    Shape(Kind("RRE ratings", "judgments", "$query", "relevant_documents", "gain"),
          lambda one: _rated_queries(one, "relevant_documents"), _rre_ratings),
    Shape(Kind("LlamaIndex data set", "judgments", "queries", "relevant_docs"), _is_qa_dataset, _qa_dataset),
    Shape(Kind("retrieval record", "run", "", "id", "score", as_returned=False), _is_record, _record),
    Shape(Kind("retrieval record", "judgments", "", "id"), _is_expectation, _expectation),
)  # fmt: skip
"""Every shape, in the order in which they are tried. A record may hold what was retrieved and what was expected."""
