"""``rankmeter interleave``: make lists of two rankings, and score what people clicked in them."""

from __future__ import annotations

from typing import Any

import click

from rankmeter.cli.bilingual import BilingualGroup, language_option
from rankmeter.cli.options import Answer, Delivery, columns_option, level_option, pairs, seed_option
from rankmeter.cli.parameters import Command, Count, Reads, takes
from rankmeter.cli.talk import examples, say
from rankmeter.inputs.cells import frame_csv
from rankmeter.wording import Language, word


@click.group(
    "interleave",
    cls=BilingualGroup,
    epilog=examples(
        "rankmeter interleave make keyword.run hybrid.run --length 10 > lists.csv",
        "rankmeter interleave score clicks.csv",
    ),
)
def command() -> None:
    """Compare two rankings inside one list: make the lists, then score the clicks."""


@command.command(
    "make",
    cls=Command,
    short_help="Make interleaved lists from two runs.",
    epilog=examples(
        "rankmeter interleave make keyword.run hybrid.run --length 10 > lists.csv",
        "rankmeter interleave make a.parquet b.parquet --seed 7 --output lists.csv",
    ),
)
@click.argument("a", type=Reads(), metavar="A")
@click.argument("b", type=Reads(), metavar="B")
@click.option("--length", type=Count(), help="Length of the lists. Default: that of the longer ranking.")
@click.option(
    "--versions", type=click.IntRange(1, 1000), metavar="NUMBER", default=2, show_default=True,
    help="How many lists to make for each query, each with its mirror image; draw one for every request.",
)  # fmt: skip
@seed_option
@language_option
@takes(delivery=Delivery)
def make(a: str, b: str, length: int | None, versions: int, seed: int, lang: Language, delivery: Delivery) -> None:
    """Interleave the runs A and B by team draft: a row per query, version and position with its item and team.

    Draw a version for every request, show its list, and log with every click the team of the clicked item and the
    version. Items without a team fill the list when one ranking has nothing left to pick: their clicks count for
    neither. With --versions 1 everybody sees the same list of a query: then log the query, which has the vote. Queries
    that only one run has are left out.
    """
    from rankmeter.online.interleaving import interleave_runs

    lists, left_out = interleave_runs(a, b, length=length, seed=seed, versions=versions)
    if not delivery.quiet and left_out:
        say(word("queries_of_one_run", lang, count=left_out))
    delivery.deliver(frame_csv(lists))


@command.command(
    "score",
    cls=Command,
    short_help="Say which ranking people prefer, from their clicks.",
    epilog=examples(
        "rankmeter interleave score clicks.csv",
        "rankmeter interleave score clicks.parquet --columns user=visitor,request=search_id --format json",
    ),
)
@click.argument("clicks", type=Reads(), metavar="CLICKS")
@level_option
@columns_option(": team=winner")
@click.option(
    "--unit", type=click.Choice(["auto", "user", "query"]), default="auto", show_default=True,
    help="Who has one vote: users, or queries if one list was made for each. auto: inferred from the columns.",
)  # fmt: skip
@takes(answer=Answer)
def score(clicks: str, columns: str | None, answer: Answer, **options: Any) -> None:
    """Say which ranking people prefer, from CLICKS: a row per click with user, request and team (A or B).

    A list without a click has one row without a team. Users are compared, not lists: a sign test with one vote per
    user; queries have the votes if the log has a query and no version that was drawn for the request. Clicks with a
    credit (optimised lists) are compared by the mean credit of a user.
    """
    from rankmeter.online.interleaving import score_interleaving

    answer.tell(score_interleaving(clicks, columns=pairs("--columns", columns), **options))
