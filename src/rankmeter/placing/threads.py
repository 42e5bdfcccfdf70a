"""Work on parts of the data on all cores: NumPy and Polars let other threads run while they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from rankmeter.late import pl
from rankmeter.placing.segments import PART_ROWS

Part = TypeVar("Part")
Done = TypeVar("Done")


def workers_for(rows: int) -> int:
    """How many threads so many rows are worth: as many as Polars was given, one where they would hardly begin."""
    return max(min(pl.thread_pool_size(), rows // (2 * PART_ROWS)), 1)


def in_threads(work: Callable[[Part], Done], parts: Iterable[Part], workers: int) -> list[Done]:
    """What work makes of each part, in their order; what it raises is raised here."""
    if workers == 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, parts))


def by_ranges(work: Callable[[range], Done], rows: int) -> list[Done]:
    """The same of equal ranges of rows, one for each thread."""
    workers = workers_for(rows)
    bounds = [rows * number // workers for number in range(workers + 1)]
    return in_threads(work, [range(first, last) for first, last in pairwise(bounds)], workers)
