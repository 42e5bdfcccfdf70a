"""``rankmeter evidence``: how much of the gold spans the first chunks hold."""

from __future__ import annotations

from typing import Literal

import click

from rankmeter.cli.options import Answer, level_option, numbers, pairs, system_names
from rankmeter.cli.parameters import Command, Reads, option, takes
from rankmeter.cli.talk import examples
from rankmeter.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Holds:
    """When chunks hold a span, and how far lists are looked at."""

    rule: Literal["joint", "share", "any", "iou", "contained"] = option(
        "--rule", default="joint",
        help="When a span is held: by the first chunks together, by one chunk to a share, by any overlap, by the "
        "intersection over the union, or wholly in one chunk.",
    )  # fmt: skip
    share: float = option("--share", type=float, default=0.5, help="How much is enough under joint, share and iou.")
    cutoffs: str = option("--cutoffs", metavar="NUMBER,...", default="1,3,5,10", help="How many chunks to look at.")
    budgets: str | None = option(
        "--budgets", metavar="NUMBER,...",
        help="How many characters (or tokens) to look at; chosen automatically for several CHUNKS.",
    )  # fmt: skip
    unit: Literal["characters", "tokens"] = option(
        "--unit", default="characters",
        help="What is counted. Tokens are words, punctuation marks and single Chinese characters; they need --texts.",
    )  # fmt: skip
    dialect: Literal["rankmeter", "chroma", "legalbench_rag"] = option(
        "--dialect", default="rankmeter", help="Count characters as another tool does."
    )


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
@click.option("-m", "--measure", "measures", multiple=True, help="A measure that takes the spans as subtopics.")
@click.option("--texts", type=Reads(), metavar="FILE", help="The documents: a table with document and text.")
@takes(holds=Holds)
@click.option(
    "--columns", metavar="ROLE=NAME,...",
    help="Name columns that are not recognised. Roles: query, document, start, end, quote, rank, score, text.",
)  # fmt: skip
@level_option
@takes(answer=Answer)
def command(
    gold: str,
    chunks: tuple[str, ...],
    measures: tuple[str, ...],
    texts: str | None,
    holds: Holds,
    columns: str | None,
    level: float,
    answer: Answer,
) -> None:
    """Say how much of the evidence the first chunks hold; of several CHUNKS, compare these ways of chunking.

    GOLD and CHUNKS are tables with query, document, and start and end (characters, end excluded) or the quoted text,
    which needs --texts. Chunks stand best first, or have a rank or a score.
    """
    from rankmeter.judging.evidence_scores import evidence
    from rankmeter.measures import split_all

    scores = evidence(
        gold, dict(zip(system_names(chunks), chunks, strict=True)),
        split_all(measures), rule=holds.rule, share=holds.share,
        cutoffs=numbers("--cutoffs", holds.cutoffs) or (), budgets=numbers("--budgets", holds.budgets), unit=holds.unit,
        dialect=holds.dialect, texts=texts, level=level, columns=pairs("--columns", columns),
    )  # fmt: skip
    answer.give(scores)
