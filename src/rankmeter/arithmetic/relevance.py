"""Measures that depend only on whether an item is relevant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.views import Options, View, counts_as_judged
from rankmeter.arithmetic.weights import cumulated, flat, reciprocal, row_weights
from rankmeter.frozen import dataclass
from rankmeter.measures.base import ANY_POSITIVE, SINGLE_ORDER_TIES
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import highest_from, offsets_of, row_changes, sizes_of


@dataclass(frozen=True, slots=True)
class Relevant:
    """The relevant rows of a view, by query and rank."""

    rows: Ints
    """(m',) which they are: NumPy takes rows by index several times faster than by a mask."""
    query: Ints
    rank: Ints
    offsets: Ints
    """(n + 1,) where those of each query start."""


def relevant_in(view: View, rel: float) -> Relevant:
    """The rows judged at least ``rel``, found once for all measures."""

    def found() -> Relevant:
        rows = (view.grade >= rel).nonzero()[0]
        query = view.query[rows]
        return Relevant(rows, query, view.rank[rows], offsets_of(np.bincount(query, minlength=len(view))))

    relevant: Relevant = view.once(("relevant", rel), found)
    return relevant


def within(view: View, rows: Ints, limit: Floats) -> Ints:
    """The rows whose rank is within the limit of their query."""
    inside: Ints = rows[view.rank[rows] <= limit[view.query[rows]]]
    return inside


def hits(view: View, rel: float, cutoff: int | Ints | None) -> Floats:
    """(n,) the number of relevant items within the cutoff, or its expectation."""
    if isinstance(cutoff, np.ndarray):
        return _hits_within(view, rel, cutoff)
    found: Floats = view.once(("hits", rel, cutoff), lambda: _hits_within(view, rel, cutoff))
    return found


def _hits_within(view: View, rel: float, cutoff: int | Ints | None) -> Floats:
    relevant = relevant_in(view, rel)
    if view.ties == "mean":
        return view.per_query(row_weights(view, relevant.rows, flat, cutoff), relevant.rows)
    upto = relevant.offsets
    if cutoff is not None:
        limit = cutoff if isinstance(cutoff, int) else cutoff[relevant.query]
        upto = offsets_of(relevant.rank <= limit)[upto]
    return sizes_of(upto).astype(np.float64)


def depth(view: View, cutoff: int | None) -> Floats:
    """(n,) k, or the length of the list without a cutoff."""
    return view.returned.astype(np.float64) if cutoff is None else np.full(len(view), float(cutoff))


def length(view: View, cutoff: int | None) -> Floats:
    """(n,) the number of items within the cutoff."""
    return np.minimum(view.returned, depth(view, cutoff))


def precision(view: View, m: Options) -> Parts:
    """P over k, over the list, or over what k places could hold."""
    divisor = length(view, m.cutoff) if m.norm == "list" else depth(view, m.cutoff)
    return _precision(view, m, divisor)


def set_precision(view: View, m: Options) -> Parts:
    """P over the list, or over what a list of its length could hold."""
    return _precision(view, m, length(view, m.cutoff))


def _precision(view: View, m: Options, divisor: Floats) -> Parts:
    total, found = view.total_relevant(m.rel), hits(view, m.rel, m.cutoff)
    if m.norm == "capped":
        divisor = np.minimum(divisor, total)
    return Parts(found, divisor, total > 0, found > 0)


def recall(view: View, m: Options) -> Parts:
    """R, and SetR."""
    total, found = view.total_relevant(m.rel), hits(view, m.rel, m.cutoff)
    capped = getattr(m, "norm", "") == "capped" and m.cutoff is not None
    divisor = np.minimum(total, m.cutoff) if capped else total
    return Parts(found, divisor, total > 0, found > 0)


def f_measure(view: View, m: Options) -> Parts:
    """F with precision over k; (1 + b^2) P R / (b^2 P + R) = (1 + b^2) hits / (b^2 R + k), linear in the hits."""
    return _f(view, m, depth(view, m.cutoff))


def set_f(view: View, m: Options) -> Parts:
    """F with precision over what was returned."""
    return _f(view, m, length(view, m.cutoff))


def _f(view: View, m: Options, divisor: Floats) -> Parts:
    total, found = view.total_relevant(m.rel), hits(view, m.rel, m.cutoff)
    square = m.beta if getattr(m, "weight", "squared") == "plain" else m.beta * m.beta
    # With recall="any" a query counts as if what was found were all there is.
    sought = found if getattr(m, "recall", "share") == "any" else total
    return Parts((1 + square) * found, square * sought + divisor, total > 0, found > 0)


def r_precision(view: View, m: Options) -> Parts:
    """Precision after R places, or min(R, k)."""
    total = view.total_relevant(m.rel)
    # trec_eval's Rprec_mult rounds up from one tenth.
    places = total if m.mult == 1 else np.floor(m.mult * total + 0.9)
    places = places if m.cutoff is None else np.minimum(places, m.cutoff)
    found = hits(view, m.rel, places.astype(np.int64))
    return Parts(found, total if m.norm == "relevant" else places, total > 0, found > 0)


def success(view: View, m: Options) -> Parts:
    """Whether anything relevant stands within the cutoff, or the chance of it."""
    total = view.total_relevant(m.rel)
    if view.ties != "mean":
        value = (hits(view, m.rel, m.cutoff) > 0).astype(np.float64)
    else:
        value = 1.0 - _chance_of_none(view, relevant_in(view, m.rel).rows, m.cutoff)
    parts = Parts(value, np.ones(len(view)), total > 0, value > 0)
    if m.unjudged == "undecided":
        undecided = (value == 0) & _any_unjudged(view, m, length(view, m.cutoff))
        parts = replace(parts, undefined=undecided)
    return parts


def _any_unjudged(view: View, m: Options, limit: Floats) -> Bools:
    """(n,) whether an unjudged item stands within the limit of its query."""
    rows = within(view, np.flatnonzero(counts_as_judged(view.grade, m)), limit)
    undecided: Bools = np.bincount(view.query[rows], minlength=len(view)) < limit
    return undecided


def _chance_of_none(view: View, rows: Ints, cutoff: int | None) -> Floats:
    """(n,) the chance that no relevant item falls within the cutoff.

    At most one tie spans the cutoff. With s places left for its t items, r of them relevant, the chance that all
    relevant ones fall below is the product of (t - s - i) / (t - i) for i < r.
    """
    limit = length(view, cutoff).astype(np.int64)
    query, above, tied = view.query[rows], view.above[rows], view.tied[rows]
    inside = above + tied <= limit[query]
    chance = np.where(np.bincount(query[inside], minlength=len(view)) > 0, 0.0, 1.0)
    across = ~inside & (above < limit[query])
    relevant = np.bincount(query[across], minlength=len(view))
    places, size = np.zeros(len(view), np.int64), np.ones(len(view), np.int64)
    places[query[across]] = limit[query[across]] - above[across]
    size[query[across]] = tied[across]
    for i in range(int(relevant.max(initial=0))):
        active = relevant > i
        chance[active] *= np.maximum(size[active] - places[active] - i, 0) / (size[active] - i)
    return chance


def reciprocal_rank(view: View, m: Options) -> Parts:
    """1 over the rank of the first or the best relevant item, or the mean over several; or its expectation."""
    total, relevant = view.total_relevant(m.rel), relevant_in(view, m.rel)
    rows = relevant.rows
    if m.hits in ("found", "relevant"):
        found = hits(view, m.rel, m.cutoff)
        summed = view.per_query(row_weights(view, rows, reciprocal, m.cutoff), rows)
        return Parts(summed, found if m.hits == "found" else total, total > 0, found > 0)
    if m.hits == "best":
        rows = within(view, rows, length(view, m.cutoff))
        rows = rows[np.lexsort((-view.grade[rows], view.query[rows]))]  # stable: equal grades stay in order of rank
        first = rows[row_changes(view.query[rows])]
    else:
        first = rows[relevant.offsets[:-1][sizes_of(relevant.offsets) > 0]]
    value, rank, query = np.zeros(len(view)), view.rank[first], view.query[first]
    if m.cutoff is not None:
        inside = rank <= m.cutoff
        rank, query = rank[inside], query[inside]
    value[query] = 1.0 / rank
    if view.ties == "mean":
        _expect_reciprocal(view, rows, first, m.cutoff, value)
    parts = Parts(value, np.ones(len(view)), total > 0, value > 0)
    if m.unjudged == "undecided":
        limit = length(view, m.cutoff)
        limit[query] = rank
        parts = replace(parts, undefined=_any_unjudged(view, m, limit))
    return parts


def _expect_reciprocal(view: View, rows: Ints, first: Ints, cutoff: int | None, value: Floats) -> None:
    """Set the value to the expected 1 / rank where the first relevant item stands in a tie.

    The first of r relevant items among t tied ones stands at place j with chance C(t - j, r - 1) / C(t, r), which
    changes from place to place by a factor (t - j - r + 1) / (t - j).
    """
    first = first[view.tied[first] > 1]
    query, above, tied = view.query[first], view.above[first], view.tied[first]
    tie = np.full(len(view), -1)
    tie[query] = above
    same_tie = view.above[rows] == tie[view.query[rows]]
    relevant = np.bincount(view.query[rows[same_tie]], minlength=len(view))[query]
    limit = length(view, cutoff)[query]
    chance, expected = relevant / tied, np.zeros(len(first))
    for place in range(1, int((tied - relevant + 1).max(initial=0)) + 1):
        reached = (above + place <= limit) & (chance > 0)
        if not reached.any():
            break
        expected[reached] += chance[reached] / (above[reached] + place)
        left = np.maximum(tied - place, 1)
        chance = np.where(tied > place, chance * np.maximum(tied - place - relevant + 1, 0) / left, 0.0)
    value[query] = expected


def average_precision(view: View, m: Options) -> Parts:
    """The sum of the precisions at the relevant ranks over one of six divisors."""
    total = view.total_relevant(m.rel)
    summed = view.once(("precisions", m.rel, m.ranks, m.cutoff), lambda: _summed_precisions(view, m))
    found = hits(view, m.rel, m.cutoff)
    if m.norm == "relevant":
        divisor = total
    elif m.norm == "found":
        divisor = hits(view, m.rel, None)
    elif m.norm == "hits":
        divisor = found
    elif m.norm == "list":
        divisor = np.minimum(total, length(view, m.cutoff))
    else:
        divisor = depth(view, m.cutoff)
        if m.norm == "capped":
            divisor = total if m.cutoff is None else np.minimum(total, divisor)
    return Parts(summed, divisor, total > 0, found > 0)


def _summed_precisions(view: View, m: Options) -> Floats:
    relevant = relevant_in(view, m.rel)
    if m.ranks == "all":
        worth = _precisions_from(view, relevant.rows, m.cutoff)
    elif view.ties == "mean":
        worth = _expected_precisions(view, relevant.rows, m.cutoff)
    else:
        worth = _precisions(view, m.rel, m.cutoff)
    return view.summed(relevant.query, worth)


def hit_numbers(view: View, rel: float) -> Ints:
    """(m',) for each relevant row, the number of relevant rows of its query at its rank or above."""
    relevant = relevant_in(view, rel)
    query, rank = relevant.query, relevant.rank
    number: Ints = np.arange(1, len(query) + 1) - relevant.offsets[query]
    if view.ties not in (*SINGLE_ORDER_TIES, "mean") and len(query):
        ends = np.append(np.flatnonzero(row_changes(query, rank))[1:], len(query)) - 1
        number = number[ends[np.searchsorted(ends, np.arange(len(query)))]]
    return number


def _precisions(view: View, rel: float, cutoff: int | None) -> Floats:
    """(m',) the precision at each relevant row, 0 below the cutoff."""
    rank = relevant_in(view, rel).rank
    precisions: Floats = view.once(("precision", rel), lambda: hit_numbers(view, rel) / rank)
    return precisions if cutoff is None else np.where(rank <= cutoff, precisions, 0.0)


def _precisions_from(view: View, rows: Ints, cutoff: int | None) -> Floats:
    """(m',) what each relevant item adds to the precisions at its own rank and all later ones: 1/i + ... + 1/k."""
    last = depth(view, cutoff).astype(np.int64)
    harmonic = cumulated(reciprocal, int(last.max(initial=0)))
    total = harmonic[last][view.query[rows]]
    counted = row_weights(view, rows, flat, cutoff)

    def before(rank: Ints) -> Floats:
        passed: Floats = harmonic[np.minimum(rank, len(harmonic)) - 1]
        return passed

    added: Floats = total * counted - row_weights(view, rows, before, cutoff)
    return added


def _expected_precisions(view: View, rows: Ints, cutoff: int | None) -> Floats:
    """(m',) what each relevant item adds on average over the orders of its tie (McSherry & Najork 2008).

    In a tie of t items after a others, with r relevant ones in it and c before it, an item at place i of the tie has c
    + 1 + (i - 1) q relevant ones up to itself, q = (r - 1) / (t - 1). The sum of (c + 1 + (i - 1) q) / (a + i) over the
    places is (c + 1 - q (a + 1)) (H(b) - H(a)) + q (b - a), where b is the last rank that counts.
    """
    query, above, tied = view.query[rows], view.above[rows], view.tied[rows]
    limit = length(view, cutoff).astype(np.int64)[query]
    starts = np.flatnonzero(row_changes(query, above))
    sizes = np.diff(starts, append=len(query))
    relevant = np.repeat(sizes, sizes)
    before = np.repeat(starts, sizes) - np.searchsorted(query, query)
    share = (relevant - 1) / np.maximum(tied - 1, 1)
    low, high = np.minimum(above, limit), np.minimum(above + tied, limit)
    harmonic = cumulated(reciprocal, int(high.max(initial=0)))
    spread = (before + 1 - share * (above + 1)) * (harmonic[high] - harmonic[low]) + share * (high - low)
    alone = np.where(above + 1 <= limit, (before + 1) / (above + 1), 0.0)
    return np.where(tied > 1, spread / tied, alone)


def interpolated_precision(view: View, m: Options) -> Parts:
    """The best precision at any depth that reaches the recall point."""
    total = view.total_relevant(m.rel)
    return Parts(best_from(view, m, m.recall), np.ones(len(view)), total > 0, hits(view, m.rel, m.cutoff) > 0)


def best_from(view: View, m: Options, recall: float) -> Floats:
    """(n,) the best precision at any depth that reaches a recall point."""
    asked = recall * view.total_relevant(m.rel)
    # 0.7 * 10 must mean 7 items, whatever the last bit of the product.
    rounded = np.ceil(asked - 1e-9) if m.rounding == "ceil" else np.floor(asked + _ROUNDING[m.rounding])
    first = relevant_in(view, m.rel).offsets
    best = view.once(("best from", m.rel, m.cutoff), lambda: highest_from(_precisions(view, m.rel, m.cutoff), first))
    # The hit that reaches the recall point, counted from 0; a recall of 0 is reached by the first.
    reaching = np.maximum(rounded, 1).astype(np.int64) - 1
    reached = np.flatnonzero(reaching < np.diff(first))
    value = np.zeros(len(view))
    value[reached] = best[first[reached] + reaching[reached]]
    return value


_ROUNDING = {"trec9": 0.9, "nearest": 0.5}


def auc(view: View, m: Options) -> Parts:
    """Pairs in order over all pairs of a relevant and a non-relevant item in the list; a tie counts half."""
    total = view.total_relevant(m.rel)
    size = length(view, m.cutoff)
    rows = within(view, relevant_in(view, m.rel).rows, size)
    rank = view.above[rows] + (view.tied[rows] + 1) / 2 if view.ties == "mean" else view.rank[rows].astype(np.float64)
    relevant = view.per_query(np.ones(len(rank)), rows)
    others = size - relevant
    in_order = relevant * size - view.per_query(rank, rows) - relevant * (relevant - 1) / 2
    pairs = relevant * others
    only_relevant = (relevant > 0) & (others == 0)
    return Parts(np.where(only_relevant, 1.0, in_order), np.where(only_relevant, 1.0, pairs), total > 0, relevant > 0)


def grouped_auc(view: View, m: Options) -> Parts:
    """AUC, with the number of relevant items in the list for a weight; without a pair it weighs nothing."""
    parts = auc(view, m)
    size = length(view, m.cutoff)
    relevant = hits(view, m.rel, m.cutoff)
    weight = np.where(relevant < size, relevant, 0.0)
    share = np.divide(parts.numerator, parts.denominator, out=np.zeros(len(view)), where=parts.denominator > 0)
    return replace(parts, numerator=share * weight, denominator=weight)


def partial_auc(view: View, m: Options) -> Parts:
    """Pairs in order over all pairs of a relevant item and one of the first k that are not relevant."""
    total, relevant = view.total_relevant(m.rel), relevant_in(view, m.rel)
    number, size = hit_numbers(view, m.rel), length(view, m.cutoff)
    found = hits(view, m.rel, m.cutoff)
    others = np.maximum(size - found, 1)
    k = others if m.negatives is None else np.full(len(view), float(m.negatives))
    limit = k[relevant.query]
    below = np.where(relevant.rank <= size[relevant.query], np.maximum(limit - (relevant.rank - number), 0), 0)
    counted = total
    if m.norm == "capped":
        below = np.where(number <= limit, below, 0)
        counted = np.minimum(total, k)
    in_order = view.summed(relevant.query, below)
    return Parts(in_order, counted * k, total > 0, found > 0)


def mean_rank(view: View, m: Options) -> Parts:
    """The mean rank of the relevant items found."""
    total = view.total_relevant(m.rel)
    rows = within(view, relevant_in(view, m.rel).rows, length(view, m.cutoff))
    rank = view.above[rows] + (view.tied[rows] + 1) / 2 if view.ties == "mean" else view.rank[rows].astype(np.float64)
    weight = view.grade[rows] if m.weight == "grade" else np.ones(len(rank))
    found = view.per_query(weight, rows)
    return Parts(view.per_query(weight * rank, rows), found, total > 0, found > 0)


def pair_accuracy(view: View, m: Options) -> Parts:
    """Pairs in order over all pairs of unequal grade in the list; a tie counts half."""
    size = length(view, m.cutoff)
    rows = within(view, np.flatnonzero(view.grade > 0), size)
    query, grade = view.query[rows], view.grade[rows]
    above = view.above[rows] if view.ties == "mean" else view.rank[rows] - 1
    tied = view.tied[rows] if view.ties == "mean" else np.ones(len(rows), np.int64)
    key = query * (int(size.max(initial=0)) + 1.0) + above
    tie, past = np.searchsorted(key, key), np.searchsorted(key, key, side="right")
    last = np.searchsorted(query, query, side="right")
    # Items of grade 0, judged or not, fill the remaining places.
    behind = (size[query] - above - tied) - (last - past)
    in_order, pairs = behind + (tied - (past - tie)) / 2, np.zeros(len(rows))
    first = np.searchsorted(query, query)
    for worth in np.unique(grade)[1:].tolist():
        at, lower = np.flatnonzero(grade == worth), offsets_of(grade < worth)
        in_order[at] += lower[last[at]] - lower[past[at]] + (lower[past[at]] - lower[tie[at]]) / 2
        pairs[at] = lower[last[at]] - lower[first[at]]
    positive = view.per_query(np.ones(len(rows)), rows)
    unequal = view.per_query(pairs, rows) + positive * (size - positive)
    has_relevant = view.total_relevant(ANY_POSITIVE) > 0
    return Parts(view.per_query(in_order, rows), unequal, has_relevant, positive > 0)


def num_queries(view: View, _: Options) -> Parts:
    """1 for each query."""
    return Parts(np.ones(len(view)), np.ones(len(view)))


def num_returned(view: View, m: Options) -> Parts:
    """The number of items within the cutoff."""
    return Parts(length(view, m.cutoff), np.ones(len(view)))


def num_relevant(view: View, m: Options) -> Parts:
    """R."""
    return Parts(view.total_relevant(m.rel), np.ones(len(view)))


def num_relevant_returned(view: View, m: Options) -> Parts:
    """The number of relevant items within the cutoff."""
    return Parts(hits(view, m.rel, m.cutoff), np.ones(len(view)))
