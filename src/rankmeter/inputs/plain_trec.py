"""Plain TREC text without Polars: lines of equally many fields, whose ids stay where they stand in the text.

Loading Polars takes as long as reading a million lines, so what needs no table is read here. Anything that is not plain
(lines of different width, a number that is none, bytes that are not UTF-8) is left to :mod:`rankmeter.inputs.trec`,
which reads every text and says what is wrong with it.

Numbers are read all at once and are what ``float()`` gives for each, to the last bit. Eight digits are one 64-bit word,
and three multiplications of it are their number. The digits of a number, its point left out, are a whole number m, and
its value is m / 10**k for k digits behind the point. Both are exact as floats while m is below 2**53, so one division
rounds once, as ``float()`` does. For up to 19 digits the rounding error of m and of the quotient are carried along,
which settles all but the rows that lie as good as half way between two floats. These, and numbers of any other form
(``1e-5``, ``inf``), are read one by one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS
from rankmeter.inputs.compression import ByteSource
from rankmeter.inputs.text import FIRST, PADDING, WORD, Bools, Ints, Text, TextIds, Words, once_if_equal
from rankmeter.inputs.trec import BOM, Layout, as_number, may_hold_comments, normalised, query_blocks, would_be_rounded
from rankmeter.memory import reserve_large_pages

Floats = npt.NDArray[np.float64]

MOST_DIGITS = 19
"""Point included: what a word of 64 bits can hold."""
EXACT = np.uint64(1 << 53)
EXACT_DIGITS = 15
"""Up to so many digits every whole number is exact as a float."""
_MINUS = ord("-")
_POWERS = np.array([10**k for k in range(MOST_DIGITS + 1)], np.uint64)
_FLOAT_POWERS: Floats = np.array([10.0**k for k in range(MOST_DIGITS + 1)])


def _in_each_byte(byte: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([byte]) * WORD))


_ZEROS, _POINT, _LOW_BITS, _SIXES, _UPPER_HALVES = map(_in_each_byte, (0x30, 0x1E, 0x7F, 0x06, 0xF0))
_PAIR = np.uint64(0x000000FF000000FF)
_SUM, _BYTES_BEHIND = _in_each_byte(1), np.uint64(0x0706050403020100)
"""A word of bytes 0 and 1 times this has in its highest byte how many are 1; where one is, how many stand behind it."""
_LAST = ~FIRST[::-1]
"""The last 0 to 8 bytes of a word: the high ones."""


def decimals(text: Text, start: Ints, length: Ints) -> tuple[Floats, Ints]:
    """The numbers at some places of a text, and the rows that are not plain, whose number means nothing."""
    end, negative = start + length, None
    if b"-" in text.padded and (signs := text.data[start] == _MINUS).any():
        length, negative = length - signs, signs
    whole, behind, plain = _read_digits(text, end, once_if_equal(length))
    values = whole.astype(np.float64)
    values /= _FLOAT_POWERS[behind]
    if length.max(initial=0) > EXACT_DIGITS:
        large = np.flatnonzero(whole >= EXACT)
        powers = _FLOAT_POWERS[np.broadcast_to(behind, len(whole))[large]]
        values[large], settled = _quotients(whole[large], powers)
        plain[large] &= settled
    if negative is not None:
        np.negative(values, out=values, where=negative)
    return values, np.flatnonzero(~plain)


def _read_digits(text: Text, end: Ints, size: Ints) -> tuple[Words, Ints, Bools]:
    """The digits before each end as a whole number, how many of them stand behind the point, and which rows are plain.

    ``size`` is how many characters there are without the sign; one for all rows where they are equal.
    """
    plain = np.broadcast_to((size >= 1) & (size <= MOST_DIGITS), len(end)).copy()
    number = np.zeros(len(end), np.uint64)
    behind, points = np.zeros(1, np.int64), np.zeros(1, np.int64)
    longest = min(int(size.max(initial=0)), MOST_DIGITS)
    for count in range(-(-longest // WORD)):
        word = text.words(end - WORD * (count + 1))
        word ^= _ZEROS
        word &= _LAST[np.maximum(np.minimum(size - WORD * count, WORD), 0)]
        # Digits are their values now, a point is 0x1E, and what stands before the number is 0.
        point, others = _find_points(word)
        if point.any():
            marks = point >> np.uint64(7)
            found = ((marks * _SUM) >> np.uint64(56)).view(np.int64)
            points = points + found
            after = ((marks * _BYTES_BEHIND) >> np.uint64(56)).view(np.int64)
            behind = behind + np.where(found == 1, after + WORD * count, 0)
        if others is not None:
            plain &= others == 0
        word = _eight_digits(word)
        if count:
            word *= _POWERS[WORD * count]
        number += word
    plain &= (points <= 1) & (size > points)
    if not plain.all():
        behind = np.where(plain, behind, 0)
    # The point counts as a digit 0 so far: take it out.
    if points.any():
        before = number // _POWERS[behind + 1]
        before *= _POWERS[behind] * np.uint64(9)
        number -= before if points.all() else np.where(points > 0, before, np.uint64(0))
    return number, behind, plain


def _find_points(word: Words) -> tuple[Words, Words | None]:
    """The highest bit of each byte that is a point, which becomes 0, and what else is not a digit; None for nothing.

    Where all rows have their points at the places of the first row's, as in most files, that is one row for all.
    """
    point = _bytes_equal(word[:1], _POINT)
    there = (point >> np.uint64(7)) * np.uint64(0xFF)
    # A digit is below 10, so that neither it nor it plus 6 reaches the upper half; what stands for the point must be 0.
    points, sixes, upper = there & _POINT, ~there & _SIXES, there | _UPPER_HALVES
    word ^= points
    others = word + sixes
    others |= word
    others &= upper
    if not others.any():
        return point, None
    word ^= points
    point = _bytes_equal(word, _POINT)
    word ^= (point >> np.uint64(7)) * np.uint64(0x1E)
    return point, (word | (word + _SIXES)) & _UPPER_HALVES


def _bytes_equal(word: Words, wanted: np.uint64) -> Words:
    """The highest bit of each byte that is the wanted one: the classic search for a zero byte, in its exact form."""
    differs = word ^ wanted
    found = differs & _LOW_BITS
    found += _LOW_BITS
    found |= differs
    found |= _LOW_BITS
    np.invert(found, out=found)
    return found


def _eight_digits(word: Words) -> Words:
    """The number of eight digits, the first of them in the lowest byte.

    Neighbours become pairs. The first and the third pair are multiplied by their powers of ten at once, and so are the
    second and the fourth; all four meet in the upper half.
    """
    pairs = word >> np.uint64(8)
    word *= np.uint64(10)
    word += pairs
    odd = word & _PAIR
    odd *= np.uint64(100 + (10**6 << 32))
    word >>= np.uint64(16)
    word &= _PAIR
    word *= np.uint64(1 + (10**4 << 32))
    word += odd
    word >>= np.uint64(32)
    return word


def _quotients(whole: Words, power: Floats) -> tuple[Floats, Bools]:
    """Correctly rounded quotients of large whole numbers by powers of ten, and which of them are certain."""
    high = whole.astype(np.float64)
    low = (whole - high.astype(np.uint64)).view(np.int64).astype(np.float64)
    first = high / power
    product, error = _exact_product(first, power)
    correction = ((high - product) - error + low) / power
    value = first + correction
    left = correction - (value - first)
    half = np.spacing(value) / 2
    # Half way to the next float, or where the spacing of floats changes, the last bits of the correction decide.
    fraction, _ = np.frexp(value)
    certain: Bools = (np.abs(np.abs(left) - half) > half * 1e-9) & (fraction != 0.5)
    return value, certain


def _exact_product(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """A product and its rounding error (Dekker's, by halves of 26 bits)."""
    product = one * other
    one_high, one_low = _two_halves(one)
    other_high, other_low = _two_halves(other)
    error = ((one_high * other_high - product) + one_high * other_low + one_low * other_high) + one_low * other_low
    return product, error


def _two_halves(values: Floats) -> tuple[Floats, Floats]:
    scaled = values * 134217729.0  # 2**27 + 1
    high = scaled - (scaled - values)
    return high, values - high


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
    try:
        text.padded.isascii() or text.padded.decode()
    except UnicodeDecodeError:
        raise NotPlainError from None
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
