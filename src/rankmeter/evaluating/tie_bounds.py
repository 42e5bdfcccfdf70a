"""How far ties can move a number: its value under the worst and under the best order of tied items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankmeter.arithmetic import Values, Views, aggregated
from rankmeter.evaluating.measuring import values_under
from rankmeter.measures import Measure, RankedMeasure
from rankmeter.placing import PlacedRun
from rankmeter.placing.placements import Bools, Placements, some_queries

BOUNDED_BY_TIES = frozenset(
    "P R F Success RR AP nDCG DCG CG RBP ERR Rprec Bpref AUC Judged IPrec NumRelRet AllRelevant".split()
)
"""Measures whose highest and lowest values are those of the best and the worst order of the grades in a tie."""


KEPT = 1 << 18
"""How many placements may wait for somebody to look at the bounds; with more, they are computed at once."""


class TieBounds(Mapping[Measure, tuple[float, float]]):
    """For each measure that ties can change, its value under the worst and under the best order of tied items.

    They cost as much as the values themselves and many callers never look: what is needed is kept, and the bounds are
    computed when the first of them is asked for.
    """

    __slots__ = ("_known", "_unbounded", "_waiting")

    def __init__(self) -> None:
        self._known: dict[Measure, tuple[float, float]] = {}
        self._waiting: list[_Tied] = []
        self._unbounded: list[Measure] = []

    def add(self, values: Mapping[Measure, Values], placed: PlacedRun) -> None:
        """Take measures that share a placing, with their values."""
        movable: dict[Measure, Values] = {
            m: v for m, v in values.items() if isinstance(m, RankedMeasure) and bounded_by_ties(m)
        }
        if not (placed.placements.tied > 1).any():
            return
        self._unbounded += values
        if not movable:
            return
        tied = _Tied(movable, placed)
        if len(placed.placements.query) <= KEPT:
            self._waiting.append(tied)
        else:
            self._known |= tied.bounds()

    def notes(self) -> list[str]:
        """A sentence for each measure that ties may move and whose ends are not known."""
        return unbounded_notes(self._unbounded)

    def _all(self) -> dict[Measure, tuple[float, float]]:
        waiting = self._waiting
        if waiting:
            found = dict(self._known)
            for tied in waiting:
                found |= tied.bounds()
            # In this order, so that another thread sees all bounds or computes them too.
            self._known, self._waiting = found, []
        return self._known

    def __getitem__(self, measure: Measure) -> tuple[float, float]:
        return self._all()[measure]

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._all(),)  # a copy elsewhere is plain


@dataclass(frozen=True, slots=True)
class _Tied:
    """Measures that ties can change, and a placing in which a judged item ties with another one."""

    values: Mapping[Measure, Values]
    placed: PlacedRun

    def bounds(self) -> dict[Measure, tuple[float, float]]:
        chosen = _in_ties(self.placed.placements)
        part = self.placed.placements
        if not chosen.all():
            part = some_queries(part, chosen)  # the others have one value
        placed, views = replace(self.placed, placements=part), Views(part)
        found: dict[Measure, tuple[float, float]] = {}
        for measure, values in self.values.items():
            worst, best = (
                aggregated(
                    _exchanged(values, chosen, values_under(measure(ties=ties), views, placed)), measure.aggregate
                )
                for ties in ("worst", "best")
            )
            if worst != best and not math.isnan(worst):
                found[measure] = worst, best
        return found


def unbounded_notes(measures: Iterable[Measure]) -> list[str]:
    """What to say of measures of tied data whose ends are not those of the best and the worst order."""
    return [
        f"ties may move {measure} between values that are not known ({_why_unbounded(measure)})"
        for measure in measures
        if isinstance(measure, RankedMeasure)
        and type(measure).name in BOUNDED_BY_TIES
        and measure.ties not in ("worst", "best")
        and not bounded_by_ties(measure)
    ]


def _why_unbounded(measure: Any) -> str:
    if measure.miss != "zero":
        return f"miss={measure.miss}: which queries count depends on the order too"
    return "norm=hits" if getattr(measure, "norm", "") == "hits" else "ideal=top"


def bounded_by_ties(measure: Any) -> bool:
    """Whether relevant items first and last in a tie give the highest and the lowest value there is."""
    return (
        type(measure).name in BOUNDED_BY_TIES
        and measure.ties not in ("worst", "best")
        and measure.miss == "zero"
        and getattr(measure, "norm", "") != "hits"
        and getattr(measure, "ideal", "") != "top"
    )


def _exchanged(values: Values, chosen: Bools, again: Values) -> Values:
    """The values with those of some queries replaced."""
    changed = {}
    for name in ("value", "counted", "numerator", "denominator"):
        changed[name] = getattr(values, name).copy()
        changed[name][chosen] = getattr(again, name)
    return Values(**changed)


def _in_ties(placements: Placements) -> Bools:
    """In which queries a judged item ties with another one."""
    chosen = np.zeros(len(placements), np.bool_)
    chosen[placements.query[placements.tied > 1]] = True
    return chosen
