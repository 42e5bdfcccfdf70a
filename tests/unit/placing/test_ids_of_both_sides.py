"""Ids of judgments and run as numbers, NumPy's numbers and text, in every combination."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest

import rankmeter as rm

KINDS = {"int": int, "numpy": np.int64, "text": str}
PAIRS = list(product(KINDS, KINDS))


@pytest.mark.parametrize("items", PAIRS, ids="-".join)
@pytest.mark.parametrize("queries", PAIRS, ids="-".join)
def test_ids_are_compared_as_text_only_where_one_side_has_text_and_the_other_numbers(queries, items):
    judged_query, ranked_query = (KINDS[kind] for kind in queries)
    judged_item, ranked_item = (KINDS[kind] for kind in items)
    truth = {judged_query(q): {judged_item(7): 1, judged_item(10): 0} for q in (1, 12, 3)}
    run = {ranked_query(q): {ranked_item(10): 2.0, ranked_item(7): 1.0 + (q == 3)} for q in (1, 12, 3)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", rm.RankmeterWarning)
        ev = rm.evaluate(truth, run, ["RR"])
    told = " ".join(str(one.message) for one in caught)
    for name, kinds in (("query", queries), ("item", items)):
        assert (f"{name} ids" in told) == (kinds.count("text") == 1)
    # Of equal scores the higher id as text comes first, whatever it is: "7" stands before "10".
    assert ev["RR"] == pytest.approx((0.5 + 0.5 + 1.0) / 3)
