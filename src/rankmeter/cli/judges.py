"""``rankmeter judges``: how far two or more judges agree."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import Answer, JudgmentSources, level_option, named_columns, system_names
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
    help="Grades that can be given: 0..3, or 0,0.5,1. Default: from 0 to the highest grade.",
)  # fmt: skip
@click.option(
    "--judge", metavar="COLUMN", help="Column that names the judge, if all judgments are in one table. Default: judge."
)
@click.option(
    "--singles", type=click.Choice(["skip", "count"]), default="skip", show_default=True,
    help="How to treat pairs that one judge alone judged. count: they tell how often each grade is given, for judges "
    "of one panel.",
)  # fmt: skip
@takes(sources=JudgmentSources)
@level_option
@takes(answer=Answer)
def command(
    paths: tuple[str, ...], judge: str | None, sources: JudgmentSources, answer: Answer, **options: Any
) -> None:
    """Say how far two or more judges agree: a file of judgments each, or one table with a column of judges.

    The others are compared with the first judge: name people before a machine.
    """
    from rankmeter.inputs.columns import columns_of
    from rankmeter.judging.panel import of_book
    from rankmeter.judging.panel_agreement import judges

    if not paths:
        raise InputError.of("judging.one_judge", judges=["-"])
    if len(paths) == 1:
        named = columns_of(named_columns(sources.columns), "judgments")
        table = of_book(paths[0]) if sources.judgments_format == "book" else paths[0]
        answer.give(judges(table, judge=judge, columns=named or None, **options))
    else:
        by_name = {name: sources.judgments(path) for name, path in zip(system_names(paths), paths, strict=True)}
        answer.give(judges(by_name, **options))
