"""How large a difference is, and whether it lies within a margin.

A difference that is not significant does not show that two systems are alike. Tests of "no worse than" and "as good as"
do: there the burden of proof is on sameness (TOST, Schuirmann 1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmeter.errors import check_positive
from rankmeter.placing.placements import Floats
from rankmeter.stats.paired import ranks_of
from rankmeter.stats.student import Contrasts, without_noise


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
    """The effect sizes of ``(pairs, units)`` paired differences.

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
    # Zeros are left out: they hold the lowest ranks, so all other ranks fall by their number.
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


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether a difference lies within a margin; p-values of one-sided paired t tests."""

    margin: float
    no_worse: float
    """p-value of "worse by the margin or more"; small: no worse than."""
    no_better: float
    """p-value of "better by the margin or more"."""

    @property
    def equivalent(self) -> float:
        """p-value of "differs by the margin or more" (the larger of the two one-sided ones)."""
        return max(self.no_worse, self.no_better)


def equivalences(contrasts: Contrasts, margin: float, *, higher_is_better: bool = True) -> list[Equivalence]:
    """Whether the means of paired differences lie within ``margin`` of 0.

    Differences that are all equal have no spread for a t test: n of them within the margin have p = 2^-n.

    Examples
    --------
    >>> import numpy as np
    >>> small = np.random.default_rng(0).normal(0, 0.02, (1, 200))
    >>> tested = equivalences(Contrasts.of_rows(small), 0.01)[0]
    >>> tested.no_worse < 0.001, tested.equivalent < 0.001
    (True, True)
    """
    check_positive("margin", margin, 0.01)
    above, below = contrasts.moved(margin).p("greater"), contrasts.moved(-margin).p("less")
    both = (above, below) if higher_is_better else (below, above)
    return [Equivalence(margin, *ends) for ends in zip(*(side.tolist() for side in both), strict=True)]
