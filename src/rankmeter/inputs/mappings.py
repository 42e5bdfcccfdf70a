"""Mappings and lists as they come from Python code: recognised, checked, not copied where that can be avoided."""

from __future__ import annotations

import struct
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from itertools import chain, islice, pairwise
from math import isfinite, isinf, isnan
from operator import methodcaller
from typing import Any, ClassVar, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt

from rankmeter.errors import InputError, InputTypeError, RepeatedItemError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import EXACT_WHOLE_NUMBERS, is_rounded, merged
from rankmeter.inputs.columns import VALUE_OF, is_usual
from rankmeter.inputs.ids import (
    are_mixed,
    has_text,
    ids,
    is_id_type,
    plain_id,
    refuse_no_text,
    refuse_same_text,
    types_of_ids,
)
from rankmeter.inputs.reading import Reading
from rankmeter.inputs.tables import REPEATED, Judgments, JudgmentTable, Ranks, Run, RunTable
from rankmeter.late import pl
from rankmeter.wording import Said, said, spelled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Query = str | int
Item = str | int
_JUDGMENTS_LOOK = "inputs.look_of_judgments"
_RUN_LOOK = "inputs.look_of_run"
NO_LISTS = (str, bytes, bytearray, memoryview)
"""Sequences whose parts are letters or bytes, not items."""
_TRUTH_TYPES = frozenset({bool, np.bool_})


@dataclass(frozen=True)
class _ByQuery:
    """Judgments or a run as a mapping from queries; the types of all ids are looked at once."""

    data: Mapping[Query, Any]
    source: str
    count: int = field(init=False)
    """How many items it holds, over all queries."""
    form: ClassVar[str] = "mapping"
    order: ClassVar[Literal["score", "lists"] | None] = None
    """What it came as, and what orders the items of a run."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", sum(map(len, self.data.values())))

    @property
    def mapping(self) -> Self:
        return self

    def how_read(self) -> Reading:
        return Reading(self.source, self.form, rows=self.count, order=self.order)

    @cached_property
    def query_types(self) -> frozenset[type]:
        """The types of all queries."""
        return frozenset(map(type, self.data))

    @cached_property
    def item_types(self) -> frozenset[type]:
        """The types of all items."""
        return frozenset(types_of_ids(self.data.values()))

    def only(self, queries: Collection[str]) -> Self:
        """The part that is about some queries, named as text."""
        return type(self)({query: items for query, items in self.data.items() if str(query) in queries}, self.source)

    def some_ids(self, most: int) -> tuple[list[object], list[object]]:
        items = (item for items in self.data.values() for item in items)
        return list(islice(self.data, most)), list(islice(items, most))

    def _columns(self) -> tuple[pl.Series, pl.Series, pl.Series | None]:
        """The query and the item of each row, and every query where some have no row."""
        query, queries = _query_columns(list(self.data), list(map(len, self.data.values())))
        return query, ids(list(chain.from_iterable(self.data.values()))), queries


@dataclass(frozen=True)
class GradedMapping(_ByQuery, Judgments):  # type: ignore[misc]  # which is its own mapping
    """Judgments as ``{query: {item: grade}}``."""

    data: Mapping[Query, Mapping[Item, float]]
    source: str = "judgments"
    repeated: int = 0
    """How many items of lists stood in them before."""

    def how_read(self) -> Reading:
        read = super().how_read()
        if not self.repeated:
            return read
        return replace(read, notes={REPEATED: said("judged_again", source=self.source, count=self.repeated)})

    @cached_property
    def items(self) -> list[Item]:
        """All judged items, query by query."""
        return list(chain.from_iterable(self.data.values()))

    @cached_property
    def grades(self) -> list[Any]:
        """The grade of each of them."""
        return list(chain.from_iterable(map(methodcaller("values"), self.data.values())))

    @cached_property
    def item_types(self) -> frozenset[type]:
        return frozenset(map(type, self.items))

    def kept(self) -> Callable[[], GradedMapping]:
        """Gives these judgments as they are now, whatever becomes of them.

        What is kept are lists of their parts: to copy every dictionary takes six times as long.
        """
        queries, sizes, items, grades = list(self.data), list(map(len, self.data.values())), self.items, self.grades
        for used in ("items", "grades"):  # made anew if they are asked for again: the data may have changed then
            self.__dict__.pop(used, None)

        def judgments() -> GradedMapping:
            pairs = zip(items, grades, strict=True)
            return GradedMapping({query: dict(islice(pairs, size)) for query, size in zip(queries, sizes, strict=True)})

        return judgments

    def judgment_table(self) -> JudgmentTable:
        query, item, queries = self._columns()
        grade = numbers(list(self.data.values()), "grade", self.source, list(self.data))
        return JudgmentTable(query, item, pl.Series(grade), self.source, queries=queries)


@dataclass(frozen=True)
class ScoredMapping(_ByQuery, Run):  # type: ignore[misc]
    """A run as ``{query: {item: score}}``."""

    data: Mapping[Query, Mapping[Item, float]]
    source: str = "run"
    scored: ClassVar[bool] = True
    order = "score"

    def run_table(self, depth: int | None = None) -> RunTable:  # noqa: ARG002 (scores stand in any order)
        query, item, queries = self._columns()
        score = numbers(list(self.data.values()), "score", self.source, list(self.data))
        return RunTable(query, item, pl.Series(score), self.source, queries=queries)

    def scores(self, duplicates: str) -> Mapping[Query, Mapping[Item, float]]:  # noqa: ARG002 (a key stands once)
        """The score of every item."""
        return self.data


@dataclass(frozen=True)
class RankedLists(_ByQuery, Run):  # type: ignore[misc]
    """A run as ``{query: [items, best first]}``."""

    data: Mapping[Query, Sequence[Item]]
    source: str = "run"
    scored: ClassVar[bool] = False
    form = order = "lists"

    def how_read(self) -> Reading:
        read = super().how_read()
        if len(self.item_types) < 2 or not are_mixed(self.item_types):
            return read
        mixed = (query for query, items in self.data.items() if are_mixed(set(map(type, items))))
        query = next(mixed, None)
        note = said("ids_of_two_types", source=self.source, query=str(query))
        return read if query is None else replace(read, notes={"two types": note})

    def run_table(self, depth: int | None = None) -> RunTable:
        """As one table."""
        lists = [items[:depth] for items in self.data.values()]
        sizes = np.fromiter(map(len, lists), np.int64, len(lists))
        query, queries = _query_columns(list(self.data), sizes.tolist())
        place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        item = ids(list(chain.from_iterable(lists)))
        return RunTable(query, item, Ranks(pl.Series(place + 1)), self.source, scored=False, queries=queries)

    def scores(self, duplicates: str) -> Mapping[Query, Mapping[Item, float]]:
        """Minus the place of each item; an item that stands twice is refused or counts where it stands first."""
        longest = max(map(len, self.data.values()), default=0)
        falling = [-float(place) for place in range(1, longest + 1)]
        scores: dict[Query, dict[Item, float]] = {}
        twice: list[Mapping[str, str]] = []
        for query, items in self.data.items():
            listed = dict(zip(items, falling, strict=False))
            if len(listed) != len(items):
                # dict() keeps the last score of a repeated key; the first place is the one that counts.
                listed = dict(zip(reversed(items), reversed(falling[: len(items)]), strict=True))
                listed = dict(sorted(listed.items(), key=lambda pair: -pair[1]))
                again = [item for item, times in Counter(items).items() if times > 1]
                twice.extend({"item": str(item), "query": str(query)} for item in again)
            scores[query] = listed
        if twice and duplicates == "error":
            pairs = examples(twice, kind="general.item_in_query")
            raise RepeatedItemError.of("inputs.returned_twice", source=self.source, pairs=pairs)
        return scores


Mapped = TypeVar("Mapped", GradedMapping, ScoredMapping, RankedLists)


def judgments_from_mapping(data: Any) -> GradedMapping | JudgmentTable:
    """Judgments from ``{query: {item: grade}}``, ``{query: relevant items}``, or a list whose positions are queries.

    ``{query: {item: {subtopic: grade}}}`` are judgments of subtopics.
    """
    by_query = _each_query(data, "judgments")
    if not by_query:
        raise InputError.of("inputs.no_judged_query")
    first = next((items for items in by_query.values() if isinstance(items, Mapping) and items), None)
    if first is not None and isinstance(next(iter(first.values())), Mapping):
        return _subtopic_table(by_query)
    if set(map(type, by_query.values())) == {dict}:
        return _checked(GradedMapping(by_query), _JUDGMENTS_LOOK)
    graded: dict[Any, Mapping[Any, float]] = {}
    repeated = 0
    for query, items in by_query.items():
        if isinstance(items, Mapping):
            graded[query] = items
        elif isinstance(items, Collection) and not isinstance(items, NO_LISTS):
            try:
                graded[query] = dict.fromkeys(items, 1)
                repeated += len(items) - len(graded[query])
            except TypeError as error:
                raise _unlike("judgments", query, items, _JUDGMENTS_LOOK) from error
        else:
            raise _unlike("judgments", query, items, _JUDGMENTS_LOOK)
    return _checked(GradedMapping(graded, repeated=repeated), _JUDGMENTS_LOOK)


def look_swapped(judgments: GradedMapping, run: ScoredMapping | RankedLists) -> bool:
    """Whether grades look like scores and scores like grades, by the first few of each.

    Scores of type float may be whole by chance, and some grades are fractions: all of each must be of the other's kind.

    >>> look_swapped(GradedMapping({"q": {"a": 0.91, "b": 0.2}}), ScoredMapping({"q": {"a": 2, "c": 0}}))
    True
    """
    if not run.scored or not all(isinstance(score, int) and score in range(11) for score in _first_values(run.data)):
        return False
    grades = list(_first_values(judgments.data))
    return (
        any(True for _ in _first_values(run.data))
        and all(isinstance(grade, float) for grade in grades)
        and any(grade % 1 for grade in grades if isfinite(grade))
    )


def _first_values(side: Mapping[Query, Any]) -> Iterator[Any]:
    return (value for by_item in islice(side.values(), 20) for value in islice(by_item.values(), 20))


def _subtopic_table(by_query: Mapping[Any, Any]) -> JudgmentTable:
    graded: list[dict[tuple[Any, str], Any]] = []
    look = "inputs.look_of_subtopics"
    for query, items in by_query.items():
        if not isinstance(items, Mapping):
            raise _unlike("judgments", query, items, look)
        for item, topics in items.items():
            if not isinstance(topics, Mapping):
                raise _unlike("judgments", query, {item: topics}, look)
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
    by_query = _each_query(data, "run")
    if not by_query:
        raise InputError.of("inputs.no_returned_query")
    if all(issubclass(kind, Mapping) for kind in set(map(type, by_query.values()))):
        return _checked(ScoredMapping(by_query), _RUN_LOOK)
    for query, items in by_query.items():
        if isinstance(items, AbstractSet):
            raise InputError.of("inputs.set_without_order", query=query)
        is_sequence = hasattr(items, "__getitem__") and hasattr(items, "__len__") and getattr(items, "ndim", 1) > 0
        if isinstance(items, (Mapping, *NO_LISTS)) or not is_sequence:
            raise _unlike("run", query, items, _RUN_LOOK)
    lists = {query: items if isinstance(items, list) else list(items) for query, items in by_query.items()}
    return _checked(RankedLists(lists), _RUN_LOOK)


def _checked(source: Mapped, look: str) -> Mapped:
    """Refuse ids that are neither text nor whole numbers.

    Half of a character is looked for among queries and judged items; to look at every item of a run would take a fifth
    of the time of an evaluation, and one that nobody judged is only ever counted.
    """
    types = source.query_types | source.item_types
    if any((issubclass(kind, Enum) and is_id_type(kind)) or has_text(kind) for kind in types):
        source = replace(source, data=_plain_ids(source.data, source.source))
    refuse_no_text(source.data)
    if isinstance(source, GradedMapping):
        refuse_no_text(source.items)
    if all(map(is_id_type, types)):
        return source
    what = source.source
    for query, items in source.data.items():
        _check_id(query, what, said("inputs.a_query", source=what), look)
        for item in items:
            _check_id(item, what, said("inputs.an_item_of_query", source=what, query=query), look)
    return source


def _plain_ids(data: Mapping[Any, Any], what: str) -> dict[Any, Any]:
    """The same with every id as its text or number."""

    def plain(value: Any) -> Any:
        return plain_id(value) if is_id_type(type(value)) or has_text(type(value)) else value

    def keyed(mapping: Mapping[Any, Any], role: str) -> dict[Any, Any]:
        made = {plain(key): value for key, value in mapping.items()}
        if len(made) < len(mapping):  # a UUID beside its text
            refuse_same_text(f"{what}: {role}")
        return made

    by_query = keyed(data, "query")
    return {
        query: keyed(items, "item") if isinstance(items, Mapping) else list(map(plain, items))
        for query, items in by_query.items()
    }


def _check_id(value: object, what: str, whose: Said, look: str) -> None:
    if is_id_type(type(value)):
        return
    hint = said("inputs.ids_are", look=said(look))
    if isinstance(value, (bytes, bytearray)):
        hint = said("inputs.decode_ids")
    elif isinstance(value, (tuple, list)) and len(value) == 2 and isinstance(value[1], (int, float)):
        hint = said("inputs.ids_in_pairs", look=said(look))
    elif isinstance(value, float):
        # scikit-learn takes lists of scores by position: many people have them at hand
        hint = said("inputs.whole_floats_as_ids") if value.is_integer() else said("inputs.scores_as_ids", source=what)
    raise InputError.of("inputs.id_of_type", whose=whose, type=type(value).__name__, value=spelled(value), hint=hint)


def _each_query(data: Any, what: str) -> Mapping[Any, Any]:
    """What each query has; a pandas Series or a mapping of any kind is ``{item: value}``, anything else as it is."""
    if isinstance(data, Sequence) and not isinstance(data, NO_LISTS):
        refuse_pairs(data, what)
        data = enumerate(data)
    elif not isinstance(data, Mapping):
        look = _JUDGMENTS_LOOK if what == "judgments" else _RUN_LOOK
        raise InputError.of("inputs.unreadable_type", what=what, type=type(data).__name__, look=said(look))
    by_query: dict[Any, Any] = data if isinstance(data, dict) else dict(data)
    if set(map(type, by_query.values())) <= {dict, list}:
        return by_query
    plain: dict[Any, Any] = {}
    for query, items in by_query.items():
        is_series = hasattr(items, "to_dict") and hasattr(items, "index") and not isinstance(items, Mapping)
        plain[query] = _of_series(items, what, query) if is_series else items
        if isinstance(items, Mapping) and not isinstance(items, dict):
            plain[query] = dict(items)
    return plain


def refuse_pairs(data: object, what: str) -> None:
    """Refuse a list of pairs and columns side by side: by place, a pair would be the two items of one query."""
    if not isinstance(data, (list, tuple)) or len(data) < 2:
        return
    if isinstance(data, list) and all(type(row) is tuple for row in data) and {*map(len, data)} in ({2}, {3}):
        raise InputError.of("inputs.pairs_in_a_list", what=what, row=spelled(data[0]))
    if isinstance(data, tuple) and len(data) in (2, 3) and all(hasattr(column, "__array__") for column in data):
        raise InputError.of("inputs.columns_side_by_side", what=what, count=len(data))


def _of_series(items: Any, what: str, query: object) -> Any:
    """What a pandas Series holds: items where it is named like a column of them, else a value for each of its index."""
    if getattr(items, "name", None) is not None and is_usual("item", str(items.name)):
        return items.tolist()
    if type(items.index).__name__ == "RangeIndex" and getattr(items.dtype, "kind", "") in "iu" and len(items):
        raise InputError.of("inputs.series_of_numbers", what=what, query=query, role=VALUE_OF[what])
    by_item = items.to_dict()
    if len(by_item) != len(items):
        raise InputError.of("inputs.series_repeats", what=what, query=query)
    return by_item


def _unlike(what: str, query: object, given: object, look: str) -> InputError:
    return InputError.of(
        "inputs.unlike", what=what, query=query, type=type(given).__name__, value=spelled(given), look=said(look)
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
    every = list(chain.from_iterable(map(methodcaller("values"), lists)))
    values = np.empty(len(every))
    try:
        # In one go: several times faster than value by value.
        struct.pack_into(f"{len(values)}d", values.data, 0, *every)
    except (struct.error, TypeError, ValueError, OverflowError):
        values[:] = np.nan
    check_numbers(values, lists, what, source, queries, kinds=set(map(type, every)))
    return values


def check_numbers(
    values: Floats,
    lists: Sequence[Mapping[Any, Any]],
    what: str,
    source: str,
    queries: Sequence[Any],
    *,
    kinds: AbstractSet[type] | None = None,
) -> None:
    """Refuse what is not a number, whole numbers that no float64 is, of which two may become one, and truth values.

    ``values`` is what the scores or grades of the lists have become, ``kinds`` are their types. Without them it is
    taken that a list is exact or not as its first value is.
    """
    low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    if isnan(low):
        wrong = _wrong(lambda value: not _gives_number(value), lists, queries)
        raise InputTypeError.of("inputs.values_no_numbers", source=source, role=what, pairs=wrong)
    if what == "score" and (low <= 0 <= high or low <= 1 <= high):
        if kinds is None:
            suspects: Ints = np.flatnonzero((values == 0) | (values == 1))  # what a truth value would have become
            offsets = np.cumsum([0, *map(len, lists)])
            some = set(map(type, at_positions([items.values() for items in lists], offsets, suspects)))
        if _TRUTH_TYPES & (some if kinds is None else kinds):
            pairs = _wrong(lambda value: type(value) in _TRUTH_TYPES, lists, queries)
            raise InputTypeError.of("inputs.truth_value_as_score", source=source, pairs=pairs)
    if kinds is None:
        kinds = set(map(type, map(next, map(iter, map(methodcaller("values"), filter(None, lists))))))
    if not all(issubclass(kind, (float, int)) for kind in kinds):
        # Exact numbers come from databases.
        for by_item in lists:
            is_exact = not all(issubclass(kind, (float, int)) for kind in set(map(type, by_item.values())))
            if is_exact and (pair := merged(by_item.values())) is not None:
                raise InputError.of("inputs.become_one", source=source, role=what, first=pair[0], second=pair[1])
    if max(high, -low) >= EXACT_WHOLE_NUMBERS and (wrong := _wrong(is_rounded, lists, queries)):
        raise InputError.of("inputs.values_rounded", source=source, role=what, pairs=wrong)
    if what == "grade" and (isinf(low) or isinf(high)):
        wrong = _wrong(isinf, lists, queries)
        raise InputError.of("inputs.values_infinite", source=source, role=what, pairs=wrong)


def at_positions(lists: Sequence[Iterable[Any]], offsets: Ints, positions: Ints) -> list[Any]:
    """What stands at some positions of lists one after another; the positions come list by list."""
    owner = np.searchsorted(offsets, positions, side="right") - 1
    values: list[Any] = []
    bounds = np.flatnonzero(np.diff(owner, prepend=-1, append=len(lists)))
    for first, last in pairwise(bounds.tolist()):
        number = int(owner[first])
        values.extend(map(list(lists[number]).__getitem__, (positions[first:last] - offsets[number]).tolist()))
    return values


def _wrong(is_wrong: Callable[[Any], bool], lists: Sequence[Mapping[Any, Any]], queries: Sequence[Any]) -> str:
    """The values that are wrong, and where they stand; empty where none is."""
    wrong = [
        {"value": spelled(value), "query": str(query), "item": str(item)}
        for query, values in zip(queries, lists, strict=False)
        for item, value in values.items()
        if is_wrong(value)
    ]
    return examples(wrong, kind="general.value_of_item")


def _gives_number(value: Any) -> bool:
    try:
        return not isnan(array("d", [value])[0])
    except (TypeError, ValueError, OverflowError):  # a whole number may be too large for a float
        return False
