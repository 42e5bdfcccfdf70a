"""Intervals of slices hold only values that are possible."""

from __future__ import annotations

import rankmeter as rm


def test_the_interval_of_a_slice_of_a_share_ends_at_1() -> None:
    truth = {i: {"a"} for i in range(30)}
    run = {i: ["b"] if i == 3 else ["a", "b"] for i in truth}
    ev = rm.evaluate(truth, run, ["P@1"], by={"k": {i: str(i % 5) for i in truth}})
    [spreads] = ev.slices["k"].intervals().values()
    known = [(one.low, one.high) for one in spreads if one.low == one.low]
    assert known
    assert all(0 <= low <= high <= 1 for low, high in known)
    assert any(high == 1 for _, high in known)
