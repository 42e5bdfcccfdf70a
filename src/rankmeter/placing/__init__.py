"""Where the judged items stand: one module per kind of data, all giving the same placements.

Each is loaded when such data comes: a mapping needs nothing of what tables need.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankmeter.errors import InputError, RepeatedItemError, examples
from rankmeter.inputs.ids import LateIds, no_text
from rankmeter.inputs.likeness import no_query_in_common
from rankmeter.inputs.mappings import table_of_judgments, table_of_run
from rankmeter.inputs.sources import (
    AnyJudgments,
    AnyRun,
    Dense,
    GradedMapping,
    Item,
    PlainJudgments,
    Query,
    RankedLists,
    RunFile,
    ScoredMapping,
)
from rankmeter.inputs.tables import JudgmentTable, RunTable
from rankmeter.late import pl
from rankmeter.placing.mapping import place_mappings, same_id_types
from rankmeter.placing.placed import PlacedRun
from rankmeter.placing.placements import Placements, Plan


def place_run(judgments: AnyJudgments, run: AnyRun, plan: Plan) -> PlacedRun:
    """Place a run of any kind against judgments of any kind."""
    if isinstance(judgments, Dense) and isinstance(run, Dense):
        from rankmeter.placing.arrays import place_arrays

        queries = pl.Series(np.arange(len(run.values)))
        placements = place_arrays(judgments.values, run.values, plan)
        placed = PlacedRun(queries, placements, scored=True, highest_grade=float(judgments.values.max()))
    elif isinstance(judgments, GradedMapping) and isinstance(run, (ScoredMapping, RankedLists)):
        placed = _place_mappings(judgments, run, plan)
    else:
        placed = _place_plain(judgments, run, plan) or _place_tables(judgments, run, plan)
    refuse_strangers(placed, judgments, run)
    return placed


def place_unjudged(run: AnyRun, plan: Plan) -> PlacedRun:  # noqa: ARG001 (nothing is judged, so nothing is planned)
    """A run without judgments: whose lists they are and how long, for measures of lists."""
    from rankmeter.placing.slates import lengths_of

    queries, returned = lengths_of(run)
    n, nothing = len(queries), np.empty(0, np.int64)
    columns = dict.fromkeys(("query", "above", "tied", "higher_id", "earlier"), nothing)
    placements = Placements(
        returned=returned,
        in_run=np.ones(n, np.bool_),
        is_judged=np.zeros(n, np.bool_),
        best_offsets=np.zeros(n + 1, np.int64),
        best=np.empty(0),
        grade=np.empty(0),
        score=np.empty(0),
        **columns,
    )
    return PlacedRun(queries, placements, scored=False, highest_grade=0.0)


def _place_mappings(judgments: GradedMapping, run: ScoredMapping | RankedLists, plan: Plan) -> PlacedRun:
    if isinstance(run, RankedLists) and plan.duplicates == "counted":
        return _place_tables(judgments, run, plan)
    scores = run.data if isinstance(run, ScoredMapping) else _scores_of_lists(run, plan)
    graded, scores = same_id_types(judgments, run, scores)
    scored = isinstance(run, ScoredMapping)
    try:
        queries, placements, highest = place_mappings(graded, scores, plan, scored=scored)
    except UnicodeEncodeError as error:
        raise InputError(no_text(error.object)) from error
    return PlacedRun(LateIds(queries), placements, scored, highest)


def _scores_of_lists(run: RankedLists, plan: Plan) -> dict[Query, dict[Item, float]]:
    """Minus the place of each item; an item that stands twice is refused or counts where it stands first."""
    longest = max(map(len, run.data.values()), default=0)
    falling = [-float(place) for place in range(1, longest + 1)]
    scores: dict[Query, dict[Item, float]] = {}
    twice: list[str] = []
    for query, items in run.data.items():
        one = dict(zip(items, falling, strict=False))
        if len(one) != len(items):
            # dict() keeps the last score of a repeated key; the first place is the one that counts.
            one = dict(zip(reversed(items), reversed(falling[: len(items)]), strict=True))
            one = dict(sorted(one.items(), key=lambda pair: -pair[1]))
            twice.extend(f"item {item} in query {query}" for item, times in Counter(items).items() if times > 1)
        scores[query] = one
    if twice and plan.duplicates == "error":
        raise RepeatedItemError.of("inputs.returned_twice", source=run.source, pairs=examples(twice))
    return scores


def _place_plain(judgments: AnyJudgments, run: AnyRun, plan: Plan) -> PlacedRun | None:
    """Place two plain texts; None where they are not."""
    if not isinstance(judgments, PlainJudgments) or not isinstance(run, RunFile) or run.plain is None:
        return None
    from rankmeter.inputs.plain_trec import NotPlainError
    from rankmeter.placing.plain_text import place_plain

    try:
        queries, placements = place_plain(judgments.rows, run.plain(), plan)
    except NotPlainError:
        return None
    return PlacedRun(LateIds(queries), placements, scored=True, highest_grade=float(judgments.rows.value.max()))


def _place_tables(judgments: AnyJudgments, run: AnyRun, plan: Plan) -> PlacedRun:
    from rankmeter.inputs.regrouping import regrouped
    from rankmeter.placing.table import ScatteredQueryError, place_blocks, place_table

    truth = judgments_table(judgments)
    highest = float(truth.grade.max() or 0.0)  # type: ignore[arg-type]
    if isinstance(run, RunFile):
        scored = True

        def noted() -> object:
            nonlocal scored
            for block in run.blocks():
                scored = scored and block.scored
                yield block

        try:
            queries, placements = place_blocks(truth, noted(), plan)  # type: ignore[arg-type]
        except ScatteredQueryError:
            with regrouped(run.blocks()) as blocks:
                queries, placements = place_blocks(truth, blocks, plan)
        return PlacedRun(queries, placements, scored, highest)
    table = run_table(run)
    queries, placements = place_table(truth, table, plan)
    return PlacedRun(queries, placements, table.scored, highest)


def judgments_table(judgments: AnyJudgments) -> JudgmentTable:
    """Judgments of any kind as a table."""
    if isinstance(judgments, JudgmentTable):
        return judgments
    if isinstance(judgments, GradedMapping):
        return table_of_judgments(judgments)
    if isinstance(judgments, PlainJudgments):
        return judgments.table
    query, item = np.nonzero(np.ones_like(judgments.values, dtype=np.bool_))
    grade = judgments.values.astype(np.float64).ravel()
    return JudgmentTable(pl.Series(query), pl.Series(item), pl.Series(grade), judgments.source)


def run_table(run: ScoredMapping | RankedLists | RunTable | Dense) -> RunTable:
    """A run of any kind as a table."""
    if isinstance(run, RunTable):
        return run
    if isinstance(run, (ScoredMapping, RankedLists)):
        return table_of_run(run)
    query, item = np.nonzero(np.ones_like(run.values, dtype=np.bool_))
    score = run.values.astype(np.float64).ravel()
    return RunTable(pl.Series(query), pl.Series(item), pl.Series(score), run.source)


def refuse_strangers(placed: PlacedRun, judgments: AnyJudgments, run: AnyRun) -> None:
    """A run that shares no query with the judgments is a mistake, not a run that found nothing."""
    p = placed.placements
    if (p.in_run & p.is_judged).any():
        return
    judged = placed.queries.filter(pl.Series(p.is_judged)).to_list()
    returned = placed.queries.filter(pl.Series(p.in_run)).to_list()
    raise no_query_in_common(judgments.source, judged, run.source, returned)


__all__ = ["PlacedRun", "Placements", "Plan", "judgments_table", "place_run", "place_unjudged", "run_table"]
