"""A run of any size as a stream of blocks, each holding whole queries, from one file or many.

A run whose queries are scattered over the stream is brought together, in memory while it is small (`FRAME_BYTES`): else
its rows are dealt to partitions by a hash of their query and written to temporary files; each partition then holds
whole queries and is small enough to be read at once. Rows keep their order, which tie rules may ask for.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from rankmeter.errors import EmptyInputError, InputError, reason_of
from rankmeter.inputs.columns import Named
from rankmeter.inputs.files import Rows, RunPart, iter_parts, iter_plain_parts
from rankmeter.inputs.plain_trec import PlainRows
from rankmeter.inputs.reading import Listener, Progress, ReadLog
from rankmeter.inputs.shards import Files
from rankmeter.inputs.tables import RunFile, RunTable, check_alike, joined_runs, whole_queries
from rankmeter.inputs.trec import BLOCK_BYTES
from rankmeter.late import pl
from rankmeter.wording import said


def open_run(
    data: Files, *, format: str | None = None, columns: Named | None = None, progress: Listener | None = None
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
    log.begin()
    yield from _reported(_noted_down(iter_plain_parts(path, format=format), path, log), progress)
    log.end()


def stream_run(
    data: Files,
    *,
    format: str | None = None,
    columns: Named | None = None,
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
    yield from whole_queries(_reported(parts, progress))
    log.end()


def _all_parts(
    data: Files, format: str | None, columns: Named | None, block_bytes: int, log: ReadLog
) -> Iterator[RunPart[RunTable]]:
    """The parts of all files; how far each one is, measured over all of them."""
    paths = data.paths
    sizes = [Path(path).stat().st_size if Path(path).is_file() else 0 for path in paths]
    total, before, rows = sum(sizes), 0, 0
    empty: list[EmptyInputError] = []
    orders = _RowOrder(log)
    for path, size in zip(paths, sizes, strict=True):
        read = iter_parts(path, format=format, columns=columns, block_bytes=block_bytes, rows_before=rows)
        with data.reading():
            try:
                for part in _noted_down(read, path, log):
                    rows += len(part.table.query)
                    if len(paths) > 1:
                        orders.look(part.table, path)
                    done = None if part.fraction is None or not total else (before + part.fraction * size) / total
                    yield RunPart(part.table, done)
            except EmptyInputError as error:  # as partitions of a cluster may be, unless all are
                if len(paths) == 1:
                    raise
                empty.append(error)
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


def _noted_down(parts: Iterator[RunPart[Rows]], path: str, log: ReadLog) -> Iterator[RunPart[Rows]]:
    """The parts of a file, noted down; before and after them the file must be as it was."""
    log.check(path)
    for part in parts:
        log.add(part.reading, len(part.table.query))
        yield part
    log.check(path)


def _reported(parts: Iterator[RunPart[Rows]], progress: Listener | None) -> Iterator[Rows]:
    started, rows = time.monotonic(), 0
    for part in parts:
        rows += len(part.table.query)
        yield part.table
        if progress is not None:  # after the block was used, so that the time includes the work on it
            progress(Progress(rows, part.fraction, time.monotonic() - started))


FRAME_BYTES = 1 << 28
"""Up to this size of its columns a run in no order is read into memory as a whole, as a frame would be."""
IN_MEMORY_BYTES = 1 << 27
"""So much of a larger one is held at a time; placing takes a few times as much."""
PARTITIONS = 64
"""So that a run of 8 GB of columns comes in partitions of `IN_MEMORY_BYTES`."""


SAMPLE_ROWS = 10_000
"""How many rows of a run tell whether its queries come in stretches."""


def are_scattered(block: RunTable) -> bool:
    """Whether a query comes back among the first rows: the rest of the run will not stand grouped either."""
    values = block.query.head(SAMPLE_ROWS).rle().struct.field("value")
    return values.n_unique() < len(values)


@contextmanager
def regrouped(blocks: Iterable[RunTable], *, in_memory_bytes: int | None = None) -> Iterator[Iterator[RunTable]]:
    """Give a run again as blocks of whole queries, however its rows are scattered.

    One table where the run is small, else one for each partition, read when it is asked for; `IN_MEMORY_BYTES` are held
    at a time by default. Temporary files are gone afterwards, whatever happens. ``TMPDIR`` says where they lie.
    """
    limit = max(FRAME_BYTES, IN_MEMORY_BYTES) if in_memory_bytes is None else in_memory_bytes
    held: list[RunTable] = []
    size = 0
    listless: list[pl.Series] = []  # queries that a block holds without a row
    with tempfile.TemporaryDirectory(prefix="rankmeter-") as folder:
        spilled: list[Path] = []
        for block in blocks:
            if held:
                check_alike(held[0], block)
            held.append(block)
            size += _bytes_held(block)
            if size > limit:
                spilled.append(spill(_frame(held), Path(folder) / f"{len(spilled):05}", block.source))
                listless += [_listless(table) for table in held if table.queries is not None]
                held, size = [none_of(block)], 0
        if not spilled:
            whole = joined_runs(held)
            held.clear()
            yield iter([whole])
            return
        if any(len(block.query) for block in held):
            spilled.append(spill(_frame(held), Path(folder) / f"{len(spilled):05}", held[0].source))
        listless += [_listless(table) for table in held if table.queries is not None]
        like = none_of(held[0])
        del held
        yield _with_listless(partitions(spilled), like, listless)


def _with_listless(frames: Iterator[pl.DataFrame], like: RunTable, listless: list[pl.Series]) -> Iterator[RunTable]:
    """The partitions as tables, and at the end the queries that have a row in none of them."""
    left = pl.concat([like.query, *listless]).unique(maintain_order=True)
    for frame in frames:
        left = left.filter(~left.is_in(frame["query"].unique().implode()))
        yield replace(like, query=frame["query"], item=frame["item"], ordering=frame["score"])
    if len(left):
        yield replace(like, queries=left)


def _listless(table: RunTable) -> pl.Series:
    """The queries of a table that have no row in it."""
    known = table.query if table.queries is None else table.queries
    return known.filter(~known.is_in(table.query.unique().implode()))


def _bytes_held(table: RunTable) -> int:
    return int(table.query.estimated_size() + table.item.estimated_size() + table.score.estimated_size())


def none_of(table: RunTable) -> RunTable:
    """A table like this one without a query."""
    return replace(
        table, query=table.query.clear(), item=table.item.clear(), ordering=table.score.clear(), queries=None
    )


def _frame(held: list[RunTable]) -> pl.DataFrame:
    table = joined_runs(held)
    return pl.DataFrame({"query": table.query, "item": table.item, "score": table.score})


def spill(frame: pl.DataFrame, folder: Path, source: str) -> Path:
    """Write some rows to one file per partition, by their query; returns the folder that holds them."""
    number = (frame["query"].hash(seed=29) % PARTITIONS).cast(pl.UInt16)
    try:
        folder.mkdir()
        for key, part in frame.with_columns(partition=number).partition_by(
            "partition", as_dict=True, maintain_order=True, include_key=False
        ).items():  # fmt: skip
            part.write_ipc(folder / f"{key[0]}.arrow", compression="lz4")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError.of(
            "inputs.no_room", source=source, folder=str(folder.parent), reason=reason_of(error)
        ) from error
    return folder


def partitions(folders: list[Path]) -> Iterator[pl.DataFrame]:
    """What was spilled, partition by partition: each holds whole queries, and is read when it is asked for."""
    for number in range(PARTITIONS):
        files = [file for folder in folders if (file := folder / f"{number}.arrow").exists()]
        if files:
            frame = pl.concat([pl.read_ipc(file) for file in files])
            for file in files:
                file.unlink()
            yield frame
