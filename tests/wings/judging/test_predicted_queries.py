"""Predictions of queries: sMARE and correlations against plain Python, and what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeter as rm
from rankmeter.errors import InputError

RANKS = [None, 1, 2, 3, 5]


def shared_ranks(numbers):
    """1 for the highest; equal numbers share the mean of their places."""
    return [sum(b > a for b in numbers) + (1 + sum(b == a for b in numbers)) / 2 for a in numbers]


def smare(values, predicted):
    pairs = list(zip(shared_ranks(values), shared_ranks(predicted), strict=True))
    return sum(abs(a - b) / len(pairs) for a, b in pairs) / len(pairs)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(RANKS), st.sampled_from([0.0, 0.5, 1.0, 2.0])), min_size=2, max_size=9))
def test_smare_is_the_mean_distance_of_ranks(rows):
    judged = {f"q{at}": ["hit"] for at, _ in enumerate(rows)}
    run = {f"q{at}": [*(["x", "y", "z", "v"][: (rank or 3) - 1]), *(["hit"] if rank else [])] or ["x"]
           for at, (rank, _) in enumerate(rows)}  # fmt: skip
    predicted = {f"q{at}": number for at, (_, number) in enumerate(rows)}
    seen = rm.foresight(rm.evaluate(judged, run, "RR"), predicted)
    values = [1 / rank if rank else 0.0 for rank, _ in rows]
    numbers = [number for _, number in rows]
    assert seen.smare == pytest.approx(smare(values, numbers))
    assert sum(query.sare for query in seen.queries) / len(rows) == pytest.approx(seen.smare)
    assert 0 <= seen.smare <= 0.5
    flat = len({*values}) == 1 or len({*numbers}) == 1
    assert math.isnan(seen.kendall) == math.isnan(seen.spearman) == flat
    if seen.smare == 0 and not flat:
        assert seen.kendall == pytest.approx(1)


def evaluation(measures="RR"):
    return rm.evaluate({1: ["a"], 2: ["a"], 3: ["a"]}, {1: ["a"], 2: ["x", "a"], 3: ["x", "y", "a"]}, measures)


def test_the_best_and_the_worst_order():
    assert rm.foresight(evaluation(), {1: 3, 2: 2, 3: 1}).smare == 0
    worst = rm.foresight(evaluation(), {"1": 1, "2": 2, "3": 3})
    assert worst.smare == pytest.approx((2 + 0 + 2) / 9)
    assert (worst.kendall, worst.spearman) == pytest.approx((-1, -1))
    assert "sMARE" in worst.to_text()
    assert "名次差" in worst.to_text("zh")
    assert worst.to_polars()["sare"].to_list() == pytest.approx([2 / 3, 0, 2 / 3])
    assert worst.to_dict()["smare"] == worst.smare


def test_queries_without_a_prediction_are_left_out_and_said():
    assert [note.kind for note in rm.foresight(evaluation(), {1: 1, 3: 0}).notes] == ["foresight_left_out"]


@pytest.mark.parametrize(
    ("measures", "predictions", "says"),
    [
        (["RR", "P@1"], {1: 1, 2: 0}, "several measures: RR, P@1"),
        ("RR", {1: 1}, "1 query has both"),
        ("RR", {1: 1, 2: math.nan}, "not a finite number"),
    ],
)
def test_what_cannot_be_ranked_is_one_sentence(measures, predictions, says):
    with pytest.raises(InputError, match=says):
        rm.foresight(evaluation(measures), predictions)
