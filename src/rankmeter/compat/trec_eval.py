r"""trec_eval's command, versions 9 and 10: the same options in, the same bytes out.

>>> from rankmeter.compat.trec_eval import Command, output
>>> output(Command("judgments.qrels", "keyword.run", measures=("map", "P.5,10")))  # doctest: +SKIP
'map                   \tall\t0.2731\n...'
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from rankmeter.arithmetic.aggregates import GEOMETRIC_FLOOR
from rankmeter.compat.four_digits import all_four_digits, four_digits
from rankmeter.compat.scoring import Scores
from rankmeter.compat.trec_columns import Column, Columns, Settings
from rankmeter.compat.trec_measures import NO_PREFERENCES, Version, Wanted, check_shared_gains, wanted
from rankmeter.compat.trec_parsing import UNDEFINED
from rankmeter.compat.trec_reading import (
    CANNOT_COMPUTE,
    WRONG_FILE,
    WRONG_USE,
    WRONG_ZSCORES,
    Asked,
    Evaluated,
    TrecEvalError,
    read,
    with_stand_ins,
)
from rankmeter.compat.trec_zscores import Zscores
from rankmeter.errors import InputError, MeasureError, RankmeterError, RankmeterWarning, with_hint
from rankmeter.placing.placements import Bools, Floats

__all__ = ["Command", "TrecEvalError", "output"]

T = TypeVar("T")
FOREIGN_FORMATS = ("prefs", "qrels_prefs", "qrels_jg")


@dataclass(frozen=True, slots=True)
class Command:
    """One call of the program; the comments name its options."""

    judgments: str
    run: str
    measures: tuple[str, ...] = ("official",)
    """-m"""
    per_query: bool = False
    """-q"""
    summary: bool = True
    """-n turns it off"""
    complete: bool = False
    """-c"""
    level: int = 1
    """-l"""
    depth: int | None = None
    """-M"""
    judged_only: bool = False
    """-J"""
    collection: int = 0
    """-N"""
    judgments_format: str = "qrels"
    """-R"""
    run_format: str = "trec_results"
    """-T"""
    zscores: str | None = None
    """-Z"""
    only_query: str | None = None
    """-D level.query"""
    version: Version = 10

    @property
    def settings(self) -> Settings:
        """The part that changes values."""
        return Settings(self.version, self.level, self.depth, self.judged_only, self.collection)


def output(command: Command) -> str:
    """Everything that the program would print."""
    try:
        chosen = wanted(command.measures or ("official",), command.version)
    except MeasureError as error:
        code = CANNOT_COMPUTE if error.problem.kind == NO_PREFERENCES else WRONG_USE
        raise TrecEvalError(str(error), code) from error
    _check_formats(command)
    if command.level < 0:
        text = f"-l {command.level} is below 0: documents that nobody judged count as relevant in most measures."
        warnings.warn(text, RankmeterWarning, stacklevel=2)
    found = _stopping_with(WRONG_FILE, lambda: read(_asked(command, chosen)))
    means = command.zscores
    zscores = None if means is None else _stopping_with(WRONG_ZSCORES, lambda: Zscores.read(means))
    for one in chosen:
        _stopping_with(WRONG_FILE, one.check)
    _stopping_with(CANNOT_COMPUTE, lambda: check_shared_gains(chosen))
    if command.complete and command.version == 10:
        if not found.scores.common.any():
            text = (
                f"no query in common: all of {command.judgments} count as 0, because {command.run} holds none of them."
            )
            warnings.warn(text, RankmeterWarning, stacklevel=2)
        found = with_stand_ins(found, command.depth)
    if not found.order and found.stop is not None:
        raise found.stop
    settings = replace(command.settings, depth=None) if found.is_cut else command.settings
    columns = _stopping_with(CANNOT_COMPUTE, lambda: _columns(found.scores, chosen, settings, command))
    if found.tag is None and command.summary and any(one.printed.name == "runid" for one in chosen):
        raise TrecEvalError(f"{command.run} holds no line of a run, so it has no tag; {UNDEFINED}.", WRONG_FILE)
    table = _Table(command, found, columns, zscores)
    if found.stop is None:
        return "".join(table.blocks(chosen))
    raise TrecEvalError(str(found.stop), found.stop.code, "".join(table.of_queries()))


def _asked(command: Command, chosen: list[Wanted]) -> Asked:
    looks = any(one.printed.name not in ("runid", "num_q") for one in chosen)
    return Asked(
        command.judgments, command.run, command.version, command.depth, command.complete, command.only_query, looks
    )


def _stopping_with(code: int, work: Callable[[], T]) -> T:
    """Do some work; what goes wrong in it ends the program with its own code."""
    try:
        return work()
    except TrecEvalError:
        raise
    except RankmeterError as error:
        raise TrecEvalError(str(error), code) from error


def _check_formats(command: Command) -> None:
    if command.judgments_format in FOREIGN_FORMATS:
        raise TrecEvalError(
            str(InputError.of("compat.no_preferences", option=f"-R {command.judgments_format}")), WRONG_FILE
        )
    if command.judgments_format != "qrels":
        raise TrecEvalError(with_hint(f"-R {command.judgments_format} is no format.", "-R qrels"), WRONG_FILE)
    if command.run_format != "trec_results":
        raise TrecEvalError(with_hint(f"-T {command.run_format} is no format.", "-T trec_results"), WRONG_FILE)


def _columns(
    scores: Scores, chosen: list[Wanted], settings: Settings, command: Command
) -> list[tuple[Wanted, list[Column]]]:
    maker = Columns(scores, settings)
    made = [(one, list(maker.of(one))) for one in chosen]
    absent = ~scores.placed.placements.in_run
    if command.complete and absent.any():
        for _, columns in made:
            for column in columns:
                _clear_stand_ins(column, absent)
    return made


def _clear_stand_ins(column: Column, absent: Bools) -> None:
    """Version 10 gives a missing query one unjudged document, and afterwards takes back what that would show.

    It looks at the printed names, so a measure with parameters keeps its value.
    """
    if column.label in ("num_ret", "utility", "rbp_resid") or column.label.startswith("unj"):
        column.values[absent] = 0.0


@dataclass(frozen=True, slots=True)
class _Table:
    """The values of the evaluated queries, and how they are printed and averaged."""

    command: Command
    found: Evaluated
    columns: list[tuple[Wanted, list[Column]]]
    zscores: Zscores | None

    def blocks(self, chosen: list[Wanted]) -> Iterator[str]:
        """The output: the lines of each query, then those of the summary."""
        yield from self.of_queries()
        if self.command.summary:
            if any(one.printed.name == "runid" for one in chosen):
                yield f"{'runid':<22}\tall\t{self.found.tag}\n"
            for column, values in self._kept():
                if column.printed.mean != "none":
                    yield self._line(column, "all", self._summary(column, values))

    def of_queries(self) -> Iterator[str]:
        """The lines of each query, made by one format for all of them: there may be a million."""
        if not self.command.per_query:
            return
        shown = [(column, values) for column, values in self._kept() if column.printed.per_query]
        if not shown:  # num_q and runid are of all queries only
            return
        labels = [f"{self._mark(column)}{column.label:<22}".replace("%", "%%") for column, _ in shown]
        # The name of the query stands between these.
        pieces = [f"{labels[0]}\t", *(f"\t%s\n{label}\t" for label in labels[1:]), "\t%s\n"]
        cells = [self._cells(column, values) for column, values in shown]
        for name, row in zip(self._names, zip(*cells, strict=True), strict=True):
            yield name.replace("%", "%%").join(pieces) % row

    def _cells(self, column: Column, values: Floats) -> Sequence[object]:
        """The values of one column, ready to be printed."""
        if column.texts is not None:
            return [self._text(column, number) for number in self.found.order]
        if column.printed.kind == "count" and not self.zscores:
            return [*map(int, values.tolist())]
        return all_four_digits(values)

    @property
    def _names(self) -> list[str]:
        return [self.found.names[number] for number in self.found.order]

    def _kept(self) -> Iterator[tuple[Column, Floats]]:
        """The columns with the values of the evaluated queries, in order; as z-scores where that was asked."""
        rows = np.array(self.found.order)
        for column in (column for _, columns in self.columns for column in columns):
            values = column.values[rows]
            if self.zscores is not None:
                pairs = zip(self._names, values.tolist(), strict=True)
                values = np.array([self.zscores.convert(name, column.label, value) for name, value in pairs])
            yield column, values

    def _text(self, column: Column, number: int) -> str:
        absent = not self.found.scores.placed.placements.in_run[number]
        return "''" if absent and column.label == "relstring" else (column.texts or ())[number]

    def _mark(self, column: Column) -> str:
        return "Z" if self.zscores and column.texts is None else ""

    def _line(self, column: Column, query: str, value: float) -> str:
        counted = column.printed.kind == "count" and not self.zscores
        return f"{self._mark(column)}{column.label:<22}\t{query}\t{int(value) if counted else four_digits(value)}\n"

    def _summary(self, column: Column, values: Floats) -> float:
        """One number for all queries, added up in their order as the program does."""
        placements = self.found.scores.placed.placements
        judged = int(placements.is_judged.sum())
        count = judged if self.command.complete else len(values)
        total = 0.0 + float(np.add.accumulate(values)[-1])  # from 0 on: -0 alone gives 0
        if column.printed.name == "num_q":
            return float(count)
        if column.printed.name == "num_rel" and self.command.complete:
            # The program counts every positive grade here, whatever -l says.
            return float(self.found.relevant)
        if column.printed.mean == "sum":
            return total
        if column.printed.mean == "geometric":
            return math.exp((total + (count - len(values)) * math.log(GEOMETRIC_FLOOR)) / count)
        return total / count
