"""The verb: plan what must be placed, place once, run the arithmetic.

``evaluate(judgments, run, measures)``: truth first, everywhere, as in trec_eval and scikit-learn.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from rankmeter.arithmetic import FORMULAS, Values, Views, aggregated, values_of
from rankmeter.errors import InputError, MeasureError, RankmeterWarning, with_hint
from rankmeter.inputs import AnyJudgments, AnyRun, Dense, JudgmentTable, Labelled, into_judgments, into_run, is_spark
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.progress import Listener
from rankmeter.measures import Judged, Measure, RankedMeasure, into_measures, split_measures
from rankmeter.measures.dialects import find_dialect
from rankmeter.placing import PlacedRun, place_run
from rankmeter.placing.placements import Bools, Placements, Plan, Subtopics
from rankmeter.placing.subtopics import numbered_items, without_subtopics
from rankmeter.results import Evaluation, Facts

QueryPolicy = Literal["judged", "common", "run"]
DuplicatePolicy = Literal["error", "first", "best", "counted"]
MOST_JUDGED = 2_000_000
"""Up to how many judgments those of items not relevant are placed for the count of unjudged items alone."""


def evaluate(
    judgments: object,
    run: object = None,
    measures: object = ("nDCG@10", "AP", "RR"),
    *,
    queries: QueryPolicy | None = None,
    duplicates: DuplicatePolicy | None = None,
    columns: Mapping[str, str] | None = None,
    dialect: str | None = None,
    name: str = "run",
    per_query_to: str | os.PathLike[str] | None = None,
    progress: Listener | None = None,
) -> Evaluation:
    """Measure a run against judgments.

    Parameters
    ----------
    judgments
        What is true: ``{query: {item: grade}}``, ``{query: set or list of relevant items}``, a frame, a file's path, or
        what one of the constructors makes (``arrays``, ``ranked_grades``).
    run
        What a system returned: ``{query: {item: score}}``, ``{query: [items, best first]}``, a frame or a file's path.
        Left out where the judgments carry the list themselves (``ranked_grades``, ``read_labelled``).
    measures
        One or several, as text (``"nDCG@10"``) or values (``nDCG @ 10``).
    queries
        Whose values are averaged: ``judged`` all judged queries, one absent from the run counting as an empty list;
        ``common`` those judged and run; ``run`` all of the run. A measure may state its own.
    duplicates
        What to do with an item that a list holds twice: ``error``, ``first``, ``best`` or ``counted``.
    columns
        Where frames and tables have unusual column names: ``{"item": "docid_x"}``; ``run.item`` and
        ``judgments.item`` name a column of one side only.
    dialect
        Whose metric names the measures are, so that that tool's numbers come out: ``"recbole"``, ``"trec_eval:9,c"``.
    name
        How the result calls the system.
    per_query_to
        Write the values per query to this Parquet file (the one that `Evaluation.save` writes) while the run is read,
        and keep none in memory; the result loads them when they are asked for.
    progress
        Called with a `Progress` (rows, fraction, seconds left) after each block of a run that is read from files.

    Examples
    --------
    >>> import rankmeter as rm
    >>> judgments = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
    >>> run = {"q1": {"a": 0.9, "x": 0.8, "b": 0.7}, "q2": {"x": 0.5, "c": 0.4}}
    >>> ev = rm.evaluate(judgments, run, ["nDCG@10", "RR"])
    >>> ev["RR"]
    0.75
    >>> ev.per_query["RR"].to_list()
    [1.0, 0.5]
    """
    names, chosen = _asked(measures, dialect, queries, duplicates)
    if is_spark(judgments) or is_spark(run):
        from rankmeter.spark import evaluate_spark  # which needs pyarrow

        return evaluate_spark(judgments, run, chosen, names, columns, name, per_query_to, strict=dialect is None)
    if per_query_to is not None:
        from rankmeter.to_file import evaluate_to_file

        return evaluate_to_file(judgments, run, chosen, names, columns, name, per_query_to, progress, dialect=dialect)
    placing = _placing(judgments, run, columns, progress)
    values: dict[Measure, Values] = {}
    bounds: dict[Measure, tuple[float, float]] = {}
    placed: PlacedRun | None = None
    facts: Facts | None = None
    for key, group in _by_placing(chosen).items():
        placed, subtopics = placing.both(_plan(group, *key[:2], wide=placing.wide), diverse=key[2])
        views = Views(placed.placements, subtopics)
        facts = facts or _facts(placed, placing, _unjudged_at(group, views) if placing.wide else {})
        for measure in group:
            values[measure] = _values(measure, views, placed, strict=dialect is None)
            if (extremes := _tie_bounds(measure, views, placed, strict=dialect is None)) is not None:
                bounds[measure] = extremes
    if placed is None or facts is None:
        raise MeasureError("no measure was asked for.")
    return Evaluation(
        name=name,
        queries=placed.queries,
        values={measure: values[measure] for measure in chosen},
        means={measure: aggregated(values[measure], measure.aggregate) for measure in chosen},
        tie_bounds=bounds,
        asked=names,
        facts=facts,
    )


def value(measure: str | Measure, *, grades: object) -> float:
    """The value of one measure for one list, given as grades in ranked order.

    Examples
    --------
    >>> value("nDCG@5", grades=[3, 2, 3, 0, 1])
    0.9723...
    """
    from rankmeter.inputs import ranked_grades

    result = evaluate(ranked_grades([grades]), measures=[measure])
    return next(iter(result.mean.values()))


def _asked(
    measures: object, dialect: str | None, queries: QueryPolicy | None, duplicates: DuplicatePolicy | None
) -> tuple[dict[str, Measure], list[Measure]]:
    """Which measure each text that was asked stands for, so that a result is found under either name; and all of them.

    The options of the call are put into measures that do not state their own; those of a dialect are no statement of
    the caller's, so the call's options come before them.
    """
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    texts: dict[str, Measure] = {}
    for one in measures:  # type: ignore[attr-defined]
        if dialect is not None and isinstance(one, str):
            spoken = find_dialect(dialect).measures(one)
            texts |= {text: _overruled(measure, queries, duplicates) for text, measure in spoken.items()}
            continue
        for text in split_measures(one) if isinstance(one, str) else [one]:
            meant = {str(measure): _folded(measure, queries, duplicates) for measure in into_measures(text)}
            if isinstance(text, str) and len(meant) == 1:
                texts[text] = next(iter(meant.values()))
            texts |= meant
    if not texts:
        raise MeasureError(with_hint("no measure was asked for.", "evaluate(judgments, run, ['nDCG@10', 'AP'])"))
    return texts, list(dict.fromkeys(texts.values()))


def _overruled(measure: Measure, queries: QueryPolicy | None, duplicates: DuplicatePolicy | None) -> Measure:
    """Put the options of the call into a measure, whatever it states."""
    if queries is not None:
        measure = measure(queries=None)
    if duplicates is not None:
        measure = measure(duplicates=None)
    return _folded(measure, queries, duplicates)


def _folded(measure: Measure, queries: QueryPolicy | None, duplicates: DuplicatePolicy | None) -> Measure:
    """Put the options of the call into a measure that does not state its own."""
    changes: dict[str, Any] = {}
    if queries is not None and measure.queries is None:
        changes["queries"] = None if queries == "judged" else queries
    if duplicates is not None and measure.duplicates is None:
        changes["duplicates"] = None if duplicates == "error" else duplicates
    return measure(**changes) if changes else measure


@dataclass(frozen=True, slots=True)
class _Placing:
    """How to place what was given, once the plan is known."""

    place: Callable[[Plan], PlacedRun]
    judgments: str
    run: str
    wide: bool
    """Whether items judged not relevant are placed too, to count what is unjudged."""
    subtopics: Subtopics | None = None
    numbered: Callable[[Plan], PlacedRun] | None = None
    """How to place with numbers of items for grades; None where the judgments have no subtopics."""

    def both(self, plan: Plan, *, diverse: bool) -> tuple[PlacedRun, Subtopics | None]:
        """Place for measures of diversity or for others."""
        if not diverse:
            return self.place(plan), None
        if self.numbered is None:
            raise MeasureError(
                with_hint(
                    f"measures of diversity need subtopics, and {self.judgments} has none.",
                    "give {query: {item: {subtopic: grade}}}, a subtopic column, or for TREC diversity judgments "
                    "columns={'subtopic': 'iteration'}",
                )
            )
        return self.numbered(plan), self.subtopics


def _placing(
    judgments: object, run: object, columns: Mapping[str, str] | None, progress: Listener | None = None
) -> _Placing:
    ready = getattr(judgments, "placed", None)
    if isinstance(ready, PlacedRun) or isinstance(judgments, Labelled):
        if run is not None:
            raise InputError(f"{type(judgments).__name__} carries its run; give it alone, or judgments and a run.")
        if isinstance(ready, PlacedRun):
            return _Placing(partial(_already, ready), ready.source, ready.source, wide=False)
    elif run is None:
        raise InputError(with_hint("no run was given.", "evaluate(judgments, run, measures): truth first"))
    truth: AnyJudgments
    returned: AnyRun
    if isinstance(judgments, Labelled):
        truth, returned = judgments.judgments, judgments.run
    else:
        truth = into_judgments(judgments, columns=columns_of(columns, "judgments"))
        returned = into_run(run, columns=columns_of(columns, "run"), progress=progress)
    subtopics, numbered = None, None
    if isinstance(truth, JudgmentTable) and truth.subtopic is not None:
        items, subtopics = numbered_items(truth)
        numbered = partial(place_run, items, returned)
        truth = without_subtopics(truth)
    wide = _all_judged(truth)
    return _Placing(partial(place_run, truth, returned), truth.source, returned.source, wide, subtopics, numbered)


def _already(placed: PlacedRun, plan: Plan) -> PlacedRun:
    """What was placed before, if it can serve the plan."""
    if plan.scores != "float64" or plan.unreturned:
        wanted = "scores=float32" if plan.scores != "float64" else "candidates=appended"
        raise MeasureError(f"{placed.source} was ranked already; {wanted} would need another placing.")
    return placed


def _by_placing(measures: list[Measure]) -> dict[tuple[str, str, bool], list[Measure]]:
    """Measures that can share one placing: same precision of scores, same treatment of duplicates, both of subtopics."""
    groups: dict[tuple[str, str, bool], list[Measure]] = {}
    for measure in measures:
        key = (
            getattr(measure, "scores", "float64"),
            measure.duplicates or "error",
            getattr(measure, "subtopics", False),
        )
        groups.setdefault(key, []).append(measure)
    return groups


def _all_judged(truth: AnyJudgments) -> bool:
    """Whether items judged not relevant are placed too, to count what is unjudged; not where they are very many.

    In a matrix every item is judged, so there is nothing to count.
    """
    if isinstance(truth, Dense):
        return False
    rows = len(truth.query) if isinstance(truth, JudgmentTable) else sum(map(len, truth.data.values()))
    return rows <= MOST_JUDGED


def _plan(measures: list[Measure], scores: str, duplicates: str, *, wide: bool) -> Plan:
    """The least that must be placed for these measures."""
    ranked = [measure for measure in measures if isinstance(measure, RankedMeasure)]
    wide |= any(m.places_judged or m.unjudged == "removed" or m.candidates == "appended" for m in ranked)
    rules = {m.ties for m in ranked}
    # How deep a list matters is known only where every measure cuts it and none asks for the rest of it.
    cuts = [m.cutoff for m in ranked if m.candidates == "all" and m.unjudged == "nonrelevant" and _cuts(m)]
    return Plan(
        lowest_grade=-math.inf if wide else min((m.lowest_grade for m in ranked), default=math.inf),
        ids=bool(rules & {"item", "item-ascending"}),
        order=bool(rules & {"input", "reversed"}),
        unreturned=any(m.candidates == "appended" for m in ranked),
        depth=max(cuts) if cuts and len(cuts) == len(ranked) else None,  # type: ignore[type-var]
        totals=any(m.needs_total for m in ranked),
        scores=scores,  # type: ignore[arg-type]
        duplicates=duplicates,  # type: ignore[arg-type]
    )


def _cuts(measure: RankedMeasure) -> bool:
    """Whether nothing behind the cutoff can change the value."""
    return (
        measure.cutoff is not None
        and getattr(measure, "norm", "") != "found"
        and getattr(measure, "ideal", "judged") in ("judged", "top", "full")
    )


def _chosen(measure: Measure, placements: Placements) -> Bools:
    """Which queries a measure is about."""
    if measure.queries == "common":
        return placements.is_judged & placements.in_run
    if measure.queries == "run":
        return placements.in_run
    return placements.is_judged


def _values(measure: Any, views: Views, placed: PlacedRun, *, strict: bool = True) -> Values:
    check_answerable(measure, scored=placed.scored, highest=placed.highest_grade, strict=strict)
    return values_under(measure, views)


def values_under(measure: Any, views: Views) -> Values:
    """The values of a measure for placed queries, whatever else there is to say of them."""
    parts = FORMULAS[type(measure).name](views.of(measure), measure)
    return values_of(
        parts,
        empty=getattr(measure, "empty", "zero"),
        miss=getattr(measure, "miss", "zero"),
        chosen=_chosen(measure, views.placements),
        blank=getattr(measure, "blank", "counted"),
        listless=_listless(measure, views.placements),
    )


def _listless(measure: Any, placements: Placements) -> Bools:
    """Which queries have an empty list; items appended behind it make it one that is not."""
    empty = placements.returned == 0
    if getattr(measure, "candidates", "all") == "appended":
        empty &= np.bincount(placements.query, minlength=len(placements)) == 0
    return empty


def check_answerable(measure: Measure, *, scored: bool, highest: float, strict: bool) -> None:
    """Refuse what the data cannot answer; where a tool's own number is asked for (not ``strict``), only say so."""
    if getattr(measure, "sign", "ignored") == "positive" and not scored:
        raise MeasureError(f"{measure} looks at the sign of scores, but the run has ranks only.")
    rel = getattr(measure, "rel", None)
    if rel is None and getattr(measure, "gain", "") == "binary":
        rel = 1
    if rel is not None and rel > highest > 0:
        fact = f"{measure} counts grades from {rel:g} on as relevant, but the highest grade judged is {highest:g}."
        if strict:
            raise MeasureError(
                with_hint(fact, f"state the lowest relevant grade: {type(measure).name}(rel={highest:g})")
            )
        warnings.warn(fact, RankmeterWarning, stacklevel=4)


def _tie_bounds(measure: Measure, views: Views, placed: PlacedRun, *, strict: bool) -> tuple[float, float] | None:
    """The values under the worst and the best order of tied items, where ties can change the number."""
    if not isinstance(measure, RankedMeasure) or not (placed.placements.tied > 1).any():
        return None
    if measure.ties in ("worst", "best") or "worst" not in measure.tie_rules:
        return None
    ends = []
    for ties in ("worst", "best"):
        other = measure(ties=ties)
        ends.append(aggregated(_values(other, views, placed, strict=strict), measure.aggregate))
    worst, best = ends
    return None if worst == best or math.isnan(worst) else (worst, best)


def _unjudged_at(measures: list[Measure], views: Views) -> dict[int, int]:
    """For each cutoff, how many items of judged queries carry no judgment."""
    ranked = [m for m in measures if isinstance(m, RankedMeasure)]
    cutoffs = sorted({m.cutoff for m in ranked if m.cutoff is not None and m.at == "cutoff"})
    ties = next((m.ties for m in ranked if m.ties not in ("mean", "shared", "middle")), "best")
    counts = {}
    for cutoff in cutoffs:
        judged: Any = Judged(ties=ties) @ cutoff
        parts = FORMULAS["Judged"](views.of(judged), judged)
        counts[cutoff] = int((parts.denominator - parts.numerator)[views.placements.is_judged].sum())
    return counts


def _facts(placed: PlacedRun, placing: _Placing, unjudged_at: dict[int, int]) -> Facts:
    """Counts of what was evaluated."""
    placements = placed.placements
    judged, in_run = placements.is_judged, placements.in_run
    highest = np.full(len(placements), -np.inf)
    has = np.diff(placements.best_offsets) > 0
    highest[has] = placements.best[placements.best_offsets[:-1][has]]
    return Facts(
        judged=int(judged.sum()),
        in_run=int(in_run.sum()),
        missing=int((judged & ~in_run).sum()),
        unjudged=int((in_run & ~judged).sum()),
        without_relevant=int((judged & (highest <= 0)).sum()),
        returned=int(placements.returned.sum()),
        unjudged_at=unjudged_at,
        judgments=placing.judgments,
        run=placing.run,
    )
