"""Do the statistics keep their promises? The error of every test and correction, the coverage of every interval.

Differences of two systems are made in five situations, from 5 to 200 queries: like nDCG, like RR (few values, many
ties), mostly 0, with rare large losses (skewed), and skewed the more. Beside each number stands the error of the
simulation itself (two standard errors); ``!`` marks what is outside of the promise by more than that, as chance alone
does to one cell of forty.

    python benchmarks/statistics_simulation.py [TRIALS]
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.arithmetic.parts import Values
from rankmeter.comparing.standing import Standing, verdicts, winners_of
from rankmeter.lists.slice_intervals import gap_test, slice_difference
from rankmeter.lists.slice_intervals import spreads as slice_spreads
from rankmeter.lists.slice_samples import PartsSample
from rankmeter.stats.corrections import corrected, separation, step_down
from rankmeter.stats.intervals import METHODS, interval_of, intervals_of, is_rough, why_none
from rankmeter.stats.paired import TESTS, equivalences, p_value, p_values
from rankmeter.stats.power import minimum_detectable
from rankmeter.stats.resampling import Groups, Sample
from rankmeter.stats.student import t_quantile
from rankmeter.wings.results.components import drawn_means_of_tasks, over_queries, over_tasks

LEVEL = 0.95
SIZES = (5, 10, 25, 50, 200)
PERMUTATIONS = RESAMPLES = 999

Make = Callable[[np.random.Generator, int, int], np.ndarray]


def gains(random, systems, queries, shift=0.0):
    """Values like nDCG@10: continuous, a lump at 0, queries easy or hard for all."""
    ease = random.normal(0.2, 1.0, queries)
    latent = ease + random.normal(0, 0.7, (systems, queries)) + np.asarray(shift).reshape(-1, 1)
    return np.clip(1 / (1 + np.exp(-latent)) - 0.15, 0, 1)


def reciprocal_ranks(random, systems, queries):
    """1 / rank within 10: steps of 1, 1/2, 1/3 ... and 0."""
    latent = random.normal(0, 1.2, queries) + random.normal(0, 1.0, (systems, queries))
    rank = np.maximum(1, np.ceil(np.exp(1.0 - latent)))
    return np.where(rank <= 10, 1 / rank, 0.0)


def like_ndcg(random, trials, queries):
    return np.stack([np.subtract(*gains(random, 2, queries)) for _ in range(trials)])


def like_rr(random, trials, queries):
    return np.stack([np.subtract(*reciprocal_ranks(random, 2, queries)) for _ in range(trials)])


def mostly_zero(random, trials, queries):
    """Two systems that agree on seven queries of ten."""
    return np.where(random.random((trials, queries)) < 0.7, 0.0, random.normal(0, 0.3, (trials, queries)))


def skewed(random, trials, queries):
    """Small gains and rare large losses: 1 - Exp(1)."""
    return 1 - random.exponential(1, (trials, queries))


def very_skewed(random, trials, queries):
    """The same, more so: 1/2 - Gamma(1/2)."""
    return 0.5 - random.gamma(0.5, 1, (trials, queries))


SITUATIONS: dict[str, Make] = {
    "like nDCG": like_ndcg,
    "like RR": like_rr,
    "mostly 0": mostly_zero,
    "skewed": skewed,
    "very skewed": very_skewed,
}
"""Differences whose true mean is 0: two equal systems, or two whose gains and losses even out."""


def error(share, trials):
    """Two standard errors of a share."""
    return 2 * math.sqrt(max(share * (1 - share), 1e-4) / trials)


def cell(share, trials, promised, *, at_most):
    """A number with its error, marked where it is outside of the promise."""
    off = share - promised if at_most else promised - share
    return f"{share:.3f}{'!' if off > error(share, trials) else ' '}±{error(share, trials):.3f}"


def say(what, share, trials, promised=None, *, at_most=True):
    """One line of its own."""
    shown = f"{share:.3f} ±{error(share, trials):.3f}" if promised is None else ""
    print(f"{what:<88} {shown or cell(share, trials, promised, at_most=at_most)}", flush=True)


def head(title, columns):
    print(f"\n{title}\n{'':<34}" + "".join(f"{column:>14}" for column in columns), flush=True)


def row(name, cells):
    print(f"{name:<34}" + "".join(f"{one:>14}" for one in cells), flush=True)


def samples_of(rows):
    """Each row as a system beside one whose values are 0."""
    return [Sample.of_values(np.stack([one, np.zeros_like(one)])) for one in rows]


def tests(trials):
    """False alarms of every test."""
    head(f"False alarms of a two-sided test at 0.05 ({trials} trials)", SIZES)
    for test in TESTS:
        for name, make in SITUATIONS.items():
            if test in ("wilcoxon", "sign") and "skewed" in name:
                continue  # they ask about medians, which are not 0 here
            cells = []
            for size in SIZES:
                rows = make(np.random.default_rng(size), trials, size)
                chances = p_values(samples_of(rows), [(0, 1)], test, permutations=PERMUTATIONS, seed=1)[:, 0]
                cells.append(cell(float((chances < 0.05).mean()), trials, 0.05, at_most=True))
            row(f"{test}, {name}", cells)


def coverage(trials):
    """How often each interval of a difference holds the truth; where there is none, it is not counted."""
    head(f"Coverage of 95% intervals of a difference ({trials} trials); - : there is none", SIZES)
    for method in METHODS:
        if method == "bounded":
            continue  # most of these differences have no bounds
        for name, make in SITUATIONS.items():
            cells = []
            for size in SIZES:
                rows = make(np.random.default_rng(size), trials, size)
                made = intervals_of(samples_of(rows), [(0, 1)], level=LEVEL, method=method, resamples=RESAMPLES, seed=2)
                kept = [
                    band.pairs[0]
                    for band in made
                    if band.pairs[0] is not None and band.pairs[0].low < band.pairs[0].high
                ]
                held = [one.low <= 0 <= one.high for one in kept]
                cells.append(
                    cell(float(np.mean(held)), len(held), LEVEL, at_most=False) if len(held) > trials / 10 else "-"
                )
            row(f"{method}, {name}", cells)


MORE_SIZES = (5, 10, 25, 50, 100, 200)


def log_normal(random, trials, queries):
    """Losses without a limit, which a handful of queries make up."""
    return math.exp(0.5) - random.lognormal(0, 1, (trials, queries))


def rare_losses(random, trials, queries):
    """Half of the queries gain 0.1, a tenth lose up to 1."""
    drawn = random.random((trials, queries))
    return np.where(drawn < 0.1, -random.random(drawn.shape), np.where(drawn < 0.6, 0.1, 0.0))


def nine_tenths_zero(random, trials, queries):
    """A tenth lose up to 1; on the others nothing changes."""
    return -np.where(random.random((trials, queries)) < 0.1, random.random((trials, queries)), 0.0)


def lost_shares(random, trials, queries):
    """Measures of 0 and 1: a tenth of the queries are lost."""
    return -(random.random((trials, queries)) < 0.1).astype(float)


SHAPES: dict[str, tuple[Make, float]] = {
    "like nDCG": (like_ndcg, 0.0),
    "skewed": (skewed, 0.0),
    "very skewed": (very_skewed, 0.0),
    "log-normal losses": (log_normal, 0.0),
    "rare losses": (rare_losses, 0.0),
    "nine tenths are 0": (nine_tenths_zero, -0.05),
    "lost shares": (lost_shares, -0.1),
}
"""Differences and their true mean."""
UNBOUNDED = ("skewed", "very skewed", "log-normal losses")


def wider(trials):
    """Intervals made for skewed differences beside Student's: coverage, and how long they are."""
    widths = []
    head(f"Coverage where differences are skewed, of the trials with an interval ({trials} trials)", MORE_SIZES)
    for name, (make, truth) in SHAPES.items():
        own = {}
        for method in ("t", "hall", *([] if name in UNBOUNDED else ["bounded"])):
            cells, of_t = [], []
            for size in MORE_SIZES:
                rows = make(np.random.default_rng(size), trials, size)
                samples = [replace(sample, bounds=(0.0, 1.0)) for sample in samples_of(rows)]
                made = intervals_of(samples, [(0, 1)], level=LEVEL, method=method, resamples=RESAMPLES, seed=2)
                ends = [band.pairs[0] for band in made]
                kept = [one for one in ends if one is not None and one.low < one.high]
                held = [one.low <= truth <= one.high for one in kept]
                is_enough = len(held) > trials / 10
                cells.append(cell(float(np.mean(held)), len(held), LEVEL, at_most=False) if is_enough else "-")
                lengths = np.array(
                    [np.nan if one is None or one.low == one.high else one.high - one.low for one in ends]
                )
                own.setdefault(size, lengths)
                both = ~np.isnan(lengths) & ~np.isnan(own[size])
                of_t.append(f"{np.median(lengths[both] / own[size][both]):.2f}" if both.sum() > trials / 10 else "-")
            row(f"{method}, {name}", cells)
            widths += [(f"{method}, {name}", of_t)] if method != "t" else []
    head("How many times as long as Student's (median)", MORE_SIZES)
    for name, cells in widths:
        row(name, cells)


def no_worse(trials, margin=0.1):
    """A system that is worse by the margin: how often a t test, or one corrected for skewness, calls it no worse."""
    head(f"'no worse' of a system worse by the margin ({trials} trials)", MORE_SIZES)
    for name, (make, truth) in SHAPES.items():
        for method in ("t", "hall", *([] if name in UNBOUNDED else ["bounded"])):
            cells = []
            for size in MORE_SIZES:
                rows = make(np.random.default_rng(size), trials, size)
                called = []
                for sample in samples_of(rows - truth - margin):
                    # Moved differences have moved bounds, so those of one side are enough for this side's test.
                    bounded = replace(sample, bounds=(0.0, 1.0 + truth + margin))
                    found = equivalences(
                        bounded, [(0, 1)], margin, interval=method, draws=RESAMPLES, seed=2
                    )[0].no_worse  # fmt: skip
                    called.append(found < 0.05)
                cells.append(cell(float(np.mean(called)), trials, 0.05, at_most=True))
            row(f"{method}, {name}", cells)


def values_coverage(trials):
    """The interval of one system's value."""
    head(f"Coverage of 95% intervals of a value ({trials} trials)", SIZES)
    for method in ("t", "bca", "percentile"):
        for name, make in (("like nDCG", gains), ("like RR", reciprocal_ranks)):
            truth = float(make(np.random.default_rng(99), 1, 2_000_000).mean())
            cells = []
            for size in SIZES:
                random = np.random.default_rng(size)
                made = intervals_of(
                    [Sample.of_values(make(random, 1, size)) for _ in range(trials)], [],
                    level=LEVEL, method=method, resamples=RESAMPLES, seed=2,
                )  # fmt: skip
                held = [one.low <= truth <= one.high for band in made if (one := band.systems[0]) is not None]
                cells.append(cell(float(np.mean(held)), len(held), LEVEL, at_most=False))
            row(f"{method}, {name}", cells)


def families(trials):
    """Five systems against a baseline that none of them beats: how often anything is significant."""
    head(f"Any false alarm among 5 systems against the baseline ({trials} trials)", SIZES)
    pairs = [(place, 0) for place in range(1, 6)]
    for name, make in SITUATIONS.items():
        shown = {}
        for size in SIZES:
            random = np.random.default_rng(size)
            drawn = make(random, 5 * trials, size).reshape(trials, 5, size)
            made = [Sample.of_values(np.vstack([np.zeros(size), one])) for one in drawn]
            for test in ("t", "randomisation"):
                chances = p_values(made, pairs, test, permutations=PERMUTATIONS, seed=3)
                for correction in ("none", "holm", "hochberg", "bonferroni", "bh", "by"):
                    alarms = [corrected(one, correction).min() < 0.05 for one in chances]
                    shown.setdefault((test, correction), []).append(np.mean(alarms))
            joint = [step_down(one, pairs, permutations=PERMUTATIONS, seed=3).min() < 0.05 for one in made]
            shown.setdefault(("max-t", ""), []).append(np.mean(joint))
        for (test, correction), shares in shown.items():
            if test == "t" or correction == "holm" or test == "max-t":
                cells = [
                    f"{one:.3f} " if correction == "none" else cell(one, trials, 0.05, at_most=True) for one in shares
                ]
                row(f"{' '.join(filter(None, (test, correction)))}, {name}", cells)


def found_pairs(trials, queries=50):
    """Six systems of which three are better: how many of the nine true differences each correction finds."""
    pairs = [(i, j) for i in range(6) for j in range(i)]
    better = np.array([i >= 3 > j for i, j in pairs])
    counts = dict.fromkeys(("holm", "max-t", "bonferroni"), 0.0)
    random = np.random.default_rng(11)
    for _ in range(trials):
        one = Sample.of_values(gains(random, 6, queries, [0, 0, 0, 0.5, 0.5, 0.5]))
        chances = p_values([one], pairs, "t", permutations=PERMUTATIONS, seed=4)[0]
        counts["max-t"] += (step_down(one, pairs, permutations=PERMUTATIONS, seed=4)[better] < 0.05).sum() / trials
        for correction in ("holm", "bonferroni"):
            counts[correction] += (corrected(chances, correction)[better] < 0.05).sum() / trials
    print(f"\nOf 9 true differences among 15 pairs, {queries} queries, found on average: ", end="")
    print(", ".join(f"{name} {count:.2f}" for name, count in counts.items()), flush=True)


def standing(values, baseline=None):
    """Where systems stand by Holm's corrected t tests, of all pairs, or of those with a baseline and of the others."""
    pairs = [(a, b) for a in range(len(values)) for b in range(a)]
    chances = p_values([Sample.of_values(values)], pairs, "t", permutations=PERMUTATIONS, seed=4)[0]
    joint = np.empty(len(pairs))
    own = np.array([baseline in pair for pair in pairs])
    for family in (own, ~own):
        joint[family] = corrected(chances[family], "holm")
    means = values.mean(axis=1)
    points = np.array([np.sign(means[a] - means[b]) for a, b in pairs], dtype=np.int64)
    return Standing.of(means, 1, verdicts(len(values), pairs, winners_of(joint, points, 1 - LEVEL, 1)))


def best_groups(trials):
    """How often marks hold the best system and all rank intervals hold, by the tests; and multiple comparisons."""
    head(f"Marks and rank intervals by the tests; multiple comparisons with the best ({trials} trials)", SIZES)
    held, ranks, losses = [], [], {"skewed": [], "very skewed": []}
    by_tests = {(at, what): [] for at in (None, 0, 4) for what in ("marks", "ranks")}
    by_tests |= {(at, "equal"): [] for at in (None, 0)}
    winners = {0: [], 1: [], 2: []}
    low, high = np.array([1, 1, 3, 4, 5]), np.array([2, 2, 3, 4, 5])
    for size in SIZES:
        random = np.random.default_rng(size)
        both = np.zeros(2)
        for trial in range(trials):
            values = gains(random, 5, size, [0.25, 0.25, 0.2, 0.1, 0.0])
            apart = separation(values, level=LEVEL, resamples=RESAMPLES, seed=trial)
            both += apart.in_best[0], bool(((apart.rank_low <= high) & (apart.rank_high >= low)).all())
        for at in (None, 0, 4):
            random = np.random.default_rng(size)
            drawn = [gains(random, 5, size, [0.25, 0.25, 0.2, 0.1, 0.0]) for _ in range(4 * trials)]
            order = [standing(values, at) for values in drawn]
            by_tests[at, "marks"].append(float(np.mean([one.in_best[0] for one in order])))
            fits = [((one.low <= high) & (one.high >= low)).all() for one in order]
            by_tests[at, "ranks"].append(float(np.mean(fits)))
        for at in (None, 0):
            random = np.random.default_rng(size)
            order = [standing(gains(random, 5, size, [0.0] * 5), at) for _ in range(4 * trials)]
            by_tests[at, "equal"].append(float(np.mean([not one.better.any() for one in order])))
        held.append(both[0] / trials)
        ranks.append(both[1] / trials)
        for name, shares in losses.items():
            drawn = SITUATIONS[name](random, 4 * trials, size).reshape(trials, 4, size)
            inside = [
                separation(np.vstack([np.zeros(size), one]), level=LEVEL, resamples=RESAMPLES, seed=1).in_best[0]
                for one in drawn
            ]
            shares.append(float(np.mean(inside)))
        for below, shares in winners.items():
            effects = [0.25, 0.25, *[-1.0] * below]
            drawn = (gains(random, len(effects), size, effects) for _ in range(4 * trials))
            alone = [separation(v, level=LEVEL, resamples=RESAMPLES, seed=1).in_best.sum() == 1 for v in drawn]
            shares.append(float(np.mean(alone)))
    told = {"marks": "marks hold the best", "ranks": "rank intervals hold", "equal": "same, 5 equal systems"}
    for (at, what), shares in by_tests.items():
        name = told[what] + {None: ", all pairs", 0: ", baseline first", 4: ", baseline last"}[at]
        row(name, [cell(one, 4 * trials, LEVEL, at_most=False) for one in shares])
    for name, shares in (
        ("mcb: holds a best system", held),
        ("mcb: all rank intervals hold", ranks),
        *((f"mcb: holds the best, {name}", shares) for name, shares in losses.items()),
    ):
        row(name, [cell(one, trials, LEVEL, at_most=False) for one in shares])
    for below, shares in winners.items():
        row(f"two equal, {below} below: one wins", [cell(one, 4 * trials, 1 - LEVEL, at_most=True) for one in shares])


def runs(trials):
    """Equal systems with a few runs each, which share no seed; cheap, so ten times the trials."""
    trials *= 10
    head(
        f"False alarms between separate runs, Welch's test and exchanges ({trials} trials)",
        ("3 + 3", "5 + 5", "6 + 10", "10 + 6"),
    )
    for test in ("t", "randomisation", "wilcoxon"):
        cells = []
        for sizes in ((3, 3), (5, 5), (6, 10), (10, 6)):
            random = np.random.default_rng(12)
            made = [Groups((random.normal(0, 1, sizes[0]), random.normal(0, 2, sizes[1]))) for _ in range(trials)]
            chances = p_values(made, [(0, 1)], test, permutations=PERMUTATIONS, seed=5)[:, 0]
            cells.append(cell(float((chances < 0.05).mean()), trials, 0.05, at_most=True))
        row(f"{test}, spreads of 1 and 2", cells)


def clusters(trials, users=40):
    """Equal systems, five queries a user that go together: tests over queries raise false alarms, over users not."""
    queries = users * 5
    unit, every = np.repeat(np.arange(users), 5), np.ones(queries, np.bool_)
    print()
    for name, units in (("queries", np.arange(queries)), ("users", unit)):
        for test in ("t", "randomisation"):
            random = np.random.default_rng(5)
            made = []
            for _ in range(trials):
                values = gains(random, 2, queries) + random.normal(0, 0.2, (2, users))[:, unit]
                made.append(Sample.of_queries(Values(values, every, values, np.ones_like(values)), units, "mean"))
            chances = p_values(made, [(0, 1)], test, permutations=PERMUTATIONS, seed=6)[:, 0]
            share = float((chances < 0.05).mean())
            say(
                f"false alarms, {test} over {name}, {users} users of 5 queries",
                share,
                trials,
                0.05 if name == "users" else None,
            )


def sliced(values, inside):
    """Values per query, ``(n,)``, as the sample of slices: (slices, n) says which queries each holds."""
    return PartsSample(np.where(inside, values, 0.0), inside.astype(float), inside, AGGREGATES["mean"])


def slice_intervals(trials):
    """Slices of one system: a value, its difference from three times as many other queries, the gap of four slices."""
    head(f"Coverage of 95% intervals of slices of so many queries ({trials} trials; gaps: a fifth of them)", SIZES)
    known = {"level": LEVEL, "resamples": 100, "seed": 1}
    for name, make in (("like nDCG", gains), ("like RR", reciprocal_ranks)):
        truth = float(make(np.random.default_rng(99), 1, 400_000).mean())
        rows: dict[str, list[str]] = {}
        for size in SIZES:
            random = np.random.default_rng(21)
            holds: dict[str, list[bool]] = {}
            four = np.repeat(np.eye(4, dtype=np.bool_), size, axis=1)
            shared = np.zeros((2, 2 * size), np.bool_)
            shared[0, :size] = shared[1, size // 2 : size // 2 + size] = True
            for number in range(trials):
                values = make(random, 1, 4 * size)[0]
                first = slice_spreads({"": sliced(values, four)}, **known)[""][0]
                holds.setdefault("value", []).append(first.low <= truth <= first.high)
                holds.setdefault("difference from the rest", []).append(first.rest.low <= 0 <= first.rest.high)
                half = slice_difference(sliced(values[: 2 * size], shared), 0, 1, **known)
                holds.setdefault("two that share half", []).append(half.low <= 0 <= half.high)
                # Gaps are dealt out at random many times: a fifth of the trials is enough.
                for gap, step in (("mad", 0.0), ("mad", 0.1), ("range", 0.1)) if number % 5 == 0 else ():
                    moved = values + np.repeat(np.arange(4) * step, size)
                    apart = gap_test(sliced(moved, four), gap=gap, **known)
                    true = {"mad": 5 / 3, "range": 3.0}[gap] * step
                    what = f"gap ({gap}) of {true:.2g}"
                    holds.setdefault(what, []).append(apart.low <= true + 1e-12 and true <= apart.high + 1e-12)
            for what, held in holds.items():
                rows.setdefault(what, []).append(cell(float(np.mean(held)), len(held), LEVEL, at_most=False))
        for what, cells in rows.items():
            row(f"{what}, {name}", cells)


def slices(trials, queries=100, count=5):
    """Two equal systems in several slices: how often anything is significant in any of them."""
    random = np.random.default_rng(8)
    alarms = dict.fromkeys(("none", "holm"), 0)
    for _ in range(trials):
        inside = np.array_split(gains(random, 2, queries), count, axis=1)
        chances = p_values([Sample.of_values(one) for one in inside], [(0, 1)], "t", permutations=PERMUTATIONS, seed=7)
        for correction in alarms:
            alarms[correction] += corrected(chances.ravel(), correction).min() < 0.05
    for correction, found in alarms.items():
        say(f"any false alarm in {count} slices, {correction}, {queries} queries in all", found / trials, trials,
            0.05 if correction == "holm" else None)  # fmt: skip


def planning(trials, queries=50, margin=0.03):
    """What was planned: a system worse by the margin is called no worse, a detectable difference is found."""
    random = np.random.default_rng(6)
    rows = like_ndcg(random, trials, queries)
    called = [equivalences(one, [(0, 1)], margin)[0].no_worse < 0.05 for one in samples_of(rows - margin)]
    say(f"'no worse' of a system worse by the margin, {queries} queries", float(np.mean(called)), trials, 0.05)
    spread = float(np.diff(gains(random, 2, 200_000), axis=0).std())
    size = minimum_detectable(spread, queries)
    chances = p_values(samples_of(rows + size), [(0, 1)], "t", permutations=PERMUTATIONS, seed=8)[:, 0]
    say(
        f"a difference of the detectable size is found, {queries} queries (promised 0.80)",
        float((chances < 0.05).mean()),
        trials,
    )


def rough_values(trials):
    """Values of which a few queries outweigh the others: how often an interval without a note misses, and notes."""
    random = np.random.default_rng(10)
    kinds = {
        "90% ones": (lambda shape: (random.random(shape) < 0.9).astype(float), "mean", 0.9),
        "geometric, a tenth 0": (
            lambda shape: np.where(random.random(shape) < 0.1, 0.0, random.uniform(0.2, 1, shape)), "geometric",
            math.exp(0.1 * math.log(1e-5) + 0.9 * float(np.log(np.linspace(0.2, 1, 100_001)).mean()))),
        "like nDCG": (lambda shape: np.clip(random.normal(0.5, 0.28, shape), 0, 1), "mean", 0.5),
    }  # fmt: skip
    head(f"Intervals of values: coverage of all; wrong without a note (at most 0.05; {trials} trials)", SIZES)
    for name, (draw, aggregate, truth) in kinds.items():
        shown = {}
        for queries in SIZES:
            held = dict.fromkeys(("t", "hall", "bounded"), 0)
            wrong = 0
            for row_of_values in draw((trials, queries)):
                ones = np.ones(queries)
                values = Values(row_of_values, ones.astype(bool), row_of_values, ones)
                for method in held:
                    found = None if why_none(values, aggregate, LEVEL, method) else interval_of(
                        values, aggregate, level=LEVEL, method=method, resamples=RESAMPLES, seed=0, bounds=(0.0, 1.0)
                    )  # fmt: skip
                    holds = found is not None and found.low <= truth <= found.high
                    held[method] += holds
                    wrong += method == "t" and found is not None and not holds and not is_rough(values, aggregate)
            for method, count in held.items():
                shown.setdefault(f"{name}, {method}", []).append(f"{count / trials:.3f}")
            silent = cell(wrong / trials, trials, 0.05, at_most=True)
            shown.setdefault(f"{name}, t, wrong without a note", []).append(silent)
        for what, cells in shown.items():
            row(what, cells)


def relative_gates(trials):
    """A gate at exactly its limit: 'new < baseline - 20% significantly', the baseline being an estimate too."""
    random = np.random.default_rng(9)
    rows = {"new - 0.8 baseline": [], "the limit as if it were known": []}
    for queries in SIZES:
        base = np.clip(random.normal(0.5, 0.28, (trials, queries)), 0, 1)
        new = 0.8 * base + random.normal(0, 0.1, base.shape)
        hits = dict.fromkeys(rows, 0)
        for pair in np.stack([new, base], axis=1):
            sample = Sample.of_values(pair)
            moved = {"new - 0.8 baseline": sample.shifted(0, 1, 0.0, 0.8),
                     "the limit as if it were known": sample.shifted(0, 1, -0.2 * float(pair[1].mean()))}  # fmt: skip
            for name, values in moved.items():
                hits[name] += p_value(values, "t", alternative="less", permutations=PERMUTATIONS, seed=0) < 0.05
        for name, found in hits.items():
            rows[name].append(cell(found / trials, trials, 0.05, at_most=False))
    head(f"A significant gate 20% below the baseline, of a system exactly there ({trials} trials)", SIZES)
    for name, cells in rows.items():
        row(name, cells)


def over_several_tasks(trials):
    """A pooled difference over tasks with their queries and seeds: the coverage of its interval."""
    random = np.random.default_rng(11)
    designs = ((3, 1, 50), (6, 1, 50), (12, 1, 200), (12, 5, 1), (6, 3, 50), (12, 3, 50), (12, 5, 50), (30, 10, 50))
    worlds = {"tasks differ": (0.03, 0.0), "seeds differ": (0.0, 0.02), "both differ": (0.03, 0.02)}
    head(f"A difference over tasks x seeds x queries: coverage of 95% intervals ({trials} trials)",
         ["x".join(map(str, design)) for design in designs])  # fmt: skip
    for name, (of_tasks, of_seeds) in worlds.items():
        cells = {"tasks": [], "queries": [], "tasks, bootstrap": [], "queries, bootstrap": []}
        for tasks, seeds, queries in designs:
            holds = {what: [] for what in cells}
            for number in range(trials):
                effects = random.normal(0, of_tasks, tasks)
                # A single seed is the system itself: what others would do is not asked.
                drawn = random.normal(0, of_seeds, seeds) if seeds > 1 else np.zeros(1)
                rows = [
                    effect + drawn[:, None] + random.normal(0, 0.15, (1, queries)) * (queries > 1)
                    + random.normal(0, 0.05, (seeds, queries)) * (seeds > 1)
                    for effect in effects
                ]  # fmt: skip
                mean = float(np.mean([task.mean() for task in rows]))
                for what, too in (("tasks", True), ("queries", False)):
                    truth = 0.0 if too else float(effects.mean())
                    spread = over_tasks(rows) if too else over_queries(rows)
                    reach = t_quantile(LEVEL, spread.freedom) * math.sqrt(spread.variance)
                    holds[what].append(abs(mean - truth) <= reach)
                    if number % 10 == 0:
                        low, high = np.quantile(drawn_means_of_tasks(rows, 400, number, tasks_too=too), [0.025, 0.975])
                        holds[f"{what}, bootstrap"].append(low <= truth <= high)
            for what, held in holds.items():
                cells[what].append(cell(float(np.mean(held)), len(held), LEVEL, at_most=False))
        for what, shown in cells.items():
            row(f"{what}, {name}", shown)


def main(trials):
    tests(trials)
    coverage(trials)
    wider(trials)
    no_worse(trials)
    values_coverage(trials)
    families(trials // 2)
    found_pairs(trials // 5)
    best_groups(trials // 4)
    runs(trials)
    clusters(trials // 2)
    slices(trials)
    slice_intervals(trials * 5 // 2)
    planning(trials)
    relative_gates(trials)
    rough_values(trials // 2)
    over_several_tasks(trials)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
