"""From what was given to slates: one vocabulary of items for run, judgments, catalogue and history.

What is known beside judgments and run, the `Background`, is made once, and used for all queries or for one block of
them after another: items that only the run or the judgments name come behind, so the numbers of the others are the same
in every block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankmeter.arithmetic.slates import Items, Rows, Sets, Slates
from rankmeter.arithmetic.slates.listquality import is_among
from rankmeter.errors import MeasureError, warn
from rankmeter.inputs.tables import Judgments, Run
from rankmeter.late import Late, pl
from rankmeter.lists.catalogue import Catalogue, PastItems, possible_features
from rankmeter.measures import Measure
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.placing.matching import ROWS_AT_ONCE
from rankmeter.placing.numbering import encode, near_numbers, numbers_among
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import group_rows, is_rising, occurrences, offsets_of, row_changes
from rankmeter.placing.slates import FirstItems, Lists
from rankmeter.wording import said

NEEDS = {
    "judgments": "lists.needs_judgments",
    "catalogue": "lists.needs_catalogue",
    "history": "lists.needs_history",
    "popularity": "lists.needs_popularity",
    "users": "lists.needs_users",
    "features": "lists.needs_features",
    "distance": "lists.needs_distance",
    "segments": "lists.needs_segments",
}
"""What is said where a measure asks for what was not given; of anything else that it is a column of the catalogue."""


def check_needs(measures: Sequence[Measure], given: Given, *, has_segments: bool) -> None:
    """Refuse measures that ask for what was not given, and say what to pass."""
    for measure in measures:
        if not isinstance(measure, SlateMeasure):
            if given.judgments is None:
                raise _unmet(measure, "judgments", given)
            continue
        for need in measure.needed():
            if not (has_segments if need == "segments" else given.has(need)):
                raise _unmet(measure, need, given)


def _unmet(measure: Measure, need: str, given: Given) -> MeasureError:
    """What is said where a need is not met; of features also which columns of the catalogue they could be."""
    if need not in NEEDS:
        return MeasureError.of("lists.needs_column", measure=str(measure), column=need)
    error = MeasureError.of(NEEDS[need], measure=str(measure))
    columns = "" if need != "features" or given.catalogue is None else "+".join(possible_features(given.catalogue))
    if not columns or given.catalogue is None:
        return error
    named = {"catalogue.features": columns}
    return error.changed(hint=said("lists.name_features", source=given.catalogue.source, columns=named))


@dataclass(frozen=True, slots=True)
class Given:
    """What a call was given."""

    judgments: Judgments | None
    run: Run
    catalogue: Catalogue | None
    history: PastItems | None
    background: Background | None = None
    """Catalogue and history made ready, where block after block of one run is measured."""

    def has(self, need: str) -> bool:
        """Whether this is known."""
        c = self.catalogue
        if need in ("judgments", "catalogue", "history"):
            return getattr(self, need) is not None
        if need == "popularity":
            return self.history is not None or (c is not None and c.popularity is not None)
        if need == "users":
            return self.history is not None or (c is not None and c.popularity is not None and c.users is not None)
        if need == "distance":
            return c is not None and (c.similarity is not None or (c.distance is not None and c.features is not None))
        return c is not None and getattr(c, need) is not None


def shared_types(
    queries: pl.Series, returned: Sequence[pl.Series], catalogue: Catalogue | None, history: PastItems | None,
    judged: pl.Series | None = None,
) -> tuple[pl.DataType, pl.DataType]:  # fmt: skip
    """The types in which the ids of queries, and of items, are compared with all that is known of them."""
    users = [(said("the_run"), queries)]
    items = [(said("the_run"), column) for column in returned]
    if catalogue is not None:
        items.append((said("the_catalogue"), catalogue.items))
    if history is not None:
        items.append((said("the_history"), history.item))
        users.append((said("the_history"), history.query))
    if judged is not None:
        items.append((said("the_judgments"), judged))
    return shared_type(users, "query"), shared_type(items, "item")


def shared_type(columns: Sequence[tuple[str, pl.Series]], what: str) -> pl.DataType:
    """The type in which ids are compared: text where any are, and that is said once."""
    types = {column.dtype for _, column in columns if len(column)}
    if len(types) == 1:
        return types.pop()
    if pl.String in types:
        text = [name for name, column in columns if column.dtype == pl.String]
        others = [name for name, column in columns if len(column) and column.dtype != pl.String]
        warn(said("ids_as_text", role=what, numbers=list(dict.fromkeys(others)), text=list(dict.fromkeys(text))))
    return pl.String()


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
        cls, catalogue: Catalogue | None, history: PastItems | None, item_type: pl.DataType, measures: Sequence[Measure]
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
            taken = occurrences(code, total, np.float64)
            seen = taken > 0
            users, differ, pairs = _pairs_of(history.query, code, total)
            takers = taken if differ else occurrences(pairs.value.item, total, np.float64)
            if any(getattr(m, "source", "") == "history" for m in measures):
                each = pairs.value
                order, offsets = group_rows(each.item, total), offsets_of(np.bincount(each.item, minlength=total))
                takers_of = Sets(offsets, each.user[order], np.ones(len(each.user)), len(each.users))
        if catalogue is not None and catalogue.popularity is not None:
            taken = _with_zeros(catalogue.popularity, total)
            seen = taken > 0 if seen is None else seen
            if takers is None and catalogue.users is not None:
                takers, users = taken, float(catalogue.users)
        user_type = None if history is None else history.query.dtype
        return cls(catalogue, words.ids, taken, takers, users, seen, pairs, user_type, takers_of)

    def items(self, total: int) -> Items:
        """What is known of the items when there are ``total`` of them; nothing of those that came behind."""
        c = self.catalogue
        columns = self.taken, self.takers, self.seen
        taken, takers, seen = (None if column is None else _with_zeros(column, total) for column in columns)
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
    mark = encoded.value[1] if near is None else near[0]
    if users := _users_in_order(mark, item):
        return users, True, Late(lambda: Pairs(*encoded.value, item))
    keys = _sorted_keys(mark, item, total)
    differ = bool((keys[1:] != keys[:-1]).all())
    users = len(encoded.value[0]) if near is None else int(np.count_nonzero(row_changes(keys // total)))
    return users, differ, Late(lambda: Pairs(encoded.value[0], *_each_once(encoded.value[1], item, total)))


def _users_in_order(user: Ints, item: Ints) -> int:
    """How many users there are where pairs are sorted by user and item, each there once; 0 where they are not."""
    users = min(len(user), 1)
    for first in range(0, len(user), ROWS_AT_ONCE):
        who, what = user[first : first + ROWS_AT_ONCE + 1], item[first : first + ROWS_AT_ONCE + 1]
        is_next = who[1:] > who[:-1]
        if not (is_next | ((who[1:] == who[:-1]) & (what[1:] > what[:-1]))).all():
            return 0
        users += int(np.count_nonzero(is_next))
    return users


def _sorted_keys(user: Ints, item: Ints, total: int) -> Ints:
    """A number for each pair, in order: NumPy sorts with vector instructions, in a quarter of the time of a set."""
    keys = user * total + item
    keys.sort()
    return keys


def _each_once(user: Ints, item: Ints, total: int) -> tuple[Ints, Ints]:
    """Each pair once, sorted by user and item."""
    keys = _sorted_keys(user, item, total)
    return np.divmod(keys[np.append(True, keys[1:] > keys[:-1])], total)


def _with_zeros(values: Any, total: int) -> Any:
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


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that slates are made of, with ids turned into numbers."""

    items: Items
    vocabulary: Vocabulary
    at_hand: int
    """How many of the items catalogue, history and judgments have: the first ones, whatever lists are looked at."""
    people: Vocabulary
    """The queries."""
    judged: Rows | None
    history: Rows | None
    lists: dict[tuple[str, str], Lists]
    """By tie rule and treatment of duplicates."""

    def slates(self, order: tuple[str, str]) -> Slates:
        """The lists in one order, as deep as they were cut, each at the place of its query."""
        lists = self.lists[order]
        stairs = replace(lists.stairs, lists=self.people.find(lists.queries)[lists.stairs.lists])
        grade = None
        if self.judged is not None:
            is_judged, row = is_among(stairs.each(stairs.lists), stairs.item, self.judged, self.items.total)
            grade = np.full(len(stairs.item), np.nan)
            grade[is_judged] = self.judged.grade[row[is_judged]]
        places = max(len(stairs.reach), 1)
        return Slates(stairs, len(self.people), places, self.items, grade, self.judged, self.history)


def order_of(measure: SlateMeasure) -> tuple[str, str]:
    """What decides which lists a measure sees."""
    return measure.ties, measure.duplicate_policy


def cuts_of(measures: Sequence[SlateMeasure], run: Run) -> dict[tuple[str, str], FirstItems]:
    """How the first items are taken, once for each order that is asked for, as many as the deepest measure asks for."""
    groups: dict[tuple[str, str], list[int | None]] = {}
    for measure in measures:
        groups.setdefault(order_of(measure), []).append(measure.cutoff)
    # A run in which no repeated item was found has the same lists however they would be treated.
    for ties in {ties for ties, duplicates in groups if duplicates == "error"}:
        for key in [key for key in groups if key[0] == ties and key[1] != "error"]:
            groups[ties, "error"] += groups[key]
    cuts: dict[tuple[str, str], FirstItems] = {}
    for (ties, duplicates), cutoffs in sorted(groups.items(), key=lambda group: group[0][1] != "error"):
        deepest = None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
        same = cuts.get((ties, "error"))
        cuts[ties, duplicates] = same or FirstItems.of(run, k=deepest, ties=ties, duplicates=duplicates)
    return cuts


def ties_at(measures: Sequence[SlateMeasure], lists: Mapping[tuple[str, str], Lists]) -> dict[str, int]:
    """In how many lists a tie decides what a measure sees, by the words in which it is told."""
    counts = {}
    for measure in (measure for measure in measures if measure.sees_items):
        within = measure.sees_order
        key = f"ties {'within' if within else 'across'} {'' if measure.cutoff is None else measure.cutoff}"
        if key not in counts:
            counts[key] = lists[order_of(measure)].tied_at(measure.cutoff, within=within)
    return counts


def gather_material(given: Given, queries: pl.Series, measures: Sequence[SlateMeasure], *, sliced: bool) -> Material:
    """Number all items and put everything in the order of the queries."""
    truth = None if given.judgments is None else given.judgments.judgment_table()
    cuts, known = cuts_of(measures, given.run), given.background
    if known is None:
        returned = [cut.rows.item for cut in cuts.values()]
        judged_items = None if truth is None else truth.item
        user_type, item_type = shared_types(queries, returned, given.catalogue, given.history, judged_items)
        known = Background.of(given.catalogue, given.history, item_type, measures)
    else:  # what differs in type was said when it was made ready
        user_type = queries.dtype if known.user_type in (None, queries.dtype) else pl.String()
    people, words = Vocabulary(queries.cast(user_type)), Vocabulary(known.ids)
    judged_item = None if truth is None else words.add(truth.item)
    at_hand = len(words)
    lists: dict[tuple[str, str], Lists] = {}
    for key, cut in cuts.items():
        same = next((other for other in lists if cuts[other] is cut), None)
        lists[key] = lists[same] if same else cut.lists(words.add)
    judged = None
    if truth is not None and judged_item is not None:
        query, item = people.find(truth.query), judged_item
        order = np.lexsort((item, query))
        order = order[query[order] >= 0]
        judged = Rows.of(query[order], item[order], truth.grade.to_numpy()[order], len(queries))
    compared = any(measure.sees_history or "history" in measure.needed() for measure in measures)
    looked_at = given.judgments is not None or compared or sliced
    history = known.histories(people, len(queries)) if looked_at else None
    return Material(known.items(len(words)), words, at_hand, people, judged, history, lists)
