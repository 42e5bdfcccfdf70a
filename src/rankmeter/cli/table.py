"""``rankmeter table``: one table of items under two definitions."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.options import TextAnswer, measure_option
from rankmeter.cli.output import definition_talk
from rankmeter.cli.parameters import Command, Reads, takes
from rankmeter.cli.talk import examples, tell
from rankmeter.measures import into_measures


@click.command(
    "table",
    cls=Command,
    epilog=examples(
        "rankmeter table spots.csv --id SpotID --group theme --truth Check "
        "--score weighted_sentiment_score --score normalized_sentiment_score",
        "rankmeter table items.parquet --id sku --group shelf --score model --truth sales -m RR -m nDCG@10",
        "rankmeter table spots.csv --id SpotID --group theme --score weighted_sentiment_score --truth Check --lang zh",
    ),
)
@click.argument("items", type=Reads())
@click.option("--id", required=True, metavar="COLUMN", help="Column with the ids of the items.")
@click.option("--group", required=True, metavar="COLUMN", help="Column with the group of each item.")
@click.option("--score", required=True, multiple=True, metavar="COLUMN", help="Column to rank by; repeatable.")
@click.option(
    "--truth", required=True, metavar="COLUMN", help="Column whose highest value in a group marks its best item."
)
@measure_option("A measure, or several.", default=("RR",), show_default=True)
@takes(answer=TextAnswer)
def command(items: str, measures: tuple[str, ...], answer: TextAnswer, **columns: Any) -> None:
    """Rank the rows of ITEMS by each score and measure every group twice: within the group, and over the whole list.

    Within the group its own items are ranked, and the one with the highest --truth is relevant. Over the whole list all
    items are ranked, and every item of the group is relevant. The text below the table says why the two differ.
    """
    from rankmeter.definitions.score_tables import score_table

    answer.give(score_table(items, measures=list(measures), **columns))
    tell(definition_talk(into_measures(measures), answer.lang))
