"""Random keys of rows that depend on what the rows say, not on where they stand: the same draw for reordered input."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Ints
from rankmeter.wings.protocol.interactions import CodedIds, Interactions

Hashes = npt.NDArray[np.uint64]
AT_ONCE = 1 << 13
"""Rows hashed at once, so that what lies between stays in the cache."""


def mixed(values: Hashes) -> Hashes:
    """Numbers whose bits all depend on all bits (the finaliser of SplitMix64)."""
    values = values ^ (values >> np.uint64(30))
    values = values * np.uint64(0xBF58476D1CE4E5B9)
    values = values ^ (values >> np.uint64(27))
    values = values * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def of_ids(ids: CodedIds, salt: int) -> Hashes:
    """A random number for each id, by code: that of a number by its value, that of a text by its letters."""
    added = mixed(np.array([salt], np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    if ids.ids is not None and not ids.ids.dtype.is_integer():
        digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in ids.ids)
        return mixed(np.frombuffer(digests, "<u8").astype(np.uint64) ^ added)
    numbers = np.arange(ids.count) + ids.first if ids.ids is None else ids.ids.to_numpy()
    return mixed(mixed(numbers.astype(np.int64).view(np.uint64) + added) ^ added)


def of_rows(table: Interactions, seed: int) -> Ints:
    """A random key of 62 bits for each row, of its user, item, time and rating: rows that say the same share it."""
    user, item = of_ids(table.user, 2 * seed), of_ids(table.item, 2 * seed + 1)
    item <<= np.uint64(1)
    keys = np.empty(len(table), np.int64)
    users, items, time, rating = table.user.codes, table.item.codes, table.time, table.rating
    for start in range(0, len(table), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        value = user[users[rows]]
        value += item[items[rows]]
        if time is not None:
            value += time[rows].view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        if rating is not None:
            value ^= rating[rows].view(np.uint64) * np.uint64(0xD6E8FEB86659FD93)
        value ^= value >> np.uint64(30)
        value *= np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(27)
        value *= np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(31)
        value >>= np.uint64(2)
        keys[rows] = value.view(np.int64)
    return keys
