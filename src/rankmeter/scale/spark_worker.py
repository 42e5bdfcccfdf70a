"""What runs in the Python workers of Spark: rows of whole queries in, values per query and states out.

Nothing is raised here on account of bad data: a worker that raises is tried again by Spark, four times, and its message
is buried in traces. Problems travel to the driver like results, and are said there once.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rankmeter.arithmetic import FORMULAS
from rankmeter.errors import InputError, RankmeterError, with_hint
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.scale.blocks import evaluate_block

BLOCK_ROWS = 1 << 19
"""A block is worked on when it has so many rows, or when the partition ends; a longer query is a block of its own."""
ARRAYS = {"value": "double", "counted": "boolean", "numerator": "double", "denominator": "double"}
"""What is known of each query and measure (`rankmeter.arithmetic.Values`), and its type in Spark."""


@dataclass(frozen=True)
class Work:
    """What a worker needs to know."""

    measures: tuple[Measure, ...]
    formulas: Mapping[str, Any]
    """The formulas of measures that the user defined."""
    id_types: tuple[str, ...]
    """Of query and item: ``string`` or ``bigint``."""
    scored: bool
    judgments: str
    run: str

    def schema(self) -> str:
        """The columns that come out, in Spark's words; an array has an element for each measure.

        A column for each would be four for each measure, and Spark's plans take long with hundreds of columns.
        """
        arrays = ", ".join(f"{name} array<{kind}>" for name, kind in ARRAYS.items())
        return f"query {self.id_types[0]}, {arrays}, state string"


@dataclass(frozen=True)
class Problems:
    """What is wrong with the data, over all partitions."""

    MARK: ClassVar[str] = '{"problems"'

    missing: Counter[tuple[int, str]] = field(default_factory=Counter)
    """How many values are null or NaN, by side and column."""
    errors: tuple[str, ...] = ()

    def to_json(self) -> str:
        """As text, for the way to the driver."""
        missing = [[side, column, count] for (side, column), count in self.missing.items()]
        return json.dumps({"problems": {"missing": missing, "errors": self.errors}})

    def with_more(self, text: str) -> Problems:
        """These and the ones that `to_json` wrote."""
        found = json.loads(text)["problems"]
        more = Counter({(side, column): count for side, column, count in found["missing"]})
        return Problems(self.missing + more, (*self.errors, *found["errors"]))

    def check(self, judgments: Any, run: Any) -> None:
        """Raise if there is any; the sides (`spark_tables.Side`) know what the caller calls their columns."""
        if self.missing:
            facts = [
                f"{side.source}: {what} in {count:,} {'row' if count == 1 else 'rows'}"
                for mark, side in enumerate((judgments, run))
                for what, count in _said(self.missing, mark, side)
            ]
            fact = f"{'; '.join(facts)}. Nothing was evaluated."
            raise InputError(with_hint(fact, "drop or fill these rows first: frame.dropna(subset=[...])"))
        if self.errors:
            more = len(self.errors) - 1
            raise InputError(self.errors[0] + (f" ({more:,} more blocks of queries are like this.)" if more else ""))


def _said(missing: Counter[tuple[int, str]], mark: int, side: Any) -> Iterator[tuple[str, int]]:
    words_of = {"query": "missing", "item": "missing", "value": "missing", "nan": "NaN or beyond 2**53"}
    for column, words in words_of.items():
        if count := missing[mark, column]:
            yield f"'{side.column_of('value' if column == 'nan' else column)}' is {words}", count


def partition_function(work: Work) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """The function that `mapInArrow` calls for each partition: record batches in, record batches out."""
    # A function of this module travels by its name; a nested one would take copies of the module's globals along.
    return partial(_over_partition, work)


def _over_partition(work: Work, batches: Iterator[Any]) -> Iterator[Any]:
    FORMULAS.update(work.formulas)
    schema = arrow_schema(work)
    problems = Problems()
    for rows in whole_queries(batches, problems.missing):
        if problems.missing or problems.errors:
            continue  # nothing will come of it; go on counting what is wrong
        try:
            yield from _evaluated(rows, work, schema)
        except RankmeterError as error:
            problems = Problems(problems.missing, (str(error),))
    if problems.missing or problems.errors:
        yield _state_batch(problems.to_json(), schema)


def whole_queries(batches: Iterator[Any], missing: Counter[tuple[int, str]]) -> Iterator[pl.DataFrame]:
    """Cut the sorted rows of a partition into blocks of whole queries; rows with nulls are counted and left out."""
    held: list[pl.DataFrame] = []
    size = 0
    for batch in batches:
        frame = _without_missing(pl.DataFrame(pl.from_arrow(batch)), missing)
        held.append(frame)
        size += frame.height
        if size >= BLOCK_ROWS:
            rows = pl.concat(held)
            cut = int((rows["query"] != rows["query"][-1]).sum())  # sorted: all rows before the last query
            if cut:
                yield rows.head(cut)
            held = [rows.slice(cut)]
            # A query longer than a block: look again only when twice as much has come, so that cost stays linear.
            size = min(0, BLOCK_ROWS - held[0].height)
    if any(frame.height for frame in held):
        yield pl.concat(held)


def _without_missing(frame: pl.DataFrame, missing: Counter[tuple[int, str]]) -> pl.DataFrame:
    columns = ("query", "item", "value")
    if not frame.height:
        return frame
    bad = frame.select(pl.any_horizontal(*(pl.col(c).is_null() for c in columns), pl.col("value").is_nan())).to_series()
    bad = bad.fill_null(value=True)
    if not bad.any():
        return frame
    for mark in (0, 1):
        side = frame.filter(pl.col("mark") == mark)
        counts = {(mark, column): side[column].null_count() for column in columns}
        counts[mark, "nan"] = int(side["value"].is_nan().sum() or 0)
        missing.update({key: count for key, count in counts.items() if count})
    return frame.filter(~bad)


def _evaluated(rows: pl.DataFrame, work: Work, schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    judged, returned = rows.filter(pl.col("mark") == 0), rows.filter(pl.col("mark") == 1)
    truth = JudgmentTable(judged["query"], judged["item"], judged["value"].alias("grade"), work.judgments)
    run = RunTable(returned["query"], returned["item"], returned["value"].alias("score"), work.run, work.scored)
    made = evaluate_block(truth, run, work.measures, wide=True)
    columns: list[Any] = [made.queries.to_arrow().cast(schema.field("query").type)]
    width = len(work.measures)
    offsets = pa.array(np.arange(0, width * len(made.queries) + 1, width, dtype=np.int32))
    for name in ARRAYS:
        # Row by row, the measures of a query beside each other.
        flat = np.stack([getattr(values, name) for values in made.values.values()], axis=1).ravel()
        columns.append(pa.ListArray.from_arrays(offsets, pa.array(flat)).cast(schema.field(name).type))
    columns.append(pa.nulls(len(made.queries), pa.string()))
    yield pa.RecordBatch.from_arrays(columns, schema=schema)
    yield _state_batch(made.state.to_json(), schema)


def _state_batch(text: str, schema: Any) -> Any:
    import pyarrow as pa

    nothing = [pa.nulls(1, one.type) for one in list(schema)[:-1]]
    return pa.RecordBatch.from_arrays([*nothing, pa.array([text], pa.string())], schema=schema)


def arrow_schema(work: Work) -> Any:
    """The schema of `Work.schema` in Arrow's words."""
    import pyarrow as pa

    kinds = {"double": pa.float64(), "boolean": pa.bool_(), "bigint": pa.int64(), "string": pa.string()}
    arrays = [(name, pa.list_(kinds[kind])) for name, kind in ARRAYS.items()]
    return pa.schema([("query", kinds[work.id_types[0]]), *arrays, ("state", pa.string())])
