"""The rarely used measures of trec_eval, and compatibility with an ideal list."""

from __future__ import annotations

import numpy as np

from rankmeter.arithmetic.gained import Gained, Ideal, sums_of_first
from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import best_from, depth, hit_numbers, hits, length, relevant_in
from rankmeter.arithmetic.views import Options, View, counts_as_judged
from rankmeter.arithmetic.weights import cumulated, flat, geometric, row_weights
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.segments import row_changes, running_sums


def averaged_interpolated_precision(view: View, m: Options) -> Parts:
    """The mean of interpolated precision over recall points: those stated, or evenly spaced ones."""
    # i / 10 rather than i * 0.1, so that 0.3 is 0.3.
    recalls = m.points if isinstance(m.points, tuple) else [i / (m.points - 1) for i in range(m.points)]
    value = np.zeros(len(view))
    for recall in recalls:  # in sequence, so that a query's sum does not depend on the number of queries
        value += best_from(view, m, recall)
    found = hits(view, m.rel, m.cutoff) > 0
    return Parts(value / len(recalls), np.ones(len(view)), view.total_relevant(m.rel) > 0, found)


def set_average_precision(view: View, m: Options) -> Parts:
    """Set precision times set recall."""
    total, found = view.total_relevant(m.rel), hits(view, m.rel, m.cutoff)
    return Parts(found * found, length(view, m.cutoff) * total, total > 0, found > 0)


def utility(view: View, m: Options) -> Parts:
    """The sum of what the four outcomes are worth."""
    total, found, size = view.total_relevant(m.rel), hits(view, m.rel, m.cutoff), length(view, m.cutoff)
    worth = m.found * found + m.noise * (size - found) + m.missed * (total - found)
    return Parts(worth + m.rest * (m.collection + found - size - total), np.ones(len(view)))


def binary_g(view: View, m: Options) -> Parts:
    """Each relevant item over the logarithm of the number of others above it."""
    total = view.total_relevant(m.rel)
    relevant = relevant_in(view, m.rel)
    worth = 1.0 / np.log2(2.0 + (relevant.rank - hit_numbers(view, m.rel)))
    if m.cutoff is not None:
        worth = np.where(relevant.rank <= m.cutoff, worth, 0.0)
    return Parts(view.summed(relevant.query, worth), total, total > 0, hits(view, m.rel, m.cutoff) > 0)


def normalised_g(view: View, m: Options) -> Parts:
    """Each gain over the logarithm of how far the list is behind the ideal one."""
    ideal, gained = Ideal.of(view, m), Gained.of(view, m)
    at_least_one = running_sums(np.maximum(ideal.gain, 1.0), ideal.offsets)
    cost = ideal.up_to(at_least_one, gained.query, gained.rank)
    cost += np.maximum(gained.rank - ideal.sizes[gained.query], 0)
    # A list is ahead of the ideal one only where it repeats items that count each time.
    worth = gained.gain / np.log2(2.0 + np.maximum(cost - gained.so_far, 0.0))
    value = view.summed(gained.query, worth)
    best = view.summed(ideal.query, ideal.gain)
    return Parts(value, best, ideal.sizes > 0, value > 0)


def ndcg_over_relevant(view: View, m: Options) -> Parts:
    """The mean of nDCG at the rank of each item that gains; items not returned take that of the whole list."""
    ideal, gained = Ideal.of(view, m), Gained.of(view, m)
    at_rank = gained.dcg / ideal.up_to(ideal.dcg, gained.query, gained.rank)
    value = view.summed(gained.query, at_rank)
    returned = np.bincount(gained.query, minlength=len(view))
    best = sums_of_first(ideal.dcg, ideal.offsets[:-1], ideal.sizes)
    whole = sums_of_first(gained.dcg, gained.offsets[:-1], np.diff(gained.offsets))
    rest = np.divide(whole, best, out=np.zeros(len(view)), where=best > 0)
    value += np.maximum(ideal.sizes - returned, 0) * rest
    return Parts(value, ideal.sizes.astype(np.float64), ideal.sizes > 0, returned > 0)


def ndcg_over_levels(view: View, m: Options) -> Parts:
    """The mean of nDCG at the ranks where the ideal list steps down."""
    ideal, gained = Ideal.of(view, m), Gained.of(view, m)
    last = np.append(row_changes(ideal.query, ideal.gain)[1:], True)[: len(ideal.gain)]
    query, place = ideal.query[last], ideal.place[last]
    size = length(view, m.cutoff).astype(np.int64)
    beyond = np.flatnonzero((ideal.sizes > 0) & (size > ideal.sizes + 1))
    query, place = np.concatenate([query, beyond]), np.concatenate([place, size[beyond]])
    points = gained.dcg_at(query, np.minimum(place, size[query])) / ideal.up_to(ideal.dcg, query, place)
    value = view.summed(query, points)
    count = view.summed(query)
    return Parts(value, count, ideal.sizes > 0, np.bincount(gained.query, minlength=len(view)) > 0)


def num_nonrelevant_returned(view: View, m: Options) -> Parts:
    """The number of items judged not relevant within the cutoff."""
    rows = counts_as_judged(view.grade, m) & (view.grade < m.rel)
    return Parts(view.per_query(row_weights(view, rows, flat, m.cutoff), rows), np.ones(len(view)))


def unjudged(view: View, m: Options) -> Parts:
    """The share of the first k places that hold unjudged items."""
    rows = counts_as_judged(view.grade, m)
    known = view.per_query(row_weights(view, rows, flat, m.cutoff), rows)
    missing = length(view, m.cutoff) - known
    return Parts(missing, np.ones(len(view)) if m.norm == "none" else depth(view, m.cutoff))


def rank_biased_residual(view: View, m: Options) -> Parts:
    """What unjudged items of the list, and everything after it, could add."""
    rows = counts_as_judged(view.grade, m)
    size = length(view, m.cutoff)
    known = view.per_query(row_weights(view, rows, geometric(m.p), m.cutoff), rows)
    value = 1.0 - known  # the weights of all ranks add up to 1
    if m.tail == "if-unjudged":
        judged = view.per_query(row_weights(view, rows, flat, m.cutoff), rows)
        value = np.where(judged < size, value, 0.0)
    return Parts(value, np.ones(len(view)))


def all_relevant(view: View, m: Options) -> Parts:
    """Whether every relevant item stands within the cutoff."""
    total, found = view.total_relevant(m.rel), hits(view, m.rel, m.cutoff)
    return Parts(((found >= total) & (total > 0)).astype(np.float64), np.ones(len(view)), total > 0, found > 0)


def compatibility(view: View, m: Options) -> Parts:
    """Rank-biased overlap of the list with the best list that agrees with it most."""
    rows = (view.grade >= m.rel) & (view.rank <= depth(view, m.cutoff)[view.query])
    query, rank, grade = view.query[rows], view.rank[rows], view.grade[rows]
    relevant = view.best >= m.rel
    owner, best = view.owner[relevant], view.best[relevant]
    sizes = np.bincount(owner, minlength=len(view)).astype(np.int64)
    position = _ideal_positions(query, grade, owner, best)
    deep = np.maximum(length(view, m.cutoff).astype(np.int64), sizes)
    overlap = cumulated(lambda rank: np.power(m.p, rank - 1.0) / rank, int(deep.max(initial=0)))
    weight = cumulated(lambda rank: np.power(m.p, rank - 1.0), int(deep.max(initial=0)))
    shared = overlap[deep[query]] - overlap[np.minimum(np.maximum(rank, position), deep[query] + 1) - 1]
    value = view.summed(query, shared)
    if m.norm == "none":
        return Parts(value, weight[deep], sizes > 0, value > 0)
    divisor = weight[sizes] + sizes * (overlap[deep] - overlap[sizes])
    # The two sums round differently: the best list must not score a digit above 1. Only a list with a repeated item
    # (duplicates=counted) is above 1 by more.
    is_best = np.isclose(value, divisor, rtol=1e-12, atol=0.0)
    return Parts(np.where(is_best, divisor, value), divisor, sizes > 0, value > 0)


def _ideal_positions(query: Ints, grade: Floats, owner: Ints, best: Floats) -> Ints:
    """The rank of each returned item in the ideal list: after higher grades, then in the order of the list."""
    order = np.lexsort((np.arange(len(query)), -grade, query))
    q, g = query[order], grade[order]
    number = np.arange(len(q)) - np.maximum.accumulate(np.where(row_changes(q, g), np.arange(len(q)), 0))
    higher = np.zeros(len(q), np.int64)
    for key in set(grade.tolist()):  # few grades, many rows
        above = np.bincount(owner[best > key], minlength=int(owner.max(initial=0)) + 1)
        chosen = g == key
        higher[chosen] = above[q[chosen]]
    position = np.empty(len(q), np.int64)
    position[order] = higher + number + 1
    return position
