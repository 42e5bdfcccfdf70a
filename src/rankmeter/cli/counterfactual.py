"""``rankmeter counterfactual``: what another policy would have earned, from the log of the one that ran."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import Answer, columns_option, level_option, pairs
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples


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
    show_default=True, help="Whether a row is a single choice, or how users read a slate of several rows.",
)  # fmt: skip
@click.option("--clip", type=float, help="Largest weight of clipped IPS.")
@click.option("--switch", type=float, help="Largest weight of switch DR; above it only the model is used.")
@click.option("--shrink", type=float, help="Shrinkage of shrunk DR: 0 is the model alone, infinity is DR.")
@level_option
@columns_option(": logged=propensity")
@takes(answer=Answer)
def command(log: str, columns: str | None, answer: Answer, **options: Any) -> None:
    """Estimate what another policy would have earned, from a LOG of choices made with known probabilities.

    The log has a row per choice: reward, logged (the probability with which it was made), target (with which the new
    policy would have made it); with a model of rewards also predicted and expected; user where rows of one user belong
    together. For slates it has a row per position, with request and position. The effective sample size and the verdict
    go to standard error; below an effective sample size of 100 no winner is named.
    """
    from rankmeter.online.choice_log import off_policy_log

    answer.tell(off_policy_log(log, columns=pairs("--columns", columns), **options))
