"""Rows of text as columns: which of them are numbers, and how they stand in a terminal and in Markdown."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns for a terminal: numbers to the right, text to the left.

    Examples
    --------
    >>> print(*aligned(["axis", "change"], [["gain", "-0.25"], ["ties", "0.5"]]), sep="|")
    axis  change|gain   -0.25|ties     0.5
    """
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(width, column)) for column in columns]
    right = numeric(head, rows)

    def line(cells: Sequence[str]) -> str:
        spaces = [" " * (wide - width(cell)) for cell, wide in zip(cells, widths, strict=True)]
        each = zip(cells, spaces, right, strict=True)
        return "  ".join(space + cell if to_right else cell + space for cell, space, to_right in each).rstrip()

    return [line(head), *(line(row) for row in rows)]


def pipes(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table; numbers to the right."""
    marks = ["---:" if right else "---" for right in numeric(head, rows)]
    lines = [f"| {' | '.join(map(escaped, head))} |", f"|{'|'.join(marks)}|"]
    return [*lines, *(f"| {' | '.join(map(escaped, row))} |" for row in rows)]


def numeric(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Which columns hold numbers, here and there perhaps nothing."""
    columns = ([cell for cell in column[1:] if cell] for column in zip(head, *rows, strict=True))
    return [bool(cells) and all(map(_is_number, cells)) for cells in columns]


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    for mark in "\\`*_|<>#":
        text = text.replace(mark, "\\" + mark)
    return text


def width(text: str) -> int:
    """How many columns a terminal gives to a text: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _is_number(text: str) -> bool:
    if text == "-":
        return True  # stands where a number is missing
    try:
        float(text.replace(",", ""))
    except ValueError:
        return False
    return True
