"""Measures are values: they say their options, and nothing changes or loses them."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

import rankmeter as rm
from rankmeter.errors import MeasureError
from rankmeter.measures import REGISTRY, Measure, RankedMeasure, parse
from rankmeter.measures.base import SHARED_RANKS

EVERY = sorted(REGISTRY.values(), key=str)
WITH_REL = sorted(m.name for m in EVERY if isinstance(m, RankedMeasure) and not m.subtopics and hasattr(m, "rel"))


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_copies_are_equal_and_nothing_changes_them(measure: Measure) -> None:
    for other in (pickle.loads(pickle.dumps(measure)), copy.deepcopy(measure), replace(measure)):
        assert other == measure
        assert hash(other) == hash(measure)
    with pytest.raises(FrozenInstanceError):
        measure.queries = "run"  # type: ignore[misc]
    assert sum(measure == one for one in EVERY) == 1


def test_a_class_says_its_options_and_their_defaults() -> None:
    signature = inspect.signature(type(rm.nDCG))
    assert {name: one.default for name, one in signature.parameters.items()} == {
        option.name: option.default for option in fields(type(rm.nDCG))
    }


def test_a_measure_says_its_options_and_their_values() -> None:
    parameters = inspect.signature(rm.nDCG(gain="exp2") @ 10).parameters
    assert (parameters["gain"].default, parameters["cutoff"].default, parameters["ties"].default) == (
        "exp2",
        10,
        "item",
    )


@pytest.mark.parametrize("ties", SHARED_RANKS)
@pytest.mark.parametrize("name", ["CG", "DCG", "nDCG"])
def test_a_rank_shared_by_unjudged_items_that_have_a_grade_is_not_known(name, ties):
    with pytest.raises(MeasureError, match=f"unjudged=1 is not possible.*Hint: {name}.unjudged=1,ties=item"):
        REGISTRY[name](ties=ties, unjudged=1)


@pytest.mark.parametrize(
    "options", [{"ties": "included"}, {"duplicates": "distinct"}, {"duplicates": "separate"}], ids=str
)
def test_what_was_cut_off_a_run_is_not_appended_to_it(options):
    with pytest.raises(MeasureError, match="candidates=appended is not possible"):
        REGISTRY["SetR"](depth=3, candidates="appended", **options)
    assert REGISTRY["SetR"](depth=3, **options)
    assert REGISTRY["SetR"](candidates="appended", depth=3)


@pytest.mark.parametrize("name", WITH_REL)
def test_a_grade_that_counts_is_not_left_out_as_unjudged(name):
    measure = REGISTRY[name]
    binary = {"gain": "binary"} if hasattr(measure, "gain") else {}
    with pytest.raises(MeasureError, match=f"{name}: grades below 0 cannot both count and be left out"):
        measure(rel=-1, unjudged="removed", **binary)
    assert measure(rel=-1, unjudged="removed", negative="nonrelevant", **binary)
    assert measure(rel=0, unjudged="removed", **binary)


def test_a_gain_of_a_grade_below_zero_is_not_left_out_as_unjudged():
    with pytest.raises(MeasureError, match="cannot both count and be left out"):
        parse("nDCG(gain={-1:2},unjudged=removed)")
    assert parse("nDCG(gain={-1:0},unjudged=removed)")
    assert parse("nDCG(gain={-1:2},rel=0,unjudged=removed)")


@pytest.mark.parametrize("asked", ["Compat", "Compat(rel=0,unjudged=removed)", "Compat(p=0.3)@20"])
def test_a_list_in_the_best_order_has_the_value_1(asked):
    items = "abcdefg"
    value = rm.evaluate({"q": dict.fromkeys(items, 1)}, {"q": list(items)}, [asked])[asked]
    assert value == pytest.approx(1.0)
    assert value <= 1.0
