"""Many numbers are printed as each of them is alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankmeter.wings.doors import trec_eval
from rankmeter.wings.doors.trec_eval import all_four_digits, four_digits, lines_of_queries

COUNT = 500


@pytest.mark.parametrize("seed", [0, 1])
def test_many_numbers_are_printed_as_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 20_001, COUNT) / 20_000  # every second one lies as good as half way
    odd = np.array([0.0, -0.0, 1.0, 1.00005, 0.99995, -0.25, 17.5, math.nan, -math.nan, math.inf, 0.00005, 1e-300])
    values = np.concatenate([whole, np.nextafter(whole, 0), np.nextafter(whole, 1), rng.random(COUNT), odd])
    assert all_four_digits(values).tolist() == [four_digits(float(value)).encode() for value in values]
    finite = values[np.isfinite(values)]
    assert all_four_digits(finite).tolist() == [f"{value:6.4f}".encode() for value in finite.tolist()]


def test_lines_of_many_queries_are_those_of_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec_eval, "BLOCK_BYTES", 100)
    names = ["q", "a%s", "\udce9\u4e2d", "x" * 300, "q5"]
    cells = [
        all_four_digits(np.array([0.5, 1.0, 17.25, math.nan, 0.0])),
        np.array([b"'1-'", b"''", b"'>'", b"", b"'0'"]),
    ]
    labels = ["map", "relstring_%"]
    expected = "".join(
        f"{label}\t{name}\t{cell[row].decode()}\n"
        for row, name in enumerate(names)
        for label, cell in zip(labels, cells, strict=True)
    )
    assert b"".join(lines_of_queries(labels, names, cells)) == expected.encode("utf-8", "surrogateescape")
