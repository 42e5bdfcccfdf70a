"""How well the order of confidences tells good answers from bad: risk against coverage, nAUC, AUROC.

Sources: Geifman & El-Yaniv 2017 (risk and coverage); nAUC as MTEB defines it (Gisserot-Boukhlef et al. 2024). Equal
confidences share the mean of their values.
"""

from __future__ import annotations

import math

import numpy as np

from rankmeter.placing.placements import Floats

RATES = np.linspace(0, 1, 11)[:-1]
"""Shares that abstain: not multiples of 0.1, which round to other counts."""


def risks(confidence: Floats, loss: Floats) -> Floats:
    """(n,) the mean loss of the most confident 1, 2, ..., n answers."""
    _, group = np.unique(-confidence, return_inverse=True)
    shared = np.bincount(group, loss) / np.bincount(group)
    return np.asarray(shared[np.sort(group)].cumsum() / np.arange(1, len(loss) + 1))


def area_of_risks(confidence: Floats, loss: Floats) -> tuple[float, float]:
    """The mean of the risks (AURC), and its excess over that of the best order."""
    area = float(risks(confidence, loss).mean())
    return area, area - float(risks(-loss, loss).mean())


def normalised_area(confidence: Floats, values: Floats) -> float:
    """nAUC: the share of what abstaining could gain; 1 the best order, 0 useless, NaN where all values are equal."""
    flat = float(values.mean()) * RATES[-1]
    reached, best = (_area(order, values) for order in (confidence, values))
    return (reached - flat) / (best - flat) if best - flat > 1e-12 else math.nan


def _area(confidence: Floats, values: Floats) -> float:
    size = len(values)
    answered = [size - min(round(rate * size), size - 1) for rate in RATES.tolist()]
    curve = risks(confidence, values)[np.array(answered) - 1]
    return float(((curve[1:] + curve[:-1]) / 2 * np.diff(RATES)).sum())


def separation_of(higher: Floats, lower: Floats) -> float:
    """AUROC: the chance that one of the first is above one of the second, ties counting half."""
    if not (len(higher) and len(lower)):
        return math.nan
    rising = np.sort(lower)
    below, not_above = np.searchsorted(rising, higher, "left"), np.searchsorted(rising, higher, "right")
    return float((below + not_above).mean() / 2 / len(lower))
