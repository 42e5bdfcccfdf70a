"""Inputs that lie in several files: patterns, folders of shards, explicit lists of paths."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from rankmeter.errors import InputError, NotFoundError, Problem, check_path, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.compression import refuse_url
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.wording import Said, said

_COMPRESSED = (".gz", ".zst", ".xz", ".bz2")
_OF_TOOLS = frozenset(
    "_delta_log _temporary _spark_metadata _change_data __macosx __pycache__ .git .ipynb_checkpoints .cache".split()
)
"""Folders that tools keep beside data."""
_HIDDEN = ("_", ".")  # _SUCCESS, _metadata, .part-0.parquet.crc: what Spark and Hive leave beside the data


@dataclass(frozen=True, slots=True)
class Files:
    """Several files that are one input, in this order."""

    paths: tuple[str, ...]
    folder: str | None = None
    """The folder that was named in place of them."""
    left_out: tuple[str, ...] = ()
    """Files of a folder or pattern that look like data but for the beginning of their names."""
    other_splits: tuple[str, ...] = ()
    """The judgments of a collection that were not chosen."""

    @property
    def notes(self) -> dict[str, Said]:
        """What whoever reads the files should be told about the choice of them."""
        notes = {}
        if self.left_out:
            notes["left out"] = said("left_out", files=examples(self.left_out))
        if self.other_splits:
            notes["splits"] = said("other_splits", file=self.paths[0], others=examples(self.other_splits))
        return notes

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Say that a folder stands for all its files where one of them, which nobody named, cannot be read."""
        try:
            yield
        except InputError as error:
            if self.folder is None:
                raise
            raise error.changed(more=Problem("inputs.folder_is_read_whole", {"folder": self.folder})) from error

    @property
    def source(self) -> str:
        """How messages name them together."""
        first = self.paths[0]
        return first if len(self.paths) == 1 else f"{first} and {len(self.paths) - 1:,} more"


def files(*paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Files:
    r"""Several files as one run, or as one set of judgments.

    A bare list means lists of items; this says that it is a list of paths. Patterns (``*``, ``?``, ``[0-9]``, ``**``)
    and folders stand for the files they hold, in the order of their names, numbers in them by size (``part-2``
    is before ``part-10``).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rankmeter import files
    >>> folder = Path(tempfile.mkdtemp())
    >>> for shard in range(3):
    ...     _ = (folder / f"part-{shard}.csv").write_text(f"query,item,score\nq{shard},a,1\n")
    >>> [Path(path).name for path in files([folder / "part-2.csv", folder / "part-[01].csv"]).paths]
    ['part-2.csv', 'part-0.csv', 'part-1.csv']
    """
    given: list[str] = []
    for path in paths:
        many = path if isinstance(path, Iterable) and not isinstance(path, (str, bytes, os.PathLike)) else [path]
        given.extend(str(check_path("path", each)) for each in many)
    if not given:
        raise InputError.of("inputs.no_path")
    expanded = [expand(path) for path in given]
    paths_of, left_out = (
        tuple(path for each in expanded for path in getattr(each, name)) for name in ("paths", "left_out")
    )
    return Files(paths_of, left_out=left_out)


def judged_collection(path: str) -> Files | None:
    """The judgments of a collection as BEIR and MTEB store one (``qrels/test.tsv``); None for any other path."""
    splits = sorted(str(file) for file in Path(path, "qrels").glob("*.tsv")) if Path(path).is_dir() else []
    if not splits:
        return None
    chosen = next(
        (split for split in splits if Path(split).name == "test.tsv"), splits[0] if len(splits) == 1 else None
    )
    if chosen is None:
        raise InputError.of("inputs.which_split", source=path, splits=examples(splits))
    return Files((chosen,), other_splits=tuple(split for split in splits if split != chosen))


def expand(path: str) -> Files:
    """The files that a path stands for: itself, those of a folder, or those that fit a pattern."""
    if path == "-" or Path(path).is_file():
        return Files((path,))
    refuse_url(path)
    if Path(path).is_dir():
        return _in_folder(path)
    if glob.has_magic(path) and not Path(path).exists():
        # Path.glob takes no absolute pattern.
        matches = sorted(glob.glob(path, recursive=True), key=_by_numbers)  # noqa: PTH207
        matched = [_matched(match, path) for match in matches]
        paths = tuple(file for match in matched for file in match.paths)
        if not paths:
            raise NotFoundError.of("inputs.no_match", pattern=path, folder=_fixed_part(path))
        return Files(paths, left_out=tuple(file for match in matched for file in match.left_out))
    return Files((path,))  # whoever opens it says what is wrong with it


def _matched(path: str, pattern: str) -> Files:
    """A match of a pattern: a file as it is named; a folder is what it holds (``query.run/`` written by a cluster).

    What begins with _ or . is left out, unless the pattern itself names it so.
    """
    asked = [part for part in Path(pattern).parts if part.startswith(_HIDDEN)]
    marked = [part for part in _marked(Path(path).parts) if not any(fnmatch(part, like) for like in asked)]
    if marked:
        return Files((), left_out=(path,) if Path(path).is_file() and _may_be_data(path, marked) else ())
    return _in_folder(path) if Path(path).is_dir() else Files((path,))


def _marked(parts: Sequence[str]) -> list[str]:
    """Those that begin with _ or ., but for the folder itself and the one above."""
    return [part for part in parts if part.startswith(_HIDDEN) and part not in (".", "..")]


def _in_folder(path: str) -> Files:
    """Every file below a folder, sorted by path; names that begin with _ or . are no data."""
    root = Path(path)
    data, hidden = [], []
    for file in root.rglob("*"):
        marked = _marked(file.relative_to(root).parts)
        if not marked and file.is_file():
            data.append(str(file))
        elif marked and _may_be_data(file.name, marked) and file.is_file():
            hidden.append(str(file))
    if not data:
        raise InputError.of("inputs.no_data_file", source=path)
    return Files(tuple(sorted(data, key=_by_numbers)), path, tuple(sorted(hidden, key=_by_numbers)))


def _may_be_data(path: str, marked: Sequence[str]) -> bool:
    """Whether a hidden file ends as data does; what Spark, Hive and macOS (``._a.csv``) leave beside data does not."""
    from rankmeter.inputs.formats import ENDINGS

    name = Path(path).name
    if any(part.lower() in _OF_TOOLS for part in marked):
        return False
    ending = name.lower()
    for packed in _COMPRESSED:
        ending = ending.removesuffix(packed)
    return not name.startswith("._") and ending.lstrip("_.").rpartition(".")[2] in ENDINGS and "." in ending[1:]


def _by_numbers(path: str) -> tuple[list[str | int], str]:
    """Sorts texts with the numbers in them by size: part-2 is before part-10."""
    pieces = re.split(r"([0-9]+)", path)  # a text and a number in turn
    return [int(piece) if place % 2 else piece for place, piece in enumerate(pieces)], path


def _fixed_part(pattern: str) -> str:
    folder = Path(pattern)
    while glob.has_magic(str(folder)):
        folder = folder.parent
    return str(folder)


def joined_runs(tables: list[RunTable]) -> RunTable:
    """Parts of a run as one table; they must agree on the types of ids and on what orders them."""
    first = tables[0]
    if len(tables) == 1:
        return first
    for other in tables[1:]:
        check_alike(first, other)
    query, item, score = (pl.concat([getattr(t, name) for t in tables]) for name in ("query", "item", "score"))
    return RunTable(query, item, score, first.source, first.scored, all_queries(tables))


def joined_judgments(tables: list[JudgmentTable], source: str) -> JudgmentTable:
    """The judgments of several files as one table."""
    for other in tables[1:]:
        check_alike(tables[0], other)
    query, item, grade = (pl.concat([getattr(t, name) for t in tables]) for name in ("query", "item", "grade"))
    topics = [table.subtopic for table in tables if table.subtopic is not None]
    if topics and len(topics) != len(tables):
        raise InputError.of("inputs.some_subtopics", source=source)
    read = [table.reading for table in tables if table.reading is not None]
    reading = None
    if read:
        notes = {kind: note for one in reversed(read) for kind, note in one.notes.items()}
        reading = replace(read[0], source=source, rows=sum(one.rows or 0 for one in read), notes=notes)
    return JudgmentTable(
        query, item, grade, source, pl.concat(topics) if topics else None, all_queries(tables), reading
    )


def all_queries(tables: Sequence[JudgmentTable | RunTable]) -> pl.Series | None:
    """Every query of some tables once, in the order of first appearance; None where all of them have rows."""
    if all(table.queries is None for table in tables):
        return None
    return pl.concat([table.query if table.queries is None else table.queries for table in tables]).unique(
        maintain_order=True
    )


def check_alike(first: JudgmentTable | RunTable, other: JudgmentTable | RunTable) -> None:
    """Refuse parts of one input that cannot be put together."""
    for column in ("query", "item"):
        here, there = getattr(first, column).dtype, getattr(other, column).dtype
        if here != there:
            raise InputError.of(
                "inputs.other_id_types",
                column=column,
                type=_kind(here),
                source=first.source,
                other_type=_kind(there),
                other=other.source,
            )
    if isinstance(first, RunTable) and isinstance(other, RunTable) and first.scored != other.scored:
        scored, ranked = (first, other) if first.scored else (other, first)
        raise InputError.of("inputs.scores_and_ranks", source=scored.source, other=ranked.source)


def _kind(dtype: pl.DataType) -> str:
    return "text" if dtype == pl.String else f"numbers ({dtype})"


def whole_queries(tables: Iterable[RunTable]) -> Iterator[RunTable]:
    """Cut a stream of tables anew, so that adjacent rows of one query are in one table.

    Parts arrive as they are stored (row groups, blocks of text); the last query of a part may go on in the next one,
    even in the next file, so it is held back until another query begins. A query that comes back later is noticed when
    it is placed.
    """
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
