"""What is known beside judgments and run: items with numbers, how often they were taken, and by whom.

Made once, and used for all queries or for one block of them after another: items that only the run or the judgments
name come behind, so the numbers of the others are the same in every block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates import Items, Rows, Sets
from rankmeter.errors import MeasureError
from rankmeter.late import Late, pl
from rankmeter.lists.catalogue import Catalogue, History
from rankmeter.measures import Measure
from rankmeter.placing.matching import ROWS_AT_ONCE, encode, numbers_among
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import group_rows, offsets_of

FEW_IDS = 5_000
"""Up to how many ids are looked up one by one."""


class Vocabulary:
    """Numbers for ids, given in the order in which they come."""

    def __init__(self, dtype: pl.DataType) -> None:
        self.dtype = dtype
        self.ids = pl.Series("id", [], dtype=dtype)
        self._few: dict[Any, int] | None = {}
        """The same as a dict while there are few ids, for which a join would be slow."""
        self._numbers: Ints | None = None
        """For whole numbers that are not far between, once looked for: the number of each id at its own place."""

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, ids: pl.Series) -> Ints:
        """The number of each id; new ones get new numbers."""
        codes = self.find(ids)
        if len(codes) and codes.min() < 0:
            codes, unknown = codes.copy(), codes < 0
            fresh = ids.cast(self.dtype).filter(pl.Series(unknown))
            first = len(self)
            new = (
                pl.Series(list(dict.fromkeys(fresh)), dtype=self.dtype)
                if len(fresh) < FEW_IDS
                else fresh.unique(maintain_order=True)
            )
            self.ids = pl.concat([self.ids, new.alias("id")], rechunk=True)
            self._few = {one: number for number, one in enumerate(self.ids)} if len(self) < FEW_IDS else None
            self._numbers = None
            codes[unknown] = first + Vocabulary.of(new).find(fresh)
        return codes

    def _table(self) -> Ints | None:
        if self._numbers is not None:
            return self._numbers
        if self.dtype not in (pl.Int64, pl.UInt64):
            return None
        known = self.ids.to_numpy()
        if known.min() < 0 or known.max() > 8 * len(known) + 1_000_000:
            return None
        table = np.full(int(known.max()) + 1, -1, np.int64)
        table[known] = np.arange(len(known))
        self._numbers = table
        return table

    @classmethod
    def of(cls, ids: pl.Series) -> Vocabulary:
        made = cls(ids.dtype)
        made.ids = ids
        made._few = {one: number for number, one in enumerate(ids)} if len(ids) < FEW_IDS else None
        return made

    def find(self, ids: pl.Series) -> Ints:
        """The number of each id; -1 for strangers."""
        if not len(ids) or not len(self):
            return np.full(len(ids), -1, np.int64)
        ids = ids.cast(self.dtype)
        if self._few is not None and len(ids) < FEW_IDS:
            return np.array([self._few.get(one, -1) for one in ids.to_list()], np.int64)
        if (numbers := self._table()) is not None:
            asked = ids.to_numpy()
            if asked.min() >= 0 and asked.max() < len(numbers):
                is_own_number = len(numbers) == len(self) and bool((numbers == np.arange(len(numbers))).all())
                return asked.astype(np.int64, copy=False) if is_own_number else numbers[asked]
            inside = (asked >= 0) & (asked < len(numbers))
            return np.where(inside, numbers[np.where(inside, asked, 0)], -1)
        return numbers_among(self.ids, ids)


@dataclass(frozen=True, slots=True)
class Background:
    """A catalogue and a history, with the items of both numbered: those of the catalogue first."""

    catalogue: Catalogue | None
    ids: pl.Series
    """(n,) the items."""
    taken: Floats | None
    """(n,) interactions with each."""
    takers: Floats | None
    """(n,) users who took each."""
    users: float
    """Users of the history."""
    seen: Bools | None
    """(n,) whether the history has the item."""
    everyone: pl.Series | None
    """The users of the history."""
    pairs: Late[tuple[Ints, Ints]]
    """(m,) the user and (m,) the item of each pair of the history, each pair once, sorted by user and item."""
    takers_of: Sets | None
    """(n rows) the users who took each item, where a measure asks for them."""

    @classmethod
    def of(
        cls, catalogue: Catalogue | None, history: History | None, item_type: pl.DataType, measures: Sequence[Measure]
    ) -> Background:
        """Number the items and count what was taken."""
        words = Vocabulary(item_type) if catalogue is None else Vocabulary.of(catalogue.items.cast(item_type))
        code = None if history is None else words.add(history.item)
        total = len(words)
        taken: Floats | None = None
        takers: Floats | None = None
        seen: Bools | None = None
        everyone, takers_of, users = None, None, 0.0
        pairs = Late(made=(np.empty(0, np.int64), np.empty(0, np.int64)))
        if history is not None and code is not None:
            taken = np.bincount(code, minlength=total).astype(np.float64)
            seen = taken > 0
            everyone, who = encode(history.query)
            users = float(len(everyone))
            count, pairs = _each_once(who, code, total)
            takers = taken
            if count < len(code):
                takers = np.bincount(pairs.value[1], minlength=total).astype(np.float64)
            if any(getattr(m, "source", "") == "history" for m in measures):
                takers_of = _takers(*pairs.value, total, len(everyone))
        if catalogue is not None and catalogue.popularity is not None:
            taken = _padded(catalogue.popularity, total)
            seen = taken > 0 if seen is None else seen
            if takers is None and catalogue.users is not None:
                takers, users = taken, float(catalogue.users)
        return cls(catalogue, words.ids, taken, takers, users, seen, everyone, pairs, takers_of)

    def items(self, total: int) -> Items:
        """What is known of the items when there are ``total`` of them; nothing of those that came behind."""
        c = self.catalogue
        numbers = [None if one is None else _padded(one, total) for one in (self.taken, self.takers, self.seen)]
        taken, takers, seen = numbers
        takers_of = self.takers_of
        if takers_of is not None:
            indptr = np.pad(takers_of.indptr, (0, total + 1 - len(takers_of.indptr)), mode="edge")
            takers_of = Sets(indptr, takers_of.indices, takers_of.data, takers_of.columns)
        if c is None:
            return Items(0, total, taken, takers, self.users, seen, takers_of=takers_of)
        return Items(
            len(c), total, taken, takers, self.users, seen, c.features, c.categories, c.values, c.margins, c.groups,
            c.group_names, _distance(c), takers_of,
        )  # fmt: skip

    def histories(self, people: Vocabulary, queries: int) -> Rows | None:
        """The items of each query that has a history, sorted by query and item."""
        if self.everyone is None:
            return None
        user, item = self.pairs.value
        query = people.find(self.everyone)[user]
        inside = query >= 0
        query, item = query[inside], item[inside]
        if (np.diff(query) < 0).any():
            order = group_rows(query, queries)
            query, item = query[order], item[order]
        sizes = np.bincount(query, minlength=queries).astype(np.int64)
        return Rows(offsets_of(sizes), item, np.ones(len(item)))


def _rises(user: Ints, item: Ints) -> bool:
    """Whether the pairs are sorted by user and item, and therefore each there once."""
    for first in range(0, len(user), ROWS_AT_ONCE):
        who, what = user[first : first + ROWS_AT_ONCE + 1], item[first : first + ROWS_AT_ONCE + 1]
        if not ((who[1:] > who[:-1]) | ((who[1:] == who[:-1]) & (what[1:] > what[:-1]))).all():
            return False
    return True


def _each_once(user: Ints, item: Ints, total: int) -> tuple[int, Late[tuple[Ints, Ints]]]:
    """How many different pairs there are, and these sorted by user and item."""
    if _rises(user, item):
        return len(user), Late(made=(user, item))
    pairs = user * total
    pairs += item
    pairs = pl.Series(pairs).sort(multithreaded=False).to_numpy()  # in half of NumPy's time
    pairs = pairs[np.append(True, pairs[1:] > pairs[:-1])]
    return len(pairs), Late(lambda: np.divmod(pairs, total))


def _padded(values: Any, total: int) -> Any:
    """Zeros for the items behind."""
    if len(values) == total:
        return values
    return np.concatenate([values, np.zeros(total - len(values), values.dtype)])


def _takers(user: Ints, item: Ints, total: int, users: int) -> Sets:
    order = group_rows(item, total)
    sizes = np.bincount(item, minlength=total).astype(np.int64)
    return Sets(offsets_of(sizes), user[order], np.ones(len(user)), users)


def _distance(catalogue: Catalogue) -> Any:
    """The catalogue's own distance of pairs of items."""
    if catalogue.similarity is not None:
        matrix = catalogue.similarity

        def from_similarity(left: Ints, right: Ints) -> Floats:
            return 1.0 - np.asarray(matrix[left, right], np.float64).ravel()

        return from_similarity
    function, features = catalogue.distance, catalogue.features
    if function is None or features is None or isinstance(features, Sets):
        return None

    def from_function(left: Ints, right: Ints) -> Floats:
        distances = np.asarray(function(features[left], features[right]), np.float64)
        if distances.shape != left.shape:
            raise MeasureError.of("lists.distance_shape", shape=str(distances.shape), pairs=len(left))
        if not np.isfinite(distances).all():
            raise MeasureError.of("lists.distance_not_finite")
        return distances

    return from_function
