"""Sets of judgments that tools keep as JSON: rated requests, judgment lists, books, relevant documents by query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rankmeter.errors import InputError
from rankmeter.inputs.cells import is_number, number_of
from rankmeter.inputs.export_tables import Entry, Kind, check_id
from rankmeter.wings.engines.documents import Document, Shape, each_value, holds, of_kind, value_at, value_of
from rankmeter.wings.engines.hit_lists import Taking


def _rank_eval_request(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    taking.unread.take(document["requests"])
    for place, request in enumerate(document["requests"]):
        name, ratings = value_at(request, "id"), value_at(request, "ratings")
        at = f"{where}, requests[{place}]" + ("" if name is None else f" ({name})")
        if name is None or not isinstance(ratings, list):
            raise InputError.of("engines.not_a_rated_request", source=at, key="id" if name is None else "ratings")
        items = [check_id(item, at) for item in each_value(ratings, "_id", at, "ratings")]
        indices: dict[object, object] = {}
        for item, rating in zip(items, ratings, strict=True):
            if indices.setdefault(item, rating.get("_index")) != rating.get("_index"):
                raise InputError.of("engines.several_indices", source=at, item=item)
        if len(indices) < len(items):
            item = next(item for place, item in enumerate(items) if item in items[:place])
            raise InputError.of("engines.rated_twice", source=at, item=item)
        taking.unread.in_rows(ratings, "ratings.", "_index", "_id", "rating")
        taking.unread.in_rows([request], "", "id", "ratings", "request")
        yield Entry(check_id(name, at), items, each_value(ratings, "rating", at, "ratings"))


def _judgment_list(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    lists: list[Any] = document["judgmentRatings"]
    taking.unread.take(lists)
    taking.unread.in_rows(lists, "", "query", "ratings")
    for place, query in enumerate(each_value(lists, "query", where, "judgmentRatings")):
        at = f"{where}, judgmentRatings[{place}]"
        ratings = of_kind(list, lists[place].get("ratings"), at, "ratings")
        grades = [number_of(rating) for rating in each_value(ratings, "rating", at, "ratings")]
        taking.unread.in_rows(ratings, "ratings.", "docId", "rating")
        yield Entry(query, each_value(ratings, "docId", at, "ratings"), grades)


def _rated_queries(document: Document, key: str) -> bool:
    queries = document.get("queries")
    rated = isinstance(queries, list) and all(isinstance(query, Mapping) and key in query for query in queries)
    return rated and bool(queries)


def _quepid_case(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    taking.unread.take(document["queries"])
    taking.unread.in_rows(document["queries"], "queries.", "query", "ratings")
    for place, query in enumerate(each_value(document["queries"], "query", where, "queries")):
        ratings = of_kind(Mapping, document["queries"][place]["ratings"], f"{where}, queries[{place}]", "ratings")
        yield Entry(query, list(ratings), list(ratings.values()))


def _rre_ratings(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    taking.unread.take(document["queries"])
    taking.unread.in_rows(document["queries"], "queries.", "placeholders", "relevant_documents")
    for place, rated in enumerate(document["queries"]):
        at = f"{where}, queries[{place}]"
        query, relevant = value_at(rated, "placeholders", "$query"), rated["relevant_documents"]
        if query is None or not isinstance(relevant, Mapping):
            raise InputError.of("engines.not_a_rated_request", source=at, key="placeholders.$query")
        items, grades = [], []
        for name, gain in relevant.items():  # {"doc": {"gain": 2}}, or {"2": ["doc", ...]}
            by_gain = gain if isinstance(gain, list) else [name]
            items.extend(by_gain)
            value = (
                number_of(name) if isinstance(gain, list) else value_of(gain, "gain", at, f"relevant_documents.{name}")
            )
            grades.extend([value] * len(by_gain))
        yield Entry(query, items, grades)


def _quepid_book(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    """What the judges of each pair agree on; a pair that nobody rated is not judged."""
    by_query: dict[object, dict[object, object]] = {}
    is_whole = not document.get("support_implicit_judgements")
    pairs: list[Any] = document["query_doc_pairs"]
    taking.unread.take(pairs)
    taking.unread.in_rows(pairs, "", "query_text", "doc_id", "judgements")
    queries, items = (
        [check_id(value, where) for value in each_value(pairs, key, where, "query_doc_pairs")]
        for key in ("query_text", "doc_id")
    )
    for query, item, pair in zip(queries, items, pairs, strict=True):
        judged = pair.get("judgements") or []
        if not isinstance(judged, list) or not all(isinstance(judgment, Mapping) for judgment in judged):
            raise InputError.of("engines.not_a_rated_request", source=f"{where}, {query}, {item}", key="judgements")
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


def _qa_dataset(document: Document, where: str, taking: Taking) -> Iterator[Entry]:
    relevant: Mapping[str, Any] = document["relevant_docs"]
    taking.unread.take(relevant, document["queries"])
    for query in dict.fromkeys([*document["queries"], *relevant]):
        yield Entry(query, of_kind(list, relevant.get(query, []), f"{where}, relevant_docs of {query}", "[]"))


SHAPES: tuple[Shape, ...] = (
    Shape(Kind("_rank_eval request", "judgments", "id", "_id", "rating"),
          holds(list, ("requests",)), _rank_eval_request),
    Shape(Kind("OpenSearch judgment list", "judgments", "query", "docId", "rating"),
          holds(list, ("judgmentRatings",)), _judgment_list),
    Shape(Kind("Quepid book", "judgments", "query_text", "doc_id", "rating"),
          holds(list, ("query_doc_pairs",)), _quepid_book),
    Shape(Kind("Quepid ratings", "judgments", "query", "ratings", "ratings"),
          lambda one: _rated_queries(one, "ratings"), _quepid_case),
    Shape(Kind("RRE ratings", "judgments", "$query", "relevant_documents", "gain"),
          lambda one: _rated_queries(one, "relevant_documents"), _rre_ratings),
    Shape(Kind("LlamaIndex data set", "judgments", "queries", "relevant_docs"),
          holds(Mapping, ("relevant_docs",), ("queries",)), _qa_dataset),
)  # fmt: skip
"""Every set of judgments."""
