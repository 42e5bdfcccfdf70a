"""Everything of a comparison that is resampled, measure by measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from rankmeter.comparing.notes import smallest_p
from rankmeter.comparing.records import Settings, units_said
from rankmeter.measures import Measure
from rankmeter.placing.placements import Floats
from rankmeter.stats.best import Separation, separations
from rankmeter.stats.corrections import corrected
from rankmeter.stats.intervals import Bands, intervals_of
from rankmeter.stats.paired import p_values
from rankmeter.stats.samples import Sample

Progress = Callable[[str], None]


class Statistics:
    """Everything that is resampled, measure by measure."""

    def __init__(
        self, samples: Mapping[Measure, Sample], couples: list[tuple[int, int]], settings: Settings, say: Progress
    ) -> None:
        measures, every = list(samples), list(samples.values())
        self.couples = couples
        self.bands: dict[Measure, Bands] = {}
        self.p: dict[Measure, Floats] = {}
        self.corrected: dict[Measure, Floats] = {}
        self.separation: dict[Measure, Separation] = {}
        if not every:
            return
        flips, draws = settings.permutations, settings.resamples
        found = p_values(
            every, couples, settings.test, permutations=flips, seed=settings.seed,
            step=lambda done: say(f"permutation {done:,} of {flips:,}"),
        )  # fmt: skip
        bands = intervals_of(
            every, couples, level=settings.level, method=settings.interval, resamples=draws, seed=settings.seed,
            unit=units_said(settings.unit), step=lambda done: say(f"resample {done:,} of {draws:,}"),
        )  # fmt: skip
        say("best groups and rank intervals")
        oriented = [one.linear() * (1 if measure.higher_is_better else -1) for measure, one in samples.items()]
        apart = separations(oriented, level=settings.level, resamples=draws, seed=settings.seed)
        for place, measure in enumerate(measures):
            self.p[measure] = found[place]
            self.corrected[measure] = corrected(found[place], settings.correction)
            self.bands[measure], self.separation[measure] = bands[place], apart[place]
            smallest, drawn = smallest_p(every[place].units, settings)
            if settings.test != "t" and smallest >= settings.alpha and not drawn:
                # So few units (three seeds) prove nothing, and a bootstrap of them does not either.
                systems = len(apart[place].rank)
                self.separation[measure] = replace(
                    apart[place],
                    rank_low=np.ones(systems, np.int64),
                    rank_high=np.full(systems, systems, np.int64),
                    in_best=np.ones(systems, np.bool_),
                )
