"""What else could order a run: ranks, scores or distances beside those that do, where they contradict them.

The column that orders the items is the one that was named, or else the score, or the rank. Another one is not followed;
where it would put two items the other way round, that is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankmeter.inputs.cells import RawColumn, is_number, number_of
from rankmeter.inputs.columns import RANKING, Named, fold, is_usual
from rankmeter.inputs.reading import Reading
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.wording import Said, said

Kind = Literal["rank", "score", "distance"]

ASIDE = "aside "
"""Before the name of such a column, in place of a role."""
_MOST = 4
"""So many of them are read at most."""
_ENDS: Mapping[Kind, tuple[str, ...]] = {
    "rank": ("rank", "ranking", "position", "排名", "名次"),
    "score": ("score", "scores", "得分", "分数"),
    "distance": ("distance", "dist", "距离"),
}
"""What the name of a column ends with that says how the items stand."""


def kind_of_order(name: str) -> Kind | None:
    """What a column of this name says of the order of items.

    >>> [kind_of_order(name) for name in ("new_rank", "rerank_score", "cosine_distance", "price")]
    ['rank', 'score', 'distance', None]
    """
    folded = fold(name)
    if is_usual("rank", name) or is_usual("score", name):
        return "rank" if is_usual("rank", name) else "score"
    kind: Kind | None = next((kind for kind, ends in _ENDS.items() if folded.endswith(ends)), None)
    return "score" if kind is None and folded.rstrip("0123456789").endswith("score") else kind


def orders_beside(reading: Reading, named: Named | None) -> dict[str, str]:
    """The columns that could order the items of a run and do not, where nobody said which one does."""
    said_by_caller = {"order", *RANKING} & set(named or {})
    if reading.order not in ("score", "rank") or said_by_caller - {"score"}:
        return {}
    kinds = {name: kind_of_order(name) for name in reading.unused}
    # Who named one of several scores knows the others.
    heard = [name for name, kind in kinds.items() if kind == "rank" or (kind is not None and not said_by_caller)]
    return {ASIDE + name: name for name in heard[:_MOST]}


def notes_of_orders(run: RunTable, columns: Mapping[str, RawColumn | Sequence[object]]) -> dict[str, Said]:
    """The first column of each kind that contradicts the order of a run; what is no number says nothing."""
    if run.reading is None:
        return {}
    orders = run.reading.roles.get("score") or run.reading.roles.get("rank") or "score"
    notes: dict[str, Said] = {}
    codes = None
    for key, column in columns.items():
        name = key.removeprefix(ASIDE)
        kind = kind_of_order(name)
        if f"order by {kind}" in notes:
            continue
        codes = codes_of(run.query) if codes is None else codes
        numbers = floats_in(column)
        pair = contradiction(codes, -numbers if kind == "score" else numbers, run.score.to_numpy())
        if pair is not None:
            first, second = (run.item[row] for row in pair)
            notes[f"order by {kind}"] = said(
                "ranks_disagree", source=run.reading.source, rank=name, score=orders, first=first, second=second
            )
    return notes


def note_of_first_rank(run: RunTable) -> dict[str, Said]:
    """That no query has a first item, as where a table is a second page."""
    if run.reading is None or run.reading.order != "rank" or not len(run.query):
        return {}
    first = float(run.ranks.min())
    note = said("ranks_begin_late", source=run.reading.source, rank=run.reading.columns["rank"], first=int(first))
    return {"first rank": note} if first > 1 else {}


def floats_in(column: RawColumn | Sequence[object]) -> npt.NDArray[np.float64]:
    """Numbers, also as text; NaN for everything else."""
    if isinstance(column, pl.Series) and (column.dtype.is_numeric() or column.dtype == pl.String):
        plain = column.str.strip_chars() if column.dtype == pl.String else column
        return plain.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
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
