"""Measures of diversity equal the plain formula, whatever kind of data the subtopics come in."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle_diversity import diversity

import rankmeter as rm
from rankmeter.measures import REGISTRY

NAMES = [name for name in sorted(REGISTRY) if getattr(REGISTRY[name], "subtopics", False)]
ITEMS = ["a", "b", "c", "d", "ä", "10", "9"]
TOPICS = ["s1", "s2", "s3"]
OPTIONS: dict[str, list[Any]] = {"alpha": [0, 0.3, 1], "beta": [0.8], "cutoff": [1, 2, 4, 20], "rel": [2]}

judged = st.dictionaries(
    st.sampled_from(ITEMS),
    st.dictionaries(st.sampled_from(TOPICS), st.sampled_from([0, 1, 2]), min_size=1),
    min_size=1,
)
listed = st.permutations(ITEMS).flatmap(lambda items: st.integers(1, len(items)).map(lambda n: items[:n]))
cases = st.dictionaries(st.sampled_from(["q1", "q2"]), st.tuples(judged, listed), min_size=1)


@st.composite
def measures(draw: st.DrawFn, name: str) -> rm.Measure:
    known = {option.name for option in fields(REGISTRY[name])}
    options = {key: st.sampled_from(values) for key, values in OPTIONS.items() if key in known}
    return REGISTRY[name](**draw(st.fixed_dictionaries({}, optional=options)))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(st.data())
def test_the_value_is_that_of_the_formula(name, draws):
    case = draws.draw(cases)
    measure = draws.draw(measures(name))
    truth = {query: judgments for query, (judgments, _) in case.items()}
    result = rm.evaluate(truth, {query: ranking for query, (_, ranking) in case.items()}, [measure])
    found = dict(zip(result.queries.to_list(), result.values[measure].value.tolist(), strict=True))
    for query, (judgments, ranking) in case.items():
        expected = diversity(measure, judgments, ranking)
        assert found[query] == pytest.approx(0.0 if expected is None else expected, abs=1e-9), query


ROWS = [("q", "a", "s1", 1), ("q", "a", "s2", 2), ("q", "b", "s1", 1), ("q", "c", "s3", 0), ("r", "a", "s1", 1)]
RUN = {"q": ["b", "a", "c"], "r": ["c", "a"]}
ASKED = ["alpha_nDCG@3", "StRecall@1", "AP_IA", "nNRBP", "AP", "nDCG@3"]


def nested() -> dict[str, dict[str, dict[str, int]]]:
    truth: dict[str, dict[str, dict[str, int]]] = {}
    for query, item, topic, grade in ROWS:
        truth.setdefault(query, {}).setdefault(item, {})[topic] = grade
    return truth


def test_frames_files_and_mappings_of_subtopics_give_the_same_numbers(tmp_path):
    expected = rm.evaluate(nested(), RUN, ASKED).mean
    frame = pl.DataFrame(ROWS, schema=["query", "item", "subtopic", "grade"], orient="row")
    qrels, table = tmp_path / "diversity.qrels", tmp_path / "judgments.csv"
    qrels.write_text("".join(f"{query} {topic} {item} {grade}\n" for query, item, topic, grade in ROWS))
    frame.write_csv(table)
    assert rm.evaluate(frame, RUN, ASKED).mean == expected
    assert rm.evaluate(table, RUN, ASKED).mean == expected
    assert rm.evaluate(qrels, RUN, ASKED, columns={"subtopic": "iteration"}).mean == expected


def test_plain_measures_take_the_highest_grade_over_the_subtopics():
    plain = {"q": {"a": 2, "b": 1, "c": 0}, "r": {"a": 1}}
    assert rm.evaluate(nested(), RUN, ["nDCG@3", "AP"]).mean == rm.evaluate(plain, RUN, ["nDCG@3", "AP"]).mean


def test_plain_judgments_have_no_diversity():
    with pytest.raises(rm.MeasureError, match="subtopic"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["alpha_nDCG@10"])


def test_an_item_judged_twice_for_a_subtopic_is_refused():
    frame = pl.DataFrame([*ROWS, ROWS[0]], schema=["query", "item", "subtopic", "grade"], orient="row")
    with pytest.raises(rm.InputError, match="item a in query q, subtopic s1"):
        rm.evaluate(frame, RUN, ["StRecall@1"])


def test_the_ideal_order_has_the_value_one():
    value = rm.evaluate(nested(), {"q": ["a", "b"], "r": ["a"]}, ["alpha_nDCG@2"])["alpha_nDCG@2"]
    assert math.isclose(value, 1.0)


@pytest.mark.parametrize("name", ["alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"])
@pytest.mark.parametrize("rank", [1, 2, 5, 9])
def test_a_query_counts_as_found_however_deep_its_first_item_stands(name, rank):
    run = {"q": [*[f"x{at}" for at in range(rank - 1)], "a"], "r": ["y"]}
    truth = pl.DataFrame({"query": ["q", "r"], "item": ["a", "b"], "subtopic": ["s", "s"], "grade": [1, 1]})
    found = rm.evaluate(truth, run, [name, f"{name}(miss=skip)"])
    kept = next(measure for measure in found.means if "miss=skip" in str(measure))
    assert found.values[kept].counted.tolist() == [True, False]
    assert found.means[kept] == pytest.approx(2 * found[name])
    assert found[name] > 0
