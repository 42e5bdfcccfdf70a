"""What a reconciliation found, told in English and Chinese."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmeter.showing.document import Block, Heading, Kind, Table, items, text_table
from rankmeter.wording import Language

if TYPE_CHECKING:
    from rankmeter.definitions.found import ClaimResult, Definition, NearMiss, Reconciliation

SHOWN = 8
"""How many definitions and tools are listed in a text; all of them are in the data."""

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "claims": "Claims",
        "claims head": "name|claimed|default definition|gives|tried|matching",
        "tools": "Tools whose definition gives the number",
        "tools of several": "Tools whose definition gives the numbers",
        "count": " ({some} of {all})",
        "more": "and {count} more",
        "between": "None gives both; {pair} explains their difference.",
        "none": "none",
        "definitions": "Definitions that give the number",
        "definitions of several": "Definitions that give every number",
        "alone": "Definitions that give {name} = {number} alone",
        "default": "the default definition, nothing changed",
        "no tool": "no known tool",
        "larger": "A definition that changes still more is not listed.",
        "no definition": "none with up to {deepest} conventions changed",
        "nearest": "Nearest to {name} = {number}",
        "changed": "changed: {changes}",
        "nothing changed": "nothing changed",
        "off": "it would have to change by {off:+.6f}, {units:.3g} units of the last digit",
        "telling": "How telling this is",
        "stopped": " The search stopped at its limit.",
        "no value": "{name}: no definition has a value on this data.",
        "matching": "{name}: {matching:,} of {tried:,} definitions give {number}.",
        "distinct": "They give {distinct:,} different numbers of {digits} digits between {low:.4f} and {high:.4f},",
        "chance": "{chance:.1%} of those possible: so likely is a match by chance.",
        "together": "Together: {matching:,} of {tried:,} definitions give every number.",
        "effects": "What each convention alone does to {name} here",
        "effects head": "convention|most with|change",
        "no effect": "no effect: {axes}",
        "and": ", ",
    },
    "zh": {
        "claims": "所报数值",
        "claims head": "名称|所报|默认定义|得|试过|相符",
        "tools": "定义能得出该数值的工具",
        "tools of several": "定义能得出这些数值的工具",
        "count": "（{all} 个中的 {some} 个）",
        "more": "另有 {count} 个",
        "between": "没有工具同时得出两者；{pair} 说明其差异。",
        "none": "无",
        "definitions": "能得出该数值的定义",
        "definitions of several": "能同时得出所有数值的定义",
        "alone": "单独能得出 {name} = {number} 的定义",
        "default": "默认定义，未作任何改动",
        "no tool": "没有已知工具",
        "larger": "在此之上改动更多的定义不列出。",
        "no definition": "改动至多 {deepest} 项约定仍无",
        "nearest": "最接近 {name} = {number} 的",
        "changed": "改动：{changes}",
        "nothing changed": "未作改动",
        "off": "还须改变 {off:+.6f}，即末位的 {units:.3g} 个单位",
        "telling": "这有多大说服力",
        "stopped": "搜索已到上限而停止。",
        "no value": "{name}：在此数据上没有任何定义有值。",
        "matching": "{name}：{tried:,} 种定义中有 {matching:,} 种得 {number}。",
        "distinct": "它们在 {low:.4f} 与 {high:.4f} 之间给出 {distinct:,} 个不同的 {digits} 位小数，",
        "chance": "占可能取值的 {chance:.1%}：碰巧相符的机会就有这么大。",
        "together": "合在一起：{tried:,} 种定义中有 {matching:,} 种得出全部数值。",
        "effects": "在此数据上，每项约定单独对 {name} 的影响",
        "effects head": "约定|影响最大的取值|变化",
        "no effect": "无影响：{axes}",
        "and": "、",
    },
}


def findings(result: Reconciliation, language: Language) -> list[Block]:
    """Everything that a reader is told, in order."""
    words = WORDS[language]
    several = " of several" if len(result.claims) > 1 else ""
    larger = [words["larger"]] if 0 < len(result.definitions) < result.matching_together else []
    told: list[Block] = [
        Heading(words["claims"]),
        _claims(result, words),
        Heading(words[f"tools{several}"]),
        *items(_tool_lines(result, words)),
        Heading(words[f"definitions{several}"]),
        *items([*_definition_lines(result.definitions, result.deepest, words), *larger]),
    ]
    for place, one in enumerate(result.claims):
        named = {"name": one.claim.name, "number": one.claim.number}
        if several and not result.definitions:
            lines = _definition_lines([_of_one(d, place) for d in one.definitions], result.deepest, words)
            told += [Heading(words["alone"].format(**named)), *items(lines)]
    for one in result.claims:
        if not one.found and one.nearest is not None:
            named = {"name": one.claim.name, "number": one.claim.number}
            told += [Heading(words["nearest"].format(**named)), *items(_miss_lines(one.nearest, words))]
    chances = [line for one in result.claims for line in _chance_lines(one, words, stopped=result.stopped)]
    if several:
        chances.append(words["together"].format(tried=result.tried_together, matching=result.matching_together))
    told += [Heading(words["telling"]), *items(chances)]
    for one in {one.claim.measure: one for one in result.claims}.values():
        told += _effects(one, words)
    return told


def _of_one(definition: Definition, place: int) -> Definition:
    """A definition with the measure and the value of one claim alone."""
    return replace(definition, measures=(definition.measures[place],), values=(definition.values[place],))


def _claims(result: Reconciliation, words: dict[str, str]) -> Table:
    rows = [
        [one.claim.name, one.claim.number, str(one.claim.measure), f"{one.default:.6f}", one.tried, one.matching]
        for one in result.claims
    ]
    kinds: list[Kind] = ["text", "number", "text", "number", "count", "count"]
    return text_table(words["claims head"].split("|"), rows, kinds)


def _tool_lines(result: Reconciliation, words: dict[str, str]) -> list[str]:
    lines = []
    for match in result.tools[:SHOWN]:
        given, asked = sum(match.matched), len(match.matched)
        lines.append(match.tool + (words["count"].format(some=given, all=asked) if asked > 1 else ""))
        each = zip(match.metrics, match.measures, match.values, strict=True)
        lines += [f"  {metric}: {measure} = {value:.6f}" for metric, measure, value in each]
    if result.tools and (pair := _two_tools(result)):
        lines.append(words["between"].format(pair=pair))
    if rest := result.tools[SHOWN:]:
        lines.append(f"{words['more'].format(count=len(rest))}: {words['and'].join(match.tool for match in rest)}")
    return lines or [words["none"]]


def _two_tools(result: Reconciliation) -> str:
    """Two tools, one for each of two numbers of one name, where none gives both."""
    names = [one.claim.name for one in result.claims]
    if len(names) != 2 or names[0] != names[1] or any(all(match.matched) for match in result.tools):
        return ""
    first, second = (next((match.tool for match in result.tools if match.matched[n]), "") for n in (0, 1))
    return f"--between {first},{second} -m {names[0]}" if first and second else ""


def _definition_lines(definitions: Sequence[Definition], deepest: int, words: dict[str, str]) -> list[str]:
    lines = []
    for one in definitions[:SHOWN]:
        lines.append(words["and"].join(map(str, one.changes)) or words["default"])
        lines += [f"  {measure} = {value:.6f}" for measure, value in zip(one.measures, one.values, strict=True)]
        each = zip(one.changes, one.tools, strict=True)
        lines += [f"  {change}: {_some(tools, words)}" for change, tools in each]
    if len(definitions) > SHOWN:
        lines.append(words["more"].format(count=f"{len(definitions) - SHOWN:,}"))
    return lines or [words["no definition"].format(deepest=deepest)]


def _some(tools: Sequence[str], words: dict[str, str]) -> str:
    """The first few tools, and how many more there are."""
    rest = [words["more"].format(count=len(tools) - SHOWN)] if len(tools) > SHOWN else []
    return words["and"].join([*tools[:SHOWN], *rest]) or words["no tool"]


def _miss_lines(miss: NearMiss, words: dict[str, str]) -> list[str]:
    changed = words["and"].join(map(str, miss.changes)) or words["nothing changed"]
    return [
        f"{miss.measure} = {miss.value:.6f}",
        words["changed"].format(changes=changed),
        words["off"].format(off=miss.off, units=abs(miss.units)),
    ]


def _chance_lines(one: ClaimResult, words: dict[str, str], *, stopped: bool) -> list[str]:
    ending = words["stopped"] if stopped else ""
    if math.isnan(one.lowest):
        return [words["no value"].format(name=one.claim.name) + ending]
    claim = one.claim
    return [
        words["matching"].format(name=claim.name, number=claim.number, matching=one.matching, tried=one.tried),
        words["distinct"].format(distinct=one.distinct, digits=claim.digits, low=one.lowest, high=one.highest),
        words["chance"].format(chance=one.chance) + ending,
    ]


def _effects(one: ClaimResult, words: dict[str, str]) -> list[Block]:
    rows = [[effect.axis, effect.change, f"{effect.delta:+.6f}"] for effect in one.effects if effect.delta]
    still = [effect.axis for effect in one.effects if not effect.delta]
    lines = [words["no effect"].format(axes=words["and"].join(still))] if still else []
    heads = words["effects head"].split("|")
    table = [text_table(heads, rows, ("text", "text", "number"))] if rows else []
    return [Heading(words["effects"].format(name=one.claim.name)), *table, *items(lines)]
