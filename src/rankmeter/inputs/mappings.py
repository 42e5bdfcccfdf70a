"""Mappings and lists as they come from Python code: recognised, checked, not copied where that can be avoided."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from math import isfinite, isinf, isnan
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, InputTypeError, examples, with_hint
from rankmeter.inputs.ids import are_mixed, ids, is_id_type, refuse_same_text
from rankmeter.inputs.sources import GradedMapping, RankedLists, ScoredMapping
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl

Floats = npt.NDArray[np.float64]
Mapped = TypeVar("Mapped", GradedMapping, ScoredMapping, RankedLists)
_JUDGMENTS_LOOK = "{query: {item: grade}} or {query: [relevant items]}"
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
        return _checked(GradedMapping(by_query), _JUDGMENTS_LOOK)
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
    return _checked(GradedMapping(graded), _JUDGMENTS_LOOK)


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
    graded: list[dict[tuple[Any, str], Any]] = []
    look = "{query: {item: {subtopic: grade}}} throughout, or nowhere"
    for query, items in by_query.items():
        if not isinstance(items, Mapping):
            raise InputError(_unlike("judgments", query, items, look))
        for item, topics in items.items():
            if not isinstance(topics, Mapping):
                raise InputError(_unlike("judgments", query, {item: topics}, look))
        graded.append({(item, str(topic)): grade for item, topics in items.items() for topic, grade in topics.items()})
    query, queries = _query_columns(list(by_query), list(map(len, graded)))
    return JudgmentTable(
        query,
        ids([item for rows in graded for item, _ in rows]),
        pl.Series(numbers(graded, "grade", "judgments", list(by_query))),
        subtopic=pl.Series([topic for rows in graded for _, topic in rows], dtype=pl.String),
        queries=queries,
    )


def run_from_mapping(data: Any) -> ScoredMapping | RankedLists:
    """A run from ``{query: {item: score}}``, ``{query: [items]}``, or a list whose positions are queries."""
    by_query = _by_query(data, "run")
    if not by_query:
        raise InputError("run is empty: it holds no query.")
    by_query = _without_series(by_query, "run")
    if all(isinstance(one, Mapping) for one in by_query.values()):
        return _checked(ScoredMapping(by_query), _RUN_LOOK)
    for query, one in by_query.items():
        if isinstance(one, AbstractSet):
            fact = f"run: the items of query {query} are a set, which has no order."
            raise InputError(with_hint(fact, "give a list, best first"))
        if isinstance(one, (Mapping, str, bytes)) or not (hasattr(one, "__getitem__") and hasattr(one, "__len__")):
            raise InputError(_unlike("run", query, one, _RUN_LOOK))
    lists = {query: one if isinstance(one, list) else list(one) for query, one in by_query.items()}
    return _checked(RankedLists(lists), _RUN_LOOK)


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


def _checked(source: Mapped, look: str) -> Mapped:
    """Refuse ids that are neither text nor whole numbers."""
    if all(map(is_id_type, source.query_types | source.item_types)):
        return source
    what = source.source
    for query, items in source.data.items():
        _check_id(query, what, f"{what}: a query", look)
        for item in items:
            _check_id(item, what, f"{what}: query {query} holds an item that", look)
    return source


def _check_id(value: object, what: str, whose: str, look: str) -> None:
    if is_id_type(type(value)):
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
    groups = list(source.data.values())
    query, queries = _query_columns(list(source.data), [len(items) for items in groups])
    return JudgmentTable(
        query,
        ids([item for one in groups for item in one]),
        pl.Series(numbers(groups, "grade", source.source, list(source.data))),
        source.source,
        queries=queries,
    )


def table_of_run(source: ScoredMapping | RankedLists) -> RunTable:
    """The run as a table, for judgments that are one."""
    groups = list(source.data.values())
    if isinstance(source, RankedLists):
        scores: Floats = np.concatenate([-1.0 - np.arange(len(items)) for items in groups])
    else:
        scores = numbers(list(source.data.values()), "score", source.source, list(source.data))
    query, queries = _query_columns(list(source.data), [len(items) for items in groups])
    return RunTable(
        query,
        ids([item for items in groups for item in items]),
        pl.Series(scores),
        source.source,
        scored=isinstance(source, ScoredMapping),
        queries=queries,
    )


def _query_columns(every: list[Any], sizes: list[int]) -> tuple[pl.Series, pl.Series | None]:
    """The query of each row, and every query where some have no row."""
    queries = ids(every)
    if are_mixed(set(map(type, every))) and queries.n_unique() < len(every):
        refuse_same_text("query")
    query = queries.gather(pl.Series(np.repeat(np.arange(len(every)), sizes)))
    return query, None if all(sizes) else queries


def numbers(lists: Sequence[Mapping[Any, Any]], what: str, source: str, queries: Sequence[Any]) -> Floats:
    """The scores or grades of some mappings, one after another; what is not a number is refused, text too."""
    values: Floats | None
    try:
        values = np.array(array("d", chain.from_iterable(one.values() for one in lists)))
    except (TypeError, ValueError, OverflowError):
        values = None
    if values is None or np.isnan(values).any():
        raise InputTypeError(
            _blamed("is not a number", lambda value: not _is_number(value), lists, what, source, queries)
        )
    refuse_rounded(values, lists, what, source, queries)
    if what == "grade" and np.isinf(values).any():
        raise InputError(_blamed("is not finite", isinf, lists, what, source, queries))
    return values


def refuse_rounded(
    values: Floats, lists: Sequence[Mapping[Any, Any]], what: str, source: str, queries: Sequence[Any]
) -> None:
    """Refuse whole numbers that no float64 is: two of them may become one."""
    if values.max(initial=0.0) < 2**53 and values.min(initial=0.0) > -(2**53):
        return
    fact = _blamed("is beyond 2**53 and would be rounded", _would_be_rounded, lists, what, source, queries)
    if fact:
        raise InputError(with_hint(fact, f"subtract or divide to make every {what} smaller"))


def _would_be_rounded(value: Any) -> bool:
    return isinstance(value, int) and int(float(value)) != value


def _blamed(
    fact: str,
    is_wrong: Callable[[Any], bool],
    lists: Sequence[Mapping[Any, Any]],
    what: str,
    source: str,
    queries: Sequence[Any],
) -> str:
    """A sentence about the values that are wrong, which says where they stand; empty where none is."""
    wrong = [
        f"{value!r:.60} (query {query}, item {item})"
        for query, values in zip(queries, lists, strict=False)
        for item, value in values.items()
        if is_wrong(value)
    ]
    return f"{source}: a {what} {fact}: {examples(wrong)}. Nothing was evaluated." if wrong else ""


def _is_number(value: Any) -> bool:
    try:
        return not isnan(array("d", [value])[0])
    except (TypeError, ValueError, OverflowError):  # a whole number may be too large for a float
        return False
