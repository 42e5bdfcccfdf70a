"""Scores and ranks of sampled negatives that are no array of numbers: refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import rankmeter as rm
from rankmeter.wings.protocol.sampling import expected_sampled

ODD = [None, "x", {0: 1}, {1}, [[1, 2], [1]], [[1], 2], [["0.1"]], [[1 + 1j]], [[10**400]], scipy.sparse.eye(2), print]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_what_is_no_array_of_numbers(odd):
    for call in (
        lambda: rm.sampled([0.1, 0.2], odd, ["RR"], items=9),
        lambda: rm.sampled(odd, [[0.1], [0.2]], ["RR"], items=9),
        lambda: rm.sampled_ranks(odd, ["RR"], negatives=2, items=9),
        lambda: expected_sampled(odd, ["RR"], negatives=2, items=9),
    ):
        with pytest.raises(rm.InputError):
            call()


def test_ragged_rows_are_counted():
    with pytest.raises(rm.InputError, match="negatives has rows of 1 to 3 numbers"):
        rm.sampled([0.1, 0.2], [[1, 2, 3], [1]], ["RR"], items=9)


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
def test_lists_and_arrays_are_alike():
    lists = rm.sampled([0.3, 0.2], [[0.1, 0.4], [0.5, 0.6]], ["AUC"], items=9)["AUC"]
    arrays = rm.sampled(np.array([0.3, 0.2]), np.array([[0.1, 0.4], [0.5, 0.6]]), ["AUC"], items=9)["AUC"]
    assert lists.value == arrays.value
