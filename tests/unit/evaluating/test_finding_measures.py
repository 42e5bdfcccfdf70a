"""A measure of an evaluation is found by what it is, by what it was asked for as, and by no other."""

from __future__ import annotations

import pytest

import rankmeter as rm

EV = rm.evaluate({"q": {"a": 1}}, {"q": ["x", "a"]}, ["nDCG@10", "mrr", "AP"])


@pytest.mark.parametrize("asked", ["nDCG@10", "mrr", "AP", "RR", " AP", "ap"])
def test_a_measure_is_found_by_every_text_and_as_itself(asked) -> None:
    found = EV.find(asked)
    assert found in EV.means
    assert EV.find(found) is found
    assert EV[asked] == EV.means[found]


@pytest.mark.parametrize("asked", ["nDCG", "nDCG@5", "RR@1", "AP(rel=2)", "P@7", "nothing", ""])
@pytest.mark.parametrize("as_text", [True, False])
def test_one_that_was_not_measured_is_refused(asked, as_text) -> None:
    if asked in ("nothing", "") and not as_text:
        asked = "P@3"
    with pytest.raises(rm.RankmeterError) as told:
        EV.find(asked if as_text else rm.parse(asked))
    assert told.value.problem.kind == "evaluating.no_measure"
