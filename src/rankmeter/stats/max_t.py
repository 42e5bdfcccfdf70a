"""Step-down max-T: p-values of one family, corrected for how its tests go together (Westfall & Young 1993).

Signs are flipped by unit for all systems at once, so the largest of all t statistics that chance makes is known as it
is, whatever the pairs have in common; Holm has to assume the worst. A sum of squares does not change when signs do:
a t statistic costs no more than a sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmeter.placing.placements import Floats
from rankmeter.stats.resampling import flipped_sums, gaps_of, in_rows, is_exact
from rankmeter.stats.samples import Sample
from rankmeter.stats.student import SAME, Pair, sides

PAIR_CELLS = 500_000
"""How many flipped statistics are held at once."""


def step_down(one: Sample, pairs: Sequence[Pair], *, permutations: int, seed: int) -> Floats:
    """(pairs,) the corrected p-values, two-sided."""
    left, right = sides(pairs)
    columns = np.ascontiguousarray(one.linear().T)
    root = np.sqrt(np.array([((columns[:, a] - columns[:, b]) ** 2).sum() for a, b in pairs]))
    sizes = np.abs(columns).sum(axis=0)
    # Differences that are nothing but rounding have no statistic.
    scale = np.where(root > SAME * (sizes[left] + sizes[right]), root, np.inf)
    sums = columns.sum(axis=0)
    observed = np.abs(sums[left] - sums[right]) / scale
    order = np.argsort(observed, kind="stable")  # the smallest first: each step is the maximum of those before it
    left, right, scale, needed = left[order], right[order], scale[order], observed[order] - SAME
    extreme, tried = np.zeros(len(order), np.int64), 0
    rows = max(1, PAIR_CELLS // max(len(order), 1))
    for block in in_rows(flipped_sums(columns, permutations, seed), rows):
        largest = gaps_of(np.ascontiguousarray(block.T), left, right)
        largest /= scale[:, None]
        _accumulate(largest)
        extreme += np.count_nonzero(largest >= needed[:, None], axis=1)
        tried += len(block)
    exact = is_exact(one.units, permutations)
    chance = extreme / tried if exact else (extreme + 1) / (tried + 1)
    chance = np.maximum.accumulate(chance[::-1])[::-1]  # from the largest statistic down, none may be smaller
    result = np.empty(len(order))
    result[order] = np.where(needed <= 0, 1.0, chance)
    return result


def _accumulate(rows: Floats) -> None:
    """The largest so far in each column, in place: within blocks of rows, then over the blocks.

    Row after row, as NumPy does it, a step waits for the one before; this takes a third of the time of a whole test.
    """
    width = max(1, int(len(rows) ** 0.5))
    whole = len(rows) // width * width
    blocks = rows[:whole].reshape(-1, width, rows.shape[1])
    for place in range(1, width):
        np.maximum(blocks[:, place], blocks[:, place - 1], out=blocks[:, place])
    ends = np.maximum.accumulate(blocks[:, -1], axis=0)
    np.maximum(blocks[1:], ends[:-1, None], out=blocks[1:])
    for place in range(whole, len(rows)):
        np.maximum(rows[place], rows[place - 1], out=rows[place])
