"""Several runs, some of them in Spark, as one table there: what they hold, and work on all rows of a query at once."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from rankmeter.errors import InputError
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.wings import is_foreign
from rankmeter.wings.spark.cluster import check_arrow, saying_what_failed
from rankmeter.wings.spark.spark_tables import BLANK, SparkSide, local_run, run_side
from rankmeter.wings.spark.spark_worker import queries_of_partition
from rankmeter.wording import said

Frame = Any  # a pyspark DataFrame, classic or Connect
Work = Callable[[Mapping[str, RunTable]], pl.DataFrame]
"""Makes query, item, score and rank of the rows that each run has for some queries."""


@dataclass(frozen=True)
class SparkRuns:
    """Several runs as one table in Spark: query, item, value, mark and the number of the run."""

    frame: Frame
    sides: Mapping[str, SparkSide]
    id_types: tuple[str, str]

    @classmethod
    def of(cls, runs: Mapping[str, object], columns: Mapping[str, str] | None) -> SparkRuns:
        """Send what is not in Spark there; ids are text where they are in some run."""
        check_arrow()
        session: Any = next(run for run in runs.values() if is_foreign(run)).sparkSession  # type: ignore[attr-defined]
        named = columns_of(columns, "run")
        with saying_what_failed():
            sides = {
                name: run_side(run, named) if is_foreign(run) else local_run(session, run, named)
                for name, run in runs.items()
            }
            kinds = [{side.id_types[role] for side in sides.values()} for role in ("query", "item")]
            query, item = (kind.pop() if len(kind) == 1 else "string" for kind in kinds)
            parts = [
                side.marked(1, (query, item), ordered=True, subtopics=False).selectExpr("*", f"int({at}) as run")
                for at, side in enumerate(sides.values())
            ]
            together = parts[0]
            for part in parts[1:]:
                together = together.union(part)
        return cls(together, sides, (query, item))

    @property
    def scored(self) -> Mapping[str, bool]:
        """Whether each run has scores."""
        return {name: side.scored for name, side in self.sides.items()}

    def counted(self) -> tuple[int, Mapping[str, int], Mapping[str, int]]:
        """How many queries there are, how many each run asked, and how many rows of it have an infinite score.

        Null ids and scores that are no numbers are refused.
        """
        missing = "mark < 2 and (query is null or item is null or value is null or isnan(value))"
        infinite = "coalesce(abs(value) = double('Infinity'), false)"
        facts = {
            f"{name}{at}": f"int(({what}) and run = {at})"
            for at in range(len(self.sides)) for name, what in (("bad", missing), ("far", infinite), ("held", "true"))
        }  # fmt: skip
        with saying_what_failed():
            rows = self.frame.selectExpr("query", *(f"{text} as {name}" for name, text in facts.items()))
            sums = rows.groupBy("query").agg(dict.fromkeys(facts, "sum"))
            each = sums.selectExpr("query", *(_sum_of(name) for name in facts))
            together = each.groupBy().agg({"query": "count", **dict.fromkeys(facts, "sum")}).collect()[0].asDict()
        every = {name: int(together[f"sum({name})"] or 0) for name in facts}
        for at, (name, side) in enumerate(self.sides.items()):
            if every[f"bad{at}"]:
                fact = said("spark.not_numbers", source=name, column=side.column_of("value"), count=every[f"bad{at}"])
                raise InputError.of("spark.missing_cells", facts=[fact])
        held = {name: every[f"held{at}"] for at, name in enumerate(self.sides)}
        return int(together["count(query)"]), held, {name: every[f"far{at}"] for at, name in enumerate(self.sides)}

    def lacking(self, name: str) -> list[object]:
        """Some queries of other runs that this one was not asked."""
        at = list(self.sides).index(name)
        with saying_what_failed():
            rows = self.frame.selectExpr("query", f"int(run = {at}) as held").groupBy("query").agg({"held": "max"})
            return [row[0] for row in rows.where("`max(held)` = 0").orderBy("query").limit(3).collect()]

    def twice(self) -> list[tuple[str, object, object]]:
        """Some items that stand twice in a list: run, item and query."""
        with saying_what_failed():
            counts = self.frame.where("mark < 2").groupBy("run", "query", "item").count()
            rows = counts.where("count > 1").orderBy("run", "query", "item").limit(5).collect()
        names = list(self.sides)
        return [(names[row["run"]], row["item"], row["query"]) for row in rows]

    def worked(self, work: Work) -> Frame:
        """What the work makes of the rows of each query, as a table in Spark that is computed when it is used."""
        query, item = self.id_types
        schema = f"query {query}, item {item}, score double, rank bigint"
        function = partial(_over_partition, work, self.scored)
        with saying_what_failed():
            return self.frame.repartition("query").mapInArrow(function, schema)


def _sum_of(name: str) -> str:
    """A sum over the rows of a query under its own name: of what a run was asked, whether at all."""
    return f"int(`sum({name})` > 0) as {name}" if name.startswith("held") else f"`sum({name})` as {name}"


def _over_partition(work: Work, scored: Mapping[str, bool], batches: Iterator[Any]) -> Iterator[Any]:
    """Run the work on blocks of whole queries."""
    import pyarrow as pa

    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # a task has one core
    for rows in queries_of_partition(batches, Counter(), "runs"):
        tables = {}
        for at, (name, is_scored) in enumerate(scored.items()):
            own = rows.filter(pl.col("run") == at)
            listed = own.filter(pl.col("mark") < BLANK)
            asked = own["query"].unique(maintain_order=True)
            tables[name] = RunTable(listed["query"], listed["item"], listed["value"], name, is_scored, asked)
        made = work(tables)
        if made.height:
            columns = [made[name].to_arrow() for name in ("query", "item", "score", "rank")]
            kinds = {pl.String: pa.string(), pl.Int64: pa.int64(), pl.Float64: pa.float64()}
            arrays = [one.cast(next(to for of, to in kinds.items() if made[name].dtype == of))
                      for name, one in zip(("query", "item", "score", "rank"), columns, strict=True)]  # fmt: skip
            yield pa.RecordBatch.from_arrays(arrays, ["query", "item", "score", "rank"])
