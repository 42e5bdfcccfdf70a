"""What must be placed for some measures, and how what was given can be placed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rankmeter.errors import InputError, MeasureError, warn, with_hint
from rankmeter.inputs import AnyJudgments, AnyRun, Labelled, into_judgments, into_run
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.mappings import look_swapped
from rankmeter.inputs.progress import Listener
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import TIES_BY_ID, TIES_BY_INPUT
from rankmeter.placing import PlacedRun, place_run, place_unjudged
from rankmeter.placing.placed import Placeable
from rankmeter.placing.placements import Plan, Subtopics
from rankmeter.placing.subtopics import numbered_items, without_subtopics
from rankmeter.wording import said

if TYPE_CHECKING:
    from rankmeter.lists.catalogue import Catalogue, History
    from rankmeter.lists.slating import Given

MOST_JUDGED = 2_000_000
"""Up to how many judgments those of items not relevant are placed for the count of unjudged items alone."""

PlacingKey = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class Placing:
    """How to place what was given, once the plan is known."""

    place: Callable[[Plan], PlacedRun]
    judgments: str
    run: str
    wide: bool
    """Whether items judged not relevant are placed too, to count what is unjudged."""
    subtopics: Subtopics | None = None
    numbered: Callable[[Plan], PlacedRun] | None = None
    """How to place with numbers of items for grades; None where the judgments have no subtopics."""
    truth: AnyJudgments | None = None
    returned: AnyRun | None = None
    """The run itself; None where only its placements are known."""
    carried: bool = False
    """Whether the run carries its judgments, which then are those of its own items only."""
    already: bool = False
    """Whether it was placed before, so that nothing but what was kept then can be asked of it."""

    def given(self, catalogue: Catalogue | None, history: History | None) -> Given:
        """What measures of lists look at."""
        from rankmeter.lists.slating import Given

        if self.returned is None:
            fact = f"{self.run} was ranked already and holds no lists of items."
            raise InputError(with_hint(fact, "measures of lists and slices need the run itself"))
        return Given(self.truth, self.returned, catalogue, history)

    def table(self) -> AnyRun:
        """The run in memory, for what reads it more than once."""
        if self.returned is None:
            raise InputError(f"{self.run} was ranked already and holds no lists of items.")
        return self.returned.run_table()

    def for_measures(self, measures: list[Measure], key: PlacingKey) -> tuple[PlacedRun, Subtopics | None]:
        """Place for measures that share a placing."""
        plan = plan_for(measures, *key[:2], wide=self.wide)
        if not key[2]:
            return self.place(plan), None
        if self.numbered is None:
            raise without_any_subtopic(self.judgments)
        return self.numbered(plan), self.subtopics


def without_any_subtopic(judgments: str) -> MeasureError:
    """What is said where measures of diversity are asked of plain judgments."""
    return MeasureError(
        with_hint(
            f"measures of diversity need subtopics, and {judgments} has none.",
            "give {query: {item: {subtopic: grade}}}, a subtopic column, or for TREC diversity judgments "
            "columns={'subtopic': 'iteration'}",
        )
    )


def into_placing(
    judgments: object, run: object, columns: Mapping[str, str] | None = None, progress: Listener | None = None
) -> Placing:
    """Accept judgments and a run of any kind, or what carries both; ``progress`` is told how far reading has come."""
    if hasattr(run, "check_judgments"):  # a catalogue that was ranked for these judgments
        run.check_judgments(judgments)
        judgments, run = run, None
    elif isinstance(run, Placeable):
        fact = f"{type(run).__name__} carries its judgments, so others do not go with it."
        raise InputError(with_hint(fact, "evaluate(run, measures=...)"))
    # What places itself on demand is not placed in full first.
    ready = None if isinstance(judgments, Placeable) else getattr(judgments, "placed", None)
    if isinstance(judgments, (Placeable, Labelled)) or isinstance(ready, PlacedRun):
        if run is not None:
            raise InputError(f"{type(judgments).__name__} carries its run; give it alone, or judgments and a run.")
        if isinstance(judgments, Placeable):
            return Placing(judgments.place, judgments.source, judgments.source, wide=False)
        if isinstance(ready, PlacedRun):
            return Placing(partial(_already, ready), ready.source, ready.source, wide=False, already=True)
    elif run is None:
        raise InputError(with_hint("no run was given.", "evaluate(judgments, run, measures): truth first"))
    truth: AnyJudgments
    returned: AnyRun
    if isinstance(judgments, Labelled):
        truth, returned = judgments.judgments, judgments.run
    elif judgments is None:
        returned = into_run(run, columns=columns_of(columns, "run"))
        return Placing(
            partial(place_unjudged, returned), "no judgments", returned.source, wide=False, returned=returned
        )
    else:
        truth = into_judgments(judgments, columns=columns_of(columns, "judgments"))
        returned = into_run(run, columns=columns_of(columns, "run"), progress=progress)
        if truth.mapping and returned.mapping and look_swapped(truth.mapping, returned.mapping):
            warn(said("look_swapped"))
    subtopics, numbered = None, None
    if truth.has_subtopics:
        items, subtopics = numbered_items(truth.judgment_table())
        numbered = partial(place_run, items, returned)
        truth = without_subtopics(truth.judgment_table())
    place = partial(place_run, truth, returned)
    wide = _all_judged(truth)
    return Placing(
        place, truth.source, returned.source, wide, subtopics, numbered, truth=truth, returned=returned,
        carried=isinstance(judgments, Labelled),
    )  # fmt: skip


def _already(placed: PlacedRun, plan: Plan) -> PlacedRun:
    """What was placed before, if it can serve the plan."""
    if plan.scores != "float64" or plan.unreturned:
        wanted = "scores=float32" if plan.scores != "float64" else "candidates=appended"
        raise MeasureError(f"{placed.source} was ranked already; {wanted} would need another placing.")
    return placed


def _all_judged(truth: AnyJudgments) -> bool:
    """Whether items judged not relevant are placed too, to count what is unjudged; not where they are very many.

    In a matrix every item is judged, so there is nothing to count.
    """
    return truth.matrix is None and truth.count() <= MOST_JUDGED


def by_placing(measures: list[Measure]) -> dict[PlacingKey, list[Measure]]:
    """Measures that can share one placing: same precision of scores, same duplicates, all or none of subtopics."""
    groups: dict[PlacingKey, list[Measure]] = {}
    for measure in measures:
        scores, diverse = getattr(measure, "scores", "float64"), measure.subtopics
        groups.setdefault((scores, measure.duplicates or "error", diverse), []).append(measure)
    return groups


def plan_for(measures: list[Measure], scores: str, duplicates: str, *, wide: bool) -> Plan:
    """The least that must be placed for these measures."""
    ranked = [measure for measure in measures if isinstance(measure, RankedMeasure)]
    wide |= any(m.places_judged or m.unjudged == "removed" or m.candidates == "appended" for m in ranked)
    rules = {m.ties for m in ranked}
    # How deep a list matters is known only where every measure cuts it and none asks for the rest of it.
    plain = [m for m in ranked if m.candidates == "all" and m.unjudged == "nonrelevant"]
    cuts = [m.last_rank for m in plain if m.last_rank is not None]
    return Plan(
        lowest_grade=-math.inf if wide else min((m.lowest_grade for m in ranked), default=math.inf),
        ids=bool(rules.intersection(TIES_BY_ID)),
        order=bool(rules.intersection(TIES_BY_INPUT)),
        unreturned=any(m.candidates == "appended" for m in ranked),
        depth=max(cuts) if cuts and len(cuts) == len(ranked) else None,
        totals=any(m.needs_total for m in ranked),
        scores=scores,  # type: ignore[arg-type]
        duplicates=duplicates,  # type: ignore[arg-type]
    )
