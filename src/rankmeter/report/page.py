"""The report: one HTML file that contains everything it shows and loads nothing. Nothing is computed here."""

from __future__ import annotations

import json
import os
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmeter.comparing.digest import digest, provenance, reference_of
from rankmeter.definitions.explain import explain_measure
from rankmeter.errors import InputError, check_whole
from rankmeter.inputs.titles import into_titles
from rankmeter.report import need_report_extra
from rankmeter.report.comparisons import ShownComparison
from rankmeter.showing import charts
from rankmeter.showing.html import asset, document_html, prose, table_html
from rankmeter.whole_files import make_folder, write_text
from rankmeter.wording import Language, word, words
from rankmeter.wording.characters import without_controls

if TYPE_CHECKING:
    from rankmeter.comparing.results import Comparison
    from rankmeter.measures import Measure

MOST_PAIRS, FEWER_PAIRS = 200, 50
"""The table of every test shows all pairs up to the first number; of more pairs it shows the second number."""
LISTS = 50
"""How many queries have their ranked lists in a report by default."""
MOST_SYSTEMS = 12
"""With more systems only the baseline, the chosen one and the best are shown at first."""
BEST_SHOWN = 8
BEST_FIRST = 3
"""How many of the best under a measure are shown before the winners of others."""
MOST_SLICES = 30
OVERTURNING = frozenset({"winner_could_change", "ties_could_change_winner", "same_lists"})
"""Notes that could overturn the answer: the first of each kind is shown next to it."""
MOST_VERDICTS = 3
"""How many sentences of the answer stand above the table; the rest unfolds."""


def report_html(
    cmp: Comparison, *, lang: Language = "en", titles: object = None, lists: int = LISTS, title: str = ""
) -> str:
    """The report as the text of an HTML file; :meth:`rankmeter.Comparison.report` says what it takes."""
    need_report_extra()
    check_whole("lists", lists, 0)
    users = cmp.purpose == "recommendation"
    labels, systems = words("report", lang, users=users), list(cmp.systems)
    explanations = [explain_measure(measure, language=lang) for measure in cmp.measures]
    catalogue = None if cmp.inputs is None else cmp.inputs.catalogue
    data = digest(cmp, into_titles(titles, catalogue), lists=lists)
    names, first, against = list(map(cmp.label, cmp.measures)), cmp.measures[0], reference_of(cmp)
    specs = {
        "differences": charts.difference_bars(labels),
        "scatter": charts.scatter(labels),
        "cutoffs": charts.cutoffs(labels, systems),
        "distribution": charts.distribution(labels, systems),
        "recall": charts.recall_curve(labels, systems),
        "firsts": charts.first_hits(labels, systems),
        "scores": charts.scores_by_grade(labels),
        "correlation": charts.heat(names, labels),
        "similarity": charts.heat(systems, labels, data["alike_order"]),
        "trade_off": charts.trade_off(labels, systems),
    }
    best = [score.system for score in cmp.ranked(first)]
    shown = ShownComparison(cmp, lang)
    data["users"] = users
    data["kept"] = [systems.index(name) for name in kept_systems(cmp, first)]
    data["colours"] = [charts.colour(place) for place in range(max(MOST_SYSTEMS, len(charts.PALETTE)) + 2)]
    alarms = list({note.kind: note for note in reversed(cmp.notes) if note.kind in OVERTURNING}.values())[::-1]
    verdict = shown.texts(shown.verdict())
    return str(
        _page_template().render(
            lang=lang,
            t=labels,
            title=title or labels["report"],
            cmp=cmp,
            reference=against,
            chosen=next(name for name in best if name != against),
            verdict=verdict[:MOST_VERDICTS],
            verdicts=verdict[MOST_VERDICTS:],
            grid=table_html(shown.grid(best), sortable=True, kept=kept_systems(cmp, first), lang=lang),
            whose=document_html(shown.whose_values(), lang=lang),
            marks=shown.marks_mean(),
            alarms=shown.texts(alarms),
            population=_population(cmp),
            doubts=document_html(shown.doubts(alarms), lang=lang),
            doubt_count=len(cmp.notes) - len(alarms),
            assisted=document_html(shown.assisted_blocks(), lang=lang),
            boards=[_board(shown, measure) for measure in cmp.measures],
            definitions=[definition.about_users() for definition in explanations] if users else explanations,
            said=[*shown.board_marks()[1:], *shown.how_made()],
            provenance=provenance(cmp),
            has_curves=bool(data["curves"]),
            pictures=data["pictures"],
            no_lists="" if cmp.inputs is not None else labels["not_judged" if cmp.is_unjudged else "not_placed"],
            similar_queries=data["similar_queries"],
            style=asset("style.css"),
            script=asset("report.js"),
            libraries=vega_bundle(),
            # Escaped, a `<` cannot end the script element that holds the JSON.
            payload=json.dumps(
                {"data": data, "specs": specs, "words": labels},
                ensure_ascii=False,
                allow_nan=False,
                separators=(",", ":"),
            ).replace("<", "\\u003c"),
        )
    )


@cache
def _page_template() -> Any:
    """The compiled template of the page."""
    environment = need_report_extra().Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: without_controls(value) if type(value) is str else value,  # markup is not a plain str
    )
    environment.filters["prose"] = prose
    return environment.from_string(asset("report.html.jinja"))


def _population(cmp: Comparison) -> dict[str, Any]:
    """Whose values are averaged, for the head of the page: judged queries, or all where nothing is judged."""
    count = len(cmp.queries) if cmp.is_unjudged else next(iter(cmp.quality.values())).judged
    one, several = ("one_query", "queries") if cmp.is_unjudged else ("one_judged_count", "judged_count")
    return {"count": count, "word": one if count == 1 else several}


def kept_systems(cmp: Comparison, measure: Measure) -> list[str]:
    """The systems shown at first: all if they are few, else the baseline, the best and the winner of every measure."""
    if len(cmp.systems) <= MOST_SYSTEMS:
        return list(cmp.systems)
    best = [score.system for score in cmp.ranked(measure)]
    firsts = [cmp.ranked(asked)[0] for asked in cmp.measures]
    winners = [score.system for score in firsts if score.rank is not None]
    shown = {reference_of(cmp), *list(dict.fromkeys([*best[:BEST_FIRST], *winners, *best]))[:BEST_SHOWN]}
    return [name for name in cmp.systems if name in shown]


def _board(shown: ShownComparison, measure: Measure) -> dict[str, Any]:
    """What is shown under one measure: the leaderboard, every test, the slices."""
    cmp, lang, board = shown.cmp, shown.lang, shown.leaderboard(measure)
    names = set(kept_systems(cmp, measure))
    # Systems are shown with their numbers where numbers say which ones a system beats.
    first_shown = {str(row[1].value) for row, score in zip(board.rows, cmp.ranked(measure), strict=True)
             if score.system in names}  # fmt: skip
    tested = sum(pair.p is not None for pair in cmp.differences_of(measure))
    most = MOST_PAIRS if tested <= MOST_PAIRS else FEWER_PAIRS
    tests = shown.difference_table(measure, most=most)
    cuts = shown.slice_tables(only=measure)
    return {
        "measure": measure,
        "table": table_html(board, sortable=True, kept=first_shown, lang=lang),
        "lines": shown.under_board(measure),
        "tests": table_html(tests, lang=lang) if tests.rows else "",
        "left_out": tested - len(tests.rows),
        "sizes": word("sizes_mean", lang, power=cmp.settings.power),
        "slices": [table_html(table.head(MOST_SLICES), sortable=True, lang=lang) for table in cuts],
    }


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script.

    Bundling takes seconds, so the result is kept in the user's cache, by the version of the bundler.
    """
    import vl_convert

    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cached = Path(base) / "rankmeter" / f"vega-{metadata.version('vl-convert-python')}.js"
    try:
        return cached.read_text(encoding="utf-8")
    except OSError:
        bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    bundle = bundle.replace("</script", "<\\/script")
    try:
        make_folder(cached.parent)
        write_text(cached, bundle)
    except InputError:
        return bundle  # failing to write a cache must not fail the report
    return bundle
