"""Which run adds what: the fusion without each of them, what only one finds, their overlap, the best possible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from rankmeter.errors import InputError, check_level, check_whole
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.placing.placements import Floats
from rankmeter.stats.corrections import corrected
from rankmeter.stats.student import Contrasts
from rankmeter.wings.fusion.ablation import Ablation, AddedBy, Overlap
from rankmeter.wings.fusion.definition import Fusion, Options
from rankmeter.wings.fusion.fusing import gather_tables, named_runs, pools_of_runs
from rankmeter.wings.fusion.grid_values import grid_values, measure_of, single_values
from rankmeter.wings.fusion.tuning import read_sides

PERSISTENCE = 0.9


def ablate(
    judgments: object,
    runs: object,
    measure: object = "nDCG@10",
    how: str | Fusion = "rrf",
    *,
    cutoff: int = 10,
    level: float = 0.95,
    columns: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> Ablation:
    """Say what each run adds to a fusion.

    Parameters
    ----------
    judgments, runs, how
        As for :func:`rankmeter.fuse`.
    measure
        What is looked at; one measure that is a mean over queries.
    cutoff
        How many items of each list are compared for the overlap: Jaccard, and rank-biased overlap with p = 0.9 over so
        many ranks, divided by what equal lists get; no more than the longest list has.
    level
        Of the intervals.
    columns
        Columns of unusual names.
    **options
        Conventions of the fusion, as :func:`rankmeter.fuse` takes them.

    Examples
    --------
    >>> import rankmeter as rm
    >>> judgments = {"q1": {"a": 1, "c": 1}, "q2": {"d": 1}}
    >>> bm25 = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"d": 1.0}}
    >>> dense = {"q1": {"b": 0.9, "c": 0.8}, "q2": {"e": 0.7}}
    >>> found = rm.ablate(judgments, {"bm25": bm25, "dense": dense}, "RR")
    >>> [(one.run, one.unique) for one in found.runs]
    [('bm25', 2), ('dense', 1)]
    """
    named = named_runs(runs)
    check_whole("cutoff", cutoff, 1)
    check_level(level)
    definition, asked = Fusion.of(how, **options), measure_of(measure)
    if definition.method.trained:
        raise InputError.of("fusion.tuned_training", how=definition.how)
    truth, tables, notes = read_sides(judgments, named, columns)
    whole = grid_values(truth, tables, [definition], asked)
    alone = [single_values(truth, table, asked, whole.queries) for table in tables.values()]
    without = [_without(truth, tables, name, at, definition, asked, whole.queries) for at, name in enumerate(tables)]
    best = single_values(truth, _oracle(truth, tables, definition), asked, whole.queries)
    counted = np.logical_and.reduce([whole.counted, best[1], *(one[1] for one in (*alone, *without))])
    if not counted.any():
        raise InputError.of("fusion.no_query", names=list(tables))
    value = whole.value[0][counted]
    rows = np.stack([value - one[0][counted] for one in without])
    contrasts = Contrasts.of_rows(rows)
    low, high = contrasts.ends(level)
    p = corrected(contrasts.p(), "holm")
    unique, found = _unique(truth, tables, float(getattr(asked, "threshold", None) or 1))
    each = tuple(
        AddedBy(name, float(alone[at][0][counted].mean()), float(without[at][0][counted].mean()),
                float(rows[at].mean()), float(low[at]), float(high[at]), float(p[at]), unique[name])
        for at, name in enumerate(tables)
    )  # fmt: skip
    per_run = np.stack([one[0][counted] for one in alone])
    chosen = per_run.max(axis=0) if asked.higher_is_better else per_run.min(axis=0)
    return Ablation(str(asked), definition, each, _overlaps(tables, definition, cutoff), float(value.mean()),
                    float(chosen.mean()), float(best[0][counted].mean()), found, int(counted.sum()), cutoff, level,
                    tuple(notes))  # fmt: skip


def _without(
    truth: JudgmentTable, tables: Mapping[str, RunTable], name: str, at: int, definition: Fusion, measure: Any,
    queries: pl.Series,
) -> tuple[Floats, Any]:  # fmt: skip
    """The values of the fusion of the others, or of the only other run."""
    others = {other: table for other, table in tables.items() if other != name}
    if len(others) == 1:
        return single_values(truth, next(iter(others.values())), measure, queries)
    left: dict[str, Any] = {}
    for option in ("weights", "lows"):
        if (given := getattr(definition, option)) is not None:
            left[option] = (*given[:at], *given[at + 1 :])
    for option in ("norm", "lists", "duplicates"):
        if ":" in (given := getattr(definition, option) or ""):
            parts = given.split(":")
            left[option] = ":".join([*parts[:at], *parts[at + 1 :]])
    weights = left.get("weights")
    if weights is not None and not (sum(weights) if definition.weighting == "shares" else any(weights)):
        example = [round(1 / (len(others) + 1), 2)] * (len(others) + 1)
        raise InputError.of("fusion.weights_without", name=name, weights=repr(list(weights)), example=repr(example),
                            typed=":".join(map(str, example)))  # fmt: skip
    made = grid_values(truth, others, [replace(definition, **left)], measure)
    return made.value[0], made.counted


def _oracle(truth: JudgmentTable, tables: Mapping[str, RunTable], definition: Fusion) -> RunTable:
    """All items of the runs, the best judged ones first: no fusion of these lists can be better."""
    plain = Fusion(how="rrf", queries="all", duplicates=definition.duplicates, depth=definition.depth)
    pools = pools_of_runs(gather_tables(dict(tables), plain), plain)
    rows = pl.concat([pl.DataFrame({"query": p.queries.gather(p.query), "item": p.items}) for p in pools])
    grades = pl.DataFrame({"query": truth.query, "item": truth.item, "score": truth.grade.cast(pl.Float64)})
    grades = grades.group_by("query", "item").agg(pl.col("score").max())
    joined = rows.join(grades, on=["query", "item"], how="left", maintain_order="left")
    lowest = min(float(truth.grade.min() or 0), 0.0) - 1  # type: ignore[arg-type]
    return RunTable(joined["query"], joined["item"], joined["score"].fill_null(lowest))


def _unique(truth: JudgmentTable, tables: Mapping[str, RunTable], rel: float) -> tuple[dict[str, int], int]:
    """How many relevant items only this run returned, and how many any of them did."""
    relevant = pl.DataFrame({"query": truth.query, "item": truth.item, "grade": truth.grade})
    relevant = relevant.filter(pl.col("grade") >= rel).select("query", "item").unique()
    found = pl.concat([
        pl.DataFrame({"query": table.query, "item": table.item}).unique().join(relevant, on=["query", "item"])
        .with_columns(run=pl.lit(name)) for name, table in tables.items()
    ])  # fmt: skip
    by_item = found.group_by("query", "item").agg(pl.len(), pl.col("run").first())
    alone = by_item.filter(pl.col("len") == 1)
    return {name: int((alone["run"] == name).sum()) for name in tables}, len(by_item)


def _overlaps(tables: Mapping[str, RunTable], definition: Fusion, cutoff: int) -> tuple[Overlap, ...]:
    """How far every two runs agree on their first items, as means over the queries that either answers."""
    plain = Fusion(how="rrf", queries="all", duplicates=definition.duplicates, lists=definition.lists, depth=cutoff)
    pools = pools_of_runs(gather_tables(dict(tables), plain), plain)
    cutoff = min(cutoff, max([int(lists.length.max(initial=1)) for pool in pools for lists in pool.runs], default=1))
    depth = np.arange(1, cutoff + 1)
    share = (1 - PERSISTENCE) * PERSISTENCE ** (depth - 1) / depth
    worth = np.cumsum(share[::-1])[::-1] / (1 - PERSISTENCE**cutoff)
    names, made = list(tables), []
    for one, other in combinations(range(len(names)), 2):
        jaccard, overlap = [], []
        for pool in pools:
            rank = np.full((2, len(pool.query)), cutoff + 1)
            for row, run in enumerate((one, other)):
                rank[row, pool.runs[run].candidate] = pool.runs[run].rank
            deeper, size = rank.max(axis=0), len(pool.queries)
            both = np.bincount(pool.query[deeper <= cutoff], minlength=size)
            either = np.bincount(pool.query[rank.min(axis=0) <= cutoff], minlength=size)
            agreed = deeper <= cutoff
            biased = np.bincount(pool.query[agreed], worth[deeper[agreed] - 1], size)
            jaccard.append((both / np.maximum(either, 1))[either > 0])
            overlap.append(biased[either > 0])
        every, ranked = np.concatenate(jaccard), np.concatenate(overlap)
        means = (float(values.mean()) if len(values) else 0.0 for values in (every, ranked))
        made.append(Overlap(names[one], names[other], *means))
    return tuple(made)
