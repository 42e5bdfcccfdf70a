"""Where a module can be broken: every place at which a small change of its text gives other numbers, or checks less."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from tests.mutants.site.noting import statements

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "rankmeter"

ROOMS = ("arithmetic", "comparing", "definitions", "evaluating", "inputs", "lists", "measures", "placing", "stats")
"""The rooms of the core that make numbers or protect them; beside them stands every wing."""
NO_NUMBERS = {
    "wing", "commands", "pages", "__init__", "cuda_tiles", "cuda_vectors", "rank_diagrams", "timeline", "tuning_charts",
}  # fmt: skip
"""Modules that only declare, show or draw, and kernels, which run in Triton's interpreter."""

COMPARED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
COMPUTED = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"), ast.Pow: ("**", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
SWAPPED = {
    "any": "all", "all": "any", "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum",
    "argmin": "argmax", "argmax": "argmin", "ceil": "floor", "floor": "ceil",
}  # fmt: skip
CHECKS = re.compile(r"_?(check|refuse|reject|require|must)(_|$)")
SAID = {"of", "said", "kinds", "warn", "hint", "deprecated"}
"""Calls that say something: what they are given is read by people."""
UNSEEN = {"strict", "stacklevel", "slots", "frozen", "copy", "check_sorted", "maintain_order", "rechunk"}
"""Options of other libraries that promise or protect what holds anyway."""
TINY = 1e-5
"""A number as small as this is a tolerance: its double is as good."""


@dataclass(frozen=True)
class Mutant:
    """A change of one place: the bytes from ``start`` to ``end`` of a module become ``new``."""

    path: Path
    start: int
    end: int
    new: str
    kind: str
    function: str
    line: int
    statement: int
    """The number of the innermost statement that holds the place, as `statements` counts them."""
    loading: bool
    """Whether the statement runs when the module is loaded, or may run once and be remembered."""

    @property
    def module(self) -> str:
        parts = self.path.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def room(self) -> str:
        return room_of(self.path)

    @property
    def old(self) -> str:
        return text_of(self.path)[self.start : self.end].decode()

    @property
    def key(self) -> str:
        """Another one for every change of every text."""
        text = f"{self.path.relative_to(ROOT).as_posix()} {self.start} {self.end} {self.new}".encode()
        return sha256(text_of(self.path) + text).hexdigest()[:16]

    def source(self) -> str:
        """The text of the module with the change."""
        text = text_of(self.path)
        return (text[: self.start] + self.new.encode() + text[self.end :]).decode()

    def change(self) -> str:
        """The line with the change in it."""
        text = text_of(self.path)
        begin, stop = text.rfind(b"\n", 0, self.start) + 1, text.find(b"\n", self.end)
        before, after = text[begin : self.start].decode(), text[self.end : stop].decode()
        return " ".join(f"{before}⟦{self.old} → {self.new}⟧{after}".split())

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT).as_posix()}:{self.line}: {self.change()}"


@cache
def text_of(path: Path) -> bytes:
    """A module as it was when it was read first: places do not move while somebody works on it."""
    return path.read_bytes()


def room_of(path: Path) -> str:
    """The room or wing of a module: ``arithmetic``, ``wings/online``."""
    parts = path.relative_to(PACKAGE).parts
    return "/".join(parts[:2]) if parts[0] == "wings" else parts[0]


def modules(rooms: tuple[str, ...] = ()) -> list[Path]:
    """The modules that make numbers or protect them, of some rooms or of all."""
    rooms = rooms or (*ROOMS, *sorted(f"wings/{path.parent.name}" for path in PACKAGE.glob("wings/*/wing.py")))
    paths = [path for room in rooms for path in sorted((PACKAGE / room).rglob("*.py"))]
    return [path for path in paths if path.stem not in NO_NUMBERS]


def mutants(path: Path) -> list[Mutant]:
    """Every change of a module, in the order of the text."""
    return list(_Places(path).found())


class _Places:
    """Walks through a module with what encloses each node: function, statement, whether it runs at loading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = text_of(path)
        self.starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.tree = ast.parse(self.text)
        self.numbers = {id(node): number for number, node in enumerate(statements(self.tree))}

    def found(self) -> Iterator[Mutant]:
        changes: list[Mutant] = []
        for node in self.tree.body:
            self._look(node, "", node, changes, loading=True)
        seen = set()
        for mutant in sorted(changes, key=lambda mutant: (mutant.start, mutant.end, mutant.new)):
            if (key := (mutant.start, mutant.end, mutant.new)) not in seen:
                yield mutant
            seen.add(key)

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def _look(self, node: ast.AST, function: str, statement: ast.stmt, changes: list[Mutant], *, loading: bool) -> None:
        if isinstance(node, ast.stmt):
            statement = node
        for start, end, new, kind in self._changes(node):
            line = self.text.count(b"\n", 0, start) + 1
            number = self.numbers[id(statement)]
            changes.append(Mutant(self.path, start, end, new, kind, function, line, number, loading))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = f"{function}.{node.name}".lstrip(".")
            cached = any("cache" in ast.dump(one) for one in node.decorator_list)
            within = loading if isinstance(node, ast.ClassDef) else cached
            if not isinstance(node, ast.ClassDef):
                for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                    self._look(default, inside, statement, changes, loading=True)
            for child in node.body:
                self._look(child, inside, child, changes, loading=within)
            return
        for child in _children(node):
            self._look(child, function, statement, changes, loading=loading)

    def _changes(self, node: ast.AST) -> Iterator[tuple[int, int, str, str]]:
        yield from self._operators(node)
        yield from self._words(node)

    def _operators(self, node: ast.AST) -> Iterator[tuple[int, int, str, str]]:
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for left, right, operator in zip(sides, sides[1:], node.ops, strict=False):
                    yield from self._between(left, right, *COMPARED[type(operator)], "comparison")
            case ast.BinOp(left=left, right=right) if type(node.op) in COMPUTED and not {
                type(left), type(right)} & {ast.JoinedStr, ast.List, ast.Tuple} and not _is_text(left) and not (
                _is_text(right)):  # fmt: skip
                yield from self._between(left, right, *COMPUTED[type(node.op)], "sign")
            case ast.AugAssign(target=left, value=right) if type(node.op) in COMPUTED:
                old, new = COMPUTED[type(node.op)]
                yield from self._between(left, right, f"{old}=", f"{new}=", "sign")
            case ast.BoolOp(values=values):
                words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in pairwise(values):
                    yield from self._between(left, right, *words, "and/or")
            case ast.UnaryOp(operand=operand) if not isinstance(node.op, ast.UAdd):
                start, end = self._span(node)
                inner, _ = self._span(operand)
                yield start, end, self.text[inner:end].decode(), "not" if isinstance(node.op, ast.Not) else "sign"

    def _words(self, node: ast.AST) -> Iterator[tuple[int, int, str, str]]:
        match node:
            case ast.Constant(value=value) if isinstance(value, bool | int | float):
                start, end = self._span(node)
                yield from ((start, end, new, "constant") for new in _others(value))
            case ast.Slice():
                for bound in filter(None, (node.lower, node.upper)):
                    start, end = self._span(bound)
                    yield start, end, "", "slice"
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in SWAPPED:
                _, end = self._span(node)
                yield end - len(name), end, SWAPPED[name], "any/all, min/max"
            case ast.Raise() if "NotImplementedError" not in ast.dump(node):
                yield *self._span(node), "pass", "dropped raise"
            case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))) if CHECKS.match(name):
                yield *self._span(node), "pass", "dropped check"

    def _between(
        self, left: ast.expr, right: ast.expr, old: str, new: str, kind: str
    ) -> Iterator[tuple[int, int, str, str]]:
        _, begin = self._span(left)
        stop, _ = self._span(right)
        word = re.escape(old).replace(r"\ ", r"\s+")
        places = list(re.finditer(rf"\b{word}\b" if old[0].isalpha() else word, self.text[begin:stop].decode()))
        if len(places) == 1:
            yield begin + places[0].start(), begin + places[0].end(), new, kind


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What a node holds, without what only types, decorators and sentences are made of."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.pattern | ast.Assert):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in SAID:
            return
        yield node.func
        yield from node.args
        yield from (one.value for one in node.keywords if one.arg not in UNSEEN)
        return
    if isinstance(node, ast.AnnAssign):
        yield from filter(None, [node.value])
        return
    yield from ast.iter_child_nodes(node)


def _others(value: float) -> list[str]:
    if isinstance(value, bool):
        return [str(not value)]
    if isinstance(value, int):
        return [str(value + 1)] if value == 0 else [str(value + 1), str(value - 1)]
    if abs(value) < TINY and value:
        return []
    return [repr(value * 2) if value else "1.0"]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def compiles(mutant: Mutant) -> bool:
    try:
        compile(mutant.source(), str(mutant.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
