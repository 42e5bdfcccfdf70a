"""``rankmeter explain``: what a measure means."""

from __future__ import annotations

import json
import sys
from shutil import get_terminal_size
from typing import Literal

import click

from rankmeter.cli.showing import echo
from rankmeter.cli.talk import examples
from rankmeter.definitions import explain_measure
from rankmeter.errors import MeasureError, with_hint
from rankmeter.measures import parse_measures
from rankmeter.measures.prose import LANGUAGES, Language

WIDEST = 100
"""Columns beyond which lines are hard to read."""


@click.command(
    "explain",
    epilog=examples(
        "rankmeter explain nDCG@10",
        "rankmeter explain 'AP(norm=capped)@100' --format markdown > ap.md",
        "rankmeter explain MRR --lang zh",
    ),
)
@click.argument("measure")
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="English or Chinese.")
@click.option("--format", "format_", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True)
def command(measure: str, lang: Language, format_: Literal["text", "markdown", "json"]) -> None:
    """Say what MEASURE means: its formula, every convention with its value, when to use it and how it misleads.

    MEASURE may have any name that people use (MRR, ndcg_cut_10) and any options.
    """
    meant = parse_measures(measure)
    if len(meant) > 1:
        raise MeasureError(
            with_hint(f"'{measure}' is {len(meant)} measures.", f"one at a time: rankmeter explain '{meant[0]}'")
        )
    told = explain_measure(meant[0], language=lang)
    if format_ == "json":
        echo(json.dumps(told.to_dict(), indent=2, ensure_ascii=False))
    elif format_ == "markdown":
        echo(told.to_markdown())
    else:
        width = min(get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else WIDEST
        echo(told.to_text(width=width))
