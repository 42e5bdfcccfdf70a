"""Charts as drawings: SVG that takes its ink from the page around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankmeter.showing.characters import one_line

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


def svg(spec: Mapping[str, Any]) -> str:
    """A chart as a drawing whose ink is that of the page around it."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg({**_in_lines(spec), "config": _CONFIG, "width": spec.get("width", 420)}))


def _in_lines(spec: Any) -> Any:
    """A chart whose texts are of one line each: XML cannot hold controls, and the library ends the process over one."""
    if isinstance(spec, dict):
        return {name: _in_lines(part) for name, part in spec.items()}
    if isinstance(spec, list):
        return [_in_lines(part) for part in spec]
    return one_line(spec) if isinstance(spec, str) else spec
