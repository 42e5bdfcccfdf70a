"""What a function can see of a case: scores, grades, repeated items, several queries; definitions see no more."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from rankmeter.errors import RankmeterError
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure
from rankmeter.measures.base import RankedMeasure
from rankmeter.wings.conformance.cases import CaseQuery, Id, PublishedCase


@dataclass(frozen=True, slots=True)
class Sight:
    """What the arguments of a function tell it."""

    scores: bool = True
    grades: bool = True
    """Whether it sees the grades of all judged items, not only which are relevant."""
    repeats: bool = True
    """Whether a list may hold an item twice: a mapping cannot."""
    several: bool = True
    """Whether it takes several queries at once."""
    absent: bool = True
    """Whether a query may be missing on one side."""
    ids: bool = True

    def sees(self, case: PublishedCase) -> bool:
        """Whether the question of a case can be asked."""
        needs = {
            "ties": self.scores,
            "sign": self.scores,
            "negative": self.grades,
            "duplicates": self.repeats,
            "ids": self.ids,
        }
        if not needs.get(case.topic, True):
            return False
        if case.is_single:
            return True
        whole = all(query.judgments is not None and query.run is not None for query in case.queries.values())
        return self.several and (whole or self.absent)

    def judged(self, query: CaseQuery) -> dict[Id, float]:
        """The judgments of a query as far as they are seen; a query without a relevant item keeps one of grade 0."""
        if self.grades:
            return query.grades
        relevant: dict[Id, float] = {item: 1 for item, grade in query.grades.items() if grade >= 1}
        return relevant or dict.fromkeys(query.grades, 0)

    def returned(self, query: CaseQuery) -> Any:
        """The list of a query: with scores where they are seen, and where no item is repeated."""
        scores = dict(query.run or ())
        return scores if self.scores and len(scores) == len(query.run or ()) else query.ranked

    def data(self, case: PublishedCase) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """The judgments and the run of a case."""
        judgments = {name: self.judged(query) for name, query in case.queries.items() if query.judgments is not None}
        run = {name: self.returned(query) for name, query in case.queries.items() if query.run is not None}
        return judgments, run

    def plain(self, definition: Measure) -> Measure:
        """A definition without what cannot be seen, so that those that differ in nothing else are one."""
        if not isinstance(definition, RankedMeasure):
            return definition
        unseen: dict[str, Any] = {"duplicates": None}
        if not self.scores:
            usual = type(definition)()
            unseen |= {"ties": usual.ties, "scores": usual.scores, "sign": usual.sign}
        if not self.several:
            unseen |= {"queries": None, "aggregate": type(definition)().aggregate}
        if not self.grades:
            unseen["negative"] = type(definition)().negative
            if getattr(definition, "gain", "linear") in ("exp2", "binary"):
                unseen["gain"] = "linear"
        for option, value in unseen.items():
            with suppress(RankmeterError):  # another option may need it
                definition = definition(**{option: value})
        return definition
