"""Arithmetic on segments: consecutive slices of one flat array, one per query, marked by offsets.

Everything is a count or a sort of values; nothing loops over queries in Python. What it is for comes first: `place`,
which counts how many items of a list stand above each judged item, and how many beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints, Plan

Keys = npt.NDArray[np.uint64]
"""Ids as numbers that sort as they do."""
Sortable = TypeVar("Sortable", Floats, Keys)
MANY_JUDGED = 16
"""From one judged item in so many on, ties are read off all scores, not searched for."""
CALL, SORTING = 4096, 16
"""How many comparisons of scores take as long as a call of NumPy, and as putting one score in order."""
TIED_AT_ONCE = 1 << 14
"""How many judged items in ties are looked at together: what is made on the way fits the cache."""
PART_ROWS = 1 << 17
"""About how many rows are worked on together: what is made on the way fits the cache, and its memory is used again."""


class Places(NamedTuple):
    """The place of each judged item in its query's list; all ``(m,)``."""

    above: Ints
    tied: Ints
    higher_id: Ints
    earlier: Ints


def place(
    scores: Floats,
    offsets: Ints,
    segment: Ints,
    wanted: Floats,
    plan: Plan,
    *,
    rows: Ints | Callable[[Ints], Ints],
    ids_of: Callable[[Ints], pl.Series | Keys],
) -> Places:
    """Count where each judged item, by its query (``segment``) and score (``wanted``), stands among all scores.

    Scores are grouped by query, in the order given. ``rows`` are the positions of the judged items, or what finds them,
    asked only for those in a tie; ``ids_of`` gives the ids at some positions, asked only for ties with a judged item.
    """
    if plan.scores == "float32":
        scores, wanted = as_float32(scores), as_float32(wanted)
    wrong = unsorted_segments(scores, offsets)
    if not len(wrong) and not callable(rows) and MANY_JUDGED * len(rows) > len(scores):
        above, tied = _read_off(scores, offsets, segment, rows)
    else:
        low, high = offsets[segment], offsets[segment + 1]
        if (high - low + CALL).sum() < SORTING * (offsets[wrong + 1] - offsets[wrong]).sum():
            above, tied = _counted(scores, low, high, wanted)
        else:
            falling = sort_descending(scores, offsets, wrong)
            above = bisect(falling, low, high, wanted, past_equal=False)
            tied = _tied(falling, low + above, high, wanted)
    higher_id, earlier = np.zeros_like(above), np.zeros_like(above)
    in_tie = (tied > 1).nonzero()[0] if plan.ids or plan.order else np.empty(0, np.int64)
    for first in range(0, len(in_tie), TIED_AT_ONCE):
        some = in_tie[first : first + TIED_AT_ONCE]
        group, member = _tie_members(scores, offsets, wrong, segment[some], above[some], tied[some], wanted[some])
        # Members come group by group in the order given; where a judged item is among them is found by its row.
        start = member.min()
        slot_of = np.empty(member.max() - start + 1, np.int64)
        slot_of[member - start] = np.arange(len(member))
        slot = slot_of[(rows(some) if callable(rows) else rows[some]) - start]
        if plan.order:
            earlier[some] = slot - offsets_of(np.bincount(group))[group[slot]]
        if plan.ids:
            higher_id[some] = count_higher(group, ids_of(member), slot)
    return Places(above, tied, higher_id, earlier)


def _read_off(scores: Floats, offsets: Ints, segment: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """How many stand above some rows of sorted lists, and beside them: a tie lasts until the score changes.

    It takes a tenth of the time of bisections where half of the items are judged.
    """
    begins = row_changes(scores)
    begins[offsets[:-1][offsets[:-1] < len(scores)]] = True
    starts = np.flatnonzero(begins)
    tie = np.cumsum(begins)[rows] - 1
    first = starts[tie]
    return first - offsets[segment], np.append(starts[1:], len(scores))[tie] - first


def _counted(scores: Floats, low: Ints, high: Ints, wanted: Floats) -> tuple[Ints, Ints]:
    """How many scores of its list are above each wanted one, and how many equal it: for few in long unsorted lists."""
    above, tied = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    rows = zip(low.tolist(), high.tolist(), wanted.tolist(), strict=True)
    for number, (first, end, score) in enumerate(rows):
        among = scores[first:end]
        above[number], tied[number] = np.count_nonzero(among > score), np.count_nonzero(among == score)
    return above, tied


def _tied(falling: Floats, at: Ints, high: Ints, wanted: Floats) -> Ints:
    """How many values from each place on are the wanted one, which stands there; most stand alone."""
    tied = np.ones(len(at), np.int64)
    following = at + 1
    some = ((falling.take(following, mode="clip") == wanted) & (following < high)).nonzero()[0]
    if len(some):
        tied[some] = bisect(falling, at[some], high[some], wanted[some], past_equal=True)
    return tied


def as_float32(scores: Floats) -> Floats:
    """The scores as trec_eval 9 keeps them; too large ones become infinite, as they do there.

    They stay narrow, whatever the annotation says: they are only compared, which half the room makes faster.
    """
    with np.errstate(over="ignore"):
        return cast("Floats", scores.astype(np.float32))


def _tie_members(
    scores: Floats, offsets: Ints, wrong: Ints, segment: Ints, above: Ints, tied: Ints, wanted: Floats
) -> tuple[Ints, Ints]:
    """Group number and position of every item that ties with a judged one of these, each tie once."""
    key = offsets[segment] + above
    if (key[1:] >= key[:-1]).all():
        first = np.flatnonzero(np.diff(key, prepend=-1))
        key = key[first]
    else:
        key, first = np.unique(key, return_index=True)
    segment, tied, wanted = segment[first], tied[first], wanted[first]
    scattered = np.isin(segment, wrong)
    together = np.flatnonzero(~scattered)
    group = np.repeat(together, tied[together])
    member = expand(key[together], tied[together])
    apart = np.flatnonzero(scattered)
    if len(apart):
        tie, row = _in_ties(scores, offsets, segment[apart], wanted[apart])
        group, member = np.concatenate([group, apart[tie]]), np.concatenate([member, row])
        order = np.argsort(group, kind="stable")
        group, member = group[order], member[order]
    return group, member


def _in_ties(scores: Floats, offsets: Ints, segment: Ints, tied: Floats) -> tuple[Ints, Ints]:
    """The rows of some queries whose score is one of the tied ones, which fall within each query, and which it is.

    Each row is looked up among the ties of its query: comparing each row with every tie takes their product, far too
    long for a list of a million items.
    """
    first = np.flatnonzero(np.diff(segment, prepend=-1))
    queries = segment[first]
    sizes = offsets[queries + 1] - offsets[queries]
    row = expand(offsets[queries], sizes)
    score = scores[row]
    low, high = np.repeat(first, sizes), np.repeat(np.append(first[1:], len(segment)), sizes)
    tie = low + bisect(tied, low, high, score, past_equal=False)
    same = (tie < high) & (tied.take(tie, mode="clip") == score)
    return tie[same], row[same]


def count_higher(group: Ints, ids: pl.Series | Keys, rows: Ints) -> Ints:
    """How many members of the same group have a higher id than some rows; ids are compared as text, in byte order.

    Numbers that stand for ids differ within a group.
    """
    offsets = offsets_of(np.bincount(group))
    mine = group[rows]
    if isinstance(ids, np.ndarray):
        falling = sort_descending(ids, offsets)
        return bisect(falling, offsets[mine], offsets[mine + 1], ids[rows], past_equal=False)
    text = ids if ids.dtype == pl.String else ids.cast(pl.String)
    order = pl.DataFrame({"group": group, "id": text}).select(pl.arg_sort_by("group", "id", descending=[False, True]))
    place_of = np.empty(len(group), np.int64)
    place_of[order.to_series().to_numpy()] = np.arange(len(group))
    return place_of[rows] - offsets[mine]


def offsets_of(sizes: Ints | Bools) -> Ints:
    """Where each segment starts, and where the last one ends: ``(n + 1,)``; of a mask, how many are chosen before."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    sizes.cumsum(out=offsets[1:])
    return offsets


def sizes_of(offsets: Ints) -> Ints:
    """(n,) how long each segment is; several times faster than ``np.diff`` where there are few."""
    return offsets[1:] - offsets[:-1]


def owners(offsets: Ints) -> Ints:
    """(m,) the number of the segment that each value stands in."""
    return np.arange(len(offsets) - 1).repeat(sizes_of(offsets))


def row_changes(*columns: npt.NDArray[Any]) -> Bools:
    """(m,) whether a row differs from the one before in any of some columns; the first does.

    >>> row_changes(np.array([1, 1, 1]), np.array([5, 5, 6])).tolist()
    [True, False, True]
    """
    differs = np.ones(len(columns[0]), np.bool_)
    np.not_equal(columns[0][1:], columns[0][:-1], out=differs[1:])
    for column in columns[1:]:
        differs[1:] |= column[1:] != column[:-1]
    return differs


def occurrences(codes: Ints, total: int, dtype: type[np.int64 | np.float64] = np.int64) -> npt.NDArray[Any]:
    """(total,) how often each code occurs; `np.bincount`, which first looks for the highest, takes a third more.

    >>> occurrences(np.array([2, 0, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    times = np.zeros(total, dtype)
    for first in range(0, len(codes), PART_ROWS):  # narrow codes are widened to be counted
        np.add.at(times, codes[first : first + PART_ROWS].astype(np.int64, copy=False), dtype(1))
    return times


def is_rising(values: npt.NDArray[Any], *, strictly: bool = False) -> bool:
    """Whether no value is below the one before it, or with ``strictly`` each above it; it ends where one is not."""
    compared = np.greater if strictly else np.greater_equal
    blocks = (values[first : first + PART_ROWS + 1] for first in range(0, len(values), PART_ROWS))
    return all(compared(block[1:], block[:-1]).all() for block in blocks)


def expand(starts: Ints, sizes: Ints) -> Ints:
    """All positions of some slices, one slice after another."""
    total = int(sizes.sum())
    ends = np.cumsum(sizes)
    positions: Ints = np.arange(total) + np.repeat(starts - (ends - sizes), sizes)
    return positions


def as_rows(values: npt.NDArray[Any], sizes: Ints, width: int, fill: Any) -> npt.NDArray[Any]:
    """Segments as the rows of a matrix ``(n, width)``, with ``fill`` (one for all, or one a column) behind their ends.

    >>> as_rows(np.array([1, 2, 3]), np.array([1, 2]), 2, -1).tolist()
    [[1, -1], [2, 3]]
    """
    if (sizes == width).all():
        return values.reshape(len(sizes), width)
    rows = np.empty((len(sizes), width), values.dtype)
    rows[:] = fill
    rows[np.arange(width) < sizes[:, None]] = values
    return rows


def order_by(*keys: Ints) -> Ints:
    """The stable order by the first key, then the second and so on.

    Keys that fit into one number together are sorted as one, several times faster than one after another: what comes
    grouped by query is nearly in order already.

    Examples
    --------
    >>> order_by(np.array([1, 0, 1, 0]), np.array([-5, 2, -7, 2])).tolist()
    [1, 3, 2, 0]
    """
    joined, room = np.zeros(len(keys[0]), np.int64), 1
    for key in keys:
        low = int(key.min(initial=0))
        span = int(key.max(initial=0)) - low + 1
        room *= span
        if room >= 1 << 63:
            return np.lexsort(keys[::-1])
        joined = joined * span + (key - low)
    return np.argsort(joined, kind="stable")


def later_starts(offsets: Ints, rows: int) -> Ints:
    """Rows at which segments start behind others: nothing says how such a row stands to the one before it."""
    return offsets[(offsets > 0) & (offsets < rows)]


def unsorted_segments(values: Floats | Keys, offsets: Ints) -> Ints:
    """Which segments are not in falling order."""
    if len(values) < 2:
        return np.empty(0, np.int64)
    rises: Bools = values[1:] > values[:-1]
    rises[later_starts(offsets, len(values)) - 1] = False
    if not rises.any():
        return np.empty(0, np.int64)
    several = np.flatnonzero(sizes_of(offsets) > 1)
    wrong: Ints = several[np.logical_or.reduceat(rises, offsets[several])]
    return wrong


def sort_descending(values: Sortable, offsets: Ints, segments: Ints | None = None) -> Sortable:
    """A copy with the values of the given segments (all that need it, if None) in falling order.

    Segments of similar length are sorted together as the rows of a padded matrix: NumPy sorts rows with vector
    instructions, where one sort by (segment, value) would compare pairs.
    """
    wrong = unsorted_segments(values, offsets) if segments is None else segments
    if not len(wrong):
        return values
    result = values.copy()
    sizes = sizes_of(offsets)[wrong]
    doublings = np.frexp(sizes - 1)[1]  # 2**doublings is the next power of 2, from the size on
    for width in np.flatnonzero(np.bincount(doublings)):
        rows = wrong[doublings == width]
        # Bounded blocks: a padded matrix of everything would hold the run twice.
        at_once = max(1, 4_000_000 >> int(width))
        for first in range(0, len(rows), at_once):
            _sort_rows(result, offsets, rows[first : first + at_once])
    return result


def _sort_rows(values: Floats | Keys, offsets: Ints, rows: Ints) -> None:
    """Sort some segments of about equal length in place, highest first."""
    sizes = offsets[rows + 1] - offsets[rows]
    columns = int(sizes.max())
    # Turned round, the highest come first; whole numbers have no negative of their own kind.
    real = values.dtype.kind == "f"
    turned = np.negative if real else np.invert
    if rows[-1] - rows[0] == len(rows) - 1 and (sizes == columns).all():
        # Neighbours of equal length are a matrix as they stand, which takes a quarter from the time.
        matrix = values[offsets[rows[0]] : offsets[rows[-1] + 1]].reshape(len(rows), columns)
        turned(matrix, out=matrix)
        matrix.sort(axis=1)
        turned(matrix, out=matrix)
        return
    where = expand(offsets[rows], sizes)
    matrix = as_rows(turned(values[where]), sizes, columns, np.inf if real else np.iinfo(np.uint64).max)
    matrix.sort(axis=1)
    values[where] = turned(matrix[np.arange(columns) < sizes[:, None]])


def running_sums(values: Floats, offsets: Ints) -> Floats:
    """The sum of each segment up to and with each of its values, added from its own first value on.

    One running sum over everything, less what came before, would round each segment by the size of the others. Segments
    of the same length are the rows of one matrix instead.
    """
    sizes = sizes_of(offsets)
    if len(sizes) and sizes[0] > 0 and (sizes == sizes[0]).all():
        return np.cumsum(values.reshape(len(sizes), -1), axis=1).ravel()
    running = np.empty(len(values))
    for size in np.unique(sizes[sizes > 0]).tolist():
        places = offsets[:-1][sizes == size][:, None] + np.arange(size)
        running[places] = np.cumsum(values[places], axis=1)
    return running


def highest_from(values: Floats, offsets: Ints) -> Floats:
    """The highest value of each segment from each of its values on."""
    highest = values.copy()
    segment = owners(offsets)
    # Each step doubles how far every value has looked.
    step, longest = 1, int(sizes_of(offsets).max(initial=0))
    while step < longest:
        same: Bools = segment[step:] == segment[:-step]
        np.maximum(highest[:-step], highest[step:], out=highest[:-step], where=same)
        step *= 2
    return highest


def bisect(values: Sortable, low: Ints, high: Ints, wanted: Sortable, *, past_equal: bool) -> Ints:
    """For each wanted value, how far into its own falling slice ``values[low:high]`` it stands.

    The count of values above it, or with ``past_equal`` of those above or equal.
    """
    before, last = low - 1, high - 1
    at = before
    step = 1 << int((high - low).max(initial=0)).bit_length() >> 1 if len(values) else 0
    while step:
        # Every slice takes the same steps, halved each time; one that would leave its slice looks at its last value.
        tried = at + step
        there = values.take(np.minimum(tried, last), mode="clip")
        at = np.where(there >= wanted if past_equal else there > wanted, tried, at)
        step >>= 1
    inside: Ints = np.minimum(at, last) - before
    return inside


def group_rows(codes: Ints, groups: int) -> Ints:
    """A stable order of rows by small integer codes.

    NumPy counts codes of 16 bits. More of them are sorted with the number of their row behind them, which vector
    instructions do in a third of the time of counting twice.
    """
    if groups <= 1 << 16:
        return np.argsort(codes.astype(np.uint16), kind="stable")
    bits = len(codes).bit_length()
    keys = codes << bits
    keys |= np.arange(len(codes))
    keys.sort()
    keys &= (1 << bits) - 1
    return keys


def parts_of_segments(offsets: Ints) -> Iterator[tuple[int, int]]:
    """Segments from one to before another, so many that they have about `PART_ROWS` rows."""
    rows = int(offsets[-1])
    parts = max(rows // PART_ROWS, 1)
    bounds = np.searchsorted(offsets[1:], np.arange(1, parts) * rows // parts)
    yield from ((first, last) for first, last in pairwise([0, *bounds.tolist(), len(offsets) - 1]) if first < last)


def text_keys(count: int) -> Ints:
    """(count,) for each number from 0 on one that sorts as its text does: 1, 10, 11, 2, 20, 3.

    >>> np.argsort(text_keys(12)).tolist()
    [0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    number = np.arange(count)
    longest = len(str(max(count - 1, 0)))
    digits = np.ones_like(number)
    for power in range(1, longest):
        digits += number >= 10**power
    # Digits are padded to one length; of two numbers that are then equal (1 and 10) the shorter one comes first.
    return number * 10 ** (longest - digits) * 32 + digits
