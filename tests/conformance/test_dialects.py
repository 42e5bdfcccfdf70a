"""Every dialect gives the numbers that its tool gave: per query and on average, for every recorded row."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from tests.conformance.recorded import ADAPTERS, Adapter, cases, fed, number, rows, spelled

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


def has_number(row: dict[str, Any]) -> bool:
    """Whether the tool gave any number at all, rather than an error."""
    values = row["per_query"].values() if isinstance(row["per_query"], dict) else []
    return any(number(value) is not None for value in [row["mean"], *values])


class Accidents:
    """Which recorded values are accidents of the tool: those that the dialect's file lists, on the data it names.

    What is not listed is compared, so that a recorded row is either reproduced or listed with its reason.
    """

    def __init__(
        self, adapter: str, dialect: Dialect, case: dict[str, Any], spell: Callable[[dict[str, Any]], str] = spelled
    ) -> None:
        self.adapter, self.dialect, self.case, self.spell = adapter, dialect, case, spell
        self.names: dict[str, str] = {}
        self.listed: dict[str, set[str]] = {}
        for accident in dialect.accidents:
            for metric in accident.metrics:
                self.listed.setdefault(metric, set()).add(accident.when)

    def name(self, row: dict[str, Any]) -> str:
        text = self.spell(row)
        if text not in self.names:
            self.names[text] = self.name_of(text)
        return self.names[text]

    def name_of(self, text: str) -> str:
        try:
            return self.dialect.find(text)[0].name
        except rm.MeasureError:
            return re.sub(r".*\['(\w+)'\]|[(@:;].*", r"\1", text)

    def when(self, row: dict[str, Any]) -> set[str]:
        """The data on which this metric is listed as an accident."""
        return self.listed.get(self.name(row), set())

    def of_case(self, when: str) -> bool:
        """Whether the case as a whole is of this kind."""
        return HAPPENS[when](self, {}, "")

    def of_row(self, row: dict[str, Any]) -> bool:
        found = self.when(row)
        return (
            not has_number(row)
            or "always" in found
            or ("duplicates" in found and self.case["id"] == "duplicates")
            or ("relevance values" in found and "with relevance values" in row["api"])
        )

    def of_query(self, row: dict[str, Any], query: str) -> bool:
        return any(HAPPENS[when](self, row, query) for when in self.when(row) if when in HAPPENS)

    def scores(self, query: str) -> list[float]:
        return list(self.case["run"].get(query, {}).values())

    def tied(self, query: str) -> bool:
        return len(set(self.scores(query))) < len(self.scores(query))

    def items(self, query: str) -> list[str]:
        """The items of a list, those that stand in it twice too."""
        scores = self.case["run"].get(query, {})
        ranked = sorted(scores, key=lambda item: -scores[item])
        return list(self.case.get("run_lists", {}).get(query, ranked))

    def grades(self, query: str) -> list[float]:
        return list(self.case["qrels"].get(query, {}).values())

    def nothing_left(self, query: str) -> bool:
        """Whether a list holds nothing, once unjudged documents are taken out."""
        grades, condensed = self.case["qrels"].get(query, {}), self.adapter.endswith("-J")
        return not any(not condensed or grades.get(item, -1) >= 0 for item in self.case["run"].get(query, {}))


HAPPENS: dict[str, Callable[[Accidents, dict[str, Any], str], bool]] = {
    "ties in lists of 16 items and more": lambda a, _, q: a.tied(q) and len(a.scores(q)) > 15,
    "dictionaries whose queries stand in another order": lambda a, _, __: (
        a.adapter == "ranx_dicts" and list(a.case["qrels"]) != list(a.case["run"])
    ),
    "a query without judged relevant or non-relevant items": lambda a, _, __: any(
        not {grade >= 1 for grade in grades.values()} >= {True, False} for grades in a.case["qrels"].values()
    ),
    "an empty list": lambda a, _, q: a.nothing_left(q),
    "only relevant items": lambda a, _, q: all(grade >= 1 for grade in a.grades(q)),
    "values below 0": lambda a, row, q: (
        a.adapter == "quepid" and min(a.grades(q), default=0) < 0 and row["per_query"].get(q) == 0
    ),
    "no node with an edge": lambda a, _, __: all(grade < 1 for query in a.case["qrels"] for grade in a.grades(query)),
    "background runs": lambda a, _, __: a.adapter == "quepid_server",
    "fractional grades": lambda a, _, q: any(grade != int(grade) for grade in a.grades(q)),
    "repeats, each item a group": lambda a, _, q: (
        a.adapter == "autorag_each" and len(set(a.items(q))) < len(a.items(q))
    ),
    "no gain in the ideal, and an empty list": lambda a, _, q: not a.items(q) and max(a.grades(q), default=0) <= 0,
    "no listed document in the first k": lambda a, row, q: (
        not any(a.case["qrels"].get(q, {}).get(item, -1) >= 0 for item in a.items(q)[: row["k"]])
    ),
    "lists longer than the window": lambda a, _, q: len(a.items(q)) > max(10, sum(grade >= 0 for grade in a.grades(q))),
    "rows that are not sorted by score": lambda a, _, __: a.adapter == "hf_trec_eval",
    "grades above the top of the scale": lambda a, _, __: any(
        grade > 4 for query in a.case["qrels"] for grade in a.grades(query)
    ),
    "negative grades": lambda a, _, q: min(a.grades(q), default=0) < 0,
    "ties or short lists or unsorted rows": lambda a, row, q: (
        a.tied(q) or len(a.scores(q)) < row["k"] or a.adapter == "evidently_retrieved"
    ),
}
"""For each kind of data that an accident names, whether a query is of it; kinds that only raise errors need none."""


def test_every_recorded_adapter_is_checked() -> None:
    recorded = {row["adapter"] for case in cases() for row in case["results"]}
    assert recorded - {*ADAPTERS} == {"spark_graded_sorted"}
    assert any(accident.when == "relevance values" for accident in find_dialect("spark_mllib").accidents)


def test_what_hangs_on_an_unstable_sort_is_listed() -> None:
    unlisted = set()
    for case in cases():
        for row in case["results"]:
            if not row.get("portable", True):
                dialect = find_dialect(ADAPTERS[row["adapter"]].dialect)
                if not {"ties", "ignore_ties with ties"} & Accidents(row["adapter"], dialect, case).when(row):
                    unlisted.add((row["adapter"], row["api"]))
    assert not unlisted
