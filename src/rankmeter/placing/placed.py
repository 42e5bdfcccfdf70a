"""A run that has been placed: what every way of placing gives to the arithmetic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from rankmeter.inputs.ids import LateIds, column_of_ids
from rankmeter.late import pl
from rankmeter.placing.placements import Placements, Plan


@dataclass(frozen=True, slots=True)
class PlacedRun:
    """A run that has been placed: whose lists they are, and where their judged items stand."""

    ids: pl.Series | LateIds
    """(n,) whose they are, judged queries first; ``queries`` is the same as a column."""
    placements: Placements
    scored: bool
    """False where the run has ranks only."""
    highest_grade: float
    """The highest grade judged anywhere."""
    source: str = "run"
    """How messages name it."""

    @property
    def queries(self) -> pl.Series:
        """(n,) the ids of the queries, judged ones first."""
        return column_of_ids(self.ids)


class Placeable(ABC):
    """Judgments and a run in one, which place themselves as the measures ask."""

    __slots__ = ()
    source: str

    @abstractmethod
    def place(self, plan: Plan) -> PlacedRun:
        """Place what the plan asks for."""

    @property
    def placed(self) -> PlacedRun:
        """Everything placed, for every measure and tie rule."""
        return self.place(Plan())
