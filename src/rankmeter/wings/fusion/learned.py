"""What a rank is worth to methods that learned it from judgments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.pooling import RunLists

NEVER = 0.001
"""The chance of a hit where there was none in training, in bayesfuse."""
BIN_ENDS = np.array([5, 10, 15, 20, 30, 100, 200, 500, 1000])
"""The last position of each bin of bayesfuse."""
MISSING = math.log(NEVER / (1 - NEVER))
"""What bayesfuse gives an item from a list that does not hold it."""


def segment_of(rank: Ints) -> Ints:
    """The segment of each rank, from 0: they end at 5, 15, 35, 75 and so on."""
    return np.asarray(np.ceil(np.log2((np.asarray(rank) + 5) / 10) + 1 - 1e-12), np.int64) - 1


def segment_size(length: Ints, segments: int) -> Ints:
    """How many items each equal part of a list has."""
    return np.maximum(-(-np.asarray(length, np.int64) // segments), 1)


def learned_worth(lists: RunLists, table: Floats, definition: Fusion) -> Floats:
    """(m,) what each row of a run is worth."""
    return _WORTH[definition.how](lists, np.asarray(table, np.float64), definition)


def _looked_up(table: Floats, place: Ints, beyond: float = 0.0) -> Floats:
    known = place < len(table)
    return np.where(known, np.append(table, beyond)[np.where(known, place, len(table))], beyond)


def _sliding(lists: RunLists, table: Floats, definition: Fusion) -> Floats:
    """The mean over the positions around, as far as the list goes."""
    length = lists.length[lists.query]
    low = np.maximum(lists.rank - definition.window, 1)
    high = np.minimum(lists.rank + definition.window, length)
    upto = np.append(0.0, np.cumsum(table))
    total = upto[np.minimum(high, len(table))] - upto[np.minimum(low - 1, len(table))]
    return np.asarray(total / (high - low + 1))


def _in_parts(lists: RunLists, table: Floats, definition: Fusion) -> Floats:
    part = (lists.rank - 1) // segment_size(lists.length, definition.segments)[lists.query]
    return _looked_up(table, part) / (part + 1)


_WORTH: Mapping[str, Callable[[RunLists, Floats, Fusion], Floats]] = {
    "mapfuse": lambda lists, table, _: table[0] / lists.rank,
    "posfuse": lambda lists, table, _: _looked_up(table, lists.rank - 1),
    "slidefuse": _sliding,
    "probfuse": _in_parts,
    "segfuse": lambda lists, table, _: _looked_up(table, segment_of(lists.rank)),
    "bayesfuse": lambda lists, table, _: _looked_up(table, np.searchsorted(BIN_ENDS, lists.rank), MISSING),
}
