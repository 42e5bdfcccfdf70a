"""Columns of trec_eval that are added up as the program does it, document by document."""

from __future__ import annotations

import random

import pytest

from rankmeter.placing.placements import Plan
from rankmeter.wings.doors.trec_columns import RANKS_AT_ONCE, ColumnMaker, Scores
from rankmeter.wings.doors.trec_measures import ProgramCall, wanted


def residual(listed: list[bool], p: float) -> float:
    """What unjudged documents and those below the list could add, one after another from the first on."""
    total, power = 0.0, 1.0
    for is_judged in listed:
        total += 0.0 if is_judged else power
        power *= p
    return power + (1 - p) * total if not all(listed) else 0.0


@pytest.mark.parametrize("p", [0.9, 0.5, 0.999, 1.0, 1.01, 0.0, -0.8])
def test_the_residual_of_deep_lists_is_added_up_in_the_order_of_the_ranks(p: float) -> None:
    draw = random.Random(3)
    depths = [1, 3, RANKS_AT_ONCE, RANKS_AT_ONCE + 1, 3 * RANKS_AT_ONCE + 7]
    # The first of many documents are judged, so that what follows is small and counts all the same.
    lists = [
        [place < first or draw.random() < 0.3 for place in range(depth)] for depth in depths for first in (0, 2, 600)
    ]
    judgments = {
        f"q{n:02}": {f"d{at}": 1 for at, is_judged in enumerate(one) if is_judged} | {"x": 1}
        for n, one in enumerate(lists)
    }
    run = {f"q{n:02}": {f"d{at}": -float(at) for at in range(len(one))} for n, one in enumerate(lists)}
    maker = ColumnMaker(Scores.of_mappings(judgments, run, Plan(order=False)), ProgramCall())
    (column,) = maker.of(wanted([f"rbp_resid.p={p}"], 10)[0])
    assert column.values.tolist() == [residual(one, p) for one in lists]
