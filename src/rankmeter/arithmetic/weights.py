"""The weights of ranks: discounts, and their mean over a tie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankmeter.arithmetic.views import View
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import row_changes

Discount = Callable[[Ints], Floats]
"""The weight of each rank, counted from 1."""


def log2(rank: Ints) -> Floats:
    """1 / log2(i + 1)."""
    weight: Floats = 1.0 / np.log2(rank + 1.0)
    return weight


def jk(rank: Ints) -> Floats:
    """1 / log2(max(i, 2)): the discount of Järvelin & Kekäläinen 2002, the same for ranks 1 and 2."""
    return 1.0 / np.log2(np.maximum(rank, 2).astype(np.float64))


def reciprocal(rank: Ints) -> Floats:
    """1 / i."""
    return 1.0 / rank


def flat(rank: Ints) -> Floats:
    """1 for every rank."""
    return np.ones(len(rank))


def geometric(p: float) -> Discount:
    """(1 - p) p^(i - 1): the weights of rank-biased precision."""
    return lambda rank: (1.0 - p) * np.power(p, rank - 1.0)


DISCOUNTS: dict[str, Discount] = {"log2": log2, "jk": jk, "reciprocal": reciprocal}


def weights_at(discount: Discount, rank: Ints) -> Floats:
    """The weight of each rank, from a table if there are fewer ranks than items."""
    deepest = int(rank.max(initial=0))
    return discount(rank) if deepest >= len(rank) else discount(np.arange(1, deepest + 1))[rank - 1]


def row_weights(view: View, rows: Bools | Ints, discount: Discount, cutoff: int | Ints | None) -> Floats:
    """(m',) the weight of each chosen row: its discount, 0 below the cutoff, its expectation inside a tie.

    ``cutoff`` may differ from query to query. With ``ties="mean"`` an item of a tie is equally likely at each of its
    ranks, so its expected weight is the mean of their weights (McSherry & Najork 2008).
    """
    query, rank = view.query[rows], view.rank[rows]
    limit = view.returned if cutoff is None else np.broadcast_to(cutoff, len(view))
    if view.ties != "mean":
        return np.where(rank <= limit[query], weights_at(discount, rank), 0.0)
    ties = row_changes(query, rank).nonzero()[0]  # the first row of each; the others weigh as much
    above, tied, limit = view.above[rows][ties], view.tied[rows][ties], limit[query[ties]]
    weights = np.where(above < limit, weights_at(discount, above + 1), 0.0)
    if len(several := (tied > 1).nonzero()[0]):
        above, tied, limit = above[several], tied[several], limit[several]
        low, high = np.minimum(above, limit), np.minimum(above + tied, limit)
        total = cumulated(discount, int(high.max()))
        weights[several] = (total[high] - total[low]) / tied
    return np.repeat(weights, np.diff(ties, append=len(query)))


def cumulated(discount: Discount, depth: int) -> Floats:
    """(depth + 1,) the sum of the weights of the first 0, 1, 2, ... ranks."""
    total = np.zeros(depth + 1)
    np.cumsum(discount(np.arange(1, depth + 1)), out=total[1:])
    return total
