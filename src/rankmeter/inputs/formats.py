"""The formats of files: what each is called, how it is recognised by its first bytes, how it is opened.

This table is the only one: a new format is a row here, a line of `open_table` and the module that opens it; or a wing
adds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rankmeter.errors import InputError, Problem, did_you_mean
from rankmeter.inputs.trec import BOM, as_number, trec_kind, trec_shape
from rankmeter.wings import present
from rankmeter.wings import table as wings
from rankmeter.wings.loading import load

if TYPE_CHECKING:
    from rankmeter.inputs.checked_tables import OpenedTable
    from rankmeter.inputs.columns import Named, Side
    from rankmeter.inputs.compression import ByteSource

_SAMPLE_ROWS = 20
_FOREIGN = {
    b"PK\x03\x04": "inputs.foreign_zip",
    b"7z\xbc\xaf\x27\x1c": "inputs.foreign_7z",
    b"\x04\x22\x4d\x18": "inputs.foreign_lz4",
    b"\xff\xfe\0\0": "inputs.foreign_utf32",
    b"\xff\xfe": "inputs.foreign_utf16",
    b"\xfe\xff": "inputs.foreign_utf16",
    b"\x80\x04\x95": "inputs.foreign_pickle",
    b"\x93NUMPY": "inputs.foreign_npy",
    b"SQLite format 3": "inputs.foreign_sqlite",
}
"""How files begin that are not read, and what they are."""


class Head:
    """The first bytes of a file, looked at in the ways in which formats are told apart."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.text = content.removeprefix(BOM).lstrip()

    @cached_property
    def rows(self) -> list[bytes]:
        """The first rows of a text."""
        return sample_rows(self.content)

    @property
    def first(self) -> bytes:
        """The first row."""
        return self.rows[0] if self.rows else b""

    @cached_property
    def trec(self) -> str | None:
        """The TREC text that more than half of the first rows look like, unless the first is a header of a table."""
        fields = self.first.split()
        is_header = (
            b"\t" in self.first
            and trec_shape(fields) is None
            and not any(as_number(field) is not None for field in fields)
        )
        return None if is_header else trec_kind(self.rows)

    @cached_property
    def json(self) -> str | None:
        """Whether this is one JSON value, or one on each line."""
        if self.text[:1] not in (b"{", b"["):
            return None
        first, _, rest = self.text.partition(b"\n")
        try:
            value = json.loads(first)
        except (ValueError, RecursionError):
            return "json"
        # A record holds a word or a number, at least its query; queries with their items hold lists or objects only.
        is_record = isinstance(value, dict) and not all(isinstance(inner, (dict, list)) for inner in value.values())
        return "jsonl" if rest.strip() or is_record else "json"

    @property
    def is_plain_object(self) -> bool:
        """Whether this is a JSON object that holds no more than a list or an object of values under each key."""
        depth = 0
        for sign in re.sub(rb'"(?:[^"\\]|\\.)*"|[^][{}"]+', b"", self.text):
            depth += 1 if sign in b"[{" else -1
            if depth > 2:
                return False
        return self.text.startswith(b"{")


class Separated(NamedTuple):
    """How the fields of a row stand apart."""

    separator: str
    quoted: bool = True
    """Whether a field may stand in quotes, with separators and line ends in it."""


SEPARATED: Mapping[str, Separated] = {"csv": Separated(","), "tsv": Separated("\t", quoted=False)}
"""The formats of separated fields."""


def open_table(
    kind: str, source: ByteSource, side: Side, block_bytes: int | None = None, named: Named | None = None
) -> OpenedTable:
    """Open a file with named columns: every format but TREC text.

    ``block_bytes`` are read at a time, None for all at once. Modules are loaded only where they are needed.
    """
    if kind in ("parquet", "ipc"):
        from rankmeter.inputs.frames import Columnar

        return Columnar(source.content(), kind, source.name, in_parts=block_bytes is not None)
    if kind in ("json", "jsonl"):
        from rankmeter.inputs.json_tables import open_json, open_json_lines

        return open_json(source, side, named) if kind == "json" else open_json_lines(source, side, named)
    if kind in wings.FORMATS:
        opened: OpenedTable = load(wings.FORMATS[kind], f"format={kind!r}").open_table(source, side)
        return opened
    from rankmeter.inputs.delimited import Delimited

    table = Delimited(source, SEPARATED[kind], block_bytes)
    for columns, module in present(wings.TABLES).items():
        if {*columns.split(",")} <= {*table.names}:
            exported: OpenedTable | None = load(module, columns).table_of(table, source.name, side)
            if exported is not None:
                return exported
    return table


TABLE: tuple[tuple[str, Callable[[Head], bool]], ...] = (
    # A text could begin with these letters too, as the id of a query; then a blank follows.
    ("parquet", lambda head: head.content.startswith(b"PAR1") and head.content[4:5] not in (b" ", b"\t")),
    # The file kind of Arrow IPC has a magic word, the stream kind begins with the mark of a message.
    ("ipc", lambda head: head.content.startswith((b"ARROW1\0\0", b"\xff" * 4))),
    ("json", lambda head: head.json == "json"),
    ("jsonl", lambda head: head.json == "jsonl"),
    ("qrels", lambda head: head.trec == "qrels"),
    ("run", lambda head: head.trec == "run"),
    ("tsv", lambda head: b"\t" in head.first),
    ("csv", lambda head: b"," in head.first),
    ("qrels", lambda head: len(head.first.split()) == 4),
    ("run", lambda head: len(head.first.split()) > 4),
)
"""Every format, in the order in which they are tried: its name, and whether a file that is none above is in it."""

OTHER_NAMES = {"trec": "qrels or run, whichever is read", "labelled": "qrels in ranked order", "beir": "tsv"}
"""Names that ``format=`` takes for what is in the table under another name."""
FORMATS: tuple[str, ...] = tuple(dict.fromkeys([*OTHER_NAMES, *(name for name, _ in TABLE), *wings.FORMATS]))
"""The names that ``format=`` takes; what a wing adds is read only where it is named."""
ENDINGS = frozenset({*FORMATS, "arrow", "feather", "ndjson", "pq"})
"""How names of data usually end. Files are read by their content; this says which of those left out might be data."""


def check_format(name: object) -> None:
    """Refuse what is no name of a format."""
    if name is not None and name not in FORMATS:
        raise InputError.of(
            "inputs.unknown_format", format=f"{name!r}", names=", ".join(FORMATS), hint=did_you_mean(str(name), FORMATS)
        )


def recognise(head: bytes | Head, name: str = "the input") -> str:
    r"""Tell the format of a file from its first bytes, by the first row of `TABLE` that fits.

    Text has the shape of ``qrels`` where more than half of its first 20 rows (lines that are neither blank nor ``#``
    comments) have four fields and a number last, of ``run`` where they have five or more and a number fifth, unless the
    first row is a header: it has a tab, not that shape, and no number in it.

    What is binary, holds no row, or has no known shape is refused. The last line of ``head`` may be cut.

    Examples
    --------
    >>> recognise(b"301 0 D-4 1\n"), recognise(b"query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    ('qrels', 'tsv')
    """
    looked = head if isinstance(head, Head) else Head(head)
    for kind, fits in TABLE:
        if kind == "json":  # what comes from here on is text
            _check_text(looked.content, name)
        if kind == "qrels" and not looked.rows:
            raise InputError.of("inputs.only_comments", source=name)
        if fits(looked):
            return kind
    raise _unknown_shape(looked, name)


def _unknown_shape(head: Head, name: str) -> InputError:
    """What is said of text that has no known shape."""
    line, fields = repr(head.first[:60].decode("utf-8", "replace")), len(head.first.split())
    hint: Problem | None = None
    if separator := next((sign for sign in (b";", b"|") if sign in head.first), None):
        hint = Problem("inputs.other_separator", {"separator": separator.decode()})
    elif fields == 3:
        hint = Problem("inputs.three_fields", {})
    return InputError.of("inputs.unrecognised", source=name, line=line, fields=fields, hint=hint)


def sample_rows(head: bytes, most: int = _SAMPLE_ROWS) -> list[bytes]:
    """The first rows of a text, without blank lines and comments, and without a cut last line unless it is alone."""
    *lines, last = head.removeprefix(BOM).split(b"\n")
    rows = list(islice(filter(_is_row, lines), most))
    return rows or [line for line in [last] if _is_row(line)]


def _is_row(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _check_text(head: bytes, name: str) -> None:
    """Refuse what is not text, by name where it is a known kind."""
    for magic, kind in _FOREIGN.items():
        if head.startswith(magic):
            raise InputError.of(kind, source=name)
    if b"\0" in head:
        pairs = (head[:200:2], head[1:200:2])
        if len(head) > 1 and any(not side.strip(b"\0") for side in pairs) and all(map(len, pairs)):
            raise InputError.of("inputs.foreign_utf16", source=name)
        raise InputError.of("inputs.binary", source=name, byte=head.index(0) + 1)
