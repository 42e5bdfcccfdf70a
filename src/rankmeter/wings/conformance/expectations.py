"""What definitions give on the cases, as far as a function sees them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from rankmeter.arithmetic.aggregates import GEOMETRIC_FLOOR
from rankmeter.arithmetic.parts import Values
from rankmeter.errors import RankmeterError
from rankmeter.evaluating.verb import evaluate
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure
from rankmeter.wings.conformance.cases import PublishedCase
from rankmeter.wings.conformance.known_definitions import at
from rankmeter.wings.conformance.sight import Sight

SILENT = "silent"
"""What a definition says of a repeated item if it states no rule for it."""
IMPOSSIBLE = "impossible"
"""What a definition gives on data that it cannot answer."""

Expected = float | str | None
"""A value; None where the query has none; or one of the words above."""


@dataclass(frozen=True, slots=True)
class AskedCase:
    """A case at a cutoff; without one, the function has its own or none."""

    case: PublishedCase
    k: int | None

    def __str__(self) -> str:
        return self.case.name if self.k is None else f"{self.case.name}@{self.k}"


@dataclass(frozen=True, slots=True)
class _Group:
    """Cells that are measured together: each a query, or one cell of several queries."""

    places: tuple[int, ...]
    k: int | None
    judgments: Mapping[str, Any]
    run: Mapping[str, Any]
    repeats: bool
    whole: bool

    def single(self) -> Iterator[_Group]:
        """Each cell by itself."""
        for place in self.places:
            name = str(place)
            yield replace(self, places=(place,), judgments={name: self.judgments[name]}, run={name: self.run[name]})


class Expectations:
    """The values of definitions on cells, each computed once, group by group."""

    def __init__(self, cells: Sequence[AskedCase], sight: Sight) -> None:
        self.cells = cells
        groups = [_grouped(cells, places, sight) for places in _measured_together(cells)]
        self._groups = sorted(groups, key=lambda group: -len(group.places))
        self._known: dict[tuple[Measure, int], Sequence[Expected]] = {}

    def of(self, definition: Measure) -> list[Expected]:
        """What a definition gives on each cell."""
        row: list[Expected] = [IMPOSSIBLE] * len(self.cells)
        for number, group in enumerate(self._groups):
            self._fill(number, [definition])
            for place, value in zip(group.places, self._known[definition, number], strict=True):
                row[place] = value
        return row

    def nearest(
        self, definitions: Iterable[Measure], differs: Callable[[int, Expected], bool], slack: int
    ) -> dict[Measure, int]:
        """On how many cells each definition differs, lowest first; dropped once it is ``slack`` behind the best."""
        misses = dict.fromkeys(definitions, 0)
        for number, group in enumerate(self._groups):
            self._fill(number, misses)
            for definition in misses:
                row = zip(group.places, self._known[definition, number], strict=True)
                misses[definition] += sum(differs(place, value) for place, value in row)
            most = min(misses.values(), default=0) + slack
            misses = {definition: count for definition, count in misses.items() if count <= most}
        return dict(sorted(misses.items(), key=lambda pair: pair[1]))

    def _fill(self, number: int, definitions: Iterable[Measure]) -> None:
        """Measure what is not known yet of one group."""
        group, meant = self._groups[number], dict[Measure, list[Measure]]()
        for definition in definitions:
            if (definition, number) in self._known:
                continue
            refuses = group.repeats and definition.duplicate_policy == "error"
            self._known[definition, number] = [SILENT if refuses else IMPOSSIBLE] * len(group.places)
            if not refuses:
                with suppress(RankmeterError):  # no value under a cutoff
                    meant.setdefault(at(definition, group.k), []).append(definition)
        for measure, values in _values_of_group(group, list(meant)).items():
            self._known |= {(definition, number): values for definition in meant[measure]}


def _measured_together(cells: Sequence[AskedCase]) -> list[list[int]]:
    """The places of cells that can be measured in one call."""
    groups: dict[Any, list[int]] = {}
    for place, cell in enumerate(cells):
        alone = "" if cell.case.is_single else cell.case.name
        groups.setdefault((cell.k, cell.case.topic == "duplicates", alone), []).append(place)
    return list(groups.values())


def _grouped(cells: Sequence[AskedCase], places: Sequence[int], sight: Sight) -> _Group:
    first = cells[places[0]]
    repeats = first.case.topic == "duplicates"
    if not first.case.is_single:
        return _Group(tuple(places), first.k, *sight.data(first.case), repeats, whole=True)
    judgments, run = {}, {}
    for place in places:
        (query,) = cells[place].case.queries.values()
        judgments[str(place)], run[str(place)] = sight.judged(query), sight.returned(query)
    return _Group(tuple(places), first.k, judgments, run, repeats, whole=False)


def _values_of_group(group: _Group, measures: list[Measure]) -> dict[Measure, list[Expected]]:
    """What measures give on a group; those that cannot answer it are left out."""
    if not measures:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ids of two kinds, queries without a relevant item: asked on purpose
            ev = evaluate(group.judgments, group.run, measures)
    except RankmeterError:
        if len(measures) > 1:
            half = len(measures) // 2
            return {**_values_of_group(group, measures[:half]), **_values_of_group(group, measures[half:])}
        parts = list(group.single()) if len(group.places) > 1 else []
        return {measures[0]: [value for part in parts for value in _of_part(part, measures[0])]} if parts else {}
    if group.whole:
        return {measure: [_known(ev.means[measure])] for measure in measures}
    order = {query: place for place, query in enumerate(ev.queries.to_list())}
    values: dict[Measure, list[Expected]] = {}
    for measure in measures:
        got = ev.values[measure]
        rows = [order.get(str(place)) for place in group.places]
        values[measure] = [_as_only_query(measure, got, row) for row in rows]
    return values


def _of_part(part: _Group, measure: Measure) -> Sequence[Expected]:
    return _values_of_group(part, [measure]).get(measure, [IMPOSSIBLE])


def _as_only_query(measure: Measure, values: Values, row: int | None) -> float | None:
    """The number of one query, as that of a run which has no other."""
    if row is None or not values.counted[row]:
        return 0.0 if measure.aggregate == "sum" else None
    value = float(values.value[row])
    if measure.aggregate == "filled" and math.isnan(value):
        return 0.0
    return _known(max(value, GEOMETRIC_FLOOR) if measure.aggregate == "geometric" else value)


def _known(value: float) -> float | None:
    """A value; None where there is none."""
    return None if math.isnan(value) else value
