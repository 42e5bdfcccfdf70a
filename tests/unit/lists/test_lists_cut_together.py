"""Measures of lists that are cut at other depths, or treat repeated items otherwise, asked together and alone."""

from __future__ import annotations

import warnings
from itertools import product

import pytest

import rankmeter as rm

ITEMS = list("abcdef")
LISTS = {"u1": list("abc"), "u2": list("bdea"), "u3": ["f"], "u4": list("cab")}
TREATED = ["error", "first", "best", "counted"]


def values(lists, measures, **options) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        ev = rm.evaluate(None, lists, measures, catalogue=rm.Catalogue(items=ITEMS), **options)
    return [ev[measure] for measure in measures]


@pytest.mark.parametrize(("one", "other"), list(product(TREATED, TREATED)))
@pytest.mark.parametrize("depths", [(1, 3), (3, 1), (2, 2), (1, None)])
def test_a_cutoff_is_that_of_each_measure_whatever_else_is_asked(one, other, depths):
    """Where no item is repeated, all treatments are one, but the depth is that of the deepest of them."""
    measures = [
        f"Coverage(duplicates={how},unit=count)" + (f"@{depth}" if depth else "")
        for how, depth in zip((one, other), depths, strict=True)
    ]
    assert values(LISTS, measures) == [values(LISTS, [measure])[0] for measure in measures]
    expected = [len({item for row in LISTS.values() for item in row[:depth]}) for depth in depths]
    assert values(LISTS, measures) == expected


@pytest.mark.parametrize("known", range(5))
def test_how_many_users_have_no_past_is_said(known):
    history = {user: ["a"] for user in list(LISTS)[:known]} | {"stranger": ["b"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmeterWarning)
        ev = rm.evaluate(
            None,
            {**LISTS, "u5": []},
            ["SeenItems@2", "PopularityLift@2"],
            catalogue=rm.Catalogue(items=ITEMS),
            history=history,
        )
    told = [line for line in repr(ev).splitlines() if "no history" in line]
    assert len(told) == (known < 4)
    assert not told or str(4 - known) in told[0]
    assert not told or "PopularityLift@2" in told[0]  # which leaves them out
