"""What a reconciliation found, as plain values that know how to be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankmeter.definitions.findings import findings
from rankmeter.definitions.space import Change, Changes
from rankmeter.measures import Measure
from rankmeter.showing.document import Block
from rankmeter.showing.showable import Showable
from rankmeter.wording import Language


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


@dataclass(frozen=True, slots=True, repr=False)
class Reconciliation(Showable):
    """Which definitions give the numbers that somebody reports."""

    claims: tuple[ClaimResult, ...]
    tools: tuple[ToolMatch, ...]
    """Those that give at least one number, those that give most first."""
    definitions: tuple[Definition, ...]
    """Those that give every number, fewest changes first; none of them has a part that is enough."""
    tried_together: int
    """How many definitions were tried for all the numbers at once: the same changes in every measure."""
    matching_together: int
    """How many of them give every number."""
    deepest: int
    """How many changes were tried together."""
    stopped: bool
    """Whether the limit ended the search."""

    @property
    def found(self) -> bool:
        """Whether one definition, or one tool, gives every number."""
        return bool(self.definitions) or any(all(match.matched) for match in self.tools)

    def document(self, language: Language = "en") -> list[Block]:
        """Everything that a reader is told, in order."""
        return findings(self, language)

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
            "tried_together": self.tried_together,
            "matching_together": self.matching_together,
            "most_changes_tried": self.deepest,
            "stopped_at_limit": self.stopped,
        }


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
