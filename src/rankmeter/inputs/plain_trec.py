"""Plain TREC text without Polars: lines of equally many fields, whose ids stay where they stand in the text.

Loading Polars takes as long as reading a million lines, so what needs no table is read here. Anything that is not plain
(lines of different width, a number that is none, bytes that are not UTF-8) is left to :mod:`rankmeter.inputs.trec`,
which reads every text and says what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS
from rankmeter.inputs.compression import ByteSource
from rankmeter.inputs.decimals import EXACT_DIGITS, decimals
from rankmeter.inputs.text import PADDING, Ints, Text, TextIds
from rankmeter.inputs.trec import (
    BOM,
    Layout,
    as_number,
    may_hold_comments,
    normalised,
    query_blocks,
    would_be_rounded,
)
from rankmeter.memory import reserve_large_pages

BLOCK_BYTES = 1 << 21
"""Small enough that the columns of a block stay in the processor's cache."""
MOST_FIELDS = 6
MOST_BYTES = 1 << 26
"""Up to how long a text is taken whole: its columns need some times its own size."""
_NEWLINE, _SPACE, _TAB = b"\n \t"


class NotPlainError(Exception):
    """The text needs the other reader."""


@dataclass(frozen=True, slots=True)
class PlainRows:
    """Some rows of judgments or of a run."""

    query: TextIds
    item: TextIds
    value: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.value)

    @property
    def text(self) -> Text:
        """The text in which they stand."""
        return self.query.text


def read_plain(source: ByteSource, layout: Layout, block_bytes: int = BLOCK_BYTES) -> Iterator[PlainRows]:
    """Rows in blocks of whole queries, as :func:`rankmeter.inputs.trec.read_frames` cuts them.

    Raises
    ------
    NotPlainError
        At the first block that is not plain; also where there is nothing at all.
    """
    if not source.head.removeprefix(BOM):
        raise NotPlainError
    reserve_large_pages()
    if source.head.startswith(BOM):
        source.read(len(BOM))
    for parts in query_blocks(source, block_bytes):
        yield _rows(parts, layout)


def read_whole_plain(source: ByteSource, layout: Layout) -> PlainRows:
    """All rows at once, of a text that is not very long."""
    reserve_large_pages()
    if source.path is not None and os.stat(source.path).st_size > MOST_BYTES:  # noqa: PTH116 (pathlib is loaded late)
        raise NotPlainError  # before it is read for nothing
    content = source.read(MOST_BYTES + 1).removeprefix(BOM)
    if not content or len(content) > MOST_BYTES:
        raise NotPlainError
    return _rows((content,), layout)


def _rows(parts: Sequence[bytes | memoryview], layout: Layout) -> PlainRows:
    text = Text(*parts, *(() if parts[-1][-1] == _NEWLINE else (b"\n",)))
    if may_hold_comments(text.padded, PADDING):
        raise NotPlainError
    if not text.padded.isascii():
        _check_utf8(text.padded)
    ends = _fields(text, layout)
    if ends is None:  # perhaps more than one blank between fields
        text = Text(normalised(text.content) or b"")
        ends = _fields(text, layout)
    if ends is None:
        raise NotPlainError
    line = np.empty(len(ends), np.int64)
    line[0] = PADDING
    np.add(ends[:-1, -1], 1, out=line[1:])
    last = len(layout.fields) - 1
    item, number = ends[:, 1] + 1, ends[:, last - 1] + 1
    values = _numbers(text, number, ends[:, last] - number, layout)
    return PlainRows(TextIds(text, line, ends[:, 0] - line), TextIds(text, item, ends[:, 2] - item), values)


def _check_utf8(block: bytes) -> None:
    try:
        block.decode()
    except UnicodeDecodeError:
        raise NotPlainError from None


def _fields(text: Text, layout: Layout) -> Ints | None:
    """(lines, fields) where each field ends; None where lines differ, a field is empty or words follow the tag."""
    data = text.data[:-PADDING]
    blank = data <= _SPACE
    blank[:PADDING] = False
    ends = np.flatnonzero(blank)
    first = np.flatnonzero(text.data[ends[:MOST_FIELDS]] == _NEWLINE)
    width = int(first[0]) + 1 if len(first) else 0
    if not len(layout.fields) + layout.tagged <= width <= len(layout.fields) + layout.is_run:
        return None
    lines = len(ends) // width
    if width * lines != len(ends) or (text.data[ends[width - 1 :: width]] != _NEWLINE).any():
        return None
    inside = len(ends) - lines - np.count_nonzero(data == _SPACE)  # several times faster than to count in bytes
    if inside and inside != np.count_nonzero(data == _TAB):  # a blank of another kind inside a line
        return None
    if blank[PADDING] or (blank[1:] & blank[:-1]).any():
        return None
    return ends.reshape(lines, width)


def _numbers(text: Text, start: Ints, length: Ints, layout: Layout) -> npt.NDArray[np.float64]:
    values, odd = decimals(text, start, length)

    def written(row: int) -> bytes:
        return text.data[start[row] : start[row] + length[row]].tobytes()

    for row in odd.tolist():
        value = as_number(written(row))
        if value is None:
            raise NotPlainError
        values[row] = value
    if len(odd) and (np.isnan(values[odd]).any() or (not layout.is_run and np.isinf(values[odd]).any())):
        raise NotPlainError
    if len(odd) or length.max(initial=0) > EXACT_DIGITS:
        large = np.flatnonzero(np.abs(values) >= EXACT_WHOLE_NUMBERS).tolist()
        if any(would_be_rounded(written(row), float(values[row])) for row in large):
            raise NotPlainError
    return values
