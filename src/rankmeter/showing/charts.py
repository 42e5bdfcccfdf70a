"""The charts of the report as Vega-Lite, each a pure function of names and labels, and how a chart is drawn.

Every chart reads the data set ``rows`` by fixed field names, and knows systems and measures by their number (``s``,
``a``, ``b``); axes and legends look their names up in the parameter ``names``. So user text never becomes part of an
expression or a key, where a line separator or ``__proto__`` would break the chart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from typing import Any

from rankmeter.errors import load_library
from rankmeter.wording.characters import one_line

Spec = dict[str, Any]
Words = Mapping[str, str]

PALETTE = ("#3b7dd8", "#e07b26", "#2a9d6f", "#c2418c", "#8a63d2", "#a58a00", "#d1495b", "#2b9bb3", "#7a8b3c", "#9c6644")
BETTER, WORSE, EQUAL = "#3b7dd8", "#e07b26", "#9aa0a6"
HEIGHT = 260
MOST_NUMBERED = 12
"""With more rows, a square does not show its numbers."""
_NAME = "names[datum.value]"
"""What an axis or a legend shows for the number of a system or measure."""
_TYPES = {"O": "ordinal", "Q": "quantitative", "N": "nominal"}
_FORMATS = {"delta": "+.4f", "x": ".4f", "y": ".4f", "value": ".4f", "low": ".4f", "high": ".4f", "share": ".0%"}


def difference_bars(words: Words) -> Spec:
    """A bar for each query, sorted by the difference to the baseline."""
    bars = layer(
        {"type": "bar", "cursor": "pointer"},
        x=field("at:O", axis=None, scale={"paddingInner": 0.1}),
        y=field("delta:Q", title=words["difference"]),
        color=_OUTCOME,
        tooltip=_tips(query=words["query"], text=words["text"], delta=words["difference"]),
    )
    return _spec(bars)


def scatter(words: Words) -> Spec:
    """A point for each query: the baseline to the right, the other system upwards; on the line they are equal."""
    line = layer({"type": "line", "strokeDash": [4, 4], "color": EQUAL}, x=field("x:Q"), y=field("y:Q"))
    points = layer(
        {"type": "circle", "size": 50, "opacity": 0.6, "cursor": "pointer"},
        x=field("x:Q", title=words["reference"]),
        y=field("y:Q", title=words["system"]),
        color=_OUTCOME,
        tooltip=_tips(query=words["query"], text=words["text"], x=words["reference"], y=words["system"]),
    )
    return _spec(line | {"data": {"name": "ends"}}, points)


def cutoffs(words: Words, systems: Sequence[str]) -> Spec:
    """The value at each cutoff with its band."""
    x = field("k:Q", title="k", scale={"type": "log", "nice": False}, axis={"values": [1, 2, 5, 10, 20, 50, 100]})
    shared = {"x": x, "color": _colour(systems)}
    value = field("low:Q", title=words["value"])
    band = layer({"type": "area", "opacity": 0.18}, **shared, y=value, y2={"field": "high"})
    tips = _tips(system=words["system"], k="k", value=words["value"], low=words["low"], high=words["high"])
    line = layer({"type": "line", "point": True}, **shared, y=field("value:Q"), tooltip=tips)
    return _spec(band, line, names=systems)


def distribution(words: Words, systems: Sequence[str]) -> Spec:
    """The share of the queries whose value is at most x."""
    steps = layer(
        {"type": "line", "interpolate": "step-after"},
        x=field("value:Q", title=words["value_of_query"]),
        y=field("share:Q", title=words["share_of_queries"], axis={"format": "%"}),
        color=_colour(systems),
        tooltip=_tips(system=words["system"], value=words["value"], share=words["share_of_queries"]),
    )
    return _spec(steps, names=systems)


def recall_curve(words: Words, systems: Sequence[str]) -> Spec:
    """The interpolated precision at eleven points of recall."""
    tips = _tips(system=words["system"], at=words["recall"], value=words["interpolated"])
    share = {"domain": [0, 1], "nice": False}
    line = layer(
        {"type": "line", "point": True},
        x=field("at:Q", title=words["recall"], scale=share),
        y=field("value:Q", title=words["interpolated"], scale=share),
        color=_colour(systems),
        tooltip=[*tips[:1], field("at:Q", title=words["recall"], format=".1f"), *tips[2:]],
    )
    return _spec(line, names=systems)


def first_hits(words: Words, systems: Sequence[str]) -> Spec:
    """The share of queries by the rank of the first relevant item: a bar for each system, side by side."""
    bars = layer(
        {"type": "bar"},
        x=field("ranks:N", title=words["first_rank"], sort=None, axis={"labelAngle": 0}),
        y=field("share:Q", title=words["share_at_rank"], axis={"format": "%"}),
        color=_colour(systems),
        tooltip=_tips(system=words["system"], ranks=words["first_rank"], share=words["share_at_rank"]),
    )
    bars["encoding"]["xOffset"] = field("s:N")
    return _spec(bars, names=systems)


def scores_by_grade(words: Words) -> Spec:
    """For each grade the middle 90% of the scores as a line, the middle half as a box, the median as a tick."""
    grade = field("grade:O", title=words["grade"], axis={"labelAngle": 0})
    tips = [
        field(f"{name}:Q", title=words[title], **more)
        for name, title, more in (
            ("grade", "grade", {}), ("count", "judged_items", {"format": ","}), ("low", "quantile_5", {}),
            ("median", "median", {}), ("high", "quantile_95", {}),
        )
    ]  # fmt: skip
    scale = {"zero": False}
    shared = {"x": grade, "tooltip": tips}
    low = field("low:Q", title=words["item_score"], scale=scale)
    line = layer({"type": "rule", "color": EQUAL}, **shared, y=low, y2={"field": "high"})
    box = layer({"type": "bar", "size": 26, "color": BETTER}, **shared, y=field("lower:Q"), y2={"field": "upper"})
    tick = layer({"type": "tick", "size": 26, "thickness": 3, "color": WORSE}, **shared, y=field("median:Q"))
    return _spec(line, box, tick, height=200)


def heat(labels: Sequence[str], words: Words, order: Sequence[int] | None = None) -> Spec:
    """A heat map of a number for every two things; numbers below 0 have the colour of 0.

    With many things the numbers are only in the tooltip, and ``order`` puts similar ones together.
    """
    is_small = len(labels) <= MOST_NUMBERED
    sort = None if order is None or is_small else list(order)
    below = {"labelAngle": -40, "labelLimit": 140, "labelExpr": _NAME} if is_small else None
    side = 34 if is_small else max(9, 560 // len(labels))
    beside = {"labelLimit": 140, "labelExpr": _NAME, "labelFontSize": min(11, side - 1), "labelOverlap": False}
    tips = _tips(first=words["system"], second=words["system"], value=words["value"])
    shared = {
        "x": field("a:N", title=None, sort=sort, axis=below),
        "y": field("b:N", title=None, sort=sort, axis=beside),
        "tooltip": [*tips[:2], tips[2] | {"format": ".2f"}],
    }
    blue = {"domain": [0, 1], "range": ["#dfe8f5", "#1f5fb4"], "clamp": True}
    squares = layer({"type": "rect"}, **shared, color=field("value:Q", legend=None, scale=blue))
    ink = {"condition": {"test": "datum.value > 0.6", "value": "white"}, "value": "#1c2733"}
    numbers = layer({"type": "text", "fontSize": 11}, **shared, text=field("value:Q", format=".2f"), color=ink)
    height = max(120, side * len(labels))
    return _spec(squares, *([numbers] if is_small else []), names=labels, height=height)


def trade_off(words: Words, systems: Sequence[str]) -> Spec:
    """Every system under two measures; the line joins those that no other beats under both."""
    shared = {
        "x": field("x:Q", scale={"zero": False, "padding": 60}, title=words["first_measure"]),
        "y": field("y:Q", scale={"zero": False, "padding": 30}, title=words["second_measure"]),
    }
    colour_of = _colour(systems, legend=False)
    front = layer({"type": "line", "strokeDash": [5, 4], "color": EQUAL}, **shared, order=field("x:Q"))
    shape = field("front:N", legend=None, scale={"domain": [True, False], "range": ["diamond", "circle"]})
    tips = _tips(system=words["system"], x=words["first_measure"], y=words["second_measure"])
    mark = {"type": "point", "filled": True, "size": 130, "opacity": 1}
    points = layer(mark, **shared, color=colour_of, shape=shape, tooltip=tips)
    names = layer({"type": "text", "dy": -13, "fontSize": 12}, **shared, text=field("label:N"), color=colour_of)
    return _spec(front | {"transform": [{"filter": "datum.front"}]}, points, names, names=systems)


def intervals(words: Words, systems: Sequence[str]) -> Spec:
    """The systems with their intervals, best first: a leaderboard as a figure."""
    shared = {
        "y": field("s:N", sort=None, title=None, axis={"labelExpr": _NAME}),
        "color": field("best:N", legend=None, scale={"domain": [True, False], "range": [BETTER, EQUAL]}),
    }
    low = field("low:Q", scale={"zero": False}, title=words["value"])
    ends = layer({"type": "rule", "strokeWidth": 3}, **shared, x=low, x2={"field": "high"})
    dots = layer({"type": "circle", "size": 110, "opacity": 1}, **shared, x=field("value:Q"))
    return _spec(ends, dots, names=systems, height=max(80, 30 * len(systems)))


def colour(place: int) -> str:
    """The colour of a system, never the same twice: after the palette, hues advance by the golden angle.

    >>> colour(0), len({colour(place) for place in range(200)})
    ('#3b7dd8', 200)
    """
    if place < len(PALETTE):
        return PALETTE[place]
    light = 0.42 + 0.16 * (place % 3) / 2
    parts = hls_to_rgb(place * 0.381966 % 1, light, 0.55)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def _colour(systems: Sequence[str], *, legend: bool = True) -> Spec:
    scale = {"domain": list(range(len(systems))), "range": [colour(place) for place in range(len(systems))]}
    described = (
        {"title": None, "orient": "top", "columns": 3, "labelLimit": 150, "labelExpr": _NAME, "symbolOpacity": 1}
        if legend
        else None
    )
    return field("s:N", scale=scale, legend=described)


def field(name: str, **options: Any) -> Spec:
    """What a channel shows: ``delta:Q`` is the field ``delta``, a quantity."""
    column, _, kind = name.partition(":")
    if options.get("title"):
        options["title"] = one_line(options["title"])
    return {"field": column, "type": _TYPES[kind], **options}


_OUTCOME = field("kind:N", legend=None, scale={"domain": ["better", "worse", "equal"], "range": [BETTER, WORSE, EQUAL]})


def _tips(**fields: str) -> list[Spec]:
    return [
        field(f"{name}:Q", title=title, format=_FORMATS[name]) if name in _FORMATS else field(f"{name}:N", title=title)
        for name, title in fields.items()
    ]


def layer(mark: Spec, /, **encoding: Any) -> Spec:
    """A mark, and what its channels show."""
    return {"mark": mark, "encoding": encoding}


def drawing(rows: Sequence[Mapping[str, Any]], height: int | Spec, *layers: Spec) -> Spec:
    """A chart that holds its data, to be drawn when a page is made."""
    return {"data": {"values": rows}, "height": height, **_layered(layers)}


def _spec(*layers: Spec, names: Sequence[str] = (), height: int = HEIGHT) -> Spec:
    params = [{"name": "names", "value": [one_line(name) for name in names]}] if names else []
    frame = {"width": "container", "height": height, "autosize": {"type": "fit-x", "contains": "padding"}}
    return {"data": {"name": "rows"}, **frame, "params": params, **_layered(layers)}


def _layered(layers: Sequence[Spec]) -> Spec:
    return layers[0] if len(layers) == 1 else {"layer": list(layers)}


def with_its_data(spec: Spec, width: int, **rows: Sequence[Mapping[str, Any]]) -> Spec:
    """A chart with its data and a fixed width, to be drawn outside of a page."""
    return {**spec, "width": width, "datasets": _in_lines(rows), "background": "white"}


_CONFIG = {
    "background": None,
    "padding": {"left": 24, "right": 12, "top": 5, "bottom": 5},  # a reader's font may be wider than the one measured
    "view": {"stroke": None},
    "font": "system-ui, sans-serif",
    "axis": {"labelColor": "currentColor", "titleColor": "currentColor", "tickColor": "#888", "domainColor": "#888",
             "gridColor": "#88888844", "labelFontSize": 11, "titleFontSize": 12},
    "header": {"labelColor": "currentColor", "titleColor": "currentColor"},
    "legend": {"labelColor": "currentColor", "titleColor": "currentColor"},
    "text": {"color": "currentColor"},
}  # fmt: skip


_SPOKEN = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')
"""What Vega says of every mark and axis to those who listen: half of a chart, and English whatever its language."""


def svg(spec: Mapping[str, Any], title: str = "") -> str:
    """A chart as SVG in the text colour of the page around it; who listens hears the title, which is escaped."""
    library = load_library("vl_convert", '"rankmeter[report]"')
    drawn = str(library.vegalite_to_svg({**_in_lines(spec), "config": _CONFIG, "width": spec.get("width", 420)}))
    heard = f" role='img' aria-label='{title}'" if title else ""
    return _SPOKEN.sub("", drawn).replace("<svg", f"<svg{heard}", 1)


def _in_lines(spec: Any) -> Any:
    """A chart whose texts are of one line each: XML cannot hold control characters, and the library aborts on one."""
    if isinstance(spec, dict):
        return {name: _in_lines(part) for name, part in spec.items()}
    if isinstance(spec, list):
        return [_in_lines(part) for part in spec]
    return one_line(spec) if isinstance(spec, str) else spec
