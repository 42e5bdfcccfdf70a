"""Measures that add up gains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth, length
from rankmeter.arithmetic.views import View, mapped
from rankmeter.arithmetic.weights import DISCOUNTS, Discount, cumulated, flat, geometric, row_weights, weights_at
from rankmeter.errors import MeasureError
from rankmeter.measures.base import ANY_POSITIVE
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import bisect, offsets_of, sort_descending

Options = Any
HIGHEST_EXPONENT = 1000
"""Above it the sums of some powers of 2 would be infinite."""


def gains_of(grade: Floats, m: Options) -> Floats:
    """The gain of each grade: 0 below ``rel`` where that is stated, and never below 0 unless such grades count."""
    counted = getattr(m, "negative", "") == "counted"
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
    owner = np.repeat(np.arange(len(view)), np.diff(view.best_offsets))
    judged = np.bincount(owner, weights=gain, minlength=len(view)).astype(np.float64, copy=False)
    return replace(parts, denominator=judged)


def discounted_gain(view: View, m: Options) -> Parts:
    """DCG."""
    return _discounted(view, m, DISCOUNTS[m.discount])[0]


def _discounted(view: View, m: Options, discount: Discount) -> tuple[Parts, Floats]:
    """The sum of the discounted gains, and how many candidates of each query have a gain."""
    gaining = _gaining(view, m)
    queries = len(view.returned)
    gain, rows, query, rank, worth = view.once(("gain", m.gain, m.rel, discount), lambda: _gained(view, m, discount))
    found: Bools | None = None
    if view.ties == "mean":
        weights = row_weights(view, rows, discount, m.cutoff)
        summed = view.per_query(gain[rows] * weights, rows)
        if m.negative == "counted":  # a sum may be 0 or less although something was found
            found = view.per_query((gain[rows] > 0) & (weights > 0), rows) > 0
    else:
        inside = np.flatnonzero(rank <= (view.returned[query] if m.cutoff is None else m.cutoff))
        summed = np.bincount(query[inside], weights=worth[inside], minlength=queries).astype(np.float64, copy=False)
        if m.negative == "counted":
            found = np.bincount(query[inside[worth[inside] > 0]], minlength=queries) > 0
    some: Bools = gaining > 0
    if not isinstance(m.unjudged, str):  # which may gain where nothing judged does
        some = some | (view.per_query(gain > 0) > 0)
    return Parts(summed, np.ones(queries), some, summed > 0 if found is None else found), gaining


def _gained(view: View, m: Options, discount: Discount) -> tuple[Floats, Ints, Ints, Ints, Floats]:
    """The gain of each row; which rows have one, their queries and ranks, and what their gains are worth there."""
    gain = gains_of(view.grade, m)
    rows = np.flatnonzero(gain)
    return gain, rows, view.query[rows], view.rank[rows], gain[rows] * weights_at(discount, view.rank[rows])


def _gaining(view: View, m: Options) -> Floats:
    """(n,) how many candidates have a gain."""
    if isinstance(m.gain, str):  # which rises with the grade
        lowest = 1 if m.gain == "binary" else ANY_POSITIVE
        return view.total_relevant(lowest if m.rel is None else m.rel if m.gain == "binary" else max(lowest, m.rel))
    key = ("gaining", m.gain, m.rel)
    gaining: Floats = view.once(key, lambda: count_of(view, gains_of(view.best, m) > 0), of_best=True)
    return gaining


def ndcg(view: View, m: Options) -> Parts:
    """DCG over the DCG of an ideal list."""
    parts, gaining = _discounted(view, m, DISCOUNTS[m.discount])
    key = ("ideal", m.gain, m.rel, m.discount, m.cutoff, m.ideal, m.negative == "counted")
    ideal = view.once(key, lambda: _ideal(view, m, gaining), of_best=m.ideal in ("judged", "uncut"))
    return Parts(parts.numerator, ideal, parts.has_relevant, parts.found)


def _ideal(view: View, m: Options, gaining: Floats) -> Floats:
    """(n,) the DCG of the ideal list: the highest gains first, as many as count."""
    discount = DISCOUNTS[m.discount]
    if m.ideal == "full":
        return np.full(len(view), cumulated(discount, m.cutoff)[-1])
    if m.ideal == "full-list":
        places = length(view, m.cutoff).astype(np.int64)
        return cumulated(discount, int(places.max(initial=0)))[places]
    if m.ideal in ("judged", "uncut", "length") and isinstance(m.gain, str):
        # Gains rise with grades: the best grades are the ideal, and what has no gain stands at the end.
        offsets = view.best_offsets
        all_count = m.negative == "counted" and m.gain != "binary"
        sizes = np.diff(offsets) if all_count else gaining.astype(np.int64)
        gain_at: Callable[[Ints], Floats] = lambda rows: gains_of(view.best[rows], m)  # noqa: E731
    else:
        offsets, gain = _sorted_gains(view, m)
        sizes = np.diff(offsets) if m.negative == "counted" else _positive(gain, offsets)
        gain_at = gain.__getitem__
    if m.ideal != "uncut" and m.cutoff is not None:
        sizes = np.minimum(sizes, m.cutoff)
    if m.ideal == "length":
        sizes = np.minimum(sizes, view.returned)
    return _discounted_heads(gain_at, offsets[:-1], sizes, discount)


def _sorted_gains(view: View, m: Options) -> tuple[Ints, Floats]:
    """The gains of the candidates or of the list, highest first within each query, and where each query's start."""
    if m.ideal in ("judged", "uncut", "length"):
        return view.best_offsets, sort_descending(gains_of(view.best, m), view.best_offsets)
    rows = view.rank <= length(view, m.cutoff if m.ideal == "top" else None)[view.query]
    offsets = offsets_of(np.bincount(view.query[rows], minlength=len(view)).astype(np.int64))
    return offsets, sort_descending(gains_of(view.grade[rows], m), offsets)


def _positive(falling: Floats, offsets: Ints) -> Ints:
    """(n,) how many values of each query are above 0."""
    if falling.min(initial=np.inf) > 0:
        return np.diff(offsets)
    return bisect(falling, offsets[:-1], offsets[1:], np.zeros(len(offsets) - 1), past_equal=False)


def _discounted_heads(gain_at: Callable[[Ints], Floats], first: Ints, sizes: Ints, discount: Discount) -> Floats:
    """(n,) the discounted sum of the first gains of each query; they fall."""
    weights = discount(np.arange(1, int(sizes.max(initial=0)) + 1))
    # Where the first and the last gain are 1, all are, and the sum of their weights is known: the same additions in
    # the same order, so that not a bit depends on which way was taken.
    total = np.concatenate([[0.0], np.cumsum(weights)])[sizes]
    some = np.flatnonzero(sizes > 0)
    graded = (gain_at(first[some]) != 1.0) | (gain_at(first[some] + sizes[some] - 1) != 1.0)
    if graded.any():
        some = some[graded]
        owner = np.repeat(some, sizes[some])
        place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes[some]) - sizes[some], sizes[some])
        worth = gain_at(first[owner] + place) * weights[place]
        total[some] = np.bincount(owner, weights=worth, minlength=len(total))[some]
    return total


def rank_biased_precision(view: View, m: Options) -> Parts:
    """RBP."""
    if m.max_grade is not None:
        check_grades(view, m)
    if m.gain == "exp2":
        check_exponents(m.max_grade, m)
    gain, best = rank_biased_gains(view.grade, m), view.best > 0 if m.gain == "exp2" else view.best >= m.rel
    rows = gain > 0
    summed = view.per_query(gain[rows] * row_weights(view, rows, geometric(m.p), m.cutoff), rows)
    scaled = 100.0 * summed if m.scale == "percent" else summed
    return Parts(scaled, _reachable(view, m), count_of(view, best) > 0, summed > 0)


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
    """(n,) 1, or the RBP of a list that begins with all the relevant items it can hold."""
    if m.norm in ("none", "places"):
        return np.full(len(view), 1.0 if m.norm == "none" else 1.0 - m.p**m.cutoff)
    relevant = view.total_relevant(m.rel)
    if m.norm == "list" or m.cutoff is not None:
        relevant = np.minimum(relevant, length(view, m.cutoff) if m.norm == "list" else depth(view, m.cutoff))
    reachable: Floats = 1.0 - np.power(m.p, relevant)
    return reachable


def count_of(view: View, candidates: Bools) -> Floats:
    """(n,) how many of a query's candidates are among some."""
    total = np.concatenate([[0.0], np.cumsum(candidates)])
    return np.diff(total[view.best_offsets])


def expected_reciprocal_rank(view: View, m: Options) -> Parts:
    """ERR: the reader goes down the list and is satisfied at each item with a chance that grows with its grade."""
    check_grades(view, m)
    check_exponents(m.max_grade, m)
    counts = view.grade != 0 if m.negative == "counted" else view.grade > 0
    rows = counts & (view.rank <= depth(view, m.cutoff)[view.query])
    query, rank = view.query[rows], view.rank[rows]
    satisfied = (np.exp2(view.grade[rows]) - 1.0) / 2.0**m.max_grade
    value, reading = np.zeros(len(view)), np.ones(len(view))
    number = np.arange(len(query)) - np.searchsorted(query, query)
    # One step for the first item of every query, one for the second, ...: a product along each list.
    order = np.argsort(number, kind="stable")
    bounds = np.searchsorted(number[order], np.arange(int(number.max(initial=-1)) + 2))
    for first, last in pairwise(bounds.tolist()):
        step = order[first:last]
        value[query[step]] += reading[query[step]] * satisfied[step] / rank[step]
        reading[query[step]] *= 1.0 - satisfied[step]
    found = np.bincount(query[satisfied > 0], minlength=len(view)) > 0
    some = count_of(view, view.best > 0) > 0
    if not isinstance(m.unjudged, str):
        some |= view.per_query(view.grade > 0) > 0
    return Parts(value, np.ones(len(view)), some, found)


def highest_grade(view: View, m: Options) -> Parts:
    """The highest grade within the cutoff."""
    rows = (view.grade > 0) & (view.rank <= depth(view, m.cutoff)[view.query])
    highest = np.zeros(len(view))
    np.maximum.at(highest, view.query[rows], view.grade[rows])
    return Parts(highest, np.ones(len(view)), count_of(view, view.best > 0) > 0, highest > 0)


def check_exponents(highest: float, m: Options) -> None:
    """Refuse a grade whose power of 2 no float holds."""
    if highest > HIGHEST_EXPONENT:
        raise MeasureError.of("measures.exponent", measure=m, highest=highest)


def check_grades(view: View, m: Options) -> None:
    """Refuse grades above the top of the scale that the measure states."""
    highest = view.best.max(initial=0.0)
    if highest > m.max_grade:
        raise MeasureError.of(
            "measures.above_max_grade",
            measure=m,
            max_grade=m.max_grade,
            highest=highest,
            name=type(m).name,
            top=int(np.ceil(highest)),
        )
