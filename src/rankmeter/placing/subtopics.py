"""Judgments of subtopics: one item may be relevant to several aspects of a query, each with a grade of its own.

A measure of diversity is placed like any other, with the number of the judged item standing for its grade; the number
leads to the item's subtopics. So every tie rule and every convention of lists holds, and plain judgments cost nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankmeter.errors import InputError, examples
from rankmeter.inputs.tables import JudgmentTable
from rankmeter.late import pl
from rankmeter.placing.placements import Subtopics
from rankmeter.placing.segments import offsets_of


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
    _refuse_repeated(rows, table.source)
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


def _refuse_repeated(rows: pl.DataFrame, source: str) -> None:
    twice = rows.filter(pl.struct("query", "item", "subtopic").is_duplicated())
    if len(twice):
        shown = [f"item {row['item']} in query {row['query']}, subtopic {row['subtopic']}" for row in twice.to_dicts()]
        raise InputError.of("placing.subtopic_twice", source=source, listed=examples(shown))
