"""Evaluations as documents, CSV and JSON. Pure functions; nothing is printed or written here.

Every form with room for them carries the definitions: a number without its definition is a bug.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rankmeter import __version__
from rankmeter.definitions.explain import conventions_in_short, title_of
from rankmeter.errors import check_whole
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, Cell, Column, Folded, Paragraph, Span, Table, items
from rankmeter.showing.json import json_text
from rankmeter.showing.numbers import DIGITS, exact, fixed, known
from rankmeter.wording import Language, Said, in_language, said, word

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.lists.slices import Slices
    from rankmeter.stats.slice_intervals import Spread

ALL = "all"
"""The row of the aggregated values in a table of queries, as trec_eval calls it."""


def mean_table(
    evaluations: Sequence[Evaluation], *, digits: int = DIGITS, intervals: bool = False, lang: Language = "en"
) -> Table:
    """A row per run and a column per measure; the best of several runs marked.

    Examples
    --------
    >>> import rankmeter as rm
    >>> from rankmeter.showing.terminal import table_text
    >>> ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, ["RR", "P@1"], name="mine")
    >>> print(table_text(mean_table([ev])))
    run       RR     P@1
    mine  0.5000  0.0000
    """
    measures = shared_measures(evaluations)
    best = {measure: _best(measure, evaluations, digits) for measure in measures}
    rows = [
        (Cell(ev.name), *(_mean(ev, m, digits, best[m], intervals=intervals, lang=lang) for m in measures))
        for ev in evaluations
    ]
    label = evaluations[0].label
    columns = (measure_column(measure, digits, place, label(measure)) for place, measure in enumerate(measures))
    return Table((Column(word("run", lang), "text"), *columns), tuple(rows))


def query_table(evaluations: Sequence[Evaluation], *, digits: int = DIGITS, lang: Language = "en") -> Table:
    """A row per query, and per run where there are several; the last row of each run has the aggregated values."""
    measures = shared_measures(evaluations)
    several = len(evaluations) > 1
    rows = []
    for ev in evaluations:
        run = [Cell(ev.name)] if several else []
        rows += [
            (*run, Cell(str(row["query"])), *(value_cell(row.get(str(m)), m, digits) for m in measures))
            for row in ev.per_query.iter_rows(named=True)
        ]
        rows.append((*run, Cell(ALL), *(value_cell(ev.means[m], m, digits) for m in measures)))
    heads = [word("run", lang), word("query", lang)]
    labels = [Column(name, "text") for name in heads[0 if several else 1 :]]
    label = evaluations[0].label
    return Table((*labels, *(measure_column(m, digits, label=label(m)) for m in measures)), tuple(rows))


def slice_table(
    evaluations: Sequence[Evaluation], *, digits: int = DIGITS, intervals: bool = False, lang: Language = "en"
) -> Table:
    """For each run the values of all queries, then those of every slice; a dash where a slice has no value.

    With ``intervals`` each value has its interval, and its difference from the rest of the queries beside it.

    Examples
    --------
    >>> import rankmeter as rm
    >>> from rankmeter.showing.terminal import table_text
    >>> truth, run = {1: ["a"], 2: ["a"]}, {1: ["a"], 2: ["b", "a"]}
    >>> print(table_text(slice_table([rm.evaluate(truth, run, "RR", by={1: "new", 2: "old"}, name="mine")])))
    run   by       slice  queries      RR
    mine           all          2  0.7500
    mine  segment  new          1  1.0000
    mine  segment  old          1  0.5000
    """
    measures = shared_measures(evaluations)
    rows = []
    for ev in evaluations:
        row = [Cell(ev.name), Cell(), Cell(ALL), Cell(_count(ev))]
        for measure in measures:
            is_known = not math.isnan(ev.means[measure])
            row.append(_mean(ev, measure, digits, intervals=intervals, lang=lang) if is_known else Cell())
            row += [Cell("")] if intervals else []
        rows.append(tuple(row))
        for cut in ev.slices.values():
            spans = cut.intervals() if intervals else None
            rows += [
                (Cell(ev.name), Cell(cut.name), *cells) for cells in _slice_rows(cut, measures, digits, spans, lang)
            ]
    counted = word("users" if evaluations[0].facts.purpose == "recommendation" else "query_count", lang)
    columns = [Column(word("run", lang), "text"), Column(word("by", lang), "text", 2),
               Column(word("slice", lang), "text"), Column(counted, "count", 1)]  # fmt: skip
    for measure in measures:
        label = evaluations[0].label(measure)
        columns.append(measure_column(measure, digits, label=label))
        columns += [Column(label + word("from_rest", lang), "difference", 1, digits)] if intervals else []
    return Table(tuple(columns), tuple(rows))


def table_of_slices(cut: Slices, *, digits: int = DIGITS, lang: Language = "en") -> Table:
    """One way of slicing: a row per slice."""
    measures = list(cut.values)
    heads = (Column(word("slice", lang), "text"), Column(word("query_count", lang), "count"))
    rows = tuple(_slice_rows(cut, measures, digits, None, lang))
    return Table((*heads, *(measure_column(m, digits) for m in measures)), rows, cut.name)


def _slice_rows(
    cut: Slices,
    measures: Sequence[Measure],
    digits: int,
    spans: dict[Measure, tuple[Spread, ...]] | None,
    lang: Language,
) -> list[tuple[Cell, ...]]:
    rows = []
    for place, label in enumerate(cut.labels):
        cells = [Cell(label), Cell(_count_in(cut, place))]
        for measure in measures:
            value = known(cut.values[measure][place] if measure in cut.values else None)
            if spans is None:
                cells.append(value_cell(value, measure, digits))
                continue
            spread = spans[measure][place] if measure in spans else None
            cells.append(value_cell(value, measure, digits, span=None if value is None else _ends(spread, lang)))
            rest = None if spread is None or math.isnan(spread.rest.value) else spread.rest
            cells.append(Cell() if rest is None else Cell(rest.value, span=_ends(rest, lang)))
        rows.append(tuple(cells))
    return rows


def _count(ev: Evaluation) -> int:
    return max((ev.counted(measure) for measure in ev.means), default=0)


def _count_in(cut: Slices, place: int) -> int:
    return max((counts[place] for counts in cut.counts.values()), default=0)


def _ends(spread: Any, lang: Language) -> Span | str:
    return word("no_interval", lang) if spread is None or math.isnan(spread.low) else (spread.low, spread.high)


def shared_measures(evaluations: Sequence[Evaluation]) -> list[Measure]:
    """The measures of evaluations made by one call."""
    return list(evaluations[0].means)


def measure_column(measure: Measure, digits: int = DIGITS, importance: int = 0, label: str = "") -> Column:
    """The column of a measure, under the name that it was asked for."""
    return Column(label or str(measure), "number", importance, check_whole("digits", digits, 0), measure.goal)


def value_cell(value: float | None, measure: Measure, digits: int = DIGITS, **facts: Any) -> Cell:
    """The cell of a value; counts have no digits after the point, None is shown as a dash."""
    is_count = value is not None and type(measure).name.startswith("Num") and float(value).is_integer()
    return Cell(value, digits=0 if is_count else digits, **facts)


def number(value: float | None, measure: Measure, digits: int) -> str:
    """The text of a value."""
    return value_cell(value, measure, digits).text(measure_column(measure, digits))


def _mean(
    ev: Evaluation, measure: Measure, digits: int, best: str = "", *, intervals: bool = False, lang: Language = "en"
) -> Cell:
    span: Span | str | None = None
    if intervals:
        span = _ends(ev.interval(measure) if ev.has_interval(measure) else None, lang)
    value = ev.means[measure]
    is_best = bool(best) and number(value, measure, digits) == best
    return value_cell(value, measure, digits, span=span, marks=frozenset({"best"} if is_best else ()))


def _best(measure: Measure, evaluations: Sequence[Evaluation], digits: int) -> str:
    """The best value as it is shown; empty where there is nothing to choose between.

    All values that are shown like it are marked.
    """
    known = [value for ev in evaluations if not math.isnan(value := ev.means[measure])]
    if len(evaluations) < 2 or not known or not measure.has_goal:
        return ""
    choose: Callable[..., float] = max if measure.higher_is_better else min
    return number(choose(known), measure, digits)


def definition_lines(
    measures: Iterable[Measure], lang: Language = "en", label: Callable[[Measure], str] = str
) -> list[str]:
    """A line for each definition: the measures that share it, the title, the conventions that their names do not state.

    Where a measure is shown under another name, its canonical one stands beside it.

    >>> from rankmeter import RR
    >>> definition_lines([RR @ 5, RR @ 10])
    ['RR@5, RR@10: Reciprocal rank; rel=1, ties=item, empty=zero, queries=judged']
    """
    shared: dict[tuple[str, str], list[str]] = {}
    for measure in measures:
        name = str(measure) if label(measure) == str(measure) else f"{label(measure)} = {measure}"
        shared.setdefault((title_of(measure, lang), conventions_in_short(measure)), []).append(name)
    return [
        word("definition", lang, names=names, title=title, conventions=conventions)
        for (title, conventions), names in shared.items()
    ]


def evaluation_document(ev: Evaluation, lang: Language = "en") -> list[Block]:
    """The value of each measure with a bar, the number of queries, and what ties could do to it."""
    rows = []
    for measure, value in ev.means.items():
        ties, (low, high) = ev.tie_bounds.get(measure), measure.bounds
        share = (value - low) / (high - low) if math.isfinite(high) and not math.isnan(value) else None
        moved = "" if ties is None else word("bounds_to", lang, low=fixed(ties[0]), high=fixed(ties[1]))
        rows.append(
            (
                Cell(ev.label(measure)),
                value_cell(known(value), measure),
                Cell(share),
                Cell(ev.counted(measure)),
                Cell(moved),
            )
        )
    counted = word("users" if ev.facts.purpose == "recommendation" else "query_count", lang)
    columns = (
        Column(word("measure", lang), "text", is_code=True), Column(word("value", lang)), Column("", "bar"),
        Column(counted, "count"), Column(word("tied_worst_to_best", lang)),
    )  # fmt: skip
    notes: list[Block] = [Paragraph(in_language(sentence, lang), "note") for sentence in ev.sentences()]
    slices = [slice_table([ev], lang=lang)] if ev.slices else []
    assisted = [] if ev.assisted is None else ev.assisted.document(lang)
    return [Table(columns, tuple(rows), ev.name), *notes, *slices, *assisted, meanings(ev.means, lang, ev.label)]


def slices_document(cut: Slices, lang: Language = "en") -> list[Block]:
    """The values of every slice, and how to ask whether they differ."""
    note = word("slices_of_queries" if cut.kind == "query" else "slices_of_items", lang)
    return [table_of_slices(cut, lang=lang), Paragraph(note, "hint"), meanings(cut.values, lang)]


def meanings(measures: Iterable[Measure], lang: Language = "en", label: Callable[[Measure], str] = str) -> Folded:
    """What the numbers mean, for those who ask."""
    return Folded(word("definitions", lang), tuple(items(definition_lines(measures, lang, label))))


def to_csv(
    evaluations: Sequence[Evaluation], *, per_query: bool = False, intervals: bool = False, digits: int | None = None
) -> str:
    """CSV: ``run,<measures>``, or ``run,query,<measures>``, or with slices ``run,by,slice,queries,<measures>``.

    Empty where there is no value. With ``intervals`` two more columns follow each measure, its low and its high end; of
    slices three more, the difference from the rest and its ends, and last of all why intervals are missing.
    """
    from rankmeter.inputs.cells import csv_text

    measures, label = shared_measures(evaluations), evaluations[0].label
    if per_query:
        alone = [label(measure) for measure in measures if measure.aggregate != "whole"]
        values = ([ev.name, *row] for ev in evaluations for row in ev.per_query.iter_rows())
        rows = ([run, query, *(exact(value, digits) for value in rest)] for run, query, *rest in values)
        return csv_text([["run", "query", *alone], *rows])
    has_slices = any(ev.slices for ev in evaluations)
    table = (slice_table if has_slices else mean_table)(evaluations, intervals=intervals)
    numbers = ("", " difference") if has_slices and intervals else ("",)
    ends = ("", " low", " high") if intervals else ("",)
    head = ["run", *(["by", "slice", "queries"] if has_slices else [])]
    head += [f"{label(measure)}{number}{end}" for measure in measures for number in numbers for end in ends]
    rows = (_exact_row(row, table.columns, digits, intervals=intervals) for row in table.rows)
    if not (has_slices and intervals):
        return csv_text([head, *rows])
    reasons = (why for ev in evaluations for why in _why_no_interval(ev))
    return csv_text([[*head, "no interval"], *([*row, why] for row, why in zip(rows, reasons, strict=True))])


def _exact_row(row: Sequence[Cell], columns: Sequence[Column], digits: int | None, *, intervals: bool) -> list[Any]:
    """The cells of a row; numbers with all their digits, each followed by the ends of its interval."""
    parts: list[Any] = []
    for cell, column in zip(row, columns, strict=True):
        if column.is_text or column.kind == "count":
            parts.append("" if cell.value is None else cell.value)
            continue
        value = None if isinstance(cell.value, str) else cell.value
        ends = cell.span if isinstance(cell.span, tuple) else (None, None)
        parts += [exact(number, digits) for number in ((value, *ends) if intervals else (value,))]
    return parts


def _why_no_interval(ev: Evaluation) -> Iterator[str]:
    """Why intervals are missing, for each row of an evaluation: that of all queries, then those of its slices."""
    yield "; ".join(f"{m}: {why}" for m in ev.means if (why := ev.without_interval(m)) is not None)
    for cut in ev.slices.values():
        known = [measure for measure in ev.means if measure in cut.values]
        for label in cut.labels:
            yield "; ".join(f"{m}: {why}" for m in known if (why := cut.without_interval(m, label)) is not None)


def to_json(
    evaluations: Sequence[Evaluation], *, per_query: bool = False, intervals: bool = False, digits: int | None = None
) -> str:
    """JSON: ``{"rankmeter": version, "runs": [...]}``, each with its means and definitions; NaN is null."""
    runs = []
    for ev in evaluations:
        run = json.loads(ev.to_json())
        if intervals:
            spans = {str(m): asdict(ev.interval(m)) if ev.has_interval(m) else None for m in ev.means}
            run["interval"] = spans
            run["no_interval"] = {str(m): why for m in ev.means if (why := ev.without_interval(m)) is not None}
            if ev.slices:
                run["slices"] = {name: cut.to_dict(intervals=True) for name, cut in ev.slices.items()}
        if per_query:
            run["per_query"] = ev.per_query.to_dicts()
        runs.append(run)
    return json_text({"rankmeter": __version__, "runs": runs}, digits=digits) + "\n"


def dash_notes(evaluations: Sequence[Evaluation]) -> list[Said]:
    """Why there is no number, for every dash in a table of slices."""
    notes: dict[str, Said] = {}
    for ev in evaluations:
        for cut in ev.slices.values():
            dashes: dict[tuple[str, tuple[str, ...]], list[str]] = {}
            for measure in ev.means:
                reasons: dict[str, list[str]] = {}
                for label in cut.labels:
                    if (why := cut.without_value(measure, label)) is not None:
                        reasons.setdefault(why, []).append(label)
                for why, labels in reasons.items():
                    dashes.setdefault((why, tuple(labels)), []).append(ev.label(measure))
            for (why, where), measures in dashes.items():
                everywhere, all_of_them = len(where) == len(cut.labels), len(measures) == len(ev.means)
                kind = ("dashes" if everywhere else "dashes_in") if all_of_them else (
                    "dashes_of" if everywhere else "dashes_of_in")  # fmt: skip
                note = said(kind, by=cut.name, why=why, measures=measures, slices=list(where))
                notes[note] = note
    return list(notes.values())


def interval_notes(evaluations: Sequence[Evaluation]) -> list[Said]:
    """Notes on intervals: which numbers have none and why, and what a slice is compared with."""
    few: dict[str, Said] = {}
    reasons: dict[str, list[str]] = {}
    for ev in evaluations:
        for measure in ev.means:
            why = ev.without_interval(measure)
            if why is not None and ev.label(measure) not in reasons.setdefault(why, []):
                reasons[why].append(ev.label(measure))
        for cut in ev.slices.values():
            short = [
                label
                for label in cut.labels
                if any(cut.without_interval(m) is None and cut.without_interval(m, label) for m in cut.values)
            ]
            if short:
                note = said("slices_too_few", by=cut.name, slices=short)
                few[note] = note
    without = [said("no_interval_for", measures=names, why=why) for why, names in reasons.items() if names]
    return [*without, *few.values(), *([said("rest_means")] if any(ev.slices for ev in evaluations) else [])]
