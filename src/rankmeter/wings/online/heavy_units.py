"""Quotients that rest on a few heavy units, and a test that holds there.

Where one user has a third of all impressions, the click-through rate of a variant is mostly that user's, and nothing
in the data says how much another such user would differ: Student's t with the delta method finds a difference in up to
half of the experiments in which there is none. The effective number of units (Kish 1965) shows it.

What holds is that a draw decided who saw which variant. A randomisation test repeats that draw: the heaviest units are
assigned again one by one, all others together as the normal sums that they are. It is inverted for the interval, of a
shift that is the same for everybody (Rosenbaum 2002); for quotients that has a closed form.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.placing.placements import Floats
from rankmeter.wings.online.measures import OnlineMeasure
from rankmeter.wings.online.sums import Sums, denominator, numerator
from rankmeter.wording import Said, said

ENOUGH = 30
"""With so many effective units a test by the delta method alarms in 5 to 8 of 100 experiments, not in up to 60."""
EVEN = 4
"""Where the effective number is more than this part of the units, units are few but none is heavy."""
KEPT = 100
"""How many of the heaviest units of a group are drawn one by one."""
DRAWS = 9999


def effective(sums: Sums, measure: OnlineMeasure | str) -> float:
    """How many equally heavy units say as much: the square of the sum of denominators over the sum of squares."""
    y = denominator(measure)
    mean = sums.mean(y)
    if sums.n < 2 or not mean > 0:
        return float(sums.n)
    return sums.n / (1 + sums.covariance(y, y) * (sums.n - 1) / sums.n / mean**2)


def rests_on_few(sums: Sums, measure: OnlineMeasure | str) -> bool:
    """Whether so few units carry a quotient that the delta method does not hold."""
    few = effective(sums, measure)
    # Where each unit counts once or not at all, the effective number is that of those that count: none is heavy.
    return few < min(ENOUGH, sums.n / EVEN) and few < sums.total(denominator(measure)) * (1 - 1e-9)


@dataclass(frozen=True, slots=True)
class Heaviest:
    """The units of a group with the largest denominators, for each measure; those of parts of the data add up."""

    of_measure: Mapping[OnlineMeasure, Floats]
    """For each measure (k, 2) numerators and denominators, the heaviest first; none where no unit can be heavy."""

    @classmethod
    def of_rows(cls, table: Floats, measures: Sequence[OnlineMeasure]) -> Heaviest:
        """Of a table with a row per unit, in whose first columns the measures have two each."""
        return cls({measure: _top(table[:, 2 * n : 2 * n + 2]) for n, measure in enumerate(measures)})

    def __add__(self, other: Heaviest) -> Heaviest:
        both = {measure: np.vstack([rows, other.of_measure[measure]]) for measure, rows in self.of_measure.items()}
        return Heaviest({measure: _top(rows) for measure, rows in both.items()})


def _top(rows: Floats) -> Floats:
    """The heaviest rows, in an order that no partition of the data changes."""
    y = rows[:, 1]
    if not len(rows) or y.max() <= 1:
        return np.zeros((0, 2))
    if len(rows) > KEPT:
        rows = rows[y >= np.partition(y, -KEPT)[-KEPT]]
    return rows[np.lexsort((rows[:, 0], rows[:, 1]))[::-1][:KEPT]]


def resting_note(
    measure: OnlineMeasure,
    names: tuple[str, str],
    groups: Mapping[str, Sums],
    heaviest: Mapping[str, Heaviest],
    *,
    is_tested: bool,
) -> Said:
    """What a reader must know of a difference between a control and a variant that a few units carry."""
    # Not the group whose one unit counts once: as few, but none of them is heavy.
    few = [name for name in names if rests_on_few(groups[name], measure)]
    group = min(few or names, key=lambda name: effective(groups[name], measure))
    sums = groups[group]
    about = {"measure": str(measure), "variant": names[1], "group": group, "units": sums.n,
             "effective": effective(sums, measure)}  # fmt: skip
    if group not in heaviest:
        return said("rests_on_few_of_sums", **about)
    share = float(heaviest[group].of_measure[measure][0, 1]) / (sums.n * sums.mean(denominator(measure)))
    return said("rests_on_few_tested" if is_tested else "rests_on_few_untested", **about, share=share)


@dataclass(frozen=True, slots=True)
class Redrawn:
    """The totals of two groups when units are assigned again: the parts that the units of each side have in them."""

    observed: tuple[float, float, float, float]
    """Numerator and denominator of the control, then of the treatment."""
    into_control: Floats
    """(draws, 4) the same four, of the part that is assigned to the control."""

    @classmethod
    def of(
        cls, sides: Sequence[Sums], heaviest: Sequence[Floats], measure: OnlineMeasure, *, seed: int, draws: int = DRAWS
    ) -> Redrawn:
        """Assign the units of a control and a treatment again, each with the chance that a unit had.

        Counts are whole numbers, whose sums no order of the units changes by a digit.
        """
        names = [numerator(measure), denominator(measure)]
        random, chance = np.random.default_rng(seed), sides[0].n / (sides[0].n + sides[1].n)
        observed: list[float] = []
        drawn: list[Any] = []
        for sums, heavy in zip(sides, heaviest, strict=True):
            mean = np.array([sums.mean(name) for name in names])
            total = sums.n * mean
            squares = sums.block(names) * (sums.n - 1) + sums.n * np.outer(mean, mean) - heavy.T @ heavy
            assigned = (random.random((draws, len(heavy))) < chance).astype(float) @ heavy
            if sums.n > len(heavy):
                light = np.maximum(total - heavy.sum(axis=0), 0.0)
                noise = _normal(random, chance * (1 - chance) * squares, draws)
                assigned += np.clip(chance * light + noise, 0.0, light)
            drawn.append(assigned)
            observed += total.tolist()
        return cls(tuple(observed), np.hstack(drawn))  # type: ignore[arg-type]

    def _gaps(self, factor: float = 1.0) -> tuple[float, Floats, Floats]:
        """The difference as observed and as drawn, and how far a drawn one falls when all treated units lose a shift.

        Numerators of treated units are multiplied by the factor.
        """
        x, y, treated_x, treated_y = self.observed
        inside = self.into_control
        outside = np.array(self.observed) - inside
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [
                ((side[:, 0] + factor * side[:, 2]) / (side[:, 1] + side[:, 3]), side[:, 3] / (side[:, 1] + side[:, 3]))
                for side in (outside, inside)
            ]
        gaps, shifts = (after - before for after, before in zip(*parts, strict=True))
        known = np.isfinite(gaps) & np.isfinite(shifts)
        return factor * treated_x / treated_y - x / y, gaps[known], shifts[known]

    def p(self) -> float:
        """The two-sided p-value that the treatment changed nothing."""
        observed, gaps, _ = self._gaps()
        return float((1 + (np.abs(gaps) >= abs(observed) * (1 - 1e-12)).sum()) / (1 + len(gaps)))

    def interval(self, level: float) -> tuple[float, float]:
        """The shifts that the test does not reject; an end that no data can set is infinite.

        A draw is at least as far from 0 as what was observed, once a shift is taken out, for all shifts between two
        ends, of which one lies on each side of what was observed: the ends of the interval are order statistics.
        """
        observed, gaps, shifts = self._gaps()
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.sort([(observed - gaps) / (1 - shifts), (observed + gaps) / (1 + shifts)], axis=0)
        low, high = np.where(np.isnan(ends), np.array([[-math.inf], [math.inf]]), ends)
        count = min(len(gaps), max(1, math.floor((1 - level) * (len(gaps) + 1) + 1e-9)))
        if not len(gaps):
            return -math.inf, math.inf
        return float(np.sort(low)[count - 1]), float(np.sort(high)[-count])

    def within_margin_p(self, margin: float, direction: int) -> float:
        """The one-sided p-value that the treatment is worse than the control by a share of ``margin`` or more."""
        base = self.observed[0] / self.observed[1]
        kept = 1 - direction * math.copysign(margin, base)
        if not kept > 0:
            return math.nan
        observed, gaps, _ = self._gaps(1 / kept)
        return float((1 + (direction * gaps >= direction * observed - 1e-12 * abs(observed)).sum()) / (1 + len(gaps)))


def _normal(random: np.random.Generator, covariance: Floats, draws: int) -> Floats:
    """(draws, 2) normal numbers around 0 that vary together as stated."""
    first, second = random.standard_normal((2, draws))
    spread = math.sqrt(max(covariance[0, 0], 0.0))
    shared = covariance[0, 1] / spread if spread else 0.0
    own = math.sqrt(max(covariance[1, 1] - shared**2, 0.0))
    return np.column_stack([spread * first, shared * first + own * second])
