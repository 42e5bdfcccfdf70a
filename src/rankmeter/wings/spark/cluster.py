"""Evaluation of Spark tables where they are: the block function runs in the cluster, values per query stay there.

Judgments and run become one table with a mark, are dealt out by query (`repartition`) and go through `mapInArrow`,
where workers sort them and evaluate blocks of whole queries. Only expressions in SQL are used, so that a classic
session and a Connect session take the same way, and PySpark is not imported. What comes back to the driver is one small
state a block, which merges exactly; the values per query are a Spark DataFrame, computed when it is first used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from rankmeter.arithmetic.parts import Values
from rankmeter.errors import InputError, MissingExtraError, warn
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.block_lists import background_of, check_blocks, listed_in, values_of_counts
from rankmeter.evaluating.blocks import DistantEvaluation, State, check_subtopics, summary
from rankmeter.evaluating.evaluation import About
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.reading import Readings
from rankmeter.late import pl
from rankmeter.lists.slating import Background
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.measures.base import TIES_BY_INPUT
from rankmeter.measures.slate_base import SlateMeasure
from rankmeter.wings import is_foreign
from rankmeter.wings.spark.spark_tables import SparkSide, judgment_side, local_judgments, local_run, quoted, run_side
from rankmeter.wings.spark.spark_worker import ARRAYS, RowProblems, Work, partition_function
from rankmeter.wording import said

Frame = Any  # a pyspark DataFrame, classic or Connect: PySpark is not imported

_JOB_ERRORS = ("pyspark", "py4j", "grpc")


@contextmanager
def saying_what_failed() -> Iterator[None]:
    """Say in a sentence what goes wrong in Spark; the whole story is kept as the cause."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if not type(error).__module__.startswith(_JOB_ERRORS) and not _is_gone(error):
            raise
        if _is_gone(error):
            raise InputError.of("spark.session_gone") from error
        if lacking := re.search(r"PACKAGE_NOT_INSTALLED\] (\w+)", text):
            raise MissingExtraError.of("spark.lacks", library=lacking[1]) from error
        if lacking := re.search(r"No module named '([\w.]+)'", text):
            raise MissingExtraError.of("spark.workers_lack", library=lacking[1]) from error
        raise InputError.of("spark.failed", reason=_telling_line(text) or type(error).__name__) from error


def _telling_line(text: str) -> str:
    """The line of a long message that says what happened: the last one of a Python trace, else the first."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any(line.startswith("Traceback") for line in lines):
        lines = [line for line in lines if re.match(r"[\w.]+(Error|Exception|Warning)\b", line)] or lines
        return lines[-1]
    return lines[0] if lines else ""


def _is_gone(error: Exception) -> bool:
    text = f"{type(error).__name__}: {error}"
    signs = (
        "SparkContext or SparkSession should be created first", "stopped SparkContext",
        "SparkContext was shut down", "SparkContext has been shutdown", "NO_ACTIVE_SESSION",
        "'NoneType' object has no attribute 'sc'", "'NoneType' object has no attribute '_jvm'", "Connection refused",
        "Connection reset", "Py4JNetworkError", "StatusCode.UNAVAILABLE", "SESSION_NOT_FOUND", "SESSION_CLOSED",
        "INVALID_HANDLE.SESSION", "SESSION_OR_CONTEXT_NOT_EXISTS",
        "BlockManagerMaster.driverEndpoint", "Channel closed", "Cannot invoke RPC",
    )  # fmt: skip
    return any(sign in text for sign in signs)


class SparkEvaluation(DistantEvaluation):
    """An evaluation whose values per query are a Spark DataFrame.

    Means, counts, tie bounds, facts and definitions are here. ``per_query`` stays in the cluster, which computes it
    when it is first used and then keeps it; ``collect()``, ``to_polars()``, ``interval()`` and everything else that
    needs the values here fetches them once.
    """

    __slots__ = ("_make", "_table")
    _make: Callable[[], Frame]
    _table: list[Frame]

    def __init__(self, make: Callable[[], Frame], **known: Any) -> None:
        super().__init__(**known, fetch=lambda: _fetched(self._made(), self))
        object.__setattr__(self, "_make", make)
        object.__setattr__(self, "_table", [])

    def _made(self) -> Frame:
        """The table of values, planned when it is first asked for and kept by the cluster once it was computed."""
        if not self._table:
            with saying_what_failed():
                self._table.append(self._make().persist())
        return self._table[0]

    @property
    def per_query(self) -> Frame:
        """A Spark DataFrame: a row per query, a column per measure, null where a query does not count."""
        alone = [(i, m) for i, m in enumerate(self.means) if m.aggregate != "whole"]
        columns = [f"case when counted[{i}] then value[{i}] end as {quoted(str(m))}" for i, m in alone]
        # A measure of all lists together has no value for a query.
        shown = " or ".join(f"counted[{i}]" for i, _ in alone) or "false"
        shown = "array_contains(counted, true)" if len(alone) == len(self.means) else shown
        with saying_what_failed():
            return self._made().where(shown).selectExpr("query", *columns)

    def to_polars(self, *measures: str | Measure) -> Any:
        """The values per query as a Polars frame, fetched."""
        return self.collect().to_polars(*measures)

    def to_pandas(self, *measures: str | Measure) -> Any:
        """The values per query as a pandas frame, fetched."""
        return self.collect().to_pandas(*measures)

    def to_arrow(self, *measures: str | Measure) -> Any:
        """The values per query as an Arrow table, fetched."""
        return self.collect().to_arrow(*measures)

    def unpersist(self) -> None:
        """Let the cluster forget the values per query; ``per_query`` would compute them again."""
        with saying_what_failed():
            while self._table:
                self._table.pop().unpersist()


@saying_what_failed()
def evaluate_spark(
    judgments: object,
    run: object,
    asked: Asked,
    columns: Mapping[str, str] | None,
    name: str,
    per_query_to: str | os.PathLike[str] | None,
    about: About,
) -> SparkEvaluation:
    """Evaluate where at least one side is a Spark DataFrame; the other, and what it is ``about``, is sent there."""
    if per_query_to is not None:
        raise InputError.of("spark.values_stay", path=f"{os.fspath(per_query_to)!r}")
    if run is None:
        raise InputError.of("evaluating.no_run")
    measures = asked.measures
    check_blocks(measures, about, judgments)
    check_arrow()
    session: Any = (run if is_foreign(run) else judgments).sparkSession  # type: ignore[attr-defined]
    truth = None
    if judgments is not None:
        judged_side = judgment_side if is_foreign(judgments) else partial(local_judgments, session)
        truth = judged_side(judgments, columns_of(columns, "judgments"))
    returned = (run_side if is_foreign(run) else partial(local_run, session))(run, columns_of(columns, "run"))
    check_subtopics(measures, truth is not None and truth.has_subtopics, "" if truth is None else truth.source)
    id_types = tuple(_id_type(role, truth or returned, returned) for role in ("query", "item"))
    sources = None if truth is None else truth.source, returned.source
    known = _known(about, measures, id_types)
    work = Work.of(measures, id_types, sources, known, scored=returned.scored)
    dealt = _dealt_by_query(truth, returned, id_types, measures)
    sums = dealt.mapInArrow(partition_function(work), work.schema())
    if work.counts:
        sums = sums.persist()  # it is read twice
    try:
        with unweighed_batches(session):
            rows = sums.where("state is not null").select("state").collect()
        states, problems = _read_states([row[0] for row in rows])
        problems.check(truth, returned)
        counted = _counted(sums, measures, known) if work.counts and known is not None else {}
        reading = Readings(None if truth is None else truth.reading, returned.reading)
        totals = summary(State.merged(states), asked, about, sources, reading, counted)
    finally:
        if work.counts:
            sums.unpersist()
    # Most callers want the means alone: sending every value back to Spark and keeping it there would cost a third more.
    values = replace(work, values=True)
    make = partial(dealt.mapInArrow, partition_function(values), values.schema())
    return SparkEvaluation(make, name=name, asked=asked.names, **totals)


def _dealt_by_query(
    truth: SparkSide | None, returned: SparkSide, id_types: tuple[str, ...], measures: Sequence[Measure]
) -> Frame:
    """Both sides as one table, all rows of a query in one partition."""
    ordered, subtopics = _needs_order(measures), truth is not None and truth.has_subtopics
    both = returned.marked(1, id_types, ordered=ordered, subtopics=subtopics)
    if truth is not None:
        both = truth.marked(0, id_types, ordered=ordered, subtopics=subtopics).union(both)
    # By column and without a number: Spark chooses how many partitions, and never deals one query to two of them.
    return both.repartition("query")


def _known(about: About, measures: Sequence[Measure], id_types: tuple[str, ...]) -> Background | None:
    """Catalogue and history, made ready for ids of these types."""
    if not listed_in(measures):
        return None
    query, item = (pl.Series(["a"] if kind == "string" else [1]) for kind in id_types)
    return background_of(about, measures, query, item)


def _counted(made: Frame, measures: Sequence[Measure], known: Background) -> dict[Measure, float]:
    """The values that come from counts of items, added up in the cluster."""
    counts = made.where("of is not null").groupBy("of", "item", "key").agg({"times": "sum"})
    table = _polars(counts.selectExpr("of", "item", "key", "`sum(times)` as times"))
    return values_of_counts(table, listed_in(measures), known)


def _read_states(texts: Sequence[str]) -> tuple[list[State], RowProblems]:
    problems = RowProblems()
    states = []
    for text in sorted(texts):  # partitions answer in any order; messages shall not depend on it
        if text.startswith(RowProblems.MARK):
            problems = problems.with_more(text)
        else:
            states.append(State.from_json(text))
    if not states and not problems.missing and not problems.errors:
        raise InputError.of("evaluating.run_without_rows")
    return states, problems


def _id_type(role: str, truth: SparkSide, returned: SparkSide) -> str:
    """The type in which ids of both sides are compared."""
    left, right = truth.id_types[role], returned.id_types[role]
    if left == right:
        return left
    numbers, text = (truth, returned) if right == "string" else (returned, truth)
    warn(said("ids_as_text", role=role, numbers=numbers.source, text=text.source))
    return "string"


def _needs_order(measures: Sequence[Measure]) -> bool:
    """Whether the order in which rows are given matters."""
    rules = {m.ties for m in measures if isinstance(m, (RankedMeasure, SlateMeasure))}
    return bool(rules.intersection(TIES_BY_INPUT)) or any(m.duplicate_policy == "first" for m in measures)


def _fetched(made: Frame, ev: DistantEvaluation) -> Evaluation:
    with saying_what_failed(), unweighed_batches(made.sparkSession):
        frame = _polars(made.select("query", *ARRAYS))
    width = len(ev.means)
    parts = [frame[name].explode(empty_as_null=True).to_numpy().reshape(-1, width).T for name in ARRAYS]
    return Evaluation(
        name=ev.name,
        ids=frame["query"],
        values={measure: Values(*(part[i] for part in parts)) for i, measure in enumerate(ev.means)},
        means=ev.means,
        tie_bounds=ev.tie_bounds,
        asked=ev.asked,
        known_facts=ev.facts,
    )


def _polars(frame: Frame) -> pl.DataFrame:
    """A Spark table, fetched."""
    if hasattr(frame, "toArrow"):
        return pl.DataFrame(pl.from_arrow(frame.toArrow()))
    kinds = {"bigint": pl.Int64, "string": pl.String, "double": pl.Float64, "boolean": pl.Boolean}
    schema = {  # PySpark 3.5
        name: pl.List(kinds[kind[6:-1]]) if kind.startswith("array<") else kinds[kind] for name, kind in frame.dtypes
    }
    return pl.DataFrame([tuple(row) for row in frame.collect()], schema=schema, orient="row")


_MOST_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
_MOST_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_UNLIMITED = str(2**31 - 1)
_FEW_ROWS = 100_000


@contextmanager
def unweighed_batches(session: Any) -> Iterator[None]:
    """While a job of ours runs, Spark ends the batches for the workers by their rows alone.

    Spark 4 has a limit in bytes too, and adds up the buffers of all columns again after every row to keep it: that
    takes longer than writing the row. Our rows are narrow, so that a batch of few rows is small.
    """
    before = None
    with suppress(Exception):  # PySpark 3.5 has no such limit, and a session may forbid to change it
        before = session.conf.get(_MOST_BYTES)
        if before == _UNLIMITED or not 0 < int(session.conf.get(_MOST_ROWS)) <= _FEW_ROWS:
            before = None  # as wanted, for instance by another thread, which will put it back; or the only limit
        if before is not None:
            session.conf.set(_MOST_BYTES, _UNLIMITED)
    try:
        yield
    finally:
        if before is not None:
            with suppress(Exception):
                session.conf.set(_MOST_BYTES, before)


def check_arrow() -> None:
    """Refuse Spark's tables where Arrow is not installed."""
    try:
        import pyarrow as pa  # noqa: F401
    except ImportError as error:
        raise MissingExtraError.of("spark.needs_arrow") from error
