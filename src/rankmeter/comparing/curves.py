"""How the value of a measure changes with its cutoff, with confidence bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic import Values, aggregated
from rankmeter.comparing.systems import averaged_values
from rankmeter.errors import MeasureError
from rankmeter.evaluating.measuring import measure_groups
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.planning import Group, groups_of
from rankmeter.measures import Measure, RankedMeasure

if TYPE_CHECKING:
    from rankmeter.comparing.records import Inputs
    from rankmeter.inputs.tables import Judgments, Run

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
MOST_FAMILIES = 6
"""How many measures get a curve: each needs all cutoffs of every system."""


def families(measures: tuple[Measure, ...], cutoffs: Sequence[int] = CUTOFFS) -> dict[str, list[Measure]]:
    """The measures with a cutoff, each at every cutoff; those that differ only in their cutoff are one family.

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

    ``low`` and ``high`` are z standard errors away. Cutoffs beyond ``deepest``, the end of the longest list, are left
    out.
    """
    cutoffs = tuple(k for k in CUTOFFS if deepest is None or k <= deepest) or CUTOFFS[:1]
    asked = families(measures, cutoffs)
    if not asked:
        return {}
    groups = groups_of([measure for several in asked.values() for measure in several])
    bands: dict[Measure, list[tuple[float, float, float]]] = {}
    for runs in inputs.runs.values():
        measured = [_values(inputs.judgments, run, groups) for run in runs]
        for measure in measured[0]:
            bands.setdefault(measure, []).append(_band([values[measure] for values in measured], measure, z))
    return {
        name: {"k": list(cutoffs)}
        | dict(zip(("value", "low", "high"), np.array([bands[at] for at in several]).transpose(2, 1, 0), strict=True))
        for name, several in asked.items()
    }


def _values(judgments: Judgments, run: Run, groups: Sequence[Group]) -> dict[Measure, Values]:
    values: dict[Measure, Values] = {}
    for group in measure_groups(into_pair(judgments, run), groups, strict=None):
        values |= group.values
    return values


def _band(runs: Sequence[Values], measure: Measure, z: float) -> tuple[float, float, float]:
    """The mean over queries and runs with its band; the standard error is that over queries, of the mean over runs."""
    values = averaged_values(runs, measure)
    mean = aggregated(values, measure.aggregate)
    apart = values.value[values.counted] - mean
    size = len(apart)
    error = (float(apart @ apart) / (size - 1) / size) ** 0.5 if size > 1 else 0.0
    low, high = measure.bounds
    return mean, max(mean - z * error, low), min(mean + z * error, high)
