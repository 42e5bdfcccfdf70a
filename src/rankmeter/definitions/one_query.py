"""The data of one query: its judgments, its list, and the list in the order of a measure's tie rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.errors import InputError, NotFoundError, did_you_mean, with_hint
from rankmeter.inputs import JudgmentTable, Labelled, Run, RunTable, check_columns_of, into_judgments, into_run
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.shards import joined_runs
from rankmeter.late import pl
from rankmeter.measures import RankedMeasure
from rankmeter.placing.counting import as_float32
from rankmeter.placing.subtopics import without_subtopics


@dataclass(frozen=True, slots=True)
class OneQuery:
    """What is judged and what was returned for one query."""

    query: str
    judgments: dict[str, float]
    """The grade of each judged item; where it was judged on several subtopics, the highest."""
    scores: dict[str, float]
    """In the order given."""
    scored: bool
    topics: dict[str, dict[str, float]] | None
    """The grade of each judged item on each subtopic; None where the judgments have no subtopics."""
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
    """Where the item stands: one rank, or those of its tie where the rule leaves the order open."""
    item: str
    score: float | None
    grade: float | None
    returned: bool
    """False for an item that a convention appended."""
    placed: bool
    """Whether the item is judged, so that the arithmetic knows of it."""

    @property
    def rank(self) -> str:
        """The rank as it is shown."""
        return f"{self.ranks[0]}-{self.ranks[-1]}" if len(self.ranks) > 1 else str(self.ranks[0])


def one_query(judgments: object, run: object, query: object, *, columns: Mapping[str, str] | None = None) -> OneQuery:
    """Find one query in judgments and a run of any kind."""
    check_columns_of(columns, judgments, run)
    if isinstance(judgments, Labelled):
        truth, returned = judgments.judgments.judgment_table(), judgments.run.run_table()
    else:
        truth = into_judgments(judgments, columns=columns_of(columns, "judgments")).judgment_table()
        source = into_run(run, columns=columns_of(columns, "run"))
        returned = _rows_in_file(source, str(query)) if source.is_streamed else source.run_table()
    judged = _rows(truth.query, query)
    listed = _rows(returned.query, query)
    is_judged, in_run = _is_known(truth, judged, query), _is_known(returned, listed, query)
    if not is_judged and not in_run:
        known = truth.query.unique(maintain_order=True).cast(pl.String).to_list()
        fact = f"there is no query '{query}' in {truth.source} or {returned.source}."
        raise NotFoundError(with_hint(fact, did_you_mean(str(query), known) or f"the first is '{known[0]}'"))
    items = returned.item.filter(listed).cast(pl.String).to_list()
    scores = dict(zip(items, returned.score.filter(listed).to_list(), strict=True))
    if len(scores) != len(items):
        fact = f"{returned.source} returns an item twice for query {query}."
        raise InputError(with_hint(fact, "a list with repeated items cannot be worked out row by row"))
    topics = None if truth.subtopic is None else _by_subtopic(truth, truth.subtopic, judged)
    truth = without_subtopics(truth)
    judged = _rows(truth.query, query)
    grades = zip(truth.item.filter(judged).cast(pl.String), truth.grade.filter(judged), strict=True)
    return OneQuery(str(query), dict(grades), scores, returned.scored, topics, is_judged, in_run, truth.source)


def _by_subtopic(truth: JudgmentTable, subtopic: pl.Series, judged: pl.Series) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    columns = (truth.item.filter(judged).cast(pl.String), subtopic.filter(judged), truth.grade.filter(judged))
    for item, topic, grade in zip(*columns, strict=True):
        found.setdefault(item, {})[topic] = grade
    return found


def _is_known(table: JudgmentTable | RunTable, rows: pl.Series, query: object) -> bool:
    """Whether a table has the query, if only with nothing in it."""
    return bool(rows.any()) or (table.queries is not None and bool(_rows(table.queries, query).any()))


def _rows(column: pl.Series, query: object) -> pl.Series:
    return column.cast(pl.String) == str(query)


def _rows_in_file(source: Run, query: str) -> RunTable:
    """The rows of one query in a file, without keeping the others."""
    kept: list[RunTable] = []
    for block in source.blocks():
        rows = _rows(block.query, query)
        if rows.any() or not kept:
            query_, item, score = block.query.filter(rows), block.item.filter(rows), block.score.filter(rows)
            kept.append(RunTable(query_, item, score, block.source, scored=block.scored))
    return joined_runs(kept)


def ranking(data: OneQuery, measure: RankedMeasure) -> list[Place]:
    """The list in the order of the measure's tie rule, without what its conventions take out."""
    ties = _ties(data, measure)
    if measure.unjudged == "removed":
        lowest = 0.0 if measure.negative == "unjudged" and not measure.subtopics else -np.inf
        kept = {item for item, grade in data.judgments.items() if grade >= lowest}
        ties = [[item for item in tie if item in kept] for tie in ties]
    places: list[Place] = []
    for tie in ties:
        above = len(places)
        for number, item in enumerate(tie, above + 1):
            score = data.scores.get(item)
            places.append(
                Place(
                    ranks=_ranks(number, above, len(tie), measure.ties),
                    item=item,
                    score=score if data.scored else None,
                    grade=data.judgments.get(item),
                    returned=score is not None,
                    placed=item in data.judgments and (measure.sign == "ignored" or (score is not None and score > 0)),
                )
            )
    return places


def candidates(data: OneQuery, measure: RankedMeasure) -> list[float]:
    """The grades of the items that could have been found."""
    if measure.candidates != "list":
        return list(data.judgments.values())
    return [data.judgments[item] for tie in _ties(data, measure) for item in tie if item in data.judgments]


def _ties(data: OneQuery, measure: RankedMeasure) -> list[list[str]]:
    """The items of the list in order, those of equal score together; each alone where the list was cut."""
    listed = dict(data.scores)
    if measure.scores == "float32":
        rounded = as_float32(np.array(list(listed.values())))
        listed = dict(zip(listed, rounded.tolist(), strict=True))
    by_score: dict[float, list[str]] = {score: [] for score in sorted(set(listed.values()), reverse=True)}
    for item, score in listed.items():
        by_score[score].append(item)
    ties = list(by_score.values())
    if measure.candidates == "appended":
        ties.append([item for item in data.judgments if item not in listed])
    ordered = [_in_order(tie, data, measure) for tie in ties if tie]
    if measure.depth is None:
        return ordered
    return [[item] for tie in ordered for item in tie][: measure.depth]


def _ranks(number: int, above: int, tied: int, ties: str) -> range:
    if ties == "mean":
        return range(above + 1, above + tied + 1)
    rank = {"shared": above + tied, "middle": above + (tied + 1) // 2}.get(ties, number)
    return range(rank, rank + 1)


def _in_order(tie: list[str], data: OneQuery, measure: Any) -> list[str]:
    gain = getattr(measure, "gain", None)

    def worth(item: str) -> float:
        grade = data.judgments.get(item, -np.inf)
        return (
            float(gain.get(grade, max(grade, 0.0))) if isinstance(gain, Mapping) and item in data.judgments else grade
        )

    if measure.ties == "item":
        return sorted(tie, key=_bytes, reverse=True)
    if measure.ties == "item-ascending":
        return sorted(tie, key=_bytes)
    if measure.ties == "input":
        return tie
    if measure.ties == "reversed":
        return tie[::-1]
    return sorted(tie, key=worth, reverse=measure.ties != "worst")


def _bytes(item: str) -> bytes:
    return item.encode()
