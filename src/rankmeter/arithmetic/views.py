"""Placements as one measure sees them: under its tie rule, its candidates, its treatment of unjudged items.

Every convention that moves items rather than weighs them is applied here, once, and shared by all measures that agree
on it. What is left for a measure's own function is its formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from rankmeter.frozen import dataclass
from rankmeter.measures.base import SINGLE_ORDER_TIES, TIES_BY_ID, TIES_BY_INPUT, RankedMeasure
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Subtopics
from rankmeter.placing.segments import bisect, expand, offsets_of, order_by, sort_descending

MANY_A_QUERY = 16
"""From how many rows a query on a bisection in each is cheaper than a pass over all rows."""
FEW_GRADES = 1 << 13
"""Up to how many grades such a pass is cheaper, however many a query has."""
Gains: TypeAlias = "tuple[Mapping[float, float], float | None, float]"
"""A map from grades to gains, the lowest grade that has one at all, and the lowest gain that a grade may have."""


class Conventions(Protocol):
    """The options of a measure that decide what it sees."""

    @property
    def ties(self) -> str: ...
    @property
    def sign(self) -> str: ...
    @property
    def unjudged(self) -> str | float: ...
    @property
    def negative(self) -> str: ...
    @property
    def candidates(self) -> str: ...
    @property
    def depth(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class View:
    """Judged items in the order of one tie rule: n queries, m rows sorted by query and rank."""

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
    """Where it is there, grades are numbers of items, which lead to their subtopics."""
    memo: dict[Any, Any] = field(default_factory=dict, compare=False)
    """What several measures ask of this view, computed once."""
    of_best: dict[Any, Any] = field(default_factory=dict, compare=False)
    """What several measures ask of the candidates alone; shared by all views that have the same candidates."""

    def once(self, key: tuple[Any, ...], make: Callable[[], Any], *, of_best: bool = False) -> Any:
        """What was made under this key, or is made now; ``of_best`` where the order of the list does not matter."""
        memo = self.of_best if of_best else self.memo
        if key not in memo:
            memo[key] = make()
        return memo[key]

    def __len__(self) -> int:
        return len(self.returned)

    @property
    def offsets(self) -> Ints:
        """(n + 1,) where each query's rows start."""
        offsets: Ints = self.once(("offsets",), lambda: offsets_of(np.bincount(self.query, minlength=len(self))))
        return offsets

    def total_relevant(self, rel: float) -> Floats:
        """(n,) R: how many candidates are judged at least ``rel``."""

        def count() -> Floats:
            sizes = np.diff(self.best_offsets)
            if self.best.min(initial=np.inf) < rel:
                if len(self.best) < max(MANY_A_QUERY * len(self), FEW_GRADES):
                    sizes = np.diff(np.concatenate([[0], np.cumsum(self.best >= rel)])[self.best_offsets])
                else:  # the best grades fall within each query, so that R is found by bisection
                    wanted = np.full(len(self), float(rel))
                    sizes = bisect(self.best, self.best_offsets[:-1], self.best_offsets[1:], wanted, past_equal=True)
            return sizes.astype(np.float64)

        total: Floats = self.once(("R", rel), count, of_best=True)
        return total

    def per_query(self, values: Floats | Ints | Bools, rows: Bools | Ints | None = None) -> Floats:
        """(n,) the sum of the rows' values for each query, added in the order of the ranks."""
        query = self.query if rows is None else self.query[rows]
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
        # Where the list is cut first, what is left of it depends on the tie rule.
        cut_by = (m.depth, m.ties, turned) if m.depth is not None else None
        seen = (m.candidates, m.sign, m.unjudged, m.negative, cut_by, is_relative(m))
        key = (*seen, m.ties, turned)
        if key not in self._views:
            if seen not in self._candidates:
                self._candidates[seen] = seen_by(m, self.placements, turned)
            view = ranked(self._candidates[seen], m.ties, turned)
            of_best = self._of_best.setdefault(id(view.best), {})
            self._views[key] = replace(view, subtopics=self.subtopics, of_best=of_best)
        return self._views[key]

    def forget(self) -> None:
        """Drop what measures have computed once; the views themselves stay."""
        for memo in (*(view.memo for view in self._views.values()), *self._of_best.values()):
            memo.clear()


def is_relative(m: Conventions) -> bool:
    """Whether the grades of each query say from which of them on an item is relevant."""
    return getattr(m, "rel", None) == "high"


def filled_with(m: Conventions) -> float | None:
    """The grade that unjudged items have in the list; None where they need no place of their own."""
    return None if isinstance(m.unjudged, str) else float(m.unjudged)


def judged_rows(grade: Floats, m: Any) -> Bools:
    """Which grades are judgments: below 0 only where ``negative`` says so."""
    return grade >= 0 if m.negative == "unjudged" else np.ones(len(grade), np.bool_)


def turned_by(m: RankedMeasure) -> Gains | None:
    """What grades gain, where that is not their own order, unjudged items last, and decides the best order of a tie."""
    return m.gain_map if m.ties in ("worst", "best") else None


def seen_by(m: Conventions, placements: Placements, gains: Gains | None) -> Placements:
    """Apply every convention but the tie rule."""
    if is_relative(m):
        placements = with_high_grades(placements)
    reach = append_unreturned if m.candidates == "appended" else without_unreturned
    placements = reach(placements)
    if m.depth is not None and m.ties != "included":  # which cut the run before it was placed
        placements = cut(placements, _rank_to_cut_by(m, placements, gains), m.depth)
    if m.candidates == "list":
        placements = only_listed(placements)
    if m.unjudged == "removed":
        placements = condensed(placements, _lowest(m))
    elif (grade := filled_with(m)) is not None:
        placements = filled(placements, grade, _lowest(m), m.ties)
    if m.sign == "positive":
        placements = replace(placements, **placements.rows(placements.score > 0))
    return placements


def _lowest(m: Conventions) -> float:
    """The lowest grade that is a judgment."""
    return 0.0 if m.negative == "unjudged" else -np.inf


def _rank_to_cut_by(m: Conventions, placements: Placements, gains: Gains | None) -> Ints:
    """(m,) the rank of every row; where ties stand by worth, items that nobody judged have that of their grade."""
    grade = filled_with(m)
    if grade is None or m.ties not in ("worst", "best"):
        return rank_of(placements, m.ties, gains)
    judged = placements.grade >= _lowest(m)
    full = filled(placements, grade, _lowest(m), m.ties)
    held = np.bincount(placements.query[judged], minlength=len(full))
    starts = np.searchsorted(full.query, full.query)  # the judged rows of a query come first
    is_judged = np.arange(len(full.query)) - starts < held[full.query]
    rank = np.full(len(judged), np.iinfo(np.int64).max)  # below 0 it is not judged, and its place is filled again
    rank[judged] = rank_of(full, m.ties, gains)[is_judged]
    return rank


def without_unreturned(placements: Placements) -> Placements:
    """Leave out the items placed behind the list because they were not returned."""
    inside = placements.above < placements.returned[placements.query]
    return placements if inside.all() else replace(placements, **placements.rows(inside))


def append_unreturned(placements: Placements) -> Placements:
    """Count the items placed behind the list as part of it."""
    outside = placements.above >= placements.returned[placements.query]
    added = np.bincount(placements.query[outside], minlength=len(placements))
    return replace(placements, returned=placements.returned + added)


def only_listed(placements: Placements) -> Placements:
    """Count only the items of the list as candidates: R and the ideal know of nothing else."""
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


def condensed(placements: Placements, lowest: float) -> Placements:
    """Take the unjudged items out of the lists, keeping the order of the rest (Sakai's condensed lists)."""
    judged = placements.grade >= lowest
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
    """Turn the grades that are not among the high ones of their query into 0; those below 0 stay."""
    p, sizes = placements, np.diff(placements.best_offsets)
    some = np.flatnonzero(sizes > 0)
    first, limit = p.best_offsets[:-1][some], np.full(len(p), np.inf)
    # Grades fall: the ceil(0.9 n)-th lowest of n is the one behind n - ceil(0.9 n) others; 0.9 * 10 is 9, no more.
    at_percentile = first + sizes[some] - np.ceil(0.9 * sizes[some] - 1e-9).astype(np.int64)
    limit[some] = np.maximum(0.5 * p.best[first], p.best[at_percentile])
    limit = np.maximum(limit, np.nextafter(0.0, 1.0))
    owner = np.repeat(np.arange(len(p)), sizes)
    return replace(
        p,
        grade=np.where(p.grade >= limit[p.query], p.grade, np.minimum(p.grade, 0.0)),
        best=np.where(p.best >= limit[owner], p.best, np.minimum(p.best, 0.0)),
    )


def filled(placements: Placements, grade: float, lowest: float, ties: str) -> Placements:
    """Give every place of the lists that no judged item has to an unjudged item of this grade.

    Of a tie in which something is judged, the others take the places that are left in the order of the tie rule; of
    unjudged items that are tied with each other alone nobody can tell the order.
    """
    judged = placements.grade >= lowest
    p = placements if judged.all() else replace(placements, **placements.rows(judged))
    starts = offsets_of(p.returned)
    query = np.repeat(np.arange(len(p)), p.returned)
    above = np.arange(len(query)) - starts[query]  # of every place of every list
    tied, within = np.ones(len(query), np.int64), np.zeros(len(query), np.int64)
    first = np.flatnonzero(_tie_heads(p))
    places = expand(starts[p.query[first]] + p.above[first], p.tied[first])
    within[places] = np.arange(len(places)) - np.repeat(offsets_of(p.tied[first])[:-1], p.tied[first])
    tied[places] = np.repeat(p.tied[first], p.tied[first])
    above[places] -= within[places]
    taken = np.zeros(len(query), np.bool_)
    taken[starts[p.query] + p.above + _places_within(p, ties)] = True
    rows = np.flatnonzero(~taken)
    more = {"query": query, "above": above, "tied": tied, "higher_id": within, "earlier": within}
    added: dict[str, Any] = {name: column[rows] for name, column in more.items()}
    added |= {"grade": np.full(len(rows), grade), "score": np.full(len(rows), np.nan)}
    columns = {name: np.concatenate([getattr(p, name), column]) for name, column in added.items()}
    order = np.argsort(columns["query"], kind="stable")
    return replace(p, **{name: column[order] for name, column in columns.items()})


def _tie_heads(p: Placements) -> Bools:
    """(m,) which rows are the first of those of their tie, wherever these stand."""
    order = order_by(p.query, p.above)
    query, above = p.query[order], p.above[order]
    heads = np.zeros(len(order), np.bool_)
    heads[order[np.append(True, (query[1:] != query[:-1]) | (above[1:] != above[:-1]))[: len(order)]]] = True
    return heads


def _places_within(p: Placements, ties: str) -> Ints:
    """(m,) the place of every row within its tie, from 0 on, under a tie rule; one after another where it has none."""
    if ties in TIES_BY_ID:
        return p.higher_id
    if ties in TIES_BY_INPUT:
        return p.earlier
    return _order_within(p.query, p.above, np.zeros(len(p.query), np.int64)) - _tie_groups(p.query, p.above)[0]


def _tie_groups(query: Ints, above: Ints) -> tuple[Ints, Ints]:
    """For each row, how many rows sort before its tie (over all queries) and how many share it."""
    order = order_by(query, above)
    q, a = query[order], above[order]
    new = np.ones(len(q), np.bool_)
    new[1:] = (q[1:] != q[:-1]) | (a[1:] != a[:-1])
    starts = np.flatnonzero(new)
    sizes = np.diff(starts, append=len(q))
    first, tied = np.empty(len(q), np.int64), np.empty(len(q), np.int64)
    first[order], tied[order] = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    return first, tied


def _order_within(query: Ints, above: Ints, key: Ints) -> Ints:
    """For each row, how many rows sort before it by query, tie and key."""
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
    elif ties == "included":  # the list holds whole ties only, and who asks for it does not ask for ranks
        rank = p.above + 1
    elif ties == "middle":
        rank = p.above + (p.tied + 1) // 2
    elif ties == "mean":
        rank = p.above + 1
    else:
        worth = p.grade if gains is None else _worth(p.grade, *gains)
        rank = _by_worth(p, worth, worst=ties == "worst", below=gains is not None and gains[2] < 0)
    return rank


def ranked(placements: Placements, ties: str, gains: Gains | None = None) -> View:
    """Give every row its rank under a tie rule and sort the rows by it."""
    p, rank = placements, rank_of(placements, ties, gains)
    query, grade, above, tied = p.query, p.grade, p.above, p.tied
    if ties not in SINGLE_ORDER_TIES:
        # Rows of equal rank stand by grade, so that sums do not depend on the order in which data came.
        order = np.lexsort((-grade, rank, query))
        query, grade, above, tied, rank = query[order], grade[order], above[order], tied[order], rank[order]
    elif not ((query[1:] > query[:-1]) | (rank[1:] >= rank[:-1])).all():
        order = order_by(query, rank)
        query, grade, above, tied, rank = query[order], grade[order], above[order], tied[order], rank[order]
    return View(p.returned, p.best_offsets, p.best, query, grade, rank, above, tied, ties)


def mapped(grade: Floats, gains: Mapping[float, float], lowest: float = 0.0) -> Floats:
    """The gain of each grade under a map; a grade that it does not name keeps itself, from the lowest gain on."""
    gain = np.maximum(grade, lowest)
    for key, value in gains.items():
        gain[grade == key] = value
    return gain


def _worth(grade: Floats, gains: Mapping[float, float], rel: float | None, lowest: float) -> Floats:
    """The gain of each grade under a map; nothing below the lowest relevant grade, where one is stated."""
    gain = mapped(grade, gains, lowest)
    return gain if rel is None else np.where(grade >= rel, gain, 0.0)


def _by_worth(p: Placements, worth: Floats, *, worst: bool, below: bool) -> Ints:
    """Ranks when the items of a tie stand in the best or the worst order of what they are worth.

    ``below`` says that items worth less than nothing stand behind the unjudged ones, at best.
    """
    rank = p.above + 1
    in_tie = np.flatnonzero(p.tied > 1)
    if not len(in_tie):
        return rank
    query, above = p.query[in_tie], p.above[in_tie]
    first, placed = _tie_groups(query, above)
    better = _order_within(query, above, _falling(worth[in_tie])) - first
    if below:
        better += np.where(worth[in_tie] < 0, p.tied[in_tie] - placed, 0)
    # Unjudged items gain nothing: they stand behind the relevant ones at best and before them at worst.
    rank[in_tie] = above + p.tied[in_tie] - better if worst else above + 1 + better
    return rank


def _falling(grade: Floats) -> Ints:
    """Numbers that sort as the grades do, highest first."""
    return -np.unique(grade, return_inverse=True)[1].astype(np.int64)
