"""Systems across tasks, as arithmetic of ``(systems, tasks)`` arrays of ranks and scores; higher scores are better.

Mean-rank tests (Friedman, Nemenyi, a control) depend on which other systems are in the table (Benavoli, Corani &
Mangili 2016); pairs tested by signed ranks do not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmeter.late import special, stats
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.rank_agreement import mean_ranks
from rankmeter.stats.student import SAME

DRAWS = 50_000
"""How many times the weights of the Bayesian signed-rank test are drawn."""
BLOCK = 5_000
MOST_STEPS = 1_000
"""Of Newton's method; each moves the strengths by 1 at most."""


def rounding_error(scores: Floats) -> Floats:
    """``(tasks,)`` how far two of ``(n, tasks)`` scores may lie apart and still tie."""
    return np.asarray(SAME * np.maximum(1.0, np.abs(np.nan_to_num(scores)).max(axis=0)))


def ranks_of_tasks(scores: Floats) -> Floats:
    """``(systems, tasks)`` ranks within each task, 1 for the best, ties sharing their mean; a hole has none.

    >>> ranks_of_tasks(np.array([[0.9, 0.5], [0.8, 0.5], [0.7, np.nan]])).tolist()
    [[1.0, 1.5], [2.0, 1.5], [3.0, nan]]
    """
    worst = np.where(np.isnan(scores), -np.inf, scores)
    ranks = mean_ranks(-worst.T, noise=rounding_error(scores)[:, None]).T
    return np.where(np.isnan(scores), np.nan, ranks)


@dataclass(frozen=True, slots=True)
class Friedman:
    """Whether any system differs, by mean ranks."""

    chi2: float
    p: float
    f: float
    """The F statistic of Iman & Davenport (1980), and its p-value."""
    f_p: float
    """Where all tasks rank alike and F has no end, how often chance does the same."""
    systems: int
    tasks: int


def friedman(mean_rank: Floats, tasks: int, tied: float = 0.0) -> Friedman:
    """The test from mean ranks; ``tied`` is the sum of t^3 - t over the groups of t tied systems in every task."""
    k = len(mean_rank)
    chi2 = 12 * tasks / (k * (k + 1)) * (float((mean_rank**2).sum()) - k * (k + 1) ** 2 / 4)
    untied = 1 - tied / (tasks * (k**3 - k))
    chi2 = chi2 / untied if untied > 1e-12 else 0.0
    below = tasks * (k - 1) - chi2
    f = (tasks - 1) * chi2 / below if below > 1e-9 else math.inf
    if math.isfinite(f):
        f_p = float(special.fdtrc(k - 1, (k - 1) * (tasks - 1), f)) if tasks > 1 else math.nan
    else:  # every task has the ranks of the first, each as probable as any other order of them
        alike = np.unique(mean_rank.round(9), return_counts=True)[1]
        orders = math.lgamma(k + 1) - sum(math.lgamma(size + 1) for size in alike.tolist())
        f_p = math.exp(-(tasks - 1) * orders)
    return Friedman(chi2, float(special.chdtrc(k - 1, chi2)), f, f_p if tasks > 1 else math.nan, k, tasks)


def tied_cubes(ranks: Floats) -> float:
    """The sum of t^3 - t over the groups of t tied systems in every task."""
    total = 0
    for column in ranks.T:
        sizes = np.unique(column, return_counts=True)[1]
        total += int((sizes**3 - sizes).sum())
    return float(total)


def nemenyi_distance(systems: int, tasks: int, alpha: float) -> float:
    """How far apart mean ranks must be (Nemenyi 1963): the studentised range over sqrt(2), times the standard error."""
    q = float(stats.studentized_range.ppf(1 - alpha, systems, math.inf)) / math.sqrt(2)
    return q * math.sqrt(systems * (systems + 1) / (6 * tasks))


def bonferroni_dunn_distance(systems: int, tasks: int, alpha: float) -> float:
    """The same against one control (Dunn 1961): a normal quantile, its level divided by the number of comparisons."""
    z = float(special.ndtri(1 - alpha / (2 * (systems - 1))))
    return z * math.sqrt(systems * (systems + 1) / (6 * tasks))


def control_p(mean_rank: Floats, control: int, tasks: int) -> Floats:
    """``(systems,)`` two-sided p-values of mean ranks against that of a control, not corrected; NaN for itself."""
    k = len(mean_rank)
    z = np.abs(mean_rank - mean_rank[control]) / math.sqrt(k * (k + 1) / (6 * tasks))
    p = np.asarray(2 * special.ndtr(-z))
    p[control] = np.nan
    return p


def bayesian_signed_rank(
    differences: Floats, rope: float, *, prior: float = 0.5, seed: int = 0
) -> tuple[float, float, float]:
    """How probable it is that the second is better, that both are alike within the rope, that the first is better.

    Benavoli and others (2014): Dirichlet weights on the differences and on a pseudo-observation 0. Each draw splits the
    weight of all pairs of them by whether the mean lies below, within or above the rope, and goes to the largest part.
    """
    z = np.sort(np.append(differences, 0.0))
    alpha = np.where(np.arange(len(z)) == np.searchsorted(z, 0.0), prior, 1.0)
    random = np.random.default_rng(seed)
    noise = SAME * max(1.0, float(np.abs(z).max()))  # 0.71 - 0.70 is a difference of 0.01, within a rope of 0.01
    below = np.searchsorted(z, -2 * rope - z - noise, side="left")
    above = np.searchsorted(z, 2 * rope - z + noise, side="right")
    counts = np.zeros(3)
    for start in range(0, DRAWS, BLOCK):
        weights = random.dirichlet(alpha, min(BLOCK, DRAWS - start))
        summed = np.concatenate([np.zeros((len(weights), 1)), np.cumsum(weights, axis=1)], axis=1)
        lower = (weights * summed[:, below]).sum(axis=1)
        higher = (weights * (1 - summed[:, above])).sum(axis=1)
        shares = np.stack([lower, 1 - lower - higher, higher], axis=1)
        # A draw that is even between two counts half for each.
        largest = np.abs(shares - shares.max(axis=1, keepdims=True)) < 1e-12
        counts += (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
    second, alike, first = (counts / counts.sum()).tolist()
    return second, alike, first


def correlated_t(differences: Floats, rho: float, rope: float) -> tuple[float, float, float]:
    """The same for folds that share training data: Student's t with the variance of Nadeau & Bengio (2003).

    ``rho`` is the share of the data that a fold tests on.
    """
    n = len(differences)
    spread = math.sqrt(float(differences.var(ddof=1)) * (1 / n + rho / (1 - rho)))
    mean = float(differences.mean())
    if spread == 0:
        return float(mean < -rope), float(-rope <= mean <= rope), float(mean > rope)
    second, upto = (float(special.stdtr(n - 1, (end - mean) / spread)) for end in (-rope, rope))
    return second, upto - second, 1 - upto


def pair_wins(scores: Floats) -> tuple[Ints, Ints]:
    """``(systems, systems)`` on how many tasks the row's system beats the column's, and on how many they tie."""
    size = len(scores)
    wins, ties = np.zeros((size, size), np.int64), np.zeros((size, size), np.int64)
    for column, noise in zip(scores.T, rounding_error(scores), strict=True):
        gap = column[:, None] - column[None, :]
        near = np.abs(gap) <= noise
        wins += (gap > 0) & ~near
        ties += near
    np.fill_diagonal(ties, 0)
    return wins, ties


def bradley_terry(wins: Ints, ties: Ints) -> Floats:
    """``(systems,)`` strengths b, mean 0: i beats j with probability 1 / (1 + exp(b_j - b_i)), and ties count half.

    One more tie is counted for every pair, so that a system that wins everywhere has a finite strength: Hunter (2004)
    says when there is one. For systems far apart his steps take thousands; Newton's, no longer than 1, take dozens.
    """
    size = len(wins)
    if size < 2:
        return np.zeros(size)
    won = wins + ties / 2 + 0.5 * (1 - np.eye(size))
    played = won + won.T
    strength = np.zeros(size)
    for _ in range(MOST_STEPS):
        chance = special.expit(strength[:, None] - strength[None, :])
        missing = (won - played * chance).sum(axis=1)
        spread = played * chance * chance.T
        # The curvature is 0 along equal shifts of all; with 1 / size added there, the mean stays 0.
        curvature = np.diag(spread.sum(axis=1)) - spread + 1 / size
        step = np.linalg.solve(curvature, missing)
        strength += step / max(1.0, float(np.abs(step).max()))
        if float(np.abs(step).max()) < 1e-10:
            break
    return np.asarray(strength - strength.mean())


def borda(scores: Floats) -> Floats:
    """``(systems,)`` points: on each task, the number of systems that have a score there, less the rank."""
    ranks = ranks_of_tasks(scores)
    present = (~np.isnan(scores)).sum(axis=0)
    return np.asarray(np.nansum(present - ranks, axis=1))


def mteb_borda(scores: Floats) -> Floats:
    """Points as MTEB counts them: the number of all systems less the rank, and 0 for a task that is missing."""
    return np.asarray(np.nansum(len(scores) - ranks_of_tasks(scores), axis=1))


def interquartile_mean(values: Floats) -> Floats:
    """The mean of the middle half along the last axis, as in rliable: a quarter is cut off at each end."""
    ordered = np.sort(values, axis=-1)
    cut = int(0.25 * ordered.shape[-1])
    return np.asarray(ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1))


def improvement_probability(seeds: Sequence[Floats], other: Sequence[Floats]) -> float:
    """The mean over tasks of the probability that a run of the first is better than one of the second, ties half."""
    shares = []
    for mine, theirs in zip(seeds, other, strict=True):
        gap = mine[:, None] - theirs[None, :]
        noise = rounding_error(np.concatenate([mine, theirs])[:, None])
        shares.append(float(((gap > noise) + 0.5 * (np.abs(gap) <= noise)).mean()))
    return math.fsum(shares) / len(shares)


@dataclass(frozen=True, slots=True)
class RankBands:
    """Between which ranks a system lies, by resampling."""

    low: Ints
    high: Ints


def bootstrap_ranks(drawn: Floats, level: float) -> RankBands:
    """Percentiles of the ranks in ``(resamples, systems)`` drawn values, higher better; ties share the better rank."""
    order = np.sort(-drawn, axis=1)
    above = drawn + rounding_error(drawn.T)[:, None]
    ranks = np.stack([np.searchsorted(row, -own, side="left") for row, own in zip(order, above, strict=True)]) + 1
    low, high = np.quantile(ranks, [(1 - level) / 2, (1 + level) / 2], axis=0, method="inverted_cdf")
    return RankBands(low.astype(np.int64), high.astype(np.int64))


def drawn_means(scores: Floats, resamples: int, seed: int) -> Floats:
    """``(resamples, systems)`` means over tasks drawn with replacement."""
    tasks = scores.shape[1]
    random = np.random.default_rng(seed)
    counts = random.multinomial(tasks, np.full(tasks, 1 / tasks), size=resamples)
    return np.asarray(counts @ scores.T / tasks)


def drawn_twice(values: Sequence[Floats], resamples: int, seed: int, *, tasks_too: bool = True) -> Floats:
    """The same with queries drawn within every drawn task, or within every task as it is.

    ``values`` are ``(systems, queries)`` for each task.
    """
    random = np.random.default_rng(seed)
    tasks = len(values)
    counts = np.ones((resamples, tasks), np.int64)
    if tasks_too:
        counts = random.multinomial(tasks, np.full(tasks, 1 / tasks), size=resamples)
    total = np.zeros((resamples, len(values[0])))
    for task, of_queries in enumerate(values):
        queries = of_queries.shape[1]
        at = np.repeat(np.arange(resamples), counts[:, task])
        for start in range(0, len(at), 2_000):
            rows = at[start : start + 2_000]
            drawn = random.multinomial(queries, np.full(queries, 1 / queries), size=len(rows))
            np.add.at(total, rows, drawn @ of_queries.T / queries)
    return total / tasks


def cliques(alike: Bools, order: Sequence[int]) -> list[tuple[int, ...]]:
    """Groups of systems that are neighbours in an order and alike in all pairs; no group lies within another.

    >>> alike = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
    >>> cliques(alike, [0, 1, 2])
    [(0, 1), (1, 2)]
    """
    found: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and all(alike[order[end], order[at]] for at in range(start, end)):
            end += 1
        if end - start > 1 and end > reached:
            found.append(tuple(order[start:end]))
            reached = end
    return found
