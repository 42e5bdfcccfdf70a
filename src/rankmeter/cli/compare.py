"""``rankmeter compare``: several runs, which differences are real, and gates for pipelines."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

import rankmeter as rm
from rankmeter.cli.bilingual import language_option
from rankmeter.cli.gates import say_verdicts, summary_path
from rankmeter.cli.options import (
    DEFAULT_MEASURES,
    LEVEL,
    SEED,
    CountingOptions,
    Gates,
    ItemsAndUsers,
    MaybeJudged,
    Sources,
    by_system,
    measure_option,
    named_columns,
    refuse_measures,
    system_names,
)
from rankmeter.cli.output import FORMATS, Delivery, OutputFormat, format_asked, is_styled, json_answer, show
from rankmeter.cli.parameters import (
    Count,
    Reads,
    Writes,
    command,
    option,
    takes,
    typed_parameters,
    was_given,
)
from rankmeter.cli.talk import ProgressBar, say, silence_notes, spoken_language, tell
from rankmeter.comparing.gate import check_gates, parse_gate
from rankmeter.comparing.records import units_said
from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.inputs.reading import reading_line
from rankmeter.inputs.titles import titles_of
from rankmeter.late import pl
from rankmeter.measures import split_all
from rankmeter.report import need_report_extra
from rankmeter.report.evaluations import definition_lines
from rankmeter.showing.document import Block, Paragraph
from rankmeter.showing.numbers import DIGITS
from rankmeter.showing.terminal import document_text
from rankmeter.whole_files import append_text, write_text
from rankmeter.wording import Language, Said, in_language, word

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison
    from rankmeter.inputs.tables import Judgments
    from rankmeter.report.comparisons import ShownComparison

USAGE = "rankmeter compare JUDGMENTS RUN RUN..."
MOST_LINES = 12
"""How many differences stand below the table on a terminal, a line each."""


def _after_equals(text: str) -> Sequence[str]:
    """The files of ``NAME=FILE,FILE``."""
    return text.partition("=")[2].split(",")


def _of_seeds(text: str) -> Sequence[str]:
    """The files of ``NAME=FILE,FILE`` or ``NAME=SEED:FILE,SEED:FILE``."""
    return [_named_seed(part)[1] for part in _after_equals(text)]


@dataclass(frozen=True, slots=True)
class Testing:
    """How differences are tested, and over what."""

    dialect: str | None = option(metavar="TOOL")
    baseline: tuple[str, ...] = option(metavar="NAME")
    pairs: Literal["baseline", "all"] | None = option()
    test: Literal["t", "randomisation", "wilcoxon", "sign"] = option(default="t")
    correction: Literal["holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none"] = option(default="holm")
    level: float = option(default=LEVEL)
    interval: Literal["t", "randomisation", "bca", "percentile", "hall", "bounded"] | None = option()
    margin: float | None = option()
    permutations: int = option(type=Count(), default=100_000)
    resamples: int = option(type=Count(), default=9_999)
    seed: int = option(**SEED)
    best_set: Literal["mcb"] | None = option()
    unit: Literal["query", "run"] = option(default="query")
    units: str | None = option(type=Reads(), metavar="FILE")
    assisted_by: str | None = option(type=Reads(), metavar="FILE")
    needed: float | None = option(metavar="DIFFERENCE")


@dataclass(frozen=True, slots=True)
class Systems:
    """Systems with several runs, and saved ones."""

    seeds: tuple[str, ...] = option(type=Reads(_of_seeds), metavar="NAME=RUN,RUN...")
    folds: tuple[str, ...] = option(type=Reads(_after_equals), metavar="NAME=RUN,RUN...")
    saved: bool = option(default=False)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How the numbers are written."""

    digits: int = option(type=click.IntRange(0, 17), metavar="NUMBER", default=DIGITS)
    format: OutputFormat | None = option(type=click.Choice(FORMATS))
    details: bool = option(default=False)


@dataclass(frozen=True, slots=True)
class Pages:
    """What is kept or drawn beside the table."""

    save: Path | None = option(type=Writes())
    report: Path | None = option(type=Writes())
    titles: tuple[str, ...] = option(type=Reads(_after_equals), metavar="KIND=FILE")
    lists: int = option(type=Count(0), default=50)
    figures: Path | None = option(type=Writes(folder=True))


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="JUDGMENTS RUN RUN...")
@measure_option
@takes(systems=Systems, testing=Testing, gating=Gates)
@takes(counting=CountingOptions, about=ItemsAndUsers, sources=MaybeJudged)
@takes(numbers=Numbers, delivery=Delivery, pages=Pages)
@language_option
def compare(
    paths: tuple[str, ...],
    measures: tuple[str, ...],
    systems: Systems,
    testing: Testing,
    gating: Gates,
    counting: CountingOptions,
    about: ItemsAndUsers,
    sources: MaybeJudged,
    numbers: Numbers,
    delivery: Delivery,
    pages: Pages,
    lang: Language,
) -> int:
    """Compare systems, check the gates, show and write what was asked for; return the exit code."""
    gates = [parse_gate(text) for text in gating.gates]
    summary = summary_path() if gating.github_summary else None
    gating.check()
    _check_together(testing, pages)
    chosen = numbers.format or format_asked(delivery.output, FORMATS)
    if delivery.quiet:
        silence_notes()
    titles = titles_of(pages.titles)
    asked = split_all(measures)
    if asked or not systems.saved:  # else those that are saved
        asked = [*(asked or DEFAULT_MEASURES), *(gate.measure for gate in gates)]
    cmp = _saved_comparison(paths) if systems.saved else None
    if cmp is None:
        cmp = _compared(paths, asked or None, systems, testing, counting, about, sources)
    verdicts = check_gates(cmp, gates)
    if cmp.assisted is not None:
        cmp = replace(cmp, assisted=cmp.assisted.with_width(testing.needed))
    planned = [] if testing.needed is None or cmp.assisted is not None else _needed(cmp, testing.needed, lang)
    from rankmeter.report.comparisons import ShownComparison  # not loaded for the help
    from rankmeter.report.pipelines import to_junit, to_summary

    _deliver(ShownComparison(cmp, lang, numbers.digits), chosen, delivery, details=numbers.details)
    if gating.junit is not None:
        write_text(gating.junit, to_junit(verdicts, lang=lang))
    if summary is not None:
        append_text(summary, to_summary(cmp, verdicts, lang=lang))
    _write_pages(cmp, pages, titles, lang)
    if not delivery.quiet:
        if chosen != "table":
            tell([word("note", lang, text=note) for note in cmp.notes])
        tell([*planned, "", *definition_lines(cmp.measures, lang, cmp.label)])
        for place in filter(None, (delivery.output, pages.save, pages.report, pages.figures)):
            say(word("written_to", lang, place=str(place)))
    return say_verdicts(verdicts, lang, quiet=delivery.quiet)


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
        runs = list(paths) if sources.no_judgments or several.saved else list(paths[1:])
        if several.saved:
            if late := [late.opts[-1] for late in typed_parameters() if late.name in _EVALUATING]:
                raise InputError.of("cli.too_late_for_evaluations", option=late[0])
            truth, systems = None, _saved_evaluations(paths, several.seeds)
        else:
            judged = paths[0] if len(runs) < len(paths) else None
            if judged is None and not sources.no_judgments:
                raise InputError.of("cli.nothing_to_compare", usage=USAGE)
            truth, systems = _judgments_and_systems(judged, runs, several, sources, about.history, testing.dialect)
        groups, group_name = _units_of(testing.units)
        how = asdict(testing)
        assisted_by, _, unit, _ = map(how.pop, ("assisted_by", "needed", "unit", "units"))
        by_file = dict(zip(runs, system_names(runs), strict=True)) if set(testing.baseline) & set(runs) else {}
        how["baseline"] = [by_file.get(name, name) for name in testing.baseline] or None
        known = about.read(sources.columns, None if several.saved else paths[0])
        return rm.compare(
            truth, systems, measures, **how, **asdict(counting), **known, unit=groups or unit,
            unit_name=group_name, assisted_by=None if assisted_by is None else sources.judgments(assisted_by),
            progress=_shown_on(progress),
        )  # fmt: skip


def _saved_evaluations(paths: Sequence[str], seeds: Sequence[str]) -> list[Any]:
    """Saved evaluations by the names of their files, or several of one system by its name."""
    load = rm.Evaluation.load
    if len(paths) + len(seeds) < 2:
        for path in paths:
            load(path)  # complains if it is not an evaluation
        raise InputError.of("cli.one_saved" if paths else "cli.none_saved", source="".join(paths))
    alone = [(name, load(path)) for name, path in by_system(paths).items()]
    return [*alone, *((name, _seeds(files, load)) for name, files in _named_runs("--seeds", seeds))]


def _named_runs(option: str, texts: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Read ``dense=d1.run,d2.run``: the name of a system and its files."""
    for text in texts:
        name, equals, files = text.partition("=")
        if not equals or not name or not files:
            raise InputError.of("cli.several_runs", option=option, text=text)
        yield name, files.split(",")


def _named_seed(text: str) -> tuple[str, str]:
    """The seed and the file of ``1:d1.run``; no seed if a file or a drive has that name."""
    seed, colon, file = text.partition(":")
    if not colon or not seed or not file or file.startswith("\\") or Path(text).exists():
        return "", text
    return seed, file


def _seeds(files: Sequence[str], read: Callable[[str], object]) -> object:
    """The runs of one system, by seed if the seeds are named."""
    pairs = [_named_seed(text) for text in files]
    names = [seed for seed, _ in pairs if seed]
    if not names:
        return rm.seeds(*(read(file) for _, file in pairs))
    if len(names) < len(pairs):
        raise InputError.of("cli.seeds_half_named", file=next(file for seed, file in pairs if not seed))
    if twice := [seed for seed in names if names.count(seed) > 1]:
        raise InputError.of("cli.seed_twice", seed=twice[0], files=[file for seed, file in pairs if seed == twice[0]])
    return rm.seeds(named={seed: read(file) for seed, file in pairs})


def _judgments_and_systems(
    judged: str | None,
    runs: Sequence[str],
    several: Systems,
    sources: Sources,
    history: str | None,
    dialect: str | None,
) -> tuple[Judgments | None, list[tuple[str, object]]]:
    """The judgments, and every system by its name: a run, or an evaluation if one is saved under its path."""
    from rankmeter.comparing.systems import saved_or_run
    from rankmeter.inputs.accepting import into_run

    def read(path: str) -> object:
        saved = saved_or_run(path)
        return into_run(path, columns=columns, format=sources.run_format) if saved is path else saved

    refuse_measures(filter(None, (judged, *runs)))
    for path in runs:
        if Path(path).is_dir():  # the shell must name its files
            raise InputError.of("cli.run_is_folder", source=path, files=str(Path(path) / "*"))
    if judged is not None and Path(judged).is_dir() and not Path(judged, "qrels").is_dir():
        raise InputError.of("cli.judgments_are_folder", source=judged)
    seeded, folded = list(_named_runs("--seeds", several.seeds)), list(_named_runs("--folds", several.folds))
    sources.check_columns(judged, [*runs, *(file for _, files in (*seeded, *folded) for file in files)], history)
    truth = None if judged is None else sources.judgments(judged, dialect)
    columns = named_columns(sources.columns)
    systems: list[tuple[str, object]] = [(name, read(path)) for name, path in by_system(runs).items()]
    systems += [(name, _seeds(files, read)) for name, files in seeded]
    systems += [(name, rm.folds(*map(read, files))) for name, files in folded]
    if not systems:
        raise InputError.of("cli.nothing_to_compare" if judged is None else "cli.no_run", source=judged, usage=USAGE)
    return truth, systems


def _units_of(path: str | None) -> tuple[dict[str, str] | None, str]:
    """The unit of each query, and what a unit is called: the header of its column."""
    if path is None:
        return None, "group"
    from rankmeter.inputs.cells import unguarded_frame

    if not Path(path).is_file():
        raise InputError.of("cli.units_missing", source=path)
    try:
        frame = pl.read_csv(path, separator="\t" if ".tsv" in path else ",", infer_schema=False)
        frame = frame if ".tsv" in path else unguarded_frame(frame)
    except pl.exceptions.PolarsError as error:
        raise InputError.of("cli.units_unreadable", source=path, why=str(error)) from error
    if len(frame.columns) != 2 or "query" not in frame.columns:
        raise InputError.of("cli.units_columns", source=path, columns=frame.columns)
    (name,) = (column for column in frame.columns if column != "query")
    unit_of: dict[str, str] = {}
    for query, unit in frame.select("query", name).iter_rows():
        if query is None or unit is None or not unit.strip():
            kind = "cli.units_without_query" if query is None else "cli.units_without_unit"
            raise InputError.of(kind, source=path, name=name, query=query)
        if (first := unit_of.setdefault(query, unit)) != unit:
            raise InputError.of("cli.units_twice", source=path, query=query, first=first, second=unit, name=name)
    return unit_of, name


def _deliver(shown: ShownComparison, format: str, delivery: Delivery, *, details: bool) -> None:
    """Write or print the numbers of a comparison in one of the formats."""
    cmp = shown.cmp
    if format == "table" and delivery.output is None:
        _show_comparison(shown, quiet=delivery.quiet, details=details or not is_styled())
    elif format == "csv":
        rows = cmp.tests
        if cmp.slice_differences:  # rows about all queries have no slice
            inside = cmp.slice_tests.drop("tests")
            rows = pl.concat([rows, inside], how="diagonal").select("by", "slice", *rows.columns)
        delivery.deliver_frame(rows)
    else:
        texts = {"markdown": shown.to_markdown, "latex": shown.to_latex, "table": shown.to_text}
        delivery.deliver(texts[format]() if format in texts else json_answer(cmp.to_dict()))


def _show_comparison(shown: ShownComparison, *, quiet: bool, details: bool) -> None:
    """On a terminal print the answer and one table; with details, and for programs, every table."""
    cmp, lang = shown.cmp, shown.lang
    is_grid = not details and len(cmp.measures) > 1
    answer: list[Block] = [Paragraph(line) for line in shown.texts(shown.verdict())]
    if details:
        if not quiet:
            tell([word("quality", lang), *document_text(shown.quality_blocks()).splitlines(), ""])
            tell([*document_text(answer).splitlines(), ""] if answer else [])
        show(shown.board_blocks())
    elif is_grid:
        best_first = [score.system for score in cmp.ranked(cmp.measures[0])]
        pairs = shown.differences_shown()
        several: list[Block] = [pairs.head(MOST_LINES)] if pairs.rows else []
        if len(pairs.rows) > MOST_LINES:
            several.append(Paragraph(word("more_differences", lang, count=len(pairs.rows) - MOST_LINES), "hint"))
        grid = shown.grid(best_first, intervals=True)
        show([*answer, *shown.whose_values(), grid, *several, *shown.assisted_blocks()])
    else:
        show([*answer, *shown.board_blocks()])
    if not quiet:
        sys.stdout.flush()
        notes = [] if details else [word("note", lang, text=note) for note in cmp.notes]
        kinds = ["more_with_details"] if was_given("report") else ["more_with_details", "more_on_page"]
        exports = any(side.export for reading in cmp.reading.values() for side in reading.sides)
        read = reading_line(cmp.reading.values()) if exports else None  # exports of other tools are always named
        more = [] if details else [*([read.text(lang)] if read else []), *(word(kind, lang) for kind in kinds)]
        marks = shown.legend() if details else shown.marks_mean() if is_grid else shown.board_marks()
        tell(["", *marks, *notes, *more])


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
    if late := [late.opts[-1] for late in typed_parameters() if late.name not in _SHOWING]:
        raise InputError.of("cli.too_late_for_comparison", source=paths[0], option=late[0])
    return Comparison.load(paths[0])


_EVALUATING = frozenset(
    """folds no_judgments dialect queries duplicates catalogue history purpose columns judgments_format
    run_format""".split()
)
"""The options that saved evaluations do not take: they decide how runs are evaluated."""


def _check_together(testing: Testing, pages: Pages) -> None:
    """Refuse options that make no sense, alone or together, before anything is evaluated."""
    if testing.needed is not None and not 0 < testing.needed < math.inf:
        raise InputError.of("cli.needed_not_positive", needed=f"{testing.needed:g}")
    if testing.units is not None and was_given("unit"):
        raise InputError.of("cli.unit_and_units", source=testing.units)
    if pages.titles and pages.report is None:
        raise InputError.of("cli.titles_without_report")
    if pages.report is not None or pages.figures is not None:
        need_report_extra()


def _shown_on(progress: ProgressBar) -> Callable[[str], None]:
    def shown(what: str) -> None:
        progress.show(in_language(what, spoken_language()))
        if isinstance(what, Said) and what.kind == "evaluating_system":
            progress.advance()

    return shown


def _needed(cmp: Comparison, difference: float, lang: Language) -> list[str]:
    """How many queries it takes to detect the stated difference, for each measure and pair."""
    units, power = units_said(cmp.settings.unit), cmp.settings.power
    return [
        word(
            "queries_needed_unknown" if needed is None else "queries_needed", lang, measure=str(measure),
            difference=difference, system=system, other=other, power=power, needed=needed, units=units, have=have,
        )
        for measure in cmp.samples
        for system, other, _, have, needed in cmp.queries_needed(measure, difference=difference).iter_rows()
    ]  # fmt: skip
