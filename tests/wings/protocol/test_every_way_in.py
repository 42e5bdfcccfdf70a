"""The same rows are in the same parts, by whatever way the interactions come in."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.wings.protocol import split_parts

ROWS = pl.DataFrame({
    "user": [n * n % 17 for n in range(240)],
    "item": [f"i{n * 7 % 29}" for n in range(240)],
    "rating": [1.0 + n % 5 for n in range(240)],
    "time": [1_700_000_000 + n * 86_400 // 3 % 8_000_000 for n in range(240)],
})  # fmt: skip
ROWS = ROWS.sample(fraction=1.0, shuffle=True, seed=3)
ORDERED = ROWS.sort("time", "user", "item")
MOMENTS = ROWS.with_columns(pl.from_epoch("time", time_unit="s"))
HOWS = ("last_n(1)", "random_n(2)", "random(0.3)", "time_share(0.2)", "windows(10d,2)", "users(0.2)")


def parts_of(data: object, how: str, columns: tuple[str, ...] = ("user", "item")) -> list[list[tuple[str, ...]]]:
    made = rm.split(data, how, before="duplicates(last)", seed=4)
    return [
        sorted(tuple(map(str, row)) for row in fold.part(name).select(columns).rows())
        for fold in made
        for name in ("train", "test")
    ]


KINDS = ("popular", "popular(rows)", "popular(window=10d)", "random", "cosine", "jaccard", "lift", "last_seen")


def lists_from(data: object) -> dict[str, list[tuple[str, ...]]]:
    made = rm.baselines(data, k=5, kinds=KINDS, seed=4)
    return {kind: sorted(tuple(map(str, row)) for row in run.rows()) for kind, run in made.items()}


WANTED = {how: parts_of(ROWS, how) for how in HOWS}
WANTED_LISTS = lists_from(ROWS)
WANTED_OF_MOMENTS = {how: parts_of(MOMENTS, how) for how in HOWS}


def check(data: Any, *, moments: bool = False) -> None:
    for how in HOWS:
        assert parts_of(data, how) == (WANTED_OF_MOMENTS if moments else WANTED)[how], how
    assert lists_from(data) == WANTED_LISTS


def test_mappings_records_and_lazy_frames() -> None:
    check(ROWS.to_dict(as_series=False))
    check(ROWS.to_dicts())
    check(ROWS.lazy())
    check(ROWS.with_columns(pl.col("user").cast(pl.String)))
    check(ROWS.with_columns(pl.col("item").cast(pl.Categorical), pl.col("time").cast(pl.Float64)))
    check(ROWS.reverse())
    check(ORDERED)
    for seed in range(5):
        check(ROWS.sample(fraction=1.0, shuffle=True, seed=seed))


def test_pandas() -> None:
    pytest.importorskip("pandas")
    check(ROWS.to_pandas())
    check(MOMENTS.to_pandas(), moments=True)
    check(MOMENTS.to_pandas().assign(time=lambda frame: frame["time"].dt.tz_localize("UTC")), moments=True)
    frame = ROWS.to_pandas()
    check(frame.astype({"item": object}))
    assert rm.split(frame.astype({"user": float}), "last_n(1)").rows("test").tolist() == (
        rm.split(ROWS, "last_n(1)").rows("test").tolist()
    )


def test_arrow() -> None:
    pytest.importorskip("pyarrow")
    check(ROWS.to_arrow())
    check(MOMENTS.to_arrow(), moments=True)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    interactions = ROWS.to_arrow()  # noqa: F841 (read by its name)
    check(duckdb.sql("select * from interactions"))


@pytest.mark.parametrize("name", ["r.csv", "r.tsv", "r.jsonl", "r.parquet", "r.arrow", "r.csv.gz"])
def test_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(ROWS.write_csv().encode()))
    elif name.endswith("sv"):
        ROWS.write_csv(path, separator="\t" if name.endswith("tsv") else ",")
    else:
        {"jsonl": ROWS.write_ndjson, "parquet": ROWS.write_parquet, "arrow": ROWS.write_ipc}[name[2:]](path)
    check(path)


def test_moments_in_files(tmp_path: Path) -> None:
    MOMENTS.write_csv(tmp_path / "r.csv")
    MOMENTS.write_parquet(tmp_path / "r.parquet")
    check(tmp_path / "r.csv", moments=True)
    check(tmp_path / "r.parquet", moments=True)


def test_a_folder_of_files(tmp_path: Path) -> None:
    for number in range(3):
        ROWS[number * 80 : number * 80 + 80].write_parquet(tmp_path / f"part-{number}.parquet")
    check(tmp_path)


@pytest.mark.slow
def test_spark(spark) -> None:
    check(spark.createDataFrame(ROWS.rows(), ROWS.columns))


def test_parts_are_written_in_blocks_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_parts, "ROWS_AT_ONCE", 7)
    ROWS.write_parquet(tmp_path / "r.parquet", row_group_size=50)
    made = rm.split(tmp_path / "r.parquet", "last_n(1)")
    for ending in split_parts.FORMATS:
        made.write(tmp_path / ending, format=ending)
        read = {"csv": pl.read_csv, "jsonl": pl.read_ndjson, "parquet": pl.read_parquet}[ending]
        assert read(tmp_path / ending / "test.csv".replace("csv", ending)).rows() == made.test.rows()
        assert read(tmp_path / ending / "train.csv".replace("csv", ending)).rows() == made.train.rows()
