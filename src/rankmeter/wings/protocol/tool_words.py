"""The words of other tools: ``rectools:last_n(1)`` gives the rows that RecTools gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import Any, ClassVar

from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.wings.protocol import rules_by_chance, rules_in_time
from rankmeter.wings.protocol.interactions import Interactions
from rankmeter.wings.protocol.strategies import Divided, Draw, Strategy, called, parse_strategy
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
            return Divided(tuple(_rule_of(self.tool, self.name)(table, Draw(draw.seed, "rows"), **self.given)))

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
        yield
    except InputError:
        raise
    except (TypeError, ValueError, ZeroDivisionError) as error:
        raise InputError.of("protocol.tool_arguments", text=text, reason=str(error)) from error


def tool_word(tool: str, name: str, given: list[Any], named: Mapping[str, Any]) -> ToolWord:
    """A word of a tool with its arguments."""
    function = _rule_of(tool, name)
    names = [name for name in signature(function).parameters if name not in ("table", "draw")]
    arguments = {**dict(zip(names, given, strict=False)), **named}
    if len(given) > len(names) or any(one not in names for one in named):
        raise InputError.of("protocol.other_arguments", text=f"{tool}:{name}", names=names)
    return ToolWord(tool, name, arguments)


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
