"""What is compared: systems by name, each with one run or several, each evaluated once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankmeter.arithmetic import Values, Views, aggregated, parts_of
from rankmeter.comparing.records import Quality
from rankmeter.comparing.slice_values import averaged_slices, sliced
from rankmeter.comparing.unjudged import UnjudgedBounds, ties_across, unjudged_bounds
from rankmeter.errors import InputError, NotFoundError, RankmeterError, examples
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.evaluation import About, evaluate_placing
from rankmeter.evaluating.measuring import MeasuredGroup
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs import AnyJudgments, AnyRun, RunTable, into_run
from rankmeter.inputs.shards import joined_runs
from rankmeter.inputs.tables import SeveralRuns
from rankmeter.late import pl, polars_faults
from rankmeter.measures import Judged, Measure, RankedMeasure
from rankmeter.placing import PlacedRun
from rankmeter.placing.joins import with_text_ids
from rankmeter.placing.pairs import Placeable
from rankmeter.placing.placements import Bools, Ints
from rankmeter.wording import Said, said

DEFAULT_CUTOFF = 10
"""How deep lists are checked for unjudged items where no measure has a cutoff."""


@dataclass(frozen=True, slots=True)
class Repeats(SeveralRuns):
    """Several runs of one system."""

    runs: tuple[object, ...]
    kind: Literal["seeds", "folds"]
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
    sources: tuple[AnyRun, ...]
    quality: Quality
    unjudged: Mapping[Measure, UnjudgedBounds | Said]
    seeds: tuple[str, ...] = ()
    """The names of the seeds of its runs, where they have any."""
    held: Bools | None = None
    """(judged queries,) whether any of its runs holds the query; None where that is no longer known."""


def named_systems(systems: object) -> dict[str, object]:
    """Accept ``{name: run}``, pairs of name and run, or evaluations with their names; refuse a name used twice."""
    if isinstance(systems, Mapping):
        pairs: list[tuple[Any, Any]] = list(systems.items())
    elif isinstance(systems, Iterable) and not isinstance(systems, (str, bytes)):
        pairs = [(one.name, one) if isinstance(one, Evaluation) else one for one in systems]
    else:
        pairs = []
    if not pairs or any(not _is_pair(pair) for pair in pairs):
        raise InputError.of("comparing.systems_by_name")
    if all(_is_one_list(given) for _, given in pairs):
        raise InputError.of("comparing.one_run_by_query")
    names = [str(name) for name, _ in pairs]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError.of("comparing.same_name", names=examples(twice))
    if len(names) < 2:
        raise InputError.of("comparing.one_system", name=names[0])
    return dict(zip(names, (run for _, run in pairs), strict=True))


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2


def _is_one_list(given: object) -> bool:
    """Whether this is what a run holds for one query, items with their scores; a run is never that."""
    return isinstance(given, Mapping) and bool(given) and all(isinstance(score, Real) for score in given.values())


def measure_system(
    name: str, given: object, truth: AnyJudgments | None, asked: Asked, columns: Mapping[str, str] | None, about: About
) -> Measured:
    """Evaluate a system once for all measures; take evaluations that were made before as they are."""
    measures = asked.measures
    parts, seed_names = (given.runs, given.names) if isinstance(given, Repeats) else ((given,), ())
    done = [part for part in parts if isinstance(part, Evaluation)]
    if done:
        if len(done) != len(parts) or (isinstance(given, Repeats) and given.kind == "folds"):
            raise InputError.of("comparing.mixed", name=name)
        chosen = tuple(sliced(_only(ev, measures, name), about.by) for ev in done)
        quality = _quality_of_runs([], chosen)
        unknown = dict.fromkeys(measures, said("saved_before"))
        return Measured(averaged(chosen, name), chosen, (), quality, unknown, seed_names)
    try:
        sources, placings = _placings(given, parts, truth, measures, columns)
        looks = [_Look(placing, all_judged=truth is not None and truth.matrix is not None) for placing in placings]
        evaluations = tuple(
            evaluate_placing(placing, asked, name, look=look, about=about)
            for placing, look in zip(placings, looks, strict=True)
        )
    except RankmeterError as error:
        raise type(error).of("comparing.of_system", name=name, problem=error.problem) from error
    bounds = _averaged_bounds([look.bounds(ev) for look, ev in zip(looks, evaluations, strict=True)])
    return Measured(
        averaged(evaluations, name),
        evaluations,
        tuple(sources),
        _quality_of_runs(looks, evaluations),
        bounds,
        seed_names,
        _held(looks),
    )


def _held(looks: Sequence[_Look]) -> Bools | None:
    every = [look.held for look in looks if look.held is not None]
    held: Bools = np.logical_or.reduce(every)
    return held if len(every) == len(looks) else None


def _placings(
    given: object,
    parts: Sequence[object],
    truth: AnyJudgments | None,
    measures: Sequence[Measure],
    columns: Mapping[str, str] | None,
) -> tuple[list[AnyRun], list[Placeable]]:
    """What is to be placed, run by run; what was ranked already carries its judgments."""
    if all(isinstance(getattr(part, "placed", None), PlacedRun) for part in parts):
        return [], [into_pair(part, None) for part in parts]
    if truth is None and (judged := [str(measure) for measure in measures if measure.about != "lists"]):
        raise InputError.of("comparing.needs_judgments", measures=examples(judged))
    sources = [into_run(part, columns=columns) for part in parts]
    if isinstance(given, Repeats) and given.kind == "folds":
        sources = [_joined(sources)]
    return sources, [into_pair(truth, source) for source in sources]


class _Look:
    """Looks at a placing before it is forgotten: what is judged, what ties, what unjudged items could do."""

    def __init__(self, placing: Placeable, *, all_judged: bool) -> None:
        self.all_judged = all_judged
        self.wide = all_judged or placing.wide
        self.judged_at: dict[int, float] = {}
        self.across: dict[int, Ints] = {}
        self.held: Bools | None = None
        self.later: dict[Measure, Callable[[float], UnjudgedBounds | Said]] = {}

    def __call__(self, measured: MeasuredGroup) -> None:
        group, placed, views = measured.measures, measured.placed, measured.views
        self.held = placed.placements.in_run[placed.placements.is_judged]
        for cutoff in cutoffs_of(group):
            self.across.setdefault(cutoff, ties_across(placed.placements, cutoff))
            if self.wide and cutoff not in self.judged_at:
                self.judged_at[cutoff] = 1.0 if self.all_judged else _judged_at(views, cutoff, group)
        for measure in group:
            if self.all_judged:
                reason = said("all_judged")
            elif not self.wide:
                reason = said("unjudged_not_counted")
            else:
                self.later[measure] = lambda value, m=measure: unjudged_bounds(m, placed, value)  # type: ignore[misc]
                continue
            self.later[measure] = lambda _, reason=reason: reason  # type: ignore[misc]

    def bounds(self, ev: Evaluation) -> dict[Measure, UnjudgedBounds | Said]:
        """What unjudged items could do; nothing where they are items that users did not take."""
        if ev.facts.purpose == "recommendation":
            self.judged_at.clear()
            self.later = {measure: lambda _: said("held_out") for measure in self.later}
        bounds = {measure: bounds(ev.means[measure]) for measure, bounds in self.later.items()}
        self.later.clear()
        return bounds


def cutoffs_of(measures: Sequence[Measure]) -> list[int]:
    """The cutoffs that measures look at, or the usual one where none has any."""
    ranked = [m for m in measures if isinstance(m, RankedMeasure)]
    return sorted({m.cutoff for m in ranked if m.cutoff is not None}) or [DEFAULT_CUTOFF]


def _judged_at(views: Views, cutoff: int, group: Sequence[Measure]) -> float:
    """The share of the items within the cutoff that carry a judgment, over all judged queries."""
    rules = [m.ties for m in group if isinstance(m, RankedMeasure)]
    # Under `best` a judged item would stand before the unjudged ones that it ties with: `mean` favours neither.
    ties = next((rule for rule in rules if rule in ("item", "item-ascending", "input", "reversed")), "mean")
    asked: Any = Judged(ties=ties) @ cutoff
    parts = parts_of(asked, views.of(asked))
    chosen = views.placements.is_judged
    shown = float(parts.denominator[chosen].sum())
    return float(parts.numerator[chosen].sum()) / shown if shown else 0.0


def _quality_of_facts(ev: Evaluation) -> Quality:
    facts = ev.facts
    return Quality(facts.judged, facts.missing, facts.unjudged, facts.without_relevant)


def _quality_of_runs(looks: Sequence[_Look], evaluations: Sequence[Evaluation]) -> Quality:
    """Of several runs: the mean share that is judged, the queries that tie in any of them, the most that are missing.

    Runs are placed against the same judgments, so that the judged queries have the same numbers in all of them.
    """
    every = [_quality_of_facts(ev) for ev in evaluations]
    cutoffs = sorted(set().union(*(look.judged_at for look in looks)))
    tied = sorted(set().union(*(look.across for look in looks)))
    return Quality(
        judged=every[0].judged,
        missing=max(quality.missing for quality in every),
        extra=max(quality.extra for quality in every),
        without_relevant=every[0].without_relevant,
        judged_at={k: float(np.mean([look.judged_at[k] for look in looks if k in look.judged_at])) for k in cutoffs},
        ties_across={
            k: len(np.unique(np.concatenate([quality.across[k] for quality in looks if k in quality.across])))
            for k in tied
        },
    )


def _joined(sources: Sequence[AnyRun]) -> RunTable:
    """Runs of different queries as one; ids that are numbers in one and text in another are text in all."""
    tables = [source.run_table() for source in sources]
    for column in ("query", "item"):
        if len({getattr(table, column).dtype for table in tables}) > 1:
            tables = [with_text_ids(table, column) for table in tables]
    seen = Counter(
        query
        for table in tables
        for query in (table.query.unique() if table.queries is None else table.queries).to_list()
    )
    if twice := [query for query, count in seen.items() if count > 1]:
        raise InputError.of("comparing.folds_share", queries=examples(twice))
    scored = all(table.scored for table in tables)
    joined = joined_runs([replace(table, scored=scored) for table in tables])
    return replace(joined, source=" + ".join(table.source for table in tables))


def _only(ev: Evaluation, measures: Sequence[Measure], name: str) -> Evaluation:
    """The part of an evaluation that is about some measures."""
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
    values = {}
    for measure in first.values:
        parts = [ev.values[measure] for ev in evaluations]
        counted = np.logical_and.reduce([part.counted for part in parts])
        each = {
            name: np.stack([getattr(part, name) for part in parts]) for name in ("value", "numerator", "denominator")
        }
        if measure.aggregate == "filled":
            each["value"] = np.nan_to_num(each["value"], nan=0.0)
        mean = {name: several.mean(axis=0) for name, several in each.items()}
        values[measure] = Values(counted=counted, **mean)
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
        means={m: _averaged_mean(m, values[m], evaluations) for m in first.means},
        tie_bounds=bounds,
        told=replace(first.facts, run=f"{len(evaluations)} runs"),
        slices=averaged_slices([ev.slices for ev in evaluations]),
    )


def _averaged_mean(measure: Measure, values: Values, evaluations: Sequence[Evaluation]) -> float:
    """The aggregate of the averaged values; a measure of all lists has none, so the runs' numbers are averaged."""
    if measure.aggregate == "whole":
        return float(np.mean([ev.means[measure] for ev in evaluations]))
    return aggregated(values, measure.aggregate)


def _averaged_bounds(
    several: Sequence[Mapping[Measure, UnjudgedBounds | Said]],
) -> dict[Measure, UnjudgedBounds | Said]:
    averaged: dict[Measure, UnjudgedBounds | Said] = {}
    for measure, first in several[0].items():
        every = [bounds[measure] for bounds in several]
        known = [bounds for bounds in every if isinstance(bounds, UnjudgedBounds)]
        if isinstance(first, Said) or len(known) < len(every):
            averaged[measure] = next(bounds for bounds in every if isinstance(bounds, Said))
            continue
        none, all_ = (
            float(np.mean([getattr(bounds, end) for bounds in known])) for end in ("none_relevant", "all_relevant")
        )
        averaged[measure] = replace(first, none_relevant=none, all_relevant=all_)
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
        return given  # whoever reads it says what is wrong with it
    return Evaluation.load(str(given)) if is_saved else given
