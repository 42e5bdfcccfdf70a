"""The tests, intervals and best groups of a comparison, measure by measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankmeter.comparing.notes import smallest_p
from rankmeter.comparing.records import Settings, units_said
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats
from rankmeter.stats.best import Separation, separations
from rankmeter.stats.corrections import corrected
from rankmeter.stats.intervals import Bands, intervals_of
from rankmeter.stats.max_t import step_down
from rankmeter.stats.paired import p_values
from rankmeter.stats.samples import AnySample, Sample
from rankmeter.stats.student import Pair
from rankmeter.wording import said

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
                self.separation[measure] = _unseparated(apart[place])

    def _corrected(self, one: AnySample, chances: Floats, settings: Settings) -> Floats:
        if settings.correction == "max-t" and isinstance(one, Sample):
            joint = step_down(one, self.couples, permutations=settings.permutations, seed=settings.seed)
            return np.maximum(joint, chances)
        return corrected(chances, settings.correction)


def _unseparated(apart: Separation) -> Separation:
    systems = len(apart.rank)
    low, high = np.ones(systems, np.int64), np.full(systems, systems, np.int64)
    return replace(apart, rank_low=low, rank_high=high, in_best=np.ones(systems, np.bool_))


def pairs_of(names: Sequence[str], against: int | None) -> list[Pair]:
    """The pairs that are tested, as numbers of systems: all, or each system with the one at ``against``."""
    if against is not None:
        return [(number, against) for number in range(len(names)) if number != against]
    return [(left, right) for left in range(len(names)) for right in range(left + 1, len(names))]
