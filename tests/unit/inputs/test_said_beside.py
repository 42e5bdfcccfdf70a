"""Columns that nothing is read from and that say something about the rows are heard, on every way in."""

from __future__ import annotations

import polars as pl
import pytest

import rankmeter as rm
from rankmeter.errors import InputError

ROWS = pl.DataFrame({"query": ["q", "q", "r"], "item": ["a", "b", "a"], "score": [0.9, 0.5, 0.7]})
JUDGED = {"q": {"a": 1}, "r": {"a": 1}}


def as_csv(frame, folder):
    frame.write_csv(path := folder / "table.csv")
    return path


def as_parquet(frame, folder):
    frame.write_parquet(path := folder / "table.parquet")
    return path


def as_lines(frame, folder):
    frame.write_ndjson(path := folder / "table.jsonl")
    return path


def as_json(frame, folder):
    frame.write_json(path := folder / "table.json")
    return path


WAYS = {
    "polars": lambda frame, _: frame, "pandas": lambda frame, _: frame.to_pandas(),
    "objects": lambda frame, _: frame.to_pandas().astype(object), "arrow": lambda frame, _: frame.to_arrow(),
    "records": lambda frame, _: frame.to_dicts(), "columns": lambda frame, _: frame.to_dict(as_series=False),
    "csv": as_csv, "parquet": as_parquet, "jsonl": as_lines, "json": as_json,
}  # fmt: skip

SET = {
    "error": ["", "timeout", ""], "is_partial": [False, True, False], "excluded": [0, 1, 0],
    "valid": [True, False, True], "status": ["ok", "rejected", "ok"],
    "skipped": [None, True, None], "已删除": [0, 0, 1], "有效": [1, 1, 0],
    "next_cursor": ["", "x", ""], "has_more": [0, 1, 0], "coverage": [1.0, 0.5, 1.0],
    "is_complete": [True, False, True], "rerankFailed": [False, True, False], "found": [1, 0, 1],
}  # fmt: skip
CALM = {
    "error": ["", "", ""], "is_partial": [False] * 3, "excluded": [0, 0, 0], "valid": [True] * 3,
    "status": ["ok", "done", "ok"], "skipped": [None, None, None], "已删除": [0, 0, 0], "有效": [1, 1, 1],
    "next_cursor": [""] * 3, "has_more": [0] * 3, "coverage": [1.0, 100.0, 1.0], "is_complete": [True] * 3,
    "rerankFailed": [False] * 3, "found": [1, 2, 3],
}  # fmt: skip
DIVIDED = ("system", "model_name", "run_id", "split", "fold", "annotator", "系统")


def notes_of(judged, run):
    ev = rm.evaluate(judged, run, "RR")
    return [note for note in ev.reading.notes if "in some row" in note or "several values" in note], ev


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("column", SET)
def test_a_row_that_says_that_it_does_not_count_is_heard(column, way, tmp_path):
    run = WAYS[way](ROWS.with_columns(pl.Series(column, SET[column])), tmp_path)
    (note,), ev = notes_of(JUDGED, run)
    assert column in note
    assert note in str(ev)
    assert notes_of(JUDGED, WAYS[way](ROWS.with_columns(pl.Series(column, CALM[column])), tmp_path))[0] == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("column", DIVIDED)
def test_rows_of_several_systems_or_judges_are_not_one_in_silence(column, way, tmp_path):
    judged = ROWS.drop("score").with_columns(grade=pl.lit(1))
    for value in (["A", "B", "A"], [1, 2, 2]):
        (note,), _ = notes_of(
            WAYS[way](judged.with_columns(pl.Series(column, value)), tmp_path), {"q": ["a"], "r": ["a"]}
        )
        assert column in note
    assert notes_of(WAYS[way](judged.with_columns(pl.lit("A").alias(column)), tmp_path), {"q": ["a"]})[0] == []


@pytest.mark.parametrize("column", ["rerank_score", "reranker_score", "final_score", "Fused Score", "rerank"])
def test_the_score_of_a_later_stage_beside_a_score_is_asked_for(column):
    run = ROWS.with_columns(pl.Series(column, [0.1, 0.2, 0.3]))
    with pytest.raises(InputError, match="score"):
        rm.evaluate(JUDGED, run, "RR")
    assert rm.evaluate(JUDGED, run, "RR", columns={"score": column})["RR"] == 0.75
    assert rm.evaluate(JUDGED, run, "RR", columns={"score": "score"})["RR"] == 1.0


@pytest.mark.parametrize("distances", [[0.1, 0.5, 0.3], [0.9, 0.5, 0.3]])
def test_distances_that_contradict_scores_are_said(distances):
    ev = rm.evaluate(JUDGED, ROWS.with_columns(distance=pl.Series(distances)), "RR")
    assert bool(ev.reading.notes) is (distances[0] > distances[1])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("column", "value"), [("metric", "l2"), ("sort", "asc"), ("lower_is_better", True)])
def test_scores_of_which_the_lowest_are_said_to_be_best_are_not_ranked_in_silence(column, value, way, tmp_path):
    run = WAYS[way](ROWS.with_columns(pl.lit(value).alias(column)), tmp_path)
    (note,) = rm.evaluate(JUDGED, run, "RR").reading.notes
    assert column in note
    assert "lower is better" in note
    named = rm.evaluate(JUDGED, run, "RR", columns={"distance": "score"})
    assert (named["RR"], named.reading.notes) == (0.75, ())
