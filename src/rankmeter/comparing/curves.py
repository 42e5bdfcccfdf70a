"""How the value of a measure grows with its cutoff, with bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic import Views
from rankmeter.errors import MeasureError
from rankmeter.evaluating.measuring import values_under
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.planning import Group, groups_of
from rankmeter.inputs.ids import LateIds, list_of_ids
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.placing.placements import concatenate

if TYPE_CHECKING:
    from rankmeter.comparing.records import Inputs
    from rankmeter.inputs import AnyJudgments, AnyRun
    from rankmeter.placing.placements import Floats

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
MOST_FAMILIES = 6
"""Of how many measures curves are drawn at most: each needs all cutoffs of every system."""
MOST_TOGETHER = 1_000_000
"""Up to how many judged items runs are measured together."""


def families(measures: tuple[Measure, ...], cutoffs: Sequence[int] = CUTOFFS) -> dict[str, list[Measure]]:
    """The measures that have a cutoff, each at every cutoff; those that differ in the cutoff only are one family.

    >>> from rankmeter import RR, nDCG
    >>> {name: len(several) for name, several in families((nDCG @ 10, nDCG @ 5, RR)).items()}
    {'nDCG': 8, 'RR': 8}
    """
    by_name: dict[str, list[Measure]] = {}
    for measure in measures:
        if not isinstance(measure, RankedMeasure) or measure.at != "cutoff" or measure.aggregate != "mean":
            continue
        name = family_of(measure)
        if name in by_name or len(by_name) == MOST_FAMILIES:
            continue
        try:
            by_name[name] = [measure @ k for k in cutoffs]
        except MeasureError:
            continue  # it takes no cutoff with these options
    return by_name


def family_of(measure: Measure) -> str:
    """The measure without its cutoff."""
    has_cutoff = isinstance(measure, RankedMeasure) and measure.at == "cutoff" and measure.cutoff
    return str(replace(measure, cutoff=None)) if has_cutoff else str(measure)


def curves(
    measures: tuple[Measure, ...], inputs: Inputs, *, z: float, deepest: int | None = None
) -> dict[str, dict[str, Any]]:
    """For each family its cutoffs ``k``, and ``value``, ``low`` and ``high`` of each system at each of them.

    The ends are those of a band of z standard errors. Cutoffs behind ``deepest``, the end of the longest list, are left
    out.
    """
    cutoffs = tuple(k for k in CUTOFFS if deepest is None or k <= deepest) or CUTOFFS[:1]
    asked = families(measures, cutoffs)
    if not asked:
        return {}
    every = [measure for several in asked.values() for measure in several]
    runs = [run for several in inputs.runs.values() for run in several]
    groups = groups_of(every)
    # Where grades are numbers of items, those of two runs mean different ones.
    alone = any(group.plan.subtopics for group in groups)
    step = 1 if alone else max(1, MOST_TOGETHER // max(inputs.judgments.count, 1))
    values: dict[Measure, list[Floats]] = {measure: [] for measure in every}
    for start in range(0, len(runs), step):
        for measure, parts in _measured(inputs.judgments, runs[start : start + step], groups).items():
            values[measure] += parts
    bounds = list(pairwise(accumulate(map(len, inputs.runs.values()), initial=0)))
    bands = {
        measure: np.array([_band(parts[first:last], measure, z) for first, last in bounds])
        for measure, parts in values.items()
    }
    return {
        name: {"k": list(cutoffs)}
        | dict(
            zip(("value", "low", "high"), np.stack([bands[band] for band in several]).transpose(2, 1, 0), strict=True)
        )
        for name, several in asked.items()
    }


def _measured(judgments: AnyJudgments, runs: Sequence[AnyRun], groups: Sequence[Group]) -> dict[Measure, list[Floats]]:
    """The values that count of each run under each measure, NaN for the others; all runs as if they were one.

    Measuring many short runs is mostly calling: the queries of one behind those of another take a call for all.
    """
    pairs = [into_pair(judgments, run) for run in runs]
    values: dict[Measure, list[Floats]] = {}
    for group in groups:
        placed = [pair.place(group.wide if pair.wide else group.plan) for pair in pairs]
        ids = LateIds([id_ for part in placed for id_ in list_of_ids(part.ids)])
        whole = replace(placed[0], ids=ids, placements=concatenate([part.placements for part in placed]))
        views = Views(whole.placements, whole.subtopics)
        ends = np.cumsum([len(part.placements) for part in placed])[:-1]
        for measure in group.measures:
            measured = values_under(measure, views, whole)
            values[measure] = np.split(np.where(measured.counted, measured.value, np.nan), ends)
    return values


def _band(runs: Sequence[Floats], measure: Measure, z: float) -> tuple[float, float, float]:
    """The mean over queries and runs; the standard error is that over queries of the mean over runs."""
    values = runs[0] if len(runs) == 1 else np.mean(runs, axis=0)
    values = values[~np.isnan(values)]
    size = len(values)
    if not size:
        return np.nan, np.nan, np.nan
    mean = float(values.sum()) / size
    apart = values - mean
    error = (float(apart @ apart) / (size - 1) / size) ** 0.5 if size > 1 else 0.0
    low, high = measure.bounds
    return mean, max(mean - z * error, low), min(mean + z * error, high)
