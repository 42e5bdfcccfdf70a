"""Ranking measures by slice of the items: judgments of one slice's items only, all slices from one placing.

The number of a judgment stands for its grade while the run is placed, as it does for subtopics; it leads to the slice
and to the grade. What a slice's judgments alone would give is then a choice of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmeter.arithmetic import Values, Views
from rankmeter.evaluating.measuring import groups_of, values_under
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.numbering import numbers_among
from rankmeter.placing.pairs import Placeable, place_run
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Plan
from rankmeter.placing.segments import offsets_of, sort_descending


@dataclass(frozen=True, slots=True)
class SlicedJudgments:
    """Judgments, and the slice of each."""

    truth: JudgmentTable
    label: Ints
    """The slice of the judged item; -1 for none."""
    slices: int

    def part(self, place: int) -> JudgmentTable:
        """The judgments of one slice."""
        rows, truth = pl.Series(self.label == place), self.truth
        return JudgmentTable(
            truth.query.filter(rows), truth.item.filter(rows), truth.grade.filter(rows), source=truth.source
        )

    def has_relevant(self, place: int) -> bool:
        """Whether anything in a slice is relevant; where nothing is, it has no values."""
        return bool((self.truth.grade.to_numpy()[self.label == place] > 0).any())


def values_by_slice(
    placing: Placeable, measures: Sequence[Measure], judged: SlicedJudgments, queries: pl.Series
) -> list[dict[Measure, Values]]:
    """For each slice the values of the ranking measures, one for each of ``queries``; subtopics cannot be cut so."""
    values: list[dict[Measure, Values]] = [{} for _ in range(judged.slices)]
    for group in groups_of(measures):
        plan = group.wide
        if plan.subtopics:
            continue
        # What was not returned is put behind the list together, so it must be placed slice by slice.
        place = _one_by_one(placing, judged, plan) if plan.unreturned else _from_one(placing, judged, plan)
        for at in filter(judged.has_relevant, range(judged.slices)):
            values[at] |= _values(place(at), group.measures, queries)
    return values


def _one_by_one(placing: Placeable, judged: SlicedJudgments, plan: Plan) -> Callable[[int], PlacedRun]:
    run = placing.run().run_table()
    return lambda at: place_run(judged.part(at), run, plan)


def _from_one(placing: Placeable, judged: SlicedJudgments, plan: Plan) -> Callable[[int], PlacedRun]:
    grade = judged.truth.grade.to_numpy()
    numbered = replace(judged.truth, grade=pl.Series(np.arange(1.0, len(grade) + 1)))
    # Numbers say nothing of how high a grade is, so none is left out by it.
    placed = place_run(numbered, placing.run(), replace(plan, depth=None, totals=True))
    return lambda at: replace(placed, placements=_some_judgments(placed.placements, grade, judged.label == at))


def _some_judgments(placements: Placements, grade: Floats, inside: Bools) -> Placements:
    """Placements whose grades are numbers of judgments, as those of some judgments with their grades."""
    number, of_best = (numbers.astype(np.int64) - 1 for numbers in (placements.grade, placements.best))
    rows = placements.rows(inside[number])
    kept = inside[of_best]
    offsets = offsets_of(kept)[placements.best_offsets]
    return replace(
        placements,
        is_judged=np.diff(offsets) > 0,
        best_offsets=offsets,
        best=sort_descending(grade[of_best[kept]], offsets),
        **{**rows, "grade": grade[number[inside[number]]]},
    )


def _values(placed: PlacedRun, measures: Sequence[Measure], queries: pl.Series) -> dict[Measure, Values]:
    """The values of a placing, in the order of some queries."""
    row = numbers_among(queries.cast(pl.String), placed.queries.cast(pl.String))
    views = Views(placed.placements)
    nothing = Values.uncounted(len(queries))
    return {measure: nothing.exchanged(row, values_under(measure, views, placed)) for measure in measures}
