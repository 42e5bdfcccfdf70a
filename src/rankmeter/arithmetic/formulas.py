"""The function of a measure, found by the name that the measure's class states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.views import View, judged_rows
from rankmeter.measures.base import ANY_POSITIVE


def formula_of(measure: Any) -> Callable[..., Any]:
    """The function that computes a measure; a family of functions is loaded when one of it is first asked for."""
    return function_named(type(measure).formula)


def parts_of(measure: Any, view: View) -> Parts:
    """What a measure's function makes of a view, under the conventions that are the same for all of them.

    Where the threshold was taken from the grades of each query, the view has it applied: what is relevant is above 0.
    """
    asked = measure(rel=ANY_POSITIVE) if getattr(measure, "rel", None) == "high" else measure
    parts: Parts = formula_of(measure)(view, asked)
    if getattr(measure, "unjudged", "") == "nan":
        judged = np.bincount(view.query[judged_rows(view.grade, measure)], minlength=len(view))
        parts = replace(parts, undefined=view.returned > judged)
    return parts


@cache
def function_named(name: str | Callable[..., Any]) -> Callable[..., Any]:
    """``relevance.precision`` is that function of this package; a function is itself."""
    if callable(name):
        return name
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"rankmeter.arithmetic.{module}"), function)
    return found
