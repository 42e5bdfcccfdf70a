"""Scores of evidence are the same on every Python."""

from __future__ import annotations

import random

from tests.adding import found_however_python_adds

import rankmeter as rm

LISTS = 40


def _evidence() -> list[float]:
    draw = random.Random(5)
    gold = {f"q{query}": [("d", 100 * n, 100 * n + draw.randrange(3, 99)) for n in range(7)] for query in range(LISTS)}
    chunks = {query: [("d", at, at + 37) for at in draw.sample(range(800), 9)] for query in gold}
    scores = rm.evidence(gold, chunks, cutoffs=[9]).per_query
    return [value for name in scores.columns[4:] for value in scores[name].to_list()]


def test_no_number_depends_on_how_python_adds() -> None:
    older, newer = found_however_python_adds(_evidence)
    assert older == newer
