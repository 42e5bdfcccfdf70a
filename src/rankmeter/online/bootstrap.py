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

from rankmeter.online.exact_totals import LOWEST, Pieces
from rankmeter.placing.hashing import Hashes, mixed
from rankmeter.placing.placements import Floats

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
        quotients: Floats = np.divide(above, below, out=np.full(len(above), math.nan), where=below > 0)
        return quotients
