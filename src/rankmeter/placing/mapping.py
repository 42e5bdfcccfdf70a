"""Placing from mappings: ``{query: {item: score}}`` against ``{query: {item: grade}}``, without making a table.

The only Python work per query is one intersection of keys; scores of all queries are read in one go.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from typing import Any

import numpy as np
import polars as pl

from rankmeter.errors import InputError, RankmeterWarning, examples, with_hint
from rankmeter.placing.counting import place
from rankmeter.placing.placements import Floats, Ints, Placements, Plan
from rankmeter.placing.segments import offsets_of, sort_descending
from rankmeter.placing.unreturned import with_unreturned

Query = str | int
Item = str | int
DEEP = 4
"""How many times fewer judgments than returned items there must be for looking up the judgments instead."""
Graded = Mapping[Query, Mapping[Item, float]]
Scored = Mapping[Query, Mapping[Item, float]]


@dataclass(frozen=True, slots=True)
class _Hits:
    """The judged items that were returned, query by query."""

    segment: Ints
    """The query of each."""
    grade: Floats
    row: Ints | None
    """Where each stands among all scores; None where only its score is known."""
    items: list[Item]
    """Its id, where its row is not known."""
    scores: Floats

    def score(self, scores: Floats) -> Floats:
        """The score of each."""
        return self.scores if self.row is None else scores[self.row]


def place_mappings(
    judgments: Graded, run: Scored, plan: Plan, *, scored: bool = True
) -> tuple[list[Query], Placements, float]:
    """Place a run; returns the ids of the queries, where their judged items stand, and the highest grade."""
    judged = list(judgments)
    strangers = [query for query in run if query not in judgments]
    queries = judged + strangers
    nothing: Mapping[Item, float] = {}
    lists = [run.get(query, nothing) for query in queries]
    returned = np.fromiter(map(len, lists), np.int64, len(lists))
    offsets = offsets_of(returned)
    scores = read_numbers(lists, int(offsets[-1]), "score", "run", queries)
    graded = [judgments[query] for query in judged]
    sizes = np.fromiter(map(len, graded), np.int64, len(graded))
    grades = read_numbers(graded, int(sizes.sum()), "grade", "judgments", queries)
    best, best_sizes = _best(grades, sizes, plan.lowest_grade)
    hits = _hits(graded, lists, offsets, plan.lowest_grade)
    places = place(
        scores,
        offsets,
        hits.segment,
        hits.score(scores),
        plan,
        rows=hits.row,
        rows_of=_rows_of(lists, offsets, hits),
        ids_of=_ids_of(lists, offsets),
    )
    segment = hits.segment
    columns: dict[str, Any] = {
        "query": segment,
        "grade": hits.grade,
        "above": places.above,
        "tied": places.tied,
        "higher_id": places.higher_id,
        "earlier": places.earlier,
        "score": hits.score(scores) if scored else np.full(len(segment), np.nan),
    }
    if plan.unreturned:
        columns = with_unreturned(columns, returned, **_unreturned(graded, lists))
    placements = Placements(
        returned=returned,
        in_run=np.fromiter(map(run.__contains__, queries), np.bool_, len(queries)),
        is_judged=np.arange(len(queries)) < len(judged),
        best_offsets=offsets_of(np.concatenate([best_sizes, np.zeros(len(strangers), np.int64)])),
        best=best,
        **columns,
    )
    return queries, placements, float(grades.max(initial=0.0))


def _unreturned(graded: Sequence[Mapping[Item, float]], lists: Sequence[Mapping[Item, float]]) -> dict[str, Any]:
    rows = [
        (number, judged[item], str(item))
        for number, (judged, listed) in enumerate(zip(graded, lists, strict=False))
        for item in judged
        if item not in listed
    ]
    return {
        "query": np.array([row[0] for row in rows], np.int64),
        "grade": np.array([row[1] for row in rows], np.float64),
        "items": pl.Series([row[2] for row in rows], dtype=pl.String),
    }


def _best(grades: Floats, sizes: Ints, lowest: float) -> tuple[Floats, Ints]:
    """The grades that count, highest first within each query, and how many each query has."""
    kept = grades >= lowest
    if not kept.all():
        total = np.concatenate([[0], np.cumsum(kept)])
        offsets = offsets_of(sizes)
        sizes = total[offsets[1:]] - total[offsets[:-1]]
        grades = grades[kept]
    return sort_descending(grades, offsets_of(sizes)), sizes


def _hits(
    graded: Sequence[Mapping[Item, float]], lists: Sequence[Mapping[Item, float]], offsets: Ints, lowest: float
) -> _Hits:
    """Look up the shorter side in the longer one."""
    judged, listed = sum(map(len, graded)), sum(map(len, lists[: len(graded)]))
    if judged * DEEP < listed:
        return _judged_in_lists(graded, lists, lowest)
    return _listed_in_judgments(graded, lists, offsets, listed, lowest)


def _listed_in_judgments(
    graded: Sequence[Mapping[Item, float]],
    lists: Sequence[Mapping[Item, float]],
    offsets: Ints,
    total: int,
    lowest: float,
) -> _Hits:
    """The grade of every returned item, read in one go; those that have one are the hits."""
    looked_up = (map(judged.get, listed, repeat(np.nan)) for judged, listed in zip(graded, lists, strict=False))
    grade = np.fromiter(chain.from_iterable(looked_up), np.float64, total)
    row = np.flatnonzero(grade >= lowest)
    segment = np.searchsorted(offsets, row, side="right") - 1
    return _Hits(segment, grade[row], row, [], grade[:0])


def _judged_in_lists(
    graded: Sequence[Mapping[Item, float]], lists: Sequence[Mapping[Item, float]], lowest: float
) -> _Hits:
    """The score of every judged item that was returned; where it stands is found by counting."""
    items: list[Item] = []
    counts = np.zeros(len(graded), np.int64)
    grades: list[float] = []
    scores: list[float] = []
    for number, (judged, listed) in enumerate(zip(graded, lists, strict=False)):
        both = judged.keys() & listed.keys()
        if not both:
            continue
        if lowest > -np.inf:
            both = [item for item in both if judged[item] >= lowest]  # type: ignore[assignment]
        counts[number] = len(both)
        items.extend(both)
        grades.extend(map(judged.__getitem__, both))
        scores.extend(map(listed.__getitem__, both))
    segment = np.repeat(np.arange(len(graded)), counts)
    return _Hits(segment, np.array(grades, np.float64), None, items, np.array(scores, np.float64))


def _rows_of(lists: Sequence[Mapping[Item, float]], offsets: Ints, hits: _Hits) -> Callable[[Ints], Ints]:
    """A function that finds the rows of some hits; only queries with a tie are ever searched."""
    if hits.row is not None:
        known = hits.row
        return lambda some: known[some]

    def rows_of(some: Ints) -> Ints:
        rows = np.empty(len(some), np.int64)
        current, number = -1, {}
        for at, hit in enumerate(some.tolist()):
            if hits.segment[hit] != current:
                current = int(hits.segment[hit])
                number = dict(zip(lists[current], range(len(lists[current])), strict=True))
            rows[at] = offsets[current] + number[hits.items[hit]]
        return rows

    return rows_of


def _ids_of(lists: Sequence[Mapping[Item, float]], offsets: Ints) -> Callable[[Ints], pl.Series]:
    def ids_of(positions: Ints) -> pl.Series:
        owner = np.searchsorted(offsets, positions, side="right") - 1
        ids: list[str] = []
        bounds = np.flatnonzero(np.diff(owner, prepend=-1, append=len(lists)))
        for first, last in pairwise(bounds.tolist()):
            query = int(owner[first])
            keys = list(lists[query])
            ids.extend(str(keys[place_]) for place_ in (positions[first:last] - offsets[query]).tolist())
        return pl.Series(ids, dtype=pl.String)

    return ids_of


def read_numbers(
    lists: Iterable[Mapping[Item, Any]], total: int, what: str, source: str, queries: Sequence[Query]
) -> Floats:
    """All values of some mappings as one array; refuse what is not a number, naming where it stands."""
    lists = list(lists)
    try:
        numbers = np.fromiter(chain.from_iterable(one.values() for one in lists), np.float64, total)
    except (TypeError, ValueError):
        numbers = None
    if numbers is not None and not np.isnan(numbers).any():
        return numbers
    wrong = [
        f"{value!r} (query {query}, item {item})"
        for query, one in zip(queries, lists, strict=False)
        for item, value in one.items()
        if not _is_number(value)
    ]
    raise InputError(f"{source}: a {what} is not a number: {examples(wrong)}. Nothing was evaluated.")


def _is_number(value: object) -> bool:
    try:
        return not np.isnan(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False


def same_id_types(judgments: Graded, run: Scored) -> tuple[Graded, Scored]:
    """Compare ids as text where some are numbers and some text, and say so once."""
    if len(_kinds(judgments) | _kinds(run)) > 1:
        _say_as_text("query")
        judgments, run = _keys_as_text(judgments, "query"), _keys_as_text(run, "query")
    kinds: set[type] = set()
    for side in (judgments, run):
        for one in side.values():
            kinds |= _first_and_last(one)
    if len(kinds) > 1:
        _say_as_text("item")
        judgments = {query: _keys_as_text(one, "item") for query, one in judgments.items()}
        run = {query: _keys_as_text(one, "item") for query, one in run.items()}
    return judgments, run


def _kinds(mapping: Mapping[Any, Any]) -> set[type]:
    """Text or number: the kinds of all ids."""
    return {str if issubclass(kind, str) else int for kind in set(map(type, mapping))}


def _first_and_last(mapping: Mapping[Any, Any]) -> set[type]:
    """The kinds of the first and the last id of a query: one list mixes kinds only by mistake."""
    if not mapping:
        return set()
    ends = (type(next(iter(mapping))), type(next(reversed(mapping))))
    return {str if issubclass(kind, str) else int for kind in ends}


def _say_as_text(what: str) -> None:
    warnings.warn(
        f"{what} ids are numbers on one side and text on the other; they are compared as text.",
        RankmeterWarning,
        stacklevel=4,
    )


def _keys_as_text(mapping: Mapping[Any, Any], what: str) -> dict[Any, Any]:
    text = {str(key): value for key, value in mapping.items()}
    if len(text) != len(mapping):
        fact = f"some {what} ids differ as numbers and text but not as text (1 and '1')."
        raise InputError(with_hint(fact, "use one type of id"))
    return text
