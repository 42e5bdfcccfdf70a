"""Where a history is kept: a folder to which files are added, or one file of SQLite or DuckDB; nothing is ever changed.

Every evaluation is a file of its own, whose name holds its time, commit and hash, so writers need no lock. What is
accepted as the reference is another file. In a database each file is a row, written in a transaction.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rankmeter.errors import InputError, check_path, load_library, reason_of
from rankmeter.whole_files import make_folder, write_bytes
from rankmeter.wings.results.history_entries import HASHED, NAME, HistoryEntry, entry_parts

ACCEPTED = re.compile(rf"(\d{{8}}T\d{{12}}Z)-accepted-([0-9a-f]{{{HASHED}}})\.json")
"""The time, and the hash of the entry that was accepted."""
BUSY = 60.0
"""Seconds to wait for another writer of a database."""
ENDINGS = {".sqlite": "sqlite", ".sqlite3": "sqlite", ".db": "sqlite", ".duckdb": "duckdb"}
_TABLES = (
    "CREATE TABLE IF NOT EXISTS files (name VARCHAR PRIMARY KEY, content BLOB NOT NULL)",
    (
        "CREATE TABLE IF NOT EXISTS points (name VARCHAR, time VARCHAR, commit_id VARCHAR, branch VARCHAR, "
        "system VARCHAR, measure VARCHAR, value DOUBLE)"
    ),
)
"""``files`` is the history; ``points`` shows the numbers to whoever asks in SQL."""


class HistoryFolder:
    """A folder with one file an evaluation."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def names(self) -> list[str]:
        """All visible files, in their order."""
        if self.place.exists() and not self.place.is_dir():
            raise InputError.of("results.no_history_folder", source=str(self.place))
        if not self.place.is_dir():
            return []
        try:
            return sorted(file.name for file in self.place.iterdir() if not file.name.startswith("."))
        except OSError as error:
            raise InputError.of("files.cannot_be_opened", source=str(self.place), reason=reason_of(error)) from error

    def read(self, name: str) -> bytes:
        """The content of a file."""
        try:
            return (self.place / name).read_bytes()
        except OSError as error:
            reason = reason_of(error)
            raise InputError.of("files.cannot_be_opened", source=self.where(name), reason=reason) from error

    def add(self, name: str, content: bytes, entry: HistoryEntry | None = None) -> None:  # noqa: ARG002 (as a database)
        """Add a file, whole; one of the same name has the same content."""
        make_folder(self.place)
        if not (self.place / name).exists():
            write_bytes(self.place / name, content)

    def where(self, name: str) -> str:
        """What a file is called in a sentence."""
        return str(self.place / name)


class HistoryDatabase:
    """A file of SQLite or DuckDB with a row an evaluation."""

    def __init__(self, place: Path, kind: str) -> None:
        self.place = place
        duckdb = load_library("duckdb", '"rankmeter[duckdb]"', called="DuckDB") if kind == "duckdb" else None
        self._begin = "BEGIN IMMEDIATE" if duckdb is None else "BEGIN TRANSACTION"
        self._connect: Callable[[], Any] = (
            (lambda: sqlite3.connect(place, timeout=BUSY, isolation_level=None))
            if duckdb is None
            else (lambda: _patiently(duckdb, str(place)))
        )
        self._errors: tuple[type[Exception], ...] = (
            (sqlite3.Error,) if duckdb is None else (duckdb.Error, duckdb.IOException)
        )

    @contextmanager
    def _open(self) -> Iterator[Any]:
        if self.place.is_dir() or not self.place.parent.is_dir():
            raise InputError.of("results.no_history_file", source=str(self.place))
        try:
            with closing(self._connect()) as connection:
                yield connection
        except self._errors as error:
            raise InputError.of("results.no_history_file", source=str(self.place)) from error

    def names(self) -> list[str]:
        """All entries, in their order."""
        if not self.place.exists():
            return []
        with self._open() as connection:
            return [str(row[0]) for row in connection.execute("SELECT name FROM files ORDER BY name").fetchall()]

    def read(self, name: str) -> bytes:
        """The content of an entry."""
        with self._open() as connection:
            row = connection.execute("SELECT content FROM files WHERE name = ?", [name]).fetchone()
        if row is None or not isinstance(row[0], bytes):
            raise InputError.of("results.damaged_entry", source=self.where(name))
        return row[0]

    def add(self, name: str, content: bytes, entry: HistoryEntry | None = None) -> None:
        """Add an entry, whole; one of the same name has the same content."""
        with self._open() as connection:
            connection.execute(self._begin)
            tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master").fetchall()}
            if tables and "files" not in tables:
                raise InputError.of("results.no_history_file", source=str(self.place))
            for table in _TABLES:
                connection.execute(table)
            there = connection.execute("SELECT 1 FROM files WHERE name = ?", [name]).fetchone()
            if there is None:
                connection.execute("INSERT INTO files VALUES (?, ?)", [name, content])
                for row in [] if entry is None else _points_of(entry):
                    connection.execute("INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            connection.execute("COMMIT")

    def where(self, name: str) -> str:
        """What an entry is called in a sentence."""
        return f"{self.place}: {name}"


def _points_of(entry: HistoryEntry) -> list[list[object]]:
    code, when = entry.code, entry.time.isoformat()
    return [[entry.name, when, code.commit, code.branch, entry.system, one.text, one.value] for one in entry.measures]


Store = HistoryFolder | HistoryDatabase


def _patiently(duckdb: Any, place: str) -> Any:
    """A connection, when other writers let go: DuckDB lets one process in."""
    until = time.monotonic() + BUSY
    while True:
        try:
            return duckdb.connect(place)
        except duckdb.IOException as error:
            if "lock" not in str(error).lower() or time.monotonic() > until:
                raise
            time.sleep(0.05)


def open_store(place: object) -> Store:
    """The store that a path means."""
    path = check_path("path", place)
    kind = ENDINGS.get(path.suffix.lower())
    return HistoryFolder(path) if kind is None or path.is_dir() else HistoryDatabase(path, kind)


def read_entries(store: Store) -> tuple[list[HistoryEntry], list[tuple[str, str]], list[str]]:
    """Its entries, when which hash was accepted, and the names that are neither."""
    entries: list[HistoryEntry] = []
    accepted: list[tuple[str, str]] = []
    others, damaged = [], []
    for name in store.names():
        if NAME.fullmatch(name):
            try:
                entries.append(HistoryEntry.from_bytes(store.read(name), name, store.where(name)))
            except InputError as error:
                if error.problem.kind != "results.damaged_entry":
                    raise
                damaged.append(store.where(name))
        elif marked := ACCEPTED.fullmatch(name):
            accepted.append((marked[1], marked[2]))
        else:
            others.append(name)
    if damaged:
        raise InputError.of("results.damaged_entries", names=damaged[:5], count=len(damaged))
    return entries, sorted(accepted), others


def acceptance(entry: HistoryEntry, when: str) -> tuple[str, bytes]:
    """The file that says that an entry was accepted."""
    text = json.dumps({"accepted": entry.name, "system": entry.system, "commit": entry.code.commit, "time": when})
    return f"{when}-accepted-{entry_parts(entry.name)[2]}.json", text.encode()
