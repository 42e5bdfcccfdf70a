"""What is compared: systems by name, each with one run or several, each evaluated once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankmeter.arithmetic import Values, aggregated
from rankmeter.comparing.lining_up import averaged_slices, sliced
from rankmeter.comparing.records import Quality
from rankmeter.comparing.unjudged import UnjudgedBounds, ties_across, unjudged_bounds
from rankmeter.errors import InputError, NotFoundError, RankmeterError, examples
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.evaluation import About, evaluate_placing
from rankmeter.evaluating.measuring import MeasuredGroup, values_under
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.accepting import into_run
from rankmeter.inputs.tables import Judgments, Run, RunTable, SeveralRuns, joined_runs
from rankmeter.late import pl, polars_faults
from rankmeter.measures import Judged, Measure, RankedMeasure
from rankmeter.measures.base import TIES_BY_ID, TIES_BY_INPUT
from rankmeter.placing.indexes import PlacedRun
from rankmeter.placing.joins import with_text_ids
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Bools, Ints
from rankmeter.wording import Said, said

DEFAULT_CUTOFF = 10
"""How deep lists are checked for unjudged items where no measure has a cutoff."""


@dataclass(frozen=True, slots=True)
class Repeats(SeveralRuns):
    """The runs of one system: on the same queries (``seeds``, also where there is one only) or on different ones."""

    runs: tuple[object, ...]
    kind: Literal["seeds", "folds"] = "seeds"
    names: tuple[str, ...] = ()
    """The names of the seeds, where they were given."""


def seeds(*runs: object, named: Mapping[Any, object] | None = None) -> Repeats:
    """Several runs of one system on the same queries, as from several random seeds.

    Their values are averaged query by query; ``compare(..., unit="run")`` asks how much runs vary instead of queries.
    Runs of two systems are two groups then, unless both name the same seeds, ``seeds(named={1: run, 2: run})``: those
    are compared seed by seed.

    Examples
    --------
    >>> import rankmeter as rm
    >>> truth = {"q1": {"a"}, "q2": {"b"}}
    >>> one, two = {"q1": ["a"], "q2": ["x", "b"]}, {"q1": ["x", "a"], "q2": ["x", "b"]}
    >>> cmp = rm.compare(truth, {"fixed": one, "random": rm.seeds(one, two)}, ["RR"], permutations=100, resamples=100)
    >>> cmp.score("RR", "random").value, cmp.score("RR", "random").run_values
    (0.625, (0.75, 0.5))
    """
    if named is None:
        return _repeats(runs, "seeds")
    return replace(_repeats(tuple(named.values()), "seeds"), names=tuple(map(str, named)))


def folds(*runs: object) -> Repeats:
    """Several runs of one system on different queries, as from cross-validation; together they are one run."""
    return _repeats(runs, "folds")


def _repeats(runs: tuple[object, ...], kind: Literal["seeds", "folds"]) -> Repeats:
    if len(runs) == 1 and isinstance(runs[0], (list, tuple)):
        runs = tuple(runs[0])
    if not runs:
        raise InputError.of("comparing.repeats_without_run", kind=kind)
    return Repeats(runs, kind)


@dataclass(frozen=True, slots=True)
class Measured:
    """One system, evaluated."""

    evaluation: Evaluation
    """Of several runs the mean, query by query."""
    runs: tuple[Evaluation, ...]
    sources: tuple[Run, ...]
    quality: Quality
    unjudged: Mapping[Measure, UnjudgedBounds | Said]
    seeds: tuple[str, ...] = ()
    """The names of the seeds of its runs, where they have any."""
    held: Bools | None = None
    """(judged queries,) whether any of its runs holds the query; None where that is no longer known."""


def named_systems(systems: object) -> dict[str, Repeats]:
    """Accept ``{name: run}``, pairs of name and run, or evaluations with their names; refuse a name used twice."""
    if isinstance(systems, Mapping):
        pairs: list[Any] = list(systems.items())
    elif isinstance(systems, Iterable) and not isinstance(systems, (str, bytes)) and getattr(systems, "ndim", 1) > 0:
        pairs = [(system.name, system) if isinstance(system, Evaluation) else system for system in systems]
    else:
        pairs = []
    if not pairs or any(not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs):
        raise InputError.of("comparing.systems_by_name")
    lists = (given for _, given in pairs)
    if all(isinstance(one, Mapping) and one and all(isinstance(x, Real) for x in one.values()) for one in lists):
        raise InputError.of("comparing.one_run_by_query")  # the list of one query, items with their scores, is no run
    names = [str(name) for name, _ in pairs]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError.of("comparing.same_name", names=examples(twice))
    if len(names) < 2:
        raise InputError.of("comparing.one_system", name=names[0])
    return {str(name): run if isinstance(run, Repeats) else Repeats((run,)) for name, run in pairs}


def measure_system(
    name: str, system: Repeats, truth: Judgments | None, asked: Asked, columns: Mapping[str, str] | None, about: About
) -> Measured:
    """Evaluate a system once for all measures; take evaluations that were made before as they are."""
    measures = asked.measures
    done = [run for run in system.runs if isinstance(run, Evaluation)]
    if done:
        if len(done) != len(system.runs) or system.kind == "folds":
            raise InputError.of("comparing.mixed", name=name)
        chosen = tuple(sliced(_only_measures(ev, measures, name), about.by) for ev in done)
        quality = _quality_of_runs([], chosen)
        unknown = dict.fromkeys(measures, said("saved_before"))
        return Measured(averaged(chosen, name), chosen, (), quality, unknown, system.names)
    try:
        sources, placings = _placings(system, truth, measures, columns)
        looks = [_Look(placing, all_judged=truth is not None and truth.matrix is not None) for placing in placings]
        evaluations = tuple(
            evaluate_placing(placing, asked, name, look=look, about=about)
            for placing, look in zip(placings, looks, strict=True)
        )
    except RankmeterError as error:
        raise type(error).of("comparing.of_system", name=name, problem=error.problem) from error
    bounds = _averaged_bounds([look.bounds(ev) for look, ev in zip(looks, evaluations, strict=True)])
    quality = _quality_of_runs(looks, evaluations)
    held = [look.held for look in looks if look.held is not None]
    return Measured(
        averaged(evaluations, name), evaluations, tuple(sources), quality, bounds, system.names,
        np.logical_or.reduce(held) if len(held) == len(looks) else None,
    )  # fmt: skip


def _placings(
    system: Repeats, truth: Judgments | None, measures: Sequence[Measure], columns: Mapping[str, str] | None
) -> tuple[list[Run], list[Placeable]]:
    """The runs to place; those that were ranked already carry their judgments."""
    if all(isinstance(getattr(run, "placed", None), PlacedRun) for run in system.runs):
        return [], [into_pair(run, None) for run in system.runs]
    if truth is None and (judged := [str(measure) for measure in measures if measure.about != "lists"]):
        raise InputError.of("comparing.needs_judgments", measures=examples(judged))
    sources = [into_run(run, columns=columns) for run in system.runs]
    if system.kind == "folds":
        sources = [_runs_as_one(sources)]
    return sources, [into_pair(truth, source) for source in sources]


class _Look:
    """Looks at a placing before it is forgotten: what is judged, what ties, what unjudged items could do."""

    def __init__(self, placing: Placeable, *, all_judged: bool) -> None:
        self.all_judged = all_judged
        self.wide = all_judged or placing.wide
        self.judged_at: dict[int, float] = {}
        self.across: dict[int, Ints] = {}
        self.held: Bools | None = None
        self.later: dict[Measure, PlacedRun | Said] = {}
        """What the bounds of each measure are computed from, or why there are none."""

    def __call__(self, measured: MeasuredGroup) -> None:
        group, placed = measured.measures, measured.placed
        self.held = placed.placements.in_run[placed.placements.is_judged]
        cutoffs = {m.cutoff for m in group if isinstance(m, RankedMeasure) and m.cutoff is not None}
        for cutoff in sorted(cutoffs) or [DEFAULT_CUTOFF]:
            self.across.setdefault(cutoff, ties_across(placed.placements, cutoff))
            if self.wide and cutoff not in self.judged_at:
                self.judged_at[cutoff] = 1.0 if self.all_judged else _judged_at(measured, cutoff)
        kept: PlacedRun | Said = placed
        if not self.wide or self.all_judged:
            kept = said("all_judged" if self.all_judged else "unjudged_not_counted")
        self.later |= dict.fromkeys(group, kept)

    def bounds(self, ev: Evaluation) -> dict[Measure, UnjudgedBounds | Said]:
        """What unjudged items could do to each measure; in recommendation they are items that users did not take."""
        if ev.facts.purpose == "recommendation":
            self.judged_at.clear()
            self.later = dict.fromkeys(self.later, said("held_out"))
        later, self.later = self.later, {}
        return {
            m: kept if isinstance(kept, Said) else unjudged_bounds(m, kept, ev.means[m]) for m, kept in later.items()
        }


def _judged_at(measured: MeasuredGroup, cutoff: int) -> float:
    """The share of the items within the cutoff that carry a judgment, over all judged queries."""
    rules = [m.ties for m in measured.measures if isinstance(m, RankedMeasure)]
    # Under `best` a judged item would stand before the unjudged ones that it ties with: `mean` favours neither.
    ties: Any = next((rule for rule in rules if rule in (*TIES_BY_ID, *TIES_BY_INPUT)), "mean")
    share: Measure = Judged(ties=ties, aggregate="pooled") @ cutoff
    return aggregated(values_under(share, measured.views, measured.placed), share.aggregate)


def _quality_of_runs(looks: Sequence[_Look], evaluations: Sequence[Evaluation]) -> Quality:
    """Over several runs: the mean judged share, the queries that tie in any of them, the most that are missing.

    Runs are placed against the same judgments, so that the judged queries have the same numbers in all of them.
    """
    every = [ev.facts for ev in evaluations]
    cutoffs = sorted(set().union(*(look.judged_at for look in looks)))
    tied = sorted(set().union(*(look.across for look in looks)))
    across = {k: np.concatenate([look.across[k] for look in looks if k in look.across]) for k in tied}
    return Quality(
        judged=every[0].judged,
        missing=max(facts.missing for facts in every),
        extra=max(facts.unjudged for facts in every),
        without_relevant=every[0].without_relevant,
        judged_at={k: float(np.mean([look.judged_at[k] for look in looks if k in look.judged_at])) for k in cutoffs},
        ties_across={k: len(np.unique(queries)) for k, queries in across.items()},
    )


def _runs_as_one(sources: Sequence[Run]) -> RunTable:
    """Runs of different queries as one; ids that are numbers in one and text in another are text in all."""
    tables = [source.run_table() for source in sources]
    for column in ("query", "item"):
        if len({getattr(table, column).dtype for table in tables}) > 1:
            tables = [with_text_ids(table, column) for table in tables]
    seen = Counter(
        query
        for table in tables
        for query in (table.query.unique(maintain_order=True) if table.queries is None else table.queries).to_list()
    )
    if twice := [query for query, count in seen.items() if count > 1]:
        raise InputError.of("comparing.folds_share", queries=examples(twice))
    scored = all(table.scored for table in tables)
    joined = joined_runs([replace(table, scored=scored) for table in tables])
    return replace(joined, source=" + ".join(table.source for table in tables))


def _only_measures(ev: Evaluation, measures: Sequence[Measure], name: str) -> Evaluation:
    """An evaluation reduced to some measures."""
    ev = ev.collect()
    try:
        kept = [ev.find(measure) for measure in measures]
    except NotFoundError as error:
        raise NotFoundError.of("comparing.of_system", name=name, problem=error.problem) from error
    return replace(
        ev,
        values={measure: ev.values[measure] for measure in kept},
        means={measure: ev.means[measure] for measure in kept},
        tie_bounds={measure: ends for measure, ends in ev.tie_bounds.items() if measure in kept},
    )


def averaged(evaluations: Sequence[Evaluation], name: str) -> Evaluation:
    """Several runs of one system as one evaluation: the mean of their values, query by query."""
    first = evaluations[0]
    if len(evaluations) == 1:
        return replace(first, name=name)
    for other in evaluations[1:]:
        if not other.queries.equals(first.queries):
            raise InputError.of("comparing.runs_about_others", name=name)
    values = {m: averaged_values([ev.values[m] for ev in evaluations], m) for m in first.values}
    bounds = {
        measure: tuple(
            np.mean([ev.tie_bounds.get(measure, (ev.means[measure],) * 2) for ev in evaluations], axis=0).tolist()
        )
        for measure in first.means
        if any(measure in ev.tie_bounds for ev in evaluations)
    }
    return replace(
        first,
        name=name,
        values=values,
        # A measure of all lists has no values by query, so the numbers of the runs are averaged.
        means={
            m: float(np.mean([ev.means[m] for ev in evaluations]))
            if m.aggregate == "whole"
            else aggregated(values[m], m.aggregate)
            for m in first.means
        },
        tie_bounds=bounds,
        known_facts=replace(first.facts, run=f"{len(evaluations)} runs"),
        slices=averaged_slices([ev.slices for ev in evaluations]),
    )


def averaged_values(runs: Sequence[Values], measure: Measure) -> Values:
    """The mean of the values of several runs, over the queries that count in all of them."""
    every = {name: np.stack([getattr(run, name) for run in runs]) for name in Values.__slots__}
    counted: Bools = np.logical_and.reduce(every.pop("counted"))
    if measure.aggregate == "filled":
        every["value"] = np.nan_to_num(every["value"], nan=0.0)
    return Values(counted=counted, **{name: columns.mean(axis=0) for name, columns in every.items()})


def _averaged_bounds(
    several: Sequence[Mapping[Measure, UnjudgedBounds | Said]],
) -> dict[Measure, UnjudgedBounds | Said]:
    averaged: dict[Measure, UnjudgedBounds | Said] = {}
    for measure in several[0]:
        every = [bounds[measure] for bounds in several]
        known = [bounds for bounds in every if isinstance(bounds, UnjudgedBounds)]
        if len(known) < len(every):
            averaged[measure] = next(bounds for bounds in every if isinstance(bounds, Said))
        else:
            ends = ("none_relevant", "all_relevant")
            means: dict[str, Any] = {end: float(np.mean([getattr(bounds, end) for bounds in known])) for end in ends}
            averaged[measure] = replace(known[0], **means)
    return averaged


def saved_or_run(given: object) -> object:
    """The evaluation that a path names, where one was saved there; anything else as it is."""
    if not isinstance(given, (str, os.PathLike)) or not Path(given).is_file():
        return given
    with Path(given).open("rb") as file:
        if file.read(4) != b"PAR1":
            return given
    try:
        is_saved = "rankmeter" in pl.read_parquet_metadata(str(given))
    except polars_faults():
        return given  # the reader says what is wrong with it
    return Evaluation.load(str(given)) if is_saved else given
