"""The report of many systems: how much it adds to the comparison that it shows (CPU time), and the size of the page.

``python benchmarks/report.py`` prints a line for 2, 8 and 53 systems of 43 queries under ten measures. Wanted: the
report at most a third of its comparison, the page under 3 MB.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import rankmeter as rm

MEASURES = "nDCG@10 AP RR P@5 P@10 R@20 Success@1 Success@5 RBP Judged@10".split()
QUERIES, POOL, LENGTH = 43, 400, 100


def data(systems: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgments of a pool, and systems that differ in how much noise their scores have."""
    draw = random.Random(7)
    queries = [f"q{number:02d}" for number in range(QUERIES)]
    truth = {query: {f"d{item:03d}": draw.choice((0, 0, 0, 1, 2)) for item in range(POOL)} for query in queries}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for number in range(systems):
        scores = {
            query: {item: grade + draw.gauss(0, 1 + number / 10) for item, grade in truth[query].items()}
            for query in queries
        }
        runs[f"system {number:02d}"] = {
            query: dict(sorted(one.items(), key=lambda pair: -pair[1])[:LENGTH]) for query, one in scores.items()
        }
    return truth, runs


def main() -> None:
    """Print what was measured."""
    with tempfile.TemporaryDirectory() as folder:
        rm.compare(*data(2), ["RR"]).report(Path(folder) / "warm.html")  # libraries are loaded, the bundle is cached
        for systems in (2, 8, 53):
            truth, runs = data(systems)
            start = time.process_time()
            cmp = rm.compare(truth, runs, MEASURES)
            compared = time.process_time()
            page = cmp.report(Path(folder) / f"{systems}.html")
            reported = time.process_time()
            taken = compared - start, reported - compared
            print(
                f"{systems:3d} systems: compared in {taken[0]:.2f} s, report {taken[1]:.2f} s "
                f"({taken[1] / taken[0]:.0%} of it), page {page.stat().st_size / 1e6:.2f} MB"
            )


if __name__ == "__main__":
    main()
