"""Placing from mappings: ``{query: {item: score}}`` against ``{query: {item: grade}}``, without making a table.

The only Python work per query is one intersection of keys; scores of all queries are read in one go.
"""

from __future__ import annotations

import struct
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, filterfalse, repeat
from operator import attrgetter
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rankmeter.errors import warn
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import LateIds, are_mixed, id_text, no_text, refuse_same_text
from rankmeter.inputs.mappings import (
    GradedMapping,
    Item,
    Query,
    RankedLists,
    ScoredMapping,
    at_positions,
    check_numbers,
    numbers,
)
from rankmeter.inputs.text import TextIds
from rankmeter.late import pl
from rankmeter.placing.indexes import Graded, JudgmentIndex, PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Plan
from rankmeter.placing.segments import Keys, offsets_of, owners, place, sizes_of, sort_descending
from rankmeter.wording import said

DEEP = 4
"""How many times fewer judgments than returned items there must be for looking up the judgments instead, which takes a
quarter of the time where a list of a thousand has one judgment."""
LONG = 50
"""From how many items a list on (on average) its scores are written by themselves: two fifths less for a thousand."""
NO_GRADE = 255
"""Stands for no judgment where grades are bytes."""
SPARSE = 8
"""From how many counts of a grade in a query for each judgment on the grades are sorted in place of counted."""
Listed = Sequence[Mapping[Item, float]]
ByQuery = Mapping[Query, Mapping[Item, float]]


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


def place_mappings(
    judgments: ByQuery, run: ByQuery, plan: Plan, *, scored: bool = True, grades: Sequence[Any] | None = None
) -> PlacedRun:
    """Place the lists of a run; ``grades`` are those of the judgments, query by query, where they are at hand."""
    queries, lists, in_run = list(judgments), list(run.values()), None
    if queries != list(run):  # whose order is mostly the same, which is seen in a third of the time of looking them up
        queries += filterfalse(judgments.__contains__, run)
        nothing: Mapping[Item, float] = {}
        lists = list(map(run.get, queries, repeat(nothing)))
        in_run = np.fromiter(map(run.__contains__, queries), np.bool_, len(queries))
    index = index_of(queries, list(judgments.values()), plan.lowest_grade, grades)
    return place_lists(queries, index, lists, plan, in_run=in_run, scored=scored)


def index_of(
    queries: Sequence[Query], graded: Graded, lowest: float, grades: Sequence[Any] | None = None
) -> JudgmentIndex:
    """The judgments ``{item: grade}`` of each query as an index; ``grades`` as for `place_mappings`."""
    graded, sizes = plain_dicts(graded), lengths(graded)
    offsets = offsets_of(sizes)
    grade: Any = as_bytes(chain.from_iterable(map(dict.values, graded)) if grades is None else grades)
    highest = NO_GRADE if grade is None else grade.max(initial=0)
    if highest == NO_GRADE:
        grade = numbers(graded, "grade", "judgments", queries)
        highest = grade.max(initial=0)
    best, best_offsets = _highest_grades(grade, sizes, offsets, lowest, highest)
    return JudgmentIndex(queries, grade, offsets, best, best_offsets, float(highest), None, graded)


def plain_dicts(lists: Sequence[Mapping[Any, Any]]) -> Sequence[dict[Any, Any]]:
    """The mappings as dictionaries and nothing else, so that those can be asked without looking for a method."""
    return cast("Any", lists) if set(map(type, lists)) <= {dict} else list(map(dict, lists))


def lengths(lists: Sequence[Mapping[Any, Any]]) -> Ints:
    """(n,) how many items each has."""
    return np.fromiter(map(len, lists), np.int64, len(lists))


def as_bytes(numbers: Iterable[Any]) -> npt.NDArray[np.uint8] | None:
    """Numbers that are all whole and from 0 to 255, as grades mostly are; None if any is not.

    Python makes bytes of such numbers in half the time that NumPy takes to make floats of them.
    """
    try:
        return np.frombuffer(bytes(numbers), np.uint8)
    except (TypeError, ValueError):
        return None


def _highest_grades(
    grades: Floats | npt.NDArray[np.uint8], sizes: Ints, offsets: Ints, lowest: float, highest: float
) -> tuple[Floats, Ints]:
    """The grades that count, highest first within each query, and where those of each query start.

    Bytes are sorted by counting how often a query has each grade, unless few of the counts would be above 0.
    """
    queries, levels = len(sizes), int(highest) + 1
    if grades.dtype == np.uint8 and levels * queries <= SPARSE * len(grades):
        falling = np.arange(levels - 1, -1, -1)
        key = np.repeat(np.arange(1, queries + 1) * levels - 1, sizes) - grades
        counts = np.bincount(key, minlength=queries * levels).reshape(queries, levels)
        if lowest > 0:
            counts[:, falling < lowest] = 0
            offsets = offsets_of(counts.sum(axis=1))
        return np.repeat(np.tile(falling.astype(np.float64), queries), counts.ravel()), offsets
    kept, best = grades >= lowest, grades.astype(np.float64)
    if not kept.all():
        offsets, best = np.concatenate([[0], np.cumsum(kept)])[offsets], best[kept]
    return sort_descending(best, offsets), offsets


def place_lists(
    queries: Sequence[Query],
    index: JudgmentIndex,
    lists: Listed,
    plan: Plan,
    *,
    in_run: Bools | None = None,
    scored: bool = True,
) -> PlacedRun:
    """Place the list of each query; the judged queries come first, in the order of their judgments.

    ``in_run`` says which queries the run holds at all; None for all of them.
    """
    lists = plain_dicts(lists)
    offsets = offsets_of(lengths(lists))
    try:
        scores, hits = _read(queries, index, lists, offsets, plan.lowest_grade)
        score = hits.scores if hits.row is None else scores[hits.row]
        places = place(
            scores,
            offsets,
            hits.segment,
            score,
            plan,
            rows=hits.row if hits.row is not None else lambda some: _rows_of_hits(some, index, lists, offsets, hits),
            ids_of=lambda positions: _ids_at(lists, offsets, positions),
        )
    except UnicodeEncodeError as error:
        raise no_text(error.object) from error
    shown = score if scored else np.full(len(score), np.nan)
    columns = {"query": hits.segment, "grade": hits.grade, "score": shown, **places._asdict()}
    held = np.ones(len(lists), np.bool_) if in_run is None else in_run
    unreturned = (lambda: _unreturned(index.graded, lists)) if plan.unreturned else None
    placements = index.placements(sizes_of(offsets), held, columns, unreturned)
    return PlacedRun(LateIds(list(queries)), placements, scored, index.highest)


def _unreturned(graded: Graded, lists: Listed) -> dict[str, Any]:
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


def _read(
    queries: Sequence[Query], index: JudgmentIndex, lists: Listed, offsets: Ints, lowest: float
) -> tuple[Floats, _Hits]:
    """All scores, and the judged items among them."""
    total = int(offsets[-1])
    if total > LONG * len(lists):
        scores = np.empty(total)
        written = _each_written(lists, scores)
        try:
            # Items are looked up in each list when its scores have just been read: what is near is found sooner.
            hits = _look_up(index, written, offsets, lowest)
            deque(written, maxlen=0)
            check_numbers(scores, lists, "score", "run", queries)
        except (struct.error, TypeError, ValueError, OverflowError):  # said where they are read again
            pass
        else:
            return scores, hits
    scores = numbers(lists, "score", "run", queries)
    return scores, _look_up(index, lists, offsets, lowest)


def _each_written(lists: Iterable[Mapping[Item, Any]], room: Floats) -> Iterator[Mapping[Item, Any]]:
    """The lists, each when its scores have been written: in one go, faster than value by value where lists are long."""
    raw = room.data.cast("B")
    write: dict[int, Callable[..., None]] = {}
    first = 0
    for listed in lists:
        size = len(listed)
        if size not in write:
            write[size] = struct.Struct(f"{size}d").pack_into
        write[size](raw, first, *listed.values())
        first += size * room.itemsize
        yield listed


def _look_up(index: JudgmentIndex, lists: Iterable[Mapping[Item, float]], offsets: Ints, lowest: float) -> _Hits:
    """Look up the shorter side in the longer one."""
    listed = int(offsets[len(index.graded)])
    if len(index.grade) * DEEP < listed:
        return _judged_in_lists(index, lists, lowest)
    return _listed_in_judgments(index, lists, offsets, listed, lowest)


def _listed_in_judgments(
    index: JudgmentIndex, lists: Iterable[Mapping[Item, float]], offsets: Ints, total: int, lowest: float
) -> _Hits:
    """The grade of every returned item, read in one go; those that have one are the hits."""
    coded = index.grade.dtype == np.uint8
    missing = repeat(NO_GRADE if coded else np.nan)
    if total > LONG * len(index.graded):
        # A copy that knows what to give for a missing item is looked up nearly twice as fast as `get` with a default.
        looked_up: Iterable[Any] = chain.from_iterable(
            map(defaultdict(missing.__next__, graded).__getitem__, listed)
            for graded, listed in zip(index.graded, lists, strict=False)
        )
    else:  # to make one takes longer than to look up ten items
        judged = chain.from_iterable(map(repeat, index.graded, sizes_of(offsets).tolist()))
        looked_up = map(cast("Any", dict.get), judged, chain.from_iterable(lists), missing)
    code = as_bytes(looked_up) if coded else None
    if code is not None:
        row = np.flatnonzero((code != NO_GRADE) & (code >= lowest))
        grade = code[row].astype(np.float64)
    else:
        every = np.fromiter(looked_up, np.float64, total)
        row = np.flatnonzero(every >= lowest)
        grade = every[row]
    segment = owners(offsets)[row]
    return _Hits(segment, grade, row, row[:0], grade[:0])


def _judged_in_lists(index: JudgmentIndex, lists: Iterable[Mapping[Item, float]], lowest: float) -> _Hits:
    """The score of every judged item that was returned; where it stands is found by counting."""
    # What was not returned is NaN, which no score is.
    looked_up = map(map, map(attrgetter("get"), lists), index.graded, repeat(repeat(np.nan)))
    scores = np.fromiter(chain.from_iterable(looked_up), np.float64, len(index.grade))
    judgment = ((scores == scores) & (index.grade >= lowest)).nonzero()[0]  # noqa: PLR0124
    segment = owners(index.offsets)[judgment]
    return _Hits(segment, index.grade[judgment].astype(np.float64), None, judgment, scores[judgment])


def _rows_of_hits(some: Ints, index: JudgmentIndex, lists: Listed, offsets: Ints, hits: _Hits) -> Ints:
    """The rows of some hits, where they are not known; only queries with a tie are ever searched."""
    rows = np.empty(len(some), np.int64)
    current, number = -1, {}
    items = at_positions(index.graded, index.offsets, hits.judgment[some])
    for at, (query, item) in enumerate(zip(hits.segment[some].tolist(), items, strict=True)):
        if query != current:
            current = query
            number = dict(zip(lists[current], range(len(lists[current])), strict=True))
        rows[at] = offsets[current] + number[item]
    return rows


def _ids_at(lists: Listed, offsets: Ints, positions: Ints) -> pl.Series | Keys:
    """The ids at some positions, as numbers that sort as they do or as text."""
    first, last = np.searchsorted(offsets, (positions.min(), positions.max()), side="right") - (1, 0)
    # Where most items of the lists in question are asked for, all are taken together, in place of one by one.
    most = len(positions) * 2 > offsets[last] - offsets[first]
    ids = list(chain.from_iterable(lists[first:last])) if most else at_positions(lists, offsets, positions)
    try:
        keys = TextIds.of(ids).sort_keys()
    except ValueError:  # a zero byte
        column = pl.Series(list(map(str, ids)), dtype=pl.String)
        return column.gather(pl.Series(positions - offsets[first])) if most else column
    return keys[positions - offsets[first]] if most else keys


def same_types_of_mappings(
    judgments: GradedMapping, run: ScoredMapping | RankedLists, scores: ByQuery
) -> tuple[ByQuery, ByQuery]:
    """Compare ids as text where some are numbers and some text, and say so once."""
    graded: ByQuery = judgments.data
    queries, items = judgments.query_types | run.query_types, judgments.item_types | run.item_types
    if len(queries) > 1 and are_mixed(queries):
        _say_as_text("query")
        graded, scores = _keys_as_text(graded, "query"), _keys_as_text(scores, "query")
    if len(items) > 1 and are_mixed(items):
        _say_as_text("item")
        graded = {query: _keys_as_text(listed, "item") for query, listed in graded.items()}
        scores = {query: _keys_as_text(listed, "item") for query, listed in scores.items()}
    return graded, scores


def _say_as_text(what: str) -> None:
    warn(said("ids_of_one_side_as_text", role=what))


def _keys_as_text(mapping: Mapping[Any, Any], what: str) -> dict[Any, Any]:
    text = {id_text(key): value for key, value in mapping.items()}
    if len(text) != len(mapping):
        refuse_same_text(what)
    return text
