"""The kinds of judgments and runs beside mappings: tables, texts, matrices, files that are read in blocks.

Every kind becomes a table where that is needed. Its columns are Polars Series of equal length without nulls. Ids are
``String`` or 64-bit integers, never floats, so that 2**53 + 1 stays itself. Rows keep the order in which they were
given: the tie rule ``input`` depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.inputs.reading import Reading, ReadLog
from rankmeter.late import Late, pl
from rankmeter.wording import said

if TYPE_CHECKING:
    from rankmeter.inputs.mappings import GradedMapping, RankedLists, ScoredMapping
    from rankmeter.inputs.plain_trec import PlainRows


REPEATED = "repeated judgments"
"""The kind of note that counts judgments that were given more than once."""


class Side:
    """Judgments or a run, of whatever kind: nothing is converted before it is known what is needed."""

    __slots__ = ()
    source: str
    """What messages call it."""
    matrix: npt.NDArray[np.generic] | None = None
    """Queries x items, where it came as such."""
    has_truth_values: bool = False
    """Whether some cells of the matrix were given as True or False: grades may be."""

    reading: Reading | None = None
    """How it was read, where that is known."""

    def how_read(self) -> Reading:
        """How it was read."""
        return self.reading or Reading(self.source)

    def some_ids(self, most: int) -> tuple[list[object], list[object]]:  # noqa: ARG002
        """The first queries and items, not each once; none of what has no ids."""
        return [], []


class Judgments(Side):
    """What is true. Every kind can be had as a table; some have a form that is placed faster."""

    __slots__ = ()
    mapping: GradedMapping | None = None
    """``{query: {item: grade}}``, where it came as such."""
    text: PlainRows | None = None
    """The rows of a plain TREC text, where it came as such."""
    has_subtopics: bool = False
    """Whether they are about aspects of queries."""

    def judgment_table(self) -> JudgmentTable:
        """As a table."""
        raise NotImplementedError

    @property
    def count(self) -> int:
        """How many items are judged, over all queries."""
        raise NotImplementedError


class Run(Side):
    """What a system returned. Every kind can be had in blocks of whole queries; some have a form placed faster."""

    __slots__ = ()
    mapping: ScoredMapping | RankedLists | None = None
    """``{query: {item: score}}`` or ``{query: [items]}``, where it came as such."""
    text: Callable[[], Iterator[PlainRows]] | None = None
    """Reads the rows of a TREC text, which may turn out not to be plain; None where it is not such a text."""
    is_streamed: bool = False
    """Whether it is read anew each time it is looked at, and may be larger than memory."""

    def run_table(self, depth: int | None = None) -> RunTable:
        """As one table; of lists that stand in order only so many items, where a depth is given."""
        raise NotImplementedError

    def blocks(self) -> Iterator[RunTable]:
        """In blocks of whole queries."""
        return iter([self.run_table()])

    def in_memory(self) -> Run:
        """What can be looked at again and again."""
        return self.run_table() if self.is_streamed else self


class SeveralRuns:
    """Runs that are one system together: they are compared, not evaluated."""

    __slots__ = ()
    kind: str
    """What they are called, which is also the name of the function that makes them."""


def _first_ids(table: JudgmentTable | RunTable, most: int) -> tuple[list[object], list[object]]:
    return table.query[:most].to_list(), table.item[:most].to_list()


@dataclass(frozen=True, slots=True)
class JudgmentTable(Judgments):
    """One row per judged (query, item)."""

    query: pl.Series
    """String, Int64 or UInt64."""
    item: pl.Series
    """String, Int64 or UInt64."""
    grade: pl.Series
    """Float64, never NaN; whole grades are exact."""
    source: str = "judgments"
    """How messages name this input: a file name, or what kind of object it was."""
    subtopic: pl.Series | None = None
    """String; where it is there, a (query, item) has one row for each subtopic that it was judged on."""
    queries: pl.Series | None = None
    """Every judged query once, in order, where some have no row; None where all have one."""
    reading: Reading | None = None
    """How it was read; None where it was made here."""
    paths: tuple[str, ...] = ()
    """The files that were joined, where there are several."""

    @property
    def has_subtopics(self) -> bool:  # type: ignore[override]
        return self.subtopic is not None

    def judgment_table(self) -> JudgmentTable:
        return self

    @property
    def count(self) -> int:
        return len(self.query)

    some_ids = _first_ids


def without_repeats(table: JudgmentTable) -> JudgmentTable:
    """The table with what was judged the same way several times once, which it says; unlike judgments stay."""
    rows = pl.DataFrame({"query": table.query, "item": table.item, "grade": table.grade})
    kept = rows.unique(maintain_order=True)
    if table.subtopic is not None or not (dropped := len(rows) - len(kept)):
        return table
    read = table.how_read()
    note = said("judged_again", source=table.source, count=dropped)
    reading = replace(read, notes={**read.notes, REPEATED: note})
    return replace(table, query=kept["query"], item=kept["item"], grade=kept["grade"], reading=reading)


class Ranks(Late["pl.Series"]):
    """Whole ranks, 0 or more; the value is scores with the same order, which lists as a whole do not need."""

    __slots__ = ("given",)

    def __init__(self, given: pl.Series) -> None:
        super().__init__(lambda: floats_of(given, negative=True))
        self.given = given

    def __reduce__(self) -> tuple[Any, ...]:
        return Ranks, (self.given,)


def floats_of(numbers: pl.Series, *, negative: bool = False) -> pl.Series:
    """Numbers, or minus these, as Float64: NumPy asks for memory in large pages, a third of the time for millions."""
    if numbers.dtype == pl.Float64 and not negative:
        return numbers
    floats = numbers.to_numpy().astype(np.float64)
    return pl.Series(numbers.name, np.negative(floats, out=floats) if negative else floats)


def in_one_piece(parts: Sequence[pl.Series]) -> pl.Series:
    """A column in one piece, as NumPy looks at it without a copy; made by NumPy for its large pages (`floats_of`)."""
    pieces = [piece for part in parts for piece in (part.get_chunks() if part.n_chunks() > 1 else [part])]
    first = pieces[0]
    if len(pieces) == 1 or not first.dtype.is_numeric() or any(piece.null_count() for piece in pieces):
        return first if len(pieces) == 1 else pl.concat(pieces, rechunk=True)
    return pl.Series(first.name, np.concatenate([piece.to_numpy() for piece in pieces]), first.dtype)


@dataclass(frozen=True, slots=True)
class RunTable(Run):
    """One row per returned (query, item)."""

    query: pl.Series
    """String, Int64 or UInt64."""
    item: pl.Series
    """String, Int64 or UInt64."""
    ordering: pl.Series | Late[pl.Series]
    """The scores, or what they are made of when they are asked for."""
    source: str = "run"
    """How messages name this input."""
    scored: bool = True
    """False when the run was given as ranks or ordered lists: its scores then have an order but no size or sign."""
    queries: pl.Series | None = None
    """Every query of the run once, in order, where some have no row; None where all have one."""
    reading: Reading | None = None
    """How it was read; None where it was made here."""
    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was found out about it and is asked for again."""

    @property
    def score(self) -> pl.Series:
        """Float64, never NaN, higher is better; a run given as ranks holds minus the rank."""
        return self.ordering.value if isinstance(self.ordering, Late) else self.ordering

    @property
    def ranks(self) -> npt.NDArray[Any]:
        """(m,) the ranks of a run that is not scored: whole numbers, 0 or more, of any type."""
        return self.ordering.given.to_numpy() if isinstance(self.ordering, Ranks) else -self.score.to_numpy()

    def some_rows(self, rows: npt.NDArray[np.int64]) -> RunTable:
        """Some rows, which hold every query that is left."""
        at = pl.Series(rows)
        return self._changed(lambda column: column.gather(at))

    def slice(self, start: int, end: int) -> RunTable:
        """The rows from one to before another, of which nothing is known but what they are."""
        return replace(self._changed(lambda column: column.slice(start, end - start)), reading=None)

    def _changed(self, change: Callable[[pl.Series], pl.Series]) -> RunTable:
        """Every column changed in the same way; ranks stay ranks."""
        given = self.ordering
        ordering = Ranks(change(given.given)) if isinstance(given, Ranks) else change(self.score)
        return replace(self, query=change(self.query), item=change(self.item), ordering=ordering, queries=None)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` makes, made when it is first asked for under this name."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def run_table(self, depth: int | None = None) -> RunTable:  # noqa: ARG002
        return self

    some_ids = _first_ids


def joined_runs(tables: list[RunTable]) -> RunTable:
    """Parts of a run as one table; they must agree on the types of ids and on what orders them."""
    first = tables[0]
    if len(tables) == 1:
        return first
    ranks = [table.ordering.given for table in tables if isinstance(table.ordering, Ranks)]
    are_ranks = len(ranks) == len(tables)
    query, item, order = _joined_columns(tables, ranks if are_ranks else [table.score for table in tables])
    ordering = Ranks(order) if are_ranks else order
    return RunTable(query, item, ordering, first.source, first.scored, all_queries(tables))


def joined_judgments(tables: list[JudgmentTable], source: str, paths: tuple[str, ...]) -> JudgmentTable:
    """The judgments of several files as one table."""
    columns = _joined_columns(tables, [table.grade for table in tables])
    topics = [table.subtopic for table in tables if table.subtopic is not None]
    if topics and len(topics) != len(tables):
        raise InputError.of("inputs.some_subtopics", source=source)
    read = [table.reading for table in tables if table.reading is not None]
    reading = None
    if read:
        notes = {kind: note for one in reversed(read) for kind, note in one.notes.items()}
        unused = tuple(dict.fromkeys(name for one in read for name in one.unused))
        rows = sum(one.rows or 0 for one in read)
        reading = replace(read[0], source=source, rows=rows, unused=unused, notes=notes)
    topic = pl.concat(topics) if topics else None
    return JudgmentTable(*columns, source, topic, all_queries(tables), reading, paths)


def _joined_columns(
    tables: Sequence[JudgmentTable | RunTable], values: list[pl.Series]
) -> tuple[pl.Series, pl.Series, pl.Series]:
    """The columns of ids, and one of numbers; numbers in one piece, which NumPy then sees without a copy."""
    for other in tables[1:]:
        check_alike(tables[0], other)
    parts = [table.query for table in tables], [table.item for table in tables], values
    query, item, numbers = (pl.concat(c) if c[0].dtype == pl.String else in_one_piece(c) for c in parts)
    return query, item, numbers


def all_queries(tables: Sequence[JudgmentTable | RunTable]) -> pl.Series | None:
    """Every query of some tables once, in the order of first appearance; None where all of them have rows."""
    if all(table.queries is None for table in tables):
        return None
    return pl.concat([table.query if table.queries is None else table.queries for table in tables]).unique(
        maintain_order=True
    )


def check_alike(first: JudgmentTable | RunTable, other: JudgmentTable | RunTable) -> None:
    """Refuse parts of one input that cannot be put together."""
    for column in ("query", "item"):
        here, there = getattr(first, column).dtype, getattr(other, column).dtype
        if here != there:
            kinds = ["text" if dtype == pl.String else f"numbers ({dtype})" for dtype in (here, there)]
            raise InputError.of("inputs.other_id_types", column=column, type=kinds[0], source=first.source,
                                other_type=kinds[1], other=other.source)  # fmt: skip
    if isinstance(first, RunTable) and isinstance(other, RunTable) and first.scored != other.scored:
        scored, ranked = (first, other) if first.scored else (other, first)
        raise InputError.of("inputs.scores_and_ranks", source=scored.source, other=ranked.source)


def whole_queries(tables: Iterable[RunTable]) -> Iterator[RunTable]:
    """Cut a stream of tables anew, so that adjacent rows of one query are in one table.

    Parts arrive as they are stored (row groups, blocks of text); the last query of a part may go on in the next one,
    even in the next file, so it is held back until another query begins. A query that comes back later is noticed when
    it is placed.
    """
    held: list[RunTable] = []  # rows of one query, the last one seen
    for table in tables:
        if held:
            check_alike(held[0], table)
        if table.queries is not None:  # it was read as a whole, and knows of queries without a row
            whole, held = [held, [table]], []
        else:
            others = (table.query != table.query[-1]).arg_true()
            start = int(others[-1]) + 1 if len(others) else 0  # where the rows of the last query begin
            if held and not start and table.query[0] == held[0].query[0]:
                held.append(table)
                continue
            whole = [[*held, table.slice(0, start)] if start else held]
            held = [table.slice(start, len(table.query))]
        yield from map(joined_runs, filter(None, whole))
    if held:
        yield joined_runs(held)


@dataclass(frozen=True)
class PlainJudgments(Judgments):
    """Judgments as they stand in a plain TREC text."""

    text: PlainRows = field()  # without the default of other kinds
    read: Callable[[], JudgmentTable]
    """Reads the text as a table."""
    source: str = "judgments"
    reading: Reading | None = None

    @cached_property
    def _table(self) -> JudgmentTable:
        table = self.read()  # from the bytes at hand, which have no name
        reading = None if table.reading is None else replace(table.reading, source=self.source)
        return replace(table, source=self.source, reading=reading)

    def judgment_table(self) -> JudgmentTable:
        return self._table

    @property
    def count(self) -> int:
        return len(self.text)

    def some_ids(self, most: int) -> tuple[list[object], list[object]]:
        first = np.arange(min(most, len(self.text)))
        return list(self.text.query.take(first).to_list()), list(self.text.item.take(first).to_list())


@dataclass(frozen=True, slots=True)
class Dense(Judgments, Run):  # type: ignore[misc]  # a matrix is neither's mapping nor text
    """Judgments or a run as a matrix of queries x items; both sides share their rows and columns."""

    matrix: npt.NDArray[Any] = field()
    source: str = "array"
    has_truth_values: bool = False

    @property
    def count(self) -> int:
        """How many cells there are: each is judged."""
        return self.matrix.size

    def how_read(self) -> Reading:
        return Reading(self.source, "array")

    def judgment_table(self) -> JudgmentTable:
        return JudgmentTable(*self._columns(), self.source)

    def run_table(self, depth: int | None = None) -> RunTable:  # noqa: ARG002 (cells stand in any order)
        return RunTable(*self._columns(), self.source)

    def _columns(self) -> tuple[pl.Series, pl.Series, pl.Series]:
        query, item = np.indices(self.matrix.shape).reshape(2, -1)
        return pl.Series(query), pl.Series(item), pl.Series(self.matrix.astype(np.float64).ravel())


@dataclass(frozen=True, slots=True)
class RunFile(Run):
    """A run that is read in blocks of whole queries while it is placed."""

    read: Callable[[], Iterator[RunTable]]
    source: str = "run"
    text: Callable[[], Iterator[PlainRows]] | None = None
    log: ReadLog = field(default_factory=ReadLog)
    """What was noticed while it was read."""

    is_streamed: ClassVar[bool] = True  # type: ignore[misc]

    def blocks(self) -> Iterator[RunTable]:
        return self.read()

    def run_table(self, depth: int | None = None) -> RunTable:  # noqa: ARG002 (rows stand in any order)
        return joined_runs(list(self.read()))

    def how_read(self) -> Reading:
        """How it was read, once it was."""
        return self.log.reading or Reading(self.source)

    def some_ids(self, most: int) -> tuple[list[object], list[object]]:
        queries: list[object] = []
        items: list[object] = []
        for block in self.read():  # the first one may be all but the last query of a small file
            more = block.some_ids(most - len(items))
            queries += more[0]
            items += more[1]
            if len(items) >= most:
                break
        return queries, items


@dataclass(frozen=True, slots=True)
class Labelled:
    """Lists that carry their own judgments, item by item in ranked order."""

    judgments: JudgmentTable | Dense
    run: RunTable | Dense
