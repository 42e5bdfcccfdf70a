"""Totals over units that no order of the units and no partition of the log changes by a bit.

Every number is cut into pieces of 16 bits on a fixed grid. Pieces are small whole numbers, so that sums of them and of
their products are exact however a matrix product adds them up; Python's whole numbers put the sums together, and each
mean and each product of deviations is rounded once, at the end. A log that is counted whole, by partitions on disk or
by the workers of a cluster has the same digits.

Units are resampled partition by partition too. In a bootstrap of many units each is drawn about Poisson(1) times,
independently of the others, and how often follows from its id, the seed and the number of the resample: the resampled
totals of partitions add up, and no partition changes a digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError
from rankmeter.placing.matching import Hashes, mixed
from rankmeter.placing.placements import Floats

BITS = 16
"""Of a piece: 2^20 products of two of them, below 2^52 together, add up without rounding."""
BLOCK = 1 << 20
LOWEST = 1088
"""The grid's last place, as a negative power of two: below the smallest float, and a multiple of the bits."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The numbers of a table cut at the places of the grid."""

    table: Floats
    """(n, p) whole numbers of at most 16 bits."""
    column: tuple[int, ...]
    """(p,) the column of the numbers."""
    shift: tuple[int, ...]
    """(p,) what a piece counts, as a power of two above the grid's last place."""

    @classmethod
    def of(cls, rows: Floats) -> Pieces:
        """Cut a table with a row per unit, ``(n, d)``."""
        if not np.isfinite(rows).all():
            raise InputError.of("online.units_not_finite")
        pieces: list[Floats] = []
        columns, shifts = [], []
        for column, rest in enumerate(rows.T):
            while largest := float(np.abs(rest).max(initial=0.0)):
                place = (np.frexp(largest)[1] - 1) // BITS * BITS
                piece = np.trunc(np.ldexp(rest, -place))
                pieces.append(piece)
                columns.append(column)
                shifts.append(int(place) + LOWEST)
                rest = rest - np.ldexp(piece, place)
        return cls(np.column_stack(pieces) if pieces else np.zeros((len(rows), 0)), tuple(columns), tuple(shifts))


@dataclass(frozen=True, slots=True)
class Totals:
    """How many units, and the exact totals of columns and of their products; they add up.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0.1], [0.2], [0.3], [1e16], [-1e16]])
    >>> whole, parts = Totals.of_rows(rows), Totals.of_rows(rows[3:]) + Totals.of_rows(rows[2::-1])
    >>> whole.means().tolist(), (whole.means() == parts.means()).all()
    ([0.12], np.True_)
    """

    n: int
    columns: npt.NDArray[Any]
    """(d,) whole numbers, in units of the grid's last place."""
    products: npt.NDArray[Any]
    """(d, d) whole numbers, in units of its square."""

    @classmethod
    def of_rows(cls, rows: Floats) -> Totals:
        """The totals of a table with a row per unit, ``(n, d)``."""
        width = rows.shape[1]
        columns, products = np.zeros(width, object), np.zeros((width, width), object)
        for first in range(0, len(rows), BLOCK):
            pieces = Pieces.of(rows[first : first + BLOCK])
            totals = pieces.table.sum(axis=0).tolist()
            squares = (pieces.table.T @ pieces.table).tolist()
            places = list(zip(pieces.column, pieces.shift, strict=True))
            for (column, shift), total, row in zip(places, totals, squares, strict=True):
                columns[column] += int(total) << shift
                for (other, more), product in zip(places, row, strict=True):
                    products[column, other] += int(product) << (shift + more)
        return cls(len(rows), columns, products)

    def __add__(self, other: Totals) -> Totals:
        return Totals(self.n + other.n, self.columns + other.columns, self.products + other.products)

    def means(self) -> Floats:
        """(d,) the mean of each column, rounded once."""
        return np.array([total / (self.n << LOWEST) for total in self.columns.tolist()], float)

    def deviations(self) -> Floats:
        """(d, d) the sums of products of deviations from the means, each rounded once."""
        spread = self.n * self.products - np.outer(self.columns, self.columns)
        rounded = [product / (self.n << (2 * LOWEST)) for product in spread.ravel().tolist()]
        return np.array(rounded, float).reshape(spread.shape)


def totals_by(group: npt.NDArray[np.int64], groups: int, rows: Floats) -> npt.NDArray[Any]:
    """(groups, d) the exact totals of the rows of each group; :func:`rounded` makes numbers of them."""
    pieces = Pieces.of(rows)
    totals = np.zeros((groups, rows.shape[1]), object)
    for piece, column, shift in zip(pieces.table.T, pieces.column, pieces.shift, strict=True):
        counts = np.bincount(group, piece, minlength=groups).tolist()
        totals[:, column] += np.array([int(count) << shift for count in counts], object)
    return totals


def rounded(totals: npt.NDArray[Any]) -> Floats:
    """Exact totals as floats, each rounded once."""
    unit = 1 << LOWEST
    return np.array([total / unit for total in totals.ravel().tolist()], float).reshape(totals.shape)


CELLS = 4_000_000
"""How many draws are held at once."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Draws:
    """The totals of resamples of some units, exact, so that those of other units can be added."""

    width: int
    totals: Mapping[tuple[int, int], Floats]
    """(resamples,) for each column and place of the grid a whole number for each resample."""

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

    def resampled(self, resamples: int) -> Floats:
        """(resamples, d) the totals as floats."""
        totals = np.zeros((resamples, self.width))
        for column, shift in sorted(self.totals):  # from the smallest place on
            totals[:, column] += np.ldexp(self.totals[column, shift], shift - LOWEST)
        return totals


_CHANCES = 20
"""Bits of chance in a draw."""


@cache
def _poisson() -> Floats:
    """(2^20,) how often a unit is drawn, for each value of its bits of chance."""
    at_most = np.cumsum([math.exp(-1) / math.factorial(times) for times in range(10)])
    ends = np.rint(np.append(at_most, 1.0) * (1 << _CHANCES)).astype(np.int64)
    return np.repeat(np.arange(11.0), np.diff(ends, prepend=0))


def quotients(totals: Floats, x: int, y: int) -> Floats:
    """(resamples,) the quotient of two columns of ``totals`` in each resample; NaN where the second is 0."""
    above, below = totals[:, x], totals[:, y]
    return np.asarray(np.divide(above, below, out=np.full(len(above), math.nan), where=below > 0))
