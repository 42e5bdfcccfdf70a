"""The values of many settings at once: what lists contribute is worked out once, and no fused list is ever made.

A fused score is a function of one matrix per query (runs by items) and the weights, and a measure needs to know only
where the judged items stand. So scores of many settings are made side by side in arrays that fit the cache, and the
judged items of all of them are placed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmeter.arithmetic.views import Views
from rankmeter.errors import InputError
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.evaluation import evaluate_measure
from rankmeter.evaluating.measuring import groups_of, values_under
from rankmeter.frozen import dataclass
from rankmeter.inputs.tables import JudgmentTable, RunTable, without_repeats
from rankmeter.late import pl
from rankmeter.placing.indexes import JudgmentIndex, PlacedRun
from rankmeter.placing.placements import Bools, Floats, Ints, Placements, Plan
from rankmeter.placing.segments import expand, offsets_of, place
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.fusing import Gathered, fused_run, gather_tables
from rankmeter.wings.fusion.methods import Contributions, combined, contributions, weights_of
from rankmeter.wings.fusion.pooling import Pool, of_queries, pools

BLOCK = 1 << 17
"""Rows of all runs that are looked at together."""
CELLS = 1 << 18
"""Scores of several settings that are made together, so that they stay in the cache."""
LINEAR = ("rrf", "rbc", "w_bordafuse", "wsum")
"""Methods whose score is a weighted sum of what the lists say."""


@dataclass(frozen=True, slots=True)
class GridValues:
    """A value for each setting and query."""

    queries: pl.Series
    """(n,) the judged queries."""
    value: Floats
    """(settings, n)"""
    counted: Bools
    """(n,) which queries count under every setting."""


def single_values(truth: JudgmentTable, table: RunTable, measure: Any, queries: pl.Series) -> tuple[Floats, Bools]:
    """The value of each judged query under one run, and whether it counts."""
    evaluated = evaluate_measure(truth, table, measure)
    of = evaluated.values[measure]
    place_of = {query: at for at, query in enumerate(evaluated.queries.to_list())}
    at = np.array([place_of[query] for query in queries.to_list()], np.int64)
    return of.value[at], of.counted[at]


def grid_values(
    truth: JudgmentTable, tables: dict[str, RunTable], settings: Sequence[Fusion], measure: Any
) -> GridValues:
    """The values of every query under every setting; ids of judgments and runs are of one type."""
    truth = without_repeats(truth)
    (group,) = groups_of([measure])
    index = JudgmentIndex.of_table(truth, group.plan.lowest_grade)
    queries = pl.Series(index.queries) if not isinstance(index.queries, pl.Series) else index.queries
    judged = {name: of_queries(_asked_alike(table, queries), queries) for name, table in tables.items()}
    value = np.zeros((len(settings), len(queries)))
    counted = np.ones(len(queries), np.bool_)
    is_plain = _is_plain(measure, truth, group.plan)
    for definitions, at in read_alike(settings):
        gathered = gather_tables(judged, definitions[0])
        if is_plain and _is_fast(definitions[0]):
            found, counts = _by_matrices(index, queries, gathered, definitions, measure, group.plan)
            value[at], counted = found, counted & counts
        else:
            for row, definition in zip(at, definitions, strict=True):
                fused = fused_run(gathered, definition)
                value[row], counts = single_values(truth, fused, measure, queries)
                counted &= counts
    return GridValues(queries, value, counted)


def _asked_alike(table: RunTable, queries: pl.Series) -> RunTable:
    """A run whose queries are of the type of the judged ones."""
    return table if table.query.dtype == queries.dtype else replace(table, query=table.query.cast(queries.dtype))


def _is_plain(measure: Any, truth: JudgmentTable, plan: Plan) -> bool:
    """Whether a measure needs to know no more than where judged items stand by their scores and ids."""
    usual = plan.scores == "float64" and plan.duplicates == "error" and not plan.without_itself
    return usual and not (
        plan.cut_first or plan.subtopics or plan.unreturned or plan.order or truth.has_subtopics
        or measure.about == "lists" or measure.query_policy != "judged"
    )  # fmt: skip


def _is_fast(definition: Fusion) -> bool:
    """Whether fused lists hold every item, so that none has to be made."""
    return definition.top is None and definition.least is None and definition.weightless == "kept"


def read_alike(settings: Sequence[Fusion]) -> Iterator[tuple[list[Fusion], list[int]]]:
    """Settings that read lists in the same way, and their places."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for at, one in enumerate(settings):
        inverted = one.norm if "inverted" in (one.norm or "") else None
        key = (one.lists, one.ties, one.duplicates, one.queries, one.depth, inverted, one.method.looks_at,
               _is_fast(one))  # fmt: skip
        groups.setdefault(key, []).append(at)
    for members in groups.values():
        yield [settings[at] for at in members], members


def _by_matrices(
    index: JudgmentIndex, queries: pl.Series, gathered: Gathered, settings: Sequence[Fusion], measure: Any, plan: Plan
) -> tuple[Floats, Bools]:
    """``(settings, queries)`` values, and which queries count under all settings."""
    value, counted = np.zeros((len(settings), len(queries))), np.ones(len(queries), np.bool_)
    number = pl.DataFrame({"query": queries, "at": np.arange(len(queries))})
    of_gathered = gathered.queries.alias("query").to_frame().join(number, on="query", how="left", maintain_order="left")
    at_of = of_gathered["at"].to_numpy()
    first = 0
    for pool in pools(gathered.runs, gathered.queries, settings[0], gathered.names, BLOCK):
        at = at_of[first : first + len(pool.queries)]
        first += len(pool.queries)
        block = _Judged.of(index, pool, at)
        value[:, at], counts = _block_values(block, pool, settings, measure, plan)
        counted[at] &= counts
    absent = np.ones(len(queries), np.bool_)
    absent[at_of] = False
    if absent.any():
        value[:, absent], counted[absent] = _without_lists(index, np.flatnonzero(absent), measure)
    return value, counted


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judged items of a pool."""

    candidate: Ints
    """(m,) which candidates are judged, rising."""
    query: Ints
    """(m,) their queries, numbered in the pool."""
    grade: Floats
    best: Floats
    """The grades of all judged items of each query, highest first."""
    best_offsets: Ints

    @classmethod
    def of(cls, index: JudgmentIndex, pool: Pool, at: Ints) -> _Judged:
        sizes = np.diff(index.offsets)[at]
        rows = expand(index.offsets[at], sizes)
        judgments = pl.DataFrame(
            {
                "query": np.repeat(np.arange(len(at)), sizes),
                "item": index.item.column.gather(rows),
                "grade": np.asarray(index.grade[rows], np.float64),
            }
        )
        held = pl.DataFrame({"query": pool.query, "item": pool.items}).with_row_index("candidate")
        met = held.join(judgments, on=["query", "item"], how="inner").sort("candidate")
        best_sizes = np.diff(index.best_offsets)[at]
        best = index.best[expand(index.best_offsets[at], best_sizes)]
        candidate = met["candidate"].to_numpy().astype(np.int64)
        return cls(candidate, pool.query[candidate], met["grade"].to_numpy(), best, offsets_of(best_sizes))


def _block_values(
    judged: _Judged, pool: Pool, settings: Sequence[Fusion], measure: Any, plan: Plan
) -> tuple[Floats, Bools]:
    """``(settings, b)`` values of the queries of a pool."""
    value, counted = np.empty((len(settings), len(pool.queries))), np.ones(len(pool.queries), np.bool_)
    together = max(1, CELLS // max(len(pool.query), 1))
    for definitions, at in sharing(settings):
        said = contributions(pool, definitions[0])
        for start in range(0, len(definitions), together):
            part = definitions[start : start + together]
            scores = _scores(pool, said, part)
            found, counts = _placed_values(judged, pool, scores, measure, plan, part[0])
            value[at[start : start + together]] = found
            counted &= counts
    return value, counted


def sharing(settings: Sequence[Fusion]) -> Iterator[tuple[list[Fusion], list[int]]]:
    """Settings to which the lists contribute the same, and their places."""
    groups: dict[object, list[int]] = {}
    for at, one in enumerate(settings):
        key = one if one.weighting == "ranks" or one.weights is None else replace(one, weights=None)
        groups.setdefault(str(key), []).append(at)
    for members in groups.values():
        yield [settings[at] for at in members], members


def _scores(pool: Pool, said: Contributions, settings: Sequence[Fusion]) -> Floats:
    """``(settings, c)`` the fused scores, digit for digit those of `combined`."""
    one = settings[0]
    is_sum = one.how in LINEAR and one.weighting != "ranks" and one.digits is None and one.scale == "none"
    if not is_sum or one.precision != "float64":
        scores = np.stack([combined(pool, said, definition) for definition in settings])
    else:
        weights = np.stack([weights_of(definition, len(pool.runs)) for definition in settings])
        values = np.where(np.isnan(said.value), 0.0, said.value)
        scores = weights[:, :1] * values[0]
        room = np.empty_like(scores)
        for run in range(1, len(values)):
            scores += np.multiply(weights[:, run, None], values[run], out=room)
    if one.method.looks_at == "scores" and np.isnan(scores.sum()):
        row, candidate = (int(at[0]) for at in np.nonzero(np.isnan(scores)))
        raise InputError.of("fusion.overflow", query=str(pool.queries[int(pool.query[candidate])]),
                            item=str(pool.items[candidate]), how=str(settings[row]))  # fmt: skip
    return scores


def _placed_values(
    judged: _Judged, pool: Pool, scores: Floats, measure: Any, plan: Plan, definition: Fusion
) -> tuple[Floats, Bools]:
    """``(settings, b)`` values where the candidates of each query have these scores."""
    many, candidates = scores.shape
    size = len(pool.queries)
    each = np.arange(many)[:, None]
    segment = (judged.query + size * each).ravel()
    rows = (judged.candidate + candidates * each).ravel()
    counts = np.tile(pool.count, many)
    flat = scores.ravel()
    wanted = flat[rows]
    places = place(
        flat, offsets_of(counts), segment, wanted, plan, rows=rows,
        ids_of=lambda member: pool.items.gather(member % candidates),
    )  # fmt: skip
    best_sizes = np.tile(np.diff(judged.best_offsets), many)
    placements = _all_judged(counts, best_sizes, np.tile(judged.best, many), {
        "query": segment, "grade": np.tile(judged.grade, many), "score": wanted, **places._asdict(),
    })  # fmt: skip
    found = _values_of_setting(placements, pl.concat([pool.queries] * many), measure, str(definition))
    return found.value.reshape(many, size), found.counted.reshape(many, size).all(axis=0)


def _without_lists(index: JudgmentIndex, at: Ints, measure: Any) -> tuple[Floats, Bools]:
    """The values of queries for which no run returned anything."""
    nothing, none = np.empty(0, np.int64), np.empty(0)
    sizes = np.diff(index.best_offsets)[at]
    best = index.best[expand(index.best_offsets[at], sizes)]
    columns = dict.fromkeys(("query", "above", "tied", "higher_id", "earlier"), nothing)
    placements = _all_judged(np.zeros(len(at), np.int64), sizes, best, {**columns, "grade": none, "score": none},
                             held=False)  # fmt: skip
    found = _values_of_setting(placements, pl.Series(np.arange(len(at))), measure, "")
    return found.value, found.counted


def _all_judged(
    returned: Ints, best_sizes: Ints, best: Floats, columns: dict[str, Any], *, held: bool = True
) -> Placements:
    every = np.ones(len(returned), np.bool_)
    return Placements(returned=returned, in_run=every if held else ~every, is_judged=every,
                      best_offsets=offsets_of(best_sizes), best=best, **columns)  # fmt: skip


def _values_of_setting(placements: Placements, queries: pl.Series, measure: Any, source: str) -> Any:
    placed = PlacedRun(queries, placements, scored=True, highest_grade=float(placements.best.max(initial=0.0)),
                       source=source)  # fmt: skip
    return values_under(measure, Views(placements, None), placed)


def measure_of(text: object) -> Any:
    """The one measure that is tuned for."""
    asked = ask(text)
    if len(asked.measures) > 1:
        raise InputError.of("fusion.one_measure", names=[asked.label(one) for one in asked.measures])
    measure: Any = asked.measures[0]
    if measure.aggregate != "mean" or measure.about == "lists":
        raise InputError.of("fusion.no_mean", measure=str(measure))
    return measure
