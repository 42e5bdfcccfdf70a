"""Commands that list: all measures, and how other tools define theirs."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import click

from rankmeter.cli.bilingual import language_option
from rankmeter.cli.output import json_answer, readable_width, terminal_options
from rankmeter.cli.parameters import command
from rankmeter.cli.talk import echo
from rankmeter.definitions.explain import aliases_of, direction_of, title_of
from rankmeter.errors import MeasureError, did_you_mean
from rankmeter.measures import REGISTRY, Measure, RankedMeasure
from rankmeter.measures.base import rule_of
from rankmeter.measures.dialects import Dialect, Metric, dialect_names, find_dialect
from rankmeter.measures.names import ALIASES
from rankmeter.measures.options import Rule, format_value
from rankmeter.showing.document import Block, Heading, Paragraph, text_table
from rankmeter.showing.terminal import document_text
from rankmeter.wings import is_there, table, wing_of
from rankmeter.wings.loading import answering
from rankmeter.wording import Language
from rankmeter.wording import words as words_of
from rankmeter.wording.characters import width_of, wrapped

_SHARED = frozenset(option.name for option in fields(RankedMeasure))
COMMON = ("nDCG", "AP", "RR", "P", "R", "Success", "Coverage", "ILD", "Novelty", "CTR", "CVR")
"""The most common measures."""
QUESTIONS = {
    "ranked": "hits order gains blended decisions",
    "readers": "users",
    "unjudged_items": "incomplete",
    "aspects": "diversity",
    "reach": "coverage popularity",
    "variety": "listdiversity",
    "fair": "fairness",
    "worth": "value",
    "sound": "listquality counts",
    "did": "",
    "older": "historic",
}
"""The families of measures that answer each question; what users did is asked by all measures of events."""

DEPARTURES = "dialects.departures"
table_or_json = click.option("--format", type=click.Choice(["table", "json"]), default="table", help="format-of-list")


@command()
@click.argument("name_filter", required=False, metavar="[NAME-FILTER]")
@language_option
@table_or_json
def measures(name_filter: str | None, lang: Language, format: str) -> None:
    """All measures, or those with a name that holds some text."""
    wanted = (name_filter or "").casefold()
    entries = (_measure_facts(REGISTRY[name], lang) for names in by_question().values() for name in names)
    listed = [
        entry
        for entry in entries
        if any(wanted in name.casefold() for name in (entry["name"], entry["title"], *entry["aliases"]))
    ]
    if not listed:
        hint = did_you_mean(name_filter or "", [*REGISTRY, *ALIASES]) or None
        raise MeasureError.of("cli.no_such_measure", text=name_filter, hint=hint)
    if format == "json":
        echo(json_answer(listed))
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
            apart = {"events": "did", "searches": "several"}.get(measure.about)
            question = apart or asked_in.get(family, "own")
            questions[question] = [*questions.get(question, []), name]
    return questions


def _measure_facts(measure: Measure, language: Language) -> dict[str, Any]:
    """What is known about a measure, as plain Python."""
    # A measure of events has no judged queries, so it lacks some fields of other measures.
    options = [option for option in fields(measure) if option.name in measure.describe()]
    start = f"{type(measure).name}("  # names that stand for this measure with options: GMAP = AP(aggregate=geometric)
    with_options = [f"{alias} = {meant}" for alias, meant in ALIASES.items() if meant.startswith(start)]
    return {
        "name": type(measure).name,
        "title": title_of(measure, language),
        "aliases": [*aliases_of(measure), *with_options],
        "direction": direction_of(measure, language),
        "higher_is_better": measure.higher_is_better,
        "bounds": [bound if math.isfinite(bound) else None for bound in measure.bounds],
        "graded": measure.graded,
        "at": measure.at,
        "options": {option.name: _option_facts(measure, option.name, rule_of(option), language) for option in options},
    }


def _option_facts(measure: Measure, name: str, rule: Rule, language: Language) -> dict[str, Any]:
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
            lines.append(
                "  " + _option_text(option.name, _option_facts(shared, option.name, rule_of(option), language))
            )
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


@command()
@click.argument("name", required=False)
@language_option
@table_or_json
def dialects(name: str | None, lang: Language, format: str) -> None:
    """The tools whose numbers can be reproduced, or the metrics of one."""
    chosen = [find_dialect(tool) for tool in ([name] if name else dialect_names())]
    if format == "json":
        listed = [_dialect(dialect, lang) for dialect in chosen]
        if name and _knows_departures():
            found = answering(DEPARTURES).departures(chosen[0])
            listed[0]["departures"] = [departure.to_dict() for departure in found]
        echo(json_answer(listed[0] if name else listed))
        return
    rows = [(dialect.name, f"{dialect.title} {dialect.version}") for dialect in chosen]
    more = words_of("dialect_list", lang)["more"].format(command="rankmeter dialects NAME")
    document: list[Block] = (
        _whole(chosen[0], lang) if name else [text_table(("", ""), rows, ("text", "text")), Paragraph(more)]
    )
    if name and _knows_departures():
        document += answering(DEPARTURES).blocks(chosen[0], lang)
    echo(document_text(document, width=readable_width()))


def _knows_departures() -> bool:
    """Whether the wing is there that knows on which cases a tool leaves the textbook."""
    return is_there(wing_of(table.OPTIONS[DEPARTURES]))


def _dialect(dialect: Dialect, lang: Language) -> dict[str, Any]:
    """Everything about a dialect, as plain data."""
    return {
        "dialect": str(dialect),
        "tool": dialect.title,
        "version": dialect.version,
        "newest": {"version": dialect.newest or dialect.version, "text": dialect.moved[lang] if dialect.newest else ""},
        "digits": dialect.digits,
        "text": dialect.text[lang],
        "metrics": [
            {
                "names": list(metric.names),
                "measure": _measure_of_metric(metric),
                "options": list(metric.options),
                "reason": metric.reason[lang] if metric.reason else "",
            }
            for metric in dialect.metrics
        ],
        "options": [
            {"option": _variant(variant.name, variant.sets), "text": variant.text[lang]} for variant in dialect.variants
        ],
        "not_reproduced": [
            {"metrics": list(accident.metrics), "when": accident.when, "text": accident.text[lang]}
            for accident in dialect.accidents
        ],
    }


def _measure_of_metric(metric: Metric) -> str:
    """The measure that a metric is, with k for a number that it takes."""
    takes_k = metric.number == "cutoff" and metric.conventions.get("cutoff") is None
    # An unlikely number stands for k, as some measures are defined only with a cutoff.
    return str(metric.build(1000003 if takes_k else None, {})).replace("@1000003", "@k")


def _variant(name: str, sets: str) -> str:
    return f"{name}=N" if sets else name


def _whole(dialect: Dialect, lang: Language) -> list[Block]:
    words = words_of("dialect_list", lang)
    rounded = words["digits"].format(digits=dialect.digits) if dialect.digits else ""
    newest = words["newest"].format(newest=dialect.newest, moved=dialect.moved[lang]) if dialect.newest else ""
    stated = str(dialect).partition(":")[2].split(",")  # an option that is a number names an older version
    version = next((option for option in stated if option.isdigit()), dialect.version)
    about = [f"{dialect}: {dialect.title} {version}{rounded}", dialect.text[lang], newest]
    blocks: list[Block] = [*(Paragraph(text) for text in about if text), Heading(words["metrics"])]
    width = max(len(metric.name) for metric in dialect.metrics)
    for metric in dialect.metrics:
        line = f"{metric.name:<{width}}  {_measure_of_metric(metric)}"
        # A definition has no blanks at which a line could be broken.
        blocks.append(Paragraph(line if len(line) < readable_width() else line.replace(",", ", ")))
        shown = ", ".join(_option_shown(name, meant) for name, meant in metric.options.items())
        below = [f"{words['takes']} {shown}" if shown else "", metric.reason[lang] if metric.reason else ""]
        blocks += [Paragraph(text, depth=2) for text in below if text]
    options = [(f"{dialect.name}:{_variant(v.name, v.sets)}", v.text[lang]) for v in dialect.variants]
    if options:
        blocks += [Heading(words["options"]), text_table(("", ""), options, ("text", "text"))]
    if dialect.accidents:
        blocks.append(Heading(words["accidents"]))
        blocks += [Paragraph(f"{', '.join(odd.metrics)} ({odd.when}): {odd.text[lang]}") for odd in dialect.accidents]
    return blocks


def _option_shown(name: str, meant: Any) -> str:
    return name if isinstance(meant, str) else f"{name}={'|'.join(format_value(value) for value in meant)}"
