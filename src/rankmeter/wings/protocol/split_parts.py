"""Interactions in parts, in memory and in files, with the protocol beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from rankmeter import __version__
from rankmeter.errors import InputError, check_choice
from rankmeter.frozen import dataclass
from rankmeter.late import Late, pl
from rankmeter.placing.placements import Ints
from rankmeter.whole_files import make_folder, whole_file, write_text
from rankmeter.wings.protocol.interactions import Origins
from rankmeter.wings.protocol.statement import Protocol
from rankmeter.wings.protocol.user_order import TEST, TRAIN, VALIDATION, Labels

PROTOCOL = "protocol.json"
FORMATS = ("csv", "jsonl", "parquet")
ROWS_AT_ONCE = 250_000


PartName = Literal["train", "validation", "test"]
PARTS: Mapping[str, int] = {"train": TRAIN, "validation": VALIDATION, "test": TEST}


@dataclass(frozen=True, slots=True, repr=False)
class Fold:
    """One train part with what it is tested on."""

    labels: Labels
    """(n,) for every row of the input 0 (in no part), 1 train, 2 validation, 3 test."""
    origins: Origins

    @property
    def train(self) -> pl.DataFrame:
        """The rows to learn from, with all columns of the input, in its order."""
        return self.part("train")

    @property
    def validation(self) -> pl.DataFrame:
        """The rows to choose by."""
        return self.part("validation")

    @property
    def test(self) -> pl.DataFrame:
        """The rows to measure on."""
        return self.part("test")

    def part(self, name: PartName) -> pl.DataFrame:
        """The rows of one part."""
        check_choice("part", name, list(PARTS))
        return self.origins.frame.filter(pl.Series(self.labels) == PARTS[name]).lazy().collect()

    def rows(self, name: PartName) -> Ints:
        """The numbers of the rows of one part, from 0: what pandas calls ``iloc``."""
        check_choice("part", name, list(PARTS))
        return np.flatnonzero(self.labels == PARTS[name])


@dataclass(frozen=True, slots=True, repr=False)
class Split:
    """Interactions in parts, and how they were made.

    Examples
    --------
    >>> import rankmeter as rm
    >>> rows = {"user": [1, 1, 1, 2, 2], "item": list("abcab"), "time": [1, 2, 3, 1, 2]}
    >>> parts = rm.split(rows, "last_n(1)")
    >>> parts.test["item"].to_list(), parts.rows("train").tolist()
    (['c', 'b'], [0, 1, 3])
    """

    folds: tuple[Fold, ...]
    stated: Late[Protocol]
    """The protocol, counted when it is first looked at."""
    origins: Origins

    @property
    def protocol(self) -> Protocol:
        """How the parts were made, and what is in them."""
        return self.stated.value

    @property
    def judged_under(self) -> Protocol:
        """How the judgments came about, for whoever is given a split in their place."""
        return self.protocol

    @property
    def only(self) -> Fold:
        """The fold, where there is one."""
        if len(self.folds) > 1:
            raise InputError.of("protocol.several_folds", count=len(self.folds))
        return self.folds[0]

    @property
    def train(self) -> pl.DataFrame:
        """The rows to learn from, with all columns of the input, in its order."""
        return self.only.train

    @property
    def validation(self) -> pl.DataFrame:
        """The rows to choose by."""
        return self.only.validation

    @property
    def test(self) -> pl.DataFrame:
        """The rows to measure on."""
        return self.only.test

    def rows(self, name: PartName) -> Ints:
        """The numbers of the rows of one part, from 0: what pandas calls ``iloc``."""
        return self.only.rows(name)

    def __iter__(self) -> Iterator[Fold]:
        return iter(self.folds)

    def __len__(self) -> int:
        return len(self.folds)

    def __repr__(self) -> str:
        return repr(self.protocol)

    def _repr_html_(self) -> str:
        return self.protocol._repr_html_()

    def write(self, folder: str, *, format: str = "parquet") -> list[str]:
        """Write the parts and ``protocol.json`` into a folder that is new or empty; returns the files."""
        return write_parts(self, folder, format=format)


def check_place(folder: str | os.PathLike[str]) -> Path:
    """A folder that holds nothing yet, or is not there."""
    place = Path(folder)
    if place.is_dir() and (held := sorted(path.name for path in place.iterdir())):
        raise InputError.of("protocol.folder_not_empty", folder=str(place), held=held[:3])
    if place.exists() and not place.is_dir():
        raise InputError.of("protocol.not_a_folder", folder=str(place))
    return place


def write_parts(parts: Split, folder: str | os.PathLike[str], *, format: str = "parquet") -> list[str]:
    """Write every part and the protocol: all of them, or nothing."""
    check_choice("format", format, FORMATS)
    place, protocol = check_place(folder), parts.protocol
    is_new = not place.exists()
    make_folder(place)
    written: list[Path] = []
    try:
        for number, fold in enumerate(parts.folds, 1):
            for name in protocol.folds[number - 1].parts:
                stem = name if len(parts.folds) == 1 else f"fold-{number}-{name}"
                written.append(place / f"{stem}.{format}")
                _write(fold, name, written[-1], format)
        written.append(place / PROTOCOL)
        write_text(written[-1], json.dumps(_record(parts, place, written[:-1]), indent=2, ensure_ascii=False) + "\n")
    except BaseException:
        for file in written:
            file.unlink(missing_ok=True)
        if is_new:
            place.rmdir()
        raise
    return [str(file) for file in written]


def _record(parts: Split, place: Path, files: list[Path]) -> dict[str, Any]:
    """The protocol with all that is needed to make the parts again."""
    origins = parts.origins
    sources = [os.path.relpath(file, place) for file in origins.files]
    return {
        **parts.protocol.to_dict(),
        "columns": dict(origins.columns),
        "sources": sources,
        "files": [file.name for file in files],
        "made_by": f"rankmeter {__version__}",
    }


def _write(fold: Fold, name: str, path: Path, format: str) -> None:
    """One part, in blocks of rows: no more than one of them is in memory."""
    from polars.io.plugins import register_io_source

    frame, is_part = fold.origins.frame.lazy(), fold.labels == PARTS[name]

    def blocks(columns: Any, predicate: Any, most: Any, size: Any) -> Iterator[pl.DataFrame]:  # noqa: ARG001 (Polars' signature)
        start = 0
        for block in frame.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True, engine="streaming"):
            rows = is_part[start : start + block.height]
            start += block.height
            chosen = block.filter(pl.Series(rows))
            yield chosen if columns is None else chosen.select(columns)

    lazy = register_io_source(blocks, schema=frame.collect_schema())
    with whole_file(path) as made:
        if format == "parquet":
            lazy.sink_parquet(made)
        elif format == "csv":
            lazy.sink_csv(made)
        else:
            lazy.sink_ndjson(made)
