"""How often the intervals of rankmeter.stats.assisted hold: few human judgments, machine judgments everywhere.

    python benchmarks/judging_simulation.py             4,000 trials: coverage known to +-0.007
    python benchmarks/judging_simulation.py 1000        fewer

500 queries, of which people judge 20, 50 or 100; values lie in 0..1 with lumps at both ends, as nDCG@10 has. Five kinds
of judge: a good and a mediocre one, one that is biased (lenient, compresses the scale, favours a system), one that is
uncorrelated, one that is reversed. Each cell: coverage of a 95 % interval (mean width over that of people alone).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from rankmeter.stats.assisted import Estimated, cross_fitted, fixed, people_only, published, tuned

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


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    show(simulate(count), count)
