"""Spark tables give the numbers of runs in memory, to the last bit: a real session, two executor threads."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest
from hypothesis import Phase, example, settings
from hypothesis import given as with_drawn
from tests.conformance.list_cases import BESIDE, DIVERSE, LISTS, with_subtopics
from tests.conformance.path_cases import CASES, judged_values
from tests.conformance.path_cases import MEASURES as PATH_MEASURES
from tests.conformance.path_cases import rows as int_rows
from tests.conformance.spark_tables import MARKS, table
from tests.conformance.test_streamed import EXACT
from tests.conformance.test_ways_of_placing import by_query, data, rows
from tests.properties.routes import Route, frames, keyed, mapping, one_type, rows_of, rows_only
from tests.properties.test_every_route import TWO, cases, check, simple

import rankmeter as rm
from rankmeter.arithmetic import AGGREGATES
from rankmeter.inputs import streaming
from rankmeter.wings.spark import spark_worker
from rankmeter.wings.spark.cluster import unweighed_batches

SRC = str(Path(rm.__file__).parents[1])
pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytestmark = MARKS
SOME = [measure for number, measure in enumerate(EXACT) if number % 6 == 0 or "(" not in str(measure)] + [
    rm.parse(text)
    for text in (
        "AP(ties=mean)", "nDCG(ties=input)@5", "RR(ties=reversed)", "RR(scores=float32)@5", "AP(candidates=appended)",
        "R@100", "NumQ", "NumRelRet", *(f"P(aggregate={name},empty=one)@3" for name in AGGREGATES),
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def tables(spark):
    judgments, run = data(1)
    return table(spark, rows(judgments, "grade")), table(spark, rows(run, "score"))


def test_spark_gives_the_values_of_mappings(tables):
    judgments, run = data(1)
    expected = rm.evaluate(judgments, run, SOME)
    found = rm.evaluate(*tables, SOME, name="run")
    assert found.mean == pytest.approx(expected.mean, abs=0, nan_ok=True)
    assert found.tie_bounds == expected.tie_bounds
    assert by_query(found.collect()) == by_query(expected)
    assert {str(m): found.counted(m) for m in found.means} == {str(m): expected.counted(m) for m in expected.means}
    assert found.facts.unjudged_at == expected.facts.unjudged_at
    assert found.facts.sentences() == expected.facts.sentences()
    assert found.definitions == expected.definitions


@pytest.mark.skipif(pyspark.__version__ < "4", reason="PySpark 3.5 limits batches by rows alone")
def test_batches_are_not_weighed_while_a_job_runs_and_the_setting_is_put_back(spark):
    name = "spark.sql.execution.arrow.maxBytesPerBatch"
    before = spark.conf.get(name)  # nobody set it
    with unweighed_batches(spark):
        assert spark.conf.get(name) == str(2**31 - 1)
    assert spark.conf.get(name) == before


def test_the_cases_of_every_path(spark):
    # All cases in one table, each with queries of its own: a job for each would take long.
    together = [
        {1000 * number + q: one for number, case in enumerate(CASES) for q, one in getattr(case, side).items()}
        for side in ("judgments", "run")
    ]
    given = [table(spark, int_rows(one, value)) for one, value in zip(together, ("grade", "score"), strict=True)]
    found = rm.evaluate(*given, PATH_MEASURES)
    expected = judged_values(rm.evaluate(*together, PATH_MEASURES), list(together[0]))
    assert judged_values(found, list(together[0])) == expected
    by_hand = {1000 * number + q: value for number, case in enumerate(CASES) for q, value in case.rr.items()}
    assert expected["RR"] == pytest.approx(by_hand, abs=1e-15)


def sides(spark, case):
    """Where a query has no item it cannot be told in a table; a mapping on the other side can be told of it."""
    return [table(spark, frame) for frame in frames(case)]


@pytest.mark.parametrize("which", ["both", "judgments", "run"])
def test_random_cases_as_on_every_other_route(spark, which):
    def go(case, _):
        judged, returned = sides(spark, case)
        given = {
            "both": (judged, returned),
            "judgments": (judged, mapping(case.run)),
            "run": (mapping(case.judgments), returned),
        }
        return rm.evaluate(*given[which], list(case.measures), **case.options())

    changes = {"both": (rows_only,), "judgments": (keyed, rows_of("judgments")), "run": (keyed, rows_of("run"))}[which]

    @settings(max_examples=4, phases=(Phase.explicit, Phase.generate))
    @with_drawn(case=cases())
    @example(simple({0: {2: 1}, 1: {7712040753624973262: 1}}, {0: {2: 1.0}, 1: {7712040753624973262: 2.0}}, "RR"))
    @example(simple({"q": {"a": 1}, "r": {}}, {"q": {}, "r": {"a": 1.0}, "s": {}}, "RR(queries=run)", "RR"))
    @example(replace(TWO, names=("grade", "y_pred")))
    @example(replace(TWO, names=("relevancy", "distance")))
    @example(replace(TWO, names=("mystery", "score")))
    def each(case):
        check(Route(go, (*changes, one_type)), case)

    each()


def test_measures_of_lists_come_from_counts_and_sums_that_merge(tables):
    judgments, run = data(1)
    said = []
    for given in (judgments, run), tables:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", rm.RankmeterWarning)
            made = rm.evaluate(*given, LISTS, name="run", **BESIDE)
        said.append(({str(one.message) for one in caught if one.category is rm.RankmeterWarning}, made))
    (expected_warnings, expected), (found_warnings, found) = said
    assert found_warnings == expected_warnings
    assert len(expected_warnings) == 2
    assert found.mean == pytest.approx(expected.mean, abs=0, rel=0, nan_ok=True)
    assert by_query(found.collect()) == by_query(expected)
    assert {str(m): found.counted(m) for m in found.means} == {str(m): expected.counted(m) for m in expected.means}
    assert found.facts.sentences() == expected.facts.sentences()
    collected = {row["query"]: row.asDict() for row in found.per_query.collect()}
    assert collected == {row["query"]: row for row in expected.per_query.to_dicts()}


def test_lists_need_no_judgments(tables):
    _, run = data(1)
    asked = ["Gini(over=recommended)@3", "Personalisation@5", "ShortLists@9"]
    found = rm.evaluate(None, tables[1], asked)
    assert found.mean == rm.evaluate(None, run, asked).mean
    assert found.facts.judgments == "no judgments"


def test_subtopics_are_judged_in_spark_too(spark):
    judgments, run = with_subtopics()
    frame = pl.DataFrame(judgments, schema=["query", "item", "subtopic", "grade"], orient="row")
    expected = rm.evaluate(frame, run, DIVERSE)
    found = rm.evaluate(table(spark, frame.sample(fraction=1, shuffle=True, seed=1)), run, DIVERSE)
    assert found.mean == expected.mean
    assert by_query(found.collect()) == by_query(expected)
    with pytest.raises(rm.MeasureError, match=r"need subtopics, and .* has none"):
        rm.evaluate(table(spark, frame.drop("subtopic").unique(["query", "item"])), run, DIVERSE)
    holes = table(spark, frame).selectExpr("query", "item", "nullif(subtopic, '1') as aspect", "grade")
    with pytest.raises(rm.InputError, match=r"'aspect' is missing in \d+ rows"):
        rm.evaluate(holes, run, "alpha_nDCG@5")


def test_empty_queries_of_a_local_side_are_sent(tables):
    judgments, run = data(1)
    judgments, run = {**judgments, "unlisted": {}}, {**run, "unlisted": {}, "q1": {}}
    asked = ["AP(queries=run)", "NumQ", "RR", "UserCoverage@1"]
    expected = rm.evaluate(judgments, run, asked)
    for given in ((tables[0], run), (judgments, tables[1])):
        local = judgments if given[0] is judgments else data(1)[0]
        returned = run if given[1] is run else data(1)[1]
        expected = rm.evaluate(local, returned, asked)
        found = rm.evaluate(*given, asked)
        assert by_query(found.collect()) == by_query(expected)
        assert found.facts.sentences() == expected.facts.sentences()


def test_values_per_query_stay_a_spark_table(tables):
    judgments, run = data(1)
    found = rm.evaluate(*tables, ["AP", "RBP(p=0.5)", "R(queries=common)@3"])
    expected = rm.evaluate(judgments, run, ["AP", "RBP(p=0.5)", "R(queries=common)@3"])
    assert type(found.per_query).__module__.startswith("pyspark.sql")
    collected = {row["query"]: row.asDict() for row in found.per_query.collect()}
    assert collected == {row["query"]: row for row in expected.per_query.to_dicts()}
    assert found.per_query.where("`R(queries=common)@3` is null").count() == 2
    assert found.interval("AP") == expected.interval("AP") or found.interval("AP").queries == 13
    found.unpersist()


def test_blocks_within_a_partition_and_skewed_queries(spark, monkeypatch):
    # One query has half of all rows; a partition holds many small ones.
    frame = pl.DataFrame({"n": range(6000)}).select(
        query=pl.when(pl.col("n") % 2 == 0).then(0).otherwise(pl.col("n") % 1501),
        item=pl.col("n"),
        score=(pl.col("n") * 7919 % 101).cast(pl.Float64),
    )
    judged = frame.filter(pl.col("item") % 5 == 0).select("query", "item", grade=pl.col("item") % 4 * 1.0)
    expected = rm.evaluate(judged, frame, ["AP", "nDCG@10", "Bpref"])
    found = rm.evaluate(table(spark, judged), table(spark, frame).repartition(9), ["AP", "nDCG@10", "Bpref"])
    assert found.mean == expected.mean
    assert found.to_polars().sort("query").equals(expected.per_query.sort("query"))


def test_int_ids_beyond_the_precision_of_floats_stay_apart(spark):
    large = 2**53
    judgments = table(spark, pl.DataFrame({"query": [1], "item": [large + 1], "grade": [1.0]}))
    run = table(spark, pl.DataFrame({"query": [1, 1], "item": [large, large + 1], "score": [-3.0, -5.0]}))
    found = rm.evaluate(judgments, run, "RR")
    assert found["RR"] == 0.5
    assert found.to_polars()["query"].to_list() == [1]


def test_a_list_in_each_row_is_taken_apart(spark):
    judgments, run = data(1)
    expected = rm.evaluate(judgments, run, ["nDCG@5", "AP(queries=run)"])
    truth = [(query, [*items], [float(grade) for grade in items.values()]) for query, items in judgments.items()]
    lists = [(query, [*items], [float(score) for score in items.values()]) for query, items in run.items()]
    schema = "query string, items array<string>, {} array<double>"
    sides = (
        spark.createDataFrame(truth, schema.format("grades")),
        spark.createDataFrame(lists, schema.format("scores")),
    )
    columns = {"grade": "grades", "score": "scores"}
    assert rm.evaluate(*sides, ["nDCG@5", "AP(queries=run)"], columns=columns).mean == expected.mean


def test_lists_without_scores_are_ranked_by_their_order(spark):
    truth = {"a": ["x"], "b": ["y"], "c": ["z"]}
    lists = spark.createDataFrame([("a", ["w", "x"]), ("b", ["y"]), ("c", [])], "user string, recs array<string>")
    ev = rm.evaluate(truth, lists, ["RR", "RR(queries=run)"])
    assert ev.mean == {"RR": 0.5, "RR(queries=run)": 0.5}
    twice = spark.createDataFrame([("a", ["w"]), ("a", ["x"])], "user string, recs array<string>")
    with pytest.raises(rm.InputError, match=r"(query|user) a has a second list"):
        rm.evaluate(truth, twice, "RR")
    unequal = spark.createDataFrame([("a", ["w", "x"], [0.5])], "user string, recs array<string>, score array<double>")
    with pytest.raises(rm.InputError, match="score"):
        rm.evaluate(truth, unequal, "RR")
    missing = spark.createDataFrame([("a", ["w"]), ("b", None)], "user string, recs array<string>")
    with pytest.raises(rm.InputError, match="recs"):
        rm.evaluate(truth, missing, "RR")


def test_duplicates_are_refused_or_treated_as_asked(spark):
    run = pl.DataFrame({"query": ["q"] * 3, "item": ["a", "b", "b"], "score": [2.0, 1.0, 3.0]})
    judgments = {"q": {"b": 1}}
    with pytest.raises(rm.InputError, match="returns an item twice for the same query: item b in query q"):
        rm.evaluate(judgments, table(spark, run), "RR")
    for policy in ("first", "best", "counted"):
        found = rm.evaluate(judgments, table(spark, run), "RR", duplicates=policy)
        assert found.mean == rm.evaluate(judgments, run, "RR", duplicates=policy).mean


def test_a_local_side_is_sent_and_ids_of_two_types_are_compared_as_text(spark):
    run = table(spark, pl.DataFrame({"user_id": [7, 7], "item_id": [1, 2], "rank": [1, 2]}))
    with pytest.warns(rm.RankmeterWarning, match="compared as text"):
        found = rm.evaluate({"7": {"2": 1}}, run, "RR")
    assert found["RR"] == 0.5


def test_a_measure_of_ones_own_travels_to_the_cluster(tables):
    @rm.measure
    def SparkOwn(grades, *, base=0.5):
        return sum(grade * base**place for place, grade in enumerate(grades))

    assert rm.evaluate(*tables, "SparkOwn@3").mean == rm.evaluate(*data(1), "SparkOwn@3").mean


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["query", "nullif(item, '2') as item", "score"], r"run \(Spark DataFrame\): 'item' is missing in \d+ rows"),
        (["query as topic", "item", "double('NaN') as score"], "'score' is NaN or beyond 2..53 in 114 rows"),
        (["nullif(query, 'q5') as qid", "item", "score"], r"'qid' is missing in \d+ rows"),
        (["query", "item"], "neither a score nor a rank column"),
        (["query", "item", "'x' as score"], "the score column .'score'. is of type string"),
        (["cast(1.5 as double) as query", "item", "score"], "the query ids .'query'. are of type double"),
        (["query", "item", "bigint(9007199254740993) as score"], "'score' is NaN or beyond"),
        (["query", "item", "0.5 as rank"], "'rank' is not a rank, a whole number from 0 on"),
        (["query", "item", "double(-2) as rank"], "'rank' is not a rank, a whole number from 0 on"),
        (["concat('x', query) as query", "item", "score"], "no query in common: .* judges .* holds x"),
        (["query as a", "item", "score"], "has no query column"),
    ],
)
def test_bad_tables_are_refused_in_a_sentence(tables, change, said):
    judgments, run = tables
    with pytest.raises(rm.RankmeterError, match=said):
        rm.evaluate(judgments, run.selectExpr(*change), "RR")


def test_what_the_data_cannot_answer_is_refused(tables):
    with pytest.raises(rm.MeasureError, match="the highest grade judged is 3"):
        rm.evaluate(*tables, "P(rel=9)@3")
    with pytest.raises(rm.MeasureError, match=r"longest list of all, .* Hint: .*ShortLists@10"):
        rm.evaluate(*tables, "ShortLists")
    with pytest.raises(rm.InputError, match="by= is not possible where queries are evaluated block by block"):
        rm.evaluate(*tables, "RR", by={"q1": "a"})
    with pytest.raises(
        rm.MeasureError, match="Coverage@3 needs a catalogue to know the items that could be recommended"
    ):
        rm.evaluate(*tables, "Coverage@3")
    with pytest.raises(rm.InputError, match=r"per_query.write.parquet\('x'\)"):
        rm.evaluate(*tables, "RR", per_query_to="x")


@pytest.mark.parametrize("memory", [1 << 27, 100], ids=["in memory", "through files"])
def test_rows_in_any_order_become_blocks_of_whole_queries(monkeypatch, memory):
    import random
    from collections import Counter

    import pyarrow as pa

    monkeypatch.setattr(spark_worker, "BLOCK_ROWS", 4)
    monkeypatch.setattr(streaming, "IN_MEMORY_BYTES", memory)
    queries = ["a"] * 3 + ["b"] + ["c"] * 3 + ["d"] * 2 + ["e"] * 19 + ["f"]
    frame = pl.DataFrame({"query": queries, "item": "x", "value": 1.0, "mark": 1})
    order = random.Random(3).sample(range(len(queries)), len(queries))
    batches = [batch for row in order for batch in frame.slice(row, 1).to_arrow().to_batches()]
    assert isinstance(batches[0], pa.RecordBatch)
    blocks = list(spark_worker.queries_of_partition(iter(batches), Counter(), "run"))
    assert sorted(query for block in blocks for query in block["query"]) == queries
    assert len(blocks) > 2
    owners = [set(block["query"]) for block in blocks]
    assert sum(map(len, owners)) == 6


CONNECT = """
import warnings
warnings.filterwarnings("ignore")
from pyspark.sql import SparkSession
from tests.conformance.test_ways_of_placing import by_query, data, rows
import rankmeter as rm
spark = (SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "3")
         .config("spark.ui.enabled", "false").getOrCreate())
judgments, run = data(1)
given = [spark.createDataFrame(rows(one, value).rows(), f"query string, item string, {value} double")
         for one, value in ((judgments, "grade"), (run, "score"))]
assert type(given[0]).__module__.startswith("pyspark.sql.connect"), type(given[0])
asked = ["AP", "nDCG(ties=mean)@5", "RR(ties=input)", "P(aggregate=pooled)@3"]
found, expected = rm.evaluate(*given, asked), rm.evaluate(judgments, run, asked)
assert found.mean == expected.mean
assert found.tie_bounds == expected.tie_bounds
assert type(found.per_query).__module__.startswith("pyspark.sql.connect")
assert by_query(found.collect()) == by_query(expected)
try:
    rm.evaluate(given[0], given[1].selectExpr("query", "nullif(item, '2') as item", "score"), "AP")
except rm.InputError as error:
    print(error)
spark.stop()
try:
    rm.evaluate(*given, asked)
except rm.InputError as error:
    print(error)
"""


@pytest.mark.skipif(pyspark.__version__ < "4", reason="the package of PySpark 3.5 brings no Connect server")
@pytest.mark.skipif(find_spec("grpc") is None, reason="Connect needs pyspark[connect]")
@pytest.mark.usefixtures("what_spark_needs")
def test_connect_gives_the_same(tmp_path):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([SRC, str(Path(__file__).parents[3])])}
    env |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", CONNECT], env=env, capture_output=True, text=True, timeout=300, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "'item' is missing in" in done.stdout
    assert "the Spark session of these tables is gone." in done.stdout


@pytest.mark.parametrize("model", ["examined", "sdbn", "pbm", "dbn"])
def test_judgments_of_clicks_are_the_same_in_spark(spark, model):
    draw = random.Random(4)
    rows = []
    for number in range(400):
        items = draw.sample("abcdef", 4)
        for place, item in enumerate(items, 1):
            row = {"time": number, "user": f"u{number % 60}", "request": f"r{number}", "query": f"q{number % 3}"}
            row |= {"item": item, "position": place}
            kinds = ["impression", "click"] if draw.random() < 0.5 / place else ["impression"]
            rows += [{**row, "type": kind} for kind in kinds]
    here = rm.judgments_from_clicks(rows, model=model, examination=[1, 0.5, 0.4, 0.3])
    there = rm.judgments_from_clicks(spark.createDataFrame(rows), model=model, examination=[1, 0.5, 0.4, 0.3])
    assert there.frame.select("query", "item", "shown", "users").equals(
        here.frame.select("query", "item", "shown", "users")
    )
    assert there.frame["rate"].to_list() == pytest.approx(here.frame["rate"].to_list(), rel=1e-6)
    assert there.judgments == here.judgments
