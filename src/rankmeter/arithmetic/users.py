"""The C/W/L framework: a continuation for every rank, from which weights and the expected gain follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeter.arithmetic.gain import check_grades, count_of
from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth
from rankmeter.arithmetic.views import View
from rankmeter.placing.placements import Floats

Options = Any
Continuation = Callable[[Floats, Floats], Floats]
"""From ranks ``(h,)`` and gains ``(b, h)`` to C ``(b, h)``: the chance to go on from each rank to the next."""

CELLS = 4_000_000
"""How many numbers a block of queries may hold."""


def _patient(rank: Floats, wanted: Floats | float) -> Floats:
    """((i + w - 1) / (i + w))^2: the patience of INST and INSQ."""
    patience: Floats = ((rank + wanted - 1.0) / (rank + wanted)) ** 2
    return patience


def inst(view: View, m: Options) -> Parts:
    """INST: the more patient, the further from T."""
    return _expected_gain(view, m, lambda rank, gain: _patient(rank, 2 * m.T - np.cumsum(gain, axis=1)))


def insq(view: View, m: Options) -> Parts:
    """INSQ: the more patient, the further down."""
    return _expected_gain(view, m, lambda rank, gain: np.broadcast_to(_patient(rank, 2.0 * m.T), gain.shape))


def bpm(view: View, m: Options) -> Parts:
    """BPM: until T is collected or k items are seen."""
    return _expected_gain(view, m, lambda rank, gain: (np.cumsum(gain, axis=1) < m.T) & (rank < _last(m)))


def sdcg(view: View, m: Options) -> Parts:
    """SDCG: the discount of DCG as a continuation, up to rank k."""

    def going_on(rank: Floats, gain: Floats) -> Floats:
        return np.broadcast_to(np.where(rank < _last(m), np.log2(rank + 1) / np.log2(rank + 2), 0.0), gain.shape)

    return _expected_gain(view, m, going_on)


def nerr8(view: View, m: Options) -> Parts:
    """NERR8: until satisfied, up to rank k."""
    return _expected_gain(view, m, lambda rank, gain: np.where(rank < _last(m), 1.0 - gain, 0.0))


def nerr9(view: View, m: Options) -> Parts:
    """NERR9: until satisfied or tired, up to rank k."""
    return _expected_gain(view, m, lambda rank, gain: np.where(rank < _last(m), rank / (rank + 1) * (1.0 - gain), 0.0))


def nerr10(view: View, m: Options) -> Parts:
    """NERR10: until satisfied, with the patience of RBP."""
    return _expected_gain(view, m, lambda _, gain: m.p * (1.0 - gain))


def nerr11(view: View, m: Options) -> Parts:
    """NERR11: until satisfied, with the patience of INSQ."""
    return _expected_gain(view, m, lambda rank, gain: _patient(rank, 2.0 * m.T) * (1.0 - gain))


def _last(m: Options) -> int:
    """The last rank that a reader who stops at k sees."""
    last: int = m.horizon if m.cutoff is None else min(m.cutoff, m.horizon)
    return last


def _expected_gain(view: View, m: Options, continuation: Continuation) -> Parts:
    """The gain per item seen."""
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
        going_on = continuation(rank, gains).astype(np.float64, copy=False)
        # A matrix of its own, row after row, so that a row is added up alike whatever stands beside it.
        seen = np.ones((size, m.horizon))
        np.cumprod(going_on[:, :-1], axis=1, out=seen[:, 1:])
        value[first : first + size] = (seen * gains).sum(axis=1) / seen.sum(axis=1)
    return Parts(value, np.ones(len(view)), count_of(view, view.best > m.min_grade) > 0, value > 0)
