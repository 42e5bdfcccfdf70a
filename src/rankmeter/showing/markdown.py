"""Documents as Markdown: text stays text, whatever it holds."""

from __future__ import annotations

import re

from rankmeter.showing.document import ARROWS, Cell, Column, Document, Heading, Paragraph, Table, without_pictures
from rankmeter.wording.characters import one_line, without_controls

_ACTIVE = re.compile(
    r"[\\|*_`<>\[\]{}~^$]|(?<!\w)@(?=\w)|(?<=-)-|(?<=\.)\.(?=\.)|(?<=\w):(?=//)|(?i:(?<=www)\.)|&(?=#?\w+;)"
)
"""What is markup within a line: CommonMark's, the autolinks, entities and formulas of GitHub's dialect, Pandoc's raised
text, attributes, citations and dashes. A sign that nothing makes markup of may be escaped as well."""
_OPENING = re.compile(r"^(\s*)([#+=%-]|\(?(?:\d+|[A-Za-z]|[ivxlcdmIVXLCDM]+)(?=[.)]\s)|\d+(?=[.)])|:(?=\s|::))")
"""What makes a heading, a list, a title or a rule at the beginning of a line."""


def markdown_text(text: str) -> str:
    r"""Text that Markdown shows as it is, inside and outside of tables; links in it are not live.

    >>> print(markdown_text("a|b_c*"), markdown_text("[x](https://a.b)"))
    a\|b\_c\* \[x\](https\://a.b)
    """
    return _ACTIVE.sub(lambda active: "\\" + active[0], one_line(text))


def markdown_line(text: str) -> str:
    r"""Text that opens a line: it makes no heading and no list either.

    >>> print(markdown_line("# not a heading"), markdown_line("1. not a list"))
    \# not a heading 1\. not a list
    """
    line = markdown_text(text)
    return _OPENING.sub(lambda opening: f"{opening[1]}{_escaped_opening(opening[2])}", line) if line else line


def _escaped_opening(mark: str) -> str:
    return mark + "\\" if mark[-1].isalnum() else "\\" + mark


def document_markdown(document: Document, *, level: int = 1) -> str:
    """Everything as Markdown; ``level`` is that of the outermost heading."""
    parts: list[str] = []
    before: object = None
    for block in without_pictures(document):
        if isinstance(block, Heading):
            text = f"{'#' * (level + block.level - 1)} {markdown_text(block.text)}"
        elif isinstance(block, Table):
            text = table_markdown(block)
        elif isinstance(block, Paragraph):
            text = _paragraph(block)
        else:
            text = document_markdown([Heading(block.title, 2), *block.parts], level=level)
        is_list = all(isinstance(part, Paragraph) and part.style in _LISTED for part in (before, block))
        parts += [*([""] if before is not None and not is_list else []), text]
        before = block
    return "\n".join(parts)


_LISTED = ("item", "note", "hint")


def _paragraph(block: Paragraph) -> str:
    if block.style == "code":
        return f"```text\n{without_controls(block.text)}\n```"
    if block.style == "formula":
        return f"`{one_line(block.text)}`"
    if block.style in ("plain", "alarm"):
        return "\n".join(map(markdown_line, block.text.splitlines()))
    return f"{'  ' * block.depth}- {markdown_line(block.text)}"


def table_markdown(table: Table) -> str:
    """A table: the best in bold, what is significant marked; bars, which only repeat numbers, are left out."""
    shown = table.only(lambda column: column.kind not in ("bar", "mark"))
    head = "| " + " | ".join(markdown_text(column.head) for column in shown.columns) + " |"
    rule = "|" + "|".join("---" if column.is_text else "---:" for column in shown.columns) + "|"
    rows = [
        "| " + " | ".join(_cell(cell, column) for cell, column in zip(row, shown.columns, strict=True)) + " |"
        for row in shown.rows
    ]
    return "\n".join([head, rule, *rows])


def _cell(cell: Cell, column: Column) -> str:
    """Marks stand apart from the digits: without its ``<sup>``, which many readers drop, 0.6193 marked 1 is 0.61931."""
    text = markdown_text(cell.text(column)).strip()
    text = f"**{text}**" if "best" in cell.marks and text else text
    span = cell.span_text(column)
    raised = f"{ARROWS['up']}{cell.raised}" if cell.raised else cell.arrow
    return " ".join(
        part for part in (text, markdown_text(span) if isinstance(cell.span, str) else span, raised) if part
    )
