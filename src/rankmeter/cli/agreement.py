"""``rankmeter agreement``: which offline measure foretold what happened online."""

from __future__ import annotations

from typing import Literal

import click

from rankmeter.cli.options import Delivery, format_option, level_option, seed_option
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples, tell
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.showing.document import text_table
from rankmeter.showing.terminal import table_text


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
    help="The column of an offline difference; name every measure that was ever tried, the correction counts them.",
)  # fmt: skip
@click.option("--online", default="online", show_default=True, metavar="COLUMN", help="The online difference.")
@level_option
@seed_option
@format_option("table", "json", "csv", default="table")
@takes(delivery=Delivery)
def command(
    past: str,
    measures: tuple[str, ...],
    online: str,
    level: float,
    seed: int,
    format_: Literal["table", "json", "csv"],
    delivery: Delivery,
) -> None:
    """Tell which offline measure foretold the outcome of PAST experiments: a table with a row per experiment.

    Its columns are the online difference (with <name>_low and <name>_high where the interval is known) and the offline
    difference under each measure. The verdict goes to standard error.
    """
    from rankmeter.online import predictors
    from rankmeter.online.phrases import brief

    agreement = predictors(past, list(measures), online=online, level=level, seed=seed)
    if not delivery.quiet:
        tell(agreement.sentences())
    if format_ == "json":
        delivery.deliver(agreement.to_json() + "\n")
    elif format_ == "csv":
        delivery.deliver(frame_csv(agreement.to_polars()))
    else:
        head = ("measure", "same sign", "rank correlation", "p, holm")
        rows = [
            (predictor.measure, predictor.sign, predictor.rank, brief(predictor.p_corrected))
            for predictor in agreement.predictors
        ]
        delivery.deliver(table_text(text_table(head, rows, ("text", "number", "number", "number"))) + "\n")
