"""Where memory crosses between libraries is listed with the versions it was shown with; nothing private is used."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "rankmeter"
PAGE = (ROOT / "docs" / "decisions" / "dependencies.md").read_text("utf-8")
ROWS = [line.split("|")[1:-1] for line in PAGE.partition("## Memory that crosses")[2].splitlines() if "| `" in line]
TREES = {path.relative_to(SRC).with_suffix("").as_posix().replace("/", "."): ast.parse(path.read_text("utf-8"))
         for path in SRC.rglob("*.py")}  # fmt: skip
CROSSING = {
    "from_arrow", "to_arrow", "toArrow", "mapInArrow", "applyInArrow", "toPandas", "from_pandas", "from_numpy",
    "as_tensor", "from_dlpack", "__dlpack__", "__arrow_array__", "__arrow_c_stream__", "__arrow_c_array__",
    "__dataframe__", "__cuda_array_interface__", "from_buffers", "foreign_buffer", "buffers", "data_ptr", "CDLL",
}  # fmt: skip
"""Names by which memory is handed from one library to another."""
OWN = {"rankmeter", *sys.stdlib_module_names}


def crossing(tree: ast.Module) -> set[str]:
    """The names of this kind that a module calls or asks for; a method of its own may have such a name."""
    taken = {node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Attribute)}  # fmt: skip
    asked = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return (taken | asked) & CROSSING


@pytest.mark.wings
def test_every_module_in_which_memory_crosses_is_listed() -> None:
    listed = {name for row in ROWS for name in re.findall(r"`([\w.]+)`", row[0])}
    assert listed == {name for name, tree in TREES.items() if crossing(tree)}


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas", "numpy", "duckdb", "narwhals", "torch"])
def test_what_is_listed_was_shown_from_the_lowest_version_on(library: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    bounds = {found[1] for one in wanted if (found := re.match(rf"{library}>=(\d+(?:\.\d+)?)", one))}
    shown = {low for row in ROWS for low in re.findall(rf"\b{library} ([\d.]+) to ", row[2], re.IGNORECASE)}
    assert shown == bounds


def private_names(tree: ast.Module) -> list[str]:
    """What a module takes from other libraries by a name that begins with one underscore."""
    modules: set[str] = set()
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name for one in node.names if one.name.partition(".")[0] not in OWN}
        if isinstance(node, ast.ImportFrom) and not node.level and node.module.partition(".")[0] not in OWN:
            modules |= {one.asname or one.name for one in node.names}
            found += [
                f"{node.module}.{one.name}"
                for one in node.names
                if re.search(r"(^|\.)_(?!_)", f"{node.module}.{one.name}")
            ]
        if isinstance(node, ast.ImportFrom) and node.module == "rankmeter.late":
            modules |= {"pl", "optimize", "special", "stats"} & {one.name for one in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match("_(?!_)", node.attr):
            begin = node.value
            while isinstance(begin, ast.Attribute):
                begin = begin.value
            if isinstance(begin, ast.Name) and begin.id in modules:
                found.append(ast.unparse(node))
    return found


def test_no_private_name_of_another_library_is_used() -> None:
    assert {name: found for name, tree in TREES.items() if (found := private_names(tree))} == {}


def test_the_searches_find_what_they_look_for() -> None:
    tree = ast.parse("import numpy as np, polars\nfrom polars._utils import x\nnp.core._m.f\npolars.from_arrow(y)")
    assert private_names(tree) == ["polars._utils.x", "np.core._m"]
    assert crossing(tree) == {"from_arrow"}
