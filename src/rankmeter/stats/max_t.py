"""Step-down max-T: p-values of one family, corrected for how its tests go together (Westfall & Young 1993).

Signs are flipped by unit for all systems at once, so the largest of all t statistics that chance makes is known as it
is, whatever the pairs have in common; Holm has to assume the worst. A sum of squares does not change when signs do:
a t statistic costs no more than a sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankmeter.placing.placements import Floats
from rankmeter.stats.resampling import flipped_sums, is_exact
from rankmeter.stats.samples import Sample
from rankmeter.stats.student import SAME, Pair, sides


def step_down(sample: Sample, pairs: Sequence[Pair], *, permutations: int, seed: int) -> Floats:
    """(pairs,) the corrected p-values, two-sided."""
    left, right = sides(pairs)
    values = sample.linear()
    root = np.sqrt(np.array([((values[a] - values[b]) ** 2).sum() for a, b in pairs]))
    sizes, sums = np.abs(values).sum(axis=1), values.sum(axis=1)
    # Differences that are nothing but rounding have no statistic.
    share = np.divide(1.0, root, out=np.zeros(len(root)), where=root > SAME * (sizes[left] + sizes[right]))
    observed = np.abs(sums[left] - sums[right]) * share
    order = np.argsort(observed, kind="stable")  # the smallest first: each step is the maximum of those before it
    needed = observed[order] - SAME
    steps = list(zip(left[order].tolist(), right[order].tolist(), share[order].tolist(), needed.tolist(), strict=True))
    extreme, tried = np.zeros(len(order), np.int64), 0
    for flipped in flipped_sums(values, permutations, seed):
        largest, gap = np.zeros(flipped.shape[1]), np.empty(flipped.shape[1])
        counts = []
        for a, b, weight, least in steps:
            np.abs(np.subtract(flipped[a], flipped[b], out=gap), out=gap)
            np.maximum(largest, np.multiply(gap, weight, out=gap), out=largest)
            counts.append(np.count_nonzero(largest >= least))
        extreme += counts
        tried += flipped.shape[1]
    exact = is_exact(sample.units, permutations)
    chance = extreme / tried if exact else (extreme + 1) / (tried + 1)
    chance = np.maximum.accumulate(chance[::-1])[::-1]  # from the largest statistic down, none may be smaller
    result = np.empty(len(order))
    result[order] = np.where(needed <= 0, 1.0, chance)
    return result
