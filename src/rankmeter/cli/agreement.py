"""``rankmeter agreement``: which offline measure foretold what happened online."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from rankmeter.cli.talk import echo, examples, tell
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.report.tables import Cell, Table, to_text
from rankmeter.whole_files import check_writable, write_text


@click.command(
    "agreement",
    epilog=examples(
        "rankmeter agreement past.csv --offline nDCG@10 --offline RR --offline R@100",
        "rankmeter agreement past.csv --online 'CTR(per=request)' --offline nDCG@10 --format json",
    ),
)
@click.argument("past", metavar="PAST")
@click.option(
    "--offline", "measures", multiple=True, required=True, metavar="COLUMN",
    help="The column of an offline difference; name every measure that was ever tried, the correction counts them.",
)  # fmt: skip
@click.option("--online", default="online", show_default=True, metavar="COLUMN", help="The online difference.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the permutations.")
@click.option("--format", "format_", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write the numbers to this file, whole or not at all.")
def command(
    past: str,
    measures: tuple[str, ...],
    online: str,
    level: float,
    seed: int,
    format_: Literal["table", "json", "csv"],
    output: Path | None,
) -> None:
    """Tell which offline measure foretold the outcome of PAST experiments: a table with a row per experiment.

    Its columns are the online difference (with <name>_low and <name>_high where the interval is known) and the offline
    difference under each measure. The verdict goes to standard error.
    """
    from rankmeter.online import predictors
    from rankmeter.online.telling import brief

    if output is not None:
        check_writable(output)
    found = predictors(past, list(measures), online=online, level=level, seed=seed)
    if format_ == "json":
        text = found.to_json() + "\n"
    elif format_ == "csv":
        text = frame_csv(found.to_polars())
    else:
        head = ("measure", "same sign", "rank correlation", "p, holm")
        rows = [
            (
                Cell(one.measure),
                Cell(one.sign),
                Cell(one.rank),
                Cell(brief(one.p_corrected)),
            )
            for one in found.predictors
        ]
        text = to_text(Table(head, tuple(rows), 1)) + "\n"
    tell(found.sentences())
    if output is not None:
        write_text(output, text)
    else:
        echo(text)
