"""Runs in Spark are fused there, to the scores that they have in memory; what cannot be fused is refused before."""

from __future__ import annotations

import random

import polars as pl
import pytest
from tests.conformance.spark_tables import MARKS

import rankmeter as rm
from rankmeter.errors import RankmeterError

pytestmark = [*MARKS, pytest.mark.wings("spark")]


def made_runs(*, numbers: bool):
    chance = random.Random(5)
    name = (lambda kind, at: at) if numbers else (lambda kind, at: f"{kind}{at}")
    return {
        run: {name("q", q): {name("d", d): float(chance.randint(-4, 9)) for d in chance.sample(range(30), 9)}
              for q in range(25)}
        for run in ("a", "b", "c")
    }  # fmt: skip


def sent(spark, run):
    rows = [(query, item, score) for query, items in run.items() for item, score in items.items()]
    kind = "bigint" if isinstance(rows[0][0], int) else "string"
    return spark.createDataFrame(rows, f"query {kind}, item {kind}, score double")


def scores_of(frame):
    made: dict = {}
    for row in frame.orderBy("query", "rank").collect():
        made.setdefault(row["query"], {})[row["item"]] = row["score"]
    return made


@pytest.mark.parametrize(
    ("how", "numbers"), [("rrf(k=3)", True), ("wsum(weights=0.5:0.3:0.2)", False), ("qdrant:rrf", False)]
)
def test_the_scores_and_their_order_are_those_of_memory(spark, how, numbers):
    runs = made_runs(numbers=numbers)
    fused = rm.fuse({"a": sent(spark, runs["a"]), "b": runs["b"], "c": sent(spark, runs["c"])}, how, top=7)
    here = rm.fuse(runs, how, top=7)
    there = scores_of(fused.frame)
    assert {query: list(items.items()) for query, items in there.items()} == {
        query: list(items.items()) for query, items in here.to_dict().items()
    }
    assert fused.label == here.label


def test_a_fused_run_is_evaluated_and_written_where_it_is(spark, tmp_path):
    runs = made_runs(numbers=False)
    judged = {f"q{q}": {f"d{q}": 1, f"d{q + 1}": 2} for q in range(25)}
    fused = rm.fuse({name: sent(spark, run) for name, run in runs.items()})
    here = rm.evaluate(judged, rm.fuse(runs), ["nDCG@5", "AP"])
    assert rm.evaluate(judged, fused, ["nDCG@5", "AP"]).mean == here.mean
    fused.save(tmp_path / "fused")
    read = rm.evaluate(judged, str(tmp_path / "fused"), "AP")
    assert read["AP"] == here["AP"]
    assert set(pl.read_parquet(tmp_path / "fused" / "*.parquet")["fused"]) == {"rrf[a,b,c]"}


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda run: {q: items for q, items in run.items() if q != "q3"}, {}, "b lacks 1 of the 25 queries.*q3.*'all'"),
        (lambda run: {**run, "q1": {"d1": float("nan")}}, {}, "b.*score"),
        (lambda run: {**run, "q1": {"d1": float("inf")}}, {"how": "sum"}, "b has 1 infinite score.*'rrf'"),
        (lambda run: run, {"weights": [1.0]}, "1 value for 2 runs"),
    ],
)
def test_what_cannot_be_fused_is_refused_before_it_is_computed(spark, change, options, message):
    runs = made_runs(numbers=False)
    with pytest.raises(RankmeterError, match=f"(?s){message}"):
        rm.fuse({"a": sent(spark, runs["a"]), "b": sent(spark, change(runs["b"]))}, **options)


def test_items_that_stand_twice_are_refused_or_counted_as_stated(spark):
    twice = spark.createDataFrame([("q", "a", 1.0), ("q", "a", 5.0)], "query string, item string, score double")
    with pytest.raises(RankmeterError, match=r"item a in query q.*duplicates="):
        rm.fuse({"a": twice, "b": {"q": {"b": 1.0}}})
    made = rm.fuse({"a": twice, "b": {"q": {"b": 1.0}}}, "sum(norm=none)", duplicates="best")
    assert scores_of(made.frame)["q"] == {"a": 5.0, "b": 1.0}


def test_which_queries_count_is_stated_and_said(spark):
    runs = {"a": {"q1": {"x": 1.0}, "q2": {"x": 1.0}}, "b": {"q1": {"y": 1.0}}}
    for policy, queries in (("all", {"q1", "q2"}), ("common", {"q1"})):
        made = rm.fuse({name: sent(spark, run) for name, run in runs.items()}, queries=policy)
        assert set(scores_of(made.frame)) == queries
        assert made.notes
