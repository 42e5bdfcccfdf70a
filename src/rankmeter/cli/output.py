"""What commands print: numbers in every format, tables that fit the terminal, and the notes that go with them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankmeter.cli.parameters import format_asked, was_given
from rankmeter.cli.talk import not_noted, tell
from rankmeter.inputs.reading import UNUSED, reading_line
from rankmeter.report.evaluations import (
    dash_notes,
    definition_lines,
    interval_notes,
    mean_table,
    number,
    query_table,
    shared_measures,
    slice_table,
    to_csv,
    to_json,
)
from rankmeter.showing.document import Block, Document, Paragraph, Table, items
from rankmeter.showing.numbers import DIGITS
from rankmeter.showing.terminal import document_text, terminal_width
from rankmeter.wording import Language, Said, in_language, said, word

if TYPE_CHECKING:
    from rankmeter.cli.options import Delivery, Showing
    from rankmeter.comparing.results import Comparison
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.measures import Measure
    from rankmeter.report.comparisons import ShownComparison
    from rankmeter.showing.showable import Showable, ShownAsTable

WIDEST = 100
"""The width beyond which lines are hard to read."""
TIES_SHOWN = 6
"""How many notes about ties are shown; more would hide the numbers."""


def terminal_options() -> dict[str, Any]:
    """How standard output shows a document: fitted and in colour on a terminal, complete and plain otherwise."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    bars = {"bars": "blocks" if "utf" in encoding else "ascii"}
    if (width := terminal_width()) is None:
        return bars
    return {**bars, "width": width, "styled": is_styled()}


def is_styled() -> bool:
    """Whether standard output shows bold letters."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def readable_width() -> int:
    """The width for prose: that of the terminal, within reason."""
    return min(terminal_width() or WIDEST, WIDEST)


def show(document: Document, lang: Language = "en") -> None:
    """Print a document; its renderer has removed control sequences."""
    text = document_text(document, lang=lang, **terminal_options())
    click.echo(text, color=True)


def shown_text(result: Showable, format: str, lang: Language) -> str:
    """A result in one of its formats; text fits the terminal."""
    if format == "json":
        return result.to_json()
    if format == "html":
        from rankmeter.showing.html import page_html

        return page_html(result.document(lang), lang=lang)
    if format == "markdown":
        return result.to_markdown(lang)
    return result.to_text(lang, width=terminal_options().get("width"))


def deliver_shown(result: ShownAsTable, format: str | None, delivery: Delivery, lang: Language) -> None:
    """Write or print a result in the format asked for, or that the ending of the output file asks for."""
    meant = format_asked(format, delivery.output)
    if meant == "latex":
        from rankmeter.showing.latex import table_latex

        text = "\n".join(table_latex(block, []) for block in result.document(lang) if isinstance(block, Table))
    elif meant == "csv":
        from rankmeter.inputs.cells import frame_csv

        text = frame_csv(result.to_polars())
    else:
        text = shown_text(result, meant, lang)
    delivery.deliver(text if text.endswith("\n") else text + "\n")


def deliver_tables(tables: Document, delivery: Delivery, lang: Language) -> None:
    """Write or print tables as text, which fits the terminal if it goes there."""
    options = terminal_options() if delivery.output is None else {}
    delivery.deliver(document_text(tables, lang=lang, **{**options, "styled": False}) + "\n")


def output_text(evaluations: Sequence[Evaluation], showing: Showing, lang: Language = "en") -> str:
    """The numbers in one of the formats."""
    asked: dict[str, Any] = {"per_query": showing.per_query, "intervals": showing.interval, "digits": showing.digits}
    if showing.format in ("json", "csv"):
        return to_json(evaluations, **asked) if showing.format == "json" else to_csv(evaluations, **asked)
    table = result_table(evaluations, showing, lang)
    if showing.format in (None, "table"):
        return document_text([table]) + "\n"
    notes = [] if showing.per_query else dash_notes(evaluations)
    notes += interval_notes(evaluations) if showing.interval and not showing.per_query else []
    defined = definition_lines(shared_measures(evaluations), lang, evaluations[0].label)
    lines = [*(note.text(lang) for note in notes), *defined]
    if showing.format == "latex":
        from rankmeter.showing.latex import table_latex

        return table_latex(table, lines) + "\n"
    from rankmeter.showing.markdown import document_markdown

    return document_markdown([table, *items(lines)]) + "\n"


def result_table(evaluations: Sequence[Evaluation], showing: Showing, lang: Language = "en") -> Table:
    """The table of some evaluations."""
    digits = DIGITS if showing.digits is None else showing.digits
    if showing.per_query:
        return query_table(evaluations, digits=digits, lang=lang)
    table = slice_table if any(ev.slices for ev in evaluations) else mean_table
    return table(evaluations, digits=digits, intervals=showing.interval, lang=lang)


def result_talk(evaluations: Sequence[Evaluation], showing: Showing, lang: Language = "en") -> list[str]:
    """What to know with the numbers: what was evaluated, what ties can do, how numbers are defined."""
    sentences = [
        *([read] if (read := reading_line(ev.reading for ev in evaluations)) else []),
        *tie_notes(evaluations, DIGITS if showing.digits is None else showing.digits),
        *([] if showing.per_query else dash_notes(evaluations)),
        *_interval_talk(evaluations, showing),
    ]
    return [
        *_facts(evaluations, lang),
        *(sentence.text(lang) for sentence in sentences),
        *definition_talk(shared_measures(evaluations), lang, evaluations[0].label),
    ]


def definition_talk(
    measures: Sequence[Measure], lang: Language = "en", label: Callable[[Measure], str] = str
) -> list[str]:
    """How numbers are defined, and the command that explains the definitions."""
    option = "" if lang == "en" else f" --lang {lang}"
    command = f"rankmeter explain '{measures[0]}'{option}"
    return [*definition_lines(measures, lang, label), word("definition_words", lang, command=command)]


def _interval_talk(evaluations: Sequence[Evaluation], showing: Showing) -> list[Said]:
    if showing.per_query:
        return [said("per_query_no_intervals")] if showing.interval else []
    if showing.interval:
        return interval_notes(evaluations)
    return [said("do_slices_differ")] if any(ev.slices for ev in evaluations) else []


def tie_notes(evaluations: Sequence[Evaluation], digits: int) -> list[Said]:
    """The range over which ties can move each number, the widest first, if it shows in the digits printed."""
    notes = []
    for ev in evaluations:
        for measure, (worst, best) in ev.tie_bounds.items():
            low, high = sorted((worst, best))
            ends = [number(end, measure, digits) for end in (low, high)]
            if ends[0] != ends[1]:
                note = said("ties_can_move", measure=ev.label(measure), system=ev.name, low=ends[0], high=ends[1])
                notes.append((high - low, note))
    notes.sort(key=lambda note: -note[0])
    more = [said("ties_can_move_more", count=len(notes) - TIES_SHOWN)] if len(notes) > TIES_SHOWN else []
    return [*(note for _, note in notes[:TIES_SHOWN]), *more]


def _facts(evaluations: Sequence[Evaluation], lang: Language) -> list[str]:
    """The counts, each once for all runs that share it."""
    facts: dict[str, list[str]] = {}
    for ev in evaluations:
        unused = {side.notes.get(UNUSED) for side in ev.reading.sides}  # the line about reading names them
        facts[ev.name] = [sentence for sentence in not_noted(ev.sentences()) if sentence not in unused]
    shared = [sentence for sentence in evaluations[0].sentences() if all(sentence in own for own in facts.values())]
    runs: dict[str, list[str]] = {}
    between = "；" if lang == "zh" else "; "
    for name, sentences in facts.items():
        own = [in_language(sentence, lang) for sentence in sentences if sentence not in shared]
        runs.setdefault(between.join(own), []).append(name)
    named = [f"{', '.join(names)}: {text}" for text, names in runs.items() if text]
    of_all = [in_language(sentence, lang) for sentence in shared]
    return [*named, *of_all] if named else [between.join(of_all)]


def deliver_comparison(
    cmp: Comparison, format: str, delivery: Delivery, digits: int, lang: Language, *, details: bool
) -> None:
    """Write or print the numbers of a comparison in one of the formats."""
    from rankmeter.report.comparisons import ShownComparison

    shown = ShownComparison(cmp, lang, digits)
    if format == "table" and delivery.output is None:
        _show_comparison(shown, quiet=delivery.quiet, details=details or not is_styled())
    elif format == "csv":
        delivery.deliver(_tests_csv(cmp))
    else:
        texts = {"json": cmp.to_json, "markdown": shown.to_markdown, "latex": shown.to_latex, "table": shown.to_text}
        delivery.deliver(texts[format]() + "\n")


def _show_comparison(shown: ShownComparison, *, quiet: bool, details: bool) -> None:
    """On a terminal print the answer and one table; with details, and for programs, every table."""
    cmp, lang = shown.cmp, shown.lang
    is_grid = not details and len(cmp.measures) > 1
    answer: list[Block] = [Paragraph(line) for line in shown.texts(shown.verdict())]
    if details:
        if not quiet:
            tell([word("quality", lang), *document_text(shown.quality_blocks(), lang=lang).splitlines(), ""])
            tell([*document_text(answer).splitlines(), ""] if answer else [])
        show(shown.board_blocks(), lang)
    elif is_grid:
        best_first = [score.system for score in cmp.ranked(cmp.measures[0])]
        show([*answer, shown.grid(best_first), *shown.assisted_blocks()], lang)
    else:
        show([*answer, *shown.board_blocks()], lang)
    if not quiet:
        sys.stdout.flush()
        notes = [] if details else [word("note", lang, text=note) for note in cmp.notes]
        kinds = ["more_with_details"] if was_given("report") else ["more_with_details", "more_on_page"]
        more = [] if details else [*_recognised(cmp, lang), *(word(kind, lang) for kind in kinds)]
        marks = shown.legend() if details else shown.marks_mean() if is_grid else shown.board_marks()
        tell(["", *marks, *notes, *more])


def _recognised(cmp: Comparison, lang: Language) -> list[str]:
    """What exports of other tools were recognised as, which is always printed."""
    exports = any(side.export for reading in cmp.reading.values() for side in reading.sides)
    line = reading_line(cmp.reading.values()) if exports else None
    return [line.text(lang)] if line else []


def _tests_csv(cmp: Comparison) -> str:
    """A row per pair; with slices, rows about all queries have no slice."""
    from rankmeter.inputs.cells import frame_csv

    if not cmp.slice_differences:
        return frame_csv(cmp.tests)
    import polars as pl

    inside = cmp.slice_tests.drop("tests")
    rows = pl.concat([cmp.tests, inside], how="diagonal")
    return frame_csv(rows.select("by", "slice", *cmp.tests.columns))
