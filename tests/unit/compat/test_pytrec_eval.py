"""The drop-in for pytrec_eval: the same keys and values as the original, on everything it takes."""

from __future__ import annotations

import math
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


def test_ids_may_be_numbers_and_values_numpy_scalars() -> None:
    found = ours.RelevanceEvaluator({1: {7: np.int64(1), 8: 0}}, {"recip_rank"}).evaluate({1: {8: np.float32(2), 7: 1}})
    assert found == {1: {"recip_rank": 0.5}}


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
    with pytest.raises(InputError, match="line 2: document d1 stands twice"):
        ours.parse_run(["q1 Q0 d1 1 2.5 tag", "q1 Q0 d1 2 1.5 tag"])
    with pytest.raises(InputError, match="line 1: 3 fields"):
        ours.parse_qrel(["q1 d1 1"])


@pytest.mark.parametrize(("measure", "expected"), [("map", 0.5), ("num_ret", 1.0), ("gm_map", math.exp(0.5))])
def test_values_are_aggregated_by_name(measure: str, expected: float) -> None:
    assert ours.compute_aggregated_measure(measure, [0.25, 0.75]) == pytest.approx(expected)
