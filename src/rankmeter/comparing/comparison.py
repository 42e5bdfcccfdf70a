"""The verb: evaluate every system once, put their values side by side, and ask which differences are real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack, get_args

from rankmeter import __version__
from rankmeter.comparing.choices import ChanceOptions, chance_options
from rankmeter.comparing.lining_up import LinedUp, samples_of, shared_seeds, units_of_queries
from rankmeter.comparing.notes import (
    judged_unlike,
    notes_about,
    notes_about_differences,
    notes_about_floors,
    notes_about_skewness,
)
from rankmeter.comparing.records import Family, Inputs, Settings
from rankmeter.comparing.results import Comparison
from rankmeter.comparing.scoring import Progress, Scoring, Statistics, pairs_of
from rankmeter.comparing.slice_tests import slice_differences
from rankmeter.comparing.systems import Measured, Repeats, folds, measure_system, named_systems, seeds
from rankmeter.errors import InputError, check_choice, check_positive, examples
from rankmeter.evaluating.asking import DuplicatePolicy, QueryPolicy, ask
from rankmeter.evaluating.evaluation import About
from rankmeter.evaluating.facts import Purpose
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs import AnyJudgments, check_columns_of, into_judgments
from rankmeter.judging.assisted_values import assist
from rankmeter.judging.chances import with_design
from rankmeter.measures import Measure
from rankmeter.stats.intervals import INVERTS
from rankmeter.wording import Option, said

FAMILIES = get_args(Family)


def compare(
    judgments: object,
    systems: object,
    measures: object = None,
    *,
    baseline: str | None = None,
    pairs: Family | None = None,
    queries: QueryPolicy | None = None,
    duplicates: DuplicatePolicy | None = None,
    dialect: str | None = None,
    columns: Mapping[str, str] | None = None,
    catalogue: object = None,
    history: object = None,
    by: object = None,
    assisted_by: object = None,
    purpose: Purpose | None = None,
    progress: Progress | None = None,
    **options: Unpack[ChanceOptions],
) -> Comparison:
    """Compare systems on the same judgments: which differences are real, and how large.

    Parameters
    ----------
    judgments
        What is true, as for :func:`rankmeter.evaluate`; None where all systems are evaluations already, or where
        all measures are of lists that need no judgments.
    systems
        ``{name: run}``, each run as for :func:`rankmeter.evaluate`, or an :class:`rankmeter.Evaluation` (made before or
        loaded), or ``seeds(run, ...)`` / ``folds(run, ...)`` for several runs of one system. Evaluations carry their
        names and may stand in a list.
    measures
        One or several; by default nDCG@10, AP and RR, or those of the first evaluation.
    baseline
        The system that all others are tested against. Without one all pairs are tested.
    pairs
        ``all`` tests all pairs although there is a baseline.
    queries, duplicates, dialect, columns, catalogue, history, purpose
        As for :func:`rankmeter.evaluate`.
    by
        Slices, as for :func:`rankmeter.evaluate`: ``{query: segment}``, a frame, a file, or a word. Of systems that are
        evaluations already, slices of the queries only. Differences within slices of queries are tested too, corrected
        over all slices and pairs of a measure.
    assisted_by
        Judgments of a machine, of all queries, where ``judgments`` are those of people for some queries drawn at
        random: the result's ``assisted`` holds values and differences with intervals from both.
    progress
        Is told what is being done.
    test
        ``t`` (default), ``randomisation``, ``wilcoxon`` or ``sign``: paired and two-sided; docs/statistics.md says how
        well each keeps its level.
    correction
        ``holm`` (default), ``hochberg``, ``bonferroni``, ``max-t``, ``bh``, ``by`` or ``none``, for the tests of one
        measure: the family is per measure.
    level
        Of intervals, 0.95 by default; a corrected p-value below 1 - level is called significant.
    interval
        ``t``, ``randomisation``, ``bca`` or ``percentile``; by default the one that holds what ``test`` does not
        reject, so that an interval and the p-value beside it (before the correction) never contradict each other.
    margin
        The largest loss that does not matter, for "no worse than" tests; a number or one for each measure.
    unit
        What varies: ``query``; ``run`` where systems have several (see :func:`seeds`); or a mapping from queries to
        what they belong to, such as ``{query: user}``, where the queries of one user are not independent witnesses.
    unit_name
        What a unit of such a mapping is called: ``user``, ``session``.
    permutations, resamples, seed
        How many random signs and bootstrap samples are drawn, and from which seed; all are kept in the result.
    power
        The chance of being found that a detectable difference has.

    Examples
    --------
    >>> import rankmeter as rm
    >>> from rankmeter import demo
    >>> runs = {name: demo.data_path(file) for name, file in demo.RUNS.items()}
    >>> cmp = rm.compare(demo.data_path(demo.JUDGMENTS), runs, ["nDCG@10"], baseline="keyword", permutations=10_000)
    >>> found = cmp.difference("nDCG@10", "hybrid")
    >>> round(found.difference, 4), found.p_corrected < 0.001, found.effect.wins, found.effect.ties, found.effect.losses
    (0.2027, True, 174, 7, 59)
    >>> cmp.best_group("nDCG@10")
    ['hybrid']
    """
    say = progress or (lambda _: None)
    named = named_systems(systems)
    chance = chance_options(**options)
    check_choice("pairs", pairs, (None, *FAMILIES))
    baseline = None if baseline is None else str(baseline)  # as the names of systems are
    if baseline is not None and baseline not in named:
        raise InputError.of("comparing.unknown_baseline", name=baseline, systems=examples(named))
    about = About.of(catalogue, history, by, columns, purpose)
    asked = ask(
        _asked_measures(measures, named),
        queries=queries,
        duplicates=duplicates,
        dialect=dialect,
        expanded=about.expanded,
    )
    chosen = asked.measures
    margins = _margins(chance["margin"], chosen, asked.names)
    columns = about.columns
    runs = (part for given in named.values() for part in (given.runs if isinstance(given, Repeats) else (given,)))
    check_columns_of(columns, judgments, *runs, history=history)
    truth, design = (None, None) if judgments is None else with_design(judgments, columns)
    if assisted_by is not None:
        _check_assisted(truth, named, chance["unit"])
    measured: dict[str, Measured] = {}
    for name, given in named.items():
        say(said("evaluating_system", system=name))
        measured[name] = measure_system(name, given, truth, asked, columns, about)
    _refuse_seeds_of_one(chance["unit"], measured)
    unlike = judged_unlike(measured)
    lined_up = LinedUp(measured, chosen)
    family: Family = pairs or ("all" if baseline is None else "baseline")
    if family == "baseline" and baseline is None:
        raise InputError.of("comparing.pairs_need_baseline", baseline=next(iter(named)))
    couples = pairs_of(list(named), list(named).index(baseline) if baseline and family == "baseline" else None)
    unit_label, units_of = units_of_queries(chance["unit"], chance["unit_name"], lined_up.queries)
    settings = Settings(
        test=chance["test"],
        correction=chance["correction"],
        family=family,
        pairs=len(couples),
        level=chance["level"],
        interval=chance["interval"] or INVERTS.get(chance["test"], "t"),
        permutations=chance["permutations"],
        resamples=chance["resamples"],
        seed=int(chance["seed"]),
        unit=unit_label,
        power=chance["power"],
        version=__version__,
        paired=units_of is not None or shared_seeds(measured) is not None,
    )
    samples, reasons = samples_of(lined_up, measured, units_of)
    statistics = Statistics(samples, couples, settings, say)
    scoring = Scoring(measured, lined_up, samples, reasons, statistics, margins, settings)
    differences = tuple(one for measure in chosen for one in scoring.differences(measure))
    within = slice_differences(
        [one.evaluation for one in measured.values()], lined_up, list(samples), units_of, couples, settings, say
    )
    first = next(iter(measured.values())).evaluation
    label = first.label
    assisted = None
    if assisted_by is not None and truth is not None and design is not None:
        say(said("evaluating_machine"))
        machine = into_judgments(assisted_by, columns=columns)
        guessed = {name: measure_system(name, given, machine, asked, columns, about) for name, given in named.items()}
        order = list(named)
        if design.is_partial and (several := [name for name, one in measured.items() if len(one.sources) > 1]):
            raise InputError.of("judging.items_of_one_run", system=several[0])
        assisted = assist(
            {name: one.evaluation for name, one in measured.items()},
            {name: one.evaluation for name, one in guessed.items()},
            design,
            judgments=(truth, machine),
            runs={name: one.sources[0] for name, one in measured.items() if len(one.sources) == 1},
            asked=asked,
            pairs=[(order[one], order[other]) for one, other in couples],
            level=chance["level"],
            correction=chance["correction"],
        )
    notes = [
        *unlike,
        *notes_about(measured, lined_up.paired, lined_up.counted, samples, settings),
        *notes_about_skewness(samples, couples, list(named), label),
        *notes_about_differences(differences, label),
        *notes_about_floors(differences, samples, couples, settings, label),
    ]
    if first.facts.purpose == "recommendation":
        notes = [note.about_users() for note in notes]
    return Comparison(
        systems=tuple(named),
        baseline=baseline,
        measures=tuple(chosen),
        evaluations={name: one.evaluation for name, one in measured.items()},
        runs={name: one.runs for name, one in measured.items()},
        queries=lined_up.queries,
        values=lined_up.shown,
        paired=lined_up.paired,
        samples=samples,
        units_of=units_of,
        scores=tuple(scoring.score(measure, name) for measure in chosen for name in named),
        differences=differences,
        quality={name: one.quality for name, one in measured.items()},
        notes=tuple(notes),
        settings=settings,
        slice_differences=within,
        inputs=_inputs(truth, measured, about),
        assisted=assisted,
        is_unjudged=truth is None and all(one.sources for one in measured.values()),
        seeds={name: one.seeds for name, one in measured.items()},
    )


def _check_assisted(truth: AnyJudgments | None, named: Mapping[str, object], unit: object) -> None:
    """Refuse what a machine's judgments cannot help."""
    if truth is None or any(isinstance(given, Evaluation) for given in named.values()):
        raise InputError.of("judging.assisted_needs_runs")
    if unit != "query":
        raise InputError.of("judging.assisted_by_query", option=Option("unit", unit if isinstance(unit, str) else None))


def _asked_measures(measures: object, named: Mapping[str, object]) -> object:
    if measures is not None:
        return measures
    for given in named.values():
        first = given.runs[0] if isinstance(given, Repeats) else given
        if isinstance(first, Evaluation):
            return list(first.means)
    return ("nDCG@10", "AP", "RR")


def _refuse_seeds_of_one(unit: object, measured: Mapping[str, Measured]) -> None:
    """How much runs vary is known only of a system that has several; one without chance has one."""
    if unit == "run" and all(len(system.runs) == 1 for system in measured.values()):
        raise InputError.of("comparing.one_run_each")


def _margins(
    margin: float | Mapping[Any, float] | None, chosen: Sequence[Measure], names: Mapping[str, Measure]
) -> dict[Measure, float]:
    if margin is None:
        return {}
    for value in margin.values() if isinstance(margin, Mapping) else [margin]:
        check_positive("margin", value, 0.01)
    if not isinstance(margin, Mapping):
        return dict.fromkeys(chosen, float(margin))
    by_text = {str(measure): measure for measure in chosen} | dict(names)
    margins: dict[Measure, float] = {}
    for key, value in margin.items():
        measure = key if key in chosen else by_text.get(str(key))
        if measure is None:
            raise InputError.of("comparing.unknown_margin", name=str(key), measures=examples(map(str, chosen)))
        margins[measure] = float(value)
    return margins


def _inputs(truth: AnyJudgments | None, measured: Mapping[str, Measured], about: About) -> Inputs | None:
    if truth is None or not all(system.sources for system in measured.values()):
        return None
    runs = {name: system.sources for name, system in measured.items()}
    return Inputs(truth, runs, about.catalogue, about.history)


__all__ = ["compare", "folds", "seeds"]
