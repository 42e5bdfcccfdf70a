"""What only the runs can tell a report: values over cutoffs, the lists of a few queries, how alike two systems are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.arithmetic import Values, aggregated
from rankmeter.comparing.systems import averaged_values
from rankmeter.comparing.unjudged import graded_pairs
from rankmeter.errors import MeasureError
from rankmeter.evaluating.measuring import Group, groups_of, measure_groups
from rankmeter.evaluating.pairing import into_pair
from rankmeter.inputs.tables import RunTable, joined_runs
from rankmeter.late import pl
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import TIES_BY_ID, TIES_BY_INPUT
from rankmeter.placing.slates import FirstItems

if TYPE_CHECKING:
    from rankmeter.comparing.records import Inputs
    from rankmeter.inputs.tables import Judgments, Run
    from rankmeter.placing.placements import Floats, Ints

MOST_CELLS = 5_000_000
"""A matrix with more cells than this is not turned into lists."""

PERSISTENCE = 0.9
"""The p of RBO: the chance that a reader goes on to the next rank."""


def ranked_lists(run: Run, queries: Collection[str], *, depth: int, ties: str) -> dict[str, list[str]] | None:
    """For each of the queries the first items of its list, best first; None where the run is too large a matrix.

    Ids are text here. Tied items stand in the order of the tie rule; under a rule without an order, as under ``item``,
    the highest id first.
    """
    if run.matrix is not None and run.matrix.size > MOST_CELLS:
        return None
    rule = ties if ties in (*TIES_BY_ID, *TIES_BY_INPUT) else "item"
    ids = pl.Series(dtype=pl.String)

    def numbers(items: pl.Series) -> Ints:
        nonlocal ids
        ids = items.cast(pl.String)
        return np.arange(len(items))

    first = FirstItems.of(rows_of_queries(run, queries), k=depth, ties=rule, duplicates="counted").lists(numbers)
    stairs = first.stairs
    lists: list[list[str]] = [[] for _ in first.queries]
    for number, item in zip(stairs.each(stairs.lists).tolist(), ids.gather(pl.Series(stairs.item)), strict=True):
        lists[number].append(item)  # place after place
    return dict(zip(first.queries, lists, strict=True))


def rows_of_queries(run: Run, queries: Collection[str]) -> RunTable:
    """The rows of some queries of a run, whose ids become text."""
    asked = run if run.mapping is None else run.mapping.only(queries)
    return joined_runs([_rows_of_block(block, queries) for block in asked.blocks()])


def _rows_of_block(block: RunTable, queries: Collection[str]) -> RunTable:
    query = block.query.cast(pl.String)
    wanted = query.is_in(list(queries))
    item, score = block.item.filter(wanted), block.score.filter(wanted)
    return replace(block, query=query.filter(wanted), item=item, ordering=score, queries=None)


def judgments_of(judgments: Judgments, queries: Collection[str]) -> dict[str, dict[str, float]]:
    """The grades of the judged items of some queries; the highest where an item was judged on several subtopics."""
    if (cells := judgments.matrix) is not None:
        wanted = [row for row in range(len(cells)) if str(row) in queries]
        return {str(row): {str(item): float(grade) for item, grade in enumerate(cells[row])} for row in wanted}
    frame = graded_pairs(judgments if judgments.mapping is None else judgments.mapping.only(queries))
    grades: dict[str, dict[str, float]] = {}
    for query, item, grade in frame.filter(pl.col("query").is_in(list(queries))).iter_rows():
        judged = grades.setdefault(query, {})
        judged[item] = max(grade, judged.get(item, grade))
    return grades


def overlaps(lists: Sequence[Sequence[str]]) -> Floats:
    """(lists, lists) the rank-biased overlap, extrapolated, of every two lists cut to the length of the shorter one.

    With ``A_i`` the share of the first i items that both lists have, ``A_d p^d + (1 - p)/p * sum_i A_i p^i`` for i from
    1 to the length d. Two empty lists are the same; an empty one has nothing in common with any other. A shared item is
    in every ``A_i`` from the deeper of its two ranks on, so each adds to the sum once, for all pairs at once.
    """
    p = PERSISTENCE
    number: dict[str, int] = {}
    lengths = np.array([len(items) for items in lists])
    longest = int(lengths.max(initial=0))
    absent = longest + 1
    # Places beyond the end of a list hold 0, which is no item's number.
    places = np.zeros((len(lists), longest), np.int64)
    for row, items in enumerate(lists):
        places[row, : len(items)] = [number.setdefault(item, len(number) + 1) for item in items]
    ranks = np.full((len(lists), len(number) + 1), absent)
    np.put_along_axis(ranks, places, np.arange(1, longest + 1)[None, :], axis=1)
    ranks[:, 0] = absent
    # An item that a list has twice counts where it stands last.
    places[np.take_along_axis(ranks, places, axis=1) != np.arange(1, longest + 1)] = 0
    depths = np.arange(longest + 1)
    powers = p**depths
    sums = np.concatenate([[0.0], np.cumsum(powers[1:] / depths[1:])])
    before = (1 - p) / p * np.concatenate([[0.0], sums])  # the sum over the ranks above each rank
    table = np.ones((len(lists), len(lists)))
    step = max(1, MOST_CELLS // max(places.size, 1) // 4)
    for start in range(0, len(lists), step):
        rows = slice(start, start + step)
        depth = np.minimum.outer(lengths[rows], lengths)
        deeper = np.maximum(np.arange(1, longest + 1), ranks.T[places[rows]].swapaxes(1, 2))
        last = np.divide(powers[depth], depth, out=np.zeros(depth.shape), where=depth > 0)
        is_shared = deeper <= depth[:, :, None]
        table[rows] = (last + before[depth + 1]) * is_shared.sum(axis=2) - (before[deeper] * is_shared).sum(axis=2)
    table[np.logical_and.outer(lengths == 0, lengths == 0)] = 1.0
    return table


def mean_similarity(lists: Mapping[str, Mapping[str, Sequence[str]]], queries: Sequence[str]) -> Floats:
    """The mean RBO of every two systems over some queries."""
    several = [overlaps([lists_of.get(query, ()) for lists_of in lists.values()]) for query in queries]
    table: Floats = np.mean(several, axis=0) if several else np.ones((len(lists), len(lists)))
    np.fill_diagonal(table, 1.0)
    return table


CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100)
MOST_FAMILIES = 6
"""How many measures get a curve: each needs all cutoffs of every system."""


def families_of_cutoffs(measures: tuple[Measure, ...], cutoffs: Sequence[int] = CUTOFFS) -> dict[str, list[Measure]]:
    """The measures with a cutoff, each at every cutoff; those that differ only in their cutoff are one family."""
    by_name: dict[str, list[Measure]] = {}
    for measure in measures:
        if not isinstance(measure, RankedMeasure) or measure.at != "cutoff" or measure.aggregate != "mean":
            continue
        name = family_of(measure)
        if name in by_name or len(by_name) == MOST_FAMILIES:
            continue
        try:
            by_name[name] = [measure @ k for k in cutoffs]
        except MeasureError:
            continue  # it takes no cutoff with these options
    return by_name


def family_of(measure: Measure) -> str:
    """The measure without its cutoff."""
    has_cutoff = isinstance(measure, RankedMeasure) and measure.at == "cutoff" and measure.cutoff
    return str(replace(measure, cutoff=None)) if has_cutoff else str(measure)


def curves(
    measures: tuple[Measure, ...], inputs: Inputs, *, z: float, deepest: int | None = None
) -> dict[str, dict[str, Any]]:
    """For each family its cutoffs ``k``, and ``value``, ``low`` and ``high`` of each system at each of them.

    ``low`` and ``high`` are z standard errors away. Cutoffs beyond ``deepest``, the end of the longest list, are left
    out.
    """
    cutoffs = tuple(k for k in CUTOFFS if deepest is None or k <= deepest) or CUTOFFS[:1]
    asked = families_of_cutoffs(measures, cutoffs)
    if not asked:
        return {}
    groups = groups_of([measure for several in asked.values() for measure in several])
    bands: dict[Measure, list[tuple[float, float, float]]] = {}
    for runs in inputs.runs.values():
        measured = [values_of_run(inputs.judgments, run, groups) for run in runs]
        for measure in measured[0]:
            bands.setdefault(measure, []).append(_band([values[measure] for values in measured], measure, z))
    return {
        name: {"k": list(cutoffs)}
        | dict(zip(("value", "low", "high"), np.array([bands[at] for at in several]).transpose(2, 1, 0), strict=True))
        for name, several in asked.items()
    }


def values_of_run(judgments: Judgments, run: Run, groups: Sequence[Group]) -> dict[Measure, Values]:
    """The values of a run under every measure of some groups."""
    values: dict[Measure, Values] = {}
    for group in measure_groups(into_pair(judgments, run), groups, strict=None):
        values |= group.values
    return values


def _band(runs: Sequence[Values], measure: Measure, z: float) -> tuple[float, float, float]:
    """The mean over queries and runs with its band; the standard error is that over queries, of the mean over runs."""
    values = averaged_values(runs, measure)
    mean = aggregated(values, measure.aggregate)
    apart = values.value[values.counted] - mean
    size = len(apart)
    error = (float(apart @ apart) / (size - 1) / size) ** 0.5 if size > 1 else 0.0
    low, high = measure.bounds
    return mean, max(mean - z * error, low), min(mean + z * error, high)
