"""What a person should know about a comparison before reading who won."""

from __future__ import annotations

import filecmp
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeter.comparing.records import Difference, Settings, units_said
from rankmeter.comparing.unjudged import UnjudgedBounds
from rankmeter.errors import InputError, examples
from rankmeter.evaluating.additions import one_protocol
from rankmeter.late import pl
from rankmeter.measures import Measure
from rankmeter.stats.corrections import corrected
from rankmeter.stats.intervals import WIDENED
from rankmeter.stats.resampling import AnySample, Sample
from rankmeter.stats.student import SAME, Pair, skewness
from rankmeter.wording import Said, said

if TYPE_CHECKING:
    from rankmeter.comparing.lining_up import LinedUp
    from rankmeter.comparing.scoring import Scoring
    from rankmeter.comparing.systems import Measured
    from rankmeter.evaluating.result import Evaluation
    from rankmeter.inputs.tables import Run
    from rankmeter.placing.placements import Floats

Label = Callable[[Measure], str]
"""What a measure is called where it is shown."""
Ends = tuple[float, float]
Leaders = tuple[str, str] | None
GOOD_TO_KNOW = frozenset({"grades_cut", "deeper_than_lists"})
FEW_UNITS = 25
"""With fewer units any test says little."""
COCHRAN = 60
"""Skewed differences do little harm from this many units on, times the squared skewness. Cochran asks for 25, for one
interval; corrections and best groups look further into one tail (docs/statistics.md)."""
FEW_DIFFER = frozenset({"few_differ", "few_differ_p_floor"})
LARGEST = 0.05
"""Of skewed differences it is said what share of their sum the largest of them make up."""
SMALLEST_SHOWN = 0.0001
"""Smaller p-values are only shown as being below this."""
UNEVEN = 0.1
"""Systems whose judged share differs by more than this are not judged alike."""
POORLY_JUDGED = 0.8
SHOWN = 4
"""How many names a note lists; the rest are counted."""


def notes_about(scoring: Scoring, differences: Sequence[Difference]) -> list[Said]:
    """All notes: about the data, the most important first, then about single differences."""
    measured, samples, settings = scoring.measured, scoring.samples, scoring.settings
    label, couples = next(iter(measured.values())).evaluation.label, scoring.couples
    notes = [
        *_read(measured),
        *_identical(measured),
        *_few(samples, settings),
        *_too_coarse(samples, settings),
        *_missing(measured),
        *_unpaired(scoring.lined_up, label),
        *_unjudged(measured),
        *_overlapping(measured, label),
        *_tied_winner(measured, label),
        *_ties(measured),
        *_note_of_runs(measured, settings),
    ]
    return [
        *sorted(notes, key=lambda note: note.kind in GOOD_TO_KNOW),  # what is merely good to know comes last
        *_skewed(samples, couples, list(measured), label, settings),
        *_without_spread(differences, label),
        *_at_floors(differences, samples, couples, settings, label),
    ]


def _skewed(
    samples: Mapping[Measure, AnySample],
    couples: Sequence[Pair],
    names: Sequence[str],
    label: Label,
    settings: Settings,
) -> Iterable[Said]:
    """Differences so skewed that their mean is not nearly normal (the rule of Cochran 1977)."""
    skewed: list[str] = []
    for measure, sample in samples.items():
        if not isinstance(sample, Sample) or sample.units < FEW_UNITS:
            continue  # another note says what few units are worth
        for (left, right), skew in zip(couples, skewness(sample.linear(), couples), strict=True):
            if sample.units < COCHRAN * skew**2:
                share = _share_of_largest(sample.linear()[left] - sample.linear()[right])
                skewed.append(f"{label(measure)} ({names[left]} - {names[right]}) {share:.0%}")
    if skewed:
        yield said("skewed", pairs=examples(skewed, shown=SHOWN), largest=LARGEST)
        yield said("widened" if settings.interval in WIDENED else "hall_of_25")


def _share_of_largest(differences: Floats) -> float:
    """How much of the sum of all absolute differences the largest twentieth of them makes up."""
    sizes = np.sort(np.abs(differences))[::-1]
    return float(sizes[: math.ceil(LARGEST * len(sizes))].sum() / sizes.sum())


def _without_spread(differences: Sequence[Difference], label: Label) -> Iterable[Said]:
    """Pairs for which another test had to be used."""
    flat = [pair for pair in differences if _differ_alike(pair)]
    if flat:
        pairs = dict.fromkeys(_pair_named(pair, label) for pair in flat)
        yield said("no_spread_in", pairs=examples(pairs, shown=SHOWN), reason=flat[0].reason)
    few = [pair for pair in differences if getattr(pair.reason, "kind", "") in FEW_DIFFER]
    if few:
        yield said("few_differ_in", pairs=examples([_pair_named(pair, label) for pair in few], shown=SHOWN))


def _at_floors(
    differences: Sequence[Difference],
    samples: Mapping[Measure, AnySample],
    couples: Sequence[Pair],
    settings: Settings,
    label: Label,
) -> Iterable[Said]:
    """p-values that cannot be smaller: all signs agree, or no permutation is as extreme."""
    reached: dict[str, list[str]] = {}
    for measure, sample in samples.items():
        smallest, drawn = smallest_p(sample, settings)
        if smallest >= settings.alpha:
            continue  # another note says that nothing can be significant
        floors = np.maximum(sample.contrasts(couples).floor, 1 / (settings.permutations + 1) if drawn else 0.0)
        tested = [pair for pair in differences if pair.measure == measure]
        for difference, floor in zip(tested, floors.tolist(), strict=True):
            at_floor = difference.p is not None and difference.p <= floor * (1 + SAME)
            if at_floor and SMALLEST_SHOWN <= floor < 1 and not _differ_alike(difference):
                kind = "p_floor_of_permutations" if drawn else "p_floor_of_units"
                reached.setdefault(kind, []).append(f"{_pair_named(difference, label)} {floor:.2g}")
    for kind, pairs in reached.items():
        units = units_said(settings.unit)
        yield said(kind, pairs=examples(pairs, shown=SHOWN), units=units, count=settings.permutations)


def _differ_alike(difference: Difference) -> bool:
    """Whether all units differ by the same amount, so that their signs were tested instead."""
    return isinstance(difference.reason, Said) and difference.reason.kind == "no_spread"


def _pair_named(difference: Difference, label: Label) -> str:
    return f"{label(difference.measure)} ({difference.system} - {difference.other})"


def _read(measured: Mapping[str, Measured]) -> Iterable[Said]:
    """What looked odd when judgments and runs were read, without repetition."""
    odd: dict[str, Said] = {}
    for system in measured.values():
        reading = system.evaluation.reading
        for side in (reading.judgments, reading.run):
            odd |= {note: note for note in (side.notes.values() if side else ()) if isinstance(note, Said)}
    deep = [note for note in odd.values() if note.kind == "deeper_than_lists"]
    lists = [system.evaluation.reading for system in measured.values()]
    everywhere = all(set(deep) & set(reading.notes) for reading in lists)
    kept = [max(deep, key=lambda note: note.values["length"])] if deep and everywhere else []
    return [*(note for note in odd.values() if note not in deep), *kept]


def _identical(measured: Mapping[str, Measured]) -> Iterable[Said]:
    """Systems that returned identical lists, mostly because a file name is wrong."""
    alike: dict[tuple[str, ...], list[list[str]]] = {}
    for name, system in measured.items():
        # Lists are compared only where all values are the same.
        groups = alike.setdefault(tuple(map(str, system.evaluation.means.values())), [])
        same = next((names for names in groups if _same_runs(measured[names[0]], system)), None)
        if same is None:
            groups.append([name])
        else:
            same.append(name)
    for names in chain.from_iterable(alike.values()):
        if len(names) > 1:
            yield said("same_lists", systems=examples(names, shown=SHOWN))


def _few(samples: Mapping[Measure, AnySample], settings: Settings) -> Iterable[Said]:
    counts = {sample.units for sample in samples.values()}
    if counts and min(counts) == 1:
        yield said("one_unit", unit=units_said(settings.unit, "unit"))
    elif counts and min(counts) < FEW_UNITS:
        yield said("few_units", count=min(counts), units=units_said(settings.unit))
        yield said("widened" if settings.interval in WIDENED else "hall_of_10")


def smallest_p(sample: AnySample, settings: Settings) -> tuple[float, bool]:
    """The smallest corrected p-value that a sample allows, and whether permutations are what limits it."""
    drawn = settings.test == "randomisation" and sample.smallest_p * settings.permutations < 2
    smallest = 1 / (settings.permutations + 1) if drawn else sample.smallest_p
    # Some corrections are milder where all p-values of a family are small, so assume that all are.
    return float(corrected(np.full(max(settings.pairs, 1), smallest), settings.correction)[0]), drawn


def _too_coarse(samples: Mapping[Measure, AnySample], settings: Settings) -> Iterable[Said]:
    """Tests whose smallest p-value, corrected, is not significant: they could not find anything."""
    most = max(samples.values(), key=lambda sample: sample.units, default=None)
    if most is None or most.units < 2:
        return
    smallest, drawn = smallest_p(most, settings)
    if smallest >= settings.alpha:
        kind = "too_few_permutations" if drawn else "too_few_units"
        yield said(kind, p=smallest, count=settings.permutations, tests=settings.tests_said)


def _missing(measured: Mapping[str, Measured]) -> Iterable[Said]:
    asked = {m for system in measured.values() for m in system.evaluation.means}
    counts_missing = any(m.query_policy == "judged" for m in asked)
    for name, system in measured.items():
        if system.quality.missing:
            kind = "lacks_queries" if counts_missing else "lacks_queries_left_out"
            yield said(kind, system=name, count=system.quality.missing, total=system.quality.judged)
    empty = max(system.quality.without_relevant for system in measured.values())
    if empty:
        yield said("no_relevant", count=empty, total=next(iter(measured.values())).quality.judged)


def _unpaired(lined_up: LinedUp, label: Label) -> Iterable[Said]:
    for measure, paired in lined_up.paired.items():
        counted = lined_up.values[measure].counted
        unpaired = int((counted.any(axis=0) & ~paired).sum())
        # A measure of all lists together is about all of them in differences too.
        if unpaired and measure.aggregate != "whole" and counted.any(axis=1).all():
            yield said("unpaired", measure=label(measure), count=unpaired, all=int(paired.sum()))


def _unjudged(measured: Mapping[str, Measured]) -> Iterable[Said]:
    cutoffs = sorted({k for system in measured.values() for k in system.quality.judged_at})
    if not cutoffs:
        return
    k = cutoffs[0]
    shares = {name: system.quality.judged_at[k] for name, system in measured.items() if k in system.quality.judged_at}
    if min(shares.values()) < POORLY_JUDGED:
        yield said("poorly_judged", k=k, shares=dict(sorted(shares.items(), key=lambda pair: pair[1])))
    elif max(shares.values()) - min(shares.values()) > UNEVEN:
        low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        yield said("unevenly_judged", k=k, low=low, low_share=shares[low], high=high, high_share=shares[high])


def _could_win(measured: Mapping[str, Measured], values: Mapping[str, float], ends: Mapping[str, Ends]) -> Leaders:
    """The best system and the one that could overtake it: its best end is above the worst end of the best."""
    best = max(values, key=values.__getitem__)
    # Identical lists stay equal, whatever is judged and however ties are broken.
    rivals = [name for name in values if name != best and not _same_runs(measured[name], measured[best])]
    rival = max(rivals, key=lambda name: max(ends[name]), default=None)
    return (best, rival) if rival is not None and max(ends[rival]) > min(ends[best]) else None


def _overlapping(measured: Mapping[str, Measured], label: Label) -> Iterable[Said]:
    """Measures under which unjudged items alone could change the winner."""
    could: list[str] = []
    unknown: list[str] = []
    for measure in next(iter(measured.values())).unjudged:
        bounds = {name: system.unjudged.get(measure) for name, system in measured.items()}
        known = {name: system for name, system in bounds.items() if isinstance(system, UnjudgedBounds)}
        if len(known) == len(bounds) and measure.higher_is_better:
            values = {name: system.none_relevant for name, system in known.items()}
            ends = {name: (system.none_relevant, system.all_relevant) for name, system in known.items()}
            may_change = _could_win(measured, values, ends) is not None
            could += [label(measure)] if may_change else []
            is_bounded = all(system.kind == "bounds" or len(set(ends[name])) == 1 for name, system in known.items())
            unknown += [] if may_change or is_bounded else [label(measure)]
    if could:
        yield said("winner_could_change", measures=examples(could, shown=SHOWN))
    if unknown:
        yield said("winner_not_bounded", measures=examples(unknown, shown=SHOWN))


def _same_runs(system: Measured, other: Measured) -> bool:
    """Whether two systems surely returned the same lists."""
    if len(system.sources) != len(other.sources) or not system.sources:
        return False
    return all(map(_same_run, system.sources, other.sources))


def _same_run(run: Run, other: Run) -> bool:
    if run is other:
        return True
    if type(run) is not type(other):
        return False
    if run.is_streamed:
        paths = Path(run.source), Path(other.source)
        return all(path.is_file() for path in paths) and filecmp.cmp(*paths, shallow=False)
    if run.mapping is not None and other.mapping is not None:
        return bool(run.mapping.data == other.mapping.data)
    if run.matrix is not None and other.matrix is not None:
        return np.array_equal(run.matrix, other.matrix)
    tables = run.run_table(), other.run_table()
    return all(getattr(tables[0], name).equals(getattr(tables[1], name)) for name in ("query", "item", "score"))


def _ties(measured: Mapping[str, Measured]) -> Iterable[Said]:
    for name, system in measured.items():
        across = {k: count for k, count in system.quality.ties_across.items() if count}
        if across:
            k, count = max(across.items(), key=lambda pair: pair[1])
            yield said("ties_across_cutoff", system=name, count=count, total=system.quality.judged, k=k)


def _tied_winner(measured: Mapping[str, Measured], label: Label) -> Iterable[Said]:
    """Measures under which another order of tied items alone could change the winner."""
    for measure in next(iter(measured.values())).evaluation.means:
        means = {name: system.evaluation.means[measure] for name, system in measured.items()}
        if any(math.isnan(value) for value in means.values()) or not measure.has_goal:
            continue
        sign = 1 if measure.higher_is_better else -1
        ranges = {
            name: system.evaluation.tie_bounds.get(measure, (means[name],) * 2) for name, system in measured.items()
        }
        values = {name: sign * value for name, value in means.items()}
        leaders = _could_win(measured, values, {name: (sign * a, sign * b) for name, (a, b) in ranges.items()})
        if leaders is not None and values[leaders[1]] < values[leaders[0]]:
            best, rival = leaders
            yield said(
                "ties_could_change_winner", measure=label(measure), system=rival, range=_ties_range_said(ranges[rival]),
                best=best, best_range=_ties_range_said(ranges[best]),
            )  # fmt: skip


def _ties_range_said(ends: Ends) -> Said:
    """Between which values ties move a system, or where it stays."""
    low, high = ends
    looks_equal = f"{low:.4f}" == f"{high:.4f}"
    return said("stays_at" if looks_equal else "lies_between", low=low, high=high)


def _note_of_runs(measured: Mapping[str, Measured], settings: Settings) -> Iterable[Said]:
    several = {name: len(system.runs) for name, system in measured.items() if len(system.runs) > 1}
    if several and settings.unit != "run":
        yield said("runs_averaged", runs=several)


def judged_unlike(measured: Mapping[str, Measured], protocol: object) -> list[Said]:
    """Refuse evaluations of the same queries against different judgments; note it where the queries differ too.

    What is known of how the judgments came about is said, and different ways are refused (`one_protocol`).
    """
    known = one_protocol({name: system.evaluation for name, system in measured.items()}, protocol)
    return [*known, *_note_of_other_judgments(measured)]


def _note_of_other_judgments(measured: Mapping[str, Measured]) -> list[Said]:
    if all(system.sources for system in measured.values()):
        return []  # all were measured now, against the same judgments
    every = [(name, run) for name, system in measured.items() for run in system.runs]
    known = [(name, run, run.judged_by.value) for name, run in every if run.judged_by is not None]
    if not known:
        return []
    first, reference, judged = known[0]
    for name, run, fingerprint in known[1:]:
        if not judged.differs(fingerprint):
            continue
        facts: dict[str, Any] = {
            "one": first, "rows": judged.rows, "relevant": judged.relevant,
            "other": name, "other_rows": fingerprint.rows, "other_relevant": fingerprint.relevant,
        }  # fmt: skip
        if _judged_queries(run) != _judged_queries(reference):
            return [said("judged_unlike", **facts)]
        raise InputError.of("comparing.judged_differently", **facts)
    return []


def _judged_queries(ev: Evaluation) -> set[str]:
    return set(ev.queries.head(ev.facts.judged).cast(pl.String).to_list())
