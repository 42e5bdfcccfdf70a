"""Evaluations as documents, CSV and JSON; nothing is printed or written here.

Every form with room for them carries the definitions: a number without its definition is a bug.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rankmeter import __version__
from rankmeter.definitions.explain import conventions_in_short, title_of
from rankmeter.errors import check_whole
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure
from rankmeter.showing.document import Block, Cell, Column, Folded, Paragraph, Span, Table, items
from rankmeter.showing.numbers import DIGITS, exact, finite, fixed, json_text, number_or_none
from rankmeter.wording import Language, Said, in_language, said, word

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.lists.slice_intervals import Spread
    from rankmeter.lists.slices import Slices
    from rankmeter.stats.intervals import IntervalMethod

TIES_SHOWN = 6
"""How many notes about ties are shown; more would hide the numbers."""
ALL = "all"
"""The row of the aggregated values in a table of queries, as trec_eval calls it."""


@dataclass(frozen=True, slots=True)
class ShownEvaluations:
    """Evaluations made by one call, as they are shown: in which language, with which digits. Its methods are the parts.

    >>> import rankmeter as rm
    >>> from rankmeter.showing.terminal import table_text
    >>> ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, ["RR", "P@1"], name="mine")
    >>> print(table_text(ShownEvaluations([ev]).table()))
    run       RR     P@1
    mine  0.5000  0.0000
    """

    evaluations: Sequence[Evaluation]
    lang: Language = "en"
    digits: int | None = None
    """None for four in tables, and for all in CSV and JSON."""
    intervals: bool = False
    per_query: bool = False
    method: IntervalMethod = "t"
    """How intervals of values are made; those of slices are always Student's."""

    @property
    def measures(self) -> list[Measure]:
        """The measures, which all evaluations share."""
        return list(self.evaluations[0].means)

    def label(self, measure: Measure) -> str:
        """The name under which a measure was asked for."""
        return self.evaluations[0].label(measure)

    @property
    def is_sliced(self) -> bool:
        """Whether there are values of slices."""
        return any(ev.slices for ev in self.evaluations)

    @property
    def _digits(self) -> int:
        return DIGITS if self.digits is None else self.digits

    def table(self) -> Table:
        """A column per measure; a row per run, the best marked, or per query, or per slice."""
        if self.per_query:
            return self._query_table()
        if self.is_sliced:
            return self._slice_table()
        best = {measure: self._best(measure) for measure in self.measures}
        rows = ((Cell(ev.name), *(self._mean(ev, m, best[m]) for m in self.measures)) for ev in self.evaluations)
        columns = (self._column(measure, place) for place, measure in enumerate(self.measures))
        return Table((Column(word("run", self.lang), "text"), *columns), tuple(rows))

    def _query_table(self) -> Table:
        """A row per query, and per run where there are several; the last row of each run has the aggregated values."""
        several, rows = len(self.evaluations) > 1, []
        for ev in self.evaluations:
            values = [(str(row["query"]), row) for row in ev.per_query.iter_rows(named=True)]
            values.append((ALL, {str(measure): mean for measure, mean in ev.means.items()}))
            for name, row in values:
                cells = (value_cell(row.get(str(m)), m, self._digits) for m in self.measures)
                rows.append((*([Cell(ev.name)] if several else []), Cell(name), *cells))
        heads = ["run", "query"] if several else ["query"]
        return Table((*(Column(word(head, self.lang), "text") for head in heads), *map(self._column, self.measures)),
                     tuple(rows))  # fmt: skip

    def _slice_table(self) -> Table:
        """For each run the values of all queries, then those of every slice; a dash where a slice has no value.

        With intervals each value has its interval, and its difference from the rest of the queries beside it.
        """
        rows: list[tuple[Cell, ...]] = []
        together = self._counted_together()
        for ev in self.evaluations:
            row = [Cell(ev.name), Cell(), Cell(ALL)]
            for measures in together:
                row.append(Cell(ev.counted(measures[0])))
                for measure in measures:
                    row.append(Cell() if math.isnan(ev.means[measure]) else self._mean(ev, measure))
                    row += [Cell("")] if self.intervals else []
            rows.append(tuple(row))
            for cut in ev.slices.values():
                spans = cut.intervals() if self.intervals else None
                inside = _slice_rows(cut, together, self._digits, spans, self.lang)
                rows += [(Cell(ev.name), Cell(cut.name), *cells) for cells in inside]
        columns = [Column(word("run", self.lang), "text"), Column(word("by", self.lang), "text", 2),
                   Column(word("slice", self.lang), "text")]  # fmt: skip
        counted = _counted(self.evaluations[0], self.lang)
        for measures in together:
            columns.append(_count_column(counted, together, measures, self.label))
            for measure in measures:
                columns.append(self._column(measure))
                rest = self.label(measure) + word("from_rest", self.lang)
                columns += [Column(rest, "difference", 1, self._digits)] if self.intervals else []
        return Table(tuple(columns), tuple(rows))

    def _counted_together(self) -> list[list[Measure]]:
        """The measures in runs of those that are about as many queries, in every row."""
        counts = {
            measure: [
                (ev.counted(measure), *(cut.counts.get(measure) for cut in ev.slices.values()))
                for ev in self.evaluations
            ]
            for measure in self.measures
        }
        return [list(measures) for _, measures in groupby(self.measures, key=lambda measure: counts[measure])]

    def _column(self, measure: Measure, importance: int = 0) -> Column:
        return measure_column(measure, self._digits, importance, self.label(measure))

    def _mean(self, ev: Evaluation, measure: Measure, best: str = "") -> Cell:
        span = None
        if self.intervals:
            span = _ends(ev.interval(measure, method=self.method) if ev.has_interval(measure) else None, self.lang)
        value = ev.means[measure]
        is_best = bool(best) and number(value, measure, self._digits) == best
        return value_cell(value, measure, self._digits, span=span, marks=frozenset({"best"} if is_best else ()))

    def _best(self, measure: Measure) -> str:
        """The best value as it is shown; empty where there is nothing to choose between.

        All values that are shown like it are marked.
        """
        known = [value for ev in self.evaluations if not math.isnan(value := ev.means[measure])]
        if len(self.evaluations) < 2 or not known or not measure.has_goal:
            return ""
        choose: Callable[..., float] = max if measure.higher_is_better else min
        return number(choose(known), measure, self._digits)

    def to_text(self, format: str | None) -> str:
        """The numbers in one of the formats; a table by default."""
        if format == "json":
            return self.to_json()
        if format == "csv":
            return self.to_csv()
        table = self.table()
        if format in (None, "table"):
            from rankmeter.showing.terminal import document_text

            return document_text([table])
        return self.to_latex() if format == "latex" else self.to_markdown()

    def to_markdown(self) -> str:
        """The table, with what it says nothing of and the definitions below it."""
        from rankmeter.showing.markdown import document_markdown

        return document_markdown([self.table(), *items(self._below())])

    def to_latex(self) -> str:
        """The table as a ``tabular``, what stands below it as comments."""
        from rankmeter.showing.latex import table_latex

        return table_latex(self.table(), self._below())

    def _below(self) -> list[str]:
        notes = [] if self.per_query else [*self.dash_notes(), *(self.interval_notes() if self.intervals else [])]
        return [*(note.text(self.lang) for note in notes), *self.definitions()]

    def definitions(self) -> list[str]:
        """A line for each definition."""
        return definition_lines(self.measures, self.lang, self.label)

    def to_csv(self) -> str:
        """CSV: ``run,<measures>``, or ``run,query,<measures>``, or with slices ``run,by,slice,queries,<measures>``.

        Where measures are about different numbers of queries, each such number stands before its measures.
        Empty where there is no value. With intervals two more columns follow each measure, its low and its high end; of
        slices three more, the difference from the rest and its ends, and last of all why intervals are missing.
        """
        from rankmeter.inputs.cells import csv_text

        if self.per_query:
            alone = [self.label(measure) for measure in self.measures if measure.aggregate != "whole"]
            values = ([ev.name, *row] for ev in self.evaluations for row in ev.per_query.iter_rows())
            rows = ([run, query, *(exact(value, self.digits) for value in rest)] for run, query, *rest in values)
            return csv_text([["run", "query", *alone], *rows])
        table, with_reasons = self.table(), self.is_sliced and self.intervals
        numbers = ("", " difference") if with_reasons else ("",)
        ends = ("", " low", " high") if self.intervals else ("",)
        together = self._counted_together() if self.is_sliced else [self.measures]
        head = ["run", *(["by", "slice"] if self.is_sliced else [])]
        for measures in together:
            names = [self.label(measure) for measure in measures]
            head += [f"{names[0]} queries" if len(together) > 1 else "queries"] if self.is_sliced else []
            head += [f"{name}{number}{end}" for name in names for number in numbers for end in ends]
        rows = (self._exact_row(row, table.columns) for row in table.rows)
        if not with_reasons:
            return csv_text([head, *rows])
        reasons = (why for ev in self.evaluations for why in _why_no_interval(ev))
        return csv_text([[*head, "no interval"], *([*row, why] for row, why in zip(rows, reasons, strict=True))])

    def _exact_row(self, row: Sequence[Cell], columns: Sequence[Column]) -> list[Any]:
        """The cells of a row; numbers with all their digits, each followed by the ends of its interval."""
        parts: list[Any] = []
        for cell, column in zip(row, columns, strict=True):
            if column.is_text or column.kind == "count":
                parts.append("" if cell.value is None else cell.value)
                continue
            value = None if isinstance(cell.value, str) else cell.value
            ends = cell.span if isinstance(cell.span, tuple) else (None, None)
            parts += [exact(number, self.digits) for number in ((value, *ends) if self.intervals else (value,))]
        return parts

    def to_dict(self) -> dict[str, Any]:
        """``{"rankmeter": version, "runs": [...]}``, each with its means and definitions, None for NaN."""
        runs = []
        for ev in self.evaluations:
            run = ev.to_dict()
            if self.intervals:
                spans = {
                    str(m): asdict(ev.interval(m, method=self.method)) if ev.has_interval(m) else None for m in ev.means
                }
                run["interval"] = spans
                run["no_interval"] = {str(m): why for m in ev.means if (why := ev.without_interval(m)) is not None}
                if ev.slices:
                    run["slices"] = {name: cut.to_dict(intervals=True) for name, cut in ev.slices.items()}
            if self.per_query:
                run["per_query"] = ev.per_query.to_dicts()
            runs.append(run)
        told: dict[str, Any] = finite({"rankmeter": __version__, "runs": runs}, self.digits)
        return told

    def to_json(self) -> str:
        """What :meth:`to_dict` gives, as JSON."""
        return json_text(self.to_dict()) + "\n"

    def tie_notes(self) -> list[Said]:
        """The range over which ties can move each number, the widest first, if it shows in the digits printed."""
        notes = []
        for ev in self.evaluations:
            for measure, (worst, best) in ev.tie_bounds.items():
                low, high = sorted((worst, best))
                ends = [number(end, measure, self._digits) for end in (low, high)]
                if ends[0] != ends[1]:
                    note = said("ties_can_move", measure=ev.label(measure), system=ev.name, low=ends[0], high=ends[1])
                    notes.append((high - low, note))
        notes.sort(key=lambda note: -note[0])
        more = [said("ties_can_move_more", count=len(notes) - TIES_SHOWN)] if len(notes) > TIES_SHOWN else []
        return [*(note for _, note in notes[:TIES_SHOWN]), *more]

    def dash_notes(self) -> list[Said]:
        """Why there is no number, for every dash in a table of slices."""
        notes: dict[str, Said] = {}
        for ev in self.evaluations:
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

    def interval_notes(self) -> list[Said]:
        """Notes on intervals: which numbers have none and why, and what a slice is compared with."""
        few: dict[str, Said] = {}
        reasons: dict[str, list[str]] = {}
        for ev in self.evaluations:
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
        rough = dict.fromkeys(
            ev.label(measure) for ev in self.evaluations for measure in ev.means if ev.has_rough_interval(measure)
        )
        without += [said("rough_intervals", measures=[*rough])] if rough and self.method != "bounded" else []
        return [*without, *few.values(), *([said("rest_means")] if self.is_sliced else [])]


def _why_no_interval(ev: Evaluation) -> Iterator[str]:
    """Why intervals are missing, for each row of an evaluation: that of all queries, then those of its slices."""
    yield "; ".join(f"{m}: {why}" for m in ev.means if (why := ev.without_interval(m)) is not None)
    for cut in ev.slices.values():
        known = [measure for measure in ev.means if measure in cut.values]
        for label in cut.labels:
            yield "; ".join(f"{m}: {why}" for m in known if (why := cut.without_interval(m, label)) is not None)


def table_of_slices(cut: Slices, *, digits: int = DIGITS, lang: Language = "en") -> Table:
    """One way of slicing: a row per slice."""
    together = [list(measures) for _, measures in groupby(cut.values, key=lambda measure: cut.counts[measure])]
    columns = [Column(word("slice", lang), "text")]
    for measures in together:
        columns.append(_count_column(word("query_count", lang), together, measures, str, importance=0))
        columns += [measure_column(measure, digits) for measure in measures]
    return Table(tuple(columns), tuple(_slice_rows(cut, together, digits, None, lang)), cut.name)


def _count_column(
    counted: str, together: Sequence[Sequence[Measure]], measures: Sequence[Measure], label: Callable[[Measure], str],
    *, importance: int = 1,
) -> Column:  # fmt: skip
    """How many queries the values behind are about; it names the measures where others are about more or fewer."""
    names = ", ".join(map(label, measures))
    return Column(counted if len(together) == 1 else f"{counted} ({names})", "count", importance)


def _slice_rows(
    cut: Slices,
    together: Sequence[Sequence[Measure]],
    digits: int,
    spans: dict[Measure, tuple[Spread, ...]] | None,
    lang: Language,
) -> list[tuple[Cell, ...]]:
    rows = []
    for place, label in enumerate(cut.labels):
        cells = [Cell(label)]
        for is_first, measure in ((not at, measure) for measures in together for at, measure in enumerate(measures)):
            if is_first:
                cells.append(Cell(cut.counts[measure][place] if measure in cut.counts else None))
            value = number_or_none(cut.values[measure][place] if measure in cut.values else None)
            if spans is None:
                cells.append(value_cell(value, measure, digits))
                continue
            spread = spans[measure][place] if measure in spans else None
            cells.append(value_cell(value, measure, digits, span=None if value is None else _ends(spread, lang)))
            rest = None if spread is None or math.isnan(spread.rest.value) else spread.rest
            cells.append(Cell() if rest is None else Cell(rest.value, span=_ends(rest, lang)))
        rows.append(tuple(cells))
    return rows


def _counted(ev: Evaluation, lang: Language) -> str:
    """What is counted: queries, or users for recommendations."""
    return word("users" if ev.facts.purpose == "recommendation" else "query_count", lang)


def _ends(spread: Any, lang: Language) -> Span | str:
    return word("no_interval", lang) if spread is None or math.isnan(spread.low) else (spread.low, spread.high)


def measure_column(measure: Measure, digits: int = DIGITS, importance: int = 0, label: str = "") -> Column:
    """The column of a measure, under the name that it was asked for."""
    return Column(label or str(measure), "number", importance, check_whole("digits", digits, 0))


def value_cell(value: float | None, measure: Measure, digits: int = DIGITS, **facts: Any) -> Cell:
    """The cell of a value; counts have no digits after the point, None is shown as a dash."""
    is_count = value is not None and type(measure).name.startswith("Num") and float(value).is_integer()
    return Cell(value, digits=0 if is_count else digits, **facts)


def number(value: float | None, measure: Measure, digits: int) -> str:
    """The text of a value."""
    return value_cell(value, measure, digits).text(measure_column(measure, digits))


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
                value_cell(number_or_none(value), measure),
                Cell(share),
                Cell(ev.counted(measure)),
                Cell(moved),
            )
        )
    columns = (
        Column(word("measure", lang), "text", is_code=True), Column(word("value", lang)), Column("", "bar"),
        Column(_counted(ev, lang), "count"), Column(word("tied_worst_to_best", lang)),
    )  # fmt: skip
    notes: list[Block] = [Paragraph(in_language(sentence, lang), "note") for sentence in ev.sentences()]
    slices = [ShownEvaluations([ev], lang).table()] if ev.slices else []
    assisted = [] if ev.assisted is None else ev.assisted.document(lang)
    added = [block for one in ev.added.values() for block in one.below(lang)]
    return [
        Table(columns, tuple(rows), ev.name),
        *notes,
        *slices,
        *assisted,
        *added,
        meanings(ev.means, lang, ev.label),
    ]


def slices_document(cut: Slices, lang: Language = "en") -> list[Block]:
    """The values of every slice, and how to ask whether they differ."""
    note = word("slices_of_queries" if cut.kind == "query" else "slices_of_items", lang)
    return [table_of_slices(cut, lang=lang), Paragraph(note, "hint"), meanings(cut.values, lang)]


def meanings(measures: Iterable[Measure], lang: Language = "en", label: Callable[[Measure], str] = str) -> Folded:
    """What the numbers mean, for those who ask."""
    return Folded(word("definitions", lang), tuple(items(definition_lines(measures, lang, label))))
