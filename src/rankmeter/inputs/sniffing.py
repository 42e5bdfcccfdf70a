"""What kind of file this is, told from its first bytes."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice

from rankmeter.errors import InputError, with_hint
from rankmeter.inputs.trec import BOM, as_number

_SAMPLE_ROWS = 20
_FOREIGN = {
    b"PK\x03\x04": ("a zip archive (or a spreadsheet)", "unpack it, or save the sheet as CSV."),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "unpack it first."),
    b"\x04\x22\x4d\x18": ("compressed with lz4", "decompress it first; .gz, .zst, .xz and .bz2 are read as they are."),
    b"\xff\xfe": ("UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8"),
    b"\xfe\xff": ("UTF-16 text", "convert it first: iconv -f UTF-16 -t UTF-8"),
    b"\x80\x04\x95": ("a Python pickle", "load it yourself and pass the object."),
}


def recognise(head: bytes, name: str = "the input") -> str:
    r"""Tell the format of a file from its first bytes.

    In this order:

    1. ``PAR1`` is Parquet, ``ARROW1`` with two NULs Arrow IPC.
    2. Any other NUL byte means binary content, which is an error.
    3. A first character ``{`` or ``[`` is JSON: ``jsonl`` when the first line is a whole value and another one follows,
       or when it is a single object that holds more than lists and objects (a record); else ``json``.
    4. Else it is text, and its first 20 rows (lines that are neither blank nor ``#`` comments) decide. A row of four
       fields with a number last has the shape of ``qrels``, one of five or more fields with a number fifth the shape
       of ``run``. If more than half of the rows share a shape, that is the format, unless the first row is a header:
       it has a tab, not that shape, and no number in it.
    5. Else by the first row: a tab means ``tsv``, a comma ``csv``, five fields or more ``run``, four ``qrels``.
    6. Anything else is an error.

    Parameters
    ----------
    head
        The first bytes of the decompressed content; the last line may be cut.
    name
        How messages name the input.

    Returns
    -------
    str
        "qrels", "run", "csv", "tsv", "json", "jsonl", "parquet" or "ipc".

    Raises
    ------
    InputError
        When the content is binary, holds no row, or has no known shape.

    Examples
    --------
    >>> recognise(b"301 0 D-4 1\n"), recognise(b"query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    ('qrels', 'tsv')
    """
    # A text could begin with these letters too, as the id of a query; then a blank follows.
    if head.startswith(b"PAR1") and head[4:5] not in (b" ", b"\t"):
        return "parquet"
    if head.startswith(b"ARROW1\0\0"):
        return "ipc"
    _check_text(head, name)
    text = head.removeprefix(BOM).lstrip()
    if text[:1] in (b"{", b"["):
        return _json_kind(text)
    rows = sample_rows(head)
    if not rows:
        raise InputError(f"{name} holds only comments and blank lines.")
    first, fields = rows[0], rows[0].split()
    shape = trec_kind(head)
    is_header = b"\t" in first and _shape(fields) is None and not any(as_number(field) is not None for field in fields)
    if shape is not None and not is_header:
        return shape
    if b"\t" in first:
        return "tsv"
    if b"," in first:
        return "csv"
    if len(fields) >= 4:
        return "qrels" if len(fields) == 4 else "run"
    shown = first[:60].decode("utf-8", "replace")
    hint = ""
    if b";" in first:
        hint = "fields of a CSV are separated by commas: replace the semicolons"
    elif len(fields) == 3:
        hint = (
            "TREC judgments have four fields (query 0 item grade); a table of three needs a header and commas or tabs"
        )
    raise InputError(
        with_hint(
            f"{name} is in no format that is recognised: its first line is {shown!r}, {len(fields)} "
            f"field{'s' if len(fields) != 1 else ''}. Expected judgments (query, iteration, item, grade), "
            "a run (query, Q0, item, rank, score, tag), or a CSV, TSV, JSON, JSONL, Parquet or Arrow IPC file.",
            hint,
        )
    )


def trec_kind(head: bytes) -> str | None:
    """``"qrels"`` or ``"run"`` if more than half of the first rows have its shape, else None."""
    rows = sample_rows(head)
    shapes = Counter(_shape(row.split()) for row in rows)
    shape, count = max(shapes.items(), key=lambda pair: pair[1], default=(None, 0))
    return shape if 2 * count > len(rows) else None


def sample_rows(head: bytes, most: int = _SAMPLE_ROWS) -> list[bytes]:
    """The first rows of a text, without blank lines and comments, and without a cut last line unless it is alone."""
    *lines, last = head.removeprefix(BOM).split(b"\n")
    rows = list(islice(filter(_is_row, lines), most))
    return rows or [line for line in [last] if _is_row(line)]


def _is_row(line: bytes) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith(b"#")


def _shape(fields: list[bytes]) -> str | None:
    if len(fields) == 4:
        return "qrels" if as_number(fields[3]) is not None else None
    if len(fields) >= 5:
        return "run" if as_number(fields[4]) is not None else None
    return None


def _check_text(head: bytes, name: str) -> None:
    """Refuse what is not text, by name where it is a known kind."""
    for magic, (kind, hint) in _FOREIGN.items():
        if head.startswith(magic):
            raise InputError(with_hint(f"{name} is {kind}.", hint))
    if b"\0" in head:
        raise InputError(
            f"{name} looks binary: byte {head.index(0) + 1:,} is NUL, and it is neither Parquet nor Arrow IPC."
        )


def _json_kind(text: bytes) -> str:
    first, _, rest = text.partition(b"\n")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return "json"
    if rest.strip():
        return "jsonl"
    # A record holds a word or a number, at least its query; queries with their items hold lists or objects only.
    is_record = isinstance(value, dict) and not all(isinstance(inner, (dict, list)) for inner in value.values())
    return "jsonl" if is_record else "json"
