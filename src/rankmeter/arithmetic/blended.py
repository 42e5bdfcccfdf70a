"""Q-measure and its relatives: the blended ratio of hits and gain, read where items with a gain stand."""

from __future__ import annotations

import numpy as np

from rankmeter.arithmetic.gained import Gained, Ideal
from rankmeter.arithmetic.parts import Parts
from rankmeter.arithmetic.views import Options, View
from rankmeter.placing.placements import Bools, Floats, Ints


def q_measure(view: View, m: Options) -> Parts:
    """The blended ratio at the rank of each item that gains, averaged over all such items."""
    gained, ratio = _blended(view, m)
    sizes = Ideal.of(view, m).sizes.astype(np.float64)
    most = sizes if m.cutoff is None or m.norm == "relevant" else np.minimum(sizes, m.cutoff)
    return Parts(view.summed(gained.query, ratio), most, sizes > 0, _has_found(view, gained))


def o_measure(view: View, m: Options) -> Parts:
    """The blended ratio at the first item that gains."""
    gained, ratio = _blended(view, m)
    return _read(view, m, gained, ratio, gained.number == 1)


def p_measure(view: View, m: Options) -> Parts:
    """The blended ratio at the first of the items with the list's highest gain."""
    gained, ratio = _blended(view, m)
    return _read(view, m, gained, ratio, gained.number == _preferred(view, gained)[gained.query])


def p_plus(view: View, m: Options) -> Parts:
    """The mean blended ratio at the items that gain, down to the first with the list's highest gain."""
    gained, ratio = _blended(view, m)
    last = _preferred(view, gained)
    parts = _read(view, m, gained, ratio, gained.number <= last[gained.query])
    return Parts(parts.numerator, np.maximum(last, 1).astype(np.float64), parts.has_relevant, parts.found)


def _blended(view: View, m: Options) -> tuple[Gained, Floats]:
    """The items that gain, and at the rank of each the ratio of hits and gain to those of the ideal list."""
    ideal, gained = Ideal.of(view, m), Gained.of(view, m)
    best = ideal.up_to(ideal.so_far, gained.query, gained.rank)
    return gained, (gained.number + m.beta * gained.so_far) / (gained.rank + m.beta * best)


def _preferred(view: View, gained: Gained) -> Ints:
    """(q,) which of the items that gain is the first with the highest gain of its list; 0 without any."""
    highest = np.zeros(len(view))
    np.maximum.at(highest, gained.query, gained.gain)
    rows = np.flatnonzero(gained.gain == highest[gained.query])[::-1]
    number = np.zeros(len(view), np.int64)
    number[gained.query[rows]] = gained.number[rows]  # the first of a list is written last
    return number


def _read(view: View, m: Options, gained: Gained, ratio: Floats, rows: Bools) -> Parts:
    value = view.summed(gained.query[rows], ratio[rows])
    return Parts(value, np.ones(len(view)), Ideal.of(view, m).sizes > 0, _has_found(view, gained))


def _has_found(view: View, gained: Gained) -> Bools:
    return np.bincount(gained.query, minlength=len(view)) > 0
