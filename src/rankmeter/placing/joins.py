"""Placing from tables: long columns of (query, item, score) against (query, item, grade).

A block of whole queries goes in, the places of its judged items come out; a run larger than memory is many blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from rankmeter.errors import InputError, RepeatedItemError, examples, warn, with_hint
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.placing.assembling import PlacedBlock, assembled, is_rising
from rankmeter.placing.counting import place
from rankmeter.placing.matching import Keys, KeyTable, item_keys, numbers_among, pair_keys, repeated, repeated_pairs
from rankmeter.placing.placements import Floats, Ints, Placements, Plan
from rankmeter.placing.segments import group_rows, offsets_of, sort_descending
from rankmeter.placing.short_lists import Columns, fits, match_columns
from rankmeter.wording import said

Table = TypeVar("Table", JudgmentTable, RunTable)
MANY_ROWS = 10_000
"""From how many rows on a table of numbers is worth its set-up."""


class ScatteredQueryError(Exception):
    """A query came back in a later block, so the run must be grouped as a whole."""


@dataclass(frozen=True, slots=True)
class JudgmentIndex:
    """The judgments prepared for look-up: made once, used for every block and every run."""

    table: JudgmentTable
    queries: pl.Series
    """(n,) every judged query, in the order of first appearance."""
    code: Ints
    """(j,) the query of each kept judgment."""
    grade: Floats
    """(j,) its grade."""
    item: pl.Series
    """(j,) its item."""
    keys: LazyKeys
    best: Floats
    best_offsets: Ints
    columns: Columns | None
    """The kept judgments as columns, where every query has a few."""

    @classmethod
    def of(cls, table: JudgmentTable, lowest_grade: float) -> JudgmentIndex:
        """Prepare the judgments from a grade on; repeated ones are refused."""
        queries, code = encode(table.query, table.queries)
        grade, item = table.grade.to_numpy(), table.item
        if not is_rising(code):  # bring the judgments of a query together, in the order given
            order = group_rows(code, len(queries))
            code, grade, item = code[order], grade[order], item.gather(pl.Series(order))
        items = item_keys(item)
        few = _few_and_different(items, code, len(queries))
        if not few:
            _refuse_repeated(replace(table, query=queries.gather(pl.Series(code)), item=item), code, items)
        kept = grade >= lowest_grade
        if not kept.all():
            code, grade, items, item = code[kept], grade[kept], items[kept], item.filter(pl.Series(kept))
        sizes = np.bincount(code, minlength=len(queries)).astype(np.int64)
        offsets = offsets_of(sizes)
        columns = Columns.of(items, sizes) if few else None
        best = sort_descending(grade, offsets)
        return cls(table, queries, code, grade, item, LazyKeys(code, item), best, offsets, columns)


class LazyKeys:
    """The keys of the judgments, made into a table when the first row is looked up; no two judgments share one."""

    def __init__(self, code: Ints, items: pl.Series) -> None:
        self._judged = (code, items)
        self._table: KeyTable | None = None
        self._salt = 0

    def of(self, code: Ints, items: pl.Series) -> Keys:
        """The keys of some rows."""
        self._made()
        return self._keys(code, items)

    def find(self, probes: Keys) -> tuple[Ints, Ints]:
        """The rows whose key is that of a judgment, and the judgment of each."""
        return self._made().find(probes)

    def _made(self) -> KeyTable:
        if self._table is None:
            while len(repeated(keys := self._keys(*self._judged))):
                self._salt += 1
            self._table = KeyTable.of(keys)
        return self._table

    def _keys(self, code: Ints, items: pl.Series) -> Keys:
        return pair_keys(code, item_keys(items, self._salt), self._salt)


def _few_and_different(items: Keys, code: Ints, queries: int) -> bool:
    """Whether every query has a few judgments, and none twice."""
    sizes = np.bincount(code, minlength=queries).astype(np.int64)
    return fits(queries, 1, int(sizes.max(initial=0))) and not Columns.of(items, sizes).any_repeated()


def place_blocks(judgments: JudgmentTable, blocks: Iterable[RunTable], plan: Plan) -> tuple[pl.Series, Placements]:
    """Place a run that comes as blocks of whole queries."""
    index: JudgmentIndex | None = None
    strangers = _Strangers()
    placed: list[PlacedBlock] = []
    seen = np.zeros(0, np.bool_)
    for block in blocks:
        judgments, block = same_id_types(judgments, block)
        if index is None or index.table is not judgments:
            index = JudgmentIndex.of(judgments, plan.lowest_grade)
            seen = np.zeros(len(index.queries), np.bool_)
        part = _place_block(index, block, plan, strangers)
        inside = part.code[part.code < len(seen)]
        if seen[inside].any() or strangers.came_back:
            raise ScatteredQueryError
        seen[inside] = True
        placed.append(part)
    if index is None:
        index = JudgmentIndex.of(judgments, plan.lowest_grade)
    return strangers.after(index.queries), assembled(
        index, placed, len(index.queries) + len(strangers), plan, _items_of(index)
    )


class _Strangers:
    """The queries of the run that are not judged, numbered in the order in which they come."""

    def __init__(self) -> None:
        self._ids: list[pl.Series] = []
        self._known: set[object] = set()
        self.came_back = False

    def __len__(self) -> int:
        return len(self._known)

    def number(self, ids: pl.Series) -> Ints:
        new = ids.to_list()
        before = len(self._known)
        self._known.update(new)
        self.came_back |= len(self._known) != before + len(new)
        self._ids.append(ids)
        return np.arange(before, before + len(new))

    def after(self, judged: pl.Series) -> pl.Series:
        return pl.concat([judged, *(ids.cast(judged.dtype) for ids in self._ids)], rechunk=True)


def _place_block(index: JudgmentIndex, run: RunTable, plan: Plan, strangers: _Strangers) -> PlacedBlock:
    code, heads, sizes = _codes(index, run, strangers)
    short = _place_short_lists(index, run, plan, code, heads, sizes)
    if short is not None:
        return short
    keys = index.keys.of(code, run.item)
    keep = without_repeated(run, keys, code, sizes, plan.duplicates)
    if keep is not None:
        code, keys = code[keep], keys[keep]
        rows = pl.Series(keep)
        run = replace(run, query=run.query.gather(rows), item=run.item.gather(rows), score=run.score.gather(rows))
        sizes = None
    scores = run.score.to_numpy()
    order = None
    if sizes is None:  # not grouped: bring the rows of a query together
        local = _local(code, heads)
        order = group_rows(local, len(heads))
        scores = scores[order]
        sizes = np.bincount(local, minlength=len(heads)).astype(np.int64)
    row, judgment = _judged_rows(index, run, code, keys)
    return _count(run, plan, _Block(heads, sizes, scores, order), row, judgment, code)


def _place_short_lists(
    index: JudgmentIndex, run: RunTable, plan: Plan, code: Ints, heads: Ints, sizes: Ints | None
) -> PlacedBlock | None:
    """Match short lists column by column; None where they are not short, or need a closer look."""
    if index.columns is None or not fits(len(heads), len(index.columns), len(code) // max(len(heads), 1)):
        return None
    items, scores, order = item_keys(run.item), run.score.to_numpy(), None
    if sizes is None:
        local = _local(code, heads)
        order = group_rows(local, len(heads))
        items, scores = items[order], scores[order]
        sizes = np.bincount(local, minlength=len(heads)).astype(np.int64)
    if not fits(len(heads), len(index.columns), int(sizes.max())):
        return None
    lists = Columns.of(items, sizes)
    if plan.duplicates != "counted" and lists.any_repeated():
        return None
    number = match_columns(lists, _judgments_of(index, index.columns, heads))
    position = np.flatnonzero(number >= 0)
    row = position if order is None else order[position]
    judgment = index.best_offsets[code[row]] + number[position]
    if run.item.dtype == pl.String:  # keys of text are hashes
        same = (run.item.gather(pl.Series(row)) == index.item.gather(pl.Series(judgment))).to_numpy()
        row, judgment = row[same], judgment[same]
    return _count(run, plan, _Block(heads, sizes, scores, order), row, judgment, code)


def _judgments_of(index: JudgmentIndex, columns: Columns, heads: Ints) -> Columns:
    """The judgments of the queries of a block, in its order; none for a query that is not judged."""
    known = len(index.queries)
    if len(heads) == known and (heads == np.arange(known)).all():
        return columns
    inside = heads < known
    at = np.where(inside, heads, 0)
    return Columns(np.ascontiguousarray(columns.keys[:, at]), np.where(inside, columns.sizes[at], 0))


@dataclass(frozen=True, slots=True)
class _Block:
    """A block whose scores are grouped by query."""

    heads: Ints
    sizes: Ints
    scores: Floats
    order: Ints | None
    """Which row of the table each score came from; None where they stand as they were."""


def _count(run: RunTable, plan: Plan, block: _Block, row: Ints, judgment: Ints, code: Ints) -> PlacedBlock:
    segment_of = np.full(int(block.heads.max(initial=-1)) + 1, -1, np.int64)
    segment_of[block.heads] = np.arange(len(block.heads))
    position = row
    if block.order is not None:
        position = np.empty(len(block.order), np.int64)
        position[block.order] = np.arange(len(block.order))
        position = position[row]

    def ids_of(positions: Ints) -> pl.Series:
        rows = positions if block.order is None else block.order[positions]
        return run.item.gather(pl.Series(rows))

    score = block.scores[position]
    places = place(
        block.scores,
        offsets_of(block.sizes),
        segment_of[code[row]],
        score,
        plan,
        rows=position,
        rows_of=lambda some: position[some],
        ids_of=ids_of,
    )
    if not run.scored:
        score = np.full(len(score), np.nan)
    return PlacedBlock(block.heads, block.sizes, judgment, score, places)


def _judged_rows(index: JudgmentIndex, run: RunTable, code: Ints, keys: Keys) -> tuple[Ints, Ints]:
    """Rows of the run that are judged, and the judgment of each."""
    row, judgment = index.keys.find(keys)
    same_item = (run.item.gather(pl.Series(row)) == index.item.gather(pl.Series(judgment))).to_numpy()
    same = same_item & (code[row] == index.code[judgment])
    return (row, judgment) if same.all() else (row[same], judgment[same])


def _codes(index: JudgmentIndex, run: RunTable, strangers: _Strangers) -> tuple[Ints, Ints, Ints | None]:
    """The code of each row's query, the codes that occur, and how many rows each has (None: rows not grouped)."""
    query = run.query
    if not len(query) and run.queries is None:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
    starts = np.flatnonzero((query != query.shift(1)).fill_null(value=True).to_numpy())
    firsts = query.gather(pl.Series(starts))
    lengths = np.diff(starts, append=len(query))
    heads, local = encode(firsts, run.queries)
    codes = _known_codes(index.queries, heads)
    unknown = codes < 0
    if unknown.any():
        codes[unknown] = len(index.queries) + strangers.number(heads.filter(pl.Series(unknown)))
    sizes = None
    if (local[1:] > local[:-1]).all():  # grouped, each query in one stretch; one without rows has none
        sizes = np.zeros(len(heads), np.int64)
        sizes[local] = lengths
    return np.repeat(codes[local], lengths), codes, sizes


def _known_codes(known: pl.Series, queries: pl.Series) -> Ints:
    """The number of each query among the known ones, -1 where it is not there."""
    if len(known) == len(queries) and (known == queries).all():
        return np.arange(len(known))
    numbers = pl.DataFrame({"query": known, "code": np.arange(len(known))})
    found = pl.DataFrame({"query": queries}).join(numbers, on="query", how="left", maintain_order="left")["code"]
    return found.fill_null(-1).to_numpy().copy()


def _local(code: Ints, heads: Ints) -> Ints:
    """Codes renumbered from 0 in the order of ``heads``."""
    number = np.empty(int(heads.max(initial=-1)) + 1, np.int64)
    number[heads] = np.arange(len(heads))
    return number[code]


def encode(values: pl.Series, known: pl.Series | None = None) -> tuple[pl.Series, Ints]:
    """The different values in order of first appearance, and the number of each row's value among them.

    Where all values are ``known`` beforehand, some of which may not occur, these are numbered instead.
    """
    if known is not None:
        return known, numbers_among(known, values)
    if values.dtype.is_integer() and len(values) >= MANY_ROWS:
        numbered = _encode_close_numbers(values)
        if numbered is not None:
            return numbered
    by_hash = values.dtype == pl.String and len(values) >= MANY_ROWS
    different = (
        values.gather(pl.Series(item_keys(values)).arg_unique()) if by_hash else values.unique(maintain_order=True)
    )
    if len(different) == len(values):
        return values, np.arange(len(values))
    starts = np.flatnonzero((values != values.shift(1)).fill_null(value=True).to_numpy())
    if len(starts) == len(different):  # grouped, the usual case: count instead of looking up
        return different, np.repeat(np.arange(len(starts)), np.diff(starts, append=len(values)))
    numbers = numbers_among(different, values)
    if by_hash and numbers.min() < 0:  # two texts share a hash, so one of them was left out
        different = values.unique(maintain_order=True)
        numbers = numbers_among(different, values)
    return different, numbers


def _encode_close_numbers(values: pl.Series) -> tuple[pl.Series, Ints] | None:
    """The same for numbers that lie close together, by a table instead of a hash; None where they do not."""
    array = values.to_numpy()
    low = int(array.min())
    reach = int(array.max()) - low + 1
    if reach > 8 * len(array):
        return None
    place = (array - array.dtype.type(low)).astype(np.int64)
    first = np.full(reach, -1, np.int64)
    first[place[::-1]] = np.arange(len(array))[::-1]  # the first row of a number is written last
    there = np.flatnonzero(first >= 0)
    there = there[np.argsort(first[there], kind="stable")]
    number = np.empty(reach, np.int64)
    number[there] = np.arange(len(there))
    return pl.Series(there + low, dtype=values.dtype), number[place]


def _items_of(index: JudgmentIndex) -> Callable[[Ints], pl.Series]:
    return lambda rows: index.item.gather(pl.Series(rows))


def without_repeated(run: RunTable, keys: Keys, code: Ints, sizes: Ints | None, duplicates: str) -> Ints | None:
    """The rows to keep where some pairs are repeated; None where all rows stay."""
    if duplicates == "counted":
        return None
    rows, first = repeated_pairs(keys, code, run.item, sizes)
    if not len(rows):
        return None
    if duplicates == "error":
        pairs = _shown(run, rows[rows != first])
        raise RepeatedItemError.of("inputs.returned_twice", source=run.source, pairs=pairs)
    keep = np.ones(len(keys), np.bool_)
    if duplicates == "best":
        order = np.lexsort((rows, -run.score.to_numpy()[rows], first))
        rows, first = rows[order], first[order]
    keep[rows[np.append(False, first[1:] == first[:-1])] if duplicates == "best" else rows[rows != first]] = False
    return np.flatnonzero(keep)


def _refuse_repeated(table: JudgmentTable, code: Ints, items: Keys) -> None:
    rows, first = repeated_pairs(pair_keys(code, items), code, table.item)
    if len(rows):
        fact = f"{table.source} judges an item twice for the same query: {_shown(table, rows[rows != first])}."
        raise InputError(with_hint(fact, "keep one judgment for each query and item"))


def _shown(table: JudgmentTable | RunTable, rows: Ints) -> str:
    shown = [f"item {table.item[row]} in query {table.query[row]}" for row in rows[:5].tolist()]
    return examples([*shown, *rows[5:]])


def same_id_types(judgments: JudgmentTable, run: RunTable) -> tuple[JudgmentTable, RunTable]:
    """Compare ids as text where one side has numbers and the other text, and say so once."""
    for column in ("query", "item"):
        left, right = getattr(judgments, column), getattr(run, column)
        if left.dtype == right.dtype:
            continue
        if pl.String in (left.dtype, right.dtype) and len(left) and len(right):
            numbers, text = (
                (judgments.source, run.source) if right.dtype == pl.String else (run.source, judgments.source)
            )
            warn(said("ids_as_text", role=column, numbers=numbers, text=text))
        judgments, run = with_text_ids(judgments, column), with_text_ids(run, column)
    return judgments, run


def with_text_ids(table: Table, column: str) -> Table:
    """A table whose ids are text; the same object where they are, by which an index knows its judgments again."""
    ids = getattr(table, column)
    if ids.dtype == pl.String:
        return table
    table = replace(table, **{column: ids.cast(pl.String)})
    if column == "query" and table.queries is not None:
        table = replace(table, queries=table.queries.cast(pl.String))
    return table
