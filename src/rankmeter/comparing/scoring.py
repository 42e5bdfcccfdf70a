"""Tests, intervals and best groups, and from them the value of each system and the difference of each pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmeter.comparing.lining_up import LinedUp
from rankmeter.comparing.notes import smallest_p
from rankmeter.comparing.records import Difference, Score, Settings, units_said
from rankmeter.comparing.systems import Measured
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats
from rankmeter.stats.best import Separation, separations
from rankmeter.stats.corrections import corrected
from rankmeter.stats.effects import EffectSizes, effects
from rankmeter.stats.equivalence import equivalences
from rankmeter.stats.intervals import Bands, Interval, agreeing, intervals_of
from rankmeter.stats.max_t import step_down
from rankmeter.stats.paired import p_values
from rankmeter.stats.power import minimum_detectable
from rankmeter.stats.samples import AnySample, Sample
from rankmeter.stats.student import Pair, sides
from rankmeter.wording import Said, said

BLOCK_CELLS = 1_000_000
"""How many differences of units are held at once."""


Progress = Callable[[str], None]


class Statistics:
    """All that chance is asked about."""

    def __init__(
        self, samples: Mapping[Measure, AnySample], couples: list[Pair], settings: Settings, say: Progress
    ) -> None:
        measures, tested = list(samples), list(samples.values())
        self.couples = couples
        self.bands: dict[Measure, Bands] = {}
        self.p: dict[Measure, Floats] = {}
        self.corrected: dict[Measure, Floats] = {}
        self.separation: dict[Measure, Separation] = {}
        if not tested:
            return
        flips, draws = settings.permutations, settings.resamples
        chances = p_values(
            tested, couples, settings.test, permutations=flips, seed=settings.seed,
            step=lambda done: say(said("permutation_of", done=done, all=flips)),
        )  # fmt: skip
        bands = intervals_of(
            tested, couples, level=settings.level, method=settings.interval, resamples=draws, seed=settings.seed,
            unit=units_said(settings.unit), step=lambda done: say(said("resample_of", done=done, all=draws)),
        )  # fmt: skip
        say(said("best_groups"))
        signs = [1 if measure.higher_is_better else -1 for measure in measures]
        apart = separations(tested, signs, level=settings.level, resamples=draws, seed=settings.seed)
        for place, measure in enumerate(measures):
            self.p[measure] = chances[place]
            self.corrected[measure] = self._corrected(tested[place], chances[place], settings)
            self.bands[measure], self.separation[measure] = bands[place], apart[place]
            smallest, drawn = smallest_p(tested[place], settings)
            if smallest >= settings.alpha and not drawn:
                # So few units prove nothing by this test, and a best group of them would not either.
                self.separation[measure] = apart[place].open()

    def _corrected(self, sample: AnySample, chances: Floats, settings: Settings) -> Floats:
        if settings.correction == "max-t" and isinstance(sample, Sample):
            joint = step_down(sample, self.couples, permutations=settings.permutations, seed=settings.seed)
            return np.maximum(joint, chances)
        return corrected(chances, settings.correction)


def pairs_of(names: Sequence[str], against: int | None) -> list[Pair]:
    """The pairs that are tested, as numbers of systems: all, or each system with the one at ``against``."""
    if against is not None:
        return [(number, against) for number in range(len(names)) if number != against]
    return [(left, right) for left in range(len(names)) for right in range(left + 1, len(names))]


@dataclass(frozen=True, slots=True)
class Scoring:
    """What values and differences are made of."""

    measured: Mapping[str, Measured]
    lined_up: LinedUp
    samples: Mapping[Measure, AnySample]
    reasons: Mapping[Measure, Said]
    """Why a measure is not tested."""
    statistics: Statistics
    margins: Mapping[Measure, float]
    settings: Settings

    def score(self, measure: Measure, name: str) -> Score:
        """The value of one system under one measure."""
        one, place = self.measured[name], list(self.measured).index(name)
        value, own = self.lined_up.means[measure][place], one.evaluation.means[measure]
        if self.settings.unit == "run" and measure in self.samples:
            value = float(self.samples[measure].values()[place])  # the mean of the runs, which tests are about
        is_own = value == own or math.isnan(own)
        bounds = one.unjudged.get(measure, "")
        apart = self.statistics.separation.get(measure)
        interval, reason = self._interval(measure, place, one), self.reasons.get(measure, "")
        if math.isnan(value):
            reason = said(_why_undefined(one.evaluation, measure))
        elif interval is None and measure in self.samples and not (self.settings.unit == "run" and len(one.runs) == 1):
            reason = said("nothing_beyond_one" if self.samples[measure].units == 1 else "values_equal")
        return Score(
            measure=measure,
            system=name,
            value=value,
            interval=interval,
            queries=one.evaluation.counted(measure) if is_own else int(self.lined_up.paired[measure].sum()),
            rank=int(apart.rank[place]) if apart else None,
            rank_low=int(apart.rank_low[place]) if apart else None,
            rank_high=int(apart.rank_high[place]) if apart else None,
            in_best=bool(apart.in_best[place]) if apart else None,
            tie_bounds=one.evaluation.tie_bounds.get(measure) if is_own else None,
            unjudged=bounds if isinstance(bounds, UnjudgedBounds) else None,
            unjudged_reason="" if isinstance(bounds, UnjudgedBounds) else bounds,
            run_values=tuple(run.means[measure] for run in one.runs) if len(one.runs) > 1 else (),
            reason=reason,
        )

    def _interval(self, measure: Measure, place: int, system: Measured) -> Interval | None:
        if self.settings.unit == "run" and len(system.runs) == 1:
            return None  # one run does not say how much runs vary
        bands = self.statistics.bands.get(measure)
        if bands is None:
            return _interval_of_whole(system.evaluation, measure, self.settings)
        band = bands.systems[place]
        return band if band is None or measure.aggregate == "sum" else band.within(measure.bounds)

    def differences(self, measure: Measure) -> Iterator[Difference]:
        """Every pair under one measure."""
        names, couples = list(self.measured), self.statistics.couples
        if measure not in self.samples:
            means, units = self.lined_up.means[measure], int(self.lined_up.paired[measure].sum())
            for left, right in couples:
                yield Difference.untested(
                    measure, (names[left], names[right]), means[left] - means[right], units, self.reasons[measure]
                )
            return
        sample = self.samples[measure]
        spreads = sample.spreads(couples)
        flat = spreads.flat.tolist()
        margin = self.margins.get(measure)
        same = None if margin is None else equivalences(spreads, margin, higher_is_better=measure.higher_is_better)
        chances = self.statistics.p[measure], self.statistics.corrected[measure]
        bands = self.statistics.bands[measure].pairs
        for couple, made in enumerate(tested(measure, sample, couples, names, chances, bands, self.settings)):
            spread = 0.0 if flat[couple] else float(spreads.error[couple]) * math.sqrt(sample.units)
            yield replace(
                made,
                equivalence=None if same is None else same[couple],
                detectable=minimum_detectable(
                    spread, sample.units, alpha=self.settings.alpha_of_one, power=self.settings.power
                ),
                reason=self._reason(sample, flat[couple], made.difference, planned=margin is not None),
            )

    def _reason(self, sample: AnySample, flat: bool, difference: float, *, planned: bool) -> str:  # noqa: FBT001
        """Why something is missing beside a tested difference."""
        if sample.units == 1:
            return said("nothing_beyond_one")
        if not flat:
            return ""
        replaced = planned or (self.settings.test == "t" and difference != 0)
        kind = "no_spread" if replaced else "nothing_to_plan_by"
        return said(kind, count=sample.units, units=units_said(self.settings.unit))


def _interval_of_whole(ev: Evaluation, measure: Measure, settings: Settings) -> Interval | None:
    """The interval of a measure of all lists, which is tested against nothing but may be drawn again."""
    if measure.aggregate != "whole" or settings.unit != "query" or not ev.has_interval(measure):
        return None
    return ev.interval(measure, level=settings.level, resamples=settings.resamples, seed=settings.seed)


def _why_undefined(ev: Evaluation, measure: Measure) -> str:
    if measure.aggregate == "whole":
        return "no_value"
    return "value_undefined" if ev.counted(measure) else "no_query_counts"


def tested(
    measure: Measure,
    sample: AnySample,
    couples: Sequence[Pair],
    names: Sequence[str],
    chances: tuple[Floats, Floats],
    intervals: Sequence[Interval | None],
    settings: Settings,
) -> Iterator[Difference]:
    """Every pair in one sample, with its p-value alone and corrected; nothing is planned from it."""
    values = sample.values()
    rows = zip(couples, *(side.tolist() for side in chances), intervals, _sizes(measure, sample, couples), strict=True)
    for (left, right), p, p_corrected, interval, sizes in rows:
        yield Difference(
            measure=measure,
            system=names[left],
            other=names[right],
            difference=_no_noise(float(values[left] - values[right])),
            interval=agreeing(interval, p, settings.alpha) if settings.interval == "randomisation" else interval,
            p=p,
            p_corrected=p_corrected,
            significant=p_corrected < settings.alpha,
            effect=sizes,
            equivalence=None,
            detectable=None,
            units=sample.units,
        )


def _sizes(measure: Measure, sample: AnySample, couples: Sequence[Pair]) -> Iterator[EffectSizes | None]:
    """The effect sizes of every pair; separate groups have no units that could win or lose."""
    if not isinstance(sample, Sample):
        yield from [None] * len(couples)
        return
    values = sample.per_unit()
    step = max(1, BLOCK_CELLS // sample.units)
    for first in range(0, len(couples), step):
        left, right = sides(couples[first : first + step])
        yield from effects(values[left] - values[right], higher_is_better=measure.higher_is_better)


def _no_noise(value: float) -> float:
    return 0.0 if abs(value) < 1e-15 else value
