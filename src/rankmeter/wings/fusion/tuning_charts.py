"""Pictures of a tuned fusion: weights against value with the band of chance; a triangle for three runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankmeter.showing.charts import BETTER, EQUAL, PALETTE, WORSE, Spec, drawing, field, layer
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wording import Language, word
from rankmeter.wording.characters import one_line

if TYPE_CHECKING:
    from rankmeter.wings.fusion.tuned import TriedSetting

MOST_LINES = 8
HEIGHT_OF_TRIANGLE = math.sqrt(3) / 2


def charts_of(
    settings: Sequence[TriedSetting], runs: Sequence[str], best: Fusion, words: Mapping[str, str], language: Language
) -> dict[str, Spec]:
    """The pictures that fit: by weight for two runs, a triangle for three, settings by value otherwise."""
    weighed = [one for one in settings if one.definition.weights is not None]
    top = max((one.value for one in settings if one.definition == best), default=0.0)
    if len(runs) == 2 and len({one.definition.weights for one in weighed}) > 2:
        return {"weights": by_weight(weighed, runs, best, top, words, language)}
    if len(runs) == 3 and len({one.definition.weights for one in weighed}) > 3:
        return {"ternary": triangle([one for one in weighed if _family(one) == parted(best)[0]], runs, words)}
    return {"settings": by_value(settings, top, words)}


def parted(definition: Fusion) -> tuple[str, str]:
    """A definition without its weights, and the weights."""
    weights = definition.weights
    if weights is None:
        return str(definition), ""
    return str(replace(definition, weights=None)), " : ".join(f"{weight:.4g}" for weight in weights)


def _family(one: TriedSetting) -> str:
    return parted(one.definition)[0]


def _share_of_run(definition: Fusion, run: int) -> float:
    weights = definition.weights or (1.0,)
    total = sum(weights)
    return weights[run] / total if total else 0.0


def by_weight(
    settings: Sequence[TriedSetting], runs: Sequence[str], best: Fusion, top: float, words: Mapping[str, str],
    language: Language,
) -> Spec:  # fmt: skip
    """The value by the weight of the first run, a line for each way to fuse, and the band of chance below the best."""
    families = list(dict.fromkeys([parted(best)[0], *map(_family, settings)]))[:MOST_LINES]
    rows = [
        {
            "weight": _share_of_run(one.definition, 0),
            "value": one.value,
            "low": _reached(top, one.reach),
            "top": top,
            "family": _family(one),
            "is_best": _family(one) == families[0],
            "setting": one_line(str(one.definition)),
        }
        for one in settings
        if _family(one) in families
    ]
    x = field("weight:Q", title=word("tune_weight_of", language, name=one_line(runs[0])), scale={"domain": [0, 1]})
    zero = {"zero": False, "nice": True}
    band = layer({"type": "area", "opacity": 0.18, "color": EQUAL}, x=x,
                 y=field("low:Q", title=words["value"], scale=zero), y2={"field": "top"})  # fmt: skip
    best_line = layer({"type": "line", "strokeDash": [5, 4], "color": EQUAL}, x=x, y=field("top:Q"))
    legend = {"title": None, "orient": "bottom", "columns": 1, "labelLimit": 360}
    colour = field("family:N", legend=legend, scale={"domain": families, "range": list(PALETTE[: len(families)])})
    tips = [field("setting:N", title=words["setting"]), field("value:Q", title=words["value"], format=".4f")]
    lines = layer({"type": "line", "point": True}, x=x, y=field("value:Q", scale=zero), color=colour, tooltip=tips)
    first = {"transform": [{"filter": "datum.is_best"}]}
    return drawing(rows, 260, band | first, best_line | first, lines)


def _reached(top: float, reach: float) -> float:
    return top if not math.isfinite(reach) else top - reach


def triangle(settings: Sequence[TriedSetting], runs: Sequence[str], words: Mapping[str, str]) -> Spec:
    """Every point of the simplex in its colour; a ring is around those that cannot be told from the best."""
    values = [one.value for one in settings]
    rows: list[dict[str, Any]] = []
    for one in settings:
        second, third = (_share_of_run(one.definition, run) for run in (1, 2))
        rows.append(
            {
                "x": second + third / 2,
                "y": third * HEIGHT_OF_TRIANGLE,
                "value": one.value,
                "alike": one.is_inseparable,
                "setting": one_line(str(one.definition)),
                "kind": "point",
            }
        )
    corners = [(0.0, 0.0, "left", 18), (1.0, 0.0, "right", 18), (0.5, HEIGHT_OF_TRIANGLE, "center", -14)]
    rows += [
        {"x": x, "y": y, "name": one_line(name), "kind": f"corner{at}"}
        for at, ((x, y, *_), name) in enumerate(zip(corners, runs, strict=True))
    ]
    sides = [{"x": x, "y": y, "kind": "side", "order": at} for at, (x, y, *_) in enumerate([*corners, corners[0]])]
    x = field("x:Q", axis=None, scale={"domain": [-0.08, 1.08], "nice": False})
    y = field("y:Q", axis=None, scale={"domain": [-0.12, 1.0], "nice": False})
    shades = {"domain": [min(values), max(values)], "range": ["#f3d9c2", "#dfe8f5", "#1f5fb4"]}
    legend = {"format": ".3f", "gradientLength": 120}
    colour = field("value:Q", title=words["value"], legend=legend, scale=shades)
    tips = [field("setting:N", title=words["setting"]), field("value:Q", title=words["value"], format=".4f")]
    outline = layer({"type": "line", "color": EQUAL}, x=x, y=y, order=field("order:Q"))
    points = layer({"type": "circle", "size": 200, "opacity": 1}, x=x, y=y, color=colour, tooltip=tips)
    rings = layer({"type": "point", "size": 260, "filled": False, "strokeWidth": 1.6, "color": WORSE}, x=x, y=y)
    names = [
        layer({"type": "text", "fontSize": 12, "align": align, "dy": dy, "color": BETTER, "limit": 200}, x=x, y=y,
              text=field("name:N")) | {"transform": [{"filter": f"datum.kind == 'corner{at}'"}]}
        for at, (_, _, align, dy) in enumerate(corners)
    ]  # fmt: skip
    return drawing(
        [*rows, *sides],
        380,
        outline | {"transform": [{"filter": "datum.kind == 'side'"}]},
        points | {"transform": [{"filter": "datum.kind == 'point'"}]},
        rings | {"transform": [{"filter": "datum.kind == 'point' && datum.alike"}]},
        *names,
    )


def by_value(settings: Sequence[TriedSetting], top: float, words: Mapping[str, str]) -> Spec:
    """The settings from the best to the worst, each with how far below the best it could be by chance."""
    ranked = sorted(settings, key=lambda one: abs(top - one.value))[:200]
    rows = [
        {"at": at, "value": one.value, "low": _reached(top, one.reach), "top": top,
         "setting": one_line(str(one.definition))}
        for at, one in enumerate(ranked)
    ]  # fmt: skip
    x = field("at:Q", axis=None)
    zero = {"zero": False}
    band = layer({"type": "area", "opacity": 0.18, "color": EQUAL}, x=x,
                 y=field("low:Q", title=words["value"], scale=zero), y2={"field": "top"})  # fmt: skip
    tips = [field("setting:N", title=words["setting"]), field("value:Q", title=words["value"], format=".4f")]
    points = layer({"type": "circle", "size": 40, "opacity": 0.9, "color": BETTER}, x=x,
                   y=field("value:Q", scale=zero), tooltip=tips)  # fmt: skip
    return drawing(rows, 240, band, points)
