"""From scores to places: how many items stand above each judged item, and how many beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankmeter.placing.placements import Floats, Ints, Plan
from rankmeter.placing.segments import bisect, expand, sort_descending, unsorted_segments


@dataclass(frozen=True, slots=True)
class Places:
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
    ids_of: Callable[[Ints], pl.Series],
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
        tied = bisect(falling, low + above, high, wanted, past_equal=True)
    higher_id, earlier = np.zeros_like(above), np.zeros_like(above)
    in_tie = np.flatnonzero(tied > 1)
    if len(in_tie) and (plan.ids or plan.order):
        ties = _Ties(segment[in_tie], above[in_tie], tied[in_tie], wanted[in_tie])
        group, member = _tie_members(scores, offsets, ties, wrong)
        # Members come group by group in the order given; where a judged item is among them is found by its row.
        slot = _find(member, rows_of(in_tie))
        if plan.order:
            earlier[in_tie] = slot - np.searchsorted(group, group[slot])
        if plan.ids:
            higher_id[in_tie] = count_higher(group, ids_of(member))[slot]
    return Places(above, tied, higher_id, earlier)


def _in_falling_order(scores: Floats, offsets: Ints, segment: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Items above and beside each row where all lists are in order: the position is the rank, ties are runs."""
    new = np.ones(len(scores), np.bool_)
    np.not_equal(scores[1:], scores[:-1], out=new[1:])
    new[offsets[:-1][offsets[:-1] < len(scores)]] = True
    starts = np.flatnonzero(new)
    if len(starts) == len(scores):
        return rows - offsets[segment], np.ones(len(rows), np.int64)
    run = np.searchsorted(starts, rows, side="right") - 1
    sizes = np.diff(starts, append=len(scores))
    return starts[run] - offsets[segment], sizes[run]


def as_float32(scores: Floats) -> Floats:
    """The scores as trec_eval 9 keeps them; too large ones become infinite, as they do there."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Ties:
    """The judged items that share their score with others."""

    segment: Ints
    above: Ints
    tied: Ints
    score: Floats


def _tie_members(scores: Floats, offsets: Ints, ties: _Ties, wrong: Ints) -> tuple[Ints, Ints]:
    """Group number and position of every item that ties with a judged one, each tie once."""
    key, first = np.unique(offsets[ties.segment] + ties.above, return_index=True)
    segment, tied, wanted = ties.segment[first], ties.tied[first], ties.score[first]
    scattered = np.isin(segment, wrong)
    together = np.flatnonzero(~scattered)
    group = np.repeat(together, tied[together])
    member = expand(key[together], tied[together])
    apart = np.flatnonzero(scattered)
    if len(apart):
        sizes = offsets[segment[apart] + 1] - offsets[segment[apart]]
        owner, place_ = np.repeat(apart, sizes), expand(offsets[segment[apart]], sizes)
        same = scores[place_] == wanted[owner]
        group, member = np.concatenate([group, owner[same]]), np.concatenate([member, place_[same]])
        order = np.argsort(group, kind="stable")
        group, member = group[order], member[order]
    return group, member


def _find(member: Ints, row: Ints) -> Ints:
    """Where each row stands among the members."""
    order = np.argsort(member, kind="stable")
    return order[np.searchsorted(member, row, sorter=order)]


def count_higher(group: Ints, ids: pl.Series) -> Ints:
    """How many members of the same group have a higher id; ids are compared as text, in byte order."""
    text = ids if ids.dtype == pl.String else ids.cast(pl.String)
    order = (
        pl.DataFrame({"group": group, "id": text})
        .select(pl.arg_sort_by("group", "id", descending=[False, True]))
        .to_series()
        .to_numpy()
        .astype(np.int64)
    )
    first = np.searchsorted(group, group)
    counts = np.empty(len(group), np.int64)
    counts[order] = np.arange(len(group)) - first[order]
    return counts
