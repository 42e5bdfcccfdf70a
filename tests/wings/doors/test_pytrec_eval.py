"""The drop-in for pytrec_eval: the same keys and values as the original, on everything it takes."""

from __future__ import annotations

import math
from collections import UserDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmeter.compat import pytrec_eval as ours
from rankmeter.errors import InputError, MeasureError

JUDGMENTS = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5}}
ASKED = (
    "all_trec", "official", "set", "map", "P_5", "P.7,2", "ndcg_cut.3", "recall.2", "success_1,3", "set_F.2", "bpref",
    "11pt_avg.0.25,0.5", "iprec_at_recall.0.25,0.9", "Rprec_mult.0.5", "gm_map", "num_nonrel_judged_ret",
)  # fmt: skip

items = st.sampled_from([f"d{number}" for number in range(9)])
scores = st.one_of(st.integers(0, 3).map(float), st.sampled_from([1.0, 1.00000001, 1.00000002, 16777216.0, 16777217.0]))
runs = st.dictionaries(st.sampled_from("abcd"), st.dictionaries(items, scores, min_size=1), min_size=1)
# One grade of 0 or more for every query: the original reads freed memory for queries with negative grades only.
graded = st.dictionaries(items, st.integers(-2, 3)).map(lambda one: {**one, "z": 1})
judged = st.dictionaries(st.sampled_from("abce"), graded, min_size=1)


@given(judged, runs, st.sets(st.sampled_from(ASKED), min_size=1), st.sampled_from([1, 2]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_equals_the_original(
    judgments: dict[str, Any], run: dict[str, Any], measures: set[str], level: int, judged_only: bool
) -> None:
    original = pytest.importorskip("pytrec_eval")
    expected = original.RelevanceEvaluator(judgments, measures, level, judged_only).evaluate(run)
    found = ours.RelevanceEvaluator(judgments, measures, level, judged_only).evaluate(run)
    assert {query: list(one) for query, one in found.items()} == {query: list(one) for query, one in expected.items()}
    for query, one in expected.items():
        for name, value in one.items():
            assert found[query][name] == pytest.approx(value, rel=1e-12, abs=1e-14, nan_ok=True), (query, name)


def test_long_lists_equal_the_original() -> None:
    """Lists of a few hundred documents are read another way than short ones."""
    original = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(5)
    judgments, run = {}, {}
    for query in range(12):
        ids = [f"d{number}" for number in rng.permutation(600)]
        graded = rng.integers(-1, 4, rng.integers(5, 400)).tolist()
        judgments[f"q{query}"] = dict(zip(ids, graded, strict=False))
        scores = np.round(rng.random(rng.integers(60, 300)) * 50).tolist()
        run[f"q{11 - query}"] = dict(zip(rng.permutation(ids).tolist(), scores, strict=False))
    for few in (judgments, {query: dict(list(one.items())[:9]) for query, one in judgments.items()}):
        found = ours.RelevanceEvaluator(few, {"all_trec"}).evaluate(run)
        expected = original.RelevanceEvaluator(few, {"all_trec"}).evaluate(run)
        assert list(found) == list(expected)
        for query, one in expected.items():
            assert found[query] == pytest.approx(one, rel=1e-12, abs=1e-14), query


@pytest.mark.parametrize("weight", [0.5, 1, 2, 3.7])
def test_set_f_rounds_as_the_original_does(weight: float) -> None:
    """To the last bit: four digits are printed, and 0.15625 is 0.1563 or 0.1562 by the order of the operations."""
    original = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(7)
    judgments = {f"q{query}": {f"d{item}": int(rng.random() < 0.3) for item in range(80)} for query in range(300)}
    run = {query: {f"d{item}": 1.0 * item for item in range(rng.integers(1, 120))} for query in judgments}
    asked = {f"set_F.{weight}"}
    found = ours.RelevanceEvaluator(judgments, asked).evaluate(run)
    assert found == original.RelevanceEvaluator(judgments, asked).evaluate(run)


def test_names_are_those_of_the_original() -> None:
    original = pytest.importorskip("pytrec_eval")
    assert ours.supported_measures == original.supported_measures
    for nickname, names in ours.supported_nicknames.items():
        assert names == original.supported_nicknames[nickname]


def test_ndcg_of_three_lists() -> None:
    found = ours.RelevanceEvaluator(JUDGMENTS, {"ndcg"}).evaluate(RUN)
    assert found["q1"]["ndcg"] == 0.5
    assert found["q2"]["ndcg"] == pytest.approx((1 / math.log2(3) + 0.5) / (1 + 1 / math.log2(3)))


def test_cutoffs_given_apart_are_put_together() -> None:
    found = ours.RelevanceEvaluator(JUDGMENTS, ["ndcg_cut_2", "ndcg_cut.1,3", "P"]).evaluate(RUN)["q1"]
    cutoffs = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
    assert list(found) == [*(f"P_{k}" for k in cutoffs), "ndcg_cut_1", "ndcg_cut_2", "ndcg_cut_3"]


def test_an_evaluator_can_be_used_again() -> None:
    evaluator = ours.RelevanceEvaluator(JUDGMENTS, {"map", "bpref"})
    first = evaluator.evaluate(RUN)
    evaluator.evaluate({"q1": {"d3": 1.0}})
    assert evaluator.evaluate(RUN) == first


def test_nothing_in_common_gives_nothing() -> None:
    assert ours.RelevanceEvaluator(JUDGMENTS, {"map"}).evaluate({}) == {}
    assert ours.RelevanceEvaluator(JUDGMENTS, {"map"}).evaluate({"q9": {"d1": 1.0}}) == {}
    assert ours.RelevanceEvaluator({"q1": {}}, {"map"}).evaluate(RUN) == {}


def test_a_run_in_another_order_or_of_some_queries_uses_the_same_judgments() -> None:
    judgments = {"q3": {"z": -1, "d1": 2}, **JUDGMENTS}
    evaluator = ours.RelevanceEvaluator(judgments, {"all_trec"})
    run = {"q2": RUN["q2"], "unjudged": {"d1": 1.0}, "q3": {"d1": 1.0, "z": 2.0}, "q1": RUN["q1"]}
    alone = {query: evaluator.evaluate({query: run[query]})[query] for query in ("q2", "q3", "q1")}
    assert evaluator.evaluate(run) == alone
    assert list(evaluator.evaluate(run)) == ["q2", "q3", "q1"]


def test_judgments_that_change_later_do_not_change_an_evaluator() -> None:
    judgments = {query: dict(graded) for query, graded in JUDGMENTS.items()}
    evaluator = ours.RelevanceEvaluator(judgments, {"all_trec"})
    before = evaluator.evaluate(RUN)
    judgments["q1"].update(d1=1, d9=1)
    del judgments["q2"]["d2"]
    assert evaluator.evaluate(RUN) == before


def test_values_may_be_numpy_scalars() -> None:
    evaluator = ours.RelevanceEvaluator({"1": {"7": np.int64(1), "8": np.int64(-1)}}, {"recip_rank"})
    assert evaluator.evaluate({"1": {"8": np.float32(2), "7": np.int64(1)}}) == {"1": {"recip_rank": 0.5}}


WRONG_JUDGMENTS = (
    {1: {"a": 1}}, {"q1": {1: 1}}, {"q1": {"a": 1.0}}, {"q1": {"a": "1"}}, {"q1": {"a": None}}, {"q1": ["a"]},
    {"q1": {"b": 1, "a": 0.5}},
)  # fmt: skip
WRONG_RUNS = (
    {1: {"a": 1.0}}, {"q1": {1: 1.0}}, {"q1": {b"a": 1.0}}, {"q1": {"a": "1.0"}}, {"q1": {"a": None}}, {"q1": ["a"]},
    {"q1": None}, {"q1": {"a": 1.0}, "unjudged": ["a"]}, {"q1": {"a": 1.0}, "unjudged": {"a": "x"}},
    {"q1": {"b": 1.0, "a": None}}, UserDict(RUN), [("q1", {"a": 1.0})],
)  # fmt: skip
WRONG_OPTIONS = (
    {"relevance_level": 0}, {"relevance_level": 1.5}, {"relevance_level": "1"}, {"relevance_level": None},
    {"relevance_level": 2**40}, {"judged_docs_only_flag": "yes"}, {"judged_docs_only_flag": None},
)  # fmt: skip


@pytest.mark.parametrize("original", [False, True])
@pytest.mark.parametrize("judgments", WRONG_JUDGMENTS)
def test_judgments_of_wrong_types_are_a_type_error_at_once(judgments: Any, original: bool) -> None:
    tool = pytest.importorskip("pytrec_eval") if original else ours
    with pytest.raises(TypeError):
        tool.RelevanceEvaluator(judgments, {"map"})


@pytest.mark.parametrize("original", [False, True])
@pytest.mark.parametrize("run", WRONG_RUNS)
def test_a_run_of_wrong_types_is_a_type_error(run: Any, original: bool) -> None:
    tool = pytest.importorskip("pytrec_eval") if original else ours
    evaluator = tool.RelevanceEvaluator({"q1": {"a": 1}}, {"map"})
    with pytest.raises(TypeError):
        evaluator.evaluate(run)


@pytest.mark.parametrize("original", [False, True])
@pytest.mark.parametrize("options", WRONG_OPTIONS)
def test_a_level_that_is_no_positive_whole_number_is_a_type_error(options: dict[str, Any], original: bool) -> None:
    tool = pytest.importorskip("pytrec_eval") if original else ours
    with pytest.raises(TypeError):
        tool.RelevanceEvaluator(JUDGMENTS, {"map"}, **options)


def test_a_level_below_0_is_refused_where_the_original_may_crash() -> None:
    with pytest.raises(TypeError, match=r"relevance_level is -1, but it should be positive\. Hint: relevance_level=1"):
        ours.RelevanceEvaluator(JUDGMENTS, {"map"}, -1)


def test_messages_of_wrong_types_say_where_and_what() -> None:
    with pytest.raises(InputError, match=r"judgments: a document id is of type int, not str\. Hint: .*str\(id\)"):
        ours.RelevanceEvaluator({"q1": {7: 1}}, {"map"})
    with pytest.raises(InputError, match=r"run: a score is of type str, not a number\."):
        ours.RelevanceEvaluator(JUDGMENTS, {"map"}).evaluate({"q1": {"d1": "high"}})


def test_an_id_that_is_no_text_has_a_sentence() -> None:
    evaluator = ours.RelevanceEvaluator({"q": {"\ud800": 1}}, {"map"})
    with pytest.raises(InputError, match="lone surrogate"):
        evaluator.evaluate({"q": {"\ud800": 1.0, "b": 1.0}})


def test_no_run_gives_nothing() -> None:
    assert ours.RelevanceEvaluator(JUDGMENTS, {"map"}).evaluate(None) == {}


def test_coefficients_of_utility_keep_their_order() -> None:
    found = ours.RelevanceEvaluator({"q": {"a": 1, "b": 1}}, {"utility.2,1,0,0"}).evaluate({"q": {"a": 2.0, "x": 1.0}})
    assert found["q"]["utility"] == 3.0


@pytest.mark.parametrize("measure", ["mapp", "ndcg.10", "P_0", "P.5,", "prefs_simp"])
def test_a_measure_that_is_not_there_is_a_value_error(measure: str) -> None:
    with pytest.raises(ValueError, match="unsupported measure"):
        ours.RelevanceEvaluator(JUDGMENTS, {measure})


def test_a_text_in_place_of_a_set_is_refused() -> None:
    with pytest.raises(MeasureError, match=r"\{'map'\}"):
        ours.RelevanceEvaluator(JUDGMENTS, "map")


def test_lines_are_parsed() -> None:
    assert ours.parse_qrel(["q1 0 d1 1\n", "q1 0 d2 -1\n"]) == {"q1": {"d1": 1, "d2": -1}}
    assert ours.parse_run(["q1 Q0 d1 1 2.5 tag\n"]) == {"q1": {"d1": 2.5}}
    with pytest.raises(InputError, match="line 2: document d1 appears twice"):
        ours.parse_run(["q1 Q0 d1 1 2.5 tag", "q1 Q0 d1 2 1.5 tag"])
    with pytest.raises(InputError, match="line 1: 3 fields"):
        ours.parse_qrel(["q1 d1 1"])


@pytest.mark.parametrize(("measure", "expected"), [("map", 0.5), ("num_ret", 1.0), ("gm_map", math.exp(0.5))])
def test_values_are_aggregated_by_name(measure: str, expected: float) -> None:
    assert ours.compute_aggregated_measure(measure, [0.25, 0.75]) == pytest.approx(expected)


queries = st.sampled_from(["q1", "q2", "q3", "ü"])
whole_grades = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4), min_size=1)
any_scores = st.sampled_from([0.5, 1.0, 1e300, 0.1, 0.10000000001, -3.0])


@given(
    st.dictionaries(queries, whole_grades, min_size=1),
    st.dictionaries(queries, st.dictionaries(st.sampled_from("abcdefghij"), any_scores)),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
def test_few_short_lists_have_the_same_values_one_by_one(truth, run, level, judged_only) -> None:
    evaluator = ours.RelevanceEvaluator(truth, {"all_trec"}, level, judged_only)
    little = evaluator.evaluate(run)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ours, "MOST_LITTLE", -1)
        placed = evaluator.evaluate(run)
    assert little.keys() == placed.keys()
    for name, values in little.items():
        assert values == pytest.approx(placed[name], rel=1e-12, abs=1e-12, nan_ok=True)
