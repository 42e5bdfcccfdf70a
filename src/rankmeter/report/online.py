"""The report of a log or an experiment: one HTML file, complete in itself, in light and dark.

Charts are drawn as SVG when the report is made, so it needs no script and no network.
"""

from __future__ import annotations

import math
from importlib import resources
from typing import TYPE_CHECKING, Any

from rankmeter import __version__
from rankmeter.definitions import title_of
from rankmeter.measures.prose import Language
from rankmeter.report.extra import need_report_extra
from rankmeter.showing.characters import one_line
from rankmeter.wording import words as words_of

if TYPE_CHECKING:
    from rankmeter.online import Experiment, OnlineEvaluation

BLUE, ORANGE = "#4c8dd6", "#e07b39"  # both readable on white and on near-black
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


def online_report(result: OnlineEvaluation | Experiment, *, lang: Language = "en") -> str:
    """The HTML of a result of :func:`rankmeter.online.evaluate` or :func:`rankmeter.online.experiment`.

    ``lang`` is ``en`` or ``zh``.
    """
    jinja2 = need_report_extra()
    template = (resources.files(__package__) / "online.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return str(environment.from_string(template).render(**_content(result, lang), version=__version__))


def _content(result: OnlineEvaluation | Experiment, lang: Language) -> dict[str, Any]:
    from rankmeter.online import Experiment
    from rankmeter.online.telling import brief, facts, percent, shown

    words = page_words(lang)
    trial = result if isinstance(result, Experiment) else None
    values = trial.values if trial is not None else result.estimates  # type: ignore[union-attr]
    return {
        "source": result.source,
        "unit": result.unit,
        "groups": list(values),
        "by": "variant" if trial is not None else getattr(result, "by", ""),
        "rows": [
            {
                "measure": str(measure),
                "title": title_of(measure, lang),
                "cells": [shown(of[measure], measure, lang=lang) for of in values.values()],
            }
            for measure in result.measures
        ],
        "units": [f"{next(iter(of.values())).units:,}" for of in values.values()],
        "trial": trial,
        "effects": [
            {"one": one, "difference": shown(one.difference, one.measure, lang=lang),
             "relative": percent(one.relative, lang=lang), "always": shown(one.always_valid, one.measure, lang=lang),
             "least": _least(one.least, one.control_value.value, words), "p": brief(one.p_corrected)}
            for one in (trial.effects if trial is not None else ())
        ],
        "segments": [
            {"one": one, "difference": shown(one.difference, one.measure, lang=lang),
             "relative": percent(one.relative, lang=lang), "p": brief(one.p_corrected)}
            for one in (trial.segments if trial is not None else ())
        ],
        "lang": lang,
        "words": words,
        "ratio": trial.ratio.sentence.text(lang) if trial is not None else "",
        "facts": facts(result.counts).text(lang) if result.counts else "",
        "notes": [note.text(lang) for note in result.notes],
        "findings": [(one.name.text(lang), one.rule.text(lang), one) for one in result.findings],
        "definitions": [(str(measure), measure.definition) for measure in result.measures],
        "charts": _charts(result, words),
    }  # fmt: skip


def page_words(lang: Language) -> dict[str, str]:
    """The labels of the page in one language, by name."""
    every = words_of("online", lang)
    return {kind.removeprefix("online_"): text for kind, text in every.items() if kind.startswith("online_")}


def _least(least: float, base: float, words: dict[str, str]) -> str:
    """The least detectable difference, and as a share of the control."""
    if math.isnan(least):
        return words["no_data"]
    return f"{least:.4g}" + (f" ({abs(least / base):.1%})" if base and not math.isnan(base) else "")


def _charts(result: OnlineEvaluation | Experiment, words: dict[str, str]) -> list[dict[str, str]]:
    from rankmeter.online import Experiment

    made = []
    if isinstance(result, Experiment) and (spec := _forest(result, words)) is not None:
        made.append(("forest", spec))
    if result.counts:
        made.append(("funnel", _funnel(result.counts, words)))
    if result.positions:
        made.append(("positions", _positions(result.positions, words)))
    if any(one.sessions for one in result.lengths):
        made.append(("lengths", _lengths(result.lengths, words)))
    return [{"title": words[name], "svg": _svg(spec), "text": words[f"{name}_text"]} for name, spec in made]


def _svg(spec: dict[str, Any]) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg({**_in_lines(spec), "config": _CONFIG, "width": spec.get("width", 420)}))


def _in_lines(spec: Any) -> Any:
    """A chart whose texts are of one line each: XML cannot hold controls, and the library ends the process over one."""
    if isinstance(spec, dict):
        return {name: _in_lines(part) for name, part in spec.items()}
    if isinstance(spec, list):
        return [_in_lines(part) for part in spec]
    return one_line(spec) if isinstance(spec, str) else spec


def _forest(result: Experiment, words: dict[str, str]) -> dict[str, Any] | None:
    rows = [
        {"label": f"{one.measure}, {one.variant}", "value": one.relative.value, "low": one.relative.low,
         "high": one.relative.high}
        for one in result.effects
        if math.isfinite(one.relative.low) and math.isfinite(one.relative.high)
    ]  # fmt: skip
    if not rows:
        return None
    x = {
        "type": "quantitative",
        "axis": {"format": "+.1%", "title": words["forest_axis"].format(control=result.control)},
    }
    y = {"field": "label", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": 320}}
    return {
        "data": {"values": rows},
        "height": {"step": 26},
        "layer": [
            {"mark": {"type": "rule", "color": "#888", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": 0}}},
            {"mark": {"type": "rule", "color": BLUE, "strokeWidth": 3},
             "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y}},
            {"mark": {"type": "point", "filled": True, "color": BLUE, "size": 70, "opacity": 1},
             "encoding": {"x": {**x, "field": "value"}, "y": y}},
        ],
    }  # fmt: skip


def _funnel(counts: Any, words: dict[str, str]) -> dict[str, Any]:
    steps = (("all_users", "users"), ("saw", "users with impression"), ("clicked", "users with click"),
             ("converted", "users with conversion"))  # fmt: skip
    most = max(counts["users"], 1)
    rows = [
        {"step": words[name], "users": counts[key], "text": f"{counts[key]:,} ({counts[key] / most:.1%})"}
        for name, key in steps
    ]
    y = {"field": "step", "type": "nominal", "sort": None, "axis": {"title": None}}
    x = {"field": "users", "type": "quantitative", "axis": {"title": words["users"], "tickCount": 4},
         "scale": {"domain": [0, most * 1.35]}}  # fmt: skip
    return {
        "data": {"values": rows},
        "height": {"step": 30},
        "encoding": {"y": y, "x": x},
        "layer": [
            {"mark": {"type": "bar", "color": BLUE}},
            {"mark": {"type": "text", "align": "left", "dx": 5}, "encoding": {"text": {"field": "text"}}},
        ],
    }  # fmt: skip


def _positions(positions: Any, words: dict[str, str]) -> dict[str, Any]:
    rows = [{"position": one.position, "rate": one.rate, "low": one.low, "high": one.high} for one in positions
            if math.isfinite(one.low)] or [{"position": one.position, "rate": one.rate, "low": one.rate,
                                            "high": one.rate} for one in positions]  # fmt: skip
    x = {"field": "position", "type": "ordinal", "axis": {"title": words["position"], "labelAngle": 0}}
    axis = {"title": "CTR", "format": "%"}
    return {
        "data": {"values": rows},
        "height": 220,
        "layer": [
            {"mark": {"type": "rule", "color": ORANGE, "strokeWidth": 2},
             "encoding": {"x": x, "y": {"field": "low", "type": "quantitative", "axis": axis},
                          "y2": {"field": "high"}}},
            {"mark": {"type": "line", "point": {"filled": True, "color": ORANGE}, "color": ORANGE},
             "encoding": {"x": x, "y": {"field": "rate", "type": "quantitative", "axis": axis}}},
        ],
    }  # fmt: skip


def _lengths(lengths: Any, words: dict[str, str]) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    before = 0.0
    for one in lengths:
        name, span = ("over", before) if math.isinf(one.up_to) else ("to", one.up_to)
        label = words[name].format(span=_span(span))
        rows.append({"length": label if one.up_to else "0 s", "sessions": one.sessions})
        before = one.up_to
    return {
        "data": {"values": rows},
        "height": 220,
        "mark": {"type": "bar", "color": BLUE},
        "encoding": {"x": {"field": "length", "type": "nominal", "sort": None,
                           "axis": {"title": None, "labelAngle": -35}},
                     "y": {"field": "sessions", "type": "quantitative", "axis": {"title": words["sessions"]}}},
    }  # fmt: skip


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.0f} h"
