"""Whether the lists are in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.data import ListValues, Rows, Slates, given_value
from rankmeter.placing.placements import Bools, Ints
from rankmeter.placing.segments import is_rising


def short_lists(s: Slates, m: Any) -> ListValues:
    """1 for a list with fewer than k items."""
    short = (s.lengths < (m.cutoff or s.places)).astype(np.float64)
    return ListValues(short, np.ones(len(s)), np.ones(len(s), np.bool_))


def duplicate_items(s: Slates, m: Any) -> ListValues:
    """The share of places that repeat an item from above, or of those that do not."""
    ordered = np.sort(s.codes, axis=1)
    repeated = np.count_nonzero((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0), axis=1)
    return _share_of_list(s, repeated if m.scale == "repeated" else s.lengths - repeated)


def seen_items(s: Slates, m: Any) -> ListValues:
    """The share of places with items that the user took before, or of those with others."""
    seen = np.bincount(s.query[is_among(s.query, s.item, given_value(s.history), s.items.total)[0]], minlength=len(s))
    return _share_of_list(s, seen if m.scale == "seen" else s.lengths - seen)


def outside_catalogue(s: Slates, _: Any) -> ListValues:
    """The share of places with items that the catalogue does not hold."""
    return _share_of_list(s, np.bincount(s.query[s.item >= s.items.listed], minlength=len(s)))


def _share_of_list(s: Slates, count: Ints) -> ListValues:
    lengths = s.lengths
    return ListValues(count.astype(np.float64), lengths.astype(np.float64), lengths > 0)


def is_among(query: Ints, item: Ints, rows: Rows, total: int) -> tuple[Bools, Ints]:
    """(m,) whether each item is among the rows of its query, and at which row."""
    keys = rows.query * total + rows.item
    order = np.argsort(keys, kind="stable") if not is_rising(keys) else np.arange(len(keys))
    if not len(keys):
        return np.zeros(len(item), np.bool_), np.zeros(len(item), np.int64)
    keys = keys[order]
    wanted = query * total + item
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return keys[at] == wanted, order[at]
