"""The text of CSV and TSV files: Polars where it can be trusted, the csv module for everything unusual."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal

from rankmeter.errors import InputError, with_hint
from rankmeter.inputs.cells import LOOKED_AT, RawColumn, number_of, spells_number
from rankmeter.inputs.columns import Role
from rankmeter.inputs.frames import Origin
from rankmeter.inputs.spreadsheets import unguarded, unguarded_column
from rankmeter.late import pl


class Delimited:
    """The text of a CSV or TSV file with a header, or a later part of it.

    Parameters
    ----------
    data
        Whole rows, the first one the header unless it is given.
    separator
        A comma or a tab.
    name
        How messages call the file.
    header
        The columns, where this is a later part of the file.
    lines_before
        How many lines of the file come before these.
    """

    def __init__(
        self, data: bytes, separator: str, name: str, *, header: list[str] | None = None, lines_before: int = 0
    ) -> None:
        # Polars makes rows of blank lines; at the end of a file they are too usual to need the exact reader.
        self._data = data.rstrip(b"\r\n") if data.endswith((b"\n\n", b"\n\r\n")) else data
        self._separator = separator
        self._name = name
        self._lines_before = lines_before
        self.header_lines = 0
        if header is not None:
            self.header = header
            return
        _, self.header_lines, fields = next(self._rows())  # the file is not blank
        self.header = [column.strip() for column in fields]
        if all(spells_number(column) for column in self.header):
            raise InputError(self.no_header)

    @property
    def no_header(self) -> str:
        """What is said where the first line holds data."""
        msg = f"{self._name}:{self.header_lines}: the first line is {', '.join(self.header)}, not a header."
        return with_hint(msg, "the first line names the columns, for example query,item,score")

    def _rows(self) -> Iterator[tuple[int, int, list[str]]]:
        """Read every row that is not a blank line, with the numbers of its first and last line."""
        stream = io.TextIOWrapper(io.BytesIO(self._data), encoding="utf-8-sig", newline="")
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self._separator == "," else csv.QUOTE_NONE
        reader = csv.reader(stream, delimiter=self._separator, quoting=quoting, strict=True)
        line = 0
        try:
            for row in reader:
                first, line = line + 1, reader.line_num
                if row:
                    fields = [unguarded(field) for field in row] if self._separator == "," else row
                    yield first + self._lines_before, line, fields
        except csv.Error as error:
            begin = line + 1 + self._lines_before
            msg = f"{self._name}:{begin}: a row starts here that cannot be read as CSV: {error}."
            raise InputError(with_hint(msg, 'a quote inside a quoted field is doubled: "a ""b"" c"')) from error
        except UnicodeDecodeError as error:
            line += self._lines_before
            msg = f"{self._name} is not UTF-8 text: byte {error.object[error.start]:#04x} after line {line}."
            raise InputError(with_hint(msg, "save the file as UTF-8")) from error

    def head(self, column: str) -> list[object]:
        """The first rows of a column."""
        position = self.header.index(column)
        rows = islice(self._rows(), 1 if self.header_lines else 0, LOOKED_AT)
        return [row[position] if len(row) > position else None for _, _, row in rows]

    def read_fast(self, found: Mapping[Role, str]) -> dict[Role, RawColumn] | None:
        """Read with Polars; None where anything is unusual.

        Every column is read, needed or not, because Polars looks for surplus fields only without a projection. An
        unclosed quote can cost it the last row: an odd number of quotes is left to the csv module.
        """
        if self._separator == "," and self._data.count(b'"') % 2:
            return None
        position = {role: self.header.index(column) for role, column in found.items()}
        schema = {
            str(index): pl.Float64
            if index in [position.get(role) for role in ("score", "distance", "rank", "grade")]
            else pl.String
            for index in range(len(self.header))
        }
        try:
            frame = pl.read_csv(
                self._data,
                separator=self._separator,
                quote_char='"' if self._separator == "," else None,
                has_header=False,
                skip_lines=self.header_lines,
                schema=schema,
            )
        except (pl.exceptions.PolarsError, ValueError, TypeError):
            return None
        taken: dict[Role, pl.Series] = {role: frame.get_column(str(index)) for role, index in position.items()}
        if not len(frame) or any((taken[role] == "").any() for role in ("query", "item")):
            return None
        if b'"' in self._data and len(frame) != self._data.rstrip(b"\n").count(b"\n") + 1 - self.header_lines:
            return None  # rows over several lines: Polars is lenient where a stray quote swallows them
        if may_be_rounded(taken):
            return None
        return dict(taken) if self._separator != "," else {role: unguarded_column(one) for role, one in taken.items()}

    def read_exactly(self, found: Mapping[Role, str]) -> tuple[dict[Role, RawColumn], list[int]]:
        """Read with the csv module, and name every ragged line; also the first line of every row."""
        position = {role: self.header.index(column) for role, column in found.items()}
        rows = list(self._rows())[1 if self.header_lines else 0 :]
        lines = [first for first, _, _ in rows]
        width = len(self.header)
        ragged = [index for index, (_, _, row) in enumerate(rows) if len(row) != width]
        if ragged:
            fact = f"{len(rows[ragged[0]][2])} fields where the header has {width}"
            raise InputError(Origin(self._name, lines).blame(fact, ragged, {}))
        columns: dict[Role, RawColumn] = {}
        for role, index in position.items():
            texts: list[object] = [row[index] or None for _, _, row in rows]
            columns[role] = texts if role in ("query", "item") else list(map(number_of, texts))
        return columns, lines


def may_be_rounded(columns: Mapping[Role, pl.Series]) -> bool:
    """Whether a number was read that, if it was written as a whole number, may have been another."""
    floats = [column for column in columns.values() if column.dtype == pl.Float64]
    return any(((column.abs() >= 2**53) & column.is_finite()).any() for column in floats)
