"""Random responses of every engine with random statements about themselves: nothing that they say is passed over.

A whole response is wrapped as people keep responses, and gets one statement: that it is not whole, that its order is
another, or that its ids are of two kinds. It is refused, or the statement changes nothing that counts; the same
response without the statement gives the number that its list has.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

import rankmeter as rm

ENGINES = json.loads((Path(__file__).parent / "recorded" / "incomplete.json").read_text())
RANKED_BY_DESIGN = ("Elasticsearch", "OpenSearch", "Solr", "Fusion", "Vespa", "Manticore")
"""Engines whose order counts where only their score says otherwise; that is noted."""


def hits_of(value: Any) -> list[dict[str, Any]] | None:
    """The list of results in a response."""
    if isinstance(value, list):
        is_list = len(value) > 1 and all(isinstance(one, dict) for one in value)
        return value if is_list else next((found for one in value if (found := hits_of(one)) is not None), None)
    inner = value.values() if isinstance(value, dict) else ()
    return next((found for one in inner if (found := hits_of(one)) is not None), None)


def wrapped(response: dict[str, Any], chance: random.Random, folder: Path) -> Any:
    """A response in one of the ways in which people keep them."""
    record = {
        "response": {"query_id": "q1", "response": response},
        "result": {"qid": "q1", "latency_ms": 12, "result": response},
        "body": {"query_id": "q1", "status": 200, "body": response},
        "merged": {**response, "query_id": "q1"},
        "by query": {"q1": response},
    }
    way = chance.choice(list(record))
    made = record[way] if way == "by query" else [record[way]]
    form = chance.choice(["object", "json", "jsonl", "gz"])
    if form == "object":
        return made
    path = folder / f"run.{form}"
    if form == "jsonl" and way != "by query":
        path.write_text("".join(json.dumps(row) + "\n" for row in made))
    elif form == "gz":
        import gzip

        path.write_bytes(gzip.compress(json.dumps(made).encode()))
    else:
        path.write_text(json.dumps(made))
    return path


INCOMPLETE: list[tuple[str, Any]] = [
    ("timed_out", True), ("timedOut", "true"), ("is_partial", True), ("isRunning", True), ("partialResults", True),
    ("search_cutoff", True), ("degraded", True), ("truncated", True), ("incomplete", 1), ("terminated_early", True),
    ("error", "timeout"), ("error", {"reason": "gone"}), ("errors", ["gone"]), ("exception", "x"), ("success", False),
    ("statusCode", 503), ("httpStatus", "206"), ("warning", ["Timeout limit was reached"]), ("complete", False),
    ("failed_splits", [{"split_id": "x"}]), ("_shards", {"total": 5, "successful": 4, "failed": 0}),
    ("_clusters", {"total": 2, "successful": 1}), ("coverage", {"coverage": 61}), ("coverage", {"full": False}),
    ("firstResult", 10), ("request", {"from": 10}), ("params", {"offset": "20"}), ("@search.coverage", 61.5),
    ("failures", [{"shard": 1}]), ("fault", {"message": "x"}),
]  # fmt: skip
CONTRADICTIONS: list[tuple[str, Any, Any]] = [
    ("rank", 2, 1), ("rank", "10", "9"), ("position", 1, 0), ("_rank", 3, 1), ("rerank_score", 0.1, 0.9),
    ("rerankerScore", 1, 2), ("@search.rerankerScore", 0.5, 3.5), ("rank", 1, "x"), ("rerank_score", 0.5, float("nan")),
    ("rank", 11, 12), ("rank", 1, None), ("排名", 2, 1), ("rerank_score", True, False),
]  # fmt: skip


def stated(engine: str, chance: random.Random) -> tuple[dict[str, Any], str]:
    """A response with one statement that contradicts it, and what the refusal may be."""
    response = copy.deepcopy(ENGINES[engine]["whole"])
    hits = hits_of(response)
    if hits is None or chance.random() < 0.5:
        key, value = chance.choice(INCOMPLETE)
        if isinstance(response.get(key), dict) and isinstance(value, dict):
            value = {**response[key], **value}
        return {**response, key: value}, f"{key}={value}"
    key, *values = chance.choice(CONTRADICTIONS)
    for hit, value in zip(hits, values, strict=False):
        hit[key] = value
    return response, f"{key}: {values}"


def number_of(run: Any, engine: str) -> float:
    kind = int if engine in ("Qdrant", "Milvus") else str
    truth = {"q1": [item for item in ("d2", 2) if isinstance(item, kind)]}
    return rm.evaluate(truth, run, "RR")["RR"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(4))
def test_no_statement_is_passed_over(tmp_path, engine, seed):
    chance = random.Random(f"{engine}{seed}")
    for _ in range(10):
        response, statement = stated(engine, chance)
        run = wrapped(response, chance, tmp_path)
        with pytest.raises(rm.InputError) as caught:
            pytest.fail(f"{statement} was passed over: {number_of(run, engine)}")
        kind = caught.value.problem.kind
        assert kind.startswith("engines."), (statement, str(caught.value))
        assert caught.value.text("zh") != caught.value.text("en")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(4))
def test_without_a_statement_every_way_gives_the_number_of_the_list(tmp_path, engine, seed):
    chance = random.Random(f"{engine}{seed}")
    for _ in range(5):
        run = wrapped(copy.deepcopy(ENGINES[engine]["whole"]), chance, tmp_path)
        assert number_of(run, engine) == 0.5


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("score", ["score", "_score", "similarity", "distance"])
def test_a_score_that_contradicts_is_refused_or_noted(tmp_path, engine, score):
    response = copy.deepcopy(ENGINES[engine]["whole"])
    hits = hits_of(response)
    if hits is None:  # Chroma keeps ids and distances in lists of their own
        return
    for place, hit in enumerate(hits):
        for key in ("score", "_score", "relevance", "distance", "_additional"):
            if key != "_additional":
                hit.pop(key, None)
        hit[score] = (0.9, 0.1)[place] if score == "distance" else (0.1, 0.9)[place]
    is_milvus = engine == "Milvus" and score == "distance"
    if is_milvus or engine.startswith(RANKED_BY_DESIGN):
        item = hits[1].get("id", "d2")
        ev = rm.evaluate({"q1": [item if is_milvus else "d2"]}, {"q1": response}, "RR")
        assert ev["RR"] == 0.5
        assert is_milvus or any("returned counts" in str(note) for note in ev.reading.notes)
    else:
        with pytest.raises(rm.InputError, match="contradicts the order"):
            number_of({"q1": response}, engine)
