"""Folds of whole groups of queries, the choice made inside them, and what cannot be told from the best.

The held-out values of two folds are not independent: what is held out for one is trained on for the other, so both tend
to be high together, or low. The error of their mean is therefore that of the whole procedure, repeated on queries that
are drawn again, where that is larger than the spread of the values themselves tells (`benchmarks/fusion_simulation.py`
has the coverage of both).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankmeter.arithmetic.parts import Values
from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.resampling import Sample, flipped_sums
from rankmeter.stats.student import Contrasts, t_quantile, without_noise

SAME = 1e-12
CELLS = 1 << 20
"""Weights of queries that are held at once."""


def fold_of_units(unit: Ints, folds: int, seed: int) -> Ints:
    """(n,) the fold of each query: units in random order, each into the fold that has the fewest queries."""
    sizes = np.bincount(unit)
    units = int((sizes > 0).sum())
    if units < 2:
        raise InputError.of("fusion.one_unit")
    if folds > units:
        raise InputError.of("fusion.many_folds", folds=folds, units=units)
    filled, fold = np.zeros(folds, np.int64), np.full(len(sizes), -1)
    for one in np.random.default_rng(seed).permutation(len(sizes)).tolist():
        if sizes[one]:
            fold[one] = int(filled.argmin())
            filled[fold[one]] += sizes[one]
    return fold[unit]


def chosen_in_folds(value: Floats, fold: Ints, folds: int, order: Sequence[int]) -> Ints:
    """(folds,) the setting with the best mean on the queries outside of each fold; of equals the first in ``order``."""
    ordered = value[list(order)]
    inside = np.stack([ordered[:, fold == one].sum(axis=1) for one in range(folds)])
    outside = np.bincount(fold, minlength=folds).sum() - np.bincount(fold, minlength=folds)
    means = (inside.sum(axis=0) - inside) / np.maximum(outside, 1)[:, None]
    return np.asarray(order, np.int64)[[first_best(row) for row in means]]


@dataclass(frozen=True, slots=True)
class Outside:
    """What was chosen in each fold, and what it is worth outside of it."""

    chosen: Ints
    """(folds,) the setting."""
    chosen_run: Ints
    """(folds,) the single run."""
    held_out: Floats
    """(n,)"""
    every: Sample
    """The held-out value, that of the single runs, and what needed no choice, by units."""
    alone: Contrasts
    """The held-out value against 0."""
    against: Contrasts
    """The held-out value against each of the others."""


def chosen_outside(
    value: Floats, singles: Floats, fixed: Floats, unit: Ints, *, folds: int, seed: int, order: Sequence[int],
    resamples: int,
) -> Outside:  # fmt: skip
    """Choose among ``(settings, n)`` values and among ``(runs, n)`` inside folds, and score both outside of them.

    ``fixed`` are values of what needs no choice; all of them are higher for what is better.
    """
    fold = fold_of_units(unit, folds, seed)
    chosen = chosen_in_folds(value, fold, folds, order)
    chosen_run = chosen_in_folds(singles, fold, folds, range(len(singles)))
    each = np.arange(value.shape[1])
    held_out = value[chosen[fold], each]
    rows = np.stack([held_out, singles[chosen_run[fold], each], *fixed])
    every = Sample.of_queries(Values(rows, np.ones(len(each), np.bool_), rows, np.ones_like(rows)), unit, "mean")
    alone, against = every.alone(), every.contrasts([(0, other) for other in range(1, len(rows))])
    again = _again(value[list(order)], singles, fixed, unit, folds, seed, resamples)
    spread = again[0].std(ddof=1)
    apart = (again[0] - again[1:]).std(axis=1, ddof=1)
    return Outside(
        chosen, chosen_run, held_out, every,
        replace(alone, error=np.where(alone.flat, alone.error, np.maximum(alone.error, spread))),
        replace(against, error=np.where(against.flat, against.error, np.maximum(against.error, apart))),
    )  # fmt: skip


def _again(value: Floats, singles: Floats, fixed: Floats, unit: Ints, folds: int, seed: int, resamples: int) -> Floats:
    """``(2 + fixed, resamples)`` the means of the whole procedure, folds and choices too, on units drawn again."""
    random = np.random.default_rng(seed)
    units, n = int(unit.max()) + 1, len(unit)
    made = []
    step = max(1, CELLS // (n * folds))
    every = np.concatenate([value, singles, fixed])
    for first in range(0, resamples, step):
        many = min(step, resamples - first)
        weight = np.zeros((n, many, folds))
        for one in range(many):
            times = np.bincount(random.integers(0, units, units), minlength=units)
            fold = random.permutation(units) % folds
            weight[np.arange(n), one, fold[unit]] = times[unit]
        inside = (every @ weight.reshape(n, -1)).reshape(-1, many, folds)
        count = weight.sum(axis=0)
        total = count.sum(axis=1)
        means = (inside.sum(axis=2, keepdims=True) - inside) / np.maximum(total[:, None] - count, 1)
        ends = np.cumsum([len(value), len(singles)])
        best = [np.take_along_axis(inside[a:b], means[a:b].argmax(axis=0)[None], axis=0)[0].sum(axis=1)
                for a, b in ((0, ends[0]), (ends[0], ends[1]))]  # fmt: skip
        made.append(np.stack([*best, *inside[ends[1] :].sum(axis=2)]) / total)
    return np.concatenate(made, axis=1)


def first_best(means: Floats) -> int:
    """The first of those whose mean is the highest, up to rounding."""
    highest = float(means.max())
    return int(np.flatnonzero(means >= highest - SAME * max(abs(highest), 1.0))[0])


def linear_parts(rows: Floats, unit: Ints) -> Floats:
    """``(rows, units)`` numbers whose means are those of the rows: a number for each unit that is drawn as a whole."""
    every = np.ones(rows.shape[1], np.bool_)
    return Sample.of_queries(Values(rows, every, rows, np.ones_like(rows)), unit, "mean").linear()


def inseparable(linear: Floats, level: float, resamples: int, seed: int) -> tuple[Bools, Floats]:
    """Which of ``(settings, units)`` rows cannot be told from that with the best mean, and how far each could reach.

    All rows at once: signs of the differences to the best are flipped at random, alike for all, and a row is worse
    than the best only where its t is beyond what the largest of them reaches by chance. The second array is the
    difference to the best at which that happens.
    """
    best = first_best(linear.mean(axis=1))
    units = linear.shape[1]
    rows = without_noise(linear[best] - linear)
    gap = rows.mean(axis=1)
    centred = rows - gap[:, None]
    squares = (centred**2).sum(axis=1)
    reach = np.zeros(len(rows))
    spread = squares > SAME * units
    if 2.0 ** (1 - units) >= 1 - level:  # not even signs that all agree are beyond chance
        return np.ones(len(rows), np.bool_), np.full(len(rows), np.inf)
    if not spread.any():
        return np.asarray(gap <= 0), reach
    scale = np.where(spread, 1 / np.sqrt(np.where(spread, squares, 1.0) * units), 0.0)
    largest = [(sums * scale[:, None]).max(axis=0) for sums in flipped_sums(centred, resamples, seed)]
    share = min(float(np.quantile(np.concatenate(largest), level, method="higher")), 1 - 1e-9)
    critical = max(share * math.sqrt((units - 1) / (1 - share**2)), t_quantile(level, units - 1))
    reach = critical * np.sqrt(squares / ((units - 1) * units))
    return gap <= reach, reach
