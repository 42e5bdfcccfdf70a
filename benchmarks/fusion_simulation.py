"""What tuning is worth where all settings are equal: bias and coverage of the held-out value, error of its test.

    python benchmarks/fusion_simulation.py          600 trials a case: coverage known to +-0.009
    python benchmarks/fusion_simulation.py 2000     more

Every query has a level that all settings share, and every setting has its own luck on each query, so that no setting is
better than another and the true value is 0.5. Printed are how far the training value flatters, the bias of the held-out
value, the coverage of a 95 % interval from the spread of the values alone ("naive") and of the one of `rm.tune`,
how often the test against a fixed setting is below 0.05, and how often a given setting is held to be inseparable from
the best (at least 95 % is promised).
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

from rankmeter.stats.student import t_quantile
from rankmeter.wings.fusion.folds import chosen_outside, inseparable

TRUE, RESAMPLES = 0.5, 100


class Case(NamedTuple):
    """One kind of data."""

    queries: int
    settings: int
    folds: int
    shared: float
    """The spread of the levels of queries."""
    own: float
    """The spread of a setting's luck on a query."""
    group: int = 1
    """Queries that share a part of their luck, and are not parted."""


CASES = (
    Case(60, 20, 2, 0.2, 0.15), Case(60, 20, 5, 0.2, 0.15), Case(60, 20, 10, 0.2, 0.15), Case(60, 2, 5, 0.2, 0.15),
    Case(60, 100, 5, 0.2, 0.15), Case(60, 20, 5, 0.3, 0.05), Case(60, 20, 5, 0.0, 0.2), Case(300, 20, 5, 0.2, 0.15),
    Case(120, 20, 5, 0.2, 0.15, 4),
)  # fmt: skip


def main() -> None:
    """Print a line a case."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print(f"{trials} trials; all settings equal, true value {TRUE}")
    heads = ("queries", "settings", "folds", "shared", "own", "group", "training", "held-out", "naive", "tune", "p<.05",
             "in set")  # fmt: skip
    print(" ".join(f"{head:>8}" for head in heads))
    for case in CASES:
        found = np.array([trial(case, seed) for seed in range(trials)])
        bias, flattery, naive, covered, rejected, kept = found.mean(axis=0)
        numbers = (
            f"{flattery:+.4f}",
            f"{bias:+.4f}",
            f"{naive:.3f}",
            f"{covered:.3f}",
            f"{rejected:.3f}",
            f"{kept:.3f}",
        )
        print(" ".join(f"{number!s:>8}" for number in (*case, *numbers)), flush=True)


def trial(case: Case, seed: int) -> tuple[float, ...]:
    """Bias, flattery, covered by the naive and by our interval, rejected, kept in the set."""
    random = np.random.default_rng(seed)
    unit = np.arange(case.queries) // case.group
    luck = random.normal(0, case.own, (case.settings + 2, case.queries))
    if case.group > 1:
        luck = luck * 0.6 + 0.8 * random.normal(0, case.own, (case.settings + 2, unit.max() + 1))[:, unit]
    value = random.normal(TRUE, case.shared, (1, case.queries)) + luck
    settings = value[: case.settings]
    outside = chosen_outside(settings, value[-2:-1], value[-1:], unit, folds=case.folds, seed=seed,
                             order=range(case.settings), resamples=RESAMPLES)  # fmt: skip
    low, high = outside.alone.ends(0.95, tested=False)
    units = np.bincount(unit, outside.held_out) / np.bincount(unit)
    reach = t_quantile(0.95, len(units) - 1) * units.std(ddof=1) / math.sqrt(len(units))
    bias = float(outside.held_out.mean()) - TRUE
    alike, _ = inseparable(settings, 0.95, 400, seed)
    return (bias, float(settings.mean(axis=1).max()) - TRUE, abs(bias) <= reach, bool(low[0] <= TRUE <= high[0]),
            bool(outside.against.p()[1] < 0.05), bool(alike[0]))  # fmt: skip


if __name__ == "__main__":
    main()
