"""Measures that add up gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth, length
from rankmeter.arithmetic.views import Options, View, mapped
from rankmeter.arithmetic.weights import DISCOUNTS, Discount, cumulated, flat, geometric, row_weights, weights_at
from rankmeter.errors import MeasureError
from rankmeter.measures.base import ANY_POSITIVE, LOWERING
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import offsets_of, sort_descending

HIGHEST_EXPONENT = 1000
"""Beyond this, sums of powers of 2 would be infinite."""


def lowers(m: Options) -> bool:
    """Whether grades below 0 are gains below 0."""
    return getattr(m, "negative", "") in LOWERING


def gains_of(grade: Floats, m: Options) -> Floats:
    """The gain of each grade: 0 below ``rel`` if that is stated, and not negative unless negative grades count."""
    counted = lowers(m)
    positive = grade if counted else np.maximum(grade, 0.0)
    if m.gain == "linear":
        gain = positive
    elif m.gain == "exp2":
        check_exponents(positive.max(initial=0.0), m)
        gain = np.exp2(positive) - 1.0
    elif m.gain == "binary":
        gain = (grade >= (1 if m.rel is None else m.rel)).astype(np.float64)
    else:
        gain = mapped(grade, m.gain, lowest=-np.inf if counted else 0.0)
    return gain if m.rel is None else np.where(grade >= m.rel, gain, 0.0)


def cumulated_gain(view: View, m: Options) -> Parts:
    """CG, or its share of all judged gain."""
    parts, _ = _discounted(view, m, flat)
    if m.norm == "none":
        return parts
    gain = gains_of(view.best, m)
    judged = view.summed(view.owner, gain)
    return replace(parts, denominator=judged)


def discounted_gain(view: View, m: Options) -> Parts:
    """DCG."""
    return _discounted(view, m, DISCOUNTS[m.discount])[0]


def _discounted(view: View, m: Options, discount: Discount) -> tuple[Parts, Floats]:
    """The sum of the discounted gains, and the number of candidates of each query that gain."""
    gaining = _gaining(view, m)
    queries = len(view.returned)
    gain, rows, query, rank, worth = view.once(("gain", m.gain, m.rel, discount), lambda: _gained(view, m, discount))
    found: Bools | None = None
    if view.ties == "mean":
        weights = row_weights(view, rows, discount, m.cutoff)
        summed = view.per_query(gain[rows] * weights, rows)
        if lowers(m):  # the sum may be 0 or less although something was found
            found = view.per_query((gain[rows] > 0) & (weights > 0), rows) > 0
    else:
        inside = (rank <= (view.returned[query] if m.cutoff is None else m.cutoff)).nonzero()[0]
        summed = view.summed(query[inside], worth[inside])
        if lowers(m):
            found = np.bincount(query[inside[worth[inside] > 0]], minlength=queries) > 0
    has_gain: Bools = gaining > 0
    if not isinstance(m.unjudged, str):  # unjudged items may gain even if no judged one does
        has_gain = has_gain | (view.per_query(gain != 0) > 0)
    return Parts(summed, np.ones(queries), has_gain, summed > 0 if found is None else found), gaining


def _gained(view: View, m: Options, discount: Discount) -> tuple[Floats, Ints, Ints, Ints, Floats]:
    """The gain of each row; the rows that gain, their queries, ranks and discounted gains."""
    gain = gains_of(view.grade, m)
    rows = gain.nonzero()[0]
    return gain, rows, view.query[rows], view.rank[rows], gain[rows] * weights_at(discount, view.rank[rows])


def _gaining(view: View, m: Options) -> Floats:
    """(n,) the number of candidates that gain, or lose where that counts."""
    if lowers(m) and m.gain != "binary":
        return view.summed(view.owner, gains_of(view.best, m) != 0)
    if isinstance(m.gain, str):  # gains rise with the grade
        lowest = 1 if m.gain == "binary" else ANY_POSITIVE
        return view.total_relevant(lowest if m.rel is None else m.rel if m.gain == "binary" else max(lowest, m.rel))
    key = ("gaining", m.gain, m.rel)
    upto: Ints = view.once(key, lambda: offsets_of(gains_of(view.best, m) > 0), of_best=True)
    return np.diff(upto[view.best_offsets]).astype(np.float64)


def ndcg(view: View, m: Options) -> Parts:
    """DCG over the DCG of an ideal list."""
    parts, gaining = _discounted(view, m, DISCOUNTS[m.discount])
    key = ("ideal", m.gain, m.rel, m.discount, m.cutoff, m.ideal, lowers(m))
    of_best = m.ideal in ("judged", "uncut") and not resorts_losses(m)
    ideal = view.once(key, lambda: _ideal(view, m, gaining), of_best=of_best)
    possible = parts.has_relevant
    if m.negative == "guarded":
        possible = ideal > 0 if possible is None else possible & (ideal > 0)
    return Parts(parts.numerator, ideal, possible, parts.found)


def _ideal(view: View, m: Options, gaining: Floats) -> Floats:
    """(n,) the DCG of the ideal list: the highest gains first, up to its length."""
    discount = DISCOUNTS[m.discount]
    if m.ideal == "full":
        return np.full(len(view), cumulated(discount, m.cutoff)[-1])
    if m.ideal == "full-list":
        places = length(view, m.cutoff).astype(np.int64)
        return cumulated(discount, int(places.max(initial=0)))[places]
    if m.ideal in ("judged", "uncut", "length") and isinstance(m.gain, str) and not resorts_losses(m):
        # Gains rise with grades: the candidates are in ideal order, those without a gain last.
        offsets = view.best_offsets
        all_count = lowers(m) and m.gain != "binary"
        sizes = np.diff(offsets) if all_count else gaining.astype(np.int64)
        gain_at: Callable[[Ints], Floats] = lambda rows: gains_of(view.best[rows], m)  # noqa: E731
    else:
        offsets, gain = _sorted_gains(view, m)
        sizes = np.diff(offsets if lowers(m) else offsets_of(gain > 0)[offsets])
        gain_at = gain.__getitem__
    if m.ideal != "uncut" and m.cutoff is not None:
        sizes = np.minimum(sizes, m.cutoff)
    if m.ideal == "length":
        sizes = np.minimum(sizes, view.returned)
    return _discounted_heads(gain_at, offsets[:-1], sizes, discount)


def resorts_losses(m: Options) -> bool:
    """Whether the ideal is the list re-sorted, in which unjudged items stand before those that lose."""
    return lowers(m) and m.gain != "binary" and m.candidates == "list" and isinstance(m.unjudged, str)


def _sorted_gains(view: View, m: Options) -> tuple[Ints, Floats]:
    """The start of each query's gains, and the gains of candidates or list, highest first within each query."""
    if m.ideal in ("judged", "uncut", "length"):
        offsets, gain = view.best_offsets, gains_of(view.best, m)
        if resorts_losses(m):
            unjudged = np.maximum(view.returned - np.diff(offsets), 0)
            gain = np.insert(gain, np.repeat(offsets[1:], unjudged), 0.0)
            offsets = offsets + np.append(0, np.cumsum(unjudged))
        return offsets, sort_descending(gain, offsets)
    rows = view.rank <= length(view, m.cutoff if m.ideal == "top" else None)[view.query]
    offsets = offsets_of(np.bincount(view.query[rows], minlength=len(view)).astype(np.int64))
    return offsets, sort_descending(gains_of(view.grade[rows], m), offsets)


def _discounted_heads(gain_at: Callable[[Ints], Floats], first: Ints, sizes: Ints, discount: Discount) -> Floats:
    """(n,) the discounted sum of the first ``sizes`` gains of each query, which fall."""
    weights = discount(np.arange(1, int(sizes.max(initial=0)) + 1))
    last = (first + sizes - 1)[sizes > 0]
    if (gain_at(last) == 1.0).all() and (gain_at(first[sizes > 0]) == 1.0).all():
        # All gains are 1, as those of sets are: four fifths less time, by the same additions in the same order.
        return np.append(0.0, np.cumsum(weights))[sizes]
    owner = np.repeat(np.arange(len(sizes)), sizes)
    rows = np.arange(len(owner)) + (first - np.cumsum(sizes) + sizes)[owner]
    worth = gain_at(rows) * weights[rows - first[owner]]
    return np.bincount(owner, weights=worth, minlength=len(sizes)).astype(np.float64, copy=False)


def rank_biased_precision(view: View, m: Options) -> Parts:
    """RBP."""
    if m.max_grade is not None:
        check_grades(view, m)
    if m.gain == "exp2":
        check_exponents(m.max_grade, m)
    gain = rank_biased_gains(view.grade, m)
    rows = gain > 0
    summed = view.per_query(gain[rows] * row_weights(view, rows, geometric(m.p), m.cutoff), rows)
    scaled = 100.0 * summed if m.scale == "percent" else summed
    return Parts(scaled, _reachable(view, m), view.total_relevant(m.lowest_grade) > 0, summed > 0)


def rank_biased_gains(grade: Floats, m: Options) -> Floats:
    """What each grade is worth to RBP."""
    gain: Floats
    if m.gain == "binary":
        gain = (grade >= m.rel).astype(np.float64)
    elif m.gain == "linear":
        gain = np.where(grade >= m.rel, np.maximum(grade, 0.0), 0.0) / (m.max_grade or 1)
    else:
        gain = (np.exp2(np.maximum(grade, 0.0)) - 1.0) / 2.0**m.max_grade
    return gain


def _reachable(view: View, m: Options) -> Floats:
    """(n,) the divisor: 1, the weight of the first k places, or the RBP of the best list that is possible."""
    if m.norm in ("none", "places"):
        return np.full(len(view), 1.0 if m.norm == "none" else 1.0 - m.p**m.cutoff)
    relevant = view.total_relevant(m.rel)
    if m.norm == "list" or m.cutoff is not None:
        relevant = np.minimum(relevant, length(view, m.cutoff) if m.norm == "list" else depth(view, m.cutoff))
    reachable: Floats = 1.0 - np.power(m.p, relevant)
    return reachable


def expected_reciprocal_rank(view: View, m: Options) -> Parts:
    """ERR: the reader goes down the list, and each item satisfies with a chance that grows with its grade."""
    check_grades(view, m)
    check_exponents(m.max_grade, m)
    counts = view.grade != 0 if lowers(m) else view.grade > 0
    rows = counts & (view.rank <= depth(view, m.cutoff)[view.query])
    query, rank = view.query[rows], view.rank[rows]
    satisfied = satisfaction(view.grade[rows], m)
    value, reading = np.zeros(len(view)), np.ones(len(view))
    number = np.arange(len(query)) - np.searchsorted(query, query)
    # A product along each list: one step for the first item of every query, one for the second, ...
    order = np.argsort(number, kind="stable")
    bounds = np.searchsorted(number[order], np.arange(int(number.max(initial=-1)) + 2))
    for first, last in pairwise(bounds.tolist()):
        step = order[first:last]
        value[query[step]] += reading[query[step]] * satisfied[step] / rank[step]
        reading[query[step]] *= 1.0 - satisfied[step]
    found = np.bincount(query[satisfied > 0], minlength=len(view)) > 0
    has_relevant = view.total_relevant(ANY_POSITIVE) > 0
    if lowers(m):
        has_relevant |= view.summed(view.owner, view.best < 0) > 0
    if not isinstance(m.unjudged, str):
        has_relevant |= view.per_query(view.grade != 0 if lowers(m) else view.grade > 0) > 0
    return Parts(value, np.ones(len(view)), has_relevant, found)


def satisfaction(grade: Floats, m: Options) -> Floats:
    """The chance of each grade to satisfy the reader of ERR."""
    chance: Floats = (np.exp2(grade if lowers(m) else np.maximum(grade, 0.0)) - 1.0) / 2.0**m.max_grade
    return chance


def highest_grade(view: View, m: Options) -> Parts:
    """The highest grade within the cutoff."""
    rows = (view.grade > 0) & (view.rank <= depth(view, m.cutoff)[view.query])
    highest = np.zeros(len(view))
    np.maximum.at(highest, view.query[rows], view.grade[rows])
    return Parts(highest, np.ones(len(view)), view.total_relevant(ANY_POSITIVE) > 0, highest > 0)


def check_exponents(highest: float, m: Options) -> None:
    """Refuse a grade whose power of 2 is too large for a float."""
    if highest > HIGHEST_EXPONENT:
        raise MeasureError.of("measures.exponent", measure=m, highest=highest)


def check_grades(view: View, m: Options) -> None:
    """Refuse grades above the ``max_grade`` of the measure."""
    highest = view.best.max(initial=0.0)
    if highest > m.max_grade:
        name, top = type(m).name, int(np.ceil(highest))
        raise MeasureError.of(
            "measures.above_max_grade", measure=m, max_grade=m.max_grade, highest=highest, name=name, top=top
        )
