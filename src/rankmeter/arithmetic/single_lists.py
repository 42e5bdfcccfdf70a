"""The usual measures of one short list in plain Python: an array of five numbers takes longer to make than to add up.

It buys a factor of ten for calls on little data: 0.05 in place of 0.5 ms. The formulas are those of `relevance` and
`gain`, with their additions in the same order, so that not a bit of a value depends on the way that was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from math import ceil, floor, inf
from typing import Any

import numpy as np

from rankmeter.arithmetic.incomplete import INFAP_EPSILON
from rankmeter.arithmetic.weights import DISCOUNTS
from rankmeter.frozen import dataclass
from rankmeter.measures.base import stated_options

Options = Any
Quotient = tuple[float, float]
"""Numerator and denominator."""
MOST_GRADE = 1000
"""Grades up to here are whole numbers of which every formula takes powers of 2."""
LONGEST = 2000
"""How many items of all lists together are little."""


@dataclass(frozen=True, slots=True)
class SingleList:
    """One list, and what is judged of it."""

    found: Sequence[tuple[int, int]]
    """Rank and grade of the judged items that were returned, in the order of the ranks."""
    best: Sequence[int]
    """All judged grades, highest first."""
    returned: int

    def relevant(self, rel: float) -> int:
        """R."""
        return sum([grade >= rel for grade in self.best])

    def length(self, m: Options) -> int:
        """How many items stand within the cutoff."""
        return self.returned if m.cutoff is None else min(self.returned, m.cutoff)

    def unjudged(self, cutoff: int) -> int:
        """How many items within a cutoff have no judgment."""
        return min(self.returned, cutoff) - sum([rank <= cutoff and grade >= 0 for rank, grade in self.found])

    def hits(self, m: Options) -> list[int]:
        """The ranks of the relevant items within the cutoff."""
        last = inf if m.cutoff is None else m.cutoff
        return [rank for rank, grade in self.found if grade >= m.rel and rank <= last]


def _gain_of_grade(grade: int, m: Options) -> float:
    if m.gain == "binary":
        return float(grade >= (1 if m.rel is None else m.rel))
    if grade <= 0 or (m.rel is not None and grade < m.rel):
        return 0.0
    return float(grade) if m.gain == "linear" else 2.0**grade - 1.0


@cache
def _weights_by_rank(discount: str) -> list[float]:
    """The weight of each rank; that of rank 0, which nothing has, is 0."""
    return [0.0, *DISCOUNTS[discount](np.arange(1, LONGEST + 1)).tolist()]


def _discounted_gains(places: Collection[tuple[int, int]], m: Options) -> float:
    weights, last = _weights_by_rank(m.discount), inf if m.cutoff is None else m.cutoff
    total = 0.0
    for rank, grade in places:
        if rank <= last:
            total += _gain_of_grade(grade, m) * weights[rank]
    return total


def _list_dcg(ranking: SingleList, m: Options) -> Quotient:
    return _discounted_gains(ranking.found, m), 1.0


def _list_ndcg(ranking: SingleList, m: Options) -> Quotient:
    return _discounted_gains(ranking.found, m), _discounted_gains(list(enumerate(ranking.best, 1)), m)


def _average_precision(ranking: SingleList, m: Options) -> Quotient:
    total = 0.0
    for number, rank in enumerate(ranking.hits(m), 1):
        total += number / rank
    return total, float(ranking.relevant(m.rel))


def _reciprocal_rank(ranking: SingleList, m: Options) -> Quotient:
    hits = ranking.hits(m)
    return 1.0 / hits[0] if hits else 0.0, 1.0


def _list_precision(ranking: SingleList, m: Options) -> Quotient:
    places = ranking.returned if m.cutoff is None else m.cutoff
    return float(len(ranking.hits(m))), float(min(places, ranking.relevant(m.rel)) if m.norm == "capped" else places)


def _set_precision(ranking: SingleList, m: Options) -> Quotient:
    size = ranking.length(m)
    return float(len(ranking.hits(m))), float(min(size, ranking.relevant(m.rel)) if m.norm == "capped" else size)


def _set_average_precision(ranking: SingleList, m: Options) -> Quotient:
    hits = len(ranking.hits(m))
    return float(hits * hits), float(ranking.length(m) * ranking.relevant(m.rel))


def _list_utility(ranking: SingleList, m: Options) -> Quotient:
    total, hits, size = float(ranking.relevant(m.rel)), float(len(ranking.hits(m))), float(ranking.length(m))
    worth = m.found * hits + m.noise * (size - hits) + m.missed * (total - hits)
    return worth + m.rest * (m.collection + hits - size - total), 1.0


def _list_bpref(ranking: SingleList, m: Options) -> Quotient:
    relevant, last = ranking.relevant(m.rel), inf if m.cutoff is None else m.cutoff
    others = sum([0 <= grade < m.rel for grade in ranking.best])
    bound, above, total = max(min(others, relevant), 1), 0, 0.0
    for rank, grade in ranking.found:
        above += 0 <= grade < m.rel
        if grade >= m.rel and rank <= last:
            total += 1.0 - min(above, relevant) / bound if above else 1.0
    return total, float(relevant)


def _inferred_ap(ranking: SingleList, m: Options) -> Quotient:
    last = inf if m.cutoff is None else m.cutoff
    found, missed, total = 0, 0, 0.0
    for pooled, (rank, grade) in enumerate(ranking.found):
        if grade >= m.rel and rank <= last:
            inferred = (pooled / max(rank - 1, 1)) * (found + INFAP_EPSILON) / (found + missed + 2 * INFAP_EPSILON)
            total += 1.0 if rank == 1 else 1.0 / rank + (rank - 1) / rank * inferred
        found += grade >= m.rel
        missed += 0 <= grade < m.rel
    return total, float(ranking.relevant(m.rel))


def _binary_g(ranking: SingleList, m: Options) -> Quotient:
    weights, total = _weights_by_rank("log2"), 0.0
    for number, rank in enumerate(ranking.hits(m)):
        total += weights[rank - number]
    return total, float(ranking.relevant(m.rel))


def _r_precision(ranking: SingleList, m: Options) -> Quotient:
    relevant = ranking.relevant(m.rel)
    places = relevant if m.mult == 1 else floor(m.mult * relevant + 0.9)
    places = places if m.cutoff is None else min(places, m.cutoff)
    return float(sum(rank <= places for rank in ranking.hits(m))), float(places)


def _interpolated_precision(ranking: SingleList, m: Options) -> Quotient:
    asked = m.recall * ranking.relevant(m.rel)
    needed = ceil(asked - 1e-9) if m.rounding == "ceil" else floor(asked + (0.9 if m.rounding == "trec9" else 0.5))
    precisions = [number / rank for number, rank in enumerate(ranking.hits(m), 1)]
    return max(precisions[max(needed, 1) - 1 :], default=0.0), 1.0


def _recall(ranking: SingleList, m: Options) -> Quotient:
    return float(len(ranking.hits(m))), float(ranking.relevant(m.rel))


def _success(ranking: SingleList, m: Options) -> Quotient:
    return float(bool(ranking.hits(m))), 1.0


def _others(ranking: SingleList, m: Options) -> int:
    last = inf if m.cutoff is None else m.cutoff
    return sum([0 <= grade < m.rel and rank <= last for rank, grade in ranking.found])


def _number(count: Callable[[SingleList, Options], float]) -> Callable[[SingleList, Options], Quotient]:
    return lambda ranking, m: (float(count(ranking, m)), 1.0)


PLAIN: Mapping[Any, Callable[[SingleList, Options], Quotient]] = {
    "gain.discounted_gain": _list_dcg,
    "gain.ndcg": _list_ndcg,
    "relevance.average_precision": _average_precision,
    "historic.binary_g": _binary_g,
    "historic.set_average_precision": _set_average_precision,
    "historic.utility": _list_utility,
    "historic.num_nonrelevant_returned": _number(_others),
    "incomplete.bpref": _list_bpref,
    "incomplete.inferred_ap": _inferred_ap,
    "relevance.set_precision": _set_precision,
    "relevance.interpolated_precision": _interpolated_precision,
    "relevance.num_queries": _number(lambda *_: 1),
    "relevance.num_relevant": _number(lambda ranking, m: ranking.relevant(m.rel)),
    "relevance.num_relevant_returned": _number(lambda ranking, m: len(ranking.hits(m))),
    "relevance.num_returned": _number(SingleList.length),
    "relevance.precision": _list_precision,
    "relevance.r_precision": _r_precision,
    "relevance.recall": _recall,
    "relevance.reciprocal_rank": _reciprocal_rank,
    "relevance.success": _success,
}
"""By the formula that each is the same as."""


OPTIONS = frozenset("cutoff rel gain discount mult norm recall rounding found noise missed rest collection".split())
"""What the plain formulas take besides the usual conventions."""


def plain_formula(measure: Any, also: Collection[str] = ()) -> Callable[[SingleList, Options], Quotient] | None:
    """The plain form of a measure's formula; None where there is none for its conventions.

    ``also`` names conventions that whoever asks takes care of.
    """
    stated = stated_options(measure)
    if not stated.keys() <= OPTIONS.union(also) or not isinstance(stated.get("gain", ""), str):
        return None
    if stated.get("rel") == "high" or stated.get("recall") == "any":
        return None
    if "norm" in stated and (measure.name not in ("P", "SetP") or measure.norm != "capped"):
        return None
    return PLAIN.get(type(measure).formula)
