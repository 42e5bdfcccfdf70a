"""What runs in the Python workers of Spark: rows of whole queries in, values per query and states out.

Nothing is raised here on account of bad data: a worker that raises is tried again by Spark, four times, and its message
is buried in traces. Problems travel to the driver like results, and are said there once.
"""

from __future__ import annotations

import gc
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rankmeter.arithmetic import Values
from rankmeter.arithmetic.custom import measure
from rankmeter.errors import InputError, RankmeterError
from rankmeter.evaluating.block_lists import count_groups, listed_in
from rankmeter.evaluating.blocks import BlockValues, evaluate_block
from rankmeter.inputs import streaming
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.lists.slating import Background
from rankmeter.measures import Measure, parse
from rankmeter.wings.spark.spark_tables import BLANK
from rankmeter.wording import Said, said

BLOCK_ROWS = 1 << 19
"""From this many rows on, a block ends with the query."""
ARRAYS = {name: "boolean" if name == "counted" else "double" for name in Values.__slots__}
"""What is known of each query and measure, and its type in Spark."""
ITEM_COUNTS = {"of": "bigint", "item": "string", "key": "bigint", "times": "bigint"}
"""What is counted over all lists (`rankmeter.evaluating.block_lists`)."""


@dataclass(frozen=True)
class Work:
    """What a worker needs to know."""

    measures: tuple[str, ...]
    """As text: it holds everything, and needs no class to travel."""
    own: tuple[Callable[..., Any], ...]
    """The functions of measures that the user defined, which the cluster does not know."""
    id_types: tuple[str, ...]
    """Of query and item: ``string`` or ``bigint``."""
    scored: bool
    judgments: str | None
    """How messages call them; None where nothing is judged."""
    run: str
    known: Background | None
    """Catalogue and history, for measures of lists."""
    counts: Mapping[str, str]
    """The columns of counts of items, where a measure asks for them, and their types in Spark."""
    values: bool = False
    """Whether the values per query are wanted; else what they add up to, which is all that the means need."""

    @classmethod
    def of(
        cls,
        measures: Sequence[Measure],
        id_types: tuple[str, ...],
        sources: tuple[str | None, str],
        known: Background | None,
        *,
        scored: bool,
    ) -> Work:
        """What there is to do for these measures."""
        own = {type(m).name: type(m).function for m in measures if m.custom}  # type: ignore[attr-defined]
        counts = {}
        if known is not None and count_groups(listed_in(measures)):
            counts = {**ITEM_COUNTS, "item": "bigint" if known.ids.dtype == pl.Int64 else "string"}
        return cls(tuple(map(str, measures)), tuple(own.values()), id_types, scored, *sources, known, counts)

    def asked(self) -> list[Measure]:
        """The measures, those of the user's own made known here."""
        for function in self.own:
            measure(function)
        return [parse(text) for text in self.measures]

    @property
    def columns(self) -> dict[str, str]:
        """What comes out, and its types in Spark's words; an array has an element for each measure.

        A column for each would be four for each measure, and Spark's plans take long with hundreds of columns.
        """
        if self.values:
            return {"query": self.id_types[0], **{name: f"array<{kind}>" for name, kind in ARRAYS.items()}}
        return {"state": "string", **self.counts}

    def schema(self) -> str:
        """The same as Spark takes it."""
        return ", ".join(f"{name} {kind}" for name, kind in self.columns.items())


@dataclass(frozen=True)
class RowProblems:
    """What is wrong with the data, over all partitions."""

    MARK: ClassVar[str] = '{"problems"'

    missing: Counter[tuple[int, str]] = field(default_factory=Counter)
    """How many values are null or NaN, by side and column."""
    errors: tuple[str, ...] = ()

    def to_json(self) -> str:
        """As text, for the way to the driver."""
        missing = [[side, column, count] for (side, column), count in self.missing.items()]
        return json.dumps({"problems": {"missing": missing, "errors": self.errors}})

    def with_more(self, text: str) -> RowProblems:
        """These and the ones that `to_json` wrote."""
        problems = json.loads(text)["problems"]
        more = Counter({(side, column): count for side, column, count in problems["missing"]})
        return RowProblems(self.missing + more, (*self.errors, *problems["errors"]))

    def check(self, judgments: Any, run: Any) -> None:
        """Raise if there is any; the sides (`spark_tables.SparkSide`) know what the caller calls their columns."""
        if self.missing:
            sides = [(mark, side) for mark, side in enumerate((judgments, run)) if side is not None]
            facts = [fact for mark, side in sides for fact in _said(self.missing, mark, side)]
            raise InputError.of("spark.missing_cells", facts=facts)
        if self.errors:
            more = len(self.errors) - 1
            raise InputError(self.errors[0] + (f" ({more:,} more blocks of queries are like this.)" if more else ""))


def _said(missing: Counter[tuple[int, str]], mark: int, side: Any) -> Iterator[Said]:
    for column in ("query", "item", "value", "subtopic", "nan"):
        if count := missing[mark, column]:
            odd = "spark.not_ranks" if "rank" in side.columns else "spark.not_numbers"
            name = side.column_of("value" if column == "nan" else column)
            kind = odd if column == "nan" else "spark.no_cells"
            yield said(kind, source=side.source, column=name, count=count)


def partition_function(work: Work) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function that `mapInArrow` calls for each partition: record batches in, record batches out."""
    # A function of this module travels by its name; a nested one would take copies of the module's globals along.
    return partial(_over_rows, work)


def _over_rows(work: Work, batches: Iterator[Any]) -> Iterator[Any]:
    # A task has one core: the threads of Polars, not loaded yet, would fight with those of the other tasks.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    schema = arrow_schema(work)
    asked = work.asked()
    # Spark collects all garbage after every task; what the libraries keep need not be looked at each time (30 ms).
    gc.freeze()
    problems = RowProblems()
    for rows in queries_of_partition(batches, problems.missing, work.run):
        if problems.missing or problems.errors:
            continue  # nothing will come of it; go on counting what is wrong
        try:
            yield from _evaluated(rows, work, asked, schema)
        except RankmeterError as error:
            problems = RowProblems(problems.missing, (str(error),))
    if work.values and (problems.missing or problems.errors):
        # They were looked for when the means were made: a table that changes with every reading has them now.
        raise InputError.of("spark.run_changed", run=work.run, problems=problems.to_json())
    if problems.missing or problems.errors:
        yield _state_batch(problems.to_json(), schema)


def queries_of_partition(
    batches: Iterator[Any], missing: Counter[tuple[int, str]], source: str
) -> Iterator[pl.DataFrame]:
    """The rows of a partition, which come in any order, as blocks of whole queries.

    They are sorted here and not by Spark, whose sort takes as long as everything else. What does not fit a modest
    memory is first dealt to files. Rows with nulls are counted and left out.
    """
    held: list[Any] = []
    spilled: list[Path] = []
    size = 0
    with tempfile.TemporaryDirectory(prefix="rankmeter-") as folder:
        for batch in batches:
            held.append(batch)
            size += batch.nbytes
            if size > streaming.IN_MEMORY_BYTES:
                spilled.append(streaming.spill(_table(held), Path(folder) / f"{len(spilled):05}", source))
                held, size = [], 0
        if spilled and held:
            spilled.append(streaming.spill(_table(held), Path(folder) / f"{len(spilled):05}", source))
        parts = streaming.partitions(spilled) if spilled else [_table(held)] if held else []
        del held
        for rows in parts:
            yield from _sorted_blocks(_without_missing(rows, missing))


def _sorted_blocks(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Rows sorted by query and cut between two queries, so that a block has no more rows than is good for the cache."""
    rows = rows.sort("query", *(["position"] if "position" in rows.columns else []))
    query = rows["query"]
    starts = (query != query.shift(1)).fill_null(value=True).arg_true().to_numpy()
    first = 0
    while first < rows.height:
        beyond = np.searchsorted(starts, first + BLOCK_ROWS)
        last = int(starts[beyond]) if beyond < len(starts) else rows.height
        yield rows.slice(first, last - first)
        first = last


def _table(batches: Sequence[Any]) -> pl.DataFrame:
    """Some batches as one frame: Spark's are small, and every step on a frame has its price."""
    import pyarrow as pa

    return pl.DataFrame(pl.from_arrow(pa.Table.from_batches(batches)))


def _without_missing(frame: pl.DataFrame, missing: Counter[tuple[int, str]]) -> pl.DataFrame:
    columns = ["query", "item", "value"]
    if not frame.height:
        return frame
    lacking = [pl.col(column).is_null() for column in columns] + [pl.col("value").is_nan()]
    if "subtopic" in frame.columns:
        lacking.append(pl.col("subtopic").is_null() & (pl.col("mark") == 0))
    # A query without a row has no item.
    bad = frame.select(pl.any_horizontal(*lacking).fill_null(value=True) & (pl.col("mark") < BLANK)).to_series()
    if not bad.any():
        return frame
    for mark in (0, 1):
        side = frame.filter(pl.col("mark") == mark)
        counts = {(mark, column): side[column].null_count() for column in columns}
        counts[mark, "nan"] = int(side["value"].is_nan().sum() or 0)
        if mark == 0 and "subtopic" in frame.columns:
            counts[mark, "subtopic"] = side["subtopic"].null_count()
        missing.update({key: count for key, count in counts.items() if count})
    return frame.filter(~bad)


def _evaluated(rows: pl.DataFrame, work: Work, asked: list[Measure], schema: Any) -> Iterator[Any]:
    block = evaluate_block(*_tables(rows, work), asked, wide=work.judgments is not None, known=work.known)
    if work.values:
        yield _value_batch(block, work, schema)
        return
    if work.counts and block.counts is not None and block.counts.height:
        yield _filled_batch({name: block.counts[name].to_arrow() for name in work.counts}, schema)
    yield _state_batch(block.state.to_json(), schema)


def _tables(rows: pl.DataFrame, work: Work) -> tuple[JudgmentTable | None, RunTable]:
    """Judgments and run of a block, with the queries that have no row."""
    judged, returned = rows.filter(pl.col("mark") == 0), rows.filter(pl.col("mark") == 1)
    with_truth, with_run = (
        rows.filter(pl.col("mark").is_in([mark, mark + BLANK]))["query"].unique(maintain_order=True)
        if (rows["mark"] == mark + BLANK).any()
        else None
        for mark in (0, 1)
    )
    run = RunTable(returned["query"], returned["item"], returned["value"], work.run, work.scored, with_run)
    if work.judgments is None:
        return None, run
    subtopic = judged["subtopic"] if "subtopic" in rows.columns else None
    columns = (judged["query"], judged["item"], judged["value"])
    return JudgmentTable(*columns, work.judgments, subtopic, with_truth), run


def _value_batch(made: BlockValues, work: Work, schema: Any) -> Any:
    import pyarrow as pa

    columns: dict[str, Any] = {"query": made.queries.to_arrow()}
    width = len(work.measures)
    offsets = pa.array(np.arange(0, width * len(made.queries) + 1, width, dtype=np.int32))
    for name in ARRAYS:
        # Row by row, the measures of a query beside each other.
        flat = np.stack([getattr(values, name) for values in made.values.values()], axis=1).ravel()
        columns[name] = pa.ListArray.from_arrays(offsets, pa.array(flat))
    return _filled_batch(columns, schema)


def _state_batch(text: str, schema: Any) -> Any:
    import pyarrow as pa

    return _filled_batch({"state": pa.array([text], pa.string())}, schema)


def _filled_batch(columns: Mapping[str, Any], schema: Any) -> Any:
    """Rows with these columns, null in all others."""
    import pyarrow as pa

    rows = len(next(iter(columns.values())))
    filled = [
        columns[column.name].cast(column.type) if column.name in columns else pa.nulls(rows, column.type)
        for column in list(schema)
    ]
    return pa.RecordBatch.from_arrays(filled, schema=schema)


def arrow_schema(work: Work) -> Any:
    """The columns that come out in Arrow's words."""
    import pyarrow as pa

    kinds = {"double": pa.float64(), "boolean": pa.bool_(), "bigint": pa.int64(), "string": pa.string()}
    kinds |= {f"array<{kind}>": pa.list_(of) for kind, of in kinds.items()}
    return pa.schema([(name, kinds[kind]) for name, kind in work.columns.items()])
