"""What unjudged items could do to a number, if all or none of them were relevant; which are most worth judging.

An unjudged item counts as not relevant, which is a convention and not a fact. For measures whose denominator does not
depend on what is judged, the two extremes are true bounds: whatever the unjudged items are, the value lies between
them. For the others (nDCG, AP, R) new relevant items also raise the denominator, so the two extremes are scenarios and
the truth may lie outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankmeter.arithmetic import Views, aggregated
from rankmeter.arithmetic.gain import gains_of
from rankmeter.arithmetic.views import free_places, rank_of, with_rows
from rankmeter.errors import InputError, RankmeterError, check_choice, check_whole, examples
from rankmeter.evaluating.measuring import values_under
from rankmeter.inputs.accepting import check_columns_of, into_judgments, into_run
from rankmeter.inputs.tables import Judgments, Run
from rankmeter.late import pl
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import SHARED_RANKS, TIES_BY_ID, TIES_BY_INPUT
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Placements
from rankmeter.placing.segments import offsets_of, owners, sort_descending
from rankmeter.wording import Said, of_its_lists, said

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
    free = replace(free, **free.rows(_rows_within(free, limit, ties)))
    negative = (p.grade < 0) & _rows_within(p, limit, ties) if revive_negative else np.zeros(len(p.query), np.bool_)
    known = replace(p, grade=np.where(negative, grade, p.grade))
    full = with_rows(known, replace(free, grade=np.full(len(free.query), grade)))
    best, offsets = _with_judgments(p, np.concatenate([free.query, p.query[negative]]), grade)
    return replace(full, best=best, best_offsets=offsets)


def _rows_within(p: Placements, limit: Ints, ties: str) -> Bools:
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


Priority = Literal["difference", "weight"]
PRIORITIES = ("difference", "weight")


@of_its_lists
def pool(
    judgments: object,
    runs: Mapping[str, object],
    *,
    depth: int = 10,
    budget: int | None = None,
    by: Priority | None = None,
    columns: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """List the unjudged items within ``depth``, most worth judging first.

    An item at rank i weighs 1 / log2(i + 1), as in DCG, and nothing where it was not returned within ``depth``.

    Parameters
    ----------
    judgments, runs
        As for :func:`rankmeter.compare`. A grade below 0 means "in the pool but not judged" and is listed too.
    depth
        How far down each list is looked at.
    budget
        How many items can be judged; None for all.
    by
        ``difference``: by how much judging the item could move two systems apart, the largest weight less the smallest
        (the default for several runs). ``weight``: by how much it could move all of them, the sum of the weights.
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.

    Returns
    -------
    polars.DataFrame
        ``query``, ``item``, ``priority``, ``best_rank``, ``systems`` (how many returned it).

    Examples
    --------
    >>> from rankmeter import pool
    >>> pool({"q": {"a": 1}}, {"one": {"q": ["x", "a", "y"]}, "two": {"q": ["x", "y", "a"]}}).rows()
    [('q', 'y', 0.1309..., 2, 2), ('q', 'x', 0.0, 1, 2)]
    """
    check_whole("depth", depth, 1)
    if budget is not None:
        check_whole("budget", budget, 1)
    if not isinstance(runs, Mapping):
        raise InputError.of("comparing.runs_by_name")
    if not runs:
        raise InputError.of("comparing.no_run")
    check_choice("by", by, (None, *PRIORITIES))
    if by == "difference" and len(runs) < 2:
        raise InputError.of("comparing.one_differs_from_nothing")
    check_columns_of(columns, judgments, *runs.values())
    judged = graded_pairs(into_judgments(judgments, columns=columns))
    asked = judged.select("query").unique(maintain_order=True).with_row_index("order")
    parts = []
    for name, run in runs.items():
        try:
            parts.append(ranked_top(into_run(run, columns=columns), asked, depth))
        except RankmeterError as error:
            raise type(error).of("comparing.of_system", name=name, problem=error.problem) from error
    strangers = [name for name, part in zip(runs, parts, strict=True) if part.is_empty()]
    if strangers:
        raise InputError.of("comparing.strangers", names=examples(strangers))
    return _prioritised(
        pl.concat(parts), judged, asked, len(parts), by or ("difference" if len(parts) > 1 else "weight"), budget
    )


def graded_pairs(judgments: Judgments) -> pl.DataFrame:
    """``query``, ``item`` and ``grade`` of what was judged, ids as text: those of two sides are compared as such."""
    table = judgments.judgment_table()
    return pl.DataFrame(
        {"query": table.query.cast(pl.String), "item": table.item.cast(pl.String), "grade": table.grade}
    )


def scored_pairs(run: Run) -> pl.DataFrame:
    """``query``, ``item`` and ``score`` of what was returned, ids as text."""
    table = run.run_table()
    return pl.DataFrame(
        {"query": table.query.cast(pl.String), "item": table.item.cast(pl.String), "score": table.score}
    )


def ranked_top(run: Run, asked: pl.DataFrame, depth: int) -> pl.DataFrame:
    """The first items of each judged query, with their ranks and weights; ties by higher id, as by default."""
    frame = scored_pairs(run)
    ranked = (
        frame.join(asked.select("query"), on="query", how="semi")
        .sort("query", "score", "item", descending=[False, True, True])
        .unique(["query", "item"], keep="first", maintain_order=True)
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("query"))
        .filter(pl.col("rank") <= min(depth, len(frame)))
    )
    return ranked.select("query", "item", "rank", weight=1.0 / (pl.col("rank") + 1.0).log(2.0))


def _prioritised(
    returned: pl.DataFrame, judged: pl.DataFrame, asked: pl.DataFrame, systems: int, by: Priority, budget: int | None
) -> pl.DataFrame:
    spread = pl.col("weight").max() - pl.when(pl.len() < systems).then(0.0).otherwise(pl.col("weight").min())
    listed = (
        returned.join(judged.filter(pl.col("grade") >= 0), on=["query", "item"], how="anti")
        .group_by("query", "item")
        .agg(
            priority=spread if by == "difference" else pl.col("weight").sum(),
            weight=pl.col("weight").sum(),
            best_rank=pl.col("rank").min(),
            systems=pl.len().cast(pl.Int64),
        )
        .join(asked, on="query")
        # Equal priorities go by weight, then by the order of the judgments, so that the list is always the same.
        .sort("priority", "weight", "order", "item", descending=[True, True, False, False])
        .select("query", "item", "priority", "best_rank", "systems")
    )
    return listed if budget is None else listed.head(min(budget, len(listed)))
