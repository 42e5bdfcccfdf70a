"""The charts of the report as files for papers: SVG and PNG, on white, each with its data inside."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmeter.comparing.digest import board_rows, digest, paired_values, reference_of
from rankmeter.errors import InputError
from rankmeter.inputs.titles import Titles
from rankmeter.measures.prose import Language
from rankmeter.report import need_report_extra
from rankmeter.report.comparisons import ShownComparison
from rankmeter.showing import charts
from rankmeter.showing.document import Block, Chart, Paragraph
from rankmeter.whole_files import make_folder, write_bytes
from rankmeter.wording import words

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison

FORMATS = ("svg", "png")
WIDTH = 460
LONGEST = 80
"""The longest part of a file name that comes from a name."""
SCALE = 3
"""Pixels per point of a PNG."""


def write_figures(
    cmp: Comparison,
    folder: str | os.PathLike[str],
    *,
    lang: Language = "en",
    formats: Sequence[str] = FORMATS,
    progress: Callable[[str, float], None] | None = None,
) -> list[Path]:
    """Write every figure in every format, and return the paths."""
    need_report_extra()
    import vl_convert

    for kind in formats:
        if kind not in FORMATS:
            raise InputError.of("cli.figure_format", format=kind, formats=list(FORMATS))
    place = Path(folder)
    make_folder(place)
    written = []
    every = list(figures(cmp, lang))
    taken: Counter[str] = Counter()
    for done, (plain, spec) in enumerate(every):
        # Names may differ only in characters that a file name cannot hold, or in case.
        taken[plain.casefold()] += 1
        name = plain if taken[plain.casefold()] == 1 else f"{plain}-{taken[plain.casefold()]}"
        if progress is not None:
            progress(name, done / len(every))
        for kind in formats:
            if kind == "svg":
                content = vl_convert.vegalite_to_svg(spec).encode()
            else:
                content = vl_convert.vegalite_to_png(spec, scale=SCALE)
            path = place / f"{name}.{kind}"
            write_bytes(path, content)
            written.append(path)
    return written


def figures(cmp: Comparison, lang: Language = "en") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each figure that has anything to show, with a name for its file, as Vega-Lite that holds its data."""
    return ((name, spec) for name, _, spec in _titled_figures(cmp, lang))


def _titled_figures(cmp: Comparison, lang: Language) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, title, spec, rows in _figures(cmp, lang):
        if rows:
            yield name, title, charts.with_its_data(spec, WIDTH, rows=rows)


def _figures(cmp: Comparison, lang: Language) -> Iterator[tuple[str, str, dict[str, Any], list[dict[str, Any]]]]:
    """The name, the title, the chart and the rows of each figure."""
    data, labels, systems = digest(cmp, Titles(), lists=0), words("report", lang), list(cmp.systems)
    names, reference, queries = list(map(cmp.label, cmp.measures)), reference_of(cmp), cmp.queries.to_list()
    paired = paired_values(cmp, reference)

    comma = "，" if lang == "zh" else ", "

    def titled(kind: str, what: str) -> str:
        return f"{labels[kind]}{'：' if lang == 'zh' else ': '}{what}"

    for place, (name, measure) in enumerate(zip(names, cmp.measures, strict=True)):
        intervals = charts.intervals(labels | {"value": name}, systems)
        yield f"intervals-{slug(name)}", titled("values_and_intervals", name), intervals, board_rows(cmp, measure)
        spread = charts.distribution(labels | {"value_of_query": f"{labels['value_of_query']}{comma}{name}"}, systems)
        shares = _distribution_rows(data["distributions"][place], systems)
        yield f"distribution-{slug(name)}", titled("distributions", name), spread, shares
        for system, pairs in zip(systems, paired[place], strict=True):
            bars = charts.difference_bars(labels | {"difference": f"{name}: {system} − {reference}"})
            rows = _differences(pairs, queries, higher=measure.higher_is_better)
            title = titled("differences", f"{name}{comma}{system} − {reference}")
            yield f"differences-{slug(name)}-{slug(system)}", title, bars, rows
    for curve in data["curves"].values():
        grows = charts.cutoffs(labels | {"value": curve["name"]}, systems)
        yield f"cutoffs-{slug(curve['name'])}", titled("curves", curve["name"]), grows, _points(curve, systems)
    if data["pictures"]:
        yield from _of_placements(data["pictures"], labels, systems, titled)
    if len(names) > 1:
        yield (
            "correlation",
            labels["correlation"],
            charts.heat(names, labels),
            _cells_of_square(data["correlation"], names),
        )
        two = labels | {"first_measure": names[0], "second_measure": names[1]}
        yield "trade-off", labels["trade_off"], charts.trade_off(two, systems), _trade_off(data, systems)
    square = _cells_of_square(data["similarity"], systems)
    yield "similarity", labels["similarity"], charts.heat(systems, labels, data["alike_order"]), square


def pictured(cmp: Comparison, lang: Language) -> list[Block]:
    """A comparison to look at in a notebook: the verdict, the table, and the charts that fit beside it."""
    need_report_extra()
    drawn = {name: (title, spec) for name, title, spec in _titled_figures(cmp, lang)}
    differences = [name for name in drawn if name.startswith("differences")]
    scores = [name for name in drawn if name.startswith("scores")]
    for name in (*differences[MOST_SHOWN:], *scores[MOST_SHOWN:]) if len(cmp.systems) > 2 else ():
        del drawn[name]
    in_order = sorted(drawn, key=lambda name: name in differences)  # differences last
    shown = ShownComparison(cmp, lang)
    return [
        *map(Paragraph, shown.texts(shown.verdict())),
        shown.grid(),
        *(Chart(name, *drawn[name]) for name in in_order),
    ]


MOST_SHOWN = 4
"""How many charts of differences, and of scores, a notebook shows where there are more than two systems."""


def slug(text: str) -> str:
    """A text as part of a file's name.

    >>> slug("nDCG(gain=exp2)@10")
    'nDCG-gain-exp2-10'
    """
    return re.sub(r"[^\w.]+", "-", text)[:LONGEST].strip("-.") or "unnamed"


def _distribution_rows(several: Sequence[Sequence[Sequence[float]]], systems: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"s": place, "system": system, "value": value, "share": share}
        for place, (system, steps) in enumerate(zip(systems, several, strict=True))
        for value, share in steps
    ]


def _points(curve: Mapping[str, Any], systems: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"s": place, "system": system, "k": k, **{kind: curve[kind][place][at] for kind in ("value", "low", "high")}}
        for place, system in enumerate(systems)
        for at, k in enumerate(curve["k"])
    ]


def _differences(pairs: Sequence[Any], queries: Sequence[Any], *, higher: bool) -> list[dict[str, Any]]:
    rows = []
    for at, (q, x, y) in enumerate(pairs):
        delta = y - x
        kind = "equal" if delta == 0 else "better" if (delta > 0) == higher else "worse"
        rows.append({"at": at, "delta": delta, "kind": kind, "query": str(queries[q]), "text": ""})
    return rows


def _of_placements(
    told: Mapping[str, Any], words: Mapping[str, str], systems: Sequence[str], titled: Callable[[str, str], str]
) -> Iterator[tuple[str, str, dict[str, Any], list[dict[str, Any]]]]:
    """Precision against recall, the first hits, and the scores of each system by grade."""

    def rows(name: str, ends: Sequence[Any], *fields: str) -> list[dict[str, Any]]:
        return [
            {"s": place, "system": system, **dict(zip(fields, (end, value), strict=True))}
            for place, system in enumerate(systems)
            for end, value in zip(ends, told[name][place], strict=True)
        ]

    relevant = words["relevance"].format(**told)
    curve = charts.recall_curve(words, systems)
    yield "recall", f"{words['recall_curve']}{relevant}", curve, rows("recall", told["points"], "at", "value")
    bars = charts.first_hits(words, systems)
    yield (
        "first-hits",
        f"{words['first_hits']}{relevant}",
        bars,
        rows("firsts", [*told["ranks"], words["no_hit"]], "ranks", "share"),
    )
    names = ("grade", "count", "low", "lower", "median", "upper", "high")
    for system, scores in zip(systems, told["scores"], strict=True):
        boxes = [dict(zip(names, box, strict=True)) for box in scores["boxes"]] if scores else []
        yield f"scores-{slug(system)}", titled("scores_by_grade", system), charts.scores_by_grade(words), boxes


def _cells_of_square(table: Sequence[Sequence[float | None]], names: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"a": a, "b": b, "first": names[a], "second": names[b], "value": value}
        for a, row in enumerate(table)
        for b, value in enumerate(row)
        if value is not None
    ]


def _trade_off(data: Mapping[str, Any], systems: Sequence[str]) -> list[dict[str, Any]]:
    first, second, *_ = data["trade_off"]["values"]
    front = data["trade_off"]["fronts"]["0,1"]
    return [
        {"s": place, "system": system, "x": first[place], "y": second[place], "front": place in front, "label": system}
        for place, system in enumerate(systems)
        if first[place] is not None and second[place] is not None
    ]
