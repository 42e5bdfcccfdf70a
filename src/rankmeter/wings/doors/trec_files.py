"""trec_eval's files: both of them read, the run placed, which queries count, and where the program would stop.

A short file, and an odd one of any size, is read line by line and exactly as the program reads it. Long plain files are
read by the ordinary readers, which are much faster. These take blank lines and comments that the program does not, and
refuse what it takes (a score `1abc`, which it reads as 1); so whatever they refuse, and whatever is not as it stood in
the file, is read again in the exact way.

In the exact way ids are text of which every character is one byte (Latin-1): the program compares bytes, and any byte
but blanks may stand in an id. `as_printed` turns them back.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isnan
from typing import Literal, Protocol

import numpy as np

from rankmeter.errors import InputError, Problem, RankmeterError, RankmeterWarning, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.compression import is_read_once, open_source
from rankmeter.inputs.plain_trec import NotPlainError, PlainRows, read_plain, read_whole_plain
from rankmeter.inputs.text import PADDING
from rankmeter.inputs.trec import BOM, QRELS, TAGGED_RUN, as_number
from rankmeter.placing.joins import place_text
from rankmeter.placing.placements import Plan
from rankmeter.wings.doors.trec_columns import PrintedColumn, Scores
from rankmeter.wings.doors.trec_measures import JUDGED_IN, UNDEFINED, ProgramCall, Source, Version, Wanted, atof, atol
from rankmeter.wings.doors.trec_unusual import merge_sorted

Judged = dict[str, list[tuple[str, int]]]
Returned = dict[str, list[tuple[str, float]]]

WRONG_USE, WRONG_FILE, CANNOT_COMPUTE, NOTHING_IN_COMMON, WRONG_ZSCORES = 1, 2, 4, 7, 255
"""The exit codes of the program."""
SHORT_BYTES = 1 << 17
"""Up to this size a file is read by the program's own rules: as fast as anything else."""
HIGHEST_GRADE = 10**8
"""The program keeps a table as long as the highest grade, and stops where it finds no room for it."""
JUDGMENT_FIELDS = ("query", "iteration", "document", "grade")
RUN_FIELDS = ("query", "Q0", "document", "rank", "score", "tag")


class TrecEvalError(RankmeterError):
    """Why the program would stop, the code with which it would, and what it would have printed until then."""

    def __init__(self, problem: str | Problem, code: int, printed: bytes = b"") -> None:
        super().__init__(problem)
        self.code = code
        self.printed = printed


class Maker(Protocol):
    """What makes the columns of a measure."""

    def of(self, wanted: Wanted) -> Iterator[PrintedColumn]:
        """The columns of one measure."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A run placed for the program's measures."""

    scores: Scores
    names: list[str]
    """(n,) the ids of all queries, as they are printed."""
    order: list[int]
    """Which queries are evaluated, in the order in which they are printed: by id, as bytes."""
    tag: str | None
    """None where the run has no line."""
    stop: TrecEvalError | None
    """Why the program stops after these queries, if it does."""
    relevant: int
    """How many grades of all judgments are above 0."""
    is_cut: bool
    """Whether the lists are cut at the depth already."""
    grouped: Callable[[ProgramCall], Maker] | None = None
    """What makes the columns where judgments are preferences, or come in groups."""


def read(command: ProgramCall, *, looks_at_documents: bool) -> Evaluated:
    """Read both files and place the run.

    `num_q` and `runid` do not look at documents, and the program then misses what is wrong with them.
    """
    if is_read_once(command.run):
        # It may have to be looked at again.
        with open_source(command.run) as source:
            command = replace(command, run=source.read_all())
    is_usual = not is_read_once(command.judgments) and (command.depth is None or command.depth > 0)
    if is_usual and (_is_long(command.judgments) or _is_long(command.run)):
        evaluated = _ordinary(command, looks_at_documents=looks_at_documents)
        if evaluated is not None:
            return evaluated
    return _exact(command, looks_at_documents=looks_at_documents)


def _is_long(source: Source) -> bool:
    """Whether speed matters."""
    with open_source(source) as opened:
        return len(opened.read(SHORT_BYTES + 1)) > SHORT_BYTES


def _ordinary(command: ProgramCall, *, looks_at_documents: bool) -> Evaluated | None:
    """What the ordinary readers make of plain files; None where the program may take them otherwise."""
    last = b""

    def blocks() -> Iterator[PlainRows]:
        nonlocal last
        with open_source(command.run) as source:
            if source.head.startswith(BOM):  # the program takes it for a part of the first id
                raise NotPlainError
            for rows in read_plain(source, TAGGED_RUN):
                last = rows.text.padded
                yield rows

    try:
        judged = _plain_grades(command.judgments)
        placed = place_text(judged, blocks, plan(command.version))
    except (InputError, NotPlainError):
        return None
    scores = Scores(lambda: placed)
    names: list[str] = scores.queries
    order, stop = walk(scores, names, command, {} if looks_at_documents else None, command.only_query)
    last_line = last[:-PADDING].rstrip().rpartition(b"\n")[2]
    tag = last_line.split()[len(RUN_FIELDS) - 1].decode("utf-8", "backslashreplace")
    return Evaluated(scores, names, order, tag, stop, int((placed.placements.best > 0).sum()), is_cut=False)


def _plain_grades(path: str) -> PlainRows:
    """Judgments of which the ordinary reader leaves nothing out, and whose grades are whole numbers in digits."""
    content = _content(path)
    with open_source(content) as source:
        rows = read_whole_plain(source, QRELS)
    # A blank line, which the program refuses, or a byte order mark is left out; blanks may have been made one.
    if rows.text.content.removesuffix(b"\n") != content.removesuffix(b"\n"):
        raise NotPlainError
    ends = np.append(rows.query.start[1:], len(rows.text.data) - PADDING) - 1
    starts = rows.item.start + rows.item.length + 1
    # Three characters may be an exponent, `1e1`, which the program ignores; two a fraction, of which it takes `1`.
    long = np.flatnonzero(ends - starts > 2).tolist()
    if not all(rows.text.data[starts[row] : ends[row]].tobytes().isdigit() for row in long):
        raise NotPlainError
    if (rows.value != np.trunc(rows.value)).any() or rows.value.max() >= HIGHEST_GRADE:
        raise NotPlainError
    return rows


def _exact(command: ProgramCall, *, looks_at_documents: bool) -> Evaluated:
    """The program's own reading; lists are ranked and cut as there, so that only what it sees can be wrong."""
    judged = read_judged(command.judgments, command.version)
    returned, tag = read_returned(command.run, command.version)
    depth = None if command.depth is None else max(command.depth, 0)
    lists = {query: ranked(rows, depth, command.version) for query, rows in returned.items() if query in judged}
    stops: dict[str, InputError] | None = None
    if looks_at_documents:
        facts = ((query, _trouble(query, judged[query], lists.get(query), command)) for query in judged)
        stops = {query: fact for query, fact in facts if fact is not None}
    graded = {query: {} if query in (stops or ()) else dict(rows) for query, rows in judged.items()}
    scores = Scores.of_mappings(graded, {query: dict(rows) for query, rows in lists.items()}, plan(command.version))
    names = [as_printed(query) for query in scores.queries]
    order, stop = walk(scores, names, command, stops, only_query(command))
    relevant = sum(grade > 0 for rows in judged.values() for _, grade in rows)
    return Evaluated(scores, names, order, tag, stop, relevant, is_cut=True)


def plan(version: Version) -> Plan:
    """What has to be placed for the program's measures."""
    return Plan(order=False, scores="float32" if version == 9 else "float64")


def only_query(command: ProgramCall) -> str | None:
    """The query of -D, as it stands in the exact way."""
    return None if command.only_query is None else original_bytes(command.only_query).decode("latin-1")


def _trouble(
    query: str, judged: list[tuple[str, int]], returned: list[tuple[str, float]] | None, command: ProgramCall
) -> InputError | None:
    """Why the program cannot evaluate a query."""
    if (trouble := trouble_of_list(query, returned, command)) is not None:
        return trouble
    name, source = in_words(query), command.judgments
    if (twice := repeated_document(judged)) is not None:
        return InputError.of("doors.judged_twice", source=source, item=in_words(twice), query=name)
    highest = max(grade for _, grade in judged)
    if highest >= HIGHEST_GRADE:
        return InputError.of("doors.grade_too_high", source=source, grade=highest, query=name, room=HIGHEST_GRADE)
    return None


def trouble_of_list(query: str, returned: list[tuple[str, float]] | None, command: ProgramCall) -> InputError | None:
    """Why the program cannot evaluate the list of a query, whatever is judged."""
    if command.depth is not None and command.depth < 0:
        return InputError.of("doors.depth_below_zero", depth=command.depth, undefined=UNDEFINED)
    if returned and (twice := repeated_document(returned)) is not None:
        return InputError.of("doors.returned_twice", item=in_words(twice), query=in_words(query))
    return None


def walk(
    scores: Scores, names: list[str], command: ProgramCall, stops: Mapping[str, InputError] | None, wanted: str | None
) -> tuple[list[int], TrecEvalError | None]:
    """The queries that are evaluated, in order, up to one at which the program stops.

    `stops` says of which queries the program cannot evaluate the documents; None where it does not look at them.
    """
    ids, common = scores.queries, scores.common
    chosen = common if command.version == 9 else scores.placed.placements.is_judged
    order = sorted(np.flatnonzero(chosen).tolist(), key=ids.__getitem__)
    if wanted is not None:
        order = [number for number in order if ids[number] == wanted]
    if not order:
        return order, TrecEvalError(InputError.of("doors.nothing_in_common").problem, NOTHING_IN_COMMON)
    of_grades = JUDGED_IN[command.judgments_format] == "grades"
    if of_grades and stops is not None and ids[order[0]] not in stops and not _has_grade(scores, order[0]):
        # The program makes room for grades at the first query that has one of 0 or above, and cannot begin without.
        return [], _stop(InputError.of("doors.grades_below_zero", query=_in_words(names[order[0]])))
    lacks = ~common & (not command.complete)
    if stops or lacks[order].any():
        for place, number in enumerate(order):
            if lacks[number]:
                return order[:place], _stop(InputError.of("doors.lacks_queries", query=_in_words(names[number])))
            if stops and ids[number] in stops:
                return order[:place], _stop(stops[ids[number]])
    return order, None


def _stop(error: InputError) -> TrecEvalError:
    return TrecEvalError(error.problem, CANNOT_COMPUTE)


def _has_grade(scores: Scores, number: int) -> bool:
    """Whether a query has a grade of 0 or above."""
    best, first = scores.placed.placements.best, scores.placed.placements.best_offsets
    return bool(first[number] < first[number + 1] and best[first[number]] >= 0)


# The exact way.


def read_judged(source: Source, version: Version) -> Judged:
    """All rows of a file of judgments; grades are whole numbers, as ``atol`` has them."""
    judged: Judged = {}
    odd: list[str] = []
    for query, _, item, text in judgment_rows(source, version, JUDGMENT_FIELDS):
        grade = atol(text)
        judged.setdefault(query, []).append((item, grade))
        if not text.lstrip("+-").isdecimal():
            odd.append(f"'{in_words(text)}' as {grade}")
    note_odd(source, "grade", odd)
    return judged


def judgment_rows(source: Source, version: Version, names: Sequence[str]) -> Iterator[list[str]]:
    """The fields of each line of a file of judgments, of which there must be some."""
    lines = _lines(source)
    read = 0
    for number, line in lines:
        if version == 10 and line.startswith(b"#"):
            # Whatever follows one comment is data for the program: a second comment, a blank line.
            following = next(lines, None)
            if following is None:
                raise InputError.of("doors.only_comment", source=name_of(source), line=number, undefined=UNDEFINED)
            number, line = following
        read += 1
        yield _fields(source, number, line, names)
    if not read:
        raise InputError.of("doors.no_judgment", source=name_of(source), undefined=UNDEFINED)


def read_returned(source: Source, version: Version) -> tuple[Returned, str | None]:
    """All rows of a run, scores as ``atof`` has them, and the tag of the last one."""
    rows: Returned = {}
    tag = None
    odd: list[str] = []
    for number, line in _lines(source):
        begun = line.lstrip()
        if not begun or (version == 10 and begun.startswith(b"#")):
            continue
        query, _, item, _, text, tag, *_ = _fields(source, number, begun, RUN_FIELDS)
        score = as_number(text.encode("latin-1"))
        if score is None or isnan(score):
            score = atof(text)
            odd.append(f"'{in_words(text)}' as {score:g}")
        rows.setdefault(query, []).append((item, score))
    note_odd(source, "score", odd)
    return rows, None if tag is None else as_printed(tag)


def note_odd(source: Source, what: str, odd: list[str]) -> None:
    """Warn of numbers that are not written as such."""
    if odd:
        count = f"{len(odd):,} {what}s are" if len(odd) > 1 else f"a {what} is"
        shown = examples(dict.fromkeys(odd), shown=3)
        text = f"{name_of(source)}: {count} not a plain number; read as trec_eval reads them: {shown}."
        warnings.warn(text, RankmeterWarning, stacklevel=2)


def table_fields(source: Source, names: Sequence[str]) -> Iterator[list[str]]:
    """The fields of a table without comments and blank lines."""
    for number, line in _lines(source):
        yield _fields(source, number, line, names)


def as_printed(text: str) -> str:
    """An id or tag as it is printed."""
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


def original_bytes(text: str) -> bytes:
    """What is printed, as the bytes that stood in the file."""
    return text.encode("utf-8", "surrogateescape")


def _in_words(name: str) -> str:
    """What is printed, as it may stand in a sentence."""
    return original_bytes(name).decode("utf-8", "backslashreplace")


def in_words(text: str) -> str:
    """An id of the exact way, as it may stand in a sentence."""
    return _in_words(as_printed(text))


def _content(source: Source) -> bytes:
    if isinstance(source, bytes):
        return source
    with open_source(source) as opened:
        return opened.read_all()


def name_of(source: Source) -> str:
    """How messages call a file."""
    return source if isinstance(source, str) else "<stdin>"


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines up to the end, or to one that begins with NUL, where the program takes the file to end; numbered."""
    content = _content(source)
    if not content:
        raise InputError.of("doors.empty_file", source=name_of(source))
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), 1):
        if line.startswith(b"\0"):
            return
        if b"\0" in line:
            raise InputError.of("doors.nul_byte", source=name_of(source), line=number, undefined=UNDEFINED)
        yield number, line


def _fields(source: Source, number: int, line: bytes, names: Sequence[str]) -> list[str]:
    """The fields of a line, of which a run may have more."""
    fields = [field.decode("latin-1") for field in line.split()]
    is_run = names == RUN_FIELDS
    if len(fields) < len(names) or (len(fields) > len(names) and not is_run):
        other = JUDGMENT_FIELDS if is_run else RUN_FIELDS
        raise InputError.of(
            "doors.too_few_fields" if is_run else "doors.wrong_fields",
            source=name_of(source), line=number, count=len(fields), expected=f"{len(names)} ({', '.join(names)})",
            text=line.strip().decode("utf-8", "replace")[:60],
            hint=Problem("doors.judgments_first", {}) if len(fields) == len(other) else None,
        )  # fmt: skip
    return fields


def ranked(
    rows: list[tuple[str, float]], depth: int | None, version: Version, *, ids: Literal["falling", "rising"] = "falling"
) -> list[tuple[str, float]]:
    """The rows of one query in the program's order, as far as it looks at them; scores that keep that order.

    Equal scores stand by id, the last one first; beside preferences the first one. A score that is not a number is
    neither higher nor lower than another, so what comes of it depends on how the C library sorts: by merging, in every
    release of glibc.
    """
    scores = np.array([score for _, score in rows])
    if version == 9:
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    given = sorted(zip((item for item, _ in rows), scores.tolist(), strict=True), key=lambda row: row[0])
    if not np.isnan(scores).any():
        if ids == "falling":
            given.reverse()
        return sorted(given, key=lambda row: -row[1])[:depth]
    sign = 1 if ids == "falling" else -1
    order = merge_sorted(given, lambda row, other: _by_score(row, other) or sign * _by_id(row, other))
    return [(item, -float(place)) for place, (item, _) in enumerate(order)][:depth]


def _by_score(row: tuple[str, float], other: tuple[str, float]) -> int:
    return (row[1] < other[1]) - (row[1] > other[1])


def _by_id(row: tuple[str, float], other: tuple[str, float]) -> int:
    return (other[0] > row[0]) - (other[0] < row[0])


def repeated_document(rows: Iterable[tuple[str, object]]) -> str | None:
    """A document that stands twice, the first in the order of ids."""
    return next((item for item, following in pairwise(sorted(item for item, _ in rows)) if item == following), None)
