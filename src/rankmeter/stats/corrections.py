"""Many comparisons at once: p-values of one family made larger, which systems may be the best, and ranks.

The winner of a comparison was picked because it came out first, so "not significantly different from the winner" is too
narrow a group. Multiple comparisons with the best (Hsu 1984) asks of every system whether any other is better by more
than chance, at a level that holds for all others at once; the systems for which no better one is found include the
truly best one with the stated confidence. That question alone would name a winner in a tenth of the comparisons of two
equal systems, since it is asked of both; so a system leaves the group only where a two-sided t test finds another
better too. Rank intervals come from all pairs at once in the same way (Mogstad et al. 2024). Critical values are those
of the wild bootstrap: the signs of centred values are flipped unit by unit and the differences studentised, which keeps
the correlation of systems on the same queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from rankmeter.errors import check_choice
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.resampling import AnySample, Groups, Sample, by_units, flipped_sums, is_exact, p_values_of
from rankmeter.stats.student import SAME, Pair, sides, t_quantile

Correction = Literal["holm", "hochberg", "bonferroni", "max-t", "bh", "by", "none"]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)


def corrected(p_values: Floats, correction: Correction) -> Floats:
    """The p-values of one family, corrected; in the order given.

    ``max-t`` needs the values (:func:`step_down`); where only p-values are known, Holm's stands in for it.
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
    chance = p_values_of(extreme, tried, exact=is_exact(sample.units, permutations))
    chance = np.maximum.accumulate(chance[::-1])[::-1]  # from the largest statistic down, none may be smaller
    result = np.empty(len(order))
    result[order] = np.where(needed <= 0, 1.0, chance)
    return result


BLOCK_CELLS = 250_000
"""How many differences of flipped sums are held at once."""
TOO_FEW_SIGNS = 3
"""With so few units flipped signs never come near to agreeing, and Bonferroni's t is the least that counts."""


@dataclass(frozen=True, slots=True)
class Separation:
    """The order of the systems as far as the data tell; all statements hold together at the stated confidence."""

    rank: Ints
    """(systems,) by value, best first from 1; equal values share the better rank."""
    rank_low: Ints
    """(systems,) the best rank that a system may have."""
    rank_high: Ints
    """(systems,) the worst rank that it may have."""
    in_best: Bools
    """(systems,) whether it may be the best."""

    @classmethod
    def by(cls, rank: Ints, better: Bools, in_best: Bools) -> Separation:
        """From ``(systems, systems)``, whether the row's stands above the column's by more than chance."""
        return cls(rank, 1 + better.sum(axis=0), len(rank) - better.sum(axis=1), in_best)


def separation(values: Floats, *, level: float, resamples: int, seed: int) -> Separation:
    """Which systems can be separated by their ``(systems, units)`` values, higher being better."""
    return separations([Sample.of_values(values)], [1], level=level, resamples=resamples, seed=seed)[0]


def separations(
    samples: Sequence[AnySample], signs: Sequence[int], *, level: float, resamples: int, seed: int
) -> list[Separation]:
    """For several measures, with the same random signs where they have the same number of units.

    ``signs`` are -1 for measures where lower is better. Groups of runs that are not paired are separated by Welch's
    test, its level divided by the number of comparisons.
    """
    by_number = {
        n: _separated_groups(sample, signs[n], level) for n, sample in enumerate(samples) if isinstance(sample, Groups)
    }
    for units, members in by_units(samples).items():
        values = np.stack([sample.linear() * signs[number] for number, sample in members.items()])
        if units < 2 or values.shape[1] < 2:
            by_number |= zip(members, map(_unseparated, values.mean(axis=2)), strict=True)
            continue
        critical = _critical(values, level, resamples, seed)
        for number, rows, with_best, all_pairs in zip(members, values, *critical, strict=True):
            by_number[number] = _separated(rows, with_best, float(all_pairs), level)
    return [by_number[number] for number in range(len(samples))]


def _separated_groups(groups: Groups, sign: int, level: float) -> Separation:
    systems = len(groups.runs)
    apart = _unseparated(groups.values() * sign)
    if systems < 2 or groups.units < 2:
        return apart
    pairs = [(i, j) for i in range(systems) for j in range(systems)]
    # chance[i, j] is small where i stands above j by more than chance.
    chance = groups.contrasts(pairs).p("greater" if sign > 0 else "less").reshape(systems, systems)
    alpha = 1 - level
    in_best = np.asarray((chance >= alpha / max(systems - 1, 2)).all(axis=0))
    return Separation.by(apart.rank, chance < alpha / (systems * (systems - 1)), in_best)


def _unseparated(means: Floats) -> Separation:
    """The order of a single system, or on a single unit, which separates nothing."""
    rank = 1 + (gap_table(means) < 0).sum(axis=1)
    systems = len(means)
    return Separation.by(rank, np.zeros((systems, systems), np.bool_), np.ones(systems, np.bool_))


def _separated(values: Floats, with_best: Floats, all_pairs: float, level: float) -> Separation:
    units = values.shape[1]
    gap = gap_table(values.mean(axis=1))
    # observed[i, j] is how far i stands above j; i may be the best while no j stands above it by more than chance.
    error = np.sqrt(_squares(values) / ((units - 1) * units))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.where((gap == 0) & (error == 0), 0.0, gap / error)
    if 2.0 ** (1 - units) >= 1 - level:
        # Differences without any spread have no t. A test by signs sees n equal ones with p = 2^(1 - n).
        observed[np.isinf(observed)] = 0.0
    in_best = (-observed).max(axis=1) <= np.maximum(with_best, t_quantile(level, units - 1))
    return Separation.by(1 + (gap < 0).sum(axis=1), observed > all_pairs, in_best)


def gap_table(means: Floats) -> Floats:
    """(systems, systems) the mean of the row less that of the column; rounding errors do not count as a gap."""
    gap: Floats = means[:, None] - means[None, :]
    gap[np.abs(gap) <= 1e-12 * max(float(np.abs(means).max(initial=0.0)), 1e-300)] = 0.0
    return gap


def _squares(values: Floats) -> Floats:
    """(systems, systems) the sums of squares of the centred differences."""
    centred = values - values.mean(axis=1, keepdims=True)
    products = centred @ centred.T
    sizes = np.diag(products)
    squares: Floats = np.maximum(sizes[:, None] + sizes[None, :] - 2 * products, 0.0)
    squares[squares <= 1e-12 * (sizes[:, None] + sizes[None, :])] = 0.0
    return squares


def _critical(values: Floats, level: float, resamples: int, seed: int) -> tuple[Floats, Floats]:
    """How large a t may be by chance: (measures, systems) against each system as the best, (measures,) for all pairs.

    ``values`` are ``(measures, systems, units)``.
    """
    measures, systems, units = values.shape
    centred = values - values.mean(axis=2, keepdims=True)
    squares = np.stack([_squares(of_measure) for of_measure in values])
    # Flipping signs leaves the sum of squares about 0 as it is, so t rises with the flipped sum over its root.
    scale = np.divide(1.0, np.sqrt(squares * units), out=np.zeros(squares.shape), where=squares > 0)
    above = np.empty((measures, systems, 2**units if is_exact(units, resamples) else resamples))
    width, first = max(1, BLOCK_CELLS // systems), 0
    gap = np.empty((systems, width))  # reused, as fresh memory costs more than the arithmetic
    for block in flipped_sums(centred.reshape(measures * systems, units), resamples, seed):
        for start in range(0, block.shape[1], width):
            flipped = block[:, start : start + width].reshape(measures, systems, -1)
            for measure in range(measures):
                part = above[measure, :, first : first + flipped.shape[2]]
                part[:] = _farthest_above(flipped[measure], scale[measure], gap[:, : flipped.shape[2]])
            first += flipped.shape[2]
    with_best = np.stack([np.quantile(rows, level, axis=1, method="higher") for rows in above])
    all_pairs = np.quantile(above.max(axis=1), level, axis=1, method="higher")
    if units > TOO_FEW_SIGNS:
        return _t_of(with_best, units), _t_of(all_pairs, units)
    of_best, of_all = (
        t_quantile(1 - 2 * (1 - level) / comparisons, units - 1)
        for comparisons in (max(systems - 1, 2), systems * (systems - 1))
    )
    return np.maximum(_t_of(with_best, units), of_best), np.maximum(_t_of(all_pairs, units), of_all)


def _farthest_above(flipped: Floats, scale: Floats, room: Floats) -> Floats:
    """(systems, b) how far the highest of the other ``(systems, b)`` flipped sums stands above each, scaled."""
    largest = np.full(flipped.shape, -np.inf)
    for system in range(len(flipped) - 1):
        others = slice(system + 1, None)
        gap = np.subtract(flipped[system], flipped[others], out=room[others])
        gap *= scale[system, others, None]
        np.maximum(largest[others], gap, out=largest[others])
        np.maximum(largest[system], -gap.min(axis=0), out=largest[system])
    return largest


def _t_of(share: Floats, units: int) -> Floats:
    """The t statistic of a sum given as a share of the largest that any signs make; infinite where all agree."""
    left = 1 - share**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = share * np.sqrt((units - 1) / left)
    return np.where(left <= 1e-9, np.inf, t)
