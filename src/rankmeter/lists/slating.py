"""From what was given to slates: one vocabulary of items for run, judgments, catalogue and history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmeter.arithmetic.slates import Items, Rows, Slates
from rankmeter.arithmetic.slates.listquality import is_among
from rankmeter.errors import MeasureError, warn
from rankmeter.inputs.tables import Judgments, Run
from rankmeter.late import pl
from rankmeter.lists.background import Background, Vocabulary
from rankmeter.lists.catalogue import Catalogue, History, possible_features
from rankmeter.measures import Measure
from rankmeter.measures.slate_base import SlateMeasure
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


def shared_types(
    queries: pl.Series, returned: Sequence[pl.Series], catalogue: Catalogue | None, history: History | None,
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


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that slates are made of, with ids turned into numbers."""

    items: Items
    vocabulary: Vocabulary
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


def gather(given: Given, queries: pl.Series, measures: Sequence[SlateMeasure], *, sliced: bool) -> Material:
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
    lists: dict[tuple[str, str], Lists] = {}
    for key, cut in cuts.items():
        same = next((other for other in lists if cuts[other] is cut), None)
        lists[key] = lists[same] if same else cut.lists(words.add)
    judged = None
    if truth is not None:
        query, item = people.find(truth.query), words.add(truth.item)
        order = np.lexsort((item, query))
        order = order[query[order] >= 0]
        judged = Rows.of(query[order], item[order], truth.grade.to_numpy()[order], len(queries))
    compared = any(measure.sees_history or "history" in measure.needed() for measure in measures)
    looked_at = given.judgments is not None or compared or sliced
    history = known.histories(people, len(queries)) if looked_at else None
    return Material(known.items(len(words)), words, people, judged, history, lists)
