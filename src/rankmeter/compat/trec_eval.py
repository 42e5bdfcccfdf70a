r"""trec_eval's command, versions 9 and 10: the same options in, the same bytes out.

>>> from rankmeter.compat.trec_eval import ProgramCall, output
>>> output(ProgramCall("judgments.qrels", "keyword.run", measures=("map", "P.5,10")))  # doctest: +SKIP
'map                   \tall\t0.2731\n...'
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from rankmeter.arithmetic.aggregates import GEOMETRIC_FLOOR
from rankmeter.compat import c_library
from rankmeter.compat.trec_columns import ColumnMaker, PrintedColumn, ValueSettings
from rankmeter.compat.trec_files import (
    CANNOT_COMPUTE,
    WRONG_FILE,
    WRONG_USE,
    WRONG_ZSCORES,
    Evaluated,
    TrecEvalError,
    name_of,
    printed,
    read,
    read_table,
    with_stand_ins,
)
from rankmeter.compat.trec_lines import (
    Texts,
    all_four_digits,
    as_bytes,
    four_digits,
    lines_of_queries,
    written_once,
)
from rankmeter.compat.trec_measures import UNDEFINED, ProgramCall, Wanted, check_shared_gains, wanted
from rankmeter.errors import InputError, MeasureError, RankmeterError, RankmeterWarning
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Bools, Floats

__all__ = ["ProgramCall", "TrecEvalError", "output", "printed_blocks"]

T = TypeVar("T")
FOREIGN_FORMATS = ("prefs", "qrels_prefs", "qrels_jg")


MISSING_ZSCORE = -1000000.0


def output(command: ProgramCall) -> str:
    """Everything that the program would print."""
    return b"".join(printed_blocks(command)).decode("utf-8", "surrogateescape")


def printed_blocks(command: ProgramCall) -> Iterator[bytes | bytearray]:
    """The same in pieces; what is wrong is said before the first of them."""
    try:
        chosen = wanted(command.measures or ("official",), command.version)
    except MeasureError as error:
        code = CANNOT_COMPUTE if error.problem.kind == "compat.no_preferences" else WRONG_USE
        raise TrecEvalError(error.problem, code) from error
    _check_formats(command)
    if command.level < 0:
        text = f"-l {command.level} is below 0: documents that nobody judged count as relevant in most measures."
        warnings.warn(text, RankmeterWarning, stacklevel=2)
    looks = any(asked.printed.name not in ("runid", "num_q") for asked in chosen)
    evaluated = _stopping_with(WRONG_FILE, lambda: read(command, looks_at_documents=looks))
    means = command.zscores
    zscores = None if means is None else _stopping_with(WRONG_ZSCORES, lambda: Zscores.read(means))
    for asked in chosen:
        _stopping_with(WRONG_FILE, asked.check)
    _stopping_with(CANNOT_COMPUTE, lambda: check_shared_gains(chosen))
    if command.complete and command.version == 10:
        if not evaluated.scores.common.any():
            text = f"{name_of(command.run)} holds none of the judged queries: all of {command.judgments} count as 0."
            warnings.warn(f"no query in common: {text}", RankmeterWarning, stacklevel=2)
        evaluated = with_stand_ins(evaluated, command.depth)
    if not evaluated.order and evaluated.stop is not None:
        raise evaluated.stop
    columns = _stopping_with(CANNOT_COMPUTE, lambda: _columns(evaluated, chosen, command))
    if evaluated.tag is None and command.summary and any(asked.printed.name == "runid" for asked in chosen):
        problem = InputError.of("compat.no_tag", source=name_of(command.run), undefined=UNDEFINED).problem
        raise TrecEvalError(problem, WRONG_FILE)
    table = _Table(command, evaluated, columns, zscores)
    if evaluated.stop is None:
        return table.blocks(chosen)
    raise TrecEvalError(evaluated.stop.problem, evaluated.stop.code, b"".join(table.of_queries()))


def _stopping_with(code: int, work: Callable[[], T]) -> T:
    """Do some work; what goes wrong in it ends the program with its own code."""
    try:
        return work()
    except TrecEvalError:
        raise
    except RankmeterError as error:
        raise TrecEvalError(error.problem, code) from error


def _check_formats(command: ProgramCall) -> None:
    formats = (("-R", command.judgments_format, "qrels"), ("-T", command.run_format, "trec_results"))
    for option, name, known in formats:
        if option == "-R" and name in FOREIGN_FORMATS:
            problem = InputError.of("compat.no_preferences", option=f"-R {name}").problem
            raise TrecEvalError(problem, WRONG_FILE)
        if name != known:
            problem = InputError.of("compat.no_format", option=option, format=name, known=known).problem
            raise TrecEvalError(problem, WRONG_FILE)


def _columns(evaluated: Evaluated, chosen: list[Wanted], command: ProgramCall) -> list[PrintedColumn]:
    depth = None if evaluated.is_cut else command.depth
    settings = ValueSettings(command.version, command.level, depth, command.judged_only, command.collection)
    maker = ColumnMaker(evaluated.scores, settings)
    columns = [column for asked in chosen for column in maker.of(asked)]
    absent = ~evaluated.scores.placed.placements.in_run
    if command.complete and absent.any():
        for column in columns:
            _clear_stand_ins(column, absent)
    return columns


def _clear_stand_ins(column: PrintedColumn, absent: Bools) -> None:
    """Version 10 gives a missing query one unjudged document, and afterwards takes back what that would show.

    It looks at the printed names, so a measure with parameters keeps its value.
    """
    if column.label in ("num_ret", "utility", "rbp_resid") or column.label.startswith("unj"):
        column.values[absent] = 0.0


@dataclass(frozen=True, slots=True)
class _Table:
    """The values of the evaluated queries, and how they are printed and averaged."""

    command: ProgramCall
    evaluated: Evaluated
    columns: list[PrintedColumn]
    zscores: Zscores | None

    def blocks(self, chosen: list[Wanted]) -> Iterator[bytes | bytearray]:
        """The output: the lines of each query, then those of the summary."""
        yield from self.of_queries()
        if self.command.summary:
            if any(asked.printed.name == "runid" for asked in chosen):
                yield f"{'runid':<22}\tall\t{self.evaluated.tag}\n".encode("utf-8", "surrogateescape")
            for column, values in self._kept():
                if column.printed.mean != "none":
                    yield self._line(column, self._summary(column, values)).encode("utf-8", "surrogateescape")

    def of_queries(self) -> Iterator[bytes | bytearray]:
        """The lines of each query."""
        if not self.command.per_query:
            return
        shown = [(column, values) for column, values in self._kept() if column.printed.per_query]
        if shown:  # num_q and runid are of all queries only
            labels = [f"{self._mark(column)}{column.label:<22}" for column, _ in shown]
            yield from lines_of_queries(labels, self._names, [self._cells(column, values) for column, values in shown])

    def _cells(self, column: PrintedColumn, values: Floats) -> Texts:
        """The values of one column, ready to be printed."""
        if column.texts is not None:
            return as_bytes(self._text(column, number) for number in self.evaluated.order)
        return written_once(values, _whole) if self._is_counted(column) else all_four_digits(values)

    @property
    def _names(self) -> list[str]:
        return [self.evaluated.names[number] for number in self.evaluated.order]

    def _kept(self) -> Iterator[tuple[PrintedColumn, Floats]]:
        """The columns with the values of the evaluated queries, in order; as z-scores where that was asked."""
        rows = np.array(self.evaluated.order)
        for column in self.columns:
            values = column.values[rows]
            if self.zscores is not None:
                pairs = zip(self._names, values.tolist(), strict=True)
                values = np.array([self.zscores.convert(name, column.label, value) for name, value in pairs])
            yield column, values

    def _text(self, column: PrintedColumn, number: int) -> str:
        absent = not self.evaluated.scores.placed.placements.in_run[number]
        return "''" if absent and column.label == "relstring" else (column.texts or ())[number]

    def _mark(self, column: PrintedColumn) -> str:
        return "Z" if self.zscores and column.texts is None else ""

    def _is_counted(self, column: PrintedColumn) -> bool:
        return column.printed.kind == "count" and not self.zscores

    def _line(self, column: PrintedColumn, value: float) -> str:
        text = _whole(value) if self._is_counted(column) else four_digits(value)
        return f"{self._mark(column)}{column.label:<22}\tall\t{text}\n"

    def _summary(self, column: PrintedColumn, values: Floats) -> float:
        """One number for all queries, added up in their order as the program does."""
        placements = self.evaluated.scores.placed.placements
        judged = int(placements.is_judged.sum())
        count = judged if self.command.complete else len(values)
        total = 0.0 + float(np.add.accumulate(values)[-1])  # from 0 on: -0 alone gives 0
        if column.printed.name == "num_q":
            return float(count)
        if column.printed.name == "num_rel" and self.command.complete:
            # The program counts every positive grade here, whatever -l says.
            return float(self.evaluated.relevant)
        if column.printed.mean == "sum":
            return total
        if column.printed.mean == "geometric":
            return math.exp((total + (count - len(values)) * math.log(GEOMETRIC_FLOOR)) / count)
        return total / count


def _whole(value: float) -> str:
    return str(int(value))


@dataclass(frozen=True, slots=True)
class Zscores:
    """The mean and the standard deviation of measures for each query, from a file ``query measure mean deviation``."""

    rows: list[tuple[str, float, float]]
    """Measure, mean and deviation, sorted by query and measure."""
    of_query: dict[str, tuple[int, int]]
    """The first row of each query, and the one behind its last."""

    @classmethod
    def read(cls, path: str) -> Zscores:
        """Read the file; every line must have its four fields."""
        table = sorted(read_table(path, ("query", "measure", "mean", "deviation")), key=lambda fields: fields[:2])
        rows = [(name, c_library.real(mean), c_library.real(deviation)) for _, name, mean, deviation in table]
        of_query: dict[str, tuple[int, int]] = {}
        for number, (query, *_) in enumerate(table):
            first, _ = of_query.get(query, (number, number))
            of_query[query] = (first, number + 1)
        return cls(rows, {printed(query): ends for query, ends in of_query.items()})

    def convert(self, query: str, measure: str, value: float) -> float:
        """A value in standard deviations from its mean; the program's mark where that is not known."""
        row = self._find(*self.of_query[query], measure) if query in self.of_query else None
        if row is None:
            return MISSING_ZSCORE
        _, mean, deviation = row
        if deviation:
            return (value - mean) / deviation
        return 0.0 if value == mean else MISSING_ZSCORE

    def _find(self, first: int, end: int, measure: str) -> tuple[str, float, float] | None:
        """The row of a measure, by halving as in the program, which looks at one row too many: of the next query."""
        low, high = first, end
        while low <= high:
            # Halved as distances from the first row, which is what the program counts from.
            middle = first + (low + high - 2 * first) // 2
            if middle == len(self.rows):
                return None
            name = self.rows[middle][0]
            if measure == name:
                return self.rows[middle]
            low, high = (low, middle - 1) if measure < name else (middle + 1, high)
        return None
