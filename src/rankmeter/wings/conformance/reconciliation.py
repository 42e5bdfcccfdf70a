"""Which definitions and tools give which numbers, and how two tools' numbers differ: results and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmeter import wording
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, Heading, Kind, Table, items, text_table
from rankmeter.showing.showable import Showable
from rankmeter.wings.conformance.space import Changes, Spoken
from rankmeter.wording import Language

SHOWN = 8
"""How many definitions and tools a text lists; the data has all of them."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A reported number."""

    name: str
    measure: Measure
    """What the name means in rankmeter."""
    value: float
    digits: int

    @property
    def number(self) -> str:
        """The number as it was reported."""
        return f"{self.value:.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class ToolMatch:
    """A tool whose definitions give one or more of the numbers."""

    tool: str
    matched: tuple[bool, ...]
    """For each claim, whether the tool gives it; the other fields have an entry for each claim that it gives."""
    metrics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """A set of changes, with the resulting measure and value for each claim."""

    changes: Changes
    measures: tuple[Measure, ...]
    values: tuple[float, ...]
    tools: tuple[tuple[str, ...], ...]
    """For each change, the tools that have this convention."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """The definition that comes closest to a claim."""

    measure: Measure
    changes: Changes
    value: float
    off: float
    """How much its value would have to change."""
    units: float
    """How much its value would have to change, in units of the claim's last digit."""


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
    """How many different numbers, rounded like the claim, the definitions give."""
    lowest: float
    highest: float
    chance: float
    """The share of the numbers between the lowest and the highest that some definition gives."""
    definitions: tuple[Definition, ...]
    nearest: NearMiss | None
    effects: tuple[AxisEffect, ...]

    @property
    def found(self) -> bool:
        """Whether any definition gives the number."""
        return self.matching > 0


@dataclass(frozen=True, slots=True, repr=False)
class Reconciliation(Showable):
    """Which definitions give the reported numbers."""

    claims: tuple[ClaimResult, ...]
    tools: tuple[ToolMatch, ...]
    """The tools that give at least one number, those that give most first."""
    definitions: tuple[Definition, ...]
    """The definitions that give every number, fewest changes first; no subset of their changes is enough."""
    tried_together: int
    """How many definitions were tried for all numbers together: the same changes in every measure."""
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
        """Claims, tools, definitions, near misses, how much a match says, and the effect of each convention."""
        words = wording.words("conformance", language, about="reconcile")
        several = len(self.claims) > 1
        larger = [words["larger"]] if 0 < len(self.definitions) < self.matching_together else []
        blocks: list[Block] = [
            Heading(words["claims"]),
            _claims(self, words),
            Heading(words["tools_of_several" if several else "tools"]),
            *items(_tool_lines(self, words)),
            Heading(words["definitions_of_several" if several else "definitions"]),
            *items([*_definition_lines(self.definitions, self.deepest, words), *larger]),
        ]
        for place, answer in enumerate(self.claims):
            named = {"name": answer.claim.name, "number": answer.claim.number}
            if several and not self.definitions:
                lines = _definition_lines([_of_one(d, place) for d in answer.definitions], self.deepest, words)
                blocks += [Heading(words["alone"].format(**named)), *items(lines)]
        for answer in self.claims:
            if not answer.found and answer.nearest is not None:
                named = {"name": answer.claim.name, "number": answer.claim.number}
                blocks += [
                    Heading(words["nearest"].format(**named)),
                    *items(_miss_lines(answer.nearest, words)),
                ]
        chances = [line for answer in self.claims for line in _chance_lines(answer, words, stopped=self.stopped)]
        if several:
            chances.append(words["together"].format(tried=self.tried_together, matching=self.matching_together))
        blocks += [Heading(words["telling"]), *items(chances)]
        for answer in {answer.claim.measure: answer for answer in self.claims}.values():
            blocks += _effects(answer, words)
        return blocks

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "found": self.found,
            "claims": [_claim_dict(result) for result in self.claims],
            "tools": [
                {
                    "tool": match.tool,
                    "gives": [answer.claim.name for answer, hit in zip(self.claims, match.matched, strict=True) if hit],
                    "metrics": list(match.metrics),
                    "measures": [str(measure) for measure in match.measures],
                    "values": list(match.values),
                }
                for match in self.tools
            ],
            "definitions": [_definition_dict(definition) for definition in self.definitions],
            "tried_together": self.tried_together,
            "matching_together": self.matching_together,
            "most_changes_tried": self.deepest,
            "stopped_at_limit": self.stopped,
        }


def _claim_dict(answer: ClaimResult) -> dict[str, Any]:
    miss = answer.nearest
    return {
        "name": answer.claim.name,
        "claimed": answer.claim.value,
        "digits": answer.claim.digits,
        "default": {"measure": str(answer.claim.measure), "value": answer.default},
        "tried": answer.tried,
        "matching": answer.matching,
        "distinct": answer.distinct,
        "chance": answer.chance,
        "definitions": [_definition_dict(definition) for definition in answer.definitions],
        "nearest": miss
        and {
            "measure": str(miss.measure),
            "changes": [str(change) for change in miss.changes],
            "value": miss.value,
            "off": miss.off,
        },
        "effects": [{"axis": e.axis, "change": e.change, "delta": e.delta} for e in answer.effects],
    }


def _definition_dict(definition: Definition) -> dict[str, Any]:
    return {
        "changes": [
            {"axis": change.axis, "value": change.value, "tools": list(tools)}
            for change, tools in zip(definition.changes, definition.tools, strict=True)
        ],
        "measures": [str(measure) for measure in definition.measures],
        "values": list(definition.values),
    }


def _of_one(definition: Definition, place: int) -> Definition:
    """A definition with the measure and the value of one claim only."""
    return replace(definition, measures=(definition.measures[place],), values=(definition.values[place],))


def _claims(result: Reconciliation, words: dict[str, str]) -> Table:
    rows = [
        [answer.claim.name, answer.claim.number, str(answer.claim.measure), f"{answer.default:.6f}", answer.tried,
         answer.matching]
        for answer in result.claims
    ]  # fmt: skip
    kinds: list[Kind] = ["text", "number", "text", "number", "count", "count"]
    return text_table(words["claims_head"].split("|"), rows, kinds)


def _tool_lines(result: Reconciliation, words: dict[str, str]) -> list[str]:
    lines = []
    for match in result.tools[:SHOWN]:
        hits, asked = sum(match.matched), len(match.matched)
        lines.append(match.tool + (words["count"].format(some=hits, all=asked) if asked > 1 else ""))
        each = zip(match.metrics, match.measures, match.values, strict=True)
        lines += [f"  {metric}: {measure} = {value:.6f}" for metric, measure, value in each]
    if result.tools and (pair := _two_tools(result)):
        lines.append(words["between"].format(pair=pair))
    if rest := result.tools[SHOWN:]:
        lines.append(f"{words['more'].format(count=len(rest))}: {words['and'].join(match.tool for match in rest)}")
    return lines or [words["none"]]


def _two_tools(result: Reconciliation) -> str:
    """A call that compares two tools which each give one of two numbers of the same name; empty if one gives both."""
    names = [answer.claim.name for answer in result.claims]
    if len(names) != 2 or names[0] != names[1] or any(all(match.matched) for match in result.tools):
        return ""
    first, second = (next((match.tool for match in result.tools if match.matched[n]), "") for n in (0, 1))
    return f"--between {first},{second} -m {names[0]}" if first and second else ""


def _definition_lines(definitions: Sequence[Definition], deepest: int, words: dict[str, str]) -> list[str]:
    lines = []
    for definition in definitions[:SHOWN]:
        lines.append(words["and"].join(map(str, definition.changes)) or words["default"])
        lines += [
            f"  {measure} = {value:.6f}" for measure, value in zip(definition.measures, definition.values, strict=True)
        ]
        each = zip(definition.changes, definition.tools, strict=True)
        lines += [f"  {change}: {_some(tools, words)}" for change, tools in each]
    if len(definitions) > SHOWN:
        lines.append(words["more"].format(count=f"{len(definitions) - SHOWN:,}"))
    return lines or [words["no_definition"].format(deepest=deepest)]


def _some(tools: Sequence[str], words: dict[str, str]) -> str:
    """The first few tools, and how many more there are."""
    rest = [words["more"].format(count=len(tools) - SHOWN)] if len(tools) > SHOWN else []
    return words["and"].join([*tools[:SHOWN], *rest]) or words["no_tool"]


def _miss_lines(miss: NearMiss, words: dict[str, str]) -> list[str]:
    changed = words["and"].join(map(str, miss.changes)) or words["nothing_changed"]
    return [
        f"{miss.measure} = {miss.value:.6f}",
        words["changed"].format(changes=changed),
        words["off"].format(off=miss.off, units=abs(miss.units)),
    ]


def _chance_lines(answer: ClaimResult, words: dict[str, str], *, stopped: bool) -> list[str]:
    ending = words["stopped"] if stopped else ""
    if math.isnan(answer.lowest):
        return [words["no_value"].format(name=answer.claim.name) + ending]
    claim = answer.claim
    return [
        words["matching"].format(name=claim.name, number=claim.number, matching=answer.matching, tried=answer.tried),
        words["distinct"].format(distinct=answer.distinct, digits=claim.digits, low=answer.lowest, high=answer.highest),
        words["chance"].format(chance=answer.chance) + ending,
    ]


def _effects(answer: ClaimResult, words: dict[str, str]) -> list[Block]:
    rows = [[effect.axis, effect.change, f"{effect.delta:+.6f}"] for effect in answer.effects if effect.delta]
    still = [effect.axis for effect in answer.effects if not effect.delta]
    lines = [words["no_effect"].format(axes=words["and"].join(still))] if still else []
    heads = words["effects_head"].split("|")
    table = [text_table(heads, rows, ("text", "text", "number"))] if rows else []
    return [Heading(words["effects"].format(name=answer.claim.name)), *table, *items(lines)]


@dataclass(frozen=True, slots=True)
class Step:
    """A change of conventions, and what it does to the number."""

    changes: Changes
    """One change; several if one without the other is not a definition or has no value."""
    measure: Measure
    """The definition after the step."""
    value: float
    adds: float


@dataclass(frozen=True, slots=True, repr=False)
class ToolDifference(Showable):
    """The difference between two tools' numbers as a sum of steps."""

    first: Spoken
    last: Spoken
    start: float
    steps: tuple[Step, ...]

    @property
    def end(self) -> float:
        """The number of the second tool."""
        return self.steps[-1].value if self.steps else self.start

    @property
    def difference(self) -> float:
        """What the steps add up to."""
        return self.end - self.start

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "from": {"tool": self.first.dialect, "measure": str(self.first.measure), "value": self.start},
            "to": {"tool": self.last.dialect, "measure": str(self.last.measure), "value": self.end},
            "difference": self.difference,
            "steps": [
                {
                    "changes": [{"axis": change.axis, "value": change.value} for change in step.changes],
                    "measure": str(step.measure),
                    "value": step.value,
                    "adds": step.adds,
                }
                for step in self.steps
            ],
        }

    def document(self, language: Language = "en") -> list[Block]:
        """The steps as a table, and how to read them."""
        words = wording.words("conformance", language, about="step")
        rows = [[f"{self.first.dialect} {self.first.metric}", f"{self.start:.6f}", "", str(self.first.measure)]]
        rows += [
            [", ".join(map(str, step.changes)), f"{step.value:.6f}", _signed(step.adds), str(step.measure)]
            for step in self.steps
        ]
        ending = f"{self.last.dialect} {self.last.metric}"
        rows.append([ending, f"{self.end:.6f}", _signed(self.difference), words["in_all"]])
        sentences = [words["order"], words["other_order"]] if self.steps else [words["same"]]
        if math.isnan(self.difference):
            sentences.append(words["nan"])
        return [
            text_table(words["head"].split("|"), rows, ("text", "number", "number", "text")),
            *items(sentences),
        ]


def _signed(value: float) -> str:
    return "nan" if math.isnan(value) else f"{value:+.6f}"
