"""Blocks of whole queries, each placed by itself, put together as the placements of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from rankmeter.late import pl
from rankmeter.placing.counting import Keys, Places
from rankmeter.placing.placements import Floats, Ints, Placements, Plan
from rankmeter.placing.segments import group_rows
from rankmeter.placing.unreturned import with_unreturned


class Index(Protocol):
    """The judgments that blocks are placed against; their queries have the first numbers."""

    @property
    def code(self) -> Ints:
        """(j,) the query of each judgment, rising."""
        ...

    @property
    def grade(self) -> Floats:
        """(j,) its grade."""
        ...

    @property
    def best(self) -> Floats:
        """(j,) the grades, highest first within each query."""
        ...

    @property
    def best_offsets(self) -> Ints:
        """Where the judgments of each query start."""
        ...


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """What one block of whole queries adds: its queries and the places of its judged items."""

    code: Ints
    """(b,) the queries of the block; codes from the number of judged queries on are not judged."""
    returned: Ints
    """(b,) how many items each has."""
    judgment: Ints
    """(m,) the judgments that were met, and with which score and where."""
    score: Floats
    places: Places


def is_rising(values: Ints) -> bool:
    """Whether no value is below the one before it."""
    return bool((values[1:] >= values[:-1]).all())


def assembled(
    index: Index,
    blocks: Sequence[PlacedBlock],
    queries: int,
    plan: Plan,
    items_of: Callable[[Ints], pl.Series | Keys],
) -> Placements:
    """Put the blocks together and the queries in order; ``items_of`` gives the items of some judgments."""
    judged = len(index.best_offsets) - 1
    returned, in_run = np.zeros(queries, np.int64), np.zeros(queries, np.bool_)
    for block in blocks:
        returned[block.code] = block.returned
        in_run[block.code] = True
    found = _joined([block.judgment for block in blocks])
    columns = {
        "query": index.code[found],
        "grade": index.grade[found],
        "score": _joined([block.score for block in blocks], np.float64),
        **{one.name: _joined([getattr(block.places, one.name) for block in blocks]) for one in fields(Places)},
    }
    if not is_rising(columns["query"]):
        order = group_rows(columns["query"], queries)
        columns = {name: column[order] for name, column in columns.items()}
    if plan.unreturned:
        left = np.ones(len(index.code), np.bool_)
        left[found] = False
        rows = np.flatnonzero(left)
        query, grade = index.code[rows], index.grade[rows]
        columns = with_unreturned(columns, returned, query=query, grade=grade, items=items_of(rows))
    return Placements(
        returned=returned,
        in_run=in_run,
        is_judged=np.arange(queries) < judged,
        best_offsets=np.concatenate([index.best_offsets, np.full(queries - judged, index.best_offsets[-1])]),
        best=index.best,
        **columns,
    )


def _joined(parts: Sequence[Any], dtype: type = np.int64) -> Any:
    return np.concatenate(parts) if parts else np.empty(0, dtype)
