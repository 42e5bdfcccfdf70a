"""Spark tables: rankmeter against MLlib's RankingMetrics and Recommenders' SparkRankingEvaluation, four measures.

One local session, the same cached tables for all, entrants in turns, the best wall time of each. The JVM does most of
the work of the peers and Python workers that of ours, so only wall time can be compared. Recommenders takes part where
it is installed (its own environment: ``pip install recommenders pyspark``, and rankmeter's dependencies).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from pathlib import Path
from typing import Any

import harness

K = 10
OURS = {"map": "AP", "ndcg": f"nDCG(gain=binary)@{K}", "precision": f"P@{K}", "recall": f"R@{K}"}


def tables(spark: Any, queries: int, depth: int, *, kept: bool = True) -> tuple[Any, Any]:
    """Each query returns ``depth`` items; about five of its judged items are among them.

    Tables that are not kept are made anew whenever they are read, so that they may be larger than memory and disk.
    """
    rows = spark.range(queries * depth).selectExpr(
        f"id div {depth} as query", "(id * 7919 + 13) % 1000003 as item", "rand(7) as score"
    )
    run = rows.repartition(8).cache() if kept else rows
    judged = run.where("abs(hash(query, item)) % 10 = 0").selectExpr("query", "item", "1 as grade")
    # A judged item that was not returned, so that no query is without one.
    missed = spark.range(queries).selectExpr("id as query", "2000003L as item", "1 as grade")
    judgments = judged.union(missed)
    if kept:
        judgments = judgments.cache()
        run.count(), judgments.count()
    return judgments, run


def grow(spark: Any, sizes: list[int], args: argparse.Namespace) -> None:
    """Ours alone on more and more rows, which are made while they are read; the first pass only starts the workers."""
    ours(*tables(spark, 1_000, args.depth, kept=False))
    last = 0.0
    for rows in sizes:
        best = float("inf")
        for _ in range(args.repeat):
            start = time.perf_counter()
            ours(*tables(spark, rows // args.depth, args.depth, kept=False))
            best = min(best, time.perf_counter() - start)
        times = best / last if last else 0.0
        print(
            f"  {rows:>13,} rows {best:8.2f} s {f'x{times:.1f}' if last else '':>6} {best / rows * 1e6:6.2f} us a row"
        )
        if last:
            verdict = "met" if times <= 13 else "MISSED"
            case = harness.Case(f"growth: Spark, {rows // 10:,} to {rows:,} rows, wall time", {})
            harness.write(args, case, "ours", "growth (times)", times, 13, verdict)
        last = best


def ours(judgments: Any, run: Any) -> dict[str, float]:
    import rankmeter as rm

    ev = rm.evaluate(judgments, run, list(OURS.values()))
    found = {name: ev[measure] for name, measure in OURS.items()}
    ev.unpersist()
    return found


def mllib(judgments: Any, run: Any) -> dict[str, float]:
    from pyspark.mllib.evaluation import RankingMetrics

    lists = run.selectExpr("query", "struct(-score as s, item) as pair").groupBy("query").agg({"pair": "collect_list"})
    ranked = lists.selectExpr("query", "transform(sort_array(`collect_list(pair)`), p -> double(p.item)) as items")
    truth = judgments.selectExpr("query", "double(item) as item").groupBy("query").agg({"item": "collect_list"})
    both = ranked.join(truth, "query").select("items", "collect_list(item)").rdd.map(tuple).cache()
    metrics = RankingMetrics(both)
    found = {
        "map": metrics.meanAveragePrecision,
        "ndcg": metrics.ndcgAt(K),
        "precision": metrics.precisionAt(K),
        "recall": metrics.recallAt(K),
    }
    both.unpersist()
    return found


def recommenders(judgments: Any, run: Any) -> dict[str, float]:
    from recommenders.evaluation.spark_evaluation import SparkRankingEvaluation

    names = {"col_user": "query", "col_item": "item", "col_rating": "grade", "col_prediction": "score"}
    found = SparkRankingEvaluation(judgments, run, k=K, relevancy_method="top_k", **names)
    return {
        "map": found.map_at_k(),
        "ndcg": found.ndcg_at_k(),
        "precision": found.precision_at_k(),
        "recall": found.recall_at_k(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--queries", type=int, default=50_000)
    parser.add_argument("--depth", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--grow", type=int, nargs="+", help="ours alone on so many rows, each ten times the one before")
    parser.add_argument("--json", type=Path, help="also append the result to this file, a JSON object a line")
    parser.add_argument("--peer-python", help="not used: all entrants share one session")
    args = parser.parse_args()
    src = str(Path(__file__).resolve().parents[1] / "src")
    sys.path.insert(0, src)
    os.environ["PYTHONPATH"] = src
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "3g")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    if args.grow:
        grow(spark, args.grow, args)
        spark.stop()
        return
    judgments, run = tables(spark, args.queries, args.depth)
    entrants = [ours, mllib] + ([recommenders] if importlib.util.find_spec("recommenders") else [])
    best: dict[str, float] = {}
    values: dict[str, dict[str, float]] = {}
    for _ in range(args.repeat):
        for one in entrants:
            start = time.perf_counter()
            values[one.__name__] = one(judgments, run)
            best[one.__name__] = min(best.get(one.__name__, float("inf")), time.perf_counter() - start)
    size = f"{args.queries * args.depth:,} rows, {args.queries:,} queries"
    print(f"PySpark {spark.version}, {size}, load {os.getloadavg()[0]:.0f}")
    for name, seconds in best.items():
        same = [key for key in OURS if abs(values[name][key] - values["ours"][key]) < 1e-9]
        times = seconds / best["ours"]
        print(f"  {name:<14} {seconds:7.2f} s  {times:5.1f} times ours; equal values: {', '.join(same)}")
        print(f"  {'':<14} {values[name]}")
    spark.stop()
    label, target = f"Spark: {size}, 4 measures, wall time", 4.0
    for name in [name for name in best if name != "ours"]:
        ratio = best[name] / best["ours"]
        verdict = ("met" if ratio >= target else "MISSED") if name == "mllib" else ""
        case = harness.Case(label, {})
        harness.write(args, case, "ours", name, ratio, target if verdict else None, verdict)


if __name__ == "__main__":
    main()
