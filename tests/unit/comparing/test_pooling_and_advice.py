from __future__ import annotations

import math

import numpy as np
import pytest

import rankmeter as rm
from rankmeter import demo


def test_what_moves_two_systems_apart_comes_first() -> None:
    """x at rank 1 of both moves nothing between them; y at rank 2 of one only moves most."""
    listed = rm.pool({"q": {"a": 1}}, {"one": {"q": ["x", "y", "a"]}, "two": {"q": ["x", "a", "z"]}})
    assert listed["item"].to_list() == ["y", "z", "x"]
    assert listed["priority"].to_list() == pytest.approx([1 / math.log2(3), 0.5, 0.0])
    assert listed["systems"].to_list() == [1, 1, 2]


def test_by_weight_what_all_return_comes_first() -> None:
    listed = rm.pool(
        {"q": {"a": 1}}, {"one": {"q": ["x", "y", "a"]}, "two": {"q": ["x", "a", "z"]}}, by="weight", budget=1
    )
    assert listed.rows() == [("q", "x", 2.0, 1, 2)]


def test_judged_items_and_unjudged_queries_are_left_out_and_negative_grades_are_not() -> None:
    truth = {"q": {"a": 1, "b": 0, "c": -1}}
    listed = rm.pool(truth, {"one": {"q": ["a", "b", "c", "d"], "stranger": ["z"]}})
    assert listed["item"].to_list() == ["c", "d"]


def test_only_the_first_items_are_looked_at() -> None:
    assert rm.pool({"q": {"a": 1}}, {"one": {"q": ["x", "y", "z"]}}, depth=2)["item"].to_list() == ["x", "y"]


def test_ids_may_be_numbers_on_one_side() -> None:
    assert rm.pool({1: {7: 1}}, {"one": {"1": ["7", "8"]}})["item"].to_list() == ["8"]


def test_bad_pools_are_refused() -> None:
    with pytest.raises(rm.InputError, match=r"no query in common.*one"):
        rm.pool({"q": {"a": 1}}, {"one": {"p": ["a"]}})
    with pytest.raises(rm.InputError, match="a whole number, 1 or more"):
        rm.pool({"q": {"a": 1}}, {"one": {"q": ["a"]}}, depth=0)
    with pytest.raises(rm.InputError, match="by='z'"):
        rm.pool({"q": {"a": 1}}, {"one": {"q": ["a"]}}, by="z")
    for wrong in ({"depth": "deep"}, {"budget": 1.5}, {"budget": 0}):
        with pytest.raises(rm.InputError, match="whole number, 1 or more"):
            rm.pool({"q": {"a": 1}}, {"one": {"q": ["a"]}}, **wrong)
    with pytest.raises(rm.InputError, match="runs must be given by name"):
        rm.pool({"q": {"a": 1}}, [{"q": ["a"]}])
    with pytest.raises(rm.InputError, match="whole number, 1 or more"):
        rm.advise({"q": {"a": 1}}, k="ten")
    with pytest.raises(rm.InputError, match="needs at least two runs"):
        rm.pool({"q": {"a": 1}}, {"one": {"q": ["a"]}}, by="difference")


def test_judging_the_pool_closes_the_bounds() -> None:
    judgments = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    runs = {"one": {"q1": ["x", "a"], "q2": ["c", "y"]}, "two": {"q1": ["a", "z"], "q2": ["w", "c"]}}
    for query, item, *_ in rm.pool(judgments, runs, depth=2).rows():
        judgments[query][item] = 0
    cmp = rm.compare(judgments, runs, ["P@2"], permutations=100, resamples=100)
    for system in runs:
        bounds = cmp.score("P@2", system).unjudged
        assert bounds.none_relevant == bounds.all_relevant
        assert cmp.quality[system].judged_at[2] == 1.0


def test_one_answer_asks_for_reciprocal_rank() -> None:
    advice = rm.advise({f"q{i}": {f"d{i}": 1} for i in range(60)})
    assert advice.recommended[0].measure == "RR@10"
    assert "one relevant item" in advice.recommended[0].why


def test_grades_ask_for_ndcg_and_recommendation_for_20() -> None:
    truth = {f"q{i}": {f"d{j}": j % 4 for j in range(6)} for i in range(60)}
    assert [one.measure for one in rm.advise(truth).recommended][:2] == ["nDCG@10", "ERR(max_grade=3)@10"]
    advice = rm.advise(truth, purpose="recommendation")
    assert [one.measure for one in advice.recommended] == [
        "HR(rel=2)@20", "Recall(rel=2)@20", "nDCG(rel=2)@20", "Coverage@20", "Novelty@20", "Calibration@20",
    ]  # fmt: skip
    assert "rating_threshold" in [note.kind for note in advice.notes]
    assert "users" in repr(advice)


def test_more_relevant_items_than_places_ask_for_capped_recall() -> None:
    truth = {f"q{i}": [f"d{j}" for j in range(30)] for i in range(60)}
    assert "R(norm=capped)@10" in [one.measure for one in rm.advise(truth).recommended]


def test_labels_below_one_still_give_measures_that_work() -> None:
    truth = {f"q{i}": {"a": 0.5, "b": 0.25, "c": 0.0} for i in range(60)}
    advice = rm.advise(truth, {"one": {query: ["a", "c", "b"] for query in truth}})
    assert all(0 <= one.saturated <= 1 for one in advice.behaviour)


def test_few_queries_and_missing_negatives_are_said() -> None:
    notes = " ".join(rm.advise({"q": ["a"], "p": ["a", "b"]}).notes)
    assert "2 queries are few" in notes
    assert "cannot be distinguished from those that are not relevant" in notes


def test_the_demo_says_which_measures_separate_and_which_say_the_same() -> None:
    runs = {name: demo.data_path(file) for name, file in demo.RUNS.items()}
    advice = rm.advise(demo.data_path(demo.JUDGMENTS), runs, purpose="search")
    by_name = {one.measure: one for one in advice.behaviour}
    assert by_name["nDCG@10"].separates == 1.0
    assert by_name["nDCG@10"].stable > 0.95
    assert "Bpref" in by_name  # much of one run is unjudged
    assert all(one.over == "queries" for one in advice.alike)  # three systems are too few for the other
    assert "separates pairs" in str(advice)


def test_with_ten_systems_measures_are_compared_over_systems_too() -> None:
    random = np.random.default_rng(0)
    truth = {f"q{i}": {"a": 1, "b": 1, "c": 0} for i in range(60)}
    runs = {
        f"s{number}": {q: {item: random.random() + (item != "c") * number / 10 for item in "abcdefgh"} for q in truth}
        for number in range(10)
    }
    assert {one.over for one in rm.advise(truth, runs, measures=["P@2", "Rprec"]).alike} >= {"systems"}


def test_bad_advice_is_refused() -> None:
    with pytest.raises(rm.InputError, match="purpose='z'"):
        rm.advise({"q": ["a"]}, purpose="z")
    with pytest.raises(rm.InputError, match="k=0"):
        rm.advise({"q": ["a"]}, k=0)


@pytest.mark.parametrize("most", [2**31, 2**63, 10**30])
def test_more_than_there_is_may_be_asked_for(most) -> None:
    truth, runs = {"q": {"a": 1}}, {"one": {"q": ["a", "x", "y"]}}
    assert rm.pool(truth, runs, budget=most, depth=most).equals(rm.pool(truth, runs))


@pytest.mark.parametrize("runs", ["keyword.run", ["a.run", "b.run"], 3])
@pytest.mark.parametrize("call", [rm.advise, rm.compare])
def test_runs_without_names_are_refused_in_one_sentence(call, runs):
    with pytest.raises(rm.InputError, match="systems must be given as runs by name"):
        call({"q1": {"a": 1}}, runs)
