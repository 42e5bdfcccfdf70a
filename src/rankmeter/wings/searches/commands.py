"""The command about approximate search."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import PAIRS, Sources, by_system, level_option, named_columns
from rankmeter.cli.output import Answer
from rankmeter.cli.parameters import Reads, command, takes
from rankmeter.errors import InputError
from rankmeter.inputs.accepting import into_run
from rankmeter.wings.searches.approximate import ann_recall as measured_recall


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="EXACT RUN...")
@click.option("-k", "cutoffs", multiple=True, type=click.IntRange(1, 2**53), metavar="NUMBER", default=(10,))
@click.option("--candidates", **PAIRS)
@click.option("--ties", type=click.Choice(["value", "id"]), default="value")
@click.option("--tolerance", type=click.FloatRange(0), default=0.0)
@level_option
@takes(sources=Sources, answer=Answer)
def ann_recall(
    paths: tuple[str, ...], cutoffs: tuple[int, ...], candidates: dict[str, str] | None, sources: Sources,
    answer: Answer, **options: Any,
) -> None:  # fmt: skip
    """Recall of approximate search against exact search."""
    if len(paths) < 2:
        raise InputError.of("searches.no_approximate")
    sources.check_columns(None, paths)
    columns = named_columns(sources.columns) or None

    def read(path: str) -> Any:
        return into_run(path, columns=columns, format=sources.run_format)

    runs = {name: read(path) for name, path in by_system(paths[1:]).items()}
    effort = None
    if candidates:
        try:
            effort = {name: float(number) for name, number in candidates.items()}
        except ValueError:
            raise InputError.of("searches.not_effort", given=dict(candidates)) from None
    answer.give(measured_recall(read(paths[0]), runs, cutoffs, candidates=effort, **options))
