"""Arithmetic on segments: consecutive slices of one flat array, one per query, marked by offsets.

Everything is a count or a sort of values; nothing loops over queries in Python.
"""

from __future__ import annotations

import numpy as np

from rankmeter.placing.placements import Bools, Floats, Ints


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
    doublings = np.ceil(np.log2(np.maximum(sizes, 2))).astype(np.int64)
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
    inside = np.arange(columns) < sizes[:, None]
    matrix = np.full(inside.shape, np.inf, values.dtype)
    matrix[inside] = -values[expand(offsets[rows], sizes)]
    matrix.sort(axis=1)
    values[expand(offsets[rows], sizes)] = -matrix[inside]


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
    size = high - low
    step = 1 << int(size.max(initial=0)).bit_length() >> 1 if len(values) else 0
    while step:
        # Every slice takes the same steps, halved each time; one that would leave its slice is not taken.
        tried = count + step
        found = values.take(low + (tried - 1), mode="clip")
        taken: Bools = found >= wanted if past_equal else found > wanted
        taken &= tried <= size
        np.copyto(count, tried, where=taken)
        step >>= 1
    return count


def group_rows(codes: Ints, groups: int) -> Ints:
    """A stable order of rows by small integer codes, by counting rather than comparing where NumPy can."""
    if groups <= 1 << 16:
        return np.argsort(codes.astype(np.uint16), kind="stable")
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    return order[np.argsort((codes >> 16)[order].astype(np.uint16), kind="stable")]
