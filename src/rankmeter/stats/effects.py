"""How large a difference is, beside whether it is real."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmeter.placing.placements import Floats
from rankmeter.stats.paired import ranks_of
from rankmeter.stats.student import without_noise


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """Sizes of a paired difference; None where there is no spread to measure by."""

    wins: int
    """Units on which the system is better."""
    ties: int
    losses: int
    standardised: float | None
    """Cohen's d_z: the mean difference over the standard deviation of the differences; positive is better."""
    rank_biserial: float | None
    """Matched-pairs rank-biserial correlation, -1 to 1: the ranks of the wins less those of the losses (Kerby 2014)."""

    def turned(self) -> EffectSizes:
        """These sizes seen from the other system."""
        standardised = None if self.standardised is None else -self.standardised
        rank_biserial = None if self.rank_biserial is None else -self.rank_biserial
        return EffectSizes(self.losses, self.ties, self.wins, standardised, rank_biserial)


def effects(rows: Floats, *, higher_is_better: bool = True) -> list[EffectSizes]:
    """The sizes of the paired differences of some pairs, ``(pairs, units)``.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = effects(np.array([[0.5, 0.5, 0.0, -0.2]]))[0]
    >>> sizes.wins, sizes.ties, sizes.losses, round(sizes.standardised, 3), round(sizes.rank_biserial, 3)
    (2, 1, 1, 0.562, 0.667)
    """
    gained = without_noise(rows if higher_is_better else -rows)
    units = gained.shape[1]
    spread = gained.std(axis=1, ddof=1) if units > 1 else np.zeros(len(gained))
    mean = gained.mean(axis=1) if units else np.zeros(len(gained))
    wins, losses = (gained > 0).sum(axis=1), (gained < 0).sum(axis=1)
    # Zeros are left out: they have the lowest ranks, which all others lose.
    ranks = np.where(gained == 0, 0.0, ranks_of(gained) - (units - wins - losses)[:, None])
    signed, total = (ranks * np.sign(gained)).sum(axis=1), ranks.sum(axis=1)
    return [
        EffectSizes(
            wins=int(won),
            ties=int(units - won - lost),
            losses=int(lost),
            standardised=float(average / scale) if scale > 0 else (0.0 if average == 0 else None),
            rank_biserial=float(above / below) if below else 0.0,
        )
        for won, lost, average, scale, above, below in zip(wins, losses, mean, spread, signed, total, strict=True)
    ]
