"""Labels in blocks, folds by number, and what is not said where a baseline is level."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.wings.protocol import strategies
from rankmeter.wings.protocol.strategies import TEST, TRAIN
from rankmeter.wings.protocol.with_protocol import BaselineValues

ROWS = {"user": [u for u in range(10) for _ in range(4)], "item": list(range(4)) * 10, "time": list(range(40))}


@pytest.mark.parametrize("block", [1, 2, 3, 7, 8, 100])
def test_labels_do_not_depend_on_the_size_of_a_block(block, monkeypatch) -> None:
    monkeypatch.setattr(strategies, "ROWS_IN_CACHE", block)
    for bits in range(128):
        is_test = np.array([bits >> at & 1 for at in range(7)], np.bool_)
        expected = [TEST if one else TRAIN for one in is_test]
        assert strategies._labelled(is_test).tolist() == expected


@pytest.mark.parametrize("how", ["user_folds", "user_folds(2)", "user_folds(3)", "folds(4)", "last_n(1)"])
def test_folds_are_numbered_from_1_and_a_user_stands_in_the_test_of_one(how) -> None:
    frame = rm.split(ROWS, how).protocol.to_polars()
    count = {"user_folds": 5, "last_n(1)": 1}.get(how) or int(how[-2])
    assert sorted(set(frame["fold"])) == list(range(1, count + 1))
    test = frame.filter(frame["part"] == "test")
    assert test["rows"].sum() == (10 if how == "last_n(1)" else 40)
    if how.startswith("user"):
        assert test["users"].sum() == 10


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("difference", [-0.1, 0.0, 0.1])
@pytest.mark.parametrize("p", [None, 0.0, 0.05, 0.06, 0.1, 0.11, 1.0])
def test_a_baseline_is_level_better_or_worse(p, difference, level) -> None:
    pair = {"baseline": "popular", "measure": "RR", "difference": difference, "p": p}
    values = BaselineValues("mine", {"popular": {"RR": 0.5}}, (pair,), 10, level)
    found = [one.kind.rpartition(".")[2] for one in values.sentences()]
    if p is None and difference:  # one run: nothing was tested
        assert found == []
    elif p is None or p > 1 - level:
        assert found == ["not_separable"]
    else:
        assert found == ["worse_than_baseline"] * (difference < 0)
