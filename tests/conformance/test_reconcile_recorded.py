"""A number that a tool returned, rounded to four digits, leads back to the tool: recorded numbers of every adapter."""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import pytest
from tests.conformance.recorded import ADAPTERS, fed, number, rows, spelled
from tests.conformance.test_dialects import Accidents, feed_of

from rankmeter.definitions.reconcile import reconcile
from rankmeter.errors import RankmeterWarning
from rankmeter.measures.dialects import find_dialect

FEWEST_QUERIES = 5
ROUNDS_EACH_QUERY = {"recmetrics"}
"""Their means are known to fewer digits than they have."""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_recorded_numbers_lead_back_to_their_tool(adapter: str) -> None:
    how = ADAPTERS[adapter]
    for case, row in sampled(adapter, 3):
        digits = 3 if adapter in ROUNDS_EACH_QUERY else 4
        claim = {spelled(row): f"{number(row['mean']):.{digits}f}"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankmeterWarning)
            found = reconcile(case["qrels"], fed(case, feed_of(row, how)), claim, changes=0)
        tools = {match.tool.partition(":")[0] for match in found.tools}
        assert how.dialect.partition(":")[0] in tools, (case["id"], claim, sorted(tools))


def sampled(adapter: str, size: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Some recorded means of an adapter over several queries, of different families where it has them."""
    dialect = find_dialect(ADAPTERS[adapter].dialect)
    families: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for case, recorded in rows(adapter):
        accidents = Accidents(adapter, dialect, case)
        if len(case["qrels"]) < FEWEST_QUERIES:
            continue
        for row in recorded:
            mean = number(row["mean"])
            by_accident = accidents.of_row(row) or any(accidents.of_query(row, query) for query in case["qrels"])
            if mean is not None and not math.isnan(mean) and not by_accident:
                families.setdefault(row["family"], []).append((case, row))
    draw = random.Random(adapter)
    return [draw.choice(families[name]) for name in draw.sample(sorted(families), min(size, len(families)))]
