"""What other tools do under the names that they have for it: definitions as data, in ``tool_fusions.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from rankmeter.errors import InputError, did_you_mean
from rankmeter.frozen import dataclass
from rankmeter.late import text_beside
from rankmeter.wings.fusion.definition import Fusion, read_options


@dataclass(frozen=True, slots=True)
class ToolFusion:
    """A fusion under the name that a tool has for it."""

    name: str
    """``tool:method``."""
    base: str
    """The definition, with the tool's own defaults."""
    names: Mapping[str, str]
    """What the tool calls our options."""
    words: Mapping[str, Mapping[str, Any]]
    """Words that the tool takes, and the options that they stand for."""
    version: str
    """That of the tool whose output was recorded; empty where its source or documentation was read."""
    but: Mapping[str, str]
    """Where the tool is not followed, in each language; empty where it always is."""

    def definition(self, inside: str = "", options: Mapping[str, Any] | None = None) -> Fusion:
        """The definition, with what is stated in parentheses and beside it, under our names or the tool's."""
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
        stated |= read_options(",".join(rest), f"{self.name}({inside})")
        stated |= {self.names.get(name, name): value for name, value in (options or {}).items()}
        how = stated.pop("how", None)
        base = Fusion.of(self.base)
        base = replace(base, how=how, missing=None) if how else base
        return replace(Fusion.of(base, **stated), tool=self.name)


@cache
def dialects() -> dict[str, ToolFusion]:
    """Every fusion of another tool, by ``tool:method``."""
    known: dict[str, ToolFusion] = {}
    for tool, of_tool in tomllib.loads(text_beside(__file__, "tool_fusions.toml")).items():
        shared, version = of_tool.get("shared", {}), of_tool.get("version", "")
        for method, stated in of_tool["methods"].items():
            entry: dict[str, Any] = {"is": stated} if isinstance(stated, str) else stated
            how, _, inside = entry["is"].rstrip(")").partition("(")
            own = read_options(inside, entry["is"])
            base = Fusion.of(how, **{**_usual(how, shared), **own})
            name = f"{tool}:{method}"
            known[name] = ToolFusion(name, str(base), entry.get("names", {}), entry.get("words", {}), version,
                                 {lang: entry[lang] for lang in ("en", "zh") if lang in entry})  # fmt: skip
    return known


def _usual(how: str, shared: Mapping[str, Any]) -> dict[str, Any]:
    """What all methods of a tool share, as far as this one has such options."""
    options = Fusion(how=how).options_of()
    return {name: value for name, value in shared.items() if name in options}


def find_dialect(name: str) -> ToolFusion:
    """The fusion that a tool has under a name; a tool alone stands for the only method that it has."""
    known = dialects()
    tool, _, method = name.partition(":")
    if name in known:
        return known[name]
    of_tool = [one for one in known if one.partition(":")[0] == tool]
    if not of_tool:
        tools = sorted({one.partition(":")[0] for one in known})
        raise InputError.of("fusion.unknown_tool", tool=tool, known=tools, hint=did_you_mean(tool, tools) or None)
    near = did_you_mean(method, [one.partition(":")[2] for one in of_tool])
    raise InputError.of("fusion.unknown_tool_method", tool=tool, method=method, known=of_tool, hint=near or None)
