"""Who stands where: first, marked, ranked. All of it is read from the same verdicts on pairs, so none can differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.corrections import gap_table
from rankmeter.stats.student import Pair, sides


@dataclass(frozen=True, slots=True)
class Standing:
    """The order of the systems under one measure."""

    rank: Ints
    """(systems,) by value, best first from 1; equal values share the better rank."""
    better: Bools
    """(systems, systems) whether the row's system is significantly better than the column's."""
    in_best: Bools
    """(systems,) the first, and those that are not significantly worse than it."""

    @classmethod
    def of(cls, values: Sequence[float], sign: int, better: Bools) -> Standing:
        """From the value of each system and the verdicts; ``sign`` is -1 where lower is better.

        Under a test of ranks or signs the first by value may be significantly worse than another; then it is not among
        the best itself.
        """
        first = first_of(values, sign)
        rank = 1 + (gap_table(np.array(values) * sign) < 0).sum(axis=1)
        in_best = ~better[first]
        in_best[first] = not better[:, first].any()
        return cls(rank, better, in_best)

    @property
    def low(self) -> Ints:
        """(systems,) the best rank that a system may have: behind all that are significantly better."""
        return np.asarray(1 + self.better.sum(axis=0))

    @property
    def high(self) -> Ints:
        """(systems,) the worst rank that it may have: ahead of all that are significantly worse."""
        return np.asarray(len(self.better) - self.better.sum(axis=1))


def first_of(values: Sequence[float], sign: int) -> int:
    """The place of the best value; of equal ones the first given."""
    return min(range(len(values)), key=lambda place: (math.isnan(values[place]), -sign * values[place], place))


def verdicts(systems: int, pairs: Sequence[Pair], winners: Ints) -> Bools:
    """(systems, systems) from 1 for each pair whose first system is significantly better, -1 for the second, else 0."""
    better = np.zeros((systems, systems), np.bool_)
    left, right = sides(pairs)
    better[left[winners > 0], right[winners > 0]] = True
    better[right[winners < 0], left[winners < 0]] = True
    return better


def winners_of(p_corrected: Floats, directions: Ints, alpha: float, sign: int) -> Ints:
    """(pairs,) 1 where the first system of a pair is significantly better, -1 where the second is, else 0."""
    return np.where(p_corrected < alpha, directions * sign, 0)
