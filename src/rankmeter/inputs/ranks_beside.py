"""Ranks that stand beside the scores of a run, or distances: the scores order it, and what contradicts them is said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankmeter.inputs.cells import RawColumn, is_number, number_of
from rankmeter.inputs.columns import Named, Role, fold, is_usual
from rankmeter.inputs.reading import Reading
from rankmeter.late import pl
from rankmeter.wording import Said, said

_DISTANCES = frozenset({"distance", "dist", "vectordistance", "距离"})


def rank_beside(reading: Reading, named: Named | None) -> dict[Role, str]:
    """The one column of ranks, or of distances, beside the scores, where nobody said what it is."""
    ranks = [name for name in reading.unused if is_usual("rank", name)]
    ranks = ranks or [name for name in reading.unused if fold(name) in _DISTANCES]
    is_named = named is not None and not {"rank", "distance"}.isdisjoint(named)
    return {"rank": ranks[0]} if reading.order == "score" and len(ranks) == 1 and not is_named else {}


def said_of_ranks(reading: Reading, first: object, second: object) -> Said:
    """That one item stands first by the ranks, and another one by the scores."""
    ranks = rank_beside(reading, None)
    score = reading.columns.get("score", "score")
    return said("ranks_disagree", source=reading.source, rank=ranks["rank"], score=score, first=first, second=second)


def floats_in(column: RawColumn | Sequence[object]) -> npt.NDArray[np.float64]:
    """Numbers, also as text; NaN for everything else."""
    if isinstance(column, pl.Series) and column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    cells = (number_of(cell) if isinstance(cell, str) else cell for cell in column)
    return np.array([float(cell) if is_number(cell) else np.nan for cell in cells], np.float64)  # type: ignore[arg-type]


def codes_of(queries: pl.Series) -> npt.NDArray[np.int64]:
    """A number for each query, the same in each of its rows; those of a column with each query in one stretch rise."""
    stretches = queries.rle().struct
    if stretches.field("value").n_unique() == len(stretches.field("len")):
        return np.repeat(np.arange(len(stretches.field("len"))), stretches.field("len").to_numpy())
    return queries.rank("dense").to_numpy().astype(np.int64)


def contradiction(
    queries: npt.NDArray[np.int64], ranks: npt.NDArray[np.float64], scores: npt.NDArray[np.float64]
) -> tuple[int, int] | None:
    """Two rows of one query of which one has the better rank and the other the better score; None if there are none.

    Examples
    --------
    >>> contradiction(np.array([0, 0, 0]), np.array([1.0, 2, 3]), np.array([0.9, 0.5, 0.7]))
    (1, 2)
    >>> contradiction(np.array([0, 1, 0]), np.array([2.0, 1, 1]), np.array([0.9, 0.5, 0.7]))
    (2, 0)
    >>> contradiction(np.array([0, 0, 1]), np.array([1.0, 1, 0]), np.array([0.5, 0.9, 2.0])) is None
    True
    """
    if len(ranks) != len(scores):
        return None
    rows = np.arange(len(ranks))
    # Compared, not subtracted: scores may be infinite.
    same = queries[1:] == queries[:-1]
    if not np.where(same, ranks[1:] > ranks[:-1], queries[1:] > queries[:-1]).all():
        rows = rows[~np.isnan(ranks)]
        rows = rows[np.lexsort((-scores[rows], ranks[rows], queries[rows]))]
        queries, ranks, scores = queries[rows], ranks[rows], scores[rows]
    worse, higher, same = ranks[1:] > ranks[:-1], scores[1:] > scores[:-1], queries[1:] == queries[:-1]
    wrong = np.flatnonzero(worse & higher & same)
    return (int(rows[wrong[0]]), int(rows[wrong[0] + 1])) if len(wrong) else None
