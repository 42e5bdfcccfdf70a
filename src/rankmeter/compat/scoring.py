"""Values per query of many measures from one placing: what every front door stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rankmeter.arithmetic import Parts, Views, formula_of, values_of
from rankmeter.inputs.ids import LateIds, list_of_ids
from rankmeter.measures import Measure
from rankmeter.placing import PlacedRun, Plan
from rankmeter.placing.mapping import place_mappings
from rankmeter.placing.placements import Bools, Floats


class Scores:
    """A run placed against judgments once, and the value per query of any measure that shares its placing.

    Unlike :func:`rankmeter.evaluate` it computes no bounds of ties and no facts: other tools do not report them.
    """

    def __init__(self, placed: PlacedRun) -> None:
        self.placed = placed
        self.views = Views(placed.placements)
        self._values: dict[Measure, Floats] = {}

    @classmethod
    def of_mappings(
        cls, judgments: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], plan: Plan
    ) -> Scores:
        """Place a run that may share no query with the judgments."""
        queries, placements, highest = place_mappings(judgments, run, plan)  # type: ignore[arg-type]
        return cls(PlacedRun(LateIds(queries), placements, scored=True, highest_grade=highest))

    @property
    def queries(self) -> list[Any]:
        """(n,) ids, judged queries first."""
        return list_of_ids(self.placed.ids)

    @property
    def common(self) -> Bools:
        """(n,) which queries are both judged and in the run."""
        placements = self.placed.placements
        return placements.is_judged & placements.in_run

    def parts(self, measure: Any) -> Parts:
        """Numerator and denominator of a measure for every query."""
        parts: Parts = formula_of(measure)(self.views.of(measure), measure)
        return parts

    def values(self, measure: Measure) -> Floats:
        """(n,) the value of a measure for every query, as the measure's own conventions have it; computed once."""
        if measure not in self._values:
            self._values[measure] = self.values_of(measure, self.parts(measure))
        return self._values[measure]

    def values_of(self, measure: Any, parts: Parts) -> Floats:
        """(n,) the same from its numerator and denominator, where they are known."""
        everything = np.ones(len(self.placed.placements), np.bool_)
        values = values_of(
            parts,
            empty=measure.empty,
            miss=measure.miss,
            chosen=everything,
            listless=self.placed.placements.returned == 0,
        )
        return values.value

    def with_stand_ins(self, length: int = 1) -> Scores:
        """Give every judged query that is absent from the run a list of so many items that nobody judged."""
        placements = self.placed.placements
        absent = placements.is_judged & ~placements.in_run
        returned = np.where(absent, length, placements.returned)
        return Scores(replace(self.placed, placements=replace(placements, returned=returned)))
