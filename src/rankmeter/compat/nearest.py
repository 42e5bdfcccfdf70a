"""The best documents of every query, kept while a corpus goes by in parts: exact, ties by rising id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Nearest:
    """The ``depth`` best documents of every query among those added so far.

    Parameters
    ----------
    ids
        The ids of the whole corpus; among equal scores the lower id stands first.
    depth
        How many are kept.
    """

    def __init__(self, ids: Sequence[Any], depth: int) -> None:
        by_id = sorted(range(len(ids)), key=ids.__getitem__)
        self._id_rank = np.empty(len(ids), np.int64)
        self._id_rank[by_id] = np.arange(len(ids))
        self._depth = depth
        self.scores: Array = np.empty((0, 0))
        """(queries, kept) scores, best first."""
        self.places: Array = np.empty((0, 0), np.int64)
        """(queries, kept) the documents, by their place in the corpus."""

    def add(self, scores: Array, first: int) -> None:
        """Take the scores of some documents, (queries, documents); the first of them is number ``first``."""
        kept = _best_columns(scores, min(self._depth, scores.shape[1]))
        better = np.take_along_axis(scores, kept, axis=1)
        for row in np.flatnonzero((scores >= better.min(axis=1, keepdims=True)).sum(axis=1) > kept.shape[1]):
            # Equal scores at the edge: which of them are kept is a matter of their ids.
            order = np.lexsort((self._id_rank[first : first + scores.shape[1]], -scores[row]))
            kept[row] = order[: kept.shape[1]]
            better[row] = scores[row, kept[row]]
        places = kept + first
        if self.places.size:
            better = np.concatenate([self.scores, better], axis=1)
            places = np.concatenate([self.places, places], axis=1)
        order = np.lexsort((self._id_rank[places], -better), axis=1)[:, : self._depth]
        self.scores = np.take_along_axis(better, order, axis=1)
        self.places = np.take_along_axis(places, order, axis=1)


def _best_columns(scores: Array, count: int) -> Array:
    """(queries, count) the columns of the highest scores, in no order."""
    if count == scores.shape[1]:
        return np.tile(np.arange(count), (len(scores), 1))
    chosen: Array = np.argpartition(scores, scores.shape[1] - count, axis=1)[:, -count:]
    return chosen


def as_array(values: Any) -> Array:
    """An array of numbers from an array, a tensor on any device, or nested lists."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().float().numpy()
    return np.asarray(values)


def cosine(queries: Any, documents: Any) -> Array:
    """(queries, documents) cosines of the angles between two sets of vectors; 0 for a vector without length."""
    one, other = _directions(as_array(queries)), _directions(as_array(documents))
    similarity: Array = one @ other.T
    return similarity


def _directions(vectors: Array) -> Array:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    directed: Array = np.divide(
        vectors, length, out=np.zeros_like(vectors, dtype=np.result_type(vectors, np.float32)), where=length > 0
    )
    return directed
