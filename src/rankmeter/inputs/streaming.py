"""A run of any size as a stream of blocks, each holding whole queries, from one file or many."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from rankmeter.errors import EmptyInputError
from rankmeter.inputs.files import Rows, RunPart, iter_parts, iter_plain_parts
from rankmeter.inputs.plain_trec import PlainRows
from rankmeter.inputs.progress import Listener, Progress
from rankmeter.inputs.reading import ReadLog
from rankmeter.inputs.shards import Files, joined_runs, whole_queries
from rankmeter.inputs.sources import RunFile
from rankmeter.inputs.tables import RunTable
from rankmeter.inputs.trec import BLOCK_BYTES
from rankmeter.wording import said


def open_run(
    data: Files,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Listener | None = None,
) -> RunFile | RunTable:
    """A run in files, to be read while it is placed; what can be read only once (a pipe) is read at once."""
    log = ReadLog(None if data.paths == ("-",) else data.source, data.notes)  # the reader calls it <stdin>
    # A partial, unlike a function made here, can be pickled with the comparison that it is part of.
    again = partial(stream_run, data, format=format, columns=columns, progress=progress, log=log)
    if all(Path(path).is_file() for path in data.paths):
        plain = None
        if len(data.paths) == 1 and not columns:
            plain = partial(stream_plain_run, data.paths[0], format=format, progress=progress, log=log)
        return RunFile(again, data.source, plain, log)
    table = joined_runs(list(again()))
    return replace(table, reading=log.reading)


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
    """Read a run from several files, one after another, each in any format, as tables of whole queries.

    Rows of one query that are adjacent, also across two files, are in one table; a query that comes back later is in
    several. ``progress`` is called after each block; ``log`` is told how the files were read, and notices where one
    changes between two readings.
    """
    log = log or ReadLog()
    log.begin()
    parts = _all_parts(data, format, columns, block_bytes, log)
    yield from whole_queries(_reported(parts, progress) if progress else (part.table for part in parts))
    log.end()


def _all_parts(
    data: Files, format: str | None, columns: Mapping[str, str] | None, block_bytes: int, log: ReadLog
) -> Iterator[RunPart[RunTable]]:
    """The parts of all files; how far each one is, measured over all of them."""
    paths = data.paths
    sizes = [Path(path).stat().st_size if Path(path).is_file() else 0 for path in paths]
    total, before, rows = sum(sizes), 0, 0
    empty: list[EmptyInputError] = []
    orders = _RowOrder(log)
    for path, size in zip(paths, sizes, strict=True):
        read = iter_parts(path, format=format, columns=columns, block_bytes=block_bytes, rows_before=rows)
        read = _logged(read, path, log)
        with data.reading():
            for part in _not_empty(read, empty) if len(paths) > 1 else read:
                rows += len(part.table.query)
                if len(paths) > 1:
                    orders.look(part.table, path)
                done = None if part.fraction is None or not total else (before + part.fraction * size) / total
                yield RunPart(part.table, done)
        before += size
    if len(empty) == len(paths):
        raise empty[0]


class _RowOrder:
    """Says of a query in several files that nothing but their order, and that of their rows, ranks its items."""

    def __init__(self, log: ReadLog) -> None:
        self._log = log
        self._file_of: dict[object, str] | None = {}

    def look(self, table: RunTable, path: str) -> None:
        """See which queries of a file were in another one."""
        if self._file_of is None or table.reading is None or table.reading.order not in ("row order", "lists"):
            return
        for query in table.query.unique(maintain_order=True).to_list():
            if (first := self._file_of.setdefault(query, path)) != path:
                self._log.note("several files", said("order_over_files", query=query, first=first, second=path))
                self._file_of = None  # one example is enough
                return


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
