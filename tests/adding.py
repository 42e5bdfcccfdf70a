"""Builtin ``sum`` exchanged for one that adds as older Python does, and for one that adds as newer Python does."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

import pytest


def _in_order(values: Iterable[Any], /, start: Any = 0) -> Any:
    """As up to Python 3.11."""
    return reduce(add, values, start)


def _compensated(values: Iterable[Any], /, start: Any = 0) -> Any:
    """As from Python 3.12 on, and then some."""
    every = [start, *values]
    return math.fsum(every) if any(type(value) is float for value in every) else reduce(add, every)


def found_however_python_adds(numbers: Callable[[], Sequence[float]]) -> list[list[str]]:
    """The numbers, written out in full, under both ways of adding."""
    found = []
    for adds in (_in_order, _compensated):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(builtins, "sum", adds)
            found.append(list(map(repr, numbers())))
    return found
