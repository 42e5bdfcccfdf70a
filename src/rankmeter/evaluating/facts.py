"""What was evaluated, in counts and sentences: what to know before reading a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from typing import Any, Literal, get_args

import numpy as np

from rankmeter.arithmetic.relevance import hits, length
from rankmeter.errors import MeasureError, examples
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.measuring import MeasuredGroup
from rankmeter.frozen import dataclass
from rankmeter.inputs.columns import RATINGS, fold
from rankmeter.inputs.ids import LOOKED_AT, why_unlike
from rankmeter.inputs.reading import Reading, Readings
from rankmeter.measures import Judged, RankedMeasure, parse
from rankmeter.measures.base import SINGLE_ORDER_TIES, RelevanceMeasure
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Placements
from rankmeter.wording import Said, said

Purpose = Literal["search", "recommendation"]
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
COUNTS = ("judged", "in_run", "missing", "unjudged", "without_relevant", "returned")
"""The facts that add up."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What was evaluated, in counts."""

    judged: int
    """Queries that are judged."""
    in_run: int
    """Queries that the run contains."""
    missing: int
    """Judged queries that are not in the run."""
    unjudged: int
    """Queries of the run that are not judged."""
    without_relevant: int
    """Judged queries with no grade above 0."""
    returned: int
    """Items returned, over all queries."""
    unjudged_at: dict[int, int] = field(default_factory=dict)
    """For each cutoff asked for, how many items within it have no judgment."""
    judgments: str = "judgments"
    run: str = "run"
    notes: tuple[str, ...] = ()
    """Other observations: items outside the catalogue, leakage, sampled candidates."""
    reading: Readings = Readings()
    """How judgments and run were read."""
    purpose: Purpose = "search"
    """What the lists are for; users' held-out items are not a judged pool, so unjudged items are not reported."""
    ties: str = ""
    """The tie rule under which unjudged items were counted, if ties could change the count."""

    def sentences(self) -> list[str]:
        """What to know before reading the numbers."""
        users = self.purpose == "recommendation"
        sentences = [said("judged_users" if users else "judged_queries", judged=self.judged, in_run=self.in_run)]
        counts = {
            "missing_users" if users else "missing_queries": self.missing,
            "unjudged_users" if users else "unjudged_queries": self.unjudged,
            "users_without_relevant" if users else "queries_without_relevant": self.without_relevant,
        }
        sentences += [said(kind, count=count) for kind, count in counts.items() if count]
        kind = "unjudged_items_of_ties" if self.ties else "unjudged_items"
        unjudged = {} if users else self.unjudged_at
        sentences += [said(kind, count=count, k=k, ties=self.ties) for k, count in unjudged.items() if count]
        return [*sentences, *self.reading.notes, *self.notes]


def facts_of(
    placed: PlacedRun,
    measured: MeasuredGroup | None,
    sources: tuple[str, str],
    reading: Readings,
    asked: Asked,
) -> Facts:
    """The facts of one placing; ``measured`` if unjudged items can be counted."""
    longest = int(placed.placements.returned.max(initial=0))
    return Facts(
        **dict[str, Any](additive_counts(placed.placements)),
        **({} if measured is None else unjudged_of(measured)),
        judgments=sources[0],
        run=sources[1],
        reading=noticed(reading, placed.highest_grade, longest, asked),
    )


def additive_counts(p: Placements) -> dict[str, int]:
    """The facts that add up over blocks of queries."""
    highest = np.full(len(p), -np.inf)
    has = np.diff(p.best_offsets) > 0
    highest[has] = p.best[p.best_offsets[:-1][has]]
    counted = (
        p.is_judged,
        p.in_run,
        p.is_judged & ~p.in_run,
        p.in_run & ~p.is_judged,
        p.is_judged & (highest <= 0),
        p.returned,
    )
    return dict(zip(COUNTS, (int(column.sum()) for column in counted), strict=True))


def unjudged_of(measured: MeasuredGroup) -> dict[str, Any]:
    """How many items of judged queries have no judgment, and under which tie rule if that matters."""
    ranked = [m for m in measured.measures if isinstance(m, RankedMeasure)]
    ties = next((m.ties for m in ranked if m.ties in SINGLE_ORDER_TIES), "best")
    view, placements = measured.views.of(Judged(ties=ties)), measured.placed.placements
    judged = placements.is_judged
    counts = {k: int((length(view, k) - hits(view, 0.0, k))[judged].sum()) for k in cutoffs_of(ranked)}
    return {"unjudged_at": counts, "ties": ties if bool((placements.tied > 1).any()) else ""}


def cutoffs_of(ranked: Iterable[Any]) -> list[int]:
    """The places within which unjudged items are counted: where measures cut lists."""
    return sorted({m.cutoff for m in ranked if m.cutoff is not None and m.at == "cutoff"})


def _with_notes(reading: Readings, notes: dict[str, Said]) -> Readings:
    if not notes or reading.judgments is None:
        return reading
    return replace(reading, judgments=replace(reading.judgments, notes={**reading.judgments.notes, **notes}))


_MIXED_UP = 3
"""From this many judged queries on, finding no judged item is more likely a mistake than a result."""


def noticed_at_once(reading: Readings, given: Placeable) -> Readings:
    """Note that no judged item was found, and why that may be, while the ids are at hand."""
    truth, run = given.truth, given.returned
    if truth is None or run is None:
        return reading
    queries, judged = truth.some_ids(LOOKED_AT)
    returned = run.some_ids(LOOKED_AT)[1]
    if not judged or not returned:
        return reading
    known = set(map(str, returned))
    elsewhere = {str(item): None for item in judged if str(item) in known}
    if elsewhere:
        if len(set(queries)) < _MIXED_UP:
            return reading
        fact = said("found_elsewhere", run=run.source, items=examples(elsewhere, shown=3))
        return _with_notes(reading, {"nothing found": fact})
    why = why_unlike(judged, returned)
    fact = said(
        "nothing_found", judgments=truth.source, run=run.source, judged=examples(dict.fromkeys(judged), shown=3),
        returned=examples(dict.fromkeys(returned), shown=3),
    )  # fmt: skip
    return _with_notes(reading, {"nothing found": fact if why is None else said("found_why", fact=fact, why=why)})


def noticed(reading: Readings, highest: float, longest: int, asked: Asked) -> Readings:
    """Note what looks odd about the measures, given the highest grade and the longest list."""
    if reading.judgments is None:
        return reading
    notes: dict[str, Said] = {}
    if (note := _note_of_ratings(reading.judgments, highest, asked)) is not None:
        notes["ratings"] = note
    elif (note := _grades(highest, asked)) is not None:
        notes["grades"] = note
    if (note := _too_deep(longest, asked)) is not None:
        notes["cutoff"] = note
    return _with_notes(reading, notes)


def _note_of_ratings(read: Reading, highest: float, asked: Asked) -> Said | None:
    """Note that ratings are taken as grades, if one star would count as a hit."""
    column = read.columns.get("grade", "")
    low = next((m for m in asked.every if isinstance(m, RelevanceMeasure) and m.rel != "high" and m.rel <= 1), None)
    if fold(column) not in RATINGS or highest < 3 or low is None:
        return None
    better = round(highest * 0.8)
    return said(
        "ratings_are_grades", source=read.source, column=column, highest=highest, measure=asked.label(low),
        rel=low.rel, stricter=_stricter(low, better, asked), better=better,
    )  # fmt: skip


def _stricter(measure: RelevanceMeasure, rel: float, asked: Asked) -> str:
    """The measure with a higher threshold, under the name as typed if that name takes options."""
    stricter = replace(measure, rel=rel)
    name, at, cutoff = asked.label(measure).partition("@")
    try:
        typed = f"{name}(rel={rel:g}){at}{cutoff}"
        return typed if parse(typed) == stricter else str(stricter)
    except MeasureError:
        return str(stricter)


def _grades(highest: float, asked: Asked) -> Said | None:
    """Note that of several grades the lowest already counts as relevant, if no threshold was stated."""
    cut = [m for m in asked.every if isinstance(m, RelevanceMeasure) and m.rel == 1 and not m.graded]
    if not cut or highest < 3 or not float(highest).is_integer():
        return None
    return said(
        "grades_cut", highest=highest, measures=list(map(asked.label, cut)), one=len(cut), rel=1,
        stricter=_stricter(cut[0], highest - 1, asked), better=highest - 1,
    )  # fmt: skip


LEAST_LENGTH = 10
"""Nobody expects shorter lists to reach a cutoff."""


def _too_deep(longest: int, asked: Asked) -> Said | None:
    """Note that a cutoff lies beyond the end of every list, so that it cuts nothing."""
    if longest < LEAST_LENGTH:
        return None
    deep = [asked.label(m) for m in asked.every if m.at == "cutoff" and (getattr(m, "cutoff", None) or 0) > longest]
    return said("deeper_than_lists", length=longest, measures=deep, one=len(deep)) if deep else None
