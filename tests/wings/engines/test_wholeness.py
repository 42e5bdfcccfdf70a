"""Responses that say that they are not whole: every engine, every way, wherever the field stands.

``recorded/incomplete.json`` holds a whole response of each engine and what its documentation says of others; a
path leads to each field that is then different, None takes it out.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import rankmeter as rm
from rankmeter.wings.engines.wholeness import SIGNS

ENGINES = json.loads((Path(__file__).parent / "recorded" / "incomplete.json").read_text())
TRUTH = {"q1": {"d1": 1, 1: 1}, "q2": {"d2": 1, 2: 1}}


def changed(document: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    document = copy.deepcopy(document)
    for path, value in changes.items():
        holder: Any = document
        *above, last = path.split("/")
        for step in above:
            holder = holder.setdefault(step, {})
        holder[last] = value
        if value is None:
            del holder[last]
    return document


def truth_of(engine: str) -> dict[str, Any]:
    kind = int if engine in ("Qdrant", "Milvus") else str
    return {query: [item for item in items if isinstance(item, kind)] for query, items in TRUTH.items()}


def routes(folder: Path, first: Any, second: Any) -> dict[str, Any]:
    """The same two responses by every way in."""
    by_query = {"q1": first, "q2": second}
    records = [{"query_id": query, "response": one} for query, one in by_query.items()]
    merged = [{**one, "query_id": query} for query, one in by_query.items()]
    announced = [line for query, one in by_query.items() for line in ({"query_id": query}, one)]

    def lines(name: str, rows: list[Any]) -> Path:
        path = folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    ways: dict[str, Any] = {"objects by query": by_query, "records": records, "merged records": merged}
    for name, document in (("by_query", by_query), ("records", records)):
        (folder / f"{name}.json").write_text(json.dumps(document, indent=1))
        ways[f"{name}.json"] = folder / f"{name}.json"
    ways["records.jsonl"] = lines("records.jsonl", records)
    ways["merged.jsonl"] = lines("merged.jsonl", merged)
    if any(key in first for key in ("_shards", "responseHeader", "root")):  # others are records, with their query
        ways["announced.jsonl"] = lines("announced.jsonl", announced)
    if "hits" in first and "_shards" in first:
        (folder / "queries.txt").write_text("q1\nq2\n")
        (folder / "bulk.json").write_text(json.dumps({"took": 1, "responses": [first, second]}))
        ways["_msearch"] = folder / "bulk.json"
    return ways


@pytest.mark.parametrize("engine", ENGINES)
def test_whole_responses_are_read_by_every_way_in(tmp_path, engine):
    whole = ENGINES[engine]["whole"]
    for way, run in routes(tmp_path, whole, whole).items():
        assert rm.evaluate(truth_of(engine), run, "RR")["RR"] == 0.75, way


EXAMPLES = [
    pytest.param(engine, example, id=f"{engine}: {example['says']}")
    for engine, examples in ENGINES.items() for example in examples["incomplete"]
]  # fmt: skip


@pytest.mark.parametrize(("engine", "example"), EXAMPLES)
@pytest.mark.parametrize("place", [0, 1])
def test_documented_incomplete_responses_are_refused_by_every_way_in(tmp_path, engine, example, place):
    responses = [ENGINES[engine]["whole"]] * 2
    responses[place] = changed(ENGINES[engine]["whole"], example["set"])
    assert example["page"].startswith("https://")
    for way, run in routes(tmp_path, *responses).items():
        with pytest.raises(rm.InputError) as caught:
            rm.evaluate(truth_of(engine), run, "RR")
        assert example["says"] in str(caught.value), way
        for language in ("en", "zh"):
            assert example["says"].partition(":")[0].split()[0] in caught.value.text(language), way


WAYS: dict[str, list[object]] = {
    "error": ["timeout", {"message": "gone"}, {"type": "x"}, ["gone"], True],
    "errors": [[{"message": "gone"}], ["gone"]],
    "exception": [{"code": "x"}, "x"],
    "status": ["503 Service Unavailable", "error", "FAILED", "partial", "timed_out", 503, "504", 206, {"error": "x"}],
    "state": ["RUNNING", "in progress", "cancelled"],
    "timed_out": [True, "true"],
    "is_partial": [True, "True"],
    "isRunning": [True],
    "partialResults": [True, "true", "omitted"],
    "incomplete_results": [True],
    "truncated": [True],
    "terminated_early": [True],
    "search_cutoff": [True],
    "degraded": [True, {"timeout": True}],
    "coverage": [{"full": False}, {"coverage": 99}, {"degraded": {"match-phase": True}}],
    "_shards": [{"total": 5, "successful": 4, "failed": 0}, {"total": 5, "successful": 5, "failed": 1}],
    "_clusters": [{"total": 2, "successful": 1}],
    "success": [False, "false"],
    "complete": [False],
    "done": ["false"],
    "timedOut": ["yes", 1, ["shard 3"]],
    "failed_shards": [2, "1"],
    "early_terminated": [True],
    "cutoff": [True],
    "error_code": [500],
    "has_error": [True],
    "errorType": ["Timeout"],
    "code": [503],
    "start": [10],
    "currentPage": [2],
    "pagination": [{"page": 2}, {"offset": 10}],
    "warning": ["Timeout limit was reached", ["partial results"], {"reason": "time limit exceeded"}],
    "message": ["Request timed out"],
    "failed_splits": [[{"split_id": "x"}]],
    "from": [10, "10"],
    "previous": ["/search?page=1"],
    "prev_page_token": ["x"],
    "pageInfo": [{"hasPreviousPage": True}],
    "params": ["q=red&start=20", {"$skip": 50}, {"search_after": [1.0]}, {"pageToken": "x"}],
    "body": ['{"from": 10}'],
    "meta": [{"status": 503}, {"timed_out": True}],
    "stats": [{"is_partial": True}, {"complete": False}],
    "search_metadata": [{"status": "Error"}, {"timedOut": "true"}],
    "metadata": [{"truncated": True}],
    "completeness": ["partial"],
    "aborted": [True],
    "limit_reached": [True],
    "shard_failures": [[{"shard": 1}]],
    "error_count": [2],
    "percent_complete": [60],
    "offset": [1],
    "exit_code": [137],
    "grpc_status": ["DEADLINE_EXCEEDED", 4],
    "response_code": [503],
    "content_range": ["items 10-19/50"],
    "start_rank": [11],
    "is_first_page": [False],
    "request": [{"from": 10}, {"offset": 5}, {"page": 2}],
    "responseHeader": [{"status": 1}, {"partialResults": True}, {"params": {"start": "10"}}],
}
HARMLESS: dict[str, list[object]] = {
    "error": [None, "", {}, [], False, float("nan")],
    "errors": [[], None],
    "status": ["ok", "green", "completed", 200, 0, "200", 1],
    "state": ["SUCCEEDED", "CA"],
    "timed_out": [False, None, "false"],
    "timeout": [30, "30s"],
    "partialResults": [False, "false"],
    "degraded": [False, {"timeout": False}],
    "coverage": [{"full": True, "coverage": 100}, 0.97],
    "_shards": [{"total": 5, "successful": 5, "skipped": 3, "failed": 0, "failures": []}],
    "warning": [None, "", [], "a word of the query is shorter than min_prefix_len"],
    "offset": [0, None],
    "from": [0, "mail"],
    "previous": [None, ""],
    "prev_page_token": [None],
    "pageInfo": [{"hasPreviousPage": False, "hasNextPage": True}],
    "params": ["q=red&start=0", {"cursorMark": "*"}],
    "body": ["a text = with a sign", '{"from": 0}', "{"],
    "url": ["/shop?from=berlin"],
    "segmentTerminatedEarly": [True],
    "zkConnected": [True],
    "start": [1583945890986],
    "page": [1],
    "code": [7],
    "metadata": [{"status": "failed", "error": "x"}],
    "aggregations": [{"error": {"buckets": []}, "status": {"value": 503}}],
}


def layers_of(document: dict[str, Any]) -> list[str]:
    """Where a field may stand: on the response and on what its results stand in."""
    found = [""]
    for key, inner in document.items():
        if key in ("response", "root", "hits", "result", "data") and isinstance(inner, dict):
            found += [f"{key}/{path}" for path in layers_of(inner)]
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_no_way_of_being_incomplete_is_silent(tmp_path, engine):
    whole = ENGINES[engine]["whole"]
    for layer in layers_of(whole):
        for key, values in WAYS.items():
            for value in values:
                holder = whole
                for step in filter(None, layer.split("/")):
                    holder = holder[step]
                merged = (
                    {**holder[key], **value} if isinstance(value, dict) and isinstance(holder.get(key), dict) else value
                )
                other = changed(whole, {layer + key: merged})
                for run in ({"q1": whole, "q2": other}, [{"query_id": "q1", "response": other}]):
                    with pytest.raises(rm.InputError) as caught:
                        rm.evaluate(truth_of(engine), run, "RR")
                    kind = caught.value.problem.kind
                    assert kind in ("engines.failed", "engines.partial", "engines.later_page"), (
                        layer,
                        key,
                        value,
                    )


@pytest.mark.parametrize("engine", ENGINES)
def test_what_says_nothing_of_the_kind_is_read(engine):
    whole = ENGINES[engine]["whole"]
    for key, values in HARMLESS.items():
        for value in values:
            if isinstance(whole.get(key), (dict, list)) or (key == "code" and "message" in whole):
                continue
            if (key == "page" and "nbHits" in whole) or (key == "code" and "data" in whole):
                continue
            other = changed(whole, {key: value} if value is not None else {})
            assert rm.evaluate(truth_of(engine), {"q1": whole, "q2": other}, "RR")["RR"] == 0.75, (key, value)


def test_a_warning_of_something_else_is_passed_on():
    whole = ENGINES["Manticore"]["whole"]
    run = {"q1": whole, "q2": {**whole, "warning": {"reason": "a word is shorter than min_prefix_len"}}}
    notes = rm.evaluate(truth_of("Manticore"), run, "RR").reading.notes
    assert [str(note) for note in notes] == ["run, q2: the engine warned: a word is shorter than min_prefix_len"]


COUNTS = {
    "Elasticsearch": "hits/total/value", "Solr": "response/numFound", "Vespa": "root/fields/totalCount",
    "Typesense": "found", "Meilisearch": "estimatedTotalHits", "Algolia": "nbHits", "Azure AI Search": "@odata.count",
    "Coveo": "totalCount", "Couchbase": "total_hits", "Redis": "total_results", "Quickwit": "num_hits",
    "Manticore": "hits/total", "Vertex AI Search": "totalSize",
}  # fmt: skip
HIGHEST = {"Elasticsearch": "hits/max_score", "Solr": "response/maxScore", "Manticore": "hits/max_score"}


@pytest.mark.parametrize(("engine", "path", "value", "says"), [
    *((engine, path, 1, "and 2 are listed") for engine, path in COUNTS.items()),
    *((engine, path, value, "may be missing") for engine, path in HIGHEST.items() for value in (9999.5, "9999.5")),
])  # fmt: skip
def test_counts_and_highest_scores_that_contradict_the_list_are_noted(tmp_path, engine, path, value, says):
    whole = ENGINES[engine]["whole"]
    for way, run in routes(tmp_path, whole, changed(whole, {path: value})).items():
        (note,) = rm.evaluate(truth_of(engine), run, "RR").reading.notes
        assert says in note, way
    assert not rm.evaluate(truth_of(engine), {"q1": whole, "q2": whole}, "RR").reading.notes


def test_a_field_around_the_response_counts_as_one_of_it(tmp_path):
    whole = ENGINES["Elasticsearch"]["whole"]
    for key, values in WAYS.items():
        for value in values:
            path = tmp_path / "run.jsonl"
            path.write_text(json.dumps({"query_id": "q1", key: value, "response": whole}) + "\n")
            with pytest.raises(rm.InputError, match=r"run\.jsonl"):
                rm.evaluate(truth_of("Elasticsearch"), path, "RR")


def test_judgments_that_are_still_being_made_are_refused():
    ratings = [{"query": "q1", "ratings": [{"docId": "d1", "rating": "1.0"}]}]
    judged = {"name": "clicks", "status": "COMPLETED", "judgmentRatings": ratings}
    run = {"q1": ["d1"]}
    assert rm.evaluate(judged, run, "RR")["RR"] == 1.0
    for status in ("PROCESSING", "ERROR", "TIMEOUT"):
        with pytest.raises(rm.InputError, match=f"status: {status}"):
            rm.evaluate({**judged, "status": status}, run, "RR")


def test_every_sign_of_the_table_has_an_example():
    said = json.dumps([[example["set"] for example in engine["incomplete"]] for engine in ENGINES.values()])
    said = (said + json.dumps(WAYS)).casefold().replace("_", "").replace("-", "")
    for sign in SIGNS:
        fields = [field.split(".")[-1] if "@" not in field else field for field in sign.fields.split()]
        assert any(f'"{field}"' in said or f'/{field}"' in said for field in fields), sign.fields
