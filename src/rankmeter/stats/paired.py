"""Paired tests: whether the difference of two systems on the same units may be an accident.

``randomisation`` (the default; Fisher, Smucker et al. 2007) flips the sign of each unit's difference at random and asks
how often the mean is at least as far from 0; ``t`` is Student's paired test, ``wilcoxon`` the signed-rank test and
``sign`` the binomial test of wins against losses. The last three are scipy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from rankmeter.placing.placements import Floats
from rankmeter.stats.resampling import Step, flipped_sums, is_exact
from rankmeter.stats.samples import Sample

Test = Literal["randomisation", "t", "wilcoxon", "sign"]
TESTS = ("randomisation", "t", "wilcoxon", "sign")
Alternative = Literal["two-sided", "less", "greater"]
Pair = tuple[int, int]

SAME = 1e-12
"""Values of a unit that differ by no more than this, relative to the largest value or 1, are a tie."""


def p_values(
    samples: Sequence[Sample],
    pairs: Sequence[Pair],
    test: Test,
    *,
    permutations: int,
    seed: int,
    step: Step | None = None,
) -> Floats:
    """``(samples, pairs)`` two-sided p-values of the first system of each pair against the second."""
    if test == "randomisation":
        return _randomisation_of_all(samples, pairs, permutations, seed, step)
    result = np.ones((len(samples), len(pairs)))
    for row, one in enumerate(samples):
        values = one.linear() if test == "t" else one.per_unit()
        for column, (left, right) in enumerate(pairs):
            result[row, column] = p_value(values[left] - values[right], test, permutations=permutations, seed=seed)
    return result


def p_value(
    differences: Floats, test: Test, *, alternative: Alternative = "two-sided", permutations: int, seed: int
) -> float:
    """The p-value of some differences, one for each unit; 1 where all of them are 0.

    Where all are equal and not 0 a t test has no spread to go by; its p-value is then that of n equal signs, 2^(1-n).

    Examples
    --------
    All six units better: of the 64 patterns of signs two are as extreme.

    >>> import numpy as np
    >>> p_value(np.array([0.1, 0.2, 0.1, 0.3, 0.1, 0.2]), "randomisation", permutations=1000, seed=0)
    0.03125
    """
    differences = without_noise(differences)
    if not differences.any():
        return 1.0
    if test == "randomisation":
        return _randomisation(differences, alternative, permutations, seed)
    from scipy import stats  # loaded only for statistics

    if test == "t":
        if len(differences) < 2:
            return 1.0
        if without_spread(differences):
            return _by_signs(differences, alternative)
        return float(stats.ttest_1samp(differences, 0.0, alternative=alternative).pvalue)
    if test == "wilcoxon":
        return _wilcoxon(differences, alternative, seed)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return float(stats.binomtest(wins, wins + losses, alternative=alternative).pvalue)


def without_spread(differences: Floats) -> bool:
    """Whether all differences are the same but for rounding, so that a t test has nothing to divide by."""
    largest = float(np.abs(differences).max(initial=0.0))
    return len(differences) > 1 and float(np.ptp(differences)) <= SAME * max(largest, 1.0)


def spread_of(differences: Floats) -> float:
    """The standard deviation of some differences; 0 where nothing but rounding tells them apart."""
    return 0.0 if without_spread(differences) else float(differences.std(ddof=1))


def _by_signs(differences: Floats, alternative: Alternative) -> float:
    """The p-value of equal differences: how often n signs that chance gives are all alike.

    A t test would divide by 0 and be certain, which two or three values cannot be (scipy: t is infinite, p is 0).
    """
    agrees = {"two-sided": True, "greater": differences[0] > 0, "less": differences[0] < 0}[alternative]
    one_sided: float = 0.5 ** len(differences)
    return min(2 * one_sided if alternative == "two-sided" else one_sided, 1.0) if agrees else 1.0


FEW_RANKS = 13
"""Up to how many differences scipy tries every pattern of signs where ranks are tied."""


def _wilcoxon(differences: Floats, alternative: Alternative, seed: int) -> float:
    from scipy import stats

    moved = differences[differences != 0]
    ranks = ranks_of(moved)
    if len(moved) <= FEW_RANKS and len(np.unique(ranks)) < len(ranks):
        # scipy does the same by calling Python for every pattern, which takes seconds.
        return _randomisation(np.sign(moved) * ranks, alternative, 2**FEW_RANKS, seed)
    return float(stats.wilcoxon(np.sign(moved) * ranks, alternative=alternative).pvalue)


def ranks_of(differences: Floats) -> Floats:
    """The ranks of their sizes, ties sharing the mean; sizes that differ by rounding only are ties.

    1/2 - 1/3 and 1/3 - 1/6 are the same size, and not the same number of the computer's.

    >>> ranks_of(np.array([1 / 2 - 1 / 3, 1 / 6 - 1 / 3, 0.5])).tolist()
    [1.5, 1.5, 3.0]
    """
    from scipy.stats import rankdata  # scipy is loaded only for statistics

    sizes = np.abs(differences)
    rising = np.argsort(sizes, kind="stable")
    apart = np.diff(sizes[rising], prepend=0.0) > SAME * max(float(sizes.max(initial=0.0)), 1.0)
    level = np.empty(len(sizes))
    level[rising] = np.cumsum(apart)
    ranks: Floats = rankdata(level)
    return ranks


def without_noise(differences: Floats) -> Floats:
    """Differences that are nothing but rounding, as 0."""
    scale = max(float(np.abs(differences).max(initial=0.0)), 1.0)
    return np.where(np.abs(differences) <= SAME * scale, 0.0, differences)


def _randomisation(differences: Floats, alternative: Alternative, permutations: int, seed: int) -> float:
    observed = float(differences.sum())
    slack = SAME * float(np.abs(differences).sum())
    extreme = tried = 0
    for sums in flipped_sums(differences[:, None], permutations, seed):
        found = sums[:, 0]
        if alternative == "two-sided":
            extreme += int((np.abs(found) >= abs(observed) - slack).sum())
        elif alternative == "greater":
            extreme += int((found >= observed - slack).sum())
        else:
            extreme += int((found <= observed + slack).sum())
        tried += len(found)
    return _share(extreme, tried, exact=is_exact(len(differences), permutations))


def _share(extreme: int, tried: int, *, exact: bool) -> float:
    # Where patterns are drawn, the observed one counts as one of them, so that no p-value is 0 (Phipson & Smyth 2010).
    return extreme / tried if exact else (extreme + 1) / (tried + 1)


def _randomisation_of_all(
    samples: Sequence[Sample], pairs: Sequence[Pair], permutations: int, seed: int, step: Step | None
) -> Floats:
    """All pairs under all measures with the same signs; samples of other units take their turn apart."""
    result = np.ones((len(samples), len(pairs)))
    by_units: dict[int, list[int]] = {}
    for number, one in enumerate(samples):
        by_units.setdefault(one.units, []).append(number)
    left, right = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    for units, members in by_units.items():
        stacked = np.stack([samples[number].flippable() for number in members])
        extreme, tried = _extremes(stacked, left, right, permutations, seed, step)
        exact = is_exact(units, permutations)
        for place, number in enumerate(members):
            result[number] = [_share(int(count), tried, exact=exact) for count in extreme[place]]
    return result


def _extremes(
    values: Floats, left: np.ndarray, right: np.ndarray, permutations: int, seed: int, step: Step | None
) -> tuple[np.ndarray, int]:
    """``(measures, pairs)`` how many flipped differences are at least as far from 0 as the observed ones."""
    measures, systems, units = values.shape
    columns = np.ascontiguousarray(values.reshape(measures * systems, units).T)
    sums = values.sum(axis=2)
    observed = np.abs(sums[:, left] - sums[:, right])
    # A product adds up in another order than a sum, with an error in proportion to what is added.
    sizes = np.abs(values).sum(axis=2)
    needed = observed - SAME * (sizes[:, left] + sizes[:, right])
    extreme, tried = np.zeros(observed.shape, np.int64), 0
    for block in flipped_sums(columns, permutations, seed, step):
        flipped = block.reshape(len(block), measures, systems)
        extreme += (np.abs(flipped[:, :, left] - flipped[:, :, right]) >= needed).sum(axis=0)
        tried += len(block)
    return extreme, tried
