"""Values per query of many measures from one placing: what every front door stands on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from rankmeter.arithmetic import Parts, Views, parts_of, values_of
from rankmeter.arithmetic.single_lists import SingleList, plain_formula
from rankmeter.inputs.ids import list_of_ids
from rankmeter.measures import Measure
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Plan


class Scores:
    """A run placed against judgments once, and the value per query of any measure that shares its placing.

    Unlike :func:`rankmeter.evaluate` it computes no bounds of ties and no facts: other tools do not report them.
    Where a few short ``lists`` are given, what has a plain formula is computed without placing anything: a single query
    takes a third of the time, and all measures of trec_eval a quarter.
    """

    def __init__(self, place: Callable[[], PlacedRun], lists: Sequence[SingleList] = ()) -> None:
        self._place = place
        self._lists = lists
        self._values: dict[Measure, Floats] = {}
        self.is_little = bool(lists)

    @classmethod
    def of_mappings(
        cls, judgments: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], plan: Plan
    ) -> Scores:
        """Place a run that may share no query with the judgments."""
        from rankmeter.placing.mapping import place_mappings  # not needed for plain text

        return cls(lambda: place_mappings(judgments, run, plan))  # type: ignore[arg-type]

    @cached_property
    def placed(self) -> PlacedRun:
        """Where the judged items stand."""
        return self._place()

    @cached_property
    def views(self) -> Views:
        """Views of it."""
        return Views(self.placed.placements)

    def __len__(self) -> int:
        return len(self._lists) or len(self.placed.placements)

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
        return parts_of(measure, self.views.of(measure))

    def lists(self, measure: Any) -> Sequence[SingleList]:
        """Each list by itself, under the conventions of a measure."""
        if self._formula(measure) is not None:
            return self._lists
        view = self.views.of(measure)
        rows = list(zip(view.rank.tolist(), map(int, view.grade.tolist()), strict=True))
        best = list(map(int, view.best.tolist()))
        starts, ends = view.offsets.tolist(), view.best_offsets.tolist()
        return [
            SingleList(rows[starts[i] : starts[i + 1]], best[ends[i] : ends[i + 1]], int(size))
            for i, size in enumerate(view.returned)
        ]

    def returned(self, measure: Any) -> Ints:
        """(n,) how long each list is under the conventions of a measure."""
        if self._formula(measure) is not None:
            return np.array([listed.returned for listed in self._lists])
        return self.views.of(measure).returned

    def values(self, measure: Measure) -> Floats:
        """(n,) the value of a measure for every query, as the measure's own conventions have it; computed once."""
        if measure not in self._values:
            formula = self._formula(measure)
            if formula is not None:
                quotients = [formula(listed, measure) for listed in self._lists]
                self._values[measure] = np.array([above / below if below > 0 else 0.0 for above, below in quotients])
            else:
                self._values[measure] = self.values_of(measure, self.parts(measure))
        return self._values[measure]

    def values_of(self, measure: Any, parts: Parts) -> Floats:
        """(n,) the same from its numerator and denominator, where they are known."""
        placements = self.placed.placements
        everything, listless = np.ones(len(placements), np.bool_), placements.returned == 0
        return values_of(parts, measure, placements, chosen=everything, listless=listless).value

    def with_stand_ins(self, length: int) -> Scores:
        """Give every judged query that is absent from the run a list of ``length`` items that nobody judged."""
        placements = self.placed.placements
        absent = placements.is_judged & ~placements.in_run
        returned = np.where(absent, length, placements.returned)
        placed = replace(self.placed, placements=replace(placements, returned=returned))
        return Scores(lambda: placed)

    def _formula(self, measure: Measure) -> Callable[[SingleList, Any], tuple[float, float]] | None:
        return _plain_formula(measure) if self.is_little else None


@lru_cache(maxsize=1024)
def _plain_formula(measure: Measure) -> Callable[[SingleList, Any], tuple[float, float]] | None:
    """Scores are rounded, and queries chosen, before anything is measured; what is aggregated is none of its matter."""
    return plain_formula(measure, also=("aggregate", "queries", "scores"))
