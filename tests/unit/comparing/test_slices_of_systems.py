"""Systems by slices: the same numbers as ``evaluate(by=...)``, beside each other."""

from __future__ import annotations

import json
import math
import random
import warnings

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


def test_slices_are_those_of_evaluate_in_the_same_order() -> None:
    cmp = _compare(by=BY)
    cut = cmp.slices["segment"]
    assert cut.labels == rm.evaluate(TRUTH, FIRST, "RR", by=BY).slices["segment"].labels == ("few", "many")
    for place, run in enumerate((FIRST, SECOND)):
        alone = rm.evaluate(TRUTH, run, ["RR", "nDCG@2"], by=BY).slices["segment"]
        for measure in cmp.measures:
            assert [row[place] for row in cut.values[measure]] == [alone[measure][label] for label in cut.labels]
    # Of few (q0, q1, q2) q0 has its answer at rank 2: (1/2 + 1 + 1) / 3.
    assert cut.values[cmp.find("RR")][0] == (pytest.approx(2.5 / 3), pytest.approx(1 / 3))
    assert cut.counts[cmp.find("RR")] == (3, 6)


@pytest.mark.parametrize("aggregate", ["mean", "median", "pooled"])
def test_a_difference_is_that_of_the_values_beside_it(aggregate: str) -> None:
    """Also where lists are missing, which some measures do not count: overall, and in every slice."""
    rng = random.Random(7)
    items, users = [f"i{n}" for n in range(40)], [f"u{n}" for n in range(60)]
    history, truth = ({u: set(rng.choices(items, k=6)) for u in users} for _ in range(2))
    runs = {
        name: {u: rng.sample([i for i in items if i not in history[u]], rng.randint(1, 8)) for u in users[:: 2 + at]}
        for at, name in enumerate(("a", "b"))
    }
    by = {u: f"part {n % 7 % 3}" for n, u in enumerate(users)}
    measure = f"Novelty(aggregate={aggregate})@5"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        cmp = rm.compare(truth, runs, [measure], by=by, history=history, **QUICK)
        shared = set(runs["a"]) & set(runs["b"])
        alone = [rm.evaluate({u: truth[u] for u in shared}, {u: run[u] for u in shared}, measure, by=by,
                             history=history) for run in runs.values()]  # fmt: skip
    cut = cmp.slices["segment"]
    assert cut.labels == ("part 0", "part 1", "part 2")
    for label, values, count in zip(
        cut.labels, cut.values[cmp.find(measure)], cut.counts[cmp.find(measure)], strict=True
    ):
        assert values == pytest.approx([ev.slices["segment"][measure][label] for ev in alone])
        assert count == sum(by[u] == label for u in shared)
    for pair in (*cmp.differences, *cmp.slice_differences):
        whole = [cmp.score(measure, name).value for name in ("a", "b")]
        values = dict(zip(cut.labels, cut.values[cmp.find(measure)], strict=True)).get(pair.slice, whole)
        assert pair.difference == pytest.approx(values[0] - values[1])
    assert len(cmp.slice_differences) == (0 if aggregate == "median" else 3)
    assert "values here" in repr(cmp)


def test_slices_are_in_the_frame_the_json_and_the_tables() -> None:
    cmp = _compare(by={"size": BY})
    rows = cmp.by_slice.filter(pl.col("measure") == "RR")
    assert rows.select("by", "slice", "system", "queries").rows()[0] == ("size", "few", "first", 3)
    assert json.loads(cmp.to_json())["slices"][0]["slice"] == "few"
    assert "RR by size  queries   first  second" in repr(cmp)
    assert "RR，按 size" in cmp.to_markdown(lang="zh")
    assert "RR by size" in cmp._repr_html_()
    assert "slices" not in _compare().to_dict()


def test_a_query_without_a_label_has_a_slice_of_its_own() -> None:
    cut = _compare(by={"q0": "known"}).slices["segment"]
    assert (cut.labels, cut.counts[rm.parse("RR")]) == (("known", "(none)"), (1, 8))


def test_a_slice_without_a_value_is_a_dash() -> None:
    truth = TRUTH | {"q9": {"a": 0}}
    runs = {"first": FIRST | {"q9": ["a"]}, "second": SECOND | {"q9": ["a"]}}
    cmp = rm.compare(truth, runs, ["RR(empty=skip)"], by=BY | {"q9": "empty"}, **QUICK)
    assert cmp.by_slice.filter(pl.col("slice") == "empty")["value"].to_list() == [None, None]
    assert any(line.split() == ["empty", "0", "-", "-", "-", "-"] for line in repr(cmp).splitlines())


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
    assert cmp.slices["cold-users"].counts[cmp.find("RR")] == (1, 8)
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


def test_differences_within_slices_are_those_of_the_slice_alone() -> None:
    """A slice is tested as if its queries were all there are; only the correction knows of the other slices."""
    cmp = _compare({"first": FIRST, "second": SECOND, "third": FIRST}, by=BY)
    assert cmp.slice_tests["tests"].unique().to_list() == [6]  # two slices x three pairs, for each measure
    for label in ("few", "many"):
        inside = {query: TRUTH[query] for query in TRUTH if BY[query] == label}
        runs = {
            name: {query: run[query] for query in inside}
            for name, run in (("first", FIRST), ("second", SECOND), ("third", FIRST))
        }
        alone = rm.compare(inside, runs, ["RR", "nDCG@2"], **QUICK)
        found = [one for one in cmp.slice_differences if one.slice == label]
        assert len(found) == len(alone.differences) == 6
        for one, other in zip(found, alone.differences, strict=True):
            assert (one.measure, one.system, one.other, one.units) == (
                other.measure, other.system, other.other, other.units,
            )  # fmt: skip
            assert (one.difference, one.p) == (pytest.approx(other.difference), other.p)
            assert (one.interval, one.effect) == (other.interval, other.effect)


def test_slices_are_corrected_over_slices_and_pairs_of_a_measure() -> None:
    truth = {i: {"a"} for i in range(40)}
    half = {i: "new" if i < 16 else "old" for i in truth}
    good = {i: ["a"] for i in truth}
    poor = {i: ["x", "a"] if i < 8 else ["a"] for i in truth}  # half of the new ones are worse, p = 2 / 2**8
    cmp = rm.compare(truth, {"good": good, "poor": poor}, ["RR"], by=half, permutations=70_000, resamples=200)
    rows = {row["slice"]: row for row in cmp.slice_tests.to_dicts()}
    assert rows["new"]["p"] == pytest.approx(2 / 2**8)
    assert rows["new"]["p_corrected"] == pytest.approx(4 / 2**8)
    assert (rows["old"]["p"], rows["old"]["difference"], rows["old"]["significant"]) == (1.0, 0.0, False)
    assert "-0.2500 [" in repr(cmp)
    assert "corrected over all slices and pairs of a measure at once (at most 2 tests)" in repr(cmp)
    assert "一并校正" in cmp.to_markdown(lang="zh")


def test_slices_of_one_query_of_items_and_of_runs_as_units_are_not_tested() -> None:
    assert {one.slice for one in _compare(by={"q0": "known"}).slice_differences} == {"(none)"}
    catalogue = rm.Catalogue(["a", "b", "c"], groups={"a": "x", "b": "y", "c": "y"})
    assert not _compare(by="group", catalogue=catalogue).slice_differences
    both = {"one": rm.seeds(FIRST, SECOND), "two": rm.seeds(SECOND, FIRST)}
    assert not _compare(both, by=BY, unit="run").slice_differences


def test_users_within_slices_are_resampled_whole() -> None:
    users = {query: f"user {int(query[1:]) // 3}" for query in TRUTH}
    cmp = _compare(by=BY, unit=users, unit_name="user")
    assert {(one.slice, one.units) for one in cmp.slice_differences} == {("many", 2)}  # few is one user


def test_all_pairs_within_slices_are_named_where_they_differ() -> None:
    truth = {i: {"a"} for i in range(40)}
    ranks = {"good": 1, "fair": 2, "also": 1}
    runs = {name: {i: [*"xy"[: rank - 1], "a"] for i in truth} for name, rank in ranks.items()}
    cmp = rm.compare(truth, runs, ["RR"], by={i: i % 2 for i in truth}, permutations=2000, resamples=200)
    line = next(line for line in repr(cmp).splitlines() if line.startswith("RR by segment"))
    assert line.endswith("significant")
    assert "good > fair, also > fair" in repr(cmp)


LABELS = {f"q{i}": "abc"[i % 3] for i in range(9)}


@pytest.mark.parametrize("saved", [(), ("first",), ("second",), ("first", "second")])
@pytest.mark.parametrize(
    "missing", [((), ()), ((0,), ()), ((0, 3), (6,)), ((0, 3), (3, 6)), ((0, 3, 6), ()), ((1, 4), (7, 2))]
)
def test_slices_are_over_the_queries_that_count_for_all_or_each_systems_own(missing, saved):
    """MeanRank counts the queries where something was found; coverage is of all lists and is no mean of queries."""
    measures = ["MeanRank(miss=skip)", "RR", "ItemCoverage@1"]
    runs = {"first": FIRST, "second": SECOND}
    runs = {name: {query: ["x"] if int(query[1:]) in lost else row for query, row in run.items()}
            for (name, run), lost in zip(runs.items(), missing, strict=True)}  # fmt: skip
    catalogue = rm.Catalogue(items=["a", "b", "c", "x"])
    systems = {name: rm.evaluate(TRUTH, run, measures, catalogue=catalogue, by=LABELS) if name in saved else run
               for name, run in runs.items()}  # fmt: skip
    options = {} if len(saved) == 2 else {"catalogue": catalogue}
    cmp = _compare(systems, measures, by=LABELS, **options)
    cut = cmp.slices["segment"]
    rank = {name: {query: row.index("a") + 1 for query, row in run.items() if "a" in row} for name, run in runs.items()}
    shared = set(rank["first"]) & set(rank["second"])
    for label, values in zip(cut.labels, cut.values[cmp.find("MeanRank(miss=skip)")], strict=True):
        inside = {query for query, name in LABELS.items() if name == label}
        for name, value in zip(rank, values, strict=True):
            over = (shared & inside) or (set(rank[name]) & inside)
            expected = sum(rank[name][query] for query in over) / len(over) if over else math.nan
            assert value == pytest.approx(expected, nan_ok=True)
    found = {(pair.slice, cmp.label(pair.measure)): pair for pair in cmp.slice_differences}
    for label in "abc":
        count = len({query for query in shared if LABELS[query] == label})
        assert ((label, "MeanRank(miss=skip)") in found) == (count > 1)
        assert found[label, "RR"].units == 3
        assert (label, "ItemCoverage@1") not in found
