"""What tests and tools import is what `make` installs, or a test that needs it is skipped where it is not there."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BY_HAND = {"make_report_picture.py", "record_judging.py"}
"""Run by people alone, when what they record changes; they say what they need."""
FILES = [
    ROOT / "conftest.py",
    *(path for room in ("tests", "docs") for path in sorted((ROOT / room).rglob("*.py")) if path.name not in BY_HAND),
]
OURS = {path.stem for folder in ("tests", "docs/tools", "benchmarks") for path in (ROOT / folder).rglob("*.py")}
OURS |= {"rankmeter", "tests"}
SKIPPED = re.compile(r"""importorskip\(\s*["'](\w+)""")
homes_of_packages = cache(packages_distributions)


@cache
def installed_by(*extras: str) -> set[str]:
    """The distributions that extras bring, and all that these need."""
    optional = PROJECT["optional-dependencies"]
    waiting = [*PROJECT["dependencies"], *(needed for extra in extras for needed in optional[extra])]
    found: set[str] = set()
    while waiting:
        needed = Requirement(waiting.pop())
        name = canonicalize_name(needed.name)
        if name == "rankmeter":
            waiting += [more for extra in needed.extras for more in optional[extra]]
        elif name not in found:
            found.add(name)
            try:
                more = [Requirement(text) for text in requires(name) or []]
            except PackageNotFoundError:  # the extra `docs` need not be there where tests run
                continue
            asked = needed.extras or {""}
            waiting += [
                str(one) for one in more if not one.marker or any(one.marker.evaluate({"extra": e}) for e in asked)
            ]
    return found


def imported(text: str) -> Iterator[tuple[str, int]]:
    """The packages that a file imports anywhere, with the line; what only type checkers read is left out."""
    tree = ast.parse(text)
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    unread = {id(node) for block in blocks for part in block.body for node in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) not in unread and isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif id(node) not in unread and isinstance(node, ast.ImportFrom):
            yield str(node.module).partition(".")[0], node.lineno


def missing_elsewhere(path: Path, extras: tuple[str, ...]) -> list[str]:
    """The imports of a file that fail where only some extras are installed, as lines that say where."""
    text = path.read_text("utf-8")
    brought, homes = installed_by(*extras), homes_of_packages()
    found = []
    for package, line in imported(text):
        if package in sys.stdlib_module_names or package in OURS:
            continue
        if brought & set(map(canonicalize_name, homes.get(package, [package]))):
            continue
        if package not in SKIPPED.findall("\n".join(text.splitlines()[: line - 1])):
            found.append(f"{path.relative_to(ROOT)}:{line} imports {package}")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_imported_is_installed_by_make_or_the_test_is_skipped(path):
    extras = ("dev", "docs") if "docs" in path.relative_to(ROOT).parts else ("dev",)
    assert missing_elsewhere(path, extras) == []


def test_an_import_of_what_make_does_not_install_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    file = tmp_path / "test_it.py"
    file.write_text("def test():\n    from torch.nn import Module\n    import polars, pytest, json\n")
    assert missing_elsewhere(file, ("dev",)) == ["test_it.py:2 imports torch"]
    file.write_text("import pytest\ntorch = pytest.importorskip('torch')\nfrom torch.nn import Module\n")
    assert missing_elsewhere(file, ("dev",)) == []
