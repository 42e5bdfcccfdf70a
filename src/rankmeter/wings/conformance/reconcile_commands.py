"""Commands about numbers of others: which definition gives them, why two differ, and a table under two definitions."""

from __future__ import annotations

from typing import Any

import click

import rankmeter as rm
from rankmeter.cli.exit_codes import DONE, FAILED
from rankmeter.cli.options import COLUMNS, named_columns
from rankmeter.cli.output import TextAnswer, definition_talk, json_answer, shown_text
from rankmeter.cli.parameters import Count, Reads, command, takes
from rankmeter.cli.talk import echo, tell
from rankmeter.errors import InputError
from rankmeter.measures import into_measures
from rankmeter.measures.dialects import dialect_names
from rankmeter.wings.conformance.space import OURS


@command()
@click.argument("judgments", type=Reads())
@click.argument("run", type=Reads())
@click.option("--claim", "claims", multiple=True, metavar="NAME=NUMBER")
@click.option("--between", metavar="TOOL,TOOL")
@click.option("-m", "--measure", "metrics", multiple=True, metavar="METRIC")
@click.option("--changes", type=click.IntRange(0, 5), metavar="NUMBER", default=3)
@click.option("--limit", type=Count(), default=20_000)
@click.option("--columns", **COLUMNS, help="columns-as-evaluate")
@takes(answer=TextAnswer)
def reconcile(
    judgments: str,
    run: str,
    claims: tuple[str, ...],
    between: str | None,
    metrics: tuple[str, ...],
    columns: str | None,
    answer: TextAnswer,
    **options: Any,
) -> int:
    """Which definitions give a reported number, or why two tools differ; the exit code is 1 if none gives it."""
    named = named_columns(columns) or None
    if bool(claims) == bool(between):
        raise InputError.of("conformance.two_questions" if claims else "conformance.no_question")
    if between:
        first, second = _split_two_tools(between)
        if not metrics:
            raise InputError.of("conformance.between_lacks_metric", tools=between)
        _give_together([rm.between(judgments, run, first, second, metric, columns=named) for metric in metrics], answer)
        return DONE
    if metrics:
        raise InputError.of("conformance.measure_without_between", metric=metrics[0])
    reconciled = rm.reconcile(judgments, run, list(map(_read_claim, claims)), columns=named, **options)
    answer.give(reconciled)
    return DONE if reconciled.found else FAILED


def _read_claim(text: str) -> tuple[str, str]:
    """The name and the number; the name may contain equals signs itself: ``nDCG(gain=exp2)@10=0.31``."""
    name, equals, number = text.rpartition("=")
    if not equals or not name.strip() or not number.strip():
        raise InputError.of("conformance.not_a_claim", text=text)
    return name.strip(), number.strip()


def _give_together(results: list[Any], answer: TextAnswer) -> None:
    """Print several results as one text, list or page."""
    if answer.format == "html":
        from rankmeter.showing.html import page_html

        echo(page_html([block for result in results for block in result.document(answer.lang)], lang=answer.lang))
        return
    if answer.format == "json" and len(results) > 1:
        echo(json_answer([result.to_dict() for result in results]))
    else:
        echo("\n\n".join(shown_text(result, answer.format, answer.lang) for result in results))


def _split_two_tools(text: str) -> tuple[str, str]:
    """Split ``trec_eval:9,c,recbole`` into two tools: a part that names no tool is an option of the one before."""
    tools: list[str] = []
    known = {OURS, *dialect_names()}
    for part in (part.strip() for part in text.split(",")):
        if tools and ":" in tools[-1] and part.partition(":")[0] not in known:
            tools[-1] += f",{part}"
        else:
            tools.append(part)
    if len(tools) != 2 or not all(tools):
        raise InputError.of("conformance.between_two", count=len(tools), text=text)
    return tools[0], tools[1]


@command()
@click.argument("items", type=Reads())
@click.option("--id", required=True, metavar="COLUMN")
@click.option("--group", metavar="COLUMN")
@click.option("--score", required=True, multiple=True, metavar="COLUMN")
@click.option("--truth", required=True, metavar="COLUMN")
@click.option("-m", "--measure", "measures", multiple=True, metavar="MEASURE", default=["RR"])
@takes(answer=TextAnswer)
def table(items: str, measures: tuple[str, ...], answer: TextAnswer, **columns: Any) -> None:
    """One table of items under two definitions."""
    answer.give(rm.score_table(items, measures=list(measures), **columns))
    tell(definition_talk(into_measures(measures), answer.lang))
