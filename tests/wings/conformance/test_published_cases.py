"""The published cases: what is committed has the stated form, and every value is the oracle's and rankmeter's own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.properties.strategies import by_night
from tests.wings.conformance.make_cases import ALL, PAGES, REFUSED, UNSTATED, page, questions, text_of, value, values_of

from rankmeter.wings.conformance.cases import FOLDER, cases
from rankmeter.wings.conformance.expectations import IMPOSSIBLE, SILENT, Expectations
from rankmeter.wings.conformance.known_definitions import FAMILIES, known_definitions, shown

FILES = sorted((FOLDER / "values").glob("*.json"))
TOPICS = {
    "ties", "duplicates", "empty", "empty-list", "grades", "negative", "short", "unjudged", "queries", "ids", "order",
    "sign", "plain",
}  # fmt: skip


def read(path: Any) -> Any:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("path", [FOLDER / "cases.json", *FILES], ids=lambda path: path.name)
def test_a_file_has_the_published_form(path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(read(FOLDER / "schema.json")).validate(read(path))


def test_every_measure_that_functions_are_compared_with_has_its_file() -> None:
    assert {path.stem for path in FILES} == {*FAMILIES}


def test_every_topic_has_a_case_and_no_name_stands_twice() -> None:
    names = [case.name for case in cases()]
    assert len({*names}) == len(names) >= 40
    assert {case.topic for case in cases()} == TOPICS


@pytest.mark.parametrize("family", ["P", "AP", "nDCG", "RR"])
def test_values_of_rankmeters_own_definitions_are_the_oracles(family: str) -> None:
    for entry in read(FOLDER / "values" / f"{family}.json")["definitions"][:2]:
        (definition,) = (known for known in known_definitions() if shown(known) == entry["definition"])
        assert [value(definition, question) for question in questions()] == entry["values"]


IN_TURN = by_night(10, night=1)
"""One of so many definitions is computed again, the next ones the next day; all of them in ``make hunt``."""


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_values_are_the_oracles(family: str) -> None:
    text = (FOLDER / "values" / f"{family}.json").read_text("utf-8")
    turn = datetime.now(UTC).toordinal()
    believed = {
        entry["definition"]: entry["values"]
        for number, entry in enumerate(json.loads(text)["definitions"])
        if (number + turn) % IN_TURN
    }
    assert text == text_of(values_of(family, believed)), "run: python -m tests.wings.conformance.make_cases"


@pytest.mark.slow
def test_values_are_those_that_a_function_is_compared_with() -> None:
    expectations = Expectations(questions(), ALL)
    known = {shown(definition): definition for definition in known_definitions()}
    expectations.nearest(known.values(), lambda *_: False, 0)  # measures all of them at once
    words = {SILENT: UNSTATED, IMPOSSIBLE: REFUSED}
    wrong = []
    for path in FILES:
        file = read(path)
        for entry in file["definitions"]:
            row = expectations.of(known.pop(entry["definition"]))
            for question, published, own in zip(file["questions"], entry["values"], row, strict=True):
                same = (
                    abs(own - published) < 1e-9
                    if isinstance(own, float) and isinstance(published, (int, float))
                    else words.get(own, own) == published
                )
                if not same:
                    wrong.append((entry["definition"], question, published, own))
    assert not wrong
    assert not known


@pytest.mark.parametrize("language", PAGES)
def test_the_page_is_current(language: str) -> None:
    assert PAGES[language].read_text("utf-8") == page(language), "run: python -m tests.wings.conformance.make_cases"
