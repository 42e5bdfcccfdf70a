"""The least of a placing that a definition looks at, so that many queries are alike to it.

What stands behind the cutoff, what has no gain, by how much a relevant grade exceeds the threshold, how ids order a tie
that is broken otherwise: where a definition does not look at it, queries that differ in nothing else are one kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankmeter.arithmetic.views import Gains, filled_with
from rankmeter.measures.base import ANY_POSITIVE, TIES_BY_ID, TIES_BY_INPUT, GainMeasure
from rankmeter.placing.alike import one_of_each
from rankmeter.placing.placements import Bools, Ints, Placements


class SeenConventions(NamedTuple):
    """The conventions that decide what a definition sees, each in its plain form where it cannot matter."""

    candidates: str
    sign: str
    unjudged: str | float
    negative: str
    depth: int | None
    rel: str | None
    """``high`` where the grades of a query say what is relevant."""
    ties: str
    gains: Gains | None

    @property
    def moving(self) -> tuple[Any, ...]:
        """Those that are applied before the tie rule; a list that is cut first is cut under the tie rule."""
        placed_by_tie = self.depth is not None or filled_with(self) is not None
        return (*self[:6], self.ties if placed_by_tie else None, self.gains if self.depth is not None else None)


class Needs(NamedTuple):
    """What of the placements matters once every item has its place."""

    lowest: float
    """Rows and candidates below this grade are not looked at."""
    alike: bool
    """Whether all grades from the lowest on count the same."""
    horizon: int | None
    """The last rank that is looked at."""
    ids: bool
    order: bool


@dataclass(frozen=True, slots=True)
class Needed:
    """Placements reduced to what some definitions need, one query of each kind."""

    placements: Placements
    times: Ints
    listless: Bools
    tied: bool


def seen_of(measure: Any, plain: Mapping[str, Any], gains: Gains | None, shortest: int) -> SeenConventions:
    """What a definition sees on data of which ``plain`` tells what cannot matter and how long the shortest list is."""
    candidates, depth = measure.candidates, measure.depth
    last = measure.last_rank if measure.unjudged == "nonrelevant" else None
    if candidates == "appended" and shortest >= min(last or np.inf, depth or np.inf):
        candidates = "all"  # What is appended stands behind everything that is looked at.
    if depth is not None and last is not None and last <= depth and candidates != "list":
        depth = None
    return SeenConventions(
        candidates,
        plain.get("sign", measure.sign),
        measure.unjudged,
        plain.get("negative", measure.negative),
        depth,
        "high" if getattr(measure, "rel", None) == "high" else None,
        plain.get("ties", measure.ties),
        gains,
    )


def needs_of(measure: Any, seen: SeenConventions, gain: object, longest: int) -> Needs:
    """What a definition, whose gain may stand for others, needs of what it sees in lists of some length."""
    ids, order = seen.ties in TIES_BY_ID, seen.ties in TIES_BY_INPUT
    if measure.subtopics or measure.places_judged or measure.unjudged in ("nan", "undecided") or seen.rel is not None:
        return Needs(-np.inf, alike=False, horizon=None, ids=ids, order=order)
    lowest, alike = measure.lowest_grade, not measure.graded and gain in (None, "binary")
    if isinstance(measure, GainMeasure) and gain == "binary":
        lowest, alike = 1.0 if measure.rel is None else measure.rel, True
    last = measure.last_rank
    return Needs(lowest, alike, None if last is None or last >= longest else last, ids, order)


def wider(needs: Needs) -> Needs | None:
    """What more definitions need, these needs being a part of it, so that the many queries are looked at once."""
    positive = Needs(ANY_POSITIVE, alike=False, horizon=None, ids=not needs.order, order=needs.order)
    return positive if needs.lowest > 0 and needs != positive else None


def reduced(given: Needed, needs: Needs) -> Needed:
    """Leave out what is not needed, and keep one query of each kind."""
    p = given.placements
    rows = p.grade >= needs.lowest
    if needs.horizon is not None:
        rows &= p.above < needs.horizon
        p = replace(p, returned=np.minimum(p.returned, needs.horizon))
    if not rows.all():
        p = replace(p, **p.rows(rows))
    best = p.best >= needs.lowest
    if not best.all():
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(best)])
        p = replace(p, best_offsets=before[p.best_offsets], best=p.best[best])
    if needs.alike:
        p = replace(p, grade=np.full(len(p.grade), float(needs.lowest)), best=np.full(len(p.best), float(needs.lowest)))
    tied = bool((p.tied > 1).any())
    facts = ["grade", "above"]
    if tied:
        facts += ["tied", *(["higher_id"] if needs.ids else []), *(["earlier"] if needs.order else [])]
    kinds, times, chosen = one_of_each(p, given.times, facts, given.listless)
    return Needed(kinds, times, given.listless[chosen], tied)
