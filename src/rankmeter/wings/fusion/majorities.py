"""Condorcet fusion: items in an order in which each beats the next in a majority of the lists."""

from __future__ import annotations

from functools import cmp_to_key

import numpy as np

from rankmeter.placing.placements import Bools, Floats
from rankmeter.wings.fusion.pooling import Pool


def majority_scores(pool: Pool, rank: Floats, held: Bools, weights: Floats) -> Floats:
    """(c,) the number of candidates for the first item of each query, one less for the next, and so on.

    A list prefers what it ranks higher, and what it holds to what it does not hold. Where no majority prefers either of
    two items they stay in the order of first appearance; so do cycles, as far as sorting meets them.
    """
    scores = np.zeros(len(pool.query))
    rank = np.where(held, rank, np.inf)
    for start, count in zip(pool.starts.tolist(), pool.count.tolist(), strict=True):
        ranks = rank[:, start : start + count]
        wins = np.zeros((count, count))
        for weight, of_run in zip(weights, ranks, strict=True):
            wins += weight * (of_run[:, None] < of_run[None, :])
        margin = np.sign(wins.T - wins).astype(np.int8).tolist()
        order = sorted(range(count), key=cmp_to_key(lambda one, other: margin[one][other]))  # noqa: B023
        scores[start + np.array(order, np.int64)] = np.arange(count, 0, -1)
    return scores
