"""Systems by slices of the queries or of the items: what each evaluation found, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankmeter.evaluating.result import Evaluation
from rankmeter.lists.listing import slices_of_queries
from rankmeter.lists.slices import Slices
from rankmeter.lists.slicing import into_slicings
from rankmeter.measures import Measure


@dataclass(frozen=True, slots=True)
class SlicedSystems:
    """One way of slicing: how many queries each value is about, and the value of each system."""

    name: str
    labels: tuple[str, ...]
    """In the order in which the slices were cut, numbers rising."""
    values: Mapping[Measure, tuple[tuple[float, ...], ...]]
    """For each measure and slice the value of each system; NaN where nothing counts there."""
    counts: Mapping[Measure, tuple[int, ...]]
    """For each measure and slice how many queries the values are about: the most of any system."""

    def rows(self, systems: Sequence[str]) -> list[dict[str, Any]]:
        """A row per measure, slice and system."""
        return [
            {
                "by": self.name,
                "slice": label,
                "measure": str(measure),
                "system": system,
                "value": None if math.isnan(value) else value,
                "queries": self.counts[measure][place],
            }
            for measure, several in self.values.items()
            for place, label in enumerate(self.labels)
            for system, value in zip(systems, several[place], strict=True)
        ]


def side_by_side(evaluations: Sequence[Evaluation], measures: Sequence[Measure]) -> dict[str, SlicedSystems]:
    """The ways of slicing that every evaluation has."""
    shared = [name for name in evaluations[0].slices if all(name in ev.slices for ev in evaluations)]
    return {name: _beside([ev.slices[name] for ev in evaluations], measures) for name in shared}


def _beside(several: Sequence[Slices], measures: Sequence[Measure]) -> SlicedSystems:
    # A run may hold queries that no other has, so some systems may lack a slice.
    labels = tuple(dict.fromkeys(label for slices in several for label in slices.labels))
    shown = [measure for measure in measures if all(measure in slices.values for slices in several)]
    return SlicedSystems(
        several[0].name,
        labels,
        {m: tuple(tuple(slices[m].get(label, math.nan) for slices in several) for label in labels) for m in shown},
        {m: tuple(max(_count(slices, m, label) for slices in several) for label in labels) for m in shown},
    )


def _count(slices: Slices, measure: Measure, label: str) -> int:
    return slices.counts[measure][slices.labels.index(label)] if label in slices.labels else 0


def averaged_slices(several: Sequence[Mapping[str, Slices]]) -> dict[str, Slices]:
    """The slices of several runs of one system: the mean of their values."""
    averaged = {}
    for name, first in several[0].items():
        others = [slices[name] for slices in several if name in slices and slices[name].labels == first.labels]
        if len(others) == len(several):
            values = {m: tuple(np.mean([slices.values[m] for slices in others], axis=0).tolist()) for m in first.values}
            averaged[name] = replace(first, values=values, samples={})
    return averaged


def sliced(ev: Evaluation, by: object) -> Evaluation:
    """An evaluation that was made before, sliced by its queries; to slice items would take the lists."""
    if by is None:
        return ev
    alone = {measure: values for measure, values in ev.values.items() if measure.aggregate != "whole"}
    cuts = {
        slicing.name: slices_of_queries(slicing, alone, _no_lists)
        for slicing in into_slicings(by, ev.queries, None, None)
    }
    return replace(ev, slices={**ev.slices, **cuts})


def _no_lists(*_: object) -> float:
    return math.nan
