"""Placements as a measure sees them: under its tie rule, its candidates, its treatment of unjudged items.

Every convention that moves items rather than weights them is applied here, once for all measures that agree on it. A
measure's own function is left with its formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, TypeAlias

import numpy as np

from rankmeter.frozen import dataclass
from rankmeter.measures.base import SINGLE_ORDER_TIES, TIES_BY_ID, TIES_BY_INPUT, RankedMeasure
from rankmeter.placing.placements import ROW_FIELDS, Bools, Floats, Ints, Placements, Subtopics
from rankmeter.placing.segments import expand, offsets_of, order_by, owners, row_changes, sort_descending

Gains: TypeAlias = "tuple[Mapping[float, float], float | None, float]"
"""A map from grades to gains, the lowest grade that gains, and the lowest gain that a grade may have."""
Options: TypeAlias = Any
"""The options of a measure, read by attribute: no formula asks which class of measures it serves."""


@dataclass(frozen=True, slots=True)
class View:
    """The judged items in the order of a tie rule: n queries, m rows sorted by query and rank."""

    returned: Ints
    """(n,) length of each list."""
    best_offsets: Ints
    best: Floats
    """Grades of the candidates, highest first within each query."""
    query: Ints
    grade: Floats
    rank: Ints
    """(m,) rank under the tie rule; for ``mean`` the first rank of the tie."""
    above: Ints
    tied: Ints
    ties: str
    subtopics: Subtopics | None = None
    """If present, grades are the numbers of items, by which their subtopics are found."""
    memo: dict[Any, Any] = field(default_factory=dict, compare=False)
    """What several measures need of this view, computed once."""
    of_best: dict[Any, Any] = field(default_factory=dict, compare=False)
    """What several measures need of the candidates alone; shared by all views with the same candidates."""

    def once(self, key: tuple[Any, ...], make: Callable[[], Any], *, of_best: bool = False) -> Any:
        """What was made under this key, or is made now; ``of_best`` if the order of the list does not matter."""
        memo = self.of_best if of_best else self.memo
        if key not in memo:
            memo[key] = make()
        return memo[key]

    def __len__(self) -> int:
        return len(self.returned)

    @property
    def owner(self) -> Ints:
        """(b,) the query of each candidate."""
        return owners(self.best_offsets)

    @property
    def offsets(self) -> Ints:
        """(n + 1,) the start of each query's rows."""
        offsets: Ints = self.once(("offsets",), lambda: offsets_of(np.bincount(self.query, minlength=len(self))))
        return offsets

    def total_relevant(self, rel: float) -> Floats:
        """(n,) R: how many candidates are judged at least ``rel``."""
        if ("R", rel) not in self.of_best:
            upto = self.best_offsets
            if self.best.min(initial=np.inf) < rel:
                upto = np.append(0, np.cumsum(self.best >= rel))[upto]
            self.of_best["R", rel] = (upto[1:] - upto[:-1]).astype(np.float64)
        total: Floats = self.of_best["R", rel]
        return total

    def per_query(self, values: Floats | Ints | Bools, rows: Bools | Ints | None = None) -> Floats:
        """(n,) the sum of the rows' values for each query, added in the order of the ranks."""
        return self.summed(self.query if rows is None else self.query[rows], values)

    def summed(self, query: Ints, values: Floats | Ints | Bools | None = None) -> Floats:
        """(n,) the sum of the values for each query, given the query of each value; without values their number."""
        return np.bincount(query, weights=values, minlength=len(self)).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Views:
    """The views of one set of placements, each made when it is first asked for."""

    placements: Placements
    subtopics: Subtopics | None = None
    _candidates: dict[tuple[Any, ...], Placements] = field(default_factory=dict, init=False, repr=False)
    _views: dict[tuple[Any, ...], View] = field(default_factory=dict, init=False, repr=False)
    _of_best: dict[int, dict[Any, Any]] = field(default_factory=dict, init=False, repr=False)

    def of(self, m: RankedMeasure) -> View:
        """The view under a measure's conventions."""
        turned = turned_by(m)
        # What remains of a list that is cut first, and which places of a tie are filled, depends on the tie rule.
        by_ties = (m.depth, m.ties, turned) if m.depth is not None or filled_with(m) is not None else None
        below = m.counted_below if m.negative == "unjudged" else None
        seen = (m.candidates, m.sign, m.unjudged, m.negative, below, by_ties, is_relative(m))
        key = (*seen, m.ties, turned)
        if key not in self._views:
            if seen not in self._candidates:
                self._candidates[seen] = seen_by(m, self.placements, turned)
            candidates = self._candidates[seen]
            of_best = self._of_best.setdefault(id(candidates.best), {})
            self._views[key] = ranked(candidates, m.ties, turned, subtopics=self.subtopics, of_best=of_best)
        return self._views[key]

    def forget(self) -> None:
        """Drop what measures have memoised; keep the views themselves."""
        for memo in (*(view.memo for view in self._views.values()), *self._of_best.values()):
            memo.clear()


def is_relative(m: Options) -> bool:
    """Whether the threshold of relevance comes from the grades of each query."""
    return getattr(m, "rel", None) == "high"


def filled_with(m: Options) -> float | None:
    """The grade that unjudged items of the list have; None if they have none."""
    return None if isinstance(m.unjudged, str) else float(m.unjudged)


def counts_as_judged(grade: Floats, m: Any) -> Bools:
    """Which grades are judgments: those below 0 only if ``negative`` says so, or if they count (``rel=-1``)."""
    if m.negative != "unjudged":
        return np.ones(len(grade), np.bool_)
    judged: Bools = grade >= 0
    if m.counted_below is not None:
        lowest, gains = m.counted_below
        judged |= (grade >= lowest) & (mapped(grade, gains) > 0 if gains else True)
    return judged


def turned_by(m: RankedMeasure) -> Gains | None:
    """The gains that decide the best order of a tie; None if the order of the grades does, unjudged items last."""
    return m.gain_map if m.ties in ("worst", "best") else None


def seen_by(m: Options, placements: Placements, gains: Gains | None) -> Placements:
    """Apply every convention but the tie rule, which decides here only what is cut off and which places are filled."""
    if is_relative(m):
        placements = with_high_grades(placements)
    reach = append_unreturned if m.candidates == "appended" else without_unreturned
    placements = reach(placements)
    if m.depth is not None and m.ties != "included":  # ``included`` cuts the run before it is placed
        placements = cut(placements, _rank_to_cut_by(m, placements, gains), m.depth)
    if m.candidates == "list":
        placements = only_listed(placements)
    if m.unjudged == "removed":
        placements = condensed(placements, counts_as_judged(placements.grade, m))
    elif (grade := filled_with(m)) is not None:
        placements = filled_up(placements, grade, counts_as_judged(placements.grade, m), m.ties)
    if m.sign == "positive":
        placements = replace(placements, **placements.rows(placements.score > 0))
    return placements


def _rank_to_cut_by(m: Options, placements: Placements, gains: Gains | None) -> Ints:
    """(m,) the rank of every row; if ties are ordered by gain, unjudged items take part with the grade they have."""
    grade = filled_with(m)
    if grade is None or m.ties not in ("worst", "best"):
        return rank_of(placements, m.ties, gains)
    judged = counts_as_judged(placements.grade, m)
    full = filled_up(placements, grade, judged, m.ties)
    held = np.bincount(placements.query[judged], minlength=len(full))
    starts = np.searchsorted(full.query, full.query)  # the judged rows of a query come first
    is_judged = np.arange(len(full.query)) - starts < held[full.query]
    rank = np.full(len(judged), np.iinfo(np.int64).max)  # a grade below 0 is unjudged, and its place is filled anew
    rank[judged] = rank_of(full, m.ties, gains)[is_judged]
    return rank


def without_unreturned(placements: Placements) -> Placements:
    """Leave out the items that were placed after the list because they were not returned."""
    inside = placements.above < placements.returned[placements.query]
    return placements if inside.all() else replace(placements, **placements.rows(inside))


def append_unreturned(placements: Placements) -> Placements:
    """Count the items that were placed after the list as part of it."""
    outside = placements.above >= placements.returned[placements.query]
    added = np.bincount(placements.query[outside], minlength=len(placements))
    return replace(placements, returned=placements.returned + added)


def only_listed(placements: Placements) -> Placements:
    """Count only the items of the list as candidates, for R and for the ideal."""
    sizes = np.bincount(placements.query, minlength=len(placements)).astype(np.int64)
    offsets = offsets_of(sizes)
    return replace(placements, best_offsets=offsets, best=sort_descending(placements.grade, offsets))


def cut(placements: Placements, rank: Ints, depth: int) -> Placements:
    """Keep the first ``depth`` items of every list, as if no more had been returned."""
    kept = replace(placements, **placements.rows(rank <= depth))
    alone = np.ones(len(kept.query), np.int64)
    return replace(
        kept,
        returned=np.minimum(placements.returned, depth),
        above=rank[rank <= depth] - 1,
        tied=alone,
        higher_id=alone - 1,
        earlier=alone - 1,
    )


def condensed(placements: Placements, judged: Bools) -> Placements:
    """Take the unjudged items out of the lists, keeping the order of the rest (Sakai's condensed lists)."""
    kept = replace(placements, **placements.rows(judged))
    counts = np.bincount(kept.query, minlength=len(kept)).astype(np.int64)
    first, tied = _tie_groups(kept.query, kept.above)
    start = offsets_of(counts)[kept.query]
    return replace(
        kept,
        returned=counts,
        above=first - start,
        tied=tied,
        higher_id=_order_within(kept.query, kept.above, kept.higher_id) - first,
        earlier=_order_within(kept.query, kept.above, kept.earlier) - first,
    )


def with_high_grades(placements: Placements) -> Placements:
    """Set grades that are not among the high ones of their query to 0; those below 0 stay."""
    p, sizes = placements, np.diff(placements.best_offsets)
    some = np.flatnonzero(sizes > 0)
    first, limit = p.best_offsets[:-1][some], np.full(len(p), np.inf)
    # Grades fall: the ceil(0.9 n)-th lowest of n has n - ceil(0.9 n) before it. 1e-9 makes 0.9 * 10 exactly 9.
    at_percentile = first + sizes[some] - np.ceil(0.9 * sizes[some] - 1e-9).astype(np.int64)
    limit[some] = np.maximum(0.5 * p.best[first], p.best[at_percentile])
    limit = np.maximum(limit, np.nextafter(0.0, 1.0))
    owner = owners(p.best_offsets)
    return replace(
        p,
        grade=np.where(p.grade >= limit[p.query], p.grade, np.minimum(p.grade, 0.0)),
        best=np.where(p.best >= limit[owner], p.best, np.minimum(p.best, 0.0)),
    )


def filled_up(placements: Placements, grade: float, judged: Bools, ties: str) -> Placements:
    """Fill every place of the lists that no judged item has with an unjudged item of this grade.

    In a tie with judged items, the unjudged ones take the places that the tie rule leaves; unjudged items that tie only
    with each other are interchangeable.
    """
    p = placements if judged.all() else replace(placements, **placements.rows(judged))
    free = free_places(p, ties)
    return with_rows(p, replace(free, grade=np.full(len(free.query), grade)))


def free_places(p: Placements, ties: str) -> Placements:
    """The places of the lists that no row has, as rows without a grade and a score."""
    starts = offsets_of(p.returned)
    query = owners(starts)
    above = np.arange(len(query)) - starts[query]  # for every place of every list
    tied, within = np.ones(len(query), np.int64), np.zeros(len(query), np.int64)
    order = order_by(p.query, p.above)
    first = order[row_changes(p.query[order], p.above[order])]
    places = expand(starts[p.query[first]] + p.above[first], p.tied[first])
    within[places] = np.arange(len(places)) - np.repeat(offsets_of(p.tied[first])[:-1], p.tied[first])
    tied[places] = np.repeat(p.tied[first], p.tied[first])
    above[places] -= within[places]
    taken = np.zeros(len(query), np.bool_)
    taken[starts[p.query] + p.above + _places_within(p, ties)] = True
    rows = np.flatnonzero(~taken)
    unknown = np.full(len(rows), np.nan)
    columns = {"query": query, "above": above, "tied": tied, "higher_id": within, "earlier": within}
    free: dict[str, Any] = {name: column[rows] for name, column in columns.items()}
    return replace(p, grade=unknown, score=unknown, **free)


def with_rows(p: Placements, more: Placements) -> Placements:
    """The placements with more rows, each after the others of its query."""
    columns = {name: np.concatenate([getattr(p, name), getattr(more, name)]) for name in ROW_FIELDS}
    order = np.argsort(columns["query"], kind="stable")
    return replace(p, **{name: column[order] for name, column in columns.items()})


def _places_within(p: Placements, ties: str) -> Ints:
    """(m,) the place of every row within its tie, from 0, under a tie rule; in sequence if the rule gives none."""
    if ties in TIES_BY_ID:
        return p.higher_id
    if ties in TIES_BY_INPUT:
        return p.earlier
    return _order_within(p.query, p.above, np.zeros(len(p.query), np.int64)) - _tie_groups(p.query, p.above)[0]


def _tie_groups(query: Ints, above: Ints) -> tuple[Ints, Ints]:
    """For each row, the number of rows before its tie (over all queries) and the size of the tie."""
    order = order_by(query, above)
    starts = np.flatnonzero(row_changes(query[order], above[order]))
    sizes = np.diff(starts, append=len(order))
    first, tied = np.empty_like(order), np.empty_like(order)
    first[order], tied[order] = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    return first, tied


def _order_within(query: Ints, above: Ints, key: Ints) -> Ints:
    """For each row, the number of rows before it by query, tie and key."""
    order = order_by(query, above, key)
    place = np.empty(len(query), np.int64)
    place[order] = np.arange(len(query))
    return place


def rank_of(p: Placements, ties: str, gains: Gains | None = None) -> Ints:
    """(m,) the rank of every row under a tie rule; for ``mean`` the first rank of the tie.

    Gains decide which order of a tie is best.
    """
    if ties == "item":
        rank = p.above + 1 + p.higher_id
    elif ties == "item-ascending":
        rank = p.above + p.tied - p.higher_id
    elif ties == "input":
        rank = p.above + 1 + p.earlier
    elif ties == "reversed":
        rank = p.above + p.tied - p.earlier
    elif ties == "shared":
        rank = p.above + p.tied
    elif ties == "included":  # the list holds whole ties only, and its measures ignore ranks
        rank = p.above + 1
    elif ties == "middle":
        rank = p.above + (p.tied + 1) // 2
    elif ties == "mean":
        rank = p.above + 1
    else:
        worth = p.grade if gains is None else _mapped_gains(p.grade, *gains)
        rank = _by_worth(p, worth, worst=ties == "worst", below=gains is not None and gains[2] < 0)
    return rank


def ranked(placements: Placements, ties: str, gains: Gains | None = None, **rest: Any) -> View:
    """Give every row its rank under a tie rule and sort the rows by it; ``rest`` are other fields of the view."""
    p, rank = placements, rank_of(placements, ties, gains)
    query, grade, above, tied = p.query, p.grade, p.above, p.tied
    place = query * (int(rank.max(initial=0)) + 1) + rank
    if (place[1:] < place[:-1]).any():
        order = place.argsort(kind="stable")
        query, grade, above, tied, rank = query[order], grade[order], above[order], tied[order], rank[order]
        place = place[order]
    if ties not in SINGLE_ORDER_TIES:
        # Items of equal rank differ by their grade alone; sorted by it, sums do not depend on the order of the data.
        starts = row_changes(place).nonzero()[0]
        grade = sort_descending(grade, np.append(starts, len(place)))
    return View(p.returned, p.best_offsets, p.best, query, grade, rank, above, tied, ties, **rest)


def mapped(grade: Floats, gains: Mapping[float, float], lowest: float = 0.0) -> Floats:
    """The gain of each grade under a map; a grade that it does not name is its own gain, at least ``lowest``."""
    gain = np.maximum(grade, lowest)
    for key, value in gains.items():
        gain[grade == key] = value
    return gain


def _mapped_gains(grade: Floats, gains: Mapping[float, float], rel: float | None, lowest: float) -> Floats:
    """The gain of each grade under a map; 0 below the lowest relevant grade, if one is stated."""
    gain = mapped(grade, gains, lowest)
    return gain if rel is None else np.where(grade >= rel, gain, 0.0)


def _by_worth(p: Placements, worth: Floats, *, worst: bool, below: bool) -> Ints:
    """Ranks if the items of a tie are ordered by what they are worth, best or worst first.

    ``below`` puts items of negative worth after the unjudged ones in the best order.
    """
    rank = p.above + 1
    in_tie = np.flatnonzero(p.tied > 1)
    if not len(in_tie):
        return rank
    query, above = p.query[in_tie], p.above[in_tie]
    first, placed = _tie_groups(query, above)
    falling = -np.unique(worth[in_tie], return_inverse=True)[1].astype(np.int64)
    better = _order_within(query, above, falling) - first
    if below:
        better += np.where(worth[in_tie] < 0, p.tied[in_tie] - placed, 0)
    # Unjudged items gain nothing: they come after the relevant ones at best and before them at worst.
    rank[in_tie] = above + p.tied[in_tie] - better if worst else above + 1 + better
    return rank
