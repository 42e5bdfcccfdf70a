"""Differences as a sample of two systems."""

from __future__ import annotations

import numpy as np

from rankmeter.arithmetic import AGGREGATES
from rankmeter.stats.resampling import Sample


def beside_zeros(differences: np.ndarray, bounds: tuple[float, float] = (-np.inf, np.inf)) -> Sample:
    """A system whose values are the differences, beside one whose values are 0."""
    both = np.stack([differences, np.zeros_like(differences)])
    return Sample(both, np.ones_like(both), AGGREGATES["mean"], bounds)
