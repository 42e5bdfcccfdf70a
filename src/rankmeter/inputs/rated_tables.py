"""Tables of ratings in which some cells are blank on purpose: what Quepid exports, and what the judging page does.

Quepid's are the ratings of a case, its results with their ratings, snapshots, and books of judges.
"""

from __future__ import annotations

import math

from rankmeter.errors import InputError, RepeatedItemError
from rankmeter.inputs.cells import number_of
from rankmeter.inputs.delimited import Delimited
from rankmeter.inputs.exports import EntryRows, ExportedTable
from rankmeter.inputs.reading import Side
from rankmeter.inputs.responses import Entry, Kind, agreed_rating
from rankmeter.wording import said

_BASIC = (["query", "docid", "rating"], ["query", "doc_id", "rating"])
_JUDGED = ["query", "item", "grade", "judge", "time", "skipped"]
"""How a table begins that was judged on the page of ``rankmeter judge``: pairs that were skipped have no grade."""
_BLANK_ENDS = (b",\n", b",\r")


def export_of(table: Delimited, name: str, side: Side) -> ExportedTable | None:
    """A table that only Quepid or the judging page writes; None for any other."""
    names = list(table.names)
    if side == "judgments" and names[: len(_JUDGED)] == _JUDGED:
        return _read_ratings(table, name, "judging page")
    if "Query Text" in names and "Doc ID" in names and ("Rating" in names or "Doc Position" in names):
        return _read_results(table, name, side)
    if side == "judgments" and names in _BASIC and any(map(table.has, _BLANK_ENDS)):
        return _read_ratings(table, name, "Quepid export")
    return None


def _read_results(table: Delimited, name: str, side: Side) -> ExportedTable:
    """Results of a case: the rated ones are judgments, all of them in the order of their positions are a run."""
    names = list(table.names)
    column = "Rating" if side == "judgments" else "Doc Position"
    if column not in names:
        raise InputError.of("responses.without_key", source=name, what="header", key=column)
    query_at, item_at, value_at = (names.index(each) for each in ("Query Text", "Doc ID", column))
    by_query: dict[str, dict[str, object]] = {}
    for line, row in table.records():
        listed = by_query.setdefault(row[query_at], {})
        item, value = row[item_at], row[value_at]
        if not item or (side == "judgments" and not value):  # a query without results, a result that nobody rated
            continue
        if item in listed:
            raise RepeatedItemError.of("inputs.returned_twice", source=f"{name}:{line}", pairs=item)
        listed[item] = number_of(value)
    if side == "judgments":
        entries = [Entry(query, list(listed), list(listed.values())) for query, listed in by_query.items()]
    else:
        ranked = {query: sorted(listed.items(), key=_place) for query, listed in by_query.items()}
        entries = [Entry(query, [item for item, _ in listed]) for query, listed in ranked.items()]
    return ExportedTable(
        Kind("Quepid export", side, "Query Text", "Doc ID", column), EntryRows(entries), name, "Query Text"
    )


def _place(listed: tuple[str, object]) -> float:
    position = listed[1]
    return float(position) if isinstance(position, (int, float)) else math.inf


def _read_ratings(table: Delimited, name: str, kind: str) -> ExportedTable:
    """Ratings in which a query without any has a row of its own, and so has a pair that nobody rated."""
    by_query: dict[str, list[tuple[object, object]]] = {}
    unrated = 0
    for _, (query, item, grade, *_) in table.records():
        listed = by_query.setdefault(query, [])
        if grade:
            listed.append((item or None, number_of(grade)))
        unrated += bool(item) and not grade
    entries = [
        Entry(query, [item for item, _ in listed], [grade for _, grade in listed]) for query, listed in by_query.items()
    ]
    names = list(table.names)
    notes = {"unrated": said("unrated_rows", source=name, count=unrated)} if unrated else {}
    return ExportedTable(
        Kind(kind, "judgments", "query", names[1], names[2]), EntryRows(entries), name, "query",
        unused=names[3:], notes=notes,
    )  # fmt: skip


def read_book(table: Delimited, name: str, side: Side) -> ExportedTable:
    """A book: a column of grades for each judge, of which one grade is made as Quepid makes it."""
    judges = list(table.names[2:])
    if side != "judgments" or list(table.names[:2]) != ["query", "docid"] or not judges:
        raise InputError.of("responses.not_a_book", source=name, found=", ".join(table.names))
    by_query: dict[str, dict[object, object]] = {}
    for line, (query, item, *cells) in table.records():
        grades: list[float] = []
        for judge, cell in zip(judges, cells, strict=True):
            grade = number_of(cell or None)
            if isinstance(grade, str):
                raise InputError.of("responses.not_a_grade", source=f"{name}:{line}", judge=judge, grade=cell)
            grades += [] if grade is None else [float(grade)]  # type: ignore[arg-type]
        listed = by_query.setdefault(query, {})
        if item in listed:
            raise RepeatedItemError.of("inputs.returned_twice", source=f"{name}:{line}", pairs=item)
        if grades:
            listed[item] = agreed_rating(grades)
    entries = [Entry(query, list(listed), list(listed.values())) for query, listed in by_query.items()]
    kind = Kind("Quepid book", "judgments", "query", "docid", "+".join(judges))
    return ExportedTable(kind, EntryRows(entries), name, "query")
