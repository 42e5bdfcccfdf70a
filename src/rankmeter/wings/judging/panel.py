"""A panel: what several judges said of the same pairs of query and item, side by side on one scale."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from rankmeter.errors import InputError, RankmeterError, examples
from rankmeter.inputs.accepting import into_judgments, is_path
from rankmeter.inputs.attributes import find_column, name_of_table, table_of
from rankmeter.inputs.frames import is_frame
from rankmeter.inputs.tables import Judgments
from rankmeter.late import pl
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.judging.judge_agreement import GAP, Grades
from rankmeter.wording import Option, Said, said

JUDGE_NAMES = ("judge", "judge_id", "assessor", "assessor_id", "annotator", "annotator_id", "rater", "rater_id")
"""What a column of judges is usually called."""
MOST_GRADES = 101
"""A percentage has this many; more are measurements, not grades."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The grades of several judges; a row per pair that anybody judged, those of a query together."""

    judges: tuple[str, ...]
    pairs: pl.DataFrame
    """``query`` and ``item``, as text."""
    grades: Grades
    is_stated: bool
    """Whether the scale was stated, not taken from the grades."""

    @property
    def scale_text(self) -> str:
        """The scale as it is typed: ``0..3``, or its grades."""
        steps = np.diff(self.grades.scale)
        ends = [plain_number(grade) for grade in self.grades.scale]
        return f"{ends[0]}..{ends[-1]}" if len(steps) and (steps == 1).all() else ", ".join(ends)


def plain_number(value: float) -> str:
    """A grade as people write it."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def into_panel(
    judges: object, *, scale: object = None, judge: str | None = None, columns: Mapping[str, str] | None = None
) -> Panel:
    """Judgments of each judge by name, or one table with a column that names the judge, on one scale."""
    tables = {name: _graded_by(data, name, columns) for name, data in _by_judge(judges, judge).items()}
    for role in ("query", "item"):
        # Ids of different types are compared as text, as everywhere.
        if len({table[role].dtype for table in tables.values()}) > 1:
            tables = {name: table.with_columns(pl.col(role).cast(pl.String)) for name, table in tables.items()}
    if len(tables) < 2:
        raise InputError.of("judging.one_judge", judges=list(tables))
    stated = None if scale is None else parse_scale(scale)
    grades = _scale_of(tables) if stated is None else stated
    coded = {name: _coded_grades(table, name, grades) for name, table in tables.items()}
    panel = _side_by_side(coded, grades, is_stated=stated is not None)
    if not (panel.grades.codes != GAP).any():
        raise InputError.of("judging.no_grade", judges=list(tables))
    _check_in_common(panel)
    return panel


def _by_judge(judges: object, judge: str | None) -> dict[str, Any]:
    if is_path(judges) or is_frame(judges):
        table = table_of(judges, "judgments")
        source = name_of_table(judges)
        column = find_column(table, JUDGE_NAMES, "judge", source, given=judge)
        if column is None:
            raise InputError.of("judging.no_judge_column", source=source, columns=examples(table.columns, shown=12))
        if missing := table[column].null_count():
            raise InputError.of("judging.nameless", source=source, column=column, count=missing)
        parts = table.with_columns(pl.col(column).cast(pl.String)).partition_by(
            column, maintain_order=True, as_dict=True, include_key=False
        )
        return {str(name): _numeric(part) for (name,), part in parts.items()}
    if not isinstance(judges, Mapping):
        raise InputError.of("judging.not_by_judge", kind=type(judges).__name__)
    return {str(name): data for name, data in judges.items()}


def of_book(path: str) -> dict[str, pl.DataFrame]:
    """The judges of a book, which has a column of grades for each behind those of the query and the item."""
    table = table_of(path, "judgments")
    query, item, *judges = [*table.columns, "", ""][: max(len(table.columns), 2)]
    if len(judges) < 2:
        raise InputError.of("judging.no_book", source=str(path), columns=examples(table.columns, shown=12))
    ids = [pl.col(query).alias("query"), pl.col(item).alias("item")]
    by_judge = {name: table.select(*ids, pl.col(name).alias("grade")).drop_nulls("grade") for name in judges}
    return {name: _numeric(graded) for name, graded in by_judge.items()}


def _numeric(table: pl.DataFrame) -> pl.DataFrame:
    """A table of a text file, with grades as numbers where all of them are."""
    from rankmeter.inputs.columns import is_usual

    for name in table.columns:
        column = table[name]
        if is_usual("grade", name) and column.dtype == pl.String:
            numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
            if numbers.null_count() == column.null_count():
                table = table.with_columns(numbers.alias(name))
    return table


def _graded_by(data: Any, name: str, columns: Mapping[str, str] | None) -> pl.DataFrame:
    """Query, item and grade of one judge."""
    try:
        table = into_judgments(data, columns=columns).judgment_table()
    except RankmeterError as error:
        raise named_error(error, InputError.of("judging.of_judge", judge=name)) from error
    if table.has_subtopics:
        raise InputError.of("judging.subtopics", judge=name)
    return pl.DataFrame({"query": table.query, "item": table.item, "grade": table.grade})


def named_error(error: RankmeterError, whose: RankmeterError) -> RankmeterError:
    """The error with whose data it was met in."""
    if error.problem.kind == "general.text":  # its text may hold a hint already
        return type(error)(f"{whose.problem.fact()}: {error}")
    return error.changed(more=whose.problem)


def parse_scale(scale: object) -> Floats:
    """``"0..3"``, or the grades themselves, such as ``[0, 0.5, 1]``."""
    wrong = InputError.of("judging.not_a_scale", option=Option("scale", scale))
    if isinstance(scale, str):
        if ends := re.fullmatch(r"\s*(-?\d{1,15})\s*\.\.\.?\s*(-?\d{1,15})\s*", scale):
            low, high = map(int, ends.groups())
            if not 0 < high - low < MOST_GRADES:
                raise wrong
            return np.arange(low, high + 1, dtype=np.float64)
        try:
            scale = [float(part) for part in scale.split(",")]
        except ValueError:
            raise wrong from None
    if not isinstance(scale, (Sequence, range, np.ndarray)):
        raise wrong
    if any(isinstance(grade, bool) or not isinstance(grade, Real) or not math.isfinite(grade) for grade in scale):
        raise wrong
    grades = np.unique(np.asarray(scale, np.float64))
    if not 2 <= len(grades) <= MOST_GRADES or len(grades) != len(scale):
        raise wrong
    return grades


def unlike_scales(people: Judgments, machine: Judgments) -> list[Said]:
    """Say it where the highest grades differ: numbers of the two may then not be held against each other."""
    ends = [side.judgment_table().grade.max() for side in (people, machine)]
    return [said("highest_grades_differ", people=ends[0], machine=ends[1])] if ends[0] != ends[1] else []


def _scale_of(tables: Mapping[str, pl.DataFrame]) -> Floats:
    """From 0 to the highest grade, where all judges have the same highest and all grades are whole."""
    ends = {}
    for name, table in tables.items():
        grades = table["grade"].filter(table["grade"] >= 0)
        if (grades % 1 != 0).any():
            value = grades.filter(grades % 1 != 0)[0]
            raise InputError.of("judging.fractions", judge=name, grade=value)
        if len(grades):
            ends[name] = (int(grades.min()), int(grades.max()))  # type: ignore[arg-type]
    highest = {high for _, high in ends.values()}
    if len(highest) > 1:
        shown = {name: f"{low} .. {high}" for name, (low, high) in ends.items()}
        raise InputError.of("judging.unlike_scales", ranges=shown, scale=f"0..{max(highest)}")
    top = max(highest, default=1)
    if top >= MOST_GRADES:
        raise InputError.of("judging.too_many_grades", grade=top)
    return np.arange(0, max(top, 1) + 1, dtype=np.float64)


def _coded_grades(table: pl.DataFrame, name: str, scale: Floats) -> pl.DataFrame:
    """``query``, ``item`` and ``code``, the place of the grade on the scale; below 0 and not on it is no judgment."""
    grades = table["grade"].to_numpy()
    places = np.searchsorted(scale, grades).clip(0, len(scale) - 1)
    outside = scale[places] != grades
    wrong = outside & (grades >= 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError.of(
            "judging.outside_scale", judge=name, grade=plain_number(grades[row]), query=table["query"][row],
            item=table["item"][row], count=int(wrong.sum()), low=plain_number(scale[0]), high=plain_number(scale[-1]),
        )  # fmt: skip
    codes = pl.Series("code", places.astype(np.int16))
    return table.select("query", "item", codes).filter(pl.Series(~outside))


def _side_by_side(coded: Mapping[str, pl.DataFrame], scale: Floats, *, is_stated: bool) -> Panel:
    """Pairs in the order in which their queries were first met."""
    rows = pl.concat(coded.values())
    queries, query = _numbered(rows["query"])
    items, item = _numbered(rows["item"])
    pairs, row = np.unique(query * len(items) + item, return_inverse=True)
    codes = np.full((len(coded), len(pairs)), GAP, np.int16)
    start = 0
    for at, (name, part) in enumerate(coded.items()):
        own_rows = row[start : start + len(part)]
        start += len(part)
        codes[at, own_rows] = part["code"].to_numpy()
        if len(own_rows) != np.count_nonzero(codes[at] != GAP):
            twice = int(pairs[np.bincount(own_rows).argmax()])
            ids = str(queries[twice // len(items)]), str(items[twice % len(items)])
            raise InputError.of("judging.judged_twice", judge=name, query=ids[0], item=ids[1])
    number = pairs // len(items)
    listed = pl.DataFrame({"query": queries.gather(number), "item": items.gather(pairs % len(items))})
    return Panel(tuple(coded), listed, Grades(codes, number, scale), is_stated)


def _numbered(ids: pl.Series) -> tuple[pl.Series, Ints]:
    """Every id once, in the order in which it was first met, as text; and the number of each row's."""
    once = ids.unique(maintain_order=True)
    return once.cast(pl.String), ids.replace_strict(once, pl.int_range(len(once), eager=True)).to_numpy()


def _check_in_common(panel: Panel) -> None:
    """Refuse a judge who judged nothing that anybody else did."""
    is_judged = panel.grades.codes != GAP
    shared = is_judged & (is_judged.sum(0) >= 2)
    for name, judged, together in zip(panel.judges, is_judged, shared, strict=True):
        if not together.any():
            others = [other for other in panel.judges if other != name]
            pair = panel.pairs.row(int(np.argmax(judged))) if judged.any() else ("-", "-")
            raise InputError.of(
                "judging.nothing_in_common", judge=name, others=examples(others), count=int(judged.sum()),
                query=pair[0], item=pair[1],
            )  # fmt: skip
