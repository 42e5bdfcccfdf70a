"""The tool that breaks rankmeter at random: what it changes, and that a test notices or not is told as it is."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.mutants.__main__ import equivalent, identity
from tests.mutants.drawing import PACKAGE, compiles, modules, mutants
from tests.mutants.site.noting import noting

ROOT = Path(__file__).parents[2]
MODULES = ["arithmetic/relevance", "comparing/scoring", "stats/power"]


@pytest.mark.parametrize("name", MODULES)
def test_every_mutant_compiles_and_is_another_program(name) -> None:
    path = PACKAGE / f"{name}.py"
    whole = ast.dump(ast.parse(path.read_bytes()))
    found = mutants(path)
    assert len(found) > 30
    for mutant in found[::5]:
        assert compiles(mutant), mutant
        assert ast.dump(ast.parse(mutant.source())) != whole, mutant


def test_kinds_of_change_are_those_that_the_map_names() -> None:
    kinds = {mutant.kind for name in MODULES for mutant in mutants(PACKAGE / f"{name}.py")}
    assert {"comparison", "constant", "and/or", "sign", "slice", "dropped raise"} <= kinds


def test_what_notes_computes_the_same_and_notes_what_ran() -> None:
    code = 'def f(x):\n    """Text."""\n    if x:\n        y = 1\n    else:\n        y = 2\n    return y\nz = f(0)\n'
    tree, count = noting(ast.parse(code))
    ran = bytearray(count)
    names = {"_ran_": ran}
    exec(compile(tree, "code", "exec"), names)
    assert names["z"] == 2
    assert names["f"].__doc__ == "Text."
    # The function, its docstring, if, y = 1, y = 2, return, z: all ran but the docstring and y = 1.
    assert [*ran] == [1, 0, 1, 0, 1, 1, 1]


def test_every_equivalent_is_still_there_and_has_a_reason() -> None:
    known = equivalent()
    of = {name: PACKAGE / f"{name.replace('.', '/')}.py" for name, _, _ in known}
    there = {identity(mutant) for path in of.values() for mutant in mutants(path)}
    assert sorted(set(known) - there) == []
    assert all(len(reason) > 20 for reason in known.values())


@pytest.mark.slow
def test_what_is_noticed_and_what_is_not_is_counted() -> None:
    asked = ["--seed", "2", "--count", "3", "--rooms", "stats", "--modules", "power", "--near", "--jobs", "2"]
    before = {path: path.read_bytes() for path in modules(("stats",))}
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants", *asked], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"}, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    noticed, missed = done.stdout.count("\nnoticed  "), done.stdout.count("\nnot near  ")
    assert noticed + missed == 3
    assert noticed
    assert re.search(rf"^all +3 +{noticed} ", done.stdout, re.MULTILINE)
    assert {path: path.read_bytes() for path in before} == before
