"""Which measures and which cutoffs fit the data, and why: rules that people know, and what only the data can tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from rankmeter.comparing.pooling import judged_share
from rankmeter.errors import InputError, check_language, check_whole
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.evaluation import check_purpose, evaluate_placing
from rankmeter.evaluating.facts import Purpose
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs import AnyRun, check_columns_of, into_judgments, into_run
from rankmeter.inputs.reading import Readings
from rankmeter.late import pl
from rankmeter.measures import Measure, into_measures
from rankmeter.measures.prose import Language
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Block
from rankmeter.showing.showable import Showable
from rankmeter.stats.rank_agreement import spearman
from rankmeter.stats.samples import Sample
from rankmeter.wording import Said, said

CUTOFFS = {"search": 10, "recommendation": 20}
"""How far people look: a page of results, a shelf of recommendations."""

ALIKE = 0.9
"""Measures whose values correlate at least so much say the same."""
ENOUGH_SYSTEMS = 10
"""Below this many systems a correlation over systems is an accident."""
FEW_QUERIES = 50
HALVES = 1000
"""How many times the queries are cut into halves."""


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What the data look like."""

    queries: int
    with_relevant: int
    grades: tuple[float, ...]
    """The different grades that were judged, lowest first."""
    is_graded: bool
    """Whether there is more than one grade above 0."""
    relevant_median: float
    """Relevant items per query that has any."""
    one_relevant: float
    """The share of those queries with exactly one."""
    has_nonrelevant: bool
    """Whether anything was judged not relevant, so that unjudged items can be distinguished from those."""
    systems: int
    length_median: float | None
    """How long the lists are."""
    judged_share: Mapping[str, float]
    """For each run the share of the items within k that carry a judgment."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A measure that fits, and why."""

    measure: str
    why: Said


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a measure behaves on these runs."""

    measure: str
    separates: float | None
    """The share of the pairs of systems that a paired t test tells apart at 0.05, uncorrected."""
    stable: float | None
    """How often two random halves of the queries put two systems into the same order."""
    saturated: float
    """The share of values that are as high as possible; near 1 nothing is left to measure."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Two measures that say the same."""

    measures: tuple[str, str]
    correlation: float
    over: Literal["queries", "systems"]


@dataclass(frozen=True, slots=True, repr=False)
class Advice(Showable):
    """Which measures fit, how those behave on the runs, and what to mind."""

    k: int
    purpose: Purpose | None
    facts: DataFacts
    recommended: tuple[Recommendation, ...]
    behaviour: tuple[Behaviour, ...]
    alike: tuple[Alike, ...]
    notes: tuple[Said, ...]

    def document(self, language: Language = "en") -> list[Block]:
        """What the data look like, which measures fit and why, how they behave on the runs, what to mind."""
        from rankmeter.report.advice_page import advice_document

        return advice_document(self, check_language(language))

    def text(self, language: Language = "en") -> str:
        """Everything in words, in one language."""
        return self.to_text(language)


def advise(
    judgments: object,
    runs: Mapping[str, object] | None = None,
    *,
    purpose: Purpose | None = None,
    k: int | None = None,
    measures: object = None,
    columns: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Advice:
    """Look at judgments and runs, and say which measures and which cutoff fit, and why.

    Parameters
    ----------
    judgments, runs
        As for :func:`rankmeter.compare`; runs may be left out.
    purpose
        ``search`` looks at the first 10, ``recommendation`` at the first 20. Without it 10, and said so.
    k
        Another cutoff.
    measures
        Measures to look at on the runs, beside those that are recommended.

    Examples
    --------
    >>> from rankmeter import advise
    >>> advice = advise({f"q{i}": {f"d{i}": 1} for i in range(100)})
    >>> [one.measure for one in advice.recommended]
    ['RR@10', 'Success@10', 'nDCG@10']
    """
    check_purpose(purpose)
    if k is not None:
        check_whole("k", k, 1)
    if runs is not None and not isinstance(runs, Mapping):
        raise InputError.of("comparing.systems_by_name")
    check_columns_of(columns, judgments, *(runs or {}).values())
    given = into_judgments(judgments, columns=columns)
    truth = given.judgment_table()
    if purpose is None and Readings(given.how_read()).names_users:
        purpose = "recommendation"
    sources: dict[str, AnyRun] = {}
    for name, run in (runs or {}).items():
        source = into_run(run, columns=columns)
        sources[name] = source.in_memory()
    lengths = _lengths(list(sources.values()))
    cutoff, notes = _cutoff(purpose, k, lengths)
    facts = _facts(truth.query, truth.grade, lengths, len(sources), judged_share(truth, sources, cutoff))
    users = purpose == "recommendation"
    recommended = _recommended_to_users(facts, cutoff) if users else _recommended(facts, cutoff)
    proposed = into_measures([one.measure for one in recommended])
    asked = list(into_measures(measures)) if measures else []
    looked_at = list(dict.fromkeys([*(one for one in proposed if one.about != "lists"), *asked]))
    behaviour: list[Behaviour] = []
    alike: list[Alike] = []
    if sources:
        evaluations = [evaluate_placing(into_pair(truth, run), ask(looked_at), name) for name, run in sources.items()]
        typed = {str(made): one.measure for made, one in zip(proposed, recommended, strict=True)}
        behaviour = [replace(one, measure=typed.get(one.measure, one.measure))
                     for one in _behaviour(evaluations, looked_at, seed)]  # fmt: skip
        alike = [replace(one, measures=(typed.get(one.measures[0], one.measures[0]),
                                        typed.get(one.measures[1], one.measures[1])))
                 for one in _alike(evaluations, looked_at)]  # fmt: skip
    notes += _notes(facts, cutoff, behaviour, users=users)
    notes = [note.about_users() for note in notes] if users else notes
    return Advice(cutoff, purpose, facts, tuple(recommended), tuple(behaviour), tuple(alike), tuple(notes))


def _lengths(runs: Sequence[AnyRun]) -> float | None:
    sizes: list[int] = []
    for run in runs:
        table = run.run_table()
        sizes += table.query.value_counts()["count"].to_list()
    return float(np.median(sizes)) if sizes else None


def _cutoff(purpose: Purpose | None, k: int | None, length: float | None) -> tuple[int, list[Said]]:
    notes = []
    cutoff = k or CUTOFFS[purpose or "search"]
    if k is None and purpose is None:
        notes.append(said("usual_cutoff"))
    if length is not None and length < cutoff:
        notes.append(said("short_lists", length=length, k=cutoff))
    return cutoff, notes


def _facts(
    query: pl.Series, grade: pl.Series, length: float | None, systems: int, shares: Mapping[str, float]
) -> DataFacts:
    frame = pl.DataFrame({"query": query, "grade": grade})
    relevant = frame.group_by("query").agg(count=(pl.col("grade") > 0).sum())["count"].to_numpy()
    some = relevant[relevant > 0]
    grades = tuple(sorted(frame["grade"].unique().to_list()))
    return DataFacts(
        queries=len(relevant),
        with_relevant=len(some),
        grades=grades[:20],
        is_graded=sum(value > 0 for value in grades) > 1,
        relevant_median=float(np.median(some)) if len(some) else 0.0,
        one_relevant=float((some == 1).mean()) if len(some) else 0.0,
        has_nonrelevant=any(value <= 0 for value in grades),
        systems=systems,
        length_median=length,
        judged_share=shares,
    )


def _recommended(facts: DataFacts, k: int) -> list[Recommendation]:
    highest = facts.grades[-1] if facts.grades else 1
    # Labels in 0..1 never reach the default threshold of 1.
    rel = "" if highest >= 1 else f"(rel={highest:g})"
    if facts.one_relevant >= 0.9:
        return [
            Recommendation(f"RR{rel}@{k}", said("why_one_relevant")),
            Recommendation(f"Success{rel}@{k}", said("why_found_at_all")),
            Recommendation(f"nDCG@{k}", said("why_falls_gently")),
        ]
    recommended = [Recommendation(f"nDCG@{k}", said("why_graded" if facts.is_graded else "why_several_relevant"))]
    if facts.is_graded and highest <= 8 and float(highest).is_integer():
        recommended.append(Recommendation(f"ERR(max_grade={int(highest)})@{k}", said("why_cascade")))
    recommended.append(Recommendation(f"RR{rel}@{k}", said("why_screen")))
    if facts.relevant_median > k:
        options = f"norm=capped{',' + rel[1:-1] if rel else ''}"
        recommended.append(Recommendation(f"P{rel}@{k}", said("why_precision", median=facts.relevant_median, k=k)))
        recommended.append(Recommendation(f"R({options})@{k}", said("why_capped_recall", k=k)))
    else:
        recommended.append(Recommendation(f"R{rel}@{k}", said("why_recall")))
    recommended.append(Recommendation(f"AP{rel}", said("why_whole_list")))
    if facts.has_nonrelevant and any(share < 0.8 for share in facts.judged_share.values()):
        recommended.append(Recommendation(f"RBP{rel}", said("why_true_bounds")))
        recommended.append(Recommendation(f"Bpref{rel}", said("why_judged_only")))
    return recommended


def _recommended_to_users(facts: DataFacts, k: int) -> list[Recommendation]:
    """What the lists of users are measured by: what they took, and what accuracy alone does not see."""
    threshold = rating_threshold(facts)
    rel = "" if threshold is None else f"(rel={threshold:g})"
    return [
        Recommendation(f"HR{rel}@{k}", said("why_hit_rate")),
        Recommendation(f"Recall{rel}@{k}", said("why_recall_of_taken")),
        Recommendation(f"nDCG{rel}@{k}", said("why_order_of_taken")),
        Recommendation(f"Coverage@{k}", said("why_coverage")),
        Recommendation(f"Novelty@{k}", said("why_novelty")),
        Recommendation(f"Calibration@{k}", said("why_calibration")),
    ]


def rating_threshold(facts: DataFacts) -> float | None:
    """The lowest rating of those who liked an item, four stars of five; None where grades are not ratings."""
    highest = max(facts.grades, default=0.0)
    return round(highest * 0.8) if facts.is_graded and highest >= 3 else None


def _notes(facts: DataFacts, k: int, behaviour: Sequence[Behaviour], *, users: bool) -> list[Said]:
    notes = []
    if users and (threshold := rating_threshold(facts)) is not None:
        lowest = min(grade for grade in facts.grades if grade > 0)
        notes.append(said("rating_threshold", highest=facts.grades[-1], rel=threshold, lowest=lowest))
    if facts.queries < FEW_QUERIES:
        notes.append(said("few_queries", count=facts.queries))
    if facts.with_relevant < facts.queries:
        notes.append(said("some_without_relevant", count=facts.queries - facts.with_relevant))
    low = {name: share for name, share in facts.judged_share.items() if share < 0.8}
    if low and facts.has_nonrelevant and not users:
        notes.append(said("few_items_judged", k=k, shares=low))
    if not facts.has_nonrelevant and not users:
        notes.append(said("only_relevant_judged"))
    notes += [said("saturated", measure=one.measure, share=one.saturated) for one in behaviour if one.saturated > 0.8]
    if any(one.separates is not None for one in behaviour):
        notes.append(said("same_runs"))
    if 0 < facts.systems < ENOUGH_SYSTEMS:
        notes.append(said("few_systems", systems=facts.systems, enough=ENOUGH_SYSTEMS))
    return notes


def _values(evaluations: Sequence[Evaluation], measure: Measure) -> Floats:
    """(systems, queries) the values of the queries that count for every system; judged queries come first in all."""
    judged = evaluations[0].facts.judged
    parts = [ev.values[measure] for ev in evaluations]
    kept = np.logical_and.reduce([part.counted[:judged] & ~np.isnan(part.value[:judged]) for part in parts])
    return np.stack([part.value[:judged][kept] for part in parts])


def _behaviour(evaluations: Sequence[Evaluation], measures: Sequence[Measure], seed: int) -> list[Behaviour]:
    pairs = list(combinations(range(len(evaluations)), 2))
    behaviours = []
    for measure in measures:
        values = _values(evaluations, measure)
        saturated = float((values >= measure.bounds[1]).mean()) if values.size else 0.0
        if not pairs or values.shape[1] < 2:
            behaviours.append(Behaviour(str(measure), None, None, saturated))
            continue
        sample = Sample.of_values(values)
        chances = sample.contrasts(pairs).p()
        behaviours.append(
            Behaviour(str(measure), float((chances < 0.05).mean()), _stable(values, pairs, seed), saturated)
        )
    return behaviours


def _stable(values: Floats, pairs: Sequence[tuple[int, int]], seed: int) -> float:
    """How often two random halves of the queries put two systems into the same order; a draw counts half."""
    random = np.random.default_rng(seed)
    size = values.shape[1]
    half = size // 2
    first = np.zeros((HALVES, size))
    for row in first:
        row[random.permutation(size)[:half]] = 1.0
    halves = first @ values.T
    other = values.sum(axis=1) - halves
    left, right = (np.array(side) for side in zip(*pairs, strict=True))
    signs = [np.sign(np.round(part[:, left] - part[:, right], 12)) for part in (halves, other)]
    return float(np.where(signs[0] * signs[1] == 0, 0.5, signs[0] == signs[1]).mean())


def _alike(evaluations: Sequence[Evaluation], measures: Sequence[Measure]) -> list[Alike]:
    """Pairs of measures that order queries alike within each system, or systems alike where there are enough."""
    from scipy.stats import kendalltau  # loaded only for statistics

    judged = evaluations[0].facts.judged
    alike = []
    for a, b in combinations(measures, 2):
        over: list[float] = []
        for ev in evaluations:
            x, y = (ev.values[m] for m in (a, b))
            kept = x.counted[:judged] & y.counted[:judged]
            rho = spearman(*(values.value[:judged][kept] for values in (x, y))) if kept.sum() > 2 else math.nan
            over += [] if math.isnan(rho) else [rho]
        if over and np.mean(over) >= ALIKE:
            alike.append(Alike((str(a), str(b)), float(np.mean(over)), "queries"))
        if len(evaluations) >= ENOUGH_SYSTEMS:
            tau = float(kendalltau([ev.means[a] for ev in evaluations], [ev.means[b] for ev in evaluations]).statistic)
            if tau >= ALIKE:
                alike.append(Alike((str(a), str(b)), tau, "systems"))
    return sorted(alike, key=lambda values: -values.correlation)
