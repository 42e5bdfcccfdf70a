"""Queries alike: where the same grades stand at the same places, one query can answer for all of them.

Short lists with few judged items repeat themselves: among a hundred thousand users with one held-out item each, no more
than a few hundred differ. Whoever computes many measures on one placing computes them once for each kind of query.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankmeter.placing.matching import Hashes, mixed_hashes
from rankmeter.placing.placements import Bools, Ints, Placements, some_queries
from rankmeter.placing.segments import expand, offsets_of

ROW_FACTS = ("grade", "above", "tied", "higher_id", "earlier", "score")
"""What tells rows apart; scores by their sign alone."""
_BITS, _ONE = np.uint64(64), np.uint64(1)
"""Makes a grade of 0 count in a sum of hashes: the hash of 0 is 0."""
_QUERY_FACTS = ("returned", "in_run", "is_judged")


def one_of_each(
    placements: Placements,
    times: Ints | None = None,
    facts: Sequence[str] = ROW_FACTS,
    also: Bools | None = None,
) -> tuple[Placements, Ints, Bools]:
    """The placements of one query of each kind, how many queries each of them stands for, and which they are.

    Two queries are alike where every measure gives them the same value: the same grades at the same places, whatever
    the items are. Scores matter by their sign alone. ``times`` says how many queries each stands for already, ``facts``
    which columns matter, ``also`` what else tells queries apart.
    """
    counts = np.ones(len(placements), np.int64) if times is None else times
    offsets = offsets_of(np.bincount(placements.query, minlength=len(placements)))
    rows, hashes = _hashes(placements, offsets, facts, also)
    _, first, kind = np.unique(hashes, return_index=True, return_inverse=True)
    if len(first) == len(placements) or not _equal(placements, offsets, rows, first[kind], facts, also):
        return placements, counts, np.ones(len(placements), np.bool_)
    chosen = np.zeros(len(placements), np.bool_)
    chosen[first] = True
    # Whole numbers far below 2^53, so that adding them as floats is exact.
    size = np.bincount(kind, weights=counts, minlength=len(first)).astype(np.int64)
    return some_queries(placements, chosen), size[np.argsort(first)], chosen


def _hashes(placements: Placements, offsets: Ints, facts: Sequence[str], also: Bools | None) -> tuple[Hashes, Hashes]:
    """A number for each row and for each query, equal where they are alike."""
    row = np.ones(len(placements.query), np.uint64)
    for name in facts:
        row = mixed_hashes(row ^ _bits(_named_column(placements, name)))
    query = mixed_hashes(_segment_sums(row, offsets))
    query = mixed_hashes(query ^ _segment_sums(mixed_hashes(_bits(placements.best) ^ _ONE), placements.best_offsets))
    for values in _query_facts(placements, also):
        query = mixed_hashes(query ^ _bits(values))
    return row, query


def _named_column(placements: Placements, name: str) -> npt.NDArray[np.generic]:
    values: npt.NDArray[np.generic] = getattr(placements, name)
    return values > 0 if name == "score" else values  # type: ignore[operator]


def _query_facts(placements: Placements, also: Bools | None) -> list[npt.NDArray[np.generic]]:
    return [*(getattr(placements, name) for name in _QUERY_FACTS), *([] if also is None else [also])]


def _bits(values: npt.NDArray[np.generic]) -> Hashes:
    return values.astype(np.float64).view(np.uint64)


def _segment_sums(values: Hashes, offsets: Ints) -> Hashes:
    """The sum of each segment; what exceeds 64 bits falls away."""
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, out=sums[1:])
    return sums[offsets[1:]] - sums[offsets[:-1]]


def _equal(
    placements: Placements, offsets: Ints, row: Hashes, like: Ints, facts: Sequence[str], also: Bools | None
) -> bool:
    """Whether every query is what its hash says, the same as the query ``like`` it: hashes may be equal by chance."""
    rows, judged = np.diff(offsets), np.diff(placements.best_offsets)
    if not (np.array_equal(rows, rows[like]) and np.array_equal(judged, judged[like])):
        return False
    # Rows alike stand in any order; the leading bits of their hashes give them one that does not depend on ids.
    room = np.uint64(len(placements).bit_length())
    order = np.argsort((placements.query.astype(np.uint64) << (_BITS - room)) | (row >> room))
    other = order[expand(offsets[:-1][like], rows)]
    best = expand(placements.best_offsets[:-1][like], judged)
    return (
        np.array_equal(placements.best, placements.best[best])
        and all(
            np.array_equal(values[order], values[other]) for values in (_named_column(placements, f) for f in facts)
        )
        and all(np.array_equal(values, values[like]) for values in _query_facts(placements, also))
    )
