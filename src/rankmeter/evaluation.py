"""The verb: plan what must be placed, place once, run the arithmetic.

``evaluate(judgments, run, measures)``: truth first, everywhere, as in trec_eval and scikit-learn.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from rankmeter.arithmetic import FORMULAS, Values, Views, aggregated, values_of
from rankmeter.errors import InputError, MeasureError, with_hint
from rankmeter.inputs import AnyJudgments, AnyRun, Dense, JudgmentTable, Labelled, into_judgments, into_run, is_spark
from rankmeter.inputs.columns import columns_of
from rankmeter.inputs.progress import Listener
from rankmeter.measures import Judged, Measure, RankedMeasure, into_measures, parse_measures, split_measures
from rankmeter.placing import PlacedRun, place_run
from rankmeter.placing.placements import Bools, Placements, Plan
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
    chosen = [_folded(measure, queries, duplicates) for measure in into_measures(measures)]
    if is_spark(judgments) or is_spark(run):
        from rankmeter.spark import evaluate_spark  # which needs pyarrow

        return evaluate_spark(judgments, run, chosen, _names(measures, chosen), columns, name, per_query_to)
    if per_query_to is not None:
        from rankmeter.to_file import evaluate_to_file

        return evaluate_to_file(judgments, run, chosen, _names(measures, chosen), columns, name, per_query_to, progress)
    placing = _placing(judgments, run, columns, progress)
    values: dict[Measure, Values] = {}
    bounds: dict[Measure, tuple[float, float]] = {}
    placed: PlacedRun | None = None
    facts: Facts | None = None
    for key, group in _by_placing(chosen).items():
        placed = placing.place(_plan(group, *key, wide=placing.wide))
        views = Views(placed.placements)
        facts = facts or _facts(placed, placing, _unjudged_at(group, views) if placing.wide else {})
        for measure in group:
            values[measure] = _values(measure, views, placed)
            if (extremes := _tie_bounds(measure, views, placed)) is not None:
                bounds[measure] = extremes
    if placed is None or facts is None:
        raise MeasureError("no measure was asked for.")
    return Evaluation(
        name=name,
        queries=placed.queries,
        values={measure: values[measure] for measure in chosen},
        means={measure: aggregated(values[measure], measure.aggregate) for measure in chosen},
        tie_bounds=bounds,
        asked=_names(measures, chosen),
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


def _names(measures: object, chosen: list[Measure]) -> dict[str, Measure]:
    """Which measure each text that was asked stands for, so that a result is found under either name."""
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    asked = dict(zip(into_measures(measures), chosen, strict=True))
    names = {str(measure): folded for measure, folded in asked.items()}
    given = [text for one in measures if isinstance(one, str) for text in split_measures(one)]  # type: ignore[attr-defined]
    for text in given:
        meant = parse_measures(text)
        if len(meant) == 1:
            names[text] = asked[meant[0]]
    return names


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
    return _Placing(partial(place_run, truth, returned), truth.source, returned.source, wide=_all_judged(truth))


def _already(placed: PlacedRun, plan: Plan) -> PlacedRun:
    """What was placed before, if it can serve the plan."""
    if plan.scores != "float64" or plan.unreturned:
        wanted = "scores=float32" if plan.scores != "float64" else "candidates=appended"
        raise MeasureError(f"{placed.source} was ranked already; {wanted} would need another placing.")
    return placed


def _by_placing(measures: list[Measure]) -> dict[tuple[str, str], list[Measure]]:
    """Measures that can share one placing: same precision of scores, same treatment of duplicates."""
    groups: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        groups.setdefault((getattr(measure, "scores", "float64"), measure.duplicates or "error"), []).append(measure)
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


def _values(measure: Any, views: Views, placed: PlacedRun) -> Values:
    _check(measure, placed)
    formula = FORMULAS[type(measure).name]
    parts = formula(views.of(measure), measure)
    return values_of(
        parts,
        empty=getattr(measure, "empty", "zero"),
        miss=getattr(measure, "miss", "zero"),
        chosen=_chosen(measure, placed.placements),
    )


def _check(measure: Measure, placed: PlacedRun) -> None:
    check_answerable(measure, scored=placed.scored, highest=placed.highest_grade)


def check_answerable(measure: Measure, *, scored: bool, highest: float) -> None:
    """Refuse what the data cannot answer."""
    if getattr(measure, "sign", "ignored") == "positive" and not scored:
        raise MeasureError(f"{measure} looks at the sign of scores, but the run has ranks only.")
    rel = getattr(measure, "rel", None)
    if rel is None and getattr(measure, "gain", "") == "binary":
        rel = 1
    if rel is not None and rel > highest > 0:
        raise MeasureError(
            with_hint(
                f"{measure} counts grades from {rel:g} on as relevant, but the highest grade judged is {highest:g}.",
                f"state the lowest relevant grade: {type(measure).name}(rel={highest:g})",
            )
        )


def _tie_bounds(measure: Measure, views: Views, placed: PlacedRun) -> tuple[float, float] | None:
    """The values under the worst and the best order of tied items, where ties can change the number."""
    if not isinstance(measure, RankedMeasure) or not (placed.placements.tied > 1).any():
        return None
    if measure.ties in ("worst", "best"):
        return None
    ends = []
    for ties in ("worst", "best"):
        other = measure(ties=ties)
        ends.append(aggregated(_values(other, views, placed), measure.aggregate))
    worst, best = ends
    return None if worst == best or math.isnan(worst) else (worst, best)


def _unjudged_at(measures: list[Measure], views: Views) -> dict[int, int]:
    """For each cutoff, how many items of judged queries carry no judgment."""
    ranked = [m for m in measures if isinstance(m, RankedMeasure)]
    cutoffs = sorted({m.cutoff for m in ranked if m.cutoff is not None and m.at == "cutoff"})
    ties = next((m.ties for m in ranked if m.ties not in ("mean", "shared")), "best")
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
