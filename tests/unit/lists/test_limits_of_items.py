"""Users in order against a plain count, similarities at the limit of symmetry, and gaps that chance never reaches."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import sparse

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.lists import slating

PAIRS = [(user, item) for user in range(3) for item in range(3)]


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_users_are_counted_where_each_pair_follows_the_one_before(rows, monkeypatch) -> None:
    """Of every sequence of three pairs, in blocks of any size."""
    monkeypatch.setattr(slating, "ROWS_AT_ONCE", rows)
    for length in range(4):
        for pairs in product(PAIRS, repeat=length):
            user, item = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
            in_order = list(pairs) == sorted(set(pairs))
            assert slating._users_in_order(user, item) == (len(set(user.tolist())) if in_order else 0), pairs


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("largest", [0.5, 1.0, 300.0])
@pytest.mark.parametrize(("off", "refused"), [(0.0, False), (0.9e-6, False), (1.1e-6, True)])
def test_a_similarity_may_differ_from_its_mirror_by_rounding(form, largest, off, refused) -> None:
    """A millionth of the largest value, or of 1 where all are smaller; the smallest value does not count."""
    matrix = np.full((3, 3), 1e-3)
    np.fill_diagonal(matrix, largest)
    matrix[0, 1] += off * max(largest, 1.0)
    if refused:
        with pytest.raises(InputError) as told:
            rm.Catalogue(items=list("abc"), similarity=form(matrix))
        assert told.value.problem.kind == "lists.not_symmetric"
    else:
        assert len(rm.Catalogue(items=list("abc"), similarity=form(matrix))) == 3


@pytest.mark.parametrize("resamples", [199, 400])
def test_a_gap_that_chance_does_not_reach_has_the_smallest_p_value(resamples) -> None:
    names = [f"q{number}" for number in range(60)]
    run = {name: ["hit", "x", "y"] if number < 30 else ["x", "y", "hit"] for number, name in enumerate(names)}
    by = {name: "good" if number < 30 else "bad" for number, name in enumerate(names)}
    ev = rm.evaluate({name: {"hit"} for name in names}, run, ["RR"], by={"part": by})
    gap = ev.slices["part"].gap("RR", resamples=resamples)
    assert gap.p_value == 1 / (1 + resamples)
