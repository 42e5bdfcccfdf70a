"""What the project declares in several files is the same in all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rankmeter as rm

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCKED = dict(re.findall(r"^([\w.-]+)(?:\[.*\])?==([\w.+!-]+)", (ROOT / "dev.lock").read_text("utf-8"), re.MULTILINE))
NEEDED = [
    *PROJECT["dependencies"],
    *(one for extra in ("dev", "docs") for one in PROJECT["optional-dependencies"][extra]),
]


@pytest.mark.parametrize("needed", [one for one in NEEDED if not one.startswith("rankmeter[")])
def test_the_lock_holds_every_dependency_of_development_within_its_bounds(needed) -> None:
    requirement = Requirement(needed)
    assert requirement.specifier.contains(LOCKED[canonicalize_name(requirement.name)])


def test_pythons_are_declared_as_far_as_they_are_run() -> None:
    prefix = "Programming Language :: Python :: "
    declared = [one.removeprefix(prefix) for one in PROJECT["classifiers"] if re.fullmatch(rf"{prefix}3\.\d+", one)]
    run = re.search(r"python: (\[.*\])", (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))[1]
    assert declared == re.findall(r"3\.\d+", run)
    assert PROJECT["requires-python"] == f">={declared[0]}"


def test_the_version_has_one_source() -> None:
    assert "version" in PROJECT["dynamic"]
    assert "version" not in PROJECT
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", rm.__version__)
    assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)


def test_no_entry_of_the_changelog_stands_twice() -> None:
    entries = re.split(r"^(?=- |#)", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    told = [entry for entry in entries if entry.startswith("- ")]
    assert [entry for entry in set(told) if told.count(entry) > 1] == []


def test_actions_of_others_are_pinned_to_a_commit_and_say_which_version_it_is() -> None:
    files = [*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / "action.yml"]
    used = [line for file in files for line in file.read_text("utf-8").splitlines() if re.search(r"\buses: ", line)]
    assert len(used) > 10
    assert [line for line in used if not re.search(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line)] == []


@pytest.mark.parametrize("file", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda file: file.name)
def test_a_workflow_may_read_and_only_what_publishes_may_more(file) -> None:
    text = file.read_text("utf-8")
    assert "\npermissions: { contents: read }\n" in text
    before, _, after = text.partition("\n  publish:\n")
    assert ": write" not in before
    assert "run:" not in after  # what was built before is handed over, nothing else is done with the right to publish
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")
