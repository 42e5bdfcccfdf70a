"""The definitions that a name may stand for: the axes of a measure, and every way to change a few of them.

An axis is an option of the measure with the values worth trying on the data. A *change* is an axis with another value
than the claimed one; a definition is identified by its set of changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Any

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.errors import MeasureError
from rankmeter.measures import Measure
from rankmeter.measures.base import rule_of, stated_options
from rankmeter.measures.options import Rule, format_value

ORDER = tuple(
    "queries empty miss blank duplicates itself ties scores sign depth cutoff candidates unjudged negative rel "
    "max_grade gain discount ideal norm hits ranks weight recall rounding p beta aggregate digits".split()
)
"""The order in which conventions are changed and shown: which queries, then where items stand, then their weights."""

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
"""Common cutoffs, tried if a claim states none, and for tools that cut runs before they measure."""

USUAL: Mapping[str, tuple[float, ...]] = {"p": (0.5, 0.8, 0.9, 0.95, 0.99), "beta": (0.5, 1, 2), "mult": ()}
"""Common values of numbers that are not part of a name."""

_NOT_SEARCHED = ("duplicates", "digits")
"""A list that contains an item twice is refused unless a rule is stated, so there is nothing to compare with; and
claims are rounded numbers, which values rounded query by query would match by chance."""


@dataclass(frozen=True, slots=True)
class Change:
    """One convention with another value than the claimed one."""

    axis: str
    value: Any

    def __str__(self) -> str:
        return f"{self.axis}={'none' if self.value is None else format_value(self.value)}"


Changes = tuple[Change, ...]
"""A set of changes, in the order of the axes."""


@dataclass(frozen=True, slots=True)
class SearchedData:
    """What decides which values of an axis are worth trying on the data."""

    grades: tuple[float, ...]
    """The grades above 0 in the data, lowest first."""
    longest: int
    """The length of the longest list."""
    scored: bool


def place_in_order(axis: str) -> tuple[int, str]:
    """A sort key for axes: `ORDER` first, then by name."""
    return (ORDER.index(axis) if axis in ORDER else len(ORDER), axis)


def axes_of(measure: Measure, data: SearchedData) -> dict[str, tuple[Any, ...]]:
    """The axes that a claim leaves open, each with the other values that it may have on this data."""
    stated = stated_options(measure)
    axes: dict[str, tuple[Any, ...]] = {}
    for option in sorted((option.name for option in fields(measure)), key=place_in_order):
        if (option in stated and option != "cutoff") or option in _NOT_SEARCHED:
            continue
        own = getattr(measure, option)
        # Queries that the caller did not state are those of the default policy.
        own = "judged" if option == "queries" and own is None else own
        others = tuple(value for value in _values(measure, option, data) if value != own)
        if others:
            axes[option] = others
    return axes


def _values(measure: Measure, option: str, data: SearchedData) -> tuple[Any, ...]:
    rule = _rules(type(measure))[option]  # type: ignore[arg-type]
    if option == "cutoff":
        own = getattr(measure, option)
        return (None,) if own is not None else tuple(k for k in CUTOFFS if k < data.longest)
    if option == "depth":
        cutoff = getattr(measure, "cutoff", None)
        return () if cutoff is None or cutoff >= data.longest else (cutoff,)
    if option == "rel":
        return (*data.grades, *rule.choices)
    if option == "max_grade":
        return tuple(grade for grade in range(1, 6) if not data.grades or grade >= data.grades[-1])
    if option == "sign" and not data.scored:
        return ()
    if option == "aggregate":
        return tuple(name for name in measure.aggregates if name not in AGGREGATES or AGGREGATES[name].is_average)
    if option == "ties":
        return measure.tie_rules
    return rule.choices or USUAL.get(option, ())


def with_changes(measure: Measure, changes: Changes) -> Measure | None:
    """The measure with changes of conventions that it has; None if the combination is not possible."""
    options, stated = _rules(type(measure)), _stated(measure)  # type: ignore[arg-type]
    wanted: dict[str, Any] = {}
    for change in changes:
        rule = options.get(change.axis)
        if rule is None or (change.axis in stated and change.axis != "cutoff"):
            continue
        if isinstance(change.value, str) and change.value not in rule.choices:
            continue
        wanted[change.axis] = None if change == _JUDGED else change.value
    return _made(measure, tuple(wanted.items()))


@lru_cache(maxsize=4096)
def _made(measure: Measure, wanted: tuple[tuple[str, Any], ...]) -> Measure | None:
    """A measure with other options, cached: of two claims, one lacks many options of the other, and repeats itself."""
    try:
        return measure(**dict(wanted))
    except MeasureError:
        return None


def differences(measure: Measure, other: Measure) -> Changes:
    """The changes that turn one definition of a measure into another, in order."""
    before, after = measure.describe(), other.describe()
    changed = sorted(
        (axis for axis in after if axis != "measure" and after[axis] != before.get(axis)), key=place_in_order
    )
    return tuple(Change(axis, after[axis]) for axis in changed)


@cache
def _stated(measure: Measure) -> frozenset[str]:
    return frozenset(stated_options(measure))


@cache
def _rules(kind: Any) -> dict[str, Rule]:
    return {option.name: rule_of(option) for option in fields(kind)}


_JUDGED = Change("queries", "judged")


def change_sets(axes: Mapping[str, tuple[Any, ...]], size: int) -> Iterator[Changes]:
    """Every set of ``size`` changes, at most one for each axis, in order."""
    for chosen in combinations(axes, size):
        for values in product(*(axes[axis] for axis in chosen)):
            yield tuple(Change(axis, value) for axis, value in zip(chosen, values, strict=True))


def union_of(spaces: list[dict[str, tuple[Any, ...]]]) -> dict[str, tuple[Any, ...]]:
    """The axes of several claims together."""
    joined: dict[str, dict[Any, None]] = {}
    for space in spaces:
        for axis, values in space.items():
            joined.setdefault(axis, {}).update(dict.fromkeys(values))
    return {axis: tuple(joined[axis]) for axis in sorted(joined, key=place_in_order)}
