"""Numbers for ids: which of some known ones each is, or which of the different ones of a column, by what is cheapest.

Whole numbers that are not far between are looked up in a table, which takes a third from the time of measures of lists;
others and text by hashes. Values that come in stretches are looked at once a stretch: a fifth less for grouped rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.inputs.cells import highest
from rankmeter.late import pl
from rankmeter.placing.matching import ROWS_AT_ONCE, KeyTable, item_keys
from rankmeter.placing.placements import Ints
from rankmeter.placing.segments import is_rising, occurrences, row_changes

FEW_IDS = 5_000
"""Up to how many ids are looked up one by one."""
MANY_ROWS = 10_000
"""From how many rows on it is worth looking for stretches."""
MET_AT_ONCE = 1 << 14
"""How many rows are looked at together for values that were not met before."""


def numbers_among(known: pl.Series, asked: pl.Series) -> Ints:
    """The number of each asked id among known ones, which are all different; -1 for strangers.

    A few are looked up in a dictionary, numbers that are not far between in a table, others by hashes, which for text
    costs a fifth of a join; what these find is compared in full.
    """
    if max(len(known), len(asked)) < FEW_IDS:
        number_of = {known_id: number for number, known_id in enumerate(known.to_list())}
        return np.array([number_of.get(asked_id, -1) for asked_id in asked.to_list()], np.int64)
    if not len(known) or not len(asked):
        return np.full(len(asked), -1)
    if known.dtype.is_integer() and _are_near(highest(known.to_numpy()), len(known) + len(asked)):
        return _numbers_by_table(known.to_numpy(), asked.to_numpy())
    known = known.rechunk()  # from many pieces a row is gathered in ten times the time
    table = KeyTable.of(item_keys(known))
    if table.repeats:  # two texts with one hash
        return _joined_numbers(known, asked)
    numbers = np.empty(len(asked), np.int64)
    for first in range(0, len(asked), 4 * ROWS_AT_ONCE):
        rows = slice(first, first + 4 * ROWS_AT_ONCE)
        block = asked[rows]
        numbers[rows] = number = table.numbers(item_keys(block))
        if known.dtype == pl.String:
            # A stranger is unlike any known one; whoever else is unlike what was found shares its hash by chance.
            unlike = known.gather(pl.Series(np.maximum(number, 0))) != block
            if unlike.sum() != np.count_nonzero(number < 0):
                return _joined_numbers(known, asked)
    return numbers


def _numbers_by_table(known: Ints, asked: Ints) -> Ints:
    """The number of each asked one among numbers that are not far between."""
    inside = highest(asked) <= known.max()
    if inside and (known == np.arange(len(known))).all():  # every number is its own
        return asked.astype(np.int64, copy=False)
    table = np.full(int(known.max()) + 1, -1, np.int64)
    table[known] = np.arange(len(known))
    if inside:
        return table[asked]
    within = (asked >= 0) & (asked < len(table))
    return np.where(within, table[np.where(within, asked, 0)], -1)


def near_numbers(values: pl.Series) -> tuple[Ints, int] | None:
    """Whole numbers and how many places a table up to the highest has, where it is worth its room; else None."""
    if not values.dtype.is_integer() or not len(values):
        return None
    whole = values.to_numpy()
    top = highest(whole)
    return (whole.astype(np.int64, copy=False), top + 1) if _are_near(top, len(values)) else None


def _are_near(top: int, rows: int) -> bool:
    return top <= 8 * rows


def _joined_numbers(known: pl.Series, asked: pl.Series) -> Ints:
    numbers = pl.DataFrame({"id": known, "number": np.arange(len(known))})
    matched = pl.DataFrame({"id": asked}).join(numbers, on="id", how="left", maintain_order="left")["number"]
    return matched.fill_null(-1).to_numpy().astype(np.int64)


def encode(values: pl.Series, known: pl.Series | None = None) -> tuple[pl.Series, Ints]:
    """The different values in order of first appearance, and the number of each row's value among them.

    Where all values are ``known`` beforehand, some of which may not occur, these are numbered instead.
    """
    if known is not None:
        return known, numbers_among(known, values)
    if len(values) >= MANY_ROWS and (starts := _starts_of_stretches(values)) is not None:
        different, number = encode(values.gather(starts))  # one look a stretch instead of one a row
        return different, np.repeat(number, np.diff(starts, append=len(values)))
    if values.dtype.is_integer():
        if is_rising(values.to_numpy(), strictly=True):  # all different
            return values, np.arange(len(values))
        if (near := near_numbers(values)) is not None:
            whole, places = near
            different = pl.Series(values.name, _first_met(whole, places), values.dtype)
            return different, _by_value(different, np.arange(len(different))).take(whole)
    if values.dtype == pl.String and len(values) >= MANY_ROWS:
        different = values.gather(pl.Series(item_keys(values)).arg_unique())
        if len(different) == len(values):
            return values, np.arange(len(values))
        numbers = numbers_among(different, values)
        if numbers.min() >= 0:  # else two texts share a hash, so one of them was left out
            return different, numbers
    different = values.unique(maintain_order=True)
    return different, numbers_among(different, values)


def _first_met(values: Ints, places: int, count: int = -1) -> Ints:
    """The different ones of numbers that are not far between, in order of first appearance, in half of Polars' time.

    All are below ``places``; ``count`` is how many differ, where that is known.
    """
    is_new, place = np.ones(places, np.bool_), np.empty(places, np.int32)
    met: list[Ints] = []
    for first in range(0, len(values), MET_AT_ONCE):
        rows = values[first : first + MET_AT_ONCE]
        new = rows.take(is_new.take(rows).nonzero()[0])
        order = np.arange(len(new), dtype=np.int32)
        place[new[::-1]] = order[::-1]  # of equal ones the first is written last, and stays
        new = new[place.take(new) == order]
        is_new[new] = False
        met.append(new)
        count -= len(new)
        if count == 0:
            break
    return np.concatenate(met)


def _by_value(different: pl.Series, each: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A table by value of what some numbers have."""
    whole = different.to_numpy()
    table = np.zeros(int(whole.max()) + 1, each.dtype)
    table[whole] = each
    return table


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which rows of a column hold which of its values."""

    values: pl.Series
    """(n,) the different values, as `encode` gives them."""
    sizes: Ints
    """(n,) how many rows hold each."""
    mark: Ints | None
    """(m,) what each row looks up in a `table`; None where rows stand grouped, in the order of the values."""
    is_value: bool = False
    """Whether marks are the values themselves, not their numbers: nothing is made for each row then."""

    def table(self, each: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What each value has, (n,), as a table that marks look up."""
        return _by_value(self.values, each) if self.is_value else each

    @property
    def code(self) -> Ints:
        """(m,) the number of each row's value."""
        number = np.arange(len(self.values))
        return np.repeat(number, self.sizes) if self.mark is None else self.table(number).take(self.mark)


def grouped(values: pl.Series, known: pl.Series | None = None, likely: pl.Series | None = None) -> Grouping:
    """Find the rows of each value; where all are ``known`` beforehand, some of them may have none.

    Text that is ``likely`` among some values is looked up there first, which spares the search for what is different;
    some of these may have no rows then.
    """
    starts = _starts_of_stretches(values)
    if starts is not None:
        different, stretch = encode(values.gather(starts), known)
        lengths = np.diff(starts, append=len(values))
        if is_rising(stretch, strictly=True):
            sizes = np.zeros(len(different), np.int64)
            sizes[stretch] = lengths
            return Grouping(different, sizes, None)
        code = np.repeat(stretch, lengths)
    elif known is None and (near := near_numbers(values)) is not None:
        whole, places = near
        sizes = occurrences(whole, places)
        met = _first_met(whole, places, int(np.count_nonzero(sizes)))
        different = pl.Series(values.name, met, values.dtype)
        number = _by_value(different, np.arange(len(different)))
        blocks = (whole[first : first + ROWS_AT_ONCE + 1] for first in range(0, len(whole), ROWS_AT_ONCE))
        stand_grouped = all(is_rising(number.take(block)) for block in blocks)
        return Grouping(different, sizes[met], None if stand_grouped else whole, is_value=True)
    elif known is None and likely is not None and values.dtype == pl.String and len(values) >= MANY_ROWS:
        code = numbers_among(likely, values)
        strange = np.flatnonzero(code < 0)
        others, number = encode(values.gather(strange))
        code[strange] = number + len(likely)
        different = pl.concat([likely, others]) if len(others) else likely
    else:
        different, code = encode(values, known)
    sizes = np.bincount(code, minlength=len(different)).astype(np.int64, copy=False)
    return Grouping(different, sizes, None if is_rising(code) else code)


def _starts_of_stretches(values: pl.Series) -> Ints | None:
    """Where stretches of one value start, if the rows come in such, as the first ones tell; else None."""
    for rows in (values.head(MANY_ROWS), values):
        if rows.dtype == pl.String:
            heads = np.append(True, (rows.slice(1) != rows.head(-1)).to_numpy())[: len(rows)]
        else:
            heads = row_changes(rows.to_numpy())
        if 2 * np.count_nonzero(heads) > len(rows):
            return None
    return np.flatnonzero(heads)
