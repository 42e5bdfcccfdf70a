"""Every measure of trec_eval's all_trec and of ir_measures' registry equals what the tool itself computes.

``breadth_cases.json.xz`` holds random judgments and runs (plain ones with and without ties, grades and negative grades;
three with subtopics) with the values per query of pytrec_eval-terrier 0.5.11, trec_eval 10.0 (``-q -c -m all_trec``,
four decimals) and ir_measures 0.4.3 (with cwl-eval 1.0.12 and pyndeval 0.0.8), each run once on them.
"""

from __future__ import annotations

import json
import lzma
import math
import warnings
from pathlib import Path
from typing import Any

import pytest

import rankmeter as rm
from rankmeter.errors import RankmeterWarning
from rankmeter.measures.dialects import find_dialect

with lzma.open(Path(__file__).parent / "breadth_cases.json.xz", "rt", encoding="utf-8") as file:
    RECORDED = json.load(file)
TOOLS = {"pytrec_eval": "pytrec_eval", "trec_eval10": "trec_eval:c", "ir_measures": "ir_measures"}


def differing(result: rm.Evaluation, name: str, recorded: dict[str, float], tolerance: float) -> list[str]:
    found = result.values[result.asked[name]]
    value = dict(zip(result.queries.to_list(), found.value.tolist(), strict=True))
    return [
        f"{name} query {query}: {value[query]} for {expected}"
        for query, expected in recorded.items()
        if query != "all" and not math.isnan(expected) and abs(value[query] - expected) > tolerance
    ]


def all_differing(judgments: Any, case: dict[str, Any], tool: str, skip: set[str]) -> list[str]:
    dialect = find_dialect(TOOLS[tool])
    recorded = {name: values for name, values in case["results"][tool].items() if not is_skipped(name, skip)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmeterWarning)
        result = rm.evaluate(judgments, case["run"], list(recorded), dialect=TOOLS[tool])
    tolerance = 6e-5 if tool == "trec_eval10" else dialect.tolerance
    return [text for name, values in recorded.items() for text in differing(result, name, values, tolerance)]


def is_skipped(name: str, skip: set[str]) -> bool:
    return name in skip or name.split("(", maxsplit=1)[0].split("@", maxsplit=1)[0] in skip


@pytest.mark.parametrize("case", RECORDED["plain"], ids=lambda case: case["id"])
@pytest.mark.parametrize("tool", TOOLS)
def test_plain_measures_equal_those_of_the_tool(case: dict[str, Any], tool: str) -> None:
    # pytrec_eval and trec_eval give logarithms for the geometric means of one query, and rbp of graded judgments is an
    # accident; Compat orders ties in two ways. Each is listed in the dialect.
    graded = max(grade for grades in case["qrels"].values() for grade in grades.values()) > 1
    skip = {"gm_map", "gm_bpref", "num_q"} | ({"rbp"} if graded else set())
    if any(len(set(scores.values())) < len(scores) for scores in case["run"].values()):
        skip.add("Compat")
    assert not all_differing(case["qrels"], case, tool, skip)


@pytest.mark.parametrize("case", RECORDED["diversity"], ids=lambda case: case["id"])
def test_measures_of_diversity_equal_those_of_the_tool(case: dict[str, Any]) -> None:
    judgments: dict[str, dict[str, dict[str, float]]] = {}
    for query, subtopic, item, grade in case["qrels"]:
        judgments.setdefault(query, {}).setdefault(item, {})[subtopic] = grade
    assert not all_differing(judgments, case, "ir_measures", {"alpha_DCG@1", "ERR_IA@1"})


def test_every_recorded_metric_has_a_measure() -> None:
    for tool, dialect in TOOLS.items():
        for name in RECORDED["plain"][0]["results"][tool]:
            assert find_dialect(dialect).measures(name)
