"""What a reconciliation found, as plain values that know how to be shown."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from rankmeter.definitions.columns import aligned, pipes
from rankmeter.definitions.space import Change, Changes
from rankmeter.measures import Measure

SHOWN = 8
"""How many definitions and tools are listed in a text; all of them are in the data."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A number that somebody reports."""

    name: str
    measure: Measure
    """What the name means to rankmeter."""
    value: float
    digits: int

    @property
    def number(self) -> str:
        """The number as it was reported."""
        return f"{self.value:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """A tool whose definition gives one or more of the numbers."""

    tool: str
    matched: tuple[bool, ...]
    """For each claim, whether the tool's definition gives it; the other fields have one entry for each that is."""
    metrics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A set of changed conventions, with the measure and the value that it makes of each claim."""

    changes: Changes
    measures: tuple[Measure, ...]
    values: tuple[float, ...]
    tools: tuple[tuple[str, ...], ...]
    """For each change, the tools that have this convention."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The definition that comes nearest to a claim."""

    measure: Measure
    changes: Changes
    value: float
    off: float
    """How much its value would have to change."""
    units: float
    """The same in units of the claim's last digit."""


@dataclass(frozen=True, slots=True)
class AxisEffect:
    """The largest change of the number that one convention makes alone on this data."""

    axis: str
    change: str
    delta: float


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """What was found for one claim alone."""

    claim: Claim
    default: float
    """The value of rankmeter's own definition."""
    tried: int
    matching: int
    distinct: int
    """How many different numbers of the claim's digits the definitions give."""
    lowest: float
    highest: float
    chance: float
    """Which share of the numbers between the lowest and the highest some definition gives."""
    definitions: tuple[Definition, ...]
    nearest: NearMiss | None
    effects: tuple[AxisEffect, ...]

    @property
    def found(self) -> bool:
        """Whether any definition gives the number."""
        return self.matching > 0


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Which definitions give the numbers that somebody reports."""

    claims: tuple[ClaimResult, ...]
    tools: tuple[ToolMatch, ...]
    """Those that give at least one number, those that give most first."""
    definitions: tuple[Definition, ...]
    """Those that give every number, fewest changes first; none of them has a part that is enough."""
    deepest: int
    """How many changes were tried together."""
    stopped: bool
    """Whether the limit ended the search."""

    @property
    def found(self) -> bool:
        """Whether one definition, or one tool, gives every number."""
        return bool(self.definitions) or any(all(match.matched) for match in self.tools)

    def to_text(self) -> str:
        """For a terminal."""
        return "\n\n".join("\n".join([title, *(f"  {line}" for line in lines)]) for title, lines in self._sections())

    def to_markdown(self) -> str:
        """For a document."""
        parts = ["### Claims", "", *pipes(*_claim_rows(self)), ""]
        for title, lines in self._sections()[1:]:
            parts += [f"### {title}", "", "```text", *lines, "```", ""]
        return "\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "found": self.found,
            "claims": [_claim_dict(result) for result in self.claims],
            "tools": [
                {
                    "tool": match.tool,
                    "gives": [one.claim.name for one, hit in zip(self.claims, match.matched, strict=True) if hit],
                    "metrics": list(match.metrics),
                    "measures": [str(measure) for measure in match.measures],
                    "values": list(match.values),
                }
                for match in self.tools
            ],
            "definitions": [_definition_dict(one) for one in self.definitions],
            "most_changes_tried": self.deepest,
            "stopped_at_limit": self.stopped,
        }

    def to_json(self) -> str:
        """Everything as JSON; what has no value is null."""
        return json.dumps(without_nan(self.to_dict()), indent=2, ensure_ascii=False)

    def _sections(self) -> list[tuple[str, list[str]]]:
        several = len(self.claims) > 1
        sections = [
            ("Claims", aligned(*_claim_rows(self))),
            ("Tools whose definition gives " + ("the numbers" if several else "the number"), _tool_lines(self)),
            (
                "Definitions that give " + ("every number" if several else "the number"),
                _definition_lines(self.definitions, self.deepest),
            ),
        ]
        if several and not self.definitions:
            for one in self.claims:
                title = f"Definitions that give {one.claim.name} = {one.claim.number} alone"
                sections.append((title, _definition_lines(one.definitions, self.deepest)))
        sections += [
            (f"Nearest to {one.claim.name} = {one.claim.number}", _miss_lines(one.nearest))
            for one in self.claims
            if not one.found and one.nearest is not None
        ]
        sections.append(("How telling this is", [line for one in self.claims for line in _chance_lines(one, self)]))
        sections += [
            (f"What each convention alone does to {one.claim.name} here", _effect_lines(one)) for one in self.claims
        ]
        return sections


def _claim_rows(result: Reconciliation) -> tuple[list[str], list[list[str]]]:
    head = ["name", "claimed", "default definition", "gives", "tried", "matching"]
    rows = []
    for one in result.claims:
        claimed = [one.claim.name, one.claim.number, str(one.claim.measure)]
        rows.append([*claimed, f"{one.default:.6f}", f"{one.tried:,}", f"{one.matching:,}"])
    return head, rows


def _tool_lines(result: Reconciliation) -> list[str]:
    lines = []
    for match in result.tools[:SHOWN]:
        count = f" ({sum(match.matched)} of {len(match.matched)})" if len(match.matched) > 1 else ""
        lines.append(f"{match.tool}{count}")
        each = zip(match.metrics, match.measures, match.values, strict=True)
        lines += [f"  {metric}: {measure} = {value:.6f}" for metric, measure, value in each]
    if len(result.tools) > SHOWN:
        lines.append(f"and {len(result.tools) - SHOWN} more: {', '.join(m.tool for m in result.tools[SHOWN:])}")
    return lines or ["none"]


def _definition_lines(definitions: tuple[Definition, ...], deepest: int) -> list[str]:
    lines = []
    for one in definitions[:SHOWN]:
        lines.append(", ".join(map(str, one.changes)) or "the default definition, nothing changed")
        lines += [f"  {measure} = {value:.6f}" for measure, value in zip(one.measures, one.values, strict=True)]
        each = zip(one.changes, one.tools, strict=True)
        lines += [f"  {change}: {', '.join(tools) or 'no known tool'}" for change, tools in each]
    if len(definitions) > SHOWN:
        lines.append(f"and {len(definitions) - SHOWN:,} more")
    return lines or [f"none with up to {deepest} conventions changed"]


def _miss_lines(miss: NearMiss) -> list[str]:
    changed = ", ".join(map(str, miss.changes)) or "nothing changed"
    return [
        f"{miss.measure} = {miss.value:.6f}",
        f"changed: {changed}",
        f"it would have to change by {miss.off:+.6f}, {abs(miss.units):.3g} units of the last digit",
    ]


def _chance_lines(one: ClaimResult, result: Reconciliation) -> list[str]:
    stopped = " The search stopped at its limit." if result.stopped else ""
    if math.isnan(one.lowest):
        return [f"{one.claim.name}: no definition has a value on this data.{stopped}"]
    digits = f"numbers of {one.claim.digits} digits"
    return [
        f"{one.claim.name}: {one.matching:,} of {one.tried:,} definitions give {one.claim.number}.",
        f"They give {one.distinct:,} different {digits} between {one.lowest:.4f} and {one.highest:.4f},",
        f"{one.chance:.1%} of those possible: so likely is a match by chance.{stopped}",
    ]


def _effect_lines(one: ClaimResult) -> list[str]:
    rows = [[effect.axis, effect.change, f"{effect.delta:+.6f}"] for effect in one.effects if effect.delta]
    still = [effect.axis for effect in one.effects if not effect.delta]
    lines = aligned(["convention", "most with", "change"], rows) if rows else []
    return [*lines, *([f"no effect: {', '.join(still)}"] if still else [])]


def _claim_dict(one: ClaimResult) -> dict[str, Any]:
    miss = one.nearest
    return {
        "name": one.claim.name,
        "claimed": one.claim.value,
        "digits": one.claim.digits,
        "default": {"measure": str(one.claim.measure), "value": one.default},
        "tried": one.tried,
        "matching": one.matching,
        "distinct": one.distinct,
        "chance": one.chance,
        "definitions": [_definition_dict(definition) for definition in one.definitions],
        "nearest": miss
        and {
            "measure": str(miss.measure),
            "changes": [str(change) for change in miss.changes],
            "value": miss.value,
            "off": miss.off,
        },
        "effects": [{"axis": e.axis, "change": e.change, "delta": e.delta} for e in one.effects],
    }


def _definition_dict(one: Definition) -> dict[str, Any]:
    return {
        "changes": [_change_dict(change, tools) for change, tools in zip(one.changes, one.tools, strict=True)],
        "measures": [str(measure) for measure in one.measures],
        "values": list(one.values),
    }


def _change_dict(change: Change, tools: tuple[str, ...]) -> dict[str, Any]:
    return {"axis": change.axis, "value": change.value, "tools": list(tools)}


def without_nan(value: Any) -> Any:
    """The same data with None for what JSON cannot say."""
    if isinstance(value, dict):
        return {key: without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
