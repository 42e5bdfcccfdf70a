"""A report of a few sections, each a table or lines under a title, as text, Markdown and HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from rankmeter.definitions.columns import aligned, numeric, pipes
from rankmeter.showing.characters import one_line
from rankmeter.showing.markdown import markdown_line, markdown_text


@dataclass(frozen=True, slots=True)
class Section:
    """A title, a table where there is one, and lines under it."""

    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    lines: Sequence[str] = ()
    """A line that begins with blanks belongs to the one before."""


def as_text(sections: Sequence[Section]) -> str:
    """For a terminal: what is under a title stands two places to the right."""
    return "\n\n".join("\n".join(_text_lines(section)) for section in sections)


def _text_lines(section: Section) -> list[str]:
    table = aligned(section.head, section.rows) if section.rows else []
    if not section.title:
        lines = list(map(one_line, section.lines))
        return [*table, "", *lines] if table else lines
    return [one_line(section.title), *(f"  {line}" for line in (*table, *map(one_line, section.lines)))]


def as_markdown(sections: Sequence[Section]) -> str:
    """For a document: tables as tables, lines as lists."""
    parts: list[str] = []
    for section in sections:
        parts += [f"### {markdown_text(section.title)}", ""] if section.title else []
        parts += [*pipes(section.head, section.rows), ""] if section.rows else []
        for line in section.lines:
            text = line.lstrip()
            parts.append(f"{' ' * (len(line) - len(text))}- {markdown_line(text)}")
        parts += [""] if section.lines else []
    return "\n".join(parts)


def as_html(sections: Sequence[Section], name: str) -> str:
    """For a page: no script, every text escaped."""
    parts = [f"<section class='{name}'>"]
    for section in sections:
        parts += [f"<h3>{html.escape(section.title)}</h3>"] if section.title else []
        parts += [_table(section)] if section.rows else []
        parts += [f"<p style='{_margin(line)}'>{html.escape(line.strip())}</p>" for line in section.lines]
    return "\n".join([*parts, "</section>"])


def _table(section: Section) -> str:
    right = numeric(section.head, section.rows)

    def row(cells: Sequence[str], tag: str) -> str:
        styles = [" style='text-align: right'" if number else "" for number in right]
        each = zip(cells, styles, strict=True)
        return "<tr>" + "".join(f"<{tag}{style}>{html.escape(cell)}</{tag}>" for cell, style in each) + "</tr>"

    return f"<table>{row(section.head, 'th')}{''.join(row(cells, 'td') for cells in section.rows)}</table>"


def _margin(line: str) -> str:
    return "margin: .1em 0 .1em 2em" if line.startswith(" ") else "margin: .6em 0 .1em"
