"""The page of one evaluation: its values with intervals, how they spread, and the queries that do worst."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmeter.errors import check_whole
from rankmeter.inputs.titles import into_titles
from rankmeter.report import need_report_extra
from rankmeter.report.evaluations import ShownEvaluations, evaluation_document, measure_column, value_cell
from rankmeter.showing import charts
from rankmeter.showing.document import Block, Cell, Chart, Column, Heading, Paragraph, Table
from rankmeter.showing.html import page_html
from rankmeter.showing.numbers import number_or_none
from rankmeter.stats.distributions import distribution_steps
from rankmeter.wording import Language, said, speaking, word, words

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.inputs.titles import Titles
    from rankmeter.measures import Measure

WIDTH = 460


def evaluation_html(ev: Evaluation, *, lang: Language, titles: object, lists: int, title: str) -> str:
    """The page as the text of an HTML file; :meth:`rankmeter.Evaluation.report` says what it takes."""
    need_report_extra()
    check_whole("lists", lists, 0)
    texts = into_titles(titles)
    head = title or word("evaluation_report", lang, name=ev.name)
    with speaking(ev.facts.purpose):
        worst = _worst(ev, lang, texts, lists)
    return page_html([Heading(head, 1), *pictured_evaluation(ev, lang), *worst], title=head, lang=lang)


def pictured_evaluation(ev: Evaluation, lang: Language) -> list[Block]:
    """The values with what belongs to them, their intervals, and how the values of the queries spread."""
    need_report_extra()
    labels = words("report", lang, users=ev.facts.purpose == "recommendation")
    with speaking(ev.facts.purpose):
        shown = ShownEvaluations([ev], lang, intervals=True)
        blocks: list[Block] = [*evaluation_document(ev, lang), Heading(labels["values_and_intervals"]), shown.table()]
        blocks += [Paragraph(note.text(lang), "note") for note in shown.interval_notes()]
        drawn = _spread(ev, labels)
    return [*blocks, Heading(labels["distributions"]), *drawn] if drawn else blocks


def _alone(ev: Evaluation) -> list[Measure]:
    """The measures that have a value for each query."""
    return [measure for measure in ev.values if measure.aggregate != "whole"]


def _spread(ev: Evaluation, labels: dict[str, str]) -> list[Chart]:
    """For each measure the share of queries at or below each value."""
    drawn = []
    for measure in _alone(ev):
        values = ev.values[measure]
        [steps] = distribution_steps(np.where(values.counted, values.value, np.nan)[None, :])
        rows = [{"s": 0, "system": ev.name, "value": value, "share": share} for value, share in steps]
        if rows:
            name = ev.label(measure)
            spec = charts.distribution(labels | {"value_of_query": f"{labels['value_of_query']} ({name})"}, [ev.name])
            drawn.append(Chart(f"distribution-{name}", name, charts.with_its_data(spec, WIDTH, rows=rows)))
    return drawn


def _worst(ev: Evaluation, lang: Language, titles: Titles, count: int) -> list[Block]:
    """The queries with the worst values under the first measure that has one for each, with all measures."""
    measures = _alone(ev)
    rows = ev.per_query if measures else None
    if rows is None or not count or not rows.height:
        return []
    first = measures[0]
    worst = rows.sort(str(first), descending=not first.higher_is_better, nulls_last=True, maintain_order=True)
    has_titles = any(titles.query(str(query)) for query in worst["query"].head(count))
    heads = ["query", *(["query_text"] if has_titles else [])]
    columns = (*(Column(word(head, lang), "text") for head in heads),
               *(measure_column(m, label=ev.label(m)) for m in measures))  # fmt: skip
    cells = []
    for row in worst.head(count).iter_rows(named=True):
        query = str(row["query"])
        names = [Cell(query), *([Cell(titles.query(query))] if has_titles else [])]
        cells.append((*names, *(value_cell(number_or_none(row[str(m)]), m) for m in measures)))
    head = said("worst_queries", measure=ev.label(first), shown=len(cells), total=rows.height)
    return [Heading(head.text(lang)), Table(columns, tuple(cells))]
