"""How the recommendations spread over the catalogue and over the users."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.data import Counts, Items, ListValues, Slates, place_weights
from rankmeter.placing.placements import Bools, Floats


def coverage(counts: Counts, items: Items, m: Any) -> float:
    """The items recommended to anyone, out of those that could be."""
    recommended = np.zeros(items.total, np.bool_)
    recommended[counts.item] = True
    inside = _universe(items, m.of)
    count = int(np.count_nonzero(recommended if m.outside == "counted" else recommended & inside))
    if m.unit == "count":
        return float(count)
    universe = int(np.count_nonzero(inside)) + m.padding
    share = count / universe if universe else math.nan
    return 100.0 * share if m.unit == "percent" else share


def user_coverage(s: Slates, m: Any) -> ListValues:
    """1 for a user who gets something (or a full list)."""
    wanted = 1 if m.lists == "any" else (m.cutoff or s.places)
    reached = (s.lengths >= max(wanted, 1)).astype(np.float64)
    return ListValues(reached, np.ones(len(s)), np.ones(len(s), np.bool_))


def gini(counts: Counts, items: Items, m: Any) -> float:
    """The Gini index of how often items are recommended."""
    return _gini(counts.weighted(items.total), items, m)


def exposure_gini(counts: Counts, items: Items, m: Any) -> float:
    """The Gini index of the attention that items get."""
    weights = place_weights(m.weight, int(counts.key.max(initial=0)) + 1, m.p)
    return _gini(counts.weighted(items.total, lambda place: weights[place]), items, m)


def entropy(counts: Counts, items: Items, m: Any) -> float:
    """The Shannon entropy of the recommended items."""
    by_list = (lambda length: 1.0 / length) if m.weighting == "lists" else None
    held = counts.weighted(items.total, by_list)
    held = held[held > 0]
    if not len(held):
        return math.nan
    shares = held / math.fsum(held)
    bits = max(0.0, -math.fsum(shares * np.log(shares)) / log_of(m.base))  # 0.0 first: no -0.0 for one item
    if m.norm == "items":
        return bits * log_of(m.base) / math.log(items.listed) if items.listed > 1 else 0.0
    return bits / len(held) if m.norm == "distinct" else bits


def log_of(base: float | str) -> float:
    """The natural logarithm of a base."""
    return 1.0 if base == "e" else math.log(float(base))


def _universe(items: Items, of: str) -> Bools:
    """Which items could be recommended."""
    if of == "history" and items.seen is not None:
        return items.seen
    return np.arange(items.total) < items.listed


def _gini(held: Floats, items: Items, m: Any) -> float:
    held = held[held > 0] if m.over == "recommended" else held[_universe(items, m.over)]
    held = np.concatenate([held, np.zeros(getattr(m, "padding", 0))])
    n, total = len(held), math.fsum(held)
    if not n or total <= 0:
        return math.nan
    rank = np.arange(1, n + 1)
    index = float(np.sum((2 * rank - n - 1) * np.sort(held))) / total
    index /= n if m.divisor == "n" else max(n - 1, 1)
    index = max(index, 0.0)
    return 1.0 - index if m.scale == "equality" else index
