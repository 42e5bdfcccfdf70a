"""``rankmeter counterfactual``: what another policy would have earned, from the log of the one that ran."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rankmeter.cli.options import pairs
from rankmeter.cli.talk import echo, examples, tell
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.report.tables import Cell, Table, to_text
from rankmeter.whole_files import check_writable, write_text
from rankmeter.wording import exact_percent

if TYPE_CHECKING:
    from rankmeter.online.inference import Estimate


@click.command(
    "counterfactual",
    epilog=examples(
        "rankmeter counterfactual choices.csv",
        "rankmeter counterfactual choices.parquet --columns logged=propensity,target=p_new --clip 10",
        "rankmeter counterfactual slates.csv --model cascade --format json > value.json",
    ),
)
@click.argument("log", metavar="LOG")
@click.option(
    "--model", type=click.Choice(["single", "item-position", "cascade", "standard"]), default="single",
    show_default=True, help="One choice a row, or how users read a slate of several rows.",
)  # fmt: skip
@click.option("--clip", type=float, help="The largest weight of clipped IPS.")
@click.option("--switch", type=float, help="The largest weight of switch DR; above it the model alone speaks.")
@click.option("--shrink", type=float, help="Of shrunk DR: 0 is the model alone, infinity is DR.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--columns", metavar="ROLE=NAME,...", help="Where columns have other names: logged=propensity.")
@click.option("--format", "format_", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write the numbers to this file, whole or not at all.")
@click.option("-q", "--quiet", is_flag=True, help="Only the numbers, no talk.")
def command(
    log: str,
    model: Literal["single", "item-position", "cascade", "standard"],
    clip: float | None,
    switch: float | None,
    shrink: float | None,
    level: float,
    columns: str | None,
    format_: Literal["table", "json", "csv"],
    output: Path | None,
    quiet: bool,
) -> None:
    """Estimate what another policy would have earned, from a LOG of choices made with known probabilities.

    A row per choice: reward, logged (the probability with which it was made), target (with which the new policy would
    have made it); with a model of rewards also predicted and expected; user where rows of one user belong together. For
    slates a row per position, with request and position. The effective sample size and the verdict go to standard
    error; below an effective sample size of 100 no winner is named.
    """
    from rankmeter.online.logged import off_policy_log

    if output is not None:
        check_writable(output)
    found = off_policy_log(log, model=model, columns=pairs("--columns", columns), clip=clip, switch=switch,
                           shrink=shrink, level=level)  # fmt: skip
    if format_ == "json":
        text = found.to_json() + "\n"
    elif format_ == "csv":
        text = frame_csv(found.to_polars())
    else:
        head = ("estimator", "value", f"{exact_percent(level)} interval")
        named = {"logged": found.logged, **found.estimates, "gain": found.gain}
        rows = [(Cell(name), *map(Cell, _value_and_interval(one))) for name, one in named.items()]
        text = to_text(Table(head, tuple(rows), 1)) + "\n"
    if not quiet:
        tell([found.weights.sentence, *found.reasons, f"the new policy against the logged one: {found.verdict}"])
    if output is not None:
        write_text(output, text)
    else:
        echo(text)


def _value_and_interval(one: Estimate) -> tuple[str, str]:
    """As people read them; what is not there is said."""
    value = "no data" if math.isnan(one.value) else f"{one.value:.4f}"
    return value, "no data" if math.isnan(one.low) else f"[{one.low:.4f}, {one.high:.4f}]"
