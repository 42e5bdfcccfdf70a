"""rankmeter gives trec_eval's numbers (version 9, through pytrec_eval) on data full of ties and odd judgments."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.properties.strategies import TEXT_IDS, WHOLE_GRADES, Data, data

import rankmeter as rm

pytrec_eval = pytest.importorskip("pytrec_eval")

MEASURES = {
    "map": "AP",
    "map_cut_1": "AP@1",
    "map_cut_3": "AP@3",
    "map_cut_20": "AP@20",
    "P_1": "P@1",
    "P_3": "P@3",
    "P_20": "P@20",
    "recall_1": "R@1",
    "recall_3": "R@3",
    "recall_20": "R@20",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut_1": "nDCG@1",
    "ndcg_cut_3": "nDCG@3",
    "ndcg_cut_20": "nDCG@20",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "infAP",
    "success_1": "Success@1",
    "success_3": "Success@3",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    **{f"iprec_at_recall_{tenth / 10:.2f}": f"IPrec(rounding=trec9)@{tenth / 10}" for tenth in range(11)},
}
"""Each measure of trec_eval with the measure of rankmeter that is the same."""

ASKED_OF_TREC = {
    "map", "map_cut.1,3,20", "P.1,3,20", "recall.1,3,20", "recip_rank", "ndcg", "ndcg_cut.1,3,20", "Rprec", "bpref",
    "infAP", "success.1,3", "set_P", "set_recall", "set_F", "num_ret", "num_rel", "num_rel_ret",
    "iprec_at_recall.0.00,0.10,0.20,0.30,0.40,0.50,0.60,0.70,0.80,0.90,1.00",
}  # fmt: skip

FINITE_SCORES = [1.0, 1.0 + 1e-9, 2.0, 0.0, -0.0, -1.5, 0.5, 1e30, 16777217.0, 16777216.0]
"""The second and the last but one tie with a neighbour in single precision only."""
WITHOUT_LEVEL = {"ndcg", "ndcg_cut_1", "ndcg_cut_3", "ndcg_cut_20", "num_ret"}
"""trec_eval's relevance level does not reach these."""


def trec_data() -> st.SearchStrategy[Data]:
    """Data that trec_eval can read: it crashes on a query in which every grade is below 0."""
    return data(ids=TEXT_IDS, grades=WHOLE_GRADES, scores=FINITE_SCORES, empty_lists=False).map(_with_judged)


def _with_judged(case: Data) -> Data:
    judgments = {
        query: grades if max(grades.values()) >= 0 else {**grades, next(iter(grades)): 0}
        for query, grades in case.judgments.items()
    }
    return Data(judgments, case.run)


def assert_equal_to_trec_eval(case: Data, level: int = 1, *, condensed: bool = False) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(
        case.judgments, ASKED_OF_TREC, relevance_level=level, judged_docs_only_flag=condensed
    )
    expected = evaluator.evaluate(case.run)
    changes = {"scores": "float32", "queries": "common", "unjudged": "removed" if condensed else "nonrelevant"}
    asked = {
        name: rm.parse(text)(**changes, **({} if name in WITHOUT_LEVEL else {"rel": level}))
        for name, text in MEASURES.items()
    }
    result = rm.evaluate(case.judgments, case.run, list(asked.values()))
    rows = {row["query"]: row for row in result.per_query.to_dicts()}
    assert set(rows) == set(expected)
    for query, theirs in expected.items():
        ours = {name: rows[query][str(measure)] for name, measure in asked.items()}
        # A condensed list that is empty makes trec_eval divide 0 by 0 in iprec_at_recall_0.00; we say 0.
        wanted = {name: 0.0 if condensed and math.isnan(theirs[name]) else theirs[name] for name in asked}
        assert ours == pytest.approx(wanted, rel=1e-9, abs=1e-9), query


@settings(max_examples=60)
@given(trec_data())
@example(Data({"q": {"9": 1, "10": 0}}, {"q": {"9": 1.0, "10": 1.0 + 1e-9}}))
@example(Data({"q": {"a": 3, "b": -1, "ä": 1}}, {"q": {"a": 1.0, "b": 1.0, "ä": 1.0, "z": 1.0}}))
def test_every_value_is_that_of_trec_eval(case):
    assert_equal_to_trec_eval(case)


@settings(max_examples=20)
@given(trec_data())
def test_a_higher_lowest_relevant_grade_is_the_relevance_level_of_trec_eval(case):
    assert_equal_to_trec_eval(case, level=2)


@settings(max_examples=20)
@given(trec_data())
def test_condensed_lists_are_those_of_trec_eval(case):
    assert_equal_to_trec_eval(case, condensed=True)


def test_queries_only_in_the_judgments_or_only_in_the_run_are_left_out():
    judgments = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"b": 2.0, "a": 1.0}, "q3": {"a": 1.0}}
    assert_equal_to_trec_eval(Data(judgments, run))
    assert rm.evaluate(judgments, run, ["RR"], queries="common")["RR"] == 0.5
