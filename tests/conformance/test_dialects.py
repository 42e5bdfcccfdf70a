"""Every dialect gives the numbers that its tool gave: per query and on average, for every recorded row."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import pytest
from tests.conformance.recorded import ADAPTERS, Adapter, fed, number, rows, spelled

import rankmeter as rm
from rankmeter.errors import RankmeterWarning
from rankmeter.measures.dialects import Dialect, find_dialect

PRINTED_FIVE = 6e-6
"""gdeval.pl, which ir_measures calls for ERR and exponential gain, prints five decimals."""


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_dialect_gives_the_recorded_numbers_of_its_tool(adapter: str) -> None:
    how = ADAPTERS[adapter]
    dialect = find_dialect(how.dialect)
    compared, wrong = 0, []
    for case, recorded in rows(adapter):
        accidents = Accidents(adapter, dialect, case)
        kept = [row for row in recorded if not accidents.of_row(row)]
        for feed in ("returned", "pooled", "catalogue"):
            some = [row for row in kept if feed_of(row, how) == feed]
            if some:
                values = evaluated(case, some, how, feed)
                for row in some:
                    more, problems = compare(case, row, values, dialect, accidents)
                    compared += more
                    wrong += problems
    assert not wrong, f"{len(wrong)} of {compared}: " + "; ".join(wrong[:8])
    assert compared > 100 or adapter in ("replay_dict_all", "st_rerank")


def feed_of(row: dict[str, Any], how: Adapter) -> str:
    return "catalogue" if row["adapter"] == "cornac" and row["api"] in ("MAP()", "AUC()") else how.feed


def evaluated(case: dict[str, Any], recorded: list[dict[str, Any]], how: Adapter, feed: str) -> rm.Evaluation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmeterWarning)  # -l 2 where no grade is 2
        return rm.evaluate(case["qrels"], fed(case, feed), [spelled(row) for row in recorded], dialect=how.dialect)


def compare(
    case: dict[str, Any], row: dict[str, Any], result: rm.Evaluation, dialect: Dialect, accidents: Accidents
) -> tuple[int, list[str]]:
    """How many values were compared, and those that differ."""
    name = spelled(row)
    measure = result.asked[name]
    found = result.values[measure]
    tolerance = PRINTED_FIVE if row["api"].startswith(("ERR@", "nDCG(dcg='exp")) else dialect.tolerance
    place = {query: at for at, query in enumerate(result.queries.to_list())}
    compared, wrong = 0, []
    per_query = row["per_query"] if isinstance(row["per_query"], dict) else {}
    for query, value in per_query.items():
        expected = number(value)
        if expected is None or accidents.of_query(row, query):
            continue
        compared += 1
        at = place.get(query)
        # NaN for a query that is left out of the mean says the same: it has no value.
        if at is not None and math.isnan(expected) and not found.counted[at]:
            continue
        if at is None or not same(float(found.value[at]), expected, tolerance):
            got = None if at is None else float(found.value[at])
            wrong.append(f"{case['id']} {name} query {query}: {got} for {expected}")
    expected = number(row["mean"])
    if expected is not None and not any(accidents.of_query(row, query) for query in case["qrels"]):
        compared += 1
        mean = result.means[measure]
        # Some tools that find no query to average over report 0, some NaN.
        nothing = not found.counted.any() and (expected == 0 or math.isnan(expected))
        if not nothing and not same(mean, expected, tolerance):
            wrong.append(f"{case['id']} {name} mean: {mean} for {expected}")
    return compared, wrong


def same(got: float, expected: float, tolerance: float) -> bool:
    return (math.isnan(got) and math.isnan(expected)) or abs(got - expected) <= tolerance


def scores_left(case: dict[str, Any], query: str, *, judged_only: bool) -> bool:
    """Whether a list holds anything, once unjudged documents are taken out."""
    grades = case["qrels"].get(query, {})
    return any(not judged_only or grades.get(item, -1) >= 0 for item in case["run"].get(query, {}))


def has_number(row: dict[str, Any]) -> bool:
    """Whether the tool gave any number at all, rather than an error."""
    values = row["per_query"].values() if isinstance(row["per_query"], dict) else []
    return any(number(value) is not None for value in [row["mean"], *values])


class Accidents:
    """Which recorded values are accidents of the tool; each kind is listed, with its reason, in the dialect's file."""

    def __init__(self, adapter: str, dialect: Dialect, case: dict[str, Any]) -> None:
        self.adapter, self.dialect, self.case = adapter, dialect, case
        self.names: dict[str, str] = {}
        self.listed = {(metric, accident.when) for accident in dialect.accidents for metric in accident.metrics}

    def name(self, row: dict[str, Any]) -> str:
        text = spelled(row)
        if text not in self.names:
            self.names[text] = self.name_of(text)
        return self.names[text]

    def name_of(self, text: str) -> str:
        try:
            return self.dialect.find(text)[0].name
        except rm.MeasureError:
            return re.sub(r".*\['(\w+)'\]|[(@:;].*", r"\1", text)

    def has(self, row: dict[str, Any], when: str) -> bool:
        return (self.name(row), when) in self.listed

    def of_row(self, row: dict[str, Any]) -> bool:
        return (
            self.case["id"] == "duplicates"
            or not has_number(row)
            or row["api"] == "trec_eval"  # the whole program stopped
            or "with relevance values" in row["api"]
            or "normalize=True" in row["api"]
            or self.has(row, "always")
        )

    def of_query(self, row: dict[str, Any], query: str) -> bool:
        scores = list(self.case["run"].get(query, {}).values())
        tied = len(set(scores)) < len(scores)
        if self.has(row, "ties in lists of 16 items and more") and tied and len(scores) > 15:
            return True
        if self.adapter == "ranx_dicts" and list(self.case["qrels"]) != list(self.case["run"]):
            return True
        if self.adapter.startswith("ranx") and row["api"] == "bpref":
            return any(
                not {grade >= 1 for grade in grades.values()} >= {True, False} for grades in self.case["qrels"].values()
            )
        if self.has(row, "an empty list") and not scores_left(
            self.case, query, judged_only=self.adapter.endswith("-J")
        ):
            return True
        if self.has(row, "only relevant items") and all(
            grade >= 1 for grade in self.case["qrels"].get(query, {}).values()
        ):
            return True
        if self.has(row, "negative grades") and min(self.case["qrels"].get(query, {"": 0}).values(), default=0) < 0:
            return True
        if self.adapter.startswith("evidently") and row["api"].startswith("MAP"):
            return tied or len(scores) < row["k"] or self.adapter == "evidently_retrieved"
        return False
