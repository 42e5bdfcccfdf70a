"""How far two orders of the same things agree: Kendall's tau (Kendall 1945) and Spearman's correlation of ranks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankmeter.placing.placements import Bools, Floats


def tau(truth: Floats, other: Floats) -> Floats:
    """Kendall's tau-b, which is tau where nothing ties; along the last axis. NaN where one side is all tied."""
    first, second = np.triu_indices(truth.shape[-1], 1)
    ours = np.sign(truth[..., first] - truth[..., second])
    theirs = np.sign(other[..., first] - other[..., second])
    with np.errstate(all="ignore"):
        return np.asarray((ours * theirs).sum(-1) / np.sqrt(np.abs(ours).sum(-1) * np.abs(theirs).sum(-1)))


def spearman(one: Any, other: Any) -> float:
    """The correlation of ranks, ties sharing their mean rank; NaN where one side never varies."""
    a, b = (mean_ranks(side) - (len(side) + 1) / 2 for side in (one, other))
    below = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / below if below else math.nan


def unit_ranks(rows: Floats, kept: Bools) -> Floats:
    """(systems, queries) the centred ranks of what is kept, of length 1 in each row; 0 where all are the same."""
    ranks = mean_ranks(np.where(kept, rows, np.inf)) * kept  # what is left out is last and changes no other rank
    centred = (ranks - ranks.sum(1, keepdims=True) / np.maximum(kept.sum(1, keepdims=True), 1)) * kept
    length = np.sqrt((centred**2).sum(1, keepdims=True))
    return np.asarray(np.divide(centred, length, out=np.zeros_like(centred), where=length > 0))


def mean_spearman(ranks: Floats, others: Floats, kept: Bools) -> float:
    """The mean over systems of the correlation of ranks; a system counts where it has three queries and they vary."""
    varies = (kept.sum(1) > 2) & ranks.any(1) & others.any(1)
    return float((ranks * others).sum(1)[varies].mean()) if varies.any() else math.nan


def mean_ranks(values: Any, noise: float | Floats = 0.0) -> Floats:
    """The ranks within each row from 1, ties sharing their mean; values that differ by no more than ``noise`` tie.

    scipy's ``rankdata`` gives the same, but loading it takes longer than most comparisons.
    """
    rows = np.asarray(values, np.float64)
    if not rows.size:
        return np.zeros(rows.shape)
    rising = np.argsort(rows, axis=-1, kind="stable")
    ordered = np.take_along_axis(rows, rising, axis=-1)
    is_first = np.ones(rows.shape, np.bool_)
    is_first[..., 1:] = ordered[..., 1:] > ordered[..., :-1] + noise
    starts = np.flatnonzero(is_first)
    sizes = np.diff(starts, append=rows.size)
    shared = np.repeat(starts % rows.shape[-1] + (sizes + 1) / 2, sizes).reshape(rows.shape)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, rising, shared, axis=-1)
    return ranks
