"""No worse than, and as good as: tests in which the burden of proof is on sameness (TOST, Schuirmann 1987).

A difference that is not significant does not show that two systems are alike; these tests can.
"""

from __future__ import annotations

from dataclasses import dataclass

from rankmeter.errors import check_positive
from rankmeter.stats.student import Contrasts


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
    """Whether the means of some paired differences lie within ``margin`` of 0.

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
