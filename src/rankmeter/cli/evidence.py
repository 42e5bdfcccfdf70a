"""``rankmeter evidence``: how much of the gold spans the first chunks hold."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import Answer, columns_option, level_option, measure_option, numbers, pairs, system_names
from rankmeter.cli.parameters import CommaList, Command, Reads, takes
from rankmeter.cli.talk import examples
from rankmeter.measures import split_all


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter evidence gold.csv chunks.csv",
        "rankmeter evidence gold.csv small.csv large.csv --budgets 1000,2000,4000 --output chunkings.html",
        "rankmeter evidence quotes.jsonl chunks.jsonl --texts documents.jsonl --unit tokens --lang zh",
        "rankmeter evidence gold.csv chunks.csv --rule any -m alpha_nDCG@5 -m StRecall@5 --format json",
    ),
)
@click.argument("gold", type=Reads(), metavar="GOLD")
@click.argument("chunks", type=Reads(), metavar="CHUNKS...", nargs=-1, required=True)
@measure_option("Measure that takes the spans as subtopics.")
@click.option("--texts", type=Reads(), metavar="FILE", help="Table of the documents, with columns document and text.")
@click.option(
    "--rule", type=click.Choice(["joint", "share", "any", "iou", "contained"]), default="joint", show_default=True,
    help="When a span counts as held. joint: the first chunks together hold enough of it. share: one chunk holds "
    "enough. any: one chunk touches it. iou: its intersection over union with one chunk is enough. contained: one "
    "chunk holds all of it.",
)  # fmt: skip
@click.option(
    "--share", type=float, default=0.5, show_default=True, help="How much is enough under joint, share and iou."
)
@click.option(
    "--cutoffs",
    cls=CommaList,
    metavar="NUMBER,...",
    default="1,3,5,10",
    show_default=True,
    help="How many chunks to look at.",
)
@click.option(
    "--budgets", cls=CommaList, metavar="NUMBER,...",
    help="How many characters (or tokens) to look at; chosen automatically for several CHUNKS.",
)  # fmt: skip
@click.option(
    "--unit", type=click.Choice(["characters", "tokens"]), default="characters", show_default=True,
    help="What to count. Tokens are words, punctuation marks and single Chinese characters; they need --texts.",
)  # fmt: skip
@click.option(
    "--dialect", type=click.Choice(["rankmeter", "chroma", "legalbench_rag"]), default="rankmeter", show_default=True,
    help="Count characters as another tool does.",
)  # fmt: skip
@columns_option(". Roles: query, document, start, end, quote, rank, score, text")
@level_option
@takes(answer=Answer)
def command(
    gold: str,
    chunks: tuple[str, ...],
    measures: tuple[str, ...],
    cutoffs: str,
    budgets: str | None,
    columns: str | None,
    answer: Answer,
    **options: Any,
) -> None:
    """Say how much of the evidence the first chunks hold; with several CHUNKS, compare these ways of chunking.

    GOLD and CHUNKS are tables with query, document, and start and end (characters, end excluded) or the quoted text,
    which needs --texts. Chunks are listed best first, or have a rank or a score.
    """
    from rankmeter.judging.evidence_scores import evidence

    scores = evidence(
        gold, dict(zip(system_names(chunks), chunks, strict=True)), split_all(measures),
        cutoffs=numbers("--cutoffs", cutoffs) or (), budgets=numbers("--budgets", budgets),
        columns=pairs("--columns", columns), **options,
    )  # fmt: skip
    answer.give(scores)
