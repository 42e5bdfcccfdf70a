"""How far ties can move a number: between its values under the worst and the best order of tied items.

For some measures these are not known to be the extremes; they say so themselves (`RankedMeasure.ties_unknown`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmeter.arithmetic import Values, Views, aggregated
from rankmeter.evaluating.measuring import MeasuredGroup, values_under
from rankmeter.frozen import dataclass
from rankmeter.late import Late
from rankmeter.measures import Measure
from rankmeter.placing.placements import Placements, some_queries
from rankmeter.wording import said

KEPT = 1 << 19
"""Up to how many placements are kept until somebody looks at the bounds; with more, they are computed at once."""


@dataclass(frozen=True, slots=True)
class Ties:
    """What ties can do to the measures of a group."""

    bounds: Mapping[Measure, tuple[float, float]]
    unknown: Sequence[Measure] = ()
    """Those that ties may move between unknown values."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TieBounds(Mapping[Measure, tuple[float, float]]):
    """For each measure that ties can change, its lowest and its highest value over all orders of tied items.

    Computed when one is first asked for: they cost as much as the values themselves, and many callers never look.
    """

    ties: Sequence[Late[Ties]]

    @property
    def bounds(self) -> dict[Measure, tuple[float, float]]:
        """The bounds as a plain dictionary."""
        return {measure: both for tie in self.ties for measure, both in tie.value.bounds.items()}

    def __getitem__(self, measure: Measure) -> tuple[float, float]:
        return self.bounds[measure]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds)

    def __repr__(self) -> str:
        return repr(self.bounds)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.bounds,)  # pickled as a plain dictionary


def late_ties(measured: MeasuredGroup) -> Late[Ties]:
    """What ties can do, computed when it is asked for, or at once if many placements would have to be kept."""
    late = Late(lambda: Ties(_bounds(measured), unknown_in(measured)))
    if len(measured.placed.placements.query) > KEPT:
        late = Late(made=late.value)
    return late


def _bounds(measured: MeasuredGroup) -> dict[Measure, tuple[float, float]]:
    bounds = {}
    for measure, ends in extremes(measured).items():
        low, high = sorted(aggregated(values, measure.aggregate) for values in ends)
        if low < high:
            bounds[measure] = low, high
    return bounds


def extremes(measured: MeasuredGroup) -> dict[Measure, tuple[Values, Values]]:
    """The values under the worst and the best order of tied items, for measures whose extremes these are."""
    placements = measured.placed.placements
    chosen = np.zeros(len(placements), np.bool_)  # the queries in which a judged item ties with another one
    chosen[placements.query[placements.tied > 1]] = True
    if not chosen.any():
        return {}
    part = placements if chosen.all() else some_queries(placements, chosen)  # ties move only these
    placed, views = replace(measured.placed, placements=part), Views(part, measured.placed.subtopics)
    return {
        measure: (
            values.exchanged(chosen, values_under(measure(ties="worst"), views, placed)),
            values.exchanged(chosen, values_under(measure(ties="best"), views, placed)),
        )
        for measure, values in measured.values.items()
        if is_bounded(measure)
    }


def is_bounded(measure: Any) -> bool:
    """Whether ordering a tie by grade, worst and best first, gives the measure's extremes."""
    return measure.is_moved_by_ties and measure.ties not in ("worst", "best") and not measure.ties_unknown()


def unknown_in(measured: MeasuredGroup) -> list[Measure]:
    """The measures that some tie may move between unknown values."""
    return [measure for measure in measured.values if _is_unknown(measure, measured.placed.placements)]


def _is_unknown(measure: Any, placements: Placements) -> bool:
    if not measure.ties_unknown():
        return False
    tied = placements.tied > 1
    last = measure.cutoff
    if last is not None and measure.unjudged == "nonrelevant":
        tied &= placements.above < last
        if not measure.sees_order and measure.depth is None:
            tied &= placements.above + placements.tied > last
    return bool(tied.any())


def unknown_notes(measures: Iterable[Any]) -> list[str]:
    """Notes about measures that ties may move between unknown values."""
    return [said("ties_may_move", measure=str(measure), why=measure.ties_unknown()) for measure in measures]
