"""The report: one HTML file that holds everything it shows and loads nothing from anywhere."""

from __future__ import annotations

import json
import os
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmeter.definitions import explain_measure
from rankmeter.errors import InputError, check_whole
from rankmeter.measures.prose import Language
from rankmeter.report import comparisons
from rankmeter.report.data import provenance, reference_of, report_data
from rankmeter.report.differences import reference
from rankmeter.report.extra import need_report_extra
from rankmeter.report.titles import into_titles
from rankmeter.whole_files import check_writable, make_folder, write_text
from rankmeter.wording import in_language, word, words

if TYPE_CHECKING:
    from rankmeter.comparing.records import Score
    from rankmeter.comparing.results import Comparison
    from rankmeter.measures import Measure

MOST_PAIRS = 200
"""How many pairs the table of every test shows under one measure."""
LISTS = 50
"""For how many queries a report keeps the ranked lists unless told otherwise."""


def report_html(
    cmp: Comparison,
    *,
    lang: Language = "en",
    titles: object = None,
    lists: int = LISTS,
    title: str = "",
) -> str:
    """The report as the text of an HTML file.

    Parameters
    ----------
    lang
        ``en`` or ``zh``.
    titles
        ``{"queries": ..., "items": ...}``: texts by id, as mappings or paths of CSV files.
    lists
        For how many queries the ranked lists are kept, the most informative first.
    title
        The heading.
    """
    jinja2 = need_report_extra()
    from rankmeter.report import charts

    check_whole("lists", lists, 0)
    labels, systems = words("report", lang), list(cmp.systems)
    data = report_data(cmp, into_titles(titles), lists=lists, lang=lang)
    names = [str(measure) for measure in cmp.measures]
    specs = {
        "differences": charts.differences(labels),
        "scatter": charts.scatter(labels),
        "cutoffs": charts.cutoffs(labels, systems),
        "distribution": charts.distribution(labels, systems),
        "correlation": charts.heat(names),
        "similarity": charts.heat(systems),
        "trade_off": charts.trade_off(labels, systems),
    }
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return str(
        environment.from_string(_file("page.html.jinja")).render(
            lang=lang,
            t=labels,
            title=title or labels["report"],
            cmp=cmp,
            reference=reference_of(cmp),
            against=reference(cmp),
            chosen=_best_beside(cmp, reference_of(cmp)),
            boards=[_board(cmp, measure, lang) for measure in cmp.measures],
            quality=comparisons.quality_table(cmp, lang=lang),
            quality_words=comparisons.quality_words(cmp, lang),
            notes=[note.text(lang) for note in cmp.notes],
            definitions=[explain_measure(measure, language=lang) for measure in cmp.measures],
            said=comparisons.legend(cmp, lang)[1:],
            provenance=provenance(cmp),
            has_curves=bool(data["curves"]),
            has_lists=cmp.inputs is not None,
            similar_queries=data["similar_queries"],
            slices=data["slices"],
            most_pairs=MOST_PAIRS,
            sizes=word("sizes_mean", lang, power=cmp.settings.power),
            style=_file("page.css"),
            script=_file("page.js"),
            libraries=vega_bundle(),
            # `<` cannot end the script element that holds the JSON when it is written as an escape.
            payload=json.dumps(
                {"data": data, "specs": specs, "words": labels},
                ensure_ascii=False,
                allow_nan=False,
                separators=(",", ":"),
            ).replace("<", "\\u003c"),
        )
    )


def _best_beside(cmp: Comparison, reference: str) -> str:
    """The system that people want to see against the reference first."""
    return next(score.system for score in cmp.ranked(cmp.measures[0]) if score.system != reference)


def write_report(cmp: Comparison, path: str | os.PathLike[str], **options: Any) -> Path:
    """Write the report, whole or not at all."""
    place = Path(path)
    check_writable(place)
    write_text(place, report_html(cmp, **options))
    return place


def _file(name: str) -> str:
    return (resources.files("rankmeter.report") / name).read_text(encoding="utf-8")


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script.

    To bundle them takes seconds, so the result is kept in the user's cache, by the version of what made it.
    """
    import vl_convert

    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    kept = Path(base) / "rankmeter" / f"vega-{metadata.version('vl-convert-python')}.js"
    try:
        return kept.read_text(encoding="utf-8")
    except OSError:
        bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    bundle = bundle.replace("</script", "<\\/script")
    try:
        make_folder(kept.parent)
        write_text(kept, bundle)
    except InputError:
        return bundle  # a cache that cannot be written is no reason to fail
    return bundle


def _board(cmp: Comparison, measure: Measure, lang: Language) -> dict[str, Any]:
    """The leaderboard of one measure, with the numbers that it is sorted by and where its intervals are drawn."""
    table = comparisons.leaderboard(cmp, measure, lang=lang)
    scores = cmp.ranked(measure)
    ends = [end for score in scores if score.interval for end in (score.interval.low, score.interval.high)]
    ends += [score.value for score in scores if score.value == score.value]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = (high - low) * 0.06 or 0.5
    low, high = low - room, high + room
    rows = [
        {
            "score": score,
            "name": row[1].text,
            "value": row[2].text,
            "interval": row[3].text,
            "rank": row[5].text,
            "cells": [cell.text for cell in row[6:]],
            "drawn": _drawn(score, low, high),
            "sort": _sort_keys(cmp, score, place),
        }
        for place, (score, row) in enumerate(zip(scores, table.rows, strict=True))
    ]
    reason = next((score.reason for score in scores if score.reason), "")
    return {
        "measure": measure,
        "rows": rows,
        "reason": in_language(reason, lang),
        "equivalence": comparisons.equivalence_line(cmp, measure, lang),
        "tests": comparisons.difference_table(cmp, measure, lang=lang),
    }


def _sort_keys(cmp: Comparison, score: Score, place: int) -> dict[str, float]:
    keys = {"rank": float(place), "value": score.value if score.value == score.value else float("-inf")}
    against = reference(cmp)
    if against is not None and score.system != against:
        one = cmp.difference(score.measure, score.system, against)
        keys["difference"] = one.difference
        keys["p"] = 1.0 if one.p_corrected is None else one.p_corrected
        keys["outcome"] = float(one.effect.wins - one.effect.losses) if one.effect else 0.0
    return {"difference": 0.0, "p": 2.0, "outcome": 0.0, **keys}


def _drawn(score: Score, low: float, high: float) -> dict[str, float] | None:
    """Where the interval and the value stand between the ends of the drawing, in per cent."""
    if score.interval is None or score.value != score.value:
        return None
    left, right, dot = (
        round(100 * (end - low) / (high - low), 2) for end in (score.interval.low, score.interval.high, score.value)
    )
    return {"left": left, "width": round(right - left, 2), "dot": dot}
