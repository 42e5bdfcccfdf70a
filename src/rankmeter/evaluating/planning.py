"""Plans: the least that must be placed for a set of measures."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rankmeter.frozen import dataclass
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import TIES_BY_ID, TIES_BY_INPUT
from rankmeter.placing.placements import Plan


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
