"""Rows of text as columns: which of them are numbers, and how they stand in a terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from rankmeter.showing.characters import one_line, width_of
from rankmeter.showing.markdown import markdown_text


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns for a terminal: numbers to the right, text to the left.

    Examples
    --------
    >>> print(*aligned(["axis", "change"], [["gain", "-0.25"], ["ties", "0.5"]]), sep="|")
    axis  change|gain   -0.25|ties     0.5
    """
    head, rows = list(map(one_line, head)), [list(map(one_line, row)) for row in rows]
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(width_of, column)) for column in columns]
    right = numeric(head, rows)

    def line(cells: Sequence[str]) -> str:
        spaces = [" " * (wide - width_of(cell)) for cell, wide in zip(cells, widths, strict=True)]
        each = zip(cells, spaces, right, strict=True)
        return "  ".join(space + cell if to_right else cell + space for cell, space, to_right in each).rstrip()

    return [line(head), *(line(row) for row in rows)]


def pipes(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table; numbers to the right."""
    marks = ["---:" if right else "---" for right in numeric(head, rows)]
    lines = [f"| {' | '.join(map(markdown_text, head))} |", f"|{'|'.join(marks)}|"]
    return [*lines, *(f"| {' | '.join(map(markdown_text, row))} |" for row in rows)]


def numeric(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Which columns hold numbers, here and there perhaps nothing."""
    columns = ([cell for cell in column[1:] if cell] for column in zip(head, *rows, strict=True))
    return [bool(cells) and all(map(_is_number, cells)) for cells in columns]


def _is_number(text: str) -> bool:
    if text == "-":
        return True  # stands where a number is missing
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True
