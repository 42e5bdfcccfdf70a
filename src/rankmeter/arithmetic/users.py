"""The C/W/L framework: weights and expected gain follow from the chance to continue at each rank."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rankmeter.arithmetic.gain import check_grades
from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth
from rankmeter.arithmetic.views import Options, View
from rankmeter.placing.placements import Floats

Continuation = Callable[[Options, Floats, Floats], Floats]
"""Computes C, the chance to go on to the next rank, from options, ranks ``(h,)`` and gains ``(b, h)``."""

CELLS = 4_000_000
"""The most numbers in a block of queries."""


def _patient(rank: Floats, wanted: Floats | float) -> Floats:
    """((i + w - 1) / (i + w))^2: the patience of INST and INSQ."""
    patience: Floats = ((rank + wanted - 1.0) / (rank + wanted)) ** 2
    return patience


def _last(m: Options) -> int:
    """The last rank seen by a reader who stops at k."""
    last: int = m.horizon if m.cutoff is None else min(m.cutoff, m.horizon)
    return last


def _expected_gain(view: View, m: Options, *, continuation: Continuation) -> Parts:
    """The expected gain per item seen."""
    check_grades(view, m)
    within = np.minimum(depth(view, m.cutoff), m.horizon)
    gain = np.clip((view.grade - m.min_grade) / (m.max_grade - m.min_grade), 0.0, 1.0)
    rows = (gain > 0) & (view.rank <= within[view.query])
    query, place, worth = view.query[rows], view.rank[rows] - 1, gain[rows]
    value = np.zeros(len(view))
    step = max(1, CELLS // m.horizon)
    rank = np.arange(1, m.horizon + 1, dtype=np.float64)
    for first in range(0, len(view), step):
        size = min(step, len(view) - first)
        inside = slice(*np.searchsorted(query, [first, first + size]))
        gains = np.zeros((size, m.horizon))
        gains[query[inside] - first, place[inside]] = worth[inside]
        going_on = np.broadcast_to(continuation(m, rank, gains), gains.shape).astype(np.float64, copy=False)
        # A new contiguous matrix, so that a row is summed in the same way whatever stands beside it.
        seen = np.ones((size, m.horizon))
        np.cumprod(going_on[:, :-1], axis=1, out=seen[:, 1:])
        value[first : first + size] = (seen * gains).sum(axis=1) / seen.sum(axis=1)
    has_relevant = view.total_relevant(np.nextafter(m.min_grade, np.inf)) > 0
    return Parts(value, np.ones(len(view)), has_relevant, value > 0)


def _model(continuation: Continuation) -> Callable[[View, Options], Parts]:
    return partial(_expected_gain, continuation=continuation)


# The reader stops once T is collected (BPM), satisfied (NERR), or tired: with the patience of INST and INSQ, the
# discounts of DCG and ERR, or the patience of RBP; and at rank k if that is part of the model.
inst = _model(lambda m, rank, gain: _patient(rank, 2 * m.T - np.cumsum(gain, axis=1)))
insq = _model(lambda m, rank, _: _patient(rank, 2.0 * m.T))
bpm = _model(lambda m, rank, gain: (np.cumsum(gain, axis=1) < m.T) & (rank < _last(m)))
sdcg = _model(lambda m, rank, _: np.where(rank < _last(m), np.log2(rank + 1) / np.log2(rank + 2), 0.0))
nerr8 = _model(lambda m, rank, gain: np.where(rank < _last(m), 1.0 - gain, 0.0))
nerr9 = _model(lambda m, rank, gain: np.where(rank < _last(m), rank / (rank + 1) * (1.0 - gain), 0.0))
nerr10 = _model(lambda m, _, gain: m.p * (1.0 - gain))
nerr11 = _model(lambda m, rank, gain: _patient(rank, 2.0 * m.T) * (1.0 - gain))
