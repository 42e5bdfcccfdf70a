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

Keys = npt.NDArray[np.uint64]
FEW_IDS = 5_000
"""Up to how many ids are looked up one by one."""
MANY_ROWS = 10_000
"""From how many rows on a table of numbers is worth its set-up."""
ROWS_AT_ONCE = 1 << 16
"""How many rows are looked at together: so few that they stay near the processor, and ask for little fresh memory."""
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F))
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
        """A 64-bit key for each id."""
        return item_keys(self.column, salt)

    def equal(self, other: ColumnIds) -> Bools:
        """Which rows hold the same id as those of another column."""
        return (self.column == other.column).to_numpy()

    def sort_keys(self) -> pl.Series:
        """The ids themselves."""
        return self.column


def item_keys(items: pl.Series, salt: int = 0) -> Keys:
    """A 64-bit key for each id: the number itself, or a hash of the text."""
    if items.dtype == pl.String:
        return items.hash(seed=17 + salt).to_numpy()
    return items.to_numpy().view(np.uint64)


def pair_keys(query: Ints, items: Keys, salt: int = 0) -> Keys:
    """A 64-bit key for each (query, item) pair; ``query`` is a small code. Another salt makes other keys."""
    keys = (items + np.uint64(salt)) * _ODD[0]
    keys ^= keys >> np.uint64(29)
    keys += query.astype(np.uint64) * _ODD[1]
    keys *= _ODD[2]
    keys ^= keys >> np.uint64(32)
    return keys


def repeated(keys: Keys, sizes: Ints | None = None) -> Ints:
    """The rows whose key stands in an earlier row too, in rising order; empty where every key is different.

    ``sizes`` are the lengths of the queries where rows are grouped by them; it only makes the search faster.
    """
    if not _any_repeated(keys, sizes):
        return np.empty(0, np.int64)
    order = np.argsort(keys, kind="stable")
    return np.sort(order[1:][keys[order][1:] == keys[order][:-1]])


def repeated_pairs(keys: Keys, query: Ints, items: pl.Series, sizes: Ints | None = None) -> tuple[Ints, Ints]:
    """The rows whose (query, item) stands more than once, and for each of them the first such row."""
    later = repeated(keys, sizes)
    if not len(later):
        return later, later
    alike = np.flatnonzero(np.isin(keys, keys[later]))
    pairs = pl.DataFrame({"row": alike, "query": query[alike], "item": items.gather(pl.Series(alike))})
    first = pairs.select(pl.col("row").first().over("query", "item")).to_series().to_numpy()
    again = np.isin(first, first[first != alike])
    return alike[again], first[again]


def _any_repeated(keys: Keys, sizes: Ints | None) -> bool:
    """Whether two rows share a key.

    Rows are thrown into a table with four places for each. Of the rows that meet in a place one stays; rows with equal
    keys always meet, so either one of them sees its like in its place or all of them were turned away, and those are
    tried again with other bits. A query's rows share a stretch of the table, which then stays in the cache.
    """
    rows = len(keys)
    spread = (keys >> np.uint64(32)) if sizes is None else (keys & np.uint64(0xFFFFFFFF))
    if sizes is None:
        slot = (spread * np.uint64(4 * rows)) >> np.uint64(32)
    else:
        places = np.repeat(sizes.astype(np.uint64) * np.uint64(4), sizes)
        slot = (spread * places) >> np.uint64(32)
        slot += np.repeat((np.cumsum(sizes) - sizes).astype(np.uint64) * np.uint64(4), sizes)
    slot = slot.view(np.int64)
    number = np.arange(rows, dtype=np.int32)
    table = np.empty(4 * rows, np.int32)
    table[slot] = number
    turned_away = np.flatnonzero(table[slot] != number)
    if len(turned_away) == 0:
        return False
    if (keys[table[slot[turned_away]]] == keys[turned_away]).any():
        return True
    rest = keys[turned_away]
    if sizes is None and len(rest) > rows // 2:  # bits that do not spread: sort instead of trying for ever
        return len(np.unique(rest)) < len(rest)
    return _any_repeated(rest * _ODD[1] if sizes is None else rest, None)


@dataclass(frozen=True, slots=True)
class KeyTable:
    """Keys to look up: tables of falling size, each holding the keys that found no place in the ones before."""

    keys: Keys
    tables: tuple[tuple[int, int, npt.NDArray[np.int32]], ...]
    seen: npt.NDArray[np.bool_]
    """A sieve by the low bits of the keys, which lets most strangers go at the cost of one look."""

    @classmethod
    def of(cls, keys: Keys) -> KeyTable:
        """Make the tables; the keys are all different (of equal ones only one would ever be found)."""
        bits = min(24, max(10, (8 * max(len(keys), 1) - 1).bit_length()))
        seen = np.zeros(1 << bits, np.bool_)
        seen[(keys & np.uint64((1 << bits) - 1)).astype(np.int64)] = True
        tables: list[tuple[int, int, npt.NDArray[np.int32]]] = []
        rest = np.arange(len(keys), dtype=np.int32)
        while len(rest):
            shift, bits = (7 * len(tables)) % 37, max(4, (4 * len(rest) - 1).bit_length())
            slot = _slots(keys[rest], shift, bits)
            table = np.full(1 << bits, -1, np.int32)
            table[slot] = rest
            tables.append((shift, bits, table))
            rest = rest[table[slot] != rest]
        return cls(keys, tuple(tables), seen)

    def find(self, probes: Keys) -> tuple[Ints, Ints]:
        """The rows of the probes that are known, in rising order, and the number of the key each one matches."""
        mask = np.uint64(len(self.seen) - 1)
        rows = np.flatnonzero(self.seen[(probes & mask).view(np.int64)])
        number = self.numbers(probes[rows])
        is_known = number >= 0
        return rows[is_known], number[is_known]

    def first_look(self, probes: Keys) -> Ints:
        """The number of the key that stands where each probe is looked for first, be it its own or not."""
        shift, bits, table = self.tables[0]
        return np.maximum(table.take(_slots(probes, shift, bits)), 0).astype(np.int64)

    def numbers(self, probes: Keys) -> Ints:
        """The number of the key that each probe matches; -1 where none does. For probes that are mostly known."""
        number = np.full(len(probes), -1, np.int64)
        rest = np.arange(0)
        for place, (shift, bits, table) in enumerate(self.tables):
            asked = probes if place == 0 else probes[rest]
            candidate = table.take(_slots(asked, shift, bits)).astype(np.int64)
            # An empty place, -1, never leads to the last key by chance: whoever asks for that finds a place taken.
            other = np.flatnonzero(self.keys.take(candidate) != asked)
            goes_on = other[candidate[other] >= 0]
            candidate[other] = -1
            if place == 0:
                number, rest = candidate, goes_on
            else:
                number[rest], rest = candidate, rest[goes_on]
        return number


def _slots(keys: Keys, shift: int, bits: int) -> Ints:
    slots = keys >> np.uint64(shift)
    slots &= np.uint64((1 << bits) - 1)
    return slots.view(np.int64)


def numbers_among(known: pl.Series, asked: pl.Series) -> Ints:
    """The number of each asked id among known ones, which are all different; -1 for strangers.

    A few are looked up in a dictionary, numbers that are not far between in a table, others by hashes, which for text
    costs a quarter of a join; what these find is compared in full.
    """
    if max(len(known), len(asked)) < FEW_IDS:
        number_of = {known_id: number for number, known_id in enumerate(known.to_list())}
        return np.array([number_of.get(asked_id, -1) for asked_id in asked.to_list()], np.int64)
    if not len(known) or not len(asked):
        return np.full(len(asked), -1)
    if known.dtype.is_integer() and (number := _numbers_by_table(known.to_numpy(), asked.to_numpy())) is not None:
        return number
    keys = _keys_of_ids(known)
    if _any_repeated(keys, None):  # two texts with one hash
        return _joined_numbers(known, asked)
    table = KeyTable.of(keys)
    numbers = np.empty(len(asked), np.int64)
    for first in range(0, len(asked), 4 * ROWS_AT_ONCE):
        rows = asked.slice(first, 4 * ROWS_AT_ONCE)
        probes = _keys_of_ids(rows)
        if known.dtype != pl.String:
            number = table.numbers(probes)
        else:  # most texts stand in the place of the first look: to compare them at once saves a quarter of the time
            number = table.first_look(probes)
            others = np.flatnonzero((known.gather(number) != rows).to_numpy())
            number[others] = table.numbers(probes[others])
            others = others[number[others] >= 0]
            if not (known.gather(number[others]) == rows.gather(others)).all():
                return _joined_numbers(known, asked)
        numbers[first : first + len(rows)] = number
    return numbers


def _numbers_by_table(known: Ints, asked: Ints) -> Ints | None:
    """The number of each asked one among numbers that are not far between; None where they are."""
    if known.min() < 0 or known.max() > 8 * (len(known) + len(asked)):
        return None
    inside = asked.min() >= 0 and asked.max() <= known.max()
    if inside and (known == np.arange(len(known))).all():  # every number is its own
        return asked.astype(np.int64, copy=False)
    table = np.full(int(known.max()) + 1, -1, np.int64)
    table[known] = np.arange(len(known))
    if inside:
        return table[asked]
    within = (asked >= 0) & (asked < len(table))
    return np.where(within, table[np.where(within, asked, 0)], -1)


def _keys_of_ids(ids: pl.Series) -> Keys:
    """Keys whose low bits differ, also where numbers are multiples of one another; different ids stay different."""
    keys = item_keys(ids)
    if ids.dtype == pl.String:
        return keys
    keys = keys * _ODD[0]
    keys ^= keys >> np.uint64(29)
    return keys


def _joined_numbers(known: pl.Series, asked: pl.Series) -> Ints:
    numbers = pl.DataFrame({"id": known, "number": np.arange(len(known))})
    matched = pl.DataFrame({"id": asked}).join(numbers, on="id", how="left", maintain_order="left")["number"]
    return matched.fill_null(-1).to_numpy().astype(np.int64)


def heads_of(column: pl.Series) -> Bools:
    """Whether each row differs from the one before; the first does."""
    if column.dtype == pl.String:
        return np.append(True, (column.slice(1) != column.head(-1)).to_numpy())[: len(column)]
    numbers = column.to_numpy()
    return np.append(True, numbers[1:] != numbers[:-1])[: len(column)]


def encode(values: pl.Series, known: pl.Series | None = None) -> tuple[pl.Series, Ints]:
    """The different values in order of first appearance, and the number of each row's value among them.

    Where all values are ``known`` beforehand, some of which may not occur, these are numbered instead.
    """
    if known is not None:
        return known, numbers_among(known, values)
    if len(values) >= MANY_ROWS:
        if (starts := _starts_of_stretches(values)) is not None:  # one look a stretch instead of one a row
            different, number = encode(values.gather(starts))
            return different, np.repeat(number, np.diff(starts, append=len(values)))
        numbered = _encode_close_numbers(values) if values.dtype.is_integer() else None
        if numbered is not None:
            return numbered
    by_hash = values.dtype == pl.String and len(values) >= MANY_ROWS
    different = (
        values.gather(pl.Series(item_keys(values)).arg_unique()) if by_hash else values.unique(maintain_order=True)
    )
    if len(different) == len(values):
        return values, np.arange(len(values))
    numbers = numbers_among(different, values)
    if by_hash and numbers.min() < 0:  # two texts share a hash, so one of them was left out
        different = values.unique(maintain_order=True)
        numbers = numbers_among(different, values)
    return different, numbers


def _starts_of_stretches(values: pl.Series) -> Ints | None:
    """Where stretches of one value start, if the rows come in such, as the first ones tell; else None."""
    for rows in (values.head(MANY_ROWS), values):
        heads = heads_of(rows)
        if 2 * np.count_nonzero(heads) > len(rows):
            return None
    return np.flatnonzero(heads)


def _encode_close_numbers(values: pl.Series) -> tuple[pl.Series, Ints] | None:
    """The same for numbers that lie close together, by a table instead of a hash; None where they do not."""
    array = values.to_numpy()
    if (array[1:] > array[:-1]).all():
        return values, np.arange(len(array))
    low = int(array.min())
    reach = int(array.max()) - low + 1
    if reach > 8 * len(array):
        return None
    number, code = np.full(reach, -1), np.empty(len(array), np.int64)
    firsts: list[Ints] = []
    count = 0
    for start in range(0, len(array), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        place = (array[rows] - array.dtype.type(low)).astype(np.int64, copy=False)
        code[rows] = number[place]
        new = np.flatnonzero(code[rows] < 0)
        if len(new):
            fresh, row = place[new], np.arange(len(new))
            number[fresh[::-1]] = row[::-1]  # of several rows of a number the first is written last
            is_first = number[fresh] == row
            firsts.append(start + new[is_first])
            number[fresh[is_first]] = np.arange(count, count := count + len(firsts[-1]))
            code[rows] = number[place]
    return pl.Series(array[np.concatenate(firsts)]), code


def shown_pairs(items: pl.Series, queries: pl.Series, rows: Ints) -> str:
    """The items at some rows, with the queries that they stand in: the first few, and how many more."""
    shown = [f"item {items[row]} in query {query}" for row, query in zip(rows[:5].tolist(), queries[:5], strict=True)]
    return examples([*shown, *rows[5:]])
