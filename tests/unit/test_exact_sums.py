"""Numbers are the same on every Python: none is a ``sum`` of floats, which rounds otherwise from Python 3.12 on.

Builtin ``sum`` is exchanged for one that adds as older Python does, and for one that adds as newer Python does.
"""

from __future__ import annotations

import builtins
import math
import random
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.online import sample_ratio
from rankmeter.stats.student import t_quantile
from rankmeter.wings.online.contrasts import ratio, stratified
from rankmeter.wings.online.sums import Sums, denominator, numerator

LISTS = 40
CTR = rm.parse("CTR")


def in_order(values: Iterable[Any], /, start: Any = 0) -> Any:
    """As up to Python 3.11."""
    return reduce(add, values, start)


def compensated(values: Iterable[Any], /, start: Any = 0) -> Any:
    """As from Python 3.12 on, and then some."""
    every = [start, *values]
    return math.fsum(every) if any(type(value) is float for value in every) else reduce(add, every)


def _evidence() -> list[float]:
    draw = random.Random(5)
    gold = {f"q{query}": [("d", 100 * n, 100 * n + draw.randrange(3, 99)) for n in range(7)] for query in range(LISTS)}
    chunks = {query: [("d", at, at + 37) for at in draw.sample(range(800), 9)] for query in gold}
    scores = rm.evidence(gold, chunks, cutoffs=[9]).per_query
    return [value for name in scores.columns[4:] for value in scores[name].to_list()]


def _groups() -> list[tuple[Sums, Sums]]:
    random = np.random.default_rng(6)
    rows = [[random.gamma(2, [0.1 * n, 0.3], (50 * n, 2)) for _ in "AB"] for n in range(1, 9)]
    control, treatment = ([Sums.of_rows((numerator(CTR), denominator(CTR)), side) for side in sides]
                          for sides in zip(*rows, strict=True))  # fmt: skip
    return list(zip(control, treatment, strict=True))


def _ratios() -> list[float]:
    return [number for pair in _groups() for sums in pair for number in ratio(sums, CTR)]


def _strata() -> list[float]:
    adjusted = stratified(_groups(), CTR)
    assert adjusted is not None
    whole = adjusted.difference.absolute
    return [whole.value, whole.low, whole.high]


NUMBERS: dict[str, Callable[[], Sequence[float]]] = {
    "evidence": _evidence,
    "sample_ratio": lambda: [sample_ratio([310 + n, 98, 95, 90], [0.1 * n, 0.7, 0.2, 0.3]) for n in range(1, LISTS)],
    "t_quantile": lambda: [t_quantile(0.95, 1000 + 7 * n) for n in range(LISTS)],
    "ratio": _ratios,
    "strata": _strata,
}


@pytest.mark.parametrize("name", NUMBERS)
def test_no_number_depends_on_how_python_adds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for adds in (in_order, compensated):
        monkeypatch.setattr(builtins, "sum", adds)
        found.append(list(map(repr, NUMBERS[name]())))
    assert found[0] == found[1]
