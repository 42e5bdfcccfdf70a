"""What the known tools mean by a name: every dialect, under each of its options, as measures to try."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Any

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.definitions.space import CUTOFFS, Change
from rankmeter.errors import MeasureError, RankmeterError
from rankmeter.measures import Measure, parse_measures
from rankmeter.measures.base import REGISTRY
from rankmeter.measures.dialects import CUTS, Dialect, Metric, Variant, dialect_names, find_dialect
from rankmeter.measures.options import format_value

OURS = "rankmeter"
"""What stands for rankmeter's own definition where a tool is named."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A metric of a tool and the measure that it is."""

    dialect: str
    metric: str
    measure: Measure
    tolerance: float = 0.0
    """By how much the tool's own number may differ: it rounds it, or computes in single precision."""


def meant_by(text: str, asked: str = OURS) -> Measure:
    """The measure that a name stands for, by rankmeter's own names or else by those of the tools, ``asked`` first."""
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
                return measure  # With a cutoff rankmeter's own has no value; the tool's has.
        raise
    if len(measures) > 1:
        raise MeasureError.of("definitions.several_measures", text=text, count=len(measures), first=str(measures[0]))
    return measures[0]


def spoken_by_tools(text: str, measure: Measure, grades: tuple[float, ...]) -> list[Spoken]:
    """What every known tool may mean by a name: the metric so named, and others that are the same measure."""
    spoken: dict[tuple[str, Measure], Spoken] = {}
    for dialect in _variants(grades):
        for label, meant in (*_named(dialect, text), *same_measure(dialect, measure, grades)):
            spoken.setdefault((str(dialect), meant), Spoken(str(dialect), label, meant, dialect.tolerance))
    return list(spoken.values())


def spoken_by(dialect: str, text: str, other: str = OURS) -> Spoken:
    """What one tool means by a name, its own or, where it has none of that name, the other tool's or a common one."""
    measure = None if dialect != OURS else meant_by(text, other)
    if measure is not None:
        return Spoken(OURS, text, measure)
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
    """The tools that have a convention in some metric that is this measure, with the option that gives it, if any."""
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
        made is not None and _has(made, change)
        for metric in dialect.metrics
        if metric.measure == measure
        for options in _stating(metric, change)
        for made in (
            _built(metric, change.value if metric.number == change.axis else None, options)
            or _built(metric, 10, options),
        )
    )


def _stating(metric: Metric, change: Change) -> list[dict[str, Any]]:
    """No option of the metric, and each that sets the convention."""
    return [{}, *({name: change.value} for name, meant in metric.options.items() if meant == change.axis)]


def _has(measure: Measure, change: Change) -> bool:
    own = measure.describe()
    return change.axis in own and bool(own[change.axis] == change.value)


@cache
def _dialects() -> tuple[Dialect, ...]:
    return tuple(find_dialect(name) for name in dialect_names())


@lru_cache(maxsize=8)
def _variants(grades: tuple[float, ...]) -> tuple[Dialect, ...]:
    """Every dialect as it is, under each of its options, and under two of them together."""
    # A threshold above every grade is a slip that gives 0 everywhere.
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
    """An option of a dialect with each of some values."""
    known = [value for value in values.get(variant.sets, ()) if not variant.sets or not isinstance(value, str)]
    return [f"{variant.name}={format_value(value)}" if variant.sets else variant.name for value in known]


def _named(dialect: Dialect, text: str) -> list[tuple[str, Measure]]:
    try:
        return list(dialect.measures(text).items())
    except RankmeterError:
        return []


def same_measure(dialect: Dialect, measure: Measure, grades: tuple[float, ...] = ()) -> list[tuple[str, Measure]]:
    """The metrics of a dialect that are this measure, cut at the same place, each as the dialect spells it.

    Options of a metric are tried one at a time, beside the one that makes it this measure where it has such a one.
    """
    metrics = []
    for metric in dialect.metrics:
        turning = [(option, value) for option, value, name in metric.turned if name == type(measure).name]
        bases: list[dict[str, Any]] = [dict([pair]) for pair in turning]
        if metric.measure == type(measure).name:
            bases = [{}, *_scales(metric, grades)]
        number = cut_of(measure) if metric.number in CUTS else None
        for options in (base | more for base in bases for more in _options(metric, grades)):
            made = _built(metric, number, options)
            if made is not None and _may_mean(metric, made, measure):
                metrics.append((dialect.spell(metric, number, options), made))
    return metrics


def cut_of(measure: Measure) -> int | None:
    """How many items of a list a measure looks at: it has a cutoff, or the list is cut before it is measured."""
    return next((cut for name in CUTS if (cut := getattr(measure, name, None)) is not None), None)


def _may_mean(metric: Metric, made: Measure, measure: Measure) -> bool:
    """Whether a metric may be meant by a measure: cut at the same place, and a mean where the measure is one."""
    aggregate = AGGREGATES.get(made.aggregate)
    is_mean = aggregate is None or aggregate.is_average or made.aggregate == measure.aggregate
    # A depth that is not the metric's own number is an option of the whole tool (trec_eval's -M): said or not said.
    cuts = [cut_of(made)] if metric.number == "depth" else [cut_of(made), getattr(made, "cutoff", None)]
    return type(made) is type(measure) and is_mean and cut_of(measure) in cuts


def _options(metric: Metric, grades: tuple[float, ...]) -> Iterator[dict[str, Any]]:
    """No option of a metric, and each that it offers with each of its values."""
    yield {}
    for name, meant in metric.options.items():
        values = grades if meant in ("rel", "unjudged") else () if isinstance(meant, str) else meant
        yield from ({name: value} for value in values)


def _scales(metric: Metric, grades: tuple[float, ...]) -> list[dict[str, Any]]:
    """The option that names the top of the scale, with the highest grade there is."""
    tops = [name for name, meant in metric.options.items() if meant == "max_grade"]
    return [{name: math.ceil(grades[-1])} for name in tops if grades]


def _built(metric: Metric, number: float | None, options: dict[str, Any]) -> Measure | None:
    try:
        return metric.build(number, options)
    except MeasureError:
        return None
