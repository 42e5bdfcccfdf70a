"""The steps of an evaluation: what must be placed is placed once, measured, and put into a result."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rankmeter.arithmetic import Values, aggregated
from rankmeter.errors import InputError, check_choice, examples
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.facts import PURPOSES, Facts, Purpose, facts_of, noticed_at_once
from rankmeter.evaluating.fingerprints import judged_by
from rankmeter.evaluating.measuring import (
    KEPT,
    MeasuredGroup,
    TieBounds,
    Ties,
    late_ties,
    measure_groups,
    unknown_notes,
)
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.result import Evaluation
from rankmeter.frozen import dataclass
from rankmeter.inputs.columns import BESIDE, columns_of, names_users
from rankmeter.inputs.reading import Readings
from rankmeter.late import Late
from rankmeter.measures import Measure
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Plan
from rankmeter.wording import speak_of_users

if TYPE_CHECKING:
    from rankmeter.arithmetic.slates import Whole
    from rankmeter.inputs.tables import JudgmentTable, RunTable
    from rankmeter.lists.catalogue import Catalogue, PastItems
    from rankmeter.lists.slating import Given
    from rankmeter.lists.slices import Slices

ONLY_QUERIES = Plan(lowest_grade=math.ulp(0.0), ids=False, order=False, duplicates="first")
"""The plan if only measures of lists are asked for: whose lists they are, and how long."""

Look = Callable[[MeasuredGroup], None]
"""A function that is shown each group of measures with its placing."""


def columns_under(columns: Mapping[str, str] | None, dialect: object) -> Mapping[str, str] | None:
    """The names of columns, and the column of the tool's own judgments that its metrics pass over."""
    if not isinstance(dialect, str):
        return columns
    from rankmeter.measures.dialects import find_dialect  # only where a dialect is asked for

    beside = find_dialect(dialect).beside
    return {BESIDE: beside, **(columns or {})} if beside else columns


@dataclass(frozen=True, slots=True)
class About:
    """What a call states beside judgments and run."""

    catalogue: Catalogue | None = None
    history: PastItems | None = None
    by: object = None
    columns: Mapping[str, str] | None = None
    """Column names of judgments and run."""
    purpose: Purpose | None = None
    """What the lists are for, if stated."""

    @classmethod
    def of(
        cls, catalogue: object, history: object, by: object, columns: Mapping[str, str] | None, purpose: Purpose | None
    ) -> About:
        """Accept a catalogue and a history of any kind."""
        if purpose is not None:
            check_choice("purpose", purpose, PURPOSES)
        if history is not None and purpose is None:
            speak_of_users()
        if catalogue is None and history is None:
            return cls(by=by, columns=columns, purpose=purpose)
        from rankmeter.lists.catalogue import columns_of_items, into_catalogue, into_history  # loaded if needed

        columns, of_items = columns_of_items(columns)
        if of_items and catalogue is None:
            raise InputError.of("inputs.no_catalogue", names=examples(of_items))
        return cls(
            None if catalogue is None else into_catalogue(catalogue, of_items),
            None if history is None else into_history(history, columns=columns_of(columns, "judgments")),
            by,
            columns,
            purpose,
        )

    def under(self, dialect: object) -> About:
        """The same, with the column of other tools' judgments that their metrics pass over, under their own names."""
        return replace(self, columns=columns_under(self.columns, dialect))

    def purpose_of(self, reading: Readings) -> Purpose:
        """What the lists are for: as stated, else recommendation if there is a history or a column of users."""
        if self.purpose is not None:
            return self.purpose
        of_users = self.history is not None or reading.names_users or names_users(self.columns)
        return "recommendation" if of_users else "search"

    @property
    def has_extras(self) -> bool:
        """Whether the call asks for more than measures of judged items."""
        return self.by is not None or self.knows_items

    @property
    def knows_items(self) -> bool:
        """Whether there is a catalogue or a history, which may show leakage or sampled candidates."""
        return self.catalogue is not None or self.history is not None

    def expanded(self, measures: list[Measure]) -> list[Measure]:
        """Turn a measure of one group that names none into one for every group."""
        from rankmeter.evaluating.listing import for_each_group

        return measures if self.catalogue is None else for_each_group(measures, self.catalogue)

    def given(self, given: Placeable, listed: Sequence[Measure]) -> Given:
        """What measures of lists look at."""
        from rankmeter.lists.catalogue import Catalogue
        from rankmeter.lists.slating import Given

        cutoffs = [getattr(measure, "cutoff", None) for measure in listed]
        depth = None if None in cutoffs else max(filter(None, cutoffs), default=0)
        catalogue = self.catalogue
        if catalogue is None and (ids := given.catalogue()) is not None:
            catalogue = Catalogue(ids)
        return Given(given.judged_table(), given.run(depth), catalogue, self.history)


def evaluate_measure(judgments: JudgmentTable, run: RunTable, measure: Measure) -> Evaluation:
    """The evaluation of two tables by one measure."""
    return evaluate_placing(into_pair(judgments, run), Asked({str(measure): measure}, [measure]), "run")


def evaluate_placing(
    given: Placeable, asked: Asked, name: str, *, look: Look | None = None, about: About | None = None
) -> Evaluation:
    """Measure what can be placed; ``look`` is shown every placing before it is dropped."""
    about = about or About()
    if asked.listed or (given.truth is None and given.returned is not None):
        from rankmeter.lists.slating import check_needs  # loaded if needed

        check_needs(asked.every, about.given(given, asked.listed), has_segments=about.by is not None)
    values: dict[Measure, Values] = {}
    first: MeasuredGroup | None = None
    ties: list[Late[Ties]] = []
    for measured in measure_groups(given, asked.groups, strict=asked.strict):
        first = first or measured
        if look is not None:
            look(measured)
        values |= measured.values
        ties.append(late_ties(measured if asked.every is asked.measures else measured.only(asked.measures)))
    placed = given.place(ONLY_QUERIES) if first is None else first.placed
    means = {measure: aggregated(of_queries, measure.aggregate) for measure, of_queries in values.items()}
    notes: Sequence[str] = ()
    wholes: Mapping[Measure, Whole] = {}
    slices: Mapping[str, Slices] = {}
    if asked.listed or about.by is not None or (about.knows_items and given.returned is not None):
        from rankmeter.evaluating.listing import measure_lists  # loaded if needed

        listing = measure_lists(
            given, about.given(given, asked.listed), placed, asked.listed, asked.measures, values, about.by
        )
        values, means = {**values, **listing.values}, {**means, **listing.means}
        notes, wholes, slices = listing.notes, listing.wholes, listing.slices
    if list(values) != asked.measures:  # several groups, or measures that only others needed
        values = {measure: values[measure] for measure in asked.measures}
        means = {measure: means[measure] for measure in asked.measures}
    return Evaluation(
        name=name,
        ids=placed.ids,
        values=values,
        means=means,
        tie_bounds=TieBounds(ties),
        asked=dict(asked.names),
        known_facts=_facts(given, asked, about, placed, first, ties, notes),
        wholes=wholes,
        slices=slices,
        judged_by=None if given.carried else judged_by(given.truth),
    )


def _facts(
    given: Placeable,
    asked: Asked,
    about: About,
    placed: PlacedRun,
    measured: MeasuredGroup | None,
    ties: list[Late[Ties]],
    more: Sequence[str],
) -> Late[Facts]:
    """What was evaluated: how it was read is recorded now, as data may change; the rest is made when asked for."""
    sources, reading = given.sources, given.readings()
    if given.wide and not len(placed.placements.grade):
        reading = noticed_at_once(reading, given)
    make = partial(facts_of, placed, measured if given.wide else None, sources, reading, asked)

    def facts() -> Facts:
        notes = unknown_notes(measure for tie in ties for measure in tie.value.unknown)
        return replace(make(), notes=(*more, *placed.notes, *notes), purpose=about.purpose_of(reading))

    late = Late(facts)
    return late if len(placed.placements.query) <= KEPT else Late(made=late.value)
