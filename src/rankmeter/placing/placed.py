"""What can be placed, and a run that has been: what every way of placing gives to the arithmetic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from rankmeter.errors import InputError, MeasureError, with_hint
from rankmeter.inputs.ids import LateIds, column_of_ids
from rankmeter.inputs.tables import Judgments, Run
from rankmeter.late import pl
from rankmeter.placing.placements import Placements, Plan, Subtopics
from rankmeter.placing.repeats import changes_runs


@dataclass(frozen=True, slots=True)
class PlacedRun:
    """A run that has been placed: whose lists they are, and where their judged items stand."""

    ids: pl.Series | LateIds
    """(n,) whose they are, judged queries first; ``queries`` is the same as a column."""
    placements: Placements
    scored: bool
    """False where the run has ranks only."""
    highest_grade: float
    """The highest grade judged anywhere."""
    source: str = "run"
    """How messages name it."""
    subtopics: Subtopics | None = None
    """What the grades, which are numbers of items then, lead to."""

    @property
    def queries(self) -> pl.Series:
        """(n,) the ids of the queries, judged ones first."""
        return column_of_ids(self.ids)


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

    def run(self) -> Run:
        """The run itself, for what looks at lists of items."""
        if self.returned is None:
            fact = f"{self.sources[1]} was ranked already and holds no lists of items."
            raise InputError(with_hint(fact, "measures of lists and slices need the run itself"))
        return self.returned


def without_any_subtopic(judgments: str) -> MeasureError:
    """What is said where measures of diversity are asked of plain judgments."""
    return MeasureError(
        with_hint(
            f"measures of diversity need subtopics, and {judgments} has none.",
            "give {query: {item: {subtopic: grade}}}, a subtopic column, or for TREC diversity judgments "
            "columns={'subtopic': 'iteration'}",
        )
    )
