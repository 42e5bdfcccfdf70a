"""A run that has been placed: what every way of placing gives to the arithmetic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import polars as pl

from rankmeter.placing.placements import Placements, Plan


@dataclass(frozen=True, slots=True)
class PlacedRun:
    """A run that has been placed: whose lists they are, and where their judged items stand."""

    queries: pl.Series
    """(n,) the ids of the queries, judged ones first."""
    placements: Placements
    scored: bool
    """False where the run has ranks only."""
    highest_grade: float
    """The highest grade judged anywhere."""
    source: str = "run"
    """How messages name it."""


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
