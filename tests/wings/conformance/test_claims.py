"""Numbers of claims as people spell them: a value or a sentence, soon."""

from __future__ import annotations

import math
import time

import pytest

import rankmeter as rm
from rankmeter.wings.conformance.reconcile import read_claim


@pytest.mark.parametrize("number", ["1e999999999", "-1e999999999", "9" * 100_000, "1_0e400", "nan", "inf", "", "x"])
def test_claims(number):
    with pytest.raises(rm.RankmeterError) as refused:
        read_claim("nDCG@10", number)
    assert len(str(refused.value)) < 2000


def test_claims_of_a_sum_are_finite_too():
    with pytest.raises(rm.RankmeterError):
        read_claim("num_rel", "1e999999999")


@pytest.mark.parametrize("number", ["0.31e-999999", "0." + "0" * 100_000 + "1"])
def test_claims_with_endless_digits(number):
    started = time.monotonic()
    assert math.isfinite(read_claim("nDCG@10", number).value)
    assert time.monotonic() - started < 5
