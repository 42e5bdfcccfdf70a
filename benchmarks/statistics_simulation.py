"""Do the statistics keep their promises? False alarms of each test, coverage of intervals, of the best group, of ranks.

Data are made to look like retrieval: values per query in 0..1, skewed, with many zeros and ones, and correlated between
systems because queries are easy or hard. Each line says what was promised and what was found, with the error of the
simulation itself (two standard errors).

    python benchmarks/statistics_simulation.py [TRIALS]
"""

from __future__ import annotations

import math
import sys

import numpy as np

from rankmeter.arithmetic.parts import Values
from rankmeter.stats.best import separation
from rankmeter.stats.corrections import corrected
from rankmeter.stats.equivalence import equivalence
from rankmeter.stats.intervals import intervals_of
from rankmeter.stats.paired import p_value, p_values
from rankmeter.stats.power import minimum_detectable
from rankmeter.stats.samples import Sample, sample

LEVEL = 0.95
SYSTEMS = 5


def reciprocal_ranks(random, systems, queries, shift=0.0):
    """1 / rank within 10, from a latent quality of query and system; steps of 1, 1/2, 1/3 ... and 0."""
    ease = random.normal(0, 1.2, queries)
    latent = ease + random.normal(0, 1.0, (systems, queries)) + np.asarray(shift).reshape(-1, 1)
    rank = np.maximum(1, np.ceil(np.exp(1.0 - latent)))
    return np.where(rank <= 10, 1 / rank, 0.0)


def gains(random, systems, queries, shift=0.0):
    """Like nDCG@10: continuous, a lump at 0."""
    ease = random.normal(0.2, 1.0, queries)
    latent = ease + random.normal(0, 0.7, (systems, queries)) + np.asarray(shift).reshape(-1, 1)
    return np.clip(1 / (1 + np.exp(-latent)) - 0.15, 0, 1)


def whole(values):
    return Sample.of_values(values)


def say(what, promised, found, trials):
    error = 2 * math.sqrt(max(found * (1 - found), 1e-4) / trials)
    print(f"{what:<74} {promised:>8} {found:8.3f} +- {error:.3f}", flush=True)


def false_alarms(trials, queries, make, name):
    """Two equal systems: how often p is below 0.05."""
    for test in ("randomisation", "t", "wilcoxon", "sign"):
        random = np.random.default_rng(1)
        found = 0
        for _ in range(trials):
            a, b = make(random, 2, queries)
            found += p_value(a - b, test, permutations=999, seed=int(random.integers(2**31))) < 0.05
        say(f"false alarms, {test}, {name}, {queries} queries", "<= 0.05", found / trials, trials)


def family_alarms(trials, queries):
    """Five equal systems, all pairs: how often anything is significant."""
    pairs = [(i, j) for i in range(SYSTEMS) for j in range(i)]
    found = dict.fromkeys(("none", "holm", "bonferroni", "bh"), 0)
    random = np.random.default_rng(2)
    for _ in range(trials):
        values = whole(gains(random, SYSTEMS, queries))
        p = p_values([values], pairs, "randomisation", permutations=1999, seed=int(random.integers(2**31)))[0]
        for correction in found:
            found[correction] += corrected(p, correction).min() < 0.05
    for correction, count in found.items():
        promised = "-" if correction == "none" else "<= 0.05"
        say(f"any false alarm among 10 pairs, {correction}, {queries} queries", promised, count / trials, trials)


def slice_alarms(trials, queries, slices):
    """Two equal systems in several slices: how often anything is significant in any of them."""
    random = np.random.default_rng(8)
    found = dict.fromkeys(("none", "holm"), 0)
    for _ in range(trials):
        inside = np.array_split(gains(random, 2, queries), slices, axis=1)
        seed = int(random.integers(2**31))
        p = p_values([whole(one) for one in inside], [(0, 1)], "randomisation", permutations=1999, seed=seed)
        for correction in found:
            found[correction] += corrected(p.ravel(), correction).min() < 0.05
    for correction, count in found.items():
        promised = "-" if correction == "none" else "<= 0.05"
        say(
            f"any false alarm in {slices} slices, {correction}, {queries} queries in all",
            promised,
            count / trials,
            trials,
        )


def equal_differences(trials, queries):
    """Two equal systems that find their answer at rank 1 or 2: few values, so that differences may all be equal."""
    random = np.random.default_rng(9)
    found = 0
    for _ in range(trials):
        a, b = np.where(random.random((2, queries)) < 0.5, 1.0, 0.5)
        found += p_value(a - b, "t", permutations=999, seed=0) < 0.05
    say(f"false alarms, t, values of 1 and 1/2 only, {queries} queries", "<= 0.05", found / trials, trials)


def coverage(trials, queries, make, name):
    """How often an interval holds the true value, of one system and of a difference."""
    shift = np.array([0.0, 0.3])
    truth = make(np.random.default_rng(99), 2, 1_000_000, shift).mean(axis=1)
    for method in ("bca", "percentile"):
        random = np.random.default_rng(3)
        held = np.zeros(2)
        for _ in range(trials):
            values = whole(make(random, 2, queries, shift))
            seed = int(random.integers(2**31))
            bands = intervals_of([values], [(1, 0)], level=LEVEL, method=method, resamples=999, seed=seed)[0]
            held += [
                bands.systems[0].low <= truth[0] <= bands.systems[0].high,
                bands.pairs[0].low <= truth[1] - truth[0] <= bands.pairs[0].high,
            ]
        for what, share in zip(("value", "difference"), held / trials, strict=True):
            say(f"interval of a {what} holds the truth, {method}, {name}, {queries} queries", "0.95", share, trials)


def best_and_ranks(trials, queries):
    """Two equal best systems and three worse: how often a best one is in the group, and all ranks hold at once."""
    shift = np.array([0.25, 0.25, 0.2, 0.1, 0.0])
    random = np.random.default_rng(4)
    held = ranks = size = 0
    true_low, true_high = np.array([1, 1, 3, 4, 5]), np.array([2, 2, 3, 4, 5])
    for _ in range(trials):
        found = separation(
            gains(random, 5, queries, shift), level=LEVEL, resamples=999, seed=int(random.integers(2**31))
        )
        held += found.in_best[0]
        ranks += bool(((found.rank_low <= true_high) & (found.rank_high >= true_low)).all())
        size += found.in_best.sum()
    say(f"best group holds a truly best system, {queries} queries", ">= 0.95", held / trials, trials)
    say(f"all rank intervals hold at once, {queries} queries", ">= 0.95", ranks / trials, trials)
    print(
        f"{f'mean size of the best group (2 are best, 1 is close), {queries} queries':<74} {'':>8} {size / trials:8.2f}"
    )


def clusters(trials, users):
    """Equal systems, five queries a user that go together: tests over queries raise false alarms, over users not."""
    queries = users * 5
    unit = np.repeat(np.arange(users), 5)
    every = np.ones(queries, np.bool_)
    for name, units in (("queries", np.arange(queries)), ("users", unit)):
        for test in ("randomisation", "t"):
            random = np.random.default_rng(5)
            found = 0
            for _ in range(trials):
                values = gains(random, 2, queries) + random.normal(0, 0.2, (2, users))[:, unit]
                made = sample(Values(values, every, values, np.ones_like(values)), units, "mean")
                p = p_values([made], [(0, 1)], test, permutations=999, seed=int(random.integers(2**31)))
                found += p[0, 0] < 0.05
            promised = "<= 0.05" if name == "users" else "-"
            say(f"false alarms, {test} over {name}, {users} users of 5 queries", promised, found / trials, trials)


def no_worse(trials, queries):
    """A system that is worse by exactly the margin: how often it is called no worse."""
    margin = 0.03
    random = np.random.default_rng(6)
    found = 0
    for _ in range(trials):
        a, b = gains(random, 2, queries)
        found += equivalence(a - b - margin, margin).no_worse < 0.05
    say(f"'no worse' of a system worse by the margin, {queries} queries", "<= 0.05", found / trials, trials)


def power(trials, queries):
    """A true difference of the detectable size: how often it is found."""
    random = np.random.default_rng(7)
    spread = float(np.diff(gains(random, 2, 200_000), axis=0).std())
    size = minimum_detectable(spread, queries)
    found = 0
    for _ in range(trials):
        a, b = gains(random, 2, queries)
        found += p_value(a - b + size, "randomisation", permutations=999, seed=int(random.integers(2**31))) < 0.05
    say(f"a difference of the detectable size is found, {queries} queries", "0.80", found / trials, trials)


def main(trials):
    print(f"{'what':<74} {'promised':>8} {'found':>8}   ({trials} trials)")
    for queries in (25, 100):
        false_alarms(trials, queries, gains, "like nDCG")
        false_alarms(trials, queries, reciprocal_ranks, "like RR")
    family_alarms(trials, 50)
    slice_alarms(trials, 100, 5)
    for queries in (2, 3, 10):
        equal_differences(trials, queries)
    for queries in (25, 100):
        coverage(trials, queries, gains, "like nDCG")
        coverage(trials, queries, reciprocal_ranks, "like RR")
        best_and_ranks(trials, queries)
    clusters(trials, 40)
    no_worse(trials, 50)
    power(trials, 50)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
