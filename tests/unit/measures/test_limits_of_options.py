"""One bad value among good ones, and every combination of what goes together only in part."""

from __future__ import annotations

import math
from dataclasses import fields

import pytest

import rankmeter as rm
from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY

GOOD = [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    "name", sorted(name for name in REGISTRY if "points" in [one.name for one in fields(REGISTRY[name])])
)
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, math.inf, "x", None])
def test_a_bad_point_among_good_ones_is_refused(name, bad, place) -> None:
    REGISTRY[name](points=tuple(GOOD))
    with pytest.raises(MeasureError):
        REGISTRY[name](points=(*GOOD[:place], bad, *GOOD[place + 1 :]))


@pytest.mark.parametrize("cutoff", [None, 3])
@pytest.mark.parametrize("hits", ["first", "best", "found", "relevant"])
@pytest.mark.parametrize("ties", ["mean", "item"])
def test_a_mean_over_ties_has_a_formula_or_is_refused(ties, hits, cutoff) -> None:
    if ties == "mean" and (hits == "best" or (hits == "found" and cutoff is not None)):
        with pytest.raises(MeasureError):
            REGISTRY["RR"](ties=ties, hits=hits, cutoff=cutoff)
    else:
        assert REGISTRY["RR"](ties=ties, hits=hits, cutoff=cutoff).hits == hits


@pytest.mark.parametrize("level", [1, 2, 3])
def test_headings_begin_at_the_level_that_is_asked_for_or_the_first(level) -> None:
    told = rm.explain("nDCG@10")
    assert told.to_markdown(level=level).startswith("#" * level + " ")
    assert told.to_markdown() == told.to_markdown(level=1)
