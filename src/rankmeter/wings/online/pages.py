"""The report of a log or an experiment: a page without a script, its charts drawn when it is made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmeter import __version__
from rankmeter.definitions.explain import title_of
from rankmeter.showing.charts import drawing, field, layer
from rankmeter.showing.document import Block, Chart, Heading, Kind, Paragraph, Table, text_table
from rankmeter.wings.online.shown_estimates import facts, page_words, shown
from rankmeter.wording import Language, exact_percent, line_about

if TYPE_CHECKING:
    from rankmeter.wings.online.log_results import LogResult, Values
    from rankmeter.wings.online.trial import Experiment

BLUE, ORANGE = "#4c8dd6", "#e07b39"  # both readable on white and on near-black


def online_document(
    result: LogResult, values: Values, lang: Language = "en", trial: Experiment | None = None
) -> list[Block]:
    """The sample ratio, differences, values, charts, what is odd in the log, and what the measures mean."""
    words = page_words(lang)
    about = line_about(result.source, [facts(result.counts)], lang) if result.counts else result.source
    blocks: list[Block] = [Heading(words["title"], 1), Paragraph(about)]
    if trial is not None:
        blocks.append(Paragraph(trial.ratio.sentence.text(lang), "plain" if trial.is_sound else "alarm"))
    concluded = trial.conclusions() if trial is not None else []
    blocks += [Paragraph(note.text(lang), "note") for note in (*concluded, *result.notes)]
    if trial is not None:
        unit, level = words[result.unit], exact_percent(trial.level)
        blocks.append(Heading(words["differences"].format(control=trial.control)))
        blocks.append(trial.effects_table(lang, is_page=True))
        blocks.append(Paragraph(words["intervals"].format(level=level, unit=unit), "hint"))
    blocks += [Heading(words["values"]), _values(result, values, words, lang)]
    charts = _charts(result, trial, words)
    blocks += [Heading(words["pictures"]), *charts] if charts else []
    if trial is not None and trial.segments:
        blocks += [Heading(words["by"].format(segment=trial.segment)), Paragraph(words["exploration"], "hint")]
        blocks.append(trial.effects_table(lang, trial.segment))
    if result.findings:
        heads = [words[name] for name in ("finding", "count", "share", "rule")]
        odd = [
            (finding.name.text(lang), finding.count, f"{finding.share:.2%}", finding.rule.text(lang))
            for finding in result.findings
        ]
        blocks += [Heading(words["odd"]), text_table(heads, odd, ("text", "count", "number", "text"))]
    meant = [(str(measure), measure.definition) for measure in result.measures]
    blocks += [Heading(words["definitions"]), text_table(("", ""), meant, ("text", "text"))]
    return [*blocks, Paragraph(words["made"].format(version=__version__), "hint")]


def _values(result: LogResult, values: Values, words: dict[str, str], lang: Language) -> Table:
    """A row per measure and a column per group, and how many units each has."""
    heads = [words["measure"], *(group or words["all"] for group in values), ""]
    rows = [
        [str(measure), *(shown(of[measure], measure, lang=lang) for of in values.values()), title_of(measure, lang)]
        for measure in result.measures
    ]
    units = [f"{next(iter(of.values())).units:,}" for of in values.values()]
    rows.append([words["units"].format(unit=words[result.unit]), *units, ""])
    kinds: list[Kind] = ["text", *(["number"] * len(values)), "text"]  # type: ignore[list-item]
    return text_table(heads, rows, kinds)


_CHARTS = {name: f"{name}_text" for name in ("forest", "funnel", "positions", "lengths")}


def _charts(result: LogResult, trial: Experiment | None, words: dict[str, str]) -> list[Chart]:
    charts = []
    if trial is not None and (spec := _forest(trial, words)) is not None:
        charts.append(("forest", spec))
    if result.counts:
        charts.append(("funnel", _funnel(result.counts, words)))
    if result.positions:
        charts.append(("positions", _positions(result.positions, words)))
    if any(length.sessions for length in result.lengths):
        charts.append(("lengths", _length_rows(result.lengths, words)))
    return [Chart(name, words[name], spec, words[_CHARTS[name]]) for name, spec in charts]


def _forest(result: Experiment, words: dict[str, str]) -> dict[str, Any] | None:
    rows = [
        {"label": f"{effect.measure}, {effect.variant}", "value": effect.relative.value, "low": effect.relative.low,
         "high": effect.relative.high}
        for effect in result.effects
        if math.isfinite(effect.relative.low) and math.isfinite(effect.relative.high)
    ]  # fmt: skip
    if not rows:
        return None
    axis = {"format": "+.1%", "title": words["forest_axis"].format(control=result.control)}
    y = field("label:N", sort=None, axis={"title": None, "labelLimit": 320})
    ends = {"x": field("low:Q", axis=axis), "x2": {"field": "high"}}
    return drawing(
        rows, {"step": 26},
        layer({"type": "rule", "color": "#888", "strokeDash": [3, 3]}, x={"datum": 0}),
        layer({"type": "rule", "color": BLUE, "strokeWidth": 3}, **ends, y=y),
        layer({"type": "point", "filled": True, "color": BLUE, "size": 70, "opacity": 1},
              x=field("value:Q", axis=axis), y=y),
    )  # fmt: skip


def _funnel(counts: Any, words: dict[str, str]) -> dict[str, Any]:
    steps = (("all_users", "users"), ("saw", "users with impression"), ("clicked", "users with click"),
             ("converted", "users with conversion"))  # fmt: skip
    most = max(counts["users"], 1)
    rows = [
        {"step": words[name], "users": counts[key], "text": f"{counts[key]:,} ({counts[key] / most:.1%})"}
        for name, key in steps
    ]
    y = field("step:N", sort=None, axis={"title": None})
    axis = {"title": words["users"], "tickCount": 4}
    x = field("users:Q", axis=axis, scale={"domain": [0, most * 1.35]})
    return drawing(
        rows, {"step": 30},
        layer({"type": "bar", "color": BLUE}, x=x, y=y),
        layer({"type": "text", "align": "left", "dx": 5}, x=x, y=y, text={"field": "text"}),
    )  # fmt: skip


def _positions(positions: Any, words: dict[str, str]) -> dict[str, Any]:
    known = [place for place in positions if math.isfinite(place.low)]
    rows = [{"position": place.position, "rate": place.rate, "low": place.low, "high": place.high} for place in known]
    rows = rows or [dict.fromkeys(("rate", "low", "high"), at.rate) | {"position": at.position} for at in positions]
    x = field("position:O", axis={"title": words["position"], "labelAngle": 0})
    axis = {"title": "CTR", "format": "%"}
    dots = {"type": "line", "point": {"filled": True, "color": ORANGE}, "color": ORANGE}
    return drawing(
        rows, 220,
        layer({"type": "rule", "color": ORANGE, "strokeWidth": 2}, x=x, y=field("low:Q", axis=axis),
              y2={"field": "high"}),
        layer(dots, x=x, y=field("rate:Q", axis=axis)),
    )  # fmt: skip


def _length_rows(lengths: Any, words: dict[str, str]) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    before = 0.0
    for length in lengths:
        name, span = ("over", before) if math.isinf(length.up_to) else ("to", length.up_to)
        label = words[name].format(span=_span(span))
        rows.append({"length": label if length.up_to else "0 s", "sessions": length.sessions})
        before = length.up_to
    x = field("length:N", sort=None, axis={"title": None, "labelAngle": -35})
    y = field("sessions:Q", axis={"title": words["sessions"]})
    return drawing(rows, 220, layer({"type": "bar", "color": BLUE}, x=x, y=y))


def _span(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.0f} h"
