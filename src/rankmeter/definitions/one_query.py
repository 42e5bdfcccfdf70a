"""The data of one query: its judgments, its list, and the list in the order of a measure's tie rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmeter.errors import InputError, NotFoundError, did_you_mean, with_hint
from rankmeter.inputs import Labelled, RunFile, RunTable, into_judgments, into_run
from rankmeter.inputs.columns import columns_of
from rankmeter.late import pl
from rankmeter.measures import RankedMeasure
from rankmeter.placing import judgments_table, run_table
from rankmeter.placing.counting import as_float32
from rankmeter.placing.table import whole


@dataclass(frozen=True, slots=True)
class OneQuery:
    """What is judged and what was returned for one query."""

    query: str
    judgments: dict[str, float]
    scores: dict[str, float]
    """In the order given."""
    scored: bool


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a list."""

    rank: str
    item: str
    score: float | None
    grade: float | None
    score_as_placed: float
    placed: bool
    """Whether the item is judged, so that the arithmetic knows of it."""


def one_query(judgments: object, run: object, query: object, *, columns: Mapping[str, str] | None = None) -> OneQuery:
    """Find one query in judgments and a run of any kind."""
    if isinstance(judgments, Labelled):
        truth, returned = judgments_table(judgments.judgments), run_table(judgments.run)
    else:
        truth = judgments_table(into_judgments(judgments, columns=columns_of(columns, "judgments")))
        source = into_run(run, columns=columns_of(columns, "run"))
        returned = _rows_in_file(source, str(query)) if isinstance(source, RunFile) else run_table(source)
    judged = _rows(truth.query, query)
    listed = _rows(returned.query, query)
    if not judged.any() and not listed.any():
        known = truth.query.unique(maintain_order=True).cast(pl.String).to_list()
        fact = f"there is no query '{query}' in {truth.source} or {returned.source}."
        raise NotFoundError(with_hint(fact, did_you_mean(str(query), known) or f"the first is '{known[0]}'"))
    items = returned.item.filter(listed).cast(pl.String).to_list()
    scores = dict(zip(items, returned.score.filter(listed).to_list(), strict=True))
    if len(scores) != len(items):
        fact = f"{returned.source} returns an item twice for query {query}."
        raise InputError(with_hint(fact, "a list with repeated items cannot be worked out row by row"))
    grades = zip(truth.item.filter(judged).cast(pl.String), truth.grade.filter(judged), strict=True)
    return OneQuery(str(query), dict(grades), scores, returned.scored)


def _rows(column: pl.Series, query: object) -> pl.Series:
    return column.cast(pl.String) == str(query)


def _rows_in_file(source: RunFile, query: str) -> RunTable:
    """The rows of one query in a file, without keeping the others."""
    kept: list[RunTable] = []
    for block in source.blocks():
        rows = _rows(block.query, query)
        if rows.any() or not kept:
            query_, item, score = block.query.filter(rows), block.item.filter(rows), block.score.filter(rows)
            kept.append(RunTable(query_, item, score, block.source, scored=block.scored))
    return whole(iter(kept))


def ranking(data: OneQuery, measure: RankedMeasure) -> list[Place]:
    """The list in the order of the measure's tie rule, without what its conventions take out."""
    listed = dict(data.scores)
    if measure.candidates == "appended":
        listed |= dict.fromkeys((item for item in data.judgments if item not in listed), -np.inf)
    if measure.unjudged == "removed":
        lowest = 0.0 if measure.negative == "unjudged" else -np.inf
        listed = {item: score for item, score in listed.items() if data.judgments.get(item, -np.inf) >= lowest}
    compared = listed
    if measure.scores == "float32":
        rounded = as_float32(np.array(list(listed.values())))
        compared = dict(zip(listed, rounded.tolist(), strict=True))
    places: list[Place] = []
    for score in sorted(set(compared.values()), reverse=True):
        tie = [item for item in listed if compared[item] == score]
        above = len(places)
        for number, item in enumerate(_in_order(tie, data, measure), above + 1):
            places.append(
                Place(
                    rank=_rank(number, above, len(tie), measure.ties),
                    item=item,
                    score=data.scores.get(item) if data.scored else None,
                    grade=data.judgments.get(item),
                    score_as_placed=listed[item],
                    placed=item in data.judgments and (measure.sign == "ignored" or listed[item] > 0),
                )
            )
    return places


def _rank(number: int, above: int, tied: int, ties: str) -> str:
    if tied == 1 or ties not in ("mean", "shared"):
        return str(number)
    return f"{above + 1}-{above + tied}" if ties == "mean" else str(above + tied)


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
