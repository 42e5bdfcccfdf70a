"""What gives the rows of one query of a fused run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rankmeter.errors import InputError, did_you_mean
from rankmeter.inputs.accepting import into_run
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.showing.numbers import number_or_none
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.fused_rows import FusedRow, FusedRows, HeldBy
from rankmeter.wings.fusion.fusing import gather_tables, in_the_name_of, named_runs, pools_of_runs, ranked
from rankmeter.wings.fusion.methods import combined, contributions, weights_of
from rankmeter.wings.fusion.pooling import Pool


def explain_query(
    runs: object, definition: Fusion, query: object, columns: Mapping[str, str] | None = None
) -> FusedRows:
    """How each score of one query came about."""
    named = named_runs(runs)
    tables, known = {}, []
    for name, run in named.items():
        with in_the_name_of(name):
            tables[name], every = _one_query(into_run(run, columns=columns).run_table(), str(query))
        known += every
    if not any(len(table.query) for table in tables.values()):
        raise InputError.of("fusion.query_not_there", query=str(query), hint=did_you_mean(str(query), known) or None)
    alone = replace(definition, queries="all")
    gathered = gather_tables(tables, alone)
    (pool,) = pools_of_runs(gathered, alone)
    said = contributions(pool, alone)
    order, scores = ranked(pool, combined(pool, said, alone), alone)
    rows = tuple(
        FusedRow(at, str(pool.items[candidate]), score, _held(pool, said.value[:, candidate].tolist(), candidate))
        for at, (candidate, score) in enumerate(zip(order.tolist(), scores.tolist(), strict=True), 1)
    )
    return FusedRows(str(query), definition, gathered.names, tuple(weights_of(alone, len(tables)).tolist()), rows)


def _one_query(table: RunTable, query: str) -> tuple[RunTable, list[str]]:
    """The rows of one query, and all queries where there are none."""
    kept = table.query.cast(pl.String) == query
    known = [] if kept.any() else table.query.unique().cast(pl.String).to_list()[:1000]
    score = table.score.filter(kept)
    return RunTable(table.query.filter(kept), table.item.filter(kept), score, table.source, scored=table.scored), known


def _held(pool: Pool, worth: list[float], candidate: int) -> tuple[HeldBy, ...]:
    held = []
    for lists, value in zip(pool.runs, worth, strict=True):
        at = np.flatnonzero(lists.candidate == candidate)
        ranks, scores = tuple(lists.rank[at].tolist()), tuple(lists.score[at].tolist())
        held.append(HeldBy(ranks, scores, number_or_none(value)))
    return tuple(held)
