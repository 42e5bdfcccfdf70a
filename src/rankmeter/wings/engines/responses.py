"""What search engines answer: the hits of a search, in the order in which they were returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankmeter.errors import InputError
from rankmeter.inputs.export_tables import Entry, Kind
from rankmeter.wings.engines.documents import (
    Document,
    Shape,
    all_or_none,
    each_value,
    holds,
    of_kind,
    query_of,
    value_at,
)
from rankmeter.wings.engines.wholeness import is_there, refuse_incomplete, refuse_unshown

# Elasticsearch and OpenSearch


def _is_search(document: Document) -> bool:
    return isinstance(value_at(document, "hits", "hits"), list)


def _is_failure(document: Document) -> bool:
    """Whether this is what stands in place of a response; what it says is refused."""
    error = document.get("error")
    return is_there(error) and ("status" in document or isinstance(error, Mapping))


def _search(document: Document, where: str) -> Iterator[Entry]:
    hits: list[Any] = document["hits"]["hits"]
    yield _hits(query_of(document), hits, where, "hits.hits")


def _hits(query: object, hits: Sequence[Any], where: str, under: str) -> Entry:
    items = each_value(hits, "_id", where, under, "engines.hit_without_id")
    return Entry(query, items, all_or_none([hit.get("_score") for hit in hits]))


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
            raise InputError.of("engines.not_a_response", source=at, key="hits.hits")
        refuse_incomplete(response, at)
        yield from shown(_search(response, at), response, at)


def _rank_eval_answer(document: Document, where: str) -> Iterator[Entry]:
    for query, detail in document["details"].items():
        at = f"{where}, details.{query}"
        hits = of_kind(list, value_at(detail, "hits"), at, "hits", "engines.not_a_response")
        rows = [hit.get("hit", hit) if isinstance(hit, Mapping) else hit for hit in hits]
        yield _hits(query, rows, at, "hits")


# Solr, Vespa, Chroma


def _solr(document: Document, where: str) -> Iterator[Entry]:
    docs: list[Any] = document["response"]["docs"]
    items = each_value(docs, "id", where, "response.docs", "engines.solr_without_id")
    parameters = value_at(document, "responseHeader", "params")
    named = (query_of(document), query_of(parameters), value_at(parameters, "q"))
    query = next((query for query in named if query is not None), None)
    yield Entry(query, items, all_or_none([doc.get("score") for doc in docs]))


def _is_vespa(document: Document) -> bool:
    root = document.get("root")
    return isinstance(root, Mapping) and any(key in root for key in ("children", "fields", "coverage", "errors"))


def _vespa(document: Document, where: str) -> Iterator[Entry]:
    root: Document = document["root"]
    items, scores = [], []
    children = of_kind(list, root.get("children", []), where, "root.children", "engines.not_a_response")
    for place, hit in enumerate(children, start=1):
        if str(value_at(hit, "id")).startswith("group:"):
            raise InputError.of("engines.grouped", source=where, place=place)
        items.append(_vespa_id(hit, where, place))
        scores.append(hit.get("relevance"))
    yield Entry(query_of(document), items, all_or_none(scores))


def _vespa_id(hit: object, where: str, place: int) -> object:
    """The part of a document's id that its owner chose: ``id:shop:product::B07`` is B07."""
    full = value_at(hit, "fields", "documentid") or value_at(hit, "id")
    if full is None or str(full).startswith("index:"):
        raise InputError.of("engines.vespa_without_id", source=where, place=place)
    text = str(full)
    return text.partition("::")[2] if text.startswith("id:") and "::" in text else full


def _is_chroma(document: Document) -> bool:
    ids = document.get("ids")
    is_batch = isinstance(ids, list) and bool(ids) and all(isinstance(listed, list) for listed in ids)
    return is_batch and any(key in document for key in ("distances", "metadatas", "included"))


def _chroma(document: Document, _: str) -> Iterator[Entry]:
    """A list of ids for each query that was searched for at once, nearest first."""
    for ids in document["ids"]:
        yield Entry(query_of(document), ids)


SHAPES: tuple[Shape, ...] = (
    Shape(Kind("_msearch response", "run", "", "_id", "_score"), holds(list, ("responses",)), _searches),
    Shape(Kind("_search response", "run", "", "_id", "_score"),
          lambda one: _is_search(one) or _is_failure(one), _search),
    Shape(Kind("_rank_eval response", "run", "details", "_id", "_score"),
          lambda one: "metric_score" in one and isinstance(one.get("details"), Mapping), _rank_eval_answer),
    Shape(Kind("Solr response", "run", "params.q", "id", "score"), holds(list, ("response", "docs")), _solr),
    Shape(Kind("Vespa response", "run", "", "id", "relevance"), _is_vespa, _vespa),
    Shape(Kind("Chroma result", "run", "", "ids"), _is_chroma, _chroma),
)  # fmt: skip
"""The responses of engines that have a form of their own; others are read as records."""
