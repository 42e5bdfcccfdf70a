"""Elasticsearch's and OpenSearch's ``_rank_eval``, without an engine: the answer to a request over saved responses.

The metric of the request is a metric of the dialect ``elasticsearch``; beside it stands what the measure of the same
name gives under the usual definition.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rankmeter.errors import InputError, MeasureError, check_whole, did_you_mean, examples
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.verb import evaluate
from rankmeter.frozen import dataclass
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.export_tables import Entry
from rankmeter.inputs.json_tables import parse_json
from rankmeter.late import pl
from rankmeter.measures.dialects import find_dialect
from rankmeter.measures.grammar import find_measure
from rankmeter.showing.document import Block, Paragraph, text_table
from rankmeter.showing.numbers import number_or_none
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.engines.hit_lists import Taking
from rankmeter.wings.engines.responses import shown
from rankmeter.wings.engines.shapes import shape_of
from rankmeter.wings.engines.wholeness import refuse_incomplete
from rankmeter.wording import Language, said, word

SIZE = 10
"""How many hits are looked at where a metric does not say k."""


@dataclass(frozen=True, slots=True, repr=False)
class RankEval(ShownAsTable):
    """What ``_rank_eval`` answers, and the usual definition beside it."""

    metric: str
    """The metric with its parameters, as the dialect writes it."""
    score: float
    details: Mapping[object, Mapping[str, Any]]
    """Of each request: its score, its hits with their ratings, and those that nobody rated."""
    evaluation: Evaluation
    usual: str
    """The measure of the same name as rankmeter defines it."""
    usual_score: float

    def to_dict(self) -> dict[str, Any]:
        """The answer in the form in which the engine gives it."""
        return {"metric_score": number_or_none(self.score), "details": dict(self.details), "failures": {}}

    def to_polars(self) -> pl.DataFrame:
        """A row for each request: its score, how many hits were returned, how many of them nobody rated."""
        rows = [
            (str(query), detail["metric_score"], len(detail["hits"]), len(detail["unrated_docs"]))
            for query, detail in self.details.items()
        ]
        return pl.DataFrame(rows, ["query", "metric_score", "hits", "unrated"], orient="row")

    def document(self, language: Language = "en") -> Sequence[Block]:
        """The score of each request and of all, and the usual definition beside it."""
        heads = [word(name, language) for name in ("rank_eval_request", "rank_eval_hits", "rank_eval_unrated")]
        rows = [[query, score, hits, unrated] for query, score, hits, unrated in self.to_polars().rows()]
        rows.append(
            [
                word("rank_eval_all", language),
                number_or_none(self.score),
                *map(sum, zip(*(row[2:] for row in rows), strict=True)),
            ]
        )
        # The sentence below has the metric whole: with its parameters it is wider than the numbers.
        name = self.metric.partition("(")[0]
        table = text_table([heads[0], name, *heads[1:]], rows, ["text", "number", "count", "count"])
        values = {"metric": self.metric, "score": self.score, "usual": self.usual, "value": self.usual_score}
        sentence = said("rank_eval_alone" if math.isnan(self.usual_score) else "rank_eval_usual", **values)
        return [table, Paragraph(sentence.text(language))]


def rank_eval(request: object, responses: object) -> RankEval:
    """Answer a ``_rank_eval`` request from saved responses.

    Parameters
    ----------
    request
        The body of the request, as a mapping or the path of a JSON file: ``requests`` with ratings, and ``metric``.
    responses
        An ``_msearch`` response whose answers stand in the order of the requests, ``{id: response}``, or the path of
        either; a list of responses in that order.

    Examples
    --------
    >>> body = {"requests": [{"id": "q", "request": {}, "ratings": [{"_index": "i", "_id": "a", "rating": 3},
    ...                                                            {"_index": "i", "_id": "b", "rating": 3}]}],
    ...         "metric": {"dcg": {"k": 5, "normalize": True}}}
    >>> answer = rank_eval(body, {"q": {"hits": {"hits": [{"_index": "i", "_id": "a", "_score": 1.0}]}}})
    >>> answer.score, round(answer.usual_score, 4)
    (1.0, 0.6131)
    """
    body, where = _loaded(request, "the request")
    judged = _judgments(body, where)
    grades = {query: dict(zip(entry.items, entry.values or (), strict=True)) for query, entry in judged.items()}
    ratings = (rating for rated in grades.values() for rating in rated.values())
    highest = max((rating for rating in ratings if isinstance(rating, (int, float))), default=1)
    metric, usual, k = _metric(body, where, highest)
    lists = _lists(responses, list(judged), k, where)
    ranked = {query: [hit["_id"] for hit in hits] for query, hits in lists.items()}
    ev = evaluate(grades, ranked, [metric], dialect="elasticsearch")
    [measure] = ev.means
    values = dict(zip(ev.per_query["query"].to_list(), ev.per_query[str(measure)].to_list(), strict=True))
    details = {query: _detail(values.get(query), lists[query], grades[query]) for query in judged}
    try:
        beside = float(evaluate(grades, ranked, [usual], duplicates="counted")[usual])
    except MeasureError:  # a threshold that no rating reaches: for the engine nothing is relevant, usually it is a slip
        beside = math.nan
    return RankEval(metric, float(ev.means[measure]), details, ev, usual, beside)


def _loaded(document: object, what: str) -> tuple[Any, str]:
    """A parsed document, and how messages call it."""
    if isinstance(document, (str, Path)):
        with open_source(document) as source:
            return parse_json(source.read_all(), source.name), source.name
    return document, what


def _judgments(body: Any, where: str) -> dict[object, Entry]:
    """The ratings of each request."""
    shape = shape_of(body, "judgments")
    if shape is None or shape.kind.name != "_rank_eval request":
        keys = examples(body, shown=8) if isinstance(body, Mapping) else type(body).__name__
        raise InputError.of("engines.not_a_rank_eval", source=where, keys=keys)
    entries = list(shape.entries(body, where, Taking()))
    if not entries or not any(entry.items for entry in entries):
        raise InputError.of("engines.nothing_rated", source=where)
    twice = next(
        (entry.query for n, entry in enumerate(entries) if entry.query in [e.query for e in entries[:n]]), None
    )
    if twice is not None:
        raise InputError.of("inputs.query_twice", source=where, query=twice)
    return {entry.query: entry for entry in entries}


def _metric(body: Mapping[str, Any], where: str, highest: object) -> tuple[str, str, int]:
    """The metric as the dialect writes it, the usual measure of the name, and how many hits are looked at."""
    metrics = {metric.name: metric for metric in find_dialect("elasticsearch").metrics}
    stated = body.get("metric")
    if not isinstance(stated, Mapping) or len(stated) != 1:
        raise InputError.of("engines.no_metric", source=where, metrics=list(metrics))
    [(name, options)] = stated.items()
    options = options if isinstance(options, Mapping) else {}
    if name not in metrics:
        hint = did_you_mean(str(name), list(metrics)) or said("dialects.metrics", known=list(metrics))
        raise InputError.of("engines.unknown_metric", source=where, metric=name, hint=hint)
    offered = metrics[name].options
    for option, value in options.items():
        if option not in offered:
            raise InputError.of("engines.unknown_option", source=where, metric=name, option=option, options=[*offered])
        is_flag = not isinstance(offered[option], str)
        if type(value) is not (bool if is_flag else int) and not (value is None and option == "unknown_doc_rating"):
            kind = "engines.option_not_bool" if is_flag else "engines.option_not_whole"
            raise InputError.of(kind, source=where, metric=name, option=option, value=json.dumps(value))
    if "maximum_relevance" in offered and "maximum_relevance" not in options:
        raise InputError.of("engines.no_maximum", source=where, highest=highest)
    k = check_whole("k", options.get("k", SIZE), 1)
    written = ",".join(
        f"{option}={str(value).lower()}" for option, value in {"k": k, **options}.items() if value is not None
    )
    measure = find_measure("nDCG" if options.get("normalize") else metrics[name].measure)
    usual: dict[str, Any] = {"gain": "exp2"} if name == "dcg" else {}
    usual |= {offered[option]: value for option, value in options.items() if offered[option] in ("rel", "max_grade")}
    return f"{name}({written})", str(measure(cutoff=k, **usual)), k


def _lists(responses: object, queries: list[object], k: int, request: str) -> dict[object, list[Mapping[str, Any]]]:
    """The hits of each request, no more than the search would have returned."""
    document, where = _loaded(responses, "the responses")
    if isinstance(document, Mapping) and isinstance(document.get("responses"), list):
        document = document["responses"]
    if isinstance(document, list):
        if len(document) != len(queries):
            count, named = len(document), len(queries)
            raise InputError.of("engines.other_count", source=where, count=count, file=request, named=named)
        document = dict(zip(queries, document, strict=True))
    if not isinstance(document, Mapping) or shape_of(document, "run") is not None:
        raise InputError.of("engines.not_a_response", source=where, key="hits.hits")
    document = {str(query): answer for query, answer in document.items()}  # keys of JSON are text
    missing = [query for query in queries if str(query) not in document]
    if missing:
        raise InputError.of("engines.no_answer", source=where, queries=examples(missing))
    for query in queries:
        answer = document[str(query)]
        shape, at = shape_of(answer, "run"), f"{where}, {query}"
        if shape is None or shape.kind.name != "_search response":
            raise InputError.of("engines.not_a_response", source=at, key="hits.hits")
        refuse_incomplete(answer, at)
        list(shown(shape.entries(answer, at, Taking()), answer, at))
    return {query: document[str(query)]["hits"]["hits"][:k] for query in queries}


def _detail(score: float | None, hits: list[Mapping[str, Any]], grades: Mapping[object, object]) -> dict[str, Any]:
    """What the engine says of one request."""
    shown = ({key: hit[key] for key in ("_index", "_id", "_score") if key in hit} for hit in hits)
    rated = [{"hit": hit, "rating": grades.get(hit["_id"])} for hit in shown]
    unrated = [{key: hit[key] for key in ("_index", "_id") if key in hit} for hit in hits if hit["_id"] not in grades]
    return {"metric_score": number_or_none(score), "unrated_docs": unrated, "hits": rated}
