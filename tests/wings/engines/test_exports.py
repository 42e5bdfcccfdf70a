"""Responses of search engines, records of RAG tools and exports of judgments.

The files in ``recorded`` were written by the client libraries; those of engines and of Quepid are written here
after their documentation.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

import rankmeter as rm
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.wings.engines.rated_sets import agreed_rating
from rankmeter.wings.engines.shapes import SHAPES

GOLDEN = Path(__file__).parent / "recorded"
LISTS = {"q1": ["d1", "d2"], "q2": ["d3"]}
GRADES = {"q1": {"d2": 2, "d1": 0}, "q2": {"d3": 1}}


def elastic(items: list[str]) -> dict[str, Any]:
    hits = [{"_index": "shop", "_id": item, "_score": 9.0 - place, "_source": {}} for place, item in enumerate(items)]
    return {
        "took": 3,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": len(items), "relation": "eq"}, "max_score": 9.0, "hits": hits},
    }


def solr(items: list[str], query: str = "red dress") -> dict[str, Any]:
    docs = [{"id": item, "score": 9.0 - place} for place, item in enumerate(items)]
    header = {"status": 0, "QTime": 2, "params": {"q": query, "fl": "id,score"}}
    return {"responseHeader": header, "response": {"numFound": len(items), "start": 0, "docs": docs}}


def vespa(items: list[str]) -> dict[str, Any]:
    children = [{"id": f"id:shop:product::{item}", "relevance": 9.0 - n, "fields": {}} for n, item in enumerate(items)]
    coverage = {"coverage": 100, "documents": 5, "full": True, "nodes": 1}
    return {"root": {"id": "toplevel", "relevance": 1.0, "coverage": coverage, "children": children}}


ENGINES = {"elastic": elastic, "solr": solr, "vespa": vespa}


def written(folder: Path, name: str, *documents: Any, indent: int | None = None) -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(one, indent=indent) for one in documents) + "\n")
    return path


def ranked(run: Any) -> dict[str, list[str]]:
    table = into_run(run).run_table()
    lists: dict[str, list[str]] = {}
    order = table.score.arg_sort(descending=True)
    for row in order:
        lists.setdefault(table.query[row], []).append(table.item[row])
    return dict(sorted(lists.items()))


def graded(judgments: Any, **options: Any) -> dict[str, dict[str, float]]:
    table = into_judgments(judgments, **options).judgment_table()
    names = table.query.unique(maintain_order=True) if table.queries is None else table.queries
    grades: dict[str, dict[str, float]] = {query: {} for query in names.to_list()}
    for query, item, grade in zip(table.query, table.item, table.grade, strict=True):
        grades[query][item] = grade
    return grades


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("indent", [None, 2])
def test_one_response_is_about_the_query_that_its_file_is_named_after(tmp_path, engine, indent):
    document = ENGINES[engine](LISTS["q1"])
    document.get("responseHeader", {}).pop("params", None)
    assert ranked(written(tmp_path, "q1.json", document, indent=indent)) == {"q1": LISTS["q1"]}


@pytest.mark.parametrize("engine", ENGINES)
def test_many_responses_and_their_queries(tmp_path, engine):
    make = ENGINES[engine]
    around = [{"query_id": query, "response": make(items)} for query, items in LISTS.items()]
    before = [line for query, items in LISTS.items() for line in ({"query_id": query}, make(items))]
    within = [{"query_id": query, **make(items)} for query, items in LISTS.items()]
    for number, documents in enumerate((around, before, within)):
        assert ranked(written(tmp_path, f"{number}.jsonl", *documents)) == LISTS
    assert ranked(written(tmp_path, "list.json", around)) == LISTS
    by_query = {query: make(items) for query, items in LISTS.items()}
    assert ranked(written(tmp_path, "by_query.json", by_query)) == LISTS
    assert ranked(by_query) == LISTS


REQUESTS = {
    "bm25.requests.ndjson": '{"index": "shop", "query_id": "q1"}\n{"query": {}}\n{"query_id": "q2"}\n{"query": {}}\n',
    "requests.ndjson": '{"index": "shop"}\n{"query": {}, "ext": {"ubi": {"query_id": "q1"}}}\n'
    '{}\n{"query": {}, "ext": {"ubi": {"query_id": "q2"}}}\n',
    "bm25.queries.tsv": "q1\tred dress\nq2\tmetal frame\n",
    "queries.tsv": "id\ttext\nq1\tred dress\nq2\tmetal frame\n",
    "queries.txt": "q1\nq2\n",
    "queries.jsonl": '{"_id": "q1", "text": "red dress"}\n{"_id": "q2", "text": "metal frame"}\n',
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_file_beside_a_bulk_response_names_its_queries(tmp_path, name):
    (tmp_path / name).write_text(REQUESTS[name])
    path = written(tmp_path, "bm25.json", {"took": 5, "responses": [elastic(items) for items in LISTS.values()]})
    assert ranked(path) == LISTS
    ev = rm.evaluate(GRADES, path, "RR")
    assert name in str(ev.reading.run)
    assert "_msearch response" in str(ev.reading.run)


@pytest.mark.parametrize("engine", ["elastic", "vespa"])
@pytest.mark.parametrize("count", [1, 2])
def test_responses_without_queries_in_memory_name_the_call_that_works(engine, count):
    responses = [ENGINES[engine](items) for items in LISTS.values()][:count]
    for given in (responses, {"took": 5, "responses": responses} if engine == "elastic" else responses[0]):
        with pytest.raises(rm.InputError) as error:
            rm.evaluate(GRADES, given, "RR")
        assert "nothing says which quer" in str(error.value)
        for language in ("en", "zh"):
            assert "dict(zip(query_ids, answer[" in error.value.text(language)
    assert ranked(dict(zip(LISTS, responses, strict=False))) == dict(list(LISTS.items())[:count])


def test_a_bulk_response_in_memory_whose_responses_name_their_queries_is_read():
    responses = [{"query_id": query, **elastic(items)} for query, items in LISTS.items()]
    assert ranked({"took": 5, "responses": responses}) == ranked(responses) == LISTS


def test_no_file_beside_is_looked_for_where_objects_were_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text("")
    (tmp_path / "queries.txt").write_text("q1\nq2\n")
    with pytest.raises(rm.InputError, match="nothing says which queries"):
        rm.evaluate(GRADES, [elastic(items) for items in LISTS.values()], "RR")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ids", [str, int, lambda n: n if n % 2 else str(n), lambda n: 2**70 + n], ids=range(4))
def test_long_files_of_responses_are_packed_on_the_way(tmp_path, monkeypatch, engine, ids):
    monkeypatch.setattr("rankmeter.inputs.export_tables._PACKED_ROWS", 7)
    lists = {f"q{at}": [ids(10 * at + place) for place in range(at % 4)] for at in range(40)}
    lines = [{"query_id": query, "response": ENGINES[engine](items)} for query, items in lists.items()]
    path = written(tmp_path, "run.jsonl", *lines)
    wanted = {query: list(map(str, items)) for query, items in lists.items() if items}
    assert {query: list(map(str, items)) for query, items in ranked(path).items()} == wanted
    assert into_run(path).run_table().queries.to_list() == list(lists)


def test_the_order_is_the_one_in_which_an_engine_returned_ties_too(tmp_path):
    answer = elastic(["z", "a", "m"])
    for hit in answer["hits"]["hits"]:
        hit["_score"] = 1.0
    assert ranked(written(tmp_path, "q1.json", answer)) == {"q1": ["z", "a", "m"]}


def test_a_query_without_hits_is_an_empty_list(tmp_path):
    lines = [{"query_id": "q1", "response": elastic(["d2"])}, {"query_id": "q2", "response": elastic([])}]
    ev = rm.evaluate(GRADES, written(tmp_path, "run.jsonl", *lines), "RR(queries=run)")
    assert ev["RR(queries=run)"] == 0.5


RANK_EVAL = {
    "requests": [
        {"id": q, "request": {}, "ratings": [{"_index": "shop", "_id": i, "rating": g} for i, g in grades.items()]}
        for q, grades in GRADES.items()
    ],
    "metric": {"dcg": {"k": 10}},
}
JUDGMENTS = {
    "rank_eval": RANK_EVAL,
    "search_relevance": {
        "name": "ESCI", "type": "IMPORT_JUDGMENT", "judgmentRatings": [
            {"query": q, "ratings": [{"docId": i, "rating": f"{g:.3f}"} for i, g in grades.items()]}
            for q, grades in GRADES.items()
        ],
    },
    "quepid_case": {"queries": [{"query": q, "ratings": grades} for q, grades in GRADES.items()]},
    "rre": {
        "index": "shop", "queries": [
            {"placeholders": {"$query": q}, "relevant_documents": {i: {"gain": g} for i, g in grades.items()}}
            for q, grades in GRADES.items()
        ],
    },
    "quepid_book": {
        "name": "book", "query_doc_pairs": [
            {"query_text": q, "doc_id": i, "judgements": [{"rating": g}, {"rating": None}]}
            for q, grades in GRADES.items() for i, g in grades.items()
        ],
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", JUDGMENTS)
@pytest.mark.parametrize("indent", [None, 2])
def test_judgments_of_other_tools(tmp_path, kind, indent):
    path = written(tmp_path, "judged.json", JUDGMENTS[kind], indent=indent)
    assert graded(path) == GRADES == graded(JUDGMENTS[kind])
    assert rm.evaluate(path, LISTS, "nDCG@5").reading.judgments.export


def test_a_stored_judgment_list_is_read_from_the_response_that_holds_it(tmp_path):
    stored = {"_index": "judgments", "_id": "x", "_source": JUDGMENTS["search_relevance"]}
    assert graded(written(tmp_path, "stored.json", stored)) == GRADES


def test_gains_may_list_their_documents(tmp_path):
    queries = [{"placeholders": {"$query": "q1"}, "relevant_documents": {"2": ["a", "b"], "1": ["c"]}}]
    assert graded(written(tmp_path, "rre.json", {"queries": queries})) == {"q1": {"a": 2, "b": 2, "c": 1}}


def test_a_dataset_of_questions_is_judgments(tmp_path):
    dataset = {
        "queries": {"q1": "?", "q2": "?"},
        "corpus": {"d1": "."},
        "relevant_docs": {"q1": ["d1"]},
        "mode": "text",
    }
    assert graded(written(tmp_path, "qa.json", dataset)) == {"q1": {"d1": 1}, "q2": {}}


CLIENTS = {
    "haystack_pipeline.jsonl": {"q1": ["d1", "d2"], "q2": ["d3"]},
    "haystack_retriever.jsonl": {"metal frame": ["d3"], "red dress": ["d1", "d2"]},
    "llama_index_nodes.jsonl": {"red dress": ["d1", "d2"]},
    "llama_index_results.json": {"red dress": ["d2", "d1"]},
    "langchain_dumped.jsonl": {"red dress": ["d1", "d2"]},
    "langchain_documents.jsonl": {"red dress": ["d1", "d2"]},
}


@pytest.mark.parametrize("name", CLIENTS)
def test_files_that_client_libraries_wrote(name):
    assert ranked(GOLDEN / name) == CLIENTS[name]


def test_a_record_with_both_sides_is_read_as_either():
    path = GOLDEN / "llama_index_results.json"
    assert graded(path) == {"red dress": {"d1": 1}}
    assert rm.evaluate(path, path, "RR")["RR"] == 0.5


RECORDS = {
    "ids": {"user_input": "why?", "retrieved_context_ids": ["b", "a"], "reference_context_ids": ["a"]},
    "texts": {"user_input": "why?", "retrieved_contexts": ["b", "a"], "reference_contexts": ["a"]},
    "scored": {"query_id": "why?", "results": [{"id": "b", "score": 0.9}, {"id": "a", "score": 0.2}]},
    "beside": {"question": "why?", "retrieved_ids": ["b", "a"], "scores": [0.9, 0.2]},
    "pairs": {"question": "why?", "matches": [[{"id": "b"}, 0.1], [{"id": "a"}, 0.7]]},
    "numbers": {"query_id": 7, "points": [{"id": 2}, {"id": 1}]},
}


@pytest.mark.parametrize("kind", RECORDS)
def test_records_of_retrieval(tmp_path, kind):
    record = RECORDS[kind]
    path = written(tmp_path, "rag.jsonl", record)
    wanted = {7: [2, 1]} if kind == "numbers" else {"why?": ["b", "a"]}
    assert ranked(path) == wanted
    if "reference" in str(record):
        assert rm.evaluate(path, path, "RR")["RR"] == 0.5


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("as_lines", [True, False])
def test_a_record_without_results_is_an_empty_list_of_its_own_query(tmp_path, kind, place, as_lines):
    record = RECORDS[kind]
    (query,) = (key for key in ("query_id", "question", "user_input") if key in record)
    records = [{**record, query: 10 + number} for number in range(3)]
    for key, value in records[place].items():
        if isinstance(value, list):
            records[place][key] = []
    path = written(tmp_path, "rag.jsonl", *(records if as_lines else [records]))
    table = into_run(path).run_table()
    assert table.queries.cast(str).to_list() == ["10", "11", "12"]
    filled = ranked(path)
    assert {str(one) for one in filled} == {"10", "11", "12"} - {str(10 + place)}
    assert len({tuple(items) for items in filled.values()}) == 1


@pytest.mark.parametrize("name", ["documents", "results", "retrieved_ids", "resultss"])
@pytest.mark.parametrize("place", [0, 1])
def test_results_are_never_those_of_the_record_before(tmp_path, name, place):
    records = [{"query": f"q{number}", "documents": [{"id": f"d{number}"}]} for number in range(3)]
    records[place] = {"query": f"q{place}", name: None}
    with pytest.raises(rm.InputError):
        ranked(written(tmp_path, "rag.jsonl", *records))


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("place", [None, 0, 1])
def test_records_in_memory_are_read_as_in_a_file(tmp_path, kind, place):
    record = RECORDS[kind]
    (query,) = (key for key in ("query_id", "question", "user_input") if key in record)
    records = [{**record, query: f"q{number}"} for number in range(2)]
    if place is not None:
        records[place] = {key: [] if isinstance(value, list) else value for key, value in records[place].items()}
    path = written(tmp_path, "rag.jsonl", *records)
    assert ranked(records) == ranked(path)
    if "reference" in str(record):
        assert graded(records) == graded(path)


RETRIEVED = {
    "documents": lambda items: [{"id": item, "content": "text"} for item in items],
    "pairs": lambda items: [({"id": item}, 0.5) for item in items],
    "component": lambda items: {"documents": [{"id": item, "score": 0.5} for item in items]},
}


@pytest.mark.parametrize("kind", RETRIEVED)
@pytest.mark.parametrize("lists", [LISTS, {"q0": [], **LISTS}, {**LISTS, "q3": []}])
def test_what_a_retriever_returned_by_query(kind, lists):
    run = {query: RETRIEVED[kind](items) for query, items in lists.items()}
    assert ranked(run) == LISTS
    assert rm.evaluate(GRADES, run, "RR")["RR"] == rm.evaluate(GRADES, lists, "RR")["RR"]


def test_rising_scores_are_for_the_caller_to_explain(tmp_path):
    record = {"query_id": "q", "results": [{"id": "b", "score": 0.2}, {"id": "a", "score": 0.9}]}
    path = written(tmp_path, "rag.jsonl", record)
    with pytest.raises(rm.InputError, match="score contradicts the order of the list: result 2 of query q"):
        rm.evaluate({"q": {"a"}}, path, "RR")
    for columns, wanted in (({"order": "rows"}, 0.5), ({"score": "score"}, 1.0)):
        assert rm.evaluate({"q": {"a"}}, path, "RR", columns=columns)["RR"] == wanted


# Quepid's CSV.

QUEPID = {
    "basic": "query,docid,rating\nq1,d2,2\nq1,d1,0\nalone,,\nq2,d3,1\n",
    "detailed": "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\n"
    "T,C,1,q1,d2,2,x,2\nT,C,1,q1,d1,1,y,0\nT,C,1,q1,d9,3,z,\nT,C,1,q2,d3,1,x,1\n",
}


def test_ratings_of_a_case_with_a_query_that_nobody_rated(tmp_path):
    (tmp_path / "case.csv").write_text(QUEPID["basic"])
    assert graded(tmp_path / "case.csv") == {**GRADES, "alone": {}}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_pair_that_nobody_rated_is_not_judged_and_is_said(tmp_path, end):
    text = "query,docid,rating\nq1,d2,2\nq1,d7,\nq1,d1,0\nq2,d3,1\nq2,d8,\n"
    (tmp_path / "case.csv").write_text(text.replace("\n", end), newline="")
    assert graded(tmp_path / "case.csv") == GRADES
    notes = rm.evaluate(tmp_path / "case.csv", LISTS, "RR").reading.notes
    assert [str(note) for note in notes] == [
        f"{tmp_path / 'case.csv'}: 2 rows have no rating; their items are not judged"
    ]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ["query", "item"])
def test_a_column_named_for_both_sides_is_explained_where_one_has_no_columns(tmp_path, engine, role):
    (tmp_path / "case.csv").write_text("q_text,sku,rating\nq1,d1,1\n")
    run = written(tmp_path, "run.jsonl", {"query_id": "q1", "response": ENGINES[engine](["d1"])})
    own = {"query": "q_text", "item": "sku"}
    sided = {f"judgments.{name}": column for name, column in own.items()}
    assert rm.evaluate(tmp_path / "case.csv", run, "RR", columns=sided)["RR"] == 1.0
    bare = {**{key: value for key, value in sided.items() if role not in key}, role: own[role]}
    with pytest.raises(rm.InputError, match=rf"no '{own[role]}' that could be its {role}.*judgments\.{role}"):
        rm.evaluate(tmp_path / "case.csv", run, "RR", columns=bare)


@pytest.mark.parametrize(
    ("record", "judged", "run"),
    [
        (RECORDS["ids"], "reference_context_ids", "retrieved_context_ids"),
        (RECORDS["texts"], "reference_contexts", "retrieved_contexts"),
        ({"question": "?", "docs": [{"page_content": "b"}]}, None, "docs.page_content"),
        ({"question": "?", "docs": [{"id": "b"}]}, None, "docs.id"),
    ],
)
def test_what_became_the_item_is_said(tmp_path, record, judged, run):
    path = written(tmp_path, "rag.jsonl", record)
    query = record.get("user_input", "?")
    reading = rm.evaluate(path if judged else {query: {"b"}}, path, "RR").reading
    assert reading.run.columns["item"] == run
    assert judged is None or reading.judgments.columns["item"] == judged


SEARCHES = {
    "match": lambda text: {"query": {"match": {"title": text}}},
    "match with options": lambda text: {"query": {"match": {"title": {"query": text, "operator": "and"}}}},
    "several fields": lambda text: {"query": {"multi_match": {"query": text, "fields": ["title^2", "body"]}}},
    "within": lambda text: {
        "query": {"bool": {"must": [{"match": {"title": text}}], "filter": [{"term": {"a": "b"}}]}}
    },
}


@pytest.mark.parametrize("search", SEARCHES)
def test_requests_without_ids_are_known_by_the_text_they_search_for(tmp_path, search):
    texts = ["red dress", "blue shirt"]
    lines = [line for text in texts for line in ({"index": "shop"}, SEARCHES[search](text))]
    written(tmp_path, "requests.ndjson", *lines)
    path = written(tmp_path, "bm25.json", {"responses": [elastic(["a"]), elastic(["b"])]})
    assert ranked(path) == {"blue shirt": ["b"], "red dress": ["a"]}


def test_requests_that_say_nothing_leave_it_to_the_next_file(tmp_path):
    two = {"query": {"bool": {"must": [{"match": {"title": "red"}}, {"match": {"brand": "acme"}}]}}}
    written(tmp_path, "requests.ndjson", {"index": "shop"}, two)
    path = written(tmp_path, "bm25.json", {"responses": [elastic(["a"])]})
    with pytest.raises(rm.InputError, match=r"requests\.ndjson:1: this request carries no id.*queries\.txt"):
        ranked(path)
    (tmp_path / "queries.txt").write_text("q1\n")
    assert ranked(path) == {"q1": ["a"]}


def test_detailed_results_are_judgments_and_a_run(tmp_path):
    (tmp_path / "case.csv").write_text(QUEPID["detailed"])
    assert graded(tmp_path / "case.csv") == GRADES
    assert ranked(tmp_path / "case.csv") == {"q1": ["d1", "d2", "d9"], "q2": ["d3"]}


def test_a_book_is_read_when_it_is_named_and_hinted_at_otherwise(tmp_path):
    path = tmp_path / "book.csv"
    path.write_text("query,docid,Anna B,Ben,Unknown\nq1,d1,3,2,\nq1,d2,0,,\nq2,d3,,,\n")
    with pytest.raises(rm.InputError, match="format='book'"):
        rm.evaluate(path, LISTS, "RR")
    assert graded(path, format="book") == {"q1": {"d1": 3, "d2": 0}, "q2": {}}


@pytest.mark.parametrize(
    ("ratings", "wanted"), [([2], 2), ([0, 1], 1), ([3, 3, 3], 3), ([1, 3, 3, 2], 2), ([0, 0, 0, 3], 0)]
)
def test_what_judges_agree_on(ratings, wanted):
    assert agreed_rating(ratings) == wanted


# What is wrong is said, with the place.


def broken(change: Any, document: dict[str, Any]) -> dict[str, Any]:
    document = copy.deepcopy(document)
    change(document)
    return document


UNFINISHED = {
    "timeout": (elastic(["a"]), lambda one: one.update(timed_out=True), "timed_out"),
    "early": (elastic(["a"]), lambda one: one.update(terminated_early=True), "terminated_early"),
    "shards": (elastic(["a"]), lambda one: one["_shards"].update(failed=2), "_shards.failed: 2"),
    "clusters": (elastic(["a"]), lambda one: one.update(_clusters={"total": 2, "skipped": 1}), "_clusters.skipped"),
    "error": (elastic(["a"]), lambda one: (one.clear(), one.update(error={"reason": "gone"}, status=404)), "gone"),
    "no id": (elastic(["a"]), lambda one: one["hits"]["hits"][0].pop("_id"), "hits.hits[0] has no '_id'"),
    "size 0": (elastic([]), lambda one: one["hits"]["total"].update(value=57), "57 documents match"),
    "solr error": (solr(["a"]), lambda one: one.update(error={"msg": "bad field", "code": 400}), "bad field"),
    "solr partial": (solr(["a"]), lambda one: one["responseHeader"].update(partialResults=True), "partialResults"),
    "solr id": (solr(["a"]), lambda one: one["response"]["docs"][0].pop("id"), "has no 'id'"),
    "vespa coverage": (vespa(["a"]), lambda one: one["root"]["coverage"].update(full=False), "coverage"),
    "vespa error": (vespa(["a"]), lambda one: one["root"].update(errors=[{"message": "timed out"}]), "timed out"),
    "vespa group": (vespa(["a"]), lambda one: one["root"]["children"][0].update(id="group:root:0"), "group of hits"),
    "vespa id": (vespa(["a"]), lambda one: one["root"]["children"][0].update(id="index:c/0/abc"), "no id of a doc"),
}  # fmt: skip


@pytest.mark.parametrize("kind", UNFINISHED)
@pytest.mark.parametrize("place", [0, 1])
def test_a_response_that_is_not_whole_is_refused_wherever_it_stands(tmp_path, kind, place):
    document, change, words = UNFINISHED[kind]
    lines = [{"query_id": f"q{n}", "response": document} for n in range(2)]
    lines[place] = {"query_id": "q9", "response": broken(change, document)}
    with pytest.raises(rm.InputError) as caught:
        rm.evaluate({"q9": {"a"}}, written(tmp_path, "run.jsonl", *lines), "RR")
    assert words in str(caught.value)
    assert f"run.jsonl:{place + 1}" in str(caught.value)


@pytest.mark.parametrize("kind", UNFINISHED)
@pytest.mark.parametrize("as_file", [True, False])
def test_a_response_by_query_is_named_by_its_query(tmp_path, kind, as_file):
    document, change, words = UNFINISHED[kind]
    responses = {"q1": document, "q9": broken(change, document)}
    with pytest.raises(rm.InputError) as caught:
        rm.evaluate({"q9": {"a"}}, written(tmp_path, "run.json", responses) if as_file else responses, "RR")
    assert words in str(caught.value)
    assert ("run.json, q9" if as_file else "run, q9") in str(caught.value)


WRONG = {
    "a body without ratings": ({"requests": [{"id": "q1", "request": {}}]}, "judgments", "has no 'ratings'"),
    "a request without an id": ({"requests": [{"ratings": []}]}, "judgments", "has no 'id'"),
    "a rating without a document": ({"requests": [{"id": "q", "ratings": [{"rating": 1}]}]}, "judgments", "no '_id'"),
    "one document in two indices": (
        {"requests": [{"id": "q", "ratings": [{"_index": i, "_id": "a", "rating": 1} for i in "xy"]}]},
        "judgments", "two indices",
    ),
    "a query twice": (
        {"queries": [{"query": "q", "ratings": {"a": 1}}, {"query": "q", "ratings": {"b": 1}}]},
        "judgments", "two entries for query q",
    ),
    "judgments for a run": (RANK_EVAL, "run", "read as judgments"),
    "a run for judgments": (elastic(["a"]), "judgments", "read as run"),
    "two responses without queries": ({"responses": [elastic(["a"])] * 2}, "run", "which queries they answer"),
    "a bulk response with something else": ({"responses": [{"acknowledged": True}]}, "run", "no 'hits.hits'"),
    "results without ids": ({"query": "q", "results": [{"score": 1.0}]}, "run", "neither an id nor a text"),
    "scores for some": ({"query": "q", "results": [{"id": 1, "score": 1.0}, {"id": 2}]}, "run", "2 has no score"),
    "something else than hits": ({"root": {"children": 1.5, "coverage": {}}}, "run", "no 'root.children'"),
    "something else than errors": ({"root": {"errors": 1.5}}, "run", "the search failed: 1.5"),
    "a hit without an id": ({"hits": {"hits": [{"_id": "a"}, {"_score": 1.0}]}}, "run", "hits.hits[1] has no '_id'"),
    "failures of rank_eval": ({"metric_score": 0.1, "details": {}, "failures": {"q": {}}}, "run", "failures"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_nearly_right_gets_a_sentence(tmp_path, kind):
    document, side, words = WRONG[kind]
    path = written(tmp_path, "file.json", document)
    judgments, run = (path, LISTS) if side == "judgments" else (GRADES, path)
    with pytest.raises(rm.InputError) as caught:
        rm.evaluate(judgments, run, "RR")
    assert words in str(caught.value)
    assert "file.json" in str(caught.value)


def test_lines_that_do_not_belong_together(tmp_path):
    first = {"query_id": "q1", "response": elastic(["a"])}
    for number, lines in enumerate(
        [[first, {"query_id": "q2", "response": solr(["a"])}], [first, {"query_id": "q2"}], [first, first]]
    ):
        with pytest.raises(rm.InputError):
            rm.evaluate(GRADES, written(tmp_path, f"{number}.jsonl", *lines), "RR")


def test_a_file_beside_with_another_number_of_queries(tmp_path):
    (tmp_path / "queries.txt").write_text("q1\nq2\nq3\n")
    path = written(tmp_path, "bm25.json", {"responses": [elastic(["a"])] * 2})
    with pytest.raises(rm.InputError, match="names 3 queries"):
        rm.evaluate(GRADES, path, "RR")


@pytest.mark.parametrize("end", ['"_shards": {', '"timed_o', '"timed_out": fal', '"total": 1', '"failed": 0}'])
def test_a_file_is_said_to_be_cut_wherever_it_ends(tmp_path, end):
    whole = json.dumps({"responses": [elastic(["a"])] * 2})
    (tmp_path / "cut.json").write_text(whole[: whole.index(end) + len(end)])
    with pytest.raises(rm.InputError, match="the text ends in the middle"):
        rm.evaluate(GRADES, tmp_path / "cut.json", "RR")


BOOK = {"query_doc_pairs": [{"query_text": "q", "doc_id": "a", "judgements": [{"rating": 2}]}]}


@pytest.mark.parametrize("rating", ["3", "x", float("nan"), float("inf"), [1], {"value": 1}])
@pytest.mark.parametrize("as_file", [True, False])
def test_a_rating_of_a_book_that_is_no_number_is_never_passed_over(tmp_path, rating, as_file):
    book = copy.deepcopy(BOOK)
    book["query_doc_pairs"][0]["judgements"].append({"rating": rating})
    with pytest.raises(rm.InputError, match=r"grade .*(is not a number|is NaN|is infinite)"):
        rm.evaluate(written(tmp_path, "book.json", book) if as_file else book, {"q": ["a"]}, "RR")
    book["query_doc_pairs"][0]["judgements"] = rating
    with pytest.raises(rm.InputError, match=r"has no 'judgements'"):
        rm.evaluate(written(tmp_path, "book.json", book) if as_file else book, {"q": ["a"]}, "RR")


def scored(items: list[str], key: str, score: str, **more: Any) -> list[dict[str, Any]]:
    return [{key: item, score: 0.9 - 0.1 * place, **more} for place, item in enumerate(items)]


VECTOR_STORES: dict[str, Any] = {
    "Algolia": lambda items: {"hits": [{"objectID": item} for item in items], "nbHits": 2, "query": "shoes"},
    "Typesense": lambda items: {"found": 2, "hits": [{"document": {"id": item}, "text_match": 9} for item in items]},
    "Meilisearch": lambda items: {"hits": scored(items, "id", "_rankingScore"), "query": "shoes"},
    "Qdrant": lambda items: {"result": scored(items, "id", "score", payload={}), "status": "ok", "time": 0.1},
    "Qdrant points": lambda items: {"result": {"points": scored(items, "id", "score")}, "status": "ok"},
    "Pinecone": lambda items: {"matches": scored(items, "id", "score", values=[]), "namespace": ""},
    "Pinecone records": lambda items: {"result": {"hits": scored(items, "_id", "_score")}, "usage": {}},
    "Weaviate": lambda items: {"objects": [{"uuid": item, "metadata": {"distance": 0.1}} for item in items]},
    "Chroma": lambda items: {
        "ids": [items], "distances": [[0.1] * len(items)], "documents": [["text"] * len(items)], "metadatas": [[]]
    },
    "Milvus": lambda items: {"code": 0, "data": scored(items, "id", "distance")},
    "Azure": lambda items: {"@odata.count": 2, "value": scored(items, "id", "@search.score")},
    "Cohere": lambda items: {"results": [{"index": 0, "document": {"id": item, "text": "t"}} for item in items]},
}  # fmt: skip


@pytest.mark.parametrize("store", VECTOR_STORES)
@pytest.mark.parametrize("route", ["by query in memory", "by query", "in records", "as records"])
def test_answers_of_vector_stores(tmp_path, store, route):
    answers = {query: VECTOR_STORES[store](items) for query, items in LISTS.items()}
    run = {
        "by query in memory": answers,
        "by query": written(tmp_path, "run.json", answers),
        "in records": written(tmp_path, "a.jsonl", *({"query_id": q, "response": one} for q, one in answers.items())),
        "as records": written(tmp_path, "b.jsonl", *({"query_id": q, **one} for q, one in answers.items())),
    }[route]
    assert ranked(run) == LISTS


def test_many_queries_of_chroma_at_once_are_given_by_query():
    answer = {"ids": list(LISTS.values()), "distances": [[0.1, 0.2], [0.3]]}
    with pytest.raises(rm.InputError, match=r"2 responses, and nothing says .*answer\[\"ids\"\]"):
        rm.evaluate(GRADES, answer, "RR")
    assert ranked(dict(zip(LISTS, answer["ids"], strict=True))) == LISTS


@pytest.mark.parametrize("beside", ["documents", "hits", "contexts", "data", "metadata"])
@pytest.mark.parametrize("side", ["run", "judgments"])
def test_a_row_of_a_table_is_a_row_whatever_lists_stand_beside_it(tmp_path, beside, side):
    listed = [{"id": "other", "score": 1.0}]
    nested = {"items": listed} if beside == "metadata" else listed
    value = "score" if side == "run" else "grade"
    rows = [
        {"query_id": query, "item": item, value: 2 - place, beside: nested}
        for query, items in LISTS.items() for place, item in enumerate(items)
    ]  # fmt: skip
    path = written(tmp_path, "rows.jsonl", *rows)
    if side == "run":
        assert ranked(path) == LISTS
    else:
        table = into_judgments(path).judgment_table()
        assert list(zip(table.query, table.item, strict=True)) == [(q, item) for q in LISTS for item in LISTS[q]]


def test_every_shape_is_read_in_a_test_above():
    samples = [*JUDGMENTS.values(), *(make(["a"]) for make in ENGINES.values()), *RECORDS.values(),
               {"responses": []}, {"metric_score": 1, "details": {}}, {"queries": {}, "relevant_docs": {}}]  # fmt: skip
    samples += [make(["d1"]) for make in VECTOR_STORES.values()]
    unread = [shape.kind.name for shape in SHAPES if not any(shape.fits(sample) for sample in samples)]
    assert not unread


def test_ids_of_items_called_like_keys_of_a_response_stay_items():
    assert rm.evaluate({"q": {"hits"}}, {"q": {"hits": 2.0, "root": 1.0}}, "RR")["RR"] == 1.0


# Collections as BEIR and MTEB store them.


def collection(folder: Path, *splits: str) -> Path:
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "a"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "b"}\n')
    for split in splits:
        (folder / "qrels" / f"{split}.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t2\nq1\td1\t0\nq2\td3\t1\n")
    return folder


@pytest.mark.parametrize("splits", [("test",), ("dev",), ("dev", "test", "train")])
def test_a_collection_has_its_judgments_in_a_folder(tmp_path, splits):
    path = collection(tmp_path / "scifact", *splits)
    assert graded(path) == GRADES
    notes = " ".join(rm.evaluate(path, LISTS, "RR").reading.notes)
    assert ("train.tsv" in notes) == (len(splits) > 1)


def test_a_collection_whose_judgments_are_several_is_asked_about(tmp_path):
    with pytest.raises(rm.InputError, match=r"dev\.tsv.*train\.tsv"):
        rm.evaluate(collection(tmp_path / "x", "dev", "train"), LISTS, "RR")


@pytest.mark.parametrize("tool", JUDGMENTS)
def test_judgments_of_other_tools_are_read_in_memory_whatever_stands_first(tmp_path, tool):
    whole = {"created": {"by": 1}, **JUDGMENTS[tool]}
    expected = rm.evaluate(written(tmp_path, "j.json", whole), LISTS, "nDCG")["nDCG"]
    assert rm.evaluate(whole, LISTS, "nDCG")["nDCG"] == expected


ODD = [None, True, 0, -1, 1.5, "", "x", [], {}, [None], {"a": 1}, 2**70, [[]], "日本"]


def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands inside of a document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(*above, key) for key, _ in inside] + [place for key, one in inside for place in places(one, (*above, key))]


def changed_somewhere(document: Any, chance: random.Random) -> Any:
    """A document with something left out of it, or something odd in its place."""
    document = copy.deepcopy(document)
    *above, key = chance.choice(places(document))
    holder = document
    for step in above:
        holder = holder[step]
    if isinstance(holder, dict) and chance.random() < 0.4:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(chance.choice(ODD))
    return document


def value_or_refusal(judgments: Any, run: Any) -> float | None:
    """A number, or None for a sentence; anything else fails the test."""
    try:
        return rm.evaluate(judgments, run, "nDCG")["nDCG"]
    except rm.RankmeterError as error:
        return None if error.text("en") and error.text("zh") else 0.0


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
@pytest.mark.parametrize("tool", [*ENGINES, *VECTOR_STORES])
@pytest.mark.parametrize("seed", range(8))
def test_damaged_answers_give_one_number_or_a_sentence_on_every_route(tmp_path, tool, seed):
    answers = {query: {**ENGINES, **VECTOR_STORES}[tool](items) for query, items in LISTS.items()}
    answers = changed_somewhere(answers, random.Random(f"{tool}{seed}"))
    records = [{"query_id": query, "response": answer} for query, answer in answers.items()]
    routes = [
        answers, records, written(tmp_path, "a.json", answers), written(tmp_path, "b.jsonl", *records),
        written(tmp_path, "c.json", records),
    ]  # fmt: skip
    values = {value_or_refusal(GRADES, route) for route in routes if route}
    assert len(values - {None}) <= 1


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
@pytest.mark.parametrize("tool", JUDGMENTS)
@pytest.mark.parametrize("seed", range(12))
def test_damaged_judgments_give_the_same_in_memory_and_in_a_file(tmp_path, tool, seed):
    damaged = changed_somewhere(JUDGMENTS[tool], random.Random(f"{tool}{seed}"))
    values = [value_or_refusal(judgments, LISTS) for judgments in (damaged, written(tmp_path, "j.json", damaged))]
    assert values[0] == values[1]
