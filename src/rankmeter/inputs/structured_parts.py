"""A run in a file with named columns, read part by part: row groups of Parquet and Arrow IPC, blocks of CSV and TSV.

A part may end in the middle of a query. Ranks by the order of rows (neither score nor rank is given) are counted over
the whole file, so that parts can be put together in any way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from rankmeter.errors import EmptyInputError, InputError
from rankmeter.inputs import structured
from rankmeter.inputs.cells import RawColumn
from rankmeter.inputs.columns import RANKING, Role
from rankmeter.inputs.compression import ByteSource
from rankmeter.inputs.delimited import Delimited
from rankmeter.inputs.frames import Origin, run_table
from rankmeter.inputs.reading import Reading, read_as
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl, polars_faults

ROWS_AT_ONCE = 1_000_000
"""Rows of Parquet or Arrow IPC in one part."""
WHOLE_BLOCKS = 4
"""Delimited text of up to so many blocks is read at once, which finds every wrong line before anything is said."""


def iter_run(
    source: ByteSource, kind: str, columns: Mapping[str, str] | None, block_bytes: int, rows_before: int = 0
) -> Iterator[tuple[RunTable, float | None]]:
    """Read a run part by part, and with each part the fraction of the file read, where the source cannot tell it.

    ``rows_before`` is how many rows of the run were in other files.
    """
    if kind in ("parquet", "ipc"):
        yield from _binary_parts(source.content(), kind, source.name, columns, rows_before)
    elif kind in ("csv", "tsv"):
        yield from _delimited_parts(source, kind, columns, block_bytes, rows_before)
    else:
        yield structured.read_run(source.content(), format=kind, name=source.name, columns=columns), 1.0


def _binary_parts(
    content: bytes | Path, kind: str, name: str, columns: Mapping[str, str] | None, rows_before: int
) -> Iterator[tuple[RunTable, float]]:
    lazy, reading = structured.open_binary(content, kind, name, structured.partial_find("run", columns, name, kind))
    try:
        total = lazy.select(pl.len()).collect().item()
        batches = (
            lazy.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True, engine="streaming")
            if hasattr(lazy, "collect_batches")  # Polars 1.34 and later
            else iter([lazy.collect()])
        )
        rows = 0
        for batch in batches:
            if batch.height:
                raw: dict[Role, RawColumn] = {r: batch.get_column(column) for r, column in reading.roles.items()}
                origin = Origin(name, first_row=rows, reading=reading)
                yield _checked(_ranked(raw, rows_before + rows), origin, total), (rows + batch.height) / total
                rows += batch.height
    except InputError:
        raise
    except polars_faults() as error:
        structured.raise_corrupt(name, kind, error)
    if rows != total:  # a panic in a thread of Polars ends the batches without a word
        structured.raise_corrupt(name, kind, ValueError(f"it announces {total:,} rows and holds {rows:,}"))
    if not rows:
        raise EmptyInputError(f"{name} is empty: it has no rows.")


def _checked(raw: dict[Role, RawColumn], origin: Origin, total: int) -> RunTable:
    """A part of a table; where it is wrong, say how much of the file has been looked at."""
    end = origin.first_row + len(raw["query"])
    try:
        return run_table(raw, origin)
    except InputError as error:
        if end == total:
            raise
        raise InputError(f"{error} The {total - end:,} rows after row {end - 1:,} were not looked at.") from None


def _ranked(raw: dict[Role, RawColumn], before: int) -> dict[Role, RawColumn]:
    """The columns, with the number of the row as rank where nothing else orders them."""
    if any(role in raw for role in RANKING):
        return raw
    return {**raw, "rank": pl.int_range(before + 1, before + len(raw["query"]) + 1, eager=True)}


def _delimited_parts(
    source: ByteSource, kind: str, columns: Mapping[str, str] | None, block_bytes: int, rows_before: int
) -> Iterator[tuple[RunTable, None]]:
    separator = "," if kind == "csv" else "\t"
    first = source.read(WHOLE_BLOCKS * block_bytes)
    rest = source.read(block_bytes)
    if not rest and not rows_before:
        yield structured.read_run(first, format=kind, name=source.name, columns=columns), None
        return
    header: list[str] | None = None
    reading = Reading(source.name)
    lines = rows = 0
    for block in _row_blocks(first + rest, source, block_bytes, quoted=kind == "csv"):
        if block.isspace():
            lines += block.count(b"\n")
            continue
        text = Delimited(block, separator, source.name, header=header, lines_before=lines)
        if header is None:
            header = text.header
            reading = read_as("run", header, text.head, columns, source.name, kind)
        table = _delimited_table(text, reading, rows_before + rows)
        lines += block.count(b"\n")
        if table is not None:
            rows += len(table.query)
            yield table, None
    if not rows:
        raise EmptyInputError(f"{source.name} is empty: it has no rows.")


def _delimited_table(text: Delimited, reading: Reading, before: int) -> RunTable | None:
    """The rows of a block; None for a header alone."""
    fast = text.read_fast(reading.roles)
    if fast is not None:
        try:
            return run_table(_ranked(fast, before), Origin(reading.source, reading=reading))
        except InputError:
            pass  # said again below, with line numbers
    exact, lines = text.read_exactly(reading.roles)
    if not lines:
        return None
    try:
        return run_table(_ranked(exact, before), Origin(reading.source, lines, reading=reading))
    except InputError as error:
        raise InputError(f"{error} The lines after line {lines[-1]:,} were not looked at.") from None


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
