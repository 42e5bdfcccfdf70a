"""Several runs put together query by query: every item once, and where and with which score each list holds it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, RepeatedItemError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.wings.fusion.definition import Fusion

BLOCK = 1_000_000
"""Rows of all runs that are put together at once, so that they stay in the cache; a query is never cut."""


@dataclass(frozen=True, slots=True)
class RunLists:
    """The lists of one run for some queries, each in its order."""

    query: Ints
    """(m,) the query of each row, rising."""
    candidate: Ints
    """(m,) which candidate of the pool it is."""
    score: Floats
    """(m,)"""
    rank: Ints
    """(m,) from 1 within its list."""
    length: Ints
    """(queries,) how many items each list holds."""

    @property
    def starts(self) -> Ints:
        """(queries,) the row at which each list starts."""
        return np.asarray(np.cumsum(self.length) - self.length)


@dataclass(frozen=True, slots=True)
class Pool:
    """Some queries of several runs."""

    queries: pl.Series
    """The ids of the queries."""
    items: pl.Series
    """(c,) the item of each candidate."""
    query: Ints
    """(c,) the query of each candidate, rising; within a query they stand in the order of first appearance."""
    runs: tuple[RunLists, ...]
    repeated: Bools
    """(runs,) whether a list holds an item more than once."""

    @property
    def count(self) -> Ints:
        """(queries,) how many candidates each query has."""
        return np.bincount(self.query, minlength=len(self.queries))

    @property
    def starts(self) -> Ints:
        """(queries,) the candidate at which each query starts."""
        return np.searchsorted(self.query, np.arange(len(self.queries)))


@dataclass(frozen=True, slots=True)
class Coded:
    """A run whose queries are numbers, its rows grouped by query in rising order."""

    query: Ints
    item: pl.Series
    score: Floats
    offsets: Ints
    """Where the rows of each query start, and where the last ones end."""

    def part(self, first: int, last: int) -> Coded:
        """The rows of some queries, numbered from 0."""
        start, end = int(self.offsets[first]), int(self.offsets[last])
        offsets = self.offsets[first : last + 1] - start
        return Coded(self.query[start:end] - first, self.item.slice(start, end - start), self.score[start:end], offsets)


def of_queries(table: RunTable, queries: Iterable[object], *, as_text: bool = False) -> RunTable:
    """The rows of a run that answer these queries, and which of them it was asked; compared as text on request."""

    def among(column: pl.Series) -> pl.Series:
        return (column.cast(pl.String) if as_text else column).is_in(wanted)

    wanted = list(queries)
    kept = among(table.query)
    held = None if table.queries is None else table.queries.filter(among(table.queries))
    if kept.all():
        return replace(table, queries=held)
    query, item, score = (column.filter(kept) for column in (table.query, table.item, table.score))
    return RunTable(query, item, score, table.source, scored=table.scored, queries=held)


def query_numbers(tables: Sequence[RunTable]) -> tuple[pl.Series, list[Ints]]:
    """All queries once, in the order in which the runs name them, and the number of each row's query, per run."""
    number: dict[object, int] = {}
    of_rows: list[Ints] = []
    for table in tables:
        for query in () if table.queries is None else table.queries.to_list():
            number.setdefault(query, len(number))
        runs_of_equal = table.query.rle().struct.unnest()
        values, lengths = runs_of_equal["value"].to_list(), runs_of_equal["len"].to_numpy()
        codes: Ints = np.array([number.setdefault(value, len(number)) for value in values], np.int64)
        of_rows.append(np.repeat(codes, lengths))
    return pl.Series("query", list(number), dtype=tables[0].query.dtype), of_rows


def coded(table: RunTable, query: Ints, queries: int) -> Coded:
    """The run with its rows grouped by query."""
    item, score = table.item, table.score.to_numpy()
    if len(query) and (np.diff(query) < 0).any():
        order = np.argsort(_small(query, queries), kind="stable")
        query, item, score = query[order], item.gather(order), score[order]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(query, minlength=queries))])
    return Coded(query, item, score, offsets)


def _small(numbers: Ints, most: int) -> npt.NDArray[np.unsignedinteger[Any]]:
    """Numbers in two bytes where they fit, which NumPy sorts by counting."""
    return numbers.astype(np.uint16) if most < 2**16 else numbers.astype(np.uint32)


def pools(
    runs: Sequence[Coded], queries: pl.Series, definition: Fusion, names: Sequence[str], block_rows: int = BLOCK
) -> Iterator[Pool]:
    """Pools of adjacent queries, each of about a block of rows."""
    rows = np.sum([np.diff(run.offsets) for run in runs], axis=0) if len(queries) else np.empty(0, np.int64)
    block = np.cumsum(rows) // block_rows
    edges = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(queries)]
    for first, last in pairwise(edges):
        if first < last:
            parts = [run.part(first, last) for run in runs]
            yield pooled(parts, queries.slice(first, last - first), definition, names)


def pooled(parts: Sequence[Coded], queries: pl.Series, definition: Fusion, names: Sequence[str]) -> Pool:
    """Put the lists of some queries together, each in the order that the definition states."""
    code, distinct = _item_codes([part.item for part in parts])
    ordered = [
        _ordered(part, codes, distinct, definition.order_of(run), definition.ties)
        for run, (part, codes) in enumerate(zip(parts, code, strict=True))
    ]
    kept = [
        _once(*rows, distinct, queries, definition.duplicates_of(run), name) if len(rows[0]) else (*rows, False)
        for run, (rows, name) in enumerate(zip(ordered, names, strict=True))
    ]
    if definition.depth is not None:
        kept = [(*_cut(*rows[:3], definition.depth), rows[3]) for rows in kept]
    query = np.concatenate([rows[0] for rows in kept])
    key = query * max(len(distinct), 1) + np.concatenate([rows[1] for rows in kept])
    _, seen, which = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((seen, query[seen]))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    of_rows, start, lists = number[which], 0, []
    for rows in kept:
        end = start + len(rows[0])
        lists.append(_lists(rows[0], of_rows[start:end], rows[2], len(queries), definition))
        start = end
    first = seen[order]
    items = distinct.gather(np.concatenate([rows[1] for rows in kept])[first])
    repeated = np.array([rows[3] for rows in kept], np.bool_)
    return Pool(queries, items, query[first], tuple(lists), repeated)


def _item_codes(items: Sequence[pl.Series]) -> tuple[list[Ints], pl.Series]:
    """The number of each item, per run, and the items."""
    together = pl.concat([column.alias("item") for column in items], rechunk=True)
    distinct = together.unique(maintain_order=True)
    numbered = pl.DataFrame({"item": distinct, "code": np.arange(len(distinct))})
    codes = together.to_frame().join(numbered, on="item", how="left", maintain_order="left")["code"].to_numpy()
    ends = np.cumsum([len(column) for column in items])
    return np.split(codes, ends[:-1]), distinct


Rows = tuple[Ints, Ints, Floats]
"""Query, item and score of rows."""


def _ordered(part: Coded, item: Ints, distinct: pl.Series, order_of: str, ties: str) -> Rows:
    """The rows of a run with each list in its order."""
    query, score = part.query, part.score
    if order_of == "given" or len(query) < 2:
        return query, item, score
    rising = score if order_of == "rising" else -score
    by = ties if ties != "shared" else "given"
    order = order_within(query, len(part.offsets), rising, by, item, distinct)
    return (query, item, score) if order is None else (query[order], item[order], score[order])


def order_within(query: Ints, queries: int, rising: Floats, ties: str, item: Ints, distinct: pl.Series) -> Ints | None:
    """The order of rows that puts each query's by a value, ties by id or as they stand; None where they stand so.

    Rows are grouped by query already.
    """
    order: Ints | None = None
    inside = query[1:] == query[:-1]
    if (inside & (rising[1:] < rising[:-1])).any():
        by_value = np.argsort(rising, kind="stable")
        order = by_value[np.argsort(_small(query[by_value], queries), kind="stable")]
    if ties in ("given", "first"):
        return order
    ranked = rising if order is None else rising[order]
    equal = np.flatnonzero(inside & (ranked[1:] == ranked[:-1]))
    if not len(equal):
        return order
    order = np.arange(len(query)) if order is None else order
    rows = np.unique(np.concatenate([equal, equal + 1]))
    group = np.cumsum(np.concatenate([[True], ~np.isin(rows[1:] - 1, equal, assume_unique=True)]))
    members = order[rows]
    tied, of_members = np.unique(item[members], return_inverse=True)
    texts = distinct.gather(tied).cast(pl.String)
    place = texts.rank("ordinal", descending=ties == "item").to_numpy().astype(np.int64)[of_members]
    order = order.copy()
    order[rows] = members[np.lexsort((place, group))]
    return order


def _once(
    query: Ints, item: Ints, score: Floats, distinct: pl.Series, queries: pl.Series, duplicates: str, name: str
) -> tuple[Ints, Ints, Floats, bool]:
    """The rows with each item once in its list, as the definition states, and whether any stands twice still."""
    key = query * len(distinct) + item
    order = np.argsort(key, kind="stable")
    again = key[order[1:]] == key[order[:-1]]
    if not again.any():
        return query, item, score, False
    if duplicates == "error":
        rows = order[1:][again]
        pairs = [{"item": str(distinct[int(item[row])]), "query": str(queries[int(query[row])])} for row in rows[:50]]
        raise RepeatedItemError.of("inputs.returned_twice", source=name,
                                   pairs=examples(pairs, kind="general.item_in_query"))  # fmt: skip
    if duplicates == "counted":
        return query, item, score, True
    keep = np.zeros(len(key), np.bool_)
    first = np.concatenate([[True], ~again])
    keep[order[first]] = True
    if duplicates in ("last", "best"):  # stands where it first stood, with another score
        starts = np.flatnonzero(first)
        ends = np.concatenate([starts[1:], [len(order)]]) - 1
        best = np.maximum.reduceat(score[order], starts)
        score = score.copy()
        score[order[starts]] = best if duplicates == "best" else score[order[ends]]
    return query[keep], item[keep], score[keep], False


def _cut(query: Ints, item: Ints, score: Floats, depth: int) -> Rows:
    """The first rows of each list."""
    kept = places(query) < depth
    return query[kept], item[kept], score[kept]


def places(query: Ints) -> Ints:
    """The place of each row within its query, from 0; rows are grouped by query."""
    starts = np.flatnonzero(np.concatenate([[True], query[1:] != query[:-1]])) if len(query) else np.empty(0, np.int64)
    lengths = np.diff(np.concatenate([starts, [len(query)]]))
    return np.asarray(np.arange(len(query)) - np.repeat(starts, lengths))


def _lists(query: Ints, candidate: Ints, score: Floats, queries: int, definition: Fusion) -> RunLists:
    rank = places(query) + 1
    if definition.ties == "shared" and len(query):
        new = np.concatenate([[True], (query[1:] != query[:-1]) | (score[1:] != score[:-1])])
        rank = rank[np.maximum.accumulate(np.where(new, np.arange(len(query)), 0))]
    return RunLists(query, candidate, score, rank, np.bincount(query, minlength=queries))


def alike_ids(tables: Sequence[RunTable]) -> tuple[list[RunTable], list[str]]:
    """The runs with ids of one type, as text where some have numbers and some text; and which ids had to change."""
    changed: list[str] = []
    tables = list(tables)
    for column in ("query", "item"):
        types = {getattr(table, column).dtype for table in tables if len(table.query)}
        types = types or {getattr(table, column).dtype for table in tables}
        if len(types) > 1:
            to = pl.String if pl.String in types else pl.Int64
            changed.append(column)
        else:
            to = next(iter(types))
        for at, table in enumerate(tables):
            if getattr(table, column).dtype != to:
                named: Mapping[str, pl.Series] = {column: getattr(table, column).cast(to)}
                if column == "query" and table.queries is not None:
                    named = {**named, "queries": table.queries.cast(to)}
                tables[at] = replace(table, **named)  # type: ignore[arg-type]
    return tables, changed


def check_same_queries(queries: pl.Series, tables: Sequence[RunTable], coded_runs: Sequence[Ints],
                       names: Sequence[str]) -> None:  # fmt: skip
    """Refuse runs that were asked different queries."""
    held = []
    for table, codes in zip(tables, coded_runs, strict=True):
        has = np.zeros(len(queries), np.bool_)
        has[codes] = True
        if table.queries is not None:
            has |= queries.is_in(table.queries.to_list()).to_numpy()
        held.append(has)
    lacking = [(name, ~has) for name, has in zip(names, held, strict=True) if not has.all()]
    if lacking:
        name, lacks = max(lacking, key=lambda pair: int(pair[1].sum()))
        raise InputError.of(
            "fusion.other_queries", name=name, count=int(lacks.sum()), total=len(queries),
            queries=examples(queries.filter(pl.Series(lacks)).to_list(), shown=3),
        )  # fmt: skip
