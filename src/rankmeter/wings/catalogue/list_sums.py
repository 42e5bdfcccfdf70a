"""Measures of lists while a model is trained: sums for values of each list, counts of items for all lists together.

Coverage, Gini and entropy are functions of how often items stand in the lists; diversity and novelty are means over
lists. Counts are whole numbers and sums are exact, so batches give the digits of everything at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from rankmeter.arithmetic.exact_sums import expansion
from rankmeter.arithmetic.parts import Values
from rankmeter.errors import MeasureError
from rankmeter.evaluating.block_lists import (
    ExactSums,
    check_blocks,
    measure_block,
    merged_counts,
    merged_sums,
    value_of_sums,
    values_of_counts,
)
from rankmeter.evaluating.evaluation import ONLY_QUERIES, About
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.lists.catalogue import into_catalogue
from rankmeter.lists.slating import Background
from rankmeter.measures import Measure
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.placing.pairs import Placeable
from rankmeter.wings.catalogue.pair_counts import host
from rankmeter.wings.catalogue.ranked_ids import RankedIds
from rankmeter.wings.catalogue.tensors import ScoredTensors
from rankmeter.wings.catalogue.vectors import load_torch


class ListSums:
    """What the lists of all batches so far come to under some measures of lists."""

    def __init__(self, measures: Sequence[SlateMeasure], catalogue: object) -> None:
        known = None if catalogue is None else into_catalogue(catalogue)
        check_blocks(measures, About(known), "labels")
        self.measures = tuple(measures)
        self._known = Background.of(known, None, pl.Int64(), self.measures)
        cutoffs = [measure.cutoff for measure in measures]
        self._depth = None if None in cutoffs else max(filter(None, cutoffs), default=0)
        self.reset()

    def reset(self) -> None:
        """Forget every batch."""
        self._counts: pl.DataFrame | None = None
        self._sums: dict[Measure, tuple[ExactSums, Sequence[float]]] = {}
        self._counted: dict[Measure, int] = dict.fromkeys(self.measures, 0)

    def add(self, batch: Placeable) -> dict[Measure, Values]:
        """Take in a batch; the values of measures that have one for each list."""
        run, truth = _lists_of(batch, self._depth)
        placed = batch.place(replace(ONLY_QUERIES, duplicates="error"))
        lists = measure_block(truth, run, placed, self.measures, self._known)
        for measure in self.measures:
            self._counted[measure] += int(lists.values[measure].counted.sum())
        self._join(lists.counts, lists.sums)
        return {measure: lists.values[measure] for measure in self.measures if measure.aggregate != "whole"}

    def _join(self, counts: pl.DataFrame, sums: Any) -> None:
        self._counts = merged_counts([counts] if self._counts is None else [self._counts, counts])
        for measure, (parts, constants) in sums.items():
            held = [self._sums[measure][0]] if measure in self._sums else []
            columns = merged_sums([*held, parts])
            self._sums[measure] = ([_short(column) for column in columns], constants)

    def value(self, measure: Measure) -> float:
        """The value of a measure of all lists together; NaN where there is no list."""
        if not self._counted[measure] or self._counts is None:
            return math.nan
        if measure in self._sums:
            return value_of_sums(*self._sums[measure], measure)
        return values_of_counts(self._counts, self.measures, self._known)[measure]

    def counted(self, measure: Measure) -> int:
        """How many lists the value is about."""
        return self._counted[measure]

    def state(self) -> dict[str, Any]:
        """Everything, as plain Python."""
        return {
            "counts": None if self._counts is None else self._counts.to_dict(as_series=False),
            "sums": {str(measure): held for measure, held in self._sums.items()},
            "counted": {str(measure): count for measure, count in self._counted.items()},
        }

    def join(self, state: dict[str, Any]) -> None:
        """Add what :meth:`state` of other lists says."""
        if state["counts"] is None:
            return
        schema: Any = {"of": pl.Int64, "item": self._known.ids.dtype, "key": pl.Int64, "times": pl.Int64}
        by_name = {str(measure): measure for measure in self.measures}
        for name, count in state["counted"].items():
            self._counted[by_name[name]] += count
        counts = pl.DataFrame(state["counts"], schema=schema)
        self._join(counts, {by_name[name]: held for name, held in state["sums"].items()})


def _short(column: Sequence[float]) -> list[float]:
    """A few numbers with exactly the same sum."""
    return list(expansion(np.array(column, np.float64)))


def _lists_of(batch: Placeable, depth: int | None) -> tuple[RunTable, JudgmentTable]:
    """The first items of each list of a batch, with all that tie with the last of them, and what is judged."""
    if isinstance(batch, RankedIds):
        query, column = (batch.listed & ~batch.repeated).nonzero(as_tuple=True)
        item, score = batch.items[query, column], -1.0 - column.double()
        judged, place = (batch.grades.isfinite() & (batch.grades != 0)).nonzero(as_tuple=True)
        named, grade = batch.judged[judged, place], batch.grades[judged, place]
    else:
        query, item, score, judged, named, grade = _cells(cast(ScoredTensors, batch), depth)
    queries: pl.Series = cast(Any, batch).queries
    listed, scores = pl.Series(host(item)), pl.Series(host(score.double()))
    is_scored = not isinstance(batch, RankedIds)
    run = RunTable(queries.gather(host(query)), listed, scores, batch.source, scored=is_scored, queries=queries)
    owner, known, grades = queries.gather(host(judged)), pl.Series(host(named)), pl.Series(host(grade.double()))
    return run, JudgmentTable(owner, known, grades, batch.source, queries=queries)


def _cells(batch: ScoredTensors, depth: int | None) -> tuple[Any, ...]:
    """Query, item and score of each cell that is listed, then query, item and grade of each that is judged."""
    torch = load_torch()
    scores, grades = batch.scores, batch.grades
    if batch.sizes is None:
        if depth is not None and depth < scores.shape[1]:
            last = scores.topk(depth, dim=1).values[:, -1:]
            query, item = (scores >= last).nonzero(as_tuple=True)
        else:
            query, item = torch.ones_like(scores, dtype=torch.bool).nonzero(as_tuple=True)
        judged, named = (grades != 0).nonzero(as_tuple=True)
        return query, item, scores[query, item], judged, named, grades[judged, named]
    query = torch.repeat_interleave(torch.arange(len(batch.sizes), device=scores.device), batch.sizes)
    relevant = grades != 0
    ids: Any = batch.item
    return query, ids, scores, query[relevant], ids[relevant], grades[relevant]


def refuse_flat(measures: Sequence[Measure], indexes: object) -> None:
    """Refuse lists whose items have no ids: a flat tensor says which query each is of, and no more."""
    if measures and indexes is not None:
        raise MeasureError.of("catalogue.lists_of_flat", measure=measures[0])
