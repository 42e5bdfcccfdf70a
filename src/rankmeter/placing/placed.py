"""A run that has been placed: what every way of placing gives to the arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rankmeter.placing.placements import Placements


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
