"""Tests and intervals; from them the value of each system, and each pair's difference, in slices too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankmeter.comparing.lining_up import LinedUp, samples_of
from rankmeter.comparing.records import MOST_TESTED, Difference, Score, Settings, units_said
from rankmeter.comparing.standing import Standing, verdicts, winners_of
from rankmeter.comparing.systems import Measured
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.errors import InputError
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import Measure
from rankmeter.placing.placements import Bools, Floats, Ints
from rankmeter.stats.corrections import corrected, separations, step_down
from rankmeter.stats.intervals import Bands, Interval, agreeing, intervals_of
from rankmeter.stats.paired import EffectSizes, directions, effects, equivalences, p_values
from rankmeter.stats.power import late_detectable
from rankmeter.stats.resampling import AnySample, Sample
from rankmeter.stats.student import SAME, Pair, differences, gaps
from rankmeter.wording import Option, said

Progress = Callable[[str], None]


def pairs_of(names: Sequence[str], against: Sequence[int] = ()) -> list[Pair]:
    """The pairs that are tested, as numbers of systems: all, or each system with those at ``against``."""
    if against:
        return [(number, other) for other in against for number in range(len(names)) if number not in against]
    return [(left, right) for left in range(len(names)) for right in range(left + 1, len(names))]


@dataclass(frozen=True, slots=True)
class Tests:
    """What the tests of some pairs gave, each field ``(pairs,)``."""

    p: Floats
    p_corrected: Floats
    direction: Ints
    """Which way the tested statistic points."""


class Scoring:
    """Systems tested against each other, and the values and differences that follow."""

    def __init__(
        self,
        measured: Mapping[str, Measured],
        lined_up: LinedUp,
        units_of: Ints | None,
        couples: list[Pair],
        margins: Mapping[Measure, float],
        settings: Settings,
        say: Progress,
    ) -> None:
        self.measured, self.lined_up, self.couples = measured, lined_up, couples
        self.margins, self.settings = margins, settings
        self.samples, self.reasons = samples_of(lined_up, measured, units_of)
        measures, tested = list(self.samples), list(self.samples.values())
        flips, draws, seed = settings.permutations, settings.resamples, settings.seed
        # With a baseline the other pairs are tested too, as a family of their own, since the order depends on them.
        asked = {frozenset(couple) for couple in couples}
        beyond = [couple for couple in pairs_of(list(measured)) if frozenset(couple) not in asked]
        every = [*couples, *beyond]
        chances = p_values(
            tested, every, settings.test, permutations=flips, seed=seed,
            step=lambda done: say(said("permutation_of", done=done, all=flips)),
        )  # fmt: skip
        if settings.interval == "bounded":
            _check_bounded(self.samples)
        bands = intervals_of(
            tested, couples, level=settings.level, method=settings.interval, resamples=draws, seed=seed,
            unit=units_said(settings.unit), step=lambda done: say(said("resample_of", done=done, all=draws)),
        )  # fmt: skip
        self.bands: dict[Measure, Bands] = dict(zip(measures, bands, strict=True))
        self.tests: dict[Measure, Tests] = {}
        self.standing: dict[Measure, Standing] = {}
        for (measure, sample), p, points in zip(
            self.samples.items(), chances, directions(tested, every, settings.test), strict=True
        ):
            own, others = p[: len(couples)], p[len(couples) :]
            joint = np.concatenate([self._corrected(sample, own, couples), self._corrected(sample, others, beyond)])
            self.tests[measure] = Tests(own, joint[: len(couples)], points[: len(couples)])
            sign = 1 if measure.higher_is_better else -1
            better = verdicts(len(measured), every, winners_of(joint, points, settings.alpha, sign))
            values = [self._value(measure, place) for place in range(len(measured))]
            self.standing[measure] = Standing.of(values, sign, better)
        self.best_sets: dict[Measure, Bools] = {}
        if settings.best_set is not None and tested:
            say(said("best_sets"))
            signs = [1 if measure.higher_is_better else -1 for measure in measures]
            apart = separations(tested, signs, level=settings.level, resamples=draws, seed=seed)
            self.best_sets = {measure: one.in_best for measure, one in zip(measures, apart, strict=True)}

    def score(self, measure: Measure, name: str) -> Score:
        """The value of one system under one measure."""
        names = list(self.measured)
        system, place = self.measured[name], names.index(name)
        value, own = self._value(measure, place), system.evaluation.means[measure]
        is_own = value == own or math.isnan(own)
        bounds = system.unjudged.get(measure, "")
        order, best_set = self.standing.get(measure), self.best_sets.get(measure)
        ranks: dict[str, Any] = dict.fromkeys(("rank", "rank_low", "rank_high", "in_best"))
        if order is not None:
            columns = (order.rank, order.low, order.high, order.in_best)
            ranks = {name: column[place].item() for name, column in zip(ranks, columns, strict=True)}
            ranks["beats"] = tuple(names[other] for other in np.flatnonzero(order.better[place]).tolist())
        interval, reason = self._interval(measure, place, system), self.reasons.get(measure, "")
        if math.isnan(value):
            counts = "value_undefined" if system.evaluation.counted(measure) else "no_query_counts"
            reason = said("no_value" if measure.aggregate == "whole" else counts)
        elif interval is None and measure in self.samples and not self._is_one_run(system):
            reason = said("nothing_beyond_one" if self.samples[measure].units == 1 else "values_equal")
        return Score(
            measure=measure,
            system=name,
            value=value,
            interval=interval,
            queries=system.evaluation.counted(measure) if is_own else int(self.lined_up.paired[measure].sum()),
            **ranks,
            tie_bounds=system.evaluation.tie_bounds.get(measure) if is_own else None,
            unjudged=bounds if isinstance(bounds, UnjudgedBounds) else None,
            unjudged_reason="" if isinstance(bounds, UnjudgedBounds) else bounds,
            run_values=tuple(run.means[measure] for run in system.runs) if len(system.runs) > 1 else (),
            reason=reason,
            in_best_set=None if best_set is None else bool(best_set[place]),
        )

    def _value(self, measure: Measure, place: int) -> float:
        """The value of a system: where runs are the units, the mean of its runs, which tests are about."""
        if self.settings.unit == "run" and measure in self.samples:
            return float(self.samples[measure].values()[place])
        return self.lined_up.means[measure][place]

    def _interval(self, measure: Measure, place: int, system: Measured) -> Interval | None:
        if self._is_one_run(system):
            return None
        if measure not in self.bands:  # of all lists: not tested, but may be resampled
            ev, settings = system.evaluation, self.settings
            if measure.aggregate != "whole" or settings.unit != "query" or not ev.has_interval(measure):
                return None
            return ev.interval(measure, level=settings.level, resamples=settings.resamples, seed=settings.seed)
        band = self.bands[measure].systems[place]
        return band if band is None or measure.aggregate == "sum" else band.within(measure.bounds)

    def _is_one_run(self, system: Measured) -> bool:
        """Whether runs are the units and there is only one, which does not show how much runs vary."""
        return self.settings.unit == "run" and len(system.runs) == 1

    def differences(self, measure: Measure) -> Iterator[Difference]:
        """Every pair under one measure."""
        names, couples, settings = list(self.measured), self.couples, self.settings
        if measure not in self.samples:
            means, units = self.lined_up.means[measure], int(self.lined_up.paired[measure].sum())
            for left, right in couples:
                gap = means[left] - means[right]
                yield Difference(measure, names[left], names[right], gap, units, reason=self.reasons[measure])
            return
        sample, margin = self.samples[measure], self.margins.get(measure)
        contrasts = sample.spreads(couples)
        flat, spreads = contrasts.flat.tolist(), contrasts.spread(sample.units).tolist()
        floors = sample.contrasts(couples).floor.tolist()
        same = None if margin is None else equivalences(
            sample, couples, margin, higher_is_better=measure.higher_is_better, interval=settings.interval,
            draws=settings.resamples, seed=settings.seed,
        )  # fmt: skip
        pairs = tested(measure, sample, couples, names, self.tests[measure], self.bands[measure].pairs, settings)
        for couple, pair in enumerate(pairs):
            yield replace(
                pair,
                equivalence=None if same is None else same[couple],
                late_detectable=late_detectable(
                    spreads[couple], sample.units, alpha=settings.alpha_of_one, power=settings.power
                ),
                reason=self._reason(sample, flat[couple], pair, floors[couple], planned=margin is not None),
            )

    def _corrected(self, sample: AnySample, chances: Floats, couples: Sequence[Pair]) -> Floats:
        settings = self.settings
        if settings.correction == "max-t" and isinstance(sample, Sample) and couples:
            joint = step_down(sample, couples, permutations=settings.permutations, seed=settings.seed)
            return np.maximum(joint, chances)
        return corrected(chances, settings.correction)

    def _reason(
        self,
        sample: AnySample,
        flat: bool,  # noqa: FBT001
        pair: Difference,
        floor: float,
        *,
        planned: bool,
    ) -> str:
        """Why something is missing beside a tested difference, or why its p-value is another test's."""
        if sample.units == 1:
            return said("nothing_beyond_one")
        if not flat:
            if pair.interval is not None:
                return ""
            if pair.effect is None:
                return said("few_runs_no_interval", floor=floor)
            count = pair.effect.wins + pair.effect.losses
            facts = {"count": count, "units": units_said(self.settings.unit), "all": sample.units, "floor": floor}
            is_floor = self.settings.test == "t" and pair.p is not None and pair.p <= floor * (1 + SAME)
            return said("few_differ_p_floor" if is_floor else "few_differ", **facts)
        replaced = planned or (self.settings.test == "t" and pair.difference != 0)
        kind = "no_spread" if replaced else "nothing_to_plan_by"
        return said(kind, count=sample.units, units=units_said(self.settings.unit))


def _check_bounded(samples: Mapping[Measure, AnySample]) -> None:
    """Refuse intervals from bounds where a measure has none, or units hold several queries."""
    unknown = [
        str(measure) for measure, sample in samples.items() if isinstance(sample, Sample) and not sample.is_bounded
    ]
    if unknown:
        raise InputError.of("stats.no_known_bounds", measures=unknown, option=Option("interval", "hall"))


def tested(
    measure: Measure,
    sample: AnySample,
    couples: Sequence[Pair],
    names: Sequence[str],
    tests: Tests,
    intervals: Sequence[Interval | None],
    settings: Settings,
) -> Iterator[Difference]:
    """Every pair in one sample, with its p-value before and after the correction."""
    numbers = (side.tolist() for side in (gaps(sample.values(), couples), tests.p, tests.p_corrected, tests.direction))
    rows = zip(couples, *numbers, intervals, _effect_sizes(measure, sample, couples), strict=True)
    for (left, right), gap, p, p_corrected, direction, interval, sizes in rows:
        yield Difference(
            measure=measure,
            system=names[left],
            other=names[right],
            difference=gap,
            units=sample.units,
            interval=agreeing(interval, p, settings.alpha) if settings.interval == "randomisation" else interval,
            p=p,
            p_corrected=p_corrected,
            significant=p_corrected < settings.alpha and direction != 0,
            effect=sizes,
            direction=direction,
        )


def _effect_sizes(measure: Measure, sample: AnySample, couples: Sequence[Pair]) -> Iterator[EffectSizes | None]:
    """The effect sizes of every pair; separate groups have no units that could win or lose."""
    if not isinstance(sample, Sample):
        yield from [None] * len(couples)
        return
    for rows in differences(sample.per_unit(), couples):
        yield from effects(rows, higher_is_better=measure.higher_is_better)


def slice_differences(scoring: Scoring, units_of: Ints | None, say: Progress) -> tuple[Difference, ...]:
    """Every pair under every measure within every slice that is tested; slices of items, and runs as units, are not.

    Many slices are many chances to be fooled, so the p-values of one way of slicing and one measure are one family,
    corrected over all of its slices and pairs at once.
    """
    evaluations = [system.evaluation for system in scoring.measured.values()]
    if units_of is None or not evaluations[0].slices:
        return ()
    within: list[Difference] = []
    for by, members in _members(evaluations, scoring.lined_up).items():
        say(said("slices_by", by=by))
        inside = [
            (measure, label, drawn)
            for measure in scoring.samples
            for label, drawn in _slice_samples(scoring.lined_up, measure, members, units_of)
        ]
        if inside:
            within += _tested_within(by, inside, scoring)
    return tuple(within)


def _members(evaluations: Sequence[Evaluation], lined_up: LinedUp) -> dict[str, dict[str, Bools]]:
    """For each way of slicing queries that all evaluations share, which of the (n,) queries each slice holds."""
    members: dict[str, dict[str, Bools]] = {}
    for by, first in evaluations[0].slices.items():
        if first.kind != "query" or not all(by in ev.slices for ev in evaluations):
            continue
        masks: dict[str, Bools] = {}
        for ev, place in zip(evaluations, lined_up.places, strict=True):
            cut = ev.slices[by]
            for number, label in enumerate(cut.labels):
                masks.setdefault(label, np.zeros(lined_up.count, np.bool_))[place[cut.code == number]] = True
        members[by] = masks
    return members


def _slice_samples(
    lined_up: LinedUp, measure: Measure, members: Mapping[str, Bools], units_of: Ints
) -> list[tuple[str, Sample]]:
    """What is resampled in each slice that can be tested, the largest first."""
    drawn_in = []
    for label, inside in members.items():
        counted = lined_up.paired[measure] & inside
        if not counted.any():
            continue
        drawn = Sample.of_queries(lined_up.values_of(measure, counted), units_of, measure.aggregate, measure.bounds)
        if drawn.units > 1 and (drawn.bottom.sum(axis=1) > 0).all():
            drawn_in.append((label, drawn))
    return sorted(drawn_in, key=lambda pair: -pair[1].units)[:MOST_TESTED]


def _tested_within(by: str, inside: Sequence[tuple[Measure, str, Sample]], scoring: Scoring) -> Iterator[Difference]:
    """Every pair in every slice; all measures at once, so that a slice has the same random signs under each."""
    names, couples, settings = list(scoring.measured), scoring.couples, scoring.settings
    samples = [drawn for *_, drawn in inside]
    raw = p_values(samples, couples, settings.test, permutations=settings.permutations, seed=settings.seed)
    joint, sizes = np.ones_like(raw), np.zeros(len(raw), np.int64)
    for measure in dict.fromkeys(measure for measure, *_ in inside):
        rows = [row for row, (asked, *_) in enumerate(inside) if asked == measure]
        joint[rows] = corrected(raw[rows].ravel(), settings.correction).reshape(len(rows), -1)
        sizes[rows] = raw[rows].size
    bands = intervals_of(
        samples, couples, level=settings.level, method=settings.interval, resamples=settings.resamples,
        seed=settings.seed, unit=units_said(settings.unit),
    )  # fmt: skip
    points = directions(samples, couples, settings.test)
    for row, (measure, label, drawn) in enumerate(inside):
        tests = Tests(raw[row], joint[row], points[row])
        for difference in tested(measure, drawn, couples, names, tests, bands[row].pairs, settings):
            yield replace(difference, by=by, slice=label, tests=int(sizes[row]))
