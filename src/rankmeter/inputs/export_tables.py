"""What another tool wrote, query by query, opened as a table: the results or the judgments of each query.

A response of an engine, a record of a pipeline and a table of ratings become the same: entries, one for each query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import LOOKED_AT, RawColumn, number_of
from rankmeter.inputs.checked_tables import OpenedTable, TablePart
from rankmeter.inputs.columns import RANKING, VALUE_OF, Named, Role, Side, say_columns
from rankmeter.inputs.ids import is_id_type
from rankmeter.inputs.reading import GroupedQueries, Reading
from rankmeter.late import pl
from rankmeter.wording import said

_PACKED_ROWS = 1 << 16
"""So many values of a column are kept as Python objects before they are packed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a document says of one query."""

    query: object | None
    """None where the document does not say whose results these are."""
    items: list[object]
    values: list[object] | None = None
    """The score or the grade of each item; None where the order, or being listed, says all."""
    item_from: str = ""
    """The key under which the items stand, where the shape alone does not say so."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What some file is, and which of its keys became what."""

    name: str
    """How people call it."""
    side: Side
    query: str
    """Empty where each document says so itself, or nothing in it does."""
    item: str
    value: str = ""
    """What became the grade or the score."""


class EntryRows:
    """The items of many queries one after the other, in as little memory as they take."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.queries: list[object | None] = []
        self._sizes: list[int] = []
        self._items, self._values = _Packed(), _Packed()
        self.has_values = True
        self.item_from = ""
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """The items of one more query."""
        self.queries.append(entry.query)
        self._sizes.append(len(entry.items))
        self._items.extend(entry.items)
        self.has_values = self.has_values and (entry.values is not None or not entry.items)
        self._values.extend(entry.values or [] if self.has_values else [])
        self.item_from = self.item_from or entry.item_from

    def columns(self, value: Role) -> dict[Role, RawColumn]:
        """Every row."""
        numbers = {value: self._values.column()} if self.has_values else {}
        return {"query": GroupedQueries(self.queries, self._sizes), "item": self._items.column(), **numbers}


class _Packed:
    """A column that grows: Python objects, packed as soon as they are many and all of one plain type."""

    def __init__(self) -> None:
        self._last: list[object] = []
        self._parts: list[RawColumn] = []

    def extend(self, values: Iterable[object]) -> None:
        self._last.extend(values)
        if len(self._last) >= _PACKED_ROWS:
            self._parts.append(self._packed())
            self._last = []

    def _packed(self) -> RawColumn:
        kinds = set(map(type, self._last))
        types: Mapping[type, type[pl.DataType]] = {str: pl.String, int: pl.Int64, float: pl.Float64}
        dtype = types.get(kinds.pop()) if len(kinds) == 1 else None
        try:
            return self._last if dtype is None else pl.Series(self._last, dtype=dtype)
        except (TypeError, ValueError, OverflowError):  # beyond 64 bits, or half a character
            return self._last

    def column(self) -> RawColumn:
        """All of it: packed where every part is of the same type, else objects as they were given."""
        parts = [*self._parts, self._packed()] if self._parts and self._last else self._parts or [self._last]
        series = [part for part in parts if isinstance(part, pl.Series)]
        if len(series) == len(parts) and len({part.dtype for part in series}) == 1:
            return pl.concat(series)
        return [value for part in parts for value in part]


class ExportedTable(OpenedTable):
    """The results or the judgments of some queries, taken from what a tool wrote.

    ``query_from`` is the key, or the file, in which the ids of the queries were found. ``taken`` are the fields that
    the caller named and the reader followed, by role; one that ranks the items is among the values of the rows.
    """

    def __init__(
        self,
        kind: Kind,
        rows: EntryRows,
        name: str,
        query_from: str,
        *,
        unused: Sequence[str] = (),
        notes: Mapping[str, str] | None = None,
        taken: Mapping[Role, str] | None = None,
    ) -> None:
        self._name, self._query, self._kind, self._rows = name, query_from, kind, rows
        self._unused, self._notes, self._taken = unused, notes or {}, taken or {}
        seen: set[str] = set()  # ids are compared as text: 7 and "7" are one query
        for query in rows.queries:
            if str(check_id(query, name)) in seen:
                raise InputError.of("inputs.query_twice", source=name, query=query)
            seen.add(str(query))
        self._value = next((role for role in RANKING if role in self._taken), VALUE_OF[kind.side])
        self.names: Sequence[str] = ["query", "item", *([self._value] if rows.has_values else [])]

    @property
    def queries(self) -> Sequence[object | None]:
        """The queries, one for each entry."""
        return self._rows.queries

    def head(self, column: str) -> RawColumn:
        return self._columns[cast(Role, column)][:LOOKED_AT]

    def find(self, side: Side, named: Named | None, source: str, format: str) -> Reading:
        """A list stands in the order in which it was returned, unless the caller named what ranks it."""
        rest = {role: role if role in self._taken else column for role, column in (named or {}).items()}
        try:
            reading = super().find(side, rest, source, format)
        except InputError as error:
            raise self._without_columns(error) from None
        found, order = reading.columns, reading.order
        self._roles = cast("list[Role]", list(found))
        keys: dict[str, str] = {
            "query": self._query,
            "item": self._rows.item_from or self._kind.item,
            "grade": self._kind.value,
            **dict(self._taken.items()),
        }
        return replace(
            reading,
            columns={role: keys.get(role) or column for role, column in found.items()},
            order="lists" if order == "row order" else order,
            export=self._kind.name,
            unused=tuple(self._unused),
            notes=self._notes,
        )

    def _without_columns(self, error: InputError) -> InputError:
        """What to say where a column was named: it is one of the other side, or of a part that is not read here."""
        values = error.problem.values
        if error.problem.kind != "inputs.no_such_column":
            return error
        other = "run" if self._kind.side == "judgments" else "judgments"
        say = say_columns(f"{other}.{values['role']}", values["column"])
        return InputError.of("inputs.export_columns", source=self._name, shape=self._kind.name, say=say, **{
            name: values[name] for name in ("role", "column")})  # fmt: skip

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:  # noqa: ARG002 (they were found here)
        yield TablePart({role: self._columns[role] for role in self._roles})

    @cached_property
    def _columns(self) -> dict[Role, RawColumn]:
        columns = self._rows.columns(self._value)
        check_flat(columns["item"], self._name)
        return columns


def check_id(value: object, where: str) -> object:
    """An id as JSON may write it: text or a whole number."""
    if not is_id_type(type(value)):
        raise InputError.of("inputs.id_of_kind", source=where, value=str(value)[:80])
    return value


def check_flat(items: RawColumn, where: str) -> None:
    """Refuse a list where an id is expected: it is not a list of further ids."""
    nested = {list, tuple}
    if not isinstance(items, pl.Series) and not nested.isdisjoint(map(type, items)):
        check_id(next(item for item in items if type(item) in nested), where)


def rated_rows(
    records: Iterable[tuple[int, Sequence[str]]], names: Sequence[str], name: str, kind: str
) -> ExportedTable:
    """Rows of query, item and grade; a query without any has a row of its own, and so has a pair that nobody rated.

    ``records`` are the rows with their lines, ``names`` the header.
    """
    entries: dict[str, Entry] = {}
    unrated = 0
    for _, (query, item, grade, *_) in records:
        entry = entries.setdefault(query, Entry(query, [], []))
        if grade:
            entry.items.append(item or None)
            cast("list[object]", entry.values).append(number_of(grade))
        unrated += bool(item) and not grade
    notes = {"unrated": said("unrated_rows", source=name, count=unrated)} if unrated else {}
    made = Kind(kind, "judgments", "query", names[1], names[2])
    return ExportedTable(made, EntryRows(entries.values()), name, "query", unused=names[3:], notes=notes)
