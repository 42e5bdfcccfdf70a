"""Queries alike: where the same grades stand at the same places, one query can answer for all of them.

Short lists with few judged items repeat themselves: among a hundred thousand users with one held-out item each, no more
than a few hundred differ. Whoever computes many measures on one placing computes them once for each kind of query.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankmeter.placing.hashing import Hashes, mixed
from rankmeter.placing.placements import Ints, Placements, some_queries
from rankmeter.placing.segments import expand

_ROW_FACTS = ("grade", "above", "tied", "higher_id", "earlier")
_QUERY_FACTS = ("returned", "in_run", "is_judged")


def one_of_each(placements: Placements) -> tuple[Placements, Ints]:
    """The placements of one query of each kind, and how many queries each of them stands for.

    Two queries are alike where every measure gives them the same value: the same grades at the same places, whatever
    the items are. Scores matter by their sign alone.
    """
    hashes, order = _hashes(placements)
    _, first, kind, size = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(placements) or not _equal(placements, order, first[kind]):
        return placements, np.ones(len(placements), np.int64)
    chosen = np.zeros(len(placements), np.bool_)
    chosen[first] = True
    return some_queries(placements, chosen), size[np.argsort(first)].astype(np.int64)


def _hashes(placements: Placements) -> tuple[Hashes, Ints]:
    """A number for each query, equal where queries are alike, and its rows in an order that does not depend on ids."""
    row = mixed((placements.score > 0).astype(np.uint64))
    for name in _ROW_FACTS:
        row = mixed(row ^ _bits(getattr(placements, name)))
    query = mixed(_summed(row, np.searchsorted(placements.query, np.arange(len(placements) + 1))))
    query = mixed(query ^ _summed(mixed(_bits(placements.best)), placements.best_offsets))
    for name in _QUERY_FACTS:
        query = mixed(query ^ _bits(getattr(placements, name)))
    return query, np.lexsort((row, placements.query))


def _bits(values: npt.NDArray[np.generic]) -> Hashes:
    return values.astype(np.float64).view(np.uint64)


def _summed(values: Hashes, offsets: Ints) -> Hashes:
    """The sum of each segment; what exceeds 64 bits falls away."""
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, out=sums[1:])
    return sums[offsets[1:]] - sums[offsets[:-1]]


def _equal(placements: Placements, order: Ints, like: Ints) -> bool:
    """Whether every query is what its hash says, the same as the query ``like`` it: hashes may be equal by chance."""
    offsets = np.searchsorted(placements.query, np.arange(len(placements) + 1))
    rows, judged = np.diff(offsets), np.diff(placements.best_offsets)
    if not (np.array_equal(rows, rows[like]) and np.array_equal(judged, judged[like])):
        return False
    other = order[expand(offsets[:-1][like], rows)]
    best = expand(placements.best_offsets[:-1][like], judged)
    return (
        np.array_equal(placements.best, placements.best[best])
        and np.array_equal(placements.score[order] > 0, placements.score[other] > 0)
        and all(np.array_equal(getattr(placements, f)[order], getattr(placements, f)[other]) for f in _ROW_FACTS)
        and all(np.array_equal(getattr(placements, f), getattr(placements, f)[like]) for f in _QUERY_FACTS)
    )
