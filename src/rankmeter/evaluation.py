"""The verb: plan what must be placed, place once, run the arithmetic.

``evaluate(judgments, run, measures)``: truth first, everywhere, as in trec_eval and scikit-learn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmeter.arithmetic import FORMULAS, Values, Views, aggregated, values_of
from rankmeter.errors import InputError, MeasureError, with_hint
from rankmeter.inputs import AnyJudgments, AnyRun, Dense, JudgmentTable, Labelled, RunFile, into_judgments, into_run
from rankmeter.inputs.columns import columns_of
from rankmeter.measures import Judged, Measure, RankedMeasure, into_measures, parse_measures, split_measures
from rankmeter.measures.slates import SlateMeasure
from rankmeter.placing import PlacedRun, place_run, place_unjudged, run_table, whole
from rankmeter.placing.placements import Bools, Placements, Plan
from rankmeter.results import Evaluation, Facts

if TYPE_CHECKING:
    import polars as pl

    from rankmeter.arithmetic.slates import Whole
    from rankmeter.catalogue import Catalogue, History
    from rankmeter.slating import Given
    from rankmeter.slices import Slices

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
    catalogue: object = None,
    history: object = None,
    by: object = None,
    name: str = "run",
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
    catalogue
        The items that could be recommended, for measures of lists: ids, a frame, a file, or a
        :class:`rankmeter.Catalogue` with what is known of them. Measures of lists that need no judgments are also
        computed with ``judgments=None``.
    history
        What users took before: ``{user: [items]}``, a frame or a file of interactions.
    by
        Slices for every measure: ``{query: segment}``, a frame or file with a row per query, or one of ``activity``,
        ``cold-users``, ``popularity``, ``cold-items``, ``group``, or a column of the catalogue; or several of these.
    name
        How the result calls the system.

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
    items, before = _about_items(catalogue, history, columns)
    asked = into_measures(measures) if items is None else _for_each_group(into_measures(measures), items)
    chosen = [_folded(measure, queries, duplicates) for measure in asked]
    placing = _placing(judgments, run, columns)
    listed = [measure for measure in chosen if isinstance(measure, SlateMeasure)]
    ranked = [measure for measure in [*chosen, *_compared(listed)] if not isinstance(measure, SlateMeasure)]
    _check_given(chosen, placing, items, before, by)
    values: dict[Measure, Values] = {}
    bounds: dict[Measure, tuple[float, float]] = {}
    placed: PlacedRun | None = None
    facts: Facts | None = None
    for key, group in _by_placing(ranked).items():
        placed = placing.place(_plan(group, *key, wide=placing.wide))
        views = Views(placed.placements)
        facts = facts or _facts(placed, placing, _unjudged_at(group, views) if placing.wide else {})
        for measure in group:
            values[measure] = _values(measure, views, placed)
            if (extremes := _tie_bounds(measure, views, placed)) is not None:
                bounds[measure] = extremes
    if placed is None or facts is None:
        placed = placing.place(Plan(lowest_grade=math.ulp(0.0), ids=False, order=False, duplicates="first"))
        facts = _facts(placed, placing, {})
    means = {measure: aggregated(values[measure], measure.aggregate) for measure in ranked}
    wholes: Mapping[Measure, Whole] = {}
    slices: Mapping[str, Slices] = {}
    if listed or by is not None:
        from rankmeter.listing import measure_lists  # only for lists and slices

        given = placing.given(items, before)
        found = measure_lists(given, placed, listed, chosen, values, by, partial(_again, placing, ranked))
        values, means = {**values, **found.values}, {**means, **found.means}
        wholes, slices = found.wholes, found.slices
        facts = replace(facts, notes=found.notes)
    return Evaluation(
        name=name,
        queries=placed.queries,
        values={measure: values[measure] for measure in chosen},
        means={measure: means[measure] for measure in chosen},
        tie_bounds=bounds,
        asked=_names(measures, asked, chosen),
        facts=facts,
        wholes=wholes,
        slices=slices,
    )


def _about_items(
    catalogue: object, history: object, columns: Mapping[str, str] | None
) -> tuple[Catalogue | None, History | None]:
    if catalogue is None and history is None:
        return None, None
    from rankmeter.catalogue import into_catalogue, into_history  # only where they are given

    return (
        None if catalogue is None else into_catalogue(catalogue),
        None if history is None else into_history(history, columns=columns_of(columns, "judgments")),
    )


def _for_each_group(measures: list[Measure], catalogue: Catalogue) -> list[Measure]:
    from rankmeter.listing import for_each_group

    return for_each_group(measures, catalogue)


def _compared(listed: list[SlateMeasure]) -> list[Measure]:
    """The measures that segment gaps are about."""
    gaps = [measure for measure in listed if type(measure).name == "SegmentGap"]
    if not gaps:
        return []
    from rankmeter.listing import compared_by

    return [compared_by(measure) for measure in gaps]


def _check_given(
    measures: list[Measure], placing: _Placing, catalogue: Catalogue | None, history: History | None, by: object
) -> None:
    is_unjudged = placing.truth is None and placing.returned is not None
    if not is_unjudged and not any(isinstance(measure, SlateMeasure) for measure in measures):
        return
    from rankmeter.slating import check_needs

    check_needs(measures, placing.given(catalogue, history), has_segments=by is not None)


def _again(placing: _Placing, measures: list[Measure], part: JudgmentTable) -> dict[Measure, tuple[pl.Series, Values]]:
    """The values of the placed measures against some of the judgments."""
    made: dict[Measure, tuple[pl.Series, Values]] = {}
    for key, group in _by_placing(measures).items():
        placed = place_run(part, placing.table(), _plan(group, *key, wide=False))
        views = Views(placed.placements)
        made.update({m: (placed.queries, _values(m, views, placed, checked=False)) for m in group})
    return made


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


def _names(measures: object, made: list[Measure], chosen: list[Measure]) -> dict[str, Measure]:
    """Which measure each text that was asked stands for, so that a result is found under either name."""
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    asked = dict(zip(made, chosen, strict=True))
    names = {str(measure): folded for measure, folded in asked.items()}
    given = [text for one in measures if isinstance(one, str) for text in split_measures(one)]  # type: ignore[attr-defined]
    for text in given:
        meant = parse_measures(text)
        if len(meant) == 1 and meant[0] in asked:
            names[text] = asked[meant[0]]
    return names


def _folded(measure: Measure, queries: QueryPolicy | None, duplicates: DuplicatePolicy | None) -> Measure:
    """Put the options of the call into a measure that does not state its own."""
    changes: dict[str, Any] = {}
    if queries is not None and measure.queries is None:
        changes["queries"] = None if queries == measure.default_queries else queries
    if duplicates is not None and measure.duplicates is None and measure.default_duplicates == "error":
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
    truth: AnyJudgments | None = None
    returned: AnyRun | None = None
    """The run itself; None where only its placements are known."""

    def given(self, catalogue: Catalogue | None, history: History | None) -> Given:
        """What measures of lists look at."""
        from rankmeter.slating import Given

        if self.returned is None:
            fact = f"{self.run} was ranked already and holds no lists of items."
            raise InputError(with_hint(fact, "measures of lists and slices need the run itself"))
        return Given(self.truth, self.returned, catalogue, history)

    def table(self) -> AnyRun:
        """The run in memory, for what reads it more than once."""
        if isinstance(self.returned, RunFile):
            return whole(self.returned.blocks())
        if self.returned is None:
            raise InputError(f"{self.run} was ranked already and holds no lists of items.")
        return run_table(self.returned)


def _placing(judgments: object, run: object, columns: Mapping[str, str] | None) -> _Placing:
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
    elif judgments is None:
        returned = into_run(run, columns=columns_of(columns, "run"))
        return _Placing(
            partial(place_unjudged, returned), "no judgments", returned.source, wide=False, returned=returned
        )
    else:
        truth = into_judgments(judgments, columns=columns_of(columns, "judgments"))
        returned = into_run(run, columns=columns_of(columns, "run"))
    place = partial(place_run, truth, returned)
    return _Placing(place, truth.source, returned.source, wide=_all_judged(truth), truth=truth, returned=returned)


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


def _values(measure: Any, views: Views, placed: PlacedRun, *, checked: bool = True) -> Values:
    if checked:  # a slice of the judgments need not hold the highest grade
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
    """Refuse what the data cannot answer."""
    if getattr(measure, "sign", "ignored") == "positive" and not placed.scored:
        raise MeasureError(f"{measure} looks at the sign of scores, but the run has ranks only.")
    rel = getattr(measure, "rel", None)
    if rel is None and getattr(measure, "gain", "") == "binary":
        rel = 1
    highest = placed.highest_grade
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
