"""The rows of each user in the order of time, with a stated rule for ties, and labels by place in that order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.protocol.interactions import Interactions

Labels = npt.NDArray[np.uint8]
"""(n,) for every row the part that it is in."""
NONE, TRAIN, VALIDATION, TEST = range(4)
TieRule = Literal["item", "rows"]
"""Which of several rows of one time counts as later: the one with the higher item id (of one item,
the higher rating), or the one given later.

Rows alike in all of this count as given: exchanging them changes nothing that can be seen.
"""
Cut = Callable[[int], tuple[int, int] | None]
"""For a number of rows, how many are train and how many validation; the rest is test. None: all are in no part."""


class Ordered(NamedTuple):
    """Rows by group, each group's in order."""

    rows: Ints
    """(n,) the numbers of the rows."""
    counts: Ints
    """How many rows each group has; groups without rows count too."""
    tied: Bools
    """(n,) for each place whether its key equals the one before it in the same group."""

    @property
    def starts(self) -> Ints:
        """Where each group begins."""
        return np.cumsum(self.counts) - self.counts

    @property
    def groups(self) -> Ints:
        """(n,) the group of each place."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def in_order(group: Ints, groups: int, key: Ints, table: Interactions, ties: TieRule) -> Ordered:
    """Sort rows of a table by group, key, and among ties by the rule."""
    packed = _packed(group, groups, key)
    rows = np.argsort(packed)
    inside = packed[rows]
    tied = np.zeros(len(rows), bool)
    np.equal(inside[1:], inside[:-1], out=tied[1:])
    if tied.any():
        member = tied.copy()
        member[:-1] |= tied[1:]
        at = np.flatnonzero(member)
        some = rows[at]
        by_rule: tuple[Ints | Floats, ...] = (some,)
        if ties == "item":
            by_rule += () if table.rating is None else (table.rating[some],)
            by_rule += (table.item.codes[some],)
        rows[at] = some[np.lexsort((*by_rule, inside[at]))]
    return Ordered(rows, np.bincount(group, minlength=groups), tied)


def _packed(group: Ints, groups: int, key: Ints) -> Ints:
    """Group and key as one number, whose order is that of the pairs."""
    if not len(key):
        return key
    low, high = int(key.min()), int(key.max())
    span = high - low + 1
    if span >= 2**63:  # their differences do not fit into a number
        distinct, shifted = np.unique(key, return_inverse=True)
        span = len(distinct)
    else:
        shifted = key - low
    if span * groups >= 2**63:
        step = max(1, int(np.gcd.reduce(shifted)))
        shifted, span = shifted // step, span // step + 1
    if span * groups >= 2**63:
        distinct, shifted = np.unique(shifted, return_inverse=True)
        span = len(distinct)
    packed: Ints = group * np.int64(span) + shifted
    return packed


def by_cut(ordered: Ordered, cut: Cut) -> Labels:
    """The label of each row: the first of a group train, then validation, then test."""
    sizes = np.unique(ordered.counts)
    cuts = [(cut(int(size)) if size else (0, 0)) for size in sizes]
    train = np.array([0 if one is None else one[0] for one in cuts], np.int64)
    valid = np.array([0 if one is None else sum(one) for one in cuts], np.int64)
    dropped = np.array([one is None for one in cuts], bool)
    kind = np.searchsorted(sizes, ordered.counts)
    place = np.arange(len(ordered.rows)) - np.repeat(ordered.starts, ordered.counts)
    label = np.full(len(place), TEST, np.uint8)
    label[place < np.repeat(valid[kind], ordered.counts)] = VALIDATION
    label[place < np.repeat(train[kind], ordered.counts)] = TRAIN
    if dropped.any():
        label[np.repeat(dropped[kind], ordered.counts)] = NONE
    labels = np.empty(len(place), np.uint8)
    labels[ordered.rows] = label
    return labels


def last_of_each(table: Interactions, key: Ints, most: int, cut: Cut, ties: TieRule) -> tuple[Labels, int]:
    """As :func:`by_cut` by a key where at most so many rows of a user are not train: only these are sorted.

    A round finds the highest key of every user among what is left: a tenth of the time that sorting all rows takes.
    """
    group, groups = table.user.codes, table.user.count
    left: Ints | None = None
    chosen = []
    for found in range(most):
        own, here = (group, key) if left is None else (group[left], key[left])
        last = np.full(groups, np.iinfo(np.int64).min)
        np.maximum.at(last, own, here)
        is_last = here == last[own]
        at = np.flatnonzero(is_last)
        chosen.append(at if left is None else left[at])
        if found + 1 < most:
            left = np.flatnonzero(~is_last) if left is None else left[~is_last]
    rows = np.concatenate(chosen)
    ordered = in_order(group[rows], groups, key[rows], table.take(rows), ties)
    counts = np.bincount(group, minlength=groups)
    sizes = np.unique(counts)
    cuts = [cut(int(size)) if size else (0, 0) for size in sizes]
    tested = np.array([-1 if one is None else int(size) - one[0] for one, size in zip(cuts, sizes, strict=True)])
    wanted = np.repeat(tested[np.searchsorted(sizes, counts)], ordered.counts)
    from_end = np.repeat(np.cumsum(ordered.counts), ordered.counts) - np.arange(len(rows))
    label = np.where(wanted < 0, NONE, np.where(from_end <= wanted, TEST, TRAIN)).astype(np.uint8)
    labels = np.full(len(table), TRAIN, np.uint8)
    labels[rows[ordered.rows]] = label
    of_rows = np.empty(len(rows), np.uint8)
    of_rows[ordered.rows] = label
    return labels, decided_by_ties(ordered, of_rows)


def decided_by_ties(ordered: Ordered, labels: Labels) -> int:
    """How many rows have their label by the rule for ties alone: they are tied with a row of another label."""
    label = labels[ordered.rows]
    runs = np.cumsum(~ordered.tied) - 1
    if not len(runs):
        return 0
    first, last = np.full(runs[-1] + 1, 255, np.uint8), np.zeros(runs[-1] + 1, np.uint8)
    np.minimum.at(first, runs, label)
    np.maximum.at(last, runs, label)
    return int((first != last)[runs].sum())
