"""Placing from mappings: ``{query: {item: score}}`` against ``{query: {item: grade}}``, without making a table.

The only Python work per query is one intersection of keys; scores of all queries are read in one go.
"""

from __future__ import annotations

import struct
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from operator import attrgetter, methodcaller
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import warn
from rankmeter.inputs.ids import are_mixed, refuse_same_text
from rankmeter.inputs.mappings import (
    GradedMapping,
    Item,
    Query,
    RankedLists,
    ScoredMapping,
    numbers,
    refuse_other_than_floats,
)
from rankmeter.late import pl
from rankmeter.placing.counting import Keys, place, short_text_as_numbers
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Plan
from rankmeter.placing.segments import expand, offsets_of, sort_descending
from rankmeter.placing.unreturned import with_unreturned
from rankmeter.wording import said

DEEP = 4
"""How many times fewer judgments than returned items there must be for looking up the judgments instead."""
NO_GRADE = 255
"""Stands for no judgment where grades are bytes."""
SPARSE = 8
"""From how many counts of a grade in a query for each judgment on the grades are sorted in place of counted."""
LONG = 50
"""From how many items a list on (on average) its scores are written in one go."""
_values = methodcaller("values")
Graded = Mapping[Query, Mapping[Item, float]]
Scored = Mapping[Query, Mapping[Item, float]]


@dataclass(frozen=True, slots=True)
class JudgedMapping:
    """The judgments of some queries, read once for any number of runs."""

    graded: Sequence[Mapping[Item, float]]
    grades: npt.NDArray[np.uint8] | Floats
    """The grades of all queries, one after another; as bytes where they are whole and below `NO_GRADE`."""
    offsets: Ints
    best: Floats
    """The grades that count, highest first within each query."""
    best_sizes: Ints
    highest: float

    @classmethod
    def read(cls, queries: Sequence[Query], graded: Sequence[Mapping[Item, float]], lowest: float) -> JudgedMapping:
        """Read the judgments of some queries; grades below the lowest do not count."""
        sizes = np.fromiter(map(len, graded), np.int64, len(graded))
        codes = _as_bytes(map(_values, graded))
        if codes is None or codes.max(initial=0) == NO_GRADE:
            grades = numbers(graded, "grade", "judgments", queries)
            best, best_sizes = _best(grades, sizes, lowest)
            return cls(graded, grades, offsets_of(sizes), best, best_sizes, float(grades.max(initial=0.0)))
        best, best_sizes = _best_of_codes(codes, sizes, lowest)
        return cls(graded, codes, offsets_of(sizes), best, best_sizes, float(codes.max(initial=0)))

    def some(self, numbers: Sequence[int]) -> JudgedMapping:
        """The judgments of some of the queries, by their numbers, in this order."""
        chosen = np.array(numbers, np.int64)
        sizes, best_offsets = np.diff(self.offsets)[chosen], offsets_of(self.best_sizes)
        return JudgedMapping(
            list(map(self.graded.__getitem__, numbers)),
            self.grades[expand(self.offsets[chosen], sizes)],
            offsets_of(sizes),
            self.best[expand(best_offsets[chosen], self.best_sizes[chosen])],
            self.best_sizes[chosen],
            self.highest,
        )


@dataclass(frozen=True, slots=True)
class _Hits:
    """The judged items that were returned, query by query."""

    segment: Ints
    """The query of each."""
    grade: Floats
    row: Ints | None
    """Where each stands among all scores; None where only its score is known."""
    judgment: Ints
    """Where each stands among all judgments, where its row is not known."""
    scores: Floats

    def score(self, scores: Floats) -> Floats:
        """The score of each."""
        return self.scores if self.row is None else scores[self.row]


def place_mappings(
    judgments: Graded, run: Scored, plan: Plan, *, scored: bool = True
) -> tuple[list[Query], Placements, float]:
    """Place a run; returns the ids of the queries, where their judged items stand, and the highest grade."""
    queries = [*judgments, *(query for query in run if query not in judgments)]
    nothing: Mapping[Item, float] = {}
    lists = [run.get(query, nothing) for query in queries]
    judged = JudgedMapping.read(queries, list(judgments.values()), plan.lowest_grade)
    in_run = np.fromiter(map(run.__contains__, queries), np.bool_, len(queries))
    return queries, place_lists(queries, judged, lists, plan, in_run=in_run, scored=scored), judged.highest


def place_lists(
    queries: Sequence[Query],
    judged: JudgedMapping,
    lists: Sequence[Mapping[Item, float]],
    plan: Plan,
    *,
    in_run: Bools | None = None,
    scored: bool = True,
) -> Placements:
    """Place the list of each query; the judged queries come first, in the order of their judgments.

    ``in_run`` says which queries the run holds at all; None for all of them.
    """
    returned = np.fromiter(map(len, lists), np.int64, len(lists))
    offsets = offsets_of(returned)
    scores, hits = _read(queries, judged, lists, offsets, plan.lowest_grade)
    places = place(
        scores,
        offsets,
        hits.segment,
        hits.score(scores),
        plan,
        rows=hits.row,
        rows_of=_rows_of(judged, lists, offsets, hits),
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
        columns = with_unreturned(columns, returned, **_unreturned(judged.graded, lists))
    strangers = np.zeros(len(lists) - len(judged.graded), np.int64)
    return Placements(
        returned=returned,
        in_run=np.ones(len(lists), np.bool_) if in_run is None else in_run,
        is_judged=np.arange(len(lists)) < len(judged.graded),
        best_offsets=offsets_of(np.concatenate([judged.best_sizes, strangers])),
        best=judged.best,
        **columns,
    )


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


def _as_bytes(lists: Iterable[Iterable[Any]]) -> npt.NDArray[np.uint8] | None:
    """Numbers that are all whole and from 0 to 255, as grades mostly are; None if any is not.

    Python makes bytes of such numbers in half the time that NumPy takes to make floats of them.
    """
    try:
        return np.frombuffer(b"".join(map(bytes, lists)), np.uint8)
    except (TypeError, ValueError):
        return None


def _best_of_codes(codes: npt.NDArray[np.uint8], sizes: Ints, lowest: float) -> tuple[Floats, Ints]:
    """The same as `_best` by counting how often a query has each grade, unless few of the counts would be above 0."""
    levels = int(codes.max(initial=0)) + 1
    if levels * len(sizes) > SPARSE * len(codes):
        return _best(codes.astype(np.float64), sizes, lowest)
    falling = np.arange(levels - 1, -1, -1)
    key = np.repeat(np.arange(1, len(sizes) + 1) * levels - 1, sizes) - codes
    counts = np.bincount(key, minlength=len(sizes) * levels).reshape(len(sizes), levels)
    counts[:, falling < lowest] = 0
    return np.repeat(np.tile(falling.astype(np.float64), len(sizes)), counts.ravel()), counts.sum(axis=1)


def _best(grades: Floats, sizes: Ints, lowest: float) -> tuple[Floats, Ints]:
    """The grades that count, highest first within each query, and how many each query has."""
    kept = grades >= lowest
    if not kept.all():
        total = np.concatenate([[0], np.cumsum(kept)])
        offsets = offsets_of(sizes)
        sizes = total[offsets[1:]] - total[offsets[:-1]]
        grades = grades[kept]
    return sort_descending(grades, offsets_of(sizes)), sizes


def _read(
    queries: Sequence[Query], judged: JudgedMapping, lists: Sequence[Mapping[Item, float]], offsets: Ints, lowest: float
) -> tuple[Floats, _Hits]:
    """All scores, and the judged items among them."""
    total = int(offsets[-1])
    if total > LONG * len(lists):
        scores = np.empty(total)
        written = _written(lists, scores)
        try:
            # Items are looked up in each list when its scores have just been read: what is near is found sooner.
            hits = _hits(judged, written, offsets, lowest)
            deque(written, maxlen=0)
        except (struct.error, TypeError, ValueError, OverflowError):
            scores[:] = np.nan
        if not np.isnan(scores).any():
            refuse_other_than_floats(scores, lists, "score", "run", queries)
            return scores, hits
    scores = numbers(lists, "score", "run", queries)
    return scores, _hits(judged, lists, offsets, lowest)


def _written(lists: Iterable[Mapping[Item, Any]], room: Floats) -> Iterator[Mapping[Item, Any]]:
    """The lists, each when its scores have been written: in one go, faster than value by value where lists are long."""
    raw = room.data.cast("B")
    write: dict[int, Callable[..., None]] = {}
    first = 0
    for one in lists:
        size = len(one)
        if size not in write:
            write[size] = struct.Struct(f"{size}d").pack_into
        write[size](raw, first, *one.values())
        first += size * room.itemsize
        yield one


def _hits(judged: JudgedMapping, lists: Iterable[Mapping[Item, float]], offsets: Ints, lowest: float) -> _Hits:
    """Look up the shorter side in the longer one."""
    listed = int(offsets[len(judged.graded)])
    if len(judged.grades) * DEEP < listed:
        return _judged_in_lists(judged, lists, lowest)
    return _listed_in_judgments(judged, lists, offsets, listed, lowest)


def _listed_in_judgments(
    judged: JudgedMapping, lists: Iterable[Mapping[Item, float]], offsets: Ints, total: int, lowest: float
) -> _Hits:
    """The grade of every returned item, read in one go; those that have one are the hits."""
    coded = judged.grades.dtype == np.uint8
    nothing = repeat(NO_GRADE if coded else np.nan).__next__
    # A copy that knows what to give for a missing item is looked up nearly twice as fast as `get` with a default.
    looked_up = (
        map(defaultdict(nothing, graded).__getitem__, listed)
        for graded, listed in zip(judged.graded, lists, strict=False)
    )
    code = _as_bytes(looked_up) if coded else None
    if code is not None:
        row = np.flatnonzero((code != NO_GRADE) & (code >= lowest))
        grade = code[row].astype(np.float64)
    else:
        every = np.fromiter(chain.from_iterable(looked_up), np.float64, total)
        row = np.flatnonzero(every >= lowest)
        grade = every[row]
    segment = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[row]
    return _Hits(segment, grade, row, row[:0], grade[:0])


def _judged_in_lists(judged: JudgedMapping, lists: Iterable[Mapping[Item, float]], lowest: float) -> _Hits:
    """The score of every judged item that was returned; where it stands is found by counting."""
    looked_up = map(map, map(attrgetter("get"), lists), judged.graded)
    # What was not returned is None, which NumPy reads as NaN; no score is NaN.
    scores = np.fromiter(chain.from_iterable(looked_up), np.float64, len(judged.grades))
    judgment = np.flatnonzero((scores == scores) & (judged.grades >= lowest))  # noqa: PLR0124
    segment = np.repeat(np.arange(len(judged.graded)), np.diff(judged.offsets))[judgment]
    return _Hits(segment, judged.grades[judgment].astype(np.float64), None, judgment, scores[judgment])


def _rows_of(
    judged: JudgedMapping, lists: Sequence[Mapping[Item, float]], offsets: Ints, hits: _Hits
) -> Callable[[Ints], Ints]:
    """A function that finds the rows of some hits; only queries with a tie are ever searched."""
    if hits.row is not None:
        known = hits.row
        return lambda some: known[some]

    def rows_of(some: Ints) -> Ints:
        rows = np.empty(len(some), np.int64)
        current, number = -1, {}
        items = _at(judged.graded, judged.offsets, hits.judgment[some])
        for at, (query, item) in enumerate(zip(hits.segment[some].tolist(), items, strict=True)):
            if query != current:
                current = query
                number = dict(zip(lists[current], range(len(lists[current])), strict=True))
            rows[at] = offsets[current] + number[item]
        return rows

    return rows_of


def _ids_of(lists: Sequence[Mapping[Item, float]], offsets: Ints) -> Callable[[Ints], pl.Series | Keys]:
    def ids_of(positions: Ints) -> pl.Series | Keys:
        if len(positions) * 2 > offsets[-1]:  # most of all items: taken together, in place of one by one
            every = list(chain.from_iterable(lists))
            numbers = short_text_as_numbers(every)
            return _text(every).gather(pl.Series(positions)) if numbers is None else numbers[positions]
        some = _at(lists, offsets, positions)
        numbers = short_text_as_numbers(some)
        return _text(some) if numbers is None else numbers

    return ids_of


def _at(lists: Sequence[Mapping[Item, float]], offsets: Ints, positions: Ints) -> list[Item]:
    """The items at some positions, which come query by query."""
    owner = np.searchsorted(offsets, positions, side="right") - 1
    ids: list[Item] = []
    bounds = np.flatnonzero(np.diff(owner, prepend=-1, append=len(lists)))
    for first, last in pairwise(bounds.tolist()):
        query = int(owner[first])
        ids.extend(map(list(lists[query]).__getitem__, (positions[first:last] - offsets[query]).tolist()))
    return ids


def _text(ids: list[Item]) -> pl.Series:
    return pl.Series(list(map(str, ids)), dtype=pl.String)


def same_id_types(judgments: GradedMapping, run: ScoredMapping | RankedLists, scores: Scored) -> tuple[Graded, Scored]:
    """Compare ids as text where some are numbers and some text, and say so once."""
    graded: Graded = judgments.data
    if are_mixed(judgments.query_types, run.query_types):
        _say_as_text("query")
        graded, scores = _keys_as_text(graded, "query"), _keys_as_text(scores, "query")
    if are_mixed(judgments.item_types, run.item_types):
        _say_as_text("item")
        graded = {query: _keys_as_text(items, "item") for query, items in graded.items()}
        scores = {query: _keys_as_text(items, "item") for query, items in scores.items()}
    return graded, scores


def _say_as_text(what: str) -> None:
    warn(said("ids_of_one_side_as_text", role=what))


def _keys_as_text(mapping: Mapping[Any, Any], what: str) -> dict[Any, Any]:
    text = {str(key): value for key, value in mapping.items()}
    if len(text) != len(mapping):
        refuse_same_text(what)
    return text
