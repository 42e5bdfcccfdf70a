"""What unjudged items could do to a number: its value if all of them, or none of them, were relevant.

An unjudged item counts as not relevant, which is a convention and not a fact. For measures whose denominator does not
depend on what is judged, the two extremes are true bounds: whatever the unjudged items are, the value lies between
them. For the others (nDCG, AP, R) new relevant items also raise the denominator, so the two extremes are scenarios and
the truth may lie outside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankmeter.arithmetic import Views, aggregated
from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.views import free_places, rank_of, with_rows
from rankmeter.evaluating.measuring import values_under
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import SHARED_RANKS, TIES_BY_ID, TIES_BY_INPUT
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Placements
from rankmeter.placing.segments import offsets_of, owners, sort_descending
from rankmeter.wording import Said, said

MOST_ROWS = 20_000_000
"""How many unjudged items are assumed to be relevant; more would not fit into memory."""


@dataclass(frozen=True, slots=True)
class UnjudgedBounds:
    """The value of a measure if none, or all, of the unjudged items within its cutoff were relevant."""

    none_relevant: float
    all_relevant: float
    kind: Literal["bounds", "scenarios"]
    """``bounds``: the truth lies between the two. ``scenarios``: it may lie outside, the denominator moves."""
    grade: float
    """The grade that relevant ones are assumed to have."""


def unjudged_bounds(measure: Measure, placed: PlacedRun, value: float) -> UnjudgedBounds | Said:
    """The bounds of a measure's value, or the reason why there are none.

    Every judged item must have been placed, those judged not relevant too.
    """
    reason = _reason_against(measure)
    if reason:
        return reason
    m: Any = measure
    grade = top_grade(m, placed.highest_grade)
    placements = assume_relevant(
        placed.placements, grade, depth=m.cutoff, ties=m.ties, revive_negative=m.negative == "unjudged"
    )
    if placements is None:
        return said("too_many_unjudged", most=MOST_ROWS)
    hopeful = replace(placed, placements=placements, highest_grade=max(grade, placed.highest_grade))
    best = aggregated(values_under(measure, Views(placements), hopeful), measure.aggregate)
    return UnjudgedBounds(value, best, "bounds" if m.is_bounded_by_unjudged else "scenarios", grade)


def _reason_against(measure: Measure) -> Said | None:
    if not isinstance(measure, RankedMeasure) or measure.custom:
        return said("not_ranked")
    if measure.subtopics:
        return said("subtopics_unknown")
    if not measure.looks_at_relevance:
        return said("ignores_relevance")
    if measure.unjudged == "removed":
        return said("unjudged_removed")
    if measure.candidates == "appended":
        return said("items_appended")
    if measure.ties in SHARED_RANKS:
        return said("tie_unknown", ties=measure.ties)
    if measure.sign == "positive":
        return said("scores_unknown")
    return None


def top_grade(m: Any, highest: float) -> float:
    """The grade that gains most: the top of the stated scale, or the highest grade that was judged."""
    stated = getattr(m, "max_grade", None)
    if stated is not None:
        return float(stated)
    grade = max(highest, 1.0 if m.threshold is None else m.threshold)
    gain = getattr(m, "gain", None)
    if gain is not None and not isinstance(gain, str):
        grades = np.array([grade, *gain], np.float64)
        grade = float(grades[np.argmax(gains_of(grades, m))])
    return grade


def assume_relevant(
    placements: Placements, grade: float, *, depth: int | None, ties: str, revive_negative: bool
) -> Placements | None:
    """Placements in which every unjudged item within ``depth`` has been judged with ``grade``; None for too many.

    Judged items keep their places; the places between them hold the unjudged ones. Where the tie rule makes one order,
    the free places of a tie are those that no judged item takes; otherwise a tie that reaches into ``depth`` is filled
    whole, for any of its items may stand within.
    """
    p = placements
    limit = p.returned if depth is None else np.minimum(p.returned, depth)
    # A query without judgments has none to complete.
    limit = np.where(p.is_judged, limit, 0)
    if int(limit.sum()) > MOST_ROWS:
        return None
    near = p.above < limit[p.query]
    ends = limit.copy()
    np.maximum.at(ends, p.query[near], (p.above + p.tied)[near])  # a tie that reaches into the limit is looked at whole
    free = free_places(replace(p, returned=ends, **p.rows(near)), ties)
    free = replace(free, **free.rows(_within(free, limit, ties)))
    negative = (p.grade < 0) & _within(p, limit, ties) if revive_negative else np.zeros(len(p.query), np.bool_)
    known = replace(p, grade=np.where(negative, grade, p.grade))
    full = with_rows(known, replace(free, grade=np.full(len(free.query), grade)))
    best, offsets = _with_judgments(p, np.concatenate([free.query, p.query[negative]]), grade)
    return replace(full, best=best, best_offsets=offsets)


def _within(p: Placements, limit: Ints, ties: str) -> Bools:
    """(m,) which rows stand within the limit; where the tie rule makes no order, which may."""
    rank = rank_of(p, ties) if ties in (*TIES_BY_ID, *TIES_BY_INPUT) else p.above + 1
    within: Bools = rank <= limit[p.query]
    return within


def _with_judgments(p: Placements, query: Ints, grade: float) -> tuple[Floats, Ints]:
    """The judgments with more items of one grade."""
    sizes = np.diff(p.best_offsets) + np.bincount(query, minlength=len(p))
    owner = np.concatenate([owners(p.best_offsets), query])
    grades = np.concatenate([p.best, np.full(len(query), grade)])
    offsets = offsets_of(sizes.astype(np.int64))
    return sort_descending(grades[np.argsort(owner, kind="stable")], offsets), offsets


def ties_across(placements: Placements, cutoff: int) -> Ints:
    """The queries that have a judged item in a tie that lies across the cutoff."""
    across: Bools = (placements.above < cutoff) & (placements.above + placements.tied > cutoff)
    return np.unique(placements.query[across & placements.is_judged[placements.query]])
