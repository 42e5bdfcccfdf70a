"""Pairs outside of the catalogue on every side, nothing to leave out, and grades below 0 and 1."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import rankmeter as rm
from rankmeter.wings.catalogue.pair_counts import Excluded


@pytest.mark.parametrize("asked", list(product([True, False], repeat=3)))
def test_pairs_are_left_out_where_both_sides_are_there_and_the_query_is_asked_for(asked) -> None:
    query, item = (np.array(side) for side in zip(*product(range(-2, 5), range(-2, 6)), strict=True))
    found = Excluded.of(np.tile(query, 2), np.tile(item, 2), np.array(asked), 4)
    wanted = sorted({q * 4 + i for q, i in product(range(3), range(4)) if asked[q]})
    assert found.keys.tolist() == wanted


@pytest.mark.parametrize("kind", ["mapping", "rows"])
@pytest.mark.parametrize(("items", "refused"), [([-1], True), ([4], True), ([5, -2], True), ([3], False), ([0], False),
                                               ([4, 3], False), ([-1, 0], False)])  # fmt: skip
def test_to_leave_out_nothing_of_the_catalogue_is_refused(items, refused, kind) -> None:
    exclude = {0: items} if kind == "mapping" else (np.zeros(len(items), np.int64), np.array(items))
    vectors = np.ones((1, 2)), np.eye(4, 2)
    if refused:
        with pytest.raises(rm.InputError) as told:
            rm.rank_catalogue({0: [1]}, *vectors, exclude=exclude)
        assert told.value.problem.kind == "catalogue.nothing_excluded"
    else:
        rm.rank_catalogue({0: [1]}, *vectors, exclude=exclude)


@pytest.mark.parametrize("highest", [-1.0, 0.0, 0.5, 0.75, 1.0, 2.0])
def test_the_highest_grade_of_ranked_ids_decides_what_can_be_relevant(highest) -> None:
    torch = pytest.importorskip("torch")
    ranked = rm.ranked_ids(torch.tensor([[7, 3, 9]]), [torch.tensor([3, 9])], grades=[torch.tensor([highest, -1.0])])
    assert ranked.highest_grade == max(highest, 0.0)
