"""A run that was made of several: it carries its definition wherever it goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from rankmeter.errors import InputError, check_choice, examples
from rankmeter.frozen import dataclass
from rankmeter.inputs.reading import Reading
from rankmeter.inputs.tables import RunTable
from rankmeter.late import pl
from rankmeter.whole_files import whole_file
from rankmeter.wings.fusion.definition import Fusion
from rankmeter.wording import Said, said

FileFormat = Literal["trec", "jsonl", "csv", "parquet", "responses"]
FILE_FORMATS: tuple[FileFormat, ...] = get_args(FileFormat)
_FORMAT_OF: dict[str, FileFormat] = {
    ".run": "trec", ".trec": "trec", ".txt": "trec", "": "trec", ".jsonl": "jsonl", ".csv": "csv",
    ".parquet": "parquet", ".json": "responses",
}  # fmt: skip
_NOT_HELD: dict[FileFormat, tuple[str, str]] = {
    "trec": (r"^$|\s|\x00|^\ufeff|^#", r"^$|\s|\x00|^\ufeff"),  # '#' begins a comment
    "csv": (r"^$|\x00", r"^$|\x00"),
    "responses": ("^$", "^$"),
}
"""Queries and items that a reader of the format would take for something else, as patterns."""


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
        return "".join(f"{self.definition}[{','.join(self.names)}]".split())

    def __len__(self) -> int:
        return len(self.query)

    def to_polars(self) -> pl.DataFrame:
        """Query, item, score and rank, a row each."""
        frame = pl.DataFrame({"query": self.query, "item": self.item, "score": self.score})
        return frame.with_columns(rank=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query"))

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
        kind = format or format_of(path)
        check_choice("format", kind, FILE_FORMATS)
        with whole_file(path) as made:
            self._write(kind, made)

    def written(self, format: FileFormat = "trec") -> str:
        """What a file of it holds."""
        if format == "parquet":
            raise InputError.of("fusion.no_text", format=format)
        from rankmeter.late import tempfile

        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "run"
            self._write(format, made)
            return made.read_text("utf-8")

    def _write(self, format: FileFormat, made: Path) -> None:
        """Write it where every id can be read again as it is."""
        lost: list[str] = []
        for column, pattern in zip((self.query, self.item), _NOT_HELD.get(format, ()), strict=False):
            ids = column.cast(pl.String).unique(maintain_order=True)
            lost += ids.filter(ids.str.contains(pattern)).to_list()
        if lost:
            raise InputError.of("fusion.ids_not_held", format=format, ids=examples(map(repr, lost)))
        _WRITERS[format](self, self.to_polars(), made)

    def __repr__(self) -> str:
        queries = len(self.query.unique()) if self.queries is None else len(self.queries)
        lines = [said("fusion_made", definition=str(self.definition), runs=list(self.names), queries=queries,
                      rows=len(self.query)), *self.notes]  # fmt: skip
        return "\n".join(lines)


def format_of(path: str | PathLike[str]) -> FileFormat:
    """The format that the ending of a file asks for."""
    ending = Path(path).suffix.lower()
    if ending not in _FORMAT_OF:
        raise InputError.of("cli.unknown_ending", source=str(path), ending=ending, endings=[*filter(None, _FORMAT_OF)])
    return _FORMAT_OF[ending]


def reading_of(definition: Fusion, names: tuple[str, ...], rows: int, notes: tuple[Said, ...]) -> Reading:
    """How a fused run came about, as `evaluate` says it of any run."""
    made = said("fusion_defined", how=str(definition), runs=list(names), options=definition.spelled())
    every = {"fused": made, **{f"fused {at}": note for at, note in enumerate(notes)}}
    return Reading("fused run", "fused", rows=rows, order="score", notes=every)


def _to_trec(run: FusedRun, frame: pl.DataFrame, made: Path) -> None:
    columns = [frame["query"].cast(pl.String), frame["item"].cast(pl.String)]
    text = frame.select(
        columns[0], pl.lit("Q0").alias("q0"), columns[1], "rank", "score", pl.lit(run.label).alias("tag")
    )
    text.write_csv(made, separator=" ", include_header=False, quote_style="never")


def _to_jsonl(run: FusedRun, frame: pl.DataFrame, made: Path) -> None:
    frame.with_columns(fused=pl.lit(run.label)).write_ndjson(made)


def _lists(run: FusedRun) -> Iterator[tuple[str | int, dict[str | int, float]]]:
    yield from run.to_dict().items()


def _to_responses(run: FusedRun, _: pl.DataFrame, made: Path) -> None:
    """The shape of a search engine's answers, one for each query by its id."""
    answers = {
        str(query): {
            "hits": {
                "total": {"value": len(items), "relation": "eq"},
                "max_score": max(items.values(), default=None),
                "hits": [{"_id": str(item), "_score": score} for item, score in items.items()],
            }
        }
        for query, items in _lists(run)
    }
    made.write_text(json.dumps(answers, ensure_ascii=False, indent=1), "utf-8")


def _to_csv(run: FusedRun, frame: pl.DataFrame, made: Path) -> None:
    from rankmeter.inputs.cells import frame_csv

    made.write_text(frame_csv(frame.with_columns(fused=pl.lit(run.label))), "utf-8")


def _to_parquet(run: FusedRun, frame: pl.DataFrame, made: Path) -> None:
    frame.write_parquet(made, metadata={"rankmeter.fused": run.label})


_WRITERS: dict[FileFormat, Any] = {
    "trec": _to_trec, "jsonl": _to_jsonl, "csv": _to_csv, "parquet": _to_parquet, "responses": _to_responses,
}  # fmt: skip
