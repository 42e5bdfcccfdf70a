"""What `evaluate`, `compare` and `explain` ask of runs that hold several searches for one question."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmeter.arithmetic import Values, aggregated
from rankmeter.errors import InputError, NotFoundError
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.evaluation import About
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.verb import evaluate
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import into_judgments
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, Cell, Column, Heading, Paragraph, Table
from rankmeter.showing.showable import Showable
from rankmeter.wings.searches.called_runs import Searches, searches
from rankmeter.wings.searches.measures import SearchMeasure, is_of_searches
from rankmeter.wings.searches.session_values import AskedQuestion, Term, session_parts, terms_of
from rankmeter.wording import Language, said, word


def into_searches(run: object, calls: str | None, columns: Mapping[str, str] | None) -> Searches:
    """A run of several searches, whatever it was given as."""
    if isinstance(run, Searches) and calls is None:
        return run
    return searches(run, calls or "union", columns=columns)


def evaluate_distant(
    judgments: object,
    run: Searches,
    asked: Asked,
    columns: Mapping[str, str] | None,
    name: str,
    per_query_to: str | os.PathLike[str] | None,
    about: About,
) -> Evaluation:
    """Measures of a list under the convention of the run, measures of sessions from all of its lists."""
    if per_query_to is not None:
        raise InputError.of("searches.values_in_memory")
    own = [measure for measure in asked.measures if isinstance(measure, SearchMeasure)]
    usual = [measure for measure in asked.measures if not is_of_searches(measure)]
    truth = None
    if judgments is not None:
        of_truth = {role: to for role, to in (columns or {}).items() if role.rpartition(".")[2] not in _OF_CALLS}
        truth = into_judgments(judgments, columns=of_truth or None).judgment_table()
        run, truth = _sides_alike(run, truth)
    grades, hops = _judged(truth)
    base = _measured_searches(truth, run, usual or ["ShortLists@1" if truth is None else "NumRet"], about, grades, name)
    values = {measure: base.values[base.find(measure)] for measure in usual}
    means = {measure: base.means[base.find(measure)] for measure in usual}
    if own:
        made = _values_of(own, run, base.queries.to_list(), grades, hops)
        values |= made
        means |= {measure: aggregated(made[measure], measure.aggregate) for measure in own}
    return replace(
        base,
        values={measure: values[measure] for measure in asked.measures},
        means={measure: means[measure] for measure in asked.measures},
        asked=dict(asked.names),
        tie_bounds={},
        known_facts=_told(base, run),
    )


_OF_CALLS = ("call", "tokens")


def _told(base: Evaluation, run: Searches) -> Any:
    """What was evaluated, with how many searches there were."""
    facts = base.facts
    note = said("searches_read", calls=run.count, queries=len(run.queries), convention=run.calls)
    read = facts.reading.run
    reading = facts.reading if read is None else replace(
        facts.reading, run=replace(read, source=run.source, notes={**read.notes, "calls": note})
    )  # fmt: skip
    return replace(facts, run=run.source, reading=reading)


def _sides_alike(run: Searches, truth: JudgmentTable) -> tuple[Searches, JudgmentTable]:
    """Both sides with ids of one type: text where they are numbers on one side only."""
    for column in ("query", "item"):
        mine, theirs = run.rows[column].dtype, getattr(truth, column).dtype
        if mine == theirs:
            continue
        to = pl.String if pl.String in (mine, theirs) else pl.Int64
        rows = run.rows.with_columns(pl.col(column).cast(to))
        changed: dict[str, Any] = {column: getattr(truth, column).cast(to)}
        if column == "query" and truth.queries is not None:
            changed["queries"] = truth.queries.cast(to)
        queries = run.queries.cast(to) if column == "query" else run.queries
        run, truth = replace(run, rows=rows, queries=queries), replace(truth, **changed)
    return run, truth


def _judged(truth: JudgmentTable | None) -> tuple[dict[Any, dict[Any, float]], dict[Any, dict[Any, dict[Any, float]]]]:
    """The grades of each query, and for each of its hops those of what provides it."""
    grades: dict[Any, dict[Any, float]] = {}
    hops: dict[Any, dict[Any, dict[Any, float]]] = {}
    if truth is None:
        return grades, hops
    for query in () if truth.queries is None else truth.queries.to_list():
        grades[query], hops[query] = {}, {}
    hop_of = truth.item if truth.subtopic is None else truth.subtopic
    for query, item, grade, hop in zip(truth.query, truth.item, truth.grade, hop_of, strict=True):
        of_query = grades.setdefault(query, {})
        of_query[item] = max(grade, of_query.get(item, -math.inf))
        hops.setdefault(query, {}).setdefault(hop, {})[item] = grade
    return grades, hops


def _measured_searches(
    truth: JudgmentTable | None, run: Searches, measures: Sequence[Any], about: About, grades: Any, name: str
) -> Evaluation:
    """The measures of a list, under the convention that makes one list, or the best, of several."""
    options: dict[str, Any] = {"purpose": about.purpose, "by": about.by, "catalogue": about.catalogue,
                               "history": about.history, "protocol": False, "name": name}  # fmt: skip
    if run.calls != "best":
        return evaluate(truth, run.one_list(grades), measures, **options)
    whole = evaluate(truth, replace(run, calls="union").one_list(), measures, **options)
    if any(measure.about != "judged items" for measure in whole.means):
        raise InputError.of("searches.best_of_lists")
    return _with_best(whole, truth, run)


def _with_best(whole: Evaluation, truth: JudgmentTable | None, run: Searches) -> Evaluation:
    """The best value of any call, for each query and measure."""
    values: dict[Measure, dict[str, Any]] = {
        measure: {name: np.array(getattr(of, name)) for name in Values.__slots__}
        for measure, of in whole.values.items()
    }
    at = {query: place for place, query in enumerate(whole.queries.to_list())}
    best: dict[Measure, dict[Any, _Best]] = {measure: {} for measure in whole.values}
    for call in range(1, int(run.rows["call"].max() or 0) + 1):  # type: ignore[arg-type]
        rows = run.rows.filter(pl.col("call") == call)
        asked = rows["query"].unique(maintain_order=True)
        score = -rows["place"].cast(pl.Float64)
        only = None if truth is None else _only(truth, asked)
        if only is not None and not len(only.query):
            continue
        one = evaluate(only, RunTable(rows["query"], rows["item"], score, run.source, scored=False), [*whole.values])
        for measure, of in one.values.items():
            sign = 1 if measure.higher_is_better else -1
            columns = (of.value, of.counted, of.numerator, of.denominator)
            for query, value, counted, above, below in zip(one.queries.to_list(), *columns, strict=True):
                known = best[measure].get(query)
                if counted and (known is None or sign * value > sign * known.value):
                    best[measure][query] = _Best(float(value), float(above), float(below))
    for measure, found in best.items():
        arrays = values[measure]
        for query, of_call in found.items():
            place = at[query]
            arrays["value"][place], arrays["counted"][place] = of_call.value, True
            arrays["numerator"][place], arrays["denominator"][place] = of_call.above, of_call.below
    made = {measure: Values(**arrays) for measure, arrays in values.items()}
    return replace(whole, values=made, means={m: aggregated(of, m.aggregate) for m, of in made.items()}, tie_bounds={})


@dataclass(frozen=True, slots=True)
class _Best:
    """The value of the best call."""

    value: float
    above: float
    below: float


def _only(truth: JudgmentTable, queries: pl.Series) -> JudgmentTable:
    kept = truth.query.is_in(queries.implode())
    subtopic = None if truth.subtopic is None else truth.subtopic.filter(kept)
    columns = (truth.query.filter(kept), truth.item.filter(kept), truth.grade.filter(kept))
    return JudgmentTable(*columns, truth.source, subtopic)


def _values_of(
    measures: Sequence[SearchMeasure], run: Searches, queries: Sequence[Any], grades: Any, hops: Any
) -> dict[Measure, Values]:
    """The values of measures of sessions, in the order of the queries of an evaluation."""
    lists = run.lists()
    judged, asked = set(grades), set(lists)
    made: dict[Measure, Values] = {}
    for measure in measures:
        chosen = {"judged": judged, "run": asked, "common": judged & asked}[measure.query_policy]
        parts = []
        for query in queries:
            question = AskedQuestion(lists.get(query, []), grades.get(query, {}), hops.get(query, {}), run.has_tokens)
            of_query = session_parts(question, measure)
            parts.append((of_query.value, of_query.counted and query in chosen, of_query.above, of_query.below))
        value, counted, above, below = (np.array(column) for column in zip(*parts, strict=True))
        made[measure] = Values(value.astype(np.float64), counted.astype(np.bool_), above.astype(np.float64),
                               below.astype(np.float64))  # fmt: skip
    return made


@dataclass(frozen=True, slots=True, repr=False)
class WorkedSession(Showable):
    """The value of a measure of searches for one question, worked out call by call."""

    measure: str
    query: str
    terms: tuple[Term, ...]
    above: float
    below: float
    value: float
    counted: bool

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        terms = [term._asdict() for term in self.terms]
        return {"measure": self.measure, "query": self.query, "rows": terms, "numerator": self.above,
                "denominator": self.below, "value": self.value, "counted": self.counted}  # fmt: skip

    def document(self, language: Language = "en") -> list[Block]:
        """A row for each returned item, then the quotient."""
        heads = [
            *(word("session_call", language), word("session_rank", language), word("session_item", language)),
            *(word("session_grade", language), word("session_gain", language)),
            *(word("session_weight", language), word("session_adds", language)),
        ]
        rows = tuple(
            (Cell(str(term.call)), Cell(str(term.place)), Cell(str(term.item)), Cell(term.grade), Cell(term.gain),
             Cell(term.weight), Cell(term.gain * term.weight))
            for term in self.terms
        )  # fmt: skip
        columns = tuple(Column(head, "text" if at <= 2 else "number") for at, head in enumerate(heads))
        title = word("session_title", language, measure=self.measure, query=self.query)
        kind = "session_value" if self.counted else "session_uncounted"
        numbers = {"above": f"{self.above:.6g}", "below": f"{self.below:.6g}", "value": f"{self.value:.6g}"}
        return [Heading(title, 1), Table(columns, rows), Paragraph(word(kind, language, **numbers))]


def explain_session(
    measure: Measure, judgments: object, run: Searches, query: object, columns: Mapping[str, str] | None
) -> WorkedSession:
    """Work out a measure of searches for one question."""
    of_truth = {role: to for role, to in (columns or {}).items() if role.rpartition(".")[2] not in _OF_CALLS}
    run, truth = _sides_alike(run, into_judgments(judgments, columns=of_truth or None).judgment_table())
    grades, hops = _judged(truth)
    lists = run.lists()
    asked = next((one for one in [*grades, *lists] if str(one) == str(query)), None)
    if asked is None or not isinstance(measure, SearchMeasure):
        raise NotFoundError.of("searches.no_query", query=str(query), source=run.source)
    question = AskedQuestion(lists.get(asked, []), grades.get(asked, {}), hops.get(asked, {}), run.has_tokens)
    parts = session_parts(question, measure)
    return WorkedSession(str(measure), str(asked), tuple(terms_of(question, measure)), parts.above, parts.below,
                         parts.value, parts.counted)  # fmt: skip


def plain_run(run: Searches, judgments: object) -> RunTable:
    """The one list of each query that a measure of a list is explained by."""
    if run.calls == "best":
        raise InputError.of("searches.explain_best")
    grades = _judged(into_judgments(judgments).judgment_table())[0] if judgments is not None else {}
    return run.one_list(grades)
