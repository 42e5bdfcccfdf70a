"""What search engines answer: the hits of a search, in the order in which they were returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from rankmeter.errors import InputError
from rankmeter.inputs.export_tables import Entry, Kind
from rankmeter.wings.engines.documents import (
    TAKEN,
    Document,
    Shape,
    each_value,
    holds,
    of_kind,
    query_of,
    value_at,
)
from rankmeter.wings.engines.hit_lists import Taking
from rankmeter.wings.engines.limits import count_note, highest_noted, limits_noted
from rankmeter.wings.engines.wholeness import holds_error, refuse_incomplete, refuse_unshown

# Elasticsearch and OpenSearch


def _is_search(document: Document) -> bool:
    return isinstance(value_at(document, "hits", "hits"), list)


def _is_failure(document: Document) -> bool:
    """Whether this is what stands in place of a response; what it says is refused."""
    error = document.get("error")
    return holds_error(error) and ("status" in document or isinstance(error, Mapping))


def _search(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    hits: list[Any] = document["hits"]["hits"]
    taking.note(highest_noted(document, where, hits))
    yield _hits(query_of(document), hits, where, "hits.hits", taking)


def _hits(query: object, hits: Sequence[Any], where: str, under: str, taking: Taking) -> Entry:
    ids = partial(_under, "_id", hits, where, under, "engines.hit_without_id")
    return taking.entry(query, hits, where, under, ids, is_sorted=True)


def _under(key: str, hits: Sequence[Any], where: str, under: str, kind: str) -> tuple[list[object], str]:
    """The ids of hits under a key that each of them has."""
    return each_value(hits, key, where, under, kind), key


def shown(entries: Iterator[Entry], document: object, where: str, taking: Taking | None = None) -> Iterator[Entry]:
    """The entries of a response; one that found documents and lists none is refused, one that lists more is noted."""
    listed = list(entries)
    if len(listed) == 1:
        count = len(listed[0].items)
        if not count:
            refuse_unshown(document, where)
        elif taking is not None and (note := count_note(document, where, count)) is not None:
            taking.notes.setdefault("count", note)
    yield from listed


def _searches(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    for place, response in enumerate(document["responses"]):
        at = f"{where}, responses[{place}]"
        if not isinstance(response, Mapping) or not (_is_search(response) or "error" in response):
            raise InputError.of("engines.not_a_response", source=at, key="hits.hits")
        refuse_incomplete(response, at)
        entries = list(shown(_search(response, at, taking), response, at, taking))
        taking.note(limits_noted(response, at, [item for entry in entries for item in entry.items]))
        yield from entries


def _rank_eval_answer(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    taking.unread.take(document["details"])
    for query, detail in document["details"].items():
        at = f"{where}, details.{query}"
        hits = of_kind(list, value_at(detail, "hits"), at, "hits", "engines.not_a_response")
        rows = [hit.get("hit", hit) if isinstance(hit, Mapping) else hit for hit in hits]
        yield _hits(query, rows, at, "hits", taking)


# Solr, Vespa, Chroma


def _solr(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    docs: list[Any] = document["response"]["docs"]
    taking.note(highest_noted(document, where, docs))
    parameters = value_at(document, "responseHeader", "params")
    named = (query_of(document), query_of(parameters), value_at(parameters, "q"))
    query = next((query for query in named if query is not None), None)
    ids = partial(_under, "id", docs, where, "response.docs", "engines.solr_without_id")
    yield taking.entry(query, docs, where, "response.docs", ids, is_sorted=True)


def _is_vespa(document: Document) -> bool:
    root = document.get("root")
    return isinstance(root, Mapping) and any(key in root for key in ("children", "fields", "coverage", "errors"))


def _vespa(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    root: Document = document["root"]
    hits = of_kind(list, root.get("children", []), where, "root.children", "engines.not_a_response")
    for place, hit in enumerate(hits, start=1):
        if str(value_at(hit, "id")).startswith("error") or value_at(hit, "errors"):
            at = f"{where}, root.children[{place - 1}]"
            refuse_incomplete(hit, at)
            raise InputError.of("engines.failed", source=at, reason=str(value_at(hit, "id")))
        if str(value_at(hit, "id")).startswith("group") or value_at(hit, "children") is not None:
            raise InputError.of("engines.grouped", source=where, place=place)

    def ids() -> tuple[list[object], str]:
        return [_vespa_id(hit, where, place) for place, hit in enumerate(hits, start=1)], "id"

    yield taking.entry(query_of(document), hits, where, "root.children", ids, is_sorted=True)


def _vespa_id(hit: object, where: str, place: int) -> object:
    """The part of a document's id that its owner chose: ``id:shop:product::B07`` is B07."""
    full = value_at(hit, "fields", "documentid") or value_at(hit, "id")
    if full in (None, "") or str(full).startswith("index:"):
        raise InputError.of("engines.vespa_without_id", source=where, place=place)
    text = str(full)
    return text.partition("::")[2] if text.startswith("id:") and "::" in text else full


def _is_chroma(document: Document) -> bool:
    ids = document.get("ids")
    is_batch = isinstance(ids, list) and bool(ids) and all(isinstance(listed, list) for listed in ids)
    return is_batch and any(key in document for key in ("distances", "metadatas", "included"))


def _plain(ids: list[object]) -> tuple[list[object], str]:
    return ids, ""


def _chroma(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    """A list of ids for each query that was searched for at once, nearest first."""
    lists: dict[str, Any] = {
        name: held for name, held in document.items() if isinstance(held, list) and len(held) == len(document["ids"])
    }
    taking.unread.take(document["ids"], document.get("included"), lists.get("distances"), lists.get("metadatas"))
    for place, ids in enumerate(document["ids"]):
        under = f"ids[{place}]"
        distances = lists.get("distances", [None] * len(lists["ids"]))[place]
        if isinstance(distances, list) and len(distances) != len(ids):
            raise InputError.of("engines.not_as_many", source=f"{where}, {under}", field="distances",
                                count=len(distances), items=len(ids))  # fmt: skip
        metadata = lists.get("metadatas", [None] * len(lists["ids"]))[place]
        is_beside = isinstance(metadata, list) and len(metadata) == len(ids)
        is_seen = is_beside and (bool(taking.wanted.item) or any(metadata))
        results = [{"metadata": one} for one in metadata] if is_seen else ids
        beside = ("distances", distances) if isinstance(distances, list) else None
        yield taking.entry(query_of(document), results, where, under, partial(_plain, ids), beside=beside)


_FIELDS = frozenset(TAKEN)

SHAPES: tuple[Shape, ...] = (
    Shape(Kind("_msearch response", "run", "", "_id", "_score"), holds(list, ("responses",)), _searches, _FIELDS),
    Shape(Kind("_search response", "run", "", "_id", "_score"),
          lambda one: _is_search(one) or _is_failure(one), _search, _FIELDS),
    Shape(Kind("_rank_eval response", "run", "details", "_id", "_score"),
          lambda one: "metric_score" in one and isinstance(one.get("details"), Mapping), _rank_eval_answer, _FIELDS),
    Shape(Kind("Solr response", "run", "params.q", "id", "score"), holds(list, ("response", "docs")), _solr, _FIELDS),
    Shape(Kind("Vespa response", "run", "", "id", "relevance"), _is_vespa, _vespa, _FIELDS),
    Shape(Kind("Chroma result", "run", "", "ids"), _is_chroma, _chroma, _FIELDS),
)  # fmt: skip
"""The responses of engines that have a form of their own; others are read as records."""
