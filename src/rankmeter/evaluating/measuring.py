"""Values: measures in groups that share a plan are placed once; each applies its formula, then its policies.

And how far ties can move a number: between its values under the worst and the best order of tied items, or beyond to
its own value where its rule makes no order (``shared`` puts every tied item last). For some measures the two orders are
not known to be the extremes; they say so themselves (`RankedMeasure.ties_unknown`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmeter.arithmetic import Values, Views, aggregated, parts_of, values_of
from rankmeter.arithmetic.custom import FailedMeasureError
from rankmeter.errors import MeasureError, warn
from rankmeter.frozen import dataclass
from rankmeter.late import Late
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import SHARED_RANKS, TIES_BY_ID, TIES_BY_INPUT
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Placements, Plan, some_queries
from rankmeter.wording import said

KEPT = 1 << 19
"""Up to how many placements are kept until somebody looks at the bounds; with more, they are computed at once."""


@dataclass(frozen=True, slots=True)
class Group:
    """Measures that share one placing: see `placed_by`."""

    measures: tuple[Any, ...]
    plan: Plan
    """The least that they need."""
    wide: Plan
    """The plan with every judged item, so that unjudged ones can be counted."""
    strictest: float
    """The highest of their relevance thresholds."""


def placed_by(measure: Measure) -> dict[str, Any]:
    """The fields of a plan in which measures must agree to share a placing."""
    return {
        "scores": getattr(measure, "scores", "float64"),
        "duplicates": measure.duplicates or "error",
        "subtopics": measure.subtopics,
        "without_itself": getattr(measure, "itself", "kept") == "removed",
        "cut_first": getattr(measure, "cut_first", None),
    }


def groups_of(measures: Iterable[Measure]) -> list[Group]:
    """The measures in groups that can share a placing, with a plan for each."""
    shared: dict[tuple[Any, ...], list[Measure]] = {}
    for measure in measures:
        shared.setdefault(tuple(placed_by(measure).values()), []).append(measure)
    return [_group_of(group) for group in shared.values()]


def _group_of(measures: list[Any]) -> Group:
    plan = _plan_for(measures)
    strictest = max((measure.threshold or -math.inf for measure in measures), default=-math.inf)
    return Group(tuple(measures), plan, replace(plan, lowest_grade=-math.inf), strictest)


def _plan_for(measures: list[Measure]) -> Plan:
    ranked = [measure for measure in measures if isinstance(measure, RankedMeasure)]
    wide = any(m.places_judged or m.unjudged != "nonrelevant" or m.candidates == "appended" for m in ranked)
    rules = {m.ties for m in ranked}
    # How deep a list matters is known only where every measure cuts it and none asks for the rest of it.
    plain = [m for m in ranked if m.candidates == "all" and m.unjudged == "nonrelevant"]
    cuts = [last for m in plain if (last := m.last_rank) is not None]
    return Plan(
        lowest_grade=-math.inf if wide else min((m.lowest_grade for m in ranked), default=math.inf),
        ids=bool(rules.intersection(TIES_BY_ID)),
        order=bool(rules.intersection(TIES_BY_INPUT)),
        unreturned=any(m.candidates == "appended" for m in ranked),
        depth=max(cuts) if cuts and len(cuts) == len(ranked) else None,
        totals=any(m.needs_total for m in ranked),
        **placed_by(measures[0]),
    )


@dataclass(frozen=True, slots=True)
class MeasuredGroup:
    """Measures that share a placing, the placing, and their values."""

    measures: tuple[Any, ...]
    placed: PlacedRun
    views: Views
    values: dict[Measure, Values]

    def only(self, measures: Sequence[Measure]) -> MeasuredGroup:
        """The group with the values of some of its measures only."""
        return replace(self, values={measure: values for measure, values in self.values.items() if measure in measures})


def measure_groups(given: Placeable, groups: Iterable[Group], *, strict: bool | None) -> Iterator[MeasuredGroup]:
    """Place once for each group of measures, and compute their values.

    ``strict`` says whether a measure that the data cannot answer is refused or only warned about; None if this is only
    a part of the data, which cannot tell.
    """
    wide = given.wide
    for group in groups:
        placed = given.place(group.wide if wide else group.plan)
        views = Views(placed.placements, placed.subtopics)
        values = {}
        if strict is not None and (group.strictest > placed.highest_grade or not placed.scored):
            for measure in group.measures:
                refuse_unanswerable(measure, scored=placed.scored, highest=placed.highest_grade, strict=strict)
        for measure in group.measures:
            if placed.unplaced and measure.query_policy == "run":
                raise MeasureError.of("evaluating.not_placed", measure=measure, count=placed.unplaced)
            values[measure] = values_under(measure, views, placed)
        yield MeasuredGroup(group.measures, placed, views, values)


def values_under(measure: Any, views: Views, placed: PlacedRun) -> Values:
    """The value of each query under a measure, given what was placed."""
    try:
        parts = parts_of(measure, views.of(measure))
    except FailedMeasureError as failed:
        raise MeasureError(failed.about(placed.queries.to_list())) from failed.error
    return values_of(parts, measure, placed.placements)


def refuse_unanswerable(measure: Any, *, scored: bool, highest: float, strict: bool = True) -> None:
    """Refuse a measure that the data cannot answer; if another tool's number is asked for (not ``strict``), warn."""
    if measure.sign == "positive" and not scored:
        raise MeasureError.of("evaluating.sign_of_ranks", measure=measure)
    if measure.subtopics:
        return  # grades are numbers of items here
    rel = measure.threshold
    if rel is not None and rel > highest > 0:
        fact = said("no_such_grade", measure=str(measure), rel=rel, highest=highest)
        if strict:
            kind = "evaluating.no_such_grade" if highest >= 1 else "evaluating.only_fractions"
            raise MeasureError.of(kind, fact=fact, name=type(measure).name, highest=highest)
        warn(fact)


@dataclass(frozen=True, slots=True)
class Ties:
    """What ties can do to the measures of a group."""

    bounds: Mapping[Measure, tuple[float, float]]
    unknown: Sequence[Measure] = ()
    """Those that ties may move between unknown values."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TieBounds(Mapping[Measure, tuple[float, float]]):
    """For each measure that ties can change, its lowest and its highest value, however tied items are counted.

    Computed when one is first asked for: they cost as much as the values themselves, and many callers never look.
    """

    ties: Sequence[Late[Ties]]

    @property
    def bounds(self) -> dict[Measure, tuple[float, float]]:
        """The bounds as a plain dictionary."""
        return {measure: both for tie in self.ties for measure, both in tie.value.bounds.items()}

    def __getitem__(self, measure: Measure) -> tuple[float, float]:
        return self.bounds[measure]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds)

    def __repr__(self) -> str:
        return repr(self.bounds)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.bounds,)  # pickled as a plain dictionary


def late_ties(measured: MeasuredGroup) -> Late[Ties]:
    """What ties can do, computed when it is asked for, or at once if many placements would have to be kept."""
    late = Late(lambda: Ties(_bounds(measured), unknown_in(measured)))
    if len(measured.placed.placements.query) > KEPT:
        late = Late(made=late.value)
    return late


def _bounds(measured: MeasuredGroup) -> dict[Measure, tuple[float, float]]:
    bounds = {}
    for measure, ends in extremes(measured).items():
        three = (aggregated(values, measure.aggregate) for values in (*ends, measured.values[measure]))
        if (span := span_of_ties(measure, *three)) is not None:
            bounds[measure] = span
    return bounds


def span_of_ties(measure: Any, worst: float, best: float, stated: float) -> tuple[float, float] | None:
    """How far ties can move a number: between its two ends, or to the number itself where it is no order's.

    A rank that a whole tie shares is beyond every order of it (``shared`` puts each item last).
    """
    if (worst == best and measure.ties not in SHARED_RANKS) or math.isnan(worst + best):
        return None
    low, _, high = sorted((worst, best, stated))
    return (low, high) if low < high else None


def extremes(measured: MeasuredGroup) -> dict[Measure, tuple[Values, Values]]:
    """The values under the worst and the best order of tied items, for measures whose extremes these are."""
    placements = measured.placed.placements
    chosen = np.zeros(len(placements), np.bool_)  # the queries in which a judged item ties with another one
    chosen[placements.query[placements.tied > 1]] = True
    if not chosen.any():
        return {}
    part = placements if chosen.all() else some_queries(placements, chosen)  # ties move only these
    placed, views = replace(measured.placed, placements=part), Views(part, measured.placed.subtopics)
    return {
        measure: (
            values.exchanged(chosen, values_under(measure(ties="worst"), views, placed)),
            values.exchanged(chosen, values_under(measure(ties="best"), views, placed)),
        )
        for measure, values in measured.values.items()
        if is_bounded(measure)
    }


def is_bounded(measure: Any) -> bool:
    """Whether ordering a tie by grade, worst and best first, gives the measure's extremes."""
    return measure.is_moved_by_ties and measure.ties not in ("worst", "best") and not measure.ties_unknown()


def unknown_in(measured: MeasuredGroup) -> list[Measure]:
    """The measures that some tie may move between unknown values."""
    return [measure for measure in measured.values if _is_unknown(measure, measured.placed.placements)]


def _is_unknown(measure: Any, placements: Placements) -> bool:
    if not measure.ties_unknown():
        return False
    tied = placements.tied > 1
    last = measure.cutoff
    if last is not None and measure.unjudged == "nonrelevant":
        tied &= placements.above < last
        if not measure.sees_order and measure.depth is None:
            tied &= placements.above + placements.tied > last
    return bool(tied.any())


def unknown_notes(measures: Iterable[Any]) -> list[str]:
    """Notes about measures that ties may move between unknown values."""
    return [said("ties_may_move", measure=str(measure), why=measure.ties_unknown()) for measure in measures]
