"""The call: several runs become one, under one definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from rankmeter.errors import InputError, RankmeterError, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.accepting import check_columns_of, into_judgments, into_run
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.placing.placements import Floats, Ints
from rankmeter.wings.fusion.definition import Fusion, Options
from rankmeter.wings.fusion.fused import FusedRun, lacking_notes
from rankmeter.wings.fusion.methods import combined, contributions, weights_of
from rankmeter.wings.fusion.pooling import (
    Coded,
    Pool,
    alike_ids,
    check_same_queries,
    coded,
    of_queries,
    order_within,
    places,
    query_numbers,
)
from rankmeter.wings.fusion.pooling import pools as pools_of
from rankmeter.wings.loading import source_of
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True)
class Gathered:
    """Runs that were read, their queries numbered alike."""

    names: tuple[str, ...]
    queries: pl.Series
    runs: tuple[Coded, ...]
    notes: tuple[Said, ...]


def fuse(
    runs: object,
    how: str | Fusion = "rrf",
    *,
    judgments: object = None,
    columns: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> FusedRun:
    """Fuse several runs into one.

    Parameters
    ----------
    runs
        ``{name: run}``, or a list of runs, each of any kind that :func:`rankmeter.evaluate` takes.
    how
        A method (``rrf``, ``wsum``), with options where some are not the usual ones (``rrf(k=10)``), or what another
        tool has under that name (``qdrant:dbsf``); ``rankmeter explain rrf`` lists all of them.
    judgments
        What methods that learn (``mapfuse``, ``posfuse``, ``slidefuse``, ``probfuse``, ``segfuse``, ``bayesfuse``) are
        trained on: the judged queries of these runs. To apply it to others, fuse those with the ``definition`` of the
        result.
    columns
        Columns of unusual names, as for :func:`rankmeter.evaluate`.
    norm, floor, lowest, lows, flat, flatness, sd
        How the scores of a list are put on one scale; these and all that follow win over what ``how`` states, and
        :class:`rankmeter.Fusion` says what each value means.
    k, first, gamma, sigma, phi, window, segments
        Parameters of methods.
    weights, weighting, weightless, missing, scale
        What the runs weigh, and what an item gets from a list that does not hold it.
    lists, ties, duplicates, depth
        How a list is read before it is fused.
    queries
        Which queries are fused, where not all runs hold the same ones.
    equal, least, top, digits, precision
        How the fused list is made.

    Returns
    -------
    FusedRun
        A run that every other call takes, and that says how it was made. Of Spark DataFrames it stays in the cluster:
        its ``frame`` is a Spark DataFrame, computed when it is used.

    Examples
    --------
    The second list of ``bm25`` is empty, so only ``dense`` counts there.

    >>> import rankmeter as rm
    >>> bm25 = {"q1": {"a": 12.1, "b": 9.5}, "q2": {}}
    >>> dense = {"q1": {"b": 0.9, "c": 0.8}, "q2": {"d": 0.7}}
    >>> fused = rm.fuse({"bm25": bm25, "dense": dense}, "rrf", k=1)
    >>> fused.to_dict()["q1"]
    {'b': 0.8333333333333333, 'a': 0.5, 'c': 0.3333333333333333}
    >>> fused.definition
    Fusion('rrf(k=1)')
    """
    definition = Fusion.of(how, **options)
    named = named_runs(runs)
    if judgments is not None:
        definition = trained(definition, named, judgments, columns)
    if (there := source_of(*named.values())) is not None and hasattr(there, "DistantRuns"):
        from rankmeter.wings.fusion.fused_elsewhere import fuse_distant

        distant: Any = fuse_distant(there, named, definition, columns, fused_tables)
        return distant  # type: ignore[no-any-return]
    return fused_run(gather(named, definition, columns), definition)


def trained(definition: Fusion, runs: object, judgments: object, columns: Mapping[str, str] | None = None) -> Fusion:
    """The definition with what its method learns from the judged queries of the runs."""
    from rankmeter.wings.fusion.learning import learned_from

    if not definition.method.trained:
        raise InputError.of("fusion.learns_nothing", how=definition.how)
    truth = into_judgments(judgments, columns=columns).judgment_table()
    judged = truth.query.cast(pl.String).unique().to_list()
    read = read_tables(named_runs(runs), columns)
    tables = {name: of_queries(table, judged, as_text=True) for name, table in read.items()}
    if not any(len(table.query) for table in tables.values()):
        raise InputError.of("fusion.no_judged_query", count=len(judged), queries=examples(judged, shown=3))
    unlearned = replace(definition, learned=((),) * len(tables))
    return learned_from(definition, pools_of_runs(gather_tables(tables, unlearned), unlearned), truth)


def gather(runs: object, definition: Fusion, columns: Mapping[str, str] | None = None) -> Gathered:
    """Read the runs; refuse what cannot be fused under this definition."""
    named = named_runs(runs)
    definition.check_runs(len(named))
    check_columns_of(columns, None, *named.values())
    return gather_tables(read_tables(named, columns), definition)


def read_tables(named: Mapping[str, object], columns: Mapping[str, str] | None) -> dict[str, RunTable]:
    """The runs as tables in memory."""
    tables = {}
    for name, run in named.items():
        with in_the_name_of(name):
            tables[name] = into_run(run, columns=columns).run_table()
    return tables


@contextmanager
def in_the_name_of(run: str) -> Iterator[None]:
    """Say which of the runs cannot be read."""
    try:
        yield
    except RankmeterError as error:
        raise type(error).of("fusion.of_run", name=run, problem=error.problem) from error


def gather_tables(tables: Mapping[str, RunTable], definition: Fusion) -> Gathered:
    """Runs in memory whose queries are numbered alike."""
    names = tuple(tables)
    definition.check_runs(len(names))
    for at, (name, table) in enumerate(tables.items()):
        needs_scores = definition.needs_scores(at)
        if needs_scores and not table.scored:
            raise InputError.of("fusion.no_scores", name=name, how=definition.how)
        if needs_scores and not np.isfinite(scores := table.score.to_numpy()).all():
            row = int(np.flatnonzero(~np.isfinite(scores))[0])
            raise InputError.of("fusion.infinite", name=name, score=float(scores[row]), item=str(table.item[row]),
                                query=str(table.query[row]))  # fmt: skip
    alike, changed = alike_ids(list(tables.values()))
    queries, of_rows = query_numbers(alike)
    notes: list[Said] = [said("fusion_ids_as_text", columns=changed)] if changed else []
    if definition.queries == "same":
        check_same_queries(queries, alike, of_rows, names)
    runs = tuple(coded(table, codes, len(queries)) for table, codes in zip(alike, of_rows, strict=True))
    if definition.queries == "common":
        queries, runs, note = _common_queries(queries, alike, runs)
        notes += note
    elif definition.queries == "all":
        notes += lacking_notes(names, [int((np.diff(run.offsets) > 0).sum()) for run in runs], len(queries))
    if not len(queries):
        raise InputError.of("fusion.no_query", names=list(names))
    return Gathered(names, queries, runs, tuple(notes))


def _common_queries(
    queries: pl.Series, tables: Sequence[RunTable], runs: Sequence[Coded]
) -> tuple[pl.Series, tuple[Coded, ...], list[Said]]:
    """The queries that every run holds, and what is said of the others."""
    held = np.ones(len(queries), np.bool_)
    for table, run in zip(tables, runs, strict=True):
        here = np.diff(run.offsets) > 0
        if table.queries is not None:
            here |= queries.is_in(table.queries.to_list()).to_numpy()
        held &= here
    if held.all():
        return queries, tuple(runs), []
    number: Ints = np.cumsum(held) - 1
    kept = []
    for run in runs:
        rows = held[run.query]
        query = number[run.query[rows]]
        offsets = np.concatenate([[0], np.cumsum(np.bincount(query, minlength=int(held.sum())))])
        kept.append(Coded(query, run.item.filter(pl.Series(rows)), run.score[rows], offsets))
    note = said("fusion_common", count=int(held.sum()), total=len(queries))
    return queries.filter(pl.Series(held)), tuple(kept), [note]


def named_runs(runs: object) -> dict[str, object]:
    """Accept ``{name: run}`` or a list of runs; refuse fewer than two, and what is one run."""
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
        if len(named) < len(runs):
            raise InputError.of("fusion.same_name", names=examples(list(runs)))
        if named and all(_is_one_list(run) for run in named.values()):
            raise InputError.of("fusion.one_run_by_query")
    elif isinstance(runs, (list, tuple)):
        named = {f"run{number}": run for number, run in enumerate(runs, 1)}
    else:
        raise InputError.of("fusion.runs_by_name", type=type(runs).__name__)
    if not named:
        raise InputError.of("fusion.no_run")
    if len(named) < 2:
        raise InputError.of("fusion.one_run", names=examples(named))
    return named


def _is_one_list(run: object) -> bool:
    """Whether this is the list of one query: ``{item: score}`` or ``[items]``."""
    values = run.values() if isinstance(run, Mapping) else run if isinstance(run, (list, tuple)) else ()
    values = list(values)[:5]
    return bool(values) and all(isinstance(value, (int, float)) or (isinstance(value, str) and isinstance(run, list))
                                for value in values)  # fmt: skip


def fused_run(gathered: Gathered, definition: Fusion) -> FusedRun:
    """The runs under one definition."""
    parts = [fused_part(pool, definition) for pool in pools_of_runs(gathered, definition)]
    query = pl.concat([part[0] for part in parts])
    item = pl.concat([part[1] for part in parts])
    scores: Floats = np.concatenate([part[2] for part in parts])
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InputError.of("fusion.overflow", query=str(query[row]), item=str(item[row]), how=str(definition))
    empty = query.n_unique() < len(gathered.queries)
    table = RunTable(query, item, pl.Series("score", scores), queries=gathered.queries if empty else None)
    return FusedRun.of(table, definition, gathered.names, gathered.notes)


def fused_tables(tables: Mapping[str, RunTable], definition: Fusion) -> FusedRun:
    """Tables in memory as one run."""
    return fused_run(gather_tables(tables, definition), definition)


def pools_of_runs(gathered: Gathered, definition: Fusion) -> list[Pool]:
    """The runs put together, in blocks of queries."""
    return list(pools_of(gathered.runs, gathered.queries, definition, gathered.names))


def fused_part(pool: Pool, definition: Fusion) -> tuple[pl.Series, pl.Series, Floats]:
    """Query, item and score of the fused lists of a pool, best first."""
    scores = combined(pool, contributions(pool, definition), definition)
    order, scores = ranked(pool, scores, definition)
    return pool.queries.gather(pool.query[order]), pool.items.gather(order), scores


def ranked(pool: Pool, scores: Floats, definition: Fusion) -> tuple[Ints, Floats]:
    """The candidates that are kept, best first within each query, and their scores."""
    numbers = np.arange(len(scores))
    order = order_within(pool.query, len(pool.queries), -scores, definition.equal, numbers, pool.items)
    order = numbers if order is None else order
    kept = np.ones(len(order), np.bool_)
    if definition.least is not None:
        kept &= scores[order] >= definition.least
    if definition.weightless == "dropped":
        weights = weights_of(definition, len(pool.runs))
        counts = np.zeros(len(order), np.bool_)
        for lists, weight in zip(pool.runs, weights, strict=True):
            counts[lists.candidate] |= weight > 0
        kept &= counts[order]
    if definition.top is not None:
        kept &= places(pool.query[order]) < definition.top
    order = order[kept]
    return order, scores[order]
