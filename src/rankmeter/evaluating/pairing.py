"""Judgments and a run of any kind, as what can be placed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from rankmeter.errors import InputError, MeasureError, warn, with_hint
from rankmeter.inputs import AnyJudgments, AnyRun, Labelled, into_judgments, into_run
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.mappings import look_swapped
from rankmeter.inputs.progress import Listener
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.placing import place_run, place_unjudged
from rankmeter.placing.placed import Placeable, PlacedRun
from rankmeter.placing.placements import Plan, Subtopics
from rankmeter.placing.subtopics import numbered_items, without_subtopics
from rankmeter.wording import said

MOST_JUDGED = 2_000_000
"""Up to how many judgments those of items not relevant are placed for the count of unjudged items alone."""


@dataclass(frozen=True)
class Pair(Placeable):
    """A run and what it is judged by; ``truth`` is None where nothing is, as measures of lists may have it."""

    truth: AnyJudgments | None
    returned: AnyRun
    carried: bool = False
    numbered: tuple[JudgmentTable, Subtopics] | None = None
    """Judgments with numbers of items for grades, and the subtopics that the numbers lead to."""

    @classmethod
    def of(cls, truth: AnyJudgments, returned: AnyRun, **rest: Any) -> Self:
        """Of items that are judged on several subtopics the highest grade is the grade."""
        if not truth.has_subtopics:
            return cls(truth, returned, **rest)
        table = truth.judgment_table()
        return cls(without_subtopics(table), returned, numbered=numbered_items(table), **rest)

    @property
    def sources(self) -> tuple[str, str]:
        """How messages name judgments and run."""
        return "no judgments" if self.truth is None else self.truth.source, self.returned.source

    @cached_property
    def wide(self) -> bool:  # type: ignore[override]
        """Whether items judged not relevant are placed too; not where they are very many.

        In a matrix every item is judged, so there is nothing to count.
        """
        return self.truth is not None and self.truth.matrix is None and self.truth.count() <= MOST_JUDGED

    @property
    def has_subtopics(self) -> bool:  # type: ignore[override]
        """Whether the judgments are about aspects of queries."""
        return self.numbered is not None

    def _place(self, plan: Plan) -> PlacedRun:
        if self.truth is None:
            return place_unjudged(self.returned)
        if plan.subtopics and self.numbered is not None:
            items, subtopics = self.numbered
            return replace(place_run(items, self.returned, plan), subtopics=subtopics)
        return place_run(self.truth, self.returned, plan)


@dataclass(frozen=True)
class Ready(Placeable):
    """What was placed before, which serves most plans."""

    before: PlacedRun

    @property
    def source(self) -> str:  # type: ignore[override]
        """How messages name it."""
        return self.before.source

    def _place(self, plan: Plan) -> PlacedRun:
        if plan.scores != "float64" or plan.unreturned:
            wanted = "scores=float32" if plan.scores != "float64" else "candidates=appended"
            raise MeasureError(f"{self.source} was ranked already; {wanted} would need another placing.")
        return self.before


def into_pair(
    judgments: object, run: object, columns: Mapping[str, str] | None = None, progress: Listener | None = None
) -> Placeable:
    """Accept judgments and a run of any kind, or what carries both; ``progress`` is told how far reading has come."""
    if hasattr(run, "check_judgments"):  # a catalogue that was ranked for these judgments
        run.check_judgments(judgments)
        judgments, run = run, None
    elif isinstance(run, Placeable):
        fact = f"{type(run).__name__} carries its judgments, so others do not go with it."
        raise InputError(with_hint(fact, "evaluate(run, measures=...)"))
    if carrier := _carrier(judgments):
        if run is not None:
            raise InputError(f"{type(judgments).__name__} carries its run; give it alone, or judgments and a run.")
        return carrier
    if run is None:
        raise InputError(with_hint("no run was given.", "evaluate(judgments, run, measures): truth first"))
    if judgments is None:
        return Pair(None, into_run(run, columns=columns_of(columns, "run")))
    truth = into_judgments(judgments, columns=columns_of(columns, "judgments"))
    returned = into_run(run, columns=columns_of(columns, "run"), progress=progress)
    if truth.mapping and returned.mapping and look_swapped(truth.mapping, returned.mapping):
        warn(said("look_swapped"))
    return Pair.of(truth, returned)


def _carrier(judgments: object) -> Placeable | None:
    """What carries its run; None where these are judgments alone."""
    if isinstance(judgments, Placeable):
        return judgments
    if isinstance(judgments, Labelled):
        return Pair.of(judgments.judgments, judgments.run, carried=True)
    # What places itself on demand is not placed in full first.
    placed = getattr(judgments, "placed", None)
    return Ready(placed) if isinstance(placed, PlacedRun) else None
