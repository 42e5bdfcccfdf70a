"""``rankmeter reconcile``: which definitions give a reported number, and why two tools differ."""

from __future__ import annotations

import click

from rankmeter.cli.options import TextAnswer, columns_option, named_columns
from rankmeter.cli.parameters import Command, Count, Reads, takes
from rankmeter.cli.talk import echo, examples
from rankmeter.errors import InputError
from rankmeter.showing.html import page_html

NOT_FOUND = 1
"""The exit code if no definition gives every number."""


@click.command(
    "reconcile",
    cls=Command,
    epilog=examples(
        "rankmeter reconcile judgments.qrels keyword.run --claim NDCG@10=0.4516",
        "rankmeter reconcile judgments.qrels keyword.run --claim NDCG@10=0.5423 --claim MAP@10=0.4163",
        "rankmeter reconcile judgments.qrels keyword.run --between trec_eval,recbole -m NDCG@10",
        "rankmeter reconcile judgments.qrels keyword.run --between rankmeter,trec_eval:9 -m MAP --format markdown",
        "rankmeter reconcile judgments.qrels keyword.run --claim MAP=0.27 --format html --lang zh > map.html",
    ),
)
@click.argument("judgments", type=Reads())
@click.argument("run", type=Reads())
@click.option("--claim", "claims", multiple=True, metavar="NAME=NUMBER", help="A reported number; repeatable.")
@click.option("--between", metavar="TOOL,TOOL", help="Two tools whose difference is to be explained step by step.")
@click.option(
    "-m", "--measure", "metrics", multiple=True, metavar="METRIC", help="With --between: the metric; repeatable."
)
@click.option(
    "--changes",
    type=click.IntRange(0, 5),
    metavar="NUMBER",
    default=3,
    show_default=True,
    help="Change at most this many conventions.",
)
@click.option("--limit", type=Count(), default=20_000, show_default=True, help="Try at most this many definitions.")
@columns_option(", as for `rankmeter evaluate`")
@takes(answer=TextAnswer)
@click.pass_context
def command(
    ctx: click.Context,
    judgments: str,
    run: str,
    claims: tuple[str, ...],
    between: str | None,
    metrics: tuple[str, ...],
    changes: int,
    limit: int,
    columns: str | None,
    answer: TextAnswer,
) -> None:
    """Find the definitions that give a reported number for JUDGMENTS and RUN, or explain why two tools differ.

    The digits of a claim count: 0.3118 is matched by any value that rounds to it. Tools are tried as a whole, then
    single conventions are changed, few before many. The exit code is 1 if nothing gives every number.

    With --between the difference of two tools is split into named steps whose contributions add up to it; `rankmeter`
    stands for rankmeter's own definition, and trec_eval:9,c for a tool with options.
    """
    named = named_columns(columns)
    if bool(claims) == bool(between):
        raise InputError.of("cli.two_questions" if claims else "cli.no_question")
    if between:
        _explain_difference(judgments, run, between, metrics, named, answer)
        return
    if metrics:
        raise InputError.of("cli.measure_without_between", metric=metrics[0])
    from rankmeter.definitions.reconcile import reconcile

    pairs = [_claim(text) for text in claims]
    reconciled = reconcile(judgments, run, pairs, changes=changes, limit=limit, columns=named or None)
    answer.give(reconciled)
    if not reconciled.found:
        ctx.exit(NOT_FOUND)


def _claim(text: str) -> tuple[str, str]:
    """The name and the number; the name may contain equals signs itself: ``nDCG(gain=exp2)@10=0.31``."""
    name, equals, number = text.rpartition("=")
    if not equals or not name.strip() or not number.strip():
        raise InputError.of("cli.not_a_claim", text=text)
    return name.strip(), number.strip()


def _explain_difference(
    judgments: str,
    run: str,
    tools: str,
    metrics: tuple[str, ...],
    columns: dict[str, str],
    answer: TextAnswer,
) -> None:
    from rankmeter.definitions.steps import between

    first, second = _two_tools(tools)
    if not metrics:
        raise InputError.of("cli.between_lacks_metric", tools=tools)
    differences = [between(judgments, run, first, second, metric, columns=columns or None) for metric in metrics]
    if answer.format == "html":
        blocks = [block for difference in differences for block in difference.document(answer.lang)]
        echo(page_html(blocks, lang=answer.lang))
        return
    texts = [answer.text_of(difference) for difference in differences]
    echo(f"[{','.join(texts)}]" if answer.format == "json" and len(texts) > 1 else "\n\n".join(texts))


def _two_tools(text: str) -> tuple[str, str]:
    """Split ``trec_eval:9,c,recbole`` into two tools: a part that names no tool is an option of the one before."""
    from rankmeter.definitions.spoken import OURS
    from rankmeter.measures.dialects import dialect_names

    tools: list[str] = []
    known = {OURS, *dialect_names()}
    for part in (part.strip() for part in text.split(",")):
        if tools and ":" in tools[-1] and part.partition(":")[0] not in known:
            tools[-1] += f",{part}"
        else:
            tools.append(part)
    if len(tools) != 2 or not all(tools):
        raise InputError.of("cli.between_two", count=len(tools), text=text)
    return tools[0], tools[1]
