"""The two tables that every input becomes: judgments (what is true) and a run (what a system returned).

Columns are Polars Series of equal length without nulls. Ids are ``String`` or 64-bit integers, never floats, so that
2**53 + 1 stays itself. Rows keep the order in which they were given: the tie rule ``input`` depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any

from rankmeter.frozen import dataclass
from rankmeter.inputs.reading import Reading
from rankmeter.late import pl

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rankmeter.inputs.mappings import GradedMapping, RankedLists, ScoredMapping
    from rankmeter.inputs.plain_trec import PlainRows


class Side:
    """Judgments or a run, of whatever kind: nothing is converted before it is known what is needed."""

    __slots__ = ()
    source: str
    """What messages call it."""
    matrix: npt.NDArray[np.generic] | None = None
    """Queries x items, where it came as such."""

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

    @property
    def has_subtopics(self) -> bool:  # type: ignore[override]
        return self.subtopic is not None

    def judgment_table(self) -> JudgmentTable:
        return self

    @property
    def count(self) -> int:
        return len(self.query)

    def some_ids(self, most: int) -> tuple[list[object], list[object]]:
        return self.query[:most].to_list(), self.item[:most].to_list()


@dataclass(frozen=True, slots=True)
class RunTable(Run):
    """One row per returned (query, item)."""

    query: pl.Series
    """String, Int64 or UInt64."""
    item: pl.Series
    """String, Int64 or UInt64."""
    score: pl.Series
    """Float64, never NaN, higher is better; a run given as ranks holds minus the rank."""
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

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` makes, made when it is first asked for under this name."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]

    def run_table(self, depth: int | None = None) -> RunTable:  # noqa: ARG002
        return self

    def some_ids(self, most: int) -> tuple[list[object], list[object]]:
        return self.query[:most].to_list(), self.item[:most].to_list()
