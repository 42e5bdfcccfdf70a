"""``rankmeter advise``: which measures and cutoffs fit the data, and why."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import Sources, TextAnswer, measure_option, seed_option
from rankmeter.cli.parameters import Command, Count, Reads, takes
from rankmeter.cli.talk import examples
from rankmeter.errors import InputError
from rankmeter.measures import split_all


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter advise judgments.qrels",
        "rankmeter advise judgments.qrels keyword.run hybrid.run --for search",
        "rankmeter advise judgments.qrels keyword.run --lang zh",
        "rankmeter advise purchases.csv recommended.csv --for recommendation --format json",
    ),
)
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS [RUN...]")
@click.option(
    "--for", "purpose", type=click.Choice(["search", "recommendation"]),
    help="What the lists are for. recommendation: users, k = 20, hit rate, coverage, novelty. Default: inferred from "
    "the columns.",
)  # fmt: skip
@click.option("-k", "k", type=Count(), help="Use another cutoff.")
@measure_option("Measures to look at beside the recommended ones.")
@takes(sources=Sources)
@seed_option
@takes(answer=TextAnswer)
def command(
    paths: tuple[str, ...], measures: tuple[str, ...], sources: Sources, answer: TextAnswer, **options: Any
) -> None:
    """Look at JUDGMENTS, and RUNs if there are any, and say which measures and which k fit, and why.

    With runs it also says which measures agree, which separate systems best, and which stay the same when half of the
    queries are dropped.
    """
    if not paths:
        raise InputError.of("cli.no_judgments", usage="rankmeter advise JUDGMENTS [RUN...]")
    from rankmeter.comparing.advice import advise

    asked = split_all(measures) or None
    sources.check_columns(paths[0], paths[1:])
    truth, runs = sources.judgments(paths[0]), sources.runs(paths[1:])
    answer.give(advise(truth, runs, measures=asked, **options))
