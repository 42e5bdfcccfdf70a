"""Hunt for the smallest input on which two metrics differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from random import Random
from typing import Any, Protocol

from rankmeter.errors import InputError, check_number, check_whole
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, Heading, Paragraph, Table, text_table
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.conformance.cases import CaseQuery
from rankmeter.wings.conformance.checking import Search, claimed_by, questions
from rankmeter.wings.conformance.expectations import IMPOSSIBLE, SILENT, AskedCase, Expectations
from rankmeter.wings.conformance.known_definitions import at, shown
from rankmeter.wings.conformance.random_cases import random_cell, size, smaller
from rankmeter.wings.conformance.sight import Sight
from rankmeter.wings.conformance.subjects import Answered, Subject, into_subject
from rankmeter.wording import Language, word

BATCH = 250
"""How many inputs are tried before looking whether one of them differs."""


@dataclass(frozen=True, slots=True, repr=False)
class Hunted(ShownAsTable):
    """What a hunt found; made by :func:`rankmeter.hunt`."""

    name: str
    """Of the metric."""
    other: str
    """What it was compared with: another metric, or a definition."""
    tried: int
    """How many random inputs were tried."""
    seed: int
    k: int | None = None
    queries: dict[str, dict[str, Any]] | None = None
    """The smallest input found: the judgments and the run of each query; None where no difference was found."""
    got: float | None = None
    """What the metric gives on it."""
    error: str = ""
    """What it raises instead."""
    other_got: float | None = None
    other_error: str = ""

    @property
    def differs(self) -> bool:
        """Whether an input was found on which they differ."""
        return self.queries is not None

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {"differs": self.differs, **asdict(self)}

    def to_polars(self) -> pl.DataFrame:
        """The input on which they differ: a row for each item that is judged or returned; none where they agree."""
        kinds = {"query": pl.String, "item": pl.String, "grade": pl.Float64, "rank": pl.Int64, "score": pl.Float64}
        rows: list[tuple[Any, ...]] = []
        for query, held in (self.queries or {}).items():
            grades, listed = held["judgments"], held["run"]
            rows += [(query, item, grades.get(item), rank, score) for rank, (item, score) in enumerate(listed, 1)]
            returned = {item for item, _ in listed}
            rows += [(query, item, grade, None, None) for item, grade in grades.items() if item not in returned]
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def document(self, language: Language = "en") -> list[Block]:
        """The two values, and the input on which they differ."""
        title = Heading(word("hunt_title", language, name=self.name, other=self.other), 1)
        if self.queries is None:
            return [title, Paragraph(word("hunt_nothing", language, count=self.tried, seed=self.seed))]
        values = {
            "name": self.name,
            "other": self.other,
            "got": _shown_value(self.got, self.error, language),
            "expected": _shown_value(self.other_got, self.other_error, language),
        }
        blocks: list[Block] = [title, Paragraph(word("hunt_found", language, **values))]
        if self.k is not None:
            blocks.append(Paragraph(word("hunt_k", language, k=self.k)))
        for name, query in self.queries.items():
            if len(self.queries) > 1:
                blocks.append(Heading(word("hunt_query", language, query=name)))
            blocks.append(_table(query, language))
        return [*blocks, Paragraph(word("hunt_tried", language, count=self.tried, seed=self.seed), "note")]


def hunt(
    function: Callable[..., object] | str | Subject,
    other: Callable[..., object] | str | Measure | Subject | None = None,
    *,
    inputs: int = 1000,
    seed: int = 0,
    arguments: str | None = None,
    other_arguments: str | None = None,
    tolerance: float = 1e-6,
) -> Hunted:
    """Hunt for the smallest input on which a metric differs from a definition or from another metric.

    Random inputs are tried; the first on which they differ is shrunk, row by row, to the smallest that still does.

    Parameters
    ----------
    function
        The function, or its name: ``"package.module:function"``.
    other
        A definition (``"nDCG@10"``), another function or its name. Without it, the definition nearest to the function,
        as :func:`rankmeter.check` finds it.
    inputs
        How many random inputs are tried.
    seed
        Of the random inputs: the same seed tries the same ones.
    arguments, other_arguments
        What the parameters are given, as :func:`rankmeter.check` takes it.
    tolerance
        How far apart two values may be.

    Returns
    -------
    Hunted
        ``differs``, and if so the input (``queries``, ``k``) with both values: ``got`` and ``other_got``.

    Examples
    --------
    Two ways to write recall, alike until an item is returned twice:

    >>> import rankmeter as rm
    >>> def counted(retrieved, relevant, k):
    ...     return sum(item in relevant for item in retrieved[:k]) / len(relevant) if relevant else 0.0
    >>> def of_a_set(retrieved, relevant, k):
    ...     return len(set(retrieved[:k]) & relevant) / len(relevant) if relevant else 0.0
    >>> found = rm.hunt(counted, of_a_set)
    >>> found.k, found.got, found.other_got
    (2, 2.0, 1.0)
    >>> found.queries
    {'q1': {'judgments': {'a': 1.0}, 'run': [['a', 2.0], ['a', 1.0]]}}
    """
    check_number("tolerance", tolerance)
    check_whole("inputs", inputs, 1)
    check_whole("seed", seed)
    subject = into_subject(function, arguments)
    rival = _rival(_nearest(subject, tolerance) if other is None else other, subject, other_arguments)
    pair = _Pair(subject, rival, tolerance)
    draw = Random(seed)  # noqa: S311 (inputs, not secrets)
    found = None
    for start in range(0, inputs, BATCH):
        numbers = range(start, min(start + BATCH, inputs))
        found = pair.smallest([random_cell(number, draw, pair.sight, takes_k=subject.takes_k) for number in numbers])
        if found is not None:
            break
    tried = min(start + BATCH, inputs)
    if found is None:
        return Hunted(subject.name, rival.name, tried, seed)
    while (less := pair.smallest(smaller(found[1]))) is not None and less[0] <= found[0]:
        found = less
    return _result(found[1], pair, tried, seed)


def _nearest(subject: Subject, tolerance: float) -> Measure:
    cells = questions(subject)
    return Search(Expectations(cells, subject.sight), subject.answers(cells), tolerance).nearest(subject, None)[0]


class _Rival(Protocol):
    name: str
    sight: Sight

    def answers(self, cells: Sequence[AskedCase]) -> list[Answered]: ...


class _Definition:
    """A definition that answers as a function does."""

    def __init__(self, measure: Measure, sight: Sight) -> None:
        self.measure = measure
        self.name = shown(measure)
        self.sight = sight

    def answers(self, cells: Sequence[AskedCase]) -> list[Answered]:
        """Its value on each question; where it states no rule, that is its error."""
        expected = Expectations(cells, self.sight).of(self.measure)
        return [Answered(None, value) if isinstance(value, str) else Answered(value) for value in expected]


def _rival(other: Any, subject: Subject, arguments: str | None) -> _Rival:
    is_function = callable(other) and not isinstance(other, Measure)
    if is_function or hasattr(other, "answers") or (isinstance(other, str) and ":" in other and "(" not in other):
        rival = into_subject(other, arguments)
        if rival.takes_k != subject.takes_k:
            raise InputError.of("conformance.only_one_takes_k", name=subject.name, other=rival.name)
        return rival
    return _Definition(claimed_by(other, subject), subject.sight)


class _Pair:
    """Two metrics and what both of them can see."""

    def __init__(self, one: Subject, other: _Rival, tolerance: float) -> None:
        self.one, self.other, self.tolerance = one, other, tolerance
        names = [field.name for field in fields(Sight)]
        self.sight = Sight(**{name: getattr(one.sight, name) and getattr(other.sight, name) for name in names})

    def answers(self, cells: Sequence[AskedCase]) -> list[tuple[Answered, Answered]]:
        """What each answers to each question."""
        return list(zip(self.one.answers(cells), self.other.answers(cells), strict=True))

    def smallest(self, cells: Sequence[AskedCase]) -> tuple[bool, AskedCase] | None:
        """The smallest question on which they differ, and whether one of them only raises; two numbers come first."""
        if not cells:
            return None
        pairs = zip(cells, self.answers(cells), strict=True)
        off = [(any(answer.error for answer in both), cell) for cell, both in pairs if self._differ(*both)]
        return min(off, key=lambda pair: (pair[0], size(pair[1])), default=None)

    def _differ(self, one: Answered, other: Answered) -> bool:
        if other.error in (SILENT, IMPOSSIBLE):
            return False
        got, expected = _value(one), _value(other)
        if got is None or expected is None:
            return got is not expected
        if math.isinf(got) or math.isinf(expected):
            return got != expected
        return abs(got - expected) > self.tolerance * max(1.0, abs(expected))


def _value(answer: Answered) -> float | None:
    """The number; nothing, NaN and an error all say that there is none."""
    return None if answer.value is None or math.isnan(answer.value) else answer.value


def _result(cell: AskedCase, pair: _Pair, tried: int, seed: int) -> Hunted:
    ((one, other),) = pair.answers([cell])
    name = pair.other.name
    if isinstance(pair.other, _Definition):
        name = shown(at(pair.other.measure, cell.k))
    queries = {name: _data(query) for name, query in cell.case.queries.items()}
    return Hunted(pair.one.name, name, tried, seed, cell.k, queries, one.value, one.error, other.value, other.error)


def _data(query: CaseQuery) -> dict[str, Any]:
    return {
        "judgments": None if query.judgments is None else dict(query.judgments),
        "run": None if query.run is None else [list(row) for row in query.run],
    }


def _shown_value(value: float | None, error: str, language: Language) -> str:
    if error:
        return error.rstrip(".")
    return word("check_no_value", language) if value is None else f"{value:.6g}"


def _table(query: dict[str, Any], language: Language) -> Table:
    """The returned items as they were given, then the judged ones that were not returned."""
    grades = query["judgments"] or {}
    returned = {item for item, _ in query["run"] or ()}
    rows = [
        (str(place), item, f"{grades[item]:g}" if item in grades else "", f"{score:g}")
        for place, (item, score) in enumerate(query["run"] or (), 1)
    ]
    rows += [("", item, f"{grade:g}", "") for item, grade in grades.items() if item not in returned]
    heads = [
        word(head, language) for head in ("hunt_head_place", "hunt_head_item", "hunt_head_grade", "hunt_head_score")
    ]
    return text_table(heads, rows, ("number", "text", "number", "number"), name="input")
