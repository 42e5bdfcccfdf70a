"""Judgments and runs as Spark tables: which column is what, which types can be used, one shape for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankmeter.errors import InputError
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.cells import LISTS, Contents
from rankmeter.inputs.columns import RANKING, Holds, judgment_columns, run_columns, say_columns
from rankmeter.inputs.reading import Reading
from rankmeter.inputs.tables import Labelled
from rankmeter.late import pl

Frame = Any  # a pyspark DataFrame, classic or Connect: PySpark is not imported

BLANK = 2
"""What is added to the mark of a query that has no row."""
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_TEXT = ("string", "char", "varchar")
_NUMBERS = (*_WHOLE, "float", "double", "decimal")
_VALUES = ("grade", *RANKING)
_ARRAY = "array<"


@dataclass(frozen=True, slots=True)
class SparkSide:
    """Judgments or a run as a Spark table."""

    frame: Frame
    columns: Mapping[str, str]
    """Which column holds what, by role."""
    types: Mapping[str, str]
    """The Spark type of each of them."""
    source: str
    blank: Frame | None = None
    """A table of the queries that have no row, where a local side had such."""

    @property
    def id_types(self) -> dict[str, str]:
        """``bigint`` or ``string`` for query and item."""
        return {role: "bigint" if _base(self.types[role]) in _WHOLE else "string" for role in ("query", "item")}

    @property
    def scored(self) -> bool:
        """False where a run has ranks only."""
        return "rank" not in self.columns

    @property
    def reading(self) -> Reading:
        """Which column became what."""
        order = next((role for role in RANKING if role in self.columns), None)
        unused = tuple(name for name in self.frame.columns if name not in self.columns.values())
        return Reading(self.source, "frame", dict(self.columns), order=order, unused=unused)  # type: ignore[arg-type]

    @property
    def has_subtopics(self) -> bool:
        """Whether judgments are about aspects of queries."""
        return "subtopic" in self.columns

    def marked(self, mark: int, id_types: tuple[str, ...], *, ordered: bool, subtopics: bool) -> Frame:
        """The table in the one shape of both sides: query, item, value, mark and, where asked for, more.

        Queries without a row get one with a mark of their own.
        """
        query, item = (
            f"cast({quoted(self.columns[role])} as {kind}) as {role}"
            for role, kind in zip(("query", "item"), id_types, strict=True)
        )
        more = ["monotonically_increasing_id() as position"] if ordered else []
        if subtopics:
            of = quoted(self.columns["subtopic"]) if self.has_subtopics else "null"
            more.append(f"cast({of} as string) as subtopic")
        rows = self.frame.selectExpr(query, item, f"{self._value()} as value", f"tinyint({mark}) as mark", *more)
        if self.blank is None:
            return rows
        nothing = [f"cast(null as {id_types[1]}) as item", "0.0D as value", f"tinyint({mark + BLANK}) as mark"]
        nothing += ["0L as position"] if ordered else []
        nothing += ["cast(null as string) as subtopic"] if subtopics else []
        return rows.union(self.blank.selectExpr(f"cast(query as {id_types[0]}) as query", *nothing))

    def _value(self) -> str:
        role = next((role for role in _VALUES if role in self.columns), None)
        if role is None:  # judgments without grades: every pair is relevant
            return "1.0D"
        column = quoted(self.columns[role])
        as_double = f"cast({column} as double)"
        if _base(self.types[role]) == "bigint":
            # Beyond 2**53 two different whole numbers may become one float: such a value is refused as NaN.
            exact = f"cast({as_double} as decimal(38, 0)) = cast({column} as decimal(38, 0))"
            as_double = f"case when {column} is null or {exact} then {as_double} else double('NaN') end"
        if role == "rank":  # what is none is refused as NaN
            as_double = f"case when {column} < 0 or {column} != floor({column}) then double('NaN') else {as_double} end"
        return f"-({as_double})" if role in ("rank", "distance") else as_double

    def column_of(self, shared: str) -> str:
        """The caller's name of a column of the shape of both sides."""
        roles = _VALUES if shared == "value" else (shared,)
        return next((self.columns[role] for role in roles if role in self.columns), shared)


def judgment_side(frame: Frame, columns: Mapping[str, str] | None) -> SparkSide:
    """Judgments: query, item and, where there is one, grade."""
    source = "judgments (Spark DataFrame)"
    return _in_rows(frame, judgment_columns(frame.columns, columns, source, _holds_of(frame)), source)


def run_side(frame: Frame, columns: Mapping[str, str] | None) -> SparkSide:
    """A run: query, item, and score or rank; the order of rows ranks nothing here, that of lists does."""
    source = "run (Spark DataFrame)"
    holds = _holds_of(frame)
    roles = run_columns(frame.columns, columns, source, holds)
    if holds(roles["item"]) in LISTS:
        return _in_rows(frame, roles, source, ranks=True)
    if not any(role in roles for role in RANKING):
        say = say_columns("score", "my_score")
        raise InputError.of("spark.nothing_ranks", source=source, names=list(frame.columns), say=say)
    return _side(frame, roles, source)


def _holds_of(frame: Frame) -> Holds:
    """What columns hold, by their types: to look at values would start a job."""
    kinds = {name: _base(kind) for name, kind in frame.dtypes}

    def holds(column: str) -> Contents:
        kind = kinds[column]
        if kind.startswith(_ARRAY):
            return "lists of numbers" if kind.removeprefix(_ARRAY).removesuffix(">") in _NUMBERS else "lists"
        return "numbers" if kind in (*_NUMBERS, "boolean") else "words" if kind in _TEXT else "other"

    return holds


def _in_rows(frame: Frame, found: Mapping[Any, str], source: str, *, ranks: bool = False) -> SparkSide:
    """A side with a row for each item, also where a row holds a list of them; lists without scores are ranked.

    Of two lists in a row the shorter one ends in nulls, which are refused later, as is a list that is missing.
    """
    kinds = dict(frame.dtypes)
    if not kinds[found["item"]].startswith(_ARRAY):
        return _side(frame, found, source)
    listed = [role for role, column in found.items() if kinds[column].startswith(_ARRAY)]
    single = [role for role in found if role not in listed]
    if alone := next((role for role in RANKING if role in single), None):
        raise InputError.of("inputs.one_for_a_list", source=source, role=alone)
    named = frame.selectExpr(*(f"{quoted(column)} as {role}" for role, column in found.items()))
    by_order = ranks and not any(role in found for role in RANKING)
    if by_order and (twice := named.groupBy("query").count().filter("count > 1").head(1)):
        raise InputError.of("spark.second_list", source=source, query=twice[0]["query"])
    rows = named.filter("not size(item) <=> 0").selectExpr(
        *single, f"posexplode_outer(arrays_zip({', '.join(listed)})) as (position, listed)"
    )
    values = [f"listed.{role} as {quoted(found[role])}" for role in listed]
    order = ["position + 1 as rank"] if by_order else []
    apart = rows.selectExpr(*(f"{role} as {quoted(found[role])}" for role in single), *values, *order)
    side = _side(apart, {**found, **({"rank": "rank"} if by_order else {})}, source)
    return replace(side, blank=named.filter("size(item) = 0").select("query"))


def _side(frame: Frame, found: Mapping[Any, str], source: str) -> SparkSide:
    kinds = dict(frame.dtypes)
    types: dict[str, str] = {role: kinds[column] for role, column in found.items()}
    for role, kind in types.items():
        base = _base(kind)
        if role in ("query", "item"):
            if base not in (*_WHOLE, *_TEXT):
                raise InputError.of("spark.ids_of_type", source=source, role=role, column=found[role], type=kind)
        elif role == "subtopic":
            continue  # a name, of whatever type
        elif base not in _NUMBERS and not (base == "boolean" and role == "grade"):
            raise InputError.of("spark.numbers_of_type", source=source, role=role, column=found[role], type=kind)
    return SparkSide(frame, dict(found), types, source)


def local_judgments(session: Any, data: object, columns: Mapping[str, str] | None) -> SparkSide:
    """Judgments that are not in Spark, sent there."""
    if isinstance(data, Labelled):
        raise InputError.of("spark.labelled_alone")
    truth = into_judgments(data, columns=columns).judgment_table()
    sent = {"query": truth.query, "item": truth.item, "grade": truth.grade}
    if truth.subtopic is not None:
        sent["subtopic"] = truth.subtopic.cast(pl.String)
    return _sent(sent, session, truth.source, truth.queries)


def local_run(session: Any, data: object, columns: Mapping[str, str] | None) -> SparkSide:
    """A run that is not in Spark, sent there."""
    run = into_run(data, columns=columns).run_table()
    value = {"score": run.score} if run.scored else {"rank": -run.score}
    return _sent({"query": run.query, "item": run.item, **value}, session, run.source, run.queries)


def _sent(columns: Mapping[str, pl.Series], session: Any, source: str, queries: pl.Series | None) -> SparkSide:
    frame = pl.DataFrame(columns).with_columns(pl.selectors.unsigned_integer().cast(pl.String))  # Spark has none
    kinds = {pl.String: "string", pl.Int64: "bigint", pl.Float64: "double"}
    types = {column: next(kind for of, kind in kinds.items() if dtype == of) for column, dtype in frame.schema.items()}
    schema = ", ".join(f"{column} {kind}" for column, kind in types.items())
    blank = None
    if queries is not None:
        without = queries.cast(frame.schema["query"]).to_frame("query").join(frame, on="query", how="anti")
        blank = session.createDataFrame(without.rows(), f"query {types['query']}") if without.height else None
    sent = session.createDataFrame(frame.rows(), schema)
    return SparkSide(sent, {name: name for name in columns}, types, source, blank)


def _base(kind: str) -> str:
    """The type without its size: ``decimal(10,2)`` is decimal."""
    return kind.partition("(")[0].strip().lower()


def quoted(name: str) -> str:
    """A name as Spark's SQL takes any name."""
    return "`" + name.replace("`", "``") + "`"
