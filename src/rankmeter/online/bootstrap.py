"""Resampling units, partition by partition.

In a bootstrap of many units each is drawn about Poisson(1) times, independently of the others. So a partition can be
resampled without knowing the rest, and the resampled totals of partitions add up. How often a unit is drawn follows
from its id, the seed and the number of the resample, so that no partition changes a digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, check_whole
from rankmeter.online.exact_totals import LOWEST, Pieces
from rankmeter.placing.hashing import Hashes, mixed

Floats = npt.NDArray[np.float64]

CELLS = 4_000_000
"""How many draws are held at once."""


_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Draws:
    """The totals of resamples of some units, exact, so that those of other units can be added."""

    width: int
    totals: Mapping[tuple[int, int], Floats]
    """(resamples,) for each column and place of the grid (`exact_totals`) a whole number for each resample."""

    @classmethod
    def of_rows(cls, rows: Floats, units: Hashes, resamples: int, seed: int) -> Draws:
        """Resample a table with a row per unit; ``units`` are their ids, spread over all bits."""
        pieces = Pieces.of(rows)
        totals = np.zeros((resamples, pieces.table.shape[1]))
        resample = mixed(np.arange(1, resamples + 1, dtype=np.uint64) * _ODD + np.uint64(seed))
        step = max(1, CELLS // resamples)
        for first in range(0, len(rows), step):
            block = slice(first, first + step)
            chance = mixed(resample[:, None] ^ units[None, block]) >> np.uint64(64 - _CHANCES)
            totals += _poisson()[chance] @ pieces.table[block]
        places = zip(pieces.column, pieces.shift, strict=True)
        return cls(rows.shape[1], dict(zip(places, totals.T, strict=True)))

    def __add__(self, other: Draws) -> Draws:
        totals = dict(self.totals)
        for place, more in other.totals.items():
            totals[place] = totals[place] + more if place in totals else more
        return Draws(self.width, totals)

    def resampled(self, resamples: int) -> Resampled:
        """The totals as floats."""
        made = np.zeros((resamples, self.width))
        for column, shift in sorted(self.totals):  # from the smallest place on
            made[:, column] += np.ldexp(self.totals[column, shift], shift - LOWEST)
        return Resampled(made)


_CHANCES = 20
"""Bits of chance in a draw."""


@cache
def _poisson() -> Floats:
    """(2^20,) how often a unit is drawn, for each value of its bits of chance."""
    at_most = np.cumsum([math.exp(-1) / math.factorial(times) for times in range(10)])
    ends = np.rint(np.append(at_most, 1.0) * (1 << _CHANCES)).astype(np.int64)
    return np.repeat(np.arange(11.0), np.diff(ends, prepend=0))


@dataclass(frozen=True, slots=True)
class Resampled:
    """The totals of each column in each resample, ``(resamples, d)``."""

    totals: Floats

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
        raise InputError.of("online.few_resamples", resamples=resamples, level=level, least=least, without=without)


def two_sided(drawn: Floats) -> float:
    """The p-value of 0: twice the share of draws on its smaller side."""
    if not len(drawn):
        return math.nan
    smaller = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
    return min(1.0, 2 * (int(smaller) + 1) / (len(drawn) + 1))
