"""Every definition that some tool has, and rankmeter's own: a measure with ``k`` for a cutoff that is asked for.

A definition that takes a cutoff is a measure whose ``cutoff`` (or ``depth``) is :data:`ANY`, shown as ``k``:

>>> from rankmeter.measures import parse
>>> shown(open_at(parse("P(norm=list)@10")))
'P(norm=list)@k'
>>> at(open_at(parse("P(norm=list)@10")), 3)
P(norm=list)@3
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from rankmeter.errors import RankmeterError
from rankmeter.frozen import dataclass
from rankmeter.measures import REGISTRY, Measure
from rankmeter.measures.base import RankedMeasure
from rankmeter.measures.dialects import CUTS, Dialect, Metric, dialect_names, find_dialect

ANY = 1000003
"""Stands for k: an unlikely number, as some measures are defined only with a cutoff."""

FAMILIES = (
    "P", "R", "F", "Success", "Rprec", "RR", "AP", "nDCG", "DCG", "CG", "RBP", "ERR", "SetP", "SetR", "SetF",
    "AllRelevant", "AUC", "Bpref", "Judged", "NumRelRet", "MeanRank", "PairAccuracy", "Compat", "Q", "OMeasure",
    "PMeasure", "PPlus",
)  # fmt: skip
"""The measures of single lists that functions are compared with."""


@dataclass(frozen=True, slots=True)
class ToolMetric:
    """A metric of a tool."""

    tool: str
    metric: str

    def __str__(self) -> str:
        return f"{self.tool} {self.metric}"


def open_at(measure: Measure) -> Measure:
    """The definition with k in place of its cutoff; as it is where it has none."""
    cut = next((name for name in CUTS if getattr(measure, name, None) is not None), None)
    return measure if cut is None else measure(**{cut: ANY})


def at(definition: Measure, k: int | None) -> Measure:
    """The measure that a definition is at a cutoff; without one, at none."""
    changes = {name: k for name in CUTS if getattr(definition, name, None) == ANY}
    return definition(**changes) if changes else definition


def takes_k(definition: Measure) -> bool:
    """Whether a definition has k."""
    return any(getattr(definition, name, None) == ANY for name in CUTS)


def shown(definition: Measure) -> str:
    """A definition as text, with k for its cutoff."""
    return str(definition).replace(str(ANY), "k")


@cache
def known_definitions() -> dict[Measure, tuple[ToolMetric, ...]]:
    """Each definition with the metrics of tools that have it; rankmeter's own come first and may have none.

    >>> capped = open_at(REGISTRY["AP"](norm="capped", ties="input") @ 10)
    >>> ToolMetric("recbole", "MAP") in known_definitions()[capped]
    True
    """
    found: dict[Measure, dict[ToolMetric, None]] = {}
    for measure in map(REGISTRY.__getitem__, FAMILIES):
        found[measure] = {}
        if "cutoff" in type(measure).__dataclass_fields__:
            found[at_k(measure)] = {}
    for dialect in _every_dialect():
        for metric in dialect.metrics:
            if metric.measure not in FAMILIES:
                continue
            for definition in _built_of_metric(metric):
                found.setdefault(definition, {}).setdefault(ToolMetric(str(dialect), metric.name))
    return {definition: tuple(tools) for definition, tools in found.items()}


def at_k(measure: Measure) -> Measure:
    """A measure with k for its cutoff; as it is where it has no value under one."""
    try:
        return measure(cutoff=ANY)
    except RankmeterError:  # AUC and some others have no value under a cutoff by default
        return measure


def _every_dialect() -> Iterator[Dialect]:
    """Each tool as it is, and under each of its options; those that take a value are left out."""
    for name in dialect_names():
        dialect = find_dialect(name)
        yield dialect
        yield from (find_dialect(f"{name}:{variant.name}") for variant in dialect.variants if not variant.sets)


def _built_of_metric(metric: Metric) -> Iterator[Measure]:
    """A metric without a number and with one, and with each of its options that has named values."""
    choices = [
        {option: value} for option, meant in metric.options.items() if not isinstance(meant, str) for value in meant
    ]
    for number in (None, ANY) if metric.number in CUTS else (None,):
        for options in ({}, *choices):
            try:
                measure = metric.build(number, options)
            except RankmeterError:
                continue
            is_average = measure.aggregate not in ("p90", "variance", "median")
            if isinstance(measure, RankedMeasure) and type(measure).name in FAMILIES and is_average:
                yield measure
