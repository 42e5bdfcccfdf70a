"""CSV and TSV files: Polars where it can be trusted, the csv module for everything unusual."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Literal

from rankmeter.errors import EmptyInputError, InputError
from rankmeter.inputs.cells import (
    EXACT_WHOLE_NUMBERS,
    LOOKED_AT,
    RawColumn,
    number_of,
    spells_number,
    unguarded,
    unguarded_column,
)
from rankmeter.inputs.checked_tables import OpenedTable, TablePart
from rankmeter.inputs.columns import IDS, ROLES, Named, Role, Side, is_usual
from rankmeter.inputs.compression import ByteSource
from rankmeter.inputs.reading import Origin, Reading
from rankmeter.late import pl, polars_faults
from rankmeter.wording import said

if TYPE_CHECKING:
    from rankmeter.inputs.formats import Separated

WHOLE_BLOCKS = 4
"""Text of up to this many blocks is read at once, which finds every wrong line before anything is said."""


class Delimited(OpenedTable):
    """An opened CSV or TSV file; ``block_bytes`` are read at a time, None for everything at once."""

    def __init__(self, source: ByteSource, form: Separated, block_bytes: int | None) -> None:
        self._source, self._form = source, form
        first = source.read(WHOLE_BLOCKS * block_bytes) if block_bytes else source.read_all()
        if not first or first.isspace():
            raise InputError.of("inputs.empty", source=source.name)
        self._is_whole, self._blocks = True, iter([first])
        if block_bytes and (rest := source.read(block_bytes)):
            self._is_whole = False
            self._blocks = _row_blocks(first + rest, source, block_bytes, quoted=form.quoted)
        self._first = _Rows(next(self._blocks), form, source.name)
        self.names = self._first.header

    def head(self, column: str) -> list[object]:
        return self._first.head(column)

    def has(self, text: bytes) -> bool:
        """Whether a text stands in the first block."""
        return text in self._first.data

    def _groups(self) -> Iterator[_Rows]:
        """The rows of each block that is not blank."""
        lines = self._first.data.count(b"\n")
        yield self._first
        for block in self._blocks:
            if not block.isspace():
                yield _Rows(block, self._form, self._source.name, header=self.names, lines_before=lines)
            lines += block.count(b"\n")

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Every row with its line, exactly as it is written."""
        return chain.from_iterable(rows.exactly() for rows in self._groups())

    def find(self, side: Side, named: Named | None, source: str, format: str) -> Reading:
        """Find the columns that are needed; a first line of data has no names of columns."""
        try:
            return super().find(side, named, source, format)
        except InputError:
            has_names = any(is_usual(role, column) for role in ROLES for column in self.names)
            if has_names or not any(map(spells_number, self.names)):
                raise
            raise self._first.no_header from None

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        """The rows, block by block."""
        has_rows = False
        for rows in self._groups():
            part = rows.part(columns, is_whole=self._is_whole)
            if len(part.raw["query"]):
                has_rows = True
                yield part
        if not has_rows:
            raise EmptyInputError.of("inputs.no_rows", source=self._source.name)


def _row_blocks(start: bytes, source: ByteSource, block_bytes: int, *, quoted: bool) -> Iterator[bytes]:
    """Cut a text between rows; a line end inside a quoted field is none, told by the number of quotes before it."""
    held = start
    while True:
        cut = _row_end(held, quoted=quoted)
        if cut:
            yield held[:cut]
            held = held[cut:]
        fresh = source.read(max(block_bytes, 0 if cut else len(held)))
        if not fresh:
            break
        held += fresh
    if held:
        yield held


def _row_end(text: bytes, *, quoted: bool) -> int:
    """Where the last whole row ends; 0 where none does."""
    cut = text.rfind(b"\n") + 1
    if not quoted or b'"' not in text:
        return cut
    while cut and text.count(b'"', 0, cut) % 2:
        cut = text.rfind(b"\n", 0, cut - 1) + 1
    return cut


class _Rows:
    """Whole rows of a CSV or TSV file, the first of them the header, unless it is known from an earlier part.

    ``lines_before`` is how many lines of the file come before these.
    """

    def __init__(
        self, data: bytes, form: Separated, name: str, *, header: Sequence[str] | None = None, lines_before: int = 0
    ) -> None:
        self.data = data
        # Polars makes rows of blank lines; at the end of a file they are too usual to need the exact reader.
        self._data = data.rstrip(b"\r\n") if data.endswith((b"\n\n", b"\n\r\n")) else data
        self._form = form
        self._name = name
        self._lines_before = lines_before
        self.header_lines = 0
        self.header: Sequence[str] = header or ()
        if header is not None:
            return
        _, self.header_lines, fields = next(self._rows())  # the file is not blank
        self.header = [column.strip() for column in fields]
        if all(spells_number(column) for column in self.header):
            raise self.no_header

    @property
    def no_header(self) -> InputError:
        """What is said where the first line holds data."""
        return InputError.of(
            "inputs.no_header", source=self._name, line=self.header_lines, fields=", ".join(self.header)
        )

    def part(self, columns: Mapping[Role, str], *, is_whole: bool) -> TablePart:
        """The rows: read fast where that can be trusted, else exactly."""
        fast = self._read_fast(columns)
        exactly = partial(self._read_exactly, columns, is_whole=is_whole)
        return exactly() if fast is None else TablePart(fast, is_whole=is_whole, exactly=exactly)

    def _rows(self) -> Iterator[tuple[int, int, list[str]]]:
        """Read every row that is not a blank line, with the numbers of its first and last line."""
        # Only a file begins with a mark of its encoding, no later part of it.
        encoding = "utf-8" if self._lines_before else "utf-8-sig"
        stream = io.TextIOWrapper(io.BytesIO(self._data), encoding=encoding, newline="")
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self._form.quoted else csv.QUOTE_NONE
        reader = csv.reader(stream, delimiter=self._form.separator, quoting=quoting, strict=True)
        line = 0
        try:
            for row in reader:
                first, line = line + 1, reader.line_num
                if row:
                    fields = [unguarded(field) for field in row] if self._form.quoted else row
                    yield first + self._lines_before, line, fields
        except csv.Error as error:
            begin = line + 1 + self._lines_before
            raise InputError.of("inputs.not_csv", source=self._name, line=begin, reason=str(error)) from error
        except UnicodeDecodeError as error:
            raise self._not_utf8() from error

    def _not_utf8(self) -> InputError:
        """Say where the first byte is that is no part of a character: the reader knows only the piece it was given."""
        try:
            self._data.decode()
        except UnicodeDecodeError as error:
            line = self._data.count(b"\n", 0, error.start) + 1 + self._lines_before
            byte = f"{self._data[error.start]:#04x}"
        return InputError.of("inputs.not_utf8", source=self._name, line=line, byte=byte)

    def head(self, column: str) -> list[object]:
        return self._head.get(column, [])

    @cached_property
    def _head(self) -> dict[str, list[object]]:
        """The first rows of every column, each row read once however many columns are looked at."""
        rows = [row for _, _, row in islice(self._rows(), 1 if self.header_lines else 0, LOOKED_AT)]
        columns: list[list[object]] = [[] for _ in self.header]
        for row in rows:
            filled = [*row[: len(columns)], *repeat(None, len(columns) - len(row))]
            for column, field in zip(columns, filled, strict=True):
                column.append(field)
        return dict(reversed(list(zip(self.header, columns, strict=True))))

    def _read_fast(self, columns: Mapping[Role, str]) -> dict[Role, RawColumn] | None:
        """Read with Polars; None where anything is unusual.

        Every column is read, needed or not, because Polars looks for surplus fields only without a projection. An
        unclosed quote can cost it the last row: an odd number of quotes is left to the csv module.
        """
        has_quotes = b'"' in self._data  # to look for one takes a tenth of counting them
        if self._form.quoted and has_quotes and self._data.count(b'"') % 2:
            return None
        if b"\n\xef\xbb\xbf" in self._data or (not self.header_lines and self._data.startswith(b"\xef\xbb\xbf")):
            return None  # Polars drops the mark where it begins to read, which is not where the file begins
        last = memoryview(self._data)[self._data.rfind(b"\n") + 1 :]
        if bytes(last).count(self._form.separator.encode()) >= len(self.header):
            return None  # Polars passes over an empty field too many at the very end of a file
        position = {role: self.header.index(column) for role, column in columns.items()}
        schema = {
            str(index): pl.Float64
            if index in [position.get(role) for role in ("score", "distance", "rank", "grade")]
            else pl.String
            for index in range(len(self.header))
        }
        try:
            frame = pl.read_csv(
                self._data,
                separator=self._form.separator,
                quote_char='"' if self._form.quoted else None,
                has_header=False,
                skip_lines=self.header_lines,
                schema=schema,
            )
        except polars_faults():
            return None
        taken: dict[Role, pl.Series] = {role: frame.get_column(str(index)) for role, index in position.items()}
        if not len(frame) or any((taken[role] == "").any() for role in IDS if role in taken):
            return None
        if has_quotes and len(frame) != self._data.rstrip(b"\n").count(b"\n") + 1 - self.header_lines:
            return None  # rows over several lines: Polars is lenient where a stray quote swallows them
        if may_be_rounded(taken):
            return None
        if self._form.quoted:
            taken = {role: unguarded_column(column) for role, column in taken.items()}
        return dict(taken)

    def exactly(self) -> list[tuple[int, list[str]]]:
        """Every row with the line it begins on; all must have as many fields as the header."""
        rows = [(first, row) for first, _, row in list(self._rows())[1 if self.header_lines else 0 :]]
        width = len(self.header)
        ragged = [index for index, (_, row) in enumerate(rows) if len(row) != width]
        if ragged:
            fact = said("inputs.ragged", count=len(rows[ragged[0]][1]), width=width)
            raise Origin(self._name, [line for line, _ in rows]).blame(fact, ragged, {})
        return rows

    def _read_exactly(self, roles: Mapping[Role, str], *, is_whole: bool) -> TablePart:
        """Read with the csv module, which knows the first line of every row."""
        position = {role: self.header.index(column) for role, column in roles.items()}
        rows = self.exactly()
        lines = [line for line, _ in rows]
        columns: dict[Role, RawColumn] = {}
        for role, index in position.items():
            texts: list[object] = [row[index] or None for _, row in rows]
            columns[role] = texts if role in ("query", "item") else list(map(number_of, texts))
        unread = "" if is_whole or not lines else said("inputs.lines_unread", line=lines[-1])
        return TablePart(columns, lines, is_whole=is_whole, unread=unread)


def may_be_rounded(columns: Mapping[Role, pl.Series]) -> bool:
    """Whether a number was read that, if it was written as a whole number, may have been another."""
    floats = [column for column in columns.values() if column.dtype == pl.Float64]
    return any((column.abs() >= EXACT_WHOLE_NUMBERS).any() for column in floats)
