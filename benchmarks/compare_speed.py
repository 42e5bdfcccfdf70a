"""How long do the statistics of a large comparison take? 10 systems x 10 measures x 10,000 queries.

100,000 permutations of all 45 pairs, 9,999 bootstrap resamples, best group and rank intervals; and one pair under one
measure by scipy, for scale.

    python benchmarks/compare_speed.py
"""

from __future__ import annotations

import resource
import time

import numpy as np
from scipy import stats

from rankmeter.stats.corrections import separations
from rankmeter.stats.intervals import intervals_of
from rankmeter.stats.paired import p_values
from rankmeter.stats.resampling import Sample

SYSTEMS, MEASURES, QUERIES, PERMUTATIONS, RESAMPLES = 10, 10, 10_000, 100_000, 9_999
SCIPY_PERMUTATIONS = 1_000


def timed(what, work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    print(f"{what:<66} {time.perf_counter() - wall:7.2f} s wall {time.process_time() - cpu:7.2f} s CPU", flush=True)


def main():
    random = np.random.default_rng(0)
    ease = random.random(QUERIES)
    values = [np.clip(ease + random.normal(0, 0.3, (SYSTEMS, QUERIES)), 0, 1) for _ in range(MEASURES)]
    samples = [Sample.of_values(one) for one in values]
    pairs = [(i, j) for i in range(SYSTEMS) for j in range(i)]
    timed(
        f"{PERMUTATIONS:,} permutations, {len(pairs)} pairs x {MEASURES} measures x {QUERIES:,} queries",
        lambda: p_values(samples, pairs, "randomisation", permutations=PERMUTATIONS, seed=0),
    )
    timed(
        f"{RESAMPLES:,} resamples, BCa intervals of {SYSTEMS} systems and {len(pairs)} pairs",
        lambda: intervals_of(samples, pairs, level=0.95, method="bca", resamples=RESAMPLES, seed=0),
    )
    timed(
        f"best groups and rank intervals, {RESAMPLES:,} resamples",
        lambda: separations(samples, [1] * MEASURES, level=0.95, resamples=RESAMPLES, seed=0),
    )
    timed(
        f"scipy.stats.permutation_test, 1 pair, 1 measure, {SCIPY_PERMUTATIONS:,} permutations",
        lambda: stats.permutation_test(
            (values[0][0], values[0][1]),
            lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
            permutation_type="samples", vectorized=True, n_resamples=SCIPY_PERMUTATIONS, batch=100,
        ),
    )  # fmt: skip
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")


if __name__ == "__main__":
    main()
