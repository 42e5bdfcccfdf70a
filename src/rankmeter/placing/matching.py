"""Which rows of the run are judged: a hash join in NumPy, and the search for repeated rows.

A row is a (query, item) pair folded into one 64-bit key. Two different pairs may share one by chance, or because
somebody chose their ids so: what keys find is compared in full, and where two judgments share a key, all are made anew.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankmeter.errors import examples
from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Ints
from rankmeter.placing.segments import Keys

ROWS_AT_ONCE = 1 << 16
"""How many rows are looked at together: so few that they stay near the processor, and ask for little fresh memory."""
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93))
_SPREAD = 0xA0761D6478BD642F
"""Odd multipliers with well mixed bits (golden ratio; Weyl sequences)."""


@dataclass(frozen=True, slots=True)
class ColumnIds:
    """The ids of a column, looked at as `rankmeter.inputs.text.TextIds` are."""

    column: pl.Series

    def __len__(self) -> int:
        return len(self.column)

    @property
    def are_keys(self) -> bool:
        """Whether the ids are numbers, which are their own keys."""
        return self.column.dtype != pl.String

    def take(self, rows: Ints) -> ColumnIds:
        """Some rows."""
        return ColumnIds(self.column.gather(pl.Series(rows)))

    def keys(self, salt: int = 0) -> Keys:
        """A 64-bit key for each id, equal where ids are; another salt makes other keys."""
        return item_keys(self.column, salt)

    def equal(self, other: ColumnIds) -> Bools:
        return (self.column == other.column).to_numpy()

    def sort_keys(self) -> pl.Series:
        """What sorts as the ids do as text."""
        return self.column


def item_keys(items: pl.Series, salt: int = 0) -> Keys:
    """A 64-bit key for each id: the number itself, or a hash of the text."""
    if items.dtype == pl.String:
        return items.hash(seed=17 + salt).to_numpy()
    return items.to_numpy().view(np.uint64)


def pair_keys(query: Ints, items: Keys, salt: int = 0) -> Keys:
    """A 64-bit key for each (query, item) pair; ``query`` is a small code. Another salt makes other keys."""
    keys = (items + np.uint64(salt) if salt else items) * _ODD[0]
    keys ^= keys >> np.uint64(29)
    keys += query.view(np.uint64) * _ODD[1]
    return keys


def repeated(keys: Keys) -> Ints:
    """The rows whose key stands in an earlier row too, in rising order; empty where every key is different."""
    if not KeyTable.of(keys).repeats:
        return np.empty(0, np.int64)
    order = np.argsort(keys, kind="stable")
    return np.sort(order[1:][keys[order][1:] == keys[order][:-1]])


def repeated_pairs(keys: Keys, query: Ints, items: pl.Series) -> tuple[Ints, Ints]:
    """The rows whose (query, item) stands more than once, and for each of them the first such row."""
    later = repeated(keys)
    if not len(later):
        return later, later
    alike = np.flatnonzero(np.isin(keys, keys[later]))
    pairs = pl.DataFrame({"row": alike, "query": query[alike], "item": items.gather(pl.Series(alike))})
    first = pairs.select(pl.col("row").first().over("query", "item")).to_series().to_numpy()
    again = np.isin(first, first[first != alike])
    return alike[again], first[again]


@dataclass(frozen=True, slots=True)
class KeyTable:
    """Keys to look up, in half the time of a join: tables of falling size, each with what found no place before.

    Of the keys that meet in a place of a table one stays. Equal keys always meet, so either one of them sees its like
    in its place or all of them are turned away: making the tables finds out whether a key is repeated.
    """

    keys: Keys
    tables: tuple[tuple[np.uint64, int, npt.NDArray[np.int32]], ...]
    """A multiplier that spreads keys over the places, the bits of a place's number, the key in each place or -1."""
    repeats: bool
    """Whether two keys are equal; then the tables are not complete."""

    @classmethod
    def of(cls, keys: Keys) -> KeyTable:
        """Make the tables: the first has four to eight places a key, every further one four times as many a key."""
        tables: list[tuple[np.uint64, int, npt.NDArray[np.int32]]] = []
        rest, left = np.arange(len(keys), dtype=np.int32), keys
        repeats = False
        while len(rest) and not repeats:
            bits = max(4, (len(rest) << 2 + 2 * len(tables)).bit_length())
            spread = np.uint64(pow(_SPREAD, len(tables) + 1, 1 << 64))
            slot = _slots(left, spread, bits)
            table = np.full(1 << bits, -1, np.int32)
            table[slot] = rest
            tables.append((spread, bits, table))
            there = table.take(slot)
            away = np.flatnonzero(there != rest)
            rest, left, there = rest[away], left[away], there[away]
            repeats = bool((keys.take(there) == left).any())
        return cls(keys, tuple(tables), repeats)

    def numbers(self, probes: Keys) -> Ints:
        """The number of the key that each probe matches; -1 where none does."""
        number = np.full(len(probes), -1, np.int64)
        rest = np.arange(0)
        for place in range(len(self.tables)):
            asked = probes if place == 0 else probes[rest]
            candidate = self.candidates(asked, place)
            # An empty place, -1, never leads to the last key by chance: whoever asks for that finds a place taken.
            other = np.flatnonzero(self.keys.take(candidate) != asked)
            goes_on = other[candidate[other] >= 0]
            candidate[other] = -1
            if place == 0:
                number, rest = candidate, goes_on
            else:
                number[rest], rest = candidate, rest[goes_on]
        return number

    def candidates(self, probes: Keys, place: int = 0) -> Ints:
        """The key that stands where each probe would, in one of the tables; -1 where none does."""
        spread, bits, table = self.tables[place]
        return table.take(_slots(probes, spread, bits)).astype(np.int64)


def _slots(keys: Keys, spread: np.uint64, bits: int) -> Ints:
    slots = keys * spread
    slots >>= np.uint64(64 - bits)
    return slots.view(np.int64)


def shown_pairs(items: pl.Series, queries: pl.Series, rows: Ints) -> str:
    """The items at some rows, with the queries that they stand in: the first few, and how many more."""
    first = zip(rows[:5].tolist(), queries[:5], strict=True)
    shown = [{"item": str(items[row]), "query": str(query)} for row, query in first]
    return examples([*shown, *rows[5:]], kind="general.item_in_query")


Hashes = npt.NDArray[np.uint64]


def mixed_hashes(numbers: Hashes) -> Hashes:
    """Other numbers, equal where the given ones are (the end of MurmurHash3)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        numbers = (numbers ^ (numbers >> np.uint64(33))) * np.uint64(factor)
    spread: Hashes = numbers ^ (numbers >> np.uint64(33))
    return spread
