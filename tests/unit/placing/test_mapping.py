"""Placing from mappings: grades of every size, mappings of every kind."""

from __future__ import annotations

import tracemalloc
from collections import UserDict

import pytest

import rankmeter as rm


def test_few_high_grades_take_no_more_memory_than_low_ones():
    def peak(top: int) -> int:
        judgments = {query: {0: top, 1: 1} for query in range(5000)}
        run = {query: {1: 2.0, 0: 1.0} for query in range(5000)}
        tracemalloc.start()
        rm.evaluate(judgments, run, "nDCG@10")
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2)  # what is loaded once
    assert peak(254) < 2 * peak(2)


def test_mappings_that_cannot_be_read_backwards_are_mappings():
    judgments, run = UserDict(q=UserDict(a=1, b=2)), UserDict(q=UserDict(a=2.0, c=1.5, b=1.0))
    assert rm.evaluate(judgments, run, "AP")["AP"] == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("what", "grade", "score"), [("grade", 10**400, 1), ("score", 1, 10**400)], ids=["grade", "score"]
)
def test_a_whole_number_too_large_for_a_float_is_refused(what, grade, score):
    with pytest.raises(rm.InputError, match=f"a {what} is not a number: 1000"):
        rm.evaluate({"q": {"a": grade}}, {"q": {"a": score}}, "AP")
