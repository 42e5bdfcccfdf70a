"""The cases that every path must answer alike, with values worked by hand, and the paths that run in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.inputs import streaming
from rankmeter.inputs.shards import Files
from rankmeter.inputs.tables import RunFile

LARGE = 2**53
MEASURES = ["RR", "AP", "nDCG@2", "nDCG@100", "R@50", "P@40", "RR(ties=mean)", "AP(ties=item-ascending)"]
Run = Mapping[int, Mapping[int, float]]


@dataclass(frozen=True)
class Case:
    """Judgments and a run; the scores are whole float32 numbers, so that vectors can hold them."""

    name: str
    judgments: Mapping[int, Mapping[int, float]]
    run: Run
    rr: Mapping[int, float] = field(default_factory=dict)
    """RR of each judged query, by hand."""
    dense: bool = False
    """Whether every item of a list is judged or counts as judged 0, as in a matrix of scores and labels."""


CASES = [
    # Higher ids first among equals: 3, 2, 1 and 0 in query 0, 2 and 1 behind 3 in query 1.
    Case(
        "ties",
        {0: {1: 1.0, 0: 2.0}, 1: {1: 1.0}},
        {0: {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}, 1: {0: -1.0, 1: 2.0, 2: 2.0, 3: 5.0}},
        {0: 1 / 3, 1: 1 / 3},
        dense=True,
    ),
    Case(
        "negative scores",
        {0: {0: 1.0}, 1: {2: 3.0, 3: 1.0}},
        {0: {0: -3.0, 1: -2.0, 2: -8.0, 3: -2.5}, 1: {0: 0.0, 1: -0.0, 2: -4.0, 3: -1.0}},
        {0: 1 / 3, 1: 1 / 3},
        dense=True,
    ),
    Case(
        "k beyond the list",
        {0: {0: 1.0, 2: 1.0}, 1: {1: 1.0}},
        {0: {0: 3.0, 1: 2.0, 2: 1.0}, 1: {0: 2.0, 1: 1.0, 2: 0.0}},
        {0: 1.0, 1: 1 / 2},
        dense=True,
    ),
    Case(
        "ids beyond the precision of floats",
        {0: {LARGE + 1: 1.0}, 1: {LARGE: 1.0}},
        {0: {LARGE: 3.0, LARGE + 1: 2.0, LARGE + 2: 1.0}, 1: {LARGE: 1.0, LARGE + 1: 2.0}},
        {0: 1 / 2, 1: 1 / 2},
    ),
    Case(
        "missing and unjudged queries",
        {0: {5: 1.0}, 1: {6: 1.0}, 2: {7: 1.0, 8: 0.0}},
        {0: {6: 2.0, 5: 1.0}, 2: {9: 4.0, 8: 3.0, 7: 2.0}, 3: {5: 1.0}},
        {0: 1 / 2, 1: 0.0, 2: 1 / 3},
    ),
    Case(
        "empty queries and queries without a relevant item",
        {0: {5: 1.0}, 1: {6: 1.0}, 2: {7: 0.0}},
        {0: {5: 2.0}, 1: {}, 2: {7: 1.0, 5: 0.5}},
        {0: 1.0, 1: 0.0, 2: 0.0},
    ),
]


def rows(mapping: Mapping[int, Mapping[int, float]], value: str) -> pl.DataFrame:
    flat = [(query, item, number) for query, one in mapping.items() for item, number in one.items()]
    return pl.DataFrame(flat, schema={"query": pl.Int64, "item": pl.Int64, value: pl.Float64}, orient="row")


def through_mapping(case: Case, _: Path) -> rm.Evaluation:
    return rm.evaluate(case.judgments, case.run, MEASURES)


def through_table(case: Case, _: Path) -> rm.Evaluation:
    return rm.evaluate(rows(case.judgments, "grade"), rows(case.run, "score"), MEASURES)


def through_stream(case: Case, folder: Path) -> rm.Evaluation:
    rows(case.run, "score").write_parquet(folder / "run.parquet", row_group_size=2)
    run = RunFile(lambda: streaming.stream_run(Files((str(folder / "run.parquet"),)), block_bytes=64), "run.parquet")
    return rm.evaluate(rows(case.judgments, "grade"), run, MEASURES, per_query_to=folder / "values.parquet")


def through_tensors(case: Case, _: Path) -> rm.Evaluation:
    torch = pytest.importorskip("torch")
    if case.dense:
        width = max(len(one) for one in case.run.values())
        scores = torch.tensor([[one[item] for item in range(width)] for one in case.run.values()])
        labels = torch.tensor([[case.judgments[q].get(item, 0.0) for item in range(width)] for q in case.run])
        return rm.evaluate(rm.tensors(scores, labels), measures=MEASURES)
    # Ids, best first; judged queries only, as tensors have no names. Higher ids first among equals.
    lists = [
        sorted(case.run.get(q, {}), key=lambda item, q=q: (case.run[q][item], str(item)), reverse=True)
        for q in case.judgments
    ]
    width = max(map(len, lists))
    ranked = torch.tensor([one + [-1] * (width - len(one)) for one in lists])
    relevant = [
        torch.tensor([item for item, grade in one.items() if grade > 0], dtype=torch.int64)
        for one in case.judgments.values()
    ]
    return rm.evaluate(rm.ranked_ids(ranked, relevant), measures=MEASURES)


def through_catalogue(case: Case, _: Path) -> rm.Evaluation:
    """A vector for each query that picks one number of each item's vector: the score."""
    items = sorted({item for one in (*case.run.values(), *case.judgments.values()) for item in one})
    queries = list(case.run)
    scores = np.array([[case.run[q].get(item, 0.0) for q in queries] for item in items], np.float32)
    absent = {q: [item for item in items if item not in case.run[q]] for q in queries}
    ranked = rm.rank_catalogue(
        case.judgments, np.eye(len(queries)), scores, queries=queries, items=items, exclude=absent
    )
    return rm.evaluate(ranked, measures=MEASURES)


PATHS: dict[str, Callable[[Case, Path], Any]] = {
    "mapping": through_mapping,
    "table": through_table,
    "streamed": through_stream,
    "tensors": through_tensors,
    "catalogue": through_catalogue,
}


def judged_values(evaluation: rm.Evaluation, judged: list[int]) -> dict[str, dict[int, float | None]]:
    """By measure and judged query; a query without a row has none."""
    frame = evaluation.collect().per_query if hasattr(evaluation, "collect") else evaluation.per_query
    return {
        measure: {q: v for q, v in zip(frame["query"].to_list(), frame[measure].to_list(), strict=True) if q in judged}
        for measure in frame.columns[1:]
    }
