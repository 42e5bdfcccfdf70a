"""``rankmeter leaderboards``: the same systems under two judges."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import Answer, Sources, level_option, measure_option, seed_option
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples
from rankmeter.errors import InputError
from rankmeter.measures import split_all


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter leaderboards people.qrels machine.qrels a.run b.run c.run -m nDCG@10",
        "rankmeter leaderboards people.qrels machine.qrels runs/*.run -m 'nDCG@10 P@5' --output boards.html",
        "rankmeter leaderboards people.qrels machine.qrels runs/*.run --format json --lang zh",
    ),
)
@click.argument("paths", nargs=-1, type=Reads(), metavar="PEOPLE MACHINE RUN RUN...")
@measure_option("A measure, or several. Default: nDCG@10.")
@takes(sources=Sources)
@level_option
@seed_option
@takes(answer=Answer)
def command(
    paths: tuple[str, ...], measures: tuple[str, ...], sources: Sources, answer: Answer, **options: Any
) -> None:
    """Rank the RUNs under the judgments of PEOPLE and of a MACHINE: whether the winner stays, and who is favoured."""
    from rankmeter.judging.two_leaderboards import leaderboards

    if len(paths) < 4:
        raise InputError.of("judging.two_systems", count=max(len(paths) - 2, 0))
    asked = split_all(measures) or ["nDCG@10"]
    people, machine = (sources.judgments(path) for path in paths[:2])
    answer.give(leaderboards(people, machine, sources.runs(paths[2:]), asked, **options))
