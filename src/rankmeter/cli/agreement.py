"""``rankmeter agreement``: which offline measure foretold what happened online."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import Answer, level_option, seed_option
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples


@click.command(
    "agreement",
    cls=Command,
    epilog=examples(
        "rankmeter agreement past.csv --offline nDCG@10 --offline RR --offline R@100",
        "rankmeter agreement past.csv --online 'CTR(per=request)' --offline nDCG@10 --format json",
    ),
)
@click.argument("past", type=Reads(), metavar="PAST")
@click.option(
    "--offline", "measures", multiple=True, required=True, metavar="COLUMN",
    help="Column of an offline difference; name every measure that was ever tried, as the correction counts them.",
)  # fmt: skip
@click.option(
    "--online", default="online", show_default=True, metavar="COLUMN", help="Column of the online difference."
)
@level_option
@seed_option
@takes(answer=Answer)
def command(past: str, measures: tuple[str, ...], answer: Answer, **options: Any) -> None:
    """Find the offline measure that predicted the outcome of PAST experiments best.

    PAST is a table with a row per experiment. Its columns are the online difference (with <name>_low and <name>_high
    where the interval is known) and the offline difference under each measure. The verdict goes to standard error.
    """
    from rankmeter.online import predictors

    answer.tell(predictors(past, list(measures), **options))
