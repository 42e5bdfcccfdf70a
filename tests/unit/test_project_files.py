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
    assert PROJECT["dynamic"] == ["version"]
    assert "version" not in PROJECT
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", rm.__version__)
    assert not re.search(r"^version:", (ROOT / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
