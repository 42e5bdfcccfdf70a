"""The measures of lists, and the slices of every measure, once the run has been placed."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankmeter.arithmetic import Values, Views, aggregated
from rankmeter.arithmetic.parts import chosen_by
from rankmeter.arithmetic.slates import ListValues, Rows, Slates, Whole, slate_value
from rankmeter.arithmetic.slates.data import given_value
from rankmeter.arithmetic.slates.fairness import gap_between
from rankmeter.errors import InputError, MeasureError
from rankmeter.evaluating.measuring import groups_of, values_under
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.lists.catalogue import Catalogue
from rankmeter.lists.protocol import left_out, notice, protocol_notes
from rankmeter.lists.slating import Given, Material, gather_material, order_of, ties_at
from rankmeter.lists.slice_samples import PartsSample, SumSample, parts_sample, sum_sample
from rankmeter.lists.slices import Slices
from rankmeter.lists.slicing import Slicing, into_slicings
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.fairness import GroupExposure
from rankmeter.measures.grammar import compared_by
from rankmeter.measures.slate_base import JudgedSlateMeasure, SlateMeasure
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.numbering import numbers_among
from rankmeter.placing.pairs import Placeable, place_run
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Plan
from rankmeter.placing.segments import offsets_of, sort_descending
from rankmeter.wording import is_about_users


@dataclass(frozen=True, slots=True)
class Listing:
    """The lists of some queries, of all or of a block, and what the measures of lists say of them."""

    material: Material
    slates: dict[SlateMeasure, Slates]
    """The lists that each measure sees."""
    values: dict[Measure, Values]
    means: dict[Measure, float]
    wholes: dict[Measure, Whole]
    """The measures that have one value for all lists."""
    noticed: dict[str, int]
    """What may have to be said (`rankmeter.lists.protocol`)."""
    slices: dict[str, Slices] = field(default_factory=dict)
    """What was asked of everything by slice."""
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        given: Given,
        placed: PlacedRun,
        measures: Sequence[SlateMeasure],
        *,
        sliced: bool = False,
        counted: Container[Measure] = (),
    ) -> Listing:
        """Measure the lists; of the measures that are ``counted`` elsewhere only which queries they are about."""
        material = gather_material(given, placed.queries, measures, sliced=sliced)
        slates = _slates_of(material, measures)
        lists = cls(material, slates, {}, {}, {}, {})
        for measure in measures:
            chosen = chosen_by(measure, placed.placements)
            if measure in counted:
                lists.values[measure] = Values.unknown(chosen)
                continue
            lists.values[measure], lists.means[measure], whole = _measured_lists(slates[measure], measure, chosen)
            if whole is not None:
                lists.wholes[measure] = whole
        tied = ties_at(measures, material.lists)
        lists.noticed.update(notice(material, placed.placements, list(slates.values()), tied))
        for measure in [one for one in measures if one in lists.means and one.aggregate != "whole"]:
            chosen = chosen_by(measure, placed.placements)
            lists.noticed.update(left_out(slates[measure], measure, lists.values[measure].counted, chosen))
        return lists


def for_each_group(measures: Sequence[Measure], catalogue: Catalogue | None) -> list[Measure]:
    """Ask a measure of one group for every group, where none was named."""
    asked: list[Measure] = []
    for measure in measures:
        if not isinstance(measure, GroupExposure) or catalogue is None or catalogue.groups is None:
            asked.append(measure)
        elif measure.group is None:
            asked.extend(measure(group=name if name.isidentifier() else float(name)) for name in catalogue.group_names)
        elif (group := str(measure.group)) not in catalogue.group_names:
            known = list(catalogue.group_names)
            raise MeasureError.of("lists.no_group", measure=str(measure), group=group, known=known)
        else:
            asked.append(measure)
    return list(dict.fromkeys(asked))


def measure_lists(
    placing: Placeable,
    given: Given,
    placed: PlacedRun,
    listed: Sequence[SlateMeasure],
    shown: Sequence[Measure],
    ranked: Mapping[Measure, Values],
    by: object,
) -> Listing:
    """Measure the lists, then everything by slice."""
    plain = [measure for measure in listed if not measure.compares_slices]
    lists = Listing.of(given, placed, plain, sliced=by is not None)
    lists.notes.extend(protocol_notes(lists.noticed, shown))
    values = {**ranked, **lists.values}
    if by is not None:
        sliced = [measure for measure in [*shown, *ranked, *plain] if not measure.compares_slices]
        for slicing in into_slicings(by, placed.queries, lists.material, given.catalogue):
            cut = _Cut(slicing, given, placed, lists, values, list(dict.fromkeys(sliced)), placing, list(ranked))
            lists.slices[slicing.name] = cut.slices()
    for measure in listed:
        if measure.compares_slices:
            lists.means[measure], lists.values[measure] = _segment_gap(measure, lists.slices, values)
    return lists


def _slates_of(material: Material, measures: Sequence[SlateMeasure]) -> dict[SlateMeasure, Slates]:
    """The lists of each measure; those of one order are made once, as deep as the deepest asks."""
    by_order: dict[tuple[str, str], Slates] = {}
    for key, rows in material.lists.items():
        same = next((other for other in by_order if material.lists[other] is rows), None)
        by_order[key] = by_order[same] if same else material.slates(key)
    return {measure: by_order[order_of(measure)] for measure in measures}


def _measured_lists(slates: Slates, measure: SlateMeasure, chosen: Bools) -> tuple[Values, float, Whole | None]:
    """The values for each list and the aggregate; a measure of all lists looks at the chosen ones only."""
    if measure.aggregate == "whole":
        outcome = slate_value(slates.pick(chosen), measure)
        if not isinstance(outcome, Whole):
            raise TypeError(f"{measure} has values for each list")
        return Values.unknown(chosen), outcome.value, outcome
    outcome = slate_value(slates, measure)
    if not isinstance(outcome, ListValues):
        raise TypeError(f"{measure} has one value for all lists")
    value = np.divide(outcome.numerator, outcome.denominator, out=np.zeros(len(slates)), where=outcome.denominator > 0)
    values = Values(value, chosen & outcome.defined, outcome.numerator, outcome.denominator)
    return values, aggregated(values, measure.aggregate), None


def _segment_gap(measure: Any, slices: Mapping[str, Slices], values: Mapping[Measure, Values]) -> tuple[float, Values]:
    cut = next((slicing for slicing in slices.values() if slicing.kind == "query"), None)
    if cut is None:
        raise InputError.of("lists.needs_segments", measure=str(measure))
    base = compared_by(measure)
    means = np.array([mean for mean in cut.values[base] if not math.isnan(mean)])
    gap = float(gap_between(means, measure.gap)) if len(means) > 1 else math.nan
    return gap, Values.unknown(values[base].counted)


def slices_of_queries(
    slicing: Slicing,
    values: Mapping[Measure, Values],
    whole: Callable[[Measure, Bools], float],
    wholes: Mapping[Measure, Whole] | None = None,
) -> Slices:
    """The values of every measure in every slice of the queries.

    ``whole`` gives those of measures of all lists, ``wholes`` what their queries add where they can be drawn again.
    """
    code, slices = slicing.code, len(slicing.labels)
    rows = {measure: _cut_by(of_queries, code, slices) for measure, of_queries in values.items()}
    samples = {m: sample_by_slice(m, of_queries, code, slices, wholes or {}) for m, of_queries in values.items()}
    return _slices_of(slicing, code, rows, samples, whole)


def sample_by_slice(
    measure: Measure, values: Values, code: Ints, slices: int, wholes: Mapping[Measure, Whole]
) -> PartsSample | SumSample | None:
    """What the queries add to their slices; None where drawing them again says nothing."""
    if measure.aggregate == "whole":
        return sum_sample(measure, wholes.get(measure), values.counted, code, slices)
    return parts_sample(_cut_by(values, code, slices), measure.aggregate)


def _cut_by(values: Values, code: Ints, slices: int) -> list[Values]:
    return [replace(values, counted=values.counted & (code == place)) for place in range(slices)]


def _slices_of(
    slicing: Slicing,
    code: Ints,
    rows: Mapping[Measure, Sequence[Values]],
    samples: Mapping[Measure, PartsSample | SumSample | None],
    whole: Callable[[Measure, Bools], float],
) -> Slices:
    """What the values of each slice come to; ``rows`` has those of every slice."""

    def value(measure: Measure, row: Values) -> float:
        return whole(measure, row.counted) if measure.aggregate == "whole" else aggregated(row, measure.aggregate)

    return Slices(
        slicing.name,
        slicing.kind,
        slicing.labels,
        code,
        {measure: tuple(value(measure, row) for row in several) for measure, several in rows.items()},
        {measure: tuple(int(row.counted.sum()) for row in several) for measure, several in rows.items()},
        {measure: sample for measure, sample in samples.items() if sample is not None},
        "recommendation" if is_about_users() else "search",
    )


@dataclass(frozen=True, slots=True)
class _Cut:
    """One slicing, and all that its values are made of."""

    slicing: Slicing
    given: Given
    placed: PlacedRun
    lists: Listing
    values: Mapping[Measure, Values]
    """Those of the lists, and of ranking measures."""
    measures: Sequence[Measure]
    placing: Placeable
    ranked: Sequence[Measure]

    def slices(self) -> Slices:
        """The values of every measure in every slice."""
        if self.slicing.kind == "query":
            values = {measure: self.values[measure] for measure in self.measures}
            return slices_of_queries(self.slicing, values, self._whole, self.lists.wholes)
        rows = self._by_items()
        samples = {measure: parts_sample(several, measure.aggregate) for measure, several in rows.items()}
        return _slices_of(self.slicing, np.empty(0, np.int64), rows, samples, self._whole)

    def _whole(self, measure: Measure, inside: Bools) -> float:
        """The value of a measure of all lists for those of one slice."""
        return _measured_lists(self.lists.slates[measure], measure, inside)[1] if inside.any() else math.nan  # type: ignore[index,arg-type]

    def _by_items(self) -> dict[Measure, list[Values]]:
        """Judgments of the items of one slice only; queries without any are left out."""
        if self.given.judgments is None:
            raise InputError.of("lists.slices_need_judgments", name=self.slicing.name)
        truth = self.given.judgments.judgment_table()
        item = self.lists.material.vocabulary.find(truth.item)
        label = np.where(item >= 0, self.slicing.code[np.maximum(item, 0)], -1)
        n, slices = len(self.placed.queries), len(self.slicing.labels)
        rows: dict[Measure, list[Values]] = {
            m: []
            for m in self.measures
            if isinstance(m, RankedMeasure) or (isinstance(m, JudgedSlateMeasure) and "judgments" in m.needed())
        }
        parts = values_by_slice(self.placing, self.ranked, SlicedJudgments(truth, label, slices), self.placed.queries)
        for place, part in enumerate(parts):
            judged = self._judged_part(place)
            for measure, several in rows.items():
                if isinstance(measure, SlateMeasure):
                    several.append(self._list_values(measure, judged))
                else:
                    several.append(part.get(measure, Values.uncounted(n)))
        return rows

    def _judged_part(self, place: int) -> Rows:
        judged = given_value(self.lists.material.judged)
        kept = self.slicing.code[judged.item] == place
        return Rows.of(judged.query[kept], judged.item[kept], judged.grade[kept], len(self.placed.queries))

    def _list_values(self, measure: SlateMeasure, judged: Rows) -> Values:
        slates = self.lists.slates[measure]
        members = np.zeros(slates.items.total, np.bool_)
        members[judged.item] = True
        cut = replace(slates, grade=np.where(members[slates.item], given_value(slates.grade), np.nan), judged=judged)
        return _measured_lists(
            cut, measure, chosen_by(measure, self.placed.placements) & (np.diff(judged.offsets) > 0)
        )[0]


@dataclass(frozen=True, slots=True)
class SlicedJudgments:
    """Judgments, and the slice of each: the slices of all items come from one placing.

    The number of a judgment stands for its grade while the run is placed, as it does for subtopics; it leads to the
    slice and to the grade. What a slice's judgments alone would give is then a choice of rows.
    """

    truth: JudgmentTable
    label: Ints
    """The slice of the judged item; -1 for none."""
    slices: int

    def part(self, place: int) -> JudgmentTable:
        """The judgments of one slice."""
        rows, truth = pl.Series(self.label == place), self.truth
        return JudgmentTable(
            truth.query.filter(rows), truth.item.filter(rows), truth.grade.filter(rows), source=truth.source
        )

    def has_relevant(self, place: int) -> bool:
        """Whether anything in a slice is relevant; where nothing is, it has no values."""
        return bool((self.truth.grade.to_numpy()[self.label == place] > 0).any())


def values_by_slice(
    placing: Placeable, measures: Sequence[Measure], judged: SlicedJudgments, queries: pl.Series
) -> list[dict[Measure, Values]]:
    """For each slice the values of the ranking measures, one for each of ``queries``; subtopics cannot be cut so."""
    values: list[dict[Measure, Values]] = [{} for _ in range(judged.slices)]
    for group in groups_of(measures):
        plan = group.wide
        if plan.subtopics:
            continue
        # What was not returned is put behind the list together, so it must be placed slice by slice.
        place = _lists_one_by_one(placing, judged, plan) if plan.unreturned else _from_one(placing, judged, plan)
        for at in filter(judged.has_relevant, range(judged.slices)):
            values[at] |= _values_in_order(place(at), group.measures, queries)
    return values


def _lists_one_by_one(placing: Placeable, judged: SlicedJudgments, plan: Plan) -> Callable[[int], PlacedRun]:
    run = placing.run().run_table()
    return lambda at: place_run(judged.part(at), run, plan)


def _from_one(placing: Placeable, judged: SlicedJudgments, plan: Plan) -> Callable[[int], PlacedRun]:
    grade = judged.truth.grade.to_numpy()
    numbered = replace(judged.truth, grade=pl.Series(np.arange(1.0, len(grade) + 1)))
    # Numbers say nothing of how high a grade is, so none is left out by it.
    placed = place_run(numbered, placing.run(), replace(plan, depth=None, totals=True))
    return lambda at: replace(placed, placements=_some_judgments(placed.placements, grade, judged.label == at))


def _some_judgments(placements: Placements, grade: Floats, inside: Bools) -> Placements:
    """Placements whose grades are numbers of judgments, as those of some judgments with their grades."""
    number, of_best = (numbers.astype(np.int64) - 1 for numbers in (placements.grade, placements.best))
    rows = placements.rows(inside[number])
    kept = inside[of_best]
    offsets = offsets_of(kept)[placements.best_offsets]
    return replace(
        placements,
        is_judged=np.diff(offsets) > 0,
        best_offsets=offsets,
        best=sort_descending(grade[of_best[kept]], offsets),
        **{**rows, "grade": grade[number[inside[number]]]},
    )


def _values_in_order(placed: PlacedRun, measures: Sequence[Measure], queries: pl.Series) -> dict[Measure, Values]:
    """The values of a placing, in the order of some queries."""
    row = numbers_among(queries.cast(pl.String), placed.queries.cast(pl.String))
    views = Views(placed.placements)
    nothing = Values.uncounted(len(queries))
    return {measure: nothing.exchanged(row, values_under(measure, views, placed)) for measure in measures}
