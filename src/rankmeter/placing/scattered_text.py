"""A plain text whose lines stand in no order of queries, brought together as numbers: on disk where they are many.

A line becomes the number of its query, its score and the bytes of its item, mostly 24 bytes in all. Lines are dealt to
partitions by their query, in the order given, so that a partition holds whole queries and is grouped in memory. Seven
million lines take 1.5 times the time of grouped ones, and 130 MB; as a table they took 2.6 times, and 1 GB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

import numpy as np

from rankmeter.inputs.plain_trec import NotPlainError, PlainRows
from rankmeter.inputs.text import MOST_WORDS, PADDING, WORD, Text, TextIds
from rankmeter.placing.matching import KeyTable
from rankmeter.placing.placements import Floats, Ints
from rankmeter.placing.segments import Keys, group_rows

IN_MEMORY_BYTES = 1 << 26
"""Up to this size lines are kept in memory."""
PARTITIONS = 64
_LENGTH = 40
"""From which bit on the length of an item stands beside the number of its query."""


def gathered(run: Iterable[PlainRows], known: dict[str, int]) -> Iterator[tuple[Ints, Ints, TextIds, Floats]]:
    """Blocks of whole queries: their numbers, how many rows each has, and items and scores of the rows, grouped.

    ``known`` numbers queries, and is told of new ones in the order in which they come. `NotPlainError` says that tables
    must do it: ids too long to be kept as numbers, or no room for temporary files.
    """
    numbers, blocks = _Numbers(known), []
    with SpooledTemporaryFile(IN_MEMORY_BYTES, prefix="rankmeter-") as spool:
        for rows in run:
            code = numbers.of(rows.query)
            part = (code % PARTITIONS).astype(np.uint8)
            dealt = _as_words(code, rows)[np.argsort(part, kind="stable")]
            blocks.append((dealt.shape[1], np.append(0, np.cumsum(np.bincount(part, minlength=PARTITIONS)))))
            try:
                spool.write(dealt.data)
            except OSError:
                raise NotPlainError from None
        for number in range(PARTITIONS):
            words = _partition(spool, blocks, number)
            if len(words):
                yield _grouped(words)


def _as_words(code: Ints, rows: PlainRows) -> Keys:
    """The rows of a block, each as a few words."""
    width = rows.item.width
    if width > MOST_WORDS:
        raise NotPlainError
    words = np.empty((len(rows), 2 + width), np.uint64)
    words[:, 0] = code + (rows.item.length << _LENGTH)
    words[:, 1] = rows.value.view(np.uint64)
    for number in range(width):
        words[:, 2 + number] = rows.item.word(number)
    return words


def _partition(spool: IO[bytes], blocks: list[tuple[int, Ints]], number: int) -> Keys:
    """The rows of one partition, in the order given."""
    rows = sum(int(first[number + 1] - first[number]) for _, first in blocks)
    words = np.zeros((rows, max(width for width, _ in blocks)), np.uint64)
    begin = row = 0
    for width, first in blocks:
        count = int(first[number + 1] - first[number])
        spool.seek(begin + WORD * width * int(first[number]))
        words[row : row + count, :width] = np.frombuffer(spool.read(WORD * width * count), np.uint64).reshape(-1, width)
        begin, row = begin + WORD * width * int(first[-1]), row + count
    return words


def _grouped(words: Keys) -> tuple[Ints, Ints, TextIds, Floats]:
    local = (words[:, 0] & np.uint64((1 << _LENGTH) - 1)).astype(np.int64) // PARTITIONS
    words = words[group_rows(local, int(local.max()) + 1)]
    sizes = np.bincount(local)
    there = np.flatnonzero(sizes)
    first = int(words[0, 0]) & ((1 << _LENGTH) - 1)
    width = words.shape[1] - 2
    text = Text(words[:, 2:].tobytes())
    start = PADDING + WORD * width * np.arange(len(words))
    items = TextIds(text, start, (words[:, 0] >> np.uint64(_LENGTH)).astype(np.int64))
    return there * PARTITIONS + first % PARTITIONS, sizes[there], items, words[:, 1].copy().view(np.float64)


class _Numbers:
    """The numbers of queries, found by keys of their ids, many at a time.

    A query that is new is looked up as text; when that was done as often as there are queries, a new table is made.
    """

    def __init__(self, known: dict[str, int]) -> None:
        self._known, self._asked = known, 0
        self._fill()

    def _fill(self) -> None:
        self._ids = TextIds.of(list(self._known))
        self._table, self._asked = KeyTable.of(self._ids.keys()), 0
        if self._table.repeats:
            raise NotPlainError

    def of(self, queries: TextIds) -> Ints:
        """The number of each query."""
        code = self._table.numbers(queries.keys())
        if max(queries.width, self._ids.width) > 1:  # keys are hashes then
            rows = np.flatnonzero(code >= 0)
            code[rows[~queries.take(rows).equal(self._ids.take(code[rows]))]] = -1
        strangers = np.flatnonzero(code < 0)
        if len(strangers):
            known = self._known
            code[strangers] = [known.setdefault(name, len(known)) for name in queries.take(strangers).to_list()]
            self._asked += len(strangers)
            if self._asked > len(known):
                self._fill()
        return code
