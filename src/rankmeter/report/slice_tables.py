"""Slices as tables: the values of every slice, their intervals, and how each slice differs from the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rankmeter.inputs.spreadsheets import csv_text
from rankmeter.measures import Measure
from rankmeter.report.tables import (
    ALL,
    DIGITS,
    NO_INTERVAL,
    Cell,
    Table,
    exact,
    interval_of,
    interval_text,
    number,
    shared_measures,
    span_text,
)

if TYPE_CHECKING:
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.lists.slices import Slices
    from rankmeter.stats.slices import Spread

FROM_REST = " - rest"
"""What follows a measure in the head of the column that says how far a slice is from all other slices together."""


def slice_table(evaluations: Sequence[Evaluation], *, digits: int = DIGITS, intervals: bool = False) -> Table:
    """For each run the values of all queries, then those of every slice; a dash where a slice has no value.

    With ``intervals`` each value has its interval, and beside it stands how far the slice is from the rest.

    Examples
    --------
    >>> import rankmeter as rm
    >>> from rankmeter.report.tables import to_text
    >>> truth, run = {1: ["a"], 2: ["a"]}, {1: ["a"], 2: ["b", "a"]}
    >>> print(to_text(slice_table([rm.evaluate(truth, run, "RR", by={1: "new", 2: "old"}, name="mine")])))
    run   by       slice  queries      RR
    mine           all          2  0.7500
    mine  segment  new          1  1.0000
    mine  segment  old          1  0.5000
    """
    measures = shared_measures(evaluations)
    rows = []
    for ev in evaluations:
        count = max((ev.counted(measure) for measure in measures), default=0)
        row = [Cell(ev.name), Cell(""), Cell(ALL), Cell(f"{count}")]
        for measure in measures:
            row.append(_value_cell(ev, measure, digits, intervals=intervals))
            row += [Cell("")] if intervals else []
        rows.append(tuple(row))
        for cut in ev.slices.values():
            spans = cut.intervals() if intervals else None
            rows += [(Cell(ev.name), Cell(cut.name), *cells) for cells in _rows(cut, measures, digits, spans)]
    return Table(("run", "by", "slice", "queries", *_heads(measures, intervals=intervals)), tuple(rows), 3)


def table_of_slices(cut: Slices, *, digits: int = DIGITS) -> Table:
    """One way of slicing: a row per slice."""
    measures = list(cut.values)
    return Table(("slice", "queries", *map(str, measures)), tuple(_rows(cut, measures, digits, None)), 1)


def _heads(measures: Sequence[Measure], *, intervals: bool) -> list[str]:
    ends = ("", FROM_REST) if intervals else ("",)
    return [f"{measure}{end}" for measure in measures for end in ends]


def _value_cell(ev: Evaluation, measure: Measure, digits: int, *, intervals: bool) -> Cell:
    text = _text(ev.means[measure], measure, digits)
    return Cell(text, span=interval_text(ev, measure, digits) if intervals and text != "-" else "")


def _rows(
    cut: Slices, measures: Sequence[Measure], digits: int, spans: dict[Measure, tuple[Spread, ...]] | None
) -> list[tuple[Cell, ...]]:
    rows = []
    for place, label in enumerate(cut.labels):
        count = max((counts[place] for counts in cut.counts.values()), default=0)
        cells = [Cell(label), Cell(f"{count}")]
        for measure in measures:
            value = _text(cut.values[measure][place] if measure in cut.values else None, measure, digits)
            if spans is None:
                cells.append(Cell(value))
                continue
            spread = spans[measure][place] if measure in spans else None
            cells.append(Cell(value, span="" if value == "-" else _interval(spread, measure, digits)))
            cells.append(_difference(spread, measure, digits))
        rows.append(tuple(cells))
    return rows


def _text(value: float | None, measure: Measure, digits: int) -> str:
    return number(None if value is None or math.isnan(value) else value, measure, digits)


def _interval(spread: Spread | None, measure: Measure, digits: int) -> str:
    if spread is None or math.isnan(spread.low):
        return NO_INTERVAL
    return span_text(spread.low, spread.high, measure, digits)


def _difference(spread: Spread | None, measure: Measure, digits: int) -> Cell:
    if spread is None or math.isnan(spread.rest.value):
        return Cell("-")
    rest = spread.rest
    ends = NO_INTERVAL if math.isnan(rest.low) else span_text(rest.low, rest.high, measure, digits)
    return Cell(f"{rest.value:+.{digits}f}", span=ends)


def to_slice_csv(evaluations: Sequence[Evaluation], *, digits: int | None = None, intervals: bool = False) -> str:
    """CSV of the same: ``run,by,slice,queries,<measures>``; empty where there is no value.

    With ``intervals`` five columns follow each measure: low and high end, the difference from the rest, its ends; and
    last of all why intervals are missing.
    """
    measures = shared_measures(evaluations)
    ends = ("", " low", " high", " difference", " difference low", " difference high") if intervals else ("",)
    head = ["run", "by", "slice", "queries", *(f"{measure}{end}" for measure in measures for end in ends)]
    rows: list[list[Any]] = [[*head, "no interval"] if intervals else head]
    for ev in evaluations:
        count = max((ev.counted(measure) for measure in measures), default=0)
        row: list[Any] = [ev.name, "", ALL, count]
        for measure in measures:
            row.append(_number(ev.means[measure], digits))
            if intervals:
                span = interval_of(ev, measure)
                row += ["", ""] if span is None else [_number(span.low, digits), _number(span.high, digits)]
                row += ["", "", ""]
        rows.append([*row, "; ".join(whole_notes(ev))] if intervals else row)
        for cut in ev.slices.values():
            rows += _cut_rows(ev.name, cut, measures, digits, intervals=intervals)
    return csv_text(rows)


def _cut_rows(
    run: str, cut: Slices, measures: Sequence[Measure], digits: int | None, *, intervals: bool
) -> Iterator[list[Any]]:
    spans = cut.intervals() if intervals else {}
    for place, label in enumerate(cut.labels):
        count = max((counts[place] for counts in cut.counts.values()), default=0)
        row: list[Any] = [run, cut.name, label, count]
        notes = []
        for measure in measures:
            row.append(_number(cut.values[measure][place] if measure in cut.values else None, digits))
            if not intervals:
                continue
            numbers: tuple[float | None, ...] = (None,) * 5
            if measure in spans:
                one = spans[measure][place]
                numbers = (one.low, one.high, one.rest.value, one.rest.low, one.rest.high)
            row += [_number(value, digits) for value in numbers]
            why = cut.without_interval(measure, label) if measure in cut.values else None
            notes += [] if why is None else [f"{measure}: {why}"]
        yield [*row, "; ".join(notes)] if intervals else row


def _number(value: float | None, digits: int | None) -> str:
    return exact(None if value is None or math.isnan(value) else value, digits)


def whole_notes(ev: Evaluation) -> list[str]:
    """For each measure of an evaluation without an interval, why that is so."""
    notes = [(measure, ev.without_interval(measure)) for measure in ev.means]
    return [f"{measure}: {why}" for measure, why in notes if why is not None]


def dash_notes(evaluations: Sequence[Evaluation]) -> list[str]:
    """For every dash in a table of slices, why no number stands there."""
    said: dict[str, None] = {}
    for ev in evaluations:
        for cut in ev.slices.values():
            dashes: dict[tuple[str, tuple[str, ...]], list[str]] = {}
            for measure in ev.means:
                reasons: dict[str, list[str]] = {}
                for label in cut.labels:
                    if (why := cut.without_value(measure, label)) is not None:
                        reasons.setdefault(why, []).append(label)
                for why, labels in reasons.items():
                    dashes.setdefault((why, tuple(labels)), []).append(str(measure))
            for (why, where), measures in dashes.items():
                who = "" if len(measures) == len(ev.means) else f" of {', '.join(measures)}"
                inside = "" if len(where) == len(cut.labels) else f" in {', '.join(where)}"
                said[f"{cut.name}: no value{who}{inside}: {why}"] = None
    return list(said)


def interval_notes(evaluations: Sequence[Evaluation]) -> list[str]:
    """What is said with intervals: which numbers have none and why, and what a slice is compared with."""
    said: dict[str, None] = {}
    reasons: dict[str, list[str]] = {}
    for ev in evaluations:
        for measure in ev.means:
            why = ev.without_interval(measure)
            if why is not None and str(measure) not in reasons.setdefault(why, []):
                reasons[why].append(str(measure))
        for cut in ev.slices.values():
            few = [
                label
                for label in cut.labels
                if any(cut.without_interval(m) is None and cut.without_interval(m, label) for m in cut.values)
            ]
            if few:
                said[f"{cut.name}: fewer than two queries count in {', '.join(few)}, too few for an interval"] = None
    if any(ev.slices for ev in evaluations):
        said["' - rest' is the value of a slice minus that of all other slices together, with its interval"] = None
    return [*(f"no interval for {', '.join(names)}: {why}" for why, names in reasons.items() if names), *said]
