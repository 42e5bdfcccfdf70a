"""One measure worked out for one query, row by row: what stands where, what it adds, how the value comes about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, overload

import numpy as np

from rankmeter import wording
from rankmeter.arithmetic import Views
from rankmeter.arithmetic.gain import gains_of, rank_biased_gains, satisfaction
from rankmeter.arithmetic.weights import DISCOUNTS, Discount, flat, geometric
from rankmeter.definitions.explain import Explanation, explain_measure
from rankmeter.definitions.one_query import OneQuery, Place, candidates, one_query, ranking
from rankmeter.errors import InputError, MeasureError
from rankmeter.evaluating.measuring import groups_of, refuse_unanswerable, values_under
from rankmeter.evaluating.pairing import into_pair
from rankmeter.measures import Measure, RankedMeasure, parse
from rankmeter.measures.base import ANY_POSITIVE, LOWERING, SINGLE_ORDER_TIES
from rankmeter.measures.dialects import find_dialect
from rankmeter.measures.prose import Language
from rankmeter.placing.pairs import without_any_subtopic
from rankmeter.showing.document import Block, Cell, Column, Heading, Paragraph, Table
from rankmeter.showing.showable import Showable
from rankmeter.wings import is_foreign
from rankmeter.wings.loading import answering, explained
from rankmeter.wording import chosen_language, is_about_users, of_its_lists, speak_of_users

MOST_ROWS = 1000
_ANOTHER = "\0"


@dataclass(frozen=True, slots=True)
class WorkedRow:
    """One place of the list."""

    rank: str
    """The rank under the tie rule; the ranks of a tie as ``3-5`` if the rule leaves its order open."""
    item: str
    score: float | None
    grade: float | None
    """None if the item is not judged."""
    gain: float | None
    discount: float | None
    contribution: float
    """What the row adds to the sum (measures of gain) or to the value of a list that ends here."""
    total: float
    """The running total; in the last row the numerator, or the value."""
    topics: str = ""
    """The subtopics that the item is relevant to, for measures that look at them."""
    precision: float | None = None
    """The share of relevant items up to this rank, for measures that add precisions up."""


@dataclass(frozen=True, slots=True)
class IdealRow:
    """One place of the ideal list."""

    rank: int
    grade: float
    gain: float
    discount: float
    contribution: float
    total: float


@dataclass(frozen=True, slots=True, repr=False)
class Worked(Showable):
    """A value and how it comes about."""

    measure: str
    query: str
    rows: list[WorkedRow]
    ideal: list[IdealRow]
    """The ideal list of nDCG; empty for other measures."""
    adds_up: bool
    """Whether the rows add up to the numerator; if not, the total is the value of a list that ends there."""
    numerator: float
    denominator: float
    value: float | None
    """None if the query does not count."""
    facts: dict[str, float]
    """R, the length of the list, and the number of judged items."""
    hidden: int
    """The number of further rows that are not shown."""
    hidden_adds: float = 0.0
    """What they add together; 0 except for very long lists."""
    policy: str = ""
    """The convention that decides the value instead of the rows (``empty=one``); empty if the rows do."""
    text: str = ""
    """The text of the query, if known."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The titles of items, if known."""
    of_user: bool = False
    """Whether what is called a query here is a user."""

    def document(self, language: Language = "en") -> list[Block]:
        """The rows of the list, for nDCG those of the ideal list too, and how the value comes about."""
        words = wording.words("definitions/worked", language, users=self.of_user)
        names = ["rank", "item", "grade"]
        if any(row.score is not None for row in self.rows):
            names.insert(2, "score")
        if any(row.topics for row in self.rows):
            names.append("topics")
        if any(row.precision is not None for row in self.rows):
            names.append("precision")
        elif self.adds_up:
            names += ["gain", "discount"]
        names += ["contribution", "total" if self.adds_up else "value_so_far"]
        top = max([1.0, *(row.grade or 0.0 for row in self.rows), *(row.grade for row in self.ideal)])
        query = f"{self.query} ({self.text})" if self.text else self.query
        blocks: list[Block] = [
            Heading(words["title"].format(measure=self.measure, query=query)),
            _table(self.rows, names, words, top, self.titles),
        ]
        if self.ideal:
            ideal = ["rank", "grade", "gain", "discount", "contribution", "total"]
            blocks += [Heading(words["ideal"]), _table(self.ideal, ideal, words, top)]
        return [*blocks, *map(Paragraph, self._closing(words))]

    def _closing(self, words: Mapping[str, str]) -> list[str]:
        """The sentences below the table: what is left out, what is counted, and the quotient."""
        hidden = "hidden_adds" if self.hidden_adds else "hidden"
        said = [words[hidden].format(count=self.hidden, adds=f"{self.hidden_adds:.6g}")] if self.hidden else []
        said.append(words["facts"].format(**self.facts))
        if self.value is None:
            return [*said, words["skipped"]]
        if self.policy:
            said.append(words["policy"].format(policy=self.policy))
        form = "alone" if self.denominator == 1 or self.policy else "quotient"
        parts = {"above": f"{self.numerator:.6g}", "below": f"{self.denominator:.6g}", "value": repr(self.value)}
        return [*said, words[form].format(measure=self.measure, **parts)]


@overload
def explain(measure: Measure, *, dialect: str | None = None) -> Explanation: ...


@overload
def explain(measure: str, *, dialect: str) -> Explanation: ...


@overload
def explain(measure: str, *, dialect: None = None) -> Explanation | Any: ...  # Any: what a wing tells of its names


@overload
def explain(measure: Showable) -> Showable: ...


@overload
def explain(
    measure: str | Measure,
    judgments: object,
    run: object = None,
    *,
    query: object,
    columns: Any = None,
    dialect: str | None = None,
    titles: object = None,
) -> Worked: ...


@overload
def explain(
    measure: str | Measure,
    judgments: object,
    run: object = None,
    *,
    user: object,
    columns: Any = None,
    dialect: str | None = None,
    titles: object = None,
) -> Worked: ...


@of_its_lists
def explain(
    measure: str | Measure | Showable,
    judgments: object = None,
    run: object = None,
    *,
    query: object = None,
    user: object = None,
    columns: Any = None,
    dialect: str | None = None,
    titles: object = None,
) -> Worked | Explanation | Showable:
    """Explain what a measure means; with judgments, a run and a query, work out its value row by row.

    Parameters
    ----------
    measure
        A measure or its name; with ``dialect`` the name of that tool's metric. A method of fusion (``rrf``,
        ``qdrant:dbsf``), a normalisation or a strategy of a split (``last_n(1)``, ``recbole:LS``) gives a table of what
        tools do under it; a protocol, or a file that has one, says what each of its steps does to a number.
    judgments, run
        As for :func:`rankmeter.evaluate`. Without them the measure is explained in general.
    query, user
        The query, or the user, whose value is worked out.
    columns
        Unusual column names, as for :func:`rankmeter.evaluate`.
    dialect
        The tool whose definition is meant, such as ``trec_eval:9``.
    titles
        Texts of queries and items, as for reports.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rm.explain("MAP").title
    'Average precision'
    >>> worked = rm.explain("nDCG@3", {"q": {"a": 2, "b": 1}}, {"q": ["a", "x", "b"]}, query="q")
    >>> [(row.item, row.gain, round(row.contribution, 4)) for row in worked.rows]
    [('a', 2.0, 2.0), ('x', 0.0, 0.0), ('b', 1.0, 0.5)]
    >>> worked.numerator, round(worked.denominator, 4), round(worked.value, 4)
    (2.5, 2.6309, 0.9502)
    >>> graded = {"q": {"a": 2, "b": 1}}
    >>> round(rm.explain("NDCG@3", graded, {"q": ["a", "x", "b"]}, query="q", dialect="recbole").value, 4)
    0.9197
    """
    if user is not None:
        speak_of_users()
        query = user
    in_general = judgments is None and run is None and query is None
    if isinstance(measure, str):
        text = measure
        try:
            measure = parse(text) if dialect is None else find_dialect(dialect).measure(text)
        except MeasureError:
            told: Any = explained(text) if in_general and dialect is None else None
            if told is None:
                raise
            return told  # type: ignore[no-any-return]  # what a wing shows
    if in_general or not isinstance(measure, Measure):
        return _in_general(measure)
    if query is None:
        raise InputError.of("definitions.which_query", measure=str(measure))
    if measure.about == "events":
        raise MeasureError.of("definitions.of_events", measure=str(measure))
    if measure.about == "searches" or (is_foreign(run) and hasattr(run, "calls")):
        wing = answering("evaluate.calls")
        several = wing.into_searches(run, None, columns)
        if measure.about == "searches":
            session: Worked = wing.explain_session(measure, judgments, several, query, columns)
            return session
        run = wing.plain_run(several, judgments)
    if not isinstance(measure, RankedMeasure):
        raise MeasureError.of("definitions.of_whole_run", measure=str(measure))
    worked = work_out(measure, one_query(judgments, run, query, columns=columns))
    if titles is None:
        return worked
    from rankmeter.inputs.titles import into_titles  # loaded if there are titles

    known = into_titles(titles)
    return replace(
        worked, text=known.query(worked.query), titles={row.item: known.item(row.item) for row in worked.rows}
    )


def _in_general(told: Measure | Showable) -> Explanation | Showable:
    """A measure in words, or what something tells of itself."""
    if isinstance(told, Measure):
        return explain_measure(told, language=chosen_language())
    shown: Showable | None = explained(told)
    if shown is None:
        raise InputError.of("definitions.not_explained", type=type(told).__name__)
    return shown


def work_out(measure: RankedMeasure, data: OneQuery) -> Worked:
    """Work out the value of a measure from the data of one query."""
    if measure.subtopics and data.topics is None:
        raise without_any_subtopic(data.source)
    refuse_unanswerable(measure, scored=data.scored, highest=math.inf)
    name = str(measure)
    if measure.itself == "removed":  # here once, as the heads of the list are measured under other names
        listed = {item: score for item, score in data.scores.items() if item != data.query}
        measure, data = measure(itself="kept"), replace(data, scores=listed)
    found = _value(measure, data)
    chosen = {"judged": data.is_judged, "run": data.in_run, "common": data.is_judged and data.in_run}
    value = found.value if found.counted and chosen[measure.query_policy] else None
    places = ranking(data, measure)
    adds_up = adds_up_by_rows(measure)
    if adds_up and measure.worked == "reading":
        rows = _reading_rows(measure, places)
    elif adds_up and measure.worked == "precisions":
        rows = _precision_rows(measure, places)
    else:
        rows = _gain_rows(measure, places) if adds_up else _growing_rows(measure, data, places, value)
    shown = _until_nothing_more(rows, measure)
    return Worked(
        measure=name,
        query=str(data.query),
        rows=rows[:shown],
        ideal=_ideal_rows(measure, data, places) if measure.worked == "ideal" and found.denominator else [],
        adds_up=adds_up,
        numerator=found.numerator,
        denominator=found.denominator,
        value=value,
        facts=_worked_facts(measure, data),
        hidden=len(rows) - shown,
        hidden_adds=math.fsum(row.contribution for row in rows[shown:]),
        policy=_policy(measure, data, found.value),
        of_user=is_about_users(),
    )


def adds_up_by_rows(measure: RankedMeasure) -> bool:
    """Whether the value is a sum over the rows of a list, perhaps over a divisor."""
    if measure.worked == "precisions":
        options: Any = measure
        return options.ties in SINGLE_ORDER_TIES and options.ranks == "relevant" and not isinstance(options.rel, str)
    return measure.worked != "growing"


class _ListValue(NamedTuple):
    """The value of one list."""

    value: float
    counted: bool
    numerator: float
    denominator: float


def _value(measure: RankedMeasure, data: OneQuery) -> _ListValue:
    return _list_values(measure, data, {data.query: data.scores})[data.query]


def _list_values(
    measure: RankedMeasure, data: OneQuery, lists: Mapping[Any, Mapping[str, float]]
) -> dict[Any, _ListValue]:
    """The value of each list, by its name, given the judgments of the query.

    Unlike in a whole run, no item of one query need be as relevant as the measure's threshold.
    """
    runs: Any = lists if data.scored else {name: list(listed) for name, listed in lists.items()}
    judged: dict[Any, Any] = dict.fromkeys(lists, data.truth)
    if measure.subtopics:
        # Shows that the judgments have subtopics even if this query has none.
        judged[_ANOTHER] = {_ANOTHER: {_ANOTHER: 1.0}}
    pair = into_pair(judged, runs)
    group = groups_of([measure])[0]
    placed = pair.place(group.wide if pair.wide else group.plan)
    under = measure(queries="judged" if data.is_judged else "run")
    values = values_under(under, Views(placed.placements, placed.subtopics), placed)
    rows = zip(*(getattr(values, name).tolist() for name in _ListValue._fields), strict=True)
    return dict(zip(placed.queries.to_list(), map(_ListValue._make, rows), strict=True))


def _policy(measure: RankedMeasure, data: OneQuery, value: float) -> str:
    """The convention that decides the value instead of the rows, if one does."""
    if not data.scores and measure.blank == "nan":
        return "blank=nan"
    if measure.unjudged in ("nan", "undecided") and math.isnan(value):
        return f"unjudged={measure.unjudged}"
    if measure.digits is not None:
        return f"digits={measure.digits}"
    if measure.empty in ("one", "nan") or (measure.empty == "silent" and not data.scores):
        skipping = measure(empty="skip", miss="zero", blank="counted")
        if not _value(skipping, data).counted:
            return f"empty={measure.empty}"
    return ""


def _until_nothing_more(rows: list[WorkedRow], measure: RankedMeasure) -> int:
    """How many rows to show: up to the cutoff, or up to the last that adds something and a few more."""
    cutoff = measure.cutoff if measure.unjudged == "nonrelevant" else None
    before = [0.0, *(row.total for row in rows)]
    telling = [
        number
        for number, row in enumerate(rows, 1)
        if row.contribution or math.isnan(before[number - 1]) or (row.grade and cutoff is None)
    ]
    last = max(telling, default=0)
    return min(len(rows), last + 3 if cutoff is None else max(last, cutoff), MOST_ROWS)


def _gain_rows(measure: Any, places: list[Place]) -> list[WorkedRow]:
    """Rows with gain and discount."""
    gains, discount = _weighing(measure)
    grades = np.array([place.grade if place.grade is not None and place.placed else 0.0 for place in places])
    gain = gains(grades, measure)
    rows, total = [], 0.0
    for place, gained in zip(places, gain.tolist(), strict=True):
        weight = _weight(place, discount, measure.cutoff) if place.placed else None
        added = gained * weight if weight is not None else 0.0
        total += added
        rows.append(_worked_row(place, added, total, gained if place.placed else 0.0, weight))
    return rows


def _weighing(measure: Any) -> tuple[Any, Discount]:
    """The functions that give the gain of a grade and the weight of a rank."""
    match measure.worked:
        case "gains":
            return gains_of, flat
        case "patience":
            whole, weight = 100.0 if measure.scale == "percent" else 1.0, geometric(measure.p)
            return rank_biased_gains, lambda rank: whole * weight(rank)
    return gains_of, DISCOUNTS[measure.discount]


def _reading_rows(measure: Any, places: list[Place]) -> list[WorkedRow]:
    """ERR: the gain is the chance that the item satisfies, the discount the chance to read that far over the rank."""
    rows, total, reading = [], 0.0, 1.0
    chances = satisfaction(np.array([place.grade or 0.0 for place in places]), measure).tolist()
    for place, satisfied in zip(places, chances, strict=True):
        rank = place.ranks[0]
        if not place.placed or (measure.cutoff is not None and rank > measure.cutoff):
            rows.append(_worked_row(place, 0.0, total, 0.0, None if not place.placed else 0.0))
            continue
        added = reading * satisfied / rank
        total += added
        rows.append(_worked_row(place, added, total, satisfied, reading / rank))
        reading *= 1.0 - satisfied
    return rows


def _precision_rows(measure: Any, places: list[Place]) -> list[WorkedRow]:
    """AP: a relevant item adds the precision at its rank."""
    rows, total, found = [], 0.0, 0
    for place in places:
        rank, is_hit = place.ranks[0], place.placed and place.grade is not None and place.grade >= measure.rel
        found += is_hit
        added = found / rank if is_hit and (measure.cutoff is None or rank <= measure.cutoff) else 0.0
        total += added
        rows.append(_worked_row(place, added, total, precision=found / rank))
    return rows


def _weight(place: Place, discount: Discount, cutoff: int | None) -> float:
    """The discount of the rank; in a tie whose order is open, the mean over its ranks."""
    weights = discount(np.array(place.ranks))[: None if cutoff is None else max(cutoff + 1 - place.ranks[0], 0)]
    return math.fsum(weights.tolist()) / len(place.ranks)


def _growing_rows(measure: RankedMeasure, data: OneQuery, places: list[Place], whole: float | None) -> list[WorkedRow]:
    """The value of the list cut after each place; what a place adds is the difference."""
    value = _values_of_heads(measure, data, [place for place in places if place.returned][:MOST_ROWS])
    if whole is not None:
        value[len(places)] = whole
    rows: list[WorkedRow] = []
    total, known = 0.0, 0.0
    for number, place in enumerate(places, 1):
        total = value.get(number, total)
        # A list that ends before the first relevant item may have no value: nothing was added yet.
        added = 0.0 if math.isnan(total) else total - known
        known += added
        rows.append(_worked_row(place, added, total, topics=_topics(measure, data, place)))
    return rows


def _values_of_heads(measure: RankedMeasure, data: OneQuery, places: list[Place]) -> dict[int, float]:
    """The value of the list up to each place that does not split an open tie."""
    ends = [end for end in range(1, len(places)) if places[end].rank != places[end - 1].rank]
    if not ends:
        return {}
    # The places are already in order; tie rules that follow the order of the data must follow this one.
    same = measure(ties="input") if measure.ties in ("input", "reversed") else measure
    heads = {str(end): {place.item: data.scores[place.item] for place in places[:end]} for end in ends}
    values = _list_values(same, data, heads)
    return {end: values[str(end)].value for end in ends}


def _worked_row(
    place: Place, added: float, total: float, gain: float | None = None, discount: float | None = None, **more: Any
) -> WorkedRow:
    return WorkedRow(place.rank, place.item, place.score, place.grade, gain, discount, added, total, **more)


def _topics(measure: RankedMeasure, data: OneQuery, place: Place) -> str:
    """The subtopics that an item is relevant to."""
    if not measure.subtopics or data.topics is None:
        return ""
    return ", ".join(sorted(topic for topic, grade in data.topics.get(place.item, {}).items() if grade > 0))


def _ideal_rows(measure: Any, data: OneQuery, places: list[Place]) -> list[IdealRow]:
    grades = candidates(data, measure)
    size = len(grades) if measure.ideal == "uncut" or measure.cutoff is None else measure.cutoff
    if measure.ideal in ("list", "top"):
        deepest = measure.cutoff if measure.ideal == "top" and measure.cutoff is not None else len(places)
        inside = [place for place in places if place.placed and place.ranks[0] <= deepest]
        grades = [place.grade for place in inside if place.grade is not None]
    elif measure.ideal == "length":
        size = min(size, len(places))
    elif measure.ideal in ("full", "full-list"):
        size = measure.cutoff if measure.ideal == "full" else min(measure.cutoff or len(places), len(places))
        grades = [measure.threshold] * size
    gain = gains_of(np.array(grades, float), measure)
    rows, total = [], 0.0
    for rank, best in enumerate(np.argsort(-gain, kind="stable")[:size], 1):
        if gain[best] <= 0 and measure.negative not in LOWERING:
            break
        weight = float(DISCOUNTS[measure.discount](np.array([rank]))[0])
        total += float(gain[best]) * weight
        rows.append(IdealRow(rank, float(grades[best]), float(gain[best]), weight, float(gain[best]) * weight, total))
    return rows


def _worked_facts(measure: Any, data: OneQuery) -> dict[str, float]:
    lowest = ANY_POSITIVE if measure.threshold is None else measure.threshold
    relevant = sum(grade >= lowest for grade in candidates(data, measure))
    return {"R": float(relevant), "returned": float(len(data.scores)), "judged": float(len(data.judgments))}


_IMPORTANCE = {"score": 3, "gain": 2, "discount": 2, "precision": 1, "topics": 1}


def _table(
    rows: Sequence[WorkedRow | IdealRow],
    names: Sequence[str],
    words: dict[str, str],
    top: float,
    titles: Mapping[str, str] | None = None,
) -> Table:
    columns = [
        Column(words[name], "text" if name in ("item", "topics") else "number", _IMPORTANCE.get(name, 0))
        for name in names
    ]
    fields = ["total" if name == "value_so_far" else name for name in names]
    lines = []
    for row in rows:
        cells = {name: _cell(getattr(row, name)) for name in fields}
        if titles and isinstance(row, WorkedRow) and (title := titles.get(row.item)):
            cells["item"] = Cell(f"{title} ({row.item})")
        # Each quarter of the grading scale has a shade, as in the report.
        shade = None if row.grade is None else max(0, min(4, math.ceil(4 * row.grade / top)))
        cells["grade"] = replace(cells["grade"], shade=shade)
        lines.append(tuple(cells.values()))
    return Table(tuple(columns), tuple(lines))


def _cell(value: object) -> Cell:
    """Numbers with six digits, enough to follow a sum by hand."""
    if isinstance(value, float):
        return Cell(f"{value:.6g}", sort=value)
    return Cell(value if value is None or isinstance(value, str) else str(value))
