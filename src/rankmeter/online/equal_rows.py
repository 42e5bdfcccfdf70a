"""Which rows of some columns are the same, and in which order they stand; by hashes, which are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.online.partitions import Columns
from rankmeter.placing.hashing import mixed
from rankmeter.placing.placements import Bools, Ints

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Keeps numbers of several columns apart, mostly; where it does not, the rows are compared."""


def changes(column: npt.NDArray[Any]) -> Bools:
    """(n,) whether a value differs from the one before; the first does."""
    begins = np.ones(len(column), np.bool_)
    begins[1:] = column[1:] != column[:-1]
    return begins


def first_of_each(group: Ints, chosen: Bools, groups: int) -> Ints:
    """(groups,) the first chosen position of each group, -1 where there is none."""
    first = np.full(groups, -1, np.int64)
    places = np.flatnonzero(chosen)[::-1]
    first[group[places]] = places  # the last assignment wins, which is the first place
    return first


def _mixed(columns: list[npt.NDArray[Any]]) -> npt.NDArray[np.uint64]:
    """A 64-bit hash of each row."""
    together = columns[0].view(np.uint64)
    for column in columns[1:]:
        together = together * _ODD + column.view(np.uint64)
    return mixed(together)


def _by_hash(mixed: npt.NDArray[np.uint64]) -> tuple[Ints, Bools]:
    """The rows in order of their hash, equal ones as they came; and where another hash begins.

    The lowest bits of a hash make room for the number of its row, so that plain sorting, which is several times faster
    than argsort, does both. The caller checks that rows with equal bits are equal.
    """
    bits = np.uint64(max(1, (len(mixed) - 1).bit_length()))
    packed = (mixed >> bits << bits) | np.arange(len(mixed), dtype=np.uint64)
    packed.sort()
    order = (packed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    return order, changes(packed >> bits)


def by_user_and_time(user: npt.NDArray[np.uint64], time: Ints) -> Ints:
    """The order that brings users together and their events into order of time, stable."""
    # Sixteen bits of a hash: numbers that small are sorted by counting them, several times faster than by comparing.
    # The lowest, since the highest have chosen the partition and are nearly the same here.
    bucket = _mixed([user]).astype(np.uint16)
    order = np.argsort(bucket, kind="stable")
    who, when, bucket = user[order], time[order], bucket[order]
    same_bucket = bucket[1:] == bucket[:-1]
    # Most users have a bucket to themselves and come in order of time: only the others are sorted.
    wrong = same_bucket & ((who[1:] != who[:-1]) | (when[1:] < when[:-1]))
    if wrong.any():
        mixed_up = np.zeros(1 << 16, np.bool_)
        mixed_up[bucket[1:][wrong]] = True
        rows = np.flatnonzero(mixed_up[bucket])
        order[rows] = order[rows[np.lexsort((when[rows], who[rows], bucket[rows]))]]
    return order


def numbered(columns: list[npt.NDArray[Any]]) -> tuple[Ints, int]:
    """A number from 0 for each distinct row; by a hash that is checked, so that the answer is exact."""
    if not len(columns[0]):
        return np.zeros(0, np.int64), 0
    order, begins = _by_hash(_mixed(columns))
    differs = np.zeros(len(begins), np.bool_)
    for column in columns:
        differs |= changes(column[order])
    if (differs & ~begins).any():  # two different rows with one hash
        order = np.lexsort(columns[::-1])
        begins = np.zeros(len(order), np.bool_)
        for column in columns:
            begins |= changes(column[order])
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(begins) - 1
    return numbers, int(begins.sum())


def companions(among: Bools, columns: list[npt.NDArray[Any]]) -> tuple[Ints, Ints, int]:
    """The events, among some, that are the same in these columns as another one; a number for each group; how many."""
    rows = np.flatnonzero(among)
    if not len(rows):
        return rows, rows, 0
    # Nearly all who share a bucket of a table twice as large as there are rows are the same: the rest is alone.
    bits = np.uint64(64 - (2 * len(rows)).bit_length())
    bucket = (_mixed(columns)[rows] >> bits).astype(np.int64)
    rows = rows[np.bincount(bucket)[bucket] > 1]
    if not len(rows):
        return rows, rows, 0
    order, begins = _by_hash(_mixed([column[rows] for column in columns]))
    alone = begins & np.append(begins[1:], True)
    some = rows[np.sort(order[~alone])]
    return some, *numbered([column[some] for column in columns])


def seen_before(among: Bools, columns: Columns, names: tuple[str, ...]) -> Bools:
    """(n,) which of some events are the same in these columns as an earlier one."""
    rows = np.flatnonzero(among)
    repeated = np.zeros(len(among), np.bool_)
    if len(rows) < 2:
        return repeated
    keys = [columns[name][rows].view(np.uint64) for name in names]
    order = np.lexsort(keys[::-1])
    begins = np.zeros(len(rows), np.bool_)
    for key in keys:
        begins |= changes(key[order])
    begins[0] = True
    repeated[rows[order[~begins]]] = True
    return repeated
