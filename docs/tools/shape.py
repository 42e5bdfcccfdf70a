"""The shape of the code in numbers: how long it is, how far a number travels, whether imports go round in circles.

``python docs/tools/shape.py`` prints a table, ``--way NAME`` every function on one way, ``--cycles`` the modules of
every import cycle, ``--json`` all of it for a program.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

SRC = Path(__file__).parents[2] / "src"
JUDGMENTS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"a": 0.9, "x": 0.8, "b": 0.7}, "q2": {"x": 0.5, "c": 0.4}}
PLACED = {query: {item: round(10 * score) for item, score in items.items()} for query, items in RUN.items()}
"""The same with whole scores, which are placed: the short way for little data takes plain floats alone."""


def sources() -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    named = {path: path.relative_to(SRC).with_suffix("").parts for path in sorted((SRC / "rankmeter").rglob("*.py"))}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in named.items()}


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"))


def lines_of(path: Path) -> tuple[int, int]:
    """How many lines a module has, and how many of them are code proper: no imports, docstrings or blank lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    apart = {number for number, line in enumerate(lines, 1) if not line.strip()}
    for node in ast.walk(tree_of(path)):
        is_text = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if is_text or isinstance(node, (ast.Import, ast.ImportFrom)):
            apart.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines), len(lines) - len(apart)


def lines_by_room(modules: dict[str, Path]) -> dict[str, tuple[int, int]]:
    """Lines of Python in each room, and those of code proper; ``(top level)`` are the modules outside of any."""
    rooms: dict[str, tuple[int, int]] = {}
    for path in modules.values():
        inside = path.relative_to(SRC / "rankmeter").parts
        room = inside[0] if len(inside) > 1 else "(top level)"
        rooms[room] = _added(rooms.get(room, (0, 0)), lines_of(path))
    return dict(sorted(rooms.items()))


def lines_by_wing(modules: dict[str, Path]) -> dict[str, tuple[int, int]]:
    """Lines of Python of the core and of each wing, and those of code proper."""
    parts: dict[str, tuple[int, int]] = {}
    for path in modules.values():
        inside = path.relative_to(SRC / "rankmeter").parts
        part = inside[1] if inside[0] == "wings" and len(inside) > 2 else "core"
        parts[part] = _added(parts.get(part, (0, 0)), lines_of(path))
    return dict(sorted(parts.items(), key=lambda named: -named[1][0]))


def repeated_functions(modules: dict[str, Path]) -> dict[str, list[str]]:
    """Names of functions that stand at the top of more than one module, with the modules."""
    where: dict[str, list[str]] = {}
    for name, path in modules.items():
        for node in tree_of(path).body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                where.setdefault(node.name, []).append(name)
    return {name: places for name, places in where.items() if len(places) > 1 and not name.startswith("__")}


def _added(some: tuple[int, int], more: tuple[int, int]) -> tuple[int, int]:
    return some[0] + more[0], some[1] + more[1]


def ways() -> dict[str, Callable[[], object]]:
    """Calls whose ways are counted, each once warm."""
    from click.testing import CliRunner

    import rankmeter as rm
    from rankmeter import demo
    from rankmeter.cli import app

    def value(run: dict[str, dict[str, float]]) -> Callable[[], object]:
        return lambda: rm.evaluate(JUDGMENTS, run, ["nDCG@10"])["nDCG@10"]

    def frame() -> object:
        import pandas as pd

        columns = ["query", "item", "score"]
        rows = [(query, item, score) for query, items in RUN.items() for item, score in items.items()]
        grades = [(query, item, grade) for query, items in JUDGMENTS.items() for item, grade in items.items()]
        judged, run = pd.DataFrame(grades, columns=[*columns[:2], "grade"]), pd.DataFrame(rows, columns=columns)
        return lambda: rm.evaluate(judged, run, ["nDCG@10"])["nDCG@10"]

    def report() -> object:
        files = [str(demo.data_path(name)) for name in (demo.JUDGMENTS, *list(demo.RUNS.values())[:2])]
        return CliRunner().invoke(app, ["compare", *files, "-m", "nDCG@10", "--report", os.devnull])

    return {
        "a value": value(RUN),
        "a value that is placed": value(PLACED),
        "a small result, printed": lambda: str(rm.evaluate(JUDGMENTS, RUN, ["nDCG@10"])),
        "a pandas frame": frame(),
        "compare --report of two runs": report,
    }


def way(call: Callable[[], object]) -> list[tuple[str, str]]:
    """Module and name of every function of ours that a call passes, in order, once warm.

    A comprehension, a lambda and what a dataclass generates belong to the function that holds them.
    """
    call()
    passed: list[tuple[str, str]] = []
    known: set[tuple[str, str]] = set()

    def note(frame: Any, event: str, _: Any) -> None:
        name = frame.f_code.co_name
        if event == "call" and not name.startswith("<") and frame.f_code.co_filename.startswith(str(SRC)):
            entered = frame.f_globals["__name__"], frame.f_code.co_qualname
            if not frame.f_code.co_flags & 0x20 or entered not in known:  # a generator is entered again for each value
                passed.append(entered)
                known.add(entered)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return passed


def imports(modules: dict[str, Path]) -> dict[str, set[str]]:
    """Which module needs which, imports inside functions counted, those for type checkers alone not."""
    return {name: set(_imported(tree_of(path), modules)) for name, path in modules.items()}


def _imported(tree: ast.AST, modules: dict[str, Path]) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for other in node.orelse:
                yield from _imported(other, modules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            named = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in named if node.module in modules)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        else:
            yield from _imported(node, modules)


def floor(graph: dict[str, set[str]]) -> dict[str, list[str]]:
    """The modules of the core that wings need, by room; those of no room under their own name."""
    needed = {other for name, others in graph.items() if _wing(name) for other in others if not _wing(other)}
    rooms: dict[str, list[str]] = {}
    for name in sorted(needed - {"rankmeter", "rankmeter.wings.literal"}):
        _, room, *module = name.split(".")
        rooms.setdefault(room, []).append(".".join(module) or "itself")
    return rooms


def _wing(name: str) -> str:
    """The wing of a module; empty for the core."""
    parts = name.split(".")
    is_in_one = parts[1:2] == ["wings"] and len(parts) > 2 and (SRC.joinpath(*parts[:3]) / "wing.py").exists()
    return parts[2] if is_in_one else ""


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that need each other, largest first (Tarjan's algorithm, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []
    for root, needed in graph.items():
        if root in number:
            continue
        number[root] = low[root] = len(number)
        stack.append(root)
        work = [(root, iter(sorted(needed)))]
        while work:
            name, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in stack:
                    low[name] = min(low[name], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == number[name]:
                    at = stack.index(name)
                    groups.append(sorted(stack[at:]))
                    del stack[at:]
    return sorted((group for group in groups if len(group) > 1), key=len, reverse=True)


THEIR_SIGNATURES = {
    "rankmeter.wings.doors.": "doors take what the originals take",
    "rankmeter.wings.catalogue.cuda_tiles": "Triton compiles a kernel for pointers, sizes and constants, each a "
    "parameter; it takes no object that holds several",
    "rankmeter.wings.catalogue.sentence_transformers": "doors take what the originals take",
}
"""Modules whose functions have the parameters that somebody else prescribes, and who."""


def most_parameters(modules: dict[str, Path]) -> list[tuple[int, str]]:
    """The functions of our own making with the most parameters, and how many they have."""
    counted = [
        (len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]), f"{name}.{node.name}")
        for name, path in modules.items()
        for node in ast.walk(tree_of(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not name.startswith(tuple(THEIR_SIGNATURES))
    ]
    return sorted(counted, reverse=True)[:30]


def isinstance_of_sources(modules: dict[str, Path]) -> int:
    """How often it is asked of what kind judgments or a run are."""
    kinds = {"GradedMapping", "PlainJudgments", "JudgmentTable", "Dense", "ScoredMapping", "RankedLists", "RunTable"}
    kinds |= {"RunFile", "Labelled"}
    return sum(
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == "isinstance"
        and bool(kinds & {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)})
        for path in modules.values()
        for node in ast.walk(tree_of(path))
    )


def _counted(passed: list[tuple[str, str]]) -> dict[str, int]:
    return {
        "functions": len(set(passed)),
        "changes of module": sum(before[0] != after[0] for before, after in pairwise(passed)),
        "calls": len(passed),
        "modules": len({module for module, _ in passed}),
    }


def shape() -> dict[str, Any]:
    """All of it; lines are pairs, all of them and those of code proper."""
    modules = sources()
    rooms = lines_by_room(modules)
    return {
        "lines": (sum(pair[0] for pair in rooms.values()), sum(pair[1] for pair in rooms.values())),
        "modules": len(modules),
        "ways": {name: _counted(way(call)) for name, call in ways().items()},
        "cycles": [len(group) for group in cycles(imports(modules))],
        "most parameters": most_parameters(modules)[0],
        "questions about the kind of a source": isinstance_of_sources(modules),
        "names of functions that stand more than once": len(repeated_functions(modules)),
        "core and wings": lines_by_wing(modules),
        "rooms": rooms,
    }


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count:,} {name}" for name, count in value.items())
    if isinstance(value, tuple) and isinstance(value[1], int):
        return f"{value[0]:,} ({value[1]:,} of code proper)"
    return str(value)


def main() -> None:
    """Print the shape."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--way", help="print every function on this way")
    parser.add_argument("--cycles", action="store_true", help="print the modules of every import cycle")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    given = parser.parse_args()
    if given.way:
        print("\n".join(f"{module:<40} {name}" for module, name in way(ways()[given.way])))
        return
    if given.cycles:
        print("\n".join(f"{len(group)}: {', '.join(group)}" for group in cycles(imports(sources()))))
        return
    if given.json:
        print(json.dumps(shape(), indent=2))
        return
    for name, value in shape().items():
        print(f"{name:<40} {'' if isinstance(value, dict) else _shown(value)}".rstrip())
        for key, part in value.items() if isinstance(value, dict) else ():
            print(f"  {key:<56} {_shown(part)}")


if __name__ == "__main__":
    main()
