"""A slice of the fuzzer: ``python tests/fuzz.py --inputs 1000000`` is the whole."""

from __future__ import annotations

import os

import pytest
from tests.fuzz import TARGETS, throw

MANY = int(os.environ.get("FUZZ_INPUTS", "4000"))


@pytest.mark.parametrize("name", TARGETS)
def test_every_input_gets_a_number_or_a_sentence(name):
    shares = sum(target.share for target in TARGETS.values())
    outcomes = {throw(name, number) for number in range(MANY * TARGETS[name].share // shares)}
    assert outcomes == {"answered", "refused"}
