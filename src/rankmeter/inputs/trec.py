"""TREC text: judgments (``query iteration item grade``) and runs (``query Q0 item rank score tag``).

Speed and memory come from three choices. The text is cut into blocks between two queries, so that it is never held
whole. Polars parses a block, three columns of it, without a Python loop over lines. And because Polars splits at every
single separator (two blanks make an empty field, silently), the bytes of a block are looked at first and rewritten if
need be.

Whatever that fast way does not take (a missing field, a score that is not a number, bytes that are not UTF-8) is read
again line by line in plain Python, which either finds every problem with its line number or returns the rows itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isinf, isnan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, Problem, examples, warn
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS, as_written, is_rounded
from rankmeter.inputs.compression import ByteSource
from rankmeter.late import pl
from rankmeter.wording import Language, Spelling, said

BOM = b"\xef\xbb\xbf"
BLOCK_BYTES = 1 << 24

# Polars looks at the first bytes of whatever it is given: it drops a byte order mark, and decompresses gzip, zlib and
# zstd. In the middle of a text these bytes are only an odd id ("x^2" begins like zlib): read such a block the slow way.
_TAKEN_BY_POLARS = (BOM, b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"x\x01", b"x^", b"x\x9c", b"x\xda")

# What bytes.split() takes as blanks inside a line, made one character.
_BLANKS_TO_SPACE = bytes.maketrans(b"\t\v\f", b"   ")
# Small enough that the masks of one step stay in the processor's cache: three times faster than whole blocks.
_STEP = 1 << 17

_COMMENT = rb"^[ \t\v\f]*#[^\n]*"
_DATA_LINE = rb"(?:[ \t\v\f\r]*(?:#[^\n]*)?\n)*+[ \t\v\f\r]*([^#\s]\S*)"
"""The first line with data from a line on, and its query."""
_BEFORE_COMMENTS = b"# \t\v\f"
_BEFORE_DATA = b"# \t\v\f\r\n"
"""What a line that is not plain data begins with."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which fields a line has."""

    fields: tuple[str, ...]
    """The names of the fields that are needed; query and item are the first and the third, the value is the last."""
    is_run: bool = False
    """Whether more fields may follow, and the value may be infinite."""
    tagged: bool = False
    """Whether one more field must follow; plain text only."""

    @property
    def columns(self) -> dict[str, int]:
        """The columns of a table of such lines, and the field of each."""
        second = {"subtopic": 1} if self.fields[1] == "subtopic" else {}
        return {"query": 0, "item": 2, "value": len(self.fields) - 1, **second}


QRELS = Layout(("query", "iteration", "item", "grade"))
DIVERSITY = Layout(("query", "subtopic", "item", "grade"))
RUN = Layout(("query", "Q0", "item", "rank", "score"), is_run=True)
TAGGED_RUN = replace(RUN, tagged=True)


class Problems:
    """What is wrong with a text: for every kind its first case in words, and all the lines that have it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.first: dict[str, tuple[int, Problem]] = {}
        self.lines: dict[str, list[int]] = {}
        self.hint: Problem | None = None

    def add(self, line: int, problem: Problem) -> None:
        """Note one problem; only the first of its kind is kept."""
        self.first.setdefault(problem.kind, (line, problem))
        self.lines.setdefault(problem.kind, []).append(line)

    def check(self) -> None:
        """Raise if there is any."""
        if not self.first:
            return
        facts = []
        for kind, (line, fact) in self.first.items():
            lines = self.lines[kind]
            values = {"source": self.name, "line": line, "fact": fact, "count": len(lines), "lines": examples(lines)}
            facts.append(Problem("inputs.wrong_line" if len(lines) == 1 else "inputs.wrong_lines_alike", values))
        raise InputError.of("inputs.wrong_lines", source=self.name, facts=_Sentences(tuple(facts)), hint=self.hint)


@dataclass(frozen=True, slots=True)
class _Sentences:
    """Several facts of one error, each on a line."""

    facts: tuple[Problem, ...]

    def worded(self, language: Language, spelling: Spelling) -> str:
        """All of them in one language."""
        return "\n".join(fact.worded(language, spelling) for fact in self.facts)


def as_number(text: bytes) -> float | None:
    """The value of a number as text, or None; like ``float()``, but only ASCII and no ``1_000``."""
    if b"_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def trec_kind(rows: Sequence[bytes]) -> str | None:
    """``"qrels"`` or ``"run"`` if more than half of the rows have its shape, else None."""
    shapes = Counter(trec_shape(row.split()) for row in rows)
    shape, count = max(shapes.items(), key=lambda pair: pair[1], default=(None, 0))
    return shape if 2 * count > len(rows) else None


def trec_shape(fields: list[bytes]) -> str | None:
    """The TREC text that a row may be of: its number of fields, with a number where one has to be."""
    if len(fields) == 4:
        return "qrels" if as_number(fields[3]) is not None else None
    if len(fields) >= 5:
        return "run" if as_number(fields[4]) is not None else None
    return None


def would_be_rounded(text: bytes, value: float) -> bool:
    """Whether a number that no float64 is was read as ``value``: two of them may become one.

    >>> would_be_rounded(b"9007199254740993", 9007199254740992.0), would_be_rounded(b"9007199254740994.0", 2.0**53 + 2)
    (True, False)
    """
    return abs(value) >= EXACT_WHOLE_NUMBERS and is_rounded(as_written(text.decode()))


class Tags:
    """The tags of a run's lines: one system has one, so that another means two runs in one file."""

    def __init__(self) -> None:
        self.first: bytes | None = None
        self.other: bytes | None = None
        """A tag that is not the first, as soon as there is one."""

    def look(self, block: bytes) -> None:
        """Look at the lines of a block: all at once where they end alike, one by one where one does not."""
        if self.other is not None:
            return
        line = block[: block.find(b"\n") + 1]
        tag = _tag(line)
        ending = line[line.rfind(tag.split()[0]) - 1 :] if tag else b""
        data = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(data == ord("\n"))
        are_alike = bool(ending) and all((data[ends - at] == ending[~at]).all() for at in range(len(ending)))
        if are_alike and self.first in (None, tag):
            self.first, block = tag, block[int(ends[-1]) + 1 :]  # a last line may have no end
        for tag in filter(None, map(_tag, block.split(b"\n"))):
            self.first = self.first or tag
            if tag != self.first:
                self.other = tag
                return

    def notes(self, source: str) -> dict[str, str]:
        """What is said where lines have the tags of several systems, or one that says which runs it was made of."""
        if self.first is None:
            return {}
        if self.other is None:
            is_made = self.first.endswith(b"]") and b"[" in self.first
            tag = self.first.decode("utf-8", "replace")
            return {"made": said("made_of", source=source, tag=tag)} if is_made else {}
        first, second = (tag.decode("utf-8", "replace") for tag in (self.first, self.other))
        return {"tags": said("several_tags", source=source, first=first, second=second)}


def _tag(line: bytes) -> bytes:
    """The tag of a line; nothing where it has none."""
    fields = line.split(None, 5)
    return fields[5].rstrip() if len(fields) > 5 and not fields[0].startswith(b"#") else b""


def read_frames(
    source: ByteSource, layout: Layout, *, block_bytes: int = BLOCK_BYTES, look: Callable[[bytes], None] | None = None
) -> Iterator[pl.DataFrame]:
    """Parse TREC text block by block: columns query and item (String) and value (Float64).

    Lines of one query that are adjacent in the text are in one frame; ``look`` is shown every block. If any line is
    wrong, every problem is raised at once after the last block, and nothing more is given after the first one.
    """
    if source.head.startswith(BOM):
        source.read(len(BOM))
    problems = Problems(source.name)
    first_line, rows, doubtful = 1, 0, 0
    for parts in query_blocks(source, block_bytes):
        block = b"".join(parts)
        frame = _parse(block, layout, first_line, problems)
        if look is not None:
            look(block)
        doubtful += _data_in_comments(block, layout)
        first_line += _count(block, b"\n")
        rows += frame.height
        if frame.height and not problems.first:
            yield frame
    problems.check()
    if doubtful:
        warn(said("may_be_comments", source=source.name, count=doubtful))
    if not rows:
        raise InputError.of("inputs.only_comments", source=source.name)


def _data_in_comments(block: bytes, layout: Layout) -> int:
    """How many comments have the fields of a line of data."""
    if not may_hold_comments(block):
        return 0
    needed = len(layout.fields)
    counts = {needed, needed + layout.is_run}
    count = 0
    for comment in re.findall(_COMMENT, block, re.MULTILINE):
        fields = comment.split()
        if len(fields) in counts and fields[0] != b"#" and as_number(fields[needed - 1]) is not None:
            count += not layout.is_run or as_number(fields[3]) is not None
    return count


def may_hold_comments(block: bytes, start: int = 0) -> bool:
    """Whether a # may begin a line; not where the only ones stand inside of lines, as in ids."""
    if b"#" not in block:
        return False
    return block[start] in _BEFORE_COMMENTS or any(b"\n%c" % begins in block for begins in _BEFORE_COMMENTS)


def query_blocks(source: ByteSource, block_bytes: int) -> Iterator[tuple[bytes | memoryview, ...]]:
    """Cut a text into blocks that end where a line has another query than the line before.

    A block comes in its parts, so that whoever reads it copies it once.
    """
    held, want = b"", block_bytes
    while fresh := source.read(want):
        # Searching the fresh part alone saves a copy; its first line may have begun in the held part.
        cut = _query_change(fresh, fresh.find(b"\n") + 1)
        if cut:
            yield held, memoryview(fresh)[:cut]
            held, want = fresh[cut:], block_bytes
            continue
        held += fresh
        cut = _query_change(held, 0)
        if cut:
            yield (memoryview(held)[:cut],)
            held = held[cut:]
        # Without a cut one query fills everything held: read twice as much, so that the search stays linear.
        want = max(block_bytes, 0 if cut else len(held))
    if held:
        yield (held,)


def _query_change(text: bytes, first: int) -> int:
    """The start of a line whose query differs from the line before, near the end; 0 if none is found.

    Steps back from the last whole line, twice as far each time, to a line with another query, and then halves the way
    between the two. Comments and blank lines count to the line before them.
    """
    end = text.rfind(b"\n") + 1
    later: _DataLine | None = None
    low, step = end, 1
    while low > first:
        low = max(text.rfind(b"\n", first, max(first, end - step)) + 1, first)
        line = _data_line(text, low, end)
        if later is not None and line is not None and line.query != later.query:
            return _change_between(text, line, later)
        later = later or line
        step = max(2 * step, 1 << 12)
    return 0


def _change_between(text: bytes, earlier: _DataLine, later: _DataLine) -> int:
    """The start of a line between two, the later included, whose query is not that of the line before."""

    def following(position: int) -> _DataLine:
        return _data_line(text, text.find(b"\n", position) + 1, later.start) or later

    between = range(earlier.start, later.start)
    change = bisect_left(between, 1, key=lambda position: following(position).query == later.query)
    return following(between[change]).start


class _DataLine(NamedTuple):
    """A line that is no comment: where it starts, and its query."""

    start: int
    query: bytes


def _data_line(text: bytes, start: int, end: int) -> _DataLine | None:
    """The first line with data from a line on."""
    if start < end and text[start] not in _BEFORE_DATA:
        return _DataLine(start, text[start : text.find(b"\n", start)].split(None, 1)[0])
    match = re.compile(_DATA_LINE).match(text, start, end)
    return match and _DataLine(text.rfind(b"\n", 0, match.start(1)) + 1, match[1])


def _parse(block: bytes, layout: Layout, first_line: int, problems: Problems) -> pl.DataFrame:
    """Parse one block; no rows after a problem."""
    text = normalised(block)
    if text == b"":
        return _no_rows(layout)
    frame = None if text is None else _parse_simple(text, layout)
    return _parse_lines(block, layout, first_line, problems) if frame is None else frame


def normalised(block: bytes) -> bytes | None:
    """Rewrite a block to be simple: single spaces, none at either end of a line, no empty line or comment.

    Returns None for a NUL, or a carriage return inside a line, which are for the slow way to judge.
    """
    if b"\0" in block:
        return None
    if _is_simple(block):
        return block
    parts: list[bytes] = []
    start = 0
    while start < len(block):
        end = block.find(b"\n", start + _STEP) + 1 or len(block)
        part = _with_single_spaces(block[start:end])
        if part is None:
            return None
        parts.append(part)
        start = end
    text = b"".join(parts)
    return b"".join(line for line in text.splitlines(keepends=True) if line[:1] != b"#") if _has_comment(text) else text


def _has_comment(text: bytes) -> bool:
    # Looking for one byte is far cheaper than for two, and most files have no '#' at all.
    return b"#" in text and (text.startswith(b"#") or b"\n#" in text)


def _is_simple(block: bytes) -> bool:
    data = np.frombuffer(block, np.uint8)
    for start in range(0, len(data), _STEP):
        part = data[start : start + _STEP + 1]  # one byte more than a step, for pairs across two steps
        blank = part <= 32
        if (blank[1:] & blank[:-1]).any() or np.count_nonzero(blank) != _count(part, b" ") + _count(part, b"\n"):
            return False
    return block[:1] > b" " and block[-1:] != b" " and not _has_comment(block)


def _count(text: bytes | npt.NDArray[np.uint8], sign: bytes) -> int:
    """How often a sign occurs: several times faster than to count in bytes where it is frequent."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord(sign)))


def _with_single_spaces(lines: bytes) -> bytes | None:
    """Do it for a few whole lines, a part of a block that fits the cache; comments stay."""
    data = np.frombuffer(lines.translate(_BLANKS_TO_SPACE), np.uint8)
    returns = data == 13
    if returns.any():
        if (returns[:-1] & (data[1:] != 10)).any():
            return None
        data = data[~returns]
    space = data == 32
    # A space goes if a blank follows it, the end included; then a blank goes if it begins a line.
    space[:-1] &= (space | (data == 10))[1:]
    data = data[~space]
    begins = np.ones(len(data), np.bool_)
    np.equal(data[:-1], 10, out=begins[1:])
    text: bytes = data[~(begins & ((data == 32) | (data == 10)))].tobytes()
    return text


def _parse_simple(text: bytes, layout: Layout) -> pl.DataFrame | None:
    """Parse a block as `normalised` made it with Polars; None if any line of it needs a second look."""
    needed = len(layout.fields)
    if text.startswith(_TAKEN_BY_POLARS):
        return None
    separators, lines = _count(text, b" "), _count(text, b"\n") + (not text.endswith(b"\n"))
    if not layout.is_run and separators != lines * (needed - 1):
        return None
    names = [f"unused{index}" for index in range(needed + layout.is_run)]
    for name, at in layout.columns.items():
        names[at] = name
    schema: dict[str, type[pl.DataType]] = {name: pl.Float64 if name == "value" else pl.String for name in names}
    # Where a line may have words behind its tag, it may as well have an id with a blank in it: see whether ranks are.
    asked = [] if separators in (lines * (needed - 1), lines * needed) else [names[3], names[-1]]
    scan = pl.scan_csv(
        text, schema=schema, has_header=False, separator=" ", quote_char=None, truncate_ragged_lines=True
    )
    try:
        frame = scan.select([*layout.columns, *asked]).collect(engine="streaming")
    except pl.exceptions.PolarsError:
        return None
    if asked:
        rank, behind = (frame.drop_in_place(name).cast(pl.Float64, strict=False) for name in asked)
        if (rank.is_null() & behind.is_not_null()).any():
            return None
    value = frame.get_column("value")
    is_bad = value.null_count() > 0 or value.is_nan().any() or (not layout.is_run and value.is_infinite().any())
    is_bad = is_bad or not value.is_between(-EXACT_WHOLE_NUMBERS, EXACT_WHOLE_NUMBERS, closed="none").all()
    return None if is_bad or frame.height != lines else frame


def _parse_lines(block: bytes, layout: Layout, first_line: int, problems: Problems) -> pl.DataFrame:
    """Parse a block line by line: slow and exact, for what Polars did not take and for finding what is wrong."""
    columns: dict[str, list[str | float]] = {name: [] for name in layout.columns}
    for number, line in enumerate(block.split(b"\n"), first_line):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        wrong = _problem_of_line(line, fields, layout)
        if wrong is not None:
            problems.add(number, wrong)
            if wrong.kind == "inputs.line_rounded":
                problems.hint = Problem("inputs.make_smaller", {"role": layout.fields[-1]})
        elif not problems.first:
            for name, at in layout.columns.items():
                columns[name].append(float(fields[at]) if name == "value" else fields[at].decode())
    return _no_rows(layout) if problems.first else pl.DataFrame(columns, schema=_no_rows(layout).schema)


def _problem_of_line(line: bytes, fields: list[bytes], layout: Layout) -> Problem | None:
    """What is wrong with a line; None if nothing is."""
    needed = len(layout.fields)
    if b"\0" in line:
        return Problem("inputs.line_nul", {})
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return Problem("inputs.line_not_utf8", {"byte": f"0x{line[error.start]:02x}"})
    if b"\r" in line.rstrip():
        return Problem("inputs.line_cr", {})
    if len(fields) < needed or (len(fields) > needed and not layout.is_run):
        expected = f"{needed}{' or more' if layout.is_run else ''} ({', '.join(layout.fields)})"
        shown = {"count": len(fields), "expected": expected, "line": _excerpt(line.strip())}
        return Problem("inputs.line_fields", shown)
    value, may_be_moved = as_number(fields[needed - 1]), layout.is_run and len(fields) > needed + 1
    if may_be_moved and as_number(fields[3]) is None and as_number(fields[needed]) is not None:
        return Problem("inputs.line_moved", {"text": _excerpt(fields[3]), "line": _excerpt(line.strip())})
    if value is None:
        kind = "inputs.line_number"
    elif isnan(value):
        kind = "inputs.line_nan"
    elif not layout.is_run and isinf(value):
        kind = "inputs.line_infinite"
    elif would_be_rounded(fields[needed - 1], value):
        kind = "inputs.line_rounded"
    else:
        return None
    text = _excerpt(fields[needed - 1], quoted=kind != "inputs.line_rounded")
    query, item = _excerpt(fields[0], quoted=False), _excerpt(fields[2], quoted=False)
    return Problem(kind, {"role": layout.fields[-1], "text": text, "query": query, "item": item})


def _excerpt(text: bytes, *, quoted: bool = True, limit: int = 60) -> str:
    """Text of a file for a message: readable, and not longer than a line."""
    shown = text.decode("utf-8", "replace")
    shown = shown if len(shown) <= limit else shown[: limit - 3] + "..."
    return repr(shown) if quoted or not shown.isprintable() else shown


def _no_rows(layout: Layout) -> pl.DataFrame:
    return pl.DataFrame(schema={name: pl.Float64 if name == "value" else pl.String for name in layout.columns})
