"""What is known beside judgments and run: items with numbers, how often they were taken, and by whom.

Made once, and used for all queries or for one block of them after another: items that only the run or the judgments
name come behind, so the numbers of the others are the same in every block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankmeter.arithmetic.slates import Items, Rows, Sets
from rankmeter.errors import MeasureError
from rankmeter.late import Late, pl
from rankmeter.lists.catalogue import Catalogue, History
from rankmeter.measures import Measure
from rankmeter.placing.matching import ROWS_AT_ONCE, any_repeated_pair
from rankmeter.placing.numbering import encode, near_numbers, numbers_among
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import group_rows, is_rising, offsets_of


class Vocabulary:
    """Numbers for ids, given in the order in which they come."""

    def __init__(self, ids: pl.Series) -> None:
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, ids: pl.Series) -> Ints:
        """The number of each id; new ones get new numbers."""
        codes = self.find(ids)
        if len(codes) and codes.min() < 0:
            codes, unknown = codes.copy(), codes < 0
            new, number = encode(ids.cast(self.ids.dtype).filter(pl.Series(unknown)))
            codes[unknown] = len(self) + number
            self.ids = pl.concat([self.ids, new.alias(self.ids.name)], rechunk=True)
        return codes

    def find(self, ids: pl.Series) -> Ints:
        """The number of each id; -1 for strangers."""
        return numbers_among(self.ids, ids.cast(self.ids.dtype))


class Pairs(NamedTuple):
    """Who took what: each pair of a history once, sorted by user and item."""

    users: pl.Series
    """(u,) the users, in the order of first appearance."""
    user: Ints
    """(m,) the number of each pair's user."""
    item: Ints
    """(m,) the number of its item."""


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
    pairs: Late[Pairs] | None
    """The pairs of the history."""
    user_type: pl.DataType | None
    """The type of the ids of its users."""
    takers_of: Sets | None
    """(n rows) the users who took each item, where a measure asks for them."""

    @classmethod
    def of(
        cls, catalogue: Catalogue | None, history: History | None, item_type: pl.DataType, measures: Sequence[Measure]
    ) -> Background:
        """Number the items and count what was taken."""
        listed = pl.Series(dtype=item_type) if catalogue is None else catalogue.items.cast(item_type)
        words = Vocabulary(listed)
        code = None if history is None else words.add(history.item)
        total = len(words)
        taken: Floats | None = None
        takers: Floats | None = None
        seen: Bools | None = None
        pairs, takers_of, users = None, None, 0.0
        if history is not None and code is not None:
            taken = np.bincount(code, minlength=total).astype(np.float64)
            seen = taken > 0
            users, differ, pairs = _pairs_of(history.query, code, total)
            takers = taken if differ else np.bincount(pairs.value.item, minlength=total).astype(np.float64)
            if any(getattr(m, "source", "") == "history" for m in measures):
                each = pairs.value
                order, offsets = group_rows(each.item, total), offsets_of(np.bincount(each.item, minlength=total))
                takers_of = Sets(offsets, each.user[order], np.ones(len(each.user)), len(each.users))
        if catalogue is not None and catalogue.popularity is not None:
            taken = _padded(catalogue.popularity, total)
            seen = taken > 0 if seen is None else seen
            if takers is None and catalogue.users is not None:
                takers, users = taken, float(catalogue.users)
        user_type = None if history is None else history.query.dtype
        return cls(catalogue, words.ids, taken, takers, users, seen, pairs, user_type, takers_of)

    def items(self, total: int) -> Items:
        """What is known of the items when there are ``total`` of them; nothing of those that came behind."""
        c = self.catalogue
        columns = self.taken, self.takers, self.seen
        taken, takers, seen = (None if column is None else _padded(column, total) for column in columns)
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
        if self.pairs is None:
            return None
        each = self.pairs.value
        query, item = people.find(each.users)[each.user], each.item
        inside = query >= 0
        query, item = query[inside], item[inside]
        if not is_rising(query):
            order = group_rows(query, queries)
            query, item = query[order], item[order]
        return Rows.of(query, item, np.ones(len(item)), queries)


def _pairs_of(query: pl.Series, item: Ints, total: int) -> tuple[float, bool, Late[Pairs]]:
    """How many users there are, whether all pairs differ, and the pairs of the history.

    Users that are whole numbers, not far between, are numbered only when somebody asks for the pairs.
    """
    encoded = Late(lambda: encode(query))
    near = near_numbers(query)
    mark = encoded.value[1] if near is None else near
    if users := _users_in_order(mark, item):
        return users, True, Late(lambda: Pairs(*encoded.value, item))
    users = len(encoded.value[0]) if near is None else int(np.count_nonzero(np.bincount(near)))
    differ = not any_repeated_pair(mark, item, total)
    return users, differ, Late(lambda: Pairs(encoded.value[0], *_each_once(encoded.value[1], item, total)))


def _users_in_order(user: Ints, item: Ints) -> int:
    """How many users there are where pairs are sorted by user and item, each there once; 0 where they are not."""
    users = 1
    for first in range(0, len(user), ROWS_AT_ONCE):
        who, what = user[first : first + ROWS_AT_ONCE + 1], item[first : first + ROWS_AT_ONCE + 1]
        is_next = who[1:] > who[:-1]
        if not (is_next | ((who[1:] == who[:-1]) & (what[1:] > what[:-1]))).all():
            return 0
        users += int(np.count_nonzero(is_next))
    return users


def _each_once(user: Ints, item: Ints, total: int) -> tuple[Ints, Ints]:
    """Each pair once, sorted by user and item."""
    keys = pl.Series(user * total + item).sort(multithreaded=False).to_numpy()  # in half of NumPy's time
    return np.divmod(keys[np.append(True, keys[1:] > keys[:-1])], total)


def _padded(values: Any, total: int) -> Any:
    """Zeros for the items behind."""
    if len(values) == total:
        return values
    return np.concatenate([values, np.zeros(total - len(values), values.dtype)])


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
