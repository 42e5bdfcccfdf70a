"""Every command answers ``--format json`` as its schema says, and says nothing that the schema does not know."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import make_schemas
import pytest
from jsonschema import Draft202012Validator

from rankmeter.cli.application import COMMANDS
from rankmeter.cli.output import SCHEMA

SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in make_schemas.HERE.glob("*.json")}
pytestmark = pytest.mark.wings()  # all of them


def closed(schema: Any) -> Any:
    """A schema under which no object has a key that is not named."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: closed(part) for key, part in schema.items()}
    named = isinstance(schema.get("properties"), dict) and "type" in schema
    return {**inside, "additionalProperties": False} if named else inside


def test_every_command_has_a_schema_or_answers_with_files() -> None:
    known = make_schemas.known()
    assert {name.replace(" ", "-") for name in known} == {*SCHEMAS}
    whole = {*COMMANDS} - {"interleave"}  # which holds two
    assert whole - {*known} == {*make_schemas.FILES_ONLY}


def test_every_answer_is_what_its_schema_says(tmp_path: Path) -> None:
    seen = set()
    for command, call, answer in make_schemas.answers(tmp_path, str.lower, 7):
        name = command.replace(" ", "-")
        seen.add(name)
        assert next(iter(answer)) == "schema", call
        assert answer["schema"] == f"rankmeter/{name}/{SCHEMA}", call
        for schema in (SCHEMAS[name], closed(SCHEMAS[name])):
            errors = Draft202012Validator(schema).iter_errors(answer)
            wrong = [f"{error.json_path}: {error.message[:200]}" for error in errors]
            assert not wrong, (call, wrong[:5])
    assert seen == {*SCHEMAS}


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_an_answer_without_what_is_promised_is_noticed(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    required = SCHEMAS[name]["required"]
    assert "schema" in required
    missed = [error.validator for error in Draft202012Validator(SCHEMAS[name]).iter_errors({})]
    assert missed == ["required"] * len(required)
