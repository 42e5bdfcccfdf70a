"""Whether the difference of two systems holds over several tasks, with their seeds and queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_choice, check_level, check_whole
from rankmeter.frozen import dataclass
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Block, Cell, Heading, Mark, Paragraph
from rankmeter.showing.numbers import number_or_none, p_text, signed
from rankmeter.showing.showable import NotedTable, said_table
from rankmeter.stats.corrections import corrected
from rankmeter.stats.student import Contrasts, t_quantile, without_noise
from rankmeter.wings.results.across import without_holes
from rankmeter.wings.results.components import (
    Heterogeneity,
    MeanError,
    contrast,
    drawn_means_of_tasks,
    heterogeneity,
    over_queries,
    over_tasks,
)
from rankmeter.wings.results.task_scores import TaskScores, into_scores
from rankmeter.wording import Said, said

Unit = Literal["tasks", "queries"]
_UNITS = {"tasks": "differs_unit_tasks", "queries": "differs_unit_queries"}
_SOURCES = {"tasks": "differs_source_tasks", "queries": "differs_source_queries", "seeds": "differs_source_seeds"}
_HOW = {"tasks": "differs_how_tasks", "queries": "differs_how_queries"}
FEW_SEEDS = 5
"""With fewer, intervals hold a little less often than they say where seeds vary more than anything else."""


@dataclass(frozen=True, slots=True)
class TaskDifference:
    """The difference on one task, over its queries and seeds; NaN where there is no interval."""

    task: str
    difference: float
    low: float
    high: float
    p: float
    corrected_p: float
    """Corrected by Holm for all tasks."""
    seeds: int
    queries: int
    """0 where they are not known."""


@dataclass(frozen=True, slots=True, repr=False)
class DifferenceAcross(NotedTable):
    """The difference of two systems over tasks; made by :func:`rankmeter.difference_across`."""

    new: str
    old: str
    unit: Unit
    difference: float
    """The mean of the tasks' differences: every task counts the same."""
    low: float
    """The ends of its interval; NaN where there is none, and :attr:`why_none` says why."""
    high: float
    p: float
    bootstrap_low: float
    """The ends when tasks (with ``unit="tasks"``), queries and seeds are drawn again: too short with few of them, and
    therefore not shown beside the interval."""
    bootstrap_high: float
    tasks: tuple[TaskDifference, ...]
    heterogeneity: Heterogeneity | None
    """None where the tasks' differences have no errors of their own."""
    next_low: float
    """Between what the measured difference on one more task of this kind lies; NaN for fixed tasks."""
    next_high: float
    p_everywhere: float
    """Of "on some task it is no better" (or no worse, where it is worse): small if the sign holds on every task."""
    shares: Mapping[str, float]
    """How much of the interval's variance comes from tasks, queries and seeds."""
    why_none: Said | None
    settings: Mapping[str, Any]
    notes: tuple[Said, ...]

    @property
    def verdict(self) -> Literal["better", "worse", "undecided"]:
        """What the test of the pooled difference says at the level."""
        if not self.p < 1 - self.settings["level"]:
            return "undecided"
        better = self.difference > 0 if self.settings["goal"] == "higher" else self.difference < 0
        return "better" if better else "worse"

    def _rows(self) -> list[dict[str, Any]]:
        return [{name: getattr(one, name) for name in TaskDifference.__slots__} for one in self.tasks]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python."""
        alike = self.heterogeneity
        single = ("new", "old", "unit", "verdict", "difference", "low", "high", "p", "bootstrap_low", "bootstrap_high",
                  "p_everywhere", "next_low", "next_high")  # fmt: skip
        return {
            **{name: getattr(self, name) for name in single},
            "tasks": self._rows(),
            "heterogeneity": alike and {name: getattr(alike, name) for name in Heterogeneity.__slots__},
            "shares": dict(self.shares),
            "why_none": self.why_none and str(self.why_none),
            "settings": dict(self.settings),
            "notes": list(map(str, self.notes)),
        }

    def _blocks(self) -> list[Block]:
        alpha = 1 - self.settings["level"]
        marks: list[frozenset[Mark]] = []
        for one in self.tasks:
            good = (one.difference > 0) == (self.settings["goal"] == "higher")
            marks.append(frozenset([("up" if good else "down")] if one.corrected_p < alpha else []))
        rows = [
            (
                one.task,
                Cell(one.difference, mark, None if math.isnan(one.low) else (one.low, one.high)),
                *(Cell(number_or_none(p)) for p in (one.p, one.corrected_p)),
                one.queries or None,
                one.seeds,
            )
            for one, mark in zip(self.tasks, marks, strict=True)
        ]
        heads = [
            ("differs_col_task", "text"), ("differs_col_difference", "difference"), ("across_col_p", "p", 1),
            ("across_col_holm", "p"), ("differs_col_queries", "count", 2), ("differs_col_seeds", "count", 3),
        ]  # fmt: skip
        return [
            Heading(said("differs_title", new=self.new, old=self.old, tasks=len(self.tasks)), 1),
            *map(Paragraph, self._sentences()),
            said_table(heads, rows, "tasks"),
        ]

    def _sentences(self) -> list[Said]:
        level, alpha = self.settings["level"], 1 - self.settings["level"]
        facts = {"new": self.new, "old": self.old, "unit": said(_UNITS[self.unit]), "level": level}
        of = {"difference": signed(self.difference), "p": p_text(self.p)}
        ends = f"[{signed(self.low)}, {signed(self.high)}]"
        if self.why_none is not None:
            sentences = [said("differs_no_interval", why=self.why_none, **facts, **of)]
        else:
            kind = {"better": "differs_better", "worse": "differs_worse", "undecided": "differs_undecided"}
            sentences = [said(kind[self.verdict], ends=ends, **facts, **of)]
        goal = 1 if self.settings["goal"] == "higher" else -1
        signs = [(one.difference * goal > 0) - (one.difference * goal < 0) for one in self.tasks]
        sure = [sign * (one.corrected_p < alpha) for one, sign in zip(self.tasks, signs, strict=True)]
        known = not all(math.isnan(one.p) for one in self.tasks)
        counts = {"total": len(signs), "better": signs.count(1), "worse": signs.count(-1)}
        sentences.append(
            said("differs_signs_tested", **counts, sure=sure.count(1), sure_worse=sure.count(-1))
            if known
            else said("differs_signs", **counts)
        )
        if self.p_everywhere < alpha:
            sentences.append(said("differs_everywhere", p=p_text(self.p_everywhere)))
        if (alike := self.heterogeneity) is not None:
            words = {"p": p_text(alike.p), "deviation": f"{alike.deviation:.4f}", "share": alike.share}
            sentences.append(said("differs_unlike" if alike.p < alpha else "differs_alike", **words))
        if not math.isnan(self.next_low):
            around = f"[{signed(self.next_low)}, {signed(self.next_high)}]"
            sentences.append(said("differs_next", ends=around, level=level))
        if len(self.shares) > 1:
            parts = [
                said("differs_part", share=part, source=said(_SOURCES[name])) for name, part in self.shares.items()
            ]
            sentences.append(said("differs_parts", parts=parts))
        return sentences


def difference_across(
    scores: object,
    new: str,
    old: str,
    *,
    unit: Unit = "tasks",
    measure: str | None = None,
    goal: Literal["higher", "lower"] = "higher",
    outer: Literal["system", "task"] = "system",
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> DifferenceAcross:
    """Pool the difference of two systems over tasks, with the seeds and queries behind each score where known.

    With d the difference on a query of a task under a seed, the pooled difference is the mean over tasks of their mean
    d. With K tasks, S seeds and ``unit="tasks"`` its variance is ``(MS(tasks) + max(MS(seeds) - MS(rest), 0)) / (K S)``
    from the mean squares of the table of tasks and seeds, and with ``unit="queries"`` that of the tasks' means over
    their queries, plus that of the seeds' means. Degrees of freedom are Satterthwaite's.

    Parameters
    ----------
    scores
        What :func:`rankmeter.across` reads. Seeds and queries may both be known: a long table with both columns, or a
        list of ``{query: value}`` or of evaluations, one a seed. The same seeds run on every task; a system that has
        no seeds counts as fixed.
    new, old
        The systems; the difference is new less old.
    unit
        What the difference is to hold for: ``"tasks"``, other tasks like these, or ``"queries"``, other queries of
        these very tasks. Seeds are drawn again in both.
    measure, goal, outer
        As in :func:`rankmeter.across`.
    level, resamples, seed
        The confidence of intervals and tests, and the random draws of the bootstrap that stands beside them.

    Examples
    --------
    >>> import rankmeter as rm
    >>> old = {"nq": [0.30, 0.32], "fiqa": [0.24, 0.25], "quora": [0.79, 0.80], "hotpot": [0.52, 0.51],
    ...        "scidocs": [0.15, 0.16], "trec": [0.61, 0.59]}
    >>> gains = {"nq": 0.04, "fiqa": 0.05, "quora": 0.01, "hotpot": 0.03, "scidocs": 0.02, "trec": 0.03}
    >>> new = {task: [value + gains[task] for value in values] for task, values in old.items()}
    >>> found = rm.difference_across({"old": old, "new": new}, "new", "old")
    >>> round(found.difference, 4), round(found.low, 4), round(found.high, 4), found.verdict
    (0.03, 0.0152, 0.0448, 'better')
    """
    check_choice("unit", unit, get_args(Unit))
    check_choice("goal", goal, ("higher", "lower"))
    check_choice("outer", outer, ("system", "task"))
    check_level(level)
    check_whole("resamples", resamples, 100)
    check_whole("seed", seed)
    if new == old:
        raise InputError.of("results.one_system_twice", name=new)
    given = into_scores(scores, measure=measure, outer=outer, only=(new, old))
    table, _, notes = without_holes(given, "common", 1)
    tasks = _differences(table)
    if unit == "queries" and all(task.size == 1 for task in tasks):
        raise InputError.of("results.nothing_within_tasks")
    means = np.array([task.mean() for task in tasks])
    mean = float(means.mean())
    spreads = [over_queries([task]) for task in tasks]
    each = [contrast(float(of), one, _drawn(task)) for of, one, task in zip(means, spreads, tasks, strict=True)]
    whole, spread, reach = _pooled(tasks, means, unit, level)
    low, high = (float(end[0]) for end in whole.ends(level))
    bootstrap = (math.nan, math.nan)
    if not math.isnan(low):
        drawn = drawn_means_of_tasks(tasks, resamples, seed, tasks_too=unit == "tasks")
        bootstrap = tuple(np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist())
    seeds = len(tasks[0])
    if seeds < FEW_SEEDS:
        notes.append(said("differs_no_seeds") if seeds == 1 else said("differs_few_seeds", count=seeds))
    return DifferenceAcross(
        new=new,
        old=old,
        unit=unit,
        difference=float(whole.difference[0]),
        low=low,
        high=high,
        p=float(whole.p()[0]),
        bootstrap_low=bootstrap[0],
        bootstrap_high=bootstrap[1],
        tasks=_of_tasks(table.tasks, tasks, each, level),
        heterogeneity=heterogeneity(means, spreads),
        next_low=mean - reach,
        next_high=mean + reach,
        p_everywhere=max(float(one.p("greater" if mean > 0 else "less")[0]) for one in each),
        shares={name: part / spread.variance for name, part in spread.parts.items()} if spread.variance > 0 else {},
        why_none=_why_none(whole, unit) if math.isnan(low) else None,
        settings={"unit": unit, "goal": goal, "level": level, "resamples": resamples, "seed": seed},
        notes=(*notes, said(_HOW[unit])),
    )


def _differences(table: TaskScores) -> list[Floats]:
    """``(seeds, queries)`` of each task, new less old; what one of them does not have is 1 long."""
    found = []
    for task, name in enumerate(table.tasks):
        new, old = (_behind(table, system, task) for system in (0, 1))
        if new.shape[1] != old.shape[1]:  # the queries of one are not known
            new, old = (values.mean(axis=1, keepdims=True) for values in (new, old))
        if len(new) != len(old) and 1 not in (len(new), len(old)):
            raise InputError.of("results.unequal_seeds", task=name, new=len(new), old=len(old))
        found.append(without_noise(new - old))
    sizes = {len(task): name for task, name in zip(found, table.tasks, strict=True)}
    if len(sizes) > 1:
        (few, one), *_, (many, other) = sorted(sizes.items())
        raise InputError.of("results.uneven_seeds", task=one, count=few, other=other, more=many)
    return found


def _behind(table: TaskScores, system: int, task: int) -> Floats:
    """The ``(seeds, queries)`` values of a cell."""
    if (system, task) in table.runs:
        return table.runs[system, task]
    if (system, task) in table.repeats:
        return table.repeats[system, task][:, None]
    return table.queries[task][system][None] if task in table.queries else table.scores[system : system + 1, task, None]


def _drawn(task: Floats) -> Floats:
    """The differences of what is drawn in a task: its queries, or else its seeds."""
    return task.mean(axis=0) if task.shape[1] > 1 else task[:, 0]


def _pooled(tasks: Sequence[Floats], means: Floats, unit: Unit, level: float) -> tuple[Contrasts, MeanError, float]:
    """The pooled difference with its error, the parts of that, and how far from it the next task may lie."""
    if unit == "queries":
        spread = over_queries(tasks)
        return contrast(float(means.mean()), spread, np.concatenate(list(map(_drawn, tasks)))), spread, math.nan
    spread = over_tasks(tasks)
    reach = t_quantile(level, len(means) - 1.0) * float(means.std(ddof=1)) * math.sqrt(1 + 1 / len(means))
    return contrast(float(means.mean()), spread, means), spread, reach


def _of_tasks(
    names: Sequence[str], tasks: Sequence[Floats], each: Sequence[Contrasts], level: float
) -> tuple[TaskDifference, ...]:
    p = np.array([float(one.p()[0]) if task.size > 1 else math.nan for one, task in zip(each, tasks, strict=True)])
    fair = np.full(len(p), math.nan)
    fair[~np.isnan(p)] = corrected(p[~np.isnan(p)], "holm")
    found = []
    for name, task, one, chance, whole in zip(names, tasks, each, p.tolist(), fair.tolist(), strict=True):
        low, high = (float(end[0]) for end in one.ends(level))
        queries = task.shape[1] if task.shape[1] > 1 else 0
        found.append(TaskDifference(name, float(one.difference[0]), low, high, chance, whole, len(task), queries))
    return tuple(found)


def _why_none(whole: Contrasts, unit: Unit) -> Said:
    if whole.flat[0]:
        return said("differs_all_equal", unit=said(_UNITS[unit]))
    return said("differs_too_few", unit=said(_UNITS[unit]), p=p_text(float(whole.floor[0])))
