"""What tuning is worth where all settings are equal: bias and coverage of the held-out value, error of its test.

    python benchmarks/fusion_simulation.py          600 trials a case: coverage known to +-0.009
    python benchmarks/fusion_simulation.py 2000     more

Every query has a level that all settings share, and every setting has its own luck on each query, so that no setting is
better than another and the true value is 0.5. Printed are how far the training value and the held-out value are above
the mean of all settings on the same queries (with the error of the latter), the coverage of a 95 % interval from the
spread of the values alone ("naive") and of the one of `rm.tune`, how often the test against a fixed setting is below
0.05, and how often a given setting is held to be inseparable from the best (at least 95 % is promised).
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np

from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.student import t_quantile
from rankmeter.wings.fusion.folds import chosen_outside, inseparable, linear_parts

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
    """Queries that share a part of their level and their luck, and are not parted."""


CASES = (
    Case(60, 20, 2, 0.2, 0.15), Case(60, 20, 5, 0.2, 0.15), Case(60, 20, 10, 0.2, 0.15), Case(60, 2, 5, 0.2, 0.15),
    Case(60, 100, 5, 0.2, 0.15), Case(60, 20, 5, 0.3, 0.05), Case(60, 20, 5, 0.0, 0.2), Case(300, 20, 5, 0.2, 0.15),
    Case(120, 20, 5, 0.2, 0.15, 4), Case(300, 20, 5, 0.2, 0.15, 5),
)  # fmt: skip


def main() -> None:
    """Print a line a case."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print(f"{trials} trials; all settings equal, true value {TRUE}")
    heads = "queries settings folds shared own group training held-out error naive tune p<.05 in-set".split()
    print(" ".join(f"{head:>8}" for head in heads))
    for case in CASES:
        found = np.array([trial(case, seed) for seed in range(trials)])
        bias, flattery, naive, covered, rejected, kept = found.mean(axis=0)
        numbers = (
            f"{flattery:+.4f}",
            f"{bias:+.4f}",
            f"{found[:, 0].std(ddof=1) / math.sqrt(trials):.4f}",
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
    value = TRUE + case.shared * drawn(random, 1, unit) + case.own * drawn(random, case.settings + 2, unit)
    settings = value[: case.settings]
    outside = chosen_outside(settings, value[-2:-1], value[-1:], unit, folds=case.folds, seed=seed,
                             order=range(case.settings), resamples=RESAMPLES)  # fmt: skip
    low, high = outside.alone.ends(0.95, tested=False)
    units = np.bincount(unit, outside.held_out) / np.bincount(unit)
    reach = t_quantile(0.95, len(units) - 1) * units.std(ddof=1) / math.sqrt(len(units))
    drawn_mean = float(settings.mean())  # that of the queries drawn: its noise is not what is asked
    bias = float(outside.held_out.mean()) - drawn_mean
    alike, _ = inseparable(linear_parts(settings, unit), 0.95, 400, seed)
    missed = abs(outside.held_out.mean() - TRUE)
    return (bias, float(settings.mean(axis=1).max()) - drawn_mean, missed <= reach, bool(low[0] <= TRUE <= high[0]),
            bool(outside.against.p()[1] < 0.05), bool(alike[0]))  # fmt: skip


def drawn(random: np.random.Generator, rows: int, unit: Ints) -> Floats:
    """``(rows, n)`` normal numbers, of whose variance queries of one group share 64 %."""
    own = random.standard_normal((rows, len(unit)))
    if len(np.unique(unit)) == len(unit):
        return own
    return 0.6 * own + 0.8 * random.standard_normal((rows, unit.max() + 1))[:, unit]


if __name__ == "__main__":
    main()
