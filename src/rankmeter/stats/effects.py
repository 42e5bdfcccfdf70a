"""How large a difference is, beside whether it is real."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmeter.placing.placements import Floats
from rankmeter.stats.contrasts import without_noise
from rankmeter.stats.paired import ranks_of


@dataclass(frozen=True, slots=True)
class Effect:
    """Sizes of a paired difference; None where there is no spread to measure by."""

    wins: int
    """Units on which the system is better."""
    ties: int
    losses: int
    standardised: float | None
    """Cohen's d_z: the mean difference over the standard deviation of the differences; positive is better."""
    rank_biserial: float | None
    """Matched-pairs rank-biserial correlation, -1 to 1: the ranks of the wins less those of the losses (Kerby 2014)."""

    @property
    def share_better(self) -> float:
        """The share of units on which the system is better, a tie counting half."""
        return (self.wins + self.ties / 2) / max(self.wins + self.ties + self.losses, 1)

    def turned(self) -> Effect:
        """The same sizes seen from the other system."""
        standardised = None if self.standardised is None else -self.standardised
        rank_biserial = None if self.rank_biserial is None else -self.rank_biserial
        return Effect(self.losses, self.ties, self.wins, standardised, rank_biserial)


def effect(differences: Floats, *, higher_is_better: bool = True) -> Effect:
    """The sizes of some paired differences, one for each unit.

    Examples
    --------
    >>> import numpy as np
    >>> found = effect(np.array([0.5, 0.5, 0.0, -0.2]))
    >>> found.wins, found.ties, found.losses, round(found.standardised, 3), round(found.rank_biserial, 3)
    (2, 1, 1, 0.562, 0.667)
    """
    gained = without_noise(differences if higher_is_better else -differences)
    spread = float(gained.std(ddof=1)) if len(gained) > 1 else 0.0
    mean = float(gained.mean()) if len(gained) else 0.0
    standardised = mean / spread if spread > 0 else (0.0 if mean == 0 else None)
    return Effect(
        wins=int((gained > 0).sum()),
        ties=int((gained == 0).sum()),
        losses=int((gained < 0).sum()),
        standardised=standardised,
        rank_biserial=_rank_biserial(gained),
    )


def _rank_biserial(gained: Floats) -> float | None:
    moved = gained[gained != 0]
    if not len(moved):
        return 0.0
    ranks = ranks_of(moved)
    return float(math.fsum(ranks * np.sign(moved)) / ranks.sum())
