"""Measures are values: they say their options, and nothing changes or loses them."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import pytest

import rankmeter as rm
from rankmeter.measures import REGISTRY, Measure

EVERY = sorted(REGISTRY.values(), key=str)


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
