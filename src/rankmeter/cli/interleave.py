"""``rankmeter interleave``: make lists of two rankings, and score what people clicked in them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from rankmeter.cli.options import pairs
from rankmeter.cli.talk import echo, examples, say, tell
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.whole_files import check_writable, write_text


@click.group(
    "interleave",
    epilog=examples(
        "rankmeter interleave make keyword.run hybrid.run --length 10 > lists.csv",
        "rankmeter interleave score clicks.csv",
    ),
)
def command() -> None:
    """Compare two rankings inside one list: make the lists, then score the clicks."""


@command.command(
    "make",
    epilog=examples(
        "rankmeter interleave make keyword.run hybrid.run --length 10 > lists.csv",
        "rankmeter interleave make a.parquet b.parquet --seed 7 --output lists.csv",
    ),
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--length", type=click.IntRange(1), help="Of a list at most. Default: the longer of the two rankings.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the coins; a query has coins of its own.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file, whole or not at all.")
@click.option("-q", "--quiet", is_flag=True, help="Only the lists, no talk.")
def make(a: str, b: str, length: int | None, seed: int, output: Path | None, quiet: bool) -> None:
    """Interleave the runs A and B by team draft: a row per query and position with its item and team.

    Show the lists, and log with every click the team of the clicked item. A query that only one run has is left out.
    """
    from rankmeter.online.interleaving import interleave_runs

    if output is not None:
        check_writable(output)
    made, left_out = interleave_runs(a, b, length=length, seed=seed)
    text = frame_csv(made)
    if not quiet and left_out:
        say(f"{left_out:,} queries are in one run only; they are left out.")
    if output is not None:
        write_text(output, text)
    else:
        echo(text)


@command.command(
    "score",
    epilog=examples(
        "rankmeter interleave score clicks.csv",
        "rankmeter interleave score clicks.parquet --columns user=visitor,request=search_id --format json",
    ),
)
@click.argument("clicks", metavar="CLICKS")
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the interval and the verdict.")
@click.option("--columns", metavar="ROLE=NAME,...", help="Where columns have other names: team=winner.")
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write the numbers to this file, whole or not at all.")
@click.option("-q", "--quiet", is_flag=True, help="Only the numbers, no talk.")
def score(
    clicks: str, level: float, columns: str | None, format_: Literal["table", "json"], output: Path | None, quiet: bool
) -> None:
    """Tell which ranking people prefer, from CLICKS: a row per click with user, request and team (A or B).

    A list without a click has one row without a team. Users are compared, not lists: a sign test with one vote a user.
    """
    from rankmeter.online.interleaving import score_interleaving
    from rankmeter.report.tables import Cell, Table, to_text

    if output is not None:
        check_writable(output)
    found = score_interleaving(clicks, columns=pairs("--columns", columns), level=level)
    if format_ == "json":
        text = found.to_json() + "\n"
    else:
        rows = [("A", found.users_a, found.lists_a), ("B", found.users_b, found.lists_b),
                ("neither", found.ties, found.tied_lists)]  # fmt: skip
        cells = tuple((Cell(name), Cell(f"{users:,}"), Cell(f"{lists:,}")) for name, users, lists in rows)
        text = to_text(Table(("preferred", "users", "lists"), cells, 1)) + "\n"
    if not quiet:
        tell([repr(found)])
    if output is not None:
        write_text(output, text)
    else:
        echo(text)
