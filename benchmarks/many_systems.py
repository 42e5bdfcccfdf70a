"""Whether a comparison of many systems stays a matter of seconds: 53 runs x 43 queries x 3 measures, all 1,378 pairs.

From the runs to the finished comparison, with the default test, with 100,000 permutations, and with max-T. Permutations
cost systems, not pairs: the difference of two flipped sums is the flipped sum of the differences.
"""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import harness
import numpy as np

SYSTEMS, QUERIES, ITEMS = 53, 43, 100
MEASURES = ["nDCG@10", "AP", "RR"]
WAYS = {
    "default": {},
    "randomisation": {"test": "randomisation"},
    "max_t": {"correction": "max-t"},
    "bca": {"interval": "bca"},
    "wilcoxon": {"test": "wilcoxon"},
}


def make(folder: Path, options: harness.Options) -> None:  # noqa: ARG001
    random = np.random.default_rng(0)
    names = [f"d{item}" for item in range(ITEMS)]
    grades = random.choice(3, (QUERIES, ITEMS), p=[0.8, 0.15, 0.05])
    truth = {f"q{query}": dict(zip(names, row.tolist(), strict=True)) for query, row in enumerate(grades)}
    runs = {}
    for system in range(SYSTEMS):
        scores = random.normal(size=(QUERIES, ITEMS)) + grades * (0.5 + system / 50)
        runs[f"s{system}"] = {
            f"q{query}": dict(zip(names, row.tolist(), strict=True)) for query, row in enumerate(scores)
        }
    (folder / "data.pickle").write_bytes(pickle.dumps((truth, runs)))


def _compared(folder: Path, way: str) -> harness.Work:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import rankmeter as rm

    truth, runs = pickle.loads((folder / "data.pickle").read_bytes())
    return lambda: rm.compare(truth, runs, MEASURES, **WAYS[way]), lambda cmp: {"pairs": len(cmp.differences)}


def default(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _compared(folder, "default")


def randomisation(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _compared(folder, "randomisation")


def max_t(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _compared(folder, "max_t")


def bca(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _compared(folder, "bca")


def wilcoxon(folder: Path, options: harness.Options) -> harness.Work:  # noqa: ARG001
    return _compared(folder, "wilcoxon")


def main() -> None:
    args = harness.parser(__doc__).parse_args()
    alone = [harness.Entrant(name) for name in WAYS]
    label = f"compare {SYSTEMS} runs x {QUERIES} queries x {len(MEASURES)} measures, all pairs"
    harness.run(__file__, args, [harness.Case(label, {}, alone=alone, memory_mb=400, seconds=4)])


if __name__ == "__main__":
    main()
