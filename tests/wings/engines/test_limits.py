"""What a hit, a response or a record says that limits it or contradicts it: refused, or a note, on every way in."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path

import pytest
from tests.wings.engines.test_statements_of_inputs import ENGINES, hits_of, kept, spelled

import rankmeter as rm

pytestmark = [pytest.mark.wings("engines"), pytest.mark.filterwarnings("ignore::UserWarning")]

CASES = 60
TRUTH = {"q1": ["d2"]}
LISTED = [
    name for name in ENGINES
    if hits_of(ENGINES[name]["whole"]) is not None and name not in ("Qdrant", "Milvus") and "asynchronous" not in name
]  # fmt: skip
NONE = (
    ("error", "boom"), ("error", {"type": "x"}), ("status", "failed"), ("status", 404), ("result", "not_found"),
    ("deleted", True), ("is_deleted", "true"), ("found", False), ("exists", "false"), ("missing", 1),
    ("exception", "E()"), ("state", "timeout"), ("error_message", "x"), ("status", {"error": "gone"}),
)  # fmt: skip
"""What a hit says that is none."""
DOUBTED = (
    ("valid", False), ("excluded", True), ("ignored", 1), ("spam", "yes"), ("truncated", True), ("ok", "false"),
    ("rerank_failed", True), ("withdrawn", True), ("inner_hits", {"a": {"hits": {"hits": [{"_id": "d9"}]}}}),
)  # fmt: skip
FINE = (
    ("error", None), ("error", ""), ("status", "ok"), ("status", 200), ("deleted", False), ("found", True),
    ("exists", 1), ("valid", True), ("excluded", 0), ("error_rate", 0.25), ("inner_hits", {}), ("status", "draft"),
)  # fmt: skip
LIMITS = (
    ("coverage", 0.5), ("coverage", "61"), ("completeness", 0.4), ("has_more", True), ("hasNextPage", "true"),
    ("next_cursor", "abc"), ("nextPageToken", "x"), ("pagination", {"has_more": True}), ("links", {"next": "/p2"}),
    ("exhaustiveTypo", False), ("exhaustive", {"rulesMatch": False}), ("reranker_failed", True), ("stale", True),
    ("fully_indexed", False), ("num_failed_nodes", 2), ("search_error", "x"), ("meta", {"has_more": True}),
    ("count", 1), ("size", 1), ("returned", 1), ("message", "Timeout"), ("warnings", ["deprecated"]),
    ("grouped", {"cat": {"groups": [{"doclist": {"docs": [{"id": "d9"}]}}]}}), ("groups", [{"hits": [{"id": "d9"}]}]),
    ("expanded", {"d1": {"docs": [{"id": "d9"}]}}), ("sponsored", [{"id": "d9"}]), ("more_items", [{"id": "d9"}]),
    ("responseHeader", {"status": 0, "warnings": ["partial results due to a limit"]}), ("metadata", {"degraded": True}),
)  # fmt: skip
"""What a response says that limits it."""
LIMITS += (
    ("status", "DONE_WITH_WARNINGS"), ("status", "rate_limited"), ("status", 207), ("outcome", "failure"),
    ("result_type", "partial"), ("index_status", "rebuilding"), ("skipped_shards", 2), ("n_dropped", 4),
    ("failed_indices", ["b"]), ("remaining_results", 10), ("links", [{"rel": "next", "href": "/p2"}]),
    ("cursor", "abc"), ("returned_count", 5), ("order", "random"), ("sort_by", "unordered"),
    ("extensions", {"warnings": ["x"]}), ("incomplete_details", {"reason": "max"}), ("unfinished", True),
    ("message", "invalid API key"),
)  # fmt: skip
NO_LIMITS = (
    ("coverage", 1.0), ("coverage", 100), ("has_more", False), ("next_cursor", None), ("links", {"next": ""}),
    ("exhaustiveNbHits", False), ("exhaustive", {"nbHits": False, "typo": True}), ("allow_partial_results", True),
    ("error_rate", 0.5), ("count", 2), ("size", 100), ("skip_errors", True), ("num_failed_nodes", 0), ("groups", []),
    ("metric", "nDCG@10"), ("order", "by date"), ("status", "completed"), ("cached", True), ("cursor", ""),
    ("returned_count", 2), ("content_range", "items 0-1/2"), ("exit_code", 0), ("grpc_status", "OK"),
    ("partial_threshold", 0.5), ("sponsored", []),
)  # fmt: skip


def heard(run) -> str:
    """How a run is met: refused, noted or silently read."""
    try:
        return "noted" if rm.evaluate(TRUTH, run, "RR").reading.notes else "silent"
    except rm.RankmeterError as error:
        return "refused" if error.text("zh") != error.text("en") else "refused in one language"


def drawn(draw: random.Random) -> dict:
    return copy.deepcopy(ENGINES[draw.choice(LISTED)]["whole"])


def with_field(draw: random.Random, response: dict, field, within: str) -> bool:
    """Let one hit say something, at its top or within an object of it; False where something else stands there."""
    hit = draw.choice(hits_of(response))
    name, value = copy.deepcopy(field)
    holder = hit.setdefault(within, {}) if within else hit
    if not isinstance(holder, dict) or name in holder:
        return False
    holder[name if within or isinstance(value, dict) else draw.choice([name, spelled(draw, name)])] = value
    return True


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("fields", "within", "expected"),
    [
        (NONE, ("",), {"refused"}),
        (NONE, ("metadata", "payload", "_source", "properties"), {"noted"}),
        (DOUBTED, ("", "metadata", "payload", "_source"), {"noted"}),
        (FINE, ("", "metadata", "_source"), {"silent"}),
    ],
)
def test_a_hit_that_says_it_is_none_is_refused_or_noted(fields, within, expected, seed, tmp_path):
    draw = random.Random(f"{within}{seed}")
    for _ in range(CASES):
        response, field = drawn(draw), draw.choice(fields)
        if with_field(draw, response, field, draw.choice(within)):
            assert heard(kept(draw, response, tmp_path)) in expected, (field, response)


def test_who_says_that_the_list_counts_gets_a_note_of_such_a_hit():
    run = {"q1": {"results": [{"id": "d1", "error": "E42"}, {"id": "d2"}]}}
    ev = rm.evaluate(TRUTH, run, "RR", columns={"order": "rows"})
    assert ev["RR"] == 0.5
    assert "error of result 1 is 'E42'" in ev.reading.notes[0]


def test_documents_got_by_their_ids_that_were_not_found_are_refused(tmp_path):
    answer = {"docs": [{"_index": "i", "_id": "d1", "found": False}, {"_index": "i", "_id": "d2", "found": True}]}
    for seed in range(8):
        assert heard(kept(random.Random(seed), answer, tmp_path)) == "refused"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("fields", "expected"), [(LIMITS, {"noted", "refused"}), (NO_LIMITS, {"silent"})])
def test_what_limits_a_response_is_said(fields, expected, seed, tmp_path):
    draw = random.Random(f"limits{seed}")
    for _ in range(CASES):
        response, (name, value) = drawn(draw), copy.deepcopy(draw.choice(fields))
        if isinstance(response.get(name), dict) and isinstance(value, dict):
            value = {**response[name], **value}
        elif name in response:
            continue
        response[name] = value
        assert heard(kept(draw, response, tmp_path)) in expected, (name, value, response)


LOWER = (
    ("order", "asc"), ("sort", "ascending"), ("metric", "l2"), ("metric_type", "L2"), ("space_type", "l2"),
    ("distance_metric", "euclidean"), ("higher_is_better", False), ("lower_is_better", True), ("sort", "score asc"),
    ("sort", [{"_score": {"order": "asc"}}]), ("params", {"metric_type": "L2"}), ("search_params", {"metric": "l2"}),
    ("url", "http://127.0.0.1/s?q=a&order=asc"),
)  # fmt: skip
HIGHER = (("order", "desc"), ("sort", "score desc"), ("higher_is_better", True), ("metric", "cosine"), ("metric", "ip"))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("score", ["score", "similarity", "distance", "scores"])
def test_which_scores_are_better_is_followed_or_contradicted(score, seed, tmp_path):
    draw = random.Random(f"{score}{seed}")
    for name, value in (*LOWER, *HIGHER):
        is_lower = (name, value) in LOWER or (score == "distance" and name == "metric")
        for rises in (True, False):
            values = sorted((draw.random() for _ in range(3)), reverse=not rises)
            ids = ["d1", "d2", "d3"]
            made = {"retrieved": ids, "scores": values} if score == "scores" else {
                "results": [{"id": item, score: number} for item, number in zip(ids, values, strict=True)]
            }  # fmt: skip
            record = {**made, name: value}
            met = heard({"q1": record} if score == "scores" else kept(draw, record, tmp_path))
            assert (met != "refused") == (rises == is_lower), (name, value, values)
            if (name, value) in LOWER and rises:
                assert met == ("silent" if score == "distance" else "noted")


def test_what_the_metric_says_decides_where_a_distance_may_be_a_similarity():
    for metric, values in ((m, v) for m in ("L2", "IP", None) for v in ([0.1, 0.2], [0.2, 0.1])):
        found = {"code": 0, "data": [{"id": i, "distance": d} for i, d in zip(["d1", "d2"], values, strict=True)]}
        pairs = {"results": [[{"id": i}, d] for i, d in zip(["d1", "d2"], values, strict=True)]}
        for response in (found, pairs):
            met = heard({"q1": {**response, "metric_type": metric} if metric else response})
            assert (met == "refused") == (metric == "L2" and values == [0.2, 0.1]), (metric, values)


@pytest.mark.parametrize("within", ["", "metadata", "payload", "_source", "document"])
def test_another_id_beside_the_one_that_is_used_is_said(within, tmp_path):
    draw = random.Random(within)
    for key in ("id", "doc_id", "docid", "document_id", "chunk_id", "uuid", "_id"):
        response = {"results": [{"id": item} for item in ("d1", "d2")]}
        for same in (True, False):
            for hit in response["results"]:
                holder = hit.setdefault(within, {}) if within else hit
                if within or key != "id":
                    holder[key] = hit["id"] if same else f"x{hit['id']}"
            is_other = not same and (within or key != "id")
            run = kept(draw, response, tmp_path)
            assert heard(run) == ("noted" if is_other else "silent"), (key, within)
            if is_other and key != "id":
                path = f"{within}.{key}" if within else key
                assert rm.evaluate({"q1": ["xd1"]}, run, "RR", columns={"run.item": path})["RR"] == 1


ROWS = [{"query_id": "q1", "doc_id": item, "score": score} for item, score in (("d1", 2.0), ("d2", 1.0))]
NESTED = [{"query_id": "q1", "items": ["d1", "d2"], "scores": [2.0, 1.0]}]


@pytest.mark.parametrize("rows", [ROWS, NESTED])
@pytest.mark.parametrize("way", ["objects", "json", "jsonl"])
def test_records_that_say_that_they_are_not_all_are_noted(rows, way, tmp_path: Path):
    told = (
        *((name, value) for name, value in LIMITS if name in ("coverage", "completeness", "has_more", "next_cursor",
                                                               "stale", "reranker_failed", "fully_indexed")),
        ("complete", False), ("partial", True), ("truncated", True), ("timed_out", True), ("degraded", True),
        ("metric", "l2"), ("order", "asc"), ("lower_is_better", True), ("is_complete", False), ("found", False),
    )  # fmt: skip
    for name, value in told:
        made = [{**row, name: value} for row in rows]
        path = tmp_path / f"run.{way}"
        path.write_text(
            json.dumps(made) if way == "json" else "".join(json.dumps(row) + "\n" for row in made), encoding="utf-8"
        )
        assert heard(made if way == "objects" else path) != "silent", (name, value)


@pytest.mark.parametrize("seed", range(3))
def test_a_flag_that_nobody_knows_is_named(seed, tmp_path):
    draw = random.Random(f"flag{seed}")
    for _ in range(CASES):
        word = "x" + "".join(draw.choices("bcdfghjklmnpqrvz", k=6))
        name, value = draw.choice([word, f"is_{word}", f"{word}_hit"]), draw.choice([True, False, "true", "False"])
        response = drawn(draw)
        if draw.random() < 0.5 and isinstance(response.setdefault("stats", {}), dict):
            response["stats"][name] = value
        else:
            response[name] = value
        notes = rm.evaluate(TRUTH, kept(draw, response, tmp_path), "RR").reading.notes
        assert any(f"{name}: {str(value).lower()}" in note for note in notes), (name, value, notes)


@pytest.mark.parametrize(
    "name",
    "hidden is_duplicate tombstone blocked below_threshold placeholder access_denied skip_reason".split()
    + "visible=0 selected=0 kept=0 in_context=0 retrieved=0".split(),
)
def test_a_hit_that_was_not_shown_or_not_used_is_noted(name, tmp_path):
    draw, (name, *is_denied) = random.Random(name), name.split("=")
    for within in ("", "metadata", "_source", "payload"):
        response = drawn(draw)
        if with_field(draw, response, (name, not is_denied), within):
            assert heard(kept(draw, response, tmp_path)) in ("noted", "refused"), (within, response)


RISING = "rn row_number rank_after new_position ann_distance rank_no l2 序号".split()
FALLING = "rrf bm25 cosine dot_product logit probability colbert score_final 相似度".split()


@pytest.mark.parametrize("name", [*RISING, *FALLING])
@pytest.mark.parametrize("is_beside", [False, True])
def test_numbers_that_would_order_the_results_otherwise_are_named(name, is_beside):
    draw, ids = random.Random(name), ["d1", "d2", "d3"]
    for is_against in (True, False):
        values = sorted(draw.sample(range(1, 100), 3), reverse=(name in RISING) == is_against)
        made = {"retrieved_context_ids": ids, name: values} if is_beside else {
            "results": [{"id": item, name: value} for item, value in zip(ids, values, strict=True)]
        }  # fmt: skip
        for run in ({"q1": made}, [{"query_id": "q1", **made}]):
            assert heard(run) in ({"noted", "refused"} if is_against else {"silent"}), (name, values)


@pytest.mark.parametrize("name", ["rerank_scores", "similarities", "ranks", "distances", "retrieval_scores"])
def test_a_list_of_numbers_beside_plain_ids_is_heard(name):
    values = [1, 2, 3] if name in ("ranks", "distances") else [3, 2, 1]
    for numbers, met in ((values, "silent"), (values[::-1], "noted")):
        record = {"retrieved_context_ids": ["d1", "d2", "d3"], name: numbers}
        assert {heard(run) for run in ({"q1": record}, [{"query_id": "q1", **record}])} == {met}


@pytest.mark.parametrize("value", [3, 0.5, True, "x", {"score": 1}])
def test_a_field_called_rerank_that_is_no_list_is_read(value):
    assert heard({"q1": {"results": [{"id": "d1", "rerank": value}, {"id": "d2"}]}}) == "silent"


def test_what_the_metadata_of_chroma_says_is_heard():
    answer = {"ids": [["d1", "d2"]], "distances": [[0.1, 0.2]], "metadatas": [[{"deleted": True}, None]]}
    assert heard({"q1": answer}) == "noted"
