"""Confidence intervals of aggregated values and of their differences.

``t`` is Student's (of shares Clopper and Pearson's), ``randomisation`` holds the differences that the randomisation
test does not reject, ``bca`` (Efron 1987) and ``percentile`` resample units, ``hall`` corrects Student's for skewness
and ``bounded`` holds whatever the shape, where values lie between known bounds. By default an interval is the inversion
of the test beside it. docs/statistics.md has the measured coverage of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.arithmetic.parts import Values
from rankmeter.errors import InputError, check_choice, check_level, check_whole
from rankmeter.late import special
from rankmeter.placing.placements import Bools, Floats
from rankmeter.showing.document import Block, Paragraph
from rankmeter.showing.numbers import fixed
from rankmeter.showing.showable import Showable
from rankmeter.stats.resampling import AnySample, Groups, Sample, Step, by_units, flipped_sums, is_exact, resampled_sums
from rankmeter.stats.skewed import adjusted_skewness, bounded_ends, hall_ends
from rankmeter.stats.student import Pair, skewness, without_noise
from rankmeter.wording import Language, Said, in_language, kinds, said, word

IntervalMethod = Literal["t", "randomisation", "bca", "percentile", "hall", "bounded"]
METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)
Method = IntervalMethod | Literal["share"]
"""What an interval was made by: a share has one of its own where others are Student's."""
INTERVALS = kinds("interval_{}", (*METHODS, "share"))
INVERTS: dict[str, IntervalMethod] = {"randomisation": "randomisation"}
"""The interval that inverts a test; Student's t for tests that are not about means."""
COCHRAN = 25
"""From so many queries on, times the squared skewness, the interval of one mean holds."""
WIDENED: frozenset[IntervalMethod] = frozenset({"hall", "bounded"})
"""Those that single values have too: Student's, where it would be too short."""
FEWEST_RESAMPLES = 100
"""With fewer, the ends of an interval would be mostly chance."""
DRAWN = frozenset({"bca", "percentile"})
DRAWS = DRAWN | {"randomisation", "bounded"}


def by_method(name: Method, units: Said | None = None) -> Said:
    """How an interval is made, over queries unless other units are resampled."""
    return said("interval_over", method=said(INTERVALS[name]), units=said("units_query") if units is None else units)


@dataclass(frozen=True, slots=True, repr=False)
class Interval(Showable):
    """A confidence interval and how it was made.

    Examples
    --------
    >>> Interval(0.5656, 0.6244, 0.95, "Student's t over queries", 0, 0, 240)
    0.5656 to 0.6244: 95% interval (Student's t over queries, 240 of them)
    """

    low: float
    high: float
    level: float
    method: str
    resamples: int
    """0 where the interval is computed, not drawn."""
    seed: int
    queries: int

    def document(self, language: Language = "en") -> list[Block]:
        """Its ends, and how it was made."""
        facts = {"level": self.level, "method": in_language(self.method, language), "count": self.queries}
        ends = {"low": fixed(self.low), "high": fixed(self.high)}
        return [Paragraph(word("interval_said", language, **ends, **facts))]

    @property
    def ends(self) -> tuple[float, float]:
        """The low and the high end."""
        return self.low, self.high

    @property
    def is_of_share(self) -> bool:
        """Whether it is the exact interval of a share."""
        how = self.method.values.get("method") if isinstance(self.method, Said) else None
        return isinstance(how, Said) and how.kind == INTERVALS["share"]

    def within(self, bounds: tuple[float, float]) -> Interval:
        """The interval cut to the values that are possible."""
        return replace(self, low=max(self.low, bounds[0]), high=min(self.high, bounds[1]))


def interval_of(
    values: Values,
    aggregate: str,
    *,
    level: float,
    method: IntervalMethod,
    resamples: int,
    seed: int,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    name: str = "",
) -> Interval:
    """The interval of an aggregated value, queries being the units, whose values lie within the bounds.

    A median is not a function of sums: its interval lies between the order statistics that a sign test does not reject.
    """
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    check_whole("seed", seed)
    if why := why_none(values, aggregate, level, method):
        raise InputError.of("stats.no_interval", why=why)
    rule = AGGREGATES[aggregate]
    top, bottom = rule.parts(values)
    if not rule.of_sums:
        rising, place = np.sort(top), _order_statistic(len(top), level)
        ends = float(rising[place]), float(rising[-1 - place])
        return Interval(*ends, level, said("interval_of_median"), 0, seed, len(top))
    sample = Sample(top[None], bottom[None], rule, bounds)
    if method == "bounded" and not sample.is_bounded:
        works = 'method="hall" (--interval-by hall)'
        raise InputError.of("stats.no_known_bounds", measures=[name or aggregate], option=works)
    bands = intervals_of([sample], [], level=level, method=method, resamples=resamples, seed=seed)[0]
    if bands.systems[0] is None:
        raise InputError.of("stats.all_resamples_equal", count=len(top))
    return bands.systems[0]


def why_none(values: Values, aggregate: str, level: float = 0.95, method: IntervalMethod = "t") -> str | None:
    """Why an aggregated value has no interval; None where it has one."""
    rule = AGGREGATES[aggregate]
    top, bottom = rule.parts(values)
    if len(top) < 2:
        return said("few_queries_count")
    if np.isnan(top).any():
        return said("value_not_a_number")
    if not rule.of_sums and aggregate != "median":
        return said("no_interval_of", aggregate=aggregate)
    if not rule.of_sums:
        return None if _order_statistic(len(top), level) >= 0 else said("median_of_few", count=len(top))
    if method == "bounded":
        return None  # bounds say how others may vary although these do not
    low, _, _ = value_ends(Sample(top[None], bottom[None], rule), level)
    return said("all_values_equal", count=len(top)) if math.isnan(low[0]) else None


def is_rough(values: Values, aggregate: str) -> bool:
    """Whether the interval of a value holds less often than it says: a few queries outweigh all others.

    The rule of Cochran (1977): fewer queries than 25 times the squared skewness. Of a geometric mean the logarithms
    count, and with few queries it is always so: one of 0, which may not have come up, divides it many times.
    """
    rule = AGGREGATES[aggregate]
    top, bottom = rule.parts(values)
    if not rule.of_sums or len(top) < 2 or np.isnan(top).any():
        return False
    sample = Sample(top[None], bottom[None], rule)
    if value_ends(sample, 0.5)[2][0]:
        return False
    linear = sample.linear()
    skew = float(skewness(np.vstack([linear, np.zeros_like(linear)]), [(0, 1)])[0])
    return len(top) < COCHRAN * skew**2 or (rule.logs and len(top) < 2 * COCHRAN)


def _order_statistic(size: int, level: float) -> int:
    """The index, from either end, of the order statistics around a median at this confidence; -1 if none."""
    tails = special.bdtr(np.arange(size // 2), size, 0.5) <= (1 - level) / 2
    return int(np.count_nonzero(tails)) - 1


@dataclass(frozen=True, slots=True)
class Bands:
    """Intervals of the aggregated values of all systems under one measure, and of the differences of some pairs.

    None with a single unit, or where all values or differences are equal.
    """

    systems: list[Interval | None]
    pairs: list[Interval | None]


def intervals_of(
    samples: Sequence[AnySample],
    pairs: Sequence[Pair],
    *,
    level: float,
    method: IntervalMethod,
    resamples: int,
    seed: int,
    unit: Said | None = None,
    step: Step | None = None,
) -> list[Bands]:
    """For each measure the intervals of every system and of the differences of ``pairs``.

    Where units are resampled, systems are resampled together, so that the interval of a difference takes the pairing
    into account. The value of a single system is not tested: its interval is Student's beside randomisation tests too.
    """
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    check_choice("interval", method, METHODS)
    drawn: dict[int, Floats] = {}
    for units, members in by_units(samples).items():
        if method in DRAWN and units > 1:
            drawn |= zip(members, _resampled(list(members.values()), resamples, seed, step), strict=True)

    def intervals(ends: Iterable[Floats], units: int, names: Sequence[Method]) -> list[Interval | None]:
        how = {name: by_method(name, unit) for name in set(names)}  # one sentence, not one for every pair
        return [
            Interval(low, high, level, how[name], resamples if name in DRAWS else 0, seed, units)
            if math.isfinite(low + high)
            else None
            for name, low, high in zip(names, *(end.tolist() for end in ends), strict=True)
        ]

    bands = []
    for number, sample in enumerate(samples):
        apart_by: IntervalMethod = "t" if isinstance(sample, Groups) else method
        if isinstance(sample, Sample) and number in drawn:
            alone, apart = _drawn_ends(sample, drawn[number], pairs, level, method)
            alone_by: list[Method] = [method] * len(sample.top)
        else:
            *alone, shares = value_ends(sample, level, apart_by, resamples, seed)
            own: Method = apart_by if apart_by in WIDENED else "t"
            alone_by = ["share" if is_share else own for is_share in shares.tolist()]
            apart = _pair_ends(sample, pairs, level, apart_by, resamples, seed)
        bands.append(
            Bands(intervals(alone, sample.units, alone_by), intervals(apart, sample.units, [apart_by] * len(pairs)))
        )
    return bands


def value_ends(
    sample: AnySample, level: float, method: IntervalMethod = "t", draws: int = 0, seed: int = 0
) -> tuple[Floats, Floats, Bools]:
    """The ends of the intervals of the values, (systems,) each, and which values are shares of the units.

    Student's t, or what is wider than it, and Clopper and Pearson's (1934) for shares: where units count once and are
    0 or 1, few of them are often all alike, and Student's interval is far too short or there is none.
    """
    if isinstance(sample, Groups) or sample.units < 2:
        low, high = (sample.back(end) for end in sample.alone().ends(level, tested=False))
        return low, high, np.zeros(len(low), np.bool_)
    ends: Iterable[Floats]
    if method == "bounded":
        ends = bounded_ends(sample, None, level, draws, seed)
    elif method == "hall":
        linear = sample.linear()
        skew = adjusted_skewness(np.vstack([linear, np.zeros(sample.units)]), [(row, -1) for row in range(len(linear))])
        ends = hall_ends(sample.alone(), skew, sample.units, level, tested=False)
    else:
        ends = sample.alone().ends(level, tested=False)
    low, high = (sample.back(end) for end in ends)
    whole = ((sample.top == 0) | (sample.top == 1)) & (sample.bottom == 1)
    shares: Bools = whole.all(axis=1) & (sample.rule is AGGREGATES["mean"])
    if not shares.any():
        return low, high, shares
    n, tail, hits = sample.units, (1 - level) / 2, sample.top.sum(axis=1)
    least = np.where(hits > 0, special.betaincinv(np.maximum(hits, 1), n - hits + 1, tail), 0.0)
    most = np.where(hits < n, special.betaincinv(hits + 1, np.maximum(n - hits, 1), 1 - tail), 1.0)
    return np.where(shares, least, low), np.where(shares, most, high), shares


def _pair_ends(
    sample: AnySample, pairs: Sequence[Pair], level: float, method: IntervalMethod, draws: int, seed: int
) -> list[Floats]:
    """The ends of the intervals of the differences of pairs, (pairs,) each."""
    if isinstance(sample, Groups) or not pairs:
        return [sample.back(end, pairs) for end in sample.contrasts(pairs).ends(level)]
    if method == "randomisation":
        return _not_rejected(sample, pairs, level, draws, seed)
    ends: Iterable[Floats]
    if method == "bounded":
        ends = bounded_ends(sample, pairs, level, draws, seed)
    elif method == "hall":
        ends = hall_ends(sample.contrasts(pairs), adjusted_skewness(sample.linear(), pairs), sample.units, level)
    else:
        ends = sample.contrasts(pairs).ends(level)
    return [sample.back(end, pairs) for end in ends]


def _not_rejected(sample: Sample, pairs: Sequence[Pair], level: float, patterns: int, seed: int) -> list[Floats]:
    """The differences that the randomisation test does not reject.

    Let F be the units whose sign is flipped. The flipped sum of the differences less d is as large as the observed one
    exactly where their mean over F is at most d, so the ends are quantiles of means over random sets of units
    (Hartigan's typical values, 1969). NaN with too few units to reject anything.
    """
    tops, weights = sample.flippable(), sample.bottom / sample.bottom.mean(axis=1, keepdims=True)
    alike = bool((weights == weights[0]).all())
    if alike:
        weights = weights[:1]
    systems = len(tops)
    tried = 2**sample.units if is_exact(sample.units, patterns) else patterns + 1
    # The pattern that flips nothing and the one that flips everything are as extreme as the observed one.
    place = math.ceil((1 - level) / 2 * tried - 1e-9) - 2
    if place < 0:
        return [np.full(len(pairs), np.nan)] * 2
    both = np.concatenate([tops, weights])
    # Twice the sums over F: what was added less what is left when F changes sign.
    over = both.sum(axis=1, keepdims=True) - np.concatenate(list(flipped_sums(both, patterns, seed)), axis=1)
    if alike:
        over = over[:, over[systems] > 0]  # an empty set has no mean
    low, high = np.empty(len(pairs)), np.empty(len(pairs))
    for pair, (a, b) in enumerate(pairs):
        below = over[systems] if alike else (over[systems + a] + over[systems + b]) / 2
        means = np.divide(over[a] - over[b], below, out=np.full(len(below), np.nan), where=below > 0)
        last = len(means) - np.count_nonzero(np.isnan(means)) - 1  # NaN comes last
        means.partition([place, last - place])
        low[pair], high[pair] = means[place], means[last - place]
    contrasts = sample.contrasts(pairs)
    same = np.where(contrasts.difference != 0, np.nan, 0.0)  # without a spread only equal systems have an interval
    return [np.where(contrasts.flat, same, sample.back(without_noise(end), pairs)) for end in (low, high)]


def _resampled(samples: Sequence[Sample], resamples: int, seed: int, step: Step | None) -> Iterator[Floats]:
    """For each sample the ``(resamples, systems)`` aggregated values; all samples draw the same units."""
    # Denominators are mostly the same for all systems and measures: each is summed once.
    parts = np.concatenate([part for sample in samples for part in (sample.top, sample.bottom)])
    columns, place = np.unique(parts, axis=0, return_inverse=True)
    sums = resampled_sums(np.ascontiguousarray(columns.T), resamples, seed, step)[:, place]
    first = 0
    for sample in samples:
        systems = len(sample.top)
        top, bottom = np.split(sums[:, first : first + 2 * systems], 2, axis=1)
        yield sample.rule.value(top, bottom)
        first += 2 * systems


def _drawn_ends(
    sample: Sample, drawn: Floats, pairs: Sequence[Pair], level: float, method: str
) -> tuple[list[Floats], list[Floats]]:
    """The ends of every system's value and of every pair's difference; NaN where all resamples are equal."""
    observed = sample.values()
    left_out = sample.rule.value(*(part.sum(axis=1, keepdims=True) - part for part in (sample.top, sample.bottom)))
    tails = [(1 - level) / 2, (1 + level) / 2]

    def ends(value: float, values: Floats, jackknife: Floats) -> Floats:
        if np.ptp(values) <= 1e-12 * max(abs(value), 1e-300):
            return np.full(2, np.nan)
        quantiles = tails if method == "percentile" else _bca(value, values, jackknife, tails)
        return np.asarray(np.quantile(values, quantiles))

    alone = [ends(value, drawn[:, system], left_out[system]) for system, value in enumerate(observed.tolist())]
    apart = [
        ends(float(observed[a] - observed[b]), without_noise(drawn[:, a] - drawn[:, b]), left_out[a] - left_out[b])
        for a, b in pairs
    ]
    return [*np.reshape(alone, (-1, 2)).T], [*np.reshape(apart, (-1, 2)).T]


def _bca(observed: float, drawn: Floats, left_out: Floats, tails: Sequence[float]) -> list[float]:
    """The shares of the resampled values at which the two ends lie.

    The bias correction comes from the share of resampled values below the observed one, the acceleration from the
    jackknife, which for functions of sums needs no second resampling.
    """
    # Resampled values that differ from the observed one by rounding only are equal to it.
    slack = 1e-12 * max(abs(observed), float(np.abs(drawn).max(initial=0.0)))
    below = np.count_nonzero(drawn < observed - slack) + np.count_nonzero(drawn <= observed + slack)
    share = below / (2 * len(drawn))
    bias = special.ndtri(min(max(share, 0.5 / len(drawn)), 1 - 0.5 / len(drawn)))
    spread = left_out.mean() - left_out
    scale = np.sum(spread**2) ** 1.5
    acceleration = np.sum(spread**3) / (6 * scale) if scale > 0 else 0.0
    shifted = [bias + special.ndtri(tail) for tail in tails]
    return [float(special.ndtr(bias + z / (1 - acceleration * z))) for z in shifted]


def agreeing(interval: Interval | None, p: float, alpha: float) -> Interval | None:
    """The interval, made to include 0 exactly where the p-value beside it is not significant.

    Both come from random patterns, which may disagree by chance; then the end next to 0 is moved to 0.
    """
    if interval is None or (p < alpha) != (interval.low <= 0 <= interval.high):
        return interval
    if p >= alpha:
        return replace(interval, low=min(interval.low, 0.0), high=max(interval.high, 0.0))
    return replace(interval, low=0.0) if interval.high > -interval.low else replace(interval, high=0.0)
