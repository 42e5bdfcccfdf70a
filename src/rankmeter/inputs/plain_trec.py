"""Plain TREC text without Polars: lines of equally many fields, whose ids stay where they stand in the text.

Loading Polars takes as long as reading a million lines, so what needs no table is read here. Anything that is not plain
(lines of different width, a number that is none, bytes that are not UTF-8) is left to :mod:`rankmeter.inputs.trec`,
which reads every text and says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS
from rankmeter.inputs.compression import ByteSource
from rankmeter.inputs.decimals import decimals
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

BLOCK_BYTES = 1 << 20
"""Small enough that the columns of a block stay in the processor's cache."""
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


def read_plain(
    source: ByteSource,
    layout: Layout,
    block_bytes: int = BLOCK_BYTES,
    look: Callable[[bytes], None] | None = None,
) -> Iterator[PlainRows]:
    """Rows in blocks of whole queries, as :func:`rankmeter.inputs.trec.read_frames` cuts them; ``look`` sees each.

    Raises
    ------
    NotPlainError
        At the first block that is not plain; also where there is nothing at all.
    """
    if not source.head.removeprefix(BOM):
        raise NotPlainError
    if source.head.startswith(BOM):
        source.read(len(BOM))
    for block in query_blocks(source, block_bytes):
        rows = _rows(block, layout)
        if look is not None:
            look(block)
        yield rows


def read_whole_plain(source: ByteSource, layout: Layout) -> PlainRows:
    """All rows at once, of a text that is not very long."""
    if source.path is not None and source.path.stat().st_size > MOST_BYTES:
        raise NotPlainError  # before it is read for nothing
    content = source.read(MOST_BYTES + 1).removeprefix(BOM)
    if not content or len(content) > MOST_BYTES:
        raise NotPlainError
    return _rows(content, layout)


def _rows(block: bytes, layout: Layout) -> PlainRows:
    if not block.endswith(b"\n"):
        block += b"\n"
    if may_hold_comments(block):
        raise NotPlainError
    if not block.isascii():
        _check_utf8(block)
    text = Text(block)
    ends = _fields(text, layout)
    if ends is None:  # perhaps more than one blank between fields
        text = Text(normalised(block) or b"")
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
    data = text.data[PADDING:-PADDING]
    blank = data <= _SPACE
    ends = np.flatnonzero(blank)
    ends += PADDING
    lines = int(np.count_nonzero(data == _NEWLINE))  # several times faster than to count in bytes
    width = len(ends) // max(lines, 1)
    if not len(layout.fields) <= width <= len(layout.fields) + layout.open_ended:
        return None
    if width * lines != len(ends) or (text.data[ends[width - 1 :: width]] != _NEWLINE).any():
        return None
    blanks = len(ends) - lines - np.count_nonzero(data == _SPACE)
    if blanks and blanks != np.count_nonzero(data == _TAB):  # a blank of another kind inside a line, or no line at all
        return None
    if blank[0] or (blank[1:] & blank[:-1]).any():
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
    if len(odd) and (np.isnan(values[odd]).any() or (layout.finite and np.isinf(values[odd]).any())):
        raise NotPlainError
    if values.max(initial=0.0) >= EXACT_WHOLE_NUMBERS or values.min(initial=0.0) <= -EXACT_WHOLE_NUMBERS:
        large = np.flatnonzero(np.abs(values) >= EXACT_WHOLE_NUMBERS).tolist()
        if any(would_be_rounded(written(row), float(values[row])) for row in large):
            raise NotPlainError
    return values
