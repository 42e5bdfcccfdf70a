"""How fast are splits? Ours against RecTools, RePlay and recommenders, where they are installed, and against Polars.

    python benchmarks/splits.py [--rows 25000000] [--growth]

CPU seconds of all threads, of the same rows in the same process: last row of every user, a fifth of all rows at random,
core of five, a point in time; with up to three million rows also a fifth of each user's. All cases take turns, three
times, and the least counts; what takes more than twenty seconds is done once. Peers get their own frames; ours makes
both parts and keeps no protocol, as none is looked at; "and protocol" counts everything that it says too. "Sorted
first" is a peer that gives the same rows for reordered input, as ours does by itself. ``--growth`` measures ours for a
fifth, half and all rows, with the memory that a process of its own needs for each.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl

import rankmeter as rm

CUT = 1_800_000_000
Case = tuple[str, str, Callable[[], object]]
"""What is done, who does it, the work."""
OURS = "rankmeter"
LONG = 20
"""Seconds after which a case is not repeated."""
FEW = 3_000_000
"""Rows up to which users are drawn one by one in the peers: minutes for more."""


def main() -> None:
    """Measure every splitter that can be imported here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=25_000_000)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--alone", action="store_true", help="ours only")
    asked = parser.parse_args()
    if asked.growth:
        for rows in (asked.rows // 5, asked.rows // 2, asked.rows):
            subprocess.run([sys.executable, __file__, "--alone", "--rows", str(rows)], check=True)
        return
    rows = asked.rows
    table = interactions(rows)
    print(f"{rows:,} rows, {table['user'].n_unique():,} users, {table['item'].n_unique():,} items")
    print(f"memory with the table {peak():,.0f} MiB")
    cases = [case for case in ours(table) if case[1] == OURS or not asked.alone]
    if not asked.alone:
        cases += [*polars(table), *rectools(table), *replay(table), *recommenders(table)]
    least = measured([case for case in cases if case[0] != "share a user" or rows <= FEW])
    for what in dict.fromkeys(what for what, *_ in cases):
        own = least.get((what, OURS))
        for (_, who), seconds in sorted(
            ((key, value) for key, value in least.items() if key[0] == what), key=lambda pair: pair[1]
        ):
            times = f"{seconds / own:6.1f}" if own and not who.startswith(OURS) else ""
            print(f"  {what:12} {who:28} {seconds:8.2f} s  {1e9 * seconds / rows:7.1f} ns a row  {times}", flush=True)
    print(f"peak memory {peak():,.0f} MiB")


def measured(cases: list[Case]) -> dict[tuple[str, str], float]:
    """The least CPU time of each, of all threads; they take turns, so that other work hits all alike."""
    least: dict[tuple[str, str], float] = {}
    for _ in range(3):
        for what, who, work in cases:
            if least.get((what, who), 0) < LONG:
                start = time.process_time()
                work()
                least[what, who] = min(time.process_time() - start, least.get((what, who), float("inf")))
    return least


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def interactions(rows: int) -> pl.DataFrame:
    """Rows as a film site has them: forty a user, popular items far more often."""
    rng = np.random.default_rng(0)
    return pl.DataFrame({
        "user": rng.integers(0, rows // 40, rows), "item": rng.zipf(1.2, rows) % 60_000,
        "time": rng.integers(1_000_000_000, 2_000_000_000, rows),
    })  # fmt: skip


def ours(table: pl.DataFrame) -> Iterator[Case]:
    """The parts by rankmeter."""

    def parts(how: str, **options: Any) -> object:
        made = rm.split(table, how, **options)
        return made.train, made.test

    yield "last row", OURS, lambda: parts("last_n(1)")
    yield "last row", "rankmeter and protocol", lambda: rm.split(table, "last_n(1)").protocol
    yield "last row", "rankmeter, cold and seen", lambda: parts("last_n(1)", after="cold_users,cold_items,seen")
    yield "random", OURS, lambda: parts("random(0.2)")
    yield "row a user", OURS, lambda: parts("random_n(1)")
    yield "share a user", OURS, lambda: parts("random_share(0.2)")
    yield "core of 5", OURS, lambda: rm.split(table, f"time({CUT})", before="k_core(5)").train
    yield "time", OURS, lambda: parts(f"time({CUT})")


def polars(table: pl.DataFrame) -> Iterator[Case]:
    """What anybody would write."""

    def core() -> pl.DataFrame:
        left, before = table, None
        while left.height != before:
            before = left.height
            left = left.filter(pl.len().over("user") >= 5).filter(pl.len().over("item") >= 5)
        return left

    late = pl.col("time") >= CUT
    yield "time", "Polars, one comparison", lambda: (table.filter(~late), table.filter(late))
    yield "core of 5", "Polars", core


def in_pandas(table: pl.DataFrame) -> Any:
    """The same table for tools that take pandas."""
    import pandas as pd

    return pd.DataFrame({name: table[name].to_numpy() for name in table.columns})


def rectools(table: pl.DataFrame) -> Iterator[Case]:
    """RecTools, where it is installed."""
    try:
        from rectools import Columns
        from rectools.dataset import Interactions
        from rectools.model_selection import LastNSplitter, RandomSplitter
    except ImportError:
        return
    frame = in_pandas(table).rename(columns={"user": Columns.User, "item": Columns.Item})
    frame[Columns.Datetime] = frame.pop("time").astype("datetime64[s]")
    frame[Columns.Weight] = 1.0
    known = Interactions(frame)
    off = {"filter_cold_users": False, "filter_cold_items": False, "filter_already_seen": False}

    def parts(splitter: Any) -> object:
        return [(known.df.iloc[train], known.df.iloc[test]) for train, test, _ in splitter.split(known)]

    yield "last row", "RecTools, no filters", lambda: parts(LastNSplitter(1, n_splits=1, **off))
    yield "last row", "RecTools", lambda: parts(LastNSplitter(1, n_splits=1))
    yield "random", "RecTools, no filters", lambda: parts(RandomSplitter(0.2, random_state=0, n_splits=1, **off))


def replay(table: pl.DataFrame) -> Iterator[Case]:
    """RePlay on Polars, where it is installed."""
    try:
        from replay.preprocessing.filters import InteractionEntriesFilter
        from replay.splitters import LastNSplitter, RandomSplitter, TimeSplitter
    except ImportError:
        return
    names = {"query_column": "user", "item_column": "item", "timestamp_column": "time"}
    last = LastNSplitter(1, divide_column="user", strategy="interactions", **names)
    drawn = RandomSplitter(0.2, seed=0, query_column="user", item_column="item", drop_cold_users=False)
    point = TimeSplitter(CUT, **names)
    core = InteractionEntriesFilter("user", "item", min_inter_per_user=5, min_inter_per_item=5)
    yield "last row", "RePlay (Polars)", lambda: last.split(table)
    yield "random", "RePlay (Polars)", lambda: drawn.split(table)
    yield "random", "RePlay, sorted first", lambda: drawn.split(table.sort("user", "item", "time"))
    yield "time", "RePlay (Polars)", lambda: point.split(table)
    yield "core of 5", "RePlay (Polars)", lambda: core.transform(table)


def recommenders(table: pl.DataFrame) -> Iterator[Case]:
    """recommenders, where it is installed."""
    try:
        from recommenders.datasets.python_splitters import python_random_split, python_stratified_split
        from recommenders.datasets.split_utils import filter_k_core
    except ImportError:
        return
    frame = in_pandas(table).rename(columns={"user": "userID", "item": "itemID"})
    yield "random", "recommenders", lambda: python_random_split(frame, 0.8)
    yield "share a user", "recommenders", lambda: python_stratified_split(frame, 0.8)
    yield "core of 5", "recommenders", lambda: filter_k_core(frame, 5)


if __name__ == "__main__":
    main()
