"""Where a log is counted: here by partitions of whole users, or where it is, by the workers of Spark.

Spark looks at the rows once for what holds for the whole log, then deals them out by user; each worker counts its users
as they would be counted here, and hands over totals that add up exactly, so that the digits are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

from rankmeter.late import pl
from rankmeter.online.events import Events
from rankmeter.online.partitions import ORDER, ROWS_PER_PARTITION, Partitions, Seen, Work, ends_within
from rankmeter.online.spark_rows import ORDER_THERE, SparkRows

MOST_PARTS = 64
"""How many partitions a worker makes of its users at most."""


def partitioned(events: Events, needed: set[str]) -> Partitions | SparkPartitions:
    """A context whose ``seen`` says what holds for the whole log, and which runs work on ``each`` part of its users."""
    if events.elsewhere is None:
        return Partitions(events, needed)
    log = replace(events, elsewhere=None, rows=events.rows.head(0))
    return SparkPartitions(log, events.elsewhere, partial(Partitions, log, needed))


@dataclass(slots=True)
class SparkPartitions:
    """The rows of a log in Spark, by partitions of users."""

    log: Events
    """Without its rows."""
    rows: SparkRows
    empty: Callable[[], Partitions]
    """Makes the partitions of a worker."""
    seen: Seen = field(default_factory=Seen)

    def __enter__(self) -> Self:
        for seen in self.rows.worked(partial(_look, self.empty)):
            self.seen.add(seen)
        self.seen.settle(self.log, self._ends_within)
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was written here."""

    def _ends_within(self, span: tuple[int, int]) -> tuple[int, int]:
        ends = [pair for pair in self.rows.worked(partial(_ends, span)) if None not in pair]
        return min(first for first, _ in ends), max(last for _, last in ends)

    def each(self, work: Work) -> Iterator[Any]:
        """What the work makes of each partition, made there."""
        yield from self.rows.worked(partial(_count, self.empty, self.seen, work), dealt=True)


def _look(empty: Callable[[], Partitions], batches: Iterator[pl.DataFrame]) -> Iterator[Seen]:
    """What is seen in the rows of a partition of Spark."""
    partitions = empty()
    for batch in batches:
        partitions.take(batch, hold=False)
    yield partitions.seen


def _ends(span: tuple[int, int], batches: Iterator[pl.DataFrame]) -> Iterator[tuple[int, int]]:
    for batch in batches:
        yield ends_within(batch.lazy(), span)


def _count(empty: Callable[[], Partitions], seen: Seen, work: Work, batches: Iterator[pl.DataFrame]) -> Iterator[Any]:
    """What the work makes of the users of a partition of Spark."""
    partitions = empty()
    partitions.seen.labels = seen.labels  # so that all workers mean the same by a code
    partitions.divide(min(seen.rows, MOST_PARTS * ROWS_PER_PARTITION))
    try:
        for batch in batches:
            partitions.take(batch.rename({ORDER_THERE: ORDER}))
        partitions.seen = seen
        yield from partitions.each(work)
    finally:
        partitions.__exit__()
