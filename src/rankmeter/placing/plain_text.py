"""Placing straight from plain text: queries by their stretches of lines, items by words of their bytes.

It gives what :mod:`rankmeter.placing.table` gives, without a table. What it does not take (a query that comes back
later in the run, an item twice) is for that module to place or to refuse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from rankmeter.inputs.plain_trec import NotPlainError, PlainRows
from rankmeter.inputs.text import TextIds, Words
from rankmeter.placing.counting import Places, place
from rankmeter.placing.matching import KeyTable, pair_keys, repeated
from rankmeter.placing.placements import Floats, Ints, Placements, Plan
from rankmeter.placing.segments import expand, group_rows, offsets_of, sort_descending
from rankmeter.placing.unreturned import with_unreturned


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
    judged = len(index.numbers)
    blocks = list(_placed_blocks(index, run, plan))
    queries = list(index.numbers)
    returned, in_run = np.zeros(len(queries), np.int64), np.zeros(len(queries), np.bool_)
    for block in blocks:
        returned[block.codes] = block.sizes
        in_run[block.codes] = True
    found = np.concatenate([block.judgment for block in blocks])
    rows = {
        "query": index.code[found],
        "grade": index.grade[found],
        "score": np.concatenate([block.score for block in blocks]),
        **{one.name: np.concatenate([getattr(block.places, one.name) for block in blocks]) for one in fields(Places)},
    }
    if (rows["query"][1:] < rows["query"][:-1]).any():
        order = group_rows(rows["query"], len(queries))
        rows = {name: column[order] for name, column in rows.items()}
    if plan.unreturned:
        rows = with_unreturned(rows, returned, **index.all_but(found))
    placements = Placements(
        returned=returned,
        in_run=in_run,
        is_judged=np.arange(len(queries)) < judged,
        best_offsets=np.concatenate([index.offsets, np.full(len(queries) - judged, index.offsets[-1])]),
        best=sort_descending(index.grade, index.offsets),
        **rows,
    )
    return queries, placements


@dataclass(frozen=True, slots=True)
class _Index:
    """The judgments, prepared for look-up."""

    numbers: dict[str, int]
    """The number of each query; those of the run that are not judged join it as they come."""
    code: Ints
    """(j,) the query of each judgment, rising."""
    offsets: Ints
    """Where the judgments of each query start."""
    grade: Floats
    item: TextIds
    keys: Words
    """(j,) query and item as one number."""

    @classmethod
    def of(cls, judgments: PlainRows, plan: Plan) -> _Index:
        numbers: dict[str, int] = {}
        codes, lengths = _stretches(judgments.query, numbers)
        code, grade, item = np.repeat(codes, lengths), judgments.value, judgments.item
        if (code[1:] < code[:-1]).any():
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
        return cls(numbers, code, offsets, grade, item, keys)

    def find(self, codes: Ints, keys: Words) -> tuple[Ints, Ints]:
        """Which rows of some queries are judged, and the judgment of each.

        Only the judgments of these queries are looked at: a small table stays in the cache.
        """
        codes = np.sort(codes[codes < len(self.offsets) - 1])
        known = expand(self.offsets[codes], self.offsets[codes + 1] - self.offsets[codes])
        row, match = KeyTable.of(self.keys[known]).find(keys)
        return row, known[match]

    def all_but(self, found: Ints) -> dict[str, Any]:
        """The judgments that the run did not return."""
        left = np.ones(len(self.code), np.bool_)
        left[found] = False
        rows = np.flatnonzero(left)
        return {"query": self.code[rows], "grade": self.grade[rows], "items": self.item.take(rows).sort_keys()}


def _stretches(queries: TextIds, numbers: dict[str, int]) -> tuple[Ints, Ints]:
    """The number of the query of each stretch of rows, and how many rows it has; new queries get new numbers."""
    starts = queries.changes()
    codes = [numbers.setdefault(query, len(numbers)) for query in queries.take(starts).to_list()]
    return np.array(codes, np.int64), np.diff(starts, append=len(queries))


@dataclass(frozen=True, slots=True)
class _Block:
    """What a block of whole queries adds."""

    codes: Ints
    """(b,) its queries, each once."""
    sizes: Ints
    judgment: Ints
    """(m,) the judgments that it met, and where and with which score."""
    score: Floats
    places: Places


def _placed_blocks(index: _Index, run: Iterable[PlainRows], plan: Plan) -> Iterator[_Block]:
    """Place block by block, as long as no query comes back."""
    seen: set[int] = set()
    for rows in run:
        codes, sizes = _stretches(rows.query, index.numbers)
        before = len(seen)
        seen.update(codes.tolist())
        if len(seen) != before + len(codes):
            raise NotPlainError
        yield _place_block(index, rows, codes, sizes, plan)


def _place_block(index: _Index, run: PlainRows, codes: Ints, sizes: Ints, plan: Plan) -> _Block:
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
    return _Block(codes, sizes, judgment, score, places)
