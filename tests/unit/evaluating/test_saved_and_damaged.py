"""Saved evaluations and comparisons with a bit changed, cut short or made up: read as they were, or refused."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import rankmeter as rm
from rankmeter.cli import app

TRUTH = {f"q{number}": {"a": 1, "b": 2} for number in range(20)}
RUN = {query: {"a": 2.0, "b": 1.0} for query in TRUTH}
OTHER = {query: {"a": 1.0, "b": 2.0} for query in TRUTH}
MEASURES = ["RR", "nDCG@10"]


def _evaluation(path: Path) -> None:
    rm.evaluate(TRUTH, RUN, MEASURES).save(path)


def _comparison(path: Path) -> None:
    rm.compare(TRUTH, {"a": RUN, "b": OTHER}, MEASURES, permutations=100, resamples=100).save(path)


def _streamed(path: Path) -> None:
    run = path.with_suffix(".run")
    run.write_text(
        "".join(f"{query} Q0 {item} 1 {score} t\n" for query, items in RUN.items() for item, score in items.items())
    )
    rm.evaluate(TRUTH, run, MEASURES, per_query_to=path)


KINDS = {
    "evaluation": (_evaluation, rm.Evaluation),
    "comparison": (_comparison, rm.Comparison),
    "streamed": (_streamed, rm.Evaluation),
}


@pytest.mark.parametrize("kind", ["evaluation", "streamed"])
def test_a_value_that_was_changed_is_noticed(kind, tmp_path) -> None:
    path = tmp_path / "saved"
    KINDS[kind][0](path)
    frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
    changed = (
        frame.with_columns(pl.col("RR") / 2)
        if "RR" in frame.columns
        else frame.with_columns(pl.lit("x").alias("query"))
    )
    changed.write_parquet(path, metadata={key: text for key, text in metadata.items() if key.startswith("rankmeter")})
    with pytest.raises(rm.InputError, match="is damaged"):
        rm.Evaluation.load(path)


@pytest.mark.parametrize("value", [None, "x", [1], 7])
@pytest.mark.parametrize("kind", ["evaluation", "streamed"])
def test_a_file_without_its_digest_is_not_believed(kind, value, tmp_path) -> None:
    path = tmp_path / "saved"
    KINDS[kind][0](path)
    frame, header = pl.read_parquet(path), pl.read_parquet_metadata(path)["rankmeter"]
    for column in frame.columns:
        frame.with_columns(pl.lit(value).alias(column)).write_parquet(path, metadata={"rankmeter": header})
        with pytest.raises(rm.InputError, match="is damaged"):
            rm.Evaluation.load(path)


@pytest.mark.parametrize("kind", ["evaluation", "streamed"])
def test_a_file_of_a_newer_form_is_named_by_its_number_whatever_else_it_holds(kind, tmp_path) -> None:
    path = tmp_path / "saved"
    KINDS[kind][0](path)
    frame, metadata = pl.read_parquet(path), pl.read_parquet_metadata(path)
    for header in ({**json.loads(metadata["rankmeter"]), "version": 2}, {"version": 2, "other": []}):
        newer = {"rankmeter": json.dumps(header), "rankmeter.digest": "made in another way"}
        frame.write_parquet(path, metadata=newer)
        with pytest.raises(rm.InputError, match=r"format 2; this version of rankmeter reads format 1\. Hint: "):
            rm.Evaluation.load(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_bit_changes_no_number_in_silence(kind, tmp_path) -> None:
    save, loads = KINDS[kind]
    path = tmp_path / "saved"
    save(path)
    whole, before = path.read_bytes(), loads.load(path)
    rng = random.Random(11)
    for _ in range(200):
        place, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        path.write_bytes(bytes([*whole[:place], whole[place] ^ bit, *whole[place + 1 :]]))
        try:
            after = loads.load(path)
        except rm.RankmeterError:
            continue
        assert after.to_json() == before.to_json(), (place, bit)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("made", ["empty", "cut", "text", "zip", "zeros"])
def test_what_was_never_saved_is_a_sentence(kind, made, tmp_path) -> None:
    save, loads = KINDS[kind]
    path = tmp_path / "saved"
    save(path)
    whole = path.read_bytes()
    path.write_bytes({
        "empty": b"", "cut": whole[: len(whole) // 2], "text": b"q1 Q0 a 1 1 t\n", "zip": b"PK\x03\x04" + b"x" * 99,
        "zeros": bytes(1000),
    }[made])  # fmt: skip
    with pytest.raises(rm.InputError, match=r"is not a saved|is damaged"):
        loads.load(path)
    result = CliRunner().invoke(app, ["compare", "--saved", str(path), str(path)])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("key", ["baseline", "scores", "measures", "systems", "settings", "quality"])
@pytest.mark.parametrize("value", [99, [], {}, [1], {"a": 1}])
def test_a_comparison_whose_header_was_edited_is_read_whole_or_refused(key, value, tmp_path) -> None:
    path = tmp_path / "saved"
    _comparison(path)
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    header = {**json.loads(parts["comparison.json"]), key: value}
    with zipfile.ZipFile(path, "w") as file:
        for name, content in {**parts, "comparison.json": json.dumps(header)}.items():
            file.writestr(name, content)
    try:
        loaded = rm.Comparison.load(path)
    except rm.InputError:
        return
    assert str(loaded)
