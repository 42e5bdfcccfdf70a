"""The best documents of every query, kept while a corpus goes by in parts: exact, ties by rising id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError
from rankmeter.wings.catalogue.callback import best_of
from rankmeter.wings.catalogue.pair_counts import Excluded

Array = npt.NDArray[Any]
ROWS = 16
"""Queries looked at together: few enough that their scores stay in the processor's cache."""


class Nearest:
    """The ``depth`` best documents of every query among those added so far; of equal scores the lower id comes first.

    ``ids`` are those of the whole corpus.
    """

    def __init__(self, ids: Sequence[Any], depth: int) -> None:
        by_id = sorted(range(len(ids)), key=ids.__getitem__)
        self._id_rank = np.empty(len(ids), np.int64)
        self._id_rank[by_id] = np.arange(len(ids))
        self._depth = depth
        self._kept: dict[int, tuple[Array, Array]] = {}
        """For each block of queries, by its first one: documents and scores."""

    @property
    def places(self) -> Array:
        """(queries, kept) the documents, best first, by their place in the corpus."""
        return np.concatenate([self._kept[query][0] for query in sorted(self._kept)])

    @property
    def scores(self) -> Array:
        """(queries, kept) their scores."""
        return np.concatenate([self._kept[query][1] for query in sorted(self._kept)])

    def search(self, queries: Any, documents: Any) -> None:
        """Search the whole corpus by cosine, vectors on a CUDA device, in blocks that fit it.

        Raises ImportError where Triton is missing, and InputError for vectors that have no cosine.
        """
        from rankmeter.wings.catalogue.cuda_vectors import cuda_vectors

        vectors = cuda_vectors(queries, documents, bias=None, similarity="cosine", device=str(queries.device))
        depth, nothing = min(self._depth, len(documents)), Excluded(np.empty(0, np.int64), len(documents))
        self._kept[0] = vectors.best(np.arange(len(queries)), depth, nothing, self._id_rank)

    def add(self, scores: Any, first: int, block: int = 0) -> None:
        """Take the scores of some documents, (queries, documents), as an array or a tensor on any device.

        The first document is number ``first``, the first query number ``block``.
        """
        if not scores.shape[1]:
            return
        query, place, score = _candidates(scores, self._depth)
        place = place + first
        if block in self._kept:
            places, before = self._kept[block]
            query = np.concatenate([query, np.repeat(np.arange(len(places)), places.shape[1])])
            place, score = np.concatenate([place, places.ravel()]), np.concatenate([score, before.ravel()])
        order = np.lexsort((self._id_rank[place], -score, query))
        query, place, score = query[order], place[order], score[order]
        number = np.arange(len(query)) - np.searchsorted(query, query)
        best = number < self._depth
        self._kept[block] = place[best].reshape(len(scores), -1), score[best].reshape(len(scores), -1)


def _candidates(scores: Any, depth: int) -> tuple[Array, Array, Array]:
    """All scores that can be among the ``depth`` best of their row, ties included, as (row, column, score)."""
    is_tensor = hasattr(scores, "detach")
    scores = scores.detach().float() if is_tensor else scores
    if bool(scores.isnan().any() if is_tensor else np.isnan(scores.max())):
        raise InputError.of("catalogue.nan_similarity")
    rows = len(scores) if is_tensor else ROWS
    parts = []
    for start in range(0, len(scores), rows):
        part = scores[start : start + rows]
        row, column, score = best_of(part, np.full(len(part), -np.inf), depth)
        parts.append((row + start, column, score))
    row, column, score = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return row, column, score


def as_array(values: Any) -> Array:
    """An array of numbers from an array, a tensor on any device, or nested lists."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().float().numpy()
    return np.asarray(values)


def on_device(values: Any) -> bool:
    """Whether these are a tensor outside of main memory."""
    return hasattr(values, "detach") and values.device.type != "cpu"


def cosine(queries: Any, documents: Any) -> Any:
    """(queries, documents) cosines of the angles between two sets of vectors; 0 for a vector without length.

    Tensors on a device are multiplied there.
    """
    return _directions(queries) @ _directions(documents).T


def _directions(vectors: Any) -> Any:
    if on_device(vectors):
        vectors = vectors.detach().float()
        length = vectors.norm(dim=-1, keepdim=True)
        return vectors / length.where(length > 0, length + 1)
    vectors = as_array(vectors)
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    out = np.zeros_like(vectors, dtype=np.result_type(vectors, np.float32))
    return np.divide(vectors, length, out=out, where=length > 0)
