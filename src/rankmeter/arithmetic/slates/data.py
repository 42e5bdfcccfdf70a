"""What the measures of lists see: the first k items of every query as codes, and what is known of items, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import offsets_of

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
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

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

    codes: Ints
    """(n, k) items, best first; -1 behind the end of a list."""
    items: Items
    grades: Floats | None = None
    """(n, k) the grade of each place; NaN where there is no judgment."""
    judged: Rows | None = None
    """All judged items of each query."""
    history: Rows | None = None
    """What each query (user) took before; a repeated interaction stands once."""
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What several measures ask for, once it has been computed."""

    def __len__(self) -> int:
        return len(self.codes)

    def once(self, name: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` makes, made when it is first asked for under this name."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    @property
    def is_full(self) -> bool:
        """Whether every list has k items."""
        return bool(self.once("full", lambda: self.codes.min(initial=0) >= 0))

    @property
    def present(self) -> Bools:
        """(n, k) where there is an item."""
        found: Bools = self.once("present", lambda: self.codes >= 0)
        return found

    @property
    def lengths(self) -> Ints:
        """(n,) how many items each list has."""
        found: Ints = self.once("lengths", self._lengths)
        return found

    def _lengths(self) -> Ints:
        n, k = self.codes.shape
        return np.full(n, k) if self.is_full else np.asarray(np.count_nonzero(self.present, axis=1))

    def at(self, values: npt.NDArray[Any], outside: float = 0.0) -> npt.NDArray[Any]:
        """(n, k) the value of each place's item; ``outside`` behind the end and where ``values`` does not reach."""
        return self._reaching(values, outside).take(self.codes)

    def totals(self, values: npt.NDArray[Any]) -> Floats:
        """(n,) the sum of the values of each list's items, place after place (as :func:`along`)."""
        table = self._reaching(values.astype(np.float64, copy=False), 0.0)
        totals = np.zeros(len(self))
        for rows in blocks(len(self), 20 * self.codes.shape[1]):  # so few that they stay near the processor
            for place in table.take(self.codes[rows]).T:
                totals[rows] += place
        return totals

    def _reaching(self, values: npt.NDArray[Any], outside: float) -> npt.NDArray[Any]:
        """The values of all items, and last, where -1 points, the one of no item."""
        table = np.full(self.items.total + 1, outside, values.dtype)
        table[: len(values)] = values
        return table

    def cut(self, cutoff: int | None) -> Slates:
        """The first ``cutoff`` places of every list."""
        if cutoff is None or cutoff >= self.codes.shape[1]:
            return self
        found: Slates = self.once(("cut", cutoff), lambda: self._cut(cutoff))
        return found

    def _cut(self, cutoff: int) -> Slates:
        grades = None if self.grades is None else self.grades[:, :cutoff]
        return replace(self, codes=np.ascontiguousarray(self.codes[:, :cutoff]), grades=grades)

    def pick(self, chosen: Bools) -> Slates:
        """The lists of some queries."""
        if chosen.all():
            return self
        return replace(
            self,
            codes=self.codes[chosen],
            grades=None if self.grades is None else self.grades[chosen],
            judged=None if self.judged is None else self.judged.pick(chosen),
            history=None if self.history is None else self.history.pick(chosen),
        )

    def relevant(self, rel: float) -> Bools:
        """(n, k) which places hold an item judged at least ``rel``."""
        if self.grades is None:
            return np.zeros(self.codes.shape, np.bool_)
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
        counts: Counts = s.once(("counts", by), lambda: cls._of(s, by))
        return counts

    @classmethod
    def _of(cls, s: Slates, by: str) -> Counts:
        keys, parts = _cells(s, by)
        items, times = [], []
        for codes in parts:
            codes = codes if s.is_full else codes[codes >= 0]
            if s.items.total <= 4 * len(codes):
                counted = np.bincount(codes)
                items.append(np.flatnonzero(counted))
                times.append(counted[items[-1]])
            else:
                one, many = np.unique(codes, return_counts=True)
                items.append(one)
                times.append(many)
        key = np.repeat(np.asarray(keys, np.int64), [len(one) for one in items])
        nothing = np.empty(0, np.int64)
        return cls(np.concatenate([nothing, *items]), key, np.concatenate([nothing, *times]))

    def weighted(self, total: int, weights: Callable[[Ints], Floats] | None = None) -> Floats:
        """(total,) for each item its times, each with the weight of its key; added key after key."""
        each = self.times.astype(np.float64)
        if weights is not None:
            each *= weights(self.key)
        return np.bincount(self.item, weights=each, minlength=total).astype(np.float64)


def _cells(s: Slates, by: str) -> tuple[list[int], list[Ints]]:
    """The keys that there are, rising, and the codes that each is about."""
    if by == "place":
        return list(range(s.codes.shape[1])), list(s.codes.T)
    if by == "length":
        if s.is_full:
            return [s.codes.shape[1]], [s.codes.ravel()]
        lengths = s.lengths
        keys = np.unique(lengths[lengths > 0]).tolist()
        return keys, [s.codes[lengths == length].ravel() for length in keys]
    return [0], [s.codes.ravel()]


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
    rank = np.arange(1, places + 1, dtype=np.float64)
    if kind == "log2":
        return 1.0 / np.log2(rank + 1)
    if kind == "reciprocal":
        return 1.0 / rank
    if kind == "geometric":
        return np.power(p, rank - 1)
    return np.ones(places)


def blocks(rows: int, cells_per_row: int) -> list[slice]:
    """Slices of the rows, each small enough."""
    step = max(1, BLOCK_CELLS // max(1, cells_per_row))
    return [slice(first, min(first + step, rows)) for first in range(0, rows, step)]


def expanded(sets: Sets, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """For some rows of a sparse description: which of them each entry belongs to, its column, its position."""
    sizes = sets.indptr[rows + 1] - sets.indptr[rows]
    owner = np.repeat(np.arange(len(rows)), sizes)
    ends = np.cumsum(sizes)
    position = np.arange(int(sizes.sum())) + np.repeat(sets.indptr[rows] - (ends - sizes), sizes)
    return owner, sets.indices[position], position
