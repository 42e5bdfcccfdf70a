"""No worse than, and as good as: tests in which the burden of proof is on sameness (TOST, Schuirmann 1987).

A difference that is not significant does not show that two systems are alike; these tests can.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmeter.errors import InputError
from rankmeter.placing.placements import Floats


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


def equivalence(differences: Floats, margin: float, *, higher_is_better: bool = True) -> Equivalence:
    """Test whether the mean of some paired differences lies within ``margin`` of 0.

    Examples
    --------
    >>> import numpy as np
    >>> small = np.random.default_rng(0).normal(0, 0.02, 200)
    >>> found = equivalence(small, 0.01)
    >>> found.no_worse < 0.001, found.equivalent < 0.001
    (True, True)
    """
    if not 0 < margin < math.inf:
        raise InputError(f"margin={margin} is not possible; a margin is above 0, as in 0.01.")
    gained = differences if higher_is_better else -differences
    return Equivalence(margin, _above(gained + margin), _above(margin - gained))


def _above(values: Floats) -> float:
    """p-value of a one-sided t test that the mean is above 0."""
    if len(values) < 2:
        return 1.0
    if np.ptp(values) <= 1e-12 * max(float(np.abs(values).max()), 1e-300):
        return 0.0 if values[0] > 0 else 1.0
    from scipy.stats import ttest_1samp  # scipy is loaded only for statistics

    return float(ttest_1samp(values, 0.0, alternative="greater").pvalue)
