"""One run against its judgments: plan what must be placed, place once, run the arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic import Values, Views, aggregated
from rankmeter.arithmetic.relevance import hits, length
from rankmeter.errors import InputError, examples
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.fingerprints import judged_by
from rankmeter.evaluating.measuring import check_answerable, values_under
from rankmeter.evaluating.noticed import how_read
from rankmeter.evaluating.planning import Placing, by_placing
from rankmeter.evaluating.result import PURPOSES, Evaluation, Facts, Purpose
from rankmeter.evaluating.tie_bounds import TieBounds
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.reading import Readings
from rankmeter.measures import Judged, Measure, RankedMeasure
from rankmeter.measures.base import SINGLE_ORDER_TIES
from rankmeter.placing import PlacedRun
from rankmeter.placing.placements import Placements, Plan
from rankmeter.wording import Option

if TYPE_CHECKING:
    from rankmeter.arithmetic.slates import Whole
    from rankmeter.lists.catalogue import Catalogue, History
    from rankmeter.lists.slices import Slices
    from rankmeter.measures.slates import SlateMeasure

ONLY_QUERIES = Plan(lowest_grade=math.ulp(0.0), ids=False, order=False, duplicates="first")
"""Where only measures of lists are asked for: whose lists they are, and how long."""

COUNTS = ("judged", "in_run", "missing", "unjudged", "without_relevant", "returned")
"""The facts that add up."""

Look = Callable[[list[Measure], PlacedRun, Views], None]
"""Is shown the measures that share a placing, and the placing."""


def check_purpose(purpose: object) -> Purpose | None:
    """What lists are for, where it is said; refuse other words."""
    for known in (None, *PURPOSES):
        if purpose == known:
            return known
    raise InputError.of("general.not_one_of", option=Option("purpose", purpose), choices=list(PURPOSES))


@dataclass(frozen=True, slots=True)
class About:
    """What is known beside judgments and run."""

    catalogue: Catalogue | None = None
    history: History | None = None
    by: object = None
    columns: Mapping[str, str] | None = None
    """The names of columns of judgments and run."""
    purpose: Purpose | None = None
    """What the lists are for, where it was said."""

    @classmethod
    def of(
        cls, catalogue: object, history: object, by: object, columns: Mapping[str, str] | None, purpose: object = None
    ) -> About:
        """Accept a catalogue and a history of any kind."""
        stated = check_purpose(purpose)
        if catalogue is None and history is None:
            return cls(by=by, columns=columns, purpose=stated)
        from rankmeter.lists.catalogue import columns_of_items, into_catalogue, into_history  # only where given

        columns, of_items = columns_of_items(columns)
        if of_items and catalogue is None:
            raise InputError.of("inputs.no_catalogue", names=examples(of_items))
        return cls(
            None if catalogue is None else into_catalogue(catalogue, of_items),
            None if history is None else into_history(history, columns=columns_of(columns, "judgments")),
            by,
            columns,
            stated,
        )

    def purpose_of(self, reading: Readings) -> Purpose:
        """What the lists are for: as it was said; users with a history, or columns of users, are recommended to."""
        if self.purpose is not None:
            return self.purpose
        return "recommendation" if self.history is not None or reading.names_users else "search"

    @property
    def is_given(self) -> bool:
        """Whether there is anything to warn of: leakage and sampled candidates ask for no measure of lists."""
        return self.catalogue is not None or self.history is not None

    def expanded(self, measures: list[Measure]) -> list[Measure]:
        """Ask measures of one group for every group, where none was named."""
        if self.catalogue is None:
            return measures
        from rankmeter.lists.listing import for_each_group

        return for_each_group(measures, self.catalogue)

    def check(self, measures: list[Measure], placing: Placing) -> None:
        """Refuse measures that ask for what was not given."""
        is_unjudged = placing.truth is None and placing.returned is not None
        if is_unjudged or any(measure.about == "lists" for measure in measures):
            from rankmeter.lists.slating import check_needs

            check_needs(measures, placing.given(self.catalogue, self.history), has_segments=self.by is not None)


def evaluate_placing(
    placing: Placing, asked: Asked, name: str, *, look: Look | None = None, about: About | None = None
) -> Evaluation:
    """Measure what can be placed; ``look`` is shown every placing before it is forgotten."""
    about = about or About()
    listed: list[Any] = [measure for measure in asked.measures if measure.about == "lists"]
    every = list(dict.fromkeys([*asked.measures, *_compared(listed)]))
    about.check(every, placing)
    listed = [measure for measure in every if measure.about == "lists"]
    ranked = [measure for measure in every if measure.about != "lists"]
    wanted = set(asked.measures)
    values: dict[Measure, Values] = {}
    bounds = TieBounds()
    placed: PlacedRun | None = None
    facts: Facts | None = None
    for key, group in by_placing(ranked).items():
        placed, subtopics = placing.for_measures(group, key)
        views = Views(placed.placements, subtopics)
        facts = facts or _facts(placed, placing, every, _unjudged(group, views) if placing.wide else {})
        if look is not None:
            look(group, placed, views)
        for measure in group:
            check_answerable(measure, scored=placed.scored, highest=placed.highest_grade, strict=asked.strict)
            values[measure] = values_under(measure, views, placed)
        bounds.add({measure: values[measure] for measure in group if measure in wanted}, placed)
    if placed is None or facts is None:
        placed = placing.place(ONLY_QUERIES)
        facts = _facts(placed, placing, every, {})
    means = {measure: aggregated(values[measure], measure.aggregate) for measure in ranked}
    wholes: Mapping[Measure, Whole] = {}
    slices: Mapping[str, Slices] = {}
    if listed or about.by is not None or (about.is_given and placing.returned is not None):
        from rankmeter.lists.item_slices import values_by_slice  # only for lists, slices and their protocol
        from rankmeter.lists.listing import measure_lists

        given = placing.given(about.catalogue, about.history)
        again = partial(values_by_slice, placing, ranked)
        found = measure_lists(given, placed, listed, asked.measures, values, about.by, again)
        values, means = {**values, **found.values}, {**means, **found.means}
        wholes, slices = found.wholes, found.slices
        facts = replace(facts, notes=found.notes)
    purpose = about.purpose_of(facts.reading)
    facts = replace(facts, notes=(*facts.notes, *bounds.notes()), purpose=purpose)
    return Evaluation(
        name=name,
        ids=placed.ids,
        values={measure: values[measure] for measure in asked.measures},
        means={measure: means[measure] for measure in asked.measures},
        tie_bounds=bounds,
        asked=asked.names,
        facts=facts,
        wholes=wholes,
        slices=slices,
        judged_by=None if placing.carried else judged_by(placing.truth),
    )


def _compared(listed: list[SlateMeasure]) -> list[Measure]:
    """The measures that segment gaps are about."""
    gaps = [measure for measure in listed if measure.compares_slices]
    if not gaps:
        return []
    from rankmeter.lists.listing import compared_by

    return [compared_by(measure) for measure in gaps]


def unjudged_at_cutoffs(measures: list[Measure], views: Views) -> dict[int, int]:
    """For each cutoff, how many items of judged queries carry no judgment."""
    return dict(_unjudged(measures, views).get("unjudged_at", {}))


def _unjudged(measures: list[Measure], views: Views) -> dict[str, Any]:
    """How many items of judged queries carry no judgment, and the tie rule of that count where it matters."""
    ranked = [m for m in measures if isinstance(m, RankedMeasure)]
    cutoffs = sorted({m.cutoff for m in ranked if m.cutoff is not None and m.at == "cutoff"})
    ties = next((m.ties for m in ranked if m.ties in SINGLE_ORDER_TIES), "best")
    view = views.of(Judged(ties=ties))
    judged = views.placements.is_judged
    counts = {cutoff: int((length(view, cutoff) - hits(view, 0.0, cutoff))[judged].sum()) for cutoff in cutoffs}
    return {"unjudged_at": counts, "ties": ties if bool((views.placements.tied > 1).any()) else ""}


def _facts(placed: PlacedRun, placing: Placing, measures: list[Measure], unjudged: dict[str, Any]) -> Facts:
    """Counts of what was evaluated."""
    return Facts(
        **dict[str, Any](counts_of(placed.placements)),
        **unjudged,
        judgments=placing.judgments,
        run=placing.run,
        reading=how_read(placing.truth, placing.returned, placed, measures, wide=placing.wide),
    )


def counts_of(p: Placements) -> dict[str, int]:
    """The facts that add up over blocks of queries."""
    highest = np.full(len(p), -np.inf)
    has = np.diff(p.best_offsets) > 0
    highest[has] = p.best[p.best_offsets[:-1][has]]
    counted = (
        p.is_judged,
        p.in_run,
        p.is_judged & ~p.in_run,
        p.in_run & ~p.is_judged,
        p.is_judged & (highest <= 0),
        p.returned,
    )
    return dict(zip(COUNTS, (int(one.sum()) for one in counted), strict=True))
