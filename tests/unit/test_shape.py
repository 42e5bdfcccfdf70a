"""The house stays as the map says: nothing imports in a circle, whether at the top of a module or inside a function."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from pathlib import Path

import make_wings
import pytest
import shape

ROOT = Path(__file__).parents[2]

MOST_PARAMETERS = 12
VERBS = {
    "rankmeter.comparing.comparison.compare", "rankmeter.evaluating.verb.evaluate",
    "rankmeter.lists.catalogue.__init__", "rankmeter.wings.catalogue.catalogue_ranking.rank_catalogue",
}  # fmt: skip
"""What users call: everything that changes a number is an option of its own, by name."""


OF_A_COMMAND = "cli"
"""A module of a command is named as the command is, one of its options as what they are for."""
OF_A_WING = {"wing", "commands", "pages", "measures"}
"""What every wing may have."""
OF_A_FAMILY = ["arithmetic", "measures"]
"""A family of measures and its formulas share a name."""


def test_one_module_has_a_name() -> None:
    rooms: dict[str, list[str]] = {}
    aliases = {path for path, _ in make_wings.aliases()}
    for name, path in shape.sources().items():
        room, _, module = name.removeprefix("rankmeter.").rpartition(".")
        if (
            path.name != "__init__.py"
            and path not in aliases
            and room != OF_A_COMMAND
            and not (room.startswith("wings.") and module in OF_A_WING)
        ):
            rooms.setdefault(module, []).append(room)
    twice = {module: where for module, where in rooms.items() if len(where) > 1}
    families = [module for module, where in twice.items() if [room.partition(".")[0] for room in where] == OF_A_FAMILY]
    assert {module: where for module, where in twice.items() if module not in families} == {}


@pytest.fixture(scope="module", autouse=True)
def trees() -> Iterator[None]:
    """The syntax trees of all modules are a million objects: nobody looks through them for garbage, and they go."""
    gc.disable()
    yield
    shape.tree_of.cache_clear()
    gc.enable()


def test_one_class_has_a_name() -> None:
    where: dict[str, list[str]] = {}
    for module, path in shape.sources().items():
        classes = [node for node in shape.tree_of(path).body if isinstance(node, ast.ClassDef)]
        classes += [node for outer in classes for node in outer.body if isinstance(node, ast.ClassDef)]
        for node in classes:
            if not node.name.startswith("_"):
                where.setdefault(node.name, []).append(module)
    assert {name: places for name, places in where.items() if len(places) > 1} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert shape.cycles(shape.imports(shape.sources())) == []


def _imported(path: Path) -> set[str]:
    """What a module imports of rankmeter, for types only too."""
    nodes = list(ast.walk(shape.tree_of(path)))
    names = {
        f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    return names | {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}


def _wing(name: str) -> str:
    """The wing that a dotted name belongs to; empty for the core, its table of wings included."""
    parts = name.split(".")
    return parts[2] if parts[:2] == ["rankmeter", "wings"] and len(parts) > 2 and parts[2] in WINGS else ""


WINGS = {path.parent.name for path in (ROOT / "src" / "rankmeter" / "wings").glob("*/wing.py")}


def test_the_core_names_no_wing_and_no_wing_another() -> None:
    named = {}
    for name, path in shape.sources().items():
        if path in make_wings.written():
            continue  # written from what the wings say of themselves
        other = {_wing(imported) for imported in _imported(path)} - {"", _wing(name)}
        text = path.read_text("utf-8")
        other |= {
            wing for wing in WINGS - {_wing(name)} if f"rankmeter.wings.{wing}" in text or f"wings/{wing}" in text
        }
        if other:
            named[name] = sorted(other)
    assert named == {}


@pytest.mark.wings
def test_the_table_of_wings_is_what_the_wings_say() -> None:
    assert make_wings.stale() == []
    for path, text in make_wings.written().items():
        assert path.read_text("utf-8") == text, f"{path.name}: run docs/tools/make_wings.py"


def _floor() -> set[tuple[str, str]]:
    """The modules that the map says wings may use, with their rooms."""
    section = (ROOT / "docs" / "design.md").read_text("utf-8").partition("### The floor")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ?(.*) \|$", section, re.MULTILINE)
    return {(room, module or "itself") for room, modules in rows for module in modules.split(", ")}


def _needed() -> set[tuple[str, str]]:
    found = shape.floor(shape.imports(shape.sources()))
    return {(room, module) for room, modules in found.items() for module in modules}


def test_wings_use_the_core_through_the_modules_of_the_floor() -> None:
    assert sorted(_needed() - _floor()) == [], "add it to the floor in docs/design.md, or use what is there"


@pytest.mark.wings
def test_the_floor_has_no_module_that_no_wing_needs() -> None:
    assert sorted(_floor() - _needed()) == []


@pytest.mark.parametrize("wing", sorted(WINGS))
def test_the_page_of_a_wing_names_its_modules(wing) -> None:
    page = (ROOT / "docs" / "wings" / f"{wing}.md").read_text("utf-8")
    modules = {path.stem for path in (ROOT / "src" / "rankmeter" / "wings" / wing).glob("*.py")}
    assert sorted(name for name in modules - {"__init__", "wing"} if f"`{name}`" not in page) == []


def test_functions_take_few_parameters() -> None:
    many = [(count, name) for count, name in shape.most_parameters(shape.sources()) if count > MOST_PARAMETERS]
    assert [(count, name) for count, name in many if name not in VERBS] == []


LONGEST_MODULE = 400
"""Lines of code proper: what is read in one sitting. Explanations do not count, so that none is left out to fit."""
LONGER = {"rankmeter.wings.catalogue.cuda_tiles": "one kernel, whose parts share its proof"}


def test_a_module_is_read_in_one_sitting() -> None:
    lines = {name: shape.lines_of(path)[1] for name, path in shape.sources().items()}
    assert {name: count for name, count in lines.items() if count > LONGEST_MODULE and name not in LONGER} == {}
    assert [name for name in LONGER if lines.get(name, LONGEST_MODULE + 1) <= LONGEST_MODULE] == []


def test_the_lines_of_core_and_wings_are_all_lines() -> None:
    rooms, wings = shape.lines_by_room(shape.sources()), shape.lines_by_wing(shape.sources())
    assert sum(lines for lines, _ in wings.values()) == sum(lines for lines, _ in rooms.values())
    assert {*wings} == {"core", *WINGS}
