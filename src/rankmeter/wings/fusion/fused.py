"""A run that was made of several: it carries its definition wherever it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from rankmeter.errors import InputError
from rankmeter.frozen import dataclass
from rankmeter.inputs.reading import Reading
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wings.fusion.fused_files import FileFormat, format_of, fused_file
from rankmeter.wings.fusion.fused_rows import FusedRows
from rankmeter.wings.loading import answering
from rankmeter.wording import Said, said


@dataclass(frozen=True, slots=True)
class FusedRun(RunTable):
    """A fused run, best items first within each query; made by :func:`rankmeter.fuse`.

    It is a run like any other: :func:`rankmeter.evaluate` and :func:`rankmeter.compare` take it, and say how it was
    made.
    """

    definition: Fusion = Fusion()
    names: tuple[str, ...] = ()
    """The runs that it was made of."""
    notes: tuple[Said, ...] = ()

    @classmethod
    def of(cls, table: RunTable, definition: Fusion, names: tuple[str, ...], notes: tuple[Said, ...]) -> FusedRun:
        """The rows of a fused run, with how it was made."""
        reading = reading_of(definition, names, len(table.query), notes)
        return cls(
            table.query, table.item, table.score, str(definition), queries=table.queries, reading=reading,
            definition=definition, names=names, notes=notes,
        )  # fmt: skip

    @property
    def label(self) -> str:
        """The definition and the runs in one text without blanks, such as TREC files take for a tag."""
        return label_of(self.definition, self.names)

    def __len__(self) -> int:
        return len(self.query)

    def to_polars(self) -> pl.DataFrame:
        """Query, item, score and rank, a row each."""
        return ranked_rows(self)

    def to_dict(self) -> dict[str | int, dict[str | int, float]]:
        """As ``{query: {item: score}}``, best items first."""
        every: dict[str | int, dict[str | int, float]] = {}
        if self.queries is not None:
            every = {query: {} for query in self.queries.to_list()}
        for query, item, score in zip(self.query.to_list(), self.item.to_list(), self.score.to_list(), strict=True):
            every.setdefault(query, {})[item] = score
        return every

    def save(self, path: str | PathLike[str], *, format: FileFormat | None = None) -> None:
        """Write it as a file: TREC text, JSON Lines, CSV, Parquet, or responses as search engines give them.

        Parameters
        ----------
        path
            Its ending says the format: ``.run``, ``.jsonl``, ``.csv``, ``.parquet``, ``.json`` (responses).
        format
            The format, whatever the ending.
        """
        with fused_file(path, format_of(path, format), self.label) as file:
            file.add(self.to_polars(), self._empty())

    def explain(self, query: object, runs: object, *, columns: Mapping[str, str] | None = None) -> FusedRows:
        """Say row by row how each score of one query came about.

        Parameters
        ----------
        query
            The query.
        runs
            The runs that were fused, as :func:`rankmeter.fuse` took them; a fused run holds none of them.
        columns
            Columns of unusual names.

        Examples
        --------
        >>> import rankmeter as rm
        >>> runs = {"bm25": {"q": {"a": 12.1, "b": 9.5}}, "dense": {"q": {"b": 0.9, "c": 0.8}}}
        >>> told = rm.fuse(runs, "wsum", weights=[0.7, 0.3]).explain("q", runs)
        >>> for row in told.rows:
        ...     print(row.item, row.score, [(held.ranks, held.worth) for held in row.lists])
        a 0.7 [((1,), 1.0), ((), None)]
        b 0.3 [((2,), 0.0), ((1,), 1.0)]
        c 0.0 [((), None), ((2,), 0.0)]
        """
        told: FusedRows = answering("fuse.explain").explain_query(runs, self.definition, query, columns)
        return told

    def _empty(self) -> pl.Series | None:
        """The queries without an item."""
        return None if self.queries is None else self.queries.filter(~self.queries.is_in(self.query.implode()))

    def written(self, format: FileFormat = "trec") -> str:
        """What a file of it holds."""
        if format == "parquet":
            raise InputError.of("fusion.no_text", format=format)
        from rankmeter.late import tempfile

        with tempfile.TemporaryDirectory() as folder:
            self.save(made := Path(folder) / "run", format=format)
            return made.read_text("utf-8")

    def __repr__(self) -> str:
        queries = len(self.query.unique()) if self.queries is None else len(self.queries)
        lines = [said("fusion_made", definition=str(self.definition), runs=list(self.names), queries=queries,
                      rows=len(self.query)), *self.notes]  # fmt: skip
        return "\n".join(lines)


def label_of(definition: Fusion, names: tuple[str, ...]) -> str:
    """The definition and the runs in one text without blanks, such as TREC files take for a tag."""
    return "".join(f"{definition}[{','.join(names)}]".split())


def ranked_rows(run: RunTable) -> pl.DataFrame:
    """Query, item, score and rank of a run in its order."""
    frame = pl.DataFrame({"query": run.query, "item": run.item, "score": run.score})
    return frame.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query"))


def reading_of(definition: Fusion, names: tuple[str, ...], rows: int, notes: tuple[Said, ...]) -> Reading:
    """How a fused run came about, as `evaluate` says it of any run."""
    made = said("fusion_defined", how=str(definition), runs=list(names), options=definition.spelled())
    every = {"fused": made, **{f"fused {at}": note for at, note in enumerate(notes)}}
    return Reading("fused run", "fused", rows=rows, order="score", notes=every)


def lacking_notes(names: Sequence[str], held: Sequence[int], total: int) -> list[Said]:
    """What is said of runs that returned something for only so many of the queries."""
    return [
        said("fusion_lacks_queries", name=name, count=total - count, total=total)
        for name, count in zip(names, held, strict=True)
        if count < total
    ]
