"""The unit of work: a block of whole queries in, values per query and a mergeable state out.

One function serves files larger than memory and the partitions of a cluster, so both give the numbers that one process
with everything in memory gives: values are computed query by query anyway, and what is added up over queries merges
exactly (`rankmeter.arithmetic.aggregates`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from rankmeter.arithmetic import Tally, Values
from rankmeter.errors import InputError
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.block_lists import ExactSums, listed_in, measure_block, merged_sums, value_of_sums
from rankmeter.evaluating.evaluation import ONLY_QUERIES, About
from rankmeter.evaluating.facts import COUNTS, Facts, additive_counts, noticed, unjudged_of
from rankmeter.evaluating.measuring import (
    extremes,
    groups_of,
    measure_groups,
    refuse_unanswerable,
    span_of_ties,
    unknown_in,
    unknown_notes,
)
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.ids import no_query_in_common
from rankmeter.inputs.reading import Readings
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.lists.protocol import noticed_together, protocol_notes
from rankmeter.lists.slating import Background
from rankmeter.measures import Measure
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.joins import place_blocks
from rankmeter.placing.pairs import Pair, changes_runs, place_unjudged, without_any_subtopic
from rankmeter.placing.placements import Plan
from rankmeter.placing.preparations import prepared

_SHOWN = 3  # ids kept for the message about judgments and a run that have no query in common


@dataclass(frozen=True, slots=True)
class State:
    """What some blocks know of all their queries together; states merge exactly in any order."""

    tallies: Sequence[Tally]
    """One for each measure."""
    worst: Sequence[Tally]
    """What the measures add up to under the worst order of tied items."""
    best: Sequence[Tally]
    """What they add up to under the best order."""
    tied: bool
    """Whether any judged item is tied at all."""
    unknown: Sequence[str]
    """The measures, as text, that ties may move between values that are not known."""
    counts: Mapping[str, int]
    unjudged_at: Mapping[int, int]
    ties: str
    """The tie rule of that count, where ties could change it."""
    scored: bool
    highest: float
    """The highest grade; minus infinity where nothing is judged."""
    longest: int
    """The length of the longest list."""
    judged: Sequence[str]
    """A few judged queries, for messages."""
    returned: Sequence[str]
    """A few queries of the run."""
    sums: Mapping[str, tuple[ExactSums, Sequence[float]]] = field(default_factory=dict)
    """For measures of all lists that are a function of sums, by their text: those sums, and the constants."""
    noticed: Mapping[str, int] = field(default_factory=dict)
    """What may have to be said of the lists (`rankmeter.lists.protocol`)."""

    def to_json(self) -> str:
        """As text, exactly: Python writes floats so that they are read back as they were."""
        tallies = {
            name: [[tally.queries, tally.above, tally.below] for tally in getattr(self, name)]
            for name in ("tallies", "worst", "best")
        }
        rest = {name: getattr(self, name) for name in State.__slots__ if name not in tallies}
        return json.dumps({**tallies, **rest})

    @classmethod
    def from_json(cls, text: str) -> State:
        """Read what `to_json` wrote."""
        state: dict[str, Any] = json.loads(text)
        for name in ("tallies", "worst", "best"):
            state[name] = [Tally(*parts) for parts in state[name]]
        state["unjudged_at"] = {int(k): count for k, count in state["unjudged_at"].items()}
        return cls(**state)

    @classmethod
    def merged(cls, states: Iterable[State]) -> State:
        """What all of them know together."""
        every = list(states)
        cutoffs = sorted({k for state in every for k in state.unjudged_at})

        def together(name: str) -> list[Tally]:
            return [Tally.merged(tallies) for tallies in zip(*(getattr(s, name) for s in every), strict=True)]

        return cls(
            tallies=together("tallies"),
            worst=together("worst"),
            best=together("best"),
            tied=any(state.tied for state in every),
            unknown=sorted({text for state in every for text in state.unknown}),
            counts={name: sum(state.counts[name] for state in every) for name in COUNTS},
            unjudged_at={k: sum(state.unjudged_at.get(k, 0) for state in every) for k in cutoffs},
            ties=next((state.ties for state in every if state.ties), ""),
            scored=all(state.scored for state in every),
            highest=max(state.highest for state in every),
            longest=max(state.longest for state in every),
            judged=[query for state in every for query in state.judged][: _SHOWN + 1],
            returned=[query for state in every for query in state.returned][: _SHOWN + 1],
            sums={
                text: (merged_sums(state.sums[text][0] for state in every), constants)
                for text, (_, constants) in every[0].sums.items()
            },
            noticed=noticed_together(state.noticed for state in every),
        )


@dataclass(frozen=True, slots=True)
class BlockValues:
    """The values of one block's queries, and what they add up to."""

    queries: pl.Series
    values: Mapping[Measure, Values]
    state: State
    counts: pl.DataFrame | None = None
    """How often items stand in lists, where a measure asks (`rankmeter.evaluating.block_lists`)."""


def check_subtopics(measures: Iterable[Measure], has_subtopics: bool, judgments: str) -> None:  # noqa: FBT001
    """Refuse measures of diversity where the judgments have no subtopics."""
    if not has_subtopics and any(getattr(measure, "subtopics", False) for measure in measures):
        raise without_any_subtopic(judgments)


def evaluate_block(
    truth: JudgmentTable | None,
    run: RunTable,
    measures: Sequence[Measure],
    *,
    wide: bool,
    known: Background | None = None,
) -> BlockValues:
    """Evaluate whole queries: all judgments and all rows of the run that they have, with ids of the same types.

    Either side may be empty; ``truth`` is None where nothing is judged at all. If ``wide``, items judged not relevant
    are placed too, to count what is unjudged; ``known`` is for measures of lists.
    """
    block = _Block(truth, run, every_judged=wide) if truth is None else _Block.of(truth, run, every_judged=wide)
    listed = listed_in(measures)
    groups = groups_of(measure for measure in measures if measure not in listed)
    measured = list(measure_groups(block, groups, strict=None))
    values = {measure: values for group in measured for measure, values in group.values.items()}
    ends = {measure: both for group in measured for measure, both in extremes(group).items()}
    first = measured[0].placed if measured else block.place(ONLY_QUERIES)
    lists = None if known is None else measure_block(block.truth, run, first, listed, known)
    values |= {} if lists is None else lists.values
    p, queries = first.placements, first.queries
    state = State(
        tallies=[_tally(values[m], m) for m in measures],
        worst=[_tally(ends[m][0] if m in ends else values[m], m) for m in measures],
        best=[_tally(ends[m][1] if m in ends else values[m], m) for m in measures],
        tied=any(bool((group.placed.placements.tied > 1).any()) for group in measured),
        unknown=[str(measure) for group in measured for measure in unknown_in(group)],
        counts=additive_counts(p),
        **(unjudged_of(measured[0]) if wide and measured else {"unjudged_at": {}, "ties": ""}),
        scored=run.scored,
        highest=first.highest_grade if truth is not None else -math.inf,
        longest=int(p.returned.max(initial=0)),
        judged=[str(query) for query in queries.filter(pl.Series(p.is_judged)).head(_SHOWN)],
        returned=[str(query) for query in queries.filter(pl.Series(p.in_run)).head(_SHOWN)],
        sums={} if lists is None else {str(measure): sums for measure, sums in lists.sums.items()},
        noticed={} if lists is None else lists.noticed,
    )
    return BlockValues(queries, {m: values[m] for m in measures}, state, None if lists is None else lists.counts)


@dataclass(frozen=True)
class _Block(Pair):
    """Whole queries out of many: either side may be empty, and they need not have a query in common."""

    truth: JudgmentTable | None
    returned: RunTable
    every_judged: bool = True

    @property
    def wide(self) -> bool:  # type: ignore[override]
        return self.every_judged

    def _place(self, plan: Plan) -> PlacedRun:
        run = self.returned
        if self.truth is None:
            return place_unjudged(run)
        truth, subtopics = self.numbered if plan.subtopics and self.numbered else (self.truth, None)
        if changes_runs(plan):
            truth, run, plan = prepared(truth, run, plan)
        placed = place_blocks(truth, [run] if len(run.query) or run.queries is not None else [], plan)
        highest = float(self.truth.grade.max()) if len(self.truth.grade) else -math.inf  # type: ignore[arg-type]
        return replace(placed, scored=run.scored, highest_grade=highest, subtopics=subtopics)


def _tally(values: Values, measure: Measure) -> Tally:
    """What a measure of all lists has is counted and added up elsewhere."""
    if measure.aggregate == "whole":
        return Tally(int(values.counted.sum()), [], [])
    return Tally.of(values, measure.aggregate)


def summary(
    state: State,
    asked: Asked,
    about: About,
    sources: tuple[str | None, str],
    reading: Readings,
    counted: Mapping[Measure, float],
) -> dict[str, Any]:
    """Means, counts, tie bounds and facts of all queries, as `DistantEvaluation` takes them; refuses bad input.

    ``sources`` names judgments (None where nothing is judged) and run; ``counted`` has the values that counts gave.
    """
    judgments, run = sources
    measures = asked.measures
    for source, queries in ((judgments, state.judged), (run, state.returned)):
        if source is not None and not queries:
            raise InputError.of("inputs.no_rows", source=source)
    if judgments is not None and state.counts["judged"] == state.counts["missing"]:
        raise no_query_in_common(judgments, state.judged, run, state.returned)
    for measure in measures:
        if not isinstance(measure, SlateMeasure):
            refuse_unanswerable(measure, scored=state.scored, highest=state.highest, strict=asked.strict)
    bounds = {}
    for measure, *ends in zip(measures, state.worst, state.best, state.tallies, strict=True):
        if measure.aggregate == "whole" or not state.tied:
            continue
        span = span_of_ties(measure, *(tally.value(measure.aggregate) for tally in ends))
        if span is not None:
            bounds[measure] = span
    means = {}
    for measure, tally in zip(measures, state.tallies, strict=True):
        if measure in counted:
            means[measure] = counted[measure]
        elif measure.aggregate == "whole":
            means[measure] = value_of_sums(*state.sums[str(measure)], measure) if tally.queries else math.nan
        else:
            means[measure] = tally.value(measure.aggregate)
    notes = tuple(protocol_notes(state.noticed, measures)) if state.noticed else ()
    notes += tuple(unknown_notes(measure for measure in measures if str(measure) in state.unknown))
    return {
        "means": means,
        "counts": {m: t.queries for m, t in zip(measures, state.tallies, strict=True)},
        "tie_bounds": bounds,
        "facts": Facts(
            **dict[str, Any](state.counts),
            unjudged_at=dict(state.unjudged_at),
            ties=state.ties,
            judgments=judgments or "no judgments",
            run=run,
            notes=notes,
            reading=noticed(reading, state.highest, state.longest, asked),
            purpose=about.purpose_of(reading),
        ),
    }


_FIELDS = tuple(option.name for option in fields(Evaluation))


class DistantEvaluation(Evaluation):
    """An evaluation that holds what it is about all queries together, and fetches the values per query when asked.

    Everything that an `Evaluation` can do it can do too: means, counts, tie bounds and definitions at once; the values
    per query, intervals and saving after fetching them once. ``counts`` says for each measure how many queries its
    value is about; ``fetch`` gives the same evaluation with all values in memory.
    """

    __slots__ = ("_counts", "_fetch", "_fetched")
    _counts: Mapping[Measure, int]
    _fetch: Callable[[], Evaluation]
    _fetched: list[Evaluation]

    def __init__(
        self, *, counts: Mapping[Measure, int], facts: Facts, fetch: Callable[[], Evaluation], **known: Any
    ) -> None:
        blank = Evaluation(ids=pl.Series(dtype=pl.String), values={}, known_facts=facts, **known)
        held = {name: getattr(blank, name) for name in _FIELDS if name not in ("ids", "values")}
        for slot, value in {**held, "_counts": counts, "_fetch": fetch, "_fetched": []}.items():
            object.__setattr__(self, slot, value)  # frozen, as every result

    def collect(self) -> Evaluation:
        """An evaluation with all values per query in memory; they are fetched once."""
        if not self._fetched:
            self._fetched.append(self._fetch())
        return self._fetched[0]

    @property
    def queries(self) -> pl.Series:
        """(n,) ids of the queries, fetched."""
        return self.collect().queries

    @property
    def values(self) -> Mapping[Measure, Values]:
        """For each measure a value per query, fetched."""
        return self.collect().values

    def counted(self, measure: str | Measure) -> int:
        """How many queries the aggregated value is about; nothing is fetched."""
        return self._counts[self.find(measure)]

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy elsewhere could not fetch: it takes the values along.
        return Evaluation, tuple(getattr(self.collect(), name) for name in _FIELDS)
