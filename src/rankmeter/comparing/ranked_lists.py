"""The ranked lists of a few queries, with their judgments, and how alike the lists of two systems are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankmeter.inputs import RunTable
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl

if TYPE_CHECKING:
    from rankmeter.inputs import AnyJudgments, AnyRun
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
    frames = [_some(table, queries) for table in _tables(run, queries)]
    frame = pl.concat(frames)
    by, descending = ["query", "score"], [False, True]
    if ties in ("input", "reversed"):
        frame = frame.with_row_index("row")
        by, descending = [*by, "row"], [*descending, ties == "reversed"]
    else:
        by, descending = [*by, "item"], [*descending, ties != "item-ascending"]
    frame = frame.sort(by, descending=descending)
    found: dict[str, list[str]] = {}
    for query, item in zip(frame["query"].to_list(), frame["item"].cast(pl.String).to_list(), strict=True):
        shown = found.setdefault(query, [])
        if len(shown) < depth:
            shown.append(item)
    return found


def _tables(run: AnyRun, queries: Collection[str]) -> Iterable[RunTable]:
    return run.blocks() if run.mapping is None else run.mapping.only(queries).blocks()


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
    found: dict[str, dict[str, float]] = {}
    for query, item, grade in frame.filter(pl.col("query").is_in(list(queries))).iter_rows():
        one = found.setdefault(query, {})
        one[item] = max(grade, one.get(item, grade))
    return found


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
    ranks = np.full((len(lists), sum(map(len, lists)) + 1), longest + 1)
    for row, items in enumerate(lists):
        places = [number.setdefault(item, len(number)) for item in items]
        ranks[row, places] = np.arange(1, len(items) + 1)
    ranks = ranks[:, : len(number)]
    depths = np.arange(longest + 1)
    powers = p**depths
    sums = np.concatenate([[0.0], np.cumsum(powers[1:] / depths[1:])])
    table = np.ones((len(lists), len(lists)))
    for row in range(len(lists)):
        depth = np.minimum(lengths[row], lengths)
        deeper = np.maximum(ranks[row], ranks)
        last = np.divide(powers[depth], depth, out=np.zeros(len(lists)), where=depth > 0)
        adds = (last + (1 - p) / p * sums[depth])[:, None] - (1 - p) / p * sums[np.minimum(deeper, longest + 1) - 1]
        table[row] = np.where(deeper <= depth[:, None], adds, 0.0).sum(axis=1)
        table[row, (lengths == 0) & (lengths[row] == 0)] = 1.0
    return table


def similarity(lists: Mapping[str, Mapping[str, Sequence[str]]], queries: Sequence[str]) -> list[list[float]]:
    """The mean RBO of every two systems over some queries."""
    several = [overlaps([one.get(query, ()) for one in lists.values()]) for query in queries]
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
