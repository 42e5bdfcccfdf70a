"""A run of any size as a stream of blocks, each holding whole queries, from one file or many.

Parts arrive as they are stored (row groups, blocks of text); the last query of a part may go on in the next one, even
in the next file, so it is held back until another query begins. A query that comes back later is noticed when
it is placed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from rankmeter.errors import EmptyInputError
from rankmeter.inputs.files import Rows, RunPart, iter_parts, iter_plain_parts
from rankmeter.inputs.plain_trec import PlainRows
from rankmeter.inputs.progress import Listener, Progress
from rankmeter.inputs.reading import ReadLog
from rankmeter.inputs.shards import Files, check_alike, joined_runs
from rankmeter.inputs.sources import RunFile
from rankmeter.inputs.tables import RunTable
from rankmeter.inputs.trec import BLOCK_BYTES
from rankmeter.late import pl


def open_run(
    data: Files,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Listener | None = None,
) -> RunFile | RunTable:
    """A run in files, to be read while it is placed; what can be read only once (a pipe) is read at once."""
    if all(Path(path).is_file() for path in data.paths):
        # A partial, unlike a function made here, can be pickled with the comparison that it is part of.
        log = ReadLog(data.source)
        again = partial(stream_run, data, format=format, columns=columns, progress=progress, log=log)
        plain = None
        if len(data.paths) == 1 and not columns:
            plain = partial(stream_plain_run, data.paths[0], format=format, progress=progress, log=log)
        return RunFile(again, data.source, plain, log)
    return joined_runs(list(stream_run(data, format=format, columns=columns, progress=progress)))


def stream_plain_run(path: str, *, format: str | None, progress: Listener | None, log: ReadLog) -> Iterator[PlainRows]:
    """The rows of one plain TREC file as they stand in it; raises NotPlainError where it is none."""
    parts = _logged(iter_plain_parts(path, format=format), path, log)
    log.begin()
    yield from _reported(parts, progress) if progress else (part.table for part in parts)
    log.end()


def stream_run(
    data: Files,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Listener | None = None,
    log: ReadLog | None = None,
    block_bytes: int = BLOCK_BYTES,
) -> Iterator[RunTable]:
    """Read a run from several files, one after another, as tables of whole queries.

    Parameters
    ----------
    data
        Files in any format, not necessarily the same one.
    format, columns, block_bytes
        As for `rankmeter.inputs.files.iter_run`.
    progress
        Called with a `Progress` after each block.
    log
        Is told how the files were read, and notices where one changes between two readings.

    Yields
    ------
    RunTable
        In the order of the files. Rows of one query that are adjacent, also across two files, are in one table.
    """
    log = log or ReadLog()
    log.begin()
    parts = _all_parts(data, format, columns, block_bytes, log)
    yield from whole_queries(_reported(parts, progress) if progress else (part.table for part in parts))
    log.end()


def whole_queries(tables: Iterable[RunTable]) -> Iterator[RunTable]:
    """Cut a stream of tables anew, so that adjacent rows of one query are in one table."""
    held: list[RunTable] = []  # rows of one query, the last one seen
    for table in tables:
        if held:
            check_alike(held[0], table)
        if table.queries is not None:  # it was read as a whole, and knows of queries without a row
            if held:
                yield joined_runs(held)
            held = []
            yield table
            continue
        start = _last_stretch(table.query)
        goes_on = bool(held) and table.query[0] == held[0].query[0]
        if start == 0 and goes_on:
            held.append(table)
            continue
        if start == 0:
            if held:
                yield joined_runs(held)
        else:
            yield joined_runs([*held, _rows(table, 0, start)])
        held = [_rows(table, start, len(table.query))]
    if held:
        yield joined_runs(held)


def _last_stretch(query: pl.Series) -> int:
    """Where the rows of the last query begin."""
    last = query[-1]
    size = 1024
    while True:  # looks back twice as far each time: most queries are short
        others = (query.tail(size) != last).arg_true()
        if len(others):
            return max(0, len(query) - size) + int(others[-1]) + 1
        if size >= len(query):
            return 0
        size *= 2


def _rows(table: RunTable, start: int, end: int) -> RunTable:
    query, item, score = (column.slice(start, end - start) for column in (table.query, table.item, table.score))
    return RunTable(query, item, score, table.source, table.scored)


def _all_parts(
    data: Files, format: str | None, columns: Mapping[str, str] | None, block_bytes: int, log: ReadLog
) -> Iterator[RunPart[RunTable]]:
    """The parts of all files; how far each one is, measured over all of them."""
    paths = data.paths
    sizes = [Path(path).stat().st_size if Path(path).is_file() else 0 for path in paths]
    total, before, rows = sum(sizes), 0, 0
    empty: list[EmptyInputError] = []
    for path, size in zip(paths, sizes, strict=True):
        read = iter_parts(path, format=format, columns=columns, block_bytes=block_bytes, rows_before=rows)
        read = _logged(read, path, log)
        with data.reading():
            for part in _not_empty(read, empty) if len(paths) > 1 else read:
                rows += len(part.table.query)
                done = None if part.fraction is None or not total else (before + part.fraction * size) / total
                yield RunPart(part.table, done)
        before += size
    if len(empty) == len(paths):
        raise empty[0]


def _logged(parts: Iterator[RunPart[Rows]], path: str, log: ReadLog) -> Iterator[RunPart[Rows]]:
    """The parts of a file, noted down; before and after them the file must be as it was."""
    log.check(path)
    for part in parts:
        log.add(part.reading or getattr(part.table, "reading", None), len(part.table.query))
        yield part
    log.check(path)


def _not_empty(parts: Iterator[RunPart[RunTable]], empty: list[EmptyInputError]) -> Iterator[RunPart[RunTable]]:
    """The parts of a file that may be empty, as partitions of a cluster are; it is told in ``empty``."""
    try:
        yield from parts
    except EmptyInputError as error:
        empty.append(error)


def _reported(parts: Iterator[RunPart[Rows]], progress: Listener) -> Iterator[Rows]:
    started, rows = time.monotonic(), 0
    for part in parts:
        rows += len(part.table.query)
        yield part.table
        # After the block was used, so that the time includes the work on it.
        progress(Progress(rows, part.fraction, time.monotonic() - started))
