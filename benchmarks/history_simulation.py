"""How often a history raises a false alarm, and which slides it sees.

    python benchmarks/history_simulation.py             1,000 histories of 100 looks a cell: shares known to +-0.014
    python benchmarks/history_simulation.py 100         fewer

1. Nothing changes: the same system is measured 100 times, with noise (other seeds, other shards), against the first
measurement. How many histories have an alarm at all, by the rule of `rm.History` and by testing each look at 5 %.

2. A slide: eight steps, each of which makes every tenth query a little worse. How many histories are told to be worse
after the eighth, by the comparison with the reference, and how many have any alarm when each step is tested against
the one before (at the same shares of the error, and at 5 %).

Three kinds of values: graded (as nDCG@10 has, lumps at both ends), reciprocal ranks, hits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt

from rankmeter.wings.results.history_entries import HistoryEntry, RecordedMeasure
from rankmeter.wings.results.history_lines import HistorySeries, series_of, share_of_error

Floats = npt.NDArray[np.float64]
Kind = Callable[[Floats], Floats]
START = datetime(2026, 1, 1, tzinfo=UTC)
LOOKS, STEPS, LEVEL = 100, 8, 0.95
KINDS: dict[str, Kind] = {
    "graded": lambda strength: np.clip(strength, 0, 1),
    "reciprocal": lambda strength: 1 / np.ceil(np.clip(12 * (1 - strength), 1, 100)),
    "hits": lambda strength: (strength > 0.5).astype(np.float64),
}
"""Values of queries from how strong the system is on them."""


def series(measured: list[Floats]) -> HistorySeries:
    """A history of these values per query, of one system and measure."""
    queries = tuple(map(str, range(len(measured[0]))))
    entries = [
        HistoryEntry(
            "made", START + timedelta(days=day), (RecordedMeasure("RR", "RR", float(values.mean()), {}),),
            queries, {"RR": values}, returned=1, name=f"{day:03}",
        )
        for day, values in enumerate(measured)
    ]  # fmt: skip
    return series_of(entries, [], LEVEL)[0]


def unchanged(
    rng: np.random.Generator, kind: Kind, queries: int, looks: int = LOOKS, noise: float = 0.15
) -> list[Floats]:
    """The same system again and again: noise moves a fifth of the queries each time."""
    base = rng.normal(0.5, 0.45, queries)
    return [kind(base + (rng.random(queries) < 0.2) * rng.normal(0, noise, queries)) for _ in range(looks + 1)]


def slide(rng: np.random.Generator, kind: Kind, queries: int, loss: float = 0.25, noise: float = 0.15) -> list[Floats]:
    """Eight steps, each of which weakens every tenth query."""
    strength = rng.normal(0.5, 0.45, queries)
    measured = [strength]
    for _ in range(STEPS):
        strength = strength - (rng.random(queries) < 0.1) * loss
        measured.append(strength)
    return [kind(one + (rng.random(queries) < 0.2) * rng.normal(0, noise, queries)) for one in measured]


def false_alarms(kind: str, queries: int, trials: int, seed: int = 0) -> tuple[float, float]:
    """The shares of histories with an alarm: by the rule, and with each look at 5 %."""
    rng = np.random.default_rng([seed, queries, list(KINDS).index(kind)])
    found = [series(unchanged(rng, KINDS[kind], queries)).points for _ in range(trials)]
    ruled = sum(any(point.is_change for point in points) for points in found)
    naive = sum(any(point.p < 1 - LEVEL for point in points) for points in found)
    return ruled / trials, naive / trials


def seen(kind: str, queries: int, trials: int, seed: int = 0) -> tuple[float, float, float]:
    """The shares of slides that are told: at the end by the reference, and by any single step (ruled, at 5 %)."""
    rng = np.random.default_rng([seed, queries, 7 + list(KINDS).index(kind)])
    at_end = by_rule = by_step = 0
    for _ in range(trials):
        measured = slide(rng, KINDS[kind], queries)
        at_end += series(measured).last.verdict == "worse"
        steps = [series(measured[at : at + 2]).last for at in range(STEPS)]
        falls = [(look, step.p) for look, step in enumerate(steps, 1) if step.difference < 0]
        by_rule += any(p < (1 - LEVEL) * share_of_error(look) for look, p in falls)
        by_step += any(p < 1 - LEVEL for _, p in falls)
    return at_end / trials, by_rule / trials, by_step / trials


def main() -> None:
    """Print both tables."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"{'values':12}{'queries':>8}{'alarm in 100 looks':>20}{'each look at 5 %':>18}")
    for kind in KINDS:
        for queries in (50, 200, 1000):
            ruled, naive = false_alarms(kind, queries, trials)
            print(f"{kind:12}{queries:8}{ruled:20.3f}{naive:18.3f}")
    print(f"\n{'values':12}{'queries':>8}{'slide of 8 told':>20}{'by a step, ruled':>18}{'by a step, 5 %':>18}")
    for kind in KINDS:
        for queries in (50, 200, 1000):
            at_end, by_rule, by_step = seen(kind, queries, trials)
            print(f"{kind:12}{queries:8}{at_end:20.3f}{by_rule:18.3f}{by_step:18.3f}")


if __name__ == "__main__":
    main()
