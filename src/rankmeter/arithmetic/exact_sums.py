"""Exact sums, rounded once or not at all: the same digits whatever the order of the values and however they are parted.

A sum is handed on in one of two forms that add up without rounding. An *expansion* is a few floats whose exact sum is
that of the values (Shewchuk 1997): what blocks and processes give each other. A *whole number* counts the places of one
fixed grid, which every float64 falls on (Kulisch & Miranker 1981 call it the long accumulator): what can be multiplied,
and cut into limbs of a fixed width that processes add in place. `Pieces` are numbers cut at places of that grid, so
small that a matrix product adds up their products exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Floats, Ints

MANY = 4096
"""From this many values on, adding them in NumPy is worth its set-up."""
FEW = 32
"""Up to here, whole numbers of Python are added as fast."""
BITS = 16
"""Of a piece."""
GRID = 1088
"""The grid's last place, as a negative power of two: below the smallest float, and a multiple of the bits."""


def summed(values: Floats, times: Ints | None = None) -> float:
    """``math.fsum(values)``, the exact sum rounded once, without a Python object for each value.

    With ``times`` each value is added that many times.
    """
    return math.fsum(values.tolist() if times is None and len(values) < MANY else exact_terms(values, times))


def exact_terms(values: Floats, times: Ints | None = None, many: int = MANY) -> list[float]:
    """Numbers whose exact sum is that of the values; few if there are ``many`` values or more.

    The leading bits of all values, as many as can be added without rounding, are split off and added by NumPy; then
    those of the remainders, until nothing is left (Rump, Ogita & Oishi 2008).
    """
    rest = values
    sums: list[float] = []
    bits = int(len(values) if times is None else times.sum()).bit_length() + 1
    while len(values) >= many or (times is not None and len(values)):
        largest = max(float(rest.max()), -float(rest.min()))
        if largest == 0.0:
            return sums
        if math.isnan(largest):
            return [math.nan]
        if not largest < 1e290:
            break
        anchor = 2.0 ** (math.frexp(largest)[1] + bits)
        leading = anchor + rest
        leading -= anchor
        sums.append(float(leading.sum() if times is None else (leading * times).sum()))
        rest = rest - leading if rest is values else np.subtract(rest, leading, out=rest)
    if times is not None:
        rest = np.repeat(rest, times)
    return [*sums, *rest[rest != 0].tolist()]


def expansion(values: Floats) -> list[float]:
    """A few numbers whose exact sum is the exact sum of the values, the largest first.

    Each number is the rounded remainder after those before it, at most half a unit in the last place of its
    predecessor, so there are two or three.

    Examples
    --------
    >>> expansion(np.array([0.1] * 10))
    [1.0, 5.55...e-17]
    >>> math.fsum(expansion(np.array([1e16, 1.0, -1e16])))
    1.0
    """
    terms = exact_terms(values)
    parts: list[float] = []
    while rest := math.fsum(terms):
        parts.append(rest)
        if not math.isfinite(rest):
            break
        terms.append(-rest)
    return parts


def whole_number(values: Floats) -> int:
    """The exact sum of finite values as a whole number of the grid's last place.

    >>> whole_number(np.array([1e100, 1.0, -1e100])) == 1 << GRID
    True
    """
    ratios = (term.as_integer_ratio() for term in exact_terms(values, many=FEW))
    return sum(above << (GRID + 1 - below.bit_length()) for above, below in ratios)


def rounded(wholes: npt.NDArray[Any], among: int = 1) -> Floats:
    """Whole numbers of the grid's last place, each divided by ``among`` and rounded once."""
    unit = among << GRID
    return np.array([number / unit for number in wholes.ravel().tolist()], float).reshape(wholes.shape)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The numbers of a table cut at places of the grid."""

    table: Floats
    """(n, p) whole numbers of at most 16 bits."""
    column: tuple[int, ...]
    """(p,) the column of the numbers."""
    shift: tuple[int, ...]
    """(p,) what a piece counts, as a power of two above the grid's last place."""

    @classmethod
    def of(cls, rows: Floats) -> Pieces:
        """Cut a table of finite numbers, ``(n, d)``."""
        pieces: list[Floats] = []
        columns, shifts = [], []
        for column, rest in enumerate(rows.T):
            while largest := float(np.abs(rest).max(initial=0.0)):
                place = (np.frexp(largest)[1] - 1) // BITS * BITS
                piece = np.trunc(np.ldexp(rest, -place))
                pieces.append(piece)
                columns.append(column)
                shifts.append(int(place) + GRID)
                rest = rest - np.ldexp(piece, place)
        return cls(np.column_stack(pieces) if pieces else np.zeros((len(rows), 0)), tuple(columns), tuple(shifts))
