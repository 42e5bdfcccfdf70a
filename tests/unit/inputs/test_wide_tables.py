"""Tables of many columns: what is said stays short, and each row is read once however many columns are looked at."""

from __future__ import annotations

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError
from rankmeter.inputs import delimited, json_tables

COLUMNS = 2_000
ROWS = pl.DataFrame({"query": ["q", "r"], "item": ["a", "a"], **{f"c{n}": [0.5, 1.5] for n in range(COLUMNS)}})
WAYS = {
    "polars": lambda frame, _: frame, "pandas": lambda frame, _: frame.to_pandas(),
    "records": lambda frame, _: frame.to_dicts(),
    "csv": lambda frame, folder: frame.write_csv(folder / "t.csv") or folder / "t.csv",
    "tsv": lambda frame, folder: frame.write_csv(folder / "t.tsv", separator="\t") or folder / "t.tsv",
    "jsonl": lambda frame, folder: frame.write_ndjson(folder / "t.jsonl") or folder / "t.jsonl",
    "json": lambda frame, folder: frame.write_json(folder / "t.json") or folder / "t.json",
    "parquet": lambda frame, folder: frame.write_parquet(folder / "t.parquet") or folder / "t.parquet",
}  # fmt: skip


@pytest.mark.parametrize("side", ["judgments", "run"])
@pytest.mark.parametrize("way", WAYS)
def test_a_message_names_a_few_of_many_columns(way, side, tmp_path):
    table = WAYS[way](ROWS, tmp_path)
    with pytest.raises(InputError) as caught:
        rm.evaluate(*((table, {"q": ["a"]}) if side == "judgments" else ({"q": ["a"]}, table)), "RR")
    for language in ("en", "zh"):
        assert len(caught.value.text(language)) < 700
        assert "c0" in caught.value.text(language)
        assert f"{COLUMNS - 12:,}" in caught.value.text(language)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_said_of_unused_columns_is_short(way, tmp_path):
    ev = rm.evaluate({"q": ["a"]}, WAYS[way](ROWS.with_columns(score=pl.lit(1.0)), tmp_path), "RR")
    assert len(ev.reading.run.unused) == COLUMNS
    assert len(str(ev.reading.run)) < 400


@pytest.mark.parametrize(("way", "module", "reader"), [
    ("csv", delimited.csv, "reader"), ("tsv", delimited.csv, "reader"), ("jsonl", json_tables, "parse_json"),
])  # fmt: skip
def test_rows_are_parsed_a_few_times_however_many_columns_there_are(way, module, reader, tmp_path, monkeypatch):
    calls = []
    read = getattr(module, reader)
    monkeypatch.setattr(module, reader, lambda *given, **options: calls.append(1) or read(*given, **options))
    with pytest.raises(InputError, match="may be one"):
        rm.evaluate({"q": ["a"]}, WAYS[way](ROWS, tmp_path), "RR")
    assert len(calls) < 20
