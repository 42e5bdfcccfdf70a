"""From what was given to slates: one vocabulary of items for run, judgments, catalogue and history."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.arithmetic.slates import Items, Rows, Sets, Slates
from rankmeter.arithmetic.slates.listquality import is_among
from rankmeter.errors import MeasureError, RankmeterWarning, with_hint
from rankmeter.inputs.sources import AnyJudgments, AnyRun
from rankmeter.late import pl
from rankmeter.lists.catalogue import Catalogue, History
from rankmeter.measures import Measure
from rankmeter.measures.slates import SlateMeasure
from rankmeter.placing import judgments_table
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.placing.segments import group_rows, offsets_of
from rankmeter.placing.slates import Lists, first_items
from rankmeter.placing.table import encode

FEW_IDS = 5_000
"""Up to how many ids are looked up one by one."""

_ITEMS = "catalogue=rankmeter.Catalogue(items=..., {0}=...) (in a file or frame: a column {0})"
NEEDS = {
    "judgments": ("to know which items are relevant", "evaluate(judgments, run, ...): truth first"),
    "catalogue": (
        "to know the items that could be recommended",
        "catalogue= a list of ids, a frame, a file, or rankmeter.Catalogue(items=...)",
    ),
    "history": ("to know what users took before", "history= {user: [items]}, a frame or a file of interactions"),
    "popularity": (
        "to know how often items were taken",
        f"history= the interactions, or {_ITEMS.format('popularity')}",
    ),
    "users": (
        "to know how many users took an item",
        "history= the interactions, or catalogue=rankmeter.Catalogue(items=..., popularity=..., users=...)",
    ),
    "features": ("a vector for each item", _ITEMS.format("features")),
    "categories": ("the categories of the items", _ITEMS.format("categories")),
    "values": ("what the items are worth", _ITEMS.format("values")),
    "margins": ("the margins of the items", _ITEMS.format("margins")),
    "groups": ("the groups of the items", _ITEMS.format("groups")),
    "distance": ("a similarity or a distance of items", _ITEMS.format("similarity")),
    "segments": ("the segments of the users", "by= {user: segment}, or a frame or file with a column for them"),
}
"""What a measure can ask for: why, and what to pass."""


def check_needs(measures: Sequence[Measure], given: Given, *, has_segments: bool) -> None:
    """Refuse measures that ask for what was not given, and say what to pass."""
    for measure in measures:
        if not isinstance(measure, SlateMeasure):
            if given.judgments is None:
                raise MeasureError(with_hint(f"{measure} needs judgments.", NEEDS["judgments"][1]))
            continue
        for need in measure.needed():
            if not (has_segments if need == "segments" else given.has(need)):
                why, what = NEEDS[need]
                raise MeasureError(with_hint(f"{measure} needs {why}.", f"pass {what}"))


@dataclass(frozen=True, slots=True)
class Given:
    """What a call was given."""

    judgments: AnyJudgments | None
    run: AnyRun
    catalogue: Catalogue | None
    history: History | None

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


class Vocabulary:
    """Numbers for ids, given in the order in which they come."""

    def __init__(self, dtype: pl.DataType) -> None:
        self.dtype = dtype
        self.ids = pl.Series("id", [], dtype=dtype)
        self._few: dict[Any, int] | None = {}
        """The same as a dict while there are few ids, for which a join would be slow."""

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, ids: pl.Series) -> Ints:
        """The number of each id; new ones get new numbers."""
        codes = self.find(ids)
        unknown = codes < 0
        if unknown.any():
            fresh = ids.cast(self.dtype).filter(pl.Series(unknown))
            first = len(self)
            new = (
                pl.Series(list(dict.fromkeys(fresh)), dtype=self.dtype)
                if len(fresh) < FEW_IDS
                else fresh.unique(maintain_order=True)
            )
            self.ids = pl.concat([self.ids, new.alias("id")], rechunk=True)
            self._few = {one: number for number, one in enumerate(self.ids)} if len(self) < FEW_IDS else None
            codes[unknown] = first + Vocabulary._of(new).find(fresh)
        return codes

    def _table(self) -> Ints | None:
        """For whole numbers that are not far between: the number of each id at its own place."""
        if self.dtype not in (pl.Int64, pl.UInt64):
            return None
        known = self.ids.to_numpy()
        if known.min() < 0 or known.max() > 8 * len(known) + 1_000_000:
            return None
        table = np.full(int(known.max()) + 1, -1, np.int64)
        table[known] = np.arange(len(known))
        return table

    @classmethod
    def _of(cls, ids: pl.Series) -> Vocabulary:
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
            inside = (asked >= 0) & (asked < len(numbers))
            return np.where(inside, numbers[np.where(inside, asked, 0)], -1)
        known = pl.DataFrame({"id": self.ids, "code": np.arange(len(self))})
        found = pl.DataFrame({"id": ids}).join(known, on="id", how="left", maintain_order="left")["code"]
        return found.fill_null(-1).to_numpy().astype(np.int64)


def shared_type(columns: Mapping[str, pl.Series], what: str) -> pl.DataType:
    """The type in which ids are compared: text where any are, and that is said once."""
    types = {column.dtype for column in columns.values() if len(column)}
    if len(types) == 1:
        return types.pop()
    if pl.String in types:
        text = [name for name, column in columns.items() if column.dtype == pl.String]
        others = [name for name, column in columns.items() if len(column) and column.dtype != pl.String]
        warnings.warn(
            f"{what} ids are text in {' and '.join(text)} and numbers in {' and '.join(others)}; "
            "they are compared as text.",
            RankmeterWarning,
            stacklevel=2,
        )
    return pl.String()


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that slates are made of, with ids turned into numbers."""

    items: Items
    vocabulary: Vocabulary
    judged: Rows | None
    history: Rows | None
    lists: dict[tuple[str, str], tuple[Ints, Ints, Ints]]
    """By tie rule and treatment of duplicates: the query of each row, its place, its item."""
    queries: int

    def slates(self, order: tuple[str, str]) -> Slates:
        """The lists in one order, as deep as they were cut."""
        query, place, item = self.lists[order]
        codes = np.full((self.queries, max(int(place.max(initial=-1)) + 1, 1)), -1, np.int64)
        codes[query, place] = item
        grades = None
        if self.judged is not None:
            found, row = is_among(codes, self.judged, self.items.total)
            grades = np.full(codes.shape, np.nan)
            grades[found] = self.judged.grade[row[found]]
        return Slates(codes, self.items, grades, self.judged, self.history)


def order_of(measure: SlateMeasure) -> tuple[str, str]:
    """What decides which lists a measure sees."""
    return measure.ties, measure.duplicates or measure.default_duplicates


def lists_of(measures: Sequence[SlateMeasure], run: AnyRun) -> dict[tuple[str, str], Lists]:
    """The first items of every query, once for each order that is asked for, as deep as the deepest asks."""
    groups: dict[tuple[str, str], list[int | None]] = {}
    for measure in measures:
        groups.setdefault(order_of(measure), []).append(measure.cutoff)
    # A run in which no repeated item was found has the same lists however they would be treated.
    for ties in {ties for ties, duplicates in groups if duplicates == "error"}:
        for key in [key for key in groups if key[0] == ties and key[1] != "error"]:
            groups[ties, "error"] += groups[key]
    made: dict[tuple[str, str], Lists] = {}
    for (ties, duplicates), cutoffs in sorted(groups.items(), key=lambda group: group[0][1] != "error"):
        deepest = None if None in cutoffs else max(cutoff for cutoff in cutoffs if cutoff is not None)
        same = made.get((ties, "error"))
        made[ties, duplicates] = same or first_items(run, k=deepest, ties=ties, duplicates=duplicates)
    return made


def gather(
    given: Given,
    lists: Mapping[tuple[str, str], Lists],
    queries: pl.Series,
    measures: Sequence[Measure],
    *,
    sliced: bool,
) -> Material:
    """Number all items and put everything in the order of the queries."""
    truth = None if given.judgments is None else judgments_table(given.judgments)
    columns: dict[str, pl.Series] = {f"the run ({ties})": one.item for (ties, _), one in lists.items()}
    users: dict[str, pl.Series] = {"the run": queries}
    if given.catalogue is not None:
        columns["the catalogue"] = given.catalogue.items
    if given.history is not None:
        columns["the history"] = given.history.item
        users["the history"] = given.history.query
    if truth is not None:
        columns["the judgments"] = truth.item
    words = Vocabulary(shared_type(columns, "item"))
    people = Vocabulary(shared_type(users, "query"))
    people.add(queries)
    listed = 0 if given.catalogue is None else len(words.add(given.catalogue.items))
    taken = None if given.history is None else words.add(given.history.item)
    numbered: dict[tuple[str, str], tuple[Ints, Ints, Ints]] = {}
    for key, one in lists.items():
        same = next((other for other in numbered if lists[other] is one), None)
        numbered[key] = numbered[same] if same else (*_placed(one, people), words.add(one.item))
    judged = (
        None if truth is None else _judged(people.find(truth.query), words.add(truth.item), truth.grade, len(queries))
    )
    items, history = _known_items(given, taken, people, len(words), listed, len(queries), measures, sliced=sliced)
    return Material(items, words, judged, history, numbered, len(queries))


def _placed(lists: Lists, people: Vocabulary) -> tuple[Ints, Ints]:
    """The query and the place of each row."""
    sizes = np.diff(lists.offsets)
    query = np.repeat(people.find(lists.queries), sizes)
    return query, np.arange(len(query)) - np.repeat(lists.offsets[:-1], sizes)


def _judged(query: Ints, item: Ints, grade: pl.Series, queries: int) -> Rows:
    order = np.lexsort((item, query))
    order = order[query[order] >= 0]
    sizes = np.bincount(query[order], minlength=queries).astype(np.int64)
    return Rows(offsets_of(sizes), item[order], grade.to_numpy()[order])


def _known_items(
    given: Given,
    taken: Ints | None,
    people: Vocabulary,
    total: int,
    listed: int,
    queries: int,
    measures: Sequence[Measure],
    *,
    sliced: bool,
) -> tuple[Items, Rows | None]:
    """Popularity and the descriptions of items, and the history of the queries."""
    c = given.catalogue
    counts: Floats | None = None
    takers: Floats | None = None
    seen: Bools | None = None
    users, history, takers_of = 0.0, None, None
    if given.history is not None and taken is not None:
        counts = np.bincount(taken, minlength=total).astype(np.float64)
        seen = counts > 0
        everyone, code = encode(given.history.query)
        pairs = np.sort(code.astype(np.int64) * total + taken)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # np.unique hashes, which takes ten times as long
        user, item = pairs // total, pairs % total
        takers, users = np.bincount(item, minlength=total).astype(np.float64), float(len(everyone))
        if given.judgments is not None or any(_looks_at_histories(m) for m in measures) or sliced:
            history = _histories(people.find(everyone), user, item, queries)
        if any(getattr(m, "source", "") == "history" for m in measures):
            takers_of = _takers(user, item, total, len(everyone))
    if c is not None and c.popularity is not None:
        counts = np.concatenate([c.popularity, np.zeros(total - listed)])
        seen = counts > 0 if seen is None else seen
        if takers is None and c.users is not None:
            takers, users = counts, float(c.users)
    if c is None:
        return Items(listed, total, counts, takers, users, seen, takers_of=takers_of), history
    return (
        Items(
            listed, total, counts, takers, users, seen, c.features, c.categories, c.values, c.margins, c.groups,
            c.group_names, _distance(c), takers_of,
        ),
        history,
    )  # fmt: skip


def _looks_at_histories(measure: Measure) -> bool:
    """Whether a measure compares a list with its own user's history."""
    needed = measure.needed() if isinstance(measure, SlateMeasure) else ()
    return "history" in needed or type(measure).name == "PopRSP"


def _histories(row: Ints, user: Ints, item: Ints, queries: int) -> Rows:
    """The items of each query that has a history, sorted by query and item."""
    query = row[user]
    inside = query >= 0
    query, item = query[inside], item[inside]
    if (np.diff(query) < 0).any():
        order = group_rows(query, queries)
        query, item = query[order], item[order]
    sizes = np.bincount(query, minlength=queries).astype(np.int64)
    return Rows(offsets_of(sizes), item, np.ones(len(item)))


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
        found = np.asarray(function(features[left], features[right]), np.float64)
        if found.shape != left.shape:
            raise MeasureError(
                f"the catalogue's distance returned an array of shape {found.shape} for {len(left):,} pairs; "
                "expected one number for each."
            )
        return found

    return from_function
