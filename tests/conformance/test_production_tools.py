"""The dialects of production search and RAG tools give what the tools gave, per query and on average."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from tests.conformance import production
from tests.conformance.production import ADAPTERS, cases, judged, listed, rows, spelled
from tests.conformance.recorded import number
from tests.conformance.test_dialects import Accidents

import rankmeter as rm
from rankmeter.arithmetic import Values, aggregated
from rankmeter.errors import RankmeterWarning
from rankmeter.measures import Measure
from rankmeter.measures.dialects import find_dialect


def marked(mark: str, items: Any) -> Any:
    if isinstance(items, list):
        return [mark + item for item in items]
    return {mark + item: value for item, value in items.items()}


class Together:
    """One evaluation of all cases of an adapter: a query of a case is a query whose id begins with the case's."""

    def __init__(self, adapter: str, chosen: list[dict[str, Any]], names: list[str]) -> None:
        how = ADAPTERS[adapter]
        truth: dict[str, Any] = {}
        run: dict[str, Any] = {}
        for case in chosen:
            # Items get the mark too, so that one that is named like its query still is.
            mark = f"{case['id']}|"
            truth |= {mark + query: marked(mark, grades) for query, grades in judged(case, how.judged).items()}
            run |= {mark + query: marked(mark, items) for query, items in listed(case, repeats=how.repeats).items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankmeterWarning)  # rel=2 where no grade is 2
            self.result = rm.evaluate(truth, run, names, dialect=how.dialect)
        self.place = {query: at for at, query in enumerate(self.result.queries.to_list())}
        self.of_case: dict[str, list[int]] = {}
        for query, at in self.place.items():
            self.of_case.setdefault(query.partition("|")[0], []).append(at)

    def value(self, case: str, query: str, measure: Measure) -> float | None:
        at = self.place.get(f"{case}|{query}")
        values = self.result.values[measure]
        return None if at is None or not values.counted[at] else float(values.value[at])

    def mean(self, case: str, measure: Measure) -> float:
        values, at = self.result.values[measure], self.of_case[case]
        return aggregated(Values(*(getattr(values, name)[at] for name in Values.__slots__)), measure.aggregate)


def compared(adapter: str) -> Iterator[tuple[str, float, float, float]]:
    """What was compared: its name, what the dialect gives, what was recorded, how near it must come."""
    dialect = find_dialect(ADAPTERS[adapter].dialect)
    recorded = []
    for case, found in rows(adapter):
        accidents = Accidents(adapter, dialect, case, spelled)
        recorded += [(case, row, accidents) for row in found if not accidents.of_row(row)]
    for strict in (False, True):
        # A grade above the top of the scale is refused: such cases have no value of the measures that state one.
        some = [
            one
            for one in recorded
            if (getattr(dialect.measure(spelled(one[1])), "max_grade", None) is not None) is strict
        ]
        some = [one for one in some if not strict or not one[2].of_case("grades above the top of the scale")]
        if not some:
            continue
        chosen = {case["id"]: case for case, _, _ in some}
        together = Together(adapter, list(chosen.values()), sorted({spelled(row) for _, row, _ in some}))
        for case, row, accidents in some:
            yield from compare(together, case, row, accidents, dialect.tolerance)


def compare(
    together: Together, case: dict[str, Any], row: dict[str, Any], accidents: Accidents, usual: float
) -> Iterator[tuple[str, float, float, float]]:
    measure = together.result.asked[spelled(row)]
    near = production.tolerance(row, usual)
    per_query = row["per_query"] if isinstance(row["per_query"], dict) else {}
    for query, value in per_query.items():
        expected = number(value)
        if expected is None or accidents.of_query(row, query):
            continue
        got = together.value(case["id"], query, measure)
        if got is None:  # A query that is left out, alone, is undefined, or 0: the mean of no query.
            got = 0.0 if expected == 0 else math.nan
        yield f"{case['id']} {spelled(row)} query {query}", got, expected, near
    expected = number(row["mean"])
    if expected is not None and not any(accidents.of_query(row, query) for query in case["qrels"]):
        got = together.mean(case["id"], measure)
        yield f"{case['id']} {spelled(row)} mean", got, expected, near


def agree(got: float, expected: float, near: float) -> bool:
    return (math.isnan(got) and math.isnan(expected)) or abs(got - expected) <= near


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_dialect_gives_the_recorded_numbers_of_its_tool(adapter: str) -> None:
    values = list(compared(adapter))
    wrong = [f"{name}: {got} for {expected}" for name, got, expected, near in values if not agree(got, expected, near)]
    assert not wrong, f"{len(wrong)} of {len(values)}: " + "; ".join(wrong[:8])
    assert len(values) > 100


def test_every_recorded_adapter_is_checked() -> None:
    assert {row["adapter"] for case in cases() for row in case["results"]} == {*ADAPTERS}
