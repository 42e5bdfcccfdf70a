"""Editors and type checkers know every public name: its options, their values, and what is none of them."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import make_names
import pytest

import rankmeter as rm
from rankmeter import demo
from rankmeter.measures.names import ALIASES, EVERYDAY

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
api = pytest.importorskip("mypy.api")


def marked_lines():
    """The lines of the calls that are wrong, each with mypy's name for the error."""
    lines = enumerate((HERE / "calls.py").read_text("utf-8").splitlines(), 1)
    return {(number, match[1]) for number, line in lines if (match := re.search(r"# E: ([\w-]+)$", line))}


def test_mypy_accepts_right_calls_and_refuses_wrong_ones():
    """With the settings of ``make types``, and so from its cache where it is there."""
    words = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    told, errors, _ = api.run([*words, "--no-error-summary", str(HERE / "calls.py")])
    assert not errors
    found = {
        (int(match[1]), match[2])
        for match in re.finditer(r"calls\.py:(\d+): error: .*\[([\w-]+)\]$", told, re.MULTILINE)
    }
    expected = marked_lines()
    assert {number for number, _ in found} == {number for number, _ in expected}, told
    assert expected <= found, told


def test_pyright_accepts_right_calls_and_refuses_wrong_ones(tmp_path):
    """In its strict mode, as an editor shows it to a user: from a folder of the user's own."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    (tmp_path / "calls.py").write_text((HERE / "calls.py").read_text("utf-8"), "utf-8")
    settings = {"include": ["calls.py"], "extraPaths": [str(ROOT / "src")], "typeCheckingMode": "strict",
                "pythonVersion": "3.11", "reportUnusedExpression": False, "reportUnusedVariable": False}  # fmt: skip
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    words = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    errors = json.loads(told.stdout)["generalDiagnostics"]
    assert {error["range"]["start"]["line"] + 1 for error in errors} == {number for number, _ in marked_lines()}, errors


def test_every_public_function_is_among_the_calls():
    calls = (HERE / "calls.py").read_text("utf-8")
    functions = [f"rm.{name}" for name in rm.__all__ if inspect.isfunction(getattr(rm, name))]
    functions += [f"online.{name}" for name in rm.online.__all__ if inspect.isfunction(getattr(rm.online, name))]
    assert [name for name in functions if not re.search(rf"\b{name}\b", calls)] == []


def test_the_generated_files_are_current():
    for written, text in make_names.written().items():
        assert written.read_text("utf-8") == text, "run: python docs/tools/make_names.py"


def test_completion_shows_public_names_and_nothing_else():
    assert {"nDCG", "evaluate", "HitRate", "online"} <= set(dir(rm))
    assert not {"Any", "import_module", "annotations", "TYPE_CHECKING"} & set(dir(rm))
    assert [name for name in dir(rm) if name.startswith("_")] == ["__version__"]


@pytest.mark.parametrize("module", [rm.online, demo], ids=lambda module: module.__name__)
def test_completion_in_a_module_shows_its_public_names(module):
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


@pytest.mark.parametrize("name", EVERYDAY)
def test_everyday_names_are_names_of_the_package(name):
    assert getattr(rm, name) == rm.parse(ALIASES[name])
    assert name in rm.__all__
