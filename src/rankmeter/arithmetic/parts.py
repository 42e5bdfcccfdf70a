"""From a measure to a value per query: its function, what that returns, and the policies applied to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from rankmeter.arithmetic.views import View, counts_as_judged
from rankmeter.frozen import dataclass
from rankmeter.measures.base import ANY_POSITIVE
from rankmeter.placing.placements import Bools, Floats, Ints, Placements


@dataclass(frozen=True, slots=True)
class Parts:
    """A value per query as numerator and denominator, so that it can be averaged or pooled; each ``(n,)``."""

    numerator: Floats
    denominator: Floats
    has_relevant: Bools | None = None
    """Whether any item is judged relevant; None if the measure does not depend on it."""
    found: Bools | None = None
    """Whether any relevant item was found within the cutoff."""
    undefined: Bools | None = None
    """Which queries have no value in any case."""


@dataclass(frozen=True, slots=True)
class Values:
    """A value per query and whether it counts; each ``(n,)``."""

    value: Floats
    counted: Bools
    numerator: Floats
    denominator: Floats

    @classmethod
    def unknown(cls, counted: Bools) -> Values:
        """The values of a measure of all lists together, which has none for a query."""
        nothing = np.full(len(counted), math.nan)
        return cls(nothing, counted, nothing, nothing)

    @classmethod
    def uncounted(cls, queries: int) -> Values:
        """The values of queries that do not count."""
        return cls(np.zeros(queries), np.zeros(queries, np.bool_), np.zeros(queries), np.zeros(queries))

    def exchanged(self, rows: Bools | Ints, others: Values) -> Values:
        """A copy with the values of some queries replaced."""
        columns = {name: getattr(self, name).copy() for name in Values.__slots__}
        for name, column in columns.items():
            column[rows] = getattr(others, name)
        return Values(**columns)


def formula_of(measure: Any) -> Callable[..., Any]:
    """The function that computes a measure; its module is loaded when it is first needed."""
    return function_named(type(measure).formula)


def parts_of(measure: Any, view: View) -> Parts:
    """What a measure's function makes of a view, with the conventions that are the same for all measures.

    If the threshold comes from the grades of each query, the view has applied it: what is relevant is above 0.
    """
    asked = measure(rel=ANY_POSITIVE) if getattr(measure, "rel", None) == "high" else measure
    parts: Parts = function_named(type(measure).formula)(view, asked)
    if getattr(measure, "unjudged", "") == "nan":
        judged = np.bincount(view.query[counts_as_judged(view.grade, measure)], minlength=len(view))
        parts = replace(parts, undefined=view.returned > judged)
    return parts


@cache
def function_named(name: str | Callable[..., Any]) -> Callable[..., Any]:
    """The function of this package that a name such as ``relevance.precision`` means; a function is itself."""
    if callable(name):
        return name
    module, _, function = name.rpartition(".")
    formula: Callable[..., Any] = getattr(import_module(f"rankmeter.arithmetic.{module}"), function)
    return formula


def values_of(
    parts: Parts, m: Any, placements: Placements, *, chosen: Bools | None = None, listless: Bools | None = None
) -> Values:
    """Divide, and apply the measure's policies for queries with nothing relevant, nothing found, or no list at all.

    ``empty`` is for queries without a relevant item, ``miss`` for those in which none was found within the cutoff,
    ``blank`` for those for which nothing was returned, which takes precedence. ``digits`` rounds every value.
    ``chosen`` and ``listless`` are the queries that it is about and those with an empty list, if the placements do not
    tell.
    """
    empty, blank, digits = m.empty, m.blank, getattr(m, "digits", None)
    if chosen is None:
        chosen = chosen_by(m, placements)
    if listless is None and (blank != "counted" or empty == "silent"):
        listless = without_list(placements, appended=m.candidates == "appended")
    above, below, counted = parts.numerator, parts.denominator, chosen
    if parts.has_relevant is not None:
        nothing = ~parts.has_relevant
        if empty == "skip":
            counted = counted & ~nothing
        elif nothing.any():
            # The policy changes both parts, so that pooled numbers follow it too; the query keeps its weight there.
            if empty != "zero":
                below = np.where(nothing & ~(below > 0), 1.0, below)
            above = np.where(nothing, _worth_of_empty(empty, below, listless), above)
        if m.miss == "skip" and parts.found is not None:
            counted = counted & (nothing | parts.found)
    if parts.undefined is not None:
        above, below = np.where(parts.undefined, math.nan, above), np.where(parts.undefined, 1.0, below)
    if blank == "skip" and listless is not None:
        counted = counted & ~listless
    elif blank == "nan" and listless is not None:
        above, below = np.where(listless, math.nan, above), np.where(listless, 1.0, below)
        counted = counted | (listless & chosen)
    # An ideal list of grades below 0 has a negative sum (negative=counted), and divides like any other.
    value = np.divide(above, below, out=np.zeros(len(below)), where=below != 0) + 0.0  # turns -0.0 into 0.0
    if digits is not None:
        value = rounded_half_up(value, digits)
        above = value * below
    return Values(value, counted, above, below)


def chosen_by(m: Any, placements: Placements) -> Bools:
    """Which queries a measure is about."""
    policy = m.query_policy
    if policy == "run":
        return placements.in_run
    return placements.is_judged & placements.in_run if policy == "common" else placements.is_judged


def without_list(placements: Placements, *, appended: bool) -> Bools:
    """Which queries have an empty list; one with appended items is not empty."""
    empty: Bools = placements.returned == 0
    if appended:
        empty &= np.bincount(placements.query, minlength=len(placements)) == 0
    return empty


def rounded_half_up(value: Floats, digits: int) -> Floats:
    """Each value rounded to ``digits`` decimals, halves up; a half that a float misses by its last bits is a half."""
    scale = 10.0**digits
    nearest: Floats = np.floor(value * scale + 0.5 + 1e-9) / scale
    return nearest


def _worth_of_empty(empty: str, below: Floats, listless: Bools | None) -> Floats | float:
    """The numerator if nothing is relevant; the denominator is ``below``."""
    if empty == "one":
        return below
    if empty == "silent":  # returning nothing is right if nothing was to be found
        return 0.0 if listless is None else np.where(listless, below, 0.0)
    return math.nan if empty == "nan" else 0.0
