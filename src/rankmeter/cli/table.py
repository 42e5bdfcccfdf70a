"""``rankmeter table``: one table of items under two definitions."""

from __future__ import annotations

import click

from rankmeter.cli.options import TextAnswer
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
@click.option("--id", "id_", required=True, help="The column that tells items apart.")
@click.option("--group", required=True, help="The column that says to which group an item belongs.")
@click.option(
    "--score", "scores", required=True, multiple=True, help="A column to rank by; may be given several times."
)
@click.option("--truth", required=True, help="The column whose highest value in a group is the best item there.")
@click.option("-m", "--measure", "measures", multiple=True, default=("RR",), show_default=True, help="A measure.")
@takes(answer=TextAnswer)
def command(
    items: str,
    id_: str,
    group: str,
    scores: tuple[str, ...],
    truth: str,
    measures: tuple[str, ...],
    answer: TextAnswer,
) -> None:
    """Rank the rows of ITEMS by each score and measure every group twice: within the group, and over the whole list.

    Within the group its own items are ranked, and the one with the highest --truth is relevant. Over the whole list all
    items are ranked, and every item of the group is relevant. Under the table stands why the two differ.
    """
    from rankmeter.definitions.score_tables import score_table

    made = score_table(items, id=id_, group=group, score=scores, truth=truth, measures=list(measures))
    answer.give(made)
    tell(definition_talk(into_measures(measures), answer.lang))
