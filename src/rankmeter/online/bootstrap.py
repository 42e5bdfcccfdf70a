"""Resampling units, partition by partition.

In a bootstrap of many units each is drawn about Poisson(1) times, independently of the others. So a partition can be
resampled without knowing the rest, and the resampled totals of partitions add up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_whole, with_hint

Floats = npt.NDArray[np.float64]

CELLS = 4_000_000
"""How many draws are held at once."""


@dataclass(frozen=True, slots=True)
class Resampled:
    """The totals of each column in each resample, ``(resamples, d)``."""

    totals: Floats

    @classmethod
    def of_rows(cls, rows: Floats, resamples: int, seed: tuple[int, ...]) -> Resampled:
        """Resample a table with a row per unit; the seed tells partitions apart."""
        random = np.random.default_rng(seed)
        totals = np.zeros((resamples, rows.shape[1]))
        step = max(1, CELLS // resamples)
        for first in range(0, len(rows), step):
            block = rows[first : first + step]
            drawn = random.poisson(1.0, (resamples, len(block))).astype(float)
            totals += drawn @ block
        return cls(totals)

    def __add__(self, other: Resampled) -> Resampled:
        return Resampled(self.totals + other.totals)

    def ratio(self, x: int, y: int) -> Floats:
        """(resamples,) the quotient of two columns; resamples without anything below the line are left out."""
        quotients = self.quotients(x, y)
        return quotients[~np.isnan(quotients)]

    def quotients(self, x: int, y: int) -> Floats:
        """(resamples,) the quotient of two columns in each resample, NaN where there is nothing below the line."""
        above, below = self.totals[:, x], self.totals[:, y]
        found: Floats = np.divide(above, below, out=np.full(len(above), math.nan), where=below > 0)
        return found


def middle(drawn: Floats, level: float) -> tuple[float, float]:
    """The interval that holds the middle of some draws.

    Of B draws the k-th smallest has a share of k / (B + 1) below it (Weibull's definition of a quantile). The more
    usual (k - 1) / (B - 1) makes intervals of few draws too short: with 100 draws a test at 5% alarms in 7%.

    Examples
    --------
    >>> import numpy as np
    >>> [round(end, 6) for end in middle(np.arange(1.0, 40.0), 0.95)]
    [1.0, 39.0]
    """
    if not len(drawn):
        return math.nan, math.nan
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="weibull")
    return float(low), float(high)


def least_draws(level: float) -> int:
    """The fewest draws that have one outside of the interval on each side.

    >>> least_draws(0.95)
    39
    """
    return math.ceil(round(2 / (1 - level), 9)) - 1


def check_resamples(resamples: object, level: float, *, without: str = "no interval") -> None:
    """Refuse so few resamples that none lies outside of the interval; 0 is for those who want none."""
    least = least_draws(level)
    if 0 < check_whole("resamples", resamples) < least:
        fact = (
            f"resamples={resamples} are too few for an interval at a level of {level:g}; at least {least:,} are needed."
        )
        raise InputError(with_hint(fact, f"resamples=1000; 0 for {without}"))


def two_sided(drawn: Floats) -> float:
    """The p-value of 0: twice the share of draws on its smaller side."""
    if not len(drawn):
        return math.nan
    smaller = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    return min(1.0, 2 * (int(smaller) + 1) / (len(drawn) + 1))
