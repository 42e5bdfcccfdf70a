"""``rankmeter draw``: what people judge, drawn with known chances that are recorded."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.bilingual import language_option
from rankmeter.cli.options import Delivery, Sources, csv_or_json, seed_option
from rankmeter.cli.parameters import Command, Count, Reads, takes
from rankmeter.cli.talk import examples, say
from rankmeter.errors import InputError
from rankmeter.wording import Language, word


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
@click.option("--queries", type=Count(), help="How many whole queries people will have judged.")
@click.option("--items", type=Count(), help="How many single items people will judge, on average.")
@click.option(
    "--among", type=click.Choice(["all", "differing"]), default="all", show_default=True,
    help="differing: draw only queries on which the runs differ, which estimates only the difference between the runs.",
)  # fmt: skip
@click.option(
    "-m", "--measure", default="DCG@10", show_default=True, metavar="MEASURE",
    help="Measure to be estimated, for --items and --among differing.",
)  # fmt: skip
@click.option(
    "--judged", type=Reads(), metavar="FILE",
    help="Earlier human judgments: whole queries are kept; single items tell how often the machine is wrong.",
)  # fmt: skip
@takes(sources=Sources)
@seed_option
@language_option
@csv_or_json
@takes(delivery=Delivery)
def command(
    paths: tuple[str, ...],
    judged: str | None,
    sources: Sources,
    seed: int,
    lang: Language,
    format_: str,
    delivery: Delivery,
    **options: Any,
) -> None:
    """Draw a sample for people to judge from what the MACHINE judged, and record the chances.

    CSV has the columns query, item, grade (empty: to be filled in) and query_chance or item_chance. Filled in, the file
    goes to `rankmeter evaluate FILE RUN --assisted-by MACHINE`. The same seed draws the same sample.
    """
    from rankmeter.judging.draws import draw

    if not paths:
        raise InputError.of("judging.nothing_to_draw")
    before = None if judged is None else sources.judgments(judged)
    drawn = draw(sources.judgments(paths[0]), sources.runs(paths[1:]), judged=before, seed=seed, **options)
    delivery.deliver_frame(drawn, format_)
    delivery.say_where(lang)
    if not delivery.quiet:
        to_judge = drawn["query"].filter(drawn["grade"].is_null())
        say(word("drawn", lang, pairs=len(to_judge), queries=to_judge.n_unique(), seed=seed))
