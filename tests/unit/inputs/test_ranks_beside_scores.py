"""A run with scores and ranks: the scores order it, and ranks that say something else are heard wherever they stand."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

import rankmeter as rm
from rankmeter.inputs.ranks_beside import codes_of, contradiction
from rankmeter.inputs.reading import ReadLog
from rankmeter.inputs.shards import Files
from rankmeter.inputs.streaming import stream_run
from rankmeter.inputs.tables import RunFile

MANY = 3_000
"""More rows than are looked at to tell what a column holds."""


def late_contradiction():
    """Ten items a query, best first, but the last query the other way round."""
    return pl.DataFrame({
        "query": [f"q{row // 10}" for row in range(MANY)],
        "item": [f"d{row % 10}" for row in range(MANY)],
        "rank": [row % 10 + 1 for row in range(MANY)],
        "score": [float(row % 10 if row >= MANY - 10 else 10 - row % 10) for row in range(MANY)],
    })  # fmt: skip


JUDGED = {f"q{query}": {"d0": 1} for query in range(MANY // 10)}


def as_csv(frame, folder):
    frame.write_csv(path := folder / "run.csv")
    return path


def as_parquet(frame, folder):
    frame.write_parquet(path := folder / "run.parquet")
    return path


def as_lines(frame, folder):
    frame.write_ndjson(path := folder / "run.jsonl")
    return path


def as_json(frame, folder):
    frame.write_json(path := folder / "run.json")
    return path


def as_lists(frame, _):
    return frame.group_by("query", maintain_order=True).all()


WAYS = {
    "polars": lambda frame, _: frame, "pandas": lambda frame, _: frame.to_pandas(),
    "records": lambda frame, _: frame.to_dicts(), "columns": lambda frame, _: frame.to_dict(as_series=False),
    "lists": as_lists, "csv": as_csv, "parquet": as_parquet, "jsonl": as_lines, "json": as_json,
}  # fmt: skip


def notes_of(run):
    return [note for note in rm.evaluate(JUDGED, run, "RR").reading.notes if "disagree" in note]


@pytest.mark.parametrize("order", ["as given", "shuffled"])
@pytest.mark.parametrize("way", WAYS)
def test_a_contradiction_far_down_is_said(way, order, tmp_path):
    frame = late_contradiction()
    if order == "shuffled":
        frame = frame.sample(fraction=1, shuffle=True, seed=7)
    (note,) = notes_of(WAYS[way](frame, tmp_path))
    assert "rank and score disagree" in note


@pytest.mark.parametrize("way", WAYS)
def test_ranks_that_agree_say_nothing(way, tmp_path):
    frame = late_contradiction().head(MANY - 10).sample(fraction=1, shuffle=True, seed=7)
    assert notes_of(WAYS[way](frame, tmp_path)) == []


BESIDE = {
    "rerank_score": "rank", "cosine_distance": "rank", "距离": "rank", "new_rank": "score", "score2": "score",
    "dense_score": "bm25", "rerank_position": "bm25",
}  # fmt: skip
"""What stands beside the column that orders the items."""


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("way", WAYS)
def test_every_column_that_names_another_order_is_heard(way, beside, tmp_path):
    by = BESIDE[beside]
    falls = by != "rank"
    frame = pl.DataFrame({"query": ["q", "q", "r"], "item": ["a", "b", "a"], by: [2, 1, 3] if falls else [1, 2, 1]})
    rises = beside.endswith(("distance", "距离", "rank", "position"))
    for column, is_noted in (([1.0, 2.0, 1.0], not rises), ([2.0, 1.0, 1.0], rises)):
        run = WAYS[way](frame.with_columns(pl.Series(beside, column)), tmp_path)
        notes = rm.evaluate({"q": ["a"], "r": ["a"]}, run, "RR").reading.notes
        assert [beside in note and "disagree" in note for note in notes] == [True] * is_noted, (column, notes)
        named = rm.evaluate({"q": ["a"], "r": ["a"]}, run, "RR", columns={f"run.{'score' if falls else 'rank'}": by})
        assert not named.reading.notes or "rank" in beside


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", [0, 1, 2, 11])
def test_ranks_of_a_second_page_are_said(way, first, tmp_path):
    frame = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "rank": [first + 1, first]})
    notes = rm.evaluate({"q": ["a"]}, WAYS[way](frame, tmp_path), "RR").reading.notes
    assert ["no query has a first item" in note for note in notes] == [True] * (first > 1)


def test_a_file_that_is_read_in_blocks_says_it_too(tmp_path):
    path = str(as_csv(late_contradiction(), tmp_path))
    log = ReadLog()
    run = RunFile(lambda: stream_run(Files((path,)), block_bytes=4096, log=log), path, log=log)
    assert len(notes_of(run)) == 1


@pytest.mark.parametrize("ranks", [["first", "second", None], [None, None, None], ["1.", "n/a", "2"]])
def test_ranks_that_are_no_numbers_say_nothing(ranks):
    run = pl.DataFrame({"query": ["q"] * 3, "item": list("abc"), "score": [1.0, 2.0, 3.0], "rank": ranks})
    assert rm.evaluate({"q": {"c": 1}}, run, "RR")["RR"] == 1.0


def test_ranks_that_the_caller_named_are_followed():
    run = late_contradiction()
    ev = rm.evaluate(JUDGED, run, "RR", columns={"rank": "rank"})
    assert ev["RR"] == 1.0
    assert not ev.reading.notes


SCORES = [0.1, 0.2, 0.3, float("inf"), float("-inf"), 1.7e308, -1.7e308, 5e-324, -0.0]
"""Between some of them lies no number."""


def test_a_contradiction_is_found_where_there_is_one():
    rng = random.Random(5)
    for _ in range(400):
        size = rng.randrange(1, 9)
        queries = [rng.randrange(3) for _ in range(size)]
        ranks = [rng.choice([1.0, 2.0, 3.0, 4.0, float("nan")]) for _ in range(size)]
        scores = [rng.choice(SCORES) for _ in range(size)]
        pairs = {
            (one, other)
            for one in range(size)
            for other in range(size)
            if queries[one] == queries[other] and ranks[one] < ranks[other] and scores[one] < scores[other]
        }
        found = contradiction(codes_of(pl.Series(queries).cast(pl.String)), np.array(ranks), np.array(scores))
        assert (found in pairs) if pairs else (found is None)
