"""``rankmeter pool``: the unjudged items that are most worth judging."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import click

from rankmeter.cli.options import columns_for, parse_columns, system_names
from rankmeter.cli.talk import echo, examples, say, silence_notes
from rankmeter.errors import InputError, with_hint
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.whole_files import check_apart, check_writable, write_text


@click.command(
    epilog=examples(
        "rankmeter pool judgments.qrels keyword.run hybrid.run > to_judge.csv",
        "rankmeter pool judgments.qrels keyword.run hybrid.run --depth 20 --budget 500 --by weight --output judge.csv",
    )
)
@click.argument("paths", nargs=-1, metavar="JUDGMENTS RUN...")
@click.option(
    "--depth", type=click.IntRange(1), default=10, show_default=True, help="How far down each list is looked at."
)
@click.option("--budget", type=click.IntRange(1), help="How many items can be judged. Default: list all.")
@click.option(
    "--by", type=click.Choice(["difference", "weight"]),
    help="difference: what could move two systems apart (default for several runs). weight: what could move all.",
)  # fmt: skip
@click.option("--columns", metavar="ROLE=NAME,...", help="Unusual column names: item=docid_x,query=uid.")
@click.option("--judgments-format", metavar="FORMAT", help="trec, csv, tsv, json, jsonl, parquet, ipc ...")
@click.option("--run-format", metavar="FORMAT", help="The same for the runs. Default for both: told from the content.")
@click.option("--format", "format_", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file, whole or not at all.")
@click.option("-q", "--quiet", is_flag=True, help="Only the list, no talk.")
def command(
    paths: tuple[str, ...],
    depth: int,
    budget: int | None,
    by: Literal["difference", "weight"] | None,
    columns: str | None,
    judgments_format: str | None,
    run_format: str | None,
    format_: str,
    output: Path | None,
    quiet: bool,
) -> None:
    """List the unjudged items of the RUNs that are most worth judging, best first.

    CSV has the columns query, item, grade (empty: to be filled in), priority, best_rank, systems. Filled in, the
    file is judgments that rankmeter reads.
    """
    if len(paths) < 2:
        raise InputError(with_hint("judgments and at least one run are needed.", "rankmeter pool JUDGMENTS RUN..."))
    if output is not None:
        check_apart({"--output": output}, paths)
        check_writable(output)
    if quiet:
        silence_notes()
    from rankmeter.comparing.pooling import pool
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
    every = pool(truth, runs, depth=depth, by=by)
    listed = every if budget is None else every.head(budget)
    if format_ == "csv":
        import polars as pl

        wanted = ("query", "item", pl.lit("").alias("grade"), "priority", "best_rank", "systems")
        text = frame_csv(listed.select(*wanted))
    else:
        text = json.dumps(listed.to_dicts(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        echo(text)
    else:
        write_text(output, text)
    if not quiet:
        where = f"written to {output}: " if output else ""
        share = f"{len(listed):,} of " if len(listed) < len(every) else ""
        items = f"{len(every):,} unjudged item{'s' * (len(every) != 1)}"
        lists = f"the first {depth} of {len(runs)} run{'s' * (len(runs) != 1)}"
        say(f"{where}{share}{items} in {lists}, most worth judging first")
