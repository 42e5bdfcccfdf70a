"""A table, opened: which columns it has, and its rows part by part, as frames and every format give them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import RawColumn
from rankmeter.inputs.checked_columns import Origin, judgment_table, run_table
from rankmeter.inputs.columns import RANKING, Role
from rankmeter.inputs.reading import Reading, Side, read_as
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some rows of a table, before they are checked."""

    raw: Mapping[Role, RawColumn]
    lines: Sequence[int] | None = None
    """The line of each row; None where rows have only a position."""
    first_row: int = 0
    """How many rows of the file came before these."""
    fraction: float | None = None
    """How much of the file has been read with them; None where its bytes tell it."""
    is_whole: bool = True
    """Whether these are all rows of the file."""
    unread: str = ""
    """What is said of the rest of the file where these rows are wrong."""
    exactly: Callable[[], TablePart] | None = None
    """Reads the same rows slowly and knows their lines, for where they turn out to be wrong."""


class OpenedTable(ABC):
    """A file, a frame or objects with named columns or keys."""

    names: Sequence[str]
    """The columns."""

    @abstractmethod
    def head(self, column: str) -> RawColumn | Sequence[object]:
        """The first rows of a column."""

    def find(self, look: Callable[[Sequence[str]], Reading]) -> Reading:
        """Find the columns that are needed: ``look`` is given the names."""
        return look(self.names)

    @abstractmethod
    def parts(self, columns: Mapping[Role, str]) -> Iterator[TablePart]:
        """The rows, as they are stored; a part may end in the middle of a query."""


def read_opened(
    table: OpenedTable, side: Side, given: Mapping[str, str] | None, name: str, format: str, rows_before: int = 0
) -> Iterator[tuple[JudgmentTable | RunTable, float | None]]:
    """Check a table part by part, and tell with each part how much of the file that is.

    ``rows_before`` is how many rows of the same input were in other files: where nothing but the order of the rows
    ranks them, the count goes on.
    """
    reading = table.find(lambda names: read_as(side, names, table.head, given, name, format))
    build: Callable[[Mapping[Role, RawColumn], Origin], JudgmentTable | RunTable]
    build = judgment_table if side == "judgments" else run_table
    rows = rows_before
    for part in table.parts(reading.roles):
        made = _built(part, build, reading, None if side == "judgments" else rows)
        rows += len(made.query)
        yield made, part.fraction


def _built(
    part: TablePart,
    build: Callable[[Mapping[Role, RawColumn], Origin], JudgmentTable | RunTable],
    reading: Reading,
    before: int | None,
) -> JudgmentTable | RunTable:
    """A part that was checked; where it is wrong it is read again with the numbers of its lines."""
    raw = part.raw
    if before is not None and (before or not part.is_whole) and not any(role in raw for role in RANKING):
        raw = {**raw, "rank": pl.int_range(before + 1, before + len(raw["query"]) + 1, eager=True)}
    try:
        return build(raw, Origin(reading.source, part.lines, part.first_row, reading))
    except InputError as error:
        if part.exactly is None:
            if not part.unread:
                raise
            raise InputError.of("inputs.and_the_rest", fact=error.problem, rest=part.unread) from None
    return _built(part.exactly(), build, reading, before)


def whole_table(
    table: OpenedTable, side: Side, given: Mapping[str, str] | None, name: str, format: str
) -> JudgmentTable | RunTable:
    """Check a table that comes in one part."""
    return next(read_opened(table, side, given, name, format))[0]
