"""Inputs that lie in several files: patterns, folders of shards, explicit lists of paths."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

from rankmeter.errors import InputError, NotFoundError, Problem, check_path, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.compression import refuse_url
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
        is_one = isinstance(path, (str, bytes, os.PathLike)) or getattr(path, "ndim", 1) == 0
        many = path if isinstance(path, Iterable) and not is_one else [path]
        given.extend(str(check_path("path", each)) for each in many)
    if not given:
        raise InputError.of("inputs.no_path")
    expanded = [files_of_path(path) for path in given]
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


def files_of_path(path: str) -> Files:
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
