"""A query that is given with nothing in it is still a query, whatever the kind of input."""

from __future__ import annotations

import json

import polars as pl
import pytest

import rankmeter as rm

JUDGMENTS = {"p": {}, "q": {"a": 1}, "r": {"b": 1}}
RUN = {"p": {"z": 1.0}, "q": {}, "r": {"b": 2.0, "c": 1.0}, "s": {}}
LISTS = {query: list(items) for query, items in RUN.items()}
MEASURES = ["P@1", "RR(queries=common)", "RR(queries=run)", "RR(empty=skip)", "nDCG(candidates=appended)@5"]


def graded_frame(judgments):
    rows = [(query, item, grade) for query, items in judgments.items() for item, grade in items.items()]
    return pl.DataFrame(rows, schema=["query", "item", "grade"], orient="row")


def scored_frame(run):
    rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
    return pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")


def json_file(folder, name, content):
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def everything(ev):
    return ev.per_query.sort("query").to_dicts(), ev.mean, ev.facts.judged, ev.facts.in_run, ev.facts.missing


@pytest.mark.parametrize("run", [RUN, LISTS], ids=["scores", "lists"])
def test_a_query_without_items_counts_alike_in_mappings_and_json(run, tmp_path):
    expected = everything(rm.evaluate(JUDGMENTS, run, MEASURES))
    assert expected[2:] == (3, 4, 0)
    judgments_file = json_file(tmp_path, "judgments.json", JUDGMENTS)
    run_file = json_file(tmp_path, "run.json", run)
    for judgments, other in ((judgments_file, run_file), (JUDGMENTS, run_file), (judgments_file, run)):
        assert everything(rm.evaluate(judgments, other, MEASURES)) == expected


def test_a_judged_query_without_items_counts_against_a_frame():
    ev = rm.evaluate(JUDGMENTS, scored_frame(RUN), MEASURES)
    filled = {query: items for query, items in RUN.items() if items}
    assert everything(ev) == everything(rm.evaluate(JUDGMENTS, filled, MEASURES))
    assert ev.facts.judged == 3


def test_a_run_query_without_items_counts_against_a_frame():
    filled = {query: items for query, items in JUDGMENTS.items() if items}
    ev = rm.evaluate(graded_frame(JUDGMENTS), RUN, MEASURES)
    assert everything(ev) == everything(rm.evaluate(filled, RUN, MEASURES))
    assert (ev.facts.judged, ev.facts.in_run) == (2, 4)


def test_queries_stay_in_the_order_given():
    assert rm.evaluate(rm.ranked_grades([[0, 1], [], [1]]), measures="RR").per_query["query"].to_list() == [0, 1, 2]
    ev = rm.evaluate(JUDGMENTS, scored_frame(RUN), "RR")
    assert ev.per_query["query"].to_list() == ["p", "q", "r"]


def test_an_empty_list_of_ranked_grades_is_a_query_that_found_nothing():
    ev = rm.evaluate(rm.ranked_grades([[1], []]), measures=["RR", "P@1"])
    assert (ev["RR"], ev.facts.judged, ev.facts.in_run) == (0.5, 2, 2)


def test_a_run_of_empty_lists_only_found_nothing():
    frame = graded_frame(JUDGMENTS)
    assert rm.evaluate(frame, {"q": [], "r": []}, "RR")["RR"] == 0.0
    assert rm.evaluate({"q": {1: 1}}, {"q": []}, "RR", duplicates="counted")["RR"] == 0.0


def test_judgments_without_items_only_hold_queries_without_relevant_items():
    ev = rm.evaluate({"q": {}, "r": {}}, scored_frame(RUN), "RR")
    assert (ev["RR"], ev.facts.judged, ev.facts.without_relevant) == (0.0, 2, 2)


def test_a_query_id_of_another_type_is_text_with_the_others():
    ev = rm.evaluate({1: {"a": 1}, "x": {}}, pl.DataFrame({"query": ["1"], "item": ["a"], "score": [1.0]}), "RR")
    assert ev.per_query.to_dicts() == [{"query": "1", "RR": 1.0}, {"query": "x", "RR": 0.0}]


def test_a_query_without_subtopics_is_judged():
    judgments = {"q": {"a": {"1": 1}}, "p": {}}
    ev = rm.evaluate(judgments, {"q": ["a"], "p": ["a"]}, ["alpha_nDCG@5", "RR"])
    assert ev.per_query["query"].to_list() == ["q", "p"]
    assert ev["RR"] == 0.5
