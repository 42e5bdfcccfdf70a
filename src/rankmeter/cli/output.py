"""What commands print: in which format, language and place, fitted to a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import click

from rankmeter.cli.bilingual import LANG
from rankmeter.cli.parameters import Writes, WritesEach, option
from rankmeter.cli.talk import echo, say, tell
from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.showing.document import Document, Table
from rankmeter.showing.numbers import json_text
from rankmeter.showing.terminal import document_text, terminal_width
from rankmeter.whole_files import write_text
from rankmeter.wording import Language, word

if TYPE_CHECKING:
    from rankmeter.late import pl
    from rankmeter.measures import Measure
    from rankmeter.measures.dialects import Dialect
    from rankmeter.showing.showable import Showable, ShownAsTable, ToldTable
    from rankmeter.wording import Said

OutputFormat = Literal["table", "json", "csv", "markdown", "latex"]
FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)
AnswerFormat = Literal["table", "json", "csv", "markdown", "html"]
Format = TypeVar("Format", bound=str)
_FORMAT_OF = {
    "": "table", ".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html",
    ".htm": "html",
}  # fmt: skip
SCHEMA = 1
"""The version of the schemas of JSON answers."""
WIDEST = 100
"""The width beyond which lines are hard to read."""


def format_asked(output: Path | None, formats: Sequence[Format]) -> Format:
    """The format that the ending of a file asks for; a table for standard output."""
    ending = "" if output is None else output.suffix.lower()
    for name in formats:
        if name == _FORMAT_OF.get(ending):
            return name
    endings = [known for known, name in _FORMAT_OF.items() if name in formats and known]
    kind = "cli.output_is_html" if ending in (".html", ".htm") else "cli.unknown_ending"
    raise InputError.of(kind, source=str(output), ending=ending, endings=endings)


def terminal_options() -> dict[str, Any]:
    """How standard output shows a document: fitted and in colour on a terminal, complete and plain otherwise."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    bars = {"bars": "blocks" if "utf" in encoding else "ascii"}
    width = terminal_width()
    return bars if width is None else {**bars, "width": width, "styled": is_styled()}


def is_styled() -> bool:
    """Whether standard output shows bold letters."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def readable_width() -> int:
    """The width for prose: that of the terminal, within reason."""
    return min(terminal_width() or WIDEST, WIDEST)


def show(document: Document) -> None:
    """Print a document; its renderer has removed control sequences."""
    click.echo(document_text(document, **terminal_options()), color=True)


def definition_talk(
    measures: Sequence[Measure], lang: Language = "en", label: Callable[[Measure], str] = str
) -> list[str]:
    """How numbers are defined, and the command that explains the definitions."""
    from rankmeter.report.evaluations import definition_lines

    option = "" if lang == "en" else f" --lang {lang}"
    command = f"rankmeter explain '{measures[0]}'{option}"
    return [*definition_lines(measures, lang, label), word("definition_words", lang, command=command)]


def metric_talk(spoken: Dialect, meant: Mapping[str, Measure], lang: Language) -> list[str]:
    """The measures that metrics of another tool stand for, each metric followed by what is to be known about it."""
    lines: list[str] = []
    for text, measure in meant.items():
        lines.append(word("tool_metric", lang, tool=str(spoken), text=text, measure=str(measure)))
        metric = spoken.find(text)[0]
        if metric.reason:
            lines.append(word("tool_note", lang, metric=metric.name, note=metric.reason[lang]))
    return list(dict.fromkeys(lines))


def json_answer(told: Any) -> str:
    """What the running command answers as JSON: the name of its schema, then what is told; rows stand under a name.

    docs/reference/schema describes each answer. The number goes up when a key goes or means something else.
    """
    context = click.get_current_context()
    names = [str(context.info_name)]
    while context.parent is not None and (context := context.parent).parent is not None:
        names.insert(0, str(context.info_name))
    envelope = {"schema": f"rankmeter/{'-'.join(names)}/{SCHEMA}"}
    return json_text({**envelope, **(told if isinstance(told, dict) else {"rows": told})})


def shown_text(result: Showable, format: str, lang: Language) -> str:
    """A result in one of its formats; text fits the terminal."""
    if format == "json":
        return json_answer(result.to_dict())
    if format == "html":
        from rankmeter.showing.html import page_html

        return page_html(result.page(lang), lang=lang)
    if format == "markdown":
        return result.to_markdown(lang)
    if format == "latex":
        return result.to_latex(lang)
    if format == "csv":
        from rankmeter.inputs.cells import frame_csv

        return frame_csv(result.to_polars())  # type: ignore[attr-defined]  # only tables are asked for as CSV
    return result.to_text(lang, width=terminal_options().get("width"))


@dataclass(frozen=True, slots=True)
class Delivery:
    """Where the numbers go, and whether anything else is printed."""

    output: Path | None = option(type=Writes())
    quiet: bool = option("-q", "--quiet", default=False)

    def deliver(self, text: str) -> None:
        """Write the numbers to the file, or print them."""
        if self.output is None:
            echo(text)
        else:
            write_text(self.output, text if text.endswith("\n") else text + "\n")

    def deliver_frame(self, frame: pl.DataFrame, format: str = "csv") -> None:
        """Write or print a table as CSV or JSON."""
        from rankmeter.inputs.cells import frame_csv

        self.deliver(json_answer(frame.to_dicts()) if format == "json" else frame_csv(frame))

    def say_where(self, lang: Language) -> None:
        """Print which file the numbers went to."""
        if self.output is not None and not self.quiet:
            say(word("written_to", lang, place=str(self.output)))


@dataclass(frozen=True, slots=True)
class Showing(Delivery):
    """How the numbers of evaluations are shown and saved."""

    per_query: bool = option(default=False)
    interval: bool = option(default=False)
    interval_by: Literal["t", "hall", "bounded", "bca", "percentile"] | None = option()
    digits: int | None = option(type=click.IntRange(0, 17), metavar="NUMBER")
    save: str | None = option(type=WritesEach(), metavar="FILE")
    format: OutputFormat | None = option(type=click.Choice(FORMATS))


@dataclass(frozen=True, slots=True)
class Answer(Delivery):
    """How a result is printed that has both a document and a table: in which language and format, and where."""

    lang: Language = field(default="en", metadata={"option": ((), LANG)})
    format: AnswerFormat | None = option(type=click.Choice(get_args(AnswerFormat)))

    @property
    def meant(self) -> str:
        """The format that was asked for, or that the ending of the file asks for."""
        return self.format or format_asked(self.output, get_args(AnswerFormat))

    def give(self, result: ShownAsTable) -> None:
        """Write or print the whole document of a result."""
        self.deliver(shown_text(result, self.meant, self.lang))
        self.say_where(self.lang)

    def give_tables(self, result: ShownAsTable, tables: Sequence[Table], sentences: Sequence[Said]) -> None:
        """Write or print the tables of a result, and its sentences on standard error."""
        if not self.quiet:
            tell([sentence.text(self.lang) for sentence in sentences])
        if self.meant != "table":
            self.give(result)
            return
        options = terminal_options() if self.output is None else {}
        self.deliver(document_text(tables, **{**options, "styled": False}))
        self.say_where(self.lang)

    def tell(self, result: ToldTable) -> None:
        """Write or print the table of a result, and its sentences on standard error."""
        self.give_tables(result, [result.table(self.lang)], result.sentences())


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """How a result for reading is printed: in which language, as text, Markdown, a page or data."""

    lang: Language = field(default="en", metadata={"option": ((), LANG)})
    format: Literal["text", "markdown", "html", "json"] = option(default="text", help="format-of-text")

    def give(self, result: Showable) -> None:
        """Print a result; text fits the terminal."""
        echo(shown_text(result, self.format, self.lang))
