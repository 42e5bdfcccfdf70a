"""Every measure, under every tie rule and with random options, has the value that the plain formula gives."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.oracle import oracle
from tests.properties.strategies import (
    INT_IDS,
    ODD_SCORES,
    PLAIN,
    TEXT_IDS,
    TIED_SCORES,
    Data,
    by_night,
    data,
    measures,
    tie_rules,
    usual,
    values_of,
    with_possible_ties,
)

import rankmeter as rm

FAMILIES = ["P@3", "R@3", "F@3", "Success@3", "RR@3", "AP@3", "nDCG@3", "DCG@3", "RBP@3", "ERR@3", "Bpref", "infAP"]
FAMILIES += ["IPrec@0.5", "Rprec", "SetP", "SetR", "SetF", "AUC", "MeanRank", "NumRelRet"]

GRADING = [
    name
    for name in PLAIN
    for option in fields(usual(name))
    if option.name == "unjudged" and 0.5 in values_of(usual(name), option)
]
"""Measures that can give a grade to what nobody judged."""


def assert_equal_to_oracle(case: Data, *asked: rm.Measure) -> None:
    result = rm.evaluate(case.judgments, case.run, asked)
    columns = result.per_query.to_dict(as_series=False)
    for measure in asked:
        mean, values = oracle(measure, case.judgments, case.run)
        found = {q: v for q, v in zip(columns["query"], columns[str(measure)], strict=True) if v is not None}
        expected = {query: value for query, value in values.items() if value is not None}
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True), measure
        assert result[measure] == pytest.approx(mean, rel=1e-9, abs=1e-9, nan_ok=True), measure


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=20)
@given(st.data())
def test_the_value_is_that_of_the_formula_under_every_tie_rule(name, draws):
    case = draws.draw(data())
    measure = draws.draw(measures(name, fixed=("candidates", "aggregate")))
    if draws.draw(st.booleans()):
        measure = measure(candidates="list")
    # One rule alone, too: what is placed depends on what is asked for.
    rules = draws.draw(st.lists(st.sampled_from(tie_rules(measure)), min_size=1, max_size=3, unique=True))
    assert_equal_to_oracle(case, *(measure(ties=rule) for rule in rules))


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=8)
@given(st.data())
def test_every_tie_rule_of_a_measure_with_default_options(name, draws):
    case = draws.draw(data(scores=TIED_SCORES))
    assert_equal_to_oracle(case, *(usual(name)(ties=rule) for rule in tie_rules(usual(name))))


@settings(max_examples=25)
@given(data(), st.lists(measures(fixed=("candidates", "aggregate")), min_size=2, max_size=8, unique_by=str))
def test_measures_asked_together_have_the_values_that_they_have_alone(case, several):
    assert_equal_to_oracle(case, *several)


@pytest.mark.parametrize("queries", ["judged", "common", "run"])
@pytest.mark.parametrize("miss", ["zero", "skip"])
@pytest.mark.parametrize("empty", ["zero", "one", "nan", "skip", "silent"])
@settings(max_examples=3)
@given(case=data())
def test_empty_miss_and_query_policies_hold_in_every_family(empty, miss, queries, case):
    asked = [rm.parse(text)(empty=empty, miss=miss, queries=queries) for text in FAMILIES]
    assert_equal_to_oracle(case, *asked)


@settings(max_examples=20)
@given(data(scores=ODD_SCORES))
def test_scores_compared_as_float32_tie_where_float64_does_not(case):
    asked = [rm.parse(text)(scores="float32", ties=ties) for text in FAMILIES[:7] for ties in ("item", "input", "best")]
    assert_equal_to_oracle(case, *asked)


@settings(max_examples=20)
@given(data(ids=INT_IDS))
def test_whole_number_ids_are_ordered_as_text(case):
    asked = [rm.parse(text)(ties=ties) for text in FAMILIES[:7] for ties in ("item", "item-ascending")]
    assert_equal_to_oracle(case, *asked)


@settings(max_examples=20)
@given(data(ids=TEXT_IDS, empty_lists=False), measures(fixed=("candidates", "sign", "aggregate")))
def test_a_ranked_list_has_the_values_of_its_order(case, measure):
    lists = Data(case.judgments, {query: list(scores) for query, scores in case.run.items()})
    assert_equal_to_oracle(lists, measure)


@pytest.mark.parametrize("aggregate", ["mean", "geometric", "sum", "median", "pooled"])
@settings(max_examples=8)
@given(
    case=data(), empty=st.sampled_from(["zero", "one", "nan", "skip", "silent"]), miss=st.sampled_from(["zero", "skip"])
)
@example(case=Data({"q": {"a": 0}}, {"q": {"a": 1.0}}), empty="zero", miss="zero")
@example(case=Data({"q": {"a": 1}, "r": {"a": 0}}, {"q": {"a": 1.0}}), empty="nan", miss="zero")
@example(case=Data({"q": {"a": 1}, "r": {"a": 0}}, {"q": {"b": 1.0}}), empty="one", miss="zero")
@example(case=Data({"q": {"a": 3}, "r": {"a": 0}}, {"q": {}, "r": {"a": 1.0, "b": 1.0}}), empty="one", miss="zero")
def test_every_aggregate_is_made_of_the_values_per_query(aggregate, case, empty, miss):
    asked = [usual(name) for name in PLAIN if aggregate in usual(name).aggregates]
    assert_equal_to_oracle(case, *(one(aggregate=aggregate, empty=empty, miss=miss) for one in asked))


@pytest.mark.parametrize(
    ("text", "judged", "returned", "by_hand"),
    [
        # One of two relevant items, alone in the list: min(R, length) is 1, whatever the cutoff.
        ("SetP(norm=capped)@3", {"a": 1, "b": 1}, {"a": 1.0}, 1.0),
        # Without a cutoff nothing caps R: one of two relevant items is half of them.
        ("R(norm=capped)", {"a": 1, "b": 1}, {"a": 1.0}, 0.5),
        # The list re-sorted is b's 3 and a's 1; b gains nothing because of its score, and is still in the list.
        ("nDCG(negative=counted)", {"a": 1, "b": -5}, {"a": 2.0, "b": 1.0}, 1.0),
        ("nDCG(negative=counted)", {"a": 1, "b": -5}, {"a": 2.0}, 1 / (1 - 5 / math.log2(3))),
        # Grades below 0 alone: what the list loses; only where every gain is 0 is there nothing to find.
        ("DCG(gain=exp2,negative=counted)", {"a": -1}, {"a": 1.0}, -0.5),
        ("nDCG(negative=counted)", {"a": -1, "b": -2}, {"b": 1.0}, 2 / (1 + 2 / math.log2(3))),
        ("nDCG(empty=one,negative=counted)", {"a": 0}, {"a": 1.0}, 1.0),
        ("nDCG(negative=guarded)", {"a": -1, "b": -2}, {"b": 1.0}, 0.0),
        ("nDCG(empty=one,negative=guarded)", {"a": 1, "b": -5}, {"a": 1.0}, 1.0),
        ("ERR(max_grade=1,negative=counted)", {"a": -1}, {"a": 1.0}, -0.25),
        ("nDCG(candidates=list,sign=positive)", {"a": 1, "b": 3}, {"a": 2.0, "b": 0.0}, 1 / (3 + 1 / math.log2(3))),
        # Best is the greatest value of any order: the gain decides, not the grade.
        ("DCG(gain={1:3,2:9},ties=best)", {"a": 2, "b": 3}, {"a": 1.0, "b": 1.0}, 9 + 3 / math.log2(3)),
        ("DCG(gain={1:3,2:9},ties=worst)", {"a": 2, "b": 3}, {"a": 1.0, "b": 1.0}, 3 + 9 / math.log2(3)),
        # A repeated item counts each time: overlaps 1/1 and 2/2 against 1/1 and 1/2.
        ("Compat(duplicates=counted,p=0.5)", {"a": 1}, ["a", "a"], (1 + 0.5) / (1 + 0.5 / 2)),
    ],
)
def test_corners_have_the_values_computed_by_hand(text, judged, returned, by_hand):
    assert oracle(rm.parse(text), {"q": judged}, {"q": returned})[0] == pytest.approx(by_hand, abs=1e-12)
    assert rm.evaluate({"q": judged}, {"q": returned}, [text])[text] == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=8)
@given(st.data())
def test_judged_items_that_were_not_returned_can_be_appended(name, draws):
    case = draws.draw(data())
    measure = draws.draw(measures(name, fixed=("candidates", "aggregate")))
    assert_equal_to_oracle(case, with_possible_ties(measure, {"candidates": "appended"}))


@pytest.mark.parametrize("name", GRADING)
@settings(max_examples=8)
@given(
    case=data(scores=TIED_SCORES),
    ties=st.sampled_from(["worst", "best", "item-ascending", "reversed"]),
    depth=st.sampled_from([None, 1, 3, 20]),
    grade=st.sampled_from([0.5, 2]),
    candidates=st.sampled_from(["all", "list", "appended"]),
)
def test_what_nobody_judged_is_tied_with_its_grade_wherever_the_list_is_cut(name, case, ties, depth, grade, candidates):
    measure = usual(name)(ties=ties, depth=depth, unjudged=grade, candidates=candidates)
    assert_equal_to_oracle(case, measure)


def test_a_grade_above_the_top_of_the_scale_is_refused():
    for text in ("ERR(max_grade=2)", "RBP(gain=exp2,max_grade=2)"):
        with pytest.raises(rm.MeasureError):
            rm.evaluate({"q": {"a": 3}}, {"q": {"a": 1.0}}, [text])


@given(data(relevant=False), st.sampled_from(["P", "AP(rel=2)", "nDCG(rel=3)", "RR(rel=0.5)"]))
@example(Data({"q": {"a": 0.5}}, {"q": {"a": 1.0}}), "P")
def test_data_in_which_no_positive_grade_is_relevant_are_refused(case, text):
    measure = rm.parse(text)
    if 0 < case.highest < measure.rel:
        with pytest.raises(rm.MeasureError, match="Hint"):
            rm.evaluate(case.judgments, case.run, [measure])
    else:
        assert_equal_to_oracle(case, measure)


def test_the_oracle_agrees_with_values_computed_by_hand():
    judgments = {"q": {"a": 3, "b": 2, "c": 3, "e": 1}}
    run = {"q": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}}
    by_hand = {
        "DCG@5": 3 + 2 / math.log2(3) + 3 / 2 + 1 / math.log2(6),
        "ERR(max_grade=3)@5": 0.875 + 0.0234375 + 0.022786458333333332 + 0.000244140625,
        "P@4": 0.75,
        "AP": (1 + 1 + 1 + 4 / 5) / 4,
        "RBP(p=0.5)": 0.5 * (1 + 0.5 + 0.25 + 0.0625),
    }
    for text, value in by_hand.items():
        assert oracle(rm.parse(text), judgments, run)[0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=by_night(8, night=30))
@given(st.sampled_from(["first", "counted", "once", "distinct", "separate"]), st.data())
def test_every_treatment_of_repeats_holds_for_every_measure(name, duplicates, draws):
    measure = draws.draw(measures(name, fixed=("ties", "candidates", "sign", "scores")))
    measure = measure(duplicates=duplicates, ties=draws.draw(st.sampled_from(["input", "item", "item-ascending"])))
    case = draws.draw(data(ids=TEXT_IDS))
    item = st.sampled_from(TEXT_IDS)
    lists = {query: draws.draw(st.lists(item, max_size=9)) for query in case.run}
    if not any(lists[query] for query in lists if query in case.judgments):
        lists[next(query for query in lists if query in case.judgments)] = ["a", "a", "b"]
    assert_equal_to_oracle(Data(case.judgments, lists), measure)


@settings(max_examples=40)
@given(data(scores=TIED_SCORES), st.sampled_from(["SetP", "SetR", "SetF"]), st.integers(1, 4))
def test_whole_ties_stay_where_they_are_included(case, name, depth):
    assert_equal_to_oracle(case, usual(name)(ties="included", depth=depth))
