"""Random keys of rows that depend on what the rows say, not on where they stand: the same draw for reordered input."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.protocol.interactions import CodedIds, Interactions

Hashes = npt.NDArray[np.uint64]
AT_ONCE = 1 << 15
"""Rows hashed at once, so that what lies between stays in the cache."""
_MIXING = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
"""The rounds of SplitMix64's finaliser: a shift, and a factor."""
_TERMS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)))
"""What user, item, time and rating are multiplied by before they are added up."""


def mixed(values: Hashes) -> Hashes:
    """Numbers whose bits all depend on all bits (the finaliser of SplitMix64)."""
    for shift, factor in _MIXING:
        values = (values ^ (values >> shift)) * factor
    return values ^ (values >> np.uint64(31))


def of_ids(ids: CodedIds, salt: int) -> Hashes:
    """A random number for each id, by code: that of a number by its value, that of a text by its letters."""
    added = _salted(salt)
    numbers = (np.arange(ids.count) + ids.first).view(np.uint64) if ids.ids is None else _numbers_of(ids.ids)
    return mixed(mixed(numbers + added) ^ added)


def _salted(seed: int) -> Hashes:
    """A number of a seed of any size."""
    return mixed(np.array([seed % 2**64], np.uint64) + _TERMS[0])


def _numbers_of(ids: pl.Series) -> Hashes:
    """Ids as numbers of 64 bits; texts by their letters."""
    if ids.dtype.is_integer():
        return ids.to_numpy().astype(np.int64).view(np.uint64)
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in ids)
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def of_rows(table: Interactions, seed: int) -> Ints:
    """A random key of 62 bits for each row, of its user, item, time and rating: rows that say the same share it."""
    keys = np.empty(len(table), np.int64)
    for rows, some in _blocks(table, seed):
        some >>= np.uint64(2)
        keys[rows] = some.view(np.int64)
    return keys


def lowest(table: Interactions, seed: int, count: int) -> Bools:
    """Which rows have the lowest keys, exactly so many: of equal keys, which rows that say the same have, the first.

    Keys are spread evenly, so only those near the one to stop at are kept and sorted: a third of the time of all keys.
    """
    near = 8 * math.isqrt(count * (len(table) - count) // len(table)) + 64
    start, end = (min(max(count + side, 0), len(table)) * (2**64 - 1) // len(table) for side in (-near, near))
    chosen = np.empty(len(table), bool)
    close, close_keys, under = [], [], 0
    for rows, keys in _blocks(table, seed):
        np.less(keys, np.uint64(start), out=chosen[rows])
        under += int(np.count_nonzero(chosen[rows]))
        keys -= np.uint64(start)
        at = np.flatnonzero(keys <= np.uint64(end - start))
        close.append(at + rows.start)
        close_keys.append(keys[at])
    left = count - under
    if 0 <= left <= sum(map(len, close)):
        chosen[np.concatenate(close)[np.argsort(np.concatenate(close_keys), kind="stable")[:left]]] = True
        return chosen
    order = np.argsort(of_rows(table, seed), kind="stable")  # many rows say the same, and share a key
    chosen[:] = False
    chosen[order[:count]] = True
    return chosen


def _blocks(table: Interactions, seed: int) -> Iterator[tuple[slice, Hashes]]:
    """Keys of 64 bits, block by block; the next block takes the place of the last."""
    (start,) = _salted(seed).tolist()
    columns: list[tuple[Any, Hashes | None, np.uint64]] = []
    for ids, factor in zip((table.user, table.item), _TERMS, strict=False):
        numbers = None if ids.ids is None else _numbers_of(ids.ids)
        start += ids.first * int(factor)
        columns.append((ids.codes.view(np.uint64) if numbers is None else ids.codes, numbers, factor))
    if table.time is not None:
        columns.append((table.time.view(np.uint64), None, _TERMS[2]))
    begin = np.uint64(start % 2**64)
    keys, term = (np.empty(min(AT_ONCE, len(table)), np.uint64) for _ in range(2))
    for first in range(0, len(table), AT_ONCE):
        rows = slice(first, min(first + AT_ONCE, len(table)))
        key, part = keys[: rows.stop - first], term[: rows.stop - first]
        key[:] = begin
        for values, numbers, factor in columns:
            np.multiply(values[rows] if numbers is None else numbers[values[rows]], factor, out=part)
            key += part
        if table.rating is not None:
            key += _bits(table.rating[rows]) * _TERMS[3]
        for shift, factor in _MIXING:
            np.right_shift(key, shift, out=part)
            key ^= part
            key *= factor
        np.right_shift(key, np.uint64(31), out=part)
        key ^= part
        yield rows, key


def _bits(ratings: Floats) -> Hashes:
    """Ratings as whole numbers: one for each value, 0.0 and -0.0 the same, whatever way NaN was made."""
    values = ratings + 0.0
    values[np.isnan(values)] = np.nan
    return values.view(np.uint64)
