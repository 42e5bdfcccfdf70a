"""The way from one tool's number to another's: one convention after another, each with what it adds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankmeter.definitions.bench import Bench
from rankmeter.definitions.space import Changes, differences
from rankmeter.definitions.spoken import Spoken, spoken_by
from rankmeter.errors import MeasureError, with_hint
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, items, text_table
from rankmeter.showing.showable import Showable
from rankmeter.wording import Language


@dataclass(frozen=True, slots=True)
class Step:
    """Some conventions changed, and what that does to the number."""

    changes: Changes
    """One change; several where one without the other is no definition or has no value."""
    measure: Measure
    """The definition after the step."""
    value: float
    adds: float


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Showable):
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
        words = WORDS[language]
        rows = [[f"{self.first.dialect} {self.first.metric}", f"{self.start:.6f}", "", str(self.first.measure)]]
        rows += [
            [", ".join(map(str, step.changes)), f"{step.value:.6f}", _signed(step.adds), str(step.measure)]
            for step in self.steps
        ]
        ending = f"{self.last.dialect} {self.last.metric}"
        rows.append([ending, f"{self.end:.6f}", _signed(self.difference), words["in all"]])
        told = [words["order"], words["other order"]] if self.steps else [words["same"]]
        if math.isnan(self.difference):
            told.append(words["nan"])
        return [text_table(words["head"].split("|"), rows, ("text", "number", "number", "text")), *items(told)]


WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "head": "step|value|adds|definition",
        "in all": "in all",
        "same": "Both tools have the same definition.",
        "order": "The order is fixed: which queries count, where items stand, what they weigh, how values are averaged.",  # noqa: E501
        "other order": "In another order the same steps add other amounts, and the same in all.",
        "nan": "A value that is NaN (one query without a value makes the mean so) has no difference to another.",
    },
    "zh": {
        "head": "步骤|数值|变化|定义",
        "in all": "合计",
        "same": "两个工具的定义相同。",
        "order": "次序固定：哪些查询计入、条目排在何处、各占多少权重、如何求平均。",
        "other order": "换一种次序，各步的变化不同，合计不变。",
        "nan": "数值为 NaN（只要一个查询无值，平均即为 NaN）时，无从谈差异。",
    },
}


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
) -> Difference:
    """Explain the difference between two tools' numbers as steps from one definition to the other.

    Parameters
    ----------
    judgments, run
        As for ``evaluate``.
    first, second
        Dialects such as ``trec_eval:9``, or ``rankmeter`` for rankmeter's own definition.
    metric
        The name of the metric; where a tool has none of that name, its metric for the same measure.
    columns
        Columns of unusual names, as for ``evaluate``.

    Examples
    --------
    >>> judgments = {"q1": {"a": 3, "b": 1}, "q2": {"c": 2}}
    >>> run = {"q1": {"b": 3.0, "x": 2.0, "a": 1.0}, "q2": {"x": 2.0, "c": 1.0}}
    >>> path = between(judgments, run, "rankmeter", "recbole", "NDCG@10")
    >>> [(str(step.changes[0]), round(step.adds, 6)) for step in path.steps]
    [('ties=input', 0.0), ('gain=binary', 0.115596)]
    """
    one, other = spoken_by(first, metric), spoken_by(second, metric)
    if type(one.measure) is not type(other.measure):
        fact = f"{metric} is {type(one.measure).name} in {first} and {type(other.measure).name} in {second}."
        raise MeasureError(with_hint(fact, "two measures have no conventions in common; compare one with itself"))
    bench = Bench(judgments, run, columns)
    start = bench.value(one.measure)
    return Difference(one, other, start, tuple(_steps(bench, one.measure, other.measure, start)))


def _steps(bench: Bench, first: Measure, last: Measure, start: float) -> list[Step]:
    steps: list[Step] = []
    waiting: Changes = ()
    at, value = first, start
    end = bench.value(last)
    for change in differences(first, last):
        waiting = (*waiting, change)
        try:
            made = at(**{one.axis: getattr(last, one.axis) for one in waiting})
            reached = bench.value(made)
        except MeasureError:
            # Not possible without what comes next: the two are one step.
            continue
        if math.isnan(reached) and not math.isnan(end):
            continue
        steps.append(Step(waiting, made, reached, reached - value))
        at, value, waiting = made, reached, ()
    return steps
