"""``rankmeter evaluate``: measure runs against judgments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from rankmeter.cli.options import (
    by_option,
    columns_for,
    history_option,
    no_judgments_option,
    parse_columns,
    system_names,
)
from rankmeter.cli.showing import output_text, print_table, result_talk
from rankmeter.cli.sources import items_and_users
from rankmeter.cli.talk import Progress, echo, examples, say, silence_notes, tell
from rankmeter.cli.writing import format_of
from rankmeter.errors import InputError, MeasureError, with_hint
from rankmeter.inputs.shards import folder_is_one_run
from rankmeter.late import without_matrix_threads
from rankmeter.measures import into_measures
from rankmeter.whole_files import check_apart, check_writable, write_text

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.measures import Measure

OutputFormat = Literal["table", "json", "csv", "markdown", "latex"]
FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR")
LABELLED_MEASURES = {"MAP": "AP", "MRR": "RR", "NDCG": "nDCG(discount=jk,ideal=list)"}
"""The three lines that lists with labels in line are judged by, as coursework and first tutorials define them."""
LABELLED_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Reading:
    """How the files are read and which queries and items count."""

    queries: Literal["judged", "common", "run"] | None
    duplicates: Literal["error", "first", "best", "counted"] | None
    columns: str | None
    judgments_format: str | None
    run_format: str | None
    catalogue: str | None = None
    history: str | None = None
    by: tuple[str, ...] = ()
    dialect: str | None = None
    """Whose metric names the measures are; None for rankmeter's own."""


@dataclass(frozen=True, slots=True)
class Showing:
    """How the numbers are shown and where they go."""

    per_query: bool
    interval: bool
    digits: int | None
    format: OutputFormat | None
    output: Path | None
    save: str | None
    quiet: bool


@click.command(
    "evaluate",
    epilog=examples(
        "rankmeter evaluate judgments.qrels keyword.run",
        "rankmeter evaluate judgments.qrels runs/*.run.gz -m nDCG@5,10,20 -m 'AP(rel=2)' --interval",
        "rankmeter evaluate clicks.csv model.csv -m 'HR@10 MRR@10' --columns query=uid,run.item=docid_x",
        "rankmeter evaluate judgments.qrels keyword.run --per-query --format csv > per-query.csv",
        "zcat keyword.run.gz | rankmeter evaluate judgments.qrels - -m RR@10 --output result.json",
        "rankmeter evaluate test.parquet model.parquet -m 'nDCG@10 Coverage@10 ILD@10 Novelty@10' "
        "--catalogue items.parquet --history train.parquet --by activity --interval",
        "rankmeter evaluate test.csv model.csv -m ILD@10 --catalogue items.csv --columns 'catalogue.features=f*'",
        "rankmeter evaluate --no-judgments keyword.run -m 'Coverage@10 Gini@10' --catalogue items.csv",
        "rankmeter evaluate judgments.parquet 'runs/part-*.parquet' --per-query --output queries.parquet",
        "rankmeter evaluate --labelled list.txt --digits 5",
        "rankmeter evaluate clicks.csv model.csv --dialect recbole -m NDCG@10 -m MAP@10",
    ),
)
@click.argument("paths", nargs=-1, metavar="[JUDGMENTS RUN...]")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="A measure, or several: nDCG@5,10,20 'AP RR'. Default: nDCG@10, AP, RR. `rankmeter measures` lists them.",
)  # fmt: skip
@click.option(
    "--dialect", metavar="TOOL",
    help="Read measures as another tool names and defines them: recbole, trec_eval:9,c ... "
    "`rankmeter dialects` lists the tools.",
)  # fmt: skip
@click.option("--per-query", is_flag=True, help="Show the value of every query.")
@click.option(
    "--interval",
    is_flag=True,
    help="Add 95% confidence intervals (bootstrap over queries); with --by also how far each slice is from the rest.",
)
@click.option(
    "--queries", type=click.Choice(["judged", "common", "run"]),
    help="Whose values are averaged. judged (default): all judged queries, one absent from the run counts as an empty "
    "list. common: those judged and run. run: all of the run.",
)  # fmt: skip
@click.option(
    "--duplicates", type=click.Choice(["error", "first", "best", "counted"]),
    help="What to do with an item that a list holds twice. Default: error.",
)  # fmt: skip
@click.option(
    "--columns", metavar="ROLE=NAME,...",
    help="Where tables have unusual column names: item=docid_x,query=uid. Roles: query, item, score, rank, grade; "
    "run.item= and judgments.item= name one file's only, catalogue.features=f1+f2 (or f*), catalogue.values= and the "
    "like those of --catalogue.",
)  # fmt: skip
@click.option(
    "--catalogue", metavar="FILE",
    help="The items that could be recommended, for measures of lists: a table with an item column and, where measures "
    "ask for them, popularity, categories, features, price, margin, group.",
)  # fmt: skip
@history_option
@by_option
@no_judgments_option
@click.option("--judgments-format", metavar="FORMAT", help="trec, labelled, csv, tsv, json, jsonl, parquet, ipc ...")
@click.option("--run-format", metavar="FORMAT", help="The same for the runs. Default for both: told from the content.")
@click.option(
    "--labelled", metavar="FILE",
    help="Instead of JUDGMENTS and RUN: one file of lines `query Q0 item grade` in ranked order. Without -m three "
    "lines are printed: MAP, MRR and NDCG (discount=jk, ideal=list).",
)  # fmt: skip
@click.option(
    "--digits", type=click.IntRange(0, 17),
    help="Digits after the point. Default: 4; all of them in csv and json; 5 for the three lines of --labelled.",
)  # fmt: skip
@click.option(
    "--format", "format_", type=click.Choice(FORMATS),
    help="Default: table, or what the ending of --output says (.json, .csv, .md, .tex).",
)  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), help="Write the numbers to this file, whole or not at all.")
@click.option(
    "--save", metavar="FILE",
    help="Save everything as Parquet for later (Evaluation.load); of several runs into files: --save '{run}.parquet'.",
)  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Only the numbers, no talk.")
def command(
    paths: tuple[str, ...],
    measures: tuple[str, ...],
    dialect: str | None,
    labelled: str | None,
    per_query: bool,
    interval: bool,
    queries: Literal["judged", "common", "run"] | None,
    duplicates: Literal["error", "first", "best", "counted"] | None,
    columns: str | None,
    catalogue: str | None,
    history: str | None,
    by: tuple[str, ...],
    no_judgments: bool,
    judgments_format: str | None,
    run_format: str | None,
    digits: int | None,
    format_: OutputFormat | None,
    output: Path | None,
    save: str | None,
    quiet: bool,
) -> None:
    """Measure one or more RUNs against JUDGMENTS: truth first.

    Files are TREC text, CSV, TSV, JSON, JSON lines, Parquet or Arrow IPC, compressed or not; `-` is standard input.
    A folder or a pattern in quotes ('part-*.parquet') is one run in many files. Files may be larger than memory.
    Several runs make one table; on a terminal, in Markdown and in LaTeX the best value of each measure is bold. The
    numbers go to standard output; what they are about, what ties can do to them and how they are defined, to standard
    error.
    """
    reading = Reading(queries, duplicates, columns, judgments_format, run_format, catalogue, history, by, dialect)
    showing = Showing(per_query, interval, digits, format_, output, save, quiet)
    if catalogue is None and not interval:
        without_matrix_threads()
    if quiet:
        silence_notes()
    if labelled is not None:
        _evaluate_labelled(paths, labelled, measures, reading, showing)
        return
    check_paths(paths, runs_only=no_judgments)
    judgments, runs = (None, paths) if no_judgments else (paths[0], paths[1:])
    names = system_names(runs)
    asked = _in_dialect(measures, dialect, quiet) if dialect else into_measures(measures or DEFAULT_MEASURES)
    showing = _checked(showing, names, paths)
    if output is not None and output.suffix.lower() == ".parquet":
        _evaluate_to_parquet(judgments, runs, names, asked, reading, showing)
        return
    _show(evaluate_files(judgments, runs, names, asked, reading), showing)


def _in_dialect(measures: Sequence[str], dialect: str, quiet: bool) -> Sequence[str]:
    """Say what each metric of a tool is, and refuse what it does not have before anything is read."""
    from rankmeter.measures.dialects import find_dialect

    spoken = find_dialect(dialect)
    if not measures:
        some = " ".join(f"-m {spoken.spell(metric, 10)}" for metric in spoken.metrics[:3])
        raise MeasureError(with_hint(f"no metric of {spoken} was asked for.", f"--dialect {spoken} {some}"))
    meant = {text: measure for one in measures for text, measure in spoken.measures(one).items()}
    if not quiet:
        tell([f"{spoken}: {text} is {measure}" for text, measure in meant.items()])
    return measures


def check_paths(paths: Sequence[str], *, runs_only: bool) -> None:
    """Refuse what is no judgments and runs, or no runs where there are no judgments."""
    usage = "rankmeter evaluate JUDGMENTS RUN..., or --labelled FILE"
    if not paths:
        raise InputError(with_hint("neither judgments nor a run was given.", usage))
    if len(paths) == 1 and not runs_only:
        raise InputError(
            with_hint(
                f"no run was given, only {paths[0]}.",
                f"truth first, then what is measured: {usage}; --no-judgments where only lists are measured",
            )
        )
    if paths.count("-") > 1:
        raise InputError(with_hint("'-' was given more than once.", "standard input can be read only once"))


def evaluate_files(
    judgments: str | None,
    runs: Sequence[str],
    names: Sequence[str],
    measures: Sequence[Measure | str],
    reading: Reading,
    per_query_to: Path | None = None,
) -> list[Evaluation]:
    """Evaluate every run; the judgments are read once."""
    from rankmeter.evaluating.evaluation import evaluate
    from rankmeter.inputs import into_judgments, into_run

    for_judgments, for_runs = parse_columns(reading.columns)
    truth = None
    if judgments is not None:
        truth = into_judgments(
            judgments,
            columns=columns_for(judgments, reading.judgments_format, for_judgments),
            format=reading.judgments_format,
        )
    about: dict[str, Any] = {"by": list(reading.by) or None}
    about |= items_and_users(reading.catalogue, reading.history, reading.columns)
    evaluations = []
    with Progress(len(runs)) as progress:
        for path, name in zip(runs, names, strict=True):
            progress.show(name)
            run = into_run(
                path,
                columns=columns_for(path, reading.run_format, for_runs),
                format=reading.run_format,
                progress=partial(progress.read, name),
            )
            with folder_is_one_run(path):
                evaluations.append(
                    evaluate(
                        truth,
                        run,
                        measures,
                        queries=reading.queries,
                        duplicates=reading.duplicates,
                        dialect=reading.dialect,
                        name=name,
                        **about,
                        per_query_to=per_query_to,
                    )
                )
            progress.advance()
    return evaluations


def _evaluate_to_parquet(
    judgments: str | None,
    runs: Sequence[str],
    names: Sequence[str],
    measures: Sequence[Measure | str],
    reading: Reading,
    showing: Showing,
) -> None:
    """Write the values per query to a file while the run is read, and show the rest."""
    place = showing.output
    if not showing.per_query or len(names) > 1 or showing.format is not None:
        fact = f"--output {place}: Parquet holds the values per query of one run."
        raise InputError(with_hint(fact, f"rankmeter evaluate JUDGMENTS RUN --per-query --output {place}"))
    found = evaluate_files(judgments, runs, names, measures, reading, place)
    _show(found, replace(showing, per_query=False, output=None))
    if not showing.quiet:
        say(f"values per query written to {place}")


def _evaluate_labelled(
    paths: Sequence[str], labelled: str, measures: Sequence[str], reading: Reading, showing: Showing
) -> None:
    if paths:
        fact = f"--labelled {labelled} carries its own judgments, but {', '.join(paths)} was given too."
        raise InputError(with_hint(fact, "rankmeter evaluate --labelled FILE"))
    if reading.catalogue or reading.history or reading.by:
        raise InputError("--labelled lists name no users and no items: --catalogue, --history and --by need a run.")
    if reading.columns or reading.run_format or reading.judgments_format:
        raise InputError("--labelled reads lines of `query Q0 item grade`: it has no columns and no other format.")
    names = system_names([labelled])
    asked: Sequence[Measure | str] = into_measures(measures or list(LABELLED_MEASURES.values()))
    if reading.dialect:
        asked = _in_dialect(measures, reading.dialect, showing.quiet)
    showing = _checked(showing, names, [labelled])
    from rankmeter.evaluating.evaluation import evaluate
    from rankmeter.inputs.files import read_labelled

    lists = read_labelled(labelled)
    ev = evaluate(
        lists,
        measures=asked,
        queries=reading.queries,
        duplicates=reading.duplicates,
        dialect=reading.dialect,
        name=names[0],
    )
    if measures or showing.format or showing.per_query or showing.interval:
        _show([ev], showing)
        return
    digits = LABELLED_DIGITS if showing.digits is None else showing.digits
    # Rounded and not padded, as Python prints it: 0.5, not 0.50000.
    lines = [
        f"{label} = {round(value, digits)}" for label, value in zip(LABELLED_MEASURES, ev.means.values(), strict=True)
    ]
    _deliver("\n".join(lines) + "\n", [ev], showing)


def _show(evaluations: Sequence[Evaluation], showing: Showing) -> None:
    if showing.format in (None, "table") and showing.output is None and sys.stdout.isatty():
        _save(evaluations, showing.save)
        print_table(evaluations, per_query=showing.per_query, interval=showing.interval, digits=showing.digits)
        tell([""])
        _talk(evaluations, showing)
        return
    text = output_text(
        evaluations,
        showing.format or "table",
        per_query=showing.per_query,
        interval=showing.interval,
        digits=showing.digits,
    )
    _deliver(text, evaluations, showing)


def _deliver(text: str, evaluations: Sequence[Evaluation], showing: Showing) -> None:
    _save(evaluations, showing.save)
    if showing.output is None:
        echo(text)
    else:
        write_text(showing.output, text)
    _talk(evaluations, showing)


def _talk(evaluations: Sequence[Evaluation], showing: Showing) -> None:
    if showing.quiet:
        return
    talk = result_talk(evaluations, digits=showing.digits, interval=showing.interval, per_query=showing.per_query)
    tell(talk)
    if showing.output is not None:
        say(f"written to {showing.output}")


def _save(evaluations: Sequence[Evaluation], place: str | None) -> None:
    for ev in evaluations if place else ():
        ev.save(_save_path(place or "", ev.name))


def _save_path(place: str, name: str) -> Path:
    return Path(place.replace("{run}", name.replace("/", "_")))


def _checked(showing: Showing, names: Sequence[str], inputs: Sequence[str]) -> Showing:
    """Refuse an output that cannot be written before anything is evaluated; know the format that its name says."""
    if showing.save and len(names) > 1 and "{run}" not in showing.save:
        fact = f"--save {showing.save} holds one evaluation, but {len(names)} runs were given."
        raise InputError(with_hint(fact, "one file for each: --save '{run}.parquet'"))
    places = {f"--save (of {name})": _save_path(showing.save, name) for name in names} if showing.save else {}
    if showing.output:
        places["--output"] = showing.output
    check_apart(places, inputs)
    for place in places.values():
        check_writable(place)
    output = showing.output
    if showing.format or output is None or output.suffix.lower() in ("", ".txt", ".parquet"):
        return showing
    return replace(showing, format=format_of(output, FORMATS))
