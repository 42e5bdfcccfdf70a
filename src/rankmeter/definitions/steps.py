"""From one tool's number to another's in steps: one convention after another, each with what it adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rankmeter import wording
from rankmeter.definitions.bench import Bench
from rankmeter.definitions.space import Changes, differences
from rankmeter.definitions.spoken import Spoken, spoken_by
from rankmeter.errors import MeasureError
from rankmeter.measures import Measure
from rankmeter.measures.dialects import CUTS
from rankmeter.showing.document import Block, items, text_table
from rankmeter.showing.showable import Showable
from rankmeter.wording import Language


@dataclass(frozen=True, slots=True)
class Step:
    """A change of conventions, and what it does to the number."""

    changes: Changes
    """One change; several if one without the other is not a definition or has no value."""
    measure: Measure
    """The definition after the step."""
    value: float
    adds: float


@dataclass(frozen=True, slots=True, repr=False)
class ToolDifference(Showable):
    """The difference between two tools' numbers as a sum of steps."""

    first: Spoken
    last: Spoken
    start: float
    steps: tuple[Step, ...]

    @property
    def end(self) -> float:
        """The number of the second tool."""
        return self.steps[-1].value if self.steps else self.start

    @property
    def difference(self) -> float:
        """What the steps add up to."""
        return self.end - self.start

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "from": {"tool": self.first.dialect, "measure": str(self.first.measure), "value": self.start},
            "to": {"tool": self.last.dialect, "measure": str(self.last.measure), "value": self.end},
            "difference": self.difference,
            "steps": [
                {
                    "changes": [{"axis": change.axis, "value": change.value} for change in step.changes],
                    "measure": str(step.measure),
                    "value": step.value,
                    "adds": step.adds,
                }
                for step in self.steps
            ],
        }

    def document(self, language: Language = "en") -> list[Block]:
        """The steps as a table, and how to read them."""
        words = wording.words("definitions/steps", language)
        rows = [[f"{self.first.dialect} {self.first.metric}", f"{self.start:.6f}", "", str(self.first.measure)]]
        rows += [
            [", ".join(map(str, step.changes)), f"{step.value:.6f}", _signed(step.adds), str(step.measure)]
            for step in self.steps
        ]
        ending = f"{self.last.dialect} {self.last.metric}"
        rows.append([ending, f"{self.end:.6f}", _signed(self.difference), words["in_all"]])
        sentences = [words["order"], words["other_order"]] if self.steps else [words["same"]]
        if math.isnan(self.difference):
            sentences.append(words["nan"])
        return [text_table(words["head"].split("|"), rows, ("text", "number", "number", "text")), *items(sentences)]


def _signed(value: float) -> str:
    return "nan" if math.isnan(value) else f"{value:+.6f}"


def between(
    judgments: object,
    run: object,
    first: str,
    second: str,
    metric: str,
    *,
    columns: Mapping[str, str] | None = None,
) -> ToolDifference:
    """Explain the difference between two tools' numbers as steps from one definition to the other.

    Parameters
    ----------
    judgments, run
        As for ``evaluate``.
    first, second
        Dialects such as ``trec_eval:9``, or ``rankmeter`` for rankmeter's own definition.
    metric
        The name of the metric; if a tool has none of that name, its metric for the same measure is taken.
    columns
        Unusual column names, as for ``evaluate``.

    Examples
    --------
    >>> from rankmeter import between
    >>> judgments = {"q1": {"a": 3, "b": 1}, "q2": {"c": 2}}
    >>> run = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"x": 2.0, "c": 1.0}}
    >>> path = between(judgments, run, "rankmeter", "recbole", "NDCG@10")
    >>> [(str(step.changes[0]), round(step.adds, 6)) for step in path.steps]
    [('ties=input', 0.0), ('gain=binary', 0.115596)]
    """
    start, end = spoken_by(first, metric, second), spoken_by(second, metric, first)
    kind, other = type(start.measure), type(end.measure)
    if kind is not other:
        raise MeasureError.of(
            "definitions.two_measures", metric=metric, one=kind.name, first=first, other=other.name, second=second
        )
    bench = Bench(judgments, run, columns)
    value = bench.value(start.measure)
    return ToolDifference(start, end, value, tuple(_steps(bench, start.measure, end.measure, value)))


def _steps(bench: Bench, first: Measure, last: Measure, start: float) -> list[Step]:
    steps: list[Step] = []
    waiting: Changes = ()
    at, value = first, start
    end = bench.value(last)
    for changes in _together(differences(first, last)):
        waiting += changes
        try:
            changed = at(**{change.axis: getattr(last, change.axis) for change in waiting})
            reached = bench.value(changed)
        except MeasureError:
            # Not possible without the next change: together they are one step.
            continue
        if math.isnan(reached) and not math.isnan(end):
            continue
        steps.append(Step(waiting, changed, reached, reached - value))
        at, value, waiting = changed, reached, ()
    return steps


def _together(changes: Changes) -> list[Changes]:
    """Each change by itself; cutoff and depth, which both cut the list, together."""
    return [tuple(group) for _, group in groupby(changes, key=lambda change: CUTS if change.axis in CUTS else change)]
