"""Measures for incomplete judgments: they distinguish items judged not relevant from unjudged ones."""

from __future__ import annotations

import numpy as np

from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth, length, relevant_in, within
from rankmeter.arithmetic.views import Options, View, counts_as_judged
from rankmeter.arithmetic.weights import flat, row_weights
from rankmeter.placing.placements import Bools, Ints
from rankmeter.placing.segments import offsets_of

INFAP_EPSILON = 1e-5


def _count_before(view: View, chosen: Bools) -> Ints:
    """(m,) the number of chosen rows of the same query before each row."""
    total = offsets_of(chosen)
    before: Ints = total[:-1] - total[view.offsets[view.query]]
    return before


def bpref(view: View, m: Options) -> Parts:
    """How rarely an item judged not relevant stands above a relevant one."""
    parts: Parts = view.once(("Bpref", m.rel, m.negative, m.cutoff), lambda: _bpref(view, m))
    return parts


def _bpref(view: View, m: Options) -> Parts:
    total = view.total_relevant(m.rel)
    judged = view.total_relevant(-np.inf if m.negative == "nonrelevant" else 0.0)
    nonrelevant = np.maximum(judged - total, 0.0)
    rows = within(view, relevant_in(view, m.rel).rows, depth(view, m.cutoff))
    above = _count_before(view, (view.grade < m.rel) & counts_as_judged(view.grade, m))[rows]
    query = view.query[rows]
    bound = np.maximum(np.minimum(nonrelevant, total), 1)[query]
    preferred = np.where(above > 0, 1.0 - np.minimum(above, total[query]) / bound, 1.0)
    return Parts(view.per_query(preferred, rows), total, total > 0, view.per_query(np.ones(len(query)), rows) > 0)


def inferred_ap(view: View, m: Options) -> Parts:
    """AP with the precision above each relevant item inferred from the judged part of the pool."""
    total = view.total_relevant(m.rel)
    relevant = view.grade >= m.rel
    rows = relevant & (view.rank <= depth(view, m.cutoff)[view.query])
    found = _count_before(view, relevant)[rows]
    missed = _count_before(view, ~relevant & counts_as_judged(view.grade, m))[rows]
    pooled = _count_before(view, np.ones(len(relevant), np.bool_))[rows]
    rank = view.rank[rows]
    before = np.maximum(rank - 1, 1)
    inferred = (pooled / before) * (found + INFAP_EPSILON) / (found + missed + 2 * INFAP_EPSILON)
    expected = np.where(rank == 1, 1.0, 1.0 / rank + (rank - 1) / rank * inferred)
    return Parts(view.per_query(expected, rows), total, total > 0, view.per_query(np.ones(len(rank)), rows) > 0)


def judged(view: View, m: Options) -> Parts:
    """The share of the items within the cutoff that are judged."""
    rows = counts_as_judged(view.grade, m)
    return Parts(view.per_query(row_weights(view, rows, flat, m.cutoff), rows), length(view, m.cutoff))
