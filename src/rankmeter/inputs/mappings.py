"""Mappings and lists as they come from Python code: recognised, checked, not copied where that can be avoided."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from math import isfinite, isinf
from typing import Any

import numpy as np

from rankmeter.errors import InputError, examples, with_hint
from rankmeter.inputs.ids import ids
from rankmeter.inputs.sources import GradedMapping, RankedLists, ScoredMapping
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl

_JUDGMENTS_LOOK = "{query: {item: grade}} or {query: [relevant items]}"
_NO_ID = (tuple, list, dict, set, frozenset, bytes, bytearray, float, type(None))
_RUN_LOOK = "{query: {item: score}} or {query: [items, best first]}"


def judgments_from_mapping(data: Any) -> GradedMapping | JudgmentTable:
    """Judgments from ``{query: {item: grade}}``, ``{query: relevant items}``, or a list whose positions are queries.

    ``{query: {item: {subtopic: grade}}}`` are judgments of subtopics.
    """
    by_query = _by_query(data, "judgments")
    if not by_query:
        raise InputError("judgments are empty: no query is judged.")
    if _has_subtopics(by_query):
        return _subtopic_table(by_query)
    if all(type(one) is dict for one in by_query.values()):
        _check_ids(by_query, "judgments", _JUDGMENTS_LOOK)
        return GradedMapping(by_query)
    by_query = _without_series(by_query, "judgments")
    graded: dict[Any, Mapping[Any, float]] = {}
    for query, one in by_query.items():
        if isinstance(one, Mapping):
            graded[query] = one
        elif isinstance(one, Collection) and not isinstance(one, (str, bytes)):
            try:
                graded[query] = dict.fromkeys(one, 1)
            except TypeError as error:
                raise InputError(_unlike("judgments", query, one, _JUDGMENTS_LOOK)) from error
        else:
            raise InputError(_unlike("judgments", query, one, _JUDGMENTS_LOOK))
    _check_ids(graded, "judgments", _JUDGMENTS_LOOK)
    return GradedMapping(graded)


def look_swapped(judgments: GradedMapping, run: ScoredMapping) -> bool:
    """Whether grades look like scores and scores like grades, by the first few of each.

    Scores of type float may be whole by chance, and some grades are fractions: all of each must be of the other's kind.

    >>> look_swapped(GradedMapping({"q": {"a": 0.91, "b": 0.2}}), ScoredMapping({"q": {"a": 2, "c": 0}}))
    True
    """
    grades, scores = (
        [value for by_item in islice(one.data.values(), 20) for value in islice(by_item.values(), 20)]
        for one in (judgments, run)
    )
    return (
        bool(scores)
        and all(isinstance(value, int) and value in range(11) for value in scores)
        and all(isinstance(value, float) for value in grades)
        and any(value % 1 for value in grades if isfinite(value))
    )


def _has_subtopics(by_query: Mapping[Any, Any]) -> bool:
    first = next((one for one in by_query.values() if isinstance(one, Mapping) and one), None)
    return first is not None and isinstance(next(iter(first.values())), Mapping)


def _subtopic_table(by_query: Mapping[Any, Any]) -> JudgmentTable:
    rows: list[tuple[Any, str, float]] = []
    sizes: list[int] = []
    look = "{query: {item: {subtopic: grade}}} throughout, or nowhere"
    for query, items in by_query.items():
        before = len(rows)
        if not isinstance(items, Mapping):
            raise InputError(_unlike("judgments", query, items, look))
        for item, topics in items.items():
            if not isinstance(topics, Mapping):
                raise InputError(_unlike("judgments", query, {item: topics}, look))
            rows.extend((item, str(topic), grade) for topic, grade in topics.items())
        sizes.append(len(rows) - before)
    item, topic, grade = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    query, queries = _query_columns(list(by_query), sizes)
    return JudgmentTable(
        query,
        ids(item),
        numbers(grade, "grade", "judgments"),
        subtopic=pl.Series(topic, dtype=pl.String),
        queries=queries,
    )


def run_from_mapping(data: Any) -> ScoredMapping | RankedLists:
    """A run from ``{query: {item: score}}``, ``{query: [items]}``, or a list whose positions are queries."""
    by_query = _by_query(data, "run")
    if not by_query:
        raise InputError("run is empty: it holds no query.")
    by_query = _without_series(by_query, "run")
    if all(isinstance(one, Mapping) for one in by_query.values()):
        _check_ids(by_query, "run", _RUN_LOOK)
        return ScoredMapping(by_query)
    for query, one in by_query.items():
        if isinstance(one, AbstractSet):
            fact = f"run: the items of query {query} are a set, which has no order."
            raise InputError(with_hint(fact, "give a list, best first"))
        if isinstance(one, Mapping) or not hasattr(one, "__getitem__") or isinstance(one, (str, bytes)):
            raise InputError(_unlike("run", query, one, _RUN_LOOK))
    lists = {query: one if isinstance(one, list) else list(one) for query, one in by_query.items()}
    _check_ids(lists, "run", _RUN_LOOK)
    return RankedLists(lists)


def _without_series(by_query: Mapping[Any, Any], what: str) -> Mapping[Any, Any]:
    """A pandas Series under a query is ``{item: value}``; anything else stays as it is."""
    if all(type(one) in (dict, list) for one in by_query.values()):
        return by_query
    plain: dict[Any, Any] = {}
    for query, one in by_query.items():
        is_series = hasattr(one, "to_dict") and hasattr(one, "index") and not isinstance(one, Mapping)
        plain[query] = one.to_dict() if is_series else one
        if is_series and len(plain[query]) != len(one):
            fact = f"{what}: the Series of query {query} has an item more than once in its index."
            raise InputError(with_hint(fact, "keep one value for each item"))
    return plain


def _check_ids(by_query: Mapping[Any, Collection[Any]], what: str, look: str) -> None:
    """Refuse ids that show that the data is of another shape; of each query only the first item is looked at."""
    kinds = set(map(type, by_query)).union(type(item) for one in by_query.values() for item in islice(one, 1))
    if kinds <= {str, int}:
        return
    for query, one in by_query.items():
        _check_id(query, what, f"{what}: a query", look)
        for item in islice(one, 1):
            _check_id(item, what, f"{what}: query {query} holds an item that", look)


def _check_id(value: object, what: str, whose: str, look: str) -> None:
    if not isinstance(value, _NO_ID):
        return
    hint = f"ids are text or whole numbers, as in {look}"
    if isinstance(value, (bytes, bytearray)):
        hint = "decode ids into text first: id.decode()"
    elif isinstance(value, float):
        # Scikit-learn takes such lists, scores by position, so they are what many people have at hand.
        hint = f"scores by position, as scikit-learn takes them, are rm.arrays({what}); ids are text or whole numbers"
    raise InputError(with_hint(f"{whose} is {type(value).__name__} {value!r:.60}.", hint))


def _by_query(data: Any, what: str) -> Mapping[Any, Any]:
    if isinstance(data, Mapping):
        return data
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return dict(enumerate(data))
    look = _JUDGMENTS_LOOK if what == "judgments" else _RUN_LOOK
    raise InputError(
        with_hint(f"{what} of type {type(data).__name__} cannot be read.", f"give {look}, a frame or a path")
    )


def _unlike(what: str, query: object, one: object, look: str) -> str:
    return with_hint(
        f"{what}: query {query} holds {type(one).__name__} {one!r:.60}.", f"{what} should look like {look}"
    )


def table_of_judgments(source: GradedMapping) -> JudgmentTable:
    """The judgments as a table, for a run that is one."""
    groups = source.data.values()
    query, queries = _query_columns(list(source.data), [len(one) for one in source.data.values()])
    return JudgmentTable(
        query,
        ids([item for one in groups for item in one]),
        numbers([grade for one in groups for grade in one.values()], "grade", source.source),
        source.source,
        queries=queries,
    )


def table_of_run(source: ScoredMapping | RankedLists) -> RunTable:
    """The run as a table, for judgments that are one."""
    if isinstance(source, RankedLists):
        scores: list[Any] = [-float(place) for one in source.data.values() for place in range(1, len(one) + 1)]
    else:
        scores = [score for one in source.data.values() for score in one.values()]
    query, queries = _query_columns(list(source.data), [len(one) for one in source.data.values()])
    return RunTable(
        query,
        ids([item for one in source.data.values() for item in one]),
        numbers(scores, "score", source.source),
        source.source,
        scored=isinstance(source, ScoredMapping),
        queries=queries,
    )


def _query_columns(every: list[Any], sizes: list[int]) -> tuple[pl.Series, pl.Series | None]:
    """The query of each row, and every query where some have no row."""
    queries = ids(every)
    query = queries.gather(pl.Series(np.repeat(np.arange(len(every)), sizes)))
    return query, None if all(sizes) else queries


def refuse_infinite_grades(source: GradedMapping) -> None:
    """Name the grades that are not finite."""
    wrong = [
        f"{grade} (query {query}, item {item})"
        for query, one in source.data.items()
        for item, grade in one.items()
        if isinf(grade)
    ]
    if wrong:
        raise InputError(f"{source.source}: a grade is not finite: {examples(wrong)}. Nothing was evaluated.")


def numbers(values: list[Any], what: str, source: str) -> pl.Series:
    """Scores or grades as a column of float64; NaN, text and infinite grades are refused."""
    try:
        column = pl.Series([float(value) for value in values], dtype=pl.Float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{source}: a {what} is not a number: {error}.") from error
    if column.is_nan().any():
        raise InputError(f"{source}: a {what} is NaN (row {column.is_nan().arg_max()}). Nothing was evaluated.")
    if what == "grade" and column.is_infinite().any():
        row = int(column.is_infinite().arg_true()[0])
        raise InputError(f"{source}: a grade is not finite: {column[row]} (row {row}). Nothing was evaluated.")
    return column
