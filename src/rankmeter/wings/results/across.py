"""Systems across tasks: means and ranks with intervals, pairs, a control, beliefs; holes are never zero in silence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from rankmeter.errors import InputError, check_choice, check_level, check_number, check_whole, did_you_mean
from rankmeter.placing.placements import Bools, Floats
from rankmeter.stats.corrections import Separation, corrected, separation
from rankmeter.stats.paired import p_values
from rankmeter.stats.resampling import Sample
from rankmeter.wings.results.across_result import (
    Across,
    AgainstControl,
    Belief,
    PairOnTasks,
    TaskStanding,
    settings_note,
)
from rankmeter.wings.results.task_scores import TaskScores, into_scores
from rankmeter.wings.results.task_statistics import (
    bayesian_signed_rank,
    bonferroni_dunn_distance,
    bootstrap_ranks,
    borda,
    bradley_terry,
    control_p,
    drawn_means,
    drawn_twice,
    friedman,
    improvement_probability,
    interquartile_mean,
    mteb_borda,
    nemenyi_distance,
    pair_wins,
    ranks_of_tasks,
    tied_cubes,
)
from rankmeter.wording import Said, said

Holes = Literal["common", "drop", "worst"]


def across(
    scores: object,
    *,
    measure: str | None = None,
    control: str | None = None,
    rope: float | None = None,
    holes: Holes = "common",
    goal: Literal["higher", "lower"] = "higher",
    outer: Literal["system", "task"] = "system",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Across:
    """Compare systems across tasks (data sets, languages, folds), with a score of each system on each task.

    Parameters
    ----------
    scores
        ``{system: {task: score}}``, with a list of scores for several seeds, or ``{query: value}``, or an evaluation; a
        table (a data frame, CSV, JSON or Parquet file), long or wide; a folder of results of MTEB, BEIR, ranx, RecBole
        or rankmeter.
    measure
        The measure to take, where files or evaluations hold several.
    control
        The system that the others are compared with, by mean ranks.
    rope
        Difference below which two systems count as alike; with it, the Bayesian signed-rank test says how probable it
        is that the best system, or the control, is better than each of the others.
    holes
        What becomes of missing scores: ``"common"`` leaves out tasks that a system lacks, ``"drop"`` systems that lack
        a task, ``"worst"`` counts a missing score as the worst of its task.
    goal
        Whether higher or lower scores are better.
    outer
        Whether the outer folders are systems or tasks.
    level, resamples, seed
        The confidence of intervals and tests, and the random draws.

    Examples
    --------
    >>> import rankmeter as rm
    >>> a, b = [0.71, 0.52, 0.80, 0.66, 0.59, 0.75], [0.70, 0.50, 0.77, 0.65, 0.57, 0.70]
    >>> c = [0.4, 0.2, 0.5, 0.3, 0.2, 0.4]
    >>> table = {name: dict(enumerate(values)) for name, values in {"a": a, "b": b, "c": c}.items()}
    >>> found = rm.across(table)
    >>> found["a"].mean_rank, found["a"].wins, found.best
    (1.0, 12, ['a'])
    >>> round(found.pair("a", "b").p, 4)  # six differences of one sign: 2 / 64
    0.0312
    """
    _check(holes, goal, outer, level, resamples, seed, rope)
    given = into_scores(scores, measure=measure, outer=outer)
    sign = 1 if goal == "higher" else -1
    table, filled, notes = without_holes(given, holes, sign)
    if control is not None and control not in table.systems:
        raise InputError.of("results.unknown_system", name=control, hint=did_you_mean(control, table.systems))
    better = filled * sign
    apart = separation(better, level=level, resamples=resamples, seed=seed)
    drawn, unit = _drawn(table, better, sign, resamples, seed)
    order = np.lexsort((np.arange(len(better)), -better.mean(axis=1)))
    ranks = ranks_of_tasks(better)
    mean_rank = ranks.mean(axis=1)
    pairs, separate = _pairs(table.systems, filled, better, order, 1 - level, seed)
    count, tasks = better.shape
    settings: dict[str, Any] = {
        "holes": holes, "goal": goal, "level": level, "resamples": resamples, "seed": seed, "control": control,
        "rope": rope, "unit": unit,
    }  # fmt: skip
    return Across(
        systems=_standings(table, better, sign, order, drawn, apart, level, given),
        tasks=table.tasks,
        scores=filled[order],
        ranks=ranks[order],
        friedman=friedman(mean_rank, tasks, tied_cubes(ranks)),
        friedman_plain=friedman(mean_rank, tasks),
        distances={
            "nemenyi_05": nemenyi_distance(count, tasks, 0.05),
            "nemenyi_10": nemenyi_distance(count, tasks, 0.10),
            "bonferroni_dunn_05": bonferroni_dunn_distance(count, tasks, 0.05),
        },
        pairs=pairs,
        separate=separate,
        control=_against(table.systems, mean_rank, control, tasks, order),
        beliefs=_beliefs(table.systems, better, order, control, rope, seed),
        settings=settings,
        notes=(*notes, settings_note(settings)),
    )


def _check(
    holes: object, goal: object, outer: object, level: object, resamples: object, seed: object, rope: object
) -> None:
    check_choice("holes", holes, ("common", "drop", "worst"))
    check_choice("goal", goal, ("higher", "lower"))
    check_choice("outer", outer, ("system", "task"))
    check_level(level)
    check_whole("resamples", resamples, 100)
    check_whole("seed", seed)
    if rope is not None and check_number("rope", rope) < 0:
        raise InputError.of("results.negative_rope", rope=rope)


def without_holes(table: TaskScores, holes: Holes, sign: int) -> tuple[TaskScores, Floats, list[Said]]:
    """The table, its scores without a hole, and what was done to it."""
    missing: Bools = np.isnan(table.scores)
    if not missing.any():
        return table, table.scores, list(table.notes)
    facts = {"count": int(missing.sum()), "cells": missing.size}
    if holes == "worst":
        worst = np.nanmin(table.scores * sign, axis=0) * sign
        if np.isnan(worst).any():
            raise InputError.of("results.empty_task", task=table.tasks[int(np.isnan(worst).argmax())])
        filled = np.where(missing, worst[None, :], table.scores)
        # What lies behind a hole has holes itself: the worst score stands for all of it.
        table = replace(
            table,
            repeats={at: values for at, values in table.repeats.items() if not missing[at]},
            runs={at: values for at, values in table.runs.items() if not missing[at]},
            queries={task: values for task, values in table.queries.items() if not missing[:, task].any()},
        )
        return table, filled, [*table.notes, said("across_holes_worst", **facts)]
    if holes == "common":
        kept = _kept_scores(table, range(len(table.systems)), np.flatnonzero(~missing.any(axis=0)).tolist())
        left = [table.tasks[at] for at in np.flatnonzero(missing.any(axis=0))]
        note = said("across_holes_common", tasks=len(kept.tasks), total=len(table.tasks), left=left[:5], **facts)
    else:
        kept = _kept_scores(table, np.flatnonzero(~missing.any(axis=1)).tolist(), range(len(table.tasks)))
        left = [table.systems[at] for at in np.flatnonzero(missing.any(axis=1))]
        note = said("across_holes_drop", systems=len(kept.systems), total=len(table.systems), left=left[:5], **facts)
    if len(kept.systems) < 2 or len(kept.tasks) < 2:
        raise InputError.of("results.nothing_common", holes=holes, systems=len(kept.systems), tasks=len(kept.tasks))
    return kept, kept.scores, [*table.notes, note]


def _kept_scores(table: TaskScores, systems: Sequence[int], tasks: Sequence[int]) -> TaskScores:
    at_system = {old: new for new, old in enumerate(systems)}
    at_task = {old: new for new, old in enumerate(tasks)}

    def kept(of_cells: Mapping[tuple[int, int], Floats]) -> dict[tuple[int, int], Floats]:
        return {(at_system[s], at_task[t]): v for (s, t), v in of_cells.items() if s in at_system and t in at_task}

    return replace(
        table,
        systems=tuple(table.systems[at] for at in systems),
        tasks=tuple(table.tasks[at] for at in tasks),
        scores=table.scores[np.ix_(list(systems), list(tasks))],
        repeats=kept(table.repeats),
        runs=kept(table.runs),
        queries={at_task[t]: values[list(systems)] for t, values in table.queries.items() if t in at_task},
    )


def _drawn(table: TaskScores, better: Floats, sign: int, resamples: int, seed: int) -> tuple[Floats, Said]:
    """The means when tasks are drawn again, and queries within them where they are known for all tasks."""
    if len(table.queries) == len(table.tasks):
        values = [table.queries[task] * sign for task in range(len(table.tasks))]
        return drawn_twice(values, resamples, seed), said("across_unit_both")
    return drawn_means(better, resamples, seed), said("across_unit_tasks")


def _standings(
    table: TaskScores,
    better: Floats,
    sign: int,
    order: Any,
    drawn: Floats,
    apart: Separation,
    level: float,
    given: TaskScores,
) -> tuple[TaskStanding, ...]:
    wins, ties = pair_wins(better)
    bands = bootstrap_ranks(drawn, level)
    points, strengths = borda(better), bradley_terry(wins, ties)
    whole = [given.systems.index(name) for name in table.systems]
    of_mteb = mteb_borda(given.scores * sign)[whole]
    ranks = ranks_of_tasks(better).mean(axis=1)
    tasks, others = better.shape[1], len(better) - 1
    behind = [_behind(table, better, sign, at) for at in range(len(better))]
    chance = _improvements(table, behind, wins, ties)
    return tuple(
        TaskStanding(
            system=table.systems[at],
            mean=float(better[at].mean()) * sign,
            mean_rank=float(ranks[at]),
            wins=int(wins[at].sum()),
            ties=int(ties[at].sum()),
            losses=tasks * others - int(wins[at].sum()) - int(ties[at].sum()),
            rank=int(apart.rank[at]),
            rank_low=int(bands.low[at]),
            rank_high=int(bands.high[at]),
            sure_low=int(apart.rank_low[at]),
            sure_high=int(apart.rank_high[at]),
            may_be_best=bool(apart.in_best[at]),
            borda=float(points[at]),
            mteb_borda=float(of_mteb[at]),
            strength=float(strengths[at]),
            middle_mean=float(interquartile_mean(np.concatenate(behind[at]))) * sign,
            improvement=chance[at],
        )
        for at in order.tolist()
    )


def _behind(table: TaskScores, better: Floats, sign: int, system: int) -> list[Floats]:
    """The scores of each task: of its seeds, or the one there is."""
    return [
        table.repeats[system, task] * sign if (system, task) in table.repeats else better[system, task : task + 1]
        for task in range(better.shape[1])
    ]


def _improvements(table: TaskScores, behind: Sequence[Sequence[Floats]], wins: Any, ties: Any) -> list[float]:
    """The mean over others and tasks of the probability to be better."""
    count, tasks = len(behind), len(table.tasks)
    if not table.repeats:
        return ((wins + ties / 2).sum(axis=1) / (tasks * max(count - 1, 1))).tolist()  # type: ignore[no-any-return]
    return [
        sum(improvement_probability(mine, theirs) for other, theirs in enumerate(behind) if other != at) / (count - 1)
        for at, mine in enumerate(behind)
    ]


def _pairs(
    systems: Sequence[str], filled: Floats, better: Floats, order: Any, alpha: float, seed: int
) -> tuple[tuple[PairOnTasks, ...], Bools]:
    """All pairs, best first, and which are told apart."""
    places = order.tolist()
    numbers = [(a, b) for at, a in enumerate(places) for b in places[at + 1 :]]
    p = p_values([Sample.of_values(better)], numbers, "wilcoxon", permutations=10_000, seed=seed)[0]
    whole = corrected(p, "holm")
    wins, ties = pair_wins(better)
    means, tasks = filled.mean(axis=1), better.shape[1]
    separate = np.zeros((len(systems), len(systems)), np.bool_)
    rank = {place: at for at, place in enumerate(places)}
    found = []
    for (a, b), chance, fair in zip(numbers, p.tolist(), whole.tolist(), strict=True):
        won, even = int(wins[a, b]), int(ties[a, b])
        found.append(
            PairOnTasks(systems[a], systems[b], float(means[a] - means[b]), won, even, tasks - won - even, chance, fair)
        )
        separate[rank[a], rank[b]] = separate[rank[b], rank[a]] = fair < alpha
    return tuple(found), separate


def _against(
    systems: Sequence[str], mean_rank: Floats, control: str | None, tasks: int, order: Any
) -> tuple[AgainstControl, ...]:
    if control is None:
        return ()
    at = systems.index(control)
    p = control_p(mean_rank, at, tasks)
    others = [place for place in order.tolist() if place != at]
    holm, bonferroni = (corrected(p[others], how) for how in ("holm", "bonferroni"))
    return tuple(
        AgainstControl(systems[place], float(mean_rank[place] - mean_rank[at]), float(p[place]), float(h), float(b))
        for place, h, b in zip(others, holm, bonferroni, strict=True)
    )


def _beliefs(
    systems: Sequence[str], better: Floats, order: Any, control: str | None, rope: float | None, seed: int
) -> tuple[Belief, ...]:
    """The best system (or the control) against each of the others."""
    if rope is None:
        return ()
    first = systems.index(control) if control is not None else int(order[0])
    beliefs = []
    for other in order.tolist():
        if other != first:
            worse, alike, more = bayesian_signed_rank(better[first] - better[other], rope, seed=seed)
            beliefs.append(Belief(systems[first], systems[other], worse, alike, more))
    return tuple(beliefs)
