"""``rankmeter evaluate``: measure runs against judgments."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmeter.cli.options import (
    FORMATS,
    Assisting,
    CountingOptions,
    ItemsAndUsers,
    MaybeJudged,
    OutputFormat,
    Showing,
    measure_option,
    named_columns,
    system_names,
)
from rankmeter.cli.output import deliver_shown, output_text, result_table, result_talk, show
from rankmeter.cli.parameters import Command, Reads, check_places, format_of, takes, written
from rankmeter.cli.sources import items_and_users, refuse_measures
from rankmeter.cli.talk import ProgressBar, examples, say, silence_notes, spoken_language, tell
from rankmeter.errors import InputError, MeasureError
from rankmeter.evaluating.pairing import folder_is_one_run
from rankmeter.frozen import dataclass
from rankmeter.late import without_matrix_threads
from rankmeter.measures import into_measures
from rankmeter.wording import said, word

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.measures import Measure

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR")
LABELLED_MEASURES = {"MAP": "AP", "MRR": "RR", "NDCG": "nDCG(discount=jk,ideal=list)"}
"""The three lines printed for labelled lists, as coursework and introductory tutorials define them."""
LABELLED_DIGITS = 5
USAGE = said("evaluate_usage", command="rankmeter evaluate")


@dataclass(frozen=True, slots=True)
class Asking:
    """How the files are read, and which queries and items count."""

    sources: MaybeJudged = MaybeJudged()
    counting: CountingOptions = CountingOptions()
    about: ItemsAndUsers = ItemsAndUsers(by=())
    assisting: Assisting = Assisting()
    dialect: str | None = None
    """The tool whose metrics the measures are; None for rankmeter's own."""


@click.command(
    "evaluate",
    cls=Command,
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
        "rankmeter evaluate people.csv keyword.run -m nDCG@10 --assisted-by machine.qrels --needed 0.02",
        "rankmeter evaluate clicks.csv model.csv --dialect recbole -m NDCG@10 -m MAP@10",
    ),
)
@click.argument("paths", nargs=-1, type=Reads(), metavar="[JUDGMENTS RUN...]")
@measure_option(
    "A measure, or several: nDCG@5,10,20 'AP RR'. Default: nDCG@10, AP, RR. `rankmeter measures` lists them."
)
@click.option(
    "--dialect", metavar="TOOL",
    help="Read measures as another tool names and defines them: recbole, trec_eval:9,c ... "
    "`rankmeter dialects` lists the tools.",
)  # fmt: skip
@takes(counting=CountingOptions, sources=MaybeJudged, about=ItemsAndUsers, assisting=Assisting)
@click.option(
    "--labelled", type=Reads(), metavar="FILE",
    help="Instead of JUDGMENTS and RUN: one file with both sides in every row, a table with a grade and a score "
    "(--columns names them) or lines `query Q0 item grade` in ranked order. Without -m three lines are printed: MAP, "
    "MRR and NDCG (discount=jk, ideal=list).",
)  # fmt: skip
@takes(showing=Showing)
def command(
    paths: tuple[str, ...],
    measures: tuple[str, ...],
    dialect: str | None,
    labelled: str | None,
    counting: CountingOptions,
    sources: MaybeJudged,
    about: ItemsAndUsers,
    assisting: Assisting,
    showing: Showing,
) -> None:
    """Measure one or more RUNs against JUDGMENTS: truth first.

    Files are TREC text, CSV, TSV, JSON, JSON lines, Parquet or Arrow IPC, compressed or not; `-` is standard input.
    A folder or a pattern in quotes ('part-*.parquet') is one run in many files. Files may be larger than memory.
    Several runs make one table; on a terminal, in Markdown and in LaTeX the best value of each measure is bold. The
    numbers go to standard output; what they are about, what ties can do to them and how they are defined, to standard
    error.
    """
    asking = Asking(sources, counting, about, assisting, dialect)
    if assisting.needed is not None and assisting.assisted_by is None:
        raise InputError.of("judging.needed_without_machine")
    showing = replace(showing, format=_format(showing))
    if about.catalogue is None and not showing.interval:
        without_matrix_threads()
    if showing.quiet:
        silence_notes()
    if labelled is None:
        _check_paths(paths, runs_only=sources.no_judgments)
    else:
        _check_labelled(paths, labelled, asking)
    judgments, runs = (None, paths) if sources.no_judgments or labelled else (paths[0], paths[1:])
    systems = dict(zip(system_names(runs), runs, strict=True))
    names = system_names([labelled]) if labelled else list(systems)
    asked = _asked(
        measures, asking, tuple(LABELLED_MEASURES.values()) if labelled else DEFAULT_MEASURES, quiet=showing.quiet
    )
    _check_save(showing.save, names)
    if labelled is not None:
        _evaluate_labelled(labelled, names[0], asked, asking, showing, three_lines=not measures)
    elif showing.output is not None and showing.output.suffix.lower() == ".parquet":
        _evaluate_to_parquet(judgments, systems, asked, asking, showing)
    else:
        evaluations = evaluate_files(judgments, systems, asked, asking)
        if assisting.assisted_by is not None and not showing.per_query:
            _show_assisted(evaluations, showing, assisting.needed)
        else:
            _show(evaluations, showing)


def _asked(measures: Sequence[str], asking: Asking, usual: Sequence[str], *, quiet: bool) -> Sequence[Measure | str]:
    """The measures; print what each metric of another tool is, and refuse unknown ones before anything is read."""
    if not asking.dialect:
        into_measures(measures or usual)
        return measures or usual  # as typed, which is how they are labelled
    from rankmeter.measures.dialects import find_dialect

    spoken = find_dialect(asking.dialect)
    if not measures:
        example = " ".join(f"-m {spoken.spell(metric, 10)}" for metric in spoken.metrics[:3])
        raise MeasureError.of("cli.no_metric_of_tool", tool=str(spoken), example=example)
    meant = {text: measure for metric in measures for text, measure in spoken.measures(metric).items()}
    if not quiet:
        lang = spoken_language()
        tell([word("tool_metric", lang, tool=str(spoken), text=name, measure=str(m)) for name, m in meant.items()])
    return measures


def _check_paths(paths: Sequence[str], *, runs_only: bool) -> None:
    """Refuse a call without judgments or runs."""
    if not paths:
        raise InputError.of("cli.nothing_to_evaluate", usage=USAGE)
    if len(paths) == 1 and not runs_only:
        raise InputError.of("cli.no_run", source=paths[0], usage=USAGE)
    refuse_measures(paths)
    if paths.count("-") > 1:
        raise InputError.of("cli.standard_input_twice")


def _check_labelled(paths: Sequence[str], labelled: str, asking: Asking) -> None:
    """Refuse options that labelled lists have no use for."""
    if paths:
        raise InputError.of("cli.labelled_with_files", source=labelled, files=list(paths))
    if asking.about.catalogue or asking.about.history or asking.about.by:
        raise InputError.of("cli.labelled_with_items", source=labelled)
    if asking.sources.run_format:
        raise InputError.of("cli.labelled_with_format", source=labelled)


def _check_save(save: str | None, names: Sequence[str]) -> None:
    """Refuse files for saved evaluations that cannot be written, before anything is evaluated."""
    if not save:
        return
    if len(names) > 1 and "{run}" not in save:
        raise InputError.of("cli.save_holds_one", source=save, runs=len(names))
    ctx = click.get_current_context()
    check_places({f"--save (of {name})": _save_path(save, name) for name in names} | written(ctx), ctx)


def evaluate_files(
    judgments: str | None,
    runs: Mapping[str, str],
    measures: Sequence[Measure | str],
    asking: Asking,
    per_query_to: Path | None = None,
) -> list[Evaluation]:
    """Evaluate every run, by name; the judgments are read once."""
    from rankmeter.evaluating.verb import evaluate
    from rankmeter.inputs.accepting import into_run

    sources, about = asking.sources, asking.about
    sources.check_columns(judgments, runs.values(), about.history)
    truth = None if judgments is None else sources.judgments(judgments)
    known: dict[str, Any] = {"by": list(about.by) or None}
    known |= items_and_users(about.catalogue, about.history, sources.columns)
    named = named_columns(sources.columns)
    if asking.assisting.assisted_by is not None:
        known["assisted_by"] = sources.judgments(asking.assisting.assisted_by)
    evaluations = []
    with ProgressBar(len(runs)) as progress:
        for name, path in runs.items():
            progress.show(name)
            run = into_run(path, columns=named, format=sources.run_format, progress=partial(progress.read, name))
            with folder_is_one_run(path):
                evaluations.append(
                    evaluate(truth, run, measures, **_options(asking, name), **known, per_query_to=per_query_to)
                )
            progress.advance()
    return evaluations


def _options(asking: Asking, name: str) -> dict[str, Any]:
    """The options of ``evaluate`` that do not depend on the run."""
    counting = asking.counting
    return {
        "queries": counting.queries, "duplicates": counting.duplicates, "dialect": asking.dialect, "name": name,
        "purpose": asking.about.purpose,
    }  # fmt: skip


def _evaluate_to_parquet(
    judgments: str | None,
    runs: Mapping[str, str],
    measures: Sequence[Measure | str],
    asking: Asking,
    showing: Showing,
) -> None:
    """Write the values per query to a file while the run is read, and show the rest."""
    place = showing.output
    if not showing.per_query or len(runs) > 1 or showing.format is not None:
        raise InputError.of("cli.parquet_holds_one", source=str(place))
    evaluations = evaluate_files(judgments, runs, measures, asking, place)
    _show(evaluations, replace(showing, per_query=False, output=None))
    if not showing.quiet:
        say(word("values_written", spoken_language(), place=str(place)))


def _evaluate_labelled(
    labelled: str,
    name: str,
    measures: Sequence[Measure | str],
    asking: Asking,
    showing: Showing,
    *,
    three_lines: bool,
) -> None:
    from rankmeter.evaluating.verb import evaluate
    from rankmeter.inputs.files import read_labelled

    sources = asking.sources
    lists = read_labelled(labelled, format=sources.judgments_format, columns=named_columns(sources.columns) or None)
    ev = evaluate(lists, measures=measures, **_options(asking, name))
    if not three_lines or showing.format or showing.per_query or showing.interval:
        _show([ev], showing)
        return
    digits = LABELLED_DIGITS if showing.digits is None else showing.digits
    # Rounded and not padded, as Python prints it: 0.5, not 0.50000.
    lines = [
        f"{label} = {round(value, digits)}" for label, value in zip(LABELLED_MEASURES, ev.means.values(), strict=True)
    ]
    _deliver("\n".join(lines) + "\n", [ev], showing)


def _show(evaluations: Sequence[Evaluation], showing: Showing) -> None:
    lang = spoken_language()
    if showing.format in (None, "table") and showing.output is None and sys.stdout.isatty():
        _save(evaluations, showing.save)
        show([result_table(evaluations, showing, lang)], lang)
        tell([""])
        _talk(evaluations, showing)
        return
    _deliver(output_text(evaluations, showing, lang), evaluations, showing)


def _show_assisted(evaluations: Sequence[Evaluation], showing: Showing, needed: float | None) -> None:
    """Print what people and machine say together, with all runs in one table."""
    from rankmeter.judging.assistance import joined

    _save(evaluations, showing.save)
    together = joined([ev.assisted for ev in evaluations if ev.assisted is not None], half_width=needed)
    deliver_shown(together, showing.format, showing, spoken_language())
    _talk(evaluations, showing)


def _deliver(text: str, evaluations: Sequence[Evaluation], showing: Showing) -> None:
    _save(evaluations, showing.save)
    showing.deliver(text)
    _talk(evaluations, showing)


def _talk(evaluations: Sequence[Evaluation], showing: Showing) -> None:
    if showing.quiet:
        return
    lang = spoken_language()
    tell(result_talk(evaluations, showing, lang))
    showing.say_where(lang)


def _save(evaluations: Sequence[Evaluation], place: str | None) -> None:
    for ev in evaluations if place else ():
        ev.save(_save_path(place or "", ev.name))


def _save_path(place: str, name: str) -> Path:
    return Path(place.replace("{run}", name.replace("/", "_")))


def _format(showing: Showing) -> OutputFormat | None:
    """The format that was asked for, or that the ending of the file asks for."""
    if showing.format or showing.output is None or showing.output.suffix.lower() in ("", ".txt", ".parquet"):
        return showing.format
    return format_of(showing.output, FORMATS)
