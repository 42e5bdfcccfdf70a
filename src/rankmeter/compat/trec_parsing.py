"""trec_eval's own way of reading its files, line by line and exactly: for short files, and for odd ones of any size.

The ordinary readers are faster and kinder. They take blank lines and comments that the program does not, and refuse
what it takes (a score `1abc`, which it reads as 1). So a long file is read by them only where `is_plain_run` and
`is_plain_judgments` see that both ways agree; whatever they then refuse is read again here.

Ids are text of which every character is one byte (Latin-1): the program compares bytes, and any byte but blanks may
stand in an id. `shown` turns them back.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from typing import TypeVar

import numpy as np

from rankmeter.compat import c_numbers
from rankmeter.compat.trec_measures import Version
from rankmeter.errors import InputError, RankmeterWarning, examples, with_hint
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.trec import BOM, as_number

Row = TypeVar("Row")
Source = str | bytes
"""A path, or the content of standard input."""
Judged = dict[str, list[tuple[str, int]]]
Returned = dict[str, list[tuple[str, float]]]

JUDGMENT_FIELDS = ("query", "iteration", "document", "grade")
ORDER = "judgments come first, then the run"
RUN_FIELDS = ("query", "Q0", "document", "rank", "score", "tag")
UNDEFINED = "trec_eval reads memory there that it never wrote, so no output is the right one"
TAB, NEWLINE, RETURN, SPACE, HASH, LOWER = 9, 10, 13, 32, 35, 32
STEP = 1 << 17
"""Small enough that what is looked at stays in the processor's cache."""


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A run with all its rows in the order of the file, and the tag of the last one."""

    rows: Returned
    tag: str | None
    """None where there is no row."""


def read_judgments(source: Source, version: Version) -> Judged:
    """All rows of a file of judgments; grades are whole numbers, as ``atol`` has them."""
    judged: Judged = {}
    odd: list[str] = []
    for fields in _judgment_lines(source, version):
        grade = c_numbers.whole(fields[3])
        judged.setdefault(fields[0], []).append((fields[2], grade))
        if not fields[3].lstrip("+-").isdecimal():
            odd.append(f"'{shown(fields[3])}' as {grade}")
    if not judged:
        raise InputError(f"{_name(source)} holds no judgment; {UNDEFINED}.")
    _note_odd(source, "grade", odd)
    return judged


def read_run(source: Source, version: Version) -> ProgramRun:
    """All rows of a run; scores as ``atof`` has them."""
    rows: Returned = {}
    tag = None
    odd: list[str] = []
    for fields in _run_lines(source, version):
        score = c_numbers.real(fields[4])
        rows.setdefault(fields[0], []).append((fields[2], score))
        tag = fields[5]
        if as_number(fields[4].encode("latin-1")) is None or isnan(score):
            odd.append(f"'{shown(fields[4])}' as {score:g}")
    _note_odd(source, "score", odd)
    return ProgramRun(rows, None if tag is None else shown(tag))


def _note_odd(source: Source, what: str, odd: list[str]) -> None:
    if odd:
        text = examples(dict.fromkeys(odd), shown=3).encode("utf-8", "backslashreplace").decode()
        count = f"{len(odd):,} {what}s are" if len(odd) > 1 else f"a {what} is"
        warnings.warn(
            f"{_name(source)}: {count} no plain number; read as trec_eval reads them: {text}.",
            RankmeterWarning,
            stacklevel=2,
        )


def read_table(source: Source, names: Sequence[str]) -> Iterator[list[str]]:
    """The fields of a table without comments and blank lines."""
    for number, line in enumerate(_lines(source), 1):
        yield _fields(source, number, line, names, exactly=True)


def shown(text: str) -> str:
    """An id or tag as it is printed."""
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


def as_id(text: str) -> str:
    """An id from the command line, as this module has it."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _content(source: Source) -> bytes:
    if isinstance(source, bytes):
        return source
    with open_source(source) as opened:
        return opened.read_all()


def _name(source: Source) -> str:
    return source if isinstance(source, str) else "<stdin>"


def _judgment_lines(source: Source, version: Version) -> Iterator[list[str]]:
    lines = enumerate(_lines(source), 1)
    for number, line in lines:
        if version == 10 and line.startswith(b"#"):
            # Whatever follows one comment is data for the program: a second comment, a blank line.
            following = next(lines, None)
            if following is None:
                raise InputError(f"{_name(source)}:{number}: a comment with no judgment behind it; {UNDEFINED}.")
            number, line = following
        yield _fields(source, number, line, JUDGMENT_FIELDS, exactly=True)


def _run_lines(source: Source, version: Version) -> Iterator[list[str]]:
    for number, line in enumerate(_lines(source), 1):
        begun = line.lstrip()
        if begun and not (version == 10 and begun.startswith(b"#")):
            yield _fields(source, number, begun, RUN_FIELDS, exactly=False)


def _lines(source: Source) -> Iterator[bytes]:
    """The lines up to the end, or to one that begins with NUL, where the program takes the file to end."""
    content = _content(source)
    if not content:
        raise InputError(f"{_name(source)} is empty.")
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), 1):
        if line.startswith(b"\0"):
            return
        if b"\0" in line:
            raise InputError(f"{_name(source)}:{number}: a NUL byte stands inside the line; {UNDEFINED}.")
        yield line


def _fields(source: Source, number: int, line: bytes, names: Sequence[str], *, exactly: bool) -> list[str]:
    fields = [field.decode("latin-1") for field in line.split()]
    if len(fields) < len(names) or (exactly and len(fields) > len(names)):
        expected = f"{len(names)}{'' if exactly else ' or more'} ({', '.join(names)})"
        text = line.strip().decode("utf-8", "replace")
        fact = f"{_name(source)}:{number}: {len(fields)} fields where trec_eval expects {expected}: {text[:60]!r}."
        other = JUDGMENT_FIELDS if names == RUN_FIELDS else RUN_FIELDS
        raise InputError(with_hint(fact, ORDER if len(fields) == len(other) else ""))
    return fields


def ranked(rows: list[tuple[str, float]], depth: int | None, version: Version) -> list[tuple[str, float]]:
    """The rows of one query in the program's order, as far as it looks at them; scores that keep that order.

    A score that is no number is neither higher nor lower than another, so what comes of it depends on how the C
    library sorts: by merging, in every release of glibc.
    """
    scores = np.array([score for _, score in rows])
    if version == 9:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    given = sorted(zip((item for item, _ in rows), scores.tolist(), strict=True), key=lambda row: row[0])
    if not np.isnan(scores).any():
        given.reverse()
        return sorted(given, key=lambda row: -row[1])[:depth]
    order = merge_sorted(given, _compare)
    return [(item, -float(place)) for place, (item, _) in enumerate(order)][:depth]


def _compare(one: tuple[str, float], other: tuple[str, float]) -> int:
    if one[1] > other[1]:
        return -1
    if one[1] < other[1]:
        return 1
    return (other[0] > one[0]) - (other[0] < one[0])


def merge_sorted(rows: list[Row], compare: Callable[[Row, Row], int]) -> list[Row]:
    """Sorted as glibc sorts, which matters where the comparison contradicts itself."""
    if len(rows) <= 1:
        return rows
    middle = len(rows) // 2
    left, right = merge_sorted(rows[:middle], compare), merge_sorted(rows[middle:], compare)
    merged: list[Row] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def repeated(rows: Iterable[tuple[str, object]]) -> str | None:
    """A document that stands twice, the first in the order of ids."""
    return next((one for one, next_one in pairwise(sorted(item for item, _ in rows)) if one == next_one), None)


def is_plain_run(source: Source, version: Version) -> bool:
    """Whether the ordinary reader takes a run as the program does, as far as its fields go."""
    return all(_fields_are_plain(block, len(RUN_FIELDS), version) for block in _blocks(source))


def is_plain_judgments(source: Source, version: Version) -> bool:
    """Whether the ordinary reader takes judgments as the program does."""
    return all(_fields_are_plain(block, len(JUDGMENT_FIELDS), version, is_run=False) for block in _blocks(source))


def _blocks(source: Source) -> Iterator[bytes]:
    """A file in parts of whole lines."""
    held = b""
    with open_source(source) as opened:
        while fresh := opened.read(STEP):
            lines, newline, rest = fresh.rpartition(b"\n")
            if newline:
                yield b"".join((held, lines, newline))
                held = rest
            else:
                held += rest
    if held:
        yield held + b"\n"


def _fields_are_plain(block: bytes, needed: int, version: Version, *, is_run: bool = True) -> bool:
    """Whether every line of a block has its fields, and nothing of which the two readers think differently."""
    data = np.frombuffer(block, np.uint8)
    if block.startswith(BOM):
        return False
    blank = data <= SPACE
    blanks = np.flatnonzero(blank)
    has_comments = b"#" in block and (version == 9 or not is_run)
    if is_run and not has_comments and not len(blanks) % needed and not (blank[1:] & blank[:-1]).any():
        # The usual case, and the cheapest to see: one space or tab behind every field, and a newline behind the last.
        at_ends = data[blanks[needed - 1 :: needed]] == NEWLINE
        kinds = [np.count_nonzero(data == kind) for kind in (NEWLINE, SPACE, TAB)]
        if at_ends.all() and len(at_ends) == kinds[0] and len(blanks) == sum(kinds) and not blank[0]:
            return True
    if (blank & (data != SPACE) & ((data < TAB) | (data > RETURN))).any():
        return False
    ends = np.flatnonzero(data == NEWLINE)
    begins = np.flatnonzero(~blank & np.concatenate([[True], blank[:-1]]))
    upto = np.searchsorted(begins, ends)
    counts = np.diff(upto, prepend=0)
    if has_comments and (data[begins[(upto - counts)[counts > 0]]] == HASH).any():
        return False
    if is_run:
        return bool(((counts >= needed) | (counts == 0)).all())
    if not (counts == needed).all():
        return False
    exponents = np.flatnonzero((data | LOWER) == ord("e"))
    grade = begins[upto - 1]
    return not (exponents >= grade[np.searchsorted(ends, exponents)]).any()
