"""Where the judged items stand: one module per kind of data, all giving the same placements.

Each is loaded when such data comes: a mapping needs nothing of what tables need.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankmeter.errors import InputError
from rankmeter.inputs.ids import LateIds, no_text
from rankmeter.inputs.likeness import no_query_in_common
from rankmeter.inputs.tables import Judgments, Run, RunTable
from rankmeter.late import pl
from rankmeter.placing.mapping import place_mappings, same_id_types
from rankmeter.placing.placed import PlacedRun
from rankmeter.placing.placements import Placements, Plan
from rankmeter.placing.repeats import changes_runs, prepared


def place_run(judgments: Judgments, run: Run, plan: Plan) -> PlacedRun:
    """Place a run of any kind against judgments of any kind: as tables, unless both have a form that is faster."""
    if changes_runs(plan):
        truth, table, plan = prepared(judgments.judgment_table(), run.run_table(), plan)
        judgments, run = truth, table
    placed = (
        _place_matrices(judgments, run, plan)
        or _place_mappings(judgments, run, plan)
        or _place_plain(judgments, run, plan)
        or _place_tables(judgments, run, plan)
    )
    refuse_strangers(placed, judgments, run)
    return placed


def _place_matrices(judgments: Judgments, run: Run, plan: Plan) -> PlacedRun | None:
    """Place two matrices; None where they are not."""
    if judgments.matrix is None or run.matrix is None:
        return None
    from rankmeter.placing.matrices import place_arrays

    placements = place_arrays(judgments.matrix, run.matrix, plan)
    highest = float(judgments.matrix.max())
    return PlacedRun(pl.Series(np.arange(len(run.matrix))), placements, scored=True, highest_grade=highest)


def place_unjudged(run: Run) -> PlacedRun:
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


def _place_mappings(judgments: Judgments, run: Run, plan: Plan) -> PlacedRun | None:
    """Place two mappings; None where they are not, or where items that stand twice count twice."""
    graded, listed = judgments.mapping, run.mapping
    if graded is None or listed is None or (plan.duplicates == "counted" and not listed.scored):
        return None
    by_query, scores = same_id_types(graded, listed, listed.scores(plan.duplicates))
    try:
        queries, placements, highest = place_mappings(by_query, scores, plan, scored=listed.scored)
    except UnicodeEncodeError as error:
        raise InputError(no_text(error.object)) from error
    return PlacedRun(LateIds(queries), placements, listed.scored, highest)


def _place_plain(judgments: Judgments, run: Run, plan: Plan) -> PlacedRun | None:
    """Place two plain texts; None where they are not."""
    if judgments.text is None or run.text is None:
        return None
    from rankmeter.inputs.plain_trec import NotPlainError
    from rankmeter.placing.plain_text import place_plain

    try:
        queries, placements = place_plain(judgments.text, run.text(), plan)
    except NotPlainError:
        return None
    return PlacedRun(LateIds(queries), placements, scored=True, highest_grade=float(judgments.text.value.max()))


def _place_tables(judgments: Judgments, run: Run, plan: Plan) -> PlacedRun:
    from rankmeter.inputs.regrouping import regrouped
    from rankmeter.placing.joins import ScatteredQueryError, place_blocks

    truth = judgments.judgment_table()
    scored: list[bool] = []

    def noted() -> Iterator[RunTable]:
        for block in run.blocks():
            scored.append(block.scored)
            yield block

    try:
        queries, placements = place_blocks(truth, noted(), plan)
    except ScatteredQueryError:
        with regrouped(run.blocks()) as blocks:
            queries, placements = place_blocks(truth, blocks, plan)
    return PlacedRun(queries, placements, all(scored), float(truth.grade.max() or 0.0))  # type: ignore[arg-type]


def refuse_strangers(placed: PlacedRun, judgments: Judgments, run: Run) -> None:
    """A run that shares no query with the judgments is a mistake, not a run that found nothing."""
    p = placed.placements
    if (p.in_run & p.is_judged).any():
        return
    judged = placed.queries.filter(pl.Series(p.is_judged)).to_list()
    returned = placed.queries.filter(pl.Series(p.in_run)).to_list()
    raise no_query_in_common(judgments.source, judged, run.source, returned)


__all__ = ["PlacedRun", "Placements", "Plan", "place_run", "place_unjudged"]
