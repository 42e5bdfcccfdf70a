"""The two tables that every input becomes: judgments (what is true) and a run (what a system returned).

Columns are Polars Series of equal length without nulls. Ids are ``String`` or 64-bit integers, never floats, so that
2**53 + 1 stays itself. Rows keep the order in which they were given: the tie rule ``input`` depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from rankmeter.inputs.reading import Reading
from rankmeter.late import pl


@dataclass(frozen=True, slots=True)
class JudgmentTable:
    """One row per judged (query, item)."""

    query: pl.Series
    """String, Int64 or UInt64."""
    item: pl.Series
    """String, Int64 or UInt64."""
    grade: pl.Series
    """Float64, never NaN; whole grades are exact."""
    source: str = "judgments"
    """How messages name this input: a file name, or what kind of object it was."""
    subtopic: pl.Series | None = None
    """String; where it is there, a (query, item) has one row for each subtopic that it was judged on."""
    queries: pl.Series | None = None
    """Every judged query once, in order, where some have no row; None where all have one."""
    reading: Reading | None = None
    """How it was read; None where it was made here."""


@dataclass(frozen=True, slots=True)
class RunTable:
    """One row per returned (query, item)."""

    query: pl.Series
    """String, Int64 or UInt64."""
    item: pl.Series
    """String, Int64 or UInt64."""
    score: pl.Series
    """Float64, never NaN, higher is better; a run given as ranks holds minus the rank."""
    source: str = "run"
    """How messages name this input."""
    scored: bool = True
    """False when the run was given as ranks or ordered lists: its scores then have an order but no size or sign."""
    queries: pl.Series | None = None
    """Every query of the run once, in order, where some have no row; None where all have one."""
    reading: Reading | None = None
    """How it was read; None where it was made here."""
