"""The kinds of data that can be placed, beside mappings and tables: texts, matrices, files that are read in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS, is_rounded
from rankmeter.inputs.reading import Reading, ReadLog
from rankmeter.inputs.shards import joined_runs
from rankmeter.inputs.tables import Judgments, JudgmentTable, Run, RunTable
from rankmeter.late import pl

if TYPE_CHECKING:
    from rankmeter.inputs.plain_trec import PlainRows


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
        return replace(self.read(), source=self.source)

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
    """Whether some cells were given as True or False: grades may be."""

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
        return next(iter(self.read())).some_ids(most)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Lists that carry their own judgments, item by item in ranked order."""

    judgments: JudgmentTable | Dense
    run: RunTable | Dense


def no_truth_scores(run: Run) -> None:
    """Refuse truth values as scores, as every other kind of run does: they are labels in the wrong place."""
    if isinstance(run, Dense) and run.has_truth_values:
        raise InputError.of("inputs.truth_scores", source=run.source)


def no_nan(values: npt.NDArray[Any], what: str) -> None:
    """Refuse an array with NaN, naming the first cells."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InputError.of("inputs.cells_nan", what=what, cells=_cells(np.isnan(values)))


def no_infinity(values: npt.NDArray[Any], what: str) -> None:
    """Refuse an array with infinite values, naming the first cells."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InputError.of("inputs.cells_infinite", what=what, cells=_cells(np.isinf(values)))


def no_rounding(values: npt.NDArray[Any], what: str) -> None:
    """Refuse an array with numbers beyond 2**53 that are others as floats, naming the first cells."""
    ends = (0,) if values.dtype == np.float64 or not values.size else (values.min(), values.max())
    if all(abs(float(end)) < EXACT_WHOLE_NUMBERS for end in ends):
        return
    large = np.abs(values.astype(np.float64)) >= EXACT_WHOLE_NUMBERS
    rounded = large.copy()
    rounded[large] = [is_rounded(value) for value in values[large].tolist()]
    if rounded.any():
        raise InputError.of("inputs.cells_rounded", what=what, cells=_cells(rounded))


def _cells(chosen: npt.NDArray[np.bool_]) -> str:
    return examples(f"row {row}, column {column}" for row, column in np.argwhere(chosen).tolist())
