"""One measure, one query, worked out row by row: what stands where, what it adds, and how the value comes about."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankmeter.arithmetic import Views
from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.weights import DISCOUNTS, flat, geometric, row_weights
from rankmeter.definitions import showing
from rankmeter.definitions.one_query import OneQuery, Place, one_query, ranking
from rankmeter.errors import MeasureError
from rankmeter.evaluation import evaluate
from rankmeter.inputs.sources import GradedMapping, ScoredMapping
from rankmeter.measures import Measure, RankedMeasure, parse
from rankmeter.measures.prose import Language
from rankmeter.placing import place_run
from rankmeter.placing.placements import Plan

ADDED_UP = ("nDCG", "DCG", "CG", "RBP")
"""Measures whose rows have a gain and a discount of their own."""
MOST_ROWS = 1000


@dataclass(frozen=True, slots=True)
class WorkedRow:
    """One place of the list."""

    rank: str
    """The rank under the tie rule; the places of a tie as ``3-5`` where the rule leaves its order open."""
    item: str
    score: float | None
    grade: float | None
    """None where the item is not judged."""
    gain: float | None
    discount: float | None
    contribution: float
    """What the row adds to the sum (measures of gain) or to the value of a list that ends here."""
    total: float
    """The running total; in the last row it is the numerator, or the value."""


@dataclass(frozen=True, slots=True)
class IdealRow:
    """One place of the ideal list."""

    rank: int
    grade: float
    gain: float
    discount: float
    contribution: float
    total: float


@dataclass(frozen=True, slots=True)
class Worked:
    """A value and how it comes about."""

    measure: str
    query: str
    rows: list[WorkedRow]
    ideal: list[IdealRow]
    """The ideal list of nDCG; empty for other measures."""
    adds_up: bool
    """Whether the rows add up to the numerator; otherwise the total is the value of a list that ends there."""
    numerator: float
    denominator: float
    value: float | None
    """None where the query does not count."""
    facts: dict[str, float]
    """R, the length of the list, and what else the formula asks for."""
    hidden: int
    """How many rows behind the last one shown add nothing more."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return asdict(self)

    def to_text(self, language: Language = "en") -> str:
        """For a terminal."""
        return showing.to_text(self, language)

    def to_markdown(self, language: Language = "en") -> str:
        """For a document."""
        return showing.to_markdown(self, language)

    def to_html(self, language: Language = "en") -> str:
        """For a page."""
        return showing.to_html(self, language)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Everything as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


def explain(
    measure: str | Measure, judgments: object, run: object = None, *, query: object, columns: Any = None
) -> Worked:
    """Work out the value of a measure for one query, row by row.

    Examples
    --------
    >>> import rankmeter as rm
    >>> worked = rm.explain("nDCG@3", {"q": {"a": 2, "b": 1}}, {"q": ["a", "x", "b"]}, query="q")
    >>> [(row.item, row.gain, round(row.contribution, 4)) for row in worked.rows]
    [('a', 2.0, 2.0), ('x', 0.0, 0.0), ('b', 1.0, 0.5)]
    >>> worked.numerator, round(worked.denominator, 4), round(worked.value, 4)
    (2.5, 2.6309, 0.9502)
    """
    meant = parse(measure) if isinstance(measure, str) else measure
    if not isinstance(meant, RankedMeasure):
        raise MeasureError(f"{meant} is a number of the whole run; it has no value for one query.")
    return work_out(meant, one_query(judgments, run, query, columns=columns))


def work_out(measure: RankedMeasure, data: OneQuery) -> Worked:
    """The same for data that is at hand."""
    result = evaluate({data.query: data.judgments}, _run(data), [measure])
    values = next(iter(result.values.values()))
    value = float(values.value[0]) if values.counted[0] else None
    places = ranking(data, measure)
    rows_of = _gain_rows if type(measure).name in ADDED_UP else _growing_rows
    rows = rows_of(measure, data, places)
    shown = _until_nothing_more(rows, measure)
    return Worked(
        measure=str(measure),
        query=str(data.query),
        rows=rows[:shown],
        ideal=_ideal_rows(measure, data, float(values.denominator[0])),
        adds_up=type(measure).name in ADDED_UP,
        numerator=float(values.numerator[0]),
        denominator=float(values.denominator[0]),
        value=value,
        facts=_facts(measure, data),
        hidden=len(rows) - shown,
    )


def _run(data: OneQuery) -> dict[Any, Any]:
    return {data.query: data.scores if data.scored else list(data.scores)}


def _until_nothing_more(rows: list[WorkedRow], measure: RankedMeasure) -> int:
    """Rows up to the cutoff, or up to the last that adds something and a few more."""
    if measure.cutoff is not None and measure.unjudged == "nonrelevant":
        return min(len(rows), max(measure.cutoff, 1), MOST_ROWS)
    telling = [number for number, row in enumerate(rows, 1) if row.contribution or row.grade]
    return min(len(rows), max(telling, default=0) + 3, MOST_ROWS)


def _gain_rows(measure: Any, data: OneQuery, places: list[Place]) -> list[WorkedRow]:
    """Rows with gain and discount; what is shown is what the arithmetic adds."""
    view = Views(_placed(measure, data)).of(measure)
    if type(measure).name == "RBP":
        gain = (view.grade >= measure.rel).astype(float)
        if measure.gain == "exp2":
            gain = (np.exp2(np.maximum(view.grade, 0.0)) - 1.0) / 2.0**measure.max_grade
        discount = geometric(measure.p)
    else:
        gain = gains_of(view.grade, measure)
        discount = flat if type(measure).name == "CG" else DISCOUNTS[measure.discount]
    every = np.ones(len(view.grade), np.bool_)
    weight = row_weights(view, every, discount, measure.cutoff)
    of_item = {}
    for number, place in enumerate(p for p in places if p.placed):
        of_item[place.item] = (float(gain[number]), float(weight[number]))
    rows, total = [], 0.0
    for place in places:
        gained, weighed = of_item.get(place.item, (0.0, None))
        added = gained * weighed if weighed is not None else 0.0
        total += added
        rows.append(WorkedRow(place.rank, str(place.item), place.score, place.grade, gained, weighed, added, total))
    return rows


def _placed(measure: RankedMeasure, data: OneQuery) -> Any:
    plan = Plan(unreturned=measure.candidates == "appended", scores=measure.scores)
    judged: dict[Any, Any] = {data.query: data.judgments}
    listed: dict[Any, Any] = {data.query: data.scores}
    return place_run(GradedMapping(judged), ScoredMapping(listed), plan).placements


def _growing_rows(measure: RankedMeasure, data: OneQuery, places: list[Place]) -> list[WorkedRow]:
    """The value of a list that ends after each place; what a place adds is the difference."""
    some = places[:MOST_ROWS]
    last = len(some)
    ends = [end for end in range(1, last + 1) if end == last or some[end].rank != some[end - 1].rank]
    lists = {end: {place.item: place.score_as_placed for place in some[:end]} for end in ends}
    # The places are in order already; for the rules by order given, that order is now the one given.
    same = measure(ties="input") if measure.ties in ("input", "reversed") else measure
    runs: Any = lists if data.scored else {end: list(one) for end, one in lists.items()}
    found = evaluate(dict.fromkeys(lists, data.judgments), runs, [same]) if lists else None
    value = {} if found is None else dict(zip(lists, next(iter(found.values.values())).value, strict=True))
    rows: list[WorkedRow] = []
    total = 0.0
    for number, place in enumerate(some, 1):
        now = float(value.get(number, total))
        added = now - total
        total = now
        rows.append(WorkedRow(place.rank, str(place.item), place.score, place.grade, None, None, added, total))
    return rows


def _ideal_rows(measure: Any, data: OneQuery, denominator: float) -> list[IdealRow]:
    if type(measure).name != "nDCG" or not denominator:
        return []
    grades = list(data.judgments.values())
    if measure.candidates == "list" or measure.ideal in ("list", "top"):
        listed = [place.item for place in ranking(data, measure)]
        if measure.ideal == "top" and measure.cutoff is not None:
            listed = listed[: measure.cutoff]
        grades = [data.judgments[item] for item in listed if item in data.judgments]
    if measure.ideal == "full":
        grades = [1.0] * measure.cutoff
    gain = gains_of(np.array(grades, float), measure)
    order = np.argsort(-gain, kind="stable")
    if measure.cutoff is not None and measure.ideal != "uncut":
        order = order[: measure.cutoff]
    rows, total = [], 0.0
    for rank, one in enumerate(order, 1):
        if gain[one] <= 0:
            break
        weight = float(DISCOUNTS[measure.discount](np.array([rank]))[0])
        total += float(gain[one]) * weight
        rows.append(IdealRow(rank, float(grades[one]), float(gain[one]), weight, float(gain[one]) * weight, total))
    return rows


def _facts(measure: Any, data: OneQuery) -> dict[str, float]:
    rel = getattr(measure, "rel", None)
    relevant = sum(grade >= (rel if rel is not None else 1e-300) for grade in data.judgments.values())
    return {"R": float(relevant), "returned": float(len(data.scores)), "judged": float(len(data.judgments))}
