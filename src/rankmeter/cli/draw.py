"""``rankmeter draw``: what people judge, drawn with known chances that are recorded."""

from __future__ import annotations

import json
from typing import Literal

import click

from rankmeter.cli.options import Delivery, Sources, format_option, seed_option
from rankmeter.cli.parameters import MOST, Command, Reads, takes
from rankmeter.cli.talk import examples, language_option, say
from rankmeter.errors import InputError
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.wording import Language, word

Among = Literal["all", "differing"]
"""As of judging/draws.py, which takes long to load."""


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter draw machine.qrels --queries 50 --seed 7 --output to_judge.csv",
        "rankmeter draw machine.qrels --queries 80 --judged judged.csv --seed 8 --output to_judge.csv",
        "rankmeter draw machine.qrels old.run new.run --queries 50 --among differing -m nDCG@10 --output to_judge.csv",
        "rankmeter draw machine.qrels old.run new.run --items 300 -m DCG@10 --output to_judge.csv",
    ),
)
@click.argument("paths", nargs=-1, type=Reads(), metavar="MACHINE [RUN...]")
@click.option("--queries", type=click.IntRange(1, MOST), help="How many whole queries people will have judged.")
@click.option("--items", type=click.IntRange(1, MOST), help="How many single items people will judge, on average.")
@click.option(
    "--among", type=click.Choice(["all", "differing"]), default="all", show_default=True,
    help="Of whole queries: those on which the lists of the runs differ, which tells only how far apart the runs are.",
)  # fmt: skip
@click.option(
    "-m", "--measure", default="DCG@10", show_default=True,
    help="For single items, and for lists that differ: the measure to be estimated.",
)  # fmt: skip
@click.option(
    "--judged", type=Reads(), metavar="FILE",
    help="What people judged before: whole queries are kept; of items it tells how often the machine is wrong.",
)  # fmt: skip
@takes(sources=Sources)
@seed_option
@language_option
@format_option("csv", "json", default="csv")
@takes(delivery=Delivery)
def command(
    paths: tuple[str, ...],
    queries: int | None,
    items: int | None,
    among: Among,
    measure: str,
    judged: str | None,
    sources: Sources,
    seed: int,
    lang: Language,
    format_: str,
    delivery: Delivery,
) -> None:
    """Draw what people judge from what the MACHINE judged, and record with which chance.

    CSV has the columns query, item, grade (empty: to be filled in) and query_chance or item_chance. Filled in, the file
    goes to `rankmeter evaluate FILE RUN --assisted-by MACHINE`. The same seed draws the same.
    """
    from rankmeter.judging.draws import draw

    if not paths:
        raise InputError.of("judging.nothing_to_draw")
    drawn = draw(
        sources.judgments(paths[0]), sources.runs(paths[1:]), queries=queries, items=items, among=among,
        measure=measure, seed=seed,
        judged=None if judged is None else sources.judgments(judged),
    )  # fmt: skip
    if format_ == "json":
        delivery.deliver(json.dumps(drawn.to_dicts(), indent=2, ensure_ascii=False) + "\n")
    else:
        delivery.deliver(frame_csv(drawn))
    delivery.say_where(lang)
    if not delivery.quiet:
        to_judge = drawn["query"].filter(drawn["grade"].is_null())
        say(word("drawn", lang, pairs=len(to_judge), queries=to_judge.n_unique(), seed=seed))
