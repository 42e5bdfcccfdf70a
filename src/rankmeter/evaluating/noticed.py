"""What is noticed when judgments and run are looked at together, before anybody reads a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankmeter.errors import examples
from rankmeter.inputs import AnyJudgments, AnyRun
from rankmeter.inputs.columns import RATINGS, fold
from rankmeter.inputs.likeness import LOOKED_AT, why_unlike
from rankmeter.inputs.reading import Reading, Readings
from rankmeter.inputs.sources import readings
from rankmeter.measures import Measure
from rankmeter.measures.base import RelevanceMeasure
from rankmeter.placing import PlacedRun
from rankmeter.wording import Said, said


def how_read(
    judgments: AnyJudgments | None, run: AnyRun | None, placed: PlacedRun, measures: Sequence[Measure], *, wide: bool
) -> Readings:
    """How both sides were read, with what looks odd about the two together."""
    read = readings(judgments, run)
    notes: dict[str, str] = {}
    if read.judgments is not None and (note := _ratings(read.judgments, placed.highest_grade, measures)) is not None:
        notes["ratings"] = note
    elif (note := _grades(placed.highest_grade, measures)) is not None:
        notes["grades"] = note
    if (note := _too_deep(placed, measures)) is not None:
        notes["cutoff"] = note
    if wide and judgments is not None and run is not None and not len(placed.placements.grade):
        note = _nothing_found(judgments, run)
        notes |= {} if note is None else {"nothing found": note}
    if not notes or read.judgments is None:
        return read
    return replace(read, judgments=replace(read.judgments, notes={**read.judgments.notes, **notes}))


def _ratings(read: Reading, highest: float, measures: Sequence[Measure]) -> Said | None:
    """Say that a rating is a grade, where one star would count as a hit."""
    column = read.columns.get("grade", "")
    asked = next((measure for measure in measures if isinstance(measure, RelevanceMeasure) and measure.rel <= 1), None)
    if fold(column) not in RATINGS or highest < 3 or asked is None:
        return None
    better = round(highest * 0.8)
    return said(
        "ratings_are_grades", source=read.source, column=column, highest=highest, measure=str(asked), rel=asked.rel,
        stricter=str(replace(asked, rel=better)), better=better,
    )  # fmt: skip


def _grades(highest: float, measures: Sequence[Measure]) -> Said | None:
    """Say that grades of several steps are cut at the lowest, where that was not stated."""
    cut = [m for m in measures if isinstance(m, RelevanceMeasure) and m.rel == 1 and not m.graded]
    if not cut or highest < 3 or not float(highest).is_integer():
        return None
    return said(
        "grades_cut", highest=highest, measures=[str(m) for m in cut], one=len(cut), rel=1,
        stricter=str(replace(cut[0], rel=highest - 1)), better=highest - 1,
    )  # fmt: skip


LEAST_LENGTH = 10
"""Of shorter lists nobody expects a cutoff to be reached."""


def _too_deep(placed: PlacedRun, measures: Sequence[Measure]) -> Said | None:
    """Say that a cutoff lies behind the end of every list, so that it cuts nothing."""
    longest = int(placed.placements.returned.max(initial=0))
    deep = [str(m) for m in measures if m.at == "cutoff" and (getattr(m, "cutoff", None) or 0) > longest]
    if longest < LEAST_LENGTH or not deep:
        return None
    return said("deeper_than_lists", length=longest, measures=deep, one=len(deep))


def _nothing_found(judgments: AnyJudgments, run: AnyRun) -> Said | None:
    """Say that no judged item was found, and why that may be; None where the ids are alike."""
    judged, returned = judgments.some_ids(LOOKED_AT)[1], run.some_ids(LOOKED_AT)[1]
    if not judged or not returned or not set(map(str, judged)).isdisjoint(map(str, returned)):
        return None
    why = why_unlike(judged, returned)
    fact = said(
        "nothing_found", judgments=judgments.source, run=run.source, judged=examples(dict.fromkeys(judged), shown=3),
        returned=examples(dict.fromkeys(returned), shown=3),
    )  # fmt: skip
    return fact if why is None else said("found_why", fact=fact, why=why)
