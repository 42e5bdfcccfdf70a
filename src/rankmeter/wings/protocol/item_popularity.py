"""How popular items are, and how often they are taken together: exact, from all rows of train."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.protocol.interactions import Interactions, distinct_rows

By = Literal["users", "rows", "mean_rating", "sum_rating"]
Similarity = Literal["cosine", "jaccard", "lift", "count"]


def popularity(table: Interactions, by: By = "users", rows: Bools | None = None) -> Floats:
    """(items,) by how many users, or in how many rows, each item was taken; or its mean or total rating.

    Items without a row are NaN.
    """
    chosen = np.arange(len(table)) if rows is None else np.flatnonzero(rows)
    item = table.item.codes[chosen]
    counts: Floats = np.bincount(item, minlength=table.item.count).astype(np.float64)
    value: Floats
    if by == "users":
        pairs = np.unique(distinct_rows(item, table.user.codes[chosen], table.user.count))
        value = np.bincount(pairs // table.user.count, minlength=table.item.count).astype(np.float64)
    elif by == "rows":
        value = counts.copy()
    else:
        if table.rating is None:
            raise InputError.of("protocol.rating_needed")
        value = np.bincount(item, table.rating[chosen], minlength=table.item.count).astype(np.float64)
        if by == "mean_rating":
            value = value / np.maximum(counts, 1)
    value[counts == 0] = np.nan
    return value


def recent(table: Interactions, window: object) -> Bools:
    """The rows within a duration of the last one, both ends included."""
    length = table.known_clock.length(window)
    return np.asarray(table.times >= int(table.times.max()) - length)


def taken(table: Interactions) -> Any:
    """(users, items) a sparse matrix of 1 where a user took an item."""
    from scipy import sparse

    shape = (table.user.count, table.item.count)
    pairs = np.unique(distinct_rows(table.user.codes, table.item.codes, table.item.count))
    ones = np.ones(len(pairs))
    return sparse.csr_array((ones, (pairs // table.item.count, pairs % table.item.count)), shape=shape)


def similarity(matrix: Any, kind: Similarity) -> Any:
    """(items, items) from c(i, j), the users who took both: c/sqrt(c_i c_j), c/(c_i + c_j - c), c/(c_i c_j) or c."""
    from scipy import sparse

    both = sparse.coo_array(matrix.T @ matrix)
    single: Ints = np.asarray(matrix.sum(axis=0)).ravel()
    first, second = single[both.coords[0]], single[both.coords[1]]
    value = both.data
    if kind == "cosine":
        value = value / np.sqrt(first * second)
    elif kind == "jaccard":
        value = value / (first + second - value)
    elif kind == "lift":
        value = value / (first * second)
    return sparse.csr_array((value, both.coords), shape=both.shape)
