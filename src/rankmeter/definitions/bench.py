"""Many definitions on one placing: what definitions have in common is computed once.

Conventions that move items share a view; those that only say which queries count, or how their values become one
number, share the two parts of every quotient.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np

from rankmeter.arithmetic import FORMULAS, Parts, Views, aggregated
from rankmeter.asking import with_options
from rankmeter.definitions.space import DataFacts
from rankmeter.errors import MeasureError, with_hint
from rankmeter.inputs import is_path
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.files import read_run
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measuring import values_from
from rankmeter.placing import PlacedRun
from rankmeter.placing.placements import Plan, Subtopics
from rankmeter.planning import PlacingKey, into_placing

_DECIDED_AFTER = frozenset("aggregate queries empty miss blank".split())
"""The conventions that do not change the two parts of a query's quotient."""


@cache
def _decided_before(kind: Any) -> tuple[str, ...]:
    return tuple(option.name for option in fields(kind) if option.name not in _DECIDED_AFTER)


class Bench:
    """Values of any definition on one pair of judgments and run.

    Parameters
    ----------
    judgments
        Judgments of any kind.
    run
        A run of any kind, or None where the judgments carry it.
    columns
        Columns of unusual names, as for ``evaluate``.
    """

    def __init__(self, judgments: object, run: object, columns: Mapping[str, str] | None = None) -> None:
        if is_path(run):
            # A file is read once, not for every placing.
            run = read_run(run, columns=columns_of(columns, "run"))  # type: ignore[arg-type]
        self._placing = into_placing(judgments, run, columns)
        self._ranked = isinstance(getattr(judgments, "placed", None), PlacedRun)
        self._placed: dict[PlacingKey, tuple[PlacedRun, Views]] = {}
        self._parts: dict[tuple[Any, ...], Parts] = {}
        self._values: dict[Measure, float] = {}

    def value(self, measure: Measure) -> float:
        """The value of a measure over all queries; NaN where it has none."""
        found = self._values.get(measure)
        if found is None:
            found = self._values[measure] = self._computed(measure)
        return found

    def facts(self, measure: Measure) -> DataFacts:
        """What of the data decides which definitions are worth trying."""
        placed, _ = self._views(measure)
        p = placed.placements
        graded = p.best if not getattr(measure, "subtopics", False) else np.empty(0)
        grades = tuple(float(grade) for grade in np.unique(graded[graded > 0])[:12])
        return DataFacts(grades, int(p.returned.max(initial=0)), placed.scored)

    def _computed(self, measure: Measure) -> float:
        if self._ranked and getattr(measure, "candidates", "") == "appended":
            raise MeasureError(f"{self._placing.run} was ranked already; candidates=appended needs another placing.")
        placed, views = self._views(measure)
        key = (type(measure).name, *(getattr(measure, name) for name in _decided_before(type(measure))))  # type: ignore[arg-type]
        if key not in self._parts:
            self._parts[key] = FORMULAS[type(measure).name](views.of(measure), measure)  # type: ignore[arg-type]
        return aggregated(values_from(self._parts[key], measure, placed.placements), measure.aggregate)

    def _views(self, measure: Measure) -> tuple[PlacedRun, Views]:
        key = (getattr(measure, "scores", ""), measure.duplicates or "error", getattr(measure, "subtopics", False))
        if key not in self._placed:
            placed, subtopics = self._place(measure, key)
            self._placed[key] = (placed, Views(placed.placements, subtopics))
        return self._placed[key]

    def _place(self, measure: Measure, key: PlacingKey) -> tuple[PlacedRun, Subtopics | None]:
        """Place everything that any definition may ask for."""
        with_options(measure, None, None)  # measures of events are refused
        if not isinstance(measure, RankedMeasure):
            fact = f"{measure} has no conventions to tell apart."
            raise MeasureError(with_hint(fact, "name a measure of ranking, such as NDCG@10"))
        place = self._placing.numbered if key[2] else self._placing.place
        if place is None:
            return self._placing.for_measures([measure], key)  # says that subtopics are missing
        plan = Plan(unreturned=not self._ranked, scores=key[0], duplicates=key[1])  # type: ignore[arg-type]
        return place(plan), self._placing.subtopics if key[2] else None
