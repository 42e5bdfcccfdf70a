"""``rankmeter counterfactual``: what another policy would have earned, from the log of the one that ran."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import click

from rankmeter.cli.options import Delivery, format_option, level_option, pairs
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples, tell
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.showing.document import text_table
from rankmeter.showing.terminal import table_text
from rankmeter.wording import exact_percent

if TYPE_CHECKING:
    from rankmeter.stats.estimates import Estimate


@click.command(
    "counterfactual",
    cls=Command,
    epilog=examples(
        "rankmeter counterfactual choices.csv",
        "rankmeter counterfactual choices.parquet --columns logged=propensity,target=p_new --clip 10",
        "rankmeter counterfactual slates.csv --model cascade --format json > value.json",
    ),
)
@click.argument("log", type=Reads(), metavar="LOG")
@click.option(
    "--model", type=click.Choice(["single", "item-position", "cascade", "standard"]), default="single",
    show_default=True, help="Whether a row is one choice, or how users read a slate of several rows.",
)  # fmt: skip
@click.option("--clip", type=float, help="Largest weight of clipped IPS.")
@click.option("--switch", type=float, help="Largest weight of switch DR; above it only the model is used.")
@click.option("--shrink", type=float, help="Shrinkage of shrunk DR: 0 is the model alone, infinity is DR.")
@level_option
@click.option("--columns", metavar="ROLE=NAME,...", help="Name columns whose names are unusual: logged=propensity.")
@format_option("table", "json", "csv", default="table")
@takes(delivery=Delivery)
def command(
    log: str,
    model: Literal["single", "item-position", "cascade", "standard"],
    clip: float | None,
    switch: float | None,
    shrink: float | None,
    level: float,
    columns: str | None,
    format_: Literal["table", "json", "csv"],
    delivery: Delivery,
) -> None:
    """Estimate what another policy would have earned, from a LOG of choices made with known probabilities.

    A row per choice: reward, logged (the probability with which it was made), target (with which the new policy would
    have made it); with a model of rewards also predicted and expected; user where rows of one user belong together. For
    slates a row per position, with request and position. The effective sample size and the verdict go to standard
    error; below an effective sample size of 100 no winner is named.
    """
    from rankmeter.online.choice_log import off_policy_log

    named = pairs("--columns", columns)
    policy = off_policy_log(log, model=model, columns=named, clip=clip, switch=switch, shrink=shrink, level=level)
    if not delivery.quiet:
        tell([policy.weights.sentence, *policy.reasons, f"the new policy against the logged one: {policy.verdict}"])
    if format_ == "json":
        delivery.deliver(policy.to_json() + "\n")
    elif format_ == "csv":
        delivery.deliver(frame_csv(policy.to_polars()))
    else:
        head = ("estimator", "value", f"{exact_percent(level)} interval")
        named_estimates = {"logged": policy.logged, **policy.estimates, "gain": policy.gain}
        rows = [(name, *_value_and_interval(one)) for name, one in named_estimates.items()]
        delivery.deliver(table_text(text_table(head, rows, ("text", "number", "number"))) + "\n")


def _value_and_interval(one: Estimate) -> tuple[str, str]:
    """As people read them; what is not there is said."""
    value = "no data" if math.isnan(one.value) else f"{one.value:.4f}"
    return value, "no data" if math.isnan(one.low) else f"[{one.low:.4f}, {one.high:.4f}]"
