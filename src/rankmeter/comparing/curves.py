"""How the value of a measure grows with its cutoff, with bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.errors import MeasureError
from rankmeter.evaluating.verb import evaluate
from rankmeter.measures import Measure, RankedMeasure

if TYPE_CHECKING:
    from rankmeter.comparing.records import Inputs
    from rankmeter.evaluating.result import Evaluation

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
MOST_FAMILIES = 6
"""Of how many measures curves are drawn at most: each needs all cutoffs of every system."""


def families(measures: tuple[Measure, ...], cutoffs: Sequence[int] = CUTOFFS) -> dict[str, list[Measure]]:
    """The measures that have a cutoff, each at every cutoff; those that differ in the cutoff only are one family.

    >>> from rankmeter import RR, nDCG
    >>> {name: len(several) for name, several in families((nDCG @ 10, nDCG @ 5, RR)).items()}
    {'nDCG': 8, 'RR': 8}
    """
    found: dict[str, list[Measure]] = {}
    for measure in measures:
        if not isinstance(measure, RankedMeasure) or measure.at != "cutoff" or measure.aggregate != "mean":
            continue
        name = str(replace(measure, cutoff=None)) if measure.cutoff else str(measure)
        if name in found or len(found) == MOST_FAMILIES:
            continue
        try:
            found[name] = [measure @ k for k in cutoffs]
        except MeasureError:
            continue  # it takes no cutoff with these options
    return found


def curves(
    measures: tuple[Measure, ...], inputs: Inputs, *, z: float, deepest: int | None = None
) -> dict[str, list[dict[str, Any]]]:
    """For each family the value of each system at each cutoff, with the ends of a band of z standard errors.

    Cutoffs behind ``deepest``, the end of the longest list, are left out.
    """
    cutoffs = tuple(k for k in CUTOFFS if deepest is None or k <= deepest) or CUTOFFS[:1]
    asked = families(measures, cutoffs)
    if not asked:
        return {}
    every = [measure for several in asked.values() for measure in several]
    points: dict[str, list[dict[str, Any]]] = {name: [] for name in asked}
    for place, (system, runs) in enumerate(inputs.runs.items()):
        evaluations = [evaluate(inputs.judgments, run, every, name=system) for run in runs]
        for name, several in asked.items():
            points[name] += [
                {"s": place, "system": system, "k": k, **_band(evaluations, measure, z)}
                for k, measure in zip(cutoffs, several, strict=True)
            ]
    return points


def _band(evaluations: list[Evaluation], measure: Measure, z: float) -> dict[str, float | None]:
    """The mean over queries and runs; the standard error is that over queries of the mean over runs."""
    parts = [ev.values[measure] for ev in evaluations]
    counted = np.logical_and.reduce([part.counted for part in parts])
    values = np.mean([part.value[counted] for part in parts], axis=0)
    values = values[~np.isnan(values)]
    if not len(values):
        return {"value": None, "low": None, "high": None}
    mean = float(values.mean())
    error = float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    low, high = measure.bounds
    return {"value": mean, "low": max(mean - z * error, low), "high": min(mean + z * error, high)}
