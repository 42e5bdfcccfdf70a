"""Scores of vectors, defined so that a rank never depends on how it was computed.

A score is the float64 sum, in index order, of the products of the float32 inputs. Each product is exact in float64, so
the definition has one rounding per addition and no freedom: not the tiling, the batch, the BLAS or the device. Faster
arithmetic is used only where a proven bound on its error leaves no doubt.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Floats, Ints

Vectors = npt.NDArray[np.float32]
PAIRS_AT_ONCE = 1 << 13
"""Few enough that the columns of the pairs' vectors stay in the cache."""
UNIT = 2.0**-24
"""The largest relative error of one float32 rounding."""


def exact_scores(queries: Vectors, items: Vectors, query: Ints, item: Ints) -> Floats:
    """(n,) the score of each (query, item) pair by its definition."""
    scores = np.empty(len(query))
    for first in range(0, len(query), PAIRS_AT_ONCE):
        some = slice(first, first + PAIRS_AT_ONCE)
        left, right = queries[query[some]].astype(np.float64), items[item[some]].astype(np.float64)
        total = np.zeros(len(left))
        for column in range(left.shape[1]):
            total += left[:, column] * right[:, column]
        scores[some] = total
    return scores


def float32_error(width: int) -> float:
    """How far a float32 product of two vectors can be from the score, over the product of their norms.

    Any order of n additions with or without fused multiplication errs by at most n u / (1 - n u) times the sum of the
    absolute products, which is at most the product of the norms (Higham, Accuracy and Stability, 2002, section 3.1).
    The score itself errs by far less; twice the bound covers both, and the norms' own rounding.
    """
    terms = width + 1
    return 2.0 * terms * UNIT / (1.0 - terms * UNIT)


def norms(vectors: Vectors) -> Floats:
    """(n,) the Euclidean length of each vector."""
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return lengths
