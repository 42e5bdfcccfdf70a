"""What is checked: a function, or a program that reads JSON lines; asked case by case, and watched for faults."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol

from rankmeter.errors import InputError, NotFoundError
from rankmeter.frozen import dataclass
from rankmeter.wings.conformance.arguments import (
    Argument,
    arguments_of,
    as_one_number,
    function_name,
    given,
    read_arguments,
    sight_of,
    turned,
)
from rankmeter.wings.conformance.expectations import AskedCase
from rankmeter.wings.conformance.sight import Sight

GIVEN_TO_PROGRAMS = "retrieved, relevant, grades, relevances, k"
"""What a line holds if nothing else is asked for."""
TIMEOUT = 60.0
"""Seconds that a program has to answer all cases."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came back for a cell: a number, nothing, or an error."""

    value: float | None
    error: str = ""
    faults: tuple[str, ...] = ()
    """What is wrong whatever the definition: ``mutated``, ``ordered``, ``unsteady``, ``not_a_number``."""


class Subject(Protocol):
    """Something that computes a metric."""

    name: str
    sight: Sight
    takes_k: bool

    def answers(self, cells: Sequence[AskedCase]) -> list[Answered]:
        """What it answers to each cell."""


class FunctionSubject:
    """A Python function."""

    def __init__(self, function: Callable[..., Any], arguments: str | None = None) -> None:
        self.function = function
        self.name = function_name(function)
        self.arguments = read_arguments(arguments) if arguments else arguments_of(function)
        self.sight = sight_of(self.arguments)
        self.takes_k = any(argument.word == "k" for argument in self.arguments)
        self._relevant: type | None = None if _has(self.arguments, "relevant") else set

    def answers(self, cells: Sequence[AskedCase]) -> list[Answered]:
        """What it answers to each cell, called twice, once with the judgments in the opposite order."""
        if self._relevant is None:
            self._relevant = self._kind_of_relevant(cells)
        return [self._answer(cell, self._relevant) for cell in cells]

    def _kind_of_relevant(self, cells: Sequence[AskedCase]) -> type:
        """Whether relevant items are taken as a set or as a list: the first with which it answers the first cell."""
        kinds = (set, list)
        return next((kind for kind in kinds if cells and not self._called(cells[0], kind).error), set)

    def _answer(self, cell: AskedCase, relevant: type) -> Answered:
        first = self._called(cell, relevant)
        again = self._called(cell, relevant)
        other = self._called(AskedCase(turned(cell.case), cell.k), relevant)
        faults = [*first.faults]
        if not _same(first, again):
            faults.append("unsteady")
        elif not _same(first, other):
            faults.append("ordered")
        return Answered(first.value, first.error, tuple(faults))

    def _called(self, cell: AskedCase, relevant: type) -> Answered:
        positional, named = given(self.arguments, cell.case, cell.k, relevant=relevant)
        before = deepcopy((positional, named))
        try:
            returned = self.function(*positional, **named)
        except Exception as error:  # noqa: BLE001 (whatever a stranger's function raises is its answer)
            return Answered(None, f"{type(error).__name__}: {error}"[:200])
        mutated = ("mutated",) if before != (positional, named) else ()
        try:
            return Answered(as_one_number(returned), faults=mutated)
        except (TypeError, ValueError):
            return Answered(None, f"{type(returned).__name__}: {returned!r:.60}", (*mutated, "not_a_number"))


class ProgramSubject:
    """A program that answers JSON lines: one case a line, one number (or ``{"value": ...}``, or null) a line.

    A line holds the words of ``arguments``, ids that are keys as text.
    """

    def __init__(self, command: str, arguments: str | None = None) -> None:
        self.name = command
        self.arguments = read_arguments(arguments or GIVEN_TO_PROGRAMS)
        self.sight = sight_of(self.arguments)
        self.takes_k = _has(self.arguments, "k")
        self._words = shlex.split(command)

    def answers(self, cells: Sequence[AskedCase]) -> list[Answered]:
        """What it answers to each cell."""
        text = "".join(f"{self._line(cell)}\n" for cell in cells)
        try:
            done = subprocess.run(  # noqa: S603 (the command is what the user asked to run)
                self._words, input=text, capture_output=True, text=True, encoding="utf-8", timeout=TIMEOUT, check=False
            )
        except FileNotFoundError:
            raise NotFoundError.of("conformance.no_program", command=self.name) from None
        except subprocess.TimeoutExpired:
            raise InputError.of("conformance.too_slow", command=self.name, seconds=int(TIMEOUT)) from None
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        if done.returncode or len(lines) != len(cells):
            error = (done.stderr.strip().splitlines() or [""])[-1]
            raise InputError.of(
                "conformance.other_lines", command=self.name, lines=len(lines), cells=len(cells), error=error
            )
        return [self._read(line) for line in lines]

    def _line(self, cell: AskedCase) -> str:
        named = [replace(argument, name=argument.name or argument.word) for argument in self.arguments]
        _, data = given(named, cell.case, cell.k, relevant=list)
        return json.dumps({"case": cell.case.name, **data}, ensure_ascii=False)

    def _read(self, line: str) -> Answered:
        try:
            answer = json.loads(line)
        except ValueError:
            raise InputError.of("conformance.not_json", command=self.name, line=line[:60]) from None
        if isinstance(answer, dict):
            if answer.get("error"):
                return Answered(None, str(answer["error"])[:200])
            answer = answer.get("value")
        try:
            return Answered(as_one_number(answer))
        except (TypeError, ValueError):
            return Answered(None, f"{answer!r:.60}", ("not_a_number",))


def _same(one: Answered, other: Answered) -> bool:
    if one.value is None or other.value is None:
        return one.value is other.value
    return (
        one.value == other.value
        or (one.value != one.value and other.value != other.value)
        or abs(one.value - other.value) <= 1e-9 * max(1.0, abs(one.value))
    )


def _has(arguments: Sequence[Argument], word: str) -> bool:
    return any(argument.word == word for argument in arguments)


def find_function(text: str) -> Callable[..., Any]:
    """The function of a text such as ``package.module:function``; modules of the working folder are found.

    >>> find_function("math:fsum")
    <built-in function fsum>
    """
    module, colon, path = text.partition(":")
    if not colon or not module or not path:
        raise InputError.of("conformance.not_a_function_name", text=text)
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except ImportError as error:
        raise NotFoundError.of("conformance.no_module", text=text, error=str(error)) from None
    except AttributeError:
        raise NotFoundError.of("conformance.no_function", module=module, name=path) from None
    if not callable(found):
        raise InputError.of("conformance.not_callable", text=text, type=type(found).__name__)
    return found  # type: ignore[no-any-return]


def into_subject(subject: object, arguments: str | None = None) -> Subject:
    """A function, the name of one, or a subject as it is."""
    if isinstance(subject, (FunctionSubject, ProgramSubject)):
        return subject
    if isinstance(subject, str):
        subject = find_function(subject)
    if not callable(subject):
        raise InputError.of("conformance.not_callable", text=repr(subject)[:60], type=type(subject).__name__)
    return FunctionSubject(subject, arguments)
