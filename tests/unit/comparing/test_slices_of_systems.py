"""Systems by slices: the same numbers as ``evaluate(by=...)``, beside each other."""

from __future__ import annotations

import json

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError

TRUTH = {f"q{i}": {"a": 1} for i in range(9)}
FIRST = {f"q{i}": ["a", "b", "c"] if i % 3 else ["b", "a", "c"] for i in range(9)}
SECOND = {f"q{i}": ["c", "b", "a"] for i in range(9)}
BY = {f"q{i}": "few" if i < 3 else "many" for i in range(9)}
QUICK = {"permutations": 200, "resamples": 200}


def _compare(systems=None, measures=("RR", "nDCG@2"), **options):
    return rm.compare(TRUTH, systems or {"first": FIRST, "second": SECOND}, list(measures), **QUICK, **options)


def test_slices_are_those_of_evaluate_largest_first() -> None:
    cmp = _compare(by=BY)
    cut = cmp.slices["segment"]
    assert cut.labels == ("many", "few")
    for place, run in enumerate((FIRST, SECOND)):
        alone = rm.evaluate(TRUTH, run, ["RR", "nDCG@2"], by=BY).slices["segment"]
        for measure in cmp.measures:
            assert [row[place] for row in cut.values[measure]] == [alone[measure][label] for label in cut.labels]
    # Of few (q0, q1, q2) q0 has its answer at rank 2: (1/2 + 1 + 1) / 3.
    assert cut.values[cmp.find("RR")][1] == (pytest.approx(2.5 / 3), pytest.approx(1 / 3))
    assert cut.counts[cmp.find("RR")] == (6, 3)


def test_slices_are_in_the_frame_the_json_and_the_tables() -> None:
    cmp = _compare(by={"size": BY})
    rows = cmp.by_slice.filter(pl.col("measure") == "RR")
    assert rows.select("by", "slice", "system", "queries").rows()[0] == ("size", "many", "first", 6)
    assert json.loads(cmp.to_json())["slices"][0]["slice"] == "many"
    assert "RR by size  queries   first  second" in repr(cmp)
    assert "RR，按 size" in cmp.to_markdown(lang="zh")
    assert "RR by size" in cmp._repr_html_()
    assert "slices" not in _compare().to_dict()


def test_a_query_without_a_label_has_a_slice_of_its_own() -> None:
    cut = _compare(by={"q0": "known"}).slices["segment"]
    assert (cut.labels, cut.counts[rm.parse("RR")]) == (("(none)", "known"), (8, 1))


def test_a_slice_without_a_value_is_a_dash() -> None:
    truth = TRUTH | {"q9": {"a": 0}}
    runs = {"first": FIRST | {"q9": ["a"]}, "second": SECOND | {"q9": ["a"]}}
    cmp = rm.compare(truth, runs, ["RR(empty=skip)"], by=BY | {"q9": "empty"}, **QUICK)
    assert cmp.by_slice.filter(pl.col("slice") == "empty")["value"].to_list() == [None, None]
    assert any(line.split() == ["empty", "0", "-", "-"] for line in repr(cmp).splitlines())


def test_seeds_have_the_mean_of_their_slices() -> None:
    cmp = _compare({"both": rm.seeds(FIRST, SECOND), "second": SECOND}, by=BY)
    alone = _compare(by=BY).slices["segment"].values[rm.parse("RR")]
    both = cmp.slices["segment"].values[rm.parse("RR")]
    assert [row[0] for row in both] == [pytest.approx(sum(row) / 2) for row in alone]


def test_evaluations_made_before_are_sliced_by_their_queries() -> None:
    made = [
        rm.evaluate(TRUTH, run, ["RR", "nDCG@2"], name=name) for name, run in (("first", FIRST), ("second", SECOND))
    ]
    assert rm.compare(None, made, by=BY, **QUICK).by_slice.equals(_compare(by=BY).by_slice)
    with pytest.raises(InputError, match="needs the runs themselves"):
        rm.compare(None, made, by="activity", **QUICK)


def test_words_and_columns_slice_as_in_evaluate() -> None:
    history = {f"q{i}": ["b"] * i for i in range(9)}
    cmp = _compare(by=["cold-users"], history=history)
    assert cmp.slices["cold-users"].counts[cmp.find("RR")] == (8, 1)
    catalogue = rm.Catalogue(items=["a", "b", "c"], groups=["x", "x", "y"])
    assert set(_compare(by="group", catalogue=catalogue).slices["group"].labels) == {"x", "y"}


def test_measures_of_lists_stand_beside_the_others_untested() -> None:
    cmp = _compare(measures=["RR", "Coverage@1"], catalogue=["a", "b", "c", "d"], by=BY)
    score = cmp.score("Coverage@1", "first")
    assert score.value == 0.5
    assert score.rank is None
    assert "one value for all lists" in score.reason
    assert cmp.slices["segment"].values[cmp.find("Coverage@1")][0] == (0.5, 0.25)
    assert "Coverage@1" not in cmp.per_query.columns
