"""What a measure's function returns, and how values per query become one number."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmeter.placing.placements import Bools, Floats, Ints

GEOMETRIC_FLOOR = 1e-5
"""Values below this count as this in a geometric mean, as in trec_eval's gm_map."""


MANY = 4096
"""From how many values on a sum is worth the set-up of adding them in NumPy."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A value per query as numerator and denominator, so that it can be averaged or pooled; all ``(n,)``."""

    numerator: Floats
    denominator: Floats
    has_relevant: Bools | None = None
    """Whether anything relevant is judged; None for measures that do not ask."""
    found: Bools | None = None
    """Whether anything relevant was found within the cutoff."""


@dataclass(frozen=True, slots=True)
class Values:
    """A value per query and whether it counts; all ``(n,)``."""

    value: Floats
    counted: Bools
    numerator: Floats
    denominator: Floats


def values_of(
    parts: Parts, *, empty: str, miss: str, chosen: Bools, blank: str = "counted", listless: Bools | None = None
) -> Values:
    """Divide, and treat queries with nothing relevant, with nothing found and with no list at all as asked.

    ``empty`` is about queries without a relevant item, ``miss`` about those in which none was found within the cutoff,
    ``blank`` about those for which nothing was returned (``listless``); the last is looked at first.
    """
    above, below, counted = parts.numerator, parts.denominator, chosen
    if parts.has_relevant is not None:
        nothing = ~parts.has_relevant
        if empty == "skip":
            counted = counted & ~nothing
        elif nothing.any():
            # The policy goes into both parts, so that pooled numbers follow it too; a query keeps its weight there.
            if empty != "zero":
                below = np.where(nothing & ~(below > 0), 1.0, below)
            above = np.where(nothing, below if empty == "one" else math.nan if empty == "nan" else 0.0, above)
        if miss == "skip" and parts.found is not None:
            counted = counted & (nothing | parts.found)
    if blank == "skip" and listless is not None:
        counted = counted & ~listless
    elif blank == "nan" and listless is not None:
        above, below = np.where(listless, math.nan, above), np.where(listless, 1.0, below)
        counted = counted | (listless & chosen)
    value = np.divide(above, below, out=np.zeros(len(below)), where=below > 0)
    return Values(value, counted, above, below)


def summed(values: Floats, times: Ints | None = None) -> float:
    """``math.fsum(values)``, the exact sum rounded once, without a Python number for each value.

    With ``times`` each value is added so many times.
    """
    return math.fsum(exact_terms(values, times))


def exact_terms(values: Floats, times: Ints | None = None) -> list[float]:
    """Numbers whose exact sum is that of the values, a few where the values are many.

    The leading bits of all values, as many as can be added without rounding, are cut off and added by NumPy; then those
    of the rest, until nothing is left (Rump, Ogita & Oishi 2008).
    """
    rest = values
    sums: list[float] = []
    bits = int(len(values) if times is None else times.sum()).bit_length() + 1
    while len(values) >= MANY or (times is not None and len(values)):
        largest = float(np.abs(rest).max())
        if largest == 0.0:
            return sums
        if math.isnan(largest):
            return [math.nan]
        if not largest < 1e290:
            break
        anchor = 2.0 ** (math.frexp(largest)[1] + bits)
        leading = (anchor + rest) - anchor
        sums.append(float(leading.sum() if times is None else (leading * times).sum()))
        rest = rest - leading
    if times is not None:
        rest = np.repeat(rest, times)
    return [*sums, *rest[rest != 0].tolist()]


def aggregated(values: Values, aggregate: str, times: Ints | None = None) -> float:
    """One number for all queries that count; NaN where none does.

    Sums are exact (as ``math.fsum``), so that no partitioning of the queries changes a digit. With ``times`` a value
    stands for so many queries.
    """
    if times is not None:
        times = times[values.counted]
    if aggregate == "pooled":
        below = summed(values.denominator[values.counted], times)
        above = summed(values.numerator[values.counted], times)
        return above / below if below else 0.0 if values.counted.any() else math.nan
    kept = values.value[values.counted]
    if aggregate == "filled":
        kept = np.nan_to_num(kept, nan=0.0)
    if aggregate == "sum":
        return summed(kept, times)
    if not len(kept):
        return math.nan
    count = len(kept) if times is None else int(times.sum())
    if aggregate == "median":
        return float(np.median(kept)) if times is None else _median(kept, times)
    if aggregate == "geometric":
        return math.exp(summed(np.log(np.maximum(kept, GEOMETRIC_FLOOR)), times) / count)
    return summed(kept, times) / count


def _median(values: Floats, times: Ints) -> float:
    """``np.median(np.repeat(values, times))`` without repeating anything."""
    order = np.argsort(values)  # NaN comes last
    upto = np.cumsum(times[order])
    if math.isnan(values[order[-1]]):
        return math.nan
    middle = np.searchsorted(upto, [(upto[-1] - 1) // 2, upto[-1] // 2], side="right")
    return float(np.mean(values[order[middle]]))
