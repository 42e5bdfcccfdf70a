"""``rankmeter dialects``: how other tools define the metrics they name."""

from __future__ import annotations

import json
from typing import Any, Literal

import click

from rankmeter.cli.output import terminal_options
from rankmeter.cli.talk import BilingualCommand, echo, examples, language_option
from rankmeter.measures import Measure
from rankmeter.measures.dialects import Dialect, Metric, dialect_names, find_dialect
from rankmeter.measures.options import format_value
from rankmeter.measures.prose import Language
from rankmeter.showing.characters import width_of, wrapped
from rankmeter.wording import words as words_of

WIDEST = 100
"""Columns beyond which lines are hard to read."""


@click.command(
    "dialects",
    cls=BilingualCommand,
    epilog=examples(
        "rankmeter dialects",
        "rankmeter dialects recbole",
        "rankmeter dialects trec_eval:9,c --lang zh",
        "rankmeter dialects torchmetrics --format json",
    ),
)
@click.argument("name", required=False)
@language_option
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
def command(name: str | None, lang: Language, format_: Literal["table", "json"]) -> None:
    """List the tools whose numbers can be reproduced, or the metrics of one, each with its whole definition.

    NAME may hold options of the tool: trec_eval:9,c,l=2.
    """
    chosen = [find_dialect(tool) for tool in ([name] if name else dialect_names())]
    if format_ == "json":
        listed = [entry(dialect, lang) for dialect in chosen]
        echo(json.dumps(listed[0] if name else listed, indent=2, ensure_ascii=False))
    elif name:
        echo(_whole(chosen[0], lang))
    else:
        echo(_overview(chosen, lang))


def entry(dialect: Dialect, lang: Language) -> dict[str, Any]:
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
                "measure": definition(metric),
                "options": list(metric.options),
                "reason": metric.reason[lang] if metric.reason else "",
            }
            for metric in dialect.metrics
        ],
        "options": [
            {"option": _option(variant.name, variant.sets), "text": variant.text[lang]} for variant in dialect.variants
        ],
        "not_reproduced": [
            {"metrics": list(accident.metrics), "when": accident.when, "text": accident.text[lang]}
            for accident in dialect.accidents
        ],
    }


def definition(metric: Metric) -> str:
    """The measure that a metric is, with k in place of a number that it takes and does not state."""
    measure = _built(metric)
    text = str(measure)
    return text.replace("@1000003", "@k") if "@1000003" in text else text


def _built(metric: Metric) -> Measure:
    takes_k = metric.number == "cutoff" and metric.conventions.get("cutoff") is None
    # A number that no metric has stands for k, for measures that are only defined with one.
    return metric.build(1000003 if takes_k else None, {})


def _option(name: str, sets: str) -> str:
    return f"{name}=N" if sets else name


def _overview(dialects: list[Dialect], lang: Language) -> str:
    width = max(len(dialect.name) for dialect in dialects)
    lines = [
        line
        for dialect in dialects
        for line in _beside(dialect.name, f"{dialect.title} {dialect.version}", width, indent=0)
    ]
    return "\n".join(
        [*lines, "", *_wrapped(words_of("dialect_list", lang)["more"].format(command="rankmeter dialects NAME"))]
    )


def _version(dialect: Dialect) -> str:
    """The version that is reproduced: an option that is a number names an older one."""
    options = str(dialect).partition(":")[2].split(",")
    return next((option for option in options if option.isdigit()), dialect.version)


def _whole(dialect: Dialect, lang: Language) -> str:
    words = words_of("dialect_list", lang)
    rounded = words["digits"].format(digits=dialect.digits) if dialect.digits else ""
    lines = [
        *_wrapped(f"{dialect}: {dialect.title} {_version(dialect)}{rounded}"),
        *_wrapped(dialect.text[lang]),
        *_wrapped(words["newest"].format(newest=dialect.newest, moved=dialect.moved[lang]) if dialect.newest else ""),
        "",
        words["metrics"],
    ]
    for metric in dialect.metrics:
        lines += _beside(metric.name, definition(metric), max(len(metric.name) for metric in dialect.metrics))
        if metric.options:
            shown = ", ".join(_values(name, meant) for name, meant in metric.options.items())
            lines += _wrapped(f"{words['takes']} {shown}", indent=6)
        if metric.reason:
            lines += _wrapped(metric.reason[lang], indent=6)
    if dialect.variants:
        lines += ["", words["options"]]
        for variant in dialect.variants:
            lines += _beside(f"{dialect.name}:{_option(variant.name, variant.sets)}", variant.text[lang])
    if dialect.accidents:
        lines += ["", words["accidents"]]
        for accident in dialect.accidents:
            lines += _wrapped(f"{', '.join(accident.metrics)} ({accident.when}): {accident.text[lang]}", indent=2)
    return "\n".join(lines)


def _values(name: str, meant: Any) -> str:
    return name if isinstance(meant, str) else f"{name}={'|'.join(format_value(value) for value in meant)}"


def _beside(name: str, text: str, width: int = 0, indent: int = 2) -> list[str]:
    """A name with its text beside it, or below it where the line is too short for both."""
    head = f"{' ' * indent}{name:<{width}}  "
    beside = _wrapped(text, len(head))
    if max(map(width_of, beside)) <= _columns() and len(head) < _columns() / 2:
        return [head + beside[0].lstrip(), *beside[1:]]
    own = _wrapped(text, indent + 2)
    if any(width_of(part) > _columns() for part in own):  # a definition has no blanks
        own = _wrapped(text.replace(",", ", "), indent + 2)
    return [f"{' ' * indent}{name}", *own]


def _wrapped(text: str, indent: int = 0) -> list[str]:
    return wrapped(text, _columns(), " " * indent) if text else []


def _columns() -> int:
    width: int = terminal_options().get("width", WIDEST)
    return min(width, WIDEST)
