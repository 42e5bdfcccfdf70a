"""The verb: evaluate every system once, put their values side by side, and ask which differences are real."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack, cast, get_args

from rankmeter import __version__
from rankmeter.comparing.lining_up import LinedUp, shared_seeds, units_of_queries
from rankmeter.comparing.notes import judged_unlike, notes_about
from rankmeter.comparing.records import BestSet, Family, Inputs, Settings
from rankmeter.comparing.results import Comparison
from rankmeter.comparing.scoring import Progress, Scoring, pairs_of, slice_differences
from rankmeter.comparing.systems import Measured, Repeats, folds, measure_system, named_systems, seeds
from rankmeter.errors import (
    InputError,
    InputTypeError,
    check_choice,
    check_level,
    check_positive,
    check_whole,
    did_you_mean,
    examples,
)
from rankmeter.evaluating.additions import has_additions
from rankmeter.evaluating.asking import Asked, DuplicatePolicy, QueryPolicy, ask
from rankmeter.evaluating.assisted import assisting
from rankmeter.evaluating.evaluation import About
from rankmeter.evaluating.facts import Purpose
from rankmeter.evaluating.result import Evaluation
from rankmeter.evaluating.verb import evaluate
from rankmeter.inputs.accepting import check_columns_of, into_judgments
from rankmeter.inputs.tables import Judgments
from rankmeter.measures import Measure
from rankmeter.stats.corrections import CORRECTIONS, Correction
from rankmeter.stats.intervals import FEWEST_RESAMPLES, INVERTS, METHODS, IntervalMethod
from rankmeter.stats.paired import TESTS, Test
from rankmeter.wings import is_foreign
from rankmeter.wings.loading import answering
from rankmeter.wording import Option, of_its_lists, said

FAMILIES = get_args(Family)
BEST_SETS = get_args(BestSet)


class ChanceOptions(TypedDict, total=False):
    """What :func:`rankmeter.compare` takes beside data and measures; see there."""

    test: Test
    correction: Correction
    level: float
    interval: IntervalMethod | None
    margin: float | Mapping[Any, float] | None
    unit: str | Mapping[Any, Any]
    unit_name: str
    permutations: int
    resamples: int
    seed: int
    power: float
    best_set: BestSet | None


DEFAULTS: ChanceOptions = {
    "test": "t",
    "correction": "holm",
    "level": 0.95,
    "interval": None,
    "margin": None,
    "unit": "query",
    "unit_name": "group",
    "permutations": 100_000,
    "resamples": 9_999,
    "seed": 0,
    "power": 0.8,
    "best_set": None,
}


def chance_options(**options: Unpack[ChanceOptions]) -> ChanceOptions:
    """The options, completed with their defaults and checked."""
    for name in options:
        if name not in DEFAULTS:
            hint = did_you_mean(name, list(DEFAULTS)) or None
            raise InputTypeError.of("comparing.unexpected_keyword", name=name, hint=hint)
    chosen: ChanceOptions = {**DEFAULTS, **options}
    choices = {"test": TESTS, "correction": CORRECTIONS, "interval": (None, *METHODS), "best_set": (None, *BEST_SETS)}
    for option, possible in choices.items():
        check_choice(option, chosen[option], possible)  # type: ignore[literal-required]
    level, power = check_level(chosen["level"]), check_level(chosen["power"], "power")
    check_whole("permutations", chosen["permutations"], FEWEST_RESAMPLES)
    check_whole("resamples", chosen["resamples"], FEWEST_RESAMPLES)
    check_whole("seed", chosen["seed"])
    if not 1 - level < power:
        raise InputError.of("comparing.level_and_power", option=Option("level", level), power=power)
    return chosen


@of_its_lists
def compare(
    judgments: object,
    systems: object,
    measures: object = None,
    *,
    baseline: str | Sequence[str] | None = None,
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
    protocol: object = None,
    baselines: object = None,
    calls: str | None = None,
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
        The system that all others are tested against. Without one all pairs are tested. Of several baselines,
        ``["bm25", "prod"]``, each other system is tested against each; all of these tests are one family.
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
    protocol, baselines
        As for :func:`rankmeter.evaluate`; baselines are further systems. Evaluations of different protocols are
        refused; ``protocol="any"`` compares them all the same.
    calls
        As for :func:`rankmeter.evaluate`, of runs that hold several lists for each query.
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
        ``t``, ``randomisation``, ``bca``, ``percentile``, ``hall`` or ``bounded``; by default the one that holds what
        ``test`` does not reject, so that an interval and the p-value beside it (before the correction) never contradict
        each other; ``t`` beside ``wilcoxon`` and ``sign``, which do not ask about the mean and may say otherwise.
        ``hall`` corrects Student's for skewness, ``bounded`` holds whatever the shape of values with known bounds.
    margin
        The largest loss that does not matter, for "no worse than" tests; a number or one for each measure. Its tests
        are those of the intervals ``hall`` and ``bounded`` where these are asked for.
    unit
        What varies: ``query``; ``run`` where systems have several (see :func:`seeds`); or a mapping from queries to
        what they belong to, such as ``{query: user}``, where the queries of one user are not independent witnesses.
    unit_name
        What a unit of such a mapping is called: ``user``, ``session``.
    permutations, resamples, seed
        How many random signs and bootstrap samples are drawn, and from which seed; all are kept in the result.
    power
        The chance of being found that a detectable difference has.
    best_set
        ``mcb`` also asks which systems may be the best, by multiple comparisons with the best (Hsu 1984): a question
        of its own beside the tests, answered in a sentence of its own.

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
    if protocol != "any" and has_additions(judgments, protocol, baselines):
        return _with_additions(
            partial(
                compare, measures=measures, baseline=baseline, pairs=pairs, queries=queries, duplicates=duplicates,
                dialect=dialect, columns=columns, catalogue=catalogue, by=by, assisted_by=assisted_by,
                purpose=purpose, progress=progress, calls=calls, **options,
            ),
            judgments, systems, history=history, protocol=protocol, baselines=baselines,
        )  # fmt: skip
    say = progress or (lambda _: None)
    named = named_systems(systems)
    chance = chance_options(**options)
    check_choice("pairs", pairs, (None, *FAMILIES))
    against = _baselines_of(baseline, named)
    if measures is None:
        done = (run for system in named.values() for run in system.runs if isinstance(run, Evaluation))
        measures = next((list(ev.means) for ev in done), ("nDCG@10", "AP", "RR"))
    about = About.of(catalogue, history, by, columns, purpose).under(dialect)
    asked = ask(
        measures,
        queries=queries,
        duplicates=duplicates,
        dialect=dialect,
        expanded=about.expanded,
    )
    named = _evaluated_apart(
        named, asked, partial(
            evaluate, judgments, measures=measures, queries=queries, duplicates=duplicates, dialect=dialect,
            columns=columns, catalogue=catalogue, history=history, purpose=purpose, protocol=False, calls=calls,
        ), calls,
    )  # fmt: skip
    chosen = asked.measures
    margins = _margins(chance["margin"], chosen, asked.names)
    columns = about.columns
    check_columns_of(columns, judgments, *(run for system in named.values() for run in system.runs), history=history)
    truth = None if judgments is None else into_judgments(judgments, columns=columns)
    wing = None
    if assisted_by is not None:
        wing = assisting()
        _check_assisted(truth, named, chance["unit"])
        design = wing.design_of(judgments, truth)
    measured: dict[str, Measured] = {}
    for name, system in named.items():
        say(said("evaluating_system", system=name))
        measured[name] = measure_system(name, system, truth, asked, columns, about)
    if chance["unit"] == "run" and all(len(system.runs) == 1 for system in measured.values()):
        raise InputError.of("comparing.one_run_each")
    notes = judged_unlike(measured, protocol)
    lined_up = LinedUp(measured, chosen)
    family: Family = pairs or ("baseline" if against else "all")
    if family == "baseline" and not against:
        raise InputError.of("comparing.pairs_need_baseline", baseline=next(iter(named)))
    couples = pairs_of(list(named), [list(named).index(name) for name in against] if family == "baseline" else [])
    unit_label, units_of = units_of_queries(chance["unit"], chance["unit_name"], lined_up.ids)
    by_name: dict[str, Any] = {**chance}
    settings = Settings(
        **{
            name: by_name[name]
            for name in ("test", "correction", "level", "permutations", "resamples", "power", "best_set")
        },
        family=family,
        pairs=len(couples),
        baselines=len(against),
        interval=chance["interval"] or INVERTS.get(chance["test"], "t"),
        seed=int(chance["seed"]),
        unit=unit_label,
        version=__version__,
        paired=units_of is not None or shared_seeds(measured) is not None,
    )
    scoring = Scoring(measured, lined_up, units_of, couples, margins, settings, say)
    differences = tuple(difference for measure in chosen for difference in scoring.differences(measure))
    assisted = None
    if wing is not None and truth is not None:
        say(said("evaluating_machine"))
        machine = into_judgments(assisted_by, columns=columns)
        order = list(named)
        assisted = wing.assist(
            {name: system.evaluation for name, system in measured.items()},
            {
                name: measure_system(name, system, machine, asked, columns, about).evaluation
                for name, system in named.items()
            },
            design,
            judgments=(truth, machine),
            runs={name: system.sources[0] for name, system in measured.items() if len(system.sources) == 1},
            asked=asked,
            pairs=[(order[left], order[right]) for left, right in couples],
            level=chance["level"],
            correction=chance["correction"],
        )
    are_runs = all(system.sources for system in measured.values())
    notes += notes_about(scoring, differences)
    if next(iter(measured.values())).evaluation.facts.purpose == "recommendation":
        notes = [note.about_users() for note in notes]
    return Comparison(
        systems=tuple(named),
        baseline=against[0] if against else None,
        baselines=against,
        measures=tuple(chosen),
        evaluations={name: system.evaluation for name, system in measured.items()},
        runs={name: system.runs for name, system in measured.items()},
        ids=lined_up.ids,
        values=lined_up.shown,
        paired=lined_up.paired,
        samples=scoring.samples,
        units_of=units_of,
        scores=tuple(scoring.score(measure, name) for measure in chosen for name in named),
        differences=differences,
        quality={name: system.quality for name, system in measured.items()},
        notes=tuple(notes),
        settings=settings,
        slice_differences=slice_differences(scoring, units_of, say),
        inputs=None
        if truth is None or not are_runs
        else Inputs(truth, {name: system.sources for name, system in measured.items()}, about.catalogue, about.history),
        assisted=assisted,
        is_unjudged=truth is None and are_runs,
        seeds={name: system.seeds for name, system in measured.items()},
    )


def _evaluated_apart(
    named: dict[str, Repeats], asked: Asked, evaluated: Callable[..., Evaluation], calls: str | None
) -> dict[str, Repeats]:
    """The systems, those evaluated now whose runs or measures a wing evaluates in its own way."""
    is_apart = calls is not None or any(measure.about == "searches" for measure in asked.measures)

    def apart(name: str, run: object) -> object:
        if isinstance(run, Evaluation) or not (is_apart or is_foreign(run)):
            return run
        return evaluated(run, name=name).collect()

    return {
        name: replace(system, runs=tuple(apart(name, run) for run in system.runs)) for name, system in named.items()
    }


def _with_additions(again: partial[Comparison], *data: object, **stated: object) -> Comparison:
    """The comparison with what a wing adds to it."""
    wing = answering("evaluate.protocol")
    return cast(Comparison, wing.compare_with(again, *data, **stated, measures=again.keywords["measures"]))


def _baselines_of(baseline: str | Sequence[str] | None, named: Mapping[str, Repeats]) -> tuple[str, ...]:
    """The names of the baselines, once each."""
    given = [] if baseline is None else list(baseline) if isinstance(baseline, (list, tuple)) else [baseline]
    names = tuple(dict.fromkeys(map(str, given)))  # as the names of systems are
    for name in names:
        if name not in named:
            raise InputError.of("comparing.unknown_baseline", name=name, systems=examples(named))
    if len(names) == len(named):
        raise InputError.of("comparing.only_baselines", names=examples(names))
    return names


def _check_assisted(truth: Judgments | None, named: Mapping[str, Repeats], unit: object) -> None:
    """Refuse comparisons that a machine's judgments cannot assist."""
    if truth is None or any(isinstance(run, Evaluation) for system in named.values() for run in system.runs):
        raise InputError.of("comparing.assisted_needs_runs")
    if unit != "query":
        raise InputError.of(
            "comparing.assisted_by_query", option=Option("unit", unit if isinstance(unit, str) else None)
        )


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


__all__ = ["compare", "folds", "seeds"]
