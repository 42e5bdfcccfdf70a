"""``rankmeter advise``: which measures and cutoffs fit the data, and why."""

from __future__ import annotations

import json
from typing import Literal

import click

from rankmeter.cli.options import columns_for, parse_columns, system_names
from rankmeter.cli.spelling import as_typed_here
from rankmeter.cli.talk import echo, examples, language_option
from rankmeter.errors import InputError, with_hint
from rankmeter.measures import split_measures
from rankmeter.measures.prose import Language


@click.command(
    epilog=examples(
        "rankmeter advise judgments.qrels",
        "rankmeter advise judgments.qrels keyword.run hybrid.run --for search",
        "rankmeter advise judgments.qrels keyword.run --lang zh",
        "rankmeter advise purchases.csv recommended.csv --for recommendation --format json",
    )
)
@click.argument("paths", nargs=-1, metavar="JUDGMENTS [RUN...]")
@click.option(
    "--for", "purpose", type=click.Choice(["search", "recommendation"]), help="What the lists are for: k = 10 or 20."
)
@click.option("-k", "cutoff", type=click.IntRange(1), help="Another cutoff.")
@click.option("-m", "--measure", "measures", multiple=True, help="Measures to look at beside the recommended ones.")
@click.option("--columns", metavar="ROLE=NAME,...", help="Unusual column names: item=docid_x,query=uid.")
@click.option("--judgments-format", metavar="FORMAT", help="trec, csv, tsv, json, jsonl, parquet, ipc ...")
@click.option("--run-format", metavar="FORMAT", help="The same for the runs. Default for both: told from the content.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything that is drawn at random.")
@language_option
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    paths: tuple[str, ...],
    purpose: Literal["search", "recommendation"] | None,
    cutoff: int | None,
    measures: tuple[str, ...],
    columns: str | None,
    judgments_format: str | None,
    run_format: str | None,
    seed: int,
    lang: Language,
    format_: str,
) -> None:
    """Look at JUDGMENTS, and RUNs if there are any, and say which measures and which k fit, and why.

    With runs it also says which measures say the same, which separate systems best, and which stay the same when half
    of the queries are dropped.
    """
    if not paths:
        raise InputError(with_hint("no judgments were given.", "rankmeter advise JUDGMENTS [RUN...]"))
    from rankmeter.comparing.advice import advise
    from rankmeter.inputs import into_judgments
    from rankmeter.inputs.files import read_run

    for_judgments, for_runs = parse_columns(columns)
    truth = into_judgments(
        paths[0], columns=columns_for(paths[0], judgments_format, for_judgments), format=judgments_format
    )
    runs = {
        name: read_run(path, columns=columns_for(path, run_format, for_runs), format=run_format)
        for name, path in zip(system_names(paths[1:]), paths[1:], strict=True)
    }
    found = advise(
        truth,
        runs,
        purpose=purpose,
        k=cutoff,
        measures=[part for text in measures for part in split_measures(text)] or None,
        seed=seed,
    )
    if format_ == "json":
        echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    else:
        echo(as_typed_here(found.text(lang)))
