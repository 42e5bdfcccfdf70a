"""What Quepid exports as CSV: the ratings of a case, its results with their ratings, snapshots, and books of judges.

Cells are blank on purpose: a query without results has a row, and so has a pair that nobody rated.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from rankmeter.errors import InputError, RepeatedItemError
from rankmeter.inputs.cells import number_of
from rankmeter.inputs.columns import Side
from rankmeter.inputs.compression import ByteSource
from rankmeter.inputs.delimited import Delimited
from rankmeter.inputs.export_tables import Entry, EntryRows, ExportedTable, Kind, rated_rows
from rankmeter.inputs.formats import SEPARATED
from rankmeter.wings.engines.rated_sets import agreed_rating

_BASIC = (["query", "docid", "rating"], ["query", "doc_id", "rating"])
_BLANK_ENDS = (b",\n", b",\r")


def table_of(table: Delimited, name: str, side: Side) -> ExportedTable | None:
    """A table that only Quepid writes; None for any other."""
    names = list(table.names)
    if "Query Text" in names and "Doc ID" in names and ("Rating" in names or "Doc Position" in names):
        return _read_results(table, name, side)
    if side == "judgments" and names in _BASIC and any(map(table.has, _BLANK_ENDS)):
        return rated_rows(table.records(), names, name, "Quepid export")
    return None


def _read_results(table: Delimited, name: str, side: Side) -> ExportedTable:
    """Results of a case: the rated ones are judgments, all of them in the order of their positions are a run."""
    names = list(table.names)
    column = "Rating" if side == "judgments" else "Doc Position"
    if column not in names:
        raise InputError.of("engines.without_key", source=name, what="header", key=column)
    query_at, item_at, value_at = (names.index(each) for each in ("Query Text", "Doc ID", column))
    by_query: dict[str, dict[str, object]] = {}
    for line, row in table.records():
        listed = by_query.setdefault(row[query_at], {})
        item, value = row[item_at], row[value_at]
        if not item or (side == "judgments" and not value):  # a query without results, a result that nobody rated
            continue
        _refuse_repeated(item, listed, f"{name}:{line}")
        listed[item] = number_of(value)
    entries = _entries(by_query)
    if side == "run":
        entries = [
            Entry(query, [item for item, _ in sorted(listed.items(), key=_place)]) for query, listed in by_query.items()
        ]
    return ExportedTable(
        Kind("Quepid export", side, "Query Text", "Doc ID", column), EntryRows(entries), name, "Query Text"
    )


def _place(listed: tuple[str, object]) -> float:
    return float(listed[1]) if isinstance(listed[1], (int, float)) else math.inf


def _entries(by_query: Mapping[str, Mapping[Any, object]]) -> list[Entry]:
    return [Entry(query, list(listed), list(listed.values())) for query, listed in by_query.items()]


def _refuse_repeated(item: object, listed: Collection[object], source: str) -> None:
    if item in listed:
        raise RepeatedItemError.of("inputs.returned_twice", source=source, pairs=item)


def open_table(source: ByteSource, side: Side) -> ExportedTable:
    """A book: a column of grades for each judge, of which one grade is made as Quepid makes it."""
    table, name = Delimited(source, SEPARATED["csv"], None), source.name
    judges = list(table.names[2:])
    if side != "judgments" or list(table.names[:2]) != ["query", "docid"] or not judges:
        raise InputError.of("engines.not_a_book", source=name, found=", ".join(table.names))
    by_query: dict[str, dict[str, object]] = {}
    for line, (query, item, *cells) in table.records():
        grades: list[float] = []
        for judge, cell in zip(judges, cells, strict=True):
            grade = number_of(cell or None)
            if isinstance(grade, str):
                raise InputError.of("engines.not_a_grade", source=f"{name}:{line}", judge=judge, grade=cell)
            grades += [] if grade is None else [float(grade)]  # type: ignore[arg-type]
        listed = by_query.setdefault(query, {})
        _refuse_repeated(item, listed, f"{name}:{line}")
        if grades:
            listed[item] = agreed_rating(grades)
    kind = Kind("Quepid book", "judgments", "query", "docid", "+".join(judges))
    return ExportedTable(kind, EntryRows(_entries(by_query)), name, "query")
