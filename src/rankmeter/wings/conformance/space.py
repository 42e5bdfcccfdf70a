"""The definitions that a name may stand for: the axes of a measure, every way to change a few of them, and all tools.

An axis is an option of the measure with the values worth trying on the data. A *change* is an axis with another value
than the claimed one; a definition is identified by its set of changes. What other tools mean by a name is taken from
every dialect, under each of its options.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Any

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.errors import MeasureError, RankmeterError
from rankmeter.measures import Measure, parse_measures
from rankmeter.measures.base import REGISTRY, rule_of, stated_options
from rankmeter.measures.dialects import CUTS, Dialect, Metric, Variant, dialect_names, find_dialect
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
        others = tuple(value for value in _option_values(measure, option, data) if value != own)
        if others:
            axes[option] = others
    return axes


def _option_values(measure: Measure, option: str, data: SearchedData) -> tuple[Any, ...]:
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
    options, stated = _rules(type(measure)), _stated_names(measure)  # type: ignore[arg-type]
    wanted: dict[str, Any] = {}
    for change in changes:
        rule = options.get(change.axis)
        if rule is None or (change.axis in stated and change.axis != "cutoff"):
            continue
        if isinstance(change.value, str) and change.value not in rule.choices:
            continue
        wanted[change.axis] = None if change == _JUDGED else change.value
    return _made_under(measure, tuple(wanted.items()))


@lru_cache(maxsize=4096)
def _made_under(measure: Measure, wanted: tuple[tuple[str, Any], ...]) -> Measure | None:
    """A measure with other options, cached: of two claims, one lacks many options of the other, and repeats itself."""
    try:
        return measure(**dict(wanted))
    except MeasureError:
        return None


def changes_between(measure: Measure, other: Measure) -> Changes:
    """The changes that turn one definition of a measure into another, in order."""
    before, after = measure.describe(), other.describe()
    changed = sorted(
        (axis for axis in after if axis != "measure" and after[axis] != before.get(axis)), key=place_in_order
    )
    return tuple(Change(axis, after[axis]) for axis in changed)


@cache
def _stated_names(measure: Measure) -> frozenset[str]:
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


OURS = "rankmeter"
"""Stands for rankmeter's own definition in place of a tool."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A metric of a tool and the measure that it is."""

    dialect: str
    metric: str
    measure: Measure
    tolerance: float = 0.0
    """How far the tool's own number may be off because it rounds, or computes in single precision."""


def meant_by(text: str, asked: str = OURS) -> Measure:
    """The measure that a name stands for among rankmeter's own names, else among the tools', ``asked`` first."""
    try:
        measures = parse_measures(text)
    except MeasureError:
        first: tuple[Dialect, ...] = () if asked == OURS else (find_dialect(asked),)
        for dialect in (*first, *_dialects()):
            try:
                measure = dialect.measure(text)
            except RankmeterError:
                continue
            plain, cut = REGISTRY[type(measure).name], cut_of(measure)
            try:
                return plain if cut is None else plain(cutoff=cut)
            except MeasureError:
                return measure  # rankmeter's own has no value with a cutoff; the tool's has
        raise
    if len(measures) > 1:
        raise MeasureError.of("conformance.several_measures", text=text, count=len(measures), first=str(measures[0]))
    return measures[0]


def spoken_by_tools(text: str, measure: Measure, grades: tuple[float, ...]) -> list[Spoken]:
    """What every known tool may mean by a name: its metric of that name, and others that are the same measure."""
    spoken: dict[tuple[str, Measure], Spoken] = {}
    for dialect in _variants(grades):
        for label, meant in (*_named(dialect, text), *same_measure(dialect, measure, grades)):
            spoken.setdefault((str(dialect), meant), Spoken(str(dialect), label, meant, dialect.tolerance))
    return list(spoken.values())


def spoken_by(dialect: str, text: str, other: str = OURS) -> Spoken:
    """What a tool means by a name of its own or, if it has none of that name, by one of the other tool's or ours."""
    if dialect == OURS:
        return Spoken(OURS, text, meant_by(text, other))
    tool = find_dialect(dialect)
    try:
        return Spoken(str(tool), text, tool.measure(text))
    except MeasureError as unknown:
        try:
            same = same_measure(tool, meant_by(text, other))
        except MeasureError:
            same = []
        if not same:
            raise unknown from None
        label, measure = same[0]
        return Spoken(str(tool), label, measure)


@cache
def tools_with(measure: str, change: Change) -> tuple[str, ...]:
    """The tools that have a convention in some metric of this measure, with the option that gives it, if any."""
    tools = []
    for dialect in _dialects():
        offered = [
            option for v in dialect.variants for option in _spelled(v, {"": ("",), change.axis: (change.value,)})
        ]
        spoken = (dialect, *(find_dialect(f"{dialect.name}:{option}") for option in offered))
        having = next((str(tool) for tool in spoken if _speaks(tool, measure, change)), None)
        if having is not None:
            tools.append(having)
    return tuple(tools)


def _speaks(dialect: Dialect, measure: str, change: Change) -> bool:
    return any(
        built is not None and _has_fields(built, change)
        for metric in dialect.metrics
        if metric.measure == measure
        for options in _stating(metric, change)
        for built in (
            _built_or_none(metric, change.value if metric.number == change.axis else None, options)
            or _built_or_none(metric, 10, options),
        )
    )


def _stating(metric: Metric, change: Change) -> list[dict[str, Any]]:
    """No option of the metric, and each that sets the convention."""
    return [{}, *({name: change.value} for name, meant in metric.options.items() if meant == change.axis)]


def _has_fields(measure: Measure, change: Change) -> bool:
    own = measure.describe()
    return change.axis in own and bool(own[change.axis] == change.value)


@cache
def _dialects() -> tuple[Dialect, ...]:
    return tuple(find_dialect(name) for name in dialect_names())


@lru_cache(maxsize=8)
def _variants(grades: tuple[float, ...]) -> tuple[Dialect, ...]:
    """Every dialect as it is, under each of its options, and under two of them together."""
    # A threshold above every grade is a common slip, which gives 0 everywhere.
    thresholds = (*grades, math.floor(grades[-1]) + 1) if grades else ()
    dialects: list[Dialect] = []
    for dialect in _dialects():
        dialects.append(dialect)
        offered = [_spelled(variant, {"": ("",), "rel": thresholds, "depth": CUTOFFS}) for variant in dialect.variants]
        pairs = combinations([_spelled(variant, {"": ("",), "rel": grades}) for variant in dialect.variants], 2)
        for chosen in (*((spelled,) for spelled in offered), *pairs):
            dialects += [find_dialect(f"{dialect.name}:{','.join(options)}") for options in product(*chosen)]
    return tuple(dialects)


def _spelled(variant: Variant, values: Mapping[str, tuple[Any, ...]]) -> list[str]:
    """An option of a dialect, with each value if it takes one."""
    known = [value for value in values.get(variant.sets, ()) if not variant.sets or not isinstance(value, str)]
    return [f"{variant.name}={format_value(value)}" if variant.sets else variant.name for value in known]


def _named(dialect: Dialect, text: str) -> list[tuple[str, Measure]]:
    try:
        return list(dialect.measures(text).items())
    except RankmeterError:
        return []


def same_measure(dialect: Dialect, measure: Measure, grades: tuple[float, ...] = ()) -> list[tuple[str, Measure]]:
    """The metrics of a dialect that are this measure, cut at the same place, each as the dialect spells it.

    Options of a metric are tried one at a time, together with the one that makes it this measure, if any.
    """
    metrics = []
    for metric in dialect.metrics:
        turning = [(option, value) for option, value, name in metric.turned if name == type(measure).name]
        bases: list[dict[str, Any]] = [dict([pair]) for pair in turning]
        if metric.measure == type(measure).name:
            bases = [{}, *_scales(metric, grades)]
        number = cut_of(measure) if metric.number in CUTS else None
        for options in (base | more for base in bases for more in _option_sets(metric, grades)):
            built = _built_or_none(metric, number, options)
            if built is not None and _may_mean(metric, built, measure):
                metrics.append((dialect.spell(metric, number, options), built))
    return metrics


def cut_of(measure: Measure) -> int | None:
    """How many items of a list a measure looks at: its cutoff, or where the list is cut before."""
    return next((cut for name in CUTS if (cut := getattr(measure, name, None)) is not None), None)


def _may_mean(metric: Metric, built: Measure, measure: Measure) -> bool:
    """Whether a metric may be meant by a measure: it is cut at the same place, and a mean if the measure is one."""
    aggregate = AGGREGATES.get(built.aggregate)
    is_mean = aggregate is None or aggregate.is_average or built.aggregate == measure.aggregate
    # A depth that is not the metric's own number is an option of the whole tool (trec_eval's -M), stated or not.
    cuts = [cut_of(built)] if metric.number == "depth" else [cut_of(built), getattr(built, "cutoff", None)]
    return type(built) is type(measure) and is_mean and cut_of(measure) in cuts


def _option_sets(metric: Metric, grades: tuple[float, ...]) -> Iterator[dict[str, Any]]:
    """No option of a metric, and each that it offers with each of its values."""
    yield {}
    for name, meant in metric.options.items():
        values = grades if meant in ("rel", "unjudged") else () if isinstance(meant, str) else meant
        yield from ({name: value} for value in values)


def _scales(metric: Metric, grades: tuple[float, ...]) -> list[dict[str, Any]]:
    """The option that sets the top of the scale, with the highest grade in the data."""
    tops = [name for name, meant in metric.options.items() if meant == "max_grade"]
    return [{name: math.ceil(grades[-1])} for name in tops if grades]


def _built_or_none(metric: Metric, number: float | None, options: dict[str, Any]) -> Measure | None:
    try:
        return metric.build(number, options)
    except MeasureError:
        return None
