"""What a log says of pairs of query and item: how often shown and clicked where, how often seen, by how many users.

Counted partition by partition of whole users, as everything of a log is; sums add up, here and in Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rankmeter.errors import InputError, examples
from rankmeter.late import pl
from rankmeter.wings.online.events import Events
from rankmeter.wings.online.log import Log
from rankmeter.wings.online.partitions import Columns, Seen, Words, partitioned

PAIR = ["query", "item"]


@dataclass(frozen=True, slots=True)
class ClickCounts:
    """The sums of a log."""

    places: pl.DataFrame
    """By ``query``, ``item`` and ``place``: ``shown``, ``clicks``, and of lists ``seen``, ``seen_clicks``, ``last``."""
    users: pl.DataFrame
    """By ``query`` and ``item``: ``users``."""
    lists: pl.DataFrame
    """Where they were asked for: ``list``, ``query``, ``item``, ``place``, ``clicked``."""
    orphans: int
    """Clicks on what the log does not show."""


@dataclass(frozen=True, slots=True)
class ListCounting:
    """What is counted of lists: items seen down to the first click or the last; or the lists themselves."""

    until: str = ""
    """``first``, ``last``, or nothing where lists do not matter."""
    skips_clickless: bool = False
    keeps_lists: bool = False


def count_clicks(log: Events, counting: ListCounting) -> ClickCounts:
    """Count a log wherever it is."""
    needed = {"request", "query", "item", "position", "id", "words"}
    schema = log.rows.collect_schema()
    work = partial(_counts_of, counting=counting, dtypes={role: schema[role] for role in PAIR})
    with partitioned(log, needed) as partitions:
        parts: list[ClickCounts] = list(partitions.each(work))
        types = partitions.seen.types
    places = _summed_tables([part.places for part in parts], [*PAIR, "place"])
    if places.is_empty():
        raise InputError.of("online.no_impressions_of_queries", source=log.source, types=examples(types))
    if not places["clicks"].sum():
        raise InputError.of("online.no_clicks", source=log.source, types=examples(types))
    lists = [part.lists.with_columns(pl.col("list") + (at << 40)) for at, part in enumerate(parts) if len(part.lists)]
    return ClickCounts(
        places, _summed_tables([part.users for part in parts], PAIR), pl.concat(lists) if lists else pl.DataFrame(),
        sum(part.orphans for part in parts),
    )  # fmt: skip


def _summed_tables(tables: list[pl.DataFrame], keys: list[str]) -> pl.DataFrame:
    counted = [table for table in tables if len(table)]
    return pl.DataFrame() if not counted else pl.concat(counted).group_by(keys).agg(pl.exclude(keys).sum()).sort(keys)


def _counts_of(
    columns: Columns, seen: Seen, words: Words, *, counting: ListCounting, dtypes: dict[str, pl.DataType]
) -> ClickCounts:
    """The counts of some whole users."""
    part = Log(columns, seen)
    shown = part.shown_items(of_requests=True).with_columns(seen=pl.lit(0, pl.Int64), last=pl.lit(0, pl.Int64))
    if counting.until or counting.keeps_lists:
        shown = _once_a_list(shown, counting)
    by_place = shown.group_by(*PAIR, "place").agg(
        pl.col("shown", "clicks", "seen", "last").sum(), (pl.col("clicks") * pl.col("seen")).sum().alias("seen_clicks")
    )
    users = (
        shown.filter(pl.col("shown") > 0).group_by(PAIR).agg(pl.col("user").n_unique().cast(pl.Int64).alias("users"))
    )
    lists = pl.DataFrame()
    if counting.keeps_lists:
        code = pl.struct("user", "list", "query").rank("dense").cast(pl.Int64).alias("list")
        lists = shown.select(code, *PAIR, "place", (pl.col("clicks") > 0).alias("clicked"))
    by_place, users, lists = (_named(table, words, dtypes) for table in (by_place, users, lists))
    return ClickCounts(by_place, users, lists, part.found["orphan clicks"])


def _once_a_list(shown: pl.DataFrame, counting: ListCounting) -> pl.DataFrame:
    """Every item of every list once, and whether it was seen: down to the first click, or to the last."""
    lists = ["user", "list", "query"]
    rows = shown.group_by(*lists, "item", maintain_order=True).agg(
        pl.col("place").min(), pl.col("shown", "clicks").max()
    )
    rows = rows.filter(pl.col("shown") > 0)
    clicked = pl.col("place").filter(pl.col("clicks") > 0)
    end = (clicked.min() if counting.until == "first" else clicked.max()).over(lists)
    rows = rows.with_columns(end.alias("end"))
    if counting.skips_clickless:
        rows = rows.drop_nulls("end")
    seen = pl.col("end").is_null() | (pl.col("place") <= pl.col("end"))
    last = (pl.col("clicks") > 0) & (pl.col("place") == pl.col("end"))
    return rows.with_columns(seen.cast(pl.Int64).alias("seen"), last.cast(pl.Int64).alias("last"))


def _named(table: pl.DataFrame, words: Words, dtypes: dict[str, Any]) -> pl.DataFrame:
    """The table with the ids that the log has, as text: codes are those of one partition."""
    for role in PAIR if len(table) else ():
        if role in words:
            table = table.join(words[role], left_on=role, right_on="code", maintain_order="left")
            table = table.with_columns(pl.col("word").cast(pl.String).alias(role)).drop("word")
            continue
        kind = np.float64 if dtypes[role].is_float() else np.uint64 if dtypes[role] == pl.UInt64 else np.int64
        ids = pl.Series(role, table[role].to_numpy().view(kind))
        table = table.with_columns(ids.cast(dtypes[role]).cast(pl.String))
    return table
