"""A number that a tool returned, rounded to four digits, leads back to the tool: recorded numbers of every adapter.

The claim is spelled as the tool spells it, and as rankmeter does, where the cutoff may be an option of the tool's.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from tests.conformance import production, recorded
from tests.conformance.recorded import number
from tests.conformance.test_dialects import Accidents, feed_of
from tests.properties.strategies import NIGHT, by_night

import rankmeter as rm
from rankmeter.errors import RankmeterWarning
from rankmeter.measures import parse_measures
from rankmeter.measures.dialects import find_dialect
from rankmeter.wings.conformance.reconcile import reconcile
from rankmeter.wings.conformance.space import cut_of

FEWEST_QUERIES = 5
SAMPLED = by_night(1, night=3)
"""How many numbers of an adapter lead back: in ``make hunt`` of other families every time."""
DIGITS = {"recmetrics": 3, "rre": 1, "quepid_server": 1}
"""Of tools that round each query, or term by term: their means are known to fewer digits than they have."""


@dataclass(frozen=True)
class Recorded:
    """A number that a tool gave for some data."""

    name: str
    claim: str
    judgments: Any
    run: Any
    case: str


@pytest.mark.parametrize("adapter", [*recorded.ADAPTERS, *production.ADAPTERS])
@pytest.mark.parametrize("named", ["by the tool", "by rankmeter"])
def test_recorded_numbers_lead_back_to_their_tool(adapter: str, named: str) -> None:
    dialect = find_dialect(dialect_of(adapter))
    tried = 0
    for one in sampled(adapter):
        if tried == SAMPLED:
            break
        measure = dialect.measure(one.name)
        cut = cut_of(measure)
        spread = "" if measure.aggregate not in ("p90", "variance") else f"(aggregate={measure.aggregate})"
        ours = type(measure).name + spread + ("" if cut is None else f"@{cut}")
        if named == "by rankmeter" and not _is_plain(ours):
            continue
        claim = {one.name if named == "by the tool" else ours: one.claim}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankmeterWarning)
            found = reconcile(one.judgments, one.run, claim, changes=0)
        tools = {match.tool.partition(":")[0] for match in found.tools}
        assert dialect.name in tools, (one.case, claim, str(measure), sorted(tools))
        tried += 1
    assert tried


def _is_plain(ours: str) -> bool:
    """Whether rankmeter has a measure of the name alone: some ask for a cutoff, and some take none."""
    try:
        parse_measures(ours)
    except rm.MeasureError:
        return False
    return True


def dialect_of(adapter: str) -> str:
    return {**recorded.ADAPTERS, **production.ADAPTERS}[adapter].dialect


def sampled(adapter: str) -> list[Recorded]:
    """A number of each family of an adapter, in a drawn order."""
    families: dict[str, list[Recorded]] = {}
    for family, one in numbers(adapter):
        families.setdefault(family, []).append(one)
    draw = random.Random() if NIGHT else random.Random(adapter)
    return [draw.choice(families[name]) for name in draw.sample(sorted(families), len(families))]


@cache
def numbers(adapter: str) -> list[tuple[str, Recorded]]:
    """The recorded means over several queries; of tools that make no mean, their value for one query."""
    source = production if adapter in production.ADAPTERS else recorded
    dialect, found = find_dialect(dialect_of(adapter)), []
    for case, rows in source.rows(adapter):
        if len(case["qrels"]) < FEWEST_QUERIES or "run_lists" in case:
            continue
        accidents = Accidents(adapter, dialect, case, source.spelled)
        for row in rows:
            if accidents.of_row(row) or any(accidents.of_query(row, query) for query in case["qrels"]):
                continue
            judgments, run = given(adapter, case, row)
            value, query = number(row["mean"]), None
            if value is None:
                query, value = next(values_between(row), (None, math.nan))
            if math.isnan(value):
                continue
            alone = [judgments, run] if query is None else [{query: side.get(query, {})} for side in (judgments, run)]
            claim = f"{value:.{DIGITS.get(adapter, 4)}f}"
            found.append((row["family"], Recorded(source.spelled(row), claim, *alone, case["id"])))
    return found


def values_between(row: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """The queries whose value is neither end of the scale, which much gives."""
    for query, value in row["per_query"].items():
        if 0 < (number(value) or 0.0) < 1:
            yield query, float(value)


def given(adapter: str, case: dict[str, Any], row: dict[str, Any]) -> tuple[Any, Any]:
    """The judgments and the run that the tool had."""
    if adapter in production.ADAPTERS:
        how = production.ADAPTERS[adapter]
        return production.judged(case, how.judged), production.listed(case, repeats=how.repeats)
    return case["qrels"], recorded.fed(case, feed_of(row, recorded.ADAPTERS[adapter]))
