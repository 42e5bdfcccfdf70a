"""How a difference is marked wherever it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmeter.showing.document import Cell, Mark, Span
from rankmeter.showing.numbers import number_or_none

if TYPE_CHECKING:
    from rankmeter.comparing.records import Difference
    from rankmeter.stats.intervals import Interval

BEST: frozenset[Mark] = frozenset({"best"})
NOTHING: frozenset[Mark] = frozenset()


def marks_of(difference: Difference) -> frozenset[Mark]:
    """Whether a difference is significantly better or worse."""
    return NOTHING if not difference.significant else frozenset({"up" if difference.is_better else "down"})


def difference_cell(difference: Difference) -> Cell:
    """A difference with its interval, marked where it is significant."""
    return Cell(number_or_none(difference.difference), marks_of(difference), ends_or_none(difference.interval))


def ends_or_none(interval: Interval | None) -> Span | None:
    """The ends of an interval, where there is one."""
    return None if interval is None else interval.ends
