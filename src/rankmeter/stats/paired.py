"""Tests of whether the difference of two systems may be due to chance.

On the same units: ``t`` (the default) is Student's paired test; ``randomisation`` (Fisher 1935; Smucker et al. 2007)
flips the sign of each unit's difference at random and asks how often the mean is at least as far from 0; ``wilcoxon``
is the signed-rank test and ``sign`` the binomial test of wins against losses. For separate groups (runs that share no
seed): Welch's test, random exchanges of runs, and Mann and Whitney's test. Sign and Mann-Whitney are scipy's.

A difference that is not significant does not show that two systems are alike. Tests of "no worse than" and "as good as"
do: there the burden of proof is on sameness (TOST, Schuirmann 1987).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from rankmeter.errors import InputError, check_positive
from rankmeter.late import special, stats
from rankmeter.placing.placements import Floats, Ints
from rankmeter.stats.rank_agreement import mean_ranks
from rankmeter.stats.resampling import AnySample, Groups, Sample, Step, by_units, flipped_sums, is_exact, p_values_of
from rankmeter.stats.skewed import adjusted_skewness, bounded_p, hall_p
from rankmeter.stats.student import SAME, Alternative, Contrasts, Pair, sides, without_noise

Test = Literal["t", "randomisation", "wilcoxon", "sign"]
TESTS: tuple[Test, ...] = get_args(Test)


def p_values(
    samples: Sequence[AnySample],
    pairs: Sequence[Pair],
    test: Test,
    *,
    permutations: int,
    seed: int,
    step: Step | None = None,
) -> Floats:
    """``(samples, pairs)`` two-sided p-values of the first system of each pair against the second."""
    result = np.ones((len(samples), len(pairs)))
    # All pairs and all measures with the same number of units share the random signs.
    for units, members in by_units(samples).items() if test == "randomisation" else ():
        stacked = np.stack([sample.flippable() for sample in members.values()])
        extreme, tried = _extremes(stacked, pairs, permutations, seed, step)
        result[list(members)] = p_values_of(extreme, tried, exact=is_exact(units, permutations))
    for row, sample in enumerate(samples):
        if test == "t":
            result[row] = sample.contrasts(pairs).p()
        elif isinstance(sample, Groups):
            result[row] = [_of_groups(sample.runs[a], sample.runs[b], test, permutations, seed) for a, b in pairs]
        elif test != "randomisation":
            values, (left, right) = sample.per_unit(), sides(pairs)
            result[row] = _p_values_of_rows(values[left] - values[right], test, "two-sided", permutations, seed)
    return result


def directions(samples: Sequence[AnySample], pairs: Sequence[Pair], test: Test) -> Ints:
    """``(samples, pairs)`` which way the tested statistic points: 1 to larger values of the first system, -1 or 0.

    A test of ranks or of signs may point away from the mean: fifty small wins outweigh ten large losses there.
    """
    result = np.zeros((len(samples), len(pairs)), np.int64)
    left, right = sides(pairs)
    for row, sample in enumerate(samples):
        if test in ("t", "randomisation"):
            result[row] = np.sign(sample.contrasts(pairs).difference)
        elif isinstance(sample, Groups):
            result[row] = [_direction_of_groups(sample.runs[a], sample.runs[b], test) for a, b in pairs]
        else:
            values = sample.per_unit()
            result[row] = _directions_of_rows(values[left] - values[right], test)
    return result


def _directions_of_rows(rows: Floats, test: Test) -> Ints:
    rows = without_noise(rows)
    if test == "sign":
        return np.asarray(np.sign(np.sign(rows).sum(axis=1)), np.int64)
    # Zeros are left out of signed ranks: they hold the lowest ones, so all others fall by their number.
    ranks = ranks_of(rows) - (rows == 0).sum(axis=1, keepdims=True)
    return np.asarray(np.sign((ranks * np.sign(rows)).sum(axis=1)), np.int64)


def _direction_of_groups(group: Floats, other: Floats, test: Test) -> int:
    if len(group) == 1 or len(other) == 1:
        return int(_directions_of_rows((group - other)[None], test)[0])
    return int(np.sign(np.sign(group[:, None] - other[None, :]).sum()))


def p_value(
    differences: Floats, test: Test, *, alternative: Alternative = "two-sided", permutations: int, seed: int
) -> float:
    """The p-value of differences, one for each unit; 1 where all of them are 0.

    Where all are equal and not 0 a t test has no spread to test by; its p-value is then that of n equal signs, 2^(1-n).
    """
    return float(_p_values_of_rows(differences[None], test, alternative, permutations, seed)[0])


def _p_values_of_rows(rows: Floats, test: Test, alternative: Alternative, permutations: int, seed: int) -> Floats:
    """(rows,) the p-values of ``(rows, units)`` differences; 1 where all of a row are 0."""
    rows = without_noise(rows)
    if test == "t":
        return Contrasts.of_rows(rows).p(alternative)
    if test == "randomisation":
        return _randomised(rows, alternative, permutations, seed)
    if test == "wilcoxon":
        return _wilcoxon(rows, alternative, seed)
    wins, moved = (rows > 0).sum(axis=1).tolist(), np.count_nonzero(rows, axis=1).tolist()
    tests = zip(wins, moved, strict=True)
    return np.array([stats.binomtest(won, n, alternative=alternative).pvalue if n else 1.0 for won, n in tests])


def _of_groups(group: Floats, other: Floats, test: Test, permutations: int, seed: int) -> float:
    """The two-sided p-value of two groups; against a single number, that of the differences from it."""
    if len(group) == 1 or len(other) == 1:
        return p_value(group - other, test, permutations=permutations, seed=seed)
    if test == "sign":
        raise InputError.of("stats.sign_needs_pairs")
    if test == "wilcoxon":
        return float(stats.mannwhitneyu(group, other).pvalue)
    return _exchanged(group, other, permutations, seed)


def _exchanged(group: Floats, other: Floats, permutations: int, seed: int) -> float:
    """The share of random exchanges between two groups that put their means as far apart, in standard errors.

    Comparing means alone would assume equal variances: for ten runs against six that vary twice as much, a test at 5%
    then rejects in 10% of cases, with standard errors in 5 to 7% (Janssen 1997).
    """
    # Sorted, so that the order in which runs were given changes nothing.
    both, size = np.concatenate([np.sort(group), np.sort(other)]), len(group)
    exact = math.comb(len(both), size) <= permutations
    if exact:
        chosen = np.array(list(combinations(range(len(both)), size)))
    else:
        random = np.random.default_rng(seed)
        chosen = random.permuted(np.tile(np.arange(len(both)), (permutations, 1)), axis=1)[:, :size]
    both = both - both.mean()
    tried = np.vstack([np.arange(size), chosen])  # what was observed comes first
    sides = [(both[tried].sum(axis=1), (both[tried] ** 2).sum(axis=1), size)]
    sides.append((both.sum() - sides[0][0], (both**2).sum() - sides[0][1], len(other)))
    gaps = np.abs(sides[0][0] / size - sides[1][0] / len(other))
    spread = sum(np.maximum(squares - total**2 / n, 0.0) / (n - 1) / n for total, squares, n in sides)
    gaps = np.where(gaps > SAME, gaps, 0.0)
    statistic = np.divide(gaps, np.sqrt(spread), out=np.where(gaps > 0, np.inf, 0.0), where=spread > SAME**2)
    extreme = int((statistic[1:] >= statistic[0] * (1 - SAME)).sum())
    return float(p_values_of(extreme, len(chosen), exact=exact))


FEW_RANKS = 13
"""With tied ranks, scipy tries every pattern of signs up to this many differences."""
COUNTED_RANKS = 50
"""Without ties, it counts the patterns of signs up to this many."""


def _wilcoxon(rows: Floats, alternative: Alternative, seed: int) -> Floats:
    """(rows,) the p-values of rows of differences; 1 where all of a row are 0."""
    chances, sizes = np.ones(len(rows)), np.count_nonzero(rows, axis=1)
    for size in np.unique(sizes[sizes > 0]).tolist():
        same = np.flatnonzero(sizes == size)
        moved = rows[same]
        moved = moved[moved != 0].reshape(len(same), size)
        ranks = ranks_of(moved)
        tied = (np.diff(np.sort(ranks, axis=1), axis=1) == 0).any(axis=1)
        signed = np.sign(moved) * ranks
        if size <= FEW_RANKS and tied.any():
            # scipy does the same by calling Python for every pattern, which takes seconds.
            chances[same[tied]] = _randomised(signed[tied], alternative, 2**FEW_RANKS, seed)
        for alike in (~tied, tied & (size > FEW_RANKS)):  # ranks without ties have exact p-values
            if alike.any():
                chances[same[alike]] = _of_rank_sums(signed[alike], alternative, tied=bool(tied[alike].any()))
    return chances


def _of_rank_sums(signed: Floats, alternative: Alternative, *, tied: bool) -> Floats:
    """(rows,) the p-values of signed ranks: of all patterns of signs, or by the normal distribution for many or ties.

    When ``scipy.stats.wilcoxon`` does which depends on its version; this is what 1.13 and newer do.
    """
    size, sums = signed.shape[1], np.where(signed > 0, signed, 0.0).sum(axis=1)
    if size <= COUNTED_RANKS and not tied:
        ways = np.ones(1)  # how many patterns have each sum of positive ranks; whole numbers below 2**53
        for rank in range(1, size + 1):
            ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
        place = sums.astype(np.intp)
        lower = np.cumsum(ways)[place] / 2.0**size
        upper = np.cumsum(ways[::-1])[::-1][place] / 2.0**size
    else:
        # Each rank has a random sign: the variance is the sum of their squares, which ties make smaller.
        score = (sums - size * (size + 1) / 4) / np.sqrt((signed**2).sum(axis=1) / 4)
        lower, upper = special.ndtr(score), special.ndtr(-score)
    if alternative == "two-sided":
        return np.asarray(np.minimum(2 * np.minimum(lower, upper), 1.0))
    return np.asarray(upper if alternative == "greater" else lower)


def ranks_of(differences: Floats) -> Floats:
    """The ranks of absolute differences within each row, ties sharing the mean; sizes that differ by rounding only tie.

    1/2 - 1/3 and 1/3 - 1/6 are equal, but not as floating-point numbers.
    """
    sizes = np.abs(differences)
    return mean_ranks(sizes, SAME * np.maximum(sizes.max(axis=-1, keepdims=True, initial=0.0), 1.0))


def _randomised(rows: Floats, alternative: Alternative, permutations: int, seed: int) -> Floats:
    """(rows,) the p-values of differences whose signs are flipped at random."""
    held_against = np.concatenate([rows, np.zeros((1, rows.shape[1]))])
    pairs = [(row, len(rows)) for row in range(len(rows))]
    extreme, tried = _extremes(held_against[None], pairs, permutations, seed, alternative=alternative)
    return np.asarray(p_values_of(extreme[0], tried, exact=is_exact(rows.shape[1], permutations)))


def _extremes(
    values: Floats,
    pairs: Sequence[Pair],
    permutations: int,
    seed: int,
    step: Step | None = None,
    alternative: Alternative = "two-sided",
) -> tuple[Ints, int]:
    """``(measures, pairs)`` how many flipped differences are at least as extreme as the observed ones."""
    size = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    measures, systems, units = values.shape
    left, right = sides(pairs)
    sums = values.sum(axis=2)
    # A matrix product adds in another order than a sum; the error is proportional to what is added.
    sizes = np.abs(values).sum(axis=2)
    needed = size(sums[:, left] - sums[:, right]) - SAME * (sizes[:, left] + sizes[:, right])
    extreme, tried = np.zeros(needed.shape, np.int64), 0
    for block in flipped_sums(values.reshape(measures * systems, units), permutations, seed, step):
        # Pair by pair, as what one pair needs stays in the cache: faster than all pairs at a time.
        gap, beyond = np.empty(block.shape[1]), np.empty(block.shape[1], np.bool_)
        for measure, flipped in enumerate(block.reshape(measures, systems, -1)):
            counts = []
            for (a, b), least in zip(pairs, needed[measure].tolist(), strict=True):
                np.subtract(flipped[a], flipped[b], out=gap)
                np.greater_equal(size(gap, out=gap), least, out=beyond)
                counts.append(np.count_nonzero(beyond))
            extreme[measure] += counts
        tried += block.shape[1]
    return extreme, tried


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """Sizes of a paired difference; None where there is no spread to measure by."""

    wins: int
    """Units on which the system is better."""
    ties: int
    losses: int
    standardised: float | None
    """Cohen's d_z: the mean difference over the standard deviation of the differences; positive is better."""
    rank_biserial: float | None
    """Matched-pairs rank-biserial correlation, -1 to 1: the ranks of the wins less those of the losses (Kerby 2014)."""

    def turned(self) -> EffectSizes:
        """These sizes seen from the other system."""
        standardised = None if self.standardised is None else -self.standardised
        rank_biserial = None if self.rank_biserial is None else -self.rank_biserial
        return EffectSizes(self.losses, self.ties, self.wins, standardised, rank_biserial)


def effects(rows: Floats, *, higher_is_better: bool = True) -> list[EffectSizes]:
    """The effect sizes of ``(pairs, units)`` paired differences."""
    gained = without_noise(rows if higher_is_better else -rows)
    units = gained.shape[1]
    spread = gained.std(axis=1, ddof=1) if units > 1 else np.zeros(len(gained))
    mean = gained.mean(axis=1) if units else np.zeros(len(gained))
    wins, losses = (gained > 0).sum(axis=1), (gained < 0).sum(axis=1)
    # Zeros are left out: they hold the lowest ranks, so all other ranks fall by their number.
    ranks = np.where(gained == 0, 0.0, ranks_of(gained) - (units - wins - losses)[:, None])
    signed, total = (ranks * np.sign(gained)).sum(axis=1), ranks.sum(axis=1)
    return [
        EffectSizes(
            wins=int(won),
            ties=int(units - won - lost),
            losses=int(lost),
            standardised=float(average / scale) if scale > 0 else (0.0 if average == 0 else None),
            rank_biserial=float(above / below) if below else 0.0,
        )
        for won, lost, average, scale, above, below in zip(wins, losses, mean, spread, signed, total, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether a difference lies within a margin; p-values of one-sided paired t tests."""

    margin: float
    no_worse: float
    """p-value of "worse by the margin or more"; small: no worse than."""
    no_better: float
    """p-value of "better by the margin or more"."""

    @property
    def equivalent(self) -> float:
        """p-value of "differs by the margin or more" (the larger of the two one-sided ones)."""
        return max(self.no_worse, self.no_better)


def equivalences(
    sample: AnySample,
    pairs: Sequence[Pair],
    margin: float,
    *,
    higher_is_better: bool = True,
    interval: str = "t",
    draws: int = 0,
    seed: int = 0,
) -> list[Equivalence]:
    """Whether the means of paired differences lie within ``margin`` of 0, by t tests.

    Beside the intervals ``hall`` and ``bounded`` the p-values are those of what lies outside of them. Differences that
    are all equal have no spread for a t test: n of them within the margin have p = 2^-n.
    """
    check_positive("margin", margin, 0.01)
    contrasts = sample.spreads(pairs)
    ends: tuple[tuple[Contrasts, Alternative], ...]
    ends = ((contrasts.moved(margin), "greater"), (contrasts.moved(-margin), "less"))
    if interval == "bounded" and isinstance(sample, Sample):
        above, below = bounded_p(sample, pairs, margin, draws, seed)
    elif interval == "hall" and isinstance(sample, Sample):
        skew = adjusted_skewness(sample.on_scale(), pairs)
        above, below = (hall_p(moved, skew, sample.units, alternative) for moved, alternative in ends)
    else:
        above, below = (moved.p(alternative) for moved, alternative in ends)
    both = (above, below) if higher_is_better else (below, above)
    return [Equivalence(margin, *chances) for chances in zip(*(side.tolist() for side in both), strict=True)]
