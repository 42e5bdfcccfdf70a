"""The data of one query: its judgments, its list, and the list in the order that a measure sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from rankmeter.arithmetic.views import (
    append_unreturned,
    condensed,
    counts_as_judged,
    cut,
    filled_with,
    rank_of,
    turned_by,
    without_unreturned,
)
from rankmeter.errors import InputError, NotFoundError, did_you_mean
from rankmeter.inputs.accepting import check_columns_of, into_judgments, into_run
from rankmeter.inputs.tables import JudgmentTable, Labelled, Run, RunTable, joined_runs
from rankmeter.late import pl
from rankmeter.measures import RankedMeasure
from rankmeter.placing.mapping import place_mappings
from rankmeter.placing.placements import Plan
from rankmeter.placing.preparations import without_subtopics
from rankmeter.wording import said

LOWEST_GRADE = float(np.finfo(np.float64).min)
"""No grade is lower; an unjudged item has -inf."""


@dataclass(frozen=True, slots=True)
class OneQuery:
    """The judgments and the returned items of one query."""

    query: str
    judgments: dict[str, float]
    """The grade of each judged item, the highest one if it was judged on several subtopics."""
    scores: dict[str, float]
    """In the order given."""
    scored: bool
    topics: dict[str, dict[str, float]] | None
    """The grade of each judged item on each subtopic; None if the judgments have no subtopics."""
    is_judged: bool
    in_run: bool
    source: str = "judgments"
    """How messages name the judgments."""

    @property
    def truth(self) -> dict[Any, Any]:
        """The judgments as they were given."""
        return self.judgments if self.topics is None else self.topics


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a list."""

    ranks: range
    """The rank of the item, or the ranks of its tie if the rule leaves the order open."""
    item: str
    score: float | None
    grade: float | None
    returned: bool
    """False for an item that a convention appended."""
    placed: bool
    """Whether the item takes part in the arithmetic: it is judged, and no convention drops it."""

    @property
    def rank(self) -> str:
        """The rank as shown."""
        return f"{self.ranks[0]}-{self.ranks[-1]}" if len(self.ranks) > 1 else str(self.ranks[0])


def one_query(judgments: object, run: object, query: object, *, columns: Mapping[str, str] | None = None) -> OneQuery:
    """Find one query in judgments and a run of any kind."""
    check_columns_of(columns, judgments, run)
    if isinstance(judgments, Labelled):
        truth, returned = judgments.judgments.judgment_table(), judgments.run.run_table()
    else:
        truth = into_judgments(judgments, columns=columns).judgment_table()
        source = into_run(run, columns=columns)
        returned = _rows_in_file(source, str(query)) if source.is_streamed else source.run_table()
    judged = _rows(truth.query, query)
    listed = _rows(returned.query, query)
    is_judged, in_run = _holds_query(truth, judged, query), _holds_query(returned, listed, query)
    if not is_judged and not in_run:
        known = truth.query.unique(maintain_order=True).cast(pl.String).to_list()
        hint = did_you_mean(str(query), known) or said("definitions.first_query", query=known[0])
        raise NotFoundError.of(
            "definitions.no_query", query=str(query), judgments=truth.source, run=returned.source, hint=hint
        )
    items = returned.item.filter(listed).cast(pl.String).to_list()
    scores = dict(zip(items, returned.score.filter(listed).to_list(), strict=True))
    if len(scores) != len(items):
        raise InputError.of("definitions.item_twice", source=returned.source, query=str(query))
    topics = None if truth.subtopic is None else _by_subtopic(truth, truth.subtopic, judged)
    truth = without_subtopics(truth)
    judged = _rows(truth.query, query)
    grades = zip(truth.item.filter(judged).cast(pl.String), truth.grade.filter(judged), strict=True)
    return OneQuery(str(query), dict(grades), scores, returned.scored, topics, is_judged, in_run, truth.source)


def _by_subtopic(truth: JudgmentTable, subtopic: pl.Series, judged: pl.Series) -> dict[str, dict[str, float]]:
    topics: dict[str, dict[str, float]] = {}
    columns = (truth.item.filter(judged).cast(pl.String), subtopic.filter(judged), truth.grade.filter(judged))
    for item, topic, grade in zip(*columns, strict=True):
        topics.setdefault(item, {})[topic] = grade
    return topics


def _holds_query(table: JudgmentTable | RunTable, rows: pl.Series, query: object) -> bool:
    """Whether a table has the query, even if without items."""
    return bool(rows.any()) or (table.queries is not None and bool(_rows(table.queries, query).any()))


def _rows(column: pl.Series, query: object) -> pl.Series:
    return column.cast(pl.String) == str(query)


def _rows_in_file(source: Run, query: str) -> RunTable:
    """The rows of one query in a file, without keeping the others."""
    parts: list[RunTable] = []
    for block in source.blocks():
        rows = _rows(block.query, query)
        if rows.any() or not parts:
            query_, item, score = block.query.filter(rows), block.item.filter(rows), block.score.filter(rows)
            parts.append(RunTable(query_, item, score, block.source, scored=block.scored))
    return joined_runs(parts)


def ranking(data: OneQuery, measure: RankedMeasure) -> list[Place]:
    """The list in the order of the measure's tie rule, without what its conventions remove."""
    items = list(dict.fromkeys([*data.scores, *data.judgments]))
    if (assumed := filled_with(measure)) is not None:  # unjudged items have a grade
        is_known = counts_as_judged(np.array([*data.judgments.values()], np.float64), measure).tolist()
        known = dict(compress(data.judgments.items(), is_known))
        data = replace(data, judgments={item: known.get(item, assumed) for item in items})
    # Every item is placed as if it were judged; its number takes the place of the grade, to identify it.
    numbered: Any = {data.query: {item: float(number) for number, item in enumerate(items)}}
    listed: Any = {data.query: data.scores}
    placed = place_mappings(numbered, listed, Plan(unreturned=True, scores=measure.scores)).placements
    grades = np.array([data.judgments.get(item, -np.inf) for item in items])
    gains = turned_by(measure)
    seen = replace(placed, grade=grades[placed.grade.astype(np.int64)], score=placed.grade)
    seen = append_unreturned(seen) if measure.candidates == "appended" else without_unreturned(seen)
    if measure.depth is not None:
        seen = cut(seen, rank_of(seen, measure.ties, gains), measure.depth)
    if measure.unjudged == "removed":
        judged = seen.grade >= LOWEST_GRADE
        seen = condensed(seen, judged if measure.subtopics else judged & counts_as_judged(seen.grade, measure))
    rank = rank_of(seen, measure.ties, gains)
    first, last = (seen.above + 1, seen.above + seen.tied) if measure.ties == "mean" else (rank, rank)
    order = np.lexsort((seen.earlier, -seen.grade, rank)).tolist()
    return [_place(data, measure, items[int(seen.score[row])], range(first[row], last[row] + 1)) for row in order]


def _place(data: OneQuery, measure: RankedMeasure, item: str, ranks: range) -> Place:
    score = data.scores.get(item)
    counts = measure.sign == "ignored" or (score is not None and score > 0)
    return Place(
        ranks=ranks,
        item=item,
        score=score if data.scored else None,
        grade=data.judgments.get(item),
        returned=score is not None,
        placed=item in data.judgments and counts,
    )


def candidates(data: OneQuery, measure: RankedMeasure) -> list[float]:
    """The grades of the items that could have been found."""
    if measure.candidates != "list":
        return list(data.judgments.values())
    listed = ranking(data, measure(unjudged="nonrelevant"))
    return [place.grade for place in listed if place.grade is not None]
