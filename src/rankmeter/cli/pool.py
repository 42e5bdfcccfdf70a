"""``rankmeter judge pool``: the unjudged items that are most worth judging."""

from __future__ import annotations

from typing import Any

import click

import rankmeter as rm
from rankmeter.cli.options import Sources, csv_or_json
from rankmeter.cli.output import Delivery
from rankmeter.cli.parameters import Count, Reads, command, takes
from rankmeter.cli.talk import say, silence_notes, spoken_language
from rankmeter.errors import InputError
from rankmeter.late import pl
from rankmeter.wording import word


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS RUN...")
@click.option("--depth", type=Count(), default=10)
@click.option("--budget", type=Count())
@click.option("--by", type=click.Choice(["difference", "weight"]))
@takes(sources=Sources)
@csv_or_json
@takes(delivery=Delivery)
def judge_pool(
    paths: tuple[str, ...], budget: int | None, sources: Sources, format: str, delivery: Delivery, **options: Any
) -> None:
    """The unjudged items that are most worth judging; as CSV a table to be filled in."""
    if len(paths) < 2:
        raise InputError.of("cli.pool_needs_runs")
    if delivery.quiet:
        silence_notes()
    sources.check_columns(paths[0], paths[1:])
    unjudged = rm.pool(sources.judgments(paths[0]), sources.runs(paths[1:]), **options)
    listed = unjudged if budget is None else unjudged.head(budget)
    to_fill = ("query", "item", pl.lit("").alias("grade"), "priority", "best_rank", "systems")
    delivery.deliver_frame(listed.select(*to_fill) if format == "csv" else listed, format)
    if not delivery.quiet:
        lang = spoken_language()
        where = [word("written_to", lang, place=str(delivery.output))] if delivery.output else []
        kind = "some_to_judge" if len(listed) < len(unjudged) else "all_to_judge"
        counts = {"listed": len(listed), "count": len(unjudged), "depth": options["depth"], "runs": len(paths) - 1}
        say(": ".join([*where, word(kind, lang, **counts)]))
