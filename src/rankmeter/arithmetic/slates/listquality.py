"""Whether the lists are in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.data import ListValues, Rows, Slates
from rankmeter.arithmetic.slates.popularity import rows_of
from rankmeter.placing.placements import Bools, Ints


def short_lists(s: Slates, m: Any) -> ListValues:
    """1 for a list with fewer than k items."""
    short = (s.lengths < (m.cutoff or s.codes.shape[1])).astype(np.float64)
    return ListValues(short, np.ones(len(s)), np.ones(len(s), np.bool_))


def duplicate_items(s: Slates, m: Any) -> ListValues:
    """The share of places that repeat an item from above, or of those that do not."""
    ordered = np.sort(s.codes, axis=1)
    repeated = np.count_nonzero((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0), axis=1)
    return _share(s, repeated if m.scale == "repeated" else s.lengths - repeated)


def seen_items(s: Slates, m: Any) -> ListValues:
    """The share of places with items that the user took before, or of those with others."""
    seen = np.count_nonzero(is_among(s.codes, rows_of(s.history), s.items.total)[0], axis=1)
    return _share(s, seen if m.scale == "seen" else s.lengths - seen)


def outside_catalogue(s: Slates, _: Any) -> ListValues:
    """The share of places with items that the catalogue does not hold."""
    return _share(s, np.count_nonzero(s.codes >= s.items.listed, axis=1))


def _share(s: Slates, count: Ints) -> ListValues:
    lengths = s.lengths
    return ListValues(count.astype(np.float64), lengths.astype(np.float64), lengths > 0)


def is_among(codes: Ints, rows: Rows, total: int) -> tuple[Bools, Ints]:
    """(n, k) whether each place's item is among the rows of its query, and at which row."""
    keys = rows.query * total + rows.item
    order = np.argsort(keys, kind="stable") if (np.diff(keys) < 0).any() else np.arange(len(keys))
    if not len(keys):
        return np.zeros(codes.shape, np.bool_), np.zeros(codes.shape, np.int64)
    keys = keys[order]
    wanted = np.arange(len(codes))[:, None] * total + codes
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return (keys[found] == wanted) & (codes >= 0), order[found]
