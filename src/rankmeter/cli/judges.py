"""``rankmeter judges``: how far two or more judges agree."""

from __future__ import annotations

from typing import Literal

import click

from rankmeter.cli.options import Answer, Sources, level_option, system_names
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples
from rankmeter.errors import InputError


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter judges people.qrels machine.qrels --scale 0..3",
        "rankmeter judges ann.csv ben.csv cleo.csv --scale 0..3 --format json --output agreement.json",
        "rankmeter judges all-judgments.csv --judge rater --lang zh",
        "rankmeter judges book.csv --judgments-format book --scale 0..3",
    ),
)
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS JUDGMENTS...")
@click.option(
    "--scale", metavar="LOW..HIGH|GRADE,...",
    help="The grades that can be given: 0..3, or 0,0.5,1. Default: from 0 to the highest grade.",
)  # fmt: skip
@click.option(
    "--judge", metavar="COLUMN", help="Name the column of judges, where all judgments are in one table. Default: judge."
)
@click.option(
    "--singles", type=click.Choice(["skip", "count"]), default="skip", show_default=True,
    help="count: pairs with one judgment tell how often each grade is given (for judges of one panel).",
)  # fmt: skip
@takes(sources=Sources)
@level_option
@takes(answer=Answer)
def command(
    paths: tuple[str, ...],
    scale: str | None,
    judge: str | None,
    singles: Literal["skip", "count"],
    sources: Sources,
    level: float,
    answer: Answer,
) -> None:
    """Say how far two or more judges agree: a file of judgments each, or one table with a column of judges.

    The first judge is the one that others are held against: people before a machine.
    """
    from rankmeter.judging.panel_agreement import judges

    if not paths:
        raise InputError.of("judging.one_judge", judges=["-"])
    if len(paths) == 1:
        from rankmeter.cli.options import parse_columns
        from rankmeter.judging.panel import of_book

        named, _ = parse_columns(sources.columns)
        table = of_book(paths[0]) if sources.judgments_format == "book" else paths[0]
        agreement = judges(table, scale=scale, judge=judge, level=level, singles=singles, columns=named or None)
    else:
        given = {name: sources.judgments(path) for name, path in zip(system_names(paths), paths, strict=True)}
        agreement = judges(given, scale=scale, level=level, singles=singles)
    answer.give(agreement)
