"""Placing from mappings: ``{query: {item: score}}`` against ``{query: {item: grade}}``, without making a table.

The only Python work per query is one intersection of keys; scores of all queries are read in one go.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
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
Graded = Mapping[Query, Mapping[Item, float]]
Scored = Mapping[Query, Mapping[Item, float]]


@dataclass(frozen=True, slots=True)
class _Hits:
    """The judged items that were returned, query by query."""

    counts: Ints
    items: list[Item]
    grade: Floats
    score: Floats


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
    hits = _intersect(graded, lists, plan.lowest_grade)
    segment = np.repeat(np.arange(len(graded)), hits.counts)
    places = place(
        scores,
        offsets,
        segment,
        hits.score,
        plan,
        rows_of=_rows_of(lists, offsets, segment, hits.items),
        ids_of=_ids_of(lists, offsets),
    )
    columns: dict[str, Any] = {
        "query": segment,
        "grade": hits.grade,
        "above": places.above,
        "tied": places.tied,
        "higher_id": places.higher_id,
        "earlier": places.earlier,
        "score": hits.score if scored else np.full(len(segment), np.nan),
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


def _intersect(graded: Sequence[Mapping[Item, float]], lists: Sequence[Mapping[Item, float]], lowest: float) -> _Hits:
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
    return _Hits(counts, items, np.array(grades, np.float64), np.array(scores, np.float64))


def _rows_of(
    lists: Sequence[Mapping[Item, float]], offsets: Ints, segment: Ints, items: list[Item]
) -> Callable[[Ints], Ints]:
    """A function that finds the positions of some hits; only queries with a tie are ever searched."""

    def rows_of(some: Ints) -> Ints:
        rows = np.empty(len(some), np.int64)
        current, number = -1, {}
        for at, hit in enumerate(some.tolist()):
            if segment[hit] != current:
                current = int(segment[hit])
                number = dict(zip(lists[current], range(len(lists[current])), strict=True))
            rows[at] = offsets[current] + number[items[hit]]
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
    """Compare ids as text where one side has numbers and the other text, and say so once."""
    for what, left, right in (
        ("query", judgments, run),
        ("item", next(filter(None, judgments.values()), {}), next(filter(None, run.values()), {})),
    ):
        kinds = {type(next(iter(side))) for side in (left, right) if side}
        if str in kinds and len(kinds) > 1:
            warnings.warn(
                f"{what} ids are numbers on one side and text on the other; they are compared as text.",
                RankmeterWarning,
                stacklevel=2,
            )
            return _as_text(judgments, what), _as_text(run, what)
    return judgments, run


def _as_text(mapping: Mapping[Any, Mapping[Any, float]], what: str) -> dict[Any, Any]:
    if what == "query":
        return _keys_as_text(mapping, "query")
    return {query: _keys_as_text(one, "item") for query, one in mapping.items()}


def _keys_as_text(mapping: Mapping[Any, Any], what: str) -> dict[str, Any]:
    text = {str(key): value for key, value in mapping.items()}
    if len(text) != len(mapping):
        fact = f"some {what} ids differ as numbers and text but not as text (1 and '1')."
        raise InputError(with_hint(fact, "use one type of id"))
    return text
