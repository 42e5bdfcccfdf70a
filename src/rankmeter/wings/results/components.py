"""Where the variance of a difference over tasks comes from: tasks, queries within them, seeds.

A task is a ``(seeds, queries)`` array of differences; the same seeds run on every task (crossed), and each query
belongs to one task (nested). Variances of means are sums of mean squares (Searle, Casella & McCulloch 1992), their
degrees of freedom those of Satterthwaite (1946). A component that comes out below 0 counts as 0, which never makes an
interval shorter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankmeter.late import special
from rankmeter.placing.placements import Floats
from rankmeter.stats.student import SAME, Contrasts, without_noise
from rankmeter.wings.results.task_statistics import drawn_twice


@dataclass(frozen=True, slots=True)
class MeanError:
    """The variance of a mean, and its parts."""

    variance: float
    freedom: float
    parts: Mapping[str, float] = field(default_factory=dict)
    """How much of it comes from tasks, queries, seeds; they sum to it."""


def mean_squares(table: Floats) -> tuple[float, float, float]:
    """The mean squares of rows, of columns, and of what is left, of a table without repeats.

    >>> mean_squares(np.array([[1.0, 2.0], [3.0, 6.0]]))
    (9.0, 4.0, 1.0)
    """
    rows, columns = table.shape
    by_row, by_column, mean = table.mean(axis=1), table.mean(axis=0), table.mean()
    left = table - by_row[:, None] - by_column[None, :] + mean
    return (
        columns * float(((by_row - mean) ** 2).sum()) / max(rows - 1, 1),
        rows * float(((by_column - mean) ** 2).sum()) / max(columns - 1, 1),
        float((left**2).sum()) / max((rows - 1) * (columns - 1), 1),
    )


def _sum_of(terms: Sequence[tuple[float, float]]) -> float:
    """Satterthwaite's degrees of freedom of a sum of ``(term, its degrees of freedom)``; terms may be subtracted."""
    below = math.fsum(term**2 / freedom for term, freedom in terms if freedom > 0)
    return math.fsum(term for term, _ in terms) ** 2 / below if below > 0 else 0.0


def over_queries(tasks: Sequence[Floats]) -> MeanError:
    """The spread of the mean of these tasks' means, when their queries and the seeds are drawn again."""
    count, seeds = len(tasks), len(tasks[0])
    of_queries = [
        (float(task.mean(axis=0).var(ddof=1)) / task.shape[1] / count**2, task.shape[1] - 1.0)
        for task in tasks
        if task.shape[1] > 1
    ]
    drawn = math.fsum(term for term, _ in of_queries)
    if seeds < 2:
        return MeanError(drawn, _sum_of(of_queries), {"queries": drawn})
    of_seeds = float(np.mean([task.mean(axis=1) for task in tasks], axis=0).var(ddof=1)) / seeds
    # Queries that answer differently to every seed are in both terms.
    both = [
        (mean_squares(task)[2] / task.size / count**2, (seeds - 1.0) * (task.shape[1] - 1))
        for task in tasks
        if task.shape[1] > 1
    ]
    more = of_seeds - math.fsum(term for term, _ in both)
    if more <= 0:
        return MeanError(drawn, _sum_of(of_queries), {"queries": drawn, "seeds": 0.0})
    terms = [*of_queries, (of_seeds, seeds - 1.0), *((-term, freedom) for term, freedom in both)]
    return MeanError(drawn + more, _sum_of(terms), {"queries": drawn, "seeds": more})


def over_tasks(tasks: Sequence[Floats]) -> MeanError:
    """The spread of the mean of the tasks' means, when tasks are drawn again, with queries of their own, and seeds."""
    means = np.stack([task.mean(axis=1) for task in tasks])
    count, seeds = means.shape
    of_tasks, of_seeds, left = mean_squares(means)
    variance, freedom, parts = of_tasks / means.size, count - 1.0, dict[str, float]()
    if seeds > 1:
        parts["seeds"] = max(of_seeds - left, 0.0) / means.size
        if parts["seeds"]:
            variance += parts["seeds"]
            freedom = _sum_of(
                [(of_tasks, count - 1.0), (of_seeds, seeds - 1.0), (-left, (count - 1.0) * (seeds - 1.0))]
            )
    if all(task.shape[1] > 1 for task in tasks):
        drawn = over_queries([task.mean(axis=0, keepdims=True) for task in tasks]).variance
        parts["queries"] = min(drawn, variance - parts.get("seeds", 0.0))
    return MeanError(variance, freedom, {"tasks": variance - math.fsum(parts.values()), **parts})


def contrast(mean: float, spread: MeanError, units: Floats) -> Contrasts:
    """The mean with its error, as tests of pairs know it; ``units`` are the differences that are drawn."""
    one = Contrasts.of_rows(units[None])
    error = math.sqrt(spread.variance)
    if error <= SAME * max(abs(mean), 1.0):
        error = 0.0
    gap = without_noise(np.array([[mean]]))[0]
    return Contrasts(gap, np.array([error]), np.array([spread.freedom]), one.floor, one.floor_moved)


@dataclass(frozen=True, slots=True)
class Heterogeneity:
    """Whether the difference itself changes from task to task, beyond what their queries and seeds make of it."""

    p: float
    """Welch (1951) test of equal means."""
    deviation: float
    """The standard deviation of the true differences."""
    share: float
    """Of the variance between the measured differences, how much is theirs (I squared)."""


def heterogeneity(means: Floats, spreads: Sequence[MeanError]) -> Heterogeneity | None:
    """Of the tasks' differences with their own errors; None where one has none."""
    errors = np.array([one.variance for one in spreads])
    freedoms = np.array([one.freedom for one in spreads])
    if len(means) < 2 or not (errors > 0).all() or not (freedoms > 0).all():
        return None
    within = float(errors.mean())
    between = max(float(means.var(ddof=1)) - within, 0.0)
    weights = 1 / errors
    share = weights / weights.sum()
    centre = float((share * means).sum())
    lost = float(((1 - share) ** 2 / freedoms).sum())
    count = len(means)
    above = float((weights * (means - centre) ** 2).sum()) / (count - 1)
    f = above / (1 + 2 * (count - 2) / (count**2 - 1) * lost)
    p = float(special.fdtrc(count - 1, (count**2 - 1) / (3 * lost), f))
    return Heterogeneity(p, math.sqrt(between), between / (between + within))


def drawn_means_of_tasks(tasks: Sequence[Floats], resamples: int, seed: int, *, tasks_too: bool) -> Floats:
    """Means of tasks' means when queries and seeds, and with ``tasks_too`` tasks, are drawn with replacement."""
    seeds = len(tasks[0])
    drawn = np.random.default_rng([seed, 1]).multinomial(seeds, np.full(seeds, 1 / seeds), size=resamples) / seeds
    # The same seeds run on every task, so what is drawn of them is weighed once for all.
    return np.asarray((drawn_twice(tasks, resamples, seed, tasks_too=tasks_too) * drawn).sum(axis=1))
