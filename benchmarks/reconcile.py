"""How many definitions a search tries in a second.

    python benchmarks/reconcile.py

Two claims that no definition gives, so that the whole space up to three changes is searched, against runs of different
shapes and against the demonstration data. Times are CPU seconds of this process, reading and placing (once in each
precision of scores) counted apart.
"""

from __future__ import annotations

import time

import numpy as np
import polars as pl

from rankmeter import demo
from rankmeter.wings.conformance.bench import Bench
from rankmeter.wings.conformance.reconcile import reconcile

CLAIMS = {"NDCG@10": "0.9871234", "MAP@10": "0.9876543"}
SHAPES = ((1_000, 1_000, 50), (10_000, 100, 10), (100_000, 10, 5), (100_000, 10, 1))
"""Queries, how deep their lists are, how many items are judged: a million rows each; the last is leave-one-out."""


def main() -> None:
    """Search on every shape."""
    judgments, run = demo.data_path(demo.JUDGMENTS), demo.data_path(demo.RUNS["keyword"])
    search("demonstration data", judgments, run)
    for queries, depth, judged in SHAPES:
        shape = f"{queries:,} queries x {depth:,}, {judged} judged"
        search(f"{shape}, ties", *made(queries, depth, judged, tied=True))
        search(f"{shape}, no ties", *made(queries, depth, judged, tied=False))


def made(queries: int, depth: int, judged: int, *, tied: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Made-up graded judgments and a run."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=queries * depth)
    run = {"score": score.round(2) if tied else score, **pairs(rng, queries, depth)}
    grades = {"grade": rng.integers(0, 4, queries * judged), **pairs(rng, queries, judged)}
    return pl.DataFrame(grades), pl.DataFrame(run)


def pairs(rng: np.random.Generator, queries: int, each: int) -> dict[str, object]:
    """Queries with distinct items."""
    item = np.argsort(rng.random((queries, 5 * each)), axis=1)[:, :each]
    return {"query": np.repeat(np.arange(queries), each), "item": item.ravel()}


def search(what: str, judgments: object, run: object) -> None:
    """Time one search and print definitions per second."""
    start = time.process_time()
    found = reconcile(judgments, run, CLAIMS)
    spent = time.process_time() - start
    start = time.process_time()
    bench = Bench(judgments, run)
    for result in found.claims:
        for scores in ("float64", "float32"):
            bench.value(result.claim.measure(scores=scores))
    placing = time.process_time() - start
    tried = sum(one.tried for one in found.claims)
    rate = tried / max(spent - placing, 1e-9)
    print(f"{what:<48}{tried:>7,} definitions {spent:7.2f} s (placing {placing:5.2f} s) {rate:8,.0f} a second")


if __name__ == "__main__":
    main()
