"""Options of a call that are no option are a sentence, whatever they are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmeter as rm

ODD = [
    0,
    False,
    [],
    {},
    5,
    2.5,
    ["run"],
    {"run"},
    pl.DataFrame(),
    pl.Series([1]),
    np.zeros((0, 3)),
    np.zeros(3),
    b"run",
    object(),
]


@pytest.mark.parametrize("odd", ODD, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("option", ["queries", "duplicates", "dialect"])
def test_an_odd_option_is_a_sentence(option, odd):
    with pytest.raises(rm.RankmeterError, match=option):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["RR"], **{option: odd})
