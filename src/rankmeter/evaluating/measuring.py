"""Values: place once for measures that share a plan, apply each measure's formula, then its policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rankmeter.arithmetic import Values, Views, parts_of, values_of
from rankmeter.arithmetic.custom import FailedMeasureError
from rankmeter.errors import MeasureError, warn
from rankmeter.evaluating.planning import Group
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.pairs import Placeable
from rankmeter.wording import said


@dataclass(frozen=True, slots=True)
class MeasuredGroup:
    """Measures that share a placing, the placing, and their values."""

    measures: tuple[Any, ...]
    placed: PlacedRun
    views: Views
    values: dict[Measure, Values]

    def only(self, measures: Sequence[Measure]) -> MeasuredGroup:
        """The group with the values of some of its measures only."""
        return replace(self, values={measure: values for measure, values in self.values.items() if measure in measures})


def measure_groups(given: Placeable, groups: Iterable[Group], *, strict: bool | None) -> Iterator[MeasuredGroup]:
    """Place once for each group of measures, and compute their values.

    ``strict`` says whether a measure that the data cannot answer is refused or only warned about; None if this is only
    a part of the data, which cannot tell.
    """
    wide = given.wide
    for group in groups:
        placed = given.place(group.wide if wide else group.plan)
        views = Views(placed.placements, placed.subtopics)
        values = {}
        if strict is not None and (group.strictest > placed.highest_grade or not placed.scored):
            for measure in group.measures:
                check_answerable(measure, scored=placed.scored, highest=placed.highest_grade, strict=strict)
        for measure in group.measures:
            if placed.unplaced and measure.query_policy == "run":
                raise MeasureError.of("evaluating.not_placed", measure=measure, count=placed.unplaced)
            values[measure] = values_under(measure, views, placed)
        yield MeasuredGroup(group.measures, placed, views, values)


def values_under(measure: Any, views: Views, placed: PlacedRun) -> Values:
    """The value of each query under a measure, given what was placed."""
    try:
        parts = parts_of(measure, views.of(measure))
    except FailedMeasureError as failed:
        raise MeasureError(failed.about(placed.queries.to_list())) from failed.error
    return values_of(parts, measure, placed.placements)


def check_answerable(measure: Any, *, scored: bool, highest: float, strict: bool = True) -> None:
    """Refuse a measure that the data cannot answer; if another tool's number is asked for (not ``strict``), warn."""
    if measure.sign == "positive" and not scored:
        raise MeasureError.of("evaluating.sign_of_ranks", measure=measure)
    if measure.subtopics:
        return  # grades are numbers of items here
    rel = measure.threshold
    if rel is not None and rel > highest > 0:
        fact = said("no_such_grade", measure=str(measure), rel=rel, highest=highest)
        if strict:
            raise MeasureError.of("evaluating.no_such_grade", fact=fact, name=type(measure).name, highest=highest)
        warn(fact)
