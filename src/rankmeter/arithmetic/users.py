"""The C/W/L framework: a continuation for every rank, from which weights and the expected gain follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeter.arithmetic.gain import any_of, check_grades
from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.relevance import depth
from rankmeter.arithmetic.views import View
from rankmeter.placing.placements import Floats

Options = Any
Continuation = Callable[[Floats, Floats, Floats, Options], Floats]
"""From ranks ``(h,)``, gains ``(b, h)``, the last rank to go on to ``(b, 1)`` and the options to C ``(b, h)``."""

CELLS = 4_000_000
"""How many numbers a block of queries may hold."""


def _patient(rank: Floats, wanted: Floats | float) -> Floats:
    """((i + w - 1) / (i + w))^2: the patience of INST and INSQ."""
    patience: Floats = ((rank + wanted - 1.0) / (rank + wanted)) ** 2
    return patience


CONTINUATIONS: dict[str, Continuation] = {
    "INST": lambda rank, gain, _, m: _patient(rank, 2 * m.T - np.cumsum(gain, axis=1)),
    "INSQ": lambda rank, gain, _, m: np.broadcast_to(_patient(rank, 2.0 * m.T), gain.shape),
    "BPM": lambda rank, gain, last, m: ((np.cumsum(gain, axis=1) < m.T) & (rank < last)).astype(np.float64),
    "SDCG": lambda rank, _, last, m: np.where(rank < last, np.log2(rank + 1) / np.log2(rank + 2), 0.0),  # noqa: ARG005
    "NERR8": lambda rank, gain, last, m: np.where(rank < last, 1.0 - gain, 0.0),  # noqa: ARG005
    "NERR9": lambda rank, gain, last, m: np.where(rank < last, rank / (rank + 1) * (1.0 - gain), 0.0),  # noqa: ARG005
    "NERR10": lambda _, gain, __, m: m.p * (1.0 - gain),
    "NERR11": lambda rank, gain, _, m: _patient(rank, 2.0 * m.T) * (1.0 - gain),
}


def expected_gain(view: View, m: Options) -> Parts:
    """The gain per item seen under the continuation of the measure's name."""
    check_grades(view, m)
    cutoff = m.horizon if m.cutoff is None else min(m.cutoff, m.horizon)
    limited = type(m).name in ("BPM", "SDCG", "NERR8", "NERR9")
    last = np.full(len(view), cutoff if limited else m.horizon)
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
        going_on = CONTINUATIONS[type(m).name](rank, gains, last[first : first + size, None], m)
        # A matrix of its own, row after row, so that a row is added up alike whatever stands beside it.
        seen = np.ones((size, m.horizon))
        np.cumprod(going_on[:, :-1], axis=1, out=seen[:, 1:])
        value[first : first + size] = (seen * gains).sum(axis=1) / seen.sum(axis=1)
    return Parts(value, np.ones(len(view)), any_of(view, view.best > m.min_grade), value > 0)
