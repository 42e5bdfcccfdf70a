"""Rows in no order, placed where they stand: what counts is how many rows of its list are above each judged item.

No list is brought together or sorted: the judged rows are found, and every row is compared with the judged item of its
query. It takes a quarter of the time of dealing the rows to their queries. Queries with more than `MOST_HITS` judged
items, and those whose judged items tie where a rule orders ties, are left to the way that looks at whole lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.placing.indexes import JudgmentIndex, PlacedBlock
from rankmeter.placing.matching import ROWS_AT_ONCE, ColumnIds, pair_keys, repeated_pairs
from rankmeter.placing.placements import Bools, Ints, Plan
from rankmeter.placing.segments import Keys, Places, as_float32
from rankmeter.placing.threads import by_ranges

MOST_HITS = 3
"""How many judged items of a query are counted so, each of which takes a pass over all rows."""
_SPREAD = np.uint64(0xA0761D6478BD642F)
_CROWDED, _JUDGED = np.uint8(1), np.uint8(2)
"""Marks of a place in the table of hashes: several rows lead to it, or a judged pair does."""


def count_in_place(
    index: JudgmentIndex,
    code: npt.NDArray[np.int32],
    heads: Ints,
    sizes: Ints,
    item: ColumnIds,
    order: npt.NDArray[Any],
    plan: Plan,
    *,
    scored: bool,
) -> tuple[PlacedBlock, Bools] | None:
    """Place what can be counted, and say by its number which queries are left; None where rows are repeated.

    ``order`` are scores or, of a run that is not ``scored``, ranks. What the run says of tied items and of repeated
    ones is not looked at here; ``plan.duplicates`` "counted" has no repeated ones.
    """
    queries = int(heads.max()) + 1
    row, judgment, repeats = _look_up(index, code, item, look_for_repeats=plan.duplicates != "counted")
    if repeats:
        return None
    query = code[row].astype(np.int64, copy=False)
    grouped = np.argsort(query, kind="stable")
    row, judgment, query = row[grouped], judgment[grouped], query[grouped]
    hits = np.bincount(query, minlength=queries)
    left = hits > MOST_HITS
    if 2 * sizes[left[heads]].sum() > len(code):  # nearly all rows would be looked at twice
        return None
    above, tied = np.zeros(len(row), np.int64), np.ones(len(row), np.int64)
    score = order[row].astype(np.float64) if scored else np.full(len(row), np.nan)
    compared = as_float32(order) if plan.scores == "float32" else order
    nth = np.arange(len(row)) - (np.cumsum(hits) - hits)[query]
    for number in range(min(int(hits.max(initial=0)), MOST_HITS)):
        mine = np.flatnonzero(nth == number)
        wanted = np.zeros(queries, compared.dtype)
        wanted[query[mine]] = compared[row[mine]]
        reaching, equal = _counted(code, compared, wanted, scored=scored)
        tied[mine] = equal[query[mine]]
        above[mine] = reaching[query[mine]] - tied[mine]
    if plan.ids or plan.order:
        left[query[tied > 1]] = True
    stays, counted = ~left[heads], ~left[query]
    query, judgment, above, tied = (part[counted] for part in (query, judgment, above, tied))
    nothing = np.zeros(len(query), np.int64)
    places = Places(above, tied, nothing, nothing)
    grade = index.grade[judgment]
    return PlacedBlock(heads[stays], sizes[stays], query, grade, score[counted], places, judgment), left


def _blocks(rows: range) -> Iterator[slice]:
    return (slice(first, min(first + ROWS_AT_ONCE, rows.stop)) for first in range(rows.start, rows.stop, ROWS_AT_ONCE))


def _look_up(
    index: JudgmentIndex, code: npt.NDArray[np.int32], item: ColumnIds, *, look_for_repeats: bool
) -> tuple[Ints, Ints, bool]:
    """The rows that are judged, rising, the judgment of each, and whether any row is repeated.

    A table of bytes tells by a part of each row's hash which few rows are worth a look; these are compared in full.
    """
    salt, judged = index.salted
    hashes = np.empty(len(code), np.uint32)

    def keys_of(rows: Any) -> Keys:
        items = ColumnIds(item.column[rows]) if isinstance(rows, slice) else item.take(rows)
        return pair_keys(code[rows].astype(np.int64, copy=False), items.keys(salt), salt)

    def hash_rows(rows: range) -> None:
        for block in _blocks(rows):
            hashes[block] = _hashes(keys_of(block))

    by_ranges(hash_rows, len(code))
    bits = max(10, min(26, (3 * max(len(code), len(judged))).bit_length()))
    shift = np.uint32(32 - bits)
    table = _crowded(hashes, bits) if look_for_repeats else np.zeros(1 << bits, np.uint8)
    table[_hashes(judged) >> shift] |= _JUDGED

    def marked(rows: range) -> list[tuple[Ints, npt.NDArray[np.uint8]]]:
        marks = ((block.start, table.take(hashes[block] >> shift)) for block in _blocks(rows))
        return [(at + first, mark[at]) for first, mark in marks for at in [np.flatnonzero(mark)]]

    found = chain.from_iterable(by_ranges(marked, len(code)))
    rows, mark = (np.concatenate(column) for column in zip(*found, strict=True))
    alike = _alike(hashes, rows[mark & _CROWDED > 0])
    if len(alike) and len(repeated_pairs(keys_of(alike), code[alike].astype(np.int64), item.column.gather(alike))[0]):
        return rows, rows, True
    rows = rows[mark & _JUDGED > 0]
    number = index.numbers_of(keys_of(rows))
    rows, number = rows[number >= 0], number[number >= 0]
    same = item.take(rows).equal(index.item.take(number)) & (code[rows] == index.code[number])
    return rows[same], number[same], False


def _hashes(keys: Keys) -> npt.NDArray[np.uint32]:
    mixed: npt.NDArray[np.uint32] = (keys * _SPREAD >> np.uint64(32)).astype(np.uint32)
    return mixed


def _crowded(hashes: npt.NDArray[np.uint32], bits: int) -> npt.NDArray[np.uint8]:
    """A table by the first bits of a hash, in which places are marked to which more than one row leads."""
    counts, shift = np.zeros(1 << bits, np.uint8), np.uint32(32 - bits)
    for block in _blocks(range(len(hashes))):
        np.add.at(counts, (hashes[block] >> shift).astype(np.int64), np.uint8(1))
    if counts.sum(dtype=np.int64) != len(hashes):  # a byte counts no further than to 255
        return np.full(1 << bits, _CROWDED, np.uint8)
    np.greater(counts, 1, out=counts.view(np.bool_))
    return counts


def _alike(hashes: npt.NDArray[np.uint32], rows: Ints) -> Ints:
    """Those of some rows whose hash another one of them has; a few others may be among them."""
    mine = hashes[rows]
    falling = np.sort(mine)
    shared = falling[1:][falling[1:] == falling[:-1]]
    is_shared = np.zeros(1 << 16, np.bool_)
    is_shared[shared & np.uint32(0xFFFF)] = True
    likely = np.flatnonzero(is_shared.take(mine & np.uint32(0xFFFF)))
    return rows[likely[np.isin(mine[likely], shared)]]


def _counted(
    code: npt.NDArray[np.int32], order: npt.NDArray[Any], wanted: npt.NDArray[Any], *, scored: bool
) -> tuple[Ints, Ints]:
    """How many rows of each query are as good as the wanted score or rank or better, and how many are as good."""
    reaches = np.greater_equal if scored else np.less_equal

    def count(rows: range) -> tuple[Ints, Ints]:
        reaching, equal = np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.int64)
        for block in _blocks(rows):
            mine, values = code[block], order[block]
            bound = wanted.take(mine)
            for counts, chosen in ((reaching, reaches(values, bound)), (equal, values == bound)):
                np.add.at(counts, mine[np.flatnonzero(chosen)], 1)
        return reaching, equal

    both = by_ranges(count, len(code))
    return sum(one[0] for one in both), sum(one[1] for one in both)  # type: ignore[return-value]
