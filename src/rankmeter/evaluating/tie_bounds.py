"""How far ties can move a number: between its values under the worst and the best order of tied items, or nobody knows.

Which of the two it is, the measure says (`RankedMeasure.ties_unknown`).
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
from rankmeter.placing.placements import Bools, Placements, some_queries
from rankmeter.wording import said

KEPT = 1 << 19
"""How many placements may wait for somebody to look at what comes of them; with more, it is computed at once."""


@dataclass(frozen=True, slots=True)
class Ties:
    """What ties can do to measures that share a placing."""

    bounds: Mapping[Measure, tuple[float, float]]
    unknown: Sequence[Measure] = ()
    """Those that ties may move between values that are not known."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TieBounds(Mapping[Measure, tuple[float, float]]):
    """For each measure that ties can change, its lowest and its highest value over all orders of tied items.

    They cost as much as the values themselves and many callers never look: they are computed when the first of them is
    asked for.
    """

    ties: Sequence[Late[Ties]]

    @property
    def bounds(self) -> dict[Measure, tuple[float, float]]:
        """All of them."""
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
        return dict, (self.bounds,)  # a copy elsewhere is plain


def late_ties(measured: MeasuredGroup) -> Late[Ties]:
    """What ties can do, looked at when it is asked for; at once where that would hold on to many placements."""
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
    """The values under the worst and the best order of tied items, of measures that these bound."""
    placements = measured.placed.placements
    chosen = _in_ties(placements)
    if not chosen.any():
        return {}
    part = placements if chosen.all() else some_queries(placements, chosen)  # the others have one value
    placed, views = replace(measured.placed, placements=part), Views(part, measured.placed.subtopics)
    return {
        measure: (
            _exchanged(values, chosen, values_under(measure(ties="worst"), views, placed)),
            _exchanged(values, chosen, values_under(measure(ties="best"), views, placed)),
        )
        for measure, values in measured.values.items()
        if is_bounded(measure)
    }


def is_bounded(measure: Any) -> bool:
    """Whether the worst and the best order of a tie, which are orders by grade, give its extremes."""
    return measure.is_moved_by_ties and measure.ties not in ("worst", "best") and not measure.ties_unknown()


def unknown_in(measured: MeasuredGroup) -> list[Measure]:
    """The measures that some tie may move between values that are not known."""
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
    """What to say of measures that ties may move between values that are not known."""
    return [said("ties_may_move", measure=str(measure), why=measure.ties_unknown()) for measure in measures]


def _exchanged(values: Values, chosen: Bools, again: Values) -> Values:
    """The values with those of some queries replaced."""
    changed = {}
    for name in ("value", "counted", "numerator", "denominator"):
        changed[name] = getattr(values, name).copy()
        changed[name][chosen] = getattr(again, name)
    return Values(**changed)


def _in_ties(placements: Placements) -> Bools:
    """In which queries a judged item ties with another one."""
    chosen = np.zeros(len(placements), np.bool_)
    chosen[placements.query[placements.tied > 1]] = True
    return chosen
