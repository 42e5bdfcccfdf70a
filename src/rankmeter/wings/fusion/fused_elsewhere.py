"""Fusion of runs that another engine holds: the runs are looked at and fused there, query by query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from types import ModuleType
from typing import Any

from rankmeter.errors import InputError, RepeatedItemError, examples
from rankmeter.evaluating.asking import Asked
from rankmeter.evaluating.result import Evaluation
from rankmeter.frozen import dataclass
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.fused import FusedRun, label_of, lacking_notes, ranked_rows
from rankmeter.wings.fusion.pooling import of_queries
from rankmeter.wings.loading import source_of
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True)
class DistantFused:
    """A fused run that stays where its runs are, made by :func:`rankmeter.fuse` of Spark DataFrames."""

    frame: Any
    """Query, item, score and rank, computed when it is used: a Spark DataFrame."""
    definition: Fusion
    names: tuple[str, ...]
    notes: tuple[Said, ...]

    @property
    def label(self) -> str:
        """The definition and the runs in one text."""
        return label_of(self.definition, self.names)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it from the cluster as a folder of Parquet files, with the definition as a column."""
        quoted = self.label.replace("\\", "\\\\").replace("'", "\\'")
        self.frame.selectExpr("*", f"'{quoted}' as fused").write.parquet(fspath(path))

    def __repr__(self) -> str:
        made = said("fusion_distant", definition=str(self.definition), runs=list(self.names))
        return "\n".join([made, *map(str, self.notes)])


Fuse = Callable[[Mapping[str, RunTable], Fusion], FusedRun]
"""Fuses tables in memory."""


def fuse_distant(
    there: ModuleType, named: Mapping[str, object], definition: Fusion, columns: Mapping[str, str] | None, fuse: Fuse
) -> DistantFused:
    """Fuse runs where they are; everything that is refused in memory is looked for before."""
    definition.check_runs(len(named))
    runs = there.DistantRuns.of(named, columns)
    names = tuple(named)
    for at, (name, is_scored) in enumerate(runs.scored.items()):
        if definition.needs_scores(at) and not is_scored:
            raise InputError.of("fusion.no_scores", name=name, how=definition.how)
    total, held, infinite = runs.counted()
    for at, (name, count) in enumerate(infinite.items()):
        if definition.needs_scores(at) and count:
            raise InputError.of("fusion.infinite_scores", name=name, count=count)
    if not total:
        raise InputError.of("fusion.no_query", names=list(names))
    lacks = [name for name in names if held[name] < total]
    if lacks and definition.queries == "same":
        name = min(lacks, key=held.__getitem__)
        raise InputError.of("fusion.other_queries", name=name, count=total - held[name], total=total,
                            queries=examples(runs.lacking(name), shown=3))  # fmt: skip
    if any(definition.duplicates_of(at) == "error" for at in range(len(names))) and (twice := runs.twice()):
        refused = [one for one in twice if definition.duplicates_of(names.index(one[0])) == "error"]
        if refused:
            name = refused[0][0]
            pairs = [{"item": str(item), "query": str(query)} for run, item, query in refused if run == name]
            raise RepeatedItemError.of("inputs.returned_twice", source=name,
                                       pairs=examples(pairs, kind="general.item_in_query"))  # fmt: skip
    notes = lacking_notes(names, [held[name] for name in names], total) if definition.queries == "all" else []
    if definition.queries == "common" and lacks:
        notes.append(said("fusion_only_common"))
    return DistantFused(runs.worked(partial(fused_block, definition, fuse)), definition, names, tuple(notes))


def fused_block(definition: Fusion, fuse: Fuse, tables: Mapping[str, RunTable]) -> pl.DataFrame:
    """The fused lists of some queries, from all rows that the runs have for them."""
    if definition.queries == "common":
        asked = [set((table.query if table.queries is None else table.queries).to_list()) for table in tables.values()]
        common = pl.Series(list(set.intersection(*asked)), dtype=next(iter(tables.values())).query.dtype)
        tables = {name: replace(of_queries(table, common), queries=common) for name, table in tables.items()}
    table = next(iter(tables.values()))
    if all(not len(one.query) for one in tables.values()):
        columns = {
            "query": table.query,
            "item": table.item,
            "score": table.score,
            "rank": pl.Series([], dtype=pl.Int64),
        }
        return pl.DataFrame(columns)
    return ranked_rows(fuse(tables, replace(definition, queries="all")))  # which queries count is settled


def evaluate_distant(
    judgments: object, run: DistantFused, asked: Asked, columns: Mapping[str, str] | None, *rest: Any
) -> Evaluation:
    """Evaluate a fused run where it is; of the names of columns those count that concern judgments."""
    there = source_of(run.frame)
    assert there is not None  # noqa: S101 (it was made there)
    named = {name: column for name, column in (columns or {}).items() if name.startswith("judgments.")} or None
    evaluation: Evaluation = there.evaluate_distant(judgments, run.frame, asked, named, *rest)
    return evaluation
