"""Judgments and runs with their tag, read in the ordinary way as far as trec_eval would read them so.

What it would read otherwise raises an InputError, and is for `trec_parsing`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rankmeter.compat.trec_measures import Version
from rankmeter.compat.trec_parsing import SPACE, Source, is_plain_judgments, is_plain_run
from rankmeter.errors import InputError
from rankmeter.inputs.compression import ByteSource, open_source
from rankmeter.inputs.files import plain_judgments, read_judgments
from rankmeter.inputs.plain_trec import PlainRows, read_plain
from rankmeter.inputs.sources import PlainJudgments, RunFile
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.inputs.text import PADDING
from rankmeter.inputs.trec import BOM, RUN, read_frames
from rankmeter.late import pl

TAIL_BYTES = 1 << 16
RUN_FIELDS = 6


def read_graded(path: str, version: Version) -> PlainJudgments | JudgmentTable:
    """Judgments with whole grades: what follows the point is dropped, as in the program."""
    plain = plain_judgments([path], format="qrels", columns=None)
    if plain is not None and _is_as_it_stood(plain.rows, path) and _are_plain_grades(plain.rows):
        return plain
    if not is_plain_judgments(path, version):
        raise InputError(f"{path} is not as trec_eval wants it.")
    table = read_judgments(path, format="qrels")
    return replace(table, grade=pl.Series(np.trunc(table.grade.to_numpy())))


def _is_as_it_stood(rows: PlainRows, path: str) -> bool:
    """Whether nothing was left out of the file: a blank line, which the program refuses, or a byte order mark."""
    with Path(path).open("rb") as file:
        size = file.seek(-1, os.SEEK_END) + 1
        ends_with_newline = file.read() == b"\n"
    return len(rows.text.data) - 2 * PADDING == size + (not ends_with_newline)


def _are_plain_grades(rows: PlainRows) -> bool:
    """Whether every grade is a whole number without an exponent, which takes three characters and the program ignores.

    Two may still be a fraction, `.5`, of which the program takes what stands before the point.
    """
    ends = np.append(rows.query.start[1:], len(rows.text.data) - PADDING)
    length = ends - (rows.item.start + rows.item.length) - 2
    return bool((length <= 2).all() and (rows.value == np.trunc(rows.value)).all())


@dataclass(slots=True)
class TaggedRun:
    """A run file, read in blocks, and the tag of its last line."""

    path: Source
    version: Version
    _tail: bytes = field(default=b"", init=False)

    @property
    def source(self) -> RunFile:
        """What can be placed."""
        return RunFile(self._blocks, "run", self._plain_blocks)

    def _plain_blocks(self) -> Iterator[PlainRows]:
        """The rows of a plain file."""
        with open_source(self.path) as source:
            if source.head.startswith(BOM):
                raise InputError("trec_eval takes a byte order mark for a part of the first id.")
            for rows in read_plain(_Watched(source, self), RUN):  # type: ignore[arg-type]
                # All lines of a block have equally many fields, and a blank behind each.
                if np.count_nonzero(rows.text.data[PADDING:-PADDING] <= SPACE) < RUN_FIELDS * len(rows):
                    raise InputError("a line of the run has no tag.")
                yield rows

    def _blocks(self) -> Iterator[RunTable]:
        if not is_plain_run(self.path, self.version):
            raise InputError("the run is not as trec_eval wants it.")
        with open_source(self.path) as source:
            watched = _Watched(source, self)
            for frame in read_frames(watched, RUN):  # type: ignore[arg-type]
                yield RunTable(frame["query"], frame["item"], frame["value"].alias("score"), source.name)

    def watch(self, fresh: bytes) -> None:
        """Remember the end of what was read."""
        self._tail = (self._tail + fresh[-TAIL_BYTES:])[-TAIL_BYTES:]

    @property
    def tag(self) -> str:
        """The sixth field of the last line, once the run was read."""
        lines = [line for line in self._tail.split(b"\n") if line.split() and not line.lstrip().startswith(b"#")]
        fields = lines[-1].split() if lines else []
        if len(fields) < RUN_FIELDS:
            raise InputError("the last line of the run has no tag.")
        return fields[RUN_FIELDS - 1].decode("utf-8", "backslashreplace")


class _Watched:
    """A source whose readings are also shown to somebody else."""

    def __init__(self, source: ByteSource, watcher: TaggedRun) -> None:
        self.name, self.head = source.name, source.head
        self._source, self._watcher = source, watcher

    def read(self, size: int) -> bytes:
        fresh = self._source.read(size)
        self._watcher.watch(fresh)
        return fresh
