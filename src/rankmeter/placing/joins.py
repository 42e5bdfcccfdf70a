"""Placing from rows: long columns of (query, item, score), of a table or a plain text, against the index of judgments.

A block of whole queries goes in, the places of its judged items come out; a run larger than memory is many blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.errors import RepeatedItemError, warn
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import LateIds
from rankmeter.inputs.plain_trec import NotPlainError, PlainRows
from rankmeter.late import pl
from rankmeter.placing.indexes import Ids, JudgmentIndex, PlacedBlock, PlacedRun, assembled, stretches
from rankmeter.placing.matching import ColumnIds, repeated_pairs, shown_pairs
from rankmeter.placing.numbering import grouped, numbers_among
from rankmeter.placing.placements import Floats, Ints, Plan
from rankmeter.placing.scattered_rows import count_in_place
from rankmeter.placing.segments import PART_ROWS, Keys, expand, group_rows, offsets_of, parts_of_segments, place
from rankmeter.placing.staircase import fits, match_columns, may_repeat
from rankmeter.placing.threads import in_threads, workers_for
from rankmeter.wording import said

if TYPE_CHECKING:
    from rankmeter.inputs.tables import JudgmentTable, RunTable

Table = TypeVar("Table", "JudgmentTable", "RunTable")


class ScatteredQueryError(Exception):
    """A query came back in a later block, so the run must be grouped as a whole."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """A block of whole queries; its rows may stand in any order."""

    code: Ints
    """(r,) the query of each row."""
    heads: Ints
    """(b,) the queries of the block."""
    sizes: Ints | None
    """(b,) how many rows each has; None where rows are not grouped by query."""
    item: Ids
    score: Floats

    def in_order(self) -> tuple[Ints, Ints | None]:
        """How many rows each query has, and which row comes where once they are grouped; None where they are."""
        if self.sizes is not None:
            return self.sizes, None
        segment = self.segments(self.code)
        sizes = np.bincount(segment, minlength=len(self.heads)).astype(np.int64)
        return sizes, group_rows(segment, len(self.heads))

    def segments(self, code: Ints) -> Ints:
        """The place of some queries among those of the block."""
        segment_of = np.empty(int(self.heads.max(initial=-1)) + 1, np.int64)
        segment_of[self.heads] = np.arange(len(self.heads))
        return segment_of[code]


def place_text(judgments: PlainRows, run: Callable[[], Iterable[PlainRows]], plan: Plan) -> PlacedRun:
    """Place a run in plain text: queries by their stretches of lines, items by words of their bytes.

    Where a query comes back later in the run, it is read again and brought together first. `NotPlainError` says that
    the text is to be placed as a table: an item stands twice, say.
    """
    if plan.duplicates != "error":
        raise NotPlainError
    index = JudgmentIndex.of_text(judgments, plan.lowest_grade)
    known = {query: number for number, query in enumerate(index.queries)}
    try:
        blocks = [_place_rows(index, rows, plan, _refuse_as_not_plain) for rows in _text_blocks(run(), known)]
    except ScatteredQueryError:
        from rankmeter.placing.scattered_text import gathered

        parts = (_Rows(np.repeat(*part[:2]), *part) for part in gathered(run(), known))
        blocks = [_place_rows(index, rows, plan, _refuse_as_not_plain) for rows in parts]
    return _placed(index, blocks, LateIds(list(known)), len(known), plan, scored=True)


def _text_blocks(run: Iterable[PlainRows], known: dict[str, int]) -> Iterator[_Rows]:
    """The blocks, as long as no query comes back."""
    seen: set[int] = set()
    for rows in run:
        codes, sizes = stretches(rows.query, known)
        before = len(seen)
        seen.update(codes.tolist())
        if len(seen) != before + len(codes):
            raise ScatteredQueryError
        yield _Rows(np.repeat(codes, sizes), codes, sizes, rows.item, rows.value)


def _refuse_as_not_plain(rows: _Rows, keys: Keys) -> NoReturn:  # noqa: ARG001 (others look at them)
    raise NotPlainError


def place_blocks(judgments: JudgmentTable, blocks: Iterable[RunTable], plan: Plan) -> PlacedRun:
    """Place a run that comes as tables of whole queries."""
    index: JudgmentIndex | None = None
    indexed: JudgmentTable | None = None
    strangers = _Strangers()
    placed: list[PlacedBlock] = []
    seen = np.zeros(0, np.bool_)
    scored = True
    for block in blocks:
        judgments, block = same_id_types(judgments, block)
        if index is None or indexed is not judgments:
            indexed, index = judgments, JudgmentIndex.of_table(judgments, plan.lowest_grade)
            seen = np.zeros(len(index), np.bool_)
        for part in _place_table(index, block, plan, strangers):
            inside = part.code[part.code < len(seen)]
            if seen[inside].any() or strangers.came_back:
                raise ScatteredQueryError
            seen[inside] = True
            placed.append(part)
        scored &= block.scored
    index = index or JudgmentIndex.of_table(judgments, plan.lowest_grade)
    return _placed(index, placed, strangers.after(index.queries), len(index) + len(strangers), plan, scored=scored)


def _placed(
    index: JudgmentIndex, blocks: list[PlacedBlock], ids: pl.Series | LateIds, queries: int, plan: Plan, *, scored: bool
) -> PlacedRun:
    def unreturned() -> dict[str, Any]:
        return index.others(np.concatenate([block.judgment for block in blocks] or [np.empty(0, np.int64)]))

    placements = assembled(index, blocks, queries, unreturned if plan.unreturned else None)
    return PlacedRun(ids, placements, scored, index.highest)


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


def _place_table(index: JudgmentIndex, run: RunTable, plan: Plan, strangers: _Strangers) -> list[PlacedBlock]:
    heads, sizes, code = _codes(index, run, strangers)
    placed: list[PlacedBlock] = []
    wide: Ints | None = None
    if code is not None:
        item, order = ColumnIds(run.item), run.score.to_numpy() if run.scored else run.ranks
        counted = count_in_place(index, code, heads, sizes, item, order, plan, scored=run.scored)
        if counted is not None:
            placed, left = [counted[0]], counted[1]
            rest = np.flatnonzero(left[code])
            if not len(rest):
                return placed
            run, code, sizes, heads = run.some_rows(rest), code[rest], sizes[left[heads]], heads[left[heads]]
        wide = code.astype(np.int64)
    return [*placed, *_place_lists(index, run, plan, heads, sizes, wide)]


def _place_lists(
    index: JudgmentIndex, run: RunTable, plan: Plan, heads: Ints, sizes: Ints, code: Ints | None
) -> list[PlacedBlock]:
    """Place whole lists; their rows are brought together first where they have a ``code``."""
    item, score = ColumnIds(run.item), run.score.to_numpy()

    def kept(rows: _Rows, keys: Keys) -> Ints | None:
        return without_repeated(run, keys, rows.code, plan.duplicates)

    def place_part(rows: _Rows, kept: Callable[[_Rows, Keys], Ints | None]) -> PlacedBlock:
        placed = _place_short_lists(index, rows, plan) or _place_rows(index, rows, plan, kept)
        return placed if run.scored else replace(placed, score=np.full(len(placed.score), np.nan))

    if len(run.query) > 2 * PART_ROWS:
        rows_between = _rows_by_part(heads, sizes, code, item, score)
        check = kept if plan.duplicates == "counted" else _refuse_as_not_plain
        parts = list(parts_of_segments(offsets_of(sizes)))
        try:
            return in_threads(lambda part: place_part(rows_between(*part), check), parts, workers_for(len(run.query)))
        except NotPlainError:  # repeated items are told of all together
            pass
    whole = np.repeat(heads, sizes) if code is None else code
    return [place_part(_Rows(whole, heads, sizes if code is None else None, item, score), kept)]


def _rows_by_part(
    heads: Ints, sizes: Ints, code: Ints | None, item: ColumnIds, score: Floats
) -> Callable[[int, int], _Rows]:
    """What gives the rows of queries from one to before another, in the order of ``heads``, as they stand grouped."""
    offsets, order = offsets_of(sizes), None
    if code is not None:
        number = np.empty(int(heads.max()) + 1, np.int64)
        number[heads] = np.arange(len(heads))
        order = group_rows(number[code], len(heads))

    def rows_between(first: int, last: int) -> _Rows:
        queries, lengths, rows = heads[first:last], sizes[first:last], slice(offsets[first], offsets[last])
        if order is None:
            return _Rows(np.repeat(queries, lengths), queries, lengths, ColumnIds(item.column[rows]), score[rows])
        chosen = order[rows]
        return _Rows(np.repeat(queries, lengths), queries, lengths, item.take(chosen), score[chosen])

    return rows_between


def _place_rows(
    index: JudgmentIndex, rows: _Rows, plan: Plan, kept: Callable[[_Rows, Keys], Ints | None]
) -> PlacedBlock:
    """Match rows by the keys of their pairs; ``kept`` says which stay where some are repeated, None for all."""
    table = index.table_of(rows.code, rows.item)
    if table.repeats and (keep := kept(rows, table.keys)) is not None:
        rows = _Rows(rows.code[keep], rows.heads, None, rows.item.take(keep), rows.score[keep])
        table = index.table_of(rows.code, rows.item)
    return _count(index, rows, plan, rows.in_order(), *index.match(rows.code, rows.heads, rows.item, table))


def _place_short_lists(index: JudgmentIndex, rows: _Rows, plan: Plan) -> PlacedBlock | None:
    """Match short lists column by column; None where they are not short, or need a closer look."""
    if index.keys is None or not fits(len(rows.heads), index.most, len(rows.code) // max(len(rows.heads), 1)):
        return None
    sizes, order = rows.in_order()
    if not fits(len(rows.heads), index.most, int(sizes.max())):
        return None
    keys = rows.item.keys() if order is None else rows.item.keys()[order]
    if plan.duplicates != "counted" and may_repeat(keys, offsets_of(sizes)):
        return None
    # The judgments of the queries of the block, in its order; none for a query that is not judged.
    first = index.offsets[np.minimum(rows.heads, len(index))]
    judged_sizes = index.offsets[np.minimum(rows.heads + 1, len(index))] - first
    if (first[1:] == first[:-1] + judged_sizes[:-1]).all():  # they stand one after another
        judged = index.keys[first[0] : first[-1] + judged_sizes[-1]]
    else:
        judged = index.keys[expand(first, judged_sizes)]
    number = match_columns(keys, sizes, judged, judged_sizes)
    position = np.flatnonzero(number >= 0)
    row = position if order is None else order[position]
    judgment = index.offsets[rows.code[row]] + number[position]
    if not rows.item.are_keys:
        same = rows.item.take(row).equal(index.item.take(judgment))
        row, judgment = row[same], judgment[same]
    return _count(index, rows, plan, (sizes, order), row, judgment)


def _count(
    index: JudgmentIndex, rows: _Rows, plan: Plan, grouped: tuple[Ints, Ints | None], row: Ints, judgment: Ints
) -> PlacedBlock:
    """Count where some rows stand among those of their query."""
    sizes, order = grouped
    scores, position = rows.score, row
    if order is not None:
        scores = scores[order]
        position = np.empty(len(order), np.int64)
        position[order] = np.arange(len(order))
        position = position[row]
    query, score = rows.code[row], rows.score[row]
    places = place(
        scores,
        offsets_of(sizes),
        rows.segments(query),
        score,
        plan,
        rows=position,
        ids_of=lambda at: rows.item.take(at if order is None else order[at]).sort_keys(),
    )
    return PlacedBlock(rows.heads, sizes, query, index.grade[judgment], score, places, judgment)


def _codes(
    index: JudgmentIndex, run: RunTable, strangers: _Strangers
) -> tuple[Ints, Ints, npt.NDArray[np.int32] | None]:
    """The codes that occur, how many rows each has, and the code of each row's query; None where rows are grouped."""
    groups = grouped(run.query, run.queries, index.queries)
    codes = numbers_among(index.queries, groups.values)
    unknown = codes < 0
    if unknown.any():
        codes[unknown] = len(index) + strangers.number(groups.values.filter(pl.Series(unknown)))
    code = None if groups.mark is None else groups.table(codes.astype(np.int32)).take(groups.mark)
    if run.queries is not None:
        return codes, groups.sizes, code
    met = groups.sizes > 0
    return codes[met], groups.sizes[met], code


def without_repeated(run: RunTable, keys: Keys, code: Ints, duplicates: str) -> Ints | None:
    """The rows to keep where some pairs are repeated; None where all rows stay."""
    if duplicates == "counted":
        return None
    rows, first = repeated_pairs(keys, code, run.item)
    if not len(rows):
        return None
    if duplicates == "error":
        again = rows[rows != first]
        pairs = shown_pairs(run.item, run.query.gather(pl.Series(again)), again)
        raise RepeatedItemError.of("inputs.returned_twice", source=run.source, pairs=pairs)
    keep = np.ones(len(keys), np.bool_)
    if duplicates == "best":
        order = np.lexsort((rows, -run.score.to_numpy()[rows], first))
        rows, first = rows[order], first[order]
    keep[rows[np.append(False, first[1:] == first[:-1])] if duplicates == "best" else rows[rows != first]] = False
    return np.flatnonzero(keep)


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
