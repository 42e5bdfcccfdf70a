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
    """

    is_little: bool = False
    """Whether there are so few lists that each is best measured by itself."""

    def __init__(self, placed: PlacedRun) -> None:
        self.placed = placed
        self.views = Views(placed.placements)
        self._values: dict[Measure, Floats] = {}

    def __len__(self) -> int:
        return len(self.placed.placements)

    @classmethod
    def of_mappings(
        cls, judgments: Mapping[str, Mapping[str, float]], run: Mapping[str, Mapping[str, float]], plan: Plan
    ) -> Scores:
        """Place a run that may share no query with the judgments."""
        from rankmeter.placing.mapping import place_mappings  # not needed for plain text

        return cls(place_mappings(judgments, run, plan))  # type: ignore[arg-type]

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

    def lists(self, measure: Any) -> list[SingleList]:
        """Each list by itself, under the conventions of a measure."""
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
        return self.views.of(measure).returned

    def values(self, measure: Measure) -> Floats:
        """(n,) the value of a measure for every query, as the measure's own conventions have it; computed once."""
        if measure not in self._values:
            self._values[measure] = self.values_of(measure, self.parts(measure))
        return self._values[measure]

    def values_of(self, measure: Any, parts: Parts) -> Floats:
        """(n,) the same from its numerator and denominator, where they are known."""
        placements = self.placed.placements
        everything, listless = np.ones(len(placements), np.bool_), placements.returned == 0
        return values_of(parts, measure, placements, chosen=everything, listless=listless).value

    def with_stand_ins(self, length: int = 1) -> Scores:
        """Give every judged query that is absent from the run a list of ``length`` items that nobody judged."""
        placements = self.placed.placements
        absent = placements.is_judged & ~placements.in_run
        returned = np.where(absent, length, placements.returned)
        return Scores(replace(self.placed, placements=replace(placements, returned=returned)))


class LittleScores(Scores):
    """Values of a few short lists: what has a plain formula is computed without placing anything.

    A single query takes a third of the time, and all measures of trec_eval a quarter.
    """

    is_little = True

    def __init__(self, lists: Sequence[SingleList], place: Callable[[], PlacedRun]) -> None:
        self._lists = lists
        self._place = place
        self._values: dict[Measure, Floats] = {}

    @cached_property
    def placed(self) -> PlacedRun:  # type: ignore[override]
        """Where the judged items stand, for measures without a plain formula."""
        return self._place()

    @cached_property
    def views(self) -> Views:  # type: ignore[override]
        """Views of it."""
        return Views(self.placed.placements)

    def __len__(self) -> int:
        return len(self._lists)

    def lists(self, measure: Any) -> list[SingleList]:
        """Each list by itself."""
        return super().lists(measure) if _plain_formula(measure) is None else list(self._lists)

    def returned(self, measure: Any) -> Ints:
        """(n,) how long each list is."""
        if _plain_formula(measure) is None:
            return super().returned(measure)
        return np.array([listed.returned for listed in self._lists])

    def values(self, measure: Measure) -> Floats:
        """(n,) the value of a measure for every query; computed once."""
        formula = _plain_formula(measure)
        if formula is not None and measure not in self._values:
            quotients = [formula(listed, measure) for listed in self._lists]
            self._values[measure] = np.array([above / below if below > 0 else 0.0 for above, below in quotients])
        return super().values(measure)


@lru_cache(maxsize=1024)
def _plain_formula(measure: Measure) -> Callable[[SingleList, Any], tuple[float, float]] | None:
    """Scores are rounded, and queries chosen, before anything is measured; what is aggregated is none of its matter."""
    return plain_formula(measure, also=("aggregate", "queries", "scores"))
