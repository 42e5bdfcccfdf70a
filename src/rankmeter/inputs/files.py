"""Judgments and runs from files: TREC text here, tables (CSV, JSON, Parquet and so on) as their format opens them.

The format is told from the content unless it is named, compression (``.gz``, ``.zst``, ``.xz``, ``.bz2``) always is,
and judgments and run in the wrong order are recognised. One table may hold both sides, what a system returned and
beside it what is true: learning to rank keeps its data so (``qid, label, score``), notebooks do
(``user, actual, predicted``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, Generic, TypeAlias, TypeVar, cast, get_args

import numpy as np

from rankmeter.errors import InputError, Problem, RankmeterError
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import LISTS, LOOKED_AT, RawColumn, contents
from rankmeter.inputs.checked_tables import OpenedTable, TablePart, row_times, whole_table
from rankmeter.inputs.columns import (
    SIDES,
    STATEMENTS,
    SUBTOPICS_OF_TREC,
    Named,
    Role,
    Side,
    check_columns,
    columns_of,
    is_usual,
    of_one_side,
)
from rankmeter.inputs.compression import ByteSource, open_source
from rankmeter.inputs.formats import Head, check_format, open_table, recognise, sample_rows
from rankmeter.inputs.frames import OpenedFrame, is_frame, kind_of_frame
from rankmeter.inputs.plain_trec import NotPlainError, PlainRows, read_plain, read_whole_plain
from rankmeter.inputs.ranks_beside import contradiction
from rankmeter.inputs.reading import UNUSED, Reading, read_as, trec_reading
from rankmeter.inputs.tables import JudgmentTable, Labelled, PlainJudgments, Ranks, RunTable, joined_runs
from rankmeter.inputs.trec import BLOCK_BYTES, DIVERSITY, QRELS, RUN, Tags, as_number, read_frames, trec_kind
from rankmeter.late import pl
from rankmeter.wording import said

FileInput: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"
"""What can be read: a path, ``-`` for standard input, the content itself, or a binary file object."""

_KIND_OF: dict[Side, str] = {"judgments": "qrels", "run": "run"}
_LOOKS = {"qrels": "inputs.text_qrels", "run": "inputs.text_run"}
_NOUNS: dict[Side, str] = {"judgments": "inputs.side_judgments", "run": "inputs.side_run"}


def has_columns(path: FileInput, format: str | None = None) -> bool:
    """Whether a file has columns that can be named; what can be read only once is not looked into, and may have."""
    if format is not None:
        return format not in ("trec", "qrels", "run", "labelled")
    if not isinstance(path, (str, os.PathLike)) or not Path(path).is_file():
        return True
    try:
        with open_source(path) as source:
            head = Head(source.head)
            kind = recognise(head, source.name)
            return kind not in ("qrels", "run") and not (kind == "json" and head.is_plain_object)
    except RankmeterError:
        return True  # the reader says what is wrong with it


def columns_in(paths: Sequence[str], format: str | None, columns: Named | None) -> Mapping[str, str] | None:
    """The columns to look for: none in TREC text, so that they can be named for the other side."""
    if not columns or any(has_columns(path, format) for path in paths):
        return columns
    stated = {**STATEMENTS, **SUBTOPICS_OF_TREC}
    return {role: column for role, column in columns.items() if stated.get(role) == column} or None


def read_judgments(path: FileInput, *, format: str | None = None, columns: Named | None = None) -> JudgmentTable:
    """Read judgments from a file: every line, in the order of the file. Ids in text files are text.

    Parameters
    ----------
    path
        A path, ``-`` for standard input, the content as bytes, or a binary file object; compressed or not.
    format
        One of ``FORMATS``; told from the content by default (`rankmeter.inputs.formats.TABLE` states the rules).
    columns
        For tables: which column holds what, as ``{"item": "docid"}``.

    Raises
    ------
    NotFoundError
        When there is no such file.
    InputError
        When it cannot be read, or any line is wrong: all of them at once.
    """
    columns = of_one_side(columns, "judgments")
    with open_source(path) as source:
        kind = _resolve(source, format, "judgments")
        if kind == "labelled":
            return labelled_lines(source)[0]
        if kind == "qrels":
            check_no_columns(source, columns, allowed={**SUBTOPICS_OF_TREC, "relevant": "rows"})
            has_subtopics, all_relevant = (role in (columns or {}) for role in ("subtopic", "relevant"))
            frame = pl.concat(read_frames(source, DIVERSITY if has_subtopics else QRELS), rechunk=True)
            grade = pl.repeat(1.0, frame.height, eager=True) if all_relevant else frame["value"]
            reading = trec_reading("judgments", source.name, frame.height)
            subtopic = frame["subtopic"] if has_subtopics else None
            return JudgmentTable(
                frame["query"], frame["item"], grade.alias("grade"), source.name, subtopic, reading=reading
            )
        from rankmeter.inputs.checked_tables import whole_table

        opened = open_table(kind, source, "judgments", named=columns)
        return cast(JudgmentTable, whole_table(opened, "judgments", columns, source.name, kind))


def times_in(path: FileInput) -> pl.Series | None:
    """When each row of a file was, as far as a column says it; None for TREC text, which has no such column."""
    with open_source(path) as source:
        kind = _resolve(source, None, "judgments")
        return None if kind in ("labelled", "qrels") else row_times(open_table(kind, source, "judgments"))


def read_run(path: FileInput, *, format: str | None = None, columns: Named | None = None) -> RunTable:
    """Read a whole run from a file into one table; the parameters are those of `read_judgments`."""
    parts = iter_parts(path, format=format, columns=of_one_side(columns, "run"))
    return joined_runs([part.table for part in parts])


def plain_judgments(paths: Sequence[str], *, format: str | None, columns: Named | None) -> PlainJudgments | None:
    """The judgments of one plain TREC file as they stand in it; None for all else, which `read_judgments` takes."""
    if columns or len(paths) != 1 or not Path(paths[0]).is_file():
        return None
    with open_source(paths[0]) as source:
        if _resolve(source, format, "judgments") != "qrels":
            return None
        try:
            rows = read_whole_plain(source, QRELS)
            again = partial(read_judgments, rows.text.content, format="qrels")
            return PlainJudgments(rows, again, source.name, trec_reading("judgments", source.name, len(rows)))
        except NotPlainError:
            return None


Rows = TypeVar("Rows", RunTable, PlainRows)


@dataclass(frozen=True, slots=True)
class RunPart(Generic[Rows]):
    """Some rows of a run, as they are stored, how much of its file has been read with them, and how."""

    table: Rows
    fraction: float | None
    """From 0 to 1; None where the size of the input is not known."""
    reading: Reading | None = None


def iter_parts(
    path: FileInput,
    *,
    format: str | None = None,
    columns: Named | None = None,
    block_bytes: int = BLOCK_BYTES,
    rows_before: int = 0,
) -> Iterator[RunPart[RunTable]]:
    """Read a run part by part, as it is stored; the parameters are those of `read_judgments`.

    TREC text, CSV, TSV, Parquet and Arrow IPC are streamed, ``block_bytes`` of text at a time; JSON comes as one part.
    The rows of a query may be in two parts. A wrong line is reported after the whole file was looked at.
    ``rows_before`` is how many rows of the run were in other files: where nothing but their order ranks the rows, the
    count goes on.
    """
    with open_source(path) as source:
        kind = _resolve(source, format, "run")
        if kind == "labelled":
            yield RunPart(labelled_lines(source)[1], 1.0)
        elif kind == "run":
            check_no_columns(source, columns)
            tags, notes = Tags(), trec_notes(source)
            for frame in read_frames(source, RUN, block_bytes=block_bytes, look=tags.look):
                score = frame["value"].alias("score")
                reading = trec_reading("run", source.name, None, {**notes, **tags.notes(source.name)})
                table = RunTable(frame["query"], frame["item"], score, source.name, reading=reading)
                yield RunPart(table, source.fraction(), reading)
        else:
            from rankmeter.inputs.checked_tables import read_opened

            opened = open_table(kind, source, "run", block_bytes, columns)
            for rows, fraction in read_opened(opened, "run", columns, source.name, kind, rows_before):
                yield RunPart(cast(RunTable, rows), source.fraction() if fraction is None else fraction, rows.reading)


def iter_plain_parts(path: str, *, format: str | None = None) -> Iterator[RunPart[PlainRows]]:
    """The rows of one plain TREC file as they stand in it, in blocks of whole queries.

    Raises NotPlainError where it is none, perhaps only towards its end; `iter_parts` then reads it from the beginning.
    """
    with open_source(path) as source:
        if _resolve(source, format, "run") != "run":
            raise NotPlainError
        tags, notes = Tags(), trec_notes(source)
        for block in read_plain(source, RUN):
            tags.look(block.text.content)
            reading = trec_reading("run", source.name, None, {**notes, **tags.notes(source.name)})
            yield RunPart(block, source.fraction(), reading)


def trec_notes(source: ByteSource) -> dict[str, str]:
    """What looks odd in the first lines of a run: ranks that say something else than the scores do."""
    rows = [fields for line in sample_rows(source.head, LOOKED_AT) if len(fields := line.split()) >= 5]
    notes: dict[str, str] = {}
    number: dict[bytes, int] = {}
    queries = np.array([number.setdefault(fields[0], len(number)) for fields in rows], np.int64)
    ranks, scores = (np.array([as_number(fields[at]) for fields in rows], np.float64) for at in (3, 4))
    if (pair := contradiction(queries, ranks, scores)) is not None:
        first, second = (rows[row][2].decode("utf-8", "replace") for row in pair)
        notes["rank"] = said(
            "ranks_disagree", source=source.name, rank="rank", score="score", first=first, second=second
        )
    return notes


def labelled_lines(source: ByteSource) -> tuple[JudgmentTable, RunTable]:
    """Judgments and run of lines ``query Q0 item grade``, those of each query in ranked order."""
    frame = pl.concat(read_frames(source, QRELS), rechunk=True)
    # Counted over the whole file, so that a query that comes back goes on where it stopped.
    position = frame.select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query")).to_series()
    run = RunTable(frame["query"], frame["item"], Ranks(position), source.name, scored=False)
    judged = frame.unique(["query", "item"], keep="first", maintain_order=True)
    return JudgmentTable(judged["query"], judged["item"], judged["value"].alias("grade"), source.name), run


def _resolve(source: ByteSource, format: str | None, role: Side) -> str:
    """The reader to use: "qrels", "run", "labelled", or one of the tables' formats; checks that it suits the role."""
    check_format(format)
    check_not_empty(source)
    head = Head(source.head)
    own, other = _KIND_OF[role], _KIND_OF["run" if role == "judgments" else "judgments"]
    if format is None:
        kind = _recognised(head, source.name, own)
    elif format == other:
        raise InputError.of("inputs.format_of_other", format=f"{format!r}", noun=said(_NOUNS[role]), own=f"{own!r}")
    else:
        kind = {"trec": own, "beir": "tsv"}.get(format, format)
    if kind == other or (kind == own and trec_kind(head.rows) == other):
        error = InputError.of(
            "inputs.looks_like_other", source=source.name, looks=said(_LOOKS[other]), noun=said(_NOUNS[role])
        )
        if other == "run" and len(head.first.split()) == 5:
            raise error.changed(looks=said("inputs.text_run_untagged"), more=Problem("inputs.four_fields", {}))
        raise error
    return kind


def _recognised(head: Head, name: str, trec: str) -> str:
    """The format of a file; a head of comments alone is that of TREC text, the only format that has them."""
    says_nothing = b"\0" not in head.content and not head.rows
    return trec if says_nothing else recognise(head, name)


def check_not_empty(source: ByteSource) -> None:
    """Refuse a file without a byte."""
    if not source.head:
        raise InputError.of("inputs.empty", source=source.name)


def check_no_columns(
    source: ByteSource, columns: Named | None, *, allowed: Mapping[str, str] = SUBTOPICS_OF_TREC
) -> None:
    """Refuse names of columns for TREC text, but for what can be said of its fields and rows."""
    columns = check_columns(columns, sides=SIDES) or {}
    named = {role: column for role, column in columns.items() if allowed.get(role) != column}
    if named:
        raise InputError.of(
            "inputs.columns_of_trec",
            source=source.name,
            names=", ".join(f"{role}={column}" for role, column in named.items()),
        )


def read_labelled(data: FileInput | object, *, format: str | None = None, columns: Named | None = None) -> Labelled:
    """Read lists that carry their own judgments: a frame or a file in which both sides stand in every row.

    Parameters
    ----------
    data
        A frame, or a file as for `read_judgments`. In a table each row has a query, a grade and a score (or a rank;
        with neither, the rows of a query are in ranked order), and perhaps an item; or a query, a list of relevant
        items and a list of returned ones. TREC text has lines ``query Q0 item grade``, those of each query in ranked
        order.
    format
        How a file is written; recognised by default.
    columns
        For tables: which column holds what, as ``{"grade": "clicked"}``; ``judgments.item`` and ``run.item`` name the
        two columns of lists.

    Returns
    -------
    Labelled
        What ``evaluate`` takes in place of judgments and run. Rows without an item column are their own items. From
        TREC text the run is unscored (minus the position in the query, from 1) and keeps an item that is listed twice,
        for the consumer to report; the judgments keep its first grade.

    Examples
    --------
    >>> import polars as pl, rankmeter as rm
    >>> rows = pl.DataFrame({"qid": [1, 1, 2, 2], "label": [0, 1, 1, 0], "score": [0.9, 0.4, 0.8, 0.1]})
    >>> rm.evaluate(rm.read_labelled(rows), measures="RR")["RR"]
    0.75
    >>> lists = pl.DataFrame({"user": [7], "actual": [["a", "b"]], "predicted": [["x", "a"]]})
    >>> rm.evaluate(rm.read_labelled(lists), measures="R@2")["R@2"]
    0.5
    """
    if is_frame(data):
        name = f"lists ({kind_of_frame(data)})"
        return _labelled_of_table(OpenedFrame(data, name), columns, name, "frame")
    check_format(format)
    if format == "run":
        raise InputError.of("inputs.no_labels_in_line", format=f"{format!r}")
    with open_source(cast("FileInput", data)) as source:
        check_not_empty(source)
        kind = format or _recognised(Head(source.head), source.name, "qrels")
        if kind == "run":
            raise InputError.of("inputs.not_labelled", source=source.name, looks=said("inputs.text_run"))
        if kind in ("labelled", "trec", "qrels"):
            check_no_columns(source, columns, allowed={})
            return Labelled(*labelled_lines(source))
        return _labelled_of_table(open_table(kind, source, "judgments"), columns, source.name, kind)


def labelled_frame(frame: object, columns: Named | None) -> Labelled | None:
    """What a frame holds that was given without a run; None unless its columns say both what is true and what ranks."""
    table = OpenedFrame(frame, "lists")
    sides: list[Reading] = []
    for side in get_args(Side):
        view = SideOfTable(table, columns, side)
        with suppress(InputError):
            sides.append(read_as(side, view.names, view.head, columns and columns_of(columns, side), "lists", "frame"))
    if len(sides) < 2:
        return None
    truth, run = sides
    is_both = run.order != "row order" and ("grade" in truth.columns or truth.columns["item"] != run.columns["item"])
    return read_labelled(frame, columns=columns) if is_both else None


class SideOfTable(OpenedTable):
    """One side of a table: without the columns that are named for the other side.

    Where no column says which item a row is about, the rows are the items, and their numbers the ids.
    """

    def __init__(self, table: OpenedTable, columns: Named | None, side: Side) -> None:
        self._table = table
        other = "run" if side == "judgments" else "judgments"
        theirs = {column for role, column in (columns or {}).items() if role.startswith(f"{other}.")}
        self.names = [name for name in table.names if name not in theirs]
        named = any(role.rpartition(".")[2] == "item" for role in columns or {})
        self._is_numbered = not named and not any(
            is_usual("item", name) or contents(table.head(name)) in LISTS for name in table.names
        )
        if self._is_numbered:
            self.names.append("item")

    def head(self, column: str) -> RawColumn | Sequence[object]:
        """The first rows of a column."""
        return list(range(LOOKED_AT)) if self._is_numbered and column == "item" else self._table.head(column)

    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        """The rows, as they are stored."""
        if not self._is_numbered:
            yield from self._table.parts(columns)
        else:
            for part in self._table.parts({role: column for role, column in columns.items() if role != "item"}):
                yield _with_row_numbers(part)


def _with_row_numbers(part: TablePart) -> TablePart:
    rows = len(next(iter(part.raw.values())))
    number = pl.int_range(part.first_row, part.first_row + rows, eager=True)
    again = part.exactly
    return replace(
        part, raw={**part.raw, "item": number}, exactly=None if again is None else lambda: _with_row_numbers(again())
    )


def _labelled_of_table(table: OpenedTable, columns: Named | None, source: str, format: str) -> Labelled:
    """Both sides of one table."""

    def read(side: Side) -> JudgmentTable | RunTable:
        named = columns and columns_of(columns, side)
        return whole_table(SideOfTable(table, columns, side), side, named, source, format)

    judgments, run = read("judgments"), read("run")
    truth = judgments.how_read().columns
    if "grade" not in truth and truth["item"] == run.how_read().columns["item"] and not _says_relevant(columns):
        raise InputError.of("inputs.all_relevant", source=source, column=truth["item"])
    return Labelled(
        replace(cast(JudgmentTable, judgments), reading=_without(judgments.how_read(), run.how_read())),
        replace(cast(RunTable, run), reading=_without(run.how_read(), judgments.how_read())),
    )


def _says_relevant(columns: Named | None) -> bool:
    return any(role.rpartition(".")[2] == "relevant" for role in columns or {})


def _without(reading: Reading, other: Reading) -> Reading:
    """How one side was read; what the other side used is not unused."""
    unused = tuple(name for name in reading.unused if name not in other.columns.values())
    notes = reading.notes if unused else {kind: note for kind, note in reading.notes.items() if kind != UNUSED}
    return replace(reading, unused=unused, notes=notes)
