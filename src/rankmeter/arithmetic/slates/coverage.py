"""How the recommendations spread over the catalogue and over the users."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.data import ListValues, Slates, Whole, place_weights
from rankmeter.placing.placements import Bools, Floats


def coverage(s: Slates, m: Any) -> Whole:
    """The items recommended to anyone, out of those that could be."""
    recommended = np.zeros(s.items.total, np.bool_)
    recommended[s.codes[s.present]] = True
    inside = _universe(s, m.of)
    count = int(np.count_nonzero(recommended if m.outside == "counted" else recommended & inside))
    return Whole(float(count) if m.unit == "count" else _share(count, int(np.count_nonzero(inside))))


def user_coverage(s: Slates, m: Any) -> ListValues:
    """1 for a user who gets something (or a full list)."""
    wanted = 1 if m.lists == "any" else (m.cutoff or s.codes.shape[1])
    reached = (s.lengths >= max(wanted, 1)).astype(np.float64)
    return ListValues(reached, np.ones(len(s)), np.ones(len(s), np.bool_))


def gini(s: Slates, m: Any) -> Whole:
    """The Gini index of how often items are recommended."""
    return _gini(s, m, np.ones(s.codes.shape[1]))


def exposure_gini(s: Slates, m: Any) -> Whole:
    """The Gini index of the attention that items get."""
    return _gini(s, m, place_weights(m.weight, s.codes.shape[1], m.p))


def entropy(s: Slates, m: Any) -> Whole:
    """The Shannon entropy of the recommended items."""
    if m.weighting == "lists":
        lengths = s.lengths
        per_place = np.divide(1.0, lengths, out=np.zeros(len(s)), where=lengths > 0)
        weights = np.repeat(per_place, lengths)
    else:
        weights = np.ones(int(s.lengths.sum()))
    counts = np.bincount(s.codes[s.present], weights=weights, minlength=s.items.total)
    counts = counts[counts > 0]
    if not len(counts):
        return Whole(math.nan)
    shares = counts / counts.sum()
    found = max(-math.fsum(shares * np.log(shares)) / log_of(m.base), 0.0)
    if m.norm == "items":
        return Whole(found * log_of(m.base) / math.log(s.items.listed) if s.items.listed > 1 else 0.0)
    return Whole(found / len(counts) if m.norm == "distinct" else found)


def log_of(base: float | str) -> float:
    """The natural logarithm of a base."""
    return 1.0 if base == "e" else math.log(float(base))


def _universe(s: Slates, of: str) -> Bools:
    """Which items could be recommended."""
    if of == "history" and s.items.seen is not None:
        return s.items.seen
    return np.arange(s.items.total) < s.items.listed


def _gini(s: Slates, m: Any, weights: Floats) -> Whole:
    present = s.present
    each = np.broadcast_to(weights, s.codes.shape)[present]
    counts = np.bincount(s.codes[present], weights=each, minlength=s.items.total)
    counts = counts[counts > 0] if m.over == "recommended" else counts[_universe(s, m.over)]
    n, total = len(counts), float(counts.sum())
    if not n or total <= 0:
        return Whole(math.nan)
    rank = np.arange(1, n + 1)
    found = float(np.sum((2 * rank - n - 1) * np.sort(counts))) / total
    found /= n if m.divisor == "n" else max(n - 1, 1)
    found = max(found, 0.0)
    return Whole(1.0 - found if m.scale == "equality" else found)


def _share(count: int, of: int) -> float:
    return count / of if of else math.nan
