"""What results say of their own order: followed where it agrees, refused where it does not, by every way in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankmeter as rm

TRUTH = {"q1": ["b"], "q2": ["b"]}
CONTRADICTED: dict[str, list[dict[str, Any]]] = {
    "rank": [{"id": "a", "rank": 2}, {"id": "b", "rank": 1}],
    "rank as text": [{"id": "a", "rank": "1"}, {"id": "c", "rank": "10"}, {"id": "b", "rank": "9"}],
    "position": [{"id": "a", "position": 1}, {"id": "c", "position": 3}, {"id": "b", "position": 2}],
    "score": [{"id": "a", "score": 0.2}, {"id": "b", "score": 0.9}],
    "score as text": [{"id": "a", "score": "9"}, {"id": "b", "score": "10"}],
    "_score": [{"id": "a", "_score": 0.2}, {"id": "b", "_score": 0.9}],
    "similarity": [{"id": "a", "similarity": 0.2}, {"id": "b", "similarity": 0.9}],
    "distance": [{"id": "a", "distance": 0.9}, {"id": "b", "distance": 0.1}],
    "_distance": [{"id": "a", "_distance": 0.9}, {"id": "b", "_distance": 0.1}],
    "vector_distance": [{"id": "a", "vector_distance": "0.9"}, {"id": "b", "vector_distance": "0.1"}],
    "rerank_score": [{"id": "a", "score": 9, "rerank_score": 0.1}, {"id": "b", "score": 8, "rerank_score": 0.9}],
    "rerankerScore": [{"id": "a", "@search.rerankerScore": 1.1}, {"id": "b", "@search.rerankerScore": 2.5}],
    "relevance_score of a document": [
        {"page_content": "a", "metadata": {"relevance_score": 0.1}},
        {"page_content": "b", "metadata": {"relevance_score": 0.9}},
    ],
    "_additional.distance": [
        {"_additional": {"id": "a", "distance": 0.9}}, {"_additional": {"id": "b", "distance": 0.1}}
    ],
    "_additional.score": [{"_additional": {"id": "a", "score": "9"}}, {"_additional": {"id": "b", "score": "10"}}],
    "rerank of Weaviate": [
        {"_additional": {"id": "a", "rerank": [{"score": 0.1}]}}, {"_additional": {"id": "b", "rerank": [{"score": 2}]}}
    ],
    "fusion": [
        {"document": {"id": "a"}, "hybrid_search_info": {"rank_fusion_score": 0.1}},
        {"document": {"id": "b"}, "hybrid_search_info": {"rank_fusion_score": 0.9}},
    ],
}  # fmt: skip
NOT_NUMBERS: dict[str, list[dict[str, Any]]] = {
    "a word": [{"id": "a", "score": "foo"}, {"id": "b", "score": "bar"}],
    "one word": [{"id": "a", "score": 0.9}, {"id": "b", "score": "foo"}],
    "NaN": [{"id": "a", "score": 0.9}, {"id": "b", "score": float("nan")}],
    "NaN in every one": [{"id": "a", "score": float("nan")}, {"id": "b", "score": float("nan")}],
    "true": [{"id": "a", "score": True}, {"id": "b", "score": False}],
    "an object": [{"id": "a", "score": {"value": 0.1}}, {"id": "b", "score": {"value": 0.9}}],
    "a list": [{"id": "a", "score": [0.1]}, {"id": "b", "score": [0.9]}],
    "an infinite rank": [{"id": "a", "rank": 1}, {"id": "b", "rank": float("inf")}],
    "a word for a rank": [{"id": "a", "rank": "first"}, {"id": "b", "rank": "second"}],
}
INCOMPLETE: dict[str, list[dict[str, Any]]] = {
    "one score": [{"id": "a", "score": 0.9}, {"id": "b"}],
    "one rank": [{"id": "a", "rank": 1}, {"id": "b"}],
    "reranked behind": [{"id": "a"}, {"id": "b", "rerank_score": 0.9}],
}
FINE: dict[str, list[dict[str, Any]]] = {
    "ranks": [{"id": "a", "rank": 1}, {"id": "b", "rank": 2}],
    "ranks from 0": [{"id": "a", "rank": 0}, {"id": "b", "rank": 1}],
    "ranks that tie": [{"id": "a", "rank": 1}, {"id": "b", "rank": 1}],
    "distances": [{"id": "a", "distance": 0.1}, {"id": "b", "distance": 0.4}],
    "reranked": [{"id": "a", "score": 3, "rerank_score": 0.9}, {"id": "b", "score": 7, "rerank_score": 0.2}],
    "the first reranked": [{"id": "a", "score": 3, "rerank_score": 0.9}, {"id": "b", "score": 7}],
    "a similarity of Milvus": [{"id": "a", "distance": 0.9, "entity": {}}, {"id": "b", "distance": 0.4, "entity": {}}],
    "fields of the document": [
        {"id": "a", "metadata": {"rank": 9, "score": 1, "position": 3}},
        {"id": "b", "metadata": {"rank": 1, "score": 7, "position": 1}},
    ],
    "an object for a position": [{"id": "a", "position": {"page": 3}}, {"id": "b", "position": {"page": 1}}],
    "no score": [{"id": "a", "score": None}, {"id": "b", "score": None}],
}  # fmt: skip


def routes(folder: Path, hits: list[dict[str, Any]]) -> dict[str, Any]:
    """The same hits for two queries, by every way in."""
    by_query = {query: {"results": hits} for query in TRUTH}
    records = [{"query_id": query, "results": hits} for query in TRUTH]
    wrapped = [{"query_id": query, "response": {"hits": hits}} for query in TRUTH]
    (folder / "by_query.json").write_text(json.dumps(by_query))
    (folder / "records.json").write_text(json.dumps(records, indent=1))
    (folder / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records))
    files = {name: folder / name for name in ("by_query.json", "records.json", "records.jsonl")}
    lists = dict.fromkeys(TRUTH, hits)
    return {"lists": lists, "objects": by_query, "records": records, "wrapped": wrapped, **files}


@pytest.mark.parametrize("kind", CONTRADICTED)
def test_an_order_that_a_field_contradicts_is_refused_until_the_caller_says_what_ranks(tmp_path, kind):
    hits = CONTRADICTED[kind]
    wanted = 1 / len(hits)
    named = {"run.item": "document.id"} if kind == "fusion" else {}
    for way, run in routes(tmp_path, hits).items():
        with pytest.raises(rm.InputError, match="contradicts the order of the list") as caught:
            rm.evaluate(TRUTH, run, "RR", columns=named or None)
        for language in ("en", "zh"):
            assert '"order": "rows"' in caught.value.text(language)
        values = caught.value.problem.values
        role = next(role for role in ("rank", "distance", "score") if f'"{role}"' in str(values["by_field"]))
        said = {"order": wanted, "field": 1.0 if len(hits) == 2 else 0.5}
        for columns, value in (
            ({"run.order": "rows"}, said["order"]), ({f"run.{role}": values["field"]}, said["field"])
        ):  # fmt: skip
            if kind != "rerank of Weaviate":
                assert rm.evaluate(TRUTH, run, "RR", columns={**named, **columns})["RR"] == value, way


@pytest.mark.parametrize("kind", NOT_NUMBERS)
def test_what_stands_in_place_of_a_number_is_refused(tmp_path, kind):
    for run in routes(tmp_path, NOT_NUMBERS[kind]).values():
        with pytest.raises(rm.InputError, match="which is not a number"):
            rm.evaluate(TRUTH, run, "RR")
        assert rm.evaluate(TRUTH, run, "RR", columns={"run.order": "rows"})["RR"] == 0.5


@pytest.mark.parametrize("kind", INCOMPLETE)
def test_a_number_that_only_some_results_have_is_refused(tmp_path, kind):
    for run in routes(tmp_path, INCOMPLETE[kind]).values():
        with pytest.raises(rm.InputError, match="and others have one"):
            rm.evaluate(TRUTH, run, "RR")
        assert rm.evaluate(TRUTH, run, "RR", columns={"run.order": "rows"})["RR"] == 0.5


@pytest.mark.parametrize("kind", FINE)
def test_an_order_that_its_fields_agree_with_is_read(tmp_path, kind):
    for run in routes(tmp_path, FINE[kind]).values():
        assert rm.evaluate(TRUTH, run, "RR")["RR"] == 0.5


def test_ranks_that_begin_later_are_a_later_page(tmp_path):
    hits = [{"id": "a", "rank": 11}, {"id": "b", "rank": 12}]
    for run in routes(tmp_path, hits).values():
        with pytest.raises(rm.InputError, match=r"does not begin with the first result \(rank: 11\)"):
            rm.evaluate(TRUTH, run, "RR")


def test_pairs_go_one_way_up_or_down():
    for scores in ([0.9, 0.5, 0.1], [0.1, 0.5, 0.9]):
        pairs = [({"id": item}, score) for item, score in zip("abc", scores, strict=True)]
        assert rm.evaluate({"q": ["b"]}, {"q": pairs}, "RR")["RR"] == 0.5
    with pytest.raises(rm.InputError, match="contradicts"):
        rm.evaluate({"q": ["b"]}, {"q": [({"id": i}, s) for i, s in zip("abc", [0.5, 0.1, 0.9], strict=True)]}, "RR")


@pytest.mark.parametrize("engine", ["elastic", "solr", "vespa"])
def test_engines_are_followed_in_the_order_they_returned_and_it_is_said(engine):
    scores = [("a", 0.2), ("b", 0.9)]
    response = {
        "elastic": {"hits": {"hits": [{"_id": item, "_score": score} for item, score in scores]}},
        "solr": {"response": {"docs": [{"id": item, "score": score} for item, score in scores]}},
        "vespa": {"root": {"children": [{"id": f"id:s:s::{i}", "relevance": s} for i, s in scores], "coverage": {}}},
    }[engine]
    ev = rm.evaluate({"q": ["b"]}, {"q": response}, "RR")
    assert ev["RR"] == 0.5
    assert any("the order in which the results were returned counts" in str(note) for note in ev.reading.notes)


@pytest.mark.parametrize("field", ["dense_score", "confidence", "normalizedScore"])
def test_a_field_that_may_be_a_score_is_noted_where_it_says_another_order(tmp_path, field):
    hits = [{"id": "a", field: 0.1}, {"id": "b", field: 0.9}]
    for run in routes(tmp_path, hits).values():
        ev = rm.evaluate(TRUTH, run, "RR")
        assert ev["RR"] == 0.5
        assert [f"{field} says another order at result 2 of query q1" in str(note) for note in ev.reading.notes] == [
            True
        ]
        assert rm.evaluate(TRUTH, run, "RR", columns={"run.score": field})["RR"] == 1.0


def test_distances_in_a_list_of_their_own():
    near = {"ids": [["a", "b"]], "distances": [[0.1, 0.4]]}
    assert rm.evaluate({"q": ["b"]}, {"q": near}, "RR")["RR"] == 0.5
    far = {"ids": [["a", "b"]], "distances": [[0.4, 0.1]]}
    with pytest.raises(rm.InputError, match="distances contradicts"):
        rm.evaluate({"q": ["b"]}, {"q": far}, "RR")
    assert rm.evaluate({"q": ["b"]}, {"q": far}, "RR", columns={"run.distance": "distances"})["RR"] == 1.0
    with pytest.raises(rm.InputError, match="2 results and 1 distances"):
        rm.evaluate({"q": ["b"]}, {"q": {**near, "distances": [[0.1]]}}, "RR")


# Ids.


@pytest.mark.parametrize(
    "hits",
    [
        [{"id": "a"}, {"content": "hello"}],
        [{"content": "hello"}, {"id": "a"}],
        [{"page_content": "x", "metadata": {"id": "a"}}, {"page_content": "hello", "metadata": {}}],
        [{"id": "a"}, {"doc_id": "b"}],
    ],
)
def test_ids_of_two_kinds_are_refused(tmp_path, hits):
    for run in routes(tmp_path, hits).values():
        with pytest.raises(rm.InputError, match="the id stands under"):
            rm.evaluate({"q1": ["hello"], "q2": ["a"]}, run, "RR")


def test_ids_of_one_record_and_texts_of_the_next_are_refused():
    run = [{"query": "q1", "results": [{"id": "a"}]}, {"query": "q2", "results": [{"content": "hello"}]}]
    with pytest.raises(rm.InputError, match="the id stands under 'content' here, and under 'id' in"):
        rm.evaluate(TRUTH, run, "RR")


STAGES = {"retriever": [{"id": "a"}, {"id": "b"}], "ranker": [{"id": "b"}, {"id": "a"}]}


@pytest.mark.parametrize("ranked", [STAGES["ranker"], []])
def test_lists_of_two_stages_are_told_apart_by_the_caller(tmp_path, ranked):
    output = {"retriever": {"documents": STAGES["retriever"]}, "ranker": {"documents": ranked}}
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps({"query_id": query, **output}) + "\n" for query in TRUTH))
    for run in (path, dict.fromkeys(TRUTH, output), [{"query_id": query, **output} for query in TRUTH]):
        with pytest.raises(rm.InputError, match=r"several lists of results.*retriever\.documents.*ranker\.documents"):
            rm.evaluate(TRUTH, run, "RR")
        named = {"run.item": "ranker.documents.id"}
        assert rm.evaluate(TRUTH, run, "RR", columns=named)["RR"] == (1.0 if ranked else 0.0)
        assert rm.evaluate(TRUTH, run, "RR", columns={"run.item": "retriever.documents"})["RR"] == 0.5


def test_a_stage_without_results_beside_one_with_some_is_told_apart_too(tmp_path):
    record = {"query": "q1", "output": {"hits": [{"id": "a"}]}, "candidates": []}
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(record) + "\n")
    for run in ([record], path):
        with pytest.raises(rm.InputError, match="several lists of results"):
            rm.evaluate({"q1": ["a"]}, run, "RR")


def test_a_list_beside_the_response_of_an_engine_is_told_apart():
    response = {"hits": {"hits": [{"_id": "a"}, {"_id": "b"}]}}
    run = [{"query_id": "q1", "response": response, "reranked": 1, "candidates": [{"id": "b"}, {"id": "a"}]}]
    with pytest.raises(rm.InputError, match="_search response, candidates"):
        rm.evaluate({"q1": ["b"]}, run, "RR")


@pytest.mark.parametrize("hits", [[{"id": ""}, {"id": "b"}], [{"id": "", "content": "hello"}, {"id": "b"}]])
def test_an_empty_id_is_none(tmp_path, hits):
    for run in routes(tmp_path, hits).values():
        with pytest.raises(rm.InputError):
            rm.evaluate(TRUTH, run, "RR")
    with pytest.raises(rm.InputError, match="has no '_id'"):
        rm.evaluate(TRUTH, {"q1": {"hits": {"hits": [{"_id": ""}]}}}, "RR")


def test_the_same_list_twice_is_one():
    output = {"retriever": {"documents": STAGES["ranker"]}, "writer": {"documents": STAGES["ranker"]}}
    assert rm.evaluate({"q": ["b"]}, {"q": output}, "RR")["RR"] == 1.0


FIELDS = {
    "Elasticsearch": (
        lambda sku, n: {"_id": n, "_source": {"sku": sku}}, lambda hits: {"hits": {"hits": hits}}, "_source.sku"
    ),
    "Elasticsearch fields": (
        lambda sku, n: {"_id": n, "fields": {"shop.sku": [sku]}}, lambda hits: {"hits": {"hits": hits}},
        "fields.shop.sku",
    ),
    "Solr": (lambda sku, n: {"id": n, "sku": sku}, lambda hits: {"response": {"docs": hits}}, "sku"),
    "Solr without id": (lambda sku, n: {"sku": sku}, lambda hits: {"response": {"docs": hits}}, "sku"),
    "Vespa": (
        lambda sku, n: {"id": f"index:c/0/{n}", "fields": {"sku": sku}},
        lambda hits: {"root": {"children": hits, "coverage": {"full": True}}}, "fields.sku",
    ),
    "Qdrant": (
        lambda sku, n: {"id": n, "payload": {"sku": sku}}, lambda hits: {"result": {"points": hits}, "status": "ok"},
        "payload.sku",
    ),
    "Algolia": (lambda sku, n: {"objectID": n, "sku": sku}, lambda hits: {"hits": hits, "nbHits": 2}, "sku"),
    "LangChain": (
        lambda sku, n: {"page_content": f"text {n}", "metadata": {"source": sku}}, lambda hits: hits, "metadata.source"
    ),
    "LlamaIndex": (
        lambda sku, n: {"node": {"id_": n, "metadata": {"file_name": sku}}, "score": 0.5},
        lambda hits: hits, "node.metadata.file_name",
    ),
    "anything": (lambda sku, n: {"sku": sku}, lambda hits: hits, "sku"),
}  # fmt: skip


@pytest.mark.parametrize("tool", FIELDS)
def test_ids_stand_where_the_caller_says(tmp_path, tool):
    hit, answer, field = FIELDS[tool]
    by_query = {query: answer([hit("a", "1"), hit("b", "2")]) for query in TRUTH}
    plain = {query: {"retrieved": held} if isinstance(held, list) else held for query, held in by_query.items()}
    records = [{"query_id": query, "response": held} for query, held in plain.items()]
    (tmp_path / "by_query.json").write_text(json.dumps(by_query))
    (tmp_path / "records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records))
    (tmp_path / "truth.csv").write_text("query,item,grade\nq1,b,1\nq2,b,1\n")
    for run in (by_query, records, tmp_path / "by_query.json", tmp_path / "records.jsonl"):
        for truth in (TRUTH, tmp_path / "truth.csv"):
            ev = rm.evaluate(truth, run, "RR", columns={"run.item": field})
            assert ev["RR"] == 0.5
        assert ev.reading.run.columns["item"].endswith(field)
        with pytest.raises(rm.InputError, match=f"no '{field}x' that could be its item"):
            rm.evaluate(TRUTH, run, "RR", columns={"run.item": f"{field}x"})


def test_a_chunk_is_named_by_its_source_and_its_place_in_it():
    chunks = [{"page_content": "x", "metadata": {"source": "guide.md", "start_index": at}} for at in (0, 800)]
    named = {"run.item": "metadata.source+metadata.start_index"}
    assert rm.evaluate({"q": ["guide.md:800"]}, {"q": chunks}, "RR", columns=named)["RR"] == 0.5


def test_the_query_stands_where_the_caller_says(tmp_path):
    rows = [{"ctx": {"qid": query}, "id": 7, "question": "?", "results": [{"id": "a"}, {"id": "b"}]} for query in TRUTH]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for run in (rows, path):
        assert rm.evaluate(TRUTH, run, "RR", columns={"run.query": "ctx.qid"})["RR"] == 0.5


def test_runs_of_langsmith_are_named_by_their_inputs(tmp_path):
    listed = [{"id": "a", "page_content": "x"}, {"id": "b", "page_content": "y"}]
    rows = [
        {"id": f"run-{query}", "inputs": {"query": query}, "outputs": {"documents": listed}, "error": None}
        for query in TRUTH
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for run in (rows, path):
        with pytest.raises(rm.InputError, match="no query in common"):
            rm.evaluate(TRUTH, run, "RR")
        assert rm.evaluate(TRUTH, run, "RR", columns={"run.query": "inputs.query"})["RR"] == 0.5


def test_a_name_beside_responses_without_columns_is_refused():
    with pytest.raises(rm.InputError):
        rm.evaluate({"q": ["b"]}, {"q": {"b": 1.0}}, "RR", columns={"run.item": "sku"})
    with pytest.raises(rm.InputError):
        rm.evaluate({"q": ["b"]}, {"q": ["b"]}, "RR", columns={"run.item": "sku"})
