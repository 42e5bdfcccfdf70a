"""How far two leaderboards of the same systems agree: tau_AP, tau_h, RBO, the largest drop, regret, decisions, favour.

Each takes the values of the systems, higher being better, the true ones first; ``decisions`` and ``favour`` compare
what one test finds under two judges. Sources: Yilmaz, Aslam & Robertson 2008 (tau_AP); Urbano & Marrero 2017 (its
ties); Vigna 2015 (tau_h); Webber, Moffat & Zobel 2010 (RBO).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from rankmeter.late import stats
from rankmeter.lists.slice_intervals import drawn_again
from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.corrections import Correction, corrected, gap_table
from rankmeter.stats.student import Contrasts

DECISIONS = ("both_same", "both_opposite", "only_people", "only_machine", "neither")


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


def places_of_systems(values: Floats) -> Ints:
    """The place of each system, 1 the best; equal ones share the better place, as in :func:`rankmeter.compare`."""
    return np.asarray(1 + (gap_table(values) < 0).sum(axis=1))


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
    return int((places_of_systems(other) - places_of_systems(truth)).max())


def regret(truth: Floats, other: Floats) -> float:
    """What is lost by shipping the other's best: the true value of the best less that of the other's best."""
    return float(truth.max() - truth[np.argmax(other)])


def first_again(values: Floats, resamples: int, seed: int) -> float:
    """In which share of resamples of the queries the first system is first again; equal ones share the place.

    ``values`` (systems, queries), higher being better. It says how steady the choice is, not how likely it is right.
    """
    sums = drawn_again(np.ascontiguousarray(values.T), resamples, seed)
    first = int(np.argmax(values.mean(1)))
    return float((sums[:, first] >= sums.max(1) - 1e-12 * np.abs(sums).max(1)).mean())


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
