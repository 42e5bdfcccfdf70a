from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

import rankmeter as rm

JUDGMENTS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"d": 0}}
RUN = {"q1": {"a": 0.9, "x": 0.8, "b": 0.7}, "q2": {"x": 0.5, "c": 0.5}, "q4": {"z": 1.0}}
MEASURES = ["nDCG@10", "map", "RR(miss=skip,empty=skip)@1", "P(aggregate=pooled)@2", "MRR"]


@pytest.fixture
def ev() -> rm.Evaluation:
    return rm.evaluate(JUDGMENTS, RUN, MEASURES, name="bm25")


def test_a_value_is_found_by_the_text_asked_the_canonical_one_and_the_measure(ev):
    assert ev["map"] == ev["AP"] == ev[rm.AP] == ev["MAP"]


def test_a_measure_that_was_not_asked_is_named_with_the_nearest(ev):
    with pytest.raises(rm.NotFoundError, match=r"no 'nDCG@5'. Hint: did you mean 'nDCG@10'"):
        ev["nDCG@5"]


def test_options_of_the_call_are_folded_into_the_measures():
    ev = rm.evaluate(JUDGMENTS, RUN, ["RR", "P(queries=judged)@1"], queries="common")
    assert list(ev.mean) == ["RR(queries=common)", "P(queries=judged)@1"]
    assert ev["RR"] == ev["RR(queries=common)"]
    assert ev.counted("RR") == 2
    assert ev.counted("P(queries=judged)@1") == 3


def test_per_query_is_null_where_a_query_does_not_count(ev):
    column = ev.per_query["RR(empty=skip,miss=skip)@1"]
    assert column.to_list() == [1.0, None, None]
    assert ev["RR(empty=skip,miss=skip)@1"] == 1.0


def test_facts_count_what_was_evaluated(ev):
    assert ev.facts.judged == 3
    assert ev.facts.in_run == 3
    assert ev.facts.missing == 1
    assert ev.facts.unjudged == 1
    assert ev.facts.without_relevant == 1
    assert ev.facts.unjudged_at == {1: 1, 2: 2, 10: 2}


def test_ties_that_can_change_a_number_are_reported(ev):
    worst, best = ev.tie_bounds[ev.find("MRR")]
    assert (worst, best) == (pytest.approx((1 + 0.5 + 0) / 3), pytest.approx(2 / 3))


def test_definitions_spell_out_every_default(ev):
    assert ev.definitions["AP"]["norm"] == "relevant"
    assert ev.definitions["AP"]["queries"] == "judged"


def test_a_saved_evaluation_comes_back_whole(ev, tmp_path):
    ev.save(tmp_path / "bm25.parquet")
    back = rm.Evaluation.load(tmp_path / "bm25.parquet")
    assert back.mean == ev.mean
    assert back.per_query.equals(ev.per_query)
    assert back.facts == ev.facts
    assert back.tie_bounds == ev.tie_bounds
    assert back["map"] == ev["map"]
    assert back.name == "bm25"


def test_a_file_that_is_no_evaluation_is_refused(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(rm.InputError, match="not a saved evaluation"):
        rm.Evaluation.load(tmp_path / "x.parquet")
    with pytest.raises(rm.NotFoundError, match="no such file"):
        rm.Evaluation.load(tmp_path / "y.parquet")


def test_conversions_hold_the_same_values(ev):
    assert ev.to_polars().equals(ev.per_query)
    assert ev.to_arrow().num_rows == ev.per_query.height
    assert list(ev.to_pandas().columns) == ev.per_query.columns
    assert json.loads(ev.to_json())["mean"] == ev.to_dict()["mean"]


def test_json_has_no_nan():
    ev = rm.evaluate(JUDGMENTS, RUN, ["P(empty=nan)@1"])
    assert math.isnan(ev["P(empty=nan)@1"])
    assert json.loads(ev.to_json())["mean"] == {"P(empty=nan)@1": None}


def test_html_escapes_names():
    ev = rm.evaluate(JUDGMENTS, RUN, ["RR"], name="<script>")
    assert "<script>" not in ev._repr_html_()
    assert "&lt;script&gt;" in ev._repr_html_()


@pytest.mark.parametrize(
    ("judgments", "run", "message"),
    [
        ({}, RUN, "judgments are empty"),
        (JUDGMENTS, {}, "run is empty"),
        (JUDGMENTS, {"other": {"a": 1.0}}, "no query in common"),
        (JUDGMENTS, {"q1": {"a": float("nan")}}, r"score is not a number: nan \(query q1, item a\)"),
        (JUDGMENTS, {"q1": {"a": "high"}}, r"score is not a number: 'high' \(query q1, item a\)"),
        ({"q1": {"a": None}}, RUN, r"grade is not a number: None \(query q1, item a\)"),
        (JUDGMENTS, {"q1": ["a", "b", "a"]}, "returns an item twice for the same query: item a in query q1"),
        (JUDGMENTS, {"q1": {"a", "b"}}, "are a set, which has no order"),
        ({"q1": {"a": 0.4}}, RUN, "the highest grade judged is 0.4"),
        (5, RUN, "judgments of type int cannot be read"),
        (JUDGMENTS, None, "no run was given"),
    ],
)
def test_bad_input_gets_one_clear_message(judgments, run, message):
    with pytest.raises(rm.RankmeterError, match=message):
        rm.evaluate(judgments, run, ["AP"])


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"q1": {"a": float("nan")}}, "score 不是数字：nan（查询 q1，条目 a）。"),
        ({"q1": ["a", "b", "a"]}, "对同一查询返回了同一条目两次：查询 q1 中的条目 a。"),
        (pl.DataFrame({"query": ["q1", "q1"], "item": ["a", "a"], "score": [2.0, 1.0]}), "两次：查询 q1 中的条目 a。"),
    ],
)
def test_bad_input_is_described_in_chinese_throughout(run, message, monkeypatch):
    monkeypatch.setenv("RANKMETER_LANG", "zh")
    with pytest.raises(rm.RankmeterError, match=message):
        rm.evaluate(JUDGMENTS, run, ["AP"])


def test_a_warning_speaks_the_language_of_errors(monkeypatch):
    monkeypatch.setenv("RANKMETER_LANG", "zh")
    with pytest.warns(rm.RankmeterWarning, match="一边是数，另一边是文本"):
        rm.evaluate({1: {"a": 1}}, {"1": {"a": 0.5}}, ["AP"])


@pytest.mark.parametrize(("policy", "recall", "ap"), [("first", 0.5, 0.5), ("best", 0.5, 0.5), ("counted", 1.0, 1.0)])
def test_duplicates_follow_their_policy(policy, recall, ap):
    # One of two relevant items, returned twice: counted, it is found at ranks 1 and 2.
    ev = rm.evaluate({"q": {"a": 1, "c": 1}}, {"q": ["a", "a", "b"]}, ["R", "AP"], duplicates=policy)
    assert (ev["R"], ev["AP"]) == (recall, ap)


def test_ids_of_two_types_are_compared_as_text_and_that_is_said():
    with pytest.warns(rm.RankmeterWarning, match="item ids are numbers on one side and text on the other"):
        ev = rm.evaluate({"q": {1: 1}}, {"q": {"1": 1.0}}, "RR")
    assert ev["RR"] == 1.0


def test_infinite_scores_are_numbers():
    assert rm.evaluate({"q": {"a": 1}}, {"q": {"b": 1.0, "a": float("inf"), "c": float("-inf")}}, "RR")["RR"] == 1.0


def test_several_cutoffs_are_several_measures():
    assert list(rm.evaluate(JUDGMENTS, RUN, "nDCG@5,10 AP").mean) == ["nDCG@5", "nDCG@10", "AP"]


@pytest.mark.parametrize("measures", [None, 5, b"AP", [5]])
def test_what_is_no_measure_is_refused(measures):
    with pytest.raises(rm.MeasureError, match="such as 'nDCG@10'"):
        rm.evaluate(JUDGMENTS, RUN, measures)


def test_measures_may_come_from_a_generator():
    assert list(rm.evaluate(JUDGMENTS, RUN, (f"P@{k}" for k in (1, 2))).mean) == ["P@1", "P@2"]


@pytest.mark.parametrize("several", ["P@1,2", "RR AP", ["RR", "AP"]])
def test_one_value_is_of_one_measure(several):
    with pytest.raises(rm.MeasureError, match=r"value\(\) gives one number, but .* are 2 measures"):
        rm.value(several, grades=[1, 0])


def test_membership_iteration_and_length_are_those_of_the_measures(ev):
    assert all(text in ev for text in ("AP", "map", "MAP", "nDCG@10", rm.AP))
    assert not any(other in ev for other in ("nDCG@5", "no measure", rm.P, 5, None))
    assert list(ev) == list(ev.mean)
    assert len(ev) == len(ev.mean) == 5
    assert [ev[text] for text in ev] == list(ev.mean.values())


def test_evaluations_are_equal_where_everything_is(ev, tmp_path):
    ev.save(tmp_path / "bm25.parquet")
    assert rm.Evaluation.load(tmp_path / "bm25.parquet") == ev == rm.evaluate(JUDGMENTS, RUN, MEASURES, name="bm25")
    assert ev != rm.evaluate(JUDGMENTS, RUN, MEASURES, name="other")
    assert ev != rm.evaluate(JUDGMENTS, RUN, MEASURES[:2], name="bm25")
    assert ev != rm.evaluate(JUDGMENTS, {**RUN, "q3": {"y": 1.0}}, MEASURES, name="bm25")
    assert ev != "bm25"


def test_an_evaluation_with_a_value_that_is_nan_equals_itself():
    ev = rm.evaluate(JUDGMENTS, RUN, ["P(empty=nan)@1"])
    assert ev == rm.evaluate(JUDGMENTS, RUN, ["P(empty=nan)@1"])


@pytest.mark.parametrize(
    "change",
    [
        lambda header: "no JSON",
        lambda header: json.dumps([1]),
        lambda header: json.dumps({}),
        lambda header: json.dumps({**header, "means": ["x"] * 5}),
        lambda header: json.dumps({**header, "means": []}),
        lambda header: json.dumps({**header, "facts": {"judged": 1}}),
        lambda header: json.dumps({**header, "facts": None}),
        lambda header: json.dumps({**header, "definitions": {}}),
        lambda header: json.dumps({**header, "asked": {"x": "no measure"}}),
        lambda header: json.dumps({**header, "measures": ["P@7"]}),
    ],
)
def test_a_saved_evaluation_with_other_metadata_is_refused(ev, tmp_path, change):
    path = tmp_path / "ev.parquet"
    ev.save(path)
    header = json.loads(pl.read_parquet_metadata(path)["rankmeter"])
    pl.read_parquet(path).write_parquet(path, metadata={"rankmeter": change(header)})
    with pytest.raises(rm.InputError, match=r"is not a saved evaluation|is damaged: its content is not what was saved"):
        rm.Evaluation.load(path)


def test_saving_into_a_folder_that_is_not_there_is_said(ev, tmp_path):
    with pytest.raises(rm.InputError, match=r"no/ev.parquet cannot be written: "):
        ev.save(tmp_path / "no" / "ev.parquet")


@pytest.mark.parametrize(
    "wrong",
    [{"level": "95%"}, {"level": True}, {"level": None}, {"resamples": 1e4}, {"resamples": "many"}, {"seed": -1},
     {"seed": 0.5}],
)  # fmt: skip
def test_an_interval_takes_numbers(ev, wrong):
    with pytest.raises(rm.InputError, match=f"{next(iter(wrong))}=.* is not possible"):
        ev.interval("RR", **wrong)


def test_tie_bounds_are_whole_in_every_thread():
    judgments = {query: {item: item % 2 for item in range(10)} for query in range(30)}
    run = {query: {item: float(item // 3) for item in range(10)} for query in range(30)}
    asked = ["AP", "nDCG@3", "AP(scores=float32)", "P(scores=float32)@3"]
    for _ in range(10):
        bounds = rm.evaluate(judgments, run, asked).tie_bounds
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(lambda _, some=bounds: len(some), range(8))) == {4}
