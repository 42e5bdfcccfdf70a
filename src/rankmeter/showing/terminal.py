"""Documents for a terminal: aligned columns that fit its width, no control characters from data."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from shutil import get_terminal_size
from typing import Literal

from rankmeter.showing.document import Cell, Column, Document, Heading, Paragraph, Table, without_pictures
from rankmeter.wording.characters import one_line, shortened, width_of, wrapped

Bars = Literal["blocks", "ascii"]
BAR_WIDTH = 12
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BEST = "*"
"""Stands before a system that cannot be separated from the best."""
_RAISED = str.maketrans("0123456789,-", "⁰¹²³⁴⁵⁶⁷⁸⁹˒⁻")
_HANGING = "    "
"""The indentation of the rest of a line of code that is too long."""
_LEAST_NAME = 12
"""No name is shortened to less than this width."""
_LEAST_PROSE = 24
"""The least width in which a last column of text is wrapped; with less it is shortened."""


def terminal_width() -> int | None:
    """The columns of the terminal that standard output is; None where it is a file, a pipe or a notebook."""
    return get_terminal_size().columns if sys.stdout.isatty() else None


def bar(share: float, *, bars: Bars = "blocks", width: int = BAR_WIDTH) -> str:
    """A small bar for a share between 0 and 1.

    >>> bar(0.5, width=4), bar(0.3, width=4), bar(0.5, bars="ascii", width=4)
    ('██  ', '█▎  ', '##  ')
    """
    share = min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0
    if bars == "ascii":
        return ("#" * round(share * width)).ljust(width)
    whole, part = divmod(round(share * width * 8), 8)
    return ("█" * whole + (_EIGHTHS[part] if part else "")).ljust(width)


def document_text(document: Document, *, width: int | None = None, bars: Bars = "blocks", styled: bool = False) -> str:
    """Everything as text; what follows a heading is indented by two blanks."""
    parts: list[str] = []
    indent = ""
    before: object = None
    for block in without_pictures(document):
        lines: list[str]
        if isinstance(block, Heading):
            lines, indent = [one_line(block.text)] if block.text else [], "" if block.level == 1 else "  "
        elif isinstance(block, Table):
            room = None if width is None else width - len(indent)
            text = table_text(block, width=room, bars=bars, styled=styled)
            lines = [f"{indent}{line}".rstrip() for line in text.splitlines()]
        elif isinstance(block, Paragraph):
            lines = _paragraph(block, indent, width)
        else:
            room = None if width is None else width - 2
            folded = document_text(block.parts, width=room, bars=bars, styled=styled)
            lines = [one_line(block.title), *(f"  {line}".rstrip() for line in folded.splitlines())]
        parts += ([""] if _is_apart(before, block) else []) + lines
        before = None if isinstance(block, Heading) and not block.text else block
    return "\n".join(parts)


def _is_apart(before: object, block: object) -> bool:
    """Whether an empty line stands between two blocks."""
    if before is None or (isinstance(before, Heading) and before.level > 1):
        return False
    if isinstance(before, Table) and isinstance(block, Paragraph):
        return block.style == "plain"
    return not (isinstance(before, Paragraph) and isinstance(block, Paragraph))


def _paragraph(block: Paragraph, indent: str, width: int | None) -> list[str]:
    lines = []
    for line in block.text.splitlines() or [""]:
        own = indent + "  " * block.depth + line[: len(line) - len(line.lstrip())]
        text = one_line(line.strip())
        if width is None or (block.style == "code" and width_of(own + text) <= width):
            lines.append(f"{own}{text}".rstrip())
        elif block.style == "code":
            first, *rest = wrapped(text, width - len(_HANGING), own)
            lines += [first, *(_HANGING + line for line in rest)]
        else:
            lines += wrapped(text, width, own)
    return lines


def table_text(table: Table, *, width: int | None = None, bars: Bars = "blocks", styled: bool = False) -> str:
    """Aligned columns, two blanks between them; those that do not fit follow below, the least important last.

    >>> from rankmeter.showing.document import text_table
    >>> print(table_text(text_table(["axis", "change"], [["gain", -0.25], ["ties", 0.5]], ["text", "number"])))
    axis   change
    gain  -0.2500
    ties   0.5000
    """
    blocks = [table] if width is None else _blocks(table, width, bars)
    return "\n\n".join("\n".join(_lines(block, width, bars, styled=styled)) for block in blocks)


def _lines(table: Table, width: int | None, bars: Bars, *, styled: bool) -> list[str]:
    heads = [one_line(column.head) for column in table.columns]
    texts = [heads]
    texts += [[_text(cell, column, bars) for cell, column in zip(row, table.columns, strict=True)]
              for row in table.rows]  # fmt: skip
    widths = [max(width_of(line[at]) for line in texts) for at in range(len(table.columns))]
    room = _room_for_prose(table, width, bars)
    widths[-1:] = [min(size, room or size) for size in widths[-1:]]
    to_the_right = [not column.is_text for column in table.columns]
    lines = []
    for number, line in enumerate(texts):
        hanging: list[str] = []
        if room is not None:
            line[-1], *hanging = wrapped(line[-1], room)
        if not number and not any(heads):
            continue  # without any heads there is no line for them
        cells = table.rows[number - 1] if number else ()
        padded = [
            _padded(text, size, right=right) for text, size, right in zip(line, widths, to_the_right, strict=True)
        ]
        if styled:
            padded = [_styled(text, cells[at] if cells else None) for at, text in enumerate(padded)]
        lines.append("  ".join(padded).rstrip())
        lines += [" " * (sum(widths[:-1]) + 2 * len(widths[:-1])) + rest for rest in hanging]
    return lines


def _text(cell: Cell, column: Column, bars: Bars) -> str:
    if column.kind == "bar":
        return "" if cell.value is None else bar(float(cell.value), bars=bars)
    if column.kind == "mark":
        return _BEST if "best" in cell.marks else ""
    raised = cell.raised.translate(_RAISED) if bars == "blocks" else cell.raised and f" {cell.raised}"
    return one_line(cell.whole(column) + raised)


def _blocks(table: Table, width: int, bars: Bars) -> list[Table]:
    """The table in as many parts as it takes, each of columns that fit; a few runs under many measures are turned."""
    turned = table.turned() if _width(table, bars) > width else None
    if turned is not None and _width(turned, bars) <= width:
        return [turned]
    first = next((at for at, column in enumerate(table.columns) if column.importance), 0)
    named = [id(column) for column in table.columns[:first] if column.kind == "text"] or list(
        map(id, table.columns[:1])
    )
    blocks: list[Table] = []
    rest: Table | None = table
    while rest is not None:
        kept = _with_columns_that_fit(rest, width, bars)
        blocks.append(_narrowed(kept, width, bars))
        rest = _others(rest, kept, named)
    return blocks


def _with_columns_that_fit(table: Table, width: int, bars: Bars) -> Table:
    """The table without the least important columns, as far as they can go."""
    while _width(table, bars) > width and (droppable := [column for column in table.columns if column.importance]):
        least = max(droppable, key=lambda column: column.importance)
        table = table.only(lambda column, least=least: column is not least)  # type: ignore[misc]
    return table


def _narrowed(table: Table, width: int, bars: Bars) -> Table:
    """The table with long names shortened, as far as it is too wide."""
    while (too_wide := _width(table, bars) - width) > 0 and not _room_for_prose(table, width, bars):
        if (narrower := _shortened(table, too_wide)) == table:
            break
        table = narrower
    return table


def _others(table: Table, kept: Table, named: Sequence[int]) -> Table | None:
    """The columns that were left out, behind those that name the rows; a bar only repeats a number."""
    there = {id(column) for column in kept.columns}
    places = [at for at, column in enumerate(table.columns)
              if column.importance and column.kind != "bar" and id(column) not in there]  # fmt: skip
    if not places:
        return None
    names = [at for at, column in enumerate(table.columns) if id(column) in named]
    first = min(places, key=lambda at: table.columns[at].importance)  # one is shown, however narrow the terminal is
    shown = [replace(table.columns[at], importance=0) if at == first else table.columns[at] for at in places]
    rows = tuple(tuple(row[at] for at in (*names, *places)) for row in table.rows)
    return replace(table, columns=(*(table.columns[at] for at in names), *shown), rows=rows)


def _width(table: Table, bars: Bars) -> int:
    columns = [
        max([width_of(one_line(column.head)), *(width_of(_text(row[at], column, bars)) for row in table.rows)])
        for at, column in enumerate(table.columns)
    ]
    return sum(columns) + 2 * (len(columns) - 1)


def _room_for_prose(table: Table, width: int | None, bars: Bars) -> int | None:
    """The width in which a last column of text is wrapped; None where the table fits or too little is left."""
    if width is None or len(table.columns) < 2 or table.columns[-1].kind != "text":
        return None
    last = table.columns[-1]
    before = _width(table.only(lambda column: column is not last), bars) + 2
    is_wide = _width(table, bars) > width
    return width - before if is_wide and width - before >= _LEAST_PROSE else None


def _shortened(table: Table, too_wide: int) -> Table:
    """The table with its widest heading, or else its widest column of text, cut in the middle."""
    heads = [width_of(column.head) for column in table.columns]
    sizes = {
        at: max((width_of(row[at].text(column)) for row in table.rows), default=0)
        for at, column in enumerate(table.columns)
        if column.kind == "text"
    }
    if max(heads) > max([*sizes.values(), _LEAST_NAME]):
        longest = heads.index(max(heads))
        room = max(max(heads) - too_wide, _LEAST_NAME)
        columns = [replace(column, head=shortened(column.head, room)) if at == longest else column
                   for at, column in enumerate(table.columns)]  # fmt: skip
        return replace(table, columns=tuple(columns))
    if not sizes:
        return table
    widest = max(sizes, key=lambda at: sizes[at])
    room = max(sizes[widest] - too_wide, _LEAST_NAME)
    rows = tuple(
        tuple(replace(cell, value=shortened(cell.text(table.columns[at]), room)) if at == widest else cell
              for at, cell in enumerate(row))
        for row in table.rows
    )  # fmt: skip
    return replace(table, rows=rows)


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def _styled(text: str, cell: Cell | None) -> str:
    """Heads dim, the best in bold, significant differences in colour."""
    known = _WITHOUT_COLOUR if os.environ.get("NO_COLOR") else _CODES
    codes: Sequence[str] = ("2",) if cell is None else [code for mark, code in known.items() if mark in cell.marks]
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and text.strip() else text


_CODES = {"best": "1", "up": "32", "down": "33"}
_WITHOUT_COLOUR = {"best": "1"}
