"""The words of other tools: ``rectools:last_n(1)`` gives the rows that RecTools gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import Any, ClassVar, get_args, get_type_hints

import numpy as np

from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.wings.protocol import rules_by_chance, rules_in_time
from rankmeter.wings.protocol.interactions import Interactions
from rankmeter.wings.protocol.strategies import Divided, Draw, Strategy, arguments_of, called, parse_strategy
from rankmeter.wings.protocol.tool_rules import RULES, Rule
from rankmeter.wording import Said, said

RULE_MODULES = (rules_in_time, rules_by_chance)
"""Rules register themselves when their modules are loaded."""


@dataclass(frozen=True, slots=True)
class ToolWord(Strategy):
    """What another tool does under its own word."""

    tool: str
    name: str
    given: Mapping[str, Any]
    word: ClassVar[str] = "tool"

    def divide(self, table: Interactions, draw: Draw) -> Divided:
        with _refusing(str(self)):
            folds = tuple(_rule_of(self.tool, self.name)(table, Draw(draw.seed, "rows"), **self.given))
        if not folds:
            raise InputError.of("protocol.tool_no_folds", text=str(self))
        return Divided(folds)

    def told(self, facts: Mapping[str, Any]) -> Said:  # noqa: ARG002 (nothing was looked for)
        return said("split_tool", tool=self.tool, call=str(self).partition(":")[2])

    def __str__(self) -> str:
        stated = ",".join(f"{name}={_spelled(value)}" for name, value in self.given.items())
        return f"{self.tool}:{self.name}({stated})" if stated else f"{self.tool}:{self.name}"


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@contextmanager
def _refusing(text: str) -> Iterator[None]:
    """Say where a parameter stood that a rule cannot use."""
    try:
        with np.errstate(divide="raise"):
            yield
    except InputError:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InputError.of("protocol.tool_arguments", text=text, reason=str(error)) from error


def tool_word(tool: str, name: str, given: list[Any], named: Mapping[str, Any]) -> ToolWord:
    """A word of a tool with its arguments."""
    function = _rule_of(tool, name)
    names = [name for name in signature(function).parameters if name not in ("table", "draw")]
    text = f"{tool}:{name}"
    arguments = arguments_of(names, text, given, named)
    kinds = get_type_hints(function)
    for stated, value in arguments.items():
        _check_value(text, stated, value, kinds[stated])
    return ToolWord(tool, name, arguments)


def _check_value(text: str, name: str, value: object, kind: Any) -> None:
    """Refuse a value of another kind than the parameter has."""
    choices = get_args(kind)
    if choices:
        fits, expected = value in choices, " | ".join(map(str, choices))
    elif kind is float:
        fits, expected = isinstance(value, (int, float)) and not isinstance(value, bool), said("value_number")
    elif kind is int:
        fits, expected = isinstance(value, int) and not isinstance(value, bool), said("value_whole")
    elif kind is bool:
        fits, expected = isinstance(value, bool), "true | false"
    else:
        return
    if not fits:
        raise InputError.of("protocol.tool_value", text=text, name=name, value=value, expected=expected)


def _rule_of(tool: str, name: str) -> Rule:
    if tool not in RULES:
        raise InputError.of(
            "protocol.unknown_tool", tool=tool, known=list(RULES), hint=did_you_mean(tool, [*RULES]) or None
        )
    if name not in RULES[tool]:
        hint = did_you_mean(name, [*RULES[tool]]) or None
        raise InputError.of("protocol.unknown_tool_word", tool=tool, word=name, known=list(RULES[tool]), hint=hint)
    return RULES[tool][name]


def parse_how(how: object) -> Strategy:
    """A strategy from its text, our own or another tool's.

    >>> str(parse_how("recbole:RS(0.8, 0.1, 0.1, group_by=none)"))
    'recbole:RS(train=0.8,valid=0.1,test=0.1,group_by=none)'
    """
    match = re.fullmatch(r"\s*([A-Za-z-]+):(.*)", how, re.DOTALL) if isinstance(how, str) else None
    return parse_strategy(how) if match is None else tool_word(match[1].lower(), *called(match[2]))
