"""What queries and items are called: texts by id, given as mappings or as small files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from rankmeter.errors import InputError
from rankmeter.inputs.attributes import is_id_name
from rankmeter.inputs.cells import unguarded
from rankmeter.inputs.columns import fold
from rankmeter.inputs.compression import open_source

if TYPE_CHECKING:
    from rankmeter.lists.catalogue import Catalogue

_TEXTS = frozenset({"title", "text", "name", "query", "question", "topic", "description", "label"})
"""What a column of texts is called."""
_NAMES = frozenset({"title", "name", "label"})
BEIR = {"queries": "queries.jsonl", "items": "corpus.jsonl"}
"""What BEIR calls the files of a data set."""
LONGEST, LONGEST_MORE = 120, 240
"""The longest title of an item and the longest other text: a list shows what something is, not all of it."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of queries or items."""

    rows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By id the title, then a text for each column."""
    columns: tuple[str, ...] = ()
    """What the other texts are called: a snippet, an author, a price."""


@dataclass(frozen=True, slots=True)
class Titles:
    """Texts of queries and items by their ids as text."""

    queries: Texts = Texts()
    items: Texts = Texts()

    def query(self, id: str) -> str:
        """The whole text of a query; empty where there is none."""
        return self.queries.rows.get(id, ("",))[0]

    def item(self, id: str) -> str:
        """The title of an item; empty where there is none."""
        return _cut(self.items.rows.get(id, ("",))[0], LONGEST)

    def about(self, id: str) -> list[str]:
        """What else is known of an item, column by column."""
        return [_cut(text, LONGEST_MORE) for text in self.items.rows.get(id, ())[1:]]


def into_titles(given: object, catalogue: Catalogue | None = None) -> Titles:
    """Accept ``{"queries": ..., "items": ...}``, each a mapping from id to text or the path of a CSV or TSV file.

    A mapping of items may have a mapping or a sequence for each, its title first. Titles of items default to those of
    the catalogue. A folder is taken for one of BEIR, with its queries and its corpus.
    """
    if isinstance(given, Titles):
        return given
    if isinstance(given, (str, Path)) and Path(given).is_dir():
        given = {kind: Path(given) / name for kind, name in BEIR.items() if (Path(given) / name).is_file()}
    if not isinstance(given, (Mapping, NoneType)) or not set(given or ()) <= {"queries", "items"}:
        raise InputError.of("cli.titles_by_kind")
    texts = {kind: _texts(source, kind) for kind, source in (given or {}).items()}
    return Titles(texts.get("queries", Texts()), texts.get("items") or _of_catalogue(catalogue))


def _of_catalogue(catalogue: Catalogue | None) -> Texts:
    """The titles of a catalogue, if it has a column of titles."""
    known = [] if catalogue is None or not len(catalogue.columns) else catalogue.columns.columns
    column = next((name for name in known if fold(name) in _NAMES), None)
    if catalogue is None or column is None:
        return Texts()
    texts = catalogue.columns[column].cast(str, strict=False).to_list()
    return Texts({str(name): (text or "",) for name, text in zip(catalogue.items.to_list(), texts, strict=True)})


def titles_of(texts: Sequence[str]) -> Titles:
    """Read ``queries=queries.csv`` and ``items=items.csv`` of a command line."""
    paths: dict[str, str] = {}
    if len(texts) == 1 and Path(texts[0]).is_dir():
        return into_titles(texts[0])
    for text in texts:
        kind, equals, path = text.partition("=")
        if kind not in ("queries", "items"):
            raise InputError.of("cli.titles_of_what", text=text, path=path or "queries.csv")
        if not equals or not path:
            raise InputError.of("cli.titles_without_file", text=text, kind=kind)
        paths[kind] = path
    return into_titles(paths)


def _texts(source: Any, kind: str) -> Texts:
    if isinstance(source, Mapping):
        rows = {str(name): _row(text) for name, text in source.items()}
        first = next(iter(source.values()), None)
        names = tuple(map(str, first))[1:] if isinstance(first, Mapping) else ()
        return Texts(rows, names or tuple("" for _ in next(iter(rows.values()), ("",))[1:]))
    if isinstance(source, (str, Path)):
        return read_texts(Path(source))
    raise InputError.of("cli.titles_of_type", kind=kind, type=type(source).__name__)


def _row(text: Any) -> tuple[str, ...]:
    """The title of an item and what else is said of it."""
    if isinstance(text, Mapping):
        text = list(text.values())
    return (tuple(map(str, text)) or ("",)) if isinstance(text, (list, tuple)) else (str(text),)


def read_texts(path: Path) -> Texts:
    """A CSV, TSV or JSON lines file, compressed or not: ids, texts, and any more columns, with a header or without.

    Files of topics mostly have no header; the first line is one only where it names an id or a text.
    """
    with open_source(path) as source:
        content = source.read_all()
    try:
        text = content.decode("utf-8-sig")
        if text.lstrip()[:1] == "{":
            return _of_records(json.loads(line) for line in text.splitlines() if line.strip())
        is_tsv = path.suffix == ".tsv" or "\t" in text.partition("\n")[0]
        lines = io.StringIO(text, newline="")
        # A quote in a line of tabs is part of the text.
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if is_tsv else csv.reader(lines))
    except (UnicodeDecodeError, csv.Error, json.JSONDecodeError, AttributeError) as error:
        raise InputError.of("cli.texts_unreadable", source=str(path), why=str(error)) from error
    short = next((number for number, row in enumerate(rows, 1) if row and len(row) < 2), None)
    if short is not None:
        raise InputError.of("cli.texts_one_column", source=str(path), line=short)
    has_header = bool(rows) and _is_header(rows[0])
    names = tuple(rows[0][2:]) if has_header else ()
    texts = {unguarded(row[0]): tuple(map(unguarded, row[1 : 2 + len(names)])) for row in rows[has_header:] if row}
    return Texts(texts, names)


def _of_records(records: Iterable[Mapping[str, Any]]) -> Texts:
    """Records of an id and texts: BEIR's ``{"_id": ..., "title": ..., "text": ...}``."""
    rows: dict[str, dict[str, str]] = {}
    for record in records:
        named = next((name for name in record if is_id_name(name)), next(iter(record)))
        rows[str(record[named])] = {name: value for name, value in record.items()
                                    if name != named and isinstance(value, str) and value}  # fmt: skip
    names = sorted({name for row in rows.values() for name in row}, key=lambda name: (fold(name) not in _NAMES, name))
    texts = {}
    for item, row in rows.items():
        title = next((name for name in names if name in row), "")
        others = ("" if name == title else row.get(name, "") for name in names[1:])
        texts[item] = (row.get(title, ""), *others)
    return Texts(texts, tuple(names[1:]))


def _is_header(row: Sequence[str]) -> bool:
    """Whether the first line names its columns."""
    return len(row) > 1 and (is_id_name(row[0]) or (fold(row[1]) in _TEXTS and not row[0].strip().isdecimal()))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
