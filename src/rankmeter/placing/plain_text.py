"""Placing straight from plain text: queries by their stretches of lines, items by words of their bytes.

It gives what :mod:`rankmeter.placing.joins` gives, without a table. What it does not take (a query that comes back
later in the run, an item twice) is for that module to place or to refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rankmeter.inputs.plain_trec import NotPlainError, PlainRows
from rankmeter.inputs.text import TextIds, Words
from rankmeter.placing.assembling import PlacedBlock, assembled, is_rising
from rankmeter.placing.counting import place
from rankmeter.placing.matching import KeyTable, pair_keys, repeated
from rankmeter.placing.placements import Floats, Ints, Placements, Plan
from rankmeter.placing.segments import expand, group_rows, offsets_of, sort_descending


def place_plain(judgments: PlainRows, run: Iterable[PlainRows], plan: Plan) -> tuple[list[str], Placements]:
    """Place a run that comes in blocks of whole queries; returns the ids of the queries, judged ones first.

    Raises
    ------
    NotPlainError
        Where this is not the way to place it.
    """
    if plan.duplicates != "error":
        raise NotPlainError
    index = _Index.of(judgments, plan)
    blocks = list(_placed_blocks(index, run, plan))
    queries = list(index.numbers)
    return queries, assembled(index, blocks, len(queries), plan, lambda rows: index.item.take(rows).sort_keys())


@dataclass(frozen=True, slots=True)
class _Index:
    """The judgments, prepared for look-up."""

    numbers: dict[str, int]
    """The number of each query; those of the run that are not judged join it as they come."""
    code: Ints
    """(j,) the query of each judgment, rising."""
    grade: Floats
    best: Floats
    best_offsets: Ints
    item: TextIds
    keys: Words
    """(j,) query and item as one number."""

    @classmethod
    def of(cls, judgments: PlainRows, plan: Plan) -> _Index:
        numbers: dict[str, int] = {}
        codes, lengths = _stretches(judgments.query, numbers)
        code, grade, item = np.repeat(codes, lengths), judgments.value, judgments.item
        if not is_rising(code):
            order = group_rows(code, len(numbers))
            code, grade, item = code[order], grade[order], item.take(order)
        keys = pair_keys(code, item.keys())
        if len(repeated(keys)):
            raise NotPlainError
        kept = grade >= plan.lowest_grade
        if not kept.all():
            rows = np.flatnonzero(kept)
            code, grade, item, keys = code[rows], grade[rows], item.take(rows), keys[rows]
        offsets = offsets_of(np.bincount(code, minlength=len(numbers)).astype(np.int64))
        return cls(numbers, code, grade, sort_descending(grade, offsets), offsets, item, keys)

    def find(self, codes: Ints, keys: Words) -> tuple[Ints, Ints]:
        """Which rows of some queries are judged, and the judgment of each.

        Only the judgments of these queries are looked at: a small table stays in the cache.
        """
        first = self.best_offsets
        codes = np.sort(codes[codes < len(first) - 1])
        known = expand(first[codes], first[codes + 1] - first[codes])
        row, match = KeyTable.of(self.keys[known]).find(keys)
        return row, known[match]


def _stretches(queries: TextIds, numbers: dict[str, int]) -> tuple[Ints, Ints]:
    """The number of the query of each stretch of rows, and how many rows it has; new queries get new numbers."""
    starts = queries.changes()
    codes = [numbers.setdefault(query, len(numbers)) for query in queries.take(starts).to_list()]
    return np.array(codes, np.int64), np.diff(starts, append=len(queries))


def _placed_blocks(index: _Index, run: Iterable[PlainRows], plan: Plan) -> Iterator[PlacedBlock]:
    """Place block by block, as long as no query comes back."""
    seen: set[int] = set()
    for rows in run:
        codes, sizes = _stretches(rows.query, index.numbers)
        before = len(seen)
        seen.update(codes.tolist())
        if len(seen) != before + len(codes):
            raise NotPlainError
        yield _place_block(index, rows, codes, sizes, plan)


def _place_block(index: _Index, run: PlainRows, codes: Ints, sizes: Ints, plan: Plan) -> PlacedBlock:
    code = np.repeat(codes, sizes)
    keys = pair_keys(code, run.item.keys())
    if len(repeated(keys, sizes)):
        raise NotPlainError
    row, judgment = index.find(codes, keys)
    same = run.item.take(row).equal(index.item.take(judgment)) & (code[row] == index.code[judgment])
    if not same.all():
        row, judgment = row[same], judgment[same]
    offsets = offsets_of(sizes)
    score = run.value[row]
    places = place(
        run.value,
        offsets,
        np.repeat(np.arange(len(codes)), sizes)[row],
        score,
        plan,
        rows=row,
        rows_of=lambda some: row[some],
        ids_of=lambda rows: run.item.take(rows).sort_keys(),
    )
    return PlacedBlock(codes, sizes, judgment, score, places)
