"""Values of which a few queries outweigh all others: intervals hold less often than they say, and a note says so."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.arithmetic.parts import Values
from rankmeter.report.evaluations import ShownEvaluations
from rankmeter.stats.intervals import interval_of, is_rough, why_none


def values_of(row):
    ones = np.ones(len(row))
    return Values(row, ones.astype(bool), row, ones)


KINDS = {
    "ones": (lambda random, n: (random.random(n) < 0.9).astype(float), "mean", 0.9),
    "zeros under a geometric mean": (
        lambda random, n: np.where(random.random(n) < 0.1, 0.0, 0.5),
        "geometric",
        float(np.exp(0.1 * np.log(1e-5) + 0.9 * np.log(0.5))),
    ),
    "like nDCG": (lambda random, n: np.clip(random.normal(0.5, 0.28, n), 0, 1), "mean", 0.5),
}


@pytest.mark.parametrize("queries", [5, 10, 25, 100])
@pytest.mark.parametrize("kind", KINDS)
def test_an_interval_without_a_note_holds_as_often_as_it_says(kind, queries):
    draw, aggregate, truth = KINDS[kind]
    random, trials, wrong = np.random.default_rng(queries), 300, 0
    for _ in range(trials):
        values = values_of(draw(random, queries))
        if why_none(values, aggregate) is None and not is_rough(values, aggregate):
            found = interval_of(values, aggregate, level=0.95, method="t", resamples=100, seed=0)
            wrong += not found.low <= truth <= found.high
    assert wrong / trials < 0.05 + 3 * (0.05 * 0.95 / trials) ** 0.5


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_note_stands_with_the_intervals_of_the_measures_that_it_is_about(lang):
    judgments = {f"q{number}": {"a": 1} for number in range(40)}
    run = {f"q{number}": ["a", "b"] if number % 20 else ["c", "b"] for number in range(40)}
    even = {f"q{number}": ["a", "b"] if number % 2 else ["b", "a"] for number in range(40)}
    ev = rm.evaluate(judgments, run, ["RR", "RR(aggregate=geometric)"])
    assert [ev.has_rough_interval(name) for name in ("RR", "RR(aggregate=geometric)")] == [True, True]
    assert not rm.evaluate(judgments, even, ["RR"]).has_rough_interval("RR")
    notes = ShownEvaluations((ev,), intervals=True, lang=lang).interval_notes()
    (note,) = [note for note in notes if note.kind == "rough_intervals"]
    assert note.values["measures"] == ["RR", "RR(aggregate=geometric)"]
    assert note.text(lang)
