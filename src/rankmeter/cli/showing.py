"""How results are shown: the text of every format, the table on a terminal, and the talk that goes with the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from rankmeter.cli.talk import not_noted
from rankmeter.inputs.reading import reading_line
from rankmeter.report import slice_tables, tables
from rankmeter.showing.characters import one_line

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.measures import Measure
    from rankmeter.measures.prose import Language

WIDEST_TABLE = 100_000
TIES_SHOWN = 6
"""How many notes about ties are shown; more would hide the numbers."""


def output_text(
    evaluations: Sequence[Evaluation],
    format: Literal["table", "json", "csv", "markdown", "latex"],
    *,
    per_query: bool,
    interval: bool,
    digits: int | None,
) -> str:
    """The numbers in one of the formats."""
    if format == "json":
        return tables.to_json(evaluations, per_query=per_query, intervals=interval, digits=digits)
    if format == "csv" and not per_query and any(ev.slices for ev in evaluations):
        return slice_tables.to_slice_csv(evaluations, digits=digits, intervals=interval)
    if format == "csv":
        return tables.to_csv(evaluations, per_query=per_query, intervals=interval, digits=digits)
    table = _table(evaluations, per_query=per_query, interval=interval, digits=digits)
    measures = tables.shared_measures(evaluations)
    notes = [] if per_query else slice_tables.dash_notes(evaluations)
    notes += slice_tables.interval_notes(evaluations) if interval and not per_query else []
    if format == "markdown":
        return tables.to_markdown(table, measures, notes) + "\n"
    if format == "latex":
        return tables.to_latex(table, measures, notes) + "\n"
    return tables.to_text(table) + "\n"


def print_table(evaluations: Sequence[Evaluation], *, per_query: bool, interval: bool, digits: int | None) -> None:
    """Print the table on a terminal, the best values in bold."""
    # rich is loaded only to print on a terminal.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = _table(evaluations, per_query=per_query, interval=interval, digits=digits)

    def rich_text(cell: tables.Cell) -> Text:
        text = Text(one_line(cell.text), style="bold" if cell.is_best else "")
        return text.append(f" {cell.span}", style="not bold") if cell.span else text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, name in enumerate(table.header):
        shown.add_column(Text(one_line(name)), justify="right" if column >= table.labels else "left", no_wrap=True)
    for row in table.rows:
        shown.add_row(*(rich_text(cell) for cell in row))
    # A table that is wider than the terminal is better broken by the terminal than cut by rich.
    Console(width=WIDEST_TABLE).print(shown)


def result_talk(
    evaluations: Sequence[Evaluation], *, digits: int | None, interval: bool = False, per_query: bool = False
) -> list[str]:
    """What a person should know with the numbers: what was evaluated, what ties can do, how numbers are defined."""
    shown = tables.DIGITS if digits is None else digits
    measures = tables.shared_measures(evaluations)
    return [
        *_facts(evaluations),
        *([read] if (read := reading_line(ev.reading for ev in evaluations)) else []),
        *tie_notes(evaluations, shown),
        *([] if per_query else slice_tables.dash_notes(evaluations)),
        *_interval_talk(evaluations, interval=interval, per_query=per_query),
        *definition_talk(measures),
    ]


def definition_talk(measures: Sequence[Measure], lang: Language = "en") -> list[str]:
    """How numbers are defined, and where the words of a definition are explained."""
    more = {"en": "What these words mean: ", "zh": "各词的含义："}[lang]
    option = "" if lang == "en" else f" --lang {lang}"
    return [*tables.definition_lines(measures, lang), f"{more}rankmeter explain '{measures[0]}'{option}"]


def _interval_talk(evaluations: Sequence[Evaluation], *, interval: bool, per_query: bool) -> list[str]:
    if per_query:
        return ["--per-query shows values, not intervals"] if interval else []
    if interval:
        return slice_tables.interval_notes(evaluations)
    if any(ev.slices for ev in evaluations):
        return ["whether slices differ: --interval adds intervals and the difference of each slice from the rest"]
    return []


def tie_notes(evaluations: Sequence[Evaluation], digits: int) -> list[str]:
    """Between which values ties can move each number, the widest first; what does not show is not said."""
    notes = []
    for ev in evaluations:
        for measure, (worst, best) in ev.tie_bounds.items():
            low, high = sorted((worst, best))
            texts = [tables.number(end, measure, digits) for end in (low, high)]
            if texts[0] != texts[1]:
                notes.append((high - low, f"ties can move {measure} of {ev.name} between {texts[0]} and {texts[1]}"))
    notes.sort(key=lambda note: -note[0])
    said = [text for _, text in notes[:TIES_SHOWN]]
    if len(notes) > TIES_SHOWN:
        said.append(
            f"ties can move {len(notes) - TIES_SHOWN} more of these numbers, by less; --format json has all bounds"
        )
    return said


def _facts(evaluations: Sequence[Evaluation]) -> list[str]:
    """The counts, once for all runs that share them."""
    runs: dict[str, list[str]] = {}
    for ev in evaluations:
        runs.setdefault("; ".join(not_noted(ev.sentences())), []).append(ev.name)
    if len(runs) == 1:
        return list(runs)
    return [f"{', '.join(names)}: {sentences}" for sentences, names in runs.items()]


def _table(evaluations: Sequence[Evaluation], *, per_query: bool, interval: bool, digits: int | None) -> tables.Table:
    shown = tables.DIGITS if digits is None else digits
    if per_query:
        return tables.query_table(evaluations, digits=shown)
    if any(ev.slices for ev in evaluations):
        return slice_tables.slice_table(evaluations, digits=shown, intervals=interval)
    return tables.mean_table(evaluations, digits=shown, intervals=interval)
