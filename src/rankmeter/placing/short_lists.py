"""Matching for many short lists: every place of a list against every judgment of its query, column by column.

A comparison of two columns goes over all queries at once, in order, without hashing or sorting a row; for lists of ten
and ten judgments that is a hundred passes over short columns, far less than one look-up for every row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Ints
from rankmeter.placing.segments import Keys, as_rows, parts_of
from rankmeter.placing.staircase import Staircase

MOST_COMPARISONS = 256
"""Up to how many pairs of columns are compared."""
LEAST_QUERIES = 1000
"""From how many queries on the passes are worth their set-up."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Lists of about equal length as columns: place 1 of all queries, place 2 of all queries, ..."""

    keys: Keys
    """(width, n) the item at each place; what stands behind the end of a list means nothing."""
    sizes: Ints
    """(n,) the length of each list."""

    @classmethod
    def of(cls, keys: Keys, sizes: Ints) -> Columns:
        """Turn lists that stand one after another into columns."""
        return cls(np.ascontiguousarray(as_rows(keys, sizes, int(sizes.max(initial=0)), 0).T), sizes)

    def __len__(self) -> int:
        return len(self.keys)

    def holds(self, place: int) -> Bools:
        """(n,) which lists reach this place."""
        return self.sizes > place


def fits(queries: int, longest: int, most_judged: int) -> bool:
    """Whether comparing columns is the cheaper way."""
    return queries >= LEAST_QUERIES and 0 < longest * most_judged <= MOST_COMPARISONS


def may_repeat(keys: Keys, offsets: Ints) -> bool:
    """Whether a list may hold an item twice, as half of each key tells: what is alike is looked at in full later."""
    parts = ((offsets[first : last + 1], keys[offsets[first] : offsets[last]]) for first, last in parts_of(offsets))
    return any(Staircase.of(part, bounds - bounds[0]).may_repeat() for bounds, part in parts)


def match_columns(lists: Columns, judged: Columns) -> npt.NDArray[np.int16]:
    """For every row of the lists, one list after another, the number of its judgment within the query; -1 for none."""
    matched = np.full(lists.keys.shape, -1, np.int16)
    all_judged = judged.sizes.min(initial=len(judged)) == len(judged)
    for place in range(len(lists)):
        for number in range(len(judged)):
            same = lists.keys[place] == judged.keys[number]
            if not all_judged:
                same &= judged.holds(number)
            np.copyto(matched[place], number, where=same)
    rows = np.ascontiguousarray(matched.T)
    if lists.sizes.min(initial=len(lists)) == len(lists):
        return rows.ravel()
    return rows[np.arange(len(lists)) < lists.sizes[:, None]]
