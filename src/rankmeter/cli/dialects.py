"""``rankmeter dialects``: how other tools define their metrics."""

from __future__ import annotations

import json
from typing import Any, Literal

import click

from rankmeter.cli.bilingual import BilingualCommand, language_option
from rankmeter.cli.options import table_or_json
from rankmeter.cli.output import readable_width
from rankmeter.cli.talk import echo, examples
from rankmeter.measures import Measure
from rankmeter.measures.dialects import Dialect, Metric, dialect_names, find_dialect
from rankmeter.measures.options import format_value
from rankmeter.measures.prose import Language
from rankmeter.showing.document import Block, Heading, Paragraph, text_table
from rankmeter.showing.terminal import document_text
from rankmeter.wording import words as words_of


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
@table_or_json
def command(name: str | None, lang: Language, format_: Literal["table", "json"]) -> None:
    """List the tools whose numbers can be reproduced, or the metrics of one, each with its whole definition.

    NAME may include options of the tool: trec_eval:9,c,l=2.
    """
    chosen = [find_dialect(tool) for tool in ([name] if name else dialect_names())]
    if format_ == "json":
        listed = [entry(dialect, lang) for dialect in chosen]
        echo(json.dumps(listed[0] if name else listed, indent=2, ensure_ascii=False))
    else:
        document = _whole(chosen[0], lang) if name else _overview(chosen, lang)
        echo(document_text(document, width=readable_width(), lang=lang))


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
    """The measure that a metric is, with k for a number that it takes."""
    measure = _built(metric)
    text = str(measure)
    return text.replace("@1000003", "@k") if "@1000003" in text else text


def _built(metric: Metric) -> Measure:
    takes_k = metric.number == "cutoff" and metric.conventions.get("cutoff") is None
    # An unlikely number stands for k, as some measures are defined only with a cutoff.
    return metric.build(1000003 if takes_k else None, {})


def _option(name: str, sets: str) -> str:
    return f"{name}=N" if sets else name


def _overview(dialects: list[Dialect], lang: Language) -> list[Block]:
    rows = [(dialect.name, f"{dialect.title} {dialect.version}") for dialect in dialects]
    more = words_of("dialect_list", lang)["more"].format(command="rankmeter dialects NAME")
    return [text_table(("", ""), rows, ("text", "text")), Paragraph(more)]


def _version(dialect: Dialect) -> str:
    """The version that is reproduced; an option that is a number names an older one."""
    options = str(dialect).partition(":")[2].split(",")
    return next((option for option in options if option.isdigit()), dialect.version)


def _whole(dialect: Dialect, lang: Language) -> list[Block]:
    words = words_of("dialect_list", lang)
    rounded = words["digits"].format(digits=dialect.digits) if dialect.digits else ""
    newest = words["newest"].format(newest=dialect.newest, moved=dialect.moved[lang]) if dialect.newest else ""
    about = [f"{dialect}: {dialect.title} {_version(dialect)}{rounded}", dialect.text[lang], newest]
    blocks: list[Block] = [*(Paragraph(text) for text in about if text), Heading(words["metrics"])]
    width = max(len(metric.name) for metric in dialect.metrics)
    for metric in dialect.metrics:
        line = f"{metric.name:<{width}}  {definition(metric)}"
        # A definition has no blanks at which a line could be broken.
        blocks.append(Paragraph(line if len(line) < readable_width() else line.replace(",", ", ")))
        shown = ", ".join(_values(name, meant) for name, meant in metric.options.items())
        below = [f"{words['takes']} {shown}" if shown else "", metric.reason[lang] if metric.reason else ""]
        blocks += [Paragraph(text, depth=2) for text in below if text]
    options = [(f"{dialect.name}:{_option(v.name, v.sets)}", v.text[lang]) for v in dialect.variants]
    if options:
        blocks += [Heading(words["options"]), text_table(("", ""), options, ("text", "text"))]
    if dialect.accidents:
        blocks.append(Heading(words["accidents"]))
        blocks += [Paragraph(f"{', '.join(odd.metrics)} ({odd.when}): {odd.text[lang]}") for odd in dialect.accidents]
    return blocks


def _values(name: str, meant: Any) -> str:
    return name if isinstance(meant, str) else f"{name}={'|'.join(format_value(value) for value in meant)}"
