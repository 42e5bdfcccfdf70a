"""Placements: where the judged items stand, the waist that every input passes through and every measure reads.

Flat NumPy arrays with one row per *placed* item (judged and returned), and offsets per query (CSR); never a Python
object per row. A rank is an expression over ``above``, ``tied``, ``higher_id`` and ``earlier``, so one placing serves
every tie rule.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Plan:
    """What the measures of one call need to know, so that nothing else is placed."""

    lowest_grade: float = -np.inf
    """Items judged below this grade are not placed and not kept."""
    ids: bool = True
    """Whether a tie rule asks for the order of ids inside a tie."""
    order: bool = True
    """Whether a tie rule asks for the order in which a tie was given."""
    unreturned: bool = False
    """Whether the judged items that were not returned are placed behind the list (``candidates="appended"``)."""
    depth: int | None = None
    """The deepest rank that any measure looks at; None for the whole list."""
    totals: bool = True
    """Whether the number of relevant items is needed, not only the best ``depth`` grades."""
    scores: Literal["float64", "float32"] = "float64"
    duplicates: Literal["error", "first", "best", "counted", "once", "distinct", "separate"] = "error"
    subtopics: bool = False
    """Whether numbers of items stand for grades, for measures of diversity."""
    without_itself: bool = False
    """Whether an item named like its query is taken out of the list first (``itself="removed"``)."""
    cut_first: tuple[int, str] | None = None
    """Where and by which tie rule lists are cut before anything else; None where they are not."""


@dataclass(frozen=True, slots=True)
class Placements:
    """Where the judged items of n queries stand; m rows, grouped by query in rising order."""

    returned: Ints
    """(n,) how many items the run returned."""
    in_run: Bools
    """(n,) whether the run holds the query at all."""
    is_judged: Bools
    """(n,) whether the judgments hold the query at all."""
    best_offsets: Ints
    """(n + 1,) where each query's judgments start in ``best``."""
    best: Floats
    """Grades of all judged items (from the plan's lowest grade on), highest first within each query."""
    query: Ints
    """(m,) the query of each row."""
    grade: Floats
    """(m,) the grade of each row."""
    above: Ints
    """(m,) how many items of the run have a strictly higher score."""
    tied: Ints
    """(m,) how many have the same score, itself included."""
    higher_id: Ints
    """(m,) how many of the tied have a higher id (as text); 0 where the plan asks for no ids."""
    earlier: Ints
    """(m,) how many of the tied were given earlier; 0 where the plan asks for no order."""
    score: Floats
    """(m,) the score of each row; NaN where the run has ranks only."""

    def __len__(self) -> int:
        return len(self.returned)

    def rows(self, keep: Bools) -> dict[str, Any]:
        """The row arrays with only some rows kept, for :func:`dataclasses.replace`."""
        return {name: getattr(self, name)[keep] for name in ROW_FIELDS}


@dataclass(frozen=True, slots=True)
class Subtopics:
    """What each judged item is relevant to, for measures of diversity; items are known by a number from 1 on."""

    offsets: Ints
    """Where the subtopics of each item start, by its number."""
    topic: Ints
    """The subtopic, numbered over all queries."""
    grade: Floats
    """The item's grade on it."""


def some_queries(placements: Placements, chosen: Bools) -> Placements:
    """The placements of some queries only, numbered anew."""
    number = np.cumsum(chosen) - 1
    rows = placements.rows(chosen[placements.query])
    sizes = np.diff(placements.best_offsets)
    kept = np.repeat(chosen, sizes)
    return Placements(
        returned=placements.returned[chosen],
        in_run=placements.in_run[chosen],
        is_judged=placements.is_judged[chosen],
        best_offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[chosen])]),
        best=placements.best[kept],
        **{**rows, "query": number[rows["query"]]},
    )


ROW_FIELDS = ("query", "grade", "above", "tied", "higher_id", "earlier", "score")


def concatenate(parts: list[Placements]) -> Placements:
    """Join placements of different queries, one after another, as if they had been placed together."""
    if len(parts) == 1:
        return parts[0]
    joined: dict[str, Any] = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Placements)
    }
    firsts = np.cumsum([0] + [len(part) for part in parts[:-1]])
    joined["query"] = np.concatenate([part.query + first for part, first in zip(parts, firsts, strict=True)])
    sizes = np.concatenate([np.diff(part.best_offsets) for part in parts])
    joined["best_offsets"] = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return Placements(**joined)
