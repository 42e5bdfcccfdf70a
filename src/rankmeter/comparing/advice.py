"""Which measures and cutoffs fit the data, and why: rules of thumb, and what only the data can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from rankmeter.comparing.notes import Label
from rankmeter.errors import InputError, check_choice, check_whole
from rankmeter.evaluating.asking import ask
from rankmeter.evaluating.evaluation import evaluate_placing
from rankmeter.evaluating.facts import PURPOSES, Purpose
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.result import Evaluation
from rankmeter.inputs.accepting import check_columns_of, into_judgments, into_run
from rankmeter.inputs.reading import Readings
from rankmeter.late import pl
from rankmeter.measures import Judged, Measure, into_measures
from rankmeter.placing.placements import Floats
from rankmeter.showing.document import Block, Heading, Paragraph, text_table
from rankmeter.showing.showable import Showable
from rankmeter.stats.rank_agreement import mean_spearman, tau, unit_ranks
from rankmeter.stats.student import Contrasts, sides
from rankmeter.wording import Said, kinds, of_its_lists, said

CUTOFFS = {"search": 10, "recommendation": 20}
"""How many items people look at: a page of results, a shelf of recommendations."""

ALIKE = 0.9
"""From this correlation on, two measures say the same."""
ENOUGH_SYSTEMS = 10
"""With fewer systems a correlation over systems is mostly chance."""
_CORRELATED = kinds("correlated_over_{}", ("queries", "systems"))
FEW_QUERIES = 50
HALVES = 1000
"""How many times the queries are split into halves."""


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What the data look like."""

    queries: int
    with_relevant: int
    grades: tuple[float, ...]
    """The distinct grades in the judgments, lowest first."""
    is_graded: bool
    """Whether there is more than one grade above 0."""
    relevant_median: float
    """The median number of relevant items, over queries that have any."""
    one_relevant: float
    """The share of those queries with exactly one."""
    has_nonrelevant: bool
    """Whether anything was judged not relevant, so that unjudged items can be distinguished from those."""
    systems: int
    length_median: float | None
    """The median length of the lists."""
    judged_share: Mapping[str, float]
    """For each run the share of the items within k that are judged."""


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
    """The share of the pairs of systems that a paired t test separates at 0.05, uncorrected."""
    stable: float | None
    """How often two random halves of the queries put two systems into the same order."""
    saturated: float
    """The share of values that are at the maximum; near 1 nothing is left to measure."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Two measures that say the same."""

    measures: tuple[str, str]
    correlation: float
    over: Literal["queries", "systems"]


@dataclass(frozen=True, slots=True, repr=False)
class Advice(Showable):
    """Which measures fit, how they behave on the runs, and what to watch out for."""

    k: int
    purpose: Purpose | None
    facts: DataFacts
    recommended: tuple[Recommendation, ...]
    behaviour: tuple[Behaviour, ...]
    alike: tuple[Alike, ...]
    notes: tuple[Said, ...]

    def told(self) -> list[Block]:
        """What the data look like, which measures fit and why, how they behave on the runs, what to watch out for."""
        rows = [(advised.measure, advised.why) for advised in self.recommended]
        blocks: list[Block] = list(map(Paragraph, self._facts()))
        blocks += [Heading(said("recommended")), text_table(("", ""), rows, ("text", "text"))]
        if self.behaviour:
            heads = ("", said("separates_pairs"), said("halves_agree"), said("at_maximum"))
            shares = [(row.measure, row.separates, row.stable, row.saturated) for row in self.behaviour]
            table = text_table(heads, shares, ("text", "share", "share", "share"), digits=0)
            blocks += [Heading(said("on_these_runs")), table]
        blocks += [Heading(said("say_the_same"))] if self.alike else []
        for pair in self.alike:
            a, b = pair.measures
            blocks.append(Paragraph(said(_CORRELATED[pair.over], a=a, b=b, correlation=pair.correlation), "item"))
        blocks += [Heading("", 1)] if self.notes else []
        return [*blocks, *(Paragraph(said("note", text=note), "note") for note in self.notes)]

    def _facts(self) -> list[Said]:
        facts, users = self.facts, self.purpose == "recommendation"
        judged = said("graded", grades=facts.grades) if facts.is_graded else said("binary")
        sentences = [
            said("facts_queries", queries=facts.queries, with_relevant=facts.with_relevant, kind=judged),
            said("facts_relevant", median=facts.relevant_median, one=facts.one_relevant),
        ]
        if facts.systems:
            lists = {"systems": facts.systems, "length": facts.length_median, "k": self.k}
            sentences.append(said("facts_lists" if users else "facts_runs", **lists, shares=facts.judged_share))
        return [sentence.about_users() for sentence in sentences] if users else sentences


@of_its_lists
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
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.
    seed
        Of the random halves of the queries, which show how stable the order of the runs is.

    Examples
    --------
    >>> from rankmeter import advise
    >>> advice = advise({f"q{i}": {f"d{i}": 1} for i in range(100)})
    >>> [one.measure for one in advice.recommended]
    ['RR@10', 'Success@10', 'nDCG@10']
    """
    check_choice("purpose", purpose, (None, *PURPOSES))
    if k is not None:
        check_whole("k", k, 1)
    if runs is not None and not isinstance(runs, Mapping):
        raise InputError.of("comparing.systems_by_name")
    check_columns_of(columns, judgments, *(runs or {}).values())
    given = into_judgments(judgments, columns=columns)
    truth = given.judgment_table()
    if purpose is None and Readings(given.how_read()).names_users:
        purpose = "recommendation"
    users = purpose == "recommendation"
    sources = {name: into_run(run, columns=columns).in_memory() for name, run in (runs or {}).items()}
    lengths = [length for run in sources.values() for length in run.run_table().query.value_counts()["count"]]
    length = float(np.median(lengths)) if lengths else None
    cutoff = k or CUTOFFS[purpose or "search"]

    def evaluated(measures: Sequence[Measure]) -> list[Evaluation]:
        return [evaluate_placing(into_pair(truth, run), ask(measures), name) for name, run in sources.items()]

    share: Measure = Judged(aggregate="pooled") @ cutoff
    shares = {ev.name: ev.means[share] for ev in evaluated([share])}
    facts = _data_facts(truth.query, truth.grade, length, shares)
    recommended = _recommended_to_users(facts, cutoff) if users else _recommended(facts, cutoff)
    proposed = into_measures([advised.measure for advised in recommended])
    asked = list(into_measures(measures)) if measures else []
    looked_at = list(dict.fromkeys([*(measure for measure in proposed if measure.about != "lists"), *asked]))
    evaluations = evaluated(looked_at)
    typed = {measure: advised.measure for measure, advised in zip(proposed, recommended, strict=True)}

    def label(measure: Measure) -> str:
        return typed.get(measure, str(measure))

    behaviour = _behaviour(evaluations, looked_at, label, seed) if sources else []
    alike = _orders_alike(evaluations, looked_at, label) if sources else []
    notes = [said("usual_cutoff")] if k is None and purpose is None else []
    notes += [said("short_lists", length=length, k=cutoff)] if length is not None and length < cutoff else []
    notes += _notes(facts, cutoff, behaviour, users=users)
    notes = [note.about_users() for note in notes] if users else notes
    return Advice(cutoff, purpose, facts, tuple(recommended), tuple(behaviour), tuple(alike), tuple(notes))


def _data_facts(query: pl.Series, grade: pl.Series, length: float | None, shares: Mapping[str, float]) -> DataFacts:
    frame = pl.DataFrame({"query": query, "grade": grade})
    relevant = frame.group_by("query").agg(count=(pl.col("grade") > 0).sum())["count"].to_numpy()
    positive = relevant[relevant > 0]
    grades = tuple(sorted(frame["grade"].unique().to_list()))
    return DataFacts(
        queries=len(relevant),
        with_relevant=len(positive),
        grades=grades[:20],
        is_graded=sum(value > 0 for value in grades) > 1,
        relevant_median=float(np.median(positive)) if len(positive) else 0.0,
        one_relevant=float((positive == 1).mean()) if len(positive) else 0.0,
        has_nonrelevant=any(value <= 0 for value in grades),
        systems=len(shares),
        length_median=length,
        judged_share=shares,
    )


def _recommended(facts: DataFacts, k: int) -> list[Recommendation]:
    highest = facts.grades[-1] if facts.grades else 1
    # Labels in 0..1 never reach the default threshold of 1.
    rel = "" if highest >= 1 else f"rel={highest:g}"
    own = f"({rel})" if rel else ""
    if facts.one_relevant >= 0.9:
        fitting = {
            f"RR{own}@{k}": said("why_one_relevant"),
            f"Success{own}@{k}": said("why_found_at_all"),
            f"nDCG@{k}": said("why_falls_gently"),
        }
        return [Recommendation(*advised) for advised in fitting.items()]
    fitting = {f"nDCG@{k}": said("why_graded" if facts.is_graded else "why_several_relevant")}
    if facts.is_graded and highest <= 8 and float(highest).is_integer():
        fitting[f"ERR(max_grade={int(highest)})@{k}"] = said("why_cascade")
    fitting[f"RR{own}@{k}"] = said("why_screen")
    if facts.relevant_median > k:
        fitting[f"P{own}@{k}"] = said("why_precision", median=facts.relevant_median, k=k)
        fitting[f"R({','.join(filter(None, ['norm=capped', rel]))})@{k}"] = said("why_capped_recall", k=k)
    else:
        fitting[f"R{own}@{k}"] = said("why_recall")
    fitting[f"AP{own}"] = said("why_whole_list")
    if facts.has_nonrelevant and any(share < 0.8 for share in facts.judged_share.values()):
        fitting |= {f"RBP{own}": said("why_true_bounds"), f"Bpref{own}": said("why_judged_only")}
    return [Recommendation(*advised) for advised in fitting.items()]


def _recommended_to_users(facts: DataFacts, k: int) -> list[Recommendation]:
    """Measures for the lists of users: of accuracy, and of what accuracy does not see."""
    threshold = rating_threshold(facts)
    rel = "" if threshold is None else f"(rel={threshold:g})"
    fitting = {
        f"HR{rel}": "why_hit_rate",
        f"Recall{rel}": "why_recall_of_taken",
        f"nDCG{rel}": "why_order_of_taken",
        "Coverage": "why_coverage",
        "Novelty": "why_novelty",
        "Calibration": "why_calibration",
    }
    return [Recommendation(f"{name}@{k}", said(why)) for name, why in fitting.items()]


def rating_threshold(facts: DataFacts) -> float | None:
    """The lowest rating that means "liked", four stars of five; None where grades are not ratings."""
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
    notes += [said("saturated", measure=row.measure, share=row.saturated) for row in behaviour if row.saturated > 0.8]
    if any(row.separates is not None for row in behaviour):
        notes.append(said("same_runs"))
    if 0 < facts.systems < ENOUGH_SYSTEMS:
        notes.append(said("few_systems", systems=facts.systems, enough=ENOUGH_SYSTEMS))
    return notes


def _values_by_system(evaluations: Sequence[Evaluation], measure: Measure) -> Floats:
    """(systems, queries) the values of the queries that count for every system; judged queries come first in all."""
    judged = evaluations[0].facts.judged
    parts = [ev.values[measure] for ev in evaluations]
    kept = np.logical_and.reduce([part.counted[:judged] & ~np.isnan(part.value[:judged]) for part in parts])
    return np.stack([part.value[:judged][kept] for part in parts])


def _behaviour(
    evaluations: Sequence[Evaluation], measures: Sequence[Measure], label: Label, seed: int
) -> list[Behaviour]:
    pairs = list(combinations(range(len(evaluations)), 2))
    behaviours = []
    for measure in measures:
        values = _values_by_system(evaluations, measure)
        saturated = float((values >= measure.bounds[1]).mean()) if values.size else 0.0
        if not pairs or values.shape[1] < 2:
            behaviours.append(Behaviour(label(measure), None, None, saturated))
            continue
        separates = float((Contrasts.paired(values, pairs).p() < 0.05).mean())
        behaviours.append(Behaviour(label(measure), separates, _stable(values, pairs, seed), saturated))
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
    left, right = sides(pairs)
    signs = [np.sign(np.round(part[:, left] - part[:, right], 12)) for part in (halves, other)]
    return float(np.where(signs[0] * signs[1] == 0, 0.5, signs[0] == signs[1]).mean())


def _orders_alike(evaluations: Sequence[Evaluation], measures: Sequence[Measure], label: Label) -> list[Alike]:
    """Pairs of measures that order queries alike within each system, or systems alike where there are enough."""
    judged = evaluations[0].facts.judged
    alike = []

    def shown(measure: Measure) -> Floats:
        values = [ev.values[measure] for ev in evaluations]
        return np.stack([np.where(of.counted, of.value, np.nan)[:judged] for of in values])

    for a, b in combinations(measures, 2):
        x, y = shown(a), shown(b)
        kept = ~np.isnan(x + y)
        over_queries = mean_spearman(unit_ranks(x, kept), unit_ranks(y, kept), kept)
        if over_queries >= ALIKE:
            alike.append(Alike((label(a), label(b)), over_queries, "queries"))
        if len(evaluations) >= ENOUGH_SYSTEMS:
            over_systems = float(tau(*(np.array([ev.means[measure] for ev in evaluations]) for measure in (a, b))))
            if over_systems >= ALIKE:
                alike.append(Alike((label(a), label(b)), over_systems, "systems"))
    return sorted(alike, key=lambda pair: -pair.correlation)
