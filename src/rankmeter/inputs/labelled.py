"""One table that holds both sides: what a system returned, and beside it what is true.

Learning to rank keeps its data so (``qid, label, score``), and so do notebooks (``user, actual, predicted``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast, get_args

from rankmeter.errors import InputError
from rankmeter.inputs.cells import LISTS, LOOKED_AT, RawColumn, contents
from rankmeter.inputs.checked_tables import OpenedTable, TablePart, whole_table
from rankmeter.inputs.columns import Role, columns_of, is_usual
from rankmeter.inputs.compression import open_source
from rankmeter.inputs.files import FileInput, check_no_columns, check_not_empty, labelled_lines
from rankmeter.inputs.formats import check_format, open_table, recognise, sample_rows
from rankmeter.inputs.frames import OpenedFrame, is_frame, kind_of_frame
from rankmeter.inputs.reading import UNUSED, Reading, Side, read_as
from rankmeter.inputs.sources import Labelled
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.wording import said


def read_labelled(
    data: FileInput | object, *, format: str | None = None, columns: Mapping[str, str] | None = None
) -> Labelled:
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
        return _of_table(OpenedFrame(data, name), columns, name, "frame")
    check_format(format)
    if format == "run":
        raise InputError.of("inputs.no_labels_in_line", format=f"{format!r}")
    with open_source(cast("FileInput", data)) as source:
        check_not_empty(source)
        # Lines of comments alone are TREC text, the only format that has comments.
        kind = format or (recognise(source.head, source.name) if sample_rows(source.head) else "qrels")
        if kind == "run":
            raise InputError.of("inputs.not_labelled", source=source.name, looks=said("inputs.text_run"))
        if kind in ("labelled", "trec", "qrels"):
            check_no_columns(source, columns, allowed={})
            return Labelled(*labelled_lines(source))
        return _of_table(open_table(kind, source, "judgments"), columns, source.name, kind)


def labelled_frame(frame: object, columns: Mapping[str, str] | None) -> Labelled | None:
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

    def __init__(self, table: OpenedTable, columns: Mapping[str, str] | None, side: Side) -> None:
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
                yield _numbered(part)


def _numbered(part: TablePart) -> TablePart:
    rows = len(next(iter(part.raw.values())))
    number = pl.int_range(part.first_row, part.first_row + rows, eager=True)
    again = part.exactly
    return replace(
        part, raw={**part.raw, "item": number}, exactly=None if again is None else lambda: _numbered(again())
    )


def _of_table(table: OpenedTable, columns: Mapping[str, str] | None, source: str, format: str) -> Labelled:
    """Both sides of one table."""

    def read(side: Side) -> JudgmentTable | RunTable:
        named = columns and columns_of(columns, side)
        return whole_table(SideOfTable(table, columns, side), side, named, source, format)

    judgments, run = read("judgments"), read("run")
    return Labelled(
        replace(cast(JudgmentTable, judgments), reading=_without(judgments.how_read(), run.how_read())),
        replace(cast(RunTable, run), reading=_without(run.how_read(), judgments.how_read())),
    )


def _without(reading: Reading, other: Reading) -> Reading:
    """How one side was read; what the other side used is not unused."""
    unused = tuple(name for name in reading.unused if name not in other.columns.values())
    notes = reading.notes if unused else {kind: note for kind, note in reading.notes.items() if kind != UNUSED}
    return replace(reading, unused=unused, notes=notes)
