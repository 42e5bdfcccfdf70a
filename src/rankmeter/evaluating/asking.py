"""What was asked: the texts, measures and options of a call become measures that state everything."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

from rankmeter.arithmetic.single_lists import plain_formula
from rankmeter.errors import MeasureError
from rankmeter.evaluating.measuring import Group, groups_of
from rankmeter.frozen import dataclass
from rankmeter.measures import Measure, into_measures, listed, split_measures
from rankmeter.measures.base import REGISTRY
from rankmeter.measures.grammar import compared_by
from rankmeter.wording import Option

QueryPolicy = Literal["judged", "common", "run"]
DuplicatePolicy = Literal["error", "first", "best", "counted"]


@dataclass(frozen=True)
class Asked:
    """The measures of a call, and what must be placed for them."""

    names: dict[str, Measure]
    """The measure that each text stands for: as typed first, then under its other names, all of which find a result."""
    measures: list[Measure]
    """Each measure once, in the order asked."""
    strict: bool = True
    """False where another tool's numbers are asked for: what that tool answers regardless only gets a warning."""

    def label(self, measure: Measure) -> str:
        """How a measure is labelled in results: as it was typed."""
        return next((text for text, meant in self.names.items() if meant == measure), str(measure))

    @cached_property
    def listed(self) -> list[Any]:
        """The measures of whole lists."""
        return [measure for measure in self.every if measure.about == "lists"]

    @cached_property
    def every(self) -> list[Measure]:
        """All measures, and those whose gaps between slices are measured."""
        gaps: list[Any] = [measure for measure in self.measures if measure.compares_slices]
        return list(dict.fromkeys([*self.measures, *map(compared_by, gaps)])) if gaps else self.measures

    @cached_property
    def plain(self) -> list[tuple[Any, Any]] | None:
        """Each measure with its formula for one short list; None unless all of them have one."""
        plain = [(m, plain_formula(m) if m.aggregate == "mean" else None) for m in self.measures]
        return plain if all(formula is not None for _, formula in plain) else None

    @cached_property
    def groups(self) -> list[Group]:
        """The measures of ranking, those together that can share a placing."""
        return groups_of(measure for measure in self.every if measure.about != "lists")


def ask(
    measures: object,
    *,
    queries: QueryPolicy | None = None,
    duplicates: DuplicatePolicy | None = None,
    dialect: object = None,
    expanded: Callable[[list[Measure]], list[Measure]] | None = None,
) -> Asked:
    """Read the measures of a call and apply its options to them.

    Options of the call apply to measures that do not state their own; what a dialect states gives way to them.
    ``expanded`` may turn one measure into several. The same words are not read twice.
    """
    given = tuple(listed(measures))
    words = (*given, *(option for option in (queries, duplicates) if option is not None))
    if dialect is None and expanded is None and all(isinstance(word, (str, Measure)) for word in words):
        return _asked_before(given, queries, duplicates, REGISTRY.changes)
    return _read(given, queries, duplicates, dialect, expanded or list)


def _read(
    given: tuple[object, ...], queries: Any, duplicates: Any, dialect: object,
    expanded: Callable[[list[Measure]], list[Measure]],
) -> Asked:  # fmt: skip
    for option, value, policy in (("queries", queries, QueryPolicy), ("duplicates", duplicates, DuplicatePolicy)):
        if value is not None and not isinstance(value, str):
            raise MeasureError.of("general.not_one_of", option=Option(option, value), choices=list(get_args(policy)))
    if dialect is not None and not isinstance(dialect, str):
        raise MeasureError.of("general.not_a_name", option=Option("dialect", dialect), example="recbole")
    names: dict[str, Measure] = {}
    for asked in given:
        if dialect is not None and isinstance(asked, str):
            from rankmeter.measures.dialects import find_dialect  # only where a dialect is asked for

            spoken = find_dialect(dialect).measures(asked)
            # The options of the call apply whatever the dialect states.
            free = {
                name: None for name, value in (("queries", queries), ("duplicates", duplicates)) if value is not None
            }
            names |= {text: with_call_options(measure(**free), queries, duplicates) for text, measure in spoken.items()}
            continue
        for text in split_measures(asked) if isinstance(asked, str) else [asked]:
            meant = {str(m): with_call_options(m, queries, duplicates) for m in expanded(into_measures(text))}
            for typed, (plain, measure) in zip(_typed_labels(text, list(meant)), meant.items(), strict=True):
                names |= {str(measure) if typed == plain else typed: measure, str(measure): measure, plain: measure}
    if not names:
        raise MeasureError.of("measures.none")
    return Asked(names, list(dict.fromkeys(names.values())), strict=dialect is None)


@lru_cache(maxsize=256)
def _asked_before(given: tuple[str | Measure, ...], queries: Any, duplicates: Any, _changes: int) -> Asked:
    """What these words ask for, until a user's own measure changes what they mean."""
    return _read(given, queries, duplicates, None, list)


def _typed_labels(text: object, canonical: list[str]) -> list[str]:
    """The label of each measure of a text.

    >>> _typed_labels("HR@5,10", ["Success@5", "Success@10"])
    ['HR@5', 'HR@10']
    """
    if not isinstance(text, str) or len(canonical) == 1:
        return [text] if isinstance(text, str) else canonical
    name, _, cutoffs = text.rpartition("@")
    several = [f"{name}@{cutoff}" for cutoff in cutoffs.split(",")]
    return several if name and len(several) == len(canonical) else canonical


def with_call_options(measure: Measure, queries: QueryPolicy | None, duplicates: DuplicatePolicy | None) -> Measure:
    """Apply the options of the call to a measure that does not state its own; refuse measures of events."""
    if measure.about == "events":
        raise MeasureError.of("evaluating.of_events", measure=measure)
    changes: dict[str, Any] = {}
    if queries is not None and measure.queries is None:
        changes["queries"] = None if queries == measure.default_queries else queries
    if duplicates is not None and measure.duplicates is None and measure.default_duplicates == "error":
        changes["duplicates"] = None if duplicates == "error" else duplicates
    return measure(**changes) if changes else measure
