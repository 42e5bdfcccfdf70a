"""What a person should know about a comparison before reading who won."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rankmeter.comparing.records import Settings, units
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.errors import examples
from rankmeter.measures import Measure
from rankmeter.placing.placements import Bools
from rankmeter.stats.samples import Sample

if TYPE_CHECKING:
    from rankmeter.comparing.systems import Measured

FEW_UNITS = 25
"""Fewer units than this say little, whatever the test."""
UNEVEN = 0.1
"""Systems whose judged share differs by more than this are not judged alike."""
POORLY_JUDGED = 0.8


def notes_about(
    measured: Mapping[str, Measured],
    paired: Mapping[Measure, Bools],
    counted: Mapping[Measure, Bools],
    samples: Mapping[Measure, Sample],
    settings: Settings,
) -> list[str]:
    """All notes, the most important first."""
    return [
        *_few(samples, settings),
        *_missing(measured),
        *_unpaired(paired, counted),
        *_unjudged(measured),
        *_overlapping(measured),
        *_ties(measured),
        *_runs(measured, settings),
    ]


def _few(samples: Mapping[Measure, Sample], settings: Settings) -> Iterable[str]:
    counts = {one.units for one in samples.values()}
    if counts and min(counts) == 1:
        yield f"there is one {settings.unit} only: every p-value is 1 and every interval has no width"
    elif counts and min(counts) < FEW_UNITS:
        yield f"there are only {min(counts)} {units(settings.unit)}: only large differences can be told from chance"


def _missing(measured: Mapping[str, Measured]) -> Iterable[str]:
    for name, one in measured.items():
        if one.quality.missing:
            yield f"{name} lacks {_queries(one.quality.missing, one.quality.judged)}; a missing query is an empty list"
    empty = max(one.quality.without_relevant for one in measured.values())
    if empty:
        yield f"{_queries(empty, next(iter(measured.values())).quality.judged)} have no relevant item"


def _queries(count: int, total: int) -> str:
    return f"{count:,} of {total:,} judged queries"


def _unpaired(paired: Mapping[Measure, Bools], counted: Mapping[Measure, Bools]) -> Iterable[str]:
    for measure, both in paired.items():
        some = int((counted[measure].any(axis=0) & ~both).sum())
        if some and counted[measure].any(axis=1).all():
            yield (
                f"{measure}: {some:,} queries count for some systems only; differences and tests are about the "
                f"{int(both.sum()):,} that count for all"
            )


def _unjudged(measured: Mapping[str, Measured]) -> Iterable[str]:
    cutoffs = sorted({k for one in measured.values() for k in one.quality.judged_at})
    if not cutoffs:
        return
    k = cutoffs[0]
    shares = {name: one.quality.judged_at[k] for name, one in measured.items() if k in one.quality.judged_at}
    if min(shares.values()) < POORLY_JUDGED:
        listed = ", ".join(f"{name} {share:.0%}" for name, share in sorted(shares.items(), key=lambda pair: pair[1]))
        yield f"many of the first {k} items carry no judgment and count as not relevant; judged: {listed}"
    elif max(shares.values()) - min(shares.values()) > UNEVEN:
        low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        yield (
            f"systems are not judged alike: {shares[low]:.0%} of the first {k} items of {low} carry a judgment, "
            f"{shares[high]:.0%} of {high}"
        )


def _overlapping(measured: Mapping[str, Measured]) -> Iterable[str]:
    """Measures under which unjudged items alone could change the winner."""
    measures = list(next(iter(measured.values())).unjudged)
    could: list[str] = []
    for measure in measures:
        bounds = {name: one.unjudged.get(measure) for name, one in measured.items()}
        known = {name: one for name, one in bounds.items() if isinstance(one, UnjudgedBounds)}
        if len(known) < len(bounds) or not measure.higher_is_better:
            continue
        best = max(known, key=lambda name: known[name].none_relevant)
        others = [one.all_relevant for name, one in known.items() if name != best]
        if others and max(others) > known[best].none_relevant:
            could.append(str(measure))
    if could:
        yield (
            f"judging what is unjudged could change the winner under {examples(could, shown=4)}; "
            "`rankmeter pool` lists what to judge"
        )


def _ties(measured: Mapping[str, Measured]) -> Iterable[str]:
    for name, one in measured.items():
        across = {k: count for k, count in one.quality.ties_across.items() if count}
        if across:
            k, count = max(across.items(), key=lambda pair: pair[1])
            yield f"{name}: in {_queries(count, one.quality.judged)} tied scores lie across the cutoff at {k}"


def _runs(measured: Mapping[str, Measured], settings: Settings) -> Iterable[str]:
    several = [f"{name} {len(one.runs)}" for name, one in measured.items() if len(one.runs) > 1]
    if several and settings.unit != "run":
        yield (
            f"runs are averaged query by query ({', '.join(several)}): tests are about these runs; "
            "unit='run' asks about other runs of the same systems"
        )
