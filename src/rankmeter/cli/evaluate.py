"""``rankmeter evaluate``: measure runs against judgments."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmeter.cli.exit_codes import DONE
from rankmeter.cli.options import (
    DEFAULT_MEASURES,
    CountingOptions,
    Gates,
    ItemsAndUsers,
    MaybeJudged,
    by_system,
    measure_option,
    named_columns,
    refuse_measures,
    system_names,
)
from rankmeter.cli.output import (
    FORMATS,
    Showing,
    definition_talk,
    format_asked,
    json_answer,
    metric_talk,
    show,
    shown_text,
)
from rankmeter.cli.parameters import Reads, check_places, command, option, takes, written
from rankmeter.cli.talk import ProgressBar, not_noted, say, silence_notes, spoken_language, tell
from rankmeter.errors import InputError, MeasureError
from rankmeter.evaluating.pairing import folder_is_one_run
from rankmeter.frozen import dataclass
from rankmeter.inputs.reading import UNUSED, reading_line
from rankmeter.late import without_matrix_threads
from rankmeter.measures import into_measures
from rankmeter.report.evaluations import ShownEvaluations
from rankmeter.whole_files import append_text, write_text
from rankmeter.wording import AFTER_NAME, BETWEEN, Language, in_language, said, word

if TYPE_CHECKING:
    from rankmeter.comparing.gate import Gate
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.measures import Measure

LABELLED_MEASURES = {"MAP": "AP", "MRR": "RR", "NDCG": "nDCG(discount=jk,ideal=list)"}
"""The three lines printed for labelled lists, as coursework and introductory tutorials define them."""
LABELLED_DIGITS = 5
USAGE = said("evaluate_usage", command="rankmeter evaluate")


@dataclass(frozen=True, slots=True)
class Assisting:
    """Machine judgments for all queries, when people judged a sample."""

    assisted_by: str | None = option(type=Reads(), metavar="FILE")
    needed: float | None = option(metavar="HALF_WIDTH")


@dataclass(frozen=True, slots=True)
class Asking:
    """How the files are read, and which queries and items count."""

    sources: MaybeJudged = MaybeJudged()
    counting: CountingOptions = CountingOptions()
    about: ItemsAndUsers = ItemsAndUsers()
    assisting: Assisting = Assisting()
    dialect: str | None = None
    """The tool whose metrics the measures are; None for rankmeter's own."""


@command()
@click.argument("paths", nargs=-1, type=Reads(), metavar="[JUDGMENTS RUN...]")
@measure_option
@click.option("--dialect", metavar="TOOL")
@takes(counting=CountingOptions, sources=MaybeJudged, about=ItemsAndUsers, assisting=Assisting)
@click.option("--labelled", type=Reads(), metavar="FILE")
@takes(gating=Gates, showing=Showing)
def evaluate(
    paths: tuple[str, ...],
    measures: tuple[str, ...],
    labelled: str | None,
    gating: Gates,
    showing: Showing,
    **options: Any,
) -> int:
    """Measure one or more runs, or lists that hold their own judgments; return the exit code."""
    gates = _gates(gating)
    summary = _summary_place(gating)
    asking = Asking(**options)
    sources, about, assisting = asking.sources, asking.about, asking.assisting
    if assisting.needed is not None and assisting.assisted_by is None:
        raise InputError.of("cli.needed_without_machine")
    if showing.output and not showing.format and showing.output.suffix.lower() not in ("", ".txt", ".parquet"):
        showing = replace(showing, format=format_asked(showing.output, FORMATS))
    if showing.interval_by is not None:
        showing = replace(showing, interval=True)
    if about.catalogue is None and not showing.interval:
        without_matrix_threads()
    if showing.quiet:
        silence_notes()
    if labelled is None:
        _check_paths(paths, runs_only=sources.no_judgments)
    else:
        _check_labelled(paths, labelled, asking)
    judgments, runs = (None, paths) if sources.no_judgments or labelled else (paths[0], paths[1:])
    systems = by_system(runs)
    names = system_names([labelled]) if labelled else list(systems)
    usual = tuple(LABELLED_MEASURES.values()) if labelled else DEFAULT_MEASURES
    asked = _measures_asked(measures, asking, usual, quiet=showing.quiet)
    if not asking.dialect:
        asked = [*asked, *(gate.measure for gate in gates)]
    _check_save(showing.save, names)
    if labelled is not None:
        ev = _evaluate_labelled(labelled, names[0], asked, asking)
        is_short = not (measures or showing.format or showing.per_query or showing.interval)
        _show([ev], showing, _three_lines(ev, showing.digits) if is_short else "")
        return _judge([ev], gates, gating, summary, showing)
    values_to = showing.output if showing.output and showing.output.suffix.lower() == ".parquet" else None
    if values_to is not None:
        if not showing.per_query or len(runs) > 1 or showing.format is not None:
            raise InputError.of("cli.parquet_holds_one", source=str(values_to))
        showing = replace(showing, per_query=False, output=None)
    evaluations = evaluate_files(judgments, systems, asked, asking, values_to)
    _show(evaluations, showing, needed=assisting.needed)
    if values_to is not None and not showing.quiet:
        say(word("values_written", spoken_language(), place=str(values_to)))
    return _judge(evaluations, gates, gating, summary, showing)


def _gates(gating: Gates) -> list[Gate]:
    """The gates, read before anything is evaluated."""
    gating.check()
    if not gating.gates:
        return []
    from rankmeter.comparing.gate import check_alone, parse_gate

    gates = [parse_gate(text) for text in gating.gates]
    check_alone(gates)
    return gates


def _summary_place(gating: Gates) -> Path | None:
    """Where the summary of a step is appended, if it is wanted."""
    if not gating.github_summary:
        return None
    from rankmeter.cli.gates import summary_path

    return summary_path()


def _judge(
    evaluations: Sequence[Evaluation], gates: Sequence[Gate], gating: Gates, summary: Path | None, showing: Showing
) -> int:
    """Say and write the verdicts of the gates; the exit code."""
    if not gates and summary is None:
        return DONE
    from rankmeter.cli.gates import say_verdicts
    from rankmeter.comparing.gate import check_evaluations
    from rankmeter.report.pipelines import summary_text, to_junit

    lang, verdicts = spoken_language(), check_evaluations(evaluations, gates)
    if gating.junit is not None:
        write_text(gating.junit, to_junit(verdicts, suite="rankmeter evaluate", lang=lang))
    if summary is not None:
        of_values = showing.interval_by or "t"
        shown = ShownEvaluations(evaluations, lang, showing.digits, showing.interval, method=of_values)
        table = shown.to_text("markdown")
        append_text(summary, summary_text("rankmeter evaluate", verdicts, table, lang))
    return say_verdicts(verdicts, lang, quiet=showing.quiet)


def _measures_asked(
    measures: Sequence[str], asking: Asking, usual: Sequence[str], *, quiet: bool
) -> Sequence[Measure | str]:
    """The measures; print what each metric of another tool is, and refuse unknown ones before anything is read."""
    if not asking.dialect:
        into_measures(measures or usual)
        return measures or usual  # as typed, which is how they are labelled
    from rankmeter.measures.dialects import find_dialect

    spoken = find_dialect(asking.dialect)
    if not measures:
        example = " ".join(f"-m {spoken.spell(metric, 10)}" for metric in list(spoken.metrics)[:3])
        raise MeasureError.of("cli.no_metric_of_tool", tool=str(spoken), example=example)
    meant = {text: measure for metric in measures for text, measure in spoken.measures(metric).items()}
    if not quiet:
        tell(metric_talk(spoken, meant, spoken_language()))
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


def _save_path(place: str, name: str) -> Path:
    return Path(place.replace("{run}", name.replace("/", "_")))


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

    sources = asking.sources
    sources.check_columns(judgments, runs.values(), asking.about.history)
    truth = None if judgments is None else sources.judgments(judgments, asking.dialect)
    known = asking.about.read(sources.columns, judgments) | asdict(asking.counting)
    if asking.assisting.assisted_by is not None:
        known["assisted_by"] = sources.judgments(asking.assisting.assisted_by)
    named = named_columns(sources.columns)
    evaluations = []
    with ProgressBar(len(runs)) as progress:
        for name, path in runs.items():
            progress.show(name)
            run = into_run(path, columns=named, format=sources.run_format, progress=partial(progress.read, name))
            with folder_is_one_run(path):
                options = {"name": name, "dialect": asking.dialect, "per_query_to": per_query_to}
                evaluations.append(evaluate(truth, run, measures, **options, **known))  # type: ignore[arg-type]
            progress.advance()
    return [*evaluations, *(other for one in evaluations[0].added.values() for other in one.others.values())]


def _evaluate_labelled(labelled: str, name: str, measures: Sequence[Measure | str], asking: Asking) -> Evaluation:
    from rankmeter.evaluating.verb import evaluate
    from rankmeter.inputs.files import read_labelled

    sources = asking.sources
    lists = read_labelled(labelled, format=sources.judgments_format, columns=named_columns(sources.columns) or None)
    options = {"name": name, "dialect": asking.dialect, "purpose": asking.about.purpose, **asdict(asking.counting)}
    return evaluate(lists, measures=measures, **options)


def _three_lines(ev: Evaluation, digits: int | None) -> str:
    """Values that are rounded and not padded, as Python prints them: 0.5, not 0.50000."""
    values = zip(LABELLED_MEASURES, ev.means.values(), strict=True)
    return "\n".join(
        f"{name} = {round(value, LABELLED_DIGITS if digits is None else digits)}" for name, value in values
    )


def _show(evaluations: Sequence[Evaluation], showing: Showing, text: str = "", needed: float | None = None) -> None:
    """Save and show evaluations: as a table, as ``text``, or where a machine judged too as what both say together."""
    lang = spoken_language()
    shown = ShownEvaluations(
        evaluations, lang, showing.digits, showing.interval, showing.per_query, showing.interval_by or "t"
    )
    for ev in evaluations if showing.save else ():
        ev.save(_save_path(showing.save or "", ev.name))
    assisted = [] if showing.per_query else [ev.assisted for ev in evaluations if ev.assisted is not None]
    if assisted:
        together = assisted[0].beside(assisted[1:]).with_width(needed)
        showing.deliver(shown_text(together, showing.format or format_asked(showing.output, FORMATS), lang))
    elif not text and showing.format in (None, "table") and showing.output is None and sys.stdout.isatty():
        show([shown.table()])
        tell([""])
    else:
        is_json = showing.format == "json" and not text
        showing.deliver(json_answer(shown.to_dict()) if is_json else text or shown.to_text(showing.format))
    if not showing.quiet:
        tell(_talk(shown))
        showing.say_where(lang)


def _talk(shown: ShownEvaluations) -> list[str]:
    """What to know with the numbers: what was evaluated, what ties can do, how numbers are defined."""
    read = reading_line(ev.reading for ev in shown.evaluations)
    sentences = [*([read] if read else []), *shown.tie_notes()]
    if shown.per_query:
        sentences += [said("per_query_no_intervals")] if shown.intervals else []
    else:
        sentences += shown.dash_notes()
        if shown.intervals:
            sentences += shown.interval_notes()
        elif shown.is_sliced:
            sentences.append(said("do_slices_differ"))
    return [
        *_counts_shown(shown.evaluations, shown.lang),
        *(sentence.text(shown.lang) for sentence in sentences),
        *definition_talk(shown.measures, shown.lang, shown.label),
    ]


def _counts_shown(evaluations: Sequence[Evaluation], lang: Language) -> list[str]:
    """The counts, each once for all runs that share it."""
    facts: dict[str, list[str]] = {}
    for ev in evaluations:
        unused = {side.notes.get(UNUSED) for side in ev.reading.sides}  # the line about reading names them
        facts[ev.name] = [sentence for sentence in not_noted(ev.sentences()) if sentence not in unused]
    shared = [sentence for sentence in evaluations[0].sentences() if all(sentence in own for own in facts.values())]
    runs: dict[str, list[str]] = {}
    for name, sentences in facts.items():
        own = [in_language(sentence, lang) for sentence in sentences if sentence not in shared]
        runs.setdefault(BETWEEN[lang].join(own), []).append(name)
    named = [f"{', '.join(names)}{AFTER_NAME[lang]}{text}" for text, names in runs.items() if text]
    of_all = [in_language(sentence, lang) for sentence in shared]
    return [*named, *of_all] if named else [BETWEEN[lang].join(of_all)]
