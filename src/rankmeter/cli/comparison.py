"""What ``rankmeter compare`` prints or writes: numbers to standard output or a file, talk to standard error."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rankmeter.cli.talk import echo, tell
from rankmeter.inputs.spreadsheets import frame_csv
from rankmeter.measures.prose import Language
from rankmeter.whole_files import write_text

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison


def deliver(cmp: Comparison, format: str, output: Path | None, digits: int, lang: Language, *, quiet: bool) -> None:
    """Give the numbers in one of the formats, to a file or to standard output."""
    if format == "table" and output is None:
        _show(cmp, digits, lang, quiet=quiet)
        return
    text = _text(cmp, format, digits, lang)
    if output is None:
        echo(text)
    else:
        write_text(output, text)


def _show(cmp: Comparison, digits: int, lang: Language, *, quiet: bool) -> None:
    """The tables on standard output, and what belongs to them on standard error, before and after."""
    from rankmeter.report import comparisons

    if not quiet:
        tell([comparisons.quality_text(cmp, digits=digits, lang=lang), ""])
    if sys.stdout.isatty():
        _print(cmp, digits, lang)
    else:
        echo(_boards(cmp, digits, lang))
    if not quiet:
        sys.stdout.flush()
        tell(["", *comparisons.legend(cmp, lang)])


def _text(cmp: Comparison, format: str, digits: int, lang: Language) -> str:
    from rankmeter.report import comparisons

    if format == "json":
        return cmp.to_json() + "\n"
    if format == "csv":
        return _tests_csv(cmp)
    if format == "markdown":
        return comparisons.to_markdown(cmp, digits=digits, lang=lang) + "\n"
    if format == "latex":
        return comparisons.to_latex(cmp, digits=digits, lang=lang) + "\n"
    return comparisons.to_text(cmp, digits=digits, lang=lang) + "\n"


def _tests_csv(cmp: Comparison) -> str:
    """A row per pair; where slices were asked for, rows of all queries together have none of the slice's columns."""
    if not cmp.slice_differences:
        return frame_csv(cmp.tests)
    import polars as pl

    inside = cmp.slice_tests.drop("tests")
    rows = pl.concat([cmp.tests, inside], how="diagonal")
    return frame_csv(rows.select("by", "slice", *cmp.tests.columns))


def _boards(cmp: Comparison, digits: int, lang: Language) -> str:
    """The numbers alone, which standard output gets; what belongs to them is said on standard error."""
    from rankmeter.report import comparisons

    unicode = "utf" in (getattr(sys.stdout, "encoding", None) or "").lower()
    return comparisons.boards_text(cmp, digits=digits, bars="blocks" if unicode else "ascii", lang=lang) + "\n"


def _print(cmp: Comparison, digits: int, lang: Language) -> None:
    """On a terminal: the same numbers, with the best group in colour."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in _boards(cmp, digits, lang).splitlines():
        style = "bold green" if line.startswith("*  ") else ""
        console.print(Text(line, style=style), soft_wrap=True)
