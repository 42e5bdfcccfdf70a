"""Measures that add up gains."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth, length
from rankmeter.arithmetic.views import View, mapped
from rankmeter.arithmetic.weights import DISCOUNTS, Discount, cumulated, flat, geometric, row_weights, weights_at
from rankmeter.errors import MeasureError, with_hint
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import bisect, expand, offsets_of, sort_descending

Options = Any


def gains_of(grade: Floats, m: Options) -> Floats:
    """The gain of each grade: never below 0, and 0 below ``rel`` where that is stated."""
    positive = np.maximum(grade, 0.0)
    if m.gain == "linear":
        gain = positive
    elif m.gain == "exp2":
        gain = np.exp2(positive) - 1.0
    elif m.gain == "binary":
        gain = (grade >= (1 if m.rel is None else m.rel)).astype(np.float64)
    else:
        gain = mapped(grade, m.gain)
    return gain if m.rel is None else np.where(grade >= m.rel, gain, 0.0)


def cumulated_gain(view: View, m: Options) -> Parts:
    """CG."""
    return _discounted(view, m, flat)


def discounted_gain(view: View, m: Options) -> Parts:
    """DCG."""
    return _discounted(view, m, DISCOUNTS[m.discount])


def _discounted(view: View, m: Options, discount: Discount) -> Parts:
    gain: Floats = view.once(("gain", m.gain, m.rel), lambda: gains_of(view.grade, m))
    rows: Ints = view.once(("gaining", m.gain, m.rel), lambda: np.flatnonzero(gain > 0))
    if m.cutoff is not None and view.ties != "mean":
        rows = rows[view.rank[rows] <= m.cutoff]
    summed = view.per_query(gain[rows] * row_weights(view, rows, discount, m.cutoff), rows)
    return Parts(summed, np.ones(len(view)), _any_gain(view, m), summed > 0)


def _any_gain(view: View, m: Options) -> Bools:
    """(n,) whether a candidate has a gain."""
    if not isinstance(m.gain, str):
        return any_of(view, gains_of(view.best, m) > 0)
    # Gains rise with grades, so that the best grade tells.
    some = view.best_offsets[1:] > view.best_offsets[:-1]
    found = np.zeros(len(view), np.bool_)
    found[some] = gains_of(view.best[view.best_offsets[:-1][some]], m) > 0
    return found


def ndcg(view: View, m: Options) -> Parts:
    """DCG over the DCG of an ideal list."""
    parts = discounted_gain(view, m)
    return Parts(parts.numerator, _ideal(view, m), parts.has_relevant, parts.found)


def _ideal(view: View, m: Options) -> Floats:
    discount = DISCOUNTS[m.discount]
    if m.ideal == "full":
        return np.full(len(view), cumulated(discount, m.cutoff)[-1])
    if m.ideal in ("judged", "uncut", "length"):
        gain, offsets = _best_gains(view, m)
    else:
        rows = view.rank <= length(view, m.cutoff if m.ideal == "top" else None)[view.query]
        offsets = offsets_of(np.bincount(view.query[rows], minlength=len(view)).astype(np.int64))
        gain = sort_descending(gains_of(view.grade[rows], m), offsets)
    place = np.arange(1, len(gain) + 1) - np.repeat(offsets[:-1], np.diff(offsets))
    counts = gain > 0
    if m.ideal != "uncut" and m.cutoff is not None:
        counts &= place <= m.cutoff
    query = np.repeat(np.arange(len(view)), np.diff(offsets))
    if m.ideal == "length":
        counts &= place <= view.returned[query]
    query = query[counts]
    weighed = np.bincount(query, weights=gain[counts] * weights_at(discount, place[counts]), minlength=len(view))
    return weighed.astype(np.float64, copy=False)


def _best_gains(view: View, m: Options) -> tuple[Floats, Ints]:
    """The gains of the candidates, highest first; of the first k only where no more can count."""
    if not isinstance(m.gain, str):  # a map need not keep the order of the grades
        return sort_descending(gains_of(view.best, m), view.best_offsets), view.best_offsets
    low, high = view.best_offsets[:-1], view.best_offsets[1:]
    # Gains rise with grades: what has none stands at the end.
    sizes: Ints = view.once(("above 0",), lambda: bisect(view.best, low, high, np.zeros(len(low)), past_equal=False))
    if m.ideal != "uncut" and m.cutoff is not None:
        sizes = np.minimum(sizes, m.cutoff)
    return gains_of(view.best[expand(low, sizes)], m), offsets_of(sizes)


def rank_biased_precision(view: View, m: Options) -> Parts:
    """RBP."""
    if m.gain == "binary":
        gain, best = (view.grade >= m.rel).astype(np.float64), view.best >= m.rel
    elif m.gain == "linear":
        gain, best = np.where(view.grade >= m.rel, np.maximum(view.grade, 0.0), 0.0), view.best >= m.rel
    else:
        check_grades(view, m)
        gain, best = (np.exp2(np.maximum(view.grade, 0.0)) - 1.0) / 2.0**m.max_grade, view.best > 0
    rows = gain > 0
    summed = view.per_query(gain[rows] * row_weights(view, rows, geometric(m.p), m.cutoff), rows)
    return Parts(summed, np.ones(len(view)), any_of(view, best), summed > 0)


def any_of(view: View, candidates: Bools) -> Bools:
    """(n,) whether any of a query's candidates is among some."""
    total = np.concatenate([[0], np.cumsum(candidates)])
    return total[view.best_offsets[1:]] > total[view.best_offsets[:-1]]


def expected_reciprocal_rank(view: View, m: Options) -> Parts:
    """ERR: the reader goes down the list and is satisfied at each item with a chance that grows with its grade."""
    check_grades(view, m)
    rows = (view.grade > 0) & (view.rank <= depth(view, m.cutoff)[view.query])
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
    return Parts(value, np.ones(len(view)), any_of(view, view.best > 0), value > 0)


def check_grades(view: View, m: Options) -> None:
    """Refuse grades above the top of the scale that the measure states."""
    highest = view.best.max(initial=0.0)
    if highest > m.max_grade:
        raise MeasureError(
            with_hint(
                f"{m} has max_grade={m.max_grade}, but a grade of {highest:g} is judged.",
                f"state the top of the grading scale: {type(m).name}(max_grade={int(np.ceil(highest))})",
            )
        )
