"""Arithmetic on segments: consecutive slices of one flat array, one per query, marked by offsets.

Everything is a count or a sort of values; nothing loops over queries in Python. What it is for comes first: `place`,
which counts how many items of a list stand above each judged item, and how many beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from rankmeter.frozen import dataclass
from rankmeter.late import pl
from rankmeter.placing.placements import Bools, Floats, Ints, Plan

Keys = npt.NDArray[np.uint64]
"""Ids as numbers that sort as they do."""


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
    rows: Ints | None = None,
    rows_of: Callable[[Ints], Ints],
    ids_of: Callable[[Ints], pl.Series | Keys],
) -> Places:
    """Count where each judged item stands.

    Parameters
    ----------
    scores
        All scores of the run, grouped by query, in the order given within each.
    offsets
        Where each query's scores start.
    segment, wanted
        The query and the score of each judged item.
    rows
        The positions in ``scores`` of the judged items, where they are known.
    rows_of
        The positions in ``scores`` of some judged items; asked only for those in a tie.
    ids_of
        The ids, as text or numbers, at some positions of ``scores``; asked only for ties that hold a judged item.
    """
    if plan.scores == "float32":
        scores, wanted = as_float32(scores), as_float32(wanted)
    wrong = unsorted_segments(scores, offsets)
    if rows is not None and not len(wrong) and len(rows) * 16 > len(scores):
        above, tied = _in_falling_order(scores, offsets, segment, rows)
    else:
        falling = sort_descending(scores, offsets, wrong)
        low, high = offsets[segment], offsets[segment + 1]
        above = bisect(falling, low, high, wanted, past_equal=False)
        tied = _beside(falling, low + above, high, wanted)
    higher_id, earlier = np.zeros_like(above), np.zeros_like(above)
    in_tie = np.flatnonzero(tied > 1)
    if len(in_tie) and (plan.ids or plan.order):
        ties = _Ties(segment[in_tie], above[in_tie], tied[in_tie], wanted[in_tie])
        group, member = _tie_members(scores, offsets, ties, wrong)
        # Members come group by group in the order given; where a judged item is among them is found by its row.
        slot_of = np.empty(len(scores), np.int64)
        slot_of[member] = np.arange(len(member))
        slot = slot_of[rows_of(in_tie)]
        if plan.order:
            earlier[in_tie] = slot - _first_of(group)[slot]
        if plan.ids:
            higher_id[in_tie] = count_higher(group, ids_of(member))[slot]
    return Places(above, tied, higher_id, earlier)


def _beside(falling: Floats, first: Ints, high: Ints, wanted: Floats) -> Ints:
    """How many values from each first one on are equal to it; most stand alone, so that one look is enough."""
    tied = np.ones(len(first), np.int64)
    following = first + 1
    several = np.flatnonzero((following < high) & (falling.take(following, mode="clip") == wanted))
    if len(several):
        tied[several] = bisect(falling, first[several], high[several], wanted[several], past_equal=True)
    return tied


def _in_falling_order(scores: Floats, offsets: Ints, segment: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Items above and beside each row where all lists are in order: the position is the rank, ties are runs."""
    new = np.ones(len(scores), np.bool_)
    np.not_equal(scores[1:], scores[:-1], out=new[1:])
    new[offsets[:-1][offsets[:-1] < len(scores)]] = True
    starts = np.flatnonzero(new)
    if len(starts) == len(scores):
        return rows - offsets[segment], np.ones(len(rows), np.int64)
    run = np.cumsum(new)[rows] - 1
    sizes = np.diff(starts, append=len(scores))
    return starts[run] - offsets[segment], sizes[run]


def as_float32(scores: Floats) -> Floats:
    """The scores as trec_eval 9 keeps them; too large ones become infinite, as they do there.

    They stay narrow, whatever the annotation says: they are only compared, which half the room makes faster.
    """
    with np.errstate(over="ignore"):
        return cast("Floats", scores.astype(np.float32))


@dataclass(frozen=True, slots=True)
class _Ties:
    """The judged items that share their score with others."""

    segment: Ints
    above: Ints
    tied: Ints
    score: Floats


def _tie_members(scores: Floats, offsets: Ints, ties: _Ties, wrong: Ints) -> tuple[Ints, Ints]:
    """Group number and position of every item that ties with a judged one, each tie once."""
    key = offsets[ties.segment] + ties.above
    if (key[1:] >= key[:-1]).all():
        first = np.flatnonzero(np.diff(key, prepend=-1))
        key = key[first]
    else:
        key, first = np.unique(key, return_index=True)
    segment, tied, wanted = ties.segment[first], ties.tied[first], ties.score[first]
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

    Each row is looked up among the ties of its query: to compare each with every tie would take their product, which
    a list of a million items does not forgive.
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


def _first_of(group: Ints) -> Ints:
    """For each row of a rising column of groups, the first row of its group."""
    return offsets_of(np.bincount(group))[group]


def short_text_as_numbers(ids: Sequence[str | int]) -> Keys | None:
    """Ids of at most eight bytes as numbers in the order of their bytes; None where any is another thing.

    Such numbers are sorted several times faster than text.
    """
    if not ids or not isinstance(ids[0], str) or len(ids[0]) > 8:
        return None
    try:
        data = np.frombuffer(("\0".join(ids) + "\0").encode(), np.uint8)  # type: ignore[arg-type]
    except (TypeError, UnicodeEncodeError):
        return None
    ends = np.flatnonzero(data == 0)
    widths = np.diff(ends, prepend=-1) - 1
    widest = int(widths.max())
    if len(ends) != len(ids) or widest > 8:
        return None
    letters = np.zeros((len(ids), 8), np.uint8)
    if (widths == widest).all():
        letters[:, :widest] = data.reshape(-1, widest + 1)[:, :widest]
    else:
        for place_ in range(widest):
            longer = np.flatnonzero(widths > place_)
            letters[longer, place_] = data[(ends - widths)[longer] + place_]
    return letters.view(">u8").ravel().astype(np.uint64)


def count_higher(group: Ints, ids: pl.Series | Keys) -> Ints:
    """How many members of the same group have a higher id; ids are compared as text, in byte order."""
    if isinstance(ids, np.ndarray):
        order = np.argsort(~ids)
        # Sorted by group in linear time where the numbers of groups are short.
        few = len(group) and group[-1] < 1 << 16
        order = order[np.argsort(group[order].astype(np.uint16) if few else group[order], kind="stable")]
    else:
        text = ids if ids.dtype == pl.String else ids.cast(pl.String)
        order = (
            pl.DataFrame({"group": group, "id": text})
            .select(pl.arg_sort_by("group", "id", descending=[False, True]))
            .to_series()
            .to_numpy()
            .astype(np.int64)
        )
    counts = np.empty(len(group), np.int64)
    counts[order] = np.arange(len(group)) - _first_of(group)
    return counts


def offsets_of(sizes: Ints) -> Ints:
    """Where each segment starts, and where the last one ends: ``(n + 1,)``."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


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


def unsorted_segments(values: Floats, offsets: Ints) -> Ints:
    """Which segments are not in falling order."""
    if len(values) < 2:
        return np.empty(0, np.int64)
    rises: Bools = values[1:] > values[:-1]
    # Where a segment begins, nothing says how it stands to the one before.
    rises[offsets[(offsets > 0) & (offsets < len(values))] - 1] = False
    if not rises.any():
        return np.empty(0, np.int64)
    several = np.flatnonzero(np.diff(offsets) > 1)
    wrong: Ints = several[np.logical_or.reduceat(rises, offsets[several])]
    return wrong


def sort_descending(values: Floats, offsets: Ints, segments: Ints | None = None) -> Floats:
    """A copy with the values of the given segments (all that need it, if None) in falling order.

    Segments of similar length are sorted together as the rows of a padded matrix: NumPy sorts rows with vector
    instructions, where one sort by (segment, value) would compare pairs.
    """
    wrong = unsorted_segments(values, offsets) if segments is None else segments
    if not len(wrong):
        return values
    result = values.copy()
    sizes = np.diff(offsets)[wrong]
    doublings = np.frexp(sizes - 1)[1]  # 2**doublings is the next power of 2, from the size on
    for width in np.flatnonzero(np.bincount(doublings)):
        rows = wrong[doublings == width]
        # Bounded blocks: a padded matrix of everything would hold the run twice.
        at_once = max(1, 4_000_000 >> int(width))
        for first in range(0, len(rows), at_once):
            _sort_rows(result, offsets, rows[first : first + at_once])
    return result


def _sort_rows(values: Floats, offsets: Ints, rows: Ints) -> None:
    """Sort some segments of about equal length in place, highest first."""
    sizes = offsets[rows + 1] - offsets[rows]
    columns = int(sizes.max())
    if (sizes == columns).all():
        if rows[-1] - rows[0] == len(rows) - 1:  # neighbours, so that they are a matrix as they stand
            matrix = values[offsets[rows[0]] : offsets[rows[-1] + 1]].reshape(len(rows), columns)
            np.negative(matrix, out=matrix)
            matrix.sort(axis=1)
            np.negative(matrix, out=matrix)
            return
        where = offsets[rows][:, None] + np.arange(columns)
        values[where] = -np.sort(-values[where], axis=1)
        return
    where = expand(offsets[rows], sizes)
    matrix = as_rows(-values[where], sizes, columns, np.inf)
    matrix.sort(axis=1)
    values[where] = -matrix[np.arange(columns) < sizes[:, None]]


def running_sums(values: Floats, offsets: Ints) -> Floats:
    """The sum of each segment up to and with each of its values, added from its own first value on.

    One running sum over everything, less what came before, would round each segment by the size of the others. Segments
    of the same length are the rows of one matrix instead.
    """
    sizes = np.diff(offsets)
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
    segment = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    # Each step doubles how far every value has looked.
    step, longest = 1, int(np.diff(offsets).max(initial=0))
    while step < longest:
        same: Bools = segment[step:] == segment[:-step]
        np.maximum(highest[:-step], highest[step:], out=highest[:-step], where=same)
        step *= 2
    return highest


def bisect(values: Floats, low: Ints, high: Ints, wanted: Floats, *, past_equal: bool) -> Ints:
    """For each wanted value, how far into its own falling slice ``values[low:high]`` it stands.

    The count of values above it, or with ``past_equal`` of those above or equal.
    """
    count = np.zeros(len(low), np.int64)
    size, before = high - low, low - 1
    step = 1 << int(size.max(initial=0)).bit_length() >> 1 if len(values) else 0
    while step:
        # Every slice takes the same steps, halved each time; one that would leave its slice looks at its last value.
        tried = count + step
        there = values.take(np.minimum(tried, size) + before, mode="clip")
        np.copyto(count, tried, where=there >= wanted if past_equal else there > wanted)
        step >>= 1
    inside: Ints = np.minimum(count, size)
    return inside


def group_rows(codes: Ints, groups: int) -> Ints:
    """A stable order of rows by small integer codes, by counting rather than comparing where NumPy can."""
    if groups <= 1 << 16:
        return np.argsort(codes.astype(np.uint16), kind="stable")
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    return order[np.argsort((codes >> 16)[order].astype(np.uint16), kind="stable")]


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
