"""The best and the worst order of a tie, where gains and not grades decide."""

from __future__ import annotations

import pytest

import rankmeter as rm


@pytest.mark.parametrize("order", [("9", "10"), ("10", "9")])
def test_what_is_below_the_lowest_relevant_grade_is_worth_nothing(order):
    # The map gives grade 1 a gain of 3 and leaves grade 3 its own, 3: only rel tells the two items apart.
    judgments, run = {"q": {"9": 3, "10": 1}}, {"q": dict.fromkeys(order, 1.0)}
    ev = rm.evaluate(judgments, run, [f"nDCG(gain={{1:3,2:9}},rel=2,ties={ties})@1" for ties in ("worst", "best")])
    assert list(ev.means.values()) == [0.0, 1.0]
