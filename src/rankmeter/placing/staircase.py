"""Lists place by place: the first items of all lists, then the second ones of those that have one, and so on.

With the longest list first, those that reach a place are always the first ones, as the steps of a staircase: a pass
over all lists at one place is a pass over one stretch of memory, and nothing stands for what is not there. Sums over
lists take a third of the time that they take over the rows of a matrix, a fifth where lengths differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import Keys, as_rows, offsets_of, parts_of_segments, sizes_of

LISTS_AT_ONCE = 1 << 10
"""How many lists are turned at a time, so that they stay in the cache."""
COMPARED_AT_ONCE = 1 << 13
"""The same of those whose items are compared with each other."""


@dataclass(frozen=True, slots=True)
class Staircase:
    """What stands at the places of n lists."""

    item: Ints
    """(m,) numbers of items, place after place; they may be of 32 bits."""
    lists: Ints
    """(n,) the lists that hold anything, longest first: the order in which they stand at each place."""
    reach: Ints
    """(k,) how many lists reach each place."""

    @classmethod
    def of(cls, item: Ints | Keys, offsets: Ints) -> Staircase:
        """Lists that stand one after another; of large numbers only the lower half is kept."""
        sizes = sizes_of(offsets)
        lists, reach = _longest_first(sizes)
        narrow = item.astype(np.int32)
        stairs = cls(cast("Ints", np.empty(len(narrow), np.int32)), lists, reach)
        if reach.min(initial=len(sizes)) == len(sizes):
            rows, columns = narrow.reshape(len(lists), len(reach)), stairs.item.reshape(len(reach), len(lists))
            for first in range(0, len(lists), LISTS_AT_ONCE):
                columns[:, first : first + LISTS_AT_ONCE] = rows[first : first + LISTS_AT_ONCE].T
        else:
            start = offsets[lists]
            for step in stairs.steps():
                start = start[: len(step)]
                narrow.take(start, out=step, mode="clip")  # without a copy of them
                start += 1
        return stairs

    @classmethod
    def of_columns(cls, columns: Ints, sizes: Ints) -> Staircase:
        """Lists side by side in a table, (k, n), that is filled up to the length of each."""
        lists, reach = _longest_first(sizes)
        if reach.min(initial=len(sizes)) == len(sizes):
            return cls(columns.ravel(), lists, reach)
        steps = [column.take(lists[:end]) for column, end in zip(columns, reach.tolist(), strict=True)]
        return cls(np.concatenate(steps), lists, reach)

    def steps(self, values: npt.NDArray[Any] | None = None) -> Iterator[npt.NDArray[Any]]:
        """The items of each place, or other values of theirs."""
        start = 0
        for reach in self.reach.tolist():
            yield (self.item if values is None else values)[start : start + reach]
            start += reach

    @property
    def lengths(self) -> Ints:
        """(n,) how many items each list has, longest first."""
        ends = np.bincount(self.reach, minlength=len(self.lists) + 1)[::-1]
        return np.cumsum(ends)[::-1][1:]

    def each(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """(m,) what each list has, longest first, for every item of it."""
        return np.concatenate([values[:0], *(values[:reach] for reach in self.reach.tolist())])

    def totals(self, values: Floats) -> Floats:
        """(n,) the sum of the values of each list's items, longest list first, added place after place."""
        totals = np.zeros(len(self.lists))
        for step in self.steps():
            totals[: len(step)] += values.take(step)
        return totals

    def rows(self, values: npt.NDArray[Any], lists: int, places: int, fill: float) -> npt.NDArray[Any]:
        """(lists, places) the values of the items of each list, by its number, and ``fill`` behind its end."""
        columns = np.full((places, lists), fill, values.dtype)
        for column, step in zip(columns, self.steps(values), strict=False):
            column[self.lists[: len(step)]] = step
        return columns.T

    def cut(self, places: int) -> Staircase:
        """The first places."""
        reach = self.reach[:places]
        return replace(self, item=self.item[: int(reach.sum())], reach=reach)

    def pick(self, chosen: Bools) -> tuple[Staircase, Bools]:
        """Some of the lists, by their numbers, numbered anew, and which of the items they hold."""
        stay = chosen[self.lists]
        kept = self.each(stay)
        lists = (np.cumsum(chosen) - 1)[self.lists[stay]]
        return Staircase(self.item[kept], lists, offsets_of(stay)[self.reach]), kept

    def may_repeat(self) -> bool:
        """Whether a list may hold an item twice: every place is compared with all behind it."""
        for first in range(0, len(self.lists), COMPARED_AT_ONCE):
            steps = [step[first : first + COMPARED_AT_ONCE] for step in self.steps() if len(step) > first]
            block = np.empty((len(steps), len(steps[0]) if steps else 0), np.int32)
            for place, step in enumerate(steps):
                block[place, : len(step)] = step
                block[place, len(step) :] = ~place  # behind the end of a list stand numbers that are unlike each other
            if any((block[step:] == block[:-step]).any() for step in range(1, len(block))):
                return True
        return False


def _longest_first(sizes: Ints) -> tuple[Ints, Ints]:
    """The order of lists of some lengths, longest first, empty ones left out, and how many reach each place."""
    places = int(sizes.max(initial=0))
    if places and sizes.min() == places:  # all are as long, as they often are
        return np.arange(len(sizes)), np.full(places, len(sizes))
    reach = len(sizes) - np.cumsum(np.bincount(sizes, minlength=places + 1))[:-1]
    lists = np.argsort((places - sizes).astype(np.min_scalar_type(places)), kind="stable")
    return lists[: reach.max(initial=0)], reach


MOST_COMPARISONS = 512
"""Up to how many pairs of columns are compared: lists of 20 with 20 judged items take two thirds of hashing them."""
LONGEST = 256
"""Up to how many places, every two of which are compared to see that no item stands twice."""
LEAST_QUERIES = 1000
"""From how many queries on the passes are worth their set-up."""


def fits(queries: int, longest: int, most_judged: int) -> bool:
    """Whether comparing columns is the cheaper way."""
    return queries >= LEAST_QUERIES and 0 < longest <= LONGEST and longest * most_judged <= MOST_COMPARISONS


def may_repeat(keys: Keys, offsets: Ints) -> bool:
    """Whether a list may hold an item twice, judged by half of each key; equal halves are compared in full later."""
    parts = (
        (offsets[first : last + 1], keys[offsets[first] : offsets[last]]) for first, last in parts_of_segments(offsets)
    )
    return any(Staircase.of(part, bounds - bounds[0]).may_repeat() for bounds, part in parts)


def match_columns(keys: Keys, sizes: Ints, judged: Keys, judged_sizes: Ints) -> npt.NDArray[np.int16]:
    """For every row of short lists, one list after another, the number of its judgment within the query; -1 for none.

    Every place of a list is compared with every judgment of its query, column by column: over all queries at once, in
    order, without hashing or sorting a row. Many lists of ten items take a quarter less time.
    """
    lists, known = _by_place(keys, sizes), _by_place(judged, judged_sizes)
    matched = np.full(lists.shape, -1, np.int16)
    even = judged_sizes.min(initial=len(known)) == len(known)
    for place, column in enumerate(lists):
        for number, judgment in enumerate(known):
            same = column == judgment
            if not even:
                same &= judged_sizes > number
            np.copyto(matched[place], number, where=same)
    rows = np.ascontiguousarray(matched.T)
    if sizes.min(initial=len(lists)) == len(lists):
        return rows.ravel()
    return rows[np.arange(len(lists)) < sizes[:, None]]


def _by_place(keys: Keys, sizes: Ints) -> Keys:
    """(longest, n) place 1 of all lists, then place 2, ...; what stands behind the end of a list means nothing."""
    return np.ascontiguousarray(as_rows(keys, sizes, int(sizes.max(initial=0)), 0).T)
