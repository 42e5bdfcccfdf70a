"""Spark tables: rankmeter against MLlib's two doors and Recommenders' SparkRankingEvaluation, four measures.

One local session, the same cached tables for all, entrants in turns, the best of each. Rounds before that are not
timed: Java compiles what it runs often, and every entrant, ours the most, is slower until it has. Targets are about
wall time; the CPU time and memory of Java and all Python workers together are told beside it (Linux). Recommenders
takes part where it is installed (its own environment: ``pip install recommenders pyspark``, and rankmeter's
dependencies).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import harness

K = 10
OURS = {"map": "AP", "ndcg": f"nDCG(gain=binary)@{K}", "precision": f"P@{K}", "recall": f"R@{K}"}


class Meter:
    """CPU time and memory of this process and all that it started, looked at twice a second: workers come and go."""

    def __init__(self) -> None:
        self._cpu: dict[int, int] = {}
        self._lock = threading.Lock()
        self.peak = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            self.cpu()
            time.sleep(0.5)

    def cpu(self) -> float:
        """Seconds of CPU so far."""
        parents, memory = {}, {}
        with self._lock:
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    fields = (folder / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue  # it has ended
                number = int(folder.name)
                parents[number], memory[number] = int(fields[1]), int(fields[21])
                if number in self._cpu or number == os.getpid() or int(fields[1]) in self._cpu:
                    self._cpu[number] = int(fields[11]) + int(fields[12])
            self.peak = max(self.peak, sum(memory.get(number, 0) for number in self._cpu))
            return sum(self._cpu.values()) / os.sysconf("SC_CLK_TCK")

    def best(self, work: Callable[[], Any], so_far: tuple[float, float]) -> tuple[Any, tuple[float, float]]:
        """What the work gives, and the least wall and CPU time until now."""
        cpu, wall = self.cpu(), time.perf_counter()
        result = work()
        spent = time.perf_counter() - wall, self.cpu() - cpu
        return result, (min(so_far[0], spent[0]), min(so_far[1], spent[1]))


NEVER = float("inf"), float("inf")


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
    meter = Meter()
    last = 0.0, 0.0
    for rows in sizes:
        best = NEVER
        for _ in range(args.repeat):
            given = tables(spark, rows // args.depth, args.depth, kept=False)
            _, best = meter.best(lambda given=given: ours(*given), best)
        shown = (
            f"{best[i]:8.2f} s {what}{f' x{best[i] / last[i]:.1f}' if last[i] else '':>6}"
            f"{best[i] / rows * 1e6:6.2f} us a row"
            for i, what in enumerate(("wall", "CPU"))
        )
        print(f"  {rows:>13,} rows", *shown, f"{meter.peak * os.sysconf('SC_PAGE_SIZE') / 2**30:.1f} GB", flush=True)
        if last[0]:
            times = best[0] / last[0]
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


def _lists(judgments: Any, run: Any) -> Any:
    """What both doors of MLlib take: a row per query, its ranked and its relevant items."""
    lists = run.selectExpr("query", "struct(-score as s, item) as pair").groupBy("query").agg({"pair": "collect_list"})
    ranked = lists.selectExpr("query", "transform(sort_array(`collect_list(pair)`), p -> double(p.item)) as items")
    truth = judgments.selectExpr("query", "double(item) as item").groupBy("query").agg({"item": "collect_list"})
    return ranked.join(truth, "query").selectExpr("items as prediction", "`collect_list(item)` as label")


def mllib(judgments: Any, run: Any) -> dict[str, float]:
    """RankingMetrics: its door in Python takes an RDD, whose rows pass through Python. Kept as rows it is fastest."""
    from pyspark.mllib.evaluation import RankingMetrics

    both = _lists(judgments, run).rdd.map(tuple).cache()
    metrics = RankingMetrics(both)
    found = {
        "map": metrics.meanAveragePrecision,
        "ndcg": metrics.ndcgAt(K),
        "precision": metrics.precisionAt(K),
        "recall": metrics.recallAt(K),
    }
    both.unpersist()
    return found


def mllib_evaluator(judgments: Any, run: Any) -> dict[str, float]:
    """RankingEvaluator: the same metrics of a DataFrame, which never leaves Java; one call a metric."""
    from pyspark.ml.evaluation import RankingEvaluator

    both = _lists(judgments, run).cache()
    asked = {"map": "meanAveragePrecision", "ndcg": "ndcgAtK", "precision": "precisionAtK", "recall": "recallAtK"}
    found = {name: RankingEvaluator(metricName=metric, k=K).evaluate(both) for name, metric in asked.items()}
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
    parser.add_argument("--warm", type=int, default=3, help="rounds of all entrants before any is timed")
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
    entrants = [ours, mllib, mllib_evaluator] + ([recommenders] if importlib.util.find_spec("recommenders") else [])
    best: dict[str, tuple[float, float]] = {}
    values: dict[str, dict[str, float]] = {}
    meter = Meter()
    for _ in range(args.warm):
        for one in entrants:
            one(judgments, run)
    for _ in range(args.repeat):
        for one in entrants:
            name = one.__name__
            values[name], best[name] = meter.best(lambda one=one: one(judgments, run), best.get(name, NEVER))
    size = f"{args.queries * args.depth:,} rows, {args.queries:,} queries"
    print(f"PySpark {spark.version}, {size}, load {os.getloadavg()[0]:.0f}")
    for name, (wall, cpu) in best.items():
        same = [key for key in OURS if abs(values[name][key] - values["ours"][key]) < 1e-9]
        times = f"{wall:7.2f} s wall, {wall / best['ours'][0]:4.1f} times ours; {cpu:7.2f} s CPU"
        print(f"  {name:<15} {times}, {cpu / best['ours'][1]:4.1f} times ours; equal values: {', '.join(same)}")
        print(f"  {'':<15} {values[name]}")
    spark.stop()
    label, target = f"Spark: {size}, 4 measures, wall time", 4.0
    for name in [name for name in best if name != "ours"]:
        ratio = best[name][0] / best["ours"][0]
        verdict = ("met" if ratio >= target else "MISSED") if name.startswith("mllib") else ""
        case = harness.Case(label, {})
        harness.write(args, case, "ours", name, ratio, target if verdict else None, verdict)


if __name__ == "__main__":
    main()
