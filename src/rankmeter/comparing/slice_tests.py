"""Whether systems differ within slices of the queries: the tests of a comparison again, slice by slice.

Many slices are many chances to be fooled, so the p-values of one way of slicing and one measure are one family: they
are corrected over all of its slices and pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from rankmeter.comparing.lining_up import LinedUp
from rankmeter.comparing.records import MOST_TESTED, Settings, SliceDifference, units_said
from rankmeter.comparing.scoring import tested
from rankmeter.evaluating.result import Evaluation
from rankmeter.measures import Measure
from rankmeter.placing.placements import Bools, Ints
from rankmeter.stats.corrections import corrected
from rankmeter.stats.intervals import intervals_of
from rankmeter.stats.paired import p_values
from rankmeter.stats.samples import Sample, sample
from rankmeter.stats.student import Pair
from rankmeter.wording import said

FEWEST = 2
"""Slices of fewer units are not tested: nothing can be said beyond them."""


def slice_differences(
    evaluations: Sequence[Evaluation],
    lined_up: LinedUp,
    tested: Sequence[Measure],
    units_of: Ints | None,
    couples: Sequence[Pair],
    settings: Settings,
    say: Callable[[str], None],
) -> tuple[SliceDifference, ...]:
    """Every pair under every measure within every slice that is tested; slices of items, and runs as units, are not."""
    if units_of is None or not evaluations[0].slices:
        return ()
    made: list[SliceDifference] = []
    for by, members in _members(evaluations, lined_up).items():
        say(said("slices_by", by=by))
        inside = [
            (measure, label, drawn)
            for measure in tested
            for label, drawn in _samples(lined_up, measure, members, units_of)
        ]
        if inside:
            made += _tested(by, inside, [ev.name for ev in evaluations], couples, settings)
    return tuple(made)


def _members(evaluations: Sequence[Evaluation], lined_up: LinedUp) -> dict[str, dict[str, Bools]]:
    """For each way of slicing queries that all evaluations have: (n,) which queries each slice holds."""
    members: dict[str, dict[str, Bools]] = {}
    for by, first in evaluations[0].slices.items():
        if first.kind != "query" or not all(by in ev.slices for ev in evaluations):
            continue
        masks: dict[str, Bools] = {}
        for ev, place in zip(evaluations, lined_up.places, strict=True):
            cut = ev.slices[by]
            for number, label in enumerate(cut.labels):
                masks.setdefault(label, np.zeros(len(lined_up.queries), np.bool_))[place[cut.code == number]] = True
        members[by] = masks
    return members


def _samples(
    lined_up: LinedUp, measure: Measure, members: Mapping[str, Bools], units_of: Ints
) -> list[tuple[str, Sample]]:
    """What is resampled in each slice that can be tested, the largest first."""
    made = []
    for label, inside in members.items():
        counted = lined_up.paired[measure] & inside
        drawn = sample(lined_up.values_of(measure, counted), units_of, measure.aggregate) if counted.any() else None
        if drawn is not None and drawn.units >= FEWEST and (drawn.bottom.sum(axis=1) > 0).all():
            made.append((label, drawn))
    return sorted(made, key=lambda pair: -pair[1].units)[:MOST_TESTED]


def _tested(
    by: str,
    inside: Sequence[tuple[Measure, str, Sample]],
    names: Sequence[str],
    couples: Sequence[Pair],
    settings: Settings,
) -> Iterator[SliceDifference]:
    """Every pair in every slice; all measures at once, so that a slice has the same random signs under each."""
    samples = [drawn for *_, drawn in inside]
    raw = p_values(samples, couples, settings.test, permutations=settings.permutations, seed=settings.seed)
    joint, sizes = np.ones_like(raw), np.zeros(len(raw), np.int64)
    for measure in dict.fromkeys(measure for measure, *_ in inside):
        rows = [row for row, (drawn, *_) in enumerate(inside) if drawn == measure]
        joint[rows] = corrected(raw[rows].ravel(), settings.correction).reshape(len(rows), -1)
        sizes[rows] = raw[rows].size
    bands = intervals_of(
        samples, couples, level=settings.level, method=settings.interval, resamples=settings.resamples,
        seed=settings.seed, unit=units_said(settings.unit),
    )  # fmt: skip
    for row, (measure, label, drawn) in enumerate(inside):
        for made in tested(measure, drawn, couples, names, (raw[row], joint[row]), bands[row].pairs, settings):
            yield SliceDifference(by, label, int(sizes[row]), made)
