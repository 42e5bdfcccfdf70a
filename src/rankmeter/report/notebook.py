"""How results show themselves in a notebook: small tables that fit light and dark pages, with nothing loaded.

Colours are made from the page's own ink, and every text is escaped.
"""

from __future__ import annotations

import html
import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from rankmeter.report import comparisons, tables
from rankmeter.report.slice_tables import slice_table, table_of_slices
from rankmeter.report.slices import slice_tables
from rankmeter.report.tables import Cell, Table

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.lists.slices import Slices

_STYLE = """<style>
.rankmeter{font-size:.95em;line-height:1.45;max-width:70em}
.rankmeter table{color:inherit;font-size:inherit;border-collapse:collapse;margin:.3em 0 .9em}
.rankmeter caption{caption-side:top;text-align:left;font-weight:600;white-space:nowrap;color:inherit}
.rankmeter th,.rankmeter td{padding:.2em .7em;text-align:right;border-bottom:1px solid rgba(128,128,128,.3);
white-space:nowrap;font-variant-numeric:tabular-nums;background:none}
.rankmeter .label{text-align:left}
.rankmeter .best td{background:rgba(59,125,216,.13)}
.rankmeter .track{display:inline-block;position:relative;width:9em;height:.8em;vertical-align:middle}
.rankmeter .band{position:absolute;top:.2em;height:.4em;border-radius:.2em;background:rgba(59,125,216,.45)}
.rankmeter .dot{position:absolute;top:.05em;width:.7em;height:.7em;margin-left:-.35em;border-radius:50%;
background:#3b7dd8}
.rankmeter .bar{position:absolute;top:.1em;left:0;height:.6em;border-radius:.15em;background:rgba(59,125,216,.55)}
.rankmeter .notes{border-left:3px solid #e5b94a;padding:.1em 0 .1em 1.6em;margin:.3em 0 .8em}
.rankmeter small,.rankmeter summary{opacity:.75}
</style>"""


def comparison_html(cmp: Comparison) -> str:
    """How sure the data is, then a leaderboard for each measure with its intervals drawn, then the slices."""
    parts = [_table("How sure is the data?", comparisons.quality_table(cmp)), _notes(cmp.notes)]
    for measure in cmp.measures:
        board, scores = comparisons.leaderboard(cmp, measure), cmp.ranked(measure)
        ends = [end for one in scores if one.interval for end in (one.interval.low, one.interval.high)]
        drawn = {
            place: _interval(one.interval.low, one.interval.high, one.value, min(ends), max(ends))
            for place, one in enumerate(scores)
            if one.interval is not None and not math.isnan(one.value)
        }
        best = {place for place, one in enumerate(scores) if one.in_best}
        parts.append(_table(str(measure), board, drawn=drawn, column=4, best=best))
        parts += [f"<p>{html.escape(one.reason)}</p>" for one in scores[:1] if one.reason]
    parts += [_table("", table) for table in slice_tables(cmp)]
    tests = [_table(str(one), comparisons.difference_table(cmp, one)) for one in cmp.measures if one in cmp.samples]
    parts.append(f"<details><summary>Every test</summary>{''.join(tests)}</details>")
    parts.append(_folded("How to read it", [*comparisons.quality_words(cmp), *comparisons.legend(cmp)]))
    parts.append(_folded("What the numbers mean", tables.definition_lines(cmp.measures)))
    return _page(parts)


def evaluation_html(ev: Evaluation) -> str:
    """The value of each measure with a bar, what it is about, and what ties could do to it."""
    header = ("measure", "value", "", "queries", "tied items, worst to best")
    rows, drawn = [], {}
    for place, (measure, value) in enumerate(ev.means.items()):
        ties = ev.tie_bounds.get(measure)
        low, high = measure.bounds
        if math.isfinite(high) and not math.isnan(value):
            drawn[place] = f"<i class='bar' style='width:{100 * (value - low) / (high - low):.1f}%'></i>"
        texts = [
            str(measure),
            "-" if math.isnan(value) else tables.number(value, measure, tables.DIGITS),
            "",
            f"{ev.counted(measure):,}",
        ]
        texts.append("" if ties is None else f"{ties[0]:.4f} to {ties[1]:.4f}")
        rows.append(tuple(map(Cell, texts)))
    parts = [_table(ev.name, Table(header, tuple(rows), 1), drawn=drawn, column=2), _notes(ev.sentences())]
    if ev.slices:
        parts.append(_table("", slice_table([ev])))
    parts.append(_folded("What the numbers mean", tables.definition_lines(ev.means)))
    return _page(parts)


def slices_html(cut: Slices) -> str:
    """The values of every slice, and how to ask whether they differ."""
    what = "queries" if cut.kind == "query" else "items"
    note = f"slices of {what}; .intervals(), .difference(measure, one, other) and .gap(measure) say how sure they are"
    parts = [_table(cut.name, table_of_slices(cut)), f"<small>{html.escape(note)}</small>"]
    return _page([*parts, _folded("What the numbers mean", tables.definition_lines(cut.values))])


def _page(parts: Sequence[str]) -> str:
    return f"{_STYLE}<div class='rankmeter'>{''.join(parts)}</div>"


def _interval(low: float, high: float, value: float, least: float, most: float) -> str:
    room = (most - least) or 1.0
    left, right, dot = (100 * (end - least) / room for end in (low, high, value))
    return (
        f"<i class='band' style='left:{left:.1f}%;width:{right - left:.1f}%'></i>"
        f"<i class='dot' style='left:{dot:.1f}%'></i>"
    )


def _table(
    caption: str,
    table: Table,
    *,
    drawn: Mapping[int, str] | None = None,
    column: int | None = None,
    best: Collection[int] = (),
) -> str:
    """A table; in one column there are drawings instead of text, by the number of the row."""
    head = "".join(_cell("th", html.escape(name), at < table.labels) for at, name in enumerate(table.header))
    rows = []
    for row, cells in enumerate(table.rows):
        shown = []
        for at, cell in enumerate(cells):
            text = f"<b>{html.escape(cell.text)}</b>" if cell.is_best else html.escape(cell.text)
            if at == column:
                text = f"<span class='track'>{(drawn or {}).get(row, '')}</span>"
            shown.append(_cell("td", text, at < table.labels))
        rows.append(f"<tr{' class=best' if row in best else ''}>{''.join(shown)}</tr>")
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cell(tag: str, text: str, is_label: bool) -> str:  # noqa: FBT001 (one place calls it)
    return f"<{tag}{' class=label' if is_label else ''}>{text}</{tag}>"


def _notes(notes: Sequence[str]) -> str:
    items = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    return f"<ul class='notes'>{items}</ul>" if items else ""


def _folded(title: str, lines: Sequence[str]) -> str:
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f"<details><summary>{html.escape(title)}</summary><small><ul>{items}</ul></small></details>"
