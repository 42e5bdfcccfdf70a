"""From evaluations to text: plain, Markdown, LaTeX, CSV, JSON. Pure functions; nothing is printed or written here.

Every form that has room for it carries the definitions: a number without its definition is a bug.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rankmeter import __version__
from rankmeter.definitions import conventions_in_short, title_of
from rankmeter.errors import check_whole
from rankmeter.inputs.spreadsheets import csv_text
from rankmeter.measures import Measure
from rankmeter.measures.prose import Language
from rankmeter.showing.characters import one_line, width_of
from rankmeter.showing.latex import latex_comment, latex_text
from rankmeter.showing.markdown import markdown_line, markdown_text
from rankmeter.wording import word

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.stats.intervals import Interval

DIGITS = 4
"""Digits after the point where people read; CSV and JSON have all of them unless some are asked for."""

ALL = "all"
"""The row of the aggregated values in a table of queries, as trec_eval calls it."""

NO_INTERVAL = "(no interval)"
"""What stands beside a number where an interval was asked for and there is none."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table."""

    text: str
    is_best: bool = False
    span: str = ""
    """What follows the text and is never marked: an interval."""

    @property
    def whole(self) -> str:
        """All of it, unmarked."""
        return f"{self.text} {self.span}" if self.span else self.text


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to be set: labels on the left, numbers on the right."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    labels: int
    """How many columns from the left are labels."""


def mean_table(evaluations: Sequence[Evaluation], *, digits: int = DIGITS, intervals: bool = False) -> Table:
    """A row per run and a column per measure; the best of several runs marked.

    Examples
    --------
    >>> import rankmeter as rm
    >>> ev = rm.evaluate({"q": {"a"}}, {"q": ["b", "a"]}, ["RR", "P@1"], name="mine")
    >>> print(to_text(mean_table([ev])))
    run       RR     P@1
    mine  0.5000  0.0000
    """
    measures = shared_measures(evaluations)
    shown = {measure: [number(ev.means[measure], measure, digits) for ev in evaluations] for measure in measures}
    best = {measure: best_texts(measure, evaluations, shown[measure]) for measure in measures}
    rows = []
    for place, ev in enumerate(evaluations):
        cells = [Cell(ev.name)]
        for measure in measures:
            text = shown[measure][place]
            ends = interval_text(ev, measure, digits) if intervals else ""
            cells.append(Cell(text, text in best[measure], ends))
        rows.append(tuple(cells))
    return Table(("run", *map(str, measures)), tuple(rows), 1)


def query_table(evaluations: Sequence[Evaluation], *, digits: int = DIGITS) -> Table:
    """A row per query, and per run where there are several; last of each run the aggregated values."""
    measures = shared_measures(evaluations)
    several = len(evaluations) > 1
    rows = []
    for ev in evaluations:
        run = [Cell(ev.name)] if several else []
        for row in ev.per_query.iter_rows(named=True):
            query = row["query"]
            numbers = (Cell(number(row.get(str(m)), m, digits)) for m in measures)
            rows.append((*run, Cell(str(query)), *numbers))
        rows.append((*run, Cell(ALL), *(Cell(number(ev.means[m], m, digits)) for m in measures)))
    labels = ("run", "query") if several else ("query",)
    return Table((*labels, *map(str, measures)), tuple(rows), len(labels))


def shared_measures(evaluations: Sequence[Evaluation]) -> list[Measure]:
    """The measures of evaluations that were made together."""
    return list(evaluations[0].means)


def best_texts(measure: Measure, evaluations: Sequence[Evaluation], shown: Sequence[str]) -> set[str]:
    """How the best value is shown; empty where there is nothing to choose between.

    Values that are shown alike are alike to the reader: all of them are marked.
    """
    pairs = [(ev.means[measure], text) for ev, text in zip(evaluations, shown, strict=True)]
    known = [pair for pair in pairs if not math.isnan(pair[0])]
    if len(evaluations) < 2 or not known or not measure.has_goal:
        return set()
    choose: Callable[..., tuple[float, str]] = max if measure.higher_is_better else min
    return {choose(known, key=lambda pair: pair[0])[1]}


def number(value: float | None, measure: Measure, digits: int) -> str:
    """The text of a value; counts have no digits after the point, and no value is a dash."""
    if value is None:
        return "-"
    check_whole("digits", digits, 0)
    is_count = type(measure).name.startswith("Num") and float(value).is_integer()
    return f"{value:.{0 if is_count else digits}f}"


def interval_of(ev: Evaluation, measure: Measure) -> Interval | None:
    """The 95% interval of an aggregated value; None where there is none."""
    return ev.interval(measure) if ev.has_interval(measure) else None


def definition_lines(measures: Iterable[Measure], lang: Language = "en") -> list[str]:
    """For each definition one line: the measures that share it, the title, the conventions that no string says.

    >>> from rankmeter import RR
    >>> definition_lines([RR @ 5, RR @ 10])
    ['RR@5, RR@10: Reciprocal rank; rel=1, ties=item, empty=zero, queries=judged']
    """
    shared: dict[tuple[str, str], list[str]] = {}
    for measure in measures:
        shared.setdefault((title_of(measure, lang), conventions_in_short(measure)), []).append(str(measure))
    return [
        word("definition", lang, names=names, title=title, conventions=conventions)
        for (title, conventions), names in shared.items()
    ]


def to_text(table: Table) -> str:
    """Plain aligned columns, two spaces between them; the same for every width of terminal."""
    lines = [[*map(one_line, table.header)], *([one_line(cell.whole) for cell in row] for row in table.rows)]
    widths = [max(width_of(line[column]) for line in lines) for column in range(len(table.header))]
    return "\n".join(
        "  ".join(
            _padded(text, width, right=column >= table.labels)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def to_markdown(table: Table, measures: Sequence[Measure] = (), notes: Sequence[str] = ()) -> str:
    """A Markdown table, the best in bold, and below it notes and the definitions of the measures that are named."""
    head = "| " + " | ".join(markdown_text(name) for name in table.header) + " |"
    rule = "|" + "|".join("---" if column < table.labels else "---:" for column in range(len(table.header))) + "|"
    rows = ["| " + " | ".join(_markdown_cell(cell) for cell in row) + " |" for row in table.rows]
    lines = [f"- {markdown_line(line)}" for line in [*notes, *definition_lines(measures)]]
    return "\n".join([head, rule, *rows, *([""] if lines else []), *lines])


def to_latex(table: Table, measures: Sequence[Measure] = (), notes: Sequence[str] = ()) -> str:
    r"""A LaTeX ``tabular`` with the rules of booktabs, the best in bold, notes and definitions as comments above it."""
    columns = "l" * table.labels + "r" * (len(table.header) - table.labels)
    rows = [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in table.rows]
    return "\n".join(
        [
            *map(latex_comment, [*notes, *definition_lines(measures)]),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(latex_text(name) for name in table.header) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def to_csv(
    evaluations: Sequence[Evaluation], *, per_query: bool = False, intervals: bool = False, digits: int | None = None
) -> str:
    """CSV: ``run,<measures>``, or ``run,query,<measures>``; empty where a query does not count.

    With ``intervals`` two more columns follow each measure of the first kind: its low and its high end.
    """
    measures = shared_measures(evaluations)
    rows: list[list[object]] = []
    if per_query:
        rows.append(["run", "query", *(str(measure) for measure in measures if measure.aggregate != "whole")])
        for ev in evaluations:
            for query, *values in ev.per_query.iter_rows():
                rows.append([ev.name, query, *(exact(value, digits) for value in values)])
        return csv_text(rows)
    ends = ("", " low", " high") if intervals else ("",)
    rows.append(["run", *(f"{measure}{end}" for measure in measures for end in ends)])
    for ev in evaluations:
        row: list[object] = [ev.name]
        for measure in measures:
            row.append(exact(ev.means[measure], digits))
            if intervals:
                span = interval_of(ev, measure)
                row += ["", ""] if span is None else [exact(span.low, digits), exact(span.high, digits)]
        rows.append(row)
    return csv_text(rows)


def to_json(
    evaluations: Sequence[Evaluation], *, per_query: bool = False, intervals: bool = False, digits: int | None = None
) -> str:
    """JSON: ``{"rankmeter": version, "runs": [...]}``, each with its means and definitions; not a number is null."""
    runs = []
    for ev in evaluations:
        run = json.loads(ev.to_json())
        if intervals:
            spans = {str(measure): interval_of(ev, measure) for measure in ev.means}
            run["interval"] = {name: None if span is None else asdict(span) for name, span in spans.items()}
            run["no_interval"] = {str(m): why for m in ev.means if (why := ev.without_interval(m)) is not None}
            if ev.slices:
                run["slices"] = {name: cut.to_dict(intervals=True) for name, cut in ev.slices.items()}
        if per_query:
            run["per_query"] = ev.per_query.to_dicts()
        runs.append(_rounded(run, digits))
    return json.dumps({"rankmeter": __version__, "runs": runs}, indent=2, ensure_ascii=False) + "\n"


def _rounded(value: Any, digits: int | None) -> Any:
    """Floats to so many digits, through everything that JSON can hold; what is not finite becomes null."""
    if isinstance(value, dict):
        # Definitions are what was asked, not what was measured: p=0.85 stays 0.85.
        return {key: one if key == "definitions" else _rounded(one, digits) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one, digits) for one in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return value if digits is None else round(value, digits)
    return value


def exact(value: float | None, digits: int | None) -> str:
    """All digits of a value, or so many; empty where there is none."""
    if value is None:
        return ""
    return repr(float(value)) if digits is None else f"{value:.{digits}f}"


def interval_text(ev: Evaluation, measure: Measure, digits: int) -> str:
    """The interval of an aggregated value as it stands beside it; in words where there is none."""
    span = interval_of(ev, measure)
    return NO_INTERVAL if span is None else span_text(span.low, span.high, measure, digits)


def span_text(low: float, high: float, measure: Measure, digits: int) -> str:
    """Both ends of an interval."""
    return f"[{number(low, measure, digits)}, {number(high, measure, digits)}]"


def _padded(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - width_of(text))
    return space + text if right else text + space


def _markdown_cell(cell: Cell) -> str:
    text = markdown_text(cell.text)
    marked = f"**{text}**" if cell.is_best else text
    return f"{marked} {cell.span}".rstrip()


def _latex_cell(cell: Cell) -> str:
    text = latex_text(cell.text)
    marked = rf"\textbf{{{text}}}" if cell.is_best else text
    return f"{marked} {cell.span}".rstrip()
