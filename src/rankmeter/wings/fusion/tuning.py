"""Tuning of a fusion that does not deceive: the choice is made inside folds, and scored outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from rankmeter.errors import InputError, check_level, check_whole, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import into_judgments
from rankmeter.inputs.attributes import find_column, name_of_table, table_of
from rankmeter.inputs.columns import USUAL_NAMES
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.corrections import corrected
from rankmeter.wings.fusion.definition import Fusion, Options
from rankmeter.wings.fusion.folds import Outside, chosen_outside, first_best, inseparable, linear_parts
from rankmeter.wings.fusion.fusing import named_runs, read_tables
from rankmeter.wings.fusion.grid_values import grid_values, measure_of, single_values
from rankmeter.wings.fusion.grids import QUICK, USUAL, complexity, settings_of
from rankmeter.wings.fusion.known_methods import options_of
from rankmeter.wings.fusion.pooling import alike_ids
from rankmeter.wings.fusion.tuned import Against, HeldOut, TriedSetting, Tuned
from rankmeter.wording import Said, said

LEAST_QUERIES = 50
RESAMPLES, FEW_RESAMPLES = 200, 100
"""How often queries are drawn again for the error of the held-out value."""
SIGNS = 10
"""How many random signs for each of them, for the set of settings that cannot be told from the best."""


def tune(
    judgments: object,
    runs: object,
    measure: object = "nDCG@10",
    *,
    grid: object = None,
    folds: int = 5,
    groups: object = None,
    least_queries: int = LEAST_QUERIES,
    level: float = 0.95,
    seed: int = 0,
    fast: bool = False,
    columns: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> Tuned:
    """Choose how runs are fused, and say what the choice is worth on queries that it was not made on.

    Every setting is measured on every query. For each fold the setting with the best mean on all other folds is chosen
    and scored on the queries of that fold: their mean is the held-out value. The training value is that of the best
    setting on the very queries that it was chosen on, and the difference is the optimism of reporting it.

    Parameters
    ----------
    judgments, runs
        As for :func:`rankmeter.evaluate` and :func:`rankmeter.fuse`.
    measure
        What is made as good as possible; one measure that is a mean over queries.
    grid
        ``{option: values}``, of which each method takes the options that it has: ``{"how": ["rrf", "wsum"], "k": [10,
        60], "norm": ["min-max"], "weights": 10}``. A whole number of ``weights`` means every way to deal out so many
        equal steps; a list has the points themselves. Or a list of definitions. By default RRF with four constants and
        weighted sums under two normalisations, with weights in steps of a tenth (coarser from five runs on).
    folds
        How many.
    groups
        Queries that belong together (a conversation, a user) and are never parted: ``{query: group}``, or a frame or
        file with a column of queries and one of groups.
    least_queries
        With fewer queries no winner is called.
    level
        Of intervals, and of the set of settings that cannot be told from the best.
    seed
        Of the folds and of the random signs.
    fast
        A coarser grid and fewer random signs; the held-out part is the same.
    columns
        Columns of unusual names.
    **options
        Conventions that :func:`rankmeter.fuse` takes, for all settings that do not state their own.

    Examples
    --------
    >>> import rankmeter as rm
    >>> judgments = {f"q{n}": {"a": 1} for n in range(8)}
    >>> first = {f"q{n}": {"a": 3.0, "b": 2.0} if n % 4 else {"b": 2.0} for n in range(8)}
    >>> second = {f"q{n}": {"b": 0.9, "a": 0.8} for n in range(8)}
    >>> tuned = rm.tune(judgments, {"bm25": first, "dense": second}, "RR", folds=4)
    >>> len(tuned.settings), tuned.queries, tuned.is_winner
    (66, 8, False)
    >>> round(tuned.training, 4), round(tuned.held_out.value, 4)
    (0.875, 0.875)
    """
    named = named_runs(runs)
    check_whole("folds", folds, 2)
    check_whole("least_queries", least_queries)
    check_whole("seed", seed)
    check_level(level)
    asked = measure_of(measure)
    truth, tables, notes = read_sides(judgments, named, columns)
    if options.get("queries") == "common":
        truth, note = _of_common_queries(truth, tables)
        notes += note
    settings = settings_of(_grid_beside(grid, options, fast=fast), len(tables), options, fast=fast)
    references = references_of(tables, options)
    every = grid_values(truth, tables, [*settings, *references.values()], asked)
    alone = {name: single_values(truth, table, asked, every.queries) for name, table in tables.items()}
    value = np.concatenate([every.value, *(one[0][None] for one in alone.values())])
    counted = np.logical_and.reduce([every.counted, *(one[1] for one in alone.values())])
    counted &= ~np.isnan(value).any(axis=0)
    if not counted.all():
        notes.append(said("tune_not_counted", count=int((~counted).sum()), total=len(counted)))
    if int(counted.sum()) < 2:
        raise InputError.of("fusion.one_unit")
    if int(counted.sum()) < folds:
        raise InputError.of("fusion.few_queries", count=int(counted.sum()), folds=folds)
    queries = every.queries.filter(pl.Series(counted))
    found = _Found(
        settings, references, list(tables), value[:, counted] * (1 if asked.higher_is_better else -1),
        _units_of_groups(groups, queries),
    )  # fmt: skip
    resamples = FEW_RESAMPLES if fast else RESAMPLES
    told = {"measure": str(asked), "level": level, "folds": folds, "seed": seed, "least_queries": least_queries,
            "higher_is_better": asked.higher_is_better}  # fmt: skip
    return found.tuned(told, resamples, notes)


def _grid_beside(grid: object, common: Options, *, fast: bool) -> object:
    """The usual grid without what is stated for all settings."""
    if grid is not None:
        return grid
    usual: dict[str, Any] = dict(QUICK if fast else USUAL)
    usual = {name: values for name, values in usual.items() if name not in common}
    return {**usual, "weights": [common["weights"]]} if common.get("weights") is not None else usual


def references_of(tables: Mapping[str, RunTable], common: Options) -> dict[str, Fusion]:
    """What needs no tuning: RRF with its usual constant, and equal weights of scores, where there are any."""
    shared = {
        name: value for name, value in common.items() if name in options_of("rrf") and name not in ("k", "weights")
    }
    made = {"rrf": Fusion.of("rrf", **shared)}
    if all(table.scored and np.isfinite(table.score.to_numpy()).all() for table in tables.values()):
        shared = {name: value for name, value in common.items() if name in options_of("wsum") and name != "weights"}
        made["equal"] = Fusion.of("wsum", **shared)
    return made


def read_sides(
    judgments: object, runs: Mapping[str, object], columns: Mapping[str, str] | None
) -> tuple[JudgmentTable, dict[str, RunTable], list[Said]]:
    """The judgments and the runs as tables with ids of one type, and what is to be said of them."""
    truth = into_judgments(judgments, columns=columns).judgment_table()
    truth, tables, notes = _one_kind_of_ids(truth, read_tables(runs, columns))
    held = truth.query.unique(maintain_order=True)
    if not any(held.is_in((t.query if t.queries is None else t.queries).implode()).any() for t in tables.values()):
        raise InputError.of("fusion.no_judged_query", count=len(held), queries=examples(held.to_list(), shown=3))
    return truth, tables, notes


def _one_kind_of_ids(
    truth: JudgmentTable, tables: Mapping[str, RunTable]
) -> tuple[JudgmentTable, dict[str, RunTable], list[Said]]:
    """Judgments and runs with ids of one type: as text where some have numbers and some text."""
    alike, changed = alike_ids(list(tables.values()))
    for column in ("query", "item"):
        types = {getattr(truth, column).dtype, *(getattr(table, column).dtype for table in alike)}
        if len(types) > 1:
            changed.append(column)
            truth = replace(truth, **{column: getattr(truth, column).cast(pl.String)})
            alike = [replace(table, **{column: getattr(table, column).cast(pl.String)}) for table in alike]
            if column == "query":
                truth = truth if truth.queries is None else replace(truth, queries=truth.queries.cast(pl.String))
                alike = [t if t.queries is None else replace(t, queries=t.queries.cast(pl.String)) for t in alike]
    notes = [said("fusion_ids_as_text", columns=list(dict.fromkeys(changed)))] if changed else []
    return truth, dict(zip(tables, alike, strict=True)), notes


def _of_common_queries(truth: JudgmentTable, tables: Mapping[str, RunTable]) -> tuple[JudgmentTable, list[Said]]:
    """The judgments of the queries that every run holds, so that all are measured on the same ones."""
    held = truth.query.unique(maintain_order=True)
    total = len(held)
    for table in tables.values():
        every = table.query.unique() if table.queries is None else table.queries
        held = held.filter(held.is_in(every.to_list()))
    if not len(held):
        raise InputError.of("fusion.no_query", names=list(tables))
    if len(held) == total:
        return truth, []
    kept = truth.query.is_in(held.to_list())
    subtopic = None if truth.subtopic is None else truth.subtopic.filter(kept)
    truth = replace(truth, query=truth.query.filter(kept), item=truth.item.filter(kept),
                    grade=truth.grade.filter(kept), subtopic=subtopic, queries=None)  # fmt: skip
    return truth, [said("fusion_common", count=len(held), total=total)]


def _units_of_groups(groups: object, queries: pl.Series) -> Ints:
    """(n,) the number of each query's group, or of the query itself."""
    if groups is None:
        return np.arange(len(queries))
    if isinstance(groups, Mapping) and not any(isinstance(value, Mapping) for value in groups.values()):
        group_of = {str(query): str(group) for query, group in groups.items()}
    else:
        source, table = name_of_table(groups, "groups="), table_of(groups, "groups")
        query = find_column(table, USUAL_NAMES["query"], "query", source, given=None) or table.columns[0]
        others = [name for name in table.columns if name != query]
        if len(others) != 1:
            raise InputError.of("fusion.which_group", source=source, columns=others or ["-"])
        group_of = dict(zip(table[query].cast(pl.String), table[others[0]].cast(pl.String), strict=True))
    missing = [query for query in queries.cast(pl.String).to_list() if query not in group_of]
    if missing:
        raise InputError.of("fusion.without_group", count=len(missing), query=missing[0])
    number: dict[str, int] = {}
    return np.array([number.setdefault(group_of[query], len(number)) for query in queries.cast(pl.String).to_list()])


@dataclass(frozen=True, slots=True)
class _Found:
    """The values of all settings on all queries that count, higher being better."""

    settings: Sequence[Fusion]
    references: Mapping[str, Fusion]
    runs: Sequence[str]
    value: Floats
    """``(settings + references + runs, n)``"""
    unit: Ints

    def tuned(self, told: dict[str, Any], resamples: int, notes: Sequence[Said]) -> Tuned:
        """What comes of it."""
        level, folds, seed = told["level"], told["folds"], told["seed"]
        many, runs = len(self.settings), len(self.runs)
        value, singles = self.value[:many], self.value[-runs:]
        order = sorted(range(many), key=lambda at: (complexity(self.settings[at], runs), at))
        fixed = self.value[many:-runs]
        outside = chosen_outside(value, singles, fixed, self.unit, folds=folds, seed=seed, order=order,
                                 resamples=resamples)  # fmt: skip
        sign = 1.0 if told["higher_is_better"] else -1.0
        names = {"single": _chosen_names(self.runs, outside.chosen_run),
                 **{kind: str(one) for kind, one in self.references.items()}}  # fmt: skip
        alike, reach = inseparable(linear_parts(self.value, self.unit), level, resamples * SIGNS, seed)
        means = value.mean(axis=1)
        best = order[first_best(means[order])]
        times = np.bincount(outside.chosen, minlength=many)
        made = [
            TriedSetting(one, sign * float(means[at]), int(times[at]), bool(alike[at]), float(reach[at]))
            for at, one in enumerate(self.settings)
        ]
        return Tuned(
            **told,
            runs=tuple(self.runs),
            queries=value.shape[1],
            units=len(np.unique(self.unit)),
            held_out=_estimate(outside, level, sign),
            training=sign * float(means[best]),
            best=self.settings[best],
            advised=self._simplest(alike, order, few=value.shape[1] < told["least_queries"]),
            against=_against_others(outside, names, level, sign),
            settings=tuple(made),
            alone={name: sign * float(row.mean()) for name, row in zip(self.runs, singles, strict=True)},
            inseparable_runs=tuple(name for name, same in zip(self.runs, alike[-runs:], strict=True) if same),
            rrf_is_inseparable=bool(alike[many]),
            per_query=outside.held_out * sign,
            notes=tuple(notes),
        )

    def _simplest(self, alike: Bools, order: Sequence[int], *, few: bool) -> Fusion:
        """The simplest that cannot be told from the best: RRF, equal weights, then settings that fuse at all."""
        many = len(self.settings)
        for at, reference in enumerate(self.references.values()):
            if few or alike[many + at]:
                return reference
        held = [at for at in order if alike[at]]
        fusing = [at for at in held if sum(weight > 0 for weight in self.settings[at].weights or (1, 1)) > 1]
        return self.settings[(fusing or held)[0]]


def _estimate(outside: Outside, level: float, sign: float) -> HeldOut:
    low, high = sorted(sign * float(end[0]) for end in outside.alone.ends(level, tested=False))
    return HeldOut(sign * float(outside.every.values()[0]), low, high)


def _against_others(outside: Outside, names: Mapping[str, str], level: float, sign: float) -> tuple[Against, ...]:
    contrasts, values = outside.against, outside.every.values()[1:]
    p = contrasts.p()
    ends, adjusted = contrasts.ends(level), corrected(p, "holm")
    made = []
    for at, (kind, name) in enumerate(names.items()):
        low, high = sorted(sign * float(end[at]) for end in ends)
        value, difference = sign * float(values[at]), sign * float(contrasts.difference[at])
        made.append(Against(kind, name, value, difference, low, high, float(p[at]), float(adjusted[at])))
    return tuple(made)


def _chosen_names(runs: Sequence[str], chosen: Ints) -> str:
    """The runs that were chosen, most often first."""
    times = np.bincount(chosen, minlength=len(runs))
    return ", ".join(runs[at] for at in np.argsort(-times, kind="stable") if times[at])
