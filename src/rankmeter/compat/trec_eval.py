r"""trec_eval's command, versions 9 and 10: the same options in, the same bytes out.

>>> from rankmeter.compat.trec_eval import Command, output
>>> output(Command("judgments.qrels", "keyword.run", measures=("map", "P.5,10")))  # doctest: +SKIP
'map                   \tall\t0.2731\n...'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rankmeter.arithmetic.parts import GEOMETRIC_FLOOR
from rankmeter.compat.four_digits import all_four_digits, four_digits
from rankmeter.compat.scoring import Scores
from rankmeter.compat.trec_columns import Column, Columns, Settings
from rankmeter.compat.trec_files import TaggedRun, Zscores, read_graded
from rankmeter.compat.trec_measures import NO_PREFERENCES, Version, Wanted, wanted
from rankmeter.errors import InputError, RankmeterError, examples, with_hint
from rankmeter.placing import Plan
from rankmeter.placing.placements import Bools, Floats, Ints

T = TypeVar("T")
FOREIGN_FORMATS = ("prefs", "qrels_prefs", "qrels_jg")
WRONG_USE, WRONG_FILE, CANNOT_COMPUTE, NOTHING_IN_COMMON = 1, 2, 4, 7
"""The exit codes of the program."""


class TrecEvalError(RankmeterError):
    """Why the program would stop, and the code with which it would."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


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
    _check_formats(command)
    if command.level < 0:
        raise TrecEvalError("-l is below 0: documents that nobody judged would count as relevant.", WRONG_USE)
    chosen = _stopping_with(WRONG_USE, lambda: wanted(command.measures or ("official",), command.version))
    means = command.zscores
    zscores = None if means is None else _stopping_with(WRONG_FILE, lambda: Zscores.read(means))
    run = TaggedRun(command.run)
    scores = _place(run, command)
    order = _order(scores, command)
    if command.complete and command.version == 10:
        scores = scores.with_stand_ins()
    columns = _stopping_with(WRONG_FILE, lambda: _columns(scores, chosen, command))
    table = _Table(command, scores, order, np.array(order), columns, zscores)
    return "".join(table.blocks(run.tag, chosen))


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
            with_hint(f"-R {command.judgments_format}: {NO_PREFERENCES}.", "-R qrels evaluates grades"), WRONG_FILE
        )
    if command.judgments_format != "qrels":
        raise TrecEvalError(with_hint(f"-R {command.judgments_format} is no format.", "-R qrels"), WRONG_FILE)
    if command.run_format != "trec_results":
        raise TrecEvalError(with_hint(f"-T {command.run_format} is no format.", "-T trec_results"), WRONG_FILE)


def _place(run: TaggedRun, command: Command) -> Scores:
    plan = Plan(order=False, scores="float32" if command.version == 9 else "float64")
    judgments = _stopping_with(WRONG_FILE, lambda: read_graded(command.judgments))
    try:
        return Scores.of_run(judgments, run.source, plan)
    except InputError as error:
        text = str(error)
        code = WRONG_FILE
        if "no query in common" in text:
            # Version 10 stops at the first judged query that the run lacks.
            code = NOTHING_IN_COMMON if command.version == 9 else CANNOT_COMPUTE
        elif "twice" in text:
            # The program has no option for repeated documents.
            text, code = text.partition(" Hint:")[0], CANNOT_COMPUTE
        raise TrecEvalError(text, code) from error
    except RankmeterError as error:
        raise TrecEvalError(str(error), WRONG_FILE) from error


def _order(scores: Scores, command: Command) -> list[int]:
    """Which queries are evaluated, in the order in which they are printed: by id, as bytes."""
    placements = scores.placed.placements
    ids = scores.queries
    common = scores.common
    chosen = common if command.version == 9 else placements.is_judged
    order = sorted(np.flatnonzero(chosen).tolist(), key=ids.__getitem__)
    if command.only_query is not None:
        order = [number for number in order if ids[number] == command.only_query]
    missing = [ids[number] for number in order if not common[number]]
    if missing and not command.complete:
        fact = f"the run lacks judged queries, and trec_eval 10 stops there: {examples(missing)}."
        hint = "-c counts them as 0; --trec-eval-version 9 averages over the others"
        raise TrecEvalError(with_hint(fact, hint), CANNOT_COMPUTE)
    if not order:
        raise TrecEvalError("no query is both judged and in the run.", NOTHING_IN_COMMON)
    return order


def _columns(scores: Scores, chosen: list[Wanted], command: Command) -> list[tuple[Wanted, list[Column]]]:
    maker = Columns(scores, command.settings)
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
    scores: Scores
    order: list[int]
    rows: Ints
    """The same as an array."""
    columns: list[tuple[Wanted, list[Column]]]
    zscores: Zscores | None

    def blocks(self, tag: str, chosen: list[Wanted]) -> Iterator[str]:
        """The output: the lines of each query, then those of the summary."""
        ids = self.scores.queries
        names = [ids[number] for number in self.order]
        kept = [(column, self._kept(column, names)) for _, columns in self.columns for column in columns]
        if self.command.per_query:
            shown = [(column, values) for column, values in kept if column.printed.per_query]
            yield from self._of_queries(names, shown)
        if self.command.summary:
            if any(one.printed.name == "runid" for one in chosen):
                yield f"{'runid':<22}\tall\t{tag}\n"
            for column, values in kept:
                if column.printed.mean != "none":
                    yield self._line(column, "all", self._summary(column, values))

    def _of_queries(self, names: list[str], shown: list[tuple[Column, Floats]]) -> Iterator[str]:
        """The lines of each query, made by one format for all of them: there may be a million."""
        if not shown:  # num_q and runid are of all queries only
            return
        labels = [f"{self._mark(column)}{column.label:<22}".replace("%", "%%") for column, _ in shown]
        # The name of the query stands between these.
        pieces = [f"{labels[0]}\t", *(f"\t%s\n{label}\t" for label in labels[1:]), "\t%s\n"]
        cells = [self._cells(column, values) for column, values in shown]
        for name, row in zip(names, zip(*cells, strict=True), strict=True):
            yield name.replace("%", "%%").join(pieces) % row

    def _cells(self, column: Column, values: Floats) -> Sequence[object]:
        """The values of one column, ready to be printed."""
        if column.texts is not None:
            return [self._text(column, number) for number in self.order]
        if column.printed.kind == "count" and not self.zscores:
            return [*map(int, values.tolist())]
        return all_four_digits(values)

    def _kept(self, column: Column, names: list[str]) -> Floats:
        """The values of the evaluated queries, in order; as z-scores where that was asked."""
        values = column.values[self.rows]
        if self.zscores is None:
            return values
        converted = [
            self.zscores.convert(name, column.label, value) for name, value in zip(names, values.tolist(), strict=True)
        ]
        return np.array(converted)

    def _text(self, column: Column, number: int) -> str:
        absent = not self.scores.placed.placements.in_run[number]
        return "''" if absent and column.label == "relstring" else (column.texts or ())[number]

    def _mark(self, column: Column) -> str:
        return "Z" if self.zscores and column.texts is None else ""

    def _line(self, column: Column, query: str, value: float) -> str:
        counted = column.printed.kind == "count" and not self.zscores
        return f"{self._mark(column)}{column.label:<22}\t{query}\t{int(value) if counted else four_digits(value)}\n"

    def _summary(self, column: Column, values: Floats) -> float:
        """One number for all queries, added up in their order as the program does."""
        placements = self.scores.placed.placements
        judged = int(placements.is_judged.sum())
        count = judged if self.command.complete else len(values)
        total = float(np.add.accumulate(values)[-1])
        if column.printed.name == "num_q":
            return float(count)
        if column.printed.name == "num_rel" and self.command.complete:
            # The program counts every positive grade here, whatever -l says.
            return float((placements.best > 0).sum())
        if column.printed.mean == "sum":
            return total
        if column.printed.mean == "geometric":
            return math.exp((total + (count - len(values)) * math.log(GEOMETRIC_FLOOR)) / count)
        return total / count
