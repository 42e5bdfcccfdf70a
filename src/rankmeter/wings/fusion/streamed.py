"""Fusion of runs that are larger than memory: their rows are dealt to partitions of whole queries, fused one by one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import NamedTuple, Unpack

from rankmeter.frozen import dataclass
from rankmeter.inputs import streaming
from rankmeter.inputs.accepting import into_run, is_path
from rankmeter.inputs.reading import Listener, Reading, ReadLog
from rankmeter.inputs.tables import Run, RunFile, RunTable, check_alike, joined_runs
from rankmeter.late import pl
from rankmeter.whole_files import check_apart, check_writable
from rankmeter.wings.fusion.definition import Fusion, Options
from rankmeter.wings.fusion.fused import FusedRun, label_of, lacking_notes, ranked_rows, reading_of
from rankmeter.wings.fusion.fused_files import FileFormat, format_of, fused_file
from rankmeter.wings.fusion.fusing import fused_run, fused_tables, gather_tables, in_the_name_of, named_runs
from rankmeter.wings.fusion.pooling import alike_ids
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True)
class FusedFile(RunFile):
    """A fused run in a file, made by :func:`rankmeter.fuse_to_file`: a run like any other, read when it is measured."""

    path: str = ""
    definition: Fusion = field(default_factory=Fusion)
    names: tuple[str, ...] = ()
    """The runs that it was made of."""
    queries: int = 0
    rows: int = 0
    notes: tuple[Said, ...] = ()

    @property
    def told(self) -> Mapping[str, str]:
        """How it came about."""
        return reading_of(self.definition, self.names, self.rows, self.notes).notes

    def how_read(self) -> Reading:
        """How the file was read, and how it came about."""
        read = RunFile.how_read(self)
        return replace(read, notes={**read.notes, **self.told})

    def __repr__(self) -> str:
        made = said("fusion_made", definition=str(self.definition), runs=list(self.names), queries=self.queries,
                    rows=self.rows)  # fmt: skip
        return "\n".join([f"{self.path}: {made}", *map(str, self.notes)])


def fuse_to_file(
    runs: object,
    path: str | PathLike[str],
    how: str | Fusion = "rrf",
    *,
    format: FileFormat | None = None,
    run_format: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Listener | None = None,
    **options: Unpack[Options],
) -> FusedFile:
    """Fuse runs of any size into a file; files are read in blocks, and what is fused is never held as a whole.

    Runs that fit a modest memory (128 MiB of columns) give the very file that ``fuse(...).save(path)`` writes. Larger
    ones are dealt to temporary files by a hash of their query (``TMPDIR`` says where): the same scores, with the
    queries in another order.

    Parameters
    ----------
    runs, how, columns
        As for :func:`rankmeter.fuse`.
    path
        The file to write; its ending says the format: ``.run``, ``.jsonl``, ``.csv``, ``.parquet``, ``.json``
        (responses of a search engine).
    format
        The format, whatever the ending.
    run_format
        The format of the runs, where their endings do not say it.
    progress
        Called after each block of a run that is read from files.
    **options
        Conventions of the fusion, as :func:`rankmeter.fuse` takes them.

    Returns
    -------
    FusedFile
        A run that every other call takes.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import rankmeter as rm
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> runs = {"bm25": {"q1": {"a": 12.1, "b": 9.5}}, "dense": {"q1": {"b": 0.9, "c": 0.8}}}
    >>> fused = rm.fuse_to_file(runs, folder / "fused.run", "rrf", k=1)
    >>> print((folder / "fused.run").read_text().splitlines()[0])
    q1 Q0 b 1 0.8333333333333333 rrf(k=1)[bm25,dense]
    >>> rm.evaluate({"q1": {"b": 1}}, fused, "RR").mean
    {'RR': 1.0}
    """
    definition = Fusion.of(how, **options)
    kind = format_of(check_writable(path), format)
    named = named_runs(runs)
    check_apart({"path": Path(path)}, [str(run) for run in named.values() if isinstance(run, (str, PathLike))])
    label = label_of(definition, tuple(named))
    sources = {}
    for name, run in named.items():
        with in_the_name_of(name):
            sources[name] = into_run(run, columns=columns, format=run_format if is_path(run) else None,
                                     progress=progress)  # fmt: skip
    queries = rows = 0
    with tempfile.TemporaryDirectory(prefix="rankmeter-") as folder, fused_file(path, kind, label) as file:
        notes, parts = _dealt(sources, definition, Path(folder))
        for part in parts:
            frame = ranked_rows(part)
            held = part.query.n_unique()
            empty = None if part.queries is None else part.queries.filter(~part.queries.is_in(part.query.implode()))
            file.add(frame, empty)
            queries, rows = queries + held + (0 if empty is None else len(empty)), rows + len(part)
    written = into_run(path, format=None if format is None else _READ_AS.get(format))
    is_streamed = isinstance(written, RunFile)
    return FusedFile(
        written.blocks, str(path), written.text if is_streamed else None,
        written.log if isinstance(written, RunFile) else ReadLog(),
        str(path), definition, tuple(named), queries, rows, notes,
    )  # fmt: skip


_READ_AS: Mapping[FileFormat, str] = {"trec": "trec", "jsonl": "jsonl", "csv": "csv", "parquet": "parquet"}
"""What the formats are called that are read in blocks."""


def _dealt(sources: Mapping[str, Run], definition: Fusion, folder: Path) -> tuple[tuple[Said, ...], Iterator[FusedRun]]:
    """What is to be said of the runs, and the fused run in parts of whole queries."""
    definition.check_runs(len(sources))
    streams, firsts = [], []
    for name, source in sources.items():
        with in_the_name_of(name):
            blocks = iter(source.blocks())
            firsts.append(next(blocks))
            streams.append(chain([firsts[-1]], blocks))
    alike, changed = alike_ids(firsts)
    held, queries, spilled = _read(list(sources), streams, alike, folder)
    if not spilled:
        tables = {name: _run_of(name, blocks) for name, blocks in zip(sources, held, strict=True)}
        gathered = gather_tables(tables, definition)
        return gathered.notes, iter([fused_run(gathered, definition)])
    heads = {
        name: replace(streaming.none_of(first), source=name, queries=own.all)
        for name, first, own in zip(sources, alike, queries, strict=True)
    }
    known = gather_tables(heads, definition)
    notes = [said("fusion_ids_as_text", columns=changed)] if changed else []
    if definition.queries == "all":
        notes += lacking_notes(list(heads), [len(own.with_rows) for own in queries], len(known.queries))
    else:
        notes += known.notes
    return tuple(notes), _fused_parts(spilled, heads, known.queries, definition)


class _Queries(NamedTuple):
    """The queries of a run, each once."""

    all: pl.Series
    with_rows: pl.Series


def _run_of(name: str, blocks: Sequence[RunTable]) -> RunTable:
    """The blocks of a run as one table that is called by its name."""
    with in_the_name_of(name):
        return replace(joined_runs(list(blocks)), source=name)


def _read(
    names: Sequence[str], streams: Sequence[Iterator[RunTable]], alike: Sequence[RunTable], folder: Path
) -> tuple[list[list[RunTable]], list[_Queries], list[Path]]:
    """The blocks of each run while they are few, the queries of each run, and where rows were dealt to."""
    held: list[list[RunTable]] = [[] for _ in names]
    queries: list[_Queries] = []
    spilled: list[Path] = []
    size = 0
    for at, (name, stream, like) in enumerate(zip(names, streams, alike, strict=True)):
        own, every = [like.query.clear()], [like.query.clear()]
        with in_the_name_of(name):
            for block in stream:
                if held[at]:
                    check_alike(held[at][0], block)
                held[at].append(block)
                own.append(block.query.unique(maintain_order=True).cast(like.query.dtype))
                every.append(own[-1] if block.queries is None else block.queries.cast(like.query.dtype))
                size += sum(int(column.estimated_size()) for column in (block.query, block.item, block.score))
                if size > streaming.IN_MEMORY_BYTES:
                    spilled.append(_spill(held, alike, folder, len(spilled)))
                    size = 0
        queries.append(_Queries(*(pl.concat(parts).unique(maintain_order=True) for parts in (every, own))))
    if spilled and size:
        spilled.append(_spill(held, alike, folder, len(spilled)))
    return held, queries, spilled


def _spill(held: list[list[RunTable]], alike: Sequence[RunTable], folder: Path, number: int) -> Path:
    """Deal the rows that are held to files by their query; what is held afterwards has no row."""
    frames = [
        pl.DataFrame({
            "query": block.query.cast(like.query.dtype), "item": block.item.cast(like.item.dtype),
            "score": block.score,
        }).with_columns(run=pl.lit(at, pl.UInt32))
        for at, (blocks, like) in enumerate(zip(held, alike, strict=True)) for block in blocks
    ]  # fmt: skip
    for blocks in held:
        blocks[:] = [streaming.none_of(blocks[0])] if blocks else []
    return streaming.spill(pl.concat(frames), folder / f"{number:05}", "runs")


def _fused_parts(
    spilled: list[Path], heads: Mapping[str, RunTable], queries: pl.Series, definition: Fusion
) -> Iterator[FusedRun]:
    """Partition by partition, the fused lists of its queries; at the end the queries that no run has a row of."""
    of_part = replace(definition, queries="all")  # which queries count is settled over all of them
    left = queries
    for frame in streaming.partitions(spilled):
        if definition.queries == "common":
            frame = frame.filter(pl.col("query").is_in(queries.implode()))
        if not frame.height:
            continue
        left = left.filter(~left.is_in(frame["query"].unique().implode()))
        rows = frame.partition_by("run", as_dict=True, maintain_order=True)
        tables = {
            name: _with_rows(head, rows.get((at,))) for at, (name, head) in enumerate(heads.items())
        }  # fmt: skip
        part = fused_tables(tables, of_part)
        yield FusedRun.of(part, definition, part.names, ())
    if len(left):
        head = next(iter(heads.values()))
        yield FusedRun.of(replace(streaming.none_of(head), queries=left), definition, tuple(heads), ())


def _with_rows(head: RunTable, rows: pl.DataFrame | None) -> RunTable:
    """The rows of a run that stand in a partition."""
    if rows is None:
        return replace(head, queries=None)
    return replace(head, query=rows["query"], item=rows["item"], ordering=rows["score"], queries=None)
