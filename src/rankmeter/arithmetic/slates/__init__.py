"""Pure functions from slates to a value per list, or to one value for all lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeter.arithmetic.exact_sums import summed
from rankmeter.arithmetic.parts import formula_of, function_named
from rankmeter.arithmetic.slates.data import Counts, Items, ListValues, Rows, Sets, Slates, Whole
from rankmeter.placing.placements import Floats


def value_from_counts(counts: Counts, items: Items, measure: Any) -> float:
    """The value of a measure of all lists, from how often items stand in them."""
    return float(formula_of(measure)(counts, items, measure))


def values_from_sums(sums: Floats, constants: Floats, measure: Any) -> Floats:
    """The values of a measure of all lists, from what the queries of each sample add up to, ``(..., m) -> (...)``."""
    values: Floats = function_named(measure.of_sums)(sums, constants, measure)
    return values


def slate_value(slates: Slates, measure: Any) -> ListValues | Whole:
    """The values of one measure for lists that are all counted."""
    slates = slates.cut(measure.cutoff)
    if measure.counts_by:
        return Whole(value_from_counts(Counts.of(slates, measure.counts_by), slates.items, measure))
    values: ListValues | Whole = formula_of(measure)(slates, measure)
    if isinstance(values, Whole) and values.parts is not None and values.constants is not None:
        # Exact sums: the order of the queries changes no digit.
        sums = np.array([summed(column) for column in values.parts.T])
        value = float(values_from_sums(sums, values.constants, measure)) if len(slates) else float(np.nan)
        return Whole(value, values.parts, values.constants)
    return values


__all__ = [
    "Counts",
    "Items",
    "ListValues",
    "Rows",
    "Sets",
    "Slates",
    "Whole",
    "slate_value",
    "value_from_counts",
    "values_from_sums",
]
