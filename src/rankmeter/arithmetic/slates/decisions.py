"""Every item of the catalogue as a decision: shown or not, relevant or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeter.arithmetic.slates.data import ListValues, Slates, given_value
from rankmeter.arithmetic.slates.popularity import has_relevant
from rankmeter.placing.placements import Floats


def accuracy(s: Slates, m: Any) -> ListValues:
    """Right decisions over all decisions."""
    hits, _, _, rest = _decisions(s, m)
    return ListValues(hits + rest, np.full(len(s), float(s.items.listed)), has_relevant(s, m))


def matthews(s: Slates, m: Any) -> ListValues:
    """The correlation of two binary variables: shown and relevant."""
    hits, wrong, missed, rest = _decisions(s, m)
    squares = (hits + wrong) * (hits + missed) * (rest + wrong) * (rest + missed)
    return ListValues(hits * rest - wrong * missed, np.sqrt(np.maximum(squares, 0.0)), has_relevant(s, m))


def _decisions(s: Slates, m: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """(n,) each: shown and relevant, shown and not, not shown and relevant, neither; items of the catalogue alone."""
    inside, judged = s.item < s.items.listed, given_value(s.judged)
    shown = np.bincount(s.query[inside], minlength=len(s)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        good = inside & (given_value(s.grade) >= m.rel)
    hits = np.bincount(s.query[good], minlength=len(s)).astype(np.float64)
    wanted = (judged.grade >= m.rel) & (judged.item < s.items.listed)
    relevant = np.bincount(judged.query[wanted], minlength=len(s))
    if m.shown == "k":
        shown = np.full(len(s), float(m.cutoff or s.places))
    return hits, shown - hits, relevant - hits, s.items.listed - shown - relevant + hits
