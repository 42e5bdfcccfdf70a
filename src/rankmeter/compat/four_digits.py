"""Numbers as C's ``%6.4f`` prints them, a million at a time.

Most measures lie between 0 and 1, so there are only ten thousand and one texts to choose from. Numbers that lie as good
as half way between two of them, or outside, are printed one by one.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from rankmeter.placing.placements import Floats

MANY = 10_000
"""From how many numbers on the texts are made beforehand."""
DOUBTFUL = 1e-6
"""How near to half way the scaled number may be misleading: far more than its rounding error."""


def four_digits(value: float) -> str:
    """A value as C prints it: 0/0 has a minus sign, one that was read from a file of z-scores has that of the file."""
    if math.isnan(value):
        return "  -nan" if math.copysign(1, value) < 0 else "   nan"
    return f"{value:6.4f}"


def all_four_digits(values: Floats) -> list[str]:
    """The same for many."""
    if len(values) < MANY:
        return list(map(four_digits, values.tolist()))
    with np.errstate(invalid="ignore"):
        scaled = values * 1e4
        nearest = np.rint(scaled)
        certain = ~np.signbit(values) & (values <= 1.0) & (np.abs(np.abs(scaled - nearest) - 0.5) > DOUBTFUL)
    texts = list(map(_texts().__getitem__, np.where(certain, nearest, 0.0).astype(np.int64).tolist()))
    for row in np.flatnonzero(~certain).tolist():
        texts[row] = four_digits(float(values[row]))
    return texts


@cache
def _texts() -> list[str]:
    return [f"{number / 10_000:6.4f}" for number in range(10_001)]
