"""Files of fused runs, written part by part: TREC text, JSON Lines, CSV, Parquet, and responses of search engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from rankmeter.errors import InputError, check_choice, examples
from rankmeter.late import pl
from rankmeter.whole_files import whole_file

FileFormat = Literal["trec", "jsonl", "csv", "parquet", "responses"]
FILE_FORMATS: tuple[FileFormat, ...] = get_args(FileFormat)
_FORMAT_OF: dict[str, FileFormat] = {
    ".run": "trec", ".trec": "trec", ".txt": "trec", "": "trec", ".jsonl": "jsonl", ".csv": "csv",
    ".parquet": "parquet", ".json": "responses",
}  # fmt: skip


def format_of(path: str | PathLike[str], format: FileFormat | None = None) -> FileFormat:
    """The format that is stated, or that the ending of a file asks for."""
    if format is not None:
        check_choice("format", format, FILE_FORMATS)
        return format
    ending = Path(path).suffix.lower()
    if ending not in _FORMAT_OF:
        raise InputError.of("fusion.unknown_ending", source=str(path), endings=[*filter(None, _FORMAT_OF)])
    return _FORMAT_OF[ending]


class RowWriter:
    """Writes the rows of a fused run to a file; each part holds whole queries, ranked."""

    not_held: ClassVar[tuple[str, ...]] = ()
    """Queries and items that a reader of the format would take for something else, as patterns."""

    def __init__(self, made: Path, format: FileFormat, label: str) -> None:
        self.made, self.format, self.label = made, format, label
        self.parts = 0
        made.touch()

    def add(self, part: pl.DataFrame, empty: pl.Series | None = None) -> None:
        """Write query, item, score and rank of some rows; of queries without a row where the format can tell."""
        self.check(part)
        with self.made.open("ab") as file:
            self.write(file, part, empty)
        self.parts += 1

    def check(self, part: pl.DataFrame) -> None:
        """Refuse ids that would not be read again as they are."""
        lost: list[str] = []
        for column, pattern in zip(("query", "item"), self.not_held, strict=False):
            ids = part[column].cast(pl.String).unique(maintain_order=True)
            lost += ids.filter(ids.str.contains(pattern)).to_list()
        if lost:
            raise InputError.of("fusion.ids_not_held", format=self.format, ids=examples(map(repr, lost)))

    def write(self, file: Any, part: pl.DataFrame, empty: pl.Series | None) -> None:
        """Write the rows in the format of the file."""
        raise NotImplementedError

    def close(self) -> None:
        """Write what stands at the end of the file."""


class _Trec(RowWriter):
    not_held = (r"^$|\s|\x00|^\ufeff|^#", r"^$|\s|\x00|^\ufeff")  # '#' begins a comment

    def write(self, file: Any, part: pl.DataFrame, empty: pl.Series | None) -> None:  # noqa: ARG002 (it has only rows)
        ids = [part["query"].cast(pl.String), part["item"].cast(pl.String)]
        text = part.select(ids[0], pl.lit("Q0").alias("q0"), ids[1], "rank", "score", pl.lit(self.label).alias("tag"))
        text.write_csv(file, separator=" ", include_header=False, quote_style="never")


class _Jsonl(RowWriter):
    def write(self, file: Any, part: pl.DataFrame, empty: pl.Series | None) -> None:  # noqa: ARG002 (it has only rows)
        part.with_columns(fused=pl.lit(self.label)).write_ndjson(file)


class _Csv(RowWriter):
    not_held = (r"^$|\x00", r"^$|\x00")

    def write(self, file: Any, part: pl.DataFrame, empty: pl.Series | None) -> None:  # noqa: ARG002 (it has only rows)
        from rankmeter.inputs.cells import frame_csv

        text = frame_csv(part.with_columns(fused=pl.lit(self.label)))
        file.write((text.partition("\n")[2] if self.parts else text).encode("utf-8"))


class _Responses(RowWriter):
    """The shape of a search engine's answers, one for each query by its id."""

    not_held = ("^$", "^$")

    def write(self, file: Any, part: pl.DataFrame, empty: pl.Series | None) -> None:
        for (query,), rows in part.group_by("query", maintain_order=True):
            self._answer(file, query, rows["item"].to_list(), rows["score"].to_list())
        for query in () if empty is None else empty.to_list():
            self._answer(file, query, [], [])

    def _answer(self, file: Any, query: object, items: list[object], scores: list[float]) -> None:
        hits = [{"_id": str(item), "_score": score} for item, score in zip(items, scores, strict=True)]
        total = {"value": len(hits), "relation": "eq"}
        answer = {"hits": {"total": total, "max_score": max(scores, default=None), "hits": hits}}
        before = "{\n" if not file.tell() else ",\n"
        file.write(f"{before}{json.dumps(str(query), ensure_ascii=False)}: ".encode())
        file.write(json.dumps(answer, ensure_ascii=False).encode())

    def close(self) -> None:
        with self.made.open("ab") as file:
            file.write(b"\n}\n" if file.tell() else b"{}\n")


class _Parquet(RowWriter):
    """Parts lie beside the file until all of them are known, and are put together without being held."""

    def add(self, part: pl.DataFrame, empty: pl.Series | None = None) -> None:  # noqa: ARG002 (it has only rows)
        part.write_ipc(self._part(self.parts), compression="lz4")
        self.parts += 1

    def _part(self, number: int) -> Path:
        return self.made.with_name(f"{number:05}.arrow")

    def close(self) -> None:
        parts = [self._part(number) for number in range(self.parts)]
        pl.scan_ipc(parts).sink_parquet(self.made, metadata={"rankmeter.fused": self.label})
        for part in parts:
            part.unlink()


_WRITERS: dict[FileFormat, type[RowWriter]] = {
    "trec": _Trec, "jsonl": _Jsonl, "csv": _Csv, "responses": _Responses, "parquet": _Parquet,
}  # fmt: skip


@contextmanager
def fused_file(path: str | PathLike[str], format: FileFormat, label: str) -> Iterator[RowWriter]:
    """Something to write the rows of a fused run to; the file appears when all of them are written, or not at all."""
    with whole_file(path) as made:
        writer = _WRITERS[format](made, format, label)
        yield writer
        writer.close()
