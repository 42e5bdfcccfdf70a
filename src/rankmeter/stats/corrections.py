"""Corrections for multiple tests: the p-values of one family, made larger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from rankmeter.errors import check_choice
from rankmeter.placing.placements import Floats
from rankmeter.stats.resampling import flipped_sums, is_exact, share_of
from rankmeter.stats.samples import Sample
from rankmeter.stats.student import SAME, Pair, sides

Correction = Literal["holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def corrected(p_values: Floats, correction: Correction) -> Floats:
    """The p-values of one family, corrected; in the order given.

    ``max-t`` needs the values (:func:`step_down`); where only p-values are known, Holm's stands in for it.

    Examples
    --------
    >>> import numpy as np
    >>> corrected(np.array([0.01, 0.04, 0.03]), "holm").tolist()
    [0.03, 0.06, 0.06]
    >>> corrected(np.array([0.01, 0.04, 0.03]), "bonferroni").tolist()
    [0.03, 0.12, 0.09]
    """
    check_choice("correction", correction, CORRECTIONS)
    count = len(p_values)
    if count == 0 or correction == "none":
        return p_values.copy()
    if correction == "bonferroni":
        return np.minimum(p_values * count, 1.0)
    order = np.argsort(p_values, kind="stable")
    rank = np.arange(1, count + 1)
    if correction in ("holm", "max-t"):
        stepped = np.maximum.accumulate(p_values[order] * (count + 1 - rank))
    else:
        # From the largest p-value down: none may be larger than those after it.
        factors = count + 1.0 - rank if correction == "hochberg" else count / rank
        if correction == "by":
            factors = factors * float((1 / rank).sum())
        stepped = np.minimum.accumulate((p_values[order] * factors)[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(stepped, 1.0)
    return result


def step_down(sample: Sample, pairs: Sequence[Pair], *, permutations: int, seed: int) -> Floats:
    """(pairs,) two-sided p-values corrected by step-down max-T (Westfall & Young 1993).

    Signs are flipped unit by unit for all systems at once, which gives the distribution of the largest t statistic with
    the correlation between the tests that the data have; Holm has to assume the worst. Flipping signs leaves sums of
    squares as they are, so a t statistic costs no more than a sum.
    """
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
    chance = share_of(extreme, tried, exact=is_exact(sample.units, permutations))
    chance = np.maximum.accumulate(chance[::-1])[::-1]  # from the largest statistic down, none may be smaller
    result = np.empty(len(order))
    result[order] = np.where(needed <= 0, 1.0, chance)
    return result
