"""A text and the ids in it, without an object for any of them: where each begins, and how long it is.

Ids are looked at eight bytes at a time: a 64-bit word read from any position of the text, for all rows at once. Equal
ids have equal words, and words in big-endian order sort as the ids do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

WORD = 8
MOST_WORDS = 8
"""Up to how long ids are sorted by words of all of them; one very long id would cost every other one as many."""
PADDING = WORD * MOST_WORDS
"""Zeros before and behind a text, so that a word may be read a little outside of it."""
_ZEROS = bytes(PADDING)
FIRST = np.array([(1 << WORD * size) - 1 for size in range(WORD + 1)], np.uint64)
"""The first 0 to 8 bytes of a word: the low ones, since words are read little-endian."""
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93))
"""Odd multipliers with well mixed bits."""


Integer = TypeVar("Integer", np.int64, np.uint64)


def once_if_equal(values: npt.NDArray[Integer]) -> npt.NDArray[Integer]:
    """A column whose rows are all equal as one row, which then stands for all: files mostly have one width."""
    return values[:1] if len(values) and (values == values[0]).all() else values


class Text:
    """The bytes of a text, put together from its parts; positions count from its padding on."""

    __slots__ = ("_words", "data", "padded")

    def __init__(self, *parts: bytes | memoryview) -> None:
        self.padded = b"".join((_ZEROS, *parts, _ZEROS))
        """All bytes, those of the padding too."""
        self.data: Bytes = np.frombuffer(self.padded, np.uint8)
        # One word for every position, overlapping: a view, not a copy.
        self._words: Words = np.ndarray((len(self.data) - WORD + 1,), "<u8", self.padded, strides=(1,))

    def __reduce__(self) -> tuple[type[Text], tuple[bytes]]:
        return Text, (self.content,)

    @property
    def content(self) -> bytes:
        """The text without its padding."""
        return self.padded[PADDING:-PADDING]

    def words(self, positions: Ints) -> Words:
        """The eight bytes from each position on, the first of them lowest."""
        return self._words[positions]


@dataclass(frozen=True, slots=True)
class TextIds:
    """A column of ids that stand in a text."""

    text: Text
    start: Ints
    length: Ints
    are_keys: ClassVar[bool] = False

    @classmethod
    def of(cls, ids: Sequence[object]) -> TextIds:
        """Ids as a text of their own, a zero byte behind each; refuses ids that hold one with a ValueError."""
        try:
            content = ("\0".join(ids) + "\0").encode() if ids else b""  # type: ignore[arg-type]
        except TypeError:  # numbers among them
            content = "".join(f"{one!s}\0" for one in ids).encode()
        ends = np.flatnonzero(np.frombuffer(content, np.uint8) == 0)
        if len(ends) != len(ids):
            raise ValueError("an id holds a zero byte")
        length = np.diff(ends, prepend=-1) - 1
        return cls(Text(content), PADDING + ends - length, length)

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints) -> TextIds:
        return TextIds(self.text, self.start[rows], self.length[rows])

    def _slices(self) -> list[bytes]:
        content, ends = self.text.padded, self.start + self.length
        return [content[start:end] for start, end in zip(self.start.tolist(), ends.tolist(), strict=True)]

    def to_list(self) -> list[str]:
        """The ids themselves; they are UTF-8."""
        return [id_.decode() for id_ in self._slices()]

    @property
    def width(self) -> int:
        """How many words the longest id has."""
        return -(-int(self.length.max(initial=0)) // WORD)

    def word(self, number: int) -> Words:
        """Eight bytes of each id, the first of them lowest, zeros behind its end."""
        word = self.text.words(self.start + WORD * number if number else self.start)
        left = once_if_equal(self.length) - WORD * number
        word &= FIRST.take(left, mode="clip")
        return word

    def _longer(self, among: Ints | None = None) -> Iterator[tuple[int, Ints | None]]:
        """The number of each word, and the rows that have one; None for all.

        Each time only the rows that had the word before are looked at, so that one long id costs no more than its
        length.
        """
        rows = among
        for number in range(self.width):
            longer = (self.length if rows is None else self.length[rows]) > WORD * number
            if not longer.all():
                rows = np.flatnonzero(longer) if rows is None else rows[longer]
            yield number, rows

    def keys(self, salt: int = 0) -> Words:
        """A 64-bit key for each id: its bytes where they are at most eight, a hash otherwise, another for each salt."""
        keys = self.word(0)
        for number, rows in self._longer():
            if number == 0:
                continue
            word = (self if rows is None else self.take(rows)).word(number)
            word *= _ODD[0]
            word ^= word >> np.uint64(32)
            # A multiplier for each word, so that eight bytes at another place give another key.
            word *= _ODD[1] + np.uint64(2 * number + 4096 * salt)
            if rows is None:
                keys += word
            else:
                keys[rows] += word
        return keys

    def equal(self, other: TextIds) -> Bools:
        same: Bools = self.length == other.length
        for number, rows in self._longer(None if same.all() else np.flatnonzero(same)):
            if rows is None:
                same &= self.word(number) == other.word(number)
            else:
                same[rows] &= self.take(rows).word(number) == other.take(rows).word(number)
        return same

    def changes(self) -> Ints:
        """The rows whose id differs from that of the row before, the first row included."""
        if not len(self):
            return np.empty(0, np.int64)
        differs = np.ones(len(self), np.bool_)
        np.not_equal(self.length[1:], self.length[:-1], out=differs[1:])
        for number, rows in self._longer():
            if rows is None:
                word = self.word(number)
                differs[1:] |= word[1:] != word[:-1]
            else:
                alike = rows[~differs[rows]]  # as long as the row before, which has this word too
                differs[alike] = self.take(alike).word(number) != self.take(alike - 1).word(number)
        return np.flatnonzero(differs)

    def sort_keys(self) -> Words:
        """Numbers that sort as the ids do, byte by byte."""
        if self.width > MOST_WORDS:
            slices = self._slices()
            place = {id_: number for number, id_ in enumerate(sorted(set(slices)))}
            return np.fromiter(map(place.__getitem__, slices), np.uint64, len(slices))
        words = [self.word(number).byteswap() for number in range(self.width)]
        if len(words) <= 1:
            return words[0] if words else np.empty(0, np.uint64)
        order = np.lexsort(words[::-1])
        steps = np.zeros(len(self), np.uint64)
        for word in words:
            steps[1:] |= word[order[1:]] != word[order[:-1]]
        keys = np.empty(len(self), np.uint64)
        keys[order] = np.cumsum(steps)
        return keys
