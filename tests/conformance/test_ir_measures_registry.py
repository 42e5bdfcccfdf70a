"""Every measure of ir_measures' registry, alone and with each of its declared parameters, is spoken by the dialect.

``ir_measures_registry.json.xz`` was made by walking the registry of ir_measures 0.4.3 (with cwl-eval 1.0.12, pyndeval
0.0.8 and Perl for gdeval.pl): each measure under each of its names, with its required parameters, and with every
parameter at another value than its default. Each row holds the spelling that ir_measures itself prints and the values
per query on made-up data, or the first line of the error where the tool computes nothing.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

import rankmeter as rm
from rankmeter.measures.dialects import find_dialect

with lzma.open(Path(__file__).parent / "ir_measures_registry.json.xz", "rt", encoding="utf-8") as file:
    RECORDED: dict[str, Any] = json.load(file)
SPELLINGS = [text for text, _ in RECORDED["rows"]]
COMPUTED = [(text, values) for text, values in RECORDED["rows"] if isinstance(values, dict)]
FIVE_DIGITS = 6e-6
"""gdeval.pl prints five decimals."""


@pytest.fixture(scope="module")
def data() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    graded: dict[str, Any] = {}
    subtopics: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for query, _, item, grade in RECORDED["qrels"]:
        graded.setdefault(query, {})[item] = grade
    for query, subtopic, item, grade in RECORDED["diversity"]:
        subtopics.setdefault(query, {}).setdefault(item, {})[subtopic] = grade
    for query, item, score in RECORDED["run"]:
        run.setdefault(query, {})[item] = score
    return graded, subtopics, run


@pytest.mark.parametrize("text", SPELLINGS)
def test_the_dialect_reads_what_the_tool_prints(text: str) -> None:
    assert isinstance(find_dialect("ir_measures").measure(text), rm.Measure)


@pytest.mark.filterwarnings("ignore::rankmeter.RankmeterWarning")
def test_the_dialect_gives_what_the_tool_gives(data: tuple[dict[str, Any], ...]) -> None:
    graded, subtopics, run = data
    dialect = find_dialect("ir_measures")
    wrong = []
    for diverse in (False, True):
        some = {text: values for text, values in COMPUTED if dialect.measure(text).subtopics is diverse}
        assert len(some) > 20
        result = rm.evaluate(subtopics if diverse else graded, run, list(some), dialect="ir_measures")
        place = {query: at for at, query in enumerate(result.queries.to_list())}
        for text, values in some.items():
            tolerance = FIVE_DIGITS if text.startswith("ERR@") or "exp-log2" in text else 1e-9
            found = result.values[result.asked[text]].value
            wrong += [
                f"{text} query {query}: {found[place[query]]} for {expected}"
                for query, expected in values.items()
                if abs(found[place[query]] - expected) > tolerance
            ]
    assert not wrong


def test_a_map_of_gains_is_read() -> None:
    measure = find_dialect("ir_measures").measure("nDCG(gains={1:3,2:9})@10")
    assert measure == rm.parse("nDCG(gain={1:3,2:9},scores=float32)@10")
