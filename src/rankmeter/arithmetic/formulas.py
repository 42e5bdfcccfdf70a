"""The function of a measure, found by the name that the measure's class states."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def formula_of(measure: Any) -> Callable[..., Any]:
    """The function that computes a measure; a family of functions is loaded when one of it is first asked for."""
    return function_named(type(measure).formula)


@cache
def function_named(name: str | Callable[..., Any]) -> Callable[..., Any]:
    """``relevance.precision`` is that function of this package; a function is itself."""
    if callable(name):
        return name
    module, _, function = name.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"rankmeter.arithmetic.{module}"), function)
    return found
