"""The ranked lists of a few queries, with their judgments, and how alike the lists of two systems are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.inputs import RunTable
from rankmeter.inputs.ids import are_mixed
from rankmeter.inputs.mappings import RankedLists
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.measures.base import TIES_BY_INPUT

if TYPE_CHECKING:
    from rankmeter.inputs import AnyJudgments, AnyRun
    from rankmeter.inputs.mappings import ScoredMapping
    from rankmeter.lists.catalogue import History
    from rankmeter.placing.placements import Floats

MOST_CELLS = 5_000_000
"""A matrix with more cells than this is not turned into lists."""

PERSISTENCE = 0.9
"""The p of RBO: the chance that a reader goes on to the next rank."""


def ranked_lists(run: AnyRun, queries: Collection[str], *, depth: int, ties: str) -> dict[str, list[str]] | None:
    """For each of the queries the first items of its list, best first; None where the run is too large a matrix.

    Ids are text here. Tied items stand in the order of the tie rule; a rule that makes no order shows them as ``item``
    does, the highest id first.
    """
    if run.matrix is not None and run.matrix.size > MOST_CELLS:
        return None
    if run.mapping is not None and not are_mixed(run.mapping.item_types):
        return _lists_of_mapping(run.mapping.only(queries), depth, ties)
    frame = pl.concat([_some(table, queries) for table in run.blocks()])
    by, descending = ["query", "score"], [False, True]
    if ties in TIES_BY_INPUT:
        frame = frame.with_row_index("row")
        by, descending = [*by, "row"], [*descending, ties == "reversed"]
    else:
        by, descending = [*by, "item"], [*descending, ties != "item-ascending"]
    first = frame.sort(by, descending=descending).group_by("query", maintain_order=True).head(depth)
    lists = first.group_by("query", maintain_order=True).agg(pl.col("item").cast(pl.String))
    return dict(zip(lists["query"].to_list(), lists["item"].to_list(), strict=True))


def _lists_of_mapping(run: ScoredMapping | RankedLists, depth: int, ties: str) -> dict[str, list[str]]:
    """The first items of every list, without a table: only what the last of them does not stand above is sorted."""
    if isinstance(run, RankedLists):
        return {str(query): list(map(str, items[:depth])) for query, items in run.data.items() if items}
    lists: dict[str, list[str]] = {}
    for query, scores in run.scores("error").items():
        items: list[Any] = list(scores)
        if len(items) > depth:
            last = sorted(scores.values())[-depth]
            items = [item for item, score in scores.items() if score >= last]
        if ties not in TIES_BY_INPUT:
            items.sort(reverse=ties != "item-ascending")
        elif ties == "reversed":
            items.reverse()
        items.sort(key=scores.__getitem__, reverse=True)
        if items:
            lists[str(query)] = list(map(str, items[:depth]))
    return lists


def _some(table: RunTable, queries: Collection[str]) -> pl.DataFrame:
    frame = pl.DataFrame({"query": table.query.cast(pl.String), "item": table.item, "score": table.score})
    return frame.filter(pl.col("query").is_in(list(queries)))


def judgments_of(judgments: AnyJudgments, queries: Collection[str]) -> dict[str, dict[str, float]]:
    """The grades of the judged items of some queries; the highest where an item was judged on several subtopics."""
    if (cells := judgments.matrix) is not None:
        wanted = [row for row in range(len(cells)) if str(row) in queries]
        return {str(row): {str(item): float(grade) for item, grade in enumerate(cells[row])} for row in wanted}
    asked = judgments if judgments.mapping is None else judgments.mapping.only(queries)
    return _grades(asked.judgment_table(), queries)


def _grades(table: JudgmentTable, queries: Collection[str]) -> dict[str, dict[str, float]]:
    frame = pl.DataFrame({"query": table.query.cast(pl.String), "item": table.item.cast(pl.String), "g": table.grade})
    grades: dict[str, dict[str, float]] = {}
    for query, item, grade in frame.filter(pl.col("query").is_in(list(queries))).iter_rows():
        judged = grades.setdefault(query, {})
        judged[item] = max(grade, judged.get(item, grade))
    return grades


def rbo(left: Sequence[str], right: Sequence[str], *, p: float = PERSISTENCE) -> float:
    """Rank-biased overlap, extrapolated, of two lists cut to the length of the shorter one.

    With ``A_i`` the share of the first i items that both lists have, ``A_d p^d + (1 - p)/p * sum_i A_i p^i`` for i from
    1 to the length d. Two empty lists are the same; an empty one has nothing in common with any other.

    Examples
    --------
    >>> rbo(["a", "b"], ["a", "b"]), rbo(["a", "b"], ["c", "d"])
    (1.0, 0.0)
    >>> round(rbo(["a", "b"], ["b", "a"]), 4)  # A_1 = 0, A_2 = 1: 0.81 + (0.1 / 0.9) * 0.81
    0.9
    """
    return round(float(overlaps([left, right], p=p)[0, 1]), 12)


def overlaps(lists: Sequence[Sequence[str]], *, p: float = PERSISTENCE) -> Floats:
    """(lists, lists) the RBO of every two lists.

    An item that both have stands in every ``A_i`` from the deeper of its two ranks on, so that each adds to the sum
    once, for all pairs of a list at the same time.
    """
    number: dict[str, int] = {}
    lengths = np.array([len(items) for items in lists])
    longest = int(lengths.max(initial=0))
    absent = longest + 1
    # Behind the end of a list stands item 0, which no list has.
    places = np.zeros((len(lists), longest), np.int64)
    for row, items in enumerate(lists):
        places[row, : len(items)] = [number.setdefault(item, len(number) + 1) for item in items]
    ranks = np.full((len(lists), len(number) + 1), absent)
    np.put_along_axis(ranks, places, np.arange(1, longest + 1)[None, :], axis=1)
    ranks[:, 0] = absent
    # An item that a list has twice counts where it stands last.
    places[np.take_along_axis(ranks, places, axis=1) != np.arange(1, longest + 1)] = 0
    depths = np.arange(longest + 1)
    powers = p**depths
    sums = np.concatenate([[0.0], np.cumsum(powers[1:] / depths[1:])])
    before = (1 - p) / p * np.concatenate([[0.0], sums])  # what the ranks above one add up to
    table = np.ones((len(lists), len(lists)))
    step = max(1, MOST_CELLS // max(places.size, 1) // 4)
    for start in range(0, len(lists), step):
        rows = slice(start, start + step)
        depth = np.minimum.outer(lengths[rows], lengths)
        deeper = np.maximum(np.arange(1, longest + 1), ranks.T[places[rows]].swapaxes(1, 2))
        last = np.divide(powers[depth], depth, out=np.zeros(depth.shape), where=depth > 0)
        is_shared = deeper <= depth[:, :, None]
        table[rows] = (last + before[depth + 1]) * is_shared.sum(axis=2) - (before[deeper] * is_shared).sum(axis=2)
    table[np.logical_and.outer(lengths == 0, lengths == 0)] = 1.0
    return table


def similarity(lists: Mapping[str, Mapping[str, Sequence[str]]], queries: Sequence[str]) -> list[list[float]]:
    """The mean RBO of every two systems over some queries."""
    several = [overlaps([lists_of.get(query, ()) for lists_of in lists.values()]) for query in queries]
    table: Floats = np.mean(several, axis=0) if several else np.ones((len(lists), len(lists)))
    np.fill_diagonal(table, 1.0)
    rounded: list[list[float]] = table.round(12).tolist()
    return rounded


def taken_before(history: History | None, users: set[str], most: int) -> dict[str, list[str]]:
    """What some users took before, the last things first."""
    if history is None:
        return {}
    frame = pl.DataFrame({"user": history.query.cast(pl.String), "item": history.item.cast(pl.String)})
    taken: dict[str, list[str]] = {}
    for user, item in frame.filter(pl.col("user").is_in(list(users))).iter_rows():
        taken.setdefault(user, []).append(item)
    return {user: list(dict.fromkeys(reversed(items)))[:most] for user, items in taken.items()}
