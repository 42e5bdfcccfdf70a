"""The values of all systems side by side: by query, gathered into the units that are resampled, and by slice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic import Values, aggregated
from rankmeter.errors import InputError, examples
from rankmeter.evaluating.listing import slices_of_queries
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.ids import LateIds, list_of_ids
from rankmeter.late import pl
from rankmeter.lists.slices import Slices
from rankmeter.lists.slicing import into_slicings
from rankmeter.measures import Measure
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.resampling import UNTESTED, AnySample, Groups, Sample
from rankmeter.wording import Option, Said, kinds, said

if TYPE_CHECKING:
    from rankmeter.comparing.systems import Measured

_UNTESTED = kinds("untested_{}", UNTESTED)


class LinedUp:
    """The values of all systems query by query, in one order of the queries."""

    def __init__(self, measured: Mapping[str, Measured], measures: Sequence[Measure]) -> None:
        evaluations = [system.evaluation for system in measured.values()]
        self.ids, self.places = line_up(evaluations)
        self.values: dict[Measure, Values] = {}
        """Arrays of (systems, queries)."""
        self.paired: dict[Measure, Bools] = {}
        self.shown: dict[Measure, Floats] = {}
        self.means: dict[Measure, list[float]] = {}
        for ev in evaluations:
            if lacking := [str(measure) for measure in measures if measure not in ev.means]:
                raise InputError.of("comparing.lacking", name=ev.name, measures=lacking)
        for measure in measures:
            # Where a system lacks a query: 0, and not counted.
            rows = [
                Values.uncounted(self.count).exchanged(place, ev.values[measure])
                for place, ev in zip(self.places, evaluations, strict=True)
            ]
            columns = {name: np.stack([getattr(row, name) for row in rows]) for name in Values.__slots__}
            values = self.values[measure] = Values(**columns)
            self.paired[measure] = np.logical_and.reduce(values.counted, axis=0)
            self.shown[measure] = np.where(values.counted, values.value, np.nan)
            self.means[measure] = [self._mean(measure, row, ev.means[measure]) for row, ev in enumerate(evaluations)]
        _refuse_disjoint(self, measured)

    @property
    def count(self) -> int:
        """How many queries there are."""
        return len(self.ids)

    def _mean(self, measure: Measure, row: int, own: float) -> float:
        """The value of a system over the queries that count for all, so that values, intervals and tests agree."""
        paired, every = self.paired[measure], self.values[measure]
        if measure.aggregate == "whole" or not paired.any() or (every.counted[row] == paired).all():
            return own
        return aggregated(
            Values(every.value[row], paired, every.numerator[row], every.denominator[row]), measure.aggregate
        )

    def values_of(self, measure: Measure, counted: Bools) -> Values:
        """The ``(systems, queries)`` values, where only these queries count."""
        return replace(self.values[measure], counted=counted)


def line_up(evaluations: Sequence[Evaluation]) -> tuple[pl.Series | LateIds, list[Ints]]:
    """All queries, and where the queries of each evaluation stand among them."""
    late = [ev.ids.values for ev in evaluations if isinstance(ev.ids, LateIds)]
    if len(late) == len(evaluations) and all(ids == late[0] for ids in late[1:]):
        return evaluations[0].ids, [np.arange(len(late[0])) for _ in evaluations]
    first = evaluations[0].queries
    if all(ev.queries.dtype == first.dtype and ev.queries.equals(first) for ev in evaluations[1:]):
        return first, [np.arange(len(first)) for _ in evaluations]
    as_text = any(ev.queries.dtype != first.dtype for ev in evaluations)
    lists = [ev.queries.cast(pl.String) if as_text else ev.queries for ev in evaluations]
    every = pl.concat(lists).unique(maintain_order=True)
    number = {query: place for place, query in enumerate(every.to_list())}
    return every, [np.array([number[query] for query in ids.to_list()], np.int64) for ids in lists]


def _refuse_disjoint(lined_up: LinedUp, measured: Mapping[str, Measured]) -> None:
    """Refuse systems without a query in common, which cannot be paired."""
    held = [system.held for system in measured.values() if system.held is not None]
    known = [np.stack(held)] if len(held) == len(measured) and len({len(system) for system in held}) == 1 else []
    for counted in [*known, *(values.counted for values in lined_up.values.values())]:
        if not counted.any(axis=1).all():
            continue  # a system without any value says so in its row
        shared = counted.astype(np.float32) @ counted.T.astype(np.float32)
        if not shared.all():
            names, (first, second) = list(measured), np.argwhere(shared == 0)[0].tolist()
            raise InputError.of("comparing.nothing_in_common", first=names[first], second=names[second])


def units_of_queries(unit: str | Mapping[Any, Any], name: str, queries: pl.Series | LateIds) -> tuple[str, Ints | None]:
    """The name of a unit, and the number of each query's unit; None where runs are the units."""
    if isinstance(unit, str):
        if unit not in ("query", "run"):
            raise InputError.of("comparing.not_a_unit", option=Option("unit", unit))
        return unit, None if unit == "run" else np.arange(len(queries))
    if not isinstance(unit, Mapping):
        raise InputError.of("comparing.not_a_unit", option=Option("unit", unit))
    ids = list_of_ids(queries)
    if all(query in unit for query in ids):
        groups = [unit[query] for query in ids]
    else:
        by_text = {str(query): group for query, group in unit.items()}
        groups = [by_text.get(str(query)) for query in ids]

    def is_blank(group: Any) -> bool:
        return group is None or group == "" or (isinstance(group, float) and math.isnan(group))

    if blank := [query for query, group in zip(ids, groups, strict=True) if is_blank(group)]:
        raise InputError.of("comparing.unit_blank", unit=name, queries=examples(blank))
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return name, np.array([numbers[group] for group in groups], np.int64)


def samples_of(
    lined_up: LinedUp, measured: Mapping[str, Measured], units_of: Ints | None
) -> tuple[dict[Measure, AnySample], dict[Measure, Said]]:
    """What is resampled for each measure, or the reason why nothing is."""
    samples: dict[Measure, AnySample] = {}
    reasons: dict[Measure, Said] = {}
    for measure in lined_up.values:
        paired = lined_up.paired[measure]
        if not measure.has_goal:
            reasons[measure] = said("no_goal")
        elif measure.aggregate in UNTESTED:
            reasons[measure] = said(_UNTESTED[measure.aggregate])
        elif not paired.any():
            reasons[measure] = said("none_paired")
        else:
            drawn: AnySample = (
                _sample_of_runs(measure, measured)
                if units_of is None
                else Sample.of_queries(lined_up.values_of(measure, paired), units_of, measure.aggregate, measure.bounds)
            )
            if np.isnan(drawn.values()).any():
                reasons[measure] = said("value_undefined")
            elif isinstance(drawn, Sample) and not (drawn.bottom.sum(axis=1) > 0).all():
                reasons[measure] = said("zero_denominator")
            else:
                samples[measure] = drawn
    return samples, reasons


def _sample_of_runs(measure: Measure, measured: Mapping[str, Measured]) -> AnySample:
    """The values of the runs: side by side where they share named seeds, else as separate groups."""
    values = [np.array([run.means[measure] for run in system.runs]) for system in measured.values()]
    names = shared_seeds(measured)
    if names is None:
        return Groups(tuple(values))
    rows = []
    for system, own in zip(measured.values(), values, strict=True):
        places = [system.seeds.index(name) for name in names] if len(own) > 1 else [0] * len(names)
        rows.append(own[places])
    return Sample.of_values(np.stack(rows))


def shared_seeds(measured: Mapping[str, Measured]) -> tuple[str, ...] | None:
    """The names of the seeds that all systems with several runs share; None where they do not, or have no names."""
    several = [names.seeds for names in measured.values() if len(names.runs) > 1]
    shared = bool(several) and all(names and set(names) == set(several[0]) for names in several)
    return several[0] if shared else None


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
    """The ways of slicing that every evaluation has; values are over the queries that count for all systems."""
    shared = [name for name in evaluations[0].slices if all(name in ev.slices for ev in evaluations)]
    if not shared:
        return {}
    queries, places = line_up(evaluations)
    rows = {
        measure: [
            Values.uncounted(len(queries)).exchanged(place, ev.values[measure])
            for place, ev in zip(places, evaluations, strict=True)
        ]
        for measure in measures
        if measure.aggregate != "whole" and all(measure in ev.values for ev in evaluations)
    }
    unequal = {
        m: several for m, several in rows.items() if any((v.counted != several[0].counted).any() for v in several)
    }
    return {
        name: _sliced_beside([
            _over_shared(ev.slices[name], number, place, unequal)
            for number, (ev, place) in enumerate(zip(evaluations, places, strict=True))
        ], measures)
        for name in shared
    }  # fmt: skip


def _over_shared(cut: Slices, number: int, place: Ints, unequal: Mapping[Measure, Sequence[Values]]) -> Slices:
    """The slices of one system, where its queries are not those of all: over those of all, as differences are."""
    if cut.kind != "query":
        return cut
    values, counts = dict(cut.values), dict(cut.counts)
    for measure, several in unequal.items():
        if measure not in values:
            continue
        own, paired = several[number], np.logical_and.reduce([row.counted for row in several])
        rows = []
        for label in range(len(cut.labels)):
            inside = np.zeros(len(paired), np.bool_)
            inside[place[cut.code == label]] = True
            both = paired & inside
            # A slice without a query that counts for all has no difference: there each system has its own value.
            kept = not both.any() or (both == (own.counted & inside)).all()
            value = cut.values[measure][label] if kept else aggregated(replace(own, counted=both), measure.aggregate)
            rows.append((value, cut.counts[measure][label] if kept else int(both.sum())))
        values[measure], counts[measure] = tuple(row[0] for row in rows), tuple(row[1] for row in rows)
    return replace(cut, values=values, counts=counts)


def _sliced_beside(several: Sequence[Slices], measures: Sequence[Measure]) -> SlicedSystems:
    # A run may hold queries that no other has, so some systems may lack a slice.
    labels = tuple(dict.fromkeys(label for slices in several for label in slices.labels))
    shown = [measure for measure in measures if all(measure in slices.values for slices in several)]
    counted = [{m: dict(zip(slices.labels, slices.counts[m], strict=True)) for m in shown} for slices in several]
    return SlicedSystems(
        several[0].name,
        labels,
        {m: tuple(tuple(slices[m].get(label, math.nan) for slices in several) for label in labels) for m in shown},
        {m: tuple(max(counts[m].get(label, 0) for counts in counted) for label in labels) for m in shown},
    )


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
        slicing.name: slices_of_queries(slicing, alone, lambda *_: math.nan)
        for slicing in into_slicings(by, ev.queries, None, None)
    }
    return replace(ev, slices={**ev.slices, **cuts})
