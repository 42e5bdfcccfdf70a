"""How often the intervals of assisted values hold: few human judgments, machine judgments everywhere.

    python benchmarks/judging_simulation.py             4,000 trials: coverage known to +-0.007
    python benchmarks/judging_simulation.py 1000        fewer

1. Whole queries. 500 queries, of which people judge 20, 50 or 100; values lie in 0..1 with lumps at both ends, as
nDCG@10 has. Five kinds of judge: a good and a mediocre one, one that is biased (lenient, compresses the scale, favours
a system), one that is uncorrelated, one that is reversed. Each cell: coverage of a 95 % interval (mean width over that
of people alone).

2. Single items. 200 queries with 30 items, a lenient machine (quadratic kappa 0.68): the same number of human
judgments, spent on the whole pools of 20 queries or on single items of all queries. A quarter of the trials.

3. A judge that is almost always right and else too kind, which few judged queries show: 4,000 queries, or items.

4. Traps: queries that were not drawn at random, and lists that differ on some queries only.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rankmeter.wings.judging.estimators import (
    Estimated,
    Target,
    best_chances,
    estimated,
    people_only,
    spread_of_queries,
    tuned,
    where_lists_differ,
)

Floats = npt.NDArray[np.float64]
QUERIES = 500
JUDGED = (20, 50, 100)
CENTRE, GAIN, SPREAD = 0.45, 0.03, 0.28
AT_ONCE = 500
METHODS = ("people", "machine", "fixed", "published", "tuned", "cross-fitted")


@dataclass(frozen=True)
class Judge:
    """How the value that a machine gives a query relates to that of people."""

    name: str
    correlation: float
    shift: float = 0.0
    scale: float = 1.0
    favours_a: float = 0.0


JUDGES = (
    Judge("good", 0.8),
    Judge("mediocre", 0.5),
    Judge("biased", 0.8, shift=0.20, scale=0.6, favours_a=0.05),
    Judge("adversarial", 0.0, shift=0.10, favours_a=0.05),
    Judge("reversed", -0.5, shift=0.10, favours_a=0.05),
)


def clipped_mean(centre: float, spread: float) -> float:
    """The mean of a normal value that is cut off at 0 and 1."""
    low, high = -centre / spread, (1 - centre) / spread
    density = [math.exp(-end * end / 2) / math.sqrt(2 * math.pi) for end in (low, high)]
    inside = float(ndtr(high) - ndtr(low))
    return centre * inside + spread * (density[0] - density[1]) + 1 - float(ndtr(high))


def values(rng: np.random.Generator, trials: int, judge: Judge) -> tuple[Floats, Floats, Floats, Floats]:
    """(trials, queries) of people and machine for system A, then for B, which is better by GAIN before clipping."""
    shape = (trials, QUERIES)
    hard, seen_hard = rng.standard_normal(shape), rng.standard_normal(shape)
    made = []
    for gain, favour in ((0.0, judge.favours_a), (GAIN, 0.0)):
        own = 0.8 * hard + 0.6 * rng.standard_normal(shape)
        noise = 0.8 * seen_hard + 0.6 * rng.standard_normal(shape)
        seen = judge.correlation * own + math.sqrt(1 - judge.correlation**2) * noise
        made.append(np.clip(CENTRE + gain + SPREAD * own, 0, 1))
        made.append(np.clip(CENTRE + gain + judge.shift + favour + judge.scale * SPREAD * seen, 0, 1))
    return made[0], made[1], made[2], made[3]


def fixed(
    y: Floats, f: Floats, f_all: Floats, *, weight: float = 1.0, level: float = 0.95, target: Target = "population"
) -> Estimated:
    """A weight that was chosen before anybody looked; 1 is prediction-powered inference as first published."""
    many, total = y.shape[-1], f_all.shape[-1]
    value = y.mean(-1) + weight * (f_all.mean(-1) - f.mean(-1))
    variance = (1 / many - 1 / total) * (y - weight * f).var(-1, ddof=1) + spread_of_queries(y, total, target)
    return estimated(value, variance, many - 1, level, weight)


def cross_fitted(
    y: Floats, f: Floats, f_all: Floats, *, level: float = 0.95, target: Target = "population"
) -> Estimated:
    """Each judged query is corrected with the slope of the others: for a machine that was trained on the labels."""
    many, total = y.shape[-1], f_all.shape[-1]
    others = many - 1
    sum_f, sum_y = f.sum(-1, keepdims=True) - f, y.sum(-1, keepdims=True) - y
    spread = (f * f).sum(-1, keepdims=True) - f * f - sum_f**2 / others
    together = (f * y).sum(-1, keepdims=True) - f * y - sum_f * sum_y / others
    weight = np.where(spread > 1e-12, np.maximum(together / np.maximum(spread, 1e-12), 0.0), 0.0)
    corrected = y - weight * (f - f_all.mean(-1, keepdims=True))
    variance = (1 / many - 1 / total) * corrected.var(-1, ddof=1) + spread_of_queries(y, total, target)
    return estimated(corrected.mean(-1), variance, many - 1, level, weight.mean(-1))


def published(y: Floats, f: Floats, f_rest: Floats, *, weight: float | None = None, level: float = 0.95) -> Estimated:
    """PPI++ as ppi_py 0.2.3 computes it, to compare with: normal quantile, a weight within 0..1, unjudged apart.

    Its weight is (N - n) / N of the one here. With few judged queries its intervals are too short.
    """
    many, rest = y.shape[-1], f_rest.shape[-1]
    lam: Any = weight
    if weight is None:
        together = ((y - y.mean(-1, keepdims=True)) * (f - f.mean(-1, keepdims=True))).mean(-1)
        spread = np.concatenate([f, f_rest], -1).var(-1, ddof=1)
        lam = np.clip(together / ((1 + many / rest) * spread), 0, 1)
    value = y.mean(-1) + lam * (f_rest.mean(-1) - f.mean(-1))
    variance = lam**2 * f_rest.var(-1) / rest + (y - np.asarray(lam)[..., None] * f).var(-1) / many
    return estimated(value, variance, None, level, lam)


def items_per_query(
    weight: Floats, machine: Floats, human: Floats, drawn: npt.NDArray[np.bool_], chance: Floats
) -> Floats:
    """(..., queries) the value of each query under a linear measure, single items being judged by people.

    sum w f + sum over drawn w (g - f) / chance. All are (..., queries, items); ``human`` is any number where not drawn.
    An item that counts needs a chance of being judged.
    """
    with np.errstate(all="ignore"):
        correction = np.where(drawn & (weight != 0), weight * (human - machine) / chance, 0.0)
    return np.asarray((weight * machine).sum(-1) + correction.sum(-1))


def estimates(people: Floats, machine: Floats, judged: int) -> dict[str, Estimated]:
    """Every estimator, the first queries being those that people judged."""
    y, f = people[:, :judged], machine[:, :judged]
    return {
        "people": people_only(y), "machine": people_only(machine), "fixed": fixed(y, f, machine),
        "published": published(y, f, machine[:, judged:]), "tuned": tuned(y, f, machine),
        "cross-fitted": cross_fitted(y, f, machine),
        "people, these": people_only(y, QUERIES, target="queries"),
        "tuned, these": tuned(y, f, machine, target="queries"),
    }  # fmt: skip


def simulate(
    trials: int, *, seed: int = 0, judges: tuple[Judge, ...] = JUDGES
) -> dict[tuple[str, str, int, str], tuple[float, float]]:
    """Coverage and mean width, by judge, what is estimated (mean, difference), queries judged and estimator."""
    mean_a, mean_b = clipped_mean(CENTRE, SPREAD), clipped_mean(CENTRE + GAIN, SPREAD)
    table = {}
    for judge in judges:
        rng = np.random.default_rng(seed)
        parts: dict[tuple[str, int, str], list[Floats]] = {}
        for start in range(0, trials, AT_ONCE):
            y_a, f_a, y_b, f_b = values(rng, min(AT_ONCE, trials - start), judge)
            aims = (("mean", y_a, f_a, mean_a), ("difference", y_b - y_a, f_b - f_a, mean_b - mean_a))
            for what, people, machine, aim in aims:
                here = people.mean(-1)
                for judged in JUDGED:
                    for name, made in estimates(people, machine, judged).items():
                        target = here if name.endswith("these") else aim
                        held = (made.low <= target) & (target <= made.high)
                        parts.setdefault((what, judged, name), []).append(np.stack([held, made.high - made.low]))
        for (what, judged, name), rows in parts.items():
            held, width = np.concatenate(rows, 1).mean(1)
            table[judge.name, what, judged, name] = (float(held), float(width))
    return table


def show(table: dict[tuple[str, str, int, str], tuple[float, float]], trials: int) -> None:
    """Print coverage and width over people's."""
    print(f"{QUERIES} queries, 95% intervals, {trials} trials: coverage (width over that of people alone)")
    print(f"{'judge':13s}{'what':12s}{'judged':>6s}  " + "".join(f"{name:>15s}" for name in METHODS))
    for judge in JUDGES:
        for what in ("mean", "difference"):
            for judged in JUDGED:
                base = table[judge.name, what, judged, "people"][1]
                cells = [table[judge.name, what, judged, name] for name in METHODS]
                row = "".join(f"{f'{held:.3f} ({width / base:.2f})':>15s}" for held, width in cells)
                print(f"{judge.name:13s}{what:12s}{judged:6d}  {row}")
    print(f"\nThe mean of these {QUERIES} queries: coverage of people, of tuned (width over people's)")
    for judge in JUDGES:
        for what in ("mean", "difference"):
            cells = []
            for judged in JUDGED:
                people, both = (table[judge.name, what, judged, f"{name}, these"] for name in ("people", "tuned"))
                cells.append(f"n={judged}: {people[0]:.3f} {both[0]:.3f} ({both[1] / people[1]:.2f})")
            print(f"{judge.name:13s}{what:12s}" + "   ".join(cells))


CONFUSION = np.array(
    [[0.70, 0.22, 0.07, 0.01], [0.15, 0.50, 0.28, 0.07], [0.04, 0.20, 0.46, 0.30], [0.01, 0.05, 0.24, 0.70]]
)
"""Row: the grade by people, column: the machine's."""
DEPTH, ITEMS, POOLED_QUERIES, WHOLE_POOLS = 10, 30, 200, 20
GAINS = {"P@10": np.array([0, 0, 1, 1.0]), "DCG@10": np.array([0, 1, 2, 3.0]), "nDCG@10": np.array([0, 1, 2, 3.0])}
FLOOR = 0.05


@dataclass(frozen=True)
class Items:
    """Grades, and the ranks of two systems, each (queries, items)."""

    human: npt.NDArray[np.int64]
    machine: npt.NDArray[np.int64]
    ranks: dict[str, npt.NDArray[np.int64]]


def items(rng: np.random.Generator, queries: int) -> Items:
    """Made-up grades; system B sees a little more than A."""
    worth = rng.normal(0, 0.7, (queries, 1)) + rng.standard_normal((queries, ITEMS))
    human = np.digitize(worth, [0.4, 1.1, 1.9])
    machine = (rng.random((queries, ITEMS, 1)) > CONFUSION.cumsum(1)[human][..., :-1]).sum(-1)
    ranks = {
        name: np.argsort(np.argsort(-(worth + rng.normal(0, noise, worth.shape)), 1), 1) + 1
        for name, noise in (("A", 1.0), ("B", 0.9))
    }
    return Items(human, machine, ranks)


def weights(ranks: npt.NDArray[np.int64], measure: str) -> Floats:
    """What a gain of 1 adds at each rank."""
    discount = 1 / DEPTH if measure == "P@10" else 1 / np.log2(ranks + 1.0)
    return np.where(ranks <= DEPTH, discount, 0.0)


def value(grades: npt.NDArray[np.int64], ranks: npt.NDArray[np.int64], measure: str) -> Floats:
    """Of each query."""
    got = (weights(ranks, measure) * GAINS[measure][grades]).sum(-1)
    if measure != "nDCG@10":
        return np.asarray(got)
    best = (-np.sort(-grades, -1)[..., :DEPTH] / np.log2(np.arange(2, DEPTH + 2))).sum(-1)
    return np.asarray(np.divide(got, best, out=np.zeros(got.shape), where=best > 0))


def of_system(what: str, each: dict[str, Floats]) -> Floats:
    """The value of A, or by how much B is better."""
    return each["A"] if what == "A" else each["B"] - each["A"]


def item_estimates(world: Items, measure: str, what: str, coin: Floats, errors: Floats) -> dict[str, Estimated]:
    """Every way to spend as many judgments as the pools of the first queries have items."""
    pooled = (world.ranks["A"] <= DEPTH) | (world.ranks["B"] <= DEPTH)
    budget = float(pooled[:WHOLE_POOLS].sum())
    uniform = np.where(pooled, budget / pooled.sum(), 0.0)
    grades = {"people": world.human, "machine": world.machine,
              "patched": np.where(coin < uniform, world.human, world.machine)}  # fmt: skip
    by = {
        name: of_system(what, {system: value(given, ranks, measure) for system, ranks in world.ranks.items()})
        for name, given in grades.items()
    }
    few = {name: by[name][:WHOLE_POOLS] for name in ("people", "machine")}
    made = {
        "machine only": people_only(by["machine"]), "machine patched": people_only(by["patched"]),
        "pools, people only": people_only(few["people"]),
        "pools, tuned": tuned(few["people"], few["machine"], by["machine"]),
    }  # fmt: skip
    if measure == "nDCG@10":
        return made
    weight = of_system(what, {system: weights(ranks, measure) for system, ranks in world.ranks.items()})
    human, machine = GAINS[measure][world.human], GAINS[measure][world.machine]
    best = best_chances(np.abs(weight) * errors[world.machine], budget)
    for name, guess, chance in (
        ("items, people only", 0 * machine, uniform), ("items, uniform chances", machine, uniform),
        ("items, best chances", machine, best),
    ):  # fmt: skip
        made[name] = people_only(items_per_query(weight, guess, human, coin < chance, chance))
    return made


def simulate_items(trials: int, *, seed: int = 1) -> dict[tuple[str, str, str], tuple[float, float, float]]:
    """Coverage, mean width and bias, by measure, what is estimated and how."""
    large = items(np.random.default_rng(99), 100_000)
    back = CONFUSION * (np.bincount(large.human.ravel(), minlength=4) / large.human.size)[:, None]
    back /= back.sum(0)
    rng = np.random.default_rng(seed)
    aims, errors = {}, {}
    for measure, gain in GAINS.items():
        errors[measure] = np.sqrt((back * (gain[:, None] - gain[None, :]) ** 2).sum(0)) + FLOOR
        each = {system: value(large.human, ranks, measure) for system, ranks in large.ranks.items()}
        aims |= {(measure, what): float(of_system(what, each).mean()) for what in ("A", "B - A")}
    parts: dict[tuple[str, str, str], list[tuple[float, float, float]]] = {}
    for _ in range(trials):
        world = items(rng, POOLED_QUERIES)
        coin = rng.random(world.human.shape)
        for (measure, what), aim in aims.items():
            for name, made in item_estimates(world, measure, what, coin, errors[measure]).items():
                row = float(made.low <= aim <= made.high), float(made.high - made.low), float(made.value - aim)
                parts.setdefault((measure, what, name), []).append(row)
    return {key: tuple(np.mean(rows, 0).tolist()) for key, rows in parts.items()}  # type: ignore[misc]


def show_items(table: dict[tuple[str, str, str], tuple[float, float, float]], trials: int) -> None:
    """Print coverage, width over that of the people's pools, and bias."""
    print(f"\n20 whole pools, or as many single items of all 200 queries, {trials} trials: coverage (width; bias)")
    columns = [(measure, what) for measure in GAINS for what in ("A", "B - A")]
    print(f"{'':24s}" + "".join(f"{f'{measure} {what}':>24s}" for measure, what in columns))
    for name in dict.fromkeys(name for _, _, name in table):
        cells = []
        for measure, what in columns:
            if (measure, what, name) not in table:
                cells.append("-")
                continue
            held, width, bias = table[measure, what, name]
            cells.append(f"{held:.3f} ({width / table[measure, what, 'pools, people only'][1]:.2f}; {bias:+.3f})")
        print(f"{name:24s}" + "".join(f"{cell:>24s}" for cell in cells))


def show_almost_right(trials: int, *, seed: int = 7) -> None:
    """Print coverage, and width over that of people alone; the judge is wrong on a small share, always upwards."""
    print("\nA judge that is right but for a share of the queries, on which it says 1; 4,000 queries")
    print(f"{'judged':>8s} {'wrong':>6s} {'target':>11s} {'plain t':>8s} {'tuned':>7s} {'width':>6s}")
    aim = float(np.clip(np.random.default_rng(9).normal(0.45, 0.3, 4_000_000), 0, 1).mean())
    rng = np.random.default_rng(seed)
    for judged in (20, 50, 100, 200):
        for wrong in (0.02, 0.05, 0.1, 0.2):
            kept: dict[Target, list[tuple[float, float, float]]] = {"population": [], "queries": []}
            for start in range(0, trials, 100):
                y = np.clip(rng.normal(0.45, 0.3, (min(100, trials - start), 4000)), 0, 1)
                f = np.where(rng.random(y.shape) < wrong, 1.0, y)
                for target, rows in kept.items():
                    truth = y.mean(axis=1) if target == "queries" else np.full(len(y), aim)
                    made = tuned(y[:, :judged], f[:, :judged], f, target=target)
                    people = people_only(y[:, :judged], 4000, target=target)
                    few = judged - 2
                    rest = f.mean(-1) - f[:, :judged].mean(-1) + y[:, :judged].mean(-1)
                    spread = (y - f)[:, :judged].var(-1, ddof=1) * (1 / judged - 1 / 4000)
                    plain = estimated(rest, spread + spread_of_queries(y[:, :judged], 4000, target), few, 0.95)
                    held = [(each.low <= truth) & (truth <= each.high) for each in (plain, made)]
                    rows += zip(*held, (made.high - made.low) / (people.high - people.low), strict=True)
            for target, rows in kept.items():
                before, now, width = np.mean(rows, axis=0)
                print(f"{judged:8d} {wrong:6.2f} {target:>11s} {before:8.3f} {now:7.3f} {width:6.2f}")


def simulate_traps(trials: int, *, seed: int = 5) -> dict[tuple[str, int], tuple[float, float]]:
    """Coverage of people and of tuned where queries were not drawn at random, and where lists differ on a fifth."""
    aim = clipped_mean(CENTRE, SPREAD)
    gap = (clipped_mean(CENTRE + GAIN, SPREAD) - aim) / 5
    hits: dict[tuple[str, int], list[Floats]] = {}
    for judged in JUDGED[:2]:
        rng = np.random.default_rng(seed)
        for start in range(0, trials, AT_ONCE):
            y_a, f_a, y_b, f_b = values(rng, min(AT_ONCE, trials - start), JUDGES[0])
            made: dict[str, tuple[float, Estimated, Estimated]] = {}
            for name, by in (("bad to the machine", f_a), ("bad", y_a)):
                order = np.argsort(by + rng.normal(0, 0.3, by.shape), 1)[:, :judged]
                y, f = np.take_along_axis(y_a, order, 1), np.take_along_axis(f_a, order, 1)
                made[f"judged first: what is {name}"] = aim, people_only(y), tuned(y, f, f_a)
            y, f = y_b - y_a, f_b - f_a
            some = QUERIES // 5
            mask = rng.permuted(np.broadcast_to(np.arange(QUERIES) < some, y.shape), axis=1)
            all_y, all_f = np.where(mask, y, 0), np.where(mask, f, 0)
            made["lists differ on a fifth, judged at random"] = (
                gap, people_only(all_y[:, :judged]), tuned(all_y[:, :judged], all_f[:, :judged], all_f),
            )  # fmt: skip
            among = y[:, :judged], f[:, :judged], f[:, :some]
            nothing = among[0], 0 * among[1], 0 * among[2]
            made["lists differ on a fifth, those judged"] = (
                gap, where_lists_differ(*nothing, QUERIES), where_lists_differ(*among, QUERIES),
            )  # fmt: skip
            for name, (truth, *both) in made.items():
                held = np.stack([(one.low <= truth) & (truth <= one.high) for one in both])
                hits.setdefault((name, judged), []).append(held)
    return {key: tuple(np.concatenate(rows, 1).mean(1).tolist()) for key, rows in hits.items()}  # type: ignore[misc]


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    show(simulate(count), count)
    show_items(simulate_items(max(count // 4, 1)), max(count // 4, 1))
    show_almost_right(count)
    print(f"\nTraps, {count} trials: coverage of people, of tuned")
    for (name, judged), (people, both) in simulate_traps(count).items():
        print(f"{name:44s}{judged:4d}  {people:.3f} {both:.3f}")
