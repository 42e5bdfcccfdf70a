"""Values of which a few queries outweigh all others: intervals hold less often than they say, and a note says so."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

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


@pytest.mark.parametrize("queries", [2, 5, 10, 25, 100])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.9, 1.0])
def test_the_interval_of_a_share_always_holds(share, queries):
    """Every count of hits with its chance: the exact coverage is that promised, or more."""
    held = 0.0
    for hits in range(queries + 1):
        row = np.repeat([1.0, 0.0], [hits, queries - hits])
        found = interval_of(values_of(row), "mean", level=0.9, method="t", resamples=100, seed=0)
        known = stats.binomtest(hits, queries).proportion_ci(0.9, "exact")
        assert found.ends == pytest.approx((known.low, known.high))
        held += stats.binom.pmf(hits, queries, share) * (found.low <= share <= found.high)
    assert held >= 0.9


def test_a_share_has_the_same_interval_alone_beside_others_and_in_a_slice():
    random = np.random.default_rng(1)
    judgments = {f"q{number}": {"a": 1} for number in range(30)}
    runs = {name: {q: ["a", "b"] if random.random() < 0.8 else ["b", "a"] for q in judgments} for name in "xy"}
    alone = rm.evaluate(judgments, runs["x"], ["P@1"])
    known = alone.interval("P@1").ends
    cmp = rm.compare(judgments, runs, ["P@1"])
    assert cmp.score("P@1", "x").interval.ends == pytest.approx(known)
    assert "Clopper" in str(cmp)
    assert "Clopper" not in str(rm.compare(judgments, runs, ["RR"]))
    half = {query: str(number % 2) for number, query in enumerate(judgments)}
    cut = rm.evaluate(judgments, runs["x"], ["P@1"], by={"half": half}).slices["half"]
    for number, part in enumerate(cut.intervals()[rm.parse("P@1")]):
        inside = {query: judgments[query] for query in judgments if half[query] == str(number)}
        own = rm.evaluate(inside, {query: runs["x"][query] for query in inside}, ["P@1"]).interval("P@1")
        assert (part.low, part.high) == pytest.approx(own.ends)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_note_stands_with_the_intervals_of_the_measures_that_it_is_about(lang):
    judgments = {f"q{number}": {"a": 1} for number in range(40)}
    run = {f"q{number}": ["a", "b"] if number % 20 else ["b", "a"] for number in range(40)}
    even = {f"q{number}": ["a", "b"] if number % 2 else ["b", "a"] for number in range(40)}
    ev = rm.evaluate(judgments, run, ["RR", "RR(aggregate=geometric)"])
    assert [ev.has_rough_interval(name) for name in ("RR", "RR(aggregate=geometric)")] == [True, True]
    assert not rm.evaluate(judgments, even, ["RR"]).has_rough_interval("RR")
    notes = ShownEvaluations((ev,), intervals=True, lang=lang).interval_notes()
    assert not rm.evaluate(judgments, run, ["P@1"]).has_rough_interval("P@1")  # a share has an exact interval
    (note,) = [note for note in notes if note.kind == "rough_intervals"]
    assert note.values["measures"] == ["RR", "RR(aggregate=geometric)"]
    assert note.text(lang)


@pytest.mark.parametrize("aggregate", ["mean", "geometric", "median"])
@pytest.mark.parametrize(
    ("row", "rough"),
    [
        ([0.4], {}),
        ([0.4, 0.5, math.nan, 0.6], {}),
        ([0.4, 0.5, 0.5, 0.6], {"geometric": True}),  # of few queries one of 0 may just not have come up
        ([0.4 + 0.01 * (number % 7) for number in range(49)], {"geometric": True}),
        ([0.4 + 0.01 * (number % 7) for number in range(50)], {}),
        ([0.01] * 19 + [1.0], {"mean": True, "geometric": True}),
        ([0.0, 1.0, 1.0, 1.0], {"geometric": True}),  # a share has an interval of its own
    ],
)
def test_an_interval_is_rough_where_there_is_one_and_few_queries_decide(row, rough, aggregate):
    assert is_rough(values_of(np.array(row)), aggregate) == rough.get(aggregate, False)
