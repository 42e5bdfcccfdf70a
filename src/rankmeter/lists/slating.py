"""From what was given to slates: one vocabulary of items for run, judgments, catalogue and history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankmeter.arithmetic.slates import Items, Rows, Slates
from rankmeter.arithmetic.slates.listquality import is_among
from rankmeter.errors import MeasureError, warn
from rankmeter.inputs.sources import AnyJudgments, AnyRun
from rankmeter.late import pl
from rankmeter.lists.background import Background, Vocabulary
from rankmeter.lists.catalogue import Catalogue, History, possible_features
from rankmeter.measures import Measure
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.placing.placements import Ints
from rankmeter.placing.segments import as_rows
from rankmeter.placing.slates import Lists, first_items
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

    judgments: AnyJudgments | None
    run: AnyRun
    catalogue: Catalogue | None
    history: History | None
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


def shared_type(columns: Mapping[str, pl.Series], what: str) -> pl.DataType:
    """The type in which ids are compared: text where any are, and that is said once."""
    types = {column.dtype for column in columns.values() if len(column)}
    if len(types) == 1:
        return types.pop()
    if pl.String in types:
        text = [name for name, column in columns.items() if column.dtype == pl.String]
        others = [name for name, column in columns.items() if len(column) and column.dtype != pl.String]
        warn(said("ids_as_text", role=what, numbers=others, text=text))
    return pl.String()


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that slates are made of, with ids turned into numbers."""

    items: Items
    vocabulary: Vocabulary
    judged: Rows | None
    history: Rows | None
    lists: dict[tuple[str, str], tuple[Ints, Ints, Ints]]
    """By tie rule and treatment of duplicates: the query of each list, where its items start, the items."""
    queries: int

    def slates(self, order: tuple[str, str]) -> Slates:
        """The lists in one order, as deep as they were cut."""
        codes = _matrix(*self.lists[order], self.queries)
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


def ties_at(measures: Sequence[SlateMeasure], lists: Mapping[tuple[str, str], Lists]) -> dict[str, int]:
    """In how many lists a tie decides what a measure sees, by the words in which it is told."""
    found = {}
    for measure in (measure for measure in measures if measure.sees_items):
        within = measure.sees_order
        key = f"ties {'within' if within else 'across'} {'' if measure.cutoff is None else measure.cutoff}"
        if key not in found:
            found[key] = lists[order_of(measure)].tied_at(measure.cutoff, within=within)
    return found


def gather(
    given: Given,
    lists: Mapping[tuple[str, str], Lists],
    queries: pl.Series,
    measures: Sequence[Measure],
    *,
    sliced: bool,
) -> Material:
    """Number all items and put everything in the order of the queries."""
    truth = None if given.judgments is None else given.judgments.judgment_table()
    columns: dict[str, pl.Series] = {f"the run ({ties})": one.item for (ties, _), one in lists.items()}
    users: dict[str, pl.Series] = {"the run": queries}
    if given.catalogue is not None:
        columns["the catalogue"] = given.catalogue.items
    if given.history is not None:
        columns["the history"] = given.history.item
        users["the history"] = given.history.query
    if truth is not None:
        columns["the judgments"] = truth.item
    people = Vocabulary(queries.cast(_query_type(given, users)))
    known = given.background
    if known is None:
        known = Background.of(given.catalogue, given.history, shared_type(columns, "item"), measures)
    words = Vocabulary(known.ids)
    numbered: dict[tuple[str, str], tuple[Ints, Ints, Ints]] = {}
    for key, one in lists.items():
        same = next((other for other in numbered if lists[other] is one), None)
        numbered[key] = numbered[same] if same else (people.find(one.queries), one.offsets, one.numbered(words.add))
    judged = (
        None if truth is None else _judged(people.find(truth.query), words.add(truth.item), truth.grade, len(queries))
    )
    looked_at = given.judgments is not None or any(_looks_at_histories(m) for m in measures) or sliced
    history = known.histories(people, len(queries)) if looked_at else None
    return Material(known.items(len(words)), words, judged, history, numbered, len(queries))


def _query_type(given: Given, users: Mapping[str, pl.Series]) -> pl.DataType:
    known = given.background
    if known is None:
        return shared_type(users, "query")
    everyone, queries = known.everyone, users["the run"]  # what differs in type was said when it was made ready
    return pl.String() if everyone is not None and everyone.dtype != queries.dtype else queries.dtype


def _matrix(query: Ints, offsets: Ints, item: Ints, queries: int) -> Ints:
    """(queries, k) the items of each list; -1 behind its end."""
    sizes = np.diff(offsets)
    rows = as_rows(item, sizes, max(int(sizes.max(initial=0)), 1), -1)
    if len(query) == queries and (query == np.arange(queries)).all():
        return rows
    codes = np.full((queries, rows.shape[1]), -1, np.int64)
    codes[query] = rows
    return codes


def _judged(query: Ints, item: Ints, grade: pl.Series, queries: int) -> Rows:
    order = np.lexsort((item, query))
    order = order[query[order] >= 0]
    return Rows.of(query[order], item[order], grade.to_numpy()[order], queries)


def _looks_at_histories(measure: Measure) -> bool:
    """Whether a measure compares a list with its own user's history."""
    return isinstance(measure, SlateMeasure) and (measure.sees_history or "history" in measure.needed())
