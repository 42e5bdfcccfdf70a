"""What queries and items are called: texts by id, given as mappings or as small files."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankmeter.errors import InputError
from rankmeter.inputs.attributes import is_id_name
from rankmeter.inputs.columns import fold
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.spreadsheets import unguarded

_TEXTS = frozenset({"title", "text", "name", "query", "question", "topic", "description", "label"})
"""What a column of texts is called."""
LONGEST = 120
"""Titles of items are cut here: a list shows what something is, not all of it."""


@dataclass(frozen=True, slots=True)
class Titles:
    """Texts of queries and items by their ids as text."""

    queries: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, str] = field(default_factory=dict)

    def query(self, id: str) -> str:
        """The whole text of a query; empty where there is none."""
        return self.queries.get(id, "")

    def item(self, id: str) -> str:
        """The title of an item; empty where there is none."""
        return _cut(self.items.get(id, ""))


def into_titles(given: object) -> Titles:
    """Accept ``{"queries": ..., "items": ...}``, each a mapping from id to text or the path of a CSV or TSV file."""
    if given is None:
        return Titles()
    if isinstance(given, Titles):
        return given
    if not isinstance(given, Mapping) or not set(given) <= {"queries", "items"}:
        raise InputError.of("cli.titles_by_kind")
    return Titles(**{kind: _texts(one, kind) for kind, one in given.items()})


def titles_of(given: Sequence[str]) -> Titles:
    """Read ``queries=queries.csv`` and ``items=items.csv`` of a command line."""
    found: dict[str, str] = {}
    for text in given:
        kind, equals, path = text.partition("=")
        if kind not in ("queries", "items"):
            raise InputError.of("cli.titles_of_what", text=text, path=path or "queries.csv")
        if not equals or not path:
            raise InputError.of("cli.titles_without_file", text=text, kind=kind)
        found[kind] = path
    return into_titles(found)


def _texts(given: Any, kind: str) -> dict[str, str]:
    if isinstance(given, Mapping):
        return {str(name): str(text) for name, text in given.items()}
    if isinstance(given, (str, Path)):
        return read_texts(Path(given))
    raise InputError.of("cli.titles_of_type", kind=kind, type=type(given).__name__)


def read_texts(path: Path) -> dict[str, str]:
    """The first two columns of a CSV or TSV file, compressed or not: ids and texts, with a header or without.

    Files of topics mostly have no header; the first line is one only where it names an id or a text.
    """
    with open_source(path) as source:
        content = source.read_all()
    try:
        text = content.decode("utf-8-sig")
        is_tsv = path.suffix == ".tsv" or "\t" in text.partition("\n")[0]
        lines = io.StringIO(text, newline="")
        # A quote in a line of tabs is part of the text.
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if is_tsv else csv.reader(lines))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError.of("cli.texts_unreadable", source=str(path), why=str(error)) from error
    short = next((number for number, row in enumerate(rows, 1) if row and len(row) < 2), None)
    if short is not None:
        raise InputError.of("cli.texts_one_column", source=str(path), line=short)
    return {unguarded(row[0]): unguarded(row[1]) for row in rows[bool(rows) and _is_header(rows[0]) :] if row}


def _is_header(row: Sequence[str]) -> bool:
    """Whether the first line names its columns."""
    return len(row) > 1 and (is_id_name(row[0]) or (fold(row[1]) in _TEXTS and not row[0].strip().isdecimal()))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
