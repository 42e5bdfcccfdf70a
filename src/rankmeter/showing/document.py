"""What people read, as data: headings, paragraphs, tables with typed cells, charts. Every medium renders it.

What a cell means (the best of its column, significantly better) is a mark; which glyph, colour or weight shows it is
the renderer's business, and so is escaping.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from rankmeter.frozen import dataclass
from rankmeter.showing.numbers import DIGITS, NONE, fixed, number_or_none, p_text, signed

Kind = Literal["text", "number", "count", "difference", "interval", "p", "share", "bar", "mark"]
Mark = Literal["best", "up", "down"]
Span = tuple[float | None, float | None]
ARROWS: Mapping[Mark, str] = {"up": "↑", "down": "↓"}
"""Glyphs of significant differences, for media without other means: up is better."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, the kind of its values, and how much it matters."""

    head: str
    kind: Kind = "number"
    importance: int = 0
    """A narrow terminal drops the column with the highest number first; 0 always stays."""
    digits: int = DIGITS
    is_code: bool = False
    """Whether its cells are names that are typed, such as measures."""

    @property
    def is_text(self) -> bool:
        """Whether it is aligned to the left."""
        return self.kind in ("text", "mark")


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry: a value, what it means, and the interval that belongs to it."""

    value: Any = None
    """A number or a text; a text in a column of numbers says why there is none. None where there is nothing."""
    marks: frozenset[Mark] = frozenset()
    span: Span | str | None = None
    """The ends of an interval; a text where there is none."""
    raised: str = ""
    """The superscript behind it: the numbers of the systems that are beaten."""
    digits: int | None = None
    """Where they are not those of the column: a count among means has none."""
    sort: float | None = None
    """What it is sorted by, where that is not the value."""
    shade: int | None = None
    """How relevant an item is, from 0 to 3: the colours of grades."""

    def text(self, column: Column) -> str:
        """The value as it is written, without its marks and its interval."""
        if self.value is None:
            return "" if column.is_text or column.kind in ("bar", "interval") else NONE
        if isinstance(self.value, str):
            return self.value
        return _WRITTEN[column.kind](self.value, self.digits_in(column))

    def digits_in(self, column: Column) -> int:
        """How many digits it has: its own, or those of its column."""
        return column.digits if self.digits is None else self.digits

    def span_text(self, column: Column) -> str:
        """The interval as it is written."""
        if self.span is None or isinstance(self.span, str):
            return self.span or ""
        write = signed if column.kind == "difference" else fixed
        low, high = (write(end, self.digits_in(column)) for end in self.span)
        return f"[{low}, {high}]"

    def whole(self, column: Column) -> str:
        """Value, interval and arrow as a text of one line."""
        parts = [text for text in (self.text(column), self.span_text(column)) if text]
        return " ".join(parts) + self.arrow

    @property
    def arrow(self) -> str:
        """An arrow where the difference is significant."""
        return next((ARROWS[mark] for mark in ARROWS if mark in self.marks), "")


_WRITTEN: Mapping[Kind, Callable[[Any, int], str]] = {
    "text": lambda value, _: str(value),
    "number": fixed,
    "count": lambda value, _: f"{value:,}",
    "difference": signed,
    "p": lambda value, _: p_text(value),
    "share": lambda value, digits: f"{value:.{min(digits, 1)}%}",
    **dict.fromkeys(("interval", "bar", "mark"), lambda _, __: ""),
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    name: str = ""
    """The id of the table in a page."""

    def only(self, is_kept: Callable[[Column], bool]) -> Table:
        """The table with some of its columns."""
        places = [at for at, column in enumerate(self.columns) if is_kept(column)]
        rows = tuple(tuple(row[at] for at in places) for row in self.rows)
        return replace(self, columns=tuple(self.columns[at] for at in places), rows=rows)

    def turned(self) -> Table | None:
        """The table transposed, if it is a column of names and columns of numbers; else None."""
        first, *rest = self.columns
        if first.kind != "text" or not rest or any(column.kind != "number" for column in rest):
            return None
        columns = (first, *(Column(row[0].text(first)) for row in self.rows))
        turned = (
            (Cell(column.head), *(replace(row[at], digits=row[at].digits_in(column)) for row in self.rows))
            for at, column in enumerate(rest, 1)
        )
        return replace(self, columns=columns, rows=tuple(turned))

    def head(self, count: int) -> Table:
        """The first rows."""
        return replace(self, rows=self.rows[:count])

    def scale(self, at: int) -> tuple[float, float]:
        """The scale on which everything in one column is drawn."""
        ends = [end for row in self.rows for end in _drawn(row[at])]
        return (min(ends), max(ends)) if ends else (0.0, 1.0)


def _drawn(cell: Cell) -> list[float]:
    span = cell.span if isinstance(cell.span, tuple) else ()
    numbers = [end for end in (cell.value, *span) if isinstance(end, (int, float))]
    return [float(end) for end in numbers if math.isfinite(end)]


def number_cell(value: float | None, low: float | None = math.nan, high: float | None = math.nan) -> Cell:
    """A number and its interval; NaN and None are not shown."""
    return Cell(number_or_none(value), span=None if number_or_none(low) is None else (low, high))


def text_table(
    heads: Sequence[str], rows: Sequence[Sequence[object]], kinds: Sequence[Kind], digits: int = DIGITS, **facts: Any
) -> Table:
    """A table of plain values."""
    columns = tuple(Column(head, kind, digits=digits) for head, kind in zip(heads, kinds, strict=True))
    return Table(columns, tuple(tuple(map(Cell, row)) for row in rows), **facts)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of what follows."""

    text: str
    level: int = 2
    """1 for a whole document."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences; an ``item`` is one of a list, ``code`` and ``formula`` are shown verbatim."""

    text: str
    style: Literal["plain", "note", "hint", "item", "code", "formula", "alarm"] = "plain"
    depth: int = 0
    """How deep an item is nested."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, as Vega-Lite with its data."""

    name: str
    title: str
    spec: Mapping[str, Any]
    hint: str = ""
    instead: str = ""
    """What stands for it where there are no pictures, drawn with letters."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What unfolds on demand."""

    title: str
    parts: tuple[Block, ...]


Block = Heading | Paragraph | Table | Chart | Folded
Document = Sequence[Block]


def without_pictures(document: Document) -> list[Heading | Paragraph | Table | Folded]:
    """What text shows: in place of a picture what is drawn with letters, or nothing."""
    drawn = (Paragraph(block.instead, "code") if isinstance(block, Chart) else block for block in document)
    return [block for block in drawn if not isinstance(block, Paragraph) or block.text or block.style != "code"]


def items(texts: Sequence[str]) -> list[Paragraph]:
    """The items of a list; one that begins with blanks is nested in the one before."""
    return [Paragraph(text.strip(), "item", 1 if text.startswith(" ") else 0) for text in texts]
