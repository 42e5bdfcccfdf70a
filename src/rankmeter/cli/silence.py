"""``rankmeter silence``: queries without a right answer, and what a cut of the scores would do."""

from __future__ import annotations

import click

from rankmeter.cli.options import Answer, Sources, level_option
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter silence judgments.qrels model.run",
        "rankmeter silence judgments.qrels model.run -m nDCG@10 --cut 0.35 --cut 0.55 --format csv",
        "rankmeter silence judgments.qrels model.run --output silence.html --lang zh",
    ),
)
@click.argument("judgments", type=Reads(), metavar="JUDGMENTS")
@click.argument("run", type=Reads(), metavar="RUN")
@click.option(
    "-m", "--measure", default="Success@1", show_default=True, metavar="MEASURE",
    help="Ranked measure with values in 0..1.",
)  # fmt: skip
@click.option(
    "--cut", "cuts", type=float, multiple=True, metavar="SCORE",
    help="Return only items with at least this score. Default: try quantiles of the best scores.",
)  # fmt: skip
@takes(sources=Sources)
@level_option
@takes(answer=Answer)
def command(
    judgments: str,
    run: str,
    measure: str,
    cuts: tuple[float, ...],
    sources: Sources,
    level: float,
    answer: Answer,
) -> None:
    """Say how a RUN deals with queries that have no right answer: false returns, false silence, and where to cut.

    A query without a relevant item in JUDGMENTS is unanswerable; silence is the right answer there.
    """
    from rankmeter.judging.abstention import silence

    (returned,) = sources.runs([run]).values()
    answer.give(silence(sources.judgments(judgments), returned, measure, cuts=cuts or None, level=level))
