"""Documents for a browser: every text escaped, nothing loaded from anywhere, nothing run that is not rankmeter's."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from functools import cache
from html import escape as escaped
from pathlib import Path

from rankmeter.showing.charts import svg
from rankmeter.showing.document import Block, Cell, Chart, Column, Document, Folded, Heading, Paragraph, Table
from rankmeter.wording import Language, word
from rankmeter.wording.characters import shortened, without_controls

STILL = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The policy of a page without a script."""
MOST_RAISED = 6
"""The longest superscript: a table of many systems stays readable."""
LONG_NAME = 14
LONGEST, LONGEST_ON_PHONE = 32, 18
"""The longest name in a table, on a screen and on a phone; of a longer one the beginning and the end are shown."""
_TAGS = {"note": "li", "item": "li", "hint": "p", "plain": "p", "code": "pre", "formula": "code", "alarm": "p"}


def escape(text: str) -> str:
    r"""Text for a page: nothing in it is markup, a control character or a change of direction.

    >>> escape("<b>\x1b[31m\u202e")
    '&lt;b&gt; [31m '
    """
    return escaped(without_controls(text))


@cache
def asset(name: str) -> str:
    """A file that pages are made of: a style, a script, a template."""
    return (Path(__file__).parent / "assets" / name).read_text(encoding="utf-8")


def document_html(document: Document, *, lang: Language = "en") -> str:
    """Everything as a part of a page: no script, every text escaped."""
    parts: list[str] = []
    listed = ""
    for block in document:
        style = block.style if isinstance(block, Paragraph) and block.style in ("note", "item") else ""
        if style != listed:
            parts += [*(["</ul>"] if listed else []), *([f"<ul class='{style}s'>"] if style else [])]
            listed = style
        parts.append(_block_html(block, lang))
    return "\n".join([*parts, *(["</ul>"] if listed else [])])


def _block_html(block: Block, lang: Language) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level + 1}>{escape(block.text)}</h{block.level + 1}>"
    if isinstance(block, Table):
        return table_html(block, lang=lang)
    if isinstance(block, Folded):
        inside = document_html(block.parts, lang=lang)
        return f"<details><summary>{escape(block.title)}</summary>\n{inside}</details>"
    if isinstance(block, Chart):
        hint = f"<p class='hint'>{escape(block.hint)}</p>" if block.hint else ""
        title, on_page = escape(block.title), {**block.spec, "background": None}  # that of the page shows through
        return f"<figure><figcaption>{title}</figcaption>{hint}{svg(on_page, title)}</figure>"
    tag = _TAGS[block.style]
    depth = f" class='depth{block.depth}'" if block.depth else ""
    depth = f" class='{block.style}'" if block.style in ("hint", "alarm") else depth
    text = escape(block.text) if tag == "pre" else "<br>".join(map(prose, block.text.splitlines()))
    return f"<{tag}{depth}>{text}</{tag}>"


def prose(text: str) -> str:
    """A line of a sentence; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def table_html(
    table: Table, *, sortable: bool = False, kept: Collection[str] | None = None, lang: Language = "en"
) -> str:
    """A table that scrolls sideways where it must; intervals and bars are drawn, those of a column to one scale.

    A bar beside an interval would show the same twice. ``kept`` names the rows that are shown at first, by their first
    text.
    """
    is_drawn = any(column.kind == "interval" for column in table.columns)
    shown = table.only(lambda column: not (is_drawn and column.kind == "bar"))
    scales = [shown.scale(at) for at in range(len(shown.columns))]
    marked = [max((_mark_width(row[at]) for row in shown.rows), default=0) for at in range(len(shown.columns))]
    classes = [_classes(column) for column in shown.columns]
    heads = "".join(_head(*one, sortable=sortable) for one in zip(shown.columns, classes, strict=True))
    rows, hidden = [], 0
    for row in shown.rows:
        drawn = zip(row, shown.columns, classes, scales, marked, strict=True)
        cells = "".join(_cell(*one, lang) for one in drawn)
        pairs = list(zip(row, shown.columns, strict=True))
        is_best = any(column.kind == "mark" and "best" in cell.marks for cell, column in pairs)
        name = next((cell.value for cell, column in pairs if column.kind == "text"), "")
        is_more = kept is not None and name not in kept
        hidden += is_more
        kinds = " ".join(kind for kind, is_so in (("best", is_best), ("more", is_more)) if is_so)
        styled = f" class='{kinds}'" if kinds else ""
        rows.append(f"<tr{styled} data-name='{escape(str(name))}'>{cells}</tr>")
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    name = f" id='{escape(table.name)}'" if table.name else ""
    head = f"<table{name}{' class=sortable' if sortable else ''}>{caption}<thead><tr>{heads}</tr></thead>"
    button = f"<button class='all'>{escape(word('show_all', lang, count=len(rows)))}</button>" if hidden else ""
    return f"<div class='wide' tabindex='0'>{head}<tbody>{''.join(rows)}</tbody></table></div>{button}"


def _head(column: Column, classes: list[str], *, sortable: bool) -> str:
    # A Chinese phrase is one word here, of letters that are twice as wide.
    most = [LONGEST_ON_PHONE * (1 if part.isascii() else 2) for part in column.head.split(" ")]
    short = " ".join(map(shortened, column.head.split(" "), most))
    text = escape(short) if short == column.head else _cut(column.head, short, short)
    is_sorted = sortable and column.head and column.kind != "interval"
    place = " class='drawn'" if column.kind == "interval" else _class(classes)
    return f"<th{place}>{f'<button>{text}</button>' if is_sorted else text}</th>"


def _classes(column: Column) -> list[str]:
    """What all cells of a column are."""
    own = "mark" if column.kind == "mark" else "label" if column.is_text else "number"
    return [own, "typed"] if column.is_code else [own]


def _class(names: Sequence[str]) -> str:
    return f" class='{' '.join(names)}'"


def _mark_width(cell: Cell) -> int:
    """The width of what follows a number: its arrow or superscript."""
    return min(len(cell.raised), MOST_RAISED) or len(cell.arrow)


def _cell(cell: Cell, column: Column, classes: list[str], scale: tuple[float, float], room: int, lang: Language) -> str:
    if column.kind == "mark":
        star = f"<span class='star' title='{escape(word('best_group', lang))}'>★</span>"
        return f"<td{_class(classes)}>{star if 'best' in cell.marks else ''}</td>"
    if column.kind == "bar":
        drawn = "" if cell.value is None else f"<i class='bar' style='width:{100 * float(cell.value):.1f}%'></i>"
        return f"<td class='drawn'><span class='track'>{drawn}</span></td>"
    text = _name(cell.text(column)) if column.kind == "text" else escape(cell.text(column))
    text = f"<b>{text}</b>" if "best" in cell.marks and text else text
    span = escape(cell.span_text(column))
    if column.kind == "interval":
        return f"<td class='drawn'><span class='ends'>{span or '-'}</span>{_track(cell, scale)}</td>"
    beside = f" <span class='ends'>{span}</span>" if span else ""
    marks: list[str] = [mark for mark in ("up", "down") if mark in cell.marks]
    marks += [f"g{cell.shade}"] if cell.shade is not None else []
    marks += ["long"] if column.kind == "text" and len(cell.text(column)) > LONG_NAME else []
    key = cell.sort if cell.sort is not None else cell.value
    sort = f" data-sort='{key}'" if isinstance(key, (int, float)) and not math.isnan(key) else ""
    return f"<td{_class([*classes, *marks])}{sort}>{text}{beside}{_mark(cell, room) if room else ''}</td>"


def _name(text: str) -> str:
    """A text, shortened if it is one long word; pointing at it, or a tap, shows all of it. It stands here once only.

    Chinese sentences have no spaces, but they have their own commas and stops.
    """
    is_sentence = " " in text.strip().partition(" ")[2] or re.search("[，。；：、]", text)
    if len(text) <= LONGEST_ON_PHONE or is_sentence:
        return escape(text)
    return _cut(text, shortened(text, LONGEST), shortened(text, LONGEST_ON_PHONE))


def _cut(text: str, short: str, shorter: str) -> str:
    """A text that is cut, on a phone more so; pointing at it, or a tap, shows all of it."""
    full, brief = escape(short), escape(shorter)
    return (
        f"<span class='cut-name' tabindex='0' title='{escape(text)}' data-brief='{brief}'>"
        f"<span class='full'>{full}</span></span>"
    )


def _mark(cell: Cell, room: int) -> str:
    """What follows a number, equally wide in every row of a column, so that the numbers align.

    Long superscripts are cut; pointing at one shows all of it.
    """
    text = cell.raised or cell.arrow
    shown = text if len(text) <= MOST_RAISED else text[: MOST_RAISED - 1].rstrip(",-") + "…"
    raised = escape(shown) if shown == text else _cut(text, shown, shown)
    inside = f"<sup>{raised}</sup>" if cell.raised else cell.arrow
    return f"<i class='behind w{room}'>{inside}</i>"


def _track(cell: Cell, scale: tuple[float, float]) -> str:
    """An interval and the value inside it, drawn between the ends of the whole column."""
    if not isinstance(cell.span, tuple) or None in cell.span or cell.value is None:
        return ""
    least, most = scale
    room = (most - least) or 1.0
    left, right, dot = (100 * (float(end) - least) / room for end in (*cell.span, cell.value))  # type: ignore[arg-type]
    band = f"<i class='band' style='left:{left:.1f}%;width:{right - left:.1f}%'></i>"
    return f"<span class='track'>{band}<i class='dot' style='left:{dot:.1f}%'></i></span>"


def page_html(document: Document, *, title: str = "rankmeter", lang: Language = "en") -> str:
    """A page that needs no script."""
    return page_around(f"<main><section>\n{document_html(document, lang=lang)}\n</section></main>", title, lang)


def page_around(body: str, title: str, lang: Language, *, policy: str = STILL, style: str = "", kind: str = "") -> str:
    """A whole page around markup: wide enough for a phone, readable in the dark, kept to its security policy."""
    return f"""<!doctype html>
<html lang="{"zh-CN" if lang == "zh" else "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{asset("style.css")}{style}</style>
</head>
<body class="rankmeter page {kind}">{body}</body></html>
"""


def notebook_html(document: Document, *, lang: Language = "en") -> str:
    """A part of another page, such as a notebook; its style derives its colours from that page's text colour."""
    style, _, _ = asset("style.css").partition("/* pages */")
    return f"<style>{style}</style><div class='rankmeter'>{document_html(document, lang=lang)}</div>"
