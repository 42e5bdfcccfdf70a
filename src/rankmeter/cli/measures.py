"""``rankmeter measures``: the list of all measures."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from typing import Any, Literal

import click

from rankmeter.cli.bilingual import BilingualCommand, language_option
from rankmeter.cli.options import table_or_json
from rankmeter.cli.output import terminal_options
from rankmeter.cli.talk import echo, examples
from rankmeter.definitions.explain import aliases_of, direction_of, title_of
from rankmeter.errors import MeasureError, did_you_mean
from rankmeter.measures import REGISTRY, Measure, RankedMeasure
from rankmeter.measures.base import rule_of
from rankmeter.measures.names import ALIASES
from rankmeter.measures.options import Rule, format_value
from rankmeter.measures.prose import Language
from rankmeter.showing.characters import width_of, wrapped
from rankmeter.wording import words as words_of

_SHARED = frozenset(option.name for option in fields(RankedMeasure))
COMMON = ("nDCG", "AP", "RR", "P", "R", "Success", "Coverage", "ILD", "Novelty", "CTR", "CVR")
"""The most common measures."""
QUESTIONS = {
    "ranked": "hits order gains",
    "readers": "users",
    "unjudged_items": "incomplete",
    "aspects": "diversity",
    "reach": "coverage popularity novelty",
    "variety": "listdiversity taste",
    "fair": "fairness",
    "worth": "value",
    "sound": "listquality counts",
    "did": "online",
    "older": "historic",
}
"""The families of measures that answer each question."""


@click.command(
    "measures",
    cls=BilingualCommand,
    epilog=examples("rankmeter measures", "rankmeter measures precision", "rankmeter measures --format json"),
)
@click.argument("name_filter", required=False, metavar="[NAME-FILTER]")
@language_option
@table_or_json
def command(name_filter: str | None, lang: Language, format_: Literal["table", "json"]) -> None:
    """List all measures, or those whose name, other names or title contain NAME-FILTER."""
    listed = [entry(REGISTRY[name], lang) for names in by_question().values() for name in names]
    listed = [entry for entry in listed if _matches(entry, name_filter or "")]
    if not listed:
        hint = did_you_mean(name_filter or "", [*REGISTRY, *ALIASES]) or None
        raise MeasureError.of("cli.no_such_measure", text=name_filter, hint=hint)
    if format_ == "json":
        echo(json.dumps(listed, indent=2, ensure_ascii=False))
        return
    width = terminal_options().get("width")
    for line in _text(listed, lang).splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        echo("\n".join(wrapped(line.strip(), width, indent)) if width and width_of(line) > width else line)


def by_question() -> dict[str, list[str]]:
    """The measures by the question that they answer, the common ones first."""
    questions: dict[str, list[str]] = {"common": list(COMMON), **{question: [] for question in QUESTIONS}}
    asked_in = {family: question for question, families in QUESTIONS.items() for family in families.split()}
    for name, measure in REGISTRY.items():
        if name not in COMMON:
            family = type(measure).__module__.rpartition(".")[2]
            questions.setdefault(asked_in.get(family, "own"), []).append(name)
    return questions


def entry(measure: Measure, language: Language) -> dict[str, Any]:
    """What is known about a measure, as plain Python."""
    # A measure of events has no judged queries, so it lacks some fields of other measures.
    options = [option for option in fields(measure) if option.name in measure.describe()]
    return {
        "name": type(measure).name,
        "title": title_of(measure, language),
        "aliases": [*aliases_of(measure), *_aliases_with_options(measure)],
        "direction": direction_of(measure, language),
        "higher_is_better": measure.higher_is_better,
        "bounds": [bound if math.isfinite(bound) else None for bound in measure.bounds],
        "graded": measure.graded,
        "at": measure.at,
        "options": {option.name: _option(measure, option.name, rule_of(option), language) for option in options},
    }


def _option(measure: Measure, name: str, rule: Rule, language: Language) -> dict[str, Any]:
    # describe() gives the effective value of an option that is None by default.
    default = measure.describe()[name]
    choices, number = rule.choices, replace(rule, choices=(), grades=False, several=False)
    if name == "ties" and isinstance(measure, RankedMeasure):
        choices = measure.tie_rules
    elif name == "aggregate":
        choices = measure.aggregates
    return {
        "default": default,
        "choices": [*choices, *(["{grade:gain,...}"] if rule.grades else [])],
        "number": number.expected(language) if rule.number else None,
    }


def _aliases_with_options(measure: Measure) -> list[str]:
    """Names that stand for this measure with other options: ``GMAP = AP(aggregate=geometric)``."""
    start = f"{type(measure).name}("
    return [f"{alias} = {meant}" for alias, meant in ALIASES.items() if meant.startswith(start)]


def _matches(listed: dict[str, Any], text: str) -> bool:
    known: list[str] = [listed["name"], listed["title"], *listed["aliases"]]
    return any(text.casefold() in name.casefold() for name in known)


def _text(listed: list[dict[str, Any]], language: Language) -> str:
    words = words_of("measure_list", language)
    width = max(len(entry["name"]) for entry in listed)
    space = " " * (width + 2)
    lines: list[str] = []
    headings = {names[0]: question for question, known in by_question().items()
                if (names := [entry["name"] for entry in listed if entry["name"] in known])}  # fmt: skip
    for entry in listed:
        if entry["name"] in headings:
            lines += [*([""] if lines else []), words[headings[entry["name"]]]]
        lines.append(f"{entry['name']:<{width}}  {entry['title']} ({entry['direction']})")
        own = [_option_text(name, option) for name, option in entry["options"].items() if _is_own(entry["name"], name)]
        if own:
            lines.append(space + words["options"] + "  ".join(own))
        if entry["aliases"]:
            lines.append(space + words["also"] + ", ".join(entry["aliases"]))
    if not any(isinstance(REGISTRY[entry["name"]], RankedMeasure) for entry in listed):
        return "\n".join(lines)
    shared = REGISTRY["P"]
    lines += ["", words["shared"]]
    for option in fields(shared):
        if option.name in _SHARED:
            lines.append("  " + _option_text(option.name, _option(shared, option.name, rule_of(option), language)))
    return "\n".join(lines)


def _is_own(measure: str, option: str) -> bool:
    """Whether an option is listed with the measure: others lack it, or have another default."""
    if option not in _SHARED:
        return True
    return bool(REGISTRY[measure].describe()[option] != REGISTRY["P"].describe()[option])


def _option_text(name: str, option: dict[str, Any]) -> str:
    default = option["default"]
    if option["number"]:
        first = "" if default is None else f"{format_value(default)}, "
        return f"{name}=({first}{option['number']})"
    words = [str(default), *(choice for choice in option["choices"] if choice != default)]
    return f"{name}={'|'.join(words)}"
