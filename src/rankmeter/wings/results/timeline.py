"""The history of a system as it is shown: regressions first, a picture and a table for each line, what changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rankmeter.errors import NotFoundError
from rankmeter.late import pl
from rankmeter.showing.charts import BETTER, EQUAL, WORSE, Spec, drawing, field, layer
from rankmeter.showing.document import Block, Cell, Chart, Column, Folded, Heading, Mark, Paragraph, Table, items
from rankmeter.showing.document import Kind as CellKind
from rankmeter.showing.numbers import fixed, number_or_none, p_text, signed
from rankmeter.showing.showable import ShownAsTable
from rankmeter.wings.results.history_lines import HistoryPoint, HistorySeries
from rankmeter.wording import Language, Said, kinds, said, word
from rankmeter.wording.characters import one_line

_HEADS = kinds("history_col_{}", ("when", "verdict", "value", "difference", "moved", "commit"))
_VERDICTS = kinds("history_is_{}", ("reference", "same", "level", "worse", "better", "untested", "turned"))
SHOWN = 30
"""How many points of a line a text lists, the newest; the data has all of them."""
HEIGHT = 230


@dataclass(frozen=True, slots=True, repr=False)
class Timeline(ShownAsTable):
    """What a history says; made by :meth:`History.timeline`."""

    series: tuple[HistorySeries, ...]
    evaluations: int
    accepted: frozenset[str]
    """The entries that were accepted."""
    level: float
    notes: tuple[Said, ...]

    def __getitem__(self, measure: str) -> HistorySeries:
        """The series of a measure, or of ``system / measure`` where there are several systems."""
        for one in self.series:
            if measure in (one.measure, _title(one)):
                return one
        raise NotFoundError.of(
            "results.unknown_history_measure", names=[measure], known=[_title(one) for one in self.series]
        )

    def _open(self, verdict: str) -> list[HistorySeries]:
        found = [one for one in self.series if one.last.verdict == verdict]
        return [one for one in found if one.last.entry not in self.accepted]

    @property
    def regressions(self) -> list[HistorySeries]:
        """What is worse than its reference now, and was not accepted."""
        return self._open("worse")

    @property
    def turned(self) -> list[HistorySeries]:
        """Where the ids of the newest evaluation have turned over."""
        return self._open("turned")

    @property
    def unsettled(self) -> list[tuple[HistorySeries, HistoryPoint]]:
        """What was worse than its reference when an earlier line ended, and was never accepted."""
        found = [(one, one.unsettled(self.accepted)) for one in self.series]
        return [(one, point) for one, point in found if point is not None]

    @property
    def passes(self) -> bool:
        """Whether nothing is worse, and no ids have turned over."""
        return not self.regressions and not self.turned

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        return {
            "passes": self.passes,
            "evaluations": self.evaluations,
            "level": self.level,
            "regressions": [_title(one) for one in self.regressions],
            "turned": [_title(one) for one in self.turned],
            "unsettled": [{"series": _title(one), "entry": point.entry} for one, point in self.unsettled],
            "series": [one.to_dict() for one in self.series],
            "accepted": sorted(self.accepted),
            "notes": list(map(str, self.notes)),
        }

    def to_polars(self) -> pl.DataFrame:
        """The points, a row each."""
        plain = ("entry", "time", "commit", "value", "verdict", "reference", "difference", "low", "high", "p", "look")
        rows = [
            {"system": one.system, "measure": one.measure, **{name: getattr(point, name) for name in plain},
             "breaks": "; ".join(map(str, point.breaks))}
            for one in self.series
            for point in one.points
        ]  # fmt: skip
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))

    def document(self, language: Language = "en") -> list[Block]:
        """What is worse, then every line with its picture and its points."""
        worse, turned = self.regressions, self.turned
        blocks: list[Block] = [Heading(word("history_title", language, evaluations=self.evaluations), 1)]
        if worse:
            blocks += [Paragraph(word("history_worse", language, count=len(worse)), "alarm"),
                       *items([_change(one).text(language) for one in worse])]  # fmt: skip
        if turned:
            blocks += [Paragraph(word("history_turned_now", language), "alarm"),
                       *items([f"{_title(one)}: {one.last.breaks[0].text(language)}" for one in turned])]  # fmt: skip
        if self.passes:
            blocks.append(Paragraph(word("history_fine", language)))
        if unsettled := self.unsettled:
            blocks += [Paragraph(word("history_unsettled", language), "note"),
                       *items([f"{_title(one)}: {_called(point)}" for one, point in unsettled])]  # fmt: skip
        if better := self._open("better"):
            blocks += [Paragraph(word("history_better", language, count=len(better))),
                       *items([_change(one).text(language) for one in better])]  # fmt: skip
        for number, one in enumerate(self.series):
            blocks += self._line(one, number, language)
        return [*blocks, *(Paragraph(note.text(language), "note") for note in self.notes)]

    def _line(self, one: HistorySeries, number: int, language: Language) -> list[Block]:
        blocks: list[Block] = [Heading(_title(one))]
        if len(one.points) > 1:
            blocks.append(Chart(f"line{number}", word("history_picture", language), _picture(one)))
        table = self._points(one, language)
        hidden = len(one.points) - SHOWN
        if hidden > 0:
            blocks.append(Paragraph(word("history_older", language, count=hidden)))
        blocks.append(table)
        if one.since_start is not None:
            by, low, high = one.since_start
            facts = {"by": signed(by, 4), "low": signed(low, 4), "high": signed(high, 4), "level": self.level}
            blocks.append(Paragraph(word("history_since_start", language, **facts)))
        told = _timeline_lines(one.points[-SHOWN:], language)
        return (
            [*blocks, Folded(word("history_changes", language, count=len(told)), tuple(items(told)))]
            if told
            else blocks
        )

    def _points(self, one: HistorySeries, language: Language) -> Table:
        types: list[tuple[CellKind, int]] = [("text", 0), ("text", 0), ("number", 0), ("difference", 0), ("text", 2),
                                             ("text", 1)]  # fmt: skip
        columns = tuple(Column(word(head, language), kind, importance)
                        for head, (kind, importance) in zip(_HEADS.values(), types, strict=True))  # fmt: skip
        rows = []
        for point in one.points[-SHOWN:]:
            gap = number_or_none(point.difference)
            ends = None if number_or_none(point.low) is None or point.verdict == "same" else (point.low, point.high)
            marks: frozenset[Mark] = frozenset({"worse": ["down"], "better": ["up"]}.get(point.verdict, []))  # type: ignore[arg-type]
            verdict = word(_VERDICTS[point.verdict], language)
            if point.breaks and point.verdict != "turned":
                verdict = word("history_is_broken", language)
            if point.entry in self.accepted:
                verdict += word("history_and_accepted", language)
            moved = word("history_moved", language, down=point.down, up=point.up) if point.down + point.up else ""
            rows.append((Cell(_day(point)), Cell(verdict), Cell(point.value), Cell(gap, marks, ends), Cell(moved),
                         Cell(point.commit)))  # fmt: skip
        return Table(columns, tuple(rows), name=f"points-{_title(one)}")


def _title(one: HistorySeries) -> str:
    return f"{one.system} / {one.measure}"


def _day(point: HistoryPoint) -> str:
    return datetime.fromisoformat(point.time).strftime("%Y-%m-%d %H:%M")


def _change(one: HistorySeries) -> Said:
    """What changed, since when, and the queries that moved most."""
    last, onset = one.last, one.onset or one.last
    against = next((point for point in one.points if point.entry == last.reference), last)
    return said(
        "history_change", title=_title(one), value=fixed(last.value, 4), by=signed(last.difference, 4),
        low=signed(last.low, 4), high=signed(last.high, 4), p=p_text(last.p), error=p_text(last.error),
        since=_called(onset), reference=_called(against), down=last.down, up=last.up,
        moved=[f"{one_line(query)} {signed(by, 3)}" for query, by in last.moved],
    )  # fmt: skip


def _called(point: HistoryPoint) -> str:
    return f"{point.commit} ({_day(point)})" if point.commit else _day(point)


def _timeline_lines(points: Sequence[HistoryPoint], language: Language) -> list[str]:
    """Every change, break and note, in the order of time."""
    lines = []
    before = ""
    for point in points:
        said_of = [reason.text(language) for reason in (*point.breaks, *point.notes)]
        if point.breaks and point.common and math.isfinite(point.step) and point.verdict != "turned":
            said_of.append(word("history_bridge", language, common=point.common, step=signed(point.step, 4)))
        if point.is_change and point.verdict != before:
            moved = [f"{one_line(query)} {signed(by, 3)}" for query, by in point.moved]
            kind = "history_turned_worse" if point.verdict == "worse" else "history_turned_better"
            said_of.append(
                word(kind, language, by=signed(point.difference, 4), moved=moved, step=signed(point.step, 4))
            )
        elif not point.is_change and before in ("worse", "better") and point.verdict in ("level", "same"):
            said_of.append(word("history_back", language))
        before = point.verdict if point.verdict != "turned" else before
        lines += [f"{_called(point)}: {text}" if language == "en" else f"{_called(point)}：{text}" for text in said_of]
    return lines


def _picture(one: HistorySeries) -> Spec:
    """The values, the band of the difference around them, and the reference that the band is held against."""
    by_name = {point.entry: point for point in one.points}
    rows: list[dict[str, Any]] = []
    line = 0
    for at, point in enumerate(one.points):
        turned = point.verdict == "turned"
        broken = bool(point.breaks) and not turned
        line += broken
        low = high = None
        if math.isfinite(point.low) and math.isfinite(point.difference):
            low, high = (point.value - point.difference + end for end in (point.low, point.high))
        reference = by_name.get(point.reference)
        kind = point.verdict if point.is_change else "turned" if turned else "other"
        rows.append({
            "at": at, "label": f"{point.time[5:10]} {point.commit}".strip(), "value": number_or_none(point.value),
            "low": low, "high": high, "line": -1 - at if turned else line, "kind": kind, "broken": broken,
            "reference": None if reference is None else reference.value,
        })  # fmt: skip
    labels = [one_line(str(row["label"])) for row in rows]
    x = field("at:Q", title=None, scale={"domain": [-0.5, len(rows) - 0.5], "nice": False}, axis={
        "values": list(range(0, len(rows), max(1, math.ceil(len(rows) / 8)))), "labelAngle": -40, "labelLimit": 130,
        "labelExpr": f"{_quoted(labels)}[datum.value]", "grid": False,
    })  # fmt: skip
    y = field("value:Q", title=None, scale={"zero": False, "padding": 12})
    band = layer({"type": "rule", "strokeWidth": 7, "opacity": 0.25, "color": EQUAL}, x=x,
                 y=field("low:Q", title=None, scale={"zero": False}), y2={"field": "high"})  # fmt: skip
    joined = layer({"type": "line", "color": EQUAL}, x=x, y=y, detail=field("line:N"))
    held = layer({"type": "line", "strokeDash": [4, 4], "color": "#5b6770", "interpolate": "step-after"}, x=x,
                 y=field("reference:Q", title=None), detail=field("line:N"))  # fmt: skip
    colours = {"domain": ["worse", "better", "turned", "other"], "range": [WORSE, BETTER, "#c2418c", "#5b6770"]}
    shapes = {"domain": ["worse", "better", "turned", "other"],
              "range": ["triangle-down", "triangle-up", "cross", "circle"]}  # fmt: skip
    points = layer({"type": "point", "filled": True, "size": 90, "opacity": 1}, x=x, y=y,
                   color=field("kind:N", legend=None, scale=colours),
                   shape=field("kind:N", legend=None, scale=shapes))  # fmt: skip
    cuts = layer({"type": "rule", "strokeDash": [2, 3], "color": "#c2418c"}, x=field("cut:Q"))
    cut = {"transform": [{"filter": "datum.broken"}, {"calculate": "datum.at - 0.5", "as": "cut"}]}
    there = {"transform": [{"filter": "isValid(datum.low)"}]}
    ref = {"transform": [{"filter": "isValid(datum.reference)"}]}
    return drawing(rows, HEIGHT, band | there, held | ref, joined, points, cuts | cut)


def _quoted(labels: Sequence[str]) -> str:
    """Labels as a list of an expression: letters, digits and a few marks only, so that no name ends it."""
    plain = ["".join(letter for letter in label if letter.isalnum() or letter in " -+:.") for label in labels]
    return "[" + ",".join(f"'{label}'" for label in plain) + "]"
