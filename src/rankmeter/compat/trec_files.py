"""The files of trec_eval's command line: judgments, runs with their tag, tables of means for z-scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.compression import ByteSource, open_source
from rankmeter.inputs.files import plain_judgments, read_judgments
from rankmeter.inputs.plain_trec import PlainRows, read_plain
from rankmeter.inputs.sources import PlainJudgments, RunFile
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.inputs.trec import RUN, read_frames
from rankmeter.late import pl
from rankmeter.placing.placements import Floats

TAIL_BYTES = 1 << 16
RUN_FIELDS = 6
MISSING_ZSCORE = -1000000.0


def read_graded(path: str) -> PlainJudgments | JudgmentTable:
    """Judgments with whole grades: what follows the point is dropped, as in the program."""
    plain = plain_judgments([path], format="qrels", columns=None)
    if plain is not None and _are_whole(plain.rows.value):
        return plain
    table = read_judgments(path, format="qrels")
    return replace(table, grade=pl.Series(np.trunc(table.grade.to_numpy())))


def _are_whole(grades: Floats) -> bool:
    return bool((grades == np.trunc(grades)).all())


@dataclass(slots=True)
class TaggedRun:
    """A run file, read in blocks, and the tag of its last line."""

    path: str
    _tail: bytes = field(default=b"", init=False)
    _kept: list[RunTable] | None = field(default=None, init=False)

    @property
    def source(self) -> RunFile:
        """What can be placed."""
        # A pipe could not be read a second time, should it turn out not to be plain.
        return RunFile(self._blocks, self.path, self._plain_blocks if Path(self.path).is_file() else None)

    def _plain_blocks(self) -> Iterator[PlainRows]:
        """The rows of a plain file."""
        with open_source(self.path) as source:
            yield from read_plain(_Watched(source, self), RUN)  # type: ignore[arg-type]

    def _blocks(self) -> Iterator[RunTable]:
        # Standard input can be read only once, but a run whose queries are scattered is gone through twice.
        if self._kept is None and self.path == "-":
            self._kept = list(self._read())
        return iter(self._kept) if self._kept is not None else self._read()

    def _read(self) -> Iterator[RunTable]:
        with open_source(self.path) as source:
            if not source.head:
                raise InputError(f"{source.name} is empty.")
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
            shown = " ".join(part.decode("utf-8", "replace") for part in fields)
            raise InputError(f"{self.path}: the last line has no tag, its sixth field: {shown}.")
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


@dataclass(frozen=True, slots=True)
class Zscores:
    """The mean and the standard deviation of measures for each query, from a file ``query measure mean deviation``."""

    known: dict[tuple[str, str], tuple[float, float]]

    @classmethod
    def read(cls, path: str) -> Zscores:
        """Read the file; every line must have its four fields."""
        known: dict[tuple[str, str], tuple[float, float]] = {}
        with open_source(path) as source:
            text = source.read_all().decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            match line.split():
                case [query, measure, mean, deviation]:
                    try:
                        known[query, measure] = float(mean), float(deviation)
                    except ValueError:
                        raise InputError(f"{path}:{number}: '{mean} {deviation}' are not two numbers.") from None
                case fields:
                    raise InputError(
                        f"{path}:{number}: {len(fields)} fields where 4 (query, measure, mean, deviation) are expected."
                    )
        return cls(known)

    def convert(self, query: str, measure: str, value: float) -> float:
        """A value in standard deviations from its mean; the program's mark where that is not known."""
        if (query, measure) not in self.known:
            return MISSING_ZSCORE
        mean, deviation = self.known[query, measure]
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else MISSING_ZSCORE
