"""Scores of a list on one scale: normalisations, and what equal scores, missing items and spreads mean in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.pooling import Pool, RunLists


class ListStatistics:
    """What the normalisations need to know of each list, looked at once it is asked for; an array has a row a list."""

    def __init__(self, lists: RunLists) -> None:
        self.lists = lists
        self.held: Bools = lists.length > 0
        self._starts = lists.starts[self.held]

    def _of(self, function: Callable[[Floats, Ints], Floats], values: Floats) -> Floats:
        result = np.zeros(len(self.held))
        if len(self._starts):
            result[self.held] = function(values, self._starts)
        return result

    def low(self) -> Floats:
        """The lowest score of each list."""
        return self._of(np.minimum.reduceat, self.lists.score)

    def high(self) -> Floats:
        """The highest."""
        return self._of(np.maximum.reduceat, self.lists.score)

    def total(self, values: Floats) -> Floats:
        """The sum over each list of values, one for each row, added one after another."""
        return np.bincount(self.lists.query, values, len(self.held)).astype(np.float64)

    def mean(self) -> Floats:
        """The mean score of each list."""
        return self.total(self.lists.score) / np.maximum(self.lists.length, 1)

    def deviation(self, kind: str) -> Floats:
        """The standard deviation of each list."""
        free = self.lists.length - (1 if kind == "sample" else 0)
        away = self.lists.score - self.mean()[self.lists.query]
        return np.sqrt(self.total(away * away) / np.maximum(free, 1))


def scaled(pool: Pool, run: int, definition: Fusion) -> Floats:
    """(m,) the normalised scores of a run's lists."""
    lists = pool.runs[run]
    norm = definition.norm_of(run)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if norm == "rank":
            values: Floats = 1 - (lists.rank - 1) / lists.length[lists.query]
        elif norm == "borda":
            values = 1 - (lists.rank - 1) / pool.count[lists.query]
        elif norm in _EACH:
            values = _EACH[norm](lists.score)
        elif norm == "none":
            values = lists.score
        else:
            values = _by_list(lists, run, definition)
    return values if definition.lowest is None else np.maximum(values, definition.lowest)


_EACH: Mapping[str, Callable[[Floats], Floats]] = {
    "arctan": lambda score: 0.5 + np.arctan(score) / math.pi,
    "arctan-positive": lambda score: 2 * np.arctan(score) / math.pi,
    "arctan-distance": lambda score: 1 - 2 * np.arctan(score) / math.pi,
    "cosine": lambda score: (1 + score) / 2,
}
"""Normalisations that look at one score alone."""


def _by_list(lists: RunLists, run: int, definition: Fusion) -> Floats:
    """Normalisations that look at the whole list."""
    spread, norm, query = ListStatistics(lists), definition.norm_of(run), lists.query
    low, high = spread.low(), spread.high()
    if definition.lows is not None and norm == "min-max":
        low = np.full(len(low), definition.lows[run])
    flat = low == high
    if norm == "max":
        return lists.score / _divisor(np.maximum(high, definition.floor))[query]
    if norm == "l2":
        return lists.score / _divisor(np.maximum(np.sqrt(spread.total(lists.score**2)), definition.floor))[query]
    if norm == "min-max":
        start, width = low, high - low
    elif norm == "min-max-inverted":
        start, width = high, np.minimum(low - high, -definition.floor)
    elif norm == "sum":
        start, width = low, spread.total(lists.score - low[query])
    elif norm == "z-score":
        start, width = spread.mean(), spread.deviation(definition.sd)
    else:
        deviation = spread.deviation(definition.sd)
        start, width = spread.mean() - 3 * deviation, 6 * deviation
    if norm != "min-max-inverted" and definition.floor:
        width = np.maximum(width, definition.floor)
    if definition.flatness == "spread":
        flat = width == 0
    values = (lists.score - start[query]) / _divisor(width)[query]
    return np.where(flat[query], _flat(lists.score, definition.flat_of(run)), values)


def _divisor(divisor: Floats) -> Floats:
    """What scores are divided by, where it is not 0."""
    return np.where(divisor == 0, 1.0, divisor)


def _flat(score: Floats, flat: str) -> Floats | float:
    """What equal scores become."""
    if flat == "raw":
        return score
    if flat == "sign":
        return (score > 0).astype(np.float64)
    return float(flat)


def lowest_of(lists: RunLists, values: Floats) -> Floats:
    """(queries,) the lowest value of each list; 0 of an empty one."""
    lowest = np.zeros(len(lists.length))
    held = lists.length > 0
    if held.any():
        lowest[held] = np.minimum.reduceat(values, lists.starts[held])
    return lowest
