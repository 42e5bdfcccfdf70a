"""How far two orders of the same systems agree: Kendall's tau, tau_AP, tau_h, RBO, the largest drop, regret.

Each takes the values of the systems, higher being better, the true ones first; ``decisions`` and ``favour`` compare
what one test finds under two judges. Sources: Kendall 1945; Yilmaz, Aslam & Robertson 2008 (tau_AP); Urbano & Marrero
2017 (its ties); Vigna 2015 (tau_h); Webber, Moffat & Zobel 2010 (RBO).

How well the order of confidences tells good answers from bad: risk against coverage (Geifman & El-Yaniv 2017) and nAUC
as MTEB defines it (Gisserot-Boukhlef et al. 2024). Equal confidences share the mean of their values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from rankmeter.late import stats
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.corrections import Correction, corrected
from rankmeter.stats.student import Contrasts

DECISIONS = ("both_same", "both_opposite", "only_people", "only_machine", "neither")


def tau(truth: Floats, other: Floats) -> Floats:
    """Kendall's tau-b, which is tau where nothing ties; along the last axis. NaN where one side is all tied."""
    first, second = np.triu_indices(truth.shape[-1], 1)
    ours = np.sign(truth[..., first] - truth[..., second])
    theirs = np.sign(other[..., first] - other[..., second])
    with np.errstate(all="ignore"):
        return np.asarray((ours * theirs).sum(-1) / np.sqrt(np.abs(ours).sum(-1) * np.abs(theirs).sum(-1)))


def tau_ap(truth: Floats, other: Floats) -> float:
    """tau_AP: down the other's list, the share of those above each place that are truly above; the top counts more.

    Systems that the other ties are taken in every order (tau_AP,a). Where both tie, :func:`tau_ap_b`.
    """
    many = len(truth)
    total = 0.0
    for place in range(many):
        above = other > other[place]
        tied = (other == other[place]) & (np.arange(many) != place)
        surely, inside, others = _truly_above(truth, place, above), _truly_above(truth, place, tied), int(tied.sum())
        start = int(above.sum())
        for within in range(others + 1):
            if start + within:  # the share of orders in which this many of the tied stand above it
                correct = surely + (within * inside / others if others else 0.0)
                total += correct / (start + within) / (others + 1)
    return 2 * total / (many - 1) - 1


def _truly_above(truth: Floats, place: int, which: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    return float((truth[which] > truth[place]).sum() + (truth[which] == truth[place]).sum() / 2)


def tau_ap_b(first: Floats, two: Floats) -> float:
    """tau_AP where both sides may tie: tied places say nothing about each other; the mean of both directions."""
    return (_pivots(first, two) + _pivots(two, first)) / 2


def _pivots(truth: Floats, other: Floats) -> float:
    shares = []
    for place in range(len(truth)):
        above = other > other[place]
        if above.any():
            shares.append(2 * float((truth[above] > truth[place]).mean()) - 1)
    return float(np.mean(shares)) if shares else float("nan")


def tau_h(truth: Floats, other: Floats) -> float:
    """Vigna's weighted tau, hyperbolic in the ranks of both sides, the mean of both directions."""
    return float(stats.weightedtau(truth, other).statistic)


def places(values: Floats) -> Ints:
    """The place of each system, 1 the best; tied systems keep the order given."""
    order = np.argsort(-values, kind="stable")
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(1, len(values) + 1)
    return ranks


def overlap(truth: Floats, other: Floats, *, p: float = 0.8, depth: int | None = None) -> float:
    """Rank-biased overlap of the first ``depth`` places, as a share of its maximum; extrapolated without a depth.

    Two leaderboards hold the same systems, so the extrapolated one has a floor far above 0.
    """
    best, others = (np.argsort(-values, kind="stable") for values in (truth, other))
    last = min(depth or len(truth), len(truth))
    shares = np.array([len({*best[:d]} & {*others[:d]}) / d for d in range(1, last + 1)])
    total = float((1 - p) * (p ** np.arange(last) * shares).sum())
    return total / (1 - p**last) if depth is not None else total + p**last * float(shares[-1])


def largest_drop(truth: Floats, other: Floats) -> int:
    """The largest number of places that a system loses."""
    return int((places(other) - places(truth)).max())


def regret(truth: Floats, other: Floats) -> float:
    """What is lost by shipping the other's best: the true value of the best less that of the other's best."""
    return float(truth.max() - truth[np.argmax(other)])


def spearman(one: Any, other: Any) -> float:
    """The correlation of ranks, ties sharing their mean rank; NaN where one side never varies."""
    a, b = (mean_ranks(side) - (len(side) + 1) / 2 for side in (one, other))
    below = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / below if below else math.nan


def unit_ranks(rows: Floats, kept: Bools) -> Floats:
    """(systems, queries) the centred ranks of what is kept, of length 1 in each row; 0 where all are the same."""
    ranks = mean_ranks(np.where(kept, rows, np.inf)) * kept  # what is left out is last and changes no other rank
    centred = (ranks - ranks.sum(1, keepdims=True) / np.maximum(kept.sum(1, keepdims=True), 1)) * kept
    length = np.sqrt((centred**2).sum(1, keepdims=True))
    return np.asarray(np.divide(centred, length, out=np.zeros_like(centred), where=length > 0))


def mean_spearman(ranks: Floats, others: Floats, kept: Bools) -> float:
    """The mean over systems of the correlation of ranks; a system counts where it has three queries and they vary."""
    varies = (kept.sum(1) > 2) & ranks.any(1) & others.any(1)
    return float((ranks * others).sum(1)[varies].mean()) if varies.any() else math.nan


def _students(rows: Floats) -> Contrasts:
    """Plain Student's t of each row, without the smallest p-value that signs allow."""
    nothing = np.zeros(len(rows))
    return replace(Contrasts.of_rows(rows), floor=nothing, floor_moved=nothing)


def favour(
    gaps: Floats, *, level: float = 0.95, correction: Correction = "holm"
) -> list[tuple[float, float, float, float | None, float | None]]:
    """How much more the machine's gap is for each system than for the others: value, interval, p, corrected p.

    ``gaps`` (systems, queries): the machine's value less that of people. Paired t over queries; neither interval nor p
    without a spread.
    """
    contrasts = _students(gaps - (gaps.sum(0) - gaps) / (len(gaps) - 1))
    p = np.where(contrasts.flat, np.nan, contrasts.p())
    fixed = np.full(len(p), np.nan)
    fixed[~contrasts.flat] = corrected(p[~contrasts.flat], correction)
    columns = (contrasts.difference, *contrasts.ends(level, tested=False))
    chances: list[Sequence[float | None]] = [
        [None if math.isnan(q) else q for q in side.tolist()] for side in (p, fixed)
    ]
    return list(zip(*(column.tolist() for column in columns), *chances, strict=True))


def decisions(y: Floats, f: Floats, *, level: float = 0.95, correction: Correction = "holm") -> dict[str, int]:
    """For how many pairs of systems a test decides alike under people and under the machine, and how else."""
    pairs = list(combinations(range(len(y)), 2))
    verdicts = []
    for values in (y, f):
        contrasts = _students(np.stack([values[a] - values[b] for a, b in pairs]))
        verdicts.append(np.where(corrected(contrasts.p(), correction) < 1 - level, np.sign(contrasts.difference), 0))
    ours, theirs = verdicts
    both = (ours != 0) & (theirs != 0)
    counts = (
        both & (ours == theirs), both & (ours != theirs), (ours != 0) & (theirs == 0), (ours == 0) & (theirs != 0),
        (ours == 0) & (theirs == 0),
    )  # fmt: skip
    return {name: int(which.sum()) for name, which in zip(DECISIONS, counts, strict=True)}


def mean_ranks(values: Any, noise: float | Floats = 0.0) -> Floats:
    """The ranks within each row from 1, ties sharing their mean; values that differ by no more than ``noise`` tie.

    scipy's ``rankdata`` gives the same, but loading it takes longer than most comparisons.
    """
    rows = np.asarray(values, np.float64)
    if not rows.size:
        return np.zeros(rows.shape)
    rising = np.argsort(rows, axis=-1, kind="stable")
    ordered = np.take_along_axis(rows, rising, axis=-1)
    is_first = np.ones(rows.shape, np.bool_)
    is_first[..., 1:] = ordered[..., 1:] > ordered[..., :-1] + noise
    starts = np.flatnonzero(is_first)
    sizes = np.diff(starts, append=rows.size)
    shared = np.repeat(starts % rows.shape[-1] + (sizes + 1) / 2, sizes).reshape(rows.shape)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, rising, shared, axis=-1)
    return ranks


RATES = np.linspace(0, 1, 11)[:-1]
"""Shares that abstain: not multiples of 0.1, which round to other counts."""


def risks(confidence: Floats, loss: Floats) -> Floats:
    """(n,) the mean loss of the most confident 1, 2, ..., n answers."""
    _, group = np.unique(-confidence, return_inverse=True)
    shared = np.bincount(group, loss) / np.bincount(group)
    return np.asarray(shared[np.sort(group)].cumsum() / np.arange(1, len(loss) + 1))


def area_of_risks(confidence: Floats, loss: Floats) -> tuple[float, float]:
    """The mean of the risks (AURC), and its excess over that of the best order."""
    area = float(risks(confidence, loss).mean())
    return area, area - float(risks(-loss, loss).mean())


def normalised_area(confidence: Floats, values: Floats) -> float:
    """nAUC: the share of what abstaining could gain; 1 the best order, 0 useless, NaN where all values are equal."""
    flat = float(values.mean()) * RATES[-1]
    reached, best = (_area(order, values) for order in (confidence, values))
    return (reached - flat) / (best - flat) if best - flat > 1e-12 else math.nan


def _area(confidence: Floats, values: Floats) -> float:
    size = len(values)
    answered = [size - min(round(rate * size), size - 1) for rate in RATES.tolist()]
    curve = risks(confidence, values)[np.array(answered) - 1]
    return float(((curve[1:] + curve[:-1]) / 2 * np.diff(RATES)).sum())


def separation_of(higher: Floats, lower: Floats) -> float:
    """AUROC: the chance that one of the first is above one of the second, ties counting half."""
    if not (len(higher) and len(lower)):
        return math.nan
    rising = np.sort(lower)
    below, not_above = np.searchsorted(rising, higher, "left"), np.searchsorted(rising, higher, "right")
    return float((below + not_above).mean() / 2 / len(lower))
