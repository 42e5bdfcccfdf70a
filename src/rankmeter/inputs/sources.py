"""The kinds of data that can be placed, each as it came: nothing is converted before it is known what is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, examples
from rankmeter.inputs.ids import types_of_ids
from rankmeter.inputs.reading import Reading, Readings, ReadLog
from rankmeter.inputs.tables import JudgmentTable, RunTable

if TYPE_CHECKING:
    from rankmeter.inputs.plain_trec import PlainRows

Query = str | int
Item = str | int


class Source(Protocol):
    """Judgments or a run in any form; ``source`` is what messages call it."""

    @property
    def source(self) -> str: ...


@dataclass(frozen=True)
class _ByQuery:
    """Judgments or a run as a mapping from queries; the types of all ids are looked at once."""

    data: Mapping[Query, Any]
    source: str
    query_types: frozenset[type] = field(init=False, compare=False, repr=False)
    item_types: frozenset[type] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "query_types", frozenset(map(type, self.data)))
        object.__setattr__(self, "item_types", frozenset(types_of_ids(self.data.values())))


@dataclass(frozen=True)
class GradedMapping(_ByQuery):
    """Judgments as ``{query: {item: grade}}``."""

    data: Mapping[Query, Mapping[Item, float]]
    source: str = "judgments"


@dataclass(frozen=True)
class PlainJudgments:
    """Judgments as they stand in a plain TREC text."""

    rows: PlainRows
    read: Callable[[], JudgmentTable]
    """Reads the text as a table."""
    source: str = "judgments"
    reading: Reading | None = None

    @cached_property
    def table(self) -> JudgmentTable:
        """The judgments as a table, for whoever needs one."""
        return replace(self.read(), source=self.source)


@dataclass(frozen=True)
class ScoredMapping(_ByQuery):
    """A run as ``{query: {item: score}}``."""

    data: Mapping[Query, Mapping[Item, float]]
    source: str = "run"


@dataclass(frozen=True)
class RankedLists(_ByQuery):
    """A run as ``{query: [items, best first]}``."""

    data: Mapping[Query, Sequence[Item]]
    source: str = "run"


@dataclass(frozen=True, slots=True)
class Dense:
    """Judgments or a run as a matrix of queries x items; both sides share their rows and columns."""

    values: npt.NDArray[Any]
    source: str = "array"


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run that is read in blocks of whole queries while it is placed."""

    blocks: Callable[[], Iterator[RunTable]]
    source: str = "run"
    plain: Callable[[], Iterator[PlainRows]] | None = None
    """The same as it stands in a TREC text, which may turn out not to be plain; None where it is no such text."""
    log: ReadLog = field(default_factory=ReadLog)
    """What was noticed while it was read."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Lists that carry their own judgments, item by item in ranked order."""

    judgments: JudgmentTable | Dense
    run: RunTable | Dense


AnyJudgments = GradedMapping | PlainJudgments | JudgmentTable | Dense
AnyRun = ScoredMapping | RankedLists | RunTable | RunFile | Dense


def readings(judgments: AnyJudgments | None, run: AnyRun | None) -> Readings:
    """How both sides were read; what a run in files is like is known once it was placed."""
    return Readings(*(None if side is None else _reading_of(side) for side in (judgments, run)))


def _reading_of(side: AnyJudgments | AnyRun) -> Reading:
    if isinstance(side, RunFile):
        return side.log.reading or Reading(side.source)
    if isinstance(side, (JudgmentTable, RunTable, PlainJudgments)):
        return side.reading or Reading(side.source)
    if isinstance(side, Dense):
        return Reading(side.source, "array")
    rows = sum(map(len, side.data.values()))
    if isinstance(side, RankedLists):
        return Reading(side.source, "lists", rows=rows, order="lists")
    return Reading(side.source, "mapping", rows=rows, order="score" if isinstance(side, ScoredMapping) else None)


def some_ids(side: AnyJudgments | AnyRun, most: int) -> tuple[list[object], list[object]]:
    """The first queries and items of one side, not each once; none of what has no ids."""
    if isinstance(side, RunFile):
        side = next(iter(side.blocks()))
    if isinstance(side, (JudgmentTable, RunTable)):
        return side.query[:most].to_list(), side.item[:most].to_list()
    if isinstance(side, PlainJudgments):
        first = np.arange(min(most, len(side.rows)))
        return list(side.rows.query.take(first).to_list()), list(side.rows.item.take(first).to_list())
    if isinstance(side, Dense):
        return [], []
    return list(islice(side.data, most)), list(islice((item for items in side.data.values() for item in items), most))


def no_nan(values: npt.NDArray[Any], what: str) -> None:
    """Refuse an array with NaN, naming the first cells."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InputError(f"{what} is NaN at {_cells(np.isnan(values))}. Nothing was evaluated.")


def no_infinity(values: npt.NDArray[Any], what: str) -> None:
    """Refuse an array with infinite values, naming the first cells."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InputError(f"{what} is not finite at {_cells(np.isinf(values))}. Nothing was evaluated.")


def _cells(chosen: npt.NDArray[np.bool_]) -> str:
    return examples(f"row {row}, column {column}" for row, column in np.argwhere(chosen).tolist())
