"""The charts of the report as Vega-Lite: each is a pure function of names and labels; the rows are put in later.

Every chart reads the data set ``rows`` by fixed field names, and knows systems and measures by their number (``s``,
``a``, ``b``); axes and legends look their names up in the parameter ``names``. So no text of a user ever becomes part
of an expression or a key, where a line separator or ``__proto__`` would break the chart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from typing import Any

import altair as alt

from rankmeter.showing.characters import one_line

Spec = dict[str, Any]
Words = Mapping[str, str]

PALETTE = ("#3b7dd8", "#e07b26", "#2a9d6f", "#c2418c", "#8a63d2", "#a58a00", "#d1495b", "#2b9bb3", "#7a8b3c", "#9c6644")
BETTER, WORSE, EQUAL = "#3b7dd8", "#e07b26", "#9aa0a6"
HEIGHT = 260
MOST_NUMBERED = 12
"""Up to how many rows a square shows its numbers."""
_ROWS = alt.NamedData("rows")
_NAME = "names[datum.value]"
"""What an axis or a legend shows for the number of a system or measure."""


def differences(words: Words) -> Spec:
    """A bar for each query, sorted by the difference to the reference."""
    chart = (
        alt.Chart(_ROWS)
        .mark_bar(cursor="pointer")
        .encode(
            x=alt.X("at:O", axis=None, scale=alt.Scale(paddingInner=0.1)),
            y=alt.Y("delta:Q", title=one_line(words["difference"])),
            color=alt.Color(
                "kind:N",
                legend=None,
                scale=alt.Scale(domain=["better", "worse", "equal"], range=[BETTER, WORSE, EQUAL]),
            ),
            tooltip=_tips(query=words["query"], text=words["text"], delta=words["difference"]),
        )
    )
    return _spec(chart)


def scatter(words: Words) -> Spec:
    """A point for each query: the reference to the right, the other system upwards; on the line they are equal."""
    line = alt.Chart(alt.NamedData("ends")).mark_line(strokeDash=[4, 4], color=EQUAL).encode(x="x:Q", y="y:Q")
    points = (
        alt.Chart(_ROWS)
        .mark_circle(size=50, opacity=0.6, cursor="pointer")
        .encode(
            x=alt.X("x:Q", title=one_line(words["reference"])),
            y=alt.Y("y:Q", title=one_line(words["system"])),
            color=alt.Color(
                "kind:N",
                legend=None,
                scale=alt.Scale(domain=["better", "worse", "equal"], range=[BETTER, WORSE, EQUAL]),
            ),
            tooltip=_tips(query=words["query"], text=words["text"], x=words["reference"], y=words["system"]),
        )
    )
    return _spec(line + points)


def cutoffs(words: Words, systems: Sequence[str]) -> Spec:
    """The value at each cutoff with its band."""
    base = alt.Chart(_ROWS).encode(
        x=alt.X(
            "k:Q", title="k", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(values=[1, 2, 5, 10, 20, 50, 100])
        ),
        color=_colour(systems),
    )
    band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=one_line(words["value"])), y2="high:Q")
    line = base.mark_line(point=True).encode(
        y="value:Q",
        tooltip=_tips(system=words["system"], k="k", value=words["value"], low=words["low"], high=words["high"]),
    )
    return _spec(band + line, systems)


def distribution(words: Words, systems: Sequence[str]) -> Spec:
    """The share of the queries whose value is at most x."""
    chart = (
        alt.Chart(_ROWS)
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("value:Q", title=one_line(words["value_of_query"])),
            y=alt.Y("share:Q", title=words["share_of_queries"], axis=alt.Axis(format="%")),
            color=_colour(systems),
            tooltip=_tips(system=words["system"], value=words["value"], share=words["share_of_queries"]),
        )
    )
    return _spec(chart, systems)


def heat(labels: Sequence[str], words: Words, order: Sequence[int] | None = None) -> Spec:
    """A square of numbers between every two things; what is below 0 has the colour of 0.

    Of more than a few the numbers are left to the tooltip, and ``order`` puts together what is alike.
    """
    is_small = len(labels) <= MOST_NUMBERED
    sort = None if order is None or is_small else list(order)
    base = alt.Chart(_ROWS).encode(
        x=alt.X("a:N", title=None, sort=sort, axis=alt.Axis(labelAngle=-40, labelLimit=140, labelExpr=_NAME)
                if is_small else None),
        y=alt.Y("b:N", title=None, sort=sort, axis=alt.Axis(labelLimit=140, labelExpr=_NAME, labelOverlap=True)),
        tooltip=[
            alt.Tooltip("first:N", title=words["system"]), alt.Tooltip("second:N", title=words["system"]),
            alt.Tooltip("value:Q", format=".2f", title=words["value"]),
        ],
    )  # fmt: skip
    squares = base.mark_rect().encode(
        color=alt.Color(
            "value:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=["#dfe8f5", "#1f5fb4"], clamp=True)
        )
    )
    numbers = base.mark_text(fontSize=11).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition("datum.value > 0.6", alt.value("white"), alt.value("#1c2733")),
    )
    side = 34 if is_small else max(9, 560 // len(labels))
    return _spec(squares + numbers if is_small else squares, labels, height=max(120, side * len(labels)))


def trade_off(words: Words, systems: Sequence[str]) -> Spec:
    """Every system under two measures; the line joins those that no other beats under both."""
    scale = alt.Scale(zero=False, padding=30)
    base = alt.Chart(_ROWS).encode(
        x=alt.X("x:Q", scale=scale, title=one_line(words["first_measure"])),
        y=alt.Y("y:Q", scale=scale, title=one_line(words["second_measure"])),
    )
    front = (
        base.transform_filter("datum.front").mark_line(strokeDash=[5, 4], color=EQUAL).encode(order=alt.Order("x:Q"))
    )
    points = base.mark_point(filled=True, size=130, opacity=1).encode(
        color=_colour(systems, legend=False),
        shape=alt.Shape("front:N", legend=None, scale=alt.Scale(domain=[True, False], range=["diamond", "circle"])),
        tooltip=_tips(system=words["system"], x=words["first_measure"], y=words["second_measure"]),
    )
    names = base.mark_text(dy=-13, fontSize=12).encode(text="system:N", color=_colour(systems, legend=False))
    return _spec(front + points + names, systems)


def intervals(words: Words, systems: Sequence[str]) -> Spec:
    """The systems with their intervals, best first: a leaderboard as a figure."""
    base = alt.Chart(_ROWS).encode(
        y=alt.Y("s:N", sort=None, title=None, axis=alt.Axis(labelExpr=_NAME)),
        color=alt.Color("best:N", legend=None, scale=alt.Scale(domain=[True, False], range=[BETTER, EQUAL])),
    )
    ends = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", scale=alt.Scale(zero=False), title=one_line(words["value"])), x2="high:Q"
    )
    dots = base.mark_circle(size=110, opacity=1).encode(x="value:Q")
    return _spec(ends + dots, systems, height=max(80, 30 * len(systems)))


def colour(place: int) -> str:
    """The colour of a system; none is used twice: behind the chosen ones hues go round by the golden angle.

    >>> colour(0), len({colour(place) for place in range(200)})
    ('#3b7dd8', 200)
    """
    if place < len(PALETTE):
        return PALETTE[place]
    light = 0.42 + 0.16 * (place % 3) / 2
    parts = hls_to_rgb(place * 0.381966 % 1, light, 0.55)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def _colour(systems: Sequence[str], *, legend: bool = True) -> alt.Color:
    colours = [colour(place) for place in range(len(systems))]
    kept = alt.Legend(title=None, orient="top", columns=3, labelLimit=150, labelExpr=_NAME) if legend else None
    return alt.Color("s:N", scale=alt.Scale(domain=list(range(len(systems))), range=colours), legend=kept)


def _tips(**fields: str) -> list[alt.Tooltip]:
    numbers = {"delta": "+.4f", "x": ".4f", "y": ".4f", "value": ".4f", "low": ".4f", "high": ".4f", "share": ".0%"}
    return [
        alt.Tooltip(name, type="quantitative", format=numbers[name], title=one_line(title))
        if name in numbers
        else alt.Tooltip(name, type="nominal", title=one_line(title))
        for name, title in fields.items()
    ]


def _spec(chart: Any, names: Sequence[str] = (), *, height: int = HEIGHT) -> Spec:
    made: Spec = chart.properties(width="container", height=height).to_dict(
        validate=False
    )  # a test validates every chart
    made.pop("config", None)
    if names:
        made["params"] = [*made.get("params", ()), {"name": "names", "value": [one_line(name) for name in names]}]
    made["autosize"] = {"type": "fit-x", "contains": "padding"}
    return made


def with_rows(spec: Spec, width: int, **rows: Sequence[Mapping[str, Any]]) -> Spec:
    """A chart with its data and a fixed width, to be drawn outside of a page."""
    shown = {name: [_in_one_line(row) for row in several] for name, several in rows.items()}
    return {**spec, "width": width, "datasets": shown, "background": "white"}


def _in_one_line(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one_line(value) if isinstance(value, str) else value for name, value in row.items()}
