"""What is done to a run before its items are placed: items named like their query, a first cut, repeated items.

A repeat that keeps its place is given an id of its own, which nobody judged (``duplicates="once"``), or which is judged
as the item is (``"separate"``); placing then needs to know nothing of repeats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmeter.late import pl
from rankmeter.placing.placements import Plan

if TYPE_CHECKING:
    from rankmeter.inputs.tables import JudgmentTable, RunTable

RENAMING = ("once", "separate")
_MARK = "\x00"
"""Between an item's id and the number of its repeat; no id holds it."""


def prepared(judgments: JudgmentTable, run: RunTable, plan: Plan) -> tuple[JudgmentTable, RunTable, Plan]:
    """Judgments and run as they are to be placed, and what is left of the plan."""
    if plan.without_itself:
        run = _rows(run, (run.query.cast(pl.String) != run.item.cast(pl.String)).to_numpy())
    if plan.cut_first is not None:
        run = _cut(run, *plan.cut_first, plan.scores)
    duplicates = plan.duplicates
    if duplicates == "distinct":
        duplicates = "first"
    elif duplicates in RENAMING:
        judgments, run = _renamed(judgments, run, judged=duplicates == "separate")
        duplicates = "counted"
    return judgments, run, replace(plan, duplicates=duplicates, without_itself=False, cut_first=None)


def _rows(run: RunTable, keep: np.ndarray) -> RunTable:
    """Some rows of a run, all queries of which stay."""
    if keep.all():
        return run
    queries = run.query.unique(maintain_order=True) if run.queries is None else run.queries
    chosen = pl.Series(keep)
    return replace(
        run,
        query=run.query.filter(chosen),
        item=run.item.filter(chosen),
        score=run.score.filter(chosen),
        queries=queries,
    )


def _ordered(run: RunTable) -> pl.DataFrame:
    """The rows by falling score, equal ones as they were given, with their number."""
    rows = pl.DataFrame({"query": run.query, "item": run.item, "score": run.score}).with_row_index("row")
    return rows.sort("score", descending=True, maintain_order=True)


def _cut(run: RunTable, depth: int, ties: str, scores: str) -> RunTable:
    """The first rows of every query under a tie rule, or with ``included`` all that score as the last of them."""
    if scores == "float32":
        run = replace(run, score=run.score.cast(pl.Float32).cast(pl.Float64))
    rows = _ordered(run)
    if ties == "included":
        last = pl.col("score").sort(descending=True).slice(depth - 1, 1).first().over("query")
        kept = rows.filter(last.is_null() | (pl.col("score") >= last))
    else:
        if ties in ("item", "item-ascending"):
            by_id = pl.col("item").cast(pl.String)
            rows = rows.sort(by_id, descending=ties == "item", maintain_order=True)
        elif ties == "reversed":
            rows = rows.sort("row", descending=True)
        rows = rows.sort("score", descending=True, maintain_order=True)
        kept = rows.filter(pl.int_range(pl.len()).over("query") < depth)
    keep = np.zeros(len(run.query), np.bool_)
    keep[kept["row"].to_numpy()] = True
    return _rows(run, keep)


def _renamed(judgments: JudgmentTable, run: RunTable, *, judged: bool) -> tuple[JudgmentTable, RunTable]:
    """Give every repeat an id of its own; with ``judged`` the judgment of its item too."""
    rows = _ordered(run).with_columns(pl.int_range(pl.len()).over("query", "item").alias("repeat"))
    if not (rows["repeat"] > 0).any():
        return judgments, run
    rows = rows.sort("row").with_columns(pl.col("item").cast(pl.String))
    name = pl.concat_str("item", pl.lit(_MARK), pl.col("repeat").cast(pl.String))
    rows = rows.with_columns(pl.when(pl.col("repeat") > 0).then(name).otherwise("item").alias("name"))
    judgments = replace(judgments, item=judgments.item.cast(pl.String))
    if judged:
        repeats = rows.filter(pl.col("repeat") > 0).select(pl.col("query").cast(pl.String).alias("key"), "item", "name")
        graded = pl.DataFrame({"query": judgments.query, "item": judgments.item, "grade": judgments.grade})
        more = graded.with_columns(pl.col("query").cast(pl.String).alias("key")).join(repeats, on=["key", "item"])
        judgments = replace(
            judgments,
            query=pl.concat([judgments.query, more["query"]]),
            item=pl.concat([judgments.item, more["name"].alias(judgments.item.name)]),
            grade=pl.concat([judgments.grade, more["grade"].alias(judgments.grade.name)]),
        )
    return judgments, replace(run, item=rows["name"])
