"""Parquet and Arrow IPC: files that know their types, read by Polars, a run in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from rankmeter.errors import EmptyInputError, InputError, reason_of
from rankmeter.inputs.cells import LOOKED_AT
from rankmeter.inputs.checked_tables import OpenedTable, TablePart
from rankmeter.inputs.columns import Role
from rankmeter.late import pl, polars_faults
from rankmeter.wording import said

ROWS_AT_ONCE = 1_000_000
"""Rows in one part."""


class Columnar(OpenedTable):
    """An opened Parquet or Arrow IPC file: its uncompressed content, or the path of an uncompressed local file.

    ``kind`` is ``parquet`` or ``ipc``; ``in_parts`` says whether the rows are given in batches.
    """

    def __init__(self, content: bytes | Path, kind: str, name: str, *, in_parts: bool) -> None:
        self._label, self._name, self._in_parts = "Parquet" if kind == "parquet" else "Arrow IPC", name, in_parts
        try:
            self.lazy = scan(content, kind)
            self.names: Sequence[str] = self.lazy.collect_schema().names()
        except polars_faults() as error:
            self._damaged(error)

    def head(self, column: str) -> pl.Series:
        try:
            return self.lazy.select(column).head(LOOKED_AT).collect().to_series()
        except polars_faults() as error:
            self._damaged(error)

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        """The needed columns alone."""
        rows = 0
        try:
            total, batches = self._batches(list(columns.values()))
            for batch in batches:
                if not batch.height:
                    continue
                end = rows + batch.height
                unread = said("inputs.rows_unread", count=total - end, row=end - 1) if end < total else ""
                raw = {role: batch.get_column(column) for role, column in columns.items()}
                yield TablePart(raw, None, rows, end / total, batch.height == total, unread)
                rows = end
        except InputError:
            raise
        except polars_faults() as error:
            self._damaged(error)
        if rows != total:  # a panic in a thread of Polars ends the batches without a word
            self._damaged(ValueError(f"it announces {total:,} rows and holds {rows:,}"))
        if not rows:
            raise EmptyInputError.of("inputs.no_rows", source=self._name)

    def _batches(self, names: list[str]) -> tuple[int, Iterator[pl.DataFrame]]:
        """How many rows there are, and their batches."""
        chosen = self.lazy.select(names)
        if not self._in_parts or not hasattr(chosen, "collect_batches"):
            whole = chosen.collect()
            return whole.height, iter([whole])
        total = self.lazy.select(pl.len()).collect().item()
        return total, chosen.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True, engine="streaming")

    def _damaged(self, error: BaseException) -> NoReturn:
        """Say that the file is damaged, in the words of who tried to read it."""
        raise InputError.of("inputs.damaged", source=self._name, format=self._label, reason=reason_of(error)) from error


def scan(content: bytes | Path, kind: str) -> pl.LazyFrame:
    """Open a file as it is named: brackets are no pattern, ``query=3`` in its path is no column."""
    if kind == "parquet":
        return pl.scan_parquet(content, glob=False, hive_partitioning=False)
    if isinstance(content, Path):
        with content.open("rb") as file:
            start = file.read(6)
    else:
        start = content[:6]
    if start == b"ARROW1":  # the file kind of Arrow IPC has a magic word, the stream kind has none
        return pl.scan_ipc(content, glob=False, hive_partitioning=False)
    return pl.read_ipc_stream(content).lazy()
