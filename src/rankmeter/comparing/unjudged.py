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
from rankmeter.evaluating.measuring import values_under
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import SHARED_RANKS
from rankmeter.placing import PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Placements
from rankmeter.placing.segments import offsets_of, sort_descending
from rankmeter.wording import Said, said

MOST_ROWS = 20_000_000
"""How many unjudged items are assumed at most; more would not fit into memory."""


@dataclass(frozen=True, slots=True)
class UnjudgedBounds:
    """The value of a measure if none, or all, of the unjudged items within its cutoff were relevant."""

    none_relevant: float
    all_relevant: float
    kind: Literal["bounds", "scenarios"]
    """``bounds``: the truth lies between the two. ``scenarios``: it may lie outside, the denominator moves."""
    grade: float
    """The grade that relevant ones were assumed to have."""


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
    # A query that nobody judged has no judgments to complete.
    limit = np.where(p.is_judged, limit, 0)
    if int(limit.sum()) > MOST_ROWS:
        return None
    in_tie = _free_in_ties(p, limit, ties)
    alone = _free_alone(p, limit)
    negative = (p.grade < 0) & _within(p, limit, ties) if revive_negative else np.zeros(len(p.query), np.bool_)
    added = {name: np.concatenate([in_tie[name], alone[name]]) for name in in_tie}
    count = len(added["query"])
    rows = {
        "query": np.concatenate([p.query, added["query"]]),
        "grade": np.concatenate([np.where(negative, grade, p.grade), np.full(count, grade)]),
        "above": np.concatenate([p.above, added["above"]]),
        "tied": np.concatenate([p.tied, added["tied"]]),
        "higher_id": np.concatenate([p.higher_id, added["place"]]),
        "earlier": np.concatenate([p.earlier, added["place"]]),
        "score": np.concatenate([p.score, np.full(count, np.inf)]),
    }
    order = np.argsort(rows["query"], kind="stable")
    best, offsets = _with_judgments(p, np.concatenate([added["query"], p.query[negative]]), grade)
    return replace(p, best=best, best_offsets=offsets, **{name: column[order] for name, column in rows.items()})


_PLACE_IN_TIE = {"item": "higher_id", "item-ascending": "higher_id", "input": "earlier", "reversed": "earlier"}


def _free_in_ties(p: Placements, limit: Ints, ties: str) -> dict[str, Ints]:
    """The places beside judged items in their ties."""
    key = _PLACE_IN_TIE.get(ties)
    rows = np.flatnonzero((p.tied > 1) & (p.above < limit[p.query]))
    owner = p.query[rows] * (int(p.returned.max(initial=0)) + 1) + p.above[rows]
    _, first, group, members = np.unique(owner, return_index=True, return_inverse=True, return_counts=True)
    sizes = p.tied[rows][first]
    starts = offsets_of(sizes.astype(np.int64))
    free = np.ones(int(starts[-1]), np.bool_)
    if key is None:
        # No order inside a tie is asked for: any free places will do.
        place = np.arange(len(free)) - np.repeat(starts[:-1], sizes)
        free = place >= np.repeat(members, sizes)
    else:
        free[starts[group] + getattr(p, key)[rows]] = False
    at = np.flatnonzero(free)
    tie = np.searchsorted(starts, at, side="right") - 1
    query, above, tied, place = p.query[rows][first][tie], p.above[rows][first][tie], sizes[tie], at - starts[tie]
    places = {"query": query, "above": above, "tied": tied, "place": place}
    if key is None:
        return places
    rank = above + 1 + place if ties in ("item", "input") else above + tied - place
    return {name: column[rank <= limit[query]] for name, column in places.items()}


def _within(p: Placements, limit: Ints, ties: str) -> Bools:
    """(m,) which placed items stand, or may stand, within the limit."""
    key = _PLACE_IN_TIE.get(ties)
    if key is None:
        return p.above < limit[p.query]
    place = getattr(p, key)
    rank = p.above + 1 + place if ties in ("item", "input") else p.above + p.tied - place
    within: Bools = rank <= limit[p.query]
    return within


def _free_alone(p: Placements, limit: Ints) -> dict[str, Ints]:
    """The places within the limit that no judged item and none of its ties takes; whether they tie does not matter."""
    starts = offsets_of(limit.astype(np.int64))
    taken = np.zeros(int(starts[-1]) + 1, np.int64)
    rows = np.flatnonzero(p.above < limit[p.query])
    query = p.query[rows]
    ends = np.minimum(p.above[rows] + p.tied[rows], limit[query])
    np.add.at(taken, starts[query] + p.above[rows], 1)
    np.add.at(taken, starts[query] + ends, -1)
    at = np.flatnonzero(np.cumsum(taken[:-1]) == 0)
    query = np.searchsorted(starts, at, side="right") - 1
    ones = np.ones(len(at), np.int64)
    return {"query": query, "above": at - starts[query], "tied": ones, "place": 0 * ones}


def _with_judgments(p: Placements, query: Ints, grade: float) -> tuple[Floats, Ints]:
    """The judgments with some more of one grade."""
    sizes = np.diff(p.best_offsets) + np.bincount(query, minlength=len(p))
    owner = np.concatenate([np.repeat(np.arange(len(p)), np.diff(p.best_offsets)), query])
    grades = np.concatenate([p.best, np.full(len(query), grade)])
    offsets = offsets_of(sizes.astype(np.int64))
    return sort_descending(grades[np.argsort(owner, kind="stable")], offsets), offsets


def ties_across(placements: Placements, cutoff: int) -> Ints:
    """The queries that have a judged item in a tie that lies across the cutoff."""
    across: Bools = (placements.above < cutoff) & (placements.above + placements.tied > cutoff)
    return np.unique(placements.query[across & placements.is_judged[placements.query]])
