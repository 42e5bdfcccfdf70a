"""What trec_eval computes from options that no definition has: gains below 0, recall points beyond 1, -l below 0.

These numbers are accidents of how the program goes through a list, so they have no measure in rankmeter; scripts get
them all the same. Everything here goes query by query and document by document, and is for such options only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import zip_longest
from operator import add
from typing import TypeVar

import numpy as np

from rankmeter.arithmetic.aggregates import GEOMETRIC_FLOOR
from rankmeter.errors import MeasureError
from rankmeter.frozen import dataclass
from rankmeter.wings.doors.trec_measures import LARGEST_INT, ProgramCall, Version, Wanted, atol

Formula = Callable[["SeenQuery"], float]
Numbers = Sequence[float]
Pairs = Sequence[tuple[str, float]]
UTILITY_COEFFICIENTS = 4
HIGHEST_MULTIPLE = 1000
Row = TypeVar("Row")


def unusual_formula(wanted: Wanted, number: float | None, call: ProgramCall, *, is_little: bool) -> Formula | None:
    """How a value comes of a query under options that no measure takes; None where a measure has it.

    Of a few short lists, measures without a plain formula are computed one by one too.
    """
    name = wanted.printed.name
    if name in _OF_GAINS:
        pairs, value = wanted.pairs, _OF_GAINS[name]
        if (is_little and name in _ALONE) or not _are_usual_gains(pairs):
            return lambda seen: value(seen, _gains_of(seen, pairs, call.version))
    if name in _OF_NUMBERS:
        return _OF_NUMBERS[name](wanted.numbers if number is None else (number,), wanted, call)
    if call.level < 0 and name in _BELOW_ZERO:
        return lambda seen: _BELOW_ZERO[name](seen, number or 0.0)
    return None


@dataclass(frozen=True, slots=True)
class SeenQuery:
    """One query, as the program's measures see it."""

    grades: list[int]
    """Of every document returned, best first; -1 where nobody judged it, -2 where it was pooled but not judged."""
    at_level: list[int]
    """How many documents are judged 0, 1, 2, ..., up to the highest grade."""
    level: int
    """-l"""

    @property
    def relevant(self) -> int:
        """How many documents are."""
        return sum(count for grade, count in enumerate(self.at_level) if grade >= self.level)

    @property
    def found(self) -> int:
        """How many of them were returned; documents that nobody judged are never among them."""
        return sum(grade >= max(self.level, 0) for grade in self.grades)

    @property
    def hits(self) -> list[int]:
        """The ranks of what measures take for relevant, which under -l -1 is also what nobody judged."""
        return [rank for rank, grade in enumerate(self.grades, 1) if grade >= self.level]


@dataclass(frozen=True, slots=True)
class Gain:
    """A grade, what it is worth, and how many documents have it."""

    level: int
    gain: float
    count: int


def _are_usual_gains(pairs: Pairs) -> bool:
    """Whether gains are what rankmeter's measures take, and far enough apart for the program to put in order."""
    levels = [name for name, _ in pairs if name != "p"]
    return (
        len(set(map(atol, levels))) == len(levels)
        and all(name.isdecimal() and name.isascii() for name in levels)
        and all(value >= 0 and value.is_integer() for name, value in pairs if name != "p")
    )


def _gains_of(seen: SeenQuery, pairs: Pairs, version: Version) -> list[Gain]:
    """The gains in the program's order, lowest first: gains that differ by less than 1 stay as they were."""
    if not all(abs(value) < LARGEST_INT / 4 for _, value in pairs):
        raise MeasureError.of("doors.gain_too_large")
    named = [(atol(name), value) for name, value in pairs if version == 9 or _is_whole(name)]
    counts = dict(enumerate(seen.at_level))
    # Of a grade that is given twice only the first has documents.
    gains = [Gain(level, gain, counts.pop(level, 0)) for level, gain in named]
    given = {level for level, _ in named}
    gains += [Gain(level, float(level), count) for level, count in counts.items() if level not in given]
    return merge_sorted(gains, lambda gain, other: int(gain.gain - other.gain))


def _is_whole(name: str) -> bool:
    digits = name[1:] if name[:1] in ("+", "-") else name
    return digits.isascii() and digits.isdecimal()


def merge_sorted(rows: list[Row], compare: Callable[[Row, Row], int]) -> list[Row]:
    """Sorted as glibc sorts, which matters where the comparison contradicts itself."""
    if len(rows) <= 1:
        return rows
    middle = len(rows) // 2
    left, right = merge_sorted(rows[:middle], compare), merge_sorted(rows[middle:], compare)
    merged: list[Row] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def _ideal_gains(gains: list[Gain]) -> Iterator[float]:
    """The gains of the best list, as the program goes down the levels; it ends with one of 0 or below."""
    place, used = len(gains) - 1, 0
    gain = gains[place].gain if gains else 0.0
    while gain > 0:
        used += 1
        while place >= 0 and used > gains[place].count:
            used, place = 1, place - 1
            gain = gains[place].gain if place >= 0 else 0.0
        yield gain


def _beside_ideal(seen: SeenQuery, gains: list[Gain]) -> Iterator[tuple[int, tuple[float | None, float | None]]]:
    """Rank, gain of the list and gain of the best list; None where one of them has ended."""
    of_grade = {gain.level: gain.gain for gain in reversed(gains)}
    return enumerate(zip_longest((of_grade.get(grade, 0.0) for grade in seen.grades), _ideal_gains(gains)), 1)


def _dcg(seen: SeenQuery, gains: list[Gain]) -> tuple[float, float]:
    """Discounted cumulative gain of the list and of the best list."""
    own = best = 0.0
    for rank, (gain, ideal) in _beside_ideal(seen, gains):
        own += (gain or 0.0) / math.log2(rank + 1)
        best += max(ideal or 0.0, 0.0) / math.log2(rank + 1)
    return own, best


def _ndcg(seen: SeenQuery, gains: list[Gain]) -> float:
    """Their quotient."""
    own, best = _dcg(seen, gains)
    return own / best if best > 0 else 0.0


def _ndcg_over_documents(seen: SeenQuery, gains: list[Gain]) -> float:
    """ndcg_rel: nDCG at every document with a gain, averaged."""
    own = best = total = np.float64(0.0)
    worthy = found = 0
    for rank, (gain, ideal) in _beside_ideal(seen, gains):
        own += (gain or 0.0) / math.log2(rank + 1)
        if ideal is not None and ideal > 0:
            best += ideal / math.log2(rank + 1)
            worthy += 1
        if gain is not None and gain > 0:
            total += own / best
            found += 1
    total += (worthy - found) * own / best
    return float(total / worthy) if total > 0 else 0.0


def _ndcg_over_levels(seen: SeenQuery, gains: list[Gain]) -> float:
    """Rndcg: nDCG where the ideal gain changes, averaged."""
    if not seen.relevant:
        return 0.0
    own = best = total = np.float64(0.0)
    changes, last = 0, gains[-1].gain if gains else 0.0
    returned = len(seen.grades)
    went_on = False
    for rank, (gain, ideal) in _beside_ideal(seen, gains):
        if ideal is not None and ideal != last:
            if best > 0:
                total += own / best
                changes += 1
            last = ideal
        went_on = went_on or (gain is not None and ideal is None)
        own += (gain or 0.0) / math.log2(rank + 1)
        if ideal is not None and ideal > 0:
            best += ideal / math.log2(rank + 1)
        if rank == returned and went_on and best > 0:
            total += own / best
            changes += 1
    return float(total / np.float64(changes))


def _gain_by_cost(seen: SeenQuery, gains: list[Gain]) -> float:
    """G: every gain divided by the logarithm of what lies between the list and the best list."""
    own = best = cost = total = np.float64(0.0)
    for _, (gain, ideal) in _beside_ideal(seen, gains):
        best += max(ideal or 0.0, 0.0)
        if gain is None:
            continue
        own += gain
        cost += max(ideal or 0.0, 1.0)
        if gain != 0:
            total += gain / _log2(2 + cost - own)
    return float(total / best) if best > 0 else 0.0


def _log2(value: np.float64) -> np.float64:
    return -np.float64(np.nan) if value < 0 else np.log2(value)


def _precision_at_recalls(seen: SeenQuery, points: Sequence[float], version: Version) -> list[float | None]:
    """Interpolated precision at recall points in any order; None where the list does not reach one."""
    found, returned, relevant = seen.found, len(seen.grades), seen.relevant
    cutoffs = [_at_recall(point, relevant, version) for point in points]
    values: list[float | None] = [None] * len(points)
    # The program goes from the last point to the first, and waits for each: what it has passed it does not see again.
    at = len(points) - 1
    while at >= 0 and cutoffs[at] > found:
        at -= 1
    highest = float(np.float64(found) / np.float64(returned))
    so_far = found
    for rank in range(returned, 0, -1):
        if so_far <= 0:
            break
        highest = max(highest, so_far / rank)
        if seen.grades[rank - 1] >= seen.level:
            while at >= 0 and so_far == cutoffs[at]:
                values[at] = highest
                at -= 1
            so_far -= 1
    for place in range(at + 1):
        values[place] = highest
    return values


def _at_recall(point: float, relevant: int, version: Version) -> int:
    """How many relevant documents a recall point asks for."""
    if version == 9:
        return int(point * relevant + 0.9)
    return int(math.copysign(math.floor(abs(point * relevant) + 0.5), point))


def _at_points(numbers: Numbers, wanted: Wanted, call: ProgramCall) -> Formula | None:
    """iprec_at_recall and 11pt_avg, the average of several."""
    if not all(abs(point) < LARGEST_INT for point in numbers):
        raise MeasureError.of("doors.point_too_large", name=wanted.label)
    if call.level >= 0 and sorted(numbers) == list(numbers) and all(0 <= point <= 1 for point in numbers):
        return None
    # The program goes from the last point to the first, and adds as it goes.
    return lambda seen: (
        _added_in_order(value or 0.0 for value in reversed(_precision_at_recalls(seen, numbers, call.version)))
        / len(numbers)
    )


def _at_multiple(numbers: Numbers, wanted: Wanted, call: ProgramCall) -> Formula | None:  # noqa: ARG001 (of a table)
    """Rprec_mult: precision at a multiple of the number of relevant documents."""
    (multiple,) = numbers
    if call.level >= 0 and 0 < multiple <= HIGHEST_MULTIPLE:
        return None

    def value(seen: SeenQuery) -> float:
        cutoff = int(multiple * seen.relevant + 0.9)
        # Counted from the end of the list, as in the program.
        return max(seen.found - sum(rank > cutoff for rank in seen.hits), 0) / cutoff if cutoff > 0 else 0.0

    return value


def _set_f(numbers: Numbers, wanted: Wanted, call: ProgramCall) -> Formula | None:  # noqa: ARG001 (of a table)
    """F of the whole list with any weight."""
    weight = numbers[0]
    if call.level >= 0 and 0 < weight < math.inf:
        return None

    def value(seen: SeenQuery) -> float:
        if not seen.found:
            return 0.0
        precision, recall = np.float64(seen.found / len(seen.grades)), np.float64(seen.found / seen.relevant)
        return float((weight + 1.0) * precision * recall / (weight * precision + recall))

    return value


def _utility(numbers: Numbers, wanted: Wanted, call: ProgramCall) -> Formula | None:
    """Utility with any worth and any size of the collection."""
    if len(numbers) != UTILITY_COEFFICIENTS:
        raise MeasureError.of("doors.not_utility", count=len(numbers), text=wanted.text)
    if call.collection >= 0 and all(map(math.isfinite, numbers)):
        return None

    def value(seen: SeenQuery) -> float:
        found, returned, relevant = seen.found, len(seen.grades), seen.relevant
        rest = (call.collection + found - returned - relevant + 2**63) % 2**64 - 2**63
        counts = (found, returned - found, relevant - found, rest)
        products = [np.float64(worth) * np.float64(count) for worth, count in zip(numbers, counts, strict=True)]
        return float(products[0] + products[1] + products[2] + products[3])

    return value


_OF_NUMBERS: dict[str, Callable[[Numbers, Wanted, ProgramCall], Formula | None]] = {
    "iprec_at_recall": _at_points,
    "11pt_avg": _at_points,
    "Rprec_mult": _at_multiple,
    "set_F": _set_f,
    "utility": _utility,
}


def _added_in_order(values: Iterable[float]) -> float:
    """One after the other, each time rounded, as in C; ``sum`` keeps what rounding loses from Python 3.12 on."""
    return reduce(add, values, 0.0)


def _sum_of_precisions(seen: SeenQuery, cutoff: float = math.inf) -> float:
    return _added_in_order(number / rank for number, rank in enumerate(seen.hits, 1) if rank <= cutoff)


def _up_to(seen: SeenQuery, cutoff: float) -> int:
    return sum(rank <= cutoff for rank in seen.hits)


def _over_relevant(seen: SeenQuery, total: float) -> float:
    """A sum over the hits by the number of relevant documents, of which there may be none all the same."""
    return float(np.float64(total) / np.float64(seen.relevant)) if seen.hits else 0.0


def _share_of_hits(seen: SeenQuery, hits: float, of: float) -> float:
    return hits / of if seen.relevant else 0.0


_BELOW_ZERO: dict[str, Callable[[SeenQuery, float], float]] = {
    "map": lambda seen, _: _over_relevant(seen, _sum_of_precisions(seen)),
    "gm_map": lambda seen, _: math.log(max(_over_relevant(seen, _sum_of_precisions(seen)), GEOMETRIC_FLOOR)),
    "Rprec": lambda seen, _: _share_of_hits(seen, _up_to(seen, seen.relevant), seen.relevant),
    "recip_rank": lambda seen, _: 1 / seen.hits[0] if seen.hits else 0.0,
    "P": lambda seen, k: _up_to(seen, k) / k,
    "recall": lambda seen, k: _share_of_hits(seen, _up_to(seen, k), seen.relevant),
    "binG": lambda seen, _: _over_relevant(
        seen, _added_in_order(1 / math.log2(2 + rank - number) for number, rank in enumerate(seen.hits, 1))
    ),
    "map_cut": lambda seen, k: _share_of_hits(seen, _sum_of_precisions(seen, k), seen.relevant),
    "relative_P": lambda seen, k: _share_of_hits(seen, _up_to(seen, k), min(k, seen.relevant)),
    "success": lambda seen, k: float(_up_to(seen, k) > 0),
    "yaap": lambda seen, _: _yaap(_sum_of_precisions(seen), seen.relevant),
}
"""The measures that take what nobody judged for relevant where -l is below 0; the others do not know it from -l 0."""


def _yaap(total: float, relevant: int) -> float:
    quotient = np.float64(1.0 + total) / np.float64(1.0 + relevant - total)
    return float(-np.float64(np.nan) if quotient < 0 else np.log(quotient))


_OF_GAINS: dict[str, Callable[[SeenQuery, list[Gain]], float]] = {
    "ndcg": _ndcg,
    "dcg": lambda seen, gains: _dcg(seen, gains)[0],
    "ideal_dcg": lambda seen, gains: _dcg(seen, gains)[1],
    "ndcg_rel": _ndcg_over_documents,
    "Rndcg": _ndcg_over_levels,
    "G": _gain_by_cost,
}
_ALONE = ("G", "Rndcg", "ndcg_rel")
"""Those that have no plain formula otherwise."""
