"""A small made-up library, bundled so that rankmeter can be tried without data of your own.

The Lantern Street Library, its books and its readers do not exist: ``docs/tools/make_demo.py`` invents them by seed.

>>> from rankmeter import demo
>>> sorted(demo.RUNS)
['hybrid', 'keyword', 'semantic']
>>> demo.data_path(demo.JUDGMENTS).name
'judgments.qrels'
"""

from __future__ import annotations

import gzip
from importlib import resources
from pathlib import Path

from rankmeter.errors import InputError, NotFoundError
from rankmeter.whole_files import make_folder, write_bytes

__all__ = ["EVENTS", "FILES", "ITEMS", "JUDGMENTS", "QUERIES", "RUNS", "SPOTS", "data_path", "write_data"]

JUDGMENTS = "judgments.qrels"
"""Graded judgments, 0 to 3, as TREC qrels."""

RUNS = {"keyword": "keyword.run.gz", "semantic": "semantic.run.gz", "hybrid": "hybrid.run.gz"}
"""What three systems returned, as TREC runs, by the name of the system; weakest first."""

ITEMS = "items.csv"
"""The catalogue: id, title, author, genre, year."""

QUERIES = "queries.csv"
"""What readers asked for: id, text."""

SPOTS = "spots.csv"
"""Eight spots of two themes with two scores each, made up by hand for `rankmeter table`."""

EVENTS = "events.csv.gz"
"""What readers did while half of them had ``keyword`` (variant A) and half ``hybrid`` (B): a log of events."""

FILES = (JUDGMENTS, *RUNS.values(), ITEMS, QUERIES, EVENTS)
"""Every data file of the library."""


def __dir__() -> list[str]:
    return __all__


def data_path(name: str) -> Path:
    """The path of a file of the demo.

    Parameters
    ----------
    name
        A file name such as ``demo.JUDGMENTS`` or ``demo.RUNS["hybrid"]``.

    Raises
    ------
    NotFoundError
        When the demo has no such file.
    """
    if name not in (*FILES, SPOTS):
        raise NotFoundError.of("files.not_in_the_demo", name=repr(name), files=[*FILES, SPOTS])
    # rankmeter is installed as plain files, never run from a zip, so a resource is a path.
    return Path(str(resources.files(__name__) / "data" / name))


def write_data(folder: Path) -> list[Path]:
    """Write every file of the demo, uncompressed, to a folder, which is created if missing; return their paths.

    If a file of that name with other content is there, it is somebody's own, and nothing is written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_data(Path(folder))][:3]
    ['judgments.qrels', 'keyword.run', 'semantic.run']
    """
    make_folder(folder)
    contents = {folder / name.removesuffix(".gz"): _data_bytes(name) for name in (*FILES, SPOTS)}
    for path, content in contents.items():
        if path.exists() and not (path.is_file() and path.read_bytes() == content):
            raise InputError.of("files.already_there", source=str(path))
    for path, content in contents.items():
        if not path.exists():
            write_bytes(path, content)
    return list(contents)


def _data_bytes(name: str) -> bytes:
    content = data_path(name).read_bytes()
    return gzip.decompress(content) if name.endswith(".gz") else content
