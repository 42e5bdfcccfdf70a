r"""trec_eval's command, versions 9 and 10: the same options in, the same bytes out.

>>> from rankmeter.wings.doors.trec_eval import ProgramCall, output
>>> output(ProgramCall("judgments.qrels", "keyword.run", measures=("map", "P.5,10")))  # doctest: +SKIP
'map                   \tall\t0.2731\n...'
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.arithmetic.aggregates import GEOMETRIC_FLOOR
from rankmeter.errors import InputError, MeasureError, RankmeterError, RankmeterWarning
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.doors.trec_columns import ColumnMaker, PrintedColumn
from rankmeter.wings.doors.trec_files import (
    CANNOT_COMPUTE,
    WRONG_FILE,
    WRONG_USE,
    WRONG_ZSCORES,
    Evaluated,
    TrecEvalError,
    as_printed,
    name_of,
    original_bytes,
    read,
    table_fields,
)
from rankmeter.wings.doors.trec_groups import read_grouped
from rankmeter.wings.doors.trec_measures import (
    JUDGED_IN,
    UNDEFINED,
    ProgramCall,
    Wanted,
    atof,
    check_shared_gains,
    wanted,
)

__all__ = ["ProgramCall", "TrecEvalError", "output", "printed_blocks"]

T = TypeVar("T")
Texts = npt.NDArray[np.bytes_]
MISSING_ZSCORE = -1000000.0
DOUBTFUL = 1e-6
"""How near to half way the scaled number may be misleading: far more than its rounding error."""
BLOCK_BYTES = 1 << 21


def output(command: ProgramCall) -> str:
    """Everything that the program would print."""
    return b"".join(printed_blocks(command)).decode("utf-8", "surrogateescape")


def printed_blocks(command: ProgramCall) -> Iterator[bytes | bytearray]:
    """The same in pieces; what is wrong is said before the first of them."""
    chosen = _stopping_with(WRONG_USE, lambda: wanted(command.measures or ("official",), command.version))
    _check_formats(command)
    if command.level < 0:
        text = f"-l {command.level} is below 0: documents that nobody judged count as relevant in most measures."
        warnings.warn(text, RankmeterWarning, stacklevel=2)
    looks = any(asked.printed.name not in ("runid", "num_q") for asked in chosen)
    reading = read if JUDGED_IN[command.judgments_format] == "grades" else read_grouped
    evaluated = _stopping_with(WRONG_FILE, lambda: reading(command, looks_at_documents=looks))
    means = command.zscores
    zscores = None if means is None else _stopping_with(WRONG_ZSCORES, lambda: Zscores.read(means))
    for asked in chosen:
        _stopping_with(WRONG_FILE, asked.check)
    _stopping_with(CANNOT_COMPUTE, lambda: check_shared_gains(chosen))
    if command.complete and command.version == 10:
        if not evaluated.scores.common.any():
            text = f"{name_of(command.run)} holds none of the judged queries: all of {command.judgments} count as 0."
            warnings.warn(f"no query in common: {text}", RankmeterWarning, stacklevel=2)
        # Every query that the run lacks gets one document that nobody judged.
        evaluated = replace(evaluated, scores=evaluated.scores.with_stand_ins(0 if command.depth == 0 else 1))
    if not evaluated.order and evaluated.stop is not None:
        raise evaluated.stop
    columns = _stopping_with(CANNOT_COMPUTE, lambda: _columns(evaluated, chosen, command))
    if evaluated.tag is None and command.summary and any(asked.printed.name == "runid" for asked in chosen):
        problem = InputError.of("doors.no_tag", source=name_of(command.run), undefined=UNDEFINED).problem
        raise TrecEvalError(problem, WRONG_FILE)
    names, rows = [evaluated.names[number] for number in evaluated.order], np.array(evaluated.order)
    kept = [_kept_column(column, rows, names, evaluated, zscores) for column in columns]
    shown = [column for column in kept if command.per_query and column.printed.per_query]
    lines = (
        lines_of_queries([column.label for column in shown], names, map(_column_cells, shown)) if shown else iter(())
    )
    if evaluated.stop is not None:
        raise TrecEvalError(evaluated.stop.problem, evaluated.stop.code, b"".join(lines))
    return chain(lines, _summary_lines(kept, chosen, evaluated, command) if command.summary else ())


def _stopping_with(code: int, work: Callable[[], T]) -> T:
    """Do some work; what goes wrong in it ends the program with its own code."""
    try:
        return work()
    except TrecEvalError:
        raise
    except RankmeterError as error:
        raise TrecEvalError(error.problem, code) from error


def _check_formats(command: ProgramCall) -> None:
    formats = (("-R", command.judgments_format, tuple(JUDGED_IN)), ("-T", command.run_format, ("trec_results",)))
    for option, name, known in formats:
        if name not in known:
            error = InputError.of("doors.no_format", option=option, format=name, known=known[0])
            raise TrecEvalError(error.problem, WRONG_FILE)


def _columns(evaluated: Evaluated, chosen: list[Wanted], command: ProgramCall) -> list[PrintedColumn]:
    for asked in chosen:
        if asked.printed.judgments not in ("any", JUDGED_IN[command.judgments_format]):
            fits = [name for name, held in JUDGED_IN.items() if held == asked.printed.judgments]
            form = command.judgments_format
            raise MeasureError.of("doors.other_judgments", name=asked.label, format=form, wanted=fits[0])
    call = replace(command, depth=None) if evaluated.is_cut else command
    maker = evaluated.grouped(call) if evaluated.grouped else ColumnMaker(evaluated.scores, call)
    columns = [column for asked in chosen for column in maker.of(asked)]
    absent = ~evaluated.scores.placed.placements.in_run
    if command.complete and absent.any():
        # Version 10 takes back what the stand-in of a missing query would show. It looks at the printed names, so a
        # measure with parameters keeps its value.
        for column in columns:
            if column.label in ("num_ret", "utility", "rbp_resid") or column.label.startswith("unj"):
                column.values[absent] = 0.0
    return columns


def _kept_column(
    column: PrintedColumn, rows: Ints, names: list[str], evaluated: Evaluated, zscores: Zscores | None
) -> PrintedColumn:
    """A column with the evaluated queries alone, in order, as z-scores where that was asked; its label as printed."""
    label, values, printed_as = f"{column.label:<22}", column.values[rows], column.printed
    if column.texts is not None:
        absent = ~evaluated.scores.placed.placements.in_run & (column.label == "relstring")
        texts = tuple("''" if absent[row] else column.texts[row] for row in rows.tolist())
        return PrintedColumn(label, printed_as, values, texts)
    if zscores is not None:
        pairs = zip(names, values.tolist(), strict=True)
        values = np.array([zscores.convert(name, column.label, value) for name, value in pairs])
        # Even a count has a fraction then.
        label, printed_as = f"Z{label}", replace(printed_as, kind="value")
    return PrintedColumn(label, printed_as, values)


def _summary_lines(
    kept: list[PrintedColumn], chosen: list[Wanted], evaluated: Evaluated, command: ProgramCall
) -> Iterator[bytes]:
    if any(asked.printed.name == "runid" for asked in chosen):
        yield original_bytes(f"{'runid':<22}\tall\t{evaluated.tag}\n")
    for column in kept:
        if column.printed.mean != "none":
            value = _summary(column, evaluated, command)
            text = _whole(value) if column.printed.kind == "count" else four_digits(value)
            yield original_bytes(f"{column.label}\tall\t{text}\n")


def _summary(column: PrintedColumn, evaluated: Evaluated, command: ProgramCall) -> float:
    """One number for all queries, added up in their order as the program does."""
    values, how = column.values, column.printed
    count = int(evaluated.scores.placed.placements.is_judged.sum()) if command.complete else len(values)
    total = 0.0 + float(np.add.accumulate(values)[-1])  # from 0 on: -0 alone gives 0
    if how.name == "num_q":
        return float(count)
    if how.name == "num_rel" and command.complete:
        # The program counts every positive grade here, whatever -l says.
        return float(evaluated.relevant)
    if how.mean == "sum":
        return total
    if how.mean == "geometric":
        return math.exp((total + (count - len(values)) * math.log(GEOMETRIC_FLOOR)) / count)
    return total / count


def _column_cells(column: PrintedColumn) -> Texts:
    """The values of one column, ready to be printed."""
    if column.texts is not None:
        return np.array([*map(original_bytes, column.texts)])
    return written_once(column.values, _whole) if column.printed.kind == "count" else all_four_digits(column.values)


def lines_of_queries(labels: Sequence[str], names: Sequence[str], cells: Iterable[Texts]) -> Iterator[bytearray]:
    """The lines of all queries, one for each label, in blocks: there may be a million of them.

    A line is a label, the name of the query and a value. The lines of many queries are one array of bytes with room for
    the longest of each; what stays empty is taken out at the end, since none of these texts holds a NUL. That takes a
    quarter of the time of formatting each query.
    """
    columns = [(original_bytes(label) + b"\t", cell) for label, cell in zip(labels, cells, strict=True)]
    size = sum(len(start) + cell.itemsize for start, cell in columns) + len(columns) * max(map(len, names))
    step = max(1, BLOCK_BYTES // size)
    for first in range(0, len(names), step):
        block = np.array([*map(original_bytes, names[first : first + step])])
        line = b"".join(b"%b%b\t%b\n" % (start, bytes(block.itemsize), bytes(cell.itemsize)) for start, cell in columns)
        lines = bytearray(line) * len(block)
        place = 0
        for start, cell in columns:
            place += len(start)
            for texts in (block, cell[first : first + step]):
                np.ndarray(len(block), texts.dtype, lines, place, (len(line),))[:] = texts
                place += texts.itemsize + 1
        yield lines.replace(b"\0", b"")


def four_digits(value: float) -> str:
    """A value as C prints it: 0/0 has a minus sign, one that was read from a file of z-scores has that of the file."""
    if math.isnan(value):
        return "  -nan" if math.copysign(1, value) < 0 else "   nan"
    return f"{value:6.4f}"


def all_four_digits(values: Floats) -> Texts:
    """Many values as C prints each of them.

    Most measures lie between 0 and 1, so there are only ten thousand and one texts to choose from. Numbers that lie as
    good as half way between two of them, or outside, are printed one by one.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = values * 1e4
        nearest = np.rint(scaled)
        certain = ~np.signbit(values) & (values <= 1.0) & (np.abs(np.abs(scaled - nearest) - 0.5) > DOUBTFUL)
    texts = _usual_texts().take(np.where(certain, nearest, 0.0).astype(np.int64))
    if not certain.all():
        others = written_once(values[~certain], four_digits)
        texts = texts.astype(np.result_type(texts, others))
        texts[~certain] = others
    return texts


@cache
def _usual_texts() -> Texts:
    """0.0000 to 1.0000."""
    letters = np.arange(10_001)[:, None] // np.array([10_000, 1, 1_000, 100, 10, 1]) % 10 + ord("0")
    letters[:, 1] = ord(".")
    texts: Texts = letters.astype(np.uint8).view("S6").ravel()
    return texts


def written_once(values: Floats, written: Callable[[float], str]) -> Texts:
    """The text of each value, made once for all that are equal to the last bit."""
    bits, places = np.unique(values.view(np.int64), return_inverse=True)
    return np.array([original_bytes(written(value)) for value in bits.view(np.float64).tolist()])[places]


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
        table = sorted(table_fields(path, ("query", "measure", "mean", "deviation")), key=lambda fields: fields[:2])
        rows = [(name, atof(mean), atof(deviation)) for _, name, mean, deviation in table]
        of_query: dict[str, tuple[int, int]] = {}
        for number, (query, *_) in enumerate(table):
            first, _ = of_query.get(query, (number, number))
            of_query[query] = (first, number + 1)
        return cls(rows, {as_printed(query): ends for query, ends in of_query.items()})

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
