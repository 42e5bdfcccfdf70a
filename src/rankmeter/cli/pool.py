"""``rankmeter pool``: the unjudged items that are most worth judging."""

from __future__ import annotations

from typing import Literal

import click

from rankmeter.cli.options import Delivery, Sources, csv_or_json
from rankmeter.cli.parameters import Command, Count, Reads, takes
from rankmeter.cli.talk import examples, say, silence_notes, spoken_language
from rankmeter.errors import InputError
from rankmeter.wording import word


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter pool judgments.qrels keyword.run hybrid.run > to_judge.csv",
        "rankmeter pool judgments.qrels keyword.run hybrid.run --depth 20 --budget 500 --by weight --output judge.csv",
    ),
)
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS RUN...")
@click.option("--depth", type=Count(), default=10, show_default=True, help="How deep to look into each list.")
@click.option("--budget", type=Count(), help="How many items can be judged. Default: list all.")
@click.option(
    "--by", type=click.Choice(["difference", "weight"]),
    help="What comes first. difference: what could move two systems apart (default for several runs). weight: what "
    "could move any system.",
)  # fmt: skip
@takes(sources=Sources)
@csv_or_json
@takes(delivery=Delivery)
def command(
    paths: tuple[str, ...],
    depth: int,
    budget: int | None,
    by: Literal["difference", "weight"] | None,
    sources: Sources,
    format_: str,
    delivery: Delivery,
) -> None:
    """List the unjudged items of the RUNs that are most worth judging, best first.

    CSV has the columns query, item, grade (empty: to be filled in), priority, best_rank, systems. Filled in, the
    file is judgments that rankmeter reads.
    """
    if len(paths) < 2:
        raise InputError.of("cli.pool_needs_runs")
    if delivery.quiet:
        silence_notes()
    from rankmeter.comparing.pooling import pool

    sources.check_columns(paths[0], paths[1:])
    truth, runs = sources.judgments(paths[0]), sources.runs(paths[1:])
    unjudged = pool(truth, runs, depth=depth, by=by)
    listed = unjudged if budget is None else unjudged.head(budget)
    if format_ == "csv":
        import polars as pl

        columns = ("query", "item", pl.lit("").alias("grade"), "priority", "best_rank", "systems")
        delivery.deliver_frame(listed.select(*columns), "csv")
    else:
        delivery.deliver_frame(listed, "json")
    if not delivery.quiet:
        lang = spoken_language()
        where = [word("written_to", lang, place=str(delivery.output))] if delivery.output else []
        kind = "some_to_judge" if len(listed) < len(unjudged) else "all_to_judge"
        count = word(kind, lang, listed=len(listed), count=len(unjudged), depth=depth, runs=len(runs))
        say(": ".join([*where, count]))
