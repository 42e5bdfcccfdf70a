"""Where a tool's metrics leave the textbook: the published cases on which they have another value.

The textbook is rankmeter's measure of the same name, at the same cutoff, with no option stated. Where it has no rule
(an item that a list holds twice), a tool that has one is listed too.

>>> from rankmeter.measures.dialects import find_dialect
>>> first = next(departures(find_dialect("recbole")))
>>> first.metric, str(first.question), first.value, first.textbook
('MAP', 'missed@2', 0.5, 0.333333333333)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from rankmeter.errors import RankmeterError
from rankmeter.frozen import dataclass
from rankmeter.late import json
from rankmeter.measures import REGISTRY, Measure
from rankmeter.measures.dialects import CUTS, Dialect, Metric
from rankmeter.showing.document import Block, Heading, Paragraph
from rankmeter.wings.conformance.cases import FOLDER, cases
from rankmeter.wings.conformance.expectations import IMPOSSIBLE, SILENT, AskedCase, Expectations
from rankmeter.wings.conformance.known_definitions import ANY, FAMILIES, at_k, shown, takes_k
from rankmeter.wings.conformance.sight import Sight
from rankmeter.wording import Language, word

UNSTATED, REFUSED = "unstated", "refused"
"""What the published values say where a definition has none."""
_WORDS = {None: "departures_none", UNSTATED: "departures_unstated", REFUSED: "departures_refused"}
TOLERANCE = 1e-9

Published = float | str | None


@dataclass(frozen=True, slots=True)
class ToolDeparture:
    """A question on which a metric of a tool has another value than the textbook."""

    metric: str
    question: AskedCase
    value: Published
    textbook: Published

    def to_dict(self) -> dict[str, Any]:
        """The departure, as plain data."""
        return {
            "metric": self.metric,
            "case": self.question.case.name,
            "k": self.question.k,
            "value": self.value,
            "textbook": self.textbook,
        }


def departures(dialect: Dialect) -> Iterator[ToolDeparture]:
    """By metric, each case on which it departs, at the first cutoff where it does."""
    for metric in dialect.metrics:
        if metric.measure not in FAMILIES:
            continue
        definition = _definition(metric)
        textbook = REGISTRY[metric.measure]
        textbook = at_k(textbook) if takes_k(definition) else textbook
        met = set()
        for question, value, usual in zip(_questions(), _values(definition), _values(textbook), strict=True):
            if question.case.name not in met and not _same(value, usual):
                met.add(question.case.name)
                asked = question if takes_k(definition) else AskedCase(question.case, None)
                yield ToolDeparture(metric.name, asked, value, usual)


def by_case(dialect: Dialect) -> Iterator[tuple[AskedCase, list[ToolDeparture]]]:
    """Each question on which metrics of a tool depart, in the order of the set, with those metrics."""
    order = {case.name: place for place, case in enumerate(cases())}

    def place(departure: ToolDeparture) -> tuple[int, int]:
        return order[departure.question.case.name], departure.question.k or 0

    for _, found in groupby(sorted(departures(dialect), key=place), key=place):
        same = list(found)
        yield same[0].question, same


def told(found: Sequence[ToolDeparture], lang: Language) -> str:
    """The values of some metrics on one question, those with the same value together."""
    values: dict[tuple[str, str], list[str]] = {}
    for one in found:
        values.setdefault((_text(one.value, lang), _text(one.textbook, lang)), []).append(one.metric)
    return word("departures_stop", lang).join(
        word("departures_value", lang, metrics=", ".join(metrics), value=value, textbook=textbook)
        for (value, textbook), metrics in values.items()
    )


def blocks(dialect: Dialect, lang: Language) -> list[Block]:
    """The table, for a reader; nothing where no metric departs."""
    lines: list[Block] = []
    for question, found in by_case(dialect):
        lines.append(Paragraph(f"{question}  {question.case.question[lang]}"))
        lines.append(Paragraph(told(found, lang), depth=2))
    return [Heading(word("departures_title", lang)), *lines] if lines else []


def _definition(metric: Metric) -> Measure:
    """What a metric is when it is asked without options: at k, where it takes one."""
    try:
        return metric.build(ANY if metric.number in CUTS else None, {})
    except RankmeterError:  # its cutoff is fixed
        return metric.build(None, {})


@cache
def _questions() -> tuple[AskedCase, ...]:
    """What the published values answer, in their order."""
    return tuple(AskedCase(case, k) for case in cases() for k in case.cutoffs)


def _values(definition: Measure) -> Sequence[Published]:
    """The published values; computed where an option of a dialect makes a definition that is not among them."""
    published = _published(type(definition).name).get(shown(definition))
    if published is not None:
        return published
    words = {SILENT: UNSTATED, IMPOSSIBLE: REFUSED}
    computed = Expectations(_questions(), Sight()).of(definition)
    return [words.get(value, value) if isinstance(value, str) else value for value in computed]


@cache
def _published(family: str) -> Mapping[str, Sequence[Published]]:
    """The values of each definition of a measure."""
    file = json.loads((FOLDER / "values" / f"{family}.json").read_text("utf-8"))
    return {entry["definition"]: entry["values"] for entry in file["definitions"]}


def _same(one: Published, other: Published) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= TOLERANCE
    return one == other


def _text(value: Published, lang: Language) -> str:
    if isinstance(value, (int, float)):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return word(_WORDS[value], lang)
