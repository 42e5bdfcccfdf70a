"""``evaluate(..., per_query_to=path)``: a run is read block by block and its values per query go straight to a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from rankmeter.errors import InputError, check_path
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.block_lists import background_of, check_blocks, listed_in, merged_counts, values_of_counts
from rankmeter.evaluating.blocks import DistantEvaluation, State, check_subtopics, evaluate_block, summary
from rankmeter.evaluating.evaluation import About, evaluate_placing
from rankmeter.evaluating.fingerprints import judged_by
from rankmeter.evaluating.pairing import into_pair
from rankmeter.evaluating.result import Evaluation, header_of
from rankmeter.evaluating.stored import digest_of_parts, values_columns
from rankmeter.inputs.accepting import into_judgments, into_run
from rankmeter.inputs.reading import Listener
from rankmeter.inputs.shards import Files
from rankmeter.inputs.streaming import none_of, regrouped
from rankmeter.inputs.tables import JudgmentTable, RunTable, without_repeats
from rankmeter.late import pl
from rankmeter.lists.slating import Background
from rankmeter.measures import Measure
from rankmeter.placing.joins import ScatteredQueryError, same_id_types
from rankmeter.placing.numbering import grouped, numbers_among
from rankmeter.placing.pairs import MOST_JUDGED, Pair
from rankmeter.placing.placements import Bools, Ints
from rankmeter.placing.preparations import without_subtopics
from rankmeter.placing.segments import expand, group_rows, offsets_of
from rankmeter.whole_files import check_apart, check_writable, whole_file

LONGEST_PATH = 4096
"""A longer text is data, not a path."""
QUERIES_AT_ONCE = 200_000
"""How many of the judged queries that the run does not hold are evaluated at a time."""


def evaluate_to_file(
    judgments: object,
    run: object,
    asked: Asked,
    columns: Mapping[str, str] | None,
    name: str,
    path: str | os.PathLike[str],
    progress: Listener | None,
    about: About,
) -> Evaluation:
    """Evaluate, and write the values per query to a Parquet file, whole or not at all.

    The file is the one that `Evaluation.save` writes, its rows in the order of the run, the queries that the run does
    not hold at the end. What comes from memory anyway is evaluated as always and saved.
    """
    target = check_path("per_query_to", path)
    check_writable(target)
    check_apart({"per_query_to": target}, _paths_of(judgments, run))
    source = None if run is None else into_run(run, columns=columns, progress=progress)
    if source is None or not source.is_streamed:
        ev = evaluate_placing(into_pair(judgments, source, columns), asked, name, about=about)
        ev.save(target)
        return ev
    measures = asked.measures
    check_blocks(measures, about, judgments)
    truth = None
    if judgments is not None:
        truth = without_repeats(into_judgments(judgments, columns=columns).judgment_table())
        check_subtopics(measures, truth.subtopic is not None, truth.source)
    known = judged_by(truth if truth is None or truth.subtopic is None else without_subtopics(truth))
    with whole_file(target) as made:
        folder = made.parent
        try:
            state, counted, parts = _write_parts(truth, source.blocks(), measures, about, folder)
        except ScatteredQueryError:
            with regrouped(source.blocks()) as blocks:
                state, counted, parts = _write_parts(truth, blocks, measures, about, folder)
        sources = None if truth is None else truth.source, source.source
        totals = summary(state, asked, about, sources, Pair(truth, source).readings(), counted)
        fetch = partial(Evaluation.load, target)
        ev = DistantEvaluation(name=name, asked=asked.names, **totals, judged_by=known, fetch=fetch)
        frame = pl.scan_parquet(parts, glob=False, hive_partitioning=False)
        frame.sink_parquet(made, metadata=_metadata(ev, frame.collect_schema(), parts))
    return ev


def _paths_of(*inputs: object) -> Iterator[str]:
    """What of the inputs is read from files."""
    for given in inputs:
        if isinstance(given, Files):
            yield from given.paths
        elif isinstance(given, os.PathLike) or (isinstance(given, str) and len(given) < LONGEST_PATH):
            yield os.fspath(given)


def _write_parts(
    truth: JudgmentTable | None, blocks: Iterable[RunTable], measures: Sequence[Measure], about: About, folder: Path
) -> tuple[State, dict[Measure, float], list[Path]]:
    """Write the values of each block to a file of its own."""
    wide = truth is not None and len(truth.query) <= MOST_JUDGED
    listed = listed_in(measures)
    judged: _ByQuery | None = None
    known: Background | None = None
    counts: pl.DataFrame | None = None
    states: list[State] = []
    parts: list[Path] = []
    empty: RunTable | None = None

    def add(some: JudgmentTable | None, block: RunTable) -> None:
        nonlocal counts
        values = evaluate_block(some, block, measures, wide=wide, known=known)
        states.append(values.state)
        if values.counts is not None:
            counts = merged_counts([values.counts] if counts is None else [counts, values.counts])
        parts.append(folder / f"{len(parts):07}.parquet")
        pl.DataFrame(values_columns(values.queries, values.values)).write_parquet(parts[-1])

    for block in blocks:
        if truth is not None:
            truth, block = same_id_types(truth, block)
            if judged is None or judged.table is not truth:
                judged = _ByQuery(truth)
        if (listed or about.knows_items) and known is None:
            known = background_of(about, measures, block.query, block.item)
        add(None if judged is None else judged.take(block), block)
        empty = empty or none_of(block)
    if empty is None:
        raise InputError.of("evaluating.run_without_rows")
    for rest in () if judged is None else judged.rest():
        add(rest, empty)
    counted = {} if known is None or counts is None else values_of_counts(counts, listed, known)
    return State.merged(states), counted, parts


class _ByQuery:
    """Judgments that are handed out query by query, each once."""

    def __init__(self, table: JudgmentTable) -> None:
        self.table = table
        self._groups = grouped(table.query, table.queries)
        queries = len(self._groups.values)
        self._order: Ints = group_rows(self._groups.code, queries)
        self._offsets = offsets_of(self._groups.sizes)
        self._given: Bools = np.zeros(queries, np.bool_)
        self._strangers: set[object] = set()

    def take(self, block: RunTable) -> JudgmentTable:
        """The judgments of the queries of a block; a query that was in an earlier block is an error."""
        different = block.query.unique(maintain_order=True) if block.queries is None else block.queries
        number = numbers_among(self._groups.values, different)
        unknown = different.filter(pl.Series(number < 0)).to_list()
        before = len(self._strangers)
        self._strangers.update(unknown)
        number = number[number >= 0]
        if self._given[number].any() or len(self._strangers) != before + len(unknown):
            raise ScatteredQueryError
        self._given[number] = True
        return self._rows(number)

    def rest(self) -> Iterable[JudgmentTable]:
        """The judgments of the queries that no block held."""
        left = np.flatnonzero(~self._given)
        for first in range(0, len(left), QUERIES_AT_ONCE):
            yield self._rows(left[first : first + QUERIES_AT_ONCE])

    def _rows(self, number: Ints) -> JudgmentTable:
        table, sizes = self.table, self._groups.sizes[number]
        rows = pl.Series(self._order[expand(self._offsets[number], sizes)])
        subtopic = None if table.subtopic is None else table.subtopic.gather(rows)
        query, item, grade = (column.gather(rows) for column in (table.query, table.item, table.grade))
        queries = None if sizes.all() else self._groups.values.gather(pl.Series(number))
        return replace(table, query=query, item=item, grade=grade, subtopic=subtopic, queries=queries)


CELLS_AT_ONCE = 2**22
"""How much of the parts is read at a time to make the digest: as many whole columns as have so many cells."""


def _metadata(ev: DistantEvaluation, schema: pl.Schema, parts: Sequence[Path]) -> dict[str, str]:
    """What a saved evaluation says of itself, and the digest of all parts."""
    header = header_of(ev)
    rows = sum(pl.scan_parquet(part, glob=False).select(pl.len()).collect().item() for part in parts)
    names = schema.names()
    at_once = max(1, CELLS_AT_ONCE // max(1, rows))

    @lru_cache(maxsize=1)
    def columns_from(first: int) -> list[pl.DataFrame]:
        return [pl.read_parquet(part, columns=names[first : first + at_once], glob=False) for part in parts]

    def column(name: str) -> Iterator[pl.Series]:
        return (part.get_column(name) for part in columns_from(names.index(name) // at_once * at_once))

    return {"rankmeter": header, "rankmeter.digest": digest_of_parts(header, schema, rows, column)}
