"""The lines that trec_eval prints for every query, as bytes: there may be a million of them.

A line is a label, the name of the query and a value. All lines of many queries are one array of bytes with room for the
longest of each; what stays empty is taken out at the end. That takes a quarter of the time of formatting each query.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from rankmeter.placing.placements import Floats

Texts = npt.NDArray[np.bytes_]

DOUBTFUL = 1e-6
"""How near to half way the scaled number may be misleading: far more than its rounding error."""
BLOCK_BYTES = 1 << 20


def four_digits(value: float) -> str:
    """A value as C prints it: 0/0 has a minus sign, one that was read from a file of z-scores has that of the file."""
    if math.isnan(value):
        return "  -nan" if math.copysign(1, value) < 0 else "   nan"
    return f"{value:6.4f}"


def all_four_digits(values: Floats) -> Texts:
    """Many values as C prints each of them.

    Most measures lie between 0 and 1, so there are only ten thousand and one texts to choose from. Numbers that lie as
    good as half way between two of them, or outside, are printed one by one.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = values * 1e4
        nearest = np.rint(scaled)
        certain = ~np.signbit(values) & (values <= 1.0) & (np.abs(np.abs(scaled - nearest) - 0.5) > DOUBTFUL)
    texts = _usual_texts()[np.where(certain, nearest, 0.0).astype(np.int64)]
    if not certain.all():
        others = written_once(values[~certain], four_digits)
        texts = texts.astype(np.result_type(texts, others))
        texts[~certain] = others
    return texts


@cache
def _usual_texts() -> Texts:
    """0.0000 to 1.0000."""
    powers = np.array([10_000, 1, 1_000, 100, 10, 1])
    letters = np.arange(10_001)[:, None] // powers % 10 + ord("0")
    letters[:, 1] = ord(".")
    texts: Texts = letters.astype(np.uint8).view("S6").ravel()
    return texts


def written_once(values: Floats, written: Callable[[float], str]) -> Texts:
    """The text of each value, made once for all that are equal to the last bit."""
    bits, places = np.unique(values.view(np.int64), return_inverse=True)
    return as_bytes(map(written, bits.view(np.float64).tolist()))[places]


def as_bytes(texts: Iterable[str]) -> Texts:
    """Texts as they are printed."""
    return np.array([_printed(text) for text in texts])


def _printed(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def lines_of_queries(labels: Sequence[str], names: Sequence[str], cells: Sequence[Texts]) -> Iterator[bytearray]:
    """The lines of all queries, one for each label, in blocks. None of these texts holds a NUL."""
    columns = [(_printed(label) + b"\t", cell) for label, cell in zip(labels, cells, strict=True)]
    size = sum(len(start) + cell.itemsize for start, cell in columns) + len(cells) * max(map(len, names))
    step = max(1, BLOCK_BYTES // size)
    for first in range(0, len(names), step):
        block = as_bytes(names[first : first + step])
        line = b"".join(b"%b%b\t%b\n" % (start, bytes(block.itemsize), bytes(cell.itemsize)) for start, cell in columns)
        lines = bytearray(line) * len(block)
        place = 0
        for start, cell in columns:
            place += len(start)
            for texts in (block, cell[first : first + step]):
                np.ndarray(len(block), texts.dtype, lines, place, (len(line),))[:] = texts
                place += texts.itemsize + 1
        yield lines.replace(b"\0", b"")
