"""``rankmeter compare``: several runs, which differences are real, and gates for pipelines."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from rankmeter.cli.bilingual import language_option
from rankmeter.cli.options import (
    FORMATS,
    SEED,
    CountingOptions,
    Delivery,
    ItemsAndUsers,
    MaybeJudged,
    assisted_option,
    measure_option,
    system_names,
)
from rankmeter.cli.output import deliver_comparison
from rankmeter.cli.parameters import (
    Command,
    Count,
    Reads,
    Writes,
    check_places,
    flag,
    format_of,
    given,
    option,
    takes,
    was_given,
    written,
)
from rankmeter.cli.sources import items_and_users, named_seed, named_sources, saved_evaluations, units_of
from rankmeter.cli.talk import ProgressBar, examples, say, silence_notes, spoken_language, tell
from rankmeter.comparing.gate import Gate, Verdict, check_gates, parse_gate
from rankmeter.comparing.records import units_said
from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.measures import split_all
from rankmeter.measures.prose import Language
from rankmeter.report.titles import titles_of
from rankmeter.whole_files import write_text
from rankmeter.wording import Said, in_language, word

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison

FAILED = 1


def _after_equals(text: str) -> Sequence[str]:
    """The files of ``NAME=FILE,FILE``."""
    return text.partition("=")[2].split(",")


def _of_seeds(text: str) -> Sequence[str]:
    """The files of ``NAME=FILE,FILE`` or ``NAME=SEED:FILE,SEED:FILE``."""
    return [named_seed(part)[1] for part in _after_equals(text)]


@dataclass(frozen=True, slots=True)
class Testing:
    """How differences are tested, and over what."""

    dialect: str | None = option(
        "--dialect", metavar="TOOL",
        help="Read measures as another tool names and defines them: recbole, trec_eval:9,c ...",
    )  # fmt: skip
    baseline: str | None = option(
        "--baseline", metavar="NAME",
        help="System that all others are tested against, by its name or its file. Default: test all pairs.",
    )  # fmt: skip
    pairs: Literal["baseline", "all"] | None = option(
        "--pairs", help="Which pairs to test. all: every pair, even with a baseline."
    )
    test: Literal["t", "randomisation", "wilcoxon", "sign"] = option("--test", default="t", help="Paired test to use.")
    correction: Literal["holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none"] = option(
        "--correction", default="holm", help="Correction for the number of tests of one measure."
    )
    level: float = option(
        "--level", type=float, default=0.95,
        help="Level of the intervals; a difference is significant where p is below 1 - level.",
    )  # fmt: skip
    interval: Literal["t", "randomisation", "bca", "percentile"] | None = option(
        "--interval", help="Method for the intervals. Default: the one that agrees with the test."
    )
    margin: float | None = option(
        "--margin", type=float, help="Largest loss that does not matter: adds tests of 'no worse than'."
    )
    permutations: int = option(
        "--permutations", type=Count(), default=100_000, help="Number of permutations of the randomisation test."
    )
    resamples: int = option("--resamples", type=Count(), default=9_999, help="Number of bootstrap resamples.")
    seed: int = option("--seed", **SEED)
    unit: str = option("--unit", type=click.Choice(["query", "run"]), default="query", help="What to resample.")
    units: str | None = option(
        "--units", type=Reads(), metavar="FILE",
        help="CSV or TSV that assigns each query to a unit, such as a user; units are then resampled.",
    )  # fmt: skip
    assisted_by: str | None = assisted_option()
    needed: float | None = option(
        "--needed", type=float, metavar="DIFFERENCE",
        help="Say how many queries it takes to detect this difference; with --assisted-by, how many people must judge "
        "for an interval of +- DIFFERENCE.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Systems:
    """Systems with several runs, and saved ones."""

    seeds: tuple[str, ...] = option(
        "--seeds", type=Reads(_of_seeds), multiple=True, metavar="NAME=RUN,RUN...",
        help="A system with several runs of the same queries. NAME=1:RUN,2:RUN... names their seeds; with --unit run "
        "systems with the same seeds are compared seed by seed.",
    )  # fmt: skip
    folds: tuple[str, ...] = option(
        "--folds", type=Reads(_after_equals), multiple=True, metavar="NAME=RUN,RUN...",
        help="A system with several runs of different queries.",
    )  # fmt: skip
    saved: bool = flag(
        "--saved",
        help="The files are saved evaluations (evaluate --save) or one saved comparison; no judgments are given.",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gating:
    """What fails a pipeline, and where the verdicts go."""

    gates: tuple[str, ...] = option(
        "--fail-if", multiple=True, metavar="CONDITION",
        help="Exit with status 1 when the condition holds; with '... significantly' only when it is significant.",
    )  # fmt: skip
    junit: Path | None = option("--junit", type=Writes(), help="Write the verdicts of --fail-if as JUnit XML.")
    github_summary: bool = flag("--github-summary", help="Append verdicts and table to the file $GITHUB_STEP_SUMMARY.")


@dataclass(frozen=True, slots=True)
class Numbers:
    """How the numbers are written."""

    digits: int = option(
        "--digits", type=click.IntRange(0, 17), metavar="NUMBER", default=4, help="Digits after the decimal point."
    )
    format: str | None = option(
        "--format", type=click.Choice(FORMATS),
        help="Format of the numbers. Default: table, or by the ending of --output.",
    )  # fmt: skip
    details: bool = flag(
        "--details", help="Show every table, not only the answer; files and pipes always get them all."
    )


@dataclass(frozen=True, slots=True)
class Pages:
    """What is kept or drawn beside the table."""

    save: Path | None = option("--save", type=Writes(), help="Save everything in one file, for --saved.")
    report: Path | None = option("--report", type=Writes(), help="Write a report to this HTML file, usable offline.")
    titles: tuple[str, ...] = option(
        "--titles", type=Reads(_after_equals), multiple=True, metavar="KIND=FILE",
        help="CSV of ids and texts: queries=queries.csv, items=items.csv.",
    )  # fmt: skip
    lists: int = option("--lists", type=Count(0), default=50, help="Number of queries whose lists the report shows.")
    figures: Path | None = option(
        "--figures", type=Writes(folder=True), help="Write the charts as SVG and PNG into this folder."
    )


@click.command(
    cls=Command,
    epilog=examples(
        "rankmeter compare judgments.qrels keyword.run hybrid.run -m nDCG@10 -m AP --baseline keyword",
        "rankmeter compare judgments.qrels old.run new.run --baseline old --fail-if 'nDCG@10 < baseline - 0.01'",
        "rankmeter compare judgments.qrels a.run b.run c.run --test t --correction bh --format latex",
        "rankmeter compare judgments.qrels keyword.run --seeds dense=d1.run,d2.run,d3.run --unit run",
        "rankmeter compare judgments.qrels --seeds a=1:a1.run,2:a2.run --seeds b=1:b1.run,2:b2.run --unit run",
        "rankmeter compare judgments.qrels keyword.run hybrid.run --report report.html --titles queries=queries.csv",
        "rankmeter compare judgments.qrels a.run b.run --by kinds.csv:kind --report report.html",
        "rankmeter compare --no-judgments keyword.run hybrid.run -m Coverage@10 -m Gini@10 --catalogue items.csv",
        "rankmeter compare people.csv keyword.run hybrid.run -m nDCG@10 --assisted-by machine.qrels --needed 0.02",
        "rankmeter compare --saved keyword.parquet hybrid.parquet --needed 0.01 --save nightly.zip",
        "rankmeter compare --saved nightly.zip --report report.html --lang zh",
    ),
)
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS RUN RUN...")
@measure_option("A measure, or several. Default: nDCG@10, AP, RR.")
@takes(systems=Systems, testing=Testing, gating=Gating)
@takes(counting=CountingOptions, about=ItemsAndUsers, sources=MaybeJudged)
@takes(numbers=Numbers, delivery=Delivery, pages=Pages)
@language_option
def command(
    paths: tuple[str, ...],
    measures: tuple[str, ...],
    systems: Systems,
    testing: Testing,
    gating: Gating,
    counting: CountingOptions,
    about: ItemsAndUsers,
    sources: MaybeJudged,
    numbers: Numbers,
    delivery: Delivery,
    pages: Pages,
    lang: Language,
) -> int:
    """Compare two or more RUNs on the same JUDGMENTS: which differences are real, and how sure the data is.

    On a terminal the answer comes first: which system is best, which ones it cannot be separated from, and one table of
    systems and measures. With --details, and always to a file or a pipe, each measure has its table: intervals, the
    difference to the baseline (or to the first of two systems), corrected p-values, wins and losses, rank
    intervals, and a * for those that may be the best. The tables go to standard output, the rest to standard error.
    """
    gates = [parse_gate(text) for text in gating.gates]
    summary = _summary_path(gating)
    _check_together(testing, gating, pages)
    chosen = numbers.format or format_of(delivery.output, FORMATS)
    if delivery.quiet:
        silence_notes()
    titles = titles_of(pages.titles)
    if pages.report is not None or pages.figures is not None:
        from rankmeter.report import need_report_extra

        need_report_extra()
    asked = _with_gates(split_all(measures), gates, saved=systems.saved)
    cmp = _saved_comparison(paths) if systems.saved else None
    if cmp is None:
        cmp = _compared(paths, asked, systems, testing, counting, about, sources)
    verdicts = check_gates(cmp, gates)
    if cmp.assisted is not None:
        cmp = replace(cmp, assisted=replace(cmp.assisted, half_width=testing.needed))
    planned = [] if cmp.assisted is not None else _needed(cmp, testing.needed, lang)
    deliver_comparison(cmp, chosen, delivery, numbers.digits, lang, details=numbers.details)
    _write_verdicts(cmp, verdicts, gating.junit, summary, lang)
    _write_pages(cmp, pages, titles, lang)
    if not delivery.quiet:
        _talk(cmp, planned, [delivery.output, pages.save, pages.report, pages.figures], lang, notes=chosen != "table")
    for verdict in verdicts:
        if verdict.failed or not delivery.quiet:
            kind = "gate_failed" if verdict.failed else "gate_passed"
            say(word(kind, lang, gate=verdict.gate.text, why=verdict.why))
    return FAILED if any(verdict.failed for verdict in verdicts) else 0


def _compared(
    paths: Sequence[str],
    measures: Sequence[str] | None,
    several: Systems,
    testing: Testing,
    counting: CountingOptions,
    about: ItemsAndUsers,
    sources: MaybeJudged,
) -> Comparison:
    """Evaluate what is not evaluated yet, and compare it."""
    with ProgressBar(len(paths) + len(several.seeds) + len(several.folds)) as progress:
        if several.saved:
            _refuse_late_options()
            truth, systems = None, saved_evaluations(paths, several.seeds)
        else:
            files = (None, *paths) if sources.no_judgments else paths
            truth, systems = named_sources(files, several.seeds, several.folds, sources, about.history)
        groups, group_name = units_of(testing.units)
        from rankmeter.comparing.comparison import compare

        elsewhere = ("unit", "units", "needed", "assisted_by")
        how = {name: value for name, value in asdict(testing).items() if name not in elsewhere}
        runs = list(paths) if sources.no_judgments or several.saved else list(paths[1:])
        if testing.baseline in runs:  # named by its file
            how["baseline"] = system_names(runs)[runs.index(testing.baseline)]
        return compare(
            truth, systems, measures, **how, unit=groups or testing.unit, unit_name=group_name,
            queries=counting.queries, duplicates=counting.duplicates, by=list(about.by) or None, purpose=about.purpose,
            assisted_by=None if testing.assisted_by is None else sources.judgments(testing.assisted_by),
            progress=_shown_on(progress), **items_and_users(about.catalogue, about.history, sources.columns),
        )  # fmt: skip


def _write_pages(cmp: Comparison, pages: Pages, titles: Any, lang: Language) -> None:
    if pages.save is not None:
        cmp.save(pages.save)
    with ProgressBar(1, patience=0.0) as progress:
        if pages.report is not None:
            progress.show(pages.report.name)
            cmp.report(pages.report, lang=lang, titles=titles, lists=pages.lists)
        if pages.figures is not None:
            cmp.figures(pages.figures, lang=lang, progress=progress.show)


_SHOWING = frozenset(
    """paths saved gates junit github_summary needed digits format output save report lang titles lists figures
    details quiet""".split()
)
"""The options that a saved comparison takes; all others would change its numbers."""


def _saved_comparison(paths: Sequence[str]) -> Comparison | None:
    """The comparison that one file holds; None where the files are something else."""
    from rankmeter.comparing.results import Comparison
    from rankmeter.comparing.saving import is_saved_comparison

    done = [path for path in paths if is_saved_comparison(path)]
    if not done:
        return None
    if len(paths) > 1:
        raise InputError.of("cli.compared_already", source=done[0])
    if late := [late.opts[-1] for late in given() if late.name not in _SHOWING]:
        raise InputError.of("cli.too_late_for_comparison", source=paths[0], option=late[0])
    return Comparison.load(paths[0])


_EVALUATING = frozenset(
    """folds no_judgments dialect queries duplicates catalogue history purpose columns judgments_format
    run_format""".split()
)
"""The options that saved evaluations do not take: they decide how runs are evaluated."""


def _refuse_late_options() -> None:
    """Refuse options that cannot change saved evaluations."""
    if late := [late.opts[-1] for late in given() if late.name in _EVALUATING]:
        raise InputError.of("cli.too_late_for_evaluations", option=late[0])


def _check_together(testing: Testing, gating: Gating, pages: Pages) -> None:
    """Refuse options that make no sense, alone or together, before anything is evaluated."""
    if gating.junit is not None and not gating.gates:
        raise InputError.of("cli.junit_without_gates")
    if testing.needed is not None and not 0 < testing.needed < math.inf:
        raise InputError.of("cli.needed_not_positive", needed=f"{testing.needed:g}")
    if testing.units is not None and was_given("unit"):
        raise InputError.of("cli.unit_and_units", source=testing.units)
    if pages.titles and pages.report is None:
        raise InputError.of("cli.titles_without_report")


def _shown_on(progress: ProgressBar) -> Callable[[str], None]:
    def shown(what: str) -> None:
        progress.show(in_language(what, spoken_language()))
        if isinstance(what, Said) and what.kind == "evaluating_system":
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


def _summary_path(gating: Gating) -> Path | None:
    if not gating.github_summary:
        return None
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        # The command may be tried locally before it runs in a workflow; gates and JUnit are useful there too.
        say("note: " + str(InputError.of("cli.no_github_summary")))
        return None
    # It is appended to, so it must not be a file that is read or written otherwise.
    ctx = click.get_current_context()
    check_places({**written(ctx), "--github-summary": Path(place)}, ctx)
    return Path(place)


def _talk(cmp: Comparison, planned: list[str], written: Sequence[Path | None], lang: Language, *, notes: bool) -> None:
    from rankmeter.report.evaluations import definition_lines

    if notes:
        tell([word("note", lang, text=note) for note in cmp.notes])
    tell(planned)
    tell(["", *definition_lines(cmp.measures, lang, cmp.label)])
    for place in written:
        if place is not None:
            say(word("written_to", lang, place=str(place)))


def _needed(cmp: Comparison, difference: float | None, lang: Language) -> list[str]:
    """How many queries it takes to detect the stated difference, for each measure and pair."""
    if difference is None:
        return []
    units, power = units_said(cmp.settings.unit), cmp.settings.power
    return [
        word(
            "queries_needed_unknown" if needed is None else "queries_needed", lang, measure=str(measure),
            difference=difference, system=system, other=other, power=power, needed=needed, units=units, have=have,
        )
        for measure in cmp.samples
        for system, other, _, have, needed in cmp.queries_needed(measure, difference=difference).iter_rows()
    ]  # fmt: skip
