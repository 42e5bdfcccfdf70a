"""What gives the rows of one query of a fused run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rankmeter.errors import InputError, did_you_mean
from rankmeter.late import pl
from rankmeter.showing.numbers import number_or_none
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.fused_rows import FusedRow, FusedRows, HeldBy
from rankmeter.wings.fusion.fusing import gather_tables, named_runs, pools_of_runs, ranked, read_tables
from rankmeter.wings.fusion.methods import combined, contributions, weights_of
from rankmeter.wings.fusion.pooling import Pool, of_queries


def explain_query(
    runs: object, definition: Fusion, query: object, columns: Mapping[str, str] | None = None
) -> FusedRows:
    """How each score of one query came about."""
    read = read_tables(named_runs(runs), columns)
    tables = {name: of_queries(table, [str(query)], as_text=True) for name, table in read.items()}
    if not any(len(table.query) for table in tables.values()):
        known = [one for table in read.values() for one in table.query.unique().cast(pl.String).to_list()[:1000]]
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


def _held(pool: Pool, worth: list[float], candidate: int) -> tuple[HeldBy, ...]:
    held = []
    for lists, value in zip(pool.runs, worth, strict=True):
        at = np.flatnonzero(lists.candidate == candidate)
        ranks, scores = tuple(lists.rank[at].tolist()), tuple(lists.score[at].tolist())
        held.append(HeldBy(ranks, scores, number_or_none(value)))
    return tuple(held)
