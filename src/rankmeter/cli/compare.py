"""``rankmeter compare``: several runs, which differences are real, and gates for pipelines."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from rankmeter.cli.comparison import deliver
from rankmeter.cli.options import by_option, history_option, no_judgments_option
from rankmeter.cli.sources import items_and_users, named_sources, saved_evaluations, units_of
from rankmeter.cli.talk import Progress, examples, language_option, say, silence_notes, tell
from rankmeter.cli.writing import format_of
from rankmeter.comparing.gate import Gate, Verdict, check_gates, parse_gate
from rankmeter.comparing.records import units_said
from rankmeter.errors import InputError, with_hint
from rankmeter.measures import Measure, split_measures
from rankmeter.measures.prose import Language
from rankmeter.report.titles import titles_of
from rankmeter.whole_files import check_apart, check_writable, write_text
from rankmeter.wording import word

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison

FORMATS = ("table", "json", "csv", "markdown", "latex")
FAILED = 1


@click.command(
    epilog=examples(
        "rankmeter compare judgments.qrels keyword.run hybrid.run -m nDCG@10 -m AP --baseline keyword",
        "rankmeter compare judgments.qrels old.run new.run --baseline old --fail-if 'nDCG@10 < baseline - 0.01'",
        "rankmeter compare judgments.qrels a.run b.run c.run --test t --correction bh --format latex",
        "rankmeter compare judgments.qrels keyword.run --seeds dense=d1.run,d2.run,d3.run --unit run",
        "rankmeter compare judgments.qrels keyword.run hybrid.run --report report.html --titles queries=queries.csv",
        "rankmeter compare judgments.qrels a.run b.run --by kinds.csv:kind --report report.html",
        "rankmeter compare --no-judgments keyword.run hybrid.run -m Coverage@10 -m Gini@10 --catalogue items.csv",
        "rankmeter compare --saved keyword.parquet hybrid.parquet --needed 0.01 --save nightly.zip",
        "rankmeter compare --saved nightly.zip --report report.html --lang zh",
    )
)
@click.argument("paths", nargs=-1, metavar="JUDGMENTS RUN RUN...")
@click.option("-m", "--measure", "measures", multiple=True, help="A measure, or several; default nDCG@10, AP and RR.")
@click.option("--baseline", metavar="NAME", help="The system that all others are tested against; else all pairs are.")
@click.option(
    "--pairs", type=click.Choice(["baseline", "all"]), help="all: test all pairs although there is a baseline."
)
@click.option(
    "--test", type=click.Choice(["t", "randomisation", "wilcoxon", "sign"]), default="t", show_default=True,
    help="The paired test.",
)  # fmt: skip
@click.option(
    "--correction", type=click.Choice(["holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none"]), default="holm",
    show_default=True,
    help="For the tests of one measure, which are a family.",
)  # fmt: skip
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="Of intervals; p below 1 - level is significant."
)
@click.option(
    "--interval",
    type=click.Choice(["t", "randomisation", "bca", "percentile"]),
    help="How intervals are made; default: so that they agree with the test.",
)
@click.option("--margin", type=float, help="The largest loss that does not matter: adds tests of 'no worse than'.")
@click.option(
    "--needed", type=float, metavar="DIFFERENCE", help="Say how many queries it takes to find this difference."
)
@click.option(
    "--unit", type=click.Choice(["query", "run"]), default="query", show_default=True, help="What is resampled."
)
@click.option("--units", metavar="FILE", help="CSV or TSV of query and what it belongs to (a user): that is resampled.")
@click.option(
    "--seeds", multiple=True, metavar="NAME=RUN,RUN...", help="A system with several runs of the same queries."
)
@click.option(
    "--folds", multiple=True, metavar="NAME=RUN,RUN...", help="A system with several runs of different queries."
)
@click.option(
    "--saved", is_flag=True,
    help="The files are saved evaluations (evaluate --save), or one saved comparison; there are no judgments.",
)  # fmt: skip
@no_judgments_option
@click.option("--permutations", type=int, default=100_000, show_default=True)
@click.option("--resamples", type=int, default=9_999, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything that is drawn at random.")
@click.option(
    "--fail-if",
    "gates",
    multiple=True,
    metavar="CONDITION",
    help="Exit 1 when it holds; '... significantly' asks for proof.",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write the verdicts of --fail-if as JUnit XML.")
@click.option("--github-summary", is_flag=True, help="Append verdicts and table to the file $GITHUB_STEP_SUMMARY.")
@click.option("--queries", type=click.Choice(["judged", "common", "run"]), help="Whose values are averaged.")
@click.option(
    "--duplicates", type=click.Choice(["error", "first", "best", "counted"]), help="Items that a list holds twice."
)
@click.option("--catalogue", metavar="FILE", help="The items that could be recommended, for measures of lists.")
@history_option
@by_option
@click.option("--columns", metavar="ROLE=NAME,...", help="Unusual column names: item=docid_x,query=uid.")
@click.option("--judgments-format", metavar="FORMAT", help="trec, csv, tsv, json, jsonl, parquet, ipc ...")
@click.option("--run-format", metavar="FORMAT", help="The same for the runs. Default for both: told from the content.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Digits after the point.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="Default: table, or what --output ends with.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to this file, whole or not at all.")
@click.option("--save", type=click.Path(path_type=Path), help="Save everything in one file, for --saved.")
@click.option("--report", type=click.Path(path_type=Path), help="Write one HTML file that shows everything, offline.")
@language_option
@click.option(
    "--titles", multiple=True, metavar="KIND=FILE", help="CSV of ids and texts: queries=queries.csv, items=items.csv."
)
@click.option(
    "--lists", type=click.IntRange(0), default=50, show_default=True, help="Queries whose lists the report keeps."
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the charts as SVG and PNG into this folder.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only the numbers, no talk.")
def command(
    paths: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    pairs: Literal["baseline", "all"] | None,
    test: Literal["t", "randomisation", "wilcoxon", "sign"],
    correction: Literal["holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none"],
    level: float,
    interval: Literal["t", "randomisation", "bca", "percentile"] | None,
    margin: float | None,
    needed: float | None,
    unit: str,
    units: str | None,
    seeds: tuple[str, ...],
    folds: tuple[str, ...],
    saved: bool,
    no_judgments: bool,
    permutations: int,
    resamples: int,
    seed: int,
    gates: tuple[str, ...],
    junit: Path | None,
    github_summary: bool,
    queries: Literal["judged", "common", "run"] | None,
    duplicates: Literal["error", "first", "best", "counted"] | None,
    catalogue: str | None,
    history: str | None,
    by: tuple[str, ...],
    columns: str | None,
    judgments_format: str | None,
    run_format: str | None,
    digits: int,
    format_: str | None,
    output: Path | None,
    save: Path | None,
    report: Path | None,
    lang: Literal["en", "zh"],
    titles: tuple[str, ...],
    lists: int,
    figures: Path | None,
    quiet: bool,
) -> int:
    """Compare two or more RUNs on the same JUDGMENTS: which differences are real, and how sure the data is.

    Prints what is missing, unjudged or tied first, then for each measure the systems with intervals, the difference to
    the baseline (of two systems without one: to the first), its interval, corrected p-values, wins and losses, rank
    intervals, and a * for those that may be the best. The tables go to standard output, the rest to standard error.
    """
    parsed = [parse_gate(text) for text in gates]
    summary = _summary_path(github_summary)
    places = {"--output": output, "--junit": junit, "--report": report, "--save": save, "--figures": figures}
    _check_places(parsed, [output, junit, report, save, summary], junit)
    _check_together(needed, unit_given=_was_given("unit"), units=units, titles=titles, report=report)
    check_apart(
        {option: place for option, place in places.items() if place is not None},
        [*paths, *(file for one in (*seeds, *folds) for file in one.partition("=")[2].split(",")), units or ""],
    )
    format_ = format_ or format_of(output, FORMATS)
    if quiet:
        silence_notes()
    texts = titles_of(titles)
    if report is not None or figures is not None:
        from rankmeter.report.extra import need_report_extra

        need_report_extra()
    asked = _with_gates([part for text in measures for part in split_measures(text)], parsed, saved=saved)
    if saved and (one := _saved_comparison(paths)) is not None:
        cmp = one
    else:
        with Progress(len(paths) + len(seeds) + len(folds)) as progress:
            if saved:
                _refuse_late_options()
                truth, systems = None, saved_evaluations(paths, seeds)
            else:
                files = (None, *paths) if no_judgments else paths
                truth, systems = named_sources(files, seeds, folds, columns, judgments_format, run_format)
            groups, group_name = units_of(units)
            from rankmeter.comparing.comparison import compare

            cmp = compare(
                truth, systems, asked, baseline=baseline, pairs=pairs, test=test, correction=correction, level=level,
                interval=interval, margin=margin, unit=groups or unit, unit_name=group_name, permutations=permutations,
                resamples=resamples, seed=seed, queries=queries, duplicates=duplicates, by=list(by) or None,
                progress=_shown_on(progress), **items_and_users(catalogue, history, columns),
            )  # fmt: skip
    verdicts = check_gates(cmp, parsed)
    planned = [] if needed is None else [line for m in cmp.samples for line in _needed(cmp, m, needed, lang)]
    deliver(cmp, format_, output, digits, lang, quiet=quiet)
    _write_verdicts(cmp, verdicts, junit, summary, lang)
    if save is not None:
        cmp.save(save)
    with Progress(1, patience=0.0) as progress:
        if report is not None:
            progress.show(report.name)
            cmp.report(report, lang=lang, titles=texts, lists=lists)
        if figures is not None:
            cmp.figures(figures, lang=lang, progress=progress.show)
    if not quiet:
        _talk(cmp, planned, [output, save, report, figures], lang, notes=format_ != "table")
    for verdict in verdicts:
        if verdict.failed or not quiet:
            kind = "gate_failed" if verdict.failed else "gate_passed"
            say(word(kind, lang, gate=verdict.gate.text, why=verdict.why))
    return FAILED if any(verdict.failed for verdict in verdicts) else 0


_SHOWING = frozenset(
    """paths saved gates junit github_summary needed digits format_ output save report lang titles lists figures
    quiet""".split()
)
"""What a comparison that was made before can still be asked; everything else would change its numbers."""


def _saved_comparison(paths: Sequence[str]) -> Comparison | None:
    """The comparison that one file holds; None where the files are something else."""
    from rankmeter.comparing.results import Comparison
    from rankmeter.comparing.saving import is_saved_comparison

    done = [path for path in paths if is_saved_comparison(path)]
    if not done:
        return None
    if len(paths) > 1:
        raise InputError(with_hint(f"{done[0]} is compared already.", "--saved takes one comparison, or evaluations"))
    if late := [option.opts[-1] for option in _given() if option.name not in _SHOWING]:
        fact = f"{paths[0]} is compared already, so {late[0]} comes too late."
        raise InputError(with_hint(fact, "compare the runs, or their saved evaluations, again"))
    return Comparison.load(paths[0])


_EVALUATING = frozenset(
    "folds no_judgments queries duplicates catalogue history columns judgments_format run_format".split()
)
"""What must be known when runs are evaluated."""


def _refuse_late_options() -> None:
    """Refuse what changes nothing about evaluations that were made before."""
    if late := [option.opts[-1] for option in _given() if option.name in _EVALUATING]:
        fact = f"--saved takes evaluations that were made before, so {late[0]} comes too late."
        raise InputError(with_hint(fact, "give it to 'rankmeter evaluate', or compare the runs themselves"))


def _given() -> list[click.Parameter]:
    """What was typed."""
    return [option for option in click.get_current_context().command.params if _was_given(str(option.name))]


def _was_given(option: str) -> bool:
    return click.get_current_context().get_parameter_source(option) is ParameterSource.COMMANDLINE


def _check_together(
    needed: float | None, *, unit_given: bool, units: str | None, titles: Sequence[str], report: Path | None
) -> None:
    """Refuse options that mean nothing, alone or with each other, before anything is evaluated."""
    if needed is not None and not 0 < needed < math.inf:
        fact = f"--needed {needed:g} is not possible; it is above 0."
        raise InputError(with_hint(fact, "state the smallest difference that matters to you: --needed 0.01"))
    if units is not None and unit_given:
        fact = f"--unit and --units {units} contradict each other: both say what is resampled."
        raise InputError(with_hint(fact, "--units FILE resamples what queries belong to; leave --unit out"))
    if titles and report is None:
        raise InputError(with_hint("--titles names what a report shows, and there is none.", "--report report.html"))


def _check_places(gates: Sequence[Gate], places: Sequence[Path | None], junit: Path | None) -> None:
    """Refuse what cannot be written before anything is evaluated."""
    if junit is not None and not gates:
        raise InputError(with_hint("--junit has nothing to say without --fail-if.", "--fail-if 'nDCG@10 < baseline'"))
    for place in places:
        if place is not None:
            check_writable(place)


def _shown_on(progress: Progress) -> Callable[[str], None]:
    def shown(what: str) -> None:
        progress.show(what)
        if what.startswith("evaluating"):
            progress.advance()

    return shown


def _write_verdicts(
    cmp: Comparison, verdicts: Sequence[Verdict], junit: Path | None, summary: Path | None, lang: Language
) -> None:
    from rankmeter.report.pipelines import to_junit, to_summary

    if junit is not None:
        write_text(junit, to_junit(verdicts, lang=lang))
    if summary is not None:
        before = summary.read_text(encoding="utf-8") if summary.exists() else ""
        write_text(summary, before + to_summary(cmp, verdicts, lang=lang))


def _with_gates(asked: list[str], gates: Sequence[Gate], *, saved: bool) -> list[str] | None:
    """The measures that are asked for, those of the gates too."""
    if not asked and saved:
        return None
    return [*(asked or ["nDCG@10", "AP", "RR"]), *(gate.measure for gate in gates)]


def _summary_path(asked: bool) -> Path | None:
    if not asked:
        return None
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        # The same command is tried at a desk before it runs in a step; gates and JUnit are worth having there too.
        fact = "note: --github-summary writes nothing here: GITHUB_STEP_SUMMARY is not set."
        say(with_hint(fact, "GitHub sets it in a step; elsewhere use --format markdown --output FILE"))
        return None
    return Path(place)


def _talk(cmp: Comparison, planned: list[str], written: Sequence[Path | None], lang: Language, *, notes: bool) -> None:
    from rankmeter.report import tables

    if notes:
        tell([word("note", lang, text=note) for note in cmp.notes])
    tell(planned)
    tell(["", *tables.definition_lines(cmp.measures, lang)])
    for place in written:
        if place is not None:
            say(word("written_to", lang, place=str(place)))


def _needed(cmp: Comparison, measure: Measure, difference: float, lang: Language) -> list[str]:
    """How many queries the stated difference takes, for each pair."""
    units, power = units_said(cmp.settings.unit), cmp.settings.power
    return [
        word(
            "queries_needed_unknown" if needed is None else "queries_needed", lang, measure=str(measure),
            difference=difference, system=system, other=other, power=power, needed=needed, units=units, have=have,
        )
        for system, other, _, have, needed in cmp.queries_needed(measure, difference=difference).iter_rows()
    ]  # fmt: skip
