"""Many definitions on one placing: what definitions have in common is computed once.

Conventions that move items share a view; those that only say which queries count, or how their values become one
number, share the two parts of every quotient. A convention that cannot matter on this data (a tie rule where nothing is
tied, a gain where every grade is 0 or 1) takes its plain value, so that all its choices are one computation. Queries
alike are one query that counts several times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np

from rankmeter.arithmetic import FORMULAS, Parts, Views, aggregated
from rankmeter.asking import with_options
from rankmeter.definitions.space import DataFacts
from rankmeter.errors import MeasureError, with_hint
from rankmeter.inputs import is_path
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.files import read_run
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import GainMeasure
from rankmeter.measuring import values_from
from rankmeter.placing import PlacedRun
from rankmeter.placing.alike import one_of_each
from rankmeter.placing.placements import Ints, Placements, Plan, Subtopics
from rankmeter.planning import PlacingKey, into_placing

_DECIDED_AFTER = frozenset("aggregate queries empty miss blank".split())
"""The conventions that do not change the two parts of a quotient."""
ROOM = 200_000_000
"""How many bytes of parts are kept; beyond them what was shared is computed again."""
BYTES_A_QUERY = 64
"""About what the parts of one definition, and what they are made of, take for a query."""

Key = tuple[Any, ...]


@cache
def _decided_before(kind: Any) -> tuple[str, ...]:
    return tuple(
        option.name for option in fields(kind) if option.name not in _DECIDED_AFTER and option.name != "scores"
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """One placing, its views, and the conventions that cannot matter on it."""

    placements: Placements
    """One query of each kind."""
    times: Ints | None
    """How many queries each of them stands for; None for subtopics, where each stands for itself."""
    scored: bool
    views: Views
    plain: Mapping[str, Any]
    """The value that stands for all choices of a convention."""

    @classmethod
    def of(cls, run: PlacedRun, subtopics: Subtopics | None, *, appended: bool) -> _Placed:
        p, times = run.placements, None
        if not appended:
            p = replace(p, **p.rows(p.above < p.returned[p.query]))
        plain: dict[str, Any] = {}
        if subtopics is None:
            p, times = one_of_each(p)
            lowest, highest = p.best.min(initial=0.0), p.best.max(initial=0.0)
            if lowest >= 0 and p.grade.min(initial=0.0) >= 0:
                plain["negative"] = "unjudged"
            if highest <= 1 and not ((p.best > 0) & (p.best < 1)).any():
                plain["gain"] = "linear"
        if (p.tied <= 1).all():
            plain["ties"] = "item"
        if run.scored and (p.score > 0).all():
            plain["sign"] = "ignored"
        return cls(p, times, run.scored, Views(p, subtopics), plain)

    def key(self, measure: Any) -> Key:
        """What decides the two parts of a definition's quotients on this data."""
        plain = self.plain
        return (
            type(measure).name,
            *(
                plain[name] if name in plain and not _matters(measure, name) else getattr(measure, name)
                for name in _decided_before(type(measure))  # type: ignore[arg-type]
            ),
        )

    def plain_after(self, parts: Parts) -> dict[str, Any]:
        """The conventions that cannot matter once the parts are known: nobody is without relevant items, and so on."""
        p = self.placements
        plain: dict[str, Any] = {}
        if p.is_judged.all() and p.in_run.all():
            plain["queries"] = None
        if parts.has_relevant is None or parts.has_relevant.all():
            plain["empty"] = "zero"
        if parts.found is None or parts.found.all():
            plain["miss"] = "zero"
        if p.returned.all():
            plain["blank"] = "counted"
        return plain


def _matters(measure: Any, name: str) -> bool:
    """Whether a convention may matter all the same: a map of gains, a threshold, gains on a scale that is stated."""
    if name != "gain":
        return False
    named = isinstance(measure, GainMeasure) and isinstance(getattr(measure, "gain", None), str)
    return not named or measure.rel not in (None, 1)


class Bench:
    """Values of any definition on one pair of judgments and run.

    Parameters
    ----------
    judgments
        Judgments of any kind.
    run
        A run of any kind, or None where the judgments carry it.
    columns
        Columns of unusual names, as for ``evaluate``.
    """

    def __init__(self, judgments: object, run: object, columns: Mapping[str, str] | None = None) -> None:
        if is_path(run):
            # A file is read once, not for every placing.
            run = read_run(run, columns=columns_of(columns, "run"))  # type: ignore[arg-type]
        self._placing = into_placing(judgments, run, columns)
        self._ranked = isinstance(getattr(judgments, "placed", None), PlacedRun)
        self._runs: dict[PlacingKey, tuple[PlacedRun, Subtopics | None]] = {}
        self._placed: dict[tuple[PlacingKey, bool], _Placed] = {}
        self._parts: dict[Key, Parts] = {}
        self._after: dict[Key, Mapping[str, Any]] = {}
        self._chosen: dict[Key, float] = {}
        self._values: dict[Measure, float] = {}

    def value(self, measure: Measure) -> float:
        """The value of a measure over all queries; NaN where it has none."""
        found = self._values.get(measure)
        if found is None:
            found = self._values[measure] = self._computed(measure)
        return found

    def facts(self, measure: Measure) -> DataFacts:
        """What of the data decides which definitions are worth trying."""
        placed = self._views(measure)
        p = placed.placements
        graded = p.best if not getattr(measure, "subtopics", False) else np.empty(0)
        grades = tuple(float(grade) for grade in np.unique(graded[graded > 0])[:12])
        return DataFacts(grades, int(p.returned.max(initial=0)), placed.scored)

    def _computed(self, measure: Measure) -> float:
        if self._ranked and getattr(measure, "candidates", "") == "appended":
            raise MeasureError(f"{self._placing.run} was ranked already; candidates=appended needs another placing.")
        placed = self._views(measure)
        key: Key = (id(placed), *placed.key(measure))
        if key not in self._after:
            self._after[key] = placed.plain_after(self._parts_of(key, placed, measure))
        plain = self._after[key]
        chosen = (key, *(plain.get(name, getattr(measure, name, None)) for name in _DECIDED_AFTER))
        if chosen not in self._chosen:
            values = values_from(self._parts_of(key, placed, measure), measure, placed.placements)
            self._chosen[chosen] = aggregated(values, measure.aggregate, placed.times)
        return self._chosen[chosen]

    def _parts_of(self, key: Key, placed: _Placed, measure: Measure) -> Parts:
        if key not in self._parts:
            if (len(self._parts) + 1) * len(placed.placements) * BYTES_A_QUERY > ROOM:
                self._parts.clear()
                placed.views.forget()
            self._parts[key] = FORMULAS[type(measure).name](placed.views.of(measure), measure)  # type: ignore[arg-type]
        return self._parts[key]

    def _views(self, measure: Measure) -> _Placed:
        key = (getattr(measure, "scores", ""), measure.duplicates or "error", getattr(measure, "subtopics", False))
        appended = getattr(measure, "candidates", "") == "appended"
        if (key, appended) not in self._placed:
            if key not in self._runs:
                self._runs[key] = self._place(measure, key)
            made = _Placed.of(*self._runs[key], appended=appended)
            # Scores that order the items alike in single precision are one placing.
            same = (one for one in self._placed.values() if _order_alike(one, made))
            self._placed[key, appended] = next(same, made)
        return self._placed[key, appended]

    def _place(self, measure: Measure, key: PlacingKey) -> tuple[PlacedRun, Subtopics | None]:
        """Place everything that any definition may ask for."""
        with_options(measure, None, None)  # measures of events are refused
        if not isinstance(measure, RankedMeasure):
            fact = f"{measure} has no conventions to tell apart."
            raise MeasureError(with_hint(fact, "name a measure of ranking, such as NDCG@10"))
        place = self._placing.numbered if key[2] else self._placing.place
        if place is None:
            return self._placing.for_measures([measure], key)  # says that subtopics are missing
        plan = Plan(unreturned=not self._ranked, scores=key[0], duplicates=key[1])  # type: ignore[arg-type]
        return place(plan), self._placing.subtopics if key[2] else None


def _order_alike(one: _Placed, other: _Placed) -> bool:
    columns = ("query", "grade", "above", "tied", "higher_id", "earlier", "returned", "best")
    return (
        one.views.subtopics is other.views.subtopics
        and (one.times is other.times is None or np.array_equal(one.times, other.times))  # type: ignore[arg-type]
        and all(np.array_equal(getattr(one.placements, c), getattr(other.placements, c)) for c in columns)
    )
