"""Arithmetic: pure functions from placements to values per query, the same for every way of placing."""

from __future__ import annotations

from rankmeter.arithmetic.aggregates import AGGREGATES, Tally, aggregated
from rankmeter.arithmetic.parts import Parts, Values, formula_of, parts_of, values_of
from rankmeter.arithmetic.views import View, Views

__all__ = [
    "AGGREGATES",
    "Parts",
    "Tally",
    "Values",
    "View",
    "Views",
    "aggregated",
    "formula_of",
    "parts_of",
    "values_of",
]
