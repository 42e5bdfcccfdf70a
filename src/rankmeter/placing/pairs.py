"""What can be placed: judgments and a run of any kind, or what carries both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Self

import numpy as np

from rankmeter.errors import InputError, MeasureError, RepeatedJudgmentError
from rankmeter.frozen import dataclass
from rankmeter.inputs.ids import no_query_in_common
from rankmeter.inputs.reading import Readings
from rankmeter.inputs.tables import Judgments, JudgmentTable, Run, without_repeats
from rankmeter.late import pl
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.mapping import place_mappings, same_types_of_mappings
from rankmeter.placing.placements import ROW_FIELDS, Placements, Plan, Subtopics
from rankmeter.placing.preparations import RENAMING, prepared

MOST_JUDGED = 2_000_000
"""Up to how many judgments those of items not relevant are placed for the count of unjudged items alone."""


class Placeable(ABC):
    """What can be placed as the measures ask: judgments and a run, or what carries both."""

    __slots__ = ()
    source: str
    """How messages name it."""
    truth: Judgments | None = None
    returned: Run | None = None
    """Judgments and run themselves; None where only placements are known."""
    carried: bool = False
    """Whether the run carries its judgments, which then are those of its own items only."""
    wide: bool = False
    """Whether items judged not relevant are placed too, to count what is unjudged."""
    has_subtopics: bool = False

    @property
    def sources(self) -> tuple[str, str]:
        """How messages name judgments and run."""
        return self.source, self.source

    def readings(self) -> Readings:
        """How both sides were read; what a run in files is like is known once it was placed."""
        return Readings(*(None if side is None else side.how_read() for side in (self.truth, self.returned)))

    def place(self, plan: Plan) -> PlacedRun:
        """Place what the plan asks for."""
        if plan.subtopics and not self.has_subtopics:
            raise without_any_subtopic(self.sources[0])
        if self.returned is None and changes_runs(plan) and plan.duplicates != "once":
            raise MeasureError.of("measures.needs_the_run", source=self.source)
        return self._place(plan)

    @abstractmethod
    def _place(self, plan: Plan) -> PlacedRun: ...

    @property
    def placed(self) -> PlacedRun:
        """Everything placed, for every measure and tie rule."""
        return self.place(Plan())

    def judged_table(self) -> Judgments | None:
        """The judgments themselves, for what looks at lists of items."""
        return self.truth

    def catalogue(self) -> pl.Series | None:
        """The ids of all items that could be listed, where that is known."""
        return None

    def run(self, depth: int | None = None) -> Run:  # noqa: ARG002 (what is in memory has lists of any depth)
        """The run itself, for what looks at the first ``depth`` items of its lists; at all of them by default."""
        if self.returned is None:
            raise InputError.of("placing.no_lists", source=self.sources[1])
        return self.returned


def without_any_subtopic(judgments: str) -> MeasureError:
    """What is said where measures of diversity are asked of plain judgments."""
    return MeasureError.of("placing.no_subtopics", source=judgments)


@dataclass(frozen=True)
class Pair(Placeable):
    """A run and what it is judged by; ``truth`` is None where nothing is, as measures of lists may have it."""

    truth: Judgments | None
    returned: Run
    carried: bool = False
    numbered: tuple[JudgmentTable, Subtopics] | None = None
    """Judgments with numbers of items for grades, and the subtopics that the numbers lead to."""

    @classmethod
    def of(cls, truth: Judgments, returned: Run, **rest: Any) -> Self:
        """Of items that are judged on several subtopics the highest grade is the grade."""
        if not truth.has_subtopics:
            return cls(truth, returned, **rest)
        from rankmeter.placing.preparations import numbered_items, without_subtopics

        table = truth.judgment_table()
        return cls(without_subtopics(table), returned, numbered=numbered_items(table), **rest)

    @property
    def sources(self) -> tuple[str, str]:
        return "no judgments" if self.truth is None else self.truth.source, self.returned.source

    @cached_property
    def wide(self) -> bool:  # type: ignore[override]
        """Whether items judged not relevant are placed too; not where they are very many.

        In a matrix every item is judged, so there is nothing to count.
        """
        return self.truth is not None and self.truth.matrix is None and self.truth.count <= MOST_JUDGED

    @property
    def has_subtopics(self) -> bool:  # type: ignore[override]
        return self.numbered is not None

    def _place(self, plan: Plan) -> PlacedRun:
        if self.truth is None:
            return place_unjudged(self.returned)
        try:
            return self._place_against(self.truth, plan)
        except RepeatedJudgmentError:  # looked for only now, as it takes a while and is rare
            truth = without_repeats(self.truth.judgment_table())
            placed = self._place_against(truth, plan)
            object.__setattr__(self, "truth", truth)
            return placed

    def _place_against(self, truth: Judgments, plan: Plan) -> PlacedRun:
        if plan.subtopics and self.numbered is not None:
            items, subtopics = self.numbered
            return replace(place_run(items, self.returned, plan), subtopics=subtopics)
        return place_run(truth, self.returned, plan)


def changes_runs(plan: Plan) -> bool:
    """Whether a run must be changed before it is placed."""
    return plan.without_itself or plan.cut_first is not None or plan.duplicates in (*RENAMING, "distinct")


def place_run(judgments: Judgments, run: Run, plan: Plan) -> PlacedRun:
    """Place a run of any kind against judgments of any kind: as tables, unless both have a form that is faster."""
    if changes_runs(plan):
        truth, table, plan = prepared(judgments.judgment_table(), run.run_table(), plan)
        judgments, run = truth, table
    placed = None
    if judgments.matrix is not None and run.matrix is not None:
        from rankmeter.placing.matrices import place_arrays  # loaded when such data comes

        ids, highest = pl.Series(np.arange(len(run.matrix))), float(judgments.matrix.max())
        placed = PlacedRun(ids, place_arrays(judgments.matrix, run.matrix, plan), scored=True, highest_grade=highest)
    elif (graded := judgments.mapping) is not None and (listed := run.mapping) is not None:
        if (
            plan.duplicates != "counted" or listed.scored
        ):  # items that stand twice in a list count twice in a table only
            by_query, scores = same_types_of_mappings(graded, listed, listed.scores(plan.duplicates))
            placed = place_mappings(by_query, scores, plan, scored=listed.scored, grades=graded.grades)
    elif judgments.text is not None and run.text is not None:
        from rankmeter.inputs.plain_trec import NotPlainError
        from rankmeter.placing.joins import place_text

        try:
            placed = place_text(judgments.text, run.text, plan)
        except NotPlainError:
            placed = None
    if placed is None:
        placed = _place_tables(judgments, run, plan)
    p = placed.placements
    if not (p.in_run & p.is_judged).any():
        # A run that shares no query with the judgments is a mistake, not a run that found nothing.
        judged, returned = (placed.queries.filter(pl.Series(side)).to_list() for side in (p.is_judged, p.in_run))
        raise no_query_in_common(judgments.source, judged, run.source, returned)
    return placed


def _place_tables(judgments: Judgments, run: Run, plan: Plan) -> PlacedRun:
    from rankmeter.inputs.streaming import are_scattered, regrouped
    from rankmeter.placing.joins import ScatteredQueryError, place_blocks

    truth, blocks = judgments.judgment_table(), run.blocks()
    first = list(islice(blocks, 1))
    blocks = chain(first, blocks)
    if run.is_streamed and any(map(are_scattered, first)):
        with regrouped(blocks) as whole:
            return place_blocks(truth, whole, plan)
    try:
        return place_blocks(truth, blocks, plan)
    except ScatteredQueryError:
        with regrouped(run.blocks()) as blocks:
            return place_blocks(truth, blocks, plan)


def place_unjudged(run: Run) -> PlacedRun:
    """A run without judgments: whose lists they are and how long, for measures of lists."""
    from rankmeter.placing.slates import lengths_of

    queries, returned = lengths_of(run)
    n, nothing = len(queries), np.empty(0, np.int64)
    rows: dict[str, Any] = {name: nothing if name not in ("grade", "score") else np.empty(0) for name in ROW_FIELDS}
    placements = Placements(
        returned=returned,
        in_run=np.ones(n, np.bool_),
        is_judged=np.zeros(n, np.bool_),
        best_offsets=np.zeros(n + 1, np.int64),
        best=np.empty(0),
        **rows,
    )
    return PlacedRun(queries, placements, scored=False, highest_grade=0.0)
