"""What the measures of lists see: the first k items of every query as codes, and what is known of items, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.weights import DISCOUNTS, flat
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import expand, occurrences, offsets_of, owners
from rankmeter.placing.staircase import Staircase

Known = TypeVar("Known")
BLOCK_CELLS = 2_000_000
"""How many numbers a block of users may hold at once; everything large is done in such blocks."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Some items for each query, one query after another."""

    offsets: Ints
    """(n + 1,) where each query starts."""
    item: Ints
    """(m,) codes of items."""
    grade: Floats
    """(m,) the grade of each; 1 where there are none."""

    @classmethod
    def of(cls, query: Ints, item: Ints, grade: Floats, queries: int) -> Rows:
        """Rows that are sorted by query."""
        return cls(offsets_of(np.bincount(query, minlength=queries)), item, grade)

    @property
    def query(self) -> Ints:
        """(m,) the query of each row."""
        return owners(self.offsets)

    def pick(self, chosen: Bools) -> Rows:
        """The rows of some queries, renumbered."""
        if chosen.all():
            return self
        kept = np.repeat(chosen, np.diff(self.offsets))
        return Rows(offsets_of(np.diff(self.offsets)[chosen]), self.item[kept], self.grade[kept])


@dataclass(frozen=True, slots=True)
class Sets:
    """A sparse description of items: row i holds the columns ``indices[indptr[i]:indptr[i + 1]]``."""

    indptr: Ints
    indices: Ints
    data: Floats
    columns: int

    @classmethod
    def of(cls, matrix: npt.NDArray[Any]) -> Sets:
        """The columns of each row of a matrix that are not 0."""
        row, column = np.nonzero(matrix)
        indptr = offsets_of(np.bincount(row, minlength=len(matrix)))
        return cls(indptr, column.astype(np.int64), np.ones(len(column)), matrix.shape[1])

    @property
    def row(self) -> Ints:
        """(m,) the row of each entry."""
        return owners(self.indptr)


@dataclass(frozen=True, slots=True)
class Items:
    """What is known of the items; those of the catalogue come first, then the others that were met."""

    listed: int
    """How many items the catalogue has; 0 where none was given."""
    total: int
    """How many items there are, with those outside the catalogue."""
    taken: Floats | None = None
    """(total,) interactions with each item."""
    takers: Floats | None = None
    """(total,) users who took each item."""
    users: float = 0.0
    """Users of the history."""
    seen: Bools | None = None
    """(total,) whether the history has the item."""
    features: npt.NDArray[Any] | Sets | None = None
    """(listed, d)"""
    categories: Sets | None = None
    values: Floats | None = None
    margins: Floats | None = None
    groups: Ints | None = None
    """(listed,) the group of each item."""
    group_names: tuple[str, ...] = ()
    distance: Callable[[Ints, Ints], Floats] | None = None
    """The distance of pairs of items, by their codes."""
    takers_of: Sets | None = None
    """(total rows) the users who took each item."""


@dataclass(frozen=True, slots=True)
class Slates:
    """The first k items of n queries."""

    stairs: Staircase
    """What stands at the places of the lists; a query without any has none."""
    queries: int
    """n."""
    places: int
    """k, or where no list is as long the length of the longest; at least 1."""
    items: Items
    grade: Floats | None = None
    """(m,) the grade of each item of the staircase; NaN where there is no judgment."""
    judged: Rows | None = None
    """All judged items of each query."""
    history: Rows | None = None
    """What each query (user) took before; a repeated interaction stands once."""
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What several measures ask for, once it has been computed."""

    def __len__(self) -> int:
        return self.queries

    def once(self, name: Any, make: Callable[[], Known]) -> Known:
        """What ``make`` makes, made when it is first asked for under this name."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: Known = self._kept[name]
        return kept

    @property
    def item(self) -> Ints:
        """(m,) the items, place after place."""
        return self.stairs.item

    @property
    def query(self) -> Ints:
        """(m,) the query of each item."""
        return self.once("query", lambda: self.stairs.each(self.stairs.lists))

    @property
    def lengths(self) -> Ints:
        """(n,) how many items each list has."""
        return self.once("lengths", lambda: self._by_query(self.stairs.lengths))

    def _by_query(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """(n,) what each list of the staircase has; 0 where a query has no list."""
        by_query = np.zeros(len(self), values.dtype)
        by_query[self.stairs.lists] = values
        return by_query

    @property
    def codes(self) -> Ints:
        """(n, k) the items of each list; -1 behind its end."""
        return self.once("codes", lambda: self.stairs.rows(self.item, len(self), self.places, -1))

    @property
    def present(self) -> Bools:
        """(n, k) where there is an item."""
        return self.once("present", lambda: np.arange(self.places) < self.lengths[:, None])

    @property
    def grades(self) -> Floats:
        """(n, k) the grade of each place; NaN where there is no judgment."""
        if self.grade is None:
            return np.full((len(self), self.places), np.nan)
        grade = self.grade
        return self.once("grades", lambda: self.stairs.rows(grade, len(self), self.places, np.nan))

    def at(self, values: npt.NDArray[Any], outside: float = 0.0) -> npt.NDArray[Any]:
        """(n, k) the value of each place's item; ``outside`` behind the end and where ``values`` does not reach."""
        return self._reaching(values, outside).take(self.codes)

    def totals(self, values: npt.NDArray[Any]) -> Floats:
        """(n,) the sum of the values of each list's items, place after place (as :func:`along`)."""
        return self._by_query(self.stairs.totals(self._reaching(values.astype(np.float64, copy=False), 0.0)))

    def _reaching(self, values: npt.NDArray[Any], outside: float) -> npt.NDArray[Any]:
        """The values of all items, and last, where -1 points, the one of no item."""
        table = np.full(self.items.total + 1, outside, values.dtype)
        table[: len(values)] = values
        return table

    def cut(self, cutoff: int | None) -> Slates:
        """The first ``cutoff`` places of every list."""
        if cutoff is None or cutoff >= self.places:
            return self
        return self.once(("cut", cutoff), lambda: self._cut(cutoff))

    def _cut(self, cutoff: int) -> Slates:
        stairs = self.stairs.cut(cutoff)
        grade = None if self.grade is None else self.grade[: len(stairs.item)]
        return replace(self, stairs=stairs, places=cutoff, grade=grade)

    def pick(self, chosen: Bools) -> Slates:
        """The lists of some queries."""
        if chosen.all():
            return self
        stairs, kept = self.stairs.pick(chosen)
        return replace(
            self,
            stairs=stairs,
            queries=int(np.count_nonzero(chosen)),
            grade=None if self.grade is None else self.grade[kept],
            judged=None if self.judged is None else self.judged.pick(chosen),
            history=None if self.history is None else self.history.pick(chosen),
        )

    def relevant(self, rel: float) -> Bools:
        """(n, k) which places hold an item judged at least ``rel``."""
        with np.errstate(invalid="ignore"):
            return self.grades >= rel


@dataclass(frozen=True, slots=True)
class ListValues:
    """A value for each list as numerator and denominator, and whether there is one; all ``(n,)``."""

    numerator: Floats
    denominator: Floats
    defined: Bools


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each item stands in lists: whole numbers, which add up to the same whatever is counted first."""

    item: Ints
    """(m,) codes of items."""
    key: Ints
    """(m,) rising: what the times are counted by, a place (from 0), the length of a list, or always 0."""
    times: Ints
    """(m,)"""

    @classmethod
    def of(cls, s: Slates, by: str) -> Counts:
        """Count the places of all lists ``by`` item alone, by place or by the length of their list."""
        return s.once(("counts", by), lambda: cls._of(s, by))

    @classmethod
    def _of(cls, s: Slates, by: str) -> Counts:
        keys, parts = _codes_by_key(s, by)
        items, times = [], []
        for codes in parts:
            if s.items.total <= 4 * len(codes):
                counted = occurrences(codes, s.items.total)
                items.append(np.flatnonzero(counted))
                times.append(counted[items[-1]])
            else:
                different, many = np.unique(codes, return_counts=True)
                items.append(different)
                times.append(many)
        key = np.repeat(np.asarray(keys, np.int64), list(map(len, items)))
        nothing = np.empty(0, np.int64)
        return cls(np.concatenate([nothing, *items]), key, np.concatenate([nothing, *times]))

    def weighted(self, total: int, weights: Callable[[Ints], Floats] | None = None) -> Floats:
        """(total,) for each item its times, each with the weight of its key; added key after key."""
        each = self.times.astype(np.float64)
        if weights is not None:
            each *= weights(self.key)
        return np.bincount(self.item, weights=each, minlength=total).astype(np.float64)


def _codes_by_key(s: Slates, by: str) -> tuple[list[int], list[Ints]]:
    """The keys that there are, rising, and the codes that each is about."""
    if by == "place":
        return list(range(len(s.stairs.reach))), list(s.stairs.steps())
    if by == "length":
        length = s.stairs.each(s.stairs.lengths)
        keys = np.unique(length).tolist()
        return keys, [s.item if len(keys) == 1 else s.item[length == key] for key in keys]
    return [0], [s.item]


@dataclass(frozen=True, slots=True)
class Whole:
    """One value for all lists: given as it is, or as a function of sums over queries that can be drawn again."""

    value: float
    parts: Floats | None = None
    """(n, m) what each query adds to the m sums; None where no such sums exist."""
    constants: Floats | None = None
    """What the function needs beside the sums."""


def known(values: npt.NDArray[Any], codes: Ints, outside: float = 0.0) -> npt.NDArray[Any]:
    """The value of each code; ``outside`` for padding and for items that ``values`` does not reach."""
    padded = np.append(values, np.asarray([outside], values.dtype))
    return padded[np.where((codes >= 0) & (codes < len(values)), codes, len(values))]


def given_value(value: Known | None) -> Known:
    """What a measure asks for, of which :func:`rankmeter.evaluate` has made sure."""
    if value is None:
        raise TypeError("a measure asks for what was not given")
    return value


def along(places: Floats) -> Floats:
    """(n, ...) -> (n,) the sum of each list's numbers, place after place.

    One after another, because places behind the end of a list hold 0 and then change no bit: a list has the same value
    whatever the longest list beside it is. NumPy's own sum adds in pairs, which depend on the width.
    """
    flat = places.reshape(len(places), int(np.prod(places.shape[1:])))
    if not flat.shape[1]:
        return np.zeros(len(flat))
    return np.asarray(np.add.accumulate(flat, axis=1)[:, -1], np.float64)


def place_weights(kind: str, places: int, p: float = 0.85) -> Floats:
    """(places,) the attention that each rank gets."""
    rank = np.arange(1, places + 1)
    return np.power(p, rank - 1.0) if kind == "geometric" else DISCOUNTS.get(kind, flat)(rank)


def blocks(rows: int, cells_per_row: int) -> list[slice]:
    """Slices of the rows, each small enough."""
    step = max(1, BLOCK_CELLS // max(1, cells_per_row))
    return [slice(first, min(first + step, rows)) for first in range(0, rows, step)]


def expanded(sets: Sets, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """For some rows of a sparse description: which of them each entry belongs to, its column, its position."""
    sizes = sets.indptr[rows + 1] - sets.indptr[rows]
    position = expand(sets.indptr[rows], sizes)
    return np.repeat(np.arange(len(rows)), sizes), sets.indices[position], position
