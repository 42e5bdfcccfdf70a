"""A run whose queries are scattered over the stream, brought together: in memory while it is small, else on disk.

Rows are dealt to partitions by a hash of their query and written to temporary files; each partition then holds whole
queries and is small enough to be read at once. Rows keep their order, which tie rules may ask for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rankmeter.errors import InputError, reason_of
from rankmeter.inputs.shards import check_alike, joined_runs
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl

IN_MEMORY_BYTES = 1 << 27
"""Up to this size of its columns a run is brought together in memory; placing takes a few times as much."""
PARTITIONS = 64
"""So that a run of 8 GB of columns comes in partitions of `IN_MEMORY_BYTES`."""


@contextmanager
def regrouped(blocks: Iterable[RunTable], *, in_memory_bytes: int | None = None) -> Iterator[Iterator[RunTable]]:
    """Give a run again as blocks of whole queries, however its rows are scattered.

    Parameters
    ----------
    blocks
        All rows of the run, in any order of queries.
    in_memory_bytes
        How much may be held at a time; `IN_MEMORY_BYTES` by default.

    Yields
    ------
    iterator of RunTable
        One table where the run is small, else one for each partition, read when it is asked for. Temporary files are
        gone afterwards, whatever happens. ``TMPDIR`` says where they lie.
    """
    limit = IN_MEMORY_BYTES if in_memory_bytes is None else in_memory_bytes
    held: list[RunTable] = []
    size = 0
    listless: list[pl.Series] = []  # queries that a block holds without a row
    with tempfile.TemporaryDirectory(prefix="rankmeter-") as folder:
        spilled: list[Path] = []
        for block in blocks:
            if held:
                check_alike(held[0], block)
            held.append(block)
            size += _size(block)
            if size > limit:
                spilled.append(spill(_frame(held), Path(folder) / f"{len(spilled):05}", block.source))
                listless += [_listless(table) for table in held if table.queries is not None]
                held, size = [none_of(block)], 0
        if not spilled:
            yield iter([joined_runs(held)])
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
        yield replace(like, query=frame["query"], item=frame["item"], score=frame["score"])
    if len(left):
        yield replace(like, queries=left)


def _listless(table: RunTable) -> pl.Series:
    """The queries of a table that have no row in it."""
    known = table.query if table.queries is None else table.queries
    return known.filter(~known.is_in(table.query.unique().implode()))


def _size(table: RunTable) -> int:
    return int(table.query.estimated_size() + table.item.estimated_size() + table.score.estimated_size())


def none_of(table: RunTable) -> RunTable:
    """A table like this one without a query."""
    return replace(table, query=table.query.clear(), item=table.item.clear(), score=table.score.clear(), queries=None)


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
