"""Which events are the same in some columns, found by hashes, and events in order of user and time.

NumPy sorts numbers of 16 bits by counting, in a tenth of the time that it takes for 64. So events are put in order by a
hash of 32 bits, 16 at a time; what has the same hash is compared in full, and what only meets there is sorted in full.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankmeter.placing.matching import Hashes, mixed_hashes
from rankmeter.placing.placements import Bools, Ints
from rankmeter.placing.segments import row_changes

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Keeps numbers of several columns apart, mostly."""
_DIGIT = 16
"""Bits that are sorted at once."""
_MOST_BITS = 32
_FEW = 8
"""If fewer than one row in so many only meets others by chance, they are sorted in full."""

Rows = list[npt.NDArray[np.uint64]]
"""Columns of the same length; as bits, in which a missing value equals another."""


def by_user_and_time(user: npt.NDArray[np.uint64], time: Ints) -> tuple[Ints, Bools]:
    """(n,) the order in which each user's events stand together, in order of time and, at one moment, of the log.

    And where each user begins in it.
    """
    in_time = np.argsort(time, kind="stable")  # logs are in order of time, nearly: their runs are merged
    order, begins = _together([user[in_time]])
    return in_time[order], begins


def numbered(columns: Rows) -> tuple[Ints, int]:
    """A number from 0 for each distinct row, and how many there are."""
    return _numbered(*_together(columns))


def companions(rows: Ints, columns: Rows) -> tuple[Ints, Ints, int]:
    """Of some events those that may be the same in their columns as another one; the number of each; how many."""
    rows, columns, hashes = _not_alone(rows, columns)
    return rows, *_numbered(*_together(columns, hashes))


def seen_before(rows: Ints, columns: Rows) -> Ints:
    """Of some events those that are the same in their columns as an earlier one."""
    rows, columns, hashes = _not_alone(rows, columns)
    order, begins = _together(columns, hashes)
    return rows[order[~begins]]


def _numbered(order: Ints, begins: Bools) -> tuple[Ints, int]:
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(begins) - 1
    return numbers, int(np.count_nonzero(begins))


def _hashes(columns: Rows) -> Hashes:
    together = columns[0]
    for column in columns[1:]:
        together = together * _ODD + column
    return mixed_hashes(together)


def _not_alone(rows: Ints, columns: Rows) -> tuple[Ints, Rows, Hashes]:
    """The rows that do not have a bucket of a hash to themselves: four in five have, in a log as they are."""
    hashes = _hashes(columns)
    bucket = (hashes >> np.uint64(64 - (8 * len(rows)).bit_length())).view(np.int64)
    kept = np.flatnonzero(np.bincount(bucket)[bucket] > 1)
    return rows[kept], [column[kept] for column in columns], hashes[kept]


def _together(columns: Rows, hashes: Hashes | None = None) -> tuple[Ints, Bools]:
    """(n,) an order in which equal rows stand together, as they came; and where each kind of row begins in it."""
    hashes = _hashes(columns) if hashes is None else hashes
    order, shift, places = np.arange(len(hashes)), 0, np.arange(0)
    while shift < _MOST_BITS and (not shift or len(places) > len(order) // _FEW):
        digit = (hashes >> np.uint64(shift)).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")] if shift else np.argsort(digit, kind="stable")
        shift += _DIGIT
        code = hashes & np.uint64((1 << shift) - 1)
        ordered = [column[order] for column in columns]
        begins, new_code = row_changes(*ordered), row_changes(code[order])
        run = np.cumsum(new_code) - 1
        mixed = np.zeros(len(order), np.bool_)
        mixed[run[begins & ~new_code]] = True
        places = np.flatnonzero(mixed[run])
    if len(places):
        order[places] = order[places[np.lexsort([*(column[places] for column in ordered), run[places]])]]
        begins = row_changes(*(column[order] for column in columns))
    return order, begins
