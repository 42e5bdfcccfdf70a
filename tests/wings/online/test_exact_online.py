"""Numbers of experiments are the same on every Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tests.adding import found_however_python_adds

import rankmeter as rm
from rankmeter.online import sample_ratio
from rankmeter.wings.online.contrasts import ratio, stratified
from rankmeter.wings.online.sums import Sums, denominator, numerator

CTR = rm.parse("CTR")


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
    "sample_ratio": lambda: [sample_ratio([310 + n, 98, 95, 90], [0.1 * n, 0.7, 0.2, 0.3]) for n in range(1, 40)],
    "ratio": _ratios,
    "strata": _strata,
}


@pytest.mark.parametrize("name", NUMBERS)
def test_no_number_depends_on_how_python_adds(name: str) -> None:
    older, newer = found_however_python_adds(NUMBERS[name])
    assert older == newer
