"""What other tools do under the names that they have for it: definitions as data, in ``tool_fusions.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.late import text_beside
from rankmeter.wings.fusion.known_methods import options_of


@dataclass(frozen=True, slots=True)
class ToolFusion:
    """A fusion under the name that a tool has for it."""

    name: str
    """``tool:method``."""
    how: str
    """The method."""
    base: str
    """Its options, as the tool has them, in the order of a definition."""
    names: Mapping[str, str]
    """What the tool calls our options."""
    words: Mapping[str, Mapping[str, Any]]
    """Words that the tool takes, and the options that they stand for."""
    version: str
    """That of the tool whose output was recorded; empty where its source or documentation was read."""

    def parted(self, inside: str) -> tuple[dict[str, Any], str]:
        """What stands in parentheses: the options that words stand for, and the rest under our names."""
        stated: dict[str, Any] = {}
        rest = []
        for part in filter(None, (piece.strip() for piece in inside.split(","))):
            name, equals, value = part.partition("=")
            if not equals and part in self.words:
                stated |= self.words[part]
            elif not equals:
                raise InputError.of("fusion.unknown_word", tool=self.name, text=part, known=list(self.words),
                                    hint=did_you_mean(part, list(self.words)) or None)  # fmt: skip
            else:
                rest.append(f"{self.names.get(name.strip(), name.strip())}={value}")
        return stated, ",".join(rest)

    def named(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options under our names."""
        return {self.names.get(name, name): value for name, value in options.items()}


@cache
def tool_fusions() -> dict[str, ToolFusion]:
    """Every fusion of another tool, by ``tool:method``."""
    known: dict[str, ToolFusion] = {}
    for tool, of_tool in tomllib.loads(text_beside(__file__, "tool_fusions.toml")).items():
        shared = of_tool.get("shared", {})
        for method, stated in of_tool["methods"].items():
            entry: dict[str, Any] = {"is": stated} if isinstance(stated, str) else stated
            how, _, inside = entry["is"].rstrip(")").partition("(")
            usual = {name: value for name, value in shared.items() if name in options_of(how)}
            own = dict(part.split("=") for part in inside.split(",") if part)
            base = ",".join(f"{name}={value}" for name, value in {**usual, **own}.items())
            name = f"{tool}:{method}"
            words = (entry.get("names", {}), entry.get("words", {}))
            known[name] = ToolFusion(name, how, base, *words, of_tool.get("version", ""))
    return known


def find_tool_fusion(name: str) -> ToolFusion:
    """The fusion that a tool has under a name."""
    known = tool_fusions()
    tool, _, method = name.partition(":")
    if name in known:
        return known[name]
    of_tool = [one for one in known if one.partition(":")[0] == tool]
    if not of_tool:
        tools = sorted({one.partition(":")[0] for one in known})
        raise InputError.of("fusion.unknown_tool", tool=tool, known=tools, hint=did_you_mean(tool, tools) or None)
    near = did_you_mean(method, [one.partition(":")[2] for one in of_tool])
    raise InputError.of("fusion.unknown_tool_method", tool=tool, method=method, known=of_tool, hint=near or None)
