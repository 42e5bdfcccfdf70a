"""Counting over tiles with NumPy: how many items score surely above a threshold, and which are in doubt.

Scores are multiplied tile by tile, compared and forgotten; the matrix of queries x items is never stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.scoring import Vectors, float32_error, norms

QUERIES_AT_ONCE = 1024
ITEMS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True)
class Counts:
    """For each threshold the items surely above it, and the pairs that fast arithmetic leaves in doubt."""

    above: Ints
    """(r,) items whose score is surely higher."""
    row: Ints
    """(p,) the threshold of each doubtful pair."""
    item: Ints
    """(p,) its item."""


def count_tiles(queries: Vectors, items: Vectors, owner: Ints, threshold: Floats) -> Counts:
    """Count for thresholds of queries; ``owner`` is the query of each threshold, in rising order."""
    error = float32_error(queries.shape[1])
    query_norms, item_norms = norms(queries), norms(items)
    above = np.zeros(len(threshold), np.int64)
    rows: list[Ints] = []
    doubtful: list[Ints] = []
    for first in range(0, len(queries), QUERIES_AT_ONCE):
        low, high = np.searchsorted(owner, [first, first + QUERIES_AT_ONCE])
        if low == high:
            continue
        block = queries[first : first + QUERIES_AT_ONCE]
        local, wanted = owner[low:high] - first, threshold[low:high]
        for start in range(0, len(items), ITEMS_AT_ONCE):
            tile = slice(start, start + ITEMS_AT_ONCE)
            scores = block @ items[tile].T
            margin = error * query_norms[owner[low:high]] * item_norms[tile].max() + np.finfo(np.float32).tiny
            upper, lower = _outward(wanted, margin)
            mine = scores if len(local) == len(block) and (local == np.arange(len(block))).all() else scores[local]
            higher = mine > upper[:, None]
            above[low:high] += np.count_nonzero(higher, axis=1)
            row, column = np.nonzero((mine >= lower[:, None]) & ~higher)
            rows.append(row + low)
            doubtful.append(column + start)
    return Counts(above, np.concatenate(rows or [owner[:0]]), np.concatenate(doubtful or [owner[:0]]))


def _outward(threshold: Floats, margin: Floats) -> tuple[Vectors, Vectors]:
    """Thresholds moved apart by the margin, rounded to float32 away from each other."""
    upper = np.nextafter((threshold + margin).astype(np.float32), np.float32(np.inf))
    lower = np.nextafter((threshold - margin).astype(np.float32), np.float32(-np.inf))
    return upper, lower
