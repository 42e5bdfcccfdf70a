"""Confidence intervals of aggregated values and of their differences.

``t`` is Student's, ``randomisation`` holds the differences that the randomisation test does not reject, ``bca`` (Efron
1987) and ``percentile`` resample units. By default an interval is the inversion of the test beside it.
docs/statistics.md has the measured coverage of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankmeter.arithmetic.aggregates import AGGREGATES
from rankmeter.arithmetic.parts import Values
from rankmeter.errors import InputError, check_choice, check_level, check_whole
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Block, Paragraph
from rankmeter.showing.numbers import fixed
from rankmeter.showing.showable import Showable
from rankmeter.stats.resampling import Step, flipped_sums, is_exact, resampled_sums
from rankmeter.stats.samples import AnySample, Groups, Sample, by_units
from rankmeter.stats.student import Pair
from rankmeter.wording import Language, said, word

IntervalMethod = Literal["t", "randomisation", "bca", "percentile"]
METHODS = {
    "t": "Student's t",
    "randomisation": "inverted randomisation test",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
}
INVERTS: dict[str, IntervalMethod] = {"randomisation": "randomisation"}
"""The interval that belongs to a test; Student's t where the test asks about something else than means."""
FEWEST_RESAMPLES = 100
"""With fewer an interval would be made of chance."""
DRAWN = frozenset({"bca", "percentile"})


@dataclass(frozen=True, slots=True, repr=False)
class Interval(Showable):
    """A confidence interval and how it was made.

    >>> Interval(0.5656, 0.6244, 0.95, "Student's t over queries", 0, 0, 240)
    0.5656 to 0.6244: 95% interval (Student's t over queries, 240 of them)
    """

    low: float
    high: float
    level: float
    method: str
    resamples: int
    """How many were drawn; 0 where the interval is computed."""
    seed: int
    queries: int

    def document(self, language: Language = "en") -> list[Block]:
        """Its ends, and how it was made."""
        name = next((name for name, method in METHODS.items() if self.method.startswith(method)), "")
        method = word(f"interval_{name}", language) if name and language != "en" else self.method
        facts = {"level": self.level, "method": method, "count": self.queries}
        ends = {"low": fixed(self.low), "high": fixed(self.high)}
        return [Paragraph(word("interval_said", language, **ends, **facts))]

    def within(self, bounds: tuple[float, float]) -> Interval:
        """The part of it that a value can take."""
        return replace(self, low=max(self.low, bounds[0]), high=min(self.high, bounds[1]))


def interval_of(
    values: Values, aggregate: str, *, level: float, method: IntervalMethod, resamples: int, seed: int
) -> Interval:
    """The interval of an aggregated value, queries being the units.

    A median is not a function of sums: its interval lies between the order statistics that a sign test does not reject.
    """
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    check_whole("seed", seed)
    if why := why_none(values, aggregate, level):
        raise InputError.of("stats.no_interval", why=why)
    rule = AGGREGATES[aggregate]
    top, bottom = rule.parts(values)
    if not rule.of_sums:
        rising, place = np.sort(top), _order(len(top), level)
        ends = float(rising[place]), float(rising[-1 - place])
        return Interval(*ends, level, "order statistics over queries", 0, seed, len(top))
    sample = Sample(top[None], bottom[None], rule)
    bands = intervals_of([sample], [], level=level, method=method, resamples=resamples, seed=seed)[0]
    if bands.systems[0] is None:
        raise InputError.of("stats.all_resamples_equal", count=len(top))
    return bands.systems[0]


def why_none(values: Values, aggregate: str, level: float = 0.95) -> str | None:
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
        return None if _order(len(top), level) >= 0 else said("median_of_few", count=len(top))
    flat = Sample(top[None], bottom[None], rule).alone().flat[0]
    return said("all_values_equal", count=len(top)) if flat else None


def _order(size: int, level: float) -> int:
    """Between which order statistics, from either end, a median lies with this confidence; -1 where there is none."""
    from scipy.special import bdtr  # scipy is loaded only for statistics

    tails = bdtr(np.arange(size // 2), size, 0.5) <= (1 - level) / 2
    return int(np.count_nonzero(tails)) - 1


@dataclass(frozen=True, slots=True)
class Bands:
    """Intervals of the aggregated values of all systems under one measure, and of the differences of some pairs.

    None where there is none: with one unit, or where all values or differences are equal.
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
    unit: str = "queries",
    step: Step | None = None,
) -> list[Bands]:
    """For each measure the intervals of every system and of the differences of ``pairs``.

    Where units are resampled, systems are resampled together, so that the interval of a difference knows that they are
    paired. The value of a system alone is tested against nothing: beside randomisation tests its interval is Student's.
    """
    check_level(level)
    check_whole("resamples", resamples, FEWEST_RESAMPLES)
    check_choice("interval", method, list(METHODS))
    how = _How(level, method, resamples, seed, unit)
    drawn = _drawn_bands(samples, pairs, how, step) if method in DRAWN else {}
    return [
        drawn[number] if number in drawn else _computed(sample, pairs, how) for number, sample in enumerate(samples)
    ]


@dataclass(frozen=True, slots=True)
class _How:
    level: float
    method: IntervalMethod
    resamples: int
    seed: int
    unit: str

    def interval(self, low: float, high: float, units: int, method: str = "") -> Interval | None:
        if math.isnan(low) or math.isinf(low) or math.isinf(high):
            return None
        name = method or self.method
        drawn = 0 if name == "t" else self.resamples
        return Interval(low, high, self.level, f"{METHODS[name]} over {self.unit}", drawn, self.seed, units)

    def intervals(self, ends: Iterable[Floats], units: int, method: str = "") -> list[Interval | None]:
        both = zip(*(part.tolist() for part in ends), strict=True)
        return [self.interval(low, high, units, method) for low, high in both]


def _computed(sample: AnySample, pairs: Sequence[Pair], how: _How) -> Bands:
    alone = [sample.back(end) for end in sample.alone().ends(how.level, tested=False)]
    systems = how.intervals(alone, sample.units, "t")
    if isinstance(sample, Sample) and how.method == "randomisation" and pairs:
        ends = _not_rejected(sample, pairs, how)
    else:
        ends = [sample.back(end, pairs) for end in sample.contrasts(pairs).ends(how.level)]
    return Bands(systems, how.intervals(ends, sample.units, "t" if isinstance(sample, Groups) else ""))


def _not_rejected(sample: Sample, pairs: Sequence[Pair], how: _How) -> list[Floats]:
    """The differences that the randomisation test does not reject.

    Let F be the units whose sign is flipped. The flipped sum of the differences less d is as large as the observed one
    just where their mean over F is at most d, so the ends are quantiles of means over random sets of units (Hartigan's
    typical values, 1969). With no more units than it takes to reject anything there are none.
    """
    tops, weights = sample.flippable(), sample.bottom / sample.bottom.mean(axis=1, keepdims=True)
    alike = bool((weights == weights[0]).all())
    if alike:
        weights = weights[:1]
    systems, patterns = len(tops), how.resamples
    exact = is_exact(sample.units, patterns)
    tried = 2**sample.units if exact else patterns + 1
    # The pattern that flips nothing, and that which flips all, are as extreme as what was observed.
    place = math.ceil((1 - how.level) / 2 * tried - 1e-9) - 2
    if place < 0:
        return [np.full(len(pairs), np.nan)] * 2
    both = np.concatenate([tops, weights])
    # Twice the sums over F: what was added less what is left when F changes sign.
    over = both.sum(axis=1, keepdims=True) - np.concatenate(list(flipped_sums(both, patterns, how.seed)), axis=1)
    if alike:
        over = over[:, over[systems] > 0]  # nothing has no mean
    low, high = np.empty(len(pairs)), np.empty(len(pairs))
    for pair, (a, b) in enumerate(pairs):
        below = over[systems] if alike else (over[systems + a] + over[systems + b]) / 2
        means = np.divide(over[a] - over[b], below, out=np.full(len(below), np.nan), where=below > 0)
        last = len(means) - np.count_nonzero(np.isnan(means)) - 1  # NaN comes last
        means.partition([place, last - place])
        low[pair], high[pair] = means[place], means[last - place]
    contrasts = sample.contrasts(pairs)
    same = np.where(contrasts.difference != 0, np.nan, 0.0)  # without a spread there is no interval but of equals
    return [np.where(contrasts.flat, same, sample.back(_no_noise(end), pairs)) for end in (low, high)]


def _drawn_bands(samples: Sequence[AnySample], pairs: Sequence[Pair], how: _How, step: Step | None) -> dict[int, Bands]:
    """Intervals from the same resamples for all measures that have the same number of units."""
    bands: dict[int, Bands] = {}
    for members in (several for units, several in by_units(samples).items() if units > 1):
        chosen = [sample for number in members if isinstance(sample := samples[number], Sample)]
        for number, sample, values in zip(members, chosen, _resampled(chosen, how, step), strict=True):
            bands[number] = _bands(sample, values, pairs, how)
    return bands


def _resampled(samples: Sequence[Sample], how: _How, step: Step | None) -> Iterator[Floats]:
    """For each sample ``(resamples, systems)``: the aggregated values of the resampled units."""
    columns: dict[bytes, int] = {}
    rows: list[Floats] = []

    def column(values: Floats) -> int:
        # Denominators are mostly the same for all systems and measures: each is summed once.
        key = values.tobytes()
        if key not in columns:
            columns[key] = len(rows)
            rows.append(values)
        return columns[key]

    places = [([column(v) for v in sample.top], [column(v) for v in sample.bottom]) for sample in samples]
    sums = resampled_sums(np.ascontiguousarray(np.stack(rows).T), how.resamples, how.seed, step)
    for sample, (top, bottom) in zip(samples, places, strict=True):
        yield sample.rule.value(sums[:, top], sums[:, bottom])


def _bands(sample: Sample, drawn: Floats, pairs: Sequence[Pair], how: _How) -> Bands:
    observed = sample.values()
    tops, bottoms = (
        sample.top.sum(axis=1, keepdims=True) - sample.top,
        sample.bottom.sum(axis=1, keepdims=True) - sample.bottom,
    )
    left_out = sample.rule.value(tops, bottoms)

    def interval(value: float, values: Floats, jackknife: Floats) -> Interval | None:
        if np.ptp(values) <= 1e-12 * max(abs(value), 1e-300):
            return None
        tails = [(1 - how.level) / 2, (1 + how.level) / 2]
        ends = tails if how.method == "percentile" else _bca(value, values, jackknife, tails)
        low, high = np.quantile(values, ends)
        return how.interval(float(low), float(high), sample.units)

    return Bands(
        [interval(float(observed[s]), drawn[:, s], left_out[s]) for s in range(len(observed))],
        [
            interval(float(observed[a] - observed[b]), _no_noise(drawn[:, a] - drawn[:, b]), left_out[a] - left_out[b])
            for a, b in pairs
        ],
    )


def _no_noise(differences: Floats) -> Floats:
    return np.where(np.abs(differences) <= 1e-13, 0.0, differences)


def _bca(observed: float, drawn: Floats, left_out: Floats, tails: Sequence[float]) -> list[float]:
    """Which quantiles of what was drawn are the ends.

    The bias correction comes from the share of resampled values below the observed one, the acceleration from the
    jackknife, which for functions of sums needs no second resampling.
    """
    from scipy.special import ndtr, ndtri  # scipy is loaded only for statistics

    # Resampled values that differ from the observed one by rounding only are equal to it.
    slack = 1e-12 * max(abs(observed), float(np.abs(drawn).max(initial=0.0)))
    below = np.count_nonzero(drawn < observed - slack) + np.count_nonzero(drawn <= observed + slack)
    share = below / (2 * len(drawn))
    bias = ndtri(min(max(share, 0.5 / len(drawn)), 1 - 0.5 / len(drawn)))
    spread = left_out.mean() - left_out
    scale = np.sum(spread**2) ** 1.5
    acceleration = np.sum(spread**3) / (6 * scale) if scale > 0 else 0.0
    shifted = [bias + ndtri(tail) for tail in tails]
    return [float(ndtr(bias + z / (1 - acceleration * z))) for z in shifted]


def agreeing(interval: Interval | None, p: float, alpha: float) -> Interval | None:
    """An interval that says of 0 what the p-value beside it says.

    Both come from random patterns and may differ by their chance; then the end that is close to 0 is put there.
    """
    if interval is None or (p < alpha) != (interval.low <= 0 <= interval.high):
        return interval
    if p >= alpha:
        return replace(interval, low=min(interval.low, 0.0), high=max(interval.high, 0.0))
    return replace(interval, low=0.0) if interval.high > -interval.low else replace(interval, high=0.0)
