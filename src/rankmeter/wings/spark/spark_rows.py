"""A log in Spark: its first rows here, the work on it there.

Only expressions in SQL and ``mapInArrow`` are used, so that a classic session and a Connect session take the same way,
and PySpark is not imported. What workers make comes back as bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rankmeter.errors import InputError, RankmeterError
from rankmeter.late import pl
from rankmeter.wings.spark.cluster import check_arrow, saying_what_failed
from rankmeter.wings.spark.spark_tables import quoted

Frame = Any  # a pyspark DataFrame, classic or Connect

NAME = "events (Spark DataFrame)"
SAMPLE = 1000
"""How many rows come here, to see what the columns hold."""
_USER_THERE = "rankmeter user"


@dataclass(frozen=True, slots=True)
class SparkRows:
    """The rows of a log in Spark."""

    frame: Frame
    user: str
    """The column of the user, or its path."""
    arrange: Callable[..., pl.LazyFrame]
    """What makes the columns that the work needs of those of the frame."""
    order: ClassVar[str] = "rankmeter order"
    """The column that says where in the log a row stood."""

    def worked(self, work: Callable[[Iterator[pl.DataFrame]], Iterable[Any]], *, dealt: bool = False) -> list[Any]:
        """What the work, run by the workers, makes of the rows of each partition, in the order of partitions.

        With ``dealt`` all rows of a user are in one partition, and a column says where in the log a row stood.
        """
        frame, beside = self.frame, tuple[str, ...]()
        if dealt:
            user = f"{_path(self.user, frame.columns)} as {quoted(_USER_THERE)}"
            frame = frame.selectExpr("*", user, f"monotonically_increasing_id() as {quoted(self.order)}")
            # Of one column and without a number: Spark chooses how many partitions there are.
            frame, beside = frame.where(f"{quoted(_USER_THERE)} is not null").repartition(_USER_THERE), (self.order,)
        return fetched(frame, partial(_arranged, self.arrange, beside, work))


def _arranged(
    arrange: Callable[..., pl.LazyFrame],
    beside: tuple[str, ...],
    work: Callable[[Iterator[pl.DataFrame]], Iterable[Any]],
    batches: Iterator[pl.DataFrame],
) -> Iterable[Any]:
    return work(arrange(batch.lazy(), beside).collect() for batch in batches)


def fetched(frame: Frame, work: Callable[[Iterator[pl.DataFrame]], Iterable[Any]]) -> list[Any]:
    """What the work makes of the rows of each partition; an error of the data comes here as itself."""
    check_arrow()
    with saying_what_failed():
        rows = frame.mapInArrow(partial(_in_worker, work), "made binary").collect()
    results = [pickle.loads(row[0]) for row in rows]  # noqa: S301 (written by our own workers)
    for result in results:
        if isinstance(result, RankmeterError):
            raise result
    return results


def _in_worker(work: Callable[[Iterator[pl.DataFrame]], Iterable[Any]], batches: Iterator[Any]) -> Iterator[Any]:
    """Run the work on Arrow's batches. Nothing of ours is raised: Spark would try four times and bury the message."""
    import pyarrow as pa

    try:
        for result in work(pl.DataFrame(pl.from_arrow(batch)) for batch in batches):
            yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(result)], pa.binary())], ["made"])
    except RankmeterError as error:
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(error)], pa.binary())], ["made"])


def spark_sample(frame: Frame) -> tuple[pl.LazyFrame, str]:
    """The first rows of a log in Spark, and how messages call it."""
    rows = fetched(frame.limit(SAMPLE), iter)
    if not rows:
        raise InputError.of("online.log_empty", source=NAME)
    return pl.concat(rows).lazy(), NAME


def spark_times(frame: Frame, sample: pl.LazyFrame, time: str) -> pl.LazyFrame:
    """The first rows with a time, where some of the first have none."""
    if "." in time or not sample.select(pl.col(time).null_count()).collect().item():
        return sample
    rows = fetched(frame.where(f"{_path(time, frame.columns)} is not null").limit(SAMPLE), iter)
    return pl.concat(rows).lazy() if rows else sample


def _path(column: str, names: list[str]) -> str:
    """A column or a path into nested records, in SQL."""
    return quoted(column) if column in names else ".".join(map(quoted, column.split(".")))
