"""Exact ranks of judged items against a whole catalogue, from vectors, without ever storing the scores.

A rank is a count: 1 + the items that score higher. Seen items are counted like all others and taken off again, so no
mask of queries x items is ever needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, RankmeterError, examples, with_hint
from rankmeter.inputs import into_judgments
from rankmeter.inputs.ids import ids as as_ids
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.placing.callback import Score, ScoredTiles
from rankmeter.placing.counting import count_higher
from rankmeter.placing.placed import PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Placements
from rankmeter.placing.segments import bisect, group_rows, offsets_of, sort_descending
from rankmeter.placing.top import hidden_pairs, top_items
from rankmeter.placing.vectors import Precision, Resolved, VectorPair, into_vectors


@dataclass(frozen=True, slots=True)
class RankedCatalogue:
    """Judged items placed against a whole catalogue; give it to ``evaluate`` in place of judgments and run."""

    placed: PlacedRun
    precision: Precision
    device: str
    items: int
    """How many items the catalogue holds."""
    recomputed: int
    """How many scores the fast arithmetic left in doubt and the definition decided."""
    uncertain: int
    """How many ranks stay in doubt; 0 for ``precision="exact"``, for ``fast`` estimated from a sample of queries."""
    top: npt.NDArray[Any] | None = None
    """(queries, k) ids of the best items of each judged query, best first, where ``top=k`` was asked for.

    The rows are those of ``placed.queries``. Where there are fewer than k items, numbers are -1 and texts None."""

    def top_lists(self) -> dict[Any, list[Any]]:
        """The best items of each query as a run: ``{query: [items, best first]}``."""
        if self.top is None:
            raise InputError(with_hint("the best items were not kept.", "rank_catalogue(..., top=10)"))
        # By their number: -1 may be the id of an item.
        sizes = self.placed.placements.returned.tolist()
        lists = (row[:size] for row, size in zip(self.top.tolist(), sizes, strict=True))
        return dict(zip(self.placed.queries.to_list(), lists, strict=True))


def rank_catalogue(
    judgments: object,
    query_vectors: Any = None,
    item_vectors: Any = None,
    *,
    score: Score | None = None,
    exclude: object = None,
    bias: Any = None,
    similarity: Literal["dot", "cosine"] = "dot",
    queries: Iterable[Any] | int | None = None,
    items: Iterable[Any] | int | None = None,
    top: int | None = None,
    precision: Precision = "exact",
    device: str | None = None,
) -> RankedCatalogue:
    """Rank every judged item among all items of a catalogue, by the product of vectors or by a callback's scores.

    Parameters
    ----------
    judgments
        What is true, of any kind that ``evaluate`` accepts.
    query_vectors, item_vectors
        ``(queries, width)`` and ``(items, width)``, NumPy or torch, computed as float32.
    score
        Instead of vectors: ``score(rows, items)`` with an array of query rows and a slice of item rows returns their
        scores, ``(len(rows), items)``, NumPy or torch on any device. It is called twice for the same tiles (first for
        the scores of the judged items, then to count what is above them) and must answer alike: no dropout. The
        numbers of rows are ``queries`` and ``items``.
    exclude
        What is not to be ranked for a query (items the user has seen): ``{query: items}`` or a table of pairs.
    bias
        ``(items,)`` added to each item's score.
    similarity
        ``dot``, or ``cosine``: the dot product of vectors divided by their length.
    queries, items
        The ids of the rows, or only their number; row numbers are the ids where left out.
    top
        Also keep the ids of this many best items of each judged query; equal scores stand in catalogue order.
    precision
        ``exact``: every rank is that of the score's definition, whatever the device. ``fast``: one pass in low
        precision (CUDA only), with the number of ranks that it leaves in doubt.
    device
        ``cpu`` (NumPy), or a torch device such as ``cuda``; where left out, the one the vectors are on.

    Examples
    --------
    >>> import numpy as np, rankmeter as rm
    >>> users, films = np.eye(2, 3), np.array([[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]])
    >>> ranked = rm.rank_catalogue({0: [1], 1: [2]}, users, films, exclude={0: [0]})
    >>> rm.evaluate(ranked, measures=["RR"])["RR"]
    1.0
    """
    table = _judgment_rows(judgments)
    _check_options(top, similarity, precision)
    if score is None:
        if query_vectors is None or item_vectors is None:
            hint = "rank_catalogue(judgments, query_vectors, item_vectors), or score= with queries= and items="
            raise InputError(with_hint("there is nothing to rank by.", hint))
        vectors = into_vectors(query_vectors, item_vectors, bias=bias, similarity=similarity, device=device)
        query_ids, item_ids = _ids(queries, vectors.shape[0], "queries"), _ids(items, vectors.shape[1], "items")
        judged = _judged_rows(table, query_ids, item_ids)
        pairs = _seen_pairs(exclude, query_ids, item_ids)
        return _rank(vectors, judged, _Excluded.of(vectors, pairs), item_ids, precision, top)
    if query_vectors is not None or item_vectors is not None or bias is not None or similarity != "dot":
        raise InputError("score= gives the scores itself; vectors, bias= and similarity= do not go with it.")
    query_ids, item_ids = _counted_ids(queries, "queries"), _counted_ids(items, "items")
    judged = _judged_rows(table, query_ids, item_ids)
    pairs = _seen_pairs(exclude, query_ids, item_ids)
    asked = np.isin(pairs[0], judged.row)
    pairs = pairs[0][asked], pairs[1][asked]
    tiles = _scored_tiles(score, (len(query_ids), len(item_ids)), judged, pairs)
    return _rank(tiles, judged, _Excluded.of(tiles, pairs), item_ids, precision, top)


def _check_options(top: object, similarity: object, precision: object) -> None:
    if top is not None and (not isinstance(top, (int, np.integer)) or top < 1):
        raise InputError(f"top={top} is not possible; it is how many items are kept, 1 or more.")
    if similarity not in ("dot", "cosine"):
        raise InputError(f"similarity={similarity!r} is not known; it is 'dot' or 'cosine'.")
    if precision not in ("exact", "fast"):
        raise InputError(f"precision={precision!r} is not known; it is 'exact' or 'fast'.")


def _scored_tiles(score: Score, shape: tuple[int, int], judged: _Judged, pairs: tuple[Ints, Ints]) -> ScoredTiles:
    """The first pass of a callback, for the judged and the excluded pairs."""
    row = judged.row[judged.query]
    known = (row >= 0) & (judged.item >= 0)
    return ScoredTiles.of(
        score, shape, np.concatenate([row[known], pairs[0]]), np.concatenate([judged.item[known], pairs[1]])
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judgments by rows of the vectors, grouped by query."""

    queries: pl.Series
    """The ids of the judged queries."""
    row: Ints
    """(n,) the row of each judged query's vector, -1 where it has none."""
    query: Ints
    """(j,) which judged query each judgment belongs to, in rising order."""
    item: Ints
    """(j,) the row of the item's vector, -1 where the catalogue does not hold it."""
    grade: Floats


def _rank(
    vectors: VectorPair,
    judged: _Judged,
    excluded: _Excluded,
    item_ids: pl.Series,
    precision: Precision,
    top: int | None,
) -> RankedCatalogue:
    rows = np.flatnonzero((judged.row[judged.query] >= 0) & (judged.item >= 0))
    rows = rows[~excluded.holds(judged.row[judged.query[rows]], judged.item[rows])]
    # Thresholds are counted query by query in the order of the vectors.
    rows = rows[np.argsort(judged.row[judged.query[rows]], kind="stable")]
    owner, item = judged.row[judged.query[rows]], judged.item[rows]
    found = vectors.resolve(owner, item, precision)
    _check_self(found, item)
    unseen = ~excluded.holds(owner[found.tie_row], found.tie_item)
    places = _tie_places(found.tie_row[unseen], found.tie_item[unseen], item, item_ids)
    above = found.above - excluded.count_above(owner, found.threshold)
    placements = _placements(judged, rows, above, places, found.threshold, excluded, vectors.shape[1])
    highest = float(judged.grade.max(initial=0.0))
    return RankedCatalogue(
        placed=PlacedRun(judged.queries, placements, scored=True, highest_grade=highest, source="catalogue"),
        precision=precision,
        device=vectors.device,
        items=vectors.shape[1],
        recomputed=found.recomputed,
        uncertain=found.uncertain,
        top=None if top is None else _top_ids(vectors, judged, excluded, item_ids, top),
    )


def _top_ids(
    vectors: VectorPair, judged: _Judged, excluded: _Excluded, item_ids: pl.Series, k: int
) -> npt.NDArray[Any]:
    """(judged queries, k) ids of the best items."""
    present = np.flatnonzero(judged.row >= 0)
    order = present[np.argsort(judged.row[present], kind="stable")]
    best = np.full((len(judged.row), k), -1, np.int64)
    best[order] = top_items(vectors, judged.row[order], k, excluded)
    ids = item_ids.to_numpy()
    numbers = ids.dtype.kind in "iu"
    named: npt.NDArray[Any] = (ids if numbers else ids.astype(object))[best]
    named[best < 0] = -1 if numbers else None
    return named


def _check_self(found: Resolved, item: Ints) -> None:
    """Each judged item must tie at least with itself; otherwise an error bound was not one."""
    tied = np.zeros(len(item), np.bool_)
    tied[found.tie_row[found.tie_item == item[found.tie_row]]] = True
    if not tied.all():
        raise RankmeterError(
            f"{int((~tied).sum()):,} judged items do not tie with themselves: the ranks are not valid. "
            "A scoring callback must give the same scores each time it is asked."
        )


def _tie_places(tie_row: Ints, tie_item: Ints, item: Ints, item_ids: pl.Series) -> tuple[Ints, Ints, Ints]:
    """For each threshold how many items tie with it, how many of those have a higher id, how many stand earlier."""
    order = np.lexsort((tie_item, tie_row))
    group, member = tie_row[order], tie_item[order]
    tied = np.maximum(np.bincount(group, minlength=len(item)), 1)
    higher, earlier = np.zeros(len(item), np.int64), np.zeros(len(item), np.int64)
    shared = tied[group] > 1
    group, member = group[shared], member[shared]
    if len(group):
        own = member == item[group]
        higher[group[own]] = count_higher(group, item_ids.gather(pl.Series(member)))[own]
        earlier[group[own]] = (np.arange(len(group)) - np.searchsorted(group, group))[own]
    return tied, higher, earlier


def _placements(
    judged: _Judged,
    rows: Ints,
    above: Ints,
    places: tuple[Ints, Ints, Ints],
    threshold: Floats,
    excluded: _Excluded,
    items: int,
) -> Placements:
    total = len(judged.queries)
    present = judged.row >= 0
    returned = np.zeros(total, np.int64)
    returned[present] = items - excluded.sizes(judged.row[present])
    sizes = np.bincount(judged.query, minlength=total).astype(np.int64)
    offsets = offsets_of(sizes)
    query = judged.query[rows]
    order = group_rows(query, total)
    tied, higher, earlier = places
    return Placements(
        returned=returned,
        in_run=present,
        is_judged=np.ones(total, np.bool_),
        best_offsets=offsets,
        best=sort_descending(judged.grade, offsets),
        query=query[order],
        grade=judged.grade[rows][order],
        above=above[order],
        tied=tied[order],
        higher_id=higher[order],
        earlier=earlier[order],
        score=threshold[order],
    )


@dataclass(frozen=True, slots=True)
class _Excluded:
    """The pairs that are not ranked, with their scores, highest first within each query."""

    offsets: Ints
    """(rows of queries + 1,) where each query's pairs start."""
    scores: Floats
    keys: Ints
    """Query and item of each pair in one number, in rising order."""
    items: int

    @classmethod
    def of(cls, vectors: VectorPair, pairs: tuple[Ints, Ints]) -> _Excluded:
        """Score the pairs; the same pair twice counts once."""
        queries, items = vectors.shape
        keys = np.unique(pairs[0] * items + pairs[1])
        query, item = keys // items, keys % items
        offsets = offsets_of(np.bincount(query, minlength=queries).astype(np.int64))
        return cls(offsets, sort_descending(vectors.scores(query, item), offsets), keys, items)

    def holds(self, query: Ints, item: Ints) -> Bools:
        """Whether each pair is excluded."""
        if not len(self.keys):
            return np.zeros(len(query), np.bool_)
        wanted = query * self.items + item
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        same: Bools = self.keys[place] == wanted
        return same

    def sizes(self, query: Ints) -> Ints:
        """How many items each query excludes."""
        counts: Ints = self.offsets[query + 1] - self.offsets[query]
        return counts

    def pairs_of(self, query: Ints) -> tuple[Ints, Ints]:
        """The excluded pairs of some queries: place among the queries, item."""
        return hidden_pairs(self.keys, self.offsets, self.items, query)

    def count_above(self, query: Ints, threshold: Floats) -> Ints:
        """How many excluded items score above each threshold."""
        return bisect(self.scores, self.offsets[query], self.offsets[query + 1], threshold, past_equal=False)


def _judgment_rows(judgments: object) -> JudgmentTable:
    from rankmeter.placing import judgments_table  # the package imports this module's neighbours

    return judgments_table(into_judgments(judgments))


def _judged_rows(table: JudgmentTable, query_ids: pl.Series, item_ids: pl.Series) -> _Judged:
    queries = table.query.unique(maintain_order=True)
    number = _rows_of(queries, table.query)
    order = group_rows(number, len(queries))
    item = _rows_of(item_ids, table.item)
    grade = table.grade.to_numpy()
    outside = np.flatnonzero((item < 0) & (grade > 0))
    if len(outside):
        names = [f"{table.item[int(row)]} (query {table.query[int(row)]})" for row in outside[:5]]
        fact = f"{len(outside):,} relevant items are outside the catalogue: {examples([*names, *outside[5:]])}."
        raise InputError(with_hint(fact, "items= names the rows of item_vectors; drop the judgments of other items"))
    return _Judged(queries, _rows_of(query_ids, queries), number[order], item[order], grade[order])


def _rows_of(known: pl.Series, wanted: pl.Series) -> Ints:
    """The row of each wanted id among the known ones, -1 where it is not there."""
    if known.dtype != wanted.dtype:
        known, wanted = known.cast(pl.String), wanted.cast(pl.String)
    rows = pl.DataFrame({"id": known, "row": np.arange(len(known))})
    joined = pl.DataFrame({"id": wanted}).join(rows, on="id", how="left", maintain_order="left")
    found: Ints = joined["row"].fill_null(-1).to_numpy()
    return found


def _seen_pairs(exclude: object, query_ids: pl.Series, item_ids: pl.Series) -> tuple[Ints, Ints]:
    if exclude is None:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    if isinstance(exclude, Mapping):
        pairs = [(query, item) for query, some in exclude.items() for item in some]
        query, item = as_ids([pair[0] for pair in pairs]), as_ids([pair[1] for pair in pairs])
    else:
        table = _judgment_rows(exclude)
        query, item = table.query, table.item
    rows, columns = _rows_of(query_ids, query), _rows_of(item_ids, item)
    known = (rows >= 0) & (columns >= 0)
    return rows[known], columns[known]


def _counted_ids(given: Iterable[Any] | int | None, what: str) -> pl.Series:
    """The ids of rows that no vectors count."""
    if given is None:
        raise InputError(with_hint(f"score= does not tell how many {what} there are.", f"{what}=1_000, or their ids"))
    if isinstance(given, (int, np.integer)) and given < 1:
        raise InputError(f"{what}={given} is not possible; there is at least one.")
    rows = given if isinstance(given, (int, np.integer)) else list(given)
    return _ids(rows, int(rows) if isinstance(rows, (int, np.integer)) else len(rows), what)


def _ids(given: Iterable[Any] | int | None, rows: int, what: str) -> pl.Series:
    if isinstance(given, (int, np.integer)):
        if given != rows:
            raise InputError(f"{what}={given:,}, but there are {rows:,} vectors.")
        given = None
    if given is None:
        return pl.Series(np.arange(rows))
    column = given if isinstance(given, pl.Series) else as_ids(list(given))
    if len(column) != rows:
        raise InputError(f"{what}= names {len(column):,} rows, but there are {rows:,} vectors.")
    if column.n_unique() != rows:
        raise InputError(f"{what}= names a row twice: {examples(column.filter(column.is_duplicated()).to_list())}.")
    return column
