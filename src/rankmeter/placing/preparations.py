"""What is done to a run before its items are placed: items named like their query, a first cut, repeated items.

A repeat that keeps its place is given an id of its own, which nobody judged (``duplicates="once"``), or which is judged
as the item is (``"separate"``); placing then needs to know nothing of repeats.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmeter.errors import InputError, examples
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.placing.placements import Plan, Subtopics
from rankmeter.placing.segments import offsets_of

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
        ordering=run.score.filter(chosen),
        queries=queries,
    )


def _rows_by_score(run: RunTable) -> pl.DataFrame:
    """The rows by falling score, equal ones as they were given, with their number."""
    rows = pl.DataFrame({"query": run.query, "item": run.item, "score": run.score}).with_row_index("row")
    return rows.sort("score", descending=True, maintain_order=True)


def _cut(run: RunTable, depth: int, ties: str, scores: str) -> RunTable:
    """The first rows of every query under a tie rule, or with ``included`` all that score as the last of them."""
    if scores == "float32":
        run = replace(run, ordering=run.score.cast(pl.Float32).cast(pl.Float64))
    rows = _rows_by_score(run)
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
    rows = _rows_by_score(run).with_columns(pl.int_range(pl.len()).over("query", "item").alias("repeat"))
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


def without_subtopics(table: JudgmentTable) -> JudgmentTable:
    """One judgment per item: its highest grade on any subtopic."""
    if table.subtopic is None:
        return table
    rows = pl.DataFrame({"query": table.query, "item": table.item, "grade": table.grade})
    best = rows.group_by("query", "item", maintain_order=True).agg(pl.col("grade").max())
    return replace(table, query=best["query"], item=best["item"], grade=best["grade"], subtopic=None)


def numbered_items(table: JudgmentTable) -> tuple[JudgmentTable, Subtopics]:
    """The judged items with a number for a grade, higher for higher ids, and the subtopics behind each number."""
    rows = pl.DataFrame({"query": table.query, "item": table.item, "subtopic": table.subtopic, "grade": table.grade})
    _refuse_repeated_rows(rows, table.source)
    items = rows.select("query", "item").unique(maintain_order=True)
    items = items.with_columns(pl.col("item").cast(pl.String).rank("ordinal").cast(pl.Int64).alias("number"))
    # In an order of their own, so that sums over subtopics do not depend on the order in which rows were given.
    topics = rows.select("query", "subtopic").unique().sort("query", "subtopic").with_row_index("topic")
    joined = (
        rows.join(items, on=["query", "item"], how="left")
        .join(topics, on=["query", "subtopic"], how="left")
        .sort("number", "topic")
    )
    sizes = np.bincount(joined["number"].to_numpy(), minlength=len(items) + 1).astype(np.int64)
    subtopics = Subtopics(
        offsets=offsets_of(sizes),
        topic=joined["topic"].cast(pl.Int64).to_numpy(),
        grade=joined["grade"].to_numpy(),
    )
    number = items["number"].cast(pl.Float64).alias("grade")
    return replace(table, query=items["query"], item=items["item"], grade=number, subtopic=None), subtopics


def _refuse_repeated_rows(rows: pl.DataFrame, source: str) -> None:
    twice = rows.filter(pl.struct("query", "item", "subtopic").is_duplicated())
    if len(twice):
        shown = [f"item {row['item']} in query {row['query']}, subtopic {row['subtopic']}" for row in twice.to_dicts()]
        raise InputError.of("placing.subtopic_twice", source=source, listed=examples(shown))
