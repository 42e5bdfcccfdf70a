"""Resampling units, partition by partition.

In a bootstrap of many units each is drawn about Poisson(1) times, independently of the others. So a partition can be
resampled without knowing the rest, and the resampled totals of partitions add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
        above, below = self.totals[:, x], self.totals[:, y]
        return above[below > 0] / below[below > 0]
