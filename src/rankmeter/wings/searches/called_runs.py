"""A run that holds several lists for each query, one for each call of a search, and how they become one list."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from rankmeter.errors import InputError, RepeatedItemError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import into_run, is_path
from rankmeter.inputs.attributes import table_of
from rankmeter.inputs.ids import ids
from rankmeter.inputs.tables import Run, RunFile, RunTable
from rankmeter.late import pl

CALLS = ("union", "best", "first-hit")
"""Words for how the lists of a query become what is measured; beside them ``after=2`` and ``tokens=2000``."""
CALL_NAMES = ("call", "call_id", "call_no", "search", "search_id", "step", "turn", "hop", "iteration", "subquery_id")
"""The usual names of the column that numbers the calls, the most usual first."""
TOKEN_NAMES = ("tokens", "n_tokens", "token_count", "num_tokens")


@dataclass(frozen=True, slots=True)
class Searches:
    """A run with several lists for each query, made by :func:`rankmeter.searches`."""

    rows: pl.DataFrame
    """Query, call (from 1), place (from 1 within its call), item and, where it is known, tokens; in that order."""
    queries: pl.Series
    """Every query once."""
    calls: str = "union"
    """How the lists of a query become one for measures of a list."""
    source: str = "run"

    @property
    def count(self) -> int:
        """How many lists there are."""
        return self.rows.select("query", "call").n_unique()

    @property
    def has_tokens(self) -> bool:
        """Whether it is known how long items are."""
        return "tokens" in self.rows.columns

    def lists(self) -> dict[Any, list[list[tuple[Any, float]]]]:
        """The calls of each query, in order: items with their tokens, in ranked order."""
        every: dict[Any, list[list[tuple[Any, float]]]] = {query: [] for query in self.queries.to_list()}
        tokens = self.rows["tokens"].to_list() if self.has_tokens else [0.0] * self.rows.height
        columns = (self.rows[name].to_list() for name in ("query", "call", "item"))
        for query, call, item, size in zip(*columns, tokens, strict=True):
            of_query = every[query]
            while len(of_query) < call:
                of_query.append([])
            of_query[call - 1].append((item, size))
        return every

    def one_list(self, judgments: Mapping[Any, Mapping[Any, float]] | None = None) -> RunTable:
        """One list for each query under the convention ``calls``; ``judgments`` tell which call is the first hit."""
        rows = self.rows
        limit = re.fullmatch(r"(after|tokens)=(\d+)", self.calls)
        if limit and limit[1] == "after":
            rows = rows.filter(pl.col("call") <= int(limit[2]))
        elif limit:
            rows = rows.filter(pl.col("tokens").cum_sum().over("query") <= int(limit[2]))
        elif self.calls == "first-hit":
            hits = {(query, item) for query, items in (judgments or {}).items() for item, g in items.items() if g > 0}
            is_hit = pl.Series(
                [pair in hits for pair in zip(rows["query"], rows["item"], strict=True)], dtype=pl.Boolean
            )
            chosen = rows.with_columns(hit=is_hit).group_by("query", maintain_order=True).agg(
                pl.col("call").filter(pl.col("hit")).min().alias("hit"), pl.col("call").max().alias("last")
            )  # fmt: skip
            chosen = chosen.select("query", call=pl.coalesce("hit", "last"))
            rows = rows.join(chosen, on=["query", "call"], how="semi", maintain_order="left")
        rows = rows.unique(["query", "item"], keep="first", maintain_order=True)
        place = rows.select(-pl.int_range(1, pl.len() + 1).over("query").cast(pl.Float64)).to_series()
        return RunTable(rows["query"], rows["item"], place, self.source, scored=False, queries=self.queries)


def searches(
    run: object,
    calls: str = "union",
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> Searches:
    """Several searches for one question, such as an agent makes or a query expansion.

    Parameters
    ----------
    run
        ``{query: [list, list, ...]}``, each list ``[items, best first]`` or ``{item: score}``; a frame or a file with a
        column ``call`` beside query, item and score or rank, and perhaps ``tokens``, the length of each item. Rows of
        a run without calls are one call for each query.
    calls
        What a measure of one list is given: the ``union`` of the lists in order, each item where it first stands; the
        ``best`` call of each query and measure; ``first-hit``, the first call with a relevant item, or the last call;
        ``after=2``, the union of the first two; ``tokens=2000``, as much of the union as fits so many tokens.
    columns
        Unusual column names: ``{"call": "step", "tokens": "length"}``, and those of :func:`rankmeter.evaluate`.
    format
        The format of a file, where its ending does not say it.

    Examples
    --------
    >>> import rankmeter as rm
    >>> agent = {"q1": [["a", "x"], ["x", "b"]], "q2": [["y"], ["c"]]}
    >>> judgments = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    >>> rm.evaluate(judgments, rm.searches(agent), ["RR", "R@calls=1", "CallRepeats"]).mean
    {'RR': 0.75, 'SearchRecall(calls=1)': 0.25, 'CallRepeats': 0.25}
    >>> rm.evaluate(judgments, rm.searches(agent, "best"), "RR").mean
    {'RR': 1.0}
    """
    _check_calls(calls)
    if isinstance(run, Searches):
        made = run.rows, run.queries, run.source
    elif (listed := _lists_of_lists(run)) is not None:
        made = listed
    else:
        made = _from_table(run, columns, format)
    rows, queries, source = made
    if calls.startswith("tokens") and "tokens" not in rows.columns:
        raise InputError.of("searches.no_tokens", source=source)
    _refuse_twice(rows, source)
    return Searches(rows, queries, calls, source)


def _check_calls(calls: object) -> None:
    if calls not in CALLS and not (isinstance(calls, str) and re.fullmatch(r"(after|tokens)=[1-9]\d*", calls)):
        raise InputError.of("searches.unknown_calls", calls=str(calls)[:40], known=[*CALLS, "after=2", "tokens=2000"])


def _refuse_twice(rows: pl.DataFrame, source: str) -> None:
    """Refuse an item that stands twice in one list."""
    twice = rows.filter(pl.struct("query", "call", "item").is_duplicated()).unique(
        ["query", "call", "item"], maintain_order=True
    )
    if twice.height:
        pairs = [f"{row['item']} ({row['query']}, {row['call']})" for row in twice.head(50).to_dicts()]
        raise RepeatedItemError.of("searches.returned_twice", source=source, items=examples(pairs))


def _lists_of_lists(run: object) -> tuple[pl.DataFrame, pl.Series, str] | None:
    """The rows of ``{query: [list, ...]}``; None where the queries do not hold lists of lists."""
    if not isinstance(run, Mapping) or not run:
        return None
    held = [lists for lists in run.values() if isinstance(lists, (list, tuple))]
    first = next((one for lists in held for one in lists), None)
    if not isinstance(first, (list, tuple, Mapping)):
        return None
    parts: list[tuple[Any, int, Any, float]] = []
    for query, lists in run.items():
        if not isinstance(lists, (list, tuple)) or not all(isinstance(one, (list, tuple, Mapping)) for one in lists):
            raise InputError.of("searches.not_lists", query=str(query), type=type(lists).__name__)
        for call, one in enumerate(lists, 1):
            scored = one.items() if isinstance(one, Mapping) else ((item, -place) for place, item in enumerate(one, 1))
            parts += [(query, call, item, _number(score, query, item)) for item, score in scored]
    query, item = ids([part[0] for part in parts]), ids([part[2] for part in parts])
    rows = pl.DataFrame(
        {"query": query, "call": pl.Series([part[1] for part in parts], dtype=pl.Int64), "item": item,
         "score": pl.Series([part[3] for part in parts], dtype=pl.Float64)}
    )  # fmt: skip
    return _ranked(rows), ids(list(run)).alias("query").cast(query.dtype if len(query) else pl.String), "run"


def _number(score: object, query: object, item: object) -> float:
    if isinstance(score, bool) or not isinstance(score, (int, float)) or score != score:  # noqa: PLR0124 (NaN)
        raise InputError.of("searches.no_number", query=str(query), item=str(item), score=str(score))
    return float(score)


def _from_table(
    data: object, columns: Mapping[str, str] | None, format: str | None
) -> tuple[pl.DataFrame, pl.Series, str]:
    """The rows of a frame or a file; where it has no column of calls, each query has one."""
    named = {role: name for role, name in (columns or {}).items() if role.rpartition(".")[2] not in ("call", "tokens")}
    stated = {role.rpartition(".")[2]: name for role, name in (columns or {}).items() if role not in named}
    run = into_run(data, columns=named or None, format=format if is_path(data) else None)
    table = run.run_table()
    more = _call_columns(data, run, stated, table.source)
    if any(len(column) != len(table.query) for column in more.values()):
        raise InputError.of("searches.not_row_by_row", source=table.source)
    call = _numbered_calls(table.query, more.get("call"))
    rows = pl.DataFrame({"query": table.query, "call": call, "item": table.item, "score": table.score})
    if "tokens" in more:
        tokens = more["tokens"].cast(pl.Float64, strict=False)
        if tokens.null_count() or tokens.is_nan().any() or (tokens < 0).any():
            raise InputError.of("searches.bad_tokens", source=table.source)
        rows = rows.with_columns(tokens=tokens)
    every = table.query.unique(maintain_order=True) if table.queries is None else table.queries
    return _ranked(rows), every.alias("query"), table.source


def _call_columns(data: object, run: Run, stated: Mapping[str, str], source: str) -> dict[str, pl.Series]:
    """The columns of calls and of tokens, where there are any."""
    if isinstance(data, RunFile):  # as commands read it
        data = data.source
    if isinstance(data, (Run, Mapping)) or (is_path(data) and not _has_columns(data, run)):
        if stated:
            raise InputError.of("searches.no_columns", source=source, columns=list(stated.values()))
        return {}
    given = table_of(data, "run")
    folded = {name.casefold(): name for name in given.columns}
    found = {}
    for role, usual in (("call", CALL_NAMES), ("tokens", TOKEN_NAMES)):
        name = stated.get(role) or next((folded[one] for one in usual if one in folded), None)
        if name is not None and name not in given.columns:
            raise InputError.of("searches.no_column", source=source, role=role, name=name, known=given.columns)
        if name is not None:
            found[role] = given[name]
    return found


def _has_columns(data: object, run: Run) -> bool:
    """Whether a file has columns by name: TREC text has none."""
    if isinstance(data, (str, os.PathLike)) and os.path.isfile(data):  # noqa: PTH113 (any text may be given)
        run.run_table()
        return run.how_read().format not in ("trec", "plain", "run", "")
    return False


def _numbered_calls(query: pl.Series, call: pl.Series | None) -> pl.Series:
    """Calls from 1 in each query: in the order of their numbers, or as they first stand where they are no numbers."""
    if call is None:
        return pl.Series("call", [1] * len(query), dtype=pl.Int64)
    if call.null_count():
        raise InputError.of("searches.call_missing", count=call.null_count())
    numbers = call.cast(pl.Float64, strict=False)
    rows = pl.DataFrame({"query": query, "call": numbers if not numbers.null_count() else call})
    if numbers.null_count():  # names: numbered as they come
        order = rows.select(pl.col("call").rle_id().over("query")).to_series()
        first = (
            rows.with_columns(at=pl.int_range(pl.len())).select(pl.col("at").min().over("query", "call")).to_series()
        )
        del order
        rows = rows.with_columns(call=first)
    return rows.select(pl.col("call").rank("dense").over("query").cast(pl.Int64)).to_series()


def _ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows in the order of queries, calls and ranks; the higher id first among equal scores."""
    at = rows.with_columns(at=pl.int_range(pl.len())).select(pl.col("at").min().over("query")).to_series()
    text = rows["item"].cast(pl.String)
    ordered = rows.with_columns(at=at, text=text).sort(
        ["at", "call", "score", "text"], descending=[False, False, True, True], maintain_order=True
    )
    place = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query", "call")
    kept = ["query", "call", "place", "item", *(["tokens"] if "tokens" in rows.columns else [])]
    return ordered.with_columns(place=place).select(kept)
